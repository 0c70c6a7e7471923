"""Resampling, blocked and row-major, against the float64 interpreter and torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.codegen.targets import by_name, runnable
from sol.errors import UnsupportedError
from sol.frontend.filters import Taps
from sol.frontend.torch.aten.resample import linear_taps, nearest_taps
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.harness import as_region, run_region

RAGGED = Taps(np.array([[3, 0, 2], [1, -1, -1], [5, 5, -1], [-1, -1, -1]]), np.array([[0.5, 1, -2], [1, 0, 0], [2, -1, 0], [0, 0, 0]]))
"""Three taps, one that counts whole, the same element twice, and none."""


def build(shape: Sequence[int], rows: Taps, columns: Taps, epilogue: Sequence[str] = (), dtype: DType = DType.F32) -> Graph:
    """resample(x) and pointwise ops; "add" reads an input of the result's shape, "scale" one number per image and channel."""
    b = GraphBuilder()
    x = b.input("x", TensorType(dtype, tuple(shape)))
    tables = []
    for name, taps in (("rows", rows), ("columns", columns)):
        tables += [b.input(name, TensorType(DType.I32, taps.places.T.shape)), b.input(f"w_{name}", TensorType(dtype, taps.places.T.shape))]
    y = b.add("resample", [x, *tables])
    for name in epilogue:
        sizes = {"add": b.type_of(y).shape, "scale": (*shape[:2], 1, 1)}.get(name)
        y = b.add("mul" if name == "scale" else name, [y, b.input(name, TensorType(dtype, sizes))] if sizes else [y])
    return b.build([y])


def inputs_of(graph: Graph, rows: Taps, columns: Taps) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    found = {v: rng.standard_normal(graph.type_of(v).shape).astype(np.float32) for v in graph.inputs}
    for name, taps in (("rows", rows), ("columns", columns)):
        found |= {name: np.ascontiguousarray(taps.places.T, np.int32), f"w_{name}": np.ascontiguousarray(taps.weights.T, np.float32)}
    return found


CASES = [
    ((1, 16, 4, 5), nearest_taps(4, 8, None), nearest_taps(5, 15, None), ()),
    ((2, 17, 7, 33), linear_taps(7, 14, 2.0, False), linear_taps(33, 66, 2.0, False), ("relu",)),
    ((1, 3, 9, 6), linear_taps(9, 4, None, True), linear_taps(6, 47, None, False), ("add",)),
    ((2, 5, 14, 38), linear_taps(7, 14, 2.0, False).turned(7), linear_taps(19, 38, None, True).turned(19), ("scale", "add")),
    ((1, 33, 6, 16), RAGGED, nearest_taps(4, 16, None).turned(4), ("scale",)),
    ((1, 8, 5, 6), Taps.all(5), RAGGED, ()),
    ((3, 1, 1, 1), linear_taps(1, 3, None, False), nearest_taps(1, 17, None), ("relu", "add")),
]


@pytest.mark.budget(6)
@pytest.mark.parametrize("isa,blocked,case", thinned([True, False], range(len(CASES))))
def test_equals_reference(isa: str, blocked: bool, case: int) -> None:
    shape, rows, columns, epilogue = CASES[case]
    graph = build(shape, rows, columns, epilogue)
    inputs = inputs_of(graph, rows, columns)
    want = evaluate(graph, inputs, {}, precision=np.float64)[graph.outputs[0]]
    tables = ("rows", "w_rows", "columns", "w_columns")
    plain = tables if blocked else tuple(n.name for n in graph.nodes)
    region = as_region(graph, "dnn", "resample", by_name(isa).lanes if blocked else 0, plain)
    borders = {v: ((1, 1), (2, 1)) for v in ("x", *graph.outputs)} if blocked else None
    (got,) = run_region(region, inputs, isa=isa, threads=1 + case % 3, borders=borders)
    np.testing.assert_allclose(got, want, rtol=3e-6, atol=1e-5)


@pytest.mark.parametrize("isa", runnable())
def test_other_strides(isa: str) -> None:
    """Channels last, row-major: nothing of a row lies side by side."""
    taps = linear_taps(5, 12, None, False), linear_taps(7, 20, None, False)
    graph = build((2, 3, 5, 7), *taps)
    inputs = inputs_of(graph, *taps)
    region = as_region(graph, "dnn", "resample", 0, tuple(n.name for n in graph.nodes))
    (got,) = run_region(region, inputs, isa=isa, threads=2, strides={"x": (105, 1, 21, 3)})
    want = F.interpolate(torch.from_numpy(inputs["x"]), (12, 20), mode="bilinear")
    np.testing.assert_allclose(got, want.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("blocked", [True, False], ids=["blocked", "plain"])
def test_nan_stays_where_torch_has_it(blocked: bool) -> None:
    x = torch.randn(1, 16, 4, 18)
    x[0, 3, 1, 2], x[0, 4, 3, 17] = torch.nan, torch.inf
    for taps, mode in (((nearest_taps(4, 8, 2.0), nearest_taps(18, 36, 2.0)), "nearest"),
                       ((linear_taps(4, 8, 2.0, False), linear_taps(18, 36, 2.0, False)), "bilinear")):  # fmt: skip
        graph = build(x.shape, *taps)
        plain = tuple(n.name for n in graph.nodes)[0 if not blocked else 1 :][: None if not blocked else 4]
        region = as_region(graph, "dnn", "resample", by_name(runnable()[0]).lanes if blocked else 0, plain)
        (got,) = run_region(region, inputs_of(graph, *taps) | {"x": x.numpy()}, isa=runnable()[0])
        want = F.interpolate(x, scale_factor=2, mode=mode)
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want.numpy()))


def test_other_types_are_refused_with_a_remedy() -> None:
    graph = build((1, 2, 4, 4), Taps.all(4), Taps.all(4), dtype=DType.F64)
    with pytest.raises(UnsupportedError, match="cast to float32"):
        run_region(as_region(graph, "dnn", "resample"), {v: a.astype(graph.type_of(v).dtype.numpy) for v, a in inputs_of(
            graph, Taps.all(4), Taps.all(4)).items()})  # fmt: skip
