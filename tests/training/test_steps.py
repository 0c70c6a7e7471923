"""What training scripts do around a step: each gives eager's loss, gradients and buffers."""

from __future__ import annotations

import copy
import json
import logging
import subprocess
import sys

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import sol
from sol.errors import UnsupportedError
from sol.runtime.torch import training as compiled_training
from sol.runtime.torch.dynamo import sol_backend
from tests.training.steps import GRADIENT, LOSS, check_gradients, check_loss, graphs_of, loss_of, pair, step


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))


def cnn() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))


ROWS = (torch.linspace(-1, 1, 42).view(7, 6).sin(),)
IMAGES = (torch.linspace(-9, 9, 4 * 3 * 8 * 8).view(4, 3, 8, 8).sin(),)


def test_a_frozen_layer_gets_no_gradient() -> None:
    model = cnn()
    model[0].requires_grad_(False)
    fast, eager = pair(model, IMAGES)
    check_loss(step(fast, IMAGES), step(eager, IMAGES))
    check_gradients(fast, eager)
    assert model[0].weight.grad is None


def test_gradients_of_inputs() -> None:
    fast, eager = pair(mlp(), ROWS)
    a, b = (ROWS[0].clone().requires_grad_() for _ in range(2))
    step(fast, (a,)), step(eager, (b,))
    torch.testing.assert_close(a.grad, b.grad)


@pytest.mark.parametrize("before", [0, 1])
def test_a_graph_is_retained(before: int) -> None:
    """At the first step, and after one whose graph was let go."""
    fast, eager = pair(mlp(), ROWS)
    for model in (fast, eager):
        for _ in range(before):
            model(*ROWS).sum().backward()
        found = model(*ROWS)
        found.sum().backward(retain_graph=True)
        found.pow(2).mean().backward()  # a second loss of the same result
    check_gradients(fast, eager)


def test_one_module_twice_in_a_step() -> None:
    fast, eager = pair(cnn(), IMAGES)
    check_loss(step(lambda x: fast(x) * fast(2 * x), IMAGES), step(lambda x: eager(x) * eager(2 * x), IMAGES))
    check_gradients(fast, eager)


def test_batches_of_other_sizes() -> None:
    fast, eager = pair(cnn(), IMAGES)
    for size in (4, 4, 3, 2, 4):
        x = (IMAGES[0][:size],)
        check_loss(step(fast, x), step(eager, x))
    check_gradients(fast, eager)


def test_eval_in_the_middle_of_training() -> None:
    fast, eager = pair(cnn(), IMAGES)
    for training in (True, False, True, False):
        fast.train(training), eager.train(training)
        with torch.set_grad_enabled(training):
            torch.testing.assert_close(fast(*IMAGES), eager(*IMAGES), rtol=1e-4, atol=1e-5)
        check_loss(step(fast, IMAGES), step(eager, IMAGES))
    check_gradients(fast, eager)


def test_some_submodules_in_eval_mode() -> None:
    fast, eager = pair(cnn(), IMAGES)
    for model in (fast, eager):
        model[1].eval()
        step(model, IMAGES)
    check_gradients(fast, eager)


def negate(parameter: torch.Tensor) -> None:
    assert parameter.grad is not None
    parameter.grad.neg_()


def test_hooks_on_parameters() -> None:
    fast, eager = pair(mlp(), ROWS)
    for model in (fast, eager):
        model[0].weight.register_hook(lambda grad: 3 * grad)
        model[2].weight.register_post_accumulate_grad_hook(negate)
        step(model, ROWS)
    check_gradients(fast, eager)


def test_several_results_and_losses() -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(6, 3), nn.Linear(6, 5)

        def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"a": self.a(x).relu(), "b": self.b(x), "count": (x > 0).sum()}

    fast, eager = pair(Two(), ROWS)
    for model in (fast, eager):
        found = model(*ROWS)
        (found["a"].sum() + 2 * found["b"].pow(2).sum()).backward()
        model(*ROWS)["a"].sum().backward()  # no gradient reaches the other result
    check_gradients(fast, eager)


def test_a_parameter_that_changes_before_backward_is_torchs_error() -> None:
    fast, _ = pair(mlp(), ROWS)
    step(fast, ROWS)
    found = loss_of(fast(*ROWS))
    with torch.no_grad():
        fast[2].weight.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.backward()


