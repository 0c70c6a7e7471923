"""A model of `sol.optimize` where gradients are needed: forward and backward run on compiled code.

Calls in which nothing happens but functions of PyTorch on the model's tensors are recorded as a whole (`recorded_calls`). Others Dynamo
captures in pieces: it keeps track of training flags, hooks, buffers and sizes, and what lies between two pieces runs in Python, recurrent
layers among it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

from sol.config import config
from sol.errors import UnsupportedError
from sol.runtime.torch.autograd import differentiable
from sol.runtime.torch.partition import Partition
from sol.runtime.torch.pieces import Piece
from sol.runtime.torch.program import Program, Taken
from sol.runtime.torch.recorded_calls import RecordedCalls
from sol.runtime.torch.training import Habit, TrainingGraph


class Trainer(Partition):
    """The pieces of one model that compute gradients."""

    def __init__(self, model: torch.nn.Module, isa: str | None, threads: int | None) -> None:
        super().__init__(model, isa, threads, UnsupportedError("gradients are needed"))
        self.habit = Habit()
        self._recorded = RecordedCalls(model, self._of_record, self._forget)

    def __call__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's result, recorded as a whole or captured in pieces when calls of its kind are first met."""
        run = self._recorded.find(args, kwargs)
        return super().__call__(args, kwargs) if run is None else run()

    def _of_record(self, module: fx.GraphModule, example_inputs: Sequence[Any]) -> Piece:
        self.pieces.append(self._piece(module, example_inputs))
        return self.pieces[-1]

    def _forget(self, pieces: Sequence[Piece]) -> None:
        self.pieces = [p for p in self.pieces if p not in pieces]

    def _piece(self, module: fx.GraphModule, example_inputs: Sequence[Any]) -> Piece:
        return Piece(module, example_inputs, self._options, habit=Habit(saves=True, whole=self.habit))

    @property
    def is_torchs(self) -> bool:
        """Whether the whole model trains in torch as ``config["training"]`` says; what "auto" means is known from the first call on."""
        knob = config["training"]  # once: a call of a small model takes tens of microseconds
        if knob == "auto":
            return bool(self.pieces) and all(p.gradients.reason for p in self.pieces)
        return bool(knob == "torch")

    @property
    def graphs(self) -> list[TrainingGraph]:
        """The forward and backward graphs of all pieces for all kinds of calls so far."""
        return [graph for piece in self.pieces for _, kind in piece.gradients.variants for graph in kind.graphs]

    def again(self, *args: Any, **kwargs: Any) -> Any:
        """A call for a backward pass that came for one that kept nothing."""
        self.habit.backward()
        return self(args, kwargs)


def with_gradients(
    model: torch.nn.Module, trainer: Trainer, program: Program, taken: Taken, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:  # fmt: skip
    """A call in eval mode of a model some of whose inputs or parameters need gradients."""
    if trainer.is_torchs:
        return differentiable(model, model, program, taken, args, kwargs)
    if trainer.habit.saves:
        trainer.habit.forward()
        return trainer(args, kwargs)
    return differentiable(trainer.again, model, program, taken, args, kwargs)
