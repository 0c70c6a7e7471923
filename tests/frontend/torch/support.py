"""Runs an imported model with the numpy references (float64), torch calls included, and compares it with torch."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

from sol.frontend.imported import Imported
from sol.frontend.torch import import_module
from sol.frontend.torch.aten import TORCH_DTYPES
from sol.ir.dim import Dim, evaluate
from sol.ir.graph import Attrs, Node
from sol.ir.ops import spec_of
from sol.ir.verify import verify
from sol.runtime.torch.calls import give_function, take_function


def taken(imported: Imported, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[torch.Tensor, ...], dict[str, int]]:
    """The caller's graph inputs and the values of symbols."""
    found = take_function(imported)(args, kwargs)
    assert found is not None, "the import does not take the call that it was made for"
    return found[0], found[1] or {}


def run_imported(
    imported: Imported, module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, dict[Any, torch.Tensor]]:
    """The model's result and the new values of what it mutates, by target."""
    tensors, symbols = taken(imported, args, kwargs)
    held = {**dict(module.named_parameters()), **dict(module.named_buffers()), **imported.parameters}
    outputs = run_graph(imported, (*tensors, *[held[t] for t in imported.held]), held, symbols)
    mutated = {m.target: outputs[m.output] for m in imported.mutations}
    current = tuple([mutated.get(i, t) for i, t in enumerate(tensors)])
    give = give_function(imported)
    if give is None:
        return outputs[0], mutated
    return give(outputs, symbols, current, {**held, **mutated}, args, kwargs), mutated


def run_graph(
    imported: Imported, tensors: Sequence[torch.Tensor], held: Mapping[str, torch.Tensor], symbols: Mapping[str, int]
) -> list[torch.Tensor]:
    """Graph outputs, floats in float64."""
    env: dict[str, np.ndarray] = dict(zip(imported.graph.inputs, (_array(t) for t in tensors)))
    for node in imported.graph:
        if node.op == "input":
            continue
        if node.op == "parameter":
            env[node.name] = _array(held[node.attrs["target"]])
            continue
        env.update(zip(node.outputs, _results(imported, node, [env[i] for i in node.inputs], symbols)))
    return [torch.from_numpy(np.array(env[o], order="C")) for o in imported.graph.outputs]


def _array(tensor: torch.Tensor) -> np.ndarray:
    tensor = tensor.detach()
    return (tensor.double() if tensor.is_floating_point() else tensor).numpy()


def _results(imported: Imported, node: Node, operands: list[np.ndarray], symbols: Mapping[str, int]) -> tuple[np.ndarray, ...]:
    if node.op == "torch_call":
        call = imported.torch_calls[node.attrs["key"]]
        types = [TORCH_DTYPES[imported.graph.type_of(v).dtype] for v in node.inputs]
        return tuple(_array(t) for t in call([torch.from_numpy(np.array(x)).to(t) for x, t in zip(operands, types)], symbols))
    attrs = Attrs({k: _sized(v, symbols) for k, v in node.attrs.items()})
    result = spec_of(node.op).reference(attrs, *operands)
    return result if isinstance(result, tuple) else (result,)


def _sized(value: Any, symbols: Mapping[str, int]) -> Any:
    if isinstance(value, Dim):
        return evaluate(value, symbols)
    return tuple(_sized(v, symbols) for v in value) if isinstance(value, tuple) else value


def check(
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    calls: int = 0,
    dynamic_shapes: Any = None,
    also: tuple[tuple[Any, ...], ...] = (),
    tolerance: float = 1e-5,
    torch_at_hand: bool = True,
) -> Imported:
    """Import, verify, run on ``args`` and on each of ``also``, and compare result, structure and mutations with torch."""
    module.eval()
    imported = import_module(module, args, dict(kwargs or {}), dynamic_shapes, torch_at_hand=torch_at_hand)
    verify(imported.graph)
    reasons = [n.attrs["reason"] for n in imported.graph if n.op == "torch_call"]
    assert len(imported.torch_calls) == calls, reasons
    for given in (args, *also):
        theirs = copy.deepcopy(module)
        ours_args, theirs_args = copy.deepcopy(given), copy.deepcopy(given)
        with torch.no_grad():
            expected = theirs(*theirs_args, **copy.deepcopy(dict(kwargs or {})))
        got, mutated = run_imported(imported, module, ours_args, kwargs or {})
        same(got, expected, tolerance)
        flat = taken(imported, theirs_args, kwargs or {})[0]
        buffers = dict(theirs.named_buffers())
        for target, value in mutated.items():
            same(value, flat[target] if isinstance(target, int) else buffers[target], tolerance)
        before = taken(imported, given, kwargs or {})[0]
        changed = {i for i, (a, b) in enumerate(zip(before, flat)) if not torch.equal(a.nan_to_num(), b.nan_to_num())}
        assert changed <= set(mutated), "a mutated input was missed"
    return imported


def same(got: Any, expected: Any, tolerance: float) -> None:
    ours, our_spec = pytree.tree_flatten(got)
    theirs, their_spec = pytree.tree_flatten(expected)
    assert our_spec == their_spec
    for a, b in zip(ours, theirs):
        if isinstance(b, torch.Tensor):
            assert a.shape == b.shape
            assert a.is_floating_point() == b.is_floating_point()
            torch.testing.assert_close(a.double(), b.double(), rtol=tolerance, atol=tolerance, equal_nan=True)
        else:
            assert type(a) is type(b)
            assert a == pytest.approx(b, rel=tolerance) if isinstance(b, float) else a == b
