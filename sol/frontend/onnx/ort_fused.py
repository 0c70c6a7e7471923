"""Operators of the domain com.microsoft that onnxruntime's optimizers make of several: activations with a bias, products and convolutions
with an activation.
"""

from __future__ import annotations

from typing import Any

from sol.errors import ModelError
from sol.frontend.onnx.context import Context
from sol.frontend.onnx.conv import conv
from sol.frontend.onnx.matmul import gemm, multiply, product_dtype
from sol.frontend.onnx.move import pad
from sol.frontend.onnx.pointwise import clamped, number
from sol.frontend.onnx.registry import OnnxNode, converter

DOMAIN = "com.microsoft"

PARAMETERS = {
    "LeakyRelu": ("alpha",), "HardSigmoid": ("alpha", "beta"), "Elu": ("alpha",), "Selu": ("alpha", "gamma"), "ThresholdedRelu": ("alpha",),
    "Affine": ("alpha", "beta"), "ScaledTanh": ("alpha", "beta"), "Clip": ("min", "max"), "Relu": (), "Sigmoid": (), "Tanh": (),
    "Softplus": (), "Softsign": (), "HardSwish": (), "Gelu": (),
}  # fmt: skip
"""What an activation's parameters are called, in the order in which ``activation_params`` has them."""


def activated(ctx: Context, y: str, name: str, given: dict[str, Any]) -> str:
    """An activation by its name; ``given``: those of its parameters that the node states."""
    if name not in PARAMETERS:
        ctx.fail(f"the activation {name!r} is not built", f"use one of {', '.join(PARAMETERS)}")
    if name == "Clip":
        return clamped(ctx, y, given.get("min"), given.get("max"))
    if name == "Affine":
        return _affine(ctx, y, given)
    if name == "ScaledTanh":
        return ctx.add("mul", ctx.add("tanh", ctx.add("mul", y, number(ctx, given["beta"], y))), number(ctx, given["alpha"], y))
    return ctx.convert(name, y, **given)


def _affine(ctx: Context, y: str, given: dict[str, Any]) -> str:
    """``alpha * y + beta``."""
    return ctx.add("add", ctx.add("mul", y, number(ctx, given.get("alpha", 1.0), y)), number(ctx, given.get("beta", 0.0), y))


def _by_name(node: OnnxNode) -> tuple[str, dict[str, Any]]:
    """The activation that ``activation_alpha``, ``activation_beta`` and ``activation_gamma`` are for, and these."""
    name = node.attr("activation", "")
    given = {k: float(node.attrs[f"activation_{k}"]) for k in ("alpha", "beta", "gamma") if f"activation_{k}" in node.attrs}
    return name, {k: v for k, v in given.items() if k in PARAMETERS.get(name, ())}


# Activations


@converter("Gelu", domain=DOMAIN)
def gelu(ctx: Context, node: OnnxNode) -> str:
    return ctx.convert("Gelu", node.inputs[0])


@converter("BiasGelu", domain=DOMAIN)
def bias_gelu(ctx: Context, node: OnnxNode) -> str:
    return ctx.convert("Gelu", ctx.add("add", *node.inputs))


@converter("FastGelu", domain=DOMAIN)
def fast_gelu(ctx: Context, node: OnnxNode) -> str:
    """The approximation by tanh, after a bias if there is one."""
    x, bias = node.inputs[0], node.input(1)
    return ctx.convert("Gelu", x if bias is None else ctx.add("add", x, bias), approximate="tanh")


@converter("QuickGelu", domain=DOMAIN)
def quick_gelu(ctx: Context, node: OnnxNode) -> str:
    """``x * sigmoid(alpha x)``."""
    return ctx.convert("Swish", node.inputs[0], alpha=float(node.attr("alpha", 1.702)))


