"""Compilations that are begun before it is known what else their library needs, so that no core is idle while a network is planned."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context

_mutex = threading.Lock()
_begun: dict[str, Future[None]] = {}


def begin(key: str, action: Callable[[], None], jobs: int) -> None:
    """Do this in the background, once per key, at most so many at once. What fails is for those to find who need it."""
    with _mutex:
        if key in _begun:
            return
        pool = _pool(jobs)
        try:
            _begun[key] = pool.submit(copy_context().run, action)
        except BaseException:  # an interrupt while a thread starts: the pool may not know the thread, which then would never end
            del _pools[jobs]
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        _begun[key].add_done_callback(lambda _: _begun.pop(key, None))


def withdraw() -> None:
    """What has not begun is not done."""
    for future in list(_begun.values()):
        future.cancel()


def under_way(key: str) -> bool:
    """Whether it is being done; what has not begun is withdrawn, and is the caller's to do."""
    with _mutex:
        future = _begun.get(key)
    return future is not None and not future.cancel()


def wait(key: str) -> None:
    """Until it is done, if it is under way."""
    future = _begun.get(key)
    if future is not None:
        with suppress(Exception):
            future.result()


_pools: dict[int, ThreadPoolExecutor] = {}


def _pool(jobs: int) -> ThreadPoolExecutor:
    if jobs not in _pools:
        _pools[jobs] = ThreadPoolExecutor(jobs, thread_name_prefix="sol-early")
    return _pools[jobs]


def _after_fork() -> None:
    """In a forked child: nothing is under way, and the threads are the parent's."""
    global _mutex
    _mutex = threading.Lock()
    _begun.clear()
    _pools.clear()


os.register_at_fork(after_in_child=_after_fork)
