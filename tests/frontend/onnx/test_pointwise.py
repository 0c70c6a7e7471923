"""Pointwise operators with rules of their own: integer division, shifts, limits, legacy broadcasting, text."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

import sol
from tests.frontend.onnx.models import model, node


def run(op: str, *inputs: np.ndarray, opset: int = 18, **attrs: object) -> np.ndarray:
    """One operator on constants' types, compiled."""
    names = [f"i{k}" for k in range(len(inputs))]
    proto = model([node(op, names, ["y"], **attrs)], {}, ["y"], opset=opset)
    for name, array in zip(names, inputs):
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        proto.graph.input.append(helper.make_tensor_value_info(name, kind, array.shape))
    proto.graph.output[0].type.tensor_type.ClearField("elem_type")
    proto.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    return sol.load(proto, threads=1)(*inputs)


A, B = np.array([-7, 7, -7, 7, -8, 0], np.int32), np.array([2, 2, -2, -2, 4, 3], np.int32)


def test_integers_divide_towards_zero() -> None:
    np.testing.assert_array_equal(run("Div", A, B), [-3, 3, 3, -3, -2, 0])
    np.testing.assert_array_equal(run("Mod", A, B), A % B)
    np.testing.assert_array_equal(run("Mod", A, B, fmod=1), np.fmod(A, B))
    assert run("Div", A, np.zeros_like(B)).dtype == np.int32  # no crash


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.uint32])
def test_shifts(dtype: type) -> None:
    bits = np.iinfo(dtype).bits
    x = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 5, 1], dtype)
    for n in (0, 1, bits - 1):
        shift = np.full_like(x, n)
        np.testing.assert_array_equal(run("BitShift", x, shift, direction="LEFT", opset=11), np.left_shift(x, shift))
        np.testing.assert_array_equal(run("BitShift", x, shift, direction="RIGHT", opset=11), np.right_shift(x, shift))


def test_limits() -> None:
    x = np.array([-3.0, np.nan, 0.5, 9.0], np.float32)
    np.testing.assert_array_equal(run("Clip", x, np.float32(-1), np.float32(6)), [-1, np.nan, 0.5, 6])
    np.testing.assert_array_equal(run("Clip", x, np.float32(2), np.float32(1)), [1, np.nan, 1, 1])
    np.testing.assert_array_equal(run("Clip", x, opset=6, min=0.0), [0, np.nan, 0.5, 9])


def test_small_arguments_of_inverse_functions_stay_exact() -> None:
    x = np.array([1e-6, -1e-4, 0.5, 0.999], np.float32)
    for op, function in {"Asin": np.arcsin, "Asinh": np.arcsinh, "Atanh": np.arctanh, "Sinh": np.sinh, "Acos": np.arccos}.items():
        np.testing.assert_allclose(run(op, x), function(x.astype(np.float64)), rtol=2e-6)
    np.testing.assert_allclose(run("Acosh", 1 + np.abs(x)), np.arccosh(1.0 + np.abs(x).astype(np.float64)), rtol=0.2)


def test_text_is_known_at_import() -> None:
    nodes = [node("StringConcat", ["a", "b"], ["c"]), node("Equal", ["c", "d"], ["y"])]
    proto = model(nodes, {}, ["y"], opset=20)
    for name in "abd":
        proto.graph.input.append(helper.make_tensor_value_info(name, TensorProto.STRING, [2]))
    session = sol.load(proto)
    for d in (["xy", "zz"], ["xy", "ab"]):
        got = session(np.array(["x", "a"], object), np.array(["y", "b"], object), np.array(d, object))
        np.testing.assert_array_equal(got, [True, d[1] == "ab"])
