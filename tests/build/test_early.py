"""Units that are compiled before their library is known: once, and told of by the library's build."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sol.build import build as build_module
from sol.build import early
from sol.build.build import Unit, build, compile_early
from sol.build.cache import store
from sol.config import config
from sol.errors import CompilerError
from sol.runtime import ahead
from sol.runtime.ahead import in_background, in_background_once
from tests.build.test_build import ADD, EXPORT, MUL, TARGET, entries


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of units in the order in which they are compiled."""
    names: list[str] = []
    usual = build_module._compile

    def noted(unit: Unit, *args: object) -> Path:
        names.append(unit.name)
        return usual(unit, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(build_module, "_compile", noted)
    return names


def test_is_compiled_once(cache_folder: Path, compiled: list[str]) -> None:
    compile_early(ADD, TARGET)
    compile_early(ADD, TARGET)
    library = ctypes.CDLL(str(build([ADD, MUL], TARGET)))
    assert (library.add(2, 3), library.mul(2, 3)) == (5, 6)
    assert sorted(compiled) == ["add", "mul"]
    compile_early(MUL, TARGET)
    assert not early._begun and sorted(compiled) == ["add", "mul"], "what the cache has is not compiled"


def test_lies_in_the_cache_that_the_caller_names(cache_folder: Path, tmp_path: Path) -> None:
    with config.override(cache_dir=str(tmp_path / "other")):
        compile_early(ADD, TARGET)
        build([ADD], TARGET)
        assert store().root == tmp_path / "other" and len(entries("o")) == 1
    assert not entries("o")


def test_errors_are_those_of_the_build(cache_folder: Path) -> None:
    wrong = Unit("wrong", "int f(void) { return undeclared; }\n")
    compile_early(wrong, TARGET)
    with pytest.raises(CompilerError, match="unit wrong"):
        build([ADD, wrong], TARGET)


def test_what_has_not_begun_is_withdrawn(cache_folder: Path, compiled: list[str]) -> None:
    free, free_too = threading.Event(), threading.Event()
    with config.override(jobs=1):
        early.begin("busy", lambda: (free_too.set(), free.wait(10)) and None, 1)
        free_too.wait(10)
        compile_early(ADD, TARGET)
        early.withdraw()
        free.set()
        early.wait("busy")
        assert compiled == [] and not early._begun
        assert ctypes.CDLL(str(build([ADD], TARGET))).add(1, 1) == 2


@pytest.mark.parametrize("begin", [lambda: early.begin("key", lambda: None, 7), lambda: in_background(lambda: None)])
def test_an_interrupt_while_a_thread_starts_leaves_no_thread(monkeypatch: pytest.MonkeyPatch, begin: Callable[[], None]) -> None:
    """Python waits for threads when it ends: one that nobody knows, and that waits for work, would keep it from ending."""
    usual, started = threading.Thread.start, []

    def interrupted(thread: threading.Thread) -> None:
        usual(thread)
        started.append(thread)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            begin()
    (thread,) = started
    thread.join(10)
    assert not thread.is_alive() and not early._begun
    done = threading.Event()
    early.begin("key", done.set, 7)
    assert done.wait(10)


def test_what_the_cache_has_is_not_done_again_in_the_background(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By other processes, with the same code; what fails is begun again by the next one."""
    monkeypatch.setattr(ahead, "in_background", lambda action: suppressed(action))
    done: list[int] = []
    for last in (lambda: 1 / 0, lambda: done.append(1), lambda: done.append(2)):
        in_background_once("name", lambda: done.append(0), last)
    in_background_once("other", lambda: done.append(3))
    assert done == [0, 0, 1, 3]
    monkeypatch.setattr(ahead, "code_stamp", lambda: "other code")
    in_background_once("name", lambda: done.append(4))
    assert done[4:] == [4]


def suppressed(action: Callable[[], None]) -> None:
    """As a thread, whose errors nobody sees."""
    with suppress(ZeroDivisionError):
        action()


def test_what_c_s_library_has_is_declared_as_it_is(cache_folder: Path) -> None:
    """The compiler takes two declarations of a function only if they agree."""
    system = "#include <math.h>\n#include <sched.h>\n#include <string.h>\n"
    both = f'{system}#include "sol_libc.h"\n{EXPORT}int f(float x, double y) {{ return isnan(x) + signbit(y); }}\n'
    build([Unit("after", both), Unit("before", f'#include "sol_libc.h"\n{system}static int g;\n')], TARGET)
    alone = f'#include "sol_libc.h"\n{EXPORT}int of(double x) {{ return (isnan(x) != 0) + 2 * (isinf(x) != 0) + 4 * (signbit(x) != 0); }}\n'
    of = ctypes.CDLL(str(build([Unit("of", alone)], TARGET))).of
    of.argtypes = [ctypes.c_double]
    assert [of(float(x)) for x in ("1", "nan", "inf", "-inf", "-0")] == [0, 1, 2, 6, 4]
