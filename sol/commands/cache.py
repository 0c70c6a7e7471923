"""``sol cache``: what was compiled and kept."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence

from sol.build.cache import Entry, store
from sol.commands.console import bytes_text, table


def cache(action: str, kind: str | None = None) -> Iterator[str]:
    """Lines to show. action: list, clear, size or path. kind: of entries; None: all."""
    entries = [e for e in store().list() if kind in (None, e.kind)]
    size = sum(e.size for e in entries)
    if action == "path":
        yield str(store().root)
    elif action == "size":
        yield str(size)
    elif action == "clear":
        yield f"removed {sum(store().remove(e.key) for e in entries)} entries, {bytes_text(size)}"
    else:
        yield from _listed(entries)


def _listed(entries: Sequence[Entry]) -> Iterator[str]:
    now = time.time()
    if entries:
        yield table(["entry", "last used", "size"], [[e.key, _age(now - e.used), bytes_text(e.size)] for e in entries])
    kinds = Counter(e.kind for e in entries)
    counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    yield f"{len(entries)} entries{f' ({counts})' if counts else ''}, {bytes_text(sum(e.size for e in entries))} in {store().root}"


def _age(seconds: float) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{max(seconds, 0):.0f} s ago"
