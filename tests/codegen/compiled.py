"""Compiles a piece of C against sol's headers for a target and loads it."""

from __future__ import annotations

import ctypes

from sol.codegen.targets import Target
from tests.toolchains import shared_library


def load_c(source: str, target: Target) -> ctypes.CDLL:
    """The shared library of one C source."""
    return ctypes.CDLL(str(shared_library({"k": source}, target)))
