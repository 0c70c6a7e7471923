"""ONNX operators with subgraphs: If, Loop and Scan, whose bodies become graphs that run as branches and loops in C.

A loop over sequences, or whose state changes its shape from round to round, is unrolled where the number of rounds is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import GraphProto

from sol.errors import SolError, UnsupportedError
from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.builder import graph_of
from sol.ir.data_sizes import definitions
from sol.ir.dim import Dim, DimLike, dim_text, symbols, undecided
from sol.ir.graph import Graph, Node
from sol.ir.ops.control import FLAG, MOST_ROUNDS, ROUND
from sol.ir.rewrite import with_outputs
from sol.ir.types import DType, TensorType

MOST_UNROLLED = 1024
MOST_STACKED = 2**31
"""Rounds beyond which a loop counts as not bounded."""


@dataclass(frozen=True)
class _Body:
    """A subgraph as a graph. captured: values of the graph around it that its last inputs stand for."""

    graph: Graph
    captured: tuple[str, ...]

    def types(self, first: int = 0) -> tuple[TensorType, ...]:
        """Types of the outputs from the first one on."""
        return tuple(self.graph.type_of(o) for o in self.graph.outputs[first:])

    def decided_inside(self) -> tuple[str, ...]:
        """Sizes of outputs that the body's own data decides: nobody outside can know them."""
        own = definitions(self.graph)
        return tuple(dict.fromkeys(s.name for t in self.types() for d in t.shape for s in symbols(d) if s.name in own))


def _separate(ctx: Context, proto: GraphProto, types: Sequence[TensorType]) -> _Body:
    graph, captured, _ = ctx.importer.separate(ctx, proto, types)
    body = _Body(graph, captured)
    if body.decided_inside():
        ctx.fail("a result of its body has a size that data inside of the body decides", "compute that result outside of the body")
    return body


def _with_inputs(graph: Graph, inputs: Sequence[tuple[str, TensorType]]) -> Graph:
    """The graph with these inputs in this order; those that it has not are added and not read."""
    known = {n.name for n in graph.nodes if n.op == "input"}
    added = tuple(Node(name, "input", (), (type_,)) for name, type_ in inputs if name not in known)
    return graph_of((*added, *graph.nodes), [name for name, _ in inputs], graph.outputs)


def _fresh(graph: Graph, hint: str) -> str:
    taken = {n.name for n in graph.nodes}
    return next(name for name in (hint, *(f"{hint}_{i}" for i in range(len(taken) + 1))) if name not in taken)


# If


BRANCHES = ("then_branch", "else_branch")
FEW = 16
"""Elements of an input up to which the model may be compiled for each of its contents, to know a condition."""


@converter("If")
def if_(ctx: Context, node: OnnxNode) -> tuple[Any, ...]:
    """The branch that a known condition takes; else both in C.

    A branch that does not fit the types of this call is an error only if it is taken. So where one does not, or where both give different
    kinds of results, the model is compiled for the condition's value if a few numbers of the inputs decide it; else for the branch that
    fits, with a check of the condition at every call.
    """
    condition = node.inputs[0]
    sizes = ctx.sizes(condition)
    known = sizes.astype(bool) if sizes is not None else ctx.known(condition)
    if known is None:
        bodies = {key: _attempted(ctx, node.attrs[key]) for key in BRANCHES}
        found = _both(ctx, condition, bodies)
        if found is not None:
            return found
        unfit = {key: body for key, body in bodies.items() if isinstance(body, SolError)}
        if unfit and not ctx.decided_by_few(condition, FEW):
            return _fitting(ctx, node, condition, unfit)
        known = ctx.need(condition, "the condition of If, whose branches give different kinds of results,")
    return ctx.graph(node.attrs[BRANCHES[not known.reshape(-1)[0]]])


def _attempted(ctx: Context, proto: GraphProto) -> _Body | SolError:
    """A branch as a graph of its own, or why it is none."""
    try:
        return _separate(ctx, proto, ())
    except SolError as error:
        if undecided(error) is not None:
            raise  # the model is imported for a range of sizes
        return error


