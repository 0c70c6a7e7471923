"""The pointwise epilogue of a "dnn" region: rendered once per accumulator vector, between the last multiply-add and the store."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sol.codegen.element import rounded, vector_load
from sol.codegen.emit import Emitter, c_float
from sol.codegen.lowering import Lowering, operand_strides
from sol.codegen.plan import View
from sol.errors import SolError
from sol.ir.dim import DimLike
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.lanes import BYTE_LIMITS, FLOAT_LANES, NARROW_FLOATS
from sol.ir.storage import is_representable
from sol.ir.types import DType


class _Vectors:
    """How vectors of an operand are read, as C text. Subclasses say its dtype and lane_stride: 1 or 0 along the vector axis."""

    dtype: DType
    lane_stride: int

    @property
    def pointer(self) -> str:
        """C type of its pointer."""
        return f"const {self.dtype.c} *"

    @property
    def vector(self) -> str:
        """C type of its vectors."""
        return "vf" if self.dtype in FLOAT_LANES else "vi"

    def load(self, address: str) -> str:
        """C text of the operand's vector at an address."""
        return vector_load(self.dtype, address, stride=self.lane_stride)

    def load_n(self, address: str, count: str) -> str:
        """The same when only ``count`` lanes exist."""
        return vector_load(self.dtype, address, stride=self.lane_stride, count=count)


@dataclass(frozen=True)
class OperandText(_Vectors):
    """What a template is told of an operand: not where it lies, so that layers share kernels. type: as a DType is written, "f32"."""

    name: str
    type: str
    lane_stride: int

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return DType(self.type)


@dataclass(frozen=True)
class EpilogueOperand(_Vectors):
    """An extra tensor that the epilogue reads.

    name: pointer name in the template (``e0``…). strides: elements along the result's storage dimensions, 0 where broadcast.
    kind: "tile" (varies along the inner spatial or row axes), "channel" (varies only along the vector's axis and its blocks: hoist
    it out of the tile), "scalar" (one number).
    """

    name: str
    value: str
    view: View
    strides: tuple[DimLike, ...]
    kind: str

    @property
    def lane_stride(self) -> int:  # type: ignore[override]
        return int(self.strides[-1] != 0)

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return self.view.dtype

    @property
    def text(self) -> OperandText:
        return OperandText(self.name, self.dtype.value, self.lane_stride)


@dataclass(frozen=True)
class ChannelSum:
    """A sum over images and pixels, for each channel, of the value ``source`` of a body. spread: that of its squares, too."""

    source: str
    spread: bool

    @property
    def vectors(self) -> int:
        """Vectors that a vector of channels needs."""
        return 2 if self.spread else 1


@dataclass(frozen=True)
class _WholeBytes:
    """A result that is the nearest byte between limits to a value of float32. replaced: the nodes that this stands for, but the last."""

    source: str
    low: float
    high: float
    replaced: frozenset[str]


