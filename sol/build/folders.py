"""Which folders code may be loaded from: those that no other user can write, directly or by swapping a folder above."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path


def untrusted(folder: Path) -> str:
    """Why another user could change files in this (resolved) folder; empty if none can."""
    for place in (folder, *folder.parents):
        try:
            status = place.stat()
        except OSError as error:
            return str(error)
        if place == folder:
            if status.st_uid != os.geteuid():
                return f"{place} belongs to another user (uid {status.st_uid})"
            if status.st_mode & 0o022:
                return f"{place} can be written by other users (mode {stat.S_IMODE(status.st_mode):o})"
        elif status.st_uid not in _admins():
            return f"{place}, above it, belongs to another user (uid {status.st_uid})"
        elif _others_can_rename_in(status):
            return f"{place}, above it, can be written by other users (mode {stat.S_IMODE(status.st_mode):o})"
    return ""


def owned(status: os.stat_result) -> bool:
    """Is it this user's file, which no other user can write?"""
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def make_private(folder: Path) -> None:
    """Make a folder and those missing above it, for this user alone, whatever the umask."""
    for place in reversed((folder, *folder.parents)):
        if not place.is_dir():
            place.mkdir(mode=0o700, exist_ok=True)


def temporary_places() -> Iterator[Path]:
    """Folders for temporary files that others cannot tamper with, the usual one first, then memory."""
    seen = set()
    for name in (os.environ.get("TMPDIR", ""), "/tmp", "/var/tmp", "/dev/shm"):
        place = Path(name).resolve() if name else None
        if place is None or place in seen or not place.is_dir() or _others_can_rename_in(place.stat()):
            continue
        seen.add(place)
        yield place


def private_folder(place: Path) -> Path:
    """A new folder below ``place`` for this user alone, removed when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="sol-", dir=place))
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child that ends must leave it to the parent
        shutil.rmtree(folder, ignore_errors=True)


def _others_can_rename_in(status: os.stat_result) -> bool:
    """Writable by all, or by a group that is not this user's own, and not sticky."""
    if status.st_mode & stat.S_ISVTX:
        return False
    own_group = status.st_gid == os.getegid()
    return bool(status.st_mode & 0o002) or bool(status.st_mode & 0o020 and not own_group)


def _admins() -> frozenset[int]:
    """Owners of folders above ours who are trusted: root, ourselves, and root as seen from a user namespace."""
    return frozenset({0, os.geteuid()}) | _unmapped()


@functools.cache
def _unmapped() -> frozenset[int]:
    try:
        whole = Path("/proc/self/uid_map").read_text().split() == ["0", "0", "4294967295"]
        return frozenset() if whole else frozenset({int(Path("/proc/sys/kernel/overflowuid").read_text())})
    except (OSError, ValueError):
        return frozenset()
