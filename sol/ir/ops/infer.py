"""Shape and dtype rules of all op families, stated once: every family rejects a misfit with the same words."""

from __future__ import annotations

from collections.abc import Sequence

from sol.errors import SolError, TypeInferenceError
from sol.ir.dim import Dim, DimLike, FloorDiv, Maximum, bounds, dim_text, product
from sol.ir.types import PLAIN, DType, Layout, TensorType

Shape = tuple[DimLike, ...]


def shape_text(shape: Sequence[DimLike]) -> str:
    return "[" + ",".join(dim_text(d) for d in shape) + "]"


def need(condition: bool, message: str) -> None:
    """Raise a TypeInferenceError with ``message`` unless the condition holds."""
    if not condition:
        raise TypeInferenceError(message)


def need_operands(operands: Sequence[TensorType], low: int, high: int | None = None) -> None:
    """The number of operands lies in ``low..high`` (``high`` defaults to ``low``)."""
    high = low if high is None else high
    if not low <= len(operands) <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        raise TypeInferenceError(f"takes {wanted} operands, got {len(operands)}")


def need_some(operands: Sequence[TensorType]) -> None:
    need(len(operands) > 0, "takes at least one operand, got none")


def need_float(*types: TensorType) -> None:
    for t in types:
        need(t.dtype.is_float, f"takes floating-point operands, got {t}")


def need_int(*types: TensorType) -> None:
    for t in types:
        need(t.dtype.is_int, f"takes integer operands, got {t}")


def same_dtype(operands: Sequence[TensorType]) -> DType:
    """The one dtype of all operands."""
    for t in operands[1:]:
        if t.dtype is not operands[0].dtype:
            raise TypeInferenceError(
                f"operand dtypes differ: {operands[0].dtype} and {t.dtype}", remedy="insert a cast"
            )
    return operands[0].dtype


def need_shape(type_: TensorType, shape: Shape, what: str) -> None:
    need(type_.shape == tuple(shape), f"{what} must have shape {shape_text(shape)}, got {shape_text(type_.shape)}")


def need_axis(type_: TensorType, axis: int) -> None:
    need(isinstance(axis, int) and 0 <= axis < max(type_.rank, 1), f"dimension {axis} is outside of {type_}")


def need_axes(type_: TensorType, axes: Sequence[int]) -> None:
    for axis in axes:
        need_axis(type_, axis)
    need(len(set(axes)) == len(axes), f"dimensions {tuple(axes)} repeat")


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """numpy's rule; a symbolic size is never 1, so it matches only itself and a literal 1."""
    rank = max((len(s) for s in shapes), default=0)
    result: list[DimLike] = []
    for position in range(-rank, 0):
        size: DimLike = 1
        for shape in shapes:
            d = shape[position] if -position <= len(shape) else 1
            if isinstance(d, int) and d == 1:
                continue
            if isinstance(size, int) and size == 1:
                size = d
            elif size != d:
                listed = " and ".join(shape_text(s) for s in shapes)
                raise TypeInferenceError(f"shapes {listed} do not broadcast: {dim_text(size)} is not {dim_text(d)}")
        result.append(size)
    return tuple(result)


def blocked_layout(operands: Sequence[TensorType]) -> Layout:
    """The layout of the first operand that is blocked, else the plain one."""
    return next((t.layout for t in operands if t.layout.block), PLAIN)


def common_layout(operands: Sequence[TensorType]) -> Layout:
    """The layout that all operands share, else the plain one."""
    layouts = {t.layout for t in operands}
    return layouts.pop() if len(layouts) == 1 else PLAIN


def reduced_shape(shape: Shape, dims: Sequence[int], keepdims: bool) -> Shape:
    if keepdims:
        return tuple(1 if i in dims else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in dims)


def certainly_differ(a: DimLike, b: DimLike) -> bool:
    """True if two sizes are known to differ; false if they are equal or only run time can tell.

    Polynomials in symbols that are not identical do differ for some sizes, and count as different;
    with a quotient or a maximum inside, equality cannot be read off the canonical form.
    """
    if a == b:
        return False
    difference = a - b
    if isinstance(difference, int):
        return difference != 0
    low, high = bounds(difference)
    return low > 0 or high < 0 or not _has_quotient(difference)


def _has_quotient(value: Dim) -> bool:
    return any(isinstance(atom, (FloorDiv, Maximum)) for monomial, _ in value.terms for atom in monomial)


def need_same_size(a: Shape, b: Shape) -> None:
    need(
        not certainly_differ(product(a), product(b)),
        f"{shape_text(a)} has {dim_text(product(a))} elements, {shape_text(b)} has {dim_text(product(b))}",
    )


def need_at_least(size: DimLike, low: int, what: str) -> None:
    """``size >= low`` unless only run time can tell."""
    try:
        fits = size >= low
    except SolError:
        return
    need(fits, f"{what} is {dim_text(size)}, needs at least {low}")
