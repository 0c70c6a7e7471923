"""Convolutions with few channels per group in blocked layout: depthwise, and groups narrower than a vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels.blocked import make_tail, need_blocked, padded_view
from sol.codegen.kernels.conv_shape import read_conv, static_size
from sol.codegen.kernels.conv_small_cost import Small, Tile, depthwise_seconds, grouped_seconds
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import DimLike, ceil_div, product
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


def _is_hoisted(g: int, kernel: tuple[int, int], dilation: tuple[int, int], target: TargetLike) -> bool:
    """Do all weights stay in registers?"""
    return g == 1 and kernel[0] * kernel[1] <= 9 and dilation == (1, 1) and target.registers >= 32


def _are_held(g: int, taps: int, target: TargetLike) -> bool:
    """Do the weights of a row of the filter stay in registers?"""
    return g == 1 or taps * g <= target.registers // 2 - 2


def _chosen_tile(
    target: TargetLike, kernel: tuple[int, int], stride: tuple[int, int], dilation: tuple[int, int], g: int, rows: DimLike
) -> Tile:
    """The model's choice: what the registers hold beside weights and inputs. rows: of the result."""
    (_, S), registers = kernel, target.registers
    if g == 1:
        width = max(1, min(7, registers - S - 2)) if S <= UNROLLED_TAPS else 7
    else:
        width = min(14, registers - 4 - (S * g if _are_held(g, S, target) else g)) if S <= UNROLLED_TAPS else registers // 2
    return 2 if _is_hoisted(g, kernel, dilation, target) and stride == (1, 1) and rows != 1 else 1, width


