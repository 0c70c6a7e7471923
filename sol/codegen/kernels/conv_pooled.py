"""Convolution, pointwise tail and global pooling in one kernel: only the pooled values reach memory."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.epilogue import make_epilogue
from sol.codegen.kernels.conv_direct import (
    STRETCH,
    Conv,
    check_border,
    input_params,
    is_flat,
    is_long,
    is_pointwise_tail,
    needs_mask,
    operand_context,
    operand_params,
    read_conv,
    serves_blocked_input,
    stem_of,
    tile_variants,
    tiling_variants,
    traffic,
    wanted_tiling,
    weights,
)
from sol.codegen.kernels.conv_tiling import Tiling, panels_of, pixels_per_tile, width_tiles
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.graph import Node

UNITS = 8
"""Pieces of work (panel, chunk of tiles) to have at least, so that a small team is busy."""


@dataclass(frozen=True)
class Pool:
    """Global pooling at the end of a body. kind: "mean", "sum" or "max". count: what the sum is divided by."""

    source: str
    kind: str
    count: DimLike


_KINDS = {
    "adaptive_avg_pool": "mean", "adaptive_max_pool": "max", "avg_pool": "mean", "max_pool": "max",
    "mean": "mean", "max": "max", "sum": "sum",
}  # fmt: skip


def read_pool(lowering: Lowering, conv: Conv) -> Pool | None:
    """The pooling that ends the body, if it is over the whole map; a reshape to [N, K] may follow it."""
    body = lowering.body
    node = body.producer(lowering.output)
    if node.op == "reshape" and node.type.shape == (conv.n, conv.k):
        node = body.producer(node.inputs[0])
    if node.op not in _KINDS or not _is_global(node, conv, body.type_of(node.inputs[0]).rank):
        return None
    kind = _KINDS[node.op]
    count = node.attrs.get("divisor") or (conv.oh * conv.ow if kind == "mean" else 1)
    return Pool(node.inputs[0], kind, count)


def _is_global(node: Node, conv: Conv, rank: int) -> bool:
    attrs, spatial = node.attrs, rank - 2
    size = (conv.oh, conv.ow)[2 - spatial :]
    if node.op.startswith("adaptive"):
        return attrs["output_size"] == (1,) * spatial
    if node.op in ("mean", "max", "sum"):
        return tuple(sorted(attrs["dims"])) == tuple(range(2, rank))
    unpadded = all(p == (0, 0) for p in attrs["padding"]) and all(d == 1 for d in attrs.get("dilation", ()))
    return unpadded and attrs["kernel"] == size and all(s == 1 for s in node.type.shape[2:])


def _serves(lowering: Lowering) -> bool:
    conv = read_conv(lowering)
    if conv is None or not (serves_blocked_input(lowering) or serves_plain_input(lowering)):
        return False
    if 0 in (conv.oh, conv.ow):
        return False
    pool = read_pool(lowering, conv)
    return pool is not None and is_pointwise_tail(lowering, pool.source, lowering.target.lanes)


def serves_plain_input(lowering: Lowering) -> bool:
    """A float32 1x1 convolution whose row-major input is read pixel by pixel: blocking it first would cost a pass over it."""
    conv = read_conv(lowering)
    if conv is None or conv.groups != 1 or lowering.type_of(conv.node.inputs[0]).layout.block:
        return False
    view = lowering.view(conv.node.inputs[0])
    one = conv.kernel == (1, 1) and conv.stride == (1, 1) and all(p == (0, 0) for p in conv.node.attrs["padding"])
    return one and len(view.shape) == 4 and view.strides[3] == 1


def _plain_params(conv: Conv, view: View) -> dict[str, DimLike]:
    return {"C": conv.c, "in_n": view.strides[0], "in_c": view.strides[1], "in_row": view.strides[2]}


def _plain_tiling(target: TargetLike, vectors: int, conv: Conv, flat: bool) -> Tiling:
    """One row of pixels per tile; the map is one row if ``flat``."""
    ocb = min(2, vectors)
    return Tiling(ocb, width_tiles(pixels_per_tile(target, ocb), conv.oh * conv.ow if flat else conv.ow), flat)


def output_params(out: View, conv: Conv, lanes: int) -> dict[str, DimLike]:
    if out.layout.block:
        return {
            "out_n": out.strides[0],
            "out_cb": out.strides[1],
            "out_lane": 1,
            "out_channels": -(-conv.k // lanes) * lanes,
        }
    return {
        "out_n": out.strides[0],
        "out_cb": lanes * out.strides[1],
        "out_lane": out.strides[1],
        "out_channels": conv.k,
    }


def _lower(lowering: Lowering) -> None:
    conv = read_conv(lowering)
    assert conv is not None
    pool = read_pool(lowering, conv)
    assert pool is not None
    target, lanes = lowering.target, lowering.target.lanes
    source, out = lowering.view(conv.node.inputs[0]), lowering.view(lowering.output)
    plain = not source.layout.block
    if not plain:
        check_border(lowering, conv, source)
    epilogue = make_epilogue(lowering, conv.node.name, pool.source, channel_axis=1, block=lanes)
    rows = [] if plain else [source.strides]
    flat = is_flat(conv, [*rows, *(e.strides for e in epilogue.operands if e.kind == "tile")])
    flat = flat and not (plain and source.strides[2] != conv.ow)
    vectors = -(-(conv.k // conv.groups) // lanes)
    if plain:
        tiling = _plain_tiling(target, vectors, conv, flat)
    else:
        tiling = wanted_tiling(lowering, conv, vectors, flat)
    masked = needs_mask(epilogue, conv.k, lanes)
    panels = panels_of(target, conv.k // conv.groups, tiling.ocb)

    def finish(o: int, y: str, x: str, value: str) -> list[str]:
        return [f"s{o} = gather(s{o}, {value});"]

    variants = tile_variants(epilogue, panels, tiling, masked, finish=finish)
    chunks = -(-UNITS // (conv.groups * -(-vectors // tiling.ocb)))
    params = {
        "N": conv.n, "OH": 1 if flat else conv.oh, "OW": conv.oh * conv.ow if flat else conv.ow,
        "groups": conv.groups, "group_vectors": vectors, **(_plain_params(conv, source) if plain else input_params(conv, source, lanes)),
        **output_params(out, conv, lanes), "chunks": chunks, **operand_params(epilogue),
        **({} if pool.kind == "max" else {"count": pool.count}), **({"K": conv.k} if masked else {}),
    }  # fmt: skip
    packed = weights(lowering, conv, tiling.ocb)
    if plain:
        packed["w"] = lowering.weight(conv.node.inputs[1], "conv_stem", lanes=lanes, vectors=tiling.ocb)
    reads = {"in": source, **packed, **{e.name: e.view for e in epilogue.operands}}
    stem = stem_of(conv, tiling, epilogue, "conv_plain" if plain else "conv")
    lowering.emit(
        "conv_pooled.c.j2", f"{stem}_{pool.kind}_pool", reads=reads, writes={"out": out},
        params=params,
        common=conv.n * chunks * conv.groups * vectors * lanes * 4,
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        ocb=tiling.ocb, panels=panels, tiles=tiling.tiles,
        along_y=tiling.along_y, sx=conv.stride[1], pitch="1" if plain else "LANES", sink="total", has_bias="bias" in reads,
        plain=plain, relieved=is_long(conv), stretch=STRETCH, taps=1, rolled=False, dx=1, fetches=not plain,
        operands=operand_context(epilogue), tail=epilogue.stem, masked=masked,
        variants=variants, pool=pool.kind, is_max=pool.kind == "max",
    )  # fmt: skip


def _variants(lowering: Lowering) -> list[str]:
    return [] if serves_plain_input(lowering) else tiling_variants(lowering)


CANDIDATES: tuple[Candidate, ...] = (Candidate("pooled", _serves, _lower, variants=_variants),)
