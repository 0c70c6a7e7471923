"""Convolutions with few channels per group in blocked layout: depthwise, and groups narrower than a vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels.blocked import make_tail, need_blocked, padded_view
from sol.codegen.kernels.conv_shape import read_conv
from sol.codegen.kernels.conv_small_cost import Small, Tile, depthwise_seconds, grouped_seconds
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike, ceil_div, product
from sol.ir.graph import Node
from sol.ir.types import DType

#: Filter rows longer than this are run-time loops.
UNROLLED_TAPS = 9


def _is_small(lowering: Lowering) -> bool:
    """Blocked float32 in and out, one or two spatial dimensions, constant weights, as many outputs as inputs."""
    conv = lowering.anchor
    x, w = (lowering.type_of(v) for v in conv.inputs[:2])
    lanes = lowering.target.lanes
    return (
        x.dtype is DType.F32
        and len(lowering.body.outputs) == 1
        and conv.inputs[0] in lowering.body.inputs
        and lowering.type_of(lowering.output).shape == conv.type.shape
        and x.layout.block == lanes
        and lowering.type_of(lowering.output).layout.block == lanes
        and 3 <= x.rank <= 4
        and all(lowering.is_constant(v) for v in conv.inputs[1:])
        and w.is_static
        and x.shape[1] == w.shape[0]
    )


def is_depthwise(lowering: Lowering) -> bool:
    """groups == C == K."""
    return _is_small(lowering) and lowering.type_of(lowering.anchor.inputs[1]).shape[1] == 1


def is_narrow_grouped(lowering: Lowering) -> bool:
    """C / groups == K / groups == g, where g > 1 is a proper divisor of the lanes."""
    if not _is_small(lowering):
        return False
    g, lanes = lowering.type_of(lowering.anchor.inputs[1]).shape[1], lowering.target.lanes
    return isinstance(g, int) and 1 < g < lanes and lanes % g == 0


def _is_hoisted(shape: _Shape, target: TargetLike) -> bool:
    """Do all weights stay in registers?"""
    return shape.R * shape.S <= 9 and shape.dy == shape.dx == 1 and target.registers >= 32


def _depthwise_tile(shape: _Shape, target: TargetLike) -> Tile:
    """The model's choice."""
    width = min(7, target.registers - shape.S - 2) if shape.S <= UNROLLED_TAPS else 7
    return 2 if _is_hoisted(shape, target) and shape.sy == shape.sx == 1 and shape.H != 1 else 1, width


def lower_depthwise(lowering: Lowering, found: Small) -> None:
    """One launch; see templates/conv_depthwise.c.j2."""
    target, shape = lowering.target, _Shape(lowering)
    hoisted, unrolled = _is_hoisted(shape, target), shape.S <= UNROLLED_TAPS
    height, width = found.tile
    widths, heights = tile_ladder(shape.W, width), tile_ladder(shape.H, height, even=False)
    mode = "hoisted" if hoisted else "rows" if unrolled else "taps"
    if mode != "hoisted":
        heights = (1,)
    context: dict[str, Any] = {"mode": mode, "heights": heights, "fetched": target.machine.direct.depthwise_ahead}
    params: dict[str, DimLike] = {}
    if mode == "hoisted":
        kernel, stride = (shape.R, shape.S), (shape.sy, shape.sx)
        context |= {"R": shape.R, "hoisted": {(h, w): tile_taps(kernel, stride, h, w) for h in heights for w in widths}}
    else:
        context |= {"R": "R"}
        params["R"] = shape.R
    context["S"] = "S" if mode == "taps" else shape.S
    if mode == "taps":
        params["S"] = shape.S
    shape.emit("conv_depthwise.c.j2", f"conv_depthwise{shape.R}x{shape.S}", "conv_depthwise", widths, params, **context)


