"""Pieces that Dynamo captures of a model on a device of sol: they run on the host's view of the device's memory, as whole models do
(`on_device`)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch.utils import _pytree as pytree

from sol.runtime.torch.checkpoints import for_torch, graphs_of
from sol.runtime.torch.on_device import DEVICE, by_memory, moved_to, views_of
from sol.runtime.torch.on_queue import runs_opencl
from sol.runtime.torch.pieces import Piece
from sol.runtime.torch.training import is_in_training

RANDOM = frozenset(
    "bernoulli bernoulli_ binomial cauchy_ exponential_ fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d "
    "fractional_max_pool3d_with_indices geometric_ log_normal_ multinomial normal normal_ poisson rand rand_like randint randint_like "
    "randn randn_like random_ randperm uniform_".split()
)
"""Functions and methods that draw random numbers, whatever they are called with."""


def device_of(module: fx.GraphModule, example_inputs: Sequence[Any]) -> torch.device | None:
    """The device of sol on which a piece's tensors lie; None if none does."""
    tensors = [t for t in (*example_inputs, *module.parameters(), *module.buffers()) if isinstance(t, torch.Tensor)]
    return next((t.device for t in tensors if t.device.type == DEVICE), None)


class DevicePiece:
    """A captured piece of a model on a device.

    Calls with gradients and those that draw random numbers run in eager, operation by operation, and so does all on devices that take
    programs in OpenCL C. options: as of `Piece`.
    """

    def __init__(self, module: fx.GraphModule, example_inputs: Sequence[Any], options: Mapping[str, Any], device: torch.device) -> None:
        self.module, self._in_torch, self._device = module, for_torch(module), device
        self._own = dict(module.named_parameters()) | dict(module.named_buffers())
        self._places: list[int] = []
        self._views: dict[int, tuple[torch.Tensor, int, torch.Tensor]] = {}
        self._eager = runs_opencl(device) or _draws(module)
        self._make: Callable[[], Piece] = lambda: Piece(self._on_host(), example_inputs, options)
        self._piece: Piece | None = None

    def __call__(self, *inputs: Any) -> Any:
        tensors = [x for x in (*inputs, *self._own.values()) if isinstance(x, torch.Tensor)]
        alien = any(x.device != self._device and x.device.type != "cpu" for x in tensors)
        if self._eager or alien or torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
            return self._in_torch(*inputs)
        places = [t.data_ptr() for t in self._own.values()]
        if self._piece is None or places != self._places:
            self._places, self._piece = places, self._make()
        if not any(isinstance(x, torch.Tensor) and x.device == self._device for x in inputs):
            torch.accelerator.current_stream(self._device).synchronize()
        host = self._seen(inputs)
        result = self._piece(*host)
        given = [(view, x) for view, x in zip(host, inputs) if isinstance(x, torch.Tensor) and x.device == self._device]
        own, memory = {id(view): x for view, x in given}, by_memory(*zip(*given)) if given else {}
        return pytree.tree_map(lambda leaf: own[id(leaf)] if id(leaf) in own else moved_to(self._device, leaf, memory), result)

    def _on_host(self) -> fx.GraphModule:
        """The piece for tensors of the CPU, with views of the tensors that it holds."""
        graph = fx.Graph()
        graph.output(graph.graph_copy(self.module.graph, {}))
        for node in graph.nodes:
            node.args = fx.node.map_aggregate(node.args, _host_place)
            node.kwargs = fx.node.map_aggregate(node.kwargs, _host_place)
        there = [t for t in self._own.values() if t.device == self._device]
        return copy.deepcopy(fx.GraphModule(self.module, graph), {id(t): _like(t, v) for t, v in zip(there, views_of(there))})

    def _seen(self, inputs: Sequence[Any]) -> list[Any]:
        """Inputs with views instead of tensors of the device; a tensor that comes again at its place has the view of the last call."""
        found, fresh = list(inputs), []
        for i, x in enumerate(inputs):
            if not isinstance(x, torch.Tensor) or x.device != self._device:
                continue
            known = self._views.get(i)
            if isinstance(x, torch.nn.Parameter) and known is not None and known[0] is x and known[1] == x.data_ptr():
                found[i] = known[2]
            else:
                fresh.append(i)
        for i, view in zip(fresh, views_of([inputs[i] for i in fresh])):
            found[i] = _like(inputs[i], view)
            if isinstance(inputs[i], torch.nn.Parameter):
                self._views[i] = inputs[i], inputs[i].data_ptr(), found[i]
        return found


def _like(tensor: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
    """The view of a tensor, as a parameter if that is one."""
    return torch.nn.Parameter(view, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else view


def _host_place(argument: Any) -> Any:
    """A device, or its name, as that of the host."""
    if isinstance(argument, torch.device):
        return torch.device("cpu") if argument.type == DEVICE else argument
    return "cpu" if isinstance(argument, str) and argument.partition(":")[0] == DEVICE else argument


def _draws(module: fx.GraphModule) -> bool:
    """Whether a piece draws random numbers, which are another generator's on the device."""
    calls = [n for graph in graphs_of(module) for n in graph.nodes if n.op in ("call_function", "call_method")]
    return any(getattr(n.target, "__name__", n.target) in RANDOM or is_in_training(n) for n in calls)
