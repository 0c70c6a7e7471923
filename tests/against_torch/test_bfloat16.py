"""Networks of bfloat16 end to end: as exact as torch's, and in kernels that read and write bfloat16."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import sol
from sol.codegen.targets import resolve
from sol.config import config
from sol.errors import ConfigError, UnsupportedError

ROUNDING = 2**-8
"""What one rounding to bfloat16 may take off a number, relative to it."""


class Block(nn.Module):
    """Two convolutions beside a shorter way."""

    def __init__(self, c: int, k: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(c, k, 3, stride, 1, bias=False), nn.BatchNorm2d(k)
        self.second, self.norm2 = nn.Conv2d(k, k, 3, 1, 1, groups=groups), nn.BatchNorm2d(k)
        self.way = nn.Identity() if stride == 1 and c == k else nn.Conv2d(c, k, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm2(self.second(torch.relu(self.norm(self.first(x))))) + self.way(x))


class Dense(nn.Module):
    """Concatenation of odd numbers of channels, a depthwise convolution, poolings, and a head of several features."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(12, 21, 3, padding=1), nn.Conv2d(33, 17, 1), nn.Conv2d(50, 40, 1)
        self.depthwise, self.head = nn.Conv2d(40, 40, 3, padding=1, groups=40), nn.Linear(40, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.cat([x, torch.relu(self.a(x))], 1)
        x = torch.cat([x, torch.nn.functional.silu(self.b(x))], 1)
        x = nn.functional.avg_pool2d(self.c(x), 2)
        return self.head(torch.relu(self.depthwise(x)).mean((2, 3)))


class Inverted(nn.Module):
    """Expand, depthwise, project, beside a shorter way."""

    def __init__(self, c: int, wide: int, stride: int = 1) -> None:
        super().__init__()
        sizes: tuple[tuple[int, int, int, int, int], ...] = ((c, wide, 1, 1, 1), (wide, wide, 3, stride, wide), (wide, c, 1, 1, 1))
        convs = [[nn.Conv2d(a, b, k, s, k // 2, groups=g, bias=False), nn.BatchNorm2d(b)] for a, b, k, s, g in sizes]
        self.layers = nn.Sequential(*convs[0], nn.ReLU6(), *convs[1], nn.ReLU6(), *convs[2])
        self.stride = stride

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.stride == 1 else self.layers(x)


def mobile() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU6(), Inverted(32, 96), Inverted(32, 112, 2), Inverted(32, 112), nn.Conv2d(32, 70, 1), nn.ReLU6(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(70, 21),
    )  # fmt: skip


def residual() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 20, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        Block(20, 32), Block(32, 64, 2), Block(64, 64, 1, 4), Block(64, 128, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 37),
    )  # fmt: skip


def layers() -> nn.Module:
    return nn.Sequential(nn.Linear(100, 257), nn.GELU(), nn.Linear(257, 33), nn.ReLU(), nn.LayerNorm(33), nn.Linear(33, 7))


NETWORKS = {
    "residual": (residual, (2, 3, 64, 64), ("conv_bf16_stem", "bf16_max_pool3s2", "conv_bf16_direct", "bf16_linear_")),
    "mobile": (mobile, (2, 3, 42, 38), ("conv_bf16_direct1x1", "conv_depthwise3x3s1", "conv_depthwise3x3s2")),
    "dense": (Dense, (2, 12, 17, 15), ("conv_bf16_", "bf16_avg_pool2s2")), "layers": (layers, (9, 100), ("bf16_linear_",)),
}  # fmt: skip


@pytest.mark.parametrize("isa", ["native", "avx2", "generic"])
@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str, isa: str) -> None:
    """At most torch's error and one rounding more."""
    build, shape, kernels = NETWORKS[name]
    model = with_statistics(build)
    model, x = model.to(torch.bfloat16), torch.randn(shape).to(torch.bfloat16)
    with torch.no_grad(), config.override(isa=isa):
        exact, theirs = copy.deepcopy(model).double()(x.double()), model(x)
        ours = sol.optimize(model, x)(x)
        text = str(sol.explain(model, x))
    assert ours.dtype is torch.bfloat16
    most = float((theirs.double() - exact).abs().max()) + ROUNDING * float(exact.abs().max())
    assert float((ours.double() - exact).abs().max()) <= most
    if resolve(isa).matrix_tiles:
        kernels = tuple(kernel.replace("stem", "im2col_tiles").replace("direct", "tiles") for kernel in kernels)
    assert all(kernel in text for kernel in kernels) and "in torch: 0 operations" in text and "conv_plain" not in text


class Across(nn.Module):
    """An operand that is contiguous along another dimension than the other one and the results."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        product = F.gelu(x) * y.transpose(1, 2)
        return product, product.sum((0, 2)), torch.exp(x * 0.25) - y.transpose(1, 2)


@pytest.mark.parametrize("isa", ["native", "avx2", "generic"])
@pytest.mark.parametrize("shape", [(2, 20, 33), (3, 17, 16), (1, 40, 7), (2, 5, 64)])
def test_operands_that_lie_across(shape: tuple[int, int, int], isa: str, tmp_path: Path) -> None:
    """Vectors of them are transposed or collected."""
    n, rows, length = shape
    x, y = torch.randn(shape).to(torch.bfloat16), torch.randn(n, length, rows).to(torch.bfloat16)
    with config.override(isa=isa, dump=str(tmp_path)):
        ours = sol.optimize(Across(), [x, y])(x, y)
    exact, theirs = Across()(x.double(), y.double()), Across()(x, y)
    for a, b, c in zip(ours, theirs, exact):
        most = float((b.double() - c).abs().max()) + ROUNDING * float(c.abs().max())
        assert a.dtype is torch.bfloat16 and float((a.double() - c).abs().max()) <= most
    text = "".join(path.read_text() for path in tmp_path.rglob("dfp_*.c"))
    assert "vbf_load_apart(" in text and "q_in" in text and "sol_from_bf16(*" not in text


class Autocast(nn.Module):
    """Convolutions in bfloat16 between values of float32, and norms in float32 between them."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(Block(16, 32), Block(32, 32, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=x.dtype is torch.float32):
            return self.blocks(x)


def test_autocast_mixes_with_float32() -> None:
    torch.manual_seed(0)
    model, x = Autocast().eval(), torch.randn(2, 16, 20, 20)
    with torch.no_grad():
        exact, theirs, ours = copy.deepcopy(model).double()(x.double()), model(x), sol.optimize(model, x)(x)
        assert "conv_bf16_" in str(sol.explain(model, x))
    assert ours.dtype is theirs.dtype
    most = float((theirs.double() - exact).abs().max()) + ROUNDING * float(exact.abs().max())
    assert float((ours.double() - exact).abs().max()) <= most


def with_statistics(build: Callable[[], nn.Module]) -> nn.Module:
    torch.manual_seed(0)
    model = build().eval()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1), module.running_var.uniform_(0.5, 2)
    return model


def error(result: torch.Tensor, exact: torch.Tensor) -> float:
    return float((result.double() - exact).abs().max())


class Joined(nn.Module):
    """Maps of products and of none side by side, padding of its own, a transposed convolution, and a head that reads what is joined."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.up = nn.Conv2d(12, 20, 3), nn.Conv2d(32, 24, 3, padding=1), nn.ConvTranspose2d(24, 16, 2, 2)
        self.head = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        joined = torch.cat([torch.relu(self.a(nn.functional.pad(x, (1, 1, 1, 1)))), x.sin()], 1)
        y = self.up(nn.functional.max_pool2d(torch.relu(self.b(joined)), 2))
        return self.head(y.mean((2, 3))), y


ASKED = {**{name: case[:2] for name, case in NETWORKS.items()}, "joined": (Joined, (2, 12, 18, 14))}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("isa", ["native", "avx2", "generic"])
@pytest.mark.parametrize("name", ASKED)
def test_products_of_another_dtype(name: str, isa: str, dtype: torch.dtype) -> None:
    """At most the error of the whole model in that dtype and one rounding more; parameters, inputs and results stay as they are."""
    build, shape = ASKED[name]
    model, x = with_statistics(build), torch.randn(shape)
    before = {n: t.clone() for n, t in model.state_dict().items()}
    with torch.no_grad(), config.override(isa=isa):
        fast = sol.optimize(model, x, dtype=dtype)
        firsts = [fast(x), copy.deepcopy(model).double()(x.double()), copy.deepcopy(model).to(dtype)(x.to(dtype))]
    ours, exact, theirs = (f if isinstance(f, tuple) else (f,) for f in firsts)
    rounding = torch.finfo(dtype).eps
    for o, e, t in zip(ours, exact, theirs, strict=True):
        assert o.dtype is torch.float32 and 0 < error(o, e) <= error(t, e) + rounding * float(e.abs().max())
    assert all(torch.equal(before[n], t) for n, t in model.state_dict().items())


def test_products_of_another_dtype_follow_parameters() -> None:
    model, x = with_statistics(lambda: Block(16, 32)), torch.randn(1, 16, 12, 12)
    with torch.no_grad():
        fast = sol.optimize(model, x, dtype=torch.bfloat16)
        first = fast(x)
        model.first.weight.mul_(2)
        second, exact = fast(x), copy.deepcopy(model).double()(x.double())
    assert not torch.equal(first, second) and error(second, exact) < 0.02 * float(exact.abs().max())
    assert sol.verify(fast, [x]).passed
    with pytest.raises(UnsupportedError, match="products of bf16 computes no gradients"):
        fast(x.requires_grad_())
    fast.train()
    with pytest.raises(UnsupportedError, match="products of bf16 does not train"):
        fast(x)


@pytest.mark.parametrize("build", [residual, mobile])
@pytest.mark.parametrize("isa", ["native", "avx2", "generic"])
def test_products_of_another_dtype_keep_maps_narrow(isa: str, build: Callable[[], nn.Module]) -> None:
    """Residuals, and what depthwise convolutions read, are read as they lie in memory: no kernel only casts, but those before the first and
    the last product of bfloat16."""
    model, x = with_statistics(build), torch.randn(1, 3, 64, 64)
    with config.override(isa=isa):
        text = str(sol.explain(sol.optimize(model, x, dtype=torch.bfloat16), x))
    assert len(re.findall(r"dfp_cast(_v\d+)? ", text)) <= 2 and "conv_bf16_" in text


def test_a_dtype_that_is_not_built() -> None:
    with pytest.raises(ConfigError, match="dtype=torch.float64 is not built"):
        sol.optimize(layers(), torch.randn(2, 100), dtype=torch.float64)
    with pytest.raises(ConfigError, match="in training mode has no products of bf16"):
        sol.optimize(layers().train(), torch.randn(2, 100), dtype=torch.bfloat16)


def test_calls_under_autocast_are_of_its_types() -> None:
    """Beside calls without it; models that are optimized inside of a region are for both."""
    model, x = layers().eval(), torch.randn(9, 100)
    kinds = (None, torch.bfloat16, None, torch.float16)
    for around in (False, True):
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=around):
            fast = sol.optimize(model, x)
        for kind in kinds:
            with torch.no_grad(), torch.autocast("cpu", kind or torch.bfloat16, enabled=kind is not None):
                ours, theirs = fast(x), model(x)
            assert ours.dtype is theirs.dtype is (kind or torch.float32)
            torch.testing.assert_close(ours, theirs, atol=4 * ROUNDING, rtol=ROUNDING)
    pieces = fast._autocasting.pieces
    assert len(pieces) == 2 and all(p.variants for p in pieces)


@pytest.mark.parametrize("number", [0.7, 0.71])
def test_numbers_that_are_compared_are_of_the_type(number: float) -> None:
    """One bfloat16 below 0.7 and one above 0.71 are what torch compares with and divides by; 0-d tensors are numbers, too."""

    def compare(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        chosen = torch.where(x > 0, number, x)
        return x == number, x < number, x >= torch.tensor(number), x % number, torch.fmod(x, number), chosen == x, F.hardshrink(x, number)

    x = torch.tensor([number, -number, 1.0, 3.5, -7.0]).to(torch.bfloat16)
    assert all(torch.equal(ours, theirs) for ours, theirs in zip(sol.optimize(compare, x)(x), compare(x)))
