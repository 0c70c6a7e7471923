"""Runs a pass on a graph given as text and checks what every pass must keep: the invariants of the IR and the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sol.codegen.targets import Target, by_name
from sol.ir.dim import evaluate as size_of
from sol.ir.graph import Graph, Node
from sol.ir.interpret import evaluate
from sol.ir.text import parse_graph
from sol.ir.verify import verify
from sol.passes.pipeline import run_passes

TARGET = by_name("avx512")
LANES = TARGET.lanes
CONV1 = "{dilation=(1, 1), groups=1, padding=((0, 0), (0, 0)), stride=(1, 1)}"
CONV3 = "{dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}"


def random_arrays(graph: Graph, env: Mapping[str, int]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Inputs and parameters of a graph; parameters are positive, so that variances are."""
    rng = np.random.default_rng(3)
    inputs, parameters = {}, {}
    for node in graph.nodes:
        if node.op not in ("input", "parameter"):
            continue
        values = rng.standard_normal([size_of(d, env) for d in node.type.shape])
        if node.type.dtype.is_int:
            values = np.abs(values).astype(np.int64)
        if node.op == "input":
            inputs[node.name] = values.astype(node.type.dtype.numpy)
        else:
            parameters[node.attrs["target"]] = (np.abs(values) + 0.25).astype(node.type.dtype.numpy)
    return inputs, parameters


Arrays = Mapping[str, np.ndarray]


def outputs_of(graph: Graph, inputs: Arrays, parameters: Arrays, env: Mapping[str, int]) -> list[np.ndarray]:
    found = evaluate(graph, dict(inputs), dict(parameters), symbols=dict(env))
    return [found[o] for o in graph.outputs]


def assert_same(before: Graph, after: Graph, **env: int) -> None:
    """Both graphs compute the same in float64."""
    inputs, parameters = random_arrays(before, env)
    for a, b in zip(outputs_of(before, inputs, parameters, env), outputs_of(after, inputs, parameters, env), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9)


def run(function: Callable[[Graph], Graph], text: str, **env: int) -> Graph:
    """The graph after a pass, which is checked."""
    before = verify(parse_graph(text))
    after = verify(function(before))
    assert_same(before, after, **env)
    return after


def fused(text: str, target: Target = TARGET, **env: int) -> Graph:
    """The graph after all passes, checked after each."""
    before = verify(parse_graph(text))
    after = before
    for name, after in run_passes(before, target):
        verify(after, name)
        assert_same(before, after, **env)
    return after


def ops(graph: Graph) -> list[str]:
    """Ops of the graph in order, sources and computations on constants left out."""
    return [n.op for n in graph.nodes if n.op not in ("input", "parameter", "constant") and n.name not in graph.constant_values]


def regions(graph: Graph) -> list[list[str]]:
    """Ops in the body of each region."""
    return [body_ops(n) for n in graph.nodes if n.op == "region"]


def body_ops(region: Node) -> list[str]:
    return [n.op for n in region.attrs["body"].nodes if n.op not in ("input", "constant")]
