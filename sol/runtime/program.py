"""A model compiled for one set of input types: checks inputs, keeps packed weights fresh, runs, and restores the result's structure."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import Any

import torch
from torch.utils import _pytree as pytree

from sol.errors import InputError
from sol.frontend.imported import Imported
from sol.ir.dim import Dim, evaluate, symbols
from sol.ir.graph import Graph
from sol.ir.types import TensorType
from sol.runtime.segments import Runner
from sol.runtime.tensors import TORCH
from sol.runtime.watch import InPlaceChanges, UncountedChanges

log = logging.getLogger("sol.runtime")
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_LEAF = pytree.tree_flatten(0)[1]
Resolve = Callable[[str], torch.Tensor]
Counter = Callable[[str], "torch.Tensor | None"]


class Program:
    """One compiled import.

    resolve: parameter target → the module's current tensor.
    counter: target of running statistics → a tensor that torch changes whenever it changes them, or None if there is none.
    """

    def __init__(self, imported: Imported, resolve: Resolve, *, title: str, isa: str | None = None, threads: int | None = None,
                 runner: Runner | None = None, counter: Counter = lambda target: None) -> None:  # fmt: skip
        self.imported = imported
        self.runner = runner or Runner(imported.graph, imported.torch_calls, title=title, isa=isa, threads=threads)
        self._resolve, self._counter = resolve, counter
        self._statistics = _running_statistics(imported.graph)
        self._types = [imported.graph.type_of(v) for v in imported.graph.inputs]
        self.count = len(self._types)
        self._static = [(torch.Size(map(int, t.shape)), TORCH[t.dtype]) if t.is_static else None for t in self._types]  # type: ignore[arg-type]
        self._all_static = all(self._static) and not imported.symbols
        random = torch.Tag.nondeterministic_seeded
        draws = any(random in getattr(c.target, "tags", ()) for c in imported.torch_calls.values())
        self.repeatable = not imported.mutations and not draws  # a second run gives the same result
        self._symbols = {s.name: s for t in self._types for d in t.shape for s in symbols(d)}
        self.direct = self._takes_flat_tensors()
        self._single = imported.out_spec == _LEAF and imported.outputs[0].kind == "tensor" and not imported.mutations
        self.tensors: list[torch.Tensor] = []
        self.watched: list[torch.Tensor] = []
        self._changes: InPlaceChanges | None = None
        self._uncounted: UncountedChanges | None = None
        self.refresh()

    def share(self, resolve: Resolve, counter: Counter) -> Program:
        """The same code for another module with the same parameter names."""
        return Program(self.imported, resolve, title="", runner=self.runner.share(), counter=counter)

    def _takes_flat_tensors(self) -> bool:
        """Whether positional arguments are the graph inputs, in order."""
        leaves = self.imported.inputs
        plain = pytree.tree_flatten((tuple(0 for _ in leaves), {}))[1]
        in_order = all(leaf.kind in ("tensor", "unused") and leaf.index == i for i, leaf in enumerate(leaves))
        return in_order and self.imported.in_spec == plain and len(leaves) == len(self._types)

    def prefetcher(self, lines: Sequence[int]) -> Callable[[], None] | None:
        """A function that fetches these addresses into the cache."""
        return next((e.prefetcher(lines) for e in self.runner.executables), None)

    # -- weights -------------------------------------------------------------------------------------------------------

    def tensor_of(self, target: str) -> torch.Tensor:
        """The tensor behind a graph parameter."""
        found = self.imported.constants.get(target)
        return self._resolve(target) if found is None else found

    def refresh(self) -> None:
        """Pack the weights from the parameters as they are now."""
        self._pack([self.tensor_of(t) for t in self.runner.targets])

    def _pack(self, tensors: list[torch.Tensor]) -> None:
        named = dict(zip(self.runner.targets, tensors))
        self._changes = None
        counters = {t: None if t in self.imported.constants else self._counter(t) for t in self._statistics}
        uncounted = [named[t] for t, counter in counters.items() if counter is None]
        watched = [*tensors, *(c for c in counters.values() if c is not None)]
        # before packing: what changes meanwhile is seen by the next call
        changes, self._uncounted = InPlaceChanges(watched), UncountedChanges(uncounted) if uncounted else None
        self.runner.pack(named)
        self.tensors, self.watched, self._changes = tensors, changes.in_python, changes

    def refresh_if_stale(self) -> None:
        """Pack again if a parameter was changed in place since the last time."""
        changes = self._changes
        if changes is None or changes.seen() or (self._uncounted is not None and self._uncounted.seen()):
            self._pack(self.tensors)

    def rebind(self) -> bool:
        """After parameters were replaced: pack again from the new ones; False if they no longer fit."""
        try:
            tensors = [self.tensor_of(t) for t in self.runner.targets]
        except AttributeError:
            return False
        graph = self.imported.graph
        types = graph.parameter_types.values()
        if any(tuple(t.shape) != type.shape or t.dtype is not TORCH[type.dtype] for t, type in zip(tensors, types)):
            return False
        if not all(map(is_, tensors, self.tensors)):
            self._pack(tensors)
        return True

    # -- inputs --------------------------------------------------------------------------------------------------------

    def flatten(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Sequence[torch.Tensor]:
        """The graph inputs in order; InputError if the structure differs from what was compiled."""
        if self.direct and not kwargs and len(args) == len(self._types):
            return args
        return self.imported.flatten_inputs(args, kwargs)

    def accepts(self, tensors: Sequence[torch.Tensor]) -> bool:
        """Whether these graph inputs have the compiled types (sizes of symbolic dims may differ)."""
        if self._all_static:
            for tensor, wanted in zip(tensors, self._static):
                if type(tensor) not in _PLAIN:
                    return False
                if tensor.shape != wanted[0] or tensor.dtype is not wanted[1]:  # type: ignore[index]
                    return False
            return True
        return self._accepts_symbolic(tensors)

    def _accepts_symbolic(self, tensors: Sequence[torch.Tensor]) -> bool:
        for tensor, wanted in zip(tensors, self._types):
            if type(tensor) not in _PLAIN or tensor.dim() != wanted.rank or tensor.dtype is not TORCH[wanted.dtype]:
                return False
        env = self.imported.read_symbols(tensors)
        return all(_same_sizes(t, wanted, env) for t, wanted in zip(tensors, self._types)) and self._in_range(env)

    def _in_range(self, env: Mapping[str, int]) -> bool:
        return all(self._symbols[n].lower <= v <= self._symbols[n].upper for n, v in env.items() if n in self._symbols)

    # -- run -----------------------------------------------------------------------------------------------------------

    def run(self, tensors: Sequence[torch.Tensor]) -> Any:
        """The model's result for graph inputs that ``accepts`` took."""
        env = self.symbols_of(tensors)
        ready = [_ready(t) for t in tensors]
        results = self.runner(ready, env)
        if self._single:
            return results[0]
        self._write_back(results, tensors)
        return self.imported.unflatten_outputs(results, env, tensors)

    def symbols_of(self, tensors: Sequence[torch.Tensor]) -> dict[str, int] | None:
        """Values of the symbols for these graph inputs; None if there are none."""
        return self.imported.read_symbols(tensors) if self.imported.symbols else None

    def _write_back(self, results: Sequence[torch.Tensor], tensors: Sequence[torch.Tensor]) -> None:
        for mutation in self.imported.mutations:
            target = tensors[mutation.target] if isinstance(mutation.target, int) else self._resolve(mutation.target)
            with torch.no_grad():
                target.copy_(results[mutation.output])


def _running_statistics(graph: Graph) -> tuple[str, ...]:
    """Targets of parameters that batch norms read as mean or variance."""
    producers = [graph.producer(v) for n in graph.nodes if n.op == "batch_norm" for v in n.inputs[3:5]]
    return tuple(dict.fromkeys(p.attrs["target"] for p in producers if p.op == "parameter"))


def _same_sizes(tensor: torch.Tensor, type: TensorType, env: Mapping[str, int]) -> bool:
    return all(s == (evaluate(d, env) if isinstance(d, Dim) else d) for s, d in zip(tensor.shape, type.shape))


def _ready(tensor: torch.Tensor) -> torch.Tensor:
    """A contiguous CPU tensor with the same values."""
    if tensor.is_cpu and tensor.layout is torch.strided:
        if tensor.is_neg():
            tensor = tensor.resolve_neg()
        return tensor if tensor.is_contiguous() else tensor.contiguous()
    raise InputError(
        f"an input is a {tensor.layout} tensor on the {tensor.device.type} device; compiled code runs on dense CPU tensors",
        remedy="move the input to the CPU (tensor.cpu()) or make it dense (tensor.to_dense())",
    )
