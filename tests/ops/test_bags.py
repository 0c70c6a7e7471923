"""Bags of rows against torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from tests.ops.reference import check, randn, run_op

INDEX, STARTS = np.array([3, 0, 0, 4, 2, 3, 1]), np.array([0, 2, 2, 7])


@pytest.mark.parametrize("mode", ("sum", "mean", "max"))
@pytest.mark.parametrize("without", (None, 3))
@pytest.mark.parametrize("closed", (False, True))
def test_bags(mode: str, without: int | None, closed: bool) -> None:
    theirs = {"mode": mode, "padding_idx": without, "include_last_offset": closed}
    ours = {"mode": mode, "without": without, "closed": closed}
    check("bags", lambda t, i, s: F.embedding_bag(i, t, s, **theirs), randn(5, 3), INDEX, STARTS, **ours)


def test_weights() -> None:
    table, weights = randn(5, 3), randn(7)
    check("bags", lambda t, i, s, w: F.embedding_bag(i, t, s, mode="sum", per_sample_weights=w), table, INDEX, STARTS, weights, mode="sum")
    with pytest.raises(TypeInferenceError):
        run_op("bags", table, INDEX, STARTS, weights, mode="max")
