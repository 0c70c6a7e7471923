"""How lanes of bfloat16 are loaded and stored: to the bit as torch rounds, whichever instructions a target has."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.codegen.targets import runnable
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from tests.harness import as_region, run_region

ISAS = [*runnable(), "native"]
SPECIAL = np.array(
    [0, 1, 0x7FFF, 0x8000, 0x8001, 0x17FFF, 0x18000, 0x7FFFFF, 0x800000, 0x3F808000, 0x3F818000, 0x3F808001, 0x7F7F7FFF, 0x7F7F8000,
     0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF], np.uint32,
)  # fmt: skip
"""Zero, denormal numbers, the smallest normal one, ties, the largest ones, infinity and NaN, as bits."""


def cast(count: int, source: DType, target: DType) -> Graph:
    b = GraphBuilder()
    x = b.input("x", TensorType(source, (count,)))
    return as_region(b.build([b.add("cast", [x], dtype=target)]), "dfp")


def numbers(count: int) -> np.ndarray:
    """Those of SPECIAL, with both signs, among others of all magnitudes."""
    bits = np.random.default_rng(count).integers(0, 1 << 32, count, np.uint32)
    for start, sign in ((0, 0), (count // 2, 1 << 31)):
        some = SPECIAL[: max(0, count // 2)] | np.uint32(sign)
        bits[start : start + len(some)] = some
    return bits.view(np.float32)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("count", [1, 15, 16, 17, 64, 1000])
def test_rounding(isa: str, count: int) -> None:
    x = numbers(count)
    (rounded,) = run_region(cast(count, DType.F32, DType.BF16), {"x": x}, isa=isa)
    want = torch.from_numpy(x).bfloat16().float().numpy()
    np.testing.assert_array_equal(np.isnan(rounded), np.isnan(x))
    held = ~np.isnan(x)
    np.testing.assert_array_equal(rounded[held].astype(np.float32).view(np.uint32), want[held].view(np.uint32))


@pytest.mark.parametrize("isa", ISAS)
def test_every_number_is_loaded(isa: str) -> None:
    every = np.arange(1 << 16, dtype=np.uint32) << 16
    x = every.view(np.float32)
    (loaded,) = run_region(cast(len(x), DType.BF16, DType.F32), {"x": x}, isa=isa)
    held = ~np.isnan(x)
    np.testing.assert_array_equal(loaded.view(np.uint32)[held], every[held])
    assert np.isnan(loaded[~held]).all()


@pytest.mark.parametrize("isa", ISAS)
def test_gelu_of_every_number(isa: str) -> None:
    """At most 0.6 units in the last place of bfloat16, or 1e-7 of the argument, where eager torch has 0.5 units or 1e-7."""
    x = (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
    x = x[np.isfinite(x)]
    b = GraphBuilder()
    g = as_region(b.build([b.add("gelu", [b.input("x", TensorType(DType.BF16, (len(x),)))])]), "dfp")
    (got,) = run_region(g, {"x": x}, isa=isa)
    want = torch.nn.functional.gelu(torch.from_numpy(x).double()).numpy()
    unit = np.exp2(np.floor(np.log2(np.maximum(np.abs(want), 2.0**-126))) - 7)
    error = np.abs(got.astype(np.float64) - want)
    assert (error <= np.maximum(0.6 * unit, 1e-7 * np.abs(x))).all(), x[np.argmax(error / unit)]
