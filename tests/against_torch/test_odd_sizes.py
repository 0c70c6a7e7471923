"""Sizes of zero, numbers without dimensions, images without a batch, and poolings of integers: what torch allows at the edge of shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.against_torch.support import check_all

Cases = dict[str, Callable[..., Any]]


def test_sizes_of_zero():
    x, images = torch.randn(3, 4), torch.randn(2, 8, 5, 5)
    products: Cases = {
        "nothing is summed": lambda x, i: x[:, :0] @ x[:0],
        "no rows": lambda x, i: x[:0] @ x.t(),
        "no columns": lambda x, i: x @ x.t()[:, :0],
        "batches of nothing": lambda x, i: torch.ones(2, 3, 0) @ x[:0].expand(2, 0, 4),
        "empty vectors": lambda x, i: x[0, :0] @ x[1, :0],
        "a layer of no inputs": lambda x, i: F.linear(x[:, :0], torch.ones(5, 0), torch.arange(5.0)),
        "a difference of order zero": lambda x, i: (torch.diff(x, n=0, prepend=x), torch.diff(x, prepend=x[:, :0])),
    }
    layers: Cases = {
        "channels shuffled": lambda x, i: F.channel_shuffle(i[:, :0], 2),
        "statistics": lambda x, i: F.batch_norm(i[:0], torch.zeros(8), torch.ones(8)),
        "a mean of each map": lambda x, i: F.conv2d(i[:0], torch.ones(32, 8, 3, 3)).mean((2, 3)),
        "pooled maps": lambda x, i: F.adaptive_avg_pool2d(F.conv2d(i[:0], torch.ones(4, 8, 3, 3)), 1),
        "rows": lambda x, i: F.linear(x[:0], torch.ones(5, 4)),
    }
    check_all(products | layers, x, images, threads=(1,))


def test_an_empty_batch_of_a_network():
    network = nn.Sequential(nn.Conv2d(3, 32, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 5))
    check_all({"network": network}, torch.randn(0, 3, 8, 8), threads=(1,))


def test_numbers_without_dimensions():
    cases: Cases = {
        "side by side": lambda a, i: torch.hstack((a, a + 1)),
        "gathered": lambda a, i: a.gather(0, i),
        "unfolded": lambda a, i: a.unfold(0, 1, 1),
        "sorted": lambda a, i: a.sort(0),
        "selected": lambda a, i: a.index_select(0, i),
    }
    check_all(cases, torch.tensor(1.5), torch.tensor(0), threads=(1,))


def test_places_of_nothing():
    """Of another rank than what they are places in, too."""
    cases: Cases = {
        "gathered": lambda a, i: a.gather(0, i),
        "added": lambda a, i: a.scatter_add(0, i, a.new_ones(2, 0)),
        "written": lambda a, i: (a.scatter(0, i, 2.0), a.scatter(0, i[0], a)),
        "reduced": lambda a, i: a.scatter_reduce(0, i[0], a, "mean"),
    }
    check_all(cases, torch.randn(5), torch.zeros(2, 0, dtype=torch.int64), threads=(1,))


def test_images_without_a_batch():
    cases: Cases = {
        "mean": lambda x: F.adaptive_avg_pool2d(x, 1),
        "means": lambda x: F.adaptive_avg_pool2d(x, (2, 3)),
        "largest": lambda x: F.adaptive_max_pool2d(x, (2, 3)),
        "of lines": lambda x: (F.adaptive_avg_pool1d(x[0], 2), F.adaptive_max_pool1d(x[0], 4)),
        "of volumes": lambda x: F.adaptive_avg_pool3d(x[None], 2),
        "windows": lambda x: (F.avg_pool2d(x, 2), F.max_pool2d(x, 2), F.lp_pool2d(x, 2, 2)),
    }
    check_all(cases, torch.randn(8, 6, 6), threads=(1,))


def test_poolings_of_integers():
    cases: Cases = {
        "means": lambda x: F.avg_pool2d(x, 2),
        "means of lines": lambda x: F.avg_pool1d(x[0], 3, 2, 1),
        "largest": lambda x: F.max_pool2d(x, 3, 2, 1),
        "neighbours": lambda x: F.local_response_norm(x, 3),
    }
    check_all(cases, torch.arange(-60, 68).view(1, 2, 8, 8), threads=(1,))
