"""A compiled model whose parameters lie on a device that runs programs in OpenCL C: a call queues the network's launches and returns.

A program reads the device's own parameters. To capture the model, a copy of it on the CPU is traced, and dropped afterwards. What is not
compiled runs in eager, operation by operation: calls in training mode or with gradients, under autocast, and models that cannot be captured
whole.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from sol.codegen.targets import Target
from sol.frontend.imported import Imported
from sol.frontend.torch.capture import Call
from sol.frontend.torch.torch_call import TorchCall
from sol.ir.graph import Graph
from sol.runtime.arrays import Arrays
from sol.runtime.torch.calls import as_tensor
from sol.runtime.torch.grid_executable import GridExecutable
from sol.runtime.torch.held import HeldTensors
from sol.runtime.torch.hoist import values_of
from sol.runtime.torch.program import Program
from sol.runtime.torch.runner import Runner
from sol.runtime.torch.ways import Ways
from sol.tuning.compile import compile_queued

DEVICE = "sol"
OPENCL_C = 2
"""``SOL_PROGRAM_OPENCL_C`` of sol_driver.h."""


def runs_opencl(device: torch.device) -> bool:
    """Whether a device of sol takes programs in OpenCL C."""
    return int(torch.ops.sol_device.program_kind(device.index or 0)) == OPENCL_C


class GridRunner(Runner):
    """A graph on a device: its compiled parts are queued there, torch calls run on the CPU, on copies."""

    def __init__(self, imported: Imported, device: torch.device, *, title: str, isa: str | Target | None) -> None:
        self.device = device
        calls = {key: replace(call, target=_OnCopies(call, device)) for key, call in imported.torch_calls.items()}
        super().__init__(imported.graph, calls, title=title, isa=isa)

    def _executable(self, graph: Graph, title: str, isa: str | Target | None, threads: int | None, arrays: Arrays) -> GridExecutable:
        return GridExecutable(compile_queued(graph, title=title, isa=isa), self.device)

    def pack(self, parameters: Mapping[str, torch.Tensor], changed: Any = None) -> None:
        """As that of the base class; parameters may lie on the device or on the CPU."""
        with torch.no_grad():
            host = _Copies(parameters)
            self.derived = {k: v.cpu() for k, v in self.hoisted.derive(self.torch_calls, host).items()}
            for executable in self.executables:
                executable.pack({**parameters, **self.derived}, None if changed is None else {*changed, *self.derived})
            found = values_of(self.graph, self._constants_wanted, {**dict(host), **self.derived} if self._constants_wanted else {})
            self.constants = {value: tensor.to(self.device) for value, tensor in found.items()}


class _OnCopies:
    """An operation of torch that runs on the CPU with copies of tensors of the device, and gives its results there."""

    def __init__(self, call: TorchCall, device: torch.device) -> None:
        self.call, self.device, self.tags = call, device, getattr(call.target, "tags", ())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        torch.ops.sol_device.count_fallback(self.call.name)
        args, kwargs = pytree.tree_map_only(torch.Tensor, torch.Tensor.cpu, (args, kwargs))
        return pytree.tree_map_only(torch.Tensor, lambda t: t.to(self.device), self.call.target(*args, **kwargs))


class _Copies(Mapping[str, torch.Tensor]):
    """Parameters as tensors of the CPU, copied when they are asked for."""

    def __init__(self, parameters: Mapping[str, torch.Tensor]) -> None:
        self._parameters = parameters

    def __getitem__(self, target: str) -> torch.Tensor:
        return self._parameters[target].detach().cpu()

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)


class QueuedWays(Ways):
    """Ways whose programs run on a device. Sizes never stay open."""

    device: torch.device

    def _candidates(self, call: Call) -> Iterator[tuple[Call, dict[int, dict[int, Any]]]]:
        yield call, {}

    def _step_down(self, error: Exception) -> None:
        super()._step_down(error)
        self.partition, self.failure = None, error

    def _new_program(self, imported: Imported) -> Program:
        runner = GridRunner(imported, self.device, title=self.title, isa=self.options.isa)
        return Program(imported, self._held, title=self.title, runner=runner, counter=self._counter, device=DEVICE)


class OnQueue:
    """Calls of a module on a device of OpenCL.

    module: what ``sol.optimize`` gave, whose parameters and buffers lie on ``device``. inner: the user's model in it.
    """

    def __init__(self, module: Any, inner: torch.nn.Module, device: torch.device) -> None:
        self.device, self._module, self._inner = device, module, inner
        tensors = {id(t): t for t in (*inner.parameters(), *inner.buffers())}.values()
        other = next((t.device for t in tensors if t.device != device), None)
        if other is not None:
            raise RuntimeError(f"expected all tensors of a model to be on one device, but found {device} and {other}")
        self._tensors = list(tensors)
        self._places = [t.data_ptr() for t in self._tensors]
        self.ways = QueuedWays(inner, module._options, HeldTensors(inner), module._counter, nullcontext)
        self.ways.device, self.ways.reads = device, module._ways.reads
        self._fresh = torch.zeros(1).to(device)._version  # of a tensor that was moved and not changed since

    @property
    def host_programs(self) -> Sequence[Program]:
        """Programs whose code runs on the CPU: those that there were before the model was moved."""
        return self._module._programs.entries  # type: ignore[no-any-return]

    def fits(self) -> bool:
        """Whether the tensors still lie where they lay."""
        return [t.data_ptr() for t in self._tensors] == self._places

    def refresh(self) -> None:
        """Weights are made again."""
        for program in self.ways.programs.entries:
            program.refresh()

    def moved(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], bool]:
        """Arguments on the device, and whether results belong there: not if all tensors are the CPU's.

        Raises RuntimeError for a tensor of another device of sol.
        """
        leaves, structure = pytree.tree_flatten((args, dict(kwargs)))
        leaves = [as_tensor(leaf) if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        other = next((t.device for t in tensors if t.device.type == DEVICE and t.device != self.device), None)
        if other is not None:
            raise RuntimeError(f"expected all tensors to be on one device, but found {self.device} (the model's) and {other} (an input's)")
        there = not tensors or any(t.device.type == DEVICE for t in tensors)
        near = [leaf.to(self.device) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        args, kwargs = pytree.tree_unflatten(near, structure)
        return args, dict(kwargs), there

    def compile_for(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        """The program for these inputs, compiled now if need be; None if they run in eager (``ways`` says why)."""
        args, kwargs, _ = self.moved(args, kwargs)
        return self._program(args, kwargs)

    def _program(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        found = self.ways.find(args, kwargs)
        if found is not None:
            return found[0]
        args, kwargs = pytree.tree_map_only(torch.Tensor, torch.Tensor.cpu, (args, dict(kwargs)))
        if self.ways.are_known(args, kwargs):
            return None
        memo: dict[int, Any] = {}
        for tensor in self._tensors:
            near = tensor.detach().cpu()
            memo[id(tensor)] = torch.nn.Parameter(near, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else near
        self.ways.model = copy.deepcopy(self._inner, memo)
        try:
            return self.ways.make(args, kwargs)
        finally:
            self.ways.model = self._inner

    def __call__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if not self._is_for_compiled_code(args, kwargs):
            return self._in_eager(args, kwargs)
        given = args, kwargs
        args, kwargs, there = self.moved(args, kwargs)
        with self._module._lock:
            program = self._program(args, kwargs)
        if program is None:
            return self._in_eager(*given)
        taken = program.take(args, kwargs)
        if taken is None:  # strides that a copy on the CPU does not have
            return self._in_eager(*given)
        program.refresh_if_stale()
        with torch.no_grad():
            result = program.run(taken, args, kwargs)
        return result if there else self._back(result, args, kwargs, *given)

    def _is_for_compiled_code(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        if self._module.is_training or torch.is_autocast_enabled(DEVICE):
            return False
        leaves = [leaf for leaf in pytree.tree_leaves((args, dict(kwargs))) if isinstance(leaf, torch.Tensor)]
        if any(type(t) not in (torch.Tensor, torch.nn.Parameter) or t.layout is not torch.strided for t in leaves):
            return False
        return not (torch.is_grad_enabled() and any(t.requires_grad for t in (*self._tensors, *leaves)))

    def _in_eager(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        given = args, kwargs
        args, kwargs, there = self.moved(args, kwargs)
        result = self._inner(*args, **kwargs)
        return result if there else self._back(result, args, kwargs, *given)

    def _back(self, result: Any, args: Any, kwargs: Any, given_args: Any, given_kwargs: Any) -> Any:
        """Results on the CPU, whose tensors the call was given: what the model changed of them or returns of them is the caller's own."""
        pairs = list(zip(pytree.tree_leaves((args, dict(kwargs))), pytree.tree_leaves((given_args, dict(given_kwargs)))))
        own = {id(t): given for t, given in pairs if isinstance(t, torch.Tensor)}
        with torch.no_grad():
            for t, given in pairs:
                if isinstance(t, torch.Tensor) and t._version != self._fresh:
                    given.copy_(t)
        return pytree.tree_map_only(torch.Tensor, lambda t: own[id(t)] if id(t) in own else t.to("cpu"), result)
