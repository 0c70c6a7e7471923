"""What became of a model: which ops share which kernel, what runs in torch and why, and where the time goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from sol.config import config
from sol.inspect import training_step as steps
from sol.inspect.alternatives import alternatives_of
from sol.inspect.explanation import Explanation, RegionRow, TorchRow, region_rows
from sol.inspect.grid import grid_profile, grid_rows, host_rows
from sol.inspect.profile import Profile, ProfileRow, profile_rows, time_calls
from sol.inspect.roofline import roofline
from sol.inspect.rounding import rounding_rows
from sol.runtime.spans import Bar, Spread
from sol.runtime.torch.grid_executable import GridExecutable
from sol.runtime.torch.inputs import as_call, told
from sol.runtime.torch.module import SolModule
from sol.runtime.torch.program import Program, Taken
from sol.runtime.torch.ways import Options


def program_for(model: torch.nn.Module, inputs: Any) -> tuple[SolModule, Program | None, tuple, dict]:
    """The compiled program of a model for inputs; a plain module is compiled first."""
    args, kwargs = as_call(inputs)
    module = model if isinstance(model, SolModule) else SolModule(model, Options())
    return module, module.compile_for(args, kwargs), args, kwargs


def explain(
    model: torch.nn.Module, inputs: Any, *, alternatives: bool = False, loss: steps.Loss | None = None
) -> Explanation | steps.StepExplanation:
    """See ``sol.explain``."""
    if isinstance(model, SolModule):
        model, inputs = model.seen_by_host(inputs)
    if _trains(model, inputs):
        return _explain_step(model, inputs, alternatives, loss)
    module, program, args, kwargs = program_for(model, inputs)
    notes = [_note(module)]
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
            memory.append(executable.memory_bytes(env))
            if isinstance(executable, GridExecutable):
                rows += grid_rows(compiled.graph, compiled.plan)
                found += [TorchRow(*row) for row in host_rows(compiled.plan)]
                continue
            others = alternatives_of(compiled.graph, compiled.plan, compiled.target, executable.threads) if alternatives else {}
            rows += region_rows(compiled.graph, compiled.plan, env, others)
        found += [TorchRow(n.attrs["key"], n.attrs["reason"], str(n.origin).strip()) for n in program.runner.torch_nodes]
    return Explanation(
        title=title,
        regions=tuple(rows),
        torch=tuple(found),
        kernels=len({k.name for e in executables for k in e.plan.kernels}),
        launches=sum(len(e.plan.launches) for e in executables),  # of kernels, and not of the host
        arena_bytes=sum(m["arena"] for m in memory),
        weight_bytes=sum(m["weights"] for m in memory),
        notes=tuple(notes),
        rounded=tuple(row for program, _ in programs for row in rounding_rows(program)),
    )


def _note(module: SolModule) -> str:
    if module.trainer.is_torchs and (module.is_training or config["training"] == "torch"):
        return "in training mode the model runs in torch"
    return "this is the model in eval mode; in training mode sol.explain shows a training step"


def _trains(model: torch.nn.Module, inputs: Any) -> bool:
    """Whether a model is in training mode, has something to train, and does not train wholly in torch as far as is known."""
    tensors = (*model.parameters(), *pytree.tree_leaves(as_call(inputs)))
    if not any(isinstance(t, torch.Tensor) and t.requires_grad for t in tensors):
        return False
    if isinstance(model, SolModule):
        return model.is_training and not model.trainer.is_torchs
    return model.training and config["training"] != "torch"


def _explain_step(model: torch.nn.Module, inputs: Any, alternatives: bool, loss: steps.Loss | None) -> steps.StepExplanation:
    module, args, kwargs = _module_and_call(model, inputs)
    runs: list[steps.Run] = []
    with steps.Rehearsal(module, args, kwargs, loss) as rehearsal:
        rehearsal.step()  # compiles
        with steps.observed(module, runs.append):
            rehearsal.step()
    saved = steps.saved_rows(runs)
    programs = {what: [(r.program, r.taken[1] or {}) for r in runs if r.graph.what == what] for what in ("forward", "backward")}
    forward, backward = (_explanation(f"{module._title}, {what} pass", found, (), (), alternatives) for what, found in programs.items())
    return steps.StepExplanation(forward, backward, saved, tuple(steps.reasons_for_torch(module)))


def _module_and_call(model: torch.nn.Module, inputs: Any) -> tuple[SolModule, tuple[Any, ...], dict[str, Any]]:
    args, kwargs = as_call(inputs)
    return (model if isinstance(model, SolModule) else SolModule(model, Options())), args, kwargs


def profile(
    model: torch.nn.Module, inputs: Any, *, runs: int = 20, loss: steps.Loss | None = None, optimizer: torch.optim.Optimizer | None = None
) -> Profile | steps.StepProfile:
    """See ``sol.profile``. The inputs of later segments of a model that runs partly in torch are taken from a real run."""
    if isinstance(model, SolModule):
        model, inputs = model.seen_by_host(inputs)
    if _trains(model, inputs):
        return _profile_step(model, inputs, runs, loss, optimizer)
    module, program, args, kwargs = program_for(model, inputs)
    if program is None:
        return Profile(())
    return _profile(module, program, program.inputs_of(args, kwargs), runs)


def _profile_step(
    model: torch.nn.Module, inputs: Any, runs: int, loss: steps.Loss | None, optimizer: torch.optim.Optimizer | None
) -> steps.StepProfile:
    module, args, kwargs = _module_and_call(model, inputs)
    profiles: dict[str, list[Profile]] = {"forward": [], "backward": []}
    programs: list[Program] = []

    def observe(run: steps.Run) -> None:
        programs.append(run.program)
        profiles[run.graph.what].append(_profile(module, run.program, run.taken, runs))

    with steps.Rehearsal(module, args, kwargs, loss, optimizer) as rehearsal:
        load = steps.timed_steps(rehearsal, runs, module._options.threads or torch.get_num_threads())
        times = {name: Spread.of(seconds) for name, seconds in rehearsal.times.items()}
        with steps.observed(module, observe):
            rehearsal.step()
        times["packing"] = steps.packing_time(programs)
    forward, backward = (steps.joined(profiles[what]) for what in ("forward", "backward"))
    return steps.StepProfile(forward, backward, times.pop("step"), times, load)


def _profile(module: SolModule, program: Program, taken: Taken, runs: int) -> Profile:
    """One program's kernels in a call."""
    env = dict(taken[1] or {})
    ready = [t.contiguous() for t in program.graph_inputs(taken)]
    if program.imported.mutations:
        ready = [t.clone() for t in ready]
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
        elif isinstance(executable, GridExecutable):
            rows += grid_profile(executable, operands, runs)
            results = executable(operands, env)
        else:
            executable = executable.for_sizes(env)
            samples = executable.profile(operands, env, runs)
            rows += profile_rows(executable.plan, samples, env, limits)
            tracks.append(samples.bars)
            threads = max(threads, samples.threads)
            results = executable(operands, env)
        values.update(zip(segment.outputs, results))
    with torch.no_grad():
        call, load = time_calls(lambda: program.runner(ready, env), runs, threads)
    return Profile(tuple(rows), limits, call, load, tuple(tracks), threads)
