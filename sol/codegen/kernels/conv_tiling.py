"""Register tiles of the dense convolutions: output vectors x pixels, by a count of cycles, and others worth measuring."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.lowering import TargetLike
from sol.codegen.machines.table import DirectConvolution
from sol.ir.dim import DimLike

HALVED = 16
"""Lanes from which on half a vector is worth a register tile of its own."""


@dataclass(frozen=True)
class Tiling:
    """Register tile: ``ocb`` vectors x tiles[0] (rows, pixels); the others cover what is left along one axis, greedily.

    flat: rows are contiguous, so that the map is one long row.
    """

    ocb: int
    tiles: tuple[tuple[int, int], ...]
    flat: bool = False

    @property
    def along_y(self) -> bool:
        """Is it rows that the smaller tiles cover?"""
        return len(self.tiles) > 1 and self.tiles[0][0] > 1

    def size(self, oh: DimLike, ow: DimLike) -> tuple[DimLike, DimLike]:
        """Rows and columns of a map as tiles cover it."""
        return (1, oh * ow) if self.flat else (oh, ow)

    def count(self, oh: DimLike, ow: DimLike) -> DimLike:
        """Tiles of a map."""
        (th, tw), (rows, columns) = self.tiles[0], self.size(oh, ow)
        return ((rows + th - 1) // th) * ((columns + tw - 1) // tw)

    def counts(self, oh: int, ow: int) -> list[tuple[int, int]]:
        """How many tiles of a map there are of each kind, and their pixels."""
        (th, tw), (rows, columns) = self.tiles[0], (1, oh * ow) if self.flat else (oh, ow)
        rest = [(columns // tw if self.along_y else rows, h * w) for h, w in self.tiles[1:]]
        return [((rows // th) * (columns // tw), th * tw), *rest]


def covering(ocb: int, th: int, tw: int, oh: int, ow: int, flat: bool) -> Tiling:
    """Tiles of th x tw pixels, and those that cover what is left of oh x ow pixels along one axis."""
    rest = ((oh % th, tw),) if th > 1 and oh % th else ((1, ow % tw),) if th == 1 and ow % tw else ()
    return Tiling(ocb, ((th, tw), *rest), flat)


def pixels_per_tile(target: TargetLike, ocb: int) -> int:
    """Accumulators per vector: what the registers hold beside ``ocb`` weights and one broadcast, at most 14.

    Without broadcasts and fused multiply-add (generic), half of the registers are left to the compiler.
    """
    registers = target.registers // 2 + 3 if target.name == "generic" else target.registers
    return max(1, min(14, (registers - ocb - 1) // ocb))


def _fits(target: TargetLike, ocb: int) -> bool:
    """Do the registers hold ``ocb`` weights, one broadcast, and accumulators of one pixel?"""
    return 2 * ocb < target.registers


def _ladder(widest: int) -> tuple[int, ...]:
    """Halving widths down to 1."""
    widths = []
    while widest > 1:
        widest = (widest + 1) // 2
        widths.append(widest)
    return tuple(widths)


def width_tiles(most: int, ow: DimLike) -> tuple[tuple[int, int], ...]:
    """Tiles of one row that cover a width: equal ones of at most ``most`` and the rest; a ladder if symbolic."""
    if not isinstance(ow, int):
        return tuple((1, w) for w in (most, *_ladder(most)))
    return covering(1, 1, -(-ow // max(1, -(-ow // most))) or 1, 1, ow, False).tiles


def choose_tiling(
    target: TargetLike, vectors: int, oh: DimLike, ow: DimLike, *, flat: bool, reduction: int = 1 << 20
) -> Tiling:
    """Tile for ``vectors`` output vectors (per group) and oh x ow pixels; if ``flat``, the pixels are one row.

    reduction: multiply-adds per output. The cheapest by ``tile_cycles`` and what a tile costs beside them wins; where several
    are as good, two vectors share the most kernels.
    """
    oh, ow = (1, oh * ow) if flat else (oh, ow)
    if not (isinstance(oh, int) and isinstance(ow, int)):
        return _tiling(target, min(2, vectors), oh, ow, flat)
    fitting = [n for n in (2, 4, 3, 1, 8) if n <= max(2, vectors // 2) and n <= vectors and _fits(target, n)]
    tilings = [_tiling(target, n, oh, ow, flat) for n in fitting]
    cost = {t.ocb: map_cycles(target.machine.direct, t, vectors, oh, ow, reduction) for t in tilings}
    return next(t for t in tilings if cost[t.ocb] <= target.machine.direct.alike * min(cost.values()))


MATRIX_ROWS = 16
"""Pixels of a matrix tile."""


def matrix_runs(th: int, tw: int) -> tuple[tuple[int, int, int], ...]:
    """Row, first pixel and pixels of the matrix tiles of a tile: one for each row, or at most two of a long one."""
    if th > 1 or tw <= MATRIX_ROWS:
        return tuple((y, 0, tw) for y in range(th))
    half = (tw + 1) // 2
    return (0, 0, half), (0, half, tw - half)


def tile_text(tiling: Tiling) -> str:
    """A tiling's name among alternatives: vectors x rows x pixels of its main tile."""
    return f"{tiling.ocb}x{tiling.tiles[0][0]}x{tiling.tiles[0][1]}"


