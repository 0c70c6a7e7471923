"""Packers that compute: filters of Winograd's algorithm, and weights of the fast inner product.

Their sums are made in float64, so that a result may differ from that of another order of summation in its last bit only.
"""

from __future__ import annotations

from math import log2, sqrt

import numpy as np

from sol.codegen.kernels import inner_product
from sol.codegen.kernels.packed_steps import WINOGRAD_STEP, WORD_STEP
from sol.codegen.kernels.winograd_matrices import MODULI, Winograd, winograd
from sol.codegen.kernels.winograd_words import whole_winograd
from sol.codegen.packers.panels import Panels, Rows, block_places, lay, round_up, selected_places
from sol.codegen.packers.scales import LANES, SIGNS, scales_of
from sol.codegen.packing import FACTOR, NOTHING, RESULT, SOURCE, STREAM, Recipe, Shape, count, packer
from sol.codegen.plan import Kernel
from sol.ir.graph import Attrs

MOST = 1 + max(sum(m.products for m in moduli) for moduli in MODULI.values())
"""Products of a tile along an axis, infinity included; taps are fewer."""
PAIRS = Kernel(
    "pack_inner_product", "pack_inner_product.c.j2",
    Attrs({"signs": SIGNS, "pairs": inner_product.PAIRS, "behind": inner_product.BEHIND, "sparse": inner_product.SPARSE}),
    (("inputs", "const float"), ("gains", "const float"), ("out", "float")),
    ("panels", "per_group", "channels", "blocks", "taps", "alike", "chunks", "kinds"),
)
WINOGRAD = Kernel(
    "pack_winograd", "pack_winograd.c.j2", Attrs({"most": MOST}),
    (("in", "const float"), ("factor", "const float"), ("gy", "const double"), ("gx", "const double"), ("out", "float")),
    ("K", "C", "row", "channel", "ry", "rx", "ny", "nx", "width", "kind", STREAM),
)
WORDS = Kernel(
    "pack_winograd_words", "pack_winograd_words.c.j2", Attrs({}),
    (("in", "const int8_t"), ("gy", "const int32_t"), ("gx", "const int32_t"), ("out", "int16_t")),
    ("K", "C", "ry", "rx", "ny", "nx", "width", "kind"),
)
VECTOR = 64
"""Bytes of the longest vector."""
WORD = 2
"""Bytes."""


