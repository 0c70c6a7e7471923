"""``sol.fuse_optimizer``: parameters and states after some steps are those of torch's optimizer."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import sol

Make = Callable[..., torch.optim.Optimizer]
OPTIONS: list[tuple[type[torch.optim.Optimizer], dict[str, Any]]] = [
    (torch.optim.SGD, {}),
    (torch.optim.SGD, {"weight_decay": 0.1, "maximize": True}),
    (torch.optim.SGD, {"momentum": 0.9}),
    (torch.optim.SGD, {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    (torch.optim.SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    (torch.optim.SGD, {"momentum": 0.9, "fused": True}),
    (torch.optim.Adam, {}),
    (torch.optim.Adam, {"weight_decay": 0.1, "amsgrad": True}),
    (torch.optim.Adam, {"weight_decay": 0.1, "decoupled_weight_decay": True, "betas": (0.8, 0.9), "eps": 1e-5}),
    (torch.optim.Adam, {"maximize": True, "foreach": True}),
    (torch.optim.Adam, {"lr": torch.tensor(0.01), "fused": True}),
    (torch.optim.AdamW, {}),
    (torch.optim.AdamW, {"weight_decay": 0.0}),
    (torch.optim.AdamW, {"weight_decay": 0.1, "amsgrad": True, "maximize": True}),
]


def name_of(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else "-".join(value) or "plain"


def network() -> nn.Module:
    """Parameters of every kind: large, small, of one element, of other orders in memory and types, and one that gets no gradient."""
    torch.manual_seed(1)
    model = nn.Module()
    tensors = [torch.randn(300, 70), torch.randn(17), torch.randn(()), torch.randn(8, 5, 3, 3).to(memory_format=torch.channels_last)]
    tensors += [torch.randn(12, 6).t(), torch.randn(5, dtype=torch.float64), torch.randn(9, 8)[:, ::2], torch.randn(4)]
    model.tensors = nn.ParameterList([nn.Parameter(t) for t in tensors])
    return model


def gradients(model: nn.Module, step: int) -> None:
    """The same gradients for every model; the last parameter has none, the second only at first."""
    torch.manual_seed(100 + step)
    for k, parameter in enumerate(list(model.parameters())[:-1]):
        gradient = torch.randn(parameter.shape, dtype=parameter.dtype)
        parameter.grad = None if k == 1 and step else torch.empty_like(parameter).copy_(gradient) if k != 4 else gradient


def groups(model: nn.Module) -> list[dict[str, Any]]:
    first, *others = model.parameters()
    return [{"params": [first]}, {"params": others, "lr": 0.02}]


def steps(model: nn.Module, optimizer: torch.optim.Optimizer, first: int = 0, count: int = 4) -> None:
    """Steps with clipping before them and a learning rate that changes."""
    for step in range(first, first + count):
        gradients(model, step)
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        for group in optimizer.param_groups:
            if not isinstance(group["lr"], torch.Tensor):
                group["lr"] *= 0.9
        optimizer.step()


def same(ours: torch.optim.Optimizer, theirs: torch.optim.Optimizer) -> None:
    """Parameters and states agree."""
    torch.testing.assert_close(ours.state_dict(), theirs.state_dict(), rtol=1e-5, atol=1e-6)
    for a, b in zip(ours.param_groups, theirs.param_groups):
        torch.testing.assert_close([p.detach() for p in a["params"]], [p.detach() for p in b["params"]], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind, options", OPTIONS, ids=name_of)
def test_steps_are_torchs(kind: Make, options: dict[str, Any]) -> None:
    models = [network(), network()]
    options = {"lr": 0.01, **options}
    parts = [groups(m) if not isinstance(options["lr"], torch.Tensor) else m.parameters() for m in models]
    if options.get("fused"):  # of torch, which takes neither all types nor gradients in another order
        parts = [[p for p in m.parameters() if p.is_contiguous() and p.dtype is torch.float32] for m in models]
    theirs, ours = kind(parts[0], **options), sol.fuse_optimizer(kind(parts[1], **options))
    for model, optimizer in zip(models, (theirs, ours)):
        steps(model, optimizer)
    same(ours, theirs)


def test_what_is_launched(monkeypatch: pytest.MonkeyPatch) -> None:
    """One kernel for a group; torch has what the kernel does not serve, and nothing else."""
    from sol.runtime.torch import optimizers

    left: list[int] = []
    monkeypatch.setattr(optimizers, "adam", lambda parameters, *_, **__: left.append(len(parameters)))
    model = network()
    optimizer = sol.fuse_optimizer(torch.optim.Adam(model.parameters()))
    steps(model, optimizer, count=2)
    assert left == [3, 3]  # a gradient in another order, float64, gaps
    model = nn.Linear(3, 4)
    optimizer = sol.fuse_optimizer(torch.optim.Adam(model.parameters()))
    launched = []
    for _ in range(3):
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step()
        launched.append(vars(optimizer)["_plans"][0])
    assert left == [3, 3] and launched[0] is launched[1] is launched[2] and len(launched[0].rows) == 2


def test_version_counters() -> None:
    """Autograd and compiled programs see that parameters have changed."""
    model = nn.Linear(3, 4)
    optimizer = sol.fuse_optimizer(torch.optim.SGD(model.parameters(), lr=0.1))
    fast = sol.optimize(model.eval(), [torch.ones(2, 3)])
    with torch.no_grad():
        fast(torch.ones(2, 3))
    before = model.weight._version
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    assert model.weight._version > before
    with torch.no_grad():
        torch.testing.assert_close(fast(torch.ones(2, 3)), model(torch.ones(2, 3)))


@pytest.mark.parametrize("to_ours", [True, False])
def test_states_go_from_one_to_the_other(to_ours: bool) -> None:
    models = [network(), network()]
    made = [torch.optim.AdamW(m.parameters(), lr=0.01) for m in models]
    sol.fuse_optimizer(made[to_ours])
    for model, optimizer in zip(models, made):
        steps(model, optimizer, count=2)
    made[1].load_state_dict(copy.deepcopy(made[0].state_dict()))
    for model, optimizer in zip(models, made):
        steps(model, optimizer, first=2, count=2)
    same(made[1], made[0])


def test_copies_and_pickles() -> None:
    model = network()
    optimizer = sol.fuse_optimizer(torch.optim.AdamW(model.parameters(), lr=0.01))
    steps(model, optimizer, count=2)
    pair = {"model": model, "optimizer": optimizer}
    for other in (copy.deepcopy(pair), pickle.loads(pickle.dumps(pair))):
        theirs = torch.optim.AdamW((twin := copy.deepcopy(model)).parameters(), lr=0.01)
        theirs.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        steps(twin, theirs, first=2)
        steps(other["model"], other["optimizer"], first=2)
        same(other["optimizer"], theirs)


def test_states_and_parameters_that_are_exchanged() -> None:
    """What a plan was made for is looked at before each step."""
    results = []
    for fuse in (lambda o: o, sol.fuse_optimizer):
        model = network()
        optimizer = fuse(torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
        steps(model, optimizer, count=2)
        first = model.tensors[0]
        optimizer.state[first]["momentum_buffer"] = torch.ones_like(first)
        first.data = first.detach().clone()
        steps(model, optimizer, first=2, count=2)
        results.append(optimizer)
    same(*results)


def test_hooks_schedulers_and_closures() -> None:
    model = nn.Linear(3, 1)
    optimizer = sol.fuse_optimizer(torch.optim.SGD(model.parameters(), lr=0.1))
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    seen: list[float] = []
    optimizer.register_step_pre_hook(lambda o, *_: seen.append(o.param_groups[0]["lr"]))

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(torch.ones(2, 3)).pow(2).sum()
        loss.backward()
        return loss

    losses = []
    for _ in range(3):
        losses.append(float(optimizer.step(closure).detach()))
        scheduler.step()
    assert seen == [0.1, 0.05, 0.025] and losses[2] < losses[0]


@pytest.mark.budget(7)
def test_under_torch_compile() -> None:
    models = [network(), network()]
    theirs, ours = (torch.optim.Adam(m.parameters(), lr=0.01) for m in models)
    step = torch.compile(sol.fuse_optimizer(ours).step, backend="sol")
    for k in range(3):
        for model, run in zip(models, (theirs.step, step)):
            gradients(model, k)
            run()
    same(ours, theirs)


def test_what_cannot_be_fused() -> None:
    parameters = [nn.Parameter(torch.ones(3))]
    with pytest.raises(sol.SolError, match="a fused step of RMSprop is not built"):
        sol.fuse_optimizer(torch.optim.RMSprop(parameters))
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    torch.optim.lr_scheduler.StepLR(optimizer, 1)
    with pytest.raises(sol.SolError, match="before they are made"):
        sol.fuse_optimizer(optimizer)
    fused = sol.fuse_optimizer(torch.optim.SGD(parameters, lr=0.1))
    assert sol.fuse_optimizer(fused) is fused


def test_steps_that_are_differentiated() -> None:
    """They are torch's."""
    rate = torch.tensor(0.5, requires_grad=True)
    parameter = torch.ones(3, requires_grad=True).clone()
    parameter.grad = torch.full((3,), 2.0)
    sol.fuse_optimizer(torch.optim.SGD([parameter], lr=rate, differentiable=True)).step()
    parameter.sum().backward()
    assert rate.grad is not None and float(rate.grad) == -6


def test_sparse_gradients_and_no_gradients() -> None:
    results = []
    for fuse in (lambda o: o, sol.fuse_optimizer):
        torch.manual_seed(0)
        table = nn.Embedding(10, 4, sparse=True)
        optimizer = fuse(torch.optim.SGD(table.parameters(), lr=0.1))
        optimizer.step()
        table(torch.tensor([1, 3, 3])).sum().backward()
        optimizer.step()
        results.append(optimizer)
    same(*results)
