"""Gradients of pooling: one kernel for blocked and row-major maps, which goes through the windows of a map and adds to what they saw.

Beside it the kernel of the taps that a maximum's gradient reads in place of the pooling's input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.kernels.loop_cost import loop_seconds
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Node
from sol.ir.types import DType


@dataclass(frozen=True)
class Gradient:
    """Windows that hand their gradients back. x: the pooling's input, where its largest elements decide, or the taps that do.
    flops, bytes: the work."""

    node: Node
    x: View | None
    grad: View
    out: View
    flops: DimLike
    bytes: DimLike

    @property
    def views(self) -> dict[str, View]:
        """By their names in the template."""
        return {**({"taps" if self.op == "taps" else "in": self.x} if self.x else {}), "grad": self.grad, "out": self.out}

    @property
    def op(self) -> str:
        """What decides which elements get how much of a gradient."""
        return "taps" if "taps" in self.node.op else "max" if self.x else "avg"

    @property
    def is_blocked(self) -> bool:
        return bool(self.out.layout.block)

    @property
    def is_adaptive(self) -> bool:
        return self.node.op.startswith("adaptive")

    @property
    def counted(self) -> str:
        """What a mean divides by, as for poolings (pool.py)."""
        attrs = self.node.attrs
        if attrs.get("divisor") is not None:
            return "divisor"
        return "padding" if attrs.get("count_include_pad") else "taps"


def find_gradient(lowering: Lowering) -> Gradient:
    """float32 and float64, all operands in one layout; blocks hold float32."""
    node = lowering.anchor
    views = [lowering.view(v) for v in (*node.inputs, node.name)]
    out, blocks = views[-1], {v.layout for v in views}
    dtypes = (DType.F32,) if out.layout.block else (DType.F32, DType.F64)
    if out.dtype not in dtypes or len(blocks) > 1 or lowering.type_of(node.name).rank > 4:
        raise UnsupportedError(
            f"{node.op} of {lowering.type_of(node.name)}", origin=str(node.origin),
            remedy="cast to float32, bring operands into one layout, and reshape the leading dimensions into one",
        )  # fmt: skip
    taps = 1 if node.op.startswith("adaptive") else product(node.attrs["kernel"])
    grad = views[-2]
    return Gradient(
        node, views[0] if len(views) == 3 else None, grad, out, 2 * taps * product(grad.shape),
        sum((v.dtype.itemsize * product(v.shape) for v in views), start=0),
    )  # fmt: skip


def lower_gradient(lowering: Lowering, found: Gradient) -> None:
    """One launch; see templates/pool_grad.c.j2."""
    attrs, out = found.node.attrs, found.out
    params = _places(found, out, found.grad, found.views)
    if found.counted == "divisor":
        params["divisor"] = attrs["divisor"]
    elif found.counted == "padding" and not found.is_adaptive:
        params |= {"hi_y": attrs["padding"][0][1], "hi_x": attrs["padding"][1][1]}
    kernel = attrs.get("kernel", (0, 0))
    size = "" if found.is_adaptive else f"{kernel[0]}x{kernel[1]}"
    lowering.emit(
        "pool_grad.c.j2",
        f"{found.node.op}{size}{'' if found.is_blocked else '_' + str(out.dtype)}",
        reads={k: v for k, v in found.views.items() if k != "out"},
        writes={"out": out},
        params=params,
        flops=found.flops,
        bytes=found.bytes,
        op=found.op,
        blocked=found.is_blocked,
        adaptive=found.is_adaptive,
        counted=found.counted,
        T=out.dtype.c,
        kernel=kernel,
    )


@dataclass(frozen=True)
class Taps:
    """Windows over ``x`` that tell which of their elements is the largest. maxima: where these elements are written, if they are wanted.
    flops, bytes: the work."""

    node: Node
    x: View
    out: View
    maxima: View | None
    flops: DimLike
    bytes: DimLike

    @property
    def is_blocked(self) -> bool:
        return bool(self.out.layout.block)


def find_taps(lowering: Lowering) -> Taps:
    """float32 and float64, in the layout of the result; blocks hold float32. Beside the taps may stand the pooling of the same windows."""
    node = lowering.anchor
    x, out = lowering.view(node.inputs[0]), lowering.view(node.name)
    maxima = next((lowering.view(n.name) for n in lowering.body.nodes if n.op == "max_pool"), None)
    dtypes = (DType.F32,) if out.layout.block else (DType.F32, DType.F64)
    layouts = {v.layout for v in (x, out, maxima or x)}
    if x.dtype not in dtypes or len(layouts) > 1 or lowering.type_of(node.name).rank > 4:
        raise UnsupportedError(
            f"{node.op} of {lowering.type_of(node.inputs[0])}", origin=str(node.origin),
            remedy="cast to float32, and reshape the leading dimensions into one",
        )  # fmt: skip
    count = product(out.shape)
    moved = x.dtype.itemsize * (product(x.shape) + (count if maxima else 0)) + count
    return Taps(node, x, out, maxima, 2 * product(node.attrs["kernel"]) * count, moved)


def lower_taps(lowering: Lowering, found: Taps) -> None:
    """One launch; see templates/pool_taps.c.j2."""
    attrs, x, out = found.node.attrs, found.x, found.out
    writes = {"out": out} | ({"maxima": found.maxima} if found.maxima else {})
    by_rows = lowering.follow_share(found.node.inputs[0])
    lowering.emit(
        "pool_taps.c.j2",
        f"max_pool{'_and' if found.maxima else ''}_taps{attrs['kernel'][0]}x{attrs['kernel'][1]}"
        f"{'' if found.is_blocked else '_' + str(x.dtype)}",
        reads={"in": x},
        writes=writes,
        params={**_places(found, x, out, {"in": x, **writes}), "by_rows": by_rows},
        flops=found.flops,
        bytes=found.bytes,
        blocked=found.is_blocked,
        maxima=found.maxima is not None,
        adaptive=False,
        counted="taps",
        T=x.dtype.c,
        kernel=attrs["kernel"],
    )


def _places(found: Gradient | Taps, map: View, windows: View, views: Mapping[str, View]) -> dict[str, DimLike]:
    """Sizes of a map and of what has an element for each of its windows, where windows lie if they slide, and strides of views by name."""
    attrs = found.node.attrs
    params: dict[str, DimLike] = dict(zip(("N", "C"), _lead(map.shape, found)))
    params |= dict(zip(("IH", "IW"), _spatial(map.shape, found))) | dict(zip("HW", _spatial(windows.shape, found)))
    if "kernel" in attrs:
        params |= dict(zip(("sy", "sx"), attrs["stride"])) | dict(zip(("dy", "dx"), attrs.get("dilation", (1, 1))))
        params |= {"lo_y": attrs["padding"][0][0], "lo_x": attrs["padding"][1][0]}
    for name, view in views.items():
        params |= dict(zip((f"{name}_n", f"{name}_c"), _lead(view.strides, found, 0)))
        params |= dict(zip((f"{name}_y", f"{name}_x"), _spatial(view.strides, found)))
        if found.is_blocked:
            del params[f"{name}_x"]
    return params


def _lead(sizes: tuple[DimLike, ...], found: Gradient | Taps, missing: DimLike = 1) -> tuple[DimLike, ...]:
    """What two dimensions before the map have: images, and channels or blocks of them."""
    return sizes[:2] if found.is_blocked else (missing, missing, *sizes[:-2])[-2:]


def _spatial(sizes: tuple[DimLike, ...], found: Gradient | Taps) -> tuple[DimLike, ...]:
    return sizes[2:4] if found.is_blocked else sizes[-2:]


def gradient_seconds(found: Gradient | Taps, target: TargetLike) -> float | None:
    """Steps of vectors, or one by one where channels do not lie side by side."""
    return loop_seconds(found.bytes, found.flops, target, lanes=0 if found.is_blocked else 1)


FAMILY = (sole("pool_grad", find_gradient, lower_gradient, cost=gradient_seconds),)
TAPS = (sole("pool_taps", find_taps, lower_taps, cost=gradient_seconds),)
KERNELS = {op: FAMILY for op in ("max_pool_taps_grad", "max_pool_grad", "avg_pool_grad", "adaptive_avg_pool_grad")}
KERNELS |= {"max_pool_taps": TAPS}
