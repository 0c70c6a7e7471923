"""Compiled artefacts on disk, addressed by content: what was compiled once is never compiled again, by any process.

An entry is one file, its payload followed by a trailer (magic and SHA-256 of the payload), so that one rename makes it
complete and every load proves it undamaged; linkers and loaders of ELF files ignore what follows. Code is loaded from
here, so the folder must be one that nobody else can write; otherwise, and where the disk is full or read-only, a
private folder stands in for the life of the process.
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import hashlib
import logging
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sol.build.folders import make_private, owned, private_folder, temporary_places, untrusted
from sol.config import config
from sol.errors import CacheError

T = TypeVar("T")
log = logging.getLogger("sol.cache")

_MAGIC = b"solcache"
_TRAILER = len(_MAGIC) + hashlib.sha256().digest_size
_KEY = re.compile(r"[0-9a-f]{64}\.[a-z0-9]{1,8}")
_LAYOUT = "v1"
_GRACE = 120.0
"""Seconds for which an entry that was just used is not removed: a process may be about to load it."""
_TRIM_EVERY = 3600.0
_STALE = 86400.0


@dataclass(frozen=True)
class Entry:
    """One artefact: its key, size in bytes and when it was last used (seconds since the epoch)."""

    key: str
    size: int
    used: float
    path: Path

    @property
    def kind(self) -> str:
        return self.key.partition(".")[2]


def key_of(kind: str, *parts: str | bytes) -> str:
    """The key of what is made from these parts: SHA-256 over their lengths and contents, and the kind as suffix."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return f"{digest.hexdigest()}.{kind}"


