"""sol.explain, sol.profile and sol.verify of what sol.load gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

import sol  # noqa: E402
from sol.codegen import packing  # noqa: E402
from sol.frontend.onnx import registry  # noqa: E402
from sol.runtime.session_checks import profile_session, verify_session  # noqa: E402
from tests.cli.models import convolutions  # noqa: E402


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
    def wrong(packer):
        return lambda array, **attrs: packer(array, **attrs) * (1.5 if array.size == 40 * 40 * 9 else 1)

    monkeypatch.setattr(packing, "PACKERS", {k: wrong(p) for k, p in packing.PACKERS.items()})
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
    from sol.runtime import session_checks

    monkeypatch.setattr(session_checks.importlib.util, "find_spec", lambda name: None)
    found = verify_session(sol.load(str(model)), [image])
    assert found.passed and found.peer == "" and "pip install onnxruntime" in str(found)
