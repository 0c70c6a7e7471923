"""Recurrent scans against torch's modules, both directions."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.errors import TypeInferenceError
from sol.ir.types import DType, TensorType
from tests.ops.reference import one_op_graph, randn, run_op

STEPS, BATCH, WIDTH, HIDDEN = 5, 3, 4, 6


def torch_direction(module: torch.nn.Module, reverse: bool) -> list[torch.Tensor]:
    suffix = "_reverse" if reverse else ""
    return [getattr(module, f"{n}_l0{suffix}").detach() for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def run_torch(module: torch.nn.Module, x: np.ndarray, states: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    packed = [torch.from_numpy(np.stack([s, s])) for s in states]
    with torch.no_grad():
        y, final = module(torch.from_numpy(x), tuple(packed) if len(packed) == 2 else packed[0])
    return y.numpy(), [f.numpy() for f in (final if isinstance(final, tuple) else (final,))]


@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("kind", ("lstm", "gru", "tanh", "relu"))
def test_scan(kind: str, reverse: bool) -> None:
    classes = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
    options = {} if kind in classes else {"nonlinearity": kind}
    module = classes.get(kind, torch.nn.RNN)(WIDTH, HIDDEN, bidirectional=True, **options).double()
    w_ih, w_hh, b_ih, b_hh = (t.numpy() for t in torch_direction(module, reverse))
    x, states = randn(STEPS, BATCH, WIDTH), [randn(BATCH, HIDDEN) for _ in range(2 if kind == "lstm" else 1)]
    if kind == "gru":
        ours = run_op("gru_scan", x @ w_ih.T + b_ih, w_hh, b_hh, *states, reverse=reverse)
    else:
        op = "lstm_scan" if kind == "lstm" else "rnn_scan"
        ours = run_op(op, x @ w_ih.T + b_ih + b_hh, w_hh, *states, reverse=reverse, **options)
    y, finals = run_torch(module, x, states)
    np.testing.assert_allclose(ours[0], y[..., HIDDEN * reverse : HIDDEN * (reverse + 1)], rtol=1e-11, atol=1e-12)
    assert len(ours) == 1 + len(finals)
    for mine, theirs in zip(ours[1:], finals):
        np.testing.assert_allclose(mine, theirs[int(reverse)], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(
    ("op", "shapes", "message"),
    [
        ("lstm_scan", [(5, 3, 20), (24, 6), (3, 6), (3, 6)], "gates"),
        ("lstm_scan", [(5, 3, 24), (24, 5), (3, 6), (3, 6)], "w_hh"),
        ("gru_scan", [(5, 3, 18), (18, 6), (6,), (3, 6)], "b_hh"),
        ("rnn_scan", [(5, 3, 6), (6, 6), (2, 6)], "initial state"),
        ("rnn_scan", [(5, 3, 6), (6, 6)], "takes 3"),
    ],
)
def test_misfits(op: str, shapes: list, message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph(op, [TensorType(DType.F32, s) for s in shapes])
