"""Models and a cache that the tests of the program share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("onnx")

from sol.config import config  # noqa: E402
from tests.cli import models  # noqa: E402


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with net.onnx, open.onnx (open batch), unknown.onnx and broken.onnx."""
    folder = tmp_path_factory.mktemp("models")
    models.convolutions(folder / "net.onnx")
    models.convolutions(folder / "open.onnx", batch="batch")
    models.unknown(folder / "unknown.onnx")
    whole = (folder / "net.onnx").read_bytes()
    (folder / "broken.onnx").write_bytes(whole[: len(whole) // 2])
    return folder


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """No progress, whatever the terminal."""
    with config.override(progress="off"):
        yield
