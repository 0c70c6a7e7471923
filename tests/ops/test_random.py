"""Reference of random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from sol.errors import TypeInferenceError
from sol.ir.builder import GraphBuilder
from sol.ir.interpret import evaluate_outputs
from sol.passes.fold_constants import fold_constants


def test_random() -> None:
    b = GraphBuilder()
    x, y, z = (b.add("random", [], size=1000, seed=s, stream=t) for s, t in ((7, 0), (None, 1), (None, 2)))
    graph = b.build([x, y, z])
    assert not graph.constant_values and len(fold_constants(graph)) == 3, "every call draws again"
    first, second, third = evaluate_outputs(graph, [])
    assert np.array_equal(first, np.random.RandomState(7).random_sample(1000))
    assert not np.array_equal(second, third)
    with pytest.raises(TypeInferenceError):
        b.add("random", [], size=3, seed=-1)
