"""What Python code reads from outside of a model while it is traced: global variables, those of enclosing functions, and the system.

A record of a call holds as long as these are as they were. Global variables of functions, modules, classes and plain values are kept, to be
compared; what could change unseen (objects, tensors, files, clocks, random numbers of generators) raises `NotRecordableError`.
"""

from __future__ import annotations

import builtins
import cProfile
import dis
import enum
import functools
import logging
import random
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, Protocol

import torch

from sol.frontend.torch.recorder import NotRecordableError
from sol.frontend.torch.state import is_library
from sol.frontend.torch.trees import attributes_of, how_to_take

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, torch.dtype, torch.device, torch.layout,
              torch.memory_format, enum.Enum)  # fmt: skip
_CODE = (types.FunctionType, types.ModuleType, type, property, staticmethod, classmethod, types.MethodDescriptorType, types.GenericAlias,
         types.WrapperDescriptorType, torch._ops.OpOverload, torch._ops.OpOverloadPacket, logging.Logger)  # fmt: skip
_CONTAINERS = (list, tuple, dict, set, frozenset)
_SYSTEM = frozenset("time posix nt os io _io socket _socket select _thread _datetime datetime secrets uuid".split())
"""Modules in C whose functions tell something else at each call."""
_SYSTEMS = frozenset("open input exec eval compile globals locals vars breakpoint".split())
"""Functions of Python of which the same may be true."""
_NAMES = frozenset("default_rng RandomState Generator SystemRandom urandom environ getenv now today utcnow perf_counter time_ns".split())
"""Names of what is as uncertain."""
_STANDARD = frozenset(sys.stdlib_module_names)
_MOST = 1000  # parts of a container that are looked at
_DEPTH = 6  # to which they are looked into
_APPLY = torch.autograd.Function.apply.__func__.__code__  # type: ignore[attr-defined]
_MISSING = object()
_GENERATOR = random.random.__self__  # type: ignore[attr-defined]  # whose use is seen

class Variables(Protocol):
    """What names mean now: variables of a module, or attributes of a class."""

    def get(self, name: str, default: Any, /) -> Any: ...


@dataclass(frozen=True)
class _OfClass:
    """Attributes of a class, its own and those of its bases."""

    kind: type

    def get(self, name: str, default: Any, /) -> Any:
        return next((vars(base)[name] for base in self.kind.__mro__ if name in vars(base)), default)


@dataclass
class OuterReads:
    """Variables and what they were: (variables of a module or class, name, value, content of a container)."""

    found: dict[tuple[int, str], tuple[Variables, str, Any, Any]] = field(default_factory=dict)

    def are_same(self) -> bool:
        """Whether all variables mean what they meant."""
        for variables, name, value, content in self.found.values():
            now = variables.get(name, _MISSING)
            if now is not value and (type(now) is not type(value) or not isinstance(now, _CONSTANTS) or now != value):
                return False
            if content is not None and now != content:
                return False
        return True

    def note_class(self, kind: type, name: str) -> Any:
        """An attribute of a class was read, also through its objects."""
        return self.note(_OfClass(kind), name, id(kind))

    def note(self, variables: Variables, name: str, place: int = 0) -> Any:
        """A variable was read. Its value; ``_MISSING`` if there is none. Raises NotRecordableError if its changes could not be seen."""
        value, place = variables.get(name, _MISSING), place or id(variables)
        if value is not _MISSING and (place, name) not in self.found:
            if not is_settled(value):
                raise NotRecordableError(f"the model reads the variable {name}, a {type(value).__name__}")
            self.found[place, name] = variables, name, value, _copied(value) if isinstance(value, _CONTAINERS) else None
        return value


