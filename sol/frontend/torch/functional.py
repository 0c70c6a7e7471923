"""A functional graph of ATen ops, as AOTAutograd makes them for forward and backward, → Graph.

Such a graph is dressed as an exported program, so that results, their views and constants are read in one place (`exported`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, InputSpec, OutputKind, OutputSpec, TensorArgument
from torch.fx import Graph as FxGraph
from torch.fx import GraphModule, Node

from sol.collector import collector_paused
from sol.errors import UnsupportedError
from sol.frontend.imported import Imported, OutputLeaf
from sol.frontend.torch.blocks import is_computed, kept_values, with_edges
from sol.frontend.torch.capture import Call, Outcome
from sol.frontend.torch.exported import ProgramImport, Terms
from sol.frontend.torch.imported_text import results_tree
from sol.ir.graph import Graph
from sol.ir.rewrite import Editor

aten = torch.ops.aten
_SAME = (aten.detach.default, aten.alias.default)
_VIEWS = (aten.view.default, aten._unsafe_view.default)


@dataclass(frozen=True)
class _Signature:
    input_specs: tuple[InputSpec, ...]
    output_specs: tuple[OutputSpec, ...]


@dataclass(frozen=True)
class _Dressed:
    """What the import reads of an exported program."""

    graph_module: GraphModule
    graph_signature: _Signature
    range_constraints: Mapping[Any, Any] = field(default_factory=dict)
    constants: Mapping[str, torch.Tensor] = field(default_factory=dict)

    @property
    def graph(self) -> FxGraph:
        return self.graph_module.graph


def import_functional(
    module: GraphModule, parameters: Mapping[int, str], examples: Sequence[Any], kept: Collection[int] = (),
    places: Mapping[int, int] = {},
) -> Imported:  # fmt: skip
    """Convert a graph without in-place ops and open sizes whose nodes hold fake tensors; it gives its results in a tuple.

    The arguments are those of ``read_functional`` and ``between_graphs``.
    """
    with collector_paused():
        return between_graphs(read_functional(module, parameters, examples), examples, kept, places)


def read_functional(module: GraphModule, parameters: Mapping[int, str], examples: Sequence[Any]) -> Imported:
    """Convert such a graph as it stands, apart from others.

    parameters: inputs that are parameters, and what they are called. examples: one argument for each input.
    """
    inputs = [n for n in module.graph.nodes if n.op == "placeholder"]
    (output,) = [n for n in module.graph.nodes if n.op == "output"]
    results = output.args[0] if isinstance(output.args[0], (tuple, list)) else (output.args[0],)
    signature = _Signature(tuple([_input(n) for n in inputs]), tuple([_result(r) for r in results]))
    call = Call.of_arguments(list(examples), [True] * len(inputs))
    program: Any = _Dressed(module, signature)
    imported = ProgramImport(program, Terms({}, parameters), call, Outcome(results_tree(len(results)), (), ())).convert({})
    for result, leaf in zip(results, imported.outputs):
        if isinstance(result, Node) and leaf.kind == "constant" and leaf.value is None:
            raise UnsupportedError(f"{result} is a result that its converter does not compute")
    # the strides of all inputs are those that the graph was made for; those of results are nobody's concern
    return replace(imported, formats=(), outputs=tuple([_reshaped(leaf) for leaf in imported.outputs]))


def between_graphs(
    imported: Imported, examples: Sequence[Any], kept: Collection[int] = (), places: Mapping[int, int] = {}
) -> Imported:
    """The import of a graph as it stands among others that give it tensors or take its results.

    examples: one argument for each input; where its shape is not that of the graph's input it is a result of another such graph that was
    kept in blocks. kept: numbers of results that may leave in blocks. places: number of an input → where it lies in memory that may be
    overwritten once the input is read (``with_places``).
    """
    imported = row_major(without_aliases(imported, kept), kept)
    given = [(leaf, x) for leaf, x in zip(imported.inputs, examples) if leaf.kind in ("tensor", "unused") and isinstance(x, torch.Tensor)]
    shown = {imported.graph.inputs[leaf.index]: tuple(x.shape) for leaf, x in given}
    imported = replace(imported, graph=with_edges(imported.graph, shown, kept_values(imported, kept)))
    return replace(imported, graph=with_places(imported, places))


def without_aliases(imported: Imported, results: Collection[int]) -> Imported:
    """The import in which these results are the tensors themselves where torch detached them, which outside of autograd's sight changes
    nothing. A tensor that the model's caller is given as well stays apart: what is saved must not hold it."""
    given = {leaf.index for i, leaf in enumerate(imported.outputs) if leaf.kind == "tensor" and i not in results}
    leaves = list(imported.outputs)
    for i in results:
        leaf = leaves[i]
        if leaf.kind == "tensor" and leaf.index not in given:
            leaves[i] = replace(leaf, views=tuple([v for v in leaf.views if v.target not in _SAME]))
    return replace(imported, outputs=tuple(leaves))


