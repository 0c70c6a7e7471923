"""Convolutions of row-major values by way of a padded copy of the input, also transposed: they take whatever others do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.element import vector_store
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.blocked import spatial3
from sol.codegen.kernels.conv_direct import STRETCH
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, bounds, ceil_div, dim_max, product
from sol.ir.types import DType

MOST_TILES = 16
"""Tiles of a chunk: their sums stay near the core."""


@dataclass(frozen=True)
class Shape:
    """A convolution over three spatial dimensions (z, y, x), missing ones of size 1.

    channels, kernels: of a group. low: zeros before the first pixel. stride: pixels of the copy lie by their place modulo these. padded: so
    many of one place along each dimension. turns: where it is transposed, results by their place modulo these are convolutions with stride
    1, and dilations are negative, since later taps read earlier pixels; pad: what leads from a result to what its first tap reads, from the
    copy's first pixel on, in results.
    """

    n: DimLike
    groups: int
    channels: DimLike
    kernels: DimLike
    size: tuple[DimLike, ...]
    result: tuple[DimLike, ...]
    kernel: tuple[DimLike, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]
    padded: tuple[DimLike, ...]
    turns: tuple[int, ...] = (1, 1, 1)
    pad: tuple[int, ...] = ()

    @property
    def places(self) -> DimLike:
        """From the first place of a slice's results in the copy to the last."""
        rows, columns = (ceil_div(n, t) for n, t in zip(self.result[1:], self.turns[1:]))
        return (rows - 1) * self.padded[2] + columns

    @property
    def pixels(self) -> DimLike:
        """Elements of the copy of one channel."""
        return product(self.stride) * product(self.padded)

    def params(self) -> dict[str, DimLike]:
        named = {
            "ID IH IW": self.size, "D H W": self.result, "PD PH PW": self.padded, "KD R S": self.kernel,
            "sz sy sx": self.turns if self.pad else self.stride, "dz dy dx": self.dilation, "lo_z lo_y lo_x": self.low,
            "pad_z pad_y pad_x": self.pad,
        }  # fmt: skip
        sizes = {"N": self.n, "G": self.groups, "CG": self.channels, "KG": self.kernels}
        return sizes | {name: size for names, values in named.items() for name, size in zip(names.split(), values)}


