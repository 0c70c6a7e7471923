"""Activation checkpoints in pieces that Dynamo captured. It writes them as an operation that leaves it to a compiler to draw the same
numbers again in the backward pass; run as it stands, that draws others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import fx

_OPERATION = torch.ops.higher_order.tag_activation_checkpoint
_KEPT = ("determinism_check", "debug", "preserve_rng_state")


def for_torch(module: fx.GraphModule) -> fx.GraphModule:
    """A piece that computes the same in torch, the random numbers of checkpoints included."""
    return _with(module, _checkpoint)


def without_gradients(module: fx.GraphModule) -> fx.GraphModule:
    """A piece that computes the same where nothing is kept for a backward pass."""
    return _with(module, _plainly)


def graphs_of(module: fx.GraphModule) -> Iterator[fx.Graph]:
    """Those of a piece and of all that is inside of its operations."""
    for part in module.modules():
        if isinstance(part, fx.GraphModule):
            yield part.graph


def _with(module: fx.GraphModule, function: Callable[..., Any]) -> fx.GraphModule:
    if not any(n.target is _OPERATION for n in module.graph.nodes):
        return module
    graph = fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    for node in graph.nodes:
        if node.target is _OPERATION:
            node.target = function
    return fx.GraphModule(module, graph)


def _checkpoint(body: fx.GraphModule, *args: Any, **kwargs: Any) -> Any:
    from torch.utils.checkpoint import checkpoint

    options = {name: value for name, value in kwargs.items() if name in _KEPT}
    if "_checkpoint_context_fn" in body.meta:
        options["context_fn"] = body.meta["_checkpoint_context_fn"]
    return checkpoint(for_torch(body), *args, use_reentrant=False, **options)


def _plainly(body: fx.GraphModule, *args: Any, **_: Any) -> Any:
    return without_gradients(body)(*args)
