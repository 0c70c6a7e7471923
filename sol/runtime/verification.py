"""Is the compiled model right? Compares with torch and with the float64 interpreter, and finds the first op that is off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from sol.ir.dim import evaluate as size_of
from sol.ir.graph import Graph, Node
from sol.ir.interpret import evaluate
from sol.runtime.autograd import evaluating
from sol.runtime.executable import TORCH, numpy_of
from sol.runtime.explain import program_for
from sol.runtime.program import Program
from sol.runtime.segments import Runner


@dataclass(frozen=True)
class OutputCheck:
    """Largest absolute difference of one output relative to its largest magnitude; None where no reference could be computed."""

    name: str
    sol_against_torch: float
    sol_against_float64: float | None
    torch_against_float64: float | None


@dataclass(frozen=True)
class Verification:
    """passed: every output within the tolerance. culprit: the first node of the imported graph whose compiled value is off."""

    passed: bool
    tolerance: float
    outputs: tuple[OutputCheck, ...]
    culprit: str = ""

    def __str__(self) -> str:
        def show(error: float | None) -> str:
            return "n/a" if error is None else f"{error:.1e}"

        lines = [f"{'passed' if self.passed else 'FAILED'} (tolerance {self.tolerance:g})"]
        for o in self.outputs:
            lines.append(
                f"  {o.name}: sol vs torch {show(o.sol_against_torch)}, sol vs float64 {show(o.sol_against_float64)}, "
                f"torch vs float64 {show(o.torch_against_float64)}"
            )
        if self.culprit:
            lines.append(f"  first node that is off: {self.culprit}")
        return "\n".join(lines)


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """max |actual - expected| / max |expected|; infinite if NaN or Inf stand in different places."""
    actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    if actual.shape != expected.shape:
        return float("inf")
    if actual.size == 0:
        return 0.0
    special = ~np.isfinite(expected)
    if special.any() or not np.isfinite(actual).all():
        same = np.array_equal(actual[special], expected[special], equal_nan=True) and np.isfinite(actual[~special]).all()
        if not same:
            return float("inf")
        actual, expected = actual[~special], expected[~special]
        if actual.size == 0:
            return 0.0
    scale = np.abs(expected).max()
    return float(np.abs(actual - expected).max() / (scale if scale > 0 else 1.0))


def verify(model: torch.nn.Module, inputs: Any, *, tolerance: float = 1e-4) -> Verification:
    """See ``sol.verify``. Inputs and buffers that the model changes are left as they were."""
    module, program, args, kwargs = program_for(model, inputs)
    with torch.no_grad(), evaluating(module._model):
        if program is None:
            return Verification(True, tolerance, ())
        with _buffers_restored(program):
            expected = _run_on_copies(module._model, args, kwargs)
        flat_args, flat_kwargs = _copies((args, kwargs))
        tensors = program.flatten(flat_args, flat_kwargs)
        before = [t.clone() for t in tensors]
        with _buffers_restored(program):
            actual = _tensors(program.run(tensors))
        exact = _exact_outputs(program, before)
    if [name for name, _ in actual] != [name for name, _ in expected]:
        return Verification(False, tolerance, (), f"the result has {len(actual)} tensors, {len(expected)} in torch")
    checks = tuple(_check(name, a, e, exact.get(name)) for (name, a), (_, e) in zip(actual, expected))
    allowed = [max(tolerance, _resolution(e)) for _, e in expected]
    passed = all(c.sol_against_torch <= limit for c, limit in zip(checks, allowed))
    culprit = "" if passed else find_culprit(program, before, max([tolerance, *allowed]), module._options.isa)
    return Verification(passed, tolerance, checks, culprit)


def _check(name: str, actual: torch.Tensor, expected: torch.Tensor, exact: np.ndarray | None) -> OutputCheck:
    a, e = numpy_of(actual), numpy_of(expected)
    if actual.dtype is not expected.dtype:
        return OutputCheck(f"{name} ({actual.dtype}, in torch {expected.dtype})", float("inf"), None, None)
    return OutputCheck(
        name,
        relative_error(a, e),
        None if exact is None else relative_error(a, exact),
        None if exact is None else relative_error(e, exact),
    )


def _resolution(tensor: torch.Tensor) -> float:
    """Relative error that the dtype itself brings along."""
    return 4 * torch.finfo(tensor.dtype).eps if tensor.dtype.is_floating_point else 0.0


def _copies(tree: Any) -> Any:
    return pytree.tree_map_only(torch.Tensor, torch.clone, tree)


def _run_on_copies(model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[tuple[str, torch.Tensor]]:
    args, kwargs = _copies((args, dict(kwargs)))
    return [(name, t.clone()) for name, t in _tensors(model(*args, **kwargs))]


@contextmanager
def _buffers_restored(program: Program) -> Iterator[None]:
    """Buffers that the model changes have their values again afterwards."""
    targets = [program.tensor_of(m.target) for m in program.imported.mutations if isinstance(m.target, str)]
    values = [t.clone() for t in targets]
    try:
        yield
    finally:
        for target, value in zip(targets, values):
            target.copy_(value)


def _tensors(result: Any) -> list[tuple[str, torch.Tensor]]:
    leaves = pytree.tree_flatten_with_path(result)[0]
    return [(f"output{pytree.keystr(path)}", leaf) for path, leaf in leaves if isinstance(leaf, torch.Tensor)]


def _exact_outputs(program: Program, tensors: Sequence[torch.Tensor]) -> dict[str, np.ndarray]:
    """Float64 values by name of output."""
    imported = program.imported
    values = reference_values(program, tensors)
    leaves = pytree.tree_unflatten(list(imported.outputs), imported.out_spec)
    named = pytree.tree_flatten_with_path(leaves)[0]
    return {f"output{pytree.keystr(path)}": values[imported.graph.outputs[leaf.index]] for path, leaf in named if leaf.kind == "tensor"}


def reference_values(program: Program, tensors: Sequence[torch.Tensor], everything: bool = False) -> dict[str, np.ndarray]:
    """Float64 values of the graph's outputs, or of all that is computed at each call; torch calls run in their own dtypes."""
    runner, graph = program.runner, program.imported.graph
    env = program.symbols_of(tensors) or {}
    parameters = {t: numpy_of(program.tensor_of(t)) for t in runner.targets}
    values = dict(zip(graph.inputs, map(numpy_of, tensors))) | {v: numpy_of(t) for v, t in runner.constants.items()}
    for segment in runner.segments:
        if segment.graph is not None:
            part = segment.graph
            wanted = _computed(part) if everything else segment.outputs
            given = {name: values[v] for name, v in zip(part.inputs, segment.inputs)}
            values.update(evaluate(part, given, parameters, env, wanted))
        elif segment.node is not None:
            operands = [torch.from_numpy(np.array(values[v])).to(TORCH[graph.type_of(v).dtype]) for v in segment.inputs]
            results = runner.torch_calls[segment.node.attrs["key"]](operands, env)
            values.update(zip(segment.outputs, map(numpy_of, results)))
    return values


