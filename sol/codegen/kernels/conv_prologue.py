"""1x1 convolution whose input is made on the way: a pointwise chain, averaged over small windows or not, never reaches memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sol.codegen.emit import c_float
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.conv_direct import (
    STRETCH,
    Conv,
    is_flat,
    is_heavy,
    is_long,
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
    traffic,
    wanted_tiling,
    weights,
)
from sol.codegen.kernels.conv_tiling import Tiling, panels_of
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.ops.pointwise import POINTWISE

UNROLL = 2
"""The last input block is padded to whole steps of the reduction."""
STEP = 4
"""Pixels per step of a short chain."""
FEW_TILES = 64
"""Maps of at most so many tiles may not divide evenly among the threads."""
ALONE = 4
"""Threads up to which each makes a small map for itself."""


@dataclass(frozen=True)
class Prologue:
    """What makes the convolution's input.

    source: the body input that is read. chain: the pointwise ops after it. window, step: size and stride (y, x) of the mean that follows,
    (1, 1) if none does. count: what the sum over a window is divided by.
    """

    source: str
    chain: Epilogue
    window: tuple[int, int] = (1, 1)
    step: tuple[int, int] = (1, 1)
    count: int = 1

    @property
    def pools(self) -> bool:
        return self.window != (1, 1) or self.step != (1, 1) or self.count != 1

    @property
    def stem(self) -> str:
        pool = f"avg{self.window[0]}x{self.window[1]}s{self.step[1]}" if self.pools else ""
        return "_".join(filter(None, (self.chain.stem, pool)))


def read_prologue(lowering: Lowering) -> Prologue | None:
    """What stands between a body input and the anchor's data operand; None if nothing does, or something unknown."""
    body, top = lowering.body, lowering.anchor.inputs[0]
    if top in body.inputs:
        return None
    pool = body.producer(top)
    top = pool.inputs[0] if pool.op == "avg_pool" else top
    source = _source(lowering, top)
    if source is None:
        return None
    chain = make_epilogue(lowering, source, top, channel_axis=1, block=lowering.target.lanes)
    renamed = tuple(replace(o, name=f"p{i}") for i, o in enumerate(chain.operands))
    if any(o.kind == "tile" for o in renamed):
        return None
    prologue = Prologue(source, replace(chain, operands=renamed))
    if pool.op != "avg_pool":
        return prologue
    attrs = pool.attrs
    if attrs["ceil_mode"] or any(p != (0, 0) for p in attrs["padding"]):
        return None
    one = (1,) * (2 - len(attrs["kernel"]))
    window, step = (*one, *attrs["kernel"]), (*one, *attrs["stride"])
    return replace(prologue, window=window, step=step, count=attrs["divisor"] or window[0] * window[1])


def _source(lowering: Lowering, top: str) -> str | None:
    """The one body input as large as ``top`` from which it is computed by pointwise ops alone."""
    body, shape = lowering.body, lowering.type_of(top).shape
    found, seen, stack = set(), set(), [top]
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if value not in body.inputs:
            node = body.producer(value)
            if node.op not in POINTWISE and node.op != "constant":
                return None
            stack.extend(node.inputs)
        elif lowering.type_of(value).shape == shape and not lowering.is_constant(value):
            found.add(value)
    return found.pop() if len(found) == 1 else None


def _serves(lowering: Lowering) -> bool:
    if lowering.anchor.inputs[0] in lowering.body.inputs:
        return False
    conv, lanes = read_conv(lowering), lowering.target.lanes
    if conv is None or conv.groups != 1 or conv.kernel != (1, 1) or conv.padding != (0, 0) or conv.after != (0, 0):
        return False
    prologue = read_prologue(lowering)
    if prologue is None or not is_pointwise_tail(lowering, lowering.output, lanes):
        return False
    views = (lowering.view(prologue.source), lowering.view(lowering.output))
    return all(v.layout.block == lanes and spatial_strides(v.strides)[3:] == (lanes, 1) for v in views)


