"""What a backward pass computes again instead of keeping it where ``config["training_memory_budget"]`` is below 1.

The forward graph is cut into segments where few bytes cross. What crosses is kept; the values inside a segment are computed again when the
backward pass comes to it, and are gone when it leaves. Of as many segments as the budget asks for, those that hold most.
Source: T. Chen, B. Xu, C. Zhang, C. Guestrin, Training deep nets with sublinear memory cost, 2016.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import fx

from sol.frontend.torch.layouts import draws

SIZES_TRIED = 24
"""Sizes of the largest segment that are tried."""
GRADIENTS = 3
"""Values as large as a segment's largest one that its backward pass holds beside what it reads: gradients, and what they are made of."""


@dataclass(frozen=True)
class Segment:
    """Neighbouring nodes of a forward graph.

    crossing: bytes of values made there that later segments read. inner: bytes of the other values that the backward graph reads. largest:
    bytes of the largest value.
    """

    nodes: tuple[fx.Node, ...]
    crossing: int
    inner: int
    largest: int

    @property
    def computed(self) -> int:
        """Bytes that are held while it is computed again."""
        return self.inner + GRADIENTS * self.largest


def choose_recomputed(joint: fx.GraphModule, own: int, budget: float) -> bool:
    """Mark the nodes of a joint graph for torch's partitioner, which then keeps what crosses segments; whether that helps.

    own: how many of its results are the forward graph's. budget: share of what is held where nothing is computed again. Nothing is marked
    where recomputation would not need less memory.
    """
    forward = _Forward(joint, own)
    segments = forward.segments()
    if _held(segments, segments) >= _held(segments, ()):
        return False
    forward.mark(_recomputed(segments, budget))
    return True


def _held(segments: Sequence[Segment], again: Sequence[Segment]) -> int:
    """Bytes that a step holds at most where some of the segments are computed again."""
    kept = sum(s.crossing for s in segments) + sum(s.inner for s in segments) - sum(s.inner for s in again)
    return kept + max(s.computed if s in again else GRADIENTS * s.largest for s in segments)


def _recomputed(segments: Sequence[Segment], budget: float) -> list[Segment]:
    """Segments to compute again, the fewest that fit into a budget, or all."""
    most = budget * _held(segments, ())
    chosen: list[Segment] = []
    for segment in sorted(segments, key=lambda s: s.computed, reverse=True):
        if _held(segments, chosen) > most:
            chosen.append(segment)
    return [s for s in segments if s in chosen]


