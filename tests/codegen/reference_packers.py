"""What packers give, in numpy: the reference of the kernels that pack weights, and how the tests of other kernels get theirs."""

from __future__ import annotations

from collections.abc import Callable
from math import log2, prod, sqrt

import numpy as np

from sol.codegen.kernels import inner_product
from sol.codegen.kernels.winograd_matrices import winograd
from sol.codegen.kernels.winograd_words import whole_winograd
from sol.codegen.packers.scales import LARGEST
from sol.codegen.plan import Pack

REFERENCES: dict[str, Callable[..., np.ndarray]] = {}
LANES = inner_product.LANES


def reference(kind: str) -> Callable[[Callable[..., np.ndarray]], Callable[..., np.ndarray]]:
    """Decorator that registers the reference of a packer."""

    def add(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        REFERENCES[kind] = function
        return function

    return add


def apply_pack(pack: Pack, array: np.ndarray) -> np.ndarray:
    """The packed array."""
    return np.ascontiguousarray(REFERENCES[pack.kind](array, **pack.attrs))


def padded(array: np.ndarray, axis: int, size: int) -> np.ndarray:
    """The array with zeros behind it along an axis."""
    return np.pad(array, [(0, size - n if i == axis else 0) for i, n in enumerate(array.shape)])


def up(n: int, step: int) -> int:
    return -(-n // step) * step


def in_panels(rows: np.ndarray, width: int, lanes: int) -> np.ndarray:
    """[rows][…] as [panel][…][width] flat; the last panel is as wide as what is left, rounded up to ``lanes``."""
    parts = [rows[i : i + width] for i in range(0, len(rows), width)]
    return np.concatenate([np.moveaxis(padded(p, 0, up(len(p), lanes)), 0, -1).reshape(-1) for p in parts])


@reference("plain")
def plain(array: np.ndarray) -> np.ndarray:
    return array


@reference("channels")
def channels(array: np.ndarray, *, block: int) -> np.ndarray:
    return padded(array.reshape(-1), 0, up(array.size, block))


@reference("blocked")
def blocked(array: np.ndarray, *, block: int, rank: int) -> np.ndarray:
    full: np.ndarray = np.expand_dims(array, tuple(range(rank - array.ndim)))
    n, c, *spatial = full.shape
    return np.moveaxis(padded(full, 1, up(c, block)).reshape(n, -1, block, *spatial), 2, -1)


@reference("conv_panels")
def conv_panels(array: np.ndarray, *, lanes: int, vectors: int, groups: int) -> np.ndarray:
    c, taps = array.shape[1], prod(array.shape[2:])
    parts = []
    for w in array.reshape(groups, -1, c, taps):
        for row in range(0, len(w), vectors * lanes):
            panel = w[row : row + vectors * lanes]
            panel = padded(panel, 0, up(len(panel), lanes))
            for first in range(0, c, lanes):
                block = panel[:, first : first + lanes]
                parts.append(padded(block, 1, up(block.shape[1], 2)).transpose(2, 1, 0).reshape(-1))
    return np.concatenate(parts)


@reference("conv_pairs")
def conv_pairs(array: np.ndarray, *, lanes: int, vectors: int, groups: int, block: int) -> np.ndarray:
    c, taps = array.shape[1], prod(array.shape[2:])
    parts = []
    for w in array.reshape(groups, -1, c, taps):
        for row in range(0, len(w), vectors * lanes):
            panel = padded(padded(w[row : row + vectors * lanes], 0, up(len(w[row : row + vectors * lanes]), lanes)), 1, up(c, block))
            blocks = panel.reshape(len(panel), -1, block // 2, 2, taps)
            parts.append(blocks.transpose(1, 4, 2, 0, 3).reshape(-1))
    return np.concatenate(parts)


@reference("conv_quads")
def conv_quads(array: np.ndarray, *, lanes: int, vectors: int, block: int, rounded: int) -> np.ndarray:
    c, taps = array.shape[1], prod(array.shape[2:])
    w, parts = array.reshape(-1, c, taps), []
    for row in range(0, len(w), vectors * lanes):
        panel = padded(w[row : row + vectors * lanes], 0, up(len(w[row : row + vectors * lanes]), lanes))
        for first in range(0, c, block):
            some = panel[:, first : first + block]
            fours = padded(some, 1, up(some.shape[1], rounded)).reshape(len(panel), -1, 4, taps)
            parts.append(fours.transpose(3, 1, 0, 2).reshape(-1))
    return np.concatenate(parts)


@reference("conv_rows")
def conv_rows(array: np.ndarray, *, lanes: int, vectors: int, pixel: int, step: int) -> np.ndarray:
    k, parts = len(array), []
    by_row = padded(array.transpose(0, 2, 3, 1), 3, pixel).reshape(k, array.shape[2], -1)
    w = padded(by_row, 2, up(by_row.shape[2], step)).reshape(k, -1, 4)
    for row in range(0, k, vectors * lanes):
        panel = w[row : row + vectors * lanes]
        parts.append(padded(panel, 0, up(len(panel), lanes)).transpose(1, 0, 2).reshape(-1))
    return np.concatenate(parts)


@reference("conv_windows")
def conv_windows(array: np.ndarray, *, lanes: int, vectors: int, block: int) -> np.ndarray:
    k, parts = len(array), []
    flat = np.moveaxis(array, 1, -1).reshape(k, -1)
    w = padded(flat, 1, up(flat.shape[1], block)).reshape(k, -1, 2)
    for row in range(0, k, vectors * lanes):
        panel = w[row : row + vectors * lanes]
        parts.append(padded(panel, 0, up(len(panel), lanes)).transpose(1, 0, 2).reshape(-1))
    return np.concatenate(parts)


@reference("matrix_parts")
def matrix_parts(array: np.ndarray, *, transposed: bool, slice: int) -> np.ndarray:
    w = (array.reshape(len(array), -1).T if transposed else array).astype(np.float32)
    w = padded(padded(w, 0, up(len(w), 32)), 1, up(w.shape[1], 16))
    parts, rest = [], w.copy()
    for _ in range(3):
        bits = rest.view(np.uint32)
        upper = (bits + np.uint32(0x8000)) & np.uint32(0xFFFF0000)
        upper = np.where(np.isfinite(rest) & np.isfinite(upper.view(np.float32)), upper, bits & np.uint32(0xFFFF0000))
        part = np.where(np.isnan(rest), np.float32(np.nan), upper.view(np.float32))
        parts.append(part)
        rest = np.where(np.isfinite(w), rest - np.where(np.isfinite(part), part, 0), np.float32(0))
    found = []
    for step in range(0, len(w), 32 * slice):
        for column in range(0, w.shape[1], 32):
            some = np.stack([part[step : step + 32 * slice, column : column + 32] for part in parts])  # part, step, column
            tiles = some.reshape(3, some.shape[1] // 32, 2, 16, -1, 16)  # part, block, second of a pair, pair, tile, column
            found.append(tiles.transpose(1, 0, 4, 3, 5, 2).reshape(-1))
    halves = (np.concatenate(found).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return halves.view(np.float32)


@reference("depthwise_bytes")
def depthwise_bytes(array: np.ndarray, *, lanes: int, neighbours: bool) -> np.ndarray:
    k, _, rows, taps = array.shape
    w = padded(array, 0, up(k, lanes)).reshape(-1, lanes, rows, taps)
    fours = padded(w, 3, up(taps, 4)).reshape(*w.shape[:3], -1, 4) if neighbours else padded(w[..., None], 4, 4)
    return fours.transpose(0, 2, 3, 1, 4).reshape(len(w), -1, lanes, 4)


@reference("gemm_pairs")
def gemm_pairs(array: np.ndarray, *, width: int, lanes: int) -> np.ndarray:
    panels = [padded(array[n : n + width], 1, up(array.shape[1], 2)) for n in range(0, len(array), width)]
    rows = [padded(p, 0, up(len(p), lanes)) for p in panels]
    return np.concatenate([p.reshape(len(p), -1, 2).transpose(1, 0, 2).reshape(-1) for p in rows])


@reference("conv_stem")
def conv_stem(array: np.ndarray, *, lanes: int, vectors: int) -> np.ndarray:
    return in_panels(array.reshape(*array.shape[:2], -1), vectors * lanes, lanes)


@reference("conv_selected")
def conv_selected(array: np.ndarray, *, lanes: int, vectors: int, order: tuple[int, ...]) -> np.ndarray:
    return conv_stem(array[:, list(order)], lanes=lanes, vectors=vectors)


@reference("conv_depthwise")
def conv_depthwise(array: np.ndarray, *, block: int) -> np.ndarray:
    taps = prod(array.shape[2:])
    return padded(array.reshape(-1, taps), 0, up(len(array), block)).reshape(-1, block, taps).transpose(0, 2, 1)


@reference("conv_grouped")
def conv_grouped(array: np.ndarray, *, block: int) -> np.ndarray:
    g, taps = array.shape[1], prod(array.shape[2:])
    return padded(array, 0, up(len(array), block)).reshape(-1, block, g, taps).transpose(0, 3, 2, 1)


@reference("conv_plain")
def conv_plain(array: np.ndarray, *, groups: int, width: int, transposed: bool) -> np.ndarray:
    flat = array.reshape(groups, -1, array.shape[1], prod(array.shape[2:]))
    ordered = flat.transpose(0, 1, 3, 2) if transposed else flat.transpose(0, 2, 3, 1)  # [G, C/G, taps, K/G]
    out = padded(ordered, 3, up(ordered.shape[-1], width))
    return np.moveaxis(out.reshape(*out.shape[:-1], -1, width), 3, 1)


def _matrices(array: np.ndarray, transposed: bool) -> np.ndarray:
    """[batch][columns][depth]."""
    b = array if transposed else array.swapaxes(-1, -2)
    return b.reshape(-1, *b.shape[-2:])


@reference("gemm_panels")
def gemm_panels(array: np.ndarray, *, width: int, lanes: int, transposed: bool) -> np.ndarray:
    return np.stack([in_panels(m, width, lanes) for m in _matrices(array, transposed)])


@reference("gemm_rows")
def gemm_rows(array: np.ndarray) -> np.ndarray:
    return array.T


@reference("recurrent_panels")
def recurrent_panels(array: np.ndarray, *, gates: int, lanes: int, step: int) -> np.ndarray:
    hidden = array.shape[1]
    whole = padded(padded(array.reshape(gates, hidden, hidden), 1, up(hidden, lanes)), 2, up(hidden, step))
    return whole.reshape(gates, -1, lanes, whole.shape[-1]).transpose(1, 3, 0, 2)


@reference("recurrent_bias")
def recurrent_bias(array: np.ndarray, *, gates: int, lanes: int) -> np.ndarray:
    hidden = array.size // gates
    return padded(array.reshape(gates, hidden), 1, up(hidden, lanes)).reshape(gates, -1, lanes).transpose(1, 0, 2)


@reference("int_taps")
def int_taps(array: np.ndarray, *, groups: int, rows: int, neighbours: bool = False) -> np.ndarray:
    if neighbours:
        array = padded(array, array.ndim - 1, up(array.shape[-1], 4))
        array = np.moveaxis(array.reshape(*array.shape[:-1], -1, 4)[:, 0], -1, 1)
    k, c = array.shape[:2]
    whole = padded(padded(array.reshape(groups, k // groups, c, -1), 1, up(k // groups, rows)), 2, up(c, 4))
    return whole.reshape(groups, -1, rows, up(c, 4) // 4, 4, whole.shape[-1]).transpose(0, 1, 3, 5, 2, 4)


@reference("int_tiles")
def int_tiles(array: np.ndarray, *, groups: int, rows: int, quads: int) -> np.ndarray:
    k, c = array.shape[:2]
    whole = padded(padded(array.reshape(groups, k // groups, c, -1), 1, up(k // groups, rows)), 2, up(c, 4 * quads))
    steps = whole.reshape(*whole.shape[:2], -1, 4 * quads, whole.shape[-1])
    return steps.swapaxes(3, 4).reshape(groups, whole.shape[1], -1)


@reference("int_panels")
def int_panels(array: np.ndarray, *, width: int, lanes: int, transposed: bool) -> np.ndarray:
    found = []
    for m in _matrices(array, transposed):
        groups = padded(m, 1, up(m.shape[1], 4)).reshape(len(m), -1, 4)
        parts = [groups[i : i + width] for i in range(0, len(m), width)]
        found.append(np.concatenate([padded(p, 0, up(len(p), lanes)).swapaxes(0, 1).reshape(-1) for p in parts]))
    return np.stack(found)


def input_scales(weights: np.ndarray, groups: int = 1) -> np.ndarray:
    """Factors [C] of the inputs for w[K, C / groups, *kernel], float32 powers of two."""
    k, c = weights.shape[:2]
    squares = np.square(weights.reshape(k, c, -1), dtype=np.float64)
    squares = np.where(np.isfinite(squares), squares, 1).sum(2).reshape(groups, k // groups, c)
    rows = _power(squares.mean(2))
    columns = _power((squares / np.square(rows)[:, :, None]).mean(1))
    inputs = columns / columns.max(1, keepdims=True, initial=2.0**-LARGEST)
    inputs = np.maximum(inputs, 2.0**-LARGEST)
    inputs[squares.max(1, initial=0) == 0] = 0
    return inputs.reshape(-1).astype(np.float32)


def inverse(scales: np.ndarray) -> np.ndarray:
    """What divides by them: 1 for those that are 0."""
    return np.reciprocal(np.where(scales == 0, 1, scales))


def _power(squares: np.ndarray) -> np.ndarray:
    """The power of two up to the root; 1 for zero."""
    exponents = np.floor(np.log2(np.where(squares > 0, squares, 1)) / 2)
    return np.exp2(np.clip(exponents, -LARGEST, LARGEST))


def padded_scales(array: np.ndarray, groups: int = 1) -> np.ndarray:
    """Factors of the input channels of w[K, C / groups, *kernel], zeros behind the last one up to whole vectors."""
    scales = input_scales(array, groups)
    return np.pad(scales, (0, -len(scales) % LANES)) if groups == 1 else scales


@reference("inner_product_scales")
def inner_product_scales(
    array: np.ndarray, *, taps: int = 1, groups: int = 1, order: tuple[int, ...] = (), chunks: int = 1
) -> np.ndarray:
    scales = padded_scales(array[:, list(order)] if order else array, groups)
    steps = np.repeat(scales.reshape(-1, 1, LANES), taps, 1).reshape(groups * chunks, -1, LANES)
    return (steps * np.resize(inner_product.signs(), steps.shape[1:])).reshape(-1)


def pack_inner_product(weights: np.ndarray, scales: np.ndarray, taps: int = 1, alike: int = 1) -> np.ndarray:
    """weights [LANES outputs, input channels * taps] -> [step][channel][LANES], scaled, then what pairs subtract, factors, least share.

    Sums are made in float64. alike: steps in a row that have the same signs. scales: of the input channels.
    """
    depth = weights.shape[1]
    blocks = depth // taps // LANES
    weights = weights * np.repeat(inverse(scales), taps)
    size = np.sqrt(np.square(weights, dtype=np.float64).sum(-1) / depth)
    mean = np.abs(weights).sum(-1, dtype=np.float64) / depth
    exponent = np.clip(np.floor(np.log2(np.where((size > 0) & np.isfinite(size), size, 1.0))), -120, 120).astype(np.float32)
    steps = np.resize(np.repeat(inner_product.signs(), alike, 0), (blocks, taps, LANES)).transpose(0, 2, 1)
    rows = weights * steps.reshape(-1) * np.exp2(-exponent)[:, None]
    packed = rows.reshape(LANES, blocks, LANES, taps).transpose(1, 3, 2, 0)
    products = packed[..., : inner_product.PAIRS, :] * packed[..., LANES // 2 : LANES // 2 + inner_product.PAIRS, :]
    finite = np.isfinite(size) & np.isfinite(mean)
    largest, average = (np.where(finite, x, 0).max() for x in (size, mean))
    least = np.full(LANES, inner_product.SPARSE * np.square(largest / (average if average > 0 else 1)))
    parts = (packed, products.sum((0, 1, 2), dtype=np.float64), np.where(size == 0, 0, np.exp2(exponent)), least)
    return np.concatenate([x.reshape(-1) for x in parts]).astype(np.float32)


def _inner_product(array: np.ndarray, groups: int, alike: int) -> np.ndarray:
    scales = padded_scales(array, groups).reshape(groups, -1)
    whole = padded(padded(array, 0, up(len(array), LANES)), 1, up(array.shape[1], LANES))
    panels = whole.reshape(-1, LANES, prod(whole.shape[1:]))
    each = len(panels) // groups
    return np.stack([pack_inner_product(p, scales[i // each], prod(array.shape[2:]), alike) for i, p in enumerate(panels)])


@reference("inner_product_panels")
def inner_product_panels(array: np.ndarray, *, chunks: int = 1) -> np.ndarray:
    if chunks == 1:
        return _inner_product(array, 1, 1)
    scales, k = padded_scales(array).reshape(chunks, -1), up(len(array), LANES)
    parts = padded(array, 0, k).reshape(k // LANES, LANES, chunks, -1).transpose(0, 2, 1, 3)
    panels = [[pack_inner_product(p, scales[i], prod(array.shape[2:])) for i, p in enumerate(panel)] for panel in parts]
    return np.array(panels).reshape(k // LANES, -1)


@reference("inner_product_selected")
def inner_product_selected(array: np.ndarray, *, order: tuple[int, ...]) -> np.ndarray:
    return _inner_product(array[:, list(order)], 1, 1)


@reference("inner_product_groups")
def inner_product_groups(array: np.ndarray, *, groups: int) -> np.ndarray:
    return _inner_product(array, groups, prod(array.shape[2:]))


def _transformed(array: np.ndarray, my: int, mx: int) -> np.ndarray:
    """w[K, C, *taps] -> G w G^T [frequency][K][C] in float64."""
    k, c = array.shape[:2]
    ry, rx = (1, *array.shape[2:])[-2:]
    gy, gx = (np.array([[float(x) for x in row] for row in winograd(m, r).g]) for m, r in ((my, ry), (mx, rx)))
    return np.tensordot(np.kron(gy, gx), array.reshape(k, c, -1).astype(np.float64), (1, 2))


@reference("winograd_panels")
def winograd_panels(array: np.ndarray, *, lanes: int, vectors: int, my: int, mx: int) -> np.ndarray:
    width = vectors * lanes
    found = _transformed(array, my, mx).astype(np.float32)
    whole = padded(padded(found, 1, up(found.shape[1], width)), 2, up(found.shape[2], 4))
    return whole.reshape(len(whole), -1, width, whole.shape[2]).transpose(1, 0, 3, 2)


@reference("winograd_words")
def winograd_words(array: np.ndarray, *, lanes: int, vectors: int, my: int, mx: int) -> np.ndarray:
    width = vectors * lanes
    gy, gx = (np.array([[int(x) for x in row] for row in whole_winograd(m, r).g], np.int16) for m, r in zip((my, mx), array.shape[2:]))
    found = np.einsum("ir,kcrs,js->ijkc", gy, array.astype(np.int16), gx).reshape(len(gy) * len(gx), *array.shape[:2])
    whole = padded(padded(found, 1, up(found.shape[1], width)), 2, up(found.shape[2], 4))
    pairs = whole.reshape(len(whole), -1, width, whole.shape[2] // 2, 2).transpose(1, 0, 3, 2, 4)
    return np.ascontiguousarray(pairs, np.int16).view(np.int8).reshape(*pairs.shape[:2], whole.shape[2], 2 * width)


@reference("winograd_inner_product")
def winograd_inner_product(array: np.ndarray, *, my: int, mx: int) -> np.ndarray:
    ry, rx = (1, *array.shape[2:])[-2:]
    powers = [round(log2(sqrt(sum(float(x * y) ** 2 for x in a for y in b)))) for a in winograd(my, ry).bt for b in winograd(mx, rx).bt]
    found = _transformed(array, my, mx).astype(np.float32)
    whole, scales = padded(found, 1, up(len(array), LANES)), padded_scales(array)
    panels = np.stack([[pack_inner_product(f[k : k + LANES], scales) for f in whole] for k in range(0, whole.shape[1], LANES)])
    gain = np.exp2(np.array(powers, np.float32))[:, None]
    panels[..., : -3 * LANES] *= gain
    panels[..., -3 * LANES : -2 * LANES] *= gain * gain
    panels[..., -2 * LANES : -LANES] /= gain
    panels[..., -LANES:] = panels[..., -LANES:].max(1, keepdims=True)
    return panels
