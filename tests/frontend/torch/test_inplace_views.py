"""Operations that change shape and strides in place: views in a graph; on tensors from outside the model they are left to torch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

import sol


def on_a_view(x: torch.Tensor) -> torch.Tensor:
    part = x[1:, 1:]
    part.t_()
    return part * 2


def written_after(x: torch.Tensor) -> torch.Tensor:
    base = x * 2
    part = base[:3, :3]
    part.t_().add_(torch.arange(3.0))
    part[0] = 7
    return base + 1


def on_a_detached_one(x: torch.Tensor) -> torch.Tensor:
    x.detach().t_()
    return x * 2


def squeezed(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = (x + 1)[None]
    z = y.squeeze_(0).unsqueeze_(-1)
    z.swapaxes_(0, 1)
    return y, z * 2


def branches(x: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    before = y + 1
    y.transpose_(0, 1)
    return before @ y


@pytest.mark.parametrize("function", [on_a_view, written_after, on_a_detached_one, squeezed, branches])
def test_views_inside(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = torch.arange(16.0).view(4, 4) / 16
    fast = sol.optimize(function, [x.clone()], fallback="error")
    ours, theirs = x.clone(), x.clone()
    torch.testing.assert_close(fast(ours), function(theirs))
    assert torch.equal(ours, theirs) and ours.stride() == theirs.stride()


class Turning(nn.Module):
    """Turns its buffer at every call."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.arange(16.0).view(4, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.table.t_()


@pytest.mark.parametrize("function", [lambda x: x.t_() + 1, lambda x: x.t_().add_(1).sum(), lambda x: x.transpose_(0, 1), Turning().eval()])
def test_tensors_from_outside(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    table = getattr(function, "table", torch.empty(0))
    x = torch.arange(16.0).view(4, 4)
    fast = sol.optimize(function, [x.clone()], fallback="eager")
    for _ in range(3):
        ours, theirs, before = x.clone(), x.clone(), table.stride()
        result, after = fast(ours), table.stride()
        if table.numel():
            assert after != before
            table.t_()
        torch.testing.assert_close(result, function(theirs))
        assert torch.equal(ours, theirs) and ours.stride() == theirs.stride()
    with pytest.raises(sol.SolError, match="in place"):
        sol.optimize(function, [x.clone()], fallback="error")


def through_a_diagonal(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    x.diagonal().add_(1)
    return x, x.clone(), x.t()


def through_parts(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    a, b = x.chunk(2)
    y = a.mul_(b) + 1
    return b, y, a.copy_(y)


def through_bits(x: torch.Tensor) -> torch.Tensor:
    x.view(torch.int32).bitwise_and_(0x7FFFFFFF)
    return x


def through_windows(x: torch.Tensor) -> torch.Tensor:
    x.unfold(0, 2, 3).mul_(3)
    return x


def into_itself(x: torch.Tensor) -> torch.Tensor:
    x.diagonal().zero_()
    return torch.add(x, 1, out=x)


@pytest.mark.parametrize("function", [through_a_diagonal, through_parts, through_bits, through_windows, into_itself])
def test_results_are_the_callers_memory(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = torch.randn(4, 4)
    ours, theirs = x.clone(), x.clone()
    found, wanted = sol.optimize(function, [x.clone()], fallback="eager")(ours), function(theirs)
    torch.testing.assert_close((found, ours), (wanted, theirs))
    pairs = zip(found, wanted) if isinstance(found, tuple) else [(found, wanted)]
    for a, b in pairs:
        assert (a.untyped_storage().data_ptr() == ours.data_ptr()) == (b.untyped_storage().data_ptr() == theirs.data_ptr())
        assert a.stride() == b.stride()


def test_a_copy_of_what_is_not_contiguous_stays_as_it_was() -> None:
    """Dynamo compiles for each layout; one in which nothing is copied must not stand for the other."""

    def function(x: torch.Tensor) -> torch.Tensor:
        before = x.contiguous()
        x.add_(1)
        return before

    fast = torch.compile(function, backend="sol")
    for x in (torch.randn(4, 4), torch.randn(4, 4).t()):
        torch.testing.assert_close(fast(x.clone()), function(x.clone()))
