"""64-bit ARM with Advanced SIMD, which every aarch64 CPU has; nothing beyond it is assumed."""

from __future__ import annotations

from sol.codegen.machines import NEUTRAL
from sol.codegen.targets import Target

TARGET: Target = Target(
    name="neon",
    lanes=4,
    registers=32,
    flags=(),
    machine=NEUTRAL.with_caches(64 << 10, 512 << 10),
    header="sol_simd_neon.h",
    architecture="aarch64",
    needs=("asimd",),
)
