"""Methods of a model that call the model, such as ``generate``: called on a compiled module they reach its compiled forward."""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch


class Redirection:
    """While a method of ``model`` runs, calls of the model by that thread go to ``forward`` instead; not those that ``forward`` makes."""

    def __init__(self, model: torch.nn.Module, forward: Callable[..., Any]) -> None:
        self._model, self._forward = model, forward
        self._lock, self._users = threading.Lock(), 0
        self._local = threading.local()
        self._before: Any = None

    def method(self, method: types.MethodType) -> Callable[..., Any]:
        """The same method, redirecting while it runs."""

        @functools.wraps(method)
        def redirecting(*args: Any, **kwargs: Any) -> Any:
            with self._redirected():
                return method(*args, **kwargs)

        return redirecting

    @contextmanager
    def _redirected(self) -> Iterator[None]:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._before = self._model.__dict__.get("forward")
                self._model.__dict__["forward"] = self._redirecting(self._model.forward)
        before, self._local.on = getattr(self._local, "on", False), True
        try:
            yield
        finally:
            self._local.on = before
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._put_back()

    def _put_back(self) -> None:
        if self._before is None:
            del self._model.__dict__["forward"]
        else:
            self._model.__dict__["forward"] = self._before

    def _redirecting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def forward(*args: Any, **kwargs: Any) -> Any:
            if not getattr(self._local, "on", False):
                return original(*args, **kwargs)
            with self.original():
                return self._forward(*args, **kwargs)

        return forward

    @contextmanager
    def original(self) -> Iterator[None]:
        """Inside, this thread's calls of the model are the model's own."""
        before, self._local.on = getattr(self._local, "on", False), False
        try:
            yield
        finally:
            self._local.on = before


def is_method_of(value: Any, model: torch.nn.Module) -> bool:
    """Whether a value is a method of this model that its own class, and not nn.Module, defines."""
    return isinstance(value, types.MethodType) and value.__self__ is model and not hasattr(torch.nn.Module, value.__name__)
