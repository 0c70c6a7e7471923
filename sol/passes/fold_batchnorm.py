"""BatchNorm in inference is a scale and a shift per channel: into the weights of the convolution before it, else two pointwise ops."""

from __future__ import annotations

from typing import Any

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule


def fold_batchnorm(graph: Graph) -> Graph:
    """Remove every batch_norm: into the convolution before it where that and the statistics are constants."""
    constants = graph.constant_values

    @rule("batch_norm")
    def batch_norm_to_scale_shift(g: Editor, norm: Node) -> str | None:
        """batch_norm(conv(x, w, b)) -> conv(x, w * s, b * s + t); otherwise batch_norm(x) -> x * s + t

        with s = weight / sqrt(var + eps), t = bias - mean * s.
        """
        x, weight, bias, mean, var = norm.inputs
        at: dict[str, Any] = {"origin": norm.origin}
        dtype = g.type_of(var).dtype
        eps = g.constant(norm.attrs["eps"], dtype)
        scale = g.add("mul", [weight, g.add("rsqrt", [g.add("add", [var, eps], **at)], **at)], **at)
        shift = g.add("sub", [bias, g.add("mul", [mean, scale], **at)], **at)
        conv = g.producer(x)
        foldable = conv is not None and conv.op in ("conv", "linear") and g.sole_user(x) is norm
        if foldable and constants.issuperset((weight, bias, mean, var, *conv.inputs[1:])) and (conv.op == "conv" or g.type_of(x).rank == 2):
            kernel = g.type_of(conv.inputs[1])
            column = g.add("reshape", [scale], shape=(kernel.shape[0],) + (1,) * (kernel.rank - 1), **at)
            scaled = g.add("mul", [conv.inputs[1], column], **at)
            if len(conv.inputs) > 2:
                shift = g.add("add", [g.add("mul", [conv.inputs[2], scale], **at), shift], **at)
            return g.add(conv.op, [conv.inputs[0], scaled, shift], origin=conv.origin, **conv.attrs)
        rank = g.type_of(x).rank
        channel = (g.type_of(x).shape[1],) + (1,) * (rank - 2)
        scaled = g.add("mul", [x, g.add("reshape", [scale], shape=channel, **at)], **at)
        return g.add("add", [scaled, g.add("reshape", [shift], shape=channel, **at)], **at)

    return apply_rules(graph, [batch_norm_to_scale_shift])
