"""Networks with weights of 8 and 4 bits as libraries: a C program gets what Python gets, from files that are as much smaller."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import sol
from sol.config import config
from tests.deploy.support import X86, call, program
from tests.toolchains import isas_by_default


def net() -> nn.Module:
    return nn.Sequential(nn.Linear(256, 544), nn.SiLU(), nn.Linear(544, 384), nn.LayerNorm(384)).eval()


@X86
@pytest.mark.parametrize("isa", isas_by_default())
@pytest.mark.parametrize("weights,rows", [("int8", 1), ("int4", 3), ("int4", 40)])
def test_a_c_program(isa: str, weights: str, rows: int, tmp_path: Path) -> None:
    model, x = net(), torch.randn(rows, 256)
    with config.override(isa=isa), torch.no_grad():
        fast = sol.optimize(model, [x], weights=weights, group=32)
        want = fast(x).numpy()
    made = sol.deploy(fast, [x], lib_name="Few", path=tmp_path, isa=isa)
    (got,) = call(program(made), [x.numpy()], [want])
    np.testing.assert_array_equal(got, want)


def test_files_are_as_much_smaller(tmp_path: Path) -> None:
    """A weight takes 8 or 4 bits, and three bytes a group."""
    model, x = net(), torch.randn(1, 256)
    numbers = 256 * 544 + 544 * 384
    sizes = {}
    for weights in (None, "int8", "int4"):
        fast = sol.optimize(model, [x], weights=weights, group=32)
        made = sol.deploy(fast, [x], lib_name="Few", path=tmp_path / str(weights), isa="generic", weights="file", target="source")
        sizes[weights] = (made.path / "Few.bin").stat().st_size
    for weights, size in (("int8", 1), ("int4", 0.5)):
        saved = sizes[None] - sizes[weights]
        assert saved == pytest.approx(numbers * (4 - size - 3 / 32), rel=0.01)
