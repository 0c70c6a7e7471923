"""Networks that torch's PT2E export or torchao quantized, compiled, against torch: integer products, results at most one step apart."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.ao.quantization.fx import _decomposed  # noqa: F401  registers the operations

import sol
from examples.networks import randomize_statistics, torchvision_models
from sol.errors import UnsupportedError

ops = torch.ops.quantized_decomposed
U8, I8 = (0, 255, torch.uint8), (-128, 127, torch.int8)
BYTE_PRODUCTS = ("int_conv", "int_linear", "int_matmul")
FLOAT_KERNELS = ("conv_direct", "conv_winograd", "conv_inner_product", "conv_small", "conv_chain", "| linear", "matmul")


class Weight(torch.nn.Module):
    """Bytes and a scale for each of the first dimension, dequantised, as PT2E freezes weights."""

    def __init__(self, *shape: int, zero: int = 0) -> None:
        super().__init__()
        w = torch.randn(shape) / torch.tensor(shape[1:]).prod() ** 0.5
        scale = w.abs().reshape(shape[0], -1).amax(1) / 127
        self.register_buffer("scale", scale)
        self.register_buffer("zero", torch.full((shape[0],), zero))
        self.register_buffer("q", ops.quantize_per_channel(w, scale, self.zero, 0, *I8))

    def forward(self) -> torch.Tensor:
        return ops.dequantize_per_channel(self.q, self.scale, self.zero, 0, *I8)


def requantised(x: torch.Tensor, scale: float, zero: int, kind: tuple[int, int, torch.dtype]) -> torch.Tensor:
    return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, scale, zero, *kind), scale, zero, *kind)


class Images(torch.nn.Module):
    """Convolutions (dense, depthwise, by single pixels), a residual, poolings, a linear layer, as X86InductorQuantizer annotates them."""

    def __init__(self, kind: tuple[int, int, torch.dtype], zero: int) -> None:
        super().__init__()
        self.kind, self.zero = kind, (128 if kind is U8 else 0)
        shapes = ((18, 3, 3, 3), (18, 1, 3, 3), (18, 18, 1, 1), (7, 18))
        self.weights = torch.nn.ModuleList([Weight(*s, zero=zero) for s in shapes])
        self.bias = torch.nn.Parameter(torch.randn(18))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, depthwise, single, last = (w() for w in self.weights)
        low = 0 if self.kind is U8 else -128
        x = requantised(x, 0.03, self.zero, self.kind)
        y = requantised(F.max_pool2d(F.relu(F.conv2d(x, first, self.bias, padding=1)), 3, 2, 1), 0.02, low, self.kind)
        z = requantised(F.relu(F.conv2d(y, depthwise, padding=1, groups=18) + y), 0.03, low, self.kind)
        z = requantised(F.relu(F.conv2d(z, single, self.bias)), 0.02, low, self.kind)
        z = requantised(z.mean((2, 3)), 0.01, low, self.kind)
        return requantised(F.linear(z, last), 0.02, self.zero, self.kind)


class Tokens(torch.nn.Module):
    """Two linear layers whose inputs are quantised by their own range, for each tensor or each token."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.weights = torch.nn.ModuleList([Weight(40, 24), Weight(9, 40)])

    def quantised(self, x: torch.Tensor) -> torch.Tensor:
        if self.way == "tensor":
            scale, zero = ops.choose_qparams(x, 0, 255, 1e-4, torch.uint8)
            return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, scale, zero, *U8), scale, zero, *U8)
        choose = ops.choose_qparams_per_token if self.way == "token" else ops.choose_qparams_per_token_asymmetric
        scale, zero = choose(x, torch.int8)
        return ops.dequantize_per_token(ops.quantize_per_token(x, scale, zero, *I8), scale, zero, *I8, torch.float32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, second = (w() for w in self.weights)
        return F.linear(self.quantised(F.relu(F.linear(self.quantised(x), first))), second)


def compiled(model: torch.nn.Module, x: torch.Tensor, products: int) -> Any:
    """The compiled model, all of whose products are integer ones and are as many."""
    fast = sol.optimize(model, [x])
    text = str(sol.explain(fast, [x]))
    kernels = [line for line in text.splitlines() if line.startswith("  ") and "[" in line]
    assert sum(any(p in k for p in BYTE_PRODUCTS) for k in kernels) == products, text
    assert not any(k.strip().startswith(("conv", "linear", "matmul")) for k in kernels), text
    assert "in torch: 0 operations" in text
    return fast


def agree(ours: torch.Tensor, theirs: torch.Tensor, step: float) -> None:
    """At most a step apart in all but a thousandth of the elements."""
    beyond = ((ours - theirs).abs() > 1.001 * step).float().mean()
    assert beyond <= 1e-3, f"{beyond:.2%} are further apart than a step"


@pytest.mark.parametrize("kind", [U8, I8], ids=["unsigned", "signed"])
@pytest.mark.parametrize("zero", [0, 3])
def test_images(kind: Any, zero: int) -> None:
    model, x = Images(kind, zero).eval(), torch.randn(2, 3, 17, 19)
    fast = sol.optimize(model, [x]) if zero else compiled(model, x, 4)
    for _ in range(2):
        x = torch.randn_like(x)
        agree(fast(x), model(x), 0.02)


@pytest.mark.parametrize("way", ["tensor", "token", "asymmetric token"])
def test_ranges_of_the_data(way: str) -> None:
    model, x = Tokens(way).eval(), torch.randn(3, 5, 24)
    fast = compiled(model, x, 2)
    for _ in range(2):
        x = torch.randn_like(x)
        theirs = model(x)
        agree(fast(x), theirs, float(theirs.detach().abs().max()) / 100)


@pytest.mark.parametrize("kind", [U8, I8], ids=["unsigned", "signed"])
def test_images_of_open_size(kind: Any) -> None:
    model, x, open_ = Images(kind, 0).eval(), torch.randn(2, 3, 17, 19), torch.export.Dim.DYNAMIC
    fast = sol.optimize(model, [x], dynamic_shapes=({0: open_, 2: open_, 3: open_},))
    for shape in ((2, 3, 17, 19), (3, 3, 20, 33), (5, 3, 9, 16)):
        x = torch.randn(shape)
        agree(fast(x), model(x), 0.02)


def test_bytes_between_layers_stay_bytes() -> None:
    model, x = Images(U8, 0).eval(), torch.randn(1, 3, 17, 19)
    text = str(sol.explain(compiled(model, x, 4), [x]))
    convolutions = [line for line in text.splitlines() if "int_conv" in line]
    assert all("u8[" in line for line in convolutions[:2])
    assert "max_pool_u8" in text


def test_weights_may_change_but_not_their_zero_points() -> None:
    model, x = Images(U8, 0).eval(), torch.randn(1, 3, 17, 19)
    fast = compiled(model, x, 4)
    before = fast(x)
    model.weights[3].q.copy_(-model.weights[3].q)
    agree(fast(x), model(x), 0.02)
    assert not torch.equal(fast(x), before)
    model.weights[0].zero.fill_(2)
    with pytest.raises(UnsupportedError, match="weights.0.zero were 0"):
        fast(x)
    again = sol.optimize(model, [x])
    agree(again(x), model(x), 0.02)


def test_exported_modules_run_compiled_whatever_their_flag_says() -> None:
    x = torch.randn(2, 24)
    module = torch.export.export(Tokens("tensor").eval(), (x,)).module()
    fast = sol.optimize(module, [x])
    assert module.training and not fast.is_training


# flows of torchao


def pt2e(model: torch.nn.Module, x: torch.Tensor, quantizer: str) -> torch.nn.Module:
    """Quantized by PT2E, calibrated on random inputs."""
    flow = pytest.importorskip("torchao.quantization.pt2e.quantize_pt2e")
    if quantizer == "x86":
        x86 = pytest.importorskip("torchao.quantization.pt2e.quantizer.x86_inductor_quantizer")
        by = x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config())
    else:
        xnn = pytest.importorskip("torchao.testing.pt2e._xnnpack_quantizer")
        by = xnn.XNNPACKQuantizer().set_global(xnn.get_symmetric_quantization_config(is_per_channel=True))
    prepared = flow.prepare_pt2e(torch.export.export(model, (x,), strict=True).module(), by)
    for _ in range(2):
        prepared(torch.rand_like(x))
    return flow.convert_pt2e(prepared)


