"""What regions must have in common for a measurement of one to hold for the other: ops, shapes, dtypes, order in memory."""

from __future__ import annotations

from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.ir.strides import contiguous_strides
from sol.passes.choices import node_text


def signature(lowering: Lowering) -> str:
    """One line of text: the body with its values numbered, and the class of memory of everything that it reads and writes.

    Neither names nor the values of parameters and literals are in it, so that equal layers of any network share it.
    """
    body = lowering.body
    names: dict[str, str] = {}
    parts = []
    for node in body.nodes:
        for value in node.outputs:
            names[value] = str(len(names))
        if node.op == "input":
            kind = "weight" if lowering.is_constant(node.name) else _memory(lowering.view(node.name))
            parts.append(f"{kind} {node.type}")
        elif node.op == "constant":
            parts.append(f"literal {node.type}")
        else:
            parts.append(node_text(node, names))
    ends = (f"{names[v]} {_memory(lowering.view(v))}" for v in body.outputs)
    return f"{'; '.join(parts)} -> {', '.join(ends)}"


def _memory(view: View) -> str:
    """``dense``: one element behind the other within an image; ``gaps``: rows lie apart (a border, a slice); ``strided``: elements do."""
    inner = view.strides[-1] if view.strides else 1
    if inner != 1 and view.shape and view.shape[-1] != 1:
        return "strided"
    spatial = slice(2 if view.layout.block else 1, None)
    return "dense" if tuple(view.strides[spatial]) == contiguous_strides(view.shape)[spatial] else "gaps"


__all__ = ["signature"]
