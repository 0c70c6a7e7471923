"""Products of two large operands that change from call to call by Winograd's inner product (sol/codegen/kernels/inner_product.py).

Linear layers in training and their gradients: both operands are packed, scaled, where caches hold them. A row of the left operand and a
column of the right one are scaled by the roots of their mean squares in a slice of the reduction, and each place of the reduction by the
size of what some columns have there. Where a register tile has a row or a column that is too sparse, its products are not paired.
Gradients of weights, whose left operand lies across the reduction, are like those of convolutions: there the mean of what rows and columns
say counts (sol/codegen/kernels/conv_weight_inner_product.py). ``config["conv_max_error"] = 0`` keeps direct products.
"""

from __future__ import annotations

from functools import partial

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels import inner_product
from sol.codegen.kernels.conv_inner_product import max_error
from sol.codegen.kernels.conv_weight_inner_product import SPARSE
from sol.codegen.kernels.inner_product import LANES, LEAST, MOST, pixels_of, step_cost
from sol.codegen.kernels.matmul_blocks import Blocks, ceil_div, emit_blocks, is_streamed, tiles_of
from sol.codegen.kernels.matmul_cost import fixed
from sol.codegen.kernels.matmul_product import Product, float32_product, right_strides
from sol.codegen.kernels.traffic import balance, meeting
from sol.codegen.lowering import Lowering, TargetLike
from sol.config import config

LONGEST = 768
"""Steps of a slice at most."""
GROUP = 4
"""Vectors of the right operand that are packed at once: memory gives and takes more of a row than a line at little cost."""
SAMPLED = 32
"""Columns of the right operand by which the places of the reduction are scaled."""
EXPONENT = 20
"""How many powers of two a place of the reduction is scaled down by at most: numbers from 1e-31 to 1e32 stay in the range of float32."""
SHARES = 1.5, 1.0
"""What is packed of the left operand, and partial sums, at most, in sizes of the second-level cache: both stream by. Of 0.3 to 2.2 and
slices of 256 to 1024 steps, these were the fastest on Zen 4, or nearly: vectors are packed again for every block of rows."""


def find_pairs(lowering: Lowering) -> Blocks | None:
    """float32 operands of known sizes, the right one no constant, each of which has numbers that lie side by side."""
    p = float32_product(lowering)
    if p is None or p.constant or p.c_n != 1 or p.target.lanes != LANES or max_error(LONGEST) > config["conv_max_error"]:
        return None
    sizes = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
    if sizes is None or min(sizes) < 1 or 1 not in (p.a_k, p.loops.row_strides["A"]) or 1 not in right_strides(p):
        return None
    ways = (_shared_out(p, sizes, by_rows) for by_rows in (False, True))
    return min(ways, key=lambda found: pairs_cost(found, p.target))


def _shared_out(p: Product, sizes: tuple[int, ...], by_rows: bool) -> Blocks:
    """The product in blocks of rows or of columns of which a team gets about equally many."""
    batch, rows, n, k = sizes
    target = p.target
    nv = min(max(1, target.pair_vectors), ceil_div(n, LANES))
    fewest, cost = ceil_div(rows, pixels_of(nv)[1]), partial(step_cost, machine=target.machine, vectors=nv)
    mr = min((ceil_div(rows, fewest + more) for more in range(3)), key=lambda m: ceil_div(rows, m) * cost(m))
    step = ceil_div(ceil_div(k, ceil_div(k, LONGEST)), LANES) * LANES
    left, sums = (int(share * target.l2) // 4 for share in SHARES)
    panels, blocks = ceil_div(n, nv * LANES), ceil_div(rows, mr)
    high = ceil_div(blocks, max(1, left // (step * mr)))
    if by_rows:
        high = min(ceil_div(high, target.team) * target.team, blocks)
    wide = 1 if k <= step else ceil_div(panels, max(1, sums // (ceil_div(blocks, high) * mr * nv * LANES)))
    if not by_rows:
        wide = min(ceil_div(wide, target.team) * target.team, panels)
    rest = rows % mr
    stream = is_streamed(batch * rows * n, target)
    return Blocks(p, nv, mr, (mr, rest) if rest else (mr,), step, high, wide, by_rows, stream)


def pairs_cost(found: Blocks, target: TargetLike) -> float:
    """Vector multiply-adds in the time of one thread's share of a batch: register tiles, packing both operands for each block, results."""
    p, costs = found.product, target.machine.inner_product
    _, rows, n, k = found.sizes
    tiles, vectors, slices = ceil_div(rows, found.mr), ceil_div(n, found.width) * found.nv, ceil_div(k, found.slice)
    of_tile = ceil_div(k, LANES) * step_cost(found.mr, target.machine, found.nv) + slices * (costs.tile + costs.pixel * found.mr)
    of_left = (costs.line if p.a_k == 1 else costs.turned) * rows * k / LANES * found.wide
    of_right = (costs.line if right_strides(p)[1] == 1 else costs.turned) * vectors * k * found.high
    written = costs.written * rows * vectors if found.stream else 0.0
    uneven = balance(tiles if found.by_rows else vectors // found.nv, target.team)
    return costs.both * uneven / target.team * (tiles * vectors * of_tile + of_left + of_right + written)


def _pays(found: Blocks, target: TargetLike) -> bool:
    _, rows, n, k = found.sizes
    direct = rows * ceil_div(n, LANES) * k / target.team
    enough = rows >= LEAST and 2 * rows * n * k > target.machine.team.grain * target.team
    return enough and target.pair_vectors > 0 and pairs_cost(found, target) < target.machine.inner_product.both_gain * direct


def pairs_seconds(found: Blocks, target: TargetLike) -> float:
    """Computing; what comes from memory is asked for meanwhile."""
    return target.machine.seconds(found.sizes[0] * pairs_cost(found, target)) + meeting(target)


def lower_pairs(lowering: Lowering, found: Blocks) -> None:
    """See templates/matmul_pairs.c.j2."""
    p = found.product
    head = ("x", "panel", "steps", "plain", "beside", "part", "k0", "last")
    sums = found.rows * found.mr * found.panels * found.width if found.slice < found.sizes[3] else 0
    packed = found.rows * found.mr * found.slice + -(-found.rows * 3 * MOST // LANES) * LANES
    across = p.a_k != 1
    pair = inner_product.context() | {"left": [], "sampled": SAMPLED, "exponent": EXPONENT}
    context = {
        "paired": True, "nv": found.nv, "b_turned": right_strides(p)[1] != 1, "group": GROUP,
        "share": "mean" if across else "least", "sparse": SPARSE if across else inner_product.SPARSE,
        "inner_product": pair | {"wide": pair["wide"] | {"left": [], "fetches": 0}},
    }  # fmt: skip
    scratch = GROUP * (found.slice + 2) * LANES + 2 * found.slice + packed + sums
    emit_blocks(lowering, found, "pairs", tiles_of(found, head) | context, 4 * scratch + 64)


CANDIDATE: Candidate = sole("pairs", find_pairs, lower_pairs, _pays, pairs_seconds, ranked=False)
