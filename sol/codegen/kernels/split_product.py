"""Products of float32 by matrix tiles (AMX), which multiply bfloat16: each number is the sum of three, and the six largest products count.

Errors are no larger than those of multiply-adds of float32, and six products of tiles take less time.
G. Henry, P. T. P. Tang and A. Heinecke, Leveraging the bfloat16 artificial intelligence datatype for higher-precision computations, 2019.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sol.codegen.kernels.matmul_blocks import ceil_div
from sol.codegen.lowering import TargetLike

SIDE, WIDTH, STEP = 16, 32, 32
"""Rows and columns of a tile and of a block of sums, and steps of the reduction that one product of tiles takes."""
PARTS = ((2, 0), (1, 0), (1, 1), (0, 1), (0, 2)), ((0, 0),)
"""The products of parts that count, small ones first, in an order that spares loads."""
PRODUCTS = sum(map(len, PARTS))
NUMBER = 6
"""Bytes of a number's parts."""
STEPS = 4
"""Products of tiles of a slice of the reduction at most: blocks of both operands then fit the first-level cache."""
SLICE = STEPS * STEP
GROUPS = STEPS * PRODUCTS
"""Products of parts for a block of sums and a slice, beside each of which cache lines are asked for."""
SHARE = 0.75
"""Of the second-level cache, for what is split of both operands and for partial sums."""
WIDEST = 384
"""Columns of a unit of few rows: what is split next has to lie in the cache, too."""
WIDEST_IN_PAIRS = 2048
"""The same where two panels are kept at a time: their partial sums have to lie in the cache."""
LINE = 64
"""Bytes of a cache line."""
MOST_AHEAD = 4
"""Lines that are asked for at once: more would wait for each other."""
MOST_READY = 8
"""The same of parts that lie in memory, all of which come from far."""
MOST_IN_PAIRS = 11
"""The same where two panels are kept at a time: all of a panel, beside one block of few rows."""
FEW_UNITS = 4
"""Units of work for each thread from which on they are shared out evenly enough."""


@dataclass(frozen=True)
class Sizes:
    """Of a batch of products: rows and columns of results, steps of the reduction."""

    batch: int
    rows: int
    n: int
    k: int

    @property
    def multiply_adds(self) -> int:
        return self.results * self.k

    @property
    def results(self) -> int:
        return self.batch * self.rows * self.n


@dataclass(frozen=True)
class Stream:
    """Cache lines that are asked for beside products of tiles. name: in C. what: they are, for a comment. ahead: lines for each product of
    parts. lines: of a row; 0 of what lies in one piece, of which a call tells how much it asks for: ``ahead`` lines at most. write: whether
    they will be written to.
    """

    name: str
    what: str
    ahead: int
    lines: int
    write: bool = False


@dataclass(frozen=True)
class Split:
    """How a product goes on. slice: steps of the reduction. high, chunk: rows of a unit of work, and of those that are split at a time.
    wide: panels of a unit. along: whether neighbours in a row of the right operand are neighbours in memory, so that they need not be
    transposed. ready: whether the right operand lies in memory as parts, a constant that was split when it was packed. turned: whether
    neighbours in a column of the right operand are neighbours in memory, so that the product is computed turned: its columns then are the
    rows of tiles, and the left operand is transposed instead.
    """

    sizes: Sizes
    slice: int
    high: int
    chunk: int
    wide: int
    along: bool
    ready: bool = False
    turned: bool = False

    @property
    def scratch(self) -> int:
        """Bytes of each thread."""
        blocks = 1 + (self.wide * ceil_div(self.high, WIDTH) if self.slice < self.sizes.k else 0)
        panels = 0 if self.ready else 2 if self.pair else self.wide
        return 4 * WIDTH * WIDTH * blocks + NUMBER * self.slice * (_rounded(self.chunk) + panels * WIDTH)

    @property
    def on_the_way(self) -> bool:
        """Whether a panel of the right operand is split while the one before it is multiplied."""
        return (self.along or self.turned) and not self.ready

    @property
    def pair(self) -> bool:
        """Whether each panel of the right operand is met once, so that two at a time are kept."""
        return not self.ready and self.chunk >= self.high and (self.slice < self.sizes.k or self.high >= self.sizes.rows)

    @property
    def share(self) -> int:
        """Products of tiles along the reduction that are split beside one block, so that all of a panel's slice are."""
        blocks = ceil_div(self.chunk, WIDTH)
        return next(s for s in (1, 2, STEPS) if s * blocks >= STEPS)

    @property
    def params(self) -> dict[str, int]:
        """Run-time arguments."""
        return {"high": self.high, "chunk": self.chunk, "wide": self.wide} | ({"ahead": self.ahead} if self.ready else {})

    @property
    def parts_ahead(self) -> Stream:
        """The right operand's parts that lie in memory. The same kernel serves all layers, however many lines they ask for."""
        return Stream("weights", "weights", MOST_READY, 0)

    def context(self, target: TargetLike) -> dict[str, Any]:
        """What templates/split_tile.c.j2 takes."""
        return {
            "parts": tuple(map(part_loads, PARTS)), "steps": STEPS, "groups": GROUPS, "ready": self.ready, "on_the_way": self.on_the_way,
            "turned": self.turned, "pair": self.pair, "share": self.share if self.on_the_way else 0,
            "asking": tuple([1 + (size > SIDE) for size in (self.sizes.rows, self.sizes.n)]), "grain": target.machine.team.grain,
        }  # fmt: skip

    @property
    def ahead(self) -> int:
        """Cache lines of the right operand to be asked for beside each product of parts, so that all of a panel's slice are."""
        lines = SLICE * WIDTH * (NUMBER if self.ready else 4) // LINE
        most = MOST_READY if self.ready else MOST_IN_PAIRS if self.pair and self.on_the_way else MOST_AHEAD
        return min(most, ceil_div(lines, GROUPS * ceil_div(self.high, WIDTH)))

    def cycles(self, target: TargetLike, left: float | None = None, right: float | None = None) -> float:
        """Of one thread: products of tiles, splitting, and partial sums. left, right: of a number of an operand that is no matrix."""
        s, tiles = self.sizes, target.machine.tiles
        dots = ceil_div(s.rows, SIDE) * ceil_div(s.n, SIDE) * ceil_div(s.k, STEP) * PRODUCTS * tiles.dot
        down, across = ceil_div(s.rows, self.high), ceil_div(ceil_div(s.n, WIDTH), self.wide)
        straight, transposed = (tiles.right, tiles.left) if self.turned else (tiles.left, tiles.right)
        of_left = s.rows * s.k * across * (straight if left is None else left)
        times = down if self.slice < s.k else min(down, target.team)
        of_right = s.n * s.k * (transposed if right is None else right)
        beside = 0.0
        if self.ready:
            of_right = 0.0
        elif self.on_the_way:  # all panels but the first are taken apart while tiles are multiplied
            beside = of_right * (1 - 1 / self.wide)
            of_right -= beside
        return s.batch * (max(dots, times * beside) + of_left + times * of_right + s.rows * s.n * ceil_div(s.k, self.slice) * tiles.sum)


