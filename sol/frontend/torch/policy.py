"""Which operations torch computes faster than the kernels that there are, by operation, element type and size.

Where torch is at hand they run there, between compiled parts, and ``sol.explain`` gives the reason. A deployed library has its own
kernels for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, Node

from sol.frontend.torch.aten import DTYPES, find_converter
from sol.frontend.torch.aten.conv_backward import filled_groups, gradients_by_slices, has_kernels
from sol.ir.lanes import NARROW_FLOATS

PLAIN = {torch.bfloat16: "bfloat16", torch.float16: "float16", torch.float64: "float64"}
"""Types whose kernels are plain C, one element at a time, where torch's are vectorized: all of them, or all but those below."""
VECTORIZED = frozenset(
    "attention attention_grads conv conv_backward matmul norm pointwise pool pool_grads resample resample_grads resample_smooth view "
    "weight_only".split()
)
"""Families of operations whose kernels load, compute and store vectors of bfloat16, or to which these are widened first."""
ALSO_VECTORIZED = frozenset(
    "mean sum cat concat constant_pad_nd pad zeros ones full zeros_like ones_like full_like new_zeros new_ones new_full".split()
)
MOVES_ROWS = frozenset(("embedding", "index", "index_copy", "index_copy_", "index_select"))
"""Operations that move a few rows as they are, whatever their elements are."""
NOT_VECTORIZED = frozenset(("conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "frexp", "nextafter"))
SMALL = 1024
"""Elements up to which a plain kernel inside of a compiled part costs less than leaving that part and coming back."""
PRODUCTS = frozenset(
    "linear matmul mm bmm mv dot inner addmm baddbmm addbmm addmv einsum conv1d conv2d conv3d convolution "
    "conv_transpose1d conv_transpose2d conv_transpose3d".split()
)
QUANTIZED = ("quantized_decomposed.", "torchao.")
"""Namespaces of operations that have converters, whose scales are computed in float32 whatever type they are stated in."""
RECURRENT = frozenset(("lstm", "gru", "rnn_tanh", "rnn_relu"))
FEW_PRODUCTS = 16384
"""Multiplications of integers up to which the same holds."""


@dataclass(frozen=True)
class Policy:
    """small: elements up to which operations of plain types are compiled; 0 leaves all of them to torch."""

    small: int = SMALL

    @staticmethod
    def of(graph: Graph) -> Policy:
        """The policy for a traced graph: if all that it computes is of plain types there is nothing to gain by compiling any of it."""
        computing = [n for n in graph.nodes if n.op == "call_function" and _tensors([n.meta.get("val")])]
        return Policy(0 if computing and all(_plain_type(_of(n), str(n.target)) for n in computing) else SMALL)

    def reason(self, node: Node, target: str) -> str:
        """Why torch should compute a node of ``aten.name.overload``; empty if compiled code is as fast."""
        if target.startswith(QUANTIZED):
            return ""  # scales stated in float64 are float32
        tensors = _of(node)
        kind = _plain_type(tensors, target)
        name = target.split(".")[1] if target.startswith("aten.") else ""
        if name == "bernoulli":
            return ""  # a mask of bool, in the order of memory, which torch's function does not heed
        if name in PRODUCTS and len({t.dtype for t in tensors}) > 1:
            return ""  # whose converter says that torch does not take them
        if kind is torch.float64 and name in RECURRENT:
            return "recurrent layers of float64 have no kernels"
        if kind:
            return f"{PLAIN[kind]} has plain kernels only" if max(map(_size, tensors)) > self.small or not self.small else ""
        if name == "convolution_backward":
            return _gradient_in_torch(node)
        if name in PRODUCTS and "conv" in name and not tensors[0].dtype.is_floating_point:
            return "convolutions of integers have no kernels"
        if name in PRODUCTS and not tensors[0].dtype.is_floating_point and _multiplications(node) > FEW_PRODUCTS:
            return "products of integers have plain kernels only"
        return ""


def _gradient_in_torch(node: Node) -> str:
    """Why torch should compute the gradients of a convolution: those that only plain kernels compute."""
    _, x, w = (a.meta["val"] for a in node.args[:3])  # type: ignore[union-attr]
    groups = int(node.args[9])  # type: ignore[arg-type]
    if x.dim() > 4:
        grad, stride, transposed = node.args[0].meta["val"], node.args[4], bool(node.args[7])  # type: ignore[union-attr]
        if gradients_by_slices(grad.shape, x.shape, w.shape, stride, transposed, groups):  # type: ignore[arg-type]
            return ""
        return (
            "gradients of convolutions over three dimensions have plain kernels only where they are in groups, sizes are open, the "
            "stride does not divide the depth, or slices for all taps would take too much memory"
        )
    inputs, results = int(x.shape[1]) // groups, int(w.shape[0]) // groups
    if node.args[7]:  # transposed: its weights are [input channels, output channels of a group, ...]
        results = int(w.shape[1])
    filled = not node.args[7] and filled_groups(w.shape, groups)
    if groups > 1 and not filled and not has_kernels(inputs, results):
        return f"gradients of convolutions with groups of {inputs} and {results} channels have plain kernels only"
    return ""


def _of(node: Node) -> list[torch.Tensor]:
    """Results and operands of a node."""
    return _tensors([node.meta.get("val"), *(a.meta.get("val") for a in node.all_input_nodes)])


def _tensors(values: Sequence[Any]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for v in values:
        found += [v] if isinstance(v, torch.Tensor) else _tensors(v) if isinstance(v, (tuple, list)) else []
    return found


def _plain_type(tensors: Sequence[torch.Tensor], target: str) -> torch.dtype | None:
    """A type among tensors of which an operation has no fast kernel; numbers apart, which become values of the others' type."""
    kinds = [t.dtype for t in tensors if t.dtype in PLAIN and t.dim()]
    return next((k for k in kinds if DTYPES[k] not in NARROW_FLOATS or not _is_vectorized(target)), None)


def _is_vectorized(target: str) -> bool:
    """Whether vector kernels serve ``aten.name.overload`` of bfloat16."""
    convert = find_converter(target)
    name = target.removeprefix("aten.").split(".")[0]
    family = convert.__module__.rpartition(".")[2] if convert else ""
    return name in ALSO_VECTORIZED | MOVES_ROWS or (family in VECTORIZED and name not in NOT_VECTORIZED)


def _size(tensor: torch.Tensor) -> int:
    """Number of elements; of the example, if sizes are open."""
    return math.prod([s if isinstance(s, int) else s.node.hint if s.node.has_hint() else SMALL for s in tensor.shape])


def _multiplications(node: Node) -> int:
    """Of a product: its result's elements times what is summed for each."""
    result, *operands = _of(node)
    if not operands or not result.numel():
        return 0
    if "conv" in str(node.target):
        return _size(result) * _size(operands[1]) // max(1, int(operands[1].shape[0]))
    return _size(result) * (int(operands[0].shape[-1]) if operands[0].dim() else 1)
