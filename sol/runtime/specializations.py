"""The one cache of programs that a model was compiled to: an entry per kind of call, the least recently used gives way."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar, overload

from sol.config import config

log = logging.getLogger("sol.runtime")
Entry = TypeVar("Entry")
Found = TypeVar("Found")


class Specializations(Sequence[Entry], Generic[Entry]):
    """Entries for different kinds of calls (shapes, dtypes, structures, contents), the most recently used one first.

    Above ``config["recompile_limit"]`` entries the least recently used one is dropped. Its memory is released as soon as the calls that run
    in it are finished, because nothing here refers to it any more. Several threads may call at once: the tuple ``entries`` is
    replaced and never changed, so that it can be read without a lock.

    title: what messages call the model. kinds: what they call the differences between calls. limited: False for entries that cost
    next to nothing and are all kept.
    """

    def __init__(self, title: str = "the model", kinds: str = "input types", *, limited: bool = True) -> None:
        self.title, self.kinds, self.limited = title, kinds, limited
        self.entries: tuple[Entry, ...] = ()
        self.version = 0  # rises after entries were added or dropped; who reads it before `entries` sees when what was read is old
        self._making = threading.RLock()  # held while an entry is made, which takes seconds
        self._changing = threading.Lock()  # held for a moment, so that other kinds of calls go on meanwhile

    # -- find ----------------------------------------------------------------------------------------------------------

    def find(self, match: Callable[[Entry], Found | None]) -> tuple[Entry, Found] | None:
        """The first entry for which ``match`` gives something, and what it gives; the entry is the most recently used one from then on."""
        for place, entry in enumerate(self.entries):
            found = match(entry)
            if found is not None:
                if place:
                    self._use(entry, place)
                return entry, found
        return None

    def _use(self, entry: Entry, place: int) -> None:
        """Put an entry first. Where another thread has moved or dropped it meanwhile, the entries stay as that thread left them."""
        with self._changing:
            entries = self.entries
            if place < len(entries) and entries[place] is entry:
                self.entries = (entry, *entries[:place], *entries[place + 1 :])

    def find_or_make(self, match: Callable[[Entry], Found | None], make: Callable[[], Entry | None]) -> tuple[Entry, Found] | None:
        """As ``find``; where no entry matches, ``make`` gives a new one, or None. Threads that miss the same kind of call make one entry.

        An entry that does not match the call that it was made for is kept, and None is returned.
        """
        found = self.find(match)
        if found is not None:
            return found
        with self._making:
            found = self.find(match)
            if found is not None:
                return found
            entry = make()
            if entry is None:
                return None
            self.add(entry)
            matched = match(entry)
            return None if matched is None else (entry, matched)

    # -- change --------------------------------------------------------------------------------------------------------

    def add(self, entry: Entry) -> None:
        """A new entry, the most recently used one; the least recently used ones give way."""
        limit = config["recompile_limit"] if self.limited else None
        with self._changing:
            full = limit is not None and len(self.entries) >= limit
            self.entries = (entry, *self.entries)[:limit]
            self.version += 1
        if full:
            log.warning("%s was compiled for more than %d %s: the least recently used is dropped", self.title, limit, self.kinds)

    def replace(self, entries: Iterable[Entry]) -> None:
        """Other entries in place of all."""
        new = tuple(entries)
        with self._changing:
            self.entries = new
            self.version += 1

    # -- a sequence ----------------------------------------------------------------------------------------------------

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...

    def __getitem__(self, index: Any) -> Any:
        return self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)
