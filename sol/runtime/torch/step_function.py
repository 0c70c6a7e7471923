"""A forward and a backward graph of AOTAutograd as one function of autograd, without AOTAutograd.

It does what AOTAutograd's own wrapper does for the plain case that ``plain_wrapping`` recognizes: no result is a view of an input or of
another result, inputs that the graph changes need no gradient, all sizes are fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

Boxed = Callable[[list[Any]], Any]
"""Takes a list of arguments, which it empties."""


@dataclass(frozen=True)
class Tangent:
    """The gradient of a result that the backward graph takes: the number of the result, and the shape and strides to lay it out in."""

    result: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class Wrapping:
    """How calls map onto the graphs.

    The forward graph takes the inputs, and gives new contents of the inputs numbered ``changed``, then ``results`` results, then tensors
    saved for the backward graph. constant: results without gradient. viewed: results that are views of memory of their own. The
    backward graph takes what was saved and ``tangents``, and gives a gradient, or None, for each input. detached: inputs that get no
    gradient and come from another operation.
    """

    inputs: int
    changed: tuple[int, ...]
    results: int
    constant: tuple[int, ...]
    viewed: tuple[int, ...]
    tangents: tuple[Tangent, ...]
    detached: tuple[int, ...]


def plain_wrapping(metadata: Any, backward: torch.fx.GraphModule) -> Wrapping | None:
    """How AOTAutograd wraps two graphs, from its metadata and the backward graph; None where it does more than this module can."""
    changed = [i for i, info in enumerate(metadata.input_info) if info.mutates_data or info.mutates_metadata]
    results = list(metadata.output_info)
    tangents = [i for i, info in enumerate(results) if info.requires_grad_for_backward]
    formats: list[Any] = [getattr(meta, "memory_format", None) for meta in metadata.subclass_tangent_meta]
    (output,) = backward.graph.find_nodes(op="output")
    gradients = output.args[0]
    plain = (
        all(_is_plainly_changed(metadata.input_info[i]) for i in changed)
        and list(metadata.mutated_inp_runtime_indices) == changed
        and all(_is_plain_result(info) for info in results)
        and len(formats) == len(tangents)
        and all(f is not None and f.size is not None and f.stride is not None and f.memory_format is None for f in formats)
        and len(gradients) == len(metadata.input_info)
        and metadata.num_forward_returns == metadata.num_forward == len(changed) + len(results)
        and metadata.num_symints_saved_for_bw == 0
        and not getattr(metadata, "num_opaque_objects_saved_for_bw", 0)
        and not getattr(metadata, "num_tensors_saved_with_no_vc_check", 0)
        and not any(getattr(metadata, name) for name in ("num_intermediate_bases", "tokens", "num_backward_tokens", "dynamic_outputs"))
        and not any(getattr(metadata, name) for name in ("is_rng_op_functionalized", "num_graphsafe_rng_states"))
        and not metadata.indices_of_inputs_that_requires_grad_with_mutations_in_bw
    )
    if not plain:
        return None
    unread = [i for i, gradient in enumerate(gradients) if gradient is None]
    detached = [i for i in unread if metadata.input_info[i].requires_grad and not metadata.input_info[i].is_leaf]
    laid_out = [Tangent(i, tuple(map(int, f.size)), tuple(map(int, f.stride))) for i, f in zip(tangents, formats)]
    constant = [i for i, info in enumerate(results) if not info.requires_grad]
    viewed = [i for i, info in enumerate(results) if info.output_type.name == "unsafe_view_alias"]
    return Wrapping(
        inputs=len(metadata.input_info), changed=tuple(changed), results=len(results), constant=tuple(constant), viewed=tuple(viewed),
        tangents=tuple(laid_out), detached=tuple(detached),
    )  # fmt: skip


def _is_plainly_changed(info: Any) -> bool:
    hidden = info.mutations_hidden_from_autograd or info.mutation_inductor_storage_resize
    return info.mutates_data and not (info.mutates_metadata or info.requires_grad or hidden or info.keep_input_mutations)


def _is_plain_result(info: Any) -> bool:
    is_tensor = isinstance(info.raw_type, type) and issubclass(info.raw_type, torch.Tensor)
    return is_tensor and info.output_type.name in ("non_alias", "unsafe_view_alias") and not info.dynamic_dims


def step_function(wrapping: Wrapping, forward: Boxed, backward: Boxed) -> Callable[..., tuple[Any, ...]]:
    """The function of the inputs, one positional argument each, that gives the results in a tuple."""
    count = len(wrapping.changed) + wrapping.results
    fixed = [*range(len(wrapping.changed)), *(len(wrapping.changed) + i for i in wrapping.constant)]
    viewed = [len(wrapping.changed) + i for i in wrapping.viewed]
    deterministic = torch.are_deterministic_algorithms_enabled()

    class Step(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> tuple[Any, ...]:
            with torch._C._DisableAutocast():
                found = forward(list(inputs))
            ctx.save_for_backward(*[x.detach() if x._is_view() else x for x in found[count:]])
            given = list(found[:count])
            for i in viewed:
                given[i] = torch.ops.aten._unsafe_view.default(given[i], given[i].shape)
            ctx.mark_non_differentiable(*[given[i] for i in fixed])
            ctx._materialize_non_diff_grads = False
            return tuple(given)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
            if torch.are_deterministic_algorithms_enabled() and not deterministic:
                raise RuntimeError("a backward pass under torch.use_deterministic_algorithms(True) of a forward pass without it")
            taken = [_laid_out(gradients[len(wrapping.changed) + t.result], t) for t in wrapping.tangents]
            del gradients
            if torch.is_grad_enabled():
                return _Once.apply(torch.empty(0, requires_grad=True), ctx, taken, run)
            return run(ctx, taken)

    def run(ctx: Any, taken: list[Any]) -> tuple[Any, ...]:
        arguments = [*ctx.saved_tensors, *taken]
        taken.clear()
        ctx.maybe_clear_saved_tensors()
        with torch._C._DisableAutocast():
            return tuple(backward(arguments))

    def call(*inputs: Any) -> tuple[Any, ...]:
        given = list(inputs)
        for i in wrapping.detached:
            given[i] = given[i].detach()
        with torch.enable_grad():
            found = Step.apply(*given)
        del given
        for i, content in zip(wrapping.changed, found):
            inputs[i].copy_(content)
        return tuple(found[len(wrapping.changed) :])

    return call


class _Once(torch.autograd.Function):
    """A backward pass that keeps the graph of autograd connected, and has no gradient itself."""

    @staticmethod
    def forward(ctx: Any, connection: torch.Tensor, step: Any, taken: list[Any], run: Callable[..., tuple[Any, ...]]) -> tuple[Any, ...]:
        return run(step, taken)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise RuntimeError("compiled training does not support double backward: there are no gradients of gradients")


def _laid_out(gradient: Any, tangent: Tangent) -> Any:
    """The gradient with the strides that the backward graph was made for."""
    if tuple(gradient.shape) == tangent.shape and gradient.stride() == tangent.strides:
        return gradient
    if type(gradient) is not torch.Tensor or tuple(gradient.shape) != tangent.shape:
        raise RuntimeError(f"a backward pass takes a gradient of shape {tangent.shape}, and was given a {type(gradient).__name__}")
    return torch.empty_strided(tangent.shape, tangent.strides, dtype=gradient.dtype, device=gradient.device).copy_(gradient)
