"""Linear layers with weights of 8 or 4 bits: few rows multiply integers in registers, many rows panels that are dequantized in the cache.

Products with few rows take as long as reading the weights; then a group's sum of products is scaled, not each weight. Many rows use a
weight so often that it pays to dequantize a slice of a panel first, which the tiles of other products then read.

Making a float of each weight takes one row longer than reading it. Where a target adds up products of bytes in fours, the numbers of up
to three rows become integers of several bytes instead, in units that are powers of two, one for each slice of a row, and their bytes are
multiplied by the weights as they lie. That is as exact as products of float32: integers of float32 have 30 bits below the largest number
of a slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.element import Element, element, vector_load
from sol.codegen.kernels.conv_tiling import MATRIX_ROWS
from sol.codegen.kernels.matmul_product import Product, batch_text, describe, kernel_stem, packed, run_time_arguments
from sol.codegen.kernels.matmul_rows import row_ladder, rows_per_tile
from sol.codegen.kernels.matmul_tile import MATRIX_STEP, Types, matrix_tile_of, panel_columns, tile_of, tile_signature
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import ceil_div
from sol.ir.types import DType

BYTES = 4
"""Bytes of a lane of packed codes of 4 bits."""
LINE = 16
"""Numbers of float32 in a line of the caches."""
STEPS = {8: BYTES, 4: 2 * BYTES}
"""Input channels of one row of a panel of dwords, by the bits of a code. Codes of 8 bits lie byte by byte where a
target makes floats of all."""
PART_BYTES = 4
"""Of both parts of a weight."""
SLICE_BYTES = 20
"""Of what describes a slice of a row of digits (``sol_slice`` in include/sol_digits.h)."""
DIGITS = {DType.F32: 4, DType.BF16: 3}
"""Bytes of an integer that stands for a number: all but the two highest bits hold a magnitude."""
SLICE = 256
"""Input channels at most that are added up before they are scaled, or dequantized at a time: errors grow with the length of a sum."""
WIDTH = 2
"""Vectors of a panel."""
Shape = tuple[int, int, bool]
"""Rows and vectors of a tile, and whether the last vector may lack columns."""


@dataclass(frozen=True)
class Digits:
    """Integers that stand for numbers. count: bytes of each. ladder, exact: rows of the tiles."""

    count: int
    ladder: tuple[int, ...]
    exact: bool

    def bytes_of_a_thread(self, slices: int, k: int) -> int:
        """Of all digits of the longest tile's rows and of what describes their slices."""
        return self.ladder[0] * (slices * SLICE_BYTES + self.count * (k // 64 * 64 + 128))


@dataclass(frozen=True)
class Parts:
    """Matrix tiles that multiply rows of bfloat16 by weights that are sums of two numbers of bfloat16.

    slice: steps that are dequantized at a time. ladder, exact: rows of the tiles.
    """

    slice: int
    ladder: tuple[int, ...]
    exact: bool


@dataclass(frozen=True)
class WeightOnly:
    """A product with a quantized weight.

    bits: of a code. scales, zeros: of the groups, [out, groups]. group: input channels of one. ladder, exact: rows of the tiles. few, many:
    whether rows are few enough for products of integers, or may be more. digits: what numbers of few rows become, if anything.
    parts: tiles of many rows of bfloat16, None where they become floats.
    """

    product: Product
    bits: int
    scales: View
    zeros: View | None
    group: int
    ladder: tuple[int, ...]
    exact: bool
    few: bool
    many: bool
    digits: Digits | None
    parts: Parts | None

    @property
    def nv(self) -> int:
        lanes = self.product.target.lanes
        return 1 if isinstance(self.product.n, int) and self.product.n <= lanes else WIDTH

    @property
    def steps(self) -> int:
        """Input channels of one row of a packed panel. Few rows and many read the same panels, so that programs share them."""
        target = self.product.target
        in_dwords = self.bits == 4 or (_is_whole(self.product, self.group) and (target.byte_dots or target.matrix_tiles))
        return STEPS[self.bits] if in_dwords else 1

    @property
    def slices(self) -> int:
        """How often sums of a row are scaled."""
        k = int(self.product.k)  # type: ignore[arg-type]
        whole, rest = divmod(k, self.group)
        return whole * -(-self.group // SLICE) + -(-rest // SLICE)


def find_weight_only(lowering: Lowering) -> WeightOnly | None:
    """Floats of 32 bits or narrower ones with constant codes, any number of rows, any strides."""
    anchor = lowering.anchor
    x, codes, scales, *zeros = anchor.inputs
    dtypes = {lowering.type_of(v).dtype for v in (x, lowering.output)}
    if not dtypes <= {DType.F32, DType.BF16} or not all(map(lowering.is_constant, anchor.inputs[1:])):
        raise UnsupportedError(
            f"a quantized weight in a product of {' and '.join(sorted(map(str, dtypes)))}",
            origin=str(lowering.region.origin),
            remedy="give float32 or bfloat16, and a weight that is a parameter",
        )
    p = describe(lowering)
    rows = p.loops.rows
    nv = 1 if isinstance(p.n, int) and p.n <= p.target.lanes else WIDTH
    most = rows_per_tile(p.target, nv)
    bits = 8 if p.b.dtype is DType.I8 else 4
    few = not isinstance(rows, int) or rows <= most
    points = lowering.view(zeros[0]) if zeros else None
    ladder, exact = row_ladder(rows, most)
    many = not isinstance(rows, int) or rows > most
    group = int(anchor.attrs["group"])
    digits = _digits(p, nv, group) if few else None
    parts = _parts(p, group) if many else None
    return WeightOnly(p, bits, lowering.view(scales), points, group, ladder, exact, few, many, digits, parts)


def _is_whole(p: Product, group: int) -> bool:
    """Whether groups begin with a row of a panel of dwords."""
    return group % max(STEPS.values()) == 0 or group >= int(p.k)  # type: ignore[arg-type]


def _digits(p: Product, nv: int, group: int) -> Digits | None:
    """How few rows become digits; None if they do not."""
    count, rows = DIGITS[p.a.dtype], p.loops.rows
    most = digit_rows(p.target.registers, nv * count)
    if not p.target.byte_dots or not _is_whole(p, group) or (isinstance(rows, int) and rows > most):
        return None
    return Digits(count, *row_ladder(rows, most))


def _parts(p: Product, group: int) -> Parts | None:
    """How many rows meet matrix tiles; None if they do not."""
    k = int(p.k)  # type: ignore[arg-type]
    whole = k > 0 and k % MATRIX_STEP == 0 and _is_whole(p, group)
    if not p.target.matrix_tiles or p.a.dtype is not DType.BF16 or p.a_k != 1 or not whole:
        return None
    most = max(SLICE, p.target.l2 // (4 * PART_BYTES * WIDTH * p.target.lanes) // SLICE * SLICE)
    return Parts(min(most, k), *row_ladder(p.loops.rows, 2 * MATRIX_ROWS))


def digit_rows(registers: int, sums: int) -> int:
    """Rows of a tile by digits, each of which takes so many sums: three quarters of the registers hold them."""
    return max(1, registers * 3 // 4 // sums)


def lower_weight_only(lowering: Lowering, found: WeightOnly) -> None:
    """One launch; see templates/matmul_weight_only.c.j2."""
    p, nv, ladder = found.product, found.nv, found.ladder
    lanes, width = p.target.lanes, found.nv * p.target.lanes
    full, ragged, ragged_nv = panel_columns(p, nv, lanes)

    def shapes_of(ladder: Sequence[int]) -> tuple[Shape, ...]:
        return (*((rows, nv, False) for rows in ladder if full), *((rows, ragged_nv, True) for rows in ladder if ragged))

    pack_a = p.a_k != 1 or p.a.dtype is not DType.F32
    few_signature, few_arguments = _few_signature(found, pack_a)
    signature, arguments = tile_signature(p, True, pack_a, False, False)
    kind = "gemm_panels" if found.steps == 1 else "int_panels"
    reads = {
        "A": p.a,
        "B": packed(p.b, kind, width=width, lanes=lanes, transposed=True),
        "scales": packed(found.scales, "gemm_panels", width=width, lanes=lanes, transposed=True),
    }
    if found.zeros is not None:
        reads["zeros"] = packed(found.zeros, "gemm_panels", width=width, lanes=lanes, transposed=True)
    reads |= {o.name: o.view for o in p.epilogue.operands}
    params = run_time_arguments(p, 0, False) | {"group": found.group}
    for d in range(len(p.loops.batch)):
        del params[f"B_{d}"]  # all rows meet the same weight
    costs = p.target.machine.products
    near, far = BYTES * costs.prefetch, 0
    if costs.asked_twice:
        near, far = near // 8, near // 2  # the second step begins when a line has come from memory
    tiles = tuple(tile_of(p, *shape, nv) for shape in shapes_of(ladder))
    slice_floats, part_floats = SLICE * width, costs.run * ladder[0] * width
    context: dict[str, Any] = {"digits": 0, "parts": False}
    few_bytes, many_bytes = 0, 0
    if found.few:
        few_bytes = BYTES * ladder[0] * found.slices
    if found.digits:
        context |= _digit_context(found, found.digits, shapes_of(found.digits.ladder), few_arguments)
        few_bytes += found.digits.bytes_of_a_thread(found.slices, int(p.k))  # type: ignore[arg-type]
    if found.parts:
        context |= _part_context(found, found.parts, shapes_of(found.parts.ladder))
        many_bytes = found.parts.slice * width * PART_BYTES + BYTES * context["tile_part_floats"]
    elif found.many:
        many_bytes = BYTES * (slice_floats + part_floats)
    # a few rows each thread copies itself, sooner than it would wait for another
    numbers = p.loops.batch_size * p.loops.rows * p.k
    alone = pack_a and not found.many and isinstance(numbers, int) and numbers <= ladder[0] * p.k
    own_rows = ceil_div(numbers, LINE) * LINE if alone else 0
    form = f"{found.parts.ladder[0]}x{nv}_tiles" if found.parts else f"{ladder[0]}x{nv}"
    rows_of_a = p.loops.rows if not found.parts else ladder[0] if found.few else 0
    lowering.emit(
        "matmul_weight_only.c.j2",
        kernel_stem(p, f"linear_int{found.bits}_{form}"),
        reads=reads,
        writes={"C": p.out},
        params=params,
        scratch=max(few_bytes, many_bytes) + BYTES * own_rows,
        shared_scratch=BYTES * p.loops.batch_size * rows_of_a * p.k if pack_a and not alone else 0,
        flops=p.flops,
        bytes=p.bytes + _bytes_of(found.scales) + (_bytes_of(found.zeros) if found.zeros else 0),
        bits=found.bits, steps=found.steps, slice=SLICE, few=found.few, many=found.many, mr=ladder[0], nv=nv, ladder=ladder,
        exact=found.exact, few_tiles=tuple(replace(t, name=f"few_{t.name}") for t in tiles) if found.few else (),
        tiles=tiles if found.many else (), full=full, ragged=ragged, ragged_nv=ragged_nv, pack_a=pack_a, own_rows=own_rows,
        a_k="" if p.a_k == 1 else " * A_k", **context,
        part_of="vf_of_byte_at" if found.bits == 8 else "vf_of_quarter_bytes",
        code="uint8_t" if found.steps == 1 else "int32_t", scale=element(found.scales.dtype), zero=_zero(found),
        zero_loads=_zero_loads(found), few_signature=few_signature, few_arguments=few_arguments, signature=signature,
        arguments=arguments.replace("panel + k0 * width", "unpacked"), run_limit=costs.run, slice_floats=slice_floats,
        types=Types(element(p.a.dtype), element(DType.F32), element(DType.F32), element(p.out.dtype)),
        k_block=SLICE, sliced=True, stretch=0, in_place=False, prefetch=0, near=near, far=far,
        grain=p.target.machine.team.grain, batch=len(p.loops.batch), batch_size=batch_text(p), tail_ops=p.epilogue.stem,
        tile_operands=tuple((o.name, o.lane_stride, o.pointer) for o in p.tiles),
    )  # fmt: skip


def _bytes_of(view: View) -> int:
    rows, columns = view.shape
    return int(rows) * int(columns) * view.dtype.itemsize  # type: ignore[arg-type]


def _zero(found: WeightOnly) -> Element | None:
    """How zero points lie in memory; None where there are none."""
    if found.zeros is None:
        return None
    return element(DType.F32) if found.zeros.dtype is DType.F32 else Element("int8_t", 1, "vi8", "", "", "%s", "%s")


def _zero_loads(found: WeightOnly) -> tuple[str, ...]:
    """C texts of the vectors of zero points of a group."""
    if found.zeros is None:
        return ()
    if found.zeros.dtype is DType.F32:
        return tuple(vector_load(DType.F32, f"zeros + {j} * LANES") for j in range(found.nv))
    return tuple(f"vf_of_bytes((const uint8_t *)zeros + {j} * LANES)" for j in range(found.nv))


def _few_signature(found: WeightOnly, pack_a: bool) -> tuple[str, str]:
    """Parameters of a tile of integers beyond (a0, lda, b, K), and the argument list of its calls."""
    parameters, arguments = tile_signature(found.product, False, pack_a, False, False)
    own = [f"const {element(found.scales.dtype).c} *scales"]
    given = ["scales_p"]
    zero = _zero(found)
    if zero is not None:
        own += [f"const {zero.c} *zeros", "const float *sums", "int64_t slices"]
        given += ["zeros_p", "sums + m * slices", "slices"]
    own.append("int64_t group")
    given.append("group")
    texts = arguments.split(", ")
    return "".join(f", {x}" for x in own) + parameters, ", ".join([*texts[:4], *given, *texts[4:]])


def _digit_context(found: WeightOnly, digits: Digits, shapes: Sequence[Shape], few_arguments: str) -> dict[str, Any]:
    """What tiles by digits take; the argument list of their calls follows from that of tiles of floats."""
    texts = few_arguments.split(", ")
    slices = [] if found.zeros is not None else ["slices"]
    tiles = (tile_of(found.product, *shape, found.nv) for shape in shapes)
    return {
        "digits": digits.count, "digit_ladder": digits.ladder, "digit_exact": digits.exact,
        "digit_tiles": tuple(replace(t, name=t.name.replace("tile", "by_digits")) for t in tiles),
        "digit_arguments": ", ".join(["bytes + m * DIGITS * pitch", "pitch", "parts + m * slices", *slices, *texts[2:]]),
    }  # fmt: skip


def _part_context(found: WeightOnly, parts: Parts, shapes: Sequence[Shape]) -> dict[str, Any]:
    """What matrix tiles take. Partial sums of as many rows wait in scratch as those of tiles of floats would."""
    p, run = found.product, 0
    if int(p.k) > parts.slice:  # type: ignore[arg-type]
        run = max(1, p.target.machine.products.run * rows_per_tile(p.target, found.nv) // parts.ladder[0])
    signature, arguments = tile_signature(p, True, False, False, False)
    tiles = (matrix_tile_of(p, *shape, found.nv) for shape in shapes)
    return {
        "parts": True, "tile_slice": parts.slice, "tile_ladder": parts.ladder, "tile_exact": parts.exact, "run_of_tiles": run,
        "tile_part_floats": run * parts.ladder[0] * found.nv * p.target.lanes, "tile_signature": signature,
        "tile_arguments": arguments.replace("panel + k0 * width", "high, low").replace("MR", "ROWS"),
        "matrix_tiles": tuple(replace(t, name=t.name.replace("tile", "of_parts")) for t in tiles),
    }  # fmt: skip


_CANDIDATES = (sole("weight_only", find_weight_only, lower_weight_only),)
KERNELS = {"weight_only_linear": _CANDIDATES}
