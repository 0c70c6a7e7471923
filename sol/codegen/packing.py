"""How constants are laid out for kernels: packers, each of which says what shape the packed array has and which kernels write it.

The kernels are C made from templates like any other (``codegen/packers``). They are launched by a team of threads when weights change
(``sol.runtime.packers``) and take all sizes as run-time arguments, lanes of the target included, so that a few of them serve every network
and every target.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from sol.codegen.plan import BufferRef, Kernel, Launch, Pack
from sol.errors import SolError
from sol.ir.graph import Attrs, Origin

Shape = tuple[int, ...]
SOURCE, FACTOR, RESULT, NOTHING = "in", "factor", "out", ""
"""Buffers of packing launches: the constant (row-major, elements as C reads them), what its rows are multiplied by, the packed array."""

STREAM = "stream"
"""The last number that some kernels take, given when they are launched: whether what they write shall not stay in caches."""


@dataclass(frozen=True)
class Turned:
    """How a constant w[C, K/groups, *kernel] is read as the filters [K, C/groups, *taps] (op ``turned_filters``).

    taps: for every spatial dimension the first, the step to the next, their number. kernel: spatial sizes of the constant.
    """

    groups: int
    taps: tuple[tuple[int, int, int], ...]
    kernel: tuple[int, ...]

    def places(self, d: int) -> np.ndarray:
        """For each tap of the constant along a spatial dimension its place among the filters' taps, -1 where it is none of them."""
        first, step, count = self.taps[d]
        found = np.full(self.kernel[d], -1)
        found[[first + step * t for t in range(count)]] = np.arange(count)
        return found

    def order(self) -> np.ndarray:
        """For each tap of the constant, row-major, its place among the filters' taps, row-major; -1 where it is none of them."""
        total = np.zeros(self.kernel, np.int64)
        for d, (_, _, count) in enumerate(self.taps):
            places = self.places(d).reshape([-1 if i == d else 1 for i in range(len(self.kernel))])
            total = np.where((total < 0) | (places < 0), -1, total * count + places)
        return total.reshape(-1)


@dataclass(frozen=True, eq=False)
class Packing:
    """How one constant is packed.

    shape: of the packed array, which has the element type of the constant. launches: one after the other. They leave padding as it is,
    which is zero at first. Their buffers are the constant, the packed array, FACTOR, NOTHING (a null pointer), tables and temporaries.
    tables: numbers by name. temporaries: bytes by name, equal for equal launches on the same constant.
    scales: whether row r of the constant's first dimension can be multiplied by FACTOR[r] (float32) meanwhile.
    turns: whether a constant that is to be read as turned filters can be packed as it is. fills: whether there is no padding.
    """

    shape: Shape
    kernels: Mapping[str, Kernel]
    launches: tuple[Launch, ...]
    tables: Mapping[str, np.ndarray]
    temporaries: Mapping[str, int]
    scales: bool
    turns: bool
    fills: bool


_distinct: WeakValueDictionary[tuple[str, Shape, bytes], np.ndarray] = WeakValueDictionary()


class Recipe:
    """Collects the launches of one packing. shape: of the constant; itemsize: bytes of an element.

    turned: how the memory of the constant is to be read, if it is not row-major in this shape. turns: whether the launches do that.
    """

    def __init__(self, kind: str, shape: Shape, itemsize: int, turned: Turned | None = None) -> None:
        self.kind, self.shape, self.itemsize, self.turned = kind, shape, itemsize, turned
        self.scales = self.turns = True
        self.written = 0  # bytes of the packed array
        self._source, self._waits = SOURCE, False
        self._kernels: dict[str, Kernel] = {}
        self._launches: list[Launch] = []
        self._tables: dict[str, np.ndarray] = {}
        self._temporaries: dict[str, int] = {}

    @property
    def taps(self) -> int:
        """Elements behind the first two dimensions."""
        return count(self.shape[2:])

    def table(self, numbers: np.ndarray) -> str:
        """A buffer that holds these numbers, the same one for equal numbers of any packing."""
        name = f"table{len(self._tables)}"
        numbers = np.ascontiguousarray(numbers)
        self._tables[name] = _distinct.setdefault((numbers.dtype.str, numbers.shape, numbers.tobytes()), numbers)
        return name

    def temporary(self, name: str, size: int) -> str:
        """A buffer of so many bytes."""
        self._temporaries[name] = size
        return name

    def round(self) -> None:
        """What follows reads the constant, float32, rounded to bfloat16."""
        temporary = self.temporary("rounded", 2 * count(self.shape))
        self.launch(ROUND, [SOURCE, temporary], [count(self.shape)], turns=True)
        self.itemsize = 2
        self.read_from(temporary)

    def read_from(self, temporary: str) -> None:
        """What follows reads a temporary that earlier launches have written instead of the constant."""
        self._source, self._waits = temporary, True

    def launch(
        self, kernel: Kernel, buffers: Sequence[str | tuple[str, int]], args: Sequence[int], *, after: bool = False, scratch: int = 0,
        turns: bool = False,
    ) -> None:  # fmt: skip
        """Launch a kernel. buffers: names, with bytes from their start. args: its numbers but for STREAM. after: it reads what an earlier
        launch writes. turns: it reads the constant as ``turned`` says.
        """
        refs = tuple(BufferRef(*((b, 0) if isinstance(b, str) else b)) for b in buffers)
        if len(refs) != len(kernel.buffers) or len(args) + kernel.params.count(STREAM) != len(kernel.params):
            raise SolError(f"the packer {self.kind} calls {kernel.name} with {len(refs)} buffers and {len(args)} numbers")
        self.turns &= turns or self.turned is None or all(ref.buffer != SOURCE for ref in refs)
        refs = tuple(BufferRef(self._source, r.offset) if r.buffer == SOURCE else r for r in refs)
        self._kernels[kernel.name] = kernel
        self._launches.append(Launch(kernel.name, refs, tuple(args), self.kind, Origin(), scratch=scratch, barrier=after or self._waits))
        self._waits = False

    def packing(self, shape: Shape) -> Packing:
        """What was collected."""
        fills = self.written == count(shape) * self.itemsize
        return Packing(shape, self._kernels, tuple(self._launches), self._tables, self._temporaries, self.scales, self.turns, fills)


