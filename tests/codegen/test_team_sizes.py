"""Results do not depend on the size of the team, bit by bit: from call to call a network may get another number of them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests import harness
from tests.codegen.conv_cases import check, conv_graph
from tests.codegen.foreign_cases import PARAMS, repeat  # noqa: F401  (a fixture)
from tests.codegen.test_conv_winograd import WIDE, around, force  # noqa: F401
from tests.toolchains import GCC, isas_by_default

SIZES = (2, 3, 5, 1)


@pytest.fixture
def every_size(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every region that runs is run by teams of all sizes; the numbers of members that ran."""
    ran = []
    run = harness._Call.here

    def here(self: harness._Call, library: ctypes.CDLL, driver: ctypes.CDLL) -> None:
        before = {name: array.copy() for name, array in self.memory.items()}
        first: dict[str, bytes] = {}
        for threads in SIZES:
            for name, array in self.memory.items():
                if array.flags.writeable:
                    array[...] = before[name]
            run(replace(self, threads=threads), library, driver)
            ran.append(threads)
            now = {name: array.tobytes() for name, array in self.memory.items()}
            first = first or now
            different = [name for name in now if now[name] != first[name]]
            assert not different, f"{threads} threads give other bits than {SIZES[0]} in {different}"

    monkeypatch.setattr(harness._Call, "here", here)
    return ran


@pytest.mark.parametrize("number", range(len(PARAMS)), ids=[str(p.id) for p in PARAMS])
def test_kernel(repeat: Callable, every_size: list[int], number: int) -> None:  # noqa: F811
    """Each case on one of the ISAs, in turn."""
    function, arguments = PARAMS[number].values
    isas = isas_by_default()
    repeat(GCC, isas[number % len(isas)], function, arguments)
    assert set(every_size) == set(SIZES)


@pytest.mark.parametrize("isa", WIDE)
@pytest.mark.parametrize("tile,channels,size", [(2, 64, (14, 14)), (2, 32, (13, 15)), (4, 48, (28, 30)), (7, 48, (28, 28))])
def test_products_in_pairs(force: Callable, every_size: list[int], isa: str, tile: int, channels: int, size: tuple[int, int]) -> None:  # noqa: F811
    """A tile stands at another place among those that are multiplied at once when threads share out tiles otherwise."""
    force(tile, by_inner_product=True)
    graph, inputs, arrays, _ = conv_graph((1, channels, *size), 40, (3, 3), padding=1)
    check(graph, inputs, arrays, isa=isa, threads=2, borders=around(1))
    assert set(every_size) == set(SIZES)
