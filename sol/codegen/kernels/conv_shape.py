"""A convolution as its kernels see it: sizes, and how what it reads and writes lies in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sol.codegen.element import PRODUCT_TYPES
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import SolError
from sol.ir.dim import DimLike
from sol.ir.graph import Node
from sol.ir.types import DType


@dataclass(frozen=True)
class Conv:
    """A convolution over two spatial dimensions; one with a single dimension has height 1.

    n, c, k: batch, input and output channels. h, w, oh, ow: input and output size. kernel, stride, dilation: (y, x).
    padding: zeros before the first row and column; ``after``: zeros read behind the last ones. dtype: of input and weights.
    """

    node: Node
    n: DimLike
    c: int
    k: int
    h: DimLike
    w: DimLike
    oh: DimLike
    ow: DimLike
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int]
    after: tuple[int, int]
    groups: int
    dtype: DType = DType.F32

    @property
    def group(self) -> int:
        """Input channels of a group."""
        return self.c // self.groups

    @property
    def flops(self) -> DimLike:
        return 2 * self.k * self.reduction * (self.n * self.oh * self.ow)

    @property
    def reduction(self) -> int:
        """Multiply-adds per output."""
        return self.group * self.kernel[0] * self.kernel[1]

    @property
    def weight_bytes(self) -> int:
        return self.dtype.itemsize * self.k * self.reduction

    def reach(self, axis: int, outputs: DimLike) -> DimLike:
        """Elements of the input that so many neighbouring outputs read along an axis."""
        return (outputs - 1) * self.stride[axis] + (self.kernel[axis] - 1) * self.dilation[axis] + 1


def read_conv(lowering: Lowering, node: Node | None = None) -> Conv | None:
    """A convolution (the region's anchor) as a Conv; None if it has three spatial dimensions, symbolic channels, run-time weights or
    elements of which no product adds up in float32."""
    node = node or lowering.anchor
    x, w = lowering.type_of(node.inputs[0]), lowering.type_of(node.inputs[1])
    if x.rank not in (3, 4) or not all(isinstance(s, int) for s in (x.shape[1], *w.shape)):
        return None
    if x.dtype not in PRODUCT_TYPES or w.dtype is not x.dtype or not all(lowering.is_constant(i) for i in node.inputs[1:]):
        return None
    one = (1,) * (4 - x.rank)
    nowhere = ((0, 0),) * (4 - x.rank)
    attrs, out = node.attrs, node.type
    padding = (*nowhere, *attrs["padding"])
    n, c, *size = x.shape
    image, result = (*one, *size), (*one, *out.shape[2:])
    k, kernel = static_size(w.shape[0]), tuple(static_size(s) for s in (*one, *w.shape[2:]))
    return Conv(
        node, n, static_size(c), k, image[0], image[1], result[0], result[1],
        kernel=(kernel[0], kernel[1]), stride=(*one, *attrs["stride"]), dilation=(*one, *attrs["dilation"]),
        padding=tuple(p[0] for p in padding), after=tuple(p[1] for p in padding), groups=attrs["groups"],
        dtype=x.dtype,
    )  # fmt: skip


def static_size(size: DimLike) -> int:
    """A size that is known to be fixed."""
    if not isinstance(size, int):
        raise SolError(f"size {size} must be fixed here")
    return size


def spatial_strides(strides: tuple[DimLike, ...]) -> tuple[DimLike, ...]:
    """Blocked storage strides with a height of stride 0 inserted where there is only a width: (n, cb, y, x, lane)."""
    return strides if len(strides) == 5 else (*strides[:2], 0, *strides[2:])


def is_pointwise(conv: Conv) -> bool:
    """1x1 without padding."""
    return conv.kernel == (1, 1) and conv.padding == (0, 0) and conv.after == (0, 0)


def is_flat(conv: Conv, strides: Sequence[tuple[DimLike, ...]]) -> bool:
    """1x1 with stride 1 on rows that lie one behind the other, provably, in every tensor of these blocked strides."""
    if conv.kernel != (1, 1) or conv.stride != (1, 1) or conv.padding != (0, 0) or conv.oh == 1:
        return False
    return all(row == conv.ow * column for _, _, row, column, _ in map(spatial_strides, strides))


def check_border(lowering: Lowering, conv: Conv, view: View) -> None:
    """SolError if the input lacks the zeros that the kernel reads around it."""
    border = view.border or ((0, 0),) * (len(view.shape) - 3)
    border = ((0, 0),) * (2 - len(border)) + tuple(border)
    for axis, size, out in ((0, conv.h, conv.oh), (1, conv.w, conv.ow)):
        reach = conv.reach(axis, out) - size - conv.padding[axis]
        behind = reach if isinstance(reach, int) else conv.after[axis]
        if border[axis][0] < conv.padding[axis] or border[axis][1] < behind:
            raise SolError(
                f"region {lowering.region.name} reads {conv.padding[axis]} and {behind} elements around axis {axis} "
                f"of its input, which has a border of {border[axis]}", origin=str(lowering.region.origin)
            )  # fmt: skip


def is_blocked(view: View, lanes: int) -> bool:
    """Does a view hold vectors of ``lanes`` channels, those of neighbouring columns one behind the other?"""
    return view.layout.block == lanes and spatial_strides(view.strides)[3:] == (lanes, 1)


def column_step(view: View, lanes: int) -> int:
    """How many vectors of ``lanes`` channels lie between neighbouring columns of a result; 0 if it does not hold such vectors."""
    column, lane = spatial_strides(view.strides)[3:] if view.layout.block == lanes else (0, 0)
    return column // lanes if lane == 1 and isinstance(column, int) and column % lanes == 0 else 0


def pitch(step: int) -> str:
    """C text of the elements between columns that lie so many vectors apart."""
    return "LANES" if step == 1 else f"{step} * LANES"
