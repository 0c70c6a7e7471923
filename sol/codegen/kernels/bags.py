"""Bags of rows: each thread adds up its own bags, row by row of the table."""

from __future__ import annotations

from sol.codegen.lowering import Candidate, Lowering
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.types import DType


def lower_bags(lowering: Lowering) -> None:
    """One launch; see templates/bags_rows.c.j2. float32 and float64, any strides."""
    anchor = lowering.anchor
    table, index, starts = (lowering.view(v) for v in anchor.inputs[:3])
    out = lowering.view(anchor.name)
    if table.dtype not in (DType.F32, DType.F64):
        raise UnsupportedError(f"{anchor.op} of {table.dtype}", origin=str(anchor.origin), remedy="cast the table to float32")
    reads = {"table": table, "index": index, "starts": starts}
    params: dict[str, DimLike] = {
        "count": table.shape[0], "columns": table.shape[1], "length": index.shape[0], "bags": out.shape[0], "edges": starts.shape[0],
        "table_r": table.strides[0], "index_n": index.strides[0], "starts_n": starts.strides[0],
        "out_b": out.strides[0], "out_c": out.strides[1],
    }  # fmt: skip
    whole_rows = table.strides[1] == 1 and out.strides[1] == 1
    if not whole_rows:
        params["table_c"] = table.strides[1]
    if len(anchor.inputs) > 3:
        reads["weights"] = lowering.view(anchor.inputs[3])
        params["weights_n"] = reads["weights"].strides[0]
    if anchor.attrs["checked"]:
        params["check"] = lowering.library.check(anchor.attrs["checked"], anchor.origin)
    mode = anchor.attrs["mode"]
    lowering.emit(
        "bags_rows.c.j2",
        f"bags_{mode}_{table.dtype}",
        reads=reads,
        writes={"out": out},
        params=params,
        flops=product(index.shape) * table.shape[1],
        bytes=table.dtype.itemsize * (product(index.shape) + out.shape[0]) * table.shape[1],
        T=table.dtype.c, index_type=index.dtype.c, mode=mode, weighted=len(anchor.inputs) > 3, checked=bool(anchor.attrs["checked"]),
        without=anchor.attrs["without"], whole_rows=whole_rows,
    )  # fmt: skip


KERNELS = {"bags": (Candidate("rows", lambda lowering: True, lower_bags),)}
