"""Ops without a converter of their own, by the ops that they consist of: torch runs one on fake tensors, and what it calls is recorded.

Ops that torch itself composes of others (CompositeImplicitAutograd: most losses, aliases, stacking, norms) run as those in eager too.
Others have a kernel in torch; of these the ones in ``DECOMPOSED`` are taken apart by torch's own decomposition, because the pieces make
one fused kernel here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache
from typing import Any

import torch
from torch._decomp import decomposition_table
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import Graph, Node
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from sol.frontend.torch.inplace_views import view_of

DECOMPOSED = frozenset(
    "_chunk_cat _safe_softmax _softmax_backward_data _unsafe_masked_index addr binary_cross_entropy "
    "binary_cross_entropy_with_logits block_diag col2im deg2rad diag_embed diagonal_scatter dist heaviside huber_loss isin "
    "isneginf isposinf ldexp linalg_cross linspace logit logspace mse_loss multi_margin_loss mvlgamma nansum native_dropout_backward "
    "rad2deg renorm rot90 round smooth_l1_loss soft_margin_loss special_entr squeeze_copy trace unfold_copy vdot".split()
)
"""Ops with a kernel in torch whose decomposition compiles to something at least as fast (``compare`` of benchmarks/corners.py tells)."""


@cache
def decomposition_of(target: Any) -> Callable[..., Any] | None:
    """What computes an op from others; None where it is not to be taken apart."""
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
        return None
    if str(target).removeprefix("aten.").partition(".")[0] in DECOMPOSED:
        return decomposition_table.get(target)
    if torch._C._dispatch_has_kernel_for_dispatch_key(target.name(), "CompositeImplicitAutograd"):
        return target
    return None


def recorded(node: Node) -> Graph | None:
    """The ops that a node consists of as a graph: a placeholder for each node it reads (in ``meta["source"]``), its results as output.

    None if it is not to be taken apart, if torch cannot do it, or if doing so depends on symbolic sizes.
    """
    compute = decomposition_of(node.target)
    if compute is None:
        return None
    values = {n: n.meta.get("val") for n in node.all_input_nodes}
    mode = _fake_mode(values.values())
    guards = _guards(mode)
    recorder = _Recorder()
    try:
        for source, value in values.items():
            recorder.know(source, value)
        args, kwargs = pytree.tree_map(lambda leaf: values[leaf] if isinstance(leaf, Node) else leaf, (list(node.args), dict(node.kwargs)))
        with torch.no_grad(), mode or nullcontext(), recorder:
            result = compute(*args, **kwargs)
        return recorder.finish(result) if _guards(mode) == guards else None
    except Exception:  # whatever torch raises: the op then runs there as a whole
        return None


def _writes(target: Any) -> bool:
    return any(a.alias_info is not None and a.alias_info.is_write for a in target._schema.arguments)


def _fake_mode(values: Any) -> Any:
    for leaf in pytree.tree_leaves(list(values)):
        if isinstance(leaf, FakeTensor):
            return leaf.fake_mode
    return None


def _guards(mode: Any) -> int:
    """How many facts about symbolic sizes torch has relied on."""
    environment = getattr(mode, "shape_env", None)
    return len(environment.guards) + len(getattr(environment, "deferred_runtime_asserts", ())) if environment is not None else 0


class _Recorder(TorchDispatchMode):
    """Writes every op that is called into a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.graph = Graph()
        self._nodes: dict[int, tuple[Any, Callable[[], Node]]] = {}  # by tensor; the tensor is kept so that its id stays its own

    def know(self, source: Node, value: Any) -> None:
        """A placeholder for a value from outside."""
        if not isinstance(value, torch.Tensor):
            for i, item in enumerate(value if isinstance(value, (tuple, list)) else ()):
                if isinstance(item, torch.Tensor):
                    raise NotImplementedError(f"result {i} of {source} as a whole")
            return
        node = self.graph.placeholder(source.name)
        node.meta.update(val=value, source=source)
        self._nodes[id(value)] = (value, lambda: node)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None) -> Any:
        kwargs = dict(kwargs or {})
        inputs = pytree.tree_map(self._node_of, (tuple(args), kwargs))
        if _writes(func):
            self._need_alone(args[0])
            before = self._nodes[id(args[0])][1]()
            before.meta["val"] = torch.empty_strided(args[0].shape, args[0].stride(), dtype=args[0].dtype, device=args[0].device)
        result = func(*args, **kwargs)
        if not any(isinstance(leaf, torch.Tensor) for leaf in pytree.tree_leaves(result)):
            return result
        node = self.graph.create_node("call_function", view_of(func) if torch.Tag.inplace_view in func.tags else func, *inputs)
        node.meta["val"] = result
        if isinstance(result, torch.Tensor):
            self._nodes[id(result)] = (result, lambda: node)
        elif isinstance(result, (tuple, list)):
            for i, item in enumerate(result):
                if isinstance(item, torch.Tensor):
                    self._nodes[id(item)] = (item, self._item(node, i, item))
        return result

    def _need_alone(self, tensor: torch.Tensor) -> None:
        """Only a tensor made here whose memory nothing else shows may be written: then the write is a new value of it."""
        storage = tensor.untyped_storage()._cdata
        sharing = [value for value, _ in self._nodes.values() if value.untyped_storage()._cdata == storage]
        if len(sharing) != 1 or self._nodes[id(tensor)][1]().op == "placeholder":
            raise NotImplementedError("a write to memory that several tensors share")

    def _item(self, node: Node, index: int, value: torch.Tensor) -> Callable[[], Node]:
        """Takes one of several results when it is first read."""
        made: list[Node] = []

        def take() -> Node:
            if not made:
                made.append(self.graph.create_node("call_function", operator.getitem, (node, index)))
                made[0].meta["val"] = value
            return made[0]

        return take

    def _node_of(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) in self._nodes:
            return self._nodes[id(value)][1]()
        if isinstance(value, FakeTensor) or value.numel() != 1:
            raise NotImplementedError("a tensor that nothing recorded made")
        return value.item()

    def finish(self, result: Any) -> Graph:
        """The graph with its results as output."""
        self.graph.output(pytree.tree_map(self._node_of, result))
        self.graph.eliminate_dead_code()
        return self.graph
