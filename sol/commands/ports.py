"""Inputs of a model as a person gives them on a command line: shapes, files, or made up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.errors import InputError

Shapes = dict[str, tuple[int, ...]]
Named = dict[str, np.ndarray]


def parse_shapes(texts: Sequence[str]) -> Shapes:
    """``["image=1,3,224,224"]`` → ``{"image": (1, 3, 224, 224)}``."""
    found: Shapes = {}
    for text in texts:
        name, equals, sizes = text.rpartition("=")
        try:
            found[name] = tuple(int(s) for s in sizes.replace("x", ",").split(",") if s.strip())
        except ValueError:
            equals = ""
        if not equals or any(s < 0 for s in found.get(name, ())):
            raise InputError(f"--shape {text!r} is no shape", remedy="write --shape NAME=1,3,224,224")
    return found


def parse_arrays(texts: Sequence[str], names: Sequence[str], option: str) -> Named:
    """``["x=x.npy", "more.npz", "y.npy"]`` → arrays by name; a file without a name is the next input that has none.

    Raises InputError for a file that is missing or no array, and for a name that the model does not have.
    """
    found: Named = {}
    for text in texts:
        name, _, file = text.rpartition("=")
        if not name and file.endswith(".npz"):
            found.update(_read_npz(file, option))
            continue
        if not name:
            free = [n for n in names if n not in found]
            if not free:
                raise InputError(f"{option} {text}: the model has only {len(names)} inputs")
            name = free[0]
        found[name] = _read_npy(file, option)
    for name in found:
        if name not in names:
            raise InputError(f"{option}: the model has no input {name!r}", remedy=f"its inputs are {', '.join(names)}")
    return found


def _read_npy(file: str, option: str) -> np.ndarray:
    try:
        array = np.load(file, allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"{option}: there is no file {file}") from None
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{option}: {file} is no array of numpy ({error})", remedy="write it with numpy.save") from None
    if not isinstance(array, np.ndarray):
        raise InputError(f"{option}: {file} holds several arrays", remedy="give an .npz file alone, without NAME=")
    return array


def _read_npz(file: str, option: str) -> Named:
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except FileNotFoundError:
        raise InputError(f"{option}: there is no file {file}") from None
    except (OSError, ValueError, EOFError, AttributeError) as error:
        raise InputError(f"{option}: {file} holds no arrays of numpy ({error})") from None


def make_up(name: str, dtype: np.dtype | None, shape: Sequence[int | str] | None, given: Sequence[int] | None, seed: int) -> np.ndarray:
    """An input of that type: floats uniform in [0, 1), integers 0 or 1, booleans true or false.

    A size that the model leaves open is that of ``given``, else 1 if it is the first (the batch); InputError for another.
    """
    if dtype is None or shape is None:
        raise InputError(f"input {name} is no tensor of a known rank and cannot be made up", remedy=f"give it with --input {name}=FILE.npy")
    sizes = tuple(given) if given is not None else tuple(_size(name, i, s, shape) for i, s in enumerate(shape))
    generator = np.random.default_rng([seed, *name.encode()])
    if dtype.kind == "b":
        return generator.random(sizes) < 0.5
    if dtype.kind in "iu":
        return generator.integers(0, 2, sizes).astype(dtype)
    if dtype.kind == "c":
        return (generator.random(sizes) + 1j * generator.random(sizes)).astype(dtype)
    return generator.random(sizes, dtype=np.float32).astype(dtype)


def _size(name: str, place: int, size: int | str, shape: Sequence[int | str]) -> int:
    if isinstance(size, int):
        return size
    if place == 0:
        return 1
    sizes = ",".join(str(s) if isinstance(s, int) else s.upper() for s in shape)
    raise InputError(f"input {name} has an open size {size!r}", remedy=f"give it with --shape {name}={sizes}")


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


