"""What is noticed between two calls."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from sol.runtime.watch import InPlaceChanges, Structure, UncountedChanges, depends_on_mode


@pytest.mark.parametrize("index", (0, 1, 2))
def test_in_place_changes(index: int) -> None:
    tensors = [nn.Parameter(torch.ones(3)), torch.ones(()), torch.ones(2, 2).t()]
    changes = InPlaceChanges(tensors)
    assert not changes.seen()
    with torch.no_grad():
        tensors[index].mul_(2)
    assert changes.seen() and changes.seen()
    assert not InPlaceChanges(tensors).seen()


def test_in_place_changes_of_nothing_and_in_inference_mode() -> None:
    assert not InPlaceChanges([]).seen()
    parameter = nn.Parameter(torch.ones(3))
    with torch.inference_mode():
        changes = InPlaceChanges([parameter, torch.ones(2)])
        assert not changes.seen()
    with torch.no_grad():
        parameter.add_(1)
    assert changes.seen()


def test_uncounted_changes() -> None:
    norm = nn.BatchNorm1d(3)
    changes = UncountedChanges([norm.running_mean])  # type: ignore[list-item]
    counted = InPlaceChanges([norm.running_mean])  # type: ignore[list-item]
    norm(torch.rand(4, 3))
    assert changes.seen() and not counted.seen()


def test_structure() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2)))
    structure = Structure(model)
    assert not structure.changed()
    model[0].weight.data.mul_(2)
    assert not structure.changed()
    old = model[0].weight
    model[0]._parameters["weight"] = nn.Parameter(torch.ones(2, 2))
    assert structure.changed()
    model[0]._parameters["weight"] = old
    assert not structure.changed()
    del model[1][0]
    assert structure.changed()
    assert Structure(model.double()).changed() is False
    assert structure.changed()


def test_modes_that_matter() -> None:
    class Own(nn.Module):
        pass

    for kind in (nn.Dropout, nn.BatchNorm2d, nn.LSTM, nn.MultiheadAttention, nn.RReLU, nn.TransformerEncoderLayer, nn.InstanceNorm2d, Own):
        assert depends_on_mode(kind), kind
    for kind in (nn.Linear, nn.Conv2d, nn.ReLU, nn.Sequential, nn.LayerNorm, nn.ModuleList, nn.MaxPool2d):
        assert not depends_on_mode(kind), kind
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout()).eval()
    structure = Structure(model)
    model[0].train()
    assert not structure.training()
    model[1].train()
    assert structure.training()
    model.eval()
    model.training = True
    assert structure.training()
