"""sol.load and sol.optimize on small models: results, open sizes, kinds of inputs, and errors that say what is wrong."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import onnx
import pytest
import torch
from onnx.reference import ReferenceEvaluator

import sol
from sol.errors import InputError, ModelError, SolError, UnsupportedError
from tests.frontend.onnx.models import MODELS, example, model, node, weights


def expected(proto: onnx.ModelProto, *inputs: np.ndarray) -> list[np.ndarray]:
    names = [i.name for i in proto.graph.input]
    return ReferenceEvaluator(proto).run(None, dict(zip(names, inputs)))


@pytest.mark.parametrize("name", MODELS)
def test_equals_the_reference(name: str) -> None:
    proto, x = MODELS[name](), example(name)
    for got, want in zip(sol.load(proto, threads=1).run([x]), expected(proto, x), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_open_sizes_are_compiled_once() -> None:
    session = sol.load(MODELS["shapes"]())
    assert session.inputs[0].shape == ("batch", 12)
    for batch in (4, 7, 1, 5):
        x = np.arange(batch * 12, dtype=np.float32).reshape(batch, 12)
        np.testing.assert_array_equal(session(x), expected(MODELS["shapes"](), x)[0])
    assert len(session._programs) == 2  # one for all sizes, one for the size 1


def compiled_for(proto: onnx.ModelProto, shapes: list[tuple], dtype: type = np.float32) -> int:
    """How many programs calls of these shapes need; each gives what onnx's reference does."""
    session = sol.load(proto, threads=1)
    for shape in [*shapes, *shapes]:
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        np.testing.assert_allclose(session(x), expected(proto, x)[0], rtol=1e-5, atol=1e-5)
    return len(session._programs)


def test_a_batch_of_one_leaves_other_sizes_open() -> None:
    proto = model([node("Relu", ["x"], ["y"])], {"x": ["batch", "length", 3]}, ["y"])
    assert compiled_for(proto, [(1, 5, 3), (1, 9, 3), (1, 2, 3), (4, 5, 3), (2, 7, 3), (1, 1, 3), (3, 1, 3)]) == 4


def test_a_table_cut_by_an_open_size_is_one_program() -> None:
    """Positions of a transformer: ``table[:, :length]`` for any length that the table has."""
    table = np.arange(16, dtype=np.float32)[None]
    nodes = [
        node("Shape", ["x"], ["s"], start=1), node("Slice", ["table", "zero", "s", "one"], ["p"]), node("Add", ["x", "p"], ["y"]),
    ]  # fmt: skip
    constants = {"table": table, "zero": np.array([0]), "one": np.array([1])}
    proto = model(nodes, {"x": ["batch", "length"]}, ["y"], constants)
    assert compiled_for(proto, [(2, 5), (3, 16), (2, 2), (4, 9)]) == 1
    session = sol.load(proto)
    with pytest.raises(SolError):
        session(np.zeros((2, 17), np.float32))  # longer than the table
    assert session(np.zeros((2, 16), np.float32)).shape == (2, 16)


def test_a_cut_that_depends_on_a_size_is_a_program_per_range() -> None:
    constants = {"zero": np.array([0]), "end": np.array([6]), "one": np.array([1])}
    proto = model([node("Slice", ["x", "zero", "end", "one"], ["y"])], {"x": ["batch", "length"]}, ["y"], constants)
    assert compiled_for(proto, [(2, 3), (2, 6), (2, 7), (2, 30), (3, 4)]) == 2
    half = [node("Shape", ["x"], ["s"], start=1), node("Div", ["s", "two"], ["h"]), node("Slice", ["x", "zero", "h", "one"], ["a"]),
            node("Slice", ["a", "zero", "end", "one"], ["y"])]  # fmt: skip
    proto = model(half, {"x": ["batch", "length"]}, ["y"], {**constants, "two": np.array([2])})
    assert compiled_for(proto, [(2, 4), (2, 12), (2, 13), (2, 14), (2, 40)]) == 2


def test_open_sizes_that_a_split_states_or_shares_out() -> None:
    session = sol.load(model([node("Split", ["x", "n"], ["y", "z"])], {"x": ["n", 2]}, ["y", "z"], {"n": np.array([3, 6])}, opset=18))
    x = weights(9, 2)
    for part, want in zip(session(x), (x[:3], x[3:])):
        np.testing.assert_array_equal(part, want)
    with pytest.raises(ModelError, match=r"lengths \[3, 6\] do not fit 2 outputs of size 8"):
        session(weights(8, 2))
    session = sol.load(model([node("Split", ["x"], ["a", "b", "c", "d"], num_outputs=4)], {"x": ["n", 2]}, ["a", "b", "c", "d"], opset=18))
    for size, want in ((1, [1, 0, 0, 0]), (5, [2, 2, 1, 0]), (6, [2, 2, 2, 0]), (7, [2, 2, 2, 1]), (103, [26, 26, 26, 25])):
        assert [len(part) for part in session(weights(size, 2))] == want


