"""First convolutions with stride 2 and large filters become convolutions with stride 1 over four times the channels.

The pixels of each 2 x 2 square become channels (space to depth), and taps an even distance apart a filter half as large. That makes the
first layer of most image networks one for Winograd's algorithm, which needs a third of the multiplications.
"""

from __future__ import annotations

from sol.config import config
from sol.ir.dim import DimLike
from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, Rule, apply_rules, rule
from sol.ir.types import DType
from sol.passes.canonicalize_ops import is_constant

SMALLEST = 5
"""Taps per axis below which the zeros that fill up the filter cost what is saved."""
LEAST_ERROR = 5e-6
"""``conv_max_error`` below which Winograd's algorithm is not to be counted on."""


def fold_stem_strides(graph: Graph, lanes: int) -> Graph:
    """Rewrite the convolutions whose input has few channels for vectors of ``lanes``, but a quarter vector at least, and even strides."""
    return apply_rules(graph, [_rule(lanes)]) if config["conv_max_error"] >= LEAST_ERROR else graph


def _rule(lanes: int) -> Rule:
    @rule("conv")
    def unstride(g: Editor, node: Node) -> str | None:
        """conv(x, w, stride 2) -> conv(space_to_depth(x), space_to_depth(pad(w)), stride 1)"""
        x, w = (g.type_of(v) for v in node.inputs[:2])
        attrs, sizes = node.attrs, (*x.shape[1:], *w.shape)
        if x.rank != 4 or x.dtype is not DType.F32 or not all(isinstance(s, int) for s in sizes) or not is_constant(g, node.inputs[1]):
            return None
        if attrs["groups"] != 1 or attrs["stride"] != (2, 2) or attrs["dilation"] != (1, 1) or min(w.shape[2:]) < SMALLEST:
            return None
        if not lanes <= 8 * x.shape[1] < 4 * lanes:
            return None
        axes = [_halved(x.shape[d], w.shape[d], attrs["padding"][d - 2], node.type.shape[d]) for d in (2, 3)]
        if any(hi < 0 for _, (_, hi) in axes):
            return None
        taps = g.add("pad", [node.inputs[1]], pads=((0, 0), (0, 0), *(zeros for zeros, _ in axes)), value=0, origin=node.origin)
        image, filters = (g.add("space_to_depth", [v], origin=node.origin) for v in (node.inputs[0], taps))
        padding = tuple(pads for _, pads in axes)
        new = {**attrs, "stride": (1, 1), "padding": padding}
        return g.add("conv", [image, filters, *node.inputs[2:]], origin=node.origin, **new)

    return unstride


def _halved(size: DimLike, taps: DimLike, padding: tuple[int, int], out: DimLike) -> tuple[tuple[int, int], tuple[int, int]]:
    """Along one axis: zeros around the filter, padding of the halved image."""
    assert isinstance(size, int) and isinstance(taps, int) and isinstance(out, int)
    before = padding[0] % 2
    after = (taps + before) % 2
    low = (padding[0] + before) // 2
    return (before, after), (low, out - 1 + (taps + before + after) // 2 - (size + 1) // 2 - low)
