"""``sol inspect``: what became of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sol.build.progress import showing_stages
from sol.commands.models import feed_for, open_model
from sol.commands.ports import parse_shapes, shape_text
from sol.report.data import Report, part_of
from sol.stages import stage

RUNS = 20


def inspect(
    model: Path,
    *,
    inputs: Sequence[str],
    shapes: Sequence[str],
    threads: int | None,
    isa: str | None,
    seed: int,
    profile: bool,
    alternatives: bool = False,
) -> Report:
    """Everything that a report shows; with ``profile`` the model is run and every launch timed; alternatives: runners-up of each kernel."""
    sizes = parse_shapes(shapes)
    with showing_stages():
        opened = open_model(model, shapes=sizes, threads=threads, isa=isa)
        feed = feed_for(opened, inputs, sizes, seed)
        explanation = opened.explain(feed, alternatives)
        measured = None
        if profile:
            stage("timing kernels")
            measured = opened.profile(feed, RUNS)
        rows = list(measured.rows) if measured else []
        parts = []
        for compiled, env, weights in opened.parts(feed):
            count = len(compiled.plan.launches)
            parts.append(part_of(compiled, env, weights, rows[:count]))
            rows = rows[count:]
    inputs_ = tuple(f"{p.name}: {shape_text(p.dtype, p.shape)}" for p in opened.inputs)
    outputs = tuple(f"{p.name}: {shape_text(p.dtype, p.shape)}" for p in opened.outputs)
    return Report(model.name, inputs_, outputs, Counter(opened.operators()), explanation, tuple(parts), measured)
