"""``sol verify``: is the compiled model right?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sol.build.progress import showing_stages
from sol.commands.models import feed_for, open_model
from sol.commands.ports import parse_shapes
from sol.inspect.checks import Verification
from sol.stages import stage


def verify(
    model: Path, *, inputs: Sequence[str], shapes: Sequence[str], tolerance: float, peer: bool, threads: int | None, isa: str | None,
    seed: int,
) -> Verification:  # fmt: skip
    """Compare with float64 and with another engine: onnxruntime for ONNX (where it is installed), torch for an exported program."""
    sizes = parse_shapes(shapes)
    with showing_stages():
        opened = open_model(model, shapes=sizes, threads=threads, isa=isa)
        feed = feed_for(opened, inputs, sizes, seed)
        stage("comparing with float64")
        return opened.verify(feed, tolerance, peer)
