"""What the forward graph of a training step keeps for the backward graph may stay in blocks of channels, in which kernels read it.

Such a tensor has the shape ``[N, ceil(C/c), H, W, c]``, where H and W include the zero border that convolutions read. torch's autograd
saves it as it is; nothing else sees it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch

from sol.frontend.imported import Imported
from sol.ir.graph import Graph
from sol.ir.lanes import FLOAT_LANES
from sol.ir.ops import spec_of
from sol.ir.rewrite import Editor
from sol.ir.types import DType, TensorType

SOURCES = ("input", "parameter", "constant", "torch_call")
"""What gives tensors that are plain already."""


def kept_values(imported: Imported, results: Collection[int]) -> tuple[int, ...]:
    """Numbers of the graph's outputs that are these results of the model alone, are images, and are computed by a kernel."""
    graph, outputs = imported.graph, imported.outputs
    others = {leaf.index for i, leaf in enumerate(outputs) if i not in results and leaf.kind == "tensor"}
    others |= {leaf.index for leaf in outputs if leaf.views and leaf.kind == "tensor"} | {m.output for m in imported.mutations}
    plain = {graph.outputs[i] for i in others}
    found = {outputs[i].index for i in results if outputs[i].kind == "tensor"}
    return tuple(sorted(i for i in found if graph.outputs[i] not in plain and _may_be_blocked(graph, graph.outputs[i])))


def is_computed(graph: Graph, value: str) -> bool:
    """Whether a kernel computes a value at each call."""
    node = graph.producer(value)
    return node.op not in SOURCES and spec_of(node.op).kind != "view" and value not in graph.constant_values


def _may_be_blocked(graph: Graph, value: str) -> bool:
    type = graph.type_of(value)
    return is_computed(graph, value) and type.rank == 4 and type.is_static and type.dtype in (*FLOAT_LANES, DType.BOOL, DType.U8)


def with_edges(graph: Graph, shown: Mapping[str, tuple[int, ...]], kept: Sequence[int]) -> Graph:
    """The graph with marks where blocks may leave it and where they come in.

    shown: shapes of the tensors that are given for inputs. kept: numbers of outputs that may leave in blocks.
    """
    arriving = [v for v in graph.inputs if v in shown and len(shown[v]) == graph.type_of(v).rank + 1]
    if not (arriving or kept):
        return graph
    editor = Editor(graph)
    for value in arriving:
        _arrive(editor, value, shown[value])
    outputs = list(editor.outputs)
    marks: dict[str, str] = {}
    for i in kept:
        value = outputs[i]
        if value not in marks:
            marks[value] = editor.add("to_blocks", [value], origin=graph.producer(graph.outputs[i]).origin)
        outputs[i] = marks[value]
    editor.set_outputs(outputs)
    return editor.finish()


def _arrive(editor: Editor, value: str, shape: tuple[int, ...]) -> None:
    """Let an input be the blocks of what it was."""
    node = editor.producer(value)
    image, blocks = node.type, TensorType(node.type.dtype, shape)
    border = _border(image.shape, shape)
    editor.update(node, types=(blocks,))
    users = editor.users(value)
    seen = editor.add("from_blocks", [value], origin=node.origin, channels=image.shape[1], border=border)
    for user in users:
        editor.update(user, inputs=tuple([seen if i == value else i for i in user.inputs]))


def _border(image: Sequence[Any], blocks: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The zeros around a map, as wide on one side as on the other."""
    return tuple([((have - size) // 2,) * 2 for size, have in zip(image[2:], blocks[2:4])])


def as_image(tensor: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """Blocks as the image of this shape that they are."""
    (top, _), (left, _) = _border(shape, tensor.shape)
    inner = tensor[:, :, top : top + shape[2], left : left + shape[3]]
    return inner.permute(0, 1, 4, 2, 3).reshape(shape[0], -1, *shape[2:])[:, : shape[1]].contiguous()
