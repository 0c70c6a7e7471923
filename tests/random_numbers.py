"""Random numbers of tests: generators start anew for each, from its name, so that one that fails in the suite fails alone as well."""

from __future__ import annotations

import random
import sys
import zlib

import numpy as np

rng = np.random.default_rng(0)
"""For arrays: the one generator that test modules share."""


def begin(name: str) -> None:
    """Python's, numpy's and (where it is imported) torch's global generators and ``rng`` start from a seed that follows from the name."""
    seed = zlib.crc32(name.encode())
    random.seed(seed)
    np.random.seed(seed)
    rng.bit_generator.state = np.random.default_rng(seed).bit_generator.state
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.manual_seed(seed)  # torch.manual_seed also seeds other devices, which takes milliseconds
