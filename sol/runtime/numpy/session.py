"""An ONNX model as a function of numpy arrays: compiled for the types of its calls, and for contents where it must be."""

from __future__ import annotations

import functools
import logging
import os
import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sol.build.templates import keep_templates
from sol.codegen.plan import Plan
from sol.config import checked_threads, config
from sol.errors import InputError, UnsupportedError
from sol.frontend.imported import Imported, InputLeaf, OutputLeaf
from sol.frontend.onnx import LoadedModel, load_model
from sol.frontend.onnx.context import NeedsValue
from sol.frontend.onnx.sizes import with_sizes
from sol.frontend.trees import Group, Leaf, Tree
from sol.ir.dim import Dim, evaluate, symbols
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_constants
from sol.ir.rewrite import with_outputs
from sol.ir.storage import as_stored, edge_dtype, from_edge, stored_dtype, to_edge
from sol.ir.types import DType
from sol.runtime.ahead import in_background_once
from sol.runtime.arrays import default_threads
from sol.runtime.executable import Executable
from sol.runtime.numpy.api_boundary import as_arrays
from sol.runtime.numpy.specialise import check_guards, import_for
from sol.runtime.packers import compile_ahead
from sol.runtime.sized import SizedExecutable
from sol.runtime.specializations import Specializations
from sol.runtime.team import team
from sol.stages import stage
from sol.tuning.compile import compile_tuned

log = logging.getLogger("sol.runtime")
Taken = tuple[list[np.ndarray], dict[str, int]]
"""A call taken apart: the graph's inputs as users have them, and the values of symbols."""


@dataclass(frozen=True)
class Value:
    """An input or output: numpy dtype (None for a sequence, an optional or strings) and shape (text for sizes that a call tells)."""

    name: str
    dtype: np.dtype | None
    shape: tuple[int | str, ...] | None


@dataclass(frozen=True)
class Prepared:
    """What a session runs for some inputs.

    tensors: the graph's inputs as users have them. executable: None if no output is computed at a call. env: values of the symbols.
    """

    imported: Imported
    executable: Executable | None
    tensors: tuple[np.ndarray, ...]
    env: Mapping[str, int]

    @property
    def stored(self) -> list[np.ndarray]:
        """The graph's inputs as the executable takes them."""
        graph = self.imported.graph
        return [from_edge(a, graph.type_of(v).dtype) for a, v in zip(self.tensors, graph.inputs)]


