"""Runs torch's operator database through sol: `python -m tests.conformance.op_db [--match REGEX] [--table FILE]`.

Every sample of an entry is compiled and compared with eager torch (op_db_cases.py), gradients too. Samples are compiled together, a dozen
in one module, and one by one where that fails. Workers take some entries each and write a line per entry and form as it ends, so that a
crash names its case and the same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import collections
import json
import logging
import os
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import sol
from sol.errors import ConfigError, ExportError, InputError, SolError, UnsupportedError
from sol.runtime.torch.pieces import Piece
from sol.runtime.torch.training import Habit
from tests.conformance.op_db_cases import FORMS, SEED, Case, Expected, Together, cases, entries, expected, judge, name_of, with_gradients

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "build" / "op_db.jsonl"
TOGETHER = 12
CHUNK = 16
SECONDS = 600
"""Time for one form of one entry, after which its worker is ended."""

Row = dict[str, Any]


def failure_of(error: Exception) -> tuple[str, str]:
    """(kind, first line) of an exception: "refused" if sol says that it does not take this, else "error"."""
    refused = isinstance(error, (ExportError, UnsupportedError, InputError, ConfigError)) and isinstance(error, SolError)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    text = next((line for line in lines if "error:" in line), lines[0])
    return ("refused" if refused else "error"), f"{type(error).__name__}: {text}"[:300]


class Trial:
    """The cases of one entry in one form, tried together and alone. isa: instruction set, None for this machine's."""

    def __init__(self, number: int, form: str, most: int | None, isa: str | None, failures: int) -> None:
        self.name, self.isa, self.most_failures = name_of(number), isa, failures
        self._run = self._run_forward if form != "gradient" else self._run_step
        self.torch: dict[str, str] = {}
        self.failures: list[tuple[int, str, str, str]] = []
        self.whole = self.tried = 0
        self.cases = [(c, want) for c in cases(number, form, most) if (want := expected(c)) is not None]

    def run(self, alone: bool, report: Any) -> None:
        """Try all cases; ``report(case)`` before one is compiled alone."""
        step = 1 if alone else TOGETHER
        groups = [[case] for case in self.cases if case[1].draws]  # what they draw depends on what was drawn before
        rest = [case for case in self.cases if not case[1].draws]
        if rest and not alone:
            groups.append(rest[:1])  # one by itself always: a module of one result takes other ways
        groups += [rest[i : i + step] for i in range(0, len(rest), step)]
        for group in groups:
            self._try(group, report)

    def _try(self, group: Sequence[tuple[Case, Expected]], report: Any) -> None:
        if len(self.failures) >= self.most_failures:
            return
        if len(group) == 1:
            report(group[0][0])
        wrong = self._attempt(group)
        if len(group) == 1:
            self.tried += 1
            self.failures += [(case.number, kind, text, case.note) for case, kind, text in wrong]
        elif not wrong:
            self.tried += len(group)
        elif len(wrong) == len(group):  # an error: whose it is, halves tell
            half = len(group) // 2
            self._try(group[:half], report)
            self._try(group[half:], report)
        else:
            self._confirm(group, wrong, report)

    def _confirm(self, group: Sequence[tuple[Case, Expected]], wrong: Sequence[tuple[Case, str, str]], report: Any) -> None:
        """Wrong results of some cases: wrong alone too, or only in company."""
        self.tried += len(group) - len(wrong)
        expectation = dict((id(c), w) for c, w in group)
        for case, kind, text in wrong:
            before = len(self.failures)
            self._try([(case, expectation[id(case)])], report)
            if len(self.failures) == before and before < self.most_failures:
                self.failures.append((case.number, kind, f"{text} (only compiled together with others)", case.note))

    def _attempt(self, group: Sequence[tuple[Case, Expected]]) -> list[tuple[Case, str, str]]:
        """What is wrong: nothing, some cases with wrong results, or all of them with the same error.

        A case that cannot be compiled whole is tried as users would, in pieces.
        """
        try:
            results, operands = self._run(group, "error")
        except Exception as error:
            kind, text = failure_of(error)
            if kind != "refused" or len(group) > 1:
                return [(c, kind, text) for c, _ in group]
            self.torch["the whole"] = text[:100]
            try:
                results, operands = self._run(group, "eager")
            except Exception as error_in_pieces:
                return [(c, *failure_of(error_in_pieces)) for c, _ in group]
        wrong, at = [], 0
        for (case, want), result in zip(group, results):
            after = operands[at : at + len(case.tensors)]
            at += len(case.tensors)
            text = judge(self.name, case, want, result, after)
            if text:
                wrong.append((case, "wrong", text))
        return wrong

    def _run_forward(self, group: Sequence[tuple[Case, Expected]], fallback: str) -> tuple[Any, list[torch.Tensor]]:
        """Results of the cases compiled together, and their operands afterwards; what runs in torch is noted."""

        def operands() -> list[torch.Tensor]:
            return [t for c, _ in group for t in c.copies()]

        module = Together([c for c, _ in group]).eval()
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fast = sol.optimize(module, operands(), fallback=fallback, isa=self.isa)
            given = operands()
            torch.manual_seed(SEED)
            results = fast(*given)
            if fallback == "error":
                for row in sol.explain(fast, operands()).torch:
                    call = fast._programs[0].imported.torch_calls.get(row.operation)
                    self.torch[str(call.name).removeprefix("aten.") if call else row.operation] = row.reason[:100]
        return results, given

    def _run_step(self, group: Sequence[tuple[Case, Expected]], fallback: str) -> tuple[Any, list[torch.Tensor]]:
        """The same for results with gradients: forward and backward compiled, as in training."""
        pieces: list[Piece] = []

        def backend(module: torch.fx.GraphModule, inputs: Sequence[Any]) -> Piece:
            pieces.append(Piece(module, inputs, {"isa": self.isa}, habit=Habit(saves=True)))
            return pieces[-1]

        torch._dynamo.reset()
        given = [t for c, _ in group for t in c.copies()]
        with warnings.catch_warnings(), sol.config.override(training="compiled", fallback=fallback):
            warnings.simplefilter("ignore")
            fast = torch.compile(Together([c for c, _ in group]).train(), backend=backend)
            torch.manual_seed(SEED)
            results, at = [], 0
            for (case, _), result in zip(group, fast(*given)):
                results.append(with_gradients(result, given[at : at + len(case.tensors)]))
                at += len(case.tensors)
        if not pieces:
            self.torch["the whole"] = "Dynamo captures nothing"
        for piece in pieces:
            self._note(piece)
        return results, given

    def _note(self, piece: Piece) -> None:
        """Note what of a piece ran in torch."""
        if piece.gradients.failure is not None:
            self.torch["the whole"] = str(piece.gradients.failure)[:100]
        for graph in (g for _, d in piece.gradients.variants for g in d.graphs):
            if graph.failure is not None:
                self.torch["a whole pass"] = str(graph.failure)[:100]
            elif graph.program is not None:
                calls = graph.program.imported.torch_calls
                self.torch |= {calls[n.attrs["key"]].name.removeprefix("aten."): "in torch" for n in graph.program.runner.torch_nodes}

    def row(self) -> Row:
        return {"cases": len(self.cases), "tried": self.tried, "torch": self.torch, "failures": self.failures}


