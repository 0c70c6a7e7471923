"""References of ops that move elements, against torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from sol.ir.dim import Dim
from sol.ir.types import DType, Layout, TensorType
from tests.ops.reference import check, one_op_graph, randn, run_op

INDEX = np.array([[0, 2], [1, -1]], np.int64)


def stacked(x: torch.Tensor, places: Sequence[Sequence[int | None]]) -> torch.Tensor:
    """Slices by number, None for zeros, as the channels of each result."""
    return torch.stack([torch.cat([torch.zeros_like(x[0]) if p is None else x[p] for p in result]) for result in places])


@pytest.mark.parametrize(
    ("op", "shape", "attrs", "expected"),
    [
        ("pad", (2, 3), {"pads": ((0, 0), (1, 2)), "value": 1.5}, lambda x: F.pad(x, (1, 2), value=1.5)),
        ("pad", (4, 5), {"pads": ((1, -2), (-1, 2)), "value": 0}, lambda x: F.pad(x, (-1, 2, 1, -2))),
        ("flip", (2, 3), {"dims": (0, 1)}, lambda x: x.flip(0, 1)),
        ("cumsum", (2, 3), {"dim": 1}, lambda x: x.cumsum(1)),
        ("cumsum", (), {"dim": 0}, lambda x: x.cumsum(0)),
        ("cumprod", (2, 3), {"dim": 1}, lambda x: x.cumprod(1)),
        ("logcumsumexp", (2, 3), {"dim": 1}, lambda x: x.logcumsumexp(1)),
        ("copy", (2, 3), {}, lambda x: x.clone()),
        ("transfer", (2, 3), {"space": "near"}, lambda x: x.clone()),
        ("reorder", (2, 3, 4, 4), {"layout": Layout(16)}, lambda x: x),
        ("channel_select", (2, 4, 3), {"index": (3, 1, 1)}, lambda x: x[:, [3, 1, 1]]),
        ("space_to_depth", (2, 3, 4, 6), {}, lambda x: F.pixel_unshuffle(x, 2)),
        ("space_to_depth", (2, 3, 5, 3), {}, lambda x: F.pixel_unshuffle(F.pad(x, (0, 1, 0, 1)), 2)),
        ("stack_slices", (6, 2, 1, 2), {"depth": 3, "size": 2, "taps": 2}, lambda x: stacked(x, [(0, 1), (1, 2), (3, 4), (4, 5)])),
        (
            "stack_slices", (6, 2, 1, 2), {"depth": 3, "size": 2, "taps": 3, "stride": 2, "start": -1},
            lambda x: stacked(x, [(None, 0, 1), (1, 2, None), (None, 3, 4), (4, 5, None)]),
        ),
        (
            "stack_slices", (4, 2, 1, 2), {"depth": 4, "size": 1, "taps": 3, "dilation": 3, "start": -3, "clamped": True},
            lambda x: stacked(x, [(0, 0, 3)]),
        ),
    ],
)
def test_one_operand(op: str, shape: tuple, attrs: dict, expected: Any) -> None:
    check(op, expected, randn(*shape), **attrs)


@pytest.mark.parametrize("dim", (0, 1))
def test_concat(dim: int) -> None:
    check("concat", lambda *xs: torch.cat(xs, dim), randn(2, 3), randn(2, 3), randn(2, 3), dim=dim)


def test_concat_of_one_and_of_nothing_long() -> None:
    check("concat", lambda x: x, randn(2, 3), dim=1)
    check("concat", lambda *xs: torch.cat(xs, 0), randn(0, 3), randn(2, 3), dim=0)


def test_interleave() -> None:
    def interleaved(*xs: torch.Tensor) -> torch.Tensor:
        out = torch.empty(2, 3, 5, 4, dtype=xs[0].dtype)
        for i, x in enumerate(xs):
            out[:, :, i // 2 :: 2, i % 2 :: 2] = x
        return out

    maps = [randn(2, 3, 3, 2), randn(2, 3, 3, 2), np.float64(0.5), randn(2, 3, 2, 2)]
    check("interleave", interleaved, *maps, steps=(2, 2), size=(5, 4))


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("taps", [((2, -1, 3), (3, -1, 4)), ((2, -2, 2), (3, -2, 1)), ((0, 1, 1), (3, -3, 2))])
def test_turned_filters(groups: int, taps: Any) -> None:
    kept = [[first + step * t for t in range(count)] for first, step, count in taps]

    def turned(w: torch.Tensor) -> torch.Tensor:
        parts = [part.transpose(0, 1)[:, :, kept[0]][..., kept[1]] for part in w.chunk(groups)]
        return torch.cat(parts)

    check("turned_filters", turned, randn(4, 5, 3, 4), groups=groups, taps=taps)


@pytest.mark.parametrize("taps", [((2, -1, 4),), ((3, -1, 3),), ((0, -1, 0),), ((0, 1, 1), (0, 1, 1))])
def test_turned_filters_beyond_the_filter(taps: Any) -> None:
    with pytest.raises(TypeInferenceError, match="taps"):
        one_op_graph("turned_filters", [TensorType(DType.F32, (4, 5, 3))], groups=1, taps=taps)


def test_channel_select_of_two() -> None:
    check(
        "channel_select",
        lambda a, b: torch.cat([a, b], 1)[:, [0, 4, 2]],
        randn(2, 3, 5),
        randn(2, 2, 5),
        index=(0, 4, 2),
    )


@pytest.mark.parametrize("dim", (0, 1))
def test_take(dim: int) -> None:
    expected = (lambda x, i: x[i]) if dim == 0 else (lambda x, i: x[:, i])
    check("take", expected, randn(3, 3), INDEX, dim=dim)
    check("take", expected, randn(3, 3), np.array(1), dim=dim)


def test_take_of_32_bit_indices() -> None:
    check("take", lambda w, i: F.embedding(i, w), randn(5, 2), np.array([4, 0, 4], np.int32), dim=0)


@pytest.mark.parametrize("dim", (0, 1))
def test_gather(dim: int) -> None:
    check("gather", lambda x, i: torch.gather(x, dim, i), randn(3, 4), np.array([[0, 2], [1, 1]]), dim=dim)


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({"size": 5}, torch.arange(5)),
        ({"size": 4, "start": 3, "step": -2}, torch.arange(3, -5, -2)),
        (
            {"size": 3, "start": 0.5, "step": 0.25, "dtype": DType.F64},
            torch.arange(0.5, 1.25, 0.25, dtype=torch.float64),
        ),
        ({"size": 0, "dtype": DType.I32}, torch.arange(0, dtype=torch.int32)),
    ],
)
def test_iota(attrs: dict, expected: torch.Tensor) -> None:
    check("iota", lambda: expected, **attrs)


def test_copy_is_contiguous() -> None:
    assert run_op("copy", randn(3, 4).T)[0].flags.c_contiguous


F32 = DType.F32
S = Dim.symbol("s0")


@pytest.mark.parametrize(
    ("op", "types", "attrs", "message"),
    [
        ("concat", [], {"dim": 0}, "at least one"),
        ("concat", [TensorType(F32, (2, 3)), TensorType(F32, (3, 3))], {"dim": 1}, "agree"),
        ("concat", [TensorType(F32, (S, 3)), TensorType(F32, (2, 3))], {"dim": 1}, "agree"),
        ("take", [TensorType(F32, (2,)), TensorType(F32, (2,))], {"dim": 0}, "integer"),
        ("gather", [TensorType(F32, (2, 2)), TensorType(DType.I64, (3, 1))], {"dim": 1}, "beyond"),
        ("gather", [TensorType(F32, (2, 2)), TensorType(DType.I64, (3,))], {"dim": 1}, "rank"),
        ("pad", [TensorType(F32, (2, 2))], {"pads": ((0, 0),)}, "pairs"),
        ("pad", [TensorType(F32, (2,))], {"pads": ((-1, -2),)}, "padded size"),
        ("flip", [TensorType(F32, (2,))], {"dims": (0, 0)}, "repeat"),
        ("channel_select", [TensorType(F32, (1, 2))], {"index": (2,)}, "outside"),
        ("reorder", [TensorType(F32, (3,))], {"layout": Layout(8)}, "channels"),
        ("space_to_depth", [TensorType(F32, (3, 4, 4))], {}, "images"),
        ("stack_slices", [TensorType(F32, (3, 4, 4))], {"depth": 3, "size": 3, "taps": 1}, "slices"),
        ("stack_slices", [TensorType(F32, (3, S, 4, 4))], {"depth": 3, "size": 3, "taps": 1}, "slices"),
        ("stack_slices", [TensorType(F32, (3, 2, 4, 4))], {"depth": 2, "size": 3, "taps": 1}, "volumes of 2"),
        ("stack_slices", [TensorType(F32, (3, 8, 4, 4), Layout(16))], {"depth": 3, "size": 3, "taps": 2}, "fill its blocks"),
        ("stack_slices", [TensorType(F32, (3, 2, 4, 4))], {"depth": 3, "size": 0, "taps": 1}, "size"),
        ("interleave", [TensorType(F32, (1, 3, 4))] * 2, {"steps": (3,), "size": (12,)}, "interleave 3 maps, got 2"),
        ("interleave", [TensorType(F32, (1, 3, 4))] * 2, {"steps": (2,), "size": (7,)}, "must have maps of"),
        ("interleave", [TensorType(F32, ())] * 2, {"steps": (2,), "size": (7,)}, "how many channels"),
    ],
)
def test_misfits(op: str, types: list, attrs: dict, message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph(op, types, **attrs)


@pytest.mark.parametrize(
    "places",
    [{1: (0,)}, {0: (1, 0, 1)}, {1: (3, 3, 0), 2: (4, 0)}, {0: (0, 1), 1: (), 2: (2,)}],
    ids=str,
)
def test_pick(places: dict[int, tuple[int, ...]]) -> None:
    def expected(x: torch.Tensor) -> torch.Tensor:
        for dim, index in places.items():
            x = x.index_select(dim, torch.tensor(index, dtype=torch.int64))
        return x

    check("pick", expected, randn(2, 4, 5), dims=tuple(places), index=tuple(places.values()))
    with pytest.raises(TypeInferenceError, match="outside"):
        one_op_graph("pick", [TensorType(F32, (2, 4))], dims=(0,), index=((2,),))


def test_symbolic_sizes() -> None:
    graph = one_op_graph("concat", [TensorType(F32, (S, 3)), TensorType(F32, (S, 3)), TensorType(F32, (1, 3))], dim=0)
    assert graph.nodes[-1].type.shape == (S * 2 + 1, 3)
    graph = one_op_graph("iota", [], size=S)
    assert graph.nodes[-1].type.shape == (S,)


def test_layout_is_kept_where_all_operands_share_it() -> None:
    blocked, plain = TensorType(F32, (1, 16, 4), Layout(16)), TensorType(F32, (1, 16, 4))
    assert one_op_graph("concat", [blocked, blocked], dim=1).nodes[-1].type.layout == Layout(16)
    assert one_op_graph("concat", [blocked, plain], dim=1).nodes[-1].type.layout == Layout()
    assert one_op_graph("reorder", [blocked], layout=Layout()).nodes[-1].type == plain
