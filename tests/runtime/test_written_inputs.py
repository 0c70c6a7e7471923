"""Caches that a call changes: rows are written where the cache lies, and what eager would have is there afterwards."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn

import sol

WIDTH, LENGTH = 24, 40
Step = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


class Caching(nn.Module):
    """A layer whose rows go into a cache, an argument or (``held``) a buffer, before or after it is read."""

    def __init__(self, step: Step, held: bool, shape: tuple[int, ...] = (2, LENGTH, WIDTH)) -> None:
        super().__init__()
        self.layer, self.step, self.held = nn.Linear(WIDTH, WIDTH), step, held
        if held:
            self.register_buffer("cache", torch.zeros(shape))

    def forward(self, x: torch.Tensor, at: torch.Tensor, cache: torch.Tensor | None = None) -> torch.Tensor:
        taken = self.cache if self.held else cache
        assert isinstance(taken, torch.Tensor)
        return self.step(taken, at, self.layer(x))


def copied(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    cache.index_copy_(1, at, rows)
    return (cache * rows[:, :1]).sum(1)


def put(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    cache[:, at] = rows
    return cache.sum(1) + rows[:, 0]


def added(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    cache.index_add_(1, at, rows)
    return cache.amax(1)


def nothing_else(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    cache.index_copy_(1, at, rows)
    return rows * 2


def read_before(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    before = cache.sum(1)
    cache.index_copy_(1, at, rows)
    return before + cache.amax(1)


def old_and_new(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The old content is read beside the new one."""
    old = cache * 1.0
    cache.index_copy_(1, at, rows)
    return torch.softmax(cache, 1).sum(1) + torch.softmax(old, 1)[:, 3]


