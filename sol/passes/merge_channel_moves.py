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


class _Table:
    """Operands of a new channel_select, and where each channel of an old concatenation is found in theirs."""

    def __init__(self, g: Editor) -> None:
        self.g = g
        self.offset: dict[str, int] = {}
        self.total = 0
        self.channels: list[int] = []
        self.changed = False

    def place(self, value: str) -> range:
        """Positions of a value's channels among the operands; a new value is appended."""
        count = channels_of(self.g, value)
        if value not in self.offset:
            self.offset[value] = self.total
            self.total += count
        return range(self.offset[value], self.offset[value] + count)

    def add(self, value: str) -> None:
        """The next operand of the old selection; what moves channels is looked through."""
        node = self.g.producer(value)
        along = node.attrs.get("dim") == 1 and all(isinstance(self.g.type_of(v).shape[1], int) for v in node.inputs)
        if not (node.op == "channel_select" or along and node.op in ("concat", "slice")):
            self.channels += self.place(value)
            return
        self.changed = True
        inner = [c for v in node.inputs for c in self.place(v)]
        if node.op == "slice":
            inner = inner[node.attrs["start"] : node.attrs["stop"] : node.attrs["step"]]
        elif node.op == "channel_select":
            inner = [inner[i] for i in node.attrs["index"]]
        self.channels += inner


def channels_of(g: Editor, value: str) -> int:
    """The number of channels, which a channel_select needs to know."""
    count = g.type_of(value).shape[1]
    assert isinstance(count, int)
    return count


@rule("channel_select")
def select_of_moves(g: Editor, node: Node) -> str | None:
    """channel_select over concat, slice or channel_select -> one channel_select over their operands"""
    table = _Table(g)
    for value in node.inputs:
        table.add(value)
    if not table.changed:
        return None
    return g.add("channel_select", list(table.offset), index=tuple(table.channels[i] for i in node.attrs["index"]), origin=node.origin)


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
        sizes = [channels_of(editor, v) for v in node.inputs]
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
