"""Normalisations: every result that is used, with and without weight, bias and statistics, batched or not."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.against_torch.support import check_all

aten = torch.ops.aten


def test_all_results_of_native_norms():
    x, w, b = torch.randn(2, 8, 5), torch.randn(8), torch.randn(8)
    check_all(
        {
            "layer": lambda x, w, b: torch.native_layer_norm(x, (5,), None, None, 1e-5),
            "layer over two": lambda x, w, b: torch.native_layer_norm(x, (8, 5), None, None, 1e-5),
            "group": lambda x, w, b: torch.native_group_norm(x, w, b, 2, 8, 5, 4, 1e-5),
            "group alone": lambda x, w, b: torch.native_group_norm(x, None, None, 2, 8, 5, 4, 1e-5)[1:],
            "batch": lambda x, w, b: torch.native_batch_norm(x, w, b, None, None, True, 0.1, 1e-5),
            "batch, given": lambda x, w, b: torch.native_batch_norm(x, w, b, b, w.abs(), False, 0.1, 1e-5),
            "batch, no statistics": lambda x, w, b: aten._native_batch_norm_legit.no_stats(x, w, b, True, 0.1, 1e-5),
            "batch, no training": lambda x, w, b: aten._native_batch_norm_legit_no_training(x, w, b, b, w.abs(), 0.1, 1e-5),
            "rms": lambda x, w, b: aten._fused_rms_norm(x, (5,), None, 1e-5),
            "rms, own eps": lambda x, w, b: aten._fused_rms_norm(x, (8, 5), None, None)[1],
        },
        x, w, b,
    )  # fmt: skip


def test_statistics_of_half_precision():
    x = torch.randn(2, 8, 5, dtype=torch.bfloat16)
    check_all({"layer": lambda x: torch.native_layer_norm(x, (5,), None, None, 1e-5)[1:]}, x)


def test_computed_statistics():
    x, w, b = torch.randn(2, 8, 5), torch.randn(8), torch.randn(8)
    check_all(
        {
            "computed": lambda x, w, b: F.batch_norm(x, x.mean((0, 2)), x.var((0, 2)), w, b),
            "given": lambda x, w, b: F.batch_norm(x, b, b * b + 1, w * 2, b + 1),
            "half affine": lambda x, w, b: F.batch_norm(x, b, w.abs(), None, b),
            "of the batch": lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
        },
        x, w, b,
    )  # fmt: skip


SHAPES = {2: (6, 8), 3: (2, 8, 5), 4: (2, 8, 5, 3)}


@pytest.mark.parametrize("rank", SHAPES)
def test_modules(rank):
    """Without affine, with only weight or only bias, with statistics that were kept."""
    last = SHAPES[rank][-1]
    cases: dict = {
        "group": nn.GroupNorm(4, 8), "group, no affine": nn.GroupNorm(2, 8, affine=False),
        "group, weight": lambda x: F.group_norm(x, 4, torch.arange(8.0, dtype=x.dtype)),
        "group, bias": lambda x: F.group_norm(x, 4, None, torch.arange(8.0, dtype=x.dtype)),
        "layer": nn.LayerNorm(last, elementwise_affine=False), "layer, no bias": nn.LayerNorm(SHAPES[rank][1:], bias=False),
        "rms": nn.RMSNorm(last), "rms, no affine": nn.RMSNorm(SHAPES[rank][1:], elementwise_affine=False),
        "local": nn.LocalResponseNorm(3) if rank > 2 else nn.Identity(),
    }  # fmt: skip
    batch = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d}[rank]
    instance = {2: nn.InstanceNorm1d, 3: nn.InstanceNorm1d, 4: nn.InstanceNorm2d}[rank]
    for affine in (False, True):
        for kept in (False, True):
            cases[f"batch {affine} {kept}"] = batch(8, affine=affine, track_running_stats=kept)
            cases[f"instance {affine} {kept}"] = instance(6 if rank == 2 else 8, affine=affine, track_running_stats=kept)
    for module in cases.values():
        for tensor in (*module.parameters(), *module.buffers()) if isinstance(module, nn.Module) else ():
            if tensor.is_floating_point():
                nn.init.uniform_(tensor, 0.5, 1.5)
    check_all(cases, torch.randn(SHAPES[rank]))


def test_behind_a_convolution():
    x = torch.randn(2, 8, 9, 7)
    check_all(
        {
            "instance": nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.InstanceNorm2d(16), nn.ReLU(), nn.Conv2d(16, 4, 1)),
            "group": nn.Sequential(nn.Conv2d(8, 16, 3), nn.GroupNorm(4, 16, affine=False), nn.GELU()),
        },
        x,
    )


def test_local_response_of_integers():
    check_all({"local": lambda x: F.local_response_norm(x, 2)}, torch.arange(32).view(2, 4, 4))
