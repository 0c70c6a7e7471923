"""A compiled model whose parameters lie in memory of a device of sol: it runs on the host's view of that memory.

Parameters, buffers and inputs of the device are seen as tensors of the CPU without a copy (``host_views`` of the extension), and a copy of
the module, the *shadow*, has them as its own. What waits in the device's current stream runs before; a call is done when it returns.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import torch
from torch.utils import _pytree as pytree

DEVICE = "sol"


def lies_on_device(model: torch.nn.Module) -> torch.device | None:
    """The device of sol on which parameters and buffers of a model lie; None if the first one lies elsewhere."""
    first = next((t for tensors in (model.parameters(), model.buffers()) for t in tensors), None)
    return first.device if first is not None and first.device.type == DEVICE else None


def views_of(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """The host's view of tensors of one device: tensors of the CPU in the same memory, without gradients."""
    return list(torch.ops.sol_device.host_views([t.detach() if t.requires_grad else t for t in tensors]))


def moved_to(device: torch.device, leaf: Any, *given: Mapping[int, tuple[torch.Tensor, torch.Tensor]]) -> Any:
    """A result as one on the device. What shares memory with a tensor that was given is a view of that tensor there as well.

    given: address of a view's memory → the view, and the tensor.
    """
    if not isinstance(leaf, torch.Tensor):
        return leaf
    address = leaf.untyped_storage().data_ptr() if leaf.layout is torch.strided and leaf.numel() else 0
    found = next((memory[address] for memory in given if address in memory), None)
    if found is None:
        return leaf.to(device)
    view, tensor = found
    offset = tensor.storage_offset() - view.storage_offset() + leaf.storage_offset()
    return torch.as_strided(tensor, leaf.size(), leaf.stride(), offset)


def by_memory(views: Iterable[torch.Tensor], tensors: Iterable[torch.Tensor]) -> dict[int, tuple[torch.Tensor, torch.Tensor]]:
    """What ``moved_to`` looks up."""
    return {v.untyped_storage().data_ptr(): (v, t) for v, t in zip(views, tensors) if v.layout is torch.strided and v.numel()}


