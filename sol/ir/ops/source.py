"""Where values come from: run-time inputs, parameters, literals, and calls back into torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.errors import SolError, TypeInferenceError, UnsupportedError
from sol.ir.graph import Attrs
from sol.ir.ops import OPTIONAL, REQUIRED, op
from sol.ir.ops.infer import need, need_operands
from sol.ir.types import TensorType


def _infer_given(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    remedy = "use GraphBuilder.input or .parameter"
    raise TypeInferenceError("the type of a source is given, not inferred", remedy=remedy)


def _infer_constant(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 0)
    value, dtype = attrs["value"].value, attrs["dtype"]
    need(value.dtype == dtype.numpy, f"a constant of {dtype} cannot be held as numpy {value.dtype}")
    return TensorType(dtype, value.shape)


def _infer_torch_call(operands: Sequence[TensorType], attrs: Attrs) -> TensorType | tuple[TensorType, ...]:
    types = tuple(attrs["types"])
    need(len(types) > 0, "a torch call has at least one result")
    return types


@op("input", "source", _infer_given, place=OPTIONAL, becomes=OPTIONAL)
def input_(attrs: Attrs) -> np.ndarray:
    """A tensor given at call time. place: where it lies in memory that the call may write to once the tensor is read, in bytes. becomes:
    number of the graph's output whose content the caller wants in this tensor's memory; the call may write it there."""
    raise SolError("an input has no value of its own: pass one to evaluate()")


@op("parameter", "source", _infer_given, target=REQUIRED)
def parameter(attrs: Attrs) -> np.ndarray:
    """A parameter or buffer of the module under its qualified name."""
    raise SolError(f"parameter {attrs['target']} has no value of its own: pass one to evaluate()")


@op("constant", "source", _infer_constant, value=REQUIRED, dtype=REQUIRED)
def constant(attrs: Attrs) -> np.ndarray:
    """A literal array."""
    return attrs["value"].value


@op("torch_call", "source", _infer_torch_call, key=REQUIRED, types=REQUIRED, reason="", draws=False)
def torch_call(attrs: Attrs, *operands: np.ndarray) -> np.ndarray:
    """A piece of the model that torch computes, because of ``reason``. draws: whether it takes numbers from torch's generator, which calls
    do in their order in the graph."""
    raise UnsupportedError(
        f"{attrs['key']} runs in torch and has no numpy reference ({attrs['reason']})",
        remedy="evaluate the module in torch instead",
    )
