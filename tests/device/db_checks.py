"""PyTorch's databases of modules and of optimizers on the device, in float32 beside the CPU: ``python -m tests.device.db_checks FILE``.

A module of every entry, made on the CPU and copied to the device, computes the same results and gradients there for each sample, in
training mode and out of it. An optimizer of every entry takes three steps with the same gradients, one parameter after the other and by
its other ways (foreach, fused). FILE gets a JSON object: name → [passed, tried, first error]; tried are those that the CPU computes.
"""

from __future__ import annotations

import copy
import itertools
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db
from torch.utils import _pytree as pytree

Row = tuple[int, int, str]


def compared(wanted: list[torch.Tensor], found: list[torch.Tensor]) -> None:
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4, equal_nan=True)


def row_of(cases: Iterator[tuple[Any, Any]]) -> Row:
    """Cases are two functions: the one for the CPU gives what the one for the device must give."""
    passed, count, first = 0, 0, ""
    for on_cpu, on_device in cases:
        try:
            wanted = on_cpu()
        except Exception:
            continue  # no reference
        count += 1
        try:
            compared(wanted, on_device())
            passed += 1
        except Exception as error:
            first = first or f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
    return passed, count, first


# -- modules -----------------------------------------------------------------------------------------------------------


def computed(model: torch.nn.Module, inputs: Any, place: str) -> list[torch.Tensor]:
    """Results, and gradients of parameters and inputs by the sum of the magnitudes of results."""

    def moved(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        return leaf.detach().clone().to(place).requires_grad_(leaf.requires_grad)

    model = copy.deepcopy(model)
    model = model.sol() if place == "sol" else model
    args, kwargs = pytree.tree_map(moved, (tuple(inputs.args), dict(inputs.kwargs)))
    torch.manual_seed(0)
    leaves = [leaf for leaf in pytree.tree_leaves(model(*args, **kwargs)) if isinstance(leaf, torch.Tensor)]
    assert all(leaf.device.type == place for leaf in leaves), [str(leaf.device) for leaf in leaves]
    found = [leaf.detach().cpu() for leaf in leaves]
    if any(leaf.requires_grad for leaf in leaves):
        sum(torch.abs(leaf).sum() for leaf in leaves if leaf.requires_grad).backward()  # type: ignore[union-attr]
    given = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    return found + [t.grad.cpu() for t in (*model.parameters(), *given) if t.grad is not None]


def modules(entry: Any) -> Iterator[tuple[Any, Any]]:
    for training in (False, True):
        torch.manual_seed(1)
        samples = entry.module_inputs_func(entry, device="cpu", dtype=torch.float32, requires_grad=True, training=training)
        for sample in samples:
            if sample.forward_input is None:
                continue
            model = entry.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs).train(training)
            yield tuple(lambda m=model, s=sample, p=place: computed(m, s.forward_input, p) for place in ("cpu", "sol"))  # type: ignore[misc]


# -- optimizers --------------------------------------------------------------------------------------------------------


def stepped(entry: Any, sample: Any, way: dict[str, bool], place: str) -> list[torch.Tensor]:
    """Parameters after three steps."""
    torch.manual_seed(2)
    shapes = ((4, 3), (5, 4)) if entry.optim_cls.__name__ == "Muon" else ((4, 3), (5,), (2, 2, 2))
    parameters = [torch.nn.Parameter(torch.randn(shape).to(place)) for shape in shapes]
    options = {k: v.to(place) if isinstance(v, torch.Tensor) else v for k, v in sample.kwargs.items()}
    optimizer = entry.optim_cls(parameters, **options, **way)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = sum((p * p * (i + 1)).sum() for i, p in enumerate(parameters))
        loss.backward()
        if entry.only_supports_sparse_grads:
            for p in parameters:
                p.grad = p.grad.to_sparse()
        return loss

    for _ in range(3):
        if entry.step_requires_closure:
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()
    return [p.detach().cpu() for p in parameters]


def optimizers(entry: Any) -> Iterator[tuple[Any, Any]]:
    samples = entry.optim_inputs_func(device="cpu")
    for sample, way in itertools.product(samples, ({}, *({name: True} for name in entry.supported_impls if name in ("foreach", "fused")))):
        if not set(way) & set(sample.kwargs):
            yield tuple(lambda s=sample, w=way, p=place: stepped(entry, s, w, p) for place in ("cpu", "sol"))  # type: ignore[misc]


if __name__ == "__main__":
    import sol_autoload

    sol_autoload.start()
    warnings.simplefilter("ignore")
    found = {f"module {e.formatted_name}": row_of(modules(e)) for e in module_db if torch.float32 in e.dtypes}
    found |= {f"optimizer {e.optim_cls.__name__}": row_of(optimizers(e)) for e in optim_db}
    Path(sys.argv[1]).write_text(json.dumps(found))
