"""Tables of what was measured: one file per kind of processor, found by the CPU's vendor and family, and a neutral one for all others.

Kernels and passes read the table of their target, ``target.machine``; no measured figure stands anywhere else. ``sol tune --calibrate``
(sol/tuning/calibration.py) measures figures of the machine at hand, which are laid over its table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sol.codegen.machines.neutral import NEUTRAL
from sol.codegen.machines.table import Calls, Core, Fetch, Figures, Level, Machine, Memory
from sol.codegen.machines.zen4 import ZEN4
from sol.codegen.machines.zen5 import ZEN5

FAMILIES: Mapping[tuple[str, str], Machine] = MappingProxyType({("AuthenticAMD", "25"): ZEN4, ("AuthenticAMD", "26"): ZEN5})
"""Vendor and family as in /proc/cpuinfo → table."""


def machine_of(cpuinfo: Iterable[str]) -> Machine:
    """The table for the CPU that these lines of /proc/cpuinfo describe; the neutral one if none is for it, or there are no lines."""
    fields: dict[str, str] = {}
    for line in cpuinfo:
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    return FAMILIES.get((fields.get("vendor_id", ""), fields.get("cpu family", "")), NEUTRAL)


__all__ = ["FAMILIES", "NEUTRAL", "ZEN4", "ZEN5", "Calls", "Core", "Fetch", "Figures", "Level", "Machine", "Memory", "machine_of"]
