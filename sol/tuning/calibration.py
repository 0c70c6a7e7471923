"""Measures figures of this machine for a few seconds and keeps them: kernels are then chosen by them instead of those of its kind.

What was measured lies in the cache, one checksummed entry per CPU model, microcode, instruction set and number of usable CPUs, which only
its owner can write. ``config["calibration"] = False`` leaves it aside, ``forget`` removes it.
"""

from __future__ import annotations

import json
import logging
import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

from sol.build.cache import key_of, store
from sol.codegen.machines import Core, Figures, Level, Machine, Memory
from sol.codegen.targets import Target, cache_bytes, cpu_identity, microcode, resolve, usable_cpus
from sol.config import config
from sol.tuning import tile_pace
from sol.tuning.rates import Rates, accumulators, beside

log = logging.getLogger("sol.tuning")

FORMAT = "sol machine 1"
SECONDS = 3.0
"""Time that measuring takes unless told otherwise, beside compiling and touching memory."""
FEWEST = 5
"""Samples of each figure, at least."""
LARGEST = 192 << 20
"""Bytes that a thread reads from main memory, at most: a larger last-level cache is not left by it."""
ALL = 1 << 30
"""Bytes that all threads together read, at most, unless they are in caches."""
ENOUGH = 3
"""Samples of a figure below which it counts as not measured."""
UNSTEADY = 0.25
"""Spread of a figure's middle samples, in units of their median, above which it is said to be unsteady."""
ROUNDED = 0.15
"""Distance of a rate per cycle from the one that it is taken for, relative to that, above which it is said."""
NAP = 0.004
"""Seconds after which the threads of a team sleep."""


@dataclass(frozen=True)
class Calibration:
    """What was measured. figures: medians; spreads: by figure, half of the samples lie within so much of the median, relative to it.

    notes: what to know about them, for people; target: instruction set; table: name of the table that they are laid over.
    """

    figures: Figures
    spreads: tuple[tuple[str, float], ...]
    notes: tuple[str, ...]
    target: str
    table: str


def calibrate(seconds: float = SECONDS, threads: int | None = None) -> Calibration:
    """Measure this machine and keep what is found; compilations from now on use it.

    seconds: what measuring takes, about. threads: of the team; default: the usable CPUs.

    Raises CompilerNotFoundError or CompilerError. A machine that is disturbed gives medians and a note.
    """
    target, threads = resolve("native"), threads or usable_cpus()
    if target.matrix_tiles:
        tile_pace.forget(target)
        tile_pace.pace(target)
    return _keep(_key(target), measure(target, threads, seconds))


def limits(threads: int) -> Figures:
    """Figures of this machine with so many threads, to compare with: those that were kept, else measured in as short a time as possible.

    No kernel is chosen by what this measures; it is kept all the same. Raises CompilerNotFoundError or CompilerError.
    """
    target = resolve("native")
    found = kept(target) if config["calibration"] else None
    if found is None or threads not in (1, found.figures.memory.threads):
        key = _key(target, f"limits of {threads}")
        found = _found(key) or _keep(key, measure(target, threads, 0.0, best=True))
    return found.figures


def kept(target: Target | None = None) -> Calibration | None:
    """What was measured on this machine for the native target, if that was kept and is readable."""
    return _found(_key(target or resolve("native")))


def _found(key: str) -> Calibration | None:
    data = store().read(key)
    if data is None:
        return None
    try:
        return _read(data.decode())
    except (ValueError, KeyError, TypeError) as error:
        log.warning("the calibration in the cache cannot be read (%s): it is ignored; sol tune --calibrate makes it anew", error)
        return None


def _keep(key: str, found: Calibration) -> Calibration:
    store().put(key, json.dumps(asdict(found)).encode())
    return found


def forget() -> bool:
    """Remove what was measured on this machine; False if there was nothing."""
    target = resolve("native")
    return any([store().remove(_key(target)), tile_pace.forget(target)])


def calibrated(target: Target) -> Target:
    """The target with what was measured here laid over its machine's table: for code for this very CPU, unless the knob says no.

    Where that has matrix tiles, their pace is measured now if it never was.
    """
    if not (target.host and config["calibration"]):
        return target
    found, machine = kept(target), target.machine
    if found:
        machine = machine.with_figures(found.figures)
    timed = tile_pace.pace(target) if target.matrix_tiles else None
    return replace(target, machine=machine.with_tile_pace(timed) if timed else machine)


