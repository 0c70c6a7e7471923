"""Which Winograd tiles serve a convolution: what they cost, how exact they are, and how register tiles cover them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from math import prod, sqrt

from sol.codegen.kernels import inner_product
from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.conv_tiling import pixels_per_tile
from sol.codegen.kernels.winograd_matrices import MODULI, Winograd, amplification, lone_amplification, shorter, winograd
from sol.codegen.kernels.winograd_transforms import operations
from sol.codegen.kernels.winograd_words import POINTS, WholeWinograd, fits, whole_shorter, whole_winograd, word_operations
from sol.codegen.lowering import TargetLike
from sol.codegen.machines.table import Fetch, Machine, WinogradTiles
from sol.ir.dim import DimLike, typical

LINE = 16
"""Floats between the end of one frequency and the start of the next."""
MOST = 4.0
"""``amplification`` of both axes up to which tiles are taken: their errors are at most five times those of direct convolution in torch,
image by image, where an image's channels or pixels differ in scale or some of them are zero, too (tests/codegen/test_conv_errors.py)."""
LONE = 4.25
"""The same of ``lone_amplification``, where most of them are zero."""
WORTH_A_WIDTH = 0.975
"""Share of a cover's cost below which another width of register tile is worth the code that it adds."""
LARGEST = 8
"""Outputs of a tile along an axis, at most."""
ERROR = (1e-7, 3.2e-8)
"""a and b of the bound ``amplification`` * (a + b * sqrt(C)) on the error against float64, in units of the largest output.

Measured on normally distributed data with and without ReLU, C = 16 … 256, and rounded up: the quotient of error and
amplification is at most 2.1e-7 at C = 16, 2.6e-7 at C = 64, 5.7e-7 at C = 256.
"""

INNER_PRODUCT_ERROR = 2.0
"""The bound of products in pairs over that of the usual ones."""


USUAL = 224
"""Pixels of an image along an axis, where a graph does not tell."""


def _known(size: DimLike, otherwise: int) -> int:
    """A size for the cost model, where it may be symbolic."""
    return size if isinstance(size, int) else otherwise


