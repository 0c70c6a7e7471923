"""The extension is built once for all tests, in the cache of this user."""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture(scope="session")
def built() -> None:
    """The extension and the drivers of sol."""
    if shutil.which("g++") is None:
        pytest.skip("the extension of PyTorch needs g++")
    from sol.device.build import build_device

    build_device()
