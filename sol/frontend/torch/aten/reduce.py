"""ATen reductions: sums, extrema, variances, norms, softmax."""

from __future__ import annotations

import math
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.dim import Dim
from sol.ir.types import DType


def _reduce(ctx: Context, op: str, x: str, dims: Any, keepdims: bool, dtype: DType) -> str:
    """A reduction computed in ``dtype``; sum and product of bools say whether one is true, whether all are."""
    if dtype is DType.BOOL:
        op = {"sum": "any", "prod": "all"}.get(op, op)
    return ctx.add(op, ctx.cast(x, dtype), dims=ctx.axes(dims, ctx.rank(x)), keepdims=keepdims)


@converter("sum.default")
def sum_all(ctx: Context, x: str, dtype: Any = None) -> str:
    return _reduce(ctx, "sum", x, None, False, ctx.dtype)


@converter("sum.dim_IntList")
def sum_dims(ctx: Context, x: str, dim: Any, keepdim: bool = False, dtype: Any = None) -> str:
    return _reduce(ctx, "sum", x, dim, keepdim, ctx.dtype)


@converter("mean.default")
def mean_all(ctx: Context, x: str, dtype: Any = None) -> str:
    return _reduce(ctx, "mean", x, None, False, ctx.dtype)


@converter("mean.dim")
def mean_dims(ctx: Context, x: str, dim: Any, keepdim: bool = False, dtype: Any = None) -> str:
    return _reduce(ctx, "mean", x, dim, keepdim, ctx.dtype)


@converter("prod.default")
def prod_all(ctx: Context, x: str, dtype: Any = None) -> str:
    return _reduce(ctx, "prod", x, None, False, ctx.dtype)


@converter("prod.dim_int")
def prod_dim(ctx: Context, x: str, dim: int, keepdim: bool = False, dtype: Any = None) -> str:
    return _reduce(ctx, "prod", x, dim, keepdim, ctx.dtype)


def _extremum(op: str) -> None:
    @converter(f"{op}.default", f"a{op}.default")
    def convert(ctx: Context, x: str, dim: Any = (), keepdim: bool = False) -> str:
        return _reduce(ctx, op, x, dim, keepdim, ctx.dtype)

    @converter(f"{op}.dim")
    def convert_dim(ctx: Context, x: str, dim: int, keepdim: bool = False) -> tuple[str | None, str | None]:
        """Values and indices; only what is read is computed."""
        axis = ctx.axis(dim, ctx.rank(x))
        index = ctx.add(f"arg{op}", x, dim=axis, keepdims=keepdim) if ctx.is_used(1) else None
        return ctx.add(op, x, dims=ctx.axes(dim, ctx.rank(x)), keepdims=keepdim), index

    @converter(f"arg{op}.default")
    def convert_arg(ctx: Context, x: str, dim: int | None = None, keepdim: bool = False) -> str:
        if dim is None:
            flat = ctx.reshape(x, (ctx.type(x).size,))
            return ctx.reshape(ctx.add(f"arg{op}", flat, dim=0, keepdims=False), ctx.shape)
        return ctx.add(f"arg{op}", x, dim=ctx.axis(dim, ctx.rank(x)), keepdims=keepdim)


_extremum("max")
_extremum("min")


@converter("aminmax.default")
def aminmax(ctx: Context, x: str, dim: int | None = None, keepdim: bool = False) -> tuple[str, str]:
    return _reduce(ctx, "min", x, dim, keepdim, ctx.dtype), _reduce(ctx, "max", x, dim, keepdim, ctx.dtype)


def _quantifier(op: str) -> None:
    @converter(f"{op}.default", f"{op}.dim", f"{op}.dims")
    def convert(ctx: Context, x: str, dim: Any = None, keepdim: bool = False) -> str:
        return ctx.cast(_reduce(ctx, op, x, dim, keepdim, DType.BOOL), ctx.dtype)


_quantifier("any")
_quantifier("all")


@converter("count_nonzero.default", "count_nonzero.dim_IntList")
def count_nonzero(ctx: Context, x: str, dim: Any = None) -> str:
    return _reduce(ctx, "sum", ctx.cast(x, DType.BOOL), dim, False, DType.I64)


@converter("var.default", "var.dim", "var.correction")
def var(ctx: Context, x: str, *args: Any, **kwargs: Any) -> str:
    return _variance(ctx, x, *_var_options(ctx, args, kwargs))


@converter("std.default", "std.dim", "std.correction")
def std(ctx: Context, x: str, *args: Any, **kwargs: Any) -> str:
    return ctx.add("sqrt", _variance(ctx, x, *_var_options(ctx, args, kwargs)))


@converter("var_mean.default", "var_mean.dim", "var_mean.correction")
def var_mean(ctx: Context, x: str, *args: Any, **kwargs: Any) -> tuple[str, str]:
    dims, correction, keepdim = _var_options(ctx, args, kwargs)
    return _variance(ctx, x, dims, correction, keepdim), _reduce(ctx, "mean", x, dims, keepdim, ctx.type(x).dtype)


@converter("std_mean.default", "std_mean.dim", "std_mean.correction")
def std_mean(ctx: Context, x: str, *args: Any, **kwargs: Any) -> tuple[str, str]:
    variance, mean = var_mean(ctx, x, *args, **kwargs)
    return ctx.add("sqrt", variance), mean


def _var_options(ctx: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool]:
    """(dims, correction, keepdim) from the three overloads' arguments."""
    overload = str(ctx.node.target).rsplit(".", 1)[1]
    names = {"default": ("unbiased",), "dim": ("dim", "unbiased", "keepdim"), "correction": ("dim",)}[overload]
    given = {**dict(zip(names, args)), **kwargs}
    correction = given.get("correction")
    if correction is None:
        correction = 1 if given.get("unbiased", True) else 0
    return given.get("dim"), correction, given.get("keepdim", False)


