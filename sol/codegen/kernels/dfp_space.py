"""The iteration space of a memory-bound kernel: its axes, merged where memory allows, and where every tensor lies along them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sol.codegen.lowering import Lowering, operand_strides
from sol.codegen.plan import View
from sol.errors import SolError, UnsupportedError
from sol.ir.dim import DimLike, dim_text
from sol.ir.types import DType, TensorType

LANE_TYPES = (DType.F32, DType.BOOL)
FEW = 4  # elements apart: vectors of such elements are picked out of whole vectors


@dataclass(frozen=True)
class Pointer:
    """A tensor of the kernel: its name in C and its element strides along the axes of the space, 0 where it does not vary."""

    name: str
    value: str
    view: View
    strides: tuple[DimLike, ...]
    writes: bool = False


@dataclass(frozen=True)
class Axis:
    """One loop: how often, whether it is reduced away, and the stride of every tensor by name."""

    size: DimLike
    reduced: bool
    strides: dict[str, DimLike]

    def stride(self, name: str) -> DimLike:
        return self.strides.get(name, 0)

    @property
    def is_unit(self) -> bool:
        """Every tensor is contiguous or constant along it."""
        return all(map(self.is_unit_of, self.strides))

    def is_unit_of(self, name: str) -> bool:
        """A tensor is contiguous or constant along it."""
        return _is(self.stride(name), 0) or _is(self.stride(name), 1)


def _is(value: DimLike, number: int) -> bool:
    return isinstance(value, int) and value == number


def make_axes(shape: Sequence[DimLike], reduced: Iterable[int], pointers: Sequence[Pointer], channel: bool = False) -> list[Axis]:
    """The axes of a storage shape, size 1 left out.

    channel: adds a tensor ``channel`` whose offset is the number of the channel of lane 0 (blocked shapes).
    """
    away = set(reduced)
    axes = []
    for i, size in enumerate(shape):
        if _is(size, 1):
            continue
        strides = {p.name: p.strides[i] for p in pointers}
        if channel:
            strides["channel"] = shape[-1] if i == 1 else int(i == len(shape) - 1)
        axes.append(Axis(size, i in away, strides))
    return axes


def merge(axes: Sequence[Axis]) -> list[Axis]:
    """Neighbours become one axis where that is the same walk through memory for every tensor."""
    merged: list[Axis] = []
    for axis in axes:
        last = merged[-1] if merged else None
        if last and last.reduced == axis.reduced and all(last.stride(n) == s * axis.size for n, s in axis.strides.items()):
            merged[-1] = replace(axis, size=last.size * axis.size)
        else:
            merged.append(axis)
    return merged


def order_by(axes: Sequence[Axis], names: Sequence[str]) -> list[Axis]:
    """Axes with the largest stride of the first tensor outermost; axes whose order only run time can tell stay as they are."""
    result: list[Axis] = []
    for axis in axes:
        at = len(result)
        while at and _is_outside(axis, result[at - 1], names):
            at -= 1
        result.insert(at, axis)
    return result


def _is_outside(a: Axis, b: Axis, names: Sequence[str]) -> bool:
    for name in names:
        x, y = a.stride(name), b.stride(name)
        if _is(x, 0) or _is(y, 0) or x == y:
            continue
        try:
            return x > y
        except SolError:
            return False
    return False


class Space:
    """Numbered axes with C text for sizes, strides and offsets, and the run-time parameters these need."""

    def __init__(self, axes: Sequence[Axis]) -> None:
        self.axes = list(axes)
        self.params: dict[str, DimLike] = {}

    def size(self, i: int) -> str:
        """C text of the number of steps."""
        name = f"n{i}"
        self.params[name] = self.axes[i].size
        return name

    def stride(self, name: str, i: int) -> str:
        """C text of a tensor's stride: 0 and 1 are literal, others parameters."""
        value = self.axes[i].stride(name)
        if _is(value, 0) or _is(value, 1):
            return str(value)
        if name == "channel":
            return "LANES"
        self.params[f"s_{name}_{i}"] = value
        return f"s_{name}_{i}"

    def lane_stride(self, name: str) -> str:
        """As ``stride`` along the innermost axis; -1 and small ones are literal, too, since vectors are loaded in other ways for them."""
        value = self.axes[-1].stride(name)
        return str(value) if isinstance(value, int) and -1 <= value <= FEW else self.stride(name, len(self.axes) - 1)

    def offset(self, name: str, indices: Iterable[int]) -> str:
        """C text of the elements from the start to index ``i<axis>`` of the given axes."""
        terms = []
        for i in indices:
            stride = self.stride(name, i)
            if stride != "0":
                terms.append(f"i{i}" if stride == "1" else f"i{i} * {stride}")
        return " + ".join(terms) or "0"

    def product(self, indices: Iterable[int]) -> str:
        return " * ".join(self.size(i) for i in indices) or "1"


