"""C that users write: an op whose kernel is their function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.errors import UnsupportedError
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need
from sol.ir.types import TensorType


def _infer_custom(operands: Sequence[TensorType], attrs: Attrs) -> TensorType | tuple[TensorType, ...]:
    types = tuple(attrs["types"])
    need(len(types) > 0, "a layer of C has at least one result")
    return types if len(types) > 1 else types[0]


@op("custom", "dnn", _infer_custom, title=REQUIRED, source=REQUIRED, function=REQUIRED, others=(), options=(), types=REQUIRED)
def custom(attrs: Attrs, *operands: np.ndarray) -> np.ndarray:
    """What the C function ``function`` of ``source`` writes for these operands.

    others: other functions that the source defines and no other source of the network may meet. options: of the compiler, for this alone.
    """
    raise UnsupportedError(
        f"{attrs['title']} is C and has no numpy reference", remedy="compare with the same layer written in operations of torch instead"
    )
