"""What is being done now, told to whoever shows it: the stages of a compilation announce themselves here, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("sol_stage_listener", default=None)


def stage(what: str) -> None:
    """What begins now, as a word or two in the continuous form: "reading the model", "packing weights"."""
    listener = _listener.get()
    if listener is not None:
        listener(what)


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Call the listener at the beginning of every stage inside ``with``, in this context only."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
