"""Results are fresh tensors of the right kind, however they are allocated."""

from __future__ import annotations

import pytest
import torch

from sol.codegen.plan import Port
from sol.ir.types import DType
from sol.runtime.torch.tensors import SMALL_RESULT, SPARE, TENSORS


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 5), (SMALL_RESULT + 1,)])
def test_results_are_fresh(shape):
    allocate = TENSORS.allocator(Port("y", DType.I32, shape, "out0"))
    results = [allocate({}) for _ in range(3 * SPARE)]
    assert all(type(r) is torch.Tensor and r.shape == shape and r.dtype is torch.int32 and r.is_contiguous() for r in results)
    addresses = {r.data_ptr() for r in results}
    assert len(addresses) == len(results) or addresses == {0}


def test_results_are_of_the_kind_of_their_mode():
    allocate = TENSORS.allocator(Port("y", DType.F32, (3,), "out0"))
    for _ in range(2 * SPARE):
        assert not allocate({}).is_inference()
        with torch.inference_mode():
            assert allocate({}).is_inference()


def test_a_transform_leaves_nothing_behind():
    allocate = TENSORS.allocator(Port("y", DType.F32, (3,), "out0"))

    def within(x):
        with pytest.raises(RuntimeError):
            allocate({}).data_ptr()
        return x.sum()

    torch.func.grad(within)(torch.ones(3))
    assert all(allocate({}).data_ptr() for _ in range(2 * SPARE))
