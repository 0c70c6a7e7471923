"""SolModule: the user's model as an nn.Module whose forward runs compiled code and whose parameters are the model's own."""

from __future__ import annotations

import copy
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import torch
from torch.nn.modules import module as torch_module

from sol.config import config
from sol.errors import CompilerError, CompilerNotFoundError, ExportError, InputError, SolError, UnsupportedError
from sol.frontend.export import import_module
from sol.frontend.imported import Imported
from sol.runtime.autograd import differentiable
from sol.runtime.program import Program

log = logging.getLogger("sol.runtime")
_training = attrgetter("training")
_is_grad_enabled = torch.is_grad_enabled
RECOVERABLE = (CompilerError, CompilerNotFoundError, ExportError, UnsupportedError)


class _Registrations:
    """Counts parameters, buffers and modules that were set anywhere: a cheap sign that a name may mean another tensor now."""

    def __init__(self) -> None:
        self.count = 0
        torch_module.register_module_parameter_registration_hook(self._seen)
        torch_module.register_module_buffer_registration_hook(self._seen)
        torch_module.register_module_module_registration_hook(self._seen)

    def _seen(self, module: Any, name: str, value: Any) -> None:
        self.count += 1


_registrations = _Registrations()


@dataclass(frozen=True)
class Options:
    """How a module is compiled. dynamic_shapes as torch.export takes them; threads: None follows torch."""

    isa: str | None = None
    dynamic_shapes: Any = None
    threads: int | None = None
    fallback: str | None = None

    @property
    def falls_back(self) -> bool:
        return (self.fallback or config["fallback"]) == "eager"


