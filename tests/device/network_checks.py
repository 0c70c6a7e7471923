"""Compiled networks on the device, in one process that tests/device/test_networks.py starts."""

from __future__ import annotations

import copy
import io

import pytest
import torch
from torch import nn

import sol
from examples.networks import randomize_statistics
from sol.runtime.torch.on_queue import runs_opencl
from sol.runtime.torch.pieces import Piece
from tests.device.support import run_checks


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.scan, self.out = nn.LSTM(8, 16, num_layers=2, batch_first=True), nn.Linear(16, 5)

    def forward(self, x):
        return self.out(self.scan(x)[0][:, -1])


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.conv, self.norm = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        x = self.stem(x).relu()
        return self.out((self.norm(self.conv(x)) + x).relu().mean((2, 3)))


def networks() -> dict[str, tuple[nn.Module, torch.Tensor]]:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
    return {
        "residual": (randomize_statistics(Residual()), torch.rand(2, 3, 16, 16)),
        "lstm": (Recurrent().eval(), torch.rand(2, 7, 8)),
        "transformer": (nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval(), torch.rand(2, 5, 16)),
    }


def near(found: torch.Tensor, wanted: torch.Tensor, device: str = "sol") -> None:
    assert found.device.type == device
    torch.testing.assert_close(found.detach().cpu(), wanted.detach(), rtol=1e-4, atol=1e-4 * max(1.0, wanted.abs().max().item()))


def last_device() -> torch.device:
    """Another one than the current one, where there are several."""
    return torch.device("sol", torch.sol.device_count() - 1)


def check_inference():
    for model, x in networks().values():
        with torch.no_grad():
            wanted = model(x)
            fast = sol.optimize(copy.deepcopy(model), [x])
            fast.sol()
            torch.sol.reset_fallbacks()
            near(fast(x.sol()), wanted)
            near(fast(x), wanted, "cpu")  # tensors of the CPU stay there
            assert all(p.is_sol for p in fast.parameters()) and torch.sol.fallbacks() == {}
            near(copy.deepcopy(fast)(x.sol()), wanted)
            fast.to(last_device())
            near(fast(x.to(last_device())), wanted)
            fast.cpu()
            near(fast(x), wanted, "cpu")


def check_a_model_that_lies_on_the_device():
    model, x = nn.Sequential(nn.Linear(6, 4), nn.ReLU()).eval(), torch.rand(3, 6)
    with torch.no_grad():
        fast = sol.optimize(copy.deepcopy(model).sol(), [x.sol()])
        near(fast(x.sol()), model(x))
        near(fast(x.repeat(2, 1).sol()), model(x.repeat(2, 1)))
        buffer = io.BytesIO()
        torch.save(fast, buffer)
        buffer.seek(0)
        near(torch.load(buffer, weights_only=False)(x.sol()), model(x))


def check_parameters_that_change():
    model, x = nn.Linear(6, 4).eval(), torch.rand(3, 6)
    fast = sol.optimize(copy.deepcopy(model), [x]).sol()
    with torch.no_grad():
        for change in (lambda m: m.weight.mul_(2), lambda m: m.load_state_dict({"weight": torch.ones(4, 6), "bias": torch.arange(4.0)})):
            change(model), change(fast)
            near(fast(x.sol()), model(x))
        for m in (model, fast):
            m.weight = nn.Parameter(torch.full((4, 6), 0.5).to(m.bias.device))
        near(fast(x.sol()), model(x))
        model.bias.data, fast.bias.data = torch.ones(4), torch.ones(4).sol()
        near(fast(x.sol()), model(x))


def check_attributes_that_change():
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.scale = nn.Linear(4, 3), 2.0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x) * self.scale

    model, x = Scaled().eval(), torch.rand(2, 4)
    fast = sol.optimize(copy.deepcopy(model).sol(), [x.sol()])
    with torch.no_grad():
        for scale in (2.0, 3.0, -1.0):
            fast.scale = model.scale = scale
            for _ in range(2):
                torch.testing.assert_close(fast(x.sol()).cpu(), model(x))


