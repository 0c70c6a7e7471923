"""Strassen's algorithm for any number of levels: what its products multiply, and in which order their results are added up.

Source: V. Strassen, Gaussian elimination is not optimal, Numerische Mathematik 13, 1969.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

Part = tuple[int, int]
Sum = Mapping[Part, int]


@dataclass(frozen=True)
class Product:
    """One product of an algorithm: a sum of input parts (pixels, channels) times a sum of weight parts (input, output channels),
    added with a sign to output parts (pixels, output channels)."""

    inputs: Sum
    weights: Sum
    outputs: Sum


_STRASSEN = (
    Product({(0, 0): 1, (1, 1): 1}, {(0, 0): 1, (1, 1): 1}, {(0, 0): 1, (1, 1): 1}),
    Product({(0, 0): 1, (0, 1): 1}, {(1, 1): 1}, {(0, 0): -1, (0, 1): 1}),
    Product({(0, 0): 1}, {(0, 1): 1, (1, 1): -1}, {(0, 1): 1, (1, 1): 1}),
    Product({(1, 1): 1}, {(1, 0): 1, (0, 0): -1}, {(0, 0): 1, (1, 0): 1}),
    Product({(0, 1): 1, (1, 1): -1}, {(1, 0): 1, (1, 1): 1}, {(0, 0): 1}),
    Product({(1, 0): 1, (1, 1): 1}, {(0, 0): 1}, {(1, 0): 1, (1, 1): -1}),
    Product({(1, 0): 1, (0, 0): -1}, {(0, 0): 1, (0, 1): 1}, {(1, 1): 1}),
)
"""In an order in which each product completes at most one part, and few are held at a time."""


def _combine(outer: Sum, inner: Sum, parts: int) -> Sum:
    return {(a * parts + c, b * parts + d): s * t for (a, b), s in outer.items() for (c, d), t in inner.items()}


@cache
def algorithm(levels: int) -> tuple[Product, ...]:
    """The products of so many levels; parts are numbered 0 … 2**levels - 1 along each dimension."""
    if levels == 1:
        return _STRASSEN
    inner, parts = algorithm(levels - 1), 2 ** (levels - 1)
    return tuple(
        Product(_combine(p.inputs, q.inputs, parts), _combine(p.weights, q.weights, parts), _combine(p.outputs, q.outputs, parts))
        for p in _STRASSEN for q in inner
    )  # fmt: skip


def is_part(total: Sum) -> bool:
    """Is a sum of inputs one part as it is?"""
    return list(total.values()) == [1]


@dataclass(frozen=True)
class Move:
    """What a product does with its accumulators: slot ``to`` becomes slot ``source`` plus sign times them, or they do.

    source < 0: zeros. to < 0: the accumulators; they are then complete one level further out.
    """

    source: int
    to: int
    sign: int


Step = tuple[tuple[Move, ...], "Part | None"]


@cache
def schedule(levels: int) -> tuple[Step, ...]:
    """Per product, the moves of its result, and the part of the output that is complete after them.

    The products of a level are added up in slots of their own, and their sum is added to the next level's once it is complete.
    """
    if levels == 1:
        return _one_level()
    inner, parts, first = schedule(levels - 1), 2 ** (levels - 1), slots(levels - 1)
    steps: list[Step] = []
    for outer, done in _one_level():
        for moves, part in inner:
            if part is None:
                steps.append((moves, None))
                continue
            at = first + part[0] * parts + part[1]
            further = [replace(m, **{f: at + s * parts**2 for f, s in (("source", m.source), ("to", m.to)) if s >= 0}) for m in outer]
            steps.append(((*moves, *further), done and (done[0] * parts + part[0], done[1] * parts + part[1])))
    return tuple(steps)


def slots(levels: int) -> int:
    """Slots that ``schedule`` names, each for a tile."""
    most = 1 + max(m.to for moves, _ in _one_level() for m in moves)
    return sum(most * 4**level for level in range(levels))


def _one_level() -> tuple[Step, ...]:
    """Parts that have the same value so far share a slot."""
    last = {q: i for i, p in enumerate(_STRASSEN) for q in p.outputs}
    slot: dict[Part, int] = {}
    steps: list[Step] = []
    for i, product in enumerate(_STRASSEN):
        moves: list[Move] = []
        new: dict[int, int] = {}  # slot of what is there for the first time, by sign
        for part, sign in sorted(product.outputs.items(), key=lambda o: last[o[0]] == i):
            source, done = slot.get(part, -1), last[part] == i
            if source < 0 and sign in new and not done:
                slot[part] = new[sign]
                continue
            shared = source < 0 or list(slot.values()).count(source) > 1
            to = -1 if done else min(set(range(4)) - set(slot.values())) if shared else source
            moves.append(Move(source, to, sign))
            if done:
                slot.pop(part, None)
            else:
                slot[part] = to
            if source < 0:
                new[sign] = to
        steps.append((tuple(moves), next((q for q in product.outputs if last[q] == i), None)))
    return tuple(steps)


def stores(levels: int) -> int:
    """Tiles that are stored: in slots, and as parts of the output."""
    return sum(m.to >= 0 for moves, _ in schedule(levels) for m in moves) + 4**levels
