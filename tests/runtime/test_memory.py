"""Blocks of memory: aligned, zeroed, and a process's own."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest
import torch

from sol.runtime.memory import HUGE, Block, _trim, give_back_free_memory


@pytest.mark.parametrize("size", [0, 1, 4096, HUGE - 1, HUGE, 3 * HUGE + 5])
def test_aligned_and_zeroed(size: int) -> None:
    block = Block(size)
    assert block.bytes.size == block.size == size and not block.bytes.any()
    assert block.address % (HUGE if size >= HUGE else 64) == 0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell how much memory a process has")
def test_no_more_memory_is_taken_than_was_asked_for() -> None:
    before = resident()
    blocks = [Block(HUGE + 4096) for _ in range(20)]
    for block in blocks:
        block.bytes[:] = 1
    assert resident() - before < 20 * (HUGE + 4096) + 4 * HUGE


@pytest.mark.parametrize("size", [4096, HUGE])
def test_a_forked_child_does_not_write_into_the_parents_block(size: int) -> None:
    block = Block(size)
    child = os.fork()
    if child == 0:
        block.bytes[:] = 1
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert not block.bytes.any()


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


@pytest.mark.skipif(_trim() is None or not Path("/proc/self/statm").exists(), reason="the C library has no malloc_trim")
def test_what_the_c_library_keeps_free_is_given_back() -> None:
    tensors = [torch.ones(25_000) for _ in range(1000)]
    last = torch.ones(25_000)  # what lies behind the others keeps the library from giving them back by itself
    tensors.clear()
    before = resident()
    give_back_free_memory()
    assert before - resident() > 50_000_000 and last[0] == 1