def test_only_the_size_that_must_be_known_is_fixed() -> None:
    """A table that is repeated as often as the batch is large; the length stays open."""
    nodes = [
        node("Shape", ["x"], ["n"], start=0, end=1), node("SequenceEmpty", [], ["e"]), node("Squeeze", ["n"], ["m"]),
        node("OneHot", ["i", "m", "v"], ["o"]), node("ReduceSum", ["o"], ["t"], keepdims=0), node("Mul", ["x", "t"], ["y"]),
    ]  # fmt: skip
    constants = {"i": np.array([1, 0]), "v": np.array([0, 2], np.float32)}
    proto = model([n for n in nodes if n.op_type != "SequenceEmpty"], {"x": ["batch", "length"]}, ["y"], constants)
    assert compiled_for(proto, [(2, 3), (2, 9), (2, 4)]) == 1


def test_the_least_recently_used_program_is_dropped() -> None:
    proto = model([node("Reshape", ["x", "s"], ["y"])], {"x": [2, 6]}, ["y"])
    proto.graph.input.append(onnx.helper.make_tensor_value_info("s", onnx.TensorProto.INT64, [2]))
    session, x = sol.load(proto), weights(2, 6)
    with sol.config.override(recompile_limit=2):
        session(x, np.array([3, 4]))
        first = session._programs[0]
        session(x, np.array([4, 3]))
        session(x, np.array([3, 4]))
        session(x, np.array([1, 12]))
        assert first in session._programs and len(session._programs) == 2


def test_a_shape_from_an_input_is_compiled_for() -> None:
    proto = model([node("Reshape", ["x", "s"], ["y"])], {"x": [2, 6]}, ["y"])
    proto.graph.input.append(onnx.helper.make_tensor_value_info("s", onnx.TensorProto.INT64, [2]))
    session = sol.load(proto)
    x = weights(2, 6)
    for shape in ([3, 4], [-1, 2], [3, 4]):
        assert session(x, np.array(shape)).shape == x.reshape(shape).shape
    assert len(session._programs) == 2
    with pytest.raises(InputError, match=r"\[2,6\] has 12 elements, \[5,4\] has 20(.|\n)*remedy: shapes follow from the content of s"):
        session(x, np.array([5, 4]))


def test_tensors_and_names_are_taken() -> None:
    session = sol.load(MODELS["perceptron"]())
    x = example("perceptron")
    want = session(x)
    np.testing.assert_array_equal(session(torch.from_numpy(x).requires_grad_()), want)
    np.testing.assert_array_equal(session(x=x), want)
    np.testing.assert_array_equal(session(np.asfortranarray(x)), want)
    assert session.run({"x": x})[0].shape == want.shape


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([np.zeros((2, 8))], "input x is float64, the model takes float32"),
        ([np.zeros((2, 9), np.float32)], r"input x has shape \[2, 9\], the model takes \[2, 8\]"),
        ([np.zeros((2, 8), np.float32)] * 2, "2 inputs are given, the model takes 1: x"),
        ([], "input x is not given"),
        ({"z": 1}, "input x is not given"),
    ],
)
def test_inputs_that_do_not_fit(inputs: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sol.load(MODELS["perceptron"]()).run(inputs)


def test_unknown_operators_are_named() -> None:
    proto = model([node("Relu", ["x"], ["y"])], {"x": [2]}, ["y"])
    proto.graph.node[0].domain = "com.example"
    proto.opset_import.add(domain="com.example", version=3)
    with pytest.raises(UnsupportedError, match=r"com.example.Relu \(opset 3\) is not supported") as caught:
        sol.load(proto)
    assert caught.value.origin == "Relu_y"


def test_needs_no_torch() -> None:
    code = """
import sys, numpy as np, sol
sys.modules["torch"] = None
from tests.frontend.onnx.models import MODELS, example
print(sol.load(MODELS["perceptron"](), threads=2)(example("perceptron")).sum())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(2.0, abs=1e-5)


def test_optimize_gives_a_module(tmp_path) -> None:
    path = tmp_path / "perceptron.onnx"
    onnx.save(MODELS["perceptron"](), path)
    x = example("perceptron")
    (want,) = expected(MODELS["perceptron"](), x)
    module = sol.optimize(path)
    assert set(dict(module.named_parameters())) == {"w", "b"}
    np.testing.assert_allclose(module(torch.from_numpy(x)).numpy(), want, rtol=1e-5)
    copied = pickle.loads(pickle.dumps(module))
    with torch.no_grad():
        module.b.add_(1.0)
        module.w.zero_()
    np.testing.assert_allclose(module(x=torch.from_numpy(x)).numpy().sum(1), 1.0, rtol=1e-5)
    assert not np.allclose(module(torch.from_numpy(x)).numpy(), want)
    np.testing.assert_allclose(copied(torch.from_numpy(x)).numpy(), want, rtol=1e-5)
    with pytest.raises(InputError, match="the model takes x"):
        module()


def test_the_backend_runs_nodes() -> None:
    import sol.onnx_backend as backend

    x = weights(3, 4)
    (y,) = backend.run_node(node("Abs", ["x"], ["y"]), [x])
    np.testing.assert_array_equal(y, np.abs(x))
    assert backend.supports_device("CPU") and not backend.supports_device("CUDA:0")


def test_equal_columns_of_a_product_are_equal() -> None:
    """Whichever panel of the weight they lie in: sums are taken in one order."""
    w = np.repeat(weights(40, 1) * 1e6, 40, axis=1)
    proto = model([node("MatMul", ["x", "w"], ["y"])], {"x": [1, 40]}, ["y"], {"w": w})
    (row,) = sol.load(proto, threads=1)(weights(1, 40))
    assert len(np.unique(row)) == 1
