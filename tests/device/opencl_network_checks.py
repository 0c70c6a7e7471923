"""Networks on a device of OpenCL, in one process that tests/device/test_opencl.py starts: results, and that a call only queues launches."""

from __future__ import annotations

import copy
import ctypes
import time

import pytest
import torch
from torch import nn

import sol
import sol_autoload
from examples.networks import randomize_statistics, torchvision_models
from tests.device.network_checks import near
from tests.device.support import run_checks
from tests.device.zoo_checks import Field, Recurrent
from tests.passes.test_merge_branches import Branches


def compiled(model: nn.Module, x: torch.Tensor) -> nn.Module:
    """The model on the device, beside eager on the CPU; all of it is compiled."""
    with torch.no_grad():
        wanted = model(x)
        fast = sol.optimize(copy.deepcopy(model), [x]).sol()
        torch.sol.reset_fallbacks()
        near(fast(x.sol()), wanted)
        near(fast(x), wanted, "cpu")
        assert torch.sol.fallbacks() == {}, torch.sol.fallbacks()
    return fast


def image_network(name: str, batch: int = 2) -> tuple[nn.Module, torch.Tensor]:
    return randomize_statistics(getattr(torchvision_models(), name)(weights=None)).eval(), torch.rand(batch, 3, 64, 64)


def check_resnet18():
    compiled(*image_network("resnet18"))


def check_resnet50():
    compiled(*image_network("resnet50"))


def check_mobilenet_v2():
    compiled(*image_network("mobilenet_v2"))


def check_densenet121():
    compiled(*image_network("densenet121", 1))


def check_joined_branches():
    """The joined weights are made of parameters that lie on the device."""
    compiled(Branches().eval(), torch.randn(2, 24, 9, 17))


def check_bert():
    torchvision_models()
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=500, hidden_size=96, num_hidden_layers=2, num_attention_heads=3, intermediate_size=200)
    compiled(Field(BertModel(config).eval(), "last_hidden_state").eval(), torch.randint(0, 500, (2, 37)))


def check_gpt2():
    torchvision_models()
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=500, n_embd=96, n_layer=2, n_head=3)
    compiled(Field(GPT2LMHeadModel(config).eval(), "logits").eval(), torch.randint(0, 500, (2, 37)))


def check_lstm():
    compiled(Recurrent().eval(), torch.rand(2, 20, 128))


def check_launches_do_not_wait_for_each_other():
    model, x = image_network("resnet18", 8)
    driver = ctypes.CDLL(sol_autoload.DRIVERS["opencl"])
    fast, x = compiled(model, x), x.sol()
    with torch.no_grad():
        torch.sol.synchronize()
        driver.sol_opencl_trace(1)
        start = time.perf_counter()
        fast(x)
        returned = time.perf_counter() - start
        done = torch.sol.current_stream().query()
        torch.sol.synchronize()
        whole = time.perf_counter() - start
    launches, times = [], (ctypes.c_uint64 * 3)()
    while driver.sol_opencl_times(len(launches), times):
        launches.append(tuple(times))
    driver.sol_opencl_trace(0)
    assert len(launches) > 20 and not done and returned < whole / 2
    assert all(a[1] <= a[2] <= b[1] for a, b in zip(launches, launches[1:]))  # in order
    queued = sum(b[0] < a[2] for a, b in zip(launches, launches[1:]))  # before the launch before it had ended
    assert queued == len(launches) - 1, (queued, launches)


def check_memory_of_a_thousand_calls():
    model = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.Flatten(), nn.Linear(288, 4)).eval()
    x = torch.rand(2, 3, 8, 8)
    fast, x = compiled(model, x), x.sol()
    with torch.no_grad():
        before = (0, 0)
        for number in range(1001):
            y = fast(x)
            with pytest.raises(RuntimeError):
                fast(x[:, :2])
            if number == 0:
                before = torch.sol.memory_allocated(), torch.sol.memory_reserved()
        near(y, model(x.cpu()))
        grown = torch.sol.memory_allocated() - before[0], torch.sol.memory_reserved() - before[1]
        assert max(grown) <= 4096, grown  # a call that kept anything would keep more


def check_weights_stay_on_the_device():
    layer, x = nn.Linear(20, 30).eval(), torch.rand(5, 20)
    fast = compiled(layer, x)
    with torch.no_grad():
        allocated = torch.sol.memory_allocated()
        x = x.sol()
        for _ in range(3):
            y = fast(x)
        assert torch.sol.memory_allocated() - allocated < 4096  # x and y, and no copy of the weights
        fast.weight.mul_(2)
        layer.weight.mul_(2)
        near(fast(x), layer(x.cpu()))
        fast.bias.data.zero_()  # which torch does not count; the parameter itself is read
        layer.bias.data.zero_()
        near(fast(x), layer(x.cpu()))
        del y