def _key(target: Target, *more: str) -> str:
    return key_of("machine", FORMAT, cpu_identity(), microcode(), target.name, str(usable_cpus()), *more)


def _read(text: str) -> Calibration:
    """What ``_keep`` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    fields = json.loads(text)
    figures = fields["figures"]
    threads = figures["memory"].pop("threads")
    memory = Memory(**{name: Level(**level) for name, level in figures["memory"].items()}, threads=threads)
    read = Figures(Core(**figures["core"]), memory, figures["barrier"], figures["wake"])
    core, levels = asdict(read.core), (memory.l1, memory.l2, memory.l3, memory.main)
    numbers = [*core.values(), *(n for level in levels for n in asdict(level).values()), threads, read.barrier, read.wake]
    if not all(isinstance(n, (int, float)) and 0 <= n < math.inf for n in numbers):
        raise ValueError("a figure is no number of its kind")
    if not all(core[name] for name in core if name != "additions") or not threads:
        raise ValueError("a figure is zero")
    return Calibration(read, tuple((n, s) for n, s in fields["spreads"]), tuple(fields["notes"]), fields["target"], fields["table"])


class _Samples:
    """Samples of figures by name, taken in turn, so that what disturbs the machine for a while touches a few samples of each."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = {}
        self.notes: list[str] = []

    def take(self, name: str, rate: float) -> None:
        """A sample; one that could not be taken is left out."""
        if math.isfinite(rate) and rate > 0:
            self.of.setdefault(name, []).append(rate)

    def has(self, name: str) -> bool:
        """Are there enough samples of a figure?"""
        return len(self.of.get(name, ())) >= ENOUGH

    def median(self, name: str, otherwise: float) -> float:
        """Of a figure; ``otherwise`` where there are too few samples, which is noted."""
        if self.has(name):
            return statistics.median(self.of[name])
        self.notes.append(f"{name} could not be measured: the table's figure stays")
        return otherwise

    def best(self, name: str, otherwise: float) -> float:
        """The largest sample of a figure, instead of the median."""
        return max(self.of[name]) if self.has(name) else self.median(name, otherwise)

    def rounded(self, name: str, rate: float) -> float:
        """A rate per cycle as a whole number, or a half: hardware has no others."""
        found = float(round(rate)) or 0.5
        self.check(name, rate, found)
        return found

    def check(self, name: str, rate: float, taken: float) -> None:
        """Note it where a rate is far from what it is taken for."""
        if abs(rate - taken) > ROUNDED * taken:
            self.notes.append(f"{name}: {rate:.2f} per cycle are taken for {taken:g}")

    def spread(self, name: str) -> float:
        """Half of the distance between quartiles, relative to the median."""
        samples = self.of[name]
        low, middle, high = statistics.quantiles(samples, n=4) if len(samples) > 1 else [samples[0]] * 3
        return (high - low) / 2 / middle


def measure(target: Target, threads: int, seconds: float, *, best: bool = False) -> Calibration:
    """Figures of this machine; nothing is kept.

    best: bandwidths are the highest ones that were seen, which is what a limit means; else those to be expected, medians.
    """
    machine, samples = target.machine, _Samples()
    sizes = _sizes(machine, threads)
    rates = Rates(target, threads, max(_each(size, team) * team for size in sizes.values() for team in (1, threads)))
    actions = [*_of_core(rates, target, samples), *_of_memory(rates, sizes, threads, samples), *_of_team(rates, threads, samples)]
    end, turn = time.monotonic() + seconds, 0
    with config.override(team="fixed"):  # else other programs make teams smaller
        while turn < FEWEST or time.monotonic() < end:
            for action in actions:
                action()
            turn += 1
    figures = _figures(machine, target, samples, threads, samples.best if best else samples.median)
    spreads = tuple((name, samples.spread(name)) for name in samples.of if samples.has(name))
    unsteady = [name for name, spread in spreads if spread > UNSTEADY]
    if unsteady:
        samples.notes.append(f"the machine was not quiet: {', '.join(unsteady)} varied by more than {UNSTEADY:.0%}; medians are kept")
    return Calibration(figures, spreads, tuple(samples.notes), target.name, machine.name)


