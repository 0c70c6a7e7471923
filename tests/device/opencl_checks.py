"""What is checked of the driver of OpenCL, in one process that tests/device/test_opencl.py starts."""

from __future__ import annotations

import pytest
import torch

from tests.device.support import run_checks

SCALE = """
__kernel void scale(__global uchar *in, ulong in_offset, __global uchar *out, ulong out_offset) {
    __global const float *x = (__global const float *)(in + in_offset);
    __global float *y = (__global float *)(out + out_offset);
    y[get_global_id(0)] = 2 * x[get_global_id(0)] + get_local_size(0);
}
__kernel void slow(__global uchar *out, ulong out_offset) {
    __global float *y = (__global float *)(out + out_offset);
    float x = y[0];
    for (int i = 0; i < 20000000; ++i) x = x * 0.5f + 1;
    y[0] = x;
}
"""


def program(text: str = SCALE, options: str = ""):
    torch.sol.init()
    return torch.classes.sol_device.Launches(text, options, 0)


def check_launches_on_views():
    launches, x = program(), torch.arange(16.0).sol()
    launches.add("scale", [0, 1], [0, 8], [4, 1, 1], [2, 1, 1])
    y = torch.zeros(8).sol()
    launches.run([x[4:], y], 0, 1)
    assert y.tolist() == [0, 0, 10, 12, 14, 16, 0, 0]


def check_programs_that_are_wrong():
    with pytest.raises(RuntimeError, match="program_load failed: the device's compiler"):
        program("__kernel void broken(int x) { return y; }")
    launches = program()
    with pytest.raises(RuntimeError, match='no kernel "other"'):
        launches.add("other", [], [], [1, 1, 1], [1, 1, 1])
    launches.add("scale", [0], [0], [4, 1, 1], [1, 1, 1])
    launches.add("scale", [0, 0], [0, 1 << 40], [4, 1, 1], [1, 1, 1])
    launches.add("scale", [0, 0], [0, 0], [5, 1, 1], [2, 1, 1])
    x = torch.ones(8).sol()
    for number, message in enumerate(("takes 4 parameters", "is no address", "not a positive multiple")):
        with pytest.raises(RuntimeError, match=message):
            launches.run([x], number, number + 1)
    with pytest.raises(RuntimeError, match="expected tensors on sol:0"):
        launches.run([torch.ones(8)], 0, 1)
    assert (x + 1).tolist() == [2.0] * 8


def check_launches_are_queued():
    launches, y = program(), torch.ones(1).sol()
    launches.add("slow", [0], [0], [1, 1, 1], [1, 1, 1])
    launches.run([y], 0, 1)
    torch.sol.synchronize()  # the kernel is compiled
    event, stream = torch.sol.Event(), torch.sol.current_stream()
    for _ in range(8):
        launches.run([y], 0, 1)
    event.record()
    assert not event.query() and not stream.query()
    event.synchronize()
    assert event.query() and stream.query() and y.item() == 2


def check_streams_wait_for_events():
    launches, y, z = program(), torch.ones(1).sol(), torch.empty(1).sol()
    launches.add("slow", [0], [0], [1, 1, 1], [1, 1, 1])
    start, end, other = torch.sol.Event(enable_timing=True), torch.sol.Event(enable_timing=True), torch.sol.Stream()
    torch.sol.synchronize()
    start.record()
    launches.run([y], 0, 1)
    end.record()
    with torch.sol.stream(other):
        other.wait_event(end)
        z.copy_(y)
    other.synchronize()
    assert z.item() == 2 and end.query() and start.elapsed_time(end) > 1


def check_memory_of_a_thousand_rounds():
    torch.sol.empty_cache()
    free, _ = torch.sol.mem_get_info()
    for size in range(1, 1001):
        x = torch.ones(size, device="sol")
        with pytest.raises(torch.OutOfMemoryError):
            torch.empty(1 << 40, dtype=torch.uint8, device="sol")
        y = torch.empty(size, dtype=torch.float64, device="sol").copy_(x)
        del x, y
    torch.sol.empty_cache()
    assert torch.sol.mem_get_info()[0] == free and torch.sol.memory_allocated() == 0


def check_copies_that_overlap():
    x = torch.arange(1000.0)
    for to, start in ((10, 0), (0, 10)):
        given, wanted = x.sol(), x.clone()
        wanted[to : to + 900] = x[start : start + 900]
        given[to : to + 900].copy_(given[start : start + 900])
        assert torch.equal(given.cpu(), wanted)


if __name__ == "__main__":
    run_checks(globals())
