"""Kernels that draw random numbers."""

from __future__ import annotations

from sol.codegen.kernels.dfp_request import Request, request
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.graph import Node

FRESH = "random_fresh.c.j2"
"""The kernel whose numbers differ from call to call; the variable ``<its name>_calls`` counts them."""


def find_random(lowering: Lowering, node: Node, out: View) -> Request:
    """A seeded sequence by one thread, or numbers that differ from call to call."""
    seed, size = node.attrs["seed"], node.attrs["size"]
    params: dict[str, DimLike] = {"size": size, "step": out.strides[0]}
    params |= {"stream": node.attrs["stream"]} if seed is None else {"seed": seed}
    return request(
        FRESH if seed is None else "random_uniform.c.j2",
        "random_fresh" if seed is None else "random_uniform",
        reads={},
        writes={"out0": out},
        params=params,
        shared_scratch=8 if seed is None else 0,
        bytes=8 * size,
    )
