"""Powers of two by which fast algorithms scale a convolution's channels, lest what they add up be of different size.

Strassen's algorithm and Winograd's inner product add inputs of different channels, and weights of different outputs. Errors are then in
units of the largest of them, where those of the usual product are in units of what an output adds up. Networks whose normalisation was
folded into their weights have channels a thousand times as large as others, and weights that make up for it. So inputs are multiplied by a
factor of their channel, weights are divided by it, and by one of their output, by which results are multiplied: all exact.
Source: G. Ballard, A. R. Benson, A. Druinsky, B. Lipshitz, O. Schwartz, Improving the numerical stability of fast matrix multiplication,
SIAM Journal on Matrix Analysis and Applications 37, 2016.
"""

from __future__ import annotations

import numpy as np

LARGEST = 100
"""Exponent of the largest factor, and of the inverse of the smallest one."""
AT_ONCE = 1 << 20
"""Weights whose squares are held at once."""


def channel_scales(weights: np.ndarray, groups: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Factors [K] of the results and [C] of the inputs for w[K, C / groups, *kernel], float32 powers of two.

    Weights divided by both have about the same size in each input and each output channel. The largest factor of the inputs of a group is
    1, that of a channel without weights 0; the factor of an output without weights is 0 too.
    """
    k, c = weights.shape[:2]
    squares = _squares(weights.reshape(k, c, -1)).reshape(groups, k // groups, c)
    rows = _power(squares.mean(2))
    columns = _power((squares / np.square(rows)[:, :, None]).mean(1))
    inputs = columns / columns.max(1, keepdims=True, initial=2.0**-LARGEST)
    inputs = np.maximum(inputs, 2.0**-LARGEST)
    results = _power((squares / np.square(inputs)[:, None, :]).mean(2))
    empty = squares.max(1, initial=0) == 0
    inputs[empty], results[squares.max(2, initial=0) == 0] = 0, 0
    return results.reshape(-1).astype(np.float32), inputs.reshape(-1).astype(np.float32)


def inverse(scales: np.ndarray) -> np.ndarray:
    """What divides by them: 1 for those that are 0."""
    return np.reciprocal(np.where(scales == 0, 1, scales))


def _squares(weights: np.ndarray) -> np.ndarray:
    """Sums over the taps, finite ones, in float64."""
    found = np.empty(weights.shape[:2])
    step = max(1, AT_ONCE // max(1, weights[0].size)) if len(weights) else 1
    for first in range(0, len(weights), step):
        some = np.square(weights[first : first + step], dtype=np.float64).sum(2)
        found[first : first + step] = np.where(np.isfinite(some), some, 1)
    return found


def _power(squares: np.ndarray) -> np.ndarray:
    """The power of two up to the root; 1 for zero."""
    exponents = np.floor(np.log2(np.where(squares > 0, squares, 1)) / 2)
    return np.exp2(np.clip(exponents, -LARGEST, LARGEST))
