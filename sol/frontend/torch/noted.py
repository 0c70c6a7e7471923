"""What Python code does while it is traced that no graph of tensors holds: it asks how tensors are laid out, or seeds random numbers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

_ABOUT_LAYOUT = ("stride", "is_contiguous", "storage_offset", "data_ptr")
_SEEDING = ("manual_seed", "seed", "set_rng_state")
_TRACING = ("torch._dynamo", "torch._functorch", "torch._higher_order_ops", "torch.fx")
_MARK = 0x50A7
_REAL = "_sol_real"
"""Attribute of a function that sees the calls of another one: that other one."""


@contextmanager
def noting_strides(note: Callable[[], None]) -> Iterator[None]:
    """Inside, it is noted where this thread's code, other than torch's own, asks a tensor how it is laid out."""
    with ExitStack() as stack:
        for name in _ABOUT_LAYOUT:
            stack.enter_context(_noting(torch.Tensor, name, note))
        yield


@contextmanager
def noting_unmoved(note: Callable[[torch.Tensor], None]) -> Iterator[None]:
    """Inside, tensors are noted that this thread asked to be contiguous and that are already: a trace holds nothing of it."""

    def after(tensor: torch.Tensor, result: torch.Tensor) -> None:
        if result is tensor:
            note(tensor)

    with _watched(torch.Tensor, "contiguous", after=after):
        yield


@contextmanager
def noting_seeds(note: Callable[[], None]) -> Iterator[None]:
    """Inside, it is noted where this thread seeds torch's random numbers, which are afterwards as they were.

    Functions bound before (``from torch import manual_seed``) are known by what they change, unless there are other threads, which may draw
    random numbers of their own meanwhile.
    """
    state, alone, seeded = torch.get_rng_state(), threading.active_count() == 1, False
    if alone:
        torch.default_generator.manual_seed(_MARK)
    marked = torch.get_rng_state()

    def seeds() -> None:
        nonlocal seeded
        seeded = True
        note()

    try:
        with ExitStack() as stack:
            for name in _SEEDING:
                stack.enter_context(_noting(torch, name, seeds, own=True))
                stack.enter_context(_noting(torch.random, name, seeds, own=True))
            yield
        if alone and not torch.equal(torch.get_rng_state(), marked):
            seeds()
    finally:
        if alone or seeded:
            torch.default_generator.set_state(state)


@contextmanager
def _noting(owner: Any, name: str, note: Callable[[], None], own: bool = False) -> Iterator[None]:
    """Calls of a function are noted inside. own: also those of torch itself, other than of what traces for it."""
    inner = _TRACING if own else ("torch.",)

    def before(caller: str) -> None:
        if not caller.startswith(inner) and (own or caller != "torch"):
            note()

    with _watched(owner, name, before=before):
        yield


@dataclass
class _Patch:
    """A function of torch while threads watch their calls of it. watchers: (thread, what to do before with the caller's module, after)."""

    watchers: list[tuple[int, Callable[[str], None] | None, Callable[[Any, Any], None] | None]] = field(default_factory=list)
    restore: Callable[[], None] = lambda: None


_PATCHES: dict[tuple[Any, str], _Patch] = {}
_LOCK = threading.Lock()


@contextmanager
def _watched(
    owner: Any, name: str, before: Callable[[str], None] | None = None, after: Callable[[Any, Any], None] | None = None
) -> Iterator[None]:
    """Inside, this thread's calls of a function are seen: one replacement serves all threads, from the first that watches to the last."""
    watcher = (threading.get_ident(), before, after)
    with _LOCK:
        patch = _PATCHES.get((owner, name))
        if patch is None:
            patch = _PATCHES[owner, name] = _Patch()
            own, real = vars(owner).get(name), getattr(owner, name)
            patch.restore = (lambda: delattr(owner, name)) if own is None else (lambda: setattr(owner, name, own))
            setattr(owner, name, _seen(patch, real))
        patch.watchers.append(watcher)
    try:
        yield
    finally:
        with _LOCK:
            patch.watchers.remove(watcher)
            if not patch.watchers:
                del _PATCHES[owner, name]
                patch.restore()


def watched_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of torch in whose place another one sees its calls; any other function itself."""
    real: Callable[..., Any] = getattr(function, _REAL, function)
    return real


def _seen(patch: _Patch, real: Callable[..., Any]) -> Callable[..., Any]:
    def instead(*args: Any, **kwargs: Any) -> Any:
        thread = threading.get_ident()
        mine = [w for w in patch.watchers if w[0] == thread]
        if not mine:
            return real(*args, **kwargs)
        caller = sys._getframe(1).f_globals.get("__name__", "")
        for _, before, _ in mine:
            if before is not None:
                before(caller)
        result = real(*args, **kwargs)
        for _, _, after in mine:
            if after is not None:
                after(args[0], result)
        return result

    setattr(instead, _REAL, real)
    return instead
