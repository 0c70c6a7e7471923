"""What a compilation gives, and for what it is made: all that a process needs which reads a kept plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sol.codegen.plan import Plan
from sol.codegen.program import SourceFile
from sol.codegen.targets import Target, resolve, usable_cpus
from sol.config import config
from sol.ir.graph import Graph


@dataclass(frozen=True)
class Compiled:
    """A network on its way to a library: the fused graph, every decision, and the C text."""

    graph: Graph
    plan: Plan
    sources: tuple[SourceFile, ...]
    target: Target


Planned = Callable[[Graph, Plan, Target], None]
"""Is told a fused graph, its plan and the target."""
Written = Callable[[SourceFile, Target], None]
"""Is told the C of a kernel that the network will have, and the target."""


def target_for(isa: str | Target | None = None, threads: int | None = None) -> Target:
    """The target that kernels are chosen for.

    isa: instruction set, default ``config["isa"]``; as a Target (``targets.by_name``) also one of another machine, whose C can be written
    here but neither built nor run. threads: in its team; None: the usable CPUs.
    """
    target = isa if isinstance(isa, Target) else resolve(isa or config["isa"])
    return replace(target, team=threads or usable_cpus())
