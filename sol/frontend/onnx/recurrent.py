"""ONNX recurrent layers: per direction one product for the inputs of all steps, then a scan.

The fast scans serve layers with constant weights and usual options; `recurrence` serves everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.windows import computed
from sol.ir.ops.recurrent import ACTIVATIONS, FUNCTIONS
from sol.ir.types import DType

Function = tuple[str, float, float]

ORDERS = {"lstm": (0, 2, 3, 1), "gru": (1, 0, 2), "rnn": (0,)}
"""Where sol's gates (i f g o; r z n) stand among those of ONNX (i o f c; z r h)."""
USUAL = {"lstm": ("sigmoid", "tanh", "tanh"), "gru": ("sigmoid", "tanh"), "rnn": ("tanh",)}
DEFAULTS: dict[str, tuple[float, ...]] = {
    "affine": (1.0, 0.0), "leaky_relu": (0.01,), "thresholded_relu": (1.0,), "scaled_tanh": (1.0, 1.0), "hard_sigmoid": (0.2, 0.5),
    "elu": (1.0,),
}  # fmt: skip
"""Default alpha and beta of the activations that have them."""


@dataclass(frozen=True)
class _Layer:
    """One direction of a layer: weights in sol's order of gates, and the options."""

    cell: str
    w: str
    r: str
    bias_x: str | None
    bias_h: str | None
    peepholes: str | None
    states: tuple[str, ...]
    lengths: str | None
    functions: tuple[Function, ...]
    reverse: bool
    clip: float | None
    coupled: bool
    reset_after: bool


