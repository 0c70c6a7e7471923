"""Keeps what was decided for a graph that is large or took long (fusion, kernels, buffers, C text), for other processes that compile it.

A plan follows from the graph, the target, the knobs and the code of the stages before; all of them make its key. Plans lie in the same
owner-only, checksummed store as the libraries that are loaded from it.
"""

from __future__ import annotations

import functools
import logging
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple
from pathlib import Path

import numpy as np

from sol.build.cache import key_of, store
from sol.codegen.compiled import Compiled
from sol.codegen.targets import Target
from sol.config import config
from sol.errors import SolError
from sol.ir.graph import Graph
from sol.ir.text import graph_text

log = logging.getLogger("sol.cache")

LARGE, SMALL = 100, 8
"""Nodes of a graph from which a plan is kept in any case, and from which it is if it took SLOW seconds."""
SLOW = 0.1
PACKAGE = Path(__file__).resolve().parent.parent
STAGES = ("compiler.py", "ir", "passes", "codegen")
"""Files and folders of the package whose code decides."""


def kept_plan(graph: Graph, title: str, target: Target, make: Callable[[], Compiled]) -> Compiled:
    """The compiled graph of an earlier run, or what ``make`` gives, which is kept if another run would wait for it."""
    if len(graph) < SMALL:
        return make()
    key = _key(graph, title, target)
    compiled = _read(key)
    if compiled is None:
        began = time.perf_counter()
        compiled = make()
        if len(graph) >= LARGE or time.perf_counter() - began >= SLOW:
            _keep(key, compiled)
    return compiled


def _keep(key: str, compiled: Compiled) -> None:
    try:
        store().put(key, pickle.dumps(compiled, pickle.HIGHEST_PROTOCOL))
    except (OSError, SolError, pickle.PicklingError) as error:
        log.warning("a plan cannot be kept: %s", error)


def _read(key: str) -> Compiled | None:
    data = store().read(key)
    if data is None:
        return None
    try:
        found = pickle.loads(data)
    except Exception as error:  # whatever a class makes of fields that it does not know
        found = error
    if isinstance(found, Compiled):
        return found
    log.warning("a kept plan cannot be read (%r): it is made anew", found)
    store().remove(key)
    return None


def _key(graph: Graph, title: str, target: Target) -> str:
    versions = f"{sys.version} {np.__version__}"
    return key_of("plan", versions, code_stamp(), repr(config), repr(astuple(target)), title, graph_text(graph))


def code_stamp() -> str:
    """Changes whenever a file of the deciding stages does."""
    return stamp_of(STAGES)


@functools.cache
def stamp_of(names: tuple[str, ...]) -> str:
    """Changes whenever one of these files of the package does, or one in these folders of it."""
    found = sorted(path for name in names for path in _files(PACKAGE / name))
    stats = [(os.path.relpath(path, PACKAGE), os.stat(path)) for path in found]
    return repr([(name, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for name, at in stats])


def _files(place: Path) -> Iterator[str]:
    if place.is_file():
        yield str(place)
        return
    for folder, folders, names in os.walk(place):
        folders[:] = [f for f in folders if f != "__pycache__"]
        yield from (os.path.join(folder, name) for name in names)
