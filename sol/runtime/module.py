"""SolModule: the user's model as an nn.Module whose forward runs compiled code and whose parameters are the model's own."""

from __future__ import annotations

import copy
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils import _pytree as pytree

from sol.config import config
from sol.errors import ConfigError, ExportError, InputError, SolError, TypeInferenceError
from sol.frontend.export import collector_paused, import_module
from sol.frontend.imported import Imported
from sol.runtime.autograd import differentiable
from sol.runtime.inputs import check_inputs, check_model, describe, only_plain_tensors, overlapping, register_dataclasses
from sol.runtime.prefetch import lines_of
from sol.runtime.program import Program
from sol.runtime.tuning import budgeted
from sol.runtime.watch import State, Structure, Unsettled

log = logging.getLogger("sol.runtime")
_is_grad_enabled = torch.is_grad_enabled
_is_dynamo_compiling = torch.compiler.is_dynamo_compiling
_active_transform = torch._C._functorch.peek_interpreter_stack
MANY_LINES = 500  # cache lines below which fetching them early gains nothing
_SAME, _TRAINING = State.SAME, State.TRAINING
_SHARED = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")


@dataclass(frozen=True)
class Options:
    """How a module is compiled. dynamic_shapes as torch.export takes them; threads: None follows torch.

    time_budget: seconds for measuring kernels; None: as ``config["autotune"]`` says.
    """

    isa: str | None = None
    dynamic_shapes: Any = None
    threads: int | None = None
    fallback: str | None = None
    time_budget: float | None = None

    @property
    def falls_back(self) -> bool:
        return (self.fallback or config["fallback"]) == "eager"


