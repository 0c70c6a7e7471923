"""Takes a serialized ONNX model apart without reading its weights: they stay where they lie in the file and are mapped when asked for.

The wire format of protocol buffers is a list of fields, each a key (number and kind) and a payload; see
https://protobuf.dev/programming-guides/encoding/. Only three levels matter here: ModelProto.graph, GraphProto.initializer and
TensorProto.raw_data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sol.errors import ModelError

_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9
LARGE = 16384
"""Bytes from which weights are left where they are."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A model without the bytes of its large initializers: ``payloads`` has offset and length of those, by position among initializers."""

    data: bytes
    payloads: dict[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Field:
    number: int
    kind: int
    start: int  # of the key
    payload: int
    end: int


def take_apart(data: memoryview) -> Skeleton:
    """Split a serialized model. Raises ModelError where it is no list of fields, as in a truncated file."""
    parts: list[bytes] = []
    payloads: dict[int, tuple[int, int]] = {}
    for field in _fields(data, 0, len(data)):
        if field.number == _GRAPH and field.kind == 2:
            body = _graph(data, field, payloads)
            parts.append(_key(_GRAPH) + _varint(len(body)) + body)
        else:
            parts.append(bytes(data[field.start : field.end]))
    return Skeleton(b"".join(parts), payloads)


def _graph(data: memoryview, graph: _Field, payloads: dict[int, tuple[int, int]]) -> bytes:
    parts: list[bytes] = []
    count = len(payloads)
    for field in _fields(data, graph.payload, graph.end):
        if field.number != _INITIALIZER or field.kind != 2:
            parts.append(bytes(data[field.start : field.end]))
            continue
        if field.end - field.payload > LARGE:
            body, payload = _tensor(data, field)
            if payload is not None:
                payloads[count] = payload
            parts.append(_key(_INITIALIZER) + _varint(len(body)) + body)
        else:
            parts.append(bytes(data[field.start : field.end]))
        count += 1
    return b"".join(parts)


def _tensor(data: memoryview, tensor: _Field) -> tuple[bytes, tuple[int, int] | None]:
    """A tensor without its raw data, and where that lies."""
    parts: list[bytes] = []
    payload = None
    for field in _fields(data, tensor.payload, tensor.end):
        if field.number == _RAW_DATA and field.kind == 2 and field.end - field.payload > LARGE:
            payload = (field.payload, field.end - field.payload)
        else:
            parts.append(bytes(data[field.start : field.end]))
    return b"".join(parts), payload


def _fields(data: memoryview, position: int, end: int) -> Iterator[_Field]:
    while position < end:
        start = position
        key, position = _read_varint(data, position, end)
        number, kind = key >> 3, key & 7
        if kind == 0:
            payload, (_, position) = position, _read_varint(data, position, end)
        elif kind == 2:
            length, payload = _read_varint(data, position, end)
            position = payload + length
        elif kind in (1, 5):
            payload, position = position, position + (8 if kind == 1 else 4)
        else:
            raise _damaged()
        if position > end or number == 0:
            raise _damaged()
        yield _Field(number, kind, start, payload, position)


def _read_varint(data: memoryview, position: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= end:
            break
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise _damaged()


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _key(number: int) -> bytes:
    return _varint(number << 3 | 2)


def _damaged() -> ModelError:
    return ModelError("the file is no ONNX model, or is truncated", remedy="export or download it again")
