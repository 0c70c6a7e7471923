"""Convolutions of bytes in blocks of channels (int_conv), exact in int32: dense ones by tiles of the direct product, and depthwise ones.

Four channels of a pixel are multiplied by those of a vector of output channels at once, where a processor has instructions for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.element import FAMILIES, Element
from sol.codegen.epilogue import Epilogue, EpilogueOperand, make_epilogue
from sol.codegen.kernels.conv_direct import shares_tiles
from sol.codegen.kernels.conv_epilogues import operand_context, operand_params, tile_variants
from sol.codegen.kernels.conv_problem import stem_of
from sol.codegen.kernels.conv_shape import Conv, check_border, column_step, is_blocked, is_flat, pitch, spatial_strides, static_size
from sol.codegen.kernels.conv_source import Source, pointwise_inputs
from sol.codegen.kernels.conv_tiles import fills_tiles, patches_of, tile_context, with_runs
from sol.codegen.kernels.conv_tiling import Panel, Tiling, choose_tiling, panels_of, width_tiles
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike, product
from sol.ir.lanes import LANE_DTYPES
from sol.ir.types import DType

BYTES = 4
"""Channels of a pixel that are multiplied at once."""
PAIRS_BESIDE, PRODUCT_BESIDE = 4, 1
"""Registers for second halves of operands of 16 bits: those of two vectors and of a pixel, and a product; for a product alone."""
FEWEST_OUTPUTS = 32
"""Channels of a result from which on a map is worth being turned into words before it is multiplied."""
FEWEST_TILES = 4
"""Tiles from which on a panel of weights of bytes is turned into words for all of them."""
WIDEST = 8
"""Pixels of a depthwise tile: their sums, a vector of weights and one of the image fit in registers."""


@dataclass(frozen=True)
class ByteConv:
    """A blocked convolution of bytes. out: its result, bytes, int32 or float32. flat: whether the map can be taken as one long row.

    start: what the epilogue began with adding to (sign "") or subtracting from (sign "-") the sums of an output channel: these begin so.
    """

    conv: Conv
    source: View
    out: View
    epilogue: Epilogue
    flat: bool
    lanes: int
    start: EpilogueOperand | None = None
    sign: str = ""

    @property
    def depthwise(self) -> bool:
        return self.conv.groups == self.conv.c == self.conv.k and self.conv.groups != 1

    @property
    def vectors(self) -> int:
        return -(-self.conv.k // self.lanes)


def byte_conv(lowering: Lowering) -> ByteConv | None:
    """The region, if its images lie in blocks and all that follows the sum is pointwise."""
    node, lanes = lowering.anchor, lowering.target.lanes
    x, w, result = lowering.type_of(node.inputs[0]), lowering.type_of(node.inputs[1]), lowering.output
    if x.layout.block != lanes or x.rank != 4 or not w.is_static or node.inputs[0] not in lowering.body.inputs:
        return None
    if len(lowering.body.outputs) != 1 or pointwise_inputs(lowering, result, node.name) is None:
        return None
    source, out = lowering.view(node.inputs[0]), lowering.view(result)
    if not is_blocked(source, lanes) or not column_step(out, lanes) or out.dtype not in LANE_DTYPES:
        return None
    attrs, (n, c, h, width), (_, _, oh, ow) = node.attrs, x.shape, node.type.shape
    conv = Conv(
        node, n, static_size(c), static_size(w.shape[0]), h, width, oh, ow, kernel=(static_size(w.shape[2]), static_size(w.shape[3])),
        stride=attrs["stride"], dilation=attrs["dilation"], padding=tuple(p[0] for p in attrs["padding"]),
        after=tuple(p[1] for p in attrs["padding"]), groups=attrs["groups"], dtype=DType.U8,
    )  # fmt: skip
    epilogue = make_epilogue(lowering, node.name, result, channel_axis=1, block=lanes, dtypes=LANE_DTYPES)
    start, sign, epilogue = _start(epilogue)
    blocked = [source.strides, out.strides, *(e.strides for e in epilogue.operands if e.kind == "tile")]
    return ByteConv(conv, source, out, epilogue, is_flat(conv, blocked), lanes, start, sign)


def _start(epilogue: Epilogue) -> tuple[EpilogueOperand | None, str, Epilogue]:
    """What is added to the sums, or subtracted, before anything else, for each output channel; its sign; the epilogue behind that."""
    first = epilogue._nodes()[0] if epilogue._nodes() else None
    users = [n for n in epilogue._nodes() if epilogue.start in n.inputs]
    if first is None or first.op not in ("sub", "add") or first.inputs[0] != epilogue.start or users != [first]:
        return None, "", epilogue
    found = next((e for e in epilogue.operands if e.value == first.inputs[1]), None)
    if found is None or found.kind == "tile" or found.dtype is not DType.I32 or any(found.value in n.inputs for n in epilogue._nodes()[1:]):
        return None, "", epilogue
    rest = tuple(e for e in epilogue.operands if e is not found)
    return replace(found, name="start"), "-" if first.op == "sub" else "", Epilogue(epilogue.body, first.name, epilogue.result, rest)


def _element(dtype: DType) -> Element:
    return Element(dtype.c, dtype.itemsize, FAMILIES[dtype], FAMILIES[dtype], "", "%s", "%s")


@dataclass(frozen=True)
class _Types:
    """What tile functions read and write, for templates/conv_tile.c.j2."""

    input: Element
    weight: Element
    out: Element


def common_context(lowering: Lowering, found: ByteConv) -> dict[str, Any]:
    """What launches of all kinds are told."""
    conv, epilogue, views = found.conv, found.epilogue, [found.source, found.out, *(e.view for e in found.epilogue.operands)]
    check_border(lowering, conv, found.source)
    return {
        "writes": {"out": found.out}, "flops": conv.flops,
        "bytes": conv.weight_bytes + sum((v.dtype.itemsize * product(v.shape) for v in views), start=0),
        "types": _Types(_element(DType.U8), _element(DType.I8), _element(found.out.dtype)), "operands": operand_context(epilogue),
        "epilogue": epilogue.stem, "out_pitch": pitch(column_step(found.out, found.lanes)), "pitch": "LANES", "sx": conv.stride[1],
        "masked": False, "partial": False, "has_bias": False, "start": found.start is not None,
        "start_load": found.sign + found.start.load("start") if found.start else "",
    }  # fmt: skip


def _variants(found: ByteConv, panels: Sequence[Panel], tiling: Tiling) -> list[dict[str, Any]]:
    """Template context of the functions of all tiles."""
    step = pitch(column_step(found.out, found.lanes))
    return tile_variants(found.epilogue, panels, tiling, False, by_pixel=True, stored=found.out.dtype, pitch=step, sums=DType.I32)


def read_views(found: ByteConv, w: View) -> dict[str, View]:
    """What a launch reads: w: its packed weights."""
    operands = (*((found.start,) if found.start else ()), *found.epilogue.operands)
    return {"in": found.source, "w": w} | {e.name: e.view for e in operands}


def _start_params(found: ByteConv) -> dict[str, DimLike]:
    return {"start_cb": found.start.strides[1]} if found.start else {}


def multiplies_words(conv: Conv, target: TargetLike) -> bool:
    """Whether the team turns the map into words first: then no tile does."""
    return target.word_dots and conv.k >= FEWEST_OUTPUTS


def serves_tiles(tiles: DimLike, images: DimLike) -> bool:
    """Whether a panel's weights serve so many tiles that they are worth being turned into words before."""
    total = tiles * images
    return not isinstance(total, int) or total >= FEWEST_TILES


