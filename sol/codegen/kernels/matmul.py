"""Matrix products (linear, matmul): packed panels, dot products for few columns, a plain kernel for other dtypes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sol.codegen.emit import vector_store
from sol.codegen.kernels.matmul_dot import fits_dot, lower_dot
from sol.codegen.kernels.matmul_product import (
    GRAIN,
    STRETCH,
    Product,
    batch_text,
    bytes_moved,
    describe,
    is_f32,
    kernel_stem,
    right_strides,
    run_time_arguments,
)
from sol.codegen.kernels.matmul_rows import broadcast_strides, row_ladder, rows_per_tile, vectors_per_panel, wide_panel
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, bounds, ceil_div
from sol.ir.types import DType

PREFETCH = 2048  # floats of a constant panel fetched ahead: it may come from memory
IN_PLACE = 32  # rows up to which reading the right operand where it lies costs less than making panels of it
SHORT = 64  # length of a reduction up to which a result takes longer to write than to compute
RUN_LIMIT = 64  # row blocks whose partial sums are kept while the reduction is sliced


@dataclass(frozen=True)
class Step:
    """What happens to one accumulator after the reduction: statements, then the store."""

    lines: tuple[str, ...]
    store: str


@dataclass(frozen=True)
class Tile:
    """A register tile: ``mr`` rows x ``nv`` vectors, ``parts`` sets of accumulators.

    tail: not all columns exist. masked: not all lanes do. first: statements before everything else. hoisted: those before the results.
    """

    name: str
    mr: int
    nv: int
    parts: int
    unroll: int
    tail: bool
    masked: bool
    first: tuple[str, ...]
    hoisted: tuple[str, ...]
    finish: tuple[Step, ...]


def _is_read_in_place(p: Product) -> bool:
    """A right operand whose rows lie as a panel's do, or that is read too seldom for panels to pay."""
    if p.constant or right_strides(p)[1] != 1:
        return False
    few = isinstance(p.loops.rows, int) and p.loops.rows <= IN_PLACE
    narrow = isinstance(p.n, int) and p.n <= 2 * p.lowering.target.lanes and right_strides(p)[0] == p.n
    return few or narrow


def _is_bound_by_results(p: Product, width: int) -> bool:
    """A reduction so short that writing the result takes longest: whole rows of it are then written one after the other."""
    many = not isinstance(p.loops.rows, int) or p.loops.rows >= 4 * IN_PLACE
    short = isinstance(p.k, int) and isinstance(p.n, int) and p.k <= SHORT and width < p.n <= p.lowering.target.l2 // (8 * max(p.k, 1))
    return many and short


