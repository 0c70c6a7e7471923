"""The torch.compile backend ``sol``: graphs that Dynamo captures become compiled pieces when they are first called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from sol.config import checked_threads
from sol.errors import ConfigError
from sol.runtime.torch.device_piece import DevicePiece, device_of
from sol.runtime.torch.pieces import Piece

torch._dynamo.config.allow_rnn = True  # else Dynamo leaves LSTM, GRU and RNN out of every graph; a backend has no other say in that


def sol_backend(module: fx.GraphModule, example_inputs: Sequence[Any], **options: Any) -> Callable[..., Any]:
    """Backend of ``torch.compile(model, backend="sol", options={...})``; compiles at the first call.

    options: isa and threads, as for ``sol.optimize``.
    """
    given = {**(options.pop("options", None) or {}), **options}
    unknown = set(given) - {"isa", "threads"}
    if unknown:
        raise ConfigError(f"unknown options {sorted(unknown)}", remedy="the options are isa and threads")
    checked_threads(given.get("threads"), "to follow torch")
    device = device_of(module, example_inputs)
    return Piece(module, example_inputs, given) if device is None else DevicePiece(module, example_inputs, given, device)
