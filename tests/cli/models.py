"""Small ONNX models, made without torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def _save(path: Path, nodes: list, inputs: list, outputs: list, weights: dict[str, np.ndarray]) -> Path:
    graph = helper.make_graph(nodes, "small", inputs, outputs, [numpy_helper.from_array(a, n) for n, a in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return path


def convolutions(path: Path, batch: int | str = 1) -> Path:
    """image [batch, 3, 9, 9] → conv, relu, residual conv, mean, linear → scores [batch, 5]."""
    r = np.random.default_rng(0)

    def weight(*shape: int) -> np.ndarray:
        return (r.random(shape) - 0.5).astype(np.float32)

    weights = {"w1": weight(40, 3, 3, 3), "w2": weight(40, 40, 3, 3), "w3": weight(40, 5), "b3": weight(5)}
    nodes = [
        helper.make_node("Conv", ["image", "w1"], ["a"], name="first", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], name="clip"),
        helper.make_node("Conv", ["b", "w2"], ["c"], name="second", pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["b", "c"], ["d"], name="join"),
        helper.make_node("ReduceMean", ["d"], ["e"], name="pool", axes=[2, 3], keepdims=0),
        helper.make_node("Gemm", ["e", "w3", "b3"], ["scores"], name="classify"),
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [batch, 3, 9, 9])
    return _save(path, nodes, [image], [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [batch, 5])], weights)


def unknown(path: Path) -> Path:
    """A model whose one operator nobody knows."""
    node = helper.make_node("Mystery", ["x"], ["y"], name="riddle", domain="nobody")
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph([node], "small", ends[:1], ends[1:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("nobody", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), str(path))
    return path


def loop(path: Path) -> Path:
    """x [2, 4], rounds → rounds times tanh(x @ w)."""
    w = np.eye(4, dtype=np.float32)
    ends = [helper.make_tensor_value_info(n, t, s) for n, t, s in (("i", TensorProto.INT64, []), ("c", TensorProto.BOOL, []))]
    value = helper.make_tensor_value_info("a", TensorProto.FLOAT, [2, 4])
    ops = (("MatMul", "aw", "m"), ("Tanh", "m", "n"), ("Identity", "c", "d"))
    steps = [helper.make_node(op, list(given), [made]) for op, given, made in ops]
    results = [helper.make_tensor_value_info("d", TensorProto.BOOL, []), helper.make_tensor_value_info("n", TensorProto.FLOAT, [2, 4])]
    body = helper.make_graph(steps, "body", [*ends, value], results)
    node = helper.make_node("Loop", ["rounds", "on", "x"], ["y"], name="walk", body=body)
    inputs = [helper.make_tensor_value_info("rounds", TensorProto.INT64, []), helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])]
    return _save(path, [node], inputs, outputs, {"on": np.array(True), "w": w})


def positives(path: Path) -> Path:
    """x [3, 5] → the places where it is not zero, whose number data decides."""
    nodes = [helper.make_node("NonZero", ["x"], ["p"], name="find"), helper.make_node("Abs", ["p"], ["y"], name="abs")]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 5])
    return _save(path, nodes, [x], [helper.make_tensor_value_info("y", TensorProto.INT64, [2, "n"])], {})
