"""Which kernel serves a convolution, fastest first."""

from __future__ import annotations

from sol.codegen.kernels import conv_direct, conv_plain, conv_pooled, conv_prologue, conv_small, conv_stem, conv_strassen, conv_winograd
from sol.codegen.lowering import Candidate

KERNELS: dict[str, tuple[Candidate, ...]] = {
    "conv": (
        *conv_prologue.CANDIDATES,
        *conv_winograd.CANDIDATES,
        *conv_pooled.CANDIDATES,
        *conv_small.CANDIDATES,
        *conv_strassen.CANDIDATES,
        *conv_direct.CANDIDATES,
        *conv_stem.CANDIDATES,
        *conv_plain.CANDIDATES,
    ),
    "conv_transpose": conv_plain.TRANSPOSE_CANDIDATES,
}
