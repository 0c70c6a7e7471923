"""sol.explain and sol.profile for what sol.load gives: without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sol.inspect.alternatives import alternatives_of
from sol.inspect.explanation import Explanation, RegionRow, region_rows
from sol.inspect.profile import Profile, profile_rows, time_calls
from sol.inspect.roofline import roofline
from sol.runtime.numpy.session import Session

Inputs = Sequence[Any] | Mapping[str, Any] | np.ndarray


def explain_session(session: Session, inputs: Inputs, *, alternatives: bool = False) -> Explanation:
    """What was fused into which kernel, for the program that runs for these inputs; alternatives: and the runners-up."""
    prepared = session.prepared(feed_of(session, inputs))
    rows: list[RegionRow] = []
    weights = arena = kernels = launches = 0
    if prepared.executable is not None:
        executable = prepared.executable
        compiled = executable.compiled
        others = alternatives_of(compiled.graph, compiled.plan, compiled.target, executable.threads) if alternatives else {}
        rows = region_rows(compiled.graph, compiled.plan, prepared.env, others)
        memory = executable.memory_bytes(prepared.env)
        weights, arena = memory["weights"], memory["arena"]
        kernels, launches = len(executable.plan.kernels), len(executable.plan.launches)
    return Explanation(title_of(session), tuple(rows), (), kernels, launches, arena, weights)


def feed_of(session: Session, inputs: Inputs) -> dict[str, Any]:
    """Inputs by name, from a mapping, a sequence in order, or one array."""
    if isinstance(inputs, Mapping):
        return dict(inputs)
    sequence = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return dict(zip([i.name for i in session.inputs], sequence))


def title_of(session: Session) -> str:
    """What the model calls itself."""
    return session.model.graph.name or "network"


def profile_session(session: Session, inputs: Inputs, *, runs: int = 20) -> Profile:
    """Time of every launch, and of whole calls."""
    feed = feed_of(session, inputs)
    prepared = session.prepared(feed)
    executable = prepared.executable
    if executable is None:
        return Profile(())
    executable = executable.for_sizes(prepared.env)
    limits = roofline(executable.threads or executable.arrays.threads())
    samples = executable.profile(prepared.stored, prepared.env, runs)
    arrays = [feed[i.name] for i in session.inputs if i.name in feed]
    call, load = time_calls(lambda: session.run(arrays), runs, samples.threads)
    rows = profile_rows(executable.plan, samples, prepared.env, limits)
    return Profile(tuple(rows), limits, call, load, (samples.bars,), samples.threads)
