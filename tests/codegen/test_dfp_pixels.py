"""Reductions over the channels of blocked maps: pieces of pixels beside the vector width, chunks of blocks, borders, normalisations."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.targets import by_name
from sol.ir.types import DType
from tests.codegen.dfp_cases import build, check, sample
from tests.codegen.networks import NETWORKS, plan_of
from tests.harness import as_region, run_region
from tests.toolchains import isas_by_default

F32 = DType.F32
SIZES = [(1, 16), (2, 17), (3, 31), (1, 1), (5, 15)]  # rows and columns of maps


def over_channels(op, **attrs):
    return lambda b, x: b.add(op, [x], name="r", dims=(1,), keepdims=True, **attrs)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("op", ["sum", "mean", "max", "min", "var"])
def test_reductions(op, size):
    extra = {"correction": 1} if op == "var" else {}
    check([((2, 48, *size), F32)], over_channels(op, **extra), block=True, plain=("r",), tolerance=3e-5)


@pytest.mark.parametrize("channels", [16, 128, 144, 272])
def test_channels_in_chunks(channels):
    check([((1, channels, 3, 19), F32)], over_channels("var", correction=0), block=True, plain=("r",), tolerance=3e-5)


def normalised(b, x, w, c):
    mean = b.add("mean", [x], name="m", dims=(1,), keepdims=True)
    away = b.add("sub", [x, mean])
    square = b.add("mean", [b.add("square", [away])], name="v", dims=(1,), keepdims=True)
    scale = b.add("rsqrt", [b.add("add", [square, b.constant(np.float32(1e-5))], name="e")], name="s")
    return b.add("add", [b.add("mul", [b.add("mul", [away, scale]), w]), c])


REDUCED = ("m", "v", "e", "s")


@pytest.mark.parametrize("borders", [{}, {"x0": ((1, 1), (1, 1))}, {"x0": ((3, 0), (2, 3))}])
@pytest.mark.parametrize("size", SIZES)
def test_layer_norm(size, borders):
    operands = [((2, 64, *size), F32), ((64, 1, 1), F32), ((64, 1, 1), F32)]
    check(operands, normalised, constants=(1, 2), block=True, plain=REDUCED, borders=borders, tolerance=2e-5)


def test_what_is_reduced_is_read_and_stored_as_well():
    def function(b, x, y):
        top = b.add("max", [x], name="m", dims=(1,), keepdims=True)
        both = b.add("mul", [top, y], name="v")
        return both, b.add("sub", [x, both])

    check([((2, 32, 5, 21), F32), ((2, 1, 5, 21), F32)], function, block=True, plain=("m", "v", "x1"))


def test_softmax_keeps_powers():
    def function(b, x):
        powers = b.add("exp", [b.add("sub", [x, b.add("max", [x], name="m", dims=(1,), keepdims=True)])])
        return b.add("div", [powers, b.add("sum", [powers], name="v", dims=(1,), keepdims=True)])

    check([((2, 48, 3, 23), F32)], function, block=True, plain=("m", "v"))


def test_networks_take_the_kernel():
    text = NETWORKS["channel_norm"]
    templates = {k.template for k in plan_of(text).kernels}
    assert "dfp_pixels.c.j2" in templates and not {"dfp_rows.c.j2", "dfp_move.c.j2"} & templates


@pytest.mark.parametrize("isa", isas_by_default())
def test_nan_and_infinity_stay_in_their_pixel(isa):
    shape = (1, 32, 3, 21)
    graph = build([(shape, F32), ((32, 1, 1), F32), ((32, 1, 1), F32)], normalised, (1, 2))
    x, w, c = sample([(shape, F32), ((32, 1, 1), F32), ((32, 1, 1), F32)], {})
    want = run(graph, isa, x, w, c)
    x[0, 3, 0, 1], x[0, 5, 1, 20], x[0, 7, 2, 4] = np.nan, np.inf, 1e30
    got = run(graph, isa, x, w, c)
    hit = np.zeros(shape[2:], bool)
    hit[0, 1] = hit[1, 20] = hit[2, 4] = True
    assert np.array_equal(got[0][:, ~hit], want[0][:, ~hit])
    assert np.isnan(got[0, :, 0, 1]).all() and np.isnan(got[0, 5, 1, 20])


def run(graph, isa, x, w, c):
    region = as_region(graph, "dfp", "", block=by_name(isa).lanes, plain=REDUCED)
    (y,) = run_region(region, {"x0": x}, {"x1": w, "x2": c}, isa=isa)
    return np.array(y)


@pytest.mark.parametrize("rows", [(16,), (17,), (3, 31), (2, 5, 64)])
@pytest.mark.parametrize("channels", [32, 48, 128])
def test_short_rows(rows, channels):
    def function(b, x, y, w, c):
        added = b.add("add", [x, y])
        return added, b.add("layer_norm", [added, w, c], dims=1, eps=1e-5)

    shape = (*rows, channels)
    check([(shape, F32), (shape, F32), ((channels,), F32), ((channels,), F32)], function, constants=(2, 3), tolerance=2e-5)


def test_short_rows_with_gaps_and_a_result_of_each():
    def function(b, x):
        top = b.add("max", [x], dims=(2,), keepdims=True)
        return top, b.add("sub", [x, top])

    check([((3, 37, 64), F32)], function, strides={"x0": (37 * 80, 80, 1)})


def test_rows_of_many_elements_are_left_to_one_vector_at_a_time():
    templates = {rows: {k.template for k in plan_of(layer_norm(rows, 768)).kernels} for rows in (197, 5)}
    assert templates[197] == templates[5] == {"dfp_rows.c.j2"}
    assert {k.template for k in plan_of(layer_norm(197, 128)).kernels} == {"dfp_pixels.c.j2"}
    assert {k.template for k in plan_of(layer_norm(5, 128)).kernels} == {"dfp_rows.c.j2"}


def layer_norm(rows, channels):
    return f"graph(%x: f32[{rows},{channels}]) {{\n  %y: f32[{rows},{channels}] = layer_norm(%x){{dims=1, eps=1e-06}}\n  return %y\n}}"
