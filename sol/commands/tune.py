"""``sol tune``: the figures of this machine by which kernels are chosen."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sol.codegen.machines import Machine
from sol.codegen.targets import Target, resolve
from sol.commands.console import table
from sol.config import config
from sol.tuning import tile_pace
from sol.tuning.calibration import Calibration, kept
from sol.tuning.calibration import calibrate as measure

GIGA, MICRO = 1e9, 1e-6


def tune(*, calibrate: bool = False, seconds: float = 3.0, threads: int | None = None) -> dict[str, Any]:
    """Facts by name: figures of the table for this kind of processor, and those that were measured. calibrate: measure anew."""
    target = resolve("native")
    found = measure(seconds, threads) if calibrate else kept(target)
    machine = target.machine
    return {
        "isa": target.name,
        "table": machine.name,
        "measured_on": machine.measured_on,
        "figures": _figures(machine),
        "calibration": found and _calibrated(machine, found),
        "tiles": _tiles(target) if target.matrix_tiles else None,
        "used": "calibration" if found and config["calibration"] else "table",
    }


def _tiles(target: Target) -> dict[str, Any]:
    """Cycles of a product of matrix tiles; used: which of them kernels are chosen by."""
    measured = tile_pace.kept(target)
    return {
        "table": target.machine.tiles.dot, "measured": measured, "used": "measured" if measured and config["calibration"] else "table",
    }  # fmt: skip


def _figures(machine: Machine) -> dict[str, Any]:
    return {"core": asdict(machine.core), "memory": asdict(machine.memory), "barrier": machine.team.barrier, "wake": machine.team.wake}


def _calibrated(machine: Machine, found: Calibration) -> dict[str, Any]:
    figures = _figures(machine.with_figures(found.figures))
    return {"figures": figures, "spreads": dict(found.spreads), "notes": found.notes}


def tune_text(facts: dict[str, Any]) -> str:
    """The facts for people."""
    found = facts["calibration"]
    lines = [f"{facts['isa']}, table {facts['table']}: measured on {facts['measured_on']}"]
    columns = {"table": _rows(facts["figures"])}
    if found:
        columns |= {"measured here": _rows(found["figures"]), "spread": {name: f"{s:.1%}" for name, s in found["spreads"].items()}}
    rows = [[label, *(column.get(name, "") for column in columns.values())] for name, label in LABELS.items()]
    lines += ["", table(["figure", *columns], rows), ""]
    lines += found["notes"] if found else []
    if tiles := facts["tiles"]:
        here = f"{tiles['measured']:.3g} measured here" if tiles["measured"] else "to be measured when code for them is first asked for"
        lines.append(f"cycles of a product of matrix tiles: {tiles['table']:.3g} where nothing disturbs it, {here}")
    if facts["used"] == "calibration":
        lines.append("kernels are chosen by what was measured here; sol cache clear --kind machine removes it")
    elif found:
        lines.append("kernels are chosen by the table: the knob calibration is off")
    else:
        why = ": nothing was measured here (sol tune --calibrate)"
        if tiles and tiles["used"] == "measured":
            why = ", those of matrix tiles by what was measured (sol tune --calibrate measures the rest, too)"
        elif tiles and tiles["measured"]:
            why = ": the knob calibration is off"
        lines.append(f"kernels are chosen by the table{why}")
    return "\n".join(lines)


LABELS = {
    "clock": "clock while multiplying, GHz", "multiply_adds": "vector multiply-adds per cycle", "additions": "vector additions beside them",
    "loads": "vectors loaded per cycle", "broadcasts": "numbers broadcast per cycle", "barrier": "barrier, us", "wake": "waking a team, us",
    **{f"{level} {team}": f"{level} read {team}, GB/s" for level in ("l1", "l2", "l3", "main") for team in ("alone", "together")},
}  # fmt: skip
"""Figure → what it is called in the table."""


def _rows(figures: dict[str, Any]) -> dict[str, str]:
    """Figure → its text; "-" where it is not known."""
    core, levels = figures["core"], {name: level for name, level in figures["memory"].items() if name != "threads"}
    rows = {name: f"{value / GIGA if name == 'clock' else value:.3g}" for name, value in core.items()}
    rows |= {f"{name} {team}": _number(level[team], GIGA) for name, level in levels.items() for team in ("alone", "together")}
    return {**rows, "barrier": _number(figures["barrier"], MICRO), "wake": _number(figures["wake"], MICRO)}


def _number(value: float, unit: float) -> str:
    return f"{value / unit:.3g}" if value else "-"