@pytest.mark.parametrize("quantizer", ["x86", "xnnpack"])
def test_resnet18_of_pt2e(quantizer: str) -> None:
    model = torchvision_models().resnet18(weights=None).eval()
    randomize_statistics(model)
    x = torch.rand(2, 3, 65, 65)
    quantised = pt2e(model, x, quantizer)
    fast = compiled(quantised, x, 21)
    ours, theirs = fast(x), quantised(x)
    agree(ours, theirs, float(theirs.detach().abs().max()) / 64)


@pytest.mark.filterwarnings("ignore")
def test_modules_that_compute_with_quantized_tensors_run_in_torch() -> None:
    layers = [torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)]
    model, x = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(*layers).eval(), {torch.nn.Linear}), torch.randn(3, 8)
    fast = sol.optimize(model, [x], fallback="eager")
    assert torch.equal(fast(x), model(x))


CONFIGS = {
    "Int8DynamicActivationInt8WeightConfig": "int_linear", "Int8WeightOnlyConfig": "weight_only_linear",
    "Int8DynamicActivationIntxWeightConfig": "weight_only_linear", "IntxWeightOnlyConfig": "weight_only_linear",
}  # fmt: skip


@pytest.mark.parametrize("name,bits", [(name, bits) for name in CONFIGS for bits in (8, 4) if bits == 8 or "Intx" in name])
def test_configurations_of_torchao(name: str, bits: int) -> None:
    torchao = pytest.importorskip("torchao.quantization")
    options = {"weight_dtype": torch.int4} if bits == 4 else {}
    base = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 64)).eval()
    model, x = copy.deepcopy(base), torch.randn(3, 128)
    torchao.quantize_(model, getattr(torchao, name)(**options))
    fast = sol.optimize(model, [x])
    theirs = model(x).detach()
    agree(fast(x), theirs, float(theirs.abs().max()) / 100)
    text = str(sol.explain(fast, [x]))
    assert text.count(CONFIGS[name]) >= 2 and "in torch: 0 operations" in text, text
