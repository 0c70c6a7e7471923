"""What is checked of torch.device("sol"), each function in one process that tests/device/test_backend.py starts: registering a device
changes PyTorch for all of a process."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

from tests.device.support import run_checks


def driver() -> str:
    """Which one this process uses."""
    found = {"CPU": "host", "simulated": "sim", "example": "example"}
    return found.get(torch.sol.get_device_name(0).split()[0], "opencl")


def last() -> int:
    """The device with the highest index."""
    return torch.sol.device_count() - 1


def same(device: torch.Tensor, host: torch.Tensor, tolerance: float = 1e-5) -> None:
    assert device.device.type == "sol"
    torch.testing.assert_close(device.cpu(), host, rtol=tolerance, atol=tolerance)


def check_moving_and_printing():
    x = torch.arange(6.0).reshape(2, 3)
    for y in (x.sol(), x.to("sol"), x.to("sol:0"), torch.tensor(x.tolist(), device="sol")):
        assert y.is_sol and y.device == torch.device("sol:0") and torch.equal(y.cpu(), x)
    assert "device='sol:0'" in repr(x.sol()) and x.sol()[1, 2].item() == 5 and not x.is_sol
    assert nn.Linear(2, 2).sol().weight.is_sol
    assert torch.equal(x.to(f"sol:{last()}").to("sol:0").cpu(), x)
    assert torch.accelerator.current_accelerator() == torch.device("sol")


def check_module():
    known = {"host": (1, "CPU of the host"), "sim": (2, "simulated device 1"), "example": (2, "example device 1")}
    count, name = known.get(driver(), (last() + 1, torch.sol.get_device_name(last())))
    assert torch.sol.is_available() and torch.sol.device_count() == count and torch.sol.current_device() == 0
    with torch.sol.device(last()):
        assert torch.empty(1, device="sol").device.index == last()
    assert torch.sol.current_device() == 0 and torch.sol.get_device_name(last()) == name
    with torch.sol.device_of(torch.empty(1, device=f"sol:{last()}")):
        assert torch.sol.current_device() == last()
    free, total = torch.sol.mem_get_info()
    assert 0 < free <= total
    with pytest.raises(AttributeError):
        torch.sol.no_such_function()


def check_allocator():
    torch.sol.empty_cache()
    assert torch.sol.memory_allocated() == 0 and torch.sol.memory_reserved() == 0
    x = torch.empty(1000, device="sol")
    first, address = torch.sol.memory_allocated(), x.data_ptr()
    assert first >= 4000 and torch.sol.max_memory_allocated() >= first
    del x
    assert torch.sol.memory_allocated() == 0 and torch.sol.memory_reserved() == first
    y = torch.empty(1000, device="sol")
    assert y.data_ptr() == address  # out of the pool
    del y
    torch.sol.empty_cache()
    torch.sol.reset_peak_memory_stats()
    assert torch.sol.memory_reserved() == 0 and torch.sol.max_memory_allocated() == 0


def check_out_of_memory():
    if driver() == "host":
        return  # how much the host gives away, only the host knows
    torch.sol.empty_cache()
    total = torch.sol.mem_get_info()[1]
    kept = torch.empty(total // 8 * 5, dtype=torch.uint8, device="sol")
    del kept  # in the pool: the next one fits only when the pool is emptied
    other = torch.empty(total // 8 * 6, dtype=torch.uint8, device="sol")
    with pytest.raises(torch.OutOfMemoryError, match="out of memory"):
        torch.empty(total // 2, dtype=torch.uint8, device="sol")
    assert torch.sol.memory_stats()["num_ooms"] == 1 and torch.sol.memory_stats()["num_alloc_retries"] == 2
    del other
    same(torch.ones(3).sol() * 2, torch.full((3,), 2.0))
    assert torch.sol.memory_allocated() == 0


def check_copies_that_are_queued():
    x = torch.arange(3_000_000).pin_memory()
    y = x.to("sol", non_blocking=True)
    z = torch.empty(3_000_000, dtype=torch.int64).pin_memory()
    z.copy_(y.clone(), non_blocking=True)
    torch.sol.synchronize()
    assert torch.equal(x, z)
    stream = torch.sol.Stream()
    with torch.sol.stream(stream):
        w = x.to("sol", non_blocking=True)
        event = stream.record_event()
    torch.sol.current_stream().wait_event(event)
    v = w.clone()
    w.zero_()  # behind the copy
    same(v, x, 0)


def check_faults_leave_nothing():
    for _ in range(1000):
        x = torch.ones(4, 4, device="sol")
        with pytest.raises(torch.OutOfMemoryError):
            torch.empty(1 << 45, dtype=torch.uint8, device="sol")
        with pytest.raises(IndexError, match="sol:7 is no device"):
            torch.empty(1, device="sol:7")
        with pytest.raises(RuntimeError, match="same device"):
            x + torch.ones(4, 4)
        if last():
            with pytest.raises(RuntimeError, match="same device"):
                x + torch.ones(4, 4, device="sol:1")
        del x
    assert torch.sol.memory_allocated(0) == 0 and torch.sol.memory_allocated(last()) == 0


def check_streams_and_events():
    stream, start, end = torch.sol.Stream(), torch.sol.Event(enable_timing=True), torch.sol.Event(enable_timing=True)
    before = torch.sol.current_stream()
    assert before == torch.sol.default_stream() and before != stream
    start.record()
    with torch.sol.stream(stream):
        assert torch.sol.current_stream() == stream
        stream.wait_event(start)
        x = torch.ones(64, 64, device="sol") @ torch.ones(64, 64, device="sol")
        end.record(stream)
    assert torch.sol.current_stream() == before
    end.synchronize()
    assert end.query() and stream.query() and start.elapsed_time(end) >= 0
    x.record_stream(before)
    same(x, torch.full((64, 64), 64.0))
    address = x.data_ptr()
    del x
    torch.sol.synchronize()
    with torch.sol.stream(stream):
        assert torch.empty(64, 64, device="sol").data_ptr() == address  # its reader is done
    pool = {torch.sol.Stream().stream_id for _ in range(100)}
    assert 1 < len(pool) < 100


def check_random_numbers():
    torch.sol.manual_seed(3)
    x = torch.rand(5, device="sol")
    torch.manual_seed(3)
    same(x, torch.rand(5), 0)
    torch.manual_seed(4)  # seeds all devices
    state = torch.sol.get_rng_state()
    y = torch.randn(5, device="sol")
    torch.sol.set_rng_state(state)
    assert torch.equal(torch.randn(5, device="sol").cpu(), y.cpu())
    drawn = [torch.rand(3, device="sol", generator=torch.Generator("sol").manual_seed(9)).cpu() for _ in range(2)]
    assert torch.equal(*drawn) and len(torch.sol.default_generators) == torch.sol.device_count()
    assert 0.3 < nn.functional.dropout(torch.ones(1000, device="sol"), 0.5).count_nonzero().item() / 1000 < 0.7


def check_storage_and_views():
    host = torch.arange(24.0).reshape(2, 3, 4)
    device = host.sol()
    for x, ones in ((host, torch.ones(3, 2)), (device, torch.ones(3, 2))):
        x.transpose(0, 2)[1].copy_(ones)
        x.permute(2, 0, 1)[..., 1] = 7
        x[:, ::2].add_(1)
    for x in (host, device):
        x[1].copy_(torch.arange(4.0))  # rows are repeated
        x[0].copy_(x[1, 0])
    same(device, host, 0)
    same(torch.zeros(0, 3).sol().copy_(torch.ones(3)), torch.zeros(0, 3))
    same(device.unfold(2, 2, 1), host.unfold(2, 2, 1), 0)
    same(device.as_strided((2, 2), (1, 4), 3), host.as_strided((2, 2), (1, 4), 3), 0)
    same(device.permute(2, 0, 1).contiguous(), host.permute(2, 0, 1).contiguous(), 0)
    same(device.to(torch.int32), host.to(torch.int32), 0)
    x = torch.arange(4.0).sol()
    assert x.resize_(8).shape == (8,) and x[:4].tolist() == [0, 1, 2, 3]
    x.untyped_storage().resize_(8)
    assert x.untyped_storage().nbytes() == 8
    y = torch.empty(0, device="sol").set_(device.untyped_storage(), 2, (2, 2), (4, 1))
    same(y, host.as_strided((2, 2), (4, 1), 2), 0)


def check_kernels_of_all_devices():
    aten, weight = torch.ops.aten, torch.linspace(-1e5, 1e5, 64).reshape(4, 16)
    image, grid, gradient = torch.rand(1, 2, 4, 4), torch.rand(1, 3, 3, 2), torch.rand(1, 2, 3, 3)
    for called, operands in (
        (lambda x: [aten._saturate_weight_to_fp16(x.clone())], [weight]),
        (lambda x: torch.choose_qparams_optimized(x, 64, 200, 0.16, 8), [weight]),
        (lambda x, at: [aten._grid_sampler_2d_cpu_fallback(x, at, 0, 0, True)], [image, grid]),
        (lambda y, x, at: aten._grid_sampler_2d_cpu_fallback_backward(y, x, at, 0, 0, True), [gradient, image, grid]),
    ):
        for found, wanted in zip(called(*(operand.sol() for operand in operands)), called(*operands), strict=True):
            torch.testing.assert_close(torch.as_tensor(found).cpu(), torch.as_tensor(wanted))
    for given in ((12,), (12, False), (12, False, 8.0)):
        window = torch.kaiser_window(*given, device=f"sol:{last()}")
        assert window.device.index == last()
        same(window, torch.kaiser_window(*given))


def check_complex_numbers():
    host = torch.complex(torch.arange(6.0), torch.ones(6)).reshape(2, 3)
    device = host.sol()
    for way in (
        lambda z: z.conj().clone(), lambda z: z.conj().resolve_conj(), lambda z: z.conj().imag.clone(), lambda z: z.conj() * 2,
        lambda z: z.imag + z.real, lambda z: torch.view_as_complex(torch.view_as_real(z)), lambda z: z.conj().to(torch.complex128),
        lambda z: z.conj().t().contiguous(), lambda z: z.new_zeros(2, 3).conj().copy_(z), lambda z: z.conj() @ z.mH,
    ):  # fmt: skip
        found, wanted = way(device), way(host)
        same(found.resolve_conj().resolve_neg(), wanted.resolve_conj().resolve_neg())
        assert torch.equal(found.cpu(), wanted) and repr(found)
    with torch.no_grad():
        host.conj().imag.neg_(), device.conj().imag.neg_()
    same(device, host)


def check_serialization():
    x, buffer = torch.rand(3), io.BytesIO()
    torch.save({"x": x.sol()}, buffer)
    for place, wanted in ((None, "sol:0"), ("cpu", "cpu"), (f"sol:{last()}", f"sol:{last()}")):
        buffer.seek(0)
        found = torch.load(buffer, map_location=place)["x"]
        assert str(found.device) == wanted and torch.equal(found.cpu(), x)
    same(pickle.loads(pickle.dumps(x.sol())), x, 0)
    same(copy.deepcopy(x.sol()), x, 0)


def check_pinned_memory():
    x = torch.rand(1000).pin_memory()
    assert x.is_pinned() and not torch.rand(2).is_pinned()
    same(x.to("sol", non_blocking=True), x, 0)
    batches = list(DataLoader(TensorDataset(torch.rand(4, 2)), batch_size=2, pin_memory=True))
    assert [b[0].is_pinned() for b in batches] == [True, True]


def check_autocast_and_scaler():
    layer = nn.Linear(4, 3).sol()
    scaler, optimizer = torch.amp.GradScaler("sol", init_scale=1024.0), torch.optim.SGD(layer.parameters(), lr=0.1)
    for dtype in (torch.bfloat16, torch.float16):
        with torch.autocast("sol", dtype=dtype):
            y = layer(torch.ones(2, 4, device="sol"))
            assert y.dtype == dtype and y.softmax(-1).dtype == torch.float32
    before = layer.weight.detach().cpu().clone()
    scaler.scale(y.float().sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert not torch.equal(layer.weight.detach().cpu(), before)


def check_training():
    for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW):
        for options in ({}, {"foreach": True}, {"foreach": False}):
            torch.manual_seed(0)
            host = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
            device = copy.deepcopy(host).sol()
            for model, place in ((host, "cpu"), (device, "sol")):
                optimizer = kind(model.parameters(), lr=0.05, **options)
                for _ in range(3):
                    optimizer.zero_grad()
                    model(torch.ones(4, 5, device=place)).square().sum().backward()
                    optimizer.step()
            for a, b in zip(device.parameters(), host.parameters()):
                same(a.detach(), b.detach())


def check_running_statistics():
    host, x = nn.BatchNorm2d(3), torch.rand(2, 3, 4, 4)
    device = copy.deepcopy(host).sol()
    for _ in range(2):
        same(device(x.sol()).detach(), host(x).detach())
    for a, b in zip(device.buffers(), host.buffers()):
        same(a, b)


def check_checkpointing():
    layer, x = nn.Linear(3, 3).sol(), torch.rand(2, 3, device="sol", requires_grad=True)
    checkpoint(layer, x, use_reentrant=False).sum().backward()
    same(x.grad, layer.weight.detach().cpu().sum(0).expand(2, 3))


def check_recurrent_and_attention():
    for make, shape in (
        (lambda: nn.LSTM(4, 5), (3, 2, 4)), (lambda: nn.GRU(4, 5), (3, 2, 4)),
        (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0), (2, 3, 8)),
    ):  # fmt: skip
        torch.manual_seed(0)
        host, x = make(), torch.rand(shape)
        device = copy.deepcopy(host).sol()
        for model, place in ((host, "cpu"), (device, "sol")):
            y = model(x.to(place))
            (y if isinstance(y, torch.Tensor) else y[0]).square().sum().backward()
        for a, b in zip(device.parameters(), host.parameters()):
            same(a.grad, b.grad, 1e-4)


def check_resnet18():
    from examples.networks import torchvision_models

    torch.manual_seed(0)
    host, x = torchvision_models().resnet18(weights=None).eval(), torch.rand(2, 3, 64, 64)
    device = copy.deepcopy(host).sol()
    wanted, found = host(x), device(x.sol())
    same(found.detach(), wanted.detach(), 1e-4)
    wanted.square().sum().backward()
    found.square().sum().backward()
    for a, b in zip(device.parameters(), host.parameters()):
        torch.testing.assert_close(a.grad.cpu(), b.grad, rtol=1e-4, atol=1e-4 * max(1.0, b.grad.abs().max().item()))


def check_fallbacks_are_counted():
    x = torch.ones(2, 2, device="sol")
    torch.sol.reset_fallbacks()
    assert torch.sol.fallbacks() == {}
    x.mm(x)
    assert list(torch.sol.fallbacks().items()) == [("aten::mm.out", 1)]


if __name__ == "__main__":
    run_checks(globals())
