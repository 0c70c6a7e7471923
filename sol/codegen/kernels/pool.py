"""Pooling: maximum or mean over sliding or adaptive windows, blocked and row-major, and over whole maps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.element import element
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.blocked import BlockedEpilogue, blocked_epilogue, need_blocked, spatial3
from sol.codegen.kernels.conv_small import tile_ladder
from sol.codegen.kernels.dfp_space import FEW
from sol.codegen.kernels.loop_cost import loop_seconds
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.lanes import FLOAT_LANES
from sol.ir.types import DType

#: Input columns that a chunk of row-major windows reads: they stay in the first cache.
CHUNK = 2048

#: Dtypes that pooling reads, with the type it computes in and that type's lowest value.
COMPUTED = {
    DType.F64: ("double", "-INFINITY"),
    DType.F32: ("float", "-INFINITY"),
    DType.F16: ("float", "-INFINITY"),
    DType.I64: ("int64_t", "INT64_MIN"),
    DType.I32: ("int32_t", "INT32_MIN"),
    DType.I16: ("int16_t", "INT16_MIN"),
    DType.I8: ("int8_t", "INT8_MIN"),
    DType.U8: ("uint8_t", "0"),
    DType.U16: ("uint16_t", "0"),
    DType.U32: ("uint32_t", "0"),
    DType.U64: ("uint64_t", "0"),
}


@dataclass(frozen=True)
class Windows:
    """Where the windows lie, per dimension (z, y, x). adaptive: they split the map, and the other options mean nothing.

    counted: what a mean divides by: "taps" that exist, also positions in the "padding", or a given "divisor".
    """

    op: str
    size: tuple[DimLike, ...]
    out: tuple[DimLike, ...]
    kernel: tuple[DimLike, ...]
    stride: tuple[DimLike, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    dilation: tuple[int, ...]
    adaptive: bool
    counted: str
    divisor: int

    @property
    def cover_the_map(self) -> bool:
        """Each of the windows is one whole map."""
        return self.out == (1, 1, 1) and (
            self.adaptive or (self.kernel == self.size and not any(self.low) and self.dilation == (1, 1, 1))
        )


def windows_of(lowering: Lowering) -> Windows:
    """The windows of the region's anchor. Adaptive ones that split a fixed size evenly are told as sliding ones."""
    pool = lowering.anchor
    attrs, (x, out) = pool.attrs, (lowering.type_of(v) for v in (pool.inputs[0], pool.name))
    op, adaptive = "max" if "max" in pool.op else "avg", pool.op.startswith("adaptive")
    rank = len(attrs["output_size"] if adaptive else attrs["kernel"])
    size, outs = spatial3(x.shape[x.rank - rank :], 1), spatial3(out.shape[x.rank - rank :], 1)
    ones, zeros = (1, 1, 1), (0, 0, 0)
    if adaptive:
        even = all(isinstance(n, int) and isinstance(m, int) and m and n % m == 0 for n, m in zip(size, outs))
        steps = tuple(n // m for n, m in zip(size, outs)) if even else ones
        return Windows(op, size, outs, steps, steps, zeros, zeros, ones, not even, "taps", 1)
    padding = attrs["padding"]
    divisor = attrs.get("divisor")
    counted = "taps" if op == "max" or not attrs["count_include_pad"] or not _crosses_the_edge(attrs) else "padding"
    return Windows(
        op,
        size,
        outs,
        spatial3(attrs["kernel"], 1),
        spatial3(attrs["stride"], 1),
        spatial3([lo for lo, _ in padding], 0),
        spatial3([hi for _, hi in padding], 0),
        spatial3(attrs.get("dilation", (1,) * rank), 1),
        False,
        counted if divisor is None else "divisor",
        divisor or 1,
    )


def _crosses_the_edge(attrs: Any) -> bool:
    return attrs["ceil_mode"] or any(lo or hi for lo, hi in attrs["padding"])


@dataclass(frozen=True)
class Blocked:
    """Windows over a blocked value. source: the value that is read, ``read`` where it lies. flops, bytes: the work."""

    windows: Windows
    source: str
    read: View
    out: View
    epilogue: BlockedEpilogue
    flops: DimLike
    bytes: DimLike

    @property
    def stem(self) -> str:
        """How the kernel's name begins for elements that are not float32."""
        return "" if self.out.dtype is DType.F32 else f"{self.out.dtype}_"

    @property
    def elements(self) -> dict[str, Any]:
        """What the templates are told of what they load and store."""
        dtype = self.out.dtype
        return {"element": element(dtype), "numbers": "float32" if dtype is DType.F32 else f"{dtype}, computed in float32"}


def find_blocked(lowering: Lowering) -> Blocked | None:
    """A blocked value of floats."""
    pool = lowering.anchor
    if not lowering.type_of(pool.inputs[0]).layout.block:
        return None
    need_blocked(lowering, pool.inputs[0], lowering.output, dtypes=FLOAT_LANES)
    windows, epilogue = windows_of(lowering), blocked_epilogue(lowering, pool.name, ("z", "y", "x"))
    source, out = lowering.view(pool.inputs[0]), lowering.view(lowering.output)
    return Blocked(windows, pool.inputs[0], source, out, epilogue, **pool_work(lowering, windows))


def find_global(lowering: Lowering) -> Blocked | None:
    """A blocked value and windows that are whole maps."""
    found = find_blocked(lowering)
    return found if found and found.windows.cover_the_map and found.windows.counted != "padding" else None


def lower_global(lowering: Lowering, found: Blocked) -> None:
    """One launch; see templates/pool_global.c.j2."""
    windows, source, out, epilogue = found.windows, found.read, found.out, found.epilogue
    strides = spatial3(source.strides[2:-1], 0)
    size, lanes = windows.size, lowering.target.lanes
    if strides[1] == size[2] * lanes:
        size, strides = (1, size[0], size[1] * size[2]), (0, strides[0], lanes)
        if strides[1] in (0, size[2] * lanes):
            size = (1, 1, size[1] * size[2])
    params = {
        "N": source.shape[0],
        "CB": source.shape[1],
        "ID": size[0],
        "IH": size[1],
        "IW": size[2],
        "in_n": source.strides[0],
        "in_b": source.strides[1],
        "in_z": strides[0],
        "in_y": strides[1],
        "out_n": out.strides[0],
        "out_b": out.strides[1],
        **_divisor(windows),
        **dict(epilogue.params),
    }
    unroll = 8
    lowering.emit(
        "pool_global.c.j2",
        f"{found.stem}{windows.op}_pool_global{epilogue.stem}",
        reads={"in": source, **dict(epilogue.reads)},
        writes={"out": out},
        params=params,
        flops=found.flops,
        bytes=found.bytes,
        op=windows.op,
        counted=windows.counted,
        lanes=lanes,
        epilogue=epilogue.text,
        unroll=unroll,
        steps=(4, 2, 1),
        **found.elements,
    )


def lower_blocked(lowering: Lowering, found: Blocked) -> None:
    """One launch; see templates/pool_blocked.c.j2."""
    windows, source, out, epilogue = found.windows, found.read, found.out, found.epilogue
    widths = _tile_widths(lowering.target, windows)
    S, sx, dx = windows.kernel[2], windows.stride[2], windows.dilation[2]
    columns = {w: tuple(sorted({u * sx + s * dx for u in range(w) for s in range(S)})) for w in widths}  # type: ignore[arg-type, operator]
    by_rows = lowering.follow_share(found.source)
    params: dict[str, DimLike] = {"N": source.shape[0], "CB": source.shape[1], "by_rows": by_rows, **pool_sizes(windows)}
    if widths:
        params = {k: v for k, v in params.items() if k not in ("S", "sx", "dx")}
    for prefix, view in (("in", source), ("out", out)):
        z, y, _ = spatial3(view.strides[2:-1], 0)
        params |= {f"{prefix}_n": view.strides[0], f"{prefix}_b": view.strides[1], f"{prefix}_z": z, f"{prefix}_y": y}
    lowering.emit(
        "pool_blocked.c.j2",
        found.stem + pool_stem(windows, bool(widths)) + epilogue.stem,
        reads={"in": source, **dict(epilogue.reads)},
        writes={"out": out},
        params={**params, **dict(epilogue.params)},
        flops=found.flops,
        bytes=found.bytes,
        op=windows.op,
        adaptive=windows.adaptive,
        counted=windows.counted,
        lanes=lowering.target.lanes,
        widths=widths,
        columns=columns,
        S=S,
        sx=sx,
        dx=dx,
        epilogue=epilogue.text,
        **found.elements,
    )


@dataclass(frozen=True)
class Plain:
    """Windows over a row-major value. strides: by their names in the templates. lead: sizes of the two dimensions before the spatial ones.

    flops, bytes: the work.
    """

    windows: Windows
    source: View
    out: View
    epilogue: Epilogue
    strides: tuple[tuple[str, DimLike], ...]
    lead: tuple[DimLike, ...]
    flops: DimLike
    bytes: DimLike

    @property
    def dtype(self) -> DType:
        return self.source.dtype

    @property
    def suffix(self) -> str:
        """How the kernel's name ends."""
        stem = self.epilogue.stem
        return f"{self.dtype}{'_' if stem else ''}{stem}"

    @property
    def operands(self) -> dict[str, Any]:
        """What both kernels read and write, and the work."""
        reads = {"in": self.source, **{o.name: o.view for o in self.epilogue.operands}}
        return {"reads": reads, "writes": {"out": self.out}, "flops": self.flops, "bytes": self.bytes}

    @property
    def context(self) -> dict[str, Any]:
        """What both templates are told."""
        identity = self.epilogue.is_identity
        lines, text = ([], "a") if identity else self.epilogue.trace("a", lambda o: o.name, "t")
        context: dict[str, Any] = {"T": self.dtype.c, "out_x": "out_x" if "out_x" in dict(self.strides) else "1"}
        return context | {"operands": self.epilogue.texts, "epilogue_lines": tuple(lines), "epilogue_result": text}


def find_plain(lowering: Lowering) -> Plain | None:
    """One or two dimensions before the spatial ones; any dtype of COMPUTED; pointwise ops behind float32 only."""
    pool = lowering.anchor
    x = lowering.type_of(pool.inputs[0])
    if x.layout.block:
        return None
    if x.dtype not in COMPUTED:
        raise UnsupportedError(
            f"{pool.op} of {x.dtype} values", origin=str(pool.origin), remedy="cast to float32 before and back after it"
        )
    spatial = len(pool.attrs["output_size"] if windows_are_adaptive(pool.op) else pool.attrs["kernel"])
    if x.rank - spatial > 2:
        raise UnsupportedError(
            f"{pool.op} of {x} with {spatial} spatial dimensions",
            origin=str(pool.origin),
            remedy="reshape the leading dimensions into one",
        )
    epilogue = make_epilogue(lowering, pool.name, channel_axis=x.rank - 1)
    if not epilogue.is_identity and x.dtype is not DType.F32:
        return None
    source, out = lowering.view(pool.inputs[0]), lowering.view(lowering.output)
    strides = pool_strides("in", source, spatial) | pool_strides("out", out, spatial)
    if strides["out_x"] == 1:
        del strides["out_x"]
    for operand in epilogue.operands:
        named = pool_strides(operand.name, replace(operand.view, strides=operand.strides), spatial)
        strides |= {k: v for k, v in named.items() if not k.endswith("_x")}
    windows, lead = windows_of(lowering), (1, *x.shape[: x.rank - spatial])[-2:]
    return Plain(windows, source, out, epilogue, tuple(strides.items()), lead, **pool_work(lowering, windows))


def find_rows(lowering: Lowering) -> Plain | None:
    """Row-major float32 under windows that slide."""
    found = find_plain(lowering) if lowering.type_of(lowering.anchor.inputs[0]).dtype is DType.F32 else None
    return found if found and not found.windows.adaptive else None


def lower_rows(lowering: Lowering, found: Plain) -> None:
    """One launch; see templates/pool_rows.c.j2."""
    windows, lanes = found.windows, lowering.target.lanes
    S, stride, dilation = windows.kernel[2], windows.stride[2], windows.dilation[2]
    step = str(stride) if isinstance(stride, int) and stride <= FEW else "sx"
    wide = dilation == 1 and isinstance(S, int) and isinstance(stride, int) and S >= lanes and stride >= 3
    chunk = max(4 * lanes, CHUNK // stride // lanes * lanes) if isinstance(stride, int) else 4 * lanes
    params = {"N": found.lead[0], "C": found.lead[1], **pool_sizes(windows), **dict(found.strides)}
    unused = {"sx"} if step != "sx" else set()
    unused |= {"dx"} if windows.op == "avg" else set()
    unused |= {"in_x"} if params["in_x"] == 1 else set()
    lowering.emit(
        "pool_rows.c.j2",
        f"{pool_stem(windows, False)}_rows_{found.suffix}",
        params={k: v for k, v in params.items() if k not in unused},
        scratch=4 * ((chunk - 1) * stride + (S - 1) * dilation + lanes * (stride + 1) + chunk + lanes),
        **found.operands,
        **found.context,
        op=windows.op,
        adaptive=False,
        counted=windows.counted,
        step=step,
        wide=wide,
        chunk=chunk,
        in_x="1" if "in_x" in unused else "in_x",
    )


def lower_plain(lowering: Lowering, found: Plain) -> None:
    """One launch; see templates/pool_plain.c.j2."""
    windows, dtype, strides = found.windows, found.dtype, dict(found.strides)
    computed, lowest = COMPUTED[dtype]
    wide = dtype is DType.F32 and strides["in_x"] == 1  # those that split the map
    lowering.emit(
        "pool_plain.c.j2",
        f"{pool_stem(windows, False)}_plain_{found.suffix}",
        params={"N": found.lead[0], "C": found.lead[1], **pool_sizes(windows), **strides},
        scratch=(windows.out[2] + lowering.target.lanes) * 8,
        **found.operands,
        **found.context,
        op=windows.op,
        adaptive=windows.adaptive,
        counted=windows.counted,
        A=computed,
        lowest=lowest,
        is_float=dtype.is_float,
        wide=wide,
    )


def windows_are_adaptive(op: str) -> bool:
    """Does the op split the map instead of sliding over it?"""
    return op.startswith("adaptive")


def _tile_widths(target: TargetLike, windows: Windows) -> tuple[int, ...]:
    """Columns per unrolled tile, largest first; none if a window's row does not fit the registers."""
    S, sx, dx = windows.kernel[2], windows.stride[2], windows.dilation[2]
    if windows.adaptive or not isinstance(S, int) or not isinstance(sx, int):
        return ()
    budget = target.registers // 2
    fitting = [w for w in range(1, 9) if len({u * sx + s * dx for u in range(w) for s in range(S)}) <= budget]
    if not fitting:
        return ()
    inside = windows.out[2]
    if isinstance(inside, int):
        inside -= 2 * int(windows.low[2] > 0)
        return tuple(dict.fromkeys((tile_ladder(max(inside, 1), fitting[-1])[0], 1)))
    return tuple(dict.fromkeys((fitting[-1], 1)))


def pool_sizes(windows: Windows) -> dict[str, DimLike]:
    """Run-time arguments that say where the windows lie."""
    sizes: dict[str, DimLike] = dict(zip(("D", "H", "W", "ID", "IH", "IW"), (*windows.out, *windows.size)))
    if not windows.adaptive:
        names = ("KD", "R", "S", "sz", "sy", "sx", "lo_z", "lo_y", "lo_x", "dz", "dy", "dx")
        sizes |= dict(zip(names, (*windows.kernel, *windows.stride, *windows.low, *windows.dilation)))
    if windows.counted == "padding":
        sizes |= dict(zip(("hi_z", "hi_y", "hi_x"), windows.high))
    return sizes | _divisor(windows)


def _divisor(windows: Windows) -> dict[str, DimLike]:
    return {"divisor": windows.divisor} if windows.counted == "divisor" else {}


def pool_work(lowering: Lowering, windows: Windows) -> dict[str, Any]:
    x, out = (lowering.type_of(v) for v in (lowering.anchor.inputs[0], lowering.anchor.name))
    taps = 1 if windows.adaptive else product(windows.kernel)
    return {"flops": x.size if windows.adaptive else taps * out.size, "bytes": x.dtype.itemsize * (x.size + out.size)}


def pool_stem(windows: Windows, fixed: bool) -> str:
    if windows.adaptive:
        return f"adaptive_{windows.op}_pool"
    return f"{windows.op}_pool{windows.kernel[2]}s{windows.stride[2]}" if fixed else f"{windows.op}_pool"


def pool_strides(prefix: str, view: View, spatial: int) -> dict[str, DimLike]:
    lead = (0, *view.strides[: len(view.strides) - spatial])[-2:]
    return dict(
        zip((f"{prefix}_{a}" for a in "nczyx"), (*lead, *spatial3(view.strides[len(view.strides) - spatial :], 0)))
    )


def pool_seconds(found: Blocked | Plain, target: TargetLike) -> float | None:
    """Steps of whole vectors, against what is moved."""
    return loop_seconds(found.bytes, found.flops, target)


def one_by_one_seconds(found: Plain, target: TargetLike) -> float | None:
    """Steps one after the other."""
    return loop_seconds(found.bytes, found.flops, target, lanes=1)


FAMILY = (
    sole("pool_global", find_global, lower_global, cost=pool_seconds, ranked=False),
    sole("pool_blocked", find_blocked, lower_blocked, cost=pool_seconds, ranked=False),
    sole("pool_rows", find_rows, lower_rows, cost=pool_seconds, ranked=False),
    sole("pool_plain", find_plain, lower_plain, cost=one_by_one_seconds, ranked=False),
)
KERNELS = {op: FAMILY for op in ("avg_pool", "adaptive_avg_pool", "adaptive_max_pool")}
