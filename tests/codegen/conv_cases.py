"""Convolution regions for the kernel tests: built, run on a team, compared with the interpreter and torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from sol.codegen.decision import Candidate
from sol.codegen.targets import runnable
from sol.ir.builder import GraphBuilder
from sol.ir.dim import DimLike
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.storage import as_held, as_stored
from sol.ir.types import DType, TensorType
from tests.harness import as_region, run_region
from tests.toolchains import target_of

ISAS = runnable()
ROUNDING = 1.01 * 2**-8
"""Relative error of a bfloat16 result: it is computed in float32 and rounded once, where it is stored."""


def forced(candidate: Candidate) -> Candidate:
    """The candidate wherever it is possible, whether or not it pays."""
    return replace(candidate, match=lambda lowering: [replace(d, pays=True) for d in candidate.match(lowering)])


Epilogue = Callable[[GraphBuilder, str, dict[str, np.ndarray]], str | tuple[str, ...]]


def random(shape: Sequence[int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(np.float32)


def held(array: np.ndarray, dtype: DType) -> np.ndarray:
    """The array with values that elements of ``dtype`` can have."""
    return as_held(as_stored(array, dtype), dtype)


def conv_graph(
    x: Sequence[int],
    k: int,
    kernel: Sequence[int],
    *,
    stride: int = 1,
    padding: int | Sequence[int] = 0,
    dilation: int = 1,
    groups: int = 1,
    bias: bool = True,
    epilogue: Epilogue | None = None,
    dims: Sequence[DimLike] | None = None,
) -> tuple[Graph, dict[str, np.ndarray], dict[str, np.ndarray], str]:
    """Graph of one convolution and its epilogue, inputs, parameters, and the name of the convolution."""
    b = GraphBuilder()
    rank = len(kernel)
    source = b.input("x", TensorType(DType.F32, tuple(dims or x)))
    arrays = {"w": random((k, x[1] // groups, *kernel), 1) * np.float32(0.2)}
    operands = [source, b.parameter("w", TensorType(DType.F32, arrays["w"].shape))]
    if bias:
        arrays["b"] = random((k,), 2)
        operands.append(b.parameter("b", TensorType(DType.F32, (k,))))
    y = b.add(
        "conv",
        operands,
        stride=(stride,) * rank,
        padding=tuple((p, p) for p in ((padding,) * rank if isinstance(padding, int) else padding)),
        dilation=(dilation,) * rank,
        groups=groups,
    )
    inputs = {"x": random(x)}
    out = epilogue(b, y, inputs) if epilogue else y
    return b.build([out] if isinstance(out, str) else list(out)), inputs, arrays, y


def map_and_spread(b: GraphBuilder, y: str, inputs: dict[str, np.ndarray]) -> tuple[str, ...]:
    """A map, its variances and means, as batch norms in training need them."""
    return y, b.add("var", [y], dims=(0, 2, 3), keepdims=True, correction=1), b.add("mean", [y], dims=(0, 2, 3), keepdims=True)


def gradient_and_sums(b: GraphBuilder, y: str, inputs: dict[str, np.ndarray]) -> tuple[str, ...]:
    """A gradient behind a ReLU, its sums, and those of its products with another map, as gradients of batch norms need them."""
    type = b.type_of(y)
    inputs["other"] = random(type.shape, 3)
    x, zero = b.input("other", type), b.constant(0.0, type.dtype)
    gradient = b.add("where", [b.add("le", [x, zero]), zero, y])
    product = b.add("mul", [gradient, b.add("sub", [x, b.constant(0.25, type.dtype)])])
    return gradient, *(b.add("sum", [v], dims=(0, 2, 3), keepdims=True) for v in (gradient, product))


def roundings(graph: Graph, result: str) -> int:
    """How often what gives a result was rounded to bfloat16: where it is stored itself, and where each result was that it is made of.

    So a mean beside its map is that of the stored map, as in torch. Each rounding is a relative error of at most 2**-8 of what is
    rounded, and stays that in a mean of numbers of one sign.
    """
    before, stack = {result}, [result]
    while stack:
        for value in graph.producer(stack.pop()).inputs:
            if value not in before:
                before.add(value)
                stack.append(value)
    return len(before.intersection(graph.outputs))


def check(
    graph: Graph,
    inputs: dict[str, np.ndarray],
    arrays: dict[str, np.ndarray],
    *,
    isa: str,
    threads: int = 2,
    plain: Sequence[str] = (),
    anchor: str = "conv",
    want: np.ndarray | None = None,
    symbols: dict[str, int] | None = None,
    **options: dict,
) -> np.ndarray:
    """Run the graph as one region and compare all results; the first of them."""
    region = as_region(graph, "dnn", anchor, block=target_of(isa).lanes, plain=plain)
    results = run_region(region, inputs, arrays, isa=isa, threads=threads, symbols=symbols, **options)
    double = {n: v.astype(np.float64) for n, v in inputs.items()}
    references = evaluate(graph, double, arrays, precision=np.float64)
    for name, got in zip(graph.outputs, results, strict=True):
        reference = references[name]
        scale = max(1.0, float(np.abs(reference[np.isfinite(reference)]).max(initial=0)))
        rtol = ROUNDING * roundings(graph, name) if graph.type_of(name).dtype is DType.BF16 else 1e-4
        np.testing.assert_allclose(got, reference, rtol=rtol, atol=3e-6 * scale)
        if want is not None:
            np.testing.assert_allclose(got, want, rtol=1e-3, atol=2e-5 * scale)
    return results[0]


def torch_conv(inputs: dict[str, np.ndarray], arrays: dict[str, np.ndarray], **options: Any) -> torch.Tensor:
    function = {3: torch.conv1d, 4: torch.conv2d}[inputs["x"].ndim]
    bias = torch.from_numpy(arrays["b"]) if "b" in arrays else None
    return function(torch.from_numpy(inputs["x"]), torch.from_numpy(arrays["w"]), bias, **options)
