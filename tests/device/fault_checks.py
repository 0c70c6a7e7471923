"""What becomes of faults of a device, in one process that tests/device/test_faults.py starts: a clear error, after which work goes on."""

from __future__ import annotations

import ctypes

import pytest
import torch
from torch import nn

from tests.device.support import run_checks


def library() -> ctypes.CDLL:
    """The simulated device's driver, as it is loaded."""
    import sol_autoload

    found = ctypes.CDLL(sol_autoload.DRIVERS["sim"])
    found.sol_sim_alive.restype = ctypes.c_int64
    return found


def inject(what: str) -> None:
    """The next operation of this kind fails."""
    assert library().sol_sim_inject(what.encode(), ctypes.c_int64(1))


def check_memory_that_is_there_when_the_pool_is_emptied():
    torch.sol.empty_cache()
    kept = torch.empty(5000, device="sol")
    before = torch.sol.memory_stats()["num_alloc_retries"]
    del kept
    inject("alloc")
    x = torch.empty(100_000, device="sol")
    assert torch.sol.memory_stats()["num_alloc_retries"] == before + 1 and torch.sol.memory_reserved() == torch.sol.memory_allocated()
    del x


def check_copies_and_launches_that_fail():
    x = torch.ones(2, 4, device="sol")
    y = x + 1
    torch.sol.empty_cache()
    allocated, alive = torch.sol.memory_allocated(), [library().sol_sim_alive(kind) for kind in range(4)]
    for _ in range(1000):
        inject("copy")
        with pytest.raises(RuntimeError, match="a fault that was asked for"):
            x.cpu()
        fresh = torch.empty(3000, device="sol")  # of which a kernel has to tell where the host sees it
        inject("launch")
        with pytest.raises(RuntimeError, match="launch failed: a fault that was asked for"):
            fresh.abs_()
        del fresh
        torch.sol.empty_cache()
    assert torch.sol.memory_allocated() == allocated and [library().sol_sim_alive(kind) for kind in range(4)] == alive
    assert torch.equal((x + 1).cpu(), y.cpu())


def check_a_network_whose_launch_fails():
    import sol

    layer, x = nn.Linear(4, 3).eval(), torch.ones(2, 4)
    fast = sol.optimize(layer, [x])
    torch.sol.empty_cache()
    inject("launch")
    with torch.no_grad():
        with pytest.raises(RuntimeError, match="launch failed: a fault that was asked for"):
            fast.sol()
        assert torch.equal(fast(x.sol()).cpu(), layer.cpu()(x))


def check_memory_of_a_thousand_rounds():
    torch.sol.empty_cache()
    before = library().sol_sim_alive(0), torch.sol.memory_allocated()
    for size in range(1, 1001):
        x = torch.ones(size, device="sol")
        y = torch.empty(size, dtype=torch.float64, device="sol").copy_(x)
        del x, y
    torch.sol.empty_cache()
    assert (library().sol_sim_alive(0), torch.sol.memory_allocated()) == before


def check_a_device_that_is_lost():
    x, other = torch.ones(3, device="sol:1"), torch.ones(3, device="sol:0")
    inject("lost")
    uses = (x.cpu, lambda: torch.add(other.to("sol:1"), 1), lambda: torch.ones(2, device="sol:1"), lambda: torch.sol.synchronize(1))
    for use in uses:
        with pytest.raises(RuntimeError, match="device sol is lost .*start the process again"):
            use()
    assert other.sum().item() == 3 and torch.ones(3).sum() == 3
    del x, uses, use
    assert torch.sol.memory_allocated(1) == 0


if __name__ == "__main__":
    run_checks(globals())