def _copied(value: Any) -> Any:
    """What is equal to a container as long as neither it nor one that lies in it is changed."""
    if isinstance(value, dict):
        return {k: _copied(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)([_copied(v) for v in value])
    return set(value) if isinstance(value, (set, frozenset)) else value


def is_settled(value: Any, objects: bool = False, depth: int = _DEPTH) -> bool:
    """Whether a value is the same as long as it, or its content, is not exchanged.

    objects: whether modules count, tensors, and objects of Python classes all of whose attributes do: attributes of modules, which are
    watched, may hold them.
    """
    if isinstance(value, (*_CONSTANTS, *_CODE)):
        return True
    if isinstance(value, (torch.Tensor, torch.nn.Module)):
        return objects
    if depth == 0:
        return False
    if isinstance(value, types.BuiltinFunctionType):
        owner = value.__self__
        return owner is None or isinstance(owner, (types.ModuleType, type)) or owner is _GENERATOR
    if isinstance(value, functools.partial):
        return is_settled((value.func, value.args, value.keywords), objects, depth - 1)
    if isinstance(value, _CONTAINERS):
        parts: list[Any] = [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)
    elif objects and isinstance(value, types.MethodType):
        parts = [value.__func__, value.__self__]
    elif objects and how_to_take(value) == "object":
        parts = list(attributes_of(value).values())
    else:
        return False
    return len(parts) <= _MOST and all(is_settled(part, objects, depth - 1) for part in parts)


@contextmanager
def noting_outer_reads(reads: OuterReads) -> Iterator[None]:
    """Inside, what this thread's Python code outside of libraries reads is noted. NotRecordableError for what cannot be."""
    seen: set[CodeType] = set()
    own: dict[CodeType, bool] = {}
    failure: list[NotRecordableError] = []

    def watch(frame: FrameType, event: str, arg: Any) -> None:
        try:
            if event == "call":
                if frame.f_code is _APPLY:
                    raise NotRecordableError("the model has functions with gradients of their own")
                if frame.f_code not in seen:
                    seen.add(frame.f_code)
                    _look_into(frame, reads)
            elif event == "c_call":
                is_own = own.get(frame.f_code)
                if is_own is None:
                    is_own = own[frame.f_code] = not _is_from_library(frame)
                if is_own:
                    _look_at(arg)
        except NotRecordableError as error:
            failure.append(error)
            raise  # before the function runs: it may draw random numbers that nobody could give back

    with _without_profiler():
        sys.setprofile(watch)
        try:
            yield
        finally:
            sys.setprofile(None)
    if failure:
        raise failure[0]


@contextmanager
def _without_profiler() -> Iterator[None]:
    """Inside, the caller's profiler rests, as this thread has place for one. NotRecordableError for one that could not go on afterwards."""
    profiler = sys.getprofile()
    if isinstance(profiler, cProfile.Profile):  # not with Python 3.12 and later, where it needs no such place
        profiler.disable()
        try:
            yield
        finally:
            profiler.enable()
    elif profiler is None or callable(profiler):
        try:
            yield
        finally:
            sys.setprofile(profiler)
    else:
        raise NotRecordableError(f"a {type(profiler).__name__} watches what is called")


def _is_from_library(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__") or ""
    return is_library(name) or name == "sol" or name.partition(".")[0] in _STANDARD


def _look_into(frame: FrameType, reads: OuterReads) -> None:
    """The variables that a function names, which has just been called."""
    if _is_from_library(frame):
        return
    for code in _codes(frame.f_code):
        uncertain = _NAMES.intersection(code.co_names)
        if uncertain:
            raise NotRecordableError(f"{code.co_name} names {min(uncertain)}")
        _look_at_globals(code, frame.f_globals, reads)
    for name in frame.f_code.co_freevars:
        if not _is_local(frame.f_back, name):
            value = frame.f_locals.get(name, _MISSING)
            if value is not _MISSING and not isinstance(value, _CODE):
                raise NotRecordableError(f"{frame.f_code.co_name} reads the variable {name} of an enclosing function")


def _is_local(frame: FrameType | None, name: str) -> bool:
    """Whether a variable belongs to a function that is running."""
    while frame is not None:
        if name in frame.f_code.co_cellvars:
            return True
        frame = frame.f_back
    return False


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _look_at_globals(code: CodeType, variables: Mapping[str, Any], reads: OuterReads) -> None:
    """Global variables, and of modules and classes among them the attributes that the code names behind them."""
    holder: Any = _MISSING
    for instruction in dis.get_instructions(code):
        name = instruction.argval
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            holder = reads.note(variables, name)
            if holder is _MISSING:
                holder = getattr(builtins, name, _MISSING)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and holder is not _MISSING:
            holder = _attribute(holder, name, reads)
        elif instruction.opname not in ("PUSH_NULL", "PRECALL", "CACHE", "EXTENDED_ARG"):
            holder = _MISSING


def _attribute(holder: Any, name: str, reads: OuterReads) -> Any:
    """An attribute that is read of a global variable's value."""
    if isinstance(holder, types.ModuleType):
        library = is_library(holder.__name__) or holder.__name__.partition(".")[0] in _STANDARD
        if library or name not in vars(holder):
            return getattr(holder, name, _MISSING) if library else _MISSING
        return reads.note(vars(holder), name)
    if isinstance(holder, type) and not is_library(holder.__module__):
        return reads.note_class(holder, name)
    return _MISSING


def _look_at(function: Any) -> None:
    """A function in C that is called by the model's code."""
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    if module.partition(".")[0] in _SYSTEM or (module == "builtins" and name in _SYSTEMS):
        raise NotRecordableError(f"the model calls {module}.{name}")
