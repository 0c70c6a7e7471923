"""Channels in another order (channel_select) or layout (reorder), made of pixels (space_to_depth) or of slices (stack_slices): one kernel
each for all layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.codegen.element import FAMILIES
from sol.codegen.kernels.dfp_pointwise import Part, Sweep, find_sweep
from sol.codegen.kernels.dfp_request import Request, request
from sol.codegen.kernels.dfp_space import Axis, merge
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, dim_text, product
from sol.ir.graph import Node
from sol.ir.lanes import FLOAT_LANES
from sol.ir.types import DType

NONE = 255  # a lane that a term leaves alone
INTEGERS = (DType.U8, DType.I8, DType.I32)
"""Whose elements are transposed as the lanes of 32 bits that they come into."""
WORD = 8  # bytes of a table entry


def find_channel_select(lowering: Lowering, node: Node, out: View) -> Request:
    """Copies of whole rows (row-major), or vectors permuted and blended (blocked)."""
    views = [lowering.view(v) for v in node.inputs]
    block = out.layout.block
    if any(v.layout != out.layout for v in views):
        raise UnsupportedError("channel_select between layouts", origin=str(node.origin), remedy="reorder first")
    if block and out.dtype not in FLOAT_LANES:
        raise UnsupportedError(f"channel_select of blocked {out.dtype}", origin=str(node.origin), remedy="use the plain layout")
    picked = picked_channels(lowering, node)
    spatial = slice(2, len(out.shape) - (1 if block else 0))
    strides = [v.strides[spatial] for v in (*views, out)]
    (height, width), walks = _walks(node, out.shape[spatial], strides, ends=[block or 1] * len(strides))
    contiguous = all(_is(step, 1) for _, step in walks)
    if block and not all(_is(step, block) for _, step in walks):
        raise UnsupportedError("channel_select of blocked rows with gaps", origin=str(node.origin), remedy="use the plain layout")
    count = 1 << (len(views) - 1).bit_length()  # tensors beyond the last repeat the first, so that few kernels serve all numbers
    chosen = [*range(len(views)), *([0] * (count - len(views)))]
    params: dict[str, DimLike] = {"N": out.shape[0], "C": out.shape[1], "H": height, "W": width}
    by_rows = lowering.followed_share(*node.inputs) if block else None
    if by_rows is not None:
        params["by_rows"] = int(by_rows)
    for suffix, k in [*((str(i), k) for i, k in enumerate(chosen)), ("_out", len(views))]:
        view = [*views, out][k]
        params |= {f"n{suffix}": view.strides[0], f"c{suffix}": view.strides[1], f"h{suffix}": walks[k][0]}
        if not (block or contiguous):
            params[f"w{suffix}"] = walks[k][1]
    return request(
        "dfp_channel_select.c.j2" if block else "dfp_channel_copy.c.j2",
        f"dfp_channel_{'select' if block else 'copy'}{count}",
        reads={f"in{i}": views[k] for i, k in enumerate(chosen)},
        writes={"out0": out},
        params=params,
        table=_block_table(picked, block) if block else [word for pair in picked for word in pair],
        bytes=2 * out.dtype.itemsize * product(out.shape),
        by_rows=by_rows,
        sources=[f"in{i}" for i in range(count)],
        named=len(params),
        ctype=out.dtype.c,
        family=FAMILIES[out.dtype] if block else "",
        contiguous=contiguous,
    )


def _is(value: DimLike, number: int) -> bool:
    return isinstance(value, int) and value == number


def _static(channels: DimLike) -> int:
    if not isinstance(channels, int):
        raise UnsupportedError(f"channel_select from {dim_text(channels)} channels", remedy="give the number of channels as a constant")
    return channels


def picked_channels(lowering: Lowering, select: Node) -> list[tuple[int, int]]:
    """Operand of a channel_select, and channel of it, for every channel of the result."""
    index, sizes = select.attrs["index"], [_static(lowering.type_of(v).shape[1]) for v in select.inputs]
    starts = np.cumsum([0, *sizes])
    owners = np.searchsorted(starts, index, side="right") - 1
    return [(int(o), int(c - starts[o])) for c, o in zip(index, owners)]


def find_reorder(lowering: Lowering, node: Node, out: View) -> Request | Sweep:
    """Between row-major and blocked: squares of positions and channels are transposed in registers."""
    x = lowering.view(node.inputs[0])
    if x.layout == out.layout:
        return find_sweep(lowering, Part(node.type, {node.name: x}))
    plain, blocked = (x, out) if out.layout.block else (out, x)
    if plain.layout.block:
        raise UnsupportedError(f"a reorder from {x.layout} to {out.layout}", origin=str(node.origin), remedy="reorder to plain first")
    block, names = blocked.layout.block, ("in0", "out0") if out.layout.block else ("out0", "in0")
    strides = [v.strides[2 : len(plain.shape)] for v in (plain, blocked)]
    (height, width), walks = _walks(node, plain.shape[2:], strides, ends=[1, block])
    if not _is(walks[1][1], block):
        raise UnsupportedError("a reorder of blocked rows with gaps", origin=str(node.origin), remedy="make the operand contiguous")
    params: dict[str, DimLike] = {"N": plain.shape[0], "C": blocked.shape[1], "H": height, "W": width, "channels": plain.shape[1]}
    for name, view, (row, _) in zip(names, (plain, blocked), walks):
        params |= {f"n_{name}": view.strides[0], f"c_{name}": view.strides[1] * (1 if view is blocked else block), f"h_{name}": row}
    params["along"] = plain.strides[1]
    contiguous = _is(walks[0][1], 1)
    if not contiguous:
        params["step"] = walks[0][1]
    return request(
        "dfp_reorder.c.j2",
        "dfp_reorder",
        reads={"in0": x},
        writes={"out0": out},
        params=params,
        bytes=2 * out.dtype.itemsize * product(plain.shape),
        block=block,
        to_blocked=bool(out.layout.block),
        ctype=out.dtype.c,
        contiguous=contiguous,
        side_by_side=not contiguous and _is(plain.strides[1], 1),
        vector=contiguous and out.dtype in (*FLOAT_LANES, *INTEGERS) and block == lowering.target.lanes,
        integers=out.dtype in INTEGERS,
        family=FAMILIES.get(out.dtype, ""),
        stages=_butterflies(block),
    )


def find_space_to_depth(lowering: Lowering, node: Node, out: View) -> Request:
    """Row-major squares of pixels to blocks of channels; threads share out the rows of the result."""
    x, block = lowering.view(node.inputs[0]), out.layout.block
    if not block or not _is(out.strides[3], block):
        raise UnsupportedError(f"space_to_depth to {out.layout}", origin=str(node.origin), remedy="space_to_depth to blocks, then reorder")
    contiguous = _is(x.strides[3], 1)
    params: dict[str, DimLike] = {"N": out.shape[0], "CB": out.shape[1], "H": out.shape[2], "W": out.shape[3]}
    params |= {"channels": x.shape[1], "rows": x.shape[2], "pixels": x.shape[3]}
    params |= {"n_in0": x.strides[0], "along": x.strides[1], "down": x.strides[2], "n_out0": out.strides[0], "c_out0": out.strides[1]}
    params |= {"h_out0": out.strides[2], **({} if contiguous else {"step": x.strides[3]})}
    return request(
        "dfp_space_to_depth.c.j2",
        "dfp_space_to_depth",
        reads={"in0": x},
        writes={"out0": out},
        params=params,
        bytes=2 * out.dtype.itemsize * product(x.shape),
        block=block,
        ctype=out.dtype.c,
        contiguous=contiguous,
        vector=contiguous and out.dtype is DType.F32 and block == lowering.target.lanes and block % 4 == 0,
        even=", ".join(str(2 * i) for i in range(block)),
        odd=", ".join(str(2 * i + 1) for i in range(block)),
        stages=_butterflies(block),
    )


def find_stack_slices(lowering: Lowering, node: Node, out: View) -> Request:
    """Copies of rows, or of whole maps; threads share out the channels, or blocks of them, of what each result reads."""
    x, block = lowering.view(node.inputs[0]), out.layout.block
    if x.layout != out.layout:
        raise UnsupportedError("stack_slices between layouts", origin=str(node.origin), remedy="reorder first")
    spatial = slice(2, len(out.shape) - (1 if block else 0))
    strides = [v.strides[spatial] for v in (x, out)]
    (height, width), walks = _walks(node, out.shape[spatial], strides, ends=[block or 1] * 2)
    contiguous = all(_is(step, block or 1) for _, step in walks)
    if block and not contiguous:
        raise UnsupportedError("stack_slices of blocked rows with gaps", origin=str(node.origin), remedy="use the plain layout")
    params: dict[str, DimLike] = {"N": out.shape[0], "C": x.shape[1], "H": height, "W": width * (block or 1)}
    params |= {name: node.attrs[name] for name in ("depth", "size", "taps", "stride", "dilation", "start")}
    for name, view, (row, step) in zip(("in0", "out0"), (x, out), walks):
        params |= {f"n_{name}": view.strides[0], f"c_{name}": view.strides[1], f"h_{name}": row}
        params |= {} if contiguous else {f"w_{name}": step}
    return request(
        "dfp_stack_slices.c.j2",
        "dfp_stack_slices",
        reads={"in0": x},
        writes={"out0": out},
        params=params,
        bytes=2 * out.dtype.itemsize * product(out.shape),
        ctype=out.dtype.c,
        contiguous=contiguous,
        clamped=node.attrs["clamped"],
    )


def _butterflies(lanes: int) -> tuple[tuple[int, str, str], ...]:
    """Stages of a transposition: a distance, and the lanes of two vectors that far apart which make the new first and second one."""
    stages = []
    distance = 1
    while distance < lanes:
        first = [i if not i & distance else lanes + i - distance for i in range(lanes)]
        second = [i + distance if not i & distance else lanes + i for i in range(lanes)]
        stages.append((distance, ", ".join(map(str, first)), ", ".join(map(str, second))))
        distance *= 2
    return tuple(stages)


def _block_table(picked: Sequence[tuple[int, int]], block: int) -> list[int]:
    """The table that dfp_channel_select.c.j2 describes."""
    first, terms = [0], []
    for start in range(0, len(picked), block):
        lanes: dict[tuple[int, int], list[int]] = {}
        for lane, (source, channel) in enumerate(picked[start : start + block]):
            lanes.setdefault((source, channel // block), [NONE] * max(block, WORD))[lane] = channel % block
        for (source, at), bytes in lanes.items():
            terms += [source, at, *np.array(bytes, np.uint8).view("<i8").tolist()]
        first.append(first[-1] + len(lanes))
    return [*first, *terms]


def _walks(
    node: Node, shape: Sequence[DimLike], strides: Sequence[Sequence[DimLike]], ends: Sequence[int]
) -> tuple[tuple[DimLike, DimLike], list[tuple[DimLike, DimLike]]]:
    """Number of rows and positions per row of spatial dimensions, one row where memory allows; strides of a row and a position per tensor.

    ends: strides of a position for tensors of one position.
    """
    names = [str(i) for i in range(len(strides))]
    axes = merge([Axis(size, False, {n: s[i] for n, s in zip(names, strides)}) for i, size in enumerate(shape) if not _is(size, 1)])
    if len(axes) > 2:
        raise UnsupportedError(f"{node.op} of a strided {node.type}", origin=str(node.origin), remedy="make its operands contiguous")
    one = Axis(1, False, dict(zip(names, ends)))
    if len(axes) == 1 and any(end > 1 and not _is(axes[0].stride(n), end) for n, end in zip(names, ends)):
        axes.append(one)  # blocked rows of one column, with borders between them
    outer, inner = ([one] * 2 + axes)[-2:]
    return (outer.size, inner.size), [(outer.stride(n), inner.stride(n)) for n in names]
