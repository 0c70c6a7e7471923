"""Compiles a piece of C against sol's headers for a target and loads it."""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import tempfile
from pathlib import Path

from sol.codegen.render import INCLUDE
from sol.codegen.targets import Target

BUILD = Path(tempfile.gettempdir()) / "sol_test_kernels"


def load_c(source: str, target: Target) -> ctypes.CDLL:
    """The shared library of one C source."""
    headers = "".join(p.read_text() for p in sorted(INCLUDE.glob("*.h")))
    stem = BUILD / hashlib.sha256((source + headers + target.name).encode()).hexdigest()[:20]
    so = stem.with_suffix(".so")
    if not so.exists():
        folder = Path(tempfile.mkdtemp(dir=_folder()))
        (folder / "k.c").write_text(source)
        command = [
            "gcc",
            "-O2",
            "-std=gnu11",
            "-fPIC",
            "-shared",
            "-ffp-contract=fast",
            "-fno-math-errno",
            "-Wall",
            "-Wno-unused-function",
            "-Wno-psabi",
            f'-DSOL_SIMD_HEADER="{target.header}"',
            *target.flags,
            f"-I{INCLUDE}",
            str(folder / "k.c"),
            "-lm",
            "-o",
            str(folder / "k.so"),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:4000]
        (folder / "k.so").replace(so)
    return ctypes.CDLL(str(so))


def _folder() -> Path:
    BUILD.mkdir(exist_ok=True)
    return BUILD
