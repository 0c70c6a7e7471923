"""Gradients of convolutions for their weights against the float64 interpreter and torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.ops.conv import conv_size
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.harness import as_region, run_region

Pads = tuple[tuple[int, int], ...]


def build(x: tuple[int, ...], kernels: int, kernel: tuple[int, ...], stride=None, padding: Pads | None = None, dilation=None, groups=1,
          dtype=DType.F32) -> Graph:  # fmt: skip
    """conv_weight_grad(x, grad) of an input's shape and as many kernels."""
    ones = (1,) * len(kernel)
    stride, dilation, padding = stride or ones, dilation or ones, padding or ((0, 0),) * len(kernel)
    sizes = tuple(int(conv_size(*axis)) for axis in zip(x[2:], kernel, stride, padding, dilation))
    b = GraphBuilder()
    operands = [b.input("x", TensorType(dtype, x)), b.input("grad", TensorType(dtype, (x[0], kernels, *sizes)))]
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups, "kernel": kernel}
    return b.build([b.add("conv_weight_grad", operands, **options)])


def run(graph: Graph, isa: str, threads: int, block: int = 0, plain: tuple[str, ...] = (), **options: Any) -> None:
    """The kernel's result is the interpreter's."""
    rng = np.random.default_rng(1)
    inputs = {v: rng.standard_normal(graph.type_of(v).shape).astype(graph.type_of(v).dtype.numpy) for v in graph.inputs}
    want = evaluate(graph, inputs, {})[graph.outputs[0]]
    region = as_region(graph, "dnn", "conv_weight_grad", block, (*plain, *graph.outputs))
    got = run_region(region, inputs, {}, isa=isa, threads=threads, **options)[0]
    tolerance = 1e-12 if got.dtype == np.float64 else 2e-5
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * max(1.0, float(np.abs(want).max(initial=0))))


PLAIN: list[dict[str, Any]] = [
    {"x": (2, 3, 9, 11), "kernels": 5, "kernel": (3, 3), "padding": ((1, 1), (1, 1))},
    {"x": (2, 6, 9, 11), "kernels": 4, "kernel": (3, 2), "padding": ((1, 2), (-1, 3)), "stride": (2, 3), "groups": 2},
    {"x": (3, 4, 40), "kernels": 7, "kernel": (5,), "stride": (3,), "padding": ((2, 0),), "dilation": (2,)},
    {"x": (1, 2, 5, 6, 7), "kernels": 3, "kernel": (2, 3, 1), "padding": ((1, 0), (0, 1), (0, 0))},
    {"x": (2, 5, 8, 9), "kernels": 5, "kernel": (3, 3), "padding": ((1, 1), (1, 1)), "groups": 5, "dtype": DType.F64},
    {"x": (2, 3, 2, 2), "kernels": 2, "kernel": (5, 5), "padding": ((4, 4), (4, 4)), "dilation": (2, 2)},
]


@pytest.mark.parametrize("isa,case", thinned(range(len(PLAIN))))
def test_plain_kernel_equals_reference(isa: str, case: int) -> None:
    run(build(**PLAIN[case]), isa, 1 + case % 3)


def test_strided_operands() -> None:
    graph = build((2, 3, 9, 11), 5, (3, 3))
    run(graph, "native", 2, strides={"x": (297, 1, 33, 3), "grad": (315, 1, 45, 5)})
