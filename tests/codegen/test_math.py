"""The vector functions of sol_math.h: units in the last place over dense samples, and the special values of libm."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from sol.codegen.targets import resolve
from sol.ir.ops.numpy_math import NUMPY, erf, erfc, lgamma
from tests.codegen.compiled import load_c
from tests.instruction_sets import each_isa

# name: reference in double, sampled interval (None: positive floats of all sizes), most units in the last place
FUNCTIONS = {
    "exp": (np.exp, (-103.0, 88.7), 2),
    "expm1": (np.expm1, (-40.0, 88.7), 3),
    "exp2": (np.exp2, (-149.0, 127.9), 2),
    "log": (np.log, None, 2),
    "log1p": (np.log1p, None, 3),
    "tanh": (np.tanh, (-12.0, 12.0), 2),
    "erf": (erf, (-5.0, 5.0), 2),
    "sin": (np.sin, (-1e5, 1e5), 2),
    "cos": (np.cos, (-1e5, 1e5), 2),
    "tan": (np.tan, (-1e5, 1e5), 4),
    "atan": (np.arctan, (-3e38, 3e38), 3),
    "softplus": (lambda x: np.logaddexp(0, x), (-80.0, 80.0), 3),
    "sqrt": (np.sqrt, None, 1),
    "rsqrt": (lambda x: 1 / np.sqrt(x), None, 2),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), (-80.0, 80.0), 3),
    "asin": (np.arcsin, (-1.0, 1.0), 2),
    "acos": (np.arccos, (-1.0, 1.0), 2),
    "sinh": (np.sinh, (-89.4, 89.4), 4),
    "cosh": (np.cosh, (-89.4, 89.4), 4),
    "asinh": (np.arcsinh, (-3e38, 3e38), 4),
    "acosh": (np.arccosh, (1.0, 3e38), 4),
    "atanh": (np.arctanh, (-1.0, 1.0), 4),
    "erfc": (erfc, (-12.0, 9.19), 6),
    "log2": (np.log2, None, 2),
    "log10": (np.log10, None, 3),
    "floor": (np.floor, (-1e9, 1e9), 0),
    "ceil": (np.ceil, (-1e9, 1e9), 0),
    "trunc": (np.trunc, (-1e9, 1e9), 0),
    "rint": (np.rint, (-1e9, 1e9), 0),
}
BINARY = {"pow": np.power, "fmod": np.fmod, "atan2": np.arctan2}
# name: reference in double, and of bounds: where they begin, of the error relative to the result right of that, absolute left of it
GATES = {
    "gelu": (NUMPY.gelu, [(-3, 5e-6, 2e-7), (-6, 1e-4, 1e-8)]),
    "gelu_tanh": (NUMPY.gelu_tanh, [(-3, 5e-6, 2e-7), (-5.2, 1e-4, 5e-8)]),
    "silu": (NUMPY.silu, [(-20, 5e-7, 5e-8)]),
}
SLOPES = {"gelu_slope": NUMPY.gelu_slope, "gelu_tanh_slope": NUMPY.gelu_tanh_slope}
SPECIAL = np.array(
    [0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e6, -1e6, 100, -150, -1, -2, 3e38, -3e38, 88.9, -104, 0.5], np.float32
)


@pytest.fixture(scope="module", params=each_isa())
def library(request):
    text = '#include "sol_dfp.h"\n'
    for name in (*FUNCTIONS, *GATES, *SLOPES, "exp_below", "normal_cdf", "normal_cdf_bf16", "lgamma"):
        text += (
            f"void t_{name}(const float *x, float *y, long n) {{ for (long i = 0; i < n; i += LANES) vf_store_n(y + i, "
            f"vf_{name}(vf_load_n(x + i, (int)(n - i < LANES ? n - i : LANES))), (int)(n - i < LANES ? n - i : LANES)); }}\n"
        )
    for name in (*BINARY, "nextafter"):
        text += (
            f"void t_{name}(const float *x, const float *z, float *y, long n) {{ for (long i = 0; i + LANES <= n; i += LANES) "
            f"vf_store(y + i, vf_{name}(vf_load(x + i), vf_load(z + i))); }}\n"
        )
    for name in ("sum", "fold_prod", "fold_max", "fold_min"):
        text += f"float t_{name}(const float *x) {{ return vf_{name}(vf_load(x)); }}\n"
    text += "int lanes(void) { return LANES; }\nvoid t_bytes(const uint8_t *x, uint8_t *y, int n) { vb_store_n(y, ~vb_load_n(x, n), n); }\n"
    return load_c(text, resolve(request.param))


def _call(library, name: str, *arrays: np.ndarray) -> np.ndarray:
    out = np.empty_like(arrays[0])
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*arrays, out)]
    getattr(library, f"t_{name}")(*pointers, ctypes.c_long(out.size))
    return out


def _samples(interval) -> np.ndarray:
    rng = np.random.default_rng(0)
    sizes = np.exp(rng.uniform(np.log(1e-44), np.log(3e38), 200001))
    if interval is None:
        return np.concatenate([sizes, rng.uniform(0.3, 3.0, 200000)]).astype(np.float32)
    low, high = interval
    both = sizes * np.where(rng.random(sizes.size) < 0.5, -1, 1)
    x = np.concatenate([rng.uniform(low, high, 500001), rng.uniform(-2, 2, 300000), both]).astype(np.float32)
    return x[(x >= low) & (x <= high)]


def test_log_gamma(library):
    """Within eight units of the larger of the result and 1; for positive arguments of the result itself."""
    x = _samples((-60.0, 3e38))
    want = lgamma(x.astype(np.float64))
    finite = np.abs(want) < 3e38
    got = _call(library, "lgamma", x).astype(np.float64)
    size = np.where(x > 0, np.abs(want), np.maximum(np.abs(want), 1.0))
    unit = 2.0 ** (np.floor(np.log2(np.maximum(size, 2.0**-126))) - 23)
    error = np.abs(got - want)[finite] / unit[finite]
    assert error.max() <= 8, f"{error.max():.2f} units at {x[finite][error.argmax()]!r}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_units_in_the_last_place(library, name):
    function, interval, most = FUNCTIONS[name]
    x = _samples(interval)
    with np.errstate(all="ignore"):
        want = function(x.astype(np.float64))
    got = _call(library, name, x).astype(np.float64)
    unit = 2.0 ** (np.floor(np.log2(np.maximum(np.abs(want), 2.0**-126))) - 23)
    error = np.abs(got - want) / unit
    assert error.max() <= most, f"{error.max():.2f} units at {x[error.argmax()]!r}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(library, name):
    got = _call(library, name, SPECIAL)
    with np.errstate(all="ignore"):
        want = FUNCTIONS[name][0](SPECIAL.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(got, want, rtol=5e-7, atol=3e-45)
    zero = (want == 0) & (got == 0)
    assert (np.signbit(got[zero]) == np.signbit(want[zero])).all()


def test_exp_below(library):
    """Of what is not positive, to the smallest results."""
    x = np.concatenate([_samples((-110.0, 0.0)), SPECIAL[~(SPECIAL > 0)]])
    want = np.exp(x.astype(np.float64))
    got = _call(library, "exp_below", x)
    plain = want >= 2.0**-126
    unit = 2.0 ** (np.floor(np.log2(want[plain])) - 23)
    assert (np.abs(got[plain] - want[plain]) / unit).max() <= 2
    np.testing.assert_allclose(got[~plain], want[~plain].astype(np.float32), rtol=0, atol=1.5e-45)


@pytest.mark.parametrize("name", BINARY)
def test_two_operands(library, name):
    rng = np.random.default_rng(1)
    x, z = np.repeat(SPECIAL, SPECIAL.size), np.tile(SPECIAL, SPECIAL.size)
    x, z = (np.concatenate([a, (rng.standard_normal(4096 - a.size) * 4).astype(np.float32)]) for a in (x, z))
    with np.errstate(all="ignore"):
        want = BINARY[name](x.astype(np.float64), z.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(_call(library, name, x, z), want, rtol=1e-6, atol=3e-45)


def test_nextafter(library):
    rng = np.random.default_rng(1)
    special = np.repeat(SPECIAL, SPECIAL.size), np.tile(SPECIAL, SPECIAL.size)
    x, y = (np.concatenate([a, rng.standard_normal(4096 - a.size).astype(np.float32)]) for a in special)
    want = np.nextafter(x, y)
    got = _call(library, "nextafter", x, y)
    assert np.array_equal(got, want, equal_nan=True) and (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()


def _pairs(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Operands of all sizes, as far apart as there are, and near each other."""
    rng = np.random.default_rng(3)
    size = 1 << 16
    near = [(rng.standard_normal(size) * scale).astype(np.float32) for scale in (4, 4)]
    wide = [np.exp(rng.uniform(-80, 80, size)).astype(np.float32) * rng.choice([-1, 1], size).astype(np.float32) for _ in "xz"]
    if name == "pow":
        base = np.exp(rng.uniform(-80, 80, size))
        wide = [base.astype(np.float32), (rng.uniform(-87, 87, size) / np.log(base)).astype(np.float32)]
    if name == "fmod":
        near[1] = (near[0] / rng.integers(1, 1 << 20, size)).astype(np.float32)  # quotients next to whole numbers
    return np.concatenate([near[0], wide[0]]), np.concatenate([near[1], wide[1]])