ROUND = Kernel("pack_round", "pack_round.c.j2", Attrs({}), (("in", "const float"), ("out", "uint16_t")), ("count",))


@dataclass(frozen=True)
class Packer:
    """A way to lay out constants.

    shape: ``shape(constant's shape, **attrs)`` is that of the packed array. describe: ``describe(recipe, **attrs)`` says how it is written.
    floats: whether it takes float32 alone. rounds: whether ``describe`` takes float32 that is to be rounded to bfloat16, and ``crossed``,
    too.
    """

    shape: Callable[..., Shape]
    describe: Callable[..., None]
    floats: bool = False
    rounds: bool = False


PACKERS: dict[str, Packer] = {}


def packer(
    kind: str, shape: Callable[..., Shape], *, floats: bool = False, rounds: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorator that registers a function as ``Packer.describe``."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        if kind in PACKERS:
            raise SolError(f"packer {kind} is registered twice")
        PACKERS[kind] = Packer(shape, function, floats, rounds)
        return function

    return add


def _find(kind: str) -> Packer:
    if kind not in PACKERS:
        import_module("sol.codegen.packers")
    if kind not in PACKERS:
        raise SolError(f"unknown packer {kind}")
    return PACKERS[kind]


def make_pack(kind: str, **attrs: Any) -> Pack:
    """A Pack with its packer's existence checked."""
    _find(kind)
    return Pack(kind, Attrs(attrs))


def packed_shape(pack: Pack, shape: Shape) -> Shape:
    """The shape of the packed array of a constant of this shape."""
    return _find(pack.kind).shape(shape, **pack.attrs)


def packing_of(pack: Pack, shape: Shape, dtype: np.dtype, turned: Turned | None = None, rounded: bool = False,
               crossed: bool = False) -> Packing:  # fmt: skip
    """How a constant of this shape and element type is packed. Raises SolError for a type that the packer does not take.

    turned: how its memory is to be read, if it is not row-major; only where the answer ``turns``.
    rounded: the constant is float32, and its numbers are rounded to bfloat16 before they are packed. crossed: its memory is that of the
    matrix's transpose.
    """
    found = _find(pack.kind)
    if found.floats and (rounded or dtype != np.float32):
        raise SolError(f"the packer {pack.kind} takes float32, not {dtype}")
    recipe = Recipe(pack.kind, shape, dtype.itemsize, turned)
    recipe.scales = dtype == np.float32 and not rounded
    packed = found.shape(shape, **pack.attrs)
    if count(packed) and count(shape):
        if rounded and found.rounds:
            found.describe(recipe, crossed=crossed, **pack.attrs)
            return recipe.packing(packed)
        if rounded:
            recipe.round()
        if crossed:
            import_module("sol.codegen.packers").cross(recipe)
        found.describe(recipe, **pack.attrs)
    return recipe.packing(packed)


described = functools.lru_cache(maxsize=1024)(packing_of)
"""``packing_of``, whose answers are kept: a training step packs the same constants again."""


def count(shape: Sequence[int]) -> int:
    """Elements of an array of this shape."""
    total = 1
    for size in shape:
        total *= size
    return total


def all_kernels() -> Iterator[Kernel]:
    """Every kernel that packs."""
    from sol.codegen.packers import KERNELS

    yield from KERNELS
