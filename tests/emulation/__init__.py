"""Matrix tiles (AMX) and vectors of AVX-512 in plain C, so that kernels that need them are tested on every machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sol.codegen.targets import Target, avx2, avx512, has_matrix_tiles, resolve, with_matrix_tiles

MATRIX_TILES = "matrix_tiles"
"""What ``tests.toolchains.target_of`` takes for the target below."""
_FOLDER = Path(__file__).parent


def matrix_tiles() -> Target:
    """This CPU's target where it has matrix tiles, else one that emulates them."""
    return resolve("native") if has_matrix_tiles() else emulated()


def emulated() -> Target:
    """A target with vectors of 16 numbers and matrix tiles, both in plain C: its headers are found before those of the same name of sol."""
    flags = avx2.TARGET.flags if avx2.TARGET.runs_here() else ()
    headers = sum(path.stat().st_mtime_ns for path in _FOLDER.glob("*.h"))  # compiled anew where these change
    return replace(
        with_matrix_tiles(avx512.TARGET), name="emulated", flags=(*flags, f"-I{_FOLDER}", f"-DSOL_EMULATION={headers}"),
        header="sol_simd_wide.h", architecture="", needs=(),
    )  # fmt: skip
