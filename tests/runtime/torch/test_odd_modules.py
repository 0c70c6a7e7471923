"""Default mode: whatever runs in eager torch runs compiled, with the same results, side effects and errors."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
import torch

import sol
from sol.frontend.torch.trees import named_tensors
from tests.runtime.torch.odd_modules import CASES, Cache, Counter, Fn, f, fills_cache


def plain_state(model: Any) -> dict[str, Any]:
    """Attributes of all modules that are not torch's own, containers by content."""
    found = {}
    for name, module in model.named_modules():
        for key, value in vars(module).items():
            if not key.startswith("_") and isinstance(value, (int, float, str, list, dict, torch.Tensor)):
                found[f"{name}.{key}"] = value
    return found


def run(model: Any, args: tuple[Any, ...]) -> tuple[str, Any]:
    """Result or error."""
    try:
        with torch.no_grad():
            return "result", model(*args)
    except Exception as error:
        return "error", error


def same(actual: Any, expected: Any) -> None:
    """Equal structure, values up to rounding, strides."""
    ours, theirs = named_tensors(actual), named_tensors(expected)
    assert [n for n, _ in ours] == [n for n, _ in theirs]
    for (name, a), (_, b) in zip(ours, theirs):
        assert a.shape == b.shape and a.dtype is b.dtype and type(a) is type(b), name
        if a.layout is torch.strided:
            assert a.stride() == b.stride() or a.numel() < 2 or min(a.shape) < 2, f"{name}: strides {a.stride()}, in torch {b.stride()}"
        exact = not (a.is_floating_point() or a.is_complex())
        tolerance = 2e-2 if a.dtype is torch.bfloat16 else 1e-4
        torch.testing.assert_close(a, b, rtol=0 if exact else tolerance, atol=0 if exact else tolerance / 10, equal_nan=True)
    if not ours:
        assert type(actual) is type(expected)


def shared(args: Any, result: Any) -> list[tuple[str, str]]:
    """Which tensors of a result lie in the memory of which others and of the arguments."""
    every = [*named_tensors(args, "args"), *named_tensors(result)]
    every = [(n, t) for n, t in every if t.layout is torch.strided and t.numel()]
    pointers = [t.untyped_storage().data_ptr() for _, t in every]
    pairs = [(every[i][0], every[j][0]) for i in range(len(every)) for j in range(i) if pointers[i] == pointers[j]]
    return sorted(p for p in pairs if any(n.startswith("args") for n in p))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.budget(6)
def test_as_in_eager(name: str, caplog: pytest.LogCaptureFixture) -> None:
    make, calls = CASES[name]
    torch.manual_seed(0)
    theirs = make().eval()
    torch.manual_seed(0)
    model = make().eval()
    ours = sol.optimize(model, list(copy.deepcopy(calls[0])), fallback="eager")
    for args in calls:
        our_args, their_args = copy.deepcopy(args), copy.deepcopy(args)
        if name == "numpy arrays":  # which eager torch does not take
            their_args = tuple([torch.from_numpy(a.copy()) for a in args])
            our_args = tuple([a.copy() for a in args])
        random.seed(0)
        kind, expected = run(theirs, their_args)
        random.seed(0)
        our_kind, actual = run(ours, our_args)
        assert our_kind == kind, f"{our_kind} {actual!r}, in torch {kind} {expected!r}"
        if kind == "error":
            assert isinstance(actual, type(expected))
            continue
        same(actual, expected)
        if name == "numpy arrays":
            continue
        same(our_args, their_args)
        assert shared(our_args, actual) == shared(their_args, expected)
        same(dict(model.named_buffers()), dict(theirs.named_buffers()))
        mine, wanted = plain_state(model), plain_state(theirs)
        assert mine.keys() == wanted.keys()
        for key, value in wanted.items():
            assert torch.equal(mine[key], value) if isinstance(value, torch.Tensor) else str(mine[key]) == str(value), key
    assert "defect of sol" not in caplog.text


def test_cache_grows_without_compiling_each_time() -> None:
    model = Fn(fills_cache).eval()
    fast = sol.optimize(model, [f(2, 3, 4), Cache()], fallback="eager")
    ours, theirs = Cache(), Cache()
    for step in range(8):
        x = f(2, 1, 4, seed=step)
        with torch.no_grad():
            (a, cache), (b, _) = fast(x, ours), model(x, theirs)
        assert cache is ours and ours.layers[0].shape[1] == step + 1
        same(a, b)
        same(ours, theirs)
    assert len(fast._programs) <= 4  # of the example, an empty cache, the first size, all others


def test_a_count_of_calls_stays_open() -> None:
    """A module that counts its calls is captured for the first ones alone, not at every call."""
    model, x = Counter().eval(), f(3, 4)
    with torch.no_grad():
        ours = sol.optimize(model, [x], fallback="eager")
        for _ in range(8):
            before = model.calls
            assert torch.allclose(ours(x), torch.tanh(x) * (before + 1)) and model.calls == before + 1
    assert len(ours._ways.partition.pieces) <= 4
