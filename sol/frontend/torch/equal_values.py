"""Values that a graph of both passes computes twice are computed once, before it is divided into the passes.

torch's partitioner has a pass for this, which imports all of TorchInductor: 25 MB and half a second that nothing else here needs.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx
from torch.utils._pytree import tree_flatten

from sol.frontend.torch.layouts import draws

aten = torch.ops.aten
_UNINITIALIZED = (aten.empty, aten.empty_like, aten.new_empty, aten.empty_strided, aten.new_empty_strided, aten.empty_permuted)


def merge_equal_values(joint: fx.GraphModule) -> None:
    """Change a graph in place: what reads the second of two equal values reads the first, from which it cannot be told.

    Not merged are draws from a generator, memory that nobody has written, results of the graph, of which eager makes one tensor each, and
    what comes after the first operation that writes into one of its operands.
    """
    results = _storages(next(reversed(joint.graph.find_nodes(op="output"))))
    first: dict[Any, fx.Node] = {}
    for node in list(joint.graph.nodes):
        if node.op != "call_function":
            continue
        if _writes(node.target):
            return
        key = _key(node) if _is_pure(node.target) and results.isdisjoint(_storage(node)) else None
        if key is None:
            continue
        before = first.setdefault(key, node)
        if before is not node:
            node.replace_all_uses_with(before)
            joint.graph.erase_node(node)


def _is_pure(target: Any) -> bool:
    """Whether equal operands give equal results: an operation on tensors, or Python's on sizes and tuples."""
    if isinstance(target, torch._ops.OpOverload):
        return not draws(target) and target.overloadpacket not in _UNINITIALIZED
    return getattr(operator, getattr(target, "__name__", ""), None) is target


def _writes(target: Any) -> bool:
    return isinstance(target, torch._ops.OpOverload) and target._schema.is_mutable


def _key(node: fx.Node) -> Any:
    """Equal for equal operations on the same operands; None where that cannot be told."""
    leaves, structure = tree_flatten((node.args, node.kwargs))
    if any(isinstance(leaf, (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool)) for leaf in leaves):
        return None
    exact = [(type(leaf), leaf.hex() if isinstance(leaf, float) else leaf) for leaf in leaves]  # 0.0 is not -0.0, 1 not 1.0 or True
    try:
        hash(key := (node.target, tuple(exact), str(structure)))
    except TypeError:
        return None
    return key


def _storage(node: fx.Node) -> set[int]:
    """The memory of a node's tensor; empty where it is none or has none."""
    value = node.meta.get("val")
    return {value.untyped_storage()._cdata} if isinstance(value, torch.Tensor) and value.layout is torch.strided else set()


def _storages(output: fx.Node) -> set[int]:
    return set().union(*map(_storage, output.all_input_nodes))
