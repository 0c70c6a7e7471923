"""Operations that change a tensor's shape and strides in place (``t_``, ``squeeze_``): they write no data, so that from then on the
tensor's name means a view of it. For a tensor from outside that would be lost at the end of the call, so a graph cannot hold it."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from sol.errors import UnsupportedError
from sol.frontend.torch.aliases import mutates, op_name


def make_views(program: ExportedProgram) -> None:
    """Replace all such operations of a program by views. UnsupportedError for tensors of the caller or the module."""
    nodes = [n for n in program.graph.nodes if n.op == "call_function"]
    found = [n for n in nodes if torch.Tag.inplace_view in getattr(n.target, "tags", ())]
    for node in found:
        view = view_of(node.target)
        tensor = node.args[0]
        if view is None or _names_from_outside(tensor):
            raise UnsupportedError(
                f"{op_name(node.target)} changes the shape or strides of a tensor from outside the model in place",
                remedy="make a view of it instead",
            )
        _replace(program, node, view)
    if found:
        program.graph_module.recompile()


def view_of(target: Any) -> Any:
    """The operation that gives the view which an operation in place makes of its tensor; None if there is none."""
    packet = getattr(torch.ops.aten, op_name(target).removesuffix("_"), None)
    wanted = _arguments(target)
    found = [getattr(packet, name) for name in packet.overloads()] if packet is not None else []
    return next((v for v in found if _arguments(v) == wanted and v._schema.arguments[0].alias_info is not None), None)


def _arguments(target: Any) -> list[tuple[str, str]]:
    return [(a.name, str(a.type)) for a in target._schema.arguments]


def _names_from_outside(tensor: Any) -> bool:
    while tensor.op == "call_function" and mutates(tensor.target):
        tensor = tensor.args[0]
    return bool(tensor.op == "placeholder")


def _replace(program: ExportedProgram, node: Node, target: Any) -> None:
    """Make the view, and let all that follows read it under whatever name the tensor has."""
    with program.graph.inserting_after(node):
        view = program.graph.call_function(target, node.args, node.kwargs)
    view.meta = dict(node.meta)
    later = set()
    following: Node = view.next
    while following.op != "root":
        later.add(following)
        following = following.next
    for name in _names_of(node):
        name.replace_all_uses_with(view, delete_user_cb=lambda user: user in later, propagate_meta=False)
        program.graph_signature.replace_all_uses(name.name, view.name)
    node.replace_all_uses_with(view)
    program.graph.erase_node(node)


def _names_of(node: Node) -> list[Node]:
    """The nodes before that mean the very tensor which an operation in place changes."""
    owner: Any = node.args[0]
    while owner.op == "call_function" and mutates(owner.target):
        owner = owner.args[0]
    names = [owner]
    for name in names:
        names += [u for u in name.users if u is not node and u.op == "call_function" and mutates(u.target) and u.args[0] is name]
    return names
