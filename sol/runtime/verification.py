"""Is the compiled model right? Compares with torch and with the float64 interpreter, and finds the first op that is off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from sol.compiler import compile_graph
from sol.errors import UnsupportedError
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.runtime.executable import Executable, numpy_of
from sol.runtime.explain import program_for
from sol.runtime.program import Program


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
    """See ``sol.verify``."""
    module, program, args, kwargs = program_for(model, inputs)
    training = module.training
    module.eval()
    try:
        with torch.no_grad():
            expected = _tensors(module._model(*args, **kwargs))
            if program is None:
                return Verification(True, tolerance, ())
            tensors = program.flatten(args, kwargs)
            actual = _tensors(program.run(tensors))
    finally:
        module.train(training)
    exact = _float64(program, tensors)
    checks = []
    for i, (a, e) in enumerate(zip(actual, expected)):
        reference = exact[i] if exact is not None and i < len(exact) else None
        checks.append(
            OutputCheck(
                f"output {i}",
                relative_error(a, e),
                None if reference is None else relative_error(a, reference),
                None if reference is None else relative_error(e, reference),
            )
        )
    passed = len(actual) == len(expected) and all(c.sol_against_torch <= tolerance for c in checks)
    culprit = "" if passed else _first_wrong_node(program, tensors, tolerance)
    return Verification(passed, tolerance, tuple(checks), culprit)


def _tensors(result: Any) -> list[np.ndarray]:
    return [numpy_of(t) for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]


def _parameters(program: Program) -> dict[str, np.ndarray]:
    return {t: numpy_of(program.tensor_of(t)) for t in program.runner.targets}


def _float64(program: Program, tensors: Sequence[torch.Tensor]) -> list[np.ndarray] | None:
    graph = program.imported.graph
    try:
        values = evaluate(graph, dict(zip(graph.inputs, map(numpy_of, tensors))), _parameters(program))
    except UnsupportedError:
        return None
    return [values[graph.outputs[leaf.index]] for leaf in program.imported.outputs if leaf.kind == "tensor"]


def _first_wrong_node(program: Program, tensors: Sequence[torch.Tensor], tolerance: float) -> str:
    """Binary search over the imported graph: the first node whose compiled value differs from the interpreter's."""
    graph = program.imported.graph
    constants = graph.constant_values
    nodes = [n for n in graph.nodes if n.op not in ("input", "parameter", "constant") and n.name not in constants]
    if any(n.op == "torch_call" for n in nodes):
        return ""
    low, high = 0, len(nodes) - 1
    while low < high:
        middle = (low + high) // 2
        if _is_wrong(program, tensors, nodes[middle].name, tolerance):
            high = middle
        else:
            low = middle + 1
    return f"%{nodes[low].name} = {nodes[low].op} at {nodes[low].origin}" if nodes else ""


def _is_wrong(program: Program, tensors: Sequence[torch.Tensor], value: str, tolerance: float) -> bool:
    graph = program.imported.graph
    part = Graph(graph.nodes, graph.inputs, (value,))
    executable = Executable(compile_graph(part, title=f"up to {value}"))
    executable.pack({t: program.tensor_of(t) for t in program.runner.targets})
    env = program.imported.read_symbols(tensors) if program.imported.symbols else {}
    found = executable([t.contiguous() for t in tensors], env)[0]
    reference = evaluate(graph, dict(zip(graph.inputs, map(numpy_of, tensors))), _parameters(program), wanted=[value])[value]
    return relative_error(numpy_of(found), reference) > tolerance
