"""Modules as people write them, off the beaten track: a table of what each is called with, so that results, side effects and the caller's
own tensors can be compared with eager torch call by call."""

from __future__ import annotations

import functools
import random
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

Point = namedtuple("Point", "x y")


@dataclass
class Batch:
    """What a model may take or give."""

    values: torch.Tensor
    mask: torch.Tensor | None = None
    notes: dict[str, Any] = field(default_factory=dict)


class Cache:
    """An object that a model fills, as caches of keys and values are."""

    def __init__(self) -> None:
        self.layers: list[torch.Tensor] = []
        self.filled = False

    def add(self, key: torch.Tensor) -> torch.Tensor:
        if self.filled:
            self.layers[0] = torch.cat((self.layers[0], key), 1)
        else:
            self.layers.append(key)
        self.filled = True
        return self.layers[0]


def f(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


class Fn(nn.Module):
    """A function as a module with a linear layer at hand."""

    def __init__(self, function: Callable[..., Any], width: int = 4) -> None:
        super().__init__()
        self.function, self.linear = function, nn.Linear(width, width)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(self, *args, **kwargs)


def fn(function: Callable[..., Any]) -> Callable[[], nn.Module]:
    return lambda: Fn(function)


# -- Python control flow and state ---------------------------------------------------------------------------------------


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return torch.tanh(x) * self.calls


class History(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[float] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.append(x.shape[0])
        return x * len(self.seen)


class Remembers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x) if self.last is None else torch.relu(x) + self.last
        self.last = y
        return y


class LazyTable(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.table is None or self.table.shape[0] < x.shape[0]:
            self.table = torch.arange(x.shape[0]).float()
        return x + self.table[: x.shape[0], None]


class EarlyExit(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.tanh(layer(x))
            if x.abs().max() < 0.5:
                break
        return x


class Loop(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        while x.norm() > 1:
            x = x / 2
        return x.sin()


class Draws(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * (1 + random.Random(3).random()) + (0 if random.random() > 2 else 1)


class Registry(nn.Module):
    calls: dict[str, int] = defaultdict(int)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls["forward"] += 1
        return x.exp()


def hooked() -> nn.Module:
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    features: dict[str, torch.Tensor] = {}
    net[1].register_forward_hook(lambda m, a, y: features.__setitem__("relu", y))
    net.features = features
    return net


# -- buffers -------------------------------------------------------------------------------------------------------------


class Buffers(nn.Module):
    """how: what forward does to its buffer."""

    def __init__(self, how: Callable[[Any, torch.Tensor], Any]) -> None:
        super().__init__()
        self.register_buffer("state", torch.zeros(4))
        self.weight = nn.Parameter(f(4))
        self.how = how

    def forward(self, x: torch.Tensor) -> Any:
        return self.how(self, x)


def buffers(how: Callable[[Any, torch.Tensor], Any]) -> Callable[[], nn.Module]:
    return lambda: Buffers(how)


def in_place(m: Any, x: torch.Tensor) -> torch.Tensor:
    m.state.add_(x.mean(0))
    return x + m.state


def exchanged(m: Any, x: torch.Tensor) -> torch.Tensor:
    m.state = 0.9 * m.state + x.mean(0)
    return m.state


def exchanged_by_input(m: Any, x: torch.Tensor) -> torch.Tensor:
    before = m.state * 1
    m.state = x[0]
    return before


def sliced(m: Any, x: torch.Tensor) -> torch.Tensor:
    m.state[1:3] += x[0, 1:3]
    return m.state * m.weight


def ring(m: Any, x: torch.Tensor) -> torch.Tensor:
    m.state.copy_(torch.roll(m.state, 1))
    m.state[0] = x.sum()
    return m.state.clone()


class PlainTensor(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.ones(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.scale.mul_(2)
        return x * self.scale[0]


# -- structures ----------------------------------------------------------------------------------------------------------


def fills_cache(m: Any, x: torch.Tensor, cache: Cache) -> Any:
    joined = cache.add(m.linear(x))
    return joined.sum(1), cache


def changes_dict(m: Any, table: dict[str, torch.Tensor]) -> torch.Tensor:
    table["y"] = m.linear(table["x"])
    return table["y"] + 1


def changes_list(m: Any, parts: list[torch.Tensor]) -> int:
    parts.append(m.linear(parts[0]))
    return len(parts)


# -- torch's own corners --------------------------------------------------------------------------------------------------


class Fourier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.filter = nn.Parameter(torch.view_as_complex(f(5, 2)))
        self.linear = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.linear(torch.fft.irfft(torch.fft.rfft(x) * self.filter, n=8)))


class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.round()

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return g


class Packed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(4, 5, batch_first=True)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(self.rnn(packed)[0], batch_first=True)[0]


def transformer() -> nn.Module:
    return nn.Transformer(16, 2, 1, 1, 32, batch_first=True)


def traced() -> nn.Module:
    return torch.jit.trace(nn.Sequential(nn.Linear(4, 4), nn.ReLU()).eval(), f(2, 4))


class Scripted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
        self.outer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.outer(self.inner(x))


def gradient_inside(m: Any, x: torch.Tensor) -> torch.Tensor:
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        (g,) = torch.autograd.grad(m.linear(x).square().sum(), x)
    return x - 0.1 * g


def energy(m: Any, x: torch.Tensor) -> torch.Tensor:
    return x - 0.1 * torch.func.grad(lambda v: m.linear(v).square().sum())(x)


def sorts(m: Any, x: torch.Tensor) -> torch.Tensor:
    return m.linear(x)[x[:, 0].argsort()]


def checks(m: Any, x: torch.Tensor) -> torch.Tensor:
    if torch.isnan(x).any():
        raise ValueError("there are NaN")
    return m.linear(x)


def swallows(m: Any, x: torch.Tensor) -> torch.Tensor:
    try:
        return m.linear(x[:, :3])
    except RuntimeError:
        return m.linear(x) * 2


def autocasts(m: Any, x: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        y = m.linear(x)
    return y.float() + 1


def through_numpy(m: Any, x: torch.Tensor) -> torch.Tensor:
    return m.linear(torch.from_numpy(np.cumsum(x.numpy(), 1)))


def quantized(m: Any, x: torch.Tensor) -> torch.Tensor:
    return torch.relu(torch.quantize_per_tensor(x, 0.1, 10, torch.quint8).dequantize() * 2)


def of_numbers(m: Any, x: torch.Tensor, scale: float, power: int) -> torch.Tensor:
    return m.linear(x) * scale + (x * power).sin() / (scale + 1)


def cuts(m: Any, x: torch.Tensor, count: int) -> torch.Tensor:
    return m.linear(x)[:count] * count


@functools.cache
def _reshaped(x: int) -> int:
    return x * 2


def flexes(m: Any, x: torch.Tensor) -> torch.Tensor:
    return flex_attention(x, x, x, score_mod=lambda score, batch, head, row, column: score + (row - column) * 0.1).relu()


A, B = f(3, 4), f(3, 4, seed=1)
CASES: dict[str, tuple[Callable[[], Any], list[tuple[Any, ...]]]] = {
    "counter": (Counter, [(A,), (A,), (B,)]),
    "history": (History, [(A,), (B,), (A,)]),
    "remembers a tensor": (Remembers, [(A,), (B,), (A,)]),
    "fills a table at first": (LazyTable, [(A,), (B,), (f(5, 4),), (A,)]),
    "early exit": (EarlyExit, [(A,), (B * 0.01,), (A * 9,)]),
    "loop over data": (Loop, [(A,), (A * 100,), (A * 0.1,)]),
    "python's random numbers": (Draws, [(A,), (A,)]),
    "class attribute": (Registry, [(A,), (A,)]),
    "hook that keeps features": (hooked, [(A,), (B,)]),
    "branch on data": (fn(lambda m, x: m.linear(x) if x.sum() > 0 else m.linear(x).relu()), [(A,), (-A,), (B,)]),
    "branch on a number of the data": (fn(lambda m, x: m.linear(x) * (2 if x.max().item() > 1 else 3)), [(A,), (A * 0.1,)]),
    "branch on shape": (fn(lambda m, x: m.linear(x) if x.shape[0] % 2 else m.linear(x).exp()), [(f(n, 4),) for n in (2, 3, 4, 5, 6)]),
    "raises on data": (fn(checks), [(A,), (A * float("nan"),), (B,)]),
    "swallows an error": (fn(swallows), [(A,), (B,)]),
    "buffer in place": (buffers(in_place), [(A,), (B,), (A,)]),
    "buffer exchanged": (buffers(exchanged), [(A,), (B,), (A,)]),
    "buffer becomes the input": (buffers(exchanged_by_input), [(A,), (B,), (A,)]),
    "buffer in slices": (buffers(sliced), [(A,), (B,)]),
    "ring buffer": (buffers(ring), [(A,), (B,), (A,)]),
    "returns a buffer": (buffers(lambda m, x: (m.state.add_(1), x * 2)), [(A,), (B,)]),
    "returns a view of a parameter": (buffers(lambda m, x: (m.weight[1:3], m.weight, x + m.weight)), [(A,), (B,)]),
    "plain tensor in place": (PlainTensor, [(A,), (B,), (A,)]),
    "returns its input": (fn(lambda m, x: x), [(A,), (B,)]),
    "returns views of its input": (fn(lambda m, x: (x.t(), x[1:], x.view(-1), x.unbind(1), x.expand(2, 3, 4))), [(A,), (B,)]),
    "returns views of a result": (fn(lambda m, x: (y := m.linear(x), y[0], y.t(), *y.chunk(2, 1))), [(A,), (B,)]),
    "changes its input and returns a view": (fn(lambda m, x: x.mul_(2)[1]), [(A,), (B,)]),
    "returns None": (fn(lambda m, x: None), [(A,)]),
    "returns constants": (fn(lambda m, x: {"n": 3, "t": "text", "x": x + 1, "none": None, "shape": x.shape}), [(A,), (f(5, 4),)]),
    "default dict": (fn(lambda m, d: defaultdict(list, y=[m.linear(d["x"])])), [({"x": A},), ({"x": B},)]),
    "ordered dict": (fn(lambda m, x: OrderedDict(b=m.linear(x), a=x + 1)), [(A,)]),
    "named tuple": (fn(lambda m, p: Point(m.linear(p.x), p.y)), [(Point(A, B),), (Point(B, A),)]),
    "dataclass": (fn(lambda m, b: Batch(m.linear(b.values), b.mask, {"n": 1})), [(Batch(A, None),), (Batch(B, A > 0),)]),
    "fills a cache": (fn(fills_cache), [(f(2, 3, 4), Cache()), (f(2, 3, 4, seed=1), Cache())]),
    "changes a dict": (fn(changes_dict), [({"x": A},), ({"x": B},)]),
    "changes a list": (fn(changes_list), [([A],), ([B],)]),
    "nested structures": (fn(lambda m, a: {"p": [a["q"][0] + 1, (m.linear(a["q"][1]["r"]),)]}), [({"q": [A, {"r": B}]},)]),
    "numbers": (fn(of_numbers), [(A, 0.5, 2), (A, 0.25, 2), (A, 1.5, 3), (B, -2.0, -4), (B, 3.0, 0)]),
    "a number cuts": (fn(cuts), [(A, 1), (A, 2), (A, 3), (B, 0)]),
    "a number decides": (fn(lambda m, x, k: m.linear(x) * k if k > 2 else x / k), [(A, 1), (A, 2), (A, 3), (A, 4), (A, 5)]),
    "text and flags": (fn(lambda m, x, how, flag=False: getattr(torch, how)(m.linear(x) if flag else x)), [(A, "sin"), (A, "cos", True)]),
    "numpy arrays": (fn(lambda m, x: m.linear(x) + 1), [(A.numpy(),), (B.numpy()[::-1],)]),
    "numpy inside": (fn(through_numpy), [(A,), (B,)]),
    "generator of parts": (fn(lambda m, x: sum(m.linear(r) for r in x.split(1))), [(A,), (B,)]),
    "lambda in a loop": (fn(lambda m, xs: [g(m.linear(x)) for g in (torch.sin, torch.cos) for x in xs]), [([A, B],), ([A],)]),
    "complex numbers": (Fourier, [(f(2, 8),), (f(2, 8, seed=1),)]),
    "spectrum": (fn(lambda m, x: torch.fft.rfft(x).abs() + 1), [(A,), (B,)]),
    "complex in and out": (fn(lambda m, x: (x * (1 + 2j), x.real + 1)), [(torch.complex(A, B),), (torch.complex(B, A),)]),
    "complex conjugate": (fn(lambda m, x: (x.conj().imag * 2, torch.view_as_real(x) + 1)), [(torch.complex(A, B),)]),
    "short spectra": (fn(lambda m, x: torch.stft(x.flatten(), 8, 4, window=torch.hann_window(8), return_complex=True).abs()), [(f(4, 8),)]),
    "autograd function": (fn(lambda m, x: Straight.apply(m.linear(x))), [(A,), (B,)]),
    "gradient inside": (fn(gradient_inside), [(A,), (B,)]),
    "torch.func.grad": (fn(energy), [(A,), (B,)]),
    "torch.vmap": (fn(lambda m, x: torch.vmap(lambda r: torch.sin(r) @ m.linear.weight)(x)), [(A,), (B,)]),
    "jacobian": (fn(lambda m, x: torch.func.jacrev(lambda r: m.linear(r).tanh())(x[0])), [(A,)]),
    "checkpoint": (fn(lambda m, x: torch.utils.checkpoint.checkpoint(m.linear, x, use_reentrant=False)), [(A,), (B,)]),
    "flex_attention": (fn(flexes), [(f(1, 2, 16, 16),), (f(1, 2, 16, 16, seed=1),)]),
    "packed sequence": (Packed, [(f(3, 6, 4), torch.tensor([6, 2, 4])), (f(3, 6, 4, seed=1), torch.tensor([1, 5, 6]))]),
    "transformer with masks": (transformer, [(f(2, 5, 16), f(2, 3, 16), None, nn.Transformer.generate_square_subsequent_mask(3))]),
    "lstm of many lengths": (lambda: nn.LSTM(4, 5, batch_first=True), [(f(2, n, 4),) for n in (3, 4, 5, 6, 7)]),
    "traced": (traced, [(A,), (f(5, 4),)]),
    "scripted inside": (Scripted, [(A,), (B,)]),
    "sorts": (fn(sorts), [(A,), (B,)]),
    "autocast": (fn(autocasts), [(A,), (B,)]),
    "sparse inside": (fn(lambda m, x: m.linear((x.relu().to_sparse() @ x.t()) @ x)), [(A,), (B,)]),
    "held by a sparse one": (fn(lambda m, x: (x.relu().to_sparse().coalesce().values() * 2).sum()), [(A,), (B,)]),
    "sizes of the data": (fn(lambda m, x: m.linear(x[x[:, 0] > 0]).sum(0)), [(A,), (B,), (A.abs(),)]),
    "unique values": (fn(lambda m, x: (x > 0).long().flatten().unique() + 1), [(A,), (A.abs(),)]),
    "quantized": (fn(quantized), [(A,), (B,)]),
    "dropout that stays on": (fn(lambda m, x: F.dropout(x, 0.0, True)), [(A,)]),
    "channels last": (lambda: nn.Conv2d(3, 4, 3), [(f(2, 3, 6, 6).to(memory_format=torch.channels_last),), (f(2, 3, 6, 6),)]),
    "transposed result": (fn(lambda m, x: (m.linear(x).t() * 2).relu()), [(A,), (B,)]),
    "sparse input": (lambda: nn.Linear(4, 4), [(A,), (A.to_sparse(),)]),
    "other dtypes": (fn(lambda m, x: (x * 2).sum(0)), [(A,), (A.double(),), (A.long(),), (A.bfloat16(),), (A > 0,)]),
    "negative bit": (fn(lambda m, x: m.linear(x)), [(torch.complex(B, A).conj().imag,)]),
    "same tensor twice": (fn(lambda m, x, y: x.add_(1) + y), [(A, B)]),
    "optional keyword": (fn(lambda m, x, bias=None: m.linear(x) if bias is None else m.linear(x) + bias), [(A,), (A, B)]),
    "empty batch": (fn(lambda m, x: m.linear(x).relu()), [(A,), (f(0, 4),), (f(1, 4),)]),
    "gumbel": (fn(lambda m, x: F.one_hot(m.linear(x).argmax(-1), 4).float() @ m.linear.weight), [(A,), (B,)]),
    "calls itself": (fn(lambda m, x: m(x[:1]) if x.shape[0] > 1 else m.linear(x)), [(A,), (B,)]),
    "assertion": (fn(lambda m, x: (torch._assert(x.shape[1] == 4, "width"), m.linear(x))[1]), [(A,), (f(3, 5),)]),
}
