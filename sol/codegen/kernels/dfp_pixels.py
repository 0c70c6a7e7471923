"""Regions that reduce over channels, of blocked maps or of short rows: one vector of pixels at a time, side by side in lanes.

Every pixel has a running vector of its own for the channels that share a lane; the lanes of all pixels are added up together at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sol.codegen.emit import CValue, Emitter
from sol.codegen.kernels.dfp_rows import indent
from sol.codegen.kernels.dfp_rows_plan import RowsPlan, Stage
from sol.codegen.kernels.dfp_space import Pointer, Space
from sol.codegen.kernels.dfp_terms import Term, load_text, store_text, trace
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import product
from sol.ir.types import DType

STEPS = {"sum": "{0} += {1};", "max": "{0} = vf_max({0}, {1});", "min": "{0} = vf_min({0}, {1});"}
NEUTRAL = {"sum": "0.0f", "max": "-INFINITY", "min": "INFINITY"}
CHUNK = 8  # blocks of channels that a running sum takes one after the other


def fits_pixels(plan: RowsPlan, target: TargetLike) -> bool:
    """Whether the rows of a plan are the channels of float32 pixels in whole vectors, whose neighbours are computed at once: in blocks, or
    row-major where so many rows take a quarter of the first-level cache at most, so that what is made of them stays there, too.
    """
    lanes = target.lanes
    if plan.mode != "row" or plan.channels is not None or not plan.outer or not all(_serves(t) for t in plan.wanted):
        return False
    last = plan.axes[plan.inner[-1]]
    size = last.size
    if not last.is_unit or not isinstance(size, int) or size % lanes or len(plan.inner) > 2:
        return False
    blocked = size == lanes
    if not blocked and not (len(plan.inner) == 1 and 4 * lanes * size <= target.l1 // 4 and _are_many(plan, lanes)):
        return False
    reduced, kept = {p.name for p, _ in plan.reduced}, {p.name: t.full for t, p in plan.leaves}
    return all(_lies_well(plan, p, reduced, kept, lanes if blocked else 0) for p in plan.pointers)


def _are_many(plan: RowsPlan, lanes: int) -> bool:
    rows = plan.axes[plan.outer[-1]].size
    return isinstance(rows, int) and rows >= lanes


def _serves(term: Term) -> bool:
    """Whether a step is one of floats in lanes; full ones may compare."""
    if term.kind == "reduce" and term.op not in STEPS or term.squeezed:
        return False
    return term.dtype is DType.F32 or term.kind == "map" and term.full and term.dtype is DType.BOOL


def _lies_well(plan: RowsPlan, pointer: Pointer, reduced: set[str], full: Mapping[str, bool], block: int) -> bool:
    """Whether neighbours of a tensor lie one block apart, or one element where it has no channels; operands may be the same for all.

    block: 0 where full tensors may lie as they like.
    """
    stride = plan.axes[plan.outer[-1]].stride(pointer.name)
    if pointer.view.dtype is not DType.F32:
        return False
    is_full = pointer.name not in reduced if pointer.writes else full[pointer.name]
    if is_full and not block:
        return True
    if not isinstance(stride, int):
        return False
    return stride == (block if is_full else 1) or stride == 0 and not pointer.writes


def lower_pixels(lowering: Lowering, plan: RowsPlan) -> None:
    """The launch."""
    space, lanes = Space(plan.axes), lowering.target.lanes
    blocked = plan.axes[plan.inner[-1]].size == lanes
    blocks = space.size(plan.inner[0]) if len(plan.inner) > 1 else "1" if blocked else f"{space.size(plan.inner[0])} / LANES"
    writer = _Writer(plan, space, blocked)
    channels = product(plan.axes[i].size for i in plan.inner)
    body, rows, pixels = writer.body(), space.product(plan.outer[:-1]), space.size(plan.outer[-1])
    context: dict[str, Any] = {
        "title": plan.title,
        "passes": sum(not s.is_empty for s in plan.stages),
        "rows": rows,
        "pixels": pixels,
        "blocks": blocks,
        "outer": [(i, space.size(i)) for i in plan.outer[:-1]],
        "pointers": [("" if p.writes else "const ", p.name, _offset(writer, p)) for p in plan.pointers],
        "body": indent(body),
    }
    lowering.emit(
        "dfp_pixels.c.j2",
        plan.stem,
        reads={p.name: p.view for p in plan.reads},
        writes={p.name: p.view for p in plan.writes},
        params=space.params,
        scratch=(channels * 4 * lanes + 63) // 64 * 64 * len(plan.buffers) if plan.buffers else 0,
        flops=product(plan.shape) * plan.flops,
        bytes=plan.bytes,
        **context,
    )


def _offset(writer: _Writer, pointer: Pointer) -> str:
    """Of the first pixel of a piece."""
    rows, pixel = writer.space.offset(pointer.name, writer.plan.outer[:-1]), writer.pixel_stride(pointer)
    parts = [rows, "0" if pixel == "0" else "first" if pixel == "1" else f"first * {pixel}"]
    return " + ".join(p for p in parts if p != "0") or "0"


def _every(step: str) -> list[str]:
    """A statement for every pixel, written out so that what pixels have is in registers."""
    return ["#pragma GCC unroll 16", f"for (int p = 0; p < LANES; p++) {step}"]


class _Writer:
    """The C statements for one piece: ``n`` pixels at most LANES, of which those beyond the last one repeat it and store nothing.

    Values of the pixels are ``r<i>``, lanes side by side; ``b<i>`` is such a value in memory, from which each pixel takes its own.
    """

    def __init__(self, plan: RowsPlan, space: Space, blocked: bool) -> None:
        self.plan, self.space, self.blocked = plan, space, blocked
        self.pointer_of, self.buffers = dict(plan.leaves), {t: i for i, t in enumerate(plan.buffers)}
        self.small = Emitter(vector=True, prefix="r")
        self.known: dict[Term, CValue] = {}
        self.spread: dict[Term, str] = {}  # what lies in memory as well
        self.lines: list[str] = []
        self.number = 0

    def pixel_stride(self, pointer: Pointer) -> str:
        """C text of the elements between neighbours."""
        axis = self.plan.outer[-1]
        if self.blocked and self.space.axes[axis].stride(pointer.name) not in (0, 1):
            return "LANES"
        return self.space.stride(pointer.name, axis)

    def block_stride(self, pointer: Pointer) -> str:
        """C text of the elements between blocks of channels."""
        if not self.blocked:
            return "0" if self.space.stride(pointer.name, self.plan.inner[0]) == "0" else "LANES"
        return self.space.stride(pointer.name, self.plan.inner[0]) if len(self.plan.inner) > 1 else "0"

    def body(self) -> list[str]:
        for i in self.buffers.values():
            self.lines.append(f"float *keep{i} = (float *)(team->scratch + {i} * ((blocks * LANES * LANES * 4 + 63) / 64 * 64));")
        for s, stage in enumerate(self.plan.stages):
            terms = [t for t in self.plan.wanted if not t.full and t.stage == s and t.kind != "reduce"]
            mark = len(self.small.lines)
            trace(self.small, terms, self.known, self._reduced_leaf)
            self.lines += self.small.lines[mark:]
            if not stage.is_empty:
                self.lines.append(f"/* pass {s} */")
                self._stage(stage)
        for pointer, term in self.plan.reduced:
            text, address = self.known[term].text, f"p_{pointer.name}"
            whole, some = (store_text(term.dtype, address, text, vector=True, left=left) for left in ("", "n"))
            self.lines += ["if (n == LANES) {", whole, "} else {", some, "}"]
        return self.lines

    def _reduced_leaf(self, term: Term) -> CValue:
        if term.kind == "count":
            count = "(float)(blocks * LANES)"
            return self.small.let(f"vf_set({f'fmaxf({count} - {float(term.literal)}f, 0)' if term.literal else count})", term.dtype)
        name = self.pointer_of[term].name
        if self.space.axes[self.plan.outer[-1]].stride(name) == 0:
            return self.small.let(load_text(term.dtype, f"p_{name}", vector=True, stride="0"), term.dtype)
        return self.small.let(f"n == LANES ? vf_load(p_{name}) : vf_load_n(p_{name}, n)", term.dtype)

    def _stage(self, stage: Stage) -> None:
        """Blocks of channels in chunks; running values of a chunk, and of all of them, for every pixel."""
        sums = [(self.number + k, t) for k, t in enumerate(stage.reduces)]
        self.number += len(sums)
        for term in self._used_by(stage):
            if term not in self.spread and term.kind != "literal":
                name = self.spread[term] = f"b{len(self.spread)}"
                self.lines += [f"float {name}[LANES];", f"vf_store({name}, {self.known[term].text});"]
        self.lines += [line for k, t in sums for line in (f"vf w{k}[LANES];", *_every(f"w{k}[p] = vf_set({NEUTRAL[t.op]});"))]
        stop = f"c + {CHUNK} < blocks ? c + {CHUNK} : blocks"
        self.lines += ["for (int64_t c = 0; c < blocks;) {", f"const int64_t stop = {stop};"]
        self.lines += [line for k, t in sums for line in (f"vf a{k}[LANES];", *_every(f"a{k}[p] = vf_set({NEUTRAL[t.op]});"))]
        self.lines += ["for (; c < stop; c++) {", *_every("{"), "const int64_t at = p < n ? p : n - 1;"]
        self._element(stage, sums)
        self.lines += ["}", "}"]
        self.lines += [line for k, t in sums for line in _every(STEPS[t.op].format(f"w{k}[p]", f"a{k}[p]"))]
        self.lines.append("}")
        for k, term in sums:
            self.lines.append(f"const vf v{k} = vf_{term.op}_of_each(w{k});")
            self.known[term] = CValue(self.small, f"v{k}", term.dtype)

    def _used_by(self, stage: Stage) -> list[Term]:
        """Values of pixels that steps along the channels compute with."""
        roots = [*stage.terms, *(t for _, t in stage.stores), *(t.operands[0] for t in stage.reduces)]
        operands = [o for t in stage.terms for o in t.operands] + roots
        return list(dict.fromkeys(o for o in operands if not o.full and o in self.known))

    def _element(self, stage: Stage, sums: Sequence[tuple[int, Term]]) -> None:
        emitter = Emitter(vector=True, prefix="t")
        known: dict[Term, CValue] = {}
        for term, value in self.known.items():
            if term.kind == "literal":
                known[term] = emitter.constant(term.literal, term.dtype)
            elif term in self.spread:
                known[term] = CValue(emitter, f"vf_set({self.spread[term]}[p])", term.dtype)
            else:
                known[term] = CValue(emitter, value.text, value.dtype, value.literal)
        for term in stage.loads:
            known[term] = emitter.let(f"vf_load({self._keep(term)})", term.dtype)
        trace(emitter, stage.terms, known, partial(self._full_leaf, emitter))
        self.lines += emitter.lines
        for term in stage.keeps:
            self.lines.append(f"vf_store({self._keep(term)}, {known[term].text});")
        for pointer, term in stage.stores:
            self.lines.append("if (p < n) " + store_text(term.dtype, self._address(pointer), known[term].text, vector=True))
        self.lines += [STEPS[t.op].format(f"a{k}[p]", known[t.operands[0]].text) for k, t in sums]

    def _keep(self, term: Term) -> str:
        return f"keep{self.buffers[term]} + (c * LANES + p) * LANES"

    def _address(self, pointer: Pointer) -> str:
        """Of a block of channels of pixel ``at``."""
        strides = (("c", self.block_stride(pointer)), ("at", self.pixel_stride(pointer)))
        return f"p_{pointer.name}" + "".join(f" + {i} * {stride}" for i, stride in strides if stride != "0")

    def _full_leaf(self, emitter: Emitter, term: Term) -> CValue:
        pointer = self.pointer_of[term]
        stride = self.space.stride(pointer.name, self.plan.inner[-1])
        return emitter.let(load_text(term.dtype, self._address(pointer), vector=True, stride=stride), term.dtype)
