"""sol.verify for what sol.load gives: against float64 and onnxruntime, and which of them is off; without torch."""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import onnx

from sol.errors import SolError
from sol.inspect.bisection import PartRun, computed_values, find_culprit
from sol.inspect.checks import IMPORT, SOL, UNKNOWN, OutputCheck, Verification, judged, relative_error
from sol.inspect.onnx_peer import PEER, Misreading, complete_model, first_misread, outer_names, run_model, values_of_all
from sol.inspect.quantization import steps_of
from sol.inspect.session_checks import Inputs, feed_of
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.storage import as_held, held_from_edge
from sol.runtime.executable import Executable
from sol.runtime.numpy.session import Session, Value, load
from sol.tuning.compile import compile_tuned

log = logging.getLogger("sol.verify")


def verify_session(
    session: Session, inputs: Inputs, *, tolerance: float = 1e-4, peer: bool = True, float64: bool = True
) -> Verification:
    """Compare with float64 and, where it is installed, onnxruntime; where sol is off, name the first node that is.

    The interpreter evaluates the imported graph: it tells whether the compiled code is right. onnxruntime reads the file itself: where its
    results are others, node after node is compared with it alone, which tells a wrong import from another order of rounding. Results of
    quantized networks may be a quantization step off. Outputs that are no tensors of numbers are not compared.
    """
    return _Verifier(session, feed_of(session, inputs), tolerance).verify(peer, float64)


class _Verifier:
    """One verification: the references, computed when they are asked for, and what they tell."""

    def __init__(self, session: Session, feed: dict[str, Any], tolerance: float) -> None:
        self.session, self.feed, self.tolerance = session, feed, tolerance
        self.prepared = session.prepared(feed)
        self.notes: list[str] = []

    def verify(self, peer: bool, float64: bool) -> Verification:
        actual = self.session.run(self.feed)
        exact = self._evaluated(np.float64) if float64 else None
        reference = run_model(complete_model(self.session), self.feed, self.notes) if peer else None
        steps = steps_of(self.session.model.proto, lambda: self.values[0])
        checks: list[OutputCheck] = []
        for i, (port, found) in enumerate(zip(self.session.outputs, actual)):
            if not isinstance(found, np.ndarray) or found.dtype.kind in "OUS":
                self.notes.append(f"{port.name} is no tensor of numbers and was not compared")
                continue
            other = None if reference is None else held_from_edge(reference[i])
            checks.append(self._checked(port, i, held_from_edge(found), other, exact, steps.get(port.name)))
        off = {c.off for c in checks}
        culprit = ""
        if SOL in off:
            culprit = self._wrong_code()
        elif IMPORT in off:
            culprit = str(self.misreading)
        elif UNKNOWN in off:
            culprit = self._wrong_part()
        elif PEER in off:
            self._explain_peer(actual)
        compared = any(c.is_compared for c in checks)
        passed = compared and not any(c.fails for c in checks)
        peer_name = PEER if reference is not None else ""
        return Verification(passed, self.tolerance, tuple(checks), culprit, peer_name, tuple(self.notes), compared)

    def _checked(
        self, port: Value, index: int, value: np.ndarray, other: np.ndarray | None, exact: Mapping[str, np.ndarray] | None,
        step: float | None,
    ) -> OutputCheck:
        name = self.prepared.imported.result_value(index)
        truth = exact.get(name) if exact is not None else None
        scale = _scale(truth if truth is not None else other)
        check = OutputCheck(port.name, _error(value, other), _error(value, truth), _error(other, truth), step and step / scale)
        limit = max(self.tolerance, _resolution(port.dtype or value.dtype))
        check = judged(check, limit, PEER, lambda: self._rounding(name, truth))
        if check.off == PEER and self.values[1] is None:
            return replace(check, off=UNKNOWN)
        return replace(check, off=IMPORT) if check.off == PEER and self.misreading is not None else check

    # references

    def _evaluated(self, precision: Any, wanted: Sequence[str] | None = None) -> dict[str, np.ndarray] | None:
        graph = self.prepared.imported.graph
        given = {v: held_from_edge(a) for v, a in zip(graph.inputs, self.prepared.tensors)}
        parameters = {t: held_from_edge(a) for t, a in self.prepared.imported.parameters.items()}
        try:
            with np.errstate(all="ignore"):
                return evaluate(graph, given, parameters, self.prepared.env, wanted, precision)
        except (SolError, ArithmeticError, ValueError) as error:
            self.notes.append(f"the float64 interpreter cannot evaluate the network: {str(error).splitlines()[0]}")
            return None

    @functools.cached_property
    def rounded(self) -> dict[str, np.ndarray] | None:
        """The outputs with every value rounded to float32."""
        return self._evaluated(np.float32)

    def _rounding(self, name: str, truth: np.ndarray | None) -> float | None:
        return None if self.rounded is None else _error(self.rounded.get(name), truth)

    @functools.cached_property
    def values(self) -> tuple[dict[str, Any], list[Any] | None]:
        """Every value of the model as onnxruntime computes it without its fusions, and its outputs then."""
        return values_of_all(complete_model(self.session), self.feed)

    @functools.cached_property
    def misreading(self) -> Misreading | None:
        """The first node that onnxruntime takes to mean something else than sol does."""
        return first_misread(complete_model(self.session), self.values[0], self.tolerance)

    # where it is

    def _wrong_code(self) -> str:
        """The first node of the imported graph whose kernels give something else than float64."""
        session, prepared = self.session, self.prepared
        graph, parameters = prepared.imported.graph, prepared.imported.parameters
        exact, rounded = (self._evaluated(precision, computed_values(graph)) for precision in (np.float64, np.float32))
        if exact is None:
            return "unknown: the float64 interpreter cannot evaluate every value"

        def run(part: Graph) -> PartRun:
            executable = Executable(compile_tuned(part, title=f"up to {part.outputs[0]}", isa=session.isa), threads=session.threads)
            executable.pack(parameters)
            results = executable(prepared.stored, prepared.env)
            return PartRun([as_held(r, part.type_of(v).dtype) for r, v in zip(results, part.outputs)], executable.plan.launches)

        return find_culprit(graph, exact, run, self.tolerance, prepared.env, rounded)

    def _wrong_part(self) -> str:
        """The first node at which the model, cut there, gives something else in onnxruntime; without float64 values."""
        if self.misreading is not None:
            return str(self.misreading)
        proto, (values, _) = complete_model(self.session), self.values
        nodes = [n for n in proto.graph.node if any(isinstance(values.get(o), np.ndarray) for o in n.output)]
        seen: dict[int, bool] = {}

        def wrong(index: int) -> bool:
            if index not in seen:
                seen[index] = self._differs(_cut(proto, nodes[index], values), values)
            return seen[index]

        low, high = 0, len(nodes) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if wrong(middle) else (middle + 1, high)
        if not nodes or not wrong(low):
            return f"no single node: the whole differs from {PEER}, its parts do not"
        return f"{nodes[low].name or nodes[low].output[0]} = {nodes[low].op_type}"

    def _differs(self, part: onnx.ModelProto, values: Mapping[str, Any]) -> bool:
        try:
            cut = load(part, threads=self.session.threads, isa=self.session.isa)
            names = {i.name for i in cut.inputs}
            found = cut.run({k: v for k, v in self.feed.items() if k in names})
        except SolError as error:
            log.info("the part that ends at %s cannot be compared: %s", part.graph.output[0].name, error)
            return False
        pairs = [(a, values[o.name]) for a, o in zip(found, part.graph.output) if isinstance(a, np.ndarray) and a.dtype.kind not in "OUS"]
        return any(relative_error(held_from_edge(a), held_from_edge(b)) > max(self.tolerance, _resolution(a.dtype)) for a, b in pairs)

    def _explain_peer(self, actual: Sequence[Any]) -> None:
        """Say why the peer is the side that is off."""
        unfused = self.values[1]
        pairs = [(a, u) for a, u in zip(actual, unfused or ()) if isinstance(a, np.ndarray) and a.dtype.kind not in "OUS"]
        text = f"{PEER} is the side that is off: each node alone gives in it what float64 gives"
        if pairs:
            apart = max(relative_error(held_from_edge(u), held_from_edge(a)) for a, u in pairs)
            text += f"; without its fusions and reordering its outputs are {apart:.1e} from sol's"
        self.notes.append(text)


