"""What is known of a value's content while a model is imported: arrays that follow from constants, and vectors of (symbolic) sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from sol.errors import SolError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, dim_max, dim_min, floor_div, symbols
from sol.ir.graph import VARYING, Attrs, Node
from sol.ir.interpret import resolve
from sol.ir.ops import spec_of
from sol.ir.types import DType, TensorType

LARGEST = 65536
"""Elements up to which contents are computed at import."""

LARGEST_SIZES = 4096
"""Elements up to which vectors of sizes are followed."""


class Content:
    """Contents of the values of one builder; each is computed when first asked for.

    parameters: target → array of those parameters whose content may be looked at; they never change.
    """

    def __init__(self, builder: GraphBuilder, parameters: Mapping[str, np.ndarray]) -> None:
        self.builder, self.parameters = builder, parameters
        self._known: dict[str, np.ndarray | None] = {}
        self._sizes: dict[str, np.ndarray | None] = {}

    def known(self, value: str) -> np.ndarray | None:
        """The content in the value's numpy dtype if it follows from constants alone and is small."""
        return self._follow(value, self._known, self._compute)

    def sizes(self, value: str) -> np.ndarray | None:
        """The content as an array of Python ints, bools and Dims, if it follows from constants and sizes."""
        return self._follow(value, self._sizes, self._trace)

    def dependencies(self, value: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Graph inputs whose content a value depends on, and symbols that it does."""
        inputs: dict[str, None] = {}
        names: dict[str, None] = {}
        seen: set[str] = set()
        todo = [value]
        while todo:
            node = self.builder.node(todo.pop())
            if node.name in seen:
                continue
            seen.add(node.name)
            if node.op == "input":
                inputs[node.name] = None
            names.update(dict.fromkeys(s.name for s in _attribute_symbols(node)))
            todo.extend(node.inputs)
        return tuple(inputs), tuple(names)

    def _follow(self, value: str, cache: dict[str, Any], compute: Callable[[Node], list[Any]]) -> np.ndarray | None:
        """Post-order walk with a stack of its own: chains of constants may be long."""
        todo = [value]
        while todo:
            node = self.builder.node(todo[-1])
            if todo[-1] in cache:
                todo.pop()
                continue
            missing = [] if _too_large(node) else [i for i in node.inputs if i not in cache]
            if missing and not any(cache.get(i, ...) is None for i in node.inputs):
                todo.extend(missing)
                continue
            results = [None] * len(node.types) if missing or _too_large(node) else compute(node)
            cache.update(zip(node.outputs, results))
        return cache[value]

    def _compute(self, node: Node) -> list[Any]:
        nothing = [None] * len(node.types)
        operands = [self._known[i] for i in node.inputs]
        if node.op in VARYING or any(x is None for x in operands):
            return nothing
        if node.op == "parameter":
            array = self.parameters.get(node.attrs["target"])
            return nothing if array is None else [np.asarray(array).astype(node.type.dtype.numpy)]
        if not all(t.is_static for t in node.types) or _attribute_symbols(node):
            return nothing
        try:
            with np.errstate(all="ignore"):
                results: Any = spec_of(node.op).reference(node.attrs, *operands)
        except (SolError, NotImplementedError):
            return nothing
        results = results if isinstance(results, tuple) else (results,)
        with np.errstate(all="ignore"):
            return [np.asarray(x).astype(t.dtype.numpy) for x, t in zip(results, node.types)]

    def _trace(self, node: Node) -> list[Any]:
        nothing = [None] * len(node.types)
        if len(node.types) > 1 or not (node.type.dtype.is_int or node.type.dtype is DType.BOOL):
            return nothing
        found = self.known(node.name)
        if found is not None:
            return [found.astype(object)]
        if not node.type.is_static or int(node.type.size) > LARGEST_SIZES:  # type: ignore[arg-type]
            return nothing
        rule = _SIZE_RULES.get(node.op)
        operands = [self._sizes[i] for i in node.inputs]
        if rule is None or any(x is None for x in operands):
            return nothing
        try:
            result = np.asarray(rule(node.attrs, *operands), object)
            return [result.reshape(tuple(int(d) for d in node.type.shape))]  # type: ignore[arg-type]
        except SolError:  # the comparison of sizes is decided only at run time
            return nothing


def _too_large(node: Node) -> bool:
    return any(not isinstance(t.size, Dim) and t.size > LARGEST for t in node.types)


def _attribute_symbols(node: Node) -> tuple[Any, ...]:
    return tuple(s for d in _dims_in(tuple(node.attrs.values())) for s in symbols(d))


def _dims_in(value: Any) -> Iterator[Dim]:
    if isinstance(value, Dim):
        yield value
    elif isinstance(value, TensorType):
        yield from _dims_in(value.shape)
    elif isinstance(value, tuple):
        for v in value:
            yield from _dims_in(v)


def _each(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """An elementwise rule over Python ints and Dims."""
    lifted = np.frompyfunc(function, 2, 1)
    return lambda attrs, x, y: lifted(x, y)


def _equal(a: Any, b: Any) -> bool:
    if a == b:
        return True
    if isinstance(a - b, int) or a < b or a > b:
        return False
    raise SolError("equality of sizes is decided at run time")


def _plain(op: str) -> Callable[..., Any]:
    """A rule that moves elements: the op's own reference works on arrays of objects."""
    return lambda attrs, *xs: spec_of(op).reference(Attrs({k: resolve(v, {}) for k, v in attrs.items()}), *xs)


def _iota(attrs: Attrs) -> np.ndarray:
    size, start, step = attrs["size"], attrs["start"], attrs["step"]
    return np.array([start + step * i for i in range(size)] + [None], object)[:-1]


def _product(attrs: Attrs, x: np.ndarray) -> Any:
    return np.multiply.reduce(x, axis=tuple(attrs["dims"]), keepdims=attrs["keepdims"])


def _sum(attrs: Attrs, x: np.ndarray) -> Any:
    return np.add.reduce(x, axis=tuple(attrs["dims"]), keepdims=attrs["keepdims"])


def _cast(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    if not attrs["dtype"].is_int:
        raise SolError("a size as another type")
    return np.frompyfunc(lambda v: int(v) if isinstance(v, bool) else v, 1, 1)(x)


def _take(attrs: Attrs, x: np.ndarray, index: np.ndarray) -> np.ndarray:
    if any(isinstance(i, Dim) for i in index.ravel()):
        raise SolError("an index that depends on sizes")
    return np.take(x, index.astype(np.int64), axis=attrs["dim"])


def _where(attrs: Attrs, condition: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(condition.astype(bool), x, y)


def _pow(a: Any, b: Any) -> Any:
    if not isinstance(b, int) or not 0 <= b <= 8:
        raise SolError("a power of sizes")
    result: Any = 1
    for _ in range(b):
        result = result * a
    return result


def _remainder(a: Any, b: Any) -> Any:
    if not a >= 0 or not b > 0:
        raise SolError("the remainder of a negative size")
    return a - floor_div(a, b) * b


_SIZE_RULES: dict[str, Callable[..., Any]] = {
    "iota": _iota, "take": _take, "where": _where, "cast": _cast, "sum": _sum, "prod": _product,
    **{name: _plain(name) for name in ("reshape", "permute", "expand", "slice", "concat", "flip", "copy")},
    "add": _each(lambda a, b: a + b), "sub": _each(lambda a, b: a - b), "mul": _each(lambda a, b: a * b),
    "floor_divide": _each(floor_div), "remainder": _each(_remainder), "fmod": _each(_remainder), "pow": _each(_pow),
    "maximum": _each(dim_max), "minimum": _each(dim_min), "eq": _each(_equal), "ne": _each(lambda a, b: not _equal(a, b)),
    "lt": _each(lambda a, b: a < b), "le": _each(lambda a, b: a <= b), "gt": _each(lambda a, b: a > b), "ge": _each(lambda a, b: a >= b),
    "logical_and": _each(lambda a, b: a and b), "logical_or": _each(lambda a, b: a or b),
    "neg": lambda attrs, x: -x, "relu": lambda attrs, x: np.frompyfunc(lambda v: dim_max(v, 0), 1, 1)(x),
    "logical_not": lambda attrs, x: np.frompyfunc(lambda v: not v, 1, 1)(x), "square": lambda attrs, x: x * x,
}  # fmt: skip
