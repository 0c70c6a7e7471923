"""``torch.distributed`` for tensors on the device: gloo between the hosts, through pinned memory."""

from __future__ import annotations

import queue
import threading
import weakref
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch.utils import _pytree as pytree

CHANGING = ("allreduce", "allreduce_coalesced", "broadcast", "reduce")
"""Collective operations whose first argument, a tensor or a list of them, is read and written."""
MAKING = (
    "allgather", "_allgather_base", "all_gather_single", "allgather_coalesced", "allgather_into_tensor_coalesced",
    "all_gather_single_coalesced", "gather", "scatter", "reduce_scatter", "_reduce_scatter_base", "reduce_scatter_single",
    "reduce_scatter_tensor_coalesced", "reduce_scatter_single_coalesced", "alltoall", "alltoall_base", "all_to_all_single",
)  # fmt: skip
"""Those that write the first argument and read the second."""
ONE_SIDED = {"send": False, "recv": True, "recv_anysource": True}
"""Those between two processes: whether they write their argument."""
PATIENCE = 30.0
"""Seconds that an interpreter that exits waits for operations under way: longer than they take on a busy machine, if all processes live."""


class _Work(dist.Work):
    """An operation whose results are on the device when its future has a value; ``wait`` raises what failed."""

    def __init__(self, future: Any) -> None:
        super().__init__()
        self._future = future

    def wait(self, timeout: Any = None) -> bool:
        self._future.wait()
        return True

    def is_completed(self) -> bool:
        return bool(self._future.done())

    def get_future(self) -> Any:
        return self._future


class _Pending(NamedTuple):
    """work: gloo's part. copies: tensors of the device and where their results lie. begin: a future whose value nobody needs."""

    work: Any
    copies: list[tuple[torch.Tensor, torch.Tensor]]
    result: Any
    begin: Any

    def finish(self, _: Any) -> Any:
        """Wait for gloo and copy results to the device."""
        self.work.wait()
        for target, host in self.copies:
            target.copy_(host)
        for device in {target.device for target, _ in self.copies}:
            torch.accelerator.synchronize(device)
        return self.result


class SolGroup(dist.ProcessGroup):
    """What ``torch.distributed.init_process_group("sol")`` makes: processes that exchange tensors of the device ``sol`` or of the CPU.

    Every operation copies what it reads into pinned memory, lets gloo do it there, and copies what it writes back. Operations run in order,
    beside the program that asked for them; ``wait`` returns when their results are on the device. Source of the method: what PyTorch's
    documentation says of process group extensions.
    """

    def __init__(self, store: dist.Store, rank: int, size: int, timeout: timedelta) -> None:
        super().__init__(rank, size)  # type: ignore[call-arg]
        gloo = dist.ProcessGroup.BackendType.GLOO
        self._host = dist.ProcessGroup(store, rank, size)
        self._host._set_default_backend(gloo)
        self._host._register_backend(torch.device("cpu"), gloo, dist.ProcessGroupGloo(store, rank, size, timeout))
        self._pending: queue.SimpleQueue[_Pending | None] | None = None
        self._end: Callable[[], Any] = lambda: None

    def getBackendName(self) -> str:
        """The name under which ``init_process_group`` knows it."""
        return "sol"

    def barrier(self, opts: Any = None) -> Any:
        """Wait until all processes came here and all that this one queued before is done."""
        return self._later(_Pending(self._host.barrier(opts or dist.BarrierOptions()), [], [], torch.futures.Future()))

    def shutdown(self) -> None:
        """End the thread that finishes operations."""
        self._end()
        self._pending = None

    def _do(self, name: str, *args: Any) -> Any:
        """Stage tensors, begin the operation on the host, and leave the rest to the thread."""
        writes = ONE_SIDED.get(name, True)
        reads = not writes or name in CHANGING
        stage = _Stage()
        arguments = [stage.on_host(args[0], reads, writes), *args[1:]]
        if name in MAKING:
            arguments[1] = stage.on_host(args[1], True, False)
        work = getattr(self._host, name)(*arguments)
        begin: Any = torch.futures.Future(devices=list(stage.devices))
        return self._later(_Pending(work, stage.copies, pytree.tree_leaves(args[0]), begin))

    def _later(self, pending: _Pending) -> Any:
        if self._pending is None:
            self._pending = queue.SimpleQueue()
            thread = threading.Thread(target=_finish, args=(self._pending,), name="sol process group", daemon=True)
            thread.start()
            self._end = weakref.finalize(self, _stop, self._pending, thread)  # at the latest when the interpreter exits
        work = _Work(pending.begin.then(pending.finish))
        self._pending.put(pending)
        return work


class _Stage:
    """Tensors of one operation in pinned memory. copies: tensors of the device and where their results lie."""

    def __init__(self) -> None:
        self.devices: dict[torch.device, None] = {}
        self.copies: list[tuple[torch.Tensor, torch.Tensor]] = []

    def on_host(self, tensors: Any, reads: bool, writes: bool) -> Any:
        """The same lists with a tensor of the host in the place of each one of the device."""
        return pytree.tree_map_only(torch.Tensor, lambda tensor: self._one(tensor, reads, writes), tensors)

    def _one(self, tensor: torch.Tensor, reads: bool, writes: bool) -> torch.Tensor:
        if tensor.device.type != "sol":
            return tensor
        self.devices[tensor.device] = None
        host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
        if reads:
            host.copy_(tensor.detach())
        if writes:
            self.copies.append((tensor.detach(), host))
        return host


def _stop(waiting: queue.SimpleQueue[_Pending | None], thread: threading.Thread) -> None:
    """End the thread: an interpreter that exits while it is in C++ would terminate the process."""
    waiting.put(None)
    if thread is not threading.current_thread():
        thread.join(PATIENCE)


def _finish(waiting: queue.SimpleQueue[_Pending | None]) -> None:
    """What the thread does: let operations finish, one after the other."""
    while (pending := waiting.get()) is not None:
        pending.begin.set_result(None)  # runs what stands behind ``then``, here
        del pending


def _collective(name: str) -> Callable[..., Any]:
    def run(self: SolGroup, *args: Any) -> Any:
        return self._do(name, *args)

    run.__name__ = name
    return run


for _name in (*CHANGING, *MAKING, *ONE_SIDED):
    setattr(SolGroup, _name, _collective(_name))
