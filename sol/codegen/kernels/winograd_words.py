"""Winograd's tiles in whole numbers, by which convolutions of bytes are computed exactly with fewer products of 16-bit words.

With points that are whole numbers or halves, all matrices are whole but for a divisor of the results. Transformed bytes and filters fit
into words. Everything behind them is computed modulo 2^32: products and their sums may wrap around, because the results, multiplied by
the divisor, are the same modulo 2^32. The odd part of the divisor is then divided out by its inverse modulo 2^32, which is exact, and its
even part, 2^shift, by a shift, which is exact for results below 2^(31 - shift).

Two points are alike modulo 2 if their difference, in lowest terms, is even, and each such pair makes the divisor even. There are three
classes of points modulo 2, so that six points, of which two are in each class, have the divisor 2 times an odd number: 0 and -2, 1 and -1,
1/2 and infinity. The textbook's 0, 1, -1, 2, -2 and infinity have 8 times an odd number, and would leave results 25 bits of 32 where these
leave 29.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import gcd, lcm

from sol.codegen.kernels.winograd_matrices import Matrix, Modulus, Winograd, parse_modulus, toom_cook
from sol.codegen.kernels.winograd_transforms import Spelling, Walk, apply_column_pairs, block_of

POINTS: dict[int, tuple[Modulus, ...]] = {
    n: tuple(map(parse_modulus, texts.split())) for n, texts in {3: "0 1", 4: "0 1 -1", 5: "0 1 -1 2", 6: "0 1 -1 -2 1/2"}.items()
}
"""By the number of inputs of a tile, as ``MODULI`` of winograd_matrices. With more, transformed bytes do not fit into words."""
LARGEST_BYTE, LARGEST_WEIGHT, LARGEST_WORD = 255, 128, (1 << 15) - 1
WORDS = Spelling("vw", "(vw){0}", lambda x: str(int(x)))
SUMS = Spelling("vu", "(vu){0}", lambda x: f"{int(x)}u")


@dataclass(frozen=True)
class WholeWinograd(Winograd):
    """``Winograd`` whose matrices are whole numbers: ``divisor`` times the outputs come out."""

    divisor: int = 1

    @property
    def shift(self) -> int:
        """The exponent of 2 in the divisor."""
        return (self.divisor & -self.divisor).bit_length() - 1


@cache
def whole_winograd(m: int, r: int) -> WholeWinograd:
    """The matrices of F(m, r) for ``POINTS``."""
    points = POINTS[m + r - 1] if m + r > 2 else ()
    found = toom_cook(m, r, points, order=points)
    filters = [_primitive(row) for row in found.g]
    plain = _whole(found, filters)
    factors = [gcd(*map(int, column)) for column in zip(*plain.at)]
    scaled = [[x * factor for x in row] for row, factor in zip(filters, factors)]
    return _whole(found, scaled) if LARGEST_WEIGHT * max(_sum(row) for row in scaled) ** 2 <= LARGEST_WORD else plain


@cache
def whole_shorter(m: int, of: int, r: int) -> WholeWinograd:
    """F(m, r) on the filter as transformed for F(of, r), of > m, with the fewest products, and of these with the smallest inputs."""
    points, filters = POINTS[of + r - 1], whole_winograd(of, r).g
    chosen = [some for some in combinations(points, m + r - 2)]
    tiles = [toom_cook(m, r, some, [f for f in points if f not in some], order=points) for some in chosen]
    found = [_whole(f, [filters[i] for i in f.index]) for f in tiles]
    return min(found, key=lambda f: (f.shift, max(map(_sum, f.bt))))


def _primitive(row: Sequence[Fraction]) -> list[Fraction]:
    """The row as whole numbers without a common divisor."""
    scale = lcm(*(x.denominator for x in row))
    whole = [int(x * scale) for x in row]
    return [Fraction(x, gcd(*whole)) for x in whole]


def _ratio(row: Sequence[Fraction], to: Sequence[Fraction]) -> Fraction:
    return next(a / b for a, b in zip(row, to) if b)


def _whole(f: Winograd, filters: Sequence[Sequence[Fraction]]) -> WholeWinograd:
    """F(m, r) with these rows of G, whole multiples of its own, and whole numbers elsewhere."""
    inputs = [_primitive(row) for row in f.bt]
    scales = [_ratio(g, h) * _ratio(b, i) for g, h, b, i in zip(f.g, filters, f.bt, inputs)]
    outputs = [[a * scale for a, scale in zip(row, scales)] for row in f.at]
    divisor = lcm(*(a.denominator for row in outputs for a in row))
    whole = _frozen([a * divisor for a in row] for row in outputs)
    return WholeWinograd(f.m, f.r, whole, _frozen(filters), _frozen(inputs), f.index, divisor)


def _frozen(rows: Iterable[Iterable[Fraction]]) -> Matrix:
    return tuple(map(tuple, rows))


def _sum(row: Sequence[Fraction]) -> int:
    return sum(abs(int(x)) for x in row)


def fits(fy: WholeWinograd, fx: WholeWinograd, reduction: int) -> bool:
    """Do transformed bytes and filters fit into words, and are results of so many products of bytes smaller than what the shift leaves?"""
    parts = [[(sum(int(x) for x in row if x > 0), -sum(int(x) for x in row if x < 0)) for row in f.bt] for f in (fy, fx)]
    inputs = max(max(a * c + b * d, a * d + b * c) for a, b in parts[0] for c, d in parts[1])
    filters = max(map(_sum, fy.g)) * max(map(_sum, fx.g))
    words = LARGEST_BYTE * inputs <= LARGEST_WORD and LARGEST_WEIGHT * filters <= LARGEST_WORD
    return words and LARGEST_BYTE * LARGEST_WEIGHT * reduction < 1 << (31 - fy.shift - fx.shift)


@dataclass(frozen=True)
class _Terms:
    """A sum of ``whole`` inputs and of ``differences`` of an input and the next but one, by their places."""

    whole: tuple[tuple[int, int], ...]
    differences: tuple[tuple[int, int], ...]

    @property
    def cost(self) -> int:
        """Operations."""
        return len(self.whole) + len(self.differences) - 1 + sum(abs(c) != 1 for _, c in (*self.whole, *self.differences))

    def text(self, names: Sequence[str], differences: str) -> str:
        parts = [(Fraction(c), names[i]) for i, c in self.whole] + [(Fraction(c), f"{differences}{i}") for i, c in self.differences]
        return WORDS.combination([c for c, _ in parts], [name for _, name in parts])


def _terms(row: Sequence[int]) -> _Terms:
    """A row of B^T with differences x[i + 2] - x[i] taken out, which rows share: most have the factor x^2 - 1, of the points 1 and -1."""
    left, taken = list(row), {}
    for i in range(len(row) - 2):
        if left[i] * left[i + 2] < 0:
            common = min(abs(left[i]), abs(left[i + 2])) * (1 if left[i + 2] > 0 else -1)
            left[i], left[i + 2], taken[i] = left[i] + common, left[i + 2] - common, common
    plain, rest = (tuple((i, c) for i, c in enumerate(numbers) if c) for numbers in (row, left))
    return min(_Terms(plain, ()), _Terms(rest, tuple(taken.items())), key=lambda terms: terms.cost)


def _transform(matrix: Matrix, names: Sequence[str], assign: Callable[[int, str], str], tag: str) -> list[str]:
    """C statements for matrix * names. Two rows share half their sum and half their difference where these are cheaper together."""
    rows = [[int(x) for x in row] for row in matrix]
    terms = {i: _terms(row) for i, row in enumerate(rows)}
    pairs: list[tuple[int, int, _Terms, _Terms]] = []
    for i, j in combinations(range(len(rows)), 2):
        if i not in terms or j not in terms or any((a + b) % 2 for a, b in zip(rows[i], rows[j])):
            continue
        even, odd = (_terms([(a + sign * b) // 2 for a, b in zip(rows[i], rows[j])]) for sign in (1, -1))
        if even.cost + odd.cost + 2 < terms[i].cost + terms[j].cost:
            pairs.append((i, j, even, odd))
            del terms[i], terms[j]
    used = {i for t in (*terms.values(), *(half for pair in pairs for half in pair[2:])) for i, _ in t.differences}
    lines = [f"const vw d{tag}{i} = {names[i + 2]} - {names[i]};" for i in sorted(used)]
    lines += [assign(i, t.text(names, f"d{tag}")) for i, t in terms.items()]
    for i, j, even, odd in pairs:
        halves = [f"{name}{tag}{i} = {half.text(names, f'd{tag}')}" for name, half in (("even", even), ("odd", odd))]
        lines += [f"const vw {', '.join(halves)};", assign(i, f"even{tag}{i} + odd{tag}{i}"), assign(j, f"even{tag}{i} - odd{tag}{i}")]
    return lines


def _input_lines(fy: WholeWinograd, fx: WholeWinograd, columns: int) -> list[str]:
    """v = B^T in B, columns first. columns: frequencies per row of ``v``."""
    rows = ", ".join(f"*r{y} = {f'r{y - 1} + in_row' if y else 'in'}" for y in range(fy.size))
    lines = [f"const uint8_t {rows};", *(["(void)in_row;"] if fy.size == 1 else []), f"vw t[{fy.n}][{fx.size}];"]
    for x in range(fx.size):
        loads = [f"const vw x{y} = vw_load_bytes(r{y} + {x} * LANES);" for y in range(fy.size)]
        lines += block_of(loads + _transform(fy.bt, [f"x{y}" for y in range(fy.size)], lambda i, text: f"t[{i}][{x}] = {text};", ""))  # noqa: B023
    walk = Walk("v", "v_frequency")
    for y in range(fy.n):
        found = _transform(fx.bt, [f"x{x}" for x in range(fx.size)], lambda i, text: f"y[{i}] = {text};", "")
        loads = [f"const vw x{x} = t[{y}][{x}];" for x in range(fx.size)]
        stores = [f"{walk.to(fy.index[y] * columns + fx.index[i])}vw_store(v, y[{i}]);" for i in range(fx.n)]
        lines += block_of([f"vw y[{fx.n}];", *loads, *found, *stores])
    return lines


def _output_columns(fy: WholeWinograd, fx: WholeWinograd, columns: int) -> list[str]:
    """A^T m: columns from ``m`` to t[fy.m][fx.n]."""
    lines, walk = [], Walk("m", "c->m_frequency")
    for x in range(fx.n):
        at = [i * columns + fx.index[x] for i in fy.index]
        loads = [f"{walk.to(at[y])}const vu m{y} = (vu)vi_load(m);" for y in range(fy.n) if any(row[y] for row in fy.at)]
        names = [f"m{y}" for y in range(fy.n)]
        lines += block_of(loads + apply_column_pairs(fy.at, names, lambda i, t: f"t[{i}][{x}] = {t};", SUMS))  # noqa: B023
    return lines


def _output_row(fy: WholeWinograd, fx: WholeWinograd, y: int, start: str) -> list[str]:
    """Row y of (A^T m) A, divided, as variables y0 … start: C text of what is added, with its sign, "" for nothing."""
    divisor, shift = fy.divisor * fx.divisor, fy.shift + fx.shift
    inverse = pow(divisor >> shift, -1, 1 << 32)
    names = [f"t[{y}][{x}]" for x in range(fx.n)]

    def divided(i: int, text: str) -> str:
        product = f"({text}) * {inverse}u" if inverse != 1 else text
        quotient = f"(vi)({product}) >> {shift}" if shift else f"(vi)({product})"
        return f"const vi y{i} = ({quotient}){start};"

    return apply_column_pairs(fx.at, names, divided, SUMS)


@cache
def word_texts(fy: WholeWinograd, fx: WholeWinograd, columns: int, start: str) -> dict[str, object]:
    """The transforms of a tile of fy.m x fx.m outputs as the template wants them; columns: frequencies per row."""
    return {
        "my": fy.m, "mx": fx.m, "nx": fx.n, "iy": fy.size, "ix": fx.size,
        "input_lines": _input_lines(fy, fx, columns),
        "output_columns": _output_columns(fy, fx, columns),
        "output_rows": [_output_row(fy, fx, y, start) for y in range(fy.m)],
    }  # fmt: skip


@cache
def word_operations(fy: WholeWinograd, fx: WholeWinograd) -> tuple[int, int]:
    """Additions and multiplications of vectors in the transforms of one tile, there and back."""

    def count(lines: Iterable[str]) -> int:
        return sum(line.count(f" {sign} ") for line in lines for sign in "+-*")

    def there(f: WholeWinograd) -> int:
        return count(_transform(f.bt, [f"x{i}" for i in range(f.size)], lambda _, text: text, ""))

    def back(f: WholeWinograd) -> int:
        return count(apply_column_pairs(f.at, [f"x{i}" for i in range(f.n)], lambda _, text: text, SUMS))

    return there(fy) * fx.size + there(fx) * fy.n, back(fy) * fx.n + back(fx) * fy.m
