"""Resampling in training: one operation in either pass, at the places where eager samples."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from sol.runtime.torch.differentiation import differentiated
from tests.training.steps import check_gradients, check_loss, graphs_of, in_torch, pair, step

CASES: dict[str, tuple[int, dict[str, Any]]] = {
    "nearest": (2, {"scale_factor": 2}),
    "nearest by 1.7": (2, {"scale_factor": 1.7}),
    "nearest of lines": (1, {"size": 23}),
    "nearest of volumes": (3, {"scale_factor": (2, 1, 1.5)}),
    "nearest exact": (2, {"size": (13, 50), "mode": "nearest-exact"}),
    "nearest exact by 2": (2, {"scale_factor": 2, "mode": "nearest-exact"}),
    "bilinear": (2, {"scale_factor": 2, "mode": "bilinear"}),
    "bilinear between corners": (2, {"size": (7, 31), "mode": "bilinear", "align_corners": True}),
    "linear": (1, {"scale_factor": 1.5, "mode": "linear"}),
    "trilinear": (3, {"size": (7, 4, 9), "mode": "trilinear"}),
    "bicubic": (2, {"scale_factor": 2, "mode": "bicubic"}),
    "antialiased": (2, {"size": (7, 9), "mode": "bilinear", "antialias": True}),
    "antialiased and cubic": (2, {"size": (17, 12), "mode": "bicubic", "antialias": True}),
}
CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)


class Resampled(nn.Module):
    """A convolution, what is resampled of it, and another convolution."""

    def __init__(self, dims: int, options: dict[str, Any]) -> None:
        super().__init__()
        self.first, self.last, self.options = CONVS[dims - 1](3, 17, 1), CONVS[dims - 1](17, 4, 3, padding=1), options

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(F.interpolate(F.relu(self.first(x)), **self.options) * 2)


@pytest.mark.budget(12)
@pytest.mark.parametrize("name", CASES)
def test_one_step(name: str) -> None:
    dims, options = CASES[name]
    inputs = (torch.randn(2, 3, *(5, 10, 12)[3 - dims :]),)
    fast, eager = pair(Resampled(dims, options), inputs)
    for _ in range(2):
        check_loss(step(fast, inputs), step(eager, inputs))
    check_gradients(fast, eager)
    assert in_torch(fast) == set()
    for graph in graphs_of(fast):
        ops = {n.op for n in graph.imported.graph.nodes}
        assert "resample" in ops and not ops & {"take", "pick", "scatter", "index_put"}


def test_what_is_not_a_number_goes_where_it_came_from() -> None:
    class Fewer(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.interpolate(x * 2, size=(3, 5))

    x, grads = torch.randn(2, 17, 7, 12), []
    fast, eager = pair(Fewer(), (x,))
    for model in (eager, fast):
        given = x.clone().requires_grad_()
        y = model(given)
        of_result = torch.ones_like(y)
        of_result[:, :, 0, 0], of_result[0, 1, 2, 4] = torch.nan, torch.inf
        y.backward(of_result)
        grads.append(given.grad)
    torch.testing.assert_close(grads[1], grads[0], equal_nan=True)
    assert in_torch(fast) == set()


def test_float64_is_left_to_torch() -> None:
    fast, eager = pair(Resampled(2, {"scale_factor": 2}).double(), (torch.randn(2, 3, 5, 6, dtype=torch.float64),))
    inputs = (torch.randn(2, 3, 5, 6, dtype=torch.float64),)
    check_loss(step(fast, inputs), step(eager, inputs))
    check_gradients(fast, eager)


def test_torch_has_its_decompositions_afterwards() -> None:
    class Pass(Resampled):
        def forward(self, x: torch.Tensor) -> Any:
            return (super().forward(x),)

    operation = torch.ops.aten.upsample_nearest2d.default
    before = dict(operation.py_kernels)
    x = torch.randn(1, 3, 2, 2)
    with pytest.raises(ZeroDivisionError):
        differentiated(torch.fx.symbolic_trace(Pass(2, {"scale_factor": 2})), [x], lambda *_: 1 / 0, lambda *_: None)  # type: ignore[arg-type, return-value]
    assert operation.py_kernels == before and before
