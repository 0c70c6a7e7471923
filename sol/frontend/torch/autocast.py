"""Regions under ``torch.autocast``: the casts that torch makes while it calls operations become operations of the graph."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node, map_arg

CAST = (torch.float32, torch.float16, torch.bfloat16)
"""Types that autocast converts; float64 it leaves alone."""


def is_autocast(target: Any) -> bool:
    return getattr(target, "_name", "") == "wrap_with_autocast"


def with_casts(module: GraphModule, device: str, enabled: bool) -> GraphModule | None:
    """The region as a graph whose operations take operands of the types in which autocast has them compute.

    An operation that autocast knows computes in the type of its result, be that the lower precision or float32. None where an operation is
    made of others, for some of which autocast has chosen another type.
    """
    if enabled:
        calls = [n for n in module.graph.nodes if n.op == "call_function"]
        known = [n for n in calls if _has_kernel(n.target, f"Autocast{device.upper()}")]
        if any(_changes_type(n) for n in calls if n not in known and _has_kernel(n.target, "CompositeImplicitAutograd")):
            return None
        for node in known:
            _cast_operands(module, node)
        module.recompile()
    return module


def _changes_type(node: Node) -> bool:
    """Whether a result is of a type that is neither that of an operand nor asked for."""
    result = _first(node.meta.get("val"))
    operands = {v.dtype for v in (a.meta.get("val") for a in node.all_input_nodes) if isinstance(v, torch.Tensor) and v.dtype in CAST}
    asked = any(isinstance(a, torch.dtype) for a in (*node.args, *node.kwargs.values()))
    return isinstance(result, torch.Tensor) and result.dtype in CAST and bool(operands) and result.dtype not in operands and not asked


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, (tuple, list)) and result else result


def _has_kernel(target: Any, key: str) -> bool:
    return isinstance(target, torch._ops.OpOverload) and torch._C._dispatch_has_kernel_for_dispatch_key(target.name(), key)


def _cast_operands(module: GraphModule, node: Node) -> None:
    first = _first(node.meta.get("val"))
    if not isinstance(first, torch.Tensor) or first.dtype not in CAST:
        return

    def cast(operand: Node) -> Node:
        value = operand.meta.get("val")
        if not isinstance(value, torch.Tensor) or value.dtype not in CAST or value.dtype is first.dtype:
            return operand
        with module.graph.inserting_before(node):
            new = module.graph.call_function(torch.ops.aten.to.dtype, (operand, first.dtype))
        new.meta = {**node.meta, "val": value.to(first.dtype)}
        return new

    node.args, node.kwargs = map_arg(node.args, cast), map_arg(node.kwargs, cast)
