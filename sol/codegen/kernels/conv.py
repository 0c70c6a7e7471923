"""Which kernel serves a convolution, fastest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sol.codegen.kernels import (
    conv_direct,
    conv_paired,
    conv_paired_grouped,
    conv_plain,
    conv_pooled,
    conv_prologue,
    conv_selected,
    conv_small,
    conv_stem,
    conv_strassen,
    conv_winograd,
)
from sol.codegen.lowering import Candidate, Lowering


def _from_memory(candidate: Candidate) -> Candidate:
    """The candidate, for regions that do not make the convolution's input themselves."""

    def given(test: Callable[[Lowering], bool]) -> Callable[[Lowering], bool]:
        return lambda lowering: lowering.anchor.inputs[0] in lowering.body.inputs and test(lowering)

    return replace(candidate, when=given(candidate.when), can=given(candidate.can) if candidate.can else None)


KERNELS: dict[str, tuple[Candidate, ...]] = {
    "conv": (
        *conv_paired.PROLOGUE_CANDIDATES,
        *conv_prologue.CANDIDATES,
        *conv_selected.CANDIDATES,
        *map(
            _from_memory,
            (
                *conv_winograd.CANDIDATES,
                *conv_paired.POOLED_CANDIDATES,
                *conv_pooled.CANDIDATES,
                *conv_small.CANDIDATES,
                *conv_strassen.CANDIDATES,
                *conv_paired.CANDIDATES,
                *conv_paired_grouped.CANDIDATES,
                *conv_direct.CANDIDATES,
                *conv_stem.CANDIDATES,
                *conv_plain.CANDIDATES,
            ),
        ),
    ),
    "conv_transpose": conv_plain.TRANSPOSE_CANDIDATES,
}