def strip_tiles(target: TargetLike, conv: Conv, tiling: Tiling) -> int:
    """Tiles of a strip: what fills half of the second-level cache, no more than there are."""
    th, tw = tiling.tiles[0]
    fitting = max(1, target.l2 // 2 // (_blocks(conv, target.lanes) * th * tw * target.lanes * 4))
    tiles = _tiles(conv, tiling)
    return min(fitting, max(1, tiles)) if isinstance(tiles, int) else fitting


def _blocks(conv: Conv, lanes: int) -> int:
    return -(-conv.c // lanes)


def _tiles(conv: Conv, tiling: Tiling) -> DimLike:
    """Tiles of all images."""
    th, tw = tiling.tiles[0]
    if tiling.flat:
        return conv.n * ((conv.oh * conv.ow + tw - 1) // tw)
    return conv.n * ((conv.oh + th - 1) // th) * ((conv.ow + tw - 1) // tw)


def _map_bytes(conv: Conv, tiling: Tiling, lanes: int) -> DimLike:
    """The whole made map in tiles; 0 if no team ever makes it at once."""
    tiles, (th, tw) = _tiles(conv, tiling), tiling.tiles[0]
    size = _blocks(conv, lanes) * 4 * lanes * (tiles * th * tw + 1)
    if not isinstance(tiles, int) or not isinstance(size, int):
        return 0
    return size if tiles <= FEW_TILES or 2 * size < conv.weight_bytes else 0


def chain_value(prologue: Prologue, row: str) -> tuple[list[str], str]:
    """C statements for one pixel at address ``i``, and the text of its value. row: C text of what leads to the next row of a window."""
    lines: list[str] = []
    terms = []
    for y in range(prologue.window[0]):
        for x in range(prologue.window[1]):
            lines.append(f"const vf i{y}_{x} = vf_load(i{f' + {y} * {row}' if y else ''}{f' + {x} * LANES' if x else ''});")
            steps, result = prologue.chain.trace(f"i{y}_{x}", lambda p: p.name, f"t{y}_{x}_")
            lines += steps
            terms.append(result)
    value = " + ".join(terms)
    return lines, f"({value}) / {c_float(prologue.count)}" if prologue.count != 1 else value


def chain_loads(prologue: Prologue, block: str) -> list[str]:
    """C statements that load what all pixels of image ``n`` and a channel block share."""
    operands = prologue.chain.operands
    return [f"const vf {p.name} = {p.load(f'c->{p.name} + n * c->{p.name}_n + {block} * c->{p.name}_cb')};" for p in operands]


def _chain_lines(prologue: Prologue, masked: bool) -> tuple[list[str], list[str]]:
    """C statements before the pixels of a tile, and for one pixel: from ``i`` to ``o``."""
    lines, value = chain_value(prologue, "c->src_r")
    return chain_loads(prologue, "b"), [*lines, f"vf_store(o, {f'vf_select(live, {value}, vf_zero())' if masked else value});"]


@dataclass(frozen=True)
class Lines:
    """The runs of pixels in which a map is made. by_rows: a line is a tile of several rows, each a run; else it is one run.

    tiles, pixels: of a line; count: lines of an image; stride: elements from one to the next.
    """

    by_rows: bool
    tiles: DimLike
    pixels: DimLike
    count: DimLike
    stride: DimLike


def _lines(conv: Conv, prologue: Prologue, tiling: Tiling, source: View) -> Lines:
    (th, tw), (row, column) = tiling.tiles[0], spatial_strides(source.strides)[2:4]
    stride = row * conv.stride[0] * prologue.step[0]
    columns = (conv.ow + tw - 1) // tw
    if tiling.flat:
        pixels = conv.oh * conv.ow
        return Lines(False, (pixels + tw - 1) // tw, pixels, 1, 0)
    dense = not prologue.pools and conv.stride == (1, 1) and row == conv.ow * column
    if dense and isinstance(conv.ow, int) and conv.ow % tw == 0:
        return Lines(False, (conv.oh + th - 1) // th * columns, conv.oh * conv.ow, 1, 0)
    if th > 1:
        return Lines(True, 1, tw, (conv.oh + th - 1) // th, th * stride)
    return Lines(False, columns, conv.ow, conv.oh, stride)


def _input_params(conv: Conv, prologue: Prologue, lines: Lines, view: View, lanes: int) -> dict[str, DimLike]:
    """Sizes and strides of the input side."""
    n, cb, row = spatial_strides(view.strides)[:3]
    blocks = _blocks(conv, lanes)
    last = conv.c - (blocks - 1) * lanes
    params: dict[str, DimLike] = {
        "in_blocks": blocks, "in_last": last + last % UNROLL,
        "in_n": n, "in_cb": cb, "in_line": lines.stride, "line_tiles": lines.tiles, "lines": lines.count,
        **({"in_row": row * conv.stride[0] * prologue.step[0]} if lines.by_rows else {"line_pixels": lines.pixels}),
    }  # fmt: skip
    if prologue.pools:
        params["in_r"] = row
    for p in prologue.chain.operands:
        params |= {f"{p.name}_n": p.strides[0], f"{p.name}_cb": p.strides[1]}
    return params


def _lower(lowering: Lowering) -> None:
    conv, prologue = read_conv(lowering), read_prologue(lowering)
    assert conv is not None and prologue is not None
    target, lanes = lowering.target, lowering.target.lanes
    source, out = lowering.view(prologue.source), lowering.view(lowering.output)
    epilogue = make_epilogue(lowering, conv.node.name, channel_axis=1, block=lanes)
    tile_strides = [e.strides for e in epilogue.operands if e.kind == "tile"]
    flat = not prologue.pools and is_flat(conv, [source.strides, out.strides, *tile_strides])
    vectors = -(-conv.k // lanes)
    tiling = wanted_tiling(lowering, conv, vectors, flat)
    (th, tw), strip = tiling.tiles[0], strip_tiles(target, conv, tiling)
    lowering.set_share(shares_tiles(conv, tiling, target, flat) != 0)
    masked, chain_masked = needs_mask(epilogue, conv.k, lanes), needs_mask(prologue.chain, conv.c, lanes)
    panels = panels_of(target, conv.k, tiling.ocb)
    hoisted, chain = _chain_lines(prologue, chain_masked)
    common, lines = _map_bytes(conv, tiling, lanes), _lines(conv, prologue, tiling, source)
    operands = [p.name for p in prologue.chain.operands]
    out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
    params = {
        "N": conv.n, "OH": 1 if flat else conv.oh, "OW": conv.oh * conv.ow if flat else conv.ow, "vectors": vectors, "strip": strip,
        **_input_params(conv, prologue, lines, source, lanes),
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row, **operand_params(epilogue),
        **({"K": conv.k} if masked else {}), **({"C": conv.c} if chain_masked else {}),
    }  # fmt: skip
    extra = {p.name: p.view for p in prologue.chain.operands} | {e.name: e.view for e in epilogue.operands}
    reads = {"in": source, **weights(lowering, conv, tiling.ocb), **extra}
    stem = f"conv_{prologue.stem}_then_{stem_of(conv, tiling, epilogue)}"
    lowering.emit(
        "conv_prologue.c.j2", stem, reads=reads, writes={"out": out}, params=params,
        scratch=_blocks(conv, lanes) * 4 * lanes * (strip * th * tw + 1), common=common,
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        title=prologue.stem.replace("_", " "), made=_formula(prologue),
        ocb=tiling.ocb, panels=panels, tiles=tiling.tiles, along_y=tiling.along_y,
        sx=1, step_x=conv.stride[1] * prologue.step[1], pitch="LANES", sink="out", fetches=True, has_bias="bias" in reads,
        relieved=is_long(conv), stretch=STRETCH,
        operands=operand_context(epilogue), tail=epilogue.stem, masked=masked,
        variants=tile_variants(epilogue, panels, tiling, masked, by_pixel=True),
        chain_operands=operands, chain_masked=chain_masked, hoisted=hoisted, chain=chain, by_rows=lines.by_rows,
        run_values="".join(f", {v}" for v in [*operands, *(["live"] if chain_masked else [])]),
        unroll=1 if prologue.pools or is_heavy(prologue.chain) else STEP, window=prologue.pools, shared=common != 0, alone=ALONE,
    )  # fmt: skip


def _formula(prologue: Prologue) -> str:
    names = prologue.chain.stem.replace("_", ", ")
    value = f"({names})(in[n, c, …])" if names else "in[n, c, …]"
    if not prologue.pools:
        return value.replace("…", "y * stride_y, x * stride_x")
    return f"mean of {value} over {prologue.window[0]} x {prologue.window[1]} elements from y * step_y, x * step_x on"


CANDIDATES: tuple[Candidate, ...] = (Candidate("prologue", _serves, _lower, variants=tiling_variants),)
