"""A region: several ops that become one kernel, with the graph of those ops as its body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_operands
from sol.ir.types import TensorType


def _infer_region(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    body = attrs["body"]
    need(attrs["kind"] in ("dnn", "dfp"), f"kind {attrs['kind']} is neither dnn nor dfp")
    need_operands(operands, len(body.inputs))
    for given, name in zip(operands, body.inputs):
        need(given == body.type_of(name), f"body input %{name} is {body.type_of(name)}, the operand is {given}")
    need(len(body.outputs) > 0, "the body has no output")
    return tuple(body.type_of(o) for o in body.outputs)


@op("region", "region", _infer_region, kind=REQUIRED, anchor="", body=REQUIRED)
def region(attrs: Attrs, *operands: np.ndarray) -> tuple[np.ndarray, ...]:
    """The outputs of the body for the operands as its inputs; symbols are read off the operands' shapes."""
    from sol.ir.interpret import evaluate

    body = attrs["body"]
    double = any(x.dtype == np.float64 for x in operands)
    values = evaluate(body, dict(zip(body.inputs, operands)), {}, precision=np.float64 if double else None)
    return tuple(values[o] for o in body.outputs)
