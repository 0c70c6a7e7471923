"""Resampling of images: weighted sums of rows, then of columns, of blocked or row-major float32, in one pass over the image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.blocked import BlockedEpilogue, blocked_epilogue, need_blocked
from sol.codegen.kernels.loop_cost import loop_seconds
from sol.codegen.kernels.pool import pool_strides
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.types import DType

TABLES = ("rows", "row_weights", "columns", "column_weights")
"""Places and their weights, by the names of the templates."""


@dataclass(frozen=True)
class Resampling:
    """Where an image and its result lie. tables: places and weights [taps, size of the result], by name."""

    source: str
    read: View
    out: View
    tables: Mapping[str, View]
    epilogue: Any

    @property
    def taps(self) -> tuple[int, int]:
        """Of rows and of columns, at most."""
        return int(self.tables["rows"].shape[0]), int(self.tables["columns"].shape[0])  # type: ignore[arg-type]

    @property
    def sizes(self) -> dict[str, DimLike]:
        """Of the result and the image, by the names of the templates."""
        (_, height), (_, width) = self.tables["rows"].shape, self.tables["columns"].shape
        return {"H": height, "W": width, "IW": self.read.shape[3]}

    @property
    def flops(self) -> DimLike:
        """A row of the image is added up for each row of the result."""
        sizes, (rows, columns) = self.sizes, self.taps
        lines = product(self.out.shape[:2]) * sizes["H"] * (self.out.shape[4] if self.out.layout.block else 1)
        return lines * ((2 * rows - 1) * sizes["IW"] + (2 * columns - 1) * sizes["W"])

    @property
    def bytes(self) -> DimLike:
        return 4 * (product(self.read.shape) + product(self.out.shape))


def _tables(lowering: Lowering) -> dict[str, View]:
    return {name: lowering.view(v) for name, v in zip(TABLES, lowering.anchor.inputs[1:])}


def find_blocked(lowering: Lowering) -> Resampling | None:
    """A blocked image."""
    node = lowering.anchor
    if not lowering.type_of(node.inputs[0]).layout.block:
        return None
    need_blocked(lowering, node.inputs[0], lowering.output, dtypes=(DType.F32,))
    epilogue = blocked_epilogue(lowering, node.name, ("y", "x"))
    return Resampling(node.inputs[0], lowering.view(node.inputs[0]), lowering.view(lowering.output), _tables(lowering), epilogue)


def lower_blocked(lowering: Lowering, found: Resampling) -> None:
    """One launch; see templates/resample_blocked.c.j2."""
    source, out, lanes = found.read, found.out, lowering.target.lanes
    epilogue: BlockedEpilogue = found.epilogue
    by_rows = lowering.follow_share(found.source)
    params: dict[str, DimLike] = {"N": source.shape[0], "CB": source.shape[1], "by_rows": by_rows, **found.sizes}
    for prefix, view in (("in", source), ("out", out)):
        params |= dict(zip((f"{prefix}_n", f"{prefix}_b", f"{prefix}_y"), view.strides))
    lowering.emit(
        "resample_blocked.c.j2", "resample{}x{}{}".format(*found.taps, epilogue.stem),
        reads={"in": source, **found.tables, **dict(epilogue.reads)}, writes={"out": out}, params={**params, **dict(epilogue.params)},
        flops=found.flops, bytes=found.bytes, scratch=4 * lanes * found.sizes["IW"], lanes=lanes, taps=found.taps,
        epilogue=epilogue.text,
    )  # fmt: skip


def find_plain(lowering: Lowering) -> Resampling | None:
    """A row-major image, whatever its strides."""
    node = lowering.anchor
    x, result = lowering.type_of(node.inputs[0]), lowering.type_of(lowering.output)
    if x.layout.block:
        return None
    if x.dtype is not DType.F32:
        remedy = "cast to float32 before and back after it"
        raise UnsupportedError(f"resampling of {x.dtype} values", origin=str(node.origin), remedy=remedy)
    epilogue = make_epilogue(lowering, node.name, channel_axis=3)
    if not epilogue.is_identity and result.dtype is not DType.F32:
        return None
    return Resampling(node.inputs[0], lowering.view(node.inputs[0]), lowering.view(lowering.output), _tables(lowering), epilogue)


def lower_plain(lowering: Lowering, found: Resampling) -> None:
    """One launch; see templates/resample_plain.c.j2."""
    epilogue: Epilogue = found.epilogue
    strides = pool_strides("in", found.read, 2) | pool_strides("out", found.out, 2)
    for operand in epilogue.operands:
        named = pool_strides(operand.name, replace(operand.view, strides=operand.strides), 2)
        strides |= {k: v for k, v in named.items() if not k.endswith("_x")}
    side_by_side = {f"{prefix}_x": isinstance(strides[f"{prefix}_x"], int) and strides[f"{prefix}_x"] == 1 for prefix in ("in", "out")}
    unused = {"in_z", "out_z", *(name for name, one in side_by_side.items() if one)}
    lines, text = ([], "a") if epilogue.is_identity else epilogue.trace("a", lambda o: o.name, "t")
    lanes, width = lowering.target.lanes, found.sizes["W"]
    assert isinstance(width, int)  # a table has places for each of them
    begins = found.taps[1] * -(-width // lanes)
    lowering.emit(
        "resample_plain.c.j2", "resample{}x{}_plain{}{}".format(*found.taps, "_" if epilogue.stem else "", epilogue.stem),
        reads={"in": found.read, **found.tables, **{o.name: o.view for o in epilogue.operands}}, writes={"out": found.out},
        params={"N": found.read.shape[0], "C": found.read.shape[1], **found.sizes, **{k: v for k, v in strides.items() if k not in unused}},
        flops=found.flops, bytes=found.bytes, scratch=4 * (found.sizes["IW"] + width + 2 * lanes + begins), taps=found.taps,
        T="float", dense=side_by_side["in_x"], out_x="1" if side_by_side["out_x"] else "out_x",
        operands=epilogue.texts, epilogue_lines=tuple(lines), epilogue_result=text,
    )  # fmt: skip


def resample_seconds(found: Resampling, target: TargetLike) -> float | None:
    """Vectors that are loaded and added up, against what is moved."""
    return loop_seconds(found.bytes, found.flops, target)


FAMILY = (
    sole("resample_blocked", find_blocked, lower_blocked, cost=resample_seconds, ranked=False),
    sole("resample_plain", find_plain, lower_plain, cost=resample_seconds, ranked=False),
)
KERNELS = {"resample": FAMILY}
