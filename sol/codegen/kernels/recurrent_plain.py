"""Recurrent layers with weights that are computed at run time, or with options that the fast scan does not have: a plain kernel."""

from __future__ import annotations

from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike
from sol.ir.ops.recurrent import GATES
from sol.ir.types import DType


def lower_recurrence(lowering: Lowering) -> None:
    """One launch; see templates/recurrent_plain.c.j2. float32 and float64, any strides; results that nobody reads are not written."""
    anchor = lowering.anchor
    cell, attrs, dtype = anchor.attrs["cell"], anchor.attrs, anchor.types[0].dtype
    if dtype not in (DType.F32, DType.F64):
        raise UnsupportedError(f"recurrence of {dtype}", origin=str(anchor.origin), remedy="cast to float32 before and back after it")
    steps, batch, hidden = anchor.types[0].shape
    names = ("X", "W", "BIAS", "H0", *(("C0", "PEEPHOLES") if cell == "lstm" else ()), "LENGTHS")
    reads: dict[str, View] = dict(zip(names, map(lowering.view, anchor.inputs)))
    axes = {"X": "tbn", "W": "rc", "BIAS": "n", "H0": "bn", "C0": "bn", "PEEPHOLES": "n", "LENGTHS": "b"}
    params: dict[str, DimLike] = {"T": steps, "B": batch, "H": hidden}
    for name, view in reads.items():
        params |= {f"{name.lower()}_{a}": s for a, s in zip(axes[name], view.strides)}
    writes: dict[str, View] = {}
    for name, value in zip(("Y", "HN", "CN"), anchor.outputs):
        if value in lowering.body.outputs:
            writes[name] = lowering.view(value)
            params |= {f"{name.lower()}_{a}": s for a, s in zip("tbn" if name == "Y" else "bn", writes[name].strides)}
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


KERNELS = {"recurrence": (Candidate("recurrence", lambda lowering: True, lower_recurrence),)}
