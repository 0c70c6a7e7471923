"""Tables of machines: which one is for which CPU, what is laid over it, and what kernels conclude from it."""

from __future__ import annotations

import pickle
from dataclasses import astuple, fields, is_dataclass, replace
from math import inf

import pytest

from sol.codegen.kernels import inner_product
from sol.codegen.kernels.winograd_model import fetch_cost
from sol.codegen.machines import NEUTRAL, ZEN3, ZEN4, ZEN5, Core, Fetch, Figures, Level, Machine, Memory, machine_of
from sol.codegen.targets import TARGETS, by_name

TABLES = (ZEN3, ZEN4, ZEN5, NEUTRAL)


def cpuinfo(vendor: str, family: int, model: int, name: str, more: str = " avx512f") -> list[str]:
    """The first lines of /proc/cpuinfo of an x86-64 processor, and of a second core that is of another kind."""
    return [
        "processor\t: 0", f"vendor_id\t: {vendor}", f"cpu family\t: {family}", f"model\t\t: {model}", f"model name\t: {name}",
        "stepping\t: 1", "microcode\t: 0xa101148", f"flags\t\t: fpu avx2 fma{more}", "", "processor\t: 1",
        "vendor_id\t: Another", "cpu family\t: 1",
    ]  # fmt: skip


ARM = ["processor\t: 0", "BogoMIPS\t: 50.00", "Features\t: fp asimd", "CPU implementer\t: 0x41", "CPU architecture: 8", "CPU part\t: 0xd0c"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (cpuinfo("AuthenticAMD", 25, 17, "AMD EPYC 9354 32-Core Processor"), ZEN4),
        (cpuinfo("AuthenticAMD", 25, 97, "AMD Ryzen 9 7950X"), ZEN4),
        (cpuinfo("AuthenticAMD", 25, 1, "AMD EPYC 7763 64-Core Processor", ""), ZEN3),
        (cpuinfo("AuthenticAMD", 26, 2, "a Zen 5 whose AVX-512 is switched off", ""), ZEN5),
        (cpuinfo("AuthenticAMD", 26, 2, "AMD EPYC 9575F 64-Core Processor"), ZEN5),
        (cpuinfo("AuthenticAMD", 23, 49, "AMD EPYC 7742"), NEUTRAL),
        (cpuinfo("GenuineIntel", 6, 207, "INTEL(R) XEON(R) PLATINUM 8581C"), NEUTRAL),
        (cpuinfo("GenuineIntel", 25, 1, "a family of the same number"), NEUTRAL),
        (ARM, NEUTRAL),
        ([], NEUTRAL),
        (["nothing of the kind", ":", "cpu family"], NEUTRAL),
    ],
    ids=str,
)
def test_which_table_is_for_a_cpu(lines: list[str], expected: Machine) -> None:
    assert machine_of(lines) is expected


def numbers(value: object) -> list[float]:
    if is_dataclass(value):
        return [n for f in fields(value) for n in numbers(getattr(value, f.name))]
    return [value] if isinstance(value, (int, float)) else []


@pytest.mark.parametrize("machine", TABLES, ids=lambda m: m.name)
def test_a_table_is_whole(machine: Machine) -> None:
    assert all(0 <= n < inf for n in numbers(machine)) and machine.measured_on
    assert machine.core.clock > 1e9 and machine.core.multiply_adds > 0 and machine.core.broadcasts > 0 and machine.memory.threads > 0
    assert hash(machine) == hash(pickle.loads(pickle.dumps(machine))) and pickle.loads(pickle.dumps(machine)) == machine


@pytest.mark.parametrize(("machine", "gflops"), [(ZEN4, 118), (ZEN5, 259), (NEUTRAL, 155)], ids=["zen4", "zen5", "neutral"])
def test_multiply_adds_become_seconds(machine: Machine, gflops: float) -> None:
    assert 32 / machine.seconds(1) / 1e9 == pytest.approx(gflops, rel=0.01)


def test_cycles_of_operations_that_share_units_and_that_do_not() -> None:
    shared, apart = (replace(NEUTRAL, core=Core(1e9, 2, additions, 2, 2)) for additions in (0, 2))
    assert shared.cycles(4, 4, 0) == 4 and apart.cycles(4, 4, 0) == 2 and apart.cycles(2, 8, 0) == 4
    assert shared.cycles(2, 0, 8) == apart.cycles(2, 0, 8) == 4


