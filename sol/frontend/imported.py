"""What an import yields: the graph, and how the caller's structures, tensors and sizes map onto it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

from sol.errors import InputError
from sol.ir.dim import Dim, DimLike, evaluate
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
    outputs: positions in the operation's flat results that the node's outputs stand for; numbers become 0-d tensors.
    """

    name: str
    target: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    outputs: tuple[int, ...]

    def __call__(self, tensors: Sequence[torch.Tensor], symbols: Mapping[str, int] | None = None) -> tuple[torch.Tensor, ...]:
        """Run on the node's input tensors and the current sizes; the node's outputs in order."""
        fill = _Filler(tensors, symbols or {})
        result = self.target(*fill(self.args), **fill(dict(self.kwargs)))
        flat = list(result) if isinstance(result, (tuple, list)) else [result]
        return tuple(v if isinstance(v := flat[i], torch.Tensor) else torch.tensor(v) for i in self.outputs)


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
            return type(template)(self(t) for t in template)
        if isinstance(template, dict):
            return {k: self(v) for k, v in template.items()}
        if isinstance(template, slice):
            return slice(self(template.start), self(template.stop), self(template.step))
        return template


@dataclass(frozen=True, slots=True)
class InputLeaf:
    """One leaf of the caller's flattened ``(args, kwargs)``.

    kind "tensor": graph input ``index``. "constant": must equal ``value``. "unused": a tensor that the model does not read,
    still graph input ``index`` (so that its type is checked). "parameter": the tensor of parameter target ``value``.
    """

    kind: str
    index: int = -1
    value: Any = None


@dataclass(frozen=True, slots=True)
class OutputLeaf:
    """One leaf of the model's flattened result.

    kind "tensor": graph output ``index``. "input": the caller's own tensor of graph input ``index``. "constant": ``value``.
    "size": ``value`` is a dimension to evaluate. "item": the Python number in graph output ``index``.
    """

    kind: str
    index: int = -1
    value: Any = None


@dataclass(frozen=True, slots=True)
class SymbolSource:
    """A symbol's value: ``(size - offset) // scale`` of dimension ``dim`` of graph input ``input``."""

    input: int
    dim: int
    scale: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Mutation:
    """After a run graph output ``output`` is copied into a graph input (kind "input": int) or a buffer (kind "buffer": its name)."""

    output: int
    kind: str
    target: int | str


@dataclass(frozen=True)
class Imported:
    """A model as a graph.

    torch_calls: key of each ``torch_call`` node → what to run.
    in_spec/out_spec: torch pytree specs of ``(args, kwargs)`` and of the result.
    inputs/outputs: one leaf each of these specs.
    constants: tensors the model holds that are neither parameters nor buffers, by ``parameter`` target ("const:...").
    parameter_targets: targets of the other ``parameter`` nodes: qualified names of module parameters and buffers.
    symbols: name → how to read it from the graph inputs; ``unbacked`` names sizes known only after a torch call ran.
    """

    graph: Graph
    torch_calls: Mapping[str, TorchCall]
    in_spec: pytree.TreeSpec
    out_spec: pytree.TreeSpec
    inputs: tuple[InputLeaf, ...]
    outputs: tuple[OutputLeaf, ...]
    constants: Mapping[str, torch.Tensor] = field(default_factory=dict)
    parameter_targets: tuple[str, ...] = ()
    mutations: tuple[Mutation, ...] = ()
    symbols: Mapping[str, SymbolSource] = field(default_factory=dict)
    unbacked: frozenset[str] = frozenset()

    def flatten_inputs(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[torch.Tensor]:
        """The graph inputs in order; InputError where the structure or a constant differs from what was imported."""
        kwargs = self._ordered(kwargs)
        leaves, spec = pytree.tree_flatten((tuple(args), kwargs))
        if spec != self.in_spec:
            raise InputError(f"inputs have structure {spec}, compiled for {self.in_spec}",
                             remedy="call with the same arguments as the example inputs")
        found: list[torch.Tensor | None] = [None] * len(self.graph.inputs)
        for leaf, value in zip(self.inputs, leaves):
            if leaf.kind in ("tensor", "unused"):
                if not isinstance(value, torch.Tensor):
                    raise InputError(f"input {leaf.index} is a {type(value).__name__}, a tensor is expected")
                found[leaf.index] = value
            elif leaf.kind == "constant" and (type(value) is not type(leaf.value) or value != leaf.value):
                raise InputError(f"a constant input is {value!r}, compiled for {leaf.value!r}", remedy="compile again for it")
        return found  # type: ignore[return-value]

    def _ordered(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Keyword arguments in the order of ``in_spec``: callers may give them in any."""
        names = self.in_spec.child(1).context
        if len(kwargs) < 2 or set(kwargs) != set(names):
            return dict(kwargs)
        return {n: kwargs[n] for n in names}

    def read_symbols(self, tensors: Sequence[torch.Tensor]) -> dict[str, int]:
        """Value of every symbol for these graph inputs."""
        return {n: (tensors[s.input].shape[s.dim] - s.offset) // s.scale for n, s in self.symbols.items()}

    def unflatten_outputs(
        self, tensors: Sequence[torch.Tensor], symbols: Mapping[str, int] | None = None, inputs: Sequence[torch.Tensor] = ()
    ) -> Any:
        """The model's own result structure from the graph outputs; ``inputs`` are the graph inputs of the call."""
        return pytree.tree_unflatten([_leaf_value(leaf, tensors, symbols or {}, inputs) for leaf in self.outputs], self.out_spec)


def _leaf_value(
    leaf: OutputLeaf, tensors: Sequence[torch.Tensor], symbols: Mapping[str, int], inputs: Sequence[torch.Tensor]
) -> Any:
    if leaf.kind == "tensor":
        return tensors[leaf.index]
    if leaf.kind == "input":
        return inputs[leaf.index]
    if leaf.kind == "item":
        return tensors[leaf.index].item()
    if leaf.kind == "size":
        size: DimLike = leaf.value
        return evaluate(size, symbols)
    return leaf.value