def _computed(graph: Graph) -> list[str]:
    constants = graph.constant_values
    nodes = [n for n in graph.nodes if n.op not in ("input", "parameter", "constant") and n.name not in constants]
    return [v for n in nodes for v in _used(graph, n)]


def _used(graph: Graph, node: Node) -> list[str]:
    return [v for v in node.outputs if graph.is_output(v) or graph.users(v)]


def find_culprit(program: Program, tensors: Sequence[torch.Tensor], tolerance: float, isa: str | None = None) -> str:
    """The node of the imported graph where compiled values begin to differ from float64, and the kernel that computes it.

    Binary search over the nodes that the first wrong output depends on, each compiled as a graph that ends there.
    """
    search = _Search(program, tensors, tolerance, isa)
    graph = program.imported.graph
    for output in dict.fromkeys(graph.outputs):
        nodes = search.nodes_before(output)
        if not nodes or not search.is_wrong(nodes[-1]):
            continue
        low, high = 0, len(nodes) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if search.is_wrong(nodes[middle]) else (middle + 1, high)
        node = search.descend(nodes[low])
        return f"%{node.name} = {node.op} at {str(node.origin).strip()}, kernel {search.kernel_of(node)}"
    return "no single node: the whole differs, its parts do not"


class _Search:
    """Compiled prefixes of a graph, each compared with the float64 values of the same nodes."""

    def __init__(self, program: Program, tensors: Sequence[torch.Tensor], tolerance: float, isa: str | None) -> None:
        self.program, self.tensors, self.tolerance, self.isa = program, [t.contiguous() for t in tensors], tolerance, isa
        self.graph = program.imported.graph
        self.exact = reference_values(program, tensors, everything=True)
        self.computed = set(_computed(self.graph))
        self.known: dict[str, bool] = {}
        self.runners: dict[str, Runner] = {}

    def nodes_before(self, value: str) -> list[Node]:
        """Compiled nodes that a value depends on, itself included, in order."""
        needed = _ancestors(self.graph, [value])
        return [n for n in self.graph.nodes if n.name in needed and n.name in self.computed and n.op != "torch_call"]

    def is_wrong(self, node: Node) -> bool:
        """Whether a node's compiled values are off."""
        if node.name not in self.known:
            wanted = tuple(_used(self.graph, node))
            needed = _ancestors(self.graph, wanted)
            nodes = tuple(n for n in self.graph.nodes if n.name in needed or n.op == "input")
            part = Graph(nodes, self.graph.inputs, wanted)
            runner = Runner(part, self.program.runner.torch_calls, title=f"up to {node.name}", isa=self.isa)
            runner.pack({t: self.program.tensor_of(t) for t in runner.targets})
            found = runner(self.tensors, self.program.symbols_of(self.tensors))
            errors = [relative_error(numpy_of(f), self.exact[v]) for f, v in zip(found, wanted)]
            self.known[node.name] = max(errors) > self.tolerance
            self.runners[node.name] = runner
        return self.known[node.name]

    def descend(self, node: Node) -> Node:
        """A wrong node none of whose operands is wrong, starting from a wrong one."""
        for operand in node.inputs:
            producer = self.graph.producer(operand)
            if producer.name in self.computed and producer.op != "torch_call" and self.is_wrong(producer):
                return self.descend(producer)
        return node

    def kernel_of(self, node: Node) -> str:
        """The kernel that does most of the work in the graph part that ends at a node."""
        env = self.program.symbols_of(self.tensors) or {}
        executables = self.runners[node.name].executables
        launches = [x for x in (executables[-1].plan.launches if executables else ()) if str(x.origin) == str(node.origin)]
        return max(launches, key=lambda x: size_of(x.flops, env)).kernel if launches else "none"


def _ancestors(graph: Graph, values: Sequence[str]) -> set[str]:
    """Names of the nodes that values depend on."""
    found: set[str] = set()
    stack = [graph.producer(v) for v in values]
    while stack:
        node = stack.pop()
        if node.name not in found:
            found.add(node.name)
            stack += [graph.producer(i) for i in node.inputs]
    return found
