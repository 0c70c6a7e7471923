"""Recurrent cells scanned over time. The input projection is a linear before the scan: one product for all steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_float, need_int, need_operands, need_shape, same_dtype
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


def _kept(y: TensorType) -> TensorType:
    """Four values for each hidden unit at each step."""
    return TensorType(y.dtype, (*y.shape[:2], 4 * y.shape[2]))


def _infer_lstm(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    y, state = _check(operands, 4, 2, False)
    return (y, state, state, _kept(y), y) if attrs["keeps"] else (y, state, state)


def _infer_gru(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    y, state = _check(operands, 3, 1, True)
    return (y, state, _kept(y)) if attrs["keeps"] else (y, state)


def _infer_rnn(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need(attrs["nonlinearity"] in ("tanh", "relu"), f"nonlinearity {attrs['nonlinearity']} is neither tanh nor relu")
    return _check(operands, 1, 1, False)


def _steps(count: int, reverse: bool) -> Iterator[int]:
    return iter(reversed(range(count)) if reverse else range(count))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-x))


@op("lstm_scan", "dnn", _infer_lstm, reverse=False, keeps=False)
def lstm_scan(
    attrs: Attrs, gates_x: np.ndarray, w_hh: np.ndarray, h: np.ndarray, c: np.ndarray
) -> tuple[np.ndarray, ...]:
    """y[T,B,H], h[B,H], c[B,H] of an LSTM with gates i, f, g, o (Hochreiter & Schmidhuber 1997).

    Both biases are in gates_x. keeps: give the values of i, f, g, o[T,B,4H] and c[T,B,H] of all steps, too, for ``lstm_scan_grad``.
    """
    y = np.empty((*gates_x.shape[:2], w_hh.shape[1]), gates_x.dtype)
    gates, cells = np.empty_like(gates_x), np.empty_like(y)
    for t in _steps(len(y), attrs["reverse"]):
        i, f, g, o = np.split(gates_x[t] + h @ w_hh.T, 4, axis=-1)
        i, f, g, o = _sigmoid(i), _sigmoid(f), np.tanh(g), _sigmoid(o)
        c = cells[t] = f * c + i * g
        h = y[t] = o * np.tanh(c)
        gates[t] = np.concatenate((i, f, g, o), axis=-1)
    return (y, h, c, gates, cells) if attrs["keeps"] else (y, h, c)


@op("gru_scan", "dnn", _infer_gru, reverse=False, keeps=False)
def gru_scan(
    attrs: Attrs, gates_x: np.ndarray, w_hh: np.ndarray, b_hh: np.ndarray, h: np.ndarray
) -> tuple[np.ndarray, ...]:
    """y[T,B,H], h[B,H] of a GRU with gates r, z, n (Cho et al. 2014; reset after the product, as in torch).

    keeps: give the values of r, z, n and n's share of h[T,B,4H] of all steps, too, for ``gru_scan_grad``.
    """
    y = np.empty((*gates_x.shape[:2], w_hh.shape[1]), gates_x.dtype)
    gates = np.empty((*y.shape[:2], 4 * y.shape[2]), y.dtype)
    for t in _steps(len(y), attrs["reverse"]):
        xr, xz, xn = np.split(gates_x[t], 3, axis=-1)
        hr, hz, hn = np.split(h @ w_hh.T + b_hh, 3, axis=-1)
        r, z = _sigmoid(xr + hr), _sigmoid(xz + hz)
        n = np.tanh(xn + r * hn)
        h = y[t] = (1.0 - z) * n + z * h
        gates[t] = np.concatenate((r, z, n, hn), axis=-1)
    return (y, h, gates) if attrs["keeps"] else (y, h)


@op("rnn_scan", "dnn", _infer_rnn, reverse=False, nonlinearity="tanh")
def rnn_scan(attrs: Attrs, gates_x: np.ndarray, w_hh: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, ...]:
    """y[T,B,H], h[B,H] of an Elman network; both biases are in gates_x."""
    y = np.empty((*gates_x.shape[:2], w_hh.shape[1]), gates_x.dtype)
    for t in _steps(len(y), attrs["reverse"]):
        pre = gates_x[t] + h @ w_hh.T
        h = y[t] = np.tanh(pre) if attrs["nonlinearity"] == "tanh" else np.maximum(pre, 0)
    return y, h


ACTIVATIONS = (
    "tanh", "sigmoid", "relu", "affine", "leaky_relu", "thresholded_relu", "scaled_tanh", "hard_sigmoid", "elu", "softsign",
    "softplus",
)  # fmt: skip
GATES = {"lstm": 4, "gru": 3, "rnn": 1}
FUNCTIONS = {"lstm": 3, "gru": 2, "rnn": 1}


def _infer_recurrence(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    cell = attrs["cell"]
    need(cell in GATES, f"cell {cell} is unknown")
    need_operands(operands, 7 if cell == "lstm" else 5)
    functions = attrs["activations"]
    need(len(functions) == FUNCTIONS[cell], f"a {cell} takes {FUNCTIONS[cell]} activations, got {len(functions)}")
    for function in functions:
        need(len(function) == 3 and function[0] in ACTIVATIONS, f"activation {function} is unknown")
    state, lengths = _check(operands[: 5 if cell == "lstm" else 4], GATES[cell], 2 if cell == "lstm" else 1, True), operands[-1]
    if cell == "lstm":
        need_shape(operands[5], (3 * operands[1].shape[1],), "the peepholes")
        same_dtype(operands[:6])
    need_int(lengths)
    need_shape(lengths, (operands[0].shape[1],), "the lengths")
    return (*state, state[1]) if cell == "lstm" else state


def _activation(function: tuple[str, float, float], x: np.ndarray) -> np.ndarray:
    """The functions of ONNX's recurrent operators, with their parameters alpha and beta."""
    name, a, b = function
    with np.errstate(all="ignore"):
        results = {
            "tanh": lambda: np.tanh(x), "sigmoid": lambda: _sigmoid(x), "relu": lambda: np.maximum(x, 0),
            "affine": lambda: a * x + b, "leaky_relu": lambda: np.where(x < 0, a * x, x),
            "thresholded_relu": lambda: np.where(x >= a, x, x * 0), "scaled_tanh": lambda: a * np.tanh(b * x),
            "hard_sigmoid": lambda: np.clip(a * x + b, 0, 1), "elu": lambda: np.where(x < 0, a * np.expm1(x), x),
            "softsign": lambda: x / (1 + np.abs(x)), "softplus": lambda: np.logaddexp(x, 0),
        }  # fmt: skip
        return np.asarray(results[name](), x.dtype)