@pytest.mark.parametrize(("name", "most"), [("pow", 1), ("fmod", 0), ("atan2", 3)])
def test_two_operands_to_units_in_the_last_place(library, name, most):
    x, z = _pairs(name)
    with np.errstate(all="ignore"):
        want = BINARY[name](x.astype(np.float64), z.astype(np.float64))
        want = np.where(np.abs(want) > 3.4e38, np.sign(want) * np.inf, want)
    got = _call(library, name, x, z).astype(np.float64)
    plain = np.isfinite(want) & (np.abs(want) > 2.0**-125)
    unit = 2.0 ** (np.floor(np.log2(np.maximum(np.abs(want[plain]), 2.0**-126))) - 23)
    error = np.abs(got[plain] - want[plain]) / unit
    worst = error.argmax()
    assert error.max() <= most, f"{error.max():.2f} units at {x[plain][worst]!r}, {z[plain][worst]!r}"
    np.testing.assert_allclose(got[~plain], want[~plain], rtol=1e-6, atol=1e-37)


@pytest.mark.parametrize(
    ("name", "relative", "left", "absolute"),
    [("normal_cdf", 5e-6, -3, 1e-7), ("normal_cdf", 1e-4, -6, 1e-7), ("normal_cdf_bf16", 2.0**-14, -2.5, 2e-7)],
)
def test_normal_distribution(library, name, relative, left, absolute):
    """Its error is told absolutely, and relative to the result where that is not too small."""
    x = np.concatenate([np.linspace(-12, 12, 200001), np.array([0, -0.0, np.inf, -np.inf, np.nan])]).astype(np.float32)
    want = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x.astype(np.float64)])
    got = _call(library, name, x).astype(np.float64)
    near = x > left
    assert np.isnan(got[-1]) and np.nanmax(np.abs(got - want)[~near]) <= absolute
    assert (np.abs(got[near] / want[near] - 1)).max() <= relative
    assert (got[[-3, -2]] == [1, 0]).all()  # at infinity


