"""Graphs and contexts of templates are data from one place: the builder and the rewriter make graphs, and templates get no functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sol.codegen.lowering import KernelLibrary
from sol.errors import SolError

ROOT = Path(__file__).parent.parent
MAKERS = {
    "sol/ir/builder.py": "makes graphs",
    "sol/ir/rewrite.py": "changes graphs",
    "tests/ir/test_verify.py": "needs graphs that are wrong",
}
"""Files that may call Graph(…), and why."""
FILES = [p for folder in ("sol", "tests", "examples", "benchmarks") for p in sorted((ROOT / folder).rglob("*.py"))]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def graphs_made(tree: ast.AST) -> list[int]:
    """Lines that make a Graph of sol/ir/graph.py: by its name, by that of the module, or as a changed copy."""
    nodes = list(ast.walk(tree))
    imported = [(n.module, a) for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names]
    graphs = {a.asname or a.name for module, a in imported if (module, a.name) == ("sol.ir.graph", "Graph")}
    modules = {a.asname or a.name for module, a in imported if (module, a.name) == ("sol.ir", "graph")} | {"sol.ir.graph"}
    calls = [n for n in nodes if isinstance(n, ast.Call)]
    made = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id in graphs]
    made += [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "Graph" and ast.unparse(c.func.value) in modules]
    made += [c for c in calls if ast.unparse(c.func) in ("replace", "dataclasses.replace") and _is_graph(c.args[0])]
    return sorted(c.lineno for c in made)


def _is_graph(node: ast.expr) -> bool:
    """Whether an expression is called like a graph."""
    return ast.unparse(node).rpartition(".")[2] in ("graph", "body")


@pytest.mark.budget(7)
def test_the_builder_and_the_rewriter_make_every_graph() -> None:
    made = {name_of(p): lines for p in FILES if (lines := graphs_made(ast.parse(p.read_text())))}
    others = {name: lines for name, lines in made.items() if name not in MAKERS}
    assert not others, f"use graph_of of sol/ir/builder.py, or what sol/ir/rewrite.py offers: {others}"
    assert made.keys() == MAKERS.keys(), "these make no graph"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("from sol.ir.graph import Graph\nGraph((), (), ())", 1),
        ("from sol.ir.graph import Graph as G\nx = G((), (), ())", 1),
        ("from sol.ir import graph\ngraph.Graph((), (), ())", 1),
        ("import sol.ir.graph\nsol.ir.graph.Graph((), (), ())", 1),
        ("from dataclasses import replace\nreplace(self.graph, outputs=())", 1),
        ("from dataclasses import replace\nreplace(node, inputs=())", 0),
        ("from torch.fx import Graph\nGraph()", 0),
        ("from sol.ir.graph import Graph\ndef f(g: Graph): return isinstance(g, Graph)", 0),
    ],
)
def test_makers_are_found(text: str, count: int) -> None:
    assert len(graphs_made(ast.parse(text))) == count


@dataclass
class Changing:
    number: int


@dataclass(frozen=True)
class Holding:
    what: Any


class Named:
    """An object that says what it is when it is asked."""

    name = "x"


def kernel_with(value: Any) -> Callable[[], str]:
    return lambda: KernelLibrary().kernel("k", "dfp_pointwise.c.j2", [], [], {"given": value})


@pytest.mark.parametrize("value", [1, 2.5, True, "x", None, (1, ("x",)), [1, 2], {"a": {"b": (1,)}}, Holding((1, "x"))], ids=repr)
def test_templates_are_given_data(value: Any) -> None:
    kernel_with(value)()


NO_DATA = [len, lambda: 1, Named(), int, Changing(1), Holding([1]), Holding(len), {"a": (1, len)}, {1, 2}]


@pytest.mark.parametrize("value", NO_DATA, ids=lambda value: type(value).__name__)
def test_templates_are_given_nothing_else(value: Any) -> None:
    """Every kernel of every network is made by that function, so that no template can call back."""
    with pytest.raises(SolError, match="a template is given"):
        kernel_with(value)()
