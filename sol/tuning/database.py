"""What was measured, kept: one entry of the cache per machine and number of threads, shared by all networks, and files to ship.

A record holds for the kernels of this version of sol on this model of CPU with so many threads; on others it is not found.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sol.build.cache import Store, key_of, store
from sol.codegen.targets import Target, cpu_identity
from sol.config import config
from sol.errors import ConfigError

log = logging.getLogger("sol.tuning")

FORMAT = "sol tuning 1"
CODEGEN = Path(__file__).resolve().parent.parent / "codegen"


@dataclass(frozen=True)
class Record:
    """A decision. level: "quick" or "full", how thorough it was.

    seconds: of every option that was looked at; None for one that is not possible or the same as an earlier one.
    """

    key: str
    choice: str
    seconds: Mapping[str, float | None]
    level: str


class Database:
    """Records of one machine. Those of the file that the knob tuning_database names come before those of the cache."""

    def __init__(self, machine: str) -> None:
        self.machine = machine
        self._shipped = _of_machine(_shipped(config["tuning_database"]), machine)
        self._own: dict[str, Record] = {}
        self.reload()

    @property
    def entry(self) -> str:
        """The key of the cache's entry."""
        return key_of("tuning", FORMAT, self.machine)

    def reload(self) -> None:
        """Read again what other processes may have added."""
        self._own = _of_machine(_entry_lines(store(), self.entry), self.machine)

    def get(self, key: str) -> Record | None:
        return self._shipped.get(key) or self._own.get(key)

    def is_shipped(self, key: str) -> bool:
        """Whether the record comes from a file that is never written."""
        return key in self._shipped

    def add(self, records: Iterable[Record]) -> None:
        """Keep records, beside those that others added meanwhile."""
        new = {r.key: r for r in records}
        if not new:
            return
        with store().locked(self.entry):
            self.reload()
            self._own |= new
            lines = [_line(self.machine, r) for _, r in sorted(self._own.items())]
            store().put(self.entry, "".join(lines).encode())


def machine_of(target: Target, threads: int) -> str:
    """What a measurement depends on besides the region: instruction set, CPU, caches, threads, and the kernels' code."""
    identity = cpu_identity()
    fields = dict(part.split("=", 1) for part in identity.split("; ") if "=" in part)
    model = fields.get("model name", fields.get("CPU part", "unknown CPU"))
    cpu = hashlib.sha256(identity.encode()).hexdigest()[:8]
    return f"{target.name}; {model} {cpu}; L1 {target.l1} L2 {target.l2}; {threads} threads; kernels {kernels_digest()}"


@functools.cache
def kernels_digest() -> str:
    """Digest of everything that makes kernels: a record for other code is worth nothing."""
    digest = hashlib.sha256()
    for path in sorted(p for p in CODEGEN.rglob("*") if p.suffix in (".py", ".j2", ".h")):
        data = path.read_bytes()
        digest.update(f"{path.relative_to(CODEGEN)} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()[:12]


def export_tuning(file: str | os.PathLike[str]) -> int:
    """Write all records of the cache, of every machine in it, to a file for the knob tuning_database; returns how many."""
    cache = store()
    lines = [line for entry in cache.list() if entry.kind == "tuning" for line in _entry_lines(cache, entry.key)]
    body = "".join(json.dumps(line) + "\n" for line in sorted(lines, key=lambda x: (x["machine"], x["key"])))
    head = json.dumps({"format": FORMAT, "sha256": hashlib.sha256(body.encode()).hexdigest()})
    Path(file).write_text(f"{head}\n{body}")
    return len(lines)


def import_tuning(file: str | os.PathLike[str]) -> int:
    """Add the records of an exported file to the cache; returns how many. Raises ConfigError if it is none, or damaged."""
    found: dict[str, list[Record]] = {}
    for line in read_file(file):
        found.setdefault(line["machine"], []).append(_record(line))
    for machine, records in found.items():
        Database(machine).add(records)
    return sum(map(len, found.values()))


def read_file(file: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The lines of an exported file. Raises ConfigError if it cannot be read, is none, or is damaged."""
    try:
        head, _, body = Path(file).read_text().partition("\n")
        title = json.loads(head)
        if title["format"] != FORMAT:
            raise ValueError(f"its format is {title['format']!r}, not {FORMAT!r}")
        if title["sha256"] != hashlib.sha256(body.encode()).hexdigest():
            raise ValueError("it was changed or cut since it was written")
        return [json.loads(line) for line in body.splitlines()]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{os.fspath(file)} is no tuning database: {error}", remedy="make one with sol.tuning.database.export_tuning(file)"
        ) from error


@functools.lru_cache(maxsize=4)
def _read_shipped(file: str, stamp: tuple[int, int]) -> tuple[dict[str, Any], ...]:
    return tuple(read_file(file))


def _shipped(file: str) -> Iterable[dict[str, Any]]:
    if not file:
        return ()
    try:
        status = os.stat(file)
    except OSError:
        return read_file(file)  # its error
    return _read_shipped(file, (status.st_mtime_ns, status.st_size))


def _entry_lines(cache: Store, key: str) -> list[dict[str, Any]]:
    data = cache.read(key)
    if data is None:
        return []
    try:
        return [json.loads(line) for line in data.decode().splitlines()]
    except ValueError as error:
        log.warning("measurements in the cache cannot be read (%s): they are made anew", error)
        return []


def _of_machine(lines: Iterable[Mapping[str, Any]], machine: str) -> dict[str, Record]:
    return {line["key"]: _record(line) for line in lines if line["machine"] == machine}


def _record(line: Mapping[str, Any]) -> Record:
    return Record(line["key"], line["choice"], line["seconds"], line["level"])


def _line(machine: str, record: Record) -> str:
    fields = {"key": record.key, "choice": record.choice, "seconds": dict(record.seconds), "level": record.level}
    return json.dumps({"machine": machine, **fields}) + "\n"


__all__ = ["Database", "Record", "export_tuning", "import_tuning", "kernels_digest", "machine_of", "read_file"]
