"""One spelling for each meaning, so that later passes and kernels know fewer cases."""

from __future__ import annotations

import math
from typing import Any

from sol.ir.dim import DimLike, product
from sol.ir.graph import Graph, Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor, apply_rules, rule


def _origin(node: Node) -> dict[str, Any]:
    return {"origin": node.origin}


@rule("group_norm")
def group_norm_to_layer_norm(g: Editor, node: Node) -> str:
    """group_norm(x, w, b) -> reshape(layer_norm(reshape(x, [N, G, -1]))) * w + b, without w or b where there is none"""
    x, *affine = node.inputs
    type, at = node.type, _origin(node)
    groups = node.attrs["groups"]
    rows = g.add("reshape", [x], shape=(type.shape[0], groups, product(type.shape[1:]) // groups), **at)
    normal = g.add("layer_norm", [rows], dims=1, eps=node.attrs["eps"], **at)
    result = g.add("reshape", [normal], shape=type.shape, **at)
    channel = (type.shape[1],) + (1,) * (type.rank - 2)
    for op, operand in zip(("mul", "add"), affine):
        result = g.add(op, [result, g.add("reshape", [operand], shape=channel, **at)], **at)
    return result


def _map_of(g: Editor, pool: Node, spatial: int) -> tuple[tuple[DimLike, ...], tuple[int, ...]]:
    """Sizes and numbers of the dimensions over which an op pools."""
    type = g.type_of(pool.inputs[0])
    dims = tuple(range(type.rank - spatial, type.rank))
    return tuple(type.shape[d] for d in dims), dims


@rule("adaptive_avg_pool", "adaptive_max_pool")
def adaptive_pool_to_pool(g: Editor, node: Node) -> str | None:
    """adaptive pooling whose output divides the input is plain pooling; to one pixel it is a mean (max) over the map"""
    x = node.inputs[0]
    out = node.attrs["output_size"]
    size, dims = _map_of(g, node, len(out))
    if size == tuple(out):
        return x
    if all(o == 1 for o in out):
        op = "mean" if node.op == "adaptive_avg_pool" else "max"
        return g.add(op, [x], dims=dims, keepdims=True, origin=node.origin)
    if not all(isinstance(s, int) and isinstance(o, int) and o and s % o == 0 for s, o in zip(size, out)):
        return None
    step = tuple(s // o for s, o in zip(size, out))
    none = ((0, 0),) * len(step)
    window: dict[str, Any] = {"kernel": step, "stride": step, "padding": none, "ceil_mode": False}
    if node.op == "adaptive_max_pool":
        return g.add("max_pool", [x], **window, dilation=(1,) * len(step), origin=node.origin)
    return g.add("avg_pool", [x], **window, count_include_pad=True, divisor=None, origin=node.origin)


@rule("avg_pool", "max_pool")
def whole_map_pool_to_reduction(g: Editor, node: Node) -> str | None:
    """pooling with a window as large as the unpadded map -> mean (max) over the map"""
    size, dims = _map_of(g, node, len(node.attrs["kernel"]))
    whole = tuple(node.attrs["kernel"]) == size and all(p == (0, 0) for p in node.attrs["padding"])
    if not whole or node.attrs.get("divisor") is not None or any(d != 1 for d in node.attrs.get("dilation", ())):
        return None
    if node.op == "avg_pool" and not node.type.dtype.is_float:
        return None
    op = "mean" if node.op == "avg_pool" else "max"
    return g.add(op, [node.inputs[0]], dims=dims, keepdims=True, origin=node.origin)


@rule("avg_pool", "max_pool")
def pool_of_one_pixel(g: Editor, node: Node) -> str | None:
    """pooling of single pixels, all of them -> x: what exporters make of an adaptive pooling that has nothing to do"""
    attrs = node.attrs
    single = all(k == 1 for k in (*attrs["kernel"], *attrs["stride"])) and all(p == (0, 0) for p in attrs["padding"])
    return node.inputs[0] if single and attrs.get("divisor") in (None, 1) and g.type_of(node.inputs[0]) == node.type else None


@rule("sum", "mean", "max", "min", "prod")
def spatial_reduction_keeps_dims(g: Editor, node: Node) -> str | None:
    """reduce(x[N,C,H,W], (2,3), keepdims=False) -> reshape(reduce(x, (2,3), keepdims=True)): stays in the blocked layout"""
    if node.attrs["keepdims"] or node.attrs["dims"] != (2, 3) or g.type_of(node.inputs[0]).rank != 4:
        return None
    kept = g.add(node.op, node.inputs, dims=(2, 3), keepdims=True, origin=node.origin)
    return g.add("reshape", [kept], shape=node.type.shape, origin=node.origin)


@rule("pow")
def pow_to_products(g: Editor, node: Node) -> str | None:
    """pow(x, 2) -> square(x); pow(x, 3) -> x * square(x); pow(x, 0.5) -> sqrt(x); pow(x, -0.5) -> rsqrt(x); pow(x, -1) -> reciprocal(x)"""
    x, exponent = node.inputs
    constant = g.producer(exponent, op="constant")
    if constant is None or constant.attrs["value"].value.size != 1 or g.type_of(x) != node.type:
        return None
    number, at = float(constant.attrs["value"].value.item()), _origin(node)
    if number == 2:
        return g.add("square", [x], **at)
    if number == 3:
        return g.add("mul", [x, g.add("square", [x], **at)], **at)
    single = {-1.0: "reciprocal", -0.5: "rsqrt", 0.5: "sqrt"}.get(number)
    return g.add(single, [x], **at) if single and node.type.dtype.is_float else None


@rule("linear")
def computed_weight_to_matmul(g: Editor, node: Node) -> str | None:
    """linear(x, w, b) with a weight computed at run time -> matmul(x, transpose(w)) + b"""
    if is_constant(g, node.inputs[1]):
        return None
    x, at = node.inputs[0], _origin(node)
    if g.type_of(x).rank < 2:
        return None
    result = g.add("matmul", [x, g.add("permute", [node.inputs[1]], order=(1, 0), **at)], **at)
    return g.add("add", [result, node.inputs[2]], **at) if len(node.inputs) > 2 else result


@rule("add")
def sum_into_scatter(g: Editor, node: Node) -> str | None:
    """x + scatter(zeros, i, updates, add) -> scatter(x, i, updates, add): the gradient of a table that another layer reads as well"""
    for other, value in (node.inputs, node.inputs[::-1]):
        scatter = g.producer(value, op="scatter")
        if scatter is None or scatter.attrs["reduction"] != "add" or g.sole_user(value) is not node or g.type_of(other) != node.type:
            continue
        if scatter.type == node.type and node.type.dtype.is_float and _is_zeros(g, scatter.inputs[0]) and not is_constant(g, other):
            return g.add("scatter", [other, *scatter.inputs[1:]], **scatter.attrs, **_origin(scatter))
    return None


def _is_zeros(g: Editor, value: str) -> bool:
    """Whether a value is an expansion of zero."""
    expand = g.producer(value, op="expand")
    constant = g.producer(expand.inputs[0], op="constant") if expand is not None else None
    return constant is not None and not constant.attrs["value"].value.any()


def is_constant(g: Editor, value: str) -> bool:
    """Whether a value depends on parameters and literals alone."""
    stack, seen = [value], set()
    while stack:
        node = g.producer(stack.pop())
        if node is None or node.op in ("input", "torch_call") or (not node.inputs and node.op not in ("parameter", "constant")):
            return False
        new = [i for i in node.inputs if i not in seen]
        seen.update(new)
        stack.extend(new)
    return True


@rule("conv")
def pad_into_conv(g: Editor, node: Node) -> str | None:
    """conv(pad(x, zeros)) -> conv(x) with more padding, when only spatial dimensions are padded"""
    pad = g.producer(node.inputs[0], op="pad")
    if pad is None or pad.attrs["value"] != 0 or any(p != (0, 0) for p in pad.attrs["pads"][:2]):
        return None
    if any(a < 0 or b < 0 for a, b in pad.attrs["pads"]):
        return None
    merged = tuple((a + c, b + d) for (a, b), (c, d) in zip(node.attrs["padding"], pad.attrs["pads"][2:]))
    return g.add("conv", [pad.inputs[0], *node.inputs[1:]], origin=node.origin, **node.attrs.having(padding=merged))


@rule("conv")
def one_pixel_conv(g: Editor, node: Node) -> str | None:
    """conv(x[N,C,1,1], w) with padding -> conv(x, the taps of w that meet the pixel) without: the others see only zeros"""
    x, w, attrs = node.inputs[0], node.inputs[1], node.attrs
    spatial = node.type.shape[2:]
    if all(p == (0, 0) for p in attrs["padding"]) or any(s != 1 for s in (*g.type_of(x).shape[2:], *spatial)):
        return None
    taps = [divmod(low, step) for (low, _), step in zip(attrs["padding"], attrs["dilation"])]
    size = g.type_of(w).shape[2:]
    if any(rest or tap >= k for (tap, rest), k in zip(taps, size)):
        return None
    for i, (tap, _) in enumerate(taps):
        w = g.add("slice", [w], dim=i + 2, start=tap, stop=tap + 1, step=1, origin=node.origin)
    plain = attrs.having(padding=((0, 0),) * len(taps), stride=(1,) * len(taps), dilation=(1,) * len(taps))
    return g.add("conv", [x, w, *node.inputs[2:]], origin=node.origin, **plain)


@rule("max_pool")
def relu_after_max_pool(g: Editor, node: Node) -> str | None:
    """max_pool(relu(x)) -> relu(max_pool(x)): both are monotonic, and the pool leaves fewer elements"""
    relu = g.producer(node.inputs[0], op="relu")
    if relu is None or g.sole_user(relu.name) is not node:
        return None
    pooled = g.add("max_pool", relu.inputs, origin=node.origin, **node.attrs)
    return g.add("relu", [pooled], origin=relu.origin)


@rule("avg_pool")
def avg_pool_before_pointwise_conv(g: Editor, pool: Node) -> str | None:
    """avg_pool(conv1x1(x)) -> conv1x1(avg_pool(x)): both are linear, the mean of a bias is the bias, and fewer pixels are left"""
    conv = g.producer(pool.inputs[0], op="conv")
    if conv is None or g.sole_user(conv.name) is not pool or product(pool.attrs["stride"]) < 2:
        return None
    inside = not pool.attrs["ceil_mode"] and pool.attrs["divisor"] is None and all(p == (0, 0) for p in pool.attrs["padding"])
    pointwise = all(s == 1 for s in (*g.type_of(conv.inputs[1]).shape[2:], *conv.attrs["stride"]))
    if not inside or not pointwise or any(p != (0, 0) for p in conv.attrs["padding"]):
        return None
    pooled = g.add("avg_pool", [conv.inputs[0]], origin=pool.origin, **pool.attrs)
    return g.add("conv", [pooled, *conv.inputs[1:]], origin=conv.origin, **conv.attrs)


@rule("clamp")
def clamp_to_relu(g: Editor, node: Node) -> str | None:
    """clamp(x, 0, inf) -> relu(x)"""
    high = node.attrs["high"]
    return g.add("relu", node.inputs, origin=node.origin) if node.attrs["low"] == 0 and (high is None or high == math.inf) else None


@rule("mul")
def gate_to_silu(g: Editor, mul: Node) -> str | None:
    """mul(x, sigmoid(x)) -> silu(x)"""
    for x, gate in (mul.inputs, mul.inputs[::-1]):
        sigmoid = g.producer(gate, op="sigmoid")
        if sigmoid and sigmoid.inputs == (x,) and g.sole_user(gate) is mul:
            return g.add("silu", [x], origin=mul.origin)
    return None


@rule(*POINTWISE)
def broadcast_operand(g: Editor, node: Node) -> str | None:
    """f(x, expand(y)) -> f(x, y) and f(x, constant of one element) -> f(x, scalar) where broadcasting gives the same shape"""
    if len(node.inputs) < 2:
        return None
    inputs = list(node.inputs)
    for i, value in enumerate(inputs):
        producer = g.producer(value)
        if producer is None:
            continue
        others = any(g.type_of(v).shape == node.type.shape for j, v in enumerate(inputs) if j != i)
        if producer.op == "expand" and others:
            inputs[i] = producer.inputs[0]
        elif producer.op == "constant" and producer.type.rank and producer.attrs["value"].value.size == 1 and others:
            inputs[i] = g.constant(producer.attrs["value"].value.reshape(()), producer.type.dtype)
    if inputs == list(node.inputs):
        return None
    return g.add(node.op, inputs, origin=node.origin, **node.attrs)


RULES = (
    group_norm_to_layer_norm,
    adaptive_pool_to_pool,
    whole_map_pool_to_reduction,
    pool_of_one_pixel,
    spatial_reduction_keeps_dims,
    pow_to_products,
    computed_weight_to_matmul,
    sum_into_scatter,
    pad_into_conv,
    one_pixel_conv,
    relu_after_max_pool,
    avg_pool_before_pointwise_conv,
    clamp_to_relu,
    gate_to_silu,
    broadcast_operand,
)


def canonicalize_ops(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, RULES)
