"""What became of a model: which ops share which kernel, what runs in torch and why, and where the time goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

from sol.codegen.plan import Launch
from sol.ir.dim import evaluate
from sol.ir.graph import Graph, Node
from sol.runtime.executable import Executable
from sol.runtime.inputs import as_call, check_inputs
from sol.runtime.module import Options, SolModule
from sol.runtime.program import Program


@dataclass(frozen=True)
class RegionRow:
    """One fused region: ops in order, kernels that compute it, result types, where it comes from."""

    region: str
    ops: tuple[str, ...]
    kernels: tuple[str, ...]
    result: str
    origin: str


@dataclass(frozen=True)
class TorchRow:
    """One operation that runs in torch, and why."""

    operation: str
    reason: str
    origin: str


@dataclass(frozen=True)
class Explanation:
    """regions: compiled work in order of execution. torch: what runs in torch. note: on the module as a whole."""

    title: str
    regions: tuple[RegionRow, ...]
    torch: tuple[TorchRow, ...]
    kernels: int
    launches: int
    arena_bytes: int
    weight_bytes: int
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.title}: {len(self.regions)} regions, {self.launches} launches of {self.kernels} kernels, "
            f"weights {_mib(self.weight_bytes)}, arena {_mib(self.arena_bytes)}"
        ]
        wide = max([len(" + ".join(r.ops)) for r in self.regions] + [10])
        for row in self.regions:
            lines.append(f"  {' + '.join(row.ops):{min(wide, 48)}}  {row.result:28}  {', '.join(row.kernels)}  [{row.origin}]")
        lines.append(f"  in torch: {len(self.torch)} operations" + (":" if self.torch else ""))
        lines += [f"    {row.operation}: {row.reason}  [{row.origin}]" for row in self.torch]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)


def program_for(model: torch.nn.Module, inputs: Any) -> tuple[SolModule, Program | None, tuple, dict]:
    """The compiled program of a model for inputs; a plain module is compiled first."""
    args, kwargs = as_call(inputs)
    module = model if isinstance(model, SolModule) else SolModule(model, Options())
    check_inputs(args, kwargs)
    return module, module.compile_for(args, kwargs), args, kwargs


def explain(model: torch.nn.Module, inputs: Any) -> Explanation:
    """See ``sol.explain``."""
    module, program, _, _ = program_for(model, inputs)
    notes = ["in training mode the model runs in torch"]
    if program is None:
        whole = TorchRow(type(module._model).__name__, str(module._failure), "")
        return Explanation(type(module._model).__name__, (), (whole,), 0, 0, 0, 0, tuple(notes))
    rows: list[RegionRow] = []
    for executable in program.runner.executables:
        rows += _rows(executable)
    torch_rows = tuple(TorchRow(n.attrs["key"], n.attrs["reason"], str(n.origin).strip()) for n in program.runner.torch_nodes)
    memory = [e.memory_bytes() for e in program.runner.executables]
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


def _rows(executable: Executable) -> Iterable[RegionRow]:
    graph: Graph = executable.compiled.graph
    kernels: dict[str, list[str]] = defaultdict(list)
    for launch in executable.plan.launches:
        kernels[launch.region].append(launch.kernel)
    for node in graph.nodes:
        if node.op == "region":
            result = ", ".join(str(t) for t in node.types)
            yield RegionRow(node.name, region_ops(node), tuple(dict.fromkeys(kernels[node.name])), result, str(node.origin).strip())


def region_ops(region: Node) -> tuple[str, ...]:
    """The ops of a region's body in order."""
    return tuple(n.op for n in region.attrs["body"].nodes if n.op not in ("input", "constant"))


def _mib(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


@dataclass(frozen=True)
class ProfileRow:
    """One launch. seconds: median. flops, bytes: the work it cannot avoid."""

    region: str
    kernel: str
    origin: str
    seconds: float
    flops: int
    bytes: int


@dataclass(frozen=True)
class Profile:
    """Launches in order of execution; printing shows the most expensive kernels and launches."""

    rows: tuple[ProfileRow, ...]

    @property
    def seconds(self) -> float:
        """Sum over all launches; barriers between them make it a little more than a call without profiling."""
        return sum(r.seconds for r in self.rows)

    def by_kernel(self) -> list[ProfileRow]:
        """Launches of the same kernel added up, most expensive first."""
        total: dict[str, list[ProfileRow]] = defaultdict(list)
        for row in self.rows:
            total[row.kernel].append(row)
        merged = [
            ProfileRow(f"{len(rs)} launches", k, rs[0].origin, *(sum(getattr(r, f) for r in rs) for f in ("seconds", "flops", "bytes")))
            for k, rs in total.items()
        ]
        return sorted(merged, key=lambda r: -r.seconds)

    def table(self, rows: Iterable[ProfileRow]) -> str:
        """Rows as aligned text: time, share, GFLOP/s, GB/s, kernel, origin."""
        whole = self.seconds or 1.0
        lines = [f"{'µs':>9} {'share':>6} {'GFLOP/s':>8} {'GB/s':>6}  {'kernel':44} where"]
        for r in rows:
            rate = r.flops / r.seconds / 1e9 if r.seconds else 0.0
            traffic = r.bytes / r.seconds / 1e9 if r.seconds else 0.0
            where = r.region if r.region.endswith("launches") else r.origin or r.region
            lines.append(f"{r.seconds * 1e6:9.1f} {100 * r.seconds / whole:5.1f}% {rate:8.1f} {traffic:6.1f}  {r.kernel:44} {where}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table(self.by_kernel())


def profile(model: torch.nn.Module, inputs: Any, *, runs: int = 20) -> Profile:
    """See ``sol.profile``. The inputs of later segments of a model that runs partly in torch are taken from a real run."""
    _, program, args, kwargs = program_for(model, inputs)
    if program is None:
        return Profile(())
    tensors = program.flatten(args, kwargs)
    env = program.symbols_of(tensors) or {}
    values: dict[str, torch.Tensor] = dict(zip(program.imported.graph.inputs, (t.contiguous() for t in tensors)))
    values |= program.runner.constants
    rows: list[ProfileRow] = []
    for segment, executable in program.runner.steps:
        operands = [values[v].contiguous() for v in segment.inputs]
        if executable is None:
            results = program.runner.torch_calls[segment.node.attrs["key"]](operands, env)  # type: ignore[union-attr]
        else:
            times = executable.profile(operands, env, runs)
            rows += [_profile_row(launch, seconds, env) for launch, seconds in zip(executable.plan.launches, times)]
            results = executable(operands, env)
        values.update(zip(segment.outputs, results))
    return Profile(tuple(rows))


def _profile_row(launch: Launch, seconds: float, env: dict[str, int]) -> ProfileRow:
    flops, moved = evaluate(launch.flops, env), evaluate(launch.bytes, env)
    return ProfileRow(launch.region, launch.kernel, str(launch.origin).strip(), seconds, flops, moved)