def _scale(values: np.ndarray | None) -> float:
    """The largest finite magnitude."""
    finite = np.abs(np.asarray(values, np.float64)) if values is not None else np.zeros(0)
    return float(np.max(finite, where=np.isfinite(finite), initial=0.0)) or 1.0


def _error(actual: np.ndarray | None, expected: np.ndarray | None) -> float | None:
    return None if actual is None or expected is None else relative_error(actual, expected)


def _resolution(dtype: np.dtype) -> float:
    """Relative error that the dtype itself brings along."""
    return {"float16": 4e-3, "bfloat16": 3e-2}.get(dtype.name, 0.0)


def _cut(proto: onnx.ModelProto, node: onnx.NodeProto, values: Mapping[str, Any]) -> onnx.ModelProto:
    """The model up to a node, whose tensors are its outputs."""
    part = onnx.ModelProto(ir_version=proto.ir_version, opset_import=proto.opset_import, functions=proto.functions)
    part.graph.name = proto.graph.name
    part.graph.input.extend(proto.graph.input)
    known = {v.name: v for v in (*proto.graph.value_info, *proto.graph.output)}
    outputs = [name for name in node.output if isinstance(values.get(name), np.ndarray)]
    part.graph.output.extend(known.get(name) or onnx.ValueInfoProto(name=name) for name in outputs)
    wanted, kept = set(node.output), []
    for candidate in reversed(proto.graph.node):
        if wanted & set(candidate.output):
            kept.append(candidate)
            wanted |= set(candidate.input) | outer_names(candidate)
    part.graph.node.extend(reversed(kept))
    part.graph.initializer.extend(t for t in proto.graph.initializer if t.name in wanted)
    return part
