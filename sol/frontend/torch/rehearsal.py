"""A run of a model in torch that leaves everything as it was, to learn whether it takes its inputs at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from sol.frontend.torch.capture import take_call
from sol.frontend.torch.state import PythonState
from sol.frontend.torch.trees import Maker


def rehearse(model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], run: Callable[..., Any] | None = None) -> Any:
    """The model's result on copies of the inputs. Buffers, Python's state and random numbers are as before; errors are the model's.

    run: what is called instead of the model, of which it changes the state.
    """
    args, kwargs = copied(args, kwargs)
    state, random = PythonState(model), torch.get_rng_state()
    buffers = [(m, name, t, t.clone()) for m in model.modules() for name, t in m._buffers.items() if t is not None]
    try:
        with torch.no_grad():
            return (run or model)(*args, **kwargs)
    finally:
        with torch.no_grad():
            for module, name, tensor, content in buffers:
                module._buffers[name] = tensor.copy_(content) if not tensor.is_inference() else tensor
        state.restore()
        torch.set_rng_state(random)


def copied(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same arguments with tensors and containers of their own."""
    call = take_call(args, kwargs)
    return Maker([leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in call.leaves])(call.tree)
