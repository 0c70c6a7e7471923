"""Converters from ATen ops to sol's ops: the registry, and what a converter sees of the import.

A converter is called as ``converter(ctx, *args, **kwargs)`` with the ATen op's own arguments: tensors are values (str), sizes are
ints or Dims, lists are tuples. It returns one value, or a tuple with ``None`` for results nobody reads. It raises `Fallback`
for options it does not convert; the op then runs in torch.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import torch

from sol.errors import UnsupportedError
from sol.frontend.symbols import Sizes
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, DimLike
from sol.ir.graph import Origin
from sol.ir.types import DType, TensorType

Converter = Callable[..., Any]
CONVERTERS: dict[str, Converter] = {}


class Fallback(Exception):
    """This use of an op is not converted; the message is the reason that `sol.explain` shows."""


def converter(*targets: str) -> Callable[[Converter], Converter]:
    """Register a function as converter of ATen overloads, e.g. ``"relu.default"``; ``relu_`` is found through ``relu``."""

    def add(function: Converter) -> Converter:
        for target in targets:
            CONVERTERS[f"aten.{target}"] = function
        return function

    return add


def find_converter(target: str) -> Converter | None:
    """The converter of ``aten.name.overload``; an in-place op takes that of its functional form."""
    found = CONVERTERS.get(target)
    if found is None and target.startswith("aten."):
        packet, _, overload = target[5:].partition(".")
        if packet.endswith("_") and not packet.endswith("__"):
            found = CONVERTERS.get(f"aten.{packet[:-1]}.{overload}")
        elif packet.startswith("__i") and packet.endswith("__"):
            found = CONVERTERS.get(f"aten.__{packet[3:-2]}__.{overload}")
    return found


DTYPES: dict[torch.dtype, DType] = {
    torch.float64: DType.F64, torch.float32: DType.F32, torch.float16: DType.F16, torch.bfloat16: DType.BF16,
    torch.int64: DType.I64, torch.int32: DType.I32, torch.int16: DType.I16, torch.int8: DType.I8,
    torch.uint8: DType.U8, torch.bool: DType.BOOL,
}  # fmt: skip
TORCH_DTYPES = {ours: theirs for theirs, ours in DTYPES.items()}


def dtype_of(dtype: torch.dtype) -> DType:
    """sol's dtype for torch's; UnsupportedError for complex, quantised and 8-bit floats."""
    try:
        return DTYPES[dtype]
    except KeyError:
        raise UnsupportedError(f"tensors of {dtype} are not supported", remedy='use fallback="eager"') from None


class Context:
    """What a converter sees: the builder, the node being converted, and its expected result."""

    def __init__(self, builder: GraphBuilder, sizes: Sizes) -> None:
        self.builder, self.sizes = builder, sizes
        self.origin = Origin()
        self.node: torch.fx.Node = None  # type: ignore[assignment]
        self.hint = ""

    def begin(self, node: torch.fx.Node, origin: Origin) -> None:
        """Set the node that is converted next."""
        self.node, self.origin, self.hint = node, origin, node.name

    # results that torch states

    def result(self, index: int = 0) -> TensorType:
        """Type of result ``index`` as torch's meta tensors have it."""
        value = self.node.meta["val"]
        if isinstance(value, (tuple, list)):
            value = value[index]
        return self.meta_type(value)

    @property
    def shape(self) -> tuple[DimLike, ...]:
        return self.result().shape

    @property
    def dtype(self) -> DType:
        return self.result().dtype

    def result_count(self) -> int:
        value = self.node.meta["val"]
        return len(value) if isinstance(value, (tuple, list)) else 1

    def meta_type(self, value: torch.Tensor) -> TensorType:
        """The type of a meta tensor."""
        return TensorType(dtype_of(value.dtype), self.sizes.shape(value.shape))

    def is_used(self, index: int) -> bool:
        """Whether anyone reads result ``index`` of a node with several results."""
        return any(u.users and u.args[1] == index if u.target is operator.getitem else True for u in self.node.users)

    # building

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
        """The sizes if all are fixed; Fallback otherwise."""
        if any(isinstance(d, Dim) for d in dims):
            raise Fallback(f"{what} depends on the input size")
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
        if isinstance(value, Dim):
            one = self.add("iota", size=1, start=value, step=1, dtype=DType.I64)
            return self.cast(self.add("reshape", one, shape=()), dtype)
        if isinstance(value, (bool, int, float)):
            return self.constant(value, dtype)
        raise Fallback(f"operand {value!r} is not converted")

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

    # torch's rules

    def promoted(self, *operands: Any) -> DType:
        """The dtype torch computes in for these operands (tensor values and numbers)."""
        types = [self.type(o).dtype for o in operands if isinstance(o, str)]
        numbers = [o for o in operands if not isinstance(o, str)]
        first = types[0]
        if all(t is first for t in types):
            if all(first.is_float or (first.is_int and not isinstance(n, float)) for n in numbers):
                return first
        metas = [
            torch.empty((1,) * len(self.size(o)), dtype=TORCH_DTYPES[self.type(o).dtype], device="meta") if isinstance(o, str)
            else (1 if isinstance(o, Dim) else o)
            for o in operands
        ]  # fmt: skip
        if len(metas) == 1:
            return first
        return dtype_of(torch.result_type(metas[0], metas[1]))

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


FAMILIES = ("attention", "conv", "matmul", "move", "norm", "pointwise", "pool", "recurrent", "reduce", "source", "view")
for _family in FAMILIES:  # each registers its converters
    import_module(f"sol.frontend.aten.{_family}")
