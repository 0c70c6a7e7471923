"""Gradients through compiled inference: the forward pass runs compiled code, the backward pass runs the model again in torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from sol.runtime.program import Program


def differentiable(
    model: torch.nn.Module, program: Program, tensors: Sequence[torch.Tensor], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """The program's result, connected to the graph of autograd where inputs or parameters require gradients.

    A model that changes inputs or buffers or draws random numbers cannot be run twice: it runs in torch.
    """
    parameters = [p for p in program.tensors if p.requires_grad]
    if not parameters and not any(t.requires_grad for t in tensors):
        return program.run(tensors)
    if not program.repeatable:
        return model(*args, **kwargs)
    call = pytree.tree_flatten((tuple(args), dict(kwargs)))
    box: list[Any] = []
    flat = _Recompute.apply(model, program, tuple(tensors), call, box, len(tensors), *tensors, *parameters)
    found = iter(flat if isinstance(flat, tuple) else (flat,))
    outputs, out_spec = box[0]
    return pytree.tree_unflatten([next(found) if isinstance(o, torch.Tensor) else o for o in outputs], out_spec)


class _Recompute(torch.autograd.Function):
    """Forward: compiled. Backward: the model in torch on the saved inputs, differentiated there."""

    @staticmethod
    def forward(ctx: Any, model: Any, program: Program, tensors: Any, call: Any, box: list[Any], count: int, *differentiated: Any) -> Any:
        result = program.run([t.detach() for t in tensors])
        outputs, spec = pytree.tree_flatten(result)
        box.append((outputs, spec))
        ctx.model, ctx.call, ctx.count = model, call, count
        ctx.inputs = tensors
        ctx.save_for_backward(*differentiated)
        found = tuple(o for o in outputs if isinstance(o, torch.Tensor))
        ctx.mark_non_differentiable(*[o for o in found if not o.is_floating_point()])
        return found if len(found) != 1 else found[0]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: Any) -> Any:
        saved = ctx.saved_tensors
        inputs, parameters = saved[: ctx.count], saved[ctx.count :]
        fresh = [t.detach().requires_grad_(t.requires_grad) for t in inputs]
        by_id = {id(t): f for t, f in zip(ctx.inputs, fresh)}
        leaves, spec = ctx.call
        args, kwargs = pytree.tree_unflatten([by_id.get(id(leaf), leaf) for leaf in leaves], spec)
        with torch.enable_grad(), evaluating(ctx.model):
            result = ctx.model(*args, **kwargs)
        outputs = [o for o in pytree.tree_leaves(result) if isinstance(o, torch.Tensor)]
        pairs = [(o, g) for o, g in zip(outputs, grads) if o.requires_grad and g is not None]
        sources = [t for t in (*fresh, *parameters) if t.requires_grad]
        found = iter(torch.autograd.grad([o for o, _ in pairs], sources, [g for _, g in pairs], allow_unused=True))
        return (*(None,) * 6, *(next(found) if t.requires_grad else None for t in (*fresh, *parameters)))


class evaluating:
    """The model in eval mode, as it was when the forward pass ran."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.modes: Mapping[torch.nn.Module, bool] = {m: m.training for m in model.modules()}

    def __enter__(self) -> None:
        for module in self.modes:
            module.training = False

    def __exit__(self, *_: Any) -> None:
        for module, mode in self.modes.items():
            module.training = mode
