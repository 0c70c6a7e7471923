"""What Strassen's algorithm costs for a convolution: ways to halve it, its tiles, and how threads share the work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

from sol.codegen.kernels.conv_direct import Conv
from sol.codegen.kernels.conv_paired import ALONE, HIDDEN
from sol.codegen.kernels.conv_tiling import Tiling, choose_tiling, pixels_per_tile, tile_cycles, width_tiles
from sol.codegen.kernels.strassen_products import Product, algorithm, is_part, stores
from sol.codegen.kernels.winograd_model import fetch_cost, overlapped
from sol.codegen.lowering import TargetLike
from sol.ir.dim import DimLike

ERROR = {1: (4e-7, 5e-8), 2: (6e-7, 8e-8)}
"""Bound a + b * sqrt(multiply-adds per output) of the error against float64, in units of the largest output, per level.

Measured on uniformly distributed data, 128 … 1024 channels, and rounded up: at 1024 one level 1.4e-6, two 1.6e-6, direct 1.1e-6.
"""
LEVELS = (1,)
"""Numbers of levels that are taken: errors of two are up to thirty times those of direct convolution in torch, of one up to five times."""
GAIN = 0.95
"""Share of direct convolution's cost below which it is worth while."""
ROOM = 0.05
"""Share of direct convolution's cost that a second level must save where the weights, of which it takes 7/4 as many, outweigh the maps."""
ADDED = 2.5
"""Multiply-adds in the time in which a vector of a product is added to what is held and stored, beside those that go on meanwhile."""
SUMMED = {1: 4.0, 2: 2.5}
"""The same for one vector of a sum of input parts, per number of levels: with two, a part that was fetched serves more sums."""
FEW_GROUPS = 64
"""Tile groups up to which threads may share out the panels."""


def max_error(levels: int, reduction: int) -> float:
    """Bound on the error over so many multiply-adds per output, in units of the largest output."""
    constant, growth = ERROR[levels]
    return constant + growth * sqrt(reduction)


@dataclass(frozen=True)
class Split:
    """How a convolution falls into parts, two per level. Parts may overlap a little: what they share is
    computed twice, by one thread.

    n, oh, ow: sizes of a part. steps: (images, output rows, output columns) from one half to the other, per level, outermost first,
    if each half is one piece. waste: elements of all parts per element of the result.
    """

    n: DimLike
    oh: int
    ow: int
    steps: tuple[tuple[int, int, int], ...] = ()
    waste: float = 1.0

    @property
    def parts(self) -> int:
        return 2 ** len(self.steps)

    def halves(self) -> Iterator[Split]:
        """The same with one level more, along rows or columns: parts of different images could have anything in common but their size."""
        if self.oh > 1:
            step = self.oh // 2
            yield replace(self, oh=self.oh - step, steps=(*self.steps, (0, step, 0)), waste=self.waste * 2 * (self.oh - step) / self.oh)
        if self.ow > 1:
            step = self.ow // 2
            yield replace(self, ow=self.ow - step, steps=(*self.steps, (0, 0, step)), waste=self.waste * 2 * (self.ow - step) / self.ow)


def splits(conv: Conv, levels: int, flat: bool) -> list[Split]:
    """All ways to halve the pixels so many times; none for symbolic sizes. flat: the map is one long row."""
    if not (isinstance(conv.oh, int) and isinstance(conv.ow, int)):
        return []
    found = [Split(conv.n, 1, conv.oh * conv.ow) if flat else Split(conv.n, conv.oh, conv.ow)]
    for _ in range(levels):
        found = [half for split in found for half in split.halves()]
    return found


@dataclass(frozen=True)
class Choice:
    """Levels, parts and tile of one convolution."""

    levels: int
    split: Split
    tiling: Tiling
    flat: bool

    @property
    def name(self) -> str:
        """Among alternatives."""
        return f"levels{self.levels}"

    @property
    def products(self) -> tuple[Product, ...]:
        return algorithm(self.levels)

    @property
    def is_near(self) -> bool:
        """Whether parts can be neighbouring tiles: whole tiles without overlap. A thread's groups are then one piece of the map."""
        (th, tw), split = self.tiling.tiles[0], self.split
        return split.waste == 1 and len(self.tiling.tiles) == 1 and split.oh % th == 0 and split.ow % tw == 0

    @property
    def steps(self) -> tuple[tuple[int, int, int], ...]:
        """(images, output rows, output columns) from one half to the other, per level, outermost first."""
        if not self.is_near:
            return self.split.steps
        (th, tw), found = self.tiling.tiles[0], []
        for n, rows, columns in reversed(self.split.steps):
            found.append((n, th if rows else 0, tw if columns else 0))
            th, tw = th * 2 if rows else th, tw * 2 if columns else tw
        return tuple(reversed(found))

    @property
    def stride(self) -> tuple[int, int]:
        """Rows and columns from one tile group to the next."""
        (th, tw), axes = self.tiling.tiles[0], self.split.steps if self.is_near else ()
        return th * 2 ** sum(s[1] > 0 for s in axes), tw * 2 ** sum(s[2] > 0 for s in axes)


