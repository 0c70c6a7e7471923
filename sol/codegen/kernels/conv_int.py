"""Convolution of unsigned with signed bytes (int_conv), row-major, exact in int32, with a tail that may give floats or bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.element import vector_store
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.blocked import spatial3
from sol.codegen.kernels.matmul_int import BYTES
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike, ceil_div, product
from sol.ir.lanes import LANE_DTYPES
from sol.ir.types import DType

MOST_PLACES = 1 << 14
"""Places of a chunk: its sums in int32 stay near the core."""


@dataclass(frozen=True)
class _Shape:
    """A convolution over three spatial dimensions (z, y, x), missing ones of size 1.

    beyond: pixels behind the last one of a row that its last dwords hold as well.
    """

    n: DimLike
    groups: int
    channels: int
    kernels: int
    size: tuple[DimLike, ...]
    result: tuple[DimLike, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]
    beyond: int = 0

    @property
    def padded(self) -> tuple[DimLike, ...]:
        """Pixels of the padded image along each dimension that lie at the same place modulo the stride."""
        grown = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(self.result, self.stride, self.kernel, self.dilation)]
        grown[2] = grown[2] + self.beyond
        return tuple(ceil_div(g, s) for g, s in zip(grown, self.stride))

    @property
    def places(self) -> DimLike:
        """From the first place of the padded result to the last."""
        _, height, width = self.padded
        deep, high, wide = self.result
        return ((deep - 1) * height + high - 1) * width + wide

    @property
    def quads(self) -> int:
        return -(-self.channels // BYTES)

    @property
    def group_dwords(self) -> DimLike:
        """Dwords of the padded copy of one group's channels."""
        return self.quads * product(self.stride) * product(self.padded)


def _shape_of(lowering: Lowering) -> _Shape:
    conv = lowering.anchor
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], conv.name))
    groups = conv.attrs["groups"]
    return _Shape(
        x.shape[0], groups, int(w.shape[1]), int(w.shape[0]) // groups, spatial3(x.shape[2:], 1), spatial3(out.shape[2:], 1),  # type: ignore[arg-type]
        spatial3(w.shape[2:], 1), spatial3(conv.attrs["stride"], 1), spatial3(conv.attrs["dilation"], 1),  # type: ignore[arg-type]
        spatial3([lo for lo, _ in conv.attrs["padding"]], 0),
    )  # fmt: skip


@dataclass(frozen=True)
class _Tile:
    """XV vectors of places times KB output channels in registers; XC: places of a chunk."""

    xv: int
    kb: int
    xc: int


