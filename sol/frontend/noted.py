"""What Python code does while it is traced that no graph of tensors holds: it asks how tensors are laid out, or seeds random numbers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

_ABOUT_LAYOUT = ("stride", "is_contiguous", "storage_offset", "data_ptr")
_SEEDING = ("manual_seed", "seed", "set_rng_state")
_TRACING = ("torch._dynamo", "torch._functorch", "torch._higher_order_ops", "torch.fx")
_MARK = 0x50A7


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
    thread, real = threading.get_ident(), torch.Tensor.contiguous

    def instead(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        result = real(tensor, *args, **kwargs)
        if result is tensor and threading.get_ident() == thread:
            note(tensor)
        return result

    with _replaced(torch.Tensor, "contiguous", instead):
        yield


@contextmanager
def noting_seeds(note: Callable[[], None]) -> Iterator[None]:
    """Inside, it is noted where this thread seeds torch's random numbers, which are afterwards as they were."""
    state = torch.get_rng_state()
    torch.default_generator.manual_seed(_MARK)
    marked = torch.get_rng_state()
    try:
        with ExitStack() as stack:
            for name in _SEEDING:
                stack.enter_context(_noting(torch, name, note, own=True))
                stack.enter_context(_noting(torch.random, name, note, own=True))
            yield
        if not torch.equal(torch.get_rng_state(), marked):
            note()
    finally:
        torch.set_rng_state(state)


@contextmanager
def _noting(owner: Any, name: str, note: Callable[[], None], own: bool = False) -> Iterator[None]:
    """Calls of a function are noted inside. own: also those of torch itself, other than of what traces for it."""
    inner = _TRACING if own else ("torch.",)
    thread, real = threading.get_ident(), getattr(owner, name)

    def instead(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if threading.get_ident() == thread and not caller.startswith(inner) and (own or caller != "torch"):
            note()
        return real(*args, **kwargs)

    with _replaced(owner, name, instead):
        yield


@contextmanager
def _replaced(owner: Any, name: str, instead: Callable[..., Any]) -> Iterator[None]:
    before = vars(owner).get(name)
    setattr(owner, name, instead)
    try:
        yield
    finally:
        if before is None:
            delattr(owner, name)
        else:
            setattr(owner, name, before)
