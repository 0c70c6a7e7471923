"""Training runs compiled in these tests, and Dynamo forgets what it captured before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

import sol


@pytest.fixture(autouse=True)
def compiled() -> Iterator[None]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    with sol.config.override(training="compiled"):
        yield
    torch._dynamo.reset()
