"""``sol.accelerate_cpu``: linear layers and convolutions of plain CPU tensors run compiled in eager mode, where that is faster.

Functions of torch are replaced by ones that look a call up: its sizes, and its weight with the version that was packed. What has gradients,
runs under a mode or a transform, or is not known to be faster goes to torch's own function.
"""

from __future__ import annotations

import functools
import logging
import threading
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

from sol.codegen.targets import resolve
from sol.config import config
from sol.runtime.executable import Executable
from sol.runtime.torch.choices import is_faster, keep_choice, kept_choice
from sol.runtime.torch.operation import Layer, compile_layer

log = logging.getLogger("sol.runtime")
TYPES = frozenset((torch.float32, torch.bfloat16))
FEW_KINDS = 8
"""Inputs of different sizes for which one weight is compiled: the first ones that come again."""
KEPT = 64
"""Inputs of different sizes of one weight that are remembered."""

Params = tuple[Any, ...]


class _Function(NamedTuple):
    """One that is replaced. owners: the modules that have it, which have it under the same name."""

    name: str
    owners: tuple[Any, ...]
    builtin: str


FUNCTIONS = (
    _Function("linear", (F,), "aten::linear"),
    *(_Function(f"conv{n}d", (F, torch), f"aten::conv{n}d") for n in (1, 2, 3)),
)


class _Held(NamedTuple):
    """What is packed of a weight for one kind of call. state: where weight and bias lay, and their versions. bias: it, while it lives."""

    layer: Layer
    executable: Executable
    state: tuple[int, ...]
    bias: Callable[[], torch.Tensor | None]


class Acceleration:
    """What ``sol.accelerate_cpu`` gives: ``remove()``, or the end of a ``with`` block, makes torch's functions its own again.

    ``choices``: what was chosen for kinds of calls so far, as text → "sol" or "torch".
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._originals: list[tuple[Any, str, Any]] = []
        self._layers: dict[Any, Layer | None] = {}
        self._held: dict[int, dict[Any, _Held | int | None]] = {}
        self._watches: dict[int, Any] = {}
        self.choices: dict[str, str] = {}

    def install(self) -> None:
        """Put the functions in the place of torch's."""
        for function in FUNCTIONS:
            original = getattr(F, function.name)
            ours = _replacement(self, function.name, original)
            torch.jit._builtins._register_builtin(ours, function.builtin)  # for models that are scripted meanwhile
            for owner in function.owners:
                self._originals.append((owner, function.name, getattr(owner, function.name)))
                setattr(owner, function.name, ours)

    def remove(self) -> None:
        """Make torch's functions its own again, and let go of what was packed. A second time does nothing."""
        if _installed == [self]:
            _installed.clear()
        for owner, name, original in self._originals:
            setattr(owner, name, original)
        with self._lock:
            self._originals.clear()
            self._held.clear()
            self._watches.clear()

    def refresh(self) -> None:
        """Pack all weights again at their next calls: after they were written through ``.data``, which torch does not count."""
        with self._lock:
            self._held.clear()

    def __enter__(self) -> Acceleration:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()

    # -- calls

    def run(self, name: str, original: Callable[..., Any], x: torch.Tensor, w: torch.Tensor, b: torch.Tensor | None, params: Params) -> Any:
        """A call that compiled code may do; NotImplemented where torch does it."""
        kinds = self._held.get(id(w))
        key = (name, x.shape, x.stride(), x.dtype, None if b is None else id(b), params, torch.get_num_threads())
        held = kinds.get(key) if kinds is not None else None
        if type(held) is not _Held:
            held = self._found(key, original, x, w, b)
            if held is None:
                return NotImplemented
        elif held.state != _state(w, b) or held.bias() is not b:
            held = self._packed(held.layer, held.executable, key, w, b)
        (result,) = held.executable((held.layer.base(x),))
        return held.layer.result(result)

    def _found(self, key: Any, original: Any, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor | None) -> _Held | None:
        """What runs a call; None for torch: always in the first call of a kind, which may be the only one, and where it is faster."""
        with self._lock:
            kinds = self._held.get(id(w))
            if kinds is None:
                number = id(w)
                kinds = self._held[number] = {}
                self._watches[number] = weakref.ref(w, lambda _: self._forget(number))
            held = kinds.get(key, 0)
            if type(held) is _Held or held is None:
                return held  # type: ignore[return-value]
            if held == 0:
                if len(kinds) >= KEPT:  # sizes that change all the time
                    for other in [k for k, v in kinds.items() if v == 1]:
                        del kinds[other]
                kinds[key] = 1
                return None
            if sum(other != 1 for other in kinds.values()) >= FEW_KINDS:  # also those that torch was chosen for: choosing takes a second
                return None
            layer = self._layer(key, original, x, w, b)
            if layer is None:
                kinds[key] = None
                return None
            return self._packed(layer, layer.executable.share(), key, w, b)

    def _packed(self, layer: Layer, executable: Executable, key: Any, w: torch.Tensor, b: torch.Tensor | None) -> _Held:
        with self._lock:
            # before packing: what changes meanwhile is seen by the next call
            held = _Held(layer, executable, _state(w, b), _no_bias if b is None else weakref.ref(b))
            executable.pack(layer.parameters(w, b))
            kinds = self._held.get(id(w))
            if kinds is not None:  # they were not let go of meanwhile
                kinds[key] = held
            return held

    def _forget(self, number: int) -> None:
        self._held.pop(number, None)
        self._watches.pop(number, None)

    # -- choices

    def _layer(self, key: Any, original: Any, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor | None) -> Layer | None:
        """The compiled layer for calls of this kind, whatever the weights; None where torch is as fast, or compiled code cannot do it."""
        kind = (*key[:4], w.shape, w.stride(), b is not None, *key[5:])
        if kind not in self._layers:
            sides = [f"{list(t.shape)} {list(t.stride())}" for t in (x, w)]
            text = f"{key[0]} of {x.dtype} {sides[0]} by {sides[1]}{'' if b is None else ' and bias'}, {key[5]}, {key[6]} threads"
            known = kept_choice(text, key[6])
            layer = None if known == "torch" else compile_layer(functools.partial(_called, original, key[5]), x, w, b)
            if layer is not None and not known:
                faster = _is_faster(layer, original, x, w, b, key[5])
                layer = layer if faster else None
            self._layers[kind] = layer
            self.choices[text] = "torch" if layer is None else "sol"
            if not known:
                keep_choice(text, key[6], self.choices[text])
            log.info("%s: %s", text, self.choices[text])
        return self._layers[kind]


