"""ONNX matrix products and Einsum."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper

from sol.errors import SolError
from tests.frontend.onnx.one_node import check, model_of, randn, run
from tests.random_numbers import rng

EQUATIONS = [
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("...ij,...jk->...ik", [(2, 3, 4), (1, 4, 5)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
    ("iij->j", [(3, 3, 4)]),
    ("bii->bi", [(2, 3, 3)]),
    ("i,j->ij", [(3,), (4,)]),
    ("ij,ij->", [(3, 4), (3, 4)]),
    ("ij,j->ij", [(3, 4), (4,)]),
    ("ba,cab", [(3, 4), (5, 4, 3)]),
    ("abc,bcd,a->dc", [(2, 3, 4), (3, 4, 5), (2,)]),
    ("i...->...", [(2, 3, 4)]),
]


@pytest.mark.parametrize(("equation", "shapes"), EQUATIONS, ids=[e for e, _ in EQUATIONS])
def test_einsum(equation: str, shapes: list[tuple[int, ...]]) -> None:
    operands = [randn(*s) for s in shapes]
    model, given = model_of("Einsum", operands, equation=equation)
    np.testing.assert_allclose(run(model, given)[0], np.einsum(equation, *operands), rtol=1e-4, atol=1e-4)


def test_einsum_of_integers() -> None:
    check("Einsum", [rng.integers(-9, 9, (3, 4)), rng.integers(-9, 9, (4, 2))], equation="ij,jk->ki", tolerance=0)


@pytest.mark.parametrize("shapes", [((4,), (4, 3)), ((2, 3, 4), (4,)), ((4,), (4,)), ((2, 1, 3, 4), (5, 4, 2))])
def test_matmul_of_any_rank(shapes: tuple) -> None:
    check("MatMul", [randn(*s) for s in shapes])


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int64, np.float64, np.float16])
def test_matmul_of_any_type(dtype: type) -> None:
    a, b = ((rng.integers(0, 9, s)).astype(dtype) for s in ((3, 5), (5, 2)))
    check("MatMul", [a, b], tolerance=0)


@pytest.mark.parametrize("bias", [None, (), (1,), (5,), (3, 1), (3, 5)])
def test_gemm(bias: tuple | None) -> None:
    operands = [randn(4, 3), randn(5, 4)] + ([] if bias is None else [np.asarray(randn(*bias), np.float32)])
    check("Gemm", operands, constants=(1,), transA=1, transB=1, alpha=0.5, beta=2.0)


@pytest.mark.parametrize("depth", [20, 700])
def test_products_of_integers_are_exact(depth: int) -> None:
    a, b = rng.integers(0, 256, (3, depth)).astype(np.uint8), rng.integers(-128, 128, (depth, 4)).astype(np.int8)
    a_zero, b_zero = np.array([3, 250, 128], np.uint8), np.array([1, -5, 0, 127], np.int8)
    want = (a.astype(np.int64) - a_zero[:, None]) @ (b.astype(np.int64) - b_zero)
    model, given = model_of("MatMulInteger", [a, b, a_zero, b_zero])
    np.testing.assert_array_equal(run(model, given)[0], want)


def test_an_equation_that_does_not_fit_is_a_clear_error() -> None:
    node = helper.make_node("Einsum", ["x"], ["y"], equation="ij->ji")
    info = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s) for n, s in (("x", (2, 3, 4)), ("y", None))]
    graph = helper.make_graph([node], "g", info[:1], info[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    with pytest.raises(SolError):
        run(model, {"x": randn(2, 3, 4)})
