"""The onnx package's own suite: a sample of it always, all of it in make conformance, beside onnxruntime."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.frontend.onnx.suite import run

ROOT = Path(__file__).parents[3]
REPORTS = ROOT / "build" / "onnx_suite"
LEAST = 0.80
SECONDS = 15 * 60
SAMPLE = (
    r"^test_(abs|clip_example|div_int8|mod_mixed_sign_int32|reshape_negative_dim|slice_neg_steps|split_variable_parts_2d_opset18|"
    r"expand_dim_changed|cast_FLOAT_to_FLOAT16|isinf|pow_types_int32_float32|range_float_type_positive_delta|shape_start_1|"
    r"squeeze_negative_axes|prelu_broadcast|string_concat|where_example|eyelike_with_dtype|identity_opt|size_example)_cpu$"
)


@pytest.mark.budget(11)
def test_a_sample(tmp_path: Path) -> None:
    passed, total = run("sol", SAMPLE, tmp_path / "report.txt")
    assert total >= 18 and passed == total, (tmp_path / "report.txt").read_text()


@pytest.mark.conformance
@pytest.mark.parametrize("engine", ["sol", "ort"])
def test_all(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    """At least 80 % of all, in a quarter of an hour, without a crash; the report lists what fails, by reason."""
    if engine == "ort" and find_spec("onnxruntime") is None:
        pytest.skip("onnxruntime is not installed")
    REPORTS.mkdir(parents=True, exist_ok=True)
    report = REPORTS / f"{engine}.txt"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.frontend.onnx.suite", engine, ".", str(report)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=SECONDS)
    last = report.read_text().splitlines()[-1]
    with capsys.disabled():
        print(f"\n{last}; {report}")
    passed, total = int(last.split()[1]), int(last.split()[3])
    if engine == "sol":
        assert passed >= LEAST * total and total >= 2000
