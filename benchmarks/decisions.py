"""Does the cost model know which kernel is faster? All ways to compute the heavy regions of networks, measured and compared with it.

    python benchmarks/decisions.py resnet50 --json ways.json --build        compile the ways, so that measuring takes little time
    python benchmarks/decisions.py resnet50 --json ways.json --rounds 3     measure; run again to go on where it stopped
    python benchmarks/decisions.py resnet50 densenet121 --json ways.json --report

A region's ways run where they run in the network, in turns with those of the others (docs/tuning.md), in rounds with memory of their own.
Of each region the two ways that were measured fastest are judged: does the model predict less time for the faster one? Two tie if the
rounds do not agree which one is faster, or if their times differ by less than the noise. Predictions are those of the code at hand, so a
report can be made again after a change of the model.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.networks import HELP, build  # noqa: E402
from benchmarks.orders import Order, Predicted, Rounds, orders, report  # noqa: E402
from sol.bench import machine_facts  # noqa: E402
from sol.codegen.compiled import target_for  # noqa: E402
from sol.codegen.defuse import served  # noqa: E402
from sol.codegen.kernels.families import decisions  # noqa: E402
from sol.codegen.lowering import Lowering  # noqa: E402
from sol.codegen.signature import signature  # noqa: E402
from sol.codegen.targets import Target, usable_cpus  # noqa: E402
from sol.codegen.trial import Trial, make_trial  # noqa: E402
from sol.frontend.torch.export import import_module  # noqa: E402
from sol.inspect.alternatives import LOOKED_AT, lowerings  # noqa: E402
from sol.ir.graph import Graph  # noqa: E402
from sol.passes.pipeline import run_passes  # noqa: E402
from sol.tuning.calibration import calibrated  # noqa: E402
from sol.tuning.trials import Bench  # noqa: E402
from sol.tuning.tuner import run_all, typical  # noqa: E402

RUNS = 16
"""Runs of every way in a round; fewer of those that stay far behind."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0."""
    options = _parser().parse_args(arguments)
    threads = options.threads or usable_cpus()
    target = calibrated(target_for(None, threads))
    rounds = _loaded(options.json)
    found: dict[str, list[Order]] = {}
    for network in options.networks:
        model, inputs = build(network)
        graph = import_module(model, inputs(1)).graph
        fused = served(list(run_passes(graph, target))[-1][1], target)
        if options.build:
            Bench(_trial(fused, target), fused, target, threads)
        elif not options.report:
            _measure(network, fused, target, threads, rounds, options)
        found[network] = orders(_predicted(fused, target), rounds.get(_case(network, threads), []))
    print(report(found, verbose=options.verbose))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("networks", nargs="+", help=HELP)
    add("--json", type=Path, required=True, help="where rounds go; what is there is not measured again")
    add("--rounds", type=int, default=3, help="how many there are to be of each network")
    add("--seconds", type=float, default=50.0, help="begin no other round after so long")
    add("--threads", type=int, help="in the team (default: the usable CPUs)")
    add("--build", action="store_true", help="compile what is to be measured, and measure nothing")
    add("--report", action="store_true", help="measure nothing: judge what the JSON file holds")
    add("--verbose", action="store_true", help="also list regions of which the order is as predicted")
    return parser


def _case(network: str, threads: int) -> str:
    return f"{network} threads {threads}"


def _loaded(path: Path) -> dict[str, list[Rounds]]:
    return json.loads(path.read_text())["rounds"] if path.exists() else {}


def _asked(lowering: Lowering) -> Sequence[Any]:
    return decisions(lowering) if lowering.region.attrs["anchor"] else ()


def _trial(fused: Graph, target: Target) -> Trial:
    return make_trial(fused, target, lambda _, names: names[:LOOKED_AT], ask=_asked)


def _measure(network: str, fused: Graph, target: Target, threads: int, rounds: dict[str, list[Rounds]], options: Any) -> None:
    """Add the rounds that are missing, as far as the time goes."""
    done, end = rounds.setdefault(_case(network, threads), []), time.monotonic() + options.seconds
    trial = _trial(fused, target)
    while len(done) < options.rounds and time.monotonic() < end:
        times = run_all([Bench(trial, fused, target, threads)], RUNS, time.monotonic() + options.seconds, time.monotonic)[0]
        seconds: Rounds = {}
        for group, ways in zip(trial.groups, times):
            for way, samples in zip(group.ways, ways):
                if group.key and (found := typical(samples)) is not None:
                    seconds.setdefault(group.key, {}).setdefault(way.name, []).append(found)
        done.append(seconds)
        options.json.write_text(json.dumps({"machine": machine_facts(), "rounds": rounds}))
        print(f"{network}: round {len(done)} of {options.rounds}", file=sys.stderr)


def _predicted(fused: Graph, target: Target) -> list[Predicted]:
    """Every heavy region with what the model says of its ways."""
    return [
        Predicted(x.region.name, x.region.attrs["anchor"], signature(x), {d.name: d.seconds for d in decisions(x)})
        for _, x in lowerings(fused, target)
    ]


if __name__ == "__main__":
    sys.exit(main())