def named_tiling(text: str, oh: int, ow: int, flat: bool) -> Tiling:
    """The tiling that ``tile_text`` names, for a map of oh x ow pixels (one row if ``flat``)."""
    ocb, th, tw = map(int, text.split("x"))
    return covering(ocb, th, tw, *((1, oh * ow) if flat else (oh, ow)), flat)


def tiling_names(target: TargetLike, vectors: int, oh: DimLike, ow: DimLike, *, flat: bool) -> list[str]:
    """Tilings that may be the fastest, by the model's cost; none for symbolic sizes. The narrower ones share a row more evenly."""
    if not (isinstance(oh, int) and isinstance(ow, int)) or oh * ow == 0:
        return []
    rows, columns = (1, oh * ow) if flat else (oh, ow)
    found: dict[str, float] = {}
    for ocb in (n for n in (1, 2, 3, 4, 6, 8) if n <= vectors and _fits(target, n)):
        whole = _tiling(target, ocb, rows, columns, flat)
        narrow = max(1, -(-columns // (-(-columns // whole.tiles[0][1]) + 1)))
        low = max(1, min(rows, pixels_per_tile(target, ocb) // max(columns, 1)) - 1)
        others = [f"{ocb}x1x{narrow}", *([f"{ocb}x{low}x{columns}"] if whole.tiles[0][0] > 1 else [])]
        for name in (tile_text(whole), *others):
            found[name] = map_cycles(target.machine.direct, named_tiling(name, rows, columns, False), vectors, rows, columns)
    best = min(found.values())
    return [n for n in sorted(found, key=found.__getitem__) if found[n] <= WORST_TILING * best]


WORST_TILING = 1.4
"""How much dearer than the model's best a tiling may be to be worth a measurement."""


def tile_cycles(ocb: int, pixels: int, direct: DirectConvolution) -> float:
    """Cycles per input channel: what multiply-adds, loads or the latency of a multiply-add take."""
    return max(ocb * pixels / direct.multiply_adds, (ocb + pixels) / direct.loads, direct.latency)


def map_cycles(direct: DirectConvolution, tiling: Tiling, vectors: int, oh: int, ow: int, reduction: int = 1 << 20) -> float:
    """Cycles per input channel for the whole map, ``reduction`` multiply-adds per output."""
    kinds = tiling.counts(oh, ow)
    tiles = sum(count for count, _ in kinds)
    widths = [tiling.ocb] * (vectors // tiling.ocb) + [vectors % tiling.ocb] * (vectors % tiling.ocb > 0)
    beside = len(widths) * (direct.tile * tiles + direct.change * (tiles - kinds[0][0])) / reduction
    return beside + sum(tile_cycles(n, pixels, direct) * widths.count(n) * count for n in set(widths) for count, pixels in kinds)


def _tiling(target: TargetLike, ocb: int, oh: DimLike, ow: DimLike, flat: bool) -> Tiling:
    """The tile of ``ocb`` vectors."""
    most = pixels_per_tile(target, ocb)
    if flat and isinstance(ow, int):
        widths = range(min(most, ow), 0, -1)
        even = [w for w in widths if 6 * w >= 5 * most and ow % w == 0]
        tilings = [covering(ocb, 1, w, 1, ow, flat) for w in even[:1] or [w for w in widths if 6 * w >= 5 * widths[0]]]
        return min(tilings, key=lambda t: map_cycles(target.machine.direct, t, ocb, 1, ow))  # of equal ones the widest
    if not isinstance(ow, int) or ow > most // 2 or (isinstance(oh, int) and oh < 2):
        return Tiling(ocb, width_tiles(most, ow), flat)
    width, rows = ow, most // ow
    if not isinstance(oh, int):
        return Tiling(ocb, tuple((r, width) for r in (rows, *_ladder(rows))), flat)
    return covering(ocb, -(-oh // -(-oh // rows)), width, oh, ow, flat)


@dataclass(frozen=True)
class Panel:
    """Output vectors taken at once. half: only half of the last one has channels, and a register of half the size is enough."""

    width: int
    half: bool = False

    @property
    def name(self) -> str:
        return f"{self.width}{'h' if self.half else ''}"


def panels_of(target: TargetLike, channels: int, ocb: int) -> list[Panel]:
    """Panels of a group of ``channels`` outputs: ``ocb`` vectors, and what the last one is if it differs.

    Half vectors are used where a whole one is two registers of the next smaller kind wide, which many processors work on one by one.
    """
    lanes = target.lanes
    vectors = -(-channels // lanes)
    half = lanes >= HALVED and 0 < channels % lanes <= lanes // 2
    last = Panel(vectors % ocb or min(ocb, vectors), half)
    whole = Panel(ocb)
    return [last] if vectors <= ocb else [whole, *([last] if last != whole else [])]
