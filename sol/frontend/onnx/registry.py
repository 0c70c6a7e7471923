"""Which converter serves which ONNX operator, domain and opset; and how a node looks to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Converter = Callable[..., Any]
_CONVERTERS: dict[tuple[str, str], dict[int, Converter]] = {}


@dataclass(frozen=True)
class OnnxNode:
    """One node whose operands are values already.

    inputs: sol values (str); a tuple of values for a sequence; None for an operand that is not given or an empty optional; a numpy
        array of objects for a tensor of strings, whose content is always known at import.
    attrs: int, float, str, tuples of these, numpy arrays (tensors), GraphProto, TypeProto; only those that the node states.
    outputs: ONNX names; "" where the result is not wanted.
    opset: version of the node's domain that the model asks for.
    """

    op: str
    name: str
    domain: str
    opset: int
    inputs: tuple[Any, ...]
    outputs: tuple[str, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def input(self, index: int) -> Any:
        """Operand ``index``; None if it is not given."""
        return self.inputs[index] if index < len(self.inputs) else None

    def attr(self, name: str, default: Any = None) -> Any:
        """Attribute ``name``; ``default`` if it is not stated."""
        return self.attrs.get(name, default)

    def wants(self, index: int) -> bool:
        """Whether output ``index`` has a name."""
        return index < len(self.outputs) and self.outputs[index] != ""


def converter(*names: str, since: int = 1, domain: str = "") -> Callable[[Converter], Converter]:
    """Register ``def convert(ctx: Context, node: OnnxNode)`` for operators from opset ``since`` on, until one with a larger ``since``.

    It returns one value, or a tuple with one entry per output (None where nothing is wanted). A sequence is a tuple of values: as
    the only result it is returned as ``(sequence,)``.
    """

    def add(function: Converter) -> Converter:
        for name in names:
            _CONVERTERS.setdefault((domain, name), {})[since] = function
        return function

    return add


def find_converter(domain: str, name: str, opset: int) -> Converter | None:
    """The converter with the largest ``since`` that is at most ``opset``."""
    versions = _CONVERTERS.get((domain, name), {})
    since = max((v for v in versions if v <= opset), default=None)
    return None if since is None else versions[since]


def converters() -> Mapping[tuple[str, str], Mapping[int, Converter]]:
    """All converters: ``(domain, operator) → since → function``."""
    return _CONVERTERS
