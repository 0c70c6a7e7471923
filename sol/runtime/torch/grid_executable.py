"""Runs a plan of kernels in OpenCL C on a device of sol: a call queues all launches and returns; nothing waits but steps of the host."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch

from sol.codegen.opencl.plan import GridCompiled, GridLaunch, HostStep
from sol.codegen.plan import Buffer
from sol.ir.builder import graph_of
from sol.ir.dim import evaluate
from sol.ir.graph import Graph, Node
from sol.ir.interpret import evaluate_constants
from sol.runtime.executable import Executable
from sol.runtime.torch.hoist import Arrays
from sol.runtime.torch.tensors import TENSORS, TORCH
from sol.runtime.weights import readers_of
from sol.stages import stage
from sol.tuning.compile import compile_tuned


class _Loaded:
    """A plan's program on a device. runs: what is done in order: numbers of the first launch and of the one behind the last, or a step of
    the host."""

    def __init__(self, compiled: GridCompiled, device: torch.device) -> None:
        self.compiled, self.device = compiled, device
        plan = compiled.plan
        stage("compiling for the device")
        self.launches = torch.classes.sol_device.Launches(compiled.text, "", device.index or 0)
        self.numbers = {b.name: i for i, b in enumerate((b for b in plan.buffers if b.kind != "arena"), 1)}
        self.buffers = {b.name: b for b in plan.buffers}
        self.runs: list[tuple[int, int] | _HostRun] = []
        count = 0
        for step in plan.steps:
            if isinstance(step, HostStep):
                self.runs.append(_HostRun(compiled.graph, step))
                continue
            self._add(step)
            last = self.runs[-1] if self.runs else None
            if isinstance(last, tuple):
                self.runs[-1] = (last[0], count + 1)
            else:
                self.runs.append((count, count + 1))
            count += 1

    def _add(self, step: GridLaunch) -> None:
        places = [(self.numbers.get(r.buffer, 0), evaluate(r.offset + self.buffers[r.buffer].offset, {})) for r in step.buffers]
        self.launches.add(step.kernel, [n for n, _ in places], [o for _, o in places], list(step.items), list(step.group))


class GridExecutable:
    """Runs one plan on one device, on contiguous tensors there. A call returns before the device has finished; what it computes is ready
    for whatever is queued on the same stream afterwards."""

    def __init__(self, compiled: GridCompiled, device: torch.device, loaded: _Loaded | None = None) -> None:
        self.compiled, self.plan, self.device = compiled, compiled.plan, device
        self._loaded = loaded or _Loaded(compiled, device)
        self._runs = [run.share() if isinstance(run, _HostRun) else run for run in self._loaded.runs]
        self._weights: dict[str, torch.Tensor] = {}
        self._readers = readers_of(compiled.graph, self.plan.weights)
        self._fixed = {w.name for w in self.plan.weights} - {self.plan.weights[n].name for ns in self._readers.values() for n in ns}

    def share(self) -> GridExecutable:
        """The same code for other weights."""
        return GridExecutable(self.compiled, self.device, self._loaded)

    @property
    def targets(self) -> tuple[str, ...]:
        """Parameters that weights depend on."""
        return self.compiled.graph.parameter_targets

    # -- weights -------------------------------------------------------------------------------------------------------

    def pack(self, parameters: Mapping[str, Any], changed: Collection[str] | None = None) -> None:
        """(Re)build the weights from parameters of the device or of the host. A weight that is a parameter is that very tensor.

        changed: parameters that are not as they were the last time; None: any may be.
        """
        for run in self._runs:
            if isinstance(run, _HostRun):
                run.pack(parameters, changed)
        graph, weights = self.compiled.graph, self.plan.weights
        some = None if changed is None or not self._weights else {n for t in changed for n in self._readers.get(t, ())}
        numbers = range(len(weights)) if some is None else sorted(some)
        names = [weights[n].value for n in numbers if weights[n].value not in self._fixed or weights[n].value not in self._weights]
        computed = [n for n in names if graph.producer(n).op != "parameter"]
        found = {n: parameters[graph.producer(n).attrs["target"]].detach() for n in names if n not in computed}
        for name, array in (evaluate_constants(graph, computed, Arrays(parameters)) if computed else {}).items():
            found[name] = torch.tensor(array, dtype=TORCH[graph.type_of(name).dtype])
        self._weights |= {name: tensor.to(self.device).contiguous() for name, tensor in found.items()}
        if found:
            torch.accelerator.current_stream(self.device).synchronize()  # calls on other streams may come next

    # -- calls ---------------------------------------------------------------------------------------------------------

    def __call__(self, inputs: Sequence[torch.Tensor], env: Mapping[str, int] | None = None, found: Any = None) -> list[torch.Tensor]:
        """Results of the device, or on their way. inputs: contiguous tensors of the plan's dtypes and shapes; some may lie on the CPU."""
        return self._run(inputs)

    def _run(self, inputs: Sequence[torch.Tensor], mark: Callable[[], None] | None = None) -> list[torch.Tensor]:
        """mark: called before each step and after the last one."""
        plan, loaded = self.plan, self._loaded
        arena = torch.empty(max(plan.arena, 1), dtype=torch.uint8, device=self.device)
        given = {p.buffer: t if t.device == self.device else t.to(self.device) for p, t in zip(plan.inputs, inputs)}
        given |= self._weights
        for port in plan.outputs:
            if port.buffer not in given:
                given[port.buffer] = torch.empty(tuple(map(int, port.shape)), dtype=TORCH[port.dtype], device=self.device)  # type: ignore[arg-type]
        tensors = [arena, *(given[name] for name in loaded.numbers)]
        for run in self._runs:
            if isinstance(run, _HostRun):
                if mark is not None:
                    mark()
                run(lambda name: given[name] if name in given else self._part(arena, loaded.buffers[name]))
            elif mark is None:
                loaded.launches.run(tensors, *run)
            else:
                for number in range(*run):
                    mark()
                    loaded.launches.run(tensors, number, number + 1)
        if mark is not None:
            mark()
        results, seen = [], {w.name for w in plan.weights}
        for port in plan.outputs:
            results.append(given[port.buffer].clone() if port.buffer in seen else given[port.buffer])
            seen.add(port.buffer)
        return results

    def _part(self, arena: torch.Tensor, buffer: Buffer) -> torch.Tensor:
        """A value in the arena as a tensor."""
        type, start, size = self.compiled.graph.type_of(buffer.name), evaluate(buffer.offset, {}), evaluate(buffer.size, {})
        shape = tuple(map(int, type.shape))  # type: ignore[arg-type]
        return arena[start : start + size].view(TORCH[type.dtype]).view(shape) if math.prod(shape) else torch.empty(shape)

    def seconds(self, inputs: Sequence[torch.Tensor], runs: int = 20) -> list[list[float]]:
        """How long every step takes on the device, in so many runs after one that does not count; runs of the same step together.

        Each step is waited for, so that steps of the host can be timed likewise.
        """
        marks: list[torch.Event] = []
        found: list[list[float]] = [[] for _ in self.plan.steps]

        def mark() -> None:
            marks.append(torch.Event("sol", enable_timing=True))
            marks[-1].record()

        for run in range(-1, runs):
            marks.clear()
            self._run(inputs, mark)
            torch.accelerator.synchronize(self.device)
            if run >= 0:
                for times, begin, end in zip(found, marks, marks[1:]):
                    times.append(begin.elapsed_time(end) / 1e3)  # type: ignore[attr-defined]
        return found

    def memory_bytes(self, env: Mapping[str, int] | None = None) -> dict[str, int]:
        """Bytes of weights beside parameters, and of one call's arena."""
        own = [n for n in self._weights if self.compiled.graph.producer(n).op != "parameter"]
        return {"weights": sum(self._weights[n].nbytes for n in own), "arena": self.plan.arena}


