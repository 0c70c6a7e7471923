"""Imports an ONNX model for the inputs of a call: open where it can be, fixed in sizes and contents where it must be."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np

from sol.errors import InputError, ModelError, SolError, UnsupportedError
from sol.frontend.onnx import ImportedModel, LoadedModel, import_model
from sol.frontend.onnx.context import NeedsValue
from sol.frontend.onnx.importer import Signature
from sol.ir.types import DType, TensorType

log = logging.getLogger("sol.runtime")
_TYPE_UNKNOWN = ("its type", "its rank")


def signature(array: Any) -> Signature:
    """The type of an input as a call has it: an array, a list (a sequence), or None (an empty optional)."""
    if isinstance(array, list):
        return tuple(signature(a) for a in array)
    return None if array is None else TensorType(DType.from_numpy(array.dtype), array.shape)


def is_text(array: Any) -> bool:
    """Whether an input is a tensor of strings."""
    return isinstance(array, np.ndarray) and array.dtype.kind in "OUS"


def import_for(
    model: LoadedModel, given: Mapping[str, Signature], arrays: Mapping[str, Any] | None, *, fixed: bool = False, trainable: bool = False
) -> ImportedModel:  # fmt: skip
    """The graph for a call, or without ``arrays`` for any call: what it needs as constants is added until nothing is missing.

    given: types that the user stated. fixed: no size stays open. Raises NeedsValue without ``arrays`` where a call must tell more.
    """
    attempt = _Attempt(dict(given), arrays)
    if fixed:
        attempt.fix_sizes()
    while True:
        try:
            return import_model(model, attempt.signatures, attempt.contents, trainable=trainable)
        except NeedsValue as needed:
            if attempt.add(needed):
                continue
            if arrays is None:
                raise
            raise UnsupportedError(f"{needed.what} is computed while the model runs", origin=needed.origin,
                                   remedy="make it a constant of the model") from needed  # fmt: skip
        except ModelError:
            raise
        except SolError as error:
            if not attempt.fix_sizes():
                raise
            log.info("sizes are taken as fixed, because: %s", error.message)


class _Attempt:
    """What is fixed so far."""

    def __init__(self, signatures: dict[str, Signature], arrays: Mapping[str, Any] | None) -> None:
        self.signatures, self.arrays = signatures, arrays or {}
        self.contents: dict[str, np.ndarray] = {}

    def fix_sizes(self) -> bool:
        """Take all sizes from the call; False if they were already, or there is no call."""
        missing = [n for n in self.arrays if n not in self.signatures and n not in self.contents and not is_text(self.arrays[n])]
        self.signatures.update({n: signature(self.arrays[n]) for n in missing})
        return bool(missing)

    def add(self, needed: NeedsValue) -> bool:
        """Enter what an import needs; False if that is nothing new."""
        new = bool(needed.symbols) and self.fix_sizes()
        for name in needed.inputs:
            if name not in self.arrays or name in self.contents:
                continue
            array = self.arrays[name]
            if needed.what in _TYPE_UNKNOWN and not is_text(array):
                new = new or name not in self.signatures
                self.signatures[name] = signature(array)
            elif isinstance(array, np.ndarray):
                self.contents[name] = array.copy()
                self.signatures.pop(name, None)
                new = True
            else:
                raise InputError(f"{needed.what} depends on the sequence {name}", remedy="make it a constant of the model")
        return new
