"""A model compiled for one set of input types: takes calls apart, keeps packed weights fresh, runs, and restores the result's structure."""

from __future__ import annotations

import collections
import logging
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from operator import is_
from typing import Any

import torch

from sol.codegen.targets import Target
from sol.errors import InputError, UnsupportedError
from sol.frontend.imported import Imported, OutputLeaf
from sol.ir.graph import Graph
from sol.ir.types import TensorType
from sol.runtime.arrays import Arrays
from sol.runtime.team import expect_openmp
from sol.runtime.torch.calls import give_function, take_function
from sol.runtime.torch.change_detection import InPlaceChanges, UncountedChanges
from sol.runtime.torch.runner import Runner
from sol.runtime.torch.tensors import TENSORS, TORCH

log = logging.getLogger("sol.runtime")
Held = MutableMapping[str, torch.Tensor]
Taken = tuple[tuple[torch.Tensor, ...], "dict[str, int] | None"]
"""A call taken apart: the caller's graph inputs, and the values of symbols."""
Counter = Callable[[str], "torch.Tensor | None"]


class Outdated(Exception):
    """A program is not right any more, and has to be made anew."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.program = program


class Program:
    """One compiled import.

    awaits_memo: whether the model keeps values at the first call that later calls find (`Imported.fills_memo`), and has not yet.

    held: the module's tensors by target; what is set there, the module has from then on.
    counter: target of running statistics → a tensor that torch changes whenever it changes them, or None if there is none.
    arrays: how results are allocated. device: the type of the device on which tensors lie, which a runner of its own serves if it is not
    the CPU.
    take: a call's arguments → what ``run`` wants, or None for a call that this program is not for.
    """

    def __init__(self, imported: Imported, held: Held, *, title: str, isa: str | Target | None = None, threads: int | None = None,
                 runner: Runner | None = None, counter: Counter = lambda target: None, arrays: Arrays = TENSORS,
                 device: str = "cpu") -> None:  # fmt: skip
        self.imported = imported
        self.runner = runner or Runner(
            imported.graph, imported.torch_calls, title=title, isa=isa, threads=threads, arrays=arrays, becomes=_becomes(imported)
        )
        self.held = _WithConstants(held, imported.parameters) if imported.parameters else held
        self._counter = counter
        self._statistics = _running_statistics(imported.graph)
        self.take = take_function(imported, device)
        self._give = give_function(imported)
        self._plain = not imported.held
        self.computed = tuple(dict.fromkeys(leaf for leaf in imported.outputs if leaf.kind == "tensor"))
        self._give_leaves: Any = None
        draws = any(n.attrs["draws"] for n in imported.graph if n.op == "torch_call")
        changes = self._changes_always = bool(imported.mutations or imported.exchanges or imported.changes)
        self.expect_memo(filled=False)
        # whether a second run gives the same result, with gradients as well
        self.repeatable = not (changes or draws or imported.differs_with_gradients or imported.asks_gradient_mode)
        self.tensors: list[torch.Tensor] = []
        self.watched: list[torch.Tensor] = []
        self._changes: InPlaceChanges | None = None
        self._uncounted: UncountedChanges | None = None
        self.refresh()
        if self.runner.executables:
            expect_openmp()

    def share(self, held: Held, counter: Counter) -> Program:
        """The same code for another module with the same parameter names."""
        return Program(self.imported, held, title="", runner=self.runner.share(), counter=counter)

    def prefetcher(self, lines: Sequence[int]) -> Callable[[], None] | None:
        """A function that fetches these addresses into the cache."""
        return next((e.prefetcher(lines) for e in self.runner.executables), None)

    # -- weights -------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Pack the weights from the parameters as they are now."""
        self._pack([self.held[t] for t in self.runner.targets])

    def _pack(self, tensors: list[torch.Tensor], *, same: bool = False) -> None:
        """same: these are the tensors of the last time, so that what was not changed in place need not be packed again."""
        named = dict(zip(self.runner.targets, tensors))
        zeros = self._zeros()
        before, self._changes = (self._changes, self._uncounted), None
        counters = {t: None if t in self.imported.parameters else self._counter(t) for t in self._statistics}
        uncounted = [named[t] for t, counter in counters.items() if counter is None]
        watched = [*tensors, *zeros, *(c for c in counters.values() if c is not None)]
        # before packing: what changes meanwhile is seen by the next call
        changes, self._uncounted = InPlaceChanges(watched), UncountedChanges(uncounted) if uncounted else None
        changed = None
        if same and before[0] is not None:
            found = {*map(id, changes.since(before[0]))}
            if self._uncounted is not None and before[1] is not None:
                found |= {*map(id, self._uncounted.since(before[1]))}
            changed = {t for t, tensor in named.items() if id(tensor) in found or id(counters.get(t)) in found}
        self.runner.pack(named, changed)
        self.tensors, self.watched, self._changes = tensors, changes.in_python, changes

    def _zeros(self) -> list[torch.Tensor]:
        """The tensors that the graph takes to be zero; UnsupportedError if one is not any more."""
        found = {t: self.held[t] for t in self.imported.zeros}
        for target, tensor in found.items():
            if bool(torch.any(tensor != 0)):
                raise UnsupportedError(
                    f"the zero points {target} were 0 when the model was compiled, and are not any more",
                    remedy="call sol.optimize again after changing the zero points of weights",
                )
        return list(found.values())

    def refresh_if_stale(self) -> None:
        """Pack again if a parameter was changed in place since the last time.

        Raises Outdated if the model keeps values that it has computed from the parameters as they were.
        """
        changes = self._changes
        if changes is None or changes.seen() or (self._uncounted is not None and self._uncounted.seen()):
            if self._relies_on_memo:
                raise Outdated(self)
            self._pack(self.tensors, same=True)

    @property
    def _relies_on_memo(self) -> bool:
        return self.imported.fills_memo and not self.awaits_memo

    def expect_memo(self, filled: bool) -> None:
        """Whether the model keeps by now what later calls find; the program computes the same as long as parameters do not change."""
        self.awaits_memo = self.imported.fills_memo and not filled
        self.changes_things = self._changes_always or self.awaits_memo

    def serves(self, target: str, type: TensorType) -> bool:
        """Whether it is right all the same once a buffer means another tensor of this type."""
        graph, held = self.imported.graph, self.imported.held
        known = dict(zip(held, graph.inputs[len(graph.inputs) - len(held) :]))
        return target not in self.runner.targets and (target not in known or (type.is_static and graph.type_of(known[target]) == type))

    @property
    def exchanges(self) -> list[tuple[str, TensorType]] | None:
        """Buffers that mean another tensor after a call, with its type; None if that is not known."""
        imported = self.imported
        if any(leaf.kind != "tensor" or leaf.views for _, leaf in imported.exchanges):
            return None
        return [(target, imported.graph.type_of(imported.graph.outputs[leaf.index])) for target, leaf in imported.exchanges]

    def rebind(self) -> bool:
        """After parameters were replaced: pack again from the new ones; False if they no longer fit."""
        graph = self.imported.graph
        inputs = graph.inputs[len(graph.inputs) - len(self.imported.held) :]
        try:
            tensors = [self.held[t] for t in self.runner.targets]
            fit = [(self.held[t], graph.type_of(v)) for t, v in zip(self.imported.held, inputs)]
        except (AttributeError, KeyError):
            return False
        fit += zip(tensors, graph.parameter_types.values())
        if any(tuple(t.shape) != type.shape or t.dtype is not TORCH[type.dtype] for t, type in fit):
            return False
        if not all(map(is_, tensors, self.tensors)):
            if self._relies_on_memo:
                return False
            self._pack(tensors)
        return True

    # -- run -----------------------------------------------------------------------------------------------------------

    def inputs_of(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Taken:
        """What ``take`` gives; InputError for a call that this program is not for."""
        taken = self.take(args, kwargs)
        if taken is None:
            raise InputError("the inputs have other types or another structure than was compiled for", remedy="compile again for them")
        return taken

    def run(self, taken: Taken, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's result for a call that ``take`` took."""
        tensors, env = taken
        results = self.runner(tensors, env) if self._plain else self.results(taken)
        if self._give is None:
            return results[0]
        for mutation in self.imported.mutations:
            target = tensors[mutation.target] if isinstance(mutation.target, int) else self.held[mutation.target]
            result = results[mutation.output]
            if result is target:
                if not target.is_inference():
                    torch.autograd.graph.increment_version(target)
            elif torch.is_grad_enabled():
                with torch.no_grad():
                    target.copy_(result)
            else:
                target.copy_(result)
        return self._give(results, env, tensors, self.held, args, kwargs)

    def results(self, taken: Taken) -> list[torch.Tensor]:
        """Graph outputs. Of what the call changes nothing is changed yet, but for tensors that are outputs themselves."""
        tensors, env = taken
        if not self._plain:
            tensors = self.graph_inputs(taken)
        return self.runner(tensors, env)

    def leaf_tensors(self, taken: Taken) -> list[torch.Tensor]:
        """The tensors of the result that are computed (``computed``), views taken."""
        results = self.results(taken)
        found = []
        for leaf in self.computed:
            tensor = results[leaf.index]
            for step in leaf.views:
                tensor = step(tensor, taken[1] or {})
            found.append(tensor)
        return found

    def give_leaves(self, tensors: Sequence[torch.Tensor], taken: Taken, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's result made of what ``leaf_tensors`` gave."""
        if self._give_leaves is None:
            place = {leaf: OutputLeaf("tensor", k) for k, leaf in enumerate(self.computed)}
            self._give_leaves = give_function(replace(self.imported, outputs=tuple([place.get(o, o) for o in self.imported.outputs])))
        if self._give_leaves is None:
            return tensors[0]
        return self._give_leaves(tensors, taken[1], taken[0], self.held, args, kwargs)

    def graph_inputs(self, taken: Taken) -> tuple[torch.Tensor, ...]:
        """Tensors of the caller and those of the module that the graph takes as inputs."""
        return (*taken[0], *[self.held[t] for t in self.imported.held])


class _WithConstants(dict[str, torch.Tensor]):
    """Tensors of the module, and those that only the import knows."""

    def __init__(self, held: Held, constants: Mapping[str, torch.Tensor]) -> None:
        super().__init__(constants)
        self._held = held

    def __missing__(self, target: str) -> torch.Tensor:
        return self._held[target]

    def __setitem__(self, target: str, tensor: torch.Tensor) -> None:
        self._held[target] = tensor


def _becomes(imported: Imported) -> dict[int, int]:
    """Graph inputs that a call changes → the outputs whose content they get, if that is all that these outputs are for.

    None where a call may turn out to be one that the graph is not for, and ends in an error: its tensors must then be as they were.
    """
    if imported.guards:
        return {}
    graph = imported.graph
    first_held = len(graph.inputs) - len(imported.held)
    others = [*imported.outputs, *(leaf for _, leaf in imported.exchanges)]
    uses = collections.Counter(leaf.index for leaf in others if leaf.kind in ("tensor", "item"))
    uses += collections.Counter(m.output for m in imported.mutations)
    found: dict[int, int] = {}
    for mutation in imported.mutations:
        target = mutation.target
        number = target if isinstance(target, int) else first_held + imported.held.index(target) if target in imported.held else None
        if number is not None and uses[mutation.output] == 1 and graph.outputs.count(graph.outputs[mutation.output]) == 1:
            found[number] = mutation.output
    return found


def _running_statistics(graph: Graph) -> tuple[str, ...]:
    """Targets of parameters that batch norms read as mean or variance."""
    producers = [graph.producer(v) for n in graph.nodes if n.op == "batch_norm" for v in n.inputs[3:5]]
    return tuple(dict.fromkeys(p.attrs["target"] for p in producers if p.op == "parameter"))
