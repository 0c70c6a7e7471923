"""The pool of threads alone: teams under stress, sanitizers, the quota of a container, and how teams shrink beside other programs."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sol.codegen.render import INCLUDE
from sol.codegen.targets import by_name
from tests.codegen.compiled import load_c
from tests.toolchains import WARNINGS

PROGRAM = Path(__file__).parent / "pool_stress.c"
BUILDS = {
    "plain": ("-O2",),
    "portable": ("-O2", "-DSOL_NO_FUTEX"),
    "thread sanitizer": ("-O1", "-g", "-fsanitize=thread"),
    "portable, thread sanitizer": ("-O1", "-g", "-fsanitize=thread", "-DSOL_NO_FUTEX"),
    "address sanitizer": ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
}
CASES = {
    "fixed teams of four callers": (4, 200, 8, 1, 0),
    "as many as there are free cores": (4, 200, 8, 0, 0),
    "forks in the midst of calls": (3, 60, 4, 1, 6),
    "forks beside teams that shrink": (2, 60, 4, 0, 6),
}


@pytest.fixture(scope="module")
def stress(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the program, with addresses where the thread sanitizer expects them."""
    made = tmp_path_factory.mktemp("pool") / "stress"
    line = ["gcc", "-std=gnu11", *WARNINGS, "-Werror", *BUILDS[request.param], f"-I{INCLUDE}", str(PROGRAM), "-pthread", "-o", str(made)]
    subprocess.run(line, check=True)
    return [*(("setarch", "-R") if "thread sanitizer" in request.param and shutil.which("setarch") else ()), str(made)]


# a child of a program with threads may hang in a sanitizer, whose own locks are held by threads that the child has not; that of threads
# says that it does not support threads of such a child (its option die_after_fork)
STRESSES = [(build, case) for build in BUILDS for case in CASES if "sanitizer" not in build or "forks" not in case]


@pytest.mark.parametrize("stress,case", STRESSES, indirect=["stress"], scope="module")
def test_stress(stress: Sequence[str], case: str) -> None:
    """Delays, yields and sleeps between barriers, several callers and forks at once: each member and unit once, no barrier early."""
    done = subprocess.run([*stress, *map(str, CASES[case]), "1"], capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stdout}{done.stderr[-4000:]}"


QUOTA = """
#define _GNU_SOURCE
#include "sol_pool.h"
int quota(const char *root);
int quota(const char *root) { return sol_quota_threads(root); }
"""
NONE = 2**31 - 1


