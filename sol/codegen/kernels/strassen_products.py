"""Strassen's algorithm: what its products of halves multiply, and in which order their results are added up.

Source: V. Strassen, Gaussian elimination is not optimal, Numerische Mathematik 13, 1969.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

PARTS = 2
"""Of pixels, of input and of output channels."""

Part = tuple[int, int]
Sum = Mapping[Part, int]


@dataclass(frozen=True)
class Product:
    """One product of an algorithm: a sum of input parts (pixels, channels) times a sum of weight parts (input, output channels),
    added with a sign to output parts (pixels, output channels)."""

    inputs: Sum
    weights: Sum
    outputs: Sum


PRODUCTS = (
    Product({(0, 0): 1, (1, 1): 1}, {(0, 0): 1, (1, 1): 1}, {(0, 0): 1, (1, 1): 1}),
    Product({(0, 0): 1, (0, 1): 1}, {(1, 1): 1}, {(0, 0): -1, (0, 1): 1}),
    Product({(0, 0): 1}, {(0, 1): 1, (1, 1): -1}, {(0, 1): 1, (1, 1): 1}),
    Product({(1, 1): 1}, {(1, 0): 1, (0, 0): -1}, {(0, 0): 1, (1, 0): 1}),
    Product({(0, 1): 1, (1, 1): -1}, {(1, 0): 1, (1, 1): 1}, {(0, 0): 1}),
    Product({(1, 0): 1, (1, 1): 1}, {(0, 0): 1}, {(1, 0): 1, (1, 1): -1}),
    Product({(1, 0): 1, (0, 0): -1}, {(0, 0): 1, (0, 1): 1}, {(1, 1): 1}),
)
"""In an order in which each product completes at most one part, and few are held at a time."""


def is_part(total: Sum) -> bool:
    """Is a sum of inputs one part as it is?"""
    return list(total.values()) == [1]


@dataclass(frozen=True)
class Move:
    """What a product does with its accumulators: slot ``to`` becomes slot ``source`` plus sign times them, or they do.

    source < 0: zeros. to < 0: the accumulators; they are then complete.
    """

    source: int
    to: int
    sign: int


Step = tuple[tuple[Move, ...], "Part | None"]


@cache
def schedule() -> tuple[Step, ...]:
    """Per product, the moves of its result, and the part of the output that is complete after them.

    Parts that have the same value so far share a slot.
    """
    last = {q: i for i, p in enumerate(PRODUCTS) for q in p.outputs}
    slot: dict[Part, int] = {}
    steps: list[Step] = []
    for i, product in enumerate(PRODUCTS):
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


def slots() -> int:
    """Slots that ``schedule`` names, each for a tile."""
    return 1 + max(m.to for moves, _ in schedule() for m in moves)


def stores() -> int:
    """Tiles that are stored: in slots, and as parts of the output."""
    return sum(m.to >= 0 for moves, _ in schedule() for m in moves) + PARTS**2
