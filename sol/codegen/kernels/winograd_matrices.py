"""Matrices of Winograd's minimal filtering F(m, r) along one axis, exact, with moduli chosen for accuracy.

A row of outputs is a product of polynomials, read backwards, and is put together from remainders of them (Toom-Cook interpolation as in
Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016). Remainders modulo x - a are values at points, and the error
grows with the powers of the points: long tiles by real points alone are inexact. A modulus x^2 + p x + q, whose roots lie beside the real
axis, costs one product more than two points do and keeps the digits: S. Winograd, "Arithmetic Complexity of Computations", SIAM 1980;
B. Barabasz and D. Gregg, "Winograd Convolution for DNNs: Beyond Linear Polynomials", AI*IA 2019.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

Polynomial = Sequence[Fraction]
Matrix = tuple[tuple[Fraction, ...], ...]
_Scaled = tuple[list[Fraction], Fraction]
_Row = tuple[Sequence[Fraction], _Scaled, list[Fraction]]
"""Of a product: its row of A^T's transpose, that of G with its scale, that of B^T without."""


@dataclass(frozen=True)
class Modulus:
    """x - a or x^2 + p x + q as coefficients, lowest power first. Remainders c0 + c1 x of the latter are multiplied at x = ±t and infinity:
    the products take c0 + t c1, c0 - t c1 and c1."""

    polynomial: tuple[Fraction, ...]
    t: Fraction = Fraction(1)

    @property
    def degree(self) -> int:
        return len(self.polynomial) - 1

    @property
    def products(self) -> int:
        return 2 * self.degree - 1

    def remainder(self, polynomial: Polynomial) -> list[Fraction]:
        rest = list(polynomial)
        while len(rest) > self.degree:
            top = rest.pop()
            for i, c in enumerate(self.polynomial[:-1]):
                rest[len(rest) - self.degree + i] -= top * c
        return rest + [Fraction(0)] * (self.degree - len(rest))

    def taken(self, polynomial: Polynomial) -> list[Fraction]:
        """What the products take of a polynomial."""
        rest = self.remainder(polynomial)
        return rest if self.degree == 1 else [rest[0] + self.t * rest[1], rest[0] - self.t * rest[1], rest[1]]

    def given(self) -> list[tuple[Polynomial, Fraction]]:
        """What each product gives to the remainder of the result: a polynomial and what it is to be divided by."""
        if self.degree == 1:
            return [((Fraction(1),), Fraction(1))]
        (q, p, _), t = self.polynomial, self.t
        return [((t, Fraction(1)), 2 * t), ((t, Fraction(-1)), 2 * t), ((-t * t - q, -p), Fraction(1))]

    def inverse(self, polynomial: Polynomial) -> list[Fraction]:
        """The polynomial's inverse, both as remainders."""
        rest = self.remainder(polynomial)
        if self.degree == 1:
            return [1 / rest[0]]
        (q, p, _), (c0, c1) = self.polynomial, rest
        norm = c0 * c0 - p * c0 * c1 + q * c1 * c1
        return [(c0 - p * c1) / norm, -c1 / norm]


def parse_modulus(text: str) -> Modulus:
    """A point a, or p:q:t of x^2 + p x + q."""
    first, *rest = map(Fraction, text.split(":"))
    return Modulus((rest[0], first, Fraction(1)), rest[1]) if rest else Modulus((-first, Fraction(1)))


MODULI: dict[int, tuple[Modulus, ...]] = {
    n: tuple(map(parse_modulus, texts.split()))
    for n, texts in {
        1: "",
        2: "0",
        3: "0 1",
        4: "0 1 -1",
        5: "3/8 -3/8 5/4 -5/4",
        6: "0 1 -1 0:1:1/2",
        7: "1/2 -1/2 9/8 -9/8 0:1:1",
        8: "0 3/4 -3/4 11/8 -11/8 0:1:1/2",
        9: "5/8 -5/8 9/8 -9/8 3/4:1:5/8 -3/4:1:5/8",
        10: "0 3/4 -3/4 5/4 -5/4 3/4:1:3/4 -3/4:1:3/4",
    }.items()
}
"""Moduli by the number n = m + r - 1 of inputs, points a and p:q:t of x^2 + p x + q; infinity is one more point. They minimise
``amplification`` over small dyadic fractions, for which A and B are exact in float32. F(4, 3) by the textbook's points 0, ±1, ±2 is
nine times less accurate, by the best real points four times; F(6, 3) takes as many products per output as those, 1.5."""


