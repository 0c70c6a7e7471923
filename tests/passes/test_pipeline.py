"""All passes in order on random networks: the invariants and the values stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sol.codegen.program import render_program
from sol.codegen.schedule import make_plan
from sol.codegen.targets import by_name
from sol.ir.interpret import evaluate
from sol.ir.verify import verify
from sol.passes.pipeline import passes, run_passes
from tests.random_graphs import Recipe, make_recipe


class Drawn:
    """Decisions by hypothesis, so that a failing network shrinks."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def integer(self, low: int, high: int) -> int:
        return self.data.draw(st.integers(low, high))


class Seeded:
    """Decisions by a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def integer(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))


def expected(recipe: Recipe) -> list[np.ndarray]:
    found = evaluate(recipe.graph, recipe.inputs, recipe.parameters, symbols=recipe.symbols)
    return [found[o] for o in recipe.graph.outputs]


def check_passes(recipe: Recipe, isa: str) -> None:
    """Every pass keeps the values; the plan can be made and rendered."""
    target, want = by_name(isa), expected(recipe)
    graph = verify(recipe.graph)
    for name, graph in run_passes(recipe.graph, target):
        verify(graph, name)
        found = evaluate(graph, recipe.inputs, recipe.parameters, symbols=recipe.symbols)
        for output, w in zip(graph.outputs, want, strict=True):
            np.testing.assert_allclose(found[output], w, rtol=1e-7, atol=1e-7 * max(1.0, np.abs(w).max()), err_msg=name)
    render_program(make_plan(graph, target), "random network")


SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@settings(SETTINGS, max_examples=60)
@given(st.data(), st.integers(3, 14), st.booleans())
def test_random_networks(data, nodes, dynamic):
    check_passes(make_recipe(Drawn(data), nodes, dynamic), "generic")


@pytest.mark.parametrize("seed", range(100, 140))
def test_large_random_networks(seed):
    check_passes(make_recipe(Seeded(seed), 20, seed % 4 == 0), "avx512" if seed % 2 else "avx2")


@pytest.mark.parametrize("seed", range(6))
def test_compiled_random_networks(seed):
    from sol.compiler import compile_graph
    from sol.runtime.executable import Executable

    recipe = make_recipe(Seeded(seed), 10, seed % 3 == 0)
    executable = Executable(compile_graph(recipe.graph))
    executable.pack(recipe.parameters)
    inputs = [recipe.inputs[i] for i in recipe.graph.inputs]
    for _ in range(2):  # the second call finds the arena as the first left it
        for got, want in zip(executable(inputs, recipe.symbols), expected(recipe), strict=True):
            assert tuple(got.shape) == want.shape
            np.testing.assert_allclose(got, want, rtol=0, atol=2e-4 * max(1e-2, np.abs(want).max()))


def test_pass_names_say_what_they_do():
    for name, _ in passes(by_name("avx512")):
        verbs = "fold flatten find divide remove canonicalize merge eliminate assign materialize fuse place turn repeat read".split()
        assert name.split("_")[0] in verbs