def of_itself(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """What is written is read from the cache."""
    cache.index_copy_(1, at, cache[:, : len(at)].clone() + rows)
    return cache.mean(1)


def twice(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    cache.index_copy_(1, at, rows)
    cache.index_copy_(1, at + 5, rows * 3)
    return cache.sum(1)


def scaled(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    cache.index_copy_(1, at, rows).mul_(0.5)
    return cache.sum(1)


def around_torch(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Something runs in torch before the cache is written, and after it was read."""
    rows = rows + torch.linalg.slogdet(rows[:, :3, :3]).logabsdet[:, None, None]
    cache.index_copy_(1, at, rows)
    return torch.linalg.slogdet(cache[:, :4].transpose(1, 2) @ cache[:, :4] + torch.eye(WIDTH)).logabsdet


def read_on_both_sides(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The old content is read behind something in torch that the new content does not wait for."""
    old = cache[:, :3] * torch.linalg.slogdet(rows[:, :3, :3]).logabsdet[:, None, None]
    cache.index_copy_(1, at, rows)
    return old.sum(1) + cache.sum(1)


STEPS = [copied, put, added, nothing_else, read_before, old_and_new, of_itself, twice, scaled, around_torch, read_on_both_sides]
IN_PLACE = ["copied", "put", "added", "nothing_else", "around_torch"]
"""Steps that surely copy nothing."""


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_equals_eager(step: Step, held: bool) -> None:
    torch.manual_seed(0)
    model = Caching(step, held).eval()
    eager = copy.deepcopy(model)
    theirs = torch.randn(2, LENGTH, WIDTH)
    ours = theirs.clone()
    if held:
        model.cache.copy_(ours)
        eager.cache.copy_(theirs)
        ours, theirs = model.cache, eager.cache
    more = () if held else (ours,)
    fast = sol.optimize(model, [torch.randn(2, 3, WIDTH), torch.tensor([0, 4, 9]), *more])
    with torch.no_grad():
        for places in ([0, 4, 9], [7, 8, 9], [30, 2, 1], [0, 4, 9]):
            x, at, lies = torch.randn(2, 3, WIDTH), torch.tensor(places), ours.data_ptr()
            version = ours._version
            got, want = fast(x, at, *more), eager(x, at, *(() if held else (theirs,)))
            torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4)
            now = model.cache if held else ours
            torch.testing.assert_close(now, theirs, rtol=1e-4, atol=1e-5)
            assert now._version > version
            if step.__name__ in IN_PLACE:
                assert now is ours and now.data_ptr() == lies
            ours = now


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("step", [s for s in STEPS if s.__name__ in IN_PLACE])
def test_nothing_is_copied(step: Step, held: bool) -> None:
    model = Caching(step, held).eval()
    inputs = [torch.randn(2, 3, WIDTH), torch.tensor([0, 4, 9]), *(() if held else (torch.zeros(2, LENGTH, WIDTH),))]
    fast = sol.optimize(model, inputs)
    plans = [e.plan for e in fast._programs.entries[0].runner.executables]
    written = [p for plan in plans for p in plan.outputs if p.buffer in {i.buffer for i in plan.inputs}]
    assert len(written) == 1
    assert len(plans) > 1 or not any("copy" in k.name for k in plans[0].kernels)  # what torch reads is copied for it


def test_bfloat16() -> None:
    torch.manual_seed(0)
    model = Caching(copied, True).eval().bfloat16()
    eager = copy.deepcopy(model)
    x, at = torch.randn(2, 3, WIDTH).bfloat16(), torch.tensor([1, 5, 11])
    fast, lies = sol.optimize(model, [x, at]), model.cache.data_ptr()
    with torch.no_grad():
        torch.testing.assert_close(fast(x, at), eager(x, at), rtol=2e-2, atol=2e-2)
    torch.testing.assert_close(model.cache, eager.cache, rtol=2e-2, atol=2e-2)
    assert model.cache.data_ptr() == lies and not sol.explain(fast, [x, at]).torch


def test_a_cache_that_is_not_contiguous() -> None:
    torch.manual_seed(0)
    model = Caching(copied, False).eval()
    eager, whole = copy.deepcopy(model), torch.randn(LENGTH, 2, 2 * WIDTH)
    other = whole.clone()
    ours, theirs = (w.transpose(0, 1)[..., ::2] for w in (whole, other))
    fast = sol.optimize(model, [torch.randn(2, 3, WIDTH), torch.tensor([0, 4, 9]), ours])
    x, at = torch.randn(2, 3, WIDTH), torch.tensor([5, 6, 7])
    with torch.no_grad():
        torch.testing.assert_close(fast(x, at, ours), eager(x, at, theirs), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(whole, other, rtol=1e-4, atol=1e-5)


def test_a_result_that_is_the_cache_as_well() -> None:
    """A result of the model is a tensor of its own where eager's is."""

    def both(cache: torch.Tensor, at: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        new = cache.index_copy(1, at, rows)
        cache.copy_(new)
        return new

    model = Caching(both, False).eval()
    cache = torch.randn(2, LENGTH, WIDTH)
    inputs = [torch.randn(2, 3, WIDTH), torch.tensor([0, 4, 9]), cache]
    with torch.no_grad():
        got = sol.optimize(model, inputs)(*inputs)
    torch.testing.assert_close(got, cache)
    assert got.data_ptr() != cache.data_ptr()


def test_looking_inside_changes_nothing() -> None:
    model = Caching(added, False).eval()
    cache = torch.randn(2, LENGTH, WIDTH)
    inputs, before = [torch.randn(2, 3, WIDTH), torch.tensor([0, 4, 9]), cache], cache.clone()
    fast = sol.optimize(model, inputs)
    sol.explain(fast, inputs), sol.profile(fast, inputs), sol.verify(fast, inputs)
    assert torch.equal(cache, before)


def test_open_lengths() -> None:
    torch.manual_seed(0)
    model = Caching(copied, False).eval()
    eager = copy.deepcopy(model)
    length = torch.export.Dim("length", min=16, max=512)
    inputs = (torch.randn(2, 3, WIDTH), torch.tensor([0, 4, 9]), torch.zeros(2, LENGTH, WIDTH))
    fast = sol.optimize(model, inputs, dynamic_shapes=(None, None, {1: length}))
    with torch.no_grad():
        for size in (40, 16, 77):
            ours = torch.randn(2, size, WIDTH)
            theirs, x, at = ours.clone(), torch.randn(2, 3, WIDTH), torch.tensor([1, 5, 11])
            torch.testing.assert_close(fast(x, at, ours), eager(x, at, theirs), rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    assert len(fast._programs.entries) == 1


def test_inference_tensors() -> None:
    model = Caching(copied, False).eval()
    with torch.inference_mode():
        cache = torch.zeros(2, LENGTH, WIDTH)
        inputs = [torch.randn(2, 3, WIDTH), torch.tensor([0, 4, 9]), cache]
        fast = sol.optimize(model, inputs)
        fast(*inputs)
        torch.testing.assert_close(cache[:, [0, 4, 9]], model.layer(inputs[0]), rtol=1e-4, atol=1e-5)
