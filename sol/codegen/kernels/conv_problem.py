"""What a convolution's region consists of: source × convolution × pointwise epilogue × sink. The products compute any combination of them.

A sink is where results go: the map to memory, a pooling over the whole map, or both. What is pooled alone lies in the team's shared memory;
every product writes it there as it would write any other, and the team pools it (``sink_begin``, ``sink_end`` in templates/conv_tile.c.j2).
Beside a map that goes to memory, sums over all its pixels may be found for each channel (``kernels/conv_sums.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.element import Element, element
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.conv_epilogues import needs_mask, operand_context, operand_params
from sol.codegen.kernels.conv_shape import Conv, check_border, column_step, is_flat, pitch, read_conv, spatial_strides
from sol.codegen.kernels.conv_source import Source, pointwise_inputs, read_source
from sol.codegen.kernels.conv_sums import TABLE, Sums, maps_of, read_sums, sum_context, sum_params
from sol.codegen.kernels.conv_tiling import Tiling
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import SolError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Graph, Node
from sol.ir.lanes import FLOAT_LANES, NARROW_FLOATS
from sol.ir.types import DType


@dataclass(frozen=True)
class Pool:
    """Global pooling at the end of a body. kind: "mean", "sum" or "max". count: what the sum is divided by. out: where results lie."""

    source: str
    kind: str
    count: DimLike
    out: View


@dataclass(frozen=True)
class Types:
    """Elements in memory: of the tensor that the source reads, of what register tiles read and write, and of pooled results.

    What is made on the way, and a map that does not go to memory, are float32.
    """

    source: Element = element(DType.F32)
    input: Element = element(DType.F32)
    weight: Element = element(DType.F32)
    bias: Element = element(DType.F32)
    out: Element = element(DType.F32)
    pooled: Element = element(DType.F32)


@dataclass(frozen=True)
class Problem:
    """A convolution's region. out: where its map lies in memory; None if only what is pooled leaves the kernel. flat: whether the map can
    be taken as one long row. lanes: of the target.
    """

    conv: Conv
    source: Source
    pool: Pool | None
    out: View | None
    epilogue: Epilogue
    flat: bool
    lanes: int
    sums: Sums | None = None

    @property
    def is_float32(self) -> bool:
        """Are all its elements float32, as products want them that read their operands in ways of their own?"""
        views = (*self.source.views, *self.results, *(e.view for e in self.epilogue.operands))
        return self.conv.dtype is DType.F32 and all(v.dtype is DType.F32 for v in views)

    @property
    def stored(self) -> DType:
        """Of the map as a product writes it."""
        return self.out.dtype if self.out else DType.F32

    @property
    def pitch(self) -> str:
        """C text of the elements between neighbouring columns of the map as a product writes it."""
        return pitch(column_step(self.out, self.lanes) if self.out else 1)

    @property
    def results(self) -> tuple[View, ...]:
        """What leaves the kernel: the map, what is pooled of it, or both; sums."""
        sums = self.sums.views if self.sums else ()
        return (*((self.out,) if self.out else ()), *((self.pool.out,) if self.pool else ()), *sums)

    def types(self, bias: DType) -> Types:
        """bias: its dtype."""
        source = element(self.source.view.dtype)
        return Types(
            source, element(DType.F32) if self.source.prologue else source, element(self.conv.dtype), element(bias),
            element(self.stored), element(self.pool.out.dtype if self.pool else DType.F32),
        )  # fmt: skip

    @property
    def vectors(self) -> int:
        """Vectors of output channels of a group."""
        return -(-(self.conv.k // self.conv.groups) // self.lanes)

    @property
    def partial(self) -> bool:
        """Are there lanes of the last vector that must not be written, for other results lie there?"""
        return self.source.kind == "rows" and self.conv.k % self.lanes != 0

    @property
    def masked(self) -> bool:
        """Do tiles need to know how many lanes hold a channel, as the others may become infinite or NaN, or must not be written?"""
        return self.partial or needs_mask(self.epilogue, self.conv.k, self.lanes)

    @property
    def pooled_bytes(self) -> DimLike:
        """What the map takes in the team's shared memory."""
        conv = self.conv
        return 0 if self.out else 4 * self.lanes * self.vectors * conv.groups * (conv.n * conv.oh * conv.ow)


def problem_of(lowering: Lowering) -> Problem | None:
    """``read_problem``, once per region."""
    if lowering.problem is None:
        lowering.problem = (read_problem(lowering),)
    found: Problem | None = lowering.problem[0]
    return found


def float32_problem(lowering: Lowering) -> Problem | None:
    """``problem_of`` for products of float32 alone."""
    problem = problem_of(lowering)
    return problem if problem is not None and problem.is_float32 else None


