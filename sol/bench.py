"""Fair timing: each measurement in a process of its own, the contenders in turn over several rounds, medians over the rounds.

Shared by ``sol bench`` and ``benchmarks/inference.py``. A process of its own keeps thread pools, allocators and warm caches of one engine
away from another; turns spread slow phases of the machine over all of them.
"""

from __future__ import annotations

import json
import math
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
_MARK = "SOL-MEASURED "
WARMUPS = 3


@dataclass(frozen=True)
class Timing:
    """Milliseconds per call: median and smallest of ``calls`` calls."""

    median_ms: float
    min_ms: float
    calls: int


def time_calls(call: Callable[[], object], *, seconds: float = 2.0, least: int = 5, most: int = 5000) -> Timing:
    """Time calls one by one for about that long, after a few that do not count."""
    for _ in range(WARMUPS):
        call()
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while len(samples) < least or (time.perf_counter() < end and len(samples) < most):
        start = time.perf_counter()
        call()
        samples.append(time.perf_counter() - start)
    return Timing(1e3 * statistics.median(samples), 1e3 * min(samples), len(samples))


def measure(prepare: Callable[[], Callable[[], T]], *, seconds: float = 2.0) -> tuple[dict[str, Any], T]:
    """Time what ``prepare`` makes ready; returns the measurement and the result of a call.

    setup_s: until the first result. peak_mb: largest memory of this process so far; run_peak_mb: largest while it was timed.
    """
    start = time.perf_counter()
    call = prepare()
    result = call()
    setup = time.perf_counter() - start
    before = peak_bytes()
    forget_peak()
    timing = time_calls(call, seconds=seconds)
    during = peak_bytes()
    memory = {"run_peak_mb": during / 2**20, "peak_mb": max(before, during) / 2**20}
    return {**asdict(timing), "setup_s": setup, **memory}, result


def peak_bytes() -> int:
    """Largest resident memory of this process since it began, or since ``forget_peak``.

    Where the system does not count that by process, it may be the parent's: getrusage keeps what there was before exec.
    """
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def forget_peak() -> None:
    """Let ``peak_bytes`` begin anew; without effect where the system does not offer that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


# -- processes ---------------------------------------------------------------------------------------------------------


def report(measurement: Mapping[str, Any]) -> None:
    """Hand a measurement over to the process that waits for it in ``in_process``."""
    print(_MARK + json.dumps(measurement), flush=True)


def in_process(line: Sequence[str], *, environment: Mapping[str, str] | None = None, timeout: float = 900.0) -> dict[str, Any]:
    """What a process reports; ``{"failed": reason}`` if it ends without a report. It and its children are killed after ``timeout``."""
    env = {**os.environ, **(environment or {})}
    with subprocess.Popen(line, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True) as process:  # fmt: skip
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            _kill(process)
            return {"failed": f"took longer than {timeout:g} s"}
        except BaseException:
            _kill(process)
            raise
    found = [text[len(_MARK) :] for text in out.splitlines() if text.startswith(_MARK)]
    if found:
        return dict(json.loads(found[-1]))
    return {"failed": _reason(process.returncode, err)}


def _kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _reason(code: int, err: str) -> str:
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    if code < 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    errors = [line for line in lines if "Error" in line]
    return (errors or lines or [f"exit code {code}"])[-1][:300]


def turns(contenders: Sequence[T], rounds: int) -> Iterator[tuple[int, T]]:
    """(round, contender): every contender once a round, each round beginning with the next one."""
    for round_ in range(rounds):
        first = round_ % max(len(contenders), 1)
        for contender in (*contenders[first:], *contenders[:first]):
            yield round_, contender


# -- statistics --------------------------------------------------------------------------------------------------------


def over_rounds(measurements: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """One line out of several rounds: medians, but the smallest time, the first set-up and the largest memory and errors."""
    best = {
        "median_ms": statistics.median(m["median_ms"] for m in measurements),
        "best_median_ms": min(m["median_ms"] for m in measurements),
        "min_ms": min(m["min_ms"] for m in measurements),
        "setup_s": measurements[0]["setup_s"],
        "warm_setup_s": min(m["setup_s"] for m in measurements),
    }
    for name in ("run_peak_mb", "peak_mb", "error", "error64", "torch_error64"):
        known = [m[name] for m in measurements if m.get(name) is not None]
        if known:
            best[name] = max(known)
    return best


def geometric_mean(values: Sequence[float]) -> float:
    """NaN of nothing."""
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


# -- facts -------------------------------------------------------------------------------------------------------------

ENGINES = {
    "sol": ("sol", ""), "sol_onnx": ("onnx", "sol from ONNX"), "torch": ("torch", "eager torch"), "eager": ("torch", "eager torch"),
    "inductor": ("torch", "torch.compile"), "onnxruntime": ("onnxruntime", "ONNX Runtime"), "openvino": ("openvino", "OpenVINO"),
}  # fmt: skip
"""Engine → the distribution that it needs, and how people call it."""


def version_of(distribution: str) -> str | None:
    """Its version; None if it is not installed."""
    try:
        if distribution == "sol":
            from sol import __version__

            return __version__
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def machine_facts() -> dict[str, Any]:
    """What a reader needs to know of the machine: processor, usable CPUs, memory, system."""
    model, total = platform.processor() or platform.machine(), 0
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith(("model name", "Model")):
                model = line.partition(":")[2].strip()
                break
    with suppress(ValueError, OSError):
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": model, "cpus": len(os.sched_getaffinity(0)), "memory_mb": total >> 20, "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }  # fmt: skip


def arrays_of(result: Any) -> list[np.ndarray]:
    """All tensors or arrays of a result, in order, as numpy arrays."""
    if isinstance(result, np.ndarray):
        return [result]
    if hasattr(result, "detach"):
        return [result.detach().numpy()]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        return [array for part in result for array in arrays_of(part)]
    return []
