"""The recurrent kernels against the float64 interpreter, on every instruction set and several team sizes."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.kernels.recurrent import GATES, batch_tiles
from sol.codegen.kernels.recurrent_grad import GATES as GRADIENT_GATES
from sol.codegen.kernels.recurrent_grad import tiles_of
from sol.codegen.packing import make_pack
from sol.codegen.targets import by_name, runnable
from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from sol.runtime.packers import packed as packed_weight
from tests.codegen.combinations import thinned
from tests.harness import as_region, run_region
from tests.random_numbers import rng

ISAS = runnable()
CELLS = [
    ("lstm_scan", {}),
    ("gru_scan", {}),
    ("rnn_scan", {"nonlinearity": "tanh"}),
    ("rnn_scan", {"nonlinearity": "relu"}),
]


def scan(
    op: str, steps, batch, hidden: int, outputs: tuple[int, ...] | None = None, dtype: DType = DType.F32, **attrs
) -> tuple[Graph, dict]:
    """A graph of one scan that returns the chosen outputs, and its parameters."""
    gates = GATES[op]
    b = GraphBuilder()
    operands = [b.input("x", TensorType(dtype, (steps, batch, gates * hidden)))]
    parameters = {"w": (rng.standard_normal((gates * hidden, hidden)) / hidden**0.5).astype(dtype.numpy)}
    operands.append(b.parameter("w", TensorType(dtype, parameters["w"].shape)))
    if op == "gru_scan":
        parameters["b"] = rng.standard_normal(gates * hidden).astype(dtype.numpy)
        operands.append(b.parameter("b", TensorType(dtype, (gates * hidden,))))
    operands.append(b.input("h0", TensorType(dtype, (batch, hidden))))
    if op == "lstm_scan":
        operands.append(b.input("c0", TensorType(dtype, (batch, hidden))))
    results = b.add(op, operands, **attrs)
    return b.build([results[i] for i in outputs] if outputs else list(results)), parameters


def values(graph: Graph, steps: int, batch: int, hidden: int, gates: int) -> dict[str, np.ndarray]:
    shapes = {"x": (steps, batch, gates * hidden)}
    return {i: rng.standard_normal(shapes.get(i, (batch, hidden))).astype(np.float32) for i in graph.inputs}


def check(op: str, built: tuple[Graph, dict], inputs: dict, **options) -> None:
    graph, parameters = built
    got = run_region(as_region(graph, "dnn", op), inputs, parameters, **options)
    want = evaluate_outputs(graph, [inputs[i] for i in graph.inputs], parameters, symbols=options.get("symbols"))
    for g, w in zip(got, want):
        np.testing.assert_allclose(g, w, rtol=3e-5, atol=3e-5)


SIZES = [(1, 1, 1), (4, 2, 7), (3, 1, 16), (5, 3, 17), (4, 7, 33), (6, 1, 130)]


@pytest.mark.parametrize("isa,op,attrs,steps,batch,hidden", thinned(CELLS, SIZES))
def test_sizes(isa: str, op: str, attrs: dict, steps: int, batch: int, hidden: int) -> None:
    built = scan(op, steps, batch, hidden, **attrs)
    for threads in (1, 2, 3):
        check(op, built, values(built[0], steps, batch, hidden, GATES[op]), isa=isa, threads=threads)


@pytest.mark.parametrize("isa,op,attrs,steps,batch,hidden", thinned([c for c in CELLS if c[0] != "rnn_scan"], SIZES))
def test_what_is_kept_for_gradients(isa: str, op: str, attrs: dict, steps: int, batch: int, hidden: int) -> None:
    built = scan(op, steps, batch, hidden, keeps=True, **attrs)
    check(op, built, values(built[0], steps, batch, hidden, GATES[op]), isa=isa, threads=2)


GRADIENTS = {
    "lstm_scan_grad": (4, ("cells", "c0", "dy", "dh", "dc")), "gru_scan_grad": (4, ("y", "h0", "dy", "dh")),
    "rnn_scan_grad": (1, ("dy", "dh")),
}  # fmt: skip
BACKWARD = [(f"{op}_grad", attrs) for op, attrs in CELLS]


def scan_grad(op: str, steps, batch, hidden: int, outputs: tuple[int, ...] | None = None, **attrs) -> tuple[Graph, dict]:
    """A graph of one backward scan that returns the chosen outputs, and its parameters."""
    kept, operands = GRADIENTS[op]
    b = GraphBuilder()
    parameters = {"w": (rng.standard_normal((GRADIENT_GATES[op] * hidden, hidden)) / hidden**0.5).astype(np.float32)}
    values = [b.input("kept", TensorType(DType.F32, (steps, batch, kept * hidden)))]
    values.append(b.parameter("w", TensorType(DType.F32, parameters["w"].shape)))
    for name in operands:
        shape = (batch, hidden) if name in ("c0", "h0", "dh", "dc") else (steps, batch, hidden)
        values.append(b.input(name, TensorType(DType.F32, shape)))
    results = b.add(op, values, **attrs)
    return b.build([results[i] for i in outputs] if outputs else list(results)), parameters


def gradient_values(graph: Graph, **symbols: int) -> dict[str, np.ndarray]:
    """Kept values are those of gates, of which most lie between 0 and 1."""
    sizes = {i: tuple(symbols.get(str(d), d) for d in graph.type_of(i).shape) for i in graph.inputs}
    return {i: (rng.random(s) if i in ("kept", "y") else rng.standard_normal(s)).astype(np.float32) for i, s in sizes.items()}


@pytest.mark.parametrize("isa,op,attrs,steps,batch,hidden", thinned(BACKWARD, [*SIZES, (2, 13, 100)]))
def test_gradients(isa: str, op: str, attrs: dict, steps: int, batch: int, hidden: int) -> None:
    for reverse in (False, True):
        built = scan_grad(op, steps, batch, hidden, reverse=reverse, **attrs)
        for threads in (1, 2, 3):
            check(op, built, gradient_values(built[0]), isa=isa, threads=threads)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("op,attrs", BACKWARD)
def test_gradients_of_buffers_apart(isa: str, op: str, attrs: dict) -> None:
    steps, batch, hidden = 4, 3, 21
    built = scan_grad(op, steps, batch, hidden, **attrs)
    wide = built[0].type_of("kept").shape[2]
    strides = {"kept": (wide, steps * wide, 1), "dy": (2 * hidden, steps * 2 * hidden, 1), "dh": (1, batch), op: (400, 100, 1)}
    if op == "rnn_scan_grad":
        strides[op] = (2 * batch * hidden, 2 * hidden, 2)
    check(op, built, gradient_values(built[0]), isa=isa, strides=strides)


@pytest.mark.parametrize("op", GRADIENTS)
@pytest.mark.parametrize("output", [0, 1, 2])
def test_unused_gradients_are_not_written(op: str, output: int) -> None:
    built = scan_grad(op, 3, 2, 9, (output % (2 if op == "rnn_scan_grad" else 3),))
    check(op, built, gradient_values(built[0]))


@pytest.mark.parametrize("op,attrs", BACKWARD)
def test_gradients_of_symbolic_steps_and_batch(op: str, attrs: dict) -> None:
    built = scan_grad(op, Dim.symbol("steps"), Dim.symbol("batch"), 18, **attrs)
    for steps, batch in ((2, 2), (7, 9)):
        check(op, built, gradient_values(built[0], steps=steps, batch=batch), symbols={"steps": steps, "batch": batch})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("op,attrs", CELLS)
def test_reverse_and_batch_first_buffers(isa: str, op: str, attrs: dict) -> None:
    """Time-major views of batch-first memory; y is half of a bidirectional result."""
    steps, batch, hidden, gates = 5, 2, 20, GATES[op]
    built = scan(op, steps, batch, hidden, reverse=True, **attrs)
    wide = gates * hidden
    strides = {
        "x": (wide, steps * wide, 1),
        op: (2 * hidden, steps * 2 * hidden, 1),
        "h0": (1, batch),
        f"{op}#1": (2 * hidden, 1),
    }
    check(op, built, values(built[0], steps, batch, hidden, gates), isa=isa, strides=strides)


@pytest.mark.parametrize("op,attrs", CELLS)
def test_results_apart_in_memory(op: str, attrs: dict) -> None:
    built = scan(op, 3, 2, 19, **attrs)
    wide = GATES[op] * 19
    strides = {"x": (4 * wide, 2 * wide, 2), op: (200, 100, 3)}
    check(op, built, values(built[0], 3, 2, 19, GATES[op]), strides=strides)


@pytest.mark.parametrize("outputs", [(0,), (1,), (2,), (0, 2)])
def test_unused_results_are_not_written(outputs: tuple[int, ...]) -> None:
    built = scan("lstm_scan", 3, 2, 9, outputs)
    check("lstm_scan", built, values(built[0], 3, 2, 9, 4))


@pytest.mark.parametrize("op,attrs", CELLS)
def test_symbolic_steps_and_batch(op: str, attrs: dict) -> None:
    built = scan(op, Dim.symbol("steps"), Dim.symbol("batch"), 18, **attrs)
    for steps, batch in ((2, 2), (7, 9)):
        check(op, built, values(built[0], steps, batch, 18, GATES[op]), symbols={"steps": steps, "batch": batch})


def test_nan_stays_in_its_batch_row() -> None:
    graph, parameters = scan("gru_scan", 4, 3, 10)
    inputs = values(graph, 4, 3, 10, 3)
    inputs["x"][1, 1, 4] = np.nan
    y = run_region(as_region(graph, "dnn", "gru_scan"), inputs, parameters)[0]
    assert np.isnan(y[2:, 1]).all() and not np.isnan(y[:, [0, 2]]).any() and not np.isnan(y[0]).any()


def test_what_is_refused() -> None:
    graph, parameters = scan("lstm_scan", 2, 1, 4, dtype=DType.F64)
    with pytest.raises(UnsupportedError, match="f64"):
        run_region(as_region(graph, "dnn", "lstm_scan"), {i: np.zeros(1) for i in graph.inputs}, parameters)


def test_packing() -> None:
    w = np.arange(1, 3 * 5 * 5 + 1, dtype=np.float32).reshape(15, 5)
    packed = packed_weight(make_pack("recurrent_panels", gates=3, lanes=4, step=8), w).reshape(2, 8, 3, 4)
    assert packed[1, 2, 1, 0] == w[5 + 4, 2] and packed[0, 3, 2, 1] == w[10 + 1, 3]
    assert np.count_nonzero(packed) == w.size
    bias = packed_weight(make_pack("recurrent_bias", gates=3, lanes=4), np.arange(15, dtype=np.float32)).reshape(2, 3, 4)
    assert bias[1, 2, 0] == 14 and bias[0, 1, 3] == 8


def test_backward_tiles_fit_the_registers() -> None:
    for target in ("avx512", "avx2", "neon", "generic"):
        for hidden in (1, 33, 130, 512):
            tiles = tiles_of(Dim.symbol("b"), hidden, by_name(target))
            assert tiles.rows[-1] == 1 and max(tiles.blocks) == tiles.blocks[0]
            assert tiles.rows[0] * tiles.blocks[0] + tiles.blocks[0] + 1 <= by_name(target).registers
    assert tiles_of(7, 256, by_name("avx512")).rows == (6, 1) and tiles_of(7, 256, by_name("avx512")).blocks == (4,)
    assert tiles_of(1, 300, by_name("avx512")).blocks == (4, 3)


def test_batch_tiles_fit_the_registers() -> None:
    assert [t.rows for t in batch_tiles(7, 4, by_name("avx512"))] == [6, 1]
    assert [t.rows for t in batch_tiles(4, 4, by_name("avx512"))] == [4]
    assert [t.rows for t in batch_tiles(64, 3, by_name("avx512"))] == [6, 4]
    assert [t.rows for t in batch_tiles(Dim.symbol("b"), 4, by_name("avx2"))] == [2, 1]
    for target in ("avx512", "avx2", "neon", "generic"):
        for gates in (1, 3, 4):
            for tile in batch_tiles(16, gates, by_name(target)):
                assert tile.rows * gates * tile.parts + gates + 1 <= by_name(target).registers
