"""Work that is begun before its result is needed: compilers run while Python does something else."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from sol.build.cache import key_of, store
from sol.build.plans import code_stamp
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


def in_background_once(name: str, *actions: Callable[[], object]) -> None:
    """The same of actions whose results the cache keeps, unless another process did them with this code: reading what was kept takes less
    time than two threads lose that run Python by turns."""
    key = key_of("done", name, code_stamp(), sys.version)
    if store().get(key) is None:
        in_background(functools.partial(_note, key, actions))


def _note(key: str, actions: Iterable[Callable[[], object]]) -> None:
    for action in actions:
        action()
    store().put(key, b"")


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
