"""How long products of matrix tiles take on this machine, in cycles of multiply-adds of vectors: by that products of float32 choose.

A core has one unit of matrix tiles for both of its hardware threads. Where another program, or another guest of the same computer, uses the
thread beside, a product of tiles takes up to four times as long, while multiply-adds of vectors take about 1.3 times as long. No table of
a kind of processor knows that, so it is measured when a network first asks, for a fraction of a second, and kept in the cache like a
calibration: choices are the same from then on. Reading and writing there is as in `sol.tuning.calibration`.
"""

from __future__ import annotations

import logging
import math
import statistics
import time

from sol.build.cache import key_of, store
from sol.codegen.kernels.split_product import PRODUCTS
from sol.codegen.targets import Target, cpu_identity, microcode, usable_cores, usable_cpus
from sol.errors import CompilerError, CompilerNotFoundError
from sol.tuning.rates import TILES, Rates, accumulators

log = logging.getLogger("sol.tuning")

FORMAT = "sol tile pace 1"
TURNS = 60
"""Bursts of products of tiles and as many of multiply-adds."""
ROUNDS = 1500
"""Of a burst of tiles: half a millisecond where nothing disturbs it."""
NAP = 0.004
"""Seconds between bursts: what else a core does changes within some hundredths of a second, and many states are to be met."""
MEMORY = 16 << 10
"""Bytes that a thread loads tiles from."""


def pace(target: Target) -> float | None:
    """Cycles of a product of two matrix tiles on this machine, as kept or else measured now; None where the table's have to do.

    target: has matrix tiles and is for this very CPU.
    """
    key = _key(target)
    found = _kept(key)
    if found is not None:
        return found
    try:
        with store().locked(key):  # of several processes that begin at once, all take what one of them measures
            found = _kept(key)
            if found is None:
                found = measured(target, usable_cores())
                if found is not None:
                    store().put(key, repr(found).encode())
    except (CompilerError, CompilerNotFoundError) as error:
        log.info("products of matrix tiles cannot be timed (%s): the table says how long they take", error)
    return found


def kept(target: Target) -> float | None:
    """The same if it was kept; nothing is measured."""
    return _kept(_key(target)) if target.matrix_tiles else None


def measured(target: Target, threads: int) -> float | None:
    """The same, measured now by so many threads at once, and not kept; None if none of them ran.

    Raises CompilerNotFoundError or CompilerError.
    """
    rates, starts = Rates(target, threads, threads * MEMORY), target.machine.core.multiply_adds
    products, multiply_adds = 4 * PRODUCTS * ROUNDS, 4 * accumulators(target)
    rounds = 16 * products // multiply_adds  # with sixteen multiply-adds for each product a burst takes about half as long
    tiles, vectors = [], []
    for _ in range(TURNS):
        both = zip(rates.each(TILES, ROUNDS, threads, MEMORY), rates.each("multiply_adds", rounds, threads))
        ran = [times for times in both if all(map(math.isfinite, times))]  # fewer where other programs or a quota leave fewer CPUs
        if ran:
            of_tiles, of_vectors = map(statistics.harmonic_mean, zip(*ran))
            tiles.append(of_tiles / products)
            vectors.append(of_vectors / (multiply_adds * rounds))
        time.sleep(NAP)
    return sum(tiles) / sum(vectors) / starts if tiles else None


def forget(target: Target) -> bool:
    """Remove what was kept; False if there was nothing."""
    return store().remove(_key(target))


def _kept(key: str) -> float | None:
    data = store().read(key)
    try:
        found = float(data.decode()) if data is not None else 0.0
    except ValueError:
        found = 0.0
    return found if 0 < found < math.inf else None


def _key(target: Target) -> str:
    return key_of("machine", FORMAT, cpu_identity(), microcode(), target.name, str(usable_cpus()))