def check_training():
    for name, (model, x) in networks().items():
        host = sol.optimize(copy.deepcopy(model.train()), [x])
        fast = sol.optimize(model, [x]).sol()
        for step in range(2):
            losses = []
            for m, given in ((host, x), (fast, x.sol() if step else x)):
                m.zero_grad()
                losses.append(m(given).square().mean())
                losses[-1].backward()
                torch.optim.SGD(m.parameters(), lr=0.01).step()
            near(losses[1], losses[0], "sol" if step else "cpu")
            for (which, a), b in zip(fast.named_parameters(), host.parameters()):
                assert a.is_sol and a.grad.is_sol, (name, which)
                near(a.grad, b.grad)
                near(a, b)
        for a, b in zip(fast.buffers(), host.buffers()):
            near(a, b)


def check_gradients_of_inputs_and_several_results():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x, y):
            return {"sum": self.layer(x) + y, "same": x, "index": (x > 0).sum()}

    host = Two().eval()
    x, y = torch.rand(3, 4), torch.rand(3, 4)
    fast = sol.optimize(copy.deepcopy(host), [x, y]).sol()
    found = []
    for model, place in ((host, "cpu"), (fast, "sol")):
        a, b = (t.to(place).detach().requires_grad_() for t in (x, y))
        result = model(a, b)
        (result["sum"].square().sum() + result["same"].sum()).backward()
        found.append((result["sum"], result["index"].float(), a.grad, b.grad))
    for wanted, given in zip(*found):
        near(given, wanted)


def check_inputs_that_change():
    class Adds(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(2))

        def forward(self, x):
            x.mul_(2)
            self.count.add_(1)
            return x + self.count

    fast, x = sol.optimize(Adds().eval(), [torch.ones(2)]).sol(), torch.ones(2, device="sol")
    with torch.no_grad():
        fast.count.zero_()
        near(fast(x), torch.full((2,), 3.0))
        near(x, torch.full((2,), 2.0))
        near(fast(x), torch.full((2,), 6.0))
        near(fast.count, torch.full((2,), 2.0))


def check_modules_without_sizes():
    model = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyConv1d(2, 1)).sol(last_device())
    assert isinstance(model[0].weight, nn.parameter.UninitializedParameter) and model[2].weight.device == last_device()
    assert model(torch.rand(2, 3, 5, device=last_device())).shape == (2, 2, 4) and model[0].weight.shape == (4, 5)
    with pytest.raises(ValueError, match="a device of sol"):
        model.sol("cpu")


def check_results_that_are_views():
    class Views(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.rand(3, 4))

        def forward(self, x):
            return (x[1:], self.weight.t(), x) if several else x[1:]

    for several in (True, False):
        fast = sol.optimize(Views().eval(), [torch.rand(4, 4)]).sol()
        x = torch.rand(6, 4, device="sol")[1:5]
        with torch.no_grad():
            result = fast(x)
            if several:
                assert result[2] is x
                result[1].zero_()
                assert (fast.weight == 0).all()
            (result[0] if several else result).zero_()
            assert (x[1:] == 0).all()


def check_torch_compile():
    seen = []
    called = Piece.__call__

    def noted(self, *inputs):
        result = called(self, *inputs)
        seen.append(self.failure is None and self.last is not None)
        return result

    Piece.__call__ = noted
    try:
        without_draws = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.LayerNorm(4)), torch.rand(3, 4)
        for model, x in (*networks().values(), without_draws):
            fast = torch.compile(copy.deepcopy(model.eval()).sol(), backend="sol")
            with torch.no_grad():
                for given in (x, x, torch.cat([x, x])):
                    near(fast(given.sol()), model(given))
                for m in (model, fast):
                    next(m.parameters()).mul_(1.5)
                near(fast(x.sol()), model(x))
            if runs_opencl(next(fast.parameters()).device):
                assert not seen  # pieces run in eager there
            else:
                assert seen and all(seen), torch.sol.fallbacks()
            seen.clear()
            near(fast(x.sol()), model(x))  # with gradients: in eager
            fast(x.sol()).sum().backward()
            assert not seen and all(p.grad.is_sol for p in fast.parameters())
    finally:
        Piece.__call__ = called


