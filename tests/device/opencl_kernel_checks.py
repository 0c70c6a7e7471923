"""Kernels in OpenCL C beside the interpreter in float64, in one process that tests/device/test_opencl.py starts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from sol.codegen.opencl.plan import HostStep
from sol.compiler import compile_grid
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.ops import REQUIRED
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import DType, TensorType
from sol.runtime.torch.grid_executable import GridExecutable
from tests.device.support import run_checks
from tests.random_graphs import make_recipe

SEED = np.random.default_rng(3)
Arrays = Mapping[str, np.ndarray]


def results(graph: Graph, inputs: Arrays, parameters: Arrays, host: Sequence[str] = ()) -> list[np.ndarray]:
    """Outputs of the device. host: ops that have no kernel; all others must have one."""
    compiled = compile_grid(graph)
    torch.sol.init()
    found = [s.op for s in compiled.plan.steps if isinstance(s, HostStep)]
    assert found == list(host), found
    executable = GridExecutable(compiled, torch.device("sol:0"))
    executable.pack({t: torch.from_numpy(a).sol() for t, a in parameters.items()})
    return [t.cpu().numpy() for t in executable([torch.from_numpy(inputs[name]).sol() for name in graph.inputs])]


def same(graph: Graph, inputs: Arrays, parameters: Arrays | None = None, host: Sequence[str] = (), tolerance: float = 2e-5) -> None:
    """The device gives what the interpreter gives."""
    parameters = parameters or {}
    wanted = evaluate(graph, inputs, parameters)
    for name, found in zip(graph.outputs, results(graph, inputs, parameters, host)):
        exact = wanted[name]
        assert found.shape == exact.shape and found.dtype == graph.type_of(name).dtype.numpy, (name, found.shape, found.dtype)
        finite = np.abs(exact[np.isfinite(exact)]) if exact.dtype.kind == "f" else np.zeros(0)
        scale = max(1.0, float(finite.max())) if finite.size else 1.0
        np.testing.assert_allclose(found, exact, rtol=tolerance, atol=tolerance * scale, err_msg=name)


def floats(*shape: int) -> np.ndarray:
    return SEED.standard_normal(shape).astype(np.float32)


def of_op(
    op: str, arrays: Sequence[np.ndarray], constant: Sequence[int] = (), then: Sequence[str] = (), host: Sequence[str] = (), **attrs: Any
) -> None:
    """One op on inputs, or on parameters at the places ``constant``; then pointwise ops on its first result."""
    b = GraphBuilder()
    inputs, parameters, operands = {}, {}, []
    for i, array in enumerate(arrays):
        type = TensorType(DType.from_numpy(array.dtype), array.shape)
        operands.append(b.parameter(f"p{i}", type) if i in constant else b.input(f"x{i}", type))
        (parameters if i in constant else inputs)[f"p{i}" if i in constant else operands[-1]] = array
    made = b.add(op, operands, **attrs)
    made = made if isinstance(made, tuple) else (made,)
    value = made[0]
    for name in then:
        value = b.add(name, [value])
    same(b.build([value, *made[1:]]), inputs, parameters, host)


def check_pointwise_ops():
    special = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.75, 20.0, np.inf, -np.inf, np.nan], np.float32)
    for name, row in POINTWISE.items():
        attrs = {k: v for k, v in row.attrs.items() if v is not REQUIRED}
        if row.result == "cast":
            continue
        kinds = {"integer": (np.int32, np.int64, np.uint8), "float": (np.float32,)}.get(row.operands, (np.float32, np.int64))
        for kind in kinds:
            if name in ("shift_left", "shift_right", "lgamma", "nextafter", "pow", "gcd"):
                continue  # checked below, on operands for which they are defined
            values = np.concatenate([special, floats(70) * 3]) if kind is np.float32 else SEED.integers(-9, 9, 81).astype(kind)
            others = values[::-1].copy()
            operands = [values, others, np.roll(values, 3)][: row.arity]
            if row.condition:
                operands[0] = values > 1
            if name in ("logical_and", "logical_or", "logical_xor", "logical_not") and kind is not np.float32:
                operands = [o > 0 for o in operands]
            try:
                of_op(name, operands, **attrs)
            except AssertionError as error:
                raise AssertionError(f"{name} of {np.dtype(kind)}: {error}") from error
    of_op("pow", [np.abs(floats(40)) + 0.1, floats(40)])
    of_op("pow", [SEED.integers(-3, 4, 40), SEED.integers(0, 5, 40)])
    for op in ("shift_left", "shift_right"):
        of_op(op, [SEED.integers(-99, 99, 40), SEED.integers(0, 8, 40)])
    of_op("gcd", [SEED.integers(-99, 99, 40), SEED.integers(-99, 99, 40)])


def check_casts():
    kinds = [np.float32, np.float64, np.int64, np.int32, np.int16, np.int8, np.uint8, np.bool_]
    for source in kinds:
        values = (SEED.integers(0, 100, 70) if source is not np.bool_ else SEED.integers(0, 2, 70)).astype(source)
        for kind in kinds:
            of_op("cast", [values], dtype=DType.from_numpy(np.dtype(kind)))


def check_broadcasting_and_views():
    b = GraphBuilder()
    x, y, z = (b.input(n, TensorType(DType.F32, s)) for n, s in (("x", (3, 5, 7)), ("y", (5, 1)), ("z", ())))
    total = b.add("add", [b.add("mul", [x, y]), z])
    turned = b.add("permute", [total], order=(2, 0, 1))
    part = b.add("slice", [turned], dim=0, start=1, stop=6, step=2)
    flat = b.add("reshape", [part], shape=(9, 5))
    wide = b.add("expand", [b.add("reshape", [y], shape=(1, 5))], shape=(9, 5))
    outputs = [b.add("sub", [flat, wide]), turned, b.add("reshape", [total], shape=(5, 21)), wide]
    same(b.build(outputs), {"x": floats(3, 5, 7), "y": floats(5, 1), "z": floats()})


def check_reductions():
    x = floats(3, 33, 65)
    for op in ("sum", "mean", "max", "min"):
        for dims, keepdims in (((2,), False), ((1,), True), ((0, 2), False), ((0, 1, 2), True), ((1, 2), False)):
            of_op(op, [x], dims=dims, keepdims=keepdims)
            of_op(op, [x], then=["exp" if op != "sum" else "neg"], dims=dims, keepdims=keepdims)
    holed = x.copy()
    holed[1, 3] = np.nan
    for op in ("max", "min", "argmax", "argmin"):
        attrs = {"dim": 2} if op.startswith("arg") else {"dims": (2,)}
        of_op(op, [holed], keepdims=False, **attrs)
        of_op(op, [SEED.integers(-9, 9, (4, 70, 5))], keepdims=True, **({"dim": 1} if op.startswith("arg") else {"dims": (1,)}))
    of_op("prod", [1 + 0.01 * floats(4, 70)], dims=(1,), keepdims=False)
    for op in ("any", "all"):
        of_op(op, [SEED.integers(0, 2, (5, 300)).astype(np.bool_)], dims=(1,), keepdims=False)
        of_op(op, [floats(5, 3)], dims=(1,), keepdims=False)
    for op, attrs in (("var", {"dims": (1,), "keepdims": True, "correction": 1}), ("softmax", {"dim": 1}), ("log_softmax", {"dim": 2})):
        of_op(op, [x], **attrs)
    for op in ("cumsum", "cumprod"):
        of_op(op, [1 + 0.1 * floats(3, 9, 4)], dim=1)


def check_norms():
    x, image = floats(5, 7, 48), floats(2, 8, 5, 6)
    of_op("layer_norm", [x, floats(48), floats(48)], [1, 2], dims=1, eps=1e-5)
    of_op("layer_norm", [x], dims=2, eps=1e-5)
    of_op("rms_norm", [x, floats(48)], [1], dims=1, eps=1e-6)
    of_op("group_norm", [image, floats(8), floats(8)], [1, 2], groups=4, eps=1e-5)
    of_op("batch_norm", [image, floats(8), floats(8), floats(8), np.abs(floats(8)) + 1], [1, 2, 3, 4], eps=1e-5)


def check_products():
    for rows, columns, depth in ((1, 1, 1), (7, 9, 300), (31, 33, 17), (32, 64, 16), (65, 40, 130), (100, 8, 8)):
        of_op("linear", [floats(rows, depth), floats(columns, depth), floats(columns)], [1, 2], then=["relu"])
        of_op("matmul", [floats(2, 3, rows, depth), floats(3, depth, columns)])
    of_op("linear", [floats(2, 9, 24), floats(40, 24)])
    of_op("linear", [floats(24), floats(40, 24)], [1])
    of_op("matmul", [SEED.integers(-9, 9, (20, 30)), SEED.integers(-9, 9, (30, 25))])
    of_op("matmul", [floats(20, 30).astype(np.float64), floats(30, 25).astype(np.float64)])


def check_attention():
    q, k, v = floats(2, 3, 17, 16), floats(2, 3, 33, 16), floats(2, 3, 33, 24)
    of_op("sdpa", [q, k, v], scale=0.25)
    of_op("sdpa", [k, k, v], scale=0.25, causal=True)
    mask = SEED.integers(0, 2, (2, 1, 17, 33)).astype(np.bool_)
    mask[0, 0, 4] = False  # attends to nothing
    of_op("sdpa", [q, k, v, mask], scale=0.25)
    of_op("sdpa", [q, k, v, floats(17, 33)], scale=0.25)


def check_convolutions():
    for n, c, k, size, kernel, stride, pad, dilation, groups in (
        (1, 3, 16, (17, 19), (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1), 1),
        (2, 8, 40, (9, 9), (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
        (2, 16, 16, (10, 11), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 16),
        (1, 16, 32, (12, 12), (5, 3), (2, 1), ((2, 1), (0, 2)), (1, 2), 2),
        (1, 4, 6, (30,), (5,), (3,), ((2, 2),), (1,), 1),
        (1, 3, 9, (6, 7, 8), (3, 2, 3), (1, 1, 2), ((1, 1), (0, 1), (1, 0)), (1, 1, 1), 1),
        (1, 16, 12, (7, 7), (7, 7), (1, 1), ((3, 3), (3, 3)), (1, 1), 1),
    ):  # fmt: skip
        attrs = {"stride": stride, "padding": pad, "dilation": dilation, "groups": groups}
        of_op("conv", [floats(n, c, *size), floats(k, c // groups, *kernel), floats(k)], [1, 2], then=["relu"], **attrs)
        of_op("conv", [floats(n, c, *size), floats(k, c // groups, *kernel)], **attrs)
        more = {**attrs, "output_padding": tuple(s - 1 for s in stride)}
        of_op("conv_transpose", [floats(n, c, *size), floats(c, k // groups, *kernel), floats(k)], [1, 2], **more)


def check_pooling():
    x = floats(2, 3, 13, 14)
    windows = {"kernel": (3, 3), "stride": (2, 2), "padding": ((1, 1), (1, 1))}
    for ceil_mode in (False, True):
        of_op("max_pool", [x], dilation=(1, 1), ceil_mode=ceil_mode, **windows)
        for include in (False, True):
            of_op("avg_pool", [x], ceil_mode=ceil_mode, count_include_pad=include, **windows)
    of_op("avg_pool", [x], divisor=5, **windows)
    of_op("max_pool", [SEED.integers(-9, 9, (1, 2, 9))], kernel=(2,), stride=(1,), padding=((0, 0),), dilation=(3,))
    for op in ("adaptive_avg_pool", "adaptive_max_pool"):
        of_op(op, [x], output_size=(5, 4))
    rows, columns = np.array([[0, 12, 3, 5], [1, -1, 4, 7], [-1, -1, 9, -1]], np.int32), SEED.integers(0, 14, (2, 20)).astype(np.int32)
    of_op("resample", [x, rows, floats(3, 4), columns, floats(2, 20)], [1, 2, 3, 4], then=["relu"])


def check_moves():
    x = floats(4, 5, 6)
    of_op("concat", [x, floats(4, 2, 6), x], dim=1)
    of_op("concat", [x, floats(4, 5, 1)], then=["relu"], dim=2)
    of_op("pad", [x], pads=((1, 0), (-1, 2), (0, -2)), value=1.5)
    of_op("flip", [x], dims=(0, 2))
    of_op("take", [x, SEED.integers(-5, 5, (3, 2))], dim=1)
    of_op("take", [floats(30, 7), SEED.integers(0, 30, (4, 3))], [0], dim=0, signed=False)
    of_op("gather", [x, SEED.integers(-5, 5, (4, 3, 6))], dim=1)
    b = GraphBuilder()
    ramp = b.add("iota", [], size=70, start=3, step=-2, dtype=DType.I64)
    real = b.add("iota", [], size=5, start=0.5, step=0.25, dtype=DType.F32)
    same(b.build([b.add("mul", [ramp, b.input("x", TensorType(DType.I64, (70,)))]), b.add("neg", [real])]), {"x": np.arange(70)})


def check_indices_out_of_range():
    b = GraphBuilder()
    x, i = b.input("x", TensorType(DType.F32, (3, 2))), b.input("i", TensorType(DType.I64, (4,)))
    graph = b.build([b.add("take", [x, i], dim=0)])
    (found,) = results(graph, {"x": np.arange(6, dtype=np.float32).reshape(3, 2), "i": np.array([0, -1, 3, 2**40])}, {})
    np.testing.assert_array_equal(found, [[0, 1], [4, 5], [np.nan, np.nan], [np.nan, np.nan]])


def check_recurrent():
    for steps, batch, hidden in ((1, 1, 3), (5, 2, 17), (4, 3, 70)):
        h, c = floats(batch, hidden), floats(batch, hidden)
        for reverse in (False, True):
            of_op("lstm_scan", [floats(steps, batch, 4 * hidden), 0.2 * floats(4 * hidden, hidden), h, c], [1], reverse=reverse)
            gates, weight = floats(steps, batch, 3 * hidden), 0.2 * floats(3 * hidden, hidden)
            of_op("gru_scan", [gates, weight, floats(3 * hidden), h], [1, 2], reverse=reverse)
            for kind in ("tanh", "relu"):
                of_op("rnn_scan", [floats(steps, batch, hidden), 0.2 * floats(hidden, hidden), h], reverse=reverse, nonlinearity=kind)


def check_what_has_no_kernel_runs_on_the_host():
    torch.sol.reset_fallbacks()
    of_op("sort", [floats(4, 9)], host=["sort"], dim=1, descending=False)
    of_op("det", [floats(3, 4, 4)], then=["neg"], host=["det"])
    assert torch.sol.fallbacks() == {"sol::sort": 1, "sol::det": 1}


def check_random_graphs():
    class Choices:
        def __init__(self, seed: int) -> None:
            self.random = random.Random(seed)

        def integer(self, low: int, high: int) -> int:
            return self.random.randint(low, high)

    for seed in range(40):
        recipe = make_recipe(Choices(seed))
        if any(recipe.graph.producer(o).op == "input" for o in recipe.graph.outputs):
            continue
        try:
            same(recipe.graph, recipe.inputs, recipe.parameters, tolerance=1e-4)
        except Exception as error:
            raise AssertionError(f"the graph of seed {seed}: {error}") from error


if __name__ == "__main__":
    run_checks(globals())
