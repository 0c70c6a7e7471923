"""ONNX recurrent layers with options that the onnx package's own suite does not have, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.frontend.onnx.one_node import check, randn

STEPS, BATCH, WIDTH, HIDDEN = 4, 3, 5, 6
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def layer(op: str, directions: int = 1) -> list[np.ndarray | None]:
    gates = GATES[op]
    weights = [randn(directions, gates * HIDDEN, n) * 0.4 for n in (WIDTH, HIDDEN)]
    return [randn(STEPS, BATCH, WIDTH), *weights, randn(directions, 2 * gates * HIDDEN)]


def states(op: str, directions: int = 1) -> list[np.ndarray]:
    return [randn(directions, BATCH, HIDDEN) for _ in range(2 if op == "LSTM" else 1)]


def compare(op: str, operands: list[Any], constants: tuple[int, ...] = (), **attrs: Any) -> None:
    check(op, operands, engine="ort", outputs=3 if op == "LSTM" else 2, constants=constants, hidden_size=HIDDEN, **attrs)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("constants", [(), (1, 2, 3)])
def test_both_directions(op: str, constants: tuple[int, ...]) -> None:
    more = {"linear_before_reset": 1} if op == "GRU" else {}
    compare(op, [*layer(op, 2), None, *states(op, 2)], constants, direction="bidirectional", **more)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_lengths(op: str, direction: str) -> None:
    compare(op, [*layer(op), np.array([2, 4, 1], np.int32), *states(op)], direction=direction)


def test_clip_peepholes_and_activations() -> None:
    operands = [*layer("LSTM"), None, *states("LSTM"), randn(1, 3 * HIDDEN)]
    compare("LSTM", operands, clip=0.6)
    names, numbers = ["HardSigmoid", "Softsign", "LeakyRelu"], {"activation_alpha": [0.3, 0.2], "activation_beta": [0.4]}
    compare("LSTM", operands[:7], activations=names, **numbers)
    numbers = {"activation_alpha": [0.7], "activation_beta": [0.5]}
    compare("GRU", [*layer("GRU"), None, *states("GRU")], activations=["Sigmoid", "ScaledTanh"], **numbers)
    compare("RNN", layer("RNN"), activations=["Relu"])


def test_double_precision() -> None:
    operands = [x if x is None else x.astype(np.float64) for x in layer("RNN")]
    check("RNN", operands, outputs=2, hidden_size=HIDDEN, tolerance=1e-12)
