"""Every pointwise op, traced to C in both modes, computes what its numpy evaluation says."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from sol.codegen.emit import Emitter, c_double, c_float, c_integer
from sol.codegen.kernels.dfp_terms import load_text, store_text
from sol.codegen.targets import Target, resolve, runnable
from sol.ir.lanes import fits_lanes
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import DType
from tests.codegen.compiled import load_c

ATTRS = {
    "clamp": [{"low": -0.5, "high": None}, {"low": None, "high": 1.0}, {"low": -1.0, "high": 1.0}],
    "gelu": [{"approximate": "none"}, {"approximate": "tanh"}],
    "gelu_slope": [{"approximate": "none"}, {"approximate": "tanh"}],
    "cast": [{"dtype": DType.BOOL}, {"dtype": DType.F32}],
    "bitcast": [],
    "cast_rounded": [{"dtype": DType.F32}],
    "cast_saturated": [{"dtype": DType.F32}],
    "leaky_relu": [{"slope": -0.3}],
    "elu": [{"alpha": 1.5}],
    "softplus": [{"beta": 2.0, "threshold": 20.0}],
}
COUNT = 1000
SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 0.5, -0.5, 2.5, 3.5, -2.5, 1e-20, 100.0, -100.0]


def _takes(row, dtype: DType) -> bool:
    return {
        "any": True, "number": dtype is not DType.BOOL, "float": dtype.is_float, "integer": not dtype.is_float,
    }[row.operands]  # fmt: skip


def _cases(dtypes):
    for name, row in POINTWISE.items():
        for dtype in dtypes:
            if _takes(row, dtype):
                for attrs in ATTRS.get(name, [{}]):
                    yield name, dtype, attrs


def _operands(row, dtype: DType) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    out = []
    for i in range(row.arity):
        kind = DType.BOOL if row.condition and i == 0 else dtype
        if kind is DType.BOOL:
            x = rng.integers(0, 2, COUNT).astype(bool)
        elif kind.is_int:
            x = rng.integers(0 if kind.is_unsigned else -9, 9, COUNT).astype(kind.numpy)
        else:
            x = (rng.standard_normal(COUNT) * 3).astype(kind.numpy)
            values = np.array(SPECIAL)
            pairs = np.repeat(values, len(values)) if i == 0 else np.tile(values, len(values))
            x[: len(pairs)] = pairs
        out.append(x)
    return out


def _function(name: str, symbol: str, dtype: DType, attrs: dict, vector: bool) -> str:
    row = POINTWISE[name]
    kinds = [DType.BOOL if row.condition and i == 0 else dtype for i in range(row.arity)]
    emitter = Emitter(vector=vector)
    values = [emitter.let(load_text(k, f"x{i} + i", vector=vector), k) for i, k in enumerate(kinds)]
    result = emitter.apply(name, attrs, values)
    store = store_text(result.dtype, "y + i", result.text, vector=vector)
    heads = "".join(f"const {k.c} *x{i} = in[{i}]; " for i, k in enumerate(kinds))
    step = "LANES" if vector else "1"
    used = " ".join(f"(void){v.text};" for v in values)  # isnan of an integer does not look at it
    lines = "\n".join([*emitter.lines, used, store])
    return f"void {symbol}(void **in, {result.dtype.c} *y, long n) {{ {heads}\nfor (long i = 0; i < n; i += {step}) {{\n{lines}\n}} }}\n"


def _check(target: Target, cases, vector: bool, tolerance) -> None:
    source = '#include "sol_dfp.h"\n'
    for number, (name, dtype, attrs) in enumerate(cases):
        source += _function(name, f"f{number}", dtype, attrs, vector)
    library = load_c(source, target)
    wrong = []
    for number, (name, dtype, attrs) in enumerate(cases):
        row = POINTWISE[name]
        operands = _operands(row, dtype)
        if dtype.is_int and name in ("pow",):
            operands[1] = np.abs(operands[1]) % 5
        if dtype.is_int and name in ("remainder", "fmod", "floor_divide", "trunc_divide"):
            operands[1][operands[1] == 0] = 1
        widened = name != "nextafter"  # the neighbours of a number are those in its own type
        double = [x.astype(np.float64) if x.dtype == np.float32 and widened else x for x in operands]
        with np.errstate(all="ignore"):
            want = np.asarray(row.function(_numpy(), *double, **attrs))
        kind = {"bool": DType.BOOL, "cast": attrs.get("dtype")}.get(row.result, dtype)
        padded = [np.concatenate([x, np.ones(16, x.dtype)]) for x in operands]
        got = np.zeros(COUNT + 16, kind.numpy)
        pointers = (ctypes.c_void_p * len(padded))(*[x.ctypes.data for x in padded])
        getattr(library, f"f{number}")(pointers, ctypes.c_void_p(got.ctypes.data), ctypes.c_long(COUNT))
        got = got[:COUNT]
        if kind.is_float:
            with np.errstate(all="ignore"):
                same = np.isclose(
                    got.astype(np.float64),
                    want.astype(kind.numpy).astype(np.float64),
                    rtol=tolerance(name, kind),
                    atol=1e-6,
                    equal_nan=True,
                )
        else:
            same = got == want.astype(kind.numpy)
        if not same.all():
            at = int(np.argmin(same))
            wrong.append((name, str(dtype), attrs, [x[at] for x in operands], got[at], want[at]))
    assert not wrong, "\n".join(map(str, wrong))


def _numpy():
    from sol.ir.ops.numpy_math import NUMPY

    return NUMPY


def _tolerance(name: str, dtype: DType) -> float:
    if dtype in (DType.F16, DType.BF16):
        return 2e-3
    return 1e-13 if dtype is DType.F64 else 2e-5 if name in ("pow", "gelu", "mish", "softplus") else 2e-6


@pytest.mark.parametrize("isa", runnable())
def test_vector_mode_matches_numpy(isa):
    cases = [c for c in _cases((DType.F32, DType.BOOL)) if fits_lanes(c[0], c[1], [c[1]]) and (c[0] != "pow" or c[1] is DType.F32)]
    _check(resolve(isa), cases, True, _tolerance)


SCALARS = [DType.F32, DType.F64, DType.I64, DType.I32, DType.U8, DType.U16, DType.U32, DType.U64, DType.BOOL]


@pytest.mark.parametrize("dtype", SCALARS, ids=str)
def test_scalar_mode_matches_numpy(dtype):
    _check(resolve("native"), list(_cases((dtype,))), False, _tolerance)


def test_equal_statements_are_written_once():
    emitter = Emitter(vector=True)
    x = emitter.load("x", DType.F32)
    a, b = emitter.exp(x) + 1.0, emitter.exp(x) + 1.0
    assert a.text == b.text and len(emitter.lines) == 2


def test_literals_read_back_exactly():
    for value in (0.1, 1e-45, -3.4028234663852886e38, 1 / 3, 16777217.0):
        assert np.float32(float(c_float(value).rstrip("f"))) == np.float32(value)
    assert c_float(1e300) == "INFINITY" and c_float(float("nan")) == "NAN" and c_double(-np.inf) == "-INFINITY"
    assert c_integer(float("-inf"), DType.I64) == "INT64_MIN" and c_integer(1e9, DType.I8) == "127"