def _tile(target: TargetLike, shape: _Shape) -> _Tile:
    """The tile that takes the fewest steps, padding included; operands take two registers where targets lack instructions."""
    lanes = target.lanes

    def rows(xv: int) -> int:
        most = min(8, (target.registers - 2 - 2 * xv) // xv)
        return -(-shape.kernels // -(-shape.kernels // most))

    def cost(xv: int) -> float:
        width = -(-shape.places // (xv * lanes)) * xv if isinstance(shape.places, int) else xv
        per_vector = 1 if isinstance(shape.places, int) else 1 / xv
        return width * per_vector * -(-shape.kernels // rows(xv)) * rows(xv) * (1 + 1 / rows(xv) + 0.5 / xv)

    xv = min((3, 2, 1), key=cost)
    step = xv * lanes
    near = target.l2 // 2 // (BYTES * shape.quads * max(1, math.prod(shape.stride)))
    most = max(1, min(near, MOST_PLACES) // step)
    if isinstance(shape.places, int):
        most = min(most, -(-shape.places // step))
    return _Tile(xv, rows(xv), most * step)


def lower_int_conv(lowering: Lowering) -> None:
    """One launch; see templates/conv_int.c.j2."""
    conv = lowering.anchor
    shape = _shape_of(lowering)
    out, weight = lowering.type_of(lowering.output), lowering.type_of(conv.inputs[1])
    epilogue = make_epilogue(lowering, conv.name, channel_axis=out.rank - 1, dtypes=LANE_DTYPES)
    views = {"in": lowering.view(conv.inputs[0]), "out": lowering.view(lowering.output)}
    strides = {name: _strides(v.strides) for name, v in views.items()}
    strides |= {o.name: _strides(o.strides) for o in epilogue.operands}
    shape, strides = _flattened(shape, strides)
    near, step = shape.dilation[2], shape.stride[2]
    neighbours = shape.channels == 1 and shape.kernel[2] > 1 and BYTES * near % step == 0
    flat = neighbours and shape.stride == (1, 1, 1)
    if neighbours:
        shape = _of_neighbours(shape, flat)
    tile = _tile(lowering.target, shape)
    local = shape.groups >= 2 * lowering.target.team
    reads: dict[str, View] = {
        "in": views["in"], "weight": lowering.weight(conv.inputs[1], "int_taps", groups=shape.groups, rows=tile.kb,
                                                                neighbours=neighbours),
        **{o.name: o.view for o in epilogue.operands},
    }  # fmt: skip
    fill = lowering.body.producer(conv.inputs[2])
    literal = fill.op == "constant"
    options: dict[str, DimLike] = {"near": near, "step": step} if neighbours else {}
    if literal:
        options["fill"] = int(fill.attrs["value"].value)
    else:
        reads["fill"] = lowering.view(conv.inputs[2])
    taps, slack = math.prod(shape.kernel), tile.xv * lowering.target.lanes
    image = shape.group_dwords * (1 if local else shape.groups) + slack
    lanes = lowering.target.lanes
    row = shape.stride[2] * shape.padded[2] + lanes
    rows = product(shape.stride[:2]) * product(shape.padded[:2])
    scratch = 8 * taps + 64 + 4 * (tile.kb * tile.xc + row) + (4 * image if local else 0)
    if neighbours:
        scratch = scratch + rows * (row * step + 3 * near) + 3 * near + 12 * lanes + 64
    lowering.emit(
        "conv_int.c.j2",
        f"int_conv_{tile.kb}x{tile.xv}{'_' if epilogue.stem else ''}{epilogue.stem}",
        reads=reads,
        writes={"out": views["out"]},
        params=_params(shape, tile, strides) | options,
        scratch=scratch,
        common=0 if local else 4 * image,
        flops=2 * weight.size // weight.shape[0] * product(out.shape),
        bytes=product(views["in"].shape) + weight.size + product(out.shape) * out.dtype.itemsize,
        fill="fill" if literal else "*fill", XV=tile.xv, KB=tile.kb, local=local, in_x="1" if strides["in"][4] == 1 else "in_x",
        neighbours=neighbours, flat=flat, operands=epilogue.texts,
        **_tail(epilogue, out.dtype, strides["out"][4] == 1),
    )  # fmt: skip


def _of_neighbours(shape: _Shape, flat: bool) -> _Shape:
    """A convolution with one channel per group as one whose dwords hold a pixel and the next three that a row of taps meets.

    flat: rows follow each other without a gap, so that their dwords are made in one go.
    """
    deep, high, wide = shape.kernel
    near, step, taps = shape.dilation[2], shape.stride[2], -(-wide // BYTES)
    beyond = max((wide - 1) * near - (taps - 1) * BYTES * near, 0) if flat else 0
    return replace(
        shape, channels=BYTES, kernel=(deep, high, taps), stride=(*shape.stride[:2], 1), beyond=beyond,
        dilation=(*shape.dilation[:2], BYTES * near // step),
    )  # fmt: skip


def _params(shape: _Shape, tile: _Tile, strides: dict[str, tuple[DimLike, ...]]) -> dict[str, DimLike]:
    params: dict[str, DimLike] = {
        "N": shape.n, "G": shape.groups, "CG": shape.channels, "KG": shape.kernels, "XC": tile.xc,
        **dict(zip(("ID", "IH", "IW"), shape.size)), **dict(zip(("D", "H", "W"), shape.result)),
        **dict(zip(("PD", "PH", "PW"), shape.padded)), **dict(zip(("KD", "R", "S"), shape.kernel)),
        **dict(zip(("sz", "sy", "sx"), shape.stride)), **dict(zip(("dz", "dy", "dx"), shape.dilation)),
        **dict(zip(("lo_z", "lo_y", "lo_x"), shape.low)),
    }  # fmt: skip
    for name, steps in strides.items():
        keep_x = name in ("in", "out") and steps[4] != 1
        params |= {f"{name}_{axis}": s for axis, s in zip("nczyx", steps) if axis != "x" or keep_x}
    return params


def _tail(epilogue: Epilogue, dtype: DType, unit: bool) -> dict[str, Any]:
    """The template's words for what follows the sum, and for storing it."""
    lines, text = epilogue.trace("a", lambda o: o.name, "t") if not epilogue.is_identity else ([], "a")
    return {
        "tail_lines": tuple(lines), "tail_result": text, "result": dtype.c, "result_vector": "vf" if dtype is DType.F32 else "vi",
        "out_x": "1" if unit else "out_x", "store": vector_store(dtype, "to + x", "r"),
        "store_n": vector_store(dtype, "to + x", "r", count="some"), "store_lane": vector_store(dtype, "lane", "r"),
    }  # fmt: skip


def _strides(strides: tuple[DimLike, ...]) -> tuple[DimLike, ...]:
    return (*strides[:2], *spatial3(strides[2:], 0))


def _flattened(shape: _Shape, strides: dict[str, tuple[DimLike, ...]]) -> tuple[_Shape, dict[str, tuple[DimLike, ...]]]:
    """A convolution by single pixels over maps whose rows follow each other in memory as one over a single row."""
    pointwise = all(k == 1 for k in shape.kernel) and all(s == 1 for s in shape.stride) and all(lo == 0 for lo in shape.low)
    if not pointwise or shape.size != shape.result:
        return shape, strides
    _, height, width = shape.result
    for steps in strides.values():
        if steps[3] != steps[4] * width and height != 1 or steps[2] != steps[4] * (width * height) and shape.result[0] != 1:
            return shape, strides
    row = (1, 1, product(shape.result))
    flat = {name: (*steps[:2], 0, 0, steps[4]) for name, steps in strides.items()}
    return replace(shape, size=row, result=row), flat


KERNELS = {"int_conv": (sole("int_conv", lambda lowering: True, lambda lowering, _: lower_int_conv(lowering)),)}
