"""Plain attributes that a trace has read, and what lies in them: whether they are as they were then.

Numbers, texts and other constants, tensors that are no parameters or buffers, containers, objects of Python classes and modules that are
no submodules; and the hooks that run before and after the forward of a module. Content counts, not identity: an empty dict in place of
another empty one is no change.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import torch

from sol.frontend.torch.state import is_library
from sol.frontend.torch.trees import attributes_of, how_to_take, slots_of
from sol.runtime.torch.change_detection import InPlaceChanges
from sol.runtime.torch.change_words import dict_tag, has_tag

_CONSTANT = (str, bytes, int, float, complex, type(None), torch.dtype, torch.device, torch.Size, torch.layout, torch.memory_format)
_LISTS = (list, set, deque)
HOOKS = ("_forward_pre_hooks", "_forward_hooks")
LOOKED_AT = 100_000  # parts that are looked at
_MISSING = object()

Content = tuple[Any, ...]
"""("=", constant), ("is", object), ("again", number), or (kind, number, {key: content})."""


class Attributes:
    """Attributes of these names, as they are now. names: by the paths of modules. held: tensors that a trace takes anew at each call
    wherever they lie, in a list as well, as the parameters of recurrent layers do: which one it is counts, not what it holds.

    dicts: those in which a name or an item changes if one of them does; words of memory may tell whether they were written to. in_dicts:
    whether no change is seen but there.
    """

    def __init__(self, model: torch.nn.Module, names: Mapping[str, Collection[str]], held: Collection[torch.Tensor] = ()) -> None:
        self._model, self._names, self._held = model, names, held
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no id is given twice
        self._own = {id(part) for part in (*model.modules(), *held)}
        self._tensors: list[torch.Tensor] = []
        self._others: list[Any] = []
        self._slotted: list[Any] = []
        self.dicts: list[dict[Any, Any]] = []
        self._names_in: dict[int, list[str]] = {}  # of the dict at that place, the attributes of a module: which count
        self._contents = dict((*self._read(), *self._read_hooks()))
        self._copies = [dict(d) for d in self.dicts]
        self._other_copies = list(map(_copy, self._others))
        self._slots = list(map(attributes_of, self._slotted))
        self._changes = InPlaceChanges(self._tensors) if self._tensors else None
        self.in_dicts = not (self._tensors or self._others or self._slotted)

    def _read(self) -> Iterator[tuple[tuple[str, str], Content]]:
        for path, module in self._model.named_modules():
            attributes = module.__dict__
            names = sorted(self._names.get(path, ()))
            if names:
                self._names_in[len(self.dicts)] = names
                self.dicts.append(attributes)
            for name in names:
                value = attributes.get(name, _MISSING)
                yield (path, name), ("is", _MISSING) if value is _MISSING else self._content(value)

    def _read_hooks(self) -> Iterator[tuple[tuple[str, str], Content]]:
        for path, module in self._model.named_modules():
            for name in HOOKS if path in self._names else ():
                hooks = module.__dict__.get(name)
                if isinstance(hooks, dict):
                    (self.dicts if has_tag(hooks) or dict_tag() is None else self._others).append(hooks)
                    yield (path, name), ("hooks", 0, {key: ("is", hook) for key, hook in hooks.items()})

    def _content(self, value: Any) -> Content:
        if isinstance(value, _CONSTANT):
            return "=", value
        number = self._numbers.get(id(value))
        if number is not None:
            return "again", number
        if id(value) in self._own or len(self._alive) > LOOKED_AT:
            return "is", value
        parts = self._parts(value)
        if parts is None:
            return "is", value
        number = self._numbers[id(value)] = len(self._numbers)
        self._alive.append(value)
        return type(value), number, {key: self._content(part) for key, part in parts.items()}

    def _parts(self, value: Any) -> dict[Any, Any] | None:
        """What lies in a value, by key; None for what is a whole. Where changes of it are seen is noted."""
        if isinstance(value, torch.Tensor):
            if not value.is_inference():
                self._tensors.append(value)
            return None
        if type(value) is dict:
            self.dicts.append(value)
            return value
        if isinstance(value, dict):
            self._others.append(value)
            return dict(dict.items(value))
        if isinstance(value, set):
            self._others.append(value)
            return {part: part for part in value}
        if isinstance(value, (*_LISTS, tuple)):
            if not isinstance(value, tuple):
                self._others.append(value)
            return dict(enumerate(value))
        if isinstance(value, torch.nn.Module):
            self.dicts.append(value.__dict__)
            return {k: v for k, v in value.__dict__.items() if k in ("_parameters", "_buffers", "_modules") or not k.startswith("_")}
        if how_to_take(value) == "object" and not is_library(type(value).__module__):
            if hasattr(value, "__dict__"):
                self.dicts.append(value.__dict__)
            if slots_of(type(value)):
                self._slotted.append(value)
            return attributes_of(value)
        return None

    def seen(self) -> bool:
        """Whether something was changed that no dict shows: lists and sets, tensors in place."""
        if self._changes is not None and self._changes.seen():
            return True
        try:
            return self._others != self._other_copies or bool(self._slotted) and list(map(attributes_of, self._slotted)) != self._slots
        except Exception:  # tensors of several elements have no truth value
            return True

    def are_same(self) -> bool:
        """Whether all objects are those that they were, and nothing was written to them but what no trace has read; False does not tell
        that something was."""
        try:
            return not self.seen() and (self.dicts == self._copies or all(map(self._is_same, range(len(self.dicts)))))
        except Exception:  # as above
            return False

    def _is_same(self, place: int) -> bool:
        """Whether all that counts in a dict is as it was; then it is the rest that is compared with from now on."""
        now, before = self.dicts[place], self._copies[place]
        if now == before:
            return True
        names = self._names_in.get(place)
        if names is None or any(now.get(name, _MISSING) is not before.get(name, _MISSING) for name in names):
            return False
        self._copies[place] = dict(now)
        return True

    def difference(self, later: Attributes) -> str:
        """An attribute of these whose content is another one later, in words; empty if there is none."""
        for place, content in self._contents.items():
            if not _equal(content, later._contents.get(place)):
                return ".".join(part for part in place if part)
        return "a tensor among plain attributes" if self._changes is not None and self._changes.seen() else ""

    def were(self, before: Attributes) -> bool:
        """Whether all attributes were known before, and their content is that of then."""
        return self._contents.keys() == before._contents.keys() and not before.difference(self)

    def again(self) -> Attributes:
        """The same attributes as they are now."""
        return Attributes(self._model, self._names, self._held)


def _copy(container: Any) -> Any:
    """What is equal to a container as long as it is not changed."""
    if isinstance(container, dict):
        return OrderedDict(container) if isinstance(container, OrderedDict) else dict(dict.items(container))
    if isinstance(container, deque):
        return deque(container, container.maxlen)
    return set(container) if isinstance(container, set) else list(container)


def _equal(a: Any, b: Any) -> bool:
    if b is None or a[0] is not b[0] and a[0] != b[0] or len(a) != len(b):
        return False
    if a[0] == "is":
        return a[1] is b[1]
    if a[0] == "=":
        return a[1] is b[1] or type(a[1]) is type(b[1]) and (a[1] == b[1] or a[1] != a[1] and b[1] != b[1])
    if a[1] != b[1]:
        return False
    return len(a) == 2 or a[2].keys() == b[2].keys() and all(_equal(content, b[2][key]) for key, content in a[2].items())
