"""Tables of what was measured: one file per kind of processor, found by the CPU's vendor and family, and a neutral one for all others.

Kernels and passes read the table of their target, ``target.machine``; no measured figure stands anywhere else. ``sol tune --calibrate``
(sol/tuning/calibration.py) measures figures of the machine at hand, which are laid over its table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sol.codegen.machines.neutral import NEUTRAL
from sol.codegen.machines.table import Calls, Core, Fetch, Figures, Level, Machine, Memory
from sol.codegen.machines.zen3 import ZEN3
from sol.codegen.machines.zen4 import ZEN4
from sol.codegen.machines.zen5 import ZEN5

FAMILIES: Mapping[tuple[str, str], Machine] = MappingProxyType({("AuthenticAMD", "25"): ZEN4, ("AuthenticAMD", "26"): ZEN5})
"""Vendor and family as in /proc/cpuinfo → table."""
WITHOUT_AVX512: Mapping[tuple[str, str], Machine] = MappingProxyType({("AuthenticAMD", "25"): ZEN3})
"""The same for processors of such a family that do not run AVX-512: Zen 3 and Zen 4 are of one."""


def machine_of(cpuinfo: Iterable[str]) -> Machine:
    """The table for the CPU that these lines of /proc/cpuinfo describe; the neutral one if none is for it, or there are no lines."""
    fields: dict[str, str] = {}
    for line in cpuinfo:
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    kind, widest = (fields.get("vendor_id", ""), fields.get("cpu family", "")), "avx512f" in fields.get("flags", "").split()
    return (not widest and WITHOUT_AVX512.get(kind)) or FAMILIES.get(kind, NEUTRAL)


__all__ = ["FAMILIES", "NEUTRAL", "ZEN3", "ZEN4", "ZEN5", "Calls", "Core", "Fetch", "Figures", "Level", "Machine", "Memory", "machine_of"]
