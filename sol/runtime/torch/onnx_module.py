"""An ONNX model as an nn.Module: its initializers are parameters and buffers, its forward runs compiled code on torch tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from sol.errors import InputError, UnsupportedError
from sol.frontend.imported import Guard, Imported, OutputLeaf
from sol.frontend.onnx import LoadedModel, load_model
from sol.frontend.onnx.types import dtype_of
from sol.frontend.trees import Group, Leaf
from sol.runtime.numpy.api_boundary import as_array
from sol.runtime.numpy.specialise import check_guards, import_for
from sol.runtime.specializations import Specializations
from sol.runtime.torch.inputs import as_call, check_inputs
from sol.runtime.torch.program import Program, Taken
from sol.runtime.torch.tensors import TORCH
from sol.runtime.torch.ways import Options


class _GuardedProgram(Program):
    """A program whose last results are what its calls must check."""

    guards: tuple[Guard, ...] = ()


class OnnxModule(nn.Module):
    """A compiled ONNX model.

    Float initializers with dimensions are parameters that need no gradient, under their ONNX names (``a.b`` is ``b`` of the submodule
    ``a``); other large ones are buffers. A change of them takes effect at the next call. Numbers and small integer tensors are constants
    of the code. The result is a tensor or a tuple of tensors; it has no gradient.
    """

    _onnx: LoadedModel
    _options: Options
    _programs: Specializations[_GuardedProgram]
    _targets: dict[str, tuple[nn.Module, str]]

    def __init__(self, model: LoadedModel, options: Options) -> None:
        super().__init__()
        self.__dict__.update(_onnx=model, _options=options, _programs=Specializations(), _targets={})
        self._names = tuple(i.name for i in model.inputs)
        self._single = len(model.graph.output) == 1

    # -- compile -------------------------------------------------------------------------------------------------------

    def compile_for(self, args: tuple[Any, ...]) -> _GuardedProgram:
        """The program for these inputs, compiled now if need be."""
        return self._program_for(args)[0]

    def _program_for(self, args: tuple[Any, ...]) -> tuple[_GuardedProgram, Taken]:
        """The program for these inputs, compiled now if need be, and the call taken apart."""
        found = self._programs.find_or_make(lambda program: program.take(args, {}), lambda: self._compile_for(args))
        assert found is not None, "_compile_for gives a program that takes the inputs, or raises"
        return found

    def _compile_for(self, args: tuple[Any, ...]) -> _GuardedProgram:
        arrays = dict(zip(self._names, (pytree.tree_map(as_array, a) for a in args)))
        program = self._compile(arrays, fixed=False)
        if program.take(args, {}) is None:
            program = self._compile(arrays, fixed=True)
            program.inputs_of(args, {})
        return program

    def _compile(self, arrays: Mapping[str, Any], *, fixed: bool) -> _GuardedProgram:
        return import_for(self._onnx, {}, arrays, self._program, fixed=fixed, trainable=True)

    def _program(self, imported: Imported) -> _GuardedProgram:
        fixed = [self._names[i] for i in imported.fixed_arguments]
        if fixed:
            raise UnsupportedError(f"sizes inside the model depend on the content of {', '.join(fixed)}",
                                   remedy="use sol.load, which compiles for each content")  # fmt: skip
        self._enter(imported)
        options = self._options
        title = self._onnx.graph.name or "onnx"
        program = _GuardedProgram(options.applied(_as_torch(imported)), self._held, title=title, isa=options.isa, threads=options.threads)
        program.guards = imported.guards
        return program

    def _enter(self, imported: Imported) -> None:
        """Make initializers that a graph reads tensors of this module."""
        for target, array in imported.parameters.items():
            if target in self._targets:
                continue
            tensor = torch.from_numpy(array.copy()) if array.dtype.kind != "V" else _from_ml_dtype(array)
            owner, name = self._place(target)
            if tensor.is_floating_point():
                owner.register_parameter(name, nn.Parameter(tensor, requires_grad=False))
            else:
                owner.register_buffer(name, tensor)
            self._targets[target] = (owner, name)

    def _place(self, target: str) -> tuple[nn.Module, str]:
        """The submodule and name of an initializer: as it is called where torch allows that."""
        owner: nn.Module = self
        *path, name = target.split(".")
        for part in path:
            child = owner._modules.get(part)
            if child is None:
                if not part or hasattr(owner, part):
                    return self, _free_name(self, target)
                child = nn.Module()
                owner.add_module(part, child)
            owner = child
        return (owner, name) if name and not hasattr(owner, name) else (self, _free_name(self, target))

    @property
    def _held(self) -> _Held:
        return _Held(self._targets)

    # -- call ----------------------------------------------------------------------------------------------------------

    def forward(self, *args: Any, **by_name: Any) -> Any:
        """Outputs for inputs by position or name. Raises InputError for inputs that do not fit, and compile errors for new input types."""
        if by_name or len(args) != len(self._names):
            args = self._in_order(args, by_name)
        programs = self._programs.entries
        taken = programs[0].take(args, {}) if programs else None
        program, taken = self._program_for(args) if taken is None else (programs[0], taken)
        program.refresh_if_stale()
        if any(t is not s for t, s in zip(program.tensors, map(self._held.__getitem__, program.runner.targets))):
            program.rebind()
        results = program.run(taken, args, {})
        if program.guards:
            count = len(results) - len(program.guards)
            check_guards(program.guards, dict(zip((g.index for g in program.guards), results[count:])).__getitem__)
            results = results[:count]
        return results[0] if self._single else results

    def _in_order(self, args: tuple[Any, ...], by_name: Mapping[str, Any]) -> tuple[Any, ...]:
        unknown = [n for n in by_name if n not in self._names[len(args) :]]
        missing = [n for n in self._names[len(args) :] if n not in by_name]
        if len(args) > len(self._names) or unknown or missing:
            raise InputError(f"{len(args)} inputs and {sorted(by_name)} are given, the model takes {', '.join(self._names)}")
        return (*args, *(by_name[n] for n in self._names[len(args) :]))

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the code, which is compiled again (at once if the cache has it)."""
        return {k: v for k, v in self.__dict__.items() if k != "_programs"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.update(_programs=Specializations())

    def extra_repr(self) -> str:
        return f"{self._onnx.graph.name}: {len(self._onnx.graph.node)} nodes, compiled for {len(self._programs)} input type(s)"


class _Held(dict[str, torch.Tensor]):
    """Tensors by the names of the initializers that they were."""

    def __init__(self, targets: Mapping[str, tuple[nn.Module, str]]) -> None:
        super().__init__()
        self._targets = targets

    def __missing__(self, target: str) -> torch.Tensor:
        owner, name = self._targets[target]
        return getattr(owner, name)


def _free_name(owner: nn.Module, target: str) -> str:
    """A name that torch allows and that is not taken."""
    base = "".join(c if c.isalnum() else "_" for c in target) or "initializer"
    name = f"p_{base}"
    while hasattr(owner, name):
        name += "_"
    return name


def _from_ml_dtype(array: Any) -> torch.Tensor:
    """A tensor of a dtype that numpy lacks."""
    name = array.dtype.name
    kind = getattr(torch, "bfloat16" if name == "bfloat16" else name, None)
    if kind is None:
        raise UnsupportedError(f"torch has no {name}", remedy="use sol.load, which works on numpy arrays")
    return torch.from_numpy(array.view("int16" if array.dtype.itemsize == 2 else "uint8").copy()).view(kind)


def _as_torch(imported: Imported) -> Imported:
    """The import as a module runs it: its initializers are the module's, and what calls check are further results."""
    graph = imported.graph
    for value in (*graph.inputs, *graph.outputs):
        if graph.type_of(value).dtype not in TORCH:
            raise UnsupportedError(f"torch has no {graph.type_of(value).dtype}", remedy="use sol.load, which works on numpy arrays")
    if any(leaf.kind == "constant" for leaf in imported.outputs):
        raise UnsupportedError("an output of the model is a tensor of strings", remedy="use sol.load, which works on numpy arrays")
    count = len(imported.outputs)
    outputs = (*imported.outputs, *(OutputLeaf("tensor", g.index) for g in imported.guards))
    results = (*imported.results, *map(Leaf, range(count, len(outputs))))
    return replace(imported, gives=Group(tuple, "sequence", (), results, 0), outputs=outputs, parameters={})


def optimize_onnx(model: Any, inputs: Any, options: Options) -> OnnxModule:
    """An ONNX path, bytes or ModelProto as a module; compiled now if example inputs are given or all sizes are fixed."""
    loaded = load_model(model)
    module = OnnxModule(loaded, options).eval()
    if inputs is not None:
        args, kwargs = as_call(inputs)
        check_inputs(args, kwargs)
        module.compile_for(module._in_order(args, kwargs))
        return module
    infos = [i.type.tensor_type for i in loaded.inputs]
    if all(t.HasField("shape") and all(d.HasField("dim_value") for d in t.shape.dim) for t in infos):
        examples = [torch.zeros([d.dim_value for d in t.shape.dim], dtype=TORCH.get(dtype_of(t.elem_type))) for t in infos]
        module.compile_for(tuple(examples))
    return module
