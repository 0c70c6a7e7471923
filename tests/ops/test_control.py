"""Branches and loops: what the references compute, and which bodies are refused."""

from __future__ import annotations

import numpy as np
import pytest

from sol.errors import TypeInferenceError
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.ops.control import FLAG, ROUND
from sol.ir.text import graph_text, parse_graph
from sol.ir.types import DType, TensorType
from sol.ir.verify import verify

X = TensorType(DType.F32, (3,))


def body(builder: GraphBuilder, conditional: bool = False, scanned: bool = False) -> Graph:
    """state * 2 + captured (+ slice); stacks the state before; goes on while its sum is below 40."""
    n = builder.nested()
    n.input("round", ROUND), n.input("flag", FLAG)
    state = n.input("state", X)
    new = n.add("add", [n.add("mul", [state, n.parameter("two", X)]), n.input("slice", X) if scanned else state])
    new = n.add("add", [new, n.input("captured", X)])
    small = n.add("lt", [n.add("sum", [new], dims=(0,)), n.constant(40.0, DType.F32)])
    return n.build([*([small] if conditional else []), new, state])


def looped(*, conditional: bool, scanned: bool, most: int = 6) -> Graph:
    b = GraphBuilder()
    limit, x = b.input("limit", ROUND), b.input("x", X)
    sequence = [b.input("xs", TensorType(DType.F32, (most, 3)))] if scanned else []
    size = b.data_size(most) if conditional else None
    results = b.add(
        "loop", [limit, b.constant(True, DType.BOOL), x, *sequence, x], body=body(b, conditional, scanned), carried=1,
        scanned=len(sequence), trips=most, symbol=size, conditional=conditional,
    )  # fmt: skip
    return b.build(results)


def wanted(limit, x, xs, conditional):
    state, before = x, []
    for i in range(limit):
        before.append(state)
        state = 2 * state + (state if xs is None else xs[i]) + x
        if conditional and state.sum() >= 40:
            break
    return state, np.array(before).reshape(-1, 3)


@pytest.mark.parametrize("conditional", [False, True])
@pytest.mark.parametrize("scanned", [False, True])
@pytest.mark.parametrize("limit", [6, 2, 0])
def test_loop(conditional, scanned, limit):
    if not conditional and limit != 6:
        return
    graph = verify(looped(conditional=conditional, scanned=scanned))
    assert parse_graph(graph_text(graph)) == graph
    x, xs = np.array([1.0, 0.5, 0.25]), np.linspace(-1, 1, 18).reshape(6, 3)
    inputs = [np.int64(limit), x, *([xs] if scanned else [])]
    found = evaluate_outputs(graph, inputs, {"two": np.full(3, 2.0)})
    state, before = wanted(limit, x, xs if scanned else None, conditional)
    np.testing.assert_allclose(found[0], state)
    np.testing.assert_allclose(found[1], before)
    if conditional:
        assert found[2] == len(before)


def branches(same: bool = True) -> Graph:
    b = GraphBuilder()
    flag, x = b.input("flag", FLAG), b.input("x", X)
    then, other = b.nested(), b.nested()
    y = then.add("relu", [then.input("x", X)])
    z = other.add("exp", [other.input("x", X)])
    z = z if same else other.add("sum", [z], dims=(0,))
    return b.build([b.add("if", [flag, x], then_body=then.build([y]), else_body=other.build([z]))])


def test_if():
    graph = verify(branches())
    assert parse_graph(graph_text(graph)) == graph
    x = np.array([-1.0, 0.0, 2.0])
    np.testing.assert_array_equal(evaluate_outputs(graph, [np.True_, x])[0], np.maximum(x, 0))
    np.testing.assert_allclose(evaluate_outputs(graph, [np.False_, x])[0], np.exp(x))


def test_branches_of_different_types_are_refused():
    with pytest.raises(TypeInferenceError, match="the branches give"):
        branches(same=False)


def test_a_state_keeps_its_type():
    b = GraphBuilder()
    n = b.nested()
    n.input("round", ROUND), n.input("flag", FLAG)
    bad = n.build([n.add("sum", [n.input("state", X)], dims=(0,))])
    with pytest.raises(TypeInferenceError, match="state 0 is"):
        b.add("loop", [b.input("limit", ROUND), b.constant(True, DType.BOOL), b.input("x", X)], body=bad, carried=1)


def test_stacked_results_need_a_bound():
    b = GraphBuilder()
    with pytest.raises(TypeInferenceError, match="not bounded"):
        x = b.input("x", X)
        b.add("loop", [b.input("limit", ROUND), b.constant(True, DType.BOOL), x, x], body=body(b), carried=1)
