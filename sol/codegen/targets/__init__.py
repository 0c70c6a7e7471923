"""What a kernel may assume of the machine it runs on: vector width, registers, compiler flags, and the table of measured figures.

One file per target defines TARGET; this one finds out which of them this machine can execute.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from sol.codegen.machines import Machine, machine_of
from sol.errors import ConfigError
from sol.ir.types import HOST


@dataclass(frozen=True)
class Target:
    """One instruction set.

    lanes: float32 values per vector. registers: vector registers. flags: what the C compiler must be given.
    machine: figures of the processor it runs on, by which kernels are chosen. header: file in codegen/include that maps sol_simd.h to this
    target. architecture: as ``architecture()`` says it, "" for any. needs: CPU features as in /proc/cpuinfo.
    space: the memory space that kernels of this target read and write; the host's for instruction sets of CPUs.
    matrix_tiles: whether products of bfloat16 and of bytes may use matrix tiles (AMX).
    narrow_dots: whether an instruction adds two products of bfloat16 to each lane (AVX-512 BF16).
    byte_dots: whether one adds four products of bytes to each lane (AVX-512 VNNI, AVX-VNNI).
    word_dots: whether, where there are no such, products of bytes are made of pairs of 16-bit numbers that are multiplied and added (AVX2).
    team: threads that the cost model counts on. repacks: whether weights change from call to call, as in training, so that packing them is
    part of each. keeps_parameters: whether parameters stay where they are between calls, so that kernels may read them there.
    host: empty, or what tells this CPU from others where the flags ask for this very CPU.
    """

    name: str
    lanes: int
    registers: int
    flags: tuple[str, ...]
    machine: Machine
    header: str
    architecture: str = ""
    needs: tuple[str, ...] = ()
    space: str = HOST
    matrix_tiles: bool = False
    narrow_dots: bool = False
    byte_dots: bool = False
    word_dots: bool = False
    team: int = 2
    repacks: bool = False
    keeps_parameters: bool = False
    host: str = field(default="", repr=False)

    @property
    def vector_bytes(self) -> int:
        return 4 * self.lanes

    @property
    def l1(self) -> int:
        """Bytes of a core's first-level data cache."""
        return self.machine.memory.l1.bytes

    @property
    def l2(self) -> int:
        """Bytes of a core's second-level cache."""
        return self.machine.memory.l2.bytes

    @property
    def pair_vectors(self) -> int:
        """Output vectors that a broadcast must serve for independent floating-point adders to speed up the fast inner product, in which
        five of 16 multiply-adds become two additions each: 1 (AMD's Zen 4), 2 where broadcasts take as long as multiply-adds (Zen 5), or 0
        where neither gains.
        """
        plain = self.machine.cycles(16, 0, 0)
        return next((n for n in (1, 2) if self.machine.cycles(11, 10, 16 / n) < plain), 0)

    @property
    def independent_adders(self) -> bool:
        """Whether they do where each broadcast serves one vector only."""
        return self.pair_vectors == 1

    @property
    def blocks_bytes(self) -> bool:
        """Whether images of bytes may lie in blocks of channels, whose convolutions are dot products of vectors."""
        return self.byte_dots or self.word_dots

    @property
    def multiplies_pairs(self) -> bool:
        """Whether products of bfloat16 are faster in pairs than widened to float32."""
        return self.narrow_dots and 2 * self.machine.products.dots > self.machine.core.multiply_adds

    def runs_here(self) -> bool:
        """Can this machine execute it?"""
        return self.architecture in ("", architecture()) and cpu_features().issuperset(self.needs)


def usable_cpus() -> int:
    """CPUs that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


def usable_cores() -> int:
    """Cores that these CPUs belong to, as Linux tells them: hardware threads of one core count once. Elsewhere the CPUs."""
    cores = set()
    for cpu in sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else ():
        try:
            cores.add(Path(_SIBLINGS.format(cpu)).read_text().strip())
        except OSError:
            return usable_cpus()
    return len(cores) or usable_cpus()


def architecture() -> str:
    """This machine's architecture: x86_64, aarch64, or what the system calls it."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


@functools.cache
def cpu_features() -> frozenset[str]:
    """Features of the CPU that programs may use, named as in /proc/cpuinfo; empty where that is unreadable."""
    for line in _cpuinfo():
        name, _, value = line.partition(":")
        if name.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return frozenset({"asimd"}) if architecture() == "aarch64" else frozenset()


@functools.cache
def cpu_identity() -> str:
    """What tells this CPU from others: vendor, model and features. Code compiled for it may not run elsewhere."""
    wanted = ("vendor_id", "cpu family", "model", "model name", "stepping", "CPU implementer", "CPU part")
    fields: dict[str, str] = {}
    for line in _cpuinfo():
        name, _, value = line.partition(":")
        if name.strip() in wanted:
            fields.setdefault(name.strip(), value.strip())
    return "; ".join([architecture(), *(f"{k}={v}" for k, v in sorted(fields.items())), " ".join(sorted(cpu_features()))])