@op("recurrence", "dnn", _infer_recurrence, cell=REQUIRED, activations=REQUIRED, reverse=False, clip=None, reset_after=False,
    coupled=False)  # fmt: skip
def recurrence(attrs: Attrs, gates_x: np.ndarray, w_hh: np.ndarray, b_hh: np.ndarray, *rest: np.ndarray) -> tuple[np.ndarray, ...]:
    """A recurrent layer with all options: y[T,B,H] and the final states [B,H] of the cell "lstm", "gru" or "rnn".

    Operands: gates_x[T,B,G*H], w_hh[G*H,H], b_hh[G*H], h[B,H], for an LSTM also c[B,H] and peepholes[3H] (i, f, o), and
    lengths i64[B]: y is 0 beyond a row's length, its final state is that of its last step, and ``reverse`` begins there.
    Gates lie as in lstm_scan and gru_scan. activations: (name, alpha, beta) for the gates, then for the candidate, then for the
    LSTM's output. clip: bound of the argument of a gate's activation. coupled: f = 1 - i. reset_after: as in gru_scan, else r applies to h.
    """
    cell, reverse = attrs["cell"], attrs["reverse"]
    states, lengths = rest[: 2 if cell == "lstm" else 1], rest[-1]
    y = np.zeros((*gates_x.shape[:2], w_hh.shape[1]), gates_x.dtype)
    finals = tuple(s.copy() for s in states)
    for b, length in enumerate(np.clip(lengths, 0, len(y))):
        for t in _steps(int(length), reverse):
            new = _cell(attrs, gates_x[t, b], w_hh, b_hh, tuple(f[b] for f in finals), rest[2] if cell == "lstm" else b_hh)
            for final, value in zip(finals, new):
                final[b] = value
            y[t, b] = new[0]
    return (y, *finals)


def _cell(
    attrs: Attrs, x: np.ndarray, w: np.ndarray, bias: np.ndarray, states: tuple[np.ndarray, ...], peepholes: np.ndarray
) -> tuple[np.ndarray, ...]:
    """One step of one batch row: the new states."""
    functions, clip, h = attrs["activations"], attrs["clip"], states[0]

    def act(k: int, value: np.ndarray) -> np.ndarray:
        return _activation(functions[k], value if clip is None else np.clip(value, -clip, clip))

    if attrs["cell"] == "rnn":
        return (act(0, x + w @ h + bias),)
    if attrs["cell"] == "gru":
        (xr, xz, xn), (wr, wz, wn), (br, bz, bn) = (np.split(v, 3) for v in (x, w, bias))
        r, z = act(0, xr + wr @ h + br), act(0, xz + wz @ h + bz)
        n = act(1, xn + r * (wn @ h + bn)) if attrs["reset_after"] else act(1, xn + wn @ (r * h) + bn)
        return ((1 - z) * n + z * h,)
    c = states[1]
    pi, pf, po = np.split(peepholes, 3)
    i, f, g, o = np.split(x + w @ h + bias, 4)
    i = act(0, i + pi * c)
    f = 1 - i if attrs["coupled"] else act(0, f + pf * c)
    c = f * c + i * act(1, g)
    return act(0, o + po * c) * _activation(functions[2], c), c
