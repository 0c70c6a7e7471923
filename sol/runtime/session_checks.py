"""sol.explain, sol.profile and sol.verify for what sol.load gives: without torch."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from sol.compiler import compile_graph
from sol.errors import SolError
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.storage import as_held, held_from_edge
from sol.runtime.bisection import PartRun, computed_values, find_culprit
from sol.runtime.checks import OutputCheck, Verification, relative_error
from sol.runtime.executable import Executable
from sol.runtime.explanation import Explanation, RegionRow, region_rows
from sol.runtime.profile import Profile, profile_rows
from sol.runtime.roofline import roofline
from sol.runtime.session import Prepared, Session, load

log = logging.getLogger("sol.verify")
Inputs = Sequence[Any] | Mapping[str, Any] | np.ndarray


def explain_session(session: Session, inputs: Inputs) -> Explanation:
    """What was fused into which kernel, for the program that runs for these inputs."""
    prepared = session.prepared(_feed(session, inputs))
    rows: list[RegionRow] = []
    weights = arena = kernels = launches = 0
    if prepared.executable is not None:
        executable = prepared.executable
        rows = region_rows(executable.compiled.graph, executable.plan, prepared.env)
        memory = executable.memory_bytes(prepared.env)
        weights, arena = memory["weights"], memory["arena"]
        kernels, launches = len(executable.plan.kernels), len(executable.plan.launches)
    return Explanation(title_of(session), tuple(rows), (), kernels, launches, arena, weights)


def _feed(session: Session, inputs: Inputs) -> dict[str, Any]:
    """Inputs by name, from a mapping, a sequence in order, or one array."""
    if isinstance(inputs, Mapping):
        return dict(inputs)
    sequence = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return dict(zip([i.name for i in session.inputs], sequence))


def title_of(session: Session) -> str:
    """What the model calls itself."""
    return session.model.graph.name or "network"


def profile_session(session: Session, inputs: Inputs, *, runs: int = 20) -> Profile:
    """Time of every launch."""
    prepared = session.prepared(_feed(session, inputs))
    executable = prepared.executable
    if executable is None:
        return Profile(())
    limits = roofline(executable.threads or executable.arrays.threads())
    times = executable.profile(prepared.stored, prepared.env, runs)
    return Profile(tuple(profile_rows(executable.plan, times, prepared.env, limits)), limits)


# -- verification ------------------------------------------------------------------------------------------------------


def verify_session(
    session: Session, inputs: Inputs, *, tolerance: float = 1e-4, peer: bool = True, float64: bool = True
) -> Verification:
    """Compare with float64 and, where it is installed, onnxruntime; on a mismatch name the first node that is off.

    The interpreter evaluates the imported graph: it tells whether the compiled code is right. onnxruntime reads the file itself: it also
    tells whether the import is. Outputs that are no tensors of numbers are not compared.
    """
    feed = _feed(session, inputs)
    prepared = session.prepared(feed)
    actual = session.run(feed)
    notes: list[str] = []
    exact = _exact(prepared, notes) if float64 else None
    reference = _peer(session, feed, notes) if peer else None
    checks, wrong_code, wrong_import = [], False, False
    for i, (port, found) in enumerate(zip(session.outputs, actual)):
        if not isinstance(found, np.ndarray) or found.dtype.kind in "OUS":
            notes.append(f"{port.name} is no tensor of numbers and was not compared")
            continue
        limit = max(tolerance, _resolution(found.dtype))
        value, place = held_from_edge(found), prepared.imported.outputs[i][1]
        truth = exact[prepared.imported.graph.outputs[place]] if exact is not None and isinstance(place, int) else None
        other = None if reference is None else held_from_edge(reference[i])
        check = OutputCheck(port.name, _error(value, other), _error(value, truth), _error(other, truth))
        checks.append(check)
        against_peer, against_float64 = check.sol_against_peer, check.sol_against_float64
        if against_peer is None or against_peer > limit:
            wrong_code |= against_float64 is not None and against_float64 > limit
            wrong_import |= against_peer is not None
    passed = not wrong_code and not wrong_import
    culprit = ""
    if wrong_code:
        culprit = _bisect_graph(session, prepared, tolerance)
    elif wrong_import:
        culprit = _bisect_model(session, feed, tolerance)
    return Verification(passed, tolerance, tuple(checks), culprit, "onnxruntime" if reference is not None else "", tuple(notes))


def _error(actual: np.ndarray | None, expected: np.ndarray | None) -> float | None:
    return None if actual is None or expected is None else relative_error(actual, expected)


def _resolution(dtype: np.dtype) -> float:
    """Relative error that the dtype itself brings along."""
    return {"float16": 4e-3, "bfloat16": 3e-2}.get(dtype.name, 0.0)


def _exact(prepared: Prepared, notes: list[str], wanted: Sequence[str] | None = None) -> dict[str, np.ndarray] | None:
    graph = prepared.imported.graph
    given = {v: held_from_edge(a) for v, a in zip(graph.inputs, prepared.tensors)}
    try:
        return evaluate(graph, given, _parameters(prepared), prepared.env, wanted)
    except (SolError, ArithmeticError, ValueError) as error:
        notes.append(f"the float64 interpreter cannot evaluate the network: {str(error).splitlines()[0]}")
        return None


def _parameters(prepared: Prepared) -> dict[str, np.ndarray]:
    return {t: held_from_edge(a) for t, a in prepared.imported.parameters.items()}


def _peer(session: Session, feed: Mapping[str, Any], notes: list[str], proto: onnx.ModelProto | None = None) -> list[Any] | None:
    """onnxruntime's outputs; None with a note if it is not installed or cannot run the model."""
    if importlib.util.find_spec("onnxruntime") is None:
        notes.append("onnxruntime is not installed: the import itself was not checked (pip install onnxruntime)")
        return None
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        data = (proto or complete_model(session)).SerializeToString()
        engine = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return list(engine.run(None, {k: v for k, v in feed.items() if v is not None}))
    except Exception as error:  # its exceptions have no common base but this
        notes.append(f"onnxruntime cannot run the model: {str(error).strip().splitlines()[0][:200]}")
        return None


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