@functools.cache
def microcode() -> str:
    """The version of this CPU's microcode; "" where the system does not say."""
    found = (line.partition(":")[2].strip() for line in _cpuinfo() if line.startswith("microcode"))
    return next(found, "")


def cache_bytes(level: int) -> int | None:
    """Bytes of data cache of the first CPU at this level; None where the system does not say."""
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            if int((folder / "level").read_text()) != level or (folder / "type").read_text().strip() == "Instruction":
                continue
            size = (folder / "size").read_text().strip()
            return int(size.rstrip("KMkm")) * {"K": 1 << 10, "M": 1 << 20}.get(size[-1].upper(), 1)
        except (OSError, ValueError, IndexError):
            continue
    return None


def resolve(isa: str) -> Target:
    """The target of that name; "native" is the best one here, compiled for this very CPU.

    Raises ConfigError, which lists what this machine can run, if the name is unknown or the machine cannot run it.
    """
    if isa == "native":
        return _native()
    target = by_name(isa)
    if not target.runs_here():
        raise ConfigError(
            f"isa {isa!r} cannot run on this machine ({_why_not(target)})", remedy=f"it can run {', '.join(runnable())}"
        )
    return target


def by_name(name: str) -> Target:
    """The target of that name, also if this machine cannot execute it (to write C for another one)."""
    try:
        return TARGETS[name]
    except (KeyError, TypeError):
        raise ConfigError(
            f"no target is called {name!r}", remedy=f"this machine can run native, {', '.join(runnable())}; "
            f"known are {', '.join(TARGETS)}"
        ) from None  # fmt: skip


def runnable() -> tuple[str, ...]:
    """Names of the targets that this machine can execute, best first."""
    return tuple(name for name, target in TARGETS.items() if target.runs_here())


@functools.cache
def _native() -> Target:
    best = TARGETS[runnable()[0]]
    tune = {"x86_64": ("-march=native",), "aarch64": ("-mcpu=native",)}.get(architecture(), ())
    table = machine_of(_cpuinfo()).with_caches(cache_bytes(1) or best.l1, cache_bytes(2) or best.l2)
    found = replace(best, flags=best.flags + tune, machine=table, host=cpu_identity())
    if NARROW_DOTS in cpu_features():
        found = with_narrow_dots(found)
    if BYTE_DOTS.get(best.name) in cpu_features():
        found = with_byte_dots(found)
    return with_matrix_tiles(found) if has_matrix_tiles() else found


NARROW_DOTS = "avx512_bf16"
"""Feature of a CPU that adds up pairs of products of bfloat16."""


def with_narrow_dots(target: Target) -> Target:
    """The target for such a CPU."""
    return replace(target, narrow_dots=True, needs=(*target.needs, NARROW_DOTS))


BYTE_DOTS: Mapping[str, str] = MappingProxyType({"avx512": "avx512_vnni", "avx2": "avx_vnni"})
"""Target → feature of a CPU that adds up products of bytes in fours."""


def with_byte_dots(target: Target) -> Target:
    """The target for such a CPU."""
    return replace(target, byte_dots=True, word_dots=False, needs=(*target.needs, BYTE_DOTS[target.name]))


MATRIX_TILES = ("amx_tile", "amx_bf16", "amx_int8")
"""Features of a CPU with matrix tiles for bfloat16 and bytes."""
_REQUEST, _ASK_FOR, _TILES = 158, 0x1023, 18  # arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA


def with_matrix_tiles(target: Target) -> Target:
    """The target for such a CPU."""
    return replace(target, matrix_tiles=True, needs=(*target.needs, *MATRIX_TILES))


@functools.cache
def has_matrix_tiles() -> bool:
    """Whether this CPU has matrix tiles for bfloat16 and bytes, and the system lets this process use them."""
    if sys.platform != "linux" or architecture() != "x86_64" or not cpu_features().issuperset(MATRIX_TILES):
        return False
    return ctypes.CDLL(None).syscall(_REQUEST, _ASK_FOR, _TILES) == 0


def _why_not(target: Target) -> str:
    if target.architecture not in ("", architecture()):
        return f"it needs {target.architecture}, this is {architecture()}"
    return f"its CPU lacks {', '.join(f for f in target.needs if f not in cpu_features())}"


@functools.cache
def _cpuinfo() -> tuple[str, ...]:
    try:
        return tuple(Path("/proc/cpuinfo").read_text(errors="replace").splitlines())
    except OSError:
        return ()


from sol.codegen.targets import avx2, avx512, generic, neon  # noqa: E402  (each builds a Target)

TARGETS: Mapping[str, Target] = MappingProxyType(
    {target.name: target for target in (avx512.TARGET, avx2.TARGET, neon.TARGET, generic.TARGET)}
)
