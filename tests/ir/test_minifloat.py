"""Small float formats: every code and rounding against the ml_dtypes package."""

from __future__ import annotations

import numpy as np
import pytest

from sol.ir.minifloat import FORMATS, decoded, encode, rounded
from sol.ir.types import ML_DTYPES, DType

ml_dtypes = pytest.importorskip("ml_dtypes")
KINDS = [*FORMATS, DType.F8E8M0]


def theirs(dtype):
    return np.dtype(getattr(ml_dtypes, ML_DTYPES[dtype]))


def numbers():
    rng = np.random.default_rng(0)
    spread = rng.standard_normal(20000) * np.exp(rng.uniform(-25, 25, 20000))
    return np.concatenate([spread, [0.0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 480, 57344, 61440, 6, 2.5]]).astype(np.float32)


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_codes_mean_what_they_mean_elsewhere(dtype):
    codes = np.arange(1 << dtype.bits, dtype=np.uint8)
    wanted = codes.view(theirs(dtype)).astype(np.float32)
    found = decoded(dtype)[codes]
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(wanted[wanted == 0]))


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_rounding_is_that_of_ml_dtypes(dtype):
    x = numbers() if dtype is not DType.F8E8M0 else numbers()[numbers() > 0]
    with np.errstate(all="ignore"):
        wanted = x.astype(theirs(dtype)).view(np.uint8)
    np.testing.assert_array_equal(encode(x, dtype, rounding="nearest"), wanted)


@pytest.mark.parametrize("dtype", [d for d in FORMATS if d is not DType.F4E2M1], ids=str)
def test_saturation_gives_the_largest_value(dtype):
    largest = np.float32(ml_dtypes.finfo(theirs(dtype)).max)
    np.testing.assert_array_equal(rounded(np.array([1e9, -1e9, np.inf, -np.inf]), dtype, saturate=True), [largest, -largest] * 2)
    assert np.isnan(rounded(np.array([np.nan]), dtype, saturate=True))


def test_powers_of_two_round_as_told():
    x = np.array([1.0, 1.25, 1.5, 1.75, 3.0, 0.0, np.inf], np.float32)
    wanted = {"up": [1, 2, 2, 2, 4], "down": [1, 1, 1, 1, 2], "nearest": [1, 1, 2, 2, 4]}
    for rounding, values in wanted.items():
        found = rounded(x, DType.F8E8M0, saturate=True, rounding=rounding)
        np.testing.assert_array_equal(found, [*values, 2.0**-127, 2.0**127])
    assert np.isnan(rounded(x[-2:], DType.F8E8M0)).all()