def columns_context(
    target: TargetLike, kernel: tuple[int, int], stride: tuple[int, int], dilation: tuple[int, int], g: int, size: tuple[DimLike, DimLike],
    tile: Tile | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Template context of tiles (templates/conv_columns.c.j2) that cover maps of ``size`` with groups of ``g`` channels."""
    (R, S), hoisted, unrolled = kernel, _is_hoisted(g, kernel, dilation, target), kernel[1] <= UNROLLED_TAPS
    height, width = tile or _chosen_tile(target, kernel, stride, dilation, g, size[0])
    widths = tile_ladder(size[1], width)
    heights = tile_ladder(size[0], height, even=False) if hoisted else (1,)
    return {
        "mode": "hoisted" if hoisted else "rows" if unrolled else "taps", "heights": heights, "widths": widths,
        "g": g, "grouped": g > 1, "held": _are_held(g, S, target),
        "R": R if hoisted else "R", "S": S if unrolled else "S", "sy": stride[0], "sx": stride[1], "dy": dilation[0], "dx": dilation[1],
        "hoisted": {(h, w): tile_taps(kernel, stride, h, w) for h in heights for w in widths} if hoisted else {},
        "rows": {w: column_taps(S, stride[1], dilation[1], w) for w in widths},
    }  # fmt: skip


def lower_small(lowering: Lowering, found: Small) -> None:
    """One launch; see templates/conv_small.c.j2."""
    target, conv, shape = lowering.target, lowering.anchor, _Shape(lowering)
    lanes, g = target.lanes, shape.g
    tail = make_tail(lowering, conv.name, ("y", "x"))
    source, out = padded_view(lowering, conv.inputs[0], conv.attrs["padding"]), lowering.view(lowering.output)
    context = columns_context(target, shape.kernel, shape.stride, shape.dilation, g, (shape.H, shape.W), found.tile)
    kind = f"conv_grouped{g}_" if g > 1 else "conv_depthwise"
    reads = {"in": source, "weight": lowering.weight(conv.inputs[1], "conv_grouped" if g > 1 else "conv_depthwise", block=lanes)}
    sizes: dict[str, DimLike] = {"N": shape.N, "CB": ceil_div(shape.C, lanes), "H": shape.H, "W": shape.W}
    sizes["by_rows"] = lowering.follow_share(conv.inputs[0])
    sizes |= {name: size for name, size in zip("RS", shape.kernel) if context[name] == name}
    if len(conv.inputs) == 3:
        reads["bias"] = lowering.view(conv.inputs[2])
        sizes["K"] = shape.C
    for prefix, view in (("in", source), ("out", out)):
        steps = (*view.strides[:2], _pair(view.strides[2:-1], 0)[0])
        sizes |= {f"{prefix}_{axis}": step for axis, step in zip("nby", steps)}
    result = product(lowering.type_of(conv.name).shape)
    lowering.emit(
        "conv_small.c.j2",
        f"{kind}{'x'.join(map(str, shape.kernel))}s{shape.stride[1]}_{'_'.join(map(str, context['widths']))}{tail.stem}",
        reads={**reads, **dict(tail.reads)},
        writes={"out": out},
        params={**sizes, **dict(tail.params)},
        flops=2 * g * product(shape.kernel) * result,
        bytes=4 * (product(lowering.type_of(conv.inputs[0]).shape) + result),
        lanes=lanes, has_bias=len(conv.inputs) == 3, tail=tail.text, fetched=0 if g > 1 else target.machine.direct.depthwise_ahead,
        spreads=tuple(tuple(k // g * g + j for k in range(lanes)) for j in range(g)) if g > 1 else (), **context,
    )  # fmt: skip


def _depthwise_tiles(lowering: Lowering) -> list[Tile]:
    """Other tiles (rows x pixels) of a 3x3 or smaller filter: what the registers hold beside its weights and a few columns."""
    target, shape = lowering.target, _Shape(lowering)
    taps = product(shape.kernel)
    if taps > 9 or shape.dilation != (1, 1) or target.registers < 32 or not isinstance(shape.W, int) or not isinstance(shape.H, int):
        return []
    most = target.registers - taps - 3
    tiles = [(h, w) for h, w in ((1, 14), (1, 7), (2, 7), (3, 5), (2, 8), (4, 4), (1, 4), (2, 4)) if h * w <= most and h <= shape.H]
    return list(dict.fromkeys((h, tile_ladder(shape.W, w)[0]) for h, w in tiles if h == 1 or shape.stride == (1, 1)))


def _match_depthwise(lowering: Lowering) -> Iterator[Decision]:
    if is_depthwise(lowering):
        conv = read_conv(lowering)
        yield Decision("conv_depthwise", Small(_Shape(lowering).chosen_tile(lowering.target), conv))
        for tile in _depthwise_tiles(lowering):
            yield Decision("conv_depthwise", Small(tile, conv), f"{tile[0]}x{tile[1]}")


def _match_grouped(lowering: Lowering) -> Iterator[Decision]:
    """Variants are other tile widths."""
    if not is_narrow_grouped(lowering):
        return
    shape, conv = _Shape(lowering), read_conv(lowering)
    yield Decision("conv_grouped", Small(shape.chosen_tile(lowering.target), conv))
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
    """Sizes of one small convolution as its template names them; a 1-d convolution has one row. g: channels of a group."""

    def __init__(self, lowering: Lowering) -> None:
        conv = lowering.anchor
        need_blocked(lowering, conv.inputs[0], lowering.output)
        out, weight = lowering.type_of(conv.name), lowering.type_of(conv.inputs[1])
        self.N, self.C = out.shape[:2]
        self.H, self.W = _pair(out.shape[2:], 1)
        self.g, rows, columns = (static_size(k) for k in (weight.shape[1], *_pair(weight.shape[2:], 1)))
        self.kernel = rows, columns
        self.stride, self.dilation = _pair(conv.attrs["stride"], 1), _pair(conv.attrs["dilation"], 1)

    def chosen_tile(self, target: TargetLike) -> Tile:
        """The model's choice of a register tile."""
        return _chosen_tile(target, self.kernel, self.stride, self.dilation, self.g, self.H)


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
    Candidate("conv_depthwise", _match_depthwise, lower_small, depthwise_seconds, ranked=False),
    Candidate("conv_grouped", _match_grouped, lower_small, grouped_seconds, ranked=False),
)

__all__ = ["CANDIDATES", "columns_context", "is_depthwise", "is_narrow_grouped", "tile_ladder"]
