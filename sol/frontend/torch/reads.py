"""Which attributes of a model's modules a trace reads: a graph of tensors holds for them as they were."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

OWN = frozenset(dir(torch.nn.Module())) - {"forward"}
"""Attributes and methods of torch.nn.Module itself."""
_HOOK, _CALLED = "__getattribute__", "_call_impl"
_mutex = threading.RLock()  # classes are changed for a while


class Reads:
    """Names of attributes that traces have read, by the path of the module; also of modules that were called and read none.

    version: how often there were new ones.
    """

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}
        self.version = 0

    def note(self, path: str, name: str) -> None:
        """An attribute of a module was read, or the module was called."""
        if path not in self.names:
            self.names[path] = set()
            self.version += 1
        names = self.names[path]
        if name not in OWN and name not in names:
            names.add(name)
            self.version += 1


@contextmanager
def noting_reads(model: torch.nn.Module, reads: Reads) -> Iterator[None]:
    """Inside, attributes are noted that are looked up in a module by its dot: those of instances, of classes, and what properties read."""
    with _mutex:
        paths = {id(module): path for path, module in model.named_modules()}
        kinds = {type(module) for module in model.modules()}
        instead = [(kind, vars(kind).get(_HOOK), _noting(kind, paths, reads)) for kind in kinds]
        for kind, _, function in instead:
            setattr(kind, _HOOK, function)
        try:
            yield
        finally:
            for kind, own, _ in instead:
                if own is None:
                    delattr(kind, _HOOK)
                else:
                    setattr(kind, _HOOK, own)


def _noting(kind: type, paths: dict[int, str], reads: Reads) -> Callable[[Any, str], Any]:
    real: Any = kind.__getattribute__

    def noting(self: Any, name: str) -> Any:
        if name not in OWN or name == _CALLED:
            path = paths.get(id(self))
            if path is not None and not (path == "" and name == "forward"):  # that of the model changes while its methods run
                reads.note(path, name)
        return real(self, name)

    return noting
