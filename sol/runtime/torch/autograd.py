"""Gradients through compiled inference: the forward pass runs a program, the backward pass runs the model again, with gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from sol.frontend.torch.capture import take_call
from sol.frontend.torch.trees import Maker, named_leaves, named_tensors
from sol.runtime.torch.program import Program, Taken
from sol.runtime.torch.tensors import own_results

Again = Callable[..., Any]


def needs_gradient(program: Program, taken: Taken) -> bool:
    """Whether an input or a parameter requires a gradient, or the model asks whether gradients are computed."""
    return program.imported.asks_gradient_mode or any(t.requires_grad for t in taken[0]) or any(p.requires_grad for p in program.tensors)


def differentiable(
    again: Again, model: torch.nn.Module | None, program: Program, taken: Taken, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:  # fmt: skip
    """The program's result, connected to the graph of autograd.

    again: computes the same with gradients, for the backward pass. model: what is set to eval mode then.
    A model that changes inputs or buffers or draws random numbers cannot be run twice: ``again`` runs at once.
    """
    if not program.repeatable:
        return again(*args, **kwargs)
    inputs = list({id(t): t for t in taken[0]}.values())
    others = [p for p in program.tensors if p.requires_grad and all(p is not t for t in inputs)]
    flat = _Recompute.apply((again, model), program, taken, (args, kwargs), len(inputs), *inputs, *others)
    return program.give_leaves(flat if isinstance(flat, tuple) else (flat,), taken, args, kwargs)


class _Recompute(torch.autograd.Function):
    """Forward: compiled. Backward: the model on the saved inputs once more, with gradients."""

    @staticmethod
    def forward(ctx: Any, again: Any, program: Program, taken: Taken, call: Any, count: int, *sources: torch.Tensor) -> Any:
        leaves = program.leaf_tensors((tuple([t.detach() for t in taken[0]]), taken[1]))
        found = own_results(leaves, len(leaves))
        ctx.again, ctx.program, ctx.call, ctx.count = again, program, call, count
        ctx.identities = [id(t) for t in sources[:count]]
        ctx.inputs = sources[:count]
        ctx.save_for_backward(*sources)
        ctx.mark_non_differentiable(*[o for o in found if not o.is_floating_point()])
        return tuple(found) if len(found) != 1 else found[0]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: Any) -> Any:
        saved = ctx.saved_tensors
        inputs, parameters = saved[: ctx.count], saved[ctx.count :]
        fresh = [t.detach().requires_grad_(t.requires_grad) for t in inputs]
        replaced = dict(zip(ctx.identities, fresh))
        call = take_call(*ctx.call)
        args, kwargs = Maker([replaced.get(id(leaf), leaf) for leaf in call.leaves])(call.tree)
        again, model = ctx.again
        with torch.enable_grad(), evaluating(model):
            outputs = tensors_of_leaves(ctx.program, again(*args, **kwargs))
        pairs = [(o, g) for o, g in zip(outputs, grads) if o.requires_grad and g is not None]
        sources = [t for t in (*fresh, *parameters) if t.requires_grad]
        found = iter(torch.autograd.grad([o for o, _ in pairs], sources, [g for _, g in pairs], allow_unused=True) if pairs else ())
        return (*(None,) * 5, *(next(found, None) if t.requires_grad else None for t in (*fresh, *parameters)))


def tensors_of_leaves(program: Program, result: Any) -> Sequence[torch.Tensor]:
    """The tensors of a result of the model in torch that ``program.leaf_tensors`` computes, in the same order."""
    outputs = program.imported.outputs
    places = [index for _, index in named_leaves(program.imported.gives) if outputs[index].kind in ("tensor", "input", "held")]
    tensors = dict(zip([outputs[i] for i in places], [t for _, t in named_tensors(result)]))
    return [tensors[leaf] for leaf in program.computed]


class evaluating:
    """The model in eval mode, as it was when the forward pass ran."""

    def __init__(self, model: torch.nn.Module | None) -> None:
        self.modes: Mapping[torch.nn.Module, bool] = {m: m.training for m in model.modules()} if model is not None else {}

    def __enter__(self) -> None:
        for module in self.modes:
            module.training = False

    def __exit__(self, *_: Any) -> None:
        for module, mode in self.modes.items():
            module.training = mode
