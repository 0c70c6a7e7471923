"""Which operations torch computes faster than the kernels that there are, by operation, element type and size.

Where torch is at hand they run there, between compiled parts, and ``sol.explain`` gives the reason. A deployed library has its own
kernels for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def reason_for_torch(target: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> str:
    """Why torch should compute a node of ``aten.name.overload``; empty if compiled code is as fast."""
    return ""
