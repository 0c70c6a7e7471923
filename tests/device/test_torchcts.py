"""TorchCTS, a suite of tests for devices outside of PyTorch, on the simulated device: what fails is listed with its reason.

Of TorchCTS 0.4.1 what is written by hand about devices and common operations runs. Left out are its cases of PyTorch's operator
database, which tests/device/test_op_db.py runs, generated calls of each operator, models, and contracts of rare numbers, which PyTorch's
kernels of the CPU fail. The report lies in build/torchcts.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.device.support import ROOT

OUTPUT = ROOT / "build" / "torchcts"
OPERATORS = (
    "activation", "binary", "comparison", "unary", "creation", "conv", "foreach", "index_scatter", "loss", "matmul", "misc", "norm",
    "padding", "pooling", "reduction", "upsample", "view_shape", "fractional_pooling_backward",
)  # fmt: skip
SUITES = (
    "device_api", "multi_device", "memory", "rng", "serialization", "errors", "training", "strides",
    "dtypes/test_copy_cast.py", "dtypes/test_metadata_ops.py", "dtypes/test_complex.py", "dtypes/test_fp8.py",
    "autograd/test_double_backward.py", "autograd/test_gradcheck.py", "autograd/test_inplace_safety.py",
    "autograd/test_tensor_metadata_mutation.py", *(f"operators/test_{name}.py" for name in OPERATORS),
)  # fmt: skip
"""Folders and files of TorchCTS that run."""
ABSENT = {
    "sparse": "the device has strided tensors only",
    "nested": "the device has strided tensors only",
    "native_quantization": "the device has no quantized tensors",
    "named_tensor": "PyTorch 2.13 has no named tensors on any device",
    "guard_alloc": "sol's memory pool has no guard pages",
}
"""Capabilities that the manifest denies, so that TorchCTS leaves their tests out."""
UNDECIDED = {
    "test_rrelu_train_false_variants": "compares memory that nobody has written",
}
"""Tests that are not run, because what they compare differs from run to run."""
FUSED_SGD = "PyTorch's fused SGD of the CPU leaves half precision as it was (pytorch/pytorch#191763)"
SATURATE = "PyTorch's only kernel of _saturate_weight_to_fp16 takes two dimensions and changes its operand, on the CPU as well"
HALF_NORM = "PyTorch's batch norm of the CPU takes no weights of half precision beside running statistics of float32"
BIAS_ALONE = "PyTorch's group norm of the CPU has no gradients for a bias without a weight"
FAILURES = {
    "test_training_pipeline::test_fused_optimizer_pipelines[SGD-dtype1]": FUSED_SGD,
    "test_training_pipeline::test_fused_optimizer_pipelines[SGD-dtype2]": FUSED_SGD,
    "test_noncontiguous::test_stride_and_storage_offset_metadata": "wants a view's gaps in its copy on the CPU, which is dense",
    **{f"test_misc::test_saturate_weight_to_fp16_is_rank_independent_and_functional[shape{i}]": SATURATE for i in range(5)},
    "test_norm::test_batch_norm[dtype1]": HALF_NORM,
    "test_norm::test_batch_norm[dtype2]": HALF_NORM,
    "test_norm::test_group_norm_bias_only_backward_uses_independent_reduction": BIAS_ALONE,
    "test_misc::test_low_level_misc_dispatcher_helpers": SATURATE,
}
"""Tests that fail."""
MANIFEST = """
import runpy

manifest = runpy.run_path({template!r})["manifest"]
manifest["device_name"] = "sol"
manifest["device_count"] = 2
manifest["capabilities"]["multi_device"] = True
manifest["capabilities"].update(dict.fromkeys({absent!r}, False))
"""


@pytest.fixture(scope="module")
def outcomes(built: None) -> dict[str, str]:
    """Test of TorchCTS with its file → "passed", "failed" or "skipped"."""
    found = importlib.util.find_spec("torchcts")
    if found is None or found.origin is None:
        pytest.skip("TorchCTS is not installed: pip install --no-deps torchcts, and psutil")
    package = Path(found.origin).parent
    OUTPUT.mkdir(parents=True, exist_ok=True)
    template = str(package / "templates" / "manifest.complete.py")
    (OUTPUT / "manifest.py").write_text(MANIFEST.format(template=template, absent=sorted(ABSENT)))
    with (OUTPUT / "log.txt").open("w") as log:
        subprocess.run(command(package), stdout=log, stderr=subprocess.STDOUT, cwd=OUTPUT, env=variables(), timeout=1800)
    return read(OUTPUT / "junit.xml")


def command(package: Path) -> list[str]:
    """The suites named one by one, because TorchCTS else collects all of its cases to choose among them."""
    return [
        sys.executable, "-m", "torchcts", "run", "--device", "sol", "--level", "8", "--non-interactive", "--adaptive-isolation", "off",
        "--rootdir", str(package.parent), "--results-dir", ".", "--junit-xml", "junit.xml", "-p", "no:cacheprovider",
        "-k", " and ".join(f"not {name}" for name in UNDECIDED), *(str(package / suite) for suite in SUITES),
    ]  # fmt: skip


def variables() -> dict[str, str]:
    """Two simulated devices, which `import torch` finds by sol's entry point. This run's pytest says nothing to the other one."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return {**own, "SOL_DRIVER": "sim", "SOL_SIM_DEVICES": "2", "OMP_NUM_THREADS": "1"}


def read(report: Path) -> dict[str, str]:
    """The cases of a report in JUnit's form."""
    state = {"failure": "failed", "error": "failed", "skipped": "skipped"}
    cases = ElementTree.parse(report).iter("testcase")
    return {named(case): next((state[child.tag] for child in case if child.tag in state), "passed") for case in cases}


def named(case: ElementTree.Element) -> str:
    """File and test: several files have tests of the same name."""
    return f"{case.attrib['classname'].rpartition('.')[2]}::{case.attrib['name']}"


@pytest.mark.conformance
def test_failures_are_those_that_are_listed(outcomes: dict[str, str]):
    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    assert failed == set(FAILURES), f"{sorted(failed ^ set(FAILURES))}; see {OUTPUT / 'log.txt'}"


@pytest.mark.conformance
def test_most_cases_ran(outcomes: dict[str, str]):
    assert list(outcomes.values()).count("passed") > 600


@pytest.mark.conformance
def test_the_report_of_torchcts_is_kept(outcomes: dict[str, str]):
    assert "Backend: sol" in next(OUTPUT.glob("*_report.md")).read_text()
