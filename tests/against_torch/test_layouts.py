"""What depends on the strides of a call's tensors: results, what shares memory with what, and the order of random numbers."""

from __future__ import annotations

import copy

import pytest
import torch

import sol
from tests.against_torch.support import Table, differs

CASES = {
    "contiguous, flat": lambda x: x.contiguous().view(-1),
    "contiguous": lambda x: x.contiguous(),
    "reshaped": lambda x: x.reshape(-1),
    "flattened view": lambda x: x.t().flatten(),
    "asked": lambda x: x * 2 if x.is_contiguous() else x * 3,
    "asked of a result": lambda x: (x + 1).as_strided((3,), (x + 1).stride()[:1]),
    "asked the start": lambda x: x + x[1:].stride(0),
    "scattered by places": lambda x: torch.as_strided_scatter(x * 2, x.new_zeros(3), (3,), (2,), 1),
    "input scattered by places": lambda x: torch.as_strided_scatter(x, x.new_zeros(3), (3,), (2,)),
    "view scattered by places": lambda x: torch.as_strided_scatter((x * 2).t(), x.new_zeros(3), (3,), (2,), 1),
    "view of an input by places": lambda x: x.t()[1:].as_strided((2, 2), (1, 2)) * 1,
    "part by places": lambda x: (x * 2).split(1)[1].as_strided((2,), (1,)),
}
WRITES = {
    "filled by places": lambda x: _filled(x * 2),
    "written copy": lambda x: _written(x * 2, torch.Tensor.contiguous),
    "written reshape": lambda x: _written(x * 2, lambda y: y.reshape(-1)),
}
INPUTS = {
    "plain": lambda: torch.randn(4, 3),
    "transposed": lambda: torch.randn(3, 4).t(),
    "columns": lambda: torch.randn(4, 6)[:, ::2],
    "rows": lambda: torch.randn(9, 3)[1::2],
    "expanded": lambda: torch.randn(4, 1).expand(4, 3),
}


def _filled(y):
    y.as_strided((3,), (2,)).fill_(7.0)
    return y + 0


def _written(y, view):
    z = view(y)
    y.mul_(2)
    return z + 0


EXAMPLES = [pytest.param(name, marks=() if name in ("plain", "transposed") else pytest.mark.conformance) for name in INPUTS]


@pytest.mark.parametrize("example", EXAMPLES)
def test_calls_with_other_strides_than_the_example(example):
    """Whatever it was compiled for, each call gives what torch gives for the strides that its tensors have."""
    cases = {**CASES, **WRITES}
    with torch.no_grad():
        for name, function in cases.items():
            if "places" in name and example in ("columns", "expanded") and name != "filled by places":
                continue  # too little memory lies behind these views
            fast = sol.optimize(Table([function]).eval(), [INPUTS[example]()], fallback="eager")
            for kind, make in INPUTS.items():
                x = make()
                try:
                    expected = function(x)
                except RuntimeError:  # torch finds too little memory behind the tensor
                    continue
                got = fast(x)[0]
                assert not (text := differs(got, expected)), f"{name}, {kind}: {text}"
                assert _shares(got, x) == _shares(expected, x), f"{name}, {kind}: shared memory"


def _shares(a, b):
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def test_layouts_of_open_sizes():
    """A size that changes stays open beside strides that matter."""
    model = Table([CASES["contiguous, flat"]]).eval()
    fast = sol.optimize(model, [torch.randn(4, 3)], dynamic_shapes={"args": ({0: torch.export.Dim.DYNAMIC},)})
    for x in (torch.randn(5, 3), torch.randn(3, 5).t(), torch.randn(3, 6).t(), torch.randn(7, 3)):
        assert torch.equal(fast(x)[0], x.contiguous().view(-1))


@pytest.mark.parametrize("draw", ["rand_like", "randn_like", "bernoulli"])
def test_random_numbers_follow_memory(draw):
    """Tensors like a transposed one get their random numbers in the order of memory."""
    function = {"rand_like": torch.rand_like, "randn_like": torch.randn_like, "bernoulli": lambda y: torch.bernoulli(y.sigmoid())}[draw]
    for x in (torch.randn(4, 3), torch.randn(3, 4).t()):
        model = Table([lambda x: function(x * 2) + x])
        fast = sol.optimize(model.eval(), [torch.randn(4, 3)])
        torch.manual_seed(1)
        expected = model(x)
        torch.manual_seed(1)
        assert torch.allclose(fast(x)[0], expected[0])


def _seeded(x):
    torch.manual_seed(3)
    return x @ torch.randn(3, 5)


def _forked(x):
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return x @ torch.randn(3, 5)


def _generator(x):
    return x @ torch.randn(3, 5, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("function", [_seeded, _forked, _generator])
def test_seeds_inside_of_the_model(function):
    """A model that seeds random numbers draws the same ones at every call, and leaves the generator as torch would."""
    x = torch.randn(4, 3)
    before = torch.get_rng_state()
    fast = sol.optimize(Table([function]).eval(), [x], fallback="eager")
    assert torch.equal(torch.get_rng_state(), before)
    for seed in (1, 2):
        torch.manual_seed(seed)
        expected, left = function(copy.deepcopy(x)), torch.get_rng_state()
        torch.manual_seed(seed)
        assert torch.allclose(fast(x)[0], expected, atol=1e-5)
        assert torch.equal(torch.get_rng_state(), left)
