"""ATen recurrent layers: per layer and direction one linear for all time steps, then a scan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sol.frontend.torch.aten import CONVERTERS, Context, Fallback, converter

LARGE = 256
"""States of an LSTM with a projection up to which a step reads its larger weights sooner than torch makes two small products."""

Scan = Callable[[Sequence[str], str, int, bool], tuple[str, tuple[str, ...]]]


@converter("lstm.input")
def lstm(ctx: Context, x: str, states: Sequence[str], params: Sequence[str], has_biases: bool, num_layers: int, dropout: float,
         train: bool, bidirectional: bool, batch_first: bool) -> tuple[str | None, ...]:  # fmt: skip
    h0, c0 = states
    kept, hidden = ctx.fixed((ctx.size(h0)[-1], ctx.size(c0)[-1]), "a recurrent state")
    is_projected = kept != hidden
    if is_projected and hidden > max(LARGE, 1.5 * kept):
        raise Fallback("an LSTM that projects a large state to a small one")

    def scan(weights: Sequence[str], sequence: str, index: int, reverse: bool) -> tuple[str, tuple[str, ...]]:
        w_ih, w_hh, *rest = weights
        projection = rest.pop() if is_projected else ""
        gates = ctx.add("linear", sequence, w_ih, *([ctx.add("add", *rest)] if rest else []))
        h, c = _state(ctx, h0, index), _state(ctx, c0, index)
        if projection:
            return _projected_lstm(ctx, gates, w_hh, projection, h, c, reverse)
        y, h, c = ctx.add("lstm_scan", gates, w_hh, h, c, reverse=reverse)
        return y, (h, c)

    per_scan = (4 if has_biases else 2) + is_projected
    y, finals = _stack(ctx, scan, x, params, per_scan, num_layers, dropout, train, bidirectional, batch_first)
    return y, finals[0], finals[1]


def _projected_lstm(ctx: Context, gates: str, w_hh: str, projection: str, h: str, c: str, reverse: bool) -> tuple[str, tuple[str, ...]]:
    """An LSTM whose outputs u go on as ``h = projection u``: a plain one over u with the weights ``w_hh projection``, and h of all steps.

    There need be no u that gives the initial h, so its share is added to the gates of the first step.
    """
    steps = ctx.size(gates)[0]
    start = ctx.filled(0.0, ctx.size(c), ctx.dtype)
    if not _is_zero(ctx, h):
        first, others = (steps - 1, (0, steps - 1)) if reverse else (0, (1, steps))
        begun = ctx.add("add", ctx.slice(gates, 0, first, first + 1), ctx.add("linear", h, w_hh))
        parts = [begun, ctx.slice(gates, 0, *others)]
        gates = ctx.concat(parts[::-1] if reverse else parts, 0) if steps != 1 else begun
    y, u, c = ctx.add("lstm_scan", gates, ctx.add("matmul", w_hh, projection), start, c, reverse=reverse)
    return ctx.add("linear", y, projection), (ctx.add("linear", u, projection), c)


def _is_zero(ctx: Context, value: str) -> bool:
    """Whether a value is known to be zero everywhere."""
    node = ctx.builder.node(value)
    while node.op in ("reshape", "expand", "slice"):
        node = ctx.builder.node(node.inputs[0])
    return node.op == "constant" and not node.attrs["value"].value.any()


@converter("gru.input")
def gru(ctx: Context, x: str, h0: str, params: Sequence[str], has_biases: bool, num_layers: int, dropout: float, train: bool,
        bidirectional: bool, batch_first: bool) -> tuple[str | None, ...]:  # fmt: skip
    def scan(weights: Sequence[str], sequence: str, index: int, reverse: bool) -> tuple[str, tuple[str, ...]]:
        w_ih, w_hh, *biases = weights
        gates = ctx.add("linear", sequence, w_ih, *biases[:1])
        b_hh = biases[1] if biases else ctx.filled(0.0, ctx.size(w_hh)[:1], ctx.type(w_hh).dtype)
        y, h = ctx.add("gru_scan", gates, w_hh, b_hh, _state(ctx, h0, index), reverse=reverse)
        return y, (h,)

    y, finals = _stack(ctx, scan, x, params, 4 if has_biases else 2, num_layers, dropout, train, bidirectional, batch_first)
    return y, finals[0]


def _rnn(nonlinearity: str) -> None:
    @converter(f"rnn_{nonlinearity}.input")
    def convert(ctx: Context, x: str, h0: str, params: Sequence[str], has_biases: bool, num_layers: int, dropout: float, train: bool,
                bidirectional: bool, batch_first: bool) -> tuple[str | None, ...]:  # fmt: skip
        def scan(weights: Sequence[str], sequence: str, index: int, reverse: bool) -> tuple[str, tuple[str, ...]]:
            w_ih, w_hh, *biases = weights
            gates = ctx.add("linear", sequence, w_ih, *([ctx.add("add", *biases)] if biases else []))
            y, h = ctx.add("rnn_scan", gates, w_hh, _state(ctx, h0, index), reverse=reverse, nonlinearity=nonlinearity)
            return y, (h,)

        y, finals = _stack(ctx, scan, x, params, 4 if has_biases else 2, num_layers, dropout, train, bidirectional, batch_first)
        return y, finals[0]


_rnn("tanh")
_rnn("relu")


@converter("lstm_cell.default")
def lstm_cell(ctx: Context, x: str, states: Sequence[str], w_ih: str, w_hh: str, b_ih: str | None = None,
              b_hh: str | None = None) -> tuple[str, str]:  # fmt: skip
    """One step: a scan over a sequence of length 1."""
    bias = [] if b_ih is None or b_hh is None else [ctx.add("add", b_ih, b_hh)]
    _, h, c = ctx.add("lstm_scan", _step(ctx, ctx.add("linear", x, w_ih, *bias)), w_hh, *states, reverse=False)
    return h, c


@converter("gru_cell.default")
def gru_cell(ctx: Context, x: str, h: str, w_ih: str, w_hh: str, b_ih: str | None = None, b_hh: str | None = None) -> str:
    gates = ctx.add("linear", x, w_ih, *([] if b_ih is None else [b_ih]))
    b_hh = ctx.filled(0.0, ctx.size(w_hh)[:1], ctx.type(w_hh).dtype) if b_hh is None else b_hh
    return ctx.add("gru_scan", _step(ctx, gates), w_hh, b_hh, h, reverse=False)[1]


def _rnn_cell(nonlinearity: str) -> None:
    @converter(f"rnn_{nonlinearity}_cell.default")
    def convert(ctx: Context, x: str, h: str, w_ih: str, w_hh: str, b_ih: str | None = None, b_hh: str | None = None) -> str:
        bias = [] if b_ih is None or b_hh is None else [ctx.add("add", b_ih, b_hh)]
        gates = _step(ctx, ctx.add("linear", x, w_ih, *bias))
        return ctx.add("rnn_scan", gates, w_hh, h, reverse=False, nonlinearity=nonlinearity)[1]


_rnn_cell("tanh")
_rnn_cell("relu")


def _step(ctx: Context, gates: str) -> str:
    """Gates ``[B, G]`` as a sequence of one step."""
    return ctx.reshape(gates, (1, *ctx.size(gates)))


def _state(ctx: Context, states: str, index: int) -> str:
    """State ``[B, H]`` of one layer and direction out of ``[layers * directions, B, H]`` (``[.., H]`` without a batch)."""
    size = ctx.size(states)
    batch, hidden = (size[1], size[2]) if len(size) == 3 else (1, size[1])
    return ctx.reshape(ctx.slice(states, 0, index, index + 1), (batch, hidden))


def _stack(ctx: Context, scan: Scan, x: str, params: Sequence[str], per_scan: int, layers: int, dropout: float, train: bool,
           bidirectional: bool, batch_first: bool) -> tuple[str, list[str | None]]:  # fmt: skip
    """Layers over layers; the directions of a layer are concatenated. Results in torch's order and shapes."""
    directions = 2 if bidirectional else 1
    if train and dropout and layers > 1:
        raise Fallback("dropout between recurrent layers is random")
    if ctx.size(x)[1 if batch_first and ctx.rank(x) == 3 else 0] == 0:
        raise Fallback("torch refuses a sequence of no steps")
    unbatched = ctx.rank(x) == 2
    if unbatched:
        length, width = ctx.size(x)
        x = ctx.reshape(x, (length, 1, width))
    elif batch_first:
        x = ctx.permute(x, (1, 0, 2))
    finals: list[list[str]] = []
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            index = layer * directions + direction
            weights = params[index * per_scan : (index + 1) * per_scan]
            y, last = scan(weights, x, index, direction == 1)
            outputs.append(y)
            finals.append(list(last))
        x = ctx.concat(outputs, 2)
    if unbatched:
        y = ctx.reshape(x, ctx.result(0).shape)
    else:
        y = ctx.permute(x, (1, 0, 2)) if batch_first else x
    return y, [_joined(ctx, [f[i] for f in finals], ctx.result(i + 1).shape) if ctx.is_used(i + 1) else None
               for i in range(len(finals[0]))]  # fmt: skip


def _joined(ctx: Context, states: Sequence[str], shape: Any) -> str:
    stacked = ctx.concat([ctx.reshape(s, (1, *ctx.size(s))) for s in states], 0)
    return ctx.reshape(stacked, shape)


def _scan(name: str, **attrs: Any) -> Callable[..., tuple[str, ...]]:
    """The operation of ``frontend.torch.recurrent_ops`` with the name of ours."""
    options = ("nonlinearity", "reverse") if name.startswith("rnn") else ("reverse",)

    def convert(ctx: Context, *args: Any) -> tuple[str, ...]:
        operands, given = args[: -len(options)], args[-len(options) :]
        return tuple(ctx.add(name, *operands, **dict(zip(options, given)), **attrs))

    return convert


CONVERTERS.update({f"sol.{name}.default": _scan(name, keeps=True) for name in ("lstm_scan", "gru_scan")})
CONVERTERS.update({f"sol.{name}.default": _scan(name) for name in ("rnn_scan", "lstm_scan_grad", "gru_scan_grad", "rnn_scan_grad")})