@converter("BiasSplitGelu", domain=DOMAIN)
def bias_split_gelu(ctx: Context, node: OnnxNode) -> str:
    """The left half of ``x + bias`` times the GELU of the right one."""
    y = ctx.add("add", *node.inputs)
    axis, width = ctx.rank(y) - 1, ctx.size(y)[-1]
    left, right = ctx.slice(y, axis, 0, width // 2), ctx.slice(y, axis, width // 2, width)
    return ctx.add("mul", left, ctx.convert("Gelu", right))


@converter("BiasAdd", domain=DOMAIN)
def bias_add(ctx: Context, node: OnnxNode) -> str:
    x, bias, skip = node.inputs
    return ctx.add("add", ctx.add("add", x, bias), skip)


# Products


@converter("FusedMatMul", "TransposeMatMul", "FusedMatMulActivation", domain=DOMAIN)
def fused_matmul(ctx: Context, node: OnnxNode) -> str:
    """``alpha * A' B'``, with dimensions of the operands exchanged first, perhaps followed by an activation."""
    result = ctx.type(node.inputs[0]).dtype
    dtype = product_dtype(result)
    a, b = (_transposed(ctx, ctx.cast(v, dtype), node, side) for v, side in zip(node.inputs, "AB"))
    y, alpha = multiply(ctx, a, b), float(node.attr("alpha", 1.0))
    y = y if alpha == 1 else ctx.add("mul", y, number(ctx, alpha, y))
    name, given = _by_name(node)
    return ctx.cast(activated(ctx, y, name, given) if name else y, result)


def _transposed(ctx: Context, x: str, node: OnnxNode, side: str) -> str:
    """An operand after ``transBatch`` (the first dimension goes behind the batch) and ``trans`` (the last two change places)."""
    rank = ctx.rank(x)
    if rank < 2:
        return x
    if node.attr(f"transBatch{side}", 0):
        x = ctx.permute(x, (*range(1, rank - 1), 0, rank - 1))
    return ctx.permute(x, (*range(rank - 2), rank - 1, rank - 2)) if node.attr(f"trans{side}", 0) else x


@converter("FusedGemm", domain=DOMAIN)
def fused_gemm(ctx: Context, node: OnnxNode) -> str:
    name, given = _by_name(node)
    y = gemm(ctx, node)
    return activated(ctx, y, name, given) if name else y


# Convolutions


@converter("FusedConv", domain=DOMAIN)
def fused_conv(ctx: Context, node: OnnxNode) -> str:
    """A convolution, plus Z if it is given, then an activation."""
    y, other = conv(ctx, node), node.input(3)
    if other is not None:
        y = ctx.add("add", y, other)
    name, values = node.attr("activation", ""), tuple(node.attr("activation_params") or ())
    if not name:
        return y
    names = PARAMETERS.get(name, ())
    if len(values) > len(names):
        raise ModelError(f"{ctx.describe()}: {name} takes {len(names)} parameters, {len(values)} are given", origin=node.name)
    return activated(ctx, y, name, {k: float(v) for k, v in zip(names, values)})


def channels_first(ctx: Context, x: str) -> str:
    """[N, ..., C] as [N, C, ...]."""
    rank = ctx.rank(x)
    return ctx.permute(x, (0, rank - 1, *range(1, rank - 1)))


def channels_last(ctx: Context, x: str) -> str:
    """[N, C, ...] as [N, ..., C]."""
    rank = ctx.rank(x)
    return ctx.permute(x, (0, *range(2, rank), 1))


@converter("NhwcMaxPool", domain=DOMAIN)
def nhwc_max_pool(ctx: Context, node: OnnxNode) -> str:
    return channels_last(ctx, ctx.convert("MaxPool", channels_first(ctx, node.inputs[0]), **node.attrs))


# Operators that the specification has as well


@converter("Trilu", "GatherND", "GridSample", domain=DOMAIN)
def same_as_specified(ctx: Context, node: OnnxNode) -> Any:
    """Older than the specification's operators of the same name, which mean the same."""
    return ctx.convert(node.op, *node.inputs, **node.attrs)


@converter("Pad", domain=DOMAIN)
def pad_by_operands(ctx: Context, node: OnnxNode) -> str:
    return pad(ctx, node)


@converter("ExpandDims", domain=DOMAIN)
def expand_dims(ctx: Context, node: OnnxNode) -> str:
    """A dimension of size 1 before ``axis``; a negative axis counts the dimensions of the result."""
    x, rank = node.inputs[0], ctx.rank(node.inputs[0])
    axis = int(ctx.number(node.inputs[1], "the axis of ExpandDims"))
    axis = axis + rank + 1 if axis < 0 else axis
    return ctx.reshape(x, (*ctx.size(x)[:axis], 1, *ctx.size(x)[axis:]))
