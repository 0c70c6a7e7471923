"""The tour: graph → passes → plan → C. A newcomer reads this file first; each line names the room it enters.

What turns C into a library is `sol.build`. The tour with measured kernels and kept plans is `sol.tuning.compile`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from sol.codegen.compiled import Compiled, Planned, Written, target_for
from sol.codegen.defuse import served
from sol.codegen.opencl.lowering import make_grid_plan
from sol.codegen.opencl.plan import GridCompiled, program_text
from sol.codegen.placement import with_borders
from sol.codegen.plan import Kernel, Plan
from sol.codegen.program import SourceFile, kernel_source, render_program
from sol.codegen.schedule import make_plan
from sol.codegen.targets import Target
from sol.config import config
from sol.errors import OutputError
from sol.ir.graph import Graph
from sol.ir.text import graph_text
from sol.ir.verify import verify
from sol.passes.choices import Choose, first
from sol.passes.pipeline import run_passes, run_plain_passes
from sol.stages import stage

log = logging.getLogger("sol.compiler")


class Measurements(Protocol):
    """Who knows what measurements found and makes missing ones: `sol.tuning.tuner.Tuner`."""

    @property
    def choose(self) -> Choose: ...

    def measure(self, graph: Graph) -> bool:
        """Measure what ``choose`` was asked and could not tell; whether all should be decided again."""


def compile_graph(
    graph: Graph,
    *,
    title: str = "network",
    isa: str | Target | None = None,
    threads: int | None = None,
    measurements: Measurements | None = None,
    planned: Planned | None = None,
    written: Written | None = None,
) -> Compiled:
    """Imported graph → C. isa, threads: as for ``target_for``. measurements: overrule the cost model where there are any.
    planned: is told the plan before its C is written. written: is told the C of each kernel while others are planned, without measurements.

    Raises UnsupportedError for what has no kernel; VerifyError (with SOL_VERIFY=1) names the pass that broke an invariant.
    """
    target = target_for(isa, threads)
    choose = measurements.choose if measurements else first
    dump = _Dump(config["dump"])
    dump.write("import.txt", lambda: graph_text(graph))
    if config["verify"]:
        verify(graph)
    kernels: dict[str, SourceFile] = {}

    def decided(kernel: Kernel) -> None:
        if written and not measurements:
            kernels[kernel.name] = kernel_source(kernel)
            written(kernels[kernel.name], target)

    fused, plan = _decide(graph, target, choose, dump, decided)
    while measurements and measurements.measure(graph):  # again, because other fusions give other regions
        dump.restart()
        fused, plan = _decide(graph, target, choose, dump, decided)
    if planned:
        planned(fused, plan, target)
    stage("writing C")
    sources = render_program(plan, title, written=kernels)
    for source in sources:
        dump.write(f"{source.name}.c", lambda: source.text)  # noqa: B023
    return Compiled(fused, plan, sources, target)


def compile_grid(graph: Graph, *, title: str = "network", isa: str | Target | None = None) -> GridCompiled:
    """Imported graph → OpenCL C. isa: of the host, by which passes that hold for any machine choose; default as for ``target_for``.

    Raises UnsupportedError for sizes that stay open.
    """
    dump = _Dump(config["dump"])
    dump.write("import.txt", lambda: graph_text(graph))
    stage("optimizing the graph")
    plain = run_plain_passes(graph, target_for(isa))
    stage("choosing kernels and placing buffers")
    spelled, plan = make_grid_plan(plain)
    if config["verify"]:
        verify(graph), verify(spelled)
    dump.write("spelled_out.txt", lambda: graph_text(spelled))
    text = program_text(plan, title)
    dump.write("program.cl", lambda: text)
    return GridCompiled(spelled, plan, text)


def _decide(graph: Graph, target: Target, choose: Choose, dump: _Dump, decided: Callable[[Kernel], None]) -> tuple[Graph, Plan]:
    """Imported graph → fused graph and plan."""
    stage("optimizing the graph")
    for name, after in run_passes(graph, target, choose):
        graph = after
        dump.write(f"{name}.txt", lambda: graph_text(after))  # noqa: B023  (called at once)
        if config["verify"]:
            verify(graph)
    stage("choosing kernels and placing buffers")
    fused, graph = graph, with_borders(served(graph, target))
    if graph != fused:
        dump.write("served.txt", lambda: graph_text(graph))
        if config["verify"]:
            verify(graph)
    plan = make_plan(graph, target, choose, decided)
    dump.write("plan.txt", lambda: plan_text(plan))
    return graph, plan


def plan_text(plan: Plan) -> str:
    """The plan as lines: buffers, weights, launches."""
    lines = [f"target {plan.target}, arena {plan.arena}, scratch {plan.scratch}, shared scratch {plan.shared_scratch}"]
    lines += [f"buffer {b.name}: {b.kind} {b.size} bytes at {b.offset}, launches {b.first}..{b.last}" for b in plan.buffers]
    lines += [f"weight {w.name}: %{w.value} as {w.pack.kind}{dict(w.pack.attrs)}" for w in plan.weights]
    for i, launch in enumerate(plan.launches):
        kernel = plan.kernel(launch.kernel)
        buffers = ", ".join(f"{n}={r.buffer}+{r.offset}" for (n, _), r in zip(kernel.buffers, launch.buffers))
        args = ", ".join(f"{n}={a}" for n, a in zip(kernel.params, launch.args))
        lines.append(f"{i}{' |' if launch.barrier else ''} {launch.kernel}({buffers}; {args})  // {launch.region} {launch.origin}")
    return "\n".join(lines) + "\n"


class _Dump:
    """Writes what each stage made, numbered in order, if a folder is configured."""

    def __init__(self, folder: str) -> None:
        self.count = 0
        self.folder: Path | None = None
        if folder:
            base = Path(folder)
            with _dumping(base):
                taken = len(list(base.glob("graph*"))) if base.exists() else 0
                self.folder = base / f"graph{taken}"
                self.folder.mkdir(parents=True, exist_ok=True)

    def restart(self) -> None:
        """Write over what was dumped after the imported graph."""
        self.count = min(self.count, 1)

    def write(self, name: str, text) -> None:  # type: ignore[no-untyped-def]
        if self.folder is None:
            return
        prefix = "" if name.endswith(".c") else f"{self.count:02d}_"
        self.count += not name.endswith(".c")
        with _dumping(self.folder):
            (self.folder / f"{prefix}{name}").write_text(text())


@contextmanager
def _dumping(folder: Path) -> Iterator[None]:
    """Failures to write say what for."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write to the folder {folder}: {error.strerror or error}",
                          remedy="name another folder with sol.config['dump'], or make room") from error  # fmt: skip
