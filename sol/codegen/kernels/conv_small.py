"""Convolutions with few channels per group in blocked layout: depthwise, and groups narrower than a vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product as pairs_of
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.element import PRODUCT_TYPES, element
from sol.codegen.kernels.blocked import blocked_epilogue, need_blocked, padded_view
from sol.codegen.kernels.conv_problem import can_be_summed
from sol.codegen.kernels.conv_shape import Conv, column_step, pitch, read_conv, spatial_strides
from sol.codegen.kernels.conv_small_cost import Small, Tile, small_seconds
from sol.codegen.kernels.conv_sums import TABLE, maps_of, read_sums, sum_context, sum_params
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import DimLike, product
from sol.ir.types import DType
from sol.passes.fused_types import is_widening

#: Filter rows longer than this are run-time loops.
UNROLLED_TAPS = 9


def _source(lowering: Lowering, conv: Conv) -> str:
    """What the kernel reads: the convolution's input, or the narrower values of which that is the widening."""
    x, body = conv.node.inputs[0], lowering.body
    cast = body.producer(x)
    return cast.inputs[0] if is_widening(body, cast) else x


def _read(lowering: Lowering) -> Conv | None:
    """The region's convolution: float32, blocked, as many outputs as inputs, channels of a group a proper divisor of the lanes. It may read
    and store a narrower type."""
    conv, lanes = read_conv(lowering), lowering.target.lanes
    if conv is None or conv.dtype is not DType.F32 or conv.c != conv.k or lanes % conv.group or conv.group == lanes:
        return None
    x, outputs, sums = _source(lowering, conv), maps_of(lowering, conv.node), read_sums(lowering, conv.node)
    if x not in lowering.body.inputs or len(outputs) != 1:
        return None
    result = lowering.type_of(outputs[0])
    blocked = lowering.type_of(x).layout.block == result.layout.block == lanes
    fits = blocked and result.shape == conv.node.type.shape and result.dtype in PRODUCT_TYPES
    summable = sums is None or result.dtype is DType.F32 and can_be_summed(lowering, conv, sums)
    return conv if fits and summable else None


def _is_hoisted(conv: Conv, target: TargetLike) -> bool:
    """Do all weights stay in registers?"""
    return conv.group == 1 and product(conv.kernel) <= 9 and conv.dilation == (1, 1) and target.registers >= 32


def _are_held(conv: Conv, target: TargetLike) -> bool:
    """Do the weights of a row of the filter stay in registers?"""
    return conv.group == 1 or conv.kernel[1] * conv.group <= target.registers // 2 - 2


def _chosen_tile(target: TargetLike, conv: Conv, rows: DimLike) -> Tile:
    """The model's choice: what the registers hold beside weights and inputs. rows: of the result."""
    taps, registers = conv.kernel[1], target.registers
    if conv.group == 1:
        width = max(1, min(7, registers - taps - 2)) if taps <= UNROLLED_TAPS else 7
    else:
        width = min(14, registers - 4 - (taps if _are_held(conv, target) else 1) * conv.group) if taps <= UNROLLED_TAPS else registers // 2
    return 2 if _is_hoisted(conv, target) and conv.stride == (1, 1) and rows != 1 else 1, width


def columns_context(
    target: TargetLike, conv: Conv, size: tuple[DimLike, DimLike], tile: Tile | None = None, read: DType = DType.F32,
    written: DType = DType.F32,
) -> dict[str, Any]:  # fmt: skip
    """Template context of tiles (templates/conv_columns.c.j2) that cover maps of ``size``. read, written: dtypes of what lies in memory."""
    (R, S), hoisted, unrolled = conv.kernel, _is_hoisted(conv, target), conv.kernel[1] <= UNROLLED_TAPS
    height, width = tile or _chosen_tile(target, conv, size[0])
    widths, heights = tile_ladder(size[1], width), tile_ladder(size[0], height, even=False) if hoisted else (1,)
    taps = (R if hoisted else 1, S if unrolled else 1)
    return {
        "read": element(read), "written": element(written),
        "hoisted": hoisted, "heights": heights, "widths": widths, "g": conv.group, "grouped": conv.group > 1,
        "held": not unrolled or _are_held(conv, target),
        "R": R if hoisted else "R", "S": S if unrolled else "S", "sy": conv.stride[0], "sx": conv.stride[1],
        "dy": conv.dilation[0], "dx": conv.dilation[1], "taps": taps,
        "uses": {(h, w): tile_taps(taps, conv.stride, conv.dilation, h, w) for h in heights for w in widths},
    }  # fmt: skip


def tile_taps(kernel: Tile, stride: Tile, dilation: Tile, height: int, width: int) -> tuple[Any, ...]:
    """Input rows of a tile, each with its columns and the (output row, output column, tap) triples that read them."""
    rows: dict[int, dict[int, list[tuple[int, int, int]]]] = {}
    for v, u, r, s in pairs_of(range(height), range(width), range(kernel[0]), range(kernel[1])):
        columns = rows.setdefault(v * stride[0] + r * dilation[0], {})
        columns.setdefault(u * stride[1] + s * dilation[1], []).append((v, u, r * kernel[1] + s))
    return tuple((y, tuple((x, tuple(columns[x])) for x in sorted(columns))) for y, columns in sorted(rows.items()))


