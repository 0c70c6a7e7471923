"""What callers give as inputs of an ONNX model, as numpy arrays: torch tensors, dlpack, lists for sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from sol.errors import InputError


def as_arrays(given: Any, name: str, dtype: np.dtype | None) -> Any:
    """An input as a numpy array of the model's dtype, or as a list of such for a sequence (``dtype`` is None); InputError for a misfit."""
    if given is None:
        return None
    if dtype is None and isinstance(given, (list, tuple)):
        return [as_arrays(g, name, None) for g in given]
    if not isinstance(given, np.ndarray):
        given = as_array(given)
    if dtype is not None and given.dtype != dtype:
        raise InputError(f"input {name} is {given.dtype}, the model takes {dtype}", remedy=f"convert it: array.astype({str(dtype)!r})")
    return given


def as_array(given: Any) -> np.ndarray:
    """A numpy array of the same memory where the owner allows that."""
    if hasattr(given, "detach"):  # a torch tensor: numpy's from_dlpack takes neither those with gradients nor bfloat16
        return _from_torch(given.detach())
    if hasattr(given, "__dlpack__") and not isinstance(given, np.generic):
        return np.from_dlpack(given)
    return np.asarray(given)


def _from_torch(tensor: Any) -> np.ndarray:
    import torch

    if tensor.device.type != "cpu":
        raise InputError(f"an input is on the {tensor.device} device; compiled code runs on the CPU", remedy="move it with .cpu()")
    name = str(tensor.dtype).removeprefix("torch.")
    if name.startswith(("bfloat", "float8")):
        import ml_dtypes

        bits = tensor.contiguous().view(torch.int16 if name == "bfloat16" else torch.uint8)
        return bits.numpy().view(getattr(ml_dtypes, name))
    return tensor.resolve_neg().numpy()
