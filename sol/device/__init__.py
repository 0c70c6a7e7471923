"""``torch.device("sol")``: PyTorch's extension and drivers (docs/devices.md), and the machines that ``sol.deploy`` writes for."""

from __future__ import annotations

import contextlib
from typing import Any

from sol.deploy.names import Device
from sol.device.mapping import set_mapping

x86, aarch64 = Device.x86, Device.aarch64


def lazy() -> contextlib.AbstractContextManager[Any]:
    """A block in which consecutive pointwise operations of the device are recorded and run as one compiled region.

    They run when another operation or the host asks for a result, and at the end of the block at the latest, to eager's results.
    In-place operations, views and all else that is not pointwise run what was recorded of their operands first. A region is compiled
    when it is met for the first time (0.3 to 1 s; it stays in the cache), and again for other shapes or numbers. Another thread may use
    tensors of the block only after it ended or after ``torch.sol.synchronize()``.

    Raises RuntimeError where the extension of PyTorch is not built (``sol devices build``).
    """
    import torch

    torch.sol.init()  # type: ignore[attr-defined]
    from sol.device.lazy_block import Lazy

    return Lazy()


__all__ = ["aarch64", "lazy", "set_mapping", "x86"]
