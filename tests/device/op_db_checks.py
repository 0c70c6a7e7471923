"""PyTorch's operator database on the device, in float32 beside the CPU: ``python -m tests.device.op_db_checks FIRST STEP FILE``.

Every STEP-th entry from FIRST on is run: its samples forward on both devices, with the same random numbers, and where it has gradients
those of the sum of its results. FILE gets a line of JSON for each entry as it ends, and is gone on with where it stopped; an entry that
ends the process is noted as such when the same command runs again.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

MOST = 40
"""Samples of an entry that are run."""
UNINITIALIZED = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")
"""Entries whose results have a shape, but no values that could be compared."""


def name_of(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def called(op: Any, sample: Any, place: str, gradients: bool) -> list[torch.Tensor]:
    """Tensors of the result on the CPU, and with gradients those of the operands."""

    def moved(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            copy = leaf.detach().to(place)
            copy = copy.clone() if copy is leaf or copy.data_ptr() == leaf.data_ptr() else copy
            return copy.requires_grad_(gradients and leaf.is_floating_point())
        if isinstance(leaf, torch.device) or leaf == "cpu":
            return torch.device(place)
        return leaf

    operands = pytree.tree_map(moved, (sample.input, sample.args, sample.kwargs))
    torch.manual_seed(0)
    result = sample.output_process_fn_grad(op(operands[0], *operands[1], **operands[2]))
    found = [leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]
    for leaf in found:
        if leaf.device.type != place and leaf.device.type != "cpu":
            raise AssertionError(f"a result lies on {leaf.device}")
    if not gradients:
        return [leaf.cpu() for leaf in found]
    with_gradients = [leaf for leaf in found if leaf.requires_grad]
    if not with_gradients:
        return []
    sum(torch.abs(leaf).sum() for leaf in with_gradients).backward()  # type: ignore[union-attr]
    leaves = [leaf for leaf in pytree.tree_leaves(operands) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    return [torch.zeros(0) if leaf.grad is None else leaf.grad.cpu() for leaf in leaves]


def tried(op: Any, gradients: bool) -> tuple[int, int, str]:
    """Samples that gave the CPU's result, samples for which the CPU has one, and the first error."""
    passed, count, first = 0, 0, ""
    for number, sample in enumerate(op.sample_inputs("cpu", torch.float32, requires_grad=gradients)):
        if number == MOST:
            break
        try:
            wanted = called(op, sample, "cpu", gradients)
        except Exception:
            continue  # no reference
        count += 1
        try:
            found = called(op, sample, "sol", gradients)
            for a, b in zip(found, wanted, strict=True):
                if op.name in UNINITIALIZED:
                    a, b = (torch.zeros_like(t) for t in (a, b))
                torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4, equal_nan=True)
            passed += 1
        except Exception as error:
            first = first or f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
    return passed, count, first


def rows(first: int, step: int, file: Path) -> None:
    """Run the entries and write their rows."""
    names = [name_of(op) for op in op_db]
    known = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    begun = {row["name"] for row in known if "begun" in row}
    done = {row["name"] for row in known if "begun" not in row}
    with file.open("a") as out:
        for index in range(first, len(op_db), step):
            op, name = op_db[index], names[index]
            if name in done or torch.float32 not in op.dtypes:
                continue
            if name in begun:
                row: dict[str, Any] = {"name": name, "forward": [0, 1, "the process ended"], "backward": [0, 0, ""]}
            else:
                print(json.dumps({"name": name, "begun": True}), file=out, flush=True)
                row = {"name": name, "forward": tried(op, False), "backward": [0, 0, ""]}
                if op.supports_autograd and torch.float32 in op.backward_dtypes:
                    row["backward"] = tried(op, True)
            print(json.dumps(row), file=out, flush=True)


if __name__ == "__main__":
    import sol_autoload

    sol_autoload.start()
    warnings.simplefilter("ignore")
    rows(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
