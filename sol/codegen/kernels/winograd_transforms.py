"""C text of Winograd's transforms: straight-line vector code for one tile, with common halves of opposite points shared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from sol.codegen.emit import c_float
from sol.codegen.kernels.winograd_matrices import Winograd


@dataclass(frozen=True)
class Spelling:
    """How combinations of vectors are written in C. vector: their type; zero: a vector of zeros; number: what spells a positive number."""

    vector: str
    zero: str
    number: Callable[[Fraction], str]

    def combination(self, coefficients: Sequence[Fraction], names: Sequence[str]) -> str:
        """C text of a linear combination; a plain positive term goes first, so that the others are fused multiply-adds."""
        terms = [(c < 0, abs(c) != 1, name if abs(c) == 1 else f"{self.number(abs(c))} * {name}")
                 for c, name in zip(coefficients, names) if c]  # fmt: skip
        if not terms:
            return self.zero
        terms.sort(key=lambda t: t[:2])
        (negative, _, head), *rest = terms
        return ("-" if negative else "") + head + "".join(f" {'-' if n else '+'} {text}" for n, _, text in rest)


FLOATS = Spelling("vf", "vf_zero()", lambda x: c_float(float(x)))


def opposite_rows(matrix: Sequence[Sequence[Fraction]]) -> list[tuple[int, ...]]:
    """The rows, those of opposite points in pairs: they are alike up to signs and have an even and an odd half."""
    groups: list[tuple[int, ...]] = []
    for i, row in enumerate(matrix):
        if any(i in group for group in groups):
            continue
        partner = next((j for j in range(i + 1, len(matrix)) if _are_opposite(row, matrix[j])), None)
        groups.append((i,) if partner is None else (i, partner))
    return groups


def _are_opposite(row: Sequence[Fraction], other: Sequence[Fraction]) -> bool:
    same, opposite = (any(a and a == sign * b for a, b in zip(row, other)) for sign in (1, -1))
    return same and opposite and all(abs(a) == abs(b) for a, b in zip(row, other))


def apply_rows(
    matrix: Sequence[Sequence[Fraction]], group: Sequence[int], names: Sequence[str], assign: Callable[[int, str], str], tag: object
) -> list[str]:
    """C statements for the rows ``group`` of matrix * names; a pair of opposite ones shares its even and odd halves.

    assign: (row, C text) -> statement. tag: what makes the names of the halves unique.
    """
    if len(group) == 1:
        return [assign(group[0], FLOATS.combination(matrix[group[0]], names))]
    i, j = group
    even = [a if a == b else Fraction(0) for a, b in zip(matrix[i], matrix[j])]
    odd = [a if a != b else Fraction(0) for a, b in zip(matrix[i], matrix[j])]
    halves = f"const vf even{tag} = {FLOATS.combination(even, names)}, odd{tag} = {FLOATS.combination(odd, names)};"
    return [halves, assign(i, f"even{tag} + odd{tag}"), assign(j, f"even{tag} - odd{tag}")]


def apply_column_pairs(
    matrix: Sequence[Sequence[Fraction]], names: Sequence[str], assign: Callable[[int, str], str], spelling: Spelling = FLOATS
) -> list[str]:
    """C statements for matrix * names. Columns of opposite points, alike up to signs, share sum and difference."""
    columns = list(zip(*matrix))
    lines: list[str] = []
    texts: list[str] = []
    parts: list[list[Fraction]] = []
    done = set()
    for i, column in enumerate(columns):
        if i in done:
            continue
        opposite = [j for j in range(i + 1, len(columns)) if j not in done and columns[j] != column
                    and all(abs(a) == abs(b) for a, b in zip(column, columns[j]))]  # fmt: skip
        if not opposite:
            texts.append(names[i])
            parts.append(list(column))
            continue
        j = opposite[0]
        done.add(j)
        lines.append(f"const {spelling.vector} sum{i} = {names[i]} + {names[j]}, difference{i} = {names[i]} - {names[j]};")
        texts += [f"sum{i}", f"difference{i}"]
        parts.append([a if a == b else Fraction(0) for a, b in zip(column, columns[j])])
        parts.append([a if a != b else Fraction(0) for a, b in zip(column, columns[j])])
    rows = list(zip(*parts))
    return lines + [assign(i, spelling.combination(row, texts)) for i, row in enumerate(rows)]


def block_of(lines: Sequence[str]) -> list[str]:
    """Statements as one block."""
    return ["{", *(f"    {line}" for line in lines), "}"]


class Walk:
    """A pointer that goes from frequency to frequency: as sums of the start and many multiples, addresses would fill the registers."""

    def __init__(self, name: str, stride: str) -> None:
        self.name, self.stride, self.at = name, stride, 0

    def to(self, frequency: int) -> str:
        """C statements that lead there."""
        step, self.at = frequency - self.at, frequency
        return f"{self.name} += {step} * {self.stride}; SOL_PIN({self.name}); " if step else ""


def input_lines(fy: Winograd, fx: Winograd, columns: int, by_inner_product: bool) -> list[str]:
    """v = B^T in B, a row or a pair of opposite rows at a time, so that what is between the two stays in registers.

    columns: frequencies per row of ``v``. by_inner_product: times ``scale``, and the products of pairs are added to ``sums``.
    """
    rows_of = ", ".join(f"*r{y} = {f'r{y - 1} + in_row' if y else 'in'}" for y in range(fy.size))
    lines, walk = [f"const float {rows_of};", *(["(void)in_row;"] if fy.size == 1 else [])], Walk("v", "v_frequency")
    for group in opposite_rows(fy.bt):
        block = []
        for x in range(fx.size):
            loads = [f"vf_load(r{y} + {x} * LANES)" for y in range(fy.size)]
            block += apply_rows(fy.bt, group, loads, lambda i, text: f"const vf t{i}_{x} = {text};", f"_{x}")  # noqa: B023
        for y in group:
            names, at = [f"t{y}_{x}" for x in range(fx.size)], [fy.index[y] * columns + i for i in fx.index]

            def write(i: int, text: str, at: Sequence[int] = at) -> str:
                if by_inner_product:
                    return f"{walk.to(at[i])}keep_pairs(v, ({text}) * scale, sums + {at[i]});"
                return f"{walk.to(at[i])}vf_store(v, {text});"

            for rows in opposite_rows(fx.bt):
                block += apply_rows(fx.bt, rows, names, write, f"{y}_of_{rows[0]}")
        lines += block_of(block)
    return lines


def output_columns(fy: Winograd, fx: Winograd, columns: int, stride: str = "c->m_frequency", magnitudes: str = "") -> list[str]:
    """A^T m: columns from ``m`` to t[fy.m][fx.n]. stride: C text of the elements from one frequency to the next. magnitudes: a variable
    to which those of what is read are added."""
    lines, walk = [], Walk("m", stride)
    for x in range(fx.n):
        at = [i * columns + fx.index[x] for i in fy.index]
        loads = [f"{walk.to(at[y])}const vf m{y} = vf_load(m);" for y in range(fy.n) if any(row[y] for row in fy.at)]
        names = [f"m{y}" for y in range(fy.n)]
        if magnitudes:
            loads.append(f"{magnitudes} += {' + '.join(f'vf_abs({name})' for name in names)};")
        lines += block_of(loads + apply_column_pairs(fy.at, names, lambda i, t: f"t[{i}][{x}] = {t};"))  # noqa: B023
    return lines


def output_row(fx: Winograd, y: int, bias: bool, by_inner_product: bool) -> list[str]:
    """Row y of (A^T m) A as variables y0 …, with the bias. by_inner_product: times ``undo``."""
    names = [f"t[{y}][{x}]" for x in range(fx.n)]
    added = " + bias" if bias else ""
    return apply_column_pairs(fx.at, names, lambda i, t: f"const vf y{i} = {f'({t}) * undo' if by_inner_product else t}{added};")


@cache
def transform_texts(fy: Winograd, fx: Winograd, columns: int, bias: bool, by_inner_product: bool = False) -> dict[str, Any]:
    """The transforms of a tile of fy.m x fx.m outputs as the template wants them; columns: frequencies per row."""
    return {
        "my": fy.m, "mx": fx.m, "nx": fx.n, "iy": fy.size, "ix": fx.size,
        "input_lines": input_lines(fy, fx, columns, by_inner_product),
        "output_columns": output_columns(fy, fx, columns),
        "output_rows": [output_row(fx, y, bias, by_inner_product) for y in range(fy.m)],
    }  # fmt: skip


@cache
def operations(fy: Winograd, fx: Winograd) -> tuple[int, int]:
    """Vector multiply-adds and additions of the transforms of one tile, there and back."""

    def count(lines: Sequence[str]) -> int:
        return sum(line.count(" + ") + line.count(" - ") for line in lines)

    def there(f: Winograd) -> int:
        names = [f"x{i}" for i in range(f.size)]
        return sum(count(apply_rows(f.bt, rows, names, lambda _, text: text, "")) for rows in opposite_rows(f.bt))

    def back(f: Winograd) -> int:
        return count(apply_column_pairs(f.at, [f"x{i}" for i in range(f.n)], lambda _, text: text))

    return there(fy) * fx.size + there(fx) * fy.n, back(fy) * fx.n + back(fx) * fy.m
