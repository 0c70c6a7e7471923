"""One operation of torch, or a few, as a compiled network for tensors of fixed types, sizes and strides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from sol.errors import CacheError, CompilerError, CompilerNotFoundError, SolError
from sol.frontend.imported import Imported
from sol.frontend.torch.capture import take_call
from sol.frontend.torch.export import import_call
from sol.runtime.executable import Executable
from sol.runtime.packers import compile_ahead
from sol.runtime.torch.placement import Placement, placement
from sol.runtime.torch.tensors import TENSORS
from sol.tuning.compile import compile_tuned


@dataclass(frozen=True)
class Operation:
    """A compiled operation. executable: takes and gives the row-major tensors that tensors lie in. inputs: for each input of the network
    the number of the tensor, and whether it is read. results: how results lie, as tensors without memory; the network gives those
    that have elements."""

    executable: Executable
    inputs: tuple[tuple[int, bool], ...]
    results: tuple[torch.Tensor, ...]

    def words(self) -> list[int]:
        """What the extension of PyTorch is told (sol/device/extension/compiled.cpp)."""
        return [*self.executable.frame(), len(self.inputs), *[word for number, read in self.inputs for word in (number, int(read))]]


class _Call(torch.nn.Module):
    """The operation on row-major tensors."""

    def __init__(self, function: Callable[..., Any], placements: Sequence[Placement], results: Sequence[Placement]) -> None:
        super().__init__()
        self._function, self._placements, self._results = function, placements, results

    def forward(self, *bases: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = self._function(*[p.view(base) for p, base in zip(self._placements, bases)])
        found = [result for result in (found if isinstance(found, (tuple, list)) else (found,)) if result.numel()]
        return tuple([p.base_of(result) for p, result in zip(self._results, found)])


def compile_operation(
    function: Callable[..., Any], tensors: Sequence[torch.Tensor], targets: Sequence[torch.Tensor] = (), *, title: str = "operation"
) -> Operation | None:
    """Compile a function of tensors that is one operation; None where compiled code cannot compute it, or tensors lie in slices of others.

    tensors: what it takes; only their types, sizes and strides matter. targets: tensors that its results are written to, of which those
    without elements become row-major; none: new ones, which lie as torch would have them.
    Raises CompilerNotFoundError, CompilerError or CacheError.
    """
    results = expected_results(function, tensors)
    if results is None or any(t.numel() and t.shape != r.shape or t.dtype != r.dtype for t, r in zip(targets, results)):
        return None
    if targets:
        results = tuple([_like(t) if t.numel() else _like(r.contiguous()) for t, r in zip(targets, results)])
    taken = [p for t in tensors if (p := placement(t.shape, t.stride())) is not None]
    computed = [t for t in results if t.numel()]
    given = [p for t in computed if (p := placement(t.shape, t.stride())) is not None and not p.is_expanded]
    if len(taken) < len(tensors) or len(given) < len(computed) or not computed:
        return None
    call = _Call(function, taken, given).eval()
    bases = [torch.empty(p.base, dtype=t.dtype) for p, t in zip(taken, tensors)]
    try:
        with torch.no_grad():
            imported = import_call(call, take_call(tuple(bases), {}), torch_at_hand=False)
        if not _is_plain(imported, computed):
            return None
        compiled = compile_tuned(imported.graph, title=title, threads=TENSORS.threads(), planned=compile_ahead)
    except (CompilerNotFoundError, CompilerError, CacheError):
        raise
    except SolError:
        return None
    executable = Executable(compiled, arrays=TENSORS)
    executable.pack(imported.parameters)
    order = sorted((leaf.index, number, leaf.kind == "tensor") for number, leaf in enumerate(imported.inputs))
    return Operation(executable, tuple([(number, read) for _, number, read in order]), results)


def expected_results(function: Callable[..., Any], tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...] | None:
    """What torch gives for tensors like these, without memory; None where it cannot say, or where results are no tensors."""
    try:
        with torch.no_grad(), FakeTensorMode():
            found = function(*[torch.empty_strided(t.shape, t.stride(), dtype=t.dtype) for t in tensors])
    except Exception:  # operations whose results depend on data have none, and what torch refuses is for torch to refuse
        return None
    found = tuple(found) if isinstance(found, (tuple, list)) else (found,)
    return tuple([_like(r) for r in found]) if all(isinstance(r, torch.Tensor) and r.is_cpu for r in found) else None


def _like(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


def _is_plain(imported: Imported, results: Sequence[torch.Tensor]) -> bool:
    """Whether compiled code alone gives all results, in order, whatever the data."""
    if imported.torch_calls or imported.mutations or imported.exchanges or imported.changes or imported.guards or imported.held:
        return False
    if imported.symbols or imported.unbacked or any(leaf.kind not in ("tensor", "unused") for leaf in imported.inputs):
        return False
    graph = imported.graph
    if not all(t.is_static for node in graph.nodes for t in node.types) or len(graph.outputs) != len(results):
        return False
    return all(leaf.kind == "tensor" and leaf.index == i and not leaf.views for i, leaf in enumerate(imported.outputs))


@dataclass(frozen=True)
class Layer:
    """A compiled layer: an operation on an input and on parameters that are packed before. executable: for any weights of the same kind."""

    executable: Executable
    taken: Placement
    given: Placement

    def base(self, x: torch.Tensor) -> torch.Tensor:
        """What the network takes of an input that lies as it was compiled for."""
        return self.taken.base_of(x)

    def result(self, base: torch.Tensor) -> torch.Tensor:
        """The layer's result, of what the network gives."""
        return self.given.view(base)

    def parameters(self, weight: torch.Tensor, bias: torch.Tensor | None) -> dict[str, torch.Tensor]:
        """What weights are packed from."""
        own = {"weight": weight} if bias is None else {"weight": weight, "bias": bias}
        return {target: own[target] for target in self.executable.targets}


