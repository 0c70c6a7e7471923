"""Where the forward or the backward graph of a piece comes from: AOTAutograd just traced it, or an earlier process did and it was kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import torch
from torch import fx

from sol.errors import UnsupportedError
from sol.frontend.imported import Imported
from sol.runtime.torch.kept_steps import KeptGraph, shapes_of

_PRODUCTS = (torch.ops.aten.mm.default, torch.ops.aten.addmm.default)
_ROWS = torch.ops.aten.embedding.default
_TURNS = (torch.ops.aten.t.default, torch.ops.aten.permute.default, torch.ops.aten.transpose.int)


class GraphSource(Protocol):
    """module: the graph in torch. shapes: of its inputs, None for what is no tensor. multiplied: inputs that products of matrices
    read, and nothing else but rows are taken of."""

    @property
    def module(self) -> fx.GraphModule: ...

    @property
    def shapes(self) -> tuple[tuple[int, ...] | None, ...]: ...

    @property
    def multiplied(self) -> tuple[int, ...]: ...

    def imported(self, parameters: Mapping[int, str], inputs: Sequence[Any]) -> Imported:
        """The graph apart from the other one; parameters: inputs that are parameters, and what they are called."""


class TracedGraph:
    """A graph that AOTAutograd gave."""

    def __init__(self, module: fx.GraphModule) -> None:
        self.module = module

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...] | None, ...]:
        return shapes_of(self.module)

    @cached_property
    def multiplied(self) -> tuple[int, ...]:
        """They are read as they lie, and so may be rows of them, as of a table that is an output layer's weight too. Where a step changes
        them, packing would take longer than it saves. One that is kept turned for the backward pass would be copied at each call, and is
        not among them."""
        inputs = [n for n in self.module.graph.nodes if n.op == "placeholder"]
        return tuple([i for i, n in enumerate(inputs) if any(u.target is not _ROWS for u in n.users) and _is_multiplied(n)])

    def imported(self, parameters: Mapping[int, str], inputs: Sequence[Any]) -> Imported:
        from sol.frontend.torch.functional import read_functional  # a kept graph does without

        return read_functional(self.module, parameters, inputs)


class StoredGraph:
    """A graph that was kept. trace: gives it in torch, should a call need that."""

    def __init__(self, kept: KeptGraph, trace: Callable[[], fx.GraphModule]) -> None:
        self._kept, self._trace = kept, trace
        self.shapes, self.multiplied = kept.shapes, kept.multiplied

    @cached_property
    def module(self) -> fx.GraphModule:
        module = self._trace()
        if shapes_of(module) != self.shapes:
            raise UnsupportedError("a piece of the model gives other graphs than it gave an earlier process", remedy="clear sol's cache")
        return module

    def imported(self, parameters: Mapping[int, str], inputs: Sequence[Any]) -> Imported:
        if tuple(parameters) == self._kept.parameters:
            return self._kept.imported
        return TracedGraph(self.module).imported(parameters, inputs)


def _is_multiplied(node: fx.Node, turned: bool = False) -> bool:
    def is_fine(user: fx.Node) -> bool:
        if user.op == "output":
            return not turned
        if user.target is _ROWS:
            return not turned and user.args[0] is node
        return user.target in _PRODUCTS or (user.target in _TURNS and _is_multiplied(user, not turned))

    return all(map(is_fine, node.users))
