"""One matrix product as loops, and what its kernels are told about it: the part that all variants of linear and matmul share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.epilogue import Epilogue, EpilogueOperand, make_epilogue
from sol.codegen.kernels.matmul_rows import RowLoops, broadcast_strides, collapse_rows
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.packing import make_pack
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.lanes import FLOAT_LANES, LANE_DTYPES, NARROW_FLOATS
from sol.ir.types import DType

STRETCH = 384  # steps of a reduction after which what is added up joins a compensated sum: rounding errors grow with the length of a sum


@dataclass(frozen=True)
class Product:
    """One matrix product as loops: what all variants need to know.

    a, b, bias, out: where operands and the result lie; constants row-major until they are ``packed``. n, k: columns of the result and
    length of the reduction. transposed: b is ``[N, K]``. a_k, c_n: strides along the columns of a and of the result, 1 where there is one
    column. constant, constant_bias: whether b and the bias can be packed. packed_operands: names of the epilogue's operands that can.
    bytes: of the operands and the result.
    """

    op: str
    target: TargetLike
    a: View
    b: View
    bias: View | None
    out: View
    n: DimLike
    k: DimLike
    transposed: bool
    epilogue: Epilogue
    loops: RowLoops
    a_k: DimLike
    c_n: DimLike
    constant: bool
    constant_bias: bool
    packed_operands: frozenset[str]
    bytes: DimLike

    @property
    def flops(self) -> DimLike:
        return 2 * self.loops.batch_size * self.loops.rows * self.n * self.k

    @property
    def tiles(self) -> tuple[EpilogueOperand, ...]:
        """Operands of the epilogue that differ from row to row."""
        return tuple(o for o in self.epilogue.operands if o.kind == "tile")


def packed(view: View, kind: str, **attrs: Any) -> View:
    """A constant operand as a packer lays it out."""
    return replace(view, pack=make_pack(kind, **attrs))


def describe(lowering: Lowering) -> Product:
    """Read the region: operands, epilogue, and the loops over its rows."""
    anchor = lowering.anchor
    a, b = anchor.inputs[:2]
    bias = anchor.inputs[2] if len(anchor.inputs) > 2 and anchor.op in ("linear", "matmul") else ""
    out = lowering.output
    shape = lowering.type_of(out).shape
    rank = len(shape)
    dtypes = LANE_DTYPES if anchor.op.startswith("int_") else FLOAT_LANES
    epilogue = make_epilogue(lowering, anchor.name, channel_axis=rank - 1, dtypes=dtypes)
    va, vb, vc = (lowering.view(v) for v in (a, b, out))
    constant = lowering.is_constant(b)
    strides: dict[str, tuple[DimLike, ...]] = {"A": broadcast_strides(va.shape[:-1], va.strides[:-1], rank - 1)}
    strides["B"] = (0,) * (rank - 1)
    if anchor.op in ("matmul", "int_matmul"):
        b_strides = _packed_batch_strides(vb.shape) if constant else vb.strides
        strides["B"] = (*broadcast_strides(vb.shape[:-2], b_strides[:-2], rank - 2), 0)
    strides["C"] = tuple(vc.strides[:-1])
    for operand in epilogue.operands:
        if operand.kind == "tile":
            strides[operand.name] = tuple(operand.strides[:-1])
    k = lowering.type_of(a).shape[-1]
    c_n = 1 if shape[-1] == 1 else vc.strides[-1]
    a_k = 1 if k == 1 else va.strides[-1]
    by_rows = ("linear", "int_linear", "weight_only_linear")
    transposed = bool(anchor.attrs["transposed"]) if anchor.op == "grouped_matmul" else anchor.op in by_rows
    moved = [lowering.type_of(v) for v in (a, b, out)]
    return Product(
        anchor.op, lowering.target, va, vb, lowering.view(bias) if bias else None, vc, shape[-1], k, transposed, epilogue,
        collapse_rows(shape[:-1], strides, "B"), a_k, c_n, constant, constant and bool(bias) and lowering.is_constant(bias),
        frozenset(o.name for o in epilogue.operands if lowering.is_constant(o.value)),
        sum((t.size * t.dtype.itemsize for t in moved), start=0),
    )  # fmt: skip


def _packed_batch_strides(shape: tuple[DimLike, ...]) -> tuple[DimLike, ...]:
    """Batch strides of a constant right operand, counted in matrices: the packed size of one is known later."""
    strides: list[DimLike] = [0, 0]
    step: DimLike = 1
    for size in reversed(shape[:-2]):
        strides.insert(0, step)
        step = step * size
    return tuple(strides)


def float32_product(lowering: Lowering) -> Product | None:
    """The product, if all operands and the result are float32 and the result's columns are adjacent."""
    dtypes = {lowering.type_of(v).dtype for v in (*lowering.anchor.inputs, lowering.output)}
    return describe(lowering) if dtypes == {DType.F32} and _has_adjacent_columns(lowering) else None


def product_in_float32(lowering: Lowering) -> Product | None:
    """The same, or the product of a narrower float with constants of its type, which also adds up in float32 and gives either."""
    inputs = lowering.anchor.inputs
    dtypes = {lowering.type_of(v).dtype for v in inputs}
    narrow = len(dtypes) == 1 and dtypes <= set(NARROW_FLOATS) and all(map(lowering.is_constant, inputs[1:]))
    if narrow and lowering.type_of(lowering.output).dtype in FLOAT_LANES and _has_adjacent_columns(lowering):
        return describe(lowering)
    return float32_product(lowering)


def _has_adjacent_columns(lowering: Lowering) -> bool:
    return lowering.type_of(lowering.output).shape[-1] == 1 or lowering.view(lowering.output).strides[-1] == 1


def run_time_arguments(p: Product, packed_size: DimLike, constant_bias: bool) -> dict[str, DimLike]:
    """Sizes and strides in the order of the kernel's arguments."""
    loops = p.loops
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
        params["bias_n"] = p.bias.strides[0]
    names = ["A", "B", "C"] + [o.name for o in p.tiles]
    params |= {f"{o}_m": loops.row_strides[o] for o in names[3:]}
    for d, size in enumerate(loops.batch):
        params[f"B{d}"] = size
        for o in names:
            step = loops.batch_strides[o][d]
            params[f"{o}_{d}"] = step * packed_size if o == "B" and p.constant else step
    return params


def right_strides(p: Product) -> tuple[DimLike, DimLike]:
    """Strides of a right operand that is not packed, along the reduction and along the columns."""
    strides = p.b.strides
    return (strides[-1], strides[-2]) if p.transposed else (strides[-2], strides[-1])


def batch_text(p: Product) -> str:
    """Number of batch items as a C expression over the kernel's parameters."""
    return " * ".join(f"B{d}" for d in range(len(p.loops.batch))) or "1"


def kernel_stem(p: Product, head: str) -> str:
    named = head if p.a.dtype not in NARROW_FLOATS else f"{p.a.dtype}_{head}"
    words = [named] + (["bias"] if p.bias else []) + ([p.epilogue.stem] if p.epilogue.stem else [])
    return "_".join(words)
