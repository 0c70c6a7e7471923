"""How fast is a call? Networks x engines x batch sizes x threads, every measurement in a process of its own, engines in turn over rounds.

    python benchmarks/inference.py                                          four networks, every engine that is installed
    python benchmarks/inference.py all --rounds 3 --json out.json           the whole list; run again to go on where it stopped
    python benchmarks/inference.py resnet50 timm:resnet26t my.py:network --batch 1,16 --threads 1,2 --float64
    python benchmarks/inference.py --json out.json --report --plot out.png  tables and plot of what was measured

Inputs, weights and seeds are the same for all engines; errors are against torch, in units of the output's largest magnitude.
ONNX Runtime, OpenVINO and ``sol_onnx`` (sol.load) read one ONNX file, in processes that do not import torch.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.results import Case, Results, means_text, plot, row_text  # noqa: E402
from sol.bench import ENGINES, in_process, turns, version_of  # noqa: E402

PEERS = ("inductor", "onnxruntime", "openvino", "eager")
ALIASES = {"ort": "onnxruntime", "torch": "eager", "torch.compile": "inductor", "ov": "openvino"}
FROM_ONNX = ("onnxruntime", "openvino", "sol_onnx")
DEFAULT = ("resnet18", "mobilenet_v2", "squeezenet1_1", "lstm")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0, or 1 if a measurement of sol failed."""
    options = _parser().parse_args(arguments)
    results = Results.load(None if options.fresh else options.json)
    results.path = options.json
    if options.retry_failed:
        results.forget_failures()
    if not options.report:
        _run(options, results)
    else:
        for case, engines in results.rounds.items():
            print(row_text(case, engines))
    print(means_text(results))
    if options.plot:
        plot(results, options.plot)
    failed = [str(c) for c, e in results.rounds.items() if any("failed" in r for r in e.get("sol", []))]
    if failed:
        print(f"sol failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    named = f"names (default {', '.join(DEFAULT)}); all: the whole list; conv: its convolutional networks"
    add("networks", nargs="*", help=f"{named}; torchvision:NAME, timm:NAME, module:function, file.py:function; NAME@SIZE")
    add("--engines", type=_words, default=("sol", *PEERS), help=f"of sol, sol_onnx, {', '.join(PEERS)} (default: all but sol_onnx)")
    add("--batch", type=_numbers, default=(1,), help="batch sizes, separated by commas")
    add("--threads", type=_numbers, default=(2,), help="numbers of threads, separated by commas")
    add("--rounds", type=int, default=3)
    add("--seconds", type=float, default=2.0, help="how long to time one engine in one round")
    add("--float64", action="store_true", help="also report errors against torch in float64")
    add("--json", type=Path, help="where results go after every measurement; what is there is not measured again")
    add("--fresh", action="store_true", help="begin anew although the JSON file exists")
    add("--retry-failed", action="store_true", help="try again what failed")
    add("--report", action="store_true", help="measure nothing: show what the JSON file holds")
    add("--plot", type=Path, help="PNG of speeds relative to the best peer (needs matplotlib)")
    add("--cold", action="store_true", help="caches of sol and torch.compile are empty for each network, as for a new user")
    add("--env", action="append", default=[], metavar="NAME=VALUE", help="environment of the engines, such as SOL_ISA=avx2")
    add("--prefix", default="", help="command before that of each measurement, such as 'taskset -c 0,1'")
    add("--timeout", type=float, default=900.0, help="seconds that one measurement may take")
    return parser


def _words(text: str) -> tuple[str, ...]:
    names = tuple(ALIASES.get(w, w) for w in text.replace(",", " ").split())
    unknown = [n for n in names if n not in ("sol", "sol_onnx", *PEERS)]
    if unknown:
        raise argparse.ArgumentTypeError(f"no engine is called {', '.join(unknown)}; known are sol, sol_onnx, {', '.join(PEERS)}")
    return names


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(w) for w in text.replace(",", " ").split())


def _run(options: argparse.Namespace, results: Results) -> None:
    engines = _installed(options.engines)
    networks = _chosen(options.networks)
    cases = [Case(n, b, t) for n in networks for b in options.batch for t in options.threads]
    for case in cases:
        if any(results.missing(case, e, options.rounds) for e in engines):
            with tempfile.TemporaryDirectory(prefix="sol-bench-") as folder:
                _measure_case(options, results, case, engines, Path(folder))
        print(row_text(case, results.rounds.get(case, {})), flush=True)


def _installed(engines: Sequence[str]) -> tuple[str, ...]:
    """Those whose package is there; the others are reported."""
    for engine in engines:
        if version_of(ENGINES[engine][0]) is None:
            print(f"{engine}: not measured, {ENGINES[engine][0]} is not installed (pip install {ENGINES[engine][0]})", file=sys.stderr)
    return tuple(e for e in engines if version_of(ENGINES[e][0]) is not None)


def _chosen(names: Sequence[str]) -> list[str]:
    if not {"all", "conv"} & set(names):
        return list(names or DEFAULT)
    from benchmarks.families import family_of
    from tests.models.networks import NETWORKS

    dense = ("fully connected", "transformer", "recurrent")
    groups = {"all": list(NETWORKS), "conv": [n for n in NETWORKS if family_of(n) not in dense]}
    return list(dict.fromkeys(n for name in names for n in groups.get(name, [name])))


def _measure_case(options: argparse.Namespace, results: Results, case: Case, engines: Sequence[str], folder: Path) -> None:
    base: dict[str, Any] = {"network": case.network, "batch": case.batch, "threads": case.threads, "folder": str(folder)}
    wanted = [e for e in engines if results.missing(case, e, options.rounds)]
    onnx = any(e in FROM_ONNX for e in wanted)
    notes = _worker(options, {**base, "job": "prepare", "onnx": onnx, "float64": options.float64}, folder)
    if "failed" in notes:
        for engine in wanted:
            results.add(case, engine, {"failed": f"the network could not be made: {notes['failed']}"})
        return
    results.notes[case] = {**results.notes.get(case, {}), **notes}
    for round_, engine in turns(wanted, options.rounds):
        if results.missing(case, engine, options.rounds) < options.rounds - round_:
            continue
        if engine in FROM_ONNX and str(notes.get("onnx", "")).startswith("failed"):
            results.add(case, engine, {"failed": f"no ONNX file: {notes['onnx']}"})
            continue
        job = {**base, "job": "measure", "engine": engine, "seconds": options.seconds}
        results.add(case, engine, _worker(options, job, folder))


def _worker(options: argparse.Namespace, job: dict[str, Any], folder: Path) -> dict[str, Any]:
    line = [*options.prefix.split(), sys.executable, str(ROOT / "benchmarks" / "worker.py"), json.dumps(job)]
    env = {"OMP_NUM_THREADS": str(job["threads"]), "HF_HUB_OFFLINE": "1", "SOL_PROGRESS": "off"}
    if options.cold:
        env |= {"SOL_CACHE_DIR": str(folder / "sol-cache"), "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor-cache")}
    env |= dict(pair.partition("=")[::2] for pair in options.env)
    return in_process(line, environment=env, timeout=options.timeout)


if __name__ == "__main__":
    sys.exit(main())
