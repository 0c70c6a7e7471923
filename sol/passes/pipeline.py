"""The order of the passes; each line says why it stands where it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sol.ir.builder import graph_of
from sol.ir.graph import Graph, Node
from sol.ir.ops.control import CONTROL
from sol.ir.types import HOST
from sol.passes.assign_layout import assign_layout
from sol.passes.assign_spaces import assign_spaces
from sol.passes.canonicalize_activations import canonicalize_activations
from sol.passes.canonicalize_attention import canonicalize_attention
from sol.passes.canonicalize_norms import canonicalize_norms
from sol.passes.canonicalize_ops import canonicalize_ops
from sol.passes.canonicalize_products import canonicalize_products
from sol.passes.canonicalize_types import canonicalize_types
from sol.passes.choices import Choose, first
from sol.passes.divide_scales import divide_scales
from sol.passes.eliminate_common_subexpressions import eliminate_common_subexpressions
from sol.passes.find_integer_products import find_integer_products
from sol.passes.find_weight_only_products import find_weight_only_products
from sol.passes.flatten_convolutions import flatten_convolutions
from sol.passes.flatten_volumes import flatten_volumes
from sol.passes.fold_batchnorm import fold_batchnorm
from sol.passes.fold_channel_permutations import fold_channel_permutations
from sol.passes.fold_constants import fold_constants
from sol.passes.fold_pool_casts import fold_pool_casts
from sol.passes.fold_quantization import fold_quantization
from sol.passes.fold_requantization import fold_requantization
from sol.passes.fold_stem_strides import fold_stem_strides
from sol.passes.fuse_regions import fuse_regions
from sol.passes.materialize_views import materialize_views
from sol.passes.merge_branches import merge_branches
from sol.passes.merge_channel_moves import merge_channel_moves
from sol.passes.merge_parts import merge_parts
from sol.passes.merge_row_moves import merge_row_moves
from sol.passes.merge_takes import merge_takes
from sol.passes.place_concats import place_concats
from sol.passes.place_results import place_results
from sol.passes.read_channels_last import read_channels_last
from sol.passes.remove_empty import remove_empty
from sol.passes.remove_identities import remove_identities
from sol.passes.repeat_late import repeat_late
from sol.passes.repeat_reads import repeat_reads
from sol.passes.sizes import TargetLike
from sol.passes.turn_bytes import turn_bytes
from sol.passes.turn_channels_last import turn_channels_last
from sol.passes.turn_transposed import turn_transposed

Pass = Callable[[Graph], Graph]


def passes(target: TargetLike, choose: Choose = first) -> tuple[tuple[str, Pass], ...]:
    """Name and function of every pass, in order. target: what they make the graph for. choose: who decides what was measured."""
    lanes, sizes = target.lanes, target.machine.graph
    return (
        ("remove_empty", remove_empty),  # first: no other pass knows sizes of 0
        # before the rules, which know the kernels of float32
        ("canonicalize_types", lambda graph: canonicalize_types(graph, lanes, target.matrix_tiles, target.multiplies_pairs)),
        ("fold_quantization", fold_quantization),  # before constants are folded: literals would hide which weights are bytes
        ("find_integer_products", find_integer_products),  # after what stood between bytes and products is gone
        # after products of which both sides are bytes
        ("find_weight_only_products", lambda graph: find_weight_only_products(graph, sizes)),
        ("divide_scales", divide_scales),  # after products have scales
        ("fold_constants", fold_constants),  # before the rules, which look for literals
        ("fold_requantization", fold_requantization),  # after folding: zero points are literals then; after what looks for bytes
        ("remove_identities", remove_identities),  # before folding: a dropout between conv and norm must not hide the pair
        ("canonicalize_ops", canonicalize_ops),  # before folding: explicit padding becomes part of the convolution
        ("canonicalize_activations", canonicalize_activations),  # after powers became products, which these rules take apart
        ("canonicalize_products", canonicalize_products),  # before batch norms are folded into linear layers
        ("canonicalize_norms", canonicalize_norms),
        ("canonicalize_attention", canonicalize_attention),  # after products with weights are told from those of attention
        ("turn_bytes", turn_bytes),  # after folding: zero points are literals then; before layout
        # after norms and products are known; before batch norms are folded, which also come behind what becomes a convolution
        ("turn_channels_last", lambda graph: turn_channels_last(graph, lanes)),
        ("turn_transposed", lambda graph: turn_transposed(graph, lanes)),  # before batch norms are folded into convolutions
        ("fold_batchnorm", fold_batchnorm),  # before layout: weights are still OIHW, bias a plain vector
        ("merge_branches", merge_branches),  # after folding: norms of the input are products and sums then; before layout
        ("merge_parts", merge_parts),  # after folding: which part of a sum is not zero is a literal then
        ("merge_takes", merge_takes),  # after folding: places are literals then
        ("merge_row_moves", merge_row_moves),  # after takes became picks
        # after folding; before sequences, and volumes whose filters have one row and column, are flattened
        ("flatten_volumes", lambda graph: flatten_volumes(graph, lanes, sizes)),
        ("flatten_convolutions", lambda graph: flatten_convolutions(graph, lanes, sizes)),  # after folding, before what is made for images
        ("merge_channel_moves", merge_channel_moves),  # before layout: shuffles are still reshape and permute
        ("eliminate_common_subexpressions", eliminate_common_subexpressions),  # after the rules: they make equal scales and reshapes
        ("fold_channel_permutations", lambda graph: fold_channel_permutations(graph, lanes)),  # before layout: weights are still OIHW
        ("fold_stem_strides", lambda graph: fold_stem_strides(graph, lanes)),  # before layout: the input is plain, weights are OIHW
        # before fusion: a reorder between two ops would split a region
        ("assign_layout", lambda graph: assign_layout(graph, lanes, target.blocks_bytes)),
        ("read_channels_last", read_channels_last),  # after layout: reorders tell which images lie in blocks
        ("fold_pool_casts", fold_pool_casts),  # after layout: kernels of row-major maps read float32
        ("repeat_reads", repeat_reads),  # after layout: images that were kept in blocks are known; before loops are fused
        ("repeat_late", repeat_late),  # after equal values were merged; before loops are fused, each with what it reads
        ("materialize_views", materialize_views),  # after layout: reorders decide which views exist
        ("fuse_regions", lambda graph: fuse_regions(graph, sizes, choose, target.multiplies_pairs or target.matrix_tiles)),
        ("place_concats", place_concats),  # after fusion: only a region can write in place
        ("place_results", place_results),  # last: regions and views are known
    )


FOR_CPUS = (
    "turn_bytes", "turn_channels_last", "turn_transposed", "merge_parts", "merge_takes", "merge_row_moves", "flatten_volumes",
    "flatten_convolutions", "merge_channel_moves", "fold_channel_permutations", "fold_stem_strides", "assign_layout", "read_channels_last",
    "fold_pool_casts", "repeat_reads", "repeat_late", "materialize_views", "fuse_regions", "place_concats", "place_results",
)  # fmt: skip
"""Passes that choose layouts and regions for kernels of CPUs, or rewrite ops for them."""


def run_plain_passes(graph: Graph, target: TargetLike) -> Graph:
    """The graph after the passes that hold for any machine: row-major, one node an op."""
    for name, function in passes(target):
        graph = graph if name in FOR_CPUS else on_bodies(graph, function)
    return graph


def run_passes(graph: Graph, target: TargetLike, choose: Choose = first) -> Iterator[tuple[str, Graph]]:
    """Yield the graph after each pass, with the pass's name."""
    for name, function in passes(target, choose):
        graph = on_bodies(graph, function)
        yield name, graph
    if target.space != HOST:
        graph = assign_spaces(graph, target.space)  # last, and once: bodies of control flow have no edges of their own
        yield "assign_spaces", graph


def on_bodies(graph: Graph, function: Pass) -> Graph:
    """A pass applied to a graph and to the bodies of its control flow."""
    graph = function(graph)
    if not any(n.op in CONTROL for n in graph.nodes):
        return graph
    return graph_of([_with_bodies(n, function) if n.op in CONTROL else n for n in graph.nodes], graph.inputs, graph.outputs)


def _with_bodies(node: Node, function: Pass) -> Node:
    bodies = {k: on_bodies(v, function) for k, v in node.attrs.items() if isinstance(v, Graph)}
    return replace(node, attrs=node.attrs.having(**bodies))
