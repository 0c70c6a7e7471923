"""Which kernel serves a convolution, fastest first."""

from __future__ import annotations

from sol.codegen.decision import Candidate, adapted
from sol.codegen.kernels import (
    conv_direct,
    conv_paired,
    conv_paired_grouped,
    conv_plain,
    conv_small,
    conv_stem,
    conv_strassen,
    conv_winograd,
)

KERNELS: dict[str, tuple[Candidate, ...]] = {
    "conv": (
        *conv_winograd.CANDIDATES,
        *map(adapted, conv_small.CANDIDATES),
        *conv_strassen.CANDIDATES,
        *conv_paired.CANDIDATES,
        *conv_paired_grouped.CANDIDATES,
        *conv_direct.CANDIDATES,
        *conv_stem.CANDIDATES,
        *map(adapted, conv_plain.CANDIDATES),
    ),
    "conv_transpose": tuple(map(adapted, conv_plain.TRANSPOSE_CANDIDATES)),
}
