"""What became of a model: which ops share which kernel, what runs in torch and why, and where the time goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from sol.inspect.alternatives import alternatives_of
from sol.inspect.explanation import Explanation, RegionRow, TorchRow, region_rows
from sol.inspect.profile import Profile, ProfileRow, profile_rows, time_calls
from sol.inspect.roofline import roofline
from sol.runtime.spans import Bar
from sol.runtime.torch.inputs import as_call, told
from sol.runtime.torch.module import SolModule
from sol.runtime.torch.program import Program
from sol.runtime.torch.ways import Options


def program_for(model: torch.nn.Module, inputs: Any) -> tuple[SolModule, Program | None, tuple, dict]:
    """The compiled program of a model for inputs; a plain module is compiled first."""
    args, kwargs = as_call(inputs)
    module = model if isinstance(model, SolModule) else SolModule(model, Options())
    return module, module.compile_for(args, kwargs), args, kwargs


def explain(model: torch.nn.Module, inputs: Any, *, alternatives: bool = False) -> Explanation:
    """See ``sol.explain``."""
    module, program, args, kwargs = program_for(model, inputs)
    notes = ["in training mode the model runs in torch"]
    if program is not None:
        return _explanation(module._title, [(program, program.inputs_of(args, kwargs)[1] or {})], (), notes, alternatives)
    ways = module._ways
    if ways.partition is None:
        return _explanation(module._title, [], [TorchRow(*row) for row in ways.reasons(args, kwargs)], notes)
    if not ways.partition.pieces:
        with torch.no_grad():
            module(*args, **kwargs)
    count = len(ways.partition.pieces)
    captured = f"captured in {count} pieces, between which Python runs" if count > 1 else "captured as one piece, around which Python runs"
    notes.append(f"{captured}, because {told(ways.partition.reason)}")
    failed = [(i, p) for i, p in enumerate(ways.partition.pieces) if p.failure]
    left = [TorchRow(f"piece {i} of {ops_of(p.module)} operations", told(p.failure), "") for i, p in failed]
    return _explanation(module._title, [p.last for p in ways.partition.compiled if p.last], left, notes, alternatives)


def ops_of(module: torch.fx.GraphModule) -> int:
    """How many operations a captured piece has."""
    return sum(n.op.startswith("call") for n in module.graph.nodes)


def _explanation(
    title: str,
    programs: Sequence[tuple[Program, Mapping[str, int]]],
    torch_rows: Sequence[TorchRow],
    notes: Sequence[str],
    alternatives: bool = False,
) -> Explanation:
    """What some programs do for these values of symbols, and what runs in torch besides."""
    rows: list[RegionRow] = []
    found = list(torch_rows)
    executables = [e for program, _ in programs for e in program.runner.executables]
    memory = []
    for program, env in programs:
        for executable in program.runner.executables:
            compiled = executable.compiled
            others = alternatives_of(compiled.graph, compiled.plan, compiled.target, executable.threads) if alternatives else {}
            rows += region_rows(compiled.graph, compiled.plan, env, others)
            memory.append(executable.memory_bytes(env))
        found += [TorchRow(n.attrs["key"], n.attrs["reason"], str(n.origin).strip()) for n in program.runner.torch_nodes]
    return Explanation(
        title=title,
        regions=tuple(rows),
        torch=tuple(found),
        kernels=len({k.name for e in executables for k in e.plan.kernels}),
        launches=sum(len(e.plan.launches) for e in executables),
        arena_bytes=sum(m["arena"] for m in memory),
        weight_bytes=sum(m["weights"] for m in memory),
        notes=tuple(notes),
    )


def profile(model: torch.nn.Module, inputs: Any, *, runs: int = 20) -> Profile:
    """See ``sol.profile``. The inputs of later segments of a model that runs partly in torch are taken from a real run."""
    module, program, args, kwargs = program_for(model, inputs)
    if program is None:
        return Profile(())
    taken = program.inputs_of(args, kwargs)
    env = dict(taken[1] or {})
    ready = [t.contiguous() for t in program.graph_inputs(taken)]
    values: dict[str, torch.Tensor] = dict(zip(program.imported.graph.inputs, ready))
    values |= program.runner.constants
    rows: list[ProfileRow] = []
    tracks: list[tuple[Bar, ...]] = []
    threads = 1
    limits = roofline(module._options.threads or torch.get_num_threads())
    for segment, executable in program.runner.steps:
        operands = [values[v].contiguous() for v in segment.inputs]
        results: Sequence[torch.Tensor]
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
