"""The sweep: hundreds of models, each in a process of its own, beside eager torch: `python -m tests.conformance.sweep [--help]`.

Every model's row is written to a file of JSON lines as it ends; the same command goes on where it stopped, whatever stopped it. Processes
are forked from this one, which has imported the libraries already, so it must start no threads.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import itertools
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from sol.config import config
from tests.conformance.sweep_step import step_trial
from tests.conformance.sweep_table import summary, table
from tests.conformance.sweep_trial import Make, Row, trial

for _name in ("torch._dynamo", "torch._inductor.fx_passes", "torch.export._trace", "sol.runtime.torch.module", "sol.inspect.explain"):
    importlib.import_module(_name)  # else every process would, at its first model: seconds each

ROOT = Path(__file__).parents[2]
Trial = Callable[[Make, Callable[[Row], None]], Row]
RESULTS = ROOT / "build" / "sweep.jsonl"
STEPS = ROOT / "build" / "sweep_training.jsonl"
PAGE = ROOT / "docs" / "sweep.md"
SECONDS = 600.0
GIB = 12.0


@dataclass(frozen=True)
class Kind:
    """Models of one source. names: in the order in which they are tried; maker: name → what builds the model. most: so many that run in
    eager torch are enough; None: all."""

    name: str
    names: Callable[[], Iterable[str]]
    maker: Callable[[str], Make]
    most: int | None = None


def kinds() -> dict[str, Kind]:
    """All kinds; their libraries are imported when they are asked for names."""
    from tests.conformance import odd_networks, sweep_models, sweep_transformers

    return {
        "odd": Kind("odd", lambda: odd_networks.NETWORKS, lambda name: odd_networks.NETWORKS[name]),
        "torchvision": Kind("torchvision", sweep_models.torchvision_names, sweep_models.torchvision_maker),
        "timm": Kind("timm", sweep_models.timm_modules, sweep_models.timm_maker),
        "transformers": Kind("transformers", sweep_transformers.names, sweep_transformers.maker, 150),
    }


# -- processes ---------------------------------------------------------------------------------------------------------


@dataclass
class Running:
    """A model under way."""

    key: tuple[str, str]
    file: Path
    deadline: float


class Sweep:
    """Rows of models by (kind, name), kept in a file of JSON lines; of several rows of a model the last one counts."""

    def __init__(
        self, path: Path, *, jobs: int = 2, threads: int = 1, seconds: float = SECONDS, gib: float = GIB, trial: Trial = trial
    ) -> None:
        self.path, self.jobs, self.threads, self.seconds, self.gib, self.trial = path, jobs, threads, seconds, gib, trial
        self.rows = read_rows(path)
        self.running: dict[int, Running] = {}

    def run(self, kind: Kind, names: Iterable[str], again: Callable[[Row], bool] = lambda row: False) -> None:
        """Try what has no row yet and what ``again`` says of, until enough of this kind run in eager torch."""
        for name in names:
            row = self.rows.get((kind.name, name))
            if again(row) if row else not self._enough(kind):
                self._wait(len(self.running) - self.jobs + 1)
                self._start(kind, name)
        self._wait(len(self.running))

    def _enough(self, kind: Kind) -> bool:
        if kind.most is not None and self._found(kind) + len(self.running) >= kind.most:
            self._wait(len(self.running))  # some of them may not count
        return kind.most is not None and self._found(kind) >= kind.most

    def _found(self, kind: Kind) -> int:
        return sum(k == kind.name and r["outcome"] != "eager fails" for (k, _), r in self.rows.items())

    def _start(self, kind: Kind, name: str) -> None:
        handle, place = tempfile.mkstemp(prefix="sol_sweep_")
        os.close(handle)
        file = Path(place)
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            self._child(kind, name, file)
        self.running[process] = Running((kind.name, name), file, time.monotonic() + self.seconds)

    def _child(self, kind: Kind, name: str, file: Path) -> None:
        """Never returns."""
        code = 1
        try:
            os.setsid()
            limit = int(self.gib * 2**30)
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
            with contextlib.suppress(OSError):
                Path("/proc/self/oom_score_adj").write_text("1000")
            with open(os.devnull, "r+") as nothing:
                for stream in (0, 1, 2):
                    os.dup2(nothing.fileno(), stream)
            torch.set_num_threads(self.threads)
            row = self.trial(kind.maker(name), lambda row: _write(file, row))
            _write(file, row)
            code = 0
        finally:
            os._exit(code)

    def _wait(self, count: int) -> None:
        """Until so many of those under way have ended."""
        while count > 0:
            for process in list(self.running):
                if os.waitpid(process, os.WNOHANG)[0] == process:
                    self._ended(process, "")
                    count -= 1
                elif time.monotonic() > self.running[process].deadline:
                    _kill(process)
                    self._ended(process, f"longer than {self.seconds:g} s")
                    count -= 1
            if count > 0:
                time.sleep(0.02)

    def _ended(self, process: int, late: str) -> None:
        running = self.running.pop(process)
        _kill_group(process)  # what it started
        text = running.file.read_text()
        running.file.unlink()
        row = json.loads(text) if text else {"stage": "eager"}
        if "outcome" not in row:
            stage = row.pop("stage")
            row |= {"outcome": "eager fails" if stage == "eager" else "exception", "text": late or "the process died"}
        self._keep(running.key, row)

    def _keep(self, key: tuple[str, str], row: Row) -> None:
        self.rows[key] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps({"kind": key[0], "name": key[1], **row}) + "\n")
        how, ratio = row.get("how", ""), row.get("ratio", "")
        print(f"{key[0]:13}{key[1]:42}{row['outcome']:12}{how:7}{ratio:>7}  {row.get('text', '')}", flush=True)

    def stop(self) -> None:
        """End what is under way; without a row it is tried again."""
        for process, running in self.running.items():
            _kill(process)
            running.file.unlink(missing_ok=True)
        self.running.clear()


def _write(file: Path, row: Row) -> None:
    new = file.with_suffix(".new")
    new.write_text(json.dumps(row))
    new.replace(file)


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    _kill_group(process)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)


def _kill_group(process: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def read_rows(path: Path) -> dict[tuple[str, str], Row]:
    """(kind, name) → row of a file of JSON lines; a last line that was cut off is left out."""
    rows: dict[tuple[str, str], Row] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        with contextlib.suppress(json.JSONDecodeError):
            row: dict[str, Any] = json.loads(line)
            rows[row.pop("kind"), row.pop("name")] = row
    return rows


# -- command -----------------------------------------------------------------------------------------------------------


def main() -> None:
    """See ``--help``."""
    options = _arguments()
    found = kinds()
    results, tried = options.results or (STEPS if options.training else RESULTS), step_trial if options.training else trial
    sweep = Sweep(results, jobs=options.jobs, threads=options.threads, seconds=options.seconds, gib=options.gib, trial=tried)
    again = set(options.again.split(",")) - {""}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with config.override(cache_dir=str(results.parent / "sweep_cache")):
            for kind in [found[k] for k in options.kinds.split(",")]:
                names = _chosen(kind, options.match, options.count)
                sweep.run(kind, names, lambda row: row["outcome"] in again or row.get("how") in again)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here")
    finally:
        sweep.stop()
    print(summary(sweep.rows))
    if options.page:
        options.page.write_text(table(sweep.rows, options.threads, training=options.training))


def _chosen(kind: Kind, match: str, count: int | None) -> Iterator[str]:
    names = kind.names()
    return itertools.islice((n for n in names if match in n), count)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default="odd,torchvision,timm,transformers", help="which, separated by commas")
    parser.add_argument("--match", default="", help="only models with this in their name")
    parser.add_argument("--count", type=int, help="only the first so many names of each kind")
    parser.add_argument("--again", default="", help="outcomes that are tried again (wrong,exception,pieces,eager …)")
    parser.add_argument("--training", action="store_true", help="training steps instead of inference")
    defaults = f"default {RESULTS.relative_to(ROOT)}, of training steps {STEPS.relative_to(ROOT)}"
    parser.add_argument("--results", type=Path, help=f"file of JSON lines, {defaults}")
    parser.add_argument("--page", type=Path, help=f"write the table there as well, such as {PAGE.relative_to(ROOT)}")
    parser.add_argument("--jobs", type=int, default=2, help="models at once")
    parser.add_argument("--threads", type=int, default=1, help="threads of each model")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time for one model")
    parser.add_argument("--gib", type=float, default=GIB, help="memory for one model")
    return parser.parse_args()


if __name__ == "__main__":
    main()
