"""The gradient of a convolution for its weights, as its kernels see it: sizes, and where input, gradient and result lie."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sol.codegen.kernels.conv_shape import is_blocked
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.ir.dim import DimLike, product
from sol.ir.types import DType


@dataclass(frozen=True)
class Gradient:
    """Over two spatial dimensions, all sizes known; the result is float32, operands may be narrower.

    n, c, k: batch, input and output channels. h, w, oh, ow: size of the input and of the gradient. kernel, stride, dilation, padding:
    (y, x), padding before the first row and column. is_plain: whether the input is row-major. x, grad, out: where input, gradient and
    result lie.
    """

    n: int
    c: int
    k: int
    h: int
    w: int
    oh: int
    ow: int
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int]
    groups: int
    is_plain: bool
    x: View
    grad: View
    out: View

    @property
    def group(self) -> int:
        """Input channels of a group."""
        return self.c // self.groups

    @property
    def flops(self) -> int:
        return 2 * self.k * self.group * self.kernel[0] * self.kernel[1] * self.n * self.oh * self.ow

    @property
    def anywhere(self) -> Gradient:
        """The gradient without where its operands lie: equal for layers of equal shape."""
        return replace(self, x=None, grad=None, out=None)  # type: ignore[arg-type]

    @property
    def bytes(self) -> DimLike:
        return sum(product(v.shape) * v.dtype.itemsize for v in (self.x, self.grad, self.out))

    @property
    def geometry(self) -> dict[str, int]:
        """Sizes and options by the names that templates give them."""
        pairs = {"H W": (self.h, self.w), "OH OW": (self.oh, self.ow), "R S": self.kernel, "sy sx": self.stride, "dy dx": self.dilation}
        pairs["py px"] = self.padding
        return {"N": self.n} | {k: v for names, two in pairs.items() for k, v in zip(names.split(), two)}

    @property
    def strides(self) -> dict[str, DimLike]:
        """Of input and gradient from one image, block or channel and row to the next, by the names that templates give them."""
        views = (("in", self.x), ("grad", self.grad))
        return {f"{name}_{axis}": step for name, view in views for axis, step in zip(("n", "c", "row"), view.strides)}


def read_gradient(lowering: Lowering, dtype: DType = DType.F32) -> Gradient | None:
    """The region's gradient of operands of that type; None unless the gradient of the convolution's result is blocked, the region's own
    result row-major, and all that a Gradient has known."""
    node = lowering.anchor
    views = [lowering.view(v) for v in (*node.inputs, node.name)]
    types = [lowering.type_of(v) for v in (*node.inputs, node.name)]
    x, grad, out = views
    if any(t.rank != 4 or not t.is_static for t in types) or out.layout.block or [t.dtype for t in types] != [dtype, dtype, DType.F32]:
        return None
    if not is_blocked(grad, lowering.target.lanes) or x.layout.block and not is_blocked(x, lowering.target.lanes):
        return None
    (n, c, h, w), (_, k, oh, ow), (_, _, r, s) = (tuple(int(d) for d in t.shape) for t in types)  # type: ignore[arg-type]
    low = tuple(p[0] for p in node.attrs["padding"])
    if 0 in (n, c, k, h, w, oh, ow) or out.strides[2:] != (s, 1):
        return None
    return Gradient(
        n, c, k, h, w, oh, ow, (r, s), node.attrs["stride"], node.attrs["dilation"], (low[0], low[1]), node.attrs["groups"],
        not x.layout.block, x, grad, out,
    )  # fmt: skip


__all__ = ["Gradient", "read_gradient"]