class Session:
    """A model that takes and gives numpy arrays; torch tensors and what else has ``__dlpack__`` are taken too.

    A model whose sizes are all fixed is compiled when loaded, another one at its first call. Sizes that the model names stay open
    (0 and 1 apart, which get a program of their own). Where the model computes a shape from the content of an input, that content is
    taken as a constant, and another content is compiled for. Safe to call from several threads at once.
    """

    def __init__(self, model: LoadedModel, *, threads: int | None = None, isa: str | None = None,
                 shapes: Mapping[str, Sequence[int | str]] | None = None) -> None:  # fmt: skip
        model = with_sizes(model, shapes or {})
        self.model, self.threads, self.isa = model, threads, isa
        self._programs = Specializations[_Program](kinds="input types or contents")
        self.inputs = tuple(_value(model, i) for i in model.inputs)
        self.outputs = tuple(_value(model, o) for o in model.graph.output)
        self._names = tuple(i.name for i in self.inputs)
        keep_templates()
        in_background_once("session", team)
        if all(self._is_fixed(i) for i in self.inputs):
            self._compile_ahead()

    def _is_fixed(self, value: Value) -> bool:
        return value.shape is not None and all(isinstance(d, int) for d in value.shape)

    def _compile_ahead(self) -> None:
        try:
            self._programs.add(self._made(None))
        except NeedsValue as needed:
            log.info("%s: compiled at the first call", needed)

    # -- call ----------------------------------------------------------------------------------------------------------

    def __call__(self, *arrays: Any, **by_name: Any) -> Any:
        """Outputs for inputs by position or name: one array if the model has one output, else a tuple."""
        programs = self._programs.entries
        if programs and not by_name:
            direct = programs[0].direct(arrays)
            if direct is not None:
                return direct[0] if len(direct) == 1 else tuple(direct)
        if len(arrays) > len(self._names):
            raise InputError(f"{len(arrays)} inputs are given, the model takes {len(self._names)}: {', '.join(self._names)}")
        feed = dict(zip(self._names, arrays))
        for name, array in by_name.items():
            if name in feed:
                raise InputError(f"input {name} is given twice")
            feed[name] = array
        results = self._run(feed)
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, inputs: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        """All outputs in order, for inputs in order or by name."""
        if isinstance(inputs, Mapping):
            return self._run(dict(inputs))
        if len(inputs) > len(self._names):
            raise InputError(f"{len(inputs)} inputs are given, the model takes {len(self._names)}: {', '.join(self._names)}")
        return self._run(dict(zip(self._names, inputs)))

    def prepared(self, inputs: Sequence[Any] | Mapping[str, Any]) -> Prepared:
        """What runs for these inputs, compiled if need be: for profiles, reports and verification."""
        program, (tensors, env) = self._program_for(dict(inputs) if isinstance(inputs, Mapping) else dict(zip(self._names, inputs)))
        return Prepared(program.imported, program.executable, tuple(tensors), env)

    def _run(self, feed: dict[str, Any]) -> list[Any]:
        program, taken = self._program_for(feed)
        return program.run(taken)

    def _program_for(self, feed: dict[str, Any]) -> tuple[_Program, Taken]:
        """The program for these inputs, compiled now if need be, and the inputs as it takes them."""
        arrays: list[Any] = []
        for value in self.inputs:
            if value.name not in feed and value.dtype is not None:
                raise InputError(f"input {value.name} is not given", remedy=f"the model takes {', '.join(self._names)}")
            arrays.append(as_arrays(feed.pop(value.name, None), value.name, value.dtype))
        if feed:
            raise InputError(f"the model has no input {next(iter(feed))!r}", remedy=f"it takes {', '.join(self._names)}")
        found = self._programs.find_or_make(lambda program: program.take(arrays), lambda: self._compile_for(arrays))
        assert found is not None, "_compile_for gives a program that takes the inputs, or raises"
        return found

    # -- compile -------------------------------------------------------------------------------------------------------

    def _compile_for(self, arrays: Sequence[Any]) -> _Program:
        for value, array in zip(self.inputs, arrays):
            if isinstance(array, np.ndarray) and value.shape is not None:
                self._check_shape(value, array.shape)
        program = self._made(arrays)
        if program.take(arrays) is None:
            program = self._made(arrays, fixed=True)
            if program.take(arrays) is None:
                given = ", ".join(f"{v.name} {_shape_text(a.shape)}" for v, a in zip(self.inputs, arrays) if isinstance(a, np.ndarray))
                raise InputError(f"the shapes of the inputs do not fit each other: {given}")
        return program

    def _check_shape(self, value: Value, shape: Sequence[int]) -> None:
        wanted = value.shape
        if wanted is not None and (
            len(wanted) != len(shape) or any(isinstance(w, int) and w != s for w, s in zip(wanted, shape))
        ):
            raise InputError(f"input {value.name} has shape {list(shape)}, the model takes {_shape_text(wanted)}")

    def _made(self, arrays: Sequence[Any] | None, *, fixed: bool = False) -> _Program:
        """The program for a call, or for any call."""
        stage("importing the model")
        feed = None if arrays is None else dict(zip(self._names, arrays))
        return import_for(self.model, {}, feed, lambda imported: _Program(imported, self.threads, self.isa), fixed=fixed)


