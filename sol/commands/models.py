"""A model file as the commands see it, whether ONNX (without torch) or a program of torch.export."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from sol.codegen.compiled import Compiled
from sol.commands.failures import MissingPackageError
from sol.commands.ports import Shapes, make_up, parse_arrays
from sol.errors import ExportError, InputError
from sol.frontend.torch.program_file import is_program_file, load_program
from sol.inspect.checks import Verification
from sol.inspect.explanation import Explanation
from sol.inspect.profile import Profile
from sol.stages import stage

if TYPE_CHECKING:
    from sol.runtime.executable import Executable

Feed = dict[str, Any]
SHAPE_OF_A_PROGRAM = "--shape is for ONNX models: a program of torch.export has its shapes"


@dataclass(frozen=True)
class Port:
    """An input or output: numpy dtype (None if it is no tensor of numbers) and sizes, as text where the model leaves them open."""

    name: str
    dtype: np.dtype | None
    shape: tuple[int | str, ...] | None


class Model(Protocol):
    """What the commands do with a model. A feed is arrays by input name."""

    path: Path
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    def run(self, feed: Feed) -> list[Any]:
        """All outputs in order."""

    def call(self, feed: Feed) -> Callable[[], Any]:
        """A call as short as it can be, for timing."""

    def explain(self, feed: Feed, alternatives: bool = False) -> Explanation:
        """What was fused into which kernel; alternatives: and the runners-up."""

    def profile(self, feed: Feed, runs: int) -> Profile:
        """Time of every launch."""

    def verify(self, feed: Feed, tolerance: float, peer: bool) -> Verification:
        """Compare with float64 and another engine."""

    def parts(self, feed: Feed) -> list[tuple[Compiled, Mapping[str, int], int]]:
        """What was compiled, with the sizes of a call and the bytes of its packed weights."""

    def operators(self) -> list[str]:
        """Names of the operators of the file's own graph, one for each node."""


def open_model(
    path: Path, *, shapes: Shapes | None = None, threads: int | None = None, isa: str | None = None
) -> Model:
    """Read a model; the ending tells its kind (.onnx, .pt2), or else its first bytes.

    Raises ModelError or ExportError for a damaged file, MissingPackageError if the package that reads it is not installed.
    """
    stage(f"reading {path.name}")
    if is_program_file(path):
        if shapes:
            raise InputError(SHAPE_OF_A_PROGRAM, remedy="export it again with other shapes, or give --input")
        return TorchModel(path, threads, isa)
    return OnnxModel(path, shapes or {}, threads, isa)


def feed_for(model: Model, files: Sequence[str], shapes: Shapes, seed: int = 0, constants: Sequence[str] = ()) -> Feed:
    """Inputs from files, and made-up ones where none is given."""
    names = [p.name for p in model.inputs]
    given = {**parse_arrays(constants, names, "--const"), **parse_arrays(files, names, "--input")}
    example = getattr(model, "example", {})
    feed: Feed = {}
    for port in model.inputs:
        if port.name in given:
            array = given[port.name]
            if not fits(array.shape, port.shape):
                source = "--shape says" if port.name in shapes else "the model takes"
                raise InputError(f"--input gives {port.name} the shape {shape_list(array.shape)}, {source} {shape_list(port.shape or ())}")
            feed[port.name] = as_port(array, port)
        elif port.name in example:
            feed[port.name] = example[port.name]
        else:
            feed[port.name] = make_up(port.name, port.dtype, port.shape, seed)
    return feed


def fits(shape: Sequence[int], wanted: Sequence[int | str] | None) -> bool:
    """Whether an array of that shape may be given where sizes are as wanted, text for any."""
    return wanted is None or (len(shape) == len(wanted) and all(s == w or isinstance(w, str) for s, w in zip(shape, wanted)))


def shape_list(shape: Sequence[int | str]) -> str:
    """``[1, 3, 224, 224]``."""
    return f"[{', '.join(map(str, shape))}]"


