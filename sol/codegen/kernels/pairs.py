"""Winograd's inner product for all kernels that multiply: two input channels share a multiply-add and take two additions.

Where a processor executes additions beside multiply-adds, in units of their own (``Target.adders``), it computes up to half as many
outputs again per cycle. Inputs and output channels are scaled by powers of two, without which the error would grow with the ratio of
their sizes; it is then bounded by the product of their norms, as that of the usual inner product. Input channels are scaled, too: a pair's
second channel is added to weights of the first.

Where most inputs or weights are zero, or much smaller than the largest ones, products are few, and the error of the usual inner product
is less than that bound. So a tile's share is found while its inputs are packed: the largest mean magnitude of its pixels over the largest
root of their mean squares, squared. That of the weights is found when these are packed. Where the product of both is below ``SPARSE``, the
same packed data are multiplied and added as usual: signs of pairs cancel in products.
Sources: S. Winograd, A new algorithm for inner product, IEEE Transactions on Computers C-17, 1968; R. P. Brent, Error analysis of
algorithms for matrix multiplication and triangular decomposition using Winograd's identity, Numerische Mathematik 16, 1970.

Not a number, infinity: an infinite input makes outputs NaN where the usual product may have an infinity.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sol.codegen.kernels.scales import channel_scales, inverse
from sol.codegen.machines import Machine
from sol.codegen.packing import packer

PAIRS = 5
"""Pairs among 16 channels; the other 6 channels are multiplied directly. 10 additions and 11 multiply-adds per 16."""
LANES = 16
"""Lanes of the targets that it is written for."""
LEFT = 4
"""Input channels that are left for while results are finished and stored."""
MOST, LEAST = 22, 8
"""Pixels of a register tile: more do not fit, fewer wait for the latency of their sums."""
SPARSE = 0.09
"""Share of inputs times share of weights below which products are not paired: at 0.06, errors come up to seven times those of torch.

Of normally distributed inputs and weights it is 0.4, of inputs with ReLU 0.2, of those of which parts s and t are not zero 0.4 * s * t.
What inputs are found to have may be less, by half at most of such data, since not every magnitude is added up.
"""
BEHIND = 3
"""Vectors behind a panel's weights: what pairs subtract, factors of the results, the least share of inputs that are paired."""
STRETCH, PLAIN_STRETCH = 16, 4
"""Steps that are added up one after the other, in pairs and plain: rounding errors grow with the length of such a sum."""


def step_cost(pixels: int, machine: Machine) -> float:
    """Vector multiply-adds in the time of 16 input channels of one output vector; each pixel's channels are broadcast for it alone."""
    cycles = machine.cycles(multiply_adds=LANES - PAIRS, additions=2 * PAIRS, broadcasts=LANES)
    return cycles * machine.core.multiply_adds * max(pixels, LEAST) + machine.inner_product.step


def last_channels(channels: int) -> int:
    """Channels of the last step."""
    return (channels - 1) % LANES + 1