class _Program:
    """The model compiled for some types of inputs."""

    def __init__(self, imported: Imported, threads: int | None, isa: str | None) -> None:
        self.imported = imported
        graph = imported.graph
        self._types = [graph.type_of(v) for v in graph.inputs]
        self._edges = [edge_dtype(t.dtype) for t in self._types]
        self._ranges = {s.name: s for t in self._types for d in t.shape for s in symbols(d)}
        self._places = {v: i for i, v in enumerate(graph.inputs)}
        computed = dict.fromkeys(o for o in graph.outputs if o not in self._places and o not in graph.constant_values)
        self._computed = {v: i for i, v in enumerate(computed)}
        constant = dict.fromkeys(o for o in graph.outputs if o in graph.constant_values)
        _check_constants(graph)
        held = evaluate_constants(graph, constant, {t: _held(a) for t, a in imported.parameters.items()}) if constant else {}
        self._constants = {v: to_edge(as_stored(a, graph.type_of(v).dtype), graph.type_of(v).dtype) for v, a in held.items()}
        self.executable: Executable | None = None
        if computed:
            threads = threads or default_threads()
            wanted = with_outputs(graph, computed)
            compile = functools.partial(compile_tuned, isa=isa, threads=threads, planned=compile_ahead)
            compiled = compile(wanted)
            _check_memory(compiled.plan)
            if compiled.plan.symbols:
                self.executable = SizedExecutable(wanted, compile, compiled, threads=threads)
            else:
                self.executable = Executable(compiled, threads=threads)
            self.executable.pack(imported.parameters)
        self._arguments, self._results = imported.arguments, imported.results
        self._fixed = self._fixed_types()

    def _fixed_types(self) -> list[tuple[tuple[int, ...], np.dtype]] | None:
        """Shapes and dtypes of all inputs, if they are fixed and arrays go in and out as they are: most models, whose calls are short."""
        imported, graph = self.imported, self.imported.graph
        plain = _in_order(self._arguments, imported.inputs, len(self._types))
        plain = plain and _in_order(self._results, imported.outputs, len(graph.outputs))
        types = [*self._types, *(graph.type_of(o) for o in graph.outputs)]
        unchanged = all(t.is_static and edge_dtype(t.dtype) == stored_dtype(t.dtype) for t in types)
        if not plain or not unchanged or tuple(self._computed) != graph.outputs:
            return None
        return [(tuple(map(int, t.shape)), e) for t, e in zip(self._types, self._edges)]  # type: ignore[arg-type]

    def direct(self, arrays: tuple[Any, ...]) -> list[np.ndarray] | None:
        """The outputs, if the inputs can be used as they are."""
        if self._fixed is None or len(arrays) != len(self._fixed):
            return None
        for array, (shape, dtype) in zip(arrays, self._fixed):
            if type(array) is not np.ndarray or array.shape != shape or array.dtype is not dtype or not array.flags.c_contiguous:
                return None
        return self.executable(arrays)  # type: ignore[misc]

    def take(self, arrays: Sequence[Any]) -> Taken | None:
        """The graph's inputs and the values of the symbols; None for inputs of other types or contents than this was compiled for."""
        tensors: list[np.ndarray] = []
        for tree, array in zip(self._arguments, arrays):
            if not _flatten(tree, self.imported.inputs, array, tensors):
                return None
        env = self._env(tensors)
        return None if env is None else (tensors, env)

    def _env(self, tensors: Sequence[np.ndarray]) -> dict[str, int] | None:
        """Values of the symbols; None if types do not fit."""
        env = {}
        for name, source in self.imported.symbols.items():
            shape = tensors[source.input].shape
            if source.dim is None or source.dim >= len(shape):
                return None
            size = shape[source.dim]
            if not self._ranges[name].lower <= size <= self._ranges[name].upper:
                return None
            env[name] = size
        for tensor, type_, edge in zip(tensors, self._types, self._edges):
            if tensor.dtype != edge or tensor.ndim != type_.rank:
                return None
            if any(s != (evaluate(d, env) if isinstance(d, Dim) else d) for s, d in zip(tensor.shape, type_.shape)):
                return None
        return env

    def run(self, taken: Taken) -> list[Any]:
        """The model's outputs for what ``take`` gave."""
        tensors, env = taken
        stored = [from_edge(a, t.dtype) for a, t in zip(tensors, self._types)]
        results = self.executable(stored, env) if self.executable else []
        values = [self._output(o, results, tensors) for o in self.imported.graph.outputs]
        check_guards(self.imported.guards, values.__getitem__)
        return [_unflatten(tree, self.imported.outputs, values) for tree in self._results]

    def _output(self, value: str, results: Sequence[np.ndarray], tensors: Sequence[np.ndarray]) -> np.ndarray:
        if value in self._places:
            return tensors[self._places[value]].copy()
        if value in self._constants:
            return self._constants[value].copy()
        return to_edge(results[self._computed[value]], self.imported.graph.type_of(value).dtype)


