"""Which kernel serves a region: one table of candidates per anchor, first match wins, the last one always works.

Where a measurement may overrule the model (sol/tuning/tuner.py), every other candidate that is possible is an alternative, and so are the
candidates' variants: whoever adds a candidate to a table need do nothing for that.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from sol.codegen.lowering import Candidate, KernelLibrary, Lowering
from sol.codegen.signature import signature
from sol.errors import UnsupportedError
from sol.passes.choices import Choose, first

FAMILIES = {
    "conv": "conv", "conv_chain": "conv_chain", "conv_transpose": "conv",
    "linear": "matmul", "matmul": "matmul", "grouped_matmul": "matmul_grouped",
    "int_linear": "matmul_int", "int_matmul": "matmul_int", "int_conv": "conv_int",
    "sdpa": "attention",
    "max_pool": "pool_bytes", "avg_pool": "pool", "adaptive_avg_pool": "pool", "adaptive_max_pool": "pool",
    "lstm_scan": "recurrent", "gru_scan": "recurrent", "rnn_scan": "recurrent",
    "recurrence": "recurrent_plain", "argmax_pool": "pool_argmax", "det": "matmul_det",
    "grid_sample": "image", "roi_align": "image", "deform_columns": "image",
    "sort": "sort", "topk": "sort", "order_statistic": "sort", "mode": "sort", "running_extremum": "sort", "searchsorted": "sort",
    "bags": "bags",
    "nonzero": "select", "unique": "select", "nms": "select",
}  # fmt: skip
"""Anchor op → the module of this package that serves it."""


@cache
def candidates(anchor: str) -> tuple[Candidate, ...]:
    """Kernels for an anchor, fastest first."""
    if anchor not in FAMILIES:
        return ()
    return import_module(f"sol.codegen.kernels.{FAMILIES[anchor]}").KERNELS[anchor]


def lower_region(lowering: Lowering, choose: Choose = first) -> None:
    """Fill ``lowering.launches`` with the kernels of one region: the model's choice, or the alternative that ``choose`` picks."""
    if not lowering.region.attrs["anchor"]:
        from sol.codegen.kernels import dfp

        dfp.lower_dfp(lowering)
        return
    if choose is not first:
        options = alternatives(lowering)
        if len(options) > 1:
            lower_alternative(lowering, choose(signature(lowering), options, [n.name for n in lowering.body.nodes]))
            return
    _preferred(lowering).lower(lowering)


def _preferred(lowering: Lowering) -> Candidate:
    region = lowering.region
    anchor = region.attrs["anchor"]
    for candidate in candidates(anchor):
        if candidate.when(lowering):
            return candidate
    raise UnsupportedError(
        f"no kernel for {anchor} in region {region.name}",
        origin=str(region.origin),
        remedy="report this: the last candidate of every table must serve all regions",
    )


TUNED = ("conv", "conv_chain")
"""Anchors whose candidates differ by more than what they take."""


def alternatives(lowering: Lowering) -> tuple[str, ...]:
    """Names of all ways to serve a region: ``candidate`` or ``candidate/variant``, the model's choice first, then by promise: a variant
    of it, the other candidates, and in turn what is left.

    Some may turn out not to be possible (UnsupportedError when lowered) or the same as another.
    """
    anchor = lowering.region.attrs["anchor"]
    if anchor not in TUNED:
        return ()
    lowering = Lowering(lowering.region, lowering.placement, KernelLibrary(), lowering.target)  # who looks at a constant packs it
    preferred = _preferred(lowering)
    possible = [preferred, *(c for c in candidates(anchor) if c is not preferred and c.is_possible(lowering))]
    ways = [[c.name, *(f"{c.name}/{v}" for v in (c.variants(lowering) if c.variants else ()))] for c in possible]
    longest = max(map(len, ways))
    early = [*ways[0][:2], *(names[0] for names in ways[1:])]
    return tuple(dict.fromkeys([*early, *(names[i] for i in range(1, longest) for names in ways if i < len(names))]))


def lower_alternative(lowering: Lowering, name: str) -> None:
    """Fill ``lowering.launches`` with the kernels of one of ``alternatives``."""
    wanted, _, lowering.variant = name.partition("/")
    candidate = next(c for c in candidates(lowering.region.attrs["anchor"]) if c.name == wanted)
    candidate.lower(lowering)