def split_of(sizes: Sizes, along: bool, target: TargetLike, ready: bool = False, turned: bool = False) -> Split:
    """Units of rows and columns as even as caches allow, so that either operand is split seldom. along, ready, turned: of ``Split``."""
    batch, rows, n, k = sizes.batch, sizes.rows, sizes.n, sizes.k
    team, held = target.team, int(SHARE * target.l2)
    step = min(_rounded(k), SLICE)
    side = WIDTH
    while _held(side + WIDTH, side + WIDTH, step, k) <= held:
        side += WIDTH
    high, wide = min(_rounded(rows), side), min(_rounded(n), side)
    in_pairs = (along or turned) and not ready and rows <= STEPS * WIDTH
    columns = 2 * WIDTH if in_pairs else None
    if wide < side:
        high = next(h for h in range(_rounded(rows), 0, -WIDTH) if h <= side or _held(h, wide, step, k) <= held)
    elif high < side:
        wide = next(w for w in range(_rounded(n), 0, -WIDTH) if w <= side or _held(high, w, step, k, columns) <= held)
    wide = min(wide, max(WIDEST_IN_PAIRS if in_pairs else WIDEST, high * 3 // 2))
    down, across = ceil_div(rows, high), ceil_div(n, wide)
    if batch * down * across < FEW_UNITS * team and batch * down * across % team:
        if n >= rows:
            across = ceil_div(across, team) * team
        else:
            down = ceil_div(down, team) * team
    high = _rounded(ceil_div(rows, down))
    fits = step >= k and 2 * NUMBER * step * high <= held
    chunk = high if fits else min(high, STEPS * WIDTH)
    return Split(sizes, step, high, chunk, ceil_div(ceil_div(n, across), WIDTH), along, ready, turned)


def fits_whole(sizes: Sizes, target: TargetLike) -> Split | None:
    """All rows and columns as one unit of each thread, for parts of the steps; None where its sums do not fit the cache."""
    high, wide, step = _rounded(sizes.rows), _rounded(sizes.n), min(_rounded(sizes.k), SLICE)
    if _held(high, wide, step, sizes.k) > SHARE * target.l2:
        return None
    return Split(sizes, step, high, min(high, STEPS * WIDTH), wide // WIDTH, False)


def _rounded(n: int) -> int:
    return ceil_div(n, WIDTH) * WIDTH


def _held(high: int, wide: int, step: int, k: int, columns: int | None = None) -> int:
    """Bytes of a unit: rows that are split at a time, columns (where not all of the unit's are, so many), and sums."""
    return NUMBER * step * (min(high, STEPS * WIDTH) + (columns or wide)) + (4 * high * wide if step < k else 0)


def part_loads(products: tuple[tuple[int, int], ...]) -> tuple[tuple[bool, bool, int, int], ...]:
    """For each product of parts whether tiles of the left and of the right operand are loaded, and of which parts."""
    before = ((-1, -1), *products)
    return tuple((a != x, b != y, a, b) for (x, y), (a, b) in zip(before, products))
