"""Random numbers. Everything else (normal numbers, masks, choices) is made of uniform ones by other ops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_at_least, need_operands
from sol.ir.types import DType, TensorType


def _infer_random(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 0)
    need_at_least(attrs["size"], 0, "the size")
    seed = attrs["seed"]
    need(seed is None or 0 <= seed < 2**32, f"seed {seed} does not fit into 32 bits")
    return TensorType(DType.F64, (attrs["size"],))


@op("random", "move", _infer_random, size=REQUIRED, seed=None, stream=0)
def random(attrs: Attrs) -> np.ndarray:
    """``size`` numbers in ``[0, 1)``.

    seed: the numbers of ``numpy.random.RandomState(seed)`` (MT19937, Matsumoto & Nishimura 1998), the same at every call. None: other
    ones at every call and for every ``stream``; those of this reference are only like them.
    """
    state = np.random.RandomState(attrs["stream"] if attrs["seed"] is None else attrs["seed"])
    return state.random_sample(attrs["size"])
