"""Which traces depend on how their inputs lie in memory, and how operands of torch's own operations have to lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from sol.errors import ExportError
from sol.frontend.torch.aliases import mutates, op_name, shares_if_contiguous

_PLACES = ("as_strided", "as_strided_", "as_strided_copy", "as_strided_scatter", "set_", "resize_", "resize_as_")
_DRAWS = (
    "bernoulli", "poisson", "normal", "binomial",
    "uniform", "exponential", "random", "cauchy", "geometric", "log_normal", "normal_functional",  # in place, written as functions
)  # fmt: skip
_DROPOUTS = ("dropout", "alpha_dropout", "native_dropout")
_SIZED = ("rand", "randn", "randint", "randperm")


@dataclass(frozen=True, slots=True)
class Layout:
    """Strides and start of a tensor in a memory of ``length`` elements."""

    strides: tuple[int, ...]
    start: int
    length: int

    def laid_out(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor if it lies so, or a copy of it."""
        if tensor.stride() == self.strides and tensor.storage_offset() == self.start:
            return tensor
        memory = tensor.new_zeros(self.length)
        copy = memory.as_strided(tensor.shape, self.strides, self.start)
        return copy.copy_(tensor)


def reads_layout(node: Node) -> bool:
    """Whether the result of an operation depends on the strides of its operands: it picks by places, or draws in their order."""
    name = op_name(node.target)
    if name in _PLACES:
        return True
    if not draws(node.target) or name in _SIZED:
        return False
    if name in _DROPOUTS:
        return len(node.args) < 3 or node.args[2] is not False
    return name.endswith(("_like", "_")) or name in _DRAWS


def draws(target: Any) -> bool:
    """Whether an operation takes numbers from torch's generator."""
    return torch.Tag.nondeterministic_seeded in getattr(target, "tags", ())


def layout_for(meta: Any) -> Layout | None:
    """How eager torch lays out an operand; None for the plain order. Raises ExportError where that is open."""
    if not isinstance(meta, torch.Tensor) or meta.layout is not torch.strided:
        return None
    if meta.is_contiguous() and isinstance(meta.storage_offset(), int) and meta.storage_offset() == 0:
        return None
    numbers = (*meta.shape, *meta.stride(), meta.storage_offset())
    if not all(isinstance(n, int) for n in numbers):
        raise ExportError("an operation reads the strides of a tensor of open sizes that is not contiguous")
    end = meta.storage_offset() + sum((n - 1) * s for n, s in zip(meta.shape, meta.stride())) + 1 if meta.numel() else meta.storage_offset()
    length = max(int(end), int(meta.untyped_storage().nbytes()) // meta.element_size())
    return Layout(tuple(meta.stride()), int(meta.storage_offset()), length)


def layout_of(example: torch.Tensor) -> tuple[int, ...] | str | None:
    """What `Imported.layouts` says of an input. Raises ExportError where open sizes leave its strides open too."""
    if example.layout is not torch.strided or not example.dim():
        return None
    if all(isinstance(n, int) for n in (*example.shape, *example.stride())):
        return tuple(example.stride())
    if not example.is_contiguous():
        raise ExportError("the model depends on the strides of an input of open sizes that is not contiguous")
    return "contiguous"


def depends_on_layout(program: ExportedProgram, unmoved: bool = False) -> bool:
    """Whether a trace is right only for inputs with the strides of its examples: it picks elements by places, draws in the order of memory,
    or returns or changes what shares memory with something else only if that is contiguous.

    unmoved: whether there are such tensors that the trace does not show.
    """
    nodes = [n for n in program.graph.nodes if n.op == "call_function"]
    if any(reads_layout(n) and n.all_input_nodes for n in nodes) or (unmoved and any(mutates(n.target) for n in nodes)):
        return True
    perhaps = [n for n in nodes if shares_if_contiguous(n)]
    if not perhaps:
        return False
    names = {s.arg.name for s in program.graph_signature.input_specs if s.kind is InputKind.USER_INPUT and hasattr(s.arg, "name")}
    shown = set(program.graph_signature.user_outputs)
    roots = [_root(n) for n in nodes if n.name in shown]
    several = {r for r in roots if roots.count(r) > 1}
    changed = {_root(n) for n in nodes if mutates(n.target)}
    returned = {m for n in nodes if n.name in shown for m in _chain(n)}
    for n in perhaps:
        root = _root(n)
        if root in changed or (n in returned and (root in several or root.name in names)):
            return True
    return False


def gives_inputs(program: ExportedProgram) -> bool:
    """Whether a result of a trace may be an input or a view of it, or two results may share memory."""
    nodes = {n.name: n for n in program.graph.nodes}
    roots = [_root(nodes[name]) for name in program.graph_signature.user_outputs if name in nodes]
    return len(set(roots)) < len(roots) or any(r.op == "placeholder" for r in roots)


def _chain(node: Node) -> Iterator[Node]:
    """A node and all that it may be a view of."""
    yield node
    while node.op == "call_function" and node.args and isinstance(node.args[0], Node) and _may_share(node):
        node = node.args[0]
        yield node


def _root(node: Node) -> Node:
    return list(_chain(node))[-1]


def _may_share(node: Node) -> bool:
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return getattr(node.target, "__name__", "") == "getitem"
    return shares_if_contiguous(node) or bool(schema.arguments and schema.arguments[0].alias_info is not None)