def _memory() -> int:
    """Bytes that this process may use: those of the machine, or of its own limit."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return total if limit == resource.RLIM_INFINITY else min(total, limit)


def _too_large(what: str, size: int) -> UnsupportedError:
    return UnsupportedError(f"{what} {size >> 20} MiB, more than there is ({_memory() >> 20} MiB)",
                            remedy="is a size in the model wrong? else use a larger machine")  # fmt: skip


def _check_constants(graph: Graph) -> None:
    """Values that follow from constants fit into memory: a few bytes of a model can ask for any number of them."""
    for node in graph.nodes:
        if node.op == "expand" or node.name not in graph.constant_values:
            continue  # an expanded value takes no memory of its own
        sizes: list[int] = [int(t.size) * t.dtype.itemsize for t in node.types]  # type: ignore[arg-type]
        if sum(sizes) > _memory() // 2:
            raise _too_large(f"the constant {node.origin or node.name} takes", sum(sizes))


def _check_memory(plan: Plan) -> None:
    """Buffers of a plan with fixed sizes fit into memory."""
    if plan.symbols:
        return
    sizes = [int(plan.arena), *(int(plan.capacity(p)) * p.dtype.itemsize for p in plan.outputs)]  # type: ignore[arg-type]
    if sum(sizes) > _memory():
        raise _too_large("a call takes", sum(sizes))


def _held(array: np.ndarray) -> np.ndarray:
    return array.astype(DType.from_numpy(array.dtype).numpy, copy=False)


def _in_order(trees: Sequence[Tree], leaves: Sequence[InputLeaf | OutputLeaf], count: int) -> bool:
    """Whether inputs or outputs are so many tensors, in the graph's order."""
    places = [leaf.index if leaf.kind == "tensor" else -1 for leaf in leaves]
    return tuple(trees) == tuple(map(Leaf, range(count))) and places == list(range(count))


def _flatten(tree: Tree, leaves: Sequence[InputLeaf], array: Any, tensors: list[np.ndarray]) -> bool:
    """Append the tensors of one input; False if its structure or its content is another."""
    if isinstance(tree, Group):
        fits = isinstance(array, list) and len(array) == len(tree.parts)
        return fits and all(_flatten(t, leaves, a, tensors) for t, a in zip(tree.parts, array))
    if not isinstance(tree, Leaf):
        return array is None
    if not isinstance(array, np.ndarray):
        return False
    leaf = leaves[tree.index]
    if leaf.kind == "constant":
        return _same_content(leaf.value, array)
    tensors.append(array)
    return True


def _same_content(a: np.ndarray, b: np.ndarray) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(np.array_equal(a, b)) if a.dtype.kind in "OUS" else a.tobytes() == b.tobytes()


def _unflatten(tree: Tree, leaves: Sequence[OutputLeaf], values: Sequence[np.ndarray]) -> Any:
    if isinstance(tree, Group):
        return [_unflatten(t, leaves, values) for t in tree.parts]
    if not isinstance(tree, Leaf):
        return None
    leaf = leaves[tree.index]
    return values[leaf.index] if leaf.kind == "tensor" else leaf.value.copy()


def _value(model: LoadedModel, info: Any) -> Value:
    if info.type.WhichOneof("value") != "tensor_type":
        return Value(info.name, None, None)
    tensor = info.type.tensor_type
    shape = None
    if tensor.HasField("shape"):
        sizes = zip(model.shape(tensor.shape, info.name), tensor.shape.dim)
        shape = tuple(s if isinstance(s, int) else d.dim_param or f"{info.name}_{i}" for i, (s, d) in enumerate(sizes))
    return Value(info.name, model.numpy_dtype(tensor.elem_type), shape)


def _shape_text(shape: Sequence[int | str]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


def load(
    model: Any, *, threads: int | None = None, isa: str | None = None, shapes: Mapping[str, Sequence[int | str]] | None = None
) -> Session:
    """See ``sol.load``."""
    if isa is not None:
        with config.override(isa=isa):  # the knob's own check
            pass
    checked_threads(threads, "for the default")
    stage("reading the model")
    loaded = model if isinstance(model, LoadedModel) else load_model(model)
    return Session(loaded, threads=threads, isa=isa, shapes=shapes)
