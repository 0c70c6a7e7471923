"""Which combinations of cases and instruction sets each test run takes: kernels take seconds to compile, all together minutes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from sol.codegen.targets import runnable

Place = tuple[int, ...]
"""A row of each table, by number."""


def thinned(*tables: Sequence[Any], on: Sequence[Any] = ()) -> list[Any]:
    """(isa, …) for pytest: every combination of the tables' rows on one instruction set, and every row of a table on each of them.

    Of a single table, every row on the first instruction set and every third one on each other. What is left out is run by make
    conformance. A row is a tuple of arguments, or a single one that is no tuple. on: what is taken instead of instruction sets.
    """
    isas = on or runnable()
    places = list(itertools.product(*(range(len(t)) for t in tables)))
    first_and_thirds = {(place, i) for place in places for i in range(len(isas)) if not i or place[0] % 3 == i % 3}
    kept = _every_pair(places, len(isas)) if len(tables) > 1 else first_and_thirds
    found = []
    for i, isa in enumerate(isas):
        for place in places:
            rows = (t[at] if isinstance(t[at], tuple) else (t[at],) for t, at in zip(tables, place))
            found.append(pytest.param(isa, *itertools.chain(*rows), marks=() if (place, i) in kept else pytest.mark.conformance))
    return found


def _every_pair(places: Sequence[Place], isas: int) -> set[tuple[Place, int]]:
    """Each place with an instruction set, and more of both until each row has met each instruction set."""

    def pairs(place: Place, isa: int) -> set[tuple[int, int, int]]:
        return {(table, row, isa) for table, row in enumerate(place)}

    missing = {pair for place in places for isa in range(isas) for pair in pairs(place, isa)}
    kept = set()
    for place in places:
        isa = max(range(isas), key=lambda isa: (len(pairs(place, isa) & missing), isa == sum(place) % isas))
        kept.add((place, isa))
        missing -= pairs(place, isa)
    while missing:
        place, isa = max(itertools.product(places, range(isas)), key=lambda one: len(pairs(*one) & missing))
        kept.add((place, isa))
        missing -= pairs(place, isa)
    return kept
