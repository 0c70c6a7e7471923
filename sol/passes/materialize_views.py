"""Makes explicit the copies that remain: views that strides cannot express, or along which a kernel does not read, outputs that are not
their own."""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.ops.control import CONTROL
from sol.ir.rewrite import Editor
from sol.ir.strides import is_contiguous
from sol.passes.views import Strides, is_view, own_strides, producer_of, root_of, storage_orders, strides_after, strides_of

NORMS = ("layer_norm", "rms_norm", "softmax", "log_softmax")
"""Ops that read each row several times and write it: vectors serve them where operand and result run along the same dimension."""


def materialize_views(graph: Graph) -> Graph:
    """Insert ``copy`` before views that strides cannot express and before outputs that alias inputs, constants or other values."""
    editor = Editor(graph)
    constants = graph.constant_values
    strides: dict[str, Strides | None] = {v: own_strides(graph.type_of(v), o) for v, o in storage_orders(graph).items()}
    for original in graph.nodes:
        node = producer_of(editor, original.name)
        if node.name in constants or node.op == "input":
            continue
        if node.op in NORMS and _lies_across(editor, node, strides) or _lies_apart(editor, node, strides):
            editor.update(node, inputs=(editor.add("copy", node.inputs[:1], origin=node.origin), *node.inputs[1:]))
        if not is_view(editor, node):
            continue
        strides[node.name] = strides_after(editor, node, strides_of(editor, strides, node.inputs[0]))
        if strides[node.name] is None:
            node = editor.update(node, inputs=(editor.add("copy", node.inputs, origin=node.origin),))
            strides[node.name] = strides_after(editor, node, own_strides(editor.type_of(node.inputs[0])))
    for original in graph.nodes:
        if original.op in CONTROL and original.name not in constants:
            _copy_operands(editor, producer_of(editor, original.name), strides)
    editor.set_outputs(_own_outputs(editor, constants, strides))
    return editor.finish()


def _lies_across(editor: Editor, node: Node, strides: dict[str, Strides | None]) -> bool:
    """Whether the operand of a row op is contiguous along another dimension than its result: transposing it first costs less."""
    along = node.attrs.get("dim", node.type.rank - 1) == node.type.rank - 1
    if node.type.layout.block or not along or not is_view(editor, producer_of(editor, node.inputs[0])):
        return False
    read = strides_of(editor, strides, node.inputs[0])
    written = strides.get(node.name) or own_strides(node.type)
    return read is not None and written[-1] == 1 and read[-1] != 1 and node.type.shape[-1] != 1 and 1 in read


def _lies_apart(editor: Editor, node: Node, strides: dict[str, Strides | None]) -> bool:
    """Whether a row-major image's pixels lie apart, which no kernel reads beside a gradient in blocks."""
    if node.op != "conv_weight_grad" or editor.type_of(node.inputs[0]).layout.block or not editor.type_of(node.inputs[1]).layout.block:
        return False
    read = strides_of(editor, strides, node.inputs[0])
    return read is not None and read[-1] != 1


def _copy_operands(editor: Editor, node: Node, strides: dict[str, Strides | None]) -> None:
    """Operands of control flow are row-major."""
    inputs = []
    for value in node.inputs:
        type_ = editor.type_of(value)
        plain = not type_.layout.block and is_contiguous(type_.shape, strides_of(editor, strides, value))
        inputs.append(value if plain else editor.add("copy", [value], origin=node.origin))
    if tuple(inputs) != node.inputs:
        editor.update(node, inputs=tuple(inputs))


def _own_outputs(editor: Editor, constants: frozenset[str], strides: dict[str, Strides | None]) -> list[str]:
    """Outputs that own a buffer each: a copy where two would share one, or where a buffer is not theirs or not as they need it."""
    owned: set[str] = set()
    outputs = []
    direct = set(editor.outputs)
    for value in editor.outputs:
        root = root_of(editor, value)
        source = producer_of(editor, root)
        shared = root in owned or root != value and (root in direct or source.op == "concat" and not _is_alone(editor, value, source))
        if root in constants or source.op in ("input", "torch_call") or shared or not _is_whole(editor, value, root, strides):
            value = root = editor.add("copy", [value], origin=producer_of(editor, value).origin)
        owned.add(root)
        outputs.append(value)
    return outputs


def _is_alone(editor: Editor, value: str, concat: Node) -> bool:
    """Whether a view is the blocks of a concat result that lies in no other one's memory."""
    return producer_of(editor, value).op == "to_blocks" and all(u.op != "concat" for u in editor.users(concat.name))


def _is_whole(editor: Editor, value: str, root: str, strides: dict[str, Strides | None]) -> bool:
    """Whether a view shows its root's memory from the first to the last byte in row-major order."""
    if value == root:
        return True
    producer = producer_of(editor, value)
    if producer.op == "to_blocks":
        return producer.inputs[0] == root
    type, stored = editor.type_of(value), editor.type_of(root)
    block = stored.layout.block
    size = stored.size if not block else stored.with_shape((stored.shape[0], own_strides(stored)[0])).size
    return not type.layout.block and type.size == size and is_contiguous(type.shape, strides_of(editor, strides, value))
