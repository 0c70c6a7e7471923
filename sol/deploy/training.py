"""A training step as a C library: forward pass, loss, gradients and the optimizer's update are one graph of a pure function.

Parameters, states of the optimizer and buffers are inputs and outputs of that graph; the library holds them twice and exchanges the two
copies after each step. The graph is deployed like any network, as a static library; the functions around it are templates/training.c.j2.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sol.build.build import FLAGS, LINK_FLAGS
from sol.deploy.interface import interface_of
from sol.deploy.names import Device
from sol.deploy.render import render
from sol.deploy.toolchain import run, tools_for
from sol.errors import ConfigError, InputError, UnsupportedError
from sol.frontend.imported import Imported

if TYPE_CHECKING:
    import torch

    from sol.deploy.api import Deployed

HYPER = ("lr", "size", "root")
"""Scalars that the library gives to each step: the learning rate, and for Adam lr / (1 - beta1^t) and the root of 1 - beta2^t."""


@dataclass(frozen=True)
class Rule:
    """An optimizer by its numbers. states: names of what it keeps for each parameter. betas: of Adam, for the library's own arithmetic."""

    kind: str
    lr: float
    states: tuple[str, ...]
    betas: tuple[float, float]
    update: Callable[..., tuple[Any, ...]]


@dataclass(frozen=True)
class Held:
    """A tensor that the library holds. c: element type in C. values: at the start."""

    name: str
    c: str
    values: np.ndarray

    @property
    def count(self) -> int:
        return self.values.size

    @property
    def literal(self) -> str:
        """The values as C writes them."""
        if self.c == "float":
            return ", ".join(float(v).hex() + "f" if math.isfinite(v) else ("NAN" if v != v else "-INFINITY" if v < 0 else "INFINITY")
                             for v in self.values.ravel())  # fmt: skip
        return ", ".join(map(str, self.values.ravel().tolist()))


def deploy_training(
    model: Any, inputs: Any, loss: Callable[..., Any] | None, optimizer: Any, *, target: str, device: str | None, lib_name: str,
    func_name: str, path: Any, isa: str | None, threads: int | None, version: str,
) -> Deployed:  # fmt: skip
    """``sol.deploy(training=True)``: libNAME.so, NAME.h and NAME_example.c.

    Raises ConfigError for what is not built, InputError, UnsupportedError that names the operations that a library cannot run.
    """
    from sol.deploy.api import Deployed, deploy

    if target != "shared_lib" or (device is not None and Device(device) is not Device.x86):
        raise ConfigError("a training step is written as a shared library for x86 alone", remedy='use target="shared_lib"')
    if loss is None or optimizer is None:
        raise InputError("a training step needs a loss and an optimizer", remedy="give loss= a function and optimizer= one of torch.optim")
    rule = rule_of(optimizer)
    network, held, counts = step_of(model, inputs, loss, rule)
    interface = interface_of(network, lib_name, f"{func_name}_run")
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    tools = tools_for(Device.x86)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".sol-") as work_name:
        work = Path(work_name)
        step = deploy(
            network, target="static_lib", lib_name=f"{lib_name}Step", func_name=f"{func_name}_run", path=work / "step", isa=isa,
            threads=threads, version=version,
        )  # fmt: skip
        given = interface.inputs[len(held) + len(HYPER) :]
        context = {
            "name": lib_name, "func": func_name, "upper": func_name.upper(), "guard": f"{lib_name.upper()}_H", "version": version,
            "title": network.title, "held": held, "counts": counts, "given": given, "lr": float(rule.lr).hex(), "kind": rule.kind,
            "beta1": float(rule.betas[0]).hex(), "beta2": float(rule.betas[1]).hex(), "step": f"{lib_name}Step",
        }  # fmt: skip
        names = ["create", "destroy", "train_step", "last_error", "set_lr", "lr", "parameter_count", "parameter_name", "parameter_size",
                 "parameter", "parameter_index", "get", "set", "threads"]  # fmt: skip
        texts = {
            f"{lib_name}.h": render("training.h.j2", **context), f"{lib_name}_example.c": render("training_example.c.j2", **context),
            "training.c": render("training.c.j2", **context),
            "exports.map": "{ global: " + " ".join(f"{func_name}_{n};" for n in names) + " local: *; };\n",
        }  # fmt: skip
        for name, text in texts.items():
            (work / name).write_text(text)
        library = f"lib{lib_name}.so"
        options = ["-Wl,--version-script,exports.map", f"-Wl,-soname,{library}", "-lm", "-pthread", "-ldl"]
        places = ["-I", "step", "-I", "."]
        run([*tools.compiler.command, *FLAGS, *places, "-c", "training.c", "-o", "training.o"], work, "compiling training.c")
        parts = ["training.o", f"step/{step.library.name}"]
        run([*tools.compiler.command, *LINK_FLAGS, *parts, *options, "-o", library], work, "linking")
        files = (library, f"{lib_name}.h", f"{lib_name}_example.c")
        for name in files:
            (work / name).replace(folder / name)
    return Deployed(folder, folder / library, files)


