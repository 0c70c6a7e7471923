"""What is checked of operations that sol compiles one by one on the device (tests/device/test_operations.py)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.device.support import run_checks

R = torch.rand
Case = tuple[Callable[..., torch.Tensor], list[torch.Tensor], set[str]]


def cases() -> dict[str, Case]:
    """Name → a function, its arguments on the CPU, and the operations that are compiled for it."""
    x, y, image = R(17, 33), R(17, 33), R(2, 5, 9, 9)
    weights = (R(5) + 0.5, R(5))
    return {
        "add": (lambda a, b: a + b, [x, y], {"aten::add.out"}),
        "numbers": (lambda a: (a * 3.5 + 1) // 0.7, [x], {"aten::mul.out", "aten::add.out", "aten::floor_divide"}),
        "whole numbers": (lambda a: (a - 3) % 4, [torch.arange(30)], {"aten::sub.out", "aten::remainder.Tensor_out"}),
        "transposed": (lambda a, b: a.t() + b.t(), [x, y], {"aten::add.out"}),
        "transposed and not": (lambda a, b: a.t() * b, [x, R(33, 17)], {"aten::mul.out"}),
        "broadcast": (lambda a, b: a + b, [x, R(33)], {"aten::add.out"}),
        "expanded": (lambda a, b: a.expand(17, 33) - b, [R(17, 1), y], {"aten::sub.out"}),
        "slices": (lambda a, b: a[:, 3:9] + b[1:, 1:7][:16].sum(0), [x, y], set()),
        "in place": (lambda a, b: a.add_(b).relu_().mul_(a), [x, y], {"aten::add.out", "aten::relu_", "aten::mul.out"}),
        "in place, rows": (lambda a, b: a[2:].add_(b[2:]), [x, y], {"aten::add.out"}),
        "in place, columns": (lambda a, b: a[:, 2:].add_(b[:, 2:]), [x, y], set()),
        "out": (lambda a, b: torch.sub(a, b, out=torch.empty(17, 33, device=a.device)), [x, y], {"aten::sub.out"}),
        "out without size": (lambda a: torch.abs(a, out=torch.empty(0, device=a.device)), [x - 0.5], {"aten::abs.out"}),
        "out of another type": (lambda a, b: torch.add(a, b, out=a.new_empty(17, 33, dtype=torch.float64)), [x, y], set()),
        "comparison": (lambda a, b: (a > b) & ~(a < 0.5), [x, y], {"aten::gt.Tensor_out", "aten::lt.Scalar_out"}),
        "selection": (lambda a, b: torch.where(a > b, a, b), [x, y], {"aten::where.self"}),
        "cast": (lambda a: (a * 10).to(torch.int32), [x], {"aten::copy_"}),
        "cast and order": (lambda a: a.t().contiguous().double(), [x], {"aten::copy_"}),
        "float64": (lambda a: (a * 2).exp(), [x.double()], {"aten::mul.out", "aten::exp.out"}),
        "bfloat16": (lambda a: a * 2, [x.bfloat16()], {"aten::mul.out"}),
        "mean": (lambda a: a.mean(1, keepdim=True), [x], {"aten::mean.out"}),
        "sum of all": (lambda a: a.sum(), [x], {"aten::sum.IntList_out"}),
        "maximum": (lambda a: a.amax(0), [x], {"aten::amax.out"}),
        "mm": (lambda a, b: a @ b.t(), [x, y], {"aten::mm.out"}),
        "linear": (F.linear, [x, R(7, 33), R(7)], {"aten::addmm.out"}),
        "bmm": (torch.bmm, [R(3, 4, 5), R(3, 5, 6)], {"aten::bmm.out"}),
        "convolution": (lambda a, w, b: F.conv2d(a, w, b, 2, 1), [image, R(7, 5, 3, 3), R(7)], {"aten::convolution"}),
        "convolution, groups": (lambda a, w: F.conv2d(a, w, groups=5), [image, R(10, 1, 3, 3)], {"aten::convolution"}),
        "softmax": (lambda a: a.softmax(-1), [x], {"aten::_softmax.out"}),
        "layer norm": (lambda a, w, b: F.layer_norm(a, (33,), w, b), [x, R(33), R(33)], {"aten::native_layer_norm"}),
        "batch norm": (lambda a, m, v, w, b: F.batch_norm(a, m, v, w, b), [image, *weights, *weights], {"aten::native_batch_norm"}),
        "gelu": (F.gelu, [x - 0.5], {"aten::gelu.out"}),
        "silu": (F.silu, [x - 0.5], {"aten::silu.out"}),
        "tanh": (torch.tanh, [x - 0.5], {"aten::tanh.out"}),
        "embedding": (F.embedding, [torch.tensor([[1, 3], [2, 0]]), R(5, 8)], {"aten::index_select"}),
        "gather": (lambda a, i: a.gather(1, i), [x, torch.randint(0, 33, (17, 4))], {"aten::gather.out"}),
        "rows": (lambda a, i: a[i], [x, torch.tensor([1, 16])], {"aten::index.Tensor_out"}),
        "cat": (lambda a, b: torch.cat([a, b]), [x, y], {"aten::cat.out"}),
        "max pooling": (lambda a: F.max_pool2d(a, 2), [image], {"aten::max_pool2d_with_indices.out"}),
        "average pooling": (lambda a: F.avg_pool2d(a, 3, 2), [image], {"aten::avg_pool2d.out"}),
        "channels last": (lambda a: (a * 2).relu(), [image.to(memory_format=torch.channels_last)], {"aten::mul.out", "aten::relu"}),
        "random numbers": (lambda a: torch.bernoulli(a, generator=torch.Generator(a.device).manual_seed(3)), [x], set()),
    }  # fmt: skip


def check_operations():
    """The first call of a class runs PyTorch's kernels, the others compiled ones, to the same results in the same order of memory."""
    torch.sol.compile_operations()
    for name, (function, args, operations) in cases().items():
        wanted = function(*[a.clone() for a in args])
        torch.sol.reset_compiled_operations()
        for call in range(3):
            found = function(*[a.sol() if call else a.clone().sol() for a in args])
            assert found.stride() == wanted.stride() and found.dtype == wanted.dtype, (name, call)
            torch.testing.assert_close(found.cpu(), wanted, rtol=1e-4, atol=1e-5, msg=lambda text, at=(name, call): f"{at}: {text}")
        counts = torch.sol.compiled_operations()
        assert operations <= {n for n, count in counts.items() if count >= 2}, (name, counts)
        if not operations:
            assert not any(count for n, count in counts.items() if n != "aten::copy_"), (name, counts)


