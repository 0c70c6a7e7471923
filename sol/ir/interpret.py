"""Evaluates a graph with the numpy references: the oracle of the tests in float64, and the folder of constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sol.errors import InputError, SolError
from sol.ir import dim
from sol.ir.data_sizes import definers, symbol_of
from sol.ir.dim import Dim, DimLike, Symbol, dim_text
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.ops import spec_of
from sol.ir.ops.control import CONTROL, evaluate_if, evaluate_loop
from sol.ir.types import TensorType

SMALL = 65536
"""Constants are folded in float64 while every operand has at most this many elements."""

JUMPING = frozenset(
    "bitcast cast_rounded cast_saturated ceil floor floor_divide fmod frac nextafter remainder round sign trunc trunc_divide".split()
)
"""Ops of floats whose results jump, as those of casts to integers, of comparisons and of orders do: 5.9999999 and 6 differ by a whole."""

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
Chooser = Callable[[Node, Sequence[np.ndarray]], "np.dtype | None"]


def evaluate(
    graph: Graph,
    inputs: Mapping[str, np.ndarray],
    parameters: Mapping[str, np.ndarray],
    symbols: Mapping[str, int] | None = None,
    wanted: Sequence[str] | None = None,
    precision: Any = np.float64,
) -> dict[str, np.ndarray]:
    """Values of ``wanted`` (default: the outputs) for the given inputs (by input name) and parameters (by target).

    precision: the dtype in which every float array is held and computed; None for each value's declared dtype.
    symbols: sizes of symbols; those that an input's shape determines need not be given.
    Raises InputError for operands that do not fit, UnsupportedError if a torch_call is needed.
    """
    env = {**bind_symbols(graph, inputs), **(symbols or {})}
    values = _Values(graph, parameters, env, inputs)
    dtype = None if precision is None else np.dtype(precision)
    found = values.run(graph.outputs if wanted is None else wanted, lambda node, operands: dtype)
    return {v: _held(a, graph.type_of(v), dtype) for v, a in found.items()}


def evaluate_outputs(
    graph: Graph, inputs: Sequence[np.ndarray], parameters: Mapping[str, np.ndarray] | None = None, **options: Any
) -> list[np.ndarray]:
    """``evaluate`` with inputs and outputs by position."""
    if len(inputs) != len(graph.inputs):
        raise InputError(f"the graph takes {len(graph.inputs)} inputs, got {len(inputs)}")
    values = evaluate(graph, dict(zip(graph.inputs, inputs)), parameters or {}, **options)
    return [values[o] for o in graph.outputs]


def evaluate_constants(
    graph: Graph, wanted: Iterable[str], parameters: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Values of ``graph.constant_values`` in their declared dtypes, for folding weights, as ``each_constant`` gives them."""
    return dict(each_constant(graph, wanted, parameters))


def each_constant(
    graph: Graph, wanted: Iterable[str], parameters: Mapping[str, np.ndarray]
) -> Iterator[tuple[str, np.ndarray]]:
    """Constant values one after the other, computed when their turn comes: only what later ones need as well is held.

    A node is computed in float64 if all its operands are small or one is declared f64, else in float32; views show what they are views of.
    What an integer, a truth value or another result that jumps is made of is computed in the types that are declared, as at run time.
    Raises SolError if a wanted value depends on an input.
    """
    wanted = tuple(dict.fromkeys(wanted))
    for value in wanted:
        if value not in graph.constant_values:
            raise SolError(f"%{value} depends on an input and is no constant", origin=str(graph.producer(value).origin))

    deciding = _deciding(graph)

    def choose(node: Node, operands: Sequence[np.ndarray]) -> np.dtype | None:
        if node.op == "parameter":
            return None  # as it is; it is converted, if at all, where it is used
        if spec_of(node.op).kind == "view" and node.type.dtype.numpy in _FLOATS and operands[0].dtype in _FLOATS:
            return operands[0].dtype  # the same memory
        types = (*map(graph.type_of, node.inputs), *node.types)
        if node.name in deciding and all(t.dtype.numpy.itemsize == t.dtype.itemsize for t in types if t.dtype.is_float):
            return None
        small = node.name not in deciding and all(x.size <= SMALL for x in operands)
        double = small or any(graph.type_of(i).dtype.numpy == np.float64 for i in node.inputs)
        return np.dtype(np.float64 if double else np.float32)

    for value, array in _Values(graph, parameters, {}, {}).each(wanted, choose):
        yield value, _held(array, graph.type_of(value), None)


