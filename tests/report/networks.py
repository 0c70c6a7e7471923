"""A report of a graph, with made-up times: no compiler is needed."""

from __future__ import annotations

from collections import Counter

from sol.compiler import compile_graph
from sol.ir.text import parse_graph
from sol.report.data import Report, part_of
from sol.runtime.explanation import Explanation, region_rows
from sol.runtime.profile import Profile, profile_rows
from sol.runtime.roofline import Roofline

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
LIMITS = Roofline(200e9, 30e9, 2)


def report(*, timed: bool = True) -> Report:
    """The report of a small network."""
    compiled = compile_graph(parse_graph(TEXT), isa="generic")
    plan, env = compiled.plan, dict[str, int]()
    rows = profile_rows(plan, [2 * LIMITS.seconds(float(n.flops), float(n.bytes)) + 1e-6 for n in plan.launches], env, LIMITS)  # type: ignore[arg-type]
    part = part_of(compiled, env, 1 << 20, rows if timed else ())
    regions = tuple(region_rows(compiled.graph, plan, env))
    explanation = Explanation("net", regions, (), len(plan.kernels), len(plan.launches), part.arena, part.weights)
    profile = Profile(tuple(rows), LIMITS) if timed else None
    inputs, outputs = ("x: float32[1, 32, 12, 12]",), ("y: float32[1, 48]",)
    return Report("net <1>", inputs, outputs, Counter(["Conv", "Conv"]), explanation, (part,), profile)
