"""Recurrent cells scanned over time. The input projection is a linear before the scan: one product for all steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import op
from sol.ir.ops.infer import need, need_float, need_operands, need_shape, same_dtype
from sol.ir.types import TensorType


def _check(operands: Sequence[TensorType], gates: int, states: int, bias: bool) -> tuple[TensorType, TensorType]:
    """Types of y[T,B,H] and of one final state [B,H]."""
    need_operands(operands, 2 + bias + states)
    x, w = operands[:2]
    need_float(*operands)
    dtype = same_dtype(operands)
    need(x.rank == 3 and w.rank == 2, f"takes gates_x[T,B,{gates}H] and w_hh[{gates}H,H], got {x} and {w}")
    steps, batch, width = x.shape
    hidden = w.shape[1]
    need_shape(w, (gates * hidden, hidden), "w_hh")
    need(width == gates * hidden, f"{x} needs {gates} gates of {hidden} in its last dimension")
    if bias:
        need_shape(operands[2], (gates * hidden,), "b_hh")
    for state in operands[2 + bias :]:
        need_shape(state, (batch, hidden), "an initial state")
    return TensorType(dtype, (steps, batch, hidden)), TensorType(dtype, (batch, hidden))


def _infer_lstm(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    y, state = _check(operands, 4, 2, False)
    return y, state, state


def _infer_gru(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    return _check(operands, 3, 1, True)


def _infer_rnn(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need(attrs["nonlinearity"] in ("tanh", "relu"), f"nonlinearity {attrs['nonlinearity']} is neither tanh nor relu")
    return _check(operands, 1, 1, False)


def _steps(count: int, reverse: bool) -> Iterator[int]:
    return iter(reversed(range(count)) if reverse else range(count))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-x))


@op("lstm_scan", "dnn", _infer_lstm, reverse=False)
def lstm_scan(
    attrs: Attrs, gates_x: np.ndarray, w_hh: np.ndarray, h: np.ndarray, c: np.ndarray
) -> tuple[np.ndarray, ...]:
    """y[T,B,H], h[B,H], c[B,H] of an LSTM with gates i, f, g, o (Hochreiter & Schmidhuber 1997).

    Both biases are in gates_x.
    """
    y = np.empty((*gates_x.shape[:2], w_hh.shape[1]), gates_x.dtype)
    for t in _steps(len(y), attrs["reverse"]):
        i, f, g, o = np.split(gates_x[t] + h @ w_hh.T, 4, axis=-1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        h = y[t] = _sigmoid(o) * np.tanh(c)
    return y, h, c


@op("gru_scan", "dnn", _infer_gru, reverse=False)
def gru_scan(
    attrs: Attrs, gates_x: np.ndarray, w_hh: np.ndarray, b_hh: np.ndarray, h: np.ndarray
) -> tuple[np.ndarray, ...]:
    """y[T,B,H], h[B,H] of a GRU with gates r, z, n (Cho et al. 2014; reset after the product, as in torch)."""
    y = np.empty((*gates_x.shape[:2], w_hh.shape[1]), gates_x.dtype)
    for t in _steps(len(y), attrs["reverse"]):
        xr, xz, xn = np.split(gates_x[t], 3, axis=-1)
        hr, hz, hn = np.split(h @ w_hh.T + b_hh, 3, axis=-1)
        z = _sigmoid(xz + hz)
        n = np.tanh(xn + _sigmoid(xr + hr) * hn)
        h = y[t] = (1.0 - z) * n + z * h
    return y, h


@op("rnn_scan", "dnn", _infer_rnn, reverse=False, nonlinearity="tanh")
def rnn_scan(attrs: Attrs, gates_x: np.ndarray, w_hh: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, ...]:
    """y[T,B,H], h[B,H] of an Elman network; both biases are in gates_x."""
    y = np.empty((*gates_x.shape[:2], w_hh.shape[1]), gates_x.dtype)
    for t in _steps(len(y), attrs["reverse"]):
        pre = gates_x[t] + h @ w_hh.T
        h = y[t] = np.tanh(pre) if attrs["nonlinearity"] == "tanh" else np.maximum(pre, 0)
    return y, h
