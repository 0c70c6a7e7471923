"""Convolution of unsigned with signed bytes (int_conv), row-major, exact in int32, with an epilogue that may give floats or bytes."""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.decision import sole
from sol.codegen.epilogue import make_epilogue
from sol.codegen.kernels.conv_plain import Shape, all_strides, choose_tile, emit, flattened, is_local, read_shape
from sol.codegen.kernels.matmul_int import BYTES
from sol.codegen.lowering import Lowering
from sol.ir.dim import DimLike, ceil_div
from sol.ir.lanes import LANE_DTYPES
from sol.ir.types import DType


def _lower(lowering: Lowering) -> None:
    """One launch over a copy of dwords: four channels of a pixel or, where a group has only one, four pixels that a row of taps meets."""
    conv, lanes = lowering.anchor, lowering.target.lanes
    epilogue = make_epilogue(lowering, conv.name, channel_axis=lowering.type_of(conv.name).rank - 1, dtypes=LANE_DTYPES)
    shape, strides = flattened(read_shape(lowering), all_strides(lowering, epilogue))
    near, step = shape.dilation[2], shape.stride[2]
    alone = shape.groups == 1 or is_local(lowering.target, shape)
    neighbours = shape.channels == 1 and alone and shape.kernel[2] != 1 and BYTES * near % step == 0
    options: dict[str, DimLike] = {}
    line: DimLike = 0
    if neighbours:
        shape, options = _of_neighbours(shape), {"near": near, "step": step}
        line = ceil_div(step * shape.pixels + 3 * near + (4 + step) * lanes, BYTES)
    quads = ceil_div(shape.channels, BYTES)
    # Targets without instructions for bytes take two registers for an operand.
    tile = choose_tile(lowering.target, replace(shape, channels=quads), BYTES, registers=2)
    weight = lowering.weight(conv.inputs[1], "int_taps", groups=shape.groups, rows=tile.kb, neighbours=neighbours)
    reads, fill = {"in": lowering.view(conv.inputs[0]), "weight": weight}, lowering.body.producer(conv.inputs[2])
    literal = fill.op == "constant"
    if literal:
        options["fill"] = int(fill.attrs["value"].value)
    else:
        reads["fill"] = lowering.view(conv.inputs[2])
    emit(
        lowering, shape, tile, strides, epilogue, "int_conv", element=DType.I32, reads=reads, options=options, channels=quads,
        line=line, context={"dwords": True, "fill": "fill" if literal else "*fill", "neighbours": neighbours},
    )  # fmt: skip


def _of_neighbours(shape: Shape) -> Shape:
    """A convolution with one channel per group as one whose dwords hold a pixel and the next three that a row of taps meets.

    Its rows end with the last pixel that is read, and follow each other without a gap, so that all dwords are made in one go.
    """
    near, step = shape.dilation[2], shape.stride[2]
    return replace(
        shape, channels=BYTES, kernel=(*shape.kernel[:2], ceil_div(shape.kernel[2], BYTES)), stride=(*shape.stride[:2], 1),
        dilation=(*shape.dilation[:2], BYTES * near // step),
    )  # fmt: skip


KERNELS = {"int_conv": (sole("int_conv", lambda lowering: True, lambda lowering, _: _lower(lowering)),)}
