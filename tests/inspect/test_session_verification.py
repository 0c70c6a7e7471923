"""sol.explain, sol.profile and sol.verify of what sol.load gives: which side is off, and where it begins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import sol  # noqa: E402
from sol.frontend.onnx import registry  # noqa: E402
from sol.inspect import onnx_peer, session_verification  # noqa: E402
from sol.inspect.checks import OutputCheck, judged  # noqa: E402
from sol.inspect.session_checks import profile_session  # noqa: E402
from sol.inspect.session_verification import verify_session  # noqa: E402
from tests.cli.models import convolutions  # noqa: E402
from tests.runtime.wrong_weights import plant  # noqa: E402


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return convolutions(tmp_path_factory.mktemp("model") / "net.onnx", batch="batch")


@pytest.fixture
def image() -> np.ndarray:
    return np.random.default_rng(1).random((2, 3, 9, 9), dtype=np.float32)


def test_public_functions_take_sessions(model, image):
    session = sol.load(str(model))
    found = sol.explain(session, [image])
    assert found.title == "small" and found.launches >= len(found.regions) >= 3 and found.torch == ()
    assert sum(r.flops for r in found.regions) > 2 * 2 * 40 * 40 * 9 * 81
    assert sol.profile(session, {"image": image}, runs=2).seconds > 0
    assert sol.verify(session, image).passed


def test_profile_of_an_open_size(model, image):
    found = profile_session(sol.load(str(model)), [image], runs=2)
    assert found.rows and found.roofline is not None and found.total().flops > 0


def test_wrong_code_is_found(model, image, monkeypatch):
    plant(monkeypatch, lambda array: array.size == 40 * 40 * 9)
    found = verify_session(sol.load(str(model)), [image], peer=False)
    assert not found.passed and "= conv at second" in found.culprit, found.culprit


def test_wrong_import_is_found(model, image, monkeypatch):
    pytest.importorskip("onnxruntime")
    find = registry.find_converter

    def wrong(domain, name, opset):
        return find(domain, "Tanh" if name == "Relu" else name, opset)

    monkeypatch.setattr("sol.frontend.onnx.importer.find_converter", wrong)
    found = verify_session(sol.load(str(model)), [image])
    assert not found.passed and "clip = Relu" in found.culprit, found.culprit
    assert found.outputs[0].sol_against_float64 < 1e-5 < found.outputs[0].sol_against_peer


def test_without_onnxruntime(model, image, monkeypatch):
    monkeypatch.setattr(onnx_peer.importlib.util, "find_spec", lambda name: None)
    found = verify_session(sol.load(str(model)), [image])
    assert found.passed and found.peer == "" and "pip install onnxruntime" in str(found)


# -- which side is off -------------------------------------------------------------------------------------------------


@pytest.fixture
def disturbed(monkeypatch: pytest.MonkeyPatch):
    """onnxruntime's fused results are 1 % off, as if by its own rounding."""
    pytest.importorskip("onnxruntime")
    plain = onnx_peer.run_model

    def run(proto, feed, notes, *, fused=True):
        found = plain(proto, feed, notes, fused=fused)
        return [a * np.float32(1.01) for a in found] if fused and found is not None else found

    monkeypatch.setattr("sol.inspect.session_verification.run_model", run)


def test_a_peer_that_is_off_is_no_alarm(model, image, disturbed):
    found = verify_session(sol.load(str(model)), [image])
    assert found.passed and found.culprit == "" and found.outputs[0].off == "onnxruntime", str(found)
    assert "onnxruntime is off" in str(found) and "without its fusions" in str(found)


def test_wrong_code_beside_a_peer_that_is_off(model, image, disturbed, monkeypatch):
    plant(monkeypatch, lambda array: array.size == 40 * 40 * 9)
    found = verify_session(sol.load(str(model)), [image])
    assert not found.passed and found.outputs[0].off == "sol" and "= conv at second" in found.culprit, str(found)


