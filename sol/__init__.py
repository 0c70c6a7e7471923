"""sol: an optimizing compiler for neural networks.

``fast = sol.optimize(model, [example])`` gives an nn.Module with the same parameters and results that runs on C generated for this machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast

from sol import device
from sol.build.cache import Cache
from sol.collector import collector_paused
from sol.config import checked_threads, config
from sol.deploy.names import deployment
from sol.errors import ConfigError, SolError

if TYPE_CHECKING:
    import onnx
    import torch

    from sol import nn as nn
    from sol.deploy.api import Deployed
    from sol.inspect.explain import Explanation, Profile
    from sol.inspect.training_step import StepExplanation, StepProfile
    from sol.inspect.verification import Verification
    from sol.runtime.numpy.session import Session
    from sol.runtime.torch.accelerate import Acceleration
    from sol.runtime.torch.module import SolModule
    from sol.runtime.torch.onnx_module import OnnxModule

    Optimizer = TypeVar("Optimizer", bound=torch.optim.Optimizer)

__version__ = "0.1.0"
cache = Cache()


def optimize(
    model: torch.nn.Module | Callable[..., Any] | str | PathLike[str] | bytes | onnx.ModelProto,
    inputs: Any = None,
    *,
    dtype: torch.dtype | None = None,
    dynamic_shapes: Any = None,
    threads: int | None = None,
    isa: str | None = None,
    fallback: str | None = None,
    time_budget: float | None = None,
    weights: str | None = None,
    group: int = 64,
) -> SolModule | OnnxModule:
    """Compile a model for inference.

    model: any module or function that runs in torch. It is not changed; the result shares its parameters, buffers and submodules.
        Or an ONNX model (path, bytes or ModelProto); the result has its initializers as parameters and buffers.
    inputs: example inputs: one tensor, a list or tuple of positional arguments, or a dict of keyword arguments. Only shapes, dtypes and
        structure matter. An ONNX model does without: it is compiled now if its sizes are fixed, else at its first call.
    dtype: torch.bfloat16 or torch.float16: convolutions and linear layers of a float32 model round their operands and results to that dtype
        and add up in float32; all else computes in float32 (docs/low_precision.md). Parameters, inputs and results keep their dtypes. Such
        a model computes no gradients; pieces of a model that cannot be compiled whole compute as without it. None: the model's own dtypes.
    dynamic_shapes: as in torch.export: dims marked with ``torch.export.Dim`` may change without compiling again.
    threads: threads per call; None follows ``torch.get_num_threads()`` at each call.
    isa: instruction set, default ``sol.config["isa"]``.
    fallback: "eager" (the default of ``sol.config["fallback"]``): a model that cannot be captured whole is compiled in pieces, and what
        cannot be compiled runs in torch, each with a warning in the log; "error": raises instead. Single operations of a captured
        model may run in torch in both cases; ``sol.explain`` names them.
    time_budget: seconds that kernels may be measured to choose between them (docs/tuning.md), thoroughly from 30 on; 0: do not;
        None: as ``sol.config["autotune"]`` says.
    weights: None: as they are; "int8" or "int4": those of linear layers are rounded to so many bits, which changes results
        (docs/low_precision.md); ``sol.explain`` tells each layer's error. Such a model computes no gradients, and is compiled whole.
    group: input channels of a linear layer that share a scale and a zero point; a multiple of 8, from 16 on, that divides the channels of
        all layers whose weights are rounded. Only with ``weights``.

    Raises ConfigError, InputError, ExportError, UnsupportedError, CompilerNotFoundError or CompilerError.
    """
    from torch.nn import Module

    with collector_paused():
        from sol.runtime.torch.functions import as_module
        from sol.runtime.torch.inputs import as_call
        from sol.runtime.torch.module import SolModule
        from sol.runtime.torch.ways import Options

    if isa is not None:
        with config.override(isa=isa):  # the knob's own check
            pass
    if fallback is not None:
        with config.override(fallback=fallback):
            pass
    checked_threads(threads, "to follow torch")
    if time_budget is not None:
        with config.override(autotune_seconds=time_budget):
            pass
    options = Options(isa, dynamic_shapes, threads, fallback, time_budget, weights, group, dtype)
    if not isinstance(model, Module):
        if not callable(model):
            from sol.runtime.torch.onnx_module import optimize_onnx

            return optimize_onnx(model, inputs, options)
        model = as_module(model)
    if options.changes_results and model.training:
        raise ConfigError(f"a model in training mode has no {options.changes_results}", remedy="call model.eval() first")
    module = SolModule(model, options)
    args, kwargs = as_call(inputs)
    if not module.training:
        module.compile_for(args, kwargs)
    return module


def load(
    model: Any,
    *,
    threads: int | None = None,
    isa: str | None = None,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
) -> Session:
    """An ONNX model as a function of numpy arrays; torch is not needed.

    model: path of a file, its bytes, or an ``onnx.ModelProto``.
    threads: threads per call; None follows ``sol.config["threads"]``, else OMP_NUM_THREADS, else the usable CPUs.
    isa: instruction set, default ``sol.config["isa"]``.
    shapes: shapes of inputs by name, for sizes that the model leaves open: a number fixes a size wherever it occurs, a name leaves
        it open. A model with open sizes is compiled at its first call.

    Raises ModelError, UnsupportedError, CompilerNotFoundError or CompilerError.
    """
    from sol.runtime.numpy.session import load as run

    return run(model, threads=threads, isa=isa, shapes=shapes)


def deploy(
    model: Any,
    inputs: Any = None,
    *,
    target: str = "shared_lib",
    device: str | None = None,
    lib_name: str = "network",
    func_name: str = "predict",
    path: str | PathLike[str] = ".",
    isa: str | None = None,
    threads: int | None = None,
    weights: str = "auto",
    check_weights: bool = True,
    dynamic_shapes: Any = None,
    constants: Mapping[str, Any] | None = None,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    training: bool = False,
    loss: Callable[..., Any] | None = None,
    optimizer: torch.optim.Optimizer | None = None,
) -> Deployed:
    """Write a model as a C library, C sources or a Python package that need neither sol nor a framework (docs/deploy.md).

    model: an nn.Module (also a compiled one), a torch.export program or ``.pt2`` file, an ONNX model or ``.onnx`` file.
    inputs: example inputs as for ``optimize``; None where a model says its own shapes.
    target: one of ``sol.deployment``: shared_lib, static_lib, source, python.
    device: one of ``sol.device``: x86 or aarch64; default: this machine.
    lib_name, func_name: names of the library's files and of its C functions. path: the folder for them, made if need be.
    isa: "native" (this very CPU), "avx512", "avx2", "generic", "neon", or "multi": all of the device in one library, chosen when it starts.
    threads: None: OMP_NUM_THREADS, else as many as there are CPUs; n: that many unless told otherwise; 1: a library that starts no threads.
    weights: "embedded" in the library, in a "file" beside it, or "auto": a file above 1 GiB.
    check_weights: hash all of a weights file when it is opened; otherwise only its size is checked.
    dynamic_shapes: as in torch.export: these sizes become an argument ``dims`` of the C function.
    constants: for ONNX: contents of inputs that the library is to have built in.
    shapes: for ONNX: shapes of inputs by name, in which numbers fix sizes that the model leaves open and names leave them open, as in
        ``{"ids": (1, "length")}``.
    training: write a step of training instead: forward pass, loss, gradients and the optimizer's update. inputs are then those of the model
        and the target of the loss; loss is a function of the model's result and the target; optimizer is a ``torch.optim.SGD``, ``Adam`` or
        ``AdamW`` in one group, whose options hold. Sizes are fixed, target is "shared_lib" on x86.

    Raises InputError, ConfigError, ExportError, UnsupportedError (before any C is compiled), CompilerNotFoundError, CompilerError, and
    OutputError where the files cannot be written.
    """
    if training:
        from sol.deploy.training import deploy_training

        if dynamic_shapes or constants or shapes or weights != "auto":
            raise ConfigError("a training step takes no dynamic_shapes, constants, shapes or weights", remedy="leave them out")
        return deploy_training(
            model, inputs, loss, optimizer, target=target, device=device, lib_name=lib_name, func_name=func_name, path=path, isa=isa,
            threads=threads, version=__version__,
        )  # fmt: skip
    if loss is not None or optimizer is not None:
        raise ConfigError("loss and optimizer are for a training step", remedy="give training=True as well")
    from sol.deploy.api import deploy as run

    return run(
        model, inputs, target=target, device=device, lib_name=lib_name, func_name=func_name, path=path, isa=isa, threads=threads,
        weights=weights, check_weights=check_weights, dynamic_shapes=dynamic_shapes, constants=constants, shapes=shapes,
        version=__version__,
    )  # fmt: skip


def fuse_optimizer(optimizer: Optimizer) -> Optimizer:
    """Make an optimizer's step one launch of a compiled kernel over all parameters of a group; changes and returns the optimizer.

    optimizer: a ``torch.optim.SGD``, ``Adam`` or ``AdamW``, before a learning-rate scheduler is made for it. All its options, groups,
        hooks, ``state_dict`` and ``load_state_dict`` work as before. Parameters that the kernel does not serve (other types than float32,
        gradients that are sparse or lie in another order) and whole groups with ``capturable``, ``differentiable`` or a gradient scaler
        are torch's (docs/training.md).

    Raises UnsupportedError for another optimizer, ConfigError where its step was replaced, CompilerNotFoundError or CompilerError.
    """
    from sol.runtime.torch.optimizers import fuse_optimizer as run

    return run(optimizer)


def accelerate_cpu(enable: bool = True) -> Acceleration | None:
    """Run linear layers and convolutions of plain CPU tensors by compiled code in eager mode, where that is faster; off unless called.

    enable: False makes torch's functions its own again; so does ``remove()`` of what this returns, and the end of a ``with`` block over it.

    Calls of ``torch.nn.functional.linear`` and ``conv1d`` to ``conv3d`` (and so of the layers) without gradients, in float32 or
    bfloat16, are compiled when a weight meets an input of the same sizes for the second time, and timed against torch once: the faster
    one serves such calls from then on, also in later processes, because the choice is kept in the cache. Weights are packed once, and
    again when torch counts a change; what is written through ``.data`` is not counted: call ``refresh()`` of what this returns. Calls
    with gradients, in autocast, under modes, transforms and tracers are torch's.

    Raises CompilerNotFoundError or CompilerError at such a call.
    """
    from sol.runtime.torch.accelerate import accelerate_cpu as run

    return run(enable)


def explain(
    model: torch.nn.Module | Session, inputs: Any, *, alternatives: bool = False, loss: Callable[[Any], torch.Tensor] | None = None
) -> Explanation | StepExplanation:
    """What was fused into which kernel, what runs in torch and why; print it.

    Takes what ``optimize`` or ``load`` gives; another module is compiled. Of a model in training mode whose training is compiled it shows a
    training step: forward pass, backward pass, and the bytes that each layer keeps between them. Two steps run for that, after which
    parameters, gradients, buffers and random numbers are as before.
    loss: a training step's loss as a function of the model's result; None: the sum of all results that have gradients.
    alternatives: also the three best ways to compute each region with a heavy operation (convolution, matrix product, attention, pooling,
    …), with the seconds that the kernel's model predicts, where it has one, and those that tuning measured (``config["autotune"]``); a
    star marks the way that was taken.
    """
    if _is_session(model):
        from sol.inspect.session_checks import explain_session

        return explain_session(model, inputs, alternatives=alternatives)
    from sol.inspect.explain import explain as run

    return run(cast("torch.nn.Module", model), inputs, alternatives=alternatives, loss=loss)


def profile(
    model: torch.nn.Module | Session, inputs: Any, *, runs: int = 20, loss: Callable[[Any], torch.Tensor] | None = None,
    optimizer: torch.optim.Optimizer | None = None,
) -> Profile | StepProfile:  # fmt: skip
    """Time, share, GFLOP/s, bytes and share of the machine's roofline of every kernel launch; print it.

    Of a model in training mode whose training is compiled: those of forward and backward pass, and the time of a step's parts, packing of
    changed weights among them. Parameters, gradients, buffers, random numbers and the optimizer's state are as before afterwards.
    runs: how often each launch and each step is timed. loss: as for ``explain``. optimizer: its step is part of the training step.
    """
    if _is_session(model):
        from sol.inspect.session_checks import profile_session

        return profile_session(model, inputs, runs=runs)
    from sol.inspect.explain import profile as run

    return run(cast("torch.nn.Module", model), inputs, runs=runs, loss=loss, optimizer=optimizer)


def verify(model: torch.nn.Module | Session, inputs: Any, *, tolerance: float = 1e-4) -> Verification:
    """Compare compiled results with torch (onnxruntime for what ``load`` gives) and with the float64 interpreter, per output.

    It passes unless sol is the side that is off: further from float64 than ``tolerance``, and than several times the error of the other
    engine or of plain float32 rounding; then the first node that is off is named. Where the other engine is off, the result says so.
    It does not pass where nothing was compared (``compared`` is False then): all of the model runs in torch, or there is no reference.
    tolerance: max |sol - float64| / max |float64| per output that is always allowed; quantized outputs may be one quantization step off.
    """
    if _is_session(model):
        from sol.inspect.session_verification import verify_session

        return verify_session(model, inputs, tolerance=tolerance)
    from sol.inspect.verification import verify as run

    return run(cast("torch.nn.Module", model), inputs, tolerance=tolerance)


def __getattr__(name: str) -> Any:
    """``sol.nn``, which needs torch, is imported when it is asked for."""
    if name == "nn":
        return import_module("sol.nn")
    raise AttributeError(f"module 'sol' has no attribute {name!r}")


def _is_session(model: Any) -> TypeGuard[Session]:
    """Whether ``load`` made it; its module is not imported for that."""
    module = sys.modules.get("sol.runtime.numpy.session")
    return module is not None and isinstance(model, module.Session)


__all__ = [
    "SolError", "accelerate_cpu", "cache", "config", "deploy", "deployment", "device", "explain", "fuse_optimizer", "load", "optimize",
    "profile", "verify",
]  # fmt: skip
