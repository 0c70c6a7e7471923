"""Matrix products (linear, matmul): packed panels, dot products for few columns, a plain kernel for other dtypes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sol.codegen.emit import vector_store
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.matmul_rows import (
    RowLoops,
    broadcast_strides,
    collapse_rows,
    row_ladder,
    rows_per_tile,
    vectors_per_panel,
)
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.packing import STAGE, packer, staged
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, bounds
from sol.ir.lanes import LANE_DTYPES
from sol.ir.types import DType

GRAIN = 32768  # multiply-adds worth waking one more thread
PREFETCH = 2048  # floats of a constant panel fetched ahead: it may come from memory
RUN_LIMIT = 64  # row blocks whose partial sums are kept while the reduction is sliced


def _packed_shape(shape: tuple[int, ...], *, width: int, lanes: int, transposed: bool) -> tuple[int, ...]:
    depth, columns = shape[:-3:-1] if transposed else shape[-2:]
    return math.prod(shape[:-2]), depth * (columns // width * width + -(-(columns % width) // lanes) * lanes)


@packer("gemm_panels", shape=_packed_shape)
def pack_gemm_panels(
    array: np.ndarray, *, width: int, lanes: int, transposed: bool, out: np.ndarray | None = None
) -> np.ndarray:
    """``B[..., K, N]`` (transposed: ``[N, K]``) as panels ``[batch][panel][K][width]``.

    The last panel is only as wide as its columns, rounded up to ``lanes``; columns beyond N are zero.
    """
    b = array.swapaxes(-1, -2) if transposed else array
    b = b.reshape(-1, *b.shape[-2:])
    batch, depth, columns = b.shape
    full = columns // width
    rest = columns - full * width
    tail = -(-rest // lanes) * lanes
    if out is None:
        out = np.zeros(_packed_shape(array.shape, width=width, lanes=lanes, transposed=transposed), b.dtype)
    head = depth * full * width
    panels = out[:, :head].reshape(batch, full, depth, width)
    for panel in range(full):
        columns = b[:, :, panel * width : (panel + 1) * width]
        if not transposed:
            panels[:, panel] = columns
            continue
        for matrix, target in zip(columns, panels[:, panel]):
            for row, held in staged(matrix.T, STAGE):
                target[row : row + held.shape[1]] = held.T
    if rest:
        out[:, head:].reshape(batch, depth, tail)[:, :, :rest] = b[:, :, full * width :]
    return out


@packer("gemm_rows")
def pack_gemm_rows(array: np.ndarray, *, transposed: bool) -> np.ndarray:
    """``B[K, N]`` (transposed: ``[N, K]``) as ``[N][K]``."""
    return array if transposed else array.T


@dataclass(frozen=True)
class Step:
    """What happens to one accumulator after the reduction: statements, then the store."""

    lines: tuple[str, ...]
    store: str


@dataclass(frozen=True)
class Tile:
    """A register tile: ``mr`` rows x ``nv`` vectors, ``parts`` sets of accumulators; ``tail``: not all columns exist."""

    name: str
    mr: int
    nv: int
    parts: int
    unroll: int
    tail: bool
    hoisted: tuple[str, ...]
    finish: tuple[Step, ...]


@dataclass(frozen=True)
class Product:
    """One matrix product as loops: what all variants need to know.

    a, b, bias, out: body values. n, k: columns of the result and length of the reduction. transposed: b is ``[N, K]``.
    a_k, c_n: strides along the columns of a and of the result, 1 where there is one column.
    """

    lowering: Lowering
    a: str
    b: str
    bias: str
    out: str
    n: DimLike
    k: DimLike
    transposed: bool
    epilogue: Epilogue
    loops: RowLoops
    a_k: DimLike
    c_n: DimLike

    @property
    def constant(self) -> bool:
        return self.lowering.is_constant(self.b)


def describe(lowering: Lowering) -> Product:
    """Read the region: operands, epilogue, and the loops over its rows."""
    anchor = lowering.anchor
    a, b = anchor.inputs[:2]
    bias = anchor.inputs[2] if len(anchor.inputs) > 2 else ""
    out = lowering.output
    shape = lowering.type_of(out).shape
    rank = len(shape)
    dtypes = LANE_DTYPES if anchor.op.startswith("int_") else (DType.F32,)
    epilogue = make_epilogue(lowering, anchor.name, channel_axis=rank - 1, dtypes=dtypes)
    va, vc = lowering.view(a), lowering.view(out)
    strides: dict[str, tuple[DimLike, ...]] = {"A": broadcast_strides(va.shape[:-1], va.strides[:-1], rank - 1)}
    strides["B"] = (0,) * (rank - 1)
    if anchor.op in ("matmul", "int_matmul"):
        b_type = lowering.type_of(b)
        view = None if lowering.is_constant(b) else lowering.view(b)
        b_strides = view.strides if view else _packed_batch_strides(b_type.shape)
        strides["B"] = (*broadcast_strides(b_type.shape[:-2], b_strides[:-2], rank - 2), 0)
    strides["C"] = tuple(vc.strides[:-1])
    for operand in epilogue.operands:
        if operand.kind == "tile":
            strides[operand.name] = tuple(operand.strides[:-1])
    k = lowering.type_of(a).shape[-1]
    c_n = 1 if shape[-1] == 1 else vc.strides[-1]
    a_k = 1 if k == 1 else va.strides[-1]
    return Product(
        lowering, a, b, bias, out, shape[-1], k, anchor.op in ("linear", "int_linear"), epilogue,
        collapse_rows(shape[:-1], strides, "B"), a_k, c_n,
    )  # fmt: skip


def _packed_batch_strides(shape: tuple[DimLike, ...]) -> tuple[DimLike, ...]:
    """Batch strides of a constant right operand, counted in matrices: the packed size of one is known later."""
    strides: list[DimLike] = [0, 0]
    step: DimLike = 1
    for size in reversed(shape[:-2]):
        strides.insert(0, step)
        step = step * size
    return tuple(strides)


def is_f32(lowering: Lowering) -> bool:
    anchor = lowering.anchor
    values = [*anchor.inputs, lowering.output]
    view = lowering.view(lowering.output)
    unit = lowering.type_of(lowering.output).shape[-1] == 1 or view.strides[-1] == 1
    return unit and all(lowering.type_of(v).dtype is DType.F32 for v in values)


def few_columns(lowering: Lowering) -> bool:
    """Dot products win where a panel would be mostly padding, or where packing it would cost more than using it."""
    if not is_f32(lowering):
        return False
    product = describe(lowering)
    rows = product.loops.rows if isinstance(product.loops.rows, int) else 8
    if product.a_k != 1:
        return False
    if not product.constant:
        return rows <= 2 and right_strides(product)[0] == 1
    if not isinstance(product.n, int) or lowering.type_of(product.b).rank != 2:
        return False
    lanes = lowering.target.lanes
    return product.n * 2 <= lanes or (rows <= 4 and product.n < lanes)


def lower_gemm(lowering: Lowering) -> None:
    """Packed panels: linear and matmul in f32 with any strides, any number of rows."""
    p = describe(lowering)
    target, lanes, epilogue = lowering.target, lowering.target.lanes, p.epilogue
    few_rows = isinstance(p.loops.rows, int) and p.loops.rows <= 4 and p.constant
    nv = vectors_per_panel(p.n, lanes)
    nv = min(nv, 2) if few_rows else nv
    width = nv * lanes
    mr = rows_per_tile(target, nv)
    ladder, exact = row_ladder(p.loops.rows, mr)
    full, tail, tail_nv = panel_columns(p, nv, lanes)
    k_limit = max(256, int(0.6 * target.l2) // (4 * width) // 64 * 64)
    k_block = k_limit if bounds(p.k)[1] > k_limit * 3 // 2 and not few_rows else 0
    pack_a = p.a_k != 1
    tile_operands = tuple(o for o in epilogue.operands if o.kind == "tile")
    shapes = [(rows, nv, False) for rows in ladder if full] + [(rows, tail_nv, True) for rows in ladder if tail]
    constant_bias = bool(p.bias) and p.constant and lowering.is_constant(p.bias)
    tiles = tuple(tile_of(p, r, v, t, constant_bias, nv) for r, v, t in shapes)
    parameters, arguments = tile_signature(p, bool(k_block), pack_a, constant_bias)
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
    part_floats = RUN_LIMIT * mr * width if k_block else 0
    batch = p.loops.batch
    lowering.emit(
        "matmul_gemm.c.j2",
        kernel_stem(p, f"{lowering.anchor.op}_{ladder[0]}x{nv}"),
        reads=reads,
        writes={"C": lowering.view(p.out)},
        params=product_params(p, packed_size, constant_bias),
        scratch=4 * (part_floats + (0 if p.constant else p.k * width)),
        common=4 * p.loops.batch_size * p.loops.rows * p.k if pack_a else 0,
        flops=2 * p.loops.batch_size * p.loops.rows * p.n * p.k,
        bytes=_bytes(p),
        mr=ladder[0], nv=nv, ladder=ladder, exact=exact, tiles=tiles, full=full, tail=tail, tail_nv=tail_nv,
        k_block=k_block, part_floats=part_floats, run_limit=RUN_LIMIT, pack_a=pack_a, pack_b=not p.constant,
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
    hoisted = [f"const int n{j} = sol_lanes(count, {j});" for j in range(nv)] if counts else []
    if tail and not hoisted:
        hoisted = ["(void)count;"]
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
    return Tile(name, rows, nv, parts, max(4, parts), tail, tuple(hoisted), finish)


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


def tile_signature(p: Product, k_block: bool, pack_a: bool, constant_bias: bool) -> tuple[str, str]:
    """Parameters of a tile function beyond (a0, lda, b, K), and the argument list of its calls."""
    lda = "K" if pack_a else "lda"
    parameters: list[str] = []
    arguments = [
        f"a_q + m * {lda}" + (" + k0" if k_block else ""),
        lda,
        "panel" + (" + k0 * width" if k_block else ""),
        "kc" if k_block else "K",
    ]
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


def product_params(p: Product, packed_size: DimLike, constant_bias: bool) -> dict[str, DimLike]:
    """Sizes and strides in the order of the kernel's arguments."""
    loops, low = p.loops, p.lowering
    params: dict[str, DimLike] = {
        "M": loops.rows,
        "N": p.n,
        "K": p.k,
        "lda": loops.row_strides["A"],
        "ldc": loops.row_strides["C"],
    }
    if p.a_k != 1:
        params["A_k"] = p.a_k
    if p.c_n != 1:
        params["C_n"] = p.c_n
    if not p.constant:
        params["B_k"], params["B_n"] = right_strides(p)
    if p.bias and not constant_bias:
        params["bias_n"] = low.view(p.bias).strides[0]
    names = ["A", "B", "C"] + [o.name for o in p.epilogue.operands if o.kind == "tile"]
    params |= {f"{o}_m": loops.row_strides[o] for o in names[3:]}
    for d, size in enumerate(loops.batch):
        params[f"B{d}"] = size
        for o in names:
            step = loops.batch_strides[o][d]
            params[f"{o}_{d}"] = step * packed_size if o == "B" and p.constant else step
    return params


