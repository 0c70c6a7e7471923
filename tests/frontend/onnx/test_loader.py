"""Files that are damaged or written by an attacker: each gets one clear ModelError before anything is allocated or read."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

import sol
from sol.errors import ModelError, SolError
from sol.frontend.onnx import load_model
from sol.frontend.onnx.wire import LARGE, take_apart
from tests.frontend.onnx.models import MODELS, example, model, node, weights


def with_large_weight() -> ModelProto:
    return model([node("MatMul", ["x", "w"], ["y"])], {"x": [2, 100]}, ["y"], {"w": weights(100, 100)})


def external(folder: Path, **entries: str) -> Path:
    """A model whose weight lies in ``w.bin`` beside it, with other entries than the right ones."""
    proto = with_large_weight()
    tensor = proto.graph.initializer[0]
    (folder / "w.bin").write_bytes(b"12345678" + tensor.raw_data)
    right = {"location": "w.bin", "offset": "8", "length": str(len(tensor.raw_data))}
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {**right, **entries}.items():
        if value:
            tensor.external_data.add(key=key, value=value)
    path = folder / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def test_weights_are_mapped_and_external_ones_found(tmp_path: Path) -> None:
    x = weights(2, 100)
    (tmp_path / "inline.onnx").write_bytes(with_large_weight().SerializeToString())
    want = x @ weights(100, 100)
    loaded = load_model(tmp_path / "inline.onnx")
    assert not loaded.array(loaded.graph.initializer[0]).flags.owndata and not loaded.graph.initializer[0].raw_data
    for path in (tmp_path / "inline.onnx", external(tmp_path)):
        np.testing.assert_allclose(sol.load(path)(x), want, rtol=1e-4, atol=1e-4)


ESCAPES = ("/etc/passwd", "../w.bin", "sub/../../w.bin", "C:\\w.bin", "", "..", "link", "linked/w.bin", "pipe", "none")


@pytest.mark.parametrize("location", ESCAPES)
def test_external_data_stays_in_the_folder(tmp_path: Path, location: str) -> None:
    inside = tmp_path / "model"
    inside.mkdir()
    (tmp_path / "w.bin").write_bytes(bytes(80000))
    (inside / "link").symlink_to(tmp_path / "w.bin")
    (inside / "linked").symlink_to(tmp_path)
    os.mkfifo(inside / "pipe")
    path = external(inside, location=location)
    with pytest.raises(ModelError, match="outside of the model's folder|cannot be read|no regular file"):
        sol.load(path)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"offset": "16"}, "lies at bytes 16 to 40016 of w.bin, which has 40008"),
        ({"offset": "-8"}, "has the offset '-8'"),
        ({"offset": "9" * 30}, "has the offset"),
        ({"length": "400000"}, "has 400000 bytes of external data, its type and shape need 40000"),
    ],
)
def test_external_lengths(tmp_path: Path, entries: dict[str, str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        sol.load(external(tmp_path, **entries))


def test_external_data_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="was not loaded from a folder"):
        sol.load(external(tmp_path).read_bytes())


def no_input(m: ModelProto) -> None:
    m.graph.node[0].input[0] = "nowhere"


def cycle(m: ModelProto) -> None:
    m.graph.node[0].input[0] = m.graph.node[-1].output[0]


def huge(m: ModelProto) -> None:
    m.graph.initializer[0].dims[0] = 2**40


def negative(m: ModelProto) -> None:
    m.graph.initializer[0].dims[0] = -5


def other_type(m: ModelProto) -> None:
    m.graph.initializer[0].data_type = TensorProto.DOUBLE


def no_type(m: ModelProto) -> None:
    m.graph.initializer[0].data_type = 99


def no_initializer(m: ModelProto) -> None:
    del m.graph.initializer[0]


def twice(m: ModelProto) -> None:
    m.graph.initializer.append(m.graph.initializer[0])


def no_graph(m: ModelProto) -> None:
    m.ClearField("graph")


CHANGES = (no_input, cycle, huge, negative, other_type, no_type, no_initializer, twice, no_graph)


@pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)
def test_models_that_contradict_themselves(change) -> None:
    proto = MODELS["perceptron"]()
    change(proto)
    with pytest.raises(SolError) as caught:
        sol.load(proto)
    assert caught.value.remedy


def test_names_that_are_no_text() -> None:
    """protobuf gives them as bytes or not at all."""
    proto = MODELS["perceptron"]()
    proto.graph.name = "perceptron"
    data = proto.SerializeToString()
    with pytest.raises(ModelError, match="no text"):
        sol.load(data.replace(b"perceptron", b"percept\xafon"))
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "lines"
    assert sol.load(proto.SerializeToString().replace(b"lines", b"lin\xafs")).inputs[0].dtype == np.float32


def test_every_truncation_is_an_error() -> None:
    data = with_large_weight().SerializeToString()
    assert len(data) > 2 * LARGE
    for length in (0, 1, 10, LARGE, len(data) // 2, len(data) - 1):
        with pytest.raises(ModelError):
            sol.load(data[:length])


def test_no_model_at_all(tmp_path: Path) -> None:
    for source in (tmp_path, tmp_path / "missing.onnx", 3, b"", b"\0" * 100, b"hello world"):
        with pytest.raises(ModelError):
            sol.load(source)


def test_taking_apart_keeps_everything() -> None:
    proto = with_large_weight()
    data = proto.SerializeToString()
    skeleton = take_apart(memoryview(data))
    ((position, (offset, length)),) = skeleton.payloads.items()
    assert position == 0 and data[offset : offset + length] == proto.graph.initializer[0].raw_data
    proto.graph.initializer[0].ClearField("raw_data")
    assert ModelProto.FromString(skeleton.data) == proto


def functions(count: int, calls: int) -> ModelProto:
    """Function i calls function i+1 ``calls`` times; the last one is an identity."""
    made = []
    for i in range(count):
        inner = [helper.make_node(f"f{i + 1}" if i + 1 < count else "Identity", ["a"], [f"b{k}"], domain="d" if i + 1 < count else "")
                 for k in range(calls)]  # fmt: skip
        imports = [helper.make_opsetid("", 18), helper.make_opsetid("d", 1)]
        made.append(helper.make_function("d", f"f{i}", ["a"], ["b0"], inner, imports))
    call = helper.make_node("f0", ["x"], ["y"], domain="d")
    graph = helper.make_graph([call], "g", [helper.make_tensor_value_info("x", 1, [2])], [helper.make_tensor_value_info("y", 1, [2])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("d", 1)], functions=made)


def test_functions_are_inlined() -> None:
    np.testing.assert_array_equal(sol.load(functions(3, 2))(np.ones(2, np.float32)), np.ones(2))


def test_functions_that_explode_or_call_themselves() -> None:
    with pytest.raises(ModelError, match="nodes once its functions are inlined"):
        sol.load(functions(60, 2))
    proto = functions(2, 1)
    proto.functions[1].node[0].domain, proto.functions[1].node[0].op_type = "d", "f0"
    with pytest.raises(ModelError, match="calls itself"):
        sol.load(proto)


@pytest.mark.parametrize("shape", [[2**40], [2**20, 2**20], [-3]])
def test_sizes_that_no_machine_holds(shape: list[int]) -> None:
    proto = model([node("ConstantOfShape", ["s"], ["c"]), node("Add", ["c", "x"], ["y"])], {"x": [1]}, ["y"], {"s": np.array(shape)})
    with pytest.raises(SolError):
        sol.load(proto)(np.ones(1, np.float32))


def test_an_initializer_may_be_listed_as_input() -> None:
    proto = MODELS["perceptron"]()
    proto.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, [5, 8]))
    session = sol.load(onnx.ModelProto.FromString(proto.SerializeToString()))
    assert [i.name for i in session.inputs] == ["x"]
    assert session(example("perceptron")).shape == (2, 5)
