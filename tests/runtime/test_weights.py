"""Packing all weights of a plan: contents, order, what is packed again, and memory that is given back."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sol.codegen.packing import make_pack
from sol.codegen.plan import Weight
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_constants
from sol.ir.types import DType, TensorType
from sol.runtime import weights as packing
from sol.runtime.packers import Batch
from sol.runtime.weights import PackedWeights, pack_again, pack_weights, readers_of
from tests.codegen.reference_packers import apply_pack
from tests.random_numbers import rng


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


@pytest.mark.parametrize("threads", [1, 3])
def test_every_weight_is_packed_at_its_address(threads: int) -> None:
    count, shape = 20, (200, 300)
    given = {f"p{i}": rng.standard_normal(shape).astype(np.float32) for i in range(count)}
    panels = make_pack("channels", block=16)
    weights = tuple(Weight(f"@w{i}", f"d{i % count}", make_pack("plain") if i < count else panels) for i in range(2 * count))
    packed = pack_weights(graph_of(shape, count), weights, given, threads=threads)
    for i in range(2 * count):
        np.testing.assert_array_equal(content(packed, i, 60000), 2 * given[f"p{i % count}"].reshape(-1))
    assert all(a % 64 == 0 for a in packed.addresses) and len(set(packed.addresses)) == 2 * count


def test_packed_again_from_where_parameters_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nothing is evaluated but what is computed; views, turned filters and factors of rows lie in parameters."""
    b = GraphBuilder()
    w, s, t = (b.parameter(n, TensorType(DType.F32, shape)) for n, shape in (("w", (300, 250, 1, 1)), ("s", (250,)), ("t", (250,))))
    turned = b.add("turned_filters", [w], groups=1, taps=((0, -1, 1), (0, -1, 1)))
    scaled = b.add("mul", [turned, b.add("reshape", [s], shape=(250, 1, 1, 1))])
    graph = b.build([scaled, b.add("neg", [t]), turned])
    kinds = {scaled: make_pack("conv_panels", lanes=16, vectors=2, groups=1), graph.outputs[1]: make_pack("channels", block=16)}
    weights = tuple(Weight(f"@w{i}", v, kinds.get(v, make_pack("plain"))) for i, v in enumerate(graph.outputs))
    given = {n: rng.standard_normal(shape).astype(np.float32) for n, shape in (("w", (300, 250, 1, 1)), ("s", 250), ("t", 250))}
    packed = pack_weights(graph, weights, given)
    evaluated: list[str] = []
    values = packing.each_constant_of
    monkeypatch.setattr(packing, "each_constant_of", lambda g, names, p: values(g, (evaluated.extend(names), names)[1], p))
    for _ in range(3):
        evaluated.clear()
        for array in given.values():
            array += 1
        pack_again(graph, weights, range(3), given, packed)
        want = given["w"][:, :, 0, 0].T
        forms = [want * given["s"][:, None], -given["t"], want]
        np.testing.assert_array_equal(content(packed, 0, 8 * 32 * 300).reshape(8, 300, 32)[2], forms[0][64:96].T)
        np.testing.assert_array_equal(content(packed, 1, 250), forms[1])
        np.testing.assert_array_equal(content(packed, 2, 75000), forms[2].reshape(-1))
    assert "w" not in evaluated and evaluated == [graph.outputs[1], turned]
    given["t"] = given["t"].copy()  # lies elsewhere: all is looked at anew
    evaluated.clear()
    pack_again(graph, weights, range(3), given, packed)
    assert len(evaluated) > 2


def test_bfloat16_is_stored_as_bits() -> None:
    packed = pack_weights(graph_of((4,), 1, DType.BF16), (Weight("@w0", "d0", make_pack("plain")),), {"p0": np.ones(4, np.float32)})
    assert content(packed, 0, 4, np.uint16).tolist() == [0x4000] * 4


@pytest.mark.parametrize("chunk", [1, 1 << 30])
def test_computed_values_are_packed_before_there_are_many(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(packing, "CHUNK", chunk)
    held: list[int] = []
    run = Batch.run

    def counted(batch: Batch) -> None:
        held.append(batch.bytes)
        run(batch)

    monkeypatch.setattr(Batch, "run", counted)
    given = {f"p{i}": rng.standard_normal((50, 7)).astype(np.float32) for i in range(5)}
    weights = tuple(Weight(f"@w{i}", f"d{i}", make_pack("plain")) for i in range(5))
    packed = pack_weights(graph_of((50, 7), 5), weights, given)
    assert max(held) == (1400 if chunk == 1 else 7000)
    np.testing.assert_array_equal(content(packed, 3, 350), 2 * given["p3"].reshape(-1))


def folded(rows: int, transposed: bool = False) -> tuple[Graph, dict[str, np.ndarray]]:
    """Weights whose rows are multiplied by a function of another parameter, large enough to be computed in float32."""
    b = GraphBuilder()
    shape = (rows, 5 * rows)
    w = b.parameter("w", TensorType(DType.F32, shape))
    s = b.add("sqrt", [b.parameter("s", TensorType(DType.F32, (1, 5 * rows) if transposed else (rows, 1)))])
    graph = b.build([b.add("mul", [s, w], name="y")])
    factors = rng.uniform(1, 9, graph.parameter_types["s"].shape).astype(np.float32)
    return graph, {"w": rng.standard_normal(shape).astype(np.float32), "s": factors}


@pytest.mark.parametrize("rows", [16, 170])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("kind", [{"kind": "gemm_panels", "width": 32, "lanes": 16, "transposed": True}, {"kind": "plain"}])
def test_factors_of_rows_are_those_of_the_interpreter(rows: int, transposed: bool, kind: dict[str, Any]) -> None:
    """Multiplied by the packer, or before."""
    graph, given = folded(rows, transposed)
    pack = make_pack(**kind)
    packed = pack_weights(graph, (Weight("@w0", "y", pack), Weight("@w1", "y", make_pack("plain"))), given)
    value = evaluate_constants(graph, ["y"], given)["y"]
    want = apply_pack(pack, value).reshape(-1)
    np.testing.assert_array_equal(content(packed, 0, want.size), want)
    np.testing.assert_array_equal(content(packed, 1, value.size), value.reshape(-1))


def test_who_reads_a_parameter() -> None:
    graph, _ = folded(16)
    weights = (Weight("@w0", "y", make_pack("plain")), Weight("@w1", graph.producer("y").inputs[1], make_pack("plain")))
    assert readers_of(graph, weights) == {"w": {0, 1}, "s": {0}}


def test_some_are_packed_again_where_they_lie() -> None:
    graph = graph_of((40, 30), 3)
    weights = tuple(Weight(f"@w{i}", f"d{i}", make_pack("gemm_panels", width=16, lanes=16, transposed=True)) for i in range(3))
    given = {f"p{i}": rng.standard_normal((40, 30)).astype(np.float32) for i in range(3)}
    packed = pack_weights(graph, weights, given)
    changed = {t: 3 * a for t, a in given.items()}
    pack_again(graph, weights, [1], changed, packed)
    for i in range(3):
        want = apply_pack(weights[i].pack, 2 * (changed if i == 1 else given)[f"p{i}"]).reshape(-1)
        np.testing.assert_array_equal(content(packed, i, want.size), want)


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
