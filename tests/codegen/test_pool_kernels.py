"""Pooling kernels, blocked and row-major, against the float64 interpreter and torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.codegen.targets import by_name, runnable
from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.dim import evaluate as size_of
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.harness import as_region, run_region


def build(op: str, shape, dtype=DType.F32, epilogue=(), **attrs) -> Graph:
    """op(x) and pointwise ops; "add" reads an input of the result's shape, "scale" one number per image and channel."""
    b = GraphBuilder()
    y = b.add(op, [b.input("x", TensorType(dtype, tuple(shape)))], **attrs)
    out = b.type_of(y).shape
    for name in epilogue:
        extra = {"add": out, "scale": (*out[:2], *(1 for _ in out[2:]))}.get(name)
        y = (
            b.add("add" if name == "add" else "mul", [y, b.input(name, TensorType(dtype, extra))])
            if extra
            else b.add(name, [y])
        )
    return b.build([y])


def check(graph: Graph, isa: str, threads: int, *, blocked: bool, symbols=None, strides=None, border: int = 1) -> None:
    rng = np.random.default_rng(3)
    inputs = {}
    for v in graph.inputs:
        t = graph.type_of(v)
        values = 50 * rng.standard_normal([size_of(d, symbols or {}) for d in t.shape])
        inputs[v] = np.abs(values).astype(t.dtype.numpy) if t.dtype is DType.U8 else values.astype(t.dtype.numpy)
    anchor = next(n.op for n in graph.nodes if "pool" in n.op)
    integers = not graph.type_of("x").dtype.is_float
    want = evaluate(graph, inputs, {}, precision=None if integers else np.float64)[graph.outputs[0]]
    lanes = by_name(isa).lanes
    plain = () if blocked else tuple(n.name for n in graph.nodes)
    region = as_region(graph, "dnn", anchor, lanes if blocked else 0, plain)
    rank = graph.type_of("x").rank - 2
    borders = {v: ((border, border),) * rank for v in ("x", *graph.outputs)} if blocked else None
    got = run_region(region, inputs, isa=isa, threads=threads, borders=borders, symbols=symbols, strides=strides)[0]
    tolerance = {"float64": 1e-12, "float32": 3e-6, "float16": 2e-3}.get(str(got.dtype), 0)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=100 * tolerance)


def pairs(*padding) -> tuple:
    return tuple(p if isinstance(p, tuple) else (p, p) for p in padding)


def maximum(kernel, stride, padding, dilation=None, ceil=False) -> dict:
    return {
        "kernel": kernel,
        "stride": stride,
        "padding": pairs(*padding),
        "dilation": dilation or (1,) * len(kernel),
        "ceil_mode": ceil,
    }


def mean(kernel, stride, padding, ceil=False, include=True, divisor=None) -> dict:
    return {
        "kernel": kernel,
        "stride": stride,
        "padding": pairs(*padding),
        "ceil_mode": ceil,
        "count_include_pad": include,
        "divisor": divisor,
    }


CASES = [
    ("max_pool", (1, 16, 12, 14), maximum((2, 2), (2, 2), (0, 0)), ("relu",)),
    ("max_pool", (2, 17, 15, 23), maximum((3, 3), (2, 2), (1, 1)), ()),
    ("max_pool", (1, 8, 13, 13), maximum((3, 3), (2, 2), (0, 0), ceil=True), ("scale",)),
    ("max_pool", (1, 5, 9, 21), maximum((3, 3), (1, 1), (1, 1)), ("add", "sigmoid")),
    ("max_pool", (1, 7, 14, 15), maximum((3, 2), (1, 2), (1, 1), (2, 1)), ()),
    ("max_pool", (1, 4, 16, 20), maximum((3, 3), (1, 1), (2, 2), (2, 2)), ()),
    ("max_pool", (1, 9, 13, 13), maximum((13, 13), (1, 1), (6, 6)), ()),
    ("max_pool", (1, 3, 8, 40), maximum((1, 33), (1, 2), (0, 16)), ()),
    ("max_pool", (2, 15, 30), maximum((3,), (2,), (1,)), ()),
    ("max_pool", (1, 5, 6, 7, 8), maximum((2, 3, 2), (2, 1, 2), (0, 1, 1)), ()),
    ("avg_pool", (1, 16, 12, 14), mean((2, 2), (2, 2), (0, 0)), ()),
    ("avg_pool", (1, 9, 11, 12), mean((3, 3), (1, 1), (1, 1)), ("relu",)),
    ("avg_pool", (1, 9, 11, 12), mean((3, 3), (2, 2), (1, 1), include=False), ()),
    ("avg_pool", (1, 9, 11, 12), mean((3, 3), (2, 2), (1, 1), ceil=True), ()),
    ("avg_pool", (1, 9, 12, 12), mean((3, 3), (2, 2), (0, 0), ceil=True, include=False), ()),
    ("avg_pool", (2, 3, 11, 12), mean((3, 2), (2, 2), (1, 1), divisor=5), ()),
    ("avg_pool", (1, 33, 7, 7), mean((7, 7), (1, 1), (0, 0)), ("relu",)),
    ("avg_pool", (1, 33, 7, 7), mean((7, 7), (7, 7), (0, 0), divisor=7), ()),
    ("avg_pool", (2, 6, 25), mean((5,), (3,), (2,)), ()),
    ("avg_pool", (1, 4, 5, 6, 7), mean((2, 2, 3), (1, 2, 2), (1, 0, 1), include=False), ()),
    ("avg_pool", (1, 3, 9, 40), mean((3, 3), (1, 1), (1, 1), include=False), ("add",)),
    ("avg_pool", (2, 3, 5000), mean((25,), (25,), (0,)), ()),
    ("max_pool", (2, 3, 700), maximum((21,), (3,), (10,)), ("relu",)),
    ("max_pool", (1, 2, 4097), maximum((2,), (2,), (0,)), ()),
    ("max_pool", (1, 2, 300), maximum((5,), (4,), (2,), (2,), ceil=True), ()),
    ("avg_pool", (1, 2, 333), mean((3,), (6,), (1,)), ()),
    ("adaptive_avg_pool", (2, 17, 7, 9), {"output_size": (1, 1)}, ("relu",)),
    ("adaptive_avg_pool", (1, 8, 14, 14), {"output_size": (7, 7)}, ()),
    ("adaptive_avg_pool", (1, 8, 13, 7), {"output_size": (6, 6)}, ("add",)),
    ("adaptive_avg_pool", (1, 3, 3, 2), {"output_size": (7, 7)}, ()),
    ("adaptive_avg_pool", (1, 3, 40), {"output_size": (1,)}, ()),
    ("adaptive_max_pool", (1, 9, 10, 11), {"output_size": (3, 4)}, ()),
    ("adaptive_max_pool", (2, 16, 5, 6, 7), {"output_size": (1, 1, 1)}, ()),
    ("adaptive_avg_pool", (1, 5, 5, 6, 7), {"output_size": (2, 6, 3)}, ()),
]