@dataclass(frozen=True)
class Epilogue:
    """All nodes of a region's body between the anchor's result and the region's output, up to ``result`` and to what is summed."""

    body: Graph
    start: str
    result: str
    operands: tuple[EpilogueOperand, ...]
    sums: tuple[ChannelSum, ...] = ()

    @property
    def is_identity(self) -> bool:
        return {self.start} == {self.result, *(s.source for s in self.sums)}

    @property
    def texts(self) -> tuple[OperandText, ...]:
        """Its operands for a template."""
        return tuple(o.text for o in self.operands)

    @property
    def stem(self) -> str:
        """Names of its ops for the kernel's name: ``add_relu``."""
        return "_".join(n.op for n in self._nodes())

    @cached_property
    def signature(self) -> tuple[Hashable, ...]:
        """What decides the traced text beside the names given to ``trace``: equal signatures trace to equal statements."""
        known = {self.start: 0, **{e.value: i + 1 for i, e in enumerate(self.operands)}}
        steps: list[Hashable] = [self.body.type_of(self.start).dtype, *((e.name, e.kind, e.lane_stride, e.dtype) for e in self.operands)]
        for node in self._nodes():
            operands: list[Hashable] = []
            for value in node.inputs:
                literal = None if value in known else (self.body.producer(value).attrs["value"], self.body.type_of(value).dtype)
                operands.append(known.get(value, literal))
            known[node.name] = len(known)
            steps.append((node.op, node.attrs, tuple(operands)))
        return (*steps, known[self.result], tuple((known[s.source], s.spread) for s in self.sums))

    def _nodes(self) -> list:
        return self._ordered

    @cached_property
    def _ordered(self) -> list:
        nodes = self.body.nodes
        position = {n.name: i for i, n in enumerate(nodes)}
        wanted, stack = set(), [self.result, *(s.source for s in self.sums)]
        while stack:
            node = self.body.producer(stack.pop())
            if node.name in wanted or node.name == self.start or node.op in ("input", "constant"):
                continue
            wanted.add(node.name)
            stack.extend(node.inputs)
        return [nodes[position[n]] for n in sorted(wanted, key=position.__getitem__)]

    def _stores_clamped(self, node: Node) -> bool:
        """Whether a node makes bytes of numbers that were put between the smallest and the largest byte."""
        if node.op != "cast" or node.type.dtype not in BYTE_LIMITS:
            return False
        clamp = self.body.producer(node.inputs[0])
        return clamp.op == "clamp" and _holds(node.type.dtype, clamp.attrs["low"], clamp.attrs["high"])

    @cached_property
    def _stored_whole(self) -> _WholeBytes | None:
        """How a result in bytes is whole before whole limits. None where it is not, was not float32, or is read elsewhere."""
        cast = self.body.producer(self.result)
        if not self._stores_clamped(cast):
            return None
        clamp = self.body.producer(cast.inputs[0])
        whole = self.body.producer(clamp.inputs[0])
        read_once = all(self._readers(node) == 1 for node in (clamp, whole)) and self._readers(cast) == 0
        low, high = float(clamp.attrs["low"]), float(clamp.attrs["high"])
        if clamp.type.dtype is not DType.F32 or not read_once or not self._is_whole(whole) or not (low.is_integer() and high.is_integer()):
            return None
        rounds = whole.op == "round"
        source = whole.inputs[0] if rounds else whole.name
        return _WholeBytes(source, low, high, frozenset({clamp.name, whole.name} if rounds else {clamp.name}))

    def _readers(self, node: Node) -> int:
        return sum(node.name in n.inputs for n in self._nodes()) + sum(s.source == node.name for s in self.sums)

    def _is_whole(self, node: Node) -> bool:
        """Whether a node rounds, or adds a whole number to what was rounded."""
        if node.op != "add":
            return node.op == "round"
        literals = [self.body.producer(value) for value in node.inputs]
        return {n.op for n in literals} == {"round", "constant"} and all(
            bool((n.attrs["value"].value % 1 == 0).all()) for n in literals if n.op == "constant"
        )

    def _is_rounded_again(self, node: Node, dtype: DType) -> bool:
        """Whether limits are all that a value of float32 meets before its only reader rounds it to a type that they are numbers of: limits
        of what was rounded before are then the same as what is rounded within them."""
        while True:
            users = [n for n in self._nodes() if node.name in n.inputs]
            if len(users) != 1 or node.name == self.result:
                return False
            (node,) = users
            if node.op == "cast":
                return node.type.dtype is dtype
            limits = [node.attrs[name] for name in ("low", "high")] if node.op == "clamp" else []
            if node.op != "relu" and not (limits and all(v is None or is_representable(v, dtype) for v in limits)):
                return False

    def _is_rounded_as_stored(self, node: Node) -> bool:
        """Whether a node rounds float32 to what is stored and to nothing else: the store rounds."""
        if node.op != "cast" or node.name != self.result or node.type.dtype not in NARROW_FLOATS:
            return False
        read = any(node.name in n.inputs for n in self._nodes()) or any(s.source == node.name for s in self.sums)
        return self.body.type_of(node.inputs[0]).dtype is DType.F32 and not read

    def trace(
        self, accumulator: str, load: Callable[[EpilogueOperand], str], prefix: str, stored: bool = True
    ) -> tuple[list[str], str]:  # fmt: skip
        """C statements for one vector, and the name of the result."""
        lines, (result, *_) = self.trace_all(accumulator, load, prefix, stored)
        return lines, result

    def trace_all(
        self, accumulator: str, load: Callable[[EpilogueOperand], str], prefix: str, stored: bool = True
    ) -> tuple[list[str], list[str]]:  # fmt: skip
        """C statements for one vector, and the names of the result and of what is summed.

        accumulator: C variable of the anchor's result. load: operand → C text of its vector (a hoisted variable, or
        ``operand.load(address)``).
        prefix: makes the temporaries' names unique, e.g. ``a0_3_``. stored: whether the result is stored as its type, and no more.
        """
        emitter = Emitter(vector=True, prefix=prefix)
        values = {self.start: emitter.load(accumulator, self.body.type_of(self.start).dtype)}
        for operand in self.operands:
            hold = emitter.let if operand.kind == "tile" else emitter.load
            values[operand.value] = hold(load(operand), operand.dtype)
        loaded = {operand.value for operand in self.operands}
        whole = self._stored_whole if stored else None
        for node in self._nodes():
            if whole and node.name in whole.replaced:
                continue
            if whole and node.name == self.result:
                values[node.name] = emitter.nearest_byte(values[whole.source], node.type.dtype, whole.low, whole.high)
                continue
            operands = []
            for value in node.inputs:
                if value not in values:
                    literal = self.body.producer(value).attrs["value"].value
                    values[value] = emitter._literal(literal.item(), self.body.type_of(value).dtype)
                operands.append(values[value])
            if node.op == "cast" and operands[0].dtype in NARROW_FLOATS and node.inputs[0] not in loaded:
                wide = operands[0]  # who asks for float32 gets what was rounded
                if not self._is_rounded_again(node, wide.dtype):
                    operands = [emitter.let(rounded(wide.dtype, wide.text, result=True), wide.dtype)]
            if node.name == self.result and self._stores_clamped(node):
                values[node.name] = replace(emitter.apply("cast", Attrs({"dtype": DType.I32}), operands), dtype=node.type.dtype)
                continue  # what is stored as bytes need not be wrapped around to bytes before
            if stored and self._is_rounded_as_stored(node):
                values[node.name] = replace(operands[0], dtype=node.type.dtype)
                continue
            values[node.name] = emitter.apply(node.op, node.attrs, operands)
        return emitter.lines, [values[v].text for v in (self.result, *(s.source for s in self.sums))]


