"""Runs a model of one node through sol and through onnx.reference or onnxruntime, and compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import sol.onnx_backend as backend
from tests.random_numbers import rng


def randn(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def model_of(
    op: str, operands: Sequence[np.ndarray | None], outputs: int = 1, opset: int = 21, constants: Sequence[int] = (), **attrs: Any
) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """The model and its inputs. constants: numbers of the operands that are initializers. A None operand is not given."""
    names = [f"i{k}" if x is not None else "" for k, x in enumerate(operands)]
    node = helper.make_node(op, names, [f"o{k}" for k in range(outputs)], **attrs)
    given = {n: np.asarray(x) for k, (n, x) in enumerate(zip(names, operands)) if x is not None and k not in constants}
    inputs = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in given.items()]
    fixed = [numpy_helper.from_array(np.asarray(operands[k]), names[k]) for k in constants]
    results = [helper.make_empty_tensor_value_info(f"o{k}") for k in range(outputs)]
    graph = helper.make_graph([node], "one", inputs, results, fixed)
    model = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10))
    if any(not o.type.tensor_type.HasField("shape") for o in model.graph.output):  # shape inference does not know this operator well
        for info, value in zip(model.graph.output, ReferenceEvaluator(model).run(None, given)):
            info.CopyFrom(helper.make_tensor_value_info(info.name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape))
    return model, given


def run(model: onnx.ModelProto, given: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    return list(backend.run_model(model, list(given.values())))


def expected(model: onnx.ModelProto, given: Mapping[str, np.ndarray], engine: str) -> list[np.ndarray]:
    """Results of "reference" (the onnx package) or "ort" (onnxruntime)."""
    if engine == "reference":
        return ReferenceEvaluator(model).run(None, dict(given))
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(given))


def check(
    op: str, operands: Sequence[np.ndarray | None], *, engine: str = "reference", outputs: int = 1, opset: int = 21,
    constants: Sequence[int] = (), tolerance: float = 1e-4, **attrs: Any,
) -> list[np.ndarray]:  # fmt: skip
    """sol's results, which equal those of the engine in dtype, shape and value."""
    model, given = model_of(op, operands, outputs, opset, constants, **attrs)
    ours, theirs = run(model, given), expected(model, given, engine)
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs):
        assert mine.dtype == other.dtype and mine.shape == other.shape
        np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance)
    return ours