def _tiling(target: TargetLike, vectors: int, split: Split, flat: bool) -> Tiling | None:
    """A tile for a part whose vectors divide ``vectors``; None if leftover pixels would need more than one smaller tile.

    Tiles of a long row are about equally wide: what a narrow one costs beside its multiply-adds comes with every product.
    """
    tiling = choose_tiling(target, vectors, split.oh, split.ow, flat=flat)
    if vectors % tiling.ocb:
        return None
    if flat:
        tiling = replace(tiling, tiles=width_tiles(pixels_per_tile(target, tiling.ocb), split.oh * split.ow))
    return tiling if len(tiling.tiles) <= 2 else None


def choices(conv: Conv, target: TargetLike, error: float, flat: bool) -> list[Choice]:
    """Every number of levels that is possible and whose error is within bounds, cheapest first, memory considered."""
    found = []
    for levels in LEVELS:
        whole = target.lanes * 2**levels
        if conv.groups != 1 or conv.c % whole or conv.k % whole:
            continue
        if max_error(levels, conv.reduction) > error:
            continue
        ways = [
            Choice(levels, split, tiling, flat)
            for split in splits(conv, levels, flat) if (tiling := _tiling(target, conv.k // whole, split, flat)) is not None
        ]  # fmt: skip
        if ways:
            found.append(min(ways, key=lambda c: relative_cost(conv, target, c)))
    return sorted(found, key=lambda c: relative_cost(conv, target, c) + _room(conv, c))


def _room(conv: Conv, choice: Choice) -> float:
    """What the weights of further levels must save to be worth the memory that they take."""
    maps = 4 * (conv.n * conv.c * conv.h * conv.w + conv.n * conv.k * conv.oh * conv.ow)
    large = isinstance(maps, int) and conv.weight_bytes > maps
    return ROOM * (choice.levels - 1) if large else 0.0


def relative_cost(conv: Conv, target: TargetLike, choice: Choice) -> float:
    """Time in units of direct convolution with its best tile."""
    split, tiling, products = choice.split, choice.tiling, choice.products
    (th, tw), ocb, parts = tiling.tiles[0], tiling.ocb, split.parts
    tile = ocb * th * tw
    reduction = conv.reduction / parts
    multiply = len(products) * reduction * 2 * tile_cycles(ocb, th * tw)
    added = stores(choice.levels) * tile
    rows, columns = patch(conv, th, tw)
    columns = (columns - 1) // conv.stride[1] + 1 if conv.kernel[1] == 1 else columns
    summed = sum(not is_part(p.inputs) for p in products) * (conv.c / parts / target.lanes) * rows * columns
    panels = conv.k // (target.lanes * parts * ocb)
    waste = split.waste * _padded(split, tiling) / (split.oh * split.ow)
    if split.waste > 1:
        waste *= -(-panels // target.team) * target.team / panels
    makers = target.team if split.waste > 1 else min(target.team, ALONE) if shares_panels(groups_of(choice)) else 1
    direct = parts**3 * reduction * tile
    compute = waste * (multiply + ADDED * added + SUMMED[choice.levels] * summed * makers / panels) / direct
    pixels = split.oh * split.ow * (split.n if isinstance(split.n, int) else 1) * parts / split.waste
    fetch = fetch_cost(4 * target.lanes / pixels, target)
    return overlapped(compute, fetch * len(products) / parts**2, HIDDEN) / overlapped(1.0, fetch, HIDDEN)


def groups_of(choice: Choice) -> DimLike:
    """Tile groups of the whole batch."""
    (th, tw), split = choice.tiling.tiles[0], choice.split
    return split.n * (-(-split.oh // th) * -(-split.ow // tw))


def shares_panels(groups: DimLike) -> bool:
    """May threads share out panels too, each making the sums for itself?"""
    return isinstance(groups, int) and groups <= FEW_GROUPS


def shares_groups(groups: DimLike, choice: Choice, target: TargetLike) -> bool:
    """Whether the template will share out tile groups rather than panels."""
    if not isinstance(groups, int):
        return True
    uneven = (-groups % target.team + (len(choice.tiling.tiles) > 1)) * 16 > groups
    return choice.split.waste == 1 and not (shares_panels(groups) and uneven)


def _padded(split: Split, tiling: Tiling) -> float:
    """Pixels of a part's map as expensive as its tiles are."""
    th, tw = tiling.tiles[0]
    full = tile_cycles(tiling.ocb, th * tw) / (th * tw)
    pixels = float((split.oh // th * th) * (split.ow // tw * tw))
    for height, width in tiling.tiles[1:]:
        count = split.ow // tw if tiling.along_y else split.oh // th
        pixels += count * tile_cycles(tiling.ocb, height * width) / full
    return pixels


def patch(conv: Conv, th: int, tw: int) -> tuple[int, int]:
    """Rows and columns of input that a tile reads; of a filter of one row, only the rows that it reads."""
    (r, s), (sy, sx), (dy, dx) = conv.kernel, conv.stride, conv.dilation
    return th if r == 1 else (th - 1) * sy + (r - 1) * dy + 1, (tw - 1) * sx + (s - 1) * dx + 1