def _holds(dtype: DType, low: Any, high: Any) -> bool:
    """Whether numbers between limits are bytes."""
    least, most = BYTE_LIMITS[dtype]
    return low is not None and high is not None and least <= low <= high <= most


def make_epilogue(lowering: Lowering, start: str, result: str | None = None, *, channel_axis: int, block: int = 0,
                  dtypes: Sequence[DType] = (DType.F32,), sums: tuple[ChannelSum, ...] = ()) -> Epilogue:  # fmt: skip
    """The epilogue from value ``start`` to ``result`` (default: the region's output).

    channel_axis: the storage dimension of which the vector axis is a part (blocked: 1, the last dimension holds its lanes; plain: the
    last). block: lanes of a blocked result, 0 for a plain one. Constant operands that vary only along the channels are packed, padded to
    the lanes. dtypes: types of operands that the kernel loads. sums: of values that are computed on the way, or from what is.
    Scalar constants inside the body become literals.
    """
    result = result or lowering.output
    body = lowering.body
    probe = Epilogue(body, start, result, (), sums)
    operands: list[EpilogueOperand] = []
    shape = storage_shape(lowering, result)
    for value in dict.fromkeys(v for n in probe._nodes() for v in n.inputs):
        producer = body.producer(value)
        if value == start or producer.op not in ("input",):
            continue
        dtype = body.type_of(value).dtype
        if dtype not in dtypes:
            raise SolError(f"epilogue operand %{value} of region {lowering.region.name} is {dtype}, not {dtypes[0]}")
        operands.append(_operand(lowering, f"e{len(operands)}", value, result, shape, channel_axis, block))
    return Epilogue(body, start, result, tuple(operands), sums)


def _operand(
    lowering: Lowering, name: str, value: str, result: str, shape: tuple[DimLike, ...], channel_axis: int, block: int
) -> EpilogueOperand:
    type, out = lowering.type_of(value), lowering.type_of(result)
    logical = (1,) * (out.rank - type.rank) + type.shape
    axis = channel_axis if block else out.rank - 1
    varies = [i for i, s in enumerate(logical) if s != 1]
    if lowering.is_constant(value) and varies == [axis]:
        lanes = block or lowering.target.lanes
        view = lowering.weight(value, "channels", block=lanes)
        strides: list[DimLike] = [0] * len(shape)
        strides[-1] = 1
        if block:
            strides[channel_axis] = block
        return EpilogueOperand(name, value, view, tuple(strides), "channel")
    view = lowering.view(value)
    strides = [0 if size == 1 else s for s, size in zip(operand_strides(view, shape, block), shape)]
    if strides[-1] not in (0, 1):
        raise SolError(f"epilogue operand %{value} of region {lowering.region.name} has lane stride {strides[-1]}")
    inner = strides[channel_axis + 1 : -1] if block else strides[:-1]
    if all(s == 0 for s in strides):
        kind = "scalar"
    elif all(s == 0 for s in inner):
        kind = "channel"
    else:
        kind = "tile"
    return EpilogueOperand(name, value, view, tuple(strides), kind)


def storage_shape(lowering: Lowering, value: str) -> tuple[DimLike, ...]:
    """The storage dimensions of a value: logical ones, or ``(N, C/c, *spatial, c)``."""
    type = lowering.type_of(value)
    block = type.layout.block
    if not block:
        return type.shape
    return (type.shape[0], (type.shape[1] + block - 1) // block, *type.shape[2:], block)


__all__ = ["Epilogue", "EpilogueOperand", "c_float", "make_epilogue", "storage_shape"]
