"""A model compiled for one set of input types: checks inputs, keeps packed weights fresh, runs, and restores the result's structure."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import torch
from torch.utils import _pytree as pytree

from sol.errors import InputError
from sol.frontend.imported import Imported
from sol.ir.dim import Dim, evaluate
from sol.ir.types import TensorType
from sol.runtime.executable import TORCH
from sol.runtime.segments import Runner

log = logging.getLogger("sol.runtime")
_version = attrgetter("_version")
_LEAF = pytree.tree_flatten(0)[1]
Resolve = Callable[[str], torch.Tensor]


class Program:
    """One compiled import.

    resolve: parameter target → the module's current tensor.
    """

    def __init__(self, imported: Imported, resolve: Resolve, *, title: str, isa: str | None = None, threads: int | None = None,
                 runner: Runner | None = None) -> None:  # fmt: skip
        self.imported = imported
        self.runner = runner or Runner(imported.graph, imported.torch_calls, title=title, isa=isa, threads=threads)
        self._resolve = resolve
        self._types = [imported.graph.type_of(v) for v in imported.graph.inputs]
        self._static = [(torch.Size(t.shape), TORCH[t.dtype]) if t.is_static else None for t in self._types]
        self._all_static = all(self._static) and not imported.symbols
        self._direct = self._takes_flat_tensors()
        self._single = imported.out_spec == _LEAF and imported.outputs[0].kind == "tensor" and not imported.mutations
        self._tensors: list[torch.Tensor] = []
        self._versions: list[int] = []
        self.refresh()

    def share(self, resolve: Resolve) -> "Program":
        """The same code for another module with the same parameter names."""
        return Program(self.imported, resolve, title="", runner=self.runner.share())

    def _takes_flat_tensors(self) -> bool:
        """Whether positional arguments are the graph inputs, in order."""
        leaves = self.imported.inputs
        plain = pytree.tree_flatten((tuple(0 for _ in leaves), {}))[1]
        in_order = all(leaf.kind in ("tensor", "unused") and leaf.index == i for i, leaf in enumerate(leaves))
        return in_order and self.imported.in_spec == plain and len(leaves) == len(self._types)

    # -- weights -------------------------------------------------------------------------------------------------------

    def tensor_of(self, target: str) -> torch.Tensor:
        """The tensor behind a graph parameter."""
        found = self.imported.constants.get(target)
        return self._resolve(target) if found is None else found

    def refresh(self) -> None:
        """Pack the weights from the parameters as they are now."""
        tensors = {t: self.tensor_of(t) for t in self.runner.targets}
        self._tensors = list(tensors.values())
        self._versions = list(map(_version, self._tensors))
        self.runner.pack(tensors)

    def refresh_if_stale(self) -> None:
        """Pack again if a parameter was changed in place since the last time."""
        if list(map(_version, self._tensors)) != self._versions:
            self.refresh()

    def rebind(self) -> bool:
        """After parameters were replaced: pack again from the new ones; False if their types changed."""
        tensors = [self.tensor_of(t) for t in self.runner.targets]
        if any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(tensors, self._tensors)):
            return False
        if any(a is not b for a, b in zip(tensors, self._tensors)):
            self.refresh()
        return True

    # -- inputs --------------------------------------------------------------------------------------------------------

    def flatten(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Sequence[torch.Tensor]:
        """The graph inputs in order; InputError if the structure differs from what was compiled."""
        if self._direct and not kwargs and len(args) == len(self._types):
            return args
        return self.imported.flatten_inputs(args, kwargs)

    def accepts(self, tensors: Sequence[torch.Tensor]) -> bool:
        """Whether these graph inputs have the compiled types (sizes of symbolic dims may differ)."""
        if self._all_static:
            for tensor, wanted in zip(tensors, self._static):
                if type(tensor) is not torch.Tensor and not isinstance(tensor, torch.Tensor):
                    return False
                if tensor.shape != wanted[0] or tensor.dtype is not wanted[1]:  # type: ignore[index]
                    return False
            return True
        return self._accepts_symbolic(tensors)

    def _accepts_symbolic(self, tensors: Sequence[torch.Tensor]) -> bool:
        for tensor, type in zip(tensors, self._types):
            if not isinstance(tensor, torch.Tensor) or tensor.dim() != type.rank or tensor.dtype is not TORCH[type.dtype]:
                return False
        env = self.imported.read_symbols(tensors)
        return all(_same_sizes(t, type, env) for t, type in zip(tensors, self._types)) and self._in_range(env)

    def _in_range(self, env: Mapping[str, int]) -> bool:
        from sol.ir.dim import symbols

        known = {s.name: s for t in self._types for d in t.shape for s in symbols(d)}
        return all(known[n].lower <= v <= known[n].upper for n, v in env.items() if n in known)

    # -- run -----------------------------------------------------------------------------------------------------------

    def run(self, tensors: Sequence[torch.Tensor]) -> Any:
        """The model's result for graph inputs that ``accepts`` took."""
        env = self.imported.read_symbols(tensors) if self.imported.symbols else None
        ready = [_ready(t) for t in tensors]
        results = self.runner(ready, env)
        if self._single:
            return results[0]
        self._write_back(results, tensors)
        return self.imported.unflatten_outputs(results, env)

    def run_flat(self, tensors: Sequence[torch.Tensor], env: Mapping[str, int] | None = None) -> list[torch.Tensor]:
        """Graph outputs in order, before the result's structure is restored; in-place changes are carried out."""
        if env is None and self.imported.symbols:
            env = self.imported.read_symbols(tensors)
        results = self.runner([_ready(t) for t in tensors], env)
        self._write_back(results, tensors)
        return results

    def _write_back(self, results: Sequence[torch.Tensor], tensors: Sequence[torch.Tensor]) -> None:
        for mutation in self.imported.mutations:
            target = tensors[mutation.target] if isinstance(mutation.target, int) else self._resolve(mutation.target)
            with torch.no_grad():
                target.copy_(results[mutation.output])


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
