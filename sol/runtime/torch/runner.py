"""Runs a graph of which parts run in torch: executables and torch calls in order, as one Python function written for the graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import torch

from sol.build.templates import keep_templates
from sol.codegen.compiled import Compiled
from sol.codegen.targets import Target, resolve
from sol.config import config
from sol.errors import UnsupportedError
from sol.frontend.imported import Slot
from sol.frontend.torch.torch_call import TorchCall, as_tensor
from sol.ir.dim import Dim, symbols
from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor
from sol.runtime.arrays import Arrays
from sol.runtime.executable import Executable
from sol.runtime.packers import compile_ahead
from sol.runtime.sized import SizedExecutable
from sol.runtime.source import Source, python_of
from sol.runtime.torch import masks  # noqa: F401  which implements an operation that graphs call
from sol.runtime.torch.hoist import hoist, values_of
from sol.runtime.torch.segments import Segment, split_segments
from sol.runtime.torch.tensors import TENSORS, TORCH
from sol.tuning.compile import compile_tuned

TorchCalls = Mapping[str, TorchCall]


def _executable(graph: Graph, title: str, isa: str | Target | None, threads: int | None, arrays: Arrays) -> Executable:
    target = isa if isinstance(isa, Target) else resolve(isa or config["isa"])
    target = replace(target, keeps_parameters=not target.repacks)

    def compile(graph: Graph) -> Compiled:
        return compile_tuned(graph, title=title, isa=target, threads=threads or TENSORS.threads(), planned=compile_ahead)

    compiled = compile(graph)
    if compiled.plan.symbols and not target.repacks:
        return SizedExecutable(graph, compile, compiled, threads=threads, arrays=arrays)
    return Executable(compiled, threads=threads, arrays=arrays)


class Runner:
    """A whole graph: executables and torch calls in order.

    What depends on parameters only is evaluated when weights are packed, torch calls included.
    graph: as compiled, with parameters ``derived:...`` that come from such calls; ``derived`` holds their values. becomes: number of an
    input → that of the output whose content the caller copies there unless a call gives that very tensor back.
    """

    def __init__(
        self, graph: Graph, torch_calls: TorchCalls, *, title: str, isa: str | Target | None = None, threads: int | None = None,
        arrays: Arrays = TENSORS, becomes: Mapping[int, int] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.hoisted = hoist(graph)
        self.graph, self.torch_calls = self.hoisted.graph, torch_calls
        self.segments = split_segments(self.graph)
        keep_templates()
        self.steps: list[tuple[Segment, Any]] = [
            (s, self._executable(self._told(i, becomes), title, isa, threads, arrays) if s.graph else None)
            for i, s in enumerate(self.segments)
        ]
        self._finish_setup()

    def _executable(self, graph: Graph, title: str, isa: str | Target | None, threads: int | None, arrays: Arrays) -> Any:
        """What runs a segment."""
        return _executable(graph, title, isa, threads, arrays)

    def _told(self, number: int, becomes: Mapping[int, int]) -> Graph:
        """The graph of a segment, which knows what its inputs become, but for those that a later segment reads, too, or a torch call, which
        may give a view of them."""
        segment = self.segments[number]
        assert segment.graph is not None
        read = {v for i, s in enumerate(self.segments) if i > number or s.graph is None for v in s.inputs}
        editor = Editor(segment.graph)
        for value, result in ((self.graph.inputs[i], self.graph.outputs[o]) for i, o in becomes.items()):
            if value in segment.inputs and result in segment.outputs and not {value, result} & read:
                node = segment.graph.producer(value)
                editor.update(node, attrs=node.attrs.having(becomes=segment.outputs.index(result)))
        return editor.finish() if becomes else segment.graph

    def _finish_setup(self) -> None:
        self.targets = self.hoisted.targets  # parameters that the graph reads
        graph = self.graph
        computed = {v for s in self.segments for v in s.outputs} | set(graph.inputs)
        wanted = [*graph.outputs, *(v for s in self.segments for v in s.inputs)]
        self._constants_wanted = tuple(dict.fromkeys(v for v in wanted if v not in computed))
        self.constants: dict[str, torch.Tensor] = {}
        self.derived: dict[str, torch.Tensor] = {}
        single = self.steps[0] if len(self.steps) == 1 else None
        whole = single is not None and single[0].inputs == graph.inputs and single[0].outputs == graph.outputs
        self._only = single[1] if single is not None and whole else None
        self._run = _written(self)

    def share(self) -> Runner:
        """The same code for other weights."""
        other = object.__new__(type(self))
        other.hoisted, other.graph, other.torch_calls, other.segments = self.hoisted, self.graph, self.torch_calls, self.segments
        other.steps = [(s, e.share() if e else None) for s, e in self.steps]
        other._finish_setup()
        return other

    @property
    def whole(self) -> Any:
        """The executable, if there is one alone and nothing runs in torch."""
        return self.executables[0] if len(self.executables) == 1 and not self.torch_nodes else None

    @property
    def alone(self) -> Any:
        """The executable, if there is one alone, of which nothing that runs in torch reads a result."""
        read = {i for n in self.torch_nodes for i in n.inputs}
        return self.executables[0] if len(self.executables) == 1 and read.isdisjoint(self.results) else None

    @property
    def results(self) -> tuple[str, ...]:
        """Values of the graph that executables give, in their order."""
        return tuple([v for segment, executable in self.steps if executable is not None for v in segment.outputs])

    @property
    def executables(self) -> list[Any]:
        return [e for _, e in self.steps if e is not None]

    @property
    def torch_nodes(self) -> list[Node]:
        """What runs in torch at every call."""
        return [s.node for s in self.segments if s.node is not None]

    def pack(self, parameters: Mapping[str, torch.Tensor], changed: Collection[str] | None = None) -> None:
        """(Re)build everything derived from parameters. changed: those that are not as they were the last time; None: any may be."""
        with torch.no_grad():
            self.derived = self.hoisted.derive(self.torch_calls, parameters)
            named = {**parameters, **self.derived}
            for executable in self.executables:
                executable.pack(named, None if changed is None else {*changed, *self.derived})
            self.constants = values_of(self.graph, self._constants_wanted, named)

    def __call__(self, inputs: Sequence[torch.Tensor], env: dict[str, int] | None = None) -> list[torch.Tensor]:
        """Graph outputs for graph inputs, in whatever order they lie in memory, and symbol values."""
        if self._only is not None:
            return self._only([t if t.is_contiguous() and not t.is_neg() else ready(t) for t in inputs], env)
        return self._run(inputs, env, self.constants)


def ready(tensor: torch.Tensor) -> torch.Tensor:
    """A contiguous tensor with the same values."""
    if tensor.is_neg():
        tensor = tensor.resolve_neg()
    return tensor.contiguous()


def _check_type(tensor: torch.Tensor, dtype: torch.dtype, name: str) -> None:
    """Compiled code reads what a torch call gives in the type that its trace gave. Raises UnsupportedError where that is another one."""
    what = f"{name} gives {tensor.dtype} where it was traced to give {dtype}"
    raise UnsupportedError(what, remedy="mend its fake (register_fake), or tell those who wrote it")


def _written(runner: Runner) -> Callable[..., list[torch.Tensor]]:
    """The steps as a function of graph inputs, symbol values and the runner's constants."""
    graph = runner.graph
    source = Source("def run(inputs, env, constants):")
    source.names.update(READY=ready, AS_TENSOR=as_tensor, CHECK=_check_type, IS_TENSOR=torch.is_tensor)
    variables = {v: source.assign(f"inputs[{i}]") for i, v in enumerate(graph.inputs)}
    variables |= {v: source.assign(f"constants[{v!r}]") for v in runner._constants_wanted}
    symbolic = any(s.graph is not None for s in runner.segments) and not all(t.is_static for n in graph.nodes for t in n.types)
    source.add("sizes = dict(env or ())" if symbolic else "sizes = env or {}")
    last = {v: k for k, (s, _) in enumerate(runner.steps) for v in s.inputs}
    compiled: set[str] = set()
    read = {v for segment, executable in runner.steps if executable is not None for v in segment.inputs}
    for k, (segment, executable) in enumerate(runner.steps):
        operands = [variables[v] for v in segment.inputs]
        if executable is None:
            call = runner.torch_calls[segment.node.attrs["key"]]  # type: ignore[union-attr]
            _write_call(source, call, operands, [variables.setdefault(v, source.variable()) for v in segment.outputs])
            for v in segment.outputs:
                if graph.type_of(v).rank == 0:  # it may be a number
                    source.add(f"if not IS_TENSOR({variables[v]}): {variables[v]} = AS_TENSOR({variables[v]})")
                if v in read:
                    dtype = source.object(TORCH[graph.type_of(v).dtype])
                    source.add(f"if {variables[v]}.dtype is not {dtype}: CHECK({variables[v]}, {dtype}, {call.name!r})")
        else:
            operands = [o if v in compiled else f"READY({o})" for v, o in zip(segment.inputs, operands)]
            results = [variables.setdefault(v, source.variable()) for v in segment.outputs]
            source.add(f"{', '.join(results)}, = {source.object(executable)}([{', '.join(operands)}], sizes, sizes)")
            compiled.update(segment.outputs)
        dead = [variables[v] for v, at in last.items() if at == k and v not in graph.outputs and v not in runner._constants_wanted]
        if dead:
            source.add(f"del {', '.join(dead)}")
    copied = {v for v in runner._constants_wanted if graph.producer(v).op != "parameter"}
    source.add(f"return [{', '.join(variables[o] + ('.clone()' if o in copied else '') for o in graph.outputs)}]")
    return source.function()


