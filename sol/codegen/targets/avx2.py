"""x86-64 with AVX2, FMA and half-precision conversion: nearly every PC since Haswell and Zen."""

from __future__ import annotations

from sol.codegen.machines import NEUTRAL
from sol.codegen.targets import Target

TARGET: Target = Target(
    name="avx2",
    lanes=8,
    registers=16,
    flags=("-mavx2", "-mfma", "-mf16c", "-mprfchw"),
    machine=NEUTRAL.with_caches(32 << 10, 256 << 10),
    header="sol_simd_avx2.h",
    architecture="x86_64",
    needs=("avx2", "fma", "f16c"),
    word_dots=True,
)