def pairs_of(channels: int = LANES) -> int:
    """Pairs in a step of so many channels."""
    return min(PAIRS, max(0, channels - LANES // 2))


def direct_channels(channels: int = LANES) -> list[int]:
    """Those of a step of so many channels that are in no pair."""
    return [j for j in range(channels) if j % (LANES // 2) >= pairs_of(channels)]


def signs() -> np.ndarray:
    """Signs [even or odd step][channel] of inputs and of weights: the second channel of every other pair is negated."""
    lane = np.arange(LANES)
    second = (lane >= LANES // 2) & (lane < LANES // 2 + PAIRS)
    return np.stack([np.where(second & (lane % 2 == odd), -1.0, 1.0) for odd in (1, 0)]).astype(np.float32)


def context(channels: int = LANES) -> dict[str, Any]:
    """Template context ``pairs`` of pairs.c.j2. channels: of the last step, the others have LANES."""
    return {
        "count": PAIRS, "signs": signs().tolist(), "firsts": [int(j < PAIRS) for j in range(LANES)],
        "other_half": [(j + LANES // 2) % LANES for j in range(LANES)],
        "half": LANES // 2, "most": MOST, "behind": BEHIND, "stretch": STRETCH, "plain_stretch": PLAIN_STRETCH,
        "whole": _step(LANES), "last": _step(channels), "left": direct_channels(channels)[-LEFT:],
    }  # fmt: skip


def _step(channels: int) -> dict[str, Any]:
    """A step of so many channels: its pairs, the channels in none, and all of them but for the last 0, 1, … of these."""
    direct = direct_channels(channels)
    without = [direct[len(direct) - left :] for left in range(LEFT + 1)]
    return {"pairs": pairs_of(channels), "direct": direct, "plain": [[j for j in range(channels) if j not in w] for w in without]}


def pack(weights: np.ndarray, panel: np.ndarray, scales: np.ndarray, taps: int = 1, alike: int = 1) -> None:
    """Write panels of LANES output channels: [step][channel][LANES], scaled, then BEHIND vectors.

    weights[..., LANES output channels, input channels * taps], input channels being whole vectors; panel[..., elements]: a step is a tap of
    LANES input channels. alike: steps in a row that have the same signs. scales[..., 1, input channels]: what inputs are multiplied by, and
    weights divided, powers of two or 0 (scales.py).
    Behind it lie what pairs subtract, factors of the results, and the least share of inputs that are paired.
    An output channel is scaled by a power of two such that the root of its mean square is from 1 up to 2; its factor undoes that, and is
    zero for a channel without weights, lest what cancels leave a trace.
    """
    *panels, _, depth = weights.shape
    blocks = depth // taps // LANES
    weights = weights * np.repeat(inverse(scales), taps, -1)
    squares = np.einsum("...i,...i->...", weights, weights)
    if not (np.isfinite(squares).all() and (squares > TINY).all()):
        squares = np.square(weights, dtype=np.float64).sum(-1)
    size = np.sqrt(squares / depth)
    exponent = np.clip(np.floor(np.log2(np.where((size > 0) & np.isfinite(size), size, 1.0))), -120, 120).astype(np.float32)
    rows = np.empty((*panels, LANES, (depth // LANES | 1) * LANES), np.float32)[..., :depth]  # no powers of two apart: they are transposed
    np.multiply(weights, _row_signs(blocks, taps, alike), out=rows, casting="same_kind")
    rows *= np.exp2(-exponent)[..., None]
    scaled = rows.reshape(*panels, LANES, blocks, LANES, taps)
    order = (*range(len(panels)), *(len(panels) + i for i in (1, 3, 2, 0)))
    packed = panel[..., : -BEHIND * LANES].reshape(*panels, blocks * taps, LANES, LANES)
    packed.reshape(*panels, blocks, taps, LANES, LANES)[...] = scaled.transpose(order)
    products = packed[..., :PAIRS, :] * packed[..., LANES // 2 : LANES // 2 + PAIRS, :]
    subtracted, factors, least = (panel[..., i * LANES : (i + 1) * LANES or None] for i in range(-BEHIND, 0))
    subtracted[...] = products.sum((-3, -2), dtype=np.float64)
    factors[...] = np.where(size == 0, 0, np.exp2(exponent))
    least[...] = _least_share(size, np.linalg.norm(weights, 1, -1) / depth)[..., None]


def _least_share(sizes: np.ndarray, means: np.ndarray) -> np.ndarray:
    """The least share of inputs that panels pair.

    sizes, means [..., LANES]: roots of mean squares and mean magnitudes of output channels.
    """
    finite = np.isfinite(sizes) & np.isfinite(means)
    size, mean = (np.where(finite, values, 0).max(-1) for values in (sizes, means))
    return SPARSE * np.square(size / np.where(mean > 0, mean, 1))


def _signed_shape(shape: tuple[int, ...], *, taps: int = 1, groups: int = 1, order: tuple[int, ...] = ()) -> tuple[int, ...]:
    return (-(-shape[1] // LANES) * LANES * groups * taps,)


@packer("pair_scales", shape=_signed_shape)
def pack_scales(
    array: np.ndarray, *, taps: int = 1, groups: int = 1, order: tuple[int, ...] = (), out: np.ndarray | None = None
) -> np.ndarray:
    """w[K, C / groups, *kernel] -> [step][LANES]: what inputs are multiplied by, with the signs of pairs.

    taps: steps of a channel block. order: the channels to take, all if empty.
    """
    scales = padded_scales(array[:, list(order)] if order else array, groups)
    steps = np.repeat(scales.reshape(-1, 1, LANES), taps, 1).reshape(groups, -1, LANES)
    found = (steps * np.resize(signs(), steps.shape[1:])).reshape(-1)
    if out is None:
        return found
    out[...] = found
    return out


def padded_scales(array: np.ndarray, groups: int = 1) -> np.ndarray:
    """Factors of the input channels of w[K, C / groups, *kernel], zeros behind the last one up to whole vectors."""
    scales = channel_scales(array, groups)[1]
    return np.pad(scales, (0, -len(scales) % LANES)) if groups == 1 else scales


@cache
def _row_signs(blocks: int, taps: int, alike: int) -> np.ndarray:
    """Signs of one output channel's weights, [input channel block][channel][tap] flat."""
    steps = np.resize(np.repeat(signs(), alike, 0), (blocks, taps, LANES))
    return steps.transpose(0, 2, 1).reshape(-1)


def panels_at_once(depth: int) -> int:
    """Panels of so many weights per output channel that are packed together: many calls would take longer than their work."""
    return max(1, AT_ONCE // (LANES * depth))


AT_ONCE = 1 << 17
"""Weights that are packed at once."""
TINY = 1e-30
"""Sums of squares below which they are taken in float64."""
