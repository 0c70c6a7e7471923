"""Pointwise references against torch, NaN, infinities and signs included."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from sol.frontend.torch.aten import TORCH_DTYPES
from sol.ir.ops.numpy_math import NUMPY, erf
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import DType, TensorType
from tests.ops.reference import ODD_VALUES, check, one_op_graph, randn, run_op

FLOATS = np.concatenate([ODD_VALUES, randn(40) * 3])
INTEGERS = np.array([-7, -2, -1, 0, 1, 2, 3, 9], np.int64)
BOOLS = np.array([True, False])

UNARY = {
    "neg": torch.neg,
    "abs": torch.abs,
    "exp": torch.exp,
    "expm1": torch.expm1,
    "log": torch.log,
    "log1p": torch.log1p,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "erf": torch.erf,
    "sin": torch.sin,
    "cos": torch.cos,
    "tan": torch.tan,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "round": torch.round,
    "trunc": torch.trunc,
    "sign": torch.sign,
    "square": torch.square,
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "logical_not": torch.logical_not,
    "silu": F.silu,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "mish": F.mish,
    "gelu": F.gelu,
    "gelu_slope": lambda x: torch.ops.aten.gelu_backward(torch.ones_like(x), x),
    "leaky_relu": F.leaky_relu,
    "elu": F.elu,
    "softplus": F.softplus,
    "asin": torch.asin,
    "acos": torch.acos,
    "atan": torch.atan,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
    "erfc": torch.erfc,
    "exp2": torch.exp2,
    "log2": torch.log2,
    "log10": torch.log10,
    "sinc": torch.sinc,
    "frac": torch.frac,
    "signbit": torch.signbit,
    "lgamma": torch.lgamma,
    "digamma": torch.digamma,
    "erfinv": torch.erfinv,
    "i0": torch.i0,
}
BINARY = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "pow": torch.pow,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "floor_divide": torch.floor_divide,
    "trunc_divide": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "atan2": torch.atan2,
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "le": torch.le,
    "gt": torch.gt,
    "ge": torch.ge,
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
    "hypot": torch.hypot,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "xlogy": torch.xlogy,
    "xlog1py": torch.special.xlog1py,
    "fmin": torch.fmin,
    "fmax": torch.fmax,
    "nextafter": torch.nextafter,
    "copysign": torch.copysign,
}
BITWISE = {"bitwise_and": torch.bitwise_and, "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor}
SHIFTS = {"shift_left": torch.bitwise_left_shift, "shift_right": torch.bitwise_right_shift}
INTEGER_UNARY = (
    "neg",
    "abs",
    "relu",
    "floor",
    "ceil",
    "round",
    "trunc",
    "sign",
    "square",
    "isnan",
    "isinf",
    "logical_not",
)
INTEGER_BINARY = ("add", "sub", "mul", "pow", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge", "logical_and")


@pytest.mark.parametrize("op", UNARY)
def test_unary_floats(op: str) -> None:
    check(op, UNARY[op], FLOATS)


@pytest.mark.parametrize("op", INTEGER_UNARY)
def test_unary_integers(op: str) -> None:
    check(op, UNARY[op], INTEGERS)


@pytest.mark.parametrize("op", BINARY)
def test_binary_floats(op: str) -> None:
    check(op, BINARY[op], FLOATS[:, None], FLOATS[None, :])


@pytest.mark.parametrize("op", INTEGER_BINARY)
def test_binary_integers(op: str) -> None:
    check(op, BINARY[op], INTEGERS[:, None], INTEGERS[None, :])


@pytest.mark.parametrize("op", ("floor_divide", "trunc_divide", "remainder", "fmod"))
def test_integer_division_by_nonzero(op: str) -> None:
    check(op, BINARY[op], INTEGERS[:, None], INTEGERS[INTEGERS != 0][None, :])


@pytest.mark.parametrize("op", ("add", "mul", "maximum", "minimum", "eq", "logical_xor"))
def test_binary_bools(op: str) -> None:
    check(op, BINARY[op], BOOLS[:, None], BOOLS[None, :])


@pytest.mark.parametrize("op", BITWISE)
@pytest.mark.parametrize("values", (INTEGERS, BOOLS), ids=("int", "bool"))
def test_bitwise(op: str, values: np.ndarray) -> None:
    check(op, BITWISE[op], values[:, None], values[None, :])


@pytest.mark.parametrize("values", (INTEGERS, BOOLS), ids=("int", "bool"))
def test_bitwise_not(values: np.ndarray) -> None:
    check("bitwise_not", torch.bitwise_not, values)


def test_gcd() -> None:
    check("gcd", torch.gcd, INTEGERS[:, None], np.array([0, 1, -6, 64], np.int64))


@pytest.mark.parametrize("op", SHIFTS)
def test_shifts(op: str) -> None:
    check(op, SHIFTS[op], INTEGERS[:, None], np.array([0, 1, 5, 63], np.int64))


@pytest.mark.parametrize(
    ("op", "attrs", "expected"),
    [
        ("gelu", {"approximate": "tanh"}, lambda x: F.gelu(x, approximate="tanh")),
        ("gelu_slope", {"approximate": "tanh"}, lambda x: torch.ops.aten.gelu_backward(torch.ones_like(x), x, approximate="tanh")),
        ("leaky_relu", {"slope": 0.3}, lambda x: F.leaky_relu(x, 0.3)),
        ("elu", {"alpha": 1.7}, lambda x: F.elu(x, 1.7)),
        ("softplus", {"beta": 2.0, "threshold": 5.0}, lambda x: F.softplus(x, 2.0, 5.0)),
        ("clamp", {"low": -1.0, "high": 0.5}, lambda x: x.clamp(-1.0, 0.5)),
        ("clamp", {"low": 0.25}, lambda x: x.clamp(min=0.25)),
        ("clamp", {"high": 0.25}, lambda x: x.clamp(max=0.25)),
        ("cast", {"dtype": DType.BOOL}, lambda x: x.bool()),
        ("cast", {"dtype": DType.F64}, lambda x: x),
    ],
)
def test_attributes(op: str, attrs: dict, expected: Any) -> None:
    check(op, expected, FLOATS, **attrs)


@pytest.mark.parametrize("dtype", (DType.I64, DType.I32, DType.I16, DType.I8, DType.U8))
def test_cast_to_integer_truncates(dtype: DType) -> None:
    torch_dtype = getattr(torch, str(dtype.numpy))
    check("cast", lambda x: x.to(torch_dtype), np.array([-3.7, -1.0, -0.2, 0.0, 0.9, 100.5]), dtype=dtype)


def test_cast_from_integer_and_bool() -> None:
    check("cast", lambda x: x.double(), INTEGERS, dtype=DType.F64)
    check("cast", lambda x: x.long(), BOOLS, dtype=DType.I64)
    check("cast", lambda x: x.to(torch.uint8), INTEGERS, dtype=DType.U8)


def test_cast_in_declared_precision_rounds() -> None:
    from sol.ir.interpret import evaluate_outputs

    graph = one_op_graph("cast", [TensorType(DType.F32, (1,))], dtype=DType.F16)
    x = np.array([1 / 3], np.float32)
    assert evaluate_outputs(graph, [x], precision=None)[0].dtype == np.float16
    assert evaluate_outputs(graph, [x])[0] == np.float64(x[0])


POWERS = np.array([1.0, 1.25, 3.0, 5.0, 0.3, 448.0])
ROUNDED = {"up": [1, 2, 4, 8, 0.5, 512], "down": [1, 1, 2, 4, 0.25, 256], "nearest": [1, 1, 4, 4, 0.25, 512]}


@pytest.mark.parametrize("rounding", ROUNDED)
@pytest.mark.parametrize("op", ("cast_rounded", "cast_saturated"))
def test_cast_to_powers_of_two(op: str, rounding: str) -> None:
    (got,) = run_op(op, POWERS, dtype=DType.F8E8M0, rounding=rounding)
    assert got.tolist() == ROUNDED[rounding]


@pytest.mark.parametrize("ours", (DType.F8E4M3FN, DType.F8E4M3FNUZ, DType.F8E5M2, DType.F8E5M2FNUZ), ids=str)
def test_cast_to_floats_of_8_bits(ours: DType) -> None:
    theirs = TORCH_DTYPES[ours]
    largest = torch.finfo(theirs).max
    x = np.concatenate([randn(100) * 30, [0.0, -0.0, largest, -largest, 1e-30, np.nan]])
    check("cast_rounded", lambda t: t.to(theirs).double(), x, dtype=ours)
    check("cast_saturated", lambda t: t.to(theirs).double(), x, dtype=ours)
    (got,) = run_op("cast_saturated", np.array([2 * largest, -np.inf, np.inf]), dtype=ours)
    assert got.tolist() == [largest, -largest, largest]
    (got,) = run_op("cast_rounded", np.array([2 * largest]), dtype=ours)
    assert not np.isfinite(got[0])


def test_where() -> None:
    condition = np.array([[True], [False]])
    check("where", torch.where, condition, FLOATS, -FLOATS)
    check("where", torch.where, condition, INTEGERS, -INTEGERS)


def test_scalars_stay_arrays() -> None:
    check("add", torch.add, np.array(1.5), np.array(2.5))


def test_every_op_is_in_a_table() -> None:
    known = {*UNARY, *BINARY, *BITWISE, *SHIFTS, "gcd", "bitwise_not",
             "clamp", "cast", "cast_rounded", "cast_saturated", "bitcast", "where"}  # fmt: skip
    assert set(POINTWISE) == known


@pytest.mark.parametrize("op", [n for n, p in POINTWISE.items() if p.operands != "integer"])
def test_zero_safe_says_what_zeros_give(op: str) -> None:
    row = POINTWISE[op]
    attrs = {"dtype": DType.F32} if "cast" in op else {}
    if op == "bitcast":
        attrs = {"source": DType.F64, "dtype": DType.F64}
    zeros = [np.zeros(1)] * row.arity
    with np.errstate(all="ignore"):
        assert bool(np.isfinite(row.function(NUMPY, *zeros, **attrs)).all()) == row.zero_safe


def test_float32_is_computed_in_float32() -> None:
    for name, row in POINTWISE.items():
        if row.arity == 1 and row.result == "same" and row.operands != "integer":
            assert row.function(NUMPY, np.ones(3, np.float32)).dtype == np.float32, name


def test_erf_in_the_last_place() -> None:
    x = np.concatenate([np.linspace(-7, 7, 20001), randn(1000) * 1e-8, [np.inf, -np.inf]])
    exact = np.array([math.erf(v) for v in x])
    np.testing.assert_allclose(erf(x), exact, rtol=3e-16, atol=0)


@pytest.mark.parametrize(
    ("op", "types", "message"),
    [
        ("add", (TensorType(DType.F32, (2,)), TensorType(DType.F32, (3,))), "broadcast"),
        ("add", (TensorType(DType.F32, (2,)), TensorType(DType.I64, (2,))), "dtypes differ"),
        ("exp", (TensorType(DType.I64, (2,)),), "floating-point"),
        ("div", (TensorType(DType.I64, (2,)), TensorType(DType.I64, (2,))), "floating-point"),
        ("bitwise_and", (TensorType(DType.F32, ()), TensorType(DType.F32, ())), "integer"),
        ("where", (TensorType(DType.F32, ()), TensorType(DType.F32, ()), TensorType(DType.F32, ())), "bool"),
        ("neg", (TensorType(DType.BOOL, ()),), "numbers"),
        ("neg", (), "takes 1 operands"),
    ],
)
def test_misfits(op: str, types: tuple, message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph(op, list(types))


def test_empty_arrays() -> None:
    assert run_op("gelu", np.zeros((0, 3)))[0].shape == (0, 3)


def test_bitcast() -> None:
    bits = np.array([0, 1, -(2**31), 0x3F800000, 0x7FC00001], np.int32)
    (y,) = run_op("bitcast", bits, source=DType.I32, dtype=DType.U32)
    assert np.array_equal(y, bits.view(np.uint32))
    (y,) = run_op("bitcast", randn(3), source=DType.F64, dtype=DType.I64)
    assert y.dtype == np.int64
    brain = NUMPY.bitcast(np.array([1.0, -2.5], np.float32), DType.BF16, DType.U16)
    assert brain.tolist() == [0x3F80, 0xC020]
    assert NUMPY.bitcast(brain, DType.U16, DType.BF16).tolist() == [1.0, -2.5]