def check_what_is_chosen():
    x, w = R(9, 9).sol(), R(9, 9).sol()

    def compiled() -> set[str]:
        torch.sol.reset_compiled_operations()
        for _ in range(3):
            x @ w + 1
        return {name for name, count in torch.sol.compiled_operations().items() if count}

    torch.sol.compile_operations("off")
    assert compiled() == set()
    from sol.device import operations

    torch.sol.compile_operations("heavy")
    kept: dict[str, str] = {}
    operations.kept_choice, operations.keep_choice = lambda text, _: kept.get(text, ""), lambda text, _, chosen: kept.update({text: chosen})
    timed, operations.is_faster = operations.is_faster, lambda *sides: [side() for side in sides] and False
    assert compiled() == set() and list(kept.values()) == ["torch"]
    w = R(9, 10).sol()
    operations.is_faster = lambda *sides: [side() for side in sides] and True
    assert compiled() == {"aten::mm.out"} and list(kept.values()) == ["torch", "sol"]
    operations.is_faster = timed
    torch.sol.compile_operations("all")
    assert compiled() == {"aten::mm.out", "aten::add.out"}
    torch.sol.compile_operations(False)
    assert compiled() == set()
    with pytest.raises(ValueError, match="off, heavy, all"):
        torch.sol.compile_operations("some")


def check_numbers_that_change_are_not_compiled():
    torch.sol.compile_operations()
    x = R(5, 3)
    torch.sol.reset_compiled_operations()
    for i in range(20):
        torch.testing.assert_close((x.sol() * (i + 0.25)).cpu(), x * (i + 0.25))
    assert not any(torch.sol.compiled_operations().values())


def check_training():
    """Backward passes and optimizers go the same way."""
    torch.sol.compile_operations()
    torch.manual_seed(1)
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3))
    x, y, states = R(5, 2, 6, 6), torch.randint(0, 3, (5,)), {}
    start = {k: v.clone() for k, v in model.state_dict().items()}
    for device in ("cpu", "sol"):
        model.to("cpu").load_state_dict(start)
        model.to(device)
        optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        for _ in range(4):
            optimizer.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        states[device] = {k: v.cpu().clone() for k, v in model.state_dict().items()}
    for name, value in states["cpu"].items():
        torch.testing.assert_close(states["sol"][name], value, rtol=1e-4, atol=1e-5, msg=lambda text, n=name: f"{n}: {text}")
    assert torch.sol.compiled_operations().get("aten::convolution")


def check_launches_are_queued():
    """A call returns before its results are there, and later calls read them all the same; memory of dead tensors is used again safely."""
    torch.sol.compile_operations()
    x = R(64, 64)
    for _ in range(2):
        found, wanted = x.sol(), x
        for _ in range(30):
            found, wanted = found.sin() + found, wanted.sin() + wanted
        torch.testing.assert_close(found.cpu(), wanted, rtol=1e-4, atol=1e-4)
    stream = torch.sol.Stream()
    with torch.sol.stream(stream):
        y = x.sol().sin() + 1
    stream.synchronize()
    torch.testing.assert_close(y.cpu(), x.sin() + 1)


def check_an_index_that_is_out_of_range():
    torch.sol.compile_operations()
    table = R(5, 8).sol()
    for _ in range(2):
        F.embedding(torch.tensor([1, 2]).sol(), table)
    F.embedding(torch.tensor([1, 7]).sol(), table)
    with pytest.raises(RuntimeError, match="code 71"):
        torch.sol.synchronize()
    torch.testing.assert_close((table + 1).cpu(), table.cpu() + 1)


if __name__ == "__main__":
    run_checks(globals())
