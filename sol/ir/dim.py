"""Dimensions: plain ints, or integer polynomials over named symbols when a size is known only at run time.

A fixed size is always a Python ``int``; ``Dim`` is used only while at least one symbol is left, so that
``isinstance(d, int)`` tells the two apart and fixed shapes cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Union

from sol.errors import SolError

OPEN = 2**20
"""A range that reaches so far has no end that tells anything."""


class UndecidedError(SolError):
    """A comparison of sizes that comes out differently for different values of its symbols.

    ``difference``: what is compared with ``least``, the smallest value for which the answer is yes.
    """

    difference: DimLike = 0
    least: int = 0


@dataclass(frozen=True, order=True)
class Symbol:
    """A size that is bound at call time. ``lower`` and ``upper`` are inclusive; sizes 0 and 1 are fixed by default."""

    name: str
    lower: int = 2
    upper: int = 2**40


@dataclass(frozen=True, order=True)
class FloorDiv:
    """Atom ``numerator // denominator`` that did not divide evenly."""

    numerator: DimLike
    denominator: DimLike


@dataclass(frozen=True, order=True)
class Maximum:
    """Atom ``max(a, b)``."""

    a: DimLike
    b: DimLike


Atom = Symbol | FloorDiv | Maximum
Monomial = tuple[Atom, ...]
DimLike = Union[int, "Dim"]


@dataclass(frozen=True)
class Dim:
    """Sum of ``coefficient * product of atoms``, kept in one canonical order so that equal sizes compare equal."""

    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    def symbol(name: str, lower: int = 2, upper: int = 2**40) -> Dim:
        return Dim((((Symbol(name, lower, upper),), 1),))

    @cached_property
    def _key(self) -> str:
        return dim_text(self)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._key == other._key

    def __add__(self, other: DimLike) -> DimLike:
        return _from_terms([*self.terms, *_terms(other)])

    __radd__ = __add__

    def __neg__(self) -> DimLike:
        return self * -1

    def __sub__(self, other: DimLike) -> DimLike:
        return self + (-other)

    def __rsub__(self, other: DimLike) -> DimLike:
        return (-self) + other

    def __mul__(self, other: DimLike) -> DimLike:
        return _from_terms(
            [(tuple(sorted((*m, *n), key=_atom_key)), a * b) for m, a in self.terms for n, b in _terms(other)]
        )

    __rmul__ = __mul__

    def __floordiv__(self, other: DimLike) -> DimLike:
        return floor_div(self, other)

    def __rfloordiv__(self, other: int) -> DimLike:
        return floor_div(other, self)

    def __mod__(self, other: DimLike) -> DimLike:
        return self - floor_div(self, other) * other

    def __rmod__(self, other: int) -> DimLike:
        return other - floor_div(other, self) * self

    def __lt__(self, other: DimLike) -> bool:
        return _decide(self, other, strict=True)

    def __le__(self, other: DimLike) -> bool:
        return _decide(self, other, strict=False)

    def __gt__(self, other: DimLike) -> bool:
        return _decide(other, self, strict=True)

    def __ge__(self, other: DimLike) -> bool:
        return _decide(other, self, strict=False)

    def __repr__(self) -> str:
        return self._key

    __str__ = __repr__


def _terms(value: DimLike) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(value, Dim):
        return value.terms
    return (((), int(value)),) if value else ()


def _atom_key(atom: Atom) -> str:
    return _atom_text(atom)


def _from_terms(terms: Iterable[tuple[Monomial, int]]) -> DimLike:
    total: dict[Monomial, int] = {}
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, 0) + coefficient
    kept = [(m, c) for m, c in total.items() if c]
    if not kept:
        return 0
    if len(kept) == 1 and kept[0][0] == ():
        return kept[0][1]
    return Dim(tuple(sorted(kept, key=lambda t: (-len(t[0]), [_atom_text(a) for a in t[0]]))))


