"""Packers of weights of bytes, four neighbouring numbers of the reduction together."""

from __future__ import annotations

import numpy as np

from sol.codegen.kernels.packed_steps import BYTES
from sol.codegen.packers.panels import Panels, Rows, block_places, lay, round_up
from sol.codegen.packing import Recipe, Shape, count, packer


def _conv_quads_shape(shape: Shape, lanes: int, vectors: int, block: int, rounded: int) -> Shape:
    return (round_up(shape[0], lanes) * round_up(shape[1], rounded) * count(shape[2:]),)


@packer("conv_quads", _conv_quads_shape)
def conv_quads(recipe: Recipe, *, lanes: int, vectors: int, block: int, rounded: int) -> None:
    """w[K, C, *kernel] of bytes -> [panel][block of channels][r][s][four channels][vectors * lanes][4], flat.

    A panel is as in ``conv_panels``. K is padded with zeros to whole vectors, C to a multiple of ``rounded``, whole fours.
    """
    c, taps = recipe.shape[1], recipe.taps
    rows = Rows(recipe.shape[0], c * taps, c * taps)
    places = block_places(c, taps, block, rounded)
    lay(recipe, rows, Panels(vectors * lanes, lanes, round_up(c, rounded) // BYTES * taps, places, lane=BYTES))


def _conv_rows_shape(shape: Shape, lanes: int, vectors: int, pixel: int, step: int) -> Shape:
    return (round_up(shape[0], lanes) * shape[2] * round_up(shape[3] * pixel, step),)


@packer("conv_rows", _conv_rows_shape)
def conv_rows(recipe: Recipe, *, lanes: int, vectors: int, pixel: int, step: int) -> None:
    """w[K, C, R, S] of bytes -> [panel][r][four of (s, channel)][vectors * lanes][4], flat.

    A panel is as in ``conv_panels``. Zeros pad K to whole vectors, C to ``pixel`` channels, and each row of the filter to ``step`` of them.
    """
    c, taps, across = recipe.shape[1], recipe.taps, recipe.shape[-1]
    width = round_up(across * pixel, step)
    channel, tap = np.divmod(np.arange(c * taps), taps)
    places, rows = tap // across * width + tap % across * pixel + channel, Rows(recipe.shape[0], c * taps, c * taps)
    lay(recipe, rows, Panels(vectors * lanes, lanes, taps // across * width // BYTES, places, lane=BYTES))


def _depthwise_bytes_shape(shape: Shape, lanes: int, neighbours: bool) -> Shape:
    fours = shape[-2] * -(-shape[-1] // BYTES) if neighbours else count(shape[2:])
    return -(-shape[0] // lanes), fours, lanes, BYTES


@packer("depthwise_bytes", _depthwise_bytes_shape)
def depthwise_bytes(recipe: Recipe, *, lanes: int, neighbours: bool) -> None:
    """w[K, 1, R, S] of bytes -> [block][r][s / 4][lanes][4] if neighbours, else [block][r][s][lanes][4], three of them zero.

    What lies beyond channels and taps is zero.
    """
    taps = recipe.taps
    row, tap = np.divmod(np.arange(taps), recipe.shape[-1])
    table = row * round_up(recipe.shape[-1], BYTES) + tap if neighbours else np.arange(taps) * BYTES
    fours = _depthwise_bytes_shape(recipe.shape, lanes, neighbours)[1]
    lay(recipe, Rows(recipe.shape[0], taps, taps), Panels(lanes, lanes, fours, table, lane=BYTES))


def _int_taps_shape(shape: Shape, groups: int, rows: int, neighbours: bool = False) -> Shape:
    taps, channels = count(shape[2:]), shape[1]
    if neighbours:
        taps, channels = count(shape[2:-1]) * -(-shape[-1] // BYTES), BYTES
    return groups, -(-(shape[0] // groups) // rows), -(-channels // BYTES), taps, rows, BYTES


@packer("int_taps", _int_taps_shape)
def int_taps(recipe: Recipe, *, groups: int, rows: int, neighbours: bool = False) -> None:
    """``w[K, C/groups, *kernel]`` as ``[group][block of rows output channels][C / 4][tap][row][4]``, zero beyond both kinds of channels.

    neighbours: there is one channel per group, and four taps of a row take the place of four channels.
    """
    _, _, quads, taps, _, _ = _int_taps_shape(recipe.shape, groups, rows, neighbours)
    per_group, size = recipe.shape[0] // groups, count(recipe.shape[1:])
    if neighbours:
        row, tap = np.divmod(np.arange(size), recipe.shape[-1])
        table: np.ndarray | None = row * round_up(recipe.shape[-1], BYTES) + tap
    else:
        channel, tap = np.divmod(np.arange(size), recipe.taps)
        table = (channel // BYTES * taps + tap) * BYTES + channel % BYTES if taps > 1 else None
    source = Rows(per_group, size, size, batches=groups, in_batch=per_group * size)
    lay(recipe, source, Panels(rows, rows, quads * taps, table, lane=BYTES))


def _int_tiles_shape(shape: Shape, groups: int, rows: int, quads: int) -> Shape:
    size = count(shape[2:]) * round_up(-(-shape[1] // BYTES), quads) * BYTES
    return groups, round_up(shape[0] // groups, rows), size


@packer("int_tiles", _int_tiles_shape)
def int_tiles(recipe: Recipe, *, groups: int, rows: int, quads: int) -> None:
    """``w[K, C/groups, *kernel]`` as ``[group][output channel][C / quads / 4][tap][quads][4]``, zero beyond both kinds of channels.

    Output channels of a group are rounded up to ``rows``. Rows of a matrix tile are ``quads`` groups of four bytes.
    """
    per_group, taps, size = recipe.shape[0] // groups, recipe.taps, count(recipe.shape[1:])
    _, rounded, pitch = _int_tiles_shape(recipe.shape, groups, rows, quads)
    channel, tap = np.divmod(np.arange(size), taps)
    step = quads * BYTES
    table = (channel // step * taps + tap) * step + channel % step if taps > 1 else None
    source = Rows(per_group, size, size, batches=groups, in_batch=per_group * size, out_batch=rounded * pitch)
    lay(recipe, source, Panels(1, 1, pitch // BYTES, table, lane=BYTES))


def _int_panels_shape(shape: Shape, width: int, lanes: int, transposed: bool) -> Shape:
    depth, columns = shape[:-3:-1] if transposed else shape[-2:]
    return count(shape[:-2]), round_up(depth, BYTES) * round_up(columns, lanes)


@packer("int_panels", _int_panels_shape)
def int_panels(recipe: Recipe, *, width: int, lanes: int, transposed: bool) -> None:
    """``B[..., K, N]`` (transposed: ``[N, K]``) as panels ``[batch][panel][K / 4][width][4]``, zero beyond K and N.

    The last panel is only as wide as its columns, rounded up to ``lanes``.
    """
    depth, columns = recipe.shape[:-3:-1] if transposed else recipe.shape[-2:]
    batches, size = count(recipe.shape[:-2]), depth * columns
    panels = Panels(width, lanes, -(-depth // BYTES), lane=BYTES)
    if transposed:
        return lay(recipe, Rows(columns, depth, depth, batches=batches, in_batch=size), panels)
    lay(recipe, Rows(columns, 1, 1, depth, columns, batches, size), panels)
