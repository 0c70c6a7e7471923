"""Powers of two by which fast algorithms scale a convolution's channels, lest what they add up be of different size.

Winograd's inner product adds inputs of one channel to weights of another. Errors are then in units of the larger of them, where those of
the usual product are in units of what an output adds up. Networks whose normalisation was folded into their weights have channels a
thousand times as large as others, and weights that make up for it. So inputs are multiplied by a factor of their channel, and weights are
divided by it; where weights are packed, they are also divided by a factor of their output, by which results are multiplied: all exact.
Source: G. Ballard, A. R. Benson, A. Druinsky, B. Lipshitz, O. Schwartz, Improving the numerical stability of fast matrix multiplication,
SIAM Journal on Matrix Analysis and Applications 37, 2016.

Weights divided by both factors have about the same size in each input and each output channel. The largest factor of the inputs of a
group is 1, that of a channel without weights 0.
"""

from __future__ import annotations

import numpy as np

from sol.codegen.kernels import inner_product
from sol.codegen.packers.panels import round_up, selected_places
from sol.codegen.packing import FACTOR, NOTHING, RESULT, SOURCE, Recipe, Shape, count, packer
from sol.codegen.plan import Kernel
from sol.ir.graph import Attrs

LANES = inner_product.LANES
SIGNS = tuple(map(tuple, inner_product.signs().tolist()))
LARGEST = 100
"""Exponent of the largest factor, and of the inverse of the smallest one."""
SCALES = Kernel(
    "pack_scales", "pack_scales.c.j2", Attrs({"largest": LARGEST}),
    (("in", "const float"), ("factor", "const float"), ("place", "const int32_t"), ("tap", "const int32_t"), ("sums", "double"),
     ("over", "double"), ("columns", "double"), ("empty", "char"), ("inputs", "float")),
    ("groups", "rows", "channels", "taps", "taken", "room", "batch", "row", "channel"),
)  # fmt: skip
SIGNED = Kernel(
    "pack_signs", "pack_signs.c.j2", Attrs({"signs": SIGNS}), (("inputs", "const float"), ("out", "float")), ("groups", "room", "repeats"),
)


def scales_of(recipe: Recipe, groups: int = 1, order: tuple[int, ...] = ()) -> str:
    """Temporary buffer that holds the factors of inputs, those of a group up to whole vectors of LANES."""
    k, channels = recipe.shape[:2]
    taken = len(order) or channels
    place = recipe.table(selected_places(channels, order).astype(np.int32)) if order else NOTHING
    tap, strides, turned = NOTHING, (k // groups * channels * recipe.taps, channels * recipe.taps, recipe.taps), recipe.turned
    turns = turned is not None and turned.groups == groups
    if turned is not None and turns:
        order_of = turned.order()
        tap = recipe.table(np.flatnonzero(order_of >= 0).astype(np.int32))
        strides = (channels * (k // groups) * len(order_of), len(order_of), k // groups * len(order_of))
    span = strides[1] if turns else 1  # places of a row
    sums = 8 * (k * span if turns else groups * channels * recipe.taps)
    sizes = {"sums": sums, "over": 8 * k * span, "columns": 8 * groups * taken, "empty": groups * taken}
    temporaries = [recipe.temporary(f"{name} {groups} {order}", size) for name, size in sizes.items()]
    room = round_up(taken, LANES)
    inputs = recipe.temporary(f"inputs {groups} {order}", 4 * groups * room)
    sizes_of = (groups, k // groups, channels, recipe.taps, taken, room, *strides)
    recipe.launch(SCALES, (SOURCE, FACTOR, place, tap, *temporaries, inputs), sizes_of, turns=turns)
    return inputs


def _signed_shape(shape: Shape, taps: int = 1, groups: int = 1, order: tuple[int, ...] = (), chunks: int = 1) -> Shape:
    return (round_up(len(order) or shape[1], LANES) * groups * taps,)


@packer("inner_product_scales", _signed_shape, floats=True)
def inner_product_scales(recipe: Recipe, *, taps: int = 1, groups: int = 1, order: tuple[int, ...] = (), chunks: int = 1) -> None:
    """w[K, C / groups, *kernel] -> [step][LANES]: what inputs are multiplied by, with the signs of pairs.

    taps: steps of a channel block. order: the channels to take, all if empty. chunks: parts of a group's channels, whose signs begin anew.
    """
    recipe.written += count(_signed_shape(recipe.shape, taps, groups, order)) * recipe.itemsize
    inputs = scales_of(recipe, groups, order)
    room = round_up(len(order) or recipe.shape[1], LANES)
    recipe.launch(SIGNED, (inputs, RESULT), (groups * chunks, room // chunks, taps), after=True)
