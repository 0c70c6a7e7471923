"""The op registry: what each op is called, which attributes it takes, its types, and its numpy reference.

A family is one file; importing this package loads them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from sol.errors import SolError, TypeInferenceError
from sol.ir.graph import Attrs
from sol.ir.types import TensorType

Infer = Callable[[Sequence[TensorType], Attrs], TensorType | tuple[TensorType, ...]]
Reference = Callable[..., "np.ndarray | tuple[np.ndarray, ...]"]


@dataclass(frozen=True)
class OpSpec:
    """Meaning of one op.

    kind: "source", "pointwise", "view" (no data moves if strides allow), "reduce", "move" (data moves, nothing is
        computed), "dnn" (heavy anchor), "region" or "control" (runs bodies).
    attrs: attribute names with their default; ``REQUIRED`` where there is none, ``OPTIONAL`` where a node may lack it.
    infer: operand types and attributes → result type(s); raises TypeInferenceError.
    reference: ``reference(attrs, *arrays)`` → result array(s), in the arrays' dtype (float64 in the interpreter).
    """

    name: str
    kind: str
    attrs: Mapping[str, Any]
    infer: Infer
    reference: Reference


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


class _Optional:
    def __repr__(self) -> str:
        return "OPTIONAL"


OPTIONAL = _Optional()
REGISTRY: dict[str, OpSpec] = {}


def register(spec: OpSpec) -> OpSpec:
    """Add an op; a name can be taken once."""
    if spec.name in REGISTRY:
        raise SolError(f"op {spec.name} is registered twice")
    REGISTRY[spec.name] = spec
    return spec


def op(name: str, kind: str, infer: Infer, /, **attrs: Any) -> Callable[[Reference], Reference]:
    """Decorator: the function below is the numpy reference of op ``name``."""

    def add(reference: Reference) -> Reference:
        register(OpSpec(name, kind, attrs, infer, reference))
        return reference

    return add


def spec_of(name: str) -> OpSpec:
    """The spec of an op; a clear error for an unknown name."""
    try:
        return REGISTRY[name]
    except KeyError:
        raise SolError(f"unknown op {name}") from None


def complete_attrs(spec: OpSpec, given: Mapping[str, Any]) -> Attrs:
    """Attributes with defaults filled in; unknown and missing ones are errors."""
    unknown = set(given) - set(spec.attrs)
    if unknown:
        raise TypeInferenceError(f"{spec.name} takes no attribute {sorted(unknown)}")
    full = {**{k: v for k, v in spec.attrs.items() if v is not OPTIONAL}, **given}
    missing = [k for k, v in full.items() if v is REQUIRED]
    if missing:
        raise TypeInferenceError(f"{spec.name} needs attribute {missing}")
    return Attrs(full)


FAMILIES = (
    "attention", "bags", "blocks", "control", "conv", "custom", "image", "integer", "matmul", "move", "norm", "pick", "pointwise", "pool",
    "pool_grad", "random", "recurrent", "recurrent_grad", "reduce", "region", "scatter", "select", "sort", "source", "special", "view",
    "weight_only",
)  # fmt: skip
for _family in FAMILIES:  # each registers its ops
    import_module(f"sol.ir.ops.{_family}")