class _HostRun:
    """An operation that runs on the CPU, on copies; the device is waited for. What depends on parameters alone is the host's own."""

    def __init__(self, graph: Graph, step: HostStep, executable: Executable | None = None) -> None:
        from sol.codegen.opencl.storing import is_constant  # and with it all that writes OpenCL C

        self.graph, self.step = graph, step
        node = graph.producer(step.node)
        self.inputs, self.outputs = tuple(dict.fromkeys(v for v in node.inputs if not is_constant(graph, v))), node.outputs
        self._executable = executable or Executable(compile_tuned(self._own_graph(node), title=step.op), arrays=TENSORS)

    def _own_graph(self, node: Node) -> Graph:
        constants: dict[str, Node] = {}

        def need(value: str) -> None:
            producer = self.graph.producer(value)
            if producer.name not in constants:
                for operand in producer.inputs:
                    need(operand)
                constants[producer.name] = producer

        for value in node.inputs:
            if value not in self.inputs:
                need(value)
        sources = [Node(_plain(v), "input", (), (self.graph.type_of(v),)) for v in self.inputs]
        operands = tuple(_plain(v) if v in self.inputs else v for v in node.inputs)
        own = Node(node.name, node.op, operands, node.types, node.attrs, node.origin)
        return graph_of((*sources, *constants.values(), own), [s.name for s in sources], node.outputs)

    def share(self) -> _HostRun:
        """The same code for other weights."""
        return _HostRun(self.graph, self.step, self._executable.share())

    def pack(self, parameters: Mapping[str, torch.Tensor], changed: Collection[str] | None) -> None:
        """As ``GridExecutable.pack``."""
        targets = self._executable.targets
        if self._executable.packed is None or changed is None or not {*targets}.isdisjoint(changed):
            self._executable.pack({t: parameters[t].detach().cpu() for t in targets})

    def __call__(self, tensor: Callable[[str], torch.Tensor]) -> None:
        torch.ops.sol_device.count_fallback(f"sol::{self.step.op}")
        operands = [tensor(v).cpu().contiguous() for v in self.inputs]
        for value, result in zip(self.outputs, self._executable(operands)):
            tensor(value).copy_(result)


def _plain(value: str) -> str:
    return value.replace("#", "_out")