@pytest.mark.parametrize("isa,blocked,case", thinned([True, False], range(len(CASES))))
def test_equals_reference(isa: str, blocked: bool, case: int) -> None:
    op, shape, attrs, epilogue = CASES[case]
    check(build(op, shape, epilogue=epilogue, **attrs), isa, 1 + case % 3, blocked=blocked)


@pytest.mark.parametrize("dtype", [DType.F64, DType.F16, DType.I64, DType.I32, DType.I8, DType.U8], ids=str)
def test_other_dtypes_row_major(dtype: DType) -> None:
    check(build("max_pool", (1, 3, 8, 9), dtype, **maximum((3, 2), (2, 1), (1, 1))), runnable()[0], 2, blocked=False)
    if dtype.is_float:
        check(build("avg_pool", (2, 3, 8, 9), dtype, **mean((3, 2), (2, 1), (1, 1))), runnable()[0], 2, blocked=False)


@pytest.mark.parametrize("isa", runnable())
def test_symbolic_sizes_and_strides(isa: str) -> None:
    n, h, w = (Dim.symbol(s, 2) for s in ("n", "h", "w"))
    sizes = {"n": 2, "h": 9, "w": 20}
    for op, attrs in (
        ("max_pool", maximum((3, 3), (2, 2), (1, 1))),
        ("adaptive_avg_pool", {"output_size": (1, 1)}),
        ("adaptive_avg_pool", {"output_size": (2, 3)}),
    ):
        graph = build(op, (n, 5, h, w), **attrs)
        check(graph, isa, 2, blocked=True, symbols=sizes)
        check(graph, isa, 2, blocked=False, symbols=sizes, strides={"x": (h * w * 5, 1, w * 5, 5)})


@pytest.mark.parametrize(
    "shape, op, attrs",
    [((6, 20), "max_pool", maximum((3,), (2,), (1,))), ((4, 9, 33), "adaptive_avg_pool", {"output_size": (3, 1)})],
)
def test_without_batch(shape, op, attrs) -> None:
    check(build(op, shape, **attrs), runnable()[0], 2, blocked=False)


@pytest.mark.parametrize("blocked", [True, False], ids=["blocked", "plain"])
@pytest.mark.parametrize("isa", runnable())
def test_nan_and_inf_as_torch(isa: str, blocked: bool) -> None:
    x = np.random.default_rng(0).standard_normal((1, 16, 9, 20)).astype(np.float32)
    x[0, 3, 0, 0], x[0, 4, 5, 6], x[0, 5, 8, 19], x[0, 6] = np.nan, np.inf, np.nan, -np.inf
    t = torch.from_numpy(x)
    wanted = {
        ("max_pool", "a"): (maximum((3, 3), (2, 2), (1, 1)), torch.nn.functional.max_pool2d(t, 3, 2, 1)),
        ("avg_pool", "b"): (mean((3, 3), (1, 1), (1, 1)), torch.nn.functional.avg_pool2d(t, 3, 1, 1)),
        ("adaptive_max_pool", "c"): ({"output_size": (1, 1)}, torch.nn.functional.adaptive_max_pool2d(t, 1)),
        ("avg_pool", "d"): (mean((3, 3), (2, 2), (1, 1), True, True), torch.nn.functional.avg_pool2d(t, 3, 2, 1, True)),
        ("max_pool", "e"): (
            maximum((3, 17), (1, 2), (1, 8)),
            torch.nn.functional.max_pool2d(t, (3, 17), (1, 2), (1, 8)),
        ),
    }
    for (op, _), (attrs, want) in wanted.items():
        graph = build(op, x.shape, **attrs)
        region = as_region(graph, "dnn", op, by_name(isa).lanes if blocked else 0)
        got = run_region(region, {"x": x}, isa=isa)[0]
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-5, atol=1e-5)


def test_bfloat16_is_refused_with_a_remedy() -> None:
    graph = build("max_pool", (1, 2, 4, 4), DType.BF16, **maximum((2, 2), (2, 2), (0, 0)))
    with pytest.raises(UnsupportedError, match="cast"):
        run_region(as_region(graph, "dnn", "max_pool"), {"x": np.zeros((1, 2, 4, 4), np.float32)})
