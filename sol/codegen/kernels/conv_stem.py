"""First layers: convolution of a plain input into a blocked output, through zero-padded copies of what a band of rows reads."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.epilogue import make_epilogue
from sol.codegen.kernels.conv_direct import (
    Conv,
    is_pointwise_tail,
    needs_mask,
    operand_context,
    operand_params,
    read_conv,
    spatial_strides,
    stem_of,
    tile_variants,
    traffic,
)
from sol.codegen.kernels.conv_tiling import Tiling, panels_of, pixels_per_tile, width_tiles
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.ir.dim import DimLike

UNROLLED_TAPS = 12
"""Filter rows up to this length are unrolled."""
LINE_UNIT = 16
"""Elements of a cache line, of which the lines of a copy are multiples."""


def choose_tiling(target: TargetLike, vectors: int, ow: DimLike) -> Tiling:
    """One row of pixels per tile."""
    ocb = min(2, vectors)
    return Tiling(ocb, width_tiles(pixels_per_tile(target, ocb), ow))


def _serves(lowering: Lowering) -> bool:
    conv, lanes = read_conv(lowering), lowering.target.lanes
    if conv is None or conv.groups != 1 or lowering.type_of(conv.node.inputs[0]).layout.block:
        return False
    if conv.node.inputs[0] not in lowering.body.inputs:
        return False
    if lowering.type_of(lowering.output).layout.block != lanes or not is_pointwise_tail(
        lowering, lowering.output, lanes
    ):
        return False
    return spatial_strides(lowering.view(lowering.output).strides)[3:] == (lanes, 1)


@dataclass(frozen=True)
class Band:
    """What a thread computes from one copy of the input: rows x tile columns of the output, and the copy's lines and elements per line."""

    rows: int
    columns: int
    lines: int
    line: int


def choose_band(conv: Conv, target: TargetLike, width: int) -> Band:
    """As many whole rows as have room for their copy in the first cache, or as many tiles of ``width`` pixels of one row; at least one."""
    room = target.l1 // (4 * conv.c)

    def reach(axis: int, outputs: int) -> int:
        return (outputs - 1) * conv.stride[axis] + (conv.kernel[axis] - 1) * conv.dilation[axis] + 1

    lines = reach(0, 1)
    columns = max(1, ((room // lines - reach(1, 1)) // conv.stride[1] + 1) // width)
    if isinstance(conv.ow, int):
        columns = min(columns, -(-conv.ow // width))
    line = -(-(reach(1, columns * width) + target.lanes - 1) // LINE_UNIT) * LINE_UNIT
    rows = max(1, (room // line - lines) // conv.stride[0] + 1)
    if isinstance(conv.oh, int):
        rows = max(1, min(rows, conv.oh))
    return Band(rows, columns, reach(0, rows), line)


def _lower(lowering: Lowering) -> None:
    conv = read_conv(lowering)
    assert conv is not None
    target, lanes = lowering.target, lowering.target.lanes
    source, out = lowering.view(conv.node.inputs[0]), lowering.view(lowering.output)
    source_n, source_c, source_h, source_w = (
        source.strides if len(source.strides) == 4 else (*source.strides[:2], 0, source.strides[2])
    )
    epilogue = make_epilogue(lowering, conv.node.name, channel_axis=1, block=lanes)
    vectors = -(-conv.k // lanes)
    tiling = choose_tiling(target, vectors, conv.ow)
    masked = needs_mask(epilogue, conv.k, lanes)
    panels = panels_of(target, conv.k, tiling.ocb)
    variants = tile_variants(epilogue, panels, tiling, masked)
    rolled = conv.kernel[1] > UNROLLED_TAPS
    band = choose_band(conv, target, tiling.tiles[0][1])
    out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
    params = {
        "N": conv.n, "C": conv.c, "H": conv.h, "W": conv.w, "OH": conv.oh, "OW": conv.ow, "LINES": band.lines, "LINE": band.line,
        "band_rows": band.rows, "band_columns": band.columns,
        "R": conv.kernel[0], "S": conv.kernel[1], "pad_y": conv.padding[0], "pad_x": conv.padding[1],
        "stride_y": conv.stride[0], "dilation_y": conv.dilation[0], "vectors": vectors,
        "source_n": source_n, "source_c": source_c, "source_h": source_h, "source_w": source_w,
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row,
        **operand_params(epilogue), **({"K": conv.k} if masked else {}),
    }  # fmt: skip
    reads = {"in": source, "w": lowering.weight(conv.node.inputs[1], "conv_stem", lanes=lanes, vectors=tiling.ocb)}
    if len(conv.node.inputs) == 3:
        reads["bias"] = lowering.weight(conv.node.inputs[2], "channels", block=lanes)
    reads |= {e.name: e.view for e in epilogue.operands}
    lowering.emit(
        "conv_stem.c.j2", stem_of(conv, tiling, epilogue, f"conv_stem_{'n' if rolled else conv.kernel[1]}"),
        reads=reads, writes={"out": out}, params=params, scratch=4 * conv.c * band.lines * band.line,
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        ocb=tiling.ocb, panels=panels, tiles=tiling.tiles, along_y=False,
        sx=conv.stride[1], dx=conv.dilation[1], taps=1 if rolled else conv.kernel[1], rolled=rolled, pitch="1",
        sink="out", has_bias="bias" in reads, operands=operand_context(epilogue), tail=epilogue.stem, masked=masked,
        variants=variants,
    )  # fmt: skip


CANDIDATES: tuple[Candidate, ...] = (Candidate("stem", _serves, _lower),)