def _sizes(machine: Machine, threads: int) -> dict[str, int]:
    """Bytes that one thread reads from each level; a level whose share is no larger than the one before is left out."""
    memory = machine.memory
    last = cache_bytes(3) or memory.l3.bytes
    sizes = {"l1": memory.l1.bytes // 2, "l2": memory.l2.bytes // 2, "l3": min(last // (2 * threads), LARGEST // 4)}
    if sizes["l3"] < 2 * memory.l2.bytes:
        del sizes["l3"]
    return {**sizes, "main": min(2 * last, LARGEST)}


def _each(size: int, team: int) -> int:
    """Bytes that each thread of a team reads, where one that is alone reads so many."""
    return min(size, ALL // team)


Action = Callable[[], None]


def _of_core(rates: Rates, target: Target, samples: _Samples) -> Iterator[Action]:
    """The clock beside some multiply-adds, and what a core starts per cycle of it; all in one turn, as the clock changes."""
    multiply_adds = 4 * accumulators(target)
    amounts = {"multiply_adds": multiply_adds, "additions": 8 * beside(target), "loads": 32, "broadcasts": 32}

    def rate(kind: str, amount: int) -> float:
        rounds = (1 << 20) // amount
        return amount * rounds / rates.seconds(kind, rounds, size=16 << 10, of_processor=True)

    def act() -> None:
        clock = rate("clock", 2 * multiply_adds)
        samples.take("clock", clock)
        for kind, amount in amounts.items():
            samples.take(kind, rate(kind, amount) / clock)

    yield act


def _of_memory(rates: Rates, sizes: dict[str, int], threads: int, samples: _Samples) -> Iterator[Action]:
    """Bytes per second that one thread and all of them read from each level."""

    def action(level: str, size: int, team: int) -> Action:
        part = _each(size, team)
        rounds = max(1, (4 << 20) // part)
        near = level in ("l1", "l2") and team == 1
        name = f"{level} {'alone' if team == 1 else 'together'}"

        def act() -> None:
            taken = rates.seconds("read", rounds, threads=team, size=part, of_processor=near)
            samples.take(name, team * part * rounds / taken)

        return act

    for level, size in sizes.items():
        for team in sorted({1, threads}):
            yield action(level, size, team)


def _of_team(rates: Rates, threads: int, samples: _Samples) -> Iterator[Action]:
    """Seconds of a barrier, and until a team that has slept has met."""
    rounds = 2000

    def meet() -> None:
        time.sleep(NAP)
        samples.take("wake", rates.seconds("meeting", threads=threads))

    if threads > 1:
        yield lambda: samples.take("barrier", rates.seconds("barriers", rounds, threads=threads) / rounds)
        yield meet


def _figures(
    machine: Machine, target: Target, samples: _Samples, threads: int, bandwidth: Callable[[str, float], float]
) -> Figures:
    """The figures that samples tell; those of the table where there are none. bandwidth: takes one from its samples."""
    core, memory = machine.core, machine.memory
    known = {
        "multiply_adds": core.multiply_adds, "additions": core.multiply_adds + core.additions,
        "loads": core.loads, "broadcasts": core.broadcasts,
    }  # fmt: skip
    rates = {name: samples.median(name, rate) for name, rate in known.items()}
    starts = 2.0 ** round(math.log2(rates["multiply_adds"]))
    samples.check("multiply_adds", rates["multiply_adds"], starts)
    found = Core(
        clock=samples.median("clock", core.clock) * rates["multiply_adds"] / starts,
        multiply_adds=starts,
        additions=max(0.0, samples.rounded("additions", rates["additions"]) - starts),
        loads=samples.rounded("loads", rates["loads"]),
        broadcasts=samples.rounded("broadcasts", rates["broadcasts"]),
    )

    def level(name: str, known: Level, bytes: int) -> Level:
        if f"{name} alone" not in samples.of:  # a level that is too small to be told from the one before
            return replace(known, bytes=bytes)
        alone = bandwidth(f"{name} alone", known.alone)
        return Level(bytes, alone, bandwidth(f"{name} together", 0.0) if threads > 1 else alone)

    levels = Memory(
        l1=level("l1", memory.l1, memory.l1.bytes),
        l2=level("l2", memory.l2, memory.l2.bytes),
        l3=level("l3", memory.l3, cache_bytes(3) or memory.l3.bytes),
        main=level("main", memory.main, 0),
        threads=threads,
    )
    team = threads > 1
    return Figures(found, levels, samples.median("barrier", 0.0) if team else 0.0, samples.median("wake", 0.0) if team else 0.0)


__all__ = ["Calibration", "calibrate", "calibrated", "forget", "kept", "limits", "measure"]
