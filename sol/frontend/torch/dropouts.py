"""Dropout in AOTAutograd's graphs: elements are drawn in the order in which eager's tensor would lie in memory."""

from __future__ import annotations

import operator
from typing import Any, cast

import torch
from torch import fx

from sol.frontend.torch.strides import storage_order

aten = torch.ops.aten


def draw_in_order_of_memory(joint: fx.GraphModule) -> None:
    """Turn what a dropout is given, and turn its results back: PyTorch draws a number for each element as they lie in memory, and here
    tensors lie row by row. So a run has the same elements dropped as in eager."""
    graph = joint.graph
    for node in graph.find_nodes(op="call_function", target=aten.native_dropout.default):
        order = storage_order(node.args[0].meta["val"])
        if order is None:
            continue
        inverse = sorted(range(len(order)), key=order.__getitem__)
        with graph.inserting_before(node):
            turned = _permuted(graph, node.args[0], order)
        node.args = (turned, *node.args[1:])
        node.meta = {**node.meta, "val": tuple([v.permute(order) for v in node.meta["val"]])}
        for part in list(node.users):
            assert part.target is operator.getitem
            part.meta = {**part.meta, "val": node.meta["val"][cast(int, part.args[1])]}
            with graph.inserting_after(part):
                back = _permuted(graph, part, inverse)
            part.replace_all_uses_with(back, delete_user_cb=lambda user, back=back: user is not back)  # type: ignore[misc]


def _permuted(graph: fx.Graph, node: Any, order: Any) -> fx.Node:
    made = graph.call_function(aten.permute.default, (node, list(order)))
    made.meta = {k: v for k, v in node.meta.items() if k in ("stack_trace", "nn_module_stack", "partitioner_tag", "seq_nr")}
    made.meta["val"] = node.meta["val"].permute(order)
    return made
