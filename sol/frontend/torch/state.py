"""Python state that a model may change when it runs: a capture must not lose such a change, and must leave no trace itself.

Watched are attributes of modules, containers and objects that lie in them, closures and globals of the functions that modules are made
of, and Python's and numpy's random numbers; and whether something is printed.
"""

from __future__ import annotations

import builtins
import random
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from sol.frontend.torch.trees import NoTree, Taker, attributes_of, how_to_take

_TORCHS_OWN = ("_parameters", "_buffers", "_modules", "training")
_MOST = 100_000
_LIBRARIES = ("torch.", "sol.", "numpy.", "builtins", "typing", "collections", "functools", "importlib.", "warnings", "logging")
_CONTAINERS = (list, dict, set, deque)


class PythonState:
    """The Python state that a module reaches, as it was when this was made."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._places: list[_Place] = []
        self.known: set[int] = set()  # ids of all that was found
        self._alive: list[Any] = []  # so that no id is given twice
        self._tensors: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._random = random.getstate()
        self._numpy = _numpy_random()
        for name, module in model.named_modules():
            self._add_module(name, module)

    def _add_module(self, name: str, module: torch.nn.Module) -> None:
        attributes = module.__dict__
        if is_library(type(module).__module__) and isinstance(attributes.get("_model"), torch.nn.Module):  # a compiled one
            return self._add_module(name, attributes["_model"])
        own: tuple[str, ...] = _TORCHS_OWN
        if is_library(type(module).__module__):  # what else torch keeps in its modules is its own affair
            own += tuple([k for k in attributes if k.startswith("_") and not k.endswith("_hooks")])
        self._places.append(_Place(name or type(module).__name__, attributes, _without(attributes, own), own))
        for key, value in attributes.items():
            if key not in own:
                self._walk(f"{name}.{key}".lstrip("."), value)
        for base in type(module).__mro__:
            if not is_library(base.__module__):
                for function in vars(base).values():
                    self._add_function(getattr(function, "__func__", function))

    def _walk(self, name: str, value: Any) -> None:
        """Enter a value and what lies in it."""
        if isinstance(value, (torch.nn.Module, str, bytes, int, float, type(None))) or id(value) in self.known:
            return
        if isinstance(value, torch.Tensor):
            if id(value) not in self._tensors and _has_numbers(value):  # torch.export writes to constants that a model writes to
                self._tensors[id(value)] = (value, value.detach().clone())
            return
        if len(self.known) > _MOST:
            return
        self.known.add(id(value))
        self._alive.append(value)
        if isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.MethodType):
            self._walk(name, value.__func__)
            self._walk(name, value.__self__)
        elif isinstance(value, _CONTAINERS):
            self._places.append(_Place(name, value, _copy(value)))
            for part in list(_items(value).values() if isinstance(value, dict) else value):
                self._walk(name, part)
        elif isinstance(value, tuple):
            for part in value:
                self._walk(name, part)
        elif how_to_take(value) == "object" and not is_library(type(value).__module__):
            if hasattr(value, "__dict__"):
                self._places.append(_Place(name, value.__dict__, dict(value.__dict__)))
            for part in attributes_of(value).values():
                self._walk(name, part)
        elif hasattr(value, "func") and hasattr(value, "keywords"):  # functools.partial
            for part in (value.func, *value.args, *value.keywords.values()):
                self._walk(name, part)

    def _add_function(self, function: Any) -> None:
        """Closure and globals of a Python function."""
        if not isinstance(function, types.FunctionType) or id(function.__code__) in self.known or is_library(function.__module__ or ""):
            return
        self.known.add(id(function.__code__))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            self._places.append(_Cell(name, cell))
            self._walk(name, _content(cell))
        named = {n: function.__globals__[n] for n in _names(function.__code__) if n in function.__globals__}
        self._places.append(_Globals(function.__globals__, {n: v for n, v in named.items() if not callable(v)}))
        for name, value in named.items():
            if isinstance(value, (types.FunctionType, *_CONTAINERS)):
                self._walk(name, value)

    def changed(self) -> str:
        """What is not as it was, in words; empty if all is."""
        for place in self._places:
            name = place.changed()
            if name:
                return name
        if random.getstate() != self._random:
            return "Python's random numbers"
        if not _same_numpy(self._numpy, _numpy_random()):
            return "numpy's random numbers"
        return ""

    @property
    def is_plain(self) -> bool:
        """Whether what changed is Python's alone: no tensor of a trace lies in it, and no random number was drawn."""
        if random.getstate() != self._random or not _same_numpy(self._numpy, _numpy_random()):
            return False
        taker = Taker(lambda value: isinstance(value, torch.Tensor))
        try:
            for place in self._places:
                if place.changed():
                    taker(place.news())
        except NoTree:
            return False
        return not any(isinstance(t, FakeTensor) for t in taker.leaves)

    @property
    def only_added(self) -> bool:
        """Whether all that changed are names and items of dicts that were not there, or None."""
        if random.getstate() != self._random or not _same_numpy(self._numpy, _numpy_random()):
            return False
        return all(place.only_added for place in self._places if place.changed())

    def restore(self) -> None:
        """Make all as it was."""
        for place in self._places:
            if place.changed():
                place.restore()
        for tensor, content in self._tensors.values():
            if not _same_numbers(tensor, content):
                with torch.no_grad():
                    tensor.copy_(content)
        random.setstate(self._random)
        if self._numpy is not None:
            sys.modules["numpy"].random.set_state(self._numpy)