def rule_of(optimizer: Any) -> Rule:
    """The rule of an SGD, Adam or AdamW of torch; UnsupportedError for others and for options that are not built."""
    import torch

    kinds = {"SGD": torch.optim.SGD, "Adam": torch.optim.Adam, "AdamW": torch.optim.AdamW}
    kind = next((name for name, type in reversed(kinds.items()) if isinstance(optimizer, type)), None)
    if kind is None:
        raise UnsupportedError(f"{type(optimizer).__name__} as C is not built", remedy="use torch.optim.SGD, Adam or AdamW")
    if len(optimizer.param_groups) != 1:
        raise UnsupportedError("several parameter groups in a training step of C are not built", remedy="give all parameters in one group")
    (group,) = optimizer.param_groups
    for option in ("amsgrad", "maximize", "dampening", "capturable", "differentiable"):
        if group.get(option):
            raise UnsupportedError(f"{kind} with {option} as C is not built", remedy=f"leave {option} out")
    decay = float(group["weight_decay"])
    if kind == "SGD":
        momentum, nesterov = float(group["momentum"]), bool(group["nesterov"])

        def descend(p: Any, g: Any, states: Sequence[Any], hyper: Sequence[Any]) -> tuple[Any, ...]:
            g = g + decay * p if decay else g
            if not momentum:
                return (p - hyper[0] * g,)
            buffer = momentum * states[0] + g
            return p - hyper[0] * (g + momentum * buffer if nesterov else buffer), buffer

        return Rule("sgd", float(group["lr"]), ("momentum_buffer",) if momentum else (), (0.0, 0.0), descend)
    (beta1, beta2), eps = map(float, group["betas"]), float(group["eps"])
    decoupled = bool(group["decoupled_weight_decay"])

    def adapt(p: Any, g: Any, states: Sequence[Any], hyper: Sequence[Any]) -> tuple[Any, ...]:
        lr, size, root = hyper
        if decay and decoupled:
            p = p * (1 - lr * decay)
        g = g + decay * p if decay and not decoupled else g
        first, second = beta1 * states[0] + (1 - beta1) * g, beta2 * states[1] + (1 - beta2) * g * g
        return p - size * first / (second.sqrt() / root + eps), first, second

    return Rule("adam", float(group["lr"]), ("exp_avg", "exp_avg_sq"), (beta1, beta2), adapt)


