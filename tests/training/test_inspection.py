"""``sol.explain`` and ``sol.profile`` of a model in training mode: what they show, and that they change nothing."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import sol
from sol.errors import InputError
from sol.inspect.explanation import Explanation
from sol.inspect.profile import Profile
from sol.inspect.training_step import Rehearsal, Run, StepExplanation, StepProfile, observed


@pytest.fixture(autouse=True)
def compiled() -> Any:
    """Training of small models is compiled too."""
    with sol.config.override(training="compiled"):
        yield


class Net(nn.Module):
    """Layers that keep statistics and draw random numbers, and names to look for."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = F.dropout(F.relu(self.norm(self.first(x))), 0.1, self.training)
        return self.last(x.mean((2, 3)))


class Detached(nn.Module):
    """Has a parameter, and a result without a gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x).detach()


def network() -> tuple[Any, Tensor]:
    torch.manual_seed(0)
    x = torch.rand(4, 3, 12, 12)
    return sol.optimize(Net(), [x]).train(), x


def picture(model: Any) -> list[Any]:
    gradients = [None if p.grad is None else p.grad.clone() for p in model.parameters()]
    return [copy.deepcopy(model.state_dict()), gradients, torch.get_rng_state()]


def test_explain() -> None:
    fast, x = network()
    fast(x).sum().backward()
    before = picture(fast)
    found = sol.explain(fast, [x])
    torch.testing.assert_close(picture(fast), before, rtol=0, atol=0)
    assert isinstance(found, StepExplanation) and found.notes == ()
    assert any("conv" in r.ops for r in found.forward.regions) and any("conv_weight_grad" in r.ops for r in found.backward.regions)
    assert {r.origin.split()[0] for r in found.backward.regions if r.origin} >= {"first", "norm", "last"}
    assert all("test_inspection.py:" in r.origin for r in found.forward.regions if r.origin.startswith("first"))
    assert [r.operation for r in found.forward.torch + found.backward.torch] != []  # dropout draws in torch
    image = 4 * 16 * 12 * 12 * 4
    assert found.saved_bytes >= image and {"first"} <= {r.origin for r in found.saved if r.bytes >= image}
    text = str(found)
    assert "forward: Net, forward pass" in text and "backward: Net, backward pass" in text and "kept for the backward pass" in text


def test_a_profile_sees_what_the_pass_was_given() -> None:
    """What a backward pass may overwrite is whole when its kernels are measured: a second run of it gives the same gradients."""
    torch.manual_seed(0)
    layers = [nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU()) for _ in range(4)]
    x = torch.rand(8, 32, 40, 40)
    fast = sol.optimize(nn.Sequential(*layers), [x]).train()
    again: list[Tensor] = []

    def run_again(run: Run) -> None:
        if run.graph.what == "backward":
            assert run.graph._lent
            again.extend(t.clone() for t in run.program.results(run.taken) if isinstance(t, Tensor))

    with Rehearsal(fast, (x,), {}) as rehearsal:
        rehearsal.step()
        with observed(fast, run_again):
            rehearsal.step()
        for name, parameter in fast.named_parameters():
            assert parameter.grad is not None and any(torch.equal(parameter.grad, t) for t in again), name


def test_saved_bytes_are_those_of_autograd() -> None:
    """What autograd's graph holds, beside parameters and inputs, is what is listed."""
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Tanh(), nn.Flatten(), nn.Linear(8 * 36, 3)), torch.rand(2, 3, 8, 8)
    fast = sol.optimize(model, [x]).train()
    found = sol.explain(fast, [x])
    held: dict[int, int] = {}

    def pack(t: Tensor) -> Tensor:
        held[t.data_ptr()] = t.nbytes
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        fast(x)
    own = {t.data_ptr() for t in (x, *model.parameters())}
    assert isinstance(found, StepExplanation) and found.saved_bytes == sum(size for at, size in held.items() if at not in own)


def test_profile_with_an_optimizer() -> None:
    fast, x = network()
    optimizer = torch.optim.SGD(fast.parameters(), lr=0.1, momentum=0.9)
    before, state = picture(fast), copy.deepcopy(optimizer.state_dict())
    found = sol.profile(fast, [x], runs=2, loss=lambda y: F.cross_entropy(y, torch.zeros(4, dtype=torch.long)), optimizer=optimizer)
    torch.testing.assert_close(picture(fast), before, rtol=0, atol=0)
    assert optimizer.state_dict() == state
    assert isinstance(found, StepProfile) and set(found.parts) == {"forward", "loss", "backward", "optimizer", "packing"}
    assert found.seconds > 0 and all(s.median > 0 for s in found.parts.values())
    assert any("conv" in r.kernel for r in found.forward.rows) and any("weight_grad" in r.kernel for r in found.backward.rows)
    assert "a step takes" in str(found) and found.as_dict()["parts"]["loss"]["median"] > 0


def test_a_loss_that_is_no_scalar_is_torchs_error_and_changes_nothing() -> None:
    fast, x = network()
    before = picture(fast)
    with pytest.raises(RuntimeError, match="scalar"):
        sol.explain(fast, [x], loss=lambda y: y)
    torch.testing.assert_close(picture(fast), before, rtol=0, atol=0)


def test_nothing_that_has_a_gradient() -> None:
    """A model that has nothing to train is shown in eval mode; results that are cut off from what could be trained are an error."""
    x = torch.rand(2, 3)
    model = sol.optimize(nn.Sequential(nn.Linear(3, 3)), [x]).train()
    with pytest.raises(InputError, match="no result of the model has a gradient"):
        sol.explain(sol.optimize(Detached(), [x]).train(), [x])
    model.requires_grad_(False)
    assert isinstance(sol.explain(model, [x]), Explanation) and isinstance(sol.profile(model, [x], runs=1), Profile)
    x.requires_grad_()
    assert isinstance(sol.explain(model, [x]), StepExplanation)


def test_what_trains_in_torch_is_named() -> None:
    fast, x = network()
    with sol.config.override(training="auto"):
        found = sol.explain(fast, [x])
        assert isinstance(found, StepExplanation) and any("its steps are short" in note for note in found.notes)
    with sol.config.override(training="torch"):
        assert "runs in torch" in str(sol.explain(fast, [x]))
