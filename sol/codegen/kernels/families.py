"""Which kernel serves a region: one table of candidates per anchor, and the one selector that asks them.

The first candidate that pays wins, or the cheapest where costs are known; the last one of a table computes the anchor alone in any case,
and what no candidate takes as a whole is taken apart (sol/codegen/defuse.py). Where a measurement may
overrule the model (sol/tuning/tuner.py), every other candidate that is possible is an alternative, and so are the candidates' variants:
whoever adds a candidate to a table need do nothing for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from itertools import islice

from sol.codegen.decision import Candidate, Decision
from sol.codegen.lowering import Lowering
from sol.codegen.signature import signature
from sol.errors import SolError, UnsupportedError
from sol.ir.graph import Node
from sol.passes.choices import Choose, first

FAMILIES = {
    "": "dfp",
    "conv": "conv", "conv_chain": "conv_chain", "conv_transpose": "conv", "conv_weight_grad": "conv_weight",
    "linear": "matmul", "matmul": "matmul", "grouped_matmul": "matmul_grouped", "grouped_matmul_grad": "matmul_grouped_grad",
    "weight_only_linear": "matmul_weight_only", "int_linear": "matmul_int", "int_matmul": "matmul_int", "int_conv": "conv_int",
    "sdpa": "attention", "sdpa_grad": "attention_grad", "sdpa_dropped": "attention", "sdpa_dropped_grad": "attention_grad",
    "max_pool": "pool_bytes", "avg_pool": "pool", "adaptive_avg_pool": "pool", "adaptive_max_pool": "pool",
    "lstm_scan": "recurrent", "gru_scan": "recurrent", "rnn_scan": "recurrent",
    "lstm_scan_grad": "recurrent_grad", "gru_scan_grad": "recurrent_grad", "rnn_scan_grad": "recurrent_grad",
    "recurrence": "recurrent_plain", "argmax_pool": "pool_argmax",
    "max_pool_taps": "pool_grad", "max_pool_taps_grad": "pool_grad", "max_pool_grad": "pool_grad",
    "avg_pool_grad": "pool_grad", "adaptive_avg_pool_grad": "pool_grad",
    "det": "matmul_det", "solve_triangular": "matmul_solve",
    "resample": "resample", "grid_sample": "image", "roi_align": "image", "deform_columns": "image",
    "sort": "sort", "topk": "sort", "order_statistic": "sort", "mode": "sort", "running_extremum": "sort", "searchsorted": "sort",
    "bags": "bags", "custom": "custom",
    "nonzero": "select", "unique": "select", "nms": "select",
}  # fmt: skip
"""Anchor op, "" for regions without one → the module of this package that serves it."""


@cache
def candidates(anchor: str) -> tuple[Candidate, ...]:
    """Kernels for an anchor, fastest first."""
    if anchor not in FAMILIES:
        return ()
    return tuple(import_module(f"sol.codegen.kernels.{FAMILIES[anchor]}").KERNELS[anchor])


def lower_region(lowering: Lowering, choose: Choose = first) -> None:
    """Fill ``lowering.launches`` with the kernels of one region: the model's choice, or the alternative that ``choose`` picks."""
    if choose is not first:
        options = {d.name: d for d in alternatives(lowering)}
        if len(options) > 1:
            lower_decision(lowering, options[choose(signature(lowering), tuple(options), [n.name for n in lowering.body.nodes])])
            return
    lower_decision(lowering, preferred(lowering))


def preferred(lowering: Lowering) -> Decision:
    """The model's choice: of what pays the first in the table, or a later one of which less time is predicted.

    Raises what the last candidate said against it if none takes the region.
    """
    best: Decision | None = None
    reason: SolError | None = None
    for candidate in _table(lowering):
        if best is not None and (best.seconds is None or candidate.cost is None or not candidate.ranked):
            continue
        try:
            decision = candidate.choice(lowering)
        except SolError as error:
            reason = error
            continue
        if decision is not None and (best is None or _is_faster(decision, best)):
            best = decision
    best = best or _last_resort(lowering)
    if best is None:
        raise reason or _unserved(lowering.region)
    return best


def is_served(lowering: Lowering) -> bool:
    """Whether a kernel computes the region as it is."""
    return _last_resort(lowering) is not None


def _last_resort(lowering: Lowering) -> Decision | None:
    """What is possible, whether it pays or not: the last of the table, which asks for least."""
    return next((ways[0] for ways in (_offers(c.match, lowering, 1) for c in reversed(_table(lowering))) if ways), None)


def _offers(offer: Callable[[Lowering], Iterable[Decision]], lowering: Lowering, most: int | None = None) -> tuple[Decision, ...]:
    """What a candidate offers, at most so many; nothing where it says that it cannot."""
    try:
        return tuple(islice(offer(lowering), most))
    except SolError:
        return ()


def _unserved(region: Node) -> SolError:
    what = f"{region.attrs['anchor']} and what is fused to it" if region.attrs["anchor"] else "what is fused"
    return UnsupportedError(
        f"no kernel for {what} in region {region.name}",
        origin=str(region.origin),
        remedy="take it apart: sol.codegen.defuse.served does that for whole graphs",
    )


def _is_faster(decision: Decision, other: Decision) -> bool:
    return decision.seconds is not None and other.seconds is not None and decision.seconds < other.seconds


def _table(lowering: Lowering) -> tuple[Candidate, ...]:
    return candidates(lowering.region.attrs["anchor"])


FAR = 8.0
"""A way that is predicted to take so many times as long as the fastest is not measured."""


def alternatives(lowering: Lowering) -> tuple[Decision, ...]:
    """``decisions`` of a region with a heavy operation, between which a measurement may choose; none for a loop over memory."""
    found = decisions(lowering) if lowering.region.attrs["anchor"] else ()
    fastest = min((d.seconds for d in found if d.seconds is not None), default=0.0)
    return tuple(d for i, d in enumerate(found) if i == 0 or d.seconds is None or d.seconds <= FAR * fastest)


def decisions(lowering: Lowering) -> tuple[Decision, ...]:
    """All ways to serve a region, the model's choice first, then by promise: a variant of it, the other candidates, in turn what is left.

    Some may turn out not to be possible (UnsupportedError when lowered) or the same as another.
    """
    best = preferred(lowering)
    found = [_offers(candidate.decisions, lowering) for candidate in _table(lowering)]
    ways = sorted((ways for ways in found if ways), key=lambda ways: ways[0].candidate != best.candidate)
    longest = max(map(len, ways))
    early = [*ways[0][:2], *(decisions[0] for decisions in ways[1:])]
    ordered = [*early, *(decisions[i] for i in range(1, longest) for decisions in ways if i < len(decisions))]
    distinct: dict[str, Decision] = {}
    for decision in ordered:
        distinct.setdefault(decision.name, decision)
    return tuple(distinct.values())


def lowered_apart(lowering: Lowering, options: Iterable[Decision]) -> dict[str, Lowering]:
    """What each decision makes of a region, by name: of those that are possible, and only the first of several that are the same."""
    found: dict[str, Lowering] = {}
    for decision in options:
        one = Lowering(lowering.region, lowering.placement, lowering.library, lowering.target)
        try:
            lower_decision(one, decision)
        except SolError:
            continue
        if all(one.launches != other.launches for other in found.values()):
            found[decision.name] = one
    return found


def lower_decision(lowering: Lowering, decision: Decision) -> None:
    """Fill ``lowering.launches`` with the kernels of one of ``alternatives``."""
    candidate = next(c for c in _table(lowering) if c.name == decision.candidate)
    candidate.lower(lowering, decision.found)
