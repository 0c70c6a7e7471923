"""Kernels that pack weights are compiled while a network's C is written."""

from __future__ import annotations

import threading

import pytest

from sol.codegen.plan import Kernel
from sol.codegen.targets import Target
from sol.compiler import compile_graph
from sol.ir.text import parse_graph
from sol.runtime import packers
from sol.runtime.executable import Executable
from tests.codegen.networks import NETWORKS
from tests.codegen.test_defuse import made_up


@pytest.mark.parametrize("name", ["direct", "winograd", "chain", "prologue"])
def test_what_is_compiled_ahead_is_what_packs(name, monkeypatch):
    asked: dict[str, set[tuple[str, Target]]] = {"ahead": set(), "packing": set()}
    address = packers._address

    def noted(kernel: Kernel, target: Target) -> int:
        asked["ahead" if when == "planned" else "packing"].add((kernel.name, target))
        return address(kernel, target)

    monkeypatch.setattr(packers, "_address", noted)
    before = set(threading.enumerate())
    graph, when = parse_graph(NETWORKS[name]), "planned"
    compiled = compile_graph(graph, planned=packers.compile_ahead)
    for thread in set(threading.enumerate()) - before:
        thread.join()
    when = "packing"
    Executable(compiled, threads=2).pack(made_up(graph.parameter_types))
    assert asked["ahead"] == asked["packing"] != set()


def test_nothing_is_compiled_ahead_without_weights(monkeypatch):
    monkeypatch.setattr(packers, "_address", lambda *_: pytest.fail("a kernel was asked for"))
    compile_graph(parse_graph("graph(%x: f32[4]) {\n  %y: f32[4] = relu(%x)\n  return %y\n}"), planned=packers.compile_ahead)
