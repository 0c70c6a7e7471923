"""What is noticed between two calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

import sol
from sol.runtime.torch import change_words
from sol.runtime.torch.change_detection import InPlaceChanges, State, Structure, UncountedChanges, depends_on_mode


@pytest.fixture(params=["words", "python"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Words of memory where they are known, and the objects themselves."""
    if request.param == "python":
        monkeypatch.setattr(change_words, "dict_tag", lambda: None)
        monkeypatch.setattr(change_words, "tensor_path", lambda: None)
    return request.param


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


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.Sequential(nn.ReLU(), nn.Dropout()))
        self.head, self.heads = nn.Linear(2, 2), nn.ModuleDict({"a": nn.Linear(2, 2)})
        self.scale = nn.Parameter(torch.ones(()))
        self.register_buffer("offset", torch.zeros(2))


def settled(model: nn.Module) -> Structure:
    structure = Structure(model)
    assert [structure.look() for _ in range(3)] == [State.SAME] * 3
    return structure


CHANGES: dict[str, Callable[[Net], object]] = {
    "parameter": lambda m: setattr(m.body[0], "weight", nn.Parameter(torch.zeros(2, 1, 1, 1))),
    "parameter past setattr": lambda m: m.head._parameters.update(bias=nn.Parameter(torch.zeros(2))),
    "scalar parameter": lambda m: setattr(m, "scale", nn.Parameter(torch.zeros(()))),
    "deleted parameter": lambda m: delattr(m, "scale"),
    "no parameter": lambda m: setattr(m.head, "bias", None),
    "new parameter": lambda m: m.head.register_parameter("new", nn.Parameter(torch.zeros(1))),
    "buffer": lambda m: setattr(m, "offset", torch.ones(2)),
    "buffer of a norm": lambda m: setattr(m.body[1], "running_mean", torch.ones(2)),
    "cleared buffers": lambda m: m._buffers.clear(),
    "popped buffer": lambda m: m._buffers.popitem(),
    "submodule": lambda m: setattr(m, "head", nn.Identity()),
    "item": lambda m: m.body.__setitem__(0, nn.Identity()),
    "inner item": lambda m: m.body[2].__setitem__(0, nn.Identity()),
    "deleted item": lambda m: m.body.__delitem__(1),
    "deleted inner item": lambda m: m.body[2].__delitem__(0),
    "appended item": lambda m: m.body.append(nn.ReLU()),
    "item of a dict": lambda m: m.heads.update({"b": nn.ReLU()}),
    "popped item of a dict": lambda m: m.heads.pop("a"),
    "new submodule": lambda m: m.add_module("other", nn.ReLU()),
    "dtype": lambda m: m.double(),
    "dtype of one": lambda m: setattr(next(m.parameters()), "data", torch.zeros(1, dtype=torch.half)),
    "all attributes of a container": lambda m: setattr(m.body, "__dict__", vars(nn.Sequential(nn.Identity()))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_structure_is_seen(change: str) -> None:
    model = Net().eval()
    structure = settled(model)
    CHANGES[change](model)
    assert structure.changed()
    assert [structure.look() for _ in range(3)] == [State.CHANGED] * 3


@pytest.mark.parametrize("place", [(), ("body", "1"), ("body", "2", "1")])
@pytest.mark.parametrize("put", [nn.Module.train, lambda m: setattr(m, "training", True), lambda m: vars(m).update(training=True)])
def test_every_change_of_mode_is_seen(place: tuple[str, ...], put: Callable[[nn.Module], object]) -> None:
    model = Net().eval()
    structure = settled(model)
    put(model.get_submodule(".".join(place)))
    assert structure.look() is structure.look() is State.TRAINING
    model.eval()
    assert [structure.look() for _ in range(3)] == [State.SAME] * 3
    put(model.get_submodule(".".join(place)))
    assert structure.look() is State.TRAINING


def test_what_is_written_but_the_same_is_no_change(way: str) -> None:
    model = Net().eval()
    structure = settled(model)
    for i in range(3):
        model.note, weight = i, model.head.weight
        model.body._modules = dict(model.body._modules)  # later changes of this dict are seen
        model.head.weight = nn.Parameter(torch.zeros(2, 2))
        model.head.weight = weight
        assert [structure.look() for _ in range(3)] == [State.SAME] * 3
        assert (structure._words is not None and not structure._words.changed()) == (way == "words" and change_words.dict_tag() is not None)
    model.body[0] = nn.Identity()
    assert structure.look() is State.CHANGED


def test_what_is_written_while_python_asks_is_seen_next(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Net().eval()
    structure = settled(model)
    model.note = 1
    ask = Structure.changed

    def meanwhile(self: Structure) -> bool:
        found = ask(self)
        model.head.bias = None
        return found

    monkeypatch.setattr(Structure, "changed", meanwhile)
    assert structure.look() is State.SAME
    monkeypatch.undo()
    assert structure.look() is State.CHANGED


def test_modules_that_compute_their_mode_are_asked() -> None:
    class Odd(nn.Module):
        mode = False
        training = property(lambda self: self.mode, lambda self, value: None)  # type: ignore[assignment]

    model = nn.Sequential(nn.Linear(2, 2), Odd()).eval()
    structure = settled(model)
    Odd.mode = True
    assert structure.look() is State.TRAINING


def test_swapped_tensors_are_seen() -> None:
    ones, zeros = torch.ones(2), torch.zeros(2)
    ones.add_(1)
    changes = InPlaceChanges([ones, torch.ones(1)])
    torch.utils.swap_tensors(ones, zeros)
    assert changes.seen()


def test_tensors_of_unequal_kinds() -> None:
    class Own(torch.Tensor):
        pass

    own, plain = torch.zeros(2).as_subclass(Own), torch.zeros(2)
    changes = InPlaceChanges([plain, own])
    assert not changes.seen() and changes.in_python
    own.add_(1)
    assert changes.seen()
    many = [torch.zeros(1) for _ in range(300)]
    changes = InPlaceChanges([*many, many[0][:], *many])
    assert not changes.seen()
    many[0].add_(1)
    assert changes.seen()


def test_a_network_notices_everything_between_calls() -> None:
    model, x = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.Dropout()).eval(), torch.rand(1, 1, 3, 3)
    fast = sol.optimize(model, x)
    acts: list[Callable[[], object]] = [
        lambda: model[0].weight.mul_(2),
        lambda: model[1].running_var.add_(1),
        lambda: setattr(model[0], "weight", nn.Parameter(torch.ones(2, 1, 1, 1))),
        lambda: (model.train(), torch.manual_seed(0), model(x + 3), model.eval()),
        lambda: model.__setitem__(2, nn.Sigmoid()),
        lambda: model.__delitem__(2),
        lambda: model[0].bias.copy_(torch.tensor([1.0, 2.0])),
    ]
    with torch.no_grad():
        for act in acts:
            for _ in range(3):
                torch.testing.assert_close(fast(x), model(x))
            act()
            torch.testing.assert_close(fast(x), model(x))
