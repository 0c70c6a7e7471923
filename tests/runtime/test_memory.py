"""Blocks of memory: aligned, zeroed, and a process's own."""

from __future__ import annotations

import os

import pytest

from sol.runtime.memory import HUGE, Block


@pytest.mark.parametrize("size", [0, 1, 4096, HUGE - 1, HUGE, 3 * HUGE + 5])
def test_aligned_and_zeroed(size: int) -> None:
    block = Block(size)
    assert block.bytes.size == block.size == size and not block.bytes.any()
    assert block.address % (HUGE if size >= HUGE else 64) == 0


@pytest.mark.parametrize("size", [4096, HUGE])
def test_a_forked_child_does_not_write_into_the_parents_block(size: int) -> None:
    block = Block(size)
    child = os.fork()
    if child == 0:
        block.bytes[:] = 1
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert not block.bytes.any()
