"""Packers that only move elements: rows of constants into panels, groups and blocks, and copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sol.codegen.kernels.packed_steps import BYTES, DIRECT_STEP
from sol.codegen.packing import FACTOR, NOTHING, RESULT, SOURCE, STREAM, Recipe, Shape, count, packer
from sol.codegen.plan import Kernel
from sol.errors import SolError
from sol.ir.graph import Attrs

ELEMENTS = {4: "float", 1: "uint8_t", 2: "uint16_t", 8: "double"}
"""C types that elements of so many bytes are moved as."""

COPY = Kernel(
    "pack_copy", "pack_copy.c.j2", Attrs({"longest": 1 << 16}), (("in", "const char"), ("out", "char")),
    ("n0", "n1", "n2", "size", "in0", "in1", "in2", "out0", "out1", "out2"),
)  # fmt: skip
PANELS = {
    size: Kernel(
        f"pack_panels_{8 * size}", "pack_panels.c.j2", Attrs({"bytes": size, "piece": 1024 // size}),
        (("in", f"const {c}"), ("factor", "const float"), ("place", "const int32_t"), ("out", c)),
        ("batches", "in_batch", "out_batch", "factor_batch", "panels", "in_panel", "out_panel", "count", "room", "row", "runs", "run",
         "hop", "step", "lane", STREAM),
    )
    for size, c in ELEMENTS.items()
}  # fmt: skip
"""The kernel by the bytes of an element."""
SIDE = 16
"""Rows that ``MATRIX_PAIRS`` take at once."""
MATRIX_PAIRS = {
    (source, crossed): Kernel(
        f"pack_pairs_{'f32' if source == 'float' else '16'}{'_crossed' * crossed}", "pack_pairs.c.j2",
        Attrs({"source": source, "crossed": crossed, "piece": 8 if crossed else 1024}),
        (("in", f"const {source}"), ("out", "uint16_t")), ("N", "K", "row", "width", STREAM),
    )
    for source, crossed in (("float", False), ("float", True), ("uint16_t", False))
}  # fmt: skip
"""The kernel by the matrix's elements, and whether its memory is that of its transpose."""


@dataclass(frozen=True)
class Rows:
    """Rows of a constant that shall lie side by side.

    rows: of a batch, ``row`` elements apart. runs pieces of ``run`` neighbouring elements of a row, ``hop`` elements apart, are its places.
    batches: how many there are, and elements from one to the next. In the packed array these are ``out_batch`` elements apart (None: one
    behind the other).
    """

    rows: int
    row: int
    run: int
    runs: int = 1
    hop: int = 0
    batches: int = 1
    in_batch: int = 0
    out_batch: int | None = None


