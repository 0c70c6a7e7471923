"""Inputs of a model as a person gives them on a command line: shapes, files, or made up."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

from sol.errors import InputError

Size = Union[int, str]  # noqa: UP007  (evaluated)
Shapes = dict[str, tuple[Size, ...]]
Named = dict[str, np.ndarray]
EXAMPLE = 64
"""What is proposed for an open size that is no batch."""


def parse_shapes(texts: Sequence[str]) -> Shapes:
    """``["image=1,3,224,224", "ids=4,length"]`` → ``{"image": (1, 3, 224, 224), "ids": (4, "length")}``; a name leaves a size open."""
    found: Shapes = {}
    for text in texts:
        name, equals, sizes = text.rpartition("=")
        parts = sizes.replace("x", ",") if re.fullmatch(r"\d+(x\d+)+", sizes) else sizes
        shape = tuple(_size(part.strip()) for part in parts.split(",")) if parts.strip() else ()
        if not equals or not name or "" in shape:
            raise InputError(f"--shape {text!r} is no shape", remedy="write --shape NAME=1,3,224,224")
        if found.setdefault(name, shape) != shape:
            raise InputError(f"--shape gives input {name} two shapes")
    return found


def _size(text: str) -> Size:
    """A number, a name, or nothing for what is neither; "?" stands for whatever the model says."""
    if re.fullmatch(r"\d{1,12}", text):
        return int(text)
    return text if text == "?" or re.fullmatch(r"[^\W\d][\w.:/ -]*", text) else ""


def parse_arrays(texts: Sequence[str], names: Sequence[str], option: str) -> Named:
    """``["x=x.npy", "more.npz", "y.npy"]`` → arrays by name; a file without a name is the next input that has none.

    Raises InputError for a file that is missing or no array, and for a name that the model does not have.
    """
    found: Named = {}
    for text in texts:
        name, _, file = text.rpartition("=")
        if name not in names and Path(text).is_file():  # the name of a file may have an equals sign
            name, file = "", text
        if not name and file.endswith(".npz"):
            new = _read_npz(file, option)
        else:
            free = [name] if name else [n for n in names if n not in found]
            if not free:
                raise InputError(f"{option} {text}: {_all_given(names)}")
            new = {free[0]: _read_npy(file, option)}
        for given in new:
            if given not in names:
                raise InputError(f"{option} {text}: the model has no input {given!r}", remedy=f"its inputs are {', '.join(names)}")
            if given in found:
                raise InputError(f"{option} {text}: input {given} is given twice")
        found.update(new)
    return found


def _all_given(names: Sequence[str]) -> str:
    count = len(names)
    return "the model has no inputs" if count == 0 else f"the model has only {count} input{'s' if count > 1 else ''}: {', '.join(names)}"


def _read_npy(file: str, option: str) -> np.ndarray:
    try:
        array = np.load(file, allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"{option}: there is no file {file!r}") from None
    except OSError as error:
        raise InputError(f"{option}: {file} cannot be read ({error.strerror or error})") from None
    except Exception as error:  # what numpy, zipfile and ast raise for damaged files
        raise InputError(f"{option}: {file} is no array of numpy ({_first_line(error)})", remedy="write it with numpy.save") from None
    if not isinstance(array, np.ndarray):
        raise InputError(f"{option}: {file} holds several arrays", remedy="give an .npz file alone, without NAME=")
    return array


def _read_npz(file: str, option: str) -> Named:
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except FileNotFoundError:
        raise InputError(f"{option}: there is no file {file!r}") from None
    except OSError as error:
        raise InputError(f"{option}: {file} cannot be read ({error.strerror or error})") from None
    except Exception as error:
        raise InputError(f"{option}: {file} holds no arrays of numpy ({_first_line(error)})", remedy="write it with numpy.savez") from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]


def make_up(name: str, dtype: np.dtype | None, shape: Sequence[Size] | None, seed: int) -> np.ndarray:
    """An input of that type: floats uniform in [0, 1), integers 0 or 1, booleans true or false.

    A size that is left open is 1 if it is the first (the batch); InputError for another.
    """
    if dtype is None or shape is None:
        raise InputError(f"input {name} is no tensor of a known rank and cannot be made up", remedy=f"give it with --input {name}=FILE.npy")
    sizes = tuple(_made_up_size(name, i, shape) for i in range(len(shape)))
    generator = np.random.default_rng([seed, *name.encode()])
    try:
        if dtype.kind == "b":
            return generator.random(sizes) < 0.5
        if dtype.kind in "iu":
            return generator.integers(0, 2, sizes).astype(dtype)
        if dtype.kind == "c":
            return (generator.random(sizes) + 1j * generator.random(sizes)).astype(dtype)
        return generator.random(sizes, dtype=np.float32).astype(dtype)
    except (MemoryError, ValueError) as error:  # ValueError: more elements than an address has bits
        raise InputError(f"an input {name} of the shape {list(sizes)} does not fit into memory", remedy="give smaller sizes") from error


def _made_up_size(name: str, place: int, shape: Sequence[Size]) -> int:
    size = shape[place]
    if isinstance(size, int):
        return size
    if place == 0:
        return 1
    sizes = ",".join(str(s if isinstance(s, int) else 1 if i == 0 else EXAMPLE) for i, s in enumerate(shape))
    option = shlex.quote(f"{name}={sizes}")
    raise InputError(f"input {name} has the open size {size}", remedy=f"say how large it is, for example with --shape {option}")


def shape_text(dtype: Any, shape: Sequence[int | str] | None) -> str:
    """``float32[1, 3, height, width]``."""
    return f"{dtype if dtype is not None else 'sequence, optional or text'}" + ("" if shape is None else f"[{', '.join(map(str, shape))}]")


def describe_array(array: Any) -> str:
    """Type and range of a result, for people."""
    if not isinstance(array, np.ndarray):
        return f"{type(array).__name__} of {len(array)}" if hasattr(array, "__len__") else str(array)
    text = shape_text(array.dtype, array.shape)
    if array.size and array.dtype.kind not in "OUS":
        values = array.astype(np.float64) if array.dtype.kind != "c" else np.abs(array)
        text += f"  min {values.min():.6g}  mean {values.mean():.6g}  max {values.max():.6g}"
    return text


