"""The parameters and buffers of a module by their qualified names, looked up at every call without walking the module."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

import torch


class HeldTensors(MutableMapping[str, torch.Tensor]):
    """What a name means now. A name that is set, the module has from then on.

    Which dict a name lies in is remembered until ``forget``, which is due when submodules were exchanged.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        self._model = model
        self._places: dict[str, tuple[dict[str, Any], str]] = {}

    def forget(self) -> None:
        """Look names up again."""
        self._places = {}

    def place(self, target: str) -> tuple[dict[str, Any], str]:
        """The dict of a module that holds a name, and the name in there. KeyError if there is none."""
        place = self._places.get(target)
        if place is None:
            place = self._places[target] = self._place(target)
        return place

    def __getitem__(self, target: str) -> torch.Tensor:
        owner, name = self.place(target)
        return owner[name]

    def __setitem__(self, target: str, tensor: torch.Tensor) -> None:
        owner, name = self.place(target)
        owner[name] = tensor

    def _place(self, target: str) -> tuple[dict[str, Any], str]:
        path, _, name = target.rpartition(".")
        owner = self._model.get_submodule(path) if path else self._model
        for tensors in (owner._parameters, owner._buffers):
            if tensors.get(name) is not None:
                return tensors, name
        raise KeyError(target)

    def __delitem__(self, target: str) -> None:
        raise TypeError("tensors of a module are not deleted through their names")

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in (*self._model.named_parameters(), *self._model.named_buffers()))

    def __len__(self) -> int:
        return sum(1 for _ in self)
