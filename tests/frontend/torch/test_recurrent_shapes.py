"""Recurrent layers are captured for any length: two programs serve all of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import sol


class Tagger(nn.Module):
    """A recurrent layer among others, on ``[B, T, 8]``."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer, self.head = layer, nn.Linear(layer.hidden_size * (1 + layer.bidirectional), 3)  # type: ignore[operator]

    def forward(self, x: torch.Tensor) -> Any:
        y, state = self.layer(torch.tanh(x))
        return self.head(y).argmax(-1), y, state


LAYERS = {
    "lstm": lambda: nn.LSTM(8, 5, 2, batch_first=True, bidirectional=True),
    "lstm without bias": lambda: nn.LSTM(8, 16, bias=False),
    "gru": lambda: nn.GRU(8, 6, 2, batch_first=True),
    "rnn": lambda: nn.RNN(8, 4, nonlinearity="relu", batch_first=True, bidirectional=True),
    "projection": lambda: nn.LSTM(8, 6, proj_size=3),
}


@pytest.mark.parametrize("name", LAYERS)
def test_lengths(name: str) -> None:
    layer = LAYERS[name]()
    model = Tagger(layer) if layer.batch_first else layer
    model.eval()
    fast = sol.optimize(model, [torch.rand(2, 5, 8)])
    for length in (5, 6, 7, 2, 12, 33):
        x = torch.rand((2, length, 8) if layer.batch_first else (length, 2, 8))
        ours, theirs = fast(x), model(x)
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
        tensor = 1 if layer.batch_first else 0
        assert ours[tensor].stride() == theirs[tensor].stride()
    assert len(fast._programs) <= 2


def test_what_torch_refuses() -> None:
    with pytest.raises(RuntimeError, match="does not take inputs"):
        sol.optimize(lambda x, h, w: torch.gru(x, h, [w, w], False, 1, 0.0, False, False, False),
                     [torch.rand(4, 2, 7), torch.rand(1, 2, 6), torch.rand(18, 6)])  # fmt: skip


def test_traces_of_others_are_as_before() -> None:
    """Outside of a capture torch's own way to trace recurrent layers is in place."""
    kernels = dict(torch.ops.aten.lstm.input.py_kernels)
    sol.optimize(nn.LSTM(8, 5).eval(), [torch.rand(4, 2, 8)])
    assert torch.ops.aten.lstm.input.py_kernels == kernels
