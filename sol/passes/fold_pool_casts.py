"""Poolings between casts read and write narrow elements themselves where their kernels do: maps in blocks stay narrow in memory."""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.lanes import NARROW_FLOATS
from sol.ir.rewrite import Editor, apply_rules, rule

POOLINGS = ("max_pool", "adaptive_max_pool", "avg_pool", "adaptive_avg_pool")


@rule("cast")
def pooling_of_narrow_blocks(g: Editor, node: Node) -> str | None:
    """cast(pool(cast(x))) -> pool(x) of blocked narrow floats x: its kernel adds up in float32 and rounds once, as the casts say"""
    pool = g.producer(node.inputs[0])
    if node.type.dtype not in NARROW_FLOATS or pool.op not in POOLINGS or g.sole_user(pool.name) is not node:
        return None
    cast = g.producer(pool.inputs[0], op="cast")
    if cast is None:
        return None
    x = g.type_of(cast.inputs[0])
    if x.dtype is not node.type.dtype or not x.layout.block or not x.layout == cast.type.layout == node.type.layout:
        return None
    return g.add(pool.op, [cast.inputs[0]], **pool.attrs, origin=node.origin)


def fold_pool_casts(graph: Graph) -> Graph:
    """The graph with these rewritten."""
    return apply_rules(graph, (pooling_of_narrow_blocks,))
