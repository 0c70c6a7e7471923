"""Einsum of any number of operands: diagonals and sums of each, then one batched matrix product after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sol.frontend.onnx.context import Context
from sol.ir.dim import DimLike, product


@dataclass(frozen=True)
class _Term:
    """A tensor with a letter per dimension, each letter once."""

    value: str
    letters: str


def contract(ctx: Context, equation: str, operands: Sequence[str], widen: Callable[[str], str]) -> str:
    """The result of an equation. widen: casts a value to the type in which products and sums are computed."""
    inputs, output = parse(ctx, equation, [ctx.rank(o) for o in operands])
    if len(operands) > 1 or any(c not in output for c in inputs[0]):
        operands = [widen(o) for o in operands]
    terms = [_diagonal(ctx, value, letters) for value, letters in zip(operands, inputs)]
    while len(terms) > 1:
        rest = terms[2:]
        kept = output + "".join(t.letters for t in rest)
        terms = [_product(ctx, terms[0], terms[1], kept), *rest]
    term = _summed(ctx, terms[0], output)
    if len(set(output)) != len(output) or set(output) != set(term.letters):
        ctx.fail(f"equation {equation!r} names letters in its result that no operand has, or names one twice")
    return ctx.permute(term.value, [term.letters.index(c) for c in output])


def parse(ctx: Context, equation: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """Letters of each operand and of the result; an ellipsis is spelled out in letters that the equation leaves free."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        ctx.fail(f"equation {equation!r} has {len(inputs)} terms for {len(ranks)} operands")
    free = [chr(c) for c in range(0x3B1, 0x3B1 + max(ranks, default=0))]
    counts = [rank - len(term.replace("...", "")) for term, rank in zip(inputs, ranks)]
    if any(n < 0 or (n and "..." not in term) for n, term in zip(counts, inputs)):
        ctx.fail(f"equation {equation!r} does not fit operands of {', '.join(map(str, ranks))} dimensions")
    most = max((n for n, term in zip(counts, inputs) if "..." in term), default=0)
    dots = "".join(free[:most])
    spelled = [term.replace("...", dots[most - n :] if n else "") for term, n in zip(inputs, counts)]
    if arrow:
        return spelled, right.replace("...", dots)
    letters = "".join(spelled)
    return spelled, dots + "".join(sorted(c for c in set(letters) if letters.count(c) == 1 and c not in dots))


def _diagonal(ctx: Context, value: str, letters: str) -> _Term:
    """The term with each letter once: dimensions of one letter become their diagonal."""
    while len(set(letters)) < len(letters):
        first = next(i for i, c in enumerate(letters) if c in letters[i + 1 :])
        second = letters.index(letters[first], first + 1)
        others = [i for i in range(len(letters)) if i not in (first, second)]
        value = ctx.permute(value, [*others, first, second])
        (size,) = ctx.fixed(ctx.size(value)[-1:], "the diagonal of an operand")
        lead = ctx.size(value)[:-2]
        flat = ctx.reshape(value, (*lead, size * size))
        value = ctx.slice(flat, len(lead), 0, size * size, size + 1)
        letters = "".join(letters[i] for i in others) + letters[first]
    return _Term(value, letters)


def _summed(ctx: Context, term: _Term, kept: str) -> _Term:
    """The term without the letters that nobody asks for."""
    gone = tuple(i for i, c in enumerate(term.letters) if c not in kept)
    if not gone:
        return term
    value = ctx.add("sum", term.value, dims=gone, keepdims=False)
    return _Term(value, "".join(c for c in term.letters if c in kept))


def _product(ctx: Context, left: _Term, right: _Term, kept: str) -> _Term:
    """Letters fall into batch (both, kept), contracted (both, dropped), rows (left only) and columns (right only)."""
    left = _summed(ctx, left, kept + right.letters)
    right = _summed(ctx, right, kept + left.letters)
    sizes: dict[str, DimLike] = {}
    for term in (left, right):
        for c, size in zip(term.letters, ctx.size(term.value)):
            sizes[c] = size if sizes.get(c, 1) == 1 else sizes[c]
    left, right = (_Term(ctx.expand(t.value, tuple(sizes[c] for c in t.letters)), t.letters) for t in (left, right))
    batch = [c for c in left.letters if c in right.letters and c in kept]
    shared = [c for c in left.letters if c in right.letters and c not in kept]
    rows = [c for c in left.letters if c not in right.letters]
    columns = [c for c in right.letters if c not in left.letters]
    if not shared and not (rows and columns):
        return _elementwise(ctx, left, right, batch, rows, columns)
    lead = tuple(sizes[c] for c in batch)
    m, k, n = (product(sizes[c] for c in group) for group in (rows, shared, columns))
    a = ctx.permute(left.value, [left.letters.index(c) for c in (*batch, *rows, *shared)])
    b = ctx.permute(right.value, [right.letters.index(c) for c in (*batch, *shared, *columns)])
    y = ctx.add("matmul", ctx.reshape(a, (*lead, m, k)), ctx.reshape(b, (*lead, k, n)))
    order = (*batch, *rows, *columns)
    return _Term(ctx.reshape(y, tuple(sizes[c] for c in order)), "".join(order))


def _elementwise(ctx: Context, left: _Term, right: _Term, batch: list[str], rows: list[str], columns: list[str]) -> _Term:
    """A product without a sum where one side has no letters of its own."""
    order = (*batch, *rows, *columns)
    values = []
    for term in (left, right):
        present = [c for c in order if c in term.letters]
        value = ctx.permute(term.value, [term.letters.index(c) for c in present])
        size = dict(zip(present, ctx.size(value)))
        values.append(ctx.reshape(value, tuple(size.get(c, 1) for c in order)))
    return _Term(ctx.add("mul", *values), "".join(order))
