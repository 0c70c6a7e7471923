"""Bytes that products read turned are made row by row, and so are their sums."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.targets import runnable
from sol.compiler import compile_graph
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.text import parse_graph
from sol.passes.turn_bytes import turn_bytes
from sol.runtime.executable import Executable
from tests.random_numbers import rng

KEYS = """graph(%q: u8[2,3,7,20], %x: u8[2,9,3,20], %scale: f32[]) {
  %k: u8[2,3,20,9] = permute(%x){order=(0, 2, 3, 1)}
  %f: f32[2,3,20,9] = cast(%k){dtype=f32}
  %z = constant{dtype=f32, value=array(f32[], [-130.0])}: f32[]
  %a: f32[2,3,20,9] = add(%f, %z)
  %m: f32[2,3,20,9] = mul(%a, %scale)
  %r: f32[2,3,20,9] = round(%m)
  %l: f32[2,3,20,9] = clamp(%r){high=127.0, low=-128.0}
  %b: i8[2,3,20,9] = cast(%l){dtype=i8}
  %p: i32[2,3,7,9] = int_matmul(%q, %b)
  %n: f32[2,3,20,9] = cast(%b){dtype=f32}
  %s: f32[2,3,1,9] = sum(%n){dims=(2,), keepdims=True}
  %i: i32[2,3,1,9] = cast(%s){dtype=i32}
  %t: i32[2,3,7,9] = sub(%p, %i)
  return %t
}"""
"""Scores of attention: keys with their heads in front, turned, then quantised; sums are what the zero point of queries is multiplied by."""


def shapes(graph: Graph, op: str) -> list[tuple[int, ...]]:
    return [n.type.shape for n in graph.nodes if n.op == op]


def test_keys_are_quantised_before_they_are_turned() -> None:
    after = turn_bytes(parse_graph(KEYS))
    assert shapes(after, "round") == shapes(after, "clamp") == shapes(after, "mul") == [(2, 9, 3, 20)]
    assert shapes(after, "sum") == [(2, 9, 3, 1)]
    assert shapes(after, "permute") == [(2, 3, 20, 9), (2, 3, 1, 9)]


@pytest.mark.parametrize(("old", "new"), [
    ("order=(0, 2, 3, 1)", "order=(0, 2, 1, 3)"),
    ("mul(%a, %scale)", "mul(%a, %f)"),
    ("return %t", "return %t, %l"),
    ("int_matmul(%q, %b)", "int_matmul(%q, %other)"),
], ids=["rows stay rows", "read twice", "a result", "another operand"])  # fmt: skip
def test_others_stay(old: str, new: str) -> None:
    text = KEYS.replace(old, new).replace("%scale: f32[])", "%scale: f32[], %other: i8[2,3,20,9])")
    if "2, 1, 3" in new:
        text = text.replace("%x: u8[2,9,3,20]", "%x: u8[2,20,3,9]")
    graph = parse_graph(text)
    assert shapes(turn_bytes(graph), "round") == shapes(graph, "round")


@pytest.mark.parametrize("isa", runnable())
def test_scores_are_those_of_the_reference(isa: str) -> None:
    graph = parse_graph(KEYS)
    inputs = [rng.integers(0, 256, graph.type_of(name).shape).astype(np.uint8) for name in ("q", "x")]
    inputs.append(np.array(1.0000001, np.float32))
    (want,) = evaluate_outputs(graph, inputs, {}, precision=None)
    executable = Executable(compile_graph(graph, isa=isa, threads=2), threads=2)
    executable.pack({})
    (got,) = executable(inputs)
    np.testing.assert_array_equal(got, want)
