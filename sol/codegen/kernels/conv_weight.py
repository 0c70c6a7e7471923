"""Which kernel computes the gradient of a convolution for its weights, fastest first."""

from __future__ import annotations

from sol.codegen.decision import Candidate
from sol.codegen.kernels import (
    conv_weight_dense,
    conv_weight_depthwise,
    conv_weight_inner_product,
    conv_weight_pairs,
    conv_weight_plain,
    conv_weight_split,
    conv_weight_tiles,
    conv_weight_winograd,
)

FAMILIES = (
    conv_weight_tiles, conv_weight_pairs, conv_weight_split, conv_weight_winograd, conv_weight_inner_product, conv_weight_depthwise,
    conv_weight_dense, conv_weight_plain,
)  # fmt: skip
KERNELS: dict[str, tuple[Candidate, ...]] = {
    "conv_weight_grad": tuple(candidate for family in FAMILIES for candidate in family.CANDIDATES),
}
