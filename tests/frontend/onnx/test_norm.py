"""ONNX normalisations and losses, on options that the onnx package's own suite does not have."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.onnx.imported import check
from tests.frontend.onnx.one_node import check as compiled
from tests.frontend.onnx.one_node import randn


def positive(*shape: int) -> np.ndarray:
    return np.abs(randn(*shape)) + 0.5


@pytest.mark.parametrize("constants", [(), (1, 2, 3, 4)])
@pytest.mark.parametrize("opset", [7, 9, 15])
def test_batch_norm(constants: tuple, opset: int) -> None:
    operands = [randn(2, 3, 4, 5), randn(3), randn(3), randn(3), positive(3)]
    check("BatchNormalization", operands, engine="ort", opset=opset, constants=constants)


def test_batch_norm_of_other_types_and_ranks() -> None:
    statistics = [randn(3), randn(3), randn(3), positive(3)]
    check("BatchNormalization", [randn(4, 3).astype(np.float64), *(s.astype(np.float64) for s in statistics)], engine="ort", epsilon=0.1)
    halves = [randn(2, 3, 5).astype(np.float16), *(s.astype(np.float16) for s in statistics[:2]), *statistics[2:]]
    check("BatchNormalization", halves, tolerance=5e-3)
    compiled("BatchNormalization", [randn(2, 3, 5), *statistics], outputs=3, training_mode=1, momentum=0.7, tolerance=1e-3)


def test_layer_norm() -> None:
    x = randn(2, 3, 4)
    check("LayerNormalization", [x, randn(4)], engine="ort")
    check("LayerNormalization", [x, randn(3, 4), randn(3, 4)], engine="ort", axis=1, epsilon=0.01)
    check("LayerNormalization", [x, randn(4), randn(1)], axis=1, epsilon=0.01)
    check("LayerNormalization", [x, randn(4), randn(4)], engine="ort", outputs=3)
    check("LayerNormalization", [x.astype(np.float16), randn(4).astype(np.float16)], tolerance=5e-3)
    compiled("LayerNormalization", [x.astype(np.float64), randn(4).astype(np.float64)], engine="ort", tolerance=1e-6)


def test_rms_norm() -> None:
    check("RMSNormalization", [randn(2, 3, 4), randn(4)], opset=23)
    check("RMSNormalization", [randn(2, 3, 4), randn(1)], opset=23, axis=1)
    check("RMSNormalization", [randn(2, 3, 4).astype(np.float16), randn(4).astype(np.float16)], opset=23, tolerance=5e-3)


def test_group_and_instance_norm() -> None:
    check("GroupNormalization", [randn(2, 6, 4), randn(6), randn(6)], opset=21, num_groups=3)
    check("GroupNormalization", [randn(2, 6, 4, 2).astype(np.float64), *(randn(6).astype(np.float64) for _ in "sb")], num_groups=2)
    check("InstanceNormalization", [randn(2, 0, 7), randn(0), randn(0)], engine="ort")
    check("InstanceNormalization", [randn(2, 3, 7), randn(3), randn(3)], engine="ort")
    compiled("InstanceNormalization", [randn(2, 3, 7).astype(np.float16), *(randn(3).astype(np.float16) for _ in "sb")], tolerance=5e-3)


@pytest.mark.parametrize("size", [1, 4, 5, 31])
def test_local_response_norm(size: int) -> None:
    check("LRN", [randn(9, 9, 2, 1)], engine="ort" if size % 2 else "reference", size=size, alpha=0.5, beta=0.6, bias=1.5)


def test_lengths_and_standard_scores() -> None:
    x = randn(3, 4)
    x[1] = 0
    for p in (1, 2):
        check("LpNormalization", [x], engine="ort", p=p, axis=1)
    check("MeanVarianceNormalization", [randn(2, 3, 4)], axes=[0, 2])


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("weighted", [False, True])
def test_losses(reduction: str, weighted: bool) -> None:
    target = np.array([[2, 0], [-100, 1], [2, 2]])
    operands = [randn(3, 4, 2), target, *([positive(4)] if weighted else [])]
    check("NegativeLogLikelihoodLoss", operands, reduction=reduction, ignore_index=-100)
    check("SoftmaxCrossEntropyLoss", operands, reduction=reduction, ignore_index=-100, outputs=2)
    check("SoftmaxCrossEntropyLoss", [operands[0], np.abs(target) % 4, *operands[2:]], engine="ort", reduction=reduction)
    flat = [randn(3, 5).astype(np.float16), np.array([4, 1, 0], np.int32)]
    check("NegativeLogLikelihoodLoss", flat, reduction=reduction, tolerance=2e-3)


def test_loss_compiled() -> None:
    compiled("SoftmaxCrossEntropyLoss", [randn(3, 4, 2), np.array([[2, 0], [7, 1], [2, 2]]), positive(4)], ignore_index=7, outputs=2)
