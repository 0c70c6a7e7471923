"""Writes the C text of one element of a value: loads of what lies in memory, and everything between that and the element in registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from sol.codegen.emit import CValue
from sol.codegen.opencl.emit import OpenCLEmitter, type_of
from sol.codegen.opencl.places import Index, Shape, broadcast, flat, inner, is_number, plus, through_view, times
from sol.errors import UnsupportedError
from sol.ir.graph import Graph, Node
from sol.ir.ops import spec_of
from sol.ir.types import DType, TensorType


def shape_of(type: TensorType) -> Shape:
    """Sizes of a type without open ones."""
    return tuple(int(d) for d in type.shape)  # type: ignore[arg-type]


class ElementWriter:
    """Text of elements of a graph's values.

    graph: without open sizes. stored: values that lie in memory, row-major. anchors: op → what writes an element of its result at an index
    whose parts are variables. buffers: value → the name under which the text reads it, in the order of their first use.
    """

    def __init__(self, graph: Graph, stored: frozenset[str], anchors: Mapping[str, Callable[[ElementWriter, Node, Index], CValue]]) -> None:
        self.graph, self.stored, self._anchors = graph, stored, anchors
        self.emitter = OpenCLEmitter()
        self.buffers: dict[str, str] = {}
        self.replaced: dict[str, CValue] = {}  # values that are at hand, whatever the index
        self._known: dict[tuple[str, Index], CValue] = {}
        self._names = 0

    # -- text ----------------------------------------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        """Statements so far."""
        return self.emitter.lines

    def add(self, *lines: str) -> None:
        self.emitter.lines.extend(lines)

    def name(self, prefix: str) -> str:
        """A name that the text does not have yet."""
        self._names += 1
        return f"{prefix}{self._names}"

    def bound(self, expression: str) -> str:
        """An index expression as a variable, so that it is computed once."""
        if is_number(expression) or inner(expression) == expression:
            return expression
        return self.emitter.let(f"(int)({expression})", DType.I32).text

    @contextmanager
    def block(self) -> Iterator[list[str]]:
        """Statements that are written here go to the list; what they compute is not known afterwards."""
        emitter, outer = self.emitter, (self.emitter.lines, dict(self.emitter._known), dict(self._known))
        inside: list[str] = []
        emitter.lines = inside
        yield inside
        emitter.lines, emitter._known, self._known = outer

    def nested(self, opening: str, lines: Sequence[str]) -> None:
        """A statement with a block."""
        self.add(opening, *(f"    {line}" for line in lines), "}")

    # -- values --------------------------------------------------------------------------------------------------------

    def at(self, value: str, index: Index, force: bool = False) -> CValue:
        """An element. force: write how it is computed, although the value is stored."""
        if value in self.replaced:
            return self.replaced[value]
        key = (value, index)
        if key not in self._known or force:
            self._known[key] = self._loaded(value, index) if value in self.stored and not force else self._computed(value, index)
        return self._known[key]

    def shape(self, value: str) -> Shape:
        return shape_of(self.graph.type_of(value))

    def _loaded(self, value: str, index: Index) -> CValue:
        type = self.graph.type_of(value)
        type_of(type.dtype)
        buffer = self.buffers.setdefault(value, f"b{len(self.buffers)}")
        text = f"{buffer}[{flat(index, self.shape(value))}]"
        return self.emitter.let(f"({text} != 0)" if type.dtype is DType.BOOL else text, type.dtype)

    def _computed(self, value: str, index: Index) -> CValue:
        node = self.graph.producer(value)
        if node.op == "constant":
            return self.emitter.constant(node.attrs["value"].value.item(), node.type.dtype)
        if spec_of(node.op).kind == "pointwise":
            operands = [self.at(i, broadcast(index, self.shape(i))) for i in node.inputs]
            return self.emitter.apply(node.op, node.attrs, operands)
        if spec_of(node.op).kind == "view":
            return self.at(node.inputs[0], through_view(node, index, self.shape(value), self.shape(node.inputs[0])))
        moved = MOVES.get(node.op)
        if moved is not None:
            return moved(self, node, index)
        anchor = self._anchors.get(node.op)
        if anchor is None:
            raise UnsupportedError(f"{node.op} in OpenCL C", origin=str(node.origin), remedy="leave that operation to the host")
        return anchor(self, node, index)


# -- moves that need no loop -------------------------------------------------------------------------------------------


def _chosen(w: ElementWriter, node: Node, place: CValue, index: Callable[[str], Index]) -> CValue:
    """An element at a place that data names; NaN or 0 where it is out of range."""
    size = w.shape(node.inputs[0])[node.attrs["dim"]]
    whole = f"clamp({place.text}, -{size}L - 1, {size}L)" if place.dtype is DType.I64 else place.text
    text = w.emitter.let(f"(int){whole}", DType.I32)
    if node.attrs["signed"]:
        text = w.emitter.let(f"{text.text} < 0 ? {text.text} + {size} : {text.text}", DType.I32)
    inside = w.emitter.let(f"{text.text} >= 0 & {text.text} < {size}", DType.BOOL)
    safe = w.emitter.let(f"{inside.text} ? {text.text} : 0", DType.I32)
    found = w.at(node.inputs[0], index(safe.text))
    return w.emitter.where(inside, found, float("nan") if found.dtype.is_float else 0)


def _take(w: ElementWriter, node: Node, index: Index) -> CValue:
    dim, rank = node.attrs["dim"], len(w.shape(node.inputs[1]))
    place = w.at(node.inputs[1], index[dim : dim + rank])
    return _chosen(w, node, place, lambda at: (*index[:dim], at, *index[dim + rank :]))


def _gather(w: ElementWriter, node: Node, index: Index) -> CValue:
    dim = node.attrs["dim"]
    if not index:
        return w.at(node.inputs[0], index)
    return _chosen(w, node, w.at(node.inputs[1], index), lambda at: (*index[:dim], at, *index[dim + 1 :]))


def _iota(w: ElementWriter, node: Node, index: Index) -> CValue:
    start, step, dtype = node.attrs["start"], node.attrs["step"], node.attrs["dtype"]
    if isinstance(start, int) and isinstance(step, int):
        return w.emitter.cast(w.emitter.let(f"(long)({plus(times(index[0], step), str(start))})", DType.I64), dtype)
    wide = w.emitter.cast(w.emitter.let(index[0], DType.I32), DType.F64)
    return w.emitter.cast(wide * float(step) + float(start), dtype)


def _flip(w: ElementWriter, node: Node, index: Index) -> CValue:
    dims, shape = node.attrs["dims"], w.shape(node.inputs[0])
    turned = (f"{size - 1} - {inner(i)}" if k in dims else i for k, (i, size) in enumerate(zip(index, shape)))
    return w.at(node.inputs[0], tuple(map(w.bound, turned)))


def _copy(w: ElementWriter, node: Node, index: Index) -> CValue:
    return w.at(node.inputs[0], index)


MOVES: dict[str, Callable[[ElementWriter, Node, Index], CValue]] = {
    "take": _take, "gather": _gather, "iota": _iota, "flip": _flip, "copy": _copy,
}  # fmt: skip
"""Op → what writes an element of its result."""
