"""x86-64 with AVX-512 (F, BW, DQ, VL): servers since Skylake-SP, AMD since Zen 4."""

from __future__ import annotations

from sol.codegen.machines import NEUTRAL
from sol.codegen.targets import Target

TARGET: Target = Target(
    name="avx512",
    lanes=16,
    registers=32,
    flags=("-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx2", "-mfma", "-mf16c", "-mprfchw"),
    machine=NEUTRAL.with_caches(32 << 10, 1 << 20),
    header="sol_simd_avx512.h",
    architecture="x86_64",
    needs=("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "fma", "f16c"),
)
