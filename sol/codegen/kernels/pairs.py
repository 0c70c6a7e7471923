"""Winograd's inner product for all kernels that multiply: two input channels share a multiply-add and take two additions.

Where a processor executes additions beside multiply-adds, in units of their own (``Target.adders``), it computes up to half as many
outputs again per cycle. Inputs and output channels are scaled by powers of two, without which the error would grow with the ratio of
their sizes; it is then bounded by the product of their norms, as that of the usual inner product.
Sources: S. Winograd, A new algorithm for inner product, IEEE Transactions on Computers C-17, 1968; R. P. Brent, Error analysis of
algorithms for matrix multiplication and triangular decomposition using Winograd's identity, Numerische Mathematik 16, 1970.

Not a number, infinity: an infinite input makes outputs NaN where the usual product may have an infinity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PAIRS = 5
"""Pairs among 16 channels; the other 6 channels are multiplied directly. 10 additions and 11 multiply-adds per 16."""
LANES = 16
"""Lanes of the targets that it is written for."""
LEFT = 4
"""Input channels that are left for while results are finished and stored."""
MOST, LEAST = 22, 8
"""Pixels of a register tile: more do not fit, fewer wait for the latency of their sums."""
STEP = 7.0
"""Cycles that a step of 16 channels costs beside its additions and multiply-adds."""


def step_cycles(pixels: int) -> float:
    """Cycles of 16 input channels of one output vector."""
    return (LANES - PAIRS) * max(pixels, LEAST) + STEP


def steps(left: int) -> list[tuple[int, list[int]]]:
    """Pairs, each with the channels that are multiplied directly beside it, but for the last ``left`` of those."""
    direct = [j for j in range(LANES) if j % (LANES // 2) >= PAIRS]
    direct = direct[: len(direct) - left]
    found = [(pair, direct[pair : pair + 1]) for pair in range(PAIRS)]
    found[-1][1].extend(direct[PAIRS:])
    return found


def leftover(groups: list[tuple[int, list[int]]]) -> list[int]:
    """The channels that are in none of the steps."""
    taken = {j for pair, direct in groups for j in (pair, pair + LANES // 2, *direct)}
    return [j for j in range(LANES) if j not in taken]


def signs() -> np.ndarray:
    """Signs [even or odd step][channel] of inputs and of weights: the second channel of every other pair is negated."""
    lane = np.arange(LANES)
    second = (lane >= LANES // 2) & (lane < LANES // 2 + PAIRS)
    return np.stack([np.where(second & (lane % 2 == odd), -1.0, 1.0) for odd in (1, 0)]).astype(np.float32)


def context() -> dict[str, Any]:
    """Template context ``pairs`` of pairs.c.j2."""
    last = steps(LEFT)
    return {
        "count": PAIRS, "half": LANES // 2, "signs": signs().tolist(), "firsts": [int(j < PAIRS) for j in range(LANES)],
        "other_half": [(j + LANES // 2) % LANES for j in range(LANES)],
        "groups": steps(0), "last_groups": last, "left": leftover(last),
    }  # fmt: skip


def pack(weights: np.ndarray, panel: np.ndarray) -> None:
    """Write a panel of LANES output channels: [step][channel][LANES], scaled, then a vector of what pairs subtract and one of factors.

    weights[LANES output channels, steps, LANES input channels]; panel: flat. An output channel is scaled by a power of two to a mean
    magnitude from 1 up to 2; its factor undoes that.
    """
    mean = np.abs(weights).mean((1, 2), dtype=np.float64)
    exponent = np.clip(np.floor(np.log2(np.where((mean > 0) & np.isfinite(mean), mean, 1.0))), -120, 120)
    packed = panel[: -2 * LANES].reshape(-1, LANES, LANES)
    np.multiply(weights.transpose(1, 2, 0), np.exp2(-exponent), out=packed, casting="same_kind")
    packed *= np.resize(signs(), (*packed.shape[:2], 1))
    first, second = packed[:, :PAIRS], packed[:, LANES // 2 : LANES // 2 + PAIRS]
    panel[-2 * LANES : -LANES] = np.einsum("sjk,sjk->k", first, second, dtype=np.float64)
    panel[-LANES:] = np.exp2(exponent)
