"""Keeps the length of a sequence open while a recurrent layer is traced: torch finds its result's shape by running it step by step on
fake tensors, which fixes the number of steps; here the shape is computed from the operands'."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch._C import DispatchKey

_KEYS = (DispatchKey.CompositeImplicitAutograd, DispatchKey.Autograd)
Kernel = Callable[..., tuple[torch.Tensor, ...]]


@contextmanager
def recurrent_lengths_open() -> Iterator[None]:
    """Inside, recurrent layers are traced without their steps. Only for traces without gradients."""
    aten = torch.ops.aten
    kernels: dict[Any, Kernel] = {aten.lstm.input: _lstm, **dict.fromkeys((aten.gru.input, aten.rnn_tanh.input, aten.rnn_relu.input), _rnn)}
    before = {op: dict(op.py_kernels) for op in kernels}
    try:
        for op, kernel in kernels.items():
            _exchange(op, {**before[op], **dict.fromkeys([k for k in _KEYS if k in before[op]], kernel)})
        yield
    finally:
        for op, found in before.items():
            _exchange(op, found)


def _exchange(op: Any, kernels: dict[Any, Kernel]) -> None:
    op.py_kernels = kernels
    op._dispatch_cache.clear()


def _lstm(x: torch.Tensor, states: Sequence[torch.Tensor], params: Sequence[torch.Tensor], has_biases: bool, num_layers: int,
          dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> tuple[torch.Tensor, ...]:  # fmt: skip
    h, c = states
    return _sequence(x, h, params, bidirectional, batch_first), torch.empty_like(h), torch.empty_like(c)


def _rnn(x: torch.Tensor, h: torch.Tensor, params: Sequence[torch.Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool,
         bidirectional: bool, batch_first: bool) -> tuple[torch.Tensor, ...]:  # fmt: skip
    return _sequence(x, h, params, bidirectional, batch_first), torch.empty_like(h)


def _sequence(x: torch.Tensor, h: torch.Tensor, params: Sequence[torch.Tensor], bidirectional: bool, batch_first: bool) -> torch.Tensor:
    """The states of the last layer at all steps, ``[T, B, D * H]`` in memory."""
    if x.shape[-1] != params[0].shape[1] or x.dtype != params[0].dtype or h.dtype != x.dtype:
        raise RuntimeError(
            f"a recurrent layer with weights {params[0].dtype} for inputs of size {params[0].shape[1]} got {x.dtype} of size {x.shape[-1]}"
        )
    width = h.shape[-1] * (2 if bidirectional else 1)
    if x.dim() == 3 and batch_first:
        return x.new_empty((x.shape[1], x.shape[0], width)).transpose(0, 1)
    return x.new_empty((*x.shape[:-1], width))
