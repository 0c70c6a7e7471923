"""Compiled networks on the device: the checks of tests/device/network_checks.py, and large ones in the conformance suite."""

from __future__ import annotations

import pytest

from tests.device import network_checks
from tests.device.support import failures_of, names_of_checks

ZOO = ("resnet50", "mobilenet_v2", "densenet121", "bert", "gpt2", "lstm")


@pytest.fixture(scope="module")
def failures(built: None) -> dict[str, str]:
    return failures_of(network_checks)


@pytest.mark.parametrize("name", names_of_checks(network_checks))
@pytest.mark.budget(6)
def test_network(name: str, failures: dict[str, str]):
    assert name not in failures, failures[name]


@pytest.mark.conformance
@pytest.mark.parametrize("name", ZOO)
def test_a_large_network(name: str, built: None):
    from tests.device import zoo_checks

    found = failures_of(zoo_checks, f"check_{name}", SOL_FALLBACK="eager")
    assert not found, found
