"""A functional graph's import as JSON, so that another process need not trace it: structure, leaves, operations of torch, and the graph.

Only what such imports hold has a text: sizes are fixed, and operations of torch are those of PyTorch itself. Reading runs no code of the
text; whatever is malformed is an error.
"""

from __future__ import annotations

import base64
import json
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import torch

from sol.errors import SolError, UnsupportedError
from sol.frontend.imported import Imported, InputLeaf, OutputLeaf, Slot, ViewStep
from sol.frontend.torch.capture import Call
from sol.frontend.torch.draws import NAMESPACE as DRAWS
from sol.frontend.torch.layouts import Layout
from sol.frontend.torch.torch_call import TorchCall
from sol.frontend.trees import Group, Leaf
from sol.ir.graph import Graph
from sol.ir.text import arrays_of, graph_text, parse_graph
from sol.ir.verify import verify

NAMESPACES = ("aten", "prims")
"""Libraries of operations that are PyTorch's own."""
_RECORDS: dict[str, type] = {r.__name__: r for r in (Slot, InputLeaf, ViewStep, OutputLeaf, TorchCall, Layout)}
_FUNCTIONS = {"permute": torch.Tensor.permute, "getitem": operator.getitem}
"""What views are taken by, beside operations."""
_NAMED = {"dtype": torch.dtype, "memory_format": torch.memory_format, "layout": torch.layout}
_OWN = ("graph", "takes", "gives", "inputs", "outputs", "torch_calls", "formats", "layouts")
"""Fields of an import that have a text; the others are empty in the import of a functional graph of fixed sizes without constants."""


def results_tree(count: int) -> Group:
    """The structure of so many results in a tuple."""
    return Group(tuple, "sequence", (), tuple([Leaf(i) for i in range(count)]), 0)


def import_text(imported: Imported) -> str:
    """The import as text, which ``parse_import`` gives back. Raises UnsupportedError for one that has no text."""
    empty = Imported(imported.graph, imported.takes, imported.gives, (), ())
    for field in fields(Imported):
        if field.name not in _OWN and getattr(imported, field.name) != getattr(empty, field.name):
            raise UnsupportedError(f"{field.name} of an import have no text")
    arrays = {digest: [value.dtype.str, list(value.shape), _bytes_text(value)] for digest, value in arrays_of(imported.graph).items()}
    parts = {name: _value(getattr(imported, name)) for name in _OWN[3:]}
    text = json.dumps({"graph": graph_text(imported.graph), "arrays": arrays, **parts})
    if parse_import(text) != imported:
        raise UnsupportedError("the text of an import reads as another one")
    return text


def parse_import(text: str, *, verified: bool = False) -> Imported:
    """The import that ``import_text`` wrote. Raises SolError for malformed text.

    verified: the graph is known to be one, because this very text was verified when it was written.
    """
    try:
        found = json.loads(text)
        arrays = {digest: _array(*parts) for digest, parts in found["arrays"].items()}
        parts = {name: _parsed(found[name]) for name in _OWN[3:]}
        graph: Graph = parse_graph(found["graph"], arrays)
        if not verified:
            verify(graph)
        takes = Call.of_arguments(parts["inputs"], [True] * len(parts["inputs"])).tree
        imported = Imported(graph=graph, takes=takes, gives=results_tree(len(parts["outputs"])), **parts)
        _check(imported)
        return imported
    except (SolError, MemoryError):
        raise
    except Exception as error:  # whatever malformed text leads to
        raise SolError(f"the text of an import is malformed ({type(error).__name__}: {error})") from error


def operation_name(target: Any) -> str:
    """``aten.relu.default`` of an operation of PyTorch itself, or of one in `draws`; UnsupportedError for others."""
    if isinstance(target, torch._ops.OpOverload) and target.namespace in (*NAMESPACES, DRAWS):
        name = str(target)
        if operation(name) is target:
            return name
    raise UnsupportedError(f"{target} is no operation of PyTorch itself")