def steps_of(conv: Conv) -> int:
    """Fours of channels and taps that a sum consists of."""
    return -(-conv.c // BYTES) * conv.kernel[0] * conv.kernel[1]


def tile_target(target: TargetLike, words: bool) -> TargetLike:
    """The target with the registers that are left where products of bytes take two of them per operand, and one for what is added."""
    given: Any = target
    beside = PRODUCT_BESIDE if words else 0 if target.byte_dots else PAIRS_BESIDE
    return replace(given, registers=target.registers - beside)  # type: ignore[no-any-return]


def _word_params(found: ByteConv, rows: DimLike, columns: DimLike) -> dict[str, DimLike]:
    """Where the map lies, row by row as rows x columns of results read it, and its strides where it is words."""
    conv, lanes, blocks = found.conv, found.lanes, -(-found.conv.c // found.lanes)
    source = Source("memory", (found.source,)).params(conv)
    line = lanes * ((columns - 1) * conv.stride[1] + (conv.kernel[1] - 1) * conv.dilation[1] + 1)
    lines = (rows - 1) * conv.stride[0] + (conv.kernel[0] - 1) * conv.dilation[0] + 1
    return {
        "lines": lines, "line": line, "from_n": source["in_n"], "from_cb": source["in_cb"], "from_start": source["in_start"],
        "from_row": spatial_strides(found.source.strides)[2], "in_n": blocks * lines * line, "in_cb": lines * line,
        "in_row": conv.stride[0] * line, "in_r": conv.dilation[0] * line, "in_s": conv.dilation[1] * lanes, "in_start": 0,
    }  # fmt: skip


def _map_params(found: ByteConv, tiling: Tiling) -> dict[str, DimLike]:
    """Sizes of a dense convolution's map as tiles cover it, and where it and the epilogue's operands lie."""
    rows, columns = tiling.size(found.conv.oh, found.conv.ow)
    out_n, out_cb, out_row = spatial_strides(found.out.strides)[:3]
    return {
        "N": found.conv.n, "OH": rows, "OW": columns, "group_vectors": found.vectors, "out_n": out_n, "out_cb": out_cb, "out_row": out_row,
        **operand_params(found.epilogue), **_start_params(found),
    }  # fmt: skip


def _lower_dense(lowering: Lowering, found: ByteConv) -> None:
    """One launch; see templates/conv_direct.c.j2."""
    conv, target, lanes = found.conv, lowering.target, found.lanes
    words, steps = multiplies_words(conv, target), max(1, conv.reduction // BYTES)
    tiling = choose_tiling(tile_target(target, words), found.vectors, conv.oh, conv.ow, flat=found.flat, reduction=steps)
    by_tiles = shares_tiles(conv, tiling, target)
    lowering.set_share(by_tiles != 0)
    last = (conv.c - 1) % lanes + 1
    word_params = _word_params(found, *tiling.size(conv.oh, conv.ow)) if words else {}
    params: dict[str, DimLike] = {
        **_map_params(found, tiling), "groups": 1, "by_tiles": by_tiles, "in_blocks": -(-conv.c // lanes),
        "in_last": -(-last // BYTES) * BYTES, "R": conv.kernel[0], "S": conv.kernel[1], "stride_y": conv.stride[0],
        **Source("memory", (found.source,)).params(conv), **word_params,
    }  # fmt: skip
    w = lowering.weight(conv.node.inputs[1], "conv_quads", lanes=lanes, vectors=tiling.ocb, block=lanes, rounded=BYTES)
    widths = panels_of(target, found.vectors * lanes, tiling.ocb)
    pointwise = conv.kernel == (1, 1)
    name = stem_of(conv, tiling, found.epilogue, f"{'words' if words else 'bytes'}{'1x1' if pointwise else ''}")
    common = common_context(lowering, found)
    if words:
        common["types"] = replace(common["types"], input=_element(DType.U16))
    reads, widened = read_views(found, w), words and serves_tiles(tiling.count(conv.oh, conv.ow), conv.n)
    lowering.emit(
        "conv_direct.c.j2", f"int_conv_{found.out.dtype}_{name}", reads=reads, params=params, **common, words=words,
        widened=widened, scratch=2 * tiling.ocb * lanes * BYTES * steps_of(conv) if widened else 0,
        shared_scratch=2 * conv.n * word_params["in_n"] if words else 0,
        tiles=tiling.tiles, along_y=tiling.along_y, ocb=tiling.ocb, panels=widths, pointwise=pointwise, source="memory", selects=False,
        prologue="", prologue_operands=(), fetches=not words and conv.reduction > target.machine.direct.fetched_from, streams=False,
        lanes=lanes, shared=True, relieved=False, stretch=0, l2=target.l2, remote=target.machine.team.remote, dots=False, quads=True,
        pool="", stored=True, unpacked="", variants=_variants(found, widths, tiling),
    )  # fmt: skip


def _lower_depthwise(lowering: Lowering, found: ByteConv) -> None:
    """One launch; see templates/conv_depthwise_bytes.c.j2."""
    conv, lanes, epilogue = found.conv, found.lanes, found.epilogue
    tiling = Tiling(1, width_tiles(WIDEST, conv.ow))
    lowering.set_share(True)
    out_n, out_cb, out_row = spatial_strides(found.out.strides)[:3]
    params: dict[str, DimLike] = {
        "N": conv.n, "CB": found.vectors, "OH": conv.oh, "OW": conv.ow, "R": conv.kernel[0], "S": conv.kernel[1],
        **Source("memory", (found.source,)).params(conv), "out_n": out_n, "out_cb": out_cb, "out_row": out_row,
        **operand_params(epilogue), **_start_params(found),
    }  # fmt: skip
    neighbours = conv.dilation[1] == 1
    w = lowering.weight(conv.node.inputs[1], "depthwise_bytes", lanes=lanes, neighbours=neighbours)
    taps, runs = conv.kernel, [min(BYTES, conv.kernel[1] - s) for s in range(0, conv.kernel[1], BYTES)]
    reads = read_views(found, w)
    name = stem_of(conv, tiling, epilogue, f"bytes_depthwise{taps[0]}x{taps[1]}" if neighbours else "bytes_depthwise")
    lowering.emit(
        "conv_depthwise_bytes.c.j2", f"int_conv_{found.out.dtype}_{name}", reads=reads, params=params, **common_context(lowering, found),
        taps=taps if neighbours else (), neighbours=neighbours, runs=runs, widths=tuple(tw for _, tw in tiling.tiles),
        variants=_variants(found, panels_of(lowering.target, lanes, 1), tiling),
    )  # fmt: skip


def _lower_tiles(lowering: Lowering, found: ByteConv) -> None:
    """One launch by matrix tiles; see templates/conv_tiles.c.j2."""
    conv, target, lanes = found.conv, lowering.target, found.lanes
    patches = patches_of(conv, found.vectors, found.flat, target)
    tiling, step = patches.tiling, patches.step
    lowering.set_share(patches.by_tiles != 0)
    params = {**_map_params(found, tiling), **patches.params(conv, found.source, lanes)}
    if patches.thin:
        w = lowering.weight(conv.node.inputs[1], "conv_rows", lanes=lanes, vectors=tiling.ocb, pixel=patches.pixel, step=step)
    else:
        w = lowering.weight(conv.node.inputs[1], "conv_quads", lanes=lanes, vectors=tiling.ocb, block=step, rounded=step)
    widths = panels_of(target, found.vectors * lanes, tiling.ocb)
    name = stem_of(conv, tiling, found.epilogue, "tiles1x1" if conv.kernel == (1, 1) else "tiles")
    lowering.emit(
        "conv_tiles.c.j2", f"int_conv_{found.out.dtype}_{name}", reads=read_views(found, w), params=params,
        **common_context(lowering, found) | tile_context(target, conv, patches), scratch=patches.scratch(conv),
        shared_scratch=patches.together, tiles=tiling.tiles, along_y=tiling.along_y, panels=widths, group=BYTES, quads=True, pool="",
        stored=True, variants=with_runs(_variants(found, widths, tiling)),
    )  # fmt: skip


def _lower(lowering: Lowering, found: ByteConv) -> None:
    if found.depthwise:
        _lower_depthwise(lowering, found)
    elif lowering.target.matrix_tiles and fills_tiles(found.conv):
        _lower_tiles(lowering, found)
    else:
        _lower_dense(lowering, found)


CANDIDATES = (sole("bytes", byte_conv, _lower),)