def quantized(path: Path, *, float_result: bool) -> Path:
    """x [1, 64] → quantized, times weights, quantized; the input's scale is no power of two, so that ties are decided by rounding."""
    r = np.random.default_rng(0)
    weights = {
        "w": r.integers(-120, 120, (64, 32)).astype(np.int8), "s": np.array(0.1, np.float32), "z": np.array(128, np.uint8),
        "sw": np.array(0.007, np.float32), "zw": np.array(0, np.int8), "sy": np.array(0.4, np.float32),
    }  # fmt: skip
    steps = [
        ("QuantizeLinear", "x s z", "q"), ("DequantizeLinear", "q s z", "d"), ("DequantizeLinear", "w sw zw", "wd"),
        ("MatMul", "d wd", "m"), ("QuantizeLinear", "m sy z", "u"), ("DequantizeLinear", "u sy z", "v"), ("Relu", "v", "y"),
    ]  # fmt: skip
    nodes = [helper.make_node(op, given.split(), [made], name=f"n_{made}") for op, given, made in steps[: None if float_result else 5]]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64])
    y = helper.make_tensor_value_info(*(("y", TensorProto.FLOAT, [1, 32]) if float_result else ("u", TensorProto.UINT8, [1, 32])))
    graph = helper.make_graph(nodes, "quantized", [x], [y], [numpy_helper.from_array(a, n) for n, a in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    return path


@pytest.mark.parametrize("float_result", [True, False])
def test_quantized_networks_are_judged_in_steps(tmp_path, float_result, monkeypatch):
    pytest.importorskip("onnxruntime")
    session = sol.load(str(quantized(tmp_path / "q.onnx", float_result=float_result)))
    ties = ((np.arange(64) - 32.5) * np.float32(0.1)).astype(np.float32).reshape(1, 64)  # float64 rounds some of them the other way
    found = verify_session(session, [ties])
    (check,) = found.outputs
    assert found.passed and check.step is not None and "quantization steps" in str(found), str(found)
    assert check.sol_against_float64 > 1e-4, "no tie was decided by rounding: the test shows nothing"
    plain = session_verification.evaluate

    def wrong(*arguments, **options):  # as if the compiled code were five steps off
        return {v: a + 5 * (check.step if float_result else 1) * np.abs(a).max() for v, a in plain(*arguments, **options).items()}

    monkeypatch.setattr(session_verification, "evaluate", wrong)
    assert session_verification._Verifier(session, {"x": ties}, 1e-4).verify(False, True).outputs[0].off == "sol"


def test_a_misread_node_needs_a_second_opinion(tmp_path, monkeypatch):
    """Where onnxruntime and sol differ on a node, the onnx package decides."""
    pytest.importorskip("onnxruntime")
    node = helper.make_node("Relu", ["x"], ["y"], name="clip")
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in "xy"]
    proto = helper.make_model(helper.make_graph([node], "g", ends[:1], ends[1:]), opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    x = np.array([-1.0, 2.0, 3.0], np.float32)
    values, outputs = onnx_peer.values_of_all(proto, {"x": x})
    assert outputs is not None and values["y"].tolist() == [0, 2, 3]
    assert onnx_peer.first_misread(proto, values, 1e-4) is None
    assert onnx_peer.first_misread(proto, {**values, "y": x}, 1e-4) is None  # the specification says what sol says
    find = registry.find_converter
    monkeypatch.setattr("sol.frontend.onnx.importer.find_converter", lambda d, name, o: find(d, "Tanh" if name == "Relu" else name, o))
    found = onnx_peer.first_misread(proto, values, 1e-4)
    assert found is not None and found.node == "clip" and "import of this node is wrong" in str(found)


@pytest.mark.parametrize(
    ("ours", "theirs", "apart", "step", "rounding", "off"),
    [
        (1e-7, 1e-7, 1e-7, None, 0.0, ""),  # all agree
        (1e-2, 1e-2, 1e-2, None, 0.0, ""),  # both miss float64 by as much
        (1e-2, 1e-7, 1e-2, None, 0.0, "sol"),
        (1e-2, None, None, None, 0.0, "sol"),
        (1e-2, 1e-7, 1e-2, None, 5e-3, ""),  # what float32 makes of it, on any machine
        (1e-2, 1e-7, 1e-2, 1e-2, 0.0, ""),  # one quantization step
        (2.1e-2, 1e-7, 2.1e-2, 1e-2, 0.0, "sol"),
        (1e-7, 3e-2, 3e-2, 1e-2, 0.0, "peer"),
        (1e-7, 3e-2, 3e-2, None, 1e-2, ""),
        (None, None, 1e-2, None, None, "unknown"),
        (None, None, 1e-6, None, None, ""),
        (np.inf, np.inf, np.inf, None, 0.0, "sol"),  # NaN in three different places
        (np.inf, np.inf, 1e-7, None, 0.0, ""),  # both overflow alike
    ],
)
def test_the_side_that_is_off(ours, theirs, apart, step, rounding, off):
    found = judged(OutputCheck("y", apart, ours, theirs, step), 1e-4, "peer", lambda: rounding)
    assert found.off == off and found.fails == (off in ("sol", "unknown"))
