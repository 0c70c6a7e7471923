"""Whether what a call changes in Python's state is a memo: values that do not depend on its data, and that later calls find there.

A trace that fills a memo holds what the values are computed from, so that a compiled call needs no memo. That a change is one is tried out:
the model runs on other data, then on those of the call, which must leave the state as it is, and once more on these without the memo.
"""

from __future__ import annotations

from typing import Any

import torch

from sol.frontend.torch.capture import Call
from sol.frontend.torch.rehearsal import copied, rehearse
from sol.frontend.torch.state import PythonState
from sol.frontend.torch.trees import Maker, Taker, is_result


def fills_memo(module: torch.nn.Module, call: Call) -> bool:
    """Whether a call, which adds to Python's state, gives the same result when it finds there what a call with other data has added.

    The module runs three times, on copies of the inputs; buffers, Python's state and random numbers are as before.
    """
    others = [_other(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in call.leaves]
    if any(other is None for other in others):
        return False

    def results(args: Any, kwargs: Any) -> list[Any]:
        args, kwargs = copied(args, kwargs)
        taker = Taker(is_result)
        taker(module(*args, **kwargs))
        return taker.leaves

    def finds_the_same(*args: Any, **kwargs: Any) -> bool:
        empty = PythonState(module)
        results(*Maker(others)(call.tree))
        filled = PythonState(module)
        known = results(args, kwargs)
        if filled.changed():
            return False
        empty.restore()
        fresh = results(args, kwargs)
        return len(known) == len(fresh) and all(map(_same, known, fresh))

    args, kwargs = Maker(call.leaves)(call.tree)
    try:
        return bool(rehearse(module, args, kwargs, finds_the_same))
    except Exception:  # the other data may be none that the model takes
        return False


def _other(tensor: torch.Tensor) -> torch.Tensor | None:
    """A tensor of other numbers of the same range; None if there is none."""
    flat = tensor.detach().reshape(-1)
    if not flat.numel():
        return tensor
    if bool((flat == flat[0]).all()):
        return torch.rand_like(tensor) + tensor if tensor.is_floating_point() else None
    other = flat.flip(0).roll(1).reshape(tensor.shape)
    return None if torch.equal(other, tensor) else other


def _same(a: Any, b: Any) -> bool:
    if not isinstance(a, torch.Tensor):
        return bool(a == b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return torch.equal(a, b) or a.is_floating_point() and torch.allclose(a, b, 0, 0, equal_nan=True)
