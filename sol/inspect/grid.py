"""What became of a network on a device of OpenCL, as rows of explanations and profiles."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import torch

from sol.codegen.opencl.plan import GridLaunch, GridPlan, HostStep
from sol.inspect.explanation import RegionRow
from sol.inspect.profile import ProfileRow
from sol.ir.graph import Graph
from sol.runtime.torch.grid_executable import GridExecutable


def grid_rows(graph: Graph, plan: GridPlan) -> list[RegionRow]:
    """Launches of a plan by the value that they compute, in order."""
    found: dict[str, list[GridLaunch]] = {}
    for launch in plan.launches:
        found.setdefault(launch.region, []).append(launch)
    rows = []
    for region, launches in found.items():
        kernels = tuple(dict.fromkeys(launch.kernel for launch in launches))
        result = ", ".join(str(t) for t in graph.producer(region).types)
        flops, moved = sum(launch.flops for launch in launches), sum(launch.bytes for launch in launches)
        rows.append(RegionRow(region, launches[-1].ops, kernels, result, str(launches[0].origin).strip(), flops, moved))
    return rows


def host_rows(plan: GridPlan) -> list[tuple[str, str, str]]:
    """Operation, reason and place of what has no kernel."""
    reason = "has no kernel in OpenCL C for these types: it runs on the CPU, on copies"
    return [(step.op, reason, str(step.origin).strip()) for step in plan.steps if isinstance(step, HostStep)]


def grid_profile(executable: GridExecutable, inputs: Sequence[torch.Tensor], runs: int) -> list[ProfileRow]:
    """A row for each step, with the median of its times on the device."""
    rows = []
    for step, times in zip(executable.plan.steps, executable.seconds(inputs, runs)):
        origin, seconds = str(step.origin).strip(), median(times) if times else 0.0
        if isinstance(step, HostStep):
            rows.append(ProfileRow(step.node, f"{step.op} on the CPU", origin, seconds, 0, 0))
        else:
            rows.append(ProfileRow(step.region, step.kernel, origin, seconds, step.flops, step.bytes))
    return rows
