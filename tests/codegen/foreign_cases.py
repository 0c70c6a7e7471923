"""The kernel tests that are repeated with other tools (a cross compiler and an emulator, clang): a few cases of each kernel family.

Each case is a test function of another module, called with the arguments of one of its parametrised cases. A function that has an ``isa``
parameter gets it; one that goes through ISAs by itself takes those of ``toolchains.using``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from sol.ir.types import DType
from tests.codegen import (
    test_attention_kernels,
    test_bf16_kernels,
    test_conv_chain,
    test_conv_direct,
    test_conv_plain,
    test_conv_pooled,
    test_conv_prologue,
    test_conv_selected,
    test_conv_small,
    test_conv_stem,
    test_conv_winograd,
    test_dfp_move,
    test_dfp_pointwise,
    test_dfp_rows,
    test_matmul_kernels,
    test_pool_kernels,
    test_recurrent_kernels,
)
from tests.toolchains import Tools, using

CASES: tuple[tuple[Callable, tuple[dict[str, Any], ...]], ...] = (
    (test_conv_direct.test_shapes, (
        {"c": 15, "k": 17, "kernel": 3, "stride": 1, "padding": 1, "dilation": 1},
        {"c": 7, "k": 8, "kernel": 3, "stride": 2, "padding": 1, "dilation": 1},
        {"c": 33, "k": 40, "kernel": 1, "stride": 1, "padding": 0, "dilation": 1},
        {"c": 1, "k": 1, "kernel": 5, "stride": 1, "padding": 4, "dilation": 2},
    )),
    (test_conv_direct.test_maps_and_teams, ({"size": (7, 7), "threads": 3},)),
    (test_conv_direct.test_epilogues, (
        {"epilogue": test_conv_direct.scale_silu, "size": (9, 33), "kernel": 1, "bias": True},
        {"epilogue": test_conv_direct.divide, "size": (7, 7), "kernel": 3, "bias": True},
    )),
    (test_conv_direct.test_symbolic_sizes, ({"size": (5, 9)},)),
    (test_conv_direct.test_nan_and_infinity_pass, ({},)),
    (test_bf16_kernels.test_convolution, tuple(
        dict(zip(("c", "k", "taps", "options"), case), threads=3) for case in test_bf16_kernels.CONVOLUTIONS[1:6:2]
    )),
    (test_bf16_kernels.test_convolution_of_a_plain_input, ({"c": 3, "k": 17, "taps": 3, "options": {"padding": 1}, "threads": 3},)),
    (test_bf16_kernels.test_linear, ({"m": 7, "n": 15, "k": 33},)),
    (test_conv_prologue.test_chains, tuple(
        {"c": 15, "k": 17, "head": head} for head in (test_conv_prologue.scale_shift_relu, test_conv_prologue.reciprocal)
    )),
    (test_conv_prologue.test_mean_of_windows, ({"head": test_conv_prologue.scale_shift_relu, "size": (9, 31), "stride": 1},)),
    (test_conv_selected.test_channels, ({"sizes": (15, 9), "count": 17, "k": 17},)),
    (test_conv_selected.test_borders, ({"size": (5, 9), "where": "one"},)),
    (test_conv_pooled.test_pools, (
        {"name": "adaptive_avg", "c": 33, "k": 40, "size": (7, 7), "threads": 3},
        {"name": "max", "c": 8, "k": 17, "size": (3, 30), "threads": 1},
    )),
    (test_conv_chain.test_blocks, tuple(
        {"name": name, "threads": 2} for name in ("stride", "residual", "large_kernel", "depthwise_first_stride")
    )),
    (test_conv_winograd.test_channels, ({"m": 2, "c": 7, "k": 8}, {"m": 4, "c": 33, "k": 40})),
    (test_conv_winograd.test_epilogues, ({"epilogue": test_conv_winograd.scale_silu, "m": 4, "size": (9, 33), "bias": True},)),
    (test_conv_stem.test_shapes, (
        {"c": 3, "k": 40, "kernel": 3, "stride": 2, "padding": 0, "dilation": 1, "batch": 1},
        {"c": 7, "k": 17, "kernel": 3, "stride": 1, "padding": 2, "dilation": 2, "batch": 3},
    )),
    (test_conv_small.test_depthwise_equals_reference, tuple({"case": test_conv_small.DEPTHWISE[i]} for i in (1, 2, 5, 6, 11))),
    (test_conv_small.test_grouped_equals_reference, tuple({"case": test_conv_small.GROUPED[i]} for i in (0, 3, 5))),
    (test_conv_plain.test_conv_equals_reference, tuple({"case": i} for i in (1, 4, 7))),
    (test_conv_plain.test_transpose_equals_reference, tuple({"case": i} for i in (1, 4, 5))),
    (test_pool_kernels.test_equals_reference, tuple({"case": i, "blocked": i % 2 == 0} for i in (1, 4, 12, 14, 19, 20, 22, 25))),
    (test_pool_kernels.test_nan_and_inf_as_torch, ({"blocked": True}, {"blocked": False})),
    (test_matmul_kernels.test_linear_sizes, tuple(
        {"m": m, "n": n, "k": k} for m, n, k in ((1, 33, 17), (4, 130, 129), (9, 17, 1), (33, 200, 50))
    )),
    (test_matmul_kernels.test_linear_with_symbolic_rows, ({"rows": 23},)),
    (test_matmul_kernels.test_matmul_broadcasts_batches, (
        {"a_shape": (2, 3, 17, 20), "b_shape": (2, 3, 20, 18), "constant": False},
        {"a_shape": (3, 5, 8), "b_shape": (2, 1, 8, 9), "constant": True},
    )),
    (test_matmul_kernels.test_matmul_of_transposed_views, ({},)),
    (test_matmul_kernels.test_one_row_against_transposed_keys, ({},)),
    (test_attention_kernels.test_sizes, (
        {"length": 16, "keys": 17, "depth": 33, "features": 17, "causal": True},
        {"length": 1, "keys": 33, "depth": 16, "features": 8, "causal": False},
    )),
    (test_attention_kernels.test_masks_broadcast, (
        {"dtype": DType.BOOL, "shape": (2, 1, 11, 37)},
        {"dtype": DType.F32, "shape": (11, 37)},
    )),
    (test_attention_kernels.test_heads_as_transposed_views, ({},)),
    (test_attention_kernels.test_special_values_as_torch, ({"kind": "bool"},)),
    (test_recurrent_kernels.test_sizes, tuple(
        {"op": op, "attrs": attrs, "steps": 4, "batch": 7, "hidden": 33} for op, attrs in test_recurrent_kernels.CELLS
    )),
    (test_recurrent_kernels.test_reverse_and_batch_first_buffers, ({"op": "lstm_scan", "attrs": {}},)),
    (test_dfp_pointwise.test_per_channel_operand, ({"channels": 17, "batch": 2},)),
    (test_dfp_pointwise.test_broadcast, ({"shape": (5, 1, 600), "other": (7, 1)},)),
    (test_dfp_pointwise.test_dtypes, tuple(
        {"dtype": d, "tolerance": t} for d, t in ((DType.F64, 1e-12), (DType.F16, 4e-3), (DType.I64, 0))
    )),
    (test_dfp_pointwise.test_mixed_dtypes, ({},)),
    (test_dfp_pointwise.test_bool_operands_stay_vectors, ({},)),
    (test_dfp_pointwise.test_not_a_number_propagates_through_relu, ({},)),
    (test_dfp_rows.test_reductions, ({"op": "var", "dims": (1, 2)}, {"op": "max", "dims": (3,)}, {"op": "sum", "dims": (0, 2, 3)})),
    (test_dfp_rows.test_row_lengths, ({"length": 17},)),
    (test_dfp_rows.test_softmax, (
        {"op": "softmax", "shape": (3, 90, 133), "dim": 2},
        {"op": "log_softmax", "shape": (2, 17, 13, 19), "dim": 1},
    )),
    (test_dfp_rows.test_masked_softmax_row_is_nan, ({},)),
    (test_dfp_rows.test_add_layer_norm, ({"size": 100},)),
    (test_dfp_rows.test_any_all, ({"op": "any"}, {"op": "all"})),
    (test_dfp_rows.test_arg_of_ties_and_nan, ({},)),
    (test_dfp_rows.test_blocked_spatial_reduction, ({"channels": 17},)),
    (test_dfp_rows.test_symbolic_sizes, ({},)),
    (test_dfp_move.test_copy_flip_pad_cumsum, ({"block": True, "epilogue": True},)),
    (test_dfp_move.test_concat_of_channels, ({},)),
    (test_dfp_move.test_channel_select, ({"block": True, "count": 40},)),
    (test_dfp_move.test_take, ({"shape": (5, 50, 33), "index": (77,), "dim": 1, "integers": DType.I64},)),
    (test_dfp_move.test_reorder, tuple({"channels": 17, "border": (1, 2), "channels_last": last} for last in (False, True))),
)  # fmt: skip

PARAMS = [
    pytest.param(function, arguments, id=f"{function.__module__.split('.')[-1].removeprefix('test_')}-{function.__name__[5:]}-{i}")
    for function, cases in CASES
    for i, arguments in enumerate(cases)
]


@pytest.fixture
def repeat(force: Callable) -> Callable[[Tools, str, Callable, dict[str, Any]], None]:
    """repeat(tools, isa, function, arguments): one case, compiled by these tools for that ISA."""

    def apply(tools: Tools, isa: str, function: Callable, arguments: dict[str, Any]) -> None:
        known = inspect.signature(function).parameters
        extra = {name: value for name, value in {"isa": isa, "force": force}.items() if name in known}
        with using(tools, isa):
            function(**arguments, **extra)

    return apply
