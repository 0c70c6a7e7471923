"""Operations of quantized networks (PT2E's and torchao's) against torch: integers at most one step apart, and that rarely."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.ao.quantization.fx import _decomposed  # noqa: F401  registers the operations

from sol.frontend.torch import import_module
from tests.frontend.torch.support import check, run_imported
from tests.frontend.torch.test_ops import Fn, f

ops = torch.ops.quantized_decomposed
U8, I8 = (0, 255, torch.uint8), (-128, 127, torch.int8)


def scales(n: int) -> torch.Tensor:
    return torch.linspace(0.01, 0.05, n)


def zeros(n: int) -> torch.Tensor:
    return torch.arange(n) - n // 2


QUANTIZE = {
    "unsigned": (lambda x: ops.quantize_per_tensor(x, 0.021, 117, *U8), (3, 17)),
    "signed": (lambda x: ops.quantize_per_tensor(x, 0.021, 0, *I8), (3, 17)),
    "narrow": (lambda x: ops.quantize_per_tensor(x, 0.021, -3, -127, 126, torch.int8), (3, 17)),
    "of a tensor": (lambda x: ops.quantize_per_tensor(x, torch.tensor([0.021]), torch.tensor([5]), *U8), (3, 17)),
    "channels": (lambda x: ops.quantize_per_channel(x, scales(5), zeros(5), 1, *I8), (2, 5, 4, 3)),
    "tokens": (lambda x: ops.quantize_per_token(x, scales(6).reshape(2, 3, 1), zeros(6).reshape(2, 3, 1), *I8), (2, 3, 17)),
    "groups": (lambda x: ops.quantize_per_channel_group(x, scales(6).reshape(3, 2), zeros(6).reshape(3, 2), *I8, 8), (3, 16)),
}


@pytest.mark.parametrize("name", QUANTIZE)
def test_quantize(name: str) -> None:
    function, shape = QUANTIZE[name]
    x = f(*shape)
    module = Fn(function).eval()
    imported = import_module(module, (x,), {})
    assert not imported.torch_calls
    got, expected = run_imported(imported, module, (x,), {})[0].long(), module(x).long()
    assert (got - expected).abs().max() <= 1
    assert (got != expected).float().mean() < 0.02
    assert expected.unique().numel() > 8


DEQUANTIZE = {
    "unsigned": (lambda q: ops.dequantize_per_tensor(q, 0.021, 117, *U8), torch.uint8, (3, 17)),
    "signed": (lambda q: ops.dequantize_per_tensor(q, 0.021, 0, *I8), torch.int8, (3, 17)),
    "of a tensor": (lambda q: ops.dequantize_per_tensor(q, torch.tensor([0.021]), torch.tensor([5]), *U8), torch.uint8, (3, 17)),
    "channels": (lambda q: ops.dequantize_per_channel(q, scales(5), zeros(5), 1, *I8), torch.int8, (2, 5, 4)),
    "channels without zero points": (lambda q: ops.dequantize_per_channel(q, scales(5), None, 1, *I8), torch.int8, (2, 5, 4)),
    "tokens": (lambda q: ops.dequantize_per_token(q, scales(3).reshape(3, 1), zeros(3).reshape(3, 1), *I8, torch.float32),
               torch.int8, (3, 17)),
    "groups": (lambda q: ops.dequantize_per_channel_group(q, scales(6).reshape(3, 2), zeros(6).reshape(3, 2), *I8, 8, torch.float32),
               torch.int8, (3, 16)),
}  # fmt: skip


@pytest.mark.parametrize("name", DEQUANTIZE)
def test_dequantize(name: str) -> None:
    function, dtype, shape = DEQUANTIZE[name]
    check(Fn(function), (torch.randint(torch.iinfo(dtype).min, torch.iinfo(dtype).max + 1, shape).to(dtype),))


def dynamic(choose: Any, quantize: Any, dequantize: Any) -> Any:
    def function(x: torch.Tensor) -> torch.Tensor:
        scale, zero = choose(x)
        return dequantize(quantize(x, scale, zero), scale, zero)

    return function


DYNAMIC = {
    "tensor": dynamic(lambda x: ops.choose_qparams(x, 0, 255, 1e-4, torch.uint8), lambda x, s, z: ops.quantize_per_tensor(x, s, z, *U8),
                      lambda q, s, z: ops.dequantize_per_tensor(q, s, z, *U8)),
    "symmetric tensor": dynamic(lambda x: ops.choose_qparams_symmetric(x, -127, 127, 1e-4, torch.int8),
                                lambda x, s, z: ops.quantize_per_tensor(x, s, z, *I8),
                                lambda q, s, z: ops.dequantize_per_tensor(q, s, z, *I8)),
    "tokens": dynamic(lambda x: ops.choose_qparams_per_token(x, torch.int8), lambda x, s, z: ops.quantize_per_token(x, s, z, *I8),
                      lambda q, s, z: ops.dequantize_per_token(q, s, z, *I8, torch.float32)),
    "asymmetric tokens": dynamic(lambda x: ops.choose_qparams_per_token_asymmetric(x, torch.int8),
                                 lambda x, s, z: ops.quantize_per_token(x, s, z, *I8),
                                 lambda q, s, z: ops.dequantize_per_token(q, s, z, *I8, torch.float32)),
}  # fmt: skip


@pytest.mark.parametrize("name", DYNAMIC)
def test_scales_of_the_data(name: str) -> None:
    module = Fn(DYNAMIC[name]).eval()
    for x in (f(4, 33), f(4, 33).abs() + 1, torch.zeros(4, 33)):
        imported = import_module(module, (x,), {})
        assert not imported.torch_calls
        got, expected = run_imported(imported, module, (x,), {})[0], module(x)
        step = max(float(x.abs().max()) / 100, 1e-6)
        assert (got - expected).abs().max() <= step, "one step"
        assert ((got - expected).abs() > step / 100).float().mean() < 0.02
        assert (expected - x).abs().max() <= step, "the scales are right"


def test_limits_that_are_tensors_run_in_torch() -> None:
    limits = torch.tensor(-128), torch.tensor(127)
    module = Fn(lambda x, s, z, low, high: ops.quantize_per_tensor.tensor2(x, s, z, low, high, torch.int8)).eval()
    check(module, (f(3, 17), torch.tensor(0.02), torch.tensor(3), *limits), calls=1)


def test_product_of_bytes() -> None:
    a, b = (torch.randint(-128, 128, s).to(torch.int8) for s in ((17, 8), (8, 16)))
    check(Fn(torch._int_mm), (a, b))


def test_zero_points_of_the_module_are_relied_on_only_if_zero() -> None:
    class Weight(torch.nn.Module):
        def __init__(self, zero: int) -> None:
            super().__init__()
            self.register_buffer("q", torch.ones(4, 3, dtype=torch.int8))
            self.register_buffer("zero", torch.full((4,), zero))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x @ ops.dequantize_per_channel(self.q, scales(4), self.zero, 0, *I8).T

    assert check(Weight(0), (f(2, 3),)).zeros == ("zero",)
    assert check(Weight(1), (f(2, 3),)).zeros == ()
