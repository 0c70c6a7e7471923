"""The public names of what can be deployed and for which machines; each equals the string of that name."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from sol.errors import ConfigError


class Deployment(str, Enum):
    """What is written: a shared or static library, C sources with a Makefile and CMakeLists.txt, or a Python package."""

    shared_lib = "shared_lib"
    static_lib = "static_lib"
    source = "source"
    python = "python"

    __str__ = str.__str__


class Device(str, Enum):
    """The machine that it is for: 64-bit x86 or 64-bit ARM, with Linux."""

    x86 = "x86"
    aarch64 = "aarch64"

    __str__ = str.__str__

    @property
    def machine(self) -> str:
        """As platform.machine() says it."""
        return {"x86": "x86_64"}.get(self.value, self.value)


class Weights(str, Enum):
    """Where the weights are: in the library, in a file beside it, or in the library unless they are large."""

    auto = "auto"
    embedded = "embedded"
    file = "file"

    __str__ = str.__str__


deployment, device = Deployment, Device
Choice = TypeVar("Choice", Deployment, Device, Weights)


def chosen(kind: type[Choice], value: str, what: str) -> Choice:
    """The member of that name; ConfigError lists them."""
    try:
        return kind(value)
    except ValueError:
        raise ConfigError(f"{what}={value!r} is not valid", remedy=f"it takes {', '.join(k.value for k in kind)}") from None
