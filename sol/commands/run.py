"""``sol run``: run a model once and show or write its outputs."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from sol.build.progress import showing_stages
from sol.commands.files import write_file
from sol.commands.models import Model, feed_for, open_model
from sol.commands.ports import describe_array, parse_shapes, shape_text
from sol.errors import InputError


def run(
    model: Path, *, inputs: Sequence[str], shapes: Sequence[str], output: Path | None, threads: int | None, isa: str | None, seed: int
) -> list[str]:
    """Lines that describe inputs and outputs. output: .npy for one output, .npz for any number, by name."""
    if output is not None and output.suffix not in (".npz", ".npy"):
        raise InputError(f"--output {output}: what is written is told by the ending", remedy="name a file .npz (.npy for one output)")
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
    """Outputs to a file of numpy; those of a sequence are named ``name.0``, …, an empty optional is left out.

    InputError if one .npy file is to hold more or less than one array; OutputError if it cannot be written.
    """
    arrays = {n: a for name, result in results.items() for n, a in _arrays(name, result)}
    if path.suffix == ".npy":
        if len(arrays) != 1:
            raise InputError(f"{len(arrays)} arrays cannot be written to {path}", remedy="name a file .npz")
        array = next(iter(arrays.values()))
        write_file(path, lambda stream: np.lib.format.write_array(stream, array, allow_pickle=False))
    else:
        write_file(path, lambda stream: _write_archive(stream, arrays))


def _arrays(name: str, result: Any) -> list[tuple[str, np.ndarray]]:
    if isinstance(result, (list, tuple)):
        return [found for i, part in enumerate(result) for found in _arrays(f"{name}.{i}", part)]
    if result is None:
        return []
    array = np.asarray(result)
    return [(name, array.astype(str) if array.dtype.kind == "O" else array)]


def _write_archive(stream: BinaryIO, arrays: dict[str, np.ndarray]) -> None:
    """What numpy.savez writes, which does not take every name."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