def _deciding(graph: Graph) -> set[str]:
    """Names of constant nodes on whose numbers results that jump depend, and of those with such results."""
    found: set[str] = set()
    for node in reversed(graph.nodes):
        if node.name not in graph.constant_values:
            continue
        floats = [i for i in node.inputs if graph.type_of(i).dtype.is_float]
        if node.name in found or floats and (node.op in JUMPING or not all(t.dtype.is_float for t in node.types)):
            found.add(node.name)
            found.update(graph.producer(i).name for i in floats)
    return found


def _applied(node: Node, attrs: Attrs, operands: Sequence[np.ndarray]) -> Any:
    try:
        return spec_of(node.op).reference(attrs, *operands)
    except (ArithmeticError, IndexError) as error:
        raise SolError(f"{node.op} cannot be computed: {error}", origin=str(node.origin)) from error


def bind_symbols(graph: Graph, inputs: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Symbol values that the inputs' shapes determine: sizes of the form ``a * symbol + b``.

    Raises InputError if two inputs disagree or a size lies outside of its symbol's range.
    """
    env: dict[str, int] = {}
    for name, array in inputs.items():
        shape = graph.type_of(name).shape
        if len(shape) != np.ndim(array):
            raise InputError(f"input %{name} has {np.ndim(array)} dimensions, takes {graph.type_of(name)}")
        for declared, size in zip(shape, np.shape(array)):
            solved = _solve(declared, size)
            if solved is None:
                continue
            symbol, value = solved
            if env.setdefault(symbol.name, value) != value:
                raise InputError(f"input %{name}: {symbol.name} is {value}, but {env[symbol.name]} in an earlier input")
            if not symbol.lower <= value <= symbol.upper:
                raise InputError(f"input %{name}: {symbol.name} is {value}, takes {symbol.lower} to {symbol.upper}")
    return env


def _solve(declared: DimLike, size: int) -> tuple[Symbol, int] | None:
    """The symbol and its value in ``a * symbol + b == size``; None for another form or no whole solution."""
    if not isinstance(declared, Dim):
        return None
    constant = sum(c for monomial, c in declared.terms if not monomial)
    rest = [(monomial, c) for monomial, c in declared.terms if monomial]
    if (
        len(rest) != 1
        or len(rest[0][0]) != 1
        or not isinstance(rest[0][0][0], Symbol)
        or (size - constant) % rest[0][1]
    ):
        return None
    return rest[0][0][0], (size - constant) // rest[0][1]


def resolve(value: Any, env: Mapping[str, int]) -> Any:
    """An attribute with every Dim in it replaced by its size."""
    if isinstance(value, Dim):
        return dim.evaluate(value, env)
    if isinstance(value, tuple):
        return tuple(resolve(v, env) for v in value)
    return value


def _dtype_of(type_: TensorType, precision: np.dtype | None) -> np.dtype:
    return precision if precision is not None and type_.dtype.is_float else type_.dtype.numpy


def _held(array: np.ndarray, type_: TensorType, precision: np.dtype | None) -> np.ndarray:
    """The array in the dtype in which a value of this type is held."""
    dtype = _dtype_of(type_, precision)
    array = np.asarray(array)
    if array.dtype == dtype:
        return array
    with np.errstate(all="ignore"):
        return array.astype(dtype)


def _uses(wanted: Sequence[str], needed: Iterable[Node]) -> dict[str, int]:
    """How often each value is read by the needed nodes and wanted outside."""
    uses = dict.fromkeys(wanted, 1)
    for node in needed:
        for value in node.inputs:
            uses[value] = uses.get(value, 0) + 1
    return uses


class _Values:
    """One evaluation: computes what is needed, and drops a value after its last use."""

    def __init__(
        self,
        graph: Graph,
        parameters: Mapping[str, np.ndarray],
        env: dict[str, int],
        inputs: Mapping[str, np.ndarray],
    ) -> None:
        """env: values of symbols; those that data decides are added when it has."""
        self.graph, self.parameters, self.env, self.inputs = graph, parameters, env, inputs
        self.arrays: dict[str, np.ndarray] = {}

    def run(self, wanted: Sequence[str], choose: Chooser) -> dict[str, np.ndarray]:
        needed = self._needed(wanted)
        uses = _uses(wanted, needed)
        for node in needed:
            self._step(node, uses, choose)
        return {v: self.arrays[v] for v in wanted}

    def each(self, wanted: Sequence[str], choose: Chooser) -> Iterator[tuple[str, np.ndarray]]:
        """Wanted values in their order, each computed just before; distinct names."""
        waiting = {node.name: node for node in self._needed(wanted)}
        uses = _uses(wanted, waiting.values())
        definer = definers(self.graph.nodes)
        for value in wanted:
            stack = [value]
            while stack:
                node = waiting.get(stack[-1].partition("#")[0])
                if node is None:
                    stack.pop()
                    continue
                missing = [i for i in (*node.inputs, *definer.get(node.name, ())) if i.partition("#")[0] in waiting]
                if missing:
                    stack += missing
                else:
                    del waiting[node.name]
                    self._step(node, uses, choose)
            array = self.arrays[value]
            self._used(value, uses)
            yield value, array

    def _step(self, node: Node, uses: dict[str, int], choose: Chooser) -> None:
        """Compute a node and keep those of its results that have uses."""
        operands = [self.arrays[i] for i in node.inputs]
        for value, array in zip(node.outputs, self._compute(node, operands, choose(node, operands))):
            if uses.get(value):
                self.arrays[value] = array
        for value in node.inputs:
            self._used(value, uses)

    def _used(self, value: str, uses: dict[str, int]) -> None:
        """One use fewer; what has none left is dropped."""
        uses[value] -= 1
        if not uses[value]:
            del self.arrays[value]

    def _needed(self, wanted: Sequence[str]) -> list[Node]:
        names = {v.partition("#")[0] for v in wanted}
        definer = definers(self.graph.nodes)
        needed: list[Node] = []
        for node in reversed(self.graph.nodes):
            if node.name in names:
                needed.append(node)
                names.update(i.partition("#")[0] for i in (*node.inputs, *definer.get(node.name, ())))
        return needed[::-1]

    def _compute(self, node: Node, operands: Sequence[np.ndarray], precision: np.dtype | None) -> list[np.ndarray]:
        held = [_held(x, self.graph.type_of(i), precision) for i, x in zip(node.inputs, operands)]
        if node.op == "input":
            results: Any = self._given(self.inputs, node.name, "input")
        elif node.op == "parameter":
            results = self._given(self.parameters, node.attrs["target"], "parameter")
        elif node.op == "region":
            body: Graph = node.attrs["body"]
            inner = _Values(body, self.parameters, self.env, dict(zip(body.inputs, held)))
            found = inner.run(body.outputs, lambda n, xs: precision)
            results = tuple(found[o] for o in body.outputs)
        else:
            own = symbol_of(node)
            attrs = Attrs({k: v if own and k == "symbol" else resolve(v, self.env) for k, v in node.attrs.items()})
            if node.op in CONTROL:
                results = self._control(node.op, attrs, held, precision)
            else:
                results = _applied(node, attrs, held)
            if own:
                self.env[own.name] = int(results[-1])
        results = results if isinstance(results, tuple) else (results,)
        arrays = [_held(x, t, precision) for x, t in zip(results, node.types, strict=True)]
        for array, type_ in zip(arrays, node.types):
            self._check_shape(node, array, type_)
        return arrays

    def _control(self, op: str, attrs: Attrs, operands: Sequence[np.ndarray], precision: np.dtype | None) -> tuple[np.ndarray, ...]:
        """Results of an op with bodies, which see the parameters and the symbols of this graph."""

        def run(body: Graph, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
            inner = _Values(body, self.parameters, dict(self.env), dict(zip(body.inputs, inputs)))
            found = inner.run(tuple(dict.fromkeys(body.outputs)), lambda n, xs: precision)
            return [found[o] for o in body.outputs]

        if op == "if":
            return evaluate_if(attrs, run, operands)
        body: Graph = attrs["body"]
        types = [body.type_of(o) for o in body.outputs[attrs["carried"] + attrs["conditional"] :]]
        empty = [np.zeros(tuple(dim.evaluate(d, self.env) for d in t.shape), _dtype_of(t, precision)) for t in types]
        return evaluate_loop(attrs, run, operands, empty)

    def _given(self, arrays: Mapping[str, np.ndarray], key: str, what: str) -> np.ndarray:
        if key not in arrays:
            raise InputError(f"no value is given for {what} {key}")
        return np.asarray(arrays[key])

    def _check_shape(self, node: Node, array: np.ndarray, type_: TensorType) -> None:
        declared = tuple(dim.evaluate(d, self.env) for d in type_.shape)
        if array.shape == declared:
            return
        symbolic = ",".join(dim_text(d) for d in type_.shape)
        kind = InputError if node.op in ("input", "parameter") else SolError
        raise kind(f"%{node.name} = {node.op} has shape {list(array.shape)}, takes [{symbolic}] = {list(declared)}",
                   origin=str(node.origin))  # fmt: skip