# A worker


def work(numbers: Sequence[tuple[int, str]], options: argparse.Namespace) -> None:
    """Try entries, writing lines to the table: what begins, and what came of it."""
    logging.disable(logging.WARNING)
    torch.set_num_threads(options.threads)
    with Path(options.table).open("a") as table:

        def write(row: Row) -> None:
            table.write(json.dumps(row) + "\n")
            table.flush()

        for number, form in numbers:
            key = f"{number}:{form}"
            start = time.perf_counter()
            write({"begin": key})
            trial = Trial(number, form, options.samples, options.isa, options.failures)
            trial.run(options.alone, lambda case, key=key: write({"case": key, "number": case.number, "note": case.note}))
            write({"done": key, "name": trial.name, "form": form, "seconds": round(time.perf_counter() - start, 1), **trial.row()})


# Who sends workers


def rows_of(table: Path) -> tuple[dict[str, Row], Row | None]:
    """Finished rows by key, and the last thing that was begun and not finished."""
    done: dict[str, Row] = {}
    pending: Row | None = None
    for line in table.read_text().splitlines() if table.exists() else ():
        row = json.loads(line)
        if "done" in row:
            done[row["done"]] = row
            pending = None
        else:
            pending = row
    return done, pending


def sweep(options: argparse.Namespace) -> dict[str, Row]:
    """Try what the table lacks; all rows."""
    table = Path(options.table)
    table.parent.mkdir(parents=True, exist_ok=True)
    wanted = [(n, f) for f in options.forms for n in range(len(entries())) if re.search(options.match, name_of(n))]
    deadline = time.monotonic() + options.seconds if options.seconds else None
    while True:
        done, _ = rows_of(table)
        left = [(n, f) for n, f in wanted if f"{n}:{f}" not in done]
        if not left or (deadline and time.monotonic() > deadline):
            return {k: done[k] for n, f in wanted if (k := f"{n}:{f}") in done}
        _send(left[:CHUNK], options, alone=False)


