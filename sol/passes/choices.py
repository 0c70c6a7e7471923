"""How a decision that a measurement may overrule is asked for: the model's choice stands first, whoever knows better picks another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sol.ir.graph import Array, Graph, Node

Choose = Callable[[str, Sequence[str], Collection[str]], str]
"""(what is to be decided, its options with the model's choice first, names of the nodes concerned) → one of the options."""


def first(key: str, options: Sequence[str], nodes: Collection[str] = ()) -> str:
    """What the model chose."""
    return options[0]


def node_text(node: Node, names: Mapping[str, str]) -> str:
    """``conv(0,1){groups=1,…} f32[1,64,56,56]{c16}``, its operands called as in ``names``; arrays by dtype and shape only."""
    attrs = ",".join(f"{k}={_attr(v)}" for k, v in node.attrs.items() if v is not None)
    types = ",".join(map(str, node.types))
    return f"{node.op}({','.join(names.get(i, '?') for i in node.inputs)}){f'{{{attrs}}}' if attrs else ''} {types}"


def nodes_text(graph: Graph, nodes: Sequence[Node]) -> str:
    """Nodes with the types of what they read, free of names: equal for equal pieces of any network."""
    names: dict[str, str] = {}
    parts = []
    inside = {v for n in nodes for v in n.outputs}
    for node in nodes:
        for value in (*node.inputs, *node.outputs):
            if value not in names:
                names[value] = str(len(names))
                parts += [] if value in inside else [str(graph.type_of(value))]
        parts.append(node_text(node, names))
    return "; ".join(parts)


def _attr(value: Any) -> str:
    if isinstance(value, Array):
        return f"{value.value.dtype}{list(value.value.shape)}"
    return str(value).replace(" ", "")


__all__ = ["Choose", "first", "node_text", "nodes_text"]
