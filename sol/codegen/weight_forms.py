"""From which memory a packed weight is made: packers read parameters turned, scaled or rounded on the way, where they can."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sol.codegen.packing import Packing, Turned, described
from sol.codegen.plan import Pack, Weight
from sol.ir.bodies import graph_at, type_at
from sol.ir.graph import Graph, Node
from sol.ir.interpret import SMALL
from sol.ir.storage import stored_dtype
from sol.ir.types import DType, TensorType


@dataclass(frozen=True)
class Form:
    """A constant value as a packer reads it: from the memory of ``source``, ``turned``; its rows are multiplied by those of ``factor``.

    rounded: the memory holds float32, the value bfloat16. crossed: the memory holds the transpose of the matrix.
    """

    value: str
    source: str
    turned: Turned | None = None
    factor: str = ""
    rounded: bool = False
    crossed: bool = False

    def packing(self, graph: Graph, pack: Pack) -> Packing:
        """How the value is packed from there."""
        type = type_at(graph, self.value)
        stored = stored_dtype(DType.F32 if self.rounded else type.dtype)
        return described(pack, static_shape(type), stored, self.turned, self.rounded, self.crossed)


def form_of(graph: Graph, weight: Weight) -> Form:
    """What a weight is packed from: packers turn filters and multiply their rows on the way, where they can."""
    for value, factor in dict.fromkeys((_scaled(graph, weight.value), (weight.value, ""))):
        for read, turned in dict.fromkeys((_turned(graph, value), (value, None))):
            source = "" if factor else _unrounded(graph, read)
            crossed = False
            if not source and not factor:
                source = _unrounded(graph, _transposed(graph, read))
                crossed = bool(source)
            form = Form(value, source or read, turned, factor, bool(source), crossed)
            packing = form.packing(graph, weight.pack)
            if (packing.scales or not factor) and (packing.turns or turned is None):
                return form
    return Form(weight.value, weight.value)


def static_shape(type: TensorType) -> tuple[int, ...]:
    """The sizes of a constant."""
    return tuple(int(d) for d in type.shape)  # type: ignore[arg-type]


def _transposed(graph: Graph, value: str) -> str:
    """The matrix of which a value is the transpose; the value itself if it is none."""
    path, mark, name = value.rpartition("/")
    node = graph_at(graph, path + mark).producer(name)
    is_transpose = node.op == "permute" and node.attrs["order"] == (1, 0)
    return path + mark + node.inputs[0] if is_transpose else value


def _unrounded(graph: Graph, value: str) -> str:
    """The float32 of which a value is the rounding to bfloat16; "" if it is none."""
    path, mark, name = value.rpartition("/")
    inside = graph_at(graph, path + mark)
    node = inside.producer(name)
    if node.op != "cast" or node.type.dtype is not DType.BF16 or inside.type_of(node.inputs[0]).dtype is not DType.F32:
        return ""
    return path + mark + node.inputs[0]


def _turned(graph: Graph, value: str) -> tuple[str, Turned | None]:
    """The value from whose memory, which is row-major, a value can be read, and how."""
    path, mark, name = value.rpartition("/")
    node = graph_at(graph, path + mark).producer(name)
    if node.op != "turned_filters":
        return value, None
    source = path + mark + node.inputs[0]
    return source, Turned(node.attrs["groups"], node.attrs["taps"], static_shape(type_at(graph, source))[2:])


def _scaled(graph: Graph, value: str) -> tuple[str, str]:
    """(x, f) where the value is x with row r multiplied by f[r], in float32, which packers do on the way; else (value, "")."""
    path, mark, name = value.rpartition("/")
    inside = graph_at(graph, path + mark)
    node = inside.producer(name)
    if node.op == "mul" and not mark:
        for x, f in (node.inputs, node.inputs[::-1]):
            if _is_scaling(inside, node, x, f):
                return path + mark + x, path + mark + f
    return value, ""


def _is_scaling(graph: Graph, node: Node, x: str, f: str) -> bool:
    """Whether a product is x with a factor for each row, and large enough to be computed in float32 (``each_constant``)."""
    types = [graph.type_of(v) for v in (node.name, x, f)]
    (shape, whole, few) = (t.shape for t in types)
    if any(t.dtype is not DType.F32 for t in types) or any(not isinstance(d, int) for d in (*whole, *few)) or shape != whole:
        return False
    return len(few) == len(whole) > 1 and few == (whole[0], *[1] * (len(whole) - 1)) and math.prod(whole) > SMALL
