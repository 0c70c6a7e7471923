"""Batch normalisation in training: one operation while AOTAutograd traces a model, and the formula's thirty in the graph of both passes.

To trace operations one by one takes torch longer than all that is done with them, and half of the operations of a deep network are those of
its batch norms. `DECOMPOSITIONS` keep one whole, and `expand` writes down what torch would have traced (torch/_decomp/decompositions.py,
``native_batch_norm_helper`` and ``native_batch_norm_backward``; Ioffe and Szegedy, 2015). What is not of one floating-point type, has
no weights or no running statistics, or does not lie in the plain order, torch takes apart itself.

Of a narrower image and float32 parameters (autocast) the mean and the deviation are kept in float32, as PyTorch's kernels on the CPU
keep them: torch would round them as the image is, and a rounded mean shifts all that the backward pass gives.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, fx
from torch._decomp import get_decompositions
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily

aten = torch.ops.aten
_CPU = torch.device("cpu")
_TYPES, _HALVES = (torch.float32, torch.float64), (torch.bfloat16, torch.float16)


@torch.library.custom_op("sol::batch_norm", mutates_args=())
def batch_norm(
    x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, momentum: float, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """``x[N, C, …]`` normalised; its mean and the inverse of its standard deviation, ``[C]``; new running mean and variance."""
    return aten._native_batch_norm_legit_functional(x, weight, bias, mean, variance, True, momentum, eps)  # type: ignore[no-any-return]


@torch.library.custom_op("sol::batch_norm_grad", mutates_args=())
def batch_norm_grad(grad: Tensor, x: Tensor, weight: Tensor, mean: Tensor, deviation: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of ``batch_norm`` for x, weight and bias, from that of its result and its second and third results."""
    unread = torch.empty_like(mean)  # the running statistics, as eps is, in training mode
    found: tuple[Tensor, Tensor, Tensor] = aten.native_batch_norm_backward(
        grad, x, weight, unread, unread, mean, deviation, True, 0.0, [True, True, True]
    )
    return found


@batch_norm.register_fake
def _(x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, momentum: float, eps: float) -> tuple[Tensor, ...]:
    return (torch.empty_like(x), *(torch.empty_like(mean) for _ in range(4)))


@batch_norm_grad.register_fake
def _(grad: Tensor, x: Tensor, weight: Tensor, mean: Tensor, deviation: Tensor) -> tuple[Tensor, ...]:
    return torch.empty_like(x), torch.empty_like(weight), torch.empty_like(weight)


_FORWARD, _BACKWARD = aten._native_batch_norm_legit_functional.default, aten.native_batch_norm_backward.default
_ALONE = aten._native_batch_norm_legit.no_stats
_TORCHS: dict[Any, Callable[..., Any]] = dict(get_decompositions([_FORWARD, _BACKWARD, _ALONE]))


def _are_plain(*tensors: Tensor | None) -> bool:
    """Whether tensors are there, of one type, and lie in the plain order."""
    first = tensors[0]
    return first is not None and first.dtype in _TYPES and all(
        t is not None and t.dtype is first.dtype and t.is_contiguous() for t in tensors
    )  # fmt: skip


def _is_mixed(x: Tensor, *others: Tensor | None) -> bool:
    """Whether an image is narrower than parameters and statistics, all of which are float32."""
    kinds = {t.dtype for t in others if t is not None}
    return x.dtype in _HALVES and kinds == {torch.float32}


def _whole(x: Tensor, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, momentum: float, eps: float) -> Any:
    if training and _is_mixed(x, weight, bias, mean, variance):
        found, *statistics = _whole(x.to(torch.float32), weight, bias, mean, variance, training, momentum, eps)
        return (found.to(x.dtype), *statistics)
    if not training or not _are_plain(x, weight, bias, mean, variance) or x.numel() <= x.shape[1]:
        return _TORCHS[_FORWARD](x, weight, bias, mean, variance, training, momentum, eps)
    return batch_norm(x, weight, bias, mean, variance, momentum, eps)


def _alone(x: Tensor, weight: Any, bias: Any, training: bool, momentum: float, eps: float) -> Any:
    """Without running statistics."""
    if not _is_mixed(x, weight, bias):
        return _TORCHS[_ALONE](x, weight, bias, training, momentum, eps)
    found, *statistics = _TORCHS[_ALONE](x.to(torch.float32), weight, bias, training, momentum, eps)
    return (found.to(x.dtype), *statistics)


def _whole_grad(
    grad: Tensor, x: Tensor, weight: Any, running_mean: Any, running_variance: Any, mean: Any, deviation: Any, training: bool, eps: float,
    wanted: Sequence[bool],
) -> Any:  # fmt: skip
    if training and _is_mixed(x, weight, mean, deviation):
        a, b = grad.to(torch.float32), x.to(torch.float32)
        of_x, *others = _whole_grad(a, b, weight, running_mean, running_variance, mean, deviation, training, eps, wanted)
        return (of_x if of_x is None else of_x.to(x.dtype), *others)
    if not training or not _are_plain(grad, x, weight, mean, deviation):
        given = grad, x, weight, running_mean, running_variance, mean, deviation, training, eps, list(wanted)
        return _TORCHS[_BACKWARD](*given)
    found = batch_norm_grad(grad, x, weight, mean, deviation)
    return tuple([g if is_wanted else None for g, is_wanted in zip(found, wanted)])


DECOMPOSITIONS: dict[Any, Callable[..., Any]] = {_FORWARD: _whole, _BACKWARD: _whole_grad, _ALONE: _alone}
"""Operation → what computes it while a graph is traced."""


