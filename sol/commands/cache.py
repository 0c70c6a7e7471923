"""``sol cache``: what was compiled and kept."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from sol.build.cache import cache as store
from sol.commands.console import bytes_text, table


def cache(action: str) -> Iterator[str]:
    """Lines to show. action: list, clear, size or path."""
    if action == "path":
        yield str(store.folder)
    elif action == "size":
        yield str(store.size())
    elif action == "clear":
        size = store.size()
        yield f"removed {store.clear()} entries, {bytes_text(size)}"
    else:
        yield from _listed()


def _listed() -> Iterator[str]:
    entries = store.list()
    now = time.time()
    if entries:
        yield table(["entry", "last used", "size"], [[e.key, _age(now - e.used), bytes_text(e.size)] for e in entries])
    kinds = Counter(e.kind for e in entries)
    counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    yield f"{len(entries)} entries{f' ({counts})' if counts else ''}, {bytes_text(sum(e.size for e in entries))} in {store.folder}"


def _age(seconds: float) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{max(seconds, 0):.0f} s ago"
