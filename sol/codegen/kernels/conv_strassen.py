"""Convolution with fewer multiplications: Strassen's algorithm over pixels, input and output channels, with packed sums of weights.

Each product mixes two halves of the pixels, of the input and of the output channels. All are scaled by powers of two (scales.py, and a
power for each tile of inputs): errors are then in units of what a pixel's inputs and an output's weights amount to, whatever its partners
are. Parts are of the same image.

A 1x1 convolution (and one with larger filters, tap by tile) is a matrix product. It takes 7 products of halves where 8 are needed
otherwise; the sums of activations are made tile by tile, and what the products add up to is held in the cache.
Source: V. Strassen, Gaussian elimination is not optimal, Numerische Mathematik 13, 1969.

Not a number, infinity: an infinite or NaN input makes the outputs of the tiles that read it NaN, where direct convolution has infinities
and NaN only in the outputs that read it. ``config["conv_max_error"] = 0`` keeps direct convolution.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels import conv_paired
from sol.codegen.kernels.conv_cost import direct_seconds
from sol.codegen.kernels.conv_problem import Problem, emit_conv, float32_problem
from sol.codegen.kernels.conv_shape import Conv, spatial_strides
from sol.codegen.kernels.conv_tails import tile_variants
from sol.codegen.kernels.conv_tiling import Panel, choose_tiling
from sol.codegen.kernels.strassen_model import Choice, choose, groups_of, patch, relative_cost, shares_groups, shares_panels
from sol.codegen.kernels.strassen_products import PARTS, PRODUCTS, Move, Part, is_part, schedule, slots
from sol.codegen.lowering import Lowering, TargetLike
from sol.config import config
from sol.ir.dim import DimLike

LAST = 4
"""Input channels of a product that are left for while its results are moved and stored."""
STRETCH = 64
"""Multiply-adds that are added up one after the other: errors of products are added up, too."""
SCALES = 16
"""Floats behind the sums of a tile group: what scales its parts, three for each."""


@dataclass(frozen=True)
class Way:
    """Halves and tiles. pays: whether it takes less time than other products do."""

    problem: Problem
    choice: Choice
    pays: bool


def _read(lowering: Lowering) -> Way | None:
    """The cheapest way in which a region's convolution can be computed, if there is one."""
    problem, target = float32_problem(lowering), lowering.target
    if problem is None or problem.source.kind != "memory" or not isinstance(problem.conv.n, int) and problem.pool:
        return None
    choice = choose(problem.conv, target, config["conv_max_error"], problem.flat)
    if choice is None:
        return None
    least = min(1.0, conv_paired.other_cost(lowering))
    return Way(problem, choice, relative_cost(problem.conv, target, choice) < target.machine.strassen.gain * least)


def _seconds(way: Way, target: TargetLike) -> float | None:
    conv = way.problem.conv
    tiling = choose_tiling(target, way.problem.vectors, conv.oh, conv.ow, flat=way.problem.flat, reduction=conv.reduction)
    direct = direct_seconds(conv, tiling, target)
    return None if direct is None else relative_cost(conv, target, way.choice) * direct


def _steps() -> list[str]:
    """The products as C initialisers of ``step``, in order."""
    sums, texts = 0, []
    for p, (moves, part) in zip(PRODUCTS, schedule()):
        (pixels, channels), number = (next(iter(p.inputs)), -1) if is_part(p.inputs) else ((0, 0), sums)
        sums += number >= 0
        *others, last = moves
        held = others[0] if others else None
        completes = -1 if part is None else part[0] * PARTS + part[1]
        fields = [number, pixels, channels, completes, int(held is not None), _move(held), _move(last)]
        texts.append(f"{{{', '.join(map(str, fields))}}}")
    return texts


def _move(m: Move | None) -> str:
    if m is None:
        return "{0}"
    places = [f"{slot} * HELD" if slot > 0 else "0" for slot in (m.source, m.to)]
    return f"{{{', '.join(places)}, {'INT32_MIN' if m.sign < 0 else 0}}}"


def _part_text(pixels: int, channels: int) -> str:
    """C text of the way from a tensor's first part to another one."""
    return (" + half" if pixels else "") + (" + channels" if channels else "")


def _sum_texts() -> tuple[list[str], list[Part]]:
    """C expressions of the sums of input parts, and the parts that they need."""
    sums = [p.inputs for p in PRODUCTS if not is_part(p.inputs)]
    texts = []
    for total in sums:
        text = " ".join(f"{'+' if s > 0 else '-'} i{p}_{k}" for (p, k), s in total.items())
        texts.append(text.removeprefix("+ "))
    return texts, sorted({part for total in sums for part in total})


