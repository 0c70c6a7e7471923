"""The backward pass works in the memory of what it has read, and never in what somebody else holds."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import sol
from sol.runtime.torch import result_pool
from sol.runtime.torch.result_pool import ResultPool
from tests.training.steps import GRADIENT, check_gradients, check_loss, graphs_of, pair, step

ROWS = 1024
X = torch.randn(ROWS, 512)


def layers() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(512, 512), nn.GELU())], nn.Linear(512, 64))


def images() -> nn.Module:
    torch.manual_seed(0)
    blocks = [(nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 1, 1)) for _ in range(3)]
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), *[m for block in blocks for m in block], nn.AdaptiveAvgPool2d(1), nn.Flatten())


class Sequence(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding, self.lstm = nn.Embedding(500, 128), nn.LSTM(128, 128, batch_first=True)
        self.attention = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.attention(self.lstm(self.embedding(tokens))[0])


class Paths(nn.Module):
    """Layers of which some rows are left out at random (G. Huang et al., Deep networks with stochastic depth, 2016)."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(512, 512), nn.GELU()) for _ in range(4)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = x + layer(x) * torch.empty(len(x), 1).bernoulli_(0.8) / 0.8
        return x


MODELS: dict[str, tuple[Callable[[], nn.Module], torch.Tensor]] = {
    "layers": (layers, X), "paths": (Paths, X), "images": (images, torch.randn(8, 3, 64, 64)),
    "sequence": (Sequence, torch.randint(0, 500, (64, 64))),
}  # fmt: skip


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each backward pass worked in memory of the forward pass. Other memory that calls are lent is full of NaN at first."""
    found: list[bool] = []
    around, lend = ResultPool._around, ResultPool.lend

    def noted(self, *args):
        found.append((loan := around(self, *args)) is not None)
        return loan

    def spoiled(self, size, operands=(), room=0):
        before = len(found)
        loan = lend(self, size, operands, room)
        if not (len(found) > before and found[-1]):
            loan._chunk.block.bytes[loan._start : loan._end] = 0xFF
        return loan

    monkeypatch.setattr(ResultPool, "_around", noted)
    monkeypatch.setattr(ResultPool, "lend", spoiled)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_the_backward_pass_works_in_memory_of_the_forward_pass(name: str, taken: list[bool]) -> None:
    make, x = MODELS[name]
    fast, eager = pair(make(), (x,))
    for _ in range(3):
        for model in (fast, eager):
            model.zero_grad()
            step(model, (x,))
        check_gradients(fast, eager)
    assert taken == [True] * 3
    first, second = graphs_of(fast)
    forward, backward = first.alone, second.whole
    assert forward is not None and backward is not None and forward.room == backward.lent_bytes


def test_results_that_torch_reads_keep_their_memory(taken: list[bool]) -> None:
    """What runs in torch behind a compiled part may give its operand, or a view of it, as a result."""

    class Sorted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = layers()

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            y = self.layers(x).sigmoid()
            return y.exp(), torch.linalg.qr(y)[1]

    fast, eager = pair(Sorted(), (X,))
    for _ in range(2):
        for model in (fast, eager):
            model.zero_grad()
            step(model, (X,))
        check_gradients(fast, eager)
    assert graphs_of(fast)[0].alone is None and not any(taken)


def test_gradients_that_add_up_keep_their_memory(taken: list[bool]) -> None:
    fast, eager = pair(layers(), (X,))
    for _ in range(4):
        step(fast, (X,)), step(eager, (X,))
        check_gradients(fast, eager)
    assert all(taken)


def test_what_is_needed_again_stays(taken: list[bool]) -> None:
    """retain_graph, two losses of one graph, and gradients of chosen tensors."""
    fast, eager = pair(layers(), (X,))
    for model in (fast, eager):
        model.zero_grad()
        y = model(X)
        y.square().mean().backward(retain_graph=True)
        y.abs().mean().backward(retain_graph=True)
        y.mean().backward()
    check_gradients(fast, eager)
    assert len(taken) == 3 and not any(taken[:2])  # the third may, unless gradients of the others lie there
    parameter = next(fast.parameters())
    (found,) = torch.autograd.grad(fast(X).mean(), [parameter])
    (expected,) = torch.autograd.grad(eager(X).mean(), [next(eager.parameters())])
    assert (found - expected).norm() <= GRADIENT * expected.norm()


def test_what_somebody_holds_stays(taken: list[bool]) -> None:
    """Saved tensors that hooks kept, and those that were read from the graph."""
    fast, eager = pair(layers(), (X,))
    step(fast, (X,)), step(eager, (X,))
    held: list[torch.Tensor] = []

    def hold(tensor: torch.Tensor) -> torch.Tensor:
        held.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(hold, lambda t: t):
        y = fast(X).mean()
    copies = [t.clone() for t in held]
    y.backward()
    assert not taken[-1] and all(map(torch.equal, held, copies))
    y = fast(X)
    held[:] = y.grad_fn.saved_tensors  # type: ignore[union-attr]
    copies = [t.clone() for t in held]
    y.mean().backward()
    assert not taken[-1] and all(map(torch.equal, held, copies))
    for _ in range(2):
        eager(X).mean().backward()
    check_gradients(fast, eager)
    held.clear()
    del y
    step(fast, (X,))
    assert taken[-1]


def test_hooks_may_hand_back_other_tensors(taken: list[bool]) -> None:
    fast, eager = pair(layers(), (X,))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.double(), lambda t: t.float()):
        step(fast, (X,))
    step(eager, (X,))
    check_gradients(fast, eager)
    step(fast, (X,)), step(eager, (X,))
    check_gradients(fast, eager)


def test_two_graphs_alive_at_once_and_results_that_are_held(taken: list[bool]) -> None:
    fast, eager = pair(layers(), (X,))
    for model in (fast, eager):
        model.zero_grad()
        results = [model(X * k) for k in (1, 2, 3)]
        values = [r.detach().clone() for r in results]
        for k in (1, 0, 2):
            (results[k] ** 2).mean().backward()
            assert all(map(torch.equal, [r.detach() for r in results], values))
    check_gradients(fast, eager)


def test_gradients_of_one_step_are_not_written_to_by_the_next(taken: list[bool]) -> None:
    fast, eager = pair(layers(), (X,))
    kept: list[tuple[torch.Tensor, torch.Tensor]] = []
    for k in range(1, 6):
        for model in (fast, eager):
            model.zero_grad()
            step(model, (X * k,))
        kept += [(p.grad, q.grad) for p, q in zip(fast.parameters(), eager.parameters())]  # type: ignore[misc]
        assert all((a - b).norm() <= GRADIENT * b.norm() for a, b in kept)


def test_memory_of_a_step_is_less_than_what_it_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept activations and gradients lie in the same memory."""
    lent: list[int] = []
    lend = ResultPool.lend
    monkeypatch.setattr(ResultPool, "lend", lambda self, size, *args: lent.append(size) or lend(self, size, *args))  # type: ignore[func-returns-value]
    model = nn.Sequential(*[m for _ in range(8) for m in (nn.Linear(512, 512), nn.Tanh())])
    with sol.config.override(training="compiled"):
        fast = sol.optimize(copy.deepcopy(model), [X]).train()
        for _ in range(2):
            fast.zero_grad()
            step(fast, (X,))
    forward = graphs_of(fast)[0].whole
    assert forward is not None
    kept = sum(ROWS * 512 * 4 for p in forward.plan.outputs if p.place is not None)
    gradients = sum(p.grad.nbytes for p in fast.parameters() if p.grad is not None)
    assert lent[-1] < kept + gradients  # with all that is computed on the way
    assert result_pool.LARGE_RESULT <= 512 * 512 * 4


