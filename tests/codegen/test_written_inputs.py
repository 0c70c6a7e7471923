"""Which results are written into the memory of an input, and that the plan says so."""

from __future__ import annotations

import numpy as np
import pytest

from sol.compiler import compile_graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.text import parse_graph
from sol.runtime.executable import Executable
from tests.random_numbers import rng

HEAD = """graph(%cache: f32[2,12,8], %rows: f32[2,3,8], %at: i64[2,3,8]) {
  %cache = input(){becomes=BECOMES}: f32[2,12,8]
  %rows = input(): f32[2,3,8]
  %at = input(): i64[2,3,8]
"""
PLAIN = """  %new: f32[2,12,8] = scatter(%cache, %at, %rows){dim=1}
  %y: f32[2,8] = sum(%new){dims=(1,), keepdims=False}
  return %new, %y
}"""
BEFORE = """  %y: f32[2,8] = sum(%cache){dims=(1,), keepdims=False}
  %new: f32[2,12,8] = scatter(%cache, %at, %rows){dim=1}
  return %new, %y
}"""
RESHAPED = """  %flat: f32[2,12,8,1] = reshape(%cache){shape=(2, 12, 8, 1)}
  %places: i64[2,3,8,1] = reshape(%at){shape=(2, 3, 8, 1)}
  %some: f32[2,3,8,1] = reshape(%rows){shape=(2, 3, 8, 1)}
  %put: f32[2,12,8,1] = scatter(%flat, %places, %some){dim=1}
  %new: f32[2,12,8] = reshape(%put){shape=(2, 12, 8)}
  %y: f32[2,8] = sum(%new){dims=(1,), keepdims=False}
  return %new, %y
}"""
AFTER = """  %new: f32[2,12,8] = scatter(%cache, %at, %rows){dim=1}
  %exp: f32[2,12,8] = exp(%new)
  %mul: f32[2,12,8] = mul(%exp, %cache)
  %y: f32[2,8] = sum(%mul){dims=(1,), keepdims=False}
  return %new, %y
}"""
OTHER = """  %double: f32[2,12,8] = add(%cache, %cache)
  %new: f32[2,12,8] = scatter(%double, %at, %rows){dim=1}
  %y: f32[2,8] = sum(%new){dims=(1,), keepdims=False}
  return %new, %y
}"""
OF_ITSELF = """  %part: f32[2,3,8] = slice(%cache){dim=1, start=0, step=1, stop=3}
  %sum: f32[2,3,8] = add(%part, %rows)
  %new: f32[2,12,8] = scatter(%cache, %at, %part){dim=1}
  %y: f32[2,8] = sum(%sum){dims=(1,), keepdims=False}
  return %new, %y
}"""


def built(body: str, becomes: int = 0):
    return parse_graph(HEAD.replace("BECOMES", str(becomes)) + body)


@pytest.mark.parametrize("body,in_place", [
    (PLAIN, True), (BEFORE, True), (RESHAPED, True), (AFTER, False), (OTHER, False), (OF_ITSELF, False),
], ids=["plain", "read_before", "reshaped", "read_after", "other", "of_itself"])  # fmt: skip
@pytest.mark.parametrize("threads", [1, 3])
def test_where_a_result_lies(body: str, in_place: bool, threads: int) -> None:
    graph = built(body)
    compiled = compile_graph(graph, threads=threads)
    (new, _), inputs = compiled.plan.outputs, [p.buffer for p in compiled.plan.inputs]
    assert (new.buffer in inputs) == in_place
    cache, rows = rng.standard_normal((2, 12, 8), np.float32), rng.standard_normal((2, 3, 8), np.float32)
    at = np.stack([rng.permutation(12)[:3] for _ in range(16)]).reshape(2, 8, 3).transpose(0, 2, 1).copy()
    given, before = [cache.copy(), rows, at], cache.copy()
    executable = Executable(compiled, threads=threads)
    executable.pack({})
    want = evaluate_outputs(graph, [cache, rows, at])
    for got, expected in zip(executable(given), want):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
    if in_place:
        np.testing.assert_array_equal(given[0], want[0].astype(np.float32))
    else:
        np.testing.assert_array_equal(given[0], before)


def test_another_output_lies_for_itself() -> None:
    """What an input shall hold is a sum of the cache, no cache with other rows."""
    graph = built(PLAIN, becomes=1)
    plan = compile_graph(graph).plan
    assert not {p.buffer for p in plan.outputs} & {p.buffer for p in plan.inputs}
