"""What may change between two calls of a module: tensors in place, tensors, submodules and attributes exchanged, training flags.

All of it is looked at before every call, so it must cost some ten nanoseconds per object.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable, Sequence
from operator import attrgetter, is_, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from sol.runtime.torch.change_words import DictPlaces, Words, words_of_tensors

if TYPE_CHECKING:
    from sol.runtime.torch.attributes import Attributes

_training = itemgetter("training")
_training_attribute = attrgetter("training")
_version = attrgetter("_version")
_children = attrgetter("_modules")
_bytes_of = np.ndarray.tobytes


class InPlaceChanges:
    """Were tensors changed in place since this was made?

    Inference tensors count no changes; neither are changes through ``.data`` counted.
    """

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        self._tensors = [t for t in {id(t): t for t in tensors}.values() if not t.is_inference()]
        self._versions = list(map(_version, self._tensors))
        self._words = words_of_tensors(self._tensors, self._versions) if self._tensors else None

    @property
    def in_python(self) -> list[torch.Tensor]:
        """Tensors that are asked one by one."""
        return self._tensors if self._words is None else []

    def since(self, earlier: InPlaceChanges) -> list[torch.Tensor]:
        """Tensors that were changed between when an earlier one and this one were made, both of the same tensors."""
        return [t for t, now, before in zip(self._tensors, self._versions, earlier._versions) if now != before]

    def seen(self) -> bool:
        """Whether any was changed."""
        if self._words is not None:
            return self._words.changed() != 0
        return list(map(_version, self._tensors)) != self._versions


class UncountedChanges:
    """Was the content of small tensors changed? torch updates running statistics of normalisation without counting it."""

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        self._tensors = list(tensors)
        self._views = [t.detach().view(torch.uint8).numpy() for t in self._tensors]
        self._bytes = list(map(_bytes_of, self._views))

    def since(self, earlier: UncountedChanges) -> list[torch.Tensor]:
        """Tensors that were changed between when an earlier one and this one were made, both of the same tensors."""
        return [t for t, now, before in zip(self._tensors, self._bytes, earlier._bytes) if now != before]

    def seen(self) -> bool:
        """Whether any was changed."""
        return list(map(_bytes_of, self._views)) != self._bytes


@functools.cache
def depends_on_mode(kind: type) -> bool:
    """Whether modules of a class may compute something else in training mode; of classes outside torch.nn nobody knows."""
    if not kind.__module__.startswith("torch.nn."):
        return True
    members = [m for base in kind.__mro__ if base not in (torch.nn.Module, object) for m in vars(base).values()]
    return any("training" in code.co_names for m in members if (code := getattr(m, "__code__", None)) is not None)


def _is_exported(module: torch.nn.Module) -> bool:
    """Whether torch.export made a module: its graph has one mode for good, whatever its flag says, and it refuses train() and eval()."""
    return isinstance(module, torch.fx.GraphModule) and "train" in vars(module)


class State(enum.Enum):
    """What has become of a structure. TRAINING: a module whose mode matters is in training mode."""

    SAME = enum.auto()
    CHANGED = enum.auto()
    TRAINING = enum.auto()


_SAME, _CHANGED, _TRAINING = State.SAME, State.CHANGED, State.TRAINING


class Structure:
    """The parts of a module as they are now: its submodules, which tensor each parameter and buffer name means, and plain attributes."""

    def __init__(self, model: torch.nn.Module, attributes: Attributes | None = None) -> None:
        self.attributes = attributes  # as they were
        self._loose = None if attributes is None or attributes.in_dicts else attributes
        self.modules: Sequence[torch.nn.Module] = list(model.modules())
        parents = [m for m in self.modules if m._modules]
        self._containers = [m for m in parents if hasattr(type(m), "__delitem__")]  # deleting an item makes a new dict
        self._container_items = [dict(m._modules) for m in self._containers]
        self._items: list[Any] = [d for m in self.modules for d in (m._parameters, m._buffers) if d]
        self._items += [m._modules for m in parents if m not in self._containers]
        self._copies = [dict(d) for d in self._items]
        self._place_of = {id(d): i for i, d in enumerate(self._items)}
        self._probe = next((t for t in (*model.parameters(), *model.buffers()) if t.is_floating_point()), None)
        self._dtype = None if self._probe is None else self._probe.dtype
        exported = {id(part) for m in self.modules if _is_exported(m) for part in m.modules()}
        moded = [m for m in self.modules if id(m) not in exported and (m is model or depends_on_mode(type(m)))]  # type: ignore[arg-type]
        self._flags = [vars(m) for m in moded if "training" in vars(m)]
        self._others = [m for m in moded if "training" not in vars(m)]
        self._places = self._places_now()
        self._words: Words | None = None  # as they were when all was the same

    def _places_now(self) -> DictPlaces:
        known = {*map(id, self._flags)}
        others = [d for d in self.attributes.dicts if id(d) not in known] if self.attributes is not None else []
        return DictPlaces([*self._flags, *self._items, *others], self._containers, list(map(_children, self._containers)))

    @property
    def dicts(self) -> list[dict[str, Any]]:
        """All that is looked into unless words of memory tell that it is not necessary."""
        if self._places.works and not self._others:
            return []
        children = [d for m, copy in zip(self._containers, self._container_items) for d in (vars(m), m._modules, copy)]
        return [*self._flags, *self._items, *self._copies, *children]

    def look(self) -> State:
        """What has become of it. Objects are asked only if words of memory tell that something was written to them."""
        words, loose = self._words, self._loose
        if words is not None and not words.changed() and (self._probe is None or self._probe.dtype is self._dtype):
            if loose is None or not loose.seen():
                return _SAME
        if self.training():
            return _TRAINING
        words = self._words_now()  # before asking: what is written meanwhile is seen by the next look
        places = self._places
        if self.changed():
            return _CHANGED
        self._words = None if self.training() or self._places is not places else words
        return _SAME

    def is_same(self) -> bool:
        """Whether nothing has changed, whatever the mode."""
        state = self.look()
        return state is _SAME or state is _TRAINING and not self.changed()

    def _words_now(self) -> Words | None:
        """None if modules without an attribute ``training`` are there, or items of a container are in another dict now."""
        places = self._places
        words = None if self._others else places.words()
        if all(map(is_, map(_children, self._containers), places.children)):
            return words
        self._places = self._places_now()
        return None

    def changed(self) -> bool:
        """Whether a name means another tensor or module now, the module was converted to another dtype, or a plain attribute changed."""
        if self._probe is not None and self._probe.dtype is not self._dtype:
            return True
        try:
            # lists compare items by identity first: only an exchanged tensor is ever compared by value
            if self._items != self._copies or list(map(_children, self._containers)) != self._container_items:
                return True
        except Exception:  # tensors of several elements have no truth value
            return True
        return bool(self.changed_attribute())

    def changed_attribute(self) -> str:
        """A plain attribute that is not as it was, in words; empty if all are."""
        before = self.attributes
        if before is None or before.are_same():
            return ""
        now = before.again()
        changed = before.difference(now)
        if not changed:  # equal containers in place of others: these are watched from now on
            self.attributes, self._words = now, None
            self._loose = None if now.in_dicts else now
            self._places = self._places_now()
        return changed

    def accept(self, tensors: dict[str, Any], name: str) -> None:
        """The tensor that a name means in a dict of a module is the right one from now on; other changes are seen as ever."""
        place = self._place_of.get(id(tensors))
        if place is None:
            return
        copy = self._copies[place]
        copy[name] = tensors[name]
        if self._words is not None:
            self._words.read_again(len(self._flags) + place)
            if len(tensors) != len(copy) or not all(map(is_, tensors.values(), copy.values())):  # changed by somebody else meanwhile
                self._words = None

    def training(self) -> bool:
        """Whether any module whose mode matters is in training mode."""
        return True in map(_training, self._flags) or True in map(_training_attribute, self._others)


class Unsettled:
    """Stands for the structure of a module while it is being captured: who looks must wait until that is done."""

    def __init__(self, structure: Structure) -> None:
        self.modules = structure.modules
        self.training = structure.training

    def look(self) -> State:
        """Never the same."""
        return _TRAINING if self.training() else _CHANGED

    def changed(self) -> bool:
        """Always."""
        return True

    attributes = None

    def changed_attribute(self) -> str:
        """None that is known."""
        return ""

    def accept(self, tensors: dict[str, Any], name: str) -> None:
        """Nothing: all is looked at again."""
