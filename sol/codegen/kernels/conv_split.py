"""1x1 convolutions of float32 by matrix tiles (AMX), see split_product.py: products of pixels with output channels."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels.conv_cost import direct_seconds, team_seconds
from sol.codegen.kernels.conv_direct import even_last, panels
from sol.codegen.kernels.conv_epilogues import tile_variants
from sol.codegen.kernels.conv_problem import Problem, emit_conv, float32_problem
from sol.codegen.kernels.conv_shape import is_pointwise
from sol.codegen.kernels.conv_tiling import Panel, Tiling, choose_tiling
from sol.codegen.kernels.matmul_blocks import ceil_div
from sol.codegen.kernels.split_product import GROUPS, MOST_AHEAD, SIDE, SLICE, STEPS, WIDTH, Sizes, Split, Stream, split_of
from sol.codegen.lowering import Lowering, TargetLike

VECTORS = WIDTH // SIDE
"""Of output channels in a panel."""


@dataclass(frozen=True)
class Way:
    """A convolution, and how its product goes on."""

    problem: Problem
    split: Split


def find_split(lowering: Lowering) -> Way | None:
    """A 1x1 convolution without groups of an input in memory, all sizes known, on a processor with matrix tiles."""
    target = lowering.target
    if not target.matrix_tiles or target.lanes != SIDE:
        return None
    problem = float32_problem(lowering)
    if problem is None or problem.source.kind != "memory" or not is_pointwise(problem.conv) or problem.conv.groups != 1:
        return None
    conv = problem.conv
    if not (isinstance(conv.n, int) and isinstance(conv.oh, int) and isinstance(conv.ow, int)) or 0 in (conv.n, conv.oh, conv.ow):
        return None
    return Way(problem, split_of(Sizes(1, conv.n * conv.oh * conv.ow, problem.vectors * SIDE, conv.c), True, target, not target.repacks))


def lower_split(lowering: Lowering, way: Way) -> None:
    """See templates/conv_split.c.j2."""
    problem, split, target = way.problem, way.split, lowering.target
    conv, tiling = problem.conv, Tiling(min(VECTORS, problem.vectors), ((1, 1),), problem.flat)
    lowering.set_share(VECTORS * split.wide >= problem.vectors)
    whole, rest = divmod(problem.vectors, VECTORS)
    widths = [Panel(VECTORS)] * (whole > 0) + [Panel(rest)] * (rest > 0)
    turns = ceil_div(SLICE // SIDE, split.wide)  # blocks of channels that each panel asks for
    ahead = MOST_AHEAD if turns > 1 else MOST_AHEAD // 2  # two amounts alone: each one is a kernel of its own
    streams: tuple[Stream, ...] = (
        Stream("next", "the pixels that are split next", ahead, WIDTH),
        Stream("result", "results", ceil_div(VECTORS * WIDTH, GROUPS), ceil_div(VECTORS * WIDTH, GROUPS) * GROUPS // VECTORS, True),
    )  # fmt: skip
    if split.ready:
        streams += (split.parts_ahead,)
        weights = lowering.weight(conv.node.inputs[1], "matrix_parts", transposed=True, slice=STEPS)
    else:
        weights = panels(lowering, conv, VECTORS)
    w_steps = {} if split.ready else {"w_steps": (ceil_div(conv.c, SIDE) - 1) * SIDE + even_last(conv.c, SIDE)}
    params = {
        "vectors": problem.vectors, "channels": conv.c, "turns": turns, **w_steps, **problem.source.params(conv, "n cb row start"),
        **split.params,
    }  # fmt: skip
    emit_conv(
        lowering, problem, tiling, "split", weights={"w": weights}, params=params, scratch=split.scratch,
        has_bias=len(conv.node.inputs) == 3, constant=True, streams=streams, **split.context(target),
        variants=tile_variants(problem.epilogue, widths, tiling, problem.masked, stored=problem.stored, pitch=problem.pitch, by_run=True),
    )  # fmt: skip


def pays(way: Way, target: TargetLike) -> bool:
    """Whether the tiles take less time than register tiles of vectors."""
    problem, conv = way.problem, way.problem.conv
    tiling = choose_tiling(target, problem.vectors, conv.oh, conv.ow, flat=problem.flat, reduction=conv.reduction)
    direct, ours = direct_seconds(conv, tiling, target), seconds(way, target)
    return direct is not None and ours < target.machine.tiles.gain * direct


def seconds(way: Way, target: TargetLike) -> float:
    """Products of tiles and splitting, shared out by the team."""
    tiles, sizes = target.machine.tiles, way.split.sizes
    cycles = way.split.cycles(target, tiles.pixel) + sizes.rows * sizes.n * tiles.result
    return team_seconds(cycles * target.machine.core.multiply_adds, target)


CANDIDATES: tuple[Candidate, ...] = (sole("split", find_split, lower_split, pays, seconds, ranked=False),)