def step_of(model: Any, inputs: Any, loss: Callable[..., Any], rule: Rule) -> tuple[Imported, list[Held], tuple[int, int, int]]:
    """A step as a network: what is held, HYPER, inputs, target → the loss and what is held after it; how many parameters, states, buffers.

    inputs: those of the model, then the target of the loss.
    """
    import torch
    from torch.func import functional_call, functionalize
    from torch.fx.experimental.proxy_tensor import make_fx

    from sol.frontend.torch.aten import dtype_of
    from sol.frontend.torch.backward import decompositions, simplify
    from sol.frontend.torch.functional import import_functional
    from sol.runtime.torch.module import SolModule

    model = model._model if isinstance(model, SolModule) else model
    given = list(inputs) if isinstance(inputs, (list, tuple)) else []
    if len(given) < 2 or not all(isinstance(t, torch.Tensor) for t in given):
        raise InputError("a training step needs tensors as examples: the model's inputs and the target of the loss")
    trained = [n for n, p in model.named_parameters() if p.requires_grad]
    kept = [*(n for n, p in model.named_parameters() if not p.requires_grad), *(n for n, _ in model.named_buffers())]
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    odd = [n for n in trained if tensors[n].dtype is not torch.float32]
    if odd:
        raise UnsupportedError(f"the parameter {odd[0]} is {tensors[odd[0]].dtype}: a training step of C has float32 parameters")
    states = [torch.zeros_like(tensors[n], memory_format=torch.contiguous_format) for n in trained for _ in rule.states]
    per, was = len(rule.states), model.training

    def step(*flat: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rest = list(flat)
        parameters = [rest.pop(0).detach().requires_grad_() for _ in trained]
        held = [rest.pop(0) for _ in states]
        buffers = [rest.pop(0).clone() for _ in kept]
        hyper, (*arguments, wanted) = rest[: len(HYPER)], rest[len(HYPER) :]
        value = loss(functional_call(model, {**dict(zip(trained, parameters)), **dict(zip(kept, buffers))}, tuple(arguments)), wanted)
        if value.dim():
            raise InputError(f"the loss of a training step must be one number, not of shape {list(value.shape)}")
        gradients = torch.autograd.grad(value, parameters, materialize_grads=True)
        with torch.no_grad():
            updated = [
                rule.update(p.detach(), g, held[per * i : per * i + per], hyper) for i, (p, g) in enumerate(zip(parameters, gradients))
            ]
        return value.detach(), *(u[0] for u in updated), *(s for u in updated for s in u[1:]), *(b.detach() for b in buffers)

    flat = [*(tensors[n] for n in trained), *states, *(tensors[n] for n in kept), *(torch.ones(()) for _ in HYPER), *given]
    flat = [t.detach().clone(memory_format=torch.contiguous_format) for t in flat]
    try:
        model.train()
        traced = make_fx(step, decomposition_table={torch.ops.aten.native_batch_norm.default: _batch_norm})(*flat)
        module = make_fx(functionalize(traced, remove="mutations"), decomposition_table=decompositions(), tracing_mode="fake")(*flat)
    finally:
        model.train(was)
    simplify(module)
    imported = import_functional(module, {}, flat)
    names = [*trained, *(f"{n}.{s}" for n in trained for s in rule.states), *kept]
    given_names = ("input", "target") if len(given) == 2 else (*(f"input{i}" for i in range(len(given) - 1)), "target")
    imported = replace(
        imported, title=type(model).__name__, input_names=(*(f"held_{n}" for n in names), *HYPER, *given_names),
        output_names=("loss", *(f"next_{n}" for n in names)),
    )  # fmt: skip
    from sol.deploy.models import _deployable

    named = imported.input_names, imported.output_names
    imported = replace(_deployable(imported, lambda t: imported.parameters[t], imported.title), input_names=named[0], output_names=named[1])
    ctypes = {torch.float32: "float", torch.int64: "int64_t"}
    for name, t in zip(names, flat):
        if t.dtype not in ctypes:
            raise UnsupportedError(f"{name} is {dtype_of(t.dtype)}: a training step of C holds float32 and int64 alone")
    return imported, [Held(n, ctypes[t.dtype], t.numpy()) for n, t in zip(names, flat)], (len(trained), len(states), len(kept))


def _batch_norm(x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float) -> Any:
    """As an operation whose schema says that it changes the running statistics, which functionalization goes by."""
    import torch

    aten = torch.ops.aten
    if mean is None:
        return aten._native_batch_norm_legit.no_stats(x, weight, bias, training, momentum, eps)
    return aten._native_batch_norm_legit.default(x, weight, bias, mean, var, training, momentum, eps)
