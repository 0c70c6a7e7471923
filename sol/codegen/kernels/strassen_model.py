"""What Strassen's algorithm costs for a convolution: ways to halve it, its tiles, and how threads share the work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.conv_tiling import Tiling, choose_tiling, pixels_per_tile, tile_cycles, width_tiles
from sol.codegen.kernels.strassen_products import PARTS, PRODUCTS, is_part, stores
from sol.codegen.kernels.winograd_model import fetch_cost, overlapped
from sol.codegen.lowering import TargetLike
from sol.codegen.machines.table import DirectConvolution
from sol.ir.dim import DimLike

ERROR = (4e-7, 5e-8)
"""Bound a + b * sqrt(multiply-adds per output) of the error against float64, in units of the largest output.

Measured on uniformly distributed data, 128 … 1024 channels, and rounded up: at 1024 1.4e-6, direct 1.1e-6. Errors are up to five times
those of direct convolution in torch, eight where a tenth of inputs or weights is not zero; were halves halved again, up to thirty times.
"""
ALLOWED_FROM = 1e-4
"""``conv_max_error`` from which on this algorithm may be chosen: it is the one whose errors are more than five times torch's on some data,
where most of an image or of the weights is zero."""
FEW_GROUPS = 64
"""Tile groups up to which threads may share out the panels."""


def max_error(reduction: int) -> float:
    """Bound on the error over so many multiply-adds per output, in units of the largest output."""
    constant, growth = ERROR
    return constant + growth * sqrt(reduction)


@dataclass(frozen=True)
class Split:
    """How a convolution's pixels fall into halves, which may overlap a little: what they share is computed twice, by one thread.

    n, oh, ow: sizes of a half. step: output rows and columns from one half to the other, if each is one piece. waste: elements of both
    halves per element of the result.
    """

    n: DimLike
    oh: int
    ow: int
    step: tuple[int, int]
    waste: float = 1.0


def splits(conv: Conv, flat: bool) -> list[Split]:
    """Both ways to halve the pixels; none for symbolic sizes. flat: the map is one long row.

    Images are not halved: those of a batch need not have anything in common but their size.
    """
    if not (isinstance(conv.oh, int) and isinstance(conv.ow, int)):
        return []
    oh, ow = (1, conv.oh * conv.ow) if flat else (conv.oh, conv.ow)
    rows, columns = oh // 2, ow // 2
    found = [Split(conv.n, oh - rows, ow, (rows, 0), 2 * (oh - rows) / oh)] if rows else []
    return found + ([Split(conv.n, oh, ow - columns, (0, columns), 2 * (ow - columns) / ow)] if columns else [])


@dataclass(frozen=True)
class Choice:
    """Halves and tile of one convolution."""

    split: Split
    tiling: Tiling
    flat: bool

    @property
    def is_near(self) -> bool:
        """Whether halves can be neighbouring tiles: whole tiles without overlap. A thread's groups are then one piece of the map."""
        (th, tw), split = self.tiling.tiles[0], self.split
        return split.waste == 1 and len(self.tiling.tiles) == 1 and split.oh % th == 0 and split.ow % tw == 0

    @property
    def step(self) -> tuple[int, int]:
        """Output rows and columns from one half to the other."""
        (th, tw), (rows, columns) = self.tiling.tiles[0], self.split.step
        return (th if rows else 0, tw if columns else 0) if self.is_near else (rows, columns)

    @property
    def stride(self) -> tuple[int, int]:
        """Rows and columns from one tile group to the next."""
        (th, tw), (rows, columns) = self.tiling.tiles[0], self.step if self.is_near else (0, 0)
        return th + rows, tw + columns


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


def choose(conv: Conv, target: TargetLike, error: float, flat: bool) -> Choice | None:
    """The cheapest way whose error is within bounds, if there is one."""
    whole = target.lanes * PARTS
    if error < ALLOWED_FROM or conv.groups != 1 or conv.c % whole or conv.k % whole or max_error(conv.reduction) > error:
        return None
    ways = [
        Choice(split, tiling, flat)
        for split in splits(conv, flat) if (tiling := _tiling(target, conv.k // whole, split, flat)) is not None
    ]  # fmt: skip
    return min(ways, key=lambda c: relative_cost(conv, target, c), default=None)


def relative_cost(conv: Conv, target: TargetLike, choice: Choice) -> float:
    """Time in units of direct convolution with its best tile."""
    split, tiling = choice.split, choice.tiling
    (th, tw), ocb = tiling.tiles[0], tiling.ocb
    tile = ocb * th * tw
    reduction = conv.reduction / PARTS
    machine, costs = target.machine, target.machine.strassen
    multiply = len(PRODUCTS) * reduction * machine.direct.multiply_adds * tile_cycles(ocb, th * tw, machine.direct)
    added = stores() * tile
    rows, columns = patch(conv, th, tw)
    columns = (columns - 1) // conv.stride[1] + 1 if conv.kernel[1] == 1 else columns
    summed = sum(not is_part(p.inputs) for p in PRODUCTS) * (conv.c / PARTS / target.lanes) * rows * columns
    panels = conv.k // (target.lanes * PARTS * ocb)
    waste = split.waste * _padded(split, tiling, machine.direct) / (split.oh * split.ow)
    if split.waste > 1:
        waste *= -(-panels // target.team) * target.team / panels
    makers = target.team if split.waste > 1 else min(target.team, machine.team.alone) if shares_panels(groups_of(choice)) else 1
    direct = PARTS**3 * reduction * tile
    compute = waste * (multiply + costs.added * added + costs.summed * summed * makers / panels) / direct
    pixels = split.oh * split.ow * (split.n if isinstance(split.n, int) else 1) * PARTS / split.waste
    fetch = fetch_cost(4 * target.lanes / pixels, target, costs.fetch)
    return overlapped(compute, fetch * len(PRODUCTS) / PARTS**2, costs.hidden) / overlapped(1.0, fetch, costs.hidden)


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


def _padded(split: Split, tiling: Tiling, direct: DirectConvolution) -> float:
    """Pixels of a part's map as expensive as its tiles are."""
    th, tw = tiling.tiles[0]
    full = tile_cycles(tiling.ocb, th * tw, direct) / (th * tw)
    pixels = float((split.oh // th * th) * (split.ow // tw * tw))
    for height, width in tiling.tiles[1:]:
        count = split.ow // tw if tiling.along_y else split.oh // th
        pixels += count * tile_cycles(tiling.ocb, height * width, direct) / full
    return pixels


def patch(conv: Conv, th: int, tw: int) -> tuple[int, int]:
    """Rows and columns of input that a tile reads; of a filter of one row, only the rows that it reads."""
    (r, s), (sy, sx), (dy, dx) = conv.kernel, conv.stride, conv.dilation
    return th if r == 1 else (th - 1) * sy + (r - 1) * dy + 1, (tw - 1) * sx + (s - 1) * dx + 1
