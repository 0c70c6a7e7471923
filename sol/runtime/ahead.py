"""Work that is begun before its result is needed: compilers run while Python does something else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from sol.build.progress import silent

T = TypeVar("T")


def in_background(*actions: Callable[[], object]) -> None:
    """Do one after the other in a thread, which leaves the other cores alone: the caller's work decides when all is done.

    What fails is done again where its result is needed, and raises there.
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="sol-ahead")
    try:
        for action in actions:
            pool.submit(copy_context().run, _silently, action)
    finally:
        pool.shutdown(wait=False)


def side_by_side(actions: Iterable[Callable[[], T]]) -> list[T]:
    """Results of actions that wait for other processes, done at the same time; raises what the first of them that fails raises."""
    todo = list(actions)
    if len(todo) < 2:
        return [action() for action in todo]
    with ThreadPoolExecutor(len(todo), thread_name_prefix="sol-ahead") as pool:
        return [f.result() for f in [pool.submit(copy_context().run, _silently, action) for action in todo]]


def _silently(action: Callable[[], T]) -> T:
    """Several threads would draw into each other's bars."""
    with silent():
        return action()
