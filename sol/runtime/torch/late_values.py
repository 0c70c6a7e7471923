"""Computes what the backward graph makes of kept values alone when it is first read: it is in no memory before, and in caches then."""

from __future__ import annotations

from torch import fx

from sol.frontend.torch.layouts import draws


def compute_late(backward: fx.GraphModule) -> None:
    """Change the order of a backward graph in place: torch's partitioner puts all that is computed again before the first gradient.

    What depends on a gradient, what draws random numbers, and what nobody reads stay where they are among their like.
    """
    nodes = list(backward.graph.nodes)
    fixed: set[fx.Node] = set()
    for node in nodes:
        of_gradient = not fixed.isdisjoint(node.all_input_nodes) or node.op == "placeholder" and node.name.startswith("tangents")
        if of_gradient or not node.users or node.op == "call_function" and draws(node.target):  # the output has no users either
            fixed.add(node)
    place = {node: i for i, node in enumerate(nodes)}
    done = {node for node in nodes if node.op == "placeholder"}
    last = max(done, key=place.__getitem__, default=None)
    for node in nodes:
        pending = [node] if node in fixed and node not in done else []
        while pending:
            missing = [n for n in pending[-1].all_input_nodes if n not in done]
            if missing:
                pending += sorted(missing, key=place.__getitem__, reverse=True)
                continue
            ready = pending.pop()
            if ready not in done and last is not None:
                last.append(ready)
                last = ready
            done.add(ready)
    backward.recompile()