def expand(module: fx.GraphModule) -> None:
    """Write the formula in the place of each batch norm of a graph."""
    graph = module.graph
    formulas: dict[Any, Callable[..., list[fx.Node]]] = {
        torch.ops.sol.batch_norm.default: _formula, torch.ops.sol.batch_norm_grad.default: _formula_grad
    }  # fmt: skip
    whole = [(n, formula) for target, formula in formulas.items() for n in graph.find_nodes(op="call_function", target=target)]
    for node, formula in whole:
        with graph.inserting_before(node), unset_fake_temporarily():
            results = formula(_Writer(node), *node.args)
        for user in list(node.users):
            assert user.target is operator.getitem
            user.replace_all_uses_with(results[user.args[1]])  # type: ignore[index]
            graph.erase_node(user)
        graph.erase_node(node)
    if whole:
        graph.eliminate_dead_code()
        module.recompile()


class _Writer:
    """Writes operations in a node's place: on ``x[N, C, …]``, and on numbers for each channel (``[C]``, or ``[1, C, 1, …]``)."""

    def __init__(self, node: fx.Node) -> None:
        self._graph = node.graph
        self._meta = {k: v for k, v in node.meta.items() if k not in ("val", "tensor_meta")}
        value = node.meta["val"][0]
        self._mode: FakeTensorMode = value.fake_mode
        self.shape, self._dtype = tuple(value.shape), value.dtype
        self.channels = (self.shape[1],)
        self.row = (1, self.shape[1], *[1] * (len(self.shape) - 2))
        self.over = [0, *range(2, len(self.shape))]
        self.count = value.numel() // self.shape[1]

    def fake(self, shape: Sequence[int]) -> Tensor:
        """A fake tensor, made without the detour over its mode, which takes four times as long."""
        return FakeTensor(self._mode, torch.empty(shape, dtype=self._dtype, device="meta"), _CPU)

    def __call__(self, target: Any, args: tuple[Any, ...], value: Any, **kwargs: Any) -> fx.Node:
        """An operation. value: the shape of its result, or the result."""
        node = self._graph.call_function(target, args, kwargs)
        node.meta = {**self._meta, "val": value if isinstance(value, Tensor) or not isinstance(value[0], int) else self.fake(value)}
        return node

    def sub(self, a: Any, b: Any) -> fx.Node:
        return self(aten.sub.Tensor, (a, b), self.shape)

    def mul(self, a: Any, b: Any, shape: Sequence[int]) -> fx.Node:
        return self(aten.mul.Tensor, (a, b), shape)

    def sum(self, x: Any) -> fx.Node:
        return self(aten.sum.dim_IntList, (x, self.over), self.channels)

    def as_row(self, vector: Any) -> fx.Node:
        """``[C]`` → ``[1, C, 1, …]``."""
        shape = (1, *self.channels)
        node = self(aten.unsqueeze.default, (vector, 0), shape)
        return self._longer(node, shape, range(2, len(self.shape)))

    def behind(self, vector: Any) -> fx.Node:
        """``[C]`` → ``[C, 1, …]``, which an operation with x takes for the same."""
        return self._longer(vector, self.channels, [-1] * (len(self.shape) - 2))

    def _longer(self, node: Any, shape: tuple[int, ...], places: Sequence[int]) -> fx.Node:
        for place in places:
            shape = (*shape, 1)
            node = self(aten.unsqueeze.default, (node, place), shape)
        return node  # type: ignore[no-any-return]

    def as_vector(self, row: Any) -> fx.Node:
        return self(aten.squeeze.dims, (row, self.over), self.channels)


def _formula(w: _Writer, x: Any, weight: Any, bias: Any, mean: Any, variance: Any, momentum: float, eps: float) -> list[fx.Node]:
    both = w(aten.var_mean.correction, (x, w.over), (w.fake(w.row), w.fake(w.row)), correction=0, keepdim=True)
    squares, center = (w(operator.getitem, (both, i), both.meta["val"][i]) for i in (0, 1))
    inverse = w(aten.rsqrt.default, (w(aten.add.Tensor, (squares, eps), w.row),), w.row)
    normalised = w.mul(w.sub(x, center), inverse, w.shape)
    now, deviation = w.as_vector(center), w.as_vector(inverse)
    new_mean = _moved(w, now, mean, momentum)
    unbiased = w.mul(w.as_vector(squares), w.count / (w.count - 1), w.channels)
    new_variance = _moved(w, unbiased, variance, momentum)
    scaled = w.mul(normalised, w.behind(weight), w.shape)
    return [w(aten.add.Tensor, (scaled, w.behind(bias)), w.shape), now, deviation, new_mean, new_variance]


def _moved(w: _Writer, now: Any, before: Any, momentum: float) -> fx.Node:
    """A running average."""
    parts = w.mul(now, momentum, w.channels), w.mul(before, 1 - momentum, w.channels)
    return w(aten.add.Tensor, parts, w.channels)


def _formula_grad(w: _Writer, grad: Any, x: Any, weight: Any, mean: Any, deviation: Any) -> list[fx.Node]:
    center = w.as_row(mean)
    total = w.sum(grad)
    along = w.sum(w.mul(grad, w.sub(x, center), w.shape))
    average = w.as_row(w.mul(total, 1 / w.count, w.channels))
    share = w.mul(along, 1 / w.count, w.channels)
    slope = w.as_row(w.mul(share, w.mul(deviation, deviation, w.channels), w.channels))
    scale = w.as_row(w.mul(deviation, weight, w.channels))
    rest = w.sub(w.sub(grad, w.mul(w.sub(x, center), slope, w.shape)), average)
    return [w.mul(rest, scale, w.shape), w.mul(along, deviation, w.channels), total]
