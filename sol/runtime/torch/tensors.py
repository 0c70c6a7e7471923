"""Torch tensors at the edge of compiled code: where they lie, how results are allocated, and how many threads torch would use."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from sol.codegen.plan import Port
from sol.errors import InputError
from sol.ir.dim import Dim, evaluate
from sol.ir.types import DType
from sol.runtime.arrays import Arrays

TORCH = {
    DType.F64: torch.float64, DType.F32: torch.float32, DType.F16: torch.float16, DType.BF16: torch.bfloat16,
    DType.I64: torch.int64, DType.I32: torch.int32, DType.I16: torch.int16, DType.I8: torch.int8,
    DType.U8: torch.uint8, DType.U16: torch.uint16, DType.U32: torch.uint32, DType.U64: torch.uint64, DType.BOOL: torch.bool,
    DType.F8E4M3FN: torch.float8_e4m3fn, DType.F8E4M3FNUZ: torch.float8_e4m3fnuz,
    DType.F8E5M2: torch.float8_e5m2, DType.F8E5M2FNUZ: torch.float8_e5m2fnuz, DType.F8E8M0: torch.float8_e8m0fnu,
    DType.C32: torch.complex32, DType.C64: torch.complex64, DType.C128: torch.complex128,
    DType.QI8: torch.qint8, DType.QU8: torch.quint8, DType.QI32: torch.qint32,
}  # fmt: skip

SMALL_RESULT = 4096  # elements up to which a tensor is held to allocate others like it, which is faster
SPARE = 8  # small results allocated at once: fetching torch's code, which a network evicts from the cache, takes longer than running it
_is_inference = torch.is_inference_mode_enabled


def numpy_of(tensor: torch.Tensor) -> np.ndarray:
    """A numpy view of a CPU tensor, or a copy of one of a device of sol; bfloat16 and smaller floats become float32.

    Raises InputError for another device.
    """
    tensor = tensor.detach()
    if tensor.device.type == "sol":
        tensor = tensor.cpu()
    if tensor.device.type != "cpu":
        raise InputError(f"a parameter is on the {tensor.device} device", remedy="move the model with .cpu() and load its weights")
    if tensor.dtype.is_floating_point and tensor.dtype not in (torch.float64, torch.float32, torch.float16):
        tensor = tensor.float()
    return tensor.resolve_neg().numpy()


def own_results(results: Sequence[Any], count: int) -> Sequence[Any]:
    """Results of a function of autograd, of which the first ``count`` are given to a caller, who may change them in place: autograd does
    not allow that for views. A view of memory that no other result shows becomes a tensor of its own there, as it is in eager torch: it is
    one only because it has other strides than what is computed."""
    if not any(isinstance(r, torch.Tensor) and r._is_view() for r in results[:count]):
        return results
    places = Counter([r.untyped_storage().data_ptr() for r in results if isinstance(r, torch.Tensor)])
    found = list(results)
    for i, r in enumerate(results[:count]):
        if isinstance(r, torch.Tensor) and r._is_view() and places[r.untyped_storage().data_ptr()] == 1:
            found[i] = torch.empty(0, dtype=r.dtype).set_(r.untyped_storage(), r.storage_offset(), r.shape, r.stride())
    return found


class _Spare:
    """Fresh tensors like a small one, of which some are kept ready. Tensors for inference mode are of another kind."""

    def __init__(self, model: torch.Tensor) -> None:
        self._model = model
        self._ready: tuple[list[torch.Tensor], list[torch.Tensor]] = ([], [])

    def __call__(self, env: Mapping[str, int]) -> torch.Tensor:
        ready = self._ready[_is_inference()]
        try:
            return ready.pop()
        except IndexError:  # also if another thread took the last one
            fresh, *more = [torch.empty_like(self._model) for _ in range(SPARE)]
            ready += [t for t in more if type(t) is torch.Tensor and t.data_ptr()]  # none that a mode or a transform wraps
            return fresh


def _allocator(port: Port) -> Callable[[Mapping[str, int]], Any]:
    dtype = TORCH[port.dtype]
    if not any(isinstance(d, Dim) for d in port.shape):
        shape = tuple(int(d) for d in port.shape)  # type: ignore[arg-type]
        if math.prod(shape) <= SMALL_RESULT:
            return _Spare(torch.empty(shape, dtype=dtype))
        empty, strides = torch.empty_strided, torch.empty(shape, device="meta").stride()  # faster than torch.empty
        return lambda env: empty(shape, strides, dtype=dtype)
    return lambda env: torch.empty(tuple(evaluate(d, env) for d in port.shape), dtype=dtype)


TENSORS = Arrays(address=torch.Tensor.data_ptr, held=numpy_of, allocator=_allocator, threads=torch.get_num_threads)
"""Contiguous CPU tensors."""
