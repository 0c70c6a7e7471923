"""Which kernel serves a convolution, fastest first."""

from __future__ import annotations

from sol.codegen.decision import Candidate
from sol.codegen.kernels import (
    conv_direct,
    conv_paired,
    conv_plain,
    conv_small,
    conv_winograd,
)

KERNELS: dict[str, tuple[Candidate, ...]] = {
    "conv": (
        *conv_winograd.CANDIDATES,
        *conv_small.CANDIDATES,
        *conv_paired.CANDIDATES,
        *conv_direct.CANDIDATES,
        *conv_plain.CANDIDATES,
    ),
    "conv_transpose": conv_plain.TRANSPOSE_CANDIDATES,
}