def widened_problem(lowering: Lowering) -> Problem | None:
    """``problem_of`` for products that widen narrow floats as they read their input, and take weights of float32."""
    problem = problem_of(lowering)
    if problem is None or problem.is_float32:
        return problem
    views = (*problem.source.views, *problem.results, *(e.view for e in problem.epilogue.operands))
    narrow = problem.conv.dtype in NARROW_FLOATS and all(v.dtype in FLOAT_LANES for v in views)
    return problem if narrow and lowering.is_wide(problem.conv.node.inputs[1]) else None


def read_problem(lowering: Lowering) -> Problem | None:
    """The region's convolution with what is around it; None if it is not a dense one with a blocked result."""
    conv, lanes = read_conv(lowering), lowering.target.lanes
    if conv is None:
        return None
    sums, outputs = read_sums(lowering, conv.node), maps_of(lowering, conv.node)
    if not outputs:
        return None
    pool = next((found for value in outputs if (found := _pool(lowering, conv, value))), None)
    result = pool.source if pool else outputs[0]
    if pool and 0 in (conv.oh, conv.ow) or len(outputs) > 1 + (pool is not None) or not is_pointwise_epilogue(lowering, result, lanes):
        return None
    source, out = read_source(lowering, conv), lowering.view(result) if result in outputs else None
    if source is None or out and not column_step(out, lanes) or len(outputs) > 1 and out is None:
        return None
    summed = sums.epilogue if sums else ()
    epilogue = make_epilogue(lowering, conv.node.name, result, channel_axis=1, block=lanes, dtypes=FLOAT_LANES, sums=summed)
    problem = Problem(conv, source, pool, out, epilogue, _is_flat(conv, source, out, epilogue), lanes, sums)
    summable = pool is None and out is not None and problem.is_float32 and can_be_summed(lowering, conv, sums)
    return problem if summable or not sums else None


def can_be_summed(lowering: Lowering, conv: Conv, sums: Sums | None) -> bool:
    """Whether sums, if there are any, are of what is computed with the map, and of a known number of pixels."""
    if sums is None:
        return True
    known = all(isinstance(size, int) and size for size in (conv.n, conv.oh, conv.ow))
    return known and all(is_pointwise_epilogue(lowering, s.source, lowering.target.lanes) for s in sums.epilogue)


def _is_flat(conv: Conv, source: Source, out: View | None, epilogue: Epilogue) -> bool:
    if source.kind == "plain":
        rows = source.view.strides
        if len(rows) != 4 or rows[3] != 1 or rows[2] != conv.w:
            return False
    elif source.prologue and source.prologue.pools:
        return False
    blocked = [v.strides for v in (*source.views, *((out,) if out else ())) if v.layout.block]
    return is_flat(conv, [*blocked, *(e.strides for e in epilogue.operands if e.kind == "tile")])


def is_pointwise_epilogue(lowering: Lowering, result: str, block: int) -> bool:
    """Is everything from the anchor to ``result`` pointwise, and the result blocked and of the anchor's shape?"""
    body, anchor = lowering.body, lowering.anchor
    whole = body.type_of(result).shape == anchor.type.shape and body.type_of(result).layout.block == block
    return whole and pointwise_inputs(lowering, result, anchor.name) is not None


_KINDS = {
    "adaptive_avg_pool": "mean", "adaptive_max_pool": "max", "avg_pool": "mean", "max_pool": "max",
    "mean": "mean", "max": "max", "sum": "sum",
}  # fmt: skip


def _pool(lowering: Lowering, conv: Conv, value: str) -> Pool | None:
    """The pooling that gives ``value``, if it is over the whole map; a reshape to [N, K] may follow it."""
    body: Graph = lowering.body
    node = body.producer(value)
    if node.op == "reshape" and node.type.shape == (conv.n, conv.k):
        node = body.producer(node.inputs[0])
    if node.op not in _KINDS or not _is_global(node, conv, body.type_of(node.inputs[0]).rank):
        return None
    kind = _KINDS[node.op]
    count = node.attrs.get("divisor") or (conv.oh * conv.ow if kind == "mean" else 1)
    return Pool(node.inputs[0], kind, count, lowering.view(value))


def _is_global(node: Node, conv: Conv, rank: int) -> bool:
    attrs, spatial = node.attrs, rank - 2
    size = (conv.oh, conv.ow)[2 - spatial :]
    if node.op.startswith("adaptive"):
        return attrs["output_size"] == (1,) * spatial
    if node.op in ("mean", "max", "sum"):
        return tuple(sorted(attrs["dims"])) == tuple(range(2, rank))
    unpadded = all(p == (0, 0) for p in attrs["padding"]) and all(d == 1 for d in attrs.get("dilation", ()))
    return unpadded and attrs["kernel"] == size and all(s == 1 for s in node.type.shape[2:])


