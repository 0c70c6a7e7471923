"""Whole networks as onnxruntime's tools quantise them, compiled, against onnxruntime: integer products, at most one step apart."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import sol
from tests.random_numbers import rng

ort = pytest.importorskip("onnxruntime")
quantization = pytest.importorskip("onnxruntime.quantization")


def floats(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def weight(name: str, *shape: int) -> onnx.TensorProto:
    return numpy_helper.from_array(floats(*shape) / np.float32(np.prod(shape[1:]) ** 0.5), name)


def model(nodes: list[onnx.NodeProto], weights: list[onnx.TensorProto], x: tuple[int, ...], y: tuple[int, ...]) -> onnx.ModelProto:
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", x), ("y", y))]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def images() -> onnx.ModelProto:
    """Convolutions (dense, depthwise, by single pixels), a residual, poolings, a concatenation, a linear layer."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w1", "b1"], ["c1"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]), node("Relu", ["c1"], ["r1"]),
        node("Conv", ["r1", "w2"], ["c2"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=18), node("Add", ["c2", "r1"], ["a"]),
        node("MaxPool", ["a"], ["m"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Conv", ["m", "w3", "b1"], ["c3"], kernel_shape=[1, 1]), node("Concat", ["c3", "m"], ["j"], axis=1),
        node("GlobalAveragePool", ["j"], ["g"]), node("Flatten", ["g"], ["f"]), node("Gemm", ["f", "w4", "b4"], ["y"], transB=1),
    ]  # fmt: skip
    weights = [weight("w1", 18, 3, 3, 3), weight("b1", 18), weight("w2", 18, 1, 3, 3), weight("w3", 18, 18, 1, 1), weight("w4", 7, 36),
               weight("b4", 7)]  # fmt: skip
    return model(nodes, weights, (1, 3, 17, 19), (1, 7))


def tokens() -> onnx.ModelProto:
    """Attention with one head and a linear layer."""
    node = helper.make_node
    nodes = [node("MatMul", ["x", f"w{i}"], [n]) for i, n in enumerate("qkv")]
    nodes += [
        node("Transpose", ["k"], ["t"], perm=[0, 2, 1]), node("MatMul", ["q", "t"], ["s"]), node("Softmax", ["s"], ["p"], axis=-1),
        node("MatMul", ["p", "v"], ["o"]), node("Add", ["o", "x"], ["a"]), node("MatMul", ["a", "w3"], ["h"]),
        node("Add", ["h", "b"], ["y"]),
    ]  # fmt: skip
    return model(nodes, [*(weight(f"w{i}", 20, 20) for i in range(3)), weight("w3", 20, 33), weight("b", 33)], (2, 9, 20), (2, 9, 33))


NETWORKS = {"images": images, "tokens": tokens}
CASES = [("images", "qdq"), ("images", "qdq per channel"), ("images", "operators"), ("images", "dynamic"), ("tokens", "qdq signed"),
         ("tokens", "operators"), ("tokens", "dynamic")]  # fmt: skip


class Samples(quantization.CalibrationDataReader):
    def __init__(self, shape: tuple[int, ...]) -> None:
        self.left = [{"x": floats(*shape)} for _ in range(4)]

    def get_next(self) -> dict[str, np.ndarray] | None:
        return self.left.pop() if self.left else None


def quantised(original: onnx.ModelProto, way: str, folder: Path) -> str:
    """The file of a network of 8 bits, whose weights have 7: onnxruntime's products of more saturate without AVX-512 VNNI."""
    source, target = str(folder / "float.onnx"), str(folder / "int8.onnx")
    onnx.save(original, source)
    logging.disable(logging.WARNING)
    try:
        if way == "dynamic":
            quantization.quantize_dynamic(source, target, reduce_range=True)
        else:
            shape = tuple(d.dim_value for d in original.graph.input[0].type.tensor_type.shape.dim)
            form = quantization.QuantFormat.QOperator if way == "operators" else quantization.QuantFormat.QDQ
            kind = quantization.QuantType.QInt8 if "signed" in way else quantization.QuantType.QUInt8
            quantization.quantize_static(
                source, target, Samples(shape), quant_format=form, activation_type=kind, weight_type=quantization.QuantType.QInt8,
                per_channel="channel" in way, reduce_range=True,
            )  # fmt: skip
    finally:
        logging.disable(logging.NOTSET)
    return target


@pytest.mark.parametrize("name,way", CASES)
def test_against_onnxruntime(name: str, way: str, tmp_path: Path) -> None:
    original = NETWORKS[name]()
    path = quantised(original, way, tmp_path)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    run = sol.load(path)
    shape = session.get_inputs()[0].shape
    for _ in range(2):
        x = floats(*shape)
        ours, theirs = run(x), session.run(None, {"x": x})[0]
        step = np.abs(theirs).max() / 64
        assert np.abs(ours - theirs).max() <= step
        assert np.mean(np.abs(ours - theirs) > step / 100) < 0.1, "all but a few values agree"
    text = str(sol.explain(run, [x]))
    assert "int_linear" in text and ("int_conv" in text or name == "tokens") and "conv_direct" not in text
