"""C that users write as kernels: their function is called by every thread, on contiguous arrays."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.ir.dim import DimLike, product
from sol.ir.graph import Node
from sol.ir.strides import contiguous_strides

LINE = 64


@dataclass(frozen=True)
class Found:
    """The node, and where its operands and results lie."""

    node: Node
    reads: tuple[View, ...]
    writes: tuple[View, ...]


def find_custom(lowering: Lowering) -> Found | None:
    """Any element types and strides; nothing is fused to it."""
    node = lowering.anchor
    if any(v not in lowering.body.outputs for v in node.outputs):
        return None
    return Found(node, tuple(map(lowering.view, node.inputs)), tuple(map(lowering.view, node.outputs)))


def lower_custom(lowering: Lowering, found: Found) -> None:
    """One launch; operands and results with gaps go through shared memory. See templates/custom.c.j2."""
    node = found.node
    params: dict[str, DimLike] = {}
    arrays: list[dict[str, object]] = []
    scratch: DimLike = 0
    named = [*((f"in{i}", v) for i, v in enumerate(found.reads)), *((f"out{i}", v) for i, v in enumerate(found.writes))]
    for name, view in named:
        copied = tuple(view.strides) != contiguous_strides(view.shape)
        params |= {f"{name}_n{d}": size for d, size in enumerate(view.shape)}
        if copied:
            params |= {f"{name}_s{d}": stride for d, stride in enumerate(view.strides)} | {f"{name}_at": scratch}
            scratch = scratch + (product(view.shape) * view.dtype.itemsize + LINE - 1) // LINE * LINE
        arrays.append({"name": name, "c": view.dtype.c, "rank": len(view.shape), "copied": copied})
    lowering.emit(
        "custom.c.j2",
        f"custom_{node.attrs['function']}",
        reads=dict(named[: len(found.reads)]),
        writes=dict(named[len(found.reads) :]),
        params=params,
        shared_scratch=scratch,
        bytes=sum((v.dtype.itemsize * product(v.shape) for _, v in named), start=0),
        inputs=tuple(arrays[: len(found.reads)]), outputs=tuple(arrays[len(found.reads) :]), title=node.attrs["title"],
        source=node.attrs["source"], function=node.attrs["function"], options=node.attrs["options"],
        others=node.attrs["others"],
    )  # fmt: skip


KERNELS = {"custom": (sole("custom", find_custom, lower_custom),)}
