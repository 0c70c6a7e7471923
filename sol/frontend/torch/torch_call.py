"""An operation that runs in torch, as the graph's ``torch_call`` nodes mean it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from sol.frontend.imported import Filler
from sol.frontend.torch.layouts import Layout

_NUMBERS = {float: torch.float64, complex: torch.complex128}


@dataclass(frozen=True)
class TorchCall:
    """An operation that runs in torch.

    args, kwargs: template in which `Slot` stands for an input tensor of the node and `Dim` for a size.
    outputs: positions in the operation's results that the node's outputs stand for; numbers become 0-d tensors. several: whether the
    operation has a tuple or list of results. layouts: how eager torch would have laid out the input tensors, for an operation that reads
    that; None for those that may lie as they do.
    """

    name: str
    target: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    outputs: tuple[int, ...]
    several: bool = False
    layouts: tuple[Layout | None, ...] = ()

    def __call__(self, tensors: Sequence[torch.Tensor], symbols: Mapping[str, int] | None = None) -> tuple[torch.Tensor, ...]:
        """Run on the node's input tensors and the current sizes; the node's outputs in order."""
        if self.layouts:
            tensors = [t if layout is None else layout.laid_out(t) for t, layout in zip(tensors, self.layouts)]
        fill = Filler(tensors, symbols or {})
        result = self.target(*fill(self.args), **fill(dict(self.kwargs)))
        flat = result if self.several else (result,)
        return tuple([v if isinstance(v := flat[i], torch.Tensor) else as_tensor(v) for i in self.outputs])


def as_tensor(number: complex) -> torch.Tensor:
    """A Python number as the graph has it, whatever torch's default dtype is."""
    return torch.tensor(number, dtype=_NUMBERS.get(type(number)))
