"""Formulas of activations with a gate, for math namespaces (sol/ir/ops/pointwise.py) without functions of their own for them."""

from __future__ import annotations

import math
from typing import Any

RATE = 2.0 * math.sqrt(2.0 / math.pi)
CUBIC = 0.044715


def gelu_tanh(m: Any, x: Any) -> Any:
    """x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3)"""
    return x * m.sigmoid(RATE * (x + CUBIC * (x * x * x)))


def gelu_tanh_slope(m: Any, x: Any) -> Any:
    """The derivative of gelu_tanh."""
    s = m.sigmoid(RATE * (x + CUBIC * (x * x * x)))
    return s + x * (s * (1.0 - s)) * (RATE * (1.0 + 3.0 * CUBIC * (x * x)))