def right_strides(p: Product) -> tuple[DimLike, DimLike]:
    """Strides of a right operand that is not packed, along the reduction and along the columns."""
    strides = p.lowering.view(p.b).strides
    return (strides[1], strides[0]) if p.transposed else (strides[-2], strides[-1])


def batch_text(p: Product) -> str:
    """Number of batch items as a C expression over the kernel's parameters."""
    return " * ".join(f"B{d}" for d in range(len(p.loops.batch))) or "1"


def _bytes(p: Product) -> DimLike:
    size = p.lowering.type_of(p.a).size + p.lowering.type_of(p.b).size + p.lowering.type_of(p.out).size
    return 4 * size


def kernel_stem(p: Product, head: str) -> str:
    words = [head] + (["bias"] if p.bias else []) + ([p.epilogue.stem] if p.epilogue.stem else [])
    return "_".join(words)


def lower_dot(lowering: Lowering) -> None:
    """Few columns: every result is a dot product along K of a row of A with a row of the weights."""
    p = describe(lowering)
    packed = lowering.weight(p.b, "gemm_rows", transposed=p.transposed) if p.constant else lowering.view(p.b)
    reads: dict[str, View] = {"A": lowering.view(p.a), "B": packed}
    loads: dict[str, str] = {}
    hoisted = []
    if p.bias:
        reads["bias"] = lowering.view(p.bias)
        hoisted.append("const vf y = s + sol_load_strided(bias + n * bias_n, bias_n, count);")
    for o in p.epilogue.operands:
        reads[o.name] = o.view
        base = f"{o.name}_q + m * {o.name}_m" if o.kind == "tile" else o.name
        loads[o.name] = o.load_n(f"{base} + n" if o.lane_stride else base, "count")
    lines, result = p.epilogue.trace("y" if p.bias else "s", lambda o: loads[o.name], "t")
    params = product_params(p, 0, False)
    params["ldb"] = p.k if p.constant else params.pop("B_n")
    params.pop("B_k", None)
    lowering.emit(
        "matmul_dot.c.j2",
        kernel_stem(p, f"{lowering.anchor.op}_dot"),
        reads=reads,
        writes={"C": lowering.view(p.out)},
        params=params,
        flops=2 * p.loops.batch_size * p.loops.rows * p.n * p.k,
        bytes=_bytes(p),
        lines=(*hoisted, *lines), result=result, batch=len(p.loops.batch), batch_size=batch_text(p), grain=GRAIN,
        bias=bool(p.bias), tail_ops=p.epilogue.stem, group=max(1, min(4, p.n)) if isinstance(p.n, int) else 4,
        tile_operands=tuple(o.name for o in p.epilogue.operands if o.kind == "tile"),
    )  # fmt: skip


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
    Candidate("dot", few_columns, lower_dot),
    Candidate("gemm", is_f32, lower_gemm),
    Candidate("plain", lambda lowering: True, lower_plain),
)
KERNELS = {"linear": _CANDIDATES, "matmul": _CANDIDATES}