def _inner_product_shape(shape: Shape, groups: int = 1, order: tuple[int, ...] = (), chunks: int = 1) -> Shape:
    depth = round_up(len(order) or shape[1], LANES) * count(shape[2:])
    return -(-shape[0] // LANES), (depth + chunks * inner_product.BEHIND) * LANES


@packer("inner_product_panels", _inner_product_shape, floats=True)
def inner_product_panels(recipe: Recipe, *, chunks: int = 1) -> None:
    """w[K, C, *kernel] -> [panel][input channel block][r][s][channel][LANES] as pack_inner_product gives; C and K padded with zeros.

    chunks: parts of equally many channel blocks, behind each of which lies what belongs to it.
    """
    _inner_product(recipe, 1, (), alike=1, chunks=chunks)


@packer("inner_product_selected", _inner_product_shape, floats=True)
def inner_product_selected(recipe: Recipe, *, order: tuple[int, ...]) -> None:
    """w[K, C, 1, 1] like inner_product_panels, the channels in the given order."""
    _inner_product(recipe, 1, order, alike=1)


@packer("inner_product_groups", _inner_product_shape, floats=True)
def inner_product_groups(recipe: Recipe, *, groups: int) -> None:
    """w[K, C / groups, *kernel] -> [panel][input channel block][r][s][channel][LANES]; all taps of a channel block have the same signs."""
    _inner_product(recipe, groups, (), alike=recipe.taps)


def _inner_product(recipe: Recipe, groups: int, order: tuple[int, ...], alike: int, chunks: int = 1) -> None:
    k, c, taps = *recipe.shape[:2], recipe.taps
    channels = round_up(len(order) or c, LANES)
    depth = channels * taps
    inputs = scales_of(recipe, groups, order)
    table = selected_places(c, order) if order else block_places(c, taps, LANES, LANES)
    table, beside = table + table // (depth // chunks) * inner_product.BEHIND, (chunks - 1) * inner_product.BEHIND
    lay(recipe, Rows(k, c * taps, c * taps), Panels(LANES, LANES, depth + beside, table, behind=inner_product.BEHIND * LANES))
    panels = -(-k // LANES)
    sizes = (panels * chunks, panels // groups * chunks, channels // chunks, channels // LANES // chunks, taps, alike, chunks, 1)
    _pair(recipe, (inputs, NOTHING, RESULT), sizes)


def _pair(recipe: Recipe, buffers: tuple[str, str, str], sizes: tuple[int, ...]) -> None:
    """Launch that scales panels and writes what lies behind them."""
    panels, kinds = sizes[0], sizes[-1]
    recipe.written += panels * kinds * inner_product.BEHIND * LANES * recipe.itemsize
    recipe.launch(PAIRS, buffers, sizes, after=True)


def _filters(shape: Shape, my: int, mx: int) -> tuple[Winograd, Winograd]:
    ry, rx = (1, *shape[2:])[-2:]
    return winograd(my, ry), winograd(mx, rx)


def _matrix(filter: Winograd) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in filter.g])


def _transform(recipe: Recipe, fy: Winograd, fx: Winograd, width: int, kind: int) -> None:
    """Launch that writes transformed filters, each frequency of a panel ``kind`` elements long."""
    k, c = recipe.shape[:2]
    matrices, taps, row, channel, turned = [_matrix(f) for f in (fy, fx)], (fy.r, fx.r), c * recipe.taps, recipe.taps, recipe.turned
    turns = turned is not None and turned.groups == 1 and len(turned.kernel) == 2 and max(turned.kernel) < MOST
    if turned is not None and turns:  # matrices put the taps in order
        taps = turned.kernel[0], turned.kernel[1]
        matrices = [np.where((at := turned.places(d)) < 0, 0, matrix[:, at]) for d, matrix in enumerate(matrices)]
        row, channel = count(taps), k * count(taps)
    sizes = (k, c, row, channel, *taps, fy.n, fx.n, width, kind)
    recipe.written += k * c * fy.n * fx.n * recipe.itemsize
    scratch = VECTOR * (LANES * count(taps) + LANES) + 4 * LANES * width * fy.n * fx.n
    recipe.launch(WINOGRAD, (SOURCE, FACTOR, *map(recipe.table, matrices), RESULT), sizes, scratch=scratch, turns=turns)


def _winograd_shape(shape: Shape, lanes: int, vectors: int, my: int, mx: int) -> Shape:
    fy, fx = _filters(shape, my, mx)
    width = vectors * lanes
    return -(-shape[0] // width), fy.n * fx.n, round_up(shape[1], WINOGRAD_STEP), width


@packer("winograd_panels", _winograd_shape, floats=True)
def winograd_panels(recipe: Recipe, *, lanes: int, vectors: int, my: int, mx: int) -> None:
    """w[K, C, *taps] -> G w G^T as [panel][frequency][channel][vectors * lanes], transformed in float64.

    my, mx: outputs per tile along the axes. K is padded with zeros to whole panels, C so that the last input block is a
    multiple of ``WINOGRAD_STEP``.
    """
    width = vectors * lanes
    _transform(recipe, *_filters(recipe.shape, my, mx), width, round_up(recipe.shape[1], WINOGRAD_STEP) * width)


def _winograd_inner_product_shape(shape: Shape, my: int, mx: int) -> Shape:
    fy, fx = _filters(shape, my, mx)
    return -(-shape[0] // LANES), fy.n * fx.n, (shape[1] + inner_product.BEHIND) * LANES


@packer("winograd_inner_product", _winograd_inner_product_shape, floats=True)
def winograd_inner_product(recipe: Recipe, *, my: int, mx: int) -> None:
    """w[K, C, *taps] -> G w G^T as [panel][frequency][channel][LANES] and what pack_inner_product puts behind, transformed in float64.

    C is whole vectors, K is padded with zeros. All frequencies of a panel get the same least share. A frequency's weights
    are scaled to the magnitude that its inputs have, if those of a tile are scaled to one.
    """
    k, c = recipe.shape[:2]
    fy, fx = _filters(recipe.shape, my, mx)
    squares = [[sum(float(x) ** 2 for x in row) for row in f.bt] for f in (fy, fx)]
    powers = [round(log2(sqrt(a * b))) for a in squares[0] for b in squares[1]]
    gains = recipe.table(np.exp2(np.array(powers, np.float32)))
    inputs = scales_of(recipe)
    _transform(recipe, fy, fx, LANES, (c + inner_product.BEHIND) * LANES)
    panels = -(-k // LANES)
    _pair(recipe, (inputs, gains, RESULT), (panels, panels, c, c // LANES, 1, 1, 1, fy.n * fx.n))


def _winograd_words_shape(shape: Shape, lanes: int, vectors: int, my: int, mx: int) -> Shape:
    products = whole_winograd(my, shape[2]).n * whole_winograd(mx, shape[3]).n
    width = vectors * lanes
    return -(-shape[0] // width), products, round_up(shape[1], WORD_STEP), width * WORD


@packer("winograd_words", _winograd_words_shape)
def winograd_words(recipe: Recipe, *, lanes: int, vectors: int, my: int, mx: int) -> None:
    """w[K, C, R, S] of bytes -> G w G^T as words, in pairs of channels: [panel][frequency][channel / 2][vectors * lanes][2].

    G is whole (kernels/winograd_words.py). K is padded with zeros to whole panels, C so that the last input block is a multiple of
    ``WORD_STEP``.
    """
    (k, c, *taps), width = recipe.shape, vectors * lanes
    filters = whole_winograd(my, taps[0]), whole_winograd(mx, taps[1])
    gy, gx = (recipe.table(np.array([[int(x) for x in row] for row in f.g], np.int32)) for f in filters)
    ny, nx = (f.n for f in filters)
    scratch = np.dtype(np.int32).itemsize * width * (taps[0] * taps[1] + ny * taps[1] + 1)
    recipe.launch(WORDS, (SOURCE, gy, gx, RESULT), (k, c, *taps, ny, nx, width, round_up(c, WORD_STEP) * width), scratch=scratch)
