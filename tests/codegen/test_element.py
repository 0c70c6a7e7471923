"""The table of element types: how elements of each type come into registers and back into memory."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.element import FAMILIES, PRODUCT_TYPES, element, from_memory, to_memory, vector_load, vector_store
from sol.errors import SolError
from sol.ir.builder import GraphBuilder
from sol.ir.lanes import FLOAT_LANES, LOADED_DTYPES
from sol.ir.storage import as_held, as_stored
from sol.ir.types import DType, TensorType
from tests.harness import as_region, run_region
from tests.toolchains import isas_by_default

SPECIAL = np.array(
    [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, 3.4e38, -3.39e38, 1e-40, 2.0**-126],
    np.float32,
)
"""Ties, what becomes infinite by rounding, and numbers of every kind."""


def test_texts() -> None:
    assert vector_load(DType.F32, "p") == "vf_load(p)" and vector_load(DType.BF16, "p", count="n") == "vbf_load_n(p, n)"
    assert vector_load(DType.BF16, "p", stride=0) == "vbf_set(*(p))"
    assert vector_store(DType.BF16, "p", "v") == "vbf_store(p, v);"
    assert vector_store(DType.U8, "p", "v", count="n") == "vu8_store_n(p, v, n);"
    assert from_memory(DType.BF16, "x") == "sol_from_bf16(x)" and to_memory(DType.F32, "x") == "x"


def test_every_type_of_lanes_has_functions() -> None:
    assert set(FAMILIES) == set(LOADED_DTYPES) and set(PRODUCT_TYPES) == set(FLOAT_LANES)
    for dtype in PRODUCT_TYPES:
        found = element(dtype)
        assert (found.c, found.size, found.vector) == (dtype.c, dtype.itemsize, FAMILIES[dtype])


def test_types_that_products_do_not_add_up_in_float32() -> None:
    with pytest.raises(SolError, match="products of i32 do not add up in float32"):
        element(DType.I32)


@pytest.mark.parametrize("isa", isas_by_default())
@pytest.mark.parametrize("size", [1, 7, 8, 15, 16, 17, 33])
def test_vectors_round_as_numbers_do(isa: str, size: int) -> None:
    """To the same bits as one element at a time, whichever lane, whether or not all lanes exist; and what is loaded is what was stored."""
    random = np.random.default_rng(size).standard_normal(size).astype(np.float32)
    x = np.resize(np.concatenate([SPECIAL, random]), (3, size))
    b = GraphBuilder()
    wide, narrow = b.input("wide", TensorType(DType.F32, x.shape)), b.input("narrow", TensorType(DType.BF16, x.shape))
    graph = b.build([b.add("cast", [wide], dtype=DType.BF16), b.add("cast", [narrow], dtype=DType.F32)])
    want = as_held(as_stored(x, DType.BF16), DType.BF16)
    for got in run_region(as_region(graph, "dfp"), {"wide": x, "narrow": want}, isa=isa):
        np.testing.assert_array_equal(got.view(np.uint32), want.view(np.uint32))
