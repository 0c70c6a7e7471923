"""Convolution and transposed convolution of row-major values: the kernels that take whatever the others do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.epilogue import make_epilogue
from sol.codegen.kernels.blocked import spatial3
from sol.codegen.kernels.conv_direct import STRETCH
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, bounds, ceil_div, dim_max, product
from sol.ir.types import DType


@dataclass(frozen=True)
class _Tile:
    """XV vectors of columns times KB output channels in registers; RB rows and XC columns of one unit of work."""

    xv: int
    kb: int
    rb: int
    xc: int


@dataclass(frozen=True)
class _Job:
    """What the two kernels differ in. image: elements of the padded copy. phases: runs of results per channel, as long as ``run``.

    line: elements of scratch for one finished row.
    """

    template: str
    tile: _Tile
    params: dict[str, DimLike]
    image: DimLike
    run: DimLike
    phases: int
    line: DimLike
    flops: DimLike


def lower_conv(lowering: Lowering) -> None:
    """One launch; see templates/conv_plain.c.j2."""
    _check(lowering)
    conv = lowering.anchor
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], conv.name))
    groups, kernel = conv.attrs["groups"], spatial3(w.shape[2:], 1)
    stride, dilation = spatial3(conv.attrs["stride"], 1), spatial3(conv.attrs["dilation"], 1)
    low = spatial3([lo for lo, _ in conv.attrs["padding"]], 0)
    size = spatial3(out.shape[2:], 1)
    grown = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(size, stride, kernel, dilation)]
    pitch = size[2] + (kernel[2] - 1) * dilation[2] // stride[2]
    high = ceil_div(grown[1], stride[1])
    tile = _choose_tile(lowering, w.shape[0] // groups, product((w.shape[1], *kernel[:2], stride[2])), size[1], size[2], pitch)
    params = {
        "FX": stride[2],
        "FY": stride[1],
        "CG": w.shape[1],
        "KG": w.shape[0] // groups,
        "PD": grown[0],
        "PH": high,
        "PW": pitch,
        "sz": stride[0],
        **_named(("dz", "dy", "dx"), dilation),
        **_named(("lo_z", "lo_y", "lo_x"), low),
    }
    image = stride[1] * stride[2] * pitch * high * grown[0] * x.shape[1]
    flops = 2 * product(w.shape[1:]) * product(out.shape)
    _emit(lowering, _Job("conv_plain.c.j2", tile, params, image, (tile.rb - 1) * pitch + tile.xc, 1, 0, flops))


def lower_transpose(lowering: Lowering) -> None:
    """One launch; see templates/conv_transpose.c.j2."""
    _check(lowering)
    conv = lowering.anchor
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], conv.name))
    groups, kernel = conv.attrs["groups"], spatial3(w.shape[2:], 1)
    stride, dilation = spatial3(conv.attrs["stride"], 1), spatial3(conv.attrs["dilation"], 1)
    pad = spatial3([lo for lo, _ in conv.attrs["padding"]], 0)
    size = spatial3(out.shape[2:], 1)
    rows, columns = (ceil_div(n, s) for n, s in zip(size[1:], stride[1:]))
    low = [max(0, -(-((k - 1) * d - p) // s)) for k, d, p, s in zip(kernel, dilation, pad, stride)]
    deep = [lo + dim_max((n - 1 + p) // s, 0) + 1 for lo, n, p, s in zip(low, size, pad, stride)]
    pitch = columns + low[2] + max(0, (pad[2] + stride[2] - 1) // stride[2]) + 1
    found = _choose_tile(lowering, w.shape[1], product((x.shape[1] // groups, *kernel[:2])), rows, columns, pitch)
    tile = replace(found, xc=found.xc * stride[2])
    params = {
        "FX": 1,
        "FY": 1,
        "CG": x.shape[1] // groups,
        "KG": w.shape[1],
        "PD": deep[0],
        "PH": deep[1],
        "PW": pitch,
        **_named(("sz", "sy", "sx"), stride),
        **_named(("dz", "dy", "dx"), dilation),
        **_named(("lo_z", "lo_y", "lo_x"), low),
        **_named(("pad_z", "pad_y", "pad_x"), pad),
    }
    flops = 2 * product(w.shape[1:]) * product(x.shape)
    image = pitch * deep[0] * deep[1] * x.shape[1]
    run = (tile.rb - 1) * pitch + found.xc
    _emit(lowering, _Job("conv_transpose.c.j2", tile, params, image, run, stride[2], tile.xc + lowering.target.lanes, flops))


def _emit(lowering: Lowering, job: _Job) -> None:
    conv, tile = lowering.anchor, job.tile
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], conv.name))
    source, result = lowering.view(conv.inputs[0]), lowering.view(lowering.output)
    epilogue = make_epilogue(lowering, conv.name, channel_axis=out.rank - 1)
    if not epilogue.is_identity and x.dtype is not DType.F32:
        raise UnsupportedError(
            f"pointwise ops fused behind a {x.dtype} {conv.op}",
            origin=str(conv.origin),
            remedy="fuse them for f32 only",
        )
    lines, text = epilogue.trace("a", lambda o: o.name, "t") if not epilogue.is_identity else ([], "a")
    packed = lowering.is_constant(conv.inputs[1]) and w.is_static
    weight, weight_params = _weight(lowering, tile.kb, packed)
    reads: dict[str, View] = {"in": source, "weight": weight}
    sizes: dict[str, DimLike] = {"N": x.shape[0], "C": x.shape[1], "G": conv.attrs["groups"], "XC": tile.xc, "RB": tile.rb}
    sizes |= _named(("ID", "IH", "IW"), spatial3(x.shape[2:], 1)) | _named(("D", "H", "W"), spatial3(out.shape[2:], 1))
    sizes["RW"] = (job.run + _columns(lowering, tile)) * job.phases
    sizes |= _named(("KD", "R", "S"), spatial3(w.shape[2:], 1)) | job.params | weight_params
    sizes |= _strides("in", source)
    if len(conv.inputs) == 3:
        reads["bias"] = lowering.view(conv.inputs[2])
        sizes["bias_k"] = reads["bias"].strides[0]
    out_strides = _strides("out", result)
    unit = out_strides["out_x"] == 1
    sizes |= {k: v for k, v in out_strides.items() if not (unit and k == "out_x")}
    for operand in epilogue.operands:
        reads[operand.name] = operand.view
        sizes |= {k: v for k, v in _named_strides(operand.name, operand.strides).items() if not k.endswith("_x")}
    item = x.dtype.itemsize
    reduction = product(w.shape[2:]) * job.params["CG"]
    lowering.emit(
        job.template,
        f"{job.template.removesuffix('.c.j2')}_{x.dtype}_{tile.kb}x{tile.xv}{'_' if epilogue.stem else ''}{epilogue.stem}",
        reads=reads,
        writes={"out": result},
        params=sizes,
        scratch=16 * product(w.shape[2:]) + 64 + (tile.kb * sizes["RW"] + job.line) * item,
        common=(job.image + _columns(lowering, tile)) * item,  # the last tile may read beyond the last row
        flops=job.flops,
        bytes=item * (product(x.shape) + product(w.shape) + product(out.shape)),
        T=x.dtype.c,
        XV=tile.xv,
        KB=tile.kb,
        packed=packed,
        stretch=STRETCH if bounds(reduction)[1] > 2 * STRETCH else 0,
        has_bias=len(conv.inputs) == 3,
        out_x="1" if unit else "out_x",
        operands=epilogue.texts,
        tail_lines=tuple(lines),
        tail_result=text,
    )


def _weight(lowering: Lowering, width: int, packed: bool) -> tuple[View, dict[str, DimLike]]:
    """The weights, and their strides where they lie as they came."""
    conv = lowering.anchor
    groups, transposed = conv.attrs["groups"], conv.op == "conv_transpose"
    if packed:
        return lowering.weight(conv.inputs[1], "conv_plain", groups=groups, width=width, transposed=transposed), {}
    view = lowering.view(conv.inputs[1])
    strides = _named(("w_z", "w_r", "w_s"), spatial3(view.strides[2:], 0))
    first, second = view.strides[:2]
    per_group = view.shape[0] // groups * first
    return view, {"w_g": per_group, "w_k": second if transposed else first, "w_c": first if transposed else second, **strides}


def _check(lowering: Lowering) -> None:
    conv = lowering.anchor
    for value in (*conv.inputs[:2], lowering.output):
        type = lowering.type_of(value)
        if type.dtype not in (DType.F32, DType.F64):
            raise UnsupportedError(
                f"{conv.op} of {type.dtype} values",
                origin=str(conv.origin),
                remedy="cast to float32 before and back after it",
            )
        if type.layout.block:
            raise UnsupportedError(
                f"{conv.op} with %{value}: {type} has no blocked kernel",
                origin=str(conv.origin),
                remedy="give its operands and result the plain layout",
            )


def _choose_tile(lowering: Lowering, k: DimLike, depth: DimLike, rows: DimLike, columns: DimLike, pitch: DimLike) -> _Tile:
    """The tile that needs the least time for ``k`` channels of a group, and units of work whose inputs fit in half of L2.

    depth: input rows per row of results. pitch: columns from one row of results to the next. Units stay so many that threads share them.
    """
    target = lowering.target
    lanes = 4 * target.lanes // lowering.type_of(lowering.anchor.name).dtype.itemsize
    whole = (rows - 1) * pitch + columns
    xv, kb = min(_tiles(target.registers, k), key=lambda tile: _row_cost(tile[0], tile[1], k, whole, lanes))
    step = xv * lanes
    row_bytes = depth * step * (4 * target.lanes // lanes)
    tiles = max(1, min(16, target.l2 // 2 // row_bytes)) if isinstance(row_bytes, int) else 4
    if not (isinstance(columns, int) and isinstance(pitch, int) and isinstance(rows, int)):
        return _Tile(xv, kb, 1, tiles * step)
    if columns > tiles * step:
        return _Tile(xv, kb, 1, tiles * step)
    others = lowering.anchor.attrs["groups"] * (ceil_div(k, kb) if isinstance(k, int) else 1)
    shared = -(-rows * others // (4 * target.team)) if isinstance(others, int) else 1
    return _Tile(xv, kb, max(1, min(rows, shared, tiles * step // max(pitch, 1))), columns)


def _tiles(registers: int, k: DimLike) -> list[tuple[int, int]]:
    """(XV, KB) that fit the registers, evened out over the group's output channels."""
    found = []
    for xv in (4, 3, 2, 1):
        kb = min(8, (registers - xv - 1) // xv)
        found.append((xv, -(-k // -(-k // kb)) if isinstance(k, int) else kb))
    return found


def _row_cost(xv: int, kb: int, k: DimLike, columns: DimLike, lanes: int) -> float:
    """Multiply-adds for a row, padding included, plus the loads: one of inputs, from L2, costs more than one of weights."""
    width = -(-columns // (xv * lanes)) * xv if isinstance(columns, int) else 1
    channels = -(-k // kb) * kb if isinstance(k, int) else 1
    return width * channels * (1 + 1 / kb + 0.5 / xv)


def _columns(lowering: Lowering, tile: _Tile) -> int:
    return tile.xv * 4 * lowering.target.lanes // lowering.type_of(lowering.anchor.name).dtype.itemsize


def _named(names: tuple[str, ...], values: Any) -> dict[str, DimLike]:
    return dict(zip(names, values))


def _strides(prefix: str, view: View) -> dict[str, DimLike]:
    return _named_strides(prefix, view.strides)


def _named_strides(prefix: str, strides: tuple[DimLike, ...]) -> dict[str, DimLike]:
    return _named(tuple(f"{prefix}_{a}" for a in "nczyx"), (*strides[:2], *spatial3(strides[2:], 0)))


def _is_plain(lowering: Lowering) -> bool:
    values = (lowering.anchor.inputs[0], *lowering.body.outputs)
    return len(lowering.body.outputs) == 1 and not any(lowering.type_of(v).layout.block for v in values)


CANDIDATES = (sole("conv_plain", lambda lowering: _is_plain(lowering) or None, lambda lowering, _: lower_conv(lowering)),)
TRANSPOSE_CANDIDATES = (sole("conv_transpose", lambda lowering: True, lambda lowering, _: lower_transpose(lowering)),)

__all__ = ["CANDIDATES", "TRANSPOSE_CANDIDATES"]
