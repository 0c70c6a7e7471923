"""Row-major convolutions and their transposes against the float64 interpreter and torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.codegen.targets import runnable
from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.dim import evaluate as size_of
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.strides import contiguous_strides
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.harness import as_region, run_region


def build(
    op: str, x_shape, w_shape, dtype=DType.F32, *, bias=True, epilogue=(), constant=True, **attrs
) -> tuple[Graph, dict]:
    """op(x, w[, b]) and pointwise ops; "add", "scale" and "column" read an input of the result's, a channel's, a row's shape."""
    rng = np.random.default_rng(0)
    b = GraphBuilder()
    k = w_shape[0] if op == "conv" else w_shape[1] * attrs["groups"]
    parameters = {
        "w": rng.standard_normal(w_shape).astype(dtype.numpy),
        "b": rng.standard_normal(k).astype(dtype.numpy),
    }
    new = b.parameter if constant else b.input
    x = b.input("x", TensorType(dtype, tuple(x_shape)))
    operands = [x, new("w", TensorType(dtype, tuple(w_shape)))] + ([new("b", TensorType(dtype, (k,)))] if bias else [])
    y = b.add(op, operands, **attrs)
    out = b.type_of(y).shape
    extra = {"add": out, "scale": (k, *(1 for _ in out[2:])), "column": out[-1:]}
    for name in epilogue:
        y = (
            b.add("mul" if name == "scale" else "add", [y, b.input(name, TensorType(dtype, extra[name]))])
            if name in extra
            else b.add(name, [y])
        )
    return b.build([y]), parameters


def check(graph: Graph, parameters: dict, isa: str, threads: int, symbols=None, strides=None) -> np.ndarray:
    rng = np.random.default_rng(1)
    inputs = {}
    for v in graph.inputs:
        t = graph.type_of(v)
        inputs[v] = parameters.get(
            v, rng.standard_normal([size_of(d, symbols or {}) for d in t.shape]).astype(t.dtype.numpy)
        )
    want = evaluate(graph, inputs, parameters)[graph.outputs[0]]
    anchor = next(n.op for n in graph.nodes if n.op in ("conv", "conv_transpose"))
    got = run_region(
        as_region(graph, "dnn", anchor), inputs, parameters, isa=isa, threads=threads, symbols=symbols, strides=strides
    )[0]
    tolerance = 1e-12 if got.dtype == np.float64 else 3e-5
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * max(1.0, float(np.abs(want).max(initial=0))))
    return got


def conv(x, w, s, p, d, g) -> dict:
    return {
        "x_shape": x,
        "w_shape": w,
        "stride": s,
        "padding": tuple(q if isinstance(q, tuple) else (q, q) for q in p),
        "dilation": d,
        "groups": g,
    }


