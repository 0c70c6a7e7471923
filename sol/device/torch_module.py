"""``torch.sol``: what a user of torch.cuda knows, for the device sol."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch

import sol_autoload

Device = torch.device | int | str | None
_LOADED = {"operations": False}


class DeviceProperties(NamedTuple):
    """name; total_memory and free_memory in bytes; multi_processor_count: cores or compute units; flags: SOL_IS_… of sol_driver.h."""

    name: str
    total_memory: int
    free_memory: int
    multi_processor_count: int
    flags: int


def _lazy_init() -> None:
    if _LOADED["operations"]:
        return
    if not sol_autoload.load(torch.__version__):
        raise RuntimeError("the device sol needs an extension of PyTorch that is not built for this version: run `sol devices build`")
    if sol_autoload.LIBRARY[0].sol_device_load():
        raise RuntimeError("the operations of device sol cannot be loaded: run `sol devices build`")
    _LOADED["operations"] = True


def _ops() -> Any:
    _lazy_init()
    return torch.ops.sol_device


def _index(device: Device) -> int:
    if isinstance(device, int):
        return device
    place = torch.device("sol") if device is None else torch.device(device)
    if place.type != "sol":
        raise ValueError(f"expected a device of sol, not {place}")
    return current_device() if place.index is None else place.index


def init() -> None:
    """Load the extension; using the device does so by itself. Raises RuntimeError where it is not built."""
    _lazy_init()


def is_initialized() -> bool:
    """Whether the extension is loaded."""
    return _LOADED["operations"]


def is_available() -> bool:
    """Whether there is a device; never raises."""
    return device_count() > 0


def device_count() -> int:
    """Number of devices: 0 where the extension is not built or the driver does not start; ``torch.sol.init()`` says why."""
    try:
        return int(_ops().device_count())
    except RuntimeError:
        return 0


def current_device() -> int:
    """Index of the device that ``device="sol"`` means in this thread."""
    _lazy_init()
    return torch.accelerator.current_device_index()


def set_device(device: Device) -> None:
    """Make it the current device of this thread. Raises IndexError for one that is not there."""
    _lazy_init()
    torch.accelerator.set_device_index(_index(device))


class device:  # noqa: N801 - called as torch.cuda.device is
    """A context in which a device is the current one."""

    def __init__(self, device: Device) -> None:
        self.index = _index(device)

    def __enter__(self) -> None:
        self.before = current_device()
        set_device(self.index)

    def __exit__(self, *error: object) -> None:
        set_device(self.before)


class device_of(device):  # noqa: N801
    """A context in which a tensor's device is the current one; a tensor of another kind of device changes nothing."""

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__(tensor.device if tensor.device.type == "sol" else None)


def get_device_properties(device: Device = None) -> DeviceProperties:
    """What the driver says of a device."""
    return DeviceProperties(*_ops().properties(_index(device)))


def get_device_name(device: Device = None) -> str:
    """What the maker calls a device."""
    return get_device_properties(device).name


def synchronize(device: Device = None) -> None:
    """Wait for all that is queued on a device; raises what failed there."""
    _lazy_init()
    lazy = sys.modules.get("sol.device.lazy_block")
    if lazy is not None:
        lazy.run_recorded()
    torch.accelerator.synchronize(_index(device))


class Stream(torch.Stream):
    """A queue of operations. device: default the current one. priority: other than 0 runs first where devices know priorities."""

    def __new__(cls, device: Device = None, priority: int = 0) -> Stream:
        _lazy_init()
        return super().__new__(cls, device=torch.device("sol", _index(device)), priority=priority)


def Event(enable_timing: bool = False) -> torch.Event:  # noqa: N802
    """A mark in a stream. enable_timing: ``elapsed_time`` between two such events gives milliseconds."""
    _lazy_init()
    return torch.Event(device="sol", enable_timing=enable_timing)


def current_stream(device: Device = None) -> torch.Stream:
    """The stream on which operations of this thread are queued."""
    _lazy_init()
    return torch.accelerator.current_stream(_index(device))


def default_stream(device: Device = None) -> torch.Stream:
    """The stream that is current unless another one was chosen."""
    _lazy_init()
    place = torch.device("sol", _index(device))
    return torch.Stream(stream_id=0, device_index=place.index, device_type=current_stream(place).device_type)


def set_stream(stream: torch.Stream) -> None:
    """Make it the current stream of its device in this thread, and its device the current one."""
    _lazy_init()
    torch.accelerator.set_stream(stream)


