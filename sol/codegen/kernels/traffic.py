"""How long bytes take from where they lie: the levels of memory of a machine's table, for predicted times."""

from __future__ import annotations

from sol.codegen.lowering import TargetLike
from sol.codegen.machines import Level, Machine


def missing(between: float, size: float, machine: Machine) -> float:
    """Share of accesses that a cache of so many bytes does not serve, if so many bytes lie between two uses of a line.

    Up to the share of a cache that stays it is 0; from there it grows with the bytes until the whole cache is gone through.
    """
    resident = machine.streams.resident
    return min(1.0, max(0.0, (between / size - resident) / (1 - resident)))


def rate(level: Level, machine: Machine, team: int) -> float:
    """Bytes per second that each thread of a team reads from a level; 0 where that is not known."""
    together = level.together / machine.memory.threads
    return (together or level.alone) if team > 1 else (level.alone or together)


def byte_seconds(between: float, target: TargetLike, fastest: bool = False) -> float:
    """Seconds in which a thread reads a byte, if so many bytes lie between two uses of it in its own caches; 0 where no level is known.

    fastest: also from the first-level cache.
    """
    machine, team = target.machine, target.team
    memory = machine.memory
    levels = [(memory.l2, float(memory.l2.bytes)), (memory.l3, memory.l3.bytes / team), (memory.main, 0.0)]
    if fastest:
        levels.insert(0, (memory.l1, float(memory.l1.bytes)))
    share, total, slowest = 1.0, 0.0, 0.0
    for level, size in levels:
        left = share * missing(between, size, machine) if size else 0.0
        speed = rate(level, machine, team)
        slowest = 1 / speed if speed else slowest
        total += (share - left) * slowest
        share = left
    return total


def weight_seconds(size: float, target: TargetLike) -> float:
    """Seconds until a team has read so many bytes of weights, which come from memory."""
    return size / target.team * memory_seconds(target)


def memory_seconds(target: TargetLike) -> float:
    """Seconds in which a thread reads a byte from main memory while the others of its team read, too."""
    machine = target.machine
    fetch = machine.winograd.fetch
    return machine.seconds(fetch.byte * target.team**fetch.shared)


def other_cores_seconds(size: float, target: TargetLike) -> float:
    """Seconds in which a thread reads so many bytes, of which the threads of the team wrote equal parts, beyond reading its own."""
    return size * (1 - 1 / target.team) * memory_seconds(target) / target.machine.streams.lines


def balance(pieces: int, team: int) -> float:
    """How many times longer a team takes because pieces cannot be divided."""
    return -(-pieces // team) * team / pieces if pieces else 1.0


def meeting(target: TargetLike) -> float:
    """Seconds of a launch beside its work: it begins, and its threads meet."""
    machine = target.machine
    return machine.streams.started + machine.team.barrier * (target.team > 1)


__all__ = ["balance", "byte_seconds", "meeting", "memory_seconds", "missing", "other_cores_seconds", "rate", "weight_seconds"]
