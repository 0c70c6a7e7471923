"""Keeps what AOTAutograd and the import made of a piece, forward and backward, for other processes that train the same piece.

Entries lie in the same owner-only, checksummed store as libraries and plans, as JSON. One that cannot be read is removed, and the piece is
traced as if there had been none.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import fx

from sol.build.cache import store
from sol.errors import SolError
from sol.frontend.imported import Imported
from sol.frontend.torch.imported_text import import_text, parse_import
from sol.runtime.torch.step_function import Tangent, Wrapping

log = logging.getLogger("sol.cache")
_FIELDS = {"wrapping", "forward", "backward", "memory"}


@dataclass(frozen=True)
class KeptGraph:
    """One of the two graphs.

    imported: the graph apart from the other one. shapes: of its inputs, those that are tensors. multiplied: inputs that products of
    matrices read, and nothing else but rows are taken of. parameters: inputs that are parameters of the program. kept: results that only
    the backward graph reads.
    """

    imported: Imported
    shapes: tuple[tuple[int, ...] | None, ...]
    multiplied: tuple[int, ...]
    parameters: tuple[int, ...]
    kept: tuple[int, ...]


@dataclass(frozen=True)
class KeptStep:
    """A piece's two graphs, and how calls map onto them. memory: bytes that both work in, about."""

    wrapping: Wrapping
    forward: KeptGraph
    backward: KeptGraph
    memory: int = 0


def shapes_of(module: fx.GraphModule) -> tuple[tuple[int, ...] | None, ...]:
    """Shapes of the inputs of a graph, None for those that are no tensors."""
    values = [n.meta.get("val") for n in module.graph.nodes if n.op == "placeholder"]
    return tuple([tuple(map(int, v.shape)) if isinstance(v, torch.Tensor) else None for v in values])


def keep_step(key: str, step: KeptStep) -> None:
    """Write a step, if it has a text and the disk takes it."""
    try:
        graphs = {name: _graph_record(getattr(step, name)) for name in ("forward", "backward")}
        store().put(key, json.dumps({"wrapping": asdict(step.wrapping), "memory": step.memory, **graphs}).encode())
    except (OSError, SolError) as error:
        log.info("a training step is not kept: %s", error)


def read_step(key: str, expect: Callable[[int], None] = lambda size: None) -> KeptStep | None:
    """The step of that key; None if there is none, or none that can be read. expect: is told how much memory it takes before it is read."""
    data = store().read(key)
    if data is None:
        return None
    try:
        return _step(data, expect)
    except Exception as error:  # whatever a text leads to that is none of ours
        log.warning("a kept training step cannot be read (%r): it is traced anew", error)
        store().remove(key)
        return None


def _graph_record(graph: KeptGraph) -> dict[str, Any]:
    numbers = {name: getattr(graph, name) for name in ("shapes", "multiplied", "parameters", "kept")}
    return {"imported": import_text(graph.imported), **numbers}


def _step(data: bytes, expect: Callable[[int], None]) -> KeptStep:
    found = json.loads(data)
    if set(found) != _FIELDS:
        raise SolError("a kept step has other parts")
    (memory,) = _numbers([found["memory"]])
    expect(memory)
    wrapping = dict(found["wrapping"])
    tangents = tuple([Tangent(int(t["result"]), _numbers(t["shape"]), _numbers(t["strides"])) for t in wrapping.pop("tangents")])
    inputs, results = int(wrapping.pop("inputs")), int(wrapping.pop("results"))
    numbers = {name: _numbers(value) for name, value in wrapping.items()}
    step = KeptStep(
        Wrapping(inputs=inputs, results=results, tangents=tangents, **numbers), _graph(found["forward"]), _graph(found["backward"]),
        memory,
    )  # fmt: skip
    _check(step)
    return step


def _graph(found: Mapping[str, Any]) -> KeptGraph:
    shapes = tuple([None if s is None else _numbers(s) for s in found["shapes"]])
    numbers = {name: _numbers(found[name]) for name in ("multiplied", "parameters", "kept")}
    return KeptGraph(parse_import(found["imported"], verified=True), shapes, **numbers)


def _numbers(values: Sequence[Any]) -> tuple[int, ...]:
    if not all(type(v) is int for v in values):
        raise SolError("a kept step has other numbers")
    return tuple(values)


def _check(step: KeptStep) -> None:
    """Whether the parts fit together. Raises SolError."""
    wrapping, forward, backward = step.wrapping, step.forward, step.backward
    first = len(wrapping.changed) + wrapping.results
    saved = len(forward.imported.outputs) - first
    fits = (
        _within(wrapping.changed, wrapping.inputs)
        and _within(wrapping.detached, wrapping.inputs)
        and _within([*wrapping.constant, *wrapping.viewed], wrapping.results)
        and _within([t.result for t in wrapping.tangents], wrapping.results)
        and len(forward.imported.inputs) == len(forward.shapes) == wrapping.inputs
        and len(backward.imported.inputs) == len(backward.shapes) == saved + len(wrapping.tangents)
        and len(backward.imported.outputs) == wrapping.inputs
        and forward.kept == tuple(range(first, first + saved))
        and not backward.kept
        and all(_within([*g.multiplied, *g.parameters], len(g.shapes)) for g in (forward, backward))
    )
    if not fits:
        raise SolError("the parts of a kept step do not belong together")


def _within(numbers: Collection[int], count: int) -> bool:
    return all(0 <= n < count for n in numbers)
