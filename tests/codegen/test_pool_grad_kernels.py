"""Kernels of gradients of pooling, blocked and row-major, against the float64 interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.targets import by_name
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.ops.pool import pool_size
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.harness import as_region, run_region
from tests.random_numbers import rng

PLAIN = ((0, 0), (0, 0))
ROUND = ((1, 1), (1, 1))
OF_MAXIMA = [
    ((11, 14), {"kernel": (3, 3), "stride": (2, 2), "padding": ROUND, "dilation": (1, 1)}),
    ((8, 8), {"kernel": (2, 2), "stride": (2, 2), "padding": PLAIN, "dilation": (1, 1), "ceil_mode": True}),
    ((9, 13), {"kernel": (3, 2), "stride": (1, 3), "padding": ((1, 1), (0, 1)), "dilation": (2, 1), "ceil_mode": True}),
    ((5, 5), {"kernel": (2, 1), "stride": (4, 3), "padding": PLAIN, "dilation": (1, 1)}),
]
CASES = [
    *[("max_pool_grad", *case) for case in OF_MAXIMA],
    *[(op, *case) for op in ("max_pool_taps", "max_pool_taps_grad") for case in OF_MAXIMA],
    ("avg_pool_grad", (8, 10), {"kernel": (2, 2), "stride": (2, 2), "padding": PLAIN}),
    ("avg_pool_grad", (9, 11), {"kernel": (3, 3), "stride": (2, 2), "padding": ROUND, "ceil_mode": True}),
    ("avg_pool_grad", (9, 11), {"kernel": (3, 3), "stride": (1, 1), "padding": ROUND, "count_include_pad": False}),
    ("avg_pool_grad", (7, 8), {"kernel": (3, 2), "stride": (2, 2), "padding": ROUND, "divisor": 5}),
    ("adaptive_avg_pool_grad", (9, 11), {"out": (4, 3)}),
    ("adaptive_avg_pool_grad", (6, 6), {"out": (7, 7)}),
]


def build(op: str, lead: tuple[int, ...], size: tuple[int, int], dtype: DType, options: dict) -> Graph:
    b, attrs = GraphBuilder(), dict(options)
    out = attrs.pop("out", None)
    if out is None:
        rows = zip(size, attrs["kernel"], attrs["stride"], attrs["padding"], attrs.get("dilation", (1, 1)))
        out = tuple(pool_size(*row, attrs.get("ceil_mode", False)) for row in rows)
    operands = [b.input("grad", TensorType(dtype, (*lead, *out)))]
    if op == "max_pool_taps":
        operands = [b.input("x", TensorType(dtype, (*lead, *size)))]
    elif op == "max_pool_taps_grad":
        operands.insert(0, b.input("taps", TensorType(DType.U8, (*lead, *out))))
        attrs["size"] = size
    elif op.startswith("max"):
        operands.insert(0, b.input("x", TensorType(dtype, (*lead, *size))))
    else:
        attrs["size"] = size
    return b.build([b.add(op, operands, **attrs)])


def taps_within(graph: Graph) -> np.ndarray:
    """Taps of some map, all of which lie in it."""
    node = graph.nodes[-1]
    options = {k: v for k, v in node.attrs.items() if k != "size"}
    x = rng.integers(-3, 4, (*graph.type_of("taps").shape[:-2], *node.attrs["size"])).astype(np.float32)
    made = build("max_pool_taps", x.shape[:-2], x.shape[-2:], DType.F32, options)
    return evaluate(made, {"x": x}, {})[made.outputs[0]]


def check(graph: Graph, isa: str, threads: int, blocked: bool) -> None:
    inputs = {v: rng.integers(-3, 4, graph.type_of(v).shape).astype(graph.type_of(v).dtype.numpy) for v in graph.inputs}
    if "x" in inputs:
        inputs["x"][0, 0, 1, :2] = np.nan
        inputs["x"][-1, -1] = -np.inf
    if "taps" in inputs:
        inputs["taps"] = taps_within(graph)
    want = evaluate(graph, inputs, {}, precision=np.float64)[graph.outputs[0]]
    op = graph.nodes[-1].op
    region = as_region(graph, "dfp", op, by_name(isa).lanes if blocked else 0, () if blocked else tuple(n.name for n in graph.nodes))
    borders = {v: ((1, 1), (2, 2)) for v in (*graph.inputs, *graph.outputs)} if blocked else None
    got = run_region(region, inputs, isa=isa, threads=threads, borders=borders)[0]
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("isa,channels,op,size,options", thinned([1, 7, 8, 16, 17, 33], CASES))
def test_blocked(isa: str, channels: int, op: str, size: tuple[int, int], options: dict) -> None:
    for threads in (1, 2):
        check(build(op, (2, channels), size, DType.F32, options), isa, threads, True)


@pytest.mark.parametrize("isa,channels,size,options", thinned([0, 7, 16, 17], OF_MAXIMA))
def test_maxima_beside_taps(isa: str, channels: int, size: tuple[int, int], options: dict) -> None:
    """One kernel for both, blocked or (channels = 0) row-major."""
    made = build("max_pool_taps", (2, channels or 3), size, DType.F32, options)
    b = GraphBuilder()
    x = b.input("x", made.type_of("x"))
    graph = b.build([b.add("max_pool", [x], **options), b.add("max_pool_taps", [x], **options)])
    values = rng.integers(-3, 4, made.type_of("x").shape).astype(np.float32)
    values[0, 0, 1, :2] = np.nan
    values[-1, -1] = -np.inf
    nodes = tuple(n.name for n in graph.nodes)
    region = as_region(graph, "dfp", "max_pool_taps", by_name(isa).lanes if channels else 0, () if channels else nodes)
    borders = {v: ((1, 1), (2, 2)) for v in ("x", graph.outputs[0])} if channels else None
    want = evaluate(graph, {"x": values}, {}, precision=np.float64)
    for threads in (1, 2):
        for got, output in zip(run_region(region, {"x": values}, isa=isa, threads=threads, borders=borders), graph.outputs, strict=True):
            np.testing.assert_array_equal(got, want[output])


@pytest.mark.parametrize("isa,dtype,op,size,options", thinned([DType.F32, DType.F64], CASES))
def test_row_major(isa: str, dtype: DType, op: str, size: tuple[int, int], options: dict) -> None:
    check(build(op, (2, 5), size, dtype, options), isa, 2, False)
    if op not in ("max_pool_grad", "max_pool_taps"):  # whose inputs, with NaN in places, have four dimensions
        check(build(op, (3,), size, dtype, options), isa, 1, False)
