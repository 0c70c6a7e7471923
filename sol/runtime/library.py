"""Shared library → functions that Python can call, and what happens to its threads when the process forks.

libgomp keeps one team of threads per calling thread. After fork() the team's memory is there but its threads are not,
and the next parallel region waits for them for ever: torch hangs in the same way. Since OpenMP 5.0 a team can be
dismissed (omp_pause_resource_all), so it is, just before each fork of Python; parent and child then start a new one on
demand, which takes 0.1 ms once. Only where that is not possible must the child run on one thread: ``forked`` says so.
"""

from __future__ import annotations

import ctypes
import functools
import logging
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi

from sol.errors import CacheError
from sol.runtime.cache import store

log = logging.getLogger("sol.library")


@dataclass(frozen=True)
class Library:
    """A loaded library. It stays loaded as long as the process lives.

    ffi: makes and casts C values of the declared types. functions: the declared functions as attributes; a call
    releases the GIL, so that calls from several threads run at once.
    """

    path: Path
    ffi: Any
    functions: Any


_loaded: dict[tuple[Path, str], Library] = {}
_mutex = threading.Lock()


def load(path: Path, cdef: str, rebuild: Callable[[], Path] | None = None) -> Library:
    """Load a library that ``build`` made; ``cdef`` declares its functions and structs in C. Once per path and cdef.

    An entry of the cache that is damaged or gone is removed and made anew with ``rebuild``. Raises CacheError if that
    is not given or does not help; AttributeError comes later, when a function that the library lacks is asked for.
    """
    with _mutex:
        library = _loaded.get((path, cdef))
        if library is None:
            library = _loaded[path, cdef] = _load(path, cdef, rebuild)
        return library


def _load(path: Path, cdef: str, rebuild: Callable[[], Path] | None) -> Library:
    ffi = _declared(cdef)
    before = openmp_runtimes() if not _loaded else None
    try:
        functions = _open(ffi, path)
    except OSError as error:
        if rebuild is None:
            raise _unloadable(path, error) from error
        log.warning("cannot load %s (%s): it is made anew", path, error)
        store().remove(path.name)
        path = rebuild()
        try:
            functions = _open(ffi, path)
        except OSError as again:
            raise _unloadable(path, again) from again
    if before:
        _warn_of_second_runtime(before)
    return Library(path, ffi, functions)


def _open(ffi: Any, path: Path) -> Any:
    """The library's functions; OSError if the file is damaged, gone or refused by the loader."""
    if store().get(path.name) != path:
        raise OSError("damaged or gone")
    return ffi.dlopen(str(path), ffi.RTLD_NOW | ffi.RTLD_LOCAL)


def _unloadable(path: Path, error: OSError) -> CacheError:
    return CacheError(
        f"the compiled library {path} cannot be loaded: {error}",
        remedy="clear the cache with sol.cache.clear(); if it is mounted noexec, name another with SOL_CACHE_DIR",
    )


@functools.lru_cache(maxsize=32)
def _declared(cdef: str) -> Any:
    ffi = cffi.FFI()
    ffi.cdef(cdef)
    return ffi


def openmp_runtimes() -> tuple[str, ...]:
    """Paths of the OpenMP runtimes that are mapped into this process; more than one compete for the CPUs."""
    try:
        with open("/proc/self/maps") as maps:
            found = {line.split(maxsplit=5)[5].strip() for line in maps if "omp" in line}
    except OSError:
        return ()
    return tuple(sorted(path for path in found if re.match(r"lib(gomp|i?omp5?)[-.]", os.path.basename(path))))


def _warn_of_second_runtime(before: tuple[str, ...]) -> None:
    new = set(openmp_runtimes()) - set(before)
    if new:
        log.warning(
            "compiled code runs on the OpenMP runtime %s beside %s: with two thread pools both are slower",
            ", ".join(new),
            ", ".join(before),
        )


_OMP_PAUSE_SOFT = 1


class _Team:
    """Dismisses the calling thread's OpenMP team before a fork."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.lost = False
        self._here = threading.local()  # two threads may fork at once

    def before_fork(self) -> None:
        try:
            self._here.dismissed = self._dismiss()
        except Exception:
            self._here.dismissed = False

    def after_fork_in_child(self) -> None:
        global _mutex
        _mutex = threading.Lock()
        self.process = os.getpid()
        self.lost = self.lost or not self._here.dismissed

    @staticmethod
    def _dismiss() -> bool:
        """False if there may be a team that cannot be dismissed: inside a parallel region, or libgomp before gcc 9."""
        try:  # by ctypes: cffi crashes when RTLD_NOLOAD finds nothing
            gomp = ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        except OSError:
            return True  # no libgomp is loaded, so there is no team
        pause = getattr(gomp, "omp_pause_resource_all", None)
        return pause is not None and pause(_OMP_PAUSE_SOFT) == 0


_team = _Team()
os.register_at_fork(before=_team.before_fork, after_in_child=_team.after_fork_in_child)


def forked() -> bool:
    """Is this a forked child that must not start a team (compiled code then runs on the calling thread alone)?

    False in a child whose parent could dismiss its team before the fork, which is the usual case; True in one that was
    forked from inside a parallel region or by C code behind Python's back.
    """
    return _team.lost or _team.process != os.getpid()