def as_port(array: np.ndarray, port: Port) -> np.ndarray:
    """The array in the input's dtype if no value changes by that (integers of another width; floats of any); InputError otherwise."""
    if port.dtype is None or array.dtype == port.dtype:
        return array
    if port.dtype.itemsize == array.dtype.itemsize and array.dtype.kind == "V":
        return array.view(port.dtype)  # numpy.save writes the types of ml_dtypes as raw bytes
    rounds = array.dtype.kind + port.dtype.kind in ("ff", "fV", "fc", "cc")
    if rounds or array.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            converted = array.astype(port.dtype)
        if rounds or (np.array_equal(converted.astype(array.dtype), array) and np.array_equal(converted < 0, array < 0)):
            return converted
    raise InputError(f"input {port.name} is {array.dtype}, the model takes {port.dtype}")


# -- ONNX --------------------------------------------------------------------------------------------------------------


class OnnxModel:
    """An ONNX file through sol.load; torch is not imported."""

    def __init__(self, path: Path, shapes: Shapes, threads: int | None, isa: str | None) -> None:
        if importlib.util.find_spec("onnx") is None:
            raise MissingPackageError("reading ONNX files needs the onnx package, which is not installed", remedy='pip install "sol[onnx]"')
        import sol

        self.path = path
        self.session = sol.load(str(path), threads=threads, isa=isa, shapes=shapes)
        self.inputs = tuple(Port(v.name, v.dtype, v.shape) for v in self.session.inputs)
        self.outputs = tuple(Port(v.name, v.dtype, v.shape) for v in self.session.outputs)

    def run(self, feed: Feed) -> list[Any]:
        return self.session.run(feed)

    def call(self, feed: Feed) -> Callable[[], Any]:
        arrays = [feed[p.name] for p in self.inputs]
        return lambda: self.session.run(arrays)

    def explain(self, feed: Feed, alternatives: bool = False) -> Explanation:
        from sol.inspect.session_checks import explain_session

        return explain_session(self.session, feed, alternatives=alternatives)

    def profile(self, feed: Feed, runs: int) -> Profile:
        from sol.inspect.session_checks import profile_session

        return profile_session(self.session, feed, runs=runs)

    def verify(self, feed: Feed, tolerance: float, peer: bool) -> Verification:
        from sol.inspect.session_verification import verify_session

        return verify_session(self.session, feed, tolerance=tolerance, peer=peer)

    def parts(self, feed: Feed) -> list[tuple[Compiled, Mapping[str, int], int]]:
        prepared = self.session.prepared(feed)
        if prepared.executable is None:
            return []
        return [(prepared.executable.compiled, prepared.env, prepared.executable.memory_bytes()["weights"])]

    def operators(self) -> list[str]:
        nodes = self.session.model.graph.node
        return [f"{n.domain}.{n.op_type}" if n.domain not in ("", "ai.onnx") else n.op_type for n in nodes]


# -- torch -------------------------------------------------------------------------------------------------------------


