"""Attention by matrix tiles, of float32 and of bfloat16: against the float64 interpreter and torch, with what is not finite."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

import sol
from sol.codegen import targets
from sol.codegen.kernels import attention_tiles, families
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from tests.codegen.conv_cases import forced, held
from tests.codegen.test_matmul_split import at_the_end
from tests.emulation import MATRIX_TILES, matrix_tiles
from tests.harness import as_region, run_region
from tests.random_numbers import rng

F32, BF16 = DType.F32, DType.BF16
TYPES = [F32, BF16]


@pytest.fixture(autouse=True)
def tiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attention by matrix tiles, whether or not that pays."""
    monkeypatch.setattr(families, "candidates", lambda _: (forced(attention_tiles.CANDIDATE),))


def floats(dtype: DType, *shape: int) -> np.ndarray:
    return held(rng.standard_normal(shape).astype(np.float32), dtype)


def attention(dtype: DType, q: tuple, k: tuple, v: tuple, mask: tuple | None = None, kind: DType = DType.BOOL, *,
              causal: bool = False, scale: float = 0.3) -> Graph:  # fmt: skip
    b = GraphBuilder()
    operands = [b.input(n, TensorType(dtype, s)) for n, s in (("q", q), ("k", k), ("v", v))]
    if mask is not None:
        operands.append(b.input("mask", TensorType(kind, mask)))
    return b.build([b.add("sdpa", operands, causal=causal, scale=scale)])


def run(graph: Graph, inputs: list[np.ndarray], isa: str = MATRIX_TILES, **options) -> np.ndarray:
    return run_region(as_region(graph, "dnn", "sdpa"), dict(zip(graph.inputs, inputs)), isa=isa, **options)[0]


def check(dtype: DType, graph: Graph, inputs: list[np.ndarray], **options) -> None:
    """Weights of bfloat16 are rounded, each by 2^-9 at most, and so is the result; float32 is as exact as ever."""
    got = run(graph, inputs, **options)
    wide = [x.astype(np.float64) if x.dtype != np.bool_ else x for x in inputs]
    (want,) = evaluate_outputs(_of_doubles(graph), wide, symbols=options.get("symbols"))
    if dtype is F32:
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
        return
    largest = np.abs(inputs[2]).max(initial=0)
    np.testing.assert_allclose(got, want, rtol=2**-8, atol=2**-9 * largest + 1e-6)
    assert np.sqrt(np.mean((got - want) ** 2)) < 2**-9 * largest


def check_size(dtype: DType, size: tuple[int, int, int, int], isa: str, *, causal: bool) -> Graph:
    """size: queries, keys, features of keys and of values."""
    length, keys, depth, features = size
    shapes = (2, 3, length, depth), (2, 3, keys, depth), (2, 3, keys, features)
    graph, inputs = attention(dtype, *shapes, causal=causal), [floats(dtype, *shape) for shape in shapes]
    for threads in (1, 3):
        check(dtype, graph, inputs, isa=isa, threads=threads)
    return graph


def _of_doubles(graph: Graph) -> Graph:
    b = GraphBuilder()
    kinds = [graph.type_of(v) for v in graph.inputs]
    node = next(n for n in graph.nodes if n.op == "sdpa")
    wide = [TensorType(t.dtype if t.dtype is DType.BOOL else DType.F64, t.shape) for t in kinds]
    return b.build([b.add("sdpa", [b.input(v, t) for v, t in zip(graph.inputs, wide)], **node.attrs)])


SIZES = [
    # queries, keys, depth, features
    (1, 1, 1, 1), (5, 3, 8, 15), (16, 17, 33, 17), (19, 64, 7, 40), (33, 128, 64, 64), (70, 130, 128, 31), (31, 300, 65, 33),
    (130, 257, 32, 16),
]  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length,keys,depth,features", SIZES)
def test_sizes(dtype: DType, causal: bool, length: int, keys: int, depth: int, features: int) -> None:
    """Around tiles, pairs of them and slices of keys; heads shared out among threads."""
    check_size(dtype, (length, keys, depth, features), MATRIX_TILES, causal=causal)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("causal", [False, True])