def _variance(ctx: Context, x: str, dims: Any, correction: Any, keepdim: bool) -> str:
    return ctx.add("var", x, dims=ctx.axes(dims, ctx.rank(x)), keepdims=keepdim, correction=correction)


def _softmax(op: str) -> None:
    @converter(f"{op}.int", f"_{op}.default", f"special_{op}.int")
    def convert(ctx: Context, x: str, dim: int, *_: Any, **__: Any) -> str:
        x = ctx.cast(x, ctx.dtype)
        if not ctx.rank(x):
            return ctx.reshape(ctx.add(op, ctx.reshape(x, (1,)), dim=0), ())
        return ctx.add(op, x, dim=ctx.axis(dim, ctx.rank(x)))


_softmax("softmax")
_softmax("log_softmax")


@converter("logsumexp.default")
def logsumexp(ctx: Context, x: str, dim: Any, keepdim: bool = False) -> str:
    """``log(sum(exp(x - m))) + m`` with the maximum ``m`` (0 where infinite)."""
    dtype = ctx.dtype
    x, dims = ctx.cast(x, dtype), ctx.axes(dim, ctx.rank(x))
    top = ctx.add("max", x, dims=dims, keepdims=True)
    top = ctx.add("where", ctx.add("isinf", top), ctx.operand(0.0, dtype), top)
    total = ctx.add("sum", ctx.add("exp", ctx.add("sub", x, top)), dims=dims, keepdims=True)
    return ctx.reshape(ctx.add("add", ctx.add("log", total), top), ctx.shape)


@converter("linalg_vector_norm.default")
def vector_norm(ctx: Context, x: str, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> str:
    return length(ctx, ctx.cast(x, ctx.dtype), ord, ctx.axes(dim, ctx.rank(x)), keepdim)


@converter("norm.ScalarOpt_dim", "norm.Scalar", "norm.ScalarOpt_dim_dtype")
def norm(ctx: Context, x: str, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> str:
    return length(ctx, ctx.cast(x, ctx.dtype), 2 if p is None else p, ctx.axes(dim, ctx.rank(x)), keepdim)


@converter("frobenius_norm.dim")
def frobenius_norm(ctx: Context, x: str, dim: Any, keepdim: bool = False) -> str:
    return length(ctx, x, 2, ctx.axes(dim, ctx.rank(x)), keepdim)


@converter("cosine_similarity.default")
def cosine_similarity(ctx: Context, a: str, b: str, dim: int = 1, eps: float = 1e-8) -> str:
    """Product of the two vectors, each divided by its length (at least eps)."""
    if ctx.size(a) != ctx.size(b):
        raise Fallback("cosine similarity of vectors that are repeated")  # also along the dimension that is summed
    axis = (ctx.axis(dim, ctx.rank(a)),)
    units = []
    for x in (a, b):
        x = ctx.cast(x, ctx.dtype)
        size = ctx.add("maximum", length(ctx, x, 2, axis, True), ctx.operand(eps, ctx.dtype))
        units.append(ctx.add("div", x, size))
    return ctx.add("sum", ctx.add("mul", *units), dims=axis, keepdims=False)


def length(ctx: Context, x: str, order: float, dims: tuple[int, ...], keepdims: bool) -> str:
    """The p-norm over some dimensions, p being ``order``."""
    if order == 2:
        return ctx.add("sqrt", ctx.add("sum", ctx.add("square", x), dims=dims, keepdims=keepdims))
    size = ctx.add("abs", x)
    if order == 1:
        return ctx.add("sum", size, dims=dims, keepdims=keepdims)
    if order in (math.inf, -math.inf):
        return ctx.add("max" if order > 0 else "min", size, dims=dims, keepdims=keepdims)
    if order == 0:
        nonzero = ctx.add("ne", x, ctx.operand(0.0, ctx.dtype))
        return ctx.add("sum", ctx.cast(nonzero, ctx.dtype), dims=dims, keepdims=keepdims)
    power = ctx.add("pow", size, ctx.operand(float(order), ctx.dtype))
    total = ctx.add("sum", power, dims=dims, keepdims=keepdims)
    return ctx.add("pow", total, ctx.operand(1.0 / order, ctx.dtype))


def _running(op: str) -> None:
    @converter(f"{op}.default")
    def convert(ctx: Context, x: str, dim: int, dtype: Any = None) -> str:
        return ctx.add(op, ctx.cast(x, ctx.dtype), dim=ctx.axis(dim, ctx.rank(x)))


_running("cumsum")
_running("cumprod")
_running("logcumsumexp")


@converter("diff.default")
def diff(ctx: Context, x: str, n: int = 1, dim: int = -1, prepend: str | None = None, append: str | None = None) -> str:
    """Differences of neighbours; of bools, whether they differ."""
    if not n:
        return x  # torch looks at nothing else then
    axis = ctx.axis(dim, ctx.rank(x))
    joined = ctx.concat([v for v in (prepend, x, append) if v is not None], axis)
    for _ in range(n):
        size = ctx.size(joined)[axis]
        if isinstance(size, Dim) and not isinstance(size - 1, Dim):
            raise Fallback("diff over a symbolic dimension")
        later, earlier = ctx.slice(joined, axis, 1, size), ctx.slice(joined, axis, 0, size - 1)
        joined = ctx.add("logical_xor" if ctx.dtype is DType.BOOL else "sub", later, earlier)
    return joined
