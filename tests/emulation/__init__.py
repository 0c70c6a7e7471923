"""Matrix tiles (AMX) and vectors of AVX-512 in plain C, so that kernels that need them are tested on every machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sol.codegen.machines import ZEN4
from sol.codegen.targets import (
    NARROW_DOTS,
    Target,
    _native,
    avx2,
    avx512,
    cpu_features,
    has_matrix_tiles,
    with_matrix_tiles,
    with_narrow_dots,
)

MATRIX_TILES, PAIRS, PAIRS_IN_C = "matrix_tiles", "pairs", "pairs_in_c"
"""What ``tests.toolchains.target_of`` takes for the targets below: matrix tiles, products of pairs of bfloat16, and these in C."""
_FOLDER = Path(__file__).parent
# tests put functions of this module in the place of targets._native: what is called here is the one that it was


def matrix_tiles() -> Target:
    """This CPU's target where it has matrix tiles, else one that emulates them."""
    return _native() if has_matrix_tiles() else emulated()


def pairs(in_c: bool) -> Target:
    """A target that multiplies pairs of bfloat16, by this CPU's instruction if it has that and C is not asked for."""
    if NARROW_DOTS in cpu_features() and not in_c:
        return replace(_native(), machine=ZEN4, matrix_tiles=False)
    return replace(with_narrow_dots(emulated()), machine=ZEN4, matrix_tiles=False, needs=emulated().needs)


def emulated() -> Target:
    """A target with matrix tiles in plain C, and vectors of 16 numbers in plain C where this CPU has no AVX-512: headers of this folder are
    found before those of the same name of sol."""
    tiled = with_matrix_tiles(avx512.TARGET)
    if avx512.TARGET.runs_here():
        return replace(tiled, name="emulated", flags=(*tiled.flags, f"-I{_FOLDER}", _stamp()), needs=avx512.TARGET.needs)
    flags = avx2.TARGET.flags if avx2.TARGET.runs_here() else ()
    return replace(
        tiled, name="emulated", flags=(*flags, f"-I{_FOLDER}", _stamp()), header="sol_simd_wide.h", architecture="", needs=(),
    )  # fmt: skip


def _stamp() -> str:
    """A compiler's flag that differs where the headers do, which are then compiled anew."""
    return f"-DSOL_EMULATION={sum(path.stat().st_mtime_ns for path in _FOLDER.glob('*.h'))}"
