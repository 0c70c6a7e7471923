"""Which operations of forward and backward graphs are taken apart before AOTAutograd partitions them, and why.

The partitioner may then compute cheap parts again instead of keeping their results, and the compiler fuses them with their neighbours.
What is not here stays one operation: it has a converter, or torch's kernel for it is a good one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import fx
from torch._decomp import get_decompositions

aten = torch.ops.aten

_ACTIVATIONS = (
    aten.threshold_backward, aten.silu_backward, aten.sigmoid_backward, aten.tanh_backward, aten.elu_backward,
    aten.leaky_relu_backward, aten.hardtanh_backward, aten.hardswish_backward, aten.hardsigmoid_backward, aten.softplus_backward,
    aten.mish_backward, aten.glu_backward, aten.log_sigmoid_forward, aten.log_sigmoid_backward, aten.logit_backward,
    aten.softshrink_backward, aten._prelu_kernel_backward, aten.native_dropout_backward,
)  # fmt: skip
"""Pointwise: they join the kernel that makes their operand."""
_LOSSES = (
    aten.mse_loss, aten.mse_loss_backward, aten.smooth_l1_loss, aten.smooth_l1_loss_backward, aten.huber_loss, aten.huber_loss_backward,
    aten.binary_cross_entropy, aten.binary_cross_entropy_backward, aten.binary_cross_entropy_with_logits, aten.soft_margin_loss,
    aten.soft_margin_loss_backward, aten.nll_loss_forward, aten.nll_loss_backward, aten.nll_loss2d_forward, aten.nll_loss2d_backward,
)  # fmt: skip
"""Pointwise operations, one gathered element of each row, and a sum."""
_NORMS = (
    aten._native_batch_norm_legit_functional, aten._native_batch_norm_legit, aten.native_batch_norm, aten.native_batch_norm_backward,
    aten.native_layer_norm_backward, aten.native_group_norm_backward, aten._fused_rms_norm_backward,
)  # fmt: skip
"""Sums over a map or a row, and pointwise operations with them, which join those of the neighbours."""
_ROWS = (aten._softmax_backward_data, aten._log_softmax_backward_data)
"""A sum over each row between pointwise operations."""
_MOVES = (
    aten.select_backward, aten.slice_backward, aten.diagonal_backward, aten.unfold_backward, aten.select_scatter,
)  # fmt: skip
"""Zeros with a part replaced: moves, which join the sum of gradients that they mostly are part of."""


@cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """Operation → what computes it from others."""
    from sol.frontend.torch import attention_grads, batch_norms, pool_grads, weight_norms  # operations that inference does not need

    torchs: dict[Any, Callable[..., Any]] = dict(get_decompositions([*_ACTIVATIONS, *_LOSSES, *_NORMS, *_ROWS, *_MOVES]))
    ours = (pool_grads, attention_grads, batch_norms, weight_norms)
    return torchs | {operation: how for module in ours for operation, how in module.DECOMPOSITIONS.items()}


def simplify(joint: fx.GraphModule) -> None:
    """Change a graph that these gave, of both passes, in place: write out what was kept whole, and keep less between the passes."""
    from sol.frontend.torch import batch_norms, draws, pool_grads

    batch_norms.expand(joint)
    draws.separate_masks(joint)
    pool_grads.simplified(joint)
