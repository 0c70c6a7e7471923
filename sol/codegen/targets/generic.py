"""Any machine: plain C with four-lane vectors that the compiler maps to whatever the base instruction set has."""

from __future__ import annotations

from sol.codegen.machines import NEUTRAL
from sol.codegen.targets import Target

TARGET: Target = Target(
    name="generic",
    lanes=4,
    registers=16,
    flags=(),
    machine=NEUTRAL.with_caches(32 << 10, 256 << 10),
    header="sol_simd_generic.h",
)
