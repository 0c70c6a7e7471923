"""Work that is begun before its result is needed: compilers run while Python does something else."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def in_background(*actions: Callable[[], object]) -> None:
    """Do each in a thread of its own. What fails is done again where its result is needed, and raises there."""
    pool = ThreadPoolExecutor(len(actions), thread_name_prefix="sol-ahead")
    for action in actions:
        pool.submit(action)
    pool.shutdown(wait=False)
