"""Whole networks as libraries: results, first call, speed, memory, ARM. Slow: make conformance."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import sol
from tests.deploy.support import call, program
from tests.models.networks import build
from tests.toolchains import AARCH64

pytestmark = pytest.mark.conformance
ROOT = Path(__file__).parents[2]

FIRST_CALL = r"""
#include "Net.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec * 1e-6; }
int main(int argc, char **argv)
{
    float *x = calloc(3 * 224 * 224, sizeof(float)), *y = NULL;
    (void)argc;
    const double begin = now();
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) return 1;
    void (*call)(void *, const float *, float **) = (void (*)(void *, const float *, float **))dlsym(library, "predict");
    call(NULL, x, &y);
    printf("%.3f\n", now() - begin);
    return y == NULL;
}
"""


def relative_error(actual: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(actual - wanted).max() / np.abs(wanted).max())


@pytest.mark.parametrize("name", ["resnet50", "mobilenet_v2", "bert", "lstm"])
def test_equals_torch_in_eight_threads(name: str, tmp_path: Path) -> None:
    model, inputs = build(name)
    torch.manual_seed(1)
    x = inputs(1)
    made = sol.deploy(model, x, lib_name="Net", path=tmp_path)
    with torch.no_grad():
        wanted = model(*x).numpy()
    (got,) = call(program(made), [t.numpy() for t in x], [wanted], threads=8)
    assert relative_error(got, wanted) <= 1e-4


def test_first_call_of_resnet50(tmp_path: Path) -> None:
    """Milliseconds from before dlopen to the result, the best of some processes: others may run on this machine."""
    model, inputs = build("resnet50")
    made = sol.deploy(model, inputs(1), lib_name="Net", path=tmp_path)
    (tmp_path / "first.c").write_text(FIRST_CALL)
    subprocess.run(["gcc", "-O1", f"-I{tmp_path}", str(tmp_path / "first.c"), "-ldl", "-o", str(tmp_path / "first")], check=True)
    line = [str(tmp_path / "first"), str(made.library)]
    times = [float(subprocess.run(line, capture_output=True, text=True, check=True, env={}).stdout) for _ in range(6)]
    assert min(times) <= 50


VGG = """
import resource, sys, time
import torch, sol
from tests.models.networks import build
model, inputs = build("vgg19")
begin = time.perf_counter()
made = sol.deploy(model, inputs(1), lib_name="Net", path=sys.argv[1])
seconds = time.perf_counter() - begin
peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
print(seconds, peak)
"""


def test_half_a_gigabyte_of_weights(tmp_path: Path) -> None:
    """VGG-19 in 30 s and 1.5 GB, its own 574 MB included."""
    done = subprocess.run([sys.executable, "-c", VGG, str(tmp_path)], capture_output=True, text=True, check=True, cwd=ROOT)
    seconds, peak = map(float, done.stdout.split())
    assert seconds <= 30 and peak <= 1500


def test_the_c_program_of_the_examples(tmp_path: Path) -> None:
    """It is built as its folder says and needs no environment."""
    folder = ROOT / "examples" / "deploy_c"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, str(folder / "make.py"), str(tmp_path)], check=True, env=environment)
    files = [str(folder / "main.c"), str(tmp_path / "libResNet50.so"), f"-Wl,-rpath,{tmp_path}", "-o", str(tmp_path / "classify")]
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}", *files], check=True)
    told = subprocess.run([str(tmp_path / "classify")], capture_output=True, text=True, check=True, env={}).stdout
    assert len([line for line in told.splitlines() if line.startswith("shade ") and "score " in line]) == 2


@pytest.mark.skipif(bool(AARCH64.missing), reason=AARCH64.missing)
@pytest.mark.parametrize("name", ["mobilenet_v2", "lstm"])
def test_aarch64_equals_torch(name: str, tmp_path: Path) -> None:
    model, inputs = build(name)
    torch.manual_seed(1)
    x = inputs(1)
    made = sol.deploy(model, x, lib_name="Net", path=tmp_path, device=sol.device.aarch64, target=sol.deployment.static_lib, threads=1)
    with torch.no_grad():
        wanted = model(*x).numpy()
    caller = program(made, tools=AARCH64, flags=["-static"])
    (got,) = call(caller, [t.numpy() for t in x], [wanted], threads=1, emulator=["qemu-aarch64"])
    assert relative_error(got, wanted) <= 1e-4
