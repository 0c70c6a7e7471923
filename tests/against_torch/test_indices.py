"""Indices out of range: an error of the call that names the operation, as in torch and ONNX, and no access to memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
import torch
import torch.nn.functional as F
from onnx import helper

import sol
from sol.config import config
from sol.errors import IndexRangeError
from tests.against_torch.support import Table

X = torch.randn(4, 4)
ONES = torch.ones(3, 4)
CASES: dict[str, Callable[[torch.Tensor], Any]] = {
    "embedding": lambda i: F.embedding(i, X),
    "embedding_bag": lambda i: F.embedding_bag(i[None], X),
    "gather": lambda i: X.gather(0, i[:, None].expand(3, 4)),
    "index_select": lambda i: X.index_select(1, i),
    "index": lambda i: X[:, i],
    "index of two": lambda i: X[i, i.flip(0)],
    "take": lambda i: X.take(i * 4),
    "scatter": lambda i: X.scatter(1, i[None].expand(4, 3), 2.0),
    "scatter_add": lambda i: X.scatter_add(0, i[:, None].expand(3, 4), ONES),
    "scatter_reduce": lambda i: X.scatter_reduce(0, i[:, None].expand(3, 4), ONES, "amax"),
    "index_add": lambda i: X.index_add(0, i, ONES),
    "index_copy": lambda i: X.index_copy(0, i, ONES),
    "index_fill": lambda i: X.index_fill(0, i, 2.0),
    "index_put": lambda i: X.index_put((i,), ONES),
    "index_put of two": lambda i: X.index_put((i, i), ONES[:, 0], accumulate=True),
    "put": lambda i: X.put(i * 4, ONES[:, 0]),
    "one_hot": lambda i: F.one_hot(i, 4),
    "one_hot of rows": lambda i: F.one_hot(i[None, :, None], 4),
    "nll_loss": lambda i: F.nll_loss(X[:3], i),
    "searchsorted": lambda i: torch.searchsorted(X[0, :3], X[0, 3:], sorter=i.where(i != 3, 2)),
}
GOOD = (0, 3, 1)
BAD = (4, -1, -4, -5, 16, 1 << 40, -(1 << 40))


class EachItsOwn(Table):
    """As many index vectors as functions."""

    def forward(self, *indices: torch.Tensor) -> tuple[Any, ...]:
        return tuple(f(i) for f, i in zip(self.functions, indices))


@pytest.fixture(scope="module")
def compiled() -> Any:
    torch.manual_seed(0)
    with torch.no_grad():
        return sol.optimize(EachItsOwn(list(CASES.values())).eval(), [torch.tensor(GOOD)] * len(CASES))


def indices_of(name: str, bad: int) -> list[torch.Tensor]:
    """One of the functions gets an index that may be out of range."""
    return [torch.tensor((0, bad, 1) if n == name else GOOD) for n in CASES]


@pytest.mark.parametrize("name", CASES)
def test_torch_and_sol_agree_about_the_range(name, compiled):
    place = list(CASES).index(name)
    for bad in BAD:
        given = indices_of(name, bad)
        try:
            expected = CASES[name](given[place])
        except (IndexError, RuntimeError) as error:
            with pytest.raises(type(error), match=f"out of range in {name.partition(' ')[0]}") as raised:
                compiled(*given)
            assert isinstance(raised.value, IndexRangeError) and "test_indices.py" in raised.value.origin
        else:
            torch.testing.assert_close(compiled(*given)[place], expected)
    torch.testing.assert_close(compiled(*[torch.tensor(GOOD)] * len(CASES))[place], CASES[name](torch.tensor(GOOD)))


def test_who_knows_turns_it_off(compiled):
    with config.override(check_indices=False):
        found = compiled(*indices_of("embedding", 4))[0]
    torch.testing.assert_close(found[[0, 2]], X[[0, 1]])
    compiled(*[torch.tensor(GOOD)] * len(CASES))


def onnx_model(op: str, shape: tuple[int, ...], updates: tuple[int, ...] = ()) -> bytes:
    """One operator over data [4, 5], an index and, if it writes, updates."""
    kinds = (("x", onnx.TensorProto.FLOAT, (4, 5)), ("i", onnx.TensorProto.INT64, shape), ("u", onnx.TensorProto.FLOAT, updates))
    inputs = [helper.make_tensor_value_info(*kind) for kind in kinds[: 3 if updates else 2]]
    output = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph([helper.make_node(op, [i.name for i in inputs], ["y"])], "one", inputs, [output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


ONNX = {
    "Gather": (onnx_model("Gather", (2,)), [1, -4], [1, 4], [-5, 0]),
    "GatherElements": (onnx_model("GatherElements", (1, 2)), [[1, -4]], [[1, 4]], [[-5, 0]]),
    "GatherND": (onnx_model("GatherND", (2, 2)), [[1, -5], [3, 4]], [[0, 5], [3, 4]], [[0, 4], [-5, 4]]),
    "ScatterElements": (onnx_model("ScatterElements", (1, 2), (1, 2)), [[1, -4]], [[1, 4]], [[-5, 0]]),
    "ScatterND": (onnx_model("ScatterND", (2, 2), (2,)), [[1, -5], [3, 4]], [[0, 5], [3, 4]], [[0, 4], [-5, 4]]),
}


def _floats(*shape: int) -> np.ndarray:
    return np.random.randn(*shape).astype(np.float32)


TOKENS, PLACES = np.zeros((1, 2), np.int32), np.zeros((1, 2), np.int64)
CONTRIBUTED: dict[str, tuple[list[np.ndarray], dict[int, int], dict[str, Any]]] = {
    "EmbedLayerNormalization": ([TOKENS, TOKENS, _floats(4, 8), _floats(5, 8), _floats(3, 8), _floats(8), _floats(8)], {0: 4, 1: 3}, {}),
    "RotaryEmbedding": ([_floats(1, 1, 2, 8), PLACES, _floats(4, 4), _floats(4, 4)], {1: 4}, {}),
    "MaxUnpool": ([_floats(1, 1, 1, 2), PLACES[None, None]], {1: 8}, {"kernel_shape": [2, 2], "strides": [2, 2]}),
}
"""Operator → operands, the first number that those which are indices may not hold, attributes."""


@pytest.mark.parametrize("name", CONTRIBUTED)
def test_what_onnxruntime_refuses(name):
    operands, ends, attributes = CONTRIBUTED[name]
    arrays = {f"i{k}": a for k, a in enumerate(operands)}
    ports = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in arrays.items()]
    node = helper.make_node(name, list(arrays), ["y"], domain="" if name == "MaxUnpool" else "com.microsoft", **attributes)
    graph = helper.make_graph([node], "one", ports, [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    run = sol.load(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())
    for place, end in ends.items():
        for good in (0, end - 1):
            run(**{**arrays, f"i{place}": np.full_like(operands[place], good)})
        for wrong in (end, -1):
            with pytest.raises(IndexRangeError, match=name):
                run(**{**arrays, f"i{place}": np.full_like(operands[place], wrong)})


@pytest.mark.parametrize("name", ONNX)
def test_onnx_counts_from_the_end_and_no_further(name):
    model, good, *bad = ONNX[name]
    run = sol.load(model)
    x, index = np.random.randn(4, 5).astype(np.float32), np.array(good)
    updates = [np.random.randn(*index.shape[: 1 if name == "ScatterND" else 2]).astype(np.float32)] if "Scatter" in name else []
    call = dict(zip("xiu", [x, index, *updates]))
    run(**call)
    for wrong in bad:
        with pytest.raises(IndexRangeError, match=name):
            run(**{**call, "i": np.array(wrong)})
