"""Random numbers are those of eager, in its order, whatever is compiled between them; those that need no computed value come first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import sol
from sol.frontend.torch.draws import memory_order
from sol.runtime.torch import masks
from sol.runtime.torch.dynamo import sol_backend
from tests.training.steps import graphs_of, in_torch, pair, step

X = torch.randn(24, 20)


class Of(nn.Module):
    """A function of a linear layer and its argument."""

    def __init__(self, function: Callable[[nn.Module, torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function, self.layer = function, nn.Linear(20, 20)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(self.layer, x)


def turned(x: torch.Tensor) -> torch.Tensor:
    return x.t().contiguous().t()


CASES: dict[str, tuple[Callable[[Any, torch.Tensor], torch.Tensor], set[str]]] = {
    "dropouts, then numbers": (lambda layer, x: layer(F.dropout(F.dropout(layer(x), 0.3), 0.5)) * torch.rand(20), {"dropout_mask", "rand"}),
    "what a value decides, between": (
        lambda layer, x: F.dropout(layer(F.dropout(layer(x), 0.3)) + torch.poisson(layer(x).detach().abs()), 0.2),
        {"dropout_mask", "poisson"},
    ),
    "like a value": (lambda layer, x: layer(x) + torch.randn_like(layer(x)) * torch.rand_like(x), {"randn", "rand"}),
    "whole numbers like a value": (lambda layer, x: layer(x) * torch.randint_like(x, 5) + torch.randint_like(x, 2, 9), {"randint"}),
    "like a turned value": (lambda layer, x: layer(x) + torch.randn_like(turned(layer(x))), {"randn_like"}),
    "dropout of a turned value": (lambda layer, x: F.dropout(turned(layer(x)), 0.3) + x, {"dropout_mask"}),
    "paths": (lambda layer, x: layer(x) * torch.empty(24, 1).bernoulli_(0.7) / 0.7, {"dropout_mask"}),
    "features": (lambda layer, x: F.dropout2d(layer(x)[..., None, None] * torch.ones(4, 4), 0.4), {"dropout_mask"}),
    "all or nothing": (lambda layer, x: F.dropout(layer(x), 1.0) + F.dropout(layer(x), 0.0) + layer(x) * torch.rand(20), {"rand"}),
    "attention": (
        lambda layer, x: F.scaled_dot_product_attention(layer(x)[None], x[None], layer(x)[None], dropout_p=0.2),
        {"dropout_mask"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_eager(name: str) -> None:
    function, calls = CASES[name]
    fast, eager = pair(Of(function), (X,))
    for seed in range(2):
        results = []
        for model in (fast, eager):
            torch.manual_seed(seed)
            step(model, (X,))
            results.append([model(X), torch.rand(3), model.layer.weight.grad])
        for got, wanted in zip(*results):
            torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)
    assert in_torch(fast) == calls


@pytest.mark.parametrize("name", CASES)
def test_without_gradients(name: str) -> None:
    model = Of(CASES[name][0]).train()
    fast = sol.optimize(model, [X])
    with torch.no_grad():
        results = []
        for m in (fast, model):
            torch.manual_seed(3)
            results.append((m(X), torch.rand(3)))
    for got, wanted in zip(*results):
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)


TWICE: dict[str, Callable[[Any, torch.Tensor], torch.Tensor]] = {
    "like a value": lambda layer, x: layer(x) * torch.randn_like(x) + torch.randn_like(x) * layer(x) ** 2,
    "whole numbers": lambda layer, x: layer(x) * torch.randint_like(x, 5) + torch.randint_like(x, 5) * layer(x) ** 2,
    "sizes": lambda layer, x: layer(torch.tanh(layer(x)) * torch.rand(24, 1).add(0.5).floor()) * torch.rand(24, 1).add(0.5).floor(),
    "in place": lambda layer, x: layer(torch.tanh(layer(x)) * torch.zeros_like(x).uniform_()) * torch.zeros_like(x).uniform_(),
    "paths": lambda layer, x: layer(torch.tanh(layer(x) * torch.empty_like(x).bernoulli_()) * torch.empty_like(x).bernoulli_()),
    "gumbel": lambda layer, x: F.gumbel_softmax(layer(x)) + F.gumbel_softmax(layer(x)),
    "leaky": lambda layer, x: F.rrelu(layer(x), training=True) * F.rrelu(layer(x), training=True),
    "dropout": lambda layer, x: layer(F.dropout(torch.tanh(layer(F.dropout(x * layer.bias, 0.3))), 0.3)),
    "attention": lambda layer, x: attend(layer, attend(layer, x)),
    "checkpoints": lambda layer, x: checkpoint(dropping, layer, checkpoint(dropping, layer, x, use_reentrant=False), use_reentrant=False),
}


def attend(layer: Any, x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(layer(x)[None], x[None], layer(x)[None], dropout_p=0.2)[0]


def dropping(layer: Any, x: torch.Tensor) -> torch.Tensor:
    return F.dropout(F.gelu(layer(F.dropout(layer(x), 0.3))), 0.3) * torch.rand_like(x)


@pytest.mark.parametrize("budget", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("name", TWICE)
def test_draws_that_read_the_same_are_two(name: str, budget: float) -> None:
    """And a backward pass that computes values again has the numbers of the forward pass."""
    model = Of(TWICE[name])
    with sol.config.override(training_memory_budget=budget):
        fast, eager = pair(model, (X,))
        found = []
        for m in (fast, eager):
            m.zero_grad()
            torch.manual_seed(2)
            step(m, (X,))
            found.append([m.layer.weight.grad, m.layer.bias.grad, torch.rand(3)])
    for got, wanted in zip(*found):
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("training", ["torch", "auto", "compiled"])
def test_checkpoints_under_torch_compile(training: str) -> None:
    """Dynamo leaves it to a backend that checkpoints draw the same numbers twice, also where the backend leaves them to torch."""
    torch._dynamo.reset()
    model = Of(TWICE["checkpoints"])
    fast = torch.compile(model, backend=sol_backend)
    with sol.config.override(training=training):
        for seed in range(2):
            found = []
            for m in (fast, model):
                model.zero_grad()
                torch.manual_seed(seed)
                y = m(X)
                y.square().sum().backward()
                found.append([y, model.layer.weight.grad.clone(), torch.rand(3)])
            for got, wanted in zip(*found):
                torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)
        with torch.no_grad():
            torch.manual_seed(4)
            got = fast(X)
            torch.manual_seed(4)
            torch.testing.assert_close(got, model(X), rtol=1e-4, atol=1e-5)
    torch._dynamo.reset()


TURNED: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "alpha dropout": lambda y: F.alpha_dropout(turned(y), 0.1, True),
    "dropout": lambda y: F.dropout(turned(y), 0.3, True),
    "features": lambda y: F.dropout1d(turned(y)[None], 0.3, True)[0],
    "bernoulli": lambda y: y * torch.empty_like(turned(y)).bernoulli_(0.5),
    "uniform": lambda y: y * torch.empty_like(turned(y)).uniform_(-1, 1),
    "normal": lambda y: y * torch.empty_like(turned(y)).normal_(),
    "exponential": lambda y: y * torch.empty_like(turned(y)).exponential_(),
    "geometric": lambda y: y * torch.empty_like(turned(y)).geometric_(0.3),
    "log normal": lambda y: y * torch.empty_like(turned(y)).log_normal_(),
    "like": lambda y: y * torch.rand_like(turned(y)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", TURNED)
def test_in_the_order_of_memory(name: str, dtype: torch.dtype) -> None:
    model, x = Of(lambda layer, x: TURNED[name](layer(x))).to(dtype), torch.randn(40, 20).to(dtype)  # enough for torch to fill by vectors
    fast, eager = pair(model, (x,))
    found = []
    for m in (fast, eager):
        torch.manual_seed(6)
        found.append([m(x), torch.rand(3)])
        with torch.no_grad():
            found[-1] += [m(x), torch.rand(3)]
    rtol, atol = (2e-2, 2e-2) if dtype is torch.bfloat16 else (1e-4, 1e-5)
    for got, wanted in zip(*found):
        torch.testing.assert_close(got, wanted, rtol=rtol, atol=atol)


def test_all_else_is_one_program() -> None:
    """The backward pass may work in memory of the forward pass where one executable gives all that is computed."""
    model = nn.Sequential(nn.Linear(20, 32), nn.Dropout(0.3), nn.Linear(32, 32), nn.GELU(), nn.Dropout(0.5), nn.Linear(32, 20))
    fast, _ = pair(model, (X,))
    step(fast, (X,))
    forward, backward = graphs_of(fast)
    assert forward.alone is not None and backward.whole is not None


def twisted(generator: torch.Generator, size: int, kept: float) -> tuple[np.ndarray, list[int]]:
    """A mask by numpy's Mersenne Twister from a generator's state, and the state behind it: its words, and how many of them are left."""
    state = generator.get_state().numpy()
    words, left = state[24 : 24 + 624 * 8].view(np.uint64), int(state[8:12].view(np.int32)[0])
    numbers = np.random.MT19937()
    numbers.state = {"bit_generator": "MT19937", "state": {"key": words.astype(np.uint32), "pos": 625 - left}}
    high, low = numbers.random_raw(2 * size).reshape(size, 2).T
    after = numbers.state["state"]
    return ((high << np.uint64(32) | low) & np.uint64(2**53 - 1)) * 2.0**-53 < kept, [*map(int, after["key"]), 625 - after["pos"]]


@pytest.mark.parametrize("used", [0, 1, 2, 623, 624])
@pytest.mark.parametrize("size", [1, 312, 4099, 20000])
def test_masks_are_the_numbers_of_the_generator(size: int, used: int) -> None:
    """From any place in a block, and the generator is left behind them."""
    draw = masks._compiled()
    for kept in (0.0, 0.1, 1 / 3, 0.9, 1.0):
        generator, got = torch.Generator().manual_seed(size), torch.empty(size, dtype=torch.bool)
        torch.empty(used).uniform_(generator=generator)
        wanted, left = twisted(generator, size, kept)
        draw(generator, got, kept)
        assert np.array_equal(got.numpy(), wanted)
        state = generator.get_state().numpy()
        assert [*state[24 : 24 + 624 * 8].view(np.uint64).tolist(), int(state[8:12].view(np.int32)[0])] == left


@pytest.mark.parametrize("size", [3, 4096, 4099, 20000])
def test_masks_are_those_of_torch(size: int) -> None:
    for kept in (0.0, 1 / 3, 1.0):
        torch.manual_seed(size)
        found = masks.dropout_mask(kept, (size,)), torch.rand(3)
        torch.manual_seed(size)
        wanted = torch.empty(size, dtype=torch.bool).bernoulli_(kept), torch.rand(3)
        assert all(map(torch.equal, found, wanted))


def test_another_thread_draws_meanwhile() -> None:
    """Its numbers come first, and no number is drawn twice."""
    draw = masks._compiled()

    class Shared:
        """A generator from which somebody draws right after its state was first read."""

        def __init__(self) -> None:
            self.inner, self.reads = torch.Generator().manual_seed(5), 0

        def get_state(self) -> torch.Tensor:
            state = self.inner.get_state()
            if not self.reads:
                torch.empty(7).uniform_(generator=self.inner)
            self.reads += 1
            return state

        def set_state(self, state: torch.Tensor) -> None:
            self.inner.set_state(state)

    shared, plain = Shared(), torch.Generator().manual_seed(5)
    got = torch.empty(5000, dtype=torch.bool)
    draw(shared, got, 0.4)
    torch.empty(7).uniform_(generator=plain)
    wanted = torch.empty(5000, dtype=torch.bool)
    draw(plain, wanted, 0.4)
    assert torch.equal(got, wanted)


def test_where_torch_draws_in_another_way_it_draws_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with libraries of processors' vendors: then masks are what torch gives."""
    def other(self: torch.Tensor, kept: float, generator: Any = None) -> torch.Tensor:
        return self.copy_(torch.rand(self.shape, generator=generator) < kept)

    masks._drawing.cache_clear()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(torch.Tensor, "bernoulli_", other)
            assert masks._drawing() is None
            assert masks.dropout_mask(0.3, (5000,)).float().mean() == pytest.approx(0.3, abs=0.05)
    finally:
        masks._drawing.cache_clear()


def test_without_a_compiler_torch_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> Any:
        raise sol.errors.CompilerNotFoundError("there is no compiler")

    masks._drawing.cache_clear()
    try:
        monkeypatch.setattr(masks, "build", none)
        torch.manual_seed(1)
        got = masks.dropout_mask(0.3, (70, 80))
        torch.manual_seed(1)
        assert torch.equal(got, torch.empty(70, 80, dtype=torch.bool).bernoulli_(0.3))
    finally:
        masks._drawing.cache_clear()


def test_order_of_memory() -> None:
    assert memory_order(torch.empty(2, 3, 4, 5)) == [0, 1, 2, 3]
    assert memory_order(torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last)) == [0, 2, 3, 1]
    assert memory_order(torch.empty(3, 2, 5).permute(2, 0, 1)) == [1, 2, 0]
    assert memory_order(torch.empty(5).expand(3, 5)) == [0, 1]
