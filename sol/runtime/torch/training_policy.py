"""Which pieces of a model torch trains as fast or faster, so that ``config["training"] = "auto"`` leaves them there.

What takes torch some tenths of a millisecond is over before two compiled programs are called.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from sol.runtime.torch.checkpoints import graphs_of

SHORT = 1 << 18
"""Elements of all values of a forward pass up to which a step is short."""


def reason_for_torch(module: fx.GraphModule) -> str:
    """Why a piece that Dynamo captured should train in torch; empty if it should not. Its nodes still hold what they were traced with."""
    elements = sum(_elements(n.meta.get("example_value")) for graph in graphs_of(module) for n in graph.nodes)
    return "its steps are short" if elements < SHORT else ""


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
