"""Sources of a convolution's input × products × sinks × element types, against the interpreter: what serves what, in one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels import families
from sol.codegen.kernels.conv import KERNELS
from sol.codegen.kernels.conv_problem import read_problem
from sol.codegen.kernels.conv_winograd import named_way
from sol.codegen.lowering import Lowering
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from tests.codegen.conv_cases import ISAS, check, forced, gradient_and_sums, held, map_and_spread, random
from tests.emulation import MATRIX_TILES
from tests.toolchains import target_of

Arrays = dict[str, np.ndarray]
SIZE = (9, 14)
NO_POOL = dict(padding=((0, 0), (0, 0)), ceil_mode=False, count_include_pad=True, divisor=None)


def memory(b: GraphBuilder, c: int, inputs: Arrays, dtype: DType) -> str:
    inputs["x"] = random((2, c, *SIZE))
    return b.input("x", TensorType(dtype, inputs["x"].shape))


def chain(b: GraphBuilder, c: int, inputs: Arrays, dtype: DType) -> str:
    """What is one where its input is zero: a border of zeros is put around what is made, not around what it is made of."""
    return b.add("add", [b.add("relu", [memory(b, c, inputs, dtype)]), b.constant(0.5, dtype)])


def windows(b: GraphBuilder, c: int, inputs: Arrays, dtype: DType) -> str:
    inputs["x"] = random((2, c, SIZE[0] * 2, SIZE[1] * 2))
    x = b.input("x", TensorType(dtype, inputs["x"].shape))
    return b.add("avg_pool", [b.add("relu", [x])], kernel=(2, 2), stride=(2, 2), **NO_POOL)


def selected(b: GraphBuilder, c: int, inputs: Arrays, dtype: DType) -> str:
    inputs |= {f"x{i}": random((2, c, *SIZE), i) for i in range(2)}
    tensors = [b.input(f"x{i}", TensorType(dtype, (2, c, *SIZE))) for i in range(2)]
    index = np.random.default_rng(0).permutation(2 * c)[:c]
    return b.add("channel_select", tensors, index=tuple(int(i) for i in index))


def store(b: GraphBuilder, y: str, inputs: Arrays) -> str:
    return b.add("relu", [y])


def mean(b: GraphBuilder, y: str, inputs: Arrays) -> str:
    return b.add("mean", [b.add("relu", [y])], dims=(2, 3), keepdims=True)


def both(b: GraphBuilder, y: str, inputs: Arrays) -> tuple[str, ...]:
    map = b.add("relu", [y])
    return map, b.add("mean", [map], dims=(2, 3), keepdims=True)


def largest(b: GraphBuilder, y: str, inputs: Arrays) -> str:
    return b.add("max", [y], dims=(2, 3), keepdims=True)


SOURCES: dict[str, Callable[[GraphBuilder, int, Arrays, DType], str]] = {
    "memory": memory, "plain": memory, "chain": chain, "windows": windows, "selected": selected,
}  # fmt: skip
SINKS: dict[str, Callable[[GraphBuilder, str, Arrays], str | tuple[str, ...]]] = {
    "store": store, "mean": mean, "max": largest, "store and mean": both, "store and spread": map_and_spread,
    "store and sums": gradient_and_sums,
}  # fmt: skip
SUMS = ("store and spread", "store and sums")
"""Sinks of float32 alone."""
PRODUCTS: dict[str, tuple[int, int, tuple[str, ...]]] = {
    "direct": (1, 1, ("memory", "chain", "windows", "selected")),
    "inner_product": (1, 1, ("memory", "chain", "windows", "selected")),
    "inner_product, groups": (3, 2, ("memory",)),
    "winograd": (3, 1, ("memory", "chain")),
    "winograd/f4p": (3, 1, ("memory", "chain")),
    "direct, row-major": (3, 1, ("plain",)),
    "tiles": (3, 1, ("memory",)),
    "im2col": (3, 1, ("plain",)),
}
"""Product → taps along an axis, groups, and the sources that it reads. All of them write to all sinks."""
ONLY_16_LANES = ("inner_product", "inner_product, groups", "winograd/f4p")
OF_TILES = ("tiles", "im2col")
"""Products by matrix tiles, of bfloat16 alone."""
NARROW = ("direct", "direct, row-major", "winograd", "winograd/f4p", *OF_TILES)
"""Products that also serve bfloat16."""
CASES = [
    (isa, source, product, sink, dtype)
    for product, (_, _, sources) in PRODUCTS.items() for source in sources for sink in SINKS
    for isa in ((MATRIX_TILES,) if product in OF_TILES else ISAS) for dtype in (DType.F32, DType.BF16)
    if (isa == "avx512" or product not in ONLY_16_LANES) and (product in NARROW if dtype is DType.BF16 else product not in OF_TILES)
    if dtype is DType.F32 or sink not in SUMS
]  # fmt: skip


def candidate(product: str) -> Candidate:
    name, _, variant = product.partition(",")[0].partition("/")
    found = next(c for c in KERNELS["conv"] if c.name == name)
    return replace(found, match=lambda lowering: [named(lowering, name, variant)]) if variant else forced(found)


def named(lowering: Lowering, name: str, variant: str) -> Decision:
    problem = read_problem(lowering)
    assert problem is not None
    return Decision(name, named_way(problem, lowering.target, variant), variant)


def composition(source: str, product: str, sink: str, lanes: int, dtype: DType) -> tuple[Graph, Arrays, Arrays]:
    taps, groups, _ = PRODUCTS[product]
    b, inputs = GraphBuilder(), {}
    c, k = 5 if source == "plain" else 4 * lanes, 4 * lanes
    data = SOURCES[source](b, c, inputs, dtype)
    arrays = {"w": random((k, c // groups, taps, taps), 1) * np.float32(0.2), "b": random((k,), 2)}
    pad = ((taps // 2,) * 2,) * 2
    w = b.parameter("w", TensorType(DType.F32, arrays["w"].shape))  # products that widen bfloat16 take weights of float32
    operands = [data, b.add("cast", [w], dtype=dtype) if dtype is DType.BF16 else w, b.parameter("b", TensorType(dtype, (k,)))]
    y = b.add("conv", operands, stride=(1, 1), padding=pad, dilation=(1, 1), groups=groups)
    results = SINKS[sink](b, y, inputs)
    inputs, arrays = ({name: held(array, dtype) for name, array in given.items()} for given in (inputs, arrays))
    return b.build([results] if isinstance(results, str) else list(results)), inputs, arrays


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("isa,source,product,sink,dtype", CASES)
@pytest.mark.budget(6)
def test_composition(isa, source, product, sink, dtype, threads, monkeypatch):
    table = families.candidates
    monkeypatch.setattr(families, "candidates", lambda anchor: (candidate(product),) if anchor else table(anchor))
    lanes = target_of(isa).lanes
    graph, inputs, arrays = composition(source, product, sink, lanes, dtype)
    border = (PRODUCTS[product][0] // 2,) * 2
    check(graph, inputs, arrays, isa=isa, threads=threads, plain=("x",) if source == "plain" else (),
          borders={"x": (border, border)} if border[0] and source == "memory" else {})  # fmt: skip
