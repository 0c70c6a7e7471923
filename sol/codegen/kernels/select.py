"""Kernels whose result is as long as the data says: they write a prefix of it and its length."""

from __future__ import annotations

from collections.abc import Mapping

from sol.codegen.decision import sole
from sol.codegen.kernels.sort import WORD, Found, compute_type, finder, load
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, dim_min, product
from sol.ir.types import DType


def lower_nonzero(lowering: Lowering, found: Found) -> None:
    """Counts first, then writes; shared memory holds a count per thread."""
    x, results = found.x, found.results
    rank = len(x.shape)
    params: dict[str, DimLike] = {f"n{i}": s for i, s in enumerate(x.shape)}
    params |= {f"s{i}": s for i, s in enumerate(x.strides)}
    if "out0" in results:
        params |= _row_strides(results["out0"])
    lowering.emit(
        "select_nonzero.c.j2",
        f"nonzero{rank}",
        reads={"in0": x},
        writes=results,
        rank=rank,
        ctype=x.dtype.c,
        sizes=[f"n{i}" for i in range(rank)],
        place=" + ".join(f"i{i} * s{i}" for i in range(rank)) or "0",
        test="v & 0x7fff" if x.dtype is DType.BF16 else "v != 0",
        indices="out0" in results,
        count="total" in results,
        shared_scratch=WORD * MOST_THREADS,
        bytes=x.dtype.itemsize * product(x.shape),
        params=params,
    )


MOST_THREADS = 1024


def _row_strides(view: View) -> dict[str, DimLike]:
    return {"s_row": view.strides[0], "s_column": view.strides[1]}


def lower_unique(lowering: Lowering, found: Found) -> None:
    """One thread sorts the row numbers; scratch holds three numbers per row."""
    node, x, results = found.node, found.x, found.results
    rows, columns = x.shape
    params: dict[str, DimLike] = {"rows": rows, "columns": columns, "s_row": x.strides[0], "s_column": x.strides[1]}
    params |= {f"s_{name}": v.strides[0] for name, v in results.items() if name != "total"}
    lowering.emit(
        "select_unique.c.j2",
        "unique" if node.attrs["sorted"] else "unique_unsorted",
        reads={"in0": x},
        writes=results,
        results=tuple(results),
        sorted=bool(node.attrs["sorted"]),
        ctype=x.dtype.c,
        compute=compute_type(x.dtype),
        is_float=x.dtype.is_float,
        load=load(x.dtype, "p"),
        scratch=3 * WORD * rows,
        bytes=x.dtype.itemsize * product(x.shape),
        params=params,
    )


def find_nms(lowering: Lowering) -> Found:
    """float32 and float64, any strides."""
    found = find_places(lowering)
    if found.x.dtype not in (DType.F32, DType.F64):
        raise UnsupportedError(f"nms of {found.x.dtype}", origin=str(found.node.origin), remedy="cast to float32 first")
    return found


def lower_nms(lowering: Lowering, found: Found) -> None:
    """Classes are split over the team; shared memory holds what each one keeps."""
    node, results = found.node, found.results
    reads: Mapping[str, View] = dict(zip(("boxes", "scores", "most", "iou", "score"), found.operands))
    boxes, scores = reads["boxes"], reads["scores"]
    images, classes, count = scores.shape
    limit = count if node.attrs["limit"] is None else dim_min(count, node.attrs["limit"])
    params: dict[str, DimLike] = {"N": images, "C": classes, "B": count, "limit": limit}
    params |= dict(zip(("b_n", "b_b", "b_4", "s_n", "s_c", "s_b"), (*boxes.strides, *scores.strides)))
    if "out0" in results:
        params |= _row_strides(results["out0"])
    lowering.emit(
        "select_nms.c.j2",
        "nms_centre" if node.attrs["center"] else "nms_corners",
        reads=reads,
        writes=results,
        T=boxes.dtype.c,
        center=bool(node.attrs["center"]),
        indices="out0" in results,
        count="total" in results,
        scratch=WORD * count,
        shared_scratch=WORD * images * classes * (limit + 1),
        bytes=boxes.dtype.itemsize * (product(boxes.shape) + product(scores.shape)),
        params=params,
    )


find_places = finder("out0", "total")

KERNELS = {
    "nonzero": (sole("count", find_places, lower_nonzero),),
    "unique": (sole("sort", finder("first", "inverse", "counts", "total"), lower_unique),),
    "nms": (sole("greedy", find_nms, lower_nms),),
}
