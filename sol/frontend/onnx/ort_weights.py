"""Weights of few bits packed into bytes, block by block (domain com.microsoft): unpacked and dequantised once, when weights are packed."""

from __future__ import annotations

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.ort_fused import DOMAIN
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.types import DType


def unpacked_bits(ctx: Context, x: str, bits: int) -> str:
    """Bytes [..., n] as numbers of ``bits`` bits [..., n * 8 / bits], those in the low bits first."""
    if bits == 8:
        return x
    if bits not in (1, 2, 4):
        ctx.fail(f"weights of {bits} bits", "use 2, 4 or 8 bits")
    sizes, count = ctx.size(x), 8 // bits
    parts = []
    for i in range(count):
        part = x if i == 0 else ctx.add("floor_divide", x, ctx.constant(1 << (i * bits), DType.U8))
        part = ctx.add("bitwise_and", part, ctx.constant((1 << bits) - 1, DType.U8))
        parts.append(ctx.reshape(part, (*sizes, 1)))
    return ctx.reshape(ctx.concat(parts, len(sizes)), (*sizes[:-1], sizes[-1] * count))


@converter("MatMulNBits", domain=DOMAIN)
def matmul_nbits(ctx: Context, node: OnnxNode) -> str:
    """The product with weights [N, blocks, bytes], each block of which has a scale and a zero point, in the type of A.

    Without zero points they are in the middle of the range. ``accuracy_level`` allows coarser arithmetic; float32 is used. Weights of 4 and
    8 bits stay as they are, others are dequantized when weights are packed.
    """
    x, packed, scales, zeros, order, bias = (node.input(i) for i in range(6))
    if order is not None:
        ctx.fail("weights whose rows are reordered (g_idx)", "quantise without reordering")
    if node.attr("weight_prepacked", 0):
        ctx.fail("weights in the order of one machine (weight_prepacked)", "quantise without it")
    rows, depth, bits, block = (int(node.attr(k, d)) for k, d in (("N", 0), ("K", 0), ("bits", 4), ("block_size", 32)))
    blocks = -(-depth // block)
    result = ctx.type(x).dtype
    codes = ctx.reshape(packed, (rows, blocks * block * bits // 8))
    middle = 1 << (bits - 1)
    if bits in (4, 8) and block % 8 == 0:
        codes = ctx.slice(codes, 1, 0, -(-depth * bits // 8))
        if bits == 8:
            codes = ctx.cast(ctx.add("sub", ctx.cast(codes, DType.I32), ctx.constant(middle, DType.I32)), DType.I8)
        operands = [codes, ctx.reshape(ctx.cast(scales, DType.F32), (rows, blocks))]
        if zeros is not None:
            points = ctx.reshape(_zero_points(ctx, zeros, rows, blocks, bits), (rows, blocks))
            points = ctx.add("sub", points, ctx.constant(float(middle), DType.F32))
            operands.append(points if ctx.type(zeros).dtype.is_float else ctx.cast(points, DType.I8))
        y = ctx.add("weight_only_linear", ctx.cast(x, DType.F32), *operands, group=block)
        y = y if bias is None else ctx.add("add", y, ctx.cast(bias, DType.F32))
        return ctx.cast(y, result)
    w = ctx.reshape(unpacked_bits(ctx, codes, bits), (rows, blocks, block))
    offset = ctx.constant(float(middle), DType.F32) if zeros is None else _zero_points(ctx, zeros, rows, blocks, bits)
    w = ctx.add("sub", ctx.cast(w, DType.F32), offset)
    w = ctx.add("mul", w, ctx.reshape(ctx.cast(scales, DType.F32), (rows, blocks, 1)))
    w = ctx.slice(ctx.reshape(w, (rows, blocks * block)), 1, 0, depth)
    operands = [ctx.cast(x, DType.F32), w, *([] if bias is None else [ctx.cast(bias, DType.F32)])]
    return ctx.cast(ctx.add("linear", *operands), result)


def _zero_points(ctx: Context, zeros: str, rows: int, blocks: int, bits: int) -> str:
    """[N, blocks, 1] in float32, from floats, or from bytes that hold several."""
    if ctx.type(zeros).dtype.is_float:
        return ctx.reshape(ctx.cast(zeros, DType.F32), (rows, blocks, 1))
    points = unpacked_bits(ctx, ctx.reshape(zeros, (rows, -(-blocks * bits // 8))), bits)
    return ctx.cast(ctx.reshape(ctx.slice(points, 1, 0, blocks), (rows, blocks, 1)), DType.F32)


@converter("GatherBlockQuantized", domain=DOMAIN)
def gather_block_quantized(ctx: Context, node: OnnxNode) -> str:
    """Rows of a table whose blocks along ``quantize_axis`` have a scale and a zero point each."""
    data, index, scales, zeros = (node.input(i) for i in range(4))
    is_bytes = ctx.type(data).dtype is DType.U8
    bits = int(node.attr("bits", 4)) if is_bytes else 8
    data = unpacked_bits(ctx, data, bits)
    rank = ctx.rank(data)
    axis, along = ctx.axis(node.attr("quantize_axis", 1), rank), ctx.axis(node.attr("gather_axis", 0), rank)
    block = int(node.attr("block_size", 128)) or ctx.fixed(ctx.size(data)[axis : axis + 1], "the quantised axis")[0]
    y = ctx.cast(data, DType.F32)
    if zeros is not None:
        zeros = ctx.slice(unpacked_bits(ctx, zeros, bits), rank - 1, 0, ctx.size(scales)[-1]) if is_bytes else zeros
        y = ctx.add("sub", y, _by_block(ctx, ctx.cast(zeros, DType.F32), y, axis, block))
    elif is_bytes:
        y = ctx.add("sub", y, ctx.constant(float(1 << (bits - 1)), DType.F32))
    y = ctx.add("mul", y, _by_block(ctx, ctx.cast(scales, DType.F32), y, axis, block))
    return ctx.cast(ctx.convert("Gather", y, index, axis=along), ctx.type(scales).dtype)


def _by_block(ctx: Context, x: str, like: str, axis: int, block: int) -> str:
    """One number per block along ``axis`` repeated for each element of the block."""
    sizes = list(ctx.size(x))
    (count,) = ctx.fixed(ctx.size(like)[axis : axis + 1], "the quantised axis")
    x = ctx.expand(ctx.reshape(x, (*sizes[: axis + 1], 1, *sizes[axis + 1 :])), (*sizes[: axis + 1], block, *sizes[axis + 1 :]))
    sizes[axis] = sizes[axis] * block
    return ctx.slice(ctx.reshape(x, sizes), axis, 0, count)
