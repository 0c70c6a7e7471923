"""Plans of networks for OpenCL, without a device: what lies in memory, what is fused, what runs on the host, where buffers lie."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.opencl.places import reshaped, unflat
from sol.codegen.opencl.plan import GridCompiled, GridLaunch, HostStep
from sol.compiler import compile_grid
from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.types import DType, TensorType


def builder(*shape: int | Dim) -> tuple[GraphBuilder, str]:
    b = GraphBuilder()
    return b, b.input("x", TensorType(DType.F32, shape))


def ops_of(compiled: GridCompiled) -> list[tuple[str, ...] | str]:
    return [s.ops if isinstance(s, GridLaunch) else s.op for s in compiled.plan.steps]


def residual() -> GridCompiled:
    b, x = builder(1, 16, 8, 8)
    w = b.parameter("w", TensorType(DType.F32, (16, 16, 3, 3)))
    conv = {"stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1), "groups": 1}
    y = b.add("relu", [b.add("conv", [x, w], **conv)])
    z = b.add("relu", [b.add("add", [b.add("conv", [y, w], **conv), x])])
    return compile_grid(b.build([b.add("mean", [z], dims=(2, 3), keepdims=False)]))


def test_what_follows_an_anchor_is_in_its_kernel():
    assert ops_of(residual()) == [("conv", "relu"), ("conv", "add", "relu"), ("mean",), ("reshape",)]


def test_equal_kernels_are_one_and_text_is_deterministic():
    assert residual().text == residual().text
    b, x = builder(6, 12)
    y = b.add("sum", [b.add("relu", [x])], dims=(1,), keepdims=True)
    z = b.add("sum", [b.add("relu", [b.add("sub", [x, y])])], dims=(1,), keepdims=True)
    weight = TensorType(DType.F32, (4, 1))
    plan = compile_grid(b.build([b.add("linear", [v, b.parameter(n, weight)]) for v, n in ((y, "a"), (z, "b"))])).plan
    assert len(plan.kernels) == 3 and len(plan.launches) == 4  # two sums, and a product twice


def test_buffers_that_live_at_the_same_time_lie_apart():
    plan = residual().plan
    inner = [b for b in plan.buffers if b.kind == "arena"]
    assert inner and plan.arena >= max(b.offset + b.size for b in inner)
    for a in inner:
        for b in inner:
            apart = a is b or a.last < b.first or b.last < a.first
            assert apart or a.offset + a.size <= b.offset or b.offset + b.size <= a.offset


def test_weights_are_parameters_themselves_or_computed_once():
    b, x = builder(20, 32)
    w = b.parameter("w", TensorType(DType.F32, (32, 40)))
    scaled = b.add("mul", [b.parameter("v", TensorType(DType.F32, (40, 32))), b.constant(np.float32(2))])
    plan = compile_grid(b.build([b.add("linear", [x, b.add("permute", [w], order=(1, 0))]), b.add("linear", [x, scaled])])).plan
    assert [(w.value, w.pack.kind) for w in plan.weights] == [("p_w", "rows"), (scaled, "rows")]


def test_what_has_no_kernel_is_a_step_of_the_host():
    b, x = builder(3, 9)
    values, _ = b.add("sort", [b.add("neg", [x])], dim=1, descending=False)
    compiled = compile_grid(b.build([b.add("exp", [values])]))
    assert ops_of(compiled) == [("neg",), "sort", ("exp",)] and isinstance(compiled.plan.steps[1], HostStep)


def test_types_that_kernels_do_not_compute_with_go_to_the_host():
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.F16, (3, 9)))
    assert ops_of(compile_grid(b.build([b.add("cast", [x], dtype=DType.F32)]))) == ["cast"]


def test_open_sizes_are_an_error():
    b, x = builder(Dim.symbol("n"), 3)
    with pytest.raises(UnsupportedError, match="sizes that stay open on a device of OpenCL"):
        compile_grid(b.build([b.add("relu", [x])]))


def test_values_that_an_index_cannot_count_are_an_error():
    b, x = builder(2**16, 2**15)
    with pytest.raises(UnsupportedError, match="a value of f32"):
        compile_grid(b.build([b.add("relu", [x])]))


@pytest.mark.parametrize("shape, to", [
    ((6, 4), (24,)), ((24,), (2, 3, 4)), ((2, 3, 4), (6, 2, 2)), ((1, 5, 1), (5,)), ((4, 3), (3, 4)), ((), (1, 1)), ((2, 1, 3), (1, 6, 1)),
])  # fmt: skip
def test_an_index_through_a_reshape(shape: tuple[int, ...], to: tuple[int, ...]):
    count = int(np.prod(shape))
    for number in range(count):
        index = tuple(map(str, np.unravel_index(number, shape)))
        found = reshaped(index, shape, to)
        assert tuple(int(eval(i.replace("/", "//"))) for i in found) == tuple(np.unravel_index(number, to))  # noqa: S307
        assert unflat(str(number), shape) == index
