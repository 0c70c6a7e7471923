"""Recurrent layers: one kernel scans all steps, every thread keeps the weights of its hidden units in its cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike
from sol.ir.graph import Node
from sol.ir.types import DType

GATES = {"lstm_scan": 4, "gru_scan": 3, "rnn_scan": 1}
_RESULTS = {"lstm_scan": ("Y", "HN", "CN", "KEPT", "CELLS"), "gru_scan": ("Y", "HN", "KEPT"), "rnn_scan": ("Y", "HN")}


@dataclass(frozen=True)
class BatchTile:
    """``rows`` batch rows at once, in ``parts`` sets of accumulators so that the multiply-adds overlap."""

    rows: int
    parts: int
    unroll: int


def batch_tiles(batch: DimLike, gates: int, target: TargetLike) -> tuple[BatchTile, ...]:
    """The largest tile that fits the registers, and the smaller ones that a remainder needs."""
    most = max(1, (target.registers - gates - 1) // gates)
    rows = [r for r in (6, 4, 2, 1) if r <= most]
    if isinstance(batch, int):
        kept, left = [], batch
        for r in rows:
            if left >= r:
                kept.append(r)
                left %= r
        rows = kept or [1]
    tiles = []
    for r in rows:
        parts = 1
        while r * gates * parts < 8 and r * gates * parts * 2 <= target.registers - gates - 1:
            parts *= 2
        tiles.append(BatchTile(r, parts, max(parts, 2)))
    return tuple(tiles)


@dataclass(frozen=True)
class Scan:
    """A layer: where its operands and the results that somebody reads lie, by their names in the template."""

    anchor: Node
    hidden: int
    x: View
    weight: View
    bias: View | None
    states: tuple[tuple[str, View], ...]
    results: tuple[tuple[str, View], ...]


def panel_step(lanes: int) -> int:
    """Steps along the hidden units to which panels of weights are padded."""
    return max(lanes, 8)


def find_scan(lowering: Lowering) -> Scan | None:
    """lstm_scan, gru_scan and rnn_scan in f32, with any strides."""
    anchor = lowering.anchor
    if not set(lowering.body.outputs) <= set(anchor.outputs):
        return None
    has_bias = anchor.op == "gru_scan"
    hidden = checked_units(lowering, anchor.inputs[1 : 2 + has_bias])
    gates, lanes = GATES[anchor.op], lowering.target.lanes
    weight = lowering.weight(anchor.inputs[1], "recurrent_panels", gates=gates, lanes=lanes, step=panel_step(lanes))
    bias = lowering.weight(anchor.inputs[2], "recurrent_bias", gates=gates, lanes=lanes) if has_bias else None
    states = tuple(zip(("H0", "C0"), map(lowering.view, anchor.inputs[2 + has_bias :])))
    results = tuple((n, lowering.view(v)) for n, v in zip(_RESULTS[anchor.op], anchor.outputs) if v in lowering.body.outputs)
    return Scan(anchor, hidden, lowering.view(anchor.inputs[0]), weight, bias, states, results)


def lower_scan(lowering: Lowering, found: Scan) -> None:
    """Results that nobody reads are not written; see templates/recurrent_scan.c.j2."""
    anchor, x, hidden = found.anchor, found.x, found.hidden
    gates, step = GATES[anchor.op], panel_step(lowering.target.lanes)
    steps, batch, _ = anchor.types[0].shape
    reads: dict[str, View] = {"X": x, "W": found.weight} | ({"BIAS": found.bias} if found.bias else {}) | dict(found.states)
    params: dict[str, DimLike] = {
        "T": steps,
        "B": batch,
        "H": hidden,
        "x_t": x.strides[0],
        "x_b": x.strides[1],
        "x_n": x.strides[2],
    }
    for name, view in found.states:
        params |= {f"{name.lower()}_b": view.strides[0], f"{name.lower()}_n": view.strides[1]}
    writes = dict(found.results)
    for name, view in writes.items():
        params |= {f"{name.lower()}_{d}": s for d, s in zip("tbn" if len(view.strides) == 3 else "bn", view.strides)}
    cell = {"lstm_scan": "lstm", "gru_scan": "gru"}.get(anchor.op) or str(anchor.attrs["nonlinearity"])
    depth = (hidden + step - 1) // step * step
    lowering.emit(
        "recurrent_scan.c.j2",
        _stem(anchor, cell),
        reads=reads,
        writes=writes,
        params=params,
        shared_scratch=4 * batch * depth * (3 if cell == "lstm" else 2),
        flops=2 * steps * batch * gates * hidden * hidden,
        bytes=4 * (steps * batch * (gates + 1) * hidden + gates * hidden * hidden),
        cell=cell, gates=gates, reverse=bool(anchor.attrs["reverse"]), k_step=step, grain=lowering.target.machine.team.step_grain,
        tiles=batch_tiles(batch, gates, lowering.target), y="Y" in writes, hn="HN" in writes, cn="CN" in writes,
        kept="KEPT" in writes, cells="CELLS" in writes,
    )  # fmt: skip


def _stem(anchor: Node, cell: str) -> str:
    words = [anchor.op, cell if anchor.op == "rnn_scan" else "", "reverse" if anchor.attrs["reverse"] else ""]
    return "_".join(w for w in words if w)


def checked_units(lowering: Lowering, weights: Sequence[str]) -> int:
    """The number of hidden units of a layer that can be scanned; UnsupportedError for others."""
    anchor, origin = lowering.anchor, str(lowering.region.origin)
    hidden = lowering.type_of(weights[0]).shape[1]
    if anchor.types[0].dtype is not DType.F32:
        raise UnsupportedError(f"{anchor.op} of {anchor.types[0].dtype}", origin=origin, remedy="run the layer in float32")
    if not isinstance(hidden, int):
        raise UnsupportedError(f"{anchor.op} with a symbolic hidden size", origin=origin, remedy="fix the hidden size")
    for value in weights:
        if not lowering.is_constant(value):
            raise UnsupportedError(f"{anchor.op} with a weight that is computed at run time", origin=origin,
                                   remedy="pass the recurrent weights as parameters")  # fmt: skip
    return hidden


_CANDIDATES = (sole("scan", find_scan, lower_scan),)
KERNELS = {op: _CANDIDATES for op in GATES}
