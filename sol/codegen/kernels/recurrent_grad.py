"""Gradients of recurrent layers: one kernel goes back through all steps, every thread keeps the weights of its units in its cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.kernels.recurrent import checked_units
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.memory import LINE
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.graph import Node

GATES = {"lstm_scan_grad": 4, "gru_scan_grad": 3, "rnn_scan_grad": 1}
_OPERANDS = {
    "lstm_scan_grad": ("KEPT", "CELLS", "C0", "DY", "DHN", "DCN"), "gru_scan_grad": ("KEPT", "Y", "H0", "DY", "DHN"),
    "rnn_scan_grad": ("KEPT", "DY", "DHN"),
}  # fmt: skip
_RESULTS = {"lstm_scan_grad": ("DX", "DH0", "DC0"), "gru_scan_grad": ("DX", "DG", "DH0"), "rnn_scan_grad": ("DX", "DH0")}


@dataclass(frozen=True)
class Tiles:
    """Batch rows (``rows``) and blocks of hidden units (``blocks``) whose sums are in registers at once: a panel's, and the last one's."""

    rows: tuple[int, ...]
    blocks: tuple[int, ...]


def tiles_of(batch: DimLike, hidden: int, target: TargetLike) -> Tiles:
    """Four blocks where there are registers and units enough; the rows that a batch needs."""
    most = next(b for b in (4, 2, 1) if b == 1 or (hidden >= 4 * b * target.lanes and target.registers >= 8 * b))
    rows = [r for r in (6, 4, 2, 1) if r * most + most + 1 <= target.registers]
    if isinstance(batch, int):
        needed, left = [], batch
        for r in rows:
            if left >= r:
                needed.append(r)
                left %= r
        rows = needed or [1]
    rest = -(-hidden // target.lanes) % most
    return Tiles(tuple(rows), (most, rest) if rest else (most,))


@dataclass(frozen=True)
class Backward:
    """A layer's backward scan: where its operands and the results that somebody reads lie, by their names in the template."""

    anchor: Node
    hidden: int
    tiles: Tiles
    weight: View
    operands: tuple[tuple[str, View], ...]
    results: tuple[tuple[str, View], ...]


def find_scan_grad(lowering: Lowering) -> Backward | None:
    """lstm_scan_grad, gru_scan_grad and rnn_scan_grad in f32, with any strides."""
    anchor, lanes = lowering.anchor, lowering.target.lanes
    if not set(lowering.body.outputs) <= set(anchor.outputs):
        return None
    hidden = checked_units(lowering, anchor.inputs[1:2])
    tiles = tiles_of(anchor.types[0].shape[1], hidden, lowering.target)
    weight = lowering.weight(anchor.inputs[1], "gemm_panels", width=tiles.blocks[0] * lanes, lanes=lanes, transposed=False)
    operands = tuple(zip(_OPERANDS[anchor.op], map(lowering.view, (anchor.inputs[0], *anchor.inputs[2:]))))
    results = tuple((n, lowering.view(v)) for n, v in zip(_RESULTS[anchor.op], anchor.outputs) if v in lowering.body.outputs)
    return Backward(anchor, hidden, tiles, weight, operands, results)


def lower_scan_grad(lowering: Lowering, found: Backward) -> None:
    """Results that nobody reads are not written; see templates/recurrent_scan_grad.c.j2."""
    anchor, hidden, target = found.anchor, found.hidden, lowering.target
    gates = GATES[anchor.op]
    steps, batch, _ = anchor.types[0].shape
    cell = {"lstm_scan_grad": "lstm", "gru_scan_grad": "gru"}.get(anchor.op) or str(anchor.attrs["nonlinearity"])
    params: dict[str, DimLike] = {"T": steps, "B": batch, "H": hidden}
    for name, view in (*found.operands, *found.results):
        params |= _strides(name, view.strides)
    row = (1 - -4 * gates * hidden // LINE) * (LINE // 4)  # no power of two: those lines would compete for the same cache sets
    states = 4 * batch * (-(-hidden // target.lanes) * target.lanes)
    named = (*found.operands, *found.results)
    words = (anchor.op, cell if anchor.op == "rnn_scan_grad" else "", "reverse" if anchor.attrs["reverse"] else "")
    lowering.emit(
        "recurrent_scan_grad.c.j2",
        "_".join(w for w in words if w),
        reads={"W": found.weight, **dict(found.operands)},
        writes=dict(found.results),
        params=params,
        shared_scratch=2 * 4 * batch * row + (0 if gates == 1 else states),
        flops=2 * steps * batch * gates * hidden * hidden,
        bytes=4 * (steps * batch * 2 * (gates + 1) * hidden + gates * hidden * hidden),
        cell=cell, gates=gates, reverse=bool(anchor.attrs["reverse"]), grain=target.machine.team.step_grain,
        tiles=found.tiles, row=row, written=tuple([n for n, _ in found.results]),
        ahead=tuple([(n, v.shape[2] // hidden, n in _RESULTS[anchor.op]) for n, v in named if len(v.shape) == 3 and v.strides[2] == 1]),
    )  # fmt: skip


def _strides(name: str, strides: Sequence[DimLike]) -> dict[str, DimLike]:
    return {f"{name.lower()}_{d}": s for d, s in zip("tbn" if len(strides) == 3 else "bn", strides)}


_CANDIDATES = (sole("scan", find_scan_grad, lower_scan_grad),)
KERNELS = {op: _CANDIDATES for op in GATES}
