"""What ``import torch`` runs, as the entry point ``torch.backends`` asks: it makes ``torch.device("sol")`` and ``torch.sol`` known.

It imports neither ``sol`` nor numpy, and loads of the extension only what PyTorch must know of a device; operations are loaded with the
first tensor, and ``torch.sol`` imports its functions when one is used. Where the extension is not built, ``torch.sol`` says what to run,
and PyTorch is as it is without sol: to PyTorch, a device that has a name is an accelerator, whether it can be used or not.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LIBRARY: list[ctypes.CDLL] = []
"""The part of the extension that is loaded with PyTorch; empty where it is not built."""

DRIVERS: dict[str, str] = {}
"""Built drivers: name → path of the library; the first one is used unless another is named."""

COMPILER: list[Any] = []
"""What registered the function that compiles operations."""


class _DeviceModule(types.ModuleType):
    """``torch.sol`` before its first use."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from sol.device import torch_module

        self.__dict__.update({key: value for key, value in vars(torch_module).items() if not key.startswith("__")})
        return self.__dict__[name] if name in self.__dict__ else torch_module.__getattr__(name)


def start() -> None:
    """Make ``torch.sol`` known, and the device if its extension is built. Does nothing where another backend has PyTorch's free place."""
    import torch

    if "torch.sol" in sys.modules or torch._C._get_privateuse1_backend_name() != "privateuseone":
        return
    module: Any = _DeviceModule("torch.sol", "The device sol, as torch.cuda is for cuda (docs/devices.md).")
    sys.modules["torch.sol"] = torch.sol = module  # type: ignore[attr-defined]
    load(torch.__version__)


def _register() -> None:
    """Give PyTorch's free place for a device the name sol."""
    import torch

    torch.utils.rename_privateuse1_backend("sol")
    del torch.sol  # type: ignore[attr-defined]
    torch._register_device_module("sol", sys.modules["torch.sol"])
    torch.utils.generate_methods_for_privateuse1_backend()
    if torch.distributed.is_available():
        torch.distributed.Backend.register_backend("sol", _group, devices=["sol"])
    _name_device_of_dlpack(torch.Tensor)
    kind: Any = torch.nn.Module  # by its to(), which lazy modules have as well
    kind.sol = lambda self, device=None: keeping_shared(self, lambda: self.to(torch.device("sol") if device is None else _place(device)))


def _place(device: Any) -> Any:
    """A device of sol by number, name or itself."""
    import torch

    found = torch.device("sol", device) if isinstance(device, int) else torch.device(device)
    if found.type != "sol":
        raise ValueError(f"expected a device of sol, got {found}")
    return found


def _name_device_of_dlpack(kind: Any) -> None:
    """Let tensors of sol say DLPack's number for devices outside of the standard: PyTorch knows it for devices without a name alone."""
    usual = kind.__dlpack_device__

    def __dlpack_device__(self: Any) -> Any:  # noqa: N807
        if self.device.type != "sol":
            return usual(self)
        from torch.utils.dlpack import DLDeviceType

        return DLDeviceType.kDLExtDev, self.device.index

    kind.__dlpack_device__ = __dlpack_device__


def _group(store: Any, rank: int, size: int, timeout: Any) -> Any:
    """What ``init_process_group("sol")`` calls."""
    from sol.device.process_group import SolGroup

    return SolGroup(store, rank, size, timeout)


def keeping_shared(model: Any, move: Callable[[], Any]) -> Any:
    """Move a module's tensors, whatever ``move`` returns; what two places share, they share afterwards, and what had no size yet has none.
    PyTorch itself makes new parameters when it moves a module to or from a device outside of its own, one for each place.
    """
    from torch.nn.parameter import is_lazy

    places: dict[int, list[tuple[Any, str]]] = {}
    for module in model.modules():
        for tensors in (module._parameters, module._buffers):
            for name, tensor in tensors.items():
                if tensor is not None:
                    places.setdefault(id(tensor), []).append((tensors, name))
    lazy = [(tensors, name, tensors[name]) for (tensors, name), *_ in places.values() if is_lazy(tensors[name])]
    result = move()
    for tensors, name, before in lazy:
        now = tensors[name]
        if type(now) is not type(before):
            tensors[name] = type(before)(requires_grad=before.requires_grad, device=now.device, dtype=now.dtype)
    for (first, key), *others in places.values():
        for tensors, name in others:
            tensors[name] = first[key]
    return result


def load(torch_version: str) -> bool:
    """Load the extension that ``sol devices build`` made for this torch, and register the device, after ``start``.

    Returns whether there is an extension that only this user can change.
    """
    if LIBRARY:
        return True
    note = note_of(torch_version)
    try:
        with open(note, encoding="utf-8") as file:
            first, operations, *drivers = file.read().splitlines()
        paths = dict(line.split(" ", 1) for line in drivers)
        trusted = all(map(_owned, (note, os.path.dirname(note), os.path.dirname(first), first, operations, *paths.values())))
    except (OSError, ValueError):
        return False
    if not trusted:
        return False
    library = ctypes.CDLL(first)
    _register()
    DRIVERS.update(paths)
    library.sol_device_start(os.fsencode(operations), os.fsencode(driver_named(os.environ.get("SOL_DRIVER", ""))))
    atexit.register(library.sol_device_end)
    LIBRARY.append(library)
    if os.environ.get("SOL_DEVICE_COMPILE", "off") != "off":
        offer_compiler()
    return True


def offer_compiler() -> None:
    """Let the extension ask for operations that are compiled one by one; ``sol`` is imported when it asks for the first one."""
    import torch

    if not COMPILER:
        library = torch.library.Library("sol_device", "IMPL")
        library.impl("compile_operation", _compiled_call, "CPU")
        COMPILER.append(library)


def _compiled_call(*args: Any) -> Any:
    from sol.device.operations import compiled_call

    return compiled_call(*args)


def driver_named(name: str) -> str:
    """Path of a driver's library. name: of one that is built, or itself a path; empty for the one that is used unless another is named."""
    return DRIVERS.get(name, name) if name else next(iter(DRIVERS.values()))


def note_of(torch_version: str) -> str:
    """The file that says where the extension's two libraries are, a path a line, and drivers: a name and a path a line.

    The environment variable SOL_DEVICE_NOTE names another one than that of the cache folder.
    """
    return os.environ.get("SOL_DEVICE_NOTE") or os.path.join(folder(), f"torch-{torch_version}")


def folder() -> str:
    """Where libraries are kept."""
    base = os.environ.get("SOL_CACHE_DIR")
    if not base:
        home = os.environ.get("XDG_CACHE_HOME", "")
        base = os.path.join(home if home.startswith("/") else os.path.expanduser("~/.cache"), "sol")
    return os.path.join(os.path.abspath(base), "device")


def _owned(path: str) -> bool:
    status = os.stat(path)
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022
