"""What is checked of tensors that others share and of the profiler, on every driver of sol (tests/device/test_exchange.py)."""

from __future__ import annotations

import gc
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.autograd.profiler import profile as autograd_profile
from torch.profiler import ProfilerActivity, profile

from tests.device.support import run_checks


def is_host() -> bool:
    return torch.sol.get_device_name(0) == "CPU of the host"


def check_dlpack():
    for device in {0, torch.sol.device_count() - 1}:
        x = torch.rand(5, 7).to(f"sol:{device}")
        assert x.__dlpack_device__() == (12, device)  # kDLExtDev
        y = torch.from_dlpack(x)
        assert y.device == x.device and y.data_ptr() == x.data_ptr() and torch.equal(x.cpu(), y.cpu())
        y += 1
        assert torch.equal(x.cpu(), y.cpu())
        part = torch.from_dlpack(x[1:, 2:5])  # begins inside of an allocation
        part.mul_(2)
        assert part.stride() == (7, 1) and torch.equal(part.cpu(), x[1:, 2:5].cpu())
        wanted = part.cpu()
        del x, y
        gc.collect()
        torch.rand(5, 7, device=f"sol:{device}").fill_(9)
        assert torch.equal((part + 0).cpu(), wanted)  # the memory lives as long as somebody has it
        capsule = torch.utils.dlpack.to_dlpack(part)
        assert torch.equal(torch.from_dlpack(capsule).cpu(), wanted)
    assert torch.from_dlpack(np.arange(3.0), device="sol").tolist() == [0, 1, 2]
    assert torch.from_dlpack(np.arange(3.0)).device.type == "cpu" and torch.rand(2).__dlpack_device__()[0] == 1
    with pytest.raises(BufferError, match="require gradient"):
        torch.from_dlpack(torch.ones(2, device="sol", requires_grad=True))


def check_dlpack_and_streams():
    """Memory that came back is used on another stream, and not given to others before."""
    x = torch.rand(64, 64).sol()
    y, stream = torch.from_dlpack(x), torch.sol.Stream()
    torch.sol.synchronize()  # the other stream does not wait for the copy to the device
    with torch.sol.stream(stream):
        z = y * 2
    y.record_stream(stream)
    wanted = x.cpu() * 2
    del x, y
    assert torch.equal(z.cpu(), wanted)


def check_memory_that_is_shared_with_the_cpu():
    x = torch.rand(4, 6)
    if not is_host():
        for use, tensor in ((torch.sol.as_cpu, x.sol()), (torch.sol.from_cpu, x)):
            with pytest.raises(NotImplementedError, match="memory of its own"):
                use(tensor)
        return
    device = torch.rand(4, 6, device="sol")
    host = torch.sol.as_cpu(device)
    assert host.device.type == "cpu" and host.data_ptr() == device.data_ptr()
    host.zero_()
    assert device.sum().item() == 0
    device += 3
    assert host.sum().item() == 72
    del device
    gc.collect()
    assert host.sum().item() == 72
    shared = torch.sol.from_cpu(x.t())
    assert shared.device == torch.device("sol:0") and shared.data_ptr() == x.data_ptr() and shared.stride() == (1, 6)
    before = x.clone()
    shared.mul_(2)
    assert torch.equal(x, before * 2) and torch.equal((shared @ shared.t()).cpu(), (x.t() @ x))
    assert torch.sol.as_cpu(shared).data_ptr() == x.data_ptr()
    del x
    gc.collect()
    assert torch.equal(shared.cpu(), (before * 2).t())
    parameter = torch.ones(2, 2, device="sol", requires_grad=True)
    assert not torch.sol.as_cpu(parameter).requires_grad
    for use, wrong in ((torch.sol.as_cpu, before), (torch.sol.from_cpu, shared)):
        with pytest.raises(ValueError, match="expected a"):
            use(wrong)


def check_sharing_with_the_cpu_takes_no_time_for_bytes():
    """The same whatever the size: nothing is copied."""
    if is_host():
        used = torch.sol.memory_allocated()
        large = torch.empty(1 << 28)
        shared = torch.sol.from_cpu(large)
        assert torch.sol.memory_allocated() == used and torch.sol.as_cpu(shared).data_ptr() == large.data_ptr()


def check_profiler():
    torch.sol.compile_operations("all")
    x = torch.rand(96, 96).sol()
    for _ in range(2):
        (x @ x).relu()
    torch.sol.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as found:
        for _ in range(3):
            y = (x @ x).relu()
        torch.linalg.inv(y)  # on the CPU's kernels
        y.cpu()
    times = {row.key: row.device_time_total for row in found.key_averages() if row.device_time_total > 0}
    assert {"aten::mm", "aten::mm.out", "aten::relu", "aten::copy_"} <= set(times), times
    launches = [event for event in found.events() if event.name == "aten::mm.out" and event.device_type.name != "CPU"]
    assert len(launches) == 3 and all(0 < event.time_range.elapsed_us() < 1e6 for event in launches)
    operations = [event for event in found.events() if event.name == "aten::mm" and event.device_type.name == "CPU" and event.kernels]
    assert len(operations) == 3 and all(event.kernels[0].name == "aten::mm.out" for event in operations)  # linked
    file = Path(tempfile.mkdtemp()) / "trace.json"
    found.export_chrome_trace(str(file))
    kinds = {event.get("cat") for event in json.loads(file.read_text())["traceEvents"]}
    assert {"cpu_op", "kernel", "gpu_memcpy"} <= kinds
    first = min(event.time_range.start for event in found.events() if event.device_type.name == "CPU")
    last = max(event.time_range.end for event in found.events() if event.device_type.name == "CPU")
    assert all(first - 1e3 <= event.time_range.start <= last + 1e3 for event in launches)  # one clock


def check_profiler_of_autograd():
    x = torch.rand(96, 96).sol()
    with autograd_profile(use_device="sol", use_kineto=False) as found:
        (x @ x).sum()
    assert next(row for row in found.key_averages() if row.key == "aten::mm").device_time_total > 0


def check_without_a_profiler_nothing_is_recorded():
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]):
        torch.rand(3).sol()
    torch.rand(3).sol() + 1
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as found:
        pass
    assert not [event for event in found.events() if event.device_type.name != "CPU"]
    with profile(activities=[ProfilerActivity.CPU]) as found:
        torch.rand(3).sol()
    assert not [event for event in found.events() if event.device_type.name != "CPU"]


if __name__ == "__main__":
    run_checks(globals())
