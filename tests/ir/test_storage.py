"""What C stores, what users give, and what is packed."""

from __future__ import annotations

import numpy as np
import pytest

from sol.ir.storage import as_held, as_stored, edge_dtype, from_edge, held_from_edge, pack, packed_size, stored_dtype, to_edge, unpack
from sol.ir.types import ML_DTYPES, DType

pytest.importorskip("ml_dtypes")


def values(dtype):
    if dtype is DType.BOOL:
        return np.array([True, False, True])
    low = 0 if dtype.is_unsigned or dtype is DType.F8E8M0 else -1
    return np.array([1, low, 1], dtype.numpy)


@pytest.mark.parametrize("dtype", [d for d in DType if not d.is_opaque], ids=str)
def test_arrays_come_back(dtype):
    held = values(dtype)
    stored = as_stored(held, dtype)
    assert stored.dtype == stored_dtype(dtype) and stored.itemsize == dtype.itemsize
    edge = to_edge(stored, dtype)
    assert edge.dtype == edge_dtype(dtype) and DType.from_numpy(edge.dtype) is dtype
    np.testing.assert_array_equal(from_edge(edge, dtype), stored)
    packed = pack(stored, dtype)
    assert packed.size == packed_size(3, dtype)
    np.testing.assert_array_equal(unpack(packed, dtype, 3), stored)
    if dtype is not DType.F8E8M0:
        np.testing.assert_array_equal(as_held(stored, dtype), held)
        np.testing.assert_array_equal(held_from_edge(edge), held)


def test_small_integers_lie_low_bits_first():
    assert pack(np.array([1, -2, 7], np.int8), DType.I4).tolist() == [0xE1, 0x07]
    assert pack(np.array([1, 2, 3, 0, 1], np.uint8), DType.U2).tolist() == [0b00111001, 1]


def test_every_dtype_has_a_name_elsewhere():
    assert set(ML_DTYPES) == {DType.BF16} | {d for d in DType if d.is_minifloat or d.bits < 8}
