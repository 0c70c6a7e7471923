"""Packing all weights of a plan: contents, order, threads, and memory that is given back."""

from __future__ import annotations

import mmap
import threading
from pathlib import Path

import numpy as np
import pytest

from sol.codegen.packing import make_pack
from sol.codegen.plan import Pack, Weight
from sol.errors import SolError
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from sol.runtime import weights as packing
from sol.runtime.weights import PackedWeights, pack_weights

rng = np.random.default_rng(3)


def graph_of(shape: tuple[int, ...], count: int, dtype: DType = DType.F32) -> Graph:
    """Parameters p0, p1, … and each doubled: d0, d1, …"""
    b = GraphBuilder()
    doubled = []
    for i in range(count):
        p = b.parameter(f"p{i}", TensorType(dtype, shape))
        doubled.append(b.add("add", [p, p], name=f"d{i}"))
    return b.build(doubled)


def content(packed: PackedWeights, number: int, size: int, dtype: type = np.float32) -> np.ndarray:
    """Elements at an address, which must lie in one of the blocks."""
    address = packed.addresses[number]
    (block,) = [b for b in packed.blocks if b.address <= address < b.address + b.size]
    start = address - block.address
    return block.bytes[start : start + size * np.dtype(dtype).itemsize].view(dtype)


@pytest.mark.parametrize("cpus", [1, 3])
def test_every_weight_is_packed_at_its_address(monkeypatch: pytest.MonkeyPatch, cpus: int) -> None:
    monkeypatch.setattr(packing, "usable_cpus", lambda: cpus)
    count, shape = 20, (200, 300)
    given = {f"p{i}": rng.standard_normal(shape).astype(np.float32) for i in range(count)}
    panels = make_pack("channels", block=16)
    weights = tuple(Weight(f"@w{i}", f"d{i % count}", make_pack("plain") if i < count else panels) for i in range(2 * count))
    packed = pack_weights(graph_of(shape, count), weights, given)
    for i in range(2 * count):
        np.testing.assert_array_equal(content(packed, i, 60000), 2 * given[f"p{i % count}"].reshape(-1))
    assert all(a % 64 == 0 for a in packed.addresses) and len(set(packed.addresses)) == 2 * count


def test_bfloat16_is_stored_as_bits() -> None:
    packed = pack_weights(graph_of((4,), 1, DType.BF16), (Weight("@w0", "d0", make_pack("plain")),), {"p0": np.ones(4, np.float32)})
    assert content(packed, 0, 4, np.uint16).tolist() == [0x4000] * 4


def test_errors_of_threads_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "usable_cpus", lambda: 2)

    def fails(pack: Pack, array: np.ndarray, out: np.ndarray) -> None:
        assert threading.current_thread().name.startswith("sol-pack")
        raise SolError("cannot pack")

    monkeypatch.setattr(packing, "pack_into", fails)
    weights = tuple(Weight(f"@w{i}", f"d{i}", make_pack("plain")) for i in range(5))
    given = {f"p{i}": np.ones((200, 300), np.float32) for i in range(5)}
    with pytest.raises(SolError, match="cannot pack"):
        pack_weights(graph_of((200, 300), 5), weights, given)
    assert not [t for t in threading.enumerate() if t.name.startswith("sol-pack")]


def resident(mapping: mmap.mmap) -> int:
    """Bytes of a mapping that this process holds."""
    address = np.frombuffer(mapping, np.uint8).ctypes.data
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    for line in lines:
        if line.startswith(f"{address:x}-"):
            return next(int(text.split()[1]) for text in lines if text.startswith("Rss:")) << 10
    raise AssertionError("not mapped")


def test_pages_of_mapped_files_are_given_back(tmp_path: Path) -> None:
    values = rng.standard_normal((1000, 1000)).astype(np.float32)
    (tmp_path / "weights").write_bytes(values.tobytes())
    with open(tmp_path / "weights", "rb") as file:
        mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    given = np.frombuffer(memoryview(mapping)[:], np.float32).reshape(1000, 1000)
    packed = pack_weights(graph_of((1000, 1000), 1), (Weight("@w0", "d0", make_pack("plain")),), {"p0": given})
    assert resident(mapping) == 0
    np.testing.assert_array_equal(content(packed, 0, values.size), 2 * values.reshape(-1))
    np.testing.assert_array_equal(given, values)


def test_memory_that_can_be_written_is_never_given_back(tmp_path: Path) -> None:
    mapping = mmap.mmap(-1, 4000)
    given = np.frombuffer(mapping, np.float32)
    given[:] = 5
    pack_weights(graph_of((1000,), 1), (Weight("@w0", "d0", make_pack("plain")),), {"p0": given})
    assert (given == 5).all()
