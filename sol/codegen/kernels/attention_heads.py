"""What kernels of scaled dot-product attention are told of a region: operands, sizes and strides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sol.codegen.element import PRODUCT_TYPES
from sol.codegen.emit import c_float
from sol.codegen.kernels.matmul_rows import broadcast_strides
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Attrs
from sol.ir.types import DType

EXTRA = {"sdpa": ("MASK",), "sdpa_dropped": ("KEPT", "MASK"), "sdpa_grad": ("MASK",), "sdpa_dropped_grad": ("KEPT", "MASK")}
"""Op → names of its operands after queries, keys and values."""
STRETCH = 256
"""Keys, and vectors of a row of weights, that are added up one after the other: rounding errors grow with their number."""


@dataclass(frozen=True)
class Heads:
    """What the kernels are told: operands, sizes and strides by their names in the templates.

    context: options of the templates. stem: what of them the kernel's name tells. rows: queries of all heads.
    """

    operands: tuple[tuple[str, View], ...]
    params: tuple[tuple[str, DimLike], ...]
    context: Attrs
    stem: str
    rows: DimLike
    target: TargetLike

    def view(self, name: str) -> View:
        return dict(self.operands)[name]

    def size(self, name: str) -> DimLike:
        return dict(self.params)[name]

    @property
    def bytes(self) -> DimLike:
        """Of all operands and the result."""
        return sum((v.dtype.itemsize * product(v.shape) for _, v in self.operands), start=0)

    @property
    def prefix(self) -> str:
        """What a kernel's name tells of the elements."""
        return "" if self.view("Q").dtype is DType.F32 else f"{self.view('Q').dtype}_"

    def params_without(self, *names: str) -> dict[str, DimLike]:
        return {k: v for k, v in self.params if k not in names}


def find_heads(lowering: Lowering) -> Heads | None:
    """sdpa of float32 or bfloat16, any batch dimensions and strides; the result's innermost stride is 1."""
    anchor = lowering.anchor
    if not _is_served(lowering):
        return None
    q, k, v = (lowering.view(x) for x in anchor.inputs[:3])
    out = lowering.view(anchor.name)
    extra = dict(zip(EXTRA[anchor.op], map(lowering.view, anchor.inputs[3:])))
    operands, mask = {"Q": q, "K": k, "VALUE": v, "OUT": out} | extra, extra.get("MASK")
    batch = anchor.type.shape[:-2]
    params: dict[str, DimLike] = {"L": q.shape[-2], "S": k.shape[-2], "E": k.shape[-1], "V": v.shape[-1]}
    params |= {"Q_l": q.strides[-2]} | ({} if q.strides[-1] == 1 else {"Q_e": q.strides[-1]})
    params |= {"K_s": k.strides[-2], "K_e": k.strides[-1]}
    params |= {"VALUE_s": v.strides[-2], "VALUE_e": v.strides[-1], "OUT_l": out.strides[-2]}
    for name, view in extra.items():
        params[f"{name}_l"], params[f"{name}_s"] = mask_strides(view)
    params |= batch_params(operands, batch)
    kind = {None: "", DType.BOOL: "bool", DType.F32: "float"}[mask.dtype if mask else None]
    causal = bool(anchor.attrs["causal"])
    context = {
        "mask": kind, "causal": causal, "scale": c_float(anchor.attrs["scale"]), "batch": len(batch), "element": str(q.dtype),
        "grain": lowering.target.machine.team.grain, "dropped": c_float(1 / (1 - anchor.attrs["share"])) if "KEPT" in extra else "",
        "batch_size": " * ".join(f"B{d}" for d in range(len(batch))) or "1", "q_step": "1" if q.strides[-1] == 1 else "Q_e",
    }  # fmt: skip
    stem = "_".join((["causal"] if causal else []) + ([f"{kind}_mask"] if kind else []) + (["dropped"] if "KEPT" in extra else []))
    return Heads(tuple(operands.items()), tuple(params.items()), Attrs(context), stem, product(batch) * q.shape[-2], lowering.target)


def emit_attention(
    lowering: Lowering, heads: Heads, template: str, stem: str, scratch: DimLike, params: dict[str, DimLike], **context: Any
) -> None:
    """A launch. scratch: bytes of each thread."""
    q, k, v, out = (heads.view(n) for n in ("Q", "K", "VALUE", "OUT"))
    lowering.emit(
        template,
        stem + (f"_{heads.stem}" if heads.stem else ""),
        reads={n: x for n, x in heads.operands if n != "OUT"},
        writes={"OUT": out},
        params=params,
        scratch=scratch,
        flops=2 * heads.rows * k.shape[-2] * (k.shape[-1] + v.shape[-1]),
        bytes=q.dtype.itemsize * (product(q.shape) + product(k.shape) + product(v.shape) + product(out.shape)),
        stretch=STRETCH,
        **heads.context,
        **context,
    )


def batch_params(views: Mapping[str, View], batch: Sequence[DimLike]) -> dict[str, DimLike]:
    """Sizes of batch dimensions, and how far the next one lies in each operand and result."""
    params: dict[str, DimLike] = {f"B{d}": size for d, size in enumerate(batch)}
    for name, view in views.items():
        steps = broadcast_strides(view.shape[:-2], view.strides[: len(view.shape) - 2], len(batch))
        params |= {f"{name}_{d}": step for d, step in enumerate(steps)}
    return params


def mask_strides(mask: View) -> tuple[DimLike, DimLike]:
    """Element strides along queries and keys; 0 where the mask is broadcast."""
    rank = len(mask.shape)
    keys = 0 if rank < 1 or mask.shape[-1] == 1 else mask.strides[-1]
    queries = 0 if rank < 2 or mask.shape[-2] == 1 else mask.strides[-2]
    return queries, keys


def _is_served(lowering: Lowering) -> bool:
    """Whether nothing is fused; UnsupportedError for what even an attention alone must not be."""
    anchor = lowering.anchor
    origin = str(lowering.region.origin)
    if anchor.type.dtype not in PRODUCT_TYPES:
        raise UnsupportedError(f"sdpa of {anchor.type.dtype}", origin=origin, remedy="run the attention in float32")
    if anchor.type.shape[-1] != 1 and lowering.view(anchor.name).strides[-1] != 1:
        raise UnsupportedError("sdpa into a result whose features lie apart", origin=origin, remedy="copy the result")
    return lowering.output == anchor.name
