"""``sol run``: run a model once and show or write its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sol.commands.models import Model, feed_for, open_model
from sol.commands.ports import describe_array, parse_shapes, shape_text
from sol.errors import InputError
from sol.runtime.progress import showing_stages


def run(
    model: Path, *, inputs: Sequence[str], shapes: Sequence[str], output: Path | None, threads: int | None, isa: str | None, seed: int
) -> list[str]:
    """Lines that describe inputs and outputs. output: .npy for one output, .npz for any number, by name."""
    sizes = parse_shapes(shapes)
    with showing_stages():
        opened = open_model(model, shapes=sizes, threads=threads, isa=isa)
        feed = feed_for(opened, inputs, sizes, seed)
        results = opened.run(feed)
    names = output_names(opened, len(results))
    lines = [f"in   {p.name}: {shape_text(feed[p.name].dtype, feed[p.name].shape)}" for p in opened.inputs if p.name in feed]
    lines += [f"out  {name}: {describe_array(result)}" for name, result in zip(names, results)]
    if output is not None:
        write(output, dict(zip(names, results)))
        lines.append(f"written to {output}")
    return lines




def output_names(model: Model, count: int) -> list[str]:
    """The model's names of its outputs, else ``output0``, …"""
    return [p.name for p in model.outputs] if len(model.outputs) == count else [f"output{i}" for i in range(count)]


def write(path: Path, results: dict[str, Any]) -> None:
    """Arrays to a file of numpy. InputError if the ending is another or does not fit."""
    arrays = {n: a for n, a in results.items() if isinstance(a, np.ndarray)}
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npz":
        save: Any = np.savez  # for mypy: its own flag comes before the arrays
        save(path, **arrays)
    elif path.suffix == ".npy" and len(arrays) == 1:
        np.save(path, next(iter(arrays.values())))
    else:
        raise InputError(f"{len(results)} outputs cannot be written to {path}", remedy="name a file .npz (.npy for one output)")
