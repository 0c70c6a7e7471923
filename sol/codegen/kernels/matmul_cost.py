"""How long a matrix product takes: its multiply-adds and loads by what a core starts, against its bytes from memory."""

from __future__ import annotations

from sol.codegen.kernels.matmul_product import Product
from sol.codegen.lowering import TargetLike
from sol.ir.dim import DimLike


def fixed(*sizes: DimLike) -> tuple[int, ...] | None:
    """Sizes that are all known, else None."""
    known = tuple(s for s in sizes if isinstance(s, int))
    return known if len(known) == len(sizes) else None


def fits_caches(numbers: int, target: TargetLike) -> bool:
    """Whether the second-level caches of a team together hold so many numbers of float32."""
    return 4 * numbers <= target.team * target.l2


def product_seconds(p: Product, cycles: float, multiply_adds: float) -> float | None:
    """Seconds of a product whose computing takes so many cycles of one thread; None where sizes are known only at run time.

    multiply_adds: of numbers, by which threads are woken. The longer one of computing and reading from main memory counts, and a barrier.
    """
    sizes = fixed(p.bytes)
    if sizes is None:
        return None
    machine = p.target.machine
    main = machine.memory.main
    threads = int(max(1, min(p.target.team, 1 + multiply_adds // machine.team.grain)))
    bandwidth = main.alone or main.together if threads == 1 else max(main.alone, main.together)
    reading = sizes[0] / bandwidth if bandwidth else 0.0  # a table tells 0 for what was not measured
    return max(cycles / machine.core.clock / threads, reading) + machine.team.barrier * (threads > 1)


def tile_cycles(target: TargetLike, rows: int, vectors: int) -> float:
    """Cycles of one step of the reduction in a register tile: multiply-adds, or loads of vectors and broadcasts of rows."""
    core = target.machine.core
    return max(rows * vectors / core.multiply_adds, vectors / core.loads + rows / core.broadcasts)


def streaming_seconds(size: int, passes: float, target: TargetLike) -> float:
    """Seconds in which a team reads so many bytes of weights so often, from the first level of memory that holds them; 0 if not known."""
    memory = target.machine.memory
    level = next((found for found in (memory.l2, memory.l3) if size <= found.bytes), memory.main)
    rate = level.alone or level.together if target.team == 1 else max(level.alone, level.together)
    return passes * size / rate if rate else 0.0


def one_by_one_seconds(multiply_adds: DimLike, target: TargetLike) -> float | None:
    """Seconds of a product one result at a time, each of whose multiply-adds waits for the one before."""
    if not isinstance(multiply_adds, int):
        return None
    machine = target.machine
    return multiply_adds * machine.direct.latency / machine.core.clock / target.team + machine.team.barrier * (target.team > 1)
