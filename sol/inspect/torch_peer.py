"""torch in float64 as the second reader of a model: what it gives in all, and what each submodule of it gives."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from sol.frontend.torch.capture import take_call
from sol.frontend.torch.trees import Maker, named_tensors
from sol.inspect.checks import relative_error
from sol.ir.graph import Graph
from sol.runtime.torch.program import Program
from sol.runtime.torch.tensors import numpy_of

PEER = "torch"


class Float64Run:
    """A copy of the model run once in float64. outputs: by name, none if that failed. failure: why."""

    def __init__(self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self.outputs: dict[str, np.ndarray] = {}
        self.submodules: dict[str, np.ndarray] = {}  # in the order in which they finish
        self.failure = ""
        try:
            wide = copy.deepcopy(model).double()
            for path, module in wide.named_modules():
                module.register_forward_hook(lambda _, __, result, path=path: self._note(path, result))
            call = take_call(args, kwargs)
            wide_args, wide_kwargs = Maker([_widened(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in call.leaves])(call.tree)
            self.outputs = {name: numpy_of(t) for name, t in named_tensors(wide(*wide_args, **wide_kwargs))}
        except Exception as error:  # whatever the model raises on other types
            self.failure = next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]

    def _note(self, path: str, result: Any) -> None:
        if isinstance(result, torch.Tensor):
            self.submodules[path] = numpy_of(result)

    def first_misread(self, program: Program, values: Mapping[str, np.ndarray], tolerance: float) -> str:
        """The first submodule whose value sol takes to be another. values: all of the imported graph, in float64."""
        last = _last_values(program.runner.graph)
        for path, wanted in self.submodules.items():
            value = last.get(path, "")
            if value in values and values[value].shape == wanted.shape and relative_error(values[value], wanted) > tolerance:
                kind = program.runner.graph.producer(value).op
                return f"{path} = {kind}: torch in float64 gives something else, so sol's import of it is wrong"
        return "no single module: the whole differs from torch in float64, its modules do not"


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.clone().double() if tensor.is_floating_point() else tensor.clone()


def _last_values(graph: Graph) -> dict[str, str]:
    """Module path → the last value that was computed in it."""
    return {node.origin.path: node.name for node in graph.nodes if node.origin.path and node.op not in ("input", "parameter", "constant")}
