"""Indices out of range in a C program: the call fails and says where, unless it was made not to look."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch
from torch import nn

import sol
from sol.deploy.api import deploy
from tests.deploy.support import WARNINGS

PROGRAM = Path(__file__).parent / "indices.c"
ROWS, WIDTH = 5, 17


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("target", ["shared_lib", "static_lib"])
def test_indices_out_of_range(checked: bool, target: str, tmp_path: Path) -> None:
    with sol.config.override(check_indices=checked):
        made = deploy(nn.Embedding(ROWS, WIDTH).eval(), [torch.tensor([0, 1, 2])], target=target, lib_name="Table", path=tmp_path)
    defines = [f"-DROWS={ROWS}", f"-DWIDTH={WIDTH}", f"-DCHECKED={int(checked)}"]
    program = tmp_path / "program"
    libraries = [str(made.library), "-Wl,-rpath,$ORIGIN", "-lm", "-pthread", "-ldl"]
    options = ["-std=c99", "-O1", *WARNINGS, *defines, f"-I{tmp_path}"]
    subprocess.run(["gcc", *options, str(PROGRAM), *libraries, "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, env={}, timeout=60)
    assert done.returncode == 0, done.stderr