CONVS = [
    (conv((1, 3, 9, 33), (8, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1), {"epilogue": ("relu",)}),
    (conv((2, 6, 7, 15), (9, 2, 3, 3), (2, 2), (1, 1), (1, 1), 3), {"epilogue": ("add", "relu")}),
    (conv((1, 5, 8, 17), (5, 1, 3, 3), (1, 1), (1, 1), (1, 1), 5), {"epilogue": ("scale", "column")}),
    (conv((2, 4, 40), (7, 4, 5), (3,), (2,), (2,), 1), {"bias": False}),
    (conv((1, 3, 5, 6, 7), (4, 3, 2, 3, 2), (1, 2, 1), (1, 0, (0, 1)), (1, 1, 2), 1), {}),
    (conv((1, 4, 6, 8), (6, 2, 3, 3), (1, 1), ((-1, 0), (2, -1)), (1, 1), 2), {"epilogue": ("sigmoid",)}),
    (conv((1, 7, 5, 16), (1, 7, 1, 1), (1, 1), (0, 0), (1, 1), 1), {"constant": False}),
    (conv((1, 2, 6, 9), (17, 2, 3, 3), (1, 1), (1, 1), (1, 1), 1), {"dtype": DType.F64}),
    (conv((1, 9, 4, 30), (9, 1, 1, 7), (1, 2), (0, 3), (1, 1), 9), {"dtype": DType.F64, "bias": False}),
    (conv((1, 2, 700), (3, 2, 3), (1,), (1,), (1,), 1), {}),
]


@pytest.mark.parametrize("isa,case", thinned(range(len(CONVS))))
def test_conv_equals_reference(isa: str, case: int) -> None:
    attrs, options = CONVS[case]
    graph, parameters = build("conv", **attrs, **options)
    check(graph, parameters, isa, 1 + case % 3)


TRANSPOSED = [
    (conv((1, 3, 5, 9), (3, 8, 4, 4), (2, 2), (1, 1), (1, 1), 1), (0, 0), {"epilogue": ("relu",)}),
    (conv((2, 6, 4, 7), (6, 2, 3, 3), (2, 3), (1, 0), (1, 1), 3), (1, 2), {"epilogue": ("add",)}),
    (conv((1, 2, 17), (2, 5, 5), (1,), (2,), (2,), 1), (0,), {"bias": False}),
    (conv((1, 3, 3, 4, 5), (3, 2, 2, 3, 2), (2, 1, 2), (0, 1, 0), (1, 2, 1), 1), (1, 0, 0), {}),
    (conv((1, 4, 3, 40), (4, 1, 2, 2), (2, 2), (0, 0), (1, 1), 4), (0, 0), {"dtype": DType.F64, "constant": False}),
    (conv((1, 2, 4, 5), (2, 3, 1, 2), (3, 4), (0, 0), (1, 1), 1), (2, 1), {"epilogue": ("scale", "tanh")}),
]


@pytest.mark.parametrize("isa,case", thinned(range(len(TRANSPOSED))))
def test_transpose_equals_reference(isa: str, case: int) -> None:
    attrs, output_padding, options = TRANSPOSED[case]
    graph, parameters = build("conv_transpose", **attrs, output_padding=output_padding, **options)
    check(graph, parameters, isa, 1 + case % 3)


@pytest.mark.parametrize("isa", runnable())
def test_strided_values_and_symbolic_sizes(isa: str) -> None:
    """Channels-last input, columns of the output with gaps, weights that are transposed."""
    n, h, w = (Dim.symbol(s, 1) for s in ("n", "h", "w"))
    attrs = conv((n, 6, h, w), (4, 3, 3, 3), (1, 2), (1, 1), (1, 1), 2)
    graph, parameters = build("conv", **attrs, epilogue=("add",), constant=False)
    out = graph.type_of(graph.outputs[0]).shape
    columns = contiguous_strides((*out, 2))[:-1]
    strides = {"x": (h * w * 6, 1, w * 6, 6), "w": (1, 4, 36, 12), graph.outputs[0]: columns}
    check(graph, parameters, isa, 2, {"n": 2, "h": 5, "w": 21}, strides)
    attrs = conv((n, 6, h, w), (6, 2, 3, 3), (2, 2), (1, 1), (1, 1), 2)
    graph, parameters = build("conv_transpose", **attrs, output_padding=(1, 0))
    check(graph, parameters, isa, 2, {"n": 2, "h": 4, "w": 20}, {"x": (h * w * 6, 1, w * 6, 6)})


def test_equals_torch() -> None:
    attrs = conv((2, 6, 7, 9), (4, 3, 3, 3), (2, 1), (1, 2), (1, 2), 2)
    graph, parameters = build("conv", **attrs)
    x = np.random.default_rng(5).standard_normal((2, 6, 7, 9)).astype(np.float32)
    x[0, 0, 0, 0], x[1, 5, 6, 8] = np.nan, np.inf
    w, b = (torch.from_numpy(parameters[k]) for k in "wb")
    want = torch.nn.functional.conv2d(torch.from_numpy(x), w, b, (2, 1), (1, 2), (1, 2), 2).numpy()
    got = run_region(as_region(graph, "dnn", "conv"), {"x": x}, parameters)[0]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
    attrs = conv((2, 6, 7, 9), (6, 3, 3, 3), (2, 3), (1, 1), (1, 2), 2)
    graph, parameters = build("conv_transpose", **attrs, output_padding=(1, 2))
    w, b = (torch.from_numpy(parameters[k]) for k in "wb")
    want = torch.nn.functional.conv_transpose2d(torch.from_numpy(x), w, b, (2, 3), (1, 1), (1, 2), 2, (1, 2)).numpy()
    got = run_region(as_region(graph, "dnn", "conv_transpose"), {"x": x}, parameters)[0]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_other_dtypes_are_refused_with_a_remedy() -> None:
    attrs = conv((1, 2, 4, 4), (2, 2, 3, 3), (1, 1), (1, 1), (1, 1), 1)
    graph, parameters = build("conv", dtype=DType.F16, **attrs)
    with pytest.raises(UnsupportedError, match="cast"):
        run_region(as_region(graph, "dnn", "conv"), {"x": np.zeros((1, 2, 4, 4), np.float16)}, parameters)
