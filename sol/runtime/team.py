"""The threads that run compiled networks: one pool for all networks of a process, in a small library of its own.

Networks get the function that starts a team through each call (``sol_call.launch``), so that their code is the same in Python and in
deployed libraries. The pool follows affinity, control groups and other programs (include/sol_pool.h), and a forked child makes threads of
its own.

torch's threads are another matter. Behind an operation of torch they spin for milliseconds, so that calls which come then run on them
(include/sol_openmp.h). libgomp keeps a team per calling thread, which a child waits for in vain, so that what runs in torch
between compiled parts would hang there. Since OpenMP 5.0 a team can be dismissed (omp_pause_resource_all), so it is, just before each fork
of Python; parent and child then start a new one on demand, which takes 0.1 ms once.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os

from sol.build import library as libraries
from sol.build.build import Unit, build
from sol.codegen.render import render
from sol.codegen.targets import by_name
from sol.config import config

_CDEF = """
uintptr_t sol_team_launch(int fixed);
int sol_team_cores(void); int sol_team_limit(void); int sol_team_workers(void);
void sol_team_expect_openmp(void); int sol_team_openmp_calls(void);
void sol_team_pack(const int64_t *launches, int64_t length, uintptr_t scratch, int64_t each, int threads, uintptr_t launch);
void sol_team_touch(uintptr_t memory, int64_t size);
"""
_OMP_PAUSE_SOFT = 1


@functools.cache
def team() -> libraries.Library:
    """The pool of this process: ``functions`` are those of templates/pool.c.j2. Raises CompilerNotFoundError or CompilerError."""
    units, target = [Unit("pool", render("pool.c.j2"))], by_name("generic")
    return libraries.load(build(units, target), _CDEF, lambda: build(units, target))


@functools.cache
def _launcher(fixed: bool) -> int:
    return int(team().functions.sol_team_launch(fixed))


def starter(threads: int) -> tuple[int, int]:
    """For calls that ask for so many threads: how many they can have at most, and the address of the function that starts the team.

    The address is 0 where one thread is all there can be.
    """
    fixed = config["team"] == "fixed"
    most = threads if fixed else min(threads, os.cpu_count() or 1)
    return most, _launcher(fixed) if most > 1 else 0


def expect_openmp() -> None:
    """The calling thread uses OpenMP between calls of networks, as whoever uses torch does."""
    if config["team"] != "fixed":
        team().functions.sol_team_expect_openmp()


def _dismiss_openmp() -> None:
    """Ends the calling thread's OpenMP team, unless it is inside a parallel region or its libgomp is older than gcc 9."""
    with contextlib.suppress(OSError):  # no libgomp is loaded; by ctypes: cffi crashes when RTLD_NOLOAD finds nothing
        gomp = ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        pause = getattr(gomp, "omp_pause_resource_all", None)
        if pause is not None:
            pause(_OMP_PAUSE_SOFT)


os.register_at_fork(before=_dismiss_openmp)
