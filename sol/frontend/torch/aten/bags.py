"""ATen's embeddings of bags: rows of a table that are added up as they are looked up."""

from __future__ import annotations

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.ops.bags import MODES
from sol.ir.types import DType


@converter("embedding_bag.default", "embedding_bag.padding_idx", "_embedding_bag.default", "_embedding_bag_forward_only.default")
def embedding_bag(
    ctx: Context, weight: str, indices: str, offsets: str, scale_grad_by_freq: bool = False, mode: int = 0, sparse: bool = False,
    per_sample_weights: str | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
) -> tuple[str | None, ...]:  # fmt: skip
    """The bags alone; of what torch returns beside them for its derivative nothing."""
    if any(ctx.is_used(i) for i in (1, 2, 3)):
        raise Fallback("what an embedding of bags keeps for its derivative is read")
    if ctx.dtype is not DType.F32:
        raise Fallback(f"bags of {ctx.dtype}")
    without = padding_idx
    if without is not None and without < 0:
        rows = ctx.size(weight)[0]
        composite = str(ctx.node.target).startswith("aten.embedding_bag")  # of others -1 says that there is none
        without = int(ctx.fixed((rows,), "the number of rows")[0]) + without if composite else None
    weights = () if per_sample_weights is None else (per_sample_weights,)
    y = ctx.add(
        "bags", weight, indices, offsets, *weights, mode=MODES[mode], closed=include_last_offset, without=without, checked="embedding_bag",
    )  # fmt: skip
    return y, None, None, None