@pytest.mark.parametrize("groups,files,expected", [
    ("0::/\n", {"cpu.max": "100000 100000\n"}, 2),
    ("0::/\n", {"cpu.max": "max 100000\n"}, NONE),
    ("0::/\n", {}, NONE),
    ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "250000 100000\n"}, 6),
    ("0::/a/b\n", {"a/b/cpu.max": "50000 100000\n", "a/cpu.max": "400000 100000\n"}, 2),
    ("0::/host/path/that/is/not/here\n", {"cpu.max": "150000 50000\n"}, 6),
    ("5:memory:/x\n3:cpu,cpuacct:/x\n", {"cpu,cpuacct/x/cpu.cfs_quota_us": "200000\n", "cpu,cpuacct/x/cpu.cfs_period_us": "100000\n"}, 4),
    ("1:cpu:/\n0::/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, NONE),
    ("1:cpu:/docker/1\n", {"cpu/cpu.cfs_quota_us": "10000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 2),
    ("4:cpuset:/x\n2:cpuacct:/x\n", {"cpu/x/cpu.cfs_quota_us": "100000\n", "cpu/x/cpu.cfs_period_us": "100000\n"}, NONE),
    ("nonsense\n0:\n\n", {"cpu.max": "100000 100000\n"}, NONE),
    ("0::/\n", {"cpu.max": "100000 0\n"}, NONE),
    ("0::/\n", {"cpu.max": ""}, NONE),
])  # fmt: skip
def test_the_quota_of_a_container(groups: str, files: dict[str, str], expected: int, tmp_path: Path) -> None:
    """Both versions of control groups, nested ones, and what a container sees of its own; two threads for each CPU of the quota."""
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        path = tmp_path / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert load_c(QUOTA, by_name("generic")).quota(str(tmp_path).encode()) == expected


def test_without_control_groups(tmp_path: Path) -> None:
    assert load_c(QUOTA, by_name("generic")).quota(str(tmp_path).encode()) == NONE


PACE = """
#define _GNU_SOURCE
#include "sol_pool.h"
void restart(void);
void restart(void) { sol_pool.pace = (sol_pace)SOL_PACE_START; }
int limit(void);
int limit(void) { return sol_pace_limit(&sol_pool.pace); }
void learn(int size, int possible, int late, double work, double wall, int64_t now);
void learn(int size, int possible, int late, double work, double wall, int64_t now)
{
    sol_pace_learn(&sol_pool.pace, size, possible, late, work, wall, now);
}
"""
Machine = Callable[[int, int], tuple[int, float, float]]
"""(team, call) → members that were late, cores at work, milliseconds of the call, for 4 ms of work."""


class Simulation:
    """Calls of 4 ms of work that could take ``possible`` threads, one after the other on a machine that a test makes up."""

    def __init__(self, possible: int) -> None:
        self.possible, self.clock, self.calls, self.sizes = possible, 10.0, 0, [0] * 0
        self.pace = load_c(PACE, by_name("generic"))
        self.pace.learn.argtypes = [ctypes.c_int] * 3 + [ctypes.c_double] * 2 + [ctypes.c_int64]
        self.pace.restart()

    def run(self, milliseconds: float, machine: Machine) -> list[int]:
        """Team sizes of the calls in that time."""
        end, sizes = self.clock + milliseconds, []
        while self.clock < end:
            size = min(self.pace.limit(), self.possible)
            late, cores, wall = machine(size, self.calls)
            self.clock += wall
            self.calls += 1
            self.pace.learn(size, self.possible, late, cores * wall * 1e6, wall * 1e6, int(self.clock * 1e6))
            sizes.append(size)
        return sizes


def calm(size: int, call: int) -> tuple[int, float, float]:
    return 0, float(size), 4 / size


def busy(free: int) -> Machine:
    """Four other programs want each core but ``free`` ones: a larger team goes at the pace of members with a fifth of a core."""

    def machine(size: int, call: int) -> tuple[int, float, float]:
        return (0, float(size), 4 / size) if size <= free else (size - free, size / 5, 20 / size)

    return machine


def share(sizes: Sequence[int], size: int) -> float:
    return sizes.count(size) / len(sizes)


def test_a_team_stays_where_nothing_is_lost() -> None:
    assert set(Simulation(8).run(3000, calm)) == {8}


@pytest.mark.parametrize("possible,free", [(2, 1), (4, 3), (8, 5), (8, 2), (64, 60)])
def test_a_team_shrinks_to_the_free_cores_and_comes_back(possible: int, free: int) -> None:
    simulation = Simulation(possible)
    assert set(simulation.run(100, calm)) == {possible}
    simulation.run(200, busy(free))
    assert share(simulation.run(4000, busy(free)), free) > 0.97
    simulation.run(1200, calm)
    assert set(simulation.run(3000, calm)) == {possible}


def test_long_calls_come_back_soon() -> None:
    """Something ran beside some calls of half a second or more, as a compiler does before a first training step."""
    slow = lambda machine: lambda size, call: (*machine(size, call)[:2], 250 * machine(size, call)[2])  # noqa: E731
    simulation = Simulation(2)
    simulation.run(10_000, slow(busy(1)))
    sizes = simulation.run(20_000, slow(calm))
    assert set(sizes[6:]) == {2}


def test_trials_become_rare() -> None:
    simulation = Simulation(2)
    simulation.run(100, calm)
    first = simulation.run(500, busy(1)).count(2)
    simulation.run(3000, busy(1))
    assert simulation.run(500, busy(1)).count(2) < first / 2


def test_a_rare_delay_changes_nothing() -> None:
    """As by a program that wakes now and then, or where a quota ends once in many calls."""
    late = lambda size, call: (size, 0.05, 54.0) if call % 20 == 19 else calm(size, call)  # noqa: E731
    assert set(Simulation(2).run(5000, late)) == {2}


def test_a_smaller_team_that_gets_less_done_is_left() -> None:
    """All cores are wanted by others, who leave half of each: as many members as possible get most done."""
    machine = lambda size, call: (size, size / 2, 8 / size)  # noqa: E731
    simulation = Simulation(4)
    simulation.run(500, machine)
    assert share(simulation.run(4000, machine), 4) > 0.9


def test_busier_and_busier() -> None:
    simulation = Simulation(8)
    for free in (6, 3, 2):
        simulation.run(1000, busy(free))
        assert share(simulation.run(2000, busy(free)), free) > 0.9


def test_calls_that_others_left_fewer_threads_say_nothing() -> None:
    simulation = Simulation(4)
    for _ in range(100):
        simulation.pace.learn(2, 4, 2, 1e5, 4e6, int(simulation.clock * 1e6))
        simulation.clock += 4
    assert simulation.pace.limit() >= 4
