"""Shared library → functions that Python can call."""

from __future__ import annotations

import functools
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi

from sol.build.cache import store
from sol.errors import CacheError

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
    return Library(path, ffi, functions)


def _open(ffi: Any, path: Path) -> Any:
    """The library's functions; OSError if the file is damaged, gone or refused by the loader.

    cffi closes a library that no Python object refers to, but addresses of its functions are kept as numbers: it must stay.
    """
    if store().get(path.name) != path:
        raise OSError("damaged or gone")
    return ffi.dlopen(str(path), ffi.RTLD_NOW | ffi.RTLD_LOCAL | getattr(os, "RTLD_NODELETE", 0))


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


def _renew_mutex() -> None:
    """In a forked child: nobody else is loading."""
    global _mutex
    _mutex = threading.Lock()


os.register_at_fork(after_in_child=_renew_mutex)