@dataclass(frozen=True)
class Panels:
    """How they lie: panels of ``width`` rows, the last one as wide as what is left, rounded up.

    depth: places of a panel. table: where in it each of a row's places goes, negative ones nowhere; None: in their order. spread: panels
    that lie interleaved, place by place. lane: elements of a group (4 for bytes, else 1). behind: elements by which a panel is longer.
    """

    width: int
    rounded: int
    depth: int
    table: np.ndarray | None = None
    spread: int = 1
    lane: int = 1
    behind: int = 0

    def size(self, rows: int) -> int:
        """Elements of a batch of so many rows."""
        return self.depth * self.lane * self.spread * (rows // self.width * self.width + round_up(rows % self.width, self.rounded))


def round_up(n: int, step: int) -> int:
    return -(-n // step) * step


def _turned(recipe: Recipe, rows: Rows, panels: Panels) -> tuple[Rows, Panels] | None:
    """Rows of whole filters as they lie in a constant that is to be read turned, in pieces of a channel's taps; None if they do not."""
    turned, (k, c), taps = recipe.turned, recipe.shape[:2], recipe.taps
    assert turned is not None
    if rows.run != c * taps or rows.row != rows.run or rows.runs != 1 or panels.lane == BYTES:
        return None
    width, per_group, out_batch = panels.width, k // turned.groups, rows.out_batch
    if rows.batches == 1 and c > 1 and per_group % width == 0:
        out_batch = per_group // width * (panels.depth * panels.lane * panels.spread * width + panels.behind)
        rows = replace(rows, rows=per_group, batches=turned.groups)
    if rows.batches not in (1, turned.groups) or rows.rows * rows.batches != k or rows.batches < turned.groups and c > 1:
        return None
    size = len(order := turned.order())
    hop = per_group * size
    places = np.arange(c * taps) if panels.table is None else panels.table
    table = np.where(order < 0, -1, places.reshape(c, taps)[:, order]).reshape(-1)
    read = Rows(rows.rows, size, size, c, hop, rows.batches, c * hop, out_batch)
    return read, replace(panels, table=None if taps == size == 1 and panels.table is None else table)


def lay(recipe: Recipe, rows: Rows, panels: Panels) -> None:
    """Launches that write the panels: the full ones, and the last one of every batch where it is narrower."""
    turned = None
    if recipe.turned is not None:
        turned = _turned(recipe, rows, panels)
        rows, panels = turned or (rows, panels)
    if panels.lane == BYTES and panels.table is None and rows.run % BYTES == 0:
        return _lay_words(recipe, rows, panels)
    place = NOTHING if panels.table is None else recipe.table(panels.table.astype(np.int32))
    whole, rest = divmod(rows.rows, panels.width)
    out_batch = panels.size(rows.rows) if rows.out_batch is None else rows.out_batch
    spread, size = panels.lane * panels.spread, recipe.itemsize
    places = rows.runs * rows.run if panels.table is None else int((panels.table >= 0).sum())
    recipe.written += rows.batches * rows.rows * places * size
    found = [(0, whole, panels.width, panels.width), (whole * panels.width, 1, rest, round_up(rest, panels.rounded))]
    for first, number, taken, room in found:
        if number and taken:
            factor = (FACTOR, 4 * first) if recipe.scales else NOTHING
            start = first * panels.depth * spread + first // panels.width * panels.behind
            recipe.launch(
                PANELS[size], [(SOURCE, first * rows.row * size), factor, place, (RESULT, start * size)],
                (rows.batches, rows.in_batch, out_batch, rows.rows, number, taken * rows.row, panels.depth * room * spread + panels.behind,
                 taken, room * panels.lane, rows.row, rows.runs, rows.run, rows.hop, room * spread, panels.lane),
                turns=turned is not None,
            )  # fmt: skip


def _lay_words(recipe: Recipe, rows: Rows, panels: Panels) -> None:
    """``lay`` for groups of four bytes that lie together in the constant, too."""
    recipe.itemsize *= BYTES
    sizes = {name: getattr(rows, name) // BYTES for name in ("row", "run", "hop", "in_batch")}
    out_batch = None if rows.out_batch is None else rows.out_batch // BYTES
    lay(recipe, replace(rows, out_batch=out_batch, **sizes), replace(panels, lane=1))
    recipe.itemsize //= BYTES


def copy(recipe: Recipe, size: int, loops: Sequence[tuple[int, int, int]] = (), start: tuple[int, int] = (0, 0)) -> None:
    """Launch that copies pieces of ``size`` elements.

    loops: at most three, outermost first: how many, elements between them in the constant and in the packed array.
    start: the first element in both.
    """
    bytes = recipe.itemsize
    whole = [(1, 0, 0)] * (3 - len(loops)) + list(loops)
    numbers, sources, results = zip(*whole)
    buffers = [(SOURCE, start[0] * bytes), (RESULT, start[1] * bytes)]
    recipe.written += count(numbers) * size * bytes
    recipe.launch(COPY, buffers, (*numbers, size * bytes, *(s * bytes for s in sources), *(r * bytes for r in results)))
    recipe.scales = False


@packer("plain", lambda shape: shape)
def plain(recipe: Recipe) -> None:
    """Row-major, as it is."""
    copy(recipe, count(recipe.shape))


@packer("channels", lambda shape, block: (round_up(count(shape), block),))
def channels(recipe: Recipe, *, block: int) -> None:
    """A per-channel vector of any broadcast shape, padded with zeros to a multiple of ``block``."""
    copy(recipe, count(recipe.shape))


def _blocked_shape(shape: Shape, block: int, rank: int) -> Shape:
    n, c, *spatial = _of_rank(shape, rank)
    return (n, -(-c // block), *spatial, block)


def _of_rank(shape: Shape, rank: int) -> Shape:
    return (1,) * (rank - len(shape)) + tuple(shape)


@packer("blocked", _blocked_shape)
def blocked(recipe: Recipe, *, block: int, rank: int) -> None:
    """A constant of any broadcast shape as ``[N, ceil(C/c), *spatial, c]``, lanes beyond C zero."""
    n, c, *spatial = _of_rank(recipe.shape, rank)
    pixels = count(spatial)
    recipe.scales = False
    if pixels == 1:
        return copy(recipe, c, [(n, c, round_up(c, block))])
    lay(recipe, Rows(c, pixels, pixels, batches=n, in_batch=c * pixels), Panels(block, block, pixels))


def _conv_panels_shape(shape: Shape, lanes: int, vectors: int, groups: int) -> Shape:
    last = (shape[1] - 1) % lanes + 1
    return (groups * round_up(-(-shape[0] // groups), lanes) * (shape[1] + last % DIRECT_STEP) * count(shape[2:]),)


@packer("conv_panels", _conv_panels_shape)
def conv_panels(recipe: Recipe, *, lanes: int, vectors: int, groups: int) -> None:
    """w[K, C/groups, *kernel] -> [group][panel][input block][r][s][channel][vectors * lanes], flat.

    A panel is ``vectors`` output vectors, the last one of a group what is left. K and C are padded with zeros:
    K to whole vectors, the last input block to an even number of channels.
    """
    k, c, taps = recipe.shape[0] // groups, recipe.shape[1], recipe.taps
    depth = (c + ((c - 1) % lanes + 1) % DIRECT_STEP) * taps
    rows = Rows(k, c * taps, c * taps, batches=groups, in_batch=k * c * taps)
    lay(recipe, rows, Panels(vectors * lanes, lanes, depth, block_places(c, taps, lanes, DIRECT_STEP) if taps > 1 else None))


def _conv_pairs_shape(shape: Shape, lanes: int, vectors: int, groups: int, block: int) -> Shape:
    return (groups * round_up(-(-shape[0] // groups), lanes) * round_up(shape[1], block) * count(shape[2:]),)


@packer("conv_pairs", _conv_pairs_shape)
def conv_pairs(recipe: Recipe, *, lanes: int, vectors: int, groups: int, block: int) -> None:
    """w[K, C/groups, *kernel] of 16 bits -> [group][panel][block of channels][r][s][pair of channels][vectors * lanes][2], flat.

    A panel is as in ``conv_panels``. K is padded with zeros to whole vectors, C to whole blocks of ``block`` channels.
    """
    k, c, taps = recipe.shape[0] // groups, recipe.shape[1], recipe.taps
    rows = Rows(k, c * taps, c * taps, batches=groups, in_batch=k * c * taps)
    places = block_places(c, taps, block, block)
    lay(recipe, rows, Panels(vectors * lanes, lanes, round_up(c, block) // PAIR * taps, places, lane=PAIR))


PAIR = 2
"""Neighbouring channels that lie together for products of pairs."""


def _conv_windows_shape(shape: Shape, lanes: int, vectors: int, block: int) -> Shape:
    return (round_up(shape[0], lanes) * round_up(count(shape[1:]), block),)


@packer("conv_windows", _conv_windows_shape)
def conv_windows(recipe: Recipe, *, lanes: int, vectors: int, block: int) -> None:
    """w[K, C, *kernel] of 16 bits -> [panel][pair of (*kernel, channel)][vectors * lanes][2], flat.

    A panel is as in ``conv_panels``. K is padded with zeros to whole vectors, what an output adds up to a multiple of ``block``.
    """
    c, taps = recipe.shape[1], recipe.taps
    channel, tap = np.divmod(np.arange(c * taps), taps)
    rows = Rows(recipe.shape[0], c * taps, c * taps)
    lay(recipe, rows, Panels(vectors * lanes, lanes, round_up(c * taps, block) // PAIR, tap * c + channel, lane=PAIR))


def block_places(c: int, taps: int, lanes: int, rounded: int) -> np.ndarray:
    """For [channel][tap] flat the place in [block of channels][tap][channel]; the last block is what is left, rounded up."""
    channel, tap = np.divmod(np.arange(c * taps), taps)
    first = channel // lanes * lanes
    width = np.minimum(lanes, round_up(c, rounded) - first)
    return first * taps + tap * width + channel - first


def _stem_shape(shape: Shape, lanes: int, vectors: int) -> Shape:
    return (round_up(shape[0], lanes) * count(shape[1:]),)


@packer("conv_stem", _stem_shape)
def conv_stem(recipe: Recipe, *, lanes: int, vectors: int) -> None:
    """w[K, C, *kernel] -> [panel][channel][tap][vectors * lanes], flat; the last panel is what is left.

    K is padded with zeros to whole vectors.
    """
    depth = count(recipe.shape[1:])
    lay(recipe, Rows(recipe.shape[0], depth, depth), Panels(vectors * lanes, lanes, depth))


@packer("conv_selected", lambda shape, lanes, vectors, order: (round_up(shape[0], lanes) * len(order),))
def conv_selected(recipe: Recipe, *, lanes: int, vectors: int, order: tuple[int, ...]) -> None:
    """w[K, C, 1, 1] -> [panel][channel][vectors * lanes], flat; the channels in the given order, K padded with zeros to whole vectors."""
    k, c = recipe.shape[:2]
    lay(recipe, Rows(k, c, c), Panels(vectors * lanes, lanes, len(order), selected_places(c, order)))


def selected_places(c: int, order: Sequence[int]) -> np.ndarray:
    """For each of c channels its place among the selected ones, -1 where it is not."""
    places = np.full(c, -1)
    places[list(order)] = np.arange(len(order))
    return places


@packer("conv_depthwise", lambda shape, block: (-(-shape[0] // block), count(shape[2:]), block))
def conv_depthwise(recipe: Recipe, *, block: int) -> None:
    """w[C,1,R,S] (or w[C,1,S]) as [C/block][R*S][block], zeros beyond C."""
    lay(recipe, Rows(recipe.shape[0], recipe.taps, recipe.taps), Panels(block, block, recipe.taps))


@packer("conv_grouped", lambda shape, block: (-(-shape[0] // block), count(shape[2:]), shape[1], block))
def conv_grouped(recipe: Recipe, *, block: int) -> None:
    """w[K,g,R,S] (or w[K,g,S]) as [K/block][R*S][g][block], zeros beyond K."""
    k, g = recipe.shape[:2]
    depth = g * recipe.taps
    lay(recipe, Rows(k, depth, depth), Panels(block, block, depth, block_places(g, recipe.taps, g, 1)))


def _conv_plain_shape(shape: Shape, groups: int, width: int, transposed: bool) -> Shape:
    c, k = (shape[0] // groups, shape[1]) if transposed else (shape[1], shape[0] // groups)
    return groups, -(-k // width), c, count(shape[2:]), width


@packer("conv_plain", _conv_plain_shape)
def conv_plain(recipe: Recipe, *, groups: int, width: int, transposed: bool) -> None:
    """w[K, C/G, taps] (transposed: [C, K/G, taps]) as [G][blocks][C/G][taps][width], channels beyond K/G zero."""
    _, _, c, taps, _ = _conv_plain_shape(recipe.shape, groups, width, transposed)
    k = recipe.shape[1] if transposed else recipe.shape[0] // groups
    batch = k * c * taps
    rows = Rows(k, taps, taps, c, k * taps, groups, batch) if transposed else Rows(k, c * taps, c * taps, 1, 0, groups, batch)
    recipe.scales = recipe.scales and not transposed
    lay(recipe, rows, Panels(width, width, c * taps))


def _zero(recipe: Recipe, size: int, loops: Sequence[tuple[int, int]], start: int) -> None:
    """Launch that writes zeros over pieces of ``size`` elements. loops: how many, elements between them. start: the first element."""
    bytes = recipe.itemsize
    zeros = recipe.table(np.zeros(size * bytes, np.uint8))
    whole = [(1, 0)] * (3 - len(loops)) + list(loops)
    numbers, results = zip(*whole)
    recipe.written += count(numbers) * size * bytes
    recipe.launch(COPY, [zeros, (RESULT, start * bytes)], (*numbers, size * bytes, 0, 0, 0, *(r * bytes for r in results)))


def _gemm_panels_shape(shape: Shape, width: int, lanes: int, transposed: bool) -> Shape:
    depth, columns = shape[:-3:-1] if transposed else shape[-2:]
    return count(shape[:-2]), depth * (columns // width * width + round_up(columns % width, lanes))


@packer("gemm_panels", _gemm_panels_shape)
def gemm_panels(recipe: Recipe, *, width: int, lanes: int, transposed: bool) -> None:
    """``B[..., K, N]`` (transposed: ``[N, K]``) as panels ``[batch][panel][K][width]``.

    The last panel is only as wide as its columns, rounded up to ``lanes``; columns beyond N are zero.
    """
    depth, columns = recipe.shape[:-3:-1] if transposed else recipe.shape[-2:]
    batches, size = count(recipe.shape[:-2]), depth * columns
    recipe.scales = recipe.scales and transposed and len(recipe.shape) == 2
    whole, rest = divmod(columns, width)
    out_batch = _gemm_panels_shape(recipe.shape, width, lanes, transposed)[1]
    if (pad := round_up(rest, lanes) - rest) and rest:
        _zero(recipe, pad, [(batches, out_batch), (depth, round_up(rest, lanes))], depth * whole * width + rest)
    if transposed:
        return lay(recipe, Rows(columns, depth, depth, batches=batches, in_batch=size), Panels(width, lanes, depth))
    if whole:
        copy(recipe, width, [(batches, size, out_batch), (depth, columns, width), (whole, width, depth * width)])
    if rest:
        start = whole * width, depth * whole * width
        copy(recipe, rest, [(batches, size, out_batch), (depth, columns, round_up(rest, lanes))], start)


def _gemm_pairs_shape(shape: Shape, width: int, lanes: int) -> Shape:
    return (round_up(shape[1], PAIR) * (shape[0] // width * width + round_up(shape[0] % width, lanes)),)


@packer("gemm_pairs", _gemm_pairs_shape, rounds=True)
def gemm_pairs(recipe: Recipe, *, width: int, lanes: int, crossed: bool = False) -> None:
    """``B[N, K]`` of 16 bits as panels ``[panel][K / 2][width][2]``; the last one as in ``gemm_panels``, and a pair whose second number
    does not exist has zeros there. The constant may be float32, which is rounded to bfloat16 then; crossed: its memory is that of ``B``'s
    transpose then.
    """
    if lanes != SIDE:
        raise SolError(f"pairs are packed for vectors of {SIDE} lanes, not {lanes}")
    columns, depth = recipe.shape
    kernel = MATRIX_PAIRS["uint16_t" if recipe.itemsize == 2 else "float", crossed]
    recipe.itemsize = 2
    recipe.launch(kernel, [SOURCE, RESULT], [columns, depth, columns if crossed else depth, width])
    recipe.written = 2 * count(_gemm_pairs_shape(recipe.shape, width, lanes))


@packer("gemm_rows", lambda shape: shape[::-1])
def gemm_rows(recipe: Recipe) -> None:
    """``B[K, N]`` as ``[N][K]``."""
    depth, columns = recipe.shape
    recipe.scales = False
    width = min(depth, 64)
    lay_across(recipe, depth, columns, width)


def cross(recipe: Recipe) -> None:
    """What follows reads the transpose of the matrix that is in memory."""
    temporary = recipe.temporary("crossed", recipe.itemsize * count(recipe.shape))
    lay_across(recipe, recipe.shape[1], recipe.shape[0], min(recipe.shape[1], 64), temporary)
    recipe.read_from(temporary)


def lay_across(recipe: Recipe, rows: int, columns: int, width: int, to: str = RESULT) -> None:
    """Launches that transpose a matrix, so many rows at a time."""
    size = recipe.itemsize
    whole, rest = divmod(rows, width)
    for first, number, wide in ((0, whole, width), (whole * width, min(rest, 1), rest)):
        if number:
            buffers = ((SOURCE, first * columns * size), NOTHING, NOTHING, (to, first * size))
            args = (1, 0, 0, 0, number, width * columns, width, wide, wide, columns, 1, columns, 0, rows, 1)
            recipe.launch(PANELS[size], buffers, args)


def _recurrent_shape(shape: Shape, gates: int, lanes: int, step: int) -> Shape:
    return -(-shape[1] // lanes), round_up(shape[1], step), gates, lanes


@packer("recurrent_panels", _recurrent_shape)
def recurrent_panels(recipe: Recipe, *, gates: int, lanes: int, step: int) -> None:
    """``w_hh[gates * H, H]`` as ``[block][k][gate][lanes]``, k padded to ``step`` and units to ``lanes`` with zeros."""
    hidden = recipe.shape[1]
    rows = Rows(hidden, hidden, hidden, batches=gates, in_batch=hidden * hidden, out_batch=lanes)
    lay(recipe, rows, Panels(lanes, lanes, round_up(hidden, step), spread=gates))


@packer("recurrent_bias", lambda shape, gates, lanes: (-(-count(shape) // gates // lanes), gates, lanes))
def recurrent_bias(recipe: Recipe, *, gates: int, lanes: int) -> None:
    """``b_hh[gates * H]`` as ``[block][gate][lanes]``."""
    hidden = count(recipe.shape) // gates
    whole, rest = divmod(hidden, lanes)
    if whole:
        copy(recipe, lanes, [(gates, hidden, lanes), (whole, lanes, gates * lanes)])
    if rest:
        copy(recipe, rest, [(gates, hidden, lanes)], (whole * lanes, whole * gates * lanes))
