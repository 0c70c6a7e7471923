"""What every frontend gives: a model as a graph, and how the caller's structures, tensors and sizes map onto it.

Modules, sessions and deployment all start from an `Imported`, whichever framework the model comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sol.errors import SolError
from sol.frontend.trees import Group, Leaf, Tree, groups, leaves_of
from sol.ir.dim import Dim, evaluate
from sol.ir.graph import Graph


@dataclass(frozen=True, slots=True)
class Slot:
    """Place of a tensor in a call template: the node's input ``index``; ``item`` when its Python number is meant."""

    index: int
    item: bool = False


@dataclass(frozen=True, slots=True)
class Filler:
    """Fills a call template: a `Slot` becomes one of ``tensors``, a `Dim` its value where symbols have those of ``symbols``."""

    tensors: Sequence[Any]
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
    """One step from a tensor to a view of it: ``target(tensor, *args, **kwargs)``; a `Dim` is a size."""

    target: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()

    def __call__(self, tensor: Any, symbols: Mapping[str, int]) -> Any:
        fill = Filler((), symbols)
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


@dataclass(frozen=True, slots=True)
class Guard:
    """A bool (``index`` among the graph's outputs) without whose ``expected`` value the results of a call are not the model's."""

    index: int
    expected: bool
    error: SolError


@dataclass(frozen=True)
class Imported:
    """A model as a graph.

    takes, gives: trees of ``(args, kwargs)`` and of the result; inputs, outputs: what each of their leaves is.
    input_names, output_names: what users call the graph's inputs and outputs, where the model says so.
    changes: (number of the caller's container, its new content) for containers that the model changes; their leaves are outputs too.
    parameters: target → tensor or array of those ``parameter`` nodes whose content the import knows; the others a module holds, as
    parameters and buffers under their qualified names.
    zeros: targets of tensors of the module that are zero, which the graph relies on.
    held: targets of the graph's inputs behind those of the caller: tensors of the module that a call changes.
    exchanges: buffers, by name, that mean the tensor of a leaf after the call.
    torch_calls: key of each ``torch_call`` node → what to run (`frontend.torch.torch_call.TorchCall`).
    symbols: name → how to read it from the call; ``unbacked`` names sizes known only after a torch call ran.
    sizes: (graph input, dimension) → the name that the model gives that open size.
    conditions: Python expressions over ``leaf[i]``, leaves of the arguments, that hold for the calls that the graph is right for.
    guards: outputs of the graph behind those of the model that a call must find to be as expected.
    layouts: for each graph input its strides, or "contiguous" where sizes are open; None for those whose strides do not matter.
    formats: for each graph input whose memory format decides that of results: whether it is channels_last; None for the others.
    differs_with_gradients: whether torch computes something else where a gradient is needed.
    asks_gradient_mode: whether the model's code asks if gradients are computed: the graph is for calls without them.
    fills_memo: whether the model keeps values beside the call that later calls find, which the graph computes.
    """

    graph: Graph
    takes: Group
    gives: Tree
    inputs: tuple[InputLeaf, ...]
    outputs: tuple[OutputLeaf, ...]
    title: str = "network"
    input_names: tuple[str, ...] = ()
    output_names: tuple[str, ...] = ()
    changes: tuple[tuple[int, Group], ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    zeros: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    mutations: tuple[Mutation, ...] = ()
    exchanges: tuple[tuple[str, OutputLeaf], ...] = ()
    torch_calls: Mapping[str, Any] = field(default_factory=dict)
    symbols: Mapping[str, SymbolSource] = field(default_factory=dict)
    unbacked: frozenset[str] = frozenset()
    sizes: Mapping[tuple[int, int], str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()
    formats: tuple[bool | None, ...] = ()
    layouts: tuple[tuple[int, ...] | str | None, ...] = ()
    differs_with_gradients: bool = False
    asks_gradient_mode: bool = False
    fills_memo: bool = False

    @property
    def arguments(self) -> tuple[Tree, ...]:
        """The trees of the positional arguments."""
        args = self.takes.parts[0]
        assert isinstance(args, Group)
        return args.parts

    @property
    def fixed_arguments(self) -> tuple[int, ...]:
        """Numbers of the positional arguments whose content the graph holds for: a call with another content needs another import."""
        kinds = [[self.inputs[leaf].kind for leaf in leaves_of(tree)] for tree in self.arguments]
        return tuple(i for i, found in enumerate(kinds) if "constant" in found)

    @property
    def results(self) -> tuple[Tree, ...]:
        """The trees of the results: the parts of a tuple, else the only one."""
        return self.gives.parts if isinstance(self.gives, Group) and self.gives.kind is tuple else (self.gives,)

    def result_value(self, number: int) -> str:
        """The value of the graph that a result is; "" for a container and for what is no value of the graph."""
        tree = self.results[number]
        leaf = self.outputs[tree.index] if isinstance(tree, Leaf) else OutputLeaf("")
        return self.graph.outputs[leaf.index] if leaf.kind == "tensor" else ""


def positional(parts: tuple[Tree, ...]) -> Group:
    """The tree of a call with these positional arguments, whose containers are numbered from 2 on."""
    count = sum(1 for part in parts for _ in groups(part))
    args, kwargs = Group(tuple, "sequence", (), parts, 1), Group(dict, "mapping", (), (), 2 + count)
    return Group(tuple, "sequence", (), (args, kwargs), 0)
