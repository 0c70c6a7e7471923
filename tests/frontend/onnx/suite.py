"""Runs the onnx package's backend suite on an engine: `python -m tests.frontend.onnx.suite sol|ort [PATTERN] [REPORT]`.

Every test's outcome goes to the report as it ends, so that a crash names its test; the last lines count failures by reason.
"""

from __future__ import annotations

import collections
import re
import sys
import time
import unittest
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx.backend.base as base
import onnx.backend.test

_ERROR = re.compile(r"^[\w.]*(Error|Exception|NeedsValue|Fail|NotImplemented)\b")


class _OrtRep(base.BackendRep):
    def __init__(self, session: Any) -> None:
        self.session = session

    def run(self, inputs: Any, **kwargs: Any) -> Any:
        feed = inputs if isinstance(inputs, dict) else {i.name: v for i, v in zip(self.session.get_inputs(), inputs)}
        return self.session.run(None, feed)


class _Ort(base.Backend):
    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **kwargs: Any) -> _OrtRep:
        import onnxruntime

        onnxruntime.set_default_logger_severity(4)
        return _OrtRep(onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]))

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CPU"


def cases(engine: str) -> Iterator[unittest.TestCase]:
    """All tests that need no download and no GPU."""
    if engine == "ort":
        backend: Any = _Ort
    else:
        import sol.onnx_backend as backend
    suite = onnx.backend.test.BackendTest(backend, __name__)
    suite.exclude("_cuda")
    for _, case in sorted(suite.test_cases.items()):
        yield from unittest.defaultTestLoader.loadTestsFromTestCase(case)  # type: ignore[misc]


def reason(result: unittest.TestResult) -> str:
    """The last error's first line."""
    lines = (result.errors + result.failures)[0][1].strip().splitlines()
    return next((line for line in reversed(lines) if _ERROR.match(line)), lines[-1])[:200]


def run(engine: str, pattern: str = ".", report: Path | None = None) -> tuple[int, int]:
    """Passed and all tests whose name matches."""
    warnings.filterwarnings("ignore")
    lines = report.open("w") if report else sys.stdout
    reasons: collections.Counter[str] = collections.Counter()
    passed = total = 0
    for test in cases(engine):
        name = test.id().rpartition(".")[2]
        if not re.search(pattern, name):
            continue
        start, result = time.perf_counter(), unittest.TestResult()
        test.run(result)
        if result.skipped:
            continue
        total += 1
        passed += result.wasSuccessful()
        why = "" if result.wasSuccessful() else reason(result)
        if why:
            reasons[re.sub(r"[\d.e+-]*\d", "N", why)[:110]] += 1
        print(f"{name}\t{'failed' if why else 'ok'}\t{time.perf_counter() - start:.1f} s\t{why}", file=lines, flush=True)
    for why, count in reasons.most_common():
        print(f"{count:5d}  {why}", file=lines)
    print(f"{engine}: {passed} of {total} ({100 * passed / max(total, 1):.1f} %)", file=lines, flush=True)
    return passed, total


if __name__ == "__main__":
    arguments = sys.argv[1:] + [".", ""][len(sys.argv) - 2 :]
    run(arguments[0], arguments[1], Path(arguments[2]) if arguments[2] else None)
