"""A library loads once, is made anew if it is damaged, and can be called from several threads at once."""

from __future__ import annotations

import ctypes
import gc
import shutil
import threading
import time
from pathlib import Path

import pytest

from sol.build import library as libraries
from sol.build.build import Unit, build
from sol.build.cache import key_of, store
from sol.build.library import load
from sol.codegen.targets import resolve
from sol.errors import CacheError

CDEF = "int add(int a, int b); void wait_ms(int ms);"
UNIT = Unit("add", """
#include <time.h>
#define EXPORT __attribute__((visibility("default")))
EXPORT int add(int a, int b) { return a + b; }
EXPORT void wait_ms(int ms) { struct timespec t = {ms / 1000, ms % 1000 * 1000000L}; nanosleep(&t, 0); }
""")  # fmt: skip


def make() -> Path:
    return build([UNIT], resolve("generic"))


def test_loads_once(cache_folder: Path) -> None:
    path = make()
    library = load(path, CDEF)
    assert library.functions.add(2, 3) == 5 and library.path == path
    assert load(path, CDEF) is library
    with pytest.raises(AttributeError):
        load(path, "int no_such_function(void);").functions.no_such_function()


def test_stays_where_it_is_when_nothing_refers_to_it(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses of functions are kept as numbers, which keep no library open."""
    unit = Unit("three", '__attribute__((visibility("default"))) int three(void) { return 3; }')
    monkeypatch.setattr(libraries, "_loaded", {})
    library = load(build([unit], resolve("generic")), "int three(void);")
    address = int(library.ffi.cast("uintptr_t", library.functions.three))
    del library
    libraries._loaded.clear()
    libraries._declared.cache_clear()
    gc.collect()
    assert ctypes.CFUNCTYPE(ctypes.c_int)(address)() == 3


def test_structs_of_the_declaration(cache_folder: Path) -> None:
    text = 'struct pair { int a; float *b; };\n__attribute__((visibility("default"))) float at(const struct pair *p)'
    path = build([Unit("pair", text + " { return p->b[p->a]; }")], resolve("generic"))
    library = load(path, "struct pair { int a; float *b; }; float at(const struct pair *p);")
    values = library.ffi.new("float[3]", [1, 2, 3])
    assert library.functions.at(library.ffi.new("struct pair *", {"a": 2, "b": values})) == 3


@pytest.mark.parametrize("damage", ["truncated", "empty", "gone", "not a library"])
def test_damaged_library_is_made_anew(cache_folder: Path, damage: str) -> None:
    path = make()
    if damage == "gone":
        path.unlink()
    elif damage == "not a library":
        store().put(path.name, b"complete, but no ELF file")
    else:
        path.write_bytes(path.read_bytes()[:1000] if damage == "truncated" else b"")
    cdef = CDEF + f"/* {damage} */"
    with pytest.raises(CacheError, match=r"sol\.cache\.clear"):
        load(path, cdef)
    if damage == "not a library":
        store().put(path.name, b"complete, but no ELF file")
    assert load(path, cdef, make).functions.add(1, 1) == 2


def test_a_library_outside_the_cache_is_not_loaded(cache_folder: Path, tmp_path: Path) -> None:
    path = make()
    elsewhere = tmp_path / path.name
    shutil.copy(path, elsewhere)
    with pytest.raises(CacheError):
        load(elsewhere, CDEF)
    with pytest.raises(CacheError):
        load(tmp_path / key_of("so", "none"), CDEF)


def test_calls_run_without_the_gil(cache_folder: Path) -> None:
    functions = load(make(), CDEF).functions
    threads = [threading.Thread(target=functions.wait_ms, args=(300,)) for _ in range(4)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.perf_counter() - began < 0.9


def test_loading_from_many_threads(cache_folder: Path) -> None:
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(load(make(), CDEF))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and len({id(library) for library in seen}) == 1