class SolModule(torch.nn.Module):
    """A compiled model.

    It holds the same parameter, buffer and submodule objects under the same names as the model it was made from, so that
    ``state_dict``, optimizers, ``.train()/.eval()`` and checkpoints work on either. In eval mode calls run compiled code; in training
    mode they run the model in torch. A changed parameter takes effect at the next call; a change that torch does not
    count (``parameter.data.add_(…)``, or any change of an inference tensor) needs ``refresh()``. An input of another shape is compiled
    for at its first call. Plain attributes of the model and hooks of its submodules are as they were when it was compiled.

    Calls run in torch, with torch's result, for tensor subclasses and under the transforms of ``torch.func``.
    """

    def __init__(self, model: torch.nn.Module, options: Options = Options()) -> None:
        object.__setattr__(self, "_model", model)
        training = model.training
        super().__init__()
        model.training = training
        self.__dict__.update(_options=options, _programs=[], _lock=threading.RLock(), _failure=None, _ahead=None)
        self._look_again()

    def _look_again(self) -> None:
        self.__dict__.update({name: self._model.__dict__[name] for name in _SHARED}, _structure=Structure(self._model))

    # -- compile -------------------------------------------------------------------------------------------------------

    def compile_for(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        """The program for these inputs, compiled now if need be; None if it runs in torch (``fallback="eager"``)."""
        with self._lock, collector_paused(), budgeted(self._options.time_budget):
            program = self._find(args, kwargs)
            if program is not None or self._failure is not None:
                return program
            try:
                imported = self._import(args, kwargs)
                o = self._options
                program = Program(imported, self._resolve, title=self._title, isa=o.isa, threads=o.threads, counter=self._counter)
            except (InputError, ConfigError):
                raise
            except SolError as error:
                if not self._options.falls_back:
                    raise
                log.warning("%s runs in torch: %s", self._title, error)
                self.__dict__["_failure"] = error
                return None
            self._keep(program)
            return program

    def _import(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Imported:
        check_model(self._model)
        register_dataclasses((args, dict(kwargs)))
        structure = self._structure
        self.__dict__["_structure"] = Unsettled(structure)  # torch.export puts fake tensors into the model for a while
        try:
            return self._export(args, kwargs)
        finally:
            self.__dict__["_structure"] = structure

    def _export(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Imported:
        shapes = self._options.dynamic_shapes
        try:
            return import_module(self._model, tuple(args), dict(kwargs), shapes)
        except (ExportError, TypeInferenceError):
            result = self._in_torch(args, kwargs)
            if register_dataclasses(result):
                return import_module(self._model, tuple(args), dict(kwargs), shapes)
            if shapes is None or not self._programs:
                raise
        return import_module(self._model, tuple(args), dict(kwargs), None)  # sizes outside of the range of a symbol: 0 and 1

    def _in_torch(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's own result on copies of the inputs; InputError if it does not take them."""
        args, kwargs = pytree.tree_map_only(torch.Tensor, torch.clone, (tuple(args), dict(kwargs)))
        try:
            with torch.no_grad():
                return self._model(*args, **kwargs)
        except Exception as error:
            raise InputError(
                f"{self._title} does not take inputs {describe(args, kwargs)}: {str(error).strip().splitlines()[0]}",
                remedy="give inputs of the shapes and dtypes that the model runs on in torch",
            ) from error

    def _keep(self, program: Program) -> None:
        limit = config["recompile_limit"]
        if len(self._programs) >= limit:
            log.warning("%s was compiled for more than %d input types: the least recently used is dropped", self._title, limit)
        self.__dict__["_programs"] = [program, *self._programs][:limit]
        self._look_ahead()

    def _look_ahead(self) -> None:
        """What every call looks at is fetched into the cache at once."""
        ahead = None
        if self._programs and not isinstance(self._structure, Unsettled):
            program = self._programs[0]
            lines = lines_of(self._structure.dicts, program.watched)
            ahead = program.prefetcher(lines) if len(lines) >= MANY_LINES else None
        self.__dict__["_ahead"] = ahead

    @property
    def _title(self) -> str:
        return type(self._model).__name__

    def _resolve(self, target: str) -> torch.Tensor:
        owner, _, name = target.rpartition(".")
        holder: Any = self._model.get_submodule(owner) if owner else self._model
        return getattr(holder, name)

    def _counter(self, target: str) -> torch.Tensor | None:
        owner = self._model.get_submodule(target.rpartition(".")[0])
        return owner.num_batches_tracked if isinstance(owner, _BatchNorm) else None

    def _find(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        """The program that takes these inputs; it is tried first from now on."""
        for program in self._programs:
            try:
                tensors = program.flatten(args, kwargs)
            except InputError:
                continue
            if program.accepts(tensors):
                with self._lock:
                    self.__dict__["_programs"] = [program, *(p for p in self._programs if p is not program)]
                return program
        return None

    def _settle(self) -> None:
        """Tensors or submodules were exchanged: bind again, and forget programs that no longer fit."""
        with self._lock:
            if not self._structure.changed():  # another thread was faster, or compiled
                return
            before = self._structure.modules
            self._look_again()
            after = self._structure.modules
            same = len(before) == len(after) and all(a is b for a, b in zip(before, after))
            self.__dict__["_programs"] = [p for p in self._programs if same and p.rebind()]
            self._look_ahead()

    def refresh(self) -> None:
        """Pack the weights again; needed after changes through ``.data``, which torch does not count."""
        with self._lock:
            for program in self._programs:
                program.refresh()

    # -- call ----------------------------------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result. Raises InputError for inputs that cannot be taken, and compile errors for new input types."""
        if _is_dynamo_compiling():
            return self._model(*args, **kwargs)
        if self._ahead is not None:
            self._ahead()
        state = self._structure.look()
        if state is _TRAINING:
            return self._model(*args, **kwargs)
        try:
            programs = self._programs
            if programs:
                program = programs[0]
                fits = program.direct and not kwargs and len(args) == program.count and program.accepts(args)
                if fits and state is _SAME:
                    program.refresh_if_stale()
                    if _is_grad_enabled() or program.imported.mutations:
                        return self._run(program, args, args, kwargs)
                    return program.run(args)
            return self._general(args, kwargs, state)
        except RuntimeError:
            if _active_transform() is None:  # wrapped tensors have no memory of their own
                raise
        return self._model(*args, **kwargs)

    def _general(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], state: State) -> Any:
        if not only_plain_tensors(args, kwargs):  # such as the fake tensors of torch.export
            return self._model(*args, **kwargs)
        if state is not _SAME:
            self._settle()
        program = self._find(args, kwargs)
        if program is None:
            check_inputs(args, kwargs)
            program = self.compile_for(args, kwargs)
            if program is None:
                return self._model(*args, **kwargs)
        program.refresh_if_stale()
        return self._run(program, program.flatten(args, kwargs), args, kwargs)

    def _run(self, program: Program, tensors: Sequence[torch.Tensor], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if program.imported.mutations and overlapping(tensors):
            return self._model(*args, **kwargs)
        if _is_grad_enabled():
            return differentiable(self._model, program, tensors, args, kwargs)
        return program.run(tensors)

    # -- nn.Module -----------------------------------------------------------------------------------------------------

    @property
    def training(self) -> bool:  # type: ignore[override]
        """Whether the model is in training mode."""
        return self._model.training

    @training.setter
    def training(self, mode: bool) -> None:
        self._model.training = mode

    def train(self, mode: bool = True) -> SolModule:
        """Set training mode on the model and all its submodules."""
        self._model.train(mode)
        return self

    def apply(self, fn: Callable[[torch.nn.Module], None]) -> SolModule:
        """Apply ``fn`` to the model and all its submodules."""
        self._model.apply(fn)
        return self

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> SolModule:
        self._model._apply(fn, recurse)
        if self._structure.changed():
            self._settle()
        self.refresh()
        return self

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        return self._model.state_dict(*args, **kwargs)

    def load_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        return self._model.load_state_dict(*args, **kwargs)

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self._model._load_from_state_dict(*args, **kwargs)

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

    def __delattr__(self, name: str) -> None:
        if name in self.__dict__:
            del self.__dict__[name]
        else:
            delattr(self._model, name)

    def __getitem__(self, index: Any) -> Any:
        return self._model[index]  # type: ignore[index]

    def _hooks(self) -> dict[str, Any]:
        """Hooks registered on this module itself."""
        return {k: v for k, v in self.__dict__.items() if "_hooks" in k and k.startswith("_") and v}

    def __deepcopy__(self, memo: dict[int, Any]) -> SolModule:
        other = SolModule(copy.deepcopy(self._model, memo), self._options)
        memo[id(self)] = other
        other.__dict__.update(copy.deepcopy(self._hooks(), memo))
        other.__dict__["_programs"] = [p.share(other._resolve, other._counter) for p in self._programs]
        return other

    def __reduce__(self) -> Any:
        """The model and the options; code is compiled again where it is loaded (at once if that machine's cache has it)."""
        return SolModule, (self._model, self._options), self._hooks() or None

    def extra_repr(self) -> str:
        return f"compiled from {self._title} for {len(self._programs)} input type(s)"
