"""The benchmark measures what it says, in processes of their own, goes on where it stopped, and survives what is missing."""

from __future__ import annotations

import json

import pytest
import torch

from benchmarks import inference
from benchmarks.families import family_of
from benchmarks.networks import build
from benchmarks.results import Case, Results, means_text, ratios, row_text

TINY = "tests.benchmarks.small:tiny"


@pytest.mark.parametrize(
    ("name", "family"),
    [("vgg16_bn", "VGG"), ("timm:resnet26t", "ResNet-50/101/152"), ("resnet34", "ResNet-18/34"), ("wide_resnet50", "Wide ResNet"),
     ("resnext50", "ResNeXt"), ("torchvision:efficientnet_b0@256", "EfficientNet"), ("a.b:mine", "other"), ("bert_torch", "transformer")],
)  # fmt: skip
def test_family(name, family):
    assert family_of(name) == family


def test_networks_are_found_by_any_name():
    model, inputs = build(TINY)
    assert not model.training and inputs(3)[0].shape == (3, 8)
    assert build("linreg")[1](2)[0].shape == (2, 784)
    assert build("torchvision:squeezenet1_1@64")[1](1)[0].shape == (1, 3, 64, 64)
    first, again = build(TINY)[0], build(TINY)[0]
    assert torch.equal(first[0].weight, again[0].weight)


def measured(ms: float, **extra: object) -> dict:
    return {"median_ms": ms, "min_ms": ms / 2, "calls": 9, "setup_s": 1.0, "peak_mb": 9.0, "run_peak_mb": 8.0, "error": 0.0, **extra}


def test_ratios_are_those_of_medians_over_rounds_against_the_best_peer(tmp_path):
    results = Results(tmp_path / "out.json")
    case, other = Case("vgg11", 1, 2), Case("resnet18", 1, 2)
    for ms in (1.0, 5.0, 2.0):
        results.add(case, "sol", measured(ms))
        results.add(case, "openvino", measured(ms * 2))
        results.add(case, "eager", measured(ms * 9))
    results.add(other, "sol", measured(1.0))
    results.add(other, "openvino", {"failed": "no such op"})
    assert ratios(results) == {case: 2.0}
    again = Results.load(results.path)
    assert again.rounds == results.rounds
    assert again.missing(case, "sol", 4) == 1 and again.missing(other, "openvino", 4) == 0
    again.forget_failures()
    assert again.missing(other, "openvino", 4) == 4
    text = means_text(results)
    assert "VGG" in text and "2.00   (1, lowest 2.00)" in text and "against eager" in text
    assert "ratio 2.00" in row_text(case, results.rounds[case]) and "FAILED (no such op)" in row_text(other, results.rounds[other])


def test_measures_and_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(inference.ROOT)
    path = tmp_path / "out.json"
    line = [TINY, "--engines", "sol,eager", "--rounds", "1", "--seconds", "0.02", "--threads", "1", "--float64", "--json", str(path)]
    assert inference.main(line) == 0
    (row,) = json.loads(path.read_text())["results"]
    assert row["network"] == TINY and row["summary"]["sol"]["ratio"] > 0
    for engine in ("sol", "eager"):
        (round_,) = row["engines"][engine]
        assert round_["median_ms"] >= round_["min_ms"] > 0 and round_["run_peak_mb"] > 1 and round_["error64"] < 1e-5
    monkeypatch.setattr(inference, "in_process", lambda *a, **k: pytest.fail("measured twice"))
    assert inference.main(line) == 0
    assert "ratio" in capsys.readouterr().out


def test_what_is_missing_is_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(inference, "version_of", lambda name: None if name == "openvino" else "1")
    monkeypatch.setattr(inference, "in_process", lambda *a, **k: {"failed": "no such network"})
    assert inference.main(["nothing", "--engines", "sol,openvino", "--json", str(tmp_path / "x.json")]) == 1
    printed = capsys.readouterr()
    assert "openvino is not installed" in printed.err and "no such network" in printed.out


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    from benchmarks.results import plot

    results = Results()
    for name, ms in (("vgg11", 1.0), ("resnet18", 3.0)):
        results.add(Case(name, 1, 2), "sol", measured(ms))
        results.add(Case(name, 1, 2), "openvino", measured(4.0))
    plot(results, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000
