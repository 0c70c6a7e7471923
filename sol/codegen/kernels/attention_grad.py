"""Gradients of attention: a thread computes the weights of a head again, block by block of its queries, and adds up what each block gives.

Scores never leave the cache (T. Dao et al., FlashAttention, 2022; here the keys of a head are not cut).
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.emit import c_float
from sol.codegen.kernels.attention import NV
from sol.codegen.kernels.attention_heads import EXTRA, STRETCH, batch_params, mask_strides
from sol.codegen.kernels.loop_cost import loop_seconds, steps
from sol.codegen.kernels.matmul_rows import rows_per_tile
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, ceil_div, product
from sol.ir.graph import Node
from sol.ir.types import DType

BLOCK = 32
"""Queries whose weights are in scratch at once, about: a sum over them is added to the gradients of keys in one go."""
_AXES = {"G": "lv", "Q": "le", "K": "se", "VALUE": "se", "DQ": "le", "DK": "se", "DV": "sv", "MASK": "ls", "KEPT": "ls"}


@dataclass(frozen=True)
class HeadGradients:
    """Where operands and the results that somebody reads lie, by their names in the template."""

    anchor: Node
    operands: tuple[tuple[str, View], ...]
    results: tuple[tuple[str, View], ...]


def find_sdpa_grad(lowering: Lowering) -> HeadGradients | None:
    """sdpa_grad or sdpa_dropped_grad in f32, any batch dimensions and strides."""
    anchor = lowering.anchor
    if anchor.types[0].dtype is not DType.F32:
        raise UnsupportedError(
            f"{anchor.op} of {anchor.types[0].dtype}", origin=str(lowering.region.origin), remedy="run the attention in float32"
        )
    if not set(lowering.body.outputs) <= set(anchor.outputs):
        return None
    operands = tuple(zip(("G", "Q", "K", "VALUE", *EXTRA[anchor.op]), map(lowering.view, anchor.inputs)))
    results = tuple((n, lowering.view(v)) for n, v in zip(("DQ", "DK", "DV"), anchor.outputs) if v in lowering.body.outputs)
    return HeadGradients(anchor, operands, results)


def lower_sdpa_grad(lowering: Lowering, found: HeadGradients) -> None:
    """Results that nobody reads are not written; see templates/attention_grad.c.j2."""
    anchor, target = found.anchor, lowering.target
    views = dict((*found.operands, *found.results))
    q, k, v = (views[n] for n in ("Q", "K", "VALUE"))
    queries, keys, depth, features = q.shape[-2], k.shape[-2], k.shape[-1], v.shape[-1]
    batch = anchor.types[0].shape[:-2]
    params: dict[str, DimLike] = {"L": queries, "S": keys, "E": depth, "V": features}
    mask = views.get("MASK")
    for name, view in views.items():
        steps_of = mask_strides(view) if name in EXTRA["sdpa_dropped"] else view.strides[-2:]
        params |= {f"{name}_{axis}": step for axis, step in zip(_AXES[name], steps_of)}
    params |= batch_params(views, batch)
    mr, width = rows_per_tile(target, NV), NV * target.lanes
    block, apart = ceil_div(BLOCK, mr) * mr, max(target.lanes, mr)
    wide, deep, long = (ceil_div(n, width) * width for n in (features, depth, keys))
    scratch = long * (depth + features) + deep * keys + block * (2 * deep + wide + 2 * (long + apart)) + mr * width
    scratch += ceil_div(keys, mr) * mr * (deep + wide)
    kind = {None: "", DType.BOOL: "bool", DType.F32: "float"}[mask.dtype if mask else None]
    dropped = "KEPT" in views
    words = ("sdpa_grad", "causal" if anchor.attrs["causal"] else "", f"{kind}_mask" if kind else "", "dropped" if dropped else "")
    lowering.emit(
        "attention_grad.c.j2",
        "_".join(w for w in words if w),
        reads=dict(found.operands),
        writes=dict(found.results),
        params=params,
        scratch=4 * scratch,
        flops=2 * product(batch) * queries * keys * (3 * depth + 2 * features),
        bytes=sum((x.dtype.itemsize * product(x.shape) for x in views.values()), start=0),
        mask=kind, causal=bool(anchor.attrs["causal"]), scale=c_float(anchor.attrs["scale"]), batch=len(batch),
        dropped=c_float(1 / (1 - anchor.attrs["share"])) if dropped else "",
        batch_size=" * ".join(f"B{d}" for d in range(len(batch))) or "1", grain=target.machine.team.grain,
        mr=mr, nv=NV, block=block, apart=apart, stretch=STRETCH, written=tuple([n for n, _ in found.results]),
    )  # fmt: skip


def sdpa_grad_seconds(found: HeadGradients, target: TargetLike) -> float | None:
    """Five products of every query and key, and the softmax."""
    shapes = [x.shape for _, x in found.operands]
    scores = product(shapes[1][:-1]) * shapes[2][-2]
    products = scores * (3 * shapes[2][-1] + 2 * shapes[3][-1])
    if not isinstance(scores, int) or not isinstance(products, int):
        return None
    moved = sum((x.dtype.itemsize * product(x.shape) for _, x in (*found.operands, *found.results)), start=0)
    return loop_seconds(moved, products + steps(scores, scores, target), target)


_CANDIDATES = (sole("sdpa_grad", find_sdpa_grad, lower_sdpa_grad, cost=sdpa_grad_seconds, ranked=False),)
KERNELS = {"sdpa_grad": _CANDIDATES, "sdpa_dropped_grad": _CANDIDATES}
