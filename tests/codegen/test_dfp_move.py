"""Regions around one op that moves elements, with and without a pointwise epilogue."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from sol.codegen.targets import by_name
from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.interpret import evaluate
from sol.ir.types import DType, Layout, TensorType
from tests.codegen.dfp_cases import build, check
from tests.harness import as_region, run_region
from tests.toolchains import isas_by_default

F32, F16, I64, I32 = DType.F32, DType.F16, DType.I64, DType.I32
SHAPE = (2, 17, 9, 41)
LAYOUTS = pytest.mark.parametrize("block", [False, True], ids=["plain", "blocked"])


@LAYOUTS
@pytest.mark.parametrize("epilogue", [False, True])
def test_copy_flip_pad_cumsum(block, epilogue):
    def then(op, **attrs):
        return lambda b, x: b.add("relu", [b.add(op, [x], **attrs)]) if epilogue else b.add(op, [x], **attrs)

    borders = {"x0": ((1, 2), (2, 1))}
    for op, attrs in [
        ("copy", {}),
        ("transfer", {"space": "near"}),
        ("flip", {"dims": (0, 2, 3)}),
        ("pad", {"pads": ((0, 0), (0, 0), (1, 2), (3, -1)), "value": 0.5}),
        ("pad", {"pads": ((1, 0), (0, 0), (-1, 0), (-2, -3)), "value": float("-inf")}),
        ("cumsum", {"dim": 2}),
    ]:
        check([(SHAPE, F32)], then(op, **attrs), block=block, borders=borders, tolerance=2e-5, threads=(1, 3))


def test_plain_only_moves():
    check([(SHAPE, F32)], lambda b, x: b.add("flip", [x], dims=(1,)))
    check([(SHAPE, F32)], lambda b, x: b.add("pad", [x], pads=((0, 1), (2, 0), (0, 0), (50, 0)), value=3.0))
    check([(SHAPE, F32)], lambda b, x: b.add("cumsum", [x], dim=3), tolerance=2e-5)
    check([((7, 30), I64)], lambda b, x: b.add("cumsum", [x], dim=1))


@LAYOUTS
@pytest.mark.parametrize("dim", [0, 2, 3])
def test_concat(block, dim):
    other = tuple(5 if i == dim else s for i, s in enumerate(SHAPE))
    check([(SHAPE, F32), (other, F32), (other, F32)], lambda b, *xs: b.add("silu", [b.add("concat", list(xs), dim=dim)]), block=block)


@LAYOUTS
@pytest.mark.parametrize("steps", [(2, 2), (1, 3), (3, 1)])
def test_interleave(block, steps):
    size = (11, 8)
    shapes = [(*SHAPE[:2], -(-(size[0] - i) // steps[0]), -(-(size[1] - j) // steps[1])) for i in range(steps[0]) for j in range(steps[1])]

    def function(b, *xs):
        return b.add("relu", [b.add("interleave", xs, steps=steps, size=size)])

    check([((), F32) if i == 1 else (shape, F32) for i, shape in enumerate(shapes)], function, block=block, constants=[1])


def test_concat_of_channels():
    def function(b, x, y, w):
        return b.add("add", [b.add("concat", [x, y], dim=1), w])

    check([((2, 3, 8, 99), F32), ((2, 5, 8, 99), F32), ((8, 1, 1), F32)], function)
    check([((2, 32, 8, 9), F32), ((2, 5, 8, 9), F32), ((37, 1, 1), F32)], function, block=True, constants=(2,))
    check([((2, 3, 8, 99), I32), ((2, 5, 8, 99), I32)], lambda b, x, y: b.add("concat", [x, y], dim=1))


def test_concat_of_symbolic_sizes():
    s = Dim.symbol("s")
    check([((3, s, 8), F32), ((3, 1, 8), F32)], lambda b, x, y: b.add("concat", [x, y], dim=1), symbols={"s": 70})


@LAYOUTS
@pytest.mark.parametrize("count", [1, 16, 40])
def test_channel_select(block, count):
    index = tuple((7 * i + 3) % 40 for i in range(count))
    operands = [(SHAPE, F32), ((2, 23, 9, 41), F32)]
    borders = {"x0": ((1, 1), (1, 1))}
    check(operands, lambda b, x, y: b.add("channel_select", [x, y], index=index), block=block, borders=borders)
    check(operands, lambda b, x, y: b.add("relu", [b.add("channel_select", [x, y], index=index)]), block=block)


def _select(index, b, *xs):
    return b.add("channel_select", list(xs), index=index)


@LAYOUTS
@pytest.mark.parametrize("sources", [1, 9])
def test_channel_select_from_many_tensors(block, sources):
    operands = [((2, 16 + i, 7, 30), F32) for i in range(sources)]
    channels = sum(s[1] for s, _ in operands)
    shuffled = np.random.default_rng(1).permutation(channels)
    indices = [range(channels), shuffled, range(3, channels, 2), [*range(16), 1, 1, *range(16, 21), *shuffled[:3]]]
    borders = {"x0": ((1, 1), (1, 1)), "channel_select": ((0, 2), (1, 0))}
    for index in indices:
        select = partial(_select, tuple(int(i) % channels for i in index))
        check(operands, select, block=block, borders=borders if len(index) % 2 else {}, threads=(3,))


def test_channel_select_of_other_types_and_strides():
    select = partial(_select, (4, 0, 7, 2))
    for dtype in (I64, F16):
        check([((2, 5, 4, 600), dtype), ((2, 3, 4, 600), dtype)], select)
    for strides in ((4800, 960, 2, 16), (4800, 960, 120, 2)):
        check([((1, 5, 8, 60), F32), ((1, 3, 8, 60), F32)], select, strides={"x0": strides})


@pytest.mark.parametrize(
    "shape,index,dim", [((50, 133), (40, 7), 0), ((50,), (9, 9), 0), ((5, 50, 33), (77,), 1), ((5, 50), (70, 2), 1), ((5, 50, 3), (), 1)]
)
@pytest.mark.parametrize("integers", [I64, I32])
def test_take(shape, index, dim, integers):
    check([(shape, F32), (index, integers)], lambda b, x, i: b.add("take", [x, i], dim=dim), high=50)
    check([(shape, F32), (index, integers)], lambda b, x, i: b.add("relu", [b.add("take", [x, i], dim=dim)]), high=50, threads=(3,))


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_gather(dim):
    index = tuple(90 if i == dim else 5 for i in range(3))
    check([((20, 20, 20), F32), (index, I64)], lambda b, x, i: b.add("gather", [x, i], dim=dim), high=20)


def test_index_out_of_range_reads_nothing():
    graph = build([((4, 3), F32), ((5,), I64)], lambda b, x, i: b.add("take", [x, i], dim=0))
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    (y,) = run_region(as_region(graph, "dfp"), {"x0": x, "x1": np.array([0, 4, -4, -5, 2**40])})
    assert np.array_equal(y[[0, 2]], x[[0, 0]]) and np.isnan(y[[1, 3, 4]]).all()


@pytest.mark.parametrize("dtype", [I64, F32, I32], ids=str)
def test_iota(dtype):
    graph = build([((33,), dtype)], lambda b, x: b.add("add", [b.add("iota", [], size=33, start=-2, step=3, dtype=dtype), x]))
    x = np.arange(33).astype(dtype.numpy)
    for team in (1, 3):
        (y,) = run_region(as_region(graph, "dfp"), {"x0": x}, threads=team)
        assert np.array_equal(y, -2 + 3 * np.arange(33) + x)


@pytest.mark.parametrize("channels", [1, 7, 8, 15, 16, 17, 33])
@pytest.mark.parametrize("border", [(0, 0), (1, 2)])
@pytest.mark.parametrize("channels_last", [False, True])
def test_reorder(channels, border, channels_last):
    x = np.random.default_rng(0).standard_normal((2, channels, 19, 37)).astype(np.float32)
    steps = (channels * 19 * 37, 1, 37 * channels, channels)
    for isa in isas_by_default():
        lanes = by_name(isa).lanes
        for source, target in ((0, lanes), (lanes, 0)):
            b = GraphBuilder()
            out = b.add("reorder", [b.input("x", TensorType(F32, x.shape, Layout(source)))], layout=Layout(target))
            region = as_region(b.build([out]), "dfp")
            for team in (1, 3):
                strides = {"x" if target else out: steps} if channels_last else None
                borders = {out if target else "x": (border, border)}
                (y,) = run_region(region, {"x": x}, isa=isa, threads=team, borders=borders, strides=strides)
                assert np.array_equal(y, x)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("size", [(1, 1), (6, 62), (5, 67)])
@pytest.mark.parametrize("strided", [False, True])
def test_space_to_depth(channels, size, strided):
    x = np.random.default_rng(0).standard_normal((2, channels, *size)).astype(np.float32)
    strides = {"x": (channels * size[0] * size[1], 1, size[1] * channels, channels)} if strided else None
    for isa in isas_by_default():
        b = GraphBuilder()
        out = b.add("space_to_depth", [b.input("x", TensorType(F32, x.shape))], layout=Layout(by_name(isa).lanes))
        graph = b.build([out])
        want = evaluate(graph, {"x": x}, {})[out]
        for team in (1, 3):
            (y,) = run_region(as_region(graph, "dfp"), {"x": x}, isa=isa, threads=team, strides=strides, borders={out: ((1, 2), (2, 1))})
            assert np.array_equal(y, want)


@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("clamped", [False, True])
@pytest.mark.parametrize("size", [(1, 1), (6, 7), (31, 33)])
def test_stack_slices(blocked, strided, clamped, size):
    for isa in isas_by_default():
        channels = 2 * by_name(isa).lanes if blocked else 3
        type = TensorType(F32, (8, channels, *size), Layout(by_name(isa).lanes if blocked else 0))
        x = np.random.default_rng(0).standard_normal(type.shape).astype(np.float32)
        strides = {"x": (channels * size[0] * size[1], 1, size[1] * channels, channels)} if strided and not blocked else None
        borders = {"x": ((1, 1), (2, 0))} if strided and blocked else {}
        for attrs in ({"size": 4, "taps": 3, "start": -1}, {"size": 2, "taps": 2, "stride": 2, "dilation": 2, "start": 0}):
            b = GraphBuilder()
            graph = b.build([out := b.add("stack_slices", [b.input("x", type)], depth=4, clamped=clamped, **attrs)])
            want = evaluate(graph, {"x": x}, {})[out]
            for team in (1, 3):
                around = borders | ({out: ((1, 2), (2, 1))} if blocked else {})
                (y,) = run_region(as_region(graph, "dfp"), {"x": x}, isa=isa, threads=team, strides=strides, borders=around)
                assert np.array_equal(y, want)


def test_space_to_depth_to_plain():
    graph = build([((1, 3, 4, 4), F32)], lambda b, x: b.add("space_to_depth", [x]))
    with pytest.raises(UnsupportedError, match="space_to_depth to"):
        run_region(as_region(graph, "dfp"), {"x0": np.zeros((1, 3, 4, 4), np.float32)})


@pytest.mark.parametrize("shape,dim", [((5, 9), 1), ((9, 5), 0), ((3, 70, 66), 1), ((70, 131), 0), ((2, 3, 4, 33), 3), ((1000,), 0)])
@pytest.mark.parametrize("op", ["cumsum", "cumprod"])
def test_running_totals_of_lines_side_by_side_or_in_turn(shape, dim, op):
    for dtype, tolerance in ((F32, 5e-5), (I64, 0), (F16, 1e-2)):
        if op == "cumsum" or dtype is F32:
            check([(shape, dtype)], lambda b, x: b.add(op, [x], dim=dim), tolerance=tolerance, threads=(1, 3), high=3,
                  arrays=[np.full(shape, 1.001, np.float32)] if op == "cumprod" else None)  # fmt: skip


@pytest.mark.parametrize("shape,dim", [((5, 9), 1), ((9, 5), 0), ((3, 70, 66), 1)])
def test_running_logarithms_of_sums_of_powers(shape, dim):
    for dtype, tolerance in ((F32, 1e-6), (DType.F64, 1e-12), (F16, 1e-2)):
        check([(shape, dtype)], lambda b, x: b.add("logcumsumexp", [x], dim=dim), tolerance=tolerance, threads=(1, 3))


@pytest.mark.parametrize("size", [1, 5, 15, 16, 17, 40])
@pytest.mark.parametrize("kind", ["reflect", "wrap", "repeat", "shuffle"])
def test_pick(size, kind):
    """Rows of every length against the vector, with places near and far; strided operands and elements of other sizes."""
    rng = np.random.default_rng(size)
    places = {
        "reflect": np.abs(np.arange(-(size - 1) // 2, size)),
        "wrap": np.arange(-3, size + 2) % size,
        "repeat": np.arange(2 * size) // 2,
        "shuffle": rng.integers(0, size, size + 3),
    }[kind]
    index = tuple(int(p) for p in places)

    def function(b, x):
        return b.add("neg", [b.add("pick", [x], dims=(0, 2), index=((2, 0, 1, 1), index))])

    for dtype in (F32, I32, I64):
        check([((3, 2, size), dtype)], function, tolerance=0, threads=(1, 3))
    check([((3, 2, size), F32)], function, tolerance=0, threads=(2,), strides={"x0": (2, 1, 7)})
    check([((size, 5), F32)], lambda b, x: b.add("pick", [x], dims=(0,), index=(index,)), tolerance=0)
