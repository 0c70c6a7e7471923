"""Every knob of sol once: name, default, meaning, environment variable, and what values it takes."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sol.errors import ConfigError

log = logging.getLogger("sol.config")
Parser = Callable[[Any], Any]


class _Invalid(Exception):
    """A value that a parser does not take; the text says what it takes."""


@dataclass(frozen=True)
class Knob:
    """One setting: ``parse`` turns text from the environment or a Python value into the stored value, or raises."""

    name: str
    default: Any
    help: str
    parse: Parser
    takes: str

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"SOL_{self.name.upper()}"


def _choice(*allowed: str) -> tuple[Parser, str]:
    takes = " | ".join(allowed)

    def parse(value: Any) -> str:
        if isinstance(value, str) and value.strip().lower() in allowed:
            return value.strip().lower()
        raise _Invalid

    return parse, takes


MOST_THREADS = 1024
"""Threads that one call may ask for."""


def checked_threads(threads: Any, meaning: str) -> int | None:
    """Threads that a call is to ask for, or None for what ``meaning`` says. Raises ConfigError for anything but 1 to ``MOST_THREADS``."""
    if threads is None or (isinstance(threads, int) and not isinstance(threads, bool) and 1 <= threads <= MOST_THREADS):
        return threads
    raise ConfigError(f"threads={threads!r} is not valid", remedy=f"it takes an integer from 1 to {MOST_THREADS}, or None {meaning}")


def _integer(low: int, high: int | None = None) -> tuple[Parser, str]:
    def parse(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise _Invalid
        try:
            number = int(value)
        except ValueError:
            raise _Invalid from None
        if number < low or (high is not None and number > high):
            raise _Invalid
        return number

    return parse, f"an integer >= {low}" if high is None else f"an integer from {low} to {high}"


def _number(low: float) -> tuple[Parser, str]:
    def parse(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise _Invalid
        try:
            number = float(value)
        except ValueError:
            raise _Invalid from None
        if not low <= number < float("inf"):
            raise _Invalid
        return number

    return parse, f"a number >= {low:g}"


_TRUTH = {"1": True, "true": True, "on": True, "yes": True, "0": False, "false": False, "off": False, "no": False}


def _fraction() -> tuple[Parser, str]:
    parse_number, _ = _number(0)

    def parse(value: Any) -> float:
        number: float = parse_number(value)
        if number > 1:
            raise _Invalid
        return number

    return parse, "a number from 0 to 1"


def _boolean() -> tuple[Parser, str]:
    def parse(value: Any) -> bool:
        if isinstance(value, bool):
            return value
        text = str(value).strip().lower()
        if text not in _TRUTH:
            raise _Invalid
        return _TRUTH[text]

    return parse, "True or False (in the environment: 1, true, on, yes, 0, false, off, no)"


def _text() -> tuple[Parser, str]:
    def parse(value: Any) -> str:
        if not isinstance(value, str) or "\0" in value:
            raise _Invalid
        return value.strip()

    return parse, "text"


def _folder() -> tuple[Parser, str]:
    def parse(value: Any) -> str:
        if not isinstance(value, (str, os.PathLike)):
            raise _Invalid
        text = os.fspath(value)
        if not isinstance(text, str) or "\0" in text:
            raise _Invalid
        return str(Path(text).expanduser().absolute()) if text.strip() else ""

    return parse, 'the path of a folder, or "" for the default'


_KNOBS = (
    Knob("isa", "native", "instruction set of the generated code; native is the best one of this machine",
         *_choice("native", "avx512", "avx2", "generic", "neon")),
    Knob("compiler", "", "C compiler, a command; empty: the first of $CC, gcc, cc, clang", *_text()),
    Knob("compile_timeout", 600, "seconds that one run of the C compiler may take", *_integer(1)),
    Knob("check_indices", True, "an index out of range is an error; else it reads NaN or 0, and writes nothing", *_boolean()),
    Knob("cache_dir", "", "folder of compiled artefacts; empty: $XDG_CACHE_HOME/sol or ~/.cache/sol", *_folder()),
    Knob("cache_limit_mb", 2048, "size in MiB above which the least recently used artefacts are removed; 0: no limit",
         *_integer(0)),
    Knob("jobs", 0, "compiler processes at once; 0: as many as usable CPUs", *_integer(0)),
    Knob("progress", "auto", "progress bar while compiling; auto: on a terminal", *_choice("auto", "on", "off")),
    Knob("verify", False, "check the invariants of the IR after every pass", *_boolean()),
    Knob("dump", "", "folder into which every stage writes what it made; empty: nothing is written", *_folder()),
    Knob("fallback", "eager", "what happens where a torch model cannot be captured whole: eager compiles it in pieces and leaves the rest "
         "to torch, error raises; single operations of a captured model may run in torch in both cases", *_choice("error", "eager")),
    Knob("flush_denormals", True, "treat denormal numbers as zero inside compiled code, the caller's mode is restored; "
         "they are up to a hundred times slower", *_boolean()),
    Knob("conv_max_error", 1e-5, "error that a convolution or a linear layer may have against float64, in units of the largest output "
         "of an image or a row; bounds which algorithms with fewer multiplications are used, 0 turns them off", *_number(0)),
    Knob("threads", 0, "threads per call of sol.load and sol.onnx_backend, which do not follow torch; "
         "0: OMP_NUM_THREADS, else the usable CPUs", *_integer(0, MOST_THREADS)),
    Knob("team", "free", "how many threads a call takes of those that it asks for: free, as many as there are free cores by affinity, by a "
         "container's quota and beside other programs; fixed, all of them", *_choice("free", "fixed")),
    Knob("autotune", "off", "what chooses between kernels: off, the cost model alone; quick or full, a measurement of few or of many "
         "alternatives, whose results are kept", *_choice("off", "quick", "full")),
    Knob("autotune_seconds", 0, "seconds that measuring may take for one network; 0: 6 for quick, 60 for full", *_number(0)),
    Knob("tuning_database", "", "file of measurements (sol.tuning.database.export_tuning) to be used before those of the cache; "
         "never written", *_folder()),
    Knob("calibration", True, "choose kernels by figures that were measured on this machine: those of sol tune --calibrate, where there "
         "are any, and how long matrix tiles take, which is measured when code for them is first asked for; else by those of its kind of "
         "processor", *_boolean()),
    Knob("training", "auto", "what computes gradients: torch; compiled: a compiled forward and a compiled backward pass; auto: compiled, "
         "but where torch is known to be as fast (dropped weights of attention, short steps)", *_choice("auto", "torch", "compiled")),
    Knob("training_memory_budget", 1.0, "share of the memory for activations that compiled training may keep for the backward pass: "
         "1 is what is fastest, 0 computes again whatever can be", *_fraction()),
    Knob("specialize_sizes", 16, "for so many sizes of a program whose sizes are open, code of their own is compiled in the background "
         "once they came twice; 0: for none", *_integer(0)),
    Knob("recompile_limit", 16, "programs that a model (of sol.optimize, of sol.load, or one piece of torch.compile) keeps for different "
         "input types; the least recently used gives way. Of a model that may run in torch twice as many are compiled in all; further "
         "types run in torch", *_integer(1)),
)  # fmt: skip
KNOBS: Mapping[str, Knob] = MappingProxyType({knob.name: knob for knob in _KNOBS})


def _knob(name: str) -> Knob:
    try:
        return KNOBS[name]
    except (KeyError, TypeError):
        raise ConfigError(f"no knob is called {name!r}", remedy=f"the knobs are {', '.join(KNOBS)}") from None


def _parsed(knob: Knob, value: Any, source: str) -> Any:
    try:
        return knob.parse(value)
    except _Invalid:
        raise ConfigError(f"{source} = {value!r} is not valid", remedy=f"it takes {knob.takes}") from None


OF_THE_DEVICE = ("driver", "device_", "sim_", "example_", "opencl_")
"""What variables begin with that torch.device("sol") and its drivers read (docs/devices.md)."""


class Config:
    """The settings.

    A value comes from the innermost ``override``, else from assignment, else from the environment, else the default.
    ``config["isa"]`` and ``config.isa`` are the same. Assignment holds for the whole process, ``override`` for the
    current context only (thread or asyncio task). Any thread may read and assign: each is one atomic step on a dict.
    Raises ConfigError for an unknown name or a value that the knob does not take.
    """

    def __init__(self) -> None:
        state = vars(self)
        state["_assigned"] = {}
        state["_environment"] = {}
        state["_looked"] = False
        state["_assignments"] = object()
        state["_overrides"] = ContextVar("sol_config_overrides", default=MappingProxyType({}))

    def __getitem__(self, name: str) -> Any:
        overrides = self._overrides.get()
        if name in overrides:
            return overrides[name]
        knob = _knob(name)
        assigned: dict[str, Any] = self._assigned
        if name in assigned:
            return assigned[name]
        if not self._looked:
            self._look_for_mistakes()
        text = os.environ.get(knob.variable)
        return self._from_environment(knob, text) if text else knob.default

    def __setitem__(self, name: str, value: Any) -> None:
        knob = _knob(name)
        self._assigned[name] = _parsed(knob, value, name)
        vars(self)["_assignments"] = object()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __iter__(self) -> Iterator[str]:
        return iter(KNOBS)

    def __len__(self) -> int:
        return len(KNOBS)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *KNOBS]

    def reset(self, *names: str) -> None:
        """Forget what was assigned to these knobs, or to all."""
        for name in [_knob(name).name for name in names] or list(KNOBS):
            self._assigned.pop(name, None)
        vars(self)["_assignments"] = object()

    def assignments(self, name: str) -> object | None:
        """What stands for all assignments so far, another object after each; None where an override holds for this knob. While it is the
        same, so is the knob's value, if the environment was not changed."""
        return None if name in self._overrides.get() else self._assignments

    @contextmanager
    def override(self, **values: Any) -> Iterator[None]:
        """Other values inside ``with``, in this context only; nests."""
        new = {name: _parsed(_knob(name), value, name) for name, value in values.items()}
        token = self._overrides.set(MappingProxyType({**self._overrides.get(), **new}))
        try:
            yield
        finally:
            self._overrides.reset(token)

    def describe(self) -> str:
        """A table of all knobs: value now, default, environment variable, what it takes and what it means."""
        lines = []
        for knob in KNOBS.values():
            lines.append(f"{knob.name} = {self[knob.name]!r}  (default {knob.default!r}, {knob.variable})")
            lines.append(f"    {knob.help}")
            lines.append(f"    takes {knob.takes}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Config({', '.join(f'{name}={self[name]!r}' for name in KNOBS)})"

    def _look_for_mistakes(self) -> None:
        """Warn of variables that look like knobs but are none; once per process."""
        vars(self)["_looked"] = True
        for variable in sorted(v for v in os.environ if v.startswith("SOL_")):
            name = variable.removeprefix("SOL_").lower()
            if (name in KNOBS and variable == KNOBS[name].variable) or name.startswith(OF_THE_DEVICE):
                continue
            near = get_close_matches(name, KNOBS, 1)
            hint = f": is {KNOBS[near[0]].variable} meant?" if near else ""
            log.warning("sol does not know the environment variable %s%s", variable, hint)

    def _from_environment(self, knob: Knob, text: str) -> Any:
        """The parsed variable; parsed once per text."""
        seen = self._environment.get(knob.name)
        if seen is None or seen[0] != text:
            seen = (text, _parsed(knob, text, f"the environment variable {knob.variable}"))
            self._environment[knob.name] = seen
        return seen[1]


config = Config()
