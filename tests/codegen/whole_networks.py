"""Small whole networks for compilers and machines other than this one's: the graph, its inputs and its parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType

Built = tuple[Graph, list[np.ndarray], dict[str, np.ndarray]]


class _Maker:
    """A graph builder that also invents the numbers."""

    def __init__(self) -> None:
        self.builder, self.rng = GraphBuilder(), np.random.default_rng(0)
        self.inputs: list[np.ndarray] = []
        self.parameters: dict[str, np.ndarray] = {}

    def input(self, *shape: int) -> str:
        self.inputs.append(self.rng.standard_normal(shape).astype(np.float32))
        return self.builder.input(f"x{len(self.inputs)}", TensorType(DType.F32, shape))

    def parameter(self, *shape: int) -> str:
        name = f"p{len(self.parameters)}"
        fan = int(np.prod(shape[1:])) or 1
        self.parameters[name] = (self.rng.standard_normal(shape) / fan**0.5).astype(np.float32)
        return self.builder.parameter(name, TensorType(DType.F32, shape))

    def add(self, op: str, *operands: str, **attrs: object) -> str:
        return self.builder.add(op, list(operands), **attrs)

    def linear(self, x: str, inner: int, outer: int) -> str:
        return self.add("linear", x, self.parameter(outer, inner), self.parameter(outer))

    def built(self, outputs: Sequence[str]) -> Built:
        return self.builder.build(list(outputs)), self.inputs, self.parameters


def convolutional() -> Built:
    """conv, pool, depthwise conv, residual add, global pool, linear, softmax."""
    m = _Maker()
    same = {"stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1)}
    y = m.add("conv", m.input(2, 3, 20, 22), m.parameter(18, 3, 3, 3), m.parameter(18), groups=1, **same)
    y = m.add("relu", y)
    y = m.add("max_pool", y, kernel=(2, 2), stride=(2, 2), padding=((0, 0), (0, 0)), dilation=(1, 1), ceil_mode=False)
    z = m.add("conv", y, m.parameter(18, 1, 3, 3), m.parameter(18), groups=18, **same)
    z = m.add("relu", m.add("add", m.add("conv", z, m.parameter(18, 18, 3, 3), groups=1, **same), y))
    z = m.add("reshape", m.add("adaptive_avg_pool", z, output_size=(1, 1)), shape=(2, 18))
    return m.built([m.add("softmax", m.linear(z, 18, 10), dim=1)])


def recurrent() -> Built:
    """The projection of a sequence, an LSTM, a linear layer on its last state."""
    m = _Maker()
    steps, batch, wide, hidden = 7, 3, 10, 21
    gates = m.linear(m.input(steps, batch, wide), wide, 4 * hidden)
    operands = [gates, m.parameter(4 * hidden, hidden), m.input(batch, hidden), m.input(batch, hidden)]
    y, hn, _ = m.builder.add("lstm_scan", operands, reverse=False)
    return m.built([y, m.add("sigmoid", m.linear(hn, hidden, 5))])


def attention() -> Built:
    """A block of a transformer: projections, heads as transposed views, attention, residual, norm, feed-forward."""
    m = _Maker()
    batch, length, heads, depth = 2, 9, 3, 8
    wide = heads * depth
    x = m.input(batch, length, wide)

    def head() -> str:
        y = m.add("reshape", m.linear(x, wide, wide), shape=(batch, length, heads, depth))
        return m.add("permute", y, order=(0, 2, 1, 3))

    y = m.add("sdpa", head(), head(), head(), causal=True, scale=depth**-0.5)
    y = m.add("reshape", m.add("permute", y, order=(0, 2, 1, 3)), shape=(batch, length, wide))
    y = m.add("layer_norm", m.add("add", x, m.linear(y, wide, wide)), m.parameter(wide), m.parameter(wide), dims=1, eps=1e-5)
    z = m.linear(m.add("gelu", m.linear(y, wide, 2 * wide), approximate="none"), 2 * wide, wide)
    return m.built([m.add("add", y, z)])


def quantized() -> Built:
    """Images and weights of bytes: conv, max pool, linear. All scales are powers of two, so that every step is exact."""
    m = _Maker()
    number = m.builder.constant

    def weight(*shape: int) -> str:
        name = f"p{len(m.parameters)}"
        m.parameters[name] = m.rng.integers(-128, 128, shape).astype(np.int8)
        return m.builder.parameter(name, TensorType(DType.I8, shape))

    def to_bytes(x: str, scale: float) -> str:
        x = m.add("add", m.add("round", m.add("div", x, number(scale, DType.F32))), number(64.0, DType.F32))
        return m.add("cast", m.add("clamp", x, low=0.0, high=255.0), dtype=DType.U8)

    def to_floats(x: str, scale: float, zero: float) -> str:
        return m.add("mul", m.add("sub", m.add("cast", x, dtype=DType.F32), number(zero, DType.F32)), number(scale, DType.F32))

    y = to_floats(to_bytes(m.input(1, 3, 10, 11), 2.0**-5), 2.0**-5, 64.0)
    y = m.add("conv", y, to_floats(weight(9, 3, 3, 3), 2.0**-9, 0.0), stride=(1, 1), padding=((1, 1), (1, 1)), dilation=(1, 1), groups=1)
    y = to_floats(to_bytes(m.add("relu", y), 2.0**-5), 2.0**-5, 64.0)
    y = m.add("max_pool", y, kernel=(2, 2), stride=(2, 2), padding=((0, 0), (0, 0)), dilation=(1, 1), ceil_mode=False)
    y = m.add("reshape", y, shape=(1, 225))
    return m.built([m.add("linear", y, to_floats(weight(5, 225), 2.0**-9, 0.0))])


def weight_only() -> Built:
    """Linear layers with weights rounded to 8 and to 4 bits, for few rows and for many."""
    m = _Maker()

    def layer(x: str, inner: int, outer: int, bits: int) -> str:
        parts = m.builder.add("quantize_weight", [m.parameter(outer, inner)], bits=bits, group=32)
        return m.add("add", m.add("weight_only_linear", x, *parts, group=32), m.parameter(outer))

    few, many = m.input(3, 96), m.input(21, 96)
    return m.built([layer(m.add("relu", layer(x, 96, 64, 8)), 64, 50, 4) for x in (few, many)])


NETWORKS: dict[str, Callable[[], Built]] = {f.__name__: f for f in (convolutional, recurrent, attention, quantized, weight_only)}
