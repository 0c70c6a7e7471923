"""What became of a training step, and where its time goes: forward, loss, backward, packing of weights, optimizer."""

from __future__ import annotations

import copy
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

from sol.errors import InputError
from sol.inspect.explanation import Explanation, size_text
from sol.inspect.load import Load, Watch
from sol.inspect.profile import Profile
from sol.runtime.spans import Spread
from sol.runtime.torch.inputs import told
from sol.runtime.torch.module import SolModule
from sol.runtime.torch.program import Program, Taken
from sol.runtime.torch.training import TrainingGraph

Loss = Callable[[Any], torch.Tensor]
PACKINGS = 3
"""How often packing is timed."""


@dataclass(frozen=True)
class SavedRow:
    """What one layer keeps for the backward pass. origin: the layer. values: how many tensors it keeps. bytes: of them together."""

    origin: str
    values: int
    bytes: int


@dataclass(frozen=True)
class StepExplanation:
    """A training step. saved: what is kept between forward and backward pass by layer, the largest first. notes: on the whole step."""

    forward: Explanation
    backward: Explanation
    saved: tuple[SavedRow, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def saved_bytes(self) -> int:
        """What is kept for the backward pass, parameters and inputs aside."""
        return sum(r.bytes for r in self.saved)

    def __str__(self) -> str:
        lines = [f"forward: {self.forward}", f"backward: {self.backward}", f"kept for the backward pass: {size_text(self.saved_bytes)}"]
        lines += [f"  {size_text(r.bytes):>9}  {r.values:3} values  [{r.origin}]" for r in self.saved]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


@dataclass(frozen=True)
class StepProfile:
    """Where the time of a training step goes, in seconds.

    forward, backward: their kernels. step: the whole step. parts: "forward", "loss", "backward", "optimizer" (if one was given), which make
    up the step, and "packing", which is the part of forward and backward that packs changed weights.
    """

    forward: Profile
    backward: Profile
    step: Spread
    parts: Mapping[str, Spread]
    load: Load | None = None

    @property
    def seconds(self) -> float:
        """The median of whole steps."""
        return self.step.median

    @property
    def warning(self) -> str:
        """Why the times are to be doubted, or nothing."""
        return str(self.load) if self.load is not None and self.load.busy else ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "step": asdict(self.step), "parts": {name: asdict(s) for name, s in self.parts.items()}, "warning": self.warning,
            "load": self.load and asdict(self.load), "forward": self.forward.as_dict(), "backward": self.backward.as_dict(),
        }  # fmt: skip

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {1e3 * s.median:.3f}" for name, s in self.parts.items())
        lines = [f"a step takes {1e3 * self.seconds:.3f} ms: {parts}"]
        if self.warning:
            lines.append(f"warning: {self.warning}")
        return "\n".join([*lines, f"forward: {self.forward}", f"backward: {self.backward}"])


def total(result: Any) -> torch.Tensor:
    """The loss where none is given: the sum of all results that have gradients. Raises InputError if there is none."""
    found = [t for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor) and t.requires_grad]
    if not found:
        raise InputError("no result of the model has a gradient", remedy="give a model with parameters or inputs that require gradients")
    return torch.stack([t.sum().to(torch.float32) for t in found]).sum()


