"""Winograd's inner product for all kernels that multiply: two input channels share a multiply-add and take two additions.

Where a processor executes additions beside multiply-adds, in units of their own (``Target.independent_adders``), it computes up to
half as many outputs again per cycle. Where loads would take longer than that (AMD's Zen 5), a register tile has two output vectors, which
share each broadcast (``Target.pair_vectors``): convolutions, linear layers and products of two matrices have such tiles, products of
Winograd's convolutions and gradients of convolutions for weights one vector only. Inputs and output channels are scaled by powers of two,
without which the error would grow with the ratio of their sizes; it is then bounded by the product of their norms, as that of the usual
inner product. Input channels are scaled, too: a pair's second channel is added to weights of the first.

Where most inputs or weights are zero, or much smaller than the largest ones, products are few, and the error of the usual inner product
is less than that bound. So a tile's share is found while its inputs are packed: the largest mean magnitude of its pixels over the largest
root of their mean squares, squared. That of the weights is found when these are packed. Where the product of both is below ``SPARSE``, the
same packed data are multiplied and added as usual: signs of pairs cancel in products.
Sources: S. Winograd, A new algorithm for inner product, IEEE Transactions on Computers C-17, 1968; R. P. Brent, Error analysis of
algorithms for matrix multiplication and triangular decomposition using Winograd's identity, Numerische Mathematik 16, 1970.

Not a number, infinity: an infinite input makes outputs NaN where the usual product may have an infinity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sol.codegen.machines import Machine

PAIRS = 5
"""Pairs among 16 channels; the other 6 channels are multiplied directly. 10 additions and 11 multiply-adds per 16."""
LANES = 16
"""Lanes of the targets that it is written for."""
LEFT = 4
"""Input channels that are left for while results are finished and stored."""
MOST, LEAST = 22, 8
"""Pixels of a register tile: more do not fit, fewer wait for the latency of their sums."""
MOST_WIDE, LEAST_WIDE, LEFT_WIDE = 10, 6, 2
"""The same of two output vectors, and the input channels that are left for the end; with fewer pixels loads take longer than sums."""
FETCHES, MOST_FETCHES = 4, 8
"""Cache lines of the next panel's weights that a step of two output vectors asks for, and those where few tiles are left to do so. On AMD's
Zen 5, a tile of 768 channels whose weights come from memory reaches 116 % of the peak of multiply-adds with them, 94 % without."""
SPARSE = 0.06
"""Share of inputs times share of weights below which products are not paired: at 0.04, errors come up to eight times those of torch.

Of normally distributed inputs and weights it is 0.4, of inputs with ReLU 0.2, of those of which parts s and t are not zero 0.4 * s * t.
What inputs are found to have may be less, by half at most of such data, since not every magnitude is added up.
"""
BEHIND = 3
"""Vectors behind a panel's weights: what pairs subtract, factors of the results, the least share of inputs that are paired."""
STRETCH, WIDE_STRETCH, PACED_STRETCH = 4, 8, 16
"""Steps that are added up one after the other, those where a tile has two output vectors, and those of Winograd's products: rounding errors
grow with the length of such a sum. In 1x1 convolutions, sums of 4 steps are as fast as sums of 16 on Zen 4; on Zen 5 tiles of two vectors
take 2 to 5 % longer with 4 than with 8. Over 512 channels of normally distributed data, the root of the mean square error is 1.45 times
that of torch with 4, 1.86 times with 8, and 2.4 times with 16; over 64 to 3072 channels the largest error is at most 0.56, 0.52 and 0.61 of
its bound."""


def pixels_of(vectors: int) -> tuple[int, int]:
    """Pixels of a register tile of so many output vectors, at least and at most."""
    return (LEAST, MOST) if vectors == 1 else (LEAST_WIDE, MOST_WIDE)


def step_cost(pixels: int, machine: Machine, vectors: int = 1) -> float:
    """Vector multiply-adds in the time of 16 input channels of one of so many output vectors that share the broadcasts of each pixel."""
    core, (least, _) = machine.core, pixels_of(vectors)
    cycles = machine.cycles(multiply_adds=LANES - PAIRS, additions=2 * PAIRS, broadcasts=LANES / vectors) * max(pixels, least)
    if vectors > 1:
        cycles = max(cycles, LANES * (pixels / vectors / core.broadcasts + 1 / core.loads))
    return cycles * core.multiply_adds + machine.inner_product.step


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


def context(channels: int = LANES, tiles: int = 0) -> dict[str, Any]:
    """Template context ``inner_product`` of inner_product.c.j2. channels: of the last step, the others have LANES. tiles: that a panel's
    weights serve, 0 for many.
    """
    fetches = FETCHES if not tiles else min(MOST_FETCHES, max(FETCHES, -(-2 * LANES // tiles)))
    return {
        "count": PAIRS, "signs": signs().tolist(), "firsts": [int(j < PAIRS) for j in range(LANES)],
        "other_half": [(j + LANES // 2) % LANES for j in range(LANES)],
        "half": LANES // 2, "most": MOST, "behind": BEHIND, "stretch": STRETCH, "paced_stretch": PACED_STRETCH,
        "whole": _step(LANES), "last": _step(channels), "left": direct_channels(channels)[-LEFT:],
        "wide": {
            "stretch": WIDE_STRETCH, "most": 2 * MOST_WIDE, "left": direct_channels(channels)[-LEFT_WIDE:], "fetches": fetches,
            "panels": ("%[w]", "%[w],%[pitch]"),
        },
    }  # fmt: skip


def _step(channels: int) -> dict[str, Any]:
    """A step of so many channels: its pairs, the channels in none, and all of them but for the last 0, 1, … of these."""
    direct = direct_channels(channels)
    without = [direct[len(direct) - left :] for left in range(LEFT + 1)]
    return {"pairs": pairs_of(channels), "direct": direct, "plain": [[j for j in range(channels) if j not in w] for w in without]}


AT_ONCE = 1 << 17
"""Weights that are packed at once."""
TINY = 1e-30
"""Sums of squares below which they are taken in float64."""
