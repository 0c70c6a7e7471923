"""Plants an error into packed weights, for tests of who should find it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sol.codegen.plan import Pack
from sol.runtime.packers import Batch


def plant(monkeypatch: pytest.MonkeyPatch, when: Callable[[np.ndarray], bool]) -> None:
    """Constants for which ``when`` holds are packed half as large again."""
    add = Batch.add

    def wrong(batch: Batch, pack: Pack, array: np.ndarray, out: int, *how: Any) -> None:
        add(batch, pack, array * array.dtype.type(1.5) if when(array) else array, out, *how)

    monkeypatch.setattr(Batch, "add", wrong)