def test_units_of_several_blocks(dtype: DType, causal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a head's keys do not fit the second cache, a unit takes more than 32 queries."""
    monkeypatch.setattr(attention_tiles, "SHARE", 0.0)
    graph = attention(dtype, (5, 150, 20), (5, 310, 20), (5, 310, 24), causal=causal)
    check(dtype, graph, [floats(dtype, 5, 150, 20), floats(dtype, 5, 310, 20), floats(dtype, 5, 310, 24)])


MASKS = [(2, 3, 11, 137), (2, 1, 1, 137), (11, 137), (137,), (1, 3, 11, 1), (2, 1, 11, 137)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", [DType.BOOL, F32])
@pytest.mark.parametrize("shape", MASKS)
def test_masks_broadcast(dtype: DType, kind: DType, shape: tuple) -> None:
    for causal in (False, True):
        graph = attention(dtype, (2, 3, 11, 20), (2, 3, 137, 20), (2, 3, 137, 20), shape, kind, causal=causal)
        mask = rng.random(shape) < 0.6 if kind is DType.BOOL else floats(F32, *shape)
        check(dtype, graph, [floats(dtype, 2, 3, 11, 20), floats(dtype, 2, 3, 137, 20), floats(dtype, 2, 3, 137, 20), mask])


@pytest.mark.parametrize("dtype", TYPES)
def test_heads_as_transposed_views(dtype: DType) -> None:
    """[B, L, H*E] buffers seen as [B, H, L, E]; keys shared by all heads; values turned; features of queries apart."""
    inputs = [floats(dtype, 2, 3, 40, 20), floats(dtype, 2, 1, 150, 20), floats(dtype, 2, 1, 150, 18)]
    graph = attention(dtype, *(x.shape for x in inputs))
    strides = {
        "q": (40 * 120, 40, 120, 2), "k": (150 * 40, 20, 40, 1), "v": (150 * 18, 150 * 18, 1, 150), "sdpa": (40 * 54, 18, 54, 1),
    }  # fmt: skip
    check(dtype, graph, inputs, strides=strides)
    check(dtype, graph, inputs, strides={"k": (150 * 20, 150 * 20, 1, 150)})


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("causal", [False, True])
def test_symbolic_lengths(dtype: DType, causal: bool) -> None:
    s, t = Dim.symbol("s"), Dim.symbol("t")
    graph = attention(dtype, (2, s, 16), (2, t, 16), (2, t, 16), causal=causal)
    for length, keys in ((3, 40), (33, 5), (64, 164)):
        inputs = [floats(dtype, 2, length, 16), floats(dtype, 2, keys, 16), floats(dtype, 2, keys, 16)]
        check(dtype, graph, inputs, symbols={"s": length, "t": keys})


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["bool", "float"])
def test_special_values_as_torch(dtype: DType, kind: str) -> None:
    """A row that attends to nothing, NaN under the mask, infinite scores of either sign, infinite values, large scores behind small."""
    keys, mask_kind = 150, DType.BOOL if kind == "bool" else F32
    graph = attention(dtype, (1, 1, 6, 8), (1, 1, keys, 8), (1, 1, keys, 8), (6, keys), mask_kind, scale=8**-0.5)
    allowed = np.ones((6, keys), bool)
    allowed[2] = False
    allowed[:, 1] = False
    allowed[3, :140] = False
    mask = allowed if kind == "bool" else np.where(allowed, np.float32(0), np.float32(-np.inf))
    for place, poison in ((0, None), (1, np.nan), (3, np.inf), (3, -np.inf), (140, np.inf)):
        q, k, v = (np.abs(floats(dtype, 1, 1, n, 8)) for n in (6, keys, keys))
        if poison is not None:
            k[0, 0, place, 0] = poison
        check_as_torch(dtype, graph, q, k, v, mask)
    v[0, 0, 5, 3] = np.inf
    k = np.abs(floats(dtype, 1, 1, keys, 8))
    check_as_torch(dtype, graph, q, k, v, mask)
    k[0, 0, 130] = 300
    check_as_torch(dtype, graph, q, k, np.abs(floats(dtype, 1, 1, keys, 8)), mask)


def check_as_torch(dtype: DType, graph: Graph, q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray) -> None:
    want = torch.nn.functional.scaled_dot_product_attention(*(torch.from_numpy(x.astype(np.float32)) for x in (q, k, v)),
                                                            torch.from_numpy(mask)).numpy()  # fmt: skip
    near = {"rtol": 2e-5, "atol": 2e-5} if dtype is F32 else {"rtol": 2**-7, "atol": 2**-7}
    np.testing.assert_allclose(run(graph, [q, k, v, mask]), want, **near)


@pytest.mark.parametrize("dtype", TYPES)
def test_large_scores_do_not_overflow(dtype: DType) -> None:
    graph = attention(dtype, (1, 4, 8), (1, 300, 8), (1, 300, 8), scale=1.0)
    check(dtype, graph, [held(100 * floats(dtype, 1, 4, 8), dtype), floats(dtype, 1, 300, 8), floats(dtype, 1, 300, 8)])


def test_nothing_is_read_beyond_the_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    """All end where memory ends."""
    monkeypatch.setattr(targets, "_native", matrix_tiles)
    q, k, v = (at_the_end(floats(F32, 1, 2, n, 24)) for n in (37, 133, 133))
    fast = sol.optimize(Attention(), [q, k, v], isa="native")
    want = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double())
    np.testing.assert_allclose(fast(q, k, v).numpy(), want.numpy(), rtol=1e-5, atol=1e-5)


class Attention(torch.nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def test_networks_of_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of bfloat16 with a mask of bfloat16, and one of float32 whose products are to be of bfloat16."""
    monkeypatch.undo()
    monkeypatch.setattr(targets, "_native", matrix_tiles)
    torch.manual_seed(3)
    for dtype, options in ((torch.bfloat16, {}), (torch.float32, {"dtype": torch.bfloat16})):
        model = Heads().to(dtype).eval()
        x, mask = torch.randn(2, 45, 64).to(dtype), torch.randn(45, 45).to(dtype)
        fast = sol.optimize(model, [x, mask], isa="native", **options)
        with torch.no_grad():
            want = copy.deepcopy(model).double()(x.double(), mask.double())
            got = fast(x, mask)
        assert got.dtype is dtype
        assert (got.double() - want).abs().max() < 0.02 * want.abs().max()
        assert "bf16_sdpa_tiles" in str(sol.explain(fast, [x, mask]))


class Heads(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = torch.nn.Linear(64, 192), torch.nn.Linear(64, 64)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        q, k, v = (t.unflatten(-1, (4, 16)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)
        return self.out(y.transpose(1, 2).flatten(2))
