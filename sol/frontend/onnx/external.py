"""Weights in files beside the model: read only inside the model's folder, and only where the file has them."""

from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

import numpy as np
from onnx import TensorProto

from sol.errors import ModelError


def mapped(path: Path, owner: str) -> memoryview:
    """A regular file's content, mapped read-only."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise ModelError(f"{owner} cannot be read: {error.strerror} ({path})", remedy="check the path and its permissions") from error
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise ModelError(f"{owner} is no regular file: {path}", remedy="give the path of a file")
        if not state.st_size:
            return memoryview(b"")
        return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
    finally:
        os.close(descriptor)


def resolve(location: str, folder: Path | None, tensor: str) -> Path:
    """The path of external data; ModelError if it leaves the model's folder."""
    remedy = "put the weights beside the model and load the model by its path"
    if folder is None:
        raise ModelError(f"tensor {tensor!r} lies in the file {location!r}, but the model was not loaded from a folder", remedy=remedy)
    parts = PurePosixPath(location).parts + PureWindowsPath(location).parts
    if not location or "\0" in location or PurePosixPath(location).is_absolute() or PureWindowsPath(location).drive or ".." in parts:
        raise ModelError(f"tensor {tensor!r} reaches outside of the model's folder: {location!r}", remedy=remedy)
    base = folder.resolve()
    path = (base / location).resolve()
    if base not in path.parents:
        raise ModelError(f"tensor {tensor!r} reaches outside of the model's folder by a link: {location!r}", remedy=remedy)
    return path


class ExternalFiles:
    """The external files of one model; each is mapped once."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._maps: dict[Path, memoryview] = {}

    def content(self, tensor: TensorProto, size: int) -> np.ndarray:
        """The ``size`` bytes of a tensor as uint8, not copied."""
        entries = {e.key: e.value for e in tensor.external_data}
        path = resolve(entries.get("location", ""), self.folder, tensor.name)
        offset = self._number(tensor, entries, "offset", 0)
        length = self._number(tensor, entries, "length", size)
        if length != size:
            raise ModelError(f"tensor {tensor.name!r} has {length} bytes of external data, its type and shape need {size}",
                             remedy="export the model again")  # fmt: skip
        data = self._maps.get(path)
        if data is None:
            data = self._maps[path] = mapped(path, f"the external data of tensor {tensor.name!r}")
        if offset + length > len(data):
            raise ModelError(f"tensor {tensor.name!r} lies at bytes {offset} to {offset + length} of {path.name}, which has {len(data)}",
                             remedy="the file is truncated: copy or export it again")  # fmt: skip
        return np.frombuffer(data, np.uint8, length, offset)

    @staticmethod
    def _number(tensor: TensorProto, entries: dict[str, str], key: str, default: int) -> int:
        text = entries.get(key, "")
        if not text:
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 18:
            raise ModelError(f"tensor {tensor.name!r} has the {key} {text!r} in its external data", remedy="export the model again")
        return int(text)
