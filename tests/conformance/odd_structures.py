"""Odd networks by structure: inputs and results of all kinds, state, branches, loops, views, types, sizes of zero and one."""

from __future__ import annotations

import math
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.conformance.odd_networks import ids, linear, odd, odd_module

Box = namedtuple("Box", "centre size")


@dataclass
class Scores:
    """A result as a data class."""

    logits: torch.Tensor
    loss: torch.Tensor | None = None


@odd((2, 4), layer=linear(4, 4))
def nested_results(m, x):
    y = m.layer(x)
    return {"a": [y, (y + 1, {"b": y.sum()})], "c": Box(y.mean(0), y.std(0))}, None, 3


@odd((2, 4), layer=linear(4, 3))
def result_of_a_class(m, x):
    return Scores(m.layer(x))


@odd((2, 4), layer=linear(4, 3))
def ordered_result(m, x):
    return OrderedDict(z=m.layer(x), a=x.sum(), m=[x])


@odd((3, 4), layer=linear(4, 4))
def same_result_twice(m, x):
    y = m.layer(x)
    return y, y, x, y.view(4, 3), y.T


@odd((3, 4))
def nothing_computed(m, x):
    return x


@odd((3, 4), constant=lambda: torch.arange(6.0))
def result_without_inputs(m, x):
    return m.constant * 2, torch.ones(3), torch.eye(2)


@odd(lambda: [torch.randn(2, 3), torch.randn(2, 3)], lambda: {"w": torch.randn(3), "deep": {"b": torch.randn(2)}})
def inputs_in_containers(m, xs, options):
    return sum(xs) * options["w"] + options["deep"]["b"][:, None]


@odd((2, 3), lambda: 2, lambda: 0.5, lambda: True, lambda: "mean", lambda: None)
def inputs_of_python(m, x, power, scale, flag, how, nothing):
    y = x.abs() ** power * scale
    return (y.mean(-1) if how == "mean" else y.sum(-1)) if flag and nothing is None else y


@odd((4,), layer=linear(4, 4))
def no_batch(m, x):
    return m.layer(x).softmax(0)


@odd(lambda: torch.tensor(2.5))
def scalars_only(m, x):
    return x * x + 1, x.sqrt(), x > 2


@odd((2, 0, 4), layer=linear(4, 3))
def empty_sequences(m, x):
    return m.layer(x), x.sum(1), torch.cat((x, torch.ones(2, 1, 4)), 1)


@odd((1, 1, 1, 1, 1, 1, 2))
def many_dimensions(m, x):
    return x.permute(6, 0, 1, 2, 3, 4, 5).squeeze() + x.flatten()


@odd((6, 4))
def views_of_views(m, x):
    y = x.view(2, 3, 4).transpose(0, 1)[1:, :, ::2]
    return y.reshape(-1) + y.transpose(1, 2).reshape(-1), x.as_strided((3, 3), (4, 1), 5), x.diagonal()


@odd((4, 6))
def changed_in_place(m, x):
    y = x.clone()
    y[1:3, ::2] = 7
    y[:, -1].mul_(2)
    y.masked_fill_(y < -1, 0).add_(x)
    return y


@odd((4, 4))
def input_changed(m, x):
    x.relu_()
    return x + 1


@odd((3, 5))
def indices_of_all_kinds(m, x):
    rows = torch.tensor([2, 0, 2])
    return x[rows], x[rows, [1, 3, 4]], x[..., -1], x[None, :, None], x[1, 2:], x[x[:, 0] * 0 == 0]


@odd((5,))
def sizes_by_data(m, x):
    kept = x[x > 0]
    return kept * 2, torch.nonzero(x < 0).flatten()


@odd((8, 4), layer=linear(4, 4))
def branch_on_data(m, x):
    y = m.layer(x)
    return torch.tanh(y) if y.mean() > 0 else torch.relu(y)


