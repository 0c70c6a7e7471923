"""Channel shuffles, splits and concatenations are one selection of channels: index arithmetic instead of copies after copies."""

from __future__ import annotations

import numpy as np

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule


@rule("reshape")
def shuffle_to_channel_select(g: Editor, node: Node) -> str | None:
    """reshape(permute(reshape(x[N,C,H,W], [N,a,b,H,W]), order)) -> channel_select(x) when only channels change places"""
    permute = g.producer(node.inputs[0], op="permute")
    split = g.producer(permute.inputs[0], op="reshape") if permute else None
    if permute is None or split is None:
        return None
    x, middle = g.type_of(split.inputs[0]), split.type.shape
    spatial = x.rank - 2
    parts = len(middle) - spatial - 1
    if x.rank < 3 or x.shape != node.type.shape or parts < 2 or x.dtype is not node.type.dtype:
        return None
    order = permute.attrs["order"]
    kept = order[0] == 0 and order[parts + 1 :] == tuple(range(parts + 1, len(middle)))
    if not kept or middle[0] != x.shape[0] or middle[parts + 1 :] != x.shape[2:] or not isinstance(x.shape[1], int):
        return None
    inner = [o - 1 for o in order[1 : parts + 1]]
    index = np.arange(x.shape[1]).reshape(middle[1 : parts + 1]).transpose(inner).reshape(-1)
    return g.add("channel_select", [split.inputs[0]], index=tuple(int(i) for i in index), origin=node.origin)


@rule("channel_select")
def select_of_moves(g: Editor, node: Node) -> str | None:
    """channel_select over concat, slice or channel_select -> one channel_select over their operands"""
    operands: list[str] = []
    offset: dict[str, int] = {}
    total = 0
    table: list[int] = []  # channel of the old concatenation -> channel of the new one
    changed = False

    def place(value: str) -> int:
        nonlocal total
        if value not in offset:
            offset[value] = total
            operands.append(value)
            total += g.type_of(value).shape[1]
        return offset[value]

    for value in node.inputs:
        producer = g.producer(value)
        channels = g.type_of(value).shape[1]
        if producer.op == "concat" and producer.attrs["dim"] == 1 and all(isinstance(g.type_of(v).shape[1], int) for v in producer.inputs):
            for part in producer.inputs:
                start = place(part)
                table += range(start, start + g.type_of(part).shape[1])
            changed = True
        elif producer.op == "slice" and producer.attrs["dim"] == 1:
            start = place(producer.inputs[0])
            table += range(start + producer.attrs["start"], start + producer.attrs["stop"], producer.attrs["step"])
            changed = True
        elif producer.op == "channel_select":
            starts = [place(v) for v in producer.inputs]
            inner = [s + c for v, s in zip(producer.inputs, starts) for c in range(g.type_of(v).shape[1])]
            table += [inner[i] for i in producer.attrs["index"]]
            changed = True
        else:
            start = place(value)
            table += range(start, start + channels)
    if not changed:
        return None
    return g.add("channel_select", operands, index=tuple(table[i] for i in node.attrs["index"]), origin=node.origin)


@rule("slice")
def slice_of_select(g: Editor, node: Node) -> str | None:
    """slice(channel_select(x, index), channels) -> channel_select(x, index[slice])"""
    select = g.producer(node.inputs[0], op="channel_select")
    if select is None or node.attrs["dim"] != 1:
        return None
    picked = select.attrs["index"][node.attrs["start"] : node.attrs["stop"] : node.attrs["step"]]
    return g.add("channel_select", select.inputs, index=picked, origin=node.origin)


def merge_channel_moves(graph: Graph) -> Graph:
    """Turn channel shuffles and what surrounds them into channel_select."""
    return drop_unused_operands(apply_rules(graph, (shuffle_to_channel_select, select_of_moves, slice_of_select)))


def drop_unused_operands(graph: Graph) -> Graph:
    """A channel_select reads only the operands that its index names."""
    editor = Editor(graph)
    for node in graph.nodes:
        if node.op != "channel_select":
            continue
        sizes = [editor.type_of(v).shape[1] for v in node.inputs]
        starts = np.cumsum([0, *sizes])
        owner = np.searchsorted(starts, node.attrs["index"], side="right") - 1
        used = sorted(set(owner.tolist()))
        if len(used) == len(node.inputs):
            continue
        moved = {k: int(sum(sizes[u] for u in used[:i]) - starts[k]) for i, k in enumerate(used)}
        index = tuple(int(c) + moved[int(o)] for c, o in zip(node.attrs["index"], owner))
        new = editor.add("channel_select", [node.inputs[k] for k in used], index=index, origin=node.origin)
        editor.replace(node.name, new)
    return editor.finish()
