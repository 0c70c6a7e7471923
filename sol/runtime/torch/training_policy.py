"""Which pieces of a model torch trains as fast or faster, so that ``config["training"] = "auto"`` leaves them there.

What takes torch some tenths of a millisecond is over before two compiled programs are called. Where weights of attention are dropped at
random, torch takes it apart, draws the numbers between compiled parts, and all weights go through memory.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import fx
from torch.nn import functional as F

SHORT = 1 << 18
"""Elements of all values of a forward pass up to which a step is short."""
_ATTENTION = (F.scaled_dot_product_attention, torch._C._nn.scaled_dot_product_attention)


def reason_for_torch(module: fx.GraphModule) -> str:
    """Why a piece that Dynamo captured should train in torch; empty if it should not. Its nodes still hold what they were traced with."""
    if any(_drops_weights(n) for n in module.graph.nodes if n.op == "call_function"):
        return "it drops weights of attention"
    elements = sum(_elements(n.meta.get("example_value")) for n in module.graph.nodes)
    return "its steps are short" if elements < SHORT else ""


def _drops_weights(node: fx.Node) -> bool:
    """Whether a node is attention in training mode whose weights are dropped at random."""
    if node.target in _ATTENTION:
        return bool(node.kwargs.get("dropout_p", node.args[4] if len(node.args) > 4 else 0.0))
    if node.target is not F.multi_head_attention_forward:
        return False
    given = inspect.signature(F.multi_head_attention_forward).bind(*node.args, **node.kwargs).arguments
    return bool(given["dropout_p"]) and given.get("training", True) is not False


def _elements(value: Any) -> int:
    """Elements of a traced value; a size that is not known counts as traced."""
    if isinstance(value, (tuple, list)):
        return sum(map(_elements, value))
    if not isinstance(value, torch.Tensor):
        return 0
    sizes = [s.node.hint if isinstance(s, torch.SymInt) else s for s in value.shape]
    found = 1
    for size in sizes:
        found *= size if isinstance(size, int) else 1
    return found