class Rehearsal:
    """Training steps of a model after which all is as before: parameters, gradients, buffers, random numbers, the optimizer's state.

    Hooks that the user registered do run.
    """

    def __init__(self, module: SolModule, args: tuple[Any, ...], kwargs: Mapping[str, Any], loss: Loss | None = None,
                 optimizer: torch.optim.Optimizer | None = None) -> None:  # fmt: skip
        self.module, self._args, self._kwargs = module, args, kwargs
        self._loss, self._optimizer = loss or total, optimizer
        self.times: dict[str, list[float]] = defaultdict(list)

    def __enter__(self) -> Rehearsal:
        parameters = list(self.module.parameters())
        steps = self._optimizer is not None
        self._gradients = [(p, p.grad) for p in parameters]
        changed = [*self.module.buffers(), *(parameters if steps else ())]
        self._contents = [(t, t.detach().clone()) for t in changed]
        self._state = copy.deepcopy(self._optimizer.state_dict()) if self._optimizer is not None else None
        self._random = torch.get_rng_state()
        self._inputs = [(t, t.grad) for t in pytree.tree_leaves((self._args, self._kwargs)) if isinstance(t, torch.Tensor) and t.is_leaf]
        return self

    def __exit__(self, *_: object) -> None:
        with torch.no_grad():
            for tensor, content in self._contents:
                tensor.copy_(content)
        for tensor, gradient in [*self._gradients, *self._inputs]:
            tensor.grad = gradient
        if self._optimizer is not None and self._state is not None:
            self._optimizer.load_state_dict(self._state)
        torch.set_rng_state(self._random)

    def step(self) -> None:
        """One step; its times are added to ``times``."""
        parameters = list(self.module.parameters())
        for parameter in parameters:
            parameter.grad = None
        if self._optimizer is None:
            torch.autograd.graph.increment_version(parameters)  # as if an optimizer had changed them: weights are packed again
        marks = [time.perf_counter()]
        with torch.enable_grad():
            result = self.module(*self._args, **self._kwargs)
            marks.append(time.perf_counter())
            loss = self._loss(result)
            marks.append(time.perf_counter())
            loss.backward()
        marks.append(time.perf_counter())
        if self._optimizer is not None:
            self._optimizer.step()
            marks.append(time.perf_counter())
        for name, start, end in zip(("forward", "loss", "backward", "optimizer"), marks, marks[1:]):
            self.times[name].append(end - start)
        self.times["step"].append(marks[-1] - marks[0])


@dataclass
class Run:
    """One run of a graph. saved: results that are kept for the backward pass, by their numbers."""

    graph: TrainingGraph
    program: Program
    taken: Taken
    saved: list[tuple[int, torch.Tensor]]


@contextmanager
def observed(module: SolModule, observe: Callable[[Run], None]) -> Iterator[None]:
    """While it lasts, each run of a compiled forward or backward graph of a model is told."""

    def observer(graph: TrainingGraph, program: Program, taken: Taken, result: Sequence[Any]) -> None:
        saved = [(i, result[i]) for i in graph.kept if isinstance(result[i], torch.Tensor)]
        observe(Run(graph, program, taken, saved))

    with ExitStack() as stack:
        for graph in module.trainer.graphs:
            graph.observers.append(observer)
            stack.callback(graph.observers.remove, observer)
        yield


def saved_rows(runs: Sequence[Run]) -> tuple[SavedRow, ...]:
    """What forward graphs kept, by layer."""
    sizes: dict[str, list[int]] = defaultdict(list)
    for run in runs:
        outputs, graph = run.program.imported.outputs, run.program.imported.graph
        for number, tensor in run.saved:
            leaf = outputs[number]
            if leaf.kind == "tensor":
                sizes[graph.producer(graph.outputs[leaf.index]).origin.path or "?"].append(tensor.nbytes)
    rows = [SavedRow(origin, len(found), sum(found)) for origin, found in sizes.items()]
    return tuple(sorted(rows, key=lambda r: -r.bytes))


def reasons_for_torch(module: SolModule) -> list[str]:
    """Why pieces or passes of the model train in torch."""
    pieces = [p.gradients for p in module.trainer.pieces]
    reasons = [f"a piece trains in torch: {told(g.failure)}" for g in pieces if g.failure is not None]
    reasons += [f"a piece trains in torch, because {g.reason}" for g in pieces if g.failure is None and g.is_torchs]
    return reasons + [f"the {g.what} pass runs in torch: {told(g.failure)}" for g in module.trainer.graphs if g.failure is not None]


def timed_steps(rehearsal: Rehearsal, runs: int, threads: int) -> Load:
    """Time some steps; what else the machine did meanwhile."""
    rehearsal.step()
    rehearsal.times.clear()
    with Watch() as watch:
        for _ in range(max(runs, 1)):
            rehearsal.step()
    return watch.load(threads)


def packing_time(programs: Sequence[Program]) -> Spread:
    """How long it takes to pack all weights of some programs."""
    seconds = []
    for _ in range(PACKINGS):
        start = time.perf_counter()
        for program in programs:
            program.refresh()
        seconds.append(time.perf_counter() - start)
    return Spread.of(seconds)


def joined(profiles: Sequence[Profile]) -> Profile:
    """The profile of several programs that run one after the other."""
    if len(profiles) == 1:
        return profiles[0]
    rows = tuple([row for p in profiles for row in p.rows])
    limits = next((p.roofline for p in profiles if p.roofline is not None), None)
    tracks = tuple([track for p in profiles for track in p.tracks])
    return Profile(rows, limits, None, None, tracks, max([p.threads for p in profiles], default=1))
