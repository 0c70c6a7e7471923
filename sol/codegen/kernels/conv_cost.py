"""Seconds that the products of a convolution take by the machine's table.

The rules by which products are chosen (winograd_model, conv_inner_product) compare on scales of their own. This adds what they
leave out: how threads share the work, who wrote the input, how often weights are read and from where. None where sizes are known only at
run time.
"""

from __future__ import annotations

from sol.codegen.kernels.conv_shape import Conv, static_size
from sol.codegen.kernels.conv_tiling import Tiling, map_cycles
from sol.codegen.kernels.traffic import balance, byte_seconds, meeting, missing, other_cores_seconds, weight_seconds
from sol.codegen.kernels.winograd_model import Grid, Organisation, Products, fetch_cost, overlapped, register_tiles, transform_costs
from sol.codegen.lowering import TargetLike


def direct_seconds(conv: Conv, tiling: Tiling, target: TargetLike, by_tiles: bool = True, made: int = 0) -> float | None:
    """Register tiles while weights are fetched.

    by_tiles: threads share out tiles, else output vectors: then each reads the whole input, of which others wrote a part, or makes it.
    made: elements that are read to make one of the input; 0 where it lies in memory.
    """
    n, oh, ow = conv.n, conv.oh, conv.ow
    if not (isinstance(n, int) and isinstance(oh, int) and isinstance(ow, int)):
        return None
    machine, team = target.machine, target.team
    vectors = -(-(conv.k // conv.groups) // target.lanes)
    cycles = map_cycles(machine.direct, tiling, vectors, oh, ow, conv.reduction)
    pixels = n * oh * ow * conv.stride[0] * conv.stride[1]
    packing = machine.inner_product.made * made * -(-conv.c // target.lanes) * pixels
    multiply_adds = n * conv.groups * conv.reduction * cycles * machine.direct.multiply_adds
    fetch = fetch_cost(conv.weight_bytes, target, machine.winograd.fetch)
    if by_tiles:
        multiply_adds *= balance(n * static_size(tiling.count(oh, ow)), team)
        return team_seconds(overlapped(multiply_adds + packing, fetch, machine.winograd.hidden_direct), target)
    makers = min(team, machine.team.alone)
    found = team_seconds(overlapped(multiply_adds + packing * makers, fetch, machine.winograd.hidden_direct), target)
    return found + other_cores_seconds(conv.dtype.itemsize * conv.c * pixels, target)


def winograd_seconds(conv: Conv, grid: Grid, how: Organisation, target: TargetLike) -> float | None:
    """Winograd's tiles: transforms and products of each thread's blocks of tiles, all weights again for each of them."""
    if not all(isinstance(size, int) for size in (conv.n, conv.oh, conv.ow)):
        return None
    machine, costs, team = target.machine, target.machine.winograd, target.team
    tile = register_tiles(conv, target, grid, how.block)
    vectors, blocks = -(-conv.k // target.lanes), -(-conv.c // target.lanes)
    groups = -(-vectors // tile.ocb)
    by_channels = grid.tiles < how.split_channels * team
    mine = grid.tiles if by_channels else -(-grid.tiles // team)
    parts = [min(how.block, mine - start) for start in range(0, mine, how.block)]
    there, back = transform_costs(grid, costs)
    if grid.by_inner_product:
        there += costs.inner_product_moved + costs.inner_product_sums / blocks
    share = mine / grid.tiles
    shared = team if by_channels else 1
    multiply = sum(_products(grid, tile, part) for part in parts) * groups * -(-conv.c // grid.together) / shared
    makers = shared if by_channels and team > machine.team.alone else 1
    compute = machine.seconds(multiply + share * grid.transformed * (there * blocks / makers + back * vectors / shared))
    weights = grid.itemsize * grid.products * conv.c * groups * tile.ocb * target.lanes / shared
    there, back = blocks * grid.itemsize, vectors * 4  # bytes of each lane: what is multiplied, and sums
    v, m = (grid.products * parts[0] * target.lanes * each for each in (there, tile.ocb * 4))
    moved = share * grid.transformed * target.lanes * 2 * (there + back / shared)
    compute += _driven_out(moved, v + m + weights / groups, target)
    once = parts[0] <= tile.widths[0]
    fetch = weight_seconds(weights * shared, target)
    again = weights * byte_seconds(weights + v + m, target) * sum(
        1 - (machine.streams.again_once if part <= tile.widths[0] else machine.streams.again) for part in parts[1:]
    )  # fmt: skip
    return overlapped(compute, fetch, 0.0 if once else machine.streams.ahead) + again + meeting(target)


def _products(grid: Grid, tile: Products, part: int) -> float:
    """Vector multiply-adds per input channel of the products of so many tiles; those that some tiles lack in proportion."""
    return sum(count * tile.cost(round(tiles * part / grid.tiles)) for tiles, count in grid.counts())


def _driven_out(moved: float, between: float, target: TargetLike) -> float:
    """Seconds that so many bytes take longer than from the second-level cache, if so many lie between two uses."""
    memory = target.machine.memory
    slower = byte_seconds(2.0 * memory.l2.bytes, target) - byte_seconds(0.0, target)
    return moved * missing(between, memory.l2.bytes, target.machine) * slower * (1 - target.machine.streams.overflow)


def team_seconds(multiply_adds: float, target: TargetLike) -> float:
    """Seconds of so many vector multiply-adds that the team shares out, and of meeting afterwards."""
    return target.machine.seconds(multiply_adds / target.team) + meeting(target)