def check_what_has_no_kernel_is_named():
    class Sorted(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.rand(5))

        def forward(self, x):
            return (x * self.scale).sort(dim=1).values.relu(), torch.linalg.svdvals(x.double())

    model, x = Sorted().eval(), torch.rand(4, 5)
    with torch.no_grad():
        results = model(x)
        fast = sol.optimize(model, [x], fallback="eager").sol()
        torch.sol.reset_fallbacks()
        for found, wanted in zip(fast(x.sol()), results):
            near(found, wanted)
        named = torch.sol.fallbacks()
        assert "sol::sort" in named and any("svd" in name for name in named), named
        text = str(sol.explain(fast, [x.sol()]))
        assert "sort: has no kernel in OpenCL C" in text and "svd" in text, text


def check_shapes_are_compiled_for():
    model = nn.Sequential(nn.Linear(6, 4), nn.ReLU()).eval()
    with torch.no_grad():
        fast = sol.optimize(model, [torch.rand(3, 6)]).sol()
        for rows in (3, 5, 7, 9, 3):
            x = torch.rand(rows, 6)
            near(fast(x.sol()), copy.deepcopy(model).cpu()(x))


def check_strided_inputs():
    model = nn.Sequential(nn.Linear(6, 4), nn.ReLU()).eval()
    with torch.no_grad():
        fast = sol.optimize(model, [torch.rand(4, 6)]).sol()
        wide = torch.rand(8, 12)
        near(fast(wide.t().contiguous().sol().t()[::2, ::2]), copy.deepcopy(model).cpu()(wide[::2, ::2]))
        near(fast(wide.sol()[::2, ::2]), copy.deepcopy(model).cpu()(wide[::2, ::2]))
        near(fast(wide[::2, ::2].numpy()), copy.deepcopy(model).cpu()(wide[::2, ::2]), "cpu")


def check_other_streams():
    model, x = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8)).eval(), torch.rand(2, 3, 9, 9)
    with torch.no_grad():
        fast = sol.optimize(copy.deepcopy(model), [x]).sol()
        fast(x.sol())
        fast[1].weight.mul_(3)
        model[1].weight.mul_(3)
        near(fast(x.sol()), model(x))
        stream = torch.sol.Stream()
        with torch.sol.stream(stream):
            y = fast(x.sol())
        stream.synchronize()
        near(y, model(x))


def check_steps_of_the_host_have_their_weights():
    model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 64)).eval()
    x = torch.rand(5, 64)
    with torch.no_grad():
        for weights in ("int8", "int4"):
            fast = sol.optimize(copy.deepcopy(model), [x], weights=weights)
            wanted = fast(x)
            torch.sol.reset_fallbacks()
            near(fast.sol()(x.sol()), wanted)
            assert torch.sol.fallbacks() == {"sol::weight_only_linear": 2}
        narrow = copy.deepcopy(model).bfloat16()
        fast = sol.optimize(copy.deepcopy(narrow), [x.bfloat16()]).sol()
        for _ in range(2):
            found, wanted = fast(x.bfloat16().sol()).cpu().float(), narrow(x.bfloat16()).float()
            torch.testing.assert_close(found, wanted, rtol=2e-2, atol=2e-2)
            for m in (fast, narrow):
                m[2].weight.mul_(-1)


def check_what_data_decide():
    class Decides(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(5, 5)
            self.register_buffer("count", torch.zeros(5))

        def forward(self, x):
            self.count += 1
            y = self.layer(x) + self.count
            z = torch.cond(y.sum() > 0, lambda y: (y * 2).sin(), lambda y: (y - 1).cos(), (y,))
            return z, (z.abs() > 0.5).nonzero()

    model, x = Decides().eval(), torch.rand(3, 5)
    fast = sol.optimize(copy.deepcopy(model), [x]).sol()
    with torch.no_grad():
        for sign in (1, -1, 1):
            for found, wanted in zip(fast((sign * 9 * x).sol()), model(sign * 9 * x)):
                near(found.float(), wanted.float())
    near(fast.count, model.count)


def check_training_in_eager():
    model, x = image_network("resnet18")
    model.train()
    fast = sol.optimize(copy.deepcopy(model), [x]).sol()
    for m, given in ((model, x), (fast, x.sol())):
        m(given).square().mean().backward()
    for a, b in zip(fast.parameters(), model.parameters()):
        torch.testing.assert_close(a.grad.cpu(), b.grad, rtol=1e-3, atol=1e-4 * max(1.0, b.grad.abs().max().item()))
    for a, b in zip(fast.buffers(), model.buffers()):
        torch.testing.assert_close(a.cpu(), b, rtol=1e-4, atol=1e-4)


def check_a_network_that_does_not_fit():
    layer = nn.Linear(8, 8).eval()
    with torch.no_grad():
        fast = sol.optimize(layer, [torch.rand(4, 8)]).sol()
        size = torch.sol.mem_get_info()[0] // 32 // 4 * 3
        x = torch.empty(size, 8, device="sol")
        with pytest.raises(torch.OutOfMemoryError, match="out of memory"):
            fast(x)
        del x
        near(fast(torch.ones(4, 8).sol()), copy.deepcopy(layer).cpu()(torch.ones(4, 8)))


if __name__ == "__main__":
    torch.manual_seed(0)
    run_checks(globals())
