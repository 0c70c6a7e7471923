"""Graph modules that get Python code when they first run: most graphs are changed, compiled, and never run in torch."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import fx
from torch.fx._lazy_graph_module import _make_graph_module, _use_lazy_graph_module


def without_code() -> AbstractContextManager[Any]:
    """Inside, torch makes such modules: AOTAutograd changes its graphs many times."""
    return _use_lazy_graph_module(True)


def lazy_module(root: torch.nn.Module, graph: fx.Graph) -> fx.GraphModule:
    """A graph as a module that holds what ``root`` holds."""
    with without_code():
        return _make_graph_module(root, graph)