def _fitting(ctx: Context, node: OnnxNode, condition: str, unfit: Mapping[str, SolError]) -> tuple[Any, ...]:
    """The branch that fits, and a check that the other is not taken; an error if there is none, or nobody to make the check."""
    key, error = next(iter(unfit.items()))
    misfit = UnsupportedError(
        f"the {key} of {ctx.describe()} does not fit these inputs: {error.message}", origin=error.origin or node.name,
        remedy="give inputs for which it is not taken, or check the model",
    )  # fmt: skip
    if len(unfit) == 2 or not ctx.importer.guarded or ctx.outer is not None:
        raise misfit from error
    ctx.importer.guard(condition, key == "else_branch", misfit)
    return ctx.graph(node.attrs[BRANCHES[key == "then_branch"]])


def _both(ctx: Context, condition: str, found_bodies: Mapping[str, _Body | SolError]) -> tuple[Any, ...] | None:
    """Both branches in C; None if one is no graph, or they give results of different types."""
    then_body, else_body = found_bodies.values()
    if isinstance(then_body, SolError) or isinstance(else_body, SolError) or then_body.types() != else_body.types():
        return None
    captured = tuple(dict.fromkeys((*then_body.captured, *else_body.captured)))
    bodies = {}
    for key, body in (("then_body", then_body), ("else_body", else_body)):
        own = dict(zip(body.captured, body.graph.inputs))
        names = {v: own.get(v) or _fresh(body.graph, f"unread_{i}") for i, v in enumerate(captured)}
        bodies[key] = _with_inputs(body.graph, [(names[v], ctx.type(v)) for v in captured])
    flag = ctx.reshape(condition, ())
    found = ctx.add("if", flag, *captured, **bodies)
    return found if isinstance(found, tuple) else (found,)


# Loop


@converter("Loop")
def loop(ctx: Context, node: OnnxNode) -> tuple[Any, ...]:
    proto: GraphProto = node.attrs["body"]
    limit, condition, state = node.input(0), node.input(1), node.inputs[2:]
    if not all(isinstance(v, str) for v in state):
        return _unrolled(ctx, proto, limit, condition, state, "it carries sequences or optionals from round to round")
    types = [ctx.type(v) for v in state]
    try:
        body = _separate(ctx, proto, [ROUND, FLAG, *types])
    except UnsupportedError as error:
        return _unrolled(ctx, proto, limit, condition, state, f"its body is not compiled ({error.message})")
    if list(body.types(1)[: len(state)]) != types:
        return _unrolled(ctx, proto, limit, condition, state, "what it carries from round to round changes its type")
    return _rolled(ctx, proto, body, limit, condition, state)


def _rolled(ctx: Context, proto: GraphProto, body: _Body, limit: Any, condition: Any, state: Sequence[str]) -> tuple[Any, ...]:
    """The loop in C."""
    graph = body.graph
    round_, flag = graph.inputs[:2]
    conditional = not (graph.outputs[0] == flag or _is_true(graph, graph.outputs[0]))
    if not conditional:
        graph = with_outputs(graph, graph.outputs[1:])
    stacked = len(proto.output) - 1 - len(state)
    rounds = _rounds(ctx, limit)
    if stacked and rounds is None:
        _needs_limit(ctx, limit)
    known = True if condition is None else ctx.known(condition)
    starts = known is not None and bool(np.all(known))
    exact = rounds is not None and starts and not conditional
    symbol = ctx.builder.data_size(rounds) if stacked and not exact and rounds is not None else None
    operands = [
        ctx.constant(MOST_ROUNDS, DType.I64) if limit is None else ctx.cast(ctx.reshape(limit, ()), DType.I64),
        ctx.constant(True, DType.BOOL) if condition is None else ctx.reshape(condition, ()),
        *state,
        *body.captured,
    ]
    trips = rounds if exact or symbol is not None else None
    if not graph.outputs:
        return ()
    found = ctx.add("loop", *operands, body=graph, carried=len(state), trips=trips, symbol=symbol, conditional=conditional)
    results = found if isinstance(found, tuple) else (found,)
    return results[: len(state) + stacked]


