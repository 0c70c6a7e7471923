"""What a machine table says: measured figures of one kind of processor, in sections, each with its unit and what uses it.

A *figure* describes the hardware (clock, what a core starts per cycle, sizes and bandwidths of caches, waking a team). A *coefficient* is
what a part of a kernel was found to cost, or how far a model's prediction is to be trusted. Both are of one machine. Bounds on errors,
sizes of words and register tiles that follow from the instruction set are not: they stand where they are used.

The unit of most coefficients is the *vector multiply-add*: the time in which one thread that does nothing else multiplies and adds one
vector of the widest instruction set. ``Machine.seconds`` turns it into seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from sol.passes.sizes import GraphSizes


@dataclass(frozen=True)
class Core:
    """What one core does per cycle, in vectors of the widest instruction set that it has.

    clock: cycles per second while it multiplies vectors. multiply_adds: fused multiply-adds of float32 vectors started per cycle.
    additions: float32 additions started per cycle beside so many multiply-adds, in units of their own; 0 where both share units.
    loads: vectors loaded per cycle from the first-level cache; broadcasts: numbers that are loaded into all lanes of a vector.
    """

    clock: float
    multiply_adds: float
    additions: float
    loads: float
    broadcasts: float


@dataclass(frozen=True)
class Level:
    """A level of memory. bytes: what a core has of it or shares with others; alone: bytes per second that one thread reads from it;
    together: the same of all threads of a team, ``Memory.threads`` of them, added up. 0 where that is not known.
    """

    bytes: int
    alone: float
    together: float


@dataclass(frozen=True)
class Memory:
    """The levels of memory, main memory last, and the number of threads that read ``together``."""

    l1: Level
    l2: Level
    l3: Level
    main: Level
    threads: int

    @property
    def is_known(self) -> bool:
        """Was every level behind the first one timed, for one thread or for a team?"""
        return all(level.alone or level.together for level in (self.l2, self.l3, self.main))


@dataclass(frozen=True)
class Team:
    """What working together costs.

    barrier: seconds until all threads of a team have met. wake: seconds until a team that has slept works.
    grain: multiply-adds of a product worth waking one more thread. step_grain: the same for one step of a recurrence.
    alone: threads up to which each makes what all of them read for itself: cheaper than to wait, and to fetch from another core.
    remote: what a byte costs that another core wrote, in bytes of weights from the shared cache or memory.
    apart: bytes of the largest arena in which maps of different shapes are kept apart, so that a line stays with one core; a larger one
    does not stay in the caches anyway.
    """

    barrier: float
    wake: float
    grain: int
    step_grain: int
    alone: int
    remote: int
    apart: int


@dataclass(frozen=True)
class Calls:
    """What is worth while around kernels.

    serial: seconds of a call below which one thread is done before a team would be. flops, bytes: operations and bytes of memory per second
    that one thread reaches at least, by which such calls are told. packed: bytes of packed weights worth a team. watched: cache lines of
    a module's objects, which a call compares with the last one, from which on fetching them ahead gains something.
    """

    serial: float
    flops: float
    bytes: float
    packed: int
    watched: int

    def is_short(self, flops: int, moved: int) -> bool:
        """Is a call of so many operations, which moves so many bytes, done sooner by one thread?"""
        return flops / self.flops + moved / self.bytes < self.serial


@dataclass(frozen=True)
class Fetch:
    """Weights from memory. byte: vector multiply-adds of one thread in the time of one byte. shared: exponent of the number of threads by
    which fetching grows against computing.
    """

    byte: float
    shared: float


@dataclass(frozen=True)
class Streams:
    """How reading goes on beside computing, for predicted times.

    resident: share of a cache that bytes which are used again may fill before some are driven out; pages lie where the system puts them.
    ahead: the part of fetching weights from memory that is hidden behind computing where each of them serves several register tiles, the
    first of which fetches the next ones; what serves a single tile is fetched when it is needed. again, again_once: the same of weights
    that are read again from the caches. overflow: the same of what the second-level cache did not hold.
    lines: bytes per second that a thread reads of what another core wrote, in units of what it reads from memory.
    started: seconds until a launch computes: its arguments, its share.
    elementary: vector operations that an elementary function takes.
    soon: bytes ahead of which a loop with elementary functions asks for what it reads: such a loop is too long for the core to see the next
    ones by itself.
    """

    resident: float
    ahead: float
    again: float
    again_once: float
    overflow: float
    lines: float
    started: float
    elementary: float
    soon: int


@dataclass(frozen=True)
class Figures:
    """What a calibration measures: figures of the hardware, not coefficients of kernels (sol/tuning/calibration.py).

    barrier, wake: as in ``Team``, 0 where there is no team to measure.
    """

    core: Core
    memory: Memory
    barrier: float
    wake: float


@dataclass(frozen=True)
class DirectConvolution:
    """Register tiles of a product that multiplies as usual, in cycles.

    multiply_adds, loads: vectors per cycle that the count for a tile assumes; latency: cycles that a multiply-add's result takes.
    tile: what a tile costs beside its multiply-adds. change: the same for one whose size differs from the others: a call that is not
    foreseen.
    alike: tilings whose cycles differ by less are alike. fetched_from: multiply-adds per output above which a panel's weights are enough to
    be fetched ahead. depthwise_ahead: blocks of channels ahead of which a depthwise convolution asks for the rows of a neighbouring thread.
    stem_ahead: input channels up to which a tile of a first convolution fetches what the one below it reads first.
    """

    multiply_adds: float
    loads: float
    latency: float
    tile: float
    change: float
    alike: float
    fetched_from: int
    depthwise_ahead: int
    stem_ahead: int


@dataclass(frozen=True)
class InnerProduct:
    """The fast inner product (kernels/inner_product.py), in vector multiply-adds.

    step: what a step of 16 channels costs beside its additions and multiply-adds. tile, pixel: what a tile costs beside its steps, and each
    of its pixels. packed: a vector of input packed; packed_once: the same where all taps read it. made: what it costs more to make it on
    the way, for each input of a window. subtracted, subtracted_far: adding up what is subtracted from a grouped convolution's results,
    for each tap and output pixel of a group, with a stride of at most 2 and above.
    gathered: what it costs where channels are gathered, in units of one that reads a tensor.
    line, turned: a vector of an operand that changes from call to call, packed as it lies, or turned so that lanes become the reduction.
    written: what a vector of results costs where these are too many for caches, written down a column.
    gain: share of direct convolution's cost below which it is worth while.
    fetch: weights from memory; hidden: the part of the shorter one of computing and fetching that is hidden behind the longer one.
    again: one byte of weights that a thread reads once more, of those that the second-level cache does not hold.
    longest: steps that are multiplied at once, with all tiles, before the next ones; 0: all there are.
    both: what products of two operands that change from call to call take, in units of what the other figures give; both_gain: share of
    their multiply-adds below which that is worth while.
    """

    step: float
    tile: float
    pixel: float
    packed: float
    packed_once: float
    made: float
    subtracted: float
    subtracted_far: float
    gathered: float
    line: float
    turned: float
    written: float
    gain: float
    fetch: Fetch
    hidden: float
    again: float = 0.0
    longest: int = 0
    both: float = 1.0
    both_gain: float = 0.95


@dataclass(frozen=True)
class WinogradTiles:
    """Winograd's tiles, in vector multiply-adds.

    moved: loads and stores of a transform, for each product of a tile and channel vector. operation: one of its additions or multiply-adds.
    words: what transforming as many words takes of that, half as many bytes.
    fetch: weights from memory; again: one byte of those that a later block fetches, if the cache does not hold them.
    hidden, hidden_direct: the part of the shorter one of computing and fetching weights that is hidden behind the longer one, in these
    tiles and in direct convolution.
    beyond: how many times longer computing takes if the transformed tiles of a block overflow the second-level cache.
    call: what a register tile costs beside its multiply-adds. shortest: multiply-adds that cover the latency of one.
    inner_product_tile, inner_product_pixel: what a register tile of the fast inner product costs beside its steps, and for each of its
    pixels. inner_product_moved, inner_product_sums: what scaling and sums for it add to a transform, for each product of a tile and channel
    vector, and for each product of a tile.
    alike, inner_product_alike: tiles whose costs differ by less are alike, with usual products and with fast ones, which leave less to gain
    from large tiles than the model knows: the more exact tiles are taken. gain, words_gain: share of another kernel's cost below which they
    are worth while, of numbers and of words.
    """

    moved: float
    operation: float
    words: float
    fetch: Fetch
    again: float
    hidden: float
    hidden_direct: float
    beyond: float
    call: float
    shortest: int
    inner_product_tile: float
    inner_product_pixel: float
    inner_product_moved: float
    inner_product_sums: float
    alike: float
    inner_product_alike: float
    gain: float
    words_gain: float


@dataclass(frozen=True)
class WeightGradients:
    """Gradients of convolutions for their weights, in cycles.

    pixels: of a chunk at least, which a tile reads in one call. call: what that costs beside its multiply-adds; added: the same for each
    vector of its sums. row: what a row of a depthwise convolution costs beside its multiply-adds.
    """

    pixels: int
    call: float
    added: float
    row: float


@dataclass(frozen=True)
class MatrixProducts:
    """Linear layers, products of matrices and attention.

    prefetch: float32 numbers of a constant panel fetched ahead: it may come from memory.
    asked_twice: whether weights of 8 and 4 bits, and the values of few queries, had better be asked for by the second-level cache first.
    slice: share of the second-level cache for a slice of the reduction. run: row blocks whose partial sums are kept while it is sliced.
    in_place: rows up to which reading the right operand where it lies costs less than making panels of it.
    short: length of a reduction up to which a result takes longer to write than to compute.
    dot_rows: rows up to which reading the right operand once for every few of them costs less than turning it into panels.
    dot_length: length of a dot product from which on adding up its lanes costs little.
    queries: of a head, up to which keys are read where they lie. values_in_place: blocks of queries of a head up to which its values are,
    each row of which may be on another page of memory; 0 where that was not measured, and values of float32 always are.
    dots: vectors of sums of pairs of products of bfloat16 (AVX-512 BF16) that a core starts per cycle.
    weight_rows: rows up to which weights that no cache holds are read where parameters lie as fast as packed; 0 where small pages of memory
    make that slower, or nobody measured it.
    chunks: share of the second-level cache for a chunk of a turned left operand, all of whose right operand is packed first; 0 where that
    was not measured, and blocks of both operands are packed by turns.
    """

    prefetch: int
    slice: float
    run: int
    in_place: int
    short: int
    dot_rows: int
    dot_length: int
    queries: int
    dots: float
    weight_rows: int = 0
    chunks: float = 0.0
    asked_twice: bool = True
    values_in_place: int = 0


@dataclass(frozen=True)
class MatrixTiles:
    """Products of float32 by matrix tiles, in cycles of a core (kernels/split_product.py).

    dot: of a product of two tiles. left, right: of a number of either operand that is taken apart; those of the right one come from memory.
    sum: of a result, for each slice of the reduction. pixel: of a number of an image that is taken apart; result: of one of a convolution.
    gain: what products by tiles must take at most, of the time of register tiles; of matrix products, of the least time these could take.
    """

    dot: float
    left: float
    right: float
    sum: float
    pixel: float
    result: float
    gain: float


@dataclass(frozen=True)
class Machine:
    """A table. name: of the processors that it is for; measured_on: what its figures were measured on, in words."""

    name: str
    measured_on: str
    core: Core
    memory: Memory
    team: Team
    calls: Calls
    direct: DirectConvolution
    inner_product: InnerProduct
    winograd: WinogradTiles
    weight_gradients: WeightGradients
    products: MatrixProducts
    tiles: MatrixTiles
    streams: Streams
    graph: GraphSizes

    def __hash__(self) -> int:
        return hash((self.name, self.core.clock))  # fields are many, and tables few

    @property
    def multiply_add_rate(self) -> float:
        """Vector multiply-adds per second of one thread."""
        return self.core.clock * self.core.multiply_adds

    def seconds(self, multiply_adds: float) -> float:
        """Seconds in which one thread does so many vector multiply-adds, the unit of the cost models."""
        return multiply_adds / self.multiply_add_rate

    def cycles(self, multiply_adds: float, additions: float, broadcasts: float) -> float:
        """Cycles of so many vector operations of each kind that do not wait for each other; additions share units where they must."""
        core = self.core
        computing = (multiply_adds + (0 if core.additions else additions)) / core.multiply_adds
        return max(computing, additions / core.additions if core.additions else 0.0, broadcasts / core.broadcasts)

    def with_figures(self, found: Figures) -> Machine:
        """The table with what was measured laid over it: its figures, and what fetching weights costs, which changes as they do."""
        team = replace(self.team, barrier=found.barrier or self.team.barrier, wake=found.wake or self.team.wake)
        new = replace(self, name=f"{self.name}, calibrated", core=found.core, memory=found.memory, team=team)
        before, after = self.fetch, new.fetch
        if after is None:
            return new

        def scaled(known: Fetch) -> Fetch:
            """As models were fitted with the table's figures, a machine that has these keeps its choices."""
            if before is None:
                return after
            return Fetch(known.byte * after.byte / before.byte, min(1.0, max(0.0, known.shared + after.shared - before.shared)))

        return replace(
            new,
            inner_product=replace(self.inner_product, fetch=scaled(self.inner_product.fetch)),
            winograd=replace(self.winograd, fetch=scaled(self.winograd.fetch)),
        )

    def with_tile_pace(self, dot: float) -> Machine:
        """The table for matrix tiles whose products take so many cycles here (sol/tuning/tile_pace.py)."""
        return replace(self, name=f"{self.name}, tiles timed", tiles=replace(self.tiles, dot=dot))

    @property
    def fetch(self) -> Fetch | None:
        """What fetching weights costs by the rates of multiply-adds and main memory, as a thread and a team read it; None if not known."""
        main, threads = self.memory.main, self.memory.threads
        if not main.alone or not main.together:
            return None
        shared = math.log(max(threads * main.alone / main.together, 1.0), threads) if threads > 1 else 0.0
        return Fetch(self.multiply_add_rate / main.alone, shared)

    def with_caches(self, l1: int, l2: int) -> Machine:
        """The table for so many bytes of cache of the first and second level."""
        memory = self.memory
        return replace(self, memory=replace(memory, l1=replace(memory.l1, bytes=l1), l2=replace(memory.l2, bytes=l2)))
