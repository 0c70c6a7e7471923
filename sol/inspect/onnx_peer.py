"""onnxruntime as the second reader of a model: what it computes, value by value, and whether it takes each node to mean what sol does."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx

from sol.errors import SolError
from sol.frontend.onnx import load_model
from sol.inspect.checks import FACTOR, relative_error
from sol.ir.interpret import evaluate
from sol.ir.storage import held_from_edge
from sol.runtime.numpy.session import Session
from sol.runtime.numpy.specialise import import_for

PEER = "onnxruntime"
SPECIFIED = 1e-5
"""Error against float64 up to which the onnx package's evaluator confirms a result."""
RANDOM = ("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "Dropout")


@dataclass(frozen=True)
class Misreading:
    """A node whose result alone, from the same operands, differs between onnxruntime and sol's import by ``error``."""

    node: str
    op: str
    error: float

    def __str__(self) -> str:
        return f"{self.node} = {self.op}: from the same operands {PEER} gives {self.error:.1e} else, so sol's import of this node is wrong"


def complete_model(session: Session) -> onnx.ModelProto:
    """The model with the content of all its tensors inside: sol maps large ones from files."""
    whole = onnx.ModelProto()
    whole.CopyFrom(session.model.proto)
    for tensor in whole.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL or not _has_content(tensor):
            tensor.CopyFrom(onnx.numpy_helper.from_array(session.model.array(tensor), tensor.name))
    return whole


def _has_content(tensor: onnx.TensorProto) -> bool:
    fields = ("float_data", "int32_data", "int64_data", "uint64_data", "double_data", "string_data")
    return tensor.HasField("raw_data") or any(len(getattr(tensor, f)) for f in fields) or 0 in tensor.dims


def run_model(proto: onnx.ModelProto, feed: Mapping[str, Any], notes: list[str], *, fused: bool = True) -> list[Any] | None:
    """onnxruntime's outputs; None with a note if it is not installed or cannot run the model."""
    if importlib.util.find_spec(PEER) is None:
        notes.append(f"{PEER} is not installed: the import itself was not checked (pip install {PEER})")
        return None
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if fused else level.ORT_DISABLE_ALL
    try:
        engine = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return list(engine.run(None, {k: v for k, v in feed.items() if v is not None}))
    except Exception as error:  # its exceptions have no common base but this
        notes.append(f"{PEER} cannot run the model: {str(error).strip().splitlines()[0][:200]}")
        return None


def values_of_all(proto: onnx.ModelProto, feed: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any] | None]:
    """Every value of the graph by name, computed node by node without fusions, and the outputs; only what is given if that cannot be."""
    own = [o.name for o in proto.graph.output]
    made = [name for node in proto.graph.node for name in node.output if name and name not in own]
    whole = onnx.ModelProto()
    whole.CopyFrom(proto)
    whole.graph.output.extend(onnx.ValueInfoProto(name=name) for name in made)
    values: dict[str, Any] = {t.name: onnx.numpy_helper.to_array(t) for t in proto.graph.initializer}
    values.update(feed)
    results = run_model(whole, feed, [], fused=False)
    if results is None:
        return values, None
    values.update(zip((*own, *made), results))
    return values, results[: len(own)]


def first_misread(proto: onnx.ModelProto, values: Mapping[str, Any], tolerance: float) -> Misreading | None:
    """The first node whose results, from operands as onnxruntime computed them, are others by sol's import in float64.

    Where both differ, the onnx package's own evaluator decides if it knows the operator. Not compared are nodes with operands or results
    that are no tensors of numbers, and random numbers.
    """
    constants = {t.name: t for t in proto.graph.initializer}
    for node in proto.graph.node:
        names = [n for n in dict.fromkeys((*node.input, *sorted(outer_names(node)))) if n and n in values]
        outputs = [o for o in node.output if o]
        if node.op_type in RANDOM or not all(_is_numbers(values.get(n)) for n in (*names, *outputs)):
            continue
        error = _apart(proto, node, names, outputs, constants, values)
        if error > tolerance:
            return Misreading(node.name or node.output[0], node.op_type, error)
    return None


