"""What an import yields: the graph, and how the caller's structures, tensors and sizes map onto it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from sol.frontend.torch.layouts import Layout
from sol.frontend.torch.trees import Group, Tree
from sol.ir.dim import Dim, evaluate
from sol.ir.graph import Graph


@dataclass(frozen=True, slots=True)
class Slot:
    """Place of a tensor in a call template: the node's input ``index``; ``item`` when its Python number is meant."""

    index: int
    item: bool = False


@dataclass(frozen=True)
class TorchCall:
    """An operation that runs in torch.

    args, kwargs: template in which `Slot` stands for an input tensor of the node and `Dim` for a size.
    outputs: positions in the operation's results that the node's outputs stand for; numbers become 0-d tensors. several: whether the
    operation has a tuple or list of results. layouts: how eager torch would have laid out the input tensors, for an operation that reads
    that; None for those that may lie as they do.
    """

    name: str
    target: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    outputs: tuple[int, ...]
    several: bool = False
    layouts: tuple[Layout | None, ...] = ()

    def __call__(self, tensors: Sequence[torch.Tensor], symbols: Mapping[str, int] | None = None) -> tuple[torch.Tensor, ...]:
        """Run on the node's input tensors and the current sizes; the node's outputs in order."""
        if self.layouts:
            tensors = [t if layout is None else layout.laid_out(t) for t, layout in zip(tensors, self.layouts)]
        fill = _Filler(tensors, symbols or {})
        result = self.target(*fill(self.args), **fill(dict(self.kwargs)))
        flat = result if self.several else (result,)
        return tuple([v if isinstance(v := flat[i], torch.Tensor) else torch.tensor(v) for i in self.outputs])


@dataclass(frozen=True, slots=True)
class _Filler:
    tensors: Sequence[torch.Tensor]
    symbols: Mapping[str, int]

    def __call__(self, template: Any) -> Any:
        if isinstance(template, Slot):
            tensor = self.tensors[template.index]
            return tensor.item() if template.item else tensor
        if isinstance(template, Dim):
            return evaluate(template, self.symbols)
        if isinstance(template, (tuple, list)):
            return type(template)([self(t) for t in template])
        if isinstance(template, dict):
            return {k: self(v) for k, v in template.items()}
        if isinstance(template, slice):
            return slice(self(template.start), self(template.stop), self(template.step))
        return template


@dataclass(frozen=True, slots=True)
class InputLeaf:
    """One leaf of the caller's ``(args, kwargs)``.

    kind "tensor": graph input ``index``. "unused": a tensor that the model does not read, still graph input ``index`` (so that its type
    is checked). "float": a number, given to graph input ``index`` as 0-d float64 tensor. "int": one that is given as 0-d int64 tensor, and
    is the symbol ``value``.
    "constant": must equal ``value``. "parameter": the tensor of parameter target ``value``.
    """

    kind: str
    index: int = -1
    value: Any = None


@dataclass(frozen=True, slots=True)
class ViewStep:
    """One step from a tensor to a view of it, as torch takes it: ``target(tensor, *args, **kwargs)``; a `Dim` is a size."""

    target: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()

    def __call__(self, tensor: torch.Tensor, symbols: Mapping[str, int]) -> Any:
        fill = _Filler((), symbols)
        return self.target(tensor, *fill(self.args), **fill(dict(self.kwargs)))


@dataclass(frozen=True, slots=True)
class OutputLeaf:
    """One leaf of the model's result.

    kind "tensor": graph output ``index``. "input": the caller's own tensor of graph input ``index``. "held": the module's own tensor
    ``value``, a name. "constant": ``value``. "size": ``value`` is a dimension to evaluate. "item": the Python number in graph output
    ``index``.
    views: what is taken of that tensor, step by step.
    """

    kind: str
    index: int = -1
    value: Any = None
    views: tuple[ViewStep, ...] = ()


@dataclass(frozen=True, slots=True)
class SymbolSource:
    """A symbol's value: ``(size - offset) // scale`` of dimension ``dim`` of graph input ``input``; without dimension, the number that
    is leaf ``input`` of the arguments, which must lie between ``lower`` and ``upper``."""

    input: int
    dim: int | None
    scale: int = 1
    offset: int = 0
    lower: int = 0
    upper: int = 0


@dataclass(frozen=True, slots=True)
class Mutation:
    """After a run graph output ``output`` is copied into the caller's tensor of a graph input (kind "input": int) or into a tensor that the
    module holds (kind "buffer": its name)."""

    output: int
    kind: str
    target: int | str


@dataclass(frozen=True)
class Imported:
    """A model as a graph.

    takes/gives: trees of ``(args, kwargs)`` and of the result; inputs/outputs: what each of their leaves is.
    changes: (number of the caller's container, its new content) for containers that the model changes; their leaves are outputs too.
    torch_calls: key of each ``torch_call`` node → what to run.
    constants: tensors the model holds that are neither parameters nor buffers, by ``parameter`` target ("const:...").
    parameter_targets: targets of the other ``parameter`` nodes: qualified names of module parameters and buffers.
    held: targets of the graph's inputs behind those of the caller: tensors of the module that a call changes.
    exchanges: buffers, by name, that mean the tensor of a leaf after the call.
    symbols: name → how to read it from the call; ``unbacked`` names sizes known only after a torch call ran.
    guards: Python expressions over ``leaf[i]``, leaves of the arguments, that must hold for the graph to be right.
    layouts: for each graph input its strides, or "contiguous" where sizes are open; None for those whose strides do not matter.
    formats: for each graph input whose memory format decides that of results: whether it is channels_last; None for the others.
    """

    graph: Graph
    torch_calls: Mapping[str, TorchCall]
    takes: Group
    gives: Tree
    inputs: tuple[InputLeaf, ...]
    outputs: tuple[OutputLeaf, ...]
    changes: tuple[tuple[int, Group], ...] = ()
    constants: Mapping[str, torch.Tensor] = field(default_factory=dict)
    parameter_targets: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    mutations: tuple[Mutation, ...] = ()
    exchanges: tuple[tuple[str, OutputLeaf], ...] = ()
    symbols: Mapping[str, SymbolSource] = field(default_factory=dict)
    unbacked: frozenset[str] = frozenset()
    guards: tuple[str, ...] = ()
    formats: tuple[bool | None, ...] = ()
    layouts: tuple[tuple[int, ...] | str | None, ...] = ()
