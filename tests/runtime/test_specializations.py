"""The cache of programs: what gives way, how many there may be, calls from several threads, and memory that is given back."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from torch import fx, nn

import sol
from sol.config import config
from sol.runtime.specializations import Specializations
from sol.runtime.torch import pieces
from tests.frontend.onnx.models import model as onnx_model
from tests.frontend.onnx.models import node
from tests.runtime.models import close


class Entry:
    """What is made for calls of one kind."""

    def __init__(self, kind: int) -> None:
        self.kind = kind


def call(cache: Specializations[Entry], kind: int) -> Entry:
    found = cache.find_or_make(lambda e: e.kind if e.kind == kind else None, lambda: Entry(kind))
    assert found is not None and found[1] == kind
    return found[0]


@pytest.mark.parametrize(("calls", "limit", "kept"), [
    ([1, 2, 3], 3, [3, 2, 1]),
    ([1, 2, 3], 2, [3, 2]),
    ([1, 2, 1, 3], 2, [3, 1]),
    ([1, 2, 3, 1, 4, 5], 3, [5, 4, 1]),
    ([1, 2, 2, 2, 3], 1, [3]),
    ([3, 2, 1, 3, 2, 4], 3, [4, 2, 3]),
])  # fmt: skip
def test_the_least_recently_used_gives_way(
    calls: list[int], limit: int, kept: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    cache = Specializations[Entry]("a model", "sizes")
    with config.override(recompile_limit=limit):
        for kind in calls:
            call(cache, kind)
    assert [e.kind for e in cache] == kept and len(cache) == len(kept)
    assert (f"a model was compiled for more than {limit} sizes" in caplog.text) == (len(set(calls)) > limit)


def test_a_lower_limit_holds_from_the_next_entry_on() -> None:
    cache = Specializations[Entry]()
    for kind in range(5):
        call(cache, kind)
    with config.override(recompile_limit=2):
        call(cache, 3)
        assert len(cache) == 5
        call(cache, 5)
    assert [e.kind for e in cache] == [5, 3]


def test_entries_that_cost_nothing_are_all_kept() -> None:
    cache = Specializations[Entry](limited=False)
    with config.override(recompile_limit=2):
        for kind in range(9):
            call(cache, kind)
    assert [e.kind for e in cache] == [8, 7, 6, 5, 4, 3, 2, 1, 0]


def test_what_cannot_be_made_is_none() -> None:
    cache = Specializations[Entry]()
    assert cache.find_or_make(lambda e: e, lambda: None) is None and not len(cache)
    with pytest.raises(ZeroDivisionError):
        cache.find_or_make(lambda e: e, lambda: Entry(1 // 0))
    assert call(cache, 1) is cache[0]  # no lock is left behind


def test_the_version_tells_of_other_entries_and_not_of_use() -> None:
    cache = Specializations[Entry]()
    call(cache, 1)
    call(cache, 2)
    before = cache.version
    call(cache, 1)
    assert [e.kind for e in cache] == [1, 2] and cache.version == before
    cache.replace(cache.entries[1:])
    assert [e.kind for e in cache] == [2] and cache.version > before


def test_an_entry_that_was_dropped_while_it_was_found_stays_dropped() -> None:
    cache = Specializations[Entry]()
    old, new = call(cache, 1), call(cache, 2)

    def match(entry: Entry) -> int | None:
        if entry is old:
            cache.replace([new])  # what another thread does
            return 1
        return None

    found = cache.find(match)
    assert found is not None and found[0] is old and list(cache) == [new]


def test_threads_that_miss_the_same_kind_make_it_once() -> None:
    cache, made, start = Specializations[Entry](), [], threading.Barrier(4)

    def run(_: int) -> Entry:
        start.wait()
        found = cache.find_or_make(lambda e: e, lambda: made.append(1) or Entry(1))  # type: ignore[func-returns-value]
        assert found is not None
        return found[0]

    with ThreadPoolExecutor(4) as pool:
        entries = set(pool.map(run, range(4)))
    assert len(made) == 1 and len(entries) == 1


def test_many_threads_keep_the_limit() -> None:
    cache = Specializations[Entry]()
    limit = config["recompile_limit"]

    def run(first: int) -> None:
        for i in range(2000):
            call(cache, (first + i * 7) % (limit + 3))
            assert len(cache) <= limit

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))
    assert len({e.kind for e in cache}) == len(cache) == limit


def test_known_calls_go_on_while_an_entry_is_made() -> None:
    cache = Specializations[Entry]()
    call(cache, 1)
    call(cache, 2)
    making, finish = threading.Event(), threading.Event()

    def make() -> Entry:
        making.set()
        assert finish.wait(30)
        return Entry(3)

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(cache.find_or_make, lambda e: e.kind if e.kind == 3 else None, make)
        assert making.wait(30)
        other = ThreadPoolExecutor(1)
        try:
            assert other.submit(call, cache, 1).result(10).kind == 1  # and is put first
        finally:
            finish.set()
            other.shutdown()
        assert future.result()[0].kind == 3
    assert [e.kind for e in cache] == [3, 1, 2]


# -- the places --------------------------------------------------------------------------------------------------------

Place = tuple[Callable[[int], None], Callable[[], list[Any]]]
"""A function that calls a model with an input of so many dimensions, and one that gives its executables, the most recently used first."""


def of_module() -> Place:
    torch.manual_seed(0)
    model = nn.Linear(2, 2).eval()
    reference = copy.deepcopy(model)  # torch.export puts fake tensors into the model itself
    fast = sol.optimize(model, torch.rand(2))

    def call(rank: int) -> None:
        x = torch.rand((2,) * rank)
        close(fast(x), reference(x))

    return call, lambda: [e for p in fast._programs for e in p.runner.executables]


class Inverse(nn.Module):
    """An operation that runs in torch between two that are compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(torch.linalg.inv(self.first(x) + 3 * torch.eye(2)))


