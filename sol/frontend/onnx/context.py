"""What a converter of an ONNX operator sees: the builder, contents known at import, stated types, and ways to import subgraphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from onnx import GraphProto

from sol.errors import UnsupportedError
from sol.frontend.context import GraphContext
from sol.frontend.onnx.content import Content
from sol.frontend.onnx.registry import OnnxNode
from sol.frontend.onnx.types import array_dtype
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, DimLike
from sol.ir.graph import Origin
from sol.ir.types import DType, TensorType

if TYPE_CHECKING:
    from sol.frontend.onnx.importer import Importer, Scope


class NeedsValue(Exception):
    """The import needs something as a compile-time constant: contents of graph inputs, or the sizes that symbols stand for.

    inputs: names of ONNX graph inputs. symbols: names of sizes. what: for messages.
    """

    def __init__(self, inputs: Sequence[str], symbols: Sequence[str], what: str, origin: str = "") -> None:
        self.inputs, self.symbols, self.what, self.origin = tuple(inputs), tuple(symbols), what, origin
        listed = ", ".join((*self.inputs, *self.symbols))
        super().__init__(f"{what} depends on {listed}")


class Context(GraphContext):
    """One graph under construction (of the model, or of a body of Loop and Scan) and the node that is converted."""

    def __init__(self, importer: Importer, builder: GraphBuilder, outer: Context | None = None) -> None:
        super().__init__(builder)
        self.importer, self.outer = importer, outer
        self.content = Content(builder, importer.fixed_parameters)
        self.captures: dict[str, str] = {}  # input of this graph → value of the outer graph that it stands for
        self.node: OnnxNode = None  # type: ignore[assignment]
        self.scope: Scope = None  # type: ignore[assignment]

    def begin(self, node: OnnxNode, scope: Scope) -> None:
        """Set the node that is converted next."""
        self.node, self.scope = node, scope
        self.origin, self.hint = Origin(node.name, node.op), node.name or node.op

    # what is not built

    def fail(self, reason: str, remedy: str = "") -> NoReturn:
        """Raise UnsupportedError that names the node, its operator, domain and opset."""
        raise UnsupportedError(f"{self.describe()}: {reason}", origin=self.node.name, remedy=remedy)

    def describe(self) -> str:
        node = self.node
        return f"{node.domain or 'ai.onnx'}.{node.op} (opset {node.opset})"

    def fixed(self, dims: Sequence[DimLike], what: str) -> tuple[int, ...]:
        """The sizes as ints; raises NeedsValue for symbolic ones, after which the model is imported for the sizes of the call."""
        names = [s.name for d in dims if isinstance(d, Dim) for s in _symbols(d)]
        self._check_known(names, what)
        if names:
            raise NeedsValue((), tuple(dict.fromkeys(names)), what, self.node.name)
        return tuple(int(d) for d in dims)  # type: ignore[arg-type]

    # contents

    def known(self, value: str | None) -> np.ndarray | None:
        """The content if it follows from constants alone and is small; in the numpy dtype that holds the value."""
        return None if value is None else self.content.known(value)

    def need(self, value: str, what: str) -> np.ndarray:
        """The content, which must be known at compile time; raises NeedsValue if it depends on inputs or sizes."""
        found = self.content.known(value)
        if found is None:
            self._need(value, what)
        return found

    def number(self, value: str, what: str) -> Any:
        """The one element of a value that must be known at compile time."""
        array = self.need(value, what)
        if array.size != 1:
            self.fail(f"{what} has {array.size} elements, one is expected")
        return array.reshape(()).item()

    def dims(self, value: str, what: str) -> tuple[DimLike, ...]:
        """The content of an integer vector as sizes, which may be symbolic."""
        found = self.content.sizes(value)
        if found is None:
            self._need(value, what)
        return tuple(v if isinstance(v, Dim) else int(v) for v in found.ravel())

    def sizes(self, value: str) -> np.ndarray | None:
        """The content as an array of ints, bools and Dims, or None where it does not follow from constants and sizes."""
        return self.content.sizes(value)

    def decided_by_few(self, value: str, most: int) -> bool:
        """Whether a value follows from sizes, and from graph inputs that hold at most so many integers or bools."""
        inputs, _ = self.content.dependencies(value)
        for name in inputs:
            if name in self.captures and self.outer is not None:
                if not self.outer.decided_by_few(self.captures[name], most):
                    return False
                continue
            type_ = self.type(name)
            if type_.dtype.is_float or isinstance(type_.size, Dim) or type_.size > most:
                return False
        return True

    def _check_known(self, names: Sequence[str], what: str) -> None:
        """Fail for sizes that no call can tell before the model runs."""
        decided = [n for n in names if n in self.builder.data_sizes]
        if decided:
            self.fail(f"{what} depends on {', '.join(decided)}, which data decides while the model runs", "make it a constant of the model")

    def _need(self, value: str, what: str) -> NoReturn:
        inputs, names = self.content.dependencies(value)
        found: dict[str, None] = {}
        for name in inputs:
            if name in self.captures and self.outer is not None:
                outside, more = self.outer.content.dependencies(self.captures[name])
                found.update(dict.fromkeys(outside))
                names = (*names, *more)
            else:
                found[name] = None
        self._check_known(names, what)
        onnx_names = [self.importer.input_names[n] for n in found if n in self.importer.input_names]
        if len(onnx_names) < len(found) or not (onnx_names or names):
            self.fail(f"{what} is computed while the model runs", "make it a constant of the model")
        raise NeedsValue(onnx_names, names, what, self.node.name)

    # types

    def result(self, index: int = 0) -> TensorType | None:
        """What shape inference or the model says of output ``index``; None if the dtype or the rank is not said."""
        if not self.node.wants(index):
            return None
        return self.importer.stated_type(self.scope, self.node.outputs[index])

    def literal(self, array: np.ndarray, dtype: DType | None = None) -> str:
        """A numpy array (ml_dtypes included) as a literal value."""
        return self.builder.constant(array, dtype or array_dtype(array))

    def vector(self, dims: Sequence[DimLike], dtype: DType = DType.I64) -> str:
        """A vector of sizes; a literal if all are fixed."""
        if not any(isinstance(d, Dim) for d in dims):
            return self.constant(np.array([int(d) for d in dims], np.int64), dtype)  # type: ignore[arg-type]
        parts: list[str] = []
        for d in dims:
            one = self.add("iota", size=1, start=d, step=1, dtype=DType.I64) if isinstance(d, Dim) else self.constant([d], DType.I64)
            parts.append(one)
        return self.cast(self.concat(parts, 0), dtype)

    # subgraphs

    def graph(self, proto: GraphProto, operands: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Inline a subgraph of the current node; its outputs. It sees the names of the graphs around it."""
        return self.importer.inline(self, proto, operands)

    def convert(self, op: str, *inputs: Any, outputs: int = 1, domain: str = "", **attrs: Any) -> Any:
        """Convert another operator in place, as if the model had it here; its value, or a tuple if ``outputs > 1``."""
        return self.importer.convert(self, op, inputs, outputs, domain, attrs)


def _symbols(d: Dim) -> tuple[Any, ...]:
    from sol.ir.dim import symbols

    return symbols(d)
