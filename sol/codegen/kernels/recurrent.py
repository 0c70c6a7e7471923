"""Recurrent layers: one kernel scans all steps, every thread keeps the weights of its hidden units in its cache."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike
from sol.ir.graph import Node
from sol.ir.types import DType

GATES = {"lstm_scan": 4, "gru_scan": 3, "rnn_scan": 1}
GRAIN = 16384  # multiply-adds per step worth waking one more thread


@dataclass(frozen=True)
class BatchTile:
    """``rows`` batch rows at once, in ``parts`` sets of accumulators so that the multiply-adds overlap."""

    rows: int
    parts: int
    unroll: int


def batch_tiles(batch: DimLike, gates: int, target: TargetLike) -> tuple[BatchTile, ...]:
    """The largest tile that fits the registers, and the smaller ones that a remainder needs."""
    most = max(1, (target.registers - gates - 1) // gates)
    rows = [r for r in (4, 2, 1) if r <= most]
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


def lower_scan(lowering: Lowering) -> None:
    """lstm_scan, gru_scan and rnn_scan in f32, with any strides; results that nobody reads are not written."""
    anchor = lowering.anchor
    _check(lowering)
    gates, lanes = GATES[anchor.op], lowering.target.lanes
    steps, batch, hidden = anchor.types[0].shape
    step = max(lanes, 8)
    has_bias = anchor.op == "gru_scan"
    x, states = lowering.view(anchor.inputs[0]), [lowering.view(v) for v in anchor.inputs[2 + has_bias :]]
    reads: dict[str, View] = {
        "X": x,
        "W": lowering.weight(anchor.inputs[1], "recurrent_panels", gates=gates, lanes=lanes, step=step),
    }
    if has_bias:
        reads["BIAS"] = lowering.weight(anchor.inputs[2], "recurrent_bias", gates=gates, lanes=lanes)
    params: dict[str, DimLike] = {
        "T": steps,
        "B": batch,
        "H": hidden,
        "x_t": x.strides[0],
        "x_b": x.strides[1],
        "x_n": x.strides[2],
    }
    for name, view in zip(("H0", "C0"), states):
        reads[name] = view
        params |= {f"{name.lower()}_b": view.strides[0], f"{name.lower()}_n": view.strides[1]}
    writes: dict[str, View] = {}
    for name, value in zip(("Y", "HN", "CN"), anchor.outputs):
        if value not in lowering.body.outputs:
            continue
        view = writes[name] = lowering.view(value)
        params |= {f"{name.lower()}_{d}": s for d, s in zip("tbn" if name == "Y" else "bn", view.strides)}
    cell = {"lstm_scan": "lstm", "gru_scan": "gru"}.get(anchor.op) or str(anchor.attrs["nonlinearity"])
    depth = (hidden + step - 1) // step * step
    lowering.emit(
        "recurrent_scan.c.j2",
        _stem(anchor, cell),
        reads=reads,
        writes=writes,
        params=params,
        common=4 * batch * depth * (3 if cell == "lstm" else 2),
        flops=2 * steps * batch * gates * hidden * hidden,
        bytes=4 * (steps * batch * (gates + 1) * hidden + gates * hidden * hidden),
        cell=cell, gates=gates, reverse=bool(anchor.attrs["reverse"]), k_step=step, grain=GRAIN,
        tiles=batch_tiles(batch, gates, lowering.target), y="Y" in writes, hn="HN" in writes, cn="CN" in writes,
    )  # fmt: skip


def _stem(anchor: Node, cell: str) -> str:
    words = [anchor.op, cell if anchor.op == "rnn_scan" else "", "reverse" if anchor.attrs["reverse"] else ""]
    return "_".join(w for w in words if w)


def _check(lowering: Lowering) -> None:
    anchor, origin = lowering.anchor, str(lowering.region.origin)
    if anchor.types[0].dtype is not DType.F32:
        raise UnsupportedError(f"{anchor.op} of {anchor.types[0].dtype}", origin=origin, remedy="run the layer in float32")
    if not set(lowering.body.outputs) <= set(anchor.outputs):
        raise UnsupportedError(f"{anchor.op} with fused pointwise ops", origin=origin, remedy="keep them in a region of their own")
    if not isinstance(anchor.types[0].shape[2], int):
        raise UnsupportedError(f"{anchor.op} with a symbolic hidden size", origin=origin, remedy="fix the hidden size")
    for value in anchor.inputs[1 : 3 if anchor.op == "gru_scan" else 2]:
        if not lowering.is_constant(value):
            raise UnsupportedError(f"{anchor.op} with a weight that is computed at run time", origin=origin,
                                   remedy="pass the recurrent weights as parameters")  # fmt: skip


_CANDIDATES = (Candidate("scan", lambda lowering: True, lower_scan),)
KERNELS = {op: _CANDIDATES for op in GATES}