def _is_true(graph: Graph, value: str) -> bool:
    node = graph.producer(value)
    return node.op == "constant" and bool(np.all(node.attrs["value"].value))


def _rounds(ctx: Context, limit: Any) -> DimLike | None:
    """The most rounds, if they are known or a size, and not just very many."""
    found = None if limit is None else ctx.sizes(limit)
    if found is None:
        return None
    number = found.reshape(-1)[0]
    if isinstance(number, Dim):
        return number
    return max(int(number), 0) if int(number) <= MOST_STACKED else None


def _needs_limit(ctx: Context, limit: Any) -> None:
    """Fail, or ask for the limit's content, because it bounds the size of results."""
    if limit is not None and ctx.known(limit) is None:
        ctx.need(limit, "the most rounds of Loop (M), whose results are stacked,")
    ctx.fail("nothing bounds the number of rounds whose results are stacked", "give Loop a maximum trip count M that the results fit in")


def _unrolled(ctx: Context, proto: GraphProto, limit: Any, condition: Any, state: Sequence[Any], reason: str) -> tuple[Any, ...]:
    """The rounds one after the other; what they do must be known at import."""
    why = f"of Loop, which is unrolled because {reason},"
    rounds = MOST_ROUNDS if limit is None else int(ctx.need(limit, f"the number of rounds {why}").reshape(-1)[0])
    going = condition is None or bool(np.all(ctx.need(condition, f"the condition {why}")))
    stacks: list[list[Any]] = [[] for _ in proto.output[1 + len(state) :]]
    state, count = tuple(state), 0
    while count < rounds and going:
        if count == MOST_UNROLLED:
            ctx.fail(f"it has more than {MOST_UNROLLED} rounds and must be unrolled because {reason}", "carry tensors of fixed shape")
        inputs = (ctx.constant(count, DType.I64), ctx.constant(True, DType.BOOL), *state)
        found = ctx.graph(proto, inputs)
        flag = ctx.known(found[0])
        if flag is None:
            ctx.fail(f"it must be unrolled because {reason}, but data says how often it runs", "carry tensors of fixed shape")
        going = bool(np.all(flag))
        state = found[1 : 1 + len(state)]
        for stack, value in zip(stacks, found[1 + len(state) :]):
            stack.append(value)
        count += 1
    return (*state, *(_stacked(ctx, s, len(state) + k) for k, s in enumerate(stacks)))


def _stacked(ctx: Context, values: Sequence[str], index: int) -> str:
    """Values of one shape along a new first dimension."""
    if values:
        if any(ctx.size(v) != ctx.size(values[0]) for v in values):
            sizes = ", ".join(str([dim_text(d) for d in ctx.size(v)]) for v in values[:3])
            ctx.fail(f"results of its rounds have different shapes ({sizes}, …) and cannot be stacked")
        return ctx.concat([ctx.reshape(v, (1, *ctx.size(v))) for v in values], 0)
    stated = ctx.result(index)
    if stated is None or any(isinstance(d, Dim) for d in stated.shape[1:]):
        ctx.fail("it has no round, and nothing states the shape of its stacked results", "run onnx.shape_inference on the model")
    return ctx.builder.constant(np.zeros((0, *stated.shape[1:]), stated.dtype.numpy), stated.dtype)  # type: ignore[arg-type]


# Scan


@converter("Scan", since=9)
def scan(ctx: Context, node: OnnxNode) -> tuple[Any, ...]:
    proto: GraphProto = node.attrs["body"]
    scanned = int(node.attrs["num_scan_inputs"])
    states = len(node.inputs) - scanned
    stacked = len(proto.output) - states
    axes, backward = _list(node, "scan_input_axes", scanned), _list(node, "scan_input_directions", scanned)
    sequences = [_first(ctx, v, axis, bool(back)) for v, axis, back in zip(node.inputs[states:], axes, backward)]
    found = _scanned(ctx, proto, list(node.inputs[:states]), sequences)
    out_axes, out_backward = _list(node, "scan_output_axes", stacked), _list(node, "scan_output_directions", stacked)
    results = [_placed(ctx, v, axis, bool(back)) for v, axis, back in zip(found[states:], out_axes, out_backward)]
    return (*found[:states], *results)


