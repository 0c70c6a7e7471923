"""Whether predicted times order the ways to compute a region as measured times do, and how far they are from them."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Rounds = dict[str, dict[str, list[float]]]
"""What one round measured: signature of a region → way → seconds, one number per region that was measured."""
NOISE = 0.02
"""Difference of two ways, relative to the faster one, below which they tie although all rounds agree."""


@dataclass(frozen=True)
class Predicted:
    """A heavy region. seconds: predicted, by way; None where the model does not know. The model's choice stands first."""

    region: str
    anchor: str
    signature: str
    seconds: Mapping[str, float | None]


@dataclass(frozen=True)
class Order:
    """The two ways that were measured fastest. measured, predicted: seconds of each, the faster one first; verdict: one of ``VERDICTS``.

    lost: how much longer than the fastest the model's choice takes.
    """

    region: Predicted
    names: tuple[str, str]
    measured: tuple[float, float]
    predicted: tuple[float | None, float | None]
    verdict: str
    lost: float

    def __str__(self) -> str:
        def side(i: int) -> str:
            predicted = self.predicted[i]
            told = "not predicted" if predicted is None else f"{1e6 * predicted:.1f} µs predicted"
            return f"{self.names[i]} {1e6 * self.measured[i]:.1f} µs measured, {told}"

        return f"{self.verdict:8} {self.region.region}: {side(0)}; {side(1)}"


VERDICTS = ("agree", "tie", "disagree")


def orders(regions: Sequence[Predicted], rounds: Sequence[Rounds]) -> list[Order]:
    """The order of each region of which at least two ways were measured."""
    return [found for region in regions if (found := _order(region, rounds)) is not None]


def _order(region: Predicted, rounds: Sequence[Rounds]) -> Order | None:
    of = [{name: statistics.mean(times) for name, times in r[region.signature].items()} for r in rounds if region.signature in r]
    names = [n for n in region.seconds if of and all(n in times for times in of)]
    if len(names) < 2:
        return None
    mean = {n: statistics.mean(times[n] for times in of) for n in names}
    first, second = sorted(names, key=mean.__getitem__)[:2]
    close = mean[second] - mean[first] < NOISE * mean[first] or any(times[first] >= times[second] for times in of)
    told = region.seconds[first], region.seconds[second]
    agrees = told[0] is not None and told[1] is not None and told[0] < told[1]
    lost = mean[names[0]] / mean[first] - 1
    return Order(region, (first, second), (mean[first], mean[second]), told, "tie" if close else "agree" if agrees else "disagree", lost)


def report(found: Mapping[str, Sequence[Order]], verbose: bool = False) -> str:
    """Lines for people: what differs from the prediction, counts and shares per network and of all."""
    lines: list[str] = []
    for network, judged in found.items():
        shown = [o for o in judged if verbose or o.verdict == "disagree"]
        lines += [f"{network}: {len(judged)} heavy regions with several ways", *(f"  {o}" for o in shown)]
    every = [o for judged in found.values() for o in judged]
    lines += [f"{network:16} {_counts(judged)}" for network, judged in [*found.items(), ("all", every)]]
    return "\n".join(lines)


def _counts(judged: Sequence[Order]) -> str:
    count = Counter(o.verdict for o in judged)
    decided = count["agree"] + count["disagree"]
    ratios = [o.measured[0] / o.predicted[0] for o in judged if o.predicted[0]]
    missing = len(judged) - len(ratios)
    return (
        f"{count['agree']} agree, {count['disagree']} disagree ({share(count['agree'], decided)} of those that differ, "
        f"{share(count['agree'] + count['tie'], len(judged))} with {count['tie']} ties); measured over predicted {_spread(ratios)}"
        + (f"; {missing} without prediction" if missing else "")
        + f"; the model's choice takes {100 * _lost(judged):.1f} % longer than the fastest"
    )


def share(part: int, whole: int) -> str:
    """``85 %``."""
    return f"{100 * part / whole:.0f} %" if whole else "none"


def _spread(ratios: Sequence[float]) -> str:
    """The median, and between which values four of five lie."""
    if len(ratios) < 2:
        return "unknown"
    low, *_, high = statistics.quantiles(ratios, n=10)
    return f"{statistics.median(ratios):.2f} ({low:.2f} to {high:.2f})"


def _lost(judged: Sequence[Order]) -> float:
    """Relative to the time of all regions."""
    total = math.fsum(o.measured[0] for o in judged)
    return math.fsum(o.lost * o.measured[0] for o in judged) / total if total else 0.0