def locate(
    lowering: Lowering, name: str, value: str, type: TensorType, shape: Sequence[DimLike], block: int, squeezed: Sequence[int] = ()
) -> Pointer:
    """A body input as a tensor of the space.

    type: logical type of the full space; shape: its storage shape; block: its channel block.
    squeezed: logical dimensions that are missing in the operand's shape (it belongs to a reduced value without them).
    """
    mine = lowering.type_of(value)
    if squeezed:
        kept = [i for i in range(type.rank) if i not in squeezed]
        view, pad = lowering.view(value), len(kept) - mine.rank
        if block or view.layout.block:
            raise UnsupportedError(
                f"operand %{value} of a reduced blocked value",
                origin=str(lowering.region.origin),
                remedy="keep the reduced dimensions (keepdims=True)",
            )
        strides: list[DimLike] = [0] * len(shape)
        for axis, size, stride in zip(kept[pad:], mine.shape, view.strides):
            strides[axis] = 0 if _is(size, 1) else stride
        return Pointer(name, value, view, tuple(strides))
    if block and not mine.layout.block and lowering.is_constant(value) and mine.rank >= type.rank - 1:
        channels = mine.shape[1 - type.rank] if mine.rank > type.rank - 2 else 1
        if not _is(channels, 1):
            return _packed(lowering, name, value, mine, type, shape, block)
    view = lowering.view(value)
    return Pointer(name, value, view, operand_strides(view, shape, block))


def _packed(lowering: Lowering, name: str, value: str, mine: TensorType, type: TensorType, shape: Sequence[DimLike], block: int) -> Pointer:
    logical = (1,) * (type.rank - mine.rank) + mine.shape
    storage = (logical[0], (logical[1] + block - 1) // block, *logical[2:], block)
    view = lowering.weight(value, "blocked", block=block, rank=type.rank)
    strides: list[DimLike] = []
    step: DimLike = 1
    for size in reversed(storage):
        strides.insert(0, 0 if _is(size, 1) else step)
        step = step * size
    if _is(storage[1], 1) and not _is(shape[1], 1):
        raise UnsupportedError(
            f"%{value} has {dim_text(logical[1])} channels, the result more blocks",
            origin=str(lowering.region.origin),
            remedy="report this: a pass formed a wrong region",
        )
    return Pointer(name, value, view, tuple(strides))


def result_strides(view: View, type: TensorType, shape: Sequence[DimLike], block: int, squeezed: Sequence[int] = ()) -> tuple[DimLike, ...]:
    """Strides of an output along the storage axes of the space; ``squeezed`` logical dimensions are missing in it."""
    if view.layout.block or not block:
        strides = list(view.strides)
        for i in squeezed:
            strides.insert(i, 0)
        return tuple(0 if _is(size, 1) and not _is(o, 1) else s for s, size, o in zip(strides, _spread(view.shape, squeezed), shape))
    logical = list(view.strides)
    for i in squeezed:
        logical.insert(i, 0)
    sizes = _spread(view.shape, squeezed)
    logical = [int(i == 1) if _is(size, 1) else s for i, (s, size) in enumerate(zip(logical, sizes))]  # one channel is still one lane
    return (logical[0], logical[1] * block, *logical[2:], logical[1])


def _spread(shape: Sequence[DimLike], squeezed: Sequence[int]) -> tuple[DimLike, ...]:
    sizes = list(shape)
    for i in squeezed:
        sizes.insert(i, 1)
    return tuple(sizes)
