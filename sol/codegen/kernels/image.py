"""Sampling of images at computed places: plain kernels, which take any strides and float32 or float64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Attrs
from sol.ir.ops.image import counts_from_end, is_strict
from sol.ir.strides import contiguous_strides
from sol.ir.types import DType

TAPS = {"nearest": 1, "linear": 2, "cubic": 4}


@dataclass(frozen=True)
class Sampling:
    """Where the operands of a sampling op, in order, and its result lie."""

    attrs: Attrs
    operands: tuple[View, ...]
    out: View

    @property
    def words(self) -> dict[str, Any]:
        """The C type and its functions and constants."""
        f = "f" if self.out.dtype is DType.F32 else ""
        return {"T": self.out.dtype.c, "floor": f"floor{f}", "rint": f"rint{f}", "fmod": f"fmod{f}", "half": f"0.5{f}", "suffix": f}


def find_sampling(lowering: Lowering) -> Sampling:
    """float32 and float64, any strides."""
    anchor = lowering.anchor
    if anchor.type.dtype not in (DType.F32, DType.F64):
        raise UnsupportedError(
            f"{anchor.op} of {anchor.type.dtype}", origin=str(anchor.origin), remedy="cast to float32 before and back after it"
        )
    return Sampling(anchor.attrs, tuple(map(lowering.view, anchor.inputs)), lowering.view(anchor.name))


def _strides(prefix: str, view: View, names: Sequence[str]) -> dict[str, DimLike]:
    return {f"{prefix}_{n}": s for n, s in zip(names, view.strides)}


def find_lanes(lowering: Lowering) -> Sampling | None:
    """float32 points of the grid and of the result that follow one another in memory, and maps whose offsets fit 32 bits."""
    found = find_sampling(lowering)
    (x, grid), out = found.operands, found.out
    rows = grid.strides[1:] == contiguous_strides(grid.shape[1:]) and out.strides[2:] == contiguous_strides(out.shape[2:])
    sizes = [*x.shape[2:], *x.strides[2:]]
    fits = (
        x.dtype is DType.F32 and rows and all(isinstance(s, int) for s in sizes)
        and sum((n - 1) * s for n, s in zip(x.shape[2:], x.strides[2:])) < 2**31  # type: ignore[operator]
    )  # fmt: skip
    return found if fits else None


def lower_grid_sample_by_lanes(lowering: Lowering, found: Sampling) -> None:
    """One launch; see templates/image_grid_sample_lanes.c.j2."""
    _lower_grid_sample(lowering, found, "_lanes")


def lower_grid_sample(lowering: Lowering, found: Sampling) -> None:
    """One launch; see templates/image_grid_sample.c.j2."""
    _lower_grid_sample(lowering, found, "")


def _lower_grid_sample(lowering: Lowering, found: Sampling, way: str) -> None:
    (x, grid), out, words = found.operands, found.out, found.words
    spatial = len(x.shape) - 2
    dims = [str(d) for d in range(spatial)]
    params: dict[str, DimLike] = {"N": x.shape[0], "C": x.shape[1]}
    params |= {f"I{d}": x.shape[2 + d] for d in range(spatial)} | {f"O{d}": out.shape[2 + d] for d in range(spatial)}
    params |= _strides("in", x, ("n", "c", *dims))
    params |= _strides("grid", grid, ("n", *(() if way else (*dims, "e")))) | _strides("out", out, ("n", "c", *(() if way else dims)))
    lanes = range(0, 2 * lowering.target.lanes, 2)
    mode, padding, aligned = (found.attrs[k] for k in ("mode", "padding", "align_corners"))
    lowering.emit(
        f"image_grid_sample{way}.c.j2",
        f"grid_sample{spatial}d_{mode}_{padding}{'_aligned' if aligned else ''}_{x.dtype}{way}",
        reads={"in": x, "grid": grid},
        writes={"out": out},
        params=params,
        flops=2 * TAPS[mode] ** spatial * product(out.shape),
        bytes=2 * x.dtype.itemsize * product(out.shape),
        D=spatial, taps=TAPS[mode], mode=mode, padding=padding, aligned=bool(aligned), cubic="-0.75" + words["suffix"],
        strict=is_strict(found.attrs, spatial), from_end=counts_from_end(spatial), even=list(lanes), odd=[i + 1 for i in lanes], **words,
    )  # fmt: skip


def lower_roi_align(lowering: Lowering, found: Sampling) -> None:
    """One launch; see templates/image_roi_align.c.j2."""
    (x, rois, batch), out, words = found.operands, found.out, found.words
    attrs, f = found.attrs, words["suffix"]
    params: dict[str, DimLike] = dict(zip(("N", "C", "H", "W"), x.shape)) | dict(zip(("ROIS", "_", "ROWS", "COLS"), out.shape))
    del params["_"]
    params |= _strides("in", x, "ncyx") | _strides("rois", rois, "re") | _strides("batch", batch, "r") | _strides("out", out, "rcyx")
    lowering.emit(
        "image_roi_align.c.j2",
        f"roi_align_{attrs['mode']}_{x.dtype}",
        reads={"in": x, "rois": rois, "batch": batch},
        writes={"out": out},
        params=params,
        bytes=2 * x.dtype.itemsize * product(out.shape),
        mode=attrs["mode"], half_pixel=bool(attrs["half_pixel"]), sampling=int(attrs["sampling_ratio"]), T=words["T"], half=words["half"],
        scale=f"{float(attrs['scale'])!r}{f}", shift=words["half"] if attrs["half_pixel"] else "0",
    )  # fmt: skip


def lower_deform_columns(lowering: Lowering, found: Sampling) -> None:
    """One launch; see templates/image_deform_columns.c.j2."""
    (x, offset, *mask), out, words = found.operands, found.out, found.words
    attrs = found.attrs
    reads = {"in": x, "offset": offset}
    params: dict[str, DimLike] = dict(zip(("N", "C", "H", "W"), x.shape))
    params |= {"G": attrs["offset_groups"], "OH": out.shape[3], "OW": out.shape[4]}
    names = {"kernel": ("R", "S"), "stride": ("sy", "sx"), "padding": ("pad_y", "pad_x"), "dilation": ("dy", "dx")}
    for attr, (a, b) in names.items():
        params[a], params[b] = attrs[attr]
    params |= _strides("in", x, "ncyx") | _strides("offset", offset, "ncyx") | _strides("out", out, "nctyx")
    if mask:
        reads["mask"] = mask[0]
        params |= _strides("mask", reads["mask"], "ncyx")
    lowering.emit(
        "image_deform_columns.c.j2",
        f"deform_columns{'_mask' if 'mask' in reads else ''}_{x.dtype}",
        reads=reads,
        writes={"out": out},
        params=params,
        flops=8 * product(out.shape),
        bytes=2 * x.dtype.itemsize * product(out.shape),
        mask="mask" in reads, T=words["T"], floor=words["floor"],
    )  # fmt: skip


KERNELS = {
    "grid_sample": (sole("lanes", find_lanes, lower_grid_sample_by_lanes), sole("grid_sample", find_sampling, lower_grid_sample)),
    "roi_align": (sole("roi_align", find_sampling, lower_roi_align),),
    "deform_columns": (sole("deform_columns", find_sampling, lower_deform_columns),),
}
