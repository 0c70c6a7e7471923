"""Which fx nodes share memory: decides whether in-place ops can be expressed by rebinding names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch.fx import Node

_SAME = {"detach", "detach_", "alias", "lift_fresh", "positive"}
_EVAL_DROPOUT = {"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"}
_CASTS = {"to", "type_as"}


@dataclass(frozen=True, slots=True)
class _Effect:
    """mutates: argument that is written. views: argument whose memory the result may share. name: op without overload."""

    mutates: int | None
    views: int | None
    name: str


@cache
def _effect(target: Any) -> _Effect:
    schema = getattr(target, "_schema", None)
    if schema is None:
        return _Effect(None, None, "")
    name = schema.name.partition("::")[2]
    mutates = views = None
    for i, argument in enumerate(schema.arguments):
        info = argument.alias_info
        if info is not None and info.is_write:
            mutates = i
        elif info is not None and views is None:
            views = i
    if name in _EVAL_DROPOUT or name in _CASTS:
        views = 0
    return _Effect(mutates, views, name)


def mutates(target: Any) -> bool:
    """Whether an op writes into one of its operands."""
    return _effect(target).mutates is not None


def rebindings(graph: torch.fx.Graph) -> Mapping[Node, list[Node]] | None:
    """For every in-place node the nodes whose value it changes; None where a view of the written tensor is read later.

    A node that is the written tensor itself under another name is rebound to the new value. A proper view (or the tensor that the
    written one is a view of) would have to see part of the new value: that needs functionalisation.
    """
    nodes = list(graph.nodes)
    if not any(n.op == "call_function" and mutates(n.target) for n in nodes):
        return {}
    position = {n: i for i, n in enumerate(nodes)}
    memory: dict[Node, Node] = {}  # the node that owns the memory
    tensor: dict[Node, Node] = {}  # the first name of the very same tensor
    members: dict[Node, list[Node]] = {}
    plan: dict[Node, list[Node]] = {}
    for i, n in enumerate(nodes):
        memory[n], tensor[n] = _place(n, memory, tensor)
        members.setdefault(memory[n], []).append(n)
        if n.op != "call_function" or (written := _effect(n.target).mutates) is None:
            continue
        x = n.args[written] if written < len(n.args) else None
        if written != 0 or not isinstance(x, Node):
            return None
        memory[n], tensor[n] = memory[x], tensor[x]
        if memory[n] is not n:
            members[n].remove(n)
            members[memory[n]].append(n)
        for other in members[memory[x]]:
            same = tensor[other] is tensor[x]
            if not same and (other.op == "placeholder" or any(position[u] > i for u in other.users)):
                return None
        plan[n] = [m for m in members[memory[x]] if tensor[m] is tensor[x] and m is not n]
    return plan


def _place(n: Node, memory: dict[Node, Node], tensor: dict[Node, Node]) -> tuple[Node, Node]:
    if n.op != "call_function":
        return n, n
    if getattr(n.target, "__name__", "") == "getitem" and isinstance(n.args[0], Node):
        return memory[n.args[0]], n
    effect = _effect(n.target)
    if effect.views is None or effect.views >= len(n.args):
        return n, n
    x = n.args[effect.views]
    if not isinstance(x, Node):
        return n, n
    kind = _sharing(n, x, effect.name)
    if kind == "fresh":
        return n, n
    return memory[x], tensor[x] if kind == "same" else n


def _sharing(n: Node, x: Node, name: str) -> str:
    """ "same": the very tensor; "view": shares memory or may; "fresh": new memory."""
    if name in _SAME:
        return "same"
    if name in _EVAL_DROPOUT:
        return "fresh" if len(n.args) > 2 and n.args[2] else "same"
    source, result = x.meta.get("val"), n.meta.get("val")
    if not isinstance(source, torch.Tensor) or not isinstance(result, torch.Tensor):
        return "view"
    if name in _CASTS:
        if source.dtype != result.dtype or source.device != result.device:
            return "fresh"
        return "view" if len(n.args) > 2 or n.kwargs.get("copy") or n.kwargs.get("memory_format") else "same"
    if name == "contiguous" and len(n.args) == 1 and not n.kwargs:
        return "same" if source.is_contiguous() else "fresh"
    return "view"
