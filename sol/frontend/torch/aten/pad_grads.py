"""Gradients of padding that repeats elements: what was read several times gets the sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter

Edge = Callable[[str, int], str]
"""What is added, made of one side and its axis."""


@converter("reflection_pad1d_backward.default", "reflection_pad2d_backward.default", "reflection_pad3d_backward.default")
def reflection_pad_backward(ctx: Context, grad: str, x: str, padding: Sequence[Any]) -> str:
    def edge(side: str, axis: int) -> str:
        return ctx.add("flip", side, dims=(axis,))

    return _folded(ctx, grad, x, padding, edge, 1)


@converter("replication_pad1d_backward.default", "replication_pad2d_backward.default", "replication_pad3d_backward.default")
def replication_pad_backward(ctx: Context, grad: str, x: str, padding: Sequence[Any]) -> str:
    def edge(side: str, axis: int) -> str:
        return ctx.add("sum", side, dims=(axis,), keepdims=True)

    return _folded(ctx, grad, x, padding, edge, 0)


def _folded(ctx: Context, grad: str, x: str, padding: Sequence[Any], edge: Edge, inside: int) -> str:
    """One dimension after the other, what lies before and behind the middle is added to it.

    inside: how many elements lie between that and the end of the middle.
    """
    rank = ctx.rank(x)
    for i in range(len(padding) // 2):
        axis = rank - 1 - i
        size, before, behind = ctx.fixed((ctx.size(x)[axis], *padding[2 * i : 2 * i + 2]), "padding that repeats elements")
        if min(before, behind) < 0:
            raise Fallback("a negative padding")
        if before or behind:
            grad = _with_sides(ctx, grad, axis, size, before, behind, edge, inside)
    return grad


def _with_sides(ctx: Context, grad: str, axis: int, size: int, before: int, behind: int, edge: Edge, inside: int) -> str:
    def part(v: str, start: int, stop: int) -> str:
        return ctx.add("slice", v, dim=axis, start=start, stop=stop, step=1)

    def length(v: str) -> int:
        return ctx.fixed((ctx.size(v)[axis],), "padding that repeats elements")[0]

    middle = part(grad, before, before + size)
    sides: list[tuple[int, int, str]] = []  # where what is added begins and ends
    if before:
        value = edge(part(grad, 0, before), axis)
        sides.append((inside, inside + length(value), value))
    if behind:
        value = edge(part(grad, before + size, before + size + behind), axis)
        sides.append((size - inside - length(value), size - inside, value))
    if len(sides) == 2 and sides[0][1] > sides[1][0]:  # some elements are of both
        for start, stop, value in sides:
            pads = [(0, 0)] * ctx.rank(value)
            pads[axis] = (start, size - stop)
            middle = ctx.add("add", middle, ctx.add("pad", value, pads=tuple(pads)))
        return middle
    parts, at = [], 0
    for start, stop, value in sides:
        if start > at:
            parts.append(part(middle, at, start))
        parts.append(ctx.add("add", part(middle, start, stop), value))
        at = stop
    if at < size:
        parts.append(part(middle, at, size))
    return ctx.concat(parts, axis)
