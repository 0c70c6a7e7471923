"""Branches and loops in C against the references: threads, nesting, constants in bodies, sizes that data decides, memory."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.control import controls_of
from sol.compiler import compile_graph
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.interpret import evaluate_outputs
from sol.ir.ops.control import FLAG, ROUND
from sol.ir.types import DType, TensorType
from sol.runtime import executable as running
from sol.runtime.executable import Executable
from tests.ops.test_control import branches, looped

F32 = DType.F32


@pytest.fixture(autouse=True)
def teams(monkeypatch):
    """As many threads as asked for, however small the network is."""
    monkeypatch.setattr(running, "useful_threads", lambda plan, calls, env, threads: threads)


def check(graph, calls, parameters=None, env=None):
    compiled = compile_graph(graph)
    for threads in (1, 3):
        executable = Executable(compiled, threads=threads)
        executable.pack(parameters or {})
        for inputs in calls:
            wanted = evaluate_outputs(graph, inputs, parameters, precision=None)
            for got, want in zip(executable(inputs, env), wanted, strict=True):
                assert got.shape == want.shape
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
    return compiled


@pytest.mark.parametrize("scanned", [False, True])
def test_loops_that_end_when_data_says(scanned):
    graph = looped(conditional=True, scanned=scanned)
    x, xs = np.array([1.0, 0.5, 0.25], np.float32), np.linspace(-1, 1, 18, dtype=np.float32).reshape(6, 3)
    calls = [[np.array(n), x * k, *([xs] if scanned else [])] for n, k in ((6, 1), (2, 1), (0, 1), (6, 1000))]
    compiled = check(graph, calls, {"two": np.full(3, 2, np.float32)})
    assert compiled.plan.defined == (("u_0", 6),)


def test_loops_of_known_length():
    check(looped(conditional=False, scanned=False), [[np.array(6), np.ones(3, np.float32)]], {"two": np.full(3, 2, np.float32)})


def test_both_branches():
    x = np.array([-1, 0, 2], np.float32)
    check(branches(), [[np.array(True), x], [np.array(False), x]])


def test_bodies_give_constants_and_what_they_got():
    b = GraphBuilder()
    flag, x = b.input("flag", FLAG), b.input("x", TensorType(F32, (3,)))
    bodies = []
    for k in range(2):
        n = b.nested()
        taken = n.input("x", TensorType(F32, (3,)))
        bodies.append(n.build([n.constant(np.full(3, k, np.float32)), taken, taken]))
    results = b.add("if", [flag, b.add("exp", [x])], then_body=bodies[0], else_body=bodies[1])
    values = np.array([0, 1, -1], np.float32)
    check(b.build(results), [[np.array(True), values], [np.array(False), values]])


def nested_loops(batch):
    """For every row: a recurrence of matrix products along its steps, whose results are read as they lie and transposed."""
    b = GraphBuilder()
    xs = b.input("xs", TensorType(F32, (batch, 5, 4)))
    row = b.nested()
    row.input("round", ROUND), row.input("flag", FLAG)
    steps = row.input("steps", TensorType(F32, (5, 4)))
    step = row.nested()
    number, _ = step.input("round", ROUND), step.input("flag", FLAG)
    state = step.input("state", TensorType(F32, (1, 4)))
    x = step.add("reshape", [step.input("x", TensorType(F32, (4,)))], shape=(1, 4))
    weight = step.parameter("weight", TensorType(F32, (4, 4)))
    new = step.add("tanh", [step.add("add", [step.add("linear", [state, weight]), x])])
    scaled = step.add("mul", [new, step.add("cast", [number], dtype=F32)])
    inner = step.build([new, scaled])
    zero = row.constant(np.zeros((1, 4), np.float32))
    true, five = row.constant(True, DType.BOOL), row.constant(5, DType.I64)
    last, every = row.add("loop", [five, true, zero, steps], body=inner, carried=1, scanned=1, trips=5)
    turned = row.add("permute", [every], order=(1, 2, 0))
    outer = row.build([last, turned])
    limit = b.add("reshape", [b.add("iota", [], size=1, start=batch)], shape=())
    results = b.add("loop", [limit, b.constant(True, DType.BOOL), xs], body=outer, scanned=1, trips=batch)
    return b.build([b.add("square", [results[0]]), results[1]])


def test_loops_within_loops():
    xs = np.random.default_rng(0).standard_normal((3, 5, 4)).astype(np.float32)
    parameters = {"weight": np.random.default_rng(1).standard_normal((4, 4)).astype(np.float32)}
    compiled = check(nested_loops(3), [[xs]], parameters)
    assert [c.name for c in controls_of(compiled.plan.steps)] == ["c0", "c1"] and compiled.graph.parameter_targets == ("weight",)


def test_loops_over_a_size_of_the_call():
    size = Dim.symbol("s0", 2, 50)
    parameters = {"weight": np.eye(4, dtype=np.float32)}
    for n in (2, 7):
        check(nested_loops(size), [[np.ones((n, 5, 4), np.float32)]], parameters, {"s0": n})


def test_data_decides_sizes_inside_of_a_body():
    """Every round sums the exponentials of the positive elements of a row."""
    b = GraphBuilder()
    xs = b.input("xs", TensorType(F32, (4, 9)))
    n = b.nested()
    n.input("round", ROUND), n.input("flag", FLAG)
    row = n.input("row", TensorType(F32, (9,)))
    size = n.data_size(9)
    places, _ = n.add("nonzero", [n.add("relu", [row])], symbol=size)
    chosen = n.add("take", [row, n.add("reshape", [places], shape=(size,))], dim=0)
    total = n.build([n.add("sum", [n.add("exp", [chosen])], dims=(0,))])
    result = b.add("loop", [b.constant(4, DType.I64), b.constant(True, DType.BOOL), xs], body=total, scanned=1, trips=4)
    rng = np.random.default_rng(0)
    compiled = check(b.build([result]), [[rng.standard_normal((4, 9)).astype(np.float32)], [-np.ones((4, 9), np.float32)]])
    assert compiled.plan.defined == ()


def test_operands_of_bodies_are_row_major():
    """A transposed value, and one that is written into a concatenation, are read by a body."""
    b = GraphBuilder()
    flag, x = b.input("flag", FLAG), b.input("x", TensorType(F32, (3, 5)))
    y = b.add("exp", [x])
    turned = b.add("permute", [y], order=(1, 0))
    both = b.add("concat", [b.add("neg", [y]), y], dim=1)
    bodies = []
    for op in ("relu", "neg"):
        n = b.nested()
        u, v = n.input("u", TensorType(F32, (5, 3))), n.input("v", TensorType(F32, (3, 5)))
        bodies.append(n.build([n.add(op, [u]), n.add(op, [v])]))
    results = b.add("if", [flag, turned, y], then_body=bodies[0], else_body=bodies[1])
    values = np.random.default_rng(3).standard_normal((3, 5)).astype(np.float32)
    check(b.build([*results, both]), [[np.array(True), values], [np.array(False), values]])


def test_profiles_time_every_launch_of_a_loop():
    graph = nested_loops(3)
    executable = Executable(compile_graph(graph), threads=2)
    executable.pack({"weight": np.eye(4, dtype=np.float32)})
    found = executable.profile([np.ones((3, 5, 4), np.float32)], runs=3)
    assert found.seconds.shape == (3, len(executable.plan.launches)) and found.seconds.min() > 0 and found.count.max() > 1
