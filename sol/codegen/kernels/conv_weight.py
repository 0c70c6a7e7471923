"""Which kernel computes the gradient of a convolution for its weights, fastest first."""

from __future__ import annotations

from sol.codegen.decision import Candidate
from sol.codegen.kernels import conv_weight_dense, conv_weight_plain

KERNELS: dict[str, tuple[Candidate, ...]] = {"conv_weight_grad": (*conv_weight_dense.CANDIDATES, *conv_weight_plain.CANDIDATES)}