_installed: list[Acceleration] = []


def accelerate_cpu(enable: bool = True) -> Acceleration | None:
    """As ``sol.accelerate_cpu``."""
    while _installed:
        _installed[0].remove()
    if not enable:
        return None
    made = Acceleration()
    made.install()
    _installed.append(made)
    return made


def _called(original: Any, params: Params, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor | None) -> torch.Tensor:
    return original(x, w, b, *params)


def _no_bias() -> None:
    return None


def _state(w: torch.Tensor, b: torch.Tensor | None) -> tuple[int, ...]:
    if b is None:
        return w.data_ptr(), w._version
    return w.data_ptr(), w._version, b.data_ptr(), b._version


def _is_faster(layer: Layer, original: Any, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor | None, params: Params) -> bool:
    """Whether compiled code takes less time than torch, on these tensors."""
    executable = layer.executable.share()
    executable.pack(layer.parameters(w, b))

    def ours() -> None:
        layer.result(executable((layer.base(x),))[0])

    return is_faster(ours, lambda: original(x, w, b, *params))


# -- what is replaced


def _is_for_us(x: torch.Tensor, w: Any, b: Any, least: float) -> bool:
    """Whether a call is a plain one of tensors of the CPU without gradients: no tracing, no mode, no transform looks at it."""
    if type(w) not in _PLAIN or not (b is None or type(b) in _PLAIN) or torch._C._get_tracing_state() is not None:
        return False
    if not x.dim() or not w.dim() or x.numel() * w.shape[0] < least:
        return False
    if x.dtype not in TYPES or w.dtype is not x.dtype or not (x.is_cpu and w.is_cpu) or x.layout is not torch.strided:
        return False
    if torch.is_grad_enabled() and (x.requires_grad or w.requires_grad or (b is not None and b.requires_grad)):
        return False
    if b is not None and (b.dtype is not x.dtype or not b.is_cpu or b.is_inference()):
        return False
    return not (w.is_inference() or w.layout is not torch.strided or x.is_neg() or w.is_neg() or _is_watched())


is_compiling = torch.compiler.is_compiling
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_interpreter: Callable[[], Any] = torch._C._functorch.peek_interpreter_stack


def _is_watched() -> bool:
    return bool(
        torch._C._len_torch_dispatch_stack()
        or torch._C._len_torch_function_stack()
        or torch.is_autocast_enabled("cpu")
        or _interpreter() is not None
    )


def _replacement(owner: Acceleration, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """The function for torch's place."""
    run = owner.run
    calls = resolve(config["isa"]).machine.calls
    least = calls.serial * calls.flops / 2  # multiply-adds of a call for which a team is worth while: for less, a look-up takes too long
    if name == "linear":

        def linear(input: Any, weight: Any, bias: Any = None) -> Any:
            if type(input) is torch.Tensor and not is_compiling() and _is_for_us(input, weight, bias, least):
                found = run(name, original, input, weight, bias, ())
                if found is not NotImplemented:
                    return found
            return original(input, weight, bias)

        return functools.wraps(original, assigned=("__name__", "__doc__"), updated=())(linear)

    def conv(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any:
        if type(input) is torch.Tensor and not is_compiling() and _is_for_us(input, weight, bias, least):
            params = (_fixed(stride), _fixed(padding), _fixed(dilation), groups)
            found = run(name, original, input, weight, bias, params)
            if found is not NotImplemented:
                return found
        return original(input, weight, bias, stride, padding, dilation, groups)

    return functools.wraps(original, assigned=("__name__", "__doc__"), updated=())(conv)


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
