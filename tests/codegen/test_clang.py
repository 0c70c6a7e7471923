"""The same kernels compiled by clang, and a whole network that calls them beside torch's OpenMP runtime."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from sol.codegen.targets import runnable
from sol.ir.types import DType
from tests.codegen.foreign_cases import PARAMS, repeat  # noqa: F401  (a fixture)
from tests.codegen.test_conv_winograd import force  # noqa: F401
from tests.toolchains import CLANG, CLANG_AARCH64

ISAS = runnable()
pytestmark = pytest.mark.skipif(bool(CLANG.missing), reason=CLANG.missing)


@pytest.mark.parametrize("number", range(len(PARAMS)), ids=[str(p.id) for p in PARAMS])
@pytest.mark.budget(5)
def test_kernel(repeat: Callable, number: int) -> None:  # noqa: F811
    """Each case on one of the ISAs, in turn; half precision where the machine converts it (clang 14 has no software for it)."""
    function, arguments = PARAMS[number].values
    repeat(CLANG, ISAS[0 if arguments.get("dtype") is DType.F16 else number % len(ISAS)], function, arguments)


@pytest.mark.skipif(bool(CLANG_AARCH64.missing), reason=CLANG_AARCH64.missing)
@pytest.mark.parametrize("function,arguments", PARAMS[3::7])
def test_neon_kernel(repeat: Callable, function: Callable, arguments: dict[str, Any]) -> None:  # noqa: F811
    repeat(CLANG_AARCH64, "neon", function, arguments)


NETWORK = """
import torch, sol
from sol.build.toolchain import find_compiler
torch.manual_seed(0)
torch.set_num_threads(2)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 24, 3, padding=1), torch.nn.BatchNorm2d(24), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(24, 40, 3), torch.nn.GELU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(40, 11),
).eval()
x = torch.randn(2, 3, 64, 64)
fast = sol.optimize(model, x, threads=2)
assert find_compiler().kind == "clang"
with torch.no_grad():
    for _ in range(3):
        torch.testing.assert_close(fast(x), model(x), rtol=1e-4, atol=1e-5)
runtimes = {line.split()[-1] for line in open("/proc/self/maps") if "/libgomp" in line or "/libomp" in line or "/libiomp" in line}
assert len(runtimes) == 1 and "libgomp" in runtimes.pop(), runtimes
print("ok")
"""


def test_a_network_brings_no_openmp_runtime_beside_that_of_torch(tmp_path) -> None:
    environment = {**os.environ, "SOL_COMPILER": "clang", "SOL_CACHE_DIR": str(tmp_path / "cache"), "SOL_PROGRESS": "off"}
    done = subprocess.run([sys.executable, "-c", NETWORK], env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout == "ok\n", done.stderr[-4000:]