def _write_call(source: Source, call: TorchCall, operands: Sequence[str], results: Sequence[str]) -> None:
    """A torch call with its template filled in, on operands that lie as it wants them."""
    if call.layouts:
        laid = [f"{source.object(how.laid_out)}({o})" if how is not None else o for o, how in zip(operands, call.layouts)]
        operands = [o if how is None else source.assign(text) for o, text, how in zip(operands, laid, call.layouts)]
    args = [_argument(source, a, operands) for a in call.args]
    kwargs = [f"{k}={_argument(source, v, operands)}" for k, v in call.kwargs.items()]
    expression = f"{source.object(call.target)}({', '.join([*args, *kwargs])})"
    if not call.several:
        source.add(f"{results[0]} = {expression}")
        return
    found = source.assign(expression)
    for i, result in zip(call.outputs, results):
        source.add(f"{result} = {found}[{i}]")
    source.add(f"del {found}")


def _argument(source: Source, template: Any, operands: Sequence[str]) -> str:
    """A part of a call template as an expression."""
    if isinstance(template, Slot):
        return operands[template.index] + (".item()" if template.item else "")
    if isinstance(template, Dim):
        text = python_of(template)
        return f"(lambda {', '.join(f'{n}=sizes[{n!r}]' for n in sorted({s.name for s in symbols(template)}))}: {text})()"
    if isinstance(template, (list, tuple)):
        parts = "".join(f"{_argument(source, t, operands)}, " for t in template)
        return f"[{parts}]" if isinstance(template, list) else f"({parts})"
    if isinstance(template, slice):
        return f"slice({', '.join(_argument(source, t, operands) for t in (template.start, template.stop, template.step))})"
    return source.literal(template)
