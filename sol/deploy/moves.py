"""How one packed form of a constant follows from another one of the same numbers in another order: as few copies of strided pieces.

A library for several instruction sets holds constants as the first of them wants them; the others differ in the width of vectors, so in the
order of numbers. The copies are found by comparing bytes, whatever the packing: what is found is right, and what is not found is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

UNIT = 16
"""Bytes that stay together: the narrowest vector."""
LOOPS = 3
"""Loops of a move; the first is over neighbours."""
TRIED = 6
"""Places behind a piece that may be where it repeats."""
ROWS = 1 << 20
"""Units that are compared at once."""
MOVE_BYTES = 40
"""Of a move in a library."""
SHARE = 4
"""Moves may take the fourth part of the constant's own bytes, else it is stored."""


@dataclass(frozen=True)
class Move:
    """Units from ``source`` on go to ``to`` and on.

    loops: the innermost first, how often and by how many units in the result and in what is stored.
    """

    to: int
    source: int
    loops: tuple[tuple[int, int, int], ...]

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """All units in the result, and where each stands in what is stored."""
        to, source = np.array([self.to]), np.array([self.source])
        for count, to_step, source_step in self.loops:
            k = np.arange(count)[:, None]
            to, source = (to + k * to_step).ravel(), (source + k * source_step).ravel()
        return to, source


def moves_between(wanted: np.ndarray, stored: np.ndarray) -> tuple[Move, ...] | None:
    """Moves that make ``wanted`` of ``stored`` in zeroed memory, arrays of any type; None if it holds something else, or needs too many."""
    found = _Search(_units(wanted), _units(stored)).moves(most=wanted.nbytes // (SHARE * MOVE_BYTES))
    return None if found is None else tuple(found)


def _units(array: np.ndarray) -> np.ndarray:
    """The bytes as rows of two words, zeros behind them."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return np.concatenate([data, np.zeros(-data.size % UNIT, np.uint8)]).view(np.uint64).reshape(-1, 2)


def _keys(units: np.ndarray) -> np.ndarray:
    """Numbers that are equal for equal units."""
    return units[:, 0] * np.uint64(0x9E3779B97F4A7C15) + (units[:, 1] ^ units[:, 0] >> np.uint64(29)) * np.uint64(0xD6E8FEB86659FD93)


class _Search:
    """Units that are wanted, and units that are there."""

    def __init__(self, wanted: np.ndarray, stored: np.ndarray) -> None:
        self.wanted, self.stored = wanted, stored
        self.left = np.asarray(wanted.any(axis=1))  # what no move has made

    def moves(self, most: int) -> list[Move] | None:
        if not self._find_places():
            return None
        found: list[Move] = []
        at = self._next(0)
        while at is not None:
            if len(found) == most:
                return None
            move = self._largest(at)
            found.append(move)
            self.left[move.places()[0]] = False
            at = self._next(at)
        return found

    def _find_places(self) -> bool:
        """Where each unit stands in what is stored; whether all that are not zero do."""
        if not len(self.stored):
            return False
        keys = _keys(self.stored)
        order = np.argsort(keys, kind="stable")
        nearest = np.searchsorted(keys[order], _keys(self.wanted))
        self.places = order[np.minimum(nearest, len(order) - 1)]
        same = (self.wanted == self.stored[self.places]).all(axis=1)
        return bool((same | ~self.left).all())

    def _next(self, at: int) -> int | None:
        """The first unit from a place on that no move has made."""
        while at < len(self.left):
            part = self.left[at : at + ROWS]
            first = int(np.argmax(part))
            if part[first]:
                return at + first
            at += len(part)
        return None

    def _largest(self, at: int) -> Move:
        """A move of the unit at a place and as much as possible of what follows."""
        move = Move(at, int(self.places[at]), ())
        for level in range(LOOPS):
            to, source = move.places()
            steps = self._steps(at, int(to.max())) if level else iter([(1, 1)])
            loop = max(((self._repeats(to, source, *s), *s) for s in steps), default=(1, 0, 0))
            move = Move(move.to, move.source, (*move.loops, loop))
        return move

    def _steps(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Steps from the beginning of a piece to beginnings of others behind its end."""
        at = self._next(last + 1)
        for _ in range(TRIED):
            if at is None:
                return
            source = int(self.places[at])
            yield at - first, source - int(self.places[first])
            at = self._next(at + self._repeats(np.array([at]), np.array([source]), 1, 1))

    def _repeats(self, to: np.ndarray, source: np.ndarray, to_step: int, source_step: int) -> int:
        """How often a piece is found again so many units further on."""
        most = (len(self.wanted) - 1 - int(to.max())) // to_step + 1
        if source_step > 0:
            most = min(most, (len(self.stored) - 1 - int(source.max())) // source_step + 1)
        elif source_step < 0:
            most = min(most, int(source.min()) // -source_step + 1)
        done, size = 1, 16
        while done < most:
            k = np.arange(done, min(most, done + max(1, min(size, ROWS // len(to)))))[:, None]
            same = (self.wanted[to + k * to_step] == self.stored[source + k * source_step]).all(axis=(1, 2))
            if not same.all():
                return done + int(np.argmin(same))
            done, size = done + len(k), 4 * size
        return most
