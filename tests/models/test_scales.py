"""The promise of networks: image by image, errors are at most five times those of torch, where channels and images differ in scale."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from torch import nn

import sol
from sol.codegen import targets
from sol.codegen.machines import ZEN4
from tests import instruction_sets
from tests.models.networks import build

TIMES = 5.0
"""The promise, in errors of torch."""
IMAGES = (1.0, 1e-2, 1e2)
"""What images are multiplied by."""


def scaled(name: str, size: int) -> tuple[nn.Module, torch.Tensor]:
    """A network whose BatchNorm scales are drawn log-uniformly over 10^±2, with the statistics of such a network, and images."""
    model, _ = build(name)
    torch.manual_seed(2)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.weight.data = 10 ** (4 * torch.rand_like(module.weight) - 2)
            module.momentum = 1.0
    images = torch.randn(len(IMAGES), 3, size, size)
    with torch.no_grad():
        model.train()(images)
    return model.eval(), images * torch.tensor(IMAGES).reshape(-1, 1, 1, 1)


def errors(model: nn.Module, x: torch.Tensor, isa: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Errors of sol and of torch against float64, the largest of each image."""
    with torch.no_grad():
        exact, plain = copy.deepcopy(model).double()(x.double()), model(x)
        fast = sol.optimize(model, x, isa=isa)(x)
    return (fast - exact).abs().amax(1), (plain - exact).abs().amax(1)


@pytest.fixture(params=["avx512", "avx2", "adders"])
def isa(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An instruction set; adders: AVX-512 with the kernels of processors with units for additions alone."""
    name = "avx512" if request.param == "adders" else request.param
    if not targets.by_name(name).runs_here():
        instruction_sets.refuse(name)
    if request.param == "adders":
        changed = dict(targets.TARGETS, avx512=replace(targets.TARGETS["avx512"], machine=ZEN4))
        monkeypatch.setattr(targets, "TARGETS", changed)
    yield name


def check(name: str, size: int, isa: str) -> None:
    got, of_torch = errors(*scaled(name, size), isa)
    assert (got <= TIMES * of_torch).all(), f"{(got / of_torch).tolist()} times the errors of torch"


@pytest.mark.parametrize("isa", ["avx512", "adders"], indirect=True)
def test_a_small_resnet(isa: str) -> None:
    check("resnet18", 64, isa)


@pytest.mark.conformance
@pytest.mark.parametrize("name", ["resnet50", "densenet121", "mobilenet_v2"])
def test_networks(name: str, isa: str) -> None:
    check(name, 224, isa)
