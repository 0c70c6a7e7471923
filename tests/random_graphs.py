"""Random small networks: what the property tests of passes and plan run on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, evaluate
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType

SYMBOLS = {"n": 3, "h": 7, "l": 6}
UNARY = ("relu", "sigmoid", "tanh", "neg", "abs", "square", "silu", "hardswish", "gelu", "softplus", "leaky_relu", "clamp")
BINARY = ("add", "sub", "mul", "maximum", "minimum")
ATTRS: dict[str, dict[str, Any]] = {
    "gelu": {"approximate": "none"},
    "softplus": {"beta": 1.0, "threshold": 20.0},
    "leaky_relu": {"slope": 0.1},
    "clamp": {"low": 0.0, "high": 6.0},
}
CHANNELS = (1, 3, 8, 16, 17, 20, 32, 48)


class Choices(Protocol):
    """Where decisions come from: hypothesis, or random numbers."""

    def integer(self, low: int, high: int) -> int: ...


@dataclass
class Recipe:
    """A graph with arrays for its inputs and parameters, and values of its symbols."""

    graph: Graph
    inputs: dict[str, np.ndarray]
    parameters: dict[str, np.ndarray]
    symbols: dict[str, int]


@dataclass
class Maker:
    """Grows a graph node by node. Every method adds one idiom on values it picks, or returns None if none fits."""

    choices: Choices
    b: GraphBuilder = field(default_factory=GraphBuilder)
    values: list[str] = field(default_factory=list)
    parameters: dict[str, np.ndarray] = field(default_factory=dict)
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.choices.integer(0, len(options) - 1)]

    def some(self, fits: Callable[[TensorType], bool]) -> str | None:
        """A value of a fitting type, late ones more often."""
        found = [v for v in self.values if fits(self.b.type_of(v))]
        return self.pick([*found, *found[-3:]]) if found else None

    def parameter(self, *shape: int, scale: float = 1.0) -> str:
        target = f"p{len(self.parameters)}"
        self.parameters[target] = (self.rng.standard_normal(shape) * scale).astype(np.float32)
        return self.b.parameter(target, TensorType(DType.F32, shape))

    # -- idioms --------------------------------------------------------------------------------------------------------

    def unary(self) -> str | None:
        op = self.pick(UNARY)
        return self.b.add(op, [self.some(lambda t: True)], **ATTRS.get(op, {}))

    def binary(self) -> str | None:
        x = self.some(lambda t: True)
        y = self.some(lambda t: t.shape == self.b.type_of(x).shape)
        return self.b.add(self.pick(BINARY), [x, y])

    def broadcast(self) -> str | None:
        """With a constant: scalar, per channel, along the last dimension, or one map for all channels."""
        x = self.some(lambda t: t.rank >= 2)
        type = self.b.type_of(x)
        kind = self.pick(("scalar", "channel", "last", "map"))
        if kind == "scalar":
            return self.b.add(self.pick(BINARY), [x, self.b.constant(0.75, DType.F32)])
        axes = {"channel": (1,), "last": (type.rank - 1,), "map": tuple(range(2, type.rank))}[kind]
        shape = tuple(s if i in axes else 1 for i, s in enumerate(type.shape))
        if any(isinstance(s, Dim) for s in shape):
            return None
        return self.b.add(self.pick(BINARY), [x, self.parameter(*shape)])

    def gate(self) -> str | None:
        """x * sigmoid(mean over the map) or over the channels: operands of one pixel and of one channel."""
        x = self.some(lambda t: t.rank == 4)
        if x is None:
            return None
        weight = self.b.add(self.pick(("mean", "max")), [x], dims=self.pick(((2, 3), (1,))), keepdims=True)
        return self.b.add("mul", [x, self.b.add("sigmoid", [weight])])

    def reciprocal(self) -> str | None:
        """1 / (|x| + 0.5): lanes beyond C must not become infinite."""
        x = self.b.add("abs", [self.some(lambda t: True)])
        return self.b.add("reciprocal", [self.b.add("add", [x, self.b.constant(0.5, DType.F32)])])

    def where(self) -> str | None:
        x = self.some(lambda t: True)
        y = self.some(lambda t: t.shape == self.b.type_of(x).shape)
        return self.b.add("where", [self.b.add("gt", [x, y]), x, y])

    def conv(self) -> str | None:
        x = self.some(lambda t: t.rank == 4 and isinstance(t.shape[1], int))
        if x is None:
            return None
        c = self.b.type_of(x).shape[1]
        kernel, kind = self.pick((1, 3)), self.pick(("dense", "dense", "depthwise"))
        out = c if kind == "depthwise" else self.pick(CHANNELS)
        groups = c if kind == "depthwise" else 1
        padding = self.choices.integer(0, 1) if kernel == 3 else self.choices.integer(0, 1)
        stride = self.pick((1, 1, 2))
        if any(isinstance(s, int) and s + 2 * padding < kernel for s in self.b.type_of(x).shape[2:]):
            return None
        w = self.parameter(out, c // groups, kernel, kernel, scale=(c // groups * kernel * kernel) ** -0.5)
        operands = [x, w, self.parameter(out)] if self.choices.integer(0, 1) else [x, w]
        return self.b.add("conv", operands, stride=(stride,) * 2, padding=((padding, padding),) * 2, dilation=(1, 1), groups=groups)

    def conv1d(self) -> str | None:
        x = self.some(lambda t: t.rank == 3 and isinstance(t.shape[1], int) and isinstance(t.shape[2], int))
        if x is None:
            return None
        c = self.b.type_of(x).shape[1]
        w = self.parameter(8, c, 3, scale=(3 * c) ** -0.5)
        return self.b.add("conv", [x, w], stride=(1,), padding=((1, 1),), dilation=(1,), groups=1)

    def heads(self) -> str | None:
        """Split the last dimension, exchange, and merge again: a transpose through memory or through strides."""
        x = self.some(lambda t: t.rank == 4 and isinstance(t.shape[1], int) and isinstance(t.shape[3], int))
        if x is None:
            return None
        n, h, length, d = self.b.type_of(x).shape
        y = self.b.add("permute", [x], order=(0, 2, 1, 3))
        return self.b.add("reshape", [y], shape=(n, length, h * d))

    def batch_norm(self) -> str | None:
        x = self.some(lambda t: t.rank in (2, 4) and isinstance(t.shape[1], int))
        if x is None:
            return None
        c = self.b.type_of(x).shape[1]
        names = [self.parameter(c) for _ in range(4)]
        target = f"p{len(self.parameters) - 1}"
        self.parameters[target] = np.abs(self.parameters[target]) + 0.5
        return self.b.add("batch_norm", [x, *names], eps=1e-5)

    def pool(self) -> str | None:
        x = self.some(lambda t: t.rank == 4 and all(isinstance(s, int) and s >= 2 for s in t.shape[2:]))
        if x is None:
            return None
        op, stride, pad = self.pick(("max_pool", "avg_pool")), self.pick((1, 2)), self.choices.integer(0, 1)
        common = dict(kernel=(2, 2), stride=(stride,) * 2, padding=((pad, pad),) * 2, ceil_mode=bool(self.choices.integer(0, 1)))
        if op == "max_pool":
            return self.b.add(op, [x], dilation=(1, 1), **common)
        return self.b.add(op, [x], count_include_pad=bool(self.choices.integer(0, 1)), divisor=None, **common)

    def global_pool(self) -> str | None:
        x = self.some(lambda t: t.rank == 4)
        return x and self.b.add("adaptive_avg_pool", [x], output_size=self.pick(((1, 1), (2, 2), (3, 2))))

    def concat(self) -> str | None:
        """Two or three values, now and then one of them twice."""
        x = self.some(lambda t: t.rank >= 2)
        type = self.b.type_of(x)
        dim = self.pick([i for i in range(1, type.rank)])

        def fits(t: TensorType) -> bool:
            return t.rank == type.rank and all(i == dim or a == b for i, (a, b) in enumerate(zip(t.shape, type.shape)))

        operands = [x, *(self.some(fits) for _ in range(self.choices.integer(1, 2)))]
        return self.b.add("concat", operands, dim=dim)

    def slice(self) -> str | None:
        x = self.some(lambda t: t.rank >= 2)
        type = self.b.type_of(x)
        dims = [i for i, s in enumerate(type.shape) if isinstance(s, int) and s > 1]
        if not dims:
            return None
        dim = self.pick([*dims, *(d for d in dims if d == 1)])
        start = self.choices.integer(0, type.shape[dim] - 1)
        start = start // 16 * 16 if self.choices.integer(0, 1) else start
        stop = self.choices.integer(start + 1, type.shape[dim])
        return self.b.add("slice", [x], dim=dim, start=start, stop=stop, step=self.pick((1, 1, 2)))

    def reshape(self) -> str | None:
        """Merge two neighbouring dimensions, split one in two, or add one of size 1."""
        x = self.some(lambda t: t.rank >= 2)
        shape = self.b.type_of(x).shape
        i = self.choices.integer(0, len(shape) - 2)
        kind = self.pick(("merge", "split", "flatten", "unit"))
        even = [j for j, s in enumerate(shape) if isinstance(s, int) and s % 2 == 0 and s > 2]
        if kind == "split" and even and len(shape) < 5:
            j = self.pick(even)
            return self.b.add("reshape", [x], shape=(*shape[:j], 2, shape[j] // 2, *shape[j + 1 :]))
        if kind == "flatten" and len(shape) > 2:
            rest = 1
            for s in shape[1:]:
                rest = rest * s
            return self.b.add("reshape", [x], shape=(shape[0], rest))
        if kind == "unit" and len(shape) < 4:
            return self.b.add("reshape", [x], shape=(*shape, 1))
        return self.b.add("reshape", [x], shape=(*shape[:i], shape[i] * shape[i + 1], *shape[i + 2 :])) if len(shape) > 2 else None

    def permute(self) -> str | None:
        x = self.some(lambda t: t.rank >= 3)
        if x is None:
            return None
        rank = self.b.type_of(x).rank
        i = self.choices.integer(1, rank - 2)
        order = list(range(rank))
        order[i], order[i + 1] = order[i + 1], order[i]
        return self.b.add("permute", [x], order=tuple(order))

    def shuffle(self) -> str | None:
        x = self.some(lambda t: t.rank == 4 and t.shape[1] % 4 == 0)
        if x is None:
            return None
        n, c, h, w = self.b.type_of(x).shape
        split = self.b.add("reshape", [x], shape=(n, 2, c // 2, h, w))
        return self.b.add("reshape", [self.b.add("permute", [split], order=(0, 2, 1, 3, 4))], shape=(n, c, h, w))

    def linear(self) -> str | None:
        x = self.some(lambda t: t.rank in (2, 3) and isinstance(t.shape[-1], int))
        if x is None:
            return None
        k, n = self.b.type_of(x).shape[-1], self.pick((1, 5, 16, 33))
        return self.b.add("linear", [x, self.parameter(n, k, scale=k**-0.5), self.parameter(n)])

    def matmul(self) -> str | None:
        x = self.some(lambda t: t.rank in (3, 4) and isinstance(t.shape[-1], int))
        if x is None:
            return None
        k = self.b.type_of(x).shape[-1]
        y = self.b.add("permute", [x], order=(*range(self.b.type_of(x).rank - 2), self.b.type_of(x).rank - 1, self.b.type_of(x).rank - 2))
        return self.b.add("mul", [self.b.add("matmul", [x, y]), self.b.constant(1 / max(k, 1), DType.F32)])

    def attention(self) -> str | None:
        """Heads split off, attention, heads merged again."""
        x = self.some(lambda t: t.rank == 3 and isinstance(t.shape[-1], int) and t.shape[-1] % 2 == 0)
        if x is None:
            return None
        n, length, width = self.b.type_of(x).shape
        split = self.b.add("permute", [self.b.add("reshape", [x], shape=(n, length, 2, width // 2))], order=(0, 2, 1, 3))
        y = self.b.add("sdpa", [split, split, split], causal=bool(self.choices.integer(0, 1)), scale=0.5)
        return self.b.add("reshape", [self.b.add("permute", [y], order=(0, 2, 1, 3))], shape=(n, length, width))

    def softmax(self) -> str | None:
        x = self.some(lambda t: t.rank >= 2)
        return self.b.add("softmax", [x], dim=self.choices.integer(1, self.b.type_of(x).rank - 1))

    def reduction(self) -> str | None:
        x = self.some(lambda t: t.rank >= 2)
        rank = self.b.type_of(x).rank
        dims = self.pick([(i,) for i in range(1, rank)] + ([(2, 3)] if rank == 4 else []))
        return self.b.add(self.pick(("sum", "mean", "max", "min")), [x], dims=dims, keepdims=bool(self.choices.integer(0, 1)))

    def layer_norm(self) -> str | None:
        x = self.some(lambda t: t.rank >= 2 and isinstance(t.shape[-1], int) and t.shape[-1] > 1)
        if x is None:
            return None
        c = self.b.type_of(x).shape[-1]
        return self.b.add("layer_norm", [x, self.parameter(c), self.parameter(c)], dims=1, eps=1e-5)

    def pad(self) -> str | None:
        x = self.some(lambda t: t.rank == 4)
        return x and self.b.add("pad", [x], pads=((0, 0), (0, 0), (1, 1), (0, 2)), value=self.pick((0, 0, 1.5)))

    def expand(self) -> str | None:
        x = self.some(lambda t: t.rank >= 2 and any(s == 1 for s in t.shape))
        if x is None:
            return None
        shape = list(self.b.type_of(x).shape)
        shape[self.pick([i for i, s in enumerate(shape) if s == 1])] = 3
        return self.b.add("expand", [x], shape=tuple(shape))


IMAGE = ("conv", "conv", "conv", "batch_norm", "pool", "global_pool", "concat", "concat", "slice", "shuffle", "gate", "pad", "heads")
ANY = (
    *("unary", "binary", "binary", "broadcast", "reciprocal", "where", "reshape", "permute", "linear", "matmul", "attention"),
    *("softmax", "reduction", "layer_norm", "expand", "concat", "slice", "conv1d", "heads", "heads"),
)


def make_recipe(choices: Choices, nodes: int = 12, dynamic: bool = False) -> Recipe:
    """A network of about ``nodes`` idioms with one to three outputs. dynamic: batch, height and length are symbols."""
    maker = Maker(choices)
    batch, height, length = (Dim.symbol(s) for s in SYMBOLS) if dynamic else (maker.pick((1, 2)), maker.pick((4, 7)), 6)
    arrays: dict[str, np.ndarray] = {}
    env = dict(SYMBOLS) if dynamic else {}
    shapes = [(batch, maker.pick(CHANNELS), height, maker.pick((5, 6)))]
    shapes += [(batch, length, 16)] if choices.integer(0, 1) else []
    for i, shape in enumerate(shapes):
        name = maker.b.input(f"x{i}", TensorType(DType.F32, shape))
        maker.values.append(name)
        arrays[name] = maker.rng.standard_normal([evaluate(s, env) for s in shape]).astype(np.float32)
    for _ in range(nodes):
        idiom = maker.pick(IMAGE if choices.integer(0, 1) else ANY)
        made = getattr(maker, idiom)()
        if made is not None and small(maker.b.type_of(made), env):
            maker.values.append(made)
    count = choices.integer(1, 3)
    outputs = [maker.values[-1]] + [maker.pick(maker.values) for _ in range(count - 1)]
    return Recipe(maker.b.build(outputs), arrays, maker.parameters, env)


def small(type: TensorType, env: dict[str, int]) -> bool:
    return 0 < evaluate(type.size, env) <= 20000