def lower_gemm(lowering: Lowering) -> None:
    """Panels, packed or in place: linear and matmul in f32 with any strides, any number of rows."""
    p = describe(lowering)
    target, lanes, epilogue = lowering.target, lowering.target.lanes, p.epilogue
    few_rows = isinstance(p.loops.rows, int) and p.loops.rows <= 4 and p.constant
    in_place = _is_read_in_place(p)
    nv = vectors_per_panel(p.n, lanes)
    nv = min(nv, 2) if few_rows else wide_panel(p.n, p.loops.rows, lanes, target.registers) if in_place else nv
    width = nv * lanes
    mr = rows_per_tile(target, nv)
    ladder, exact = row_ladder(p.loops.rows, mr)
    full, tail, tail_nv = panel_columns(p, nv, lanes)
    k_limit = max(256, int(0.6 * target.l2) // (4 * width) // 64 * 64)
    k_block = k_limit if bounds(p.k)[1] > k_limit * 3 // 2 and not few_rows and not in_place else 0
    pack_a, pack_b = p.a_k != 1, not p.constant and not in_place
    tile_operands = tuple(o for o in epilogue.operands if o.kind == "tile")
    shapes = [(rows, nv, False) for rows in ladder if full] + [(rows, tail_nv, True) for rows in ladder if tail]
    constant_bias = bool(p.bias) and p.constant and lowering.is_constant(p.bias)
    tiles = tuple(tile_of(p, r, v, t, constant_bias, nv) for r, v, t in shapes)
    parameters, arguments = tile_signature(p, bool(k_block), pack_a, constant_bias, in_place)
    reads: dict[str, View] = {"A": lowering.view(p.a)}
    packed_size: DimLike = 0
    if p.constant:
        reads["B"] = lowering.weight(p.b, "gemm_panels", width=width, lanes=lanes, transposed=p.transposed)
        packed_size = p.k * ((p.n + lanes - 1) // lanes * lanes)
    else:
        reads["B"] = lowering.view(p.b)
    if p.bias:
        reads["bias"] = lowering.weight(p.bias, "channels", block=lanes) if constant_bias else lowering.view(p.bias)
    reads |= {o.name: o.view for o in epilogue.operands}
    rows_outside = not in_place and _is_bound_by_results(p, width)
    params = run_time_arguments(p, packed_size, constant_bias)
    if in_place:
        del params["B_n"]
    part_floats = RUN_LIMIT * mr * width if k_block else 0
    batch = p.loops.batch
    lowering.emit(
        "matmul_gemm.c.j2",
        kernel_stem(p, f"{lowering.anchor.op}_{ladder[0]}x{nv}{'_in_place' if in_place else ''}"),
        reads=reads,
        writes={"C": lowering.view(p.out)},
        params=params,
        scratch=4 * (part_floats + (p.k * width * (ceil_div(p.n, width) if rows_outside else 1) if pack_b else 0)),
        common=4 * p.loops.batch_size * p.loops.rows * p.k if pack_a else 0,
        flops=2 * p.loops.batch_size * p.loops.rows * p.n * p.k,
        bytes=bytes_moved(p),
        mr=ladder[0], nv=nv, ladder=ladder, exact=exact, tiles=tiles, full=full, tail=tail, tail_nv=tail_nv,
        k_block=k_block, part_floats=part_floats, run_limit=RUN_LIMIT, pack_a=pack_a, pack_b=pack_b, in_place=in_place,
        rows_outside=rows_outside, stretch=STRETCH if bounds(p.k)[1] > 2 * STRETCH else 0,
        grain=GRAIN, batch=len(batch), batch_size=batch_text(p), bias=bool(p.bias), tail_ops=epilogue.stem,
        prefetch=PREFETCH if p.constant else 0, signature=parameters, arguments=arguments,
        tile_operands=tuple((o.name, o.lane_stride) for o in tile_operands),
    )  # fmt: skip


def panel_columns(p: Product, nv: int, lanes: int) -> tuple[bool, bool, int]:
    """Are there full panels, is there a narrower one, and how many vectors has that."""
    width = nv * lanes
    if not isinstance(p.n, int):
        return True, True, nv
    rest = p.n % width
    tail_nv = -(-rest // lanes) if p.constant else nv
    return p.n >= width, rest > 0, tail_nv if rest else nv


def tile_of(p: Product, rows: int, nv: int, tail: bool, constant_bias: bool, panel_nv: int) -> Tile:
    parts = 1
    while rows * panel_nv * parts < 8:  # the same for narrow panels: equal columns get equal sums wherever they lie
        parts *= 2
    masked = tail and not (isinstance(p.n, int) and p.n % p.lowering.target.lanes == 0 and p.constant)
    counts = masked or (p.bias and not constant_bias) or p.c_n != 1
    lanes_of = [f"const int n{j} = sol_lanes(count, {j});" for j in range(nv)] if counts else []
    hoisted = []
    if tail and not lanes_of:
        lanes_of = ["(void)count;"]
    for j in range(nv):
        if p.bias and constant_bias:
            hoisted.append(f"const vf bias{j} = vf_load(bias + {j} * LANES);")
        elif p.bias:
            hoisted.append(f"const vf bias{j} = sol_load_strided(bias + {j} * LANES * bias_n, bias_n, n{j});")
        for o in p.epilogue.operands:
            if o.kind == "tile":
                continue
            address = f"{o.name} + {j} * LANES" if o.lane_stride else o.name
            whole = not masked or (p.constant and o.kind == "channel" and p.lowering.is_constant(o.value))
            hoisted.append(f"const {o.vector} {o.name}_{j} = {o.load(address) if whole else o.load_n(address, f'n{j}')};")
    finish = tuple(_finish(p, i, j, masked) for i in range(rows) for j in range(nv))
    name = f"tile_{rows}_tail" if tail else f"tile_{rows}"
    return Tile(name, rows, nv, parts, max(4, parts), tail, masked, tuple(lanes_of), tuple(hoisted), finish)


def _finish(p: Product, i: int, j: int, masked: bool) -> Step:
    lines: list[str] = []
    value = f"c{i}_{j}"
    if p.bias:
        value = f"y{i}_{j}"
        lines.append(f"const vf {value} = c{i}_{j} + bias{j};")

    def load(o: Any) -> str:
        if o.kind != "tile":
            return f"{o.name}_{j}"
        address = f"{o.name} + {i} * {o.name}_m" + (f" + {j} * LANES" if o.lane_stride else "")
        return o.load_n(address, f"n{j}") if masked else o.load(address)

    steps, result = p.epilogue.trace(value, load, f"t{i}_{j}_")
    dtype = p.lowering.type_of(p.out).dtype
    if p.c_n != 1:
        lane = f"{dtype.c} lane[LANES]; {vector_store(dtype, 'lane', result)}"
        return Step((*lines, *steps), f"{lane} for (int l = 0; l < n{j}; l++) c[{i} * ldc + ({j} * LANES + l) * C_n] = lane[l];")
    return Step((*lines, *steps), vector_store(dtype, f"c + {i} * ldc + {j} * LANES", result, count=f"n{j}" if masked else ""))


def tile_signature(p: Product, k_block: bool, pack_a: bool, constant_bias: bool, in_place: bool) -> tuple[str, str]:
    """Parameters of a tile function beyond (a0, lda, b, K), and the argument list of its calls."""
    lda = "K" if pack_a else "lda"
    parameters: list[str] = []
    arguments = [
        f"a_q + m * {lda}" + (" + k0" if k_block else ""),
        lda,
        "panel" + (" + k0 * width" if k_block else ""),
        "kc" if k_block else "K",
    ]
    if in_place:
        parameters.append("int64_t ldb")
        arguments.append("B_k")
    if k_block:
        parameters += ["float *part", "int64_t k0", "int last"]
        arguments += ["partial + (m - r * MR) * WIDTH", "k0", "last"]
    if p.bias:
        parameters += ["const float *bias"] + ([] if constant_bias else ["int64_t bias_n"])
        arguments += ["bias + p * WIDTH" + ("" if constant_bias else " * bias_n")] + ([] if constant_bias else ["bias_n"])
    for o in p.epilogue.operands:
        parameters.append(f"{o.pointer}{o.name}")
        if o.kind == "tile":
            parameters.append(f"int64_t {o.name}_m")
            arguments += [f"{o.name}_q + m * {o.name}_m", f"{o.name}_m"]
        else:
            arguments.append(f"{o.name} + p * WIDTH" if o.lane_stride else o.name)
    parameters += [f"{p.lowering.type_of(p.out).dtype.c} *c", "int64_t ldc", "int64_t count"]
    arguments += ["c_q + m * ldc", "ldc", "count"]
    if p.c_n != 1:
        parameters.append("int64_t C_n")
        arguments.append("C_n")
    return "".join(f", {x}" for x in parameters), ", ".join(arguments)


_COMPUTED: Mapping[DType, tuple[str, str]] = {
    DType.F64: ("double", "double"), DType.F32: ("float", "float"), DType.F16: ("_Float16", "float"),
    DType.BF16: ("uint16_t", "float"),
    DType.I64: ("int64_t", "int64_t"), DType.I32: ("int32_t", "int32_t"), DType.I16: ("int16_t", "int16_t"),
    DType.I8: ("int8_t", "int8_t"), DType.U8: ("uint8_t", "uint8_t"), DType.U16: ("uint16_t", "uint16_t"),
    DType.U32: ("uint32_t", "uint32_t"), DType.U64: ("uint64_t", "uint64_t"),
}  # fmt: skip


def lower_plain(lowering: Lowering) -> None:
    """Any dtype and any strides, one result at a time in the C type (half precision in float). Nothing may be fused."""
    anchor = lowering.anchor
    if lowering.output != anchor.name:
        raise UnsupportedError(
            f"{anchor.op} of {anchor.type} with fused pointwise ops", origin=str(lowering.region.origin),
            remedy="keep the pointwise ops in a region of their own",
        )  # fmt: skip
    dtype = anchor.type.dtype
    if dtype not in _COMPUTED:
        raise UnsupportedError(
            f"{anchor.op} of {dtype}",
            origin=str(lowering.region.origin),
            remedy="cast the operands to int32 or float32",
        )
    va, vb, vc = (lowering.view(v) for v in (*anchor.inputs[:2], anchor.name))
    rank = anchor.type.rank
    lead = max(rank - (1 if anchor.op == "linear" else 2), 0)
    shape = anchor.type.shape[:lead]
    rows: DimLike = 1 if anchor.op == "linear" else anchor.type.shape[-2]
    params: dict[str, DimLike] = {
        "M": rows,
        "N": anchor.type.shape[-1],
        "K": va.shape[-1],
        "A_k": va.strides[-1],
        "C_n": vc.strides[-1],
    }
    linear = anchor.op == "linear"
    params["A_m"], params["C_m"] = (0, 0) if linear else (va.strides[-2], vc.strides[-2])
    params["B_k"], params["B_n"] = (vb.strides[1], vb.strides[0]) if linear else (vb.strides[-2], vb.strides[-1])
    reads = {"A": va, "B": vb}
    if len(anchor.inputs) > 2:
        reads["bias"] = lowering.view(anchor.inputs[2])
        params["bias_n"] = reads["bias"].strides[0]
    batches = {
        "A": broadcast_strides(va.shape[:lead] if linear else va.shape[:-2], va.strides, lead),
        "C": vc.strides[:lead],
    }
    batches["B"] = (0,) * lead if linear else broadcast_strides(vb.shape[:-2], vb.strides, lead)
    for d, size in enumerate(shape):
        params[f"B{d}"] = size
        params |= {f"{o}_{d}": batches[o][d] for o in "ABC"}
    stored, computed = _COMPUTED[dtype]
    lowering.emit(
        "matmul_plain.c.j2", f"{anchor.op}_{dtype}", reads=reads, writes={"C": vc}, params=params,
        flops=2 * anchor.type.size * va.shape[-1], stored=stored, computed=computed, dtype=str(dtype), batch=lead,
        batch_size=" * ".join(f"B{d}" for d in range(lead)) or "1", bias=len(anchor.inputs) > 2, grain=GRAIN // 8,
    )  # fmt: skip


_CANDIDATES = (
    Candidate("dot", fits_dot, lower_dot),
    Candidate("gemm", is_f32, lower_gemm),
    Candidate("plain", lambda lowering: True, lower_plain),
)
KERNELS = {"linear": _CANDIDATES, "matmul": _CANDIDATES}
