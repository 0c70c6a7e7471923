"""The results of the sweep as text: counts by kind, and every model that does not run whole with the reason."""

from __future__ import annotations

import math
import platform
from collections import Counter
from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]
Rows = Mapping[tuple[str, str], Row]
COLUMNS = ("whole", "pieces", "eager", "wrong", "exception")
HEADS = ("kind", "models", *COLUMNS, "whole %", "speed", "eager torch fails")


def category(row: Row) -> str:
    """What a row counts as: wrong and exception, else how much was compiled; "eager fails" where there is nothing to compare with."""
    return str(row["how"]) if row["outcome"] == "ok" else str(row["outcome"])


def counts(rows: Rows) -> list[tuple[str, ...]]:
    """A line of HEADS for each kind and one for all."""
    kinds = list(dict.fromkeys(kind for kind, _ in rows))
    parts = {kind: [r for (k, _), r in rows.items() if k == kind] for kind in kinds} | {"all": list(rows.values())}
    return [_line(kind, part) for kind, part in parts.items()]


def _line(kind: str, rows: list[Row]) -> tuple[str, ...]:
    count = Counter(category(r) for r in rows)
    models = sum(count[c] for c in COLUMNS)
    ratios = [r["ratio"] for r in rows if r["outcome"] == "ok" and r.get("ratio", 0) > 0]
    speed = f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}" if ratios else ""
    share = f"{100 * count['whole'] / models:.1f}" if models else ""
    return (kind, str(models), *(str(count[c]) for c in COLUMNS), share, speed, str(count["eager fails"]))


def summary(rows: Rows) -> str:
    """Counts as lines of text."""
    lines = [HEADS, *counts(rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADS))]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:]))]) for line in lines)


INFERENCE = """A result is wrong if its error against float64, in units of the largest element of the
output, is more than 5 times torch's own and above 1e-5 (in float32), or if structure, types or shapes differ. Whole: all operations are in
one compiled graph; Python may fill a memo beside it. Pieces: some run in torch, or Python runs between compiled parts. Eager: nothing was
compiled. Speed: geometric mean of eager torch's time over sol's, roughly measured."""
TRAINING = """What is compared are the results of the forward pass in training mode without dropout, the gradients
of all parameters for a loss that weighs all results at random, and the buffers afterwards, two images or sequences at a time. Wrong is an
error against float64 in units of the largest element that is more than 5 times torch's own and above 1e-5 (of gradients 1e-4, the largest
one of a parameter taken as at least a thousandth of the model's), or a gradient that is missing. Whole: all operations of both passes are
in two compiled graphs. Pieces: some run in torch, or Python runs between compiled parts. Eager: nothing was compiled. Speed: geometric mean
of eager torch's time for forward pass, loss and backward pass over sol's, roughly measured."""


def table(rows: Rows, threads: int, training: bool = False) -> str:
    """A page in Markdown."""
    title, command = ("Sweep of training steps", ' SWEEP="--training --page docs/training_sweep.md"') if training else ("Sweep", "")
    head = f"""# {title}

Models beside eager torch, each in a process of its own; written by `make sweep{command}`, which goes on where it stopped. {_machine()},
{threads} {"thread" if threads == 1 else "threads"}. {TRAINING if training else INFERENCE}

"""
    text = head + _markdown(HEADS, counts(rows))
    for title, category_ in (("Wrong", "wrong"), ("Exceptions", "exception"), ("In eager torch", "eager"), ("In pieces", "pieces")):
        found = [((kind, name), r) for (kind, name), r in rows.items() if category(r) == category_]
        if found:
            lines = [(f"{kind}: {name}", _why(r)) for (kind, name), r in found]
            text += f"\n## {title}\n\n" + _markdown(("model", "what"), lines)
    return text


def _why(row: Row) -> str:
    if row["outcome"] != "ok":
        return str(row["text"])
    parts = [row["pieces"]] if row.get("pieces") else []
    return "; ".join([*parts, *(f"{name}: {reason}" for name, reason in row.get("torch", {}).items())])[:400]


def _markdown(heads: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    all_lines = [heads, tuple("---" for _ in heads), *(tuple(cell.replace("|", "\\|") for cell in line) for line in lines)]
    return "\n".join("| " + " | ".join(line) + " |" for line in all_lines) + "\n"


def _machine() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()
