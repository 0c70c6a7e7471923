"""Strides of views equal torch's on fixed shapes, and hold for symbolic ones."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sol.errors import SolError
from sol.ir.dim import Dim
from sol.ir.graph import Attrs
from sol.ir.strides import contiguous_strides, is_contiguous, view_strides

S = Dim.symbol("s0", 2, 64)


def test_contiguous() -> None:
    assert contiguous_strides((2, 3, 4)) == (12, 4, 1)
    assert contiguous_strides((2, S, 4)) == (S * 4, 4, 1)
    assert contiguous_strides(()) == ()


@st.composite
def strided(draw: Any) -> torch.Tensor:
    """A tensor after random permutes, slices and expands."""
    shape = draw(st.lists(st.sampled_from([1, 2, 3, 4, 6]), min_size=1, max_size=4))
    x = torch.arange(10_000)[: torch.Size(shape).numel()].reshape(shape)
    if draw(st.booleans()):
        x = x.permute(draw(st.permutations(range(x.ndim))))
    if draw(st.booleans()):
        dim = draw(st.integers(0, x.ndim - 1))
        x = x.narrow(dim, 0, max(1, x.shape[dim] // 2))
    if draw(st.booleans()):
        x = x.unsqueeze(draw(st.integers(0, x.ndim))).expand(*[-1 if s != 1 else 3 for s in _unsqueezed(x)])
    return x


def _unsqueezed(x: torch.Tensor) -> list[int]:
    return [-1] * (x.ndim + 1)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(strided(), st.data())
def test_reshape_is_a_view_exactly_where_torch_says(x: torch.Tensor, data: Any) -> None:
    count = x.numel()
    shape: list[int] = []
    while count > 1 and len(shape) < 4:
        factor = data.draw(st.sampled_from([f for f in (1, 2, 3, 4, 6, count) if count % f == 0]))
        shape.append(factor)
        count //= factor
    shape.append(count)
    found = view_strides("reshape", Attrs({"shape": tuple(shape)}), tuple(x.shape), tuple(x.stride()), 5)
    try:
        expected = x.view(shape)
    except RuntimeError:
        assert found is None
        return
    assert found is not None
    strides: Any = found[0]
    offset = found[1]
    assert offset == 5
    assert torch.equal(torch.as_strided(x, shape, strides, x.storage_offset()), expected)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(strided(), st.data())
def test_other_views(x: torch.Tensor, data: Any) -> None:
    shape, strides = tuple(x.shape), tuple(x.stride())
    order = tuple(data.draw(st.permutations(range(x.ndim))))
    assert view_strides("permute", Attrs({"order": order}), shape, strides, 0) == (tuple(x.permute(order).stride()), 0)
    dim = data.draw(st.integers(0, x.ndim - 1))
    start = data.draw(st.integers(0, x.shape[dim] - 1))
    attrs = Attrs({"dim": dim, "start": start, "stop": x.shape[dim], "step": 2})
    sliced = x[(slice(None),) * dim + (slice(start, None, 2),)]
    found: Any = view_strides("slice", attrs, shape, strides, int(x.storage_offset()))
    step, offset = found
    assert offset == sliced.storage_offset()
    assert torch.equal(torch.as_strided(x, sliced.shape, step, offset), sliced)


def test_expand() -> None:
    assert view_strides("expand", Attrs({"shape": (5, 2, 3)}), (2, 1), (1, 1), 7) == ((0, 1, 0), 7)
    assert view_strides("expand", Attrs({"shape": (S, 4)}), (1, 4), (4, 1), 0) == ((0, 1), 0)


@pytest.mark.parametrize(
    ("shape", "strides", "new", "expected"),
    [
        ((S, 4, 6), (24, 6, 1), (S * 4, 6), (6, 1)),
        ((S, 12), (12, 1), (S, 3, 4), (12, 4, 1)),
        ((S, 4, 6), (6, S * 6, 1), (S * 4, 6), None),
        ((4, S, 6), (S * 6, 6, 1), (4, S * 6), (S * 6, 1)),
        ((2, S), (S, 1), (2, 1, S), (S, S, 1)),
        ((S, 8, 4), (64, 4, 1), (S, 32), (64, 1)),
        ((S, 8, 4), (64, 4, 1), (S * 32,), None),
        ((0, 4), (4, 1), (4, 0), (0, 1)),
        ((), (), (1, 1), (1, 1)),
    ],
)
def test_symbolic_reshape(shape: Any, strides: Any, new: Any, expected: Any) -> None:
    found = view_strides("reshape", Attrs({"shape": new}), shape, strides, 0)
    assert found == (None if expected is None else (expected, 0))


def test_is_contiguous() -> None:
    assert is_contiguous((2, S, 3), contiguous_strides((2, S, 3)))
    assert is_contiguous((2, 1, 3), (3, 99, 1))
    assert not is_contiguous((2, 3), (1, 2))
    assert not is_contiguous((2, 3), (0, 1))
    assert is_contiguous((), ())


def test_not_a_view() -> None:
    with pytest.raises(SolError, match="relu is not a view"):
        view_strides("relu", Attrs(), (2,), (1,), 0)
