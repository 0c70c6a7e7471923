"""Recurrent layers in training: operations of ours that scan a layer and its gradients, which torch would take apart into single steps.

``with_scans`` puts them into a captured graph in place of torch.lstm, torch.gru, torch.rnn_tanh and torch.rnn_relu.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, fx
from torch.nn import functional as F

from sol.errors import UnsupportedError

States = tuple[Tensor, ...]


def _order(steps: int, reverse: bool) -> list[int]:
    return [*reversed(range(steps))] if reverse else [*range(steps)]


def _before(y: Tensor, h0: Tensor, reverse: bool) -> Tensor:
    """The state before each step, ``[T, B, H]``."""
    return torch.cat((y[1:], h0[None])) if reverse else torch.cat((h0[None], y[:-1]))


def _weight_gradient(gates: Tensor, states: Tensor) -> Tensor:
    """``[G*H, H]`` from the gradient of gates ``[T, B, G*H]`` and states ``[T, B, H]``."""
    return gates.flatten(0, 1).t() @ states.flatten(0, 1)


@torch.library.custom_op("sol::lstm_scan", mutates_args=())
def lstm_scan(gates_x: Tensor, w_hh: Tensor, h0: Tensor, c0: Tensor, reverse: bool) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """``sol.ir.ops.recurrent.lstm_scan`` with ``keeps``, by torch's operations."""
    h, c, rows = h0, c0, {}
    for t in _order(len(gates_x), reverse):
        i, f, g, o = (gates_x[t] + h @ w_hh.t()).chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c = f * c + i * g
        h = o * c.tanh()
        rows[t] = h, torch.cat((i, f, g, o), 1), c
    y, gates, cells = (torch.stack([rows[t][k] for t in range(len(rows))]) for k in range(3))
    return y, h.clone(), c.clone(), gates, cells


