"""ATen ops that order elements: sorting, the best few, medians, the most frequent element, places in a sorted line."""

from __future__ import annotations

from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.dim import Dim
from sol.ir.types import DType


def _line(ctx: Context, x: str, dim: int) -> tuple[str, int]:
    """The operand with at least one dimension, and the number of the one that is meant."""
    axis = ctx.axis(dim, ctx.rank(x))
    return (x if ctx.rank(x) else ctx.reshape(x, (1,))), axis


def _as_results(ctx: Context, values: tuple[str, str]) -> tuple[str, str]:
    """Values and indices in the shape that torch gives them."""
    return ctx.reshape(values[0], ctx.shape), ctx.reshape(values[1], ctx.shape)


@converter("sort.default", "sort.stable")
def sort(ctx: Context, x: str, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> tuple[str, str]:
    line, axis = _line(ctx, x, dim)
    return _as_results(ctx, ctx.add("sort", line, dim=axis, descending=descending))


@converter("argsort.default", "argsort.stable")
def argsort(ctx: Context, x: str, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> str:
    line, axis = _line(ctx, x, dim)
    return ctx.reshape(ctx.add("sort", line, dim=axis, descending=descending)[1], ctx.shape)


@converter("msort.default")
def msort(ctx: Context, x: str) -> str:
    line, axis = _line(ctx, x, 0)
    return ctx.reshape(ctx.add("sort", line, dim=axis)[0], ctx.shape)


@converter("topk.default")
def topk(ctx: Context, x: str, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[str, str]:
    line, axis = _line(ctx, x, dim)
    return _as_results(ctx, ctx.add("topk", line, dim=axis, k=k, largest=largest, ties="open", ordered=sorted))


def _statistic(ctx: Context, x: str, dim: int, rank: str, k: int = 1) -> tuple[str, str]:
    line, axis = _line(ctx, x, dim)
    if ctx.size(line)[axis] == 0:
        raise Fallback("a choice from nothing")
    return _as_results(ctx, ctx.add("order_statistic", line, dim=axis, rank=rank, k=k))


@converter("kthvalue.default")
def kthvalue(ctx: Context, x: str, k: Any, dim: int = -1, keepdim: bool = False) -> tuple[str, str]:
    if isinstance(k, Dim):
        raise Fallback("a place that depends on the input size")
    return _statistic(ctx, x, dim, "kth", k)


def _middle(rank: str) -> None:
    @converter(f"{rank}.dim")
    def convert_dim(ctx: Context, x: str, dim: int, keepdim: bool = False) -> tuple[str, str]:
        return _statistic(ctx, x, dim, rank)

    @converter(f"{rank}.default")
    def convert(ctx: Context, x: str) -> str:
        return _statistic(ctx, ctx.reshape(x, (ctx.type(x).size,)), 0, rank)[0]


_middle("median")
_middle("nanmedian")


@converter("mode.default")
def mode(ctx: Context, x: str, dim: int = -1, keepdim: bool = False) -> tuple[str, str]:
    line, axis = _line(ctx, x, dim)
    if ctx.size(line)[axis] == 0:
        raise Fallback("a choice from nothing")
    return _as_results(ctx, ctx.add("mode", line, dim=axis))


def _running(name: str, largest: bool) -> None:
    @converter(f"{name}.default")
    def convert(ctx: Context, x: str, dim: int) -> tuple[str, str]:
        line, axis = _line(ctx, x, dim)
        return _as_results(ctx, ctx.add("running_extremum", line, dim=axis, largest=largest))


_running("cummax", True)
_running("cummin", False)


@converter("searchsorted.Tensor", "searchsorted.Scalar")
def searchsorted(ctx: Context, line: str, values: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
                 sorter: str | None = None) -> str:  # fmt: skip
    if sorter is not None:
        line = ctx.add("gather", line, sorter, dim=ctx.rank(line) - 1, checked="searchsorted", signed=False)
    return _search(ctx, line, values, right or side == "right")


@converter("bucketize.Tensor", "bucketize.Scalar")
def bucketize(ctx: Context, values: Any, boundaries: str, *, out_int32: bool = False, right: bool = False) -> str:
    return _search(ctx, boundaries, values, right)


def _search(ctx: Context, line: str, values: Any, right: bool) -> str:
    """Places of values in sorted lines, compared in a type that holds both."""
    dtype = ctx.promoted(line, values)
    values = ctx.operand(values, dtype)
    shape = ctx.size(values)
    if ctx.rank(line) > 1 and shape[:-1] != ctx.size(line)[:-1]:
        raise Fallback("sorted lines and values whose leading sizes differ")
    found = ctx.add("searchsorted", ctx.cast(line, dtype), values if shape else ctx.reshape(values, (1,)), right=right)
    return ctx.cast(ctx.reshape(found, shape), ctx.dtype)


@converter("histc.default")
def histc(ctx: Context, x: str, bins: int = 100, min: Any = 0, max: Any = 0) -> str:
    """Elements counted in equal intervals from min to max (where these are equal: of the elements), the last one closed."""
    dtype = ctx.dtype
    if dtype not in (DType.F32, DType.F64):
        raise Fallback(f"a histogram of {dtype} values")
    size = ctx.type(x).size
    if size == 0:
        return ctx.filled(0.0, (bins,), dtype)
    x = ctx.reshape(x, (size,))
    if min == max:
        low, high = (ctx.add(op, x, dims=(0,), keepdims=False) for op in ("min", "max"))
        flat = ctx.add("eq", low, high)
        one = ctx.operand(1.0, dtype)
        low = ctx.add("where", flat, ctx.add("sub", low, one), low)
        high = ctx.add("where", flat, ctx.add("add", high, one), high)
    else:
        low, high = ctx.operand(float(min), dtype), ctx.operand(float(max), dtype)
    inside = ctx.add("logical_and", ctx.add("ge", x, low), ctx.add("le", x, high))
    scaled = ctx.add("mul", ctx.add("sub", x, low), ctx.operand(float(bins), dtype))
    place = ctx.add("trunc", ctx.add("div", scaled, ctx.add("sub", high, low)))
    place = ctx.add("minimum", place, ctx.operand(float(bins - 1), dtype))
    place = ctx.cast(ctx.add("where", inside, place, ctx.operand(float(bins), dtype)), DType.I64)
    counts = ctx.add("scatter", ctx.filled(0.0, (bins + 1,), dtype), place, ctx.cast(inside, dtype), dim=0, reduction="add")
    return ctx.slice(counts, 0, 0, bins)
