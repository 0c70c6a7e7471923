"""Gradients of resampling: each element of the input is the weighted sum of the results that read it, which is resampling as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sol.frontend.filters import Taps, can_be_resampled, resampled
from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.resample import factors_of, linear_taps, nearest_middle_taps, nearest_taps
from sol.frontend.torch.aten.resample_smooth import FILTERS, smooth_taps
from sol.ir.types import DType

Factor = float | None


def _gradient(ctx: Context, grad: str, input_size: Sequence[int], find: Callable[[list[int], list[int]], Sequence[Taps]]) -> str:
    """In float32 for bfloat16. find: sizes of the input and of the result → the taps of each dimension."""
    dtype, sizes, target = ctx.dtype, list(input_size[2:]), list(ctx.size(grad)[2:])
    grad = ctx.cast(grad, dtype if dtype is DType.F64 else DType.F32)
    if not all(isinstance(s, int) for s in sizes) or not can_be_resampled(ctx, grad, sizes):
        raise Fallback("gradients of resampled float64, and of sizes that only a call knows")
    taps = find(sizes, target)  # type: ignore[arg-type]  # can_be_resampled asks for fixed sizes
    return ctx.cast(resampled(ctx, grad, [t.turned(n) for t, n in zip(taps, sizes)]), dtype)


def _nearest(op: str, spatial: int, make: Callable[[int, int, Factor], Taps]) -> None:
    @converter(f"{op}{spatial}d_backward.default", f"{op}{spatial}d_backward.vec")
    def convert(ctx: Context, grad: str, output_size: Any, input_size: Sequence[int], *scales: Any) -> str:
        factors = factors_of(scales, spatial)
        return _gradient(ctx, grad, input_size, lambda sizes, target: [make(*each) for each in zip(sizes, target, factors)])


for _n in (1, 2, 3):
    _nearest("upsample_nearest", _n, nearest_taps)
    _nearest("_upsample_nearest_exact", _n, nearest_middle_taps)


def _linear(name: str, spatial: int) -> None:
    @converter(f"upsample_{name}{spatial}d_backward.default", f"upsample_{name}{spatial}d_backward.vec")
    def convert(ctx: Context, grad: str, output_size: Any, input_size: Sequence[int], align_corners: bool, *scales: Any) -> str:
        factors = factors_of(scales, spatial)
        return _gradient(
            ctx, grad, input_size, lambda sizes, target: [linear_taps(*each, align_corners) for each in zip(sizes, target, factors)]
        )


_linear("linear", 1)
_linear("bilinear", 2)
_linear("trilinear", 3)


def _smooth(op: str) -> None:
    @converter(f"{op}_backward.default", f"{op}_backward.vec")
    def convert(ctx: Context, grad: str, output_size: Any, input_size: Sequence[int], align_corners: bool, *scales: Any) -> str:
        factors = factors_of(scales, 2)
        return _gradient(ctx, grad, input_size, lambda sizes, target: smooth_taps(FILTERS[op], sizes, target, align_corners, factors))


for _op in FILTERS:
    _smooth(_op)
