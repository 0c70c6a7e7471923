"""Functions of PyTorch that Python calls, recorded as a graph: it computes the same, and what no graph holds is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from sol.frontend.torch.recorder import NotRecordableError, Recorder

HELD = [torch.rand(4, 4, requires_grad=True), torch.rand(4)]
WEIGHT, BIAS = HELD


def recorded(function: Callable[..., Sequence[torch.Tensor]], *arguments: torch.Tensor) -> Recorder:
    recorder = Recorder(HELD, {})
    recorder.record(function, arguments)
    return recorder


def views(x: torch.Tensor) -> Sequence[torch.Tensor]:
    first, *rest = x.chunk(2)
    values, places = x.max(1)
    return [first.T @ rest[0], x.mT.real + values, places, x[1:, None, ..., 0], torch.stack([a for a in x[:2]])]


def written(x: torch.Tensor) -> Sequence[torch.Tensor]:
    y = x.clone()
    y += 1
    y[0] = x[1] * 2
    y[:, 2:].mul_(2)
    with torch.no_grad():
        z = y * 3
    return [y, z, F.linear(x, WEIGHT, BIAS), 2 - x, 2**x, -x]


def made(x: torch.Tensor) -> Sequence[torch.Tensor]:
    size = x.shape[0] * x.size(1) + len(x) + x.dim() + x.numel()
    steps = torch.arange(4, dtype=x.dtype, device=x.device)
    rows = torch.tensor([[1.0, 2, 3, size]])
    return [steps + x.new_zeros(4), rows @ x, torch.cat([x, torch.ones_like(x)]), torch.einsum("ab,cb->ac", x, WEIGHT)]


def layers(x: torch.Tensor) -> Sequence[torch.Tensor]:
    y = F.batch_norm(F.conv1d(x[None], torch.ones(3, 4, 2)), None, None, training=True)
    z = F.layer_norm(x, (4,), BIAS) if x.is_floating_point() and x.requires_grad else x
    return [y, z, F.scaled_dot_product_attention(x[None], x[None], x[None]), torch.ops.aten.relu(x)]


@pytest.mark.parametrize("function", [views, written, made, layers], ids=lambda f: f.__name__)
def test_the_graph_computes_the_same(function: Callable[..., Sequence[torch.Tensor]]) -> None:
    x = torch.rand(4, 4, requires_grad=True)
    recorder = recorded(function, x)
    assert all(any(t is h for h in HELD) for t in recorder.inputs)
    found, wanted = recorder.module(x, *recorder.inputs), function(x)
    for a, b in zip(found, wanted):
        torch.testing.assert_close(a, b, rtol=0, atol=0)
        assert a.requires_grad == b.requires_grad
    if function is not views:
        total = [sum(t.sum() for t in some if t.requires_grad) for some in (found, wanted)]
        ours, theirs = (torch.autograd.grad(t, [x, WEIGHT], allow_unused=True) for t in total)  # type: ignore[arg-type]
        for a, b in zip(ours, theirs):
            assert a is b is None or torch.equal(a, b)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return gradients[0] * 3


class Unchanged(Doubled):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x


def swallowed(x: torch.Tensor) -> torch.Tensor:
    try:
        scale = float(x.sum())
    except Exception:
        scale = 1.0
    return x * scale


def under_autocast(x: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        return x @ x


def with_hooks(x: torch.Tensor) -> torch.Tensor:
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        return x.sin()


def hooked(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    y.register_hook(lambda g: g * 2)
    return y


OUTSIDE = torch.rand(4, 4)
REFUSED: dict[str, Callable[[torch.Tensor], Any]] = {
    "a number of the data": lambda x: x * float(x.sum()),
    "a branch on the data": lambda x: x.sin() if x.sum() > 0 else x,
    "an error that is caught": swallowed,
    "a size of the data": lambda x: x[x > 0].sin(),
    "gradients of its own": lambda x: Doubled.apply(x) + 1,
    "gradients of its own, nothing computed": lambda x: Unchanged.apply(x),
    "computed again": lambda x: checkpoint(torch.sin, x, use_reentrant=False),
    "computed again, the old way": lambda x: checkpoint(torch.sin, x, use_reentrant=True),
    "a transform": lambda x: torch.func.vmap(torch.sin)(x),
    "a gradient": lambda x: torch.autograd.grad(x.sin().sum(), x)[0],
    "autocast": under_autocast,
    "hooks for what is saved": with_hooks,
    "a hook of a tensor": hooked,
    "detached by data": lambda x: x.data * 2,
    "a tensor from elsewhere": lambda x: x + OUTSIDE,
    "an array": lambda x: x + torch.from_numpy(OUTSIDE.numpy()),
    "numbers in a text": lambda x: x * len(str(x)),
    "a generator": lambda x: x + torch.rand(4, generator=torch.Generator()),
    "the input itself": lambda x: x,
    "a parameter itself": lambda x: WEIGHT,
    "needs a gradient from now on": lambda x: (x.detach().sin()).requires_grad_() * 2,
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_no_graph_holds_is_refused(what: str) -> None:
    before = [t.clone() for t in HELD]
    with pytest.raises(Exception) as caught:
        recorded(lambda x: [REFUSED[what](x)], torch.rand(4, 4, requires_grad=True))
    assert isinstance(caught.value, NotRecordableError) or "fake" in type(caught.value).__module__, caught.value
    assert all(map(torch.equal, HELD, before)) and torch.is_grad_enabled()


def test_what_happens_out_of_sight_is_refused() -> None:
    """Extensions in C++ call operations that no function of Python stands for."""

    def hidden(x: torch.Tensor) -> Sequence[torch.Tensor]:
        with torch._C.DisableTorchFunction():
            x.mul_(2)
        return [x.sin()]

    with pytest.raises(NotRecordableError, match="out of sight"):
        recorded(hidden, torch.rand(4, 4))


def test_layers_and_lines_are_noted() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
    recorder = Recorder(list(model.parameters()), {id(m): path for path, m in model.named_modules()})
    recorder.record(lambda x: [model(x)], [torch.rand(2, 4)])
    nodes = [n for n in recorder.module.graph.nodes if n.op.startswith("call_")]
    assert [next(iter(n.meta["nn_module_stack"].values()))[0] for n in nodes] == ["0", "1"]
    assert all("in forward" in n.meta["stack_trace"] for n in nodes)