def operation(name: str) -> Any:
    """The operation of that name of PyTorch itself, or in `draws`. Raises SolError if there is none."""
    parts = name.split(".")
    if len(parts) == 3 and parts[0] in (*NAMESPACES, DRAWS) and all(p.isidentifier() for p in parts):
        packet = getattr(getattr(torch.ops, parts[0]), parts[1], None)
        found = getattr(packet, parts[2], None)
        if isinstance(found, torch._ops.OpOverload):
            return found
    raise SolError(f"{name} is no operation of PyTorch")


def _check(imported: Imported) -> None:
    """Whether the leaves, the calls of torch and the graph agree. Raises SolError."""
    graph = imported.graph
    keys = {n.attrs["key"] for n in graph if n.op == "torch_call"}
    inside = all(0 <= leaf.index < len(graph.inputs) for leaf in imported.inputs if leaf.kind in ("tensor", "unused"))
    inside &= all(0 <= leaf.index < len(graph.outputs) for leaf in imported.outputs if leaf.kind in ("tensor", "item"))
    inside &= all(0 <= leaf.index < len(graph.inputs) for leaf in imported.outputs if leaf.kind == "input")
    kinds = isinstance(imported.torch_calls, dict) and all(isinstance(c, TorchCall) for c in imported.torch_calls.values())
    if not (inside and kinds and keys == set(imported.torch_calls)):
        raise SolError("the parts of an import do not belong together")


# Values: JSON's own, and lists that begin with the name of what they are


def _value(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)) or type(value) is int:
        return value
    if type(value) is float:
        return ["float", value.hex()]
    if type(value) in (tuple, list):
        return [type(value).__name__, *map(_value, value)]
    if isinstance(value, Mapping):
        return ["dict", *[[_text(k), _value(v)] for k, v in value.items()]]
    if isinstance(value, slice):
        return ["slice", *map(_value, (value.start, value.stop, value.step))]
    if isinstance(value, torch.device):
        return ["device", str(value)]
    for kind, type_ in _NAMED.items():
        if isinstance(value, type_):
            return [kind, str(value).removeprefix("torch.")]
    record: Any = _RECORDS.get(type(value).__name__)
    if type(value) is record:
        return [record.__name__, *[_value(getattr(value, f.name)) for f in fields(record)]]
    for name, function in _FUNCTIONS.items():
        if value is function:
            return ["function", name]
    return ["operation", operation_name(value)]


def _text(key: Any) -> str:
    if not isinstance(key, str):
        raise UnsupportedError(f"{key!r} as a key of an import has no text")
    return key


def _parsed(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    kind, *parts = value
    if kind in _RECORDS:
        return _RECORDS[kind](*map(_parsed, parts))
    if kind in _NAMED:
        found = getattr(torch, parts[0])
        if not isinstance(found, _NAMED[kind]):
            raise SolError(f"{parts[0]} is no {kind}")
        return found
    return _KINDS[kind](parts)


def _float(parts: list[Any]) -> float:
    number = float.fromhex(parts[0])
    return math.nan if math.isnan(number) else number


_KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "float": _float,
    "tuple": lambda parts: tuple([_parsed(p) for p in parts]),
    "list": lambda parts: [_parsed(p) for p in parts],
    "dict": lambda parts: {_text(k): _parsed(v) for k, v in parts},
    "slice": lambda parts: slice(*map(_parsed, parts)),
    "device": lambda parts: torch.device(parts[0]),
    "function": lambda parts: _FUNCTIONS[parts[0]],
    "operation": lambda parts: operation(parts[0]),
}


def _bytes_text(value: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()


def _array(dtype: str, shape: list[int], data: str) -> np.ndarray:
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise SolError(f"{dtype} is no dtype of arrays in a graph")
    return np.frombuffer(base64.b64decode(data, validate=True), kind).reshape(shape)
