"""The interpreter: precision, symbols, memory, regions, constants, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.errors import InputError, SolError, UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Graph
from sol.ir.interpret import SMALL, evaluate, evaluate_constants, evaluate_outputs
from sol.ir.types import DType, TensorType
from tests.random_numbers import rng

F32, F64, I64 = DType.F32, DType.F64, DType.I64
S = Dim.symbol("s0", 2, 100)


def two_layers() -> Graph:
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (S, 3, 8, 8)))
    w, bias = b.parameter("conv.weight", TensorType(F32, (4, 3, 3, 3))), b.parameter("conv.bias", TensorType(F32, (4,)))
    y = b.add("conv", [x, w, bias], stride=(1, 1), padding=((1, 1), (1, 1)), dilation=(1, 1))
    y = b.add("reshape", [b.add("relu", [y])], shape=(S, 256))
    return b.build([b.add("linear", [y, b.parameter("fc.weight", TensorType(F32, (5, 256)))])])


def test_network_equals_torch() -> None:
    x = rng.standard_normal((2, 3, 8, 8)).astype(np.float32)
    shapes = {"conv.weight": (4, 3, 3, 3), "conv.bias": (4,), "fc.weight": (5, 256)}
    parameters = {n: rng.standard_normal(s).astype(np.float32) for n, s in shapes.items()}
    (y,) = evaluate_outputs(two_layers(), [x], parameters)
    t = {n: torch.from_numpy(p).double() for n, p in parameters.items()}
    expected = F.conv2d(torch.from_numpy(x).double(), t["conv.weight"], t["conv.bias"], padding=1).relu().flatten(1)
    np.testing.assert_allclose(y, (expected @ t["fc.weight"].T).numpy(), rtol=1e-12, atol=1e-12)
    (y32,) = evaluate_outputs(two_layers(), [x], parameters, precision=None)
    assert (y.dtype, y32.dtype) == (np.float64, np.float32)


def test_wanted_inner_values_and_only_what_they_need() -> None:
    parameters = {"conv.weight": np.ones((4, 3, 3, 3)), "conv.bias": np.ones(4)}
    values = evaluate(two_layers(), {"x": np.ones((2, 3, 8, 8))}, parameters, wanted=["relu", "conv"])
    assert list(values) == ["relu", "conv"]


def test_integers_and_bools_are_exact() -> None:
    b = GraphBuilder()
    x = b.input("x", TensorType(I64, (2,)))
    big = b.add("add", [x, b.constant(1, I64)])
    y, less = evaluate_outputs(b.build([big, b.add("lt", [x, big])]), [np.array([2**60, -(2**60)])])
    assert y.tolist() == [2**60 + 1, 1 - 2**60]
    assert less.dtype == np.bool_


def test_half_precision_operands_are_computed_in_float64() -> None:
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.F16, (1,)))
    graph = b.build([b.add("exp", [x])])
    (y,) = evaluate_outputs(graph, [np.array([0.5], np.float16)])
    assert y == np.exp(np.float64(0.5))


def test_symbols_are_bound_by_shapes() -> None:
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (S * 2 + 1,)))
    y = b.add("slice", [x], dim=0, start=S, stop=S * 2 + 1, step=1)
    ramp = b.add("iota", [], size=S)
    first, second = evaluate_outputs(b.build([y, ramp]), [np.arange(9.0)])
    assert first.tolist() == [4, 5, 6, 7, 8]
    assert second.tolist() == [0, 1, 2, 3]
    only = GraphBuilder()
    (ramp,) = evaluate_outputs(only.build([only.add("iota", [], size=S)]), [], symbols={"s0": 3})
    assert ramp.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([np.zeros((2, 4)), np.zeros((3, 4))], "s0 is 3, but 2"),
        ([np.zeros((1, 4)), np.zeros((1, 4))], "takes 2 to 100"),
        ([np.zeros((2, 5)), np.zeros((2, 4))], "has shape"),
        ([np.zeros(2), np.zeros((2, 4))], "dimensions"),
        ([np.zeros((2, 4))], "takes 2 inputs"),
    ],
)
def test_misfit_inputs(arrays: list, message: str) -> None:
    b = GraphBuilder()
    graph = b.build([b.add("add", [b.input(n, TensorType(F32, (S, 4))) for n in "xy"])])
    with pytest.raises(InputError, match=message):
        evaluate_outputs(graph, arrays)


def test_missing_values_are_named() -> None:
    with pytest.raises(InputError, match=r"conv\.weight"):
        evaluate_outputs(two_layers(), [np.ones((2, 3, 8, 8))], {})
    with pytest.raises(InputError, match="input x"):
        evaluate(two_layers(), {}, {})


def test_torch_call_is_refused_with_its_reason() -> None:
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (2,)))
    y = b.add("torch_call", [x], key="aten.nonzero", types=(TensorType(F32, (2,)),), reason="size depends on data")
    with pytest.raises(UnsupportedError, match="size depends on data"):
        evaluate_outputs(b.build([y]), [np.zeros(2)])


def nested(parameter: bool = False) -> Graph:
    inner = GraphBuilder()
    a = inner.input("a", TensorType(F32, (S, 4)))
    value = inner.add("expand", [inner.add("mean", [a], dims=(0,), keepdims=True)], shape=(S, 4))
    body = inner.build([inner.add("sub", [a, value]), value])
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (S, 4)))
    return b.build(b.add("region", [x], kind="dfp", body=body))


def test_region() -> None:
    x = rng.standard_normal((5, 4))
    centred, mean = evaluate_outputs(nested(), [x])
    np.testing.assert_allclose(centred, x - x.mean(0), rtol=1e-14)
    np.testing.assert_allclose(mean, np.broadcast_to(x.mean(0), x.shape), rtol=1e-14)


def test_region_reference_alone() -> None:
    from sol.ir.ops import spec_of

    node = nested().nodes[-1]
    centred, _ = spec_of("region").reference(node.attrs, np.arange(8.0).reshape(2, 4))
    np.testing.assert_array_equal(centred, [[-2.0] * 4, [2.0] * 4])


def test_values_are_freed_after_their_last_use(monkeypatch: pytest.MonkeyPatch) -> None:
    from sol.ir import interpret

    most = 0
    compute = interpret._Values._compute

    def watched(self: Any, *args: Any) -> Any:
        nonlocal most
        most = max(most, len(self.arrays))
        return compute(self, *args)

    monkeypatch.setattr(interpret._Values, "_compute", watched)
    b = GraphBuilder()
    value = b.input("x", TensorType(F32, (4,)))
    for _ in range(20):
        value = b.add("neg", [value])
    evaluate_outputs(b.build([value]), [np.ones(4)])
    assert most == 1


def folding(size: int) -> tuple[Graph, str]:
    b = GraphBuilder()
    w, scale = b.parameter("w", TensorType(F32, (size,))), b.parameter("scale", TensorType(F32, (1,)))
    x = b.input("x", TensorType(F32, (1,)))
    value = b.add("mul", [w, b.add("rsqrt", [scale])])
    return b.build([b.add("add", [value, x])]), value


@pytest.mark.parametrize("size", (SMALL, SMALL + 1))
def test_constants(size: int) -> None:
    graph, value = folding(size)
    w, scale = rng.standard_normal(size).astype(np.float32), np.array([0.3], np.float32)
    folded = evaluate_constants(graph, [value, "rsqrt"], {"w": w, "scale": scale})
    assert folded[value].dtype == np.float32
    exact = w / np.sqrt(np.float64(scale))
    if size <= SMALL:
        np.testing.assert_array_equal(folded[value], exact.astype(np.float32))
    np.testing.assert_allclose(folded[value], exact, rtol=3e-7)
    with pytest.raises(SolError, match="depends on an input"):
        evaluate_constants(graph, ["add"], {"w": w, "scale": scale})


@pytest.mark.parametrize("jump", ["cast", "floor", "lt", "round"])
def test_constants_jump_where_run_time_does(jump: str) -> None:
    """(i + 0.5) * 0.48 is 6 for i = 12 in float32, but 5.99999988 with the float32 next to 0.48 in float64."""
    b = GraphBuilder()
    places = b.add("cast", [b.add("iota", [], size=50, start=0, step=1, dtype=DType.I64)], dtype=F32)
    scaled = b.add("mul", [b.add("add", [places, b.constant(0.5, F32)]), b.parameter("scale", TensorType(F32, ()))])
    at_half = b.add("add", [scaled, b.constant(-0.5, F32)]) if jump == "round" else scaled
    operands = [at_half, b.constant(6.0, F32)] if jump == "lt" else [at_half]
    value = b.add(jump, operands, **({"dtype": DType.I64} if jump == "cast" else {}))
    graph, given = b.build([value]), {"scale": np.float32(0.48)}
    want = evaluate(graph, {}, given, precision=None)[value]
    assert (want != evaluate(graph, {}, given, precision=np.float64)[value]).any()
    np.testing.assert_array_equal(evaluate_constants(graph, [value], given)[value], want)


def test_constants_of_double_stay_double() -> None:
    b = GraphBuilder()
    w = b.parameter("w", TensorType(F64, (SMALL + 1,)))
    value = b.add("exp", [w])
    array = rng.standard_normal(SMALL + 1)
    np.testing.assert_array_equal(evaluate_constants(b.build([value]), [value], {"w": array})[value], np.exp(array))


def test_only_wanted_constants_are_computed() -> None:
    b = GraphBuilder()
    p, q = b.parameter("p", TensorType(F32, (2,))), b.parameter("q", TensorType(F32, (2,)))
    graph = b.build([b.add("neg", [p]), b.add("exp", [q])])
    assert evaluate_constants(graph, ["neg"], {"p": np.ones(2, np.float32)})["neg"].tolist() == [-1, -1]
