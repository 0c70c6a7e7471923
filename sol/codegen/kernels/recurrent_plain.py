"""Recurrent layers with weights that are computed at run time, or with options that the fast scan does not have: a plain kernel."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike
from sol.ir.graph import Node
from sol.ir.ops.recurrent import GATES
from sol.ir.types import DType


@dataclass(frozen=True)
class Recurrence:
    """A layer: where its operands and the results that somebody reads lie, by their names in the template."""

    anchor: Node
    reads: tuple[tuple[str, View], ...]
    writes: tuple[tuple[str, View], ...]


def find_recurrence(lowering: Lowering) -> Recurrence:
    """float32 and float64, any strides."""
    anchor = lowering.anchor
    dtype = anchor.types[0].dtype
    if dtype not in (DType.F32, DType.F64):
        raise UnsupportedError(f"recurrence of {dtype}", origin=str(anchor.origin), remedy="cast to float32 before and back after it")
    names = ("X", "W", "BIAS", "H0", *(("C0", "PEEPHOLES") if anchor.attrs["cell"] == "lstm" else ()), "LENGTHS")
    writes = tuple((n, lowering.view(v)) for n, v in zip(("Y", "HN", "CN"), anchor.outputs) if v in lowering.body.outputs)
    return Recurrence(anchor, tuple(zip(names, map(lowering.view, anchor.inputs))), writes)


def lower_recurrence(lowering: Lowering, found: Recurrence) -> None:
    """One launch; see templates/recurrent_plain.c.j2. Results that nobody reads are not written."""
    anchor, reads, writes = found.anchor, dict(found.reads), dict(found.writes)
    cell, attrs, dtype = anchor.attrs["cell"], anchor.attrs, anchor.types[0].dtype
    steps, batch, hidden = anchor.types[0].shape
    axes = {"X": "tbn", "W": "rc", "BIAS": "n", "H0": "bn", "C0": "bn", "PEEPHOLES": "n", "LENGTHS": "b"}
    axes |= {"Y": "tbn", "HN": "bn", "CN": "bn"}
    params: dict[str, DimLike] = {"T": steps, "B": batch, "H": hidden}
    for name, view in (*found.reads, *found.writes):
        params |= {f"{name.lower()}_{a}": s for a, s in zip(axes[name], view.strides)}
    f = "f" if dtype is DType.F32 else ""
    gates = GATES[cell]
    lowering.emit(
        "recurrent_plain.c.j2",
        f"{cell}_recurrence{'_reverse' if attrs['reverse'] else ''}_{dtype}",
        reads=reads,
        writes=writes,
        params=params,
        scratch=dtype.itemsize * 4 * hidden,
        flops=2 * steps * batch * gates * hidden * hidden,
        bytes=dtype.itemsize * (steps * batch * (gates + 1) * hidden + gates * hidden * hidden),
        cell=cell, T=dtype.c, f=f, reverse=bool(attrs["reverse"]), reset_after=bool(attrs["reset_after"]), coupled=bool(attrs["coupled"]),
        clip=f"{float(attrs['clip'])!r}{f}" if attrs["clip"] else "", y="Y" in writes, hn="HN" in writes, cn="CN" in writes,
        activations=tuple((name, f"{float(a)!r}{f}", f"{float(b)!r}{f}") for name, a, b in attrs["activations"]),
    )  # fmt: skip


KERNELS = {"recurrence": (sole("recurrence", find_recurrence, lower_recurrence),)}
