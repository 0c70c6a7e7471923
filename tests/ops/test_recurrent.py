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


@pytest.mark.parametrize("reverse", (False, True))
@pytest.mark.parametrize("kind", ("lstm", "gru", "tanh", "relu"))
def test_gradients(kind: str, reverse: bool) -> None:
    """Those of gates and states, from which all others follow: of the input, of weights and of biases."""
    classes = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
    options = {} if kind in classes else {"nonlinearity": kind}
    module = classes.get(kind, torch.nn.RNN)(WIDTH, HIDDEN, bidirectional=True, **options).double()
    w_ih, w_hh, b_ih, b_hh = (t.numpy() for t in torch_direction(module, reverse))
    x, states = randn(STEPS, BATCH, WIDTH), [randn(BATCH, HIDDEN) for _ in range(2 if kind == "lstm" else 1)]
    dy, finals = randn(STEPS, BATCH, HIDDEN), [randn(BATCH, HIDDEN) for _ in states]

    given = torch.from_numpy(x).requires_grad_()
    packed = [torch.from_numpy(np.stack([s, s])).requires_grad_() for s in states]
    y, last = module(given, tuple(packed) if kind == "lstm" else packed[0])
    last = last if isinstance(last, tuple) else (last,)
    part = slice(HIDDEN * reverse, HIDDEN * (reverse + 1))
    loss = (y[..., part] * torch.from_numpy(dy)).sum() + sum((a[int(reverse)] * torch.from_numpy(b)).sum() for a, b in zip(last, finals))
    loss.backward()

    bias = (b_ih,) if kind == "gru" else (b_ih + b_hh,)
    gates, attrs = x @ w_ih.T + bias[0], {"reverse": reverse, **options}
    if kind == "lstm":
        y, _, _, kept, cells = run_op("lstm_scan", gates, w_hh, *states, keeps=True, **attrs)
        ours = run_op("lstm_scan_grad", kept, w_hh, cells, states[1], dy, *finals, **attrs)
        in_state = ours[0]
    elif kind == "gru":
        y, _, kept = run_op("gru_scan", gates, w_hh, b_hh, *states, keeps=True, **attrs)
        ours = run_op("gru_scan_grad", kept, w_hh, y, states[0], dy, *finals, **attrs)
        in_state, ours = ours[1], (ours[0], ours[2])
    else:
        y, _ = run_op("rnn_scan", gates, w_hh, *states, **attrs)
        ours = run_op("rnn_scan_grad", y, w_hh, dy, *finals, **attrs)
        in_state = ours[0]
    before = np.concatenate((y[1:], states[0][None]) if reverse else (states[0][None], y[:-1]))
    suffix = "_reverse" if reverse else ""
    wanted = {n: getattr(module, f"{n}_l0{suffix}").grad.numpy() for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
    found = {
        "weight_ih": np.einsum("tbg,tbi->gi", ours[0], x), "weight_hh": np.einsum("tbg,tbh->gh", in_state, before),
        "bias_ih": ours[0].sum((0, 1)), "bias_hh": in_state.sum((0, 1)),
    }  # fmt: skip
    for name, gradient in wanted.items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-10, atol=1e-11, err_msg=name)
    np.testing.assert_allclose(ours[0] @ w_ih, given.grad.numpy(), rtol=1e-10, atol=1e-11)
    for mine, state in zip(ours[1:], packed, strict=True):
        np.testing.assert_allclose(mine, state.grad.numpy()[int(reverse)], rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize(
    ("op", "shapes", "message"),
    [
        ("lstm_scan", [(5, 3, 20), (24, 6), (3, 6), (3, 6)], "gates"),
        ("lstm_scan", [(5, 3, 24), (24, 5), (3, 6), (3, 6)], "w_hh"),
        ("gru_scan", [(5, 3, 18), (18, 6), (6,), (3, 6)], "b_hh"),
        ("rnn_scan", [(5, 3, 6), (6, 6), (2, 6)], "initial state"),
        ("rnn_scan", [(5, 3, 6), (6, 6)], "takes 3"),
        ("lstm_scan_grad", [(5, 3, 18), (24, 6), (5, 3, 6), (3, 6), (5, 3, 6), (3, 6), (3, 6)], "4 values"),
        ("gru_scan_grad", [(5, 3, 24), (24, 6), (5, 3, 6), (3, 6), (5, 3, 6), (3, 6)], "w_hh"),
        ("rnn_scan_grad", [(5, 3, 6), (6, 6), (5, 3, 7), (3, 6)], "a gradient"),
    ],
)
def test_misfits(op: str, shapes: list, message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph(op, [TensorType(DType.F32, s) for s in shapes])
