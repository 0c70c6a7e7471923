"""Loads and runs mutated models in a process with limits; prints one line per model: its number and what became of it."""

from __future__ import annotations

import resource
import signal
import sys
import time

import numpy as np

import sol
from sol.errors import SolError
from tests.frontend.onnx.mutations import mutated

SECONDS, BYTES = 10, 2 << 30


class _TooSlow(BaseException):
    """Not an Exception, so that nothing catches it."""


def _alarm(*_: object) -> None:
    raise _TooSlow


def outcome(seed: int) -> str:
    """"result", "error <kind>" for a SolError, or what must not happen."""
    try:
        session = sol.load(mutated(seed), threads=1)
        inputs = []
        for value in session.inputs:
            shape = [d if isinstance(d, int) else 3 for d in value.shape or ()]
            if value.dtype is None or np.prod(np.array(shape, object)) > 1 << 20:
                return "result: cannot be called"
            inputs.append(np.ones(shape, value.dtype))
        session.run(inputs)
        return "result"
    except SolError as error:
        return f"error {type(error).__name__}: {str(error).splitlines()[0][:150]}"
    except _TooSlow:
        return f"SLOW: more than {SECONDS} s"
    except BaseException as error:
        return f"BUG {type(error).__name__}: {str(error)[:200]}"


def main(first: int, last: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    signal.signal(signal.SIGALRM, _alarm)
    for seed in range(first, last):
        print(f"{seed} begins", flush=True)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        start = time.perf_counter()
        found = outcome(seed)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(f"{seed} {found} ({time.perf_counter() - start:.1f} s)", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