def floor_div(a: DimLike, b: DimLike) -> DimLike:
    """``a // b``; exact when every term of ``a`` divides by ``b``."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if isinstance(b, int) and b == 1:
        return a
    if isinstance(a, int) and a == 0:
        return 0
    if a == b:
        return 1
    if isinstance(b, int) and isinstance(a, Dim):
        # c = (c // b) * b + c % b for every coefficient: the rest has coefficients in 0..b-1, so it is canonical and
        # never negative, and C's truncating division is the floor.
        quotient = _from_terms([(m, c // b) for m, c in a.terms])
        remainder = _from_terms([(m, c % b) for m, c in a.terms])
        if isinstance(remainder, int):
            return quotient + remainder // b
        return quotient + _nested_floor_div(remainder, b)
    if isinstance(a, Dim) and isinstance(b, Dim) and len(b.terms) == 1:
        (mono, coefficient), out = b.terms[0], []
        for m, c in a.terms:
            left = list(m)
            if c % coefficient or any(not _take(left, atom) for atom in mono):
                break
            out.append((tuple(left), c // coefficient))
        else:
            return _from_terms(out)
    return Dim((((FloorDiv(a, b),), 1),))


def _nested_floor_div(a: Dim, b: int) -> DimLike:
    """``a // b`` for reduced coefficients; ``(n // d + r) // b`` becomes ``(n + r d) // (d b)``."""
    for monomial, coefficient in a.terms:
        if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], FloorDiv):
            inner = monomial[0]
            if isinstance(inner.denominator, int) and b > 0:
                rest = a - Dim(((monomial, 1),))
                return floor_div(inner.numerator + rest * inner.denominator, inner.denominator * b)
    shift = max(0, -(bounds(a)[0] // b)) if b > 0 else 0  # keeps the numerator non-negative
    return Dim((((FloorDiv(a + shift * b, b),), 1),)) - shift


def _take(atoms: list[Atom], atom: Atom) -> bool:
    if atom in atoms:
        atoms.remove(atom)
        return True
    return False


def dim_max(a: DimLike, b: DimLike) -> DimLike:
    """``max(a, b)``, folded when the bounds decide it."""
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    if a == b:
        return a
    low, high = bounds(a - b)
    if low >= 0:
        return a
    if high <= 0:
        return b
    first, second = sorted((a, b), key=dim_text)
    return Dim((((Maximum(first, second),), 1),))


def dim_min(a: DimLike, b: DimLike) -> DimLike:
    """``min(a, b)``, folded when the bounds decide it."""
    return a + b - dim_max(a, b)


def bounds(value: DimLike) -> tuple[int, int]:
    """Inclusive lower and upper bound of a dimension by interval arithmetic."""
    if not isinstance(value, Dim):
        return int(value), int(value)
    low, high = _interval(value)
    if low == high or not any(_is_quotient(m) for m, _ in value.terms):
        return low, high
    return max(low, _undivided(value)), min(high, -_undivided(-value))


def _is_quotient(monomial: Monomial) -> bool:
    """A quotient by a number, and nothing else."""
    return len(monomial) == 1 and isinstance(monomial[0], FloorDiv) and isinstance(monomial[0].denominator, int)


def _undivided(value: DimLike) -> int:
    """A lower bound that knows of ``n - (d - 1) <= d (n // d) <= n``, by which n - n // 2 is not below zero."""
    if not isinstance(value, Dim):
        return int(value)
    quotients = [(m[0], c) for m, c in value.terms if _is_quotient(m)]
    scale = math.lcm(*(q.denominator for q, _ in quotients))  # type: ignore[union-attr, arg-type]
    total: DimLike = value * scale
    for quotient, coefficient in quotients:
        d: int = quotient.denominator  # type: ignore[union-attr, assignment]
        least = quotient.numerator - (d - 1) if coefficient > 0 else quotient.numerator  # type: ignore[union-attr]
        total = total + (least * (scale // d) - Dim((((quotient,), 1),)) * scale) * coefficient
    return -(-_interval(total)[0] // scale) if isinstance(total, Dim) else -(-total // scale)


def _interval(value: Dim) -> tuple[int, int]:
    low = high = 0
    for monomial, coefficient in value.terms:
        lo = hi = 1
        for atom in monomial:
            alo, ahi = _atom_bounds(atom)
            corners = [lo * alo, lo * ahi, hi * alo, hi * ahi]
            lo, hi = min(corners), max(corners)
        lo, hi = (lo * coefficient, hi * coefficient) if coefficient > 0 else (hi * coefficient, lo * coefficient)
        low, high = low + lo, high + hi
    return low, high


def _atom_bounds(atom: Atom) -> tuple[int, int]:
    if isinstance(atom, Symbol):
        return atom.lower, atom.upper
    if isinstance(atom, Maximum):
        (alo, ahi), (blo, bhi) = bounds(atom.a), bounds(atom.b)
        return max(alo, blo), max(ahi, bhi)
    (nlo, nhi), (dlo, dhi) = bounds(atom.numerator), bounds(atom.denominator)
    corners = [n // d for n in (nlo, nhi) for d in (max(dlo, 1), max(dhi, 1))]
    return min(corners), max(corners)


def _decide(a: DimLike, b: DimLike, *, strict: bool) -> bool:
    difference, least = b - a, int(strict)
    answer = _answer(difference, least)
    if answer is not None:
        return answer
    error = UndecidedError(
        f"whether {a} {'<' if strict else '<='} {b} depends on the input size",
        remedy="give the dimension a range (torch.export.Dim(min=, max=)) or compile with fixed shapes",
    )
    error.difference, error.least = difference, least
    raise error


def _answer(difference: DimLike, least: int) -> bool | None:
    """Whether a size is at least ``least``, for all values of its symbols; None if that depends on them."""
    low, high = bounds(difference)
    return True if low >= least else False if high < least else None


def deciding_range(error: UndecidedError, value: int | None = None) -> Symbol | None:
    """The symbol of a comparison in the largest range around ``value`` in which the comparison has one answer.

    Without a value: the range at the lower end. None if the comparison has several symbols, or none of the ranges decides it.
    """
    found = symbols(error.difference)
    if len(found) != 1:
        return None
    symbol = found[0]
    at = symbol.lower if value is None else value

    def decides(low: int, high: int) -> bool:
        narrow = Dim.symbol(symbol.name, low, high) if low < high else low
        return _answer(substitute(error.difference, {symbol.name: narrow}), error.least) is not None

    if not symbol.lower <= at <= symbol.upper or not decides(at, at):
        return None
    high = _furthest(at, symbol.upper, lambda end: decides(at, end))
    return Symbol(symbol.name, _furthest(at, symbol.lower, lambda end: decides(end, high)), high)


def _furthest(start: int, end: int, holds: Callable[[int], bool]) -> int:
    """The number furthest from ``start`` towards ``end`` up to which ``holds`` is true, by bisection."""
    if holds(end):
        return end
    while abs(end - start) > 1:
        middle = (start + end) // 2
        start, end = (middle, end) if holds(middle) else (start, middle)
    return start


def undecided(error: BaseException | None) -> UndecidedError | None:
    """The comparison of sizes that an error came from, if it came from one; errors around it may have added where that was."""
    while error is not None:
        if isinstance(error, UndecidedError) and isinstance(error.difference, Dim):
            return error
        error = error.__cause__
    return None


def typical(value: DimLike, usual: int) -> int:
    """A size for estimates where nobody tells, an open one at least 1.

    Symbols are in the middle of their range by ratio, or ``usual`` where that has no end.
    """
    env = {s.name: usual if s.upper >= OPEN else round(math.sqrt(max(s.lower, 1) * s.upper)) for s in symbols(value)}
    return max(1, evaluate(value, env)) if env else evaluate(value, env)


def symbols(value: DimLike) -> tuple[Symbol, ...]:
    """All symbols in a dimension, by name."""
    found: dict[str, Symbol] = {}

    def visit(d: DimLike) -> None:
        if isinstance(d, Dim):
            for monomial, _ in d.terms:
                for atom in monomial:
                    if isinstance(atom, Symbol):
                        found[atom.name] = atom
                    elif isinstance(atom, FloorDiv):
                        visit(atom.numerator)
                        visit(atom.denominator)
                    else:
                        visit(atom.a)
                        visit(atom.b)

    visit(value)
    return tuple(found[n] for n in sorted(found))


def evaluate(value: DimLike, env: Mapping[str, int]) -> int:
    """The size for given symbol values."""
    if not isinstance(value, Dim):
        return int(value)
    total = 0
    for monomial, coefficient in value.terms:
        product = coefficient
        for atom in monomial:
            if isinstance(atom, Symbol):
                product *= env[atom.name]
            elif isinstance(atom, FloorDiv):
                product *= evaluate(atom.numerator, env) // evaluate(atom.denominator, env)
            else:
                product *= max(evaluate(atom.a, env), evaluate(atom.b, env))
        total += product
    return total


def substitute(value: DimLike, env: Mapping[str, DimLike]) -> DimLike:
    """Replace symbols by sizes or other dimensions."""
    if not isinstance(value, Dim):
        return value
    total: DimLike = 0
    for monomial, coefficient in value.terms:
        product: DimLike = coefficient
        for atom in monomial:
            if isinstance(atom, Symbol):
                product = product * env.get(atom.name, Dim((((atom,), 1),)))
            elif isinstance(atom, FloorDiv):
                product = product * floor_div(substitute(atom.numerator, env), substitute(atom.denominator, env))
            else:
                product = product * dim_max(substitute(atom.a, env), substitute(atom.b, env))
        total = total + product
    return total


def _atom_text(atom: Atom) -> str:
    if isinstance(atom, Symbol):
        return atom.name
    if isinstance(atom, FloorDiv):
        return f"(({dim_text(atom.numerator)})/({dim_text(atom.denominator)}))"
    a, b = dim_text(atom.a), dim_text(atom.b)
    return f"(({a})>({b})?({a}):({b}))"


def dim_text(value: DimLike) -> str:
    """The dimension as text that is also a C expression over the symbol names (all sizes are non-negative)."""
    if not isinstance(value, Dim):
        return str(int(value))
    parts: list[str] = []
    for monomial, coefficient in value.terms:
        factors = [_atom_text(a) for a in monomial]
        if not factors:
            parts.append(str(coefficient))
        elif coefficient == 1:
            parts.append("*".join(factors))
        else:
            parts.append("*".join([str(coefficient), *factors]))
    return "+".join(parts).replace("+-", "-")


def ceil_div(a: DimLike, b: DimLike) -> DimLike:
    """``ceil(a / b)``."""
    return (a + (b - 1)) // b


def product(dims: Iterable[DimLike]) -> DimLike:
    """Product of dimensions; 1 for none."""
    total: DimLike = 1
    for d in dims:
        total = total * d
    return total
