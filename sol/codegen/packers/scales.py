"""Powers of two by which fast algorithms scale a convolution's channels, lest what they add up be of different size.

Strassen's algorithm and Winograd's inner product add inputs of different channels, and weights of different outputs. Errors are then in
units of the largest of them, where those of the usual product are in units of what an output adds up. Networks whose normalisation was
folded into their weights have channels a thousand times as large as others, and weights that make up for it. So inputs are multiplied by a
factor of their channel, weights are divided by it, and by one of their output, by which results are multiplied: all exact.
Source: G. Ballard, A. R. Benson, A. Druinsky, B. Lipshitz, O. Schwartz, Improving the numerical stability of fast matrix multiplication,
SIAM Journal on Matrix Analysis and Applications 37, 2016.

Weights divided by both factors have about the same size in each input and each output channel. The largest factor of the inputs of a
group is 1, that of a channel without weights 0; the factor of an output without weights is 0 too.
"""

from __future__ import annotations

import numpy as np

from sol.codegen.kernels import pairs
from sol.codegen.packers.panels import round_up, selected_places
from sol.codegen.packing import FACTOR, NOTHING, RESULT, SOURCE, Recipe, Shape, packer
from sol.codegen.plan import Kernel
from sol.ir.graph import Attrs

LANES = pairs.LANES
SIGNS = tuple(map(tuple, pairs.signs().tolist()))
LARGEST = 100
"""Exponent of the largest factor, and of the inverse of the smallest one."""
SCALES = Kernel(
    "pack_scales", "pack_scales.c.j2", Attrs({"signs": SIGNS, "largest": LARGEST}),
    (("in", "const float"), ("factor", "const float"), ("place", "const int32_t"), ("squares", "double"), ("over", "double"),
     ("columns", "double"), ("empty", "char"), ("results", "float"), ("inputs", "float"), ("signed_", "float")),
    ("groups", "rows", "channels", "taps", "taken", "room", "repeats"),
)  # fmt: skip


def channel_scales(
    recipe: Recipe, groups: int = 1, order: tuple[int, ...] = (), *, results: str = NOTHING, inputs: str = NOTHING, signed: str = NOTHING,
    repeats: int = 1, padded: bool = True,
) -> None:  # fmt: skip
    """Launch that writes factors of channels to these buffers. padded: inputs of a group up to whole vectors of LANES."""
    k, channels = recipe.shape[:2]
    taken = len(order) or channels
    room = round_up(taken, LANES) if padded else taken
    place = recipe.table(selected_places(channels, order).astype(np.int32)) if order else NOTHING
    mark = f"{groups} {order}"
    sizes = {"squares": 8 * k * taken, "over": 8 * k, "columns": 8 * groups * taken, "empty": groups * taken}
    temporaries = [recipe.temporary(f"{name} {mark}", size) for name, size in sizes.items()]
    buffers = (SOURCE, FACTOR, place, *temporaries, results, inputs, signed)
    recipe.launch(SCALES, buffers, (groups, k // groups, channels, recipe.taps, taken, room, repeats))


def scales_of(recipe: Recipe, groups: int = 1, order: tuple[int, ...] = (), padded: bool = True) -> tuple[str, str]:
    """Temporary buffers that hold the factors of results and inputs."""
    taken = len(order) or recipe.shape[1]
    results = recipe.temporary(f"results {groups} {order}", 4 * recipe.shape[0])
    inputs = recipe.temporary(f"inputs {groups} {order} {padded}", 4 * groups * round_up(taken, LANES))
    channel_scales(recipe, groups, order, results=results, inputs=inputs, padded=padded)
    return results, inputs


@packer("input_scales", lambda shape: shape[1:2], floats=True)
def input_scales(recipe: Recipe) -> None:
    """The factors of a convolution's input channels, by w[K, C, *kernel]."""
    channel_scales(recipe, inputs=RESULT, padded=False)


@packer("result_scales", lambda shape: shape[:1], floats=True)
def result_scales(recipe: Recipe) -> None:
    """The factors of a convolution's results, by w[K, C, *kernel]."""
    channel_scales(recipe, results=RESULT)


def _signed_shape(shape: Shape, taps: int = 1, groups: int = 1, order: tuple[int, ...] = ()) -> Shape:
    return (round_up(len(order) or shape[1], LANES) * groups * taps,)


@packer("pair_scales", _signed_shape, floats=True)
def pair_scales(recipe: Recipe, *, taps: int = 1, groups: int = 1, order: tuple[int, ...] = ()) -> None:
    """w[K, C / groups, *kernel] -> [step][LANES]: what inputs are multiplied by, with the signs of pairs.

    taps: steps of a channel block. order: the channels to take, all if empty.
    """
    channel_scales(recipe, groups, order, signed=RESULT, repeats=taps)
