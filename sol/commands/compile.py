"""``sol compile``: a model file → a C library, C sources or a Python package in a folder."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sol import __version__
from sol.codegen.targets import TARGETS
from sol.commands.failures import MissingPackageError
from sol.commands.models import is_torch_file
from sol.commands.ports import Shapes, make_up, parse_arrays, parse_shapes
from sol.deploy.api import Deployed, deploy
from sol.deploy.models import network_of
from sol.deploy.network import Network
from sol.errors import ConfigError, InputError, UnsupportedError
from sol.ir.dim import Dim, dim_text
from sol.ir.interpret import evaluate
from sol.ir.storage import edge_dtype, held_from_edge
from sol.runtime.checks import relative_error
from sol.runtime.progress import showing_stages
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
        inputs, contents = _given(model, sizes, constants)
        made = deploy(
            str(model), inputs, target=target, device=device, lib_name=lib_name, func_name=func_name, path=out, isa=isa, threads=threads,
            weights=weights, constants=contents or None, version=f"sol {__version__}",
        )  # fmt: skip
        if not verify:
            return made, []
        stage("comparing with float64")
        network = network_of(str(model), inputs, None, contents or None)
        call = getattr(_binding(made, target, lib_name), func_name)
        return made, compare(network, call, sizes, tolerance, seed)


def device_for(isa: str) -> str | None:
    """The device that an instruction set belongs to; None for this machine's."""
    machine = TARGETS[isa].machine if isa in TARGETS else ""
    return {"x86_64": "x86", "aarch64": "aarch64"}.get(machine)


def _runs_here(isa: str) -> bool:
    return isa in ("native", "multi") or TARGETS[isa].runs_here()


def _given(model: Path, sizes: Shapes, constants: Sequence[str]) -> tuple[Any, dict[str, np.ndarray]]:
    """Example inputs that fix the sizes of ``--shape``, and the contents of ``--const``."""
    if is_torch_file(model):
        if sizes or constants:
            raise InputError("--shape and --const are for ONNX models: an exported program has its shapes", remedy="export it again")
        if importlib.util.find_spec("torch") is None:
            raise MissingPackageError("reading .pt2 files needs torch, which is not installed", remedy="pip install torch")
        return None, {}
    if importlib.util.find_spec("onnx") is None:
        raise MissingPackageError("reading ONNX files needs the onnx package, which is not installed", remedy='pip install "sol[onnx]"')
    if not sizes and not constants:
        return None, {}
    from sol.frontend.onnx import load_model

    loaded = load_model(str(model))
    dtypes = {i.name: loaded.numpy_dtype(i.type.tensor_type.elem_type) for i in loaded.inputs}
    for name in sizes:
        if name not in dtypes:
            raise InputError(f"--shape: the model has no input {name!r}", remedy=f"its inputs are {', '.join(dtypes)}")
    contents = parse_arrays(constants, list(dtypes), "--const")
    return {n: np.zeros(s, dtypes[n]) for n, s in sizes.items()} or None, {n: a.astype(dtypes[n]) for n, a in contents.items()}


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


def compare(network: Network, call: Any, sizes: Mapping[str, Sequence[int]], tolerance: float, seed: int) -> list[Comparison]:
    """Run what was deployed and the float64 interpreter on made-up inputs."""
    graph = network.graph
    arrays = {}
    for name, value in zip(network.inputs, graph.inputs):
        type_ = graph.type_of(value)
        shape = [dim_text(d) if isinstance(d, Dim) else d for d in type_.shape]
        arrays[value] = make_up(name, edge_dtype(type_.dtype), shape, sizes.get(name), seed)
    results = call(*(_raw(a) for a in arrays.values()))
    targets = graph.parameter_targets
    parameters = {t: held_from_edge(network.parameter(t)) for t in targets}
    exact = evaluate(graph, {v: held_from_edge(a) for v, a in arrays.items()}, parameters)
    found = []
    for name, value, result in zip(network.outputs, graph.outputs, results if isinstance(results, tuple) else (results,)):
        error = relative_error(held_from_edge(_typed(result, edge_dtype(graph.type_of(value).dtype))), exact[value])
        found.append(Comparison(name, error, error <= tolerance))
    return found


def _raw(array: np.ndarray) -> np.ndarray:
    """bfloat16 as its bits, as the library takes it."""
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array


def _typed(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return array.view(dtype) if dtype.name == "bfloat16" and array.dtype == np.uint16 else array
