"""Kernels of optimizer steps against the formulas in float64, on every instruction set, for sizes around the vector width."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.optimizer_step import Rule, all_rules, step_kernel
from sol.codegen.targets import by_name
from sol.runtime.packers import Launches, addresses
from tests.instruction_sets import each_isa
from tests.random_numbers import rng

SIZES = (1, 7, 8, 15, 16, 17, 33, 0, 1000)
LR, MOMENTUM, DAMPENING, DECAY, BETAS, EPS, STEPS = 0.1, 0.9, 0.25, 0.01, (0.9, 0.99), 1e-6, 3


def expected(rule: Rule, p: np.ndarray, g: np.ndarray, states: list[np.ndarray], fresh: bool) -> tuple[np.ndarray, list[np.ndarray]]:
    """The parameter and its states after a step, computed in float64."""
    p, g, states = p.astype(np.float64), g.astype(np.float64), [s.astype(np.float64) for s in states]
    g = -g if rule.maximize else g
    if rule.decay == "decoupled":
        p = p * (1 - LR * DECAY)
    elif rule.decay:
        g = g + DECAY * p
    if rule.rule == "sgd":
        if not rule.momentum:
            return p - LR * g, states
        m = g if fresh else MOMENTUM * states[0] + (1 - DAMPENING) * g
        return p - LR * (g + MOMENTUM * m if rule.nesterov else m), [m, *states[1:]]
    (b1, b2), t = BETAS, STEPS + 1
    m, v = b1 * states[0] + (1 - b1) * g, b2 * states[1] + (1 - b2) * g * g
    largest = np.maximum(states[2], v) if rule.amsgrad else states[2]
    second = largest if rule.amsgrad else v
    return p - LR / (1 - b1**t) * m / (np.sqrt(second / (1 - b2**t)) + EPS), [m, v, largest]


@pytest.mark.parametrize("isa", each_isa())
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("rule", [*all_rules()], ids=lambda r: step_kernel(r).name)
def test_a_step(rule: Rule, isa: str, threads: int) -> None:
    values = [[rng.standard_normal(n).astype(np.float32) for _ in range(5)] for n in SIZES]
    counts = np.full(len(SIZES), STEPS, np.float32)
    fresh = [rule.momentum and k % 2 == 1 for k in range(len(SIZES))]
    for _, _, _, v, largest in values:
        np.abs(v, out=v), np.abs(largest, out=largest)
    wanted = [expected(rule, p, g, states, f) for (p, g, *states), f in zip(values, fresh)]
    rows, before = [], 0
    for k, (arrays, f) in enumerate(zip(values, fresh)):
        rows.append((*(a.ctypes.data for a in arrays), counts[k:].ctypes.data, SIZES[k], before, int(f)))
        before += SIZES[k]
    numbers = (LR, MOMENTUM, DAMPENING, DECAY, 0.0) if rule.rule == "sgd" else (LR, *BETAS, EPS, DECAY)
    tensors, table = np.array(rows, np.int64), np.array([numbers] * len(SIZES))
    (address,) = addresses([step_kernel(rule)], by_name(isa)).values()
    Launches((address, 0, 2, 2, tensors.ctypes.data, table.ctypes.data, len(SIZES), before), 0, threads, [], 0).run()
    for (p, _, *states), (wanted_p, wanted_states) in zip(values, wanted):
        np.testing.assert_allclose(p, wanted_p, rtol=1e-5, atol=1e-6)
        for found, state in zip(states, wanted_states):
            np.testing.assert_allclose(found, state, rtol=1e-5, atol=1e-6)
    assert (counts == STEPS + (rule.rule == "adam")).all()
