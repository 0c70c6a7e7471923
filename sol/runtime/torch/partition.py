"""A model that torch.export cannot capture whole, captured by Dynamo in pieces: what lies between them runs in Python as ever.

Sizes that change from call to call Dynamo leaves open, except in models that resample images, where torch takes minutes over a size
computed from others through floats: these are captured for each size. A model that is captured again and again runs in torch in the end,
and so does one of which nothing can be captured.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx

from sol.config import config
from sol.runtime.torch.pieces import Piece

log = logging.getLogger("sol.runtime")
_SETTINGS = {
    "allow_rnn": True,  # else Dynamo leaves LSTM, GRU and RNN out of every graph
    "suppress_errors": True,  # what Dynamo fails on runs in Python
    "recompile_limit": 64,  # modules of one class share the code that Dynamo counts for
    "accumulated_recompile_limit": 4096,
    "record_runtime_overhead": False,  # which takes as long as a small piece
    "automatic_dynamic_shapes": True,
    "allow_unspec_int_on_nn_module": True,  # else a module that counts its calls is captured at each of them
}
FRUITLESS = 4  # calls of which Dynamo captured nothing, after which it is asked no more: its checks take longer than a small model
FEW_KINDS = 4  # kinds of calls that are captured where each size is captured by itself
_RESAMPLING = ("interpolate", "upsample", "grid_sample", "affine_grid")


class Partition:
    """The pieces of one model. reason: why it is not compiled whole."""

    _made: _Dynamo | None = None

    def __init__(self, model: torch.nn.Module, isa: str | None, threads: int | None, reason: BaseException) -> None:
        self._model, self.reason = model, reason
        self._options = {"isa": isa, "threads": threads}
        self.pieces: list[Piece] = []
        self._captures = 0  # calls that were captured
        self._fruitless = 0  # calls of which nothing was captured, as long as nothing ever was

    def _backend(self, module: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
        """What Dynamo gives its graphs to."""
        piece = self._piece(module, example_inputs)
        self.pieces.append(piece)
        if _resamples(module):
            self._capturing.fix_sizes()
        return piece

    def _piece(self, module: fx.GraphModule, example_inputs: Sequence[Any]) -> Piece:
        return Piece(module, example_inputs, self._options)

    @property
    def _capturing(self) -> _Dynamo:
        """Made at the first call: many models are never called with gradients, and to import all of Dynamo takes tenths of a second."""
        return self._made or self.__dict__.setdefault("_made", _Dynamo(self._backend))  # the same one for threads that call at once

    def __call__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's result, its pieces compiled when they are first met."""
        if self._fruitless >= FRUITLESS:  # threads that call at once may count beyond it
            return self._model(*args, **kwargs)
        dynamo = self._capturing
        if self._captures >= self._limit:
            with torch.compiler.set_stance("eager_on_recompile"):
                return dynamo.function(self._model, args, kwargs)
        count, leave = len(self.pieces), dynamo.enter()
        try:
            return dynamo.function(self._model, args, kwargs)
        finally:
            leave()
            if len(self.pieces) > count:
                self._count()
            elif not self.pieces:
                self._count_fruitless()

    @property
    def _limit(self) -> int:
        """How many calls may be captured."""
        limit: int = config["recompile_limit"]
        return limit if self._capturing.opens_sizes else min(limit, FEW_KINDS)

    def _count(self) -> None:
        """Another call was captured."""
        self._captures += 1
        if self._captures == self._limit:
            log.warning("%s was captured for %d kinds of calls: others run in torch", type(self._model).__name__, self._captures)

    def _count_fruitless(self) -> None:
        """Nothing was captured of another call, nor of any before."""
        self._fruitless += 1
        if self._fruitless == FRUITLESS:
            log.info("%s runs in torch: nothing of %d calls could be captured", type(self._model).__name__, FRUITLESS)

    @property
    def compiled(self) -> list[Piece]:
        """Pieces that run compiled code."""
        return [p for p in self.pieces if p.variants]


class _Dynamo:
    """Dynamo with a backend. function: calls a model through it. enter: sets its knobs, and gives a function that sets them back."""

    def __init__(self, backend: Callable[..., Any]) -> None:
        self._settings = {name: value for name, value in _SETTINGS.items() if hasattr(torch._dynamo.config, name)}
        self.enter = _patcher(self._settings)
        self.function = _optimizer(backend)(_call)

    @property
    def opens_sizes(self) -> bool:
        """Whether sizes that change from call to call are left open."""
        return bool(self._settings.get("automatic_dynamic_shapes"))

    def fix_sizes(self) -> None:
        """Capture each size by itself from now on, this call too."""
        if self.opens_sizes:
            self._settings["automatic_dynamic_shapes"] = torch._dynamo.config.automatic_dynamic_shapes = False
            self.enter = _patcher(self._settings)


def _call(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return model(*args, **kwargs)


def _optimizer(backend: Callable[..., Any]) -> Callable[..., Any]:
    """Dynamo with this backend, its compiled code kept apart from that of others where torch can do that."""
    optimize = torch._dynamo.optimize
    apart = {"isolate_recompiles": True} if "isolate_recompiles" in inspect.signature(optimize).parameters else {}
    return optimize(backend, **apart)


def _resamples(module: fx.GraphModule) -> bool:
    """Whether a piece resamples images."""
    names = [getattr(n.target, "__name__", str(n.target)) for n in module.graph.nodes if n.op.startswith("call_")]
    return any(name.startswith(_RESAMPLING) for name in names)


def _patcher(settings: Mapping[str, Any]) -> Callable[[], Callable[[], Any]]:
    """A function that sets knobs of Dynamo and gives one that sets them back."""
    patcher = getattr(torch._dynamo.config, "_make_closure_patcher", None)
    if patcher is not None:
        return patcher(**settings)

    def enter() -> Callable[[], Any]:
        patch = torch._dynamo.config.patch(dict(settings))
        patch.__enter__()
        return lambda: patch.__exit__(None, None, None)

    return enter
