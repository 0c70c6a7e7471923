"""``sol.accelerate_cpu``: what is compiled gives torch's results, follows its weights, and leaves no trace when it is switched off."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import sol
from sol.runtime.torch import accelerate, choices

ORIGINALS = {name: getattr(F, name) for name in ("linear", "conv1d", "conv2d", "conv3d")}
LAYERS = {
    "linear": (lambda: nn.Linear(96, 130), (40, 96)),
    "linear without bias": (lambda: nn.Linear(96, 130, bias=False), (2, 20, 96)),
    "conv1d": (lambda: nn.Conv1d(33, 40, 3, padding=1), (2, 33, 257)),
    "conv2d": (lambda: nn.Conv2d(33, 40, 3, stride=2, padding=1), (2, 33, 19, 21)),
    "conv2d, same": (lambda: nn.Conv2d(16, 40, 3, padding="same", bias=False), (2, 16, 17, 19)),
    "conv2d, groups": (lambda: nn.Conv2d(32, 64, 3, groups=32), (2, 32, 25, 21)),
    "conv2d, image": (lambda: nn.Conv2d(33, 40, 3, dilation=2), (33, 19, 21)),
    "conv3d": (lambda: nn.Conv3d(8, 17, 3), (2, 8, 9, 20, 21)),
}


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> Iterator[accelerate.Acceleration]:
    """Compiled code is said to be faster whatever a timer finds, and no choice is kept."""
    monkeypatch.setattr(accelerate, "_is_faster", lambda *args: True)
    monkeypatch.setattr(choices, "store", lambda: _NoStore())
    with sol.accelerate_cpu() as acceleration:
        yield acceleration
    assert all(getattr(F, name) is original for name, original in ORIGINALS.items())


class _NoStore:
    def read(self, key: str) -> None:
        return None

    def put(self, key: str, payload: bytes) -> None:
        pass


def compiled(acceleration: accelerate.Acceleration) -> int:
    """Weights and kinds of calls that compiled code serves."""
    return sum(type(held) is accelerate._Held for kinds in acceleration._held.values() for held in kinds.values())


def by_torch(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """What the layer computes in torch: with gradients it is torch's."""
    with torch.enable_grad():
        return layer(x).detach()


FORMS = ("plain", "channels last", "bfloat16")
CASES = [(name, form) for name, (_, shape) in LAYERS.items() for form in FORMS if form != "channels last" or len(shape) == 4]


@pytest.mark.parametrize("name,form", CASES)
def test_a_layer(name: str, form: str, always: accelerate.Acceleration):
    make, shape = LAYERS[name]
    layer, x = make(), torch.rand(shape)
    if form == "channels last":
        x = x.to(memory_format=torch.channels_last)
    dtype = torch.bfloat16 if form == "bfloat16" else torch.float32
    layer, x = layer.to(dtype), x.to(dtype)
    wanted, tolerance = by_torch(layer, x), 1e-4 if dtype is torch.float32 else 2e-2
    with torch.no_grad():
        for _ in range(3):
            found = layer(x)
            torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)
            assert found.stride() == wanted.stride()
    assert list(always.choices.values()) == ["sol"]


def test_results_are_fresh(always: accelerate.Acceleration):
    layer, x = nn.Linear(96, 130), torch.rand(40, 96)
    with torch.no_grad():
        first, second, third = layer(x), layer(x), layer(2 * x)
    assert torch.equal(second, layer(x).detach()) or torch.allclose(second, first, atol=1e-5)
    assert third.data_ptr() != second.data_ptr() and not torch.equal(second, third)


def test_changes_of_weights_are_seen(always: accelerate.Acceleration):
    layer, x = nn.Linear(96, 130), torch.rand(40, 96)

    def check() -> None:
        with torch.no_grad():
            torch.testing.assert_close(layer(x), by_torch(layer, x), rtol=1e-4, atol=1e-5)

    for _ in range(3):
        check()
    assert compiled(always) == 1
    with torch.no_grad():
        layer.weight.mul_(2)
        check()
        layer.bias.add_(1)
        check()
        layer.load_state_dict(nn.Linear(96, 130).state_dict())
        check()
        layer.weight = nn.Parameter(torch.rand(130, 96))
        for _ in range(3):
            check()
        layer.bias = nn.Parameter(torch.rand(130))
        for _ in range(3):
            check()
        layer.weight.data = torch.rand(130, 96)
        check()
        layer.weight.data.mul_(3)  # torch does not count that
        always.refresh()
        for _ in range(3):
            check()
    optimizer = torch.optim.SGD(layer.parameters(), 0.1)
    layer(x).sum().backward()
    optimizer.step()
    check()


def test_tensors_that_come_and_go(always: accelerate.Acceleration):
    """Another tensor in the memory of one that is gone is not taken for it."""
    x = torch.rand(40, 96)
    weight = torch.rand(130, 96)
    with torch.no_grad():
        for i in range(20):
            w, b = torch.full((130, 96), float(i)), torch.full((130,), float(i))
            torch.testing.assert_close(F.linear(x, w, b), ORIGINALS["linear"](x, w, b))
            torch.testing.assert_close(F.linear(x, weight, b), ORIGINALS["linear"](x, weight, b))
            torch.testing.assert_close(F.linear(x, weight[:, :96]), ORIGINALS["linear"](x, weight))


def test_what_is_packed_goes_with_the_weight(always: accelerate.Acceleration):
    layer, x = nn.Linear(96, 130), torch.rand(40, 96)
    with torch.no_grad():
        for _ in range(2):
            layer(x)
    held = next(iter(next(iter(always._held.values())).values()))
    executable = weakref.ref(held.executable)
    del layer, held
    gc.collect()
    assert executable() is None and not always._held


