"""The same models after decomposition to core ATen, as AOTAutograd spells them."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", CORE)
def test_core_aten(name: str) -> None:
    make, args = CORE[name]
    module = make().eval()
    program = export_module(module, args).run_decompositions()
    imported = import_exported(program, tensor_names(module), torch_at_hand=False)
    reasons = [n.attrs["reason"] for n in imported.graph if n.op == "torch_call"]
    got, _ = run_imported(imported, module, args, {})
    with torch.no_grad():
        same(got, module(*args), 1e-4)
    assert not reasons


def test_linear_stays_linear() -> None:
    module = nn.Sequential(nn.Linear(4, 5), nn.Linear(5, 6, bias=False))
    program = export_module(module, (torch.rand(2, 4),)).run_decompositions()
    ops = [n.op for n in import_exported(program, tensor_names(module)).graph if n.op not in ("input", "parameter")]
    assert ops == ["linear", "linear"]