@odd((2, 4), layer=linear(4, 4))
def loop_on_data(m, x):
    steps = 0
    while x.abs().max() > 0.5 and steps < 6:
        x = torch.tanh(m.layer(x)) * 0.7
        steps += 1
    return x, steps


@odd((2, 4), layer=linear(4, 4))
def number_of_a_tensor(m, x):
    scale = float(m.layer(x).abs().max())
    return x / scale, math.floor(scale)


@odd((2, 4), layer=linear(4, 4))
def branch_on_size(m, x):
    return m.layer(x) if x.shape[0] % 2 == 0 else -x


@odd((3, 4), count=lambda: torch.zeros((), dtype=torch.long), mean=lambda: torch.zeros(4))
def remembered_statistics(m, x):
    m.count += 1
    m.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
    return (x - m.mean) / m.count


@odd((2, 4), layer=linear(4, 4))
def half_precision_inside(m, x):
    return F.linear(x.half(), m.layer.weight.half()).float() + F.linear(x.bfloat16(), m.layer.weight.bfloat16()).float()


@odd((2, 4), layer=linear(4, 4))
def mixed_precision(m, x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return m.layer(x).float()


@odd(lambda: torch.randn(3, 4, dtype=torch.float64), layer=lambda: nn.Linear(4, 4, dtype=torch.float64))
def double_precision(m, x):
    return m.layer(x).erf()


@odd(lambda: torch.randn(2, 3, dtype=torch.complex64), weight=lambda: torch.randn(3, 3, dtype=torch.complex64))
def complex_numbers(m, z):
    y = z @ m.weight
    return y.abs(), y.angle(), torch.view_as_real(y * y.conj())


@odd(lambda: torch.randint(0, 255, (1, 3, 8, 8), dtype=torch.uint8))
def pictures_as_bytes(m, x):
    y = x.float().div(255).sub(0.5).div(0.25)
    return y, (y * 64 + 128).clamp(0, 255).to(torch.uint8)


@odd(ids(4, 4, most=1000), ids(4, 4, most=7))
def whole_numbers(m, a, b):
    b = b + 1
    return a // b, a % b, a << 2, a ^ b, ~a, torch.gcd(a, b), (a - 500) // b, torch.remainder(500 - a, b), a.pow(2), a / b


@odd(lambda: torch.rand(3, 4) > 0.5, lambda: torch.rand(3, 4) > 0.5)
def truth_values(m, a, b):
    return a & ~b, a | b, a ^ b, a.all(-1), b.any(0), a.sum(), a.float().mean(), torch.logical_xor(a, b).int()


@odd(lambda: torch.randn(4, 5).t())
def transposed_input(m, x):
    return x + 1, x.contiguous().view(-1), x.sum(0)


@odd(lambda: torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last), conv=lambda: nn.Conv2d(3, 4, 3))
def channels_last_input(m, x):
    return m.conv(x), x * 2


@odd(lambda: torch.randn(1, 4).expand(3, 4))
def expanded_input(m, x):
    return x.cumsum(0), x * torch.arange(3.0)[:, None]


