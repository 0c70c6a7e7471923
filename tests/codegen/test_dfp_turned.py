"""Operands that are contiguous along another axis than the result, or lie apart along its rows: permutations, flips, strided slices."""

from __future__ import annotations

import itertools

import pytest

from sol.ir.dim import Dim
from sol.ir.strides import contiguous_strides
from sol.ir.types import DType
from tests.codegen.dfp_cases import build, check
from tests.harness import as_region

F32, F64, F16, I64, I32, I8, BOOL = DType.F32, DType.F64, DType.F16, DType.I64, DType.I32, DType.I8, DType.BOOL
SIZES = [(4, 4), (7, 16), (8, 15), (16, 16), (17, 33), (33, 17), (130, 67), (5, 1030)]


def copied(b, x):
    return b.add("copy", [x], name="out")


def permuted(shape, order):
    """Strides of a tensor of ``shape`` that is a permutation of contiguous memory: memory holds its dimensions in that order."""
    strides = contiguous_strides([shape[i] for i in order])
    return tuple(strides[order.index(i)] for i in range(len(shape)))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_transposed_matrix(size):
    check([(size, F32)], copied, strides={"x0": (1, size[0])}, tolerance=0)


@pytest.mark.parametrize("dtype", [I64, F16, I8, BOOL], ids=str)
def test_transposed_elements_of_all_sizes(dtype):
    check([((33, 47), dtype)], copied, strides={"x0": (1, 33)}, tolerance=0, threads=(1, 2))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1:], ids=str)
def test_permuted(order):
    shape = (19, 5, 34)
    check([(shape, F32)], copied, strides={"x0": permuted(shape, list(order))}, threads=(1, 3))


@pytest.mark.parametrize("order", [(0, 2, 3, 1), (3, 2, 1, 0), (1, 3, 0, 2), (0, 3, 1, 2)], ids=str)
def test_computed_with_other_operands(order):
    def function(b, x, y, row, m):
        z = b.add("mul", [b.add("add", [x, y]), row])
        return b.add("where", [m, b.add("gelu", [z]), x], name="out"), b.add("gt", [z, row])

    shape = (2, 18, 7, 21)
    operands = [(shape, F32), (shape, F32), ((21,), F32), ((18, 1, 21), BOOL)]
    check(operands, function, strides={"x0": permuted(shape, list(order))}, threads=(1, 2))


def test_two_operands_in_different_orders():
    shape = (20, 6, 35)
    strides = {"x0": permuted(shape, [2, 1, 0]), "x1": permuted(shape, [1, 2, 0])}
    check([(shape, F32), (shape, F32)], lambda b, x, y: b.add("sub", [x, y]), strides=strides)


@pytest.mark.parametrize("apart", [2, 5])
def test_an_operand_whose_elements_lie_apart_along_both_axes(apart):
    strides = {"x0": (1, 37), "x1": (300, apart)}
    check([((37, 53), F32)] * 2, lambda b, x, y: b.add("sub", [b.add("abs", [x]), y]), strides=strides, threads=(1, 2))


@pytest.mark.parametrize("stride", [(1, 37), (180, 3)])
def test_a_mask_that_lies_in_another_order_is_read_elsewhere(stride):
    operands = [((37, 53), F32), ((37, 53), F32), ((37, 53), BOOL)]
    strides = {"x0": (1, 37), "x2": stride}
    check(operands, lambda b, x, y, m: b.add("where", [m, b.add("sub", [x, y]), y]), strides=strides, threads=(1, 2))


@pytest.mark.parametrize("length", [1, 16, 300])
@pytest.mark.parametrize("stride", [2, 3, 4, 11])
def test_elements_apart(length, stride):
    shape = (3, length)
    strides = {"x0": (length * stride + 3, stride)}
    check([(shape, F32)], copied, strides=strides, threads=(2,), tolerance=0)
    check([(shape, F32)], lambda b, x: b.add("exp", [b.add("neg", [b.add("abs", [x])])]), strides=strides, threads=(1,))


@pytest.mark.parametrize("dtype", [F32, I8, I64], ids=str)
@pytest.mark.parametrize("length", [1, 16, 301])
def test_flip(length, dtype):
    check([((3, length), dtype)], lambda b, x: b.add("flip", [x], dims=(0, 1)), tolerance=0, threads=(2,))


def test_symbolic_sizes():
    n, k = Dim.symbol("n"), Dim.symbol("k")
    for size in ({"n": 37, "k": 50}, {"n": 2, "k": 3}):
        check([((n, k), F32)], copied, strides={"x0": (1, n)}, symbols=size)


def test_kernel_is_taken():
    from sol.codegen.kernels.families import lower_region
    from sol.codegen.lowering import KernelLibrary, Lowering
    from sol.codegen.targets import by_name
    from tests.harness import _Placement

    graph = as_region(build([((40, 50), F32)], copied), "dfp", "")
    region = graph.nodes[-1]
    lowering = Lowering(region, _Placement(graph, {}, {}, {"x0": (1, 40)}), KernelLibrary(), by_name("avx512"))
    lower_region(lowering)
    assert [launch.kernel for launch in lowering.launches] == ["dfp_copy_turned"]
