"""Run as one of two processes: rank, file in which they meet, name of the check. Ends with 0 if torch.distributed gives what it must."""

from __future__ import annotations

import copy
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

SIZE = 2


def numbers(rank: int, *shape: int) -> torch.Tensor:
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float32).reshape(shape) + 100 * rank


def check_collectives(rank: int, device: torch.device) -> None:
    mine = [numbers(r, 3, 2).to(device) for r in range(SIZE)]
    x = mine[rank].clone()
    work = dist.all_reduce(x, async_op=True)
    y = mine[rank].clone().t()  # not contiguous
    second = dist.all_reduce(y, op=dist.ReduceOp.MAX, async_op=True)
    second.wait(), work.wait()
    assert x.equal(mine[0] + mine[1]) and y.equal(mine[1].t())
    dist.broadcast(x := mine[rank].clone(), 1)
    assert x.equal(mine[1])
    dist.reduce(x := mine[rank].clone(), 0)
    assert rank == 1 or x.equal(mine[0] + mine[1])
    parts = [torch.zeros(3, 2, device=device) for _ in range(SIZE)]
    dist.all_gather(parts, mine[rank])
    assert all(a.equal(b) for a, b in zip(parts, mine))
    dist.all_gather_into_tensor(whole := torch.zeros(6, 2, device=device), mine[rank])
    assert whole.equal(torch.cat(mine))
    parts = [torch.zeros(3, 2, device=device) for _ in range(SIZE)] if rank == 0 else None
    dist.gather(mine[rank], parts, 0)
    assert parts is None or all(a.equal(b) for a, b in zip(parts, mine))
    dist.scatter(x := torch.zeros(3, 2, device=device), mine if rank == 0 else None, 0)
    assert x.equal(mine[rank])
    dist.reduce_scatter_tensor(x := torch.zeros(3, 2, device=device), torch.cat(mine))
    assert x.equal(2 * mine[rank])
    dist.all_to_all_single(x := torch.zeros(4, device=device), numbers(rank, 4).to(device))
    assert x.equal(torch.cat([numbers(r, 4)[2 * rank : 2 * rank + 2] for r in range(SIZE)]).to(device))
    dist.barrier()


def check_two_processes(rank: int, device: torch.device) -> None:
    if rank == 0:
        dist.send(numbers(5, 4).to(device), 1)
    else:
        dist.recv(x := torch.zeros(4, device=device), 0)
        assert x.equal(numbers(5, 4).to(device))
    found: list[object] = [None] * SIZE
    dist.all_gather_object(found, {"rank": rank})
    assert found == [{"rank": 0}, {"rank": 1}]
    dist.all_reduce(x := torch.ones(3))  # on the CPU
    assert x.tolist() == [2.0] * 3


def check_groups(rank: int, device: torch.device) -> None:
    alone = [dist.new_group([r]) for r in range(SIZE)][rank]
    dist.all_reduce(x := numbers(rank, 3).to(device), group=alone)
    assert x.equal(numbers(rank, 3).to(device))


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 5))


def check_ddp(rank: int, device: torch.device, compiled: bool = False) -> None:
    """Two processes with half of the batch each have the gradients of one with the whole batch, also where they accumulate."""
    model, plain = network(), network()
    data = torch.randn(8, 3, 8, 8)
    if compiled:
        import sol

        sol.config["training"] = "compiled"
        model = sol.optimize(copy.deepcopy(model), [data[:2]]).train()
    fast = DistributedDataParallel(model.to(device))
    for step in range(2):
        batch = data[4 * step : 4 * step + 4]
        fast(batch[2 * rank : 2 * rank + 2].to(device)).square().mean().backward()
        plain(batch).square().mean().backward()
    with fast.no_sync():
        fast(data[:2].to(device)).square().mean().backward()
    plain(data[:2]).square().mean().backward()
    for p, q in zip(model.parameters(), plain.parameters()):
        assert p.grad is not None and p.grad.device == device
        torch.testing.assert_close(p.grad.cpu(), q.grad, rtol=1e-4, atol=1e-6)


def check_ddp_of_a_compiled_network(rank: int, device: torch.device) -> None:
    check_ddp(rank, device, compiled=True)


def check_a_process_that_ends(rank: int, device: torch.device) -> None:
    """What the other one waits for is an error."""
    dist.all_reduce(torch.ones(2, device=device))
    if rank == 1:
        return
    try:
        dist.all_reduce(x := torch.ones(2, device=device))
    except RuntimeError:
        assert (x + 1).tolist() == [2.0, 2.0]  # the device works on
    else:
        raise AssertionError("no error")


def check_an_exit_in_the_middle(rank: int, device: torch.device) -> None:
    """The interpreter ends while the group is at work, which nobody waits for."""
    for _ in range(8):
        dist.all_reduce(torch.ones(1 << 20, device=device), async_op=True)
    sys.exit()


def main(rank: int, file: str, name: str) -> None:
    import sol_autoload

    sol_autoload.start()
    dist.init_process_group("sol", init_method=f"file://{file}", rank=rank, world_size=SIZE)
    assert dist.get_backend() == "sol"
    globals()[name](rank, torch.device("sol", rank))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
