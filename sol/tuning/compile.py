"""The tour as a process takes it: kernels that were measured where that is asked for, and the plans of large graphs kept.

Where nothing is measured, kernels are compiled while those after them are chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sol.build import early
from sol.build.build import Unit, compile_early
from sol.build.plans import kept_plan
from sol.codegen.compiled import Compiled, Planned, target_for
from sol.codegen.opencl.plan import GridCompiled
from sol.codegen.program import SourceFile
from sol.codegen.targets import Target
from sol.config import config
from sol.ir.graph import Graph
from sol.tuning.calibration import calibrated

if TYPE_CHECKING:
    from sol.tuning.tuner import Tuner


def compile_tuned(
    graph: Graph,
    *,
    title: str = "network",
    isa: str | Target | None = None,
    threads: int | None = None,
    planned: Planned | None = None,
) -> Compiled:
    """Imported graph → C, as ``sol.compiler.compile_graph``; with ``config["autotune"]`` kernels are measured for so many ``threads``.

    Code for this very CPU follows what `sol.tuning.calibration` measured here, if anything was. A plan is kept where nothing is
    measured, dumped or checked on the way.
    """
    target = calibrated(target_for(isa, threads))
    tuner = _tuner(target, threads) if config["autotune"] != "off" and target.runs_here() else None

    def begin(source: SourceFile, target: Target) -> None:
        compile_early(Unit(source.name, source.text), target)

    def decided() -> Compiled:
        from sol.compiler import compile_graph  # which takes a tenth of a second that a kept plan does without

        try:
            return compile_graph(graph, title=title, isa=target, threads=threads, measurements=tuner, planned=planned, written=begin)
        except BaseException:
            early.withdraw()
            raise

    if tuner or config["dump"] or config["verify"]:
        return decided()
    return kept_plan(graph, title, target, decided)


def compile_queued(graph: Graph, *, title: str = "network", isa: str | Target | None = None) -> GridCompiled:
    """Imported graph → OpenCL C, as ``sol.compiler.compile_grid``. Nothing is measured for such devices."""
    from sol.compiler import compile_grid

    return compile_grid(graph, title=title, isa=isa)


def _tuner(target: Target, threads: int | None) -> Tuner:
    from sol.tuning.tuner import Tuner

    return Tuner(target, threads)
