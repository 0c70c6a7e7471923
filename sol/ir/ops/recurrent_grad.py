"""Gradients of recurrent cells scanned over time. Those of weights are products of all steps at once, beside the scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import op
from sol.ir.ops.infer import need, need_float, need_operands, need_shape, same_dtype
from sol.ir.types import TensorType


def _check(operands: Sequence[TensorType], count: int, gates: int, kept: int) -> tuple[TensorType, TensorType]:
    """Types of the gradient of gates_x[T,B,G*H] and of that of one initial state [B,H].

    kept: values per hidden unit in the first operand.
    """
    need_operands(operands, count)
    need_float(*operands)
    dtype = same_dtype(operands)
    first, w = operands[:2]
    need(first.rank == 3 and w.rank == 2, f"takes kept values[T,B,{kept}H] and w_hh[{gates}H,H], got {first} and {w}")
    steps, batch, width = first.shape
    hidden = w.shape[1]
    need_shape(w, (gates * hidden, hidden), "w_hh")
    need(width == kept * hidden, f"{first} needs {kept} values for each of {hidden} units in its last dimension")
    for value in operands[2:]:
        shape = (steps, batch, hidden) if value.rank == 3 else (batch, hidden)
        need_shape(value, shape, "a state or a gradient")
    return TensorType(dtype, (steps, batch, gates * hidden)), TensorType(dtype, (batch, hidden))


def _infer_lstm(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    gates, state = _check(operands, 7, 4, 4)
    return gates, state, state


def _infer_gru(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    gates, state = _check(operands, 6, 3, 4)
    return gates, gates, state


def _infer_rnn(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need(attrs["nonlinearity"] in ("tanh", "relu"), f"nonlinearity {attrs['nonlinearity']} is neither tanh nor relu")
    return _check(operands, 4, 1, 1)


def _backwards(count: int, reverse: bool) -> Iterator[tuple[int, int]]:
    """Steps from the last that the scan took to the first, each with the one before it (-1: there is none)."""
    order = [*reversed(range(count))] if reverse else [*range(count)]
    return zip(reversed(order), [*reversed(order[:-1]), -1])


@op("lstm_scan_grad", "dnn", _infer_lstm, reverse=False)
def lstm_scan_grad(
    attrs: Attrs, gates: np.ndarray, w_hh: np.ndarray, cells: np.ndarray, c0: np.ndarray, dy: np.ndarray, dh: np.ndarray, dc: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Gradients of gates_x[T,B,4H], h[B,H] and c[B,H] of ``lstm_scan`` (back-propagation through time, Werbos 1990).

    gates[T,B,4H], cells[T,B,H]: what the scan kept. dy[T,B,H], dh[B,H], dc[B,H]: gradients of its results.
    """
    found = np.empty_like(gates)
    for t, before in _backwards(len(gates), attrs["reverse"]):
        i, f, g, o = np.split(gates[t], 4, axis=-1)
        previous, squashed = cells[before] if before >= 0 else c0, np.tanh(cells[t])
        dh = dh + dy[t]
        dc = dc + dh * o * (1.0 - squashed**2)
        parts = (dc * g * i * (1.0 - i), dc * previous * f * (1.0 - f), dc * i * (1.0 - g**2), dh * squashed * o * (1.0 - o))
        found[t] = np.concatenate(parts, axis=-1)
        dc, dh = dc * f, found[t] @ w_hh
    return found, dh, dc


@op("gru_scan_grad", "dnn", _infer_gru, reverse=False)
def gru_scan_grad(
    attrs: Attrs, gates: np.ndarray, w_hh: np.ndarray, y: np.ndarray, h0: np.ndarray, dy: np.ndarray, dh: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Gradients of gates_x[T,B,3H], of ``w_hh h + b_hh``[T,B,3H] at each step, and of h[B,H] of ``gru_scan``.

    gates[T,B,4H]: what the scan kept. y[T,B,H]: its result. dy[T,B,H], dh[B,H]: gradients of its results.
    """
    dx, dg = (np.empty((*y.shape[:2], w_hh.shape[0]), y.dtype) for _ in range(2))
    for t, before in _backwards(len(y), attrs["reverse"]):
        r, z, n, hn = np.split(gates[t], 4, axis=-1)
        dh = dh + dy[t]
        dn = dh * (1.0 - z) * (1.0 - n**2)
        dz = dh * ((y[before] if before >= 0 else h0) - n) * z * (1.0 - z)
        dr = dn * hn * r * (1.0 - r)
        dx[t], dg[t] = np.concatenate((dr, dz, dn), axis=-1), np.concatenate((dr, dz, dn * r), axis=-1)
        dh = dh * z + dg[t] @ w_hh
    return dx, dg, dh


@op("rnn_scan_grad", "dnn", _infer_rnn, reverse=False, nonlinearity="tanh")
def rnn_scan_grad(attrs: Attrs, y: np.ndarray, w_hh: np.ndarray, dy: np.ndarray, dh: np.ndarray) -> tuple[np.ndarray, ...]:
    """Gradients of gates_x[T,B,H] and of h[B,H] of ``rnn_scan``. y[T,B,H]: its result; dy[T,B,H], dh[B,H]: gradients of its results."""
    found = np.empty_like(y)
    for t, _ in _backwards(len(y), attrs["reverse"]):
        slope = 1.0 - y[t] ** 2 if attrs["nonlinearity"] == "tanh" else (y[t] > 0).astype(y.dtype)
        found[t] = (dh + dy[t]) * slope
        dh = found[t] @ w_hh
    return found, dh