def part_strides(name: str, choice: Choice, strides: tuple[DimLike, ...], step: tuple[int, int]) -> dict[str, DimLike]:
    """Elements from one half of the pixels to the other; step: rows and columns per output."""
    _, _, row, column, _ = spatial_strides(strides)
    rows, columns = choice.step
    return {f"{name}_half": row * (rows * step[0]) + column * (columns * step[1])}


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
    return (conv.c // PARTS // lanes * rows * columns | 1) * lanes


def _lower(lowering: Lowering, way: Way) -> None:
    problem, choice, target = way.problem, way.choice, lowering.target
    conv, lanes, tiling, w = problem.conv, problem.lanes, choice.tiling, problem.conv.node.inputs[1]
    (th, tw), ocb = tiling.tiles[0], tiling.ocb
    sums, needed = _sum_texts()
    sum_floats, held = _sum_floats(conv, choice, lanes), slots() * ocb * th * tw * lanes
    groups = groups_of(choice)
    group_floats = len(sums) * sum_floats + SCALES
    blocks = _blocks(target, held, group_floats, groups)
    by_panels = shares_panels(groups)
    lowering.set_share(shares_groups(groups, choice, target))
    weights = {
        "scale": lowering.weight(w, "input_scales"), "w": lowering.weight(w, "strassen_panels", lanes=lanes, vectors=ocb),
        "factor": lowering.weight(w, "result_scales"),
    }  # fmt: skip
    free = max(0, target.registers - 4 - LAST * ocb) // ocb  # pixels whose accumulators leave room for the last channels' weights
    variants = tile_variants(problem.epilogue, [Panel(ocb)], tiling, problem.masked, by_pixel=True)
    emit_conv(
        lowering, problem, tiling, "strassen", weights=weights,
        params=_params(problem, choice, blocks, by_panels, sum_floats),
        scratch=4 * max(blocks[1] * held, blocks[0] * (held + group_floats)), common=4 * groups * group_floats if by_panels else 0,
        parts=PARTS, products=len(PRODUCTS), alone=target.machine.team.alone, fetches=True, sums=sums,
        needed=[(f"i{p}_{k}", _part_text(p, k), p, k) for p, k in needed], scales=SCALES, steps=_steps(),
        left=list(range(LAST)), slots=slots(), ocb=ocb, relieved=conv.reduction // PARTS > STRETCH, stretch=STRETCH,
        pixel_step=conv.stride[1] if conv.kernel[1] == 1 else 1, has_bias=False,
        variants=[v | {"loaded": max(0, v["th"] * v["tw"] - free)} for v in variants],
    )  # fmt: skip


def _params(problem: Problem, choice: Choice, blocks: tuple[int, int], by_panels: bool, sum_floats: int) -> dict[str, DimLike]:
    conv, lanes, split = problem.conv, problem.lanes, choice.split
    source = problem.source.view.strides
    row = spatial_strides(source)[2]
    rows, columns = patch(conv, *choice.tiling.tiles[0])
    one_row = conv.kernel[0] == 1
    params: dict[str, DimLike] = {
        "half_rows": split.oh, "half_columns": split.ow, "vectors": conv.k // lanes,
        "block": blocks[0], "held_block": blocks[1], "by_panels": int(by_panels), "overlap": int(split.waste > 1),
        "in_blocks": conv.c // PARTS // lanes, "R": conv.kernel[0], "S": conv.kernel[1],
        **problem.source.params(conv), **part_strides("in", choice, source, conv.stride),
        "down": choice.step[0], "right": choice.step[1], "tile_y": choice.stride[0], "tile_x": choice.stride[1],
        "sum_size": sum_floats,
    }  # fmt: skip
    for e in problem.epilogue.operands:
        params |= part_strides(e.name, choice, e.strides, (1, 1))
    params |= {
        "patch_row": row * conv.stride[0] if one_row else row, "patch_rows": rows, "patch_columns": columns,
        "row_step": 1 if one_row else conv.stride[0], "sum_r": conv.dilation[0], "sum_s": conv.dilation[1],
    }  # fmt: skip
    if len(choice.tiling.tiles) > 1:
        params["patch_rows_edge"], params["patch_columns_edge"] = patch(conv, *choice.tiling.tiles[1])
    return params


CANDIDATES: tuple[Candidate, ...] = (sole("strassen", _read, _lower, lambda way, target: way.pays, _seconds, ranked=False),)
