"""Floats that integers do not hold: NaN, infinity, and numbers beyond a type become what they become in torch on x86."""

from __future__ import annotations

import itertools
import platform

import numpy as np
import pytest
import torch

from sol.ir.ops.numpy_math import NumpyMath
from sol.ir.types import DType
from tests.against_torch.support import check_all

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int8, torch.uint8, torch.int16, torch.uint16, torch.int32, torch.int64, torch.uint64, torch.bool)
NAN, INF = float("nan"), float("inf")
VALUES = [NAN, INF, -INF, 3e9, -3e9, 1e10, -1e10, 300.7, -300.7, 70000.5, 2.0**31, -(2.0**31) - 0.5, 1e19, -1.0, -1.5, 255.5, 2.0**40 + 3,
          65536 * 3 + 5.0, 2.0**32 + 65536 * 7 + 3]  # fmt: skip
OURS = {torch.int8: DType.I8, torch.uint8: DType.U8, torch.int16: DType.I16, torch.uint16: DType.U16, torch.int32: DType.I32,
        torch.int64: DType.I64, torch.uint64: DType.U64, torch.bool: DType.BOOL}  # fmt: skip

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="what torch makes of such numbers is the processor's affair")


@pytest.mark.parametrize("isa", ["native", "avx2", "generic"])
@pytest.mark.parametrize("source", FLOATS)
def test_casts_to_integers(source, isa):
    """Alone, behind arithmetic, and strided, where scalar code runs."""
    x = torch.tensor(VALUES, dtype=torch.float64).to(source).repeat(7)
    kinds = INTEGERS if source is not torch.float16 else INTEGERS[:-2]
    cases = {str(t): (lambda x, t=t: (x.to(t), x[::3].to(t))) for t in kinds}
    check_all(cases, x, isa=isa, threads=(1,))


@pytest.mark.parametrize(("source", "target"), [*itertools.product(FLOATS[:2], INTEGERS)])
def test_the_interpreter_casts_likewise(source, target):
    x = torch.tensor(VALUES, dtype=source)
    got = NumpyMath.cast(x.numpy(), OURS[target])
    assert np.array_equal(got, x.to(target).numpy())


@pytest.mark.parametrize("isa", ["native", "avx2", "generic"])
@pytest.mark.parametrize("source", FLOATS)
def test_a_whole_number_has_no_negative_zero(source, isa):
    x = torch.tensor([-0.3, 0.3, -0.0, -5.7]).to(source).repeat(9)
    cases = {str(t): (lambda x, t=t: (1.0 / x.to(t), torch.atan2(x.to(t).double(), -x.double().abs()), x.to(t).float().signbit()))
             for t in INTEGERS[:-2]}  # fmt: skip
    check_all(cases, x, isa=isa, threads=(1,))
