"""Plans whose sizes are open, and code that is compiled in the background for sizes that come again.

Many kernels are faster where sizes are known: tiles that divide them, algorithms that pay for them. A call of sizes that nobody called with
before runs the plan for any sizes. What comes twice is compiled for itself, beside the calls, and used as soon as that is done. Where sizes
grow by a few from call to call, as those of a cache of keys and values do, it has to come twice in a row: else it is used once in a text.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import logging
import os
import queue
import threading
import weakref
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextvars import Context, copy_context
from typing import Any

from sol.build.progress import silent
from sol.codegen.compiled import Compiled
from sol.config import config
from sol.errors import SolError
from sol.ir.fixed_sizes import with_fixed_sizes
from sol.ir.graph import Graph
from sol.runtime.arrays import NUMPY, Arrays
from sol.runtime.executable import Executable

log = logging.getLogger("sol.runtime")
AGAIN = 2
"""So often sizes must come until code for them is compiled."""
KEPT = 64
"""So many sizes are remembered for each that may have code of its own."""
STEP, GROWTHS = 8, 16
"""What a size may grow by from call to call, and how many calls must have grown so in a row until they count as growth."""
PATIENCE = 5.0
"""Seconds until the thread is asked once more to end."""
Sizes = tuple[int, ...]
Compile = Callable[[Graph], Compiled]


class SizedExecutable(Executable):
    """Runs a plan of open sizes, and code for the sizes of calls where there is such.

    graph: as ``compile`` takes it. Weights that are packed alike lie in memory once.
    """

    def __init__(self, graph: Graph, compile: Compile, compiled: Compiled | None = None, library: Any = None, threads: int | None = None,
                 arrays: Arrays = NUMPY) -> None:  # fmt: skip
        super().__init__(compiled or compile(graph), library, threads, arrays)
        self._graph, self._compile = graph, compile
        self._fixed: dict[Sizes, Executable | None] = {}  # None: not compiled yet, or in vain
        self._seen: dict[Sizes, int] = {}
        self._last: Sizes = ()  # of the last call
        self._growths, self._grows = 0, False  # so many calls in a row have grown; whether as many as count have ever done so
        self._parameters: Mapping[str, Any] | None = None
        self._changing = threading.RLock()  # held while weights are packed

    def share(self) -> SizedExecutable:
        """The same code for other weights."""
        return SizedExecutable(self._graph, self._compile, self.compiled, self.library, self.threads, self.arrays)

    def __call__(self, inputs: Sequence[Any], env: Mapping[str, int] | None = None, found: dict[str, int] | None = None) -> list[Any]:
        """As of ``Executable``."""
        sizes = tuple([env[s] for s in self.plan.symbols]) if env else ()
        fixed, counts = self._ready(sizes), self._counts(sizes)
        if fixed is None:
            if counts:
                self._note(sizes)
            return super().__call__(inputs, env, found)
        return fixed(inputs, env, found)

    def for_sizes(self, env: Mapping[str, int]) -> Executable:
        """As of ``Executable``."""
        return self._ready(tuple([env[s] for s in self.plan.symbols])) or self

    def _ready(self, sizes: Sizes) -> Executable | None:
        """The code for sizes, with its weights packed; None if there is none, or no memory for them."""
        fixed = self._fixed.get(sizes)
        if fixed is not None and fixed.packed is None:
            try:
                self._pack_fixed(fixed)
            except (SolError, MemoryError) as error:
                log.warning("calls of the sizes %s run the plan for any sizes: %s", sizes, error)
                fixed = self._fixed[sizes] = None
        return fixed

    def _note(self, sizes: Sizes) -> None:
        """Sizes of a call for which there is no code of its own."""
        limit = config["specialize_sizes"]
        if not sizes or sizes in self._fixed or len(self._fixed) >= limit:
            return
        if len(self._seen) > KEPT * limit:
            self._seen.clear()
        count = self._seen[sizes] = self._seen.get(sizes, 0) + 1
        if count == AGAIN:
            self._fixed.setdefault(sizes, None)
            _worker.put(weakref.WeakMethod(self._make), sizes)

    def _counts(self, sizes: Sizes) -> bool:
        """Whether a call tells that its sizes come again: once calls are known to grow, only one with the sizes of the last call does."""
        last, self._last = self._last, sizes
        if self._grows:
            return sizes == last
        steps = [size - before for size, before in zip(sizes, last)]
        self._growths = self._growths + 1 if any(steps) and all(0 <= step <= STEP for step in steps) else 0
        self._grows = self._growths >= GROWTHS
        return True

    def _make(self, sizes: Sizes) -> None:
        """Compile for sizes."""
        env = dict(zip(self.plan.symbols, sizes))
        try:
            graph = with_fixed_sizes(self._graph, env)
            if graph.constant_values.isdisjoint(graph.outputs):
                with config.override(autotune="off"):  # calls beside it would disturb measurements
                    compiled = self._compile(graph)
                fixed = Executable(compiled, threads=self.threads, arrays=self.arrays)
                self._pack_fixed(fixed)
                self._fixed[sizes] = fixed
        except SolError as error:
            log.info("no code for the sizes %s: %s", env, error)

    # -- weights -------------------------------------------------------------------------------------------------------

    def pack(self, parameters: Mapping[str, Any], changed: Collection[str] | None = None) -> None:
        """As of ``Executable``. Code for sizes packs its weights when it is called next."""
        with self._changing:
            others = [e for e in self._fixed.values() if e is not None and e.packed is not None]
            if others:  # they read these weights, which calls under way need as they are
                self.packed = None
            for other in others:
                other.packed = None
            super().pack(parameters, None if others else changed)
            self._parameters = parameters

    def _pack_fixed(self, fixed: Executable) -> None:
        with self._changing:
            if fixed.packed is not None or self._parameters is None:
                return
            known: dict[Hashable, int] = {}
            others = [e for e in (self, *self._fixed.values()) if e is not None and e.packed is not None]
            for other in others:
                known |= {k: a for k, a in zip(other.constant_keys, other.packed.addresses) if k is not None}  # type: ignore[union-attr]
            shared = [known.get(k, 0) for k in fixed.constant_keys]
            fixed.pack_beside(self._parameters, tuple(e.packed for e in others if e.packed is not None), shared)


class _Leave(BaseException):
    """Raised in the thread when the process ends."""


class _Worker:
    """One thread, which goes when the process does: nobody waits for code that nobody will call."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[Context, Any, Sizes] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._left = 0
        self._idle = threading.Condition(self._lock)

    def put(self, action: Any, sizes: Sizes) -> None:
        """Do it later, if what it is of is still there."""
        with self._lock:
            self._left += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="sol-sizes", daemon=True)
                self._thread.start()
        self._jobs.put((copy_context(), action, sizes))

    def _work(self) -> None:
        with contextlib.suppress(_Leave):
            self._do_jobs()

    def _do_jobs(self) -> None:
        while (job := self._jobs.get()) is not None:
            context, action, sizes = job
            try:
                method = action()
                if method is not None:
                    context.run(_silently, method, sizes)
            except Exception:
                if threading.main_thread().is_alive():  # else the process ends, and compilers are no longer started
                    log.exception("compiling for the sizes %s failed", sizes)
            method = None
            with self._lock:
                self._left -= 1
                self._idle.notify_all()

    def leave(self) -> None:
        """End the thread, in the middle of what it does, and wait until it has ended.

        Were it still running when the interpreter goes, it would be ended wherever it next asks for the interpreter, and from there on
        C++ code (torch's operations, for example) ends the whole process with an abort.
        """
        thread = self._thread
        while thread is not None and thread.is_alive():
            self._jobs.put(None)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Leave))
            thread.join(PATIENCE)

    def wait(self, seconds: float) -> bool:
        """Until nothing is left to do; False if that takes longer."""
        with self._lock:
            return self._idle.wait_for(lambda: not self._left, seconds)


def _silently(action: Callable[[Sizes], None], sizes: Sizes) -> None:
    with silent():
        action(sizes)


_worker = _Worker()


def wait(seconds: float) -> bool:
    """Until all code that sizes asked for is compiled; False if that takes longer."""
    return _worker.wait(seconds)


def _after_fork() -> None:
    """In a forked child: the thread and its jobs are the parent's."""
    global _worker
    _worker = _Worker()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(lambda: _worker.leave())
