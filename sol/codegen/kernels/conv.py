"""Which kernel serves a convolution, fastest first."""

from __future__ import annotations

from sol.codegen.decision import Candidate
from sol.codegen.kernels import conv_direct, conv_im2col, conv_inner_product, conv_plain, conv_small, conv_split, conv_tiles, conv_winograd

FAMILIES = (conv_winograd, conv_small, conv_split, conv_inner_product, conv_tiles, conv_im2col, conv_direct, conv_plain)
KERNELS: dict[str, tuple[Candidate, ...]] = {
    "conv": tuple(candidate for family in FAMILIES for candidate in family.CANDIDATES),
    "conv_transpose": conv_plain.TRANSPOSE_CANDIDATES,
}
