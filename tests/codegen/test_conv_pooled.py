"""Convolution, epilogue and global pooling in one kernel, on every ISA of this machine."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.codegen.kernels.conv_problem import read_problem
from sol.codegen.targets import resolve
from sol.ir.builder import GraphBuilder
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import ISAS, check, conv_graph, torch_conv
from tests.codegen.test_conv_direct import no_winograd  # noqa: F401

POOLS = {
    "adaptive_avg": ("adaptive_avg_pool", dict(output_size=(1, 1))),
    "adaptive_max": ("adaptive_max_pool", dict(output_size=(1, 1))),
    "mean": ("mean", dict(dims=(2, 3), keepdims=False)),
    "mean_keep": ("mean", dict(dims=(2, 3), keepdims=True)),
    "sum": ("sum", dict(dims=(2, 3), keepdims=False)),
    "max": ("max", dict(dims=(2, 3), keepdims=False)),
}


def pooled(name: str, relu: bool = True):
    op, attrs = POOLS[name]

    def epilogue(b: GraphBuilder, y: str, inputs: dict) -> str:
        return b.add(op, [b.add("relu", [y]) if relu else y], **attrs)

    return epilogue


def whole_map(op: str, size: tuple[int, int], **attrs):
    def epilogue(b: GraphBuilder, y: str, inputs: dict) -> str:
        return b.add(op, [b.add("relu", [y])], kernel=size, stride=size, padding=((0, 0), (0, 0)), **attrs)

    return epilogue


@pytest.mark.parametrize(
    "isa,name,c,k,size,threads", thinned(list(POOLS), [(33, 40, (7, 7), 3), (20, 96, (1, 1), 2), (8, 17, (3, 30), 1)])
)
def test_pools(isa, name, c, k, size, threads):
    graph, inputs, arrays, _ = conv_graph((2, c, *size), k, (3, 3), padding=1, epilogue=pooled(name))
    check(graph, inputs, arrays, isa=isa, threads=threads, borders={"x": ((1, 1), (1, 1))})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("keep", [True, False])
def test_plain_output(isa, keep):
    """[N, K, 1, 1] or [N, K], row-major, also with gaps between the channels."""
    graph, inputs, arrays, _ = conv_graph((2, 24, 6, 6), 42, (1, 1), epilogue=pooled("mean_keep" if keep else "mean"))
    (out,) = graph.outputs
    strides = {out: (126, 3, 3, 3)} if keep else {out: (126, 3)}
    check(graph, inputs, arrays, isa=isa, plain=(out,), strides=strides)


@pytest.mark.parametrize("isa", ISAS)
def test_issue_example(isa):
    """Conv2d(512, 256, 1) + ReLU + AvgPool2d(13) on 13x13 is one kernel, here with fewer channels."""
    epilogue = whole_map("avg_pool", (13, 13))
    graph, inputs, arrays, _ = conv_graph((1, 128, 13, 13), 64, (1, 1), epilogue=epilogue)
    want = torch.relu(torch_conv(inputs, arrays)).mean((2, 3), keepdim=True).numpy()
    check(graph, inputs, arrays, isa=isa, want=want)


@pytest.mark.parametrize("isa", ISAS)
def test_windows_over_the_whole_map(isa):
    for epilogue in (whole_map("avg_pool", (5, 6), divisor=7), whole_map("max_pool", (5, 6), dilation=(1, 1))):
        graph, inputs, arrays, _ = conv_graph((2, 16, 5, 6), 24, (1, 1), epilogue=epilogue)
        check(graph, inputs, arrays, isa=isa)


@pytest.mark.parametrize("isa", ISAS)
def test_maximum_of_negative_values_and_nan(isa):
    graph, inputs, arrays, _ = conv_graph((1, 16, 4, 4), 16, (1, 1), epilogue=pooled("max", relu=False))
    arrays["b"] -= 100
    check(graph, inputs, arrays, isa=isa)
    inputs["x"][0, 3, 2, 2] = np.nan
    assert np.isnan(check(graph, inputs, arrays, isa=isa)).all()


@pytest.mark.parametrize("isa", ISAS)
def test_rounding_does_not_depend_on_the_team(isa):
    graph, inputs, arrays, _ = conv_graph((1, 32, 9, 9), 32, (1, 1), epilogue=pooled("mean"))
    one, three = (check(graph, inputs, arrays, isa=isa, threads=n) for n in (1, 3))
    np.testing.assert_array_equal(one, three)


def test_small_windows_are_not_taken():
    from sol.codegen.lowering import KernelLibrary, Lowering
    from tests.harness import _Placement, as_region

    epilogue = whole_map("avg_pool", (2, 2))
    graph, *_ = conv_graph((1, 16, 4, 4), 16, (1, 1), epilogue=epilogue)
    target = resolve("generic")
    region = as_region(graph, "dnn", "conv", block=target.lanes)
    node = next(n for n in region.nodes if n.op == "region")
    lowering = Lowering(node, _Placement(region, {}, {}, {}), KernelLibrary(), target)
    assert read_problem(lowering) is None
