"""The tour: graph → passes → plan → C → library. A newcomer reads this file first; each line names the room it enters."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from sol.codegen.plan import Plan
from sol.codegen.program import SourceFile, render_program
from sol.codegen.schedule import make_plan
from sol.codegen.targets import Target, resolve
from sol.config import config
from sol.ir.graph import Graph
from sol.ir.text import graph_text
from sol.ir.verify import verify
from sol.passes.pipeline import run_passes

log = logging.getLogger("sol.compiler")


@dataclass(frozen=True)
class Compiled:
    """A network on its way to a library: the fused graph, every decision, and the C text."""

    graph: Graph
    plan: Plan
    sources: tuple[SourceFile, ...]
    target: Target


def compile_graph(graph: Graph, *, title: str = "network", isa: str | Target | None = None) -> Compiled:
    """Imported graph → C. isa: instruction set, default ``config["isa"]``; as a Target (``targets.by_name``) also one of another machine,
    whose C can be written here but neither built nor run.

    Raises UnsupportedError for what has no kernel; VerifyError (with SOL_VERIFY=1) names the pass that broke an invariant.
    """
    target = isa if isinstance(isa, Target) else resolve(isa or config["isa"])
    dump = _Dump(config["dump"])
    dump.write("import.txt", lambda: graph_text(graph))
    if config["verify"]:
        verify(graph)
    for name, after in run_passes(graph, target.lanes):
        graph = after
        dump.write(f"{name}.txt", lambda: graph_text(after))  # noqa: B023  (called at once)
        if config["verify"]:
            verify(graph)
    plan = make_plan(graph, target)
    dump.write("plan.txt", lambda: plan_text(plan))
    sources = render_program(plan, title)
    for source in sources:
        dump.write(f"{source.name}.c", lambda: source.text)  # noqa: B023
    return Compiled(graph, plan, sources, target)


def build_library(compiled: Compiled) -> Path:
    """C → shared library in the cache; compiles only what is not there yet."""
    from sol.runtime.build import Unit, build

    return build([Unit(s.name, s.text) for s in compiled.sources], compiled.target)


def plan_text(plan: Plan) -> str:
    """The plan as lines: buffers, weights, launches."""
    lines = [f"target {plan.target}, arena {plan.arena}, scratch {plan.scratch}, common {plan.common}"]
    lines += [f"buffer {b.name}: {b.kind} {b.size} bytes at {b.offset}, launches {b.first}..{b.last}" for b in plan.buffers]
    lines += [f"weight {w.name}: %{w.value} as {w.pack.kind}{dict(w.pack.attrs)}" for w in plan.weights]
    for i, launch in enumerate(plan.launches):
        names = plan.kernel(launch.kernel)
        buffers = ", ".join(f"{n}={r.buffer}+{r.offset}" for n, r in zip(names.buffers, launch.buffers))
        args = ", ".join(f"{n}={a}" for n, a in zip(names.params, launch.args))
        lines.append(f"{i}{' |' if launch.barrier else ''} {launch.kernel}({buffers}; {args})  // {launch.region} {launch.origin}")
    return "\n".join(lines) + "\n"


class _Dump:
    """Writes what each stage made, numbered in order, if a folder is configured."""

    def __init__(self, folder: str) -> None:
        self.count = 0
        self.folder: Path | None = None
        if folder:
            base = Path(folder)
            taken = len(list(base.glob("graph*"))) if base.exists() else 0
            self.folder = base / f"graph{taken}"
            self.folder.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, text) -> None:  # type: ignore[no-untyped-def]
        if self.folder is None:
            return
        prefix = "" if name.endswith(".c") else f"{self.count:02d}_"
        self.count += not name.endswith(".c")
        (self.folder / f"{prefix}{name}").write_text(text())