class stream:  # noqa: N801
    """A context in which a stream is the current one; None changes nothing."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> torch.Stream | None:
        if self.stream is not None:
            self.device, self.before = current_device(), current_stream(self.stream.device)
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *error: object) -> None:
        if self.stream is not None:
            set_stream(self.before)
            set_device(self.device)


def memory_stats(device: Device = None) -> dict[str, Any]:
    """Counts and bytes by name, as torch.accelerator.memory_stats gives them."""
    _lazy_init()
    return dict(torch.accelerator.memory_stats(_index(device)))


def memory_allocated(device: Device = None) -> int:
    """Bytes in tensors."""
    return int(memory_stats(device)["allocated_bytes.all.current"])


def max_memory_allocated(device: Device = None) -> int:
    """The most bytes in tensors since the start or ``reset_peak_memory_stats``."""
    return int(memory_stats(device)["allocated_bytes.all.peak"])


def memory_reserved(device: Device = None) -> int:
    """Bytes taken from the driver: in tensors, or kept for the next ones."""
    return int(memory_stats(device)["reserved_bytes.all.current"])


def max_memory_reserved(device: Device = None) -> int:
    """The most bytes taken from the driver."""
    return int(memory_stats(device)["reserved_bytes.all.peak"])


def reset_peak_memory_stats(device: Device = None) -> None:
    """Begin the peaks again at what is current."""
    _lazy_init()
    torch.accelerator.reset_peak_memory_stats(_index(device))


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """Begin the sums again at 0."""
    _lazy_init()
    torch.accelerator.reset_accumulated_memory_stats(_index(device))


def empty_cache() -> None:
    """Give memory that no tensor uses back to the driver, of all devices, after what is queued has run."""
    _lazy_init()
    torch.accelerator.empty_cache()


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Free and total bytes as the driver sees them."""
    found = get_device_properties(device)
    return found.free_memory, found.total_memory


def _generators() -> list[torch.Generator]:
    return [_ops().default_generator(i) for i in range(device_count())]


def _generator(device: Device) -> torch.Generator:
    return _ops().default_generator(_index(device))


def manual_seed(seed: int) -> None:
    """Seed the generator of the current device."""
    _generator(None).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all devices; without the extension there are none."""
    if is_initialized() and is_available():
        for generator in _generators():
            generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the generator of the current device by chance; returns the seed."""
    return _generator(None).seed()


def initial_seed() -> int:
    """The seed of the current device's generator."""
    return _generator(None).initial_seed()


def get_rng_state(device: Device = "sol") -> torch.Tensor:
    """State of a device's generator: bytes on the CPU."""
    return _generator(device).get_state()


def set_rng_state(state: torch.Tensor, device: Device = "sol") -> None:
    """Put a generator into a state that ``get_rng_state`` gave."""
    _generator(device).set_state(state)


def get_rng_state_all() -> list[torch.Tensor]:
    """States of all devices."""
    return [generator.get_state() for generator in _generators()]


def set_rng_state_all(states: Iterable[torch.Tensor]) -> None:
    """Put all devices' generators into states."""
    for generator, state in zip(_generators(), states):
        generator.set_state(state)


def fallbacks() -> dict[str, int]:
    """How often which operation ran on the CPU because the device has none of its own, the most frequent first."""
    names = _ops().fallback_names()
    counts = {name: int(_ops().fallback_count(name)) for name in names}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def reset_fallbacks() -> None:
    """Begin counting again."""
    _ops().reset_fallbacks()


def as_cpu(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the CPU in the memory of one of the device, without a copy: what is written to one of them is read from the other.

    It has no gradients. Raises NotImplementedError where the device's memory is not the host's (all but ``sol.device.set_mapping("cpu")``).
    """
    return _ops().as_cpu(tensor)


def from_cpu(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the current device in the memory of one of the CPU, as ``as_cpu`` the other way."""
    return _ops().from_cpu(tensor)


def compile_operations(level: str | bool = "all") -> None:
    """Let sol compile single operations of the device, each for the types, sizes, strides and numbers of a call that comes again.

    level: "off" or False: none. "heavy": products of matrices and convolutions that are faster so, which is timed once and kept. "all" or
    True: whatever sol can compute; the others run as before. Compiling takes 0.2 to 1 s the first time and is kept in the cache. The
    environment variable SOL_DEVICE_COMPILE does the same.
    Raises ConfigError for another word.
    """
    _lazy_init()
    from sol.device.operations import set_level

    set_level(("all" if level else "off") if isinstance(level, bool) else level)


def compiled_operations() -> dict[str, int]:
    """How often which operation ran as code that sol compiled for it, the most frequent first."""
    counts = {name: int(_ops().compiled_count(name)) for name in _ops().compiled_names()}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def reset_compiled_operations() -> None:
    """Begin counting again; what was compiled stays."""
    _ops().reset_compiled()


def get_amp_supported_dtype() -> list[torch.dtype]:
    """Types that ``torch.autocast("sol")`` takes."""
    return [torch.bfloat16, torch.float16]


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether tensors in bfloat16 work."""
    return True


def _is_in_bad_fork() -> bool:
    return False


def __getattr__(name: str) -> Any:
    if name == "default_generators":
        return tuple(_generators())
    raise AttributeError(f"module 'torch.sol' has no attribute {name!r}")


_lazy_call: Callable[[Callable[[], None]], None] = lambda action: action()  # noqa: E731 - torch.random asks for it
