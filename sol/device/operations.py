"""Operations on the device that sol compiles one by one (``torch.sol.compile_operations``): what the extension asks Python for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

import sol_autoload
from sol.errors import ConfigError
from sol.runtime.torch.choices import is_faster, keep_choice, kept_choice
from sol.runtime.torch.operation import Operation, compile_operation
from sol.runtime.torch.placement import placement

LEVELS = ("off", "heavy", "all")
"""What is compiled: nothing; products of matrices and convolutions, where that is faster; whatever sol can compute."""
_kept: list[Operation] = []
"""What the extension calls must stay."""

def set_level(level: str) -> None:
    """Choose what is compiled from now on. Raises ConfigError for another word than those of ``LEVELS``."""
    if level not in LEVELS:
        raise ConfigError(f"there is no level {level!r} of compiled operations", remedy=f"name one of {', '.join(LEVELS)}")
    if level != "off":
        sol_autoload.offer_compiler()
    torch.ops.sol_device.set_compile_policy(LEVELS.index(level))


def compiled_call(name: str, overload: str, arguments: list[Any]) -> tuple[list[int], list[torch.Tensor]]:
    """The network for a call, as the extension reads it; no numbers where sol does not compute it.

    It is made in another thread: this one is inside of a call of the device, where parts of PyTorch are switched off.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="sol-operation") as pool:
        found = pool.submit(_compiled, name, overload, arguments).result()
    if found is None:
        return [], []
    _kept.append(found)
    return found.words(), list(found.results)


def _compiled(name: str, overload: str, arguments: list[Any]) -> Operation | None:
    given = getattr(getattr(torch.ops.aten, name.split("::")[1]), overload or "default")
    function = functional_form(given)
    if function is None:
        return None
    schema = given._schema.arguments
    written = [i for i, a in enumerate(schema) if a.is_write]
    is_out = written and all(schema[i].is_out for i in written)
    keeps = [i for i in range(len(schema)) if not (is_out and i in written)]
    taken, tensors = _taken_apart(arguments)
    if isinstance(function, torch._ops.OpOverload) and any(str(schema[i].type) == "Tensor" and _is_number(arguments[i]) for i in keeps):
        function = getattr(torch.ops.aten, function._schema.name.split("::")[1])  # that one of its overloads that takes numbers

    def run(*found: torch.Tensor) -> Any:
        values = _put_together(taken, found)
        positional = [values[i] for i in keeps if not schema[i].kwarg_only]
        named = {schema[i].name: values[i] for i in keeps if schema[i].kwarg_only}
        return function(*positional, **named)

    targets = [arguments[i] for i in written]
    if torch.ops.sol_device.compile_policy() == LEVELS.index("all") or torch.ops.sol_device.fallback_is_error():
        return compile_operation(run, tensors, targets, title=str(given))
    text = f"{given} {taken} {[(str(t.dtype), list(t.shape), list(t.stride())) for t in (*tensors, *targets)]}"
    threads = torch.get_num_threads()
    chosen = kept_choice(text, threads)
    found = compile_operation(run, tensors, targets, title=str(given)) if chosen != "torch" else None
    if found is not None and not chosen and not _is_faster(found, run, tensors):
        found = None
    if not chosen:
        keep_choice(text, threads, "torch" if found is None else "sol")
    return found


def _is_faster(operation: Operation, run: Callable[..., Any], tensors: Sequence[torch.Tensor]) -> bool:
    """Whether compiled code is faster than PyTorch's kernels, on zeros of the CPU. It is timed without the host's part of a call."""
    like = [torch.empty_strided(t.shape, t.stride(), dtype=t.dtype).zero_() for t in tensors]
    places = [placement(t.shape, t.stride()) for t in like]
    bases = [place.base_of(t) for place, t in zip(places, like) if place is not None]
    inputs = [bases[number].contiguous() for number, _ in operation.inputs]
    with torch.no_grad():
        return is_faster(lambda: operation.executable(inputs), lambda: run(*like))


def functional_form(given: Any) -> Callable[..., Any] | None:
    """The operation that computes what this one writes into its arguments; the same where it writes none, None where there is none."""
    schema = given._schema
    written = [a for a in schema.arguments if a.is_write]
    if not written:
        return given
    name = schema.name.split("::")[1]
    if name == "copy_":
        return lambda to, source, _: source.to(to.dtype).expand(to.shape).clone()
    wanted = [(a.name, str(a.type)) for a in schema.arguments if not (a.is_write and a.is_out)]
    packet = getattr(torch.ops.aten, name.rstrip("_") if not written[0].is_out else name, None)
    for overload in packet.overloads() if packet is not None else ():
        candidate = getattr(packet, overload)
        arguments = candidate._schema.arguments
        if not any(a.is_write for a in arguments) and [(a.name, str(a.type)) for a in arguments] == wanted:
            return candidate
    return None


def _taken_apart(arguments: Sequence[Any]) -> tuple[list[Any], list[torch.Tensor]]:
    """Arguments with numbers of tensors in the place of tensors of the device, and those tensors in order."""
    tensors: list[torch.Tensor] = []

    def take(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            tensors.append(value)
            return _Place(len(tensors) - 1)
        if isinstance(value, (list, tuple)):
            return [take(one) for one in value]
        return torch.device("cpu") if isinstance(value, torch.device) else value

    return [take(value) for value in arguments], tensors


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


class _Place(int):
    """The number of a tensor of a call."""


def _put_together(taken: Any, tensors: Sequence[torch.Tensor]) -> Any:
    if isinstance(taken, _Place):
        return tensors[taken]
    return [_put_together(one, tensors) for one in taken] if isinstance(taken, list) else taken
