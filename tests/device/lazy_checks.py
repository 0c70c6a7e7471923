"""What is checked of ``sol.device.lazy`` (tests/device/test_lazy.py)."""

from __future__ import annotations

import ctypes
import random

import pytest
import torch

import sol
from tests.device.support import run_checks

R = torch.rand


def regions() -> dict[str, int]:
    """Operations of regions → how often they ran since the last question."""
    counts = {n.removeprefix("lazy region of "): c for n, c in torch.sol.compiled_operations().items() if c and n.startswith("lazy region")}
    torch.sol.reset_compiled_operations()
    return counts


def close(found: torch.Tensor, wanted: torch.Tensor) -> None:
    assert found.device.type == "sol" and found.dtype == wanted.dtype and found.stride() == wanted.stride()
    torch.testing.assert_close(found.cpu(), wanted, rtol=1e-5, atol=1e-6)


def check_one_region():
    x, y = R(17, 33), R(33)
    regions()
    with sol.device.lazy():
        z = (x.sol() * 2 + y.sol()).relu()
        w = torch.where(z > 1, z.sigmoid(), z)
        del z
    assert regions() == {"mul, add, relu, gt, sigmoid, where": 1}
    z = (x * 2 + y).relu()
    close(w, torch.where(z > 1, z.sigmoid(), z))
    assert type(w) is torch.Tensor and not torch.sol.fallbacks().get("aten::mul.out")


def check_what_ends_a_region():
    x = R(8, 8) + 0.5
    a = x.sol()
    regions()
    with sol.device.lazy():
        b = a + 1
        assert b.sum().item() == pytest.approx((x + 1).sum().item(), rel=1e-5)  # a reduction, and a read
        assert regions() == {"add": 1}
        c = b * 2
        c.mul_(3)  # in place
        close(c, (x + 1) * 6)
        d = a.exp()
        a.zero_()  # an operand is changed
        close(d, x.exp())
        e = d - 1
        f = e[2:4]  # a view
        close(f, (x.exp() - 1)[2:4])
        g = e.t().sin() + 1  # recorded on a view
        assert "device='sol:0'" in repr(g)
    close(g.contiguous(), ((x.exp() - 1).t().sin() + 1).contiguous())
    close(c, (x + 1) * 6)


def check_the_end_of_the_block_and_waiting():
    x = R(8, 8)
    with pytest.raises(KeyError), sol.device.lazy():
        a = x.sol() * 3
        raise KeyError
    close(a, x * 3)
    with sol.device.lazy():
        b = x.sol() * 4
        torch.sol.synchronize()
        if torch.sol.get_device_properties().flags & 1 and torch.sol.get_device_name() == "CPU of the host":
            assert ctypes.c_float.from_address(b.data_ptr()).value == (x * 4)[0, 0].item()
        storage = (x.sol() * 5).untyped_storage()  # the tensor is gone, its memory is not
    found = torch.empty(0, device="sol").set_(storage, 0, (8, 8))
    close(found, x * 5)


def check_types_numbers_and_orders():
    x = R(6, 10)
    with sol.device.lazy():
        a = x.sol()
        found = [a + 1, a + True, a * 1.5, (a * 10).to(torch.int32) + 1, a.t() * 2, a.double() / 3, -a, a > 0.5, a[:, 1:4] + 1]
    wanted = [x + 1, x + True, x * 1.5, (x * 10).to(torch.int32) + 1, x.t() * 2, x.double() / 3, -x, x > 0.5, x[:, 1:4] + 1]
    for ours, theirs in zip(found, wanted):
        close(ours, theirs)
    for number in (1, 1.0, True, 0.0, -0.0, float("inf"), float("nan")):
        with sol.device.lazy():
            ours = torch.arange(4).sol() * number
        torch.testing.assert_close(ours.cpu(), torch.arange(4) * number, equal_nan=True)
        assert str(ours.cpu().tolist()) == str((torch.arange(4) * number).tolist())


def check_numbers_that_change():
    """Only so many regions are compiled of the same operations; the others run one by one."""
    x = R(5, 5)
    regions()
    for i in range(12):
        with sol.device.lazy():
            y = x.sol() * (i + 0.5) - 1
        close(y, x * (i + 0.5) - 1)
    assert regions() == {"mul, sub": 8}


def check_gradients():
    x = R(5, 6, requires_grad=True)
    y = x.detach().sol().requires_grad_()
    (x.sin() * x.exp() + x).sum().backward()
    with sol.device.lazy():
        (y.sin() * y.exp() + y).sum().backward()
    torch.testing.assert_close(y.grad.cpu(), x.grad)


def check_streams():
    x = R(64, 64)
    other = torch.sol.Stream()
    with sol.device.lazy():
        a = x.sol() + 1
        with torch.sol.stream(other):
            b = a * 2  # recorded on another stream, behind what was recorded before
            c = b.sum()
    other.synchronize()
    close(b, (x + 1) * 2)
    torch.testing.assert_close(c.cpu(), ((x + 1) * 2).sum())


def check_memory_that_is_exchanged():
    x = R(8, 8).sol()
    with pytest.raises(RuntimeError, match="was exchanged"), sol.device.lazy():
        y = x + 1
        x.untyped_storage().resize_(0)
    assert y.shape == (8, 8)
    close(R(2).sol() * 0, torch.zeros(2))


def check_random_programs():
    """Programs of pointwise operations, changes in place, views and reductions give what they give in eager."""
    for seed in range(12):
        choose = random.Random(seed)
        torch.manual_seed(seed)
        start = [R(4, 6) + 0.1 for _ in range(3)]
        steps = [(choose.randrange(9), choose.randrange(99), choose.randrange(99)) for _ in range(25)]

        def program(tensors: list[torch.Tensor], steps: list[tuple[int, int, int]]) -> list[torch.Tensor]:
            for kind, i, j in steps:
                a, b = tensors[i % len(tensors)], tensors[j % len(tensors)]
                if kind == 3:
                    a.mul_(0.5)
                elif kind == 4:
                    tensors[j % len(tensors)] = a.t().contiguous().t()
                elif kind == 5:
                    a[1:3].add_(b[:2] * 2)
                else:
                    new = {0: a + b, 1: a.sin() * 2, 2: torch.maximum(a, b), 6: a - a.mean(), 7: torch.where(a > b, a, b), 8: a.sigmoid()}
                    tensors = [*tensors, new[kind]][-5:]
            return tensors

        wanted = program([t.sol() for t in start], steps)
        with sol.device.lazy():
            found = program([t.sol() for t in start], steps)
        for ours, theirs in zip(found, wanted):
            close(ours, theirs.cpu())


if __name__ == "__main__":
    run_checks(globals())