class Store:
    """The artefacts in one folder. Safe for any number of threads and processes at once."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self._mutex = threading.Lock()
        self._substitutes: dict[Path, Path] = {}
        self._full: set[Path] = set()
        self._writable = True
        self._warned: set[str] = set()
        self._working = 0
        self._folder = self._open()

    # -- reading

    def get(self, key: str) -> Path | None:
        """The file that holds the payload (and its trailer), or None. It is checked; a damaged one is removed."""
        for folder in self._folders():
            path = folder / _checked(key)
            if self._intact(path):
                return path
        return None

    def read(self, key: str) -> bytes | None:
        """The payload itself, or None."""
        path = self.get(key)
        with suppress(OSError):
            return path.read_bytes()[:-_TRAILER] if path else None
        return None

    def obtain(self, key: str, make: Callable[[], bytes]) -> Path:
        """The file of that key; ``make`` fills it in where it is missing, in one thread of one process at a time."""
        path = self.get(key)
        if path is not None:
            return path
        with self.locked(key):
            return self.get(key) or self.put(key, make())

    def _intact(self, path: Path) -> bool:
        try:
            with open(path, "rb") as file:
                if not owned(os.fstat(file.fileno())):
                    self._warn(path, "belongs to another user or can be written by one", "ignored")
                    return False
                data = memoryview(file.read())
        except FileNotFoundError:
            return False
        except OSError as error:
            self._warn(path, f"cannot be read ({error.strerror or error})", "ignored")
            return False
        if data[-_TRAILER:] != _trailer(data[:-_TRAILER]):
            self._warn(path, "is damaged", "removed and made anew")
            with suppress(OSError):
                path.unlink()
            return False
        with suppress(OSError):
            os.utime(path)
        return True

    def _warn(self, path: Path, what: str, done: str) -> None:
        """Say it once for all entries: where one is wrong, many may be."""
        first = what not in self._warned
        self._warned.add(what)
        more = "; so is every other one that is found to be so" if first else ""
        log.log(logging.WARNING if first else logging.INFO, "the cache entry %s %s: it is %s%s", path, what, done, more)

    # -- writing

    def put(self, key: str, payload: bytes | Path) -> Path:
        """Store bytes, or what is in a file, under that key; returns the entry's file. Atomic: all or nothing."""
        _checked(key)
        data = payload.read_bytes() if isinstance(payload, Path) else payload
        path = self._write(lambda folder: _put(folder, key, data))
        if self._trim_is_due():
            self.trim()
        return path

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Hold the lock of that key among all threads and processes; a holder that dies frees it. Not reentrant."""
        _checked(key)
        lock = self._write(lambda folder: _Lock(folder / f"{key}.lock"))
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def workdir(self) -> Iterator[Path]:
        """An empty private folder, removed afterwards."""
        self._working += 1
        work = self._write(lambda folder: Path(tempfile.mkdtemp(prefix=f"work-{os.getpid()}-", dir=folder)))
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)
            self._working -= 1

    def forget_work(self) -> None:
        """Remove work folders of this process that an interrupt left behind."""
        if self._working:
            for folder in self._folders():
                for left in folder.glob(f"work-{os.getpid()}-*"):
                    shutil.rmtree(left, ignore_errors=True)

    def avoid(self, folder: Path, reason: str) -> None:
        """Write nowhere in that folder, the parent of a ``workdir``, from now on: a compiler found no room there."""
        if folder == self._folder:
            self._stand_in(reason)
        self._full |= {place for place, substitute in self._substitutes.items() if substitute == folder}

    def _stand_in(self, reason: str) -> None:
        """Write to a private temporary folder from now on: the cache folder is not writable, or not to be trusted."""
        with self._mutex:
            first, self._writable = self._writable, False
        if first:
            log.warning(
                "cannot use the cache folder %s (%s): compiled code is kept in a temporary folder and lost when this "
                "process ends. Make room, or name a folder that only you can write, with SOL_CACHE_DIR or "
                "sol.config['cache_dir']",
                self.root,
                reason,
            )

    # -- housekeeping

    def list(self) -> list[Entry]:
        """All entries, the least recently used first."""
        found: dict[str, Entry] = {}
        for folder in self._folders():
            with suppress(OSError), os.scandir(folder) as files:
                for file in files:
                    with suppress(OSError):
                        if _KEY.fullmatch(file.name):
                            at = file.stat()
                            found.setdefault(file.name, Entry(file.name, at.st_size, at.st_mtime, Path(file.path)))
        return sorted(found.values(), key=lambda entry: (entry.used, entry.key))

    def size(self) -> int:
        """Bytes of all entries."""
        return sum(entry.size for entry in self.list())

    def clear(self) -> int:
        """Remove all entries; returns how many. What a process has loaded stays usable there."""
        return sum(self.remove(entry.key) for entry in self.list())

    def remove(self, key: str) -> bool:
        """Remove one entry; False if there was none."""
        gone = False
        for folder in self._folders():
            with suppress(OSError):
                (folder / _checked(key)).unlink()
                gone = True
        return gone

    def trim(self, limit: int | None = None) -> int:
        """Remove the least recently used entries above ``limit`` bytes; returns how many. 0 is no limit.

        The default is the knob cache_limit_mb. Also removes what processes that died left behind.
        """
        limit = config["cache_limit_mb"] << 20 if limit is None else limit
        self._sweep()
        entries = self.list()
        excess = sum(entry.size for entry in entries) - limit if limit else 0
        count = 0
        for entry in entries:
            if excess <= 0 or entry.used > time.time() - _GRACE:
                break
            count += self.remove(entry.key)
            excess -= entry.size
        return count

    def _trim_is_due(self) -> bool:
        """Once an hour, whichever process comes first; the time is that of a file."""
        stamp = (self._folder or self._folders()[0]) / "trimmed"
        with suppress(OSError):
            if stamp.stat().st_mtime > time.time() - _TRIM_EVERY:
                return False
        with suppress(OSError):
            stamp.touch()
            return True
        return False

    def _sweep(self) -> None:
        for folder in self._folders():
            with suppress(OSError), os.scandir(folder) as files:
                for file in files:
                    with suppress(OSError):
                        if not _KEY.fullmatch(file.name) and file.stat().st_mtime < time.time() - _STALE:
                            _discard(Path(file.path))

    # -- folders

    def _open(self) -> Path | None:
        """The folder of entries, made if missing; None if it cannot be had or is not safe to load code from."""
        folder = self.root.resolve() / _LAYOUT
        try:
            make_private(folder)
        except OSError as error:
            if not folder.is_dir():
                self._stand_in(str(error))
                return None
        why = untrusted(folder) or untrusted(folder.parent)
        if why:
            self._stand_in(why)
            return None
        return folder

    def _folders(self) -> tuple[Path, ...]:
        trusted = (self._folder,) if self._folder else ()
        return (*trusted, *self._substitutes.values())

    def _write(self, action: Callable[[Path], T]) -> T:
        """What the action returns for the first folder where it does not fail."""
        if self._folder is not None and self._writable:
            try:
                try:
                    return action(self._folder)
                except FileNotFoundError:  # someone removed the whole folder
                    make_private(self._folder)
                    return action(self._folder)
            except OSError as error:
                self._stand_in(str(error))
        last = "no folder for temporary files"
        for place in temporary_places():
            if place in self._full:
                continue
            try:
                return action(self._substitute(place))
            except OSError as error:
                last = str(error)
        raise CacheError(
            f"neither the cache folder {self.root} nor any temporary folder can be written ({last})",
            remedy="make room, or name another folder with SOL_CACHE_DIR or sol.config['cache_dir']",
        )

    def _substitute(self, place: Path) -> Path:
        with self._mutex:
            folder = self._substitutes.get(place)
            if folder is None or not folder.is_dir():
                folder = self._substitutes[place] = private_folder(place)
            return folder


class _Lock:
    """An exclusive lock on a file; the kernel frees it when the holder dies. Who releases it removes the file."""

    held: set[int] = set()
    """Descriptors of this process; a forked child closes them, or it would prolong its parent's locks."""

    def __init__(self, path: Path) -> None:
        self.path, self.process = path, os.getpid()
        while not self._take():
            pass

    def _take(self) -> bool:
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        self.held.add(self.descriptor)
        try:
            _flock(self.descriptor, self.path)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self.descriptor), os.stat(self.path)):
                    return True
        except BaseException:
            self._close()
            raise
        self._close()  # the holder before us removed the file: this one is nobody's
        return False

    def release(self) -> None:
        if self.process != os.getpid():
            return
        with suppress(OSError):
            self.path.unlink()
        with suppress(OSError):
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)
        self._close()

    def _close(self) -> None:
        self.held.discard(self.descriptor)
        os.close(self.descriptor)


