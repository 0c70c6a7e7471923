"""Kernels that pack weights are compiled while a network's C is written."""

from __future__ import annotations

import threading

import pytest

from sol.codegen.plan import Kernel
from sol.codegen.targets import Target
from sol.compiler import compile_graph
from sol.config import config
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
    begun: list[threading.Thread] = []
    monkeypatch.setattr(threading.Thread, "start", lambda t, start=threading.Thread.start: (start(t), begun.append(t)))
    graph, when = parse_graph(NETWORKS[name]), "planned"
    compiled = compile_graph(graph, planned=packers.compile_ahead)
    for thread in begun:
        thread.join()
    when = "packing"
    Executable(compiled, threads=2).pack(made_up(graph.parameter_types))
    assert asked["ahead"] == asked["packing"] != set()


def test_nothing_is_compiled_ahead_without_weights(monkeypatch):
    monkeypatch.setattr(packers, "_address", lambda *_: pytest.fail("a kernel was asked for"))
    compile_graph(parse_graph("graph(%x: f32[4]) {\n  %y: f32[4] = relu(%x)\n  return %y\n}"), planned=packers.compile_ahead)


BIASED = """graph(%x: f32[1,16,8,8]) {
  %w = parameter{target="w"}: f32[16,16,3,3]
  %b = parameter{target="b"}: f32[16]
  %y: f32[1,16,8,8] = conv(%x, %w, %b){dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}
  return %y
}
"""


def test_what_is_compiled_for_all_networks_packs_the_usual_ones(monkeypatch):
    asked: dict[str, set[str]] = {"usual": set(), "packing": set()}
    address = packers._address

    def noted(kernel: Kernel, target: Target) -> int:
        asked[when].add(kernel.name)
        return address(kernel, target)

    monkeypatch.setattr(packers, "_address", noted)
    when = "usual"
    packers.compile_usual(None)
    graph, when = parse_graph(BIASED), "packing"
    with config.override(conv_max_error=0):
        compiled = compile_graph(graph)
    Executable(compiled, threads=2).pack(made_up(graph.parameter_types))
    assert asked["usual"] == asked["packing"]
