"""Weights of an executable that change: what is packed again, where, and what calls that are under way see."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sol.compiler import compile_graph
from sol.ir.builder import GraphBuilder
from sol.ir.types import DType, TensorType
from sol.runtime import executable as module
from sol.runtime.executable import Executable

SIZE = 24
Arrays = dict[str, np.ndarray]


@pytest.fixture
def chain() -> tuple[Executable, Arrays]:
    """y = b(a(x)), two linear layers, packed."""
    b = GraphBuilder()
    value = b.input("x", TensorType(DType.F32, (2, SIZE)))
    for name in ("a", "b"):
        value = b.add("linear", [value, b.parameter(name, TensorType(DType.F32, (SIZE, SIZE)))])
    executable = Executable(compile_graph(b.build([value])), threads=2)
    draw = np.random.default_rng(0)
    given = {name: draw.standard_normal((SIZE, SIZE)).astype(np.float32) for name in ("a", "b")}
    executable.pack(given)
    return executable, given


def check(executable: Executable, given: Arrays) -> None:
    x = np.random.default_rng(1).standard_normal((2, SIZE)).astype(np.float32)
    np.testing.assert_allclose(executable([x])[0], x @ given["a"].T @ given["b"].T, rtol=1e-4, atol=1e-4)


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How weights were packed: "anew", or their numbers."""
    found: list[str] = []
    new, again = module.pack_weights, module.pack_again

    def noted(graph: Any, weights: Any, numbers: Sequence[int], *rest: Any) -> None:
        found.append(str(list(numbers)))
        again(graph, weights, numbers, *rest)

    monkeypatch.setattr(module, "pack_weights", lambda *args: (found.append("anew"), new(*args))[1])
    monkeypatch.setattr(module, "pack_again", noted)
    return found


def test_only_what_depends_on_a_change_is_packed_again(chain: tuple[Executable, Arrays], packed: list[str]) -> None:
    executable, given = chain
    before, size = executable.packed, executable.memory_bytes()
    for changed in ({"b"}, {"a"}, set(), {"a", "b"}, None):
        for name in changed if changed is not None else given:
            given[name] *= 2
        executable.pack(given, changed)
        check(executable, given)
    assert packed == ["[1]", "[0]", "[]", "[0, 1]", "[0, 1]"]
    assert executable.packed is before and executable.memory_bytes() == size


def test_contexts_serve_the_new_weights(chain: tuple[Executable, Arrays], packed: list[str]) -> None:
    executable, given = chain
    check(executable, given)
    (context,) = executable._contexts
    executable.pack(given)
    check(executable, given)
    assert list(executable._contexts) == [context] and packed == ["[0, 1]"]


def test_a_call_under_way_ends_with_the_weights_it_began_with(chain: tuple[Executable, Arrays], packed: list[str]) -> None:
    executable, given = chain
    check(executable, given)
    (pool,) = executable._state[1].values()
    context = pool.pop()  # as a call does
    old = executable.packed
    given["a"] = given["a"] + 1
    executable.pack(given, {"a"})
    assert packed == ["anew"] and executable.packed is not old and old in context.weights
    check(executable, given)
    pool.append(context)
    check(executable, given)
    executable.pack(given, {"a"})
    assert packed == ["anew", "[0]"]


def test_after_a_failure_all_is_packed_anew(chain: tuple[Executable, Arrays], packed: list[str]) -> None:
    executable, given = chain
    with pytest.raises(Exception, match="shape"):
        executable.pack({**given, "b": given["b"][:3]}, {"b"})
    executable.pack(given, set())
    check(executable, given)
    assert packed == ["[1]", "anew"]


def test_many_threads_call_while_weights_change(chain: tuple[Executable, Arrays]) -> None:
    """Every result is that of weights as they once were."""
    executable, given = chain
    x = np.ones((2, SIZE), np.float32)
    scales = [1.0, 2.0, 4.0, 8.0]
    right = [s * (x @ given["a"].T @ given["b"].T) for s in scales]
    wrong: list[np.ndarray] = []
    stop = threading.Event()

    def call() -> None:
        while not stop.is_set():
            y = executable([x])[0]
            if not any(np.abs(y - r).max() < 1e-3 * np.abs(r).max() for r in right):
                wrong.append(y)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for t in threads:
        t.start()
    for i in range(80):
        executable.pack({**given, "b": given["b"] * np.float32(scales[i % 4])}, {"b"})
    stop.set()
    for t in threads:
        t.join()
    assert not wrong