def _flock(descriptor: int, path: Path) -> None:
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log.info("waiting for another process or thread that compiles %s", path.stem)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL):
            raise
        log.debug("%s: the file system has no locks; two processes may compile the same", path)


def _put(folder: Path, key: str, data: bytes) -> Path:
    descriptor, name = tempfile.mkstemp(prefix="part-", dir=folder)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.write(_trailer(data))
        os.replace(name, folder / key)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    return folder / key


def _trailer(payload: bytes | memoryview) -> bytes:
    return _MAGIC + hashlib.sha256(payload).digest()


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise CacheError(f"{key!r} is not a key of the cache", remedy="make keys with sol.build.cache.key_of")
    return key


def _discard(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def default_folder() -> Path:
    """$XDG_CACHE_HOME/sol, else ~/.cache/sol, else (no home) a folder in /tmp."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if base.startswith("/"):
        return Path(base) / "sol"
    try:
        return Path.home() / ".cache" / "sol"
    except RuntimeError:
        return Path(f"/tmp/sol-{os.geteuid()}")


_stores: dict[Path, Store] = {}
_stores_mutex = threading.Lock()


def store() -> Store:
    """The store in the folder that the knob cache_dir names now."""
    folder = Path(config["cache_dir"]) if config["cache_dir"] else default_folder()
    with _stores_mutex:
        if folder not in _stores:
            _stores[folder] = Store(folder)
        return _stores[folder]


class Cache:
    """What users see as ``sol.cache``: always the store of the current cache_dir. See Store."""

    @property
    def folder(self) -> Path:
        return store().root

    def list(self) -> list[Entry]:
        """All entries, the least recently used first."""
        return store().list()

    def size(self) -> int:
        """Bytes of all entries."""
        return store().size()

    def clear(self) -> int:
        """Remove all entries; returns how many."""
        return store().clear()

    def get(self, key: str) -> Path | None:
        """The checked file of that key, or None."""
        return store().get(key)

    def put(self, key: str, payload: bytes | Path) -> Path:
        """Store bytes or a file's contents."""
        return store().put(key, payload)

    def locked(self, key: str) -> AbstractContextManager[None]:
        """Hold the lock of that key among all processes."""
        return store().locked(key)

    def __repr__(self) -> str:
        return f"Cache({str(self.folder)!r}, {len(self.list())} entries, {self.size()} bytes)"


cache = Cache()


@atexit.register
def _at_exit() -> None:
    for known in _stores.values():
        known.forget_work()


def _after_fork() -> None:
    """In a forked child: locks of threads that are not here are free, and locks of the parent are the parent's."""
    global _stores_mutex
    _stores_mutex = threading.Lock()
    for known in _stores.values():
        known._mutex = threading.Lock()
        known._working = 0
    for descriptor in _Lock.held:
        with suppress(OSError):
            os.close(descriptor)
    _Lock.held.clear()


os.register_at_fork(after_in_child=_after_fork)
