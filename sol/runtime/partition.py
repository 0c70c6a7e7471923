"""A model that torch.export cannot capture whole, captured by Dynamo in pieces: what lies between them runs in Python as ever."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx

from sol.runtime.pieces import Piece

log = logging.getLogger("sol.runtime")
_SETTINGS = {
    "allow_rnn": True,  # else Dynamo leaves LSTM, GRU and RNN out of every graph
    "suppress_errors": True,  # what Dynamo fails on runs in Python
    "recompile_limit": 64,  # modules of one class share the code that Dynamo counts for
    "accumulated_recompile_limit": 4096,
}


class Partition:
    """The pieces of one model. reason: why it is not compiled whole."""

    def __init__(self, model: torch.nn.Module, isa: str | None, threads: int | None, reason: BaseException) -> None:
        self._model, self.reason = model, reason
        self._options = {"isa": isa, "threads": threads}
        self.pieces: list[Piece] = []
        self._enter = _patcher()
        self._function = _optimizer(self._backend)(_call)

    def _backend(self, module: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
        """What Dynamo gives its graphs to."""
        piece = Piece(module, example_inputs, self._options, differentiates=True)
        self.pieces.append(piece)
        return piece

    def __call__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's result, its pieces compiled when they are first met."""
        leave = self._enter()
        try:
            return self._function(self._model, args, kwargs)
        finally:
            leave()

    @property
    def compiled(self) -> list[Piece]:
        """Pieces that run compiled code."""
        return [p for p in self.pieces if p.variants]


def _call(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return model(*args, **kwargs)


def _optimizer(backend: Callable[..., Any]) -> Callable[..., Any]:
    """Dynamo with this backend, its compiled code kept apart from that of others where torch can do that."""
    optimize = torch._dynamo.optimize
    apart = {"isolate_recompiles": True} if "isolate_recompiles" in inspect.signature(optimize).parameters else {}
    return optimize(backend, **apart)


def _patcher() -> Callable[[], Callable[[], Any]]:
    """A function that sets Dynamo's knobs and gives one that sets them back."""
    known = {name: value for name, value in _SETTINGS.items() if hasattr(torch._dynamo.config, name)}
    patcher = getattr(torch._dynamo.config, "_make_closure_patcher", None)
    if patcher is not None:
        return patcher(**known)

    def enter() -> Callable[[], Any]:
        patch = torch._dynamo.config.patch(dict(known))
        patch.__enter__()
        return lambda: patch.__exit__(None, None, None)

    return enter
