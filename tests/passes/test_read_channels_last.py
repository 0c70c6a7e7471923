"""Images in blocks whose channels are read last are read as they lie; what no view of the blocks shows stays as it is."""

from __future__ import annotations

import pytest
import torch

import sol
from sol.ir.graph import Graph
from sol.passes.assign_layout import assign_layout
from sol.passes.read_channels_last import read_channels_last
from tests.passes.support import CONV1, ops, run

IMAGE, TOKENS = "f32[2,32,6,5]", "f32[2,30,32]"


def rewritten(body: str, results: str, channels: int = 32) -> Graph:
    return run(
        lambda g: read_channels_last(assign_layout(g, 16)),
        f"""graph(%x: {IMAGE}, %t: {TOKENS}, %v: f32[32], %m: f32[2,30,1]) {{
  %w = parameter{{target="w"}}: f32[{channels},32,1,1]
  %k = parameter{{target="k"}}: f32[32,32]
  %y: f32[2,{channels},6,5] = conv(%x, %w){CONV1}
  {body}
  return {results}
}}""",
    )


def reads(body: str, results: str) -> Graph:
    """Of tokens %p."""
    tokens = f"%r: f32[2,32,30] = reshape(%y){{shape=(2, 32, 30)}}\n  %p: {TOKENS} = permute(%r){{order=(0, 2, 1)}}"
    return rewritten(f"{tokens}\n  {body}", results)


def is_in_rows(graph: Graph) -> bool:
    return any(n.op == "reorder" and not n.type.layout.block for n in graph.nodes)


@pytest.mark.parametrize("order, shape", [((0, 2, 3, 1), "2,6,5,32"), ((2, 0, 3, 1), "6,2,5,32"), ((3, 2, 0, 1), "5,6,2,32")])
def test_orders_of_images(order: tuple[int, ...], shape: str) -> None:
    after = rewritten(f"%p: f32[{shape}] = permute(%y){{order={order}}}", "%p")
    assert not is_in_rows(after) and "copy" in ops(after)


@pytest.mark.parametrize("order, shape", [((0, 2, 1), "2,30,32"), ((2, 0, 1), "30,2,32")])
def test_orders_of_tokens(order: tuple[int, ...], shape: str) -> None:
    after = rewritten(f"%r: f32[2,32,30] = reshape(%y){{shape=(2, 32, 30)}}\n  %p: f32[{shape}] = permute(%r){{order={order}}}", "%p")
    assert not is_in_rows(after) and "copy" in ops(after)


@pytest.mark.parametrize(
    "line",
    [
        f"%a: {TOKENS} = gelu(%p)", f"%a: {TOKENS} = mul(%p, %m)", f"%a: {TOKENS} = add(%p, %v)",
        f"%q: bool[2,30,32] = lt(%t, %p)\n  %a: {TOKENS} = where(%q, %p, %v)",
    ],
    ids=["alone", "numbers of rows", "numbers of channels", "several"],
)  # fmt: skip
def test_operations_element_by_element_read_the_blocks(line: str) -> None:
    after = reads(f"{line}\n  %b: {TOKENS} = exp(%a)", "%b")
    assert not is_in_rows(after) and "copy" not in ops(after)
    last = after.producer(after.outputs[0])
    assert last.op == "reshape" and after.producer(last.inputs[0]).type.rank == 5


def test_a_copy_serves_all_readers_where_one_reads_rows() -> None:
    after = reads(f"%a: {TOKENS} = gelu(%p)\n  %b: {TOKENS} = softmax(%p){{dim=2}}", "%a, %b")
    assert ops(after).count("copy") == 1 and after.producer(after.outputs[0]).op == "gelu"


def test_products_keep_their_epilogues() -> None:
    after = reads(f"%d: {TOKENS} = matmul(%t, %k)\n  %a: {TOKENS} = add(%d, %p)", "%a")
    assert after.producer(after.outputs[0]).op == "add" and "copy" in ops(after)


def test_half_filled_blocks_are_put_in_rows() -> None:
    assert is_in_rows(rewritten("%p: f32[2,6,5,40] = permute(%y){order=(0, 2, 3, 1)}", "%p", 40))


def test_channels_in_front_are_put_in_rows() -> None:
    assert is_in_rows(rewritten("%p: f32[2,32,5,6] = permute(%y){order=(0, 1, 3, 2)}", "%p"))


class Mixed(torch.nn.Module):
    """Tokens, of which a depthwise convolution mixes neighbours, as in a Pyramid Vision Transformer."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm, self.wide = torch.nn.LayerNorm(channels), torch.nn.Linear(channels, 2 * channels)
        self.mixing = torch.nn.Conv2d(2 * channels, 2 * channels, 3, 1, 1, groups=2 * channels)
        self.narrow = torch.nn.Linear(2 * channels, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, c, h, w = x.shape
        tokens = self.norm(x.flatten(2).transpose(1, 2))
        mixed = self.wide(tokens).transpose(1, 2).reshape(n, -1, h, w)
        mixed = (mixed + self.mixing(mixed)).flatten(2).transpose(1, 2)
        return tokens + self.narrow(torch.nn.functional.gelu(mixed))


@pytest.mark.parametrize("channels", [8, 24, 32])
def test_training_agrees_with_torch(channels: int) -> None:
    torch.manual_seed(0)
    model, x = Mixed(channels), torch.randn(2, channels, 7, 5, requires_grad=True)
    expected = torch.autograd.grad(model(x).square().sum(), [x, *model.parameters()])
    with sol.config.override(training="compiled"):
        found = torch.autograd.grad(sol.optimize(model, [x]).train()(x).square().sum(), [x, *model.parameters()])
    for e, f in zip(expected, found):
        torch.testing.assert_close(f, e, rtol=1e-4, atol=1e-4 * e.abs().max().item())


class Bordered(torch.nn.Module):
    """Tokens of images that other convolutions read with zeros around them, so that these lie in the blocks."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Conv2d(channels, channels, 1), torch.nn.Conv2d(channels, channels, 3, padding=1)
        self.norm, self.last = torch.nn.LayerNorm(channels), torch.nn.Linear(channels, 8)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        image = self.first(x)
        tokens, turned = image.flatten(2).transpose(1, 2), self.second(image).permute(0, 3, 2, 1)
        return self.last(torch.nn.functional.gelu(tokens)), self.norm(tokens), turned.sigmoid(), image.permute(2, 3, 0, 1)


@pytest.mark.parametrize("channels, dynamic", [(16, False), (48, False), (32, True)])
def test_borders_are_not_read(channels: int, dynamic: bool) -> None:
    model = Bordered(channels).eval()
    fast = torch.compile(model, backend="sol", dynamic=dynamic)
    for shape in ((2, channels, 9, 6), (1, channels, 5, 7)) if dynamic else ((2, channels, 9, 6),):
        x = torch.randn(shape)
        with torch.no_grad():
            for found, expected in zip(fast(x), model(x), strict=True):
                torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