def _depthwise_tiles(lowering: Lowering) -> list[Tile]:
    """Other tiles (rows x pixels) of a 3x3 or smaller filter: what the registers hold beside its weights and a few columns."""
    target, shape = lowering.target, _Shape(lowering)
    taps = shape.R * shape.S
    if taps > 9 or (shape.dy, shape.dx) != (1, 1) or target.registers < 32 or not isinstance(shape.W, int) or not isinstance(shape.H, int):
        return []
    most = target.registers - taps - 3
    tiles = [(h, w) for h, w in ((1, 14), (1, 7), (2, 7), (3, 5), (2, 8), (4, 4), (1, 4), (2, 4)) if h * w <= most and h <= shape.H]
    return list(dict.fromkeys((h, tile_ladder(shape.W, w)[0]) for h, w in tiles if h == 1 or (shape.sy, shape.sx) == (1, 1)))


def _match_depthwise(lowering: Lowering) -> Iterator[Decision]:
    if is_depthwise(lowering):
        conv = read_conv(lowering)
        yield Decision("conv_depthwise", Small(_depthwise_tile(_Shape(lowering), lowering.target), conv))
        for tile in _depthwise_tiles(lowering):
            yield Decision("conv_depthwise", Small(tile, conv), f"{tile[0]}x{tile[1]}")


def _grouped_tile(shape: _Shape, g: int, target: TargetLike) -> Tile:
    """The model's choice: what the registers hold beside weights and inputs."""
    if shape.S > UNROLLED_TAPS:
        return 1, target.registers // 2
    return 1, min(14, target.registers - 4 - (shape.S * g if _are_held(shape, g, target) else g))


def _are_held(shape: _Shape, g: int, target: TargetLike) -> bool:
    """Do the weights of a row of the filter stay in registers?"""
    return shape.S * g <= target.registers // 2 - 2


