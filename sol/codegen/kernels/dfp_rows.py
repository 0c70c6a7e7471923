"""Regions with reductions: for every outer index a few passes over the reduced axes, with registers or a row buffer between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sol.codegen.kernels.dfp_pointwise import stem_of
from sol.codegen.kernels.dfp_rows_plan import RowsPlan, plan_rows
from sol.codegen.kernels.dfp_rows_writer import MAX_PARTS, RowsWriter
from sol.codegen.kernels.dfp_space import Space
from sol.codegen.lowering import Lowering
from sol.errors import UnsupportedError
from sol.ir.dim import product
from sol.ir.graph import Graph, Node
from sol.ir.ops import spec_of
from sol.ir.types import TensorType


def find_rows(lowering: Lowering) -> RowsPlan:
    """One launch for the whole region."""
    body = lowering.body
    first = next(n for n in body.nodes if spec_of(n.op).kind == "reduce")
    type = _full_type(body, first)
    reduced = _reduced_dims(first, type)
    for node in body.nodes:
        if spec_of(node.op).kind == "reduce" and set(_reduced_dims(node, body.type_of(node.inputs[0]))) != set(reduced):
            raise UnsupportedError(
                f"{node.op} reduces other dimensions than {first.op}",
                origin=str(node.origin),
                remedy="report this: a pass formed a wrong region",
            )
    return plan_rows(lowering, type, reduced, stem_of(body))


def _full_type(body: Graph, first: Node) -> TensorType:
    """Logical type of the space: the largest shape that is reduced, in the layout of the values that have it."""
    shape = body.type_of(first.inputs[0]).shape
    alike = [body.type_of(v) for n in body.nodes for v in n.outputs if body.type_of(v).shape == shape]
    return next((t for t in alike if t.layout.block), body.type_of(first.inputs[0]))


def _reduced_dims(node: Node, x: TensorType) -> tuple[int, ...]:
    attrs = node.attrs
    if not x.rank:
        return ()
    if node.op in ("layer_norm", "rms_norm"):
        return tuple(range(x.rank - attrs["dims"], x.rank))
    return tuple(sorted(attrs["dims"])) if "dims" in attrs else (attrs["dim"],)


def lower_rows(lowering: Lowering, plan: RowsPlan) -> None:
    """The launch."""
    space, column = Space(plan.axes), plan.mode == "column"
    width = plan.widest
    variants = [(width, "")] if plan.whole_lanes or not column else [(width, ""), (1, "left")]
    bodies = [indent(RowsWriter(plan, space, u, left, lowering.target.machine.streams.soon).body()) for u, left in variants]
    reduced_count = space.product(plan.inner)
    context: dict[str, Any] = {
        "title": plan.title,
        "mode": plan.mode,
        "passes": sum(not s.is_empty for s in plan.stages),
        "cost": plan.cost * (4 if plan.mode == "scalar" else 1),
        "rows": space.product(plan.outer),
        "lane_size": space.size(plan.lane) if column else "1",
        "width": width,
        "whole_lanes": plan.whole_lanes,
        "reduced_count": reduced_count,
        "split_size": space.size(plan.inner[0]),
        "split_step": "LANES" if plan.mode == "row" and len(plan.inner) == 1 else "1",
        "shares": plan.shares,
        "unit_lanes": "group" if column else "1",
        "max_parts": MAX_PARTS,
        "outer": [(i, space.size(i)) for i in plan.outer],
        "bodies": bodies,
        "apart": plan.mode == "row" and not plan.axes[plan.inner[-1]].is_unit,
    }
    per_element = (4 * lowering.target.lanes * width) if column else 4 if plan.mode == "row" else 8
    room = product(plan.axes[i].size for i in plan.inner) * per_element + 128
    if plan.channels is not None:
        space.params["channels"] = plan.channels
    lowering.emit(
        "dfp_rows.c.j2",
        plan.stem,
        reads={p.name: p.view for p in plan.reads},
        writes={p.name: p.view for p in plan.writes},
        params=space.params,
        scratch=(room + 63) // 64 * 64 * len(plan.buffers) if plan.buffers else 0,
        shared_scratch=2 * plan.slots * width * MAX_PARTS * plan.slot_bytes if plan.shares else 0,
        flops=product(plan.shape) * plan.flops,
        bytes=plan.bytes,
        **context,
    )


def indent(lines: Sequence[str]) -> list[str]:
    """Lines indented by their braces."""
    out, depth = [], 0
    for line in lines:
        depth -= line.startswith("}")
        out.append("    " * depth + line)
        depth += line.endswith("{")
    return out
