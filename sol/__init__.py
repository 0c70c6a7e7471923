"""sol: an optimizing compiler for neural networks.

``fast = sol.optimize(model, [example])`` gives an nn.Module with the same parameters and results that runs on C generated for this machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sol.config import config
from sol.errors import ConfigError, SolError
from sol.runtime.cache import Cache

if TYPE_CHECKING:
    import torch

    from sol.runtime.explain import Explanation, Profile
    from sol.runtime.module import SolModule
    from sol.runtime.verification import Verification

__version__ = "0.1.0"
cache = Cache()


def optimize(
    model: torch.nn.Module,
    inputs: Any,
    *,
    precision: str = "float32",
    dynamic_shapes: Any = None,
    threads: int | None = None,
    isa: str | None = None,
    fallback: str | None = None,
) -> SolModule:
    """Compile a model for inference.

    model: any module that torch.export can capture. It is not changed; the result shares its parameters, buffers and submodules.
    inputs: example inputs: one tensor, a list or tuple of positional arguments, or a dict of keyword arguments. Only shapes, dtypes and
        structure matter.
    precision: "float32": compute in the dtypes of the model.
    dynamic_shapes: as in torch.export: dims marked with ``torch.export.Dim`` may change without compiling again.
    threads: threads per call; None follows ``torch.get_num_threads()`` at each call.
    isa: instruction set, default ``sol.config["isa"]``.
    fallback: "error" raises where sol cannot compile, "eager" runs the model in torch; default ``sol.config["fallback"]``.

    Raises InputError, ExportError, UnsupportedError, CompilerNotFoundError or CompilerError.
    """
    from sol.runtime.inputs import as_call, check_inputs
    from sol.runtime.module import Options, SolModule

    if precision != "float32":
        raise_unsupported_precision(precision)
    if isa is not None:
        with config.override(isa=isa):  # the knob's own check
            pass
    if fallback is not None:
        with config.override(fallback=fallback):
            pass
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise ConfigError(f"threads={threads!r} is not valid", remedy="it takes an integer >= 1, or None to follow torch")
    module = SolModule(model, Options(isa=isa, dynamic_shapes=dynamic_shapes, threads=threads, fallback=fallback))
    args, kwargs = as_call(inputs)
    check_inputs(args, kwargs)
    if not module.training:
        module.compile_for(args, kwargs)
    return module


def raise_unsupported_precision(precision: str) -> None:
    """The error for a precision that is not built."""
    raise ConfigError(f"precision={precision!r} is not built", remedy='use precision="float32", which computes in the dtypes of the model')


def explain(model: torch.nn.Module, inputs: Any) -> Explanation:
    """What was fused into which kernel, what runs in torch and why; print it. Takes a SolModule or compiles the model."""
    from sol.runtime.explain import explain as run

    return run(model, inputs)


def profile(model: torch.nn.Module, inputs: Any, *, runs: int = 20) -> Profile:
    """Time, share, GFLOP/s and bytes of every kernel launch; print it."""
    from sol.runtime.explain import profile as run

    return run(model, inputs, runs=runs)


def verify(model: torch.nn.Module, inputs: Any, *, tolerance: float = 1e-4) -> Verification:
    """Compare compiled results with torch and with the float64 interpreter, per output; on a mismatch name the first region that is off.

    tolerance: largest allowed max |sol - torch| / max |torch| per output.
    """
    from sol.runtime.verification import verify as run

    return run(model, inputs, tolerance=tolerance)


__all__ = ["SolError", "cache", "config", "explain", "optimize", "profile", "verify"]