class _LayerCall(torch.nn.Module):
    """The layer on row-major tensors."""

    def __init__(
        self, function: Callable[..., Any], weight: torch.Tensor, bias: torch.Tensor | None, taken: Placement, given: Placement
    ) -> None:
        super().__init__()
        self._function, self._taken, self._given = function, taken, given
        self.weight = torch.nn.Parameter(weight.detach(), requires_grad=False)
        self.bias = None if bias is None else torch.nn.Parameter(bias.detach(), requires_grad=False)

    def forward(self, base: torch.Tensor) -> torch.Tensor:
        return self._given.base_of(self._function(self._taken.view(base), self.weight, self.bias))


def compile_layer(function: Callable[..., Any], x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> Layer | None:
    """Compile ``function(x, weight, bias)``, which is called once, for inputs like x and parameters like these, whose content may change.
    None where compiled code cannot compute it, or tensors lie in slices of others.

    Raises CompilerNotFoundError, CompilerError or CacheError.
    """
    with torch.no_grad():
        result = function(x, weight, bias)
    taken, given = placement(x.shape, x.stride()), placement(result.shape, result.stride())
    if taken is None or taken.is_expanded or given is None or given.is_expanded:
        return None
    call = _LayerCall(function, weight, bias, taken, given).eval()
    try:
        with torch.no_grad():
            imported = import_call(call, take_call((torch.empty(taken.base, dtype=x.dtype),), {}), torch_at_hand=False)
        if not _is_plain(imported, [result]):
            return None
        compiled = compile_tuned(imported.graph, title="layer", threads=TENSORS.threads(), planned=compile_ahead)
    except (CompilerNotFoundError, CompilerError, CacheError):
        raise
    except SolError:
        return None
    executable = Executable(compiled, arrays=TENSORS)
    return Layer(executable, taken, given) if set(executable.targets) <= {"weight", "bias"} and not imported.parameters else None
