"""Runs one op through builder, verifier, text and interpreter, and compares its reference with torch in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.text import arrays_of, graph_text, parse_graph
from sol.ir.types import DType, TensorType
from sol.ir.verify import verify
from tests.random_numbers import rng

ODD_VALUES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 25.0, -25.0, 1e-300, 700.0, np.inf, -np.inf, np.nan])


def randn(*shape: Any) -> np.ndarray:
    return rng.standard_normal(shape)


def one_op_graph(op: str, types: list[TensorType], **attrs: Any) -> Graph:
    builder = GraphBuilder()
    inputs = [builder.input("x", t) for t in types]
    result = builder.add(op, inputs, **attrs)
    return builder.build([result] if isinstance(result, str) else result)


def run_op(op: str, *arrays: np.ndarray, **attrs: Any) -> list[np.ndarray]:
    """Results of one op on float64, integer or bool arrays; its graph is verified and survives a round trip as text."""
    types = [TensorType(DType.from_numpy(a.dtype), a.shape) for a in arrays]
    graph = verify(one_op_graph(op, types, **attrs))
    text = graph_text(graph)
    again = parse_graph(text, arrays_of(graph))
    assert again == graph
    assert graph_text(again) == text
    return evaluate_outputs(graph, list(arrays))


def tensors(*arrays: np.ndarray) -> list[torch.Tensor]:
    return [torch.from_numpy(np.array(a)) for a in arrays]


def check(op: str, expected: Any, *arrays: np.ndarray, **attrs: Any) -> None:
    """The op's reference equals the torch function ``expected(*tensors)`` in values, shapes and dtypes."""
    ours = run_op(op, *arrays, **attrs)
    theirs = expected(*tensors(*arrays))
    theirs = list(theirs) if isinstance(theirs, (tuple, list)) else [theirs]
    assert len(ours) == len(theirs)
    for mine, torch_result in zip(ours, theirs):
        other = torch_result.numpy()
        assert mine.dtype == other.dtype
        assert mine.shape == other.shape
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)