class Growing(nn.Module):
    """Layers that read all that was made before them, and what they read kept for the backward pass."""

    def __init__(self, first: int, more: int, layers: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        sizes = [first + i * more for i in range(layers)]
        self.norms = nn.ModuleList([nn.BatchNorm2d(n) for n in sizes])
        self.convs = nn.ModuleList([nn.Conv2d(n, more, 3, padding=1, bias=False) for n in sizes])
        self.last = nn.BatchNorm2d(first + layers * more)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = [x.sin()]
        for i, (norm, conv) in enumerate(zip(self.norms, self.convs)):
            parts.append(conv(torch.relu(norm(torch.cat(parts, 1 if i % 2 else -3)))))
        return self.last(torch.cat(parts, 1)).relu().mean((2, 3))


@pytest.mark.parametrize("budget", [1.0, 0.0])
@pytest.mark.parametrize("sizes", [(32, 16, 3), (20, 12, 4), (16, 7, 3)])
def test_concatenations_that_begin_alike_are_kept_once(sizes: tuple[int, int, int], budget: float) -> None:
    x = torch.randn(3, sizes[0], 14, 13)
    with sol.config.override(training_memory_budget=budget):
        fast, eager = pair(Growing(*sizes), (x,))
        for _ in range(2):
            for model in (fast, eager):
                model.zero_grad()
            for _ in range(2):  # gradients are added up
                losses = [step(model, (x,)) for model in (fast, eager)]
                check_loss(*losses)
            check_gradients(fast, eager)
        backward = graphs_of(fast)[1]
    names = [n.name for n in backward.module.graph.find_nodes(op="placeholder")]
    assert budget == 0 or sum(name.startswith("cat") for name in names) == 1


class Results(nn.Module):
    """Concatenations that begin alike, of which the shorter one is a result, or of another dtype."""

    def __init__(self, wide: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b, self.wide = nn.Linear(64, 64), nn.Linear(64, 64), wide

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        a, b = self.a(x), self.b(x)
        short = torch.cat([a, b], 1)
        long = torch.cat([a, b, (a * b).double() if self.wide else a * b], 1)
        return short, short.float().pow(3) @ short.float().t(), long.pow(3) @ long.t()


@pytest.mark.parametrize("wide", [False, True])
def test_a_concatenation_that_is_a_result_or_of_another_dtype(wide: bool) -> None:
    x = torch.randn(300, 64)
    fast, eager = pair(Results(wide), (x,))
    for _ in range(2):
        for model in (fast, eager):
            model.zero_grad()
        check_loss(step(fast, (x,)), step(eager, (x,)))
        check_gradients(fast, eager)
        for mine, theirs in zip(fast(x), eager(x)):
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-3)


def test_a_table_that_two_layers_read() -> None:
    """Its gradient is made in one place, and nothing of its size is packed or kept."""

    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.table, self.between = nn.Embedding(4099, 96), nn.Linear(96, 96)

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return nn.functional.linear(self.between(self.table(tokens)).tanh(), self.table.weight)

    tokens = torch.randint(0, 4099, (4, 32))
    fast, eager = pair(Tied(), (tokens,))
    for _ in range(2):
        for model in (fast, eager):
            model.zero_grad()
            step(model, (tokens,))
        check_gradients(fast, eager)
        with torch.no_grad():
            for model in (fast, eager):
                model.table.weight *= 0.9
    graphs = graphs_of(fast)
    assert not any(t.shape == (4099, 96) for g in graphs for t in g._bound)  # products and rows are taken of it as it lies
    forward, backward = (g.whole for g in graphs)
    assert forward is not None and backward is not None
    size = 4099 * 96 * 4
    assert forward.packed.size < size / 8 and backward.packed.size < size / 8
    assert sum(b.size >= size for b in backward.plan.buffers if b.in_arena) <= 2  # the gradient, and the table packed for the product


class Turning(nn.Module):
    """Layer norms over the channels of images, whose strides torch hands on to what follows. result: whether that is returned, too."""

    def __init__(self, result: bool) -> None:
        super().__init__()
        self.first, self.last = nn.Conv2d(3, 24, 3, padding=1), nn.Conv2d(24, 8, 1)
        self.norms = nn.ModuleList([nn.LayerNorm(24), nn.LayerNorm(24)])
        self.result = result

    def forward(self, x: torch.Tensor) -> Any:
        y = self.first(x)
        for norm in self.norms:
            y = F.avg_pool2d(F.silu(norm(y.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)), 3, 1, 1)
        z = self.last(y.square())
        return (z, y) if self.result else z


@pytest.mark.parametrize("result", [False, True])
def test_what_is_kept_lies_row_by_row(result: bool) -> None:
    """Not in torch's strides, in which the backward graph would not read it; what the model returns has them."""
    x = torch.randn(2, 3, 11, 9)
    fast, eager = pair(Turning(result), (x,))
    check_loss(step(fast, (x,)), step(eager, (x,)))
    check_gradients(fast, eager)
    forward = graphs_of(fast)[0]
    graph = forward.program.imported.graph
    turned = [o for o in graph.outputs if graph.producer(o).op in ("permute", "copy")]
    assert len(turned) == 1 + result, "the results of the model"
    if result:
        assert fast(x)[1].stride() == eager(x)[1].stride() != fast(x)[1].contiguous().stride()


class Detached(nn.Module):
    """Layers whose results torch detaches before it saves them. result: whether these are returned, too."""

    def __init__(self, result: bool) -> None:
        super().__init__()
        self.lstm, self.last = nn.LSTM(64, 128, batch_first=True), nn.Linear(128, 32)
        self.result = result

    def forward(self, x: torch.Tensor) -> Any:
        y = torch.sigmoid(self.lstm(x)[0])
        z = self.last(y).exp()
        return (z, y) if self.result else z


@pytest.mark.parametrize("result", [False, True])
def test_what_torch_detaches_lies_in_memory_of_the_pass(result: bool) -> None:
    """But what the model returns, and is saved as well."""
    x = torch.randn(48, 96, 64)
    fast, eager = pair(Detached(result), (x,))
    for _ in range(2):
        for model in (fast, eager):
            model.zero_grad()
        check_loss(step(fast, (x,)), step(eager, (x,)))
        check_gradients(fast, eager)
    forward = graphs_of(fast)[0].alone
    assert forward is not None
    large = [i for i, port in enumerate(forward.plan.outputs) if port.place is not None]
    assert len(large) > 4 and len([i for i in large if i in forward.elsewhere]) == result
