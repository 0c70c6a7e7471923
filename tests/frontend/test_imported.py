"""Both frontends describe an import in the same terms: structure, leaves, names, symbols, guards, parameters."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch
from torch import nn

from sol.frontend.imported import Imported, InputLeaf, OutputLeaf, SymbolSource, positional
from sol.frontend.onnx import import_model, load_model
from sol.frontend.onnx.structure import Place, gives_of, names_of, takes_of
from sol.frontend.torch import import_module
from sol.frontend.trees import Fixed, Group, Leaf, Tree, groups, leaves_of
from sol.ir.types import DType, TensorType
from tests.frontend.onnx.models import model, node, weights


class Product(nn.Module):
    """x @ w and the sum of it with b."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.from_numpy(weights(64, 32)))

    def forward(self, x: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x @ self.w
        return y, y + b


def from_torch() -> Imported:
    x, b = torch.rand(5, 64), torch.rand(32)
    return import_module(Product().eval(), (x, b), {}, ({0: torch.export.Dim("batch")}, {}))


def from_onnx() -> Imported:
    nodes = [node("MatMul", ["x", "w"], ["y"]), node("Add", ["y", "b"], ["z"])]
    return import_model(load_model(model(nodes, {"x": ["batch", 64], "b": [32]}, ["y", "z"], {"w": weights(64, 32)})))


@pytest.mark.parametrize("make", [from_torch, from_onnx])
def test_both_frontends_describe_a_model_alike(make) -> None:
    imported = make()
    assert type(imported) is Imported
    assert imported.takes == positional((Leaf(0), Leaf(1))) and imported.arguments == (Leaf(0), Leaf(1))
    assert imported.results == (Leaf(0), Leaf(1)) and imported.gives.kind is tuple
    assert imported.inputs == (InputLeaf("tensor", 0), InputLeaf("tensor", 1))
    assert imported.outputs == (OutputLeaf("tensor", 0), OutputLeaf("tensor", 1))
    assert list(imported.symbols.values()) == [SymbolSource(0, 0)]
    assert [imported.result_value(i) for i in (0, 1)] == list(imported.graph.outputs)
    assert imported.fixed_arguments == () and imported.guards == () and not imported.torch_calls
    assert imported.graph.parameter_targets == ("w",)


def test_who_holds_the_parameters() -> None:
    """ONNX initializers come with the import, those of a module stay the module's."""
    assert set(from_onnx().parameters) == {"w"} and not from_torch().parameters


PLACES: list[tuple[list[Place], tuple[Tree, ...], list[str]]] = [
    ([], (), []),
    ([0, 1], (Leaf(0), Leaf(1)), ["a", "b"]),
    ([None, 0], (Fixed(None), Leaf(0)), ["b"]),
    ([(0, 1), 2], (Group(list, "sequence", (), (Leaf(0), Leaf(1)), 2), Leaf(2)), ["a_0", "a_1", "b"]),
    ([((0,), None)], (Group(list, "sequence", (), (Group(list, "sequence", (), (Leaf(0),), 3), Fixed(None)), 2),), ["a_0_0"]),
]


@pytest.mark.parametrize(("places", "trees", "names"), PLACES)
def test_sequences_are_lists_and_empty_optionals_none(places: list[Place], trees: tuple[Tree, ...], names: list[str]) -> None:
    takes, inputs = takes_of(places)
    gives, outputs = gives_of(places)
    assert takes == positional(trees)
    assert inputs == tuple(InputLeaf("tensor", i) for i in range(len(names)))
    assert outputs == tuple(OutputLeaf("tensor", i) for i in range(len(names)))
    assert list(leaves_of(gives)) == list(range(len(names)))
    for tree in (takes, gives):  # containers are numbered in the order in which they begin
        assert [g.number for g in groups(tree)] == list(range(sum(1 for _ in groups(tree))))
    assert names_of(list(zip("abc", places)), len(names) + 1) == (*names, "")


def test_a_content_that_decides_a_shape_is_a_constant_of_the_call() -> None:
    proto = model([node("Reshape", ["x", "s"], ["y"])], {"x": [2, 6]}, ["y"])
    proto.graph.input.append(onnx.helper.make_tensor_value_info("s", onnx.TensorProto.INT64, [2]))
    imported = import_model(load_model(proto), {"x": TensorType(DType.F32, (2, 6))}, {"s": np.array([3, 4])})
    assert imported.fixed_arguments == (1,) and imported.input_names == ("x",) and imported.output_names == ("y",)
    leaf = imported.inputs[1]
    assert leaf.kind == "constant" and leaf.value.tolist() == [3, 4]
