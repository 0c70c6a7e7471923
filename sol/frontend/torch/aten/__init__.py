"""Converters from ATen ops to sol's ops: the registry, and what a converter sees of the import.

A converter is called as ``converter(ctx, *args, **kwargs)`` with the ATen op's own arguments: tensors are values (str), sizes are
ints or Dims, lists are tuples. It returns one value, or a tuple with ``None`` for results nobody reads. It raises `Fallback`
for options it does not convert; the op then runs in torch.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

import torch
from torch._subclasses.fake_tensor import FakeTensor

from sol.errors import UnsupportedError
from sol.frontend.context import GraphContext, Item
from sol.frontend.torch.layouts import draws
from sol.frontend.torch.symbols import Sizes
from sol.frontend.torch.torch_call import TorchCall
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, DimLike, FloorDiv, Maximum, symbols
from sol.ir.graph import Origin
from sol.ir.lanes import NARROW_FLOATS
from sol.ir.types import DType, TensorType

Converter = Callable[..., Any]
CONVERTERS: dict[str, Converter] = {}


class Fallback(Exception):
    """This use of an op is not converted; the message is the reason that `sol.explain` shows."""


def converter(*targets: str, namespace: str = "aten") -> Callable[[Converter], Converter]:
    """Register a function as converter of overloads, e.g. ``"relu.default"``; ``relu_`` is found through ``relu``."""

    def add(function: Converter) -> Converter:
        for target in targets:
            CONVERTERS[f"{namespace}.{target}"] = function
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
    torch.uint8: DType.U8, torch.uint16: DType.U16, torch.uint32: DType.U32, torch.uint64: DType.U64, torch.bool: DType.BOOL,
    torch.float8_e4m3fn: DType.F8E4M3FN, torch.float8_e4m3fnuz: DType.F8E4M3FNUZ,
    torch.float8_e5m2: DType.F8E5M2, torch.float8_e5m2fnuz: DType.F8E5M2FNUZ,
    torch.complex32: DType.C32, torch.complex64: DType.C64, torch.complex128: DType.C128,
    torch.qint8: DType.QI8, torch.quint8: DType.QU8, torch.qint32: DType.QI32,
}  # fmt: skip
TORCH_DTYPES = {ours: theirs for theirs, ours in DTYPES.items()}


def dtype_of(dtype: torch.dtype) -> DType:
    """sol's dtype for torch's; UnsupportedError for those that few operations know, such as integers of less than 8 bits."""
    try:
        return DTYPES[dtype]
    except KeyError:
        raise UnsupportedError(f"tensors of {dtype} are not supported", remedy='use fallback="eager"') from None


class Context(GraphContext):
    """What a converter sees: the builder, the node being converted, and its expected result."""

    def __init__(self, builder: GraphBuilder, sizes: Sizes) -> None:
        super().__init__(builder)
        self.sizes = sizes
        self.numbers: dict[str, str] = {}  # symbol that is a number among the arguments → its 0-d value
        self.contents: dict[str, torch.Tensor] = {}  # target of a parameter → the module's tensor, where the import has it
        self.zeros: dict[str, None] = {}  # targets of those that the graph takes to be zero
        self.torch_calls: dict[str, TorchCall] = {}  # key of a ``torch_call`` node → what to run
        self.node: torch.fx.Node = None  # type: ignore[assignment]

    def operand(self, value: Any, dtype: DType) -> str:
        """As for any framework; numbers among the arguments come in as tensors."""
        if isinstance(value, Dim) and any(s.name in self.numbers for s in symbols(value)):
            return self.cast(self._computed(value), dtype)
        return super().operand(value, dtype)

    def rounded(self, value: Any, dtype: DType) -> str:
        """An operand as tensors of a type hold it: sums take a number in float32, comparisons meet rounded elements."""
        literal = self.builder.node(value) if isinstance(value, str) else None
        if dtype not in NARROW_FLOATS or (literal and (literal.op != "constant" or literal.type.shape)):
            return self.operand(value, dtype)
        if literal:
            value = literal.attrs["value"].value.item()
        return self.operand(float(torch.tensor(value, dtype=TORCH_DTYPES[dtype])) if isinstance(value, (int, float)) else value, dtype)

    def filled(self, number: Any, shape: Sequence[DimLike], dtype: DType) -> str:
        """A tensor of one repeated number, as tensors of the type hold it."""
        return self.expand(self.rounded(number, dtype), shape)

    def relies_on_zeros(self, target: str) -> bool:
        """Whether a parameter is zero now: the graph may then leave it out, and holds only as long as it stays so."""
        tensor = self.contents.get(target)
        if tensor is None or isinstance(tensor, FakeTensor) or tensor.device.type != "cpu" or bool(torch.any(tensor != 0)):
            return False
        self.zeros[target] = None
        return True

    def _computed(self, value: DimLike) -> str:
        """A size as a 0-d int64 value that is computed from the numbers in it."""
        if not isinstance(value, Dim):
            return super().operand(value, DType.I64)
        terms = []
        for monomial, coefficient in value.terms:
            factors = [self._factor(atom) for atom in monomial]
            if coefficient != 1 or not factors:
                factors.append(self.constant(coefficient, DType.I64))
            terms.append(functools.reduce(lambda a, b: self.add("mul", a, b), factors))
        return functools.reduce(lambda a, b: self.add("add", a, b), terms)

    def _factor(self, atom: Any) -> str:
        if isinstance(atom, FloorDiv):
            return self.add("floor_divide", self._computed(atom.numerator), self._computed(atom.denominator))
        if isinstance(atom, Maximum):
            return self.add("maximum", self._computed(atom.a), self._computed(atom.b))
        return self.numbers.get(atom.name) or super().operand(Dim(((((atom,)), 1),)), DType.I64)

    def cast(self, value: str, dtype: DType) -> str:
        """As torch converts: only to float8_e4m3fn, which has no infinity, does it saturate."""
        if dtype is DType.F8E4M3FN and self.type(value).dtype is not dtype:
            return self.add("cast_saturated", value, dtype=dtype)
        return super().cast(value, dtype)

    def begin(self, node: torch.fx.Node, origin: Origin) -> None:
        """Set the node that is converted next."""
        self.node, self.origin, self.hint = node, origin, node.name

    @property
    def operation(self) -> str:
        """Name of torch's operation that is converted."""
        return getattr(self.node.target, "_opname", self.node.name)

    def call_torch(self, call: TorchCall, inputs: Sequence[str], types: Sequence[TensorType], reason: str) -> tuple[str, ...]:
        """Append a call of torch, which ``sol.explain`` gives this reason for; its values."""
        key = self.hint
        while key in self.torch_calls:
            key += "_"
        self.torch_calls[key] = call
        found = self.add("torch_call", *inputs, key=key, types=tuple(types), reason=reason, draws=draws(call.target))
        return (found,) if isinstance(found, str) else found

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

    def fail(self, reason: str, remedy: str = "") -> NoReturn:
        raise Fallback(reason)

    # torch's rules

    def promoted(self, *operands: Any) -> DType:
        """The dtype torch computes in for these operands (tensor values and numbers)."""
        types = [self.type(o).dtype for o in operands if isinstance(o, str)]
        numbers = [o for o in operands if not isinstance(o, str)]
        first = types[0]
        if all(t is first for t in types):
            if all(first.is_float or (first.is_int and not isinstance(self._like(n), float)) for n in numbers):
                return first
        metas = [
            torch.empty((1,) * len(self.size(o)), dtype=TORCH_DTYPES[self.type(o).dtype], device="meta") if isinstance(o, str)
            else self._like(o)
            for o in operands
        ]  # fmt: skip
        if len(metas) == 1:
            return first
        return dtype_of(torch.result_type(metas[0], metas[1]))

    def _like(self, number: Any) -> Any:
        """A number of the same kind: that of a `Dim` or `Item` is known only at run time."""
        if isinstance(number, Item):
            dtype = self.type(number.value).dtype
            return 1.0 if dtype.is_float else True if dtype is DType.BOOL else 1
        return 1 if isinstance(number, Dim) else number


FAMILIES = (
    "attention", "bags", "conv", "conv_backward", "distance", "draw", "grouped", "image", "loss", "matmul", "move", "norm", "pad_grads",
    "pointwise", "pool", "quantize", "quantized", "recurrent", "reduce", "resample", "resample_grads", "resample_smooth",
    "scatter", "sort", "source", "special", "strided", "view", "weight_only", "windows",
)  # fmt: skip
for _family in FAMILIES:  # each registers its converters
    import_module(f"sol.frontend.torch.aten.{_family}")
