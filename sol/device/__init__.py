"""``torch.device("sol")``: PyTorch's extension and drivers (docs/devices.md), and the machines that ``sol.deploy`` writes for."""

from __future__ import annotations

from sol.deploy.names import Device
from sol.device.mapping import set_mapping

x86, aarch64 = Device.x86, Device.aarch64

__all__ = ["aarch64", "set_mapping", "x86"]
