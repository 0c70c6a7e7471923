"""The recurrent layer with all options against torch's modules where those have the option."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.ir.ops.recurrent import ACTIVATIONS
from tests.ops.reference import randn, run_op

STEPS, BATCH, HIDDEN = 5, 3, 4
SIGMOID, TANH = ("sigmoid", 0.0, 0.0), ("tanh", 0.0, 0.0)
USUAL = {"lstm": (SIGMOID, TANH, TANH), "gru": (SIGMOID, TANH), "rnn": (TANH,)}
GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def operands(cell: str, lengths: list[int]) -> list[np.ndarray]:
    gates = GATES[cell] * HIDDEN
    arrays = [randn(STEPS, BATCH, gates), randn(gates, HIDDEN), randn(gates), randn(BATCH, HIDDEN)]
    if cell == "lstm":
        arrays += [randn(BATCH, HIDDEN), np.zeros(3 * HIDDEN)]
    return [*arrays, np.array(lengths)]


@pytest.mark.parametrize("cell", GATES)
@pytest.mark.parametrize("reverse", [False, True])
def test_usual_options_are_the_scan(cell: str, reverse: bool) -> None:
    x, w, b, *rest = operands(cell, [STEPS] * BATCH)
    states = rest[: 2 if cell == "lstm" else 1]
    ours = run_op("recurrence", x, w, b, *rest, cell=cell, activations=USUAL[cell], reverse=reverse, reset_after=True)
    scan = (x, w, b, *states) if cell == "gru" else (x + b, w, *states)
    for mine, other in zip(ours, run_op(f"{cell}_scan", *scan, reverse=reverse), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("reverse", [False, True])
def test_lengths_are_those_of_a_packed_sequence(reverse: bool) -> None:
    lengths = [2, 5, 4]
    module = torch.nn.LSTM(3, HIDDEN, bidirectional=True).double()
    x = torch.from_numpy(randn(STEPS, BATCH, 3))
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=False)
    with torch.no_grad():
        y, (h, c) = module(packed)
        y, _ = torch.nn.utils.rnn.pad_packed_sequence(y)
    suffix = "_l0_reverse" if reverse else "_l0"
    w_ih, w_hh, b_ih, b_hh = (getattr(module, n + suffix).detach().numpy() for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    zeros = np.zeros((BATCH, HIDDEN))
    ours = run_op("recurrence", x.numpy() @ w_ih.T + b_ih, w_hh, b_hh, zeros, zeros, np.zeros(3 * HIDDEN), np.array(lengths),
                  cell="lstm", activations=USUAL["lstm"], reverse=reverse)  # fmt: skip
    half = slice(HIDDEN, None) if reverse else slice(HIDDEN)
    for mine, other in zip(ours, (y[..., half], h[int(reverse)], c[int(reverse)])):
        np.testing.assert_allclose(mine, other.numpy(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_of_one_step(name: str) -> None:
    x = randn(1, 2, 3)
    functions = {
        "tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu, "affine": lambda v: 0.3 * v + 0.7,
        "leaky_relu": lambda v: torch.nn.functional.leaky_relu(v, 0.3), "thresholded_relu": lambda v: torch.where(v >= 0.3, v, 0),
        "scaled_tanh": lambda v: 0.3 * torch.tanh(0.7 * v), "hard_sigmoid": lambda v: (0.3 * v + 0.7).clamp(0, 1),
        "elu": lambda v: torch.nn.functional.elu(v, 0.3), "softsign": torch.nn.functional.softsign,
        "softplus": torch.nn.functional.softplus,
    }  # fmt: skip
    arrays = (x, np.zeros((3, 3)), np.zeros(3), np.zeros((2, 3)), np.array([1, 1]))
    y, _ = run_op("recurrence", *arrays, cell="rnn", activations=((name, 0.3, 0.7),))
    np.testing.assert_allclose(y[0], functions[name](torch.from_numpy(x[0])).numpy(), rtol=1e-7, atol=1e-9)
