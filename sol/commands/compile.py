"""``sol compile``: a model file → a C library, C sources or a Python package in a folder."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sol import __version__
from sol.build.progress import showing_stages
from sol.codegen.targets import TARGETS
from sol.commands.failures import MissingPackageError
from sol.commands.models import SHAPE_OF_A_PROGRAM, Port, as_port
from sol.commands.ports import Shapes, make_up, parse_arrays, parse_shapes
from sol.deploy.api import Deployed, deploy
from sol.deploy.models import network_of
from sol.errors import ConfigError, InputError, SolError, UnsupportedError
from sol.frontend.imported import Imported
from sol.frontend.torch.program_file import is_program_file
from sol.inspect.checks import FACTOR, relative_error
from sol.ir.dim import evaluate as dim_value
from sol.ir.dim import symbols
from sol.ir.interpret import evaluate
from sol.ir.storage import edge_dtype, held_from_edge
from sol.stages import stage

ISAS = ("native", "multi", *TARGETS)


@dataclass(frozen=True)
class Comparison:
    """An output of what was deployed against the float64 interpreter."""

    name: str
    error: float
    passed: bool


def compile_model(
    model: Path, *, out: Path, target: str, isa: str, lib_name: str, func_name: str, shapes: Sequence[str], constants: Sequence[str],
    threads: int | None, weights: str, verify: bool, tolerance: float, seed: int,
) -> tuple[Deployed, list[Comparison]]:  # fmt: skip
    """What was written and, with ``verify``, how its results compare with float64.

    Raises ConfigError for options that do not fit together, and all that ``sol.deploy`` raises.
    """
    sizes = parse_shapes(shapes)
    device = device_for(isa)
    if verify and (target in ("static_lib", "source") or not _runs_here(isa)):
        raise ConfigError("--verify runs what was made, which this target or instruction set does not allow here",
                          remedy="use --target shared_lib or python, and --isa native")  # fmt: skip
    with showing_stages():
        contents = _contents(model, sizes, constants)
        made = deploy(
            str(model), target=target, device=device, lib_name=lib_name, func_name=func_name, path=out, isa=isa, threads=threads,
            weights=weights, constants=contents or None, shapes=sizes or None, version=__version__,
        )  # fmt: skip
        if not verify:
            return made, []
        stage("comparing with float64")
        network = network_of(str(model), None, None, contents or None, shapes=sizes or None)
        call = getattr(_binding(made, target, lib_name), func_name)
        return made, compare(network, call, tolerance, seed)


def device_for(isa: str) -> str | None:
    """The device that an instruction set belongs to; None for this machine's."""
    machine = TARGETS[isa].architecture if isa in TARGETS else ""
    return {"x86_64": "x86", "aarch64": "aarch64"}.get(machine)


def _runs_here(isa: str) -> bool:
    return isa in ("native", "multi") or TARGETS[isa].runs_here()


def _contents(model: Path, sizes: Shapes, constants: Sequence[str]) -> dict[str, np.ndarray]:
    """The contents of ``--const``, in the types that the model takes."""
    if is_program_file(model):
        if sizes or constants:
            raise InputError(SHAPE_OF_A_PROGRAM if sizes else "--const is for ONNX models", remedy="export the program again")
        if importlib.util.find_spec("torch") is None:
            raise MissingPackageError("reading .pt2 files needs torch, which is not installed", remedy="pip install torch")
        return {}
    if importlib.util.find_spec("onnx") is None:
        raise MissingPackageError("reading ONNX files needs the onnx package, which is not installed", remedy='pip install "sol[onnx]"')
    if not constants:
        return {}
    from sol.frontend.onnx import load_model

    loaded = load_model(str(model))
    ports = {i.name: Port(i.name, loaded.numpy_dtype(i.type.tensor_type.elem_type), None) for i in loaded.inputs}
    return {n: as_port(a, ports[n]) for n, a in parse_arrays(constants, list(ports), "--const").items()}


# -- verification ------------------------------------------------------------------------------------------------------


def _binding(made: Deployed, target: str, name: str) -> Any:
    """The Python module that was written beside the library."""
    file = made.path / name / "__init__.py" if target == "python" else made.path / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"sol_deployed_{name}", file)
    if spec is None or spec.loader is None:
        raise UnsupportedError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TRIED = (8, 64, 224, 16, 32, 4, 2, 1)
"""Values for sizes that the library leaves open, until the network takes one."""


def compare(network: Imported, call: Any, tolerance: float, seed: int) -> list[Comparison]:
    """Run what was deployed and the float64 interpreter on made-up inputs.

    An error up to several times that of rounding every value to float32 is none: a network that quantizes makes steps of small errors.
    """
    graph = network.graph
    arrays, evaluated = _evaluated(network, seed)
    exact = evaluated(np.float64)
    results = call(*(_raw(a) for a in arrays.values()))
    found = []
    for name, value, result in zip(network.output_names, graph.outputs, results if isinstance(results, tuple) else (results,)):
        error = relative_error(held_from_edge(_typed(result, edge_dtype(graph.type_of(value).dtype))), exact[value])
        right = error <= tolerance or error <= FACTOR * relative_error(evaluated(np.float32)[value], exact[value])
        found.append(Comparison(name, error, right))
    return found


def _evaluated(network: Imported, seed: int) -> tuple[dict[str, np.ndarray], Callable[[Any], Mapping[str, np.ndarray]]]:
    """Made-up inputs that the network takes, and a function that gives all outputs in a precision."""
    graph = network.graph
    types = {value: graph.type_of(value) for value in graph.inputs}
    parameters = {t: held_from_edge(network.parameters[t]) for t in graph.parameter_targets}
    symbols_ = sorted({s for t in types.values() for d in t.shape for s in symbols(d)}, key=lambda s: s.name)
    for last, size in zip((*[False] * (len(TRIED) - 1), True), TRIED):
        env = {s.name: min(max(size, s.lower), s.upper) for s in symbols_}
        arrays = {
            value: make_up(name, edge_dtype(type_.dtype), [dim_value(d, env) for d in type_.shape], seed)
            for name, (value, type_) in zip(network.input_names, types.items())
        }
        call = functools.partial(evaluate, graph, {v: held_from_edge(a) for v, a in arrays.items()}, parameters, env, None)
        exact = functools.cache(call)
        try:
            exact(np.float64)
            return arrays, exact
        except (SolError, ArithmeticError, ValueError, IndexError):
            if last or not symbols_:
                raise
    raise AssertionError


def _raw(array: np.ndarray) -> np.ndarray:
    """bfloat16 as its bits, as the library takes it."""
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array


def _typed(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return array.view(dtype) if dtype.name == "bfloat16" and array.dtype == np.uint16 else array