def lower_grouped(lowering: Lowering, found: Small) -> None:
    """One launch; see templates/conv_grouped.c.j2."""
    target, shape = lowering.target, _Shape(lowering)
    g = lowering.type_of(lowering.anchor.inputs[1]).shape[1]
    assert isinstance(g, int)
    unrolled = shape.S <= UNROLLED_TAPS
    widths = tile_ladder(shape.W, found.tile[1])
    spreads = tuple(tuple(k // g * g + j for k in range(target.lanes)) for j in range(g))
    params: dict[str, DimLike] = {"R": shape.R} if unrolled else {"R": shape.R, "S": shape.S}
    shape.emit(
        "conv_grouped.c.j2",
        f"conv_grouped{g}_{shape.R}x{shape.S}",
        "conv_grouped",
        widths,
        params,
        S=shape.S if unrolled else "S",
        g=g,
        unrolled=unrolled,
        weights_in_registers=_are_held(shape, g, target),
        spreads=spreads,
    )


def _match_grouped(lowering: Lowering) -> Iterator[Decision]:
    """Variants are other tile widths."""
    if not is_narrow_grouped(lowering):
        return
    shape, conv = _Shape(lowering), read_conv(lowering)
    group = lowering.type_of(lowering.anchor.inputs[1]).shape[1]
    assert isinstance(group, int)
    yield Decision("conv_grouped", Small(_grouped_tile(shape, group, lowering.target), conv))
    size = shape.W
    for width in dict.fromkeys(tile_ladder(size, w)[0] for w in (14, 10, 7, 5)) if isinstance(size, int) else ():
        yield Decision("conv_grouped", Small((1, width), conv), str(width))


def tile_ladder(size: DimLike, widest: int, even: bool = True) -> tuple[int, ...]:
    """Tile widths, tried in turn, that cover every column of a row.

    A fixed size is cut into equal tiles (``even``) and a remainder; a symbolic one gets ever smaller tiles down to 1.
    """
    if not isinstance(size, int):
        return tuple(dict.fromkeys((widest, max(widest // 3, 1), 1)))
    tiles = max(-(-size // widest), 1)
    width = max(-(-size // tiles), 1) if even else min(widest, max(size, 1))
    return (width, size % width) if size % width else (width,)


class _Shape:
    """Sizes of one small convolution as its templates name them; a 1-d convolution has one row."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering, conv = lowering, lowering.anchor
        need_blocked(lowering, conv.inputs[0], lowering.output)
        self.conv: Node = conv
        out = lowering.type_of(conv.name)
        self.N, self.C = out.shape[:2]
        self.H, self.W = _pair(out.shape[2:], 1)
        self.R, self.S = (int(k) for k in _pair(lowering.type_of(conv.inputs[1]).shape[2:], 1))  # type: ignore[arg-type]
        self.sy, self.sx = _pair(conv.attrs["stride"], 1)
        self.dy, self.dx = _pair(conv.attrs["dilation"], 1)

    def emit(
        self, template: str, stem: str, pack: str, widths: tuple[int, ...], params: dict[str, DimLike], **context: Any
    ) -> None:
        """Launch with everything that both templates take."""
        lowering, conv, lanes = self.lowering, self.conv, self.lowering.target.lanes
        tail = make_tail(lowering, conv.name, ("y", "x"))
        source = padded_view(lowering, conv.inputs[0], conv.attrs["padding"])
        out = lowering.view(lowering.output)
        blocks = ceil_div(self.C, lanes)
        weight = lowering.weight(conv.inputs[1], pack, block=lanes)
        reads: dict[str, View] = {"in": source, "weight": weight}
        by_rows = lowering.follow_share(conv.inputs[0])
        sizes: dict[str, DimLike] = {"N": self.N, "CB": blocks, "H": self.H, "W": self.W, "by_rows": by_rows, **params}
        if len(conv.inputs) == 3:
            reads["bias"] = lowering.view(conv.inputs[2])
            sizes["K"] = self.C
        for prefix, view in (("in", source), ("out", out)):
            sizes |= {
                f"{prefix}_n": view.strides[0],
                f"{prefix}_b": view.strides[1],
                f"{prefix}_y": _pair(view.strides[2:-1], 0)[0],
            }
        taps = product(lowering.type_of(conv.inputs[1]).shape[1:])
        result = product(lowering.type_of(conv.name).shape)
        lowering.emit(
            template,
            f"{stem}s{self.sx}_{'_'.join(map(str, widths))}{tail.stem}",
            reads={**reads, **dict(tail.reads)},
            writes={"out": out},
            params={**sizes, **dict(tail.params)},
            flops=2 * taps * result,
            bytes=4 * (product(lowering.type_of(conv.inputs[0]).shape) + result),
            lanes=lanes,
            widths=widths,
            rows={w: column_taps(self.S, self.sx, self.dx, w) for w in widths},
            sx=self.sx,
            sy=self.sy,
            dx=self.dx,
            dy=self.dy,
            has_bias=len(conv.inputs) == 3,
            tail=tail.text,
            **context,
        )


def _pair(values: Sequence[Any], fill: Any) -> tuple[Any, Any]:
    return (fill, values[0]) if len(values) == 1 else (values[0], values[1])


def column_taps(S: int, sx: int, dx: int, width: int) -> tuple[tuple[int, tuple[tuple[int, int], ...]], ...]:
    """Input columns of a tile, each with the (output column, tap) pairs that read it."""
    uses: dict[int, list[tuple[int, int]]] = {}
    for s in range(S if S <= UNROLLED_TAPS else 0):
        for u in range(width):
            uses.setdefault(u * sx + s * dx, []).append((u, s))
    return tuple((ix, tuple(sorted(uses[ix]))) for ix in sorted(uses))


def tile_taps(kernel: tuple[int, int], stride: tuple[int, int], height: int, width: int) -> tuple[Any, ...]:
    """Input rows of a tile, each with its columns and the (output row, output column, tap) triples that read them."""
    rows: dict[int, dict[int, list[tuple[int, int, int]]]] = {}
    for v in range(height):
        for r in range(kernel[0]):
            for ix, uses in column_taps(kernel[1], stride[1], 1, width):
                columns = rows.setdefault(v * stride[0] + r, {})
                columns.setdefault(ix, []).extend((v, u, r * kernel[1] + s) for u, s in uses)
    return tuple(
        (iy, tuple(sorted((ix, tuple(u)) for ix, u in columns.items()))) for iy, columns in sorted(rows.items())
    )


CANDIDATES = (
    Candidate("conv_depthwise", _match_depthwise, lower_depthwise, depthwise_seconds, ranked=False),
    Candidate("conv_grouped", _match_grouped, lower_grouped, grouped_seconds, ranked=False),
)

__all__ = ["CANDIDATES", "column_taps", "is_depthwise", "is_narrow_grouped", "tile_ladder", "tile_taps"]