class SolModule(torch.nn.Module):
    """A compiled model.

    It holds the same parameter, buffer and submodule objects under the same names as the model it was made from, so that
    ``state_dict``, optimizers, ``.train()/.eval()`` and checkpoints work on either. In eval mode calls run compiled code; in training
    mode they run the model in torch. A changed parameter takes effect at the next call; a change that torch does not
    count (``parameter.data.add_(…)``) needs ``refresh()``. An input of another shape is compiled for at its first call.
    """

    def __init__(self, model: torch.nn.Module, options: Options = Options()) -> None:
        object.__setattr__(self, "_model", model)
        super().__init__()
        for shared in ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set"):
            self.__dict__[shared] = model.__dict__[shared]
        self.__dict__.update(_options=options, _programs=[], _lock=threading.RLock(), _failure=None, training=model.training)
        self._note_modes()

    # -- compile -------------------------------------------------------------------------------------------------------

    def compile_for(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        """The program for these inputs, compiled now if need be; None if it runs in torch (``fallback="eager"``)."""
        with self._lock:
            program = self._find(args, kwargs)
            if program is not None or self._failure is not None:
                return program
            if len(self._programs) >= config["recompile_limit"]:
                self._programs.pop()
                log.warning("%s was compiled for more than %d input types: the least recently used was dropped", self._title, config["recompile_limit"])
            try:
                imported = import_module(self._model, tuple(args), dict(kwargs), self._options.dynamic_shapes)
                program = Program(imported, self._resolve, title=self._title, isa=self._options.isa, threads=self._options.threads)
            except RECOVERABLE as error:
                if not self._options.falls_back:
                    raise
                log.warning("%s runs in torch: %s", self._title, error)
                self.__dict__["_failure"] = error
                return None
            self._programs.insert(0, program)
            return program

    @property
    def _title(self) -> str:
        return type(self._model).__name__

    def _resolve(self, target: str) -> torch.Tensor:
        owner, _, name = target.rpartition(".")
        holder: Any = self._model.get_submodule(owner) if owner else self._model
        return getattr(holder, name)

    def _find(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        for i, program in enumerate(self._programs):
            try:
                tensors = program.flatten(args, kwargs)
            except InputError:
                continue
            if program.accepts(tensors):
                if i:
                    self._programs.insert(0, self._programs.pop(i))
                return program
        return None

    def _note_modes(self) -> None:
        modules = list(self._model.modules())
        self.__dict__.update(_moded=modules, _evaluating=not any(map(_training, modules)), _epoch=_registrations.count)

    def _settle(self) -> None:
        """Parameters or submodules were set somewhere: bind again, and forget programs whose types no longer fit."""
        with self._lock:
            self._note_modes()
            self._programs[:] = [p for p in self._programs if p.rebind()]

    def refresh(self) -> None:
        """Pack the weights again; needed after changes through ``.data``, which torch does not count."""
        with self._lock:
            for program in self._programs:
                program.refresh()

    # -- call ----------------------------------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result. Raises InputError for inputs that cannot be taken, and compile errors for new input types."""
        if self._epoch != _registrations.count:
            self._settle()
        if self.training or True in map(_training, self._moded):
            return self._model(*args, **kwargs)
        programs = self._programs
        if programs:
            program = programs[0]
            if program._direct and not kwargs and len(args) == len(program._types) and program.accepts(args):
                return self._run(program, args)
        return self._general(args, kwargs)

    def _general(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        program = self._find(args, kwargs) or self._compile_checked(args, kwargs)
        if program is None:
            return self._model(*args, **kwargs)
        return self._run(program, program.flatten(args, kwargs), (args, kwargs))

    def _compile_checked(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        check_inputs(args, kwargs, self._programs)
        return self.compile_for(args, kwargs)

    def _run(self, program: Program, tensors: Sequence[torch.Tensor], call: Any = None) -> Any:
        program.refresh_if_stale()
        if _is_grad_enabled():
            return differentiable(self._model, program, tensors, call)
        return program.run(tensors)

    # -- nn.Module -----------------------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> "SolModule":
        """Set training mode on the model and all its submodules."""
        self._model.train(mode)
        self.__dict__["training"] = self._model.training
        return self

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> "SolModule":
        self._model._apply(fn, recurse)
        self._settle()
        self.refresh()
        return self

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        return self._model.state_dict(*args, **kwargs)

    def load_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        result = self._model.load_state_dict(*args, **kwargs)
        self._settle()
        return result

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "_model":
                raise
            return getattr(self.__dict__["_model"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ and not isinstance(value, (torch.nn.Parameter, torch.nn.Module, torch.Tensor)):
            self.__dict__[name] = value
        else:
            setattr(self._model, name, value)

    def __deepcopy__(self, memo: dict[int, Any]) -> "SolModule":
        other = SolModule(copy.deepcopy(self._model, memo), self._options)
        memo[id(self)] = other
        other._programs.extend(p.share(other._resolve) for p in self._programs)
        return other

    def __reduce__(self) -> Any:
        """The model and the options; code is compiled again where it is loaded (at once if that machine's cache has it)."""
        return SolModule, (self._model, self._options)

    def extra_repr(self) -> str:
        return f"compiled from {self._title} for {len(self._programs)} input type(s)"


def check_inputs(args: tuple[Any, ...], kwargs: Mapping[str, Any], programs: Sequence[Program]) -> None:
    """Errors that name the culprit for inputs no program could ever take."""
    leaves = torch.utils._pytree.tree_flatten_with_path((args, dict(kwargs)))[0]
    for path, leaf in leaves:
        if not isinstance(leaf, torch.Tensor):
            continue
        name = torch.utils._pytree.keystr(path)
        if leaf.device.type != "cpu":
            raise InputError(
                f"input {name} is on the {leaf.device} device; compiled code runs on the CPU",
                remedy="move it with .cpu(); a meta tensor holds no data and cannot be computed with",
            )
        if leaf.layout is not torch.strided:
            raise InputError(f"input {name} has layout {leaf.layout}; compiled code takes dense tensors", remedy="use .to_dense()")


def compile_imported(imported: Imported, tensors: Mapping[str, torch.Tensor], *, eager: Callable[..., Any] | None = None,
                     options: Mapping[str, Any] | None = None) -> Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]:  # fmt: skip
    """A function from flat graph inputs to flat graph outputs, for torch.compile.

    tensors: current tensor of each parameter target; the mapping is read again when ``refresh`` finds them changed.
    eager: what to call instead if compiling fails and ``config["fallback"]`` is "eager"; it takes the same flat list.
    """
    del eager
    opts = dict(options or {})
    program = Program(imported, tensors.__getitem__, title=str(opts.get("title", "compiled graph")), isa=opts.get("isa"))

    def run(inputs: Sequence[torch.Tensor], env: Mapping[str, int] | None = None) -> list[torch.Tensor]:
        if not program.rebind():
            raise SolError("a parameter changed its shape or dtype", remedy="compile the model again")
        program.refresh_if_stale()
        return program.run_flat(inputs, env)

    run.program = program  # type: ignore[attr-defined]
    return run
