"""Is the compiled model right? Compares with torch and with the float64 interpreter, and finds the first op that is off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from sol.frontend.trees import named_leaves, named_tensors
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.runtime.autograd import evaluating
from sol.runtime.bisection import PartRun, computed_values
from sol.runtime.bisection import find_culprit as bisect
from sol.runtime.checks import OutputCheck, Verification, relative_error
from sol.runtime.explain import program_for
from sol.runtime.program import Program
from sol.runtime.rehearsal import copied
from sol.runtime.runner import Runner
from sol.runtime.tensors import TORCH, numpy_of


def verify(model: torch.nn.Module, inputs: Any, *, tolerance: float = 1e-4) -> Verification:
    """See ``sol.verify``. Inputs and buffers that the model changes are left as they were."""
    module, program, args, kwargs = program_for(model, inputs)
    with torch.no_grad(), evaluating(module._model):
        if program is None:
            return Verification(True, tolerance, ())
        with _buffers_restored(program):
            expected = _run_on_copies(module._model, args, kwargs)
        given = copied(args, kwargs)
        taken = program.inputs_of(*given)
        before = [t.clone() for t in program.graph_inputs(taken)]
        with _buffers_restored(program):
            actual = _tensors(program.run(taken, *given))
        exact = _exact_outputs(program, before, taken[1] or {})
    if [name for name, _ in actual] != [name for name, _ in expected]:
        return Verification(False, tolerance, (), f"the result has {len(actual)} tensors, {len(expected)} in torch")
    checks = tuple(_check(name, a, e, exact.get(name)) for (name, a), (_, e) in zip(actual, expected))
    allowed = [max(tolerance, _resolution(e)) for _, e in expected]
    passed = all((c.sol_against_peer or 0.0) <= limit for c, limit in zip(checks, allowed))
    culprit = "" if passed else find_culprit(program, before, taken[1] or {}, max([tolerance, *allowed]), module._options.isa)
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


def _run_on_copies(model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[tuple[str, torch.Tensor]]:
    args, kwargs = copied(args, kwargs)
    return [(name, t.clone()) for name, t in _tensors(model(*args, **kwargs))]


@contextmanager
def _buffers_restored(program: Program) -> Iterator[None]:
    """Buffers that the model changes have their values again afterwards."""
    held = {t: program.held[t] for t in program.imported.held}
    values = {t: tensor.clone() for t, tensor in held.items()}
    try:
        yield
    finally:
        for target, tensor in held.items():
            program.held[target] = tensor.copy_(values[target])


def _tensors(result: Any) -> list[tuple[str, torch.Tensor]]:
    return named_tensors(result)


def _exact_outputs(program: Program, tensors: Sequence[torch.Tensor], env: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Float64 values by name of output."""
    imported = program.imported
    values = reference_values(program, tensors, env)
    found = {}
    for name, index in named_leaves(imported.gives):
        leaf = imported.outputs[index]
        if leaf.kind == "tensor":
            view = torch.from_numpy(np.array(values[imported.graph.outputs[leaf.index]], order="C"))
            for step in leaf.views:
                view = step(view, env)
            found[name] = view.numpy()
    return found


def reference_values(
    program: Program, tensors: Sequence[torch.Tensor], env: Mapping[str, int], everything: bool = False
) -> dict[str, np.ndarray]:
    """Float64 values of the graph's outputs, or of all that is computed at each call; torch calls run in their own dtypes.

    tensors: graph inputs. env: values of symbols.
    """
    runner, graph = program.runner, program.runner.graph
    parameters = {t: numpy_of(v) for t, v in ({t: program.held[t] for t in runner.targets} | runner.derived).items()}
    values = dict(zip(graph.inputs, map(numpy_of, tensors))) | {v: numpy_of(t) for v, t in runner.constants.items()}
    for segment in runner.segments:
        if segment.graph is not None:
            part = segment.graph
            wanted = computed_values(part) if everything else segment.outputs
            given = {name: values[v] for name, v in zip(part.inputs, segment.inputs)}
            values.update(evaluate(part, given, parameters, env, wanted))
        elif segment.node is not None:
            operands = [torch.from_numpy(np.array(values[v])).to(TORCH[graph.type_of(v).dtype]) for v in segment.inputs]
            results = runner.torch_calls[segment.node.attrs["key"]](operands, env)
            values.update(zip(segment.outputs, map(numpy_of, results)))
    return values


def find_culprit(
    program: Program, tensors: Sequence[torch.Tensor], env: Mapping[str, int], tolerance: float, isa: str | None = None
) -> str:
    """The node of the imported graph where compiled values begin to differ from float64, and the kernel that computes it."""
    parameters = {t: program.held[t] for t in program.runner.targets} | program.runner.derived

    def run(part: Graph) -> PartRun:
        runner = Runner(part, program.runner.torch_calls, title=f"up to {part.outputs[0]}", isa=isa)
        runner.pack({t: parameters[t] for t in part.parameter_targets})
        values = [numpy_of(t) for t in runner(tensors, dict(env))]
        executables = runner.executables
        return PartRun(values, executables[-1].plan.launches if executables else ())

    exact = reference_values(program, tensors, env, everything=True)
    return bisect(program.runner.graph, exact, run, tolerance, dict(env))