@odd(lambda: torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan")]))
def special_numbers(m, x):
    return x.exp(), x.sqrt(), 1 / x, x.clamp(-2, 2), x.isnan(), torch.nan_to_num(x), x.sign(), x.relu(), x.max(), torch.fmax(x, x * 0)


@odd((2, 4), layer=linear(4, 4))
def list_comprehension_of_steps(m, x):
    return [m.layer(x) * i for i in range(4) if i != 2]


@odd((2, 8), layers=lambda: nn.ModuleDict({"relu": nn.ReLU(), "out": nn.Linear(8, 2), "in": nn.Linear(8, 8)}))
def layers_by_name(m, x):
    for name in ("in", "relu", "out"):
        x = m.layers[name](x)
    return x


@odd((2, 4), weights=lambda: nn.ParameterList([nn.Parameter(torch.randn(4, 4)) for _ in range(3)]))
def parameters_in_a_list(m, x):
    for w in m.weights:
        x = torch.tanh(x @ w)
    return x


@odd((3, 4), layer=linear(4, 4))
def gradient_inside(m, x):
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        energy = m.layer(y).square().sum()
        return x - 0.1 * torch.autograd.grad(energy, y)[0]


@odd((3, 4), layer=linear(4, 4))
def vectorized_function(m, x):
    return torch.vmap(lambda row: torch.outer(row, m.layer(row)).sum(0))(x)


@odd((3, 4), layer=linear(4, 4))
def derivative_of_a_function(m, x):
    return torch.func.vmap(torch.func.jacrev(lambda row: torch.sin(m.layer(row))))(x)


@odd((2, 4), layer=linear(4, 4))
def with_hooks(m, x):
    seen = []
    handle = m.layer.register_forward_hook(lambda module, args, out: seen.append(out.sum()) or out * 2)
    y = m.layer(x)
    handle.remove()
    return y, seen


@odd((2, 4), layer=linear(4, 4))
def checkpointed(m, x):
    return torch.utils.checkpoint.checkpoint(lambda v: m.layer(v).relu(), x, use_reentrant=False)


@odd((2, 6))
def strings_choose(m, x):
    table = {"relu": F.relu, "gelu": F.gelu, "tanh": torch.tanh}
    return {name: function(x) for name, function in sorted(table.items())}


@odd((2, 6))
def noise_is_added(m, x):
    return x + 0.1 * torch.randn_like(x), F.dropout(x, 0.5, training=False)


@odd((4, 6), layer=linear(6, 2))
def cut_from_the_graph(m, x):
    with torch.no_grad():
        y = m.layer(x)
    return y.detach().cpu().to(torch.float32).contiguous().requires_grad_(False)


@odd((2, 3), (2, 3), layer=linear(3, 3))
def swapped_arguments(m, a, b):
    def inner(x, *rest, scale=1.0, **more):
        return m.layer(x) * scale + sum(rest) + more["extra"]

    return inner(b, a, 1.0, scale=2.0, extra=a.mean())


@odd_module((2, 4))
class Counting(nn.Module):
    """Behaves differently at each call."""

    def __init__(self):
        super().__init__()
        self.layer, self.calls = nn.Linear(4, 4), 0

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, int]:
        self.calls += 1
        return self.layer(x), self.calls


@odd_module((2, 4))
class Recursive(nn.Module):
    """A module that calls itself."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, depth: int = 3) -> torch.Tensor:
        return x if depth == 0 else self.forward(torch.relu(self.layer(x)), depth - 1) + x


@odd_module((2, 4))
class TreeOfModules(nn.Module):
    """A binary tree whose leaves are linear layers."""

    def __init__(self, depth: int = 3):
        super().__init__()
        self.depth = depth
        if depth:
            self.gate = nn.Linear(4, 1)
            self.left, self.right = TreeOfModules(depth - 1), TreeOfModules(depth - 1)
        else:
            self.leaf = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.depth:
            return self.leaf(x)
        share = torch.sigmoid(self.gate(x))
        return share * self.left(x) + (1 - share) * self.right(x)


@odd_module((2, 4))
class SubclassOfSequential(nn.Sequential):
    """A sequence that returns all its steps."""

    def __init__(self):
        super().__init__(nn.Linear(4, 6), nn.GELU(), nn.LayerNorm(6), nn.Linear(6, 2))

    def forward(self, x: torch.Tensor) -> list[Any]:
        steps = []
        for layer in self:
            x = layer(x)
            steps.append(x)
        return steps


@odd_module((1, 4, 8, 8))
class OwnFunction(nn.Module):
    """An operation with a derivative of its own."""

    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.round()

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            return g

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.Round.apply(self.conv(x) * 4) / 4


@odd_module((2, 4))
class Scripted(nn.Module):
    """A part of it is TorchScript."""

    def __init__(self):
        super().__init__()
        self.traced = torch.jit.trace(nn.Sequential(nn.Linear(4, 4), nn.ReLU()).eval(), torch.zeros(2, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.traced(x) + 1
