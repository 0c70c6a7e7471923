"""Which fx nodes share memory: how an in-place op changes the values of other nodes."""

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
_ONE_TO_ONE = {"view", "_unsafe_view", "unsqueeze", "squeeze", "view_as"}  # all elements, reshaped
_ONE_TO_ONE_IF_CONTIGUOUS = {"reshape", "flatten", "unflatten", "reshape_as", "contiguous", "ravel"}
_PERMUTED = {"transpose", "permute", "t", "swapaxes", "numpy_T"}
_PARTIAL = {"slice", "select", "narrow"}


@dataclass(frozen=True, slots=True)
class Write:
    """What an in-place node changes besides itself.

    same: other names of the written tensor. views: chain of (view, base) from the written tensor up to the owner of the memory: each
    base takes the view's new elements in turn. stale: members of the memory to be derived again when next read.
    """

    same: tuple[Node, ...]
    views: tuple[tuple[Node, Node], ...]
    stale: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class _Effect:
    """mutates: argument that is written. views: argument whose memory the result may share. name: op without overload."""

    mutates: int | None
    views: int | None
    name: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node's value lives. owner: node that owns the memory. tensor: first name of the very tensor. base: what it is a view of
    (None for the owner). writable: a write through it can be expressed on the base; known: surely shares memory with it."""

    owner: Node
    tensor: Node
    base: Node | None = None
    writable: bool = True
    known: bool = True


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


def written(plan: Mapping[Node, Write]) -> set[Node]:
    """All nodes whose memory a plan changes."""
    return {n for w in plan.values() for n in (*w.same, *(base for _, base in w.views))}


def source_of_view(node: Node, *, surely: bool = False) -> Node | None:
    """The operand whose memory a node shares in torch, surely or as its strides may be at a call; None for new memory."""
    if node.op != "call_function":
        return None
    effect = _effect(node.target)
    if effect.mutates is not None or effect.views != 0 or not node.args or not isinstance(node.args[0], Node):
        return None
    kind = _sharing(node, node.args[0], effect.name)
    return None if kind == "fresh" or (surely and kind == "unknown") else node.args[0]


def shares_if_contiguous(node: Node) -> bool:
    """Whether a node's result is a view of its operand or new memory, as the strides of that are."""
    name = op_name(node.target)
    return name in _ONE_TO_ONE_IF_CONTIGUOUS or (name in _CASTS and bool(node.kwargs.get("memory_format") or len(node.args) > 4))


def op_name(target: Any) -> str:
    """``view`` of ``aten.view.default``."""
    return _effect(target).name


def writes(graph: torch.fx.Graph) -> Mapping[Node, Write] | None:
    """For every in-place node what it changes; None where that needs torch's functionalisation."""
    nodes = list(graph.nodes)
    if not any(n.op == "call_function" and mutates(n.target) for n in nodes):
        return {}
    position = {n: i for i, n in enumerate(nodes)}
    places: dict[Node, _Place] = {}
    members: dict[Node, list[Node]] = {}
    plan: dict[Node, Write] = {}
    for i, n in enumerate(nodes):
        written = _effect(n.target).mutates if n.op == "call_function" else None
        if written is None:
            places[n] = _place(n, places)
            members.setdefault(places[n].owner, []).append(n)
            continue
        x = n.args[0] if n.args else None
        if written != 0 or not isinstance(x, Node):
            return None
        places[n] = places[x]
        write = _write(n, x, places, members[places[x].owner])
        if any(not places[m].known and _read_after(m, i, position) for m in write.stale):
            return None
        if any(not (places[view].writable and places[view].known) for view, _ in write.views):
            if any(_read_after(m, i, position) or m.op == "placeholder" for m in members[places[x].owner] if m not in write.same):
                return None
            write = Write(write.same, (), ())
        members[places[x].owner].append(n)
        plan[n] = write
    return plan


def _read_after(node: Node, place: int, position: Mapping[Node, int]) -> bool:
    return any(position[u] > place for u in node.users)


def _write(n: Node, x: Node, places: Mapping[Node, _Place], members: list[Node]) -> Write:
    chain: list[tuple[Node, Node]] = []
    tensor = places[x].tensor
    on_path = {tensor}
    while (base := places[tensor].base) is not None:
        base = places[base].tensor
        chain.append((tensor, base))
        on_path.add(base)
        tensor = base
    same = tuple(m for m in members if places[m].tensor is places[x].tensor)
    stale = tuple(m for m in members if m not in on_path and m not in same)
    return Write(same, tuple(chain), stale)


def _place(n: Node, places: Mapping[Node, _Place]) -> _Place:
    fresh = _Place(n, n)
    if n.op != "call_function":
        return fresh
    if getattr(n.target, "__name__", "") == "getitem" and isinstance(n.args[0], Node):
        source = places[n.args[0]]
        return fresh if source.owner is n.args[0] else _Place(source.owner, n, n.args[0], writable=False)
    effect = _effect(n.target)
    if effect.views is None or effect.views >= len(n.args):
        return fresh
    x = n.args[effect.views]
    if not isinstance(x, Node):
        return fresh
    kind = _sharing(n, x, effect.name)
    if kind == "fresh":
        return fresh
    if kind == "same":
        return places[x]
    return _Place(places[x].owner, n, x, writable=kind == "writable", known=kind != "unknown")


def _sharing(n: Node, x: Node, name: str) -> str:
    """ "same": the very tensor; "writable": a view whose writes can be expressed; "view": any other; "unknown"; "fresh": new memory."""
    if name in _SAME:
        return "same"
    if name in _EVAL_DROPOUT:
        return "fresh" if len(n.args) > 2 and n.args[2] and n.args[1] else "same"
    source, result = x.meta.get("val"), n.meta.get("val")
    if name == "view" and isinstance(source, torch.Tensor) and isinstance(result, torch.Tensor) and source.dtype != result.dtype:
        return "view"  # the same bits as numbers of another type
    if name in _PARTIAL:
        return "writable" if name != "slice" or len(n.args) < 5 or n.args[4] == 1 else "view"
    if name in _ONE_TO_ONE or name in _PERMUTED:
        return "writable"
    if not isinstance(source, torch.Tensor) or not isinstance(result, torch.Tensor):
        return "view"
    if name in _CASTS:
        if source.dtype != result.dtype or source.device != result.device:
            return "fresh"
        return "unknown" if len(n.args) > 2 or n.kwargs.get("copy") or n.kwargs.get("memory_format") else "same"
    if name in _ONE_TO_ONE_IF_CONTIGUOUS:
        contiguous = source.is_contiguous()
        if name == "contiguous" and len(n.args) == 1 and not n.kwargs:
            return "same" if contiguous else "fresh"
        return "writable" if contiguous else "unknown"
    return "view"
