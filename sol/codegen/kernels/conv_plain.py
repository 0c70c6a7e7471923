"""Convolution and transposed convolution of row-major values: the kernels that take whatever the others do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sol.codegen.epilogue import make_epilogue
from sol.codegen.kernels.blocked import spatial3
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, ceil_div, dim_max, product
from sol.ir.types import DType


@dataclass(frozen=True)
class _Tile:
    """XV vectors of columns times KB output channels in registers; XC: columns of one unit of work."""

    xv: int
    kb: int
    xc: int


def lower_conv(lowering: Lowering) -> None:
    """One launch; see templates/conv_plain.c.j2."""
    _check(lowering)
    conv = lowering.anchor
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], conv.name))
    view = lowering.view(conv.inputs[1])
    groups, kernel = conv.attrs["groups"], spatial3(w.shape[2:], 1)
    stride, dilation = spatial3(conv.attrs["stride"], 1), spatial3(conv.attrs["dilation"], 1)
    low = spatial3([lo for lo, _ in conv.attrs["padding"]], 0)
    size = spatial3(out.shape[2:], 1)
    tile = _choose_tile(lowering, w.shape[0] // groups, product((w.shape[1], *kernel[:2], stride[2])), size[2])
    grown = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(size, stride, kernel, dilation)]
    width = _round_up(size[2], _columns(lowering, tile)) + (kernel[2] - 1) * dilation[2] // stride[2]
    params = {
        "FX": stride[2],
        "CG": w.shape[1],
        "KG": w.shape[0] // groups,
        "PD": grown[0],
        "PH": grown[1],
        "PW": width,
        "RW": tile.xc,
        "w_g": w.shape[0] // groups * view.strides[0],
        "w_k": view.strides[0],
        "w_c": view.strides[1],
        **_named(("sz", "sy"), stride),
        **_named(("dz", "dy", "dx"), dilation),
        **_named(("lo_z", "lo_y", "lo_x"), low),
    }
    flops = 2 * product(w.shape[1:]) * product(out.shape)
    _emit(
        lowering,
        "conv_plain.c.j2",
        "conv_plain",
        tile,
        params,
        stride[2] * width * grown[0] * grown[1] * x.shape[1],
        tile.xc,
        flops,
    )


def lower_transpose(lowering: Lowering) -> None:
    """One launch; see templates/conv_transpose.c.j2."""
    _check(lowering)
    conv = lowering.anchor
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], conv.name))
    view = lowering.view(conv.inputs[1])
    groups, kernel = conv.attrs["groups"], spatial3(w.shape[2:], 1)
    stride, dilation = spatial3(conv.attrs["stride"], 1), spatial3(conv.attrs["dilation"], 1)
    pad = spatial3([lo for lo, _ in conv.attrs["padding"]], 0)
    size = spatial3(out.shape[2:], 1)
    columns = ceil_div(size[2], stride[2])
    tile = _choose_tile(lowering, w.shape[1], product((x.shape[1] // groups, *kernel[:2])), columns)
    low = [max(0, -(-((k - 1) * d - p) // s)) for k, d, p, s in zip(kernel, dilation, pad, stride)]
    deep = [lo + dim_max((n - 1 + p) // s, 0) + 1 for lo, n, p, s in zip(low, size, pad, stride)]
    phase_columns = _round_up(columns, _columns(lowering, tile))
    width = phase_columns + low[2] + max(0, (pad[2] + stride[2] - 1) // stride[2]) + 1
    params = {
        "FX": 1,
        "CG": x.shape[1] // groups,
        "KG": w.shape[1],
        "PD": deep[0],
        "PH": deep[1],
        "PW": width,
        "RW": tile.xc * stride[2],
        "w_g": x.shape[1] // groups * view.strides[0],
        "w_k": view.strides[1],
        "w_c": view.strides[0],
        **_named(("sz", "sy", "sx"), stride),
        **_named(("dz", "dy", "dx"), dilation),
        **_named(("lo_z", "lo_y", "lo_x"), low),
        **_named(("pad_z", "pad_y", "pad_x"), pad),
    }
    flops = 2 * product(w.shape[1:]) * product(x.shape)
    _emit(
        lowering,
        "conv_transpose.c.j2",
        "conv_transpose",
        tile,
        params,
        width * deep[0] * deep[1] * x.shape[1],
        tile.xc * stride[2],
        flops,
    )


def _emit(
    lowering: Lowering,
    template: str,
    stem: str,
    tile: _Tile,
    params: dict[str, Any],
    image: DimLike,
    row: DimLike,
    flops: DimLike,
) -> None:
    """The launch; ``image``: elements of the padded copy; ``row``: output columns of one unit."""
    conv = lowering.anchor
    x, w, out = (lowering.type_of(v) for v in (*conv.inputs[:2], conv.name))
    source, weight, result = (lowering.view(v) for v in (*conv.inputs[:2], lowering.output))
    epilogue = make_epilogue(lowering, conv.name, channel_axis=out.rank - 1)
    if not epilogue.is_identity and x.dtype is not DType.F32:
        raise UnsupportedError(
            f"pointwise ops fused behind a {x.dtype} {conv.op}",
            origin=str(conv.origin),
            remedy="fuse them for f32 only",
        )
    lines, text = epilogue.trace("a", lambda o: o.name, "t") if not epilogue.is_identity else ([], "a")
    reads: dict[str, View] = {"in": source, "weight": weight}
    sizes: dict[str, DimLike] = {"N": x.shape[0], "C": x.shape[1], "G": conv.attrs["groups"], "XC": row}
    sizes |= _named(("ID", "IH", "IW"), spatial3(x.shape[2:], 1)) | _named(("D", "H", "W"), spatial3(out.shape[2:], 1))
    sizes |= _named(("KD", "R", "S"), spatial3(w.shape[2:], 1)) | params
    sizes |= _strides("in", source) | _named(("w_z", "w_r", "w_s"), spatial3(weight.strides[2:], 0))
    if len(conv.inputs) == 3:
        reads["bias"] = lowering.view(conv.inputs[2])
        sizes["bias_k"] = reads["bias"].strides[0]
    out_strides = _strides("out", result)
    unit = out_strides["out_x"] == 1
    sizes |= {k: v for k, v in out_strides.items() if not (unit and k == "out_x")}
    for operand in epilogue.operands:
        reads[operand.name] = operand.view
        sizes |= {k: v for k, v in _named_strides(operand.name, operand.strides).items() if not k.endswith("_x")}
    taps = product(w.shape[2:])
    item = x.dtype.itemsize
    lowering.emit(
        template,
        f"{stem}_{x.dtype}_{tile.kb}x{tile.xv}{'_' if epilogue.stem else ''}{epilogue.stem}",
        reads=reads,
        writes={"out": result},
        params=sizes,
        scratch=16 * taps + 64 + tile.kb * params["RW"] * item,
        common=image * item,
        flops=flops,
        bytes=item * (product(x.shape) + product(w.shape) + product(out.shape)),
        T=x.dtype.c,
        XV=tile.xv,
        KB=tile.kb,
        has_bias=len(conv.inputs) == 3,
        out_x="1" if unit else "out_x",
        operands=epilogue.operands,
        tail_lines=tuple(lines),
        tail_result=text,
    )


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


def _choose_tile(lowering: Lowering, k: DimLike, rows: DimLike, columns: DimLike) -> _Tile:
    """The tile that needs the least time for a row of ``k`` channels, and units of work whose ``rows`` input rows fit in half of L2."""
    target = lowering.target
    lanes = 4 * target.lanes // lowering.type_of(lowering.anchor.name).dtype.itemsize
    xv, kb = min(_tiles(target.registers, k), key=lambda tile: _row_cost(tile[0], tile[1], k, columns, lanes))
    step = xv * lanes
    row_bytes = rows * step * (4 * target.lanes // lanes)
    tiles = max(1, min(16, target.l2 // 2 // row_bytes)) if isinstance(row_bytes, int) else 4
    if isinstance(columns, int):
        tiles = min(tiles, max(-(-columns // step), 1))
    return _Tile(xv, kb, tiles * step)


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


def _round_up(size: DimLike, step: int) -> DimLike:
    return ceil_div(size, step) * step


def _named(names: tuple[str, ...], values: Any) -> dict[str, DimLike]:
    return dict(zip(names, values))


def _strides(prefix: str, view: View) -> dict[str, DimLike]:
    return _named_strides(prefix, view.strides)


def _named_strides(prefix: str, strides: tuple[DimLike, ...]) -> dict[str, DimLike]:
    return _named(tuple(f"{prefix}_{a}" for a in "nczyx"), (*strides[:2], *spatial3(strides[2:], 0)))


def _is_plain(lowering: Lowering) -> bool:
    values = (lowering.anchor.inputs[0], lowering.output)
    return not any(lowering.type_of(v).layout.block for v in values)


CANDIDATES = (Candidate("conv_plain", lambda lowering: True, lower_conv, _is_plain),)
TRANSPOSE_CANDIDATES = (Candidate("conv_transpose", lambda lowering: True, lower_transpose),)

__all__ = ["CANDIDATES", "TRANSPOSE_CANDIDATES"]
