"""The order of the passes; each line says why it stands where it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sol.ir.graph import Graph
from sol.passes.assign_layout import assign_layout
from sol.passes.canonicalize_ops import canonicalize_ops
from sol.passes.eliminate_common_subexpressions import eliminate_common_subexpressions
from sol.passes.fold_batchnorm import fold_batchnorm
from sol.passes.fold_channel_permutations import fold_channel_permutations
from sol.passes.fold_constants import fold_constants
from sol.passes.fuse_regions import fuse_regions
from sol.passes.materialize_views import materialize_views
from sol.passes.merge_channel_moves import merge_channel_moves
from sol.passes.place_concats import place_concats
from sol.passes.remove_identities import remove_identities

Pass = Callable[[Graph], Graph]


def passes(lanes: int) -> tuple[tuple[str, Pass], ...]:
    """Name and function of every pass, in order. lanes: float32 lanes of the target's vectors."""
    return (
        ("fold_constants", fold_constants),  # first: the rules below look for literals
        ("remove_identities", remove_identities),  # before folding: a dropout between conv and norm must not hide the pair
        ("canonicalize_ops", canonicalize_ops),  # before folding: explicit padding becomes part of the convolution
        ("fold_batchnorm", fold_batchnorm),  # before layout: weights are still OIHW, bias a plain vector
        ("merge_channel_moves", merge_channel_moves),  # before layout: shuffles are still reshape and permute
        ("eliminate_common_subexpressions", eliminate_common_subexpressions),  # after the rules: they make equal scales and reshapes
        ("fold_channel_permutations", lambda graph: fold_channel_permutations(graph, lanes)),  # before layout: weights are still OIHW
        ("assign_layout", lambda graph: assign_layout(graph, lanes)),  # before fusion: a reorder between two ops would split a region
        ("materialize_views", materialize_views),  # after layout: reorders decide which views exist
        ("fuse_regions", fuse_regions),
        ("place_concats", place_concats),  # after fusion: only a region can write in place
    )


def run_passes(graph: Graph, lanes: int) -> Iterator[tuple[str, Graph]]:
    """Yield the graph after each pass, with the pass's name."""
    for name, function in passes(lanes):
        graph = function(graph)
        yield name, graph