class _Place:
    """A container and a copy of its content. unwatched: keys that do not count."""

    def __init__(self, name: str, container: Any, copy: Any, unwatched: tuple[str, ...] = ()) -> None:
        self.name, self._container, self._copy, self._unwatched = name, container, copy, unwatched

    def _now(self) -> Any:
        return _without(self._container, self._unwatched) if self._unwatched else self._container

    def changed(self) -> str:
        now = self._now()
        if isinstance(self._copy, dict):
            for key in (*self._copy, *(k for k in now if k not in self._copy)):
                if not _same(dict.get(now, key, _Missing), self._copy.get(key, _Missing)):
                    return f"{self.name}.{key}" if self._unwatched else self.name
            return ""
        if isinstance(self._copy, set):
            return "" if now == self._copy else self.name
        return "" if len(now) == len(self._copy) and all(map(_same, now, self._copy)) else self.name

    @property
    def only_added(self) -> bool:
        """Whether it is a dict in which all that was there still is; None counts as nothing."""
        if not isinstance(self._copy, dict):
            return False
        now = self._now()
        return all(old is None or _same(dict.get(now, key, _Missing), old) for key, old in self._copy.items())

    def news(self) -> list[Any]:
        """What is there that was not."""
        now = self._now()
        if isinstance(self._copy, dict):
            return [v for k, v in dict.items(now) if not _same(v, self._copy.get(k, _Missing))]
        return [v for v in now if not any(v is old for old in self._copy)]

    def restore(self) -> None:
        if isinstance(self._copy, dict):
            for key in [k for k in self._now() if k not in self._copy]:
                del self._container[key]
            self._container.update(self._copy)
        elif isinstance(self._copy, set):
            self._container.clear()
            self._container.update(self._copy)
        else:
            self._container.clear()
            self._container.extend(self._copy)


class _Missing:
    """Stands for no value."""


class _Cell(_Place):
    """A variable of an enclosing function."""

    def __init__(self, name: str, cell: Any) -> None:
        super().__init__(name, cell, _content(cell))

    def changed(self) -> str:
        return "" if _same(_content(self._container), self._copy) else self.name

    @property
    def only_added(self) -> bool:
        return False

    def news(self) -> list[Any]:
        return [_content(self._container)]

    def restore(self) -> None:
        self._container.cell_contents = self._copy


class _Globals(_Place):
    """Global variables that functions name."""

    def __init__(self, variables: MutableMapping[str, Any], named: Mapping[str, Any]) -> None:
        super().__init__("", variables, named)

    def changed(self) -> str:
        return next((n for n, v in self._copy.items() if not _same(self._container.get(n, _Missing), v)), "")

    @property
    def only_added(self) -> bool:
        return False

    def news(self) -> list[Any]:
        return [self._container.get(n) for n, v in self._copy.items() if not _same(self._container.get(n, _Missing), v)]

    def restore(self) -> None:
        self._container.update(self._copy)


def _without(attributes: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {k: v for k, v in attributes.items() if k not in keys}


def _copy(container: Any) -> Any:
    """The content of a container as dict, set or list."""
    if isinstance(container, dict):
        return _items(container)
    return set(container) if isinstance(container, set) else list(container)


def _items(mapping: dict[Any, Any]) -> dict[Any, Any]:
    """The items of a dict, also of a class that makes something else of them."""
    return {k: v for k, v in dict.items(mapping)}  # noqa: C416


def _has_numbers(tensor: torch.Tensor) -> bool:
    """Whether a tensor has memory of its own that can be compared: others no trace writes to."""
    return tensor.layout is torch.strided and tensor.device.type != "meta" and not tensor.is_nested


def _same_numbers(tensor: torch.Tensor, content: torch.Tensor) -> bool:
    """Whether all elements are equal, NaN being equal to NaN."""
    if torch.equal(tensor, content):
        return True
    if not tensor.is_floating_point():
        return False
    a, b = tensor.detach().double(), content.double()
    return bool(((a == b) | (a.isnan() & b.isnan())).all())


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return _Missing


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, (int, float, str, bytes)) and (a == b or a != a))


def _names(code: types.CodeType) -> Iterable[str]:
    """Global names that a function and the functions in it mention."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def is_library(module: str) -> bool:
    return module == "torch" or module.startswith(_LIBRARIES)


def _numpy_random() -> Any:
    numpy = sys.modules.get("numpy")
    return None if numpy is None else numpy.random.get_state()


def _same_numpy(a: Any, b: Any) -> bool:
    return a is None or b is None or all(x is y or (x == y).all() if hasattr(x == y, "all") else x == y for x, y in zip(a, b))


@contextmanager
def noting_prints(note: Callable[[], None]) -> Iterator[None]:
    """Inside, what this thread prints is not printed but noted; torch's own messages are let through."""
    thread, real = threading.get_ident(), builtins.print

    def instead(*args: Any, **kwargs: Any) -> None:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if threading.get_ident() != thread or is_library(caller):
            real(*args, **kwargs)
        else:
            note()

    builtins.print = instead
    try:
        yield
    finally:
        builtins.print = real
