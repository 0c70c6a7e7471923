"""Bags of rows: each thread adds up its own bags, row by row of the table."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Attrs, Origin
from sol.ir.types import DType


@dataclass(frozen=True)
class Bags:
    """Where a table, the numbers of its rows, the beginnings of bags, weights and the result lie. attrs: of the op."""

    table: View
    index: View
    starts: View
    weights: View | None
    out: View
    attrs: Attrs
    origin: Origin


def find_bags(lowering: Lowering) -> Bags:
    """float32 and float64, any strides."""
    anchor = lowering.anchor
    table, index, starts, *weights = map(lowering.view, anchor.inputs)
    if table.dtype not in (DType.F32, DType.F64):
        raise UnsupportedError(f"{anchor.op} of {table.dtype}", origin=str(anchor.origin), remedy="cast the table to float32")
    return Bags(table, index, starts, weights[0] if weights else None, lowering.view(anchor.name), anchor.attrs, anchor.origin)


def lower_bags(lowering: Lowering, found: Bags) -> None:
    """One launch; see templates/bags_rows.c.j2."""
    table, index, starts, out, mode = found.table, found.index, found.starts, found.out, found.attrs["mode"]
    reads = {"table": table, "index": index, "starts": starts}
    params: dict[str, DimLike] = {
        "count": table.shape[0], "columns": table.shape[1], "length": index.shape[0], "bags": out.shape[0], "edges": starts.shape[0],
        "table_r": table.strides[0], "index_n": index.strides[0], "starts_n": starts.strides[0],
        "out_b": out.strides[0], "out_c": out.strides[1],
    }  # fmt: skip
    whole_rows = table.strides[1] == 1 and out.strides[1] == 1
    if not whole_rows:
        params["table_c"] = table.strides[1]
    if found.weights:
        reads["weights"] = found.weights
        params["weights_n"] = found.weights.strides[0]
    if found.attrs["checked"]:
        params["check"] = lowering.library.check(found.attrs["checked"], found.origin)
    lowering.emit(
        "bags_rows.c.j2",
        f"bags_{mode}_{table.dtype}",
        reads=reads,
        writes={"out": out},
        params=params,
        flops=product(index.shape) * table.shape[1],
        bytes=table.dtype.itemsize * (product(index.shape) + out.shape[0]) * table.shape[1],
        T=table.dtype.c, index_type=index.dtype.c, mode=mode, weighted=bool(found.weights), checked=bool(found.attrs["checked"]),
        without=found.attrs["without"], whole_rows=whole_rows,
    )  # fmt: skip


KERNELS = {"bags": (sole("rows", find_bags, lower_bags),)}
