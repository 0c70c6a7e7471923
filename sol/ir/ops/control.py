"""Control flow: ops whose bodies are graphs that run under a condition or again and again.

Bodies read what they need through operands; parameters and literals they may have of their own. What a body gives has a fixed type, but
for the number of a loop's rounds: results that are stacked, one slice a round, may have a size that data decides (sol/ir/data_sizes.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sol.errors import SolError
from sol.ir.graph import Attrs, Graph
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_operands, need_shape
from sol.ir.types import DType, TensorType

Run = Callable[[Graph, Sequence[np.ndarray]], Sequence[np.ndarray]]
"""Evaluates a body for arrays as its inputs."""

CONTROL = ("if", "loop")
BODIES = ("body", "then_body", "else_body")
MOST_ROUNDS = 2**63 - 1
ROUND, FLAG = TensorType(DType.I64, ()), TensorType(DType.BOOL, ())


def _need_inputs(body: Graph, operands: Sequence[TensorType], what: str) -> None:
    need(len(body.inputs) == len(operands), f"{what} takes {len(body.inputs)} inputs, gets {len(operands)}")
    for given, name in zip(operands, body.inputs):
        need(given == body.type_of(name), f"input %{name} of {what} is {body.type_of(name)}, the operand is {given}")


def _need_flag(type_: TensorType, what: str) -> None:
    need(type_.dtype is DType.BOOL, f"{what} must be bool, got {type_}")
    need_shape(type_, (), what)


def _infer_if(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need(len(operands) > 0, "takes a condition")
    _need_flag(operands[0], "the condition")
    results = []
    for key in ("then_body", "else_body"):
        body = attrs[key]
        _need_inputs(body, operands[1:], key)
        results.append(tuple(body.type_of(o) for o in body.outputs))
    first, second = (", ".join(map(str, types)) for types in results)
    need(results[0] == results[1], f"the branches give {first} and {second}")
    need(len(results[0]) > 0, "the branches give nothing")
    return results[0]


def _infer_loop(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    body, carried, scanned = attrs["body"], attrs["carried"], attrs["scanned"]
    need_operands(operands, 2 + carried + scanned, len(operands))
    need(operands[0] == ROUND, f"the limit must be i64[], got {operands[0]}")
    _need_flag(operands[1], "the condition")
    slices = []
    for t in operands[2 + carried : 2 + carried + scanned]:
        need(t.rank > 0 and t.shape[0] == attrs["trips"], f"{t} is not scanned in {attrs['trips']} rounds")
        slices.append(TensorType(t.dtype, t.shape[1:]))
    state = operands[2 : 2 + carried]
    _need_inputs(body, (ROUND, FLAG, *state, *slices, *operands[2 + carried + scanned :]), "the body")
    types = [body.type_of(o) for o in body.outputs]
    if attrs["conditional"]:
        need(bool(types), "the body gives no condition")
        _need_flag(types.pop(0), "the condition that the body gives")
    for k, (before, after) in enumerate(zip(state, types)):
        need(before == after, f"state {k} is {before} before a round and {after} after it")
    need(len(types) >= carried, f"the body gives {len(types)} of {carried} states")
    stacked = types[carried:]
    rounds = attrs["trips"] if attrs["symbol"] is None else attrs["symbol"]
    need(attrs["symbol"] is None or attrs["trips"] is not None, "what the number of rounds cannot exceed is not given")
    need(not stacked or rounds is not None, "how often the body runs is not bounded, but its results are stacked")
    results = (*types[:carried], *(TensorType(t.dtype, (rounds, *t.shape)) for t in stacked))
    results = results if attrs["symbol"] is None else (*results, ROUND)
    need(len(results) > 0, "the loop gives nothing")
    return results


def _unreachable(attrs: Attrs, *operands: np.ndarray) -> tuple[np.ndarray, ...]:
    raise SolError("a body is evaluated by sol.ir.interpret, which knows its parameters")


@op("if", "control", _infer_if, then_body=REQUIRED, else_body=REQUIRED)
def if_(attrs: Attrs, *operands: np.ndarray) -> tuple[np.ndarray, ...]:
    """The results of ``then_body`` for the operands behind the condition if it holds, else those of ``else_body``."""
    return _unreachable(attrs, *operands)


@op("loop", "control", _infer_loop, body=REQUIRED, carried=0, scanned=0, trips=None, symbol=None, conditional=False)
def loop(attrs: Attrs, *operands: np.ndarray) -> tuple[np.ndarray, ...]:
    """Runs ``body`` for 0, 1, … while there are fewer rounds than ``limit`` and the condition holds.

    operands: (limit i64[], condition bool[], *carried, *scanned, *captured). The body takes (round i64[], condition bool[], *carried,
    *slices of the scanned, *captured) and gives (condition if ``conditional``, *carried, *slices of the stacked).
    Results: (*carried, *stacked, count if ``symbol``). trips: the number of rounds, with ``symbol`` what it cannot exceed, None if
    nobody knows. symbol: the size of the stacked results where data decides it.
    """
    return _unreachable(attrs, *operands)


def evaluate_if(attrs: Attrs, run: Run, operands: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The reference of ``if``."""
    return tuple(run(attrs["then_body"] if bool(operands[0]) else attrs["else_body"], operands[1:]))


def evaluate_loop(attrs: Attrs, run: Run, operands: Sequence[np.ndarray], empty: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The reference of ``loop``. empty: a slice of every stacked result, for loops without a round."""
    carried, scanned = attrs["carried"], attrs["scanned"]
    limit, going = int(operands[0]), bool(operands[1])
    state = list(operands[2 : 2 + carried])
    slices, captured = operands[2 + carried : 2 + carried + scanned], operands[2 + carried + scanned :]
    stacked: list[list[np.ndarray]] = [[] for _ in empty]
    count = 0
    while count < limit and going:
        flag, number = np.asarray(going), np.asarray(count, np.int64)
        found = list(run(attrs["body"], (number, flag, *state, *(s[count] for s in slices), *captured)))
        if attrs["conditional"]:
            going = bool(found.pop(0))
        state = found[:carried]
        for slot, value in zip(stacked, found[carried:]):
            slot.append(value)
        count += 1
    whole = [np.stack(s) if s else np.zeros((0, *e.shape), e.dtype) for s, e in zip(stacked, empty)]
    results = (*state, *whole)
    return results if attrs["symbol"] is None else (*results, np.asarray(count, np.int64))