class TorchModel:
    """A program of torch.export, compiled by sol.optimize for the inputs it was exported with."""

    def __init__(self, path: Path, threads: int | None, isa: str | None) -> None:
        if importlib.util.find_spec("torch") is None:
            raise MissingPackageError("reading .pt2 files needs torch, which is not installed", remedy="pip install torch")
        self.program = load_program(path)
        import torch

        self.path, self._torch = path, torch
        if threads:
            torch.set_num_threads(threads)
        self.module = self.program.module()
        self._isa, self._threads = isa, threads
        self._compiled: Any = None
        self._keys, self.example = self._example()
        placeholders = {n.name: n.meta["val"].shape for n in self.program.graph.nodes if n.op == "placeholder" and n.name in self.example}
        sizes = {name: tuple(s if isinstance(s, int) else str(s) for s in shape) for name, shape in placeholders.items()}
        self.inputs = tuple(Port(n, a.dtype, sizes.get(n, a.shape)) for n, a in self.example.items())
        self.outputs = self._results()

    def _example(self) -> tuple[list[str], dict[str, np.ndarray]]:
        """Names of the arguments (``args[0]``, or of keywords) and the tensors that the program was exported with."""
        from torch.utils import _pytree as pytree

        if self.program.example_inputs is None:
            raise ExportError("the program has no example inputs", remedy="save it as torch.export.export returns it")
        leaves = pytree.tree_flatten_with_path(self.program.example_inputs)[0]
        user = [s.arg.name for s in self.program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
        names: list[str] = []
        example: dict[str, np.ndarray] = {}
        for (_, leaf), name in zip(leaves, user):
            names.append(name)
            if isinstance(leaf, self._torch.Tensor):
                example[name] = leaf.detach().numpy()
        return names, example

    def _results(self) -> tuple[Port, ...]:
        """The tensors that the program returns; none if it returns something else as well."""
        values: dict[Any, Any] = {n.name: n.meta.get("val") for n in self.program.graph.nodes}
        found: list[Any] = [values.get(name) for name in self.program.graph_signature.user_outputs]
        if not all(isinstance(t, self._torch.Tensor) for t in found):
            return ()
        kinds = [np.dtype(str(t.dtype).removeprefix("torch.")) if t.dtype is not self._torch.bfloat16 else None for t in found]
        shapes = [tuple(s if isinstance(s, int) else str(s) for s in t.shape) for t in found]
        return tuple(Port(f"output{i}", kind, shape) for i, (kind, shape) in enumerate(zip(kinds, shapes)))

    def arguments(self, feed: Feed) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments of the module."""
        from torch.utils import _pytree as pytree

        leaves, spec = pytree.tree_flatten(self.program.example_inputs)
        filled = [self._torch.from_numpy(np.ascontiguousarray(feed[n])) if n in feed else leaf for n, leaf in zip(self._keys, leaves)]
        args, kwargs = pytree.tree_unflatten(filled, spec)
        return tuple(args), dict(kwargs)

    def compiled(self, feed: Feed) -> tuple[Any, Any]:
        """The SolModule, and inputs as sol's functions take them."""
        import sol

        args, kwargs = self.arguments(feed)
        if args and kwargs:
            raise InputError("a program with both positional and keyword arguments is not supported by this command",
                             remedy="export it with positional arguments only")  # fmt: skip
        inputs: Any = kwargs or list(args)
        if self._compiled is None:
            stage("compiling")
            self._compiled = sol.optimize(self.module, inputs, threads=self._threads, isa=self._isa)
        return self._compiled, inputs

    def run(self, feed: Feed) -> list[Any]:
        from torch.utils import _pytree as pytree

        module, _ = self.compiled(feed)
        args, kwargs = self.arguments(feed)
        with self._torch.no_grad():
            leaves = pytree.tree_leaves(module(*args, **kwargs))
        return [t.numpy() if isinstance(t, self._torch.Tensor) else t for t in leaves]

    def call(self, feed: Feed) -> Callable[[], Any]:
        module, _ = self.compiled(feed)
        args, kwargs = self.arguments(feed)
        self._torch.set_grad_enabled(False)
        return lambda: module(*args, **kwargs)

    def eager(self, feed: Feed) -> Callable[[], Any]:
        """The same call in torch."""
        args, kwargs = self.arguments(feed)
        self._torch.set_grad_enabled(False)
        return lambda: self.module(*args, **kwargs)

    def explain(self, feed: Feed, alternatives: bool = False) -> Explanation:
        import sol

        return cast(Explanation, sol.explain(*self.compiled(feed), alternatives=alternatives))

    def profile(self, feed: Feed, runs: int) -> Profile:
        import sol

        with self._torch.no_grad():
            return cast(Profile, sol.profile(*self.compiled(feed), runs=runs))

    def verify(self, feed: Feed, tolerance: float, peer: bool) -> Verification:
        import sol

        return sol.verify(*self.compiled(feed), tolerance=tolerance)

    def parts(self, feed: Feed) -> list[tuple[Compiled, Mapping[str, int], int]]:
        from sol.inspect.explain import program_for

        _, program, args, kwargs = program_for(*self.compiled(feed))
        if program is None:
            return []
        env = program.inputs_of(args, kwargs)[1] or {}
        found: list[Executable] = program.runner.executables
        return [(e.compiled, env, e.memory_bytes()["weights"]) for e in found]

    def operators(self) -> list[str]:
        return [str(n.target) for n in self.program.graph.nodes if n.op == "call_function"]
