"""Imports a model of one node and evaluates its graph with numpy: many options of an operator at the cost of no compilation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from sol.frontend.imported import Imported
from sol.frontend.onnx import load_model
from sol.frontend.onnx.context import NeedsValue
from sol.frontend.onnx.importer import Importer
from sol.frontend.onnx.types import array_dtype
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import TensorType
from tests.frontend.onnx.one_node import expected


def one_node(
    op: str, operands: Sequence[np.ndarray | None], outputs: int = 1, opset: int = 21, constants: Sequence[int] = (),
    domain: str = "", types: Sequence[type] = (), **attrs: Any,
) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:  # fmt: skip
    """The model and its inputs. constants: numbers of the operands that are initializers. A None operand is not given.

    types: element types of the outputs of an operator without shape inference; by default that of the first input. An attribute that is
    called like a parameter of this function has an underscore behind it.
    """
    attrs = {k.rstrip("_"): v for k, v in attrs.items()}
    names = [f"i{k}" if x is not None else "" for k, x in enumerate(operands)]
    node = helper.make_node(op, names, [f"o{k}" for k in range(outputs)], domain=domain, **attrs)
    given = {n: np.asarray(x) for k, (n, x) in enumerate(zip(names, operands)) if x is not None and k not in constants}
    inputs = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in given.items()]
    fixed = [numpy_helper.from_array(np.asarray(operands[k]), names[k]) for k in constants]
    results = [helper.make_empty_tensor_value_info(f"o{k}") for k in range(outputs)]
    opsets = [helper.make_opsetid("", opset)] if not domain else [helper.make_opsetid("", 21), helper.make_opsetid(domain, opset)]
    graph = helper.make_graph([node], "one", inputs, results, fixed)
    model = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=opsets, ir_version=10))
    for k, result in enumerate(model.graph.output):  # operators without shape inference
        if not result.type.tensor_type.elem_type:
            element = helper.np_dtype_to_tensor_dtype(np.dtype(types[k])) if types else inputs[0].type.tensor_type.elem_type
            result.CopyFrom(helper.make_value_info(result.name, helper.make_tensor_type_proto(element, None)))
    return model, given


def import_for(model: onnx.ModelProto, given: Mapping[str, np.ndarray]) -> Imported:
    """The graph for these inputs, of which those become constants whose content the import needs."""
    contents: dict[str, np.ndarray] = {}
    signatures = {n: TensorType(array_dtype(x), x.shape) for n, x in given.items() if x.dtype.kind != "O"}
    for _ in range(len(given) + 1):
        try:
            return Importer(load_model(model), signatures, contents).run()
        except NeedsValue as need:
            contents |= {n: given[n] for n in need.inputs}
    raise AssertionError("the import asks for the same again")


def evaluated(model: onnx.ModelProto, given: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Outputs by the numpy references."""
    found = import_for(model, given)
    operands = [x for n, x in given.items() if n in found.input_names]
    results = evaluate_outputs(found.graph, operands, found.parameters, precision=None)
    return [leaf.value if leaf.kind == "constant" else results[leaf.index] for leaf in found.outputs]


def check(
    op: str, operands: Sequence[np.ndarray | None], *, engine: str = "reference", outputs: int = 1, opset: int = 21,
    constants: Sequence[int] = (), domain: str = "", types: Sequence[type] = (), tolerance: float = 1e-5, **attrs: Any,
) -> list[np.ndarray]:  # fmt: skip
    """The graph's outputs, which equal those of the engine ("reference" or "ort") in dtype, shape and value."""
    model, given = one_node(op, operands, outputs, opset, constants, domain, types, **attrs)
    ours, theirs = evaluated(model, given), expected(model, given, engine)
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs):
        assert mine.dtype == other.dtype and mine.shape == other.shape, (mine.dtype, other.dtype, mine.shape, other.shape)
        np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance)
    return ours
