"""1x1 convolution that reads the channels which a channel_select picks where they lie: the selection never reaches memory."""

from __future__ import annotations

from sol.codegen.epilogue import make_epilogue
from sol.codegen.kernels import conv_paired, pairs
from sol.codegen.kernels.conv_direct import (
    REMOTE,
    SHARES,
    Conv,
    is_flat,
    is_pointwise_tail,
    needs_mask,
    operand_context,
    operand_params,
    read_conv,
    shares_tiles,
    spatial_strides,
    stem_of,
    tile_variants,
    tiling_variants,
    wanted_share,
    wanted_tiling,
)
from sol.codegen.kernels.conv_tiling import Tiling, panels_of
from sol.codegen.kernels.dfp_channels import picked_channels
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.config import config
from sol.ir.dim import DimLike, product
from sol.ir.graph import Node

POINTER = 8
"""Bytes of an address or a stride in the thread's scratch."""
ORIGIN = 128
"""Bytes of what tells where the channels of a vector go, with pairs."""
GATHERED = 1.05
"""What a convolution with pairs costs if its channels must be gathered, in units of one that reads a tensor."""
FEWEST_SOURCES = 4
"""Tensors that every kernel takes; missing ones repeat the first, so that few kernels serve all numbers."""


def read_selection(lowering: Lowering) -> Node | None:
    """The channel_select of body inputs that makes the anchor's data; None if something else does."""
    body = lowering.body
    node = body.producer(lowering.anchor.inputs[0])
    return node if node.op == "channel_select" and all(v in body.inputs for v in node.inputs) else None


def _serves(lowering: Lowering) -> bool:
    selection, lanes = read_selection(lowering), lowering.target.lanes
    if selection is None:
        return False
    conv = read_conv(lowering)
    if conv is None or conv.groups != 1 or conv.kernel != (1, 1) or conv.stride != (1, 1):
        return False
    if any(p != (0, 0) for p in conv.node.attrs["padding"]) or not is_pointwise_tail(lowering, lowering.output, lanes):
        return False
    views = [lowering.view(v) for v in (*selection.inputs, lowering.output)]
    return all(v.layout.block == lanes and spatial_strides(v.strides)[3:] == (lanes, 1) for v in views)


def _variants(lowering: Lowering) -> list[str]:
    names = tiling_variants(lowering)
    return [*names[:2], *SHARES, *names[2:]]


def _table(lowering: Lowering, selection: Node) -> tuple[list[tuple[int, int]], tuple[int, ...]]:
    """Operand and channel of everything that is selected, neighbours in memory one after the other; which input channel each one is."""
    picked = picked_channels(lowering, selection)
    order = tuple(sorted(range(len(picked)), key=lambda i: picked[i]))
    return [picked[i] for i in order], order


def _input_params(conv: Conv, views: list[View], by_row: bool) -> dict[str, DimLike]:
    """Strides of the tensors along image, channel vector and row."""
    params: dict[str, DimLike] = {"C": conv.c}
    for i, view in enumerate(views):
        n, cb, row = spatial_strides(view.strides)[:3]
        params |= {f"in{i}_n": n, f"in{i}_cb": cb, **({f"in{i}_row": row} if by_row else {})}
    return params if by_row else {**params, "in_row": spatial_strides(views[0].strides)[2]}