def _is_numbers(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind not in "OUS"


def _apart(
    proto: onnx.ModelProto, node: onnx.NodeProto, names: Sequence[str], outputs: Sequence[str],
    constants: Mapping[str, onnx.TensorProto], values: Mapping[str, Any],
) -> float:  # fmt: skip
    """How far sol's import of one node is from onnxruntime, beyond what float32 and one step of rounding to integers explain."""
    part = onnx.ModelProto(ir_version=proto.ir_version, opset_import=proto.opset_import, functions=proto.functions)
    part.graph.name = "node"
    part.graph.node.append(node)
    given = {n: values[n] for n in names if n not in constants}
    part.graph.initializer.extend(constants[n] for n in names if n in constants)
    part.graph.input.extend(_port(n, a) for n, a in given.items())
    part.graph.output.extend(_port(o, values[o]) for o in outputs)
    try:
        exact, rounded = _evaluated(part, given)
    except (SolError, ArithmeticError, ValueError):
        return 0.0  # what cannot be evaluated is noted where the whole network is
    largest = 0.0
    for name, truth, coarse in zip(outputs, exact, rounded):
        error = _distance(node, held_from_edge(values[name]), truth)
        largest = max(largest, error if error > FACTOR * relative_error(coarse, truth) else 0.0)
    if largest > 0.0 and _specified(part, node, given, exact):
        return 0.0
    return largest


def _distance(node: onnx.NodeProto, found: np.ndarray, truth: np.ndarray) -> float:
    """The relative error; none for integers that were rounded to the other neighbour."""
    rounds = "Quantize" in node.op_type or node.op_type.startswith("Q") or node.op_type in ("Cast", "Round")
    if rounds and found.shape == truth.shape and found.dtype.kind in "iu":
        apart = np.abs(found.astype(np.float64) - truth.astype(np.float64)).max(initial=0.0)
        return 0.0 if apart <= 1.0 else relative_error(found, truth)
    return relative_error(found, truth)


def _specified(part: onnx.ModelProto, node: onnx.NodeProto, given: Mapping[str, np.ndarray], exact: Sequence[np.ndarray]) -> bool:
    """Whether the onnx package's evaluator gives what sol does."""
    from onnx.reference import ReferenceEvaluator

    try:
        results: Any = ReferenceEvaluator(part).run(None, dict(given))
    except Exception:  # it lacks operators and types, and says so in many ways
        return False
    return all(_is_numbers(r) and _distance(node, held_from_edge(r), truth) <= SPECIFIED for r, truth in zip(results, exact))


def _port(name: str, array: np.ndarray) -> onnx.ValueInfoProto:
    return onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def _evaluated(part: onnx.ModelProto, given: Mapping[str, np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The outputs of a part in float64, and rounded to float32 everywhere."""
    loaded = load_model(part)
    imported = import_for(loaded, {}, given, lambda graph: graph, fixed=True)
    graph = imported.graph
    arrays = [given[name] for name in imported.input_names if name in given]
    inputs = {v: held_from_edge(a) for v, a in zip(graph.inputs, arrays)}
    parameters = {t: held_from_edge(a) for t, a in imported.parameters.items()}
    both = []
    with np.errstate(all="ignore"):
        for precision in (np.float64, np.float32):
            values = evaluate(graph, inputs, parameters, precision=precision)
            both.append([values[v] if v else np.asarray(None) for v in map(imported.result_value, range(len(imported.results)))])
    return both[0], both[1]


def outer_names(node: onnx.NodeProto) -> set[str]:
    """Names that the subgraphs of a node read."""
    names: set[str] = set()
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                names |= set(inner.input) | outer_names(inner)
            names |= {o.name for o in graph.output}
    return names
