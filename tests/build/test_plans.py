"""Kept plans: the same as decided now, made anew when they must be, and never a reason to fail."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sol.compiler as tour
from sol.build import plans
from sol.build.cache import store
from sol.codegen.compiled import Compiled
from sol.config import config
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from sol.tuning.compile import compile_tuned


def chain(length: int, scale: float = 2.0) -> Graph:
    b = GraphBuilder()
    value = b.input("x", TensorType(DType.F32, (2, 40)))
    for i in range(length):
        value = b.add("linear", [value, b.parameter(f"w{i}", TensorType(DType.F32, (40, 40)))])
        value = b.add("mul", [value, b.constant(np.full(1, scale, np.float32))])
    return b.build([value])


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """An empty cache, and titles of what was decided rather than read."""
    titles: list[str] = []
    decide = tour.compile_graph

    def noted(graph: Graph, *, title: str, **rest: Any) -> Compiled:
        titles.append(title)
        return decide(graph, title=title, **rest)

    monkeypatch.setattr(tour, "compile_graph", noted)
    with config.override(cache_dir=tmp_path):
        yield titles  # type: ignore[misc]


def test_a_kept_plan_is_the_same(decided: list[str]) -> None:
    first, again = (compile_tuned(chain(40), title="net") for _ in range(2))
    assert decided == ["net"]
    assert again.sources == first.sources and again.plan == first.plan and again.target == first.target
    assert str(again.graph) == str(first.graph)


def test_what_decides_is_part_of_the_key(decided: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    compile_tuned(chain(40), title="a")
    compile_tuned(chain(40), title="b")
    compile_tuned(chain(40, scale=3.0), title="c")
    compile_tuned(chain(40), title="a", threads=7)
    compile_tuned(chain(40), title="a", isa="generic")
    with config.override(conv_max_error=0):
        compile_tuned(chain(40), title="a")
    monkeypatch.setattr(plans, "code_stamp", lambda: "other code")
    compile_tuned(chain(40), title="a")
    assert decided == ["a", "b", "c", "a", "a", "a", "a"]


def test_small_graphs_and_checked_ones_are_decided_anew(decided: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "SLOW", 1e9)
    for _ in range(2):
        compile_tuned(chain(3), title="small")
    with config.override(verify=True):
        compile_tuned(chain(40), title="checked")
    assert decided == ["small", "small", "checked"] and not [e for e in store().list() if e.kind == "plan"]


def test_a_small_graph_that_took_long_is_kept(decided: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "SLOW", 0.0)
    for _ in range(2):
        compile_tuned(chain(3), title="slow")
    assert decided == ["slow"]


@pytest.mark.parametrize("content", [b"", pickle.dumps(len), b"\x80\x05c"])
def test_an_unreadable_plan_is_made_anew(decided: list[str], content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    compile_tuned(chain(40), title="net")
    (entry,) = [e for e in store().list() if e.kind == "plan"]
    store().put(entry.key, content)
    with caplog.at_level(logging.WARNING):
        again = compile_tuned(chain(40), title="net")
    assert decided == ["net", "net"] and again.plan.launches and "made anew" in caplog.text


def test_the_stamp_names_the_stages() -> None:
    stamp = plans.code_stamp()
    assert all(name in stamp for name in ("compiler.py", "ir/graph.py", "passes/pipeline.py", "conv_direct.c.j2", "sol_simd.h"))