def _list(node: OnnxNode, name: str, count: int) -> tuple[int, ...]:
    return tuple(node.attr(name) or (0,) * count)


def _first(ctx: Context, value: str, axis: int, backward: bool) -> str:
    """The value with an axis moved to the front, perhaps in reverse."""
    axis = ctx.axis(axis, ctx.rank(value))
    value = ctx.permute(value, (axis, *(i for i in range(ctx.rank(value)) if i != axis)))
    return ctx.add("flip", value, dims=(0,)) if backward else value


def _placed(ctx: Context, value: str, axis: int, backward: bool) -> str:
    """The value with its first axis moved to a place, perhaps in reverse."""
    axis = ctx.axis(axis, ctx.rank(value))
    if backward:
        value = ctx.add("flip", value, dims=(0,))
    return ctx.permute(value, (*range(1, axis + 1), 0, *range(axis + 1, ctx.rank(value))))


def _scanned(ctx: Context, proto: GraphProto, states: list[str], sequences: list[str]) -> tuple[str, ...]:
    """States after, and stacked results of, one round per element along the first axes."""
    rounds = ctx.size(sequences[0])[0]
    for value in sequences[1:]:
        if ctx.size(value)[0] != rounds:
            ctx.fail(f"its inputs have {dim_text(rounds)} and {dim_text(ctx.size(value)[0])} elements to scan")
    slices = [TensorType(ctx.type(v).dtype, ctx.size(v)[1:]) for v in sequences]
    types = [ctx.type(v) for v in states]
    body = _separate(ctx, proto, [*types, *slices])
    after = body.types()[: len(states)]
    if list(after) != types:
        changed = next((a, b) for a, b in zip(types, after) if a != b)
        ctx.fail(f"a state is {changed[0]} before a round and {changed[1]} after it", "give it a fixed shape")
    graph = body.graph
    added = [(_fresh(graph, "round"), ROUND), (_fresh(graph, "flag"), FLAG)]
    graph = _with_inputs(graph, [*added, *((name, graph.type_of(name)) for name in graph.inputs)])
    limit = ctx.vector((rounds,))
    operands = [ctx.reshape(limit, ()), ctx.constant(True, DType.BOOL), *states, *sequences, *body.captured]
    found = ctx.add("loop", *operands, body=graph, carried=len(states), scanned=len(sequences), trips=rounds)
    return found if isinstance(found, tuple) else (found,)


@converter("Scan", since=8)
def scan_of_batches(ctx: Context, node: OnnxNode) -> tuple[Any, ...]:
    """Opset 8: every example of a batch is scanned on its own."""
    if node.input(0) is not None:
        ctx.fail("sequences of different lengths (sequence_lens) are not supported", "mask the sequences, or use Scan of opset 9")
    proto: GraphProto = node.attrs["body"]
    values = [v for v in node.inputs[1:] if isinstance(v, str)]
    scanned = int(node.attrs["num_scan_inputs"])
    states = len(values) - scanned
    (batch,) = ctx.fixed(ctx.size(values[0])[:1], "the batch of Scan")
    if not 0 < batch <= MOST_UNROLLED:
        raise SolError(f"Scan of opset 8 over a batch of {batch}", origin=node.name, remedy="convert the model to opset 9 or newer")
    backward = _list(node, "directions", scanned)
    columns: list[list[str]] = []
    for b in range(batch):
        example = [ctx.reshape(ctx.slice(v, 0, b, b + 1), ctx.size(v)[1:]) for v in values]
        sequences = [_first(ctx, v, 0, bool(back)) for v, back in zip(example[states:], backward)]
        columns.append(list(_scanned(ctx, proto, example[:states], sequences)))
    return tuple(_stacked(ctx, list(parts), k) for k, parts in enumerate(zip(*columns)))
