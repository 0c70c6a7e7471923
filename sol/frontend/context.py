"""What every converter sees of an import, whichever framework the model comes from: a builder with shorthands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, DimLike, product
from sol.ir.graph import Origin
from sol.ir.types import DType, TensorType


@dataclass(frozen=True, slots=True)
class Item:
    """A Python number that is known only at run time, held in a 0-d tensor value."""

    value: str


class GraphContext:
    """The builder, the place in the user's model that is being converted, and ways to append nodes that leave out what changes nothing."""

    def __init__(self, builder: GraphBuilder) -> None:
        self.builder = builder
        self.origin = Origin()
        self.hint = ""

    def fail(self, reason: str, remedy: str = "") -> NoReturn:
        """Raise that this use of an op is not converted."""
        raise UnsupportedError(reason, origin=str(self.origin), remedy=remedy)

    def add(self, op: str, *inputs: str, **attrs: Any) -> Any:
        """Append ``op(*inputs, **attrs)``; its value or tuple of values."""
        return self.builder.add(op, inputs, name=self.hint, origin=self.origin, **attrs)

    def type(self, value: str) -> TensorType:
        return self.builder.type_of(value)

    def size(self, value: str) -> tuple[DimLike, ...]:
        return self.builder.type_of(value).shape

    def rank(self, value: str) -> int:
        return len(self.builder.type_of(value).shape)

    def fixed(self, dims: Sequence[DimLike], what: str) -> tuple[int, ...]:
        """The sizes if all are fixed; fails otherwise."""
        if any(isinstance(d, Dim) for d in dims):
            self.fail(f"{what} depends on the input size")
        return tuple(int(d) for d in dims)  # type: ignore[arg-type]

    def constant(self, value: Any, dtype: DType) -> str:
        """A literal array or number of the given dtype."""
        if dtype.is_int and isinstance(value, float):
            value = int(value)
        with np.errstate(over="ignore"):
            return self.builder.constant(value, dtype)

    def operand(self, value: Any, dtype: DType) -> str:
        """A tensor value, number or size as an operand of ``dtype``."""
        if isinstance(value, str):
            return self.cast(value, dtype)
        if isinstance(value, Item):
            return self.cast(value.value, dtype)
        if isinstance(value, Dim):
            one = self.add("iota", size=1, start=value, step=1, dtype=DType.I64)
            return self.cast(self.add("reshape", one, shape=()), dtype)
        if isinstance(value, (bool, int, float)):
            return self.constant(value, dtype)
        self.fail(f"operand {value!r} is not converted")

    def cast(self, value: str, dtype: DType) -> str:
        return value if self.builder.type_of(value).dtype is dtype else self.add("cast", value, dtype=dtype)

    def reshape(self, value: str, shape: Sequence[DimLike]) -> str:
        shape = tuple(shape)
        return value if self.size(value) == shape else self.add("reshape", value, shape=shape)

    def permute(self, value: str, order: Sequence[int]) -> str:
        order = tuple(order)
        return value if order == tuple(range(len(order))) else self.add("permute", value, order=order)

    def expand(self, value: str, shape: Sequence[DimLike]) -> str:
        shape = tuple(shape)
        return value if self.size(value) == shape else self.add("expand", value, shape=shape)

    def slice(self, value: str, dim: int, start: DimLike, stop: DimLike, step: int = 1) -> str:
        if start == 0 and step == 1 and stop == self.size(value)[dim]:
            return value
        return self.add("slice", value, dim=dim, start=start, stop=stop, step=step)

    def concat(self, values: Sequence[str], dim: int) -> str:
        return values[0] if len(values) == 1 else self.add("concat", *values, dim=dim)

    def filled(self, number: Any, shape: Sequence[DimLike], dtype: DType) -> str:
        """A tensor of one repeated number."""
        return self.expand(self.operand(number, dtype), shape)

    @staticmethod
    def axis(dim: int, rank: int) -> int:
        """A dimension number made non-negative (a 0-d tensor counts as one dimension)."""
        return dim + max(rank, 1) if dim < 0 else dim

    def axes(self, dims: Any, rank: int) -> tuple[int, ...]:
        """Dimension numbers made non-negative and sorted; none given means all."""
        if dims is None or (isinstance(dims, tuple) and not dims):
            return tuple(range(rank))
        if isinstance(dims, int):
            dims = (dims,)
        return tuple(sorted(self.axis(d, rank) for d in dims)) if rank else ()

    def flat_places(self, indices: Sequence[str], sizes: Sequence[DimLike]) -> str:
        """Places in the flattened dimensions ``sizes`` for an index (int64) of each; beyond their end where one index is out of range."""
        zero, place, inside = self.operand(0, DType.I64), "", ""
        for index, size in zip(indices, sizes):
            count = self.operand(size, DType.I64)
            index = self.add("where", self.add("lt", index, zero), self.add("add", index, count), index)
            within = self.add("logical_and", self.add("ge", index, zero), self.add("lt", index, count))
            place = index if not place else self.add("add", self.add("mul", place, count), index)
            inside = within if not inside else self.add("logical_and", inside, within)
        return self.add("where", inside, place, self.operand(product(sizes), DType.I64))