def test_sizes_that_change_all_the_time(always: accelerate.Acceleration):
    """Few kinds of calls are packed for, and what is remembered of the others is bounded."""
    layer = nn.Linear(96, 130)
    with torch.no_grad():
        for _ in range(2):
            for n in range(40, 40 + accelerate.FEW_KINDS + 3):
                x = torch.rand(n, 96)
                torch.testing.assert_close(layer(x), by_torch(layer, x), rtol=1e-4, atol=1e-5)
        assert compiled(always) == accelerate.FEW_KINDS
        for n in range(60, 60 + 2 * accelerate.KEPT):
            layer(torch.rand(n, 96))
    assert len(always._held[id(layer.weight)]) <= accelerate.KEPT and compiled(always) == accelerate.FEW_KINDS


def test_gradients_are_torchs(always: accelerate.Acceleration):
    layer, x = nn.Linear(96, 130), torch.rand(40, 96, requires_grad=True)
    for _ in range(3):
        layer(x).sum().backward()
    assert compiled(always) == 0 and torch.allclose(layer.bias.grad, torch.full((130,), 120.0))
    layer.requires_grad_(False)
    for _ in range(3):
        layer(x.detach())  # nothing has gradients
    assert compiled(always) == 1


def test_inference_mode(always: accelerate.Acceleration):
    layer, x = nn.Linear(96, 130), torch.rand(40, 96)
    wanted = by_torch(layer, x)
    with torch.inference_mode():
        for _ in range(3):
            torch.testing.assert_close(layer(x * 1), wanted, rtol=1e-4, atol=1e-5)
        made_here = nn.Linear(96, 130)  # its weights count no changes
        for _ in range(3):
            made_here(x)
    assert compiled(always) == 1


def test_many_threads_and_other_team_sizes(always: accelerate.Acceleration):
    layer, inputs = nn.Conv2d(16, 40, 3), [torch.rand(1, 16, 40, 40) for _ in range(4)]
    wanted, wrong = [by_torch(layer, x) for x in inputs], []

    def work(number: int) -> None:
        with torch.no_grad():
            for _ in range(10):
                if not torch.allclose(layer(inputs[number]), wanted[number], atol=1e-4):
                    wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and compiled(always) == 1


@pytest.mark.parametrize("way", ["autocast", "vmap", "compile", "script", "trace", "export", "symbolic trace", "optimize", "deepcopy"])
def test_other_ways_to_run_a_model(way: str, always: accelerate.Acceleration):
    layer, x = nn.Linear(96, 130).eval().requires_grad_(False), torch.rand(40, 96)
    with torch.no_grad():
        for _ in range(3):
            wanted = layer(x)
    if way == "autocast":
        with torch.autocast("cpu", torch.bfloat16):
            assert layer(x).dtype is torch.bfloat16
        return
    ways = {
        "vmap": lambda: torch.vmap(layer)(x[None])[0], "compile": lambda: torch.compile(layer, backend="eager")(x),
        "script": lambda: torch.jit.script(layer)(x), "trace": lambda: torch.jit.trace(layer, x)(x),
        "export": lambda: torch.export.export(layer, (x,)).module()(x), "symbolic trace": lambda: torch.fx.symbolic_trace(layer)(x),
        "optimize": lambda: sol.optimize(layer, x)(x), "deepcopy": lambda: copy.deepcopy(layer)(x),
    }  # fmt: skip
    torch.testing.assert_close(ways[way](), wanted, rtol=1e-4, atol=1e-5)


def test_errors_are_torchs(always: accelerate.Acceleration):
    with torch.no_grad(), pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        for _ in range(3):
            F.linear(torch.rand(40, 96), torch.rand(130, 95))


def test_small_layers_are_not_looked_up(always: accelerate.Acceleration):
    layer, x = nn.Linear(4, 4), torch.rand(2, 4)
    with torch.no_grad():
        for _ in range(3):
            layer(x)
    assert not always._held


def test_the_slower_side_is_not_taken_and_choices_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path):
    kept: dict[str, bytes] = {}

    class Store:
        read, put = kept.get, kept.__setitem__

    timed = []
    monkeypatch.setattr(choices, "store", Store)
    monkeypatch.setattr(accelerate, "_is_faster", lambda *args: timed.append(1) or False)
    layer, x = nn.Linear(96, 130), torch.rand(40, 96)
    for _ in range(2):
        with sol.accelerate_cpu() as acceleration, torch.no_grad():
            for _ in range(3):
                layer(x)
            assert compiled(acceleration) == 0 and list(acceleration.choices.values()) == ["torch"]
    assert timed == [1] and list(kept.values()) == [b"torch"]


def test_timing_takes_the_faster_side():
    layer, x = nn.Linear(96, 130), torch.rand(40, 96)
    made = accelerate.compile_layer(lambda x, w, b: ORIGINALS["linear"](x, w, b), x, layer.weight, layer.bias)

    def slow(*args):
        threading.Event().wait(0.02)
        return ORIGINALS["linear"](*args)

    with torch.no_grad():
        assert accelerate._is_faster(made, slow, x, layer.weight, layer.bias, ())
        assert not accelerate._is_faster(made, lambda *args: None, x, layer.weight, layer.bias, ())


def test_switching():
    first = sol.accelerate_cpu()
    assert F.conv2d is not ORIGINALS["conv2d"] and torch.conv2d is F.conv2d
    second = sol.accelerate_cpu()
    first.remove()
    assert F.conv2d is not ORIGINALS["conv2d"]
    assert sol.accelerate_cpu(False) is None
    assert all(getattr(F, name) is original for name, original in ORIGINALS.items()) and torch.conv2d is ORIGINALS["conv2d"]
    second.remove()
    assert all(getattr(F, name) is original for name, original in ORIGINALS.items())