@torch.library.custom_op("sol::lstm_scan_grad", mutates_args=())
def lstm_scan_grad(
    gates: Tensor, w_hh: Tensor, cells: Tensor, c0: Tensor, dy: Tensor, dh: Tensor, dc: Tensor, reverse: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """``sol.ir.ops.recurrent_grad.lstm_scan_grad``, by torch's operations."""
    found = torch.empty_like(gates)
    previous = _before(cells, c0, reverse)
    for t in reversed(_order(len(gates), reverse)):
        i, f, g, o = gates[t].chunk(4, 1)
        dh, squashed = dh + dy[t], cells[t].tanh()
        dc = dc + dh * o * (1 - squashed * squashed)
        parts = (dc * g * i * (1 - i), dc * previous[t] * f * (1 - f), dc * i * (1 - g * g), dh * squashed * o * (1 - o))
        found[t] = torch.cat(parts, 1)
        dc, dh = dc * f, found[t] @ w_hh
    return found, dh.clone(), dc.clone()


@torch.library.custom_op("sol::gru_scan", mutates_args=())
def gru_scan(gates_x: Tensor, w_hh: Tensor, b_hh: Tensor, h0: Tensor, reverse: bool) -> tuple[Tensor, Tensor, Tensor]:
    """``sol.ir.ops.recurrent.gru_scan`` with ``keeps``, by torch's operations."""
    h, rows = h0, {}
    for t in _order(len(gates_x), reverse):
        (xr, xz, xn), (hr, hz, hn) = gates_x[t].chunk(3, 1), F.linear(h, w_hh, b_hh).chunk(3, 1)
        r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
        n = (xn + r * hn).tanh()
        h = (1 - z) * n + z * h
        rows[t] = h, torch.cat((r, z, n, hn), 1)
    y, gates = (torch.stack([rows[t][k] for t in range(len(rows))]) for k in range(2))
    return y, h.clone(), gates


@torch.library.custom_op("sol::gru_scan_grad", mutates_args=())
def gru_scan_grad(
    gates: Tensor, w_hh: Tensor, y: Tensor, h0: Tensor, dy: Tensor, dh: Tensor, reverse: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """``sol.ir.ops.recurrent_grad.gru_scan_grad``, by torch's operations."""
    dx, dg = (y.new_empty((*y.shape[:2], w_hh.shape[0])) for _ in range(2))
    previous = _before(y, h0, reverse)
    for t in reversed(_order(len(y), reverse)):
        r, z, n, hn = gates[t].chunk(4, 1)
        dh = dh + dy[t]
        dn, dz = dh * (1 - z) * (1 - n * n), dh * (previous[t] - n) * z * (1 - z)
        dr = dn * hn * r * (1 - r)
        dx[t], dg[t] = torch.cat((dr, dz, dn), 1), torch.cat((dr, dz, dn * r), 1)
        dh = dh * z + dg[t] @ w_hh
    return dx, dg, dh.clone()


@torch.library.custom_op("sol::rnn_scan", mutates_args=())
def rnn_scan(gates_x: Tensor, w_hh: Tensor, h0: Tensor, nonlinearity: str, reverse: bool) -> tuple[Tensor, Tensor]:
    """``sol.ir.ops.recurrent.rnn_scan``, by torch's operations."""
    h, rows = h0, {}
    for t in _order(len(gates_x), reverse):
        h = rows[t] = getattr(torch, nonlinearity)(gates_x[t] + h @ w_hh.t())
    return torch.stack([rows[t] for t in range(len(rows))]), h.clone()


@torch.library.custom_op("sol::rnn_scan_grad", mutates_args=())
def rnn_scan_grad(y: Tensor, w_hh: Tensor, dy: Tensor, dh: Tensor, nonlinearity: str, reverse: bool) -> tuple[Tensor, Tensor]:
    """``sol.ir.ops.recurrent_grad.rnn_scan_grad``, by torch's operations."""
    found = torch.empty_like(y)
    for t in reversed(_order(len(y), reverse)):
        found[t] = (dh + dy[t]) * (1 - y[t] * y[t] if nonlinearity == "tanh" else (y[t] > 0).to(y.dtype))
        dh = found[t] @ w_hh
    return found, dh.clone()


def _like(*names: str) -> Callable[..., States]:
    """Results as large as these: "state", "y" or the number of values for each hidden unit of each step."""

    def results(first: Tensor, w_hh: Tensor, *rest: Any) -> States:
        steps, batch, hidden = *first.shape[:2], w_hh.shape[1]
        shapes = {"state": (batch, hidden), "y": (steps, batch, hidden)}
        return tuple([first.new_empty(shapes.get(n) or (steps, batch, int(n) * hidden)) for n in names])

    return results


for _operation, _names in (
    (lstm_scan, ("y", "state", "state", "4", "y")), (lstm_scan_grad, ("4", "state", "state")), (gru_scan, ("y", "state", "4")),
    (gru_scan_grad, ("3", "3", "state")), (rnn_scan, ("y", "state")), (rnn_scan_grad, ("y", "state")),
):  # fmt: skip
    _operation.register_fake(_like(*_names))


def _keep_lstm(ctx: Any, inputs: Sequence[Any], output: States) -> None:
    _, w_hh, h0, c0, ctx.reverse = inputs
    ctx.save_for_backward(w_hh, h0, c0, output[0], output[3], output[4])


def _lstm_backward(ctx: Any, dy: Tensor, dh: Tensor, dc: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    w_hh, h0, c0, y, gates, cells = ctx.saved_tensors
    dx, dh0, dc0 = lstm_scan_grad(gates, w_hh, cells, c0, dy, dh, dc, ctx.reverse)
    return dx, _weight_gradient(dx, _before(y, h0, ctx.reverse)), dh0, dc0, None


def _keep_gru(ctx: Any, inputs: Sequence[Any], output: States) -> None:
    _, w_hh, _, h0, ctx.reverse = inputs
    ctx.save_for_backward(w_hh, h0, output[0], output[2])


def _gru_backward(ctx: Any, dy: Tensor, dh: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    w_hh, h0, y, gates = ctx.saved_tensors
    dx, dg, dh0 = gru_scan_grad(gates, w_hh, y, h0, dy, dh, ctx.reverse)
    return dx, _weight_gradient(dg, _before(y, h0, ctx.reverse)), dg.sum((0, 1)), dh0, None


def _keep_rnn(ctx: Any, inputs: Sequence[Any], output: States) -> None:
    _, w_hh, h0, ctx.nonlinearity, ctx.reverse = inputs
    ctx.save_for_backward(w_hh, h0, output[0])


def _rnn_backward(ctx: Any, dy: Tensor, dh: Tensor) -> tuple[Tensor | None, ...]:
    w_hh, h0, y = ctx.saved_tensors
    dx, dh0 = rnn_scan_grad(y, w_hh, dy, dh, ctx.nonlinearity, ctx.reverse)
    return dx, _weight_gradient(dx, _before(y, h0, ctx.reverse)), dh0, None, None


lstm_scan.register_autograd(_lstm_backward, setup_context=_keep_lstm)
gru_scan.register_autograd(_gru_backward, setup_context=_keep_gru)
rnn_scan.register_autograd(_rnn_backward, setup_context=_keep_rnn)


# -- layers of scans ---------------------------------------------------------------------------------------------------

Scan = Callable[[Sequence[Tensor], Tensor, Sequence[Tensor], bool], tuple[Tensor, States]]


def _lstm(weights: Sequence[Tensor], x: Tensor, states: Sequence[Tensor], reverse: bool) -> tuple[Tensor, States]:
    w_ih, w_hh, *biases = weights
    y, h, c, _, _ = lstm_scan(F.linear(x, w_ih, sum(biases) if biases else None), w_hh, *states, reverse)  # type: ignore[arg-type]
    return y, (h, c)


def _gru(weights: Sequence[Tensor], x: Tensor, states: Sequence[Tensor], reverse: bool) -> tuple[Tensor, States]:
    w_ih, w_hh, *biases = weights
    b_ih, b_hh = biases or (None, w_hh.new_zeros(w_hh.shape[0]))
    y, h, _ = gru_scan(F.linear(x, w_ih, b_ih), w_hh, b_hh, *states, reverse)
    return y, (h,)


def _rnn(nonlinearity: str) -> Scan:
    def scan(weights: Sequence[Tensor], x: Tensor, states: Sequence[Tensor], reverse: bool) -> tuple[Tensor, States]:
        w_ih, w_hh, *biases = weights
        y, h = rnn_scan(F.linear(x, w_ih, sum(biases) if biases else None), w_hh, *states, nonlinearity, reverse)  # type: ignore[arg-type]
        return y, (h,)

    return scan


def _layer(scan: Scan) -> Callable[..., States]:
    """What torch calls with the signature of torch.lstm."""

    def layers(x: Tensor, states: Tensor | Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float,
               train: bool, bidirectional: bool, batch_first: bool) -> States:  # fmt: skip
        first = [states] if isinstance(states, Tensor) else [*states]
        per_scan, directions, unbatched = 4 if has_biases else 2, 2 if bidirectional else 1, x.dim() == 2
        if unbatched:
            x, first = x[:, None], [s[:, None] for s in first]
        elif batch_first:
            x = x.transpose(0, 1)
        finals: list[States] = []
        for layer in range(num_layers):
            outputs = []
            for direction in range(directions):
                n = layer * directions + direction
                weights = params[n * per_scan : (n + 1) * per_scan]
                y, last = scan(weights, x, [s[n] for s in first], direction == 1)
                outputs.append(y)
                finals.append(last)
            x = torch.cat(outputs, 2) if bidirectional else outputs[0]
            if layer + 1 < num_layers and dropout:
                x = F.dropout(x, dropout, train)
        last_states = [torch.stack([f[k] for f in finals]) for k in range(len(first))]
        if unbatched:
            return x[:, 0], *[s[:, 0] for s in last_states]
        return (x.transpose(0, 1) if batch_first else x), *last_states

    return layers


_LAYERS = {torch.lstm: _layer(_lstm), torch.gru: _layer(_gru), torch.rnn_tanh: _layer(_rnn("tanh")), torch.rnn_relu: _layer(_rnn("relu"))}
_ARGUMENTS = ("input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first")


def draws_dropout(node: fx.Node) -> bool:
    """Whether a node is a recurrent layer that draws random numbers."""
    given = {**dict(zip(_ARGUMENTS, node.args)), **node.kwargs}
    return node.target in _LAYERS and bool(given.get("dropout")) and bool(given.get("train"))


def with_scans(module: fx.GraphModule) -> fx.GraphModule:
    """The module with scans in place of torch's recurrent layers; UnsupportedError for a layer that they do not compute."""
    if not any(n.target in _LAYERS for n in module.graph.nodes):
        return module
    graph = fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    for node in graph.nodes:
        if node.op == "call_function" and node.target in _LAYERS:
            _check(node)
            node.target = _LAYERS[node.target]
    return fx.GraphModule(module, graph)


def _check(node: fx.Node) -> None:
    given = {**dict(zip(_ARGUMENTS, node.args)), **node.kwargs}
    has_biases, layers, states, params = (given.get(k) for k in ("has_biases", "num_layers", "hx", "params"))
    if not isinstance(has_biases, bool) or not isinstance(layers, int):
        raise UnsupportedError("recurrent layers over packed sequences train in torch")
    weights = [*params] if isinstance(params, (list, tuple)) else []
    if len(weights) != layers * (4 if has_biases else 2) * (2 if given.get("bidirectional") else 1):
        raise UnsupportedError("recurrent layers with a projection train in torch")
    if any(not isinstance(w, fx.Node) or w.op not in ("placeholder", "get_attr") for w in weights):
        raise UnsupportedError("recurrent layers whose weights are computed train in torch")
    every = [*weights, given.get("input"), *(states if isinstance(states, (list, tuple)) else [states])]
    values = [n.meta.get("example_value") for n in every if isinstance(n, fx.Node) and n.target is not operator.getitem]
    if any(isinstance(v, Tensor) and v.dtype is not torch.float32 for v in values):
        raise UnsupportedError("recurrent layers that are not in float32 train in torch")
