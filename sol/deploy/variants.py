"""A network for each instruction set of a library: the plan, C files with names of their own, and what the library must know of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sol.codegen.compiled import Compiled
from sol.codegen.kernels.random import FRESH
from sol.codegen.machines import Calls
from sol.codegen.plan import Plan
from sol.codegen.program import SourceFile, arena_buffers, render_program
from sol.codegen.targets import Target, architecture, by_name, cpu_features, resolve
from sol.config import config
from sol.deploy.names import Device
from sol.errors import ConfigError, SolError
from sol.ir.dim import Dim, DimLike, dim_text, symbols
from sol.ir.graph import Graph
from sol.tuning.compile import compile_tuned

MULTI = {Device.x86: ("avx512", "avx2", "generic"), Device.aarch64: ("neon",)}
"""Instruction sets of ``isa="multi"``, best first; the last runs on any machine of that kind."""


@dataclass(frozen=True)
class Feature:
    """A feature of x86 CPUs and the bit of CPUID that says so. reg: 0 to 3 for eax, ebx, ecx, edx."""

    name: str
    leaf: int
    subleaf: int
    reg: int
    bit: int


FEATURES = {
    f.name: f
    for f in (
        Feature("fma", 1, 0, 2, 12), Feature("sse4_2", 1, 0, 2, 20), Feature("movbe", 1, 0, 2, 22), Feature("popcnt", 1, 0, 2, 23),
        Feature("avx", 1, 0, 2, 28), Feature("f16c", 1, 0, 2, 29), Feature("bmi1", 7, 0, 1, 3), Feature("avx2", 7, 0, 1, 5),
        Feature("bmi2", 7, 0, 1, 8), Feature("avx512f", 7, 0, 1, 16), Feature("avx512dq", 7, 0, 1, 17),
        Feature("avx512ifma", 7, 0, 1, 21), Feature("avx512cd", 7, 0, 1, 28), Feature("avx512bw", 7, 0, 1, 30),
        Feature("avx512vl", 7, 0, 1, 31), Feature("avx512vbmi", 7, 0, 2, 1), Feature("avx512_vbmi2", 7, 0, 2, 6),
        Feature("gfni", 7, 0, 2, 8), Feature("vaes", 7, 0, 2, 9), Feature("vpclmulqdq", 7, 0, 2, 10),
        Feature("avx512_vnni", 7, 0, 2, 11), Feature("avx512_bitalg", 7, 0, 2, 12), Feature("avx512_vpopcntdq", 7, 0, 2, 14),
        Feature("amx_bf16", 7, 0, 3, 22), Feature("amx_tile", 7, 0, 3, 24), Feature("amx_int8", 7, 0, 3, 25),
        Feature("avx_vnni", 7, 1, 0, 4), Feature("avx512_bf16", 7, 1, 0, 5),
    )
}  # fmt: skip
"""Named as in /proc/cpuinfo."""


@dataclass(frozen=True)
class Variant:
    """The network for one instruction set.

    prefix: what its C functions begin with. sources: C files, named without prefix. features: what the CPU must have.
    """

    isa: str
    prefix: str
    target: Target
    compiled: Compiled
    sources: tuple[SourceFile, ...]
    features: tuple[Feature, ...]

    @property
    def counters(self) -> tuple[str, ...]:
        """C variables that count the calls of kernels which draw other random numbers at every call."""
        return tuple(f"{self.prefix}{k.name}_calls" for k in self.plan.kernels if k.template == FRESH)

    @property
    def plan(self) -> Plan:
        return self.compiled.plan


def targets_for(device: Device, isa: str | None) -> tuple[Target, ...]:
    """The targets that a library for that device holds, best first.

    isa: a target's name; "native" (this very CPU), "multi" (all that there are); None: the knob, or what suits another machine.
    Raises ConfigError for one that the device has not.
    """
    if isa == "multi":
        return tuple(by_name(name) for name in MULTI[device])
    if isa is None:
        isa = config["isa"] if device.machine == architecture() else {Device.x86: "avx2", Device.aarch64: "neon"}[device]
    if isa == "native":
        if device.machine != architecture():
            raise ConfigError(f'isa="native" means this machine, which is no {device.value}', remedy=f"name one of {MULTI[device]}")
        return (resolve("native"),)
    target = by_name(isa)
    if target.architecture not in ("", device.machine):
        raise ConfigError(f"{device.value} has no {isa}", remedy=f'it takes "multi" or one of {", ".join(MULTI[device])}')
    return (target,)


def make_variant(graph: Graph, target: Target, title: str, function: str, threads: int | None) -> Variant:
    """Compile a graph for a target, down to C. threads: for which kernels are chosen."""
    compiled = compile_tuned(graph, title=title, isa=target, threads=threads)
    prefix = f"{function}_{target.name}_"
    return Variant(target.name, prefix, target, compiled, render_program(compiled.plan, title, prefix), _features(target))


def _features(target: Target) -> tuple[Feature, ...]:
    """What a CPU must have; with ``-march=native`` all that this one has and the compiler may use."""
    if target.architecture != "x86_64" and not target.host:
        return ()
    needed = set(target.needs) | ((cpu_features() & set(FEATURES)) if target.host else set())
    unknown = needed - set(FEATURES)
    if unknown and target.architecture == "x86_64":
        raise SolError(f"no CPUID bit is known for {sorted(unknown)}")
    return tuple(FEATURES[name] for name in sorted(needed & set(FEATURES)))


def variant_context(variant: Variant) -> dict[str, object]:
    """What library.c.j2 needs to know of a variant, sizes as C expressions over the symbols."""
    plan = variant.plan
    buffers = arena_buffers(plan) if plan.symbols else ()
    return {
        "isa": variant.isa,
        "prefix": variant.prefix,
        "launches": len(plan.launches),
        "kernels": len(plan.kernels),
        "features": variant.features,
        "counters": variant.counters,
        "checks": [_printable(f"{c.op} {c.origin}") for c in plan.checks],
        "lives": [(b.first, b.last) for b in buffers],
        "buffer_sizes": [_positive(b.size) for b in buffers],
        "arena": dim_text(plan.arena) if not plan.symbols else "0",
        "shared_scratch": dim_text(plan.shared_scratch),
        "scratch": dim_text(plan.scratch),
        "serial": _serial(plan, variant.target.machine.calls),
    }


def _printable(text: str) -> str:
    """Text that a string in C holds as it is."""
    return re.sub(r"[^ -~]|[\\\"]", " ", text.strip())


def _positive(size: DimLike) -> str:
    return f"({dim_text(size)}) + !({dim_text(size)})" if isinstance(size, Dim) else str(max(size, 1))


def _serial(plan: Plan, calls: Calls) -> str:
    """Whether one thread is faster, as a C expression."""
    flops: DimLike = sum((x.flops for x in plan.launches), start=0)
    moved: DimLike = sum((x.bytes for x in plan.launches), start=0)
    if not symbols(flops) and not symbols(moved):
        return str(int(calls.is_short(int(flops), int(moved))))  # type: ignore[arg-type]
    work = f"(double)({dim_text(flops)}) / {calls.flops:g} + (double)({dim_text(moved)}) / {calls.bytes:g}"
    return f"{work} < {calls.serial:g}"


def largest_buffer_count(variants: Sequence[Variant]) -> int:
    """Arena buffers of the variant that has most, if sizes are symbolic."""
    return max(len(arena_buffers(v.plan)) if v.plan.symbols else 0 for v in variants)
