"""One step of a small module of every family of operations: loss, gradients and buffers are eager's, and what runs in torch is known."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.parametrizations import weight_norm

import sol
from tests.training.steps import check_gradients, check_loss, graphs_of, in_torch, pair, step

CONV = {"convolution_backward"}


class Of(nn.Module):
    """A function of a linear layer's result, and of these submodules."""

    def __init__(self, function: Callable[..., torch.Tensor], width: int = 12, **parts: nn.Module) -> None:
        super().__init__()
        self.linear = nn.Linear(10, width)
        self.function = function
        for name, part in parts.items():
            self.add_module(name, part)
        self.names = list(parts)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(self.linear(x), *[self.get_submodule(n) for n in self.names])


class Attention(nn.Module):
    """Words, attention, classes, and the loss inside the module."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.norm, self.out = nn.Embedding(50, 32), nn.LayerNorm(32), nn.Linear(32, 50)
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        h = self.words(x)
        n = self.norm(h)
        h = h + self.attention(n, n, n, need_weights=False)[0]
        return F.cross_entropy(self.out(h).flatten(0, 1), y.flatten())


class Heads(nn.Module):
    """Attention whose heads are views of one product, as those of most transformers: torch says where its result lies in memory.

    shared: how many heads of queries share one of keys and values. longer: how many more keys than queries there are.
    """

    def __init__(self, shared: int = 1, longer: int = 0, **options: Any) -> None:
        super().__init__()
        self.q, self.out = nn.Linear(32, 32), nn.Linear(32, 32)
        self.k, self.v = (nn.Linear(32, 32 // shared) for _ in range(2))
        self.longer, self.options = longer, options

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        memory = F.pad(x, (0, 0, 0, self.longer), value=0.3)
        q, k, v = (part(y).unflatten(-1, (-1, 8)).transpose(1, 2) for part, y in ((self.q, x), (self.k, memory), (self.v, memory)))
        found = F.scaled_dot_product_attention(q, k, v, **self.options)
        return self.out(found.transpose(1, 2).reshape(x.shape))


class Recurrent(nn.Module):
    """A recurrent layer whose outputs and last states are read, and the classes of its last step."""

    def __init__(self, layers: nn.Module, width: int = 12) -> None:
        super().__init__()
        self.layers, self.out = layers, nn.Linear(width, 3)

    def forward(self, x: torch.Tensor) -> Any:
        y, last = self.layers(x)
        return self.out(y[..., -1, :]), last


def activations(h: torch.Tensor, prelu: nn.Module) -> torch.Tensor:
    functions = (F.relu, F.gelu, F.silu, F.elu, F.leaky_relu, F.hardtanh, F.hardswish, F.hardsigmoid, F.softplus, F.mish, F.logsigmoid,
                 torch.tanh, torch.sigmoid, F.softshrink, F.relu6, prelu, lambda t: F.glu(t).repeat(1, 2))  # fmt: skip
    return sum(f(h) for f in functions)  # type: ignore[return-value]


def moves(h: torch.Tensor) -> torch.Tensor:
    gathered = h.gather(1, torch.tensor([[0, 3, 3], [1, 1, 2], [5, 4, 0], [7, 7, 7], [2, 0, 1]])).sum(1, keepdim=True)
    parts = (h[:, 1:7].cumsum(1).sum(1, keepdim=True), h[[0, 2, 2]].sum(0, keepdim=True), h.select(1, 3)[:, None], gathered,
             torch.cat((h[:, 6:], h[:, :6]), 1), torch.stack((h, 2 * h)).amax(0), h.roll(1, 0), F.pad(h, (1, 1))[:, 2:],
             h.t().reshape(5, 12), torch.where(h > 0, h, h * h), h.flip(1), h.index_select(1, torch.arange(12)))  # fmt: skip
    return sum(p * p for p in parts)  # type: ignore[return-value]


def systems(h: torch.Tensor) -> torch.Tensor:
    square, one = h @ h.t() / 9, torch.eye(5, dtype=h.dtype)
    parts = (torch.linalg.solve_triangular(square, h, upper=False, unitriangular=True),
             torch.linalg.solve_triangular(square + 2 * one, h.t()[None], upper=True, left=False)[0].t())  # fmt: skip
    return sum(p * p for p in parts)  # type: ignore[return-value]


def rows(h: torch.Tensor) -> torch.Tensor:
    found = (F.softmax(h, -1), F.log_softmax(h, -1), F.rms_norm(h, (12,)), F.normalize(h), h.std(1, keepdim=True),
             h.logsumexp(1, keepdim=True), h.norm(dim=1, keepdim=True), h.var(0, keepdim=True), h.prod(1, keepdim=True))  # fmt: skip
    return sum(f * f for f in found)  # type: ignore[return-value]


def turned_dropout(h: torch.Tensor) -> torch.Tensor:
    """Numbers are drawn in the order of memory."""
    return F.dropout(h.t() * 2, 0.4, training=True)


def turned_rows(h: torch.Tensor, down: nn.Module, up: nn.Module) -> torch.Tensor:
    """The gradient of a weight from pixels that lie apart, one for each of two convolutions of the same weight."""
    y = h.t()[None]
    return (y + up(down(y) * down(-y).sigmoid()))[0].t()


def at_computed_places(h: torch.Tensor) -> torch.Tensor:
    """Places that float32 decides, the same in both passes."""
    return h[:, ((torch.arange(50) + 0.5) * 0.48).long()] * torch.arange(50).sin()


def turned_twice(h: torch.Tensor) -> torch.Tensor:
    """A value whose turned views are kept beside it."""
    w = h.exp()
    return (h.t() @ w) @ w.t() @ (w @ w.t()) @ w[:, :5].t().unsqueeze(1).squeeze(1).relu()


def losses(h: torch.Tensor) -> torch.Tensor:
    target = torch.linspace(0, 1, h.numel(), dtype=h.dtype).view_as(h)
    classes = torch.tensor([0, 3, -100, 11, 5])
    parts = (F.mse_loss(h, target), F.smooth_l1_loss(h, target), F.huber_loss(h, target), F.l1_loss(h, target),
             F.binary_cross_entropy_with_logits(h, target), F.binary_cross_entropy(h.sigmoid(), target), F.cross_entropy(h, classes),
             F.kl_div(h.log_softmax(1), target), F.nll_loss(h.log_softmax(1), classes))  # fmt: skip
    return torch.stack(parts)


def net(*layers: nn.Module) -> nn.Module:
    return nn.Sequential(*layers)


ROWS, IMAGE = (torch.linspace(-2, 2, 50).view(5, 10).sin(),), (torch.linspace(-9, 9, 3 * 3 * 15 * 17).view(3, 3, 15, 17).sin(),)
SEQUENCE = (torch.linspace(-1, 1, 3 * 7 * 8).view(3, 7, 8),)
HEADS = (torch.linspace(-3, 3, 2 * 7 * 32).view(2, 7, 32).sin(),)
POOLS = (nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(2))
FAMILIES: dict[str, tuple[Callable[[], nn.Module], tuple[Any, ...], set[str]]] = {
    "linear": (lambda: net(nn.Linear(10, 33), nn.ReLU(), nn.Linear(33, 7)), ROWS, set()),
    "activations": (lambda: Of(activations, prelu=nn.PReLU()), ROWS, set()),
    "moves": (lambda: Of(moves), ROWS, set()),
    "triangular systems": (lambda: Of(systems), ROWS, set()),
    "rows": (lambda: Of(rows), ROWS, set()),
    "losses": (lambda: Of(losses), ROWS, set()),
    "computed places": (lambda: Of(at_computed_places, 24), ROWS, set()),
    "turned twice": (lambda: Of(turned_twice), ROWS, set()),
    "norms": (lambda: net(nn.Linear(10, 12), nn.LayerNorm(12), nn.GroupNorm(3, 12), nn.Tanh(),
                          nn.BatchNorm1d(12), nn.Linear(12, 5)), ROWS, set()),
    "dropout": (lambda: net(nn.Linear(10, 12), nn.Dropout(0.3), nn.Linear(12, 5)), ROWS, {"dropout_mask"}),
    "conv": (lambda: net(nn.Conv2d(3, 17, 3, padding=1), nn.BatchNorm2d(17), nn.ReLU(), nn.Conv2d(17, 8, 1)), IMAGE, set()),
    "strided": (lambda: net(nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU6(), nn.Conv2d(16, 8, 3, 2)), IMAGE, set()),
    "grouped": (lambda: net(nn.Conv2d(3, 8, 3), nn.Conv2d(8, 16, 3, groups=4), nn.Conv2d(16, 16, 3, groups=16)), IMAGE, set()),
    "several results for each input of a group": (lambda: net(nn.Conv2d(3, 9, 3, 2, groups=3), nn.Tanh(),
                                                              nn.Conv2d(9, 36, 5, 2, 3, groups=9)), IMAGE, set()),
    "groups of rows": (lambda: net(nn.Conv1d(15, 30, 3, 2, 1, groups=15), nn.Tanh()), (IMAGE[0][0],), set()),
    "groups that fill no vector": (lambda: net(nn.Conv2d(3, 48, 3), nn.Tanh(), nn.Conv2d(48, 48, 3, 2, groups=2),
                                               nn.Conv2d(48, 96, 1, groups=4)), IMAGE, set()),
    "fewer results than inputs of a group": (lambda: net(nn.Conv2d(3, 12, 3), nn.Conv2d(12, 4, 3, groups=2)), IMAGE, CONV),
    "transposed": (lambda: net(nn.ConvTranspose2d(3, 5, 2, 2), nn.Tanh(), nn.ConvTranspose2d(5, 7, 3, 2, 1, 1)), IMAGE, set()),
    "padding by what is there": (lambda: net(nn.Conv2d(3, 5, 3), nn.ReflectionPad2d((2, 1, 0, 3)), nn.Tanh(), nn.ReplicationPad2d(2),
                                             nn.Conv2d(5, 4, 3)), IMAGE, set()),
    "weights of a norm of their own": (lambda: net(weight_norm(nn.Conv1d(15, 30, 4, groups=15), dim=2), nn.Tanh(),
                                                   weight_norm(nn.Conv1d(30, 5, 3))), (IMAGE[0][0],), set()),
    "rows whose channels lie last": (lambda: Of(turned_rows, 15, down=nn.Conv1d(15, 16, 4, 2, 1), up=nn.ConvTranspose1d(16, 15, 4, 2, 1)),
                                     (torch.linspace(-4, 4, 160).view(16, 10).sin(),), set()),
    "one dimension": (lambda: net(nn.Conv1d(15, 9, 3, 2, 1), nn.GELU(), nn.ConvTranspose1d(9, 4, 4, 3)), (IMAGE[0][0],), set()),
    "three dimensions": (lambda: net(nn.Conv3d(3, 17, (1, 3, 2), (1, 2, 1)), nn.BatchNorm3d(17), nn.ReLU(), nn.Conv3d(17, 4, 3, padding=1)),
                         (IMAGE[0][None].transpose(1, 2),), set()),
    "groups of volumes": (lambda: net(nn.Conv3d(3, 6, (1, 2, 2), groups=3), nn.Sigmoid()), (IMAGE[0][None].transpose(1, 2),), CONV),
    "transposed volumes": (lambda: net(nn.ConvTranspose3d(3, 4, (1, 2, 2)), nn.Sigmoid(), nn.ConvTranspose3d(4, 5, 3, 2, 1, 1), nn.Tanh()),
                           (IMAGE[0][None].transpose(1, 2),), set()),
    "transposed volumes in groups": (lambda: net(nn.ConvTranspose3d(3, 3, (1, 2, 2), groups=3)), (IMAGE[0][None].transpose(1, 2),), CONV),
    "pools of volumes": (lambda: net(nn.Conv3d(3, 4, 1), nn.MaxPool3d((1, 3, 2), (1, 2, 2), (0, 1, 0)), nn.MaxPool3d(2, 1)),
                         (IMAGE[0][None].transpose(1, 2),), set()),
    "pools": (lambda: net(nn.Conv2d(3, 8, 3), *POOLS), IMAGE,
              set()),
    "upsampling": (lambda: net(nn.Conv2d(3, 4, 3), nn.Upsample(scale_factor=2), nn.Upsample(scale_factor=2, mode="bilinear")), IMAGE,
                   set()),
    "lstm": (lambda: Recurrent(nn.LSTM(8, 12, num_layers=2, bidirectional=True, batch_first=True), 24), SEQUENCE, set()),
    "gru": (lambda: Recurrent(nn.GRU(8, 12, num_layers=2, bidirectional=True), 24), SEQUENCE, set()),
    "rnn": (lambda: Recurrent(nn.RNN(8, 12, bias=False, nonlinearity="relu", batch_first=True)), SEQUENCE, set()),
    "dropout of turned values": (lambda: net(Of(turned_dropout), nn.Linear(5, 7)), ROWS, {"dropout_mask"}),
    "dropout of images by pixels": (lambda: net(nn.Conv2d(3, 17, 3), nn.Dropout(0.4), nn.ReLU(), nn.Dropout2d(0.4)).to(
        memory_format=torch.channels_last), (IMAGE[0].contiguous(memory_format=torch.channels_last),), {"dropout_mask", "bernoulli"}),
    "attention with dropout": (lambda: net(nn.TransformerEncoderLayer(8, 2, 12, 0.4, batch_first=True), nn.Linear(8, 3)), SEQUENCE,
                               {"dropout_mask"}),
    "recurrent dropout": (lambda: Recurrent(nn.GRU(8, 12, num_layers=2, dropout=0.5, batch_first=True)), SEQUENCE, {"dropout_mask"}),
    "one sequence": (lambda: Recurrent(nn.RNN(8, 12, batch_first=True)), (SEQUENCE[0][0],), set()),
    "norm at the end": (lambda: net(nn.Linear(10, 12), nn.LayerNorm(12)), ROWS, set()),
    "heads as views": (Heads, (torch.linspace(-3, 3, 7 * 32).view(1, 7, 32).sin(),),
                       {"_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_flash_attention_for_cpu_backward"}),
    "words": (lambda: net(nn.Embedding(37, 19, padding_idx=3), nn.Tanh(), nn.Linear(19, 5)), (torch.arange(60).view(5, 12) % 31,), set()),
    "rare words": (lambda: net(nn.Embedding(9, 4, scale_grad_by_freq=True), nn.Linear(4, 3)), (torch.tensor([[1, 1, 8]]),),
                   {"embedding_dense_backward"}),
    "attention": (Attention, (torch.arange(27).view(3, 9), (torch.arange(27).view(3, 9) * 7) % 50),
                  {"_scaled_dot_product_flash_attention_for_cpu",
                   "_scaled_dot_product_flash_attention_for_cpu_backward"}),
}  # fmt: skip
"""name → (module, inputs, operations that run in torch at most)."""


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.budget(8)
def test_a_step_is_eagers(name: str) -> None:
    make, inputs, allowed = FAMILIES[name]
    fast, eager = pair(make(), inputs)
    exact = copy.deepcopy(eager).double()
    for seed in range(2):  # gradients of the second step are added to those of the first
        check_loss(step(fast, inputs, seed), step(eager, inputs, seed))
        step(exact, [x.double() if x.is_floating_point() else x for x in inputs], seed)
        check_gradients(fast, eager, exact)
    assert in_torch(fast) <= allowed


@pytest.mark.parametrize("layers", [lambda: nn.LSTM(8, 12, proj_size=6, batch_first=True), lambda: nn.GRU(8, 6, batch_first=True).double()])
def test_recurrent_layers_without_a_scan_train_in_torch(layers: Callable[[], nn.Module]) -> None:
    made = layers()
    inputs = tuple(x.to(next(made.parameters()).dtype) for x in SEQUENCE)
    fast, eager = pair(Recurrent(made, 6).to(inputs[0].dtype), inputs)
    check_loss(step(fast, inputs), step(eager, inputs))
    check_gradients(fast, eager)
    assert all("train in torch" in str(p.gradients.failure) for p in fast._trainer.pieces)


def test_packed_sequences_train_in_torch() -> None:
    class Packed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.LSTM(8, 6)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([7, 5, 2]), batch_first=True)
            return self.layers(packed)[1][0]

    with sol.config.override(fallback="eager"):
        fast, eager = pair(Packed(), SEQUENCE)
        check_loss(step(fast, SEQUENCE), step(eager, SEQUENCE))
        check_gradients(fast, eager)


def test_memory_budget() -> None:
    """What is not kept is computed again, to the same gradients."""
    make, inputs, _ = FAMILIES["linear"]
    kept = {}
    for budget in (1.0, 0.0):
        fast, eager = pair(make(), inputs)
        with sol.config.override(training_memory_budget=budget):
            check_loss(step(fast, inputs), step(eager, inputs))
        check_gradients(fast, eager)
        forward = graphs_of(fast)[0].module
        (output,) = [n for n in forward.graph.nodes if n.op == "output"]
        kept[budget] = sum(n.meta["val"].numel() for n in output.args[0] if n.op != "placeholder")
    assert kept[0.0] < kept[1.0]
