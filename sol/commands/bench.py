"""``sol bench``: how fast is a call, beside other engines on the same model?"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sol.bench import ENGINES, in_process, machine_facts, over_rounds, turns, version_of
from sol.build.progress import showing_stages
from sol.commands.console import table
from sol.commands.models import Model, TorchModel, feed_for, open_model
from sol.commands.ports import Shapes, parse_shapes
from sol.errors import InputError, SolError
from sol.inspect.checks import relative_error
from sol.stages import stage

AGAINST = ("onnxruntime", "openvino", "torch")
_ALIASES = {"ort": "onnxruntime", "eager": "torch"}


def bench(
    model: Path, *, against: str | None, inputs: Sequence[str], shapes: Sequence[str], rounds: int, seconds: float, threads: int | None,
    isa: str | None, seed: int, timeout: float,
) -> dict[str, Any]:  # fmt: skip
    """Measurements by engine, ready for JSON; an engine that is missing or fails has ``failed`` with the reason.

    Raises SolError if sol itself fails.
    """
    sizes = parse_shapes(shapes)
    with showing_stages():
        opened = open_model(model, shapes=sizes, threads=threads, isa=isa)  # compiles, so that what is wrong is said in full
        feed = feed_for(opened, inputs, sizes, seed)
        opened.run(feed)
        engines = _engines(against, opened)
        with tempfile.TemporaryDirectory(prefix="sol-bench-") as name:
            measured = _measure(opened, feed, sizes, engines, Path(name), rounds, seconds, threads, isa, timeout)
    found = {
        "model": str(model), "machine": machine_facts(), "threads": threads, "isa": isa, "rounds": rounds, "engines": measured,
        "versions": {e: version_of(ENGINES[e][0]) for e in engines},
    }  # fmt: skip
    if "failed" in measured["sol"]:
        raise SolError(f"sol failed while it was timed: {measured['sol']['failed']}")
    return found


def _engines(against: str | None, model: Model) -> list[str]:
    """sol and those asked for; by default those that are installed and can read the model."""
    if against is None:
        return ["sol", *(e for e in AGAINST if version_of(ENGINES[e][0]) and (e != "torch" or isinstance(model, TorchModel)))]
    names = [_ALIASES.get(n, n) for n in against.replace(",", " ").split()]
    for name in names:
        if name not in AGAINST:
            raise InputError(f"--against: no engine is called {name!r}", remedy=f"it takes {', '.join(AGAINST)}")
    return ["sol", *dict.fromkeys(names)]


def _measure(
    model: Model, feed: dict[str, Any], sizes: Shapes, engines: Sequence[str], folder: Path, rounds: int, seconds: float,
    threads: int | None, isa: str | None, timeout: float,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    np.savez(folder / "inputs.npz", *feed.values())
    job = {
        "model": str(model.path.absolute()), "onnx": str(model.path.absolute()), "folder": str(folder),
        "names": list(feed), "shapes": sizes,
        "dtypes": {n: a.dtype.name for n, a in feed.items() if a.dtype.kind == "V" or not a.dtype.isbuiltin},
        "seconds": seconds, "threads": threads, "isa": isa,
    }  # fmt: skip
    failed = {e: f"{ENGINES[e][0]} is not installed" for e in engines if version_of(ENGINES[e][0]) is None}
    if isinstance(model, TorchModel):
        failed |= _exported(job, [e for e in engines if e in ("onnxruntime", "openvino") and e not in failed], folder, timeout)
    elif "torch" in engines:
        failed["torch"] = "torch cannot run ONNX files; give the model as .pt2"
    measured: dict[str, list[dict[str, Any]]] = {e: [] for e in engines}
    for round_, engine in turns(engines, rounds):
        if engine in failed:
            continue
        stage(f"timing {engine}, round {round_ + 1} of {rounds}")
        found = _contender({**job, "engine": engine}, threads, timeout)
        if "failed" in found:
            failed[engine] = found["failed"]
        measured[engine].append(found)
    return {e: {"failed": failed[e]} if e in failed else _summary(e, measured[e], folder) for e in engines}


def _contender(job: dict[str, Any], threads: int | None, timeout: float) -> dict[str, Any]:
    env = {"SOL_PROGRESS": "off", "PYTHONPATH": os.pathsep.join([p for p in sys.path if p])}
    if threads:
        env["OMP_NUM_THREADS"] = str(threads)
    return in_process([sys.executable, "-m", "sol.commands.contender", json.dumps(job)], environment=env, timeout=timeout)


def _exported(job: dict[str, Any], engines: Sequence[str], folder: Path, timeout: float) -> dict[str, str]:
    """Write the exported program as ONNX; reasons by engine if that fails."""
    if not engines:
        return {}
    stage("exporting to ONNX")
    found = _contender({**job, "engine": "export"}, None, timeout)
    job["onnx"] = str(folder / "model.onnx")
    return {e: f"the program cannot be exported to ONNX: {found['failed']}" for e in engines} if "failed" in found else {}


def _summary(engine: str, rounds: Sequence[dict[str, Any]], folder: Path) -> dict[str, Any]:
    line: dict[str, Any] = {**over_rounds(rounds), "rounds": list(rounds)}
    if engine != "sol" and (folder / "sol.npz").exists():
        line["difference"] = _difference(folder / f"{engine}.npz", folder / "sol.npz")
    return line


def _difference(theirs: Path, ours: Path) -> float:
    """Largest difference between the outputs of two engines, in units of the output's largest magnitude."""
    with np.load(theirs, allow_pickle=False) as a, np.load(ours, allow_pickle=False) as b:
        if len(a.files) != len(b.files):
            return float("inf")
        pairs = [(b[n], a[n]) for n in a.files if a[n].dtype.kind in "biufc" and b[n].dtype.kind in "biufc"]
    return max((relative_error(x, y) for x, y in pairs), default=0.0)


def bench_text(found: dict[str, Any]) -> str:
    """The measurements as a table; the last column tells how far the outputs are from sol's."""
    rows, notes = [], []
    own = found["engines"]["sol"]["median_ms"]
    for engine, line in found["engines"].items():
        if "failed" in line:
            notes.append(f"{engine}: {line['failed']}")
            continue
        ratio = line["median_ms"] / own
        difference = f"{line['difference']:.0e}" if "difference" in line else ""
        rows.append([engine, f"{line['median_ms']:.4g}", f"{line['min_ms']:.4g}", f"{ratio:.2f}", f"{line['setup_s']:.2f}",
                     f"{line['run_peak_mb']:.0f}", f"{line['peak_mb']:.0f}", difference])  # fmt: skip
    header = ["engine", "median ms", "min ms", "vs sol", "setup s", "run MB", "peak MB", "difference"]
    return "\n".join([table(header, rows), *notes])
