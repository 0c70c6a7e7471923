"""SolModule: the user's model as an nn.Module whose forward runs compiled code and whose parameters are the model's own."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.nn.modules.batchnorm import _BatchNorm

from sol.codegen.targets import resolve
from sol.collector import collector_paused
from sol.config import config
from sol.errors import UnsupportedError
from sol.frontend.torch.rehearsal import copied
from sol.runtime.specializations import Specializations
from sol.runtime.torch.attributes import Attributes
from sol.runtime.torch.autograd import needs_gradient
from sol.runtime.torch.change_detection import State, Structure, Unsettled
from sol.runtime.torch.held import HeldTensors
from sol.runtime.torch.inputs import as_call, only_plain_tensors, overlapping
from sol.runtime.torch.methods import Redirection, is_method_of
from sol.runtime.torch.on_device import OnDevice, lies_on_device
from sol.runtime.torch.on_queue import OnQueue, runs_opencl
from sol.runtime.torch.partition import Partition
from sol.runtime.torch.prefetch import lines_of
from sol.runtime.torch.program import Outdated, Program, Taken
from sol.runtime.torch.trainer import Trainer, with_gradients
from sol.runtime.torch.ways import Options, Ways
from sol.tuning.budget import budgeted
from sol_autoload import keeping_shared

_is_grad_enabled, _is_autocast_enabled = torch.is_grad_enabled, torch.is_autocast_enabled
_is_dynamo_compiling = torch.compiler.is_dynamo_compiling
_active_transform = torch._C._functorch.peek_interpreter_stack
_SAME, _TRAINING = State.SAME, State.TRAINING
_CALL_HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
_is_tracing = torch._C._get_tracing_state
_GLOBAL_HOOKS = (
    modules._global_forward_pre_hooks, modules._global_forward_hooks, modules._global_backward_pre_hooks, modules._global_backward_hooks,
)  # fmt: skip
_SHARED = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")


def on_device(module: SolModule, inner: torch.nn.Module, device: torch.device) -> OnDevice | OnQueue:
    """What runs calls of a module on a device of sol: the device itself, or the host on its memory."""
    return OnQueue(module, inner, device) if runs_opencl(device) else OnDevice(module, inner, device)


class SolModule(torch.nn.Module):
    """A compiled model.

    It holds the same parameter, buffer and submodule objects under the same names as the model it was made from, so that
    ``state_dict``, optimizers, ``.train()/.eval()`` and checkpoints work on either. In eval mode calls run compiled code; in training
    mode forward and backward are compiled, or the model runs in torch, as ``config["training"]`` says.
    A changed parameter takes effect at the next call; a change that torch does not
    count (``parameter.data.add_(…)``, or any change of an inference tensor) needs ``refresh()``. An input of another shape is compiled
    for at its first call; sizes and numbers that keep changing stay open. When a plain attribute that the model reads or a hook of a
    submodule has changed, the next call compiles again. What functions read from their globals and closures is in eval mode as it was when
    the model was compiled. Methods of the model that call it, such as ``generate``, run compiled code too.

    Calls run in torch, with torch's result, for tensor subclasses and under the transforms of ``torch.func``. Under ``torch.autocast``
    they are compiled in pieces, of the types that it chooses.
    """

    def __init__(self, model: torch.nn.Module, options: Options | None = None) -> None:
        object.__setattr__(self, "_model", model)
        training = model.training
        super().__init__()
        model.training = training
        held = HeldTensors(model)
        options = options or Options()
        ways = Ways(model, options, held, self._counter, self._held_still)
        trainer = Trainer(model, options.isa, options.threads)
        autocasting = Partition(model, options.isa, options.threads, UnsupportedError("called under autocast"))
        self.__dict__.update(_options=options, _held=held, _ways=ways, _trainer=trainer, _autocasting=autocasting)
        self.__dict__.update(_lock=threading.RLock(), _ahead=None)
        self.__dict__["_redirection"] = Redirection(model, self.forward)
        self.__dict__["_device"] = None
        self._look_again()
        self._on_device()
        self.__dict__["_compiled_call_impl"] = self._call_at_once()

    def _look_again(self) -> None:
        reads = self._ways.reads
        watched = self._ways.depend_on_attributes or self.__dict__.get("_device") is not None and bool(reads.names)
        attributes = Attributes(self._model, reads.names) if watched else None
        self.__dict__.update({name: getattr(self._model, name) for name in _SHARED}, _structure=Structure(self._model, attributes))
        self.__dict__["_looked_for"] = reads.version

    # -- compile -------------------------------------------------------------------------------------------------------

    def compile_for(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        """The program for these inputs, compiled now if need be; None if they run in pieces or in torch (``ways`` says why)."""
        device = self._on_device()
        if device is not None:
            return device.compile_for(args, kwargs)
        with self._lock, collector_paused(), budgeted(self._options.time_budget):
            if self._structure.changed():
                self._settle()
            found = self._ways.find(args, kwargs)
            if found is not None:
                return found[0]
            with self._redirection.original(), torch.autocast("cpu", enabled=False):
                program = self._ways.make(args, kwargs)
            if program is not None:
                self._look_again()
                self._look_ahead()
            return program

    def _on_device(self) -> OnDevice | OnQueue | None:
        """What runs calls where parameters lie on a device of sol."""
        place = lies_on_device(self._model)
        with self._lock:
            device = self._device
            if place is None and device is not None:
                self._look_again()
                self._held.forget()
                self._programs.replace([p.share(self._held, self._counter) for p in device.host_programs])
                self.__dict__["_device"] = device = None
            if device is not None and self._looked_for != self._ways.reads.version:  # its copy of the module was compiled
                self._look_again()
            if place is not None and (device is None or device.device != place or not device.fits() or not self._structure.is_same()):
                attribute = self._structure.changed_attribute()
                if attribute:
                    self.__dict__["_device"] = None
                    self._ways.attribute_changed(attribute, self._structure.attributes)
                self._look_again()
                self._held.forget()
                self.__dict__["_device"] = device = on_device(self, self._model, place)
                if attribute:
                    self._look_again()  # at attributes, too
            return device  # type: ignore[no-any-return]

    def seen_by_host(self, inputs: Any) -> tuple[SolModule, Any]:
        """The module, and inputs as ``sol.optimize`` takes them. Of one on a device of sol inputs there, or, where the device runs programs
        of the host, what runs on the host's view."""
        device = self._on_device()
        if device is None:
            return self, inputs
        if isinstance(device, OnQueue):
            args, kwargs, _ = device.moved(*as_call(inputs))
            return self, kwargs or args
        device.follow_modes()
        args, kwargs, _ = device.host_call(*as_call(inputs))
        return device.shadow, kwargs or args

    @property
    def _compiled(self) -> Sequence[Program]:
        """Programs that there are, also those that run on a device."""
        return self._programs.entries if self._device is None else self._device.host_programs  # type: ignore[no-any-return]

    @contextmanager
    def _held_still(self) -> Iterator[None]:
        """While torch.export captures the model: it puts fake tensors into it."""
        structure = self._structure
        self.__dict__["_structure"] = Unsettled(structure)
        try:
            yield
        finally:
            self.__dict__["_structure"] = structure

    def _look_ahead(self) -> None:
        """What every call looks at is fetched into the cache at once."""
        ahead = None
        programs = self._programs.entries
        if programs and not isinstance(self._structure, Unsettled):
            program = programs[0]
            lines = lines_of(self._structure.dicts, program.watched)
            ahead = program.prefetcher(lines) if len(lines) >= resolve("native").machine.calls.watched else None
        self.__dict__["_ahead"] = ahead

    @property
    def _programs(self) -> Specializations[Program]:
        return self._ways.programs

    @property
    def _title(self) -> str:
        return self._ways.title

    def _counter(self, target: str) -> torch.Tensor | None:
        owner = self._model.get_submodule(target.rpartition(".")[0])
        return owner.num_batches_tracked if isinstance(owner, _BatchNorm) else None

    def _settle(self) -> None:
        """Tensors or submodules were exchanged: bind again, and forget programs that no longer fit."""
        with self._lock:
            if not self._structure.changed():  # another thread was faster, or compiled
                return
            attribute = self._structure.changed_attribute()
            if attribute:
                self._ways.attribute_changed(attribute, self._structure.attributes)
            before = self._structure.modules
            self._look_again()
            self._held.forget()
            after = self._structure.modules
            same = len(before) == len(after) and all(a is b for a, b in zip(before, after))
            self._programs.replace(p for p in self._programs.entries if same and p.rebind())
            self._look_ahead()

    def refresh(self) -> None:
        """Pack the weights again; needed after changes through ``.data``, which torch does not count."""
        with self._lock:
            if self._device is not None:
                self._device.refresh()
                return
            for program in self._programs.entries:
                program.refresh()

    @property
    def trainer(self) -> Trainer:
        """What runs calls in training mode."""
        return self._trainer  # type: ignore[no-any-return]

    @property
    def is_training(self) -> bool:
        """Whether a layer whose mode matters is in training mode."""
        return self._structure.look() is _TRAINING  # type: ignore[no-any-return]

    # -- call ----------------------------------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result. Raises what the model raises in torch; InputError and compile errors in strict mode."""
        if _is_dynamo_compiling():
            return self._model(*args, **kwargs)
        if self._device is not None and (device := self._on_device()) is not None:
            return device(args, kwargs)
        if self._ahead is not None:
            self._ahead()
        state = self._structure.look()
        if state is _TRAINING:
            return self._in_training(args, kwargs)
        if _is_autocast_enabled("cpu") and not self._options.changes_results:
            return self._under_autocast(args, kwargs)
        try:
            programs = self._ways.programs.entries
            if programs and state is _SAME:
                program = programs[0]
                taken = program.take(args, kwargs)
                if taken is not None:
                    program.refresh_if_stale()
                    if _is_grad_enabled() or program.changes_things:
                        return self._run(program, taken, args, kwargs)
                    return program.run(taken, args, kwargs)
            return self._general(args, kwargs, state)
        except Outdated as found:
            self._programs.replace(p for p in self._programs.entries if p is not found.program)
            return self.forward(*args, **kwargs)
        except RuntimeError:
            if _active_transform() is None:  # wrapped tensors have no memory of their own
                raise
        return self._model(*args, **kwargs)

    def _call_at_once(self) -> Callable[..., Any]:
        """What nn.Module runs in the place of ``forward`` and its hooks: calls without gradients that the program of the last one takes, at
        once; all others as ever. A small model's call takes a tenth less so."""
        own, ways, usual = self.__dict__, self._ways, self._call_impl
        first, second, third, fourth = (own[name] for name in _CALL_HOOKS)
        fifth, sixth, seventh, eighth = _GLOBAL_HOOKS

        def call(*args: Any, **kwargs: Any) -> Any:
            if _is_dynamo_compiling() or first or second or third or fourth or fifth or sixth or seventh or eighth:
                return usual(*args, **kwargs)
            programs = ways.programs.entries
            if not programs or own["_ahead"] is not None or own["_device"] is not None or _is_grad_enabled() or _is_autocast_enabled("cpu"):
                return usual(*args, **kwargs)
            program = programs[0]
            if own["_structure"].look() is not _SAME or program.changes_things:
                return usual(*args, **kwargs)
            try:
                taken = program.take(args, kwargs)
                if taken is not None:
                    program.refresh_if_stale()
                    return program.run(taken, args, kwargs)
            except (Outdated, RuntimeError):  # which the usual way answers
                pass
            return usual(*args, **kwargs)

        return call

    def _general(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], state: State) -> Any:
        """A call that the program of the last one does not take."""
        ways = self._ways
        if ways.failure is not None or (state is _SAME and ways.ran_in_torch(args, kwargs)):
            return self._model(*args, **kwargs)
        if not self._is_for_compiled_code(args, kwargs):
            return self._model(*args, **kwargs)
        if state is not _SAME:
            self._settle()
        found = ways.find(args, kwargs)
        if found is None and not ways.are_known(args, kwargs) and self.compile_for(args, kwargs) is not None:
            found = ways.find(args, kwargs)
        if found is not None:
            found[0].refresh_if_stale()
            return self._run(found[0], found[1], args, kwargs)
        if ways.partition is not None:
            return ways.partition(args, kwargs)
        return self._model(*args, **kwargs)

    def _in_training(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """A call in training mode."""
        self._check_floats("does not train", "call its eval(), or optimize the model without weights= and dtype=")
        known = config.assignments("training")
        if self._trainer.is_torchs:
            if known is not None and self._device is None:
                self.__dict__["_compiled_call_impl"] = self._call_of_torch(known)
            return self._model(*args, **kwargs)
        if _active_transform() is not None or not self._is_for_compiled_code(args, kwargs):
            return self._model(*args, **kwargs)
        return self._trainer(args, kwargs)

    def _call_of_torch(self, known: object) -> Callable[..., Any]:
        """What calls a model that trains in torch, at once, as long as ``known`` stands for the assignments of settings.

        nn.Module runs it in the place of ``forward`` and its hooks: a call through these takes a tenth of a small model's step. Where
        nothing else is done, the model's ``forward`` is called, so that a call costs what one of the model does."""
        model = self._model
        first, second, third, fourth = (vars(self)[name] for name in _CALL_HOOKS)
        a, b, c, d = (vars(model)[name] for name in _CALL_HOOKS)
        e, f, g, h = _GLOBAL_HOOKS

        def call(*args: Any, **kwargs: Any) -> Any:
            if model.training and config.assignments("training") is known and not (first or second or third or fourth):
                if a or b or c or d or e or f or g or h or model._compiled_call_impl is not None or _is_tracing():
                    return model(*args, **kwargs)
                return model.forward(*args, **kwargs)
            self.__dict__["_compiled_call_impl"] = self._call_at_once()
            return self(*args, **kwargs)

        return call

    def _under_autocast(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """A call of which torch chooses the types: for each choice the pieces that Dynamo captures are compiled by themselves."""
        if self._ways.failure is not None or _active_transform() is not None or not self._is_for_compiled_code(args, kwargs):
            return self._model(*args, **kwargs)
        return self._autocasting(args, kwargs)

    def _check_floats(self, lack: str, remedy: str) -> None:
        """UnsupportedError for a model with quantized weights or with products of another dtype."""
        if changed := self._options.changes_results:
            raise UnsupportedError(f"a model with {changed} {lack}", remedy=remedy)

    def _is_for_compiled_code(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """False for fake tensors, those of subclasses, and, where the module may fall back, of other devices and layouts."""
        return only_plain_tensors(args, kwargs, everywhere=not self._options.falls_back)

    def _run(self, program: Program, taken: Taken, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if program.awaits_memo:
            self._fill_memo(program, args, kwargs)
        if program.changes_things and overlapping(program.graph_inputs(taken)):
            return self._model(*args, **kwargs)
        if _is_grad_enabled() and needs_gradient(program, taken):
            self._check_floats("computes no gradients", "call it under torch.no_grad() or torch.inference_mode()")
            return with_gradients(self._model, self._trainer, program, taken, args, kwargs)
        result = program.run(taken, args, kwargs)
        if program.imported.exchanges:
            for target in self._ways.foreseen(program):
                self._structure.accept(*self._held.place(target))
        return result

    def _fill_memo(self, program: Program, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """At the first call of a model that keeps values for later ones: it keeps what it keeps in torch."""
        with self._lock:
            args, kwargs = copied(args, kwargs)
            self._model(*args, **kwargs)
            self._ways.memo_is_filled(program, self._structure.attributes)
            self._look_again()
            self._look_ahead()

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
        self.__dict__["_compiled_call_impl"] = self._call_at_once()  # other devices are called otherwise
        keeping_shared(self._model, lambda: self._model._apply(fn, recurse))
        if self._on_device() is not None:
            return self
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
            value = getattr(self.__dict__["_model"], name)
            return self.__dict__["_redirection"].method(value) if is_method_of(value, self.__dict__["_model"]) else value

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
        other._ways.reads = self._ways.reads
        if lies_on_device(other._model) is None:
            other._programs.replace(p.share(other._held, other._counter) for p in self._compiled)
            other._look_again()
        return other

    def __reduce__(self) -> Any:
        """The model and the options; code is compiled again where it is loaded (at once if that machine's cache has it)."""
        return SolModule, (self._model, self._options), self._hooks() or None

    def extra_repr(self) -> str:
        return f"compiled from {self._title} for {len(self._programs)} input type(s)"
