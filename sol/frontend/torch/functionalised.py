"""What torch's functionalisation of a program loses: which results are tensors from outside, or views of them, and parts of what is written
through windows."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind
from torch.fx import Node

from sol.errors import UnsupportedError
from sol.frontend.imported import ViewStep
from sol.frontend.torch.aliases import op_name, source_of_view

Returned = tuple[str, tuple[ViewStep, ...]]
"""Name of a placeholder, and the views that lead from it to a result."""


def returned_placeholders(program: ExportedProgram) -> dict[int, Returned]:
    """The results for the user, by number, that are placeholders of a program with operations in place, or views of them."""
    (output,) = [n for n in program.graph.nodes if n.op == "output"]
    specs = program.graph_signature.output_specs
    results = [r for r, s in zip(output.args[0], specs) if s.kind is OutputKind.USER_OUTPUT]
    found = {i: _origin(r) for i, r in enumerate(results) if isinstance(r, Node)}
    return {i: origin for i, origin in found.items() if origin is not None}


def check_writes(program: ExportedProgram) -> None:
    """UnsupportedError where a program writes through windows: what lies in none would be zero, and what lies in several a sum."""
    for node in program.graph.nodes:
        tensor = changed_by(node)
        while isinstance(tensor, Node):
            if op_name(tensor.target) == "unfold":
                raise UnsupportedError("writes through windows of a tensor (unfold)", remedy="write to the tensor itself")
            tensor = _step(tensor)


def changed_by(node: Node) -> Any:
    """The operand that an operation in place changes and gives as its result; None of other operations."""
    schema = getattr(node.target, "_schema", None)
    if node.op != "call_function" or schema is None or len(schema.returns) != 1:
        return None
    info = schema.returns[0].alias_info
    if info is None or not info.is_write:
        return None
    for i, argument in enumerate(schema.arguments):
        if argument.alias_info is not None and argument.alias_info.before_set == info.before_set:
            return node.args[i] if i < len(node.args) else node.kwargs.get(argument.name)
    return None


def _origin(result: Node) -> Returned | None:
    steps: list[ViewStep] = []
    node: Any = result
    while isinstance(node, Node) and node.op != "placeholder":
        if changed_by(node) is None:
            args, kwargs = (node.args[1:], node.kwargs)
            if any(isinstance(a, Node) for a in torch.utils._pytree.tree_leaves((args, kwargs))):
                return None  # a size that only a call knows
            steps.append(ViewStep(node.target, args, tuple(kwargs.items())))  # type: ignore[arg-type]
        node = _step(node)
    return (node.name, tuple(reversed(steps))) if isinstance(node, Node) else None


def _step(node: Node) -> Any:
    """What a node is another name or a view of; None for one with memory of its own."""
    if node.target is operator.getitem:
        source: Any = node.args[0]
        return source if isinstance(source, Node) and source_of_view(source, surely=True) is not None else None
    return changed_by(node) or source_of_view(node, surely=True)
