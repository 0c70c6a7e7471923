"""Runs a graph of which parts run in torch: compiled segments and torch calls take turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from sol.compiler import compile_graph
from sol.ir.data_sizes import definers
from sol.ir.graph import Graph, Node
from sol.runtime.executable import Executable
from sol.runtime.templates import keep_templates
from sol.runtime.tensors import TENSORS, TORCH, numpy_of

TorchCalls = Mapping[str, Callable[..., Sequence[torch.Tensor]]]


@dataclass(frozen=True)
class Segment:
    """A part of the graph between torch calls, or one torch call (``graph`` is None)."""

    graph: Graph | None
    node: Node | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def split_segments(graph: Graph) -> tuple[Segment, ...]:
    """Cut a graph at its torch calls so that compiled parts are as few and as large as possible."""
    if not any(n.op == "torch_call" for n in graph.nodes) and all(_is_computed(graph, o) for o in graph.outputs):
        return (Segment(graph, None, graph.inputs, graph.outputs),)
    level = _levels(graph)
    segments: list[Segment] = []
    for depth in range(max(level.values(), default=0) + 1):
        part = [n for n in graph.nodes if level.get(n.name) == depth and n.op != "torch_call"]
        if part:
            segments.append(_compiled_part(graph, part, level))
        for node in graph.nodes:
            if node.op == "torch_call" and level[node.name] == depth:
                segments.append(Segment(None, node, node.inputs, node.outputs))
    return tuple(s for s in segments if s.outputs)


def _is_computed(graph: Graph, value: str) -> bool:
    """Whether a value must be computed at each call: it is no input and depends on one."""
    node = graph.producer(value)
    return node.op not in ("input", "parameter", "constant") and node.name not in graph.constant_values


def _levels(graph: Graph) -> dict[str, int]:
    """Number of torch calls on the longest path to a node; a torch call runs after the compiled part of its level."""
    level: dict[str, int] = {}
    definer = definers(graph.nodes)
    for node in graph.nodes:
        if node.op in ("input", "parameter", "constant") or node.name in graph.constant_values:
            continue
        producers = [graph.producer(i) for i in (*node.inputs, *definer.get(node.name, ()))]
        level[node.name] = max([level[p.name] + (p.op == "torch_call") for p in producers if p.name in level], default=0)
    return level


def _compiled_part(graph: Graph, part: list[Node], level: Mapping[str, int]) -> Segment:
    inside = {v for n in part for v in n.outputs}
    constants: dict[str, Node] = {}

    def need(value: str) -> None:
        node = graph.producer(value)
        if node.name not in constants and (node.name in graph.constant_values or node.op in ("parameter", "constant")):
            for operand in node.inputs:
                need(operand)
            constants[node.name] = node

    operands: dict[str, None] = {}
    for node in part:
        for value in node.inputs:
            if value in inside:
                continue
            producer = graph.producer(value)
            if producer.op in ("parameter", "constant") or producer.name in graph.constant_values:
                need(value)
            else:
                operands[value] = None
    names = {n.name for n in part}
    outputs = [
        v for n in part for v in n.outputs
        if graph.is_output(v) or any(u.name not in names for u in graph.users(v))
    ]  # fmt: skip
    sources = [Node(_plain(v), "input", (), (graph.type_of(v),)) for v in operands]
    renamed = {v: _plain(v) for v in operands}
    body = [_with_inputs(n, renamed) for n in part]
    segment = Graph((*sources, *constants.values(), *body), tuple(_plain(v) for v in operands), tuple(outputs))
    return Segment(segment, None, tuple(operands), tuple(outputs))


def _plain(value: str) -> str:
    return value.replace("#", "_out")


def _with_inputs(node: Node, renamed: Mapping[str, str]) -> Node:
    inputs = tuple(renamed.get(i, i) for i in node.inputs)
    return node if inputs == node.inputs else Node(node.name, node.op, inputs, node.types, node.attrs, node.origin)


def _executable(graph: Graph, title: str, isa: str | None, threads: int | None) -> Executable:
    compiled = compile_graph(graph, title=title, isa=isa, threads=threads or TENSORS.threads())
    return Executable(compiled, threads=threads, arrays=TENSORS)


class Runner:
    """A whole graph: executables and torch calls in order.

    Values that are outputs or feed torch calls and depend on parameters only are evaluated when weights are packed.
    """

    def __init__(self, graph: Graph, torch_calls: TorchCalls, *, title: str, isa: str | None = None, threads: int | None = None) -> None:
        self.graph, self.torch_calls = graph, torch_calls
        self.segments = split_segments(graph)
        keep_templates()
        self.steps: list[tuple[Segment, Executable | None]] = [
            (s, _executable(s.graph, title, isa, threads) if s.graph else None) for s in self.segments
        ]
        self._finish_setup()

    def _finish_setup(self) -> None:
        self.targets = self.graph.parameter_targets  # parameters that the graph reads
        single = self.steps[0] if len(self.steps) == 1 else None
        whole = single is not None and single[0].inputs == self.graph.inputs and single[0].outputs == self.graph.outputs
        self._only = single[1] if single is not None and whole else None
        computed = {v for s in self.segments for v in s.outputs} | set(self.graph.inputs)
        wanted = [*self.graph.outputs, *(v for s in self.segments for v in s.inputs)]
        self._constants_wanted = tuple(dict.fromkeys(v for v in wanted if v not in computed))
        self.constants: dict[str, torch.Tensor] = {}
        derived = {v for v in self._constants_wanted if self.graph.producer(v).op != "parameter"}
        self._cloned = frozenset(derived & set(self.graph.outputs))

    def share(self) -> Runner:
        """The same code for other weights."""
        other = object.__new__(Runner)
        other.graph, other.torch_calls, other.segments = self.graph, self.torch_calls, self.segments
        other.steps = [(s, e.share() if e else None) for s, e in self.steps]
        other._finish_setup()
        return other

    @property
    def executables(self) -> list[Executable]:
        return [e for _, e in self.steps if e is not None]

    @property
    def torch_nodes(self) -> list[Node]:
        """What runs in torch."""
        return [s.node for s in self.segments if s.node is not None]

    def pack(self, parameters: Mapping[str, torch.Tensor]) -> None:
        """(Re)build everything derived from parameters."""
        for executable in self.executables:
            executable.pack(parameters)
        self.constants = self._evaluate_constants(parameters)

    def _evaluate_constants(self, parameters: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        from sol.ir.interpret import evaluate_constants

        found: dict[str, torch.Tensor] = {}
        derived = []
        for value in self._constants_wanted:
            node = self.graph.producer(value)
            if node.op == "parameter":
                found[value] = parameters[node.attrs["target"]]
            else:
                derived.append(value)
        if derived:
            arrays = evaluate_constants(self.graph, derived, {t: numpy_of(parameters[t]) for t in self.targets})
            for value, array in arrays.items():
                found[value] = torch.from_numpy(array.copy()).to(TORCH[self.graph.type_of(value).dtype])
        return found

    def __call__(self, inputs: Sequence[torch.Tensor], env: Mapping[str, int] | None = None) -> list[torch.Tensor]:
        """Graph outputs for contiguous graph inputs and symbol values."""
        if self._only is not None:
            return self._only(inputs, env)
        values: dict[str, Any] = dict(zip(self.graph.inputs, inputs)) | self.constants
        sizes = dict(env or {})
        for segment, executable in self.steps:
            operands = [values[v] for v in segment.inputs]
            if executable is not None:
                results = executable([t.contiguous() for t in operands], sizes, sizes)
            else:
                results = list(self.torch_calls[segment.node.attrs["key"]](operands, sizes))  # type: ignore[union-attr]
            values.update(zip(segment.outputs, results))
        return [values[o].clone() if o in self._cloned else values[o] for o in self.graph.outputs]

