"""The attention kernel against the float64 interpreter and torch, on every instruction set of this machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from sol.codegen import targets
from sol.codegen.machines import ZEN4, ZEN5
from sol.codegen.targets import runnable
from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import held
from tests.harness import as_region, run_region
from tests.random_numbers import rng

ISAS = runnable()


def floats(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def attention(q: tuple, k: tuple, v: tuple, mask: tuple | None = None, mask_dtype: DType = DType.BOOL, *, causal: bool = False,
              scale: float = 0.3) -> Graph:  # fmt: skip
    b = GraphBuilder()
    operands = [b.input(n, TensorType(DType.F32, s)) for n, s in (("q", q), ("k", k), ("v", v))]
    if mask is not None:
        operands.append(b.input("mask", TensorType(mask_dtype, mask)))
    return b.build([b.add("sdpa", operands, causal=causal, scale=scale)])


def run(graph: Graph, inputs: list[np.ndarray], **options) -> np.ndarray:
    return run_region(as_region(graph, "dnn", "sdpa"), dict(zip(graph.inputs, inputs)), **options)[0]


def check(graph: Graph, inputs: list[np.ndarray], **options) -> None:
    got = run(graph, inputs, **options)
    (want,) = evaluate_outputs(graph, inputs, symbols=options.get("symbols"))
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


SIZES = [(1, 1, 1, 1), (1, 33, 16, 8), (5, 3, 8, 15), (16, 17, 33, 17), (19, 64, 7, 40), (70, 70, 64, 64)]


@pytest.mark.parametrize("isa,causal,length,keys,depth,features", thinned([False, True], SIZES))
def test_sizes(isa: str, causal: bool, length: int, keys: int, depth: int, features: int) -> None:
    graph = attention((2, 3, length, depth), (2, 3, keys, depth), (2, 3, keys, features), causal=causal)
    for threads in (1, 3):
        check(
            graph,
            [floats(2, 3, length, depth), floats(2, 3, keys, depth), floats(2, 3, keys, features)],
            isa=isa,
            threads=threads,
        )


@pytest.mark.parametrize(
    "isa,rows,keys,depth,features", thinned([1, 2, 3, 4], [(1, 16, 1), (15, 7, 33), (16, 64, 64), (133, 40, 72)])
)
def test_few_queries(isa: str, rows: int, keys: int, depth: int, features: int) -> None:
    operands = [floats(2, 3, rows, depth), floats(2, 1, keys, depth), floats(2, 1, keys, features)]
    for mask, causal in ((None, False), ((2, 1, 1, keys), False), ((rows, keys), True)):
        graph = attention(*(o.shape for o in operands), mask, causal=causal)
        check(graph, [*operands, *([rng.random(mask) < 0.7] if mask else [])], isa=isa, threads=2)


@pytest.mark.parametrize("isa,causal,length,keys,depth,features", thinned([False, True], SIZES))
def test_dropout(isa: str, causal: bool, length: int, keys: int, depth: int, features: int) -> None:
    """Alone, and beside a mask of what is attended."""
    operands = [floats(2, 3, length, depth), floats(2, 3, keys, depth), floats(2, 3, keys, features)]
    kept, mask = rng.random((2, 3, length, keys)) < 0.8, rng.random((length, keys)) < 0.9
    b = GraphBuilder()
    q, k, v = (b.input(n, TensorType(DType.F32, x.shape)) for n, x in zip("qkv", operands))
    masks = [b.input(n, TensorType(DType.BOOL, x.shape)) for n, x in (("kept", kept), ("mask", mask))[: 1 if causal else 2]]
    graph = b.build([b.add("sdpa_dropped", [q, k, v, *masks], causal=causal, scale=0.3, share=0.2)])
    inputs = [*operands, kept, *([] if causal else [mask])]
    (want,) = evaluate_outputs(graph, inputs)
    for threads in (1, 3):
        got = run_region(as_region(graph, "dnn", "sdpa_dropped"), dict(zip(graph.inputs, inputs)), isa=isa, threads=threads)[0]
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


MASKS = [((2, 3, 11, 37),), ((2, 1, 1, 37),), ((11, 37),), ((37,),), ((1, 3, 11, 1),), ((2, 1, 11, 37),)]


@pytest.mark.parametrize("isa,dtype,shape", thinned([DType.BOOL, DType.F32], MASKS))
def test_masks_broadcast(isa: str, dtype: DType, shape: tuple) -> None:
    for causal in (False, True):
        graph = attention((2, 3, 11, 20), (2, 3, 37, 20), (2, 3, 37, 20), shape, dtype, causal=causal)
        mask = rng.random(shape) < 0.6 if dtype is DType.BOOL else floats(*shape)
        check(graph, [floats(2, 3, 11, 20), floats(2, 3, 37, 20), floats(2, 3, 37, 20), mask], isa=isa)


@pytest.mark.parametrize("isa", ISAS)
def test_heads_as_transposed_views(isa: str) -> None:
    """[B, L, H*E] buffers seen as [B, H, L, E]; keys shared by all heads; a mask expanded with strides of zero."""
    graph = attention((2, 3, 9, 20), (2, 1, 21, 20), (2, 1, 21, 18), (2, 3, 9, 21))
    inputs = [
        floats(2, 3, 9, 20),
        floats(2, 1, 21, 20),
        floats(2, 1, 21, 18),
        np.broadcast_to(rng.random((2, 1, 1, 21)) < 0.5, (2, 3, 9, 21)),
    ]
    strides = {
        "q": (9 * 60, 20, 60, 1),
        "k": (21 * 40, 20, 40, 1),
        "v": (21 * 18, 21 * 18, 1, 21),
        "sdpa": (9 * 54, 18, 54, 1),
        "mask": (21, 0, 0, 1),
    }
    check(graph, inputs, isa=isa, strides=strides)


@pytest.mark.parametrize("causal", [False, True])
def test_symbolic_lengths(causal: bool) -> None:
    s, t = Dim.symbol("s"), Dim.symbol("t")
    graph = attention((2, s, 16), (2, t, 16), (2, t, 16), causal=causal)
    for length, keys in ((3, 40), (33, 5), (64, 64)):
        check(graph, [floats(2, length, 16), floats(2, keys, 16), floats(2, keys, 16)], symbols={"s": length, "t": keys})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("kind", ["bool", "float"])
def test_special_values_as_torch(isa: str, kind: str) -> None:
    """A row that attends to nothing, NaN under the mask, infinite scores."""
    dtype = DType.BOOL if kind == "bool" else DType.F32
    graph = attention((1, 1, 6, 8), (1, 1, 20, 8), (1, 1, 20, 8), (6, 20), dtype, scale=8**-0.5)
    allowed = np.ones((6, 20), bool)
    allowed[2] = False
    allowed[:, 1] = False
    mask = allowed if kind == "bool" else np.where(allowed, np.float32(0), np.float32(-np.inf))
    for poison in (None, np.nan, np.inf):
        q, k, v = np.abs(floats(1, 1, 6, 8)), np.abs(floats(1, 1, 20, 8)), floats(1, 1, 20, 8)
        if poison is not None:
            k[0, 0, 1 if poison != poison else 3, 0] = poison
        want = torch.nn.functional.scaled_dot_product_attention(*(torch.from_numpy(x) for x in (q, k, v, mask))).numpy()
        got = run(graph, [q, k, v, mask], isa=isa)
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)
        assert poison is not None or (got[0, 0, 2] == 0).all()


@pytest.mark.parametrize(
    "isa,causal,rows,keys,depth,features", thinned([False, True], [(1, 33, 16, 8), (3, 70, 33, 65), (19, 64, 7, 40), (70, 70, 64, 64)])
)
def test_operands_of_bfloat16(isa: str, causal: bool, rows: int, keys: int, depth: int, features: int) -> None:
    """Computed in float32: the rounding of the result is all that it may be off. Keys that all heads share, masks, and values turned."""
    shapes = (2, 3, rows, depth), (2, 1, keys, depth), (2, 1, keys, features)
    operands = [held(floats(*shape), DType.BF16) for shape in shapes]
    turned = {"k": (depth * keys, depth * keys, 1, keys), "v": (features * keys, features * keys, 1, keys)}
    for mask, kind, strides in ((None, None, {}), ((rows, keys), DType.BOOL, {}), ((2, 1, 1, keys), DType.F32, turned)):
        b = GraphBuilder()
        inputs = [b.input(n, TensorType(DType.BF16, s)) for n, s in zip("qkv", shapes)]
        if mask is not None:
            inputs.append(b.input("mask", TensorType(kind, mask)))
        graph = b.build([b.add("sdpa", inputs, causal=causal, scale=0.3)])
        given = [*operands, *([] if mask is None else [rng.random(mask) < 0.7 if kind is DType.BOOL else floats(*mask)])]
        got = run(graph, given, isa=isa, threads=2, strides=strides)
        (want,) = evaluate_outputs(attention(*shapes, mask, kind or DType.BOOL, causal=causal), given)
        np.testing.assert_allclose(got, want, rtol=2**-8, atol=1e-5)


@pytest.fixture(params=[ZEN4, ZEN5], ids=["asked twice", "asked once"])
def machine(request, monkeypatch):
    """Keys and values are asked for ahead of their use, or by the second-level cache."""
    changed = {isa: replace(t, machine=request.param) for isa, t in targets.TARGETS.items() if isa == "avx512"}
    monkeypatch.setattr(targets, "TARGETS", targets.TARGETS | changed)


@pytest.mark.parametrize("isa,dtype,keys,depth,features", thinned(
    [DType.F32, DType.BF16], [(1, 8, 1), (7, 24, 33), (8, 64, 64), (9, 20, 16), (15, 8, 72), (133, 64, 64), (300, 128, 40)]
))  # fmt: skip
def test_four_queries(machine: None, isa: str, dtype: DType, keys: int, depth: int, features: int) -> None:
    """Whole and left-over groups of keys, in blocks of vectors where a key of bfloat16 has whole ones; heads that lie apart."""
    shapes = (2, 2, 4, depth), (2, 2, keys, depth), (2, 2, keys, features)
    operands = [held(floats(*shape), dtype) for shape in shapes]
    apart = {"k": (2 * depth * keys, depth, 2 * depth, 1), "v": (2 * features * keys, features, 2 * features, 1)}
    for mask, strides, poison in ((None, {}, None), ((2, 1, 4, keys), apart, None), (None, {}, np.nan), (None, apart, np.inf)):
        b = GraphBuilder()
        inputs = [b.input(n, TensorType(dtype, s)) for n, s in zip("qkv", shapes)]
        if mask is not None:
            inputs.append(b.input("mask", TensorType(DType.BOOL, mask)))
        graph = b.build([b.add("sdpa", inputs, causal=False, scale=0.3)])
        given = [x.copy() for x in operands] + ([] if mask is None else [rng.random(mask) < 0.7])
        if poison is not None:
            given[1][1, 1, keys // 2, depth - 1], given[2][0, 0, keys // 2, 0] = poison, poison
        got = run(graph, given, isa=isa, threads=2, strides=strides)
        tensors = [torch.from_numpy(np.ascontiguousarray(x)) for x in given]
        tensors = [t if t.dtype is torch.bool else t.double() for t in tensors]
        want = torch.nn.functional.scaled_dot_product_attention(*tensors[:3], *tensors[3:], scale=0.3).numpy()
        np.testing.assert_allclose(got, want, rtol=2**-8 if dtype is DType.BF16 else 2e-5, atol=2e-5)


@pytest.mark.parametrize("isa,keys,depth,features", thinned([17, 300], [(16, 64), (7, 33)]))
def test_many_queries(machine: None, isa: str, keys: int, depth: int, features: int) -> None:
    """Values of heads that lie apart, which are packed or read where they lie."""
    shapes = (2, 2, 131, depth), (2, 2, keys, depth), (2, 2, keys, features)
    operands = [floats(*shape) for shape in shapes]
    graph = attention(*shapes)
    got = run(graph, operands, isa=isa, threads=2, strides={"v": (2 * features * keys, features, 2 * features, 1)})
    (want,) = evaluate_outputs(graph, operands)
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


def test_large_scores_do_not_overflow() -> None:
    graph = attention((1, 4, 8), (1, 30, 8), (1, 30, 8), scale=1.0)
    check(graph, [100 * floats(1, 4, 8), floats(1, 30, 8), floats(1, 30, 8)])


def test_half_precision_is_refused_with_a_remedy() -> None:
    b = GraphBuilder()
    operands = [b.input(n, TensorType(DType.F16, (1, 4, 8))) for n in "qkv"]
    graph = b.build([b.add("sdpa", operands, causal=False, scale=1.0)])
    with pytest.raises(UnsupportedError, match="sdpa of f16"):
        run(graph, [np.zeros((1, 4, 8), np.float16)] * 3)
