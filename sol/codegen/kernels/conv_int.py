"""Convolution of unsigned with signed bytes (int_conv), row-major, exact in int32, with an epilogue that may give floats or bytes."""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.decision import sole
from sol.codegen.epilogue import make_epilogue
from sol.codegen.kernels.conv_bytes import CANDIDATES as BLOCKED
from sol.codegen.kernels.conv_plain import Shape, all_strides, choose_tile, emit, flattened, is_local, read_shape, with_chunks
from sol.codegen.kernels.conv_tiles import FEWEST_CHANNELS
from sol.codegen.kernels.conv_tiling import MATRIX_ROWS
from sol.codegen.kernels.conv_words import CANDIDATES as WORDS
from sol.codegen.kernels.packed_steps import BYTES
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import DimLike, ceil_div, product
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
    matrix = not neighbours and multiplies_byte_images(lowering.target, shape)
    if matrix:
        of_step = matrix_quads(shape.channels)  # type: ignore[arg-type]
        kb = MATRIX_ROWS if isinstance(shape.kernels, int) and shape.kernels <= MATRIX_ROWS else 2 * MATRIX_ROWS
        tile = with_chunks(lowering.target, replace(shape, channels=quads), BYTES, 2, kb)
        weight = lowering.weight(conv.inputs[1], "int_tiles", groups=shape.groups, rows=kb, quads=of_step)
        quads = ceil_div(quads, of_step) * of_step
        options |= {"quads": of_step, "pitch": quads * BYTES * product(shape.kernel)}
    else:
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
        lowering, shape, tile, strides, epilogue, "int_conv_tiles" if matrix else "int_conv", element=DType.I32, reads=reads,
        options=options, channels=quads, line=line,
        context={"dwords": True, "fill": "fill" if literal else "*fill", "neighbours": neighbours, "matrix": matrix},
    )  # fmt: skip


def multiplies_byte_images(target: TargetLike, shape: Shape) -> bool:
    """Whether matrix tiles compute a convolution: of so many channels that a step of a tile does more than dot products of vectors."""
    return target.matrix_tiles and isinstance(shape.channels, int) and shape.channels >= FEWEST_CHANNELS


def matrix_quads(channels: int) -> int:
    """Groups of four channels in a step of matrix tiles: as many as fill whole steps evenly."""
    quads = -(-channels // BYTES)
    return -(-quads // -(-quads // MATRIX_ROWS))


def _of_neighbours(shape: Shape) -> Shape:
    """A convolution with one channel per group as one whose dwords hold a pixel and the next three that a row of taps meets.

    Its rows end with the last pixel that is read, and follow each other without a gap, so that all dwords are made in one go.
    """
    near, step = shape.dilation[2], shape.stride[2]
    return replace(
        shape, channels=BYTES, kernel=(*shape.kernel[:2], ceil_div(shape.kernel[2], BYTES)), stride=(*shape.stride[:2], 1),
        dilation=(*shape.dilation[:2], BYTES * near // step),
    )  # fmt: skip


KERNELS = {"int_conv": (*WORDS, *BLOCKED, sole("int_conv", lambda lowering: True, lambda lowering, _: _lower(lowering)),)}
