"""``sol.device.set_mapping``: which driver's devices are ``sol:0``, ``sol:1``, …"""

from __future__ import annotations

import os

from sol.errors import ConfigError

MAPPINGS = ("auto", "explicit", "cpu", "gpu")


def set_mapping(mapping: str) -> None:
    """Choose the devices of this process, before one is used.

    mapping: "auto": all devices of the driver that ``sol devices build`` noted, the simulated ones unless it was told another; "explicit":
        the same, every physical device an index of its own; "cpu": the host's CPU alone, as ``sol:0``, whose memory is the host's; "gpu":
        GPUs that OpenCL finds.

    Raises ConfigError for another word, where the extension or the driver of OpenCL is not built, and where a device of another driver was
    used already.
    """
    import torch

    import sol_autoload

    if mapping not in MAPPINGS:
        raise ConfigError(f"there is no mapping {mapping!r}", remedy=f"name one of {', '.join(MAPPINGS)}")
    if not sol_autoload.load(torch.__version__):
        raise ConfigError("the extension of PyTorch is not built for this version", remedy="run `sol devices build`")
    if mapping == "gpu":
        if "opencl" not in sol_autoload.DRIVERS:
            raise ConfigError("the driver of GPUs, that of OpenCL, is not built", remedy="run `sol devices build --driver opencl`")
        os.environ["SOL_OPENCL_TYPE"] = "gpu"
    name = {"cpu": "host", "gpu": "opencl"}.get(mapping, os.environ.get("SOL_DRIVER", ""))
    driver = sol_autoload.driver_named(name)
    if sol_autoload.LIBRARY[0].sol_device_use(os.fsencode(driver)):
        raise ConfigError("a device of another driver is in use", remedy="call set_mapping before the first tensor on the device")
