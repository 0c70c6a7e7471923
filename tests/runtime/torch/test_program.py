"""New shapes compile again, dynamic ones do not; the number of programs says so."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import sol
from sol.config import config
from sol.runtime.torch.training import MOST_COMPILED
from tests.runtime.models import close, convnet, mlp

BATCH = torch.export.Dim("batch")


def test_new_shape_compiles_once() -> None:
    model = mlp()
    fast = sol.optimize(model, torch.rand(2, 4))
    with torch.no_grad():
        for batch in (1, 2, 3, 3, 2, 1):
            x = torch.rand(batch, 4)
            close(fast(x), model(x))
    assert len(fast._programs) == 3


def test_dynamic_shape_does_not_compile_again() -> None:
    model = mlp()
    fast = sol.optimize(model, torch.rand(2, 4), dynamic_shapes=({0: BATCH},))
    with torch.no_grad():
        for batch in (2, 3, 7, 64, 2):
            x = torch.rand(batch, 4)
            close(fast(x), model(x))
        assert len(fast._programs) == 1
        for batch in (1, 0):  # fixed by torch.export
            x = torch.rand(batch, 4)
            close(fast(x), model(x))
    assert len(fast._programs) == 3


def test_dynamic_image_size() -> None:
    model = convnet()
    height, width = torch.export.Dim("height", min=6, max=64), torch.export.Dim("width", min=6, max=64)
    fast = sol.optimize(model, torch.rand(2, 3, 12, 9), dynamic_shapes=({0: BATCH, 2: height, 3: width},))
    with torch.no_grad():
        for shape in ((2, 3, 12, 9), (3, 3, 17, 31), (2, 3, 6, 6), (5, 3, 40, 8)):
            x = torch.rand(shape)
            close(fast(x), model(x))
    assert len(fast._programs) == 1


def test_an_example_of_size_one_leaves_the_other_sizes_open(caplog: pytest.LogCaptureFixture) -> None:
    model = nn.Sequential(nn.Conv1d(4, 5, 3), nn.ReLU()).eval()
    fast = sol.optimize(model, torch.rand(1, 4, 20), dynamic_shapes=({0: BATCH, 2: torch.export.Dim("length", min=4)},))
    assert "batch = 1: this size is fixed in what is compiled" in caplog.text
    with torch.no_grad():
        for length in (20, 21, 30, 7):
            x = torch.rand(1, 4, length)
            close(fast(x), model(x))
        assert len(fast._programs) == 1
        for batch, length in ((3, 20), (2, 9), (5, 31)):
            x = torch.rand(batch, 4, length)
            close(fast(x), model(x))
    assert len(fast._programs) == 2


def test_dtype_compiles_again() -> None:
    model = nn.ReLU().eval()
    fast = sol.optimize(model, torch.rand(3) - 0.5)
    for dtype in (torch.float32, torch.float64, torch.int64, torch.float32):
        x = torch.tensor([-1, 0, 2]).to(dtype)
        assert fast(x).dtype is dtype and torch.equal(fast(x), model(x))
    assert len(fast._programs) == 3


def test_recompile_limit(caplog: pytest.LogCaptureFixture) -> None:
    fast = sol.optimize(nn.ReLU().eval(), torch.rand(1))
    with config.override(recompile_limit=2):
        for size in (1, 2, 3, 2, 4):
            assert fast(torch.ones(size)).shape == (size,)
    assert len(fast._programs) == 2 and "least recently used" in caplog.text


class Repeated(nn.Module):
    """A number that is a count of layers cannot stay open."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, times: int) -> torch.Tensor:
        for _ in range(times):
            x = self.layer(x).relu()
        return x


def test_what_is_compiled_for_in_vain_runs_in_torch(caplog: pytest.LogCaptureFixture) -> None:
    model = Repeated().eval()
    x = torch.rand(3, 4)
    fast, strict = (sol.optimize(model, [x, 1], fallback=way) for way in ("eager", "error"))
    with config.override(recompile_limit=2):
        for times in range(1, 8):
            close(fast(x, times), model(x, times))
            close(strict(x, times), model(x, times))
        assert fast._ways._made == 2 * MOST_COMPILED and "other kinds run in torch" in caplog.text and strict._ways._made == 7


def test_memory_of_many_dynamic_sizes_is_bounded() -> None:
    fast = sol.optimize(mlp(), torch.rand(2, 4), dynamic_shapes=({0: BATCH},))
    for batch in range(2, 60):
        fast(torch.rand(batch, 4))
    (executable,) = fast._programs[0].runner.executables
    assert len(executable._state[1]) <= 16
