"""Is the compiled model right? Compares with torch and with the float64 interpreter, tells which side is off and where it begins."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from sol.errors import SolError
from sol.frontend.torch.rehearsal import copied, rehearse
from sol.frontend.torch.trees import named_leaves, named_tensors
from sol.inspect.bisection import PartRun, computed_values
from sol.inspect.bisection import find_culprit as bisect
from sol.inspect.checks import IMPORT, SOL, UNKNOWN, OutputCheck, Verification, judged, relative_error
from sol.inspect.explain import program_for
from sol.inspect.rounding import rounded_model
from sol.inspect.torch_peer import PEER, Float64Run
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.runtime.torch.autograd import evaluating
from sol.runtime.torch.module import SolModule
from sol.runtime.torch.program import Program
from sol.runtime.torch.runner import Runner
from sol.runtime.torch.tensors import TORCH, numpy_of

IN_TORCH = "all of the model runs in torch (sol.explain says why)"


def verify(model: torch.nn.Module, inputs: Any, *, tolerance: float = 1e-4) -> Verification:
    """See ``sol.verify``. Inputs and buffers that the model changes are left as they were."""
    if isinstance(model, SolModule):
        model, inputs = model.seen_by_host(inputs)
    module, program, args, kwargs = program_for(model, inputs)
    with torch.no_grad(), evaluating(module._model):
        if program is None:
            return _against_torch(module, args, kwargs, tolerance)
        peer = rounded_model(module._model, program) if module._options.weights is not None else module._model
        narrow = module._options.dtype if module._options.narrow is not None else None
        with _buffers_restored(program), torch.autocast("cpu", dtype=narrow, enabled=narrow is not None):
            expected = _run_on_copies(peer, args, kwargs)
        given = copied(args, kwargs)
        taken = program.inputs_of(*given)
        before = [t.clone() for t in program.graph_inputs(taken)]
        with _buffers_restored(program):
            actual = named_tensors(program.run(taken, *given))
        if [name for name, _ in actual] != [name for name, _ in expected]:
            return Verification(False, tolerance, (), f"the result has {len(actual)} tensors, {len(expected)} in torch")
        if narrow is not None:  # torch's results are of that dtype then, sol's are of the model's
            tolerance = max(tolerance, _resolution(narrow))
            expected = [(name, e.to(a.dtype)) for (name, e), (_, a) in zip(expected, actual)]
        judge = _Judge(module, peer, program, before, taken[1] or {}, (args, kwargs), tolerance)
        compared = bool(program.runner.executables)
        if not compared:
            judge.notes.append(IN_TORCH)
        checks = tuple(judge.check(name, a, e) for (name, a), (_, e) in zip(actual, expected))
        culprit = judge.culprit(checks)
    passed = compared and not any(c.fails for c in checks)
    return Verification(passed, tolerance, checks, culprit, PEER, tuple(dict.fromkeys(judge.notes)), compared)


def _against_torch(module: SolModule, args: tuple[Any, ...], kwargs: Mapping[str, Any], tolerance: float) -> Verification:
    """Of a model that no single graph describes, pieces of which may be compiled."""
    expected, actual = (named_tensors(rehearse(module._model, args, kwargs, run)) for run in (None, module))
    partition = module._ways.partition
    note = "the model is not captured as one graph: there is no float64 to compare with, and torch's own error is not known"
    compared = partition is not None and bool(partition.compiled)
    if not compared:
        note = IN_TORCH
    if [name for name, _ in actual] != [name for name, _ in expected]:
        return Verification(False, tolerance, (), f"the result has {len(actual)} tensors, {len(expected)} in torch")
    checks = tuple(
        judged(OutputCheck(name, relative_error(numpy_of(a), numpy_of(e)), None, None), limit, PEER, lambda: None)
        for (name, a), (_, e) in zip(actual, expected)
        for limit in (max(tolerance, _resolution(e.dtype)),)
    )
    return Verification(compared and not any(c.fails for c in checks), tolerance, checks, "", PEER, (note,), compared)


class _Judge:
    """Tells which side is off; references are computed when they are asked for."""

    def __init__(
        self,
        module: SolModule,
        peer: torch.nn.Module,
        program: Program,
        tensors: Sequence[torch.Tensor],
        env: Mapping[str, int],
        call: tuple[Any, Any],
        tolerance: float,
    ) -> None:
        self.module, self.peer, self.program, self.call, self.tolerance = module, peer, program, call, tolerance
        self.tensors, self.env = tensors, env
        self.notes: list[str] = []
        self.limit = tolerance
        self.exact: dict[str, np.ndarray] = {}
        try:
            self.exact = _exact_outputs(program, tensors, env)
        except (SolError, ArithmeticError, ValueError) as error:
            self.notes.append(f"the float64 interpreter cannot evaluate the network: {str(error).splitlines()[0]}")

    @functools.cached_property
    def rounded(self) -> dict[str, np.ndarray]:
        """The outputs with every value rounded to float32."""
        return _exact_outputs(self.program, self.tensors, self.env, np.float32)

    @functools.cached_property
    def second(self) -> Float64Run:
        """torch in float64."""
        return Float64Run(self.peer, *self.call)

    def check(self, name: str, actual: torch.Tensor, expected: torch.Tensor) -> OutputCheck:
        if actual.dtype is not expected.dtype:
            return OutputCheck(f"{name} ({actual.dtype}, in torch {expected.dtype})", float("inf"), None, None, off=SOL)
        limit = max(self.tolerance, _resolution(expected.dtype))
        self.limit = max(self.limit, limit)
        a, e, exact = numpy_of(actual), numpy_of(expected), self.exact.get(name)
        check = OutputCheck(name, relative_error(a, e), _error(a, exact), _error(e, exact))
        check = judged(check, limit, PEER, lambda: _error(self.rounded.get(name), exact))
        return check if check.off != PEER or exact is None else self._import_checked(check, exact, limit)

    def _import_checked(self, check: OutputCheck, exact: np.ndarray, limit: float) -> OutputCheck:
        """Where torch is far from float64: its own rounding, or another model than was imported? torch in float64 tells."""
        found = self.second.outputs.get(check.name)
        if found is None:
            self.notes.append(f"torch cannot run the model in float64 ({self.second.failure}): which side is off is not known")
            return replace(check, off=UNKNOWN)
        error = relative_error(found, exact)
        if error > limit:
            return replace(check, off=IMPORT)
        self.notes.append(f"torch is the side that is off: its result in float64 is {error:.1e} from the float64 that sol is compared with")
        return check

    def culprit(self, checks: Sequence[OutputCheck]) -> str:
        """Where it begins, if sol may be off."""
        off = {c.off for c in checks}
        if (SOL in off or UNKNOWN in off) and self.exact:
            return find_culprit(self.program, self.tensors, self.env, self.limit, self.module._options.isa)
        if IMPORT in off:
            values = reference_values(self.program, self.tensors, self.env, everything=True)
            return self.second.first_misread(self.program, values, self.tolerance)
        return ""


def _error(values: np.ndarray | None, exact: np.ndarray | None) -> float | None:
    return None if values is None or exact is None else relative_error(values, exact)


def _resolution(dtype: torch.dtype) -> float:
    """Relative error that the dtype itself brings along."""
    return 4 * torch.finfo(dtype).eps if dtype.is_floating_point else 0.0


def _run_on_copies(model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[tuple[str, torch.Tensor]]:
    args, kwargs = copied(args, kwargs)
    return [(name, t.clone()) for name, t in named_tensors(model(*args, **kwargs))]


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


def _exact_outputs(
    program: Program, tensors: Sequence[torch.Tensor], env: Mapping[str, int], precision: Any = np.float64
) -> dict[str, np.ndarray]:
    """Float64 values by name of output; precision: another dtype for all float values."""
    imported = program.imported
    values = reference_values(program, tensors, env, precision=precision)
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
    program: Program, tensors: Sequence[torch.Tensor], env: Mapping[str, int], everything: bool = False, precision: Any = np.float64
) -> dict[str, np.ndarray]:
    """Float64 values of the graph's outputs, or of all that is computed at each call; torch calls run in their own dtypes.

    tensors: graph inputs. env: values of symbols. precision: another dtype for all float values.
    """
    runner, graph = program.runner, program.runner.graph
    parameters = {t: numpy_of(v) for t, v in ({t: program.held[t] for t in runner.targets} | runner.derived).items()}
    values = dict(zip(graph.inputs, map(numpy_of, tensors))) | {v: numpy_of(t) for v, t in runner.constants.items()}
    for segment in runner.segments:
        if segment.graph is not None:
            part = segment.graph
            wanted = computed_values(part) if everything else segment.outputs
            given = {name: values[v] for name, v in zip(part.inputs, segment.inputs)}
            with np.errstate(all="ignore"):
                values.update(evaluate(part, given, parameters, env, wanted, precision))
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

    exact, rounded = (reference_values(program, tensors, env, everything=True, precision=p) for p in (np.float64, np.float32))
    return bisect(program.runner.graph, exact, run, tolerance, dict(env), rounded)
