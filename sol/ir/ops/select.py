"""Ops that keep as many elements as the data says.

The size of their results is an attribute ``symbol``, a Dim whose value the extra result ``count`` (i64[]) states at run time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_float, need_operands, need_shape, same_dtype
from sol.ir.types import DType, TensorType

COUNT = TensorType(DType.I64, ())


def _infer_nonzero(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need_operands(operands, 1)
    need(operands[0].rank > 0, "a scalar has no indices")
    return TensorType(DType.I64, (attrs["symbol"], operands[0].rank)), COUNT


def _infer_unique(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need_operands(operands, 1)
    (x,), symbol = operands, attrs["symbol"]
    need(x.rank == 2, f"takes rows, got {x}")
    found = TensorType(DType.I64, (symbol,))
    return found, TensorType(DType.I64, (x.shape[0],)), found, COUNT


def _infer_nms(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need_operands(operands, 5)
    boxes, scores, most, iou, score = operands
    need(boxes.rank == 3 and scores.rank == 3, f"takes boxes[N,B,4] and scores[N,C,B], got {boxes} and {scores}")
    need_shape(boxes, (scores.shape[0], scores.shape[2], 4), "boxes")
    same_dtype((boxes, scores, iou, score))
    need_float(boxes)
    need(most.dtype is DType.I64, f"the number of boxes per class must be i64, got {most}")
    for t in (most, iou, score):
        need_shape(t, (1,), "a limit")
    return TensorType(DType.I64, (attrs["symbol"], 3)), COUNT


@op("nonzero", "move", _infer_nonzero, symbol=REQUIRED)
def nonzero(attrs: Attrs, x: np.ndarray) -> tuple[np.ndarray, ...]:
    """Indices of the elements that are not zero, one row each in row-major order, and how many there are."""
    found = np.argwhere(x).astype(np.int64)
    return found, np.asarray(len(found), np.int64)


@op("unique", "move", _infer_unique, symbol=REQUIRED, sorted=True)
def unique(attrs: Attrs, x: np.ndarray) -> tuple[np.ndarray, ...]:
    """Distinct rows of ``x[n, m]``: (index of the first of each, which of them each row is, how often each occurs, how many there are).

    In lexicographic order, or in order of appearance if not ``sorted``. NaN is larger than numbers and equal to itself.
    """
    rows, inverse = _distinct(x)
    first = np.full(rows, len(x), np.int64)
    np.minimum.at(first, inverse, np.arange(len(x)))
    if not attrs["sorted"]:
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(rows)
        first, inverse = first[order], rank[inverse]
    counts = np.bincount(inverse, minlength=rows).astype(np.int64)
    return first, inverse.astype(np.int64), counts, np.asarray(rows, np.int64)


def _distinct(x: np.ndarray) -> tuple[int, np.ndarray]:
    """Number of distinct rows, and the rank of each row among them."""
    inverse = np.zeros(len(x), np.int64)
    if not len(x):
        return 0, inverse
    columns = [np.unique(c, return_inverse=True)[1].reshape(-1) for c in x.T] or [inverse]
    order = np.lexsort(columns[::-1])
    ranks = np.stack(columns, 1)[order]
    steps = np.any(ranks[1:] != ranks[:-1], axis=1)
    inverse[order] = np.concatenate([[0], np.cumsum(steps)])
    return int(inverse.max()) + 1, inverse


@op("nms", "move", _infer_nms, symbol=REQUIRED, center=False, limit=None)
def nms(
    attrs: Attrs, boxes: np.ndarray, scores: np.ndarray, most: np.ndarray, iou: np.ndarray, score: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Greedy non-maximum suppression of ``boxes[N, B, 4]`` with ``scores[N, C, B]``: rows (image, class, box), and how many there are.

    Boxes are two opposite corners (y, x, y, x), or (x, y, width, height) around a centre. Per image and class: boxes that score above
    ``score`` (all if it is -inf), best first, up to ``most``, without those whose intersection over union with a kept one exceeds ``iou``.
    limit: what ``most`` is known not to exceed, None if unknown.
    """
    corners = _corners(boxes, attrs["center"])
    found: list[tuple[int, int, int]] = []
    for n, c in np.ndindex(scores.shape[:2]):
        order = np.argsort(-scores[n, c], kind="stable")
        kept: list[int] = []
        for i in order:
            if len(kept) >= int(most[0]):
                break
            if not (scores[n, c, i] > score[0] or score[0] == -np.inf):
                continue
            if not any(_overlap(corners[n, i], corners[n, j]) > iou[0] for j in kept):
                kept.append(int(i))
        found += [(n, c, i) for i in kept]
    return np.asarray(found, np.int64).reshape(-1, 3), np.asarray(len(found), np.int64)


def _corners(boxes: np.ndarray, center: bool) -> np.ndarray:
    if center:
        middle, half = boxes[..., :2], boxes[..., 2:] / 2
        return np.concatenate([middle - half, middle + half], -1)
    a, b = boxes[..., :2], boxes[..., 2:]
    return np.concatenate([np.minimum(a, b), np.maximum(a, b)], -1)


def _overlap(a: np.ndarray, b: np.ndarray) -> float:
    """Intersection over union; 0 if one has no area."""
    area_a, area_b = np.prod(a[2:] - a[:2]), np.prod(b[2:] - b[:2])
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    common = np.prod(np.maximum(sides, 0))
    union = area_a + area_b - common
    return float(common / union) if area_a > 0 and area_b > 0 and union > 0 else 0.0
