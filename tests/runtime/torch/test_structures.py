"""Whatever a model takes and returns comes in and out as it does in torch."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import nn

import sol
from tests.runtime.models import Lambda, close

A, B = torch.arange(6.0).reshape(2, 3) - 2, torch.rand(2, 3)
INTEGERS = torch.arange(-3, 3)
Point = namedtuple("Point", "x y")


@dataclass
class Result:
    value: torch.Tensor
    extra: Any = None


@dataclass
class Batch:
    a: torch.Tensor
    b: torch.Tensor


CASES = {
    "several in and out": (lambda a, b: (a + b, a * b), (A, B)),
    "list": (lambda a: [a + 1, a + 2], (A,)),
    "nested": (lambda a: ({"x": [a + 1, (a + 2,)]}, a * 3), (A,)),
    "nested inputs": (lambda x: x[0] + x[1][0], ([A, (B,)],)),
    "dict input": (lambda d: d["p"] - d["q"], ({"p": A, "q": B},)),
    "parts that data decide": (lambda a, at: torch.tensor_split(a, at, 1), (A, torch.tensor([1, 2]))),
    "such parts beside others": (lambda a, at: (a + 1, torch.tensor_split(a.t(), at), a.unbind()), (A, torch.tensor([0, 1, 2]))),
    "parts of listed sizes": (lambda a, sizes: (a.flatten().split(sizes.tolist()), a * 2), (A, torch.tensor([1, 2, 3]))),
    "constants in the result": (lambda a: (a * 2, None, 3, 2.5, True), (A,)),
    "named tuple": (lambda p: Point(p.x + 1, p.y), (Point(A, B),)),
    "ordered dict": (lambda a: OrderedDict(z=a + 1, b=a + 2), (A,)),
    "dataclass out": (lambda a: Result(a + 1), (A,)),
    "dataclass in": (lambda d: Result(d.a * d.b, d.a + 1), (Batch(A, B),)),
    "None in": (lambda a, b: a + 1 if b is None else a + b, (A, None)),
    "numbers in": (lambda a, k, f: a * k + f, (A, 3, 0.5)),
    "text and flag in": (lambda a, how, flag: a.sum() if how == "sum" and flag else a, (A, "sum", True)),
    "0-d in and out": (lambda a: a * 2 + 1, (torch.tensor(3.0),)),
    "0-d out": (lambda a: a.sum(), (A,)),
    "integers": (lambda i: (i + 1, i // 2, i * i, -i, i.sum(), i.argmax()), (INTEGERS,)),
    "booleans": (lambda i: (i > 0, (i > 0) & ~(i > 1), (i > 0).any()), (INTEGERS,)),
    "int32": (lambda i: i * 3 - 1, (INTEGERS.int(),)),
    "float64": (lambda a: torch.sin(a) * 2, (A.double(),)),
    "unused input": (lambda a, b: a * 2, (A, B)),
    "nothing": (lambda a: (), (A,)),
    "no inputs": (lambda: torch.ones(3) * 2, ()),
    "constant tensor": (lambda a: (a + 1, torch.ones(2)), (A,)),
    "view of an input": (lambda a: (a.view(-1), a.t(), a[1:]), (A,)),
}


@pytest.mark.parametrize("name", CASES)
def test_in_and_out(name: str) -> None:
    function, inputs = CASES[name]
    model = Lambda(function)
    fast = sol.optimize(model, list(inputs))
    with torch.no_grad():
        for _ in range(2):
            result, expected = fast(*inputs), model(*inputs)
            assert type(result) is type(expected)
            if isinstance(result, Result):
                result, expected = vars(result), vars(expected)
            close(result, expected)
    assert len(fast._programs) == 1


def test_keyword_arguments_in_any_order() -> None:
    fast = sol.optimize(Lambda(lambda x=None, y=None: x - y), {"x": A, "y": B})
    close(fast(y=B, x=A), A - B)
    assert len(fast._programs) == 1
    close(fast(A, y=B), A - B)
    close(fast(A, B), A - B)


def test_other_numbers_and_none_compile_again() -> None:
    model = Lambda(lambda x, k, m=None: x * k if m is None else x * k + m)
    fast = sol.optimize(model, [A, 2])
    for arguments in ((A, 2), (A, 3), (A, 3, B), (A, 2)):
        close(fast(*arguments), model(*arguments))
    assert len(fast._programs) == 3


def test_a_tensor_where_a_program_has_a_number() -> None:
    """The program for the number declines before it compares."""
    model = Lambda(lambda x, y=None: x + 1 if y is None else x - y)
    x = torch.rand(3)
    fast = sol.optimize(model, [x, 2])
    close(fast(x, torch.ones(3)), model(x, torch.ones(3)))


def test_integer_scalar_out_of_sizes() -> None:
    fast = sol.optimize(Lambda(lambda x: (x + 1, x.shape[0])), A)
    assert fast(A)[1] == 2 and type(fast(A)[1]) is int


def test_same_output_twice() -> None:
    def twice(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x * 2
        return y, y, x + 1

    first, second, third = sol.optimize(Lambda(twice), A)(A)
    assert first is second and third is not first
    close(first, A * 2)


def test_result_that_is_the_input() -> None:
    fast = sol.optimize(Lambda(lambda x: (x, x + 1)), A)
    x = A.clone()
    assert fast(x)[0] is x


def test_result_that_is_a_parameter() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.rand(3))

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return self.weight, self.weight * 2, x + self.weight

    model = Model().eval()
    fast = sol.optimize(model, A)
    with torch.no_grad():
        close(fast(A), model(A))
        derived = fast(A)[1]
        derived.zero_()  # the caller's own
        close(fast(A), model(A))
        model.weight.mul_(2)
        close(fast(A), model(A))
        assert fast(A)[0] is model.weight


def test_results_stay_valid() -> None:
    model = nn.Linear(3, 4).eval()
    fast = sol.optimize(model, A)
    with torch.no_grad():
        inputs = [torch.rand(2, 3) for _ in range(5)]
        results = [fast(x) for x in inputs]
        close(results, [model(x) for x in inputs])
        assert len({r.data_ptr() for r in results}) == 5


def add_one(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


@pytest.mark.parametrize("make", (lambda: torch.ones(4, 3), lambda: torch.ones(3, 4).t(), lambda: torch.ones(8, 6)[::2, ::2]))
def test_input_changed_in_place(make: Any) -> None:
    example = make()
    fast, x = sol.optimize(Lambda(add_one), example), make()
    assert torch.equal(example, make()), "compiling changed the example"
    with torch.no_grad():
        close(fast(x), torch.full((4, 3), 4.0))
    close(x, torch.full((4, 3), 2.0))


def test_input_changed_in_place_and_returned() -> None:
    fast, x = sol.optimize(Lambda(lambda x: x.add_(1)), A), torch.zeros(2, 3)
    with torch.no_grad():
        assert fast(x) is x
    close(x, torch.ones(2, 3))


def test_input_changed_in_place_that_is_given_twice() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x + y

    fast, x = sol.optimize(Lambda(function), [A, B]), torch.ones(2, 3)
    with torch.no_grad():
        close(fast(x, x), torch.full((2, 3), 4.0))


@pytest.mark.parametrize(
    "x",
    (torch.rand(4, 3).t(), torch.rand(1, 4).expand(3, 4), torch.rand(3).reshape(3, 1).expand(3, 4), torch.rand(6, 8)[::2, 1::2],
     torch.rand(13)[1:].view(3, 4)),
)  # fmt: skip
def test_strided_inputs(x: torch.Tensor) -> None:
    model = Lambda(lambda x: torch.tanh(x) + x.sum(0))
    fast = sol.optimize(model, torch.rand(3, 4))
    close(fast(x), model(x))
    assert len(fast._programs) == 1


def test_channels_last() -> None:
    model, x = nn.Conv2d(3, 4, 3).eval(), torch.rand(2, 3, 8, 8).to(memory_format=torch.channels_last)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        close(fast(x), model(x))
        close(fast(x.contiguous()), model(x))
        model.to(memory_format=torch.channels_last)
        close(fast(x), model(x))


@pytest.mark.parametrize(
    ("model", "shape"), ((nn.Linear(4, 3), (0, 4)), (nn.Conv2d(3, 4, 3), (0, 3, 8, 8)), (Lambda(lambda x: x.sum(1)), (0, 5)))
)
def test_empty_batch(model: nn.Module, shape: tuple[int, ...]) -> None:
    model.eval()
    fast = sol.optimize(model, torch.rand(2, *shape[1:]))
    with torch.no_grad():
        assert fast(torch.rand(shape)).shape == model(torch.rand(shape)).shape


def test_nan_and_inf() -> None:
    x = torch.tensor([[float("nan"), 1, 2], [float("inf"), 1, -2], [-float("inf"), 0, 1], [1, 2, 3]])
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Softmax(-1)).eval()
    with torch.no_grad():
        close(sol.optimize(model, x)(x), model(x))
        other = Lambda(lambda x: (x.amax(1), x.clamp(0, 1), torch.maximum(x, x * 2), x.mean()))
        close(sol.optimize(other, x)(x), other(x))
