"""What became of a model: which ops share which kernel, what runs in torch and why, and where the time goes."""

from __future__ import annotations

from typing import Any

import torch

from sol.runtime.explanation import Explanation, RegionRow, TorchRow, region_rows
from sol.runtime.inputs import as_call, check_inputs
from sol.runtime.module import Options, SolModule
from sol.runtime.profile import Profile, ProfileRow, profile_rows, time_calls
from sol.runtime.program import Program
from sol.runtime.roofline import roofline
from sol.runtime.spans import Bar


def program_for(model: torch.nn.Module, inputs: Any) -> tuple[SolModule, Program | None, tuple, dict]:
    """The compiled program of a model for inputs; a plain module is compiled first."""
    args, kwargs = as_call(inputs)
    module = model if isinstance(model, SolModule) else SolModule(model, Options())
    check_inputs(args, kwargs)
    return module, module.compile_for(args, kwargs), args, kwargs


def explain(model: torch.nn.Module, inputs: Any) -> Explanation:
    """See ``sol.explain``."""
    module, program, args, kwargs = program_for(model, inputs)
    notes = ["in training mode the model runs in torch"]
    if program is None:
        whole = TorchRow(type(module._model).__name__, str(module._failure), "")
        return Explanation(type(module._model).__name__, (), (whole,), 0, 0, 0, 0, tuple(notes))
    rows: list[RegionRow] = []
    env = program.symbols_of(program.flatten(args, kwargs)) or {}
    for executable in program.runner.executables:
        rows += region_rows(executable.compiled.graph, executable.plan, env)
    torch_rows = tuple(TorchRow(n.attrs["key"], n.attrs["reason"], str(n.origin).strip()) for n in program.runner.torch_nodes)
    memory = [e.memory_bytes(env) for e in program.runner.executables]
    return Explanation(
        title=type(module._model).__name__,
        regions=tuple(rows),
        torch=torch_rows,
        kernels=len({k.name for e in program.runner.executables for k in e.plan.kernels}),
        launches=sum(len(e.plan.launches) for e in program.runner.executables),
        arena_bytes=sum(m["arena"] for m in memory),
        weight_bytes=sum(m["weights"] for m in memory),
        notes=tuple(notes),
    )


def profile(model: torch.nn.Module, inputs: Any, *, runs: int = 20) -> Profile:
    """See ``sol.profile``. The inputs of later segments of a model that runs partly in torch are taken from a real run."""
    module, program, args, kwargs = program_for(model, inputs)
    if program is None:
        return Profile(())
    tensors = program.flatten(args, kwargs)
    env = program.symbols_of(tensors) or {}
    ready = [t.contiguous() for t in tensors]
    values: dict[str, torch.Tensor] = dict(zip(program.imported.graph.inputs, ready))
    values |= program.runner.constants
    rows: list[ProfileRow] = []
    tracks: list[tuple[Bar, ...]] = []
    threads = 1
    limits = roofline(module._options.threads or torch.get_num_threads())
    for segment, executable in program.runner.steps:
        operands = [values[v].contiguous() for v in segment.inputs]
        if executable is None:
            results = program.runner.torch_calls[segment.node.attrs["key"]](operands, env)  # type: ignore[union-attr]
        else:
            samples = executable.profile(operands, env, runs)
            rows += profile_rows(executable.plan, samples, env, limits)
            tracks.append(samples.bars)
            threads = max(threads, samples.threads)
            results = executable(operands, env)
        values.update(zip(segment.outputs, results))
    with torch.no_grad():
        call, load = time_calls(lambda: program.runner([t.clone() if program.imported.mutations else t for t in ready], env), runs, threads)
    return Profile(tuple(rows), limits, call, load, tuple(tracks), threads)
