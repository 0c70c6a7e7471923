"""What a kernel family answers about a region: the ways in which it can compute it, each as data that holds all that was found.

match → cost → lower: ``match`` looks at a region and changes nothing, ``cost`` predicts a time from what was found and from the machine,
``lower`` emits launches and reads nothing but what was found. One selector (sol/codegen/kernels/families.py) asks, for plans, trials and
explanations alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.lowering import Lowering, TargetLike


@dataclass(frozen=True)
class Decision:
    """One way to compute a region.

    candidate: the name of the kernel. variant: which of its ways; "" for its own choice. found: all that ``match`` found (problem, tiles,
    prologue, where results go, …), frozen, of the family's own type. pays: whether the model takes the candidate here if none before it
    does; else only a measurement may. seconds: predicted time, None where the family has no model.
    """

    candidate: str
    found: Any
    variant: str = ""
    pays: bool = True
    seconds: float | None = None

    @property
    def name(self) -> str:
        """``candidate`` or ``candidate/variant``: as records of measurements call it."""
        return f"{self.candidate}/{self.variant}" if self.variant else self.candidate


Cost = Callable[[Any, TargetLike], float | None]


@dataclass(frozen=True)
class Candidate:
    """A kernel of a family.

    match: the ways in which it can compute a region: none if it cannot, else its own choice first, then variants, promising ones first.
    It may be a generator: variants are only asked for where measurements or explanations need them. Where not even the anchor alone could
    be computed it raises UnsupportedError with the remedy, which the user sees if no other candidate takes the region.
    lower: emits the launches of what ``match`` found.
    cost: seconds on a target, if there is a model; it gives None where sizes are known only at run time.
    ranked: whether the selector prefers it to those before it where its cost is lower; else the cost is only told.
    """

    name: str
    match: Callable[[Lowering], Iterable[Decision]]
    lower: Callable[[Lowering, Any], None]
    cost: Cost | None = None
    ranked: bool = True

    def decisions(self, lowering: Lowering) -> Iterator[Decision]:
        """What ``match`` gives, with predicted times."""
        for decision in self.match(lowering):
            yield decision if self.cost is None else replace(decision, seconds=self.cost(decision.found, lowering.target))

    def choice(self, lowering: Lowering) -> Decision | None:
        """Its own way, if that pays; with a predicted time if that matters to the choice."""
        decision = next(iter(self.decisions(lowering) if self.ranked else self.match(lowering)), None)
        return decision if decision is not None and decision.pays else None


Pays = Callable[[Any, TargetLike], bool]


def sole(
    name: str,
    read: Callable[[Lowering], Any],
    lower: Callable[[Lowering, Any], None],
    pays: Pays | None = None,
    cost: Cost | None = None,
    ranked: bool = True,
) -> Candidate:
    """A candidate with one way. read: ``match`` for that: what it finds, None where it is impossible. pays: None where it always does."""

    def match(lowering: Lowering) -> Iterator[Decision]:
        found = read(lowering)
        if found is not None:
            yield Decision(name, found, pays=pays is None or pays(found, lowering.target))

    return Candidate(name, match, lower, cost, ranked)


__all__ = ["Candidate", "Decision", "sole"]
