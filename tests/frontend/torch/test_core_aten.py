"""The same models after decomposition to core ATen, as AOTAutograd spells them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import torch
from torch import nn

from sol.frontend.torch.export import export_module, import_exported, tensor_names
from tests.frontend.torch.support import run_imported, same
from tests.frontend.torch.test_ops import MODULES, TABLE, Fn, randomised

CORE = {
    **{n: (lambda make=make: randomised(make()), args) for n, (make, args) in MODULES.items()},
    **{n: (lambda function=function: Fn(function), args) for n, (function, args) in TABLE.items()},
}


TOGETHER = 10  # of a program: to decompose one takes as long as ten


class Several(nn.Module):
    """Modules each of which has a tuple of arguments of its own."""

    def __init__(self, modules: Iterable[nn.Module]) -> None:
        super().__init__()
        self.parts = nn.ModuleList(modules)

    def forward(self, *calls: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        return [module(*args) for module, args in zip(self.parts, calls)]


@pytest.mark.parametrize("names", [list(CORE)[i : i + TOGETHER] for i in range(0, len(CORE), TOGETHER)], ids=",".join)
def test_core_aten(names: list[str]) -> None:
    made = [(make().eval(), args) for make, args in map(CORE.get, names)]
    module, calls = Several(m for m, _ in made), tuple(args for _, args in made)
    program = export_module(module, calls).run_decompositions()
    imported = import_exported(program, tensor_names(module), torch_at_hand=False)
    reasons = [n.attrs["reason"] for n in imported.graph if n.op == "torch_call"]
    got, _ = run_imported(imported, module, calls, {})
    for name, result, (part, args) in zip(names, got, made, strict=True):
        with torch.no_grad():
            wanted = part(*args)
        try:
            same(result, wanted, 1e-4)
        except AssertionError as error:
            raise AssertionError(name) from error
    assert not reasons


def test_linear_stays_linear() -> None:
    module = nn.Sequential(nn.Linear(4, 5), nn.Linear(5, 6, bias=False))
    program = export_module(module, (torch.rand(2, 4),)).run_decompositions()
    ops = [n.op for n in import_exported(program, tensor_names(module)).graph if n.op not in ("input", "parameter")]
    assert ops == ["linear", "linear"]
