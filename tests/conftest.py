"""Options that all tests share, and strict mode: nothing that fails to compile hides behind torch."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("SOL_FALLBACK", "error")  # also for the processes that tests start; tests of the default ask for it


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-golden", action="store_true", help="write tests/golden anew from what is generated now")


@pytest.fixture
def refresh_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--refresh-golden"))
