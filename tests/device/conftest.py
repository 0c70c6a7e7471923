"""The extension is built once for all tests and kept in the cache of this user, but noted for the tests of one file alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The extension and the drivers of sol, for this process and those that it starts."""
    if shutil.which("g++") is None:
        pytest.skip("the extension of PyTorch needs g++")
    from sol.device.build import build_device

    before = os.environ.get("SOL_DEVICE_NOTE", "")
    os.environ["SOL_DEVICE_NOTE"] = str(tmp_path_factory.mktemp("device") / "note")
    build_device()
    yield
    os.environ["SOL_DEVICE_NOTE"] = before
