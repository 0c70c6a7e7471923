"""Operators of com.microsoft that fuse activations, products, convolutions and norms, against onnxruntime where its CPU kernels exist."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from sol.errors import UnsupportedError
from sol.frontend.onnx import load_model
from tests.frontend.onnx.imported import check, evaluated, one_node
from tests.frontend.onnx.one_node import randn, run
from tests.random_numbers import rng

DOMAIN = "com.microsoft"
F32, I32 = np.float32, np.int32


def against_ort(op: str, operands: list, **options: Any) -> list[np.ndarray]:
    return check(op, operands, engine="ort", domain=DOMAIN, opset=1, **{"tolerance": 1e-4, **options})


def alone(op: str, operands: list, **options: Any) -> list[np.ndarray]:
    """Results of an operator that onnxruntime has no kernel for on CPUs."""
    return evaluated(*one_node(op, operands, domain=DOMAIN, opset=1, **options))


ACTIVATIONS = [
    ("Gelu", [randn(3, 17)], {}), ("FastGelu", [randn(3, 17)], {}), ("FastGelu", [randn(3, 5), randn(5)], {}),
    ("BiasGelu", [randn(3, 5), randn(5)], {}), ("QuickGelu", [randn(3, 5)], {}), ("QuickGelu", [randn(3, 5)], {"alpha": 1.0}),
]  # fmt: skip


@pytest.mark.parametrize(("op", "operands", "attrs"), ACTIVATIONS)
def test_activations(op: str, operands: list, attrs: dict) -> None:
    against_ort(op, operands, **attrs)


PRODUCTS = [
    ((2, 4, 3), (2, 4, 5), {"transA": 1}), ((2, 3, 4), (2, 5, 4), {"transB": 1, "alpha": 0.5}),
    ((2, 4, 3), (2, 5, 4), {"transA": 1, "transB": 1}), ((3, 2, 4), (2, 4, 5), {"transBatchA": 1}),
    ((2, 3, 4), (4, 2, 5), {"transBatchB": 1}), ((4, 2, 3), (4, 2, 5), {"transBatchA": 1, "transBatchB": 1, "transA": 1}),
    ((4, 2, 6, 3), (2, 6, 4, 5), {"transBatchA": 1, "transA": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "attrs"), PRODUCTS)
def test_products_of_exchanged_dimensions(a: tuple, b: tuple, attrs: dict) -> None:
    against_ort("FusedMatMul", [randn(*a), randn(*b)], **attrs)
    if not any("Batch" in k for k in attrs):
        against_ort("TransposeMatMul", [randn(*a), randn(*b)], **attrs)


@pytest.mark.parametrize(("name", "parameters"), [
    ("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.2}), ("Sigmoid", {}), ("Tanh", {}), ("Softplus", {}), ("Softsign", {}),
    ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4}), ("Elu", {"activation_alpha": 0.7}),
    ("Selu", {"activation_alpha": 0.7, "activation_gamma": 1.2}), ("ThresholdedRelu", {"activation_alpha": 0.3}),
])  # fmt: skip
def test_gemm_with_an_activation(name: str, parameters: dict) -> None:
    against_ort("FusedGemm", [randn(3, 4), randn(5, 4), randn(5)], transB=1, activation=name, **parameters)


@pytest.mark.parametrize(("name", "parameters"), [
    ("Relu", []), ("LeakyRelu", [0.2]), ("Sigmoid", []), ("Tanh", []), ("HardSigmoid", [0.3, 0.4]),
    ("Clip", [-0.5, 0.6]), ("HardSwish", []),
])  # fmt: skip
def test_convolution_with_an_activation(name: str, parameters: list) -> None:
    options: dict = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "activation": name}
    if parameters:
        options["activation_params"] = parameters
    against_ort("FusedConv", [randn(1, 3, 6, 6), randn(4, 3, 3, 3), randn(4)], **options)


def test_convolution_with_a_residual() -> None:
    operands = [randn(1, 3, 6, 6), randn(4, 3, 3, 3), randn(4), randn(1, 4, 6, 6)]
    against_ort("FusedConv", operands, kernel_shape=[3, 3], pads=[1, 1, 1, 1], activation="Relu")


def test_an_activation_that_is_not_built_is_named() -> None:
    with pytest.raises(UnsupportedError, match="'Gargle' is not built"):
        alone("FusedGemm", [randn(3, 4), randn(4, 5), randn(5)], activation="Gargle")


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_max_pool_of_channels_last(dtype: type) -> None:
    x = rng.integers(0, 127, (1, 7, 7, 5)).astype(dtype)
    against_ort("NhwcMaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    against_ort("NhwcMaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)


OLDER = [
    ("Trilu", [randn(3, 4)], (), {}), ("Pad", [randn(2, 3), np.array([0, 1, 1, 0]), np.array([2.0], F32)], (1, 2), {}),
    ("GatherND", [randn(2, 2), np.array([[0, 0], [1, 1]])], (1,), {}), ("ExpandDims", [randn(2, 3), np.array(-1, I32)], (1,), {}),
    ("GridSample", [randn(1, 2, 4, 4), randn(1, 3, 3, 2)], (), {"mode": "bilinear"}),
    ("GridSample", [randn(1, 2, 4, 4), randn(1, 3, 3, 2)], (), {"mode": "nearest", "padding_mode": "border", "align_corners": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("op", "operands", "constants", "attrs"), OLDER)
def test_operators_that_the_specification_has_as_well(op: str, operands: list, constants: tuple, attrs: dict) -> None:
    against_ort(op, operands, constants=constants, **attrs)


# Norms


@pytest.mark.parametrize("skip", [(2, 3, 8), (1, 3, 8), (3, 8)])
@pytest.mark.parametrize("more", [(), (8,), (8, 8)])
def test_layer_norm_of_a_sum(skip: tuple, more: tuple) -> None:
    against_ort("SkipLayerNormalization", [randn(2, 3, 8), randn(*skip), randn(8), *(randn(n) for n in more)], types=[F32], epsilon=1e-5)


def test_the_sum_is_an_output() -> None:
    operands = [randn(2, 3, 8), randn(2, 3, 8), randn(8), randn(8)]
    model, given = one_node("SkipLayerNormalization", operands, 4, 1, domain=DOMAIN, types=[F32] * 4)
    y, mean, inverse, total = evaluated(model, given)
    np.testing.assert_allclose(total, operands[0] + operands[1], rtol=1e-6)
    np.testing.assert_allclose((total - mean) * inverse * operands[2] + operands[3], y, rtol=1e-4, atol=1e-5)
    against_ort("SkipSimplifiedLayerNormalization", [randn(2, 3, 8), randn(2, 3, 8), randn(8), randn(8)], types=[F32])


EMBEDDED = {
    "segments": [rng.integers(0, 2, (2, 4)).astype(I32), randn(2, 8), np.array([[1, 1, 1, 0], [1, 0, 0, 0]], I32), None],
    "positions": [None, None, None, np.array([[3, 1, 0, 2]], I32)],
}


@pytest.mark.parametrize("name", EMBEDDED)
def test_embeddings(name: str) -> None:
    segments, kinds, mask, positions = EMBEDDED[name]
    ids = rng.integers(0, 9, (2, 4)).astype(I32)
    operands = [ids, segments, randn(9, 8), randn(6, 8), kinds, randn(8), randn(8), mask, *([] if positions is None else [positions])]
    against_ort("EmbedLayerNormalization", operands, outputs=3, types=[F32, I32, F32])


def simplified(opset: int) -> onnx.ModelProto:
    """What onnxruntime's optimizer writes: two norms in the specification's domain, one of them in the body of an If."""
    norm = helper.make_node("SimplifiedLayerNormalization", ["x", "w"], ["y"], axis=-1, epsilon=1e-5)
    inner = helper.make_node("LayerNormalization", ["x", "w"], ["z"], axis=-1)
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 8]) for n in "zn"]
    branch = helper.make_graph([inner], "branch", [], results[:1])
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["n"])], "other", [], results[1:])
    nodes = [norm, helper.make_node("If", ["c"], ["v"], then_branch=branch, else_branch=other), helper.make_node("Add", ["y", "v"], ["o"])]
    given = [helper.make_tensor_value_info(n, t, s) for n, t, s in (("x", 1, [2, 8]), ("w", 1, [8]), ("c", TensorProto.BOOL, []))]
    graph = helper.make_graph(nodes, "g", given, [helper.make_tensor_value_info("o", TensorProto.FLOAT, [2, 8])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


@pytest.mark.parametrize("opset", [13, 18])
def test_norms_that_the_specification_lacks(opset: int) -> None:
    x, w = randn(2, 8), randn(8)
    (y,) = run(simplified(opset), {"x": x, "w": w, "c": np.array(True)})
    centred = x - x.mean(-1, keepdims=True)
    norms = w * x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) + w * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y, norms, rtol=1e-4, atol=1e-5)
    proto = simplified(opset)
    load_model(proto)
    assert {n.domain for n in proto.graph.node} == {""}, "the caller's model stays as it is"


def _group_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, groups: int) -> np.ndarray:
    """Of [N, C, H, W]."""
    rows = x.reshape(x.shape[0], groups, -1)
    y = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    return y.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]


@pytest.mark.parametrize("last", [0, 1])
def test_group_norms(last: int) -> None:
    x, gamma, beta, bias = randn(2, 8, 3, 3), randn(8), randn(8), randn(8)
    skip = randn(2, 8)
    order = (0, 2, 3, 1) if last else (0, 1, 2, 3)
    (y,) = alone("GroupNorm", [x.transpose(order), gamma, beta], groups=2, activation=0, channels_last=last)
    np.testing.assert_allclose(y, _group_norm(x, gamma, beta, 2).transpose(order), rtol=1e-4, atol=1e-5)
    operands = [x.transpose(order), gamma, beta, skip, bias]
    y, total = alone("SkipGroupNorm", operands, outputs=2, types=[F32, F32], groups=4, activation=1, channels_last=last)
    want = x + (skip + bias)[:, :, None, None]
    normal = _group_norm(want, gamma, beta, 4)
    np.testing.assert_allclose(total, want.transpose(order), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(y, (normal / (1 + np.exp(-normal))).transpose(order), rtol=1e-4, atol=1e-5)


def test_what_diffusion_models_fuse() -> None:
    x, bias, skip = randn(2, 3, 8), randn(8), randn(2, 3, 8)
    np.testing.assert_allclose(alone("BiasAdd", [x, bias, skip])[0], x + bias + skip, rtol=1e-5, atol=1e-6)
    (y,) = alone("BiasSplitGelu", [x, bias])
    left, right = np.split(x + bias, 2, axis=-1)
    (gelu,) = against_ort("Gelu", [right])
    np.testing.assert_allclose(y, left * gelu, rtol=1e-4, atol=1e-6)


def test_an_operator_for_one_machine_is_a_clear_error() -> None:
    node = helper.make_node("ReorderInput", ["x"], ["y"], domain="com.microsoft.nchwc")
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 8, 4, 4]) for n in "xy"]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft.nchwc", 1)]
    model = helper.make_model(helper.make_graph([node], "g", info[:1], info[1:]), opset_imports=opsets, ir_version=9)
    with pytest.raises(UnsupportedError, match="ReorderInput.*not supported") as caught:
        run(model, {"x": randn(1, 8, 4, 4)})
    assert "ORT_ENABLE_EXTENDED" in caught.value.remedy