def emit_conv(
    lowering: Lowering, problem: Problem, tiling: Tiling, product_of: str, *, weights: Mapping[str, View], params: Mapping[str, DimLike],
    scratch: DimLike = 0, shared_scratch: DimLike = 0, table: Sequence[int] = (), stem: str = "", widens: bool = False, **context: Any,
) -> None:  # fmt: skip
    """The launch of a product, ``conv_<product_of>.c.j2``, with all that source, epilogue and sink bring along.

    shared_scratch: bytes of the team's shared memory that the product needs itself; a map that is pooled lies behind them. widens: whether
    the product makes float32 of its input before it multiplies it by weights of float32.
    """
    conv, source, pool, epilogue = problem.conv, problem.source, problem.pool, problem.epilogue
    if source.kind == "memory":
        check_border(lowering, conv, source.view)
    rows, columns = tiling.size(conv.oh, conv.ow)
    sink = _sink_params(problem, shared_scratch // 4)
    if problem.sums:
        scratch = (scratch + 63) // 64 * 64
        sink |= sum_params(problem.sums, conv.k, problem.lanes, problem.vectors * conv.groups, scratch, shared_scratch)
        scratch += problem.sums.bytes(problem.lanes) * problem.vectors * conv.groups
        shared_scratch += TABLE
    if clash := sink.keys() & params.keys():
        raise SolError(f"the product {product_of} and its sink both have arguments called {', '.join(clash)}")
    writes = {**({"out": problem.out} if problem.out else {}), **({"pooled": pool.out} if pool else {})}
    writes |= problem.sums.named if problem.sums else {}
    views = [*source.views, *writes.values(), *(e.view for e in epilogue.operands)]
    merged: dict[str, DimLike] = {
        "N": conv.n, "OH": rows, "OW": columns, **params, **sink,
        **operand_params(epilogue), **({"K": conv.k} if problem.masked else {}),
    }  # fmt: skip
    reads = {**source.reads, **weights}
    if len(conv.node.inputs) == 3:
        reads["bias"] = lowering.weight(conv.node.inputs[2], "channels", block=problem.lanes)
    types = problem.types(reads["bias"].dtype if "bias" in reads else conv.dtype)
    if widens:
        types = replace(types, input=element(DType.F32), weight=element(DType.F32))
    sink_name = f"{'_and' if problem.out else ''}_{pool.kind}_pool" if pool else "_and_sums" if problem.sums else ""
    name = source.stem + stem_of(conv, tiling, epilogue, stem or product_of) + sink_name
    lowering.emit(
        f"conv_{product_of}.c.j2", f"{conv.node.op}_{'' if problem.is_float32 else f'{conv.dtype}_'}{name}",
        reads=reads | {e.name: e.view for e in epilogue.operands}, writes=writes,
        params=merged, table=table, scratch=scratch, shared_scratch=shared_scratch + problem.pooled_bytes,
        flops=conv.flops, bytes=conv.weight_bytes + sum((v.dtype.itemsize * product(v.shape) for v in views), start=0),
        tiles=tiling.tiles, along_y=tiling.along_y, epilogue=epilogue.stem, masked=problem.masked, partial=problem.partial,
        biased="bias" in reads,
        passed="".join(f", {e.name}" for e in epilogue.operands), named=len(merged), types=types,
        pool=pool.kind if pool else "", stored=problem.out is not None,
        out_pitch=problem.pitch, sums=sum_context(problem.sums) if problem.sums else (),
        **{"sx": conv.stride[1] * source.step[1], "pitch": "LANES", "operands": operand_context(epilogue)} | source.context(conv) | context,
    )  # fmt: skip


def _sink_params(problem: Problem, map_start: DimLike) -> dict[str, DimLike]:
    """Where results go: strides of the map, or where it lies in the team's shared memory; those of the pooled values."""
    conv, lanes, pool = problem.conv, problem.lanes, problem.pool
    stored = spatial_strides(problem.out.strides)[:3] if problem.out else ()
    params: dict[str, DimLike] = dict(zip(("out_n", "out_cb", "out_row"), stored)) if stored else {"map_start": map_start}
    if pool is None:
        return params
    out = pool.out
    lane, block = (1, out.strides[1]) if out.layout.block else (out.strides[1], lanes * out.strides[1])
    channels = -(-conv.k // lanes) * lanes if out.layout.block else conv.k
    count = {} if pool.kind == "max" else {"count": pool.count}
    pooled = {"pooled_n": out.strides[0], "pooled_cb": block, "pooled_lane": lane, "pooled_channels": channels, **count}
    return {**params, **pooled}


def stem_of(conv: Conv, tiling: Tiling, epilogue: Epilogue, head: str) -> str:
    """The kernel's name without what comes before it: ``direct_s2_2x14_add_relu``."""
    shapes = "_".join((f"{th}x" if th > 1 else "") + str(tw) for th, tw in tiling.tiles)
    return f"{head}_s{conv.stride[1]}_{tiling.ocb}x{shapes}" + (f"_{epilogue.stem}" if epilogue.stem else "")