@pytest.mark.parametrize(("machine", "vectors"), [(ZEN4, 1), (ZEN5, 2), (NEUTRAL, 0)], ids=["zen4", "zen5", "neutral"])
def test_the_fast_inner_product_gains_where_additions_and_broadcasts_are_free(machine: Machine, vectors: int) -> None:
    target = replace(by_name("avx512"), machine=machine)
    assert target.pair_vectors == vectors and target.independent_adders == (vectors == 1)
    assert (inner_product.step_cost(22, machine) < 16 * 22) == (vectors == 1)
    assert (inner_product.step_cost(10, machine, 2) < 16 * 10) == (vectors > 0)
    assert inner_product.step_cost(22, ZEN4) == 11 * 22 + 7
    assert inner_product.step_cost(10, ZEN5, 2) == 11 * 10 + ZEN5.inner_product.step


def test_targets_of_other_machines_have_the_neutral_table() -> None:
    for target in TARGETS.values():
        assert target.machine == NEUTRAL.with_caches(target.l1, target.l2) and not target.independent_adders
    assert {name: (t.l1 >> 10, t.l2 >> 10) for name, t in TARGETS.items()} == {
        "avx512": (32, 1024), "avx2": (32, 256), "neon": (64, 512), "generic": (32, 256),
    }  # fmt: skip


MEASURED = Figures(
    core=Core(clock=4e9, multiply_adds=2.0, additions=2.0, loads=2.0, broadcasts=4.0),
    memory=Memory(Level(48 << 10, 400e9, 800e9), Level(2 << 20, 100e9, 200e9), Level(32 << 20, 50e9, 80e9), Level(0, 40e9, 40e9), 2),
    barrier=0.2e-6,
    wake=60e-6,
)


@pytest.mark.parametrize("machine", TABLES, ids=lambda m: m.name)
def test_what_was_measured_is_laid_over_a_table(machine: Machine) -> None:
    found = machine.with_figures(MEASURED)
    assert (found.core, found.memory, found.team.barrier, found.team.wake) == (MEASURED.core, MEASURED.memory, 0.2e-6, 60e-6)
    assert found.direct == machine.direct and found.graph == machine.graph and found.team.grain == machine.team.grain
    for section in ("inner_product", "winograd"):
        known, new = (getattr(m, section).fetch for m in (machine, found))
        if machine.fetch is None:
            assert new == Fetch(byte=8e9 / 40e9, shared=1.0)  # two threads read no more than one
        else:
            assert new.byte == pytest.approx(known.byte * 0.2 / machine.fetch.byte)
            assert new.shared == pytest.approx(min(1.0, known.shared + 1.0 - machine.fetch.shared))
    assert replace(found.winograd, fetch=machine.winograd.fetch) == machine.winograd
    assert found.name != machine.name and found != machine and astuple(found) != astuple(machine)
    target = replace(by_name("avx512"), machine=found, team=2)
    assert target.independent_adders and target.l2 == 2 << 20
    fetch = Fetch(byte=8e9 / 40e9, shared=1.0)
    assert found.fetch == fetch
    assert fetch_cost(1e9, target, fetch) * found.seconds(1) == pytest.approx(1e9 / 20e9)  # each has half of 40 GB/s


def test_a_machine_without_a_team_keeps_what_a_table_says_of_teams() -> None:
    found = ZEN4.with_figures(replace(MEASURED, barrier=0.0, wake=0.0, memory=replace(MEASURED.memory, threads=1)))
    assert found.team == ZEN4.team and found.winograd.fetch.shared == 0.0


def test_a_machine_with_the_figures_of_its_table_keeps_its_choices() -> None:
    for machine in (ZEN4, NEUTRAL):
        found = machine.with_figures(Figures(machine.core, machine.memory, machine.team.barrier, machine.team.wake))
        assert found.winograd.fetch.byte == pytest.approx(machine.winograd.fetch.byte) and found.team == machine.team
        assert found.winograd.fetch.shared == pytest.approx(machine.winograd.fetch.shared)


def test_without_main_memory_fetching_costs_what_the_table_says() -> None:
    memory = replace(MEASURED.memory, main=Level(0, 0.0, 0.0))
    assert ZEN4.with_figures(replace(MEASURED, memory=memory)).winograd == ZEN4.winograd