def _bisect_graph(session: Session, prepared: Prepared, tolerance: float) -> str:
    """The first node of the imported graph whose kernels give something else than float64."""
    graph, parameters = prepared.imported.graph, prepared.imported.parameters
    exact = _exact(prepared, [], computed_values(graph))
    if exact is None:
        return "unknown: the float64 interpreter cannot evaluate every value"

    def run(part: Graph) -> PartRun:
        executable = Executable(compile_graph(part, title=f"up to {part.outputs[0]}", isa=session.isa), threads=session.threads)
        executable.pack(parameters)
        results = executable(prepared.stored, prepared.env)
        return PartRun([as_held(r, part.type_of(v).dtype) for r, v in zip(results, part.outputs)], executable.plan.launches)

    return find_culprit(graph, exact, run, tolerance, prepared.env)


def _bisect_model(session: Session, feed: Mapping[str, Any], tolerance: float) -> str:
    """The first node of the ONNX graph where the model, cut there, gives something else than onnxruntime."""
    proto = complete_model(session)
    nodes = [n for n in proto.graph.node if n.op_type != "Constant" and any(n.output)]
    seen: dict[int, bool] = {}

    def wrong(index: int) -> bool:
        if index not in seen:
            seen[index] = _differs(session, feed, _cut(proto, nodes[index]), tolerance)
        return seen[index]

    low, high = 0, len(nodes) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if wrong(middle) else (middle + 1, high)
    if not wrong(low):
        return "no single node: the whole differs from onnxruntime, its parts do not"
    node = nodes[low]
    where = f"{node.name or node.output[0]} = {node.op_type}"
    return f"{where}: sol agrees with float64 but onnxruntime does not, so the import of this node is wrong"


def _cut(proto: onnx.ModelProto, node: onnx.NodeProto) -> onnx.ModelProto:
    """The model up to a node, whose results are its outputs."""
    part = onnx.ModelProto(ir_version=proto.ir_version, opset_import=proto.opset_import, functions=proto.functions)
    part.graph.name = proto.graph.name
    part.graph.input.extend(proto.graph.input)
    known = {v.name: v for v in (*proto.graph.value_info, *proto.graph.output)}
    part.graph.output.extend(known.get(name) or onnx.ValueInfoProto(name=name) for name in node.output if name in known)
    wanted, kept = set(node.output), []
    for candidate in reversed(proto.graph.node):
        if wanted & set(candidate.output):
            kept.append(candidate)
            wanted |= set(candidate.input) | _outer_names(candidate)
    part.graph.node.extend(reversed(kept))
    part.graph.initializer.extend(t for t in proto.graph.initializer if t.name in wanted)
    return part


def _outer_names(node: onnx.NodeProto) -> set[str]:
    """Names that the subgraphs of a node read."""
    names: set[str] = set()
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                names |= set(inner.input) | _outer_names(inner)
            names |= {o.name for o in graph.output}
    return names


def _differs(session: Session, feed: Mapping[str, Any], part: onnx.ModelProto, tolerance: float) -> bool:
    if not part.graph.output:
        return False
    reference = _peer(session, feed, [], part)
    if reference is None:
        return False
    try:
        cut = load(part, threads=session.threads, isa=session.isa)
        names = {i.name for i in cut.inputs}
        found = cut.run({k: v for k, v in feed.items() if k in names})
    except SolError as error:
        log.info("the part that ends at %s cannot be compared: %s", part.graph.output[0].name, error)
        return False
    pairs = [(a, b) for a, b in zip(found, reference) if isinstance(a, np.ndarray) and a.dtype.kind not in "OUS"]
    return any(relative_error(held_from_edge(a), held_from_edge(b)) > max(tolerance, _resolution(a.dtype)) for a, b in pairs)