def read_shape(lowering: Lowering) -> Shape:
    """That of the anchor: conv, conv_transpose or int_conv."""
    conv = lowering.anchor
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], conv.name))
    groups, kernel, dilation = conv.attrs["groups"], spatial3(w.shape[2:], 1), spatial3(conv.attrs["dilation"], 1)
    stride, pad = spatial3(conv.attrs["stride"], 1), spatial3([lo for lo, _ in conv.attrs["padding"]], 0)
    size, result = spatial3(x.shape[2:], 1), spatial3(out.shape[2:], 1)
    if conv.op == "conv_transpose":
        low = tuple(dim_max(0, -(-((k - 1) * d - p) // s)) for k, d, p, s in zip(kernel, dilation, pad, stride))
        reached = [lo + dim_max((n - 1 + p) // s, 0) + 1 for lo, n, p, s in zip(low, result, pad, stride)]
        pitch = ceil_div(result[2], stride[2]) + low[2] + max(0, -(-pad[2] // stride[2])) + 1
        channels, kernels, padded = x.shape[1] // groups, w.shape[1], (*reached[:2], pitch)
        back, pad = tuple(-d for d in dilation), tuple(p + lo * s for p, lo, s in zip(pad, low, stride))
        return Shape(x.shape[0], groups, channels, kernels, size, result, kernel, (1, 1, 1), back, low, padded, stride, pad)  # type: ignore[arg-type]
    padded = tuple(padded_size(*axis) for axis in zip(result, kernel, stride, dilation))
    return Shape(x.shape[0], groups, w.shape[1], w.shape[0] // groups, size, result, kernel, stride, dilation, pad, padded)


def padded_size(result: DimLike, kernel: DimLike, stride: int, dilation: int) -> DimLike:
    """Pixels that lie at the same place modulo the stride, of all that so many results read."""
    return ceil_div((result - 1) * stride + (kernel - 1) * dilation + 1, stride)


Strides = dict[str, tuple[DimLike, ...]]
"""Of each tensor, by the kernel's name of it: along image, channel, z, y, x."""


def flattened(shape: Shape, strides: Strides) -> tuple[Shape, Strides]:
    """A convolution by single pixels over maps whose rows follow each other in memory as one over a single row."""
    ones, zeros = (*shape.kernel, *shape.stride, *shape.turns), (*shape.low, *shape.pad)
    if any(n != 1 for n in ones) or any(zeros) or shape.size != shape.result:
        return shape, strides
    depth, height, width = shape.result
    for steps in strides.values():
        if steps[3] != steps[4] * width and height != 1 or steps[2] != steps[4] * (width * height) and depth != 1:
            return shape, strides
    row = (1, 1, product(shape.result))
    return replace(shape, size=row, result=row, padded=row), {name: (*steps[:2], 0, 0, steps[4]) for name, steps in strides.items()}


@dataclass(frozen=True)
class Tile:
    """XV vectors of places times KB output channels in registers; XC: places of a chunk."""

    xv: int
    kb: int
    xc: int


def choose_tile(target: TargetLike, shape: Shape, item: int, registers: int = 1) -> Tile:
    """The tile that takes the fewest steps, padding included, and chunks whose inputs fit in half of L2, so many that threads share them.

    item: bytes of an element of the copy. registers: of an operand.
    """
    lanes, places, kernels = 4 * target.lanes // item, shape.places, shape.kernels

    def rows(xv: int) -> int:
        """Output channels, evened out over the group."""
        most = min(8, (target.registers - registers * (xv + 1)) // xv)
        return -(-kernels // -(-kernels // most)) if isinstance(kernels, int) else most

    def cost(xv: int) -> float:
        """Multiply-adds, and the loads: one of inputs, from L2, costs more than one of weights."""
        width = -(-places // (xv * lanes)) * xv if isinstance(places, int) else 1
        channels = -(-kernels // rows(xv)) * rows(xv) if isinstance(kernels, int) else 1
        return width * channels * (1 + 1 / rows(xv) + 0.5 / xv)

    xv = min((4, 3, 2, 1), key=cost)
    return with_chunks(target, shape, item, xv, rows(xv))


def with_chunks(target: TargetLike, shape: Shape, item: int, xv: int, kb: int) -> Tile:
    """The tile with chunks whose inputs fit in half of L2, so many that threads share them."""
    places, kernels = shape.places, shape.kernels
    step, tiles = xv * 4 * target.lanes // item, MOST_TILES
    bytes_of_tile = item * step * product(shape.stride) * shape.channels
    if isinstance(bytes_of_tile, int):
        tiles = max(1, min(tiles, target.l2 // 2 // max(1, bytes_of_tile)))
    if isinstance(places, int) and isinstance(kernels, int):
        whole, others = max(1, -(-places // step)), shape.groups * -(-kernels // kb) * product((shape.result[0], shape.turns[1]))
        chunks = -(-whole // tiles)
        if isinstance(others, int) and others:
            chunks = min(whole, max(chunks, -(-4 * target.team // others)))
        tiles = -(-whole // chunks)
    return Tile(xv, kb, tiles * step)


def is_local(target: TargetLike, shape: Shape) -> bool:
    """Does each thread copy the groups that it computes?"""
    return shape.groups >= 2 * target.team


def emit(
    lowering: Lowering, shape: Shape, tile: Tile, strides: Strides, epilogue: Epilogue, stem: str, *, element: DType,
    reads: dict[str, View], options: dict[str, DimLike], channels: DimLike, line: DimLike = 0, context: dict[str, Any],
) -> None:  # fmt: skip
    """The launch; see templates/conv_plain.c.j2.

    element: of the copy. channels: of a group in the copy. line: elements that are padded or put in turn at a time, if more than usual.
    """
    conv, target = lowering.anchor, lowering.target
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], lowering.output))
    item, phases = element.itemsize, shape.turns[2]
    vector = 4 * target.lanes // item
    local = is_local(target, shape)
    image = channels * shape.pixels * (1 if local else shape.groups) + tile.xv * vector  # the last tile may read beyond the last row
    line = ceil_div(line or dim_max(shape.stride[2] * shape.padded[2], tile.xc * phases) + vector, vector) * vector
    params = shape.params() | {"XC": tile.xc} | ({"LINE": line} if local or "step" in options else {}) | options
    for name, steps in strides.items():
        keep_x = name in ("in", "out") and steps[4] != 1
        params |= {f"{name}_{axis}": s for axis, s in zip("nczyx", steps) if axis != "x" or keep_x}
    lowering.emit(
        "conv_plain.c.j2",
        f"{stem}_{tile.kb}x{tile.xv}{'_' if epilogue.stem else ''}{epilogue.stem}",
        reads=reads | {o.name: o.view for o in epilogue.operands},
        writes={"out": lowering.view(lowering.output)},
        params=params,
        scratch=16 * product(shape.kernel) + 128 + item * (tile.kb * phases * tile.xc + line + (image if local else 0)),
        shared_scratch=0 if local else item * image,
        flops=2 * product(w.shape[1:]) * product(x.shape if shape.pad else out.shape),
        bytes=x.dtype.itemsize * product(x.shape) + w.dtype.itemsize * product(w.shape) + out.dtype.itemsize * product(out.shape),
        T=element.c, input=x.dtype.c, XV=tile.xv, KB=tile.kb, local=local, transposed=bool(shape.pad),
        in_x="1" if strides["in"][4] == 1 else "in_x", out_x="1" if strides["out"][4] == 1 else "out_x",
        operands=epilogue.texts, **_epilogue(epilogue, out.dtype, element), **_FLOATS | context,
    )  # fmt: skip


_FLOATS = {"dwords": False, "matrix": False, "packed": True, "neighbours": False, "stretch": 0, "has_bias": False}
"""What the template is told unless a caller says otherwise."""


def _epilogue(epilogue: Epilogue, dtype: DType, element: DType) -> dict[str, Any]:
    """The template's words for what follows the sum, and for storing it."""
    lines, text = epilogue.trace("a", lambda o: o.name, "t") if not epilogue.is_identity else ([], "a")
    words = {"epilogue_lines": tuple(lines), "epilogue_result": text, "result": dtype.c, "summed": "vi" if element is DType.I32 else "vf"}
    if dtype is DType.F64:
        return words
    return words | {
        "result_vector": "vf" if dtype is DType.F32 else "vi", "store": vector_store(dtype, "to + x", "r"),
        "store_n": vector_store(dtype, "to + x", "r", count="some"), "store_lane": vector_store(dtype, "lane", "r"),
    }  # fmt: skip


def all_strides(lowering: Lowering, epilogue: Epilogue) -> Strides:
    """Those of the input, the output and what the epilogue reads."""
    found = {"in": lowering.view(lowering.anchor.inputs[0]).strides, "out": lowering.view(lowering.output).strides}
    found |= {o.name: o.strides for o in epilogue.operands}
    return {name: (*steps[:2], *spatial3(steps[2:], 0)) for name, steps in found.items()}


def _lower(lowering: Lowering) -> None:
    """One launch for floats, transposed or not."""
    _check(lowering)
    conv = lowering.anchor
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], conv.name))
    epilogue = make_epilogue(lowering, conv.name, channel_axis=out.rank - 1)
    if not epilogue.is_identity and x.dtype is not DType.F32:
        culprit = f"pointwise ops fused behind a {x.dtype} {conv.op}"
        raise UnsupportedError(culprit, origin=str(conv.origin), remedy="fuse them for f32 only")
    shape, strides = flattened(read_shape(lowering), all_strides(lowering, epilogue))
    tile = choose_tile(lowering.target, shape, x.dtype.itemsize)
    packed = lowering.is_constant(conv.inputs[1]) and w.is_static
    weight, options = _weight(lowering, tile.kb, packed)
    reads = {"in": lowering.view(conv.inputs[0]), "weight": weight}
    if len(conv.inputs) == 3:
        reads["bias"] = lowering.view(conv.inputs[2])
        options["bias_k"] = reads["bias"].strides[0]
    reduction = product(shape.kernel) * shape.channels
    stretch = STRETCH if bounds(reduction)[1] > 2 * STRETCH else 0
    stem = f"{'conv_plain' if conv.op == 'conv' else conv.op}_{x.dtype}"
    emit(
        lowering, shape, tile, strides, epilogue, stem, element=x.dtype, reads=reads, options=options, channels=shape.channels,
        context={"packed": packed, "stretch": stretch, "has_bias": "bias" in reads},
    )  # fmt: skip


def _weight(lowering: Lowering, width: int, packed: bool) -> tuple[View, dict[str, DimLike]]:
    """The weights, and their strides where they lie as they came."""
    conv = lowering.anchor
    groups, transposed = conv.attrs["groups"], conv.op == "conv_transpose"
    if packed:
        return lowering.weight(conv.inputs[1], "conv_plain", groups=groups, width=width, transposed=transposed), {}
    view = lowering.view(conv.inputs[1])
    first, second = view.strides[:2]
    strides = dict(zip(("w_z", "w_r", "w_s"), spatial3(view.strides[2:], 0)))
    per_group = view.shape[0] // groups * first
    return view, {"w_g": per_group, "w_k": second if transposed else first, "w_c": first if transposed else second, **strides}


def _check(lowering: Lowering) -> None:
    conv = lowering.anchor
    for value in (*conv.inputs[:2], lowering.output):
        type, origin = lowering.type_of(value), str(conv.origin)
        if type.dtype not in (DType.F32, DType.F64):
            raise UnsupportedError(f"{conv.op} of {type.dtype} values", origin=origin, remedy="cast to float32 before and back after it")
        if type.layout.block:
            culprit = f"{conv.op} with %{value}: {type} has no blocked kernel"
            raise UnsupportedError(culprit, origin=origin, remedy="give its operands and result the plain layout")


def _is_plain(lowering: Lowering) -> bool:
    values = (lowering.anchor.inputs[0], *lowering.body.outputs)
    return len(lowering.body.outputs) == 1 and not any(lowering.type_of(v).layout.block for v in values)


CANDIDATES = (sole("conv_plain", lambda lowering: _is_plain(lowering) or None, lambda lowering, _: _lower(lowering)),)
TRANSPOSE_CANDIDATES = (sole("conv_transpose", lambda lowering: True, lambda lowering, _: _lower(lowering)),)

__all__ = ["CANDIDATES", "TRANSPOSE_CANDIDATES"]
