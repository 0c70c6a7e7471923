"""Matrices of Winograd's minimal filtering F(m x m, r x r), exact, with interpolation points chosen for accuracy.

Method: Toom-Cook interpolation as in Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016.
One row of outputs y = A^T ((G g) * (B^T d)) takes n = m + r - 1 products instead of m * r. The error grows with the
powers of the points: Barabasz et al., "Error Analysis and Improving the Accuracy of Winograd Convolution for Deep
Neural Networks", ACM TOMS 2020.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

Matrix = tuple[tuple[Fraction, ...], ...]

POINTS: dict[int, tuple[Fraction, ...]] = {
    2: (Fraction(0), Fraction(1), Fraction(-1)),
    4: (Fraction(0), Fraction(5, 8), Fraction(-5, 8), Fraction(3, 2), Fraction(-3, 2)),
    6: tuple(Fraction(p) for p in ("0", "1", "-1", "5/3", "-5/3", "3/5", "-3/5")),
}
"""Finite points for filters of three taps, by outputs per tile; infinity is one more. Those of F(2) and F(4) make A
and B exact in float32. The textbook's 0, ±1, ±2 for F(4) are three times less accurate."""


@dataclass(frozen=True)
class Winograd:
    """F(m, r): output[m] = at[m][n] * ((g[n][r] * filter[r]) . (bt[n][n] * input[n])), n = m + r - 1."""

    m: int
    r: int
    at: Matrix
    g: Matrix
    bt: Matrix

    @property
    def n(self) -> int:
        return self.m + self.r - 1


@cache
def winograd(m: int, r: int = 3) -> Winograd:
    """The matrices of F(m, r) for the points of ``POINTS``."""
    return cook_toom(m, r, POINTS[m])


def cook_toom(m: int, r: int, points: Sequence[Fraction]) -> Winograd:
    """The matrices for m + r - 2 finite points and infinity, rows scaled by powers of two, which is exact.

    A product's factors g and bt are scaled inversely, so that both have entries of like size.
    """
    n = m + r - 1
    if len(points) != n - 1 or len(set(points)) != n - 1:
        raise ValueError(f"F({m},{r}) takes {n - 1} different finite points, not {tuple(map(str, points))}")
    at = [[p**i for p in points] + [Fraction(int(i == m - 1))] for i in range(m)]
    g, bt = [], []
    for j, p in enumerate(points):
        others = [q for i, q in enumerate(points) if i != j]
        divisor = math.prod((p - q for q in others), start=Fraction(1))
        g.append([p**k / divisor for k in range(r)])
        bt.append([*_polynomial(others), Fraction(0)])
    g.append([Fraction(int(k == r - 1)) for k in range(r)])
    bt.append(_polynomial(points))
    for j in range(n):
        ratio = sum(map(abs, bt[j])) / sum(map(abs, g[j]))
        scale = Fraction(2) ** round(math.log2(ratio) / 2)
        g[j] = [x * scale for x in g[j]]
        bt[j] = [x / scale for x in bt[j]]
    return Winograd(m, r, _frozen(at), _frozen(g), _frozen(bt))


def _polynomial(roots: Sequence[Fraction]) -> list[Fraction]:
    """Coefficients of the product of (x - root), lowest power first."""
    coefficients = [Fraction(1)]
    for root in roots:
        shifted, scaled = [Fraction(0), *coefficients], [-root * c for c in coefficients] + [Fraction(0)]
        coefficients = [a + b for a, b in zip(shifted, scaled)]
    return coefficients


def _frozen(rows: list[list[Fraction]]) -> Matrix:
    return tuple(map(tuple, rows))
