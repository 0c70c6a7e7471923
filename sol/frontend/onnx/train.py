"""ONNX optimizers (domain ai.onnx.preview.training): one step of Adagrad, Adam and Momentum on any number of tensors."""

from __future__ import annotations

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.types import DType

DOMAIN = "ai.onnx.preview.training"


class _Step:
    """Arithmetic with tensors and numbers in the dtype of one tensor, and the operands of one optimizer step.

    rate, count: learning rate and number of steps so far. columns: for each kind of operand, one value per tensor.
    """

    def __init__(self, ctx: Context, node: OnnxNode, kinds: int) -> None:
        self.ctx, self.node = ctx, node
        self.rate, self.count = (ctx.reshape(v, ()) for v in node.inputs[:2])
        rest = node.inputs[2:]
        size = len(rest) // kinds
        self.columns = [rest[i * size : (i + 1) * size] for i in range(kinds)]

    def of(self, op: str, a: str | float, b: str | float) -> str:
        """``op(a, b)``; a number or a scalar takes the other's dtype."""
        dtype = next(self.ctx.type(v).dtype for v in (a, b) if isinstance(v, str))
        return self.ctx.add(op, *(self.ctx.operand(v, dtype) for v in (a, b)))

    def number(self, name: str, default: float) -> float:
        return float(self.node.attr(name, default))

    def scalar(self, value: str, like: str) -> str:
        return self.ctx.cast(value, self.ctx.type(like).dtype)

    def gradient(self, g: str, x: str, norm: float) -> str:
        """The gradient of the loss with ``norm / 2 * |x|^2`` added."""
        return self.of("add", g, self.of("mul", x, norm))


@converter("Adagrad", domain=DOMAIN)
def adagrad(ctx: Context, node: OnnxNode) -> tuple[str, ...]:
    """Duchi et al. 2011: ``H += g^2; x -= r / (1 + t decay) * g / (sqrt(H) + eps)``."""
    step = _Step(ctx, node, 3)
    decay, eps, norm = step.number("decay_factor", 0.0), step.number("epsilon", 1e-6), step.number("norm_coefficient", 0.0)
    new, squares = [], []
    for x, g, h in zip(*step.columns):
        count = step.scalar(step.count, x)
        rate = step.of("div", step.scalar(step.rate, x), step.of("add", step.of("mul", count, decay), 1.0))
        g = step.gradient(g, x, norm)
        squares.append(step.of("add", h, step.of("mul", g, g)))
        change = step.of("div", g, step.of("add", ctx.add("sqrt", squares[-1]), eps))
        new.append(step.of("sub", x, step.of("mul", rate, change)))
    return (*new, *squares)


@converter("Adam", domain=DOMAIN)
def adam(ctx: Context, node: OnnxNode) -> tuple[str, ...]:
    """Kingma & Ba 2014, with the bias correction in the rate from step 1 on and a decay after the step."""
    step = _Step(ctx, node, 4)
    alpha, beta, eps = step.number("alpha", 0.9), step.number("beta", 0.999), step.number("epsilon", 1e-6)
    norm, after = step.number("norm_coefficient", 0.0), step.number("norm_coefficient_post", 0.0)
    new, firsts, seconds = [], [], []
    for x, g, v, h in zip(*step.columns):
        g = step.gradient(g, x, norm)
        firsts.append(step.of("add", step.of("mul", v, alpha), step.of("mul", g, 1 - alpha)))
        seconds.append(step.of("add", step.of("mul", h, beta), step.of("mul", step.of("mul", g, g), 1 - beta)))
        rate = _corrected(step, x, alpha, beta)
        change = step.of("div", firsts[-1], step.of("add", ctx.add("sqrt", seconds[-1]), eps))
        moved = step.of("sub", x, step.of("mul", rate, change))
        new.append(step.of("mul", moved, 1 - after))
    return (*new, *firsts, *seconds)


def _corrected(step: _Step, x: str, alpha: float, beta: float) -> str:
    """The rate, times ``sqrt(1 - beta^t) / (1 - alpha^t)`` from step 1 on."""
    ctx, rate, count = step.ctx, step.scalar(step.rate, x), step.scalar(step.count, x)
    numerator = ctx.add("sqrt", step.of("sub", 1.0, step.of("pow", beta, count)))
    corrected = step.of("div", step.of("mul", rate, numerator), step.of("sub", 1.0, step.of("pow", alpha, count)))
    return ctx.add("where", ctx.add("gt", step.count, ctx.operand(0, DType.I64)), corrected, rate)


@converter("Momentum", domain=DOMAIN)
def momentum(ctx: Context, node: OnnxNode) -> tuple[str, ...]:
    """``v = alpha v + beta g`` (beta is 1 in the first step); "nesterov" looks ahead by ``g + alpha v``."""
    step = _Step(ctx, node, 3)
    alpha, norm = step.number("alpha", 0.0), step.number("norm_coefficient", 0.0)
    new, velocities = [], []
    for x, g, v in zip(*step.columns):
        dtype = ctx.type(x).dtype
        first = ctx.add("gt", step.count, ctx.operand(0, DType.I64))
        beta = ctx.add("where", first, ctx.operand(step.number("beta", 1.0), dtype), ctx.operand(1.0, dtype))
        g = step.gradient(g, x, norm)
        velocities.append(step.of("add", step.of("mul", v, alpha), step.of("mul", g, beta)))
        ahead = velocities[-1]
        if node.attr("mode") == "nesterov":
            ahead = step.of("add", g, step.of("mul", velocities[-1], alpha))
        new.append(step.of("sub", x, step.of("mul", step.scalar(step.rate, x), ahead)))
    return (*new, *velocities)