def of_module_with_torch_calls() -> Place:
    """A function written for the graph stands between the executables."""
    torch.manual_seed(0)
    model = Inverse().eval()
    reference = copy.deepcopy(model)
    fast = sol.optimize(model, torch.rand(2, 2), fallback="eager")

    def call(rank: int) -> None:
        x = torch.rand((2,) * (rank + 1))
        close(fast(x), reference(x))

    return call, lambda: [p.runner for p in fast._programs]


def of_piece() -> Place:
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x) + 1

    piece = pieces.Piece(fx.symbolic_trace(function), [torch.rand(2)], {})

    def call(rank: int) -> None:
        x = torch.rand((2,) * rank) - 0.5
        close(piece(x), function(x))

    return call, lambda: [e for v in piece.variants for e in v.program.runner.executables]


def relu() -> Any:
    return onnx_model([node("Relu", ["x"], ["y"])], {"x": None}, ["y"])


def of_session() -> Place:
    session = sol.load(relu())

    def call(rank: int) -> None:
        x = np.arange(2.0**rank, dtype=np.float32).reshape((2,) * rank) - 3
        np.testing.assert_array_equal(session(x), np.maximum(x, 0))

    return call, lambda: [p.executable for p in session._programs]


def of_onnx_module() -> Place:
    module = sol.optimize(relu())

    def call(rank: int) -> None:
        x = torch.rand((2,) * rank) - 0.5
        close(module(x), torch.relu(x))

    return call, lambda: [e for p in module._programs for e in p.runner.executables]


PLACES = [of_module, of_module_with_torch_calls, of_piece, of_session, of_onnx_module]


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Without Python's collector only what nothing refers to is released."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("make", PLACES, ids=lambda f: f.__name__)
def test_every_place_keeps_what_was_used_last_and_releases_the_rest(make: Callable[[], Place]) -> None:
    with config.override(recompile_limit=2), torch.no_grad():
        call, executables = make()
        call(1)
        (first,) = map(weakref.ref, executables())
        call(2)
        second = weakref.ref(executables()[0])
        assert first() is not None and second() is not first() and len(executables()) == 2
        call(1)
        assert executables()[0] is first()
        call(3)
        assert executables()[1] is first() and len(executables()) == 2
        assert second() is None
        call(2)
        assert first() is None and len(executables()) == 2


@pytest.mark.parametrize("make", PLACES, ids=lambda f: f.__name__)
def test_every_place_is_called_from_several_threads(make: Callable[[], Place]) -> None:
    with torch.no_grad():
        call, executables = make()
        call(1)
        start = threading.Barrier(3)

        def run(first: int) -> None:
            start.wait()
            with torch.no_grad():
                for i in range(12):
                    call(1 + (first + i) % 3)

        with ThreadPoolExecutor(3) as pool:
            list(pool.map(run, range(3)))
        assert len(executables()) == 3  # each kind was compiled once


def test_a_piece_whose_inputs_never_repeat_runs_in_torch_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    program = pieces.Program
    monkeypatch.setattr(pieces, "Program", lambda *args, **options: made.append(1) or program(*args, **options))  # type: ignore[func-returns-value]
    call, executables = of_piece()
    with config.override(recompile_limit=2), torch.no_grad():
        for rank in (1, 2, 3, 4, 5, 6, 1):
            call(rank)
        assert len(executables()) == 2 and len(made) == 2 * pieces.MOST_COMPILED
