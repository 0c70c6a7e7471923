"""Attention that a model spells out as two products: nothing but the three gradients of one product's parts is copied."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import sol
from tests.training.steps import check_gradients, check_loss, graphs_of, in_torch, pair, step


class Attention(nn.Module):
    """parts: how queries, keys and values come out of one product. rolled: attention within shifted windows of an 8x8 map."""

    def __init__(self, parts: str, width: int = 32, heads: int = 2, rolled: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.parts, self.heads, self.rolled = parts, heads, rolled
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm, self.bias = nn.LayerNorm(width), nn.Parameter(torch.randn(heads, 16, 16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, length, width = x.shape
        y = self.norm(x)
        if self.rolled:
            y = torch.roll(y.view(n, 8, 8, width), (-1, -2), (1, 2)).view(n, 2, 4, 2, 4, width)
            y = y.permute(0, 1, 3, 2, 4, 5).reshape(n * 4, 16, width)
        z = self.qkv(y).view(*y.shape[:2], 3, self.heads, width // self.heads)
        if self.parts == "unbind":
            q, k, v = z.permute(2, 0, 3, 1, 4).unbind(0)
        elif self.parts == "select":
            z = z.permute(2, 0, 3, 1, 4)
            q, k, v = z[0], z[1], z[2]
        else:
            q, k, v = (t.reshape(*y.shape[:2], self.heads, -1).transpose(1, 2) for t in z.flatten(2).split(width, -1))
        scores = (q * 0.25) @ k.transpose(-2, -1)
        y = ((scores + self.bias[:, : q.shape[2], : q.shape[2]]).softmax(-1) @ v).transpose(1, 2).reshape(y.shape)
        y = self.out(y)
        if self.rolled:
            y = y.view(n, 2, 2, 4, 4, width).permute(0, 1, 3, 2, 4, 5).reshape(n, 8, 8, width)
            y = torch.roll(y, (1, 2), (1, 2)).reshape(x.shape)
        return x + y


@pytest.mark.parametrize("width, heads", [(32, 2), (34, 1), (96, 3)])
@pytest.mark.parametrize("parts", ["unbind", "select", "split"])
def test_gradients(parts: str, width: int, heads: int) -> None:
    fast, plain = pair(Attention(parts, width, heads), (x := torch.randn(3, 15, width),))
    for _ in range(2):
        check_loss(step(fast, (x,)), step(plain, (x,)))
    check_gradients(fast, plain)


class SharedHeads(nn.Module):
    """Attention of six heads of queries to two heads of keys and values; masked: by how far places are apart."""

    def __init__(self, causal: bool, masked: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.causal, self.masked = causal, masked
        self.queries, self.others, self.out = nn.Linear(24, 48), nn.Linear(24, 2 * 16), nn.Linear(48, 24)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q = self.queries(x).unflatten(-1, (6, 8)).transpose(1, 2)
        k, v = (t.unflatten(-1, (2, 8)).transpose(1, 2) for t in self.others(x).chunk(2, -1))
        places = torch.arange(x.shape[1])
        mask = -0.1 * (places[:, None] - places).abs().to(x.dtype) if self.masked else None
        y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=self.causal, enable_gqa=True)
        return self.out(y.transpose(1, 2).flatten(2))


@pytest.mark.parametrize("causal, masked", [(False, False), (True, False), (False, True)])
def test_gradients_of_queries_that_share_heads(causal: bool, masked: bool) -> None:
    fast, plain = pair(SharedHeads(causal, masked), (x := torch.randn(3, 19, 24),))
    for _ in range(2):
        check_loss(step(fast, (x,)), step(plain, (x,)))
    check_gradients(fast, plain)
    assert in_torch(fast) == set()


def test_gradients_of_shifted_windows() -> None:
    fast, plain = pair(Attention("select", rolled=True), (x := torch.randn(2, 64, 32),))
    check_loss(step(fast, (x,)), step(plain, (x,)))
    check_gradients(fast, plain)


@pytest.mark.parametrize("parts, gradients", [("unbind", 3), ("select", 3)])
def test_copies(parts: str, gradients: int) -> None:
    fast, _ = pair(Attention(parts, 96, 3), (x := torch.randn(8, 16, 96),))
    step(fast, (x,))
    copies = {graph.what: _copies(graph) for graph in graphs_of(fast)}
    assert copies == {"forward": 0, "backward": gradients}, copies


def test_shifted_windows_move_once() -> None:
    fast, _ = pair(Attention("select", rolled=True), (x := torch.randn(2, 64, 32),))
    step(fast, (x,))
    picks = {g.what: sum(_has(n, "pick") for e in g.program.runner.executables for n in e.compiled.graph.nodes) for g in graphs_of(fast)}
    assert picks == {"forward": 2, "backward": 3}, picks  # what the first layer has read is made again


def _copies(graph) -> int:
    return sum(_has(n, "copy") for e in graph.program.runner.executables for n in e.compiled.graph.nodes)


def _has(node, op: str) -> bool:
    return node.op == "region" and any(n.op == op for n in node.attrs["body"].nodes)


def test_a_part_alone_is_saved_alone() -> None:
    """Of a tensor of which only a part is read again, no more is kept."""

    class Part(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wide, self.out = nn.Linear(64, 4096), nn.Linear(64, 64)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.wide(x)
            return self.out(y[:, :64].t().contiguous().t()) + y.sum(1, keepdim=True)

    fast, plain = pair(Part(), (x := torch.randn(64, 64),))
    check_loss(step(fast, (x,)), step(plain, (x,)))
    check_gradients(fast, plain)
    with sol.config.override(training="compiled"):
        saved = sum(t.numel() for t in _saved(fast, x))
    assert 64 * 64 <= saved < 64 * 4096, saved


def test_an_input_that_changes_before_the_backward_pass() -> None:
    """Of what the model copied, eager keeps the copy."""

    class Turned(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.out = nn.Linear(8, 64)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.out(x.t().contiguous()).square() @ x.t().contiguous()

    x = torch.randn(8, 64)
    fast, plain = pair(Turned(), (x,))
    for model in (fast, plain):
        y = x.clone()
        loss = model(y).sum()
        y.zero_()
        loss.backward()
    check_gradients(fast, plain)


def _saved(model: nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    kept: list[torch.Tensor] = []

    def note(tensor: torch.Tensor) -> torch.Tensor:
        kept.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda t: t):
        model(x)
    return kept
