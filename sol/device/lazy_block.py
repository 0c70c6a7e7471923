"""``sol.device.lazy()``: pointwise operations of the device are recorded, and run as one compiled region when something else asks for them.

A recorded operation has its result's memory already; the region fills it. Whatever needs a recorded result runs after the region:
operations that are not pointwise, views, changes in place, copies to the host, and the end of the block. So does what changes an operand.
Results of which nothing is left when the region runs are never written.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from sol.runtime.torch.operation import Operation, compile_operation, expected_results
from sol.runtime.torch.placement import placement

MOST = 64
"""Operations of one region."""
VARIANTS = 8
"""Regions that are compiled of the same operations with other numbers; further ones run one operation after the other."""


class _Input(NamedTuple):
    """Number of an input of the region, in the place of a tensor."""

    number: int


class _Result(NamedTuple):
    """Number of a recorded operation, in the place of its result."""

    number: int


class _Recorded(NamedTuple):
    """function: of PyTorch. args, kwargs: with `_Input` and `_Result` in the place of tensors. like: the result, without memory.
    storage: whether anybody still has the result's memory."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    like: torch.Tensor
    storage: StorageWeakRef


class _Networks:
    """Regions that were compiled in this process: for a region's key the number of its network, or None where operations run one by one."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int | None] = {}
        self.variants: Counter[Any] = Counter()
        self.kept: list[Operation] = []
        self.likes: dict[Any, torch.Tensor | None] = {}


_networks = _Networks()
_recording: list[Lazy] = []
"""Blocks that are open in this process."""


class Lazy(TorchDispatchMode):
    """The block. Tensors of it belong to its thread until it ends."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()  # threads of autograd
        self._forget()

    def _forget(self) -> None:
        self._inputs: list[torch.Tensor] = []
        self._addresses: list[int] = []
        self._by_tensor: dict[int, _Input] = {}
        self._by_storage: dict[int, _Result] = {}
        self._recorded: list[_Recorded] = []
        self._stream: torch.Stream | None = None

    def __enter__(self) -> Lazy:
        _recording.append(self)
        return super().__enter__()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        super().__exit__(kind, error, trace)
        _recording.remove(self)
        self.run()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        with self._lock:
            result = self._record(func, args, kwargs) if _is_recordable(func) else None
            if result is not None:
                return result
            if self._recorded and self._touches(func, _all_tensors(args, kwargs)):
                self.run()
        return func(*args, **kwargs)

    def _touches(self, func: Any, tensors: list[torch.Tensor]) -> bool:
        """Whether an operation reads what is not computed yet, or changes what recorded operations read."""
        if any(type(t).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__ or t.layout is not torch.strided for t in tensors):
            return True
        storages = {t.untyped_storage()._cdata for t in tensors}
        if func.namespace != "aten" or not storages.isdisjoint(self._by_storage):
            return True
        return func._schema.is_mutable and not storages.isdisjoint(t.untyped_storage()._cdata for t in self._inputs)

    # -- recording

    def _record(self, func: Any, args: Any, kwargs: Any) -> torch.Tensor | None:
        """The result of an operation that is done later; None where it has to be done now."""
        leaves = _all_tensors(args, kwargs)
        device = leaves[0].device if leaves else None
        if device is None or device.type != "sol" or not all(_is_plain(t, device) for t in leaves):
            return None
        stream = torch.accelerator.current_stream(device)
        if self._recorded and (stream != self._stream or len(self._recorded) == MOST):
            self.run()
        like = _like(func, args, kwargs)
        if like is None:
            return None
        self._stream = stream
        args, kwargs = tuple(self._taken(a) for a in args), {k: self._taken(v) for k, v in kwargs.items()}
        result = torch.empty_strided(like.shape, like.stride(), dtype=like.dtype, device=device)
        storage = result.untyped_storage()
        self._by_storage[storage._cdata] = _Result(len(self._recorded))
        self._recorded.append(_Recorded(func, args, kwargs, like, StorageWeakRef(storage)))
        return result

    def _taken(self, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return tuple(self._taken(one) for one in value)
        if not isinstance(value, torch.Tensor):
            return torch.device("cpu") if isinstance(value, torch.device) else value
        known = self._by_storage.get(value.untyped_storage()._cdata) or self._by_tensor.get(id(value))
        if known is None:
            known = self._by_tensor[id(value)] = _Input(len(self._inputs))
            self._inputs.append(value)
            self._addresses.append(value.data_ptr())
        return known

    # -- running

    def run(self) -> None:
        """Run what is recorded. Raises RuntimeError where memory of an operand was exchanged meanwhile."""
        with self._lock:
            recorded, inputs, addresses, stream = self._recorded, self._inputs, self._addresses, self._stream
            self._forget()
            if not recorded or stream is None:
                return
            if [t.data_ptr() for t in inputs] != addresses:
                raise RuntimeError("memory was exchanged that recorded operations read: end the block of sol.device.lazy first")
            left = [(number, _alive(one, inputs[0].device)) for number, one in enumerate(recorded)]
            wanted = [(number, tensor) for number, tensor in left if tensor is not None]
            if not wanted:
                return
            current = torch.accelerator.current_stream(inputs[0].device)
            if current == stream:
                _compute(recorded, inputs, wanted)
                return
            torch.accelerator.set_stream(stream)
            try:
                _compute(recorded, inputs, wanted)
            finally:
                torch.accelerator.set_stream(current)
            stream.synchronize()  # what comes next is queued elsewhere, and expects these results


def run_recorded() -> None:
    """Run what waits in blocks of this process."""
    for block in list(_recording):
        block.run()


def _compute(recorded: Sequence[_Recorded], inputs: Sequence[torch.Tensor], wanted: Sequence[tuple[int, torch.Tensor]]) -> None:
    """Fill results: by a network, or one operation after the other."""
    numbers, targets = [number for number, _ in wanted], [tensor for _, tensor in wanted]
    function = _function_of(recorded, numbers)
    network = _network_of(function, recorded, inputs, numbers)
    if network is not None:
        torch.ops.sol_device.launch_network(network, list(inputs), targets)
        return
    for target, result in zip(targets, function(*inputs)):
        target.copy_(result)


def _network_of(
    function: Callable[..., Any], recorded: Sequence[_Recorded], inputs: Sequence[torch.Tensor], wanted: list[int]
) -> int | None:
    """The number of a region's network; None where its operations run one by one."""
    numbers: list[str] = []
    structure = (
        tuple((one.function, _spelled(one.args, numbers), _spelled(tuple(one.kwargs.items()), numbers)) for one in recorded),
        tuple((t.dtype, t.shape, t.stride()) for t in inputs), tuple(wanted), torch.get_num_threads(),
    )  # fmt: skip
    key = (structure, tuple(numbers))
    if key not in _networks.numbers:
        if _networks.variants[structure] >= VARIANTS:
            return None
        _networks.variants[structure] += 1
        with ThreadPoolExecutor(1, thread_name_prefix="sol-region") as pool:  # this thread is inside of a call of PyTorch
            found = pool.submit(compile_operation, function, list(inputs), title="lazy region").result()
        _networks.numbers[key] = None if found is None else _added(found, recorded)
    return _networks.numbers[key]


def _added(operation: Operation, recorded: Sequence[_Recorded]) -> int:
    _networks.kept.append(operation)
    name = "lazy region of " + ", ".join(str(one.function.overloadpacket).removeprefix("aten.") for one in recorded)
    return int(torch.ops.sol_device.add_network(name, operation.words(), list(operation.results)))


def _function_of(recorded: Sequence[_Recorded], wanted: Sequence[int]) -> Callable[..., tuple[torch.Tensor, ...]]:
    def run(*inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        results: list[torch.Tensor] = []
        for one in recorded:
            kwargs = {k: _filled(v, inputs, results) for k, v in one.kwargs.items()}
            results.append(one.function(*[_filled(a, inputs, results) for a in one.args], **kwargs))
        return tuple([results[number] for number in wanted])

    return run


def _filled(value: Any, inputs: Sequence[torch.Tensor], results: Sequence[torch.Tensor]) -> Any:
    if isinstance(value, _Input):
        return inputs[value.number]
    if isinstance(value, _Result):
        return results[value.number]
    return [_filled(one, inputs, results) for one in value] if type(value) is tuple else value


def _spelled(value: Any, numbers: list[str]) -> Any:
    """A part of a call that can be compared; its numbers are put aside: 1, 1.0 and True are not the same, and neither are 0.0 and -0.0."""
    if type(value) is tuple:
        return tuple(_spelled(one, numbers) for one in value)
    if isinstance(value, (bool, int, float)):
        numbers.append(repr(value))
        return type(value)
    return value


# -- what is recorded


_recordable: dict[Any, bool] = {}


def _is_recordable(func: Any) -> bool:
    """Whether an operation is pointwise, changes none of its operands, and has one new tensor as its result."""
    found = _recordable.get(func)
    if found is None:
        tags, schema = func.tags, func._schema
        found = torch.Tag.pointwise in tags and torch.Tag.nondeterministic_seeded not in tags and not schema.is_mutable
        found = found and [str(r.type) for r in schema.returns] == ["Tensor"] and schema.returns[0].alias_info is None
        _recordable[func] = found
    return found


def _tensors(values: Any) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(value)
    return found


def _all_tensors(args: Any, kwargs: Any) -> list[torch.Tensor]:
    return [*_tensors(args), *_tensors(kwargs.values())] if kwargs else _tensors(args)


def _is_plain(tensor: torch.Tensor, device: torch.device) -> bool:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.device != device or tensor.layout is not torch.strided:
        return False
    return tensor.numel() > 0 and not tensor.is_complex() and not tensor.is_neg()


def _like(func: Any, args: Any, kwargs: Any) -> torch.Tensor | None:
    """The result of an operation without memory, None where PyTorch cannot say, or will refuse the call, or tensors are slices."""
    tensors = _all_tensors(args, kwargs)
    key = (func, _described(args), _described(tuple(kwargs.items())))
    if key not in _networks.likes:
        places = iter(range(len(tensors)))
        outline, named = _outlined(args, places), {k: _outlined(v, places) for k, v in kwargs.items()}

        def run(*found: torch.Tensor) -> Any:
            return func(*_filled(outline, found, ()), **{k: _filled(v, found, ()) for k, v in named.items()})

        found = expected_results(run, tensors)
        lies = placement(found[0].shape, found[0].stride()) if found is not None and len(found) == 1 else None
        good = lies is not None and not lies.is_expanded and found is not None and not found[0].is_complex()
        if len(_networks.likes) > 10_000:
            _networks.likes.clear()
        _networks.likes[key] = found[0] if found is not None and good else None
    return _networks.likes[key]


def _described(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_described(one) for one in value)
    if isinstance(value, torch.Tensor):
        return value.dtype, value.shape, value.stride()
    return (type(value), repr(value)) if isinstance(value, (bool, int, float)) else value


def _outlined(value: Any, places: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_outlined(one, places) for one in value)
    if isinstance(value, torch.Tensor):
        return _Input(next(places))
    return torch.device("cpu") if isinstance(value, torch.device) else value


def _alive(one: _Recorded, device: torch.device) -> torch.Tensor | None:
    """The result, if anybody can still read it."""
    storage: Any = torch.UntypedStorage._new_with_weak_ptr(one.storage.cdata)
    if storage is None:
        return None
    return torch.empty(0, dtype=one.like.dtype, device=device).set_(storage, 0, one.like.shape, one.like.stride())
