"""A report of a graph, with made-up times: no compiler is needed."""

from __future__ import annotations

from collections import Counter

import numpy as np

from sol.compiler import compile_graph
from sol.inspect.explanation import Explanation, region_rows
from sol.inspect.load import Load
from sol.inspect.profile import Profile, profile_rows
from sol.inspect.roofline import CacheRoof, Roofline
from sol.ir.text import parse_graph
from sol.report.data import Report, part_of
from sol.runtime.spans import Spread, samples_of

TEXT = """
graph(%x: f32[1,32,12,12]) {
  %w = parameter{target="w"}: f32[32,32,3,3]
  %v = parameter{target="v"}: f32[16,32,1,1]
  %a: f32[1,32,12,12] = conv(%x, %w){stride=(1, 1), padding=((1, 1), (1, 1)), dilation=(1, 1), groups=1}  // block.conv1 (net.py:3)
  %b: f32[1,32,12,12] = relu(%a)
  %c: f32[1,16,12,12] = conv(%b, %v){stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1), groups=1}  // block.<script>"conv2"
  %d: f32[1,48,12,12] = concat(%b, %c){dim=1}
  %e: f32[1,48] = mean(%d){dims=(2, 3), keepdims=False}
  return %e
}
"""
LIMITS = Roofline(200e9, 30e9, 2, (CacheRoof(1, 32 << 10, 400e9), CacheRoof(2, 1 << 20, 150e9), CacheRoof(3, 32 << 20, 31e9)))


def records(seconds: list[float], threads: int = 2, runs: int = 3) -> np.ndarray:
    """What sol_spans.h would record of launches that take so long, one after the other; the last thread works half as long and waits."""
    found = np.zeros((runs, threads, len(seconds), 8), np.int64)
    for run in range(runs):
        now = 10**9
        for launch, length in enumerate(seconds):
            whole = int(1e9 * length * (1 + 0.1 * run))
            for thread in range(threads):
                work = whole // (2 if thread == threads - 1 and threads > 1 else 1)
                last = launch == len(seconds) - 1
                found[run, thread, launch, :5] = now, now + work, work, 0 if last else whole - work, 1
            now += whole
    return found


def report(*, timed: bool = True) -> Report:
    """The report of a small network."""
    compiled = compile_graph(parse_graph(TEXT), isa="generic")
    plan, env = compiled.plan, dict[str, int]()
    samples = samples_of(records([2 * LIMITS.seconds(float(n.flops), float(n.bytes)) + 1e-6 for n in plan.launches]))  # type: ignore[arg-type]
    rows = profile_rows(plan, samples, env, LIMITS)
    part = part_of(compiled, env, 1 << 20, rows if timed else ())
    regions = tuple(region_rows(compiled.graph, plan, env))
    explanation = Explanation("net", regions, (), len(plan.kernels), len(plan.launches), part.arena, part.weights)
    call = Spread.of([1e-3, 2e-3, 3e-3])
    profile = Profile(tuple(rows), LIMITS, call, Load(0.5, 1.0, 0.0, 9.0), (samples.bars,), samples.threads) if timed else None
    inputs, outputs = ("x: float32[1, 32, 12, 12]",), ("y: float32[1, 48]",)
    return Report("net <1>", inputs, outputs, Counter(["Conv", "Conv"]), explanation, (part,), profile)
