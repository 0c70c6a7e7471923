"""Packed weights on disk: written one at a time, equal ones once, in pieces that are hashed, embedded or mapped as they are.

Of a library for several instruction sets the first one's are used as they lie; what others want in another order is made of them when the
library starts (`moves.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

from sol.codegen.plan import Weight
from sol.deploy.moves import Move, moves_between
from sol.ir.bodies import constants_of, type_at
from sol.ir.graph import Graph
from sol.ir.storage import as_stored
from sol.runtime.packers import packed
from sol.runtime.weights import STAGGER

CHUNK = 32 << 20
"""Bytes after which a piece ends: the assembler and the linker hold one piece in memory."""
PAGE = 4096
BLOCK = 8192
WORTH = 4096
"""Bytes from which on a constant is made of another one rather than stored."""
_MASK = (1 << 64) - 1
_FACTORS = np.arange(BLOCK, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C14) + np.uint64(1)


@dataclass(frozen=True)
class Chunk:
    """A piece of the file: where it starts (on a page), its bytes (a multiple of 64) and their hash."""

    start: int
    bytes: int
    hash: int


@dataclass(frozen=True)
class Place:
    """Where a packed constant is: a piece and bytes from its start; with moves where the constant is that it is made of.

    bytes: of the constant.
    """

    chunk: int
    offset: int
    bytes: int
    moves: tuple[Move, ...] = ()


def hash_of(path: Path, start: int, size: int) -> int:
    """The 64 bits that ``sol_hash`` of sol_deploy.h computes for ``size`` bytes (a multiple of 8) of a file."""
    result = size
    with open(path, "rb") as file:
        file.seek(start)
        for at in range(0, size, 8 * BLOCK):
            words = np.frombuffer(file.read(min(8 * BLOCK, size - at)), np.uint64)
            total = int(np.sum(words * _FACTORS[: words.size], dtype=np.uint64))
            result = (result ^ total) * 0xD6E8FEB86659FD93 & _MASK
            result ^= result >> 29
    return result


class WeightFile:
    """Writes packed constants to a file; ``with`` it, then read ``chunks``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.chunks: list[Chunk] = []
        self.bytes = 0
        self._file = open(path, "wb")
        self._start = 0
        self._known: dict[bytes, Place] = {}
        self._forms: dict[str, list[Place]] = {}  # by the value that they are packed forms of

    def __enter__(self) -> WeightFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None and self._file.tell() > self._start:
            self._end_chunk()
        self._file.close()

    def add(self, array: np.ndarray, value: str, *, movable: bool) -> Place:
        """Write an array unless the same bytes are there already, or (movable) another form of the value of which it can be made."""
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        key = hashlib.sha256(data).digest()  # type: ignore[arg-type]
        forms = self._forms.setdefault(value, [])
        if key not in self._known and movable and data.nbytes >= WORTH:
            for form in forms:
                moves = moves_between(data, self._read(form))
                if moves is not None:
                    return Place(form.chunk, form.offset, data.nbytes, moves)
        if key not in self._known:
            if self._file.tell() - self._start >= CHUNK or (self._file.tell() > self._start and data.nbytes >= CHUNK):
                self._end_chunk()
            if self._file.tell() > self._start:
                self._pad(64)
                self._file.write(bytes(STAGGER))
            self._known[key] = Place(len(self.chunks), self._file.tell() - self._start, data.nbytes)
            self._file.write(memoryview(data))  # type: ignore[arg-type]
            self.bytes += data.nbytes
        if self._known[key] not in forms:
            forms.append(self._known[key])
        return self._known[key]

    def _read(self, place: Place) -> np.ndarray:
        """The bytes of an array that was written."""
        self._file.flush()
        start = self.chunks[place.chunk].start if place.chunk < len(self.chunks) else self._start
        return np.fromfile(self.path, np.uint8, place.bytes, offset=start + place.offset)

    def _pad(self, step: int) -> None:
        self._file.write(bytes(-self._file.tell() % step))

    def _end_chunk(self) -> None:
        self._pad(64)
        self._file.flush()
        start, size = self._start, self._file.tell() - self._start
        self.chunks.append(Chunk(start, size, hash_of(self.path, start, size)))
        self._pad(PAGE)
        self._start = self._file.tell()
        self._file.truncate(start + size)


def write_weights(
    file: WeightFile, graph: Graph, weights: Sequence[Weight], parameter: Callable[[str], np.ndarray], *, movable: bool = False
) -> tuple[Place, ...]:
    """Pack the constants of a plan into the file; in memory is one of them at a time, with what it is computed from.

    movable: they may be made of others in the file when the library starts.
    """
    places: dict[str, Place] = {}
    parameters = _Parameters(graph, parameter)
    for value in dict.fromkeys(w.value for w in weights):
        array = constants_of(graph, [value], parameters)[value]
        stored = as_stored(array, type_at(graph, value).dtype)
        for weight in weights:
            if weight.value == value:
                places[weight.name] = file.add(packed(weight.pack, stored), value, movable=movable)
        del array, stored
    return tuple(places[w.name] for w in weights)


class _Parameters(dict[str, np.ndarray]):
    """Arrays by target that are asked for when they are read, and not kept."""

    def __init__(self, graph: Graph, parameter: Callable[[str], np.ndarray]) -> None:
        super().__init__()
        self._parameter = parameter
        self._targets = set(graph.parameter_targets)

    def __contains__(self, target: object) -> bool:
        return target in self._targets

    def __getitem__(self, target: str) -> np.ndarray:
        return self._parameter(target)
