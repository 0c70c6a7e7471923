"""Which kernel serves a region: one table of candidates per anchor, first match wins, the last one always works."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from sol.codegen.lowering import Candidate, Lowering
from sol.errors import UnsupportedError

FAMILIES = {
    "conv": "conv", "conv_chain": "conv_chain", "conv_transpose": "conv",
    "linear": "matmul", "matmul": "matmul",
    "sdpa": "attention",
    "max_pool": "pool", "avg_pool": "pool", "adaptive_avg_pool": "pool", "adaptive_max_pool": "pool",
    "lstm_scan": "recurrent", "gru_scan": "recurrent", "rnn_scan": "recurrent",
}  # fmt: skip
"""Anchor op → the module of this package that serves it."""


@cache
def candidates(anchor: str) -> tuple[Candidate, ...]:
    """Kernels for an anchor, fastest first."""
    if anchor not in FAMILIES:
        return ()
    return import_module(f"sol.codegen.kernels.{FAMILIES[anchor]}").KERNELS[anchor]


def lower_region(lowering: Lowering) -> None:
    """Fill ``lowering.launches`` with the kernels of one region."""
    region = lowering.region
    anchor = region.attrs["anchor"]
    if not anchor:
        from sol.codegen.kernels import dfp

        dfp.lower_dfp(lowering)
        return
    for candidate in candidates(anchor):
        if candidate.when(lowering):
            candidate.lower(lowering)
            return
    raise UnsupportedError(f"no kernel for {anchor} in region {region.name}", origin=str(region.origin))
