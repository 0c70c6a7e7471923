"""Layers whose arithmetic is C of the user, as one operation of torch: ``sol::custom``, which becomes the op ``custom``.

The operation names its code by a key, because a graph of torch holds numbers and texts alone; what the keys stand for is known here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from sol.errors import InputError
from sol.frontend.torch.aten import CONVERTERS, Context

Meta = Callable[..., Any]
"""Inputs → tensors of the shapes and types of the outputs: one, or several in a tuple or list."""


@dataclass(frozen=True)
class Code:
    """A C function. title: what errors call it. source: C text. others: the layer's other functions in it. options: of the compiler."""

    title: str
    source: str
    function: str
    others: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def attrs(self) -> dict[str, Any]:
        """As attributes of the op."""
        return asdict(self)

    @property
    def key(self) -> str:
        """Names this code in graphs."""
        text = "\0".join([self.source, self.function, *self.options])
        return f"{self.title}:{self.function}:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


@dataclass(frozen=True)
class Known:
    """What a key stands for. backward: what computes gradients; None if nothing does."""

    code: Code
    backward: Code | None
    meta: Meta


_known: dict[str, Known] = {}
runners: list[Callable[[Code, Sequence[Tensor], Sequence[Tensor]], list[Tensor]]] = []
"""Who runs code outside of compiled graphs: code, inputs, empty results → results. One, set by ``sol.runtime.torch.custom``."""


def know(code: Code, backward: Code | None = None, *, meta: Meta) -> str:
    """The key of a layer from now on."""
    functions = [code.key, backward.key if backward else "", getattr(meta, "__qualname__", ""), str(id(meta))]
    key = f"{code.title}:{hashlib.sha256(' '.join(functions).encode()).hexdigest()[:16]}"
    _known[key] = Known(code, backward, meta)
    return key


def known(key: str) -> Known:
    """What a key stands for; InputError where no layer of this process has it."""
    if key not in _known:
        raise InputError(f"the C of {key} is not known in this process", remedy="make or unpickle the sol.nn.Custom layer first")
    return _known[key]


def code_of(key: str, outputs: int) -> Code:
    """The code of an operation. outputs: as for ``custom``."""
    layer = known(key)
    if not outputs:
        return layer.code
    if layer.backward is None:
        raise InputError(f"{layer.code.title} has no gradient", remedy="give sol.nn.Custom the name of a function backward=...")
    return layer.backward


def results_of(inputs: Sequence[Tensor], key: str, outputs: int) -> list[Tensor]:
    """Empty results for these inputs; InputError that names the layer where its own function of shapes fails."""
    if outputs:
        return [torch.empty(x.shape, dtype=x.dtype) for x in inputs[outputs : len(inputs) - outputs] if x.is_floating_point()]
    layer = known(key)
    try:
        made = layer.meta(*inputs)
    except Exception as error:
        shapes = ", ".join(f"{str(x.dtype).removeprefix('torch.')}{list(x.shape)}" for x in inputs)
        raise InputError(f"the shapes of {layer.code.title} do not follow from {shapes}: {error}") from error
    made = list(made) if isinstance(made, (tuple, list)) else [made]
    if not made or not all(isinstance(m, Tensor) for m in made):
        raise InputError(f"the shapes of {layer.code.title} must be given as tensors", remedy="return torch.empty(...), or several of them")
    return [torch.empty(m.shape, dtype=m.dtype) for m in made]


@torch.library.custom_op("sol::custom", mutates_args=())
def custom(inputs: list[Tensor], key: str, outputs: int) -> list[Tensor]:
    """The forward function of a layer, or, if outputs is not 0, that of its gradients.

    The latter takes gradients of so many outputs, the layer's inputs and these outputs; it gives a gradient for each floating-point input.
    """
    return runners[0](code_of(key, outputs), [x.contiguous() for x in inputs], results_of(inputs, key, outputs))


@custom.register_fake
def _(inputs: list[Tensor], key: str, outputs: int) -> list[Tensor]:
    return results_of(inputs, key, outputs)


def _save(ctx: Any, inputs: tuple[list[Tensor], str, int], output: list[Tensor]) -> None:
    tensors, ctx.key, ctx.is_gradient = inputs
    ctx.count = len(tensors)
    ctx.save_for_backward(*tensors, *output)


def _gradients(ctx: Any, grads: list[Tensor | None]) -> tuple[list[Tensor | None], None, None]:
    if ctx.is_gradient:
        raise InputError(f"{known(ctx.key).code.title} has no gradients of gradients")
    saved = list(ctx.saved_tensors)
    inputs, outputs = saved[: ctx.count], saved[ctx.count :]
    given = [torch.zeros_like(o) if g is None else g for g, o in zip(grads, outputs)]
    made = iter(custom([*given, *inputs, *outputs], ctx.key, len(outputs)))
    return [next(made) if x.is_floating_point() else None for x in inputs], None, None


custom.register_autograd(_gradients, setup_context=_save)


def _convert(ctx: Context, inputs: Sequence[str], key: str, outputs: int) -> tuple[str, ...]:
    code = code_of(key, outputs)
    types = tuple(ctx.result(i) for i in range(len(ctx.node.meta["val"])))
    values = ctx.add("custom", *inputs, types=types, **code.attrs)
    return (values,) if isinstance(values, str) else tuple(values)


CONVERTERS["sol.custom.default"] = _convert
