"""Random numbers that need no operand: a call draws them before all that is compiled runs, which then is one program.

They come from torch's generator, in the order in which eager draws them. What draws them is in ``runtime.torch.masks``.

In training, what a forward pass has drawn is kept for the backward pass: torch's partitioner, which computes values again, knows a part
of the operations that draw.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import fx

from sol.frontend.torch.layouts import draws

aten = torch.ops.aten

NAMESPACE = "sol_draws"
LIBRARY = torch.library.Library(NAMESPACE, "DEF")
LIBRARY.define("dropout_mask(float kept, SymInt[] sizes) -> Tensor", tags=(torch.Tag.nondeterministic_seeded,))


@torch.library.register_fake(f"{NAMESPACE}::dropout_mask")
def _mask(kept: float, sizes: Sequence[int]) -> torch.Tensor:
    return torch.empty(sizes, dtype=torch.bool)


def dropout_mask() -> Any:
    """The operation ``sol_draws::dropout_mask``: a bool tensor of these sizes, true with probability ``kept``."""
    return torch.ops.sol_draws.dropout_mask.default


def memory_order(tensor: torch.Tensor) -> list[int] | None:
    """Dimensions of a new tensor like this one (``torch.empty_like``) from the slowest to the fastest in memory; None where open sizes
    leave that open."""
    if not all(isinstance(n, int) for n in (*tensor.shape, *tensor.stride())):
        return list(range(tensor.dim())) if tensor.is_contiguous() else None
    strides = torch.empty_like(tensor, device="meta").stride()
    return sorted(range(tensor.dim()), key=lambda d: (-strides[d], d))


def separate_masks(joint: fx.GraphModule) -> None:
    """Change a graph of both passes in place: dropout is a mask that is drawn, and a product with it, which may be computed again."""
    for node in joint.graph.find_nodes(op="call_function", target=aten.native_dropout.default):
        value, share = node.args[:2]
        order = memory_order(value.meta["val"])
        shape = value.meta["val"].shape
        if node.args[2] is False or not 0 < share < 1 or order is None or not all(isinstance(n, int) for n in shape):
            continue
        with joint.graph.inserting_before(node):
            mask = _added(node, dropout_mask(), 1 - share, [shape[d] for d in order])
            if order != sorted(order):
                mask = _added(node, aten.permute.default, mask, [order.index(d) for d in range(len(order))])
            dtype = value.meta["val"].dtype
            factors = _added(node, aten.mul.Tensor, _added(node, aten._to_copy.default, mask, dtype=dtype), 1 / (1 - share))
            results = _added(node, aten.mul.Tensor, value, factors), mask
        for user in list(node.users):
            user.replace_all_uses_with(results[user.args[1]])
            joint.graph.erase_node(user)
        joint.graph.erase_node(node)


def _added(origin: fx.Node, operation: Any, *args: Any, **kwargs: Any) -> fx.Node:
    made = origin.graph.call_function(operation, args, kwargs)
    with origin.meta["val"][0].fake_mode:
        value = operation(*(a.meta["val"] if isinstance(a, fx.Node) else a for a in args), **kwargs)
    made.meta = {**origin.meta, "val": value}
    return made


def keep_draws(joint: fx.GraphModule) -> bool:
    """Let torch's partitioner keep each draw of a graph of both passes for the backward pass; gives whether there is one."""
    from torch.utils.checkpoint import CheckpointPolicy

    found = [n for n in joint.graph.nodes if n.op == "call_function" and draws(n.target)]
    for node in found:
        for result in (node, *(u for u in node.users if u.target is operator.getitem)):
            result.meta["recompute"] = CheckpointPolicy.MUST_SAVE
    return bool(found)
