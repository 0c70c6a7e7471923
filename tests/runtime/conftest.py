"""A cache of its own for each test that asks, so that no test sees what another compiled."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from multiprocessing.util import get_temp_dir
from pathlib import Path

import pytest

from sol.config import config


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that is the cache of this test and of the processes it starts."""
    folder = tmp_path / "cache"
    (tmp_path / "tmp").mkdir(mode=0o700)
    get_temp_dir()  # multiprocessing keeps its own, in which names of sockets must stay short
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("SOL_CACHE_DIR", str(folder))
    with config.override(cache_dir=folder, progress="off"):
        yield folder