def _lower(lowering: Lowering, found: Small) -> None:
    """One launch; see templates/conv_small.c.j2."""
    target, conv = lowering.target, found.conv
    lanes, g, node = target.lanes, conv.group, conv.node
    sums, (result,), x = read_sums(lowering, node), maps_of(lowering, node), _source(lowering, conv)
    epilogue = blocked_epilogue(lowering, node.name, ("y", "x"), result, sums.epilogue if sums else ())
    source, out = padded_view(lowering, x, node.attrs["padding"]), lowering.view(result)
    context = columns_context(target, conv, (conv.oh, conv.ow), found.tile, source.dtype, out.dtype)
    reads = {"in": source, "weight": lowering.weight(node.inputs[1], "conv_grouped" if g > 1 else "conv_depthwise", block=lanes)}
    if len(node.inputs) == 3:
        reads["bias"] = lowering.weight(node.inputs[2], "channels", block=lanes)
    sizes: dict[str, DimLike] = {"N": conv.n, "CB": -(-conv.c // lanes), "H": conv.oh, "W": conv.ow}
    sizes["by_rows"] = lowering.follow_share(x)
    sizes |= {name: size for name, size in zip("RS", conv.kernel) if context[name] == name}
    for prefix, view in (("in", source), ("out", out)):
        sizes |= {f"{prefix}_{axis}": step for axis, step in zip("nby", spatial_strides(view.strides))}
    writes, blocks = {"out": out, **(sums.named if sums else {})}, -(-conv.c // lanes)
    sizes |= sum_params(sums, conv.c, lanes, blocks, 0, 0) if sums else {}
    kind, widths = f"conv_grouped{g}_" if g > 1 else "conv_depthwise", "_".join(map(str, context["widths"]))
    lowering.emit(
        "conv_small.c.j2", f"{kind}{conv.kernel[0]}x{conv.kernel[1]}s{conv.stride[1]}_{widths}{epilogue.stem}{'_and_sums' if sums else ''}",
        reads=reads | dict(epilogue.reads), writes=writes, params=sizes | dict(epilogue.params), flops=conv.flops,
        bytes=source.dtype.itemsize * product(lowering.type_of(x).shape) + out.dtype.itemsize * product(node.type.shape),
        lanes=lanes, out_pitch=pitch(column_step(out, lanes)), has_bias="bias" in reads, epilogue=epilogue.text,
        fetched=0 if g > 1 else target.machine.direct.depthwise_ahead,
        sums=sum_context(sums) if sums else (), scratch=sums.bytes(lanes) * blocks if sums else 0, shared_scratch=TABLE if sums else 0,
        spreads=tuple(tuple(k // g * g + j for k in range(lanes)) for j in range(g)) if g > 1 else (), **context,
    )  # fmt: skip


def _tiles(conv: Conv, target: TargetLike) -> list[Tile]:
    """Other tiles (rows x pixels), promising ones first. Depthwise: what the registers hold beside all weights and a few columns."""
    rows, columns, taps = conv.oh, conv.ow, product(conv.kernel)
    if not isinstance(rows, int) or not isinstance(columns, int):
        return []
    found = [(1, 14), (1, 10), (1, 7), (1, 5)]
    if conv.group == 1:
        most = target.registers - taps - 3 if _is_hoisted(conv, target) else 0
        sizes = [(1, 14), (1, 7), (2, 7), (3, 5), (2, 8), (4, 4), (1, 4), (2, 4)]
        found = [(h, w) for h, w in sizes if h * w <= most and h <= rows and (h == 1 or conv.stride == (1, 1))]
    return list(dict.fromkeys((h, tile_ladder(columns, w)[0]) for h, w in found))


def _matching(name: str) -> Callable[[Lowering], Iterator[Decision]]:
    """What offers the ways of a candidate of this name. Variants are other tiles."""

    def match(lowering: Lowering) -> Iterator[Decision]:
        conv, target = _read(lowering), lowering.target
        if conv is None or name != ("conv_depthwise" if conv.group == 1 else "conv_grouped"):
            return
        (result,) = maps_of(lowering, conv.node)
        apart = column_step(lowering.view(result), target.lanes) > 1  # which is as good as side by side
        need_blocked(lowering, _source(lowering, conv), dtypes=PRODUCT_TYPES)
        if not apart:
            need_blocked(lowering, result, dtypes=PRODUCT_TYPES)
        yield Decision(name, Small(_chosen_tile(target, conv, conv.oh), conv))
        for height, width in _tiles(conv, target):
            yield Decision(name, Small((height, width), conv), f"{height}x{width}")

    return match


def tile_ladder(size: DimLike, widest: int, even: bool = True) -> tuple[int, ...]:
    """Tile widths, tried in turn, that cover every column of a row.

    A fixed size is cut into equal tiles (``even``) and a remainder; a symbolic one gets ever smaller tiles down to 1.
    """
    if not isinstance(size, int):
        return tuple(dict.fromkeys((widest, max(widest // 3, 1), 1)))
    tiles = max(-(-size // widest), 1)
    width = max(-(-size // tiles), 1) if even else min(widest, max(size, 1))
    return (width, size % width) if size % width else (width,)


CANDIDATES = tuple(Candidate(name, _matching(name), _lower, small_seconds, ranked=False) for name in ("conv_depthwise", "conv_grouped"))

__all__ = ["CANDIDATES", "columns_context", "tile_ladder"]