def test_double_backward_says_that_it_cannot(caplog: pytest.LogCaptureFixture) -> None:
    fast, eager = pair(mlp(), ROWS)
    x = ROWS[0].clone().requires_grad_()
    with caplog.at_level(logging.WARNING, "sol"):
        fast(x).sum().backward()
        assert "create_graph" not in caplog.text
        (grad,) = torch.autograd.grad(fast(x).pow(2).sum(), x, create_graph=True)
    assert 'sol.config["training"] = "torch"' in caplog.text
    with pytest.raises(RuntimeError, match="double backward"):
        grad.sum().backward()
    with sol.config.override(training="torch"):
        seconds = []
        for model in (fast, eager):
            (grad,) = torch.autograd.grad(model(x).pow(2).sum(), x, create_graph=True)
            seconds.append(torch.autograd.grad(grad.sum(), x)[0])
    torch.testing.assert_close(*seconds)


def test_a_loss_that_is_no_scalar_is_torchs_error() -> None:
    fast, eager = pair(mlp(), ROWS)
    for model in (fast, eager):
        with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
            model(*ROWS).backward()
        step(model, ROWS)
    check_gradients(fast, eager)


def test_parameters_that_a_loss_does_not_depend_on_get_no_gradient() -> None:
    class Half(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = nn.Linear(6, 4), nn.Linear(6, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.used(x).relu()

    fast, eager = pair(Half(), ROWS)
    optimizers = [torch.optim.SGD(m.parameters(), 0.1) for m in (fast, eager)]
    for _ in range(2):
        for model, optimizer in zip((fast, eager), optimizers):
            optimizer.zero_grad()
            step(model, ROWS)
            optimizer.step()
        check_gradients(fast, eager)
    assert fast.unused.weight.grad is None and fast.used.weight.grad is not None


def test_out_of_memory_is_an_error_after_which_the_model_trains_on() -> None:
    """In a process of its own, whose address space ends just above what is used."""
    run = subprocess.run([sys.executable, "-m", "tests.training.out_of_memory"], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert "no memory for" in found["error"] and "batches" in found["error"]
    for loss, gradient, count in (found["small"], found["large"]):
        assert loss <= LOSS and gradient <= GRADIENT and count == 4


def test_what_is_not_finite_stays_so() -> None:
    fast, eager = pair(mlp(), ROWS)
    x = ROWS[0].clone()
    x[0, 0] = float("nan")
    step(fast, (x,)), step(eager, (x,))
    assert torch.equal(fast[0].weight.grad.isnan(), eager[0].weight.grad.isnan()) and fast[0].weight.grad.isnan().any()


def test_two_hundred_steps() -> None:
    """Parameters change at every step: the loss goes down along the same curve as eager's."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(200, 16, 6, generator=generator)
    y = (x[:, :, 0] + x[:, :, 1] > 0).long()
    fast, eager = pair(nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2)), (x[0],))
    curves = []
    for model in (fast, eager):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        curves.append([])
        for data, classes in zip(x, y):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(data), classes)
            loss.backward()
            optimizer.step()
            curves[-1].append(loss.item())
    ours, theirs = map(torch.tensor, curves)
    torch.testing.assert_close(ours, theirs, rtol=1e-2, atol=1e-3)
    assert theirs[-50:].mean() < 0.6 * theirs[0]
    assert len(graphs_of(fast)) == 2


def test_the_backend_of_torch_compile_learns_that_backward_comes() -> None:
    """The first forward pass keeps nothing, the first backward pass computes it again, later ones find what they need."""
    model = mlp().eval()
    eager = copy.deepcopy(model)
    pieces = []

    def backend(module: torch.fx.GraphModule, examples: list[torch.Tensor]) -> object:
        pieces.append(sol_backend(module, examples))
        return pieces[-1]

    fast = torch.compile(model, backend=backend)
    for _ in range(3):
        check_loss(step(fast, ROWS), step(eager, ROWS))
    check_gradients(model, eager)
    (piece,) = pieces
    assert len(piece.variants) == 1 and len(piece.gradients.variants) == 1 and piece.gradients.habit.saves


def test_in_torch_where_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    fast, eager = pair(cnn(), IMAGES)
    with sol.config.override(training="torch"), caplog.at_level(logging.WARNING, "sol"):
        assert torch.equal(step(fast, IMAGES), step(eager, IMAGES))
    check_gradients(fast, eager)
    assert not graphs_of(fast) and not [r for r in caplog.records if r.name.startswith("sol")]


def blocks() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 20, 3), nn.BatchNorm2d(20), nn.ReLU(), nn.Conv2d(20, 9, 3, padding=1), nn.ReLU(), nn.Flatten())


def test_images_stay_in_blocks_between_the_passes() -> None:
    fast, eager = pair(blocks(), IMAGES)
    check_loss(step(fast, IMAGES), step(eager, IMAGES))
    check_gradients(fast, eager)
    forward, backward = (g.program.imported.graph for g in graphs_of(fast))
    assert {n.op for n in forward.nodes} & {"to_blocks", "from_blocks"} == {"to_blocks"}
    assert {n.op for n in backward.nodes} & {"to_blocks", "from_blocks"} == {"from_blocks"}


class Joined(nn.Module):
    """Two convolutions whose joined results a third one reads. again: joined with the first of them once more."""

    def __init__(self, again: bool) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(3, 32, 1)
        self.third, self.fourth, self.again = nn.Conv2d(64, 16, 3, padding=1), nn.Conv2d(96, 9, 3, padding=1), again

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = [F.avg_pool2d(self.first(x), 2), F.avg_pool2d(self.second(x), 2)]
        joined = torch.cat(parts, 1)
        y = self.third(joined)
        return self.fourth(torch.cat([joined, torch.cat([y, y.sin()], 1)], 1)) if self.again else y


@pytest.mark.budget(4)
@pytest.mark.parametrize("again", [False, True])
def test_joined_images_are_kept_where_they_were_joined(again: bool) -> None:
    fast, eager = pair(Joined(again), IMAGES)
    for _ in range(2):
        check_loss(step(fast, IMAGES), step(eager, IMAGES))
        check_gradients(fast, eager)
    forward = graphs_of(fast)[0]
    regions = [n for e in forward.program.runner.executables for n in e.compiled.graph.nodes if n.op == "region"]
    if not again:
        assert not any(n.op == "copy" for r in regions for n in r.attrs["body"].nodes)


def test_weights_that_change_at_each_step_are_read_where_they_lie_and_their_packing_counts() -> None:
    fast, eager = pair(blocks(), IMAGES)
    optimizers = [torch.optim.SGD(m.parameters(), 0.1) for m in (fast, eager)]
    for _ in range(3):
        check_loss(step(fast, IMAGES), step(eager, IMAGES))
        check_gradients(fast, eager)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    executables = [e for g in graphs_of(fast) for e in g.program.runner.executables if e.plan.weights]
    assert executables and all(e.compiled.target.repacks for e in executables)
    assert any(e.packed.again for e in executables)


@pytest.mark.parametrize("turned", [False, True])
def test_weights_are_kept_for_the_backward_pass_as_they_are(turned: bool) -> None:
    """torch's partitioner asks for a turned weight, which the forward pass would have to copy."""

    class Layers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Parameter(torch.randn(16, 24)), nn.Parameter(torch.randn(16, 24))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            h = F.linear(torch.tanh(x @ self.first), self.second)
            return h @ self.second if turned else h  # one weight both as it is and turned

    inputs = (torch.randn(5, 16),)
    fast, eager = pair(Layers(), inputs)
    for _ in range(2):
        check_loss(step(fast, inputs), step(eager, inputs))
    check_gradients(fast, eager)
    forward, backward = (g.module.graph for g in graphs_of(fast))
    (output,) = forward.find_nodes(op="output")
    saved = [n.meta["val"].shape for n in output.args[0] if n.op == "placeholder"]
    assert set(saved) >= {(5, 16), (16, 24)}  # the input and the second weight
    assert not [n for n in output.args[0] if n.op == "call_function" and n.target is torch.ops.aten.t.default]
    assert [n for n in backward.nodes if n.target is torch.ops.aten.t.default]


def test_torch_gets_images_where_the_backward_pass_cannot_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = compiled_training.between_graphs

    def fails_behind(imported, examples, kept, places):
        if not kept:
            raise UnsupportedError("no backward pass")
        return compiled(imported, examples, kept, places)

    monkeypatch.setattr(compiled_training, "between_graphs", fails_behind)
    fast, eager = pair(blocks(), IMAGES)
    with sol.config.override(fallback="eager"):
        check_loss(step(fast, IMAGES), step(eager, IMAGES))
    check_gradients(fast, eager)
    assert isinstance(graphs_of(fast)[1].failure, UnsupportedError)