def row_major(imported: Imported, results: Collection[int]) -> Imported:
    """The import without the strides that torch gave these results, where a computed value was turned for them: who reads such a result
    would turn it back."""
    graph = imported.graph
    counts = Counter([leaf.index for leaf in imported.outputs if leaf.kind == "tensor"] + [m.output for m in imported.mutations])
    outputs, leaves = list(graph.outputs), list(imported.outputs)
    for i in results:
        leaf = leaves[i]
        if leaf.kind != "tensor" or len(leaf.views) != 1 or leaf.views[0].target is not torch.Tensor.permute or counts[leaf.index] != 1:
            continue
        turned = graph.producer(outputs[leaf.index])
        if turned.op != "permute" or turned.attrs["order"] != _inverse(leaf.views[0].args[0]) or turned.inputs[0] in outputs:
            continue
        if is_computed(graph, turned.inputs[0]):
            outputs[leaf.index], leaves[i] = turned.inputs[0], replace(leaf, views=())
    if outputs == list(graph.outputs):
        return imported
    editor = Editor(graph)
    editor.set_outputs(outputs)
    return replace(imported, graph=editor.finish(), outputs=tuple(leaves))


def _inverse(order: Sequence[int]) -> tuple[int, ...]:
    return tuple([list(order).index(d) for d in range(len(order))])


def with_places(imported: Imported, places: Mapping[int, int]) -> Graph:
    """The graph with the attribute ``place`` of these inputs of the model, but for those that are results as well."""
    graph = imported.graph
    stay = {graph.inputs[leaf.index] for leaf in imported.outputs if leaf.kind == "input"} | {*graph.outputs}
    editor = Editor(graph)
    for i, place in places.items():
        leaf = imported.inputs[i]
        if leaf.kind == "tensor" and graph.inputs[leaf.index] not in stay:
            node = graph.producer(graph.inputs[leaf.index])
            editor.update(node, attrs=node.attrs.having(place=place))
    return editor.finish()


def results_of(imported: Imported, results: Collection[int]) -> set[int]:
    """Numbers of the graph's outputs each of which is one of these results of the model, in whatever shape, and nothing else."""
    leaves = [leaf for leaf in imported.outputs if leaf.kind == "tensor"]
    counts = Counter([leaf.index for leaf in leaves] + [m.output for m in imported.mutations])
    found = [imported.outputs[i] for i in results if imported.outputs[i].kind == "tensor"]
    return {leaf.index for leaf in found if counts[leaf.index] == 1 and all(v.target is aten.reshape.default for v in leaf.views)}


def placed_inputs(imported: Imported) -> tuple[int, ...]:
    """Numbers of the model's inputs whose memory calls may overwrite."""
    graph = imported.graph
    lent = {k for k, name in enumerate(graph.inputs) if graph.producer(name).attrs.get("place") is not None}
    return tuple([i for i, leaf in enumerate(imported.inputs) if leaf.kind == "tensor" and leaf.index in lent])


def _reshaped(leaf: OutputLeaf) -> OutputLeaf:
    """The leaf with reshapes in place of views, which fail where torch gave its operation's result other strides than foretold."""
    return replace(leaf, views=tuple([replace(v, target=aten.reshape.default) if v.target in _VIEWS else v for v in leaf.views]))


def _input(node: Node) -> InputSpec:
    value = node.meta.get("val")
    argument: Any = TensorArgument(node.name) if isinstance(value, torch.Tensor) else ConstantArgument(node.name, value)
    return InputSpec(InputKind.USER_INPUT, argument, None)


def _result(result: Any) -> OutputSpec:
    argument: Any = TensorArgument(result.name) if isinstance(result, Node) else ConstantArgument("", result)
    return OutputSpec(OutputKind.USER_OUTPUT, argument, None)
