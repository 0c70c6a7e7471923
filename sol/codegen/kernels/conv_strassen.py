"""Convolution with fewer multiplications: Strassen's algorithm over pixels, input and output channels, with packed sums of weights.

A 1x1 convolution (and one with larger filters, tap by tile) is a matrix product. One level takes 7 products of halves where 8 are needed
otherwise, two levels 49 of quarters in place of 64; the sums of activations are made tile by tile, and what the products add up to is held
in the cache. Source: V. Strassen, Gaussian elimination is not optimal, Numerische Mathematik 13, 1969.

Not a number, infinity: an infinite or NaN input makes the outputs at the same place of all parts NaN, where direct convolution has
infinities and NaN only in the outputs that read it. ``config["conv_max_error"] = 0`` keeps direct convolution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.conv_direct import (
    Conv,
    check_border,
    is_flat,
    is_pointwise_tail,
    operand_context,
    operand_params,
    read_conv,
    serves_blocked_input,
    spatial_strides,
    stem_of,
    store,
    tail_lines,
    tail_steps,
    traffic,
)
from sol.codegen.kernels.conv_tiling import Tiling, choose_tiling, pixels_per_tile, tile_cycles, width_tiles
from sol.codegen.kernels.strassen_products import (
    Move,
    Part,
    Product,
    algorithm,
    is_part,
    schedule,
    slots,
    stores,
)
from sol.codegen.kernels.winograd_model import fetch_cost, overlapped
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.codegen.packing import STAGE, packer, staged
from sol.codegen.plan import View
from sol.config import config
from sol.ir.dim import DimLike

ERROR = {1: (4e-7, 5e-8), 2: (6e-7, 8e-8)}
"""Bound a + b * sqrt(multiply-adds per output) of the error against float64, in units of the largest output, per level.

Measured on uniformly distributed data, 128 … 1024 channels, and rounded up: at 1024 one level 1.4e-6, two 1.6e-6, direct 1.1e-6.
"""
GAIN = 0.95
"""Share of direct convolution's cost below which it is worth while."""
ROOM = 0.05
"""Share of direct convolution's cost that a second level must save where the weights, of which it takes 7/4 as many, outweigh the maps."""
ADDED = 2.5
"""Multiply-adds in the time in which a vector of a product is added to what is held and stored, beside those that go on meanwhile."""
SUMMED = {1: 4.0, 2: 2.5}
"""The same for one vector of a sum of input parts, per number of levels: with two, a part that was fetched serves more sums."""
MOVES = {1: ["held"], 2: ["held", "inner", "outer"]}
"""What a product may do with its result but for the last move, per number of levels."""
LAST = 4
"""Input channels of a product that are left for while its results are moved and stored."""
HIDDEN = 0.9
"""The part of computing or of fetching weights, the shorter one, that is hidden: a product's weights come during the one before."""
FEW_GROUPS = 64
"""Tile groups up to which threads may share out the panels."""
ALONE = 4
"""Threads up to which each makes the sums for itself: cheaper than to wait for each other and to fetch from another core."""


def max_error(levels: int, reduction: int) -> float:
    """Bound on the error over so many multiply-adds per output, in units of the largest output."""
    constant, growth = ERROR[levels]
    return constant + growth * sqrt(reduction)


