"""Imports an ONNX model for the inputs of a call: open where it can be, fixed in sizes and contents where it must be."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from sol.errors import InputError, ModelError, SolError, TypeInferenceError, UnsupportedError
from sol.frontend.imported import Guard, Imported
from sol.frontend.onnx import LoadedModel, import_model
from sol.frontend.onnx.context import NeedsValue
from sol.frontend.onnx.importer import Signature
from sol.ir.dim import Dim, DimLike, UndecidedError, deciding_range, symbols, undecided
from sol.ir.types import DType, TensorType

log = logging.getLogger("sol.runtime")
_TYPE_UNKNOWN = ("its type", "its rank")
SMALLEST = 2
"""Open sizes below it are fixed: kernels take them for what broadcasts or is empty."""
MOST_RANGES = 64
"""Comparisons of sizes that a program may depend on."""
Made = TypeVar("Made")


def signature(array: Any) -> Signature:
    """The type of an input as a call has it: an array, a list (a sequence), or None (an empty optional)."""
    if isinstance(array, list):
        return tuple(signature(a) for a in array)
    return None if array is None else TensorType(DType.from_numpy(array.dtype), array.shape)


def is_text(array: Any) -> bool:
    """Whether an input is a tensor of strings."""
    return isinstance(array, np.ndarray) and array.dtype.kind in "OUS"


def import_for(
    model: LoadedModel, given: Mapping[str, Signature], arrays: Mapping[str, Any] | None, make: Callable[[Imported], Made],
    *, fixed: bool = False, trainable: bool = False
) -> Made:  # fmt: skip
    """What ``make`` gives for the graph of a call, or without ``arrays`` of any call: what it needs as constants is added until nothing
    is missing. Where a comparison depends on a size, the graph is for the range of it in which the answer is the call's.

    given: types that the user stated. fixed: no size stays open. Raises NeedsValue without ``arrays`` where a call must tell more.
    """
    attempt = _Attempt(model, dict(given), arrays)
    if fixed:
        attempt.fix_sizes()
    options: dict[str, Any] = {"trainable": trainable, "smallest": SMALLEST, "sizes": attempt.sizes, "guarded": True}
    while True:
        try:
            return make(import_model(model, attempt.signatures, attempt.contents, **options))
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
            comparison = undecided(error)
            if comparison is not None and attempt.narrow(comparison):
                continue
            if not attempt.fix_sizes():
                if attempt.contents and isinstance(error, TypeInferenceError):
                    remedy = f"shapes follow from the content of {', '.join(attempt.contents)}: give another content"
                    raise InputError(error.message, origin=error.origin, remedy=remedy) from error
                raise
            log.info("sizes are taken as fixed, because: %s", error.message)


class _Attempt:
    """What is fixed so far.

    sizes: names of open sizes → a number, or a symbol with a narrower range.
    """

    def __init__(self, model: LoadedModel, signatures: dict[str, Signature], arrays: Mapping[str, Any] | None) -> None:
        self.signatures, self.arrays = signatures, arrays or {}
        self.contents: dict[str, np.ndarray] = {}
        self.of_call = _call_sizes(model, self.arrays)
        self.sizes: dict[str, DimLike] = {n: s for n, s in self.of_call.items() if s < SMALLEST}
        self.ranges = 0

    def fix_sizes(self) -> bool:
        """Take all sizes from the call; False if they were already, or there is no call."""
        missing = [n for n in self.arrays if n not in self.signatures and n not in self.contents and not is_text(self.arrays[n])]
        self.signatures.update({n: signature(self.arrays[n]) for n in missing})
        return bool(missing)

    def fix(self, names: tuple[str, ...]) -> bool:
        """Take these sizes from the call; False if one of them is none of the call's, or all are fixed."""
        if any(n not in self.of_call for n in names):
            return False
        new = [n for n in names if not isinstance(self.sizes.get(n), int)]
        self.sizes.update({n: self.of_call[n] for n in new})
        return bool(new)

    def narrow(self, comparison: UndecidedError) -> bool:
        """Make a comparison of sizes have one answer, by a range of one of them or by fixing them; False if that is not possible."""
        names = tuple(s.name for s in symbols(comparison.difference))
        self.ranges += 1
        if self.ranges > MOST_RANGES:
            return False
        if len(names) == 1 and (names[0] in self.of_call or not self.arrays):
            found = deciding_range(comparison, self.of_call.get(names[0]))
            if found is not None:
                known = found.lower == found.upper
                self.sizes[found.name] = found.lower if known else Dim.symbol(found.name, found.lower, found.upper)
                return True
        return self.fix(names)

    def add(self, needed: NeedsValue) -> bool:
        """Enter what an import needs; False if that is nothing new."""
        new = bool(needed.symbols) and (self.fix(needed.symbols) or self.fix_sizes())
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


def check_guards(guards: Sequence[Guard], flag: Callable[[int], Any]) -> None:
    """Raise the error of the first guard that a call breaks. flag: number of an output of the graph → its value, of one element."""
    for guard in guards:
        if bool(flag(guard.index).reshape(-1)[0]) != guard.expected:
            raise UnsupportedError(guard.error.message, origin=guard.error.origin, remedy=guard.error.remedy)


def _call_sizes(model: LoadedModel, arrays: Mapping[str, Any]) -> dict[str, int]:
    """What a call says of the sizes that its inputs' types name; of one that two inputs have differently the first."""
    found: dict[str, int] = {}
    for info in model.inputs:
        array, kind = arrays.get(info.name), info.type.tensor_type
        if not isinstance(array, np.ndarray) or info.type.WhichOneof("value") != "tensor_type" or not kind.HasField("shape"):
            continue
        for d, size in zip(model.shape(kind.shape, info.name, SMALLEST), array.shape):
            if isinstance(d, Dim):
                found.setdefault(str(d), size)
    return found
