"""Pointwise regions with operands that are contiguous along another axis than the result: squares of them are transposed in registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sol.codegen.element import FAMILIES
from sol.codegen.emit import CValue, Emitter
from sol.codegen.kernels.dfp_space import LANE_TYPES, Axis, Pointer, Space
from sol.codegen.kernels.dfp_terms import APART, Term, cost_of, fit_lanes, load_text, store_text, trace

LEAST = 4  # elements along either axis from which on transposing squares pays
MOVED = {1: "sol_u8x16", 2: "sol_u16x8", 4: "vf", 8: "vd"}
"""Bytes of an element → the vector whose squares are transposed (sol_turn.h), where elements are moved and nothing is computed."""


def turned_axis(axes: Sequence[Axis], reads: Sequence[Pointer], writes: Sequence[Pointer], wanted: Sequence[Term]) -> int:
    """The axis along which operands are contiguous that are strided along the innermost one; -1 where there is none or it does not pay.

    The results must be contiguous along the innermost axis.
    """
    last = len(axes) - 1
    if any(not _is(axes[last].stride(p.name), 1) for p in writes) or not _is_long(axes[last]):
        return -1
    if not is_moved(wanted) and not (all(t.dtype in (*LANE_TYPES, *APART) for t in wanted) and fit_lanes(wanted)):
        return -1
    apart = [p for p in reads if not any(_is(axes[last].stride(p.name), s) for s in (0, 1))]
    if not all(_turns(p, wanted) for p in apart):
        return -1  # numbers that lie apart are collected into vectors where they are floats
    strided = [p for p in apart if not _is(axes[last].stride(p.name), -1)]
    found = {i: sum(_is(axes[i].stride(p.name), 1) for p in strided) for i in range(last) if _is_long(axes[i])}
    best = max(found, key=lambda i: found[i], default=-1)
    return best if best >= 0 and found[best] else -1


def is_moved(wanted: Sequence[Term]) -> bool:
    """Nothing is computed: one element of the operand is one of the result."""
    return len(wanted) == 1 and wanted[0].kind == "leaf"


def _turns(pointer: Pointer, wanted: Sequence[Term]) -> bool:
    return is_moved(wanted) or pointer.view.dtype in APART


def _is(value: Any, number: int) -> bool:
    return isinstance(value, int) and value == number


def _is_long(axis: Axis) -> bool:
    return not isinstance(axis.size, int) or axis.size >= LEAST


class TurnedWriter:
    """The C text of one kernel over squares. across: the axis along which turned operands are contiguous."""

    def __init__(
        self, space: Space, across: int, reads: Sequence[Pointer], results: Sequence[tuple[Pointer, Term]], wanted: Sequence[Term]
    ) -> None:
        self.space, self.across, self.reads, self.results, self.wanted = space, across, reads, results, wanted
        writes = self.writes = [p for p, _ in results]
        self.along = len(space.axes) - 1
        self.outer = [i for i in range(self.along) if i != across]
        self.by_value = {p.value: p for p in reads}
        self.moved = MOVED[writes[0].view.dtype.itemsize] if is_moved(wanted) else "vf"
        self.turned = [p for p in reads if _is(space.axes[across].stride(p.name), 1) and self._step(p.name, self.along) not in ("0", "1")]

    def context(self) -> dict[str, Any]:
        """What dfp_turned.c.j2 asks for."""
        space, parameters, arguments, bases = self.space, [], [], []
        for p in (*self.reads, *self.writes):
            pointer = f"{'' if p.writes else 'const '}{self._ctype(p)} *"
            bases.append(f"{pointer}p_{p.name} = ({pointer}){p.name} + {space.offset(p.name, self.outer)};")
            steps = {"along": self._step(p.name, self.along), "across": self._step(p.name, self.across)}
            at = [letter if step == "1" else f"{letter} * {step}" for letter, step in zip("ab", steps.values()) if step != "0"]
            run_time = {axis: step for axis, step in steps.items() if step not in ("0", "1")}
            parameters += [f"{pointer}{p.name}", *(f"int64_t {p.name}_{axis}" for axis in run_time)]
            arguments += [" + ".join([f"p_{p.name}", *at]), *run_time.values()]
        return {
            "rows": space.product(self.outer),
            "outer": [(i, space.size(i)) for i in self.outer],
            "along": space.size(self.along),
            "across": space.size(self.across),
            "parameters": ", ".join(parameters),
            "arguments": ", ".join(arguments),
            "bases": bases,
            "turned": [(p.name, self.moved if is_moved(self.wanted) else FAMILIES[p.view.dtype]) for p in self.turned],
            "apart": any(self._step(p.name, self.along) not in ("0", "1") for p in self.reads if p not in self.turned),
            "result": self.writes[0].name,
            "vector": self.moved,
            "cost": max(1, cost_of(self.wanted)),
            "body": self._body(""),
            "rest": self._body("na"),
        }

    def _ctype(self, pointer: Pointer) -> str:
        if not is_moved(self.wanted):
            return pointer.view.dtype.c
        return {1: "uint8_t", 2: "uint16_t", 4: "float", 8: "double"}[pointer.view.dtype.itemsize]

    def _step(self, name: str, axis: int) -> str:
        return self.space.stride(name, axis)

    def _body(self, left: str) -> list[str]:
        """Statements for the row number l of a square, of which ``left`` elements exist, if not all."""
        if is_moved(self.wanted):
            return []
        emitter = Emitter(vector=True)
        names = {p.name for p in self.turned}

        def leaf(term: Term) -> CValue:
            name = self.by_value[term.value].name
            if name in names:
                return emitter.load(f"q_{name}[l]", term.dtype)
            step = self._step(name, self.along)
            stride = step if step in ("0", "1") else f"{name}_along"
            text = load_text(term.dtype, self._row(name), vector=True, stride=stride, left=left)
            return emitter.let(text, term.dtype)

        known: dict[Term, CValue] = {}
        trace(emitter, self.wanted, known, leaf)
        lines = list(emitter.lines)
        for pointer, term in self.results:
            lines.append(store_text(term.dtype, self._row(pointer.name), known[term].text, vector=True, left=left))
        return lines

    def _row(self, name: str) -> str:
        step = self._step(name, self.across)
        return name if step == "0" else f"{name} + l" if step == "1" else f"{name} + l * {name}_across"