@dataclass(frozen=True)
class Split:
    """How a convolution falls into parts, two per level. Parts may overlap a little: what they share is
    computed twice, by one thread.

    n, oh, ow: sizes of a part. steps: (images, output rows, output columns) from one half to the other, per level, outermost first,
    if each half is one piece. waste: elements of all parts per element of the result.
    """

    n: DimLike
    oh: int
    ow: int
    steps: tuple[tuple[int, int, int], ...] = ()
    waste: float = 1.0

    @property
    def parts(self) -> int:
        return 2 ** len(self.steps)

    def halves(self) -> Iterator[Split]:
        """The same with one level more, along images, rows or columns."""
        if isinstance(self.n, int) and self.n % 2 == 0:
            yield replace(self, n=self.n // 2, steps=(*self.steps, (self.n // 2, 0, 0)))
        if self.oh > 1:
            step = self.oh // 2
            yield replace(self, oh=self.oh - step, steps=(*self.steps, (0, step, 0)), waste=self.waste * 2 * (self.oh - step) / self.oh)
        if self.ow > 1:
            step = self.ow // 2
            yield replace(self, ow=self.ow - step, steps=(*self.steps, (0, 0, step)), waste=self.waste * 2 * (self.ow - step) / self.ow)


def splits(conv: Conv, levels: int, flat: bool) -> list[Split]:
    """All ways to halve the pixels so many times; none for symbolic sizes. flat: the map is one long row."""
    if not (isinstance(conv.oh, int) and isinstance(conv.ow, int)):
        return []
    found = [Split(conv.n, 1, conv.oh * conv.ow) if flat else Split(conv.n, conv.oh, conv.ow)]
    for _ in range(levels):
        found = [half for split in found for half in split.halves()]
    return found


@dataclass(frozen=True)
class Choice:
    """Levels, parts and tile of one convolution."""

    levels: int
    split: Split
    tiling: Tiling
    flat: bool

    @property
    def products(self) -> tuple[Product, ...]:
        return algorithm(self.levels)

    @property
    def is_near(self) -> bool:
        """Whether parts can be neighbouring tiles: whole tiles without overlap. A thread's groups are then one piece of the map."""
        (th, tw), split = self.tiling.tiles[0], self.split
        return split.waste == 1 and len(self.tiling.tiles) == 1 and split.oh % th == 0 and split.ow % tw == 0

    @property
    def steps(self) -> tuple[tuple[int, int, int], ...]:
        """(images, output rows, output columns) from one half to the other, per level, outermost first."""
        if not self.is_near:
            return self.split.steps
        (th, tw), found = self.tiling.tiles[0], []
        for n, rows, columns in reversed(self.split.steps):
            found.append((n, th if rows else 0, tw if columns else 0))
            th, tw = th * 2 if rows else th, tw * 2 if columns else tw
        return tuple(reversed(found))

    @property
    def stride(self) -> tuple[int, int]:
        """Rows and columns from one tile group to the next."""
        (th, tw), axes = self.tiling.tiles[0], self.split.steps if self.is_near else ()
        return th * 2 ** sum(s[1] > 0 for s in axes), tw * 2 ** sum(s[2] > 0 for s in axes)


def _tiling(target: TargetLike, vectors: int, split: Split, flat: bool) -> Tiling | None:
    """A tile for a part whose vectors divide ``vectors``; None if leftover pixels would need more than one smaller tile.

    Tiles of a long row are about equally wide: what a narrow one costs beside its multiply-adds comes with every product.
    """
    tiling = choose_tiling(target, vectors, split.oh, split.ow, flat=flat)
    if vectors % tiling.ocb:
        return None
    if flat:
        tiling = replace(tiling, tiles=width_tiles(pixels_per_tile(target, tiling.ocb), split.oh * split.ow))
    return tiling if len(tiling.tiles) <= 2 else None


def choices(conv: Conv, target: TargetLike, error: float, flat: bool) -> list[Choice]:
    """Every number of levels that is possible and whose error is within bounds, cheapest first, memory considered."""
    found = []
    for levels in ERROR:
        whole = target.lanes * 2**levels
        if conv.groups != 1 or conv.c % whole or conv.k % whole or max_error(levels, conv.reduction) > error:
            continue
        ways = [
            Choice(levels, split, tiling, flat)
            for split in splits(conv, levels, flat) if (tiling := _tiling(target, conv.k // whole, split, flat)) is not None
        ]  # fmt: skip
        if ways:
            found.append(min(ways, key=lambda c: relative_cost(conv, target, c)))
    return sorted(found, key=lambda c: relative_cost(conv, target, c) + _room(conv, c))


def _room(conv: Conv, choice: Choice) -> float:
    """What the weights of further levels must save to be worth the memory that they take."""
    maps = 4 * (conv.n * conv.c * conv.h * conv.w + conv.n * conv.k * conv.oh * conv.ow)
    large = isinstance(maps, int) and conv.weight_bytes > maps
    return ROOM * (choice.levels - 1) if large else 0.0


def relative_cost(conv: Conv, target: TargetLike, choice: Choice) -> float:
    """Time in units of direct convolution with its best tile."""
    split, tiling, products = choice.split, choice.tiling, choice.products
    (th, tw), ocb, parts = tiling.tiles[0], tiling.ocb, split.parts
    tile = ocb * th * tw
    reduction = conv.reduction / parts
    multiply = len(products) * reduction * 2 * tile_cycles(ocb, th * tw)
    added = stores(choice.levels) * tile
    rows, columns = patch(conv, th, tw)
    columns = (columns - 1) // conv.stride[1] + 1 if conv.kernel[1] == 1 else columns
    summed = sum(not is_part(p.inputs) for p in products) * (conv.c / parts / target.lanes) * rows * columns
    panels = conv.k // (target.lanes * parts * ocb)
    waste = split.waste * _padded(split, tiling) / (split.oh * split.ow)
    if split.waste > 1:
        waste *= -(-panels // target.team) * target.team / panels
    makers = target.team if split.waste > 1 else min(target.team, ALONE) if _shares_panels(_groups(choice)) else 1
    direct = parts**3 * reduction * tile
    compute = waste * (multiply + ADDED * added + SUMMED[choice.levels] * summed * makers / panels) / direct
    pixels = split.oh * split.ow * (split.n if isinstance(split.n, int) else 1) * parts / split.waste
    fetch = fetch_cost(4 * target.lanes / pixels, target)
    return overlapped(compute, fetch * len(products) / parts**2, HIDDEN) / overlapped(1.0, fetch, HIDDEN)


def _groups(choice: Choice) -> DimLike:
    """Tile groups of the whole batch."""
    (th, tw), split = choice.tiling.tiles[0], choice.split
    return split.n * (-(-split.oh // th) * -(-split.ow // tw))


def _shares_panels(groups: DimLike) -> bool:
    """May threads share out panels too, each making the sums for itself?"""
    return isinstance(groups, int) and groups <= FEW_GROUPS


def _shares_groups(groups: DimLike, choice: Choice, target: TargetLike) -> bool:
    """Whether the template will share out tile groups rather than panels."""
    if not isinstance(groups, int):
        return True
    uneven = (-groups % target.team + (len(choice.tiling.tiles) > 1)) * 16 > groups
    return choice.split.waste == 1 and not (_shares_panels(groups) and uneven)


def _padded(split: Split, tiling: Tiling) -> float:
    """Pixels of a part's map as expensive as its tiles are."""
    th, tw = tiling.tiles[0]
    full = tile_cycles(tiling.ocb, th * tw) / (th * tw)
    pixels = float((split.oh // th * th) * (split.ow // tw * tw))
    for height, width in tiling.tiles[1:]:
        count = split.ow // tw if tiling.along_y else split.oh // th
        pixels += count * tile_cycles(tiling.ocb, height * width) / full
    return pixels


def patch(conv: Conv, th: int, tw: int) -> tuple[int, int]:
    """Rows and columns of input that a tile reads; of a filter of one row, only the rows that it reads."""
    (r, s), (sy, sx), (dy, dx) = conv.kernel, conv.stride, conv.dilation
    return th if r == 1 else (th - 1) * sy + (r - 1) * dy + 1, (tw - 1) * sx + (s - 1) * dx + 1


def read_choices(lowering: Lowering) -> list[Choice]:
    """The ways in which the region's convolution can be computed, cheapest first."""
    conv, lanes = read_conv(lowering), lowering.target.lanes
    if conv is None or not serves_blocked_input(lowering) or not is_pointwise_tail(lowering, lowering.output, lanes):
        return []
    out = lowering.view(lowering.output)
    if spatial_strides(out.strides)[3:] != (lanes, 1):
        return []
    epilogue = make_epilogue(lowering, conv.node.name, channel_axis=1, block=lanes)
    tiles = [e.strides for e in epilogue.operands if e.kind == "tile"]
    flat = is_flat(conv, [lowering.view(conv.node.inputs[0]).strides, out.strides, *tiles])
    return choices(conv, lowering.target, config["conv_max_error"], flat)


def _serves(lowering: Lowering) -> bool:
    conv, found = read_conv(lowering), read_choices(lowering)
    return bool(found) and conv is not None and relative_cost(conv, lowering.target, found[0]) < GAIN


def _can(lowering: Lowering) -> bool:
    return bool(read_choices(lowering))


def _variants(lowering: Lowering) -> list[str]:
    return [f"levels{c.levels}" for c in read_choices(lowering)[1:]]


def _wanted(lowering: Lowering) -> Choice:
    """What the variant names, else the cheapest."""
    found = read_choices(lowering)
    return next((c for c in found if f"levels{c.levels}" == lowering.variant), found[0])


def _steps(products: tuple[Product, ...], levels: int) -> list[str]:
    """The products as C initialisers of ``step``, in order."""
    parts, sums, texts = 2**levels, 0, []
    for p, (moves, part) in zip(products, schedule(levels)):
        (pixels, channels), number = (next(iter(p.inputs)), -1) if is_part(p.inputs) else ((0, 0), sums)
        sums += number >= 0
        *others, last = moves
        named = {}
        for m in others:
            named["inner" if m.to < 0 else "outer" if "inner" in named else "held"] = m
        found = [named.get(n) for n in MOVES[levels]]
        completes = -1 if part is None else part[0] * parts + part[1]
        fields = [number, pixels, channels, completes, *(int(m is not None) for m in found), *map(_move, (*found, last))]
        texts.append(f"{{{', '.join(map(str, fields))}}}")
    return texts


def _move(m: Move | None) -> str:
    if m is None:
        return "{0}"
    places = [f"{slot} * HELD" if slot > 0 else "0" for slot in (m.source, m.to)]
    return f"{{{', '.join(places)}, {'INT32_MIN' if m.sign < 0 else 0}}}"


def _part_text(pixels: int, channels: int) -> str:
    """C text of the way from a tensor's first part to another one."""
    terms = [(pixels // 2, "pair"), (pixels % 2, "half"), (channels, "channels")]
    return "".join(f" + {text}" if times == 1 else f" + {times} * {text}" for times, text in terms if times)


def _sum_texts(products: tuple[Product, ...]) -> tuple[list[str], list[Part]]:
    """C expressions of the sums of input parts, and the parts that they need."""
    sums = [p.inputs for p in products if not is_part(p.inputs)]
    texts = []
    for total in sums:
        text = " ".join(f"{'+' if s > 0 else '-'} i{p}_{k}" for (p, k), s in total.items())
        texts.append(text.removeprefix("+ "))
    return texts, sorted({part for total in sums for part in total})


def part_strides(name: str, choice: Choice, strides: tuple[DimLike, ...], step: tuple[int, int]) -> dict[str, DimLike]:
    """Elements from one half of the pixels to the other, outer (two levels) and inner; step: rows and columns per output."""
    n, _, row, column, _ = spatial_strides(strides)
    found = [n * i + row * (r * step[0]) + column * (c * step[1]) for i, r, c in choice.steps]
    return {f"{name}_half": found[-1], f"{name}_pair": found[0] if len(found) > 1 else 0}


def _blocks(target: TargetLike, held_floats: int, group_floats: int, groups: DimLike) -> tuple[int, int]:
    """Tile groups that a thread takes at a time: where it makes their sums, and where all sums are at hand.

    Their sums, and their outputs' parts, have half and a quarter of the second-level cache.
    """
    held = max(1, target.l2 // 4 // (4 * held_floats))
    made = max(1, min(held, target.l2 // 2 // (4 * group_floats)))
    return (min(made, groups), min(held, groups)) if isinstance(groups, int) else (made, held)


def _sum_floats(conv: Conv, choice: Choice, lanes: int) -> int:
    """Elements from one sum of a tile group to the next: an odd number of vectors, as sums are written side by side and would else
    lie at the same few places of the first-level cache."""
    rows, columns = patch(conv, *choice.tiling.tiles[0])
    return (conv.c // choice.split.parts // lanes * rows * columns | 1) * lanes


def _lower(lowering: Lowering) -> None:
    conv, choice = read_conv(lowering), _wanted(lowering)
    assert conv is not None
    target, lanes, node = lowering.target, lowering.target.lanes, conv.node
    split, tiling, products = choice.split, choice.tiling, choice.products
    source, out = lowering.view(node.inputs[0]), lowering.view(lowering.output)
    check_border(lowering, conv, source)
    epilogue = make_epilogue(lowering, node.name, channel_axis=1, block=lanes)
    (th, tw), ocb, parts = tiling.tiles[0], tiling.ocb, split.parts
    sums, needed = _sum_texts(products)
    sum_floats, held = _sum_floats(conv, choice, lanes), slots(choice.levels) * ocb * th * tw * lanes
    groups = _groups(choice)
    blocks = _blocks(target, held, len(sums) * sum_floats, groups)
    by_panels = _shares_panels(groups)
    lowering.set_share(_shares_groups(groups, choice, target))
    reads = {"in": source, "w": _weights(lowering, conv, choice)}
    if len(node.inputs) == 3:
        reads["bias"] = lowering.weight(node.inputs[2], "channels", block=lanes)
    reads |= {e.name: e.view for e in epilogue.operands}
    variants = [_variant(epilogue, target, ocb, h, w) for h, w in tiling.tiles]
    lowering.emit(
        "conv_strassen.c.j2", stem_of(conv, tiling, epilogue, f"conv_strassen{choice.levels}"),
        reads=reads, writes={"out": out}, params=_params(lowering, conv, choice, epilogue, blocks, by_panels, sum_floats),
        scratch=4 * max(blocks[1] * held, blocks[0] * (held + len(sums) * sum_floats)),
        common=4 * groups * len(sums) * sum_floats if by_panels else 0,
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        levels=choice.levels, parts=parts, products=len(products), alone=ALONE, fetches=True, sums=sums,
        needed=[(f"i{p}_{k}", _part_text(p, k)) for p, k in needed], steps=_steps(products, choice.levels),
        moves=MOVES[choice.levels], left=LAST, slots=slots(choice.levels), ocb=ocb, tiles=tiling.tiles, along_y=tiling.along_y,
        sx=conv.stride[1], pixel_step=conv.stride[1] if conv.kernel[1] == 1 else 1, pitch="LANES", sink="out",
        has_bias=False, biased="bias" in reads, masked=False, operands=operand_context(epilogue), tail=epilogue.stem,
        passed="".join(f", {e.name}" for e in epilogue.operands), variants=variants,
    )  # fmt: skip


def _variant(epilogue: Epilogue, target: TargetLike, ocb: int, th: int, tw: int) -> dict[str, object]:
    """Template context of a tile's function. loaded: pixels after which the last channels' weights fit in the registers, too."""
    steps = tail_steps(epilogue, ocb, th, tw, False)
    tail = [] if steps else tail_lines(epilogue, ocb, th, tw, store, False)
    free = target.registers - 4 - LAST * ocb
    return {"th": th, "tw": tw, "tail": tail, "steps": steps, "loaded": max(0, th * tw - max(0, free) // ocb)}


def _params(
    lowering: Lowering, conv: Conv, choice: Choice, epilogue: Epilogue, blocks: tuple[int, int], by_panels: bool, sum_floats: int
) -> dict[str, DimLike]:
    lanes, split = lowering.target.lanes, choice.split
    source, out = lowering.view(conv.node.inputs[0]).strides, lowering.view(lowering.output).strides
    n, cb, row, column, _ = spatial_strides(source)
    out_n, out_cb, out_row = spatial_strides(out)[:3]
    rows, columns = patch(conv, *choice.tiling.tiles[0])
    one_row = conv.kernel[0] == 1
    params: dict[str, DimLike] = {
        "N": split.n, "OH": split.oh, "OW": split.ow, "vectors": conv.k // lanes,
        "block": blocks[0], "held_block": blocks[1], "by_panels": int(by_panels), "overlap": int(split.waste > 1),
        "in_blocks": conv.c // split.parts // lanes, "R": conv.kernel[0], "S": conv.kernel[1],
        "in_n": n, "in_cb": cb, "in_row": row * conv.stride[0], "in_r": row * conv.dilation[0], "in_s": column * conv.dilation[1],
        "in_start": -(row * conv.padding[0] + column * conv.padding[1]), **part_strides("in", choice, source, conv.stride),
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row, **part_strides("out", choice, out, (1, 1)),
        "patch_row": row * conv.stride[0] if one_row else row, "patch_rows": rows, "patch_columns": columns,
        "tile_y": choice.stride[0], "tile_x": choice.stride[1],
        "row_step": 1 if one_row else conv.stride[0], "sum_r": conv.dilation[0], "sum_s": conv.dilation[1],
        "sum_size": sum_floats,
        **operand_params(epilogue),
    }  # fmt: skip
    for e in epilogue.operands:
        params |= part_strides(e.name, choice, e.strides, (1, 1))
    if len(choice.tiling.tiles) > 1:
        params["patch_rows_edge"], params["patch_columns_edge"] = patch(conv, *choice.tiling.tiles[1])
    return params


def _weights(lowering: Lowering, conv: Conv, choice: Choice) -> View:
    return lowering.weight(
        conv.node.inputs[1], "strassen_panels", lanes=lowering.target.lanes, vectors=choice.tiling.ocb, levels=choice.levels
    )


def _packed_shape(shape: tuple[int, ...], *, lanes: int, vectors: int, levels: int) -> tuple[int, ...]:
    k, c, width = shape[0] // 2**levels, shape[1] // 2**levels, vectors * lanes
    return k // width, len(algorithm(levels)), c // lanes, int(np.prod(shape[2:])), lanes, width


@packer("strassen_panels", shape=_packed_shape)
def pack_strassen(array: np.ndarray, *, lanes: int, vectors: int, levels: int, out: np.ndarray | None = None) -> np.ndarray:
    """w[K, C, *kernel] -> [panel][product][input channel block][r][s][channel][vectors * lanes], sums made in float64.

    A panel is ``vectors`` output vectors of each of the 2**levels parts of K, neighbours; C and K divide into whole vectors per part.
    """
    products, parts = algorithm(levels), 2**levels
    k, c = array.shape[0] // parts, array.shape[1] // parts
    taps, width = int(np.prod(array.shape[2:])), vectors * lanes
    split = array.reshape(k // width, parts, width, parts, c, taps)
    if out is None:
        out = np.zeros(_packed_shape(array.shape, lanes=lanes, vectors=vectors, levels=levels), np.float32)
    step = max(1, STAGE // (lanes * taps)) * lanes
    for panel, rows in zip(out, split):
        for channel in range(0, c, step):
            some = rows[:, :, :, channel : channel + step].reshape(parts, width, parts, -1)
            blocks = some.shape[-1] // (lanes * taps)
            held = {at: piece for at in np.ndindex(parts, parts) for _, piece in staged(some[at[1], :, at[0]], some.shape[-1])}
            for number, product in enumerate(products):
                (at, sign), *others = product.weights.items()
                total = held[at] if sign > 0 else -held[at]
                for at, sign in others:
                    total = np.add(total, held[at], dtype=np.float64) if sign > 0 else np.subtract(total, held[at], dtype=np.float64)
                target = panel[number, channel // lanes :][:blocks]
                target[...] = total.reshape(width, blocks, lanes, taps).transpose(1, 3, 2, 0)
    return out


CANDIDATES: tuple[Candidate, ...] = (Candidate("strassen", _serves, _lower, _can, _variants),)
