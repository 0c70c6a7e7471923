"""What rounding the weights of a model (``sol.optimize(…, weights=…)``) costs: the error of each layer, and torch with such weights."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from sol.errors import UnsupportedError
from sol.ir.graph import Graph, Node
from sol.ir.interpret import evaluate_constants
from sol.ir.ops.weight_only import dequantized
from sol.runtime.torch.program import Program
from sol.runtime.torch.tensors import numpy_of


@dataclass(frozen=True)
class RoundingRow:
    """One layer's weight. bits, group: of its format. shape: [out, in]. error: root of the mean square of what rounding changes, over
    that of the weights. largest: the largest change over the largest weight. before, after: bytes, scales and zero points included.
    """

    layer: str
    bits: int
    group: int
    shape: tuple[int, int]
    error: float
    largest: float
    before: int
    after: int

    def __str__(self) -> str:
        shape = "x".join(map(str, self.shape))
        sizes = f"{self.before / 1e6:.2f} MB -> {self.after / 1e6:.2f} MB"
        format = f"int{self.bits}, groups of {self.group}"
        return f"{shape:12}  {format:22}  error {self.error:.2e}, largest {self.largest:.2e}  {sizes:22}  [{self.layer}]"


def rounding_rows(program: Program) -> tuple[RoundingRow, ...]:
    """The quantized weights of a program in the order of its layers."""
    graph = program.runner.graph
    nodes = [n for n in graph.nodes if n.op == "quantize_weight"]
    rows = {}
    for node, weight, rounded in _roundings(graph, nodes, _parameters(program) if nodes else {}):
        change, scale = np.abs(rounded - weight), np.abs(weight)
        error = float(np.sqrt(np.square(change).mean() / max(np.square(scale).mean(), np.finfo(np.float32).tiny)))
        largest = float(change.max(initial=0) / max(scale.max(initial=0), np.finfo(np.float32).tiny))
        sizes = [t.size * t.dtype.itemsize for t in (graph.type_of(node.inputs[0]), *node.types)]
        rows[node.name] = RoundingRow(str(node.origin).strip(), node.attrs["bits"], node.attrs["group"], weight.shape, error, largest,
                                      int(sizes[0]), int(sum(sizes[1:])))  # type: ignore[arg-type]  # fmt: skip
    return tuple(rows[n.name] for n in nodes)


def rounded_model(model: torch.nn.Module, program: Program) -> torch.nn.Module:
    """A copy of the model whose weights are those that the program computes with.

    Raises UnsupportedError where such a weight is computed from parameters, or is used elsewhere as well.
    """
    graph = program.runner.graph
    nodes = [n for n in graph.nodes if n.op == "quantize_weight"]
    users = [i for n in graph.nodes for i in n.inputs]
    places = {}
    for node in nodes:
        source = graph.producer(node.inputs[0])
        turned = source.op == "permute"
        parameter = graph.producer(source.inputs[0]) if turned else source
        if parameter.op != "parameter" or users.count(parameter.name) + (users.count(source.name) if turned else 1) > 2:
            raise UnsupportedError(
                f"torch cannot compute with the rounded weight of {str(node.origin).strip()}, which is computed, or read elsewhere as well",
                remedy="optimize the model without weights= to verify it, and see the errors of weights in sol.explain",
            )
        places[node.name] = parameter.attrs["target"], turned
    found = copy.deepcopy(model)
    for node, _, rounded in _roundings(graph, nodes, _parameters(program)):
        target, turned = places[node.name]
        owner, _, name = target.rpartition(".")
        tensor = getattr(found.get_submodule(owner), name)
        tensor.data.copy_(torch.from_numpy(rounded.T if turned else rounded))
    return found


def _parameters(program: Program) -> dict[str, np.ndarray]:
    return {t: numpy_of(v) for t, v in ({t: program.held[t] for t in program.runner.targets} | program.runner.derived).items()}


def _roundings(graph: Graph, nodes: Sequence[Node], parameters: Mapping[str, np.ndarray]) -> Iterator[tuple[Node, np.ndarray, np.ndarray]]:
    """Each node, its weight as it is and as it is rounded, in float32; one after the other, because weights are large."""
    for node in nodes:
        values = evaluate_constants(graph, (node.inputs[0], *node.outputs), parameters)
        weight = values[node.inputs[0]].astype(np.float32)
        codes, scales, zeros = (values[v] for v in node.outputs)
        yield node, weight, dequantized(codes, scales.astype(np.float32), zeros, weight.shape[1], node.attrs["group"])