def _send(chunk: Sequence[tuple[int, str]], options: argparse.Namespace, alone: bool) -> None:
    """One worker for a chunk. Where it dies, its entry is tried again case by case, and the case that ends that worker too is a crash."""
    died = _run(chunk, options, alone)
    if not died:
        return
    table = Path(options.table)
    _, pending = rows_of(table)
    if pending is None:
        raise RuntimeError(f"a worker for {chunk} failed before it began: {died}")
    key = pending.get("begin") or pending["case"]
    number, form = key.split(":")
    if not alone:
        return _send([(int(number), form)], options, alone=True)
    failure = (pending.get("number", -1), "crash", died, pending.get("note", ""))
    row = {"done": key, "name": name_of(int(number)), "form": form, "cases": 0, "tried": 0, "torch": {}, "failures": [failure]}
    with table.open("a") as lines:
        lines.write(json.dumps(row) + "\n")


def _run(chunk: Sequence[tuple[int, str]], options: argparse.Namespace, alone: bool) -> str:
    """Run a worker; how it died, or nothing."""
    command = [sys.executable, "-m", "tests.conformance.op_db", "--work", ",".join(f"{n}:{f}" for n, f in chunk)]
    for name in ("table", "samples", "isa", "failures", "threads"):
        value = getattr(options, name)
        command += [f"--{name}", str(value)] if value is not None else []
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": str(options.threads)}
    try:
        process = subprocess.run(
            [*command, *(["--alone"] if alone else [])], cwd=ROOT, env=environment, timeout=SECONDS * len(chunk),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"took longer than {SECONDS * len(chunk)} s"
    if process.returncode == 0:
        return ""
    last = (process.stderr or "").strip().splitlines()
    return f"exit code {process.returncode}: {last[-1][:200] if last else ''}"


# The table in words


def summary(rows: dict[str, Row]) -> str:
    """How many entries end how, by form, and what runs in torch."""
    lines = []
    for form in FORMS:
        mine = [r for r in rows.values() if r["form"] == form and (r["tried"] or r["failures"])]
        if not mine:
            continue
        kinds = collections.Counter(kind for r in mine for kind in {f[1] for f in r["failures"]})
        clean = [r for r in mine if not r["failures"]]
        whole = sum(not r["torch"] for r in clean)
        lines.append(
            f"{form}: {len(mine)} entries, {sum(r['tried'] for r in mine)} cases: {whole} compiled whole, {len(clean) - whole} partly or "
            f"wholly in torch, " + ", ".join(f"{kinds[k]} {k}" for k in ("wrong", "crash", "error", "refused"))
        )
    return "\n".join(lines)


def failures(rows: dict[str, Row]) -> list[str]:
    """A line per failing case."""
    found = []
    for row in rows.values():
        for number, kind, text, note in row["failures"]:
            found.append(f"{kind}\t{row['name']}\t{row['form']} {number}\t{text}\t{note}")
    return sorted(found)


def in_torch(rows: dict[str, Row]) -> list[str]:
    """A line per entry that runs partly or wholly in torch."""
    return sorted(
        f"torch\t{r['name']}\t{r['form']}\t" + "; ".join(f"{k}: {v}" for k, v in r["torch"].items()) for r in rows.values() if r["torch"]
    )


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--match", default=".", help="entries whose name this regular expression finds")
    parser.add_argument("--table", default=str(TABLE), help="file of results, which grows")
    parser.add_argument("--forms", default=",".join(FORMS), type=lambda text: text.split(","))
    parser.add_argument("--samples", type=int, help="at most so many samples of an entry, spread over its list")
    parser.add_argument("--failures", type=int, default=6, help="failing cases after which an entry is left")
    parser.add_argument("--isa", help="instruction set")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="end after so long")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(given)


def main() -> None:
    options = arguments()
    if options.work:
        work([(int(n), f) for n, f in (part.split(":") for part in options.work.split(","))], options)
        return
    rows = sweep(options)
    print("\n".join([*failures(rows), *in_torch(rows), summary(rows)]))


if __name__ == "__main__":
    main()
