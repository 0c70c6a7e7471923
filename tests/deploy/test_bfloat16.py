"""Networks of bfloat16 as libraries: from torch and from ONNX, for each instruction set, with the bits that Python gets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import sol
from sol.config import config
from tests.deploy.support import X86
from tests.deploy.test_models import binding
from tests.toolchains import isas_by_default


def bits(tensor: torch.Tensor) -> np.ndarray:
    return tensor.view(torch.uint16).numpy()


@X86
@pytest.mark.parametrize("isa", isas_by_default())
def test_torch(isa: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 20, 3, 2, 1), nn.ReLU(), nn.Conv2d(20, 33, 3, padding=1), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(33, 7),
    ).eval().to(torch.bfloat16)  # fmt: skip
    x = torch.randn(2, 3, 24, 20).to(torch.bfloat16)
    with config.override(isa=isa), torch.no_grad():
        want = sol.optimize(model, x)(x)
    sol.deploy(model, [x], lib_name="Narrow", path=tmp_path, isa=isa, threads=1)
    np.testing.assert_array_equal(binding(tmp_path, "Narrow").predict(bits(x)), bits(want))


def test_onnx(tmp_path: Path) -> None:
    """With initializers of bfloat16; the example input is a tensor of torch, because numpy has no such type."""
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    def initializer(name: str, tensor: torch.Tensor) -> TensorProto:
        return helper.make_tensor(name, TensorProto.BFLOAT16, tensor.shape, bits(tensor).tobytes(), raw=True)

    generator = torch.Generator().manual_seed(0)
    x, w, b, right = (torch.randn(*s, generator=generator).to(torch.bfloat16) for s in ((2, 5, 9, 8), (24, 5, 3, 3), (24,), (24, 7)))
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["y"], pads=[1, 1, 1, 1]), helper.make_node("GlobalAveragePool", ["y"], ["m"]),
        helper.make_node("Flatten", ["m"], ["f"]), helper.make_node("MatMul", ["f", "right"], ["z"]),
    ]  # fmt: skip
    ends = [helper.make_tensor_value_info(name, TensorProto.BFLOAT16, shape) for name, shape in (("x", x.shape), ("z", (2, 7)))]
    tensors = [initializer("w", w), initializer("b", b), initializer("right", right)]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    want = sol.optimize(model)(x)
    assert want.dtype is torch.bfloat16

    def in_torch(*tensors: torch.Tensor) -> torch.Tensor:
        data, weight, bias, factor = tensors
        return (torch.conv2d(data, weight, bias, padding=1).mean((2, 3)) @ factor).double()

    exact, theirs = in_torch(*(t.double() for t in (x, w, b, right))), in_torch(x, w, b, right)
    most = (theirs - exact).abs().max() + 2**-8 * exact.abs().max()  # torch's error and one rounding more
    assert (want.double() - exact).abs().max() <= most
    sol.deploy(model, [x], lib_name="Narrow", path=tmp_path, threads=1)
    np.testing.assert_array_equal(binding(tmp_path, "Narrow").predict(bits(x)), bits(want))
