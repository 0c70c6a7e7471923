"""Training runs compiled in these tests, Dynamo forgets what it captured before, and no test reads a step that an earlier one has kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

import sol
from sol.runtime.torch import training


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    monkeypatch.setattr(training, "_key_of", lambda *_: "")
    with sol.config.override(training="compiled"):
        yield
    torch._dynamo.reset()
