"""ATen pooling."""

from __future__ import annotations

from typing import Any

from sol.frontend.aten import Context, Fallback, converter
from sol.frontend.aten.conv import spread


def _window(op: str, spatial: int, *targets: str) -> None:
    """Max pooling: value only, or value and indices where nobody reads the indices."""

    @converter(*targets)
    def convert(ctx: Context, x: str, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Any:
        several = ctx.result_count() > 1
        if several and ctx.is_used(1):
            raise Fallback("the indices of max pooling are read")
        y = ctx.add(
            op, x, kernel=spread(kernel, spatial), stride=spread(stride or kernel, spatial), padding=_pairs(padding, spatial),
            dilation=spread(dilation, spatial), ceil_mode=ceil_mode,
        )  # fmt: skip
        return (y, None) if several else y


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
    def convert_adaptive_max(ctx: Context, x: str, output_size: Any) -> tuple[str, None]:
        if ctx.is_used(1):
            raise Fallback("the indices of max pooling are read")
        return ctx.add("adaptive_max_pool", x, output_size=ctx.result(0).shape[-spatial:]), None


for _n in (1, 2, 3):
    _average(_n)