def _vectors_table(table: list[tuple[int, int]], sources: int, lanes: int) -> list[int]:
    """For every vector that holds selected channels: which one it is, and the bits of their lanes. No channel comes twice."""
    found: dict[int, int] = {}
    for source, channel in table:
        vector = sources * (channel // lanes) + source
        found[vector] = found.get(vector, 0) | 1 << channel % lanes
    return [number for pair in found.items() for number in pair]


def _paired_tiling(lowering: Lowering) -> Tiling | None:
    """The tiles of the convolution by Winograd's inner product; None if that cannot serve it."""
    if not _serves(lowering):
        return None
    conv, selection = read_conv(lowering), read_selection(lowering)
    assert conv is not None and selection is not None
    picked = picked_channels(lowering, selection)
    if len(set(picked)) < len(picked):
        return None
    own, out = [lowering.view(v) for v in selection.inputs], lowering.view(lowering.output)
    epilogue = make_epilogue(lowering, conv.node.name, channel_axis=1, block=lowering.target.lanes)
    flat = is_flat(conv, [*(v.strides for v in (*own, out)), *(e.strides for e in epilogue.operands if e.kind == "tile")])
    return conv_paired.choose(conv, lowering.target, config["conv_max_error"], flat)


def _is_paired(lowering: Lowering) -> bool:
    tiling = _paired_tiling(lowering) if lowering.target.adders else None
    if tiling is None:
        return False
    conv = read_conv(lowering)
    assert conv is not None
    return GATHERED * conv_paired.relative_cost(conv, lowering.target, tiling) < conv_paired.GAIN


def _can_pair(lowering: Lowering) -> bool:
    return _paired_tiling(lowering) is not None


def _lower_paired(lowering: Lowering) -> None:
    conv, selection, tiling = read_conv(lowering), read_selection(lowering), _paired_tiling(lowering)
    assert conv is not None and selection is not None and tiling is not None
    target, lanes = lowering.target, lowering.target.lanes
    own, out = [lowering.view(v) for v in selection.inputs], lowering.view(lowering.output)
    sources = max(FEWEST_SOURCES, 1 << (len(own) - 1).bit_length())
    views = own + own[:1] * (sources - len(own))
    table, order = _table(lowering, selection)
    vectors = _vectors_table(table, sources, lanes)
    epilogue = make_epilogue(lowering, conv.node.name, channel_axis=1, block=lanes)
    masked = needs_mask(epilogue, conv.k, lanes)
    by_tiles = shares_tiles(conv, tiling, target, tiling.flat)
    lowering.set_share(by_tiles != 0)
    (th, tw), steps = tiling.tiles[0], -(-conv.c // lanes)
    pitch = (steps + 1 | 1) * lanes
    packed, block = conv_paired.packed_block(conv, target, tiling, by_tiles != 0)
    out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
    params = {
        "N": conv.n, "OH": 1 if tiling.flat else conv.oh, "OW": conv.oh * conv.ow if tiling.flat else conv.ow,
        "vectors": -(-conv.k // lanes), "by_tiles": int(by_tiles != 0), "block": block, "packed_size": packed, "pitch": pitch,
        "count": len(vectors) // 2, **_input_params(conv, views, True),
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row, **operand_params(epilogue),
        **({"K": conv.k} if masked else {}),
    }  # fmt: skip
    reads = {f"in{i}": view for i, view in enumerate(views)}
    reads["w"] = lowering.weight(conv.node.inputs[1], "paired_selected", order=order)
    reads["factors"] = lowering.weight(conv.node.inputs[1], "pair_scales", order=order)
    if len(conv.node.inputs) == 3:
        reads["bias"] = lowering.weight(conv.node.inputs[2], "channels", block=lanes)
    reads |= {e.name: e.view for e in epilogue.operands}
    moved = [lowering.type_of(selection.name).shape, out.shape, *(e.view.shape for e in epilogue.operands)]
    lowering.emit(
        "conv_selected_paired.c.j2", stem_of(conv, tiling, epilogue, f"conv_selected{sources}_paired"),
        reads=reads, writes={"out": out}, params=params, table=vectors,
        scratch=conv.n * (len(vectors) // 2) * ORIGIN + 4 * (th * tw * pitch + lanes + block * packed),
        flops=conv.flops, bytes=conv.weight_bytes + 4 * sum((product(shape) for shape in moved), start=0),
        pairs=pairs.context(pairs.last_channels(conv.c)), sources=sources, named=len(params), tiles=tiling.tiles,
        along_y=tiling.along_y, sx=1, pitch="LANES", sink="out", has_bias=False, biased="bias" in reads, operands=operand_context(epilogue),
        tail=epilogue.stem, masked=masked, passed="".join(f", {e.name}" for e in epilogue.operands),
        variants=[conv_paired.paired_variant(epilogue, h, w, masked) for h, w in tiling.tiles],
    )  # fmt: skip


def _lower(lowering: Lowering) -> None:
    conv, selection = read_conv(lowering), read_selection(lowering)
    assert conv is not None and selection is not None
    target, lanes = lowering.target, lowering.target.lanes
    own, out = [lowering.view(v) for v in selection.inputs], lowering.view(lowering.output)
    sources = max(FEWEST_SOURCES, 1 << (len(own) - 1).bit_length())
    views = own + own[:1] * (sources - len(own))
    table, order = _table(lowering, selection)
    epilogue = make_epilogue(lowering, conv.node.name, channel_axis=1, block=lanes)
    flat = is_flat(conv, [*(v.strides for v in (*own, out)), *(e.strides for e in epilogue.operands if e.kind == "tile")])
    by_row = conv.oh != 1 and len({spatial_strides(v.strides)[2] for v in own}) > 1
    vectors = -(-conv.k // lanes)
    tiling = wanted_tiling(lowering, conv, vectors, flat)
    by_tiles = wanted_share(lowering, conv, tiling, flat)
    masked = needs_mask(epilogue, conv.k, lanes)
    panels = panels_of(target, conv.k, tiling.ocb)
    variants = tile_variants(epilogue, panels, tiling, masked, by_pixel=conv.c > 1)
    out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
    params = {
        "N": conv.n, "OH": 1 if flat else conv.oh, "OW": conv.oh * conv.ow if flat else conv.ow, "vectors": vectors, "by_tiles": by_tiles,
        **_input_params(conv, views, by_row),
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row, **operand_params(epilogue),
        **({"K": conv.k} if masked else {}),
    }  # fmt: skip
    reads = {f"in{i}": view for i, view in enumerate(views)}
    reads["w"] = lowering.weight(conv.node.inputs[1], "conv_selected", lanes=lanes, vectors=tiling.ocb, order=order)
    if len(conv.node.inputs) == 3:
        reads["bias"] = lowering.weight(conv.node.inputs[2], "channels", block=lanes)
    reads |= {e.name: e.view for e in epilogue.operands}
    moved = [lowering.type_of(selection.name).shape, out.shape, *(e.view.shape for e in epilogue.operands)]
    lowering.emit(
        "conv_selected.c.j2", stem_of(conv, tiling, epilogue, f"conv_selected{sources}"), reads=reads, writes={"out": out}, params=params,
        table=[channel * sources + source for source, channel in table],
        scratch=conv.n * conv.c * (2 if by_row else 1) * POINTER,
        flops=conv.flops, bytes=conv.weight_bytes + 4 * sum((product(shape) for shape in moved), start=0),
        sources=sources, named=len(params), by_row=by_row, odd=conv.c % 2 == 1, selects=True,
        ocb=tiling.ocb, panels=panels, tiles=tiling.tiles, along_y=tiling.along_y, sx=1, pitch="LANES", sink="out", fetches=True,
        has_bias="bias" in reads, operands=operand_context(epilogue), tail=epilogue.stem, masked=masked,
        variants=variants, l2=target.l2, remote=REMOTE,
    )  # fmt: skip


CANDIDATES: tuple[Candidate, ...] = (
    Candidate("selected_paired", _is_paired, _lower_paired, _can_pair),
    Candidate("selected", _serves, _lower, variants=_variants),
)
