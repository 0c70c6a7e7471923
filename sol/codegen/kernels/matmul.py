"""Matrix products (linear, matmul): packed panels, dot products for few columns, a plain kernel for other dtypes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sol.codegen.decision import sole
from sol.codegen.element import element
from sol.codegen.kernels import matmul_as_conv, matmul_blocks, matmul_chunks, matmul_narrow, matmul_pairs, matmul_split, matmul_strips
from sol.codegen.kernels.conv_tiling import MATRIX_ROWS
from sol.codegen.kernels.matmul_cost import fixed, one_by_one_seconds, product_seconds, tile_cycles
from sol.codegen.kernels.matmul_dot import dot_seconds, find_columns, find_dot, lower_dot
from sol.codegen.kernels.matmul_product import (
    STRETCH,
    Product,
    batch_text,
    kernel_stem,
    packed,
    product_in_float32,
    right_strides,
    run_time_arguments,
)
from sol.codegen.kernels.matmul_rows import broadcast_strides, panel_vectors, row_counts, row_ladder, rows_per_tile, wide_panel
from sol.codegen.kernels.matmul_tile import MATRIX_STEP, Types, matrix_tile_of, panel_columns, reach, tile_of, tile_signature
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, bounds, ceil_div
from sol.ir.graph import Node
from sol.ir.types import DType

PAGE, LINE = 4096, 16
"""Bytes after which places in a first-level cache come again; floats of a cache line, by which copied rows are longer."""
FEWEST_ROWS, FEWEST_COLUMNS = 32, 256
"""Of a product for which rows are copied that lie whole pages apart."""


@dataclass(frozen=True)
class Panels:
    """A product over panels of its right operand.

    nv, mr: vectors and rows of a tile. ladder, exact: rows of the tiles. full, ragged, ragged_nv: panel_columns. k_block: steps after which
    the reduction is sliced, 0 if it is not. in_place: whether panels are read where the operand lies. rows_outside: whether a thread goes
    through the rows once and through the panels for each of them. matrix: whether matrix tiles multiply. pairs: whether pairs of bfloat16
    are multiplied at once.
    """

    product: Product
    nv: int
    mr: int
    ladder: tuple[int, ...]
    exact: bool
    full: bool
    ragged: bool
    ragged_nv: int
    k_block: int
    in_place: bool
    rows_outside: bool
    matrix: bool = False
    pairs: bool = False

    @property
    def width(self) -> int:
        return self.nv * self.product.target.lanes

    @property
    def moves_rows(self) -> bool:
        """Whether rows of the left operand are copied first, because they lie whole pages apart: then those of a tile, and of all tiles,
        share a few places in the caches. Where there are so many that this matters, and so many panels that copying does not."""
        p, step = self.product, self.product.loops.row_strides["A"]
        if p.a_k != 1 or p.a.dtype is not DType.F32 or p.loops.batch or self.in_place or self.rows_outside or self.matrix or self.pairs:
            return False
        sizes = step, p.loops.rows, p.n
        if not all(isinstance(size, int) for size in sizes):
            return False
        apart, rows, columns = (int(size) for size in sizes)  # type: ignore[arg-type]
        return apart > 0 and 4 * apart % PAGE == 0 and rows >= FEWEST_ROWS and columns >= FEWEST_COLUMNS

    @property
    def shapes(self) -> list[tuple[int, int, bool]]:
        """Rows and vectors of every tile, and whether columns are missing."""
        return [(rows, self.nv, False) for rows in self.ladder if self.full] + [
            (rows, self.ragged_nv, True) for rows in self.ladder if self.ragged
        ]


def _is_read_in_place(p: Product) -> bool:
    """A right operand whose rows lie as a panel's do, or that is read too seldom for panels to pay."""
    if p.constant or right_strides(p)[1] != 1:
        return False
    few = isinstance(p.loops.rows, int) and p.loops.rows <= p.target.machine.products.in_place
    narrow = isinstance(p.n, int) and p.n <= 2 * p.target.lanes and right_strides(p)[0] == p.n
    return few or narrow


def _is_bound_by_results(p: Product, width: int) -> bool:
    """A reduction so short that writing the result takes longest: whole rows of it are then written one after the other."""
    costs, l2 = p.target.machine.products, p.target.l2
    many = not isinstance(p.loops.rows, int) or p.loops.rows >= 4 * costs.in_place
    short = isinstance(p.k, int) and isinstance(p.n, int) and p.k <= costs.short and width < p.n <= l2 // (8 * max(p.k, 1))
    return many and short