class OnDevice:
    """Calls of a module on a device.

    module: what ``sol.optimize`` gave, whose parameters and buffers lie on ``device``. inner: the user's model in it.
    Raises RuntimeError where they lie on several devices, or where the device does not run programs of the host.
    """

    def __init__(self, module: torch.nn.Module, inner: torch.nn.Module, device: torch.device) -> None:
        self.device = device
        tensors = list({id(t): t for t in (*inner.parameters(), *inner.buffers())}.values())
        views = views_of(tensors)
        memo: dict[int, Any] = {}
        self._parameters: list[tuple[torch.Tensor, torch.Tensor]] = []
        for tensor, view in zip(tensors, views):
            if isinstance(tensor, torch.nn.Parameter):
                view = torch.nn.Parameter(view, requires_grad=tensor.requires_grad)
                self._parameters.append((tensor, view))
            memo[id(tensor)] = view
        self._tensors, self._kept = tensors, views
        self._places = [t.data_ptr() for t in tensors]
        self.shadow = cast(Any, copy.deepcopy(module, memo))
        self._pairs = list(zip(inner.modules(), self.shadow._model.modules()))
        buffers = [(ours._buffers, theirs._buffers) for ours, theirs in self._pairs]
        self._buffers = [(ours, theirs, name) for ours, theirs in buffers for name in ours if ours[name] is not None]
        self._views = {id(t): memo[id(t)] for t in tensors}
        self._own = {id(view): tensor for tensor, view in self._parameters}
        self._memory = by_memory(views, tensors)

    @property
    def host_programs(self) -> Sequence[Any]:
        """Programs whose code runs on the CPU as well."""
        return self.shadow._programs.entries  # type: ignore[no-any-return]

    def compile_for(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """As that of the module."""
        args, kwargs, _ = self.host_call(args, kwargs)
        return self.shadow.compile_for(args, kwargs)

    def refresh(self) -> None:
        """Weights are packed again."""
        self.shadow.refresh()

    def fits(self) -> bool:
        """Whether the tensors still lie where they lay."""
        return [t.data_ptr() for t in self._tensors] == self._places

    def host_call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], bool]:
        """Arguments with views instead of tensors of the device, and whether results belong there: not if all tensors are the CPU's.

        Raises RuntimeError for a tensor of another device of sol.
        """
        leaves, structure = pytree.tree_flatten((args, dict(kwargs)))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor) and leaf.device.type == DEVICE]
        other = next((leaves[i].device for i in places if leaves[i].device != self.device), None)
        if other is not None:
            raise RuntimeError(f"expected all tensors to be on one device, but found {self.device} (the model's) and {other} (an input's)")
        for i, view in zip(places, views_of([leaves[i] for i in places])):
            leaves[i] = view.requires_grad_(leaves[i].requires_grad)
        there = bool(places) or not any(isinstance(leaf, torch.Tensor) for leaf in leaves)
        args, kwargs = pytree.tree_unflatten(leaves, structure)
        return args, dict(kwargs), there

    def follow_modes(self) -> None:
        """The shadow's layers are in training mode where the module's are."""
        for ours, theirs in self._pairs:
            if theirs.training is not ours.training:
                theirs.training = ours.training

    def __call__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        self.follow_modes()
        if not torch.is_grad_enabled() and not kwargs and args and all(type(a) is torch.Tensor and a.device == self.device for a in args):
            views = views_of(list(args))
            result = self._run(tuple(views), {})
            if type(result) is torch.Tensor and id(result) not in self._own and all(result is not view for view in views):
                return moved_to(self.device, result, self._memory, by_memory(views, args))
            return self._given(result, args, kwargs, tuple(views), {}, True)
        leaves = [leaf for leaf in pytree.tree_leaves((args, dict(kwargs))) if isinstance(leaf, torch.Tensor)]
        if torch.is_grad_enabled() and any(t.requires_grad for t in (*self._tensors, *leaves)):
            return self._with_gradients(args, kwargs)
        if not any(leaf.device.type == DEVICE for leaf in leaves):
            torch.accelerator.current_stream(self.device).synchronize()  # what changes parameters
        host_args, host_kwargs, there = self.host_call(args, kwargs)
        return self._given(self._run(host_args, host_kwargs), args, kwargs, host_args, host_kwargs, there)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with _autocast():
            result = self.shadow(*args, **kwargs)
        for ours, theirs, name in self._buffers:
            found = theirs[name]
            if found is not self._views.get(id(ours[name])):  # the model put another tensor there
                ours[name] = None if found is None else found.detach().to(self.device)
                self._places = []  # so that all is viewed again
        return result

    def _given(self, result: Any, args: Any, kwargs: Any, host_args: Any, host_kwargs: Any, there: bool) -> Any:
        """A result where it belongs. What the model returns of its arguments and parameters is the caller's own tensor."""
        if not there:
            return result
        pairs = zip(pytree.tree_leaves((host_args, host_kwargs)), pytree.tree_leaves((args, dict(kwargs))))
        given = [(host, tensor) for host, tensor in pairs if isinstance(tensor, torch.Tensor)]
        own = self._own | {id(host): tensor for host, tensor in given}
        there_already = [(host, tensor) for host, tensor in given if tensor.device == self.device]
        memory = by_memory(*zip(*there_already)) if there_already else {}
        return pytree.tree_map(lambda leaf: own[id(leaf)] if id(leaf) in own else moved_to(self.device, leaf, self._memory, memory), result)

    def _with_gradients(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """A call that autograd records as one step; its backward pass is that of the shadow."""
        structure: list[Any] = []
        given, arguments = pytree.tree_flatten((args, dict(kwargs)))
        inputs = [i for i, leaf in enumerate(given) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
        trained = [(ours, view) for ours, view in self._parameters if ours.requires_grad]

        def run() -> tuple[list[torch.Tensor], list[torch.Tensor]]:
            """Results as tensors of the CPU, and the leaves whose gradients are asked for."""
            for ours, view in self._parameters:
                view.requires_grad_(ours.requires_grad)
            torch.accelerator.current_stream(self.device).synchronize()
            detached = [leaf.detach().requires_grad_() if i in inputs else leaf for i, leaf in enumerate(given)]
            host_args, host_kwargs, there = self.host_call(*pytree.tree_unflatten(detached, arguments))
            host = pytree.tree_leaves((host_args, host_kwargs))
            leaves, shape = pytree.tree_flatten(self._run(host_args, host_kwargs))
            structure[:] = [leaves, shape, there]
            return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)], [view for _, view in trained] + [host[i] for i in inputs]

        results = iter(_Step.apply(self, run, structure, *[ours for ours, _ in trained], *[given[i] for i in inputs]))
        leaves, shape, _ = structure
        return pytree.tree_unflatten([next(results) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves], shape)


class _Step(torch.autograd.Function):
    """The shadow's call in autograd of the device."""

    @staticmethod
    def forward(ctx: Any, owner: OnDevice, run: Callable[[], Any], structure: list[Any], *tensors: Any) -> tuple[torch.Tensor, ...]:
        with torch.enable_grad():
            results, leaves = run()
        ctx.results, ctx.leaves, ctx.devices = results, leaves, [t.device for t in tensors]
        ctx.set_materialize_grads(False)
        there = structure[2]
        moved = tuple(r.detach().to(owner.device) if there else r.detach().clone() for r in results)
        ctx.mark_non_differentiable(*(m for m, r in zip(moved, results) if not r.requires_grad))
        return moved

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> tuple[Any, ...]:
        used = [(r, g.to("cpu")) for r, g in zip(ctx.results, gradients) if r.requires_grad and g is not None]
        found = torch.autograd.grad([r for r, _ in used], ctx.leaves, [g for _, g in used], allow_unused=True)
        return (None, None, None, *[g if g is None else g.to(device) for g, device in zip(found, ctx.devices)])


def _autocast() -> contextlib.AbstractContextManager[Any]:
    """What ``torch.autocast("sol")`` asks for, on the CPU."""
    if not torch.is_autocast_enabled(DEVICE):
        return contextlib.nullcontext()
    return torch.autocast("cpu", dtype=torch.get_autocast_dtype(DEVICE))