@dataclass(frozen=True)
class Winograd:
    """F(m, r): output[m] = at[m][n] * ((g[n][r] * filter[r]) . (bt[n][size] * input[size])), size = m + r - 1.

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
        """Products."""
        return len(self.g)

    @property
    def size(self) -> int:
        """Inputs."""
        return self.m + self.r - 1


@cache
def winograd(m: int, r: int = 3) -> Winograd:
    """The matrices of F(m, r) for the moduli of ``MODULI``."""
    return toom_cook(m, r, MODULI[m + r - 1])


@cache
def shorter(m: int, of: int, r: int) -> Winograd:
    """F(m, r) on the filter as transformed for F(of, r), of > m: by some of the longer tile's moduli, with the fewest products for which it
    is no less exact, else the most exact one.
    """
    moduli, limit = MODULI[of + r - 1], amplification(winograd(of, r))
    found = [
        toom_cook(m, r, some, [f for f in moduli if f not in some])
        for count in range(len(moduli)) for some in combinations(moduli, count) if _degree(some) == m + r - 2
    ]  # fmt: skip
    exact = [f for f in found if amplification(f) <= limit]
    return min(exact, key=lambda f: (f.n, amplification(f))) if exact else min(found, key=amplification)


def _degree(moduli: Sequence[Modulus]) -> int:
    return sum(f.degree for f in moduli)


def amplification(f: Winograd) -> float:
    """How many times larger than direct convolution's the rounding error of F(m, r) is, to first order.

    The products' standard deviations for data of unit variance, added up as A does, over that of the result.
    """
    size = [_norm(b) * _norm(g) for b, g in zip(f.bt, f.g)]
    return max(_norm([float(a) * s for a, s in zip(row, size)]) for row in f.at) / math.sqrt(f.r)


def lone_amplification(f: Winograd) -> float:
    """The same where all inputs of a tile but one are zero, in units of a product's rounding error: the largest over inputs and outputs."""
    size = [_norm(g) for g in f.g]
    columns = list(zip(*f.bt))
    return max(_norm([float(a) * float(b) * s for a, b, s in zip(row, column, size)]) for row in f.at for column in columns)


def _norm(row: Sequence[Fraction | float]) -> float:
    return math.sqrt(sum(float(x) ** 2 for x in row))


def toom_cook(
    m: int, r: int, moduli: Sequence[Modulus], left_out: Sequence[Modulus] = (), order: tuple[Modulus, ...] = ()
) -> Winograd:  # fmt: skip
    """The matrices for moduli of degree m + r - 2 together, and infinity. left_out: further ones that the filter is transformed for.

    order: all of them as their products are ordered; as in ``MODULI`` if not given.

    The Chinese remainder theorem divides by the other moduli: the filter is divided by all, and the inputs are multiplied by those that are
    left out. A product's factors g and bt are scaled inversely by powers of two, so that both have entries of like size for a whole tile.
    """
    if _degree(moduli) != m + r - 2 or len(set(moduli)) != len(moduli):
        raise ValueError(f"F({m},{r}) takes different moduli of degree {m + r - 2} together, not {_degree(moduli)}")
    given = (*moduli, *left_out)
    whole = tuple(sorted(given, key=(order or MODULI.get(_degree(given) + 1, given)).index))
    gone = _product([o.polynomial for o in left_out])
    rows: list[_Row] = []
    index: list[int] = []
    for number, f in enumerate(whole):
        if f in moduli:
            index += range(start := sum(o.products for o in whole[:number]), start + f.products)
            rest = _product([o.polynomial for o in moduli if o != f])
            inputs = [_product([f.remainder(_product([given, gone])), rest]) for given, _ in f.given()]
            rows += zip(_outputs(m, f), _filters(r, f, (*whole[:number], *whole[number + 1 :])), inputs)
    index.append(sum(o.products for o in whole))
    filtered = _scaled([Fraction(0)] * (r - 1) + [Fraction(1)], _product([o.polynomial for o in whole]))
    rows.append(([Fraction(0)] * (m - 1) + [Fraction(1)], filtered, _product([o.polynomial for o in moduli])))
    bt = [[x / scale for x in b] + [Fraction(0)] * (m + r - 1 - len(b)) for _, (_, scale), b in rows]
    return Winograd(m, r, _frozen(zip(*(at for at, _, _ in rows))), _frozen(g for _, (g, _), _ in rows), _frozen(bt), tuple(index))


@cache
def _outputs(m: int, f: Modulus) -> list[tuple[Fraction, ...]]:
    """Rows of A^T's transpose of the products of one modulus."""
    return list(zip(*(f.taken(_power(k)) for k in range(m))))


@cache
def _filters(r: int, f: Modulus, others: tuple[Modulus, ...]) -> list[_Scaled]:
    """Rows of G of the products of one modulus, scaled: the same for tiles of all and of some of the others."""
    rest = _product([o.polynomial for o in others])
    inverse = f.inverse(rest)
    rows = zip(*(f.taken(_product([_power(k), inverse])) for k in range(r)))
    return [_scaled([x / divisor for x in row], _product([given, rest])) for row, (given, divisor) in zip(rows, f.given())]


def _scaled(filtered: Sequence[Fraction], inputs: Sequence[Fraction]) -> _Scaled:
    """Factors of the filter by a power of two, and that: those of a whole tile's inputs, divided by it, are of like size."""
    scale = Fraction(2) ** round(math.log2(sum(map(abs, inputs)) / sum(map(abs, filtered))) / 2)
    return [x * scale for x in filtered], scale


def _power(k: int) -> list[Fraction]:
    return [Fraction(0)] * k + [Fraction(1)]


def _product(polynomials: Sequence[Polynomial]) -> list[Fraction]:
    """The product of polynomials, lowest power first. Whole numbers are multiplied, which takes a fraction of the time."""
    result, divisor = [1], 1
    for polynomial in polynomials:
        common = math.lcm(*(x.denominator for x in polynomial))
        factors = [x.numerator * (common // x.denominator) for x in polynomial]
        terms = [0] * (len(result) + len(factors) - 1)
        for i, a in enumerate(result):
            for j, b in enumerate(factors):
                terms[i + j] += a * b
        result, divisor = terms, divisor * common
    return [Fraction(x, divisor) for x in result]


def _frozen(rows: Iterable[Sequence[Fraction]]) -> Matrix:
    return tuple(map(tuple, rows))