class _Forward:
    """The forward part of a joint graph. Views count as what they are views of; of values that pointwise operations make of one other value
    of their size that one alone is held (sol/passes/repeat_late.py)."""

    def __init__(self, joint: fx.GraphModule, own: int) -> None:
        (output,) = joint.graph.find_nodes(op="output")
        results = [r for r in output.args[0][:own] if isinstance(r, fx.Node)]
        made = _ancestors(results)
        self.nodes = [n for n in joint.graph.nodes if n in made and n.op == "call_function"]
        self._root: dict[fx.Node, fx.Node] = {}
        for node in self.nodes:
            source = node.args[0] if node.args else None
            self._root[node] = self._root.get(source, source) if _is_view(node) and isinstance(source, fx.Node) else node
        self._results = {self._root.get(r, r) for r in results}
        place = {n: i for i, n in enumerate(self.nodes)}
        self._last: dict[fx.Node, int] = {}  # where a value is last read in the forward graph
        self._read_again: set[fx.Node] = set()  # by the backward graph
        for node in self.nodes:
            root = self._root[node]
            for user in node.users:
                if user in place:
                    self._last[root] = max(self._last.get(root, 0), place[user])
                elif user.op != "output":
                    self._read_again.add(root)
        self._place = place
        made_of: dict[fx.Node, fx.Node] = {}
        for node in self.nodes:
            sources = {self._root.get(n, n) for n in node.all_input_nodes if _bytes(n) == _bytes(node)}
            single = len(sources) == 1 and torch.Tag.pointwise in getattr(node.target, "tags", ()) and not _is_random(node)
            source = next(iter(sources)) if single else node
            made_of[node] = made_of.get(source, source)
        self._held = {made_of.get(n, n) for n in self._read_again}

    def segments(self) -> list[Segment]:
        """The segments that hold least where all of them are computed again."""
        cuts = {end: sum(_bytes(n) for n in self.nodes[:end] if self._crosses(n, end - 1)) for end in self._cuts()}
        cuts[len(self.nodes)] = 0
        inner = [0, *accumulate(self._inner(0, len(self.nodes)))]
        sizes = list(map(_bytes, self.nodes))
        computed: dict[tuple[int, int], int] = {}
        for start in (0, *cuts):
            largest = 0
            for end, size in enumerate(sizes[start:], start + 1):
                largest = max(largest, size)
                if end in cuts:
                    computed[start, end] = inner[end] - inner[start] + GRADIENTS * largest
        best: tuple[float, list[Segment]] = (math.inf, [])
        for step in range(1, SIZES_TRIED + 1):
            chosen = _chosen(cuts, computed, computed[0, len(self.nodes)] * step // SIZES_TRIED)
            if chosen:
                found = [self._segment(a, b) for a, b in zip([0, *chosen], chosen)]
                held = _held(found, found)
                best = min(best, (held, found), key=lambda x: x[0])
        return best[1] or [self._segment(0, len(self.nodes))]

    def mark(self, again: Sequence[Segment]) -> None:
        """Tell the partitioner what to keep and what to compute again."""
        from torch.utils.checkpoint import CheckpointPolicy

        kept = {n for segment in again for n in segment.nodes if self._crosses(n, self._place[segment.nodes[-1]])}
        few = max(s.inner for s in again) // 1000 if again else 0
        for segment in again:
            for node in segment.nodes:
                if node in kept or _is_random(node):
                    node.meta["recompute"] = CheckpointPolicy.MUST_SAVE
                elif _bytes(node) > few or _is_view(node) or not isinstance(node.meta.get("val"), torch.Tensor):
                    node.meta["recompute"], node.meta["ac_graph_id"] = CheckpointPolicy.PREFER_RECOMPUTE, 0

    def _crosses(self, node: fx.Node, end: int) -> bool:
        """Whether a value, of which a view does not count, is read behind a segment, or is a result."""
        return self._root[node] is node and _bytes(node) > 0 and (self._last.get(node, 0) > end or node in self._results)

    def _cuts(self) -> list[int]:
        """Places where no fewer bytes cross nearby, the end among them."""
        alive, ends = 0, dict[int, int]()
        crossing: list[int] = []
        for i, node in enumerate(self.nodes):
            if self._root[node] is node and self._last.get(node, i) > i:
                alive += _bytes(node)
                ends[self._last[node]] = ends.get(self._last[node], 0) + _bytes(node)
            alive -= ends.pop(i, 0)
            crossing.append(alive)
        last = len(crossing) - 1
        found = [i + 1 for i in range(last) if crossing[i] <= crossing[i + 1] and (i == 0 or crossing[i] < crossing[i - 1])]
        return [*(end for end in found if self.nodes[end].target is not operator.getitem), last + 1]

    def _inner(self, start: int, end: int) -> list[int]:
        """Bytes of each value that is held for the backward graph."""
        return [_bytes(n) if n in self._held and self._root[n] is n else 0 for n in self.nodes[start:end]]

    def _segment(self, start: int, end: int) -> Segment:
        nodes = self.nodes[start:end]
        crossing = sum(_bytes(n) for n in nodes if self._crosses(n, end - 1))
        inner = sum(b for n, b in zip(nodes, self._inner(start, end)) if not self._crosses(n, end - 1))
        return Segment(tuple(nodes), crossing, inner, self._largest(start, end))

    def _largest(self, start: int, end: int) -> int:
        return max(map(_bytes, self.nodes[start:end]))


def _chosen(cuts: Mapping[int, int], computed: Mapping[tuple[int, int], int], most: int) -> list[int]:
    """Ends of segments that hold at most so many bytes while they are computed again, across which the fewest bytes go; none if there are
    no such segments.

    cuts: place → bytes that cross there, in order. computed: bytes that a segment from one place to another holds.
    """
    cost: dict[int, tuple[int, int]] = {0: (0, 0)}  # end → bytes that cross up to there, the end before
    for end, crossing in cuts.items():
        options = [(c + crossing, start) for start, (c, _) in cost.items() if computed[start, end] <= most]
        if options:
            cost[end] = min(options)
    end, found = max(cuts), list[int]()
    while end in cost and end > 0:
        found.insert(0, end)
        end = cost[end][1]
    return found


def _ancestors(results: Sequence[fx.Node]) -> set[fx.Node]:
    """What results are made of, themselves included."""
    found: set[fx.Node] = set()
    pending = list(results)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += node.all_input_nodes
    return found


def _is_view(node: fx.Node) -> bool:
    return bool(getattr(node.target, "is_view", False))


def _is_random(node: fx.Node) -> bool:
    """Whether a value is drawn, so that another one would come of it the next time."""
    if node.target is operator.getitem and isinstance(node.args[0], fx.Node):
        node = node.args[0]
    return draws(node.target)


def _bytes(node: fx.Node) -> int:
    """Of the tensor that a node makes; several are counted where they are taken."""
    value = node.meta.get("val")
    return value.numel() * value.element_size() if isinstance(value, torch.Tensor) else 0