@dataclass(frozen=True)
class Axis:
    """``size`` outputs of a filter of ``r`` taps by tiles of m and, if ``divided``, a shorter one for the rest. exact: in whole numbers."""

    m: int
    r: int
    size: DimLike
    divided: bool
    exact: bool = False

    @property
    def whole(self) -> Winograd:
        return whole_winograd(self.m, self.r) if self.exact else winograd(self.m, self.r)

    @property
    def rest(self) -> Winograd | None:
        left = _known(self.size, 0) % self.m
        if not self.divided or not left:
            return None
        return whole_shorter(left, self.m, self.r) if self.exact else shorter(left, self.m, self.r)

    @property
    def parts(self) -> tuple[Winograd | None, Winograd | None]:
        """The tiles that there are: the whole one, the shorter one."""
        return (None if self.divided and _known(self.size, 0) < self.m else self.whole), self.rest

    @property
    def tiles(self) -> int:
        return -(-typical(self.size, USUAL) // self.m)

    def common(self, index: int) -> bool:
        """Have all tiles the product ``index``?"""
        return self.rest is None or index in self.rest.index

    def tiles_with(self, index: int) -> int:
        """Tiles that have the product ``index``."""
        return self.tiles - (not self.common(index))


@lru_cache(1024)
def _kinds(y: Axis, x: Axis) -> tuple[int, ...]:
    common = [x.common(j) for j in range(x.whole.n)]
    return tuple(2 * (not y.common(i)) + (not j) for i in range(y.whole.n) for j in common)


@lru_cache(1024)
def _counts(y: Axis, x: Axis) -> tuple[tuple[int, int], ...]:
    kinds = _kinds(y, x)
    return tuple((kind, kinds.count(kind)) for kind in sorted(set(kinds)))


@dataclass(frozen=True)
class Grid:
    """The tiles of a convolution's result, of ``images`` images. by_inner_product: whether kernels/inner_product.py multiplies them."""

    images: int
    y: Axis
    x: Axis
    by_inner_product: bool = False

    @property
    def name(self) -> str:
        """``f4``, or ``f1x4`` where the axes differ, ``f4p`` in pairs."""
        sides = f"{self.x.m}" if self.y.m == self.x.m else f"{self.y.m}x{self.x.m}"
        return f"f{sides}{'p' if self.by_inner_product else ''}"

    @property
    def exact(self) -> bool:
        """Is it computed in whole numbers, of 16 bits where they are multiplied?"""
        return self.y.exact

    @property
    def together(self) -> int:
        """Channels that a vector operation multiplies by those of a vector of outputs."""
        return 2 if self.exact else 1

    @property
    def itemsize(self) -> int:
        """Bytes of a transformed number."""
        return 4 // self.together

    @property
    def products(self) -> int:
        """Products ("frequencies") of a whole tile."""
        return self.y.whole.n * self.x.whole.n

    @property
    def tiles(self) -> int:
        """Tiles of the whole batch, for symbolic sizes those of one image of typical size."""
        return self.images * self.y.tiles * self.x.tiles

    @property
    def kinds(self) -> tuple[int, ...]:
        """Per product: 0 if all tiles have it, +1 if it is not in shorter columns, +2 if it is not in shorter rows."""
        return _kinds(self.y, self.x)

    def counts(self) -> Iterator[tuple[int, int]]:
        """(tiles, products that so many tiles have)."""
        for kind, count in _counts(self.y, self.x):
            yield self.images * (self.y.tiles - (kind >> 1)) * (self.x.tiles - (kind & 1)), count

    @property
    def transformed(self) -> int:
        """Products of all tiles together."""
        return sum(tiles * count for tiles, count in self.counts())

    @property
    def amplification(self) -> float:
        return self._amplified(amplification)

    @property
    def is_exact(self) -> bool:
        """Are errors small enough, whatever is zero?"""
        return self.amplification <= MOST and self._amplified(lone_amplification) <= LONE

    def _amplified(self, along: Callable[[Winograd], float]) -> float:
        """The product of both axes, of the worst of their tiles."""
        return prod(_worst(along, axis) for axis in (self.y, self.x))

    def max_error(self, channels: int) -> float:
        """Bound on the error over so many input channels, in units of the largest output."""
        constant, growth = ERROR
        return self.amplification * (constant + growth * sqrt(channels)) * (INNER_PRODUCT_ERROR if self.by_inner_product else 1)


@cache
def _worst(along: Callable[[Winograd], float], axis: Axis) -> float:
    return max(along(f) for f in axis.parts if f)


def make_grid(conv: Conv, my: int, mx: int, by_inner_product: bool = False, exact: bool = False) -> Grid:
    """The grid of tiles of my x mx outputs."""
    known = isinstance(conv.oh, int) and isinstance(conv.ow, int)
    y, x = (Axis(m, r, size, known, exact) for m, r, size in ((my, conv.kernel[0], conv.oh), (mx, conv.kernel[1], conv.ow)))
    return Grid(_known(conv.n, 1), y, x, by_inner_product)


def _lengths(r: int, size: DimLike, moduli: Container[int] = MODULI) -> list[int]:
    """Tile lengths for an axis: filters of one tap are not transformed."""
    if r == 1:
        return [1]
    return [m for m in range(2, LARGEST + 1) if m + r - 1 in moduli and (not isinstance(size, int) or m <= max(size, 2))]


def exact_grids(conv: Conv) -> list[Grid]:
    """All tiles in whole numbers whose words hold what a convolution of bytes makes, and whose results are exact."""
    lengths = [_lengths(r, size, POINTS) for r, size in zip(conv.kernel, (conv.oh, conv.ow))]
    found = [make_grid(conv, my, mx, exact=True) for my in lengths[0] for mx in lengths[1]]
    parts = {g: product(*([f for f in axis.parts if isinstance(f, WholeWinograd)] for axis in (g.y, g.x))) for g in found}
    return [g for g in found if all(fits(fy, fx, conv.reduction) for fy, fx in parts[g])]


def grids(conv: Conv) -> list[Grid]:
    """All tiles there are for a convolution; square ones where both axes are transformed."""
    along_y, along_x = _lengths(conv.kernel[0], conv.oh), _lengths(conv.kernel[1], conv.ow)
    if conv.kernel[0] > 1 and conv.kernel[1] > 1 and along_y != along_x:
        both = [m for m in along_y if m in along_x]
        return [make_grid(conv, m, m) for m in both] or [make_grid(conv, along_y[0], along_x[0])] if along_y and along_x else []
    if conv.kernel[0] > 1 and conv.kernel[1] > 1:
        return [make_grid(conv, m, m) for m in along_y]
    return [make_grid(conv, my, mx) for my in along_y for mx in along_x]


@dataclass(frozen=True)
class Products:
    """Register tiles of the products: ``ocb`` vectors x one of ``widths`` tiles (widest first).

    first: for t < len(first) tiles, the width that starts the cheapest cover; cycles: what it costs per input channel.
    slack: tiles that the last of a cover may reach beyond t. whole: what the widest register tile costs per input channel.
    """

    ocb: int
    widths: tuple[int, ...]
    first: tuple[int, ...]
    cycles: tuple[float, ...]
    slack: int
    whole: float

    def cost(self, tiles: int) -> float:
        """Vector multiply-adds per input channel and product for so many tiles."""
        whole = max(0, -(-(tiles - len(self.first) + 1) // self.widths[0]))
        return whole * self.whole + self.cycles[tiles - whole * self.widths[0]]


def call_cost(ocb: int, width: int, costs: WinogradTiles) -> float:
    """Multiply-adds in whose time a register tile takes one input channel."""
    return max(ocb * width, ocb + width, costs.shortest) + costs.call


def inner_product_cost(width: int, steps: int, machine: Machine) -> float:
    """The same of a register tile of one vector in pairs, over so many steps."""
    costs = machine.winograd
    beside = (costs.inner_product_tile + costs.inner_product_pixel * width) / steps
    return (inner_product.step_cost(width, machine) + beside) / inner_product.LANES


@cache
def products(target: TargetLike, vectors: int, counts: tuple[int, ...] = (), steps: int = 0) -> Products:
    """Register tiles for so many output vectors, of which a divisor (else two, where an odd number is large) are taken at once.

    counts: numbers of tiles that occur, for which widths are added where that saves a fortieth. steps: of Winograd's inner product, which
    takes one vector at once, 0 for the usual one.
    """
    if steps:
        least = inner_product.LEAST
        return _widened(1, {inner_product.MOST, 14, least}, counts, least, lambda width: inner_product_cost(width, steps, target.machine))
    ocb = next((n for n in (2, 3) if vectors % n == 0), 1 if vectors < 8 else 2)
    widest = pixels_per_tile(target, ocb)
    costs = target.machine.winograd
    return _widened(ocb, {widest, -(-widest * 4 // 7), -(-widest * 2 // 7)}, counts, 1, lambda width: call_cost(ocb, width, costs))


def _widened(ocb: int, widths: set[int], counts: tuple[int, ...], least: int, cost: Callable[[int], float]) -> Products:
    widest = max(widths)
    for count in counts:
        even = max(least, -(-count // -(-count // widest)))
        if _cover(ocb, widths | {even}, cost).cost(count) < WORTH_A_WIDTH * _cover(ocb, widths, cost).cost(count):
            widths.add(even)
    return _cover(ocb, widths, cost)


def _cover(ocb: int, widths: set[int], cost: Callable[[int], float]) -> Products:
    widest = max(widths)
    cycles, first, excess = [0.0], [0], [0]
    for tiles in range(1, 2 * widest):
        costs = {w: cost(w) + cycles[max(0, tiles - w)] for w in widths}
        best = min(costs, key=lambda w: (costs[w], -w))
        cycles.append(costs[best])
        first.append(best)
        excess.append(excess[tiles - best] if tiles > best else best - tiles)
    return Products(ocb, tuple(sorted(widths, reverse=True)), tuple(first), tuple(cycles), max(excess), cost(widest))


@dataclass(frozen=True)
class Organisation:
    """How the threads share the work.

    split_channels: where a thread has fewer tiles than that, channels are shared out; the memory for it is reserved. 0: never.
    block: tiles that a thread holds at a time.
    """

    split_channels: int
    block: int


def _steps(conv: Conv, grid: Grid) -> int:
    return conv.c // inner_product.LANES if grid.by_inner_product else 0


def organise(conv: Conv, target: TargetLike, grid: Grid) -> Organisation:
    """Blocks of one register tile while the weights stay in the cache; of more, the longer it takes to fetch them."""
    vectors = -(-conv.k // target.lanes)
    widest, panel = (tile := products(target, vectors, (), _steps(conv, grid))).widths[0], tile.ocb
    product_bytes = grid.itemsize * conv.c * grid.products
    block = widest
    if 2 * product_bytes * conv.k > target.l2:
        block *= 2 if 2 * product_bytes * 2 * widest <= target.l2 * (1 + grid.by_inner_product) else 4
    if not all(isinstance(size, int) for size in (conv.n, conv.oh, conv.ow)):
        return Organisation(0, block)
    split = widest if panel < vectors and grid.tiles <= 5 * widest else 0
    if grid.by_inner_product:  # even blocks: a register tile of fewer tiles costs hardly more per tile
        share = grid.tiles if grid.tiles < split * target.team else -(-grid.tiles // target.team)
        block = -(-share // -(-share // block)) if share else block
    return Organisation(split, min(grid.tiles, block))


def register_tiles(conv: Conv, target: TargetLike, grid: Grid, block: int) -> Products:
    """Register tiles for blocks of at most ``block`` tiles."""
    counts: set[int] = set()
    if grid.tiles <= block:
        counts = {tiles for tiles, _ in grid.counts() if tiles}
    elif grid.by_inner_product:
        counts = {block}
    return products(target, -(-conv.k // target.lanes), tuple(sorted(counts)), _steps(conv, grid))


def direct_cost(conv: Conv, target: TargetLike, together: int = 1) -> float:
    """Vector multiply-adds of direct convolution, each of so many channels, weights fetched meanwhile."""
    pixels = _known(conv.n, 1) * typical(conv.oh, USUAL) * typical(conv.ow, USUAL)
    costs = target.machine.winograd
    fetch = fetch_cost(conv.weight_bytes, target, costs.fetch)
    packing = fetch_cost(conv.weight_bytes, target, costs.fetch) if target.repacks else 0
    return overlapped(-(-conv.k // target.lanes) * conv.reduction // together * pixels, fetch, costs.hidden_direct) + packing


def fetch_cost(weight_bytes: float, target: TargetLike, fetch: Fetch) -> float:
    """Vector multiply-adds of one thread in the time that weights take from memory, whose bandwidth a team shares."""
    return fetch.byte * target.team**fetch.shared * weight_bytes


def overlapped(compute: float, fetch: float, hidden: float) -> float:
    """Time of computing while weights are fetched, if so much of the shorter one is hidden."""
    return max(compute, fetch) + (1 - hidden) * min(compute, fetch)


def transform_costs(grid: Grid, costs: WinogradTiles) -> tuple[float, float]:
    """The same of transforms for each product of a tile and channel vector, there and back."""
    y, x = grid.y.whole, grid.x.whole
    whole = isinstance(y, WholeWinograd) and isinstance(x, WholeWinograd)
    there, back = (costs.operation * n / grid.products + costs.moved for n in (word_operations(y, x) if whole else operations(y, x)))
    return there * (costs.words if whole else 1), back


def winograd_cost(conv: Conv, target: TargetLike, grid: Grid) -> float:
    """The same of Winograd's tiles."""
    vectors, blocks = -(-conv.k // target.lanes), -(-conv.c // target.lanes)
    block = organise(conv, target, grid).block
    tile = register_tiles(conv, target, grid, block)
    groups, passes = -(-vectors // tile.ocb), -(-grid.tiles // block)
    multiply = sum(count * passes * tile.cost(-(-tiles // passes)) for tiles, count in grid.counts())
    costs = target.machine.winograd
    there, back = transform_costs(grid, costs)
    if grid.by_inner_product:
        there += costs.inner_product_moved + costs.inner_product_sums / blocks
    compute = groups * -(-conv.c // grid.together) * multiply + grid.transformed * (there * blocks + back * vectors)
    if grid.itemsize * conv.c * grid.products * block > target.l2:
        compute *= costs.beyond
    weights = grid.itemsize * grid.products * conv.c * groups * tile.ocb * target.lanes
    later = costs.again * weights * (passes - 1) if weights > target.l2 else 0
    found = overlapped(compute, fetch_cost(weights, target, costs.fetch) + later, costs.hidden)
    return found + (packing_cost(conv, target, grid, weights) if target.repacks else 0)


def packing_cost(conv: Conv, target: TargetLike, grid: Grid, weights: int) -> float:
    """The same of transforming filters: halves of vectors of float64, along both axes, what is read, and so many bytes that are written.

    On an Intel Xeon (Emerald Rapids), 512 filters of 512 channels take 7.4, 3.1 and 1.5 ms for tiles of 7, 4 and 2 outputs, where this
    gives 6.8, 3.0 and 1.3 ms.
    """
    y, x, fetch = grid.y.whole, grid.x.whole, target.machine.winograd.fetch
    compute = 2 * -(-conv.k // target.lanes) * conv.c * y.n * x.r * (y.r + x.n)
    return compute + fetch_cost(conv.weight_bytes + weights * (1 + 2 * grid.by_inner_product), target, fetch)


def can_use_inner_product(conv: Conv, target: TargetLike) -> bool:
    """Can products take Winograd's inner product: are there whole vectors of input channels, and maps of known size?"""
    known = isinstance(conv.oh, int) and isinstance(conv.ow, int)
    return target.lanes == inner_product.LANES and conv.c % inner_product.LANES == 0 and known


def allowed_grids(conv: Conv, target: TargetLike, error: float) -> Sequence[Grid]:
    """All tiles whose error is within bounds: the most exact of those that are alike, then the others, the cheapest first."""
    return _allowed(replace(conv, node=None), target, error)  # type: ignore[arg-type]  # equal for layers of equal shape


@cache
def _allowed(conv: Conv, target: TargetLike, error: float) -> tuple[Grid, ...]:
    found = grids(conv)
    if target.independent_adders and can_use_inner_product(conv, target):
        found += [replace(g, by_inner_product=True) for g in found]
    machine = target.machine.winograd
    costs = {g: winograd_cost(conv, target, g) for g in found if g.max_error(conv.c) <= error and g.is_exact}
    if not costs:
        return ()
    alike = [g for g in costs if costs[g] <= (machine.inner_product_alike if g.by_inner_product else machine.alike) * min(costs.values())]
    best = min(alike, key=lambda g: (g.amplification, costs[g]))
    return (best, *sorted(set(costs) - {best}, key=lambda g: (costs[g], g.name)))


def choose_grid(conv: Conv, target: TargetLike, error: float) -> Grid | None:
    """The cheapest tiles whose error is within bounds; None: direct convolution."""
    best = next(iter(allowed_grids(conv, target, error)), None)
    if best is None or winograd_cost(conv, target, best) >= target.machine.winograd.gain * direct_cost(conv, target):
        return None
    return best
