"""Matrices of Winograd's minimal filtering F(m, r) along one axis, exact, with interpolation points chosen for accuracy.

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
    n: tuple(map(Fraction, texts.split()))
    for n, texts in {
        1: "",
        2: "0",
        3: "0 1",
        4: "0 1 -1",
        5: "0 3/2 -3/2 1/2",
        6: "0 5/8 -5/8 3/2 -3/2",
        7: "0 1/2 -1/2 9/8 -9/8 5/2",
        8: "0 1/2 -1/2 1 -1 2 -2",
        9: "0 3/4 -3/4 4/3 -4/3 2 -2 1/3",
        10: "0 1/2 -1/2 3/4 -3/4 4/3 -4/3 2 -2",
    }.items()
}
"""Finite points by the number of products n; infinity is one more. They minimise ``amplification`` over small fractions,
those of up to eight products over dyadic ones, for which A and B of a whole tile are exact in float32. The textbook's
0, ±1, ±2 for F(4, 3) are three times less accurate. A shorter tile takes the first ones and infinity."""


@dataclass(frozen=True)
class Winograd:
    """F(m, r): output[m] = at[m][n] * ((g[n][r] * filter[r]) . (bt[n][n] * input[n])), n = m + r - 1.

    index: place of each product among those of the tile that the filter was transformed for.
    """

    m: int
    r: int
    at: Matrix
    g: Matrix
    bt: Matrix
    index: tuple[int, ...]

    @property
    def n(self) -> int:
        return self.m + self.r - 1


@cache
def winograd(m: int, r: int = 3) -> Winograd:
    """The matrices of F(m, r) for the points of ``POINTS``."""
    return cook_toom(m, r, POINTS[m + r - 1])


@cache
def shorter(m: int, of: int, r: int) -> Winograd:
    """F(m, r) on the filter as transformed for F(of, r), of > m: its points are some of the longer tile's.

    A transformed filter is its value at the points, scaled; the scales are put into B instead.
    """
    whole, points = winograd(of, r), POINTS[of + r - 1]
    part = cook_toom(m, r, points[: m + r - 2])
    index = (*range(part.n - 1), whole.n - 1)
    bt = []
    for j, i in enumerate(index):
        ratio = next(a / b for a, b in zip(part.g[j], whole.g[i]) if b)
        bt.append([x * ratio for x in part.bt[j]])
    return Winograd(m, r, part.at, tuple(whole.g[i] for i in index), _frozen(bt), index)


def amplification(f: Winograd) -> float:
    """How many times larger than direct convolution's the rounding error of F(m, r) is, to first order.

    The products' standard deviations for data of unit variance, added up as A does, over that of the result.
    """
    size = [_norm(b) * _norm(g) for b, g in zip(f.bt, f.g)]
    return max(_norm([float(a) * s for a, s in zip(row, size)]) for row in f.at) / math.sqrt(f.r)


def _norm(row: Sequence[Fraction | float]) -> float:
    return math.sqrt(sum(float(x) ** 2 for x in row))


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
    return Winograd(m, r, _frozen(at), _frozen(g), _frozen(bt), tuple(range(n)))


def _polynomial(roots: Sequence[Fraction]) -> list[Fraction]:
    """Coefficients of the product of (x - root), lowest power first."""
    coefficients = [Fraction(1)]
    for root in roots:
        shifted, scaled = [Fraction(0), *coefficients], [-root * c for c in coefficients] + [Fraction(0)]
        coefficients = [a + b for a, b in zip(shifted, scaled)]
    return coefficients


def _frozen(rows: list[list[Fraction]]) -> Matrix:
    return tuple(map(tuple, rows))