def find_panels(lowering: Lowering) -> Panels | None:
    """Linear and matmul that add up in f32, with any strides, any number of rows."""
    p = product_in_float32(lowering)
    if p is None:
        return None
    target, lanes = p.target, p.target.lanes
    if multiplies_matrices(p):
        nv = 1 if isinstance(p.n, int) and p.n <= lanes else 2
        ladder, exact = row_ladder(p.loops.rows, 2 * MATRIX_ROWS)
        return Panels(p, nv, ladder[0], ladder, exact, *panel_columns(p, nv, lanes), 0, False, False, matrix=True)
    few_rows = isinstance(p.loops.rows, int) and p.loops.rows <= 4 and p.constant
    in_place = _is_read_in_place(p)
    nv = panel_vectors(p.n, p.loops.rows, target)
    nv = min(nv, 2) if few_rows else wide_panel(p.n, p.loops.rows, target) if in_place else nv
    width, mr = nv * lanes, rows_per_tile(target, nv)
    k_limit = max(256, int(target.machine.products.slice * target.l2) // (4 * width) // 64 * 64)
    k_block = k_limit if bounds(p.k)[1] > k_limit * 3 // 2 and not few_rows and not in_place else 0
    rows_outside = not in_place and _is_bound_by_results(p, width)
    ladder, exact = row_ladder(p.loops.rows, mr)
    panels = Panels(p, nv, mr, ladder, exact, *panel_columns(p, nv, lanes), k_block, in_place, rows_outside)
    return replace(panels, rows_outside=False, pairs=True) if multiplies_pairs(p) else panels


def multiplies_matrices(p: Product) -> bool:
    """Whether matrix tiles compute a product: of bfloat16 with a weight ``[N, K]``, whole steps of them along the reduction."""
    return p.target.matrix_tiles and _has_narrow_weight(p, MATRIX_STEP)


def multiplies_pairs(p: Product) -> bool:
    """Whether pairs of bfloat16 are multiplied and added up at once: the same products, with any number of steps."""
    return p.target.multiplies_pairs and _has_narrow_weight(p, 1)


PAIR = 2
"""Neighbouring numbers along the reduction."""


def _has_narrow_weight(p: Product, step: int) -> bool:
    whole = isinstance(p.k, int) and p.k > 0 and p.k % step == 0 and p.a_k == 1
    return whole and p.a.dtype is DType.BF16 is p.b.dtype and p.constant and p.transposed and len(p.b.shape) == 2


def lower_gemm(lowering: Lowering, panels: Panels) -> None:
    """Panels, packed or in place; see templates/matmul_gemm.c.j2."""
    p, width, k_block, in_place = panels.product, panels.width, panels.k_block, panels.in_place
    lanes, ladder = p.target.lanes, panels.ladder
    pack_a, pack_b, beside = p.a_k != 1 or panels.moves_rows, not p.constant and not in_place, LINE if panels.moves_rows else 0
    pitch = f"(K + {beside})" if beside else "K"
    parameters, arguments = tile_signature(p, bool(k_block), pack_a, p.constant_bias, in_place, pitch)
    reads: dict[str, View] = {"A": p.a, "B": p.b}
    packed_size: DimLike = 0
    if p.constant:
        if panels.matrix or panels.pairs:
            reads["B"] = packed(p.b, "gemm_pairs", width=width, lanes=lanes)
        else:
            reads["B"] = packed(p.b, "gemm_panels", width=width, lanes=lanes, transposed=p.transposed)
        packed_size = (p.k if not panels.pairs else ceil_div(p.k, PAIR) * PAIR) * ((p.n + lanes - 1) // lanes * lanes)
    if p.bias:
        reads["bias"] = packed(p.bias, "channels", block=lanes) if p.constant_bias else p.bias
    reads |= {o.name: o.view for o in p.epilogue.operands}
    params = run_time_arguments(p, packed_size, p.constant_bias)
    if in_place:
        del params["B_n"]
    costs = p.target.machine.products
    tiles = tuple((matrix_tile_of if panels.matrix else tile_of)(p, *s, panels.nv) for s in panels.shapes)
    part_floats = costs.run * panels.mr * width if k_block else 0
    lowering.emit(
        "matmul_gemm.c.j2",
        kernel_stem(p, f"{p.op}_{ladder[0]}x{panels.nv}{_form(panels)}"),
        reads=reads,
        writes={"C": p.out},
        params=params,
        scratch=4 * (part_floats + (p.k * width * (ceil_div(p.n, width) if panels.rows_outside else 1) if pack_b else 0)),
        shared_scratch=4 * p.loops.batch_size * p.loops.rows * (p.k + beside) if pack_a else 0,
        flops=p.flops,
        bytes=p.bytes,
        mr=ladder[0], nv=panels.nv, ladder=ladder, exact=panels.exact, matrix=panels.matrix, pairs=panels.pairs,
        tiles=tiles, asks_ahead=panels.matrix or panels.pairs and not k_block,
        step=MATRIX_STEP if panels.matrix else PAIR * tiles[0].unroll,
        full=panels.full, ragged=panels.ragged, ragged_nv=panels.ragged_nv,
        k_block=k_block, part_floats=part_floats, run_limit=costs.run, pack_a=pack_a, pitch=pitch,
        a_k="1" if p.a_k == 1 else "A_k", pack_b=pack_b, in_place=in_place,
        rows_outside=panels.rows_outside, stretch=STRETCH if bounds(p.k)[1] > 2 * STRETCH and not panels.matrix and not panels.pairs else 0,
        grain=p.target.machine.team.grain, batch=len(p.loops.batch), batch_size=batch_text(p), bias=bool(p.bias), tail_ops=p.epilogue.stem,
        prefetch=costs.prefetch if p.constant else 0, signature=parameters, arguments=arguments,
        tile_operands=tuple((o.name, o.lane_stride, o.pointer) for o in p.tiles), types=_types(p, pack_a),
        reach=reach(p.target, panels.pairs),
    )  # fmt: skip


def _form(panels: Panels) -> str:
    """What a kernel's name says of how it multiplies."""
    return "_tiles" if panels.matrix else "_pairs" if panels.pairs else "_in_place" if panels.in_place else ""


def panels_seconds(panels: Panels, target: TargetLike) -> float | None:
    """Tiles of rows and panels, columns beyond N included, and laying out operands that are no panels yet."""
    p = panels.product
    sizes = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
    if sizes is None:
        return None
    batch, rows, n, k = sizes
    whole, rest = divmod(n, panels.width)
    if panels.matrix:
        dots = sum(count * -(-size // MATRIX_ROWS) for size, count in row_counts(panels.ladder, rows)) * -(-n // target.lanes)
        return product_seconds(p, batch * dots * MATRIX_ROWS * k / MATRIX_STEP, batch * rows * n * k)
    steps = 0.0
    for size, count in row_counts(panels.ladder, rows):
        steps += count * (whole * _step_cycles(panels, size, panels.nv) + (rest > 0) * _step_cycles(panels, size, panels.ragged_nv))
    packed_b = 0
    if not (p.constant or panels.in_place):
        shuffles = target.lanes.bit_length() - 1 if right_strides(p)[1] != 1 else 0  # of a vector whose numbers lie apart
        packed_b = k * -(-n // panels.width) * panels.nv * (1 + shuffles)
    packed_a = 0 if p.a_k == 1 else rows * k  # number by number
    moved = 2 * batch * (packed_b + packed_a) / target.machine.core.loads
    return product_seconds(p, batch * steps * k + moved, batch * rows * n * k)


def _step_cycles(panels: Panels, rows: int, vectors: int) -> float:
    """Cycles of one step of the reduction in a register tile, half those of two where pairs are multiplied."""
    target = panels.product.target
    if not panels.pairs:
        return tile_cycles(target, rows, vectors)
    core = target.machine.core
    return max(rows * vectors / target.machine.products.dots, vectors / core.loads + rows / core.broadcasts) / PAIR


def _types(p: Product, pack_a: bool) -> Types:
    source = element(p.a.dtype)
    return Types(source, element(DType.F32) if pack_a else source, element(p.b.dtype), element(p.out.dtype))


_COMPUTED: Mapping[DType, tuple[str, str]] = {
    DType.F64: ("double", "double"), DType.F32: ("float", "float"), DType.F16: ("_Float16", "float"),
    DType.BF16: ("uint16_t", "float"),
    DType.I64: ("int64_t", "int64_t"), DType.I32: ("int32_t", "int32_t"), DType.I16: ("int16_t", "int16_t"),
    DType.I8: ("int8_t", "int8_t"), DType.U8: ("uint8_t", "uint8_t"), DType.U16: ("uint16_t", "uint16_t"),
    DType.U32: ("uint32_t", "uint32_t"), DType.U64: ("uint64_t", "uint64_t"),
}  # fmt: skip


@dataclass(frozen=True)
class Plain:
    """A product for the kernel that takes any strides. a, b, bias, out: where they lie. anchor: the op with its type."""

    anchor: Node
    a: View
    b: View
    bias: View | None
    out: View


def find_plain(lowering: Lowering) -> Plain | None:
    """Any dtype and any strides; nothing may be fused."""
    anchor = lowering.anchor
    if lowering.output != anchor.name:
        return None
    if anchor.type.dtype not in _COMPUTED:
        raise UnsupportedError(
            f"{anchor.op} of {anchor.type.dtype}",
            origin=str(lowering.region.origin),
            remedy="cast the operands to int32 or float32",
        )
    bias = lowering.view(anchor.inputs[2]) if len(anchor.inputs) > 2 else None
    return Plain(anchor, lowering.view(anchor.inputs[0]), lowering.view(anchor.inputs[1]), bias, lowering.view(anchor.name))


def plain_seconds(found: Plain, target: TargetLike) -> float | None:
    return one_by_one_seconds(found.anchor.type.size * found.a.shape[-1], target)


def lower_plain(lowering: Lowering, found: Plain) -> None:
    """One result at a time in the C type (half precision in float); see templates/matmul_plain.c.j2."""
    anchor, va, vb, vc = found.anchor, found.a, found.b, found.out
    dtype, rank, linear = anchor.type.dtype, anchor.type.rank, anchor.op == "linear"
    lead = max(rank - (1 if linear else 2), 0)
    params: dict[str, DimLike] = {
        "M": 1 if linear else anchor.type.shape[-2],
        "N": anchor.type.shape[-1],
        "K": va.shape[-1],
        "A_k": va.strides[-1],
        "C_n": vc.strides[-1],
    }
    params["A_m"], params["C_m"] = (0, 0) if linear else (va.strides[-2], vc.strides[-2])
    params["B_k"], params["B_n"] = (vb.strides[1], vb.strides[0]) if linear else (vb.strides[-2], vb.strides[-1])
    reads = {"A": va, "B": vb}
    if found.bias:
        reads["bias"] = found.bias
        params["bias_n"] = found.bias.strides[0]
    batches = {
        "A": broadcast_strides(va.shape[:lead] if linear else va.shape[:-2], va.strides, lead),
        "C": vc.strides[:lead],
    }
    batches["B"] = (0,) * lead if linear else broadcast_strides(vb.shape[:-2], vb.strides, lead)
    for d, size in enumerate(anchor.type.shape[:lead]):
        params[f"B{d}"] = size
        params |= {f"{o}_{d}": batches[o][d] for o in "ABC"}
    stored, computed = _COMPUTED[dtype]
    lowering.emit(
        "matmul_plain.c.j2", f"{anchor.op}_{dtype}", reads=reads, writes={"C": vc}, params=params,
        flops=2 * anchor.type.size * va.shape[-1], stored=stored, computed=computed, dtype=str(dtype), batch=lead,
        batch_size=" * ".join(f"B{d}" for d in range(lead)) or "1", bias=bool(found.bias),
        grain=lowering.target.machine.team.grain // 8,
    )  # fmt: skip


_FEW_ROWS = sole("columns", find_columns, lower_dot, cost=dot_seconds), matmul_strips.CANDIDATE
"""What reads a large right operand where it lies, once."""
_CANDIDATES = (
    matmul_pairs.CANDIDATE,
    matmul_chunks.CANDIDATE,
    matmul_blocks.CANDIDATE,
    sole("dot", find_dot, lower_dot, cost=dot_seconds),
    sole("gemm", find_panels, lower_gemm, cost=panels_seconds),
    sole("plain", find_plain, lower_plain, cost=plain_seconds, ranked=False),
)
KERNELS = {
    "linear": (*_FEW_ROWS, matmul_split.CANDIDATE, *matmul_as_conv.CANDIDATES, *_CANDIDATES),
    "matmul": (matmul_narrow.CANDIDATE, *_FEW_ROWS, matmul_split.CANDIDATE, *_CANDIDATES),
}
