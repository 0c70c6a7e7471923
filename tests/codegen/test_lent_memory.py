"""Operands and results in the arena: each keeps its memory as long as it is needed, and threads wait where memory changes hands."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from sol.codegen.lent_memory import LARGE_RESULT
from sol.codegen.plan import Plan
from sol.codegen.targets import by_name
from sol.compiler import compile_graph
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.rewrite import Editor
from sol.ir.text import graph_text, parse_graph
from sol.ir.types import DType, TensorType
from sol.runtime.executable import Executable

ROWS = 1024
TRAINING = replace(by_name("generic"), repacks=True)


def backward_like(places: dict[str, int]) -> Graph:
    """Products one after the other, each with an operand of its own, whose results are added up in two ways."""
    builder = GraphBuilder()
    type = TensorType(DType.F32, (ROWS, 512))
    square = TensorType(DType.F32, (512, 512))
    kept = [builder.input(name, type) for name in ("a", "b", "c")]
    weights = [builder.input(name, square) for name in ("u", "v", "w")]
    value, results = kept[0], []
    for x, w in zip(kept, weights):
        value = builder.add("mul", [builder.add("matmul", [value, w]), x])
        results.append(builder.add("tanh", [value]))
    graph = builder.build([*results, builder.add("sum", [value], dims=(0,), keepdims=False)])
    editor = Editor(graph)
    for name, place in places.items():
        node = editor.producer(name)
        editor.update(node, attrs=node.attrs.having(place=place))
    return editor.finish()


SIZE = ROWS * 512 * 4
PLACES = {"a": 0, "b": SIZE, "c": 2 * SIZE}


def plan_of(graph: Graph) -> Plan:
    return compile_graph(graph, isa=TRAINING, threads=2).plan


@pytest.mark.parametrize("places", [{}, PLACES, {"b": SIZE}])
def test_what_lives_at_a_time_shares_no_memory(places: dict[str, int]) -> None:
    plan = plan_of(backward_like(places))
    found = [b for b in plan.buffers if b.in_arena]
    assert {b.name: b.offset for b in found if b.kind == "input"} == places
    assert {p.value: p.place for p in plan.inputs if p.place is not None} == places
    for a, b in combinations(found, 2):
        lives = a.first <= b.last and b.first <= a.last
        assert not lives or a.offset + a.size <= b.offset or b.offset + b.size <= a.offset, (a, b)
    for launch in range(len(plan.launches)):  # a barrier lies between what overlaps
        for ref in plan.launches[launch].buffers:
            mine = next((b for b in found if b.name == ref.buffer), None)
            for b in found:
                if mine is None or not ref.writes or b.name == mine.name or b.last >= launch:
                    continue
                if mine.offset < b.offset + b.size and b.offset < mine.offset + mine.size:
                    assert any(plan.launches[k].barrier for k in range(b.last + 1, launch + 1)), (b, mine)


def test_memory_of_operands_is_used_once_they_are_read() -> None:
    alone, shared = plan_of(backward_like({})), plan_of(backward_like(PLACES))
    assert shared.arena < alone.arena + 3 * SIZE
    assert [p.place is not None for p in shared.outputs] == [True, True, True, False]  # one is small


def test_results_are_right_wherever_operands_lie() -> None:
    """Operands need not lie in their places, and then stay as they are."""
    graph = backward_like(PLACES)
    draw = np.random.default_rng(0)
    inputs = {n: draw.standard_normal(tuple(graph.type_of(n).shape)).astype(np.float32) / 20 for n in graph.inputs}
    before = {n: x.copy() for n, x in inputs.items()}
    executable = Executable(compile_graph(graph, isa=TRAINING, threads=2))
    executable.pack({})
    for _ in range(2):
        for found, exact in zip(executable([*inputs.values()]), evaluate_outputs(graph, [*inputs.values()])):
            np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-5)
    assert all((inputs[n] == before[n]).all() for n in inputs)


def test_places_are_in_the_text_of_a_graph() -> None:
    graph = backward_like(PLACES)
    assert parse_graph(graph_text(graph)) == graph and graph_text(graph) != graph_text(backward_like({}))
    assert LARGE_RESULT <= SIZE
