"""All packers: what moves elements (``panels``, ``quads``), factors (``scales``), and what also computes (``transforms``, ``parts``)."""

from __future__ import annotations

from sol.codegen.packers import quads
from sol.codegen.packers.panels import COPY, MATRIX_PAIRS, PANELS, cross
from sol.codegen.packers.parts import PARTS
from sol.codegen.packers.scales import SCALES, SIGNED
from sol.codegen.packers.transforms import PAIRS, WINOGRAD, WORDS
from sol.codegen.packing import ROUND

__all__ = ["KERNELS", "cross", "quads"]
KERNELS = (COPY, ROUND, *PANELS.values(), *MATRIX_PAIRS.values(), SCALES, SIGNED, PAIRS, WINOGRAD, WORDS, PARTS)
