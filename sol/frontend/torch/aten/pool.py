"""ATen pooling."""

from __future__ import annotations

from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.conv import spread


def _window(op: str, spatial: int, *targets: str) -> None:
    """Max pooling: the largest elements, and where they lie in their map if somebody reads that."""

    @converter(*targets)
    def convert(ctx: Context, x: str, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Any:
        windows = {
            "kernel": spread(kernel, spatial), "stride": spread(stride or kernel, spatial), "padding": _pairs(padding, spatial),
            "dilation": spread(dilation, spatial), "ceil_mode": ceil_mode,
        }  # fmt: skip
        y = ctx.add(op, x, **windows)
        if ctx.result_count() == 1:
            return y
        return y, ctx.add("argmax_pool", x, **windows) if ctx.is_used(1) else None


def _pairs(padding: Any, spatial: int) -> tuple[tuple[int, int], ...]:
    return tuple((p, p) for p in spread(padding, spatial))


for _n in (1, 2, 3):
    _window("max_pool", _n, f"max_pool{_n}d.default", f"max_pool{_n}d_with_indices.default")


def _average(spatial: int) -> None:
    @converter(f"avg_pool{spatial}d.default")
    def convert(ctx: Context, x: str, kernel: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
                count_include_pad: bool = True, divisor_override: int | None = None) -> str:  # fmt: skip
        return ctx.add(
            "avg_pool", x, kernel=spread(kernel, spatial), stride=spread(stride or kernel, spatial), padding=_pairs(padding, spatial),
            ceil_mode=ceil_mode, count_include_pad=count_include_pad, divisor=divisor_override,
        )  # fmt: skip

    @converter(f"adaptive_avg_pool{spatial}d.default", f"_adaptive_avg_pool{spatial}d.default")
    def convert_adaptive(ctx: Context, x: str, output_size: Any) -> str:
        return ctx.add("adaptive_avg_pool", x, output_size=ctx.shape[-spatial:])

    @converter(f"adaptive_max_pool{spatial}d.default")
    def convert_adaptive_max(ctx: Context, x: str, output_size: Any) -> tuple[str, str | None]:
        size = ctx.result(0).shape[-spatial:]
        y = ctx.add("adaptive_max_pool", x, output_size=size)
        return y, _adaptive_places(ctx, x, size) if ctx.is_used(1) else None


def _adaptive_places(ctx: Context, x: str, size: tuple[Any, ...]) -> str:
    """Where the largest elements lie, if all windows are of one size."""
    own = ctx.size(x)[-len(size) :]
    if any(not isinstance(n, int) or not isinstance(m, int) or not m or n % m for n, m in zip(own, size)):
        raise Fallback("the indices of adaptive max pooling with windows of several sizes are read")
    kernel = tuple(n // m for n, m in zip(own, size))
    ones = (1,) * len(size)
    return ctx.add("argmax_pool", x, kernel=kernel, stride=kernel, padding=((0, 0),) * len(size), dilation=ones)


for _n in (1, 2, 3):
    _average(_n)