@converter("LSTM", "GRU", "RNN", since=7)
def recurrent(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    return recurrent_layer(ctx, node)


def recurrent_layer(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """y and the final states of an LSTM, GRU or RNN (``node.op``), operands and attributes as in the specification."""
    cell = node.op.lower()
    x, w, r, bias, lengths = (node.input(i) for i in range(5))
    states = tuple(node.input(i) for i in ((5, 6) if cell == "lstm" else (5,)))
    result = ctx.type(x).dtype
    dtype = computed(result)
    x, w, r = (ctx.cast(v, dtype) for v in (x, w, r))
    batch_first = bool(node.attr("layout", 0))
    x = ctx.permute(x, (1, 0, 2)) if batch_first else x
    steps, batch, _ = ctx.size(x)
    hidden = ctx.size(r)[-1]
    directions = _directions(ctx, node, w)
    if lengths is not None:
        known = ctx.known(lengths)
        lengths = None if known is not None and isinstance(steps, int) and (known == steps).all() else lengths
    outputs: list[str] = []
    finals: list[tuple[str, ...]] = []
    for index, reverse in enumerate(directions):
        first = tuple(_state(ctx, s, index, batch_first, (batch, hidden), dtype) for s in states)
        layer = _layer(ctx, node, cell, index, reverse, (w, r, bias), first, lengths, dtype)
        y, *last = _scanned(ctx, x, layer)
        outputs.append(y)
        finals.append(tuple(last))
    # y[T, D, B, H] and states [D, B, H], or batch first [B, T, D, H] and [B, D, H]
    y_axis, state_axis, order = (2, 1, (1, 0, 2)) if batch_first else (1, 0, (0, 1, 2))
    y = _stacked(ctx, [ctx.permute(y, order) for y in outputs], y_axis)
    ends = [_stacked(ctx, [f[i] for f in finals], state_axis) for i in range(len(states))]
    return tuple(ctx.cast(v, result) for v in (y, *ends))


def _directions(ctx: Context, node: OnnxNode, w: str) -> tuple[bool, ...]:
    """Whether each direction runs backwards."""
    found = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}.get(node.attr("direction", "forward"))
    if found is None or ctx.size(w)[0] != len(found):
        ctx.fail(f"direction {node.attr('direction', 'forward')!r} with weights {ctx.type(w)}")
    return found


def _stacked(ctx: Context, values: Sequence[str], axis: int) -> str:
    parts = [ctx.reshape(v, (*ctx.size(v)[:axis], 1, *ctx.size(v)[axis:])) for v in values]
    return ctx.concat(parts, axis)


def _state(ctx: Context, states: str | None, index: int, batch_first: bool, shape: tuple, dtype: DType) -> str:
    """The initial state [B, H] of one direction; zeros where none is given."""
    if states is None:
        return ctx.filled(0.0, shape, dtype)
    return ctx.cast(_picked(ctx, states, index, 1 if batch_first else 0), dtype)


def _picked(ctx: Context, value: str, index: int, axis: int = 0) -> str:
    size = ctx.size(value)
    return ctx.reshape(ctx.slice(value, axis, index, index + 1), (*size[:axis], *size[axis + 1 :]))


def _gates(ctx: Context, value: str, order: Sequence[int]) -> str:
    """Blocks of rows (one per gate) in another order."""
    if tuple(order) == tuple(range(len(order))):
        return value
    (rows,) = ctx.fixed(ctx.size(value)[:1], "the number of gates")
    step = rows // len(order)
    return ctx.concat([ctx.slice(value, 0, g * step, (g + 1) * step) for g in order], 0)


def _layer(
    ctx: Context, node: OnnxNode, cell: str, index: int, reverse: bool, weights: tuple[str, str, str | None], states: tuple[str, ...],
    lengths: str | None, dtype: DType,
) -> _Layer:  # fmt: skip
    order = ORDERS[cell]
    w, r = (_gates(ctx, _picked(ctx, v, index), order) for v in weights[:2])
    bias_x = bias_h = peepholes = None
    if weights[2] is not None:
        both = _picked(ctx, ctx.cast(weights[2], dtype), index)
        rows = ctx.size(w)[0]
        bias_x = _gates(ctx, ctx.slice(both, 0, 0, rows), order)
        bias_h = _gates(ctx, ctx.slice(both, 0, rows, rows * 2), order)
    if cell == "lstm" and node.input(7) is not None:
        peepholes = _gates(ctx, _picked(ctx, ctx.cast(node.input(7), dtype), index), (0, 2, 1))
    clip = node.attr("clip", 0.0)
    return _Layer(
        cell, w, r, bias_x, bias_h, peepholes, states, lengths, _functions(ctx, node, cell)[index], reverse,
        float(clip) if clip else None, bool(node.attr("input_forget", 0)), bool(node.attr("linear_before_reset", 0)),
    )  # fmt: skip


def _functions(ctx: Context, node: OnnxNode, cell: str) -> list[tuple[Function, ...]]:
    """The activations of each direction with alpha and beta, which are consumed in the order of the functions that take them."""
    count = FUNCTIONS[cell]
    names = [_spelled(ctx, n) for n in node.attr("activations") or ()] or [*USUAL[cell]] * 2
    alphas, betas = list(node.attr("activation_alpha") or ()), list(node.attr("activation_beta") or ())
    found: list[Function] = []
    for name in names:
        defaults = DEFAULTS.get(name, ())
        alpha = (alphas.pop(0) if alphas else defaults[0]) if defaults else 0.0
        beta = (betas.pop(0) if betas else defaults[1]) if len(defaults) > 1 else 0.0
        found.append((name, float(alpha), float(beta)))
    return [tuple(found[i : i + count]) for i in range(0, len(found), count)]


def _spelled(ctx: Context, name: str) -> str:
    flat = {a.replace("_", ""): a for a in ACTIVATIONS}
    if name.lower() not in flat:
        ctx.fail(f"activation {name!r} is not built", f"use one of {', '.join(ACTIVATIONS)}")
    return flat[name.lower()]


def _scanned(ctx: Context, x: str, layer: _Layer) -> tuple[str, ...]:
    """y[T, B, H] and the final states of one direction."""
    cell, dtype = layer.cell, ctx.type(x).dtype
    bias_x = layer.bias_x
    if cell != "gru" and bias_x is not None and layer.bias_h is not None:
        bias_x = ctx.add("add", bias_x, layer.bias_h)
    gates = ctx.add("linear", x, layer.w, *([] if bias_x is None else [bias_x]))
    bias = layer.bias_h if cell == "gru" and layer.bias_h is not None else ctx.filled(0.0, ctx.size(layer.w)[:1], dtype)
    if _is_usual(ctx, layer, bias, dtype):
        more = (bias,) if cell == "gru" else ()
        attrs = {"nonlinearity": layer.functions[0][0]} if cell == "rnn" else {}
        return ctx.add(f"{cell}_scan", gates, layer.r, *more, *layer.states, reverse=layer.reverse, **attrs)
    steps, batch, _ = ctx.size(x)
    lengths = layer.lengths or ctx.expand(ctx.operand(steps, DType.I64), (batch,))
    more = (layer.peepholes or ctx.filled(0.0, (ctx.size(layer.r)[1] * 3,), dtype),) if cell == "lstm" else ()
    return ctx.add(
        "recurrence", gates, layer.r, bias, *layer.states, *more, lengths, cell=cell, activations=layer.functions, reverse=layer.reverse,
        clip=layer.clip, coupled=layer.coupled, reset_after=layer.reset_after,
    )  # fmt: skip


def _is_usual(ctx: Context, layer: _Layer, bias: str, dtype: DType) -> bool:
    """Whether the fast scan computes this layer."""
    names = tuple(name for name, _, _ in layer.functions)
    usual = names == USUAL[layer.cell] or (layer.cell == "rnn" and names == ("relu",))
    plain = layer.lengths is None and layer.peepholes is None and layer.clip is None and not layer.coupled
    constant = not any(ctx.content.dependencies(v) != ((), ()) for v in (layer.r, bias))
    return usual and plain and constant and dtype is DType.F32 and (layer.cell != "gru" or layer.reset_after)