def check_pieces_of_torch_compile():
    def function(a, b, c):
        return a.view(-1), a.add_(1), torch.zeros(3, device=a.device) + b.sum() + c.to(a.device), b

    a, b, c = torch.ones(2, 3, device="sol"), torch.ones(4, device="sol"), torch.ones(())
    flat, added, total, same = torch.compile(function, backend="sol")(a, b, c)
    assert same is b and (a == 2).all() and (added == 2).all() and (total == 5).all()
    flat.zero_()
    assert (a == 0).all()
    for draw in (lambda x: x + torch.rand_like(x), lambda x: nn.functional.dropout(x, 0.5, training=True)):
        drawn = []
        for function in (torch.compile(draw, backend="sol"), draw):
            torch.sol.manual_seed(3)
            drawn.append(function(b))
        assert (drawn[0] == drawn[1]).all()
    try:
        torch.compile(lambda x, y: x + y, backend="sol")(b, b.to("sol:1"))
    except Exception as error:
        assert "device" in str(error)
    else:
        raise AssertionError("tensors of two devices were added")


def check_reports():
    model, x = networks()["residual"]
    fast = sol.optimize(model, [x]).sol()
    for given in ([x.sol()], [x]):
        report = sol.verify(fast, given)
        assert report.passed and report.compared, report
        assert "conv" in str(sol.explain(fast, given)) and "conv" in str(sol.profile(fast, given, runs=2))
    with sol.config.override(training="compiled"):
        assert "backward" in str(sol.explain(fast.train(), [x.sol()]))


def check_shared_parameters():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(5, 5), nn.Linear(5, 5)
            self.second.weight = self.first.weight

        def forward(self, x):
            return self.second(self.first(x).relu())

    host, x = Tied(), torch.rand(3, 5)
    assert (moved := copy.deepcopy(host).sol()).first.weight is moved.second.weight and moved.second.weight.is_sol
    fast = sol.optimize(copy.deepcopy(host), [x]).to("sol")
    assert fast.first.weight is fast.second.weight
    for model, place in ((host, "cpu"), (moved, "sol"), (fast, "sol")):
        model(x.to(place)).square().mean().backward()
    near(fast.first.weight.grad, host.first.weight.grad)
    near(moved.first.weight.grad, host.first.weight.grad)
    assert fast.cpu().first.weight is fast.second.weight


def check_autocast():
    model, x = nn.Linear(16, 16), torch.rand(4, 16)
    fast, host = sol.optimize(copy.deepcopy(model), [x]).sol(), sol.optimize(model, [x])
    found = []
    for m, place in ((host, "cpu"), (fast, "sol")):
        with torch.autocast(place, dtype=torch.bfloat16):
            found.append(m(x.to(place)))
        found[-1].float().square().sum().backward()
    assert found[0].dtype == found[1].dtype == torch.bfloat16
    near(found[1], found[0])
    near(fast.weight.grad, host.weight.grad)


def check_tensors_of_two_devices():
    fast = sol.optimize(nn.Linear(4, 4).eval(), [torch.rand(2, 4)]).sol()
    with torch.no_grad(), pytest.raises(RuntimeError, match="sol:0 .the model's. and sol:1"):
        fast(torch.rand(2, 4, device="sol:1"))
    with torch.no_grad():
        assert fast(torch.rand(2, 4).sol()).is_sol


if __name__ == "__main__":
    run_checks(globals())
