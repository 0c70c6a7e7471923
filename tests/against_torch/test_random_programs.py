"""Random programs of torch compiled, many as one module, and judged by eager torch and float64 on every instruction set."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Any

import pytest
import torch

import sol
from sol.codegen.targets import runnable
from sol.errors import SolError
from tests.against_torch.random_programs import RandomProgram, random_program
from tests.against_torch.support import FLOOR, TOLERANCE, differs, error, team_of
from tests.toolchains import isas_by_default

SAMPLE, TOGETHER = 30, 10
FIRST = int(os.environ.get("SOL_RANDOM_FIRST", "0"))
COUNT = int(os.environ.get("SOL_RANDOM_PROGRAMS", "3000"))
STEPS_LOST = 4.0
"""Units in the last place, of the coarsest type that a program has, that each of its steps may lose where torch happens to be exact."""


class Together(torch.nn.Module):
    """Several programs as one model, whose inputs are theirs in order."""

    def __init__(self, programs: Iterable[RandomProgram]) -> None:
        super().__init__()
        self.programs = list(programs)

    @property
    def inputs(self) -> list[torch.Tensor]:
        return [t for p in self.programs for t in p.inputs]

    def forward(self, *inputs: torch.Tensor) -> tuple[Any, ...]:
        results, at = [], 0
        for program in self.programs:
            results.append(program(*inputs[at : at + len(program.inputs)]))
            at += len(program.inputs)
        return tuple(results)


def wrong(programs: list[RandomProgram], isa: str) -> list[str]:
    """What differs, by program; one that does not compile is found by compiling each alone."""
    model = Together(programs).eval()
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fast = sol.optimize(model, model.inputs, isa=isa, fallback="error")
            results = []
            for threads in (1, 2):
                with team_of(threads):
                    results.append((threads, fast(*model.inputs)))
    except (SolError, RuntimeError, AssertionError, KeyError, ValueError, TypeError, IndexError) as failure:
        if len(programs) > 1:
            return [text for p in programs for text in wrong([p], isa)]
        return [f"{programs[0]}\n  {isa}: {type(failure).__name__}: {str(failure)[:600]}"]
    found = []
    for k, program in enumerate(programs):
        expected, exact = program(*program.inputs), program.precise()
        for threads, got in results:
            text = _judged(program, got[k], expected, exact)
            if text:
                found.append(f"{program}\n  {isa}, {threads} threads: {text}")
                break
    return found


def _judged(program: RandomProgram, got: Any, expected: Any, exact: Any) -> str:
    """How results differ by more than rounding in another order explains."""
    text = differs(got, expected, exact)
    if not text:
        return ""
    floor = STEPS_LOST * len(program.steps) * program.coarsest
    if isinstance(got, tuple) and len(got) == len(expected) and all(_close(g, e, x, floor) for g, e, x in zip(got, expected, exact)):
        return ""
    return text


def _close(got: Any, expected: torch.Tensor, exact: torch.Tensor, floor: float) -> bool:
    if not isinstance(got, torch.Tensor) or got.shape != expected.shape or got.dtype != expected.dtype:
        return False
    if not expected.is_floating_point():
        return torch.equal(got, expected)
    return error(got, exact) <= TOLERANCE * error(expected, exact) + max(floor, FLOOR * torch.finfo(expected.dtype).eps)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.budget(8)
def test_a_sample_of_random_programs(isa):
    """Ten programs on each instruction set."""
    first = SAMPLE // 3 * runnable().index(isa)
    found = wrong([random_program(seed) for seed in range(first, first + TOGETHER)], isa)
    assert not found, "\n".join(found)


@pytest.mark.conformance
@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, TOGETHER))
def test_random_programs(first):
    """``SOL_RANDOM_PROGRAMS`` of them from seed ``SOL_RANDOM_FIRST`` on, each on every instruction set."""
    programs = [random_program(seed) for seed in range(first, first + TOGETHER)]
    found = [text for isa in isas_by_default() for text in wrong(programs, isa)]
    assert not found, "\n".join(found)