@pytest.mark.parametrize("name", GATES)
def test_gates(library, name):
    """Exact relative to the result as far as it matters, absolutely left of that; at infinity, the product with what is left of x."""
    function, bounds = GATES[name]
    ends = np.array([100, -100, 1e30, -1e30, 1e-30, -1e-30, 0, -0.0, np.inf, -np.inf, np.nan])
    x = np.concatenate([np.linspace(-25, 25, 400001), ends]).astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        want = function(x.astype(np.float64))
    got = _call(library, name, x).astype(np.float64)
    for left, relative, absolute in bounds:
        near, far = np.isfinite(x) & (x > left) & (x != 0), np.isfinite(x) & (x <= left)
        assert np.abs(got[far] - want[far]).max() <= absolute
        assert (np.abs(got[near] / want[near] - 1)).max() <= relative
    assert np.isnan(got[[-2, -1]]).all() and got[-3] == np.inf and (got[x == 0] == 0).all()


@pytest.mark.parametrize("name", SLOPES)
def test_slopes(library, name):
    x = np.concatenate([np.linspace(-14, 14, 200001), np.array([1e30, -1e30, 0, -0.0, np.inf, -np.inf, np.nan])]).astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        want = SLOPES[name](x.astype(np.float64))
    got = _call(library, name, x).astype(np.float64)
    assert np.isnan(got[-3:]).all() and np.isnan(want[-3:]).all()
    assert np.abs(got[:-3] - want[:-3]).max() <= 3e-7


def test_folds_and_bools(library):
    lanes = library.lanes()
    x = np.random.default_rng(2).standard_normal(lanes).astype(np.float32)
    for name, function in {"sum": np.sum, "fold_prod": np.prod, "fold_max": np.max, "fold_min": np.min}.items():
        fold = getattr(library, f"t_{name}")
        fold.restype = ctypes.c_float
        np.testing.assert_allclose(fold(ctypes.c_void_p(x.ctypes.data)), function(x), rtol=1e-5)
        if name in ("fold_max", "fold_min"):
            y = np.where(np.arange(lanes) == lanes // 2, np.nan, x).astype(np.float32)
            assert np.isnan(fold(ctypes.c_void_p(y.ctypes.data)))
    for n in range(1, lanes + 1):
        bits, out = (np.arange(lanes) % 3 == 0).astype(np.uint8) * 7, np.full(lanes, 9, np.uint8)
        library.t_bytes(ctypes.c_void_p(bits.ctypes.data), ctypes.c_void_p(out.ctypes.data), n)
        assert (out[:n] == (bits[:n] == 0)).all() and (out[n:] == 9).all()
