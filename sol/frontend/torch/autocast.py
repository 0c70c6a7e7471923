"""Regions under ``torch.autocast``: the casts that torch makes while it calls operations become operations of the graph."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.amp import autocast_mode
from torch.fx import Graph, GraphModule, Node, map_arg

CAST = (torch.float32, torch.float16, torch.bfloat16)
"""Types that autocast converts; float64 it leaves alone."""


class _Entered(threading.local):
    """Regions that a thread is in while it traces."""

    def __init__(self) -> None:
        self.regions: list[torch.autocast] = []


_ENTERED = _Entered()


def _enter(*options: Any) -> torch.autocast:
    region = torch.autocast(*options)
    region.__enter__()
    _ENTERED.regions.append(region)
    return region


def _exit(region: torch.autocast) -> None:
    _ENTERED.regions.remove(region)
    region.__exit__(None, None, None)


@contextmanager
def regions_left() -> Iterator[None]:
    """A trace that failed inside a region leaves it."""
    before = len(_ENTERED.regions)
    try:
        yield
    finally:
        while len(_ENTERED.regions) > before:
            _exit(_ENTERED.regions[-1])


def enter_while_tracing(graph: Graph) -> None:
    """Make regions that Dynamo captured choose types while torch.export traces the graph, as those of Python do.

    It notes Dynamo's own calls, by which a region begins and ends, and does not run them.
    """
    for node in graph.nodes:
        node.target = {autocast_mode._enter_autocast: _enter, autocast_mode._exit_autocast: _exit}.get(node.target, node.target)


def enclose(module: GraphModule) -> GraphModule:
    """Put a graph into a region like the one that the caller is in, so that a trace shows it."""
    if torch.is_autocast_enabled("cpu"):
        graph = module.graph
        first = next(n for n in graph.nodes if n.op != "placeholder")
        with graph.inserting_before(first):
            region = graph.call_function(_enter, ("cpu", torch.get_autocast_dtype("cpu"), True))
        with graph.inserting_before(next(n for n in graph.nodes if n.op == "output")):
            graph.call_function(_exit, (region,))
        module.recompile()
    return module


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
