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
SPARSE = 0.09
"""Share of inputs times share of weights below which products are not paired: at 0.06, errors come up to seven times those of torch.

Of normally distributed inputs and weights it is 0.4, of inputs with ReLU 0.2, of those of which parts s and t are not zero 0.4 * s * t.
What inputs are found to have may be less, by half at most of such data, since not every magnitude is added up.
"""
BEHIND = 3
"""Vectors behind a panel's weights: what pairs subtract, factors of the results, the least share of inputs that are paired."""
STRETCH, PLAIN_STRETCH = 16, 4
"""Steps that are added up one after the other, in pairs and plain: rounding errors grow with the length of such a sum."""
STEP = 7.0
"""Cycles that a step of 16 channels costs beside its additions and multiply-adds."""


def step_cycles(pixels: int) -> float:
    """Cycles of 16 input channels of one output vector."""
    return (LANES - PAIRS) * max(pixels, LEAST) + STEP


def assembly(
    pixels: int, left: int = 0, channels: int = LANES, places: tuple[int, ...] = (), paced: bool = False, plain: bool = False
) -> list[str]:
    """Instructions (AT&T syntax, AVX-512) of a step: pairs of all pixels, and between them the channels that are multiplied directly.

    plain: all channels are.
    x, w, ahead: operands of the packed input, of the weights, and the way in bytes to those that are prefetched. a<p>: accumulators.
    channels: of the step; what lies behind them is zero. left: directly multiplied channels that are left out. places: where the pixels
    are, in pixels; one behind the other if not given. paced: ahead is an address, ``pace`` (at 48 of k) bytes further per channel.
    Compilers take long over so many multiply-adds, and not all of them keep operands in memory.
    """
    lines: list[str] = []
    registers: dict[int, str] = {}  # of weights, by channel; each serves every other pair, or every other channel

    def load(channel: int, register: int) -> None:
        registers[channel] = f"%%zmm{register}"
        lines.append(f"vmovups {64 * channel}(%[w]), {registers[channel]}")
        lines.extend(["prefetcht1 (%[ahead])", "add 48(%[k]), %[ahead]"] if paced else [f"prefetcht1 {64 * channel}(%[w],%[ahead])"])

    def operand(pixel: int, channel: int) -> str:
        return f"{64 * (places[pixel] if places else pixel) + 4 * channel}(%[x])%{{1to16%}}"

    def multiply(number: int) -> None:
        channel, pixel = alone[number // pixels], (number + pixels // 2) % pixels
        if number % pixels == 0:
            load(channel, FREE + 4 + number // pixels % 2)
        lines.append(f"vfmadd231ps {operand(pixel, channel)}, {registers[channel]}, %[a{pixel}]")

    last = direct_channels(channels)[len(direct_channels(channels)) - left :]
    alone = [j for j in (range(channels) if plain else direct_channels(channels)) if j not in last]
    paired, direct, done = 0 if plain else pairs_of(channels) * pixels, len(alone) * pixels, 0
    for number in range(paired):
        pair, pixel = divmod(number, pixels)
        second = pair + LANES // 2
        if pixel == 0:
            load(pair, FREE + 2 * (pair % 2))
            load(second, FREE + 2 * (pair % 2) + 1)
        first, other = (f"%%zmm{FREE + 6 + 2 * (number % 2) + i}" for i in range(2))
        lines.append(f"vaddps {operand(pixel, pair)}, {registers[second]}, {first}")
        lines.append(f"vaddps {operand(pixel, second)}, {registers[pair]}, {other}")
        lines.append(f"vfmadd231ps {first}, {other}, %[a{pixel}]")
        due = -(-(number + 1) * direct // paired)
        for one in range(done, due):
            multiply(one)
        done = due
    for one in range(done, direct):
        multiply(one)
    return lines


def last_channels(channels: int) -> int:
    """Channels of the last step."""
    return (channels - 1) % LANES + 1


def pairs_of(channels: int = LANES) -> int:
    """Pairs in a step of so many channels."""
    return min(PAIRS, max(0, channels - LANES // 2))


def direct_channels(channels: int = LANES) -> list[int]:
    """Those of a step of so many channels that are in no pair."""
    return [j for j in range(channels) if j % (LANES // 2) >= pairs_of(channels)]


FREE = MOST
"""The first vector register that holds no accumulator."""


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
        "assembly": assembly, "most": MOST, "behind": BEHIND, "stretch": STRETCH, "plain_stretch": PLAIN_STRETCH,
        "last": channels, "left": direct_channels(channels)[-LEFT:],
    }  # fmt: skip
