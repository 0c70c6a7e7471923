"""Small ONNX models of each family, for tests of the loader, the importer and the session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, shape_inference

OPSET = 18


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], **attrs: Any) -> NodeProto:
    return helper.make_node(op, list(inputs), list(outputs), name=f"{op}_{outputs[0]}", **attrs)


def model(
    nodes: Sequence[NodeProto], inputs: dict[str, Sequence[Any] | None], outputs: Sequence[str],
    weights: dict[str, np.ndarray] | None = None, *,
    opset: int = OPSET, dtype: int = TensorProto.FLOAT, functions: Sequence[Any] = (), result: int = TensorProto.FLOAT,
) -> ModelProto:  # fmt: skip
    """A model from nodes; inputs are floats of these shapes (text for open sizes), those of outputs are inferred."""
    graph = helper.make_graph(
        list(nodes), "small",
        [helper.make_tensor_value_info(n, dtype, s) for n, s in inputs.items()],
        [helper.make_tensor_value_info(o, result, None) for o in outputs],
        [numpy_helper.from_array(a, n) for n, a in (weights or {}).items()],
    )  # fmt: skip
    domains = {f.domain for f in functions}
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    made = helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=10)
    return shape_inference.infer_shapes(made)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def weights(*shape: int) -> np.ndarray:
    return rng().standard_normal(shape).astype(np.float32)


def perceptron() -> ModelProto:
    nodes = [
        node("Gemm", ["x", "w", "b"], ["h"], transB=1), node("Relu", ["h"], ["r"]), node("Softmax", ["r"], ["y"], axis=-1),
    ]  # fmt: skip
    return model(nodes, {"x": [2, 8]}, ["y"], {"w": weights(5, 8), "b": weights(5)})


def convolutions() -> ModelProto:
    nodes = [
        node("Conv", ["x", "w"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"]),
        node("Clip", ["n", "low", "high"], ["k"]),
        node("MaxPool", ["k"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        node("GlobalAveragePool", ["p"], ["g"]),
        node("Flatten", ["g"], ["y"]),
    ]
    values = {n: np.abs(weights(4)) + 0.5 for n in "sbmv"}
    limits = {"low": np.float32(0), "high": np.float32(6)}
    return model(nodes, {"x": [1, 3, 8, 8]}, ["y"], {"w": weights(4, 3, 3, 3), **values, **{k: np.array(v) for k, v in limits.items()}})


def shapes() -> ModelProto:
    """Reshapes by computed shapes, open in the first size."""
    nodes = [
        node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"]), node("Unsqueeze", ["n", "axis"], ["n1"]),
        node("Concat", ["n1", "rest"], ["t"], axis=0), node("Reshape", ["x", "t"], ["r"]),
        node("Transpose", ["r"], ["p"], perm=[0, 2, 1]), node("Slice", ["p", "start", "stop", "axes"], ["y"]),
    ]  # fmt: skip
    integers = {"zero": [], "axis": [0], "rest": [3, -1], "start": [1], "stop": [2**31], "axes": [1]}
    arrays = {k: np.array(v if k != "zero" else 0, np.int64) for k, v in integers.items()}
    return model(nodes, {"x": ["batch", 12]}, ["y"], arrays)


def tables() -> ModelProto:
    nodes = [
        node("Gather", ["table", "ids"], ["e"]), node("ReduceMean", ["e", "axes"], ["m"], keepdims=1), node("Sub", ["e", "m"], ["d"]),
        node("Pad", ["d", "pads"], ["q"]), node("Cast", ["q"], ["y"], to=TensorProto.FLOAT),
    ]  # fmt: skip
    integers = {"ids": np.array([[0, 2, 1]], np.int64), "axes": np.array([-1], np.int64), "pads": np.array([0, 0, 1, 0, 0, 1], np.int64)}
    return model([*nodes, node("Add", ["y", "x"], ["z"])], {"x": [1, 3, 6]}, ["z"], {"table": weights(4, 4), **integers})


def recurrent() -> ModelProto:
    nodes = [node("LSTM", ["x", "w", "r", "b"], ["y", "h", "c"], hidden_size=4)]
    return model(nodes, {"x": [5, 2, 3]}, ["y", "h"], {"w": weights(1, 16, 3), "r": weights(1, 16, 4), "b": weights(1, 32)})


def branches() -> ModelProto:
    bodies = [
        helper.make_graph([node("Add" if i else "Mul", ["x", "w"], [f"b{i}"])], f"branch{i}", [],
                          [helper.make_tensor_value_info(f"b{i}", TensorProto.FLOAT, [4])])
        for i in range(2)
    ]  # fmt: skip
    nodes = [
        node("ReduceSum", ["x"], ["s"], keepdims=0), node("Greater", ["s", "zero"], ["c"]),
        node("If", ["c"], ["y"], then_branch=bodies[0], else_branch=bodies[1]),
    ]  # fmt: skip
    return model(nodes, {"x": [4]}, ["y"], {"w": weights(4), "zero": np.array(0, np.float32)})


MODELS: dict[str, Callable[[], ModelProto]] = {
    f.__name__: f for f in (perceptron, convolutions, shapes, tables, recurrent, branches)
}


def example(name: str) -> np.ndarray:
    """An input for one of ``MODELS``."""
    shape = {"perceptron": (2, 8), "convolutions": (1, 3, 8, 8), "shapes": (4, 12), "tables": (1, 3, 6), "recurrent": (5, 2, 3)}
    return rng().standard_normal(shape.get(name, (4,))).astype(np.float32)
