"""The program from outside: what it prints, writes and returns."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import sol
from sol import cli
from sol.codegen.targets import resolve, with_matrix_tiles
from sol.commands.failures import BAD_MODEL, ENVIRONMENT, FAILED, INTERRUPTED, NOT_COMPARED, OK, UNSUPPORTED, USAGE
from sol.tuning import tile_pace
from tests.cli import models


def call(capsys, *arguments: object) -> tuple[int, str, str]:
    code = cli.run([str(a) for a in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_version_and_help(capsys):
    assert call(capsys, "--version")[1] == f"sol {sol.__version__}\n"
    code, out, _ = call(capsys, "--help")
    assert code == OK and "Exit codes: 0 success" in out
    for command in ("compile", "run", "bench", "verify", "inspect", "tune", "cache", "devices", "completion"):
        assert command in out
        assert call(capsys, command, "--help")[0] == OK


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(capsys, shell):
    code, out, _ = call(capsys, "completion", shell)
    assert code == OK and "_SOL_COMPLETE" in out


def test_run_without_torch(folder, tmp_path):
    """In a process of its own: an ONNX model needs no torch."""
    out = tmp_path / "y.npz"
    program = "import sys; from sol.cli import run; code = run(sys.argv[1:]); assert 'torch' not in sys.modules; sys.exit(code)"
    line = [sys.executable, "-c", program, "run", str(folder / "net.onnx"), "-o", str(out)]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == OK, done.stderr
    assert "in   image: float32[1, 3, 9, 9]" in done.stdout and "out  scores: float32[1, 5]" in done.stdout
    assert done.stderr == ""  # quiet in a pipe
    assert np.load(out)["scores"].shape == (1, 5)


def test_run_reads_inputs_and_writes_outputs(capsys, folder, tmp_path):
    image = np.random.default_rng(3).random((2, 3, 9, 9), dtype=np.float32)
    np.save(tmp_path / "x.npy", image)
    np.savez(tmp_path / "x.npz", image=image)
    results = []
    for given in (tmp_path / "x.npy", f"image={tmp_path / 'x.npy'}", tmp_path / "x.npz"):
        code, out, _ = call(capsys, "run", folder / "open.onnx", "-i", given, "-o", tmp_path / "y.npy")
        assert code == OK and "scores: float32[2, 5]" in out
        results.append(np.load(tmp_path / "y.npy"))
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])
    assert np.allclose(results[0], sol.load(str(folder / "open.onnx"))(image))


def test_open_sizes(capsys, folder):
    assert "image: float32[1, 3, 9, 9]" in call(capsys, "run", folder / "open.onnx")[1]
    assert "scores: float32[4, 5]" in call(capsys, "run", folder / "open.onnx", "--shape", "image=4,3,9,9")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run", "{f}/none.onnx"], USAGE, "does not exist"),
        (["run", "{f}/net.onnx", "--input", "{f}/none.npy"], USAGE, "no file"),
        (["run", "{f}/net.onnx", "--input", "{f}/net.onnx"], USAGE, "no array of numpy"),
        (["run", "{f}/net.onnx", "--shape", "image"], USAGE, "is no shape"),
        (["run", "{f}/net.onnx", "--shape", "other=1"], USAGE, "image"),
        (["run", "{f}/net.onnx", "-o", "{f}/y.txt"], USAGE, ".npz"),
        (["run", "{f}/net.onnx", "--time-budget", "soon"], USAGE, "duration"),
        (["nonsense"], USAGE, "No such command"),
        (["run", "{f}/broken.onnx"], BAD_MODEL, "truncated"),
        (["verify", "{f}/broken.onnx"], BAD_MODEL, ""),
        (["compile", "{f}/broken.onnx", "-o", "{f}/out"], BAD_MODEL, ""),
        (["run", "{f}/unknown.onnx"], UNSUPPORTED, "Mystery"),
        (["compile", "{f}/unknown.onnx", "-o", "{f}/out"], UNSUPPORTED, "Mystery"),
        (["compile", "{f}/net.onnx", "-o", "{f}/out", "--verify", "--target", "source"], USAGE, "--verify"),
        (["bench", "{f}/net.onnx", "--against", "magic"], USAGE, "magic"),
    ],
)
def test_failures_have_codes(capsys, folder, arguments, code, words):
    found, _, err = call(capsys, *(a.format(f=folder) for a in arguments))
    assert (found, words in err) == (code, True), err
    assert "Traceback" not in err


def test_a_missing_compiler(capsys, folder, monkeypatch):
    with sol.config.override(compiler="no-such-compiler"):
        code, _, err = call(capsys, "run", folder / "net.onnx")
    assert code == ENVIRONMENT and "no-such-compiler" in err


def test_a_missing_package(capsys, folder, monkeypatch):
    from sol.commands import models as files

    monkeypatch.setattr(files.importlib.util, "find_spec", lambda name: None)
    code, _, err = call(capsys, "run", folder / "net.onnx")
    assert code == ENVIRONMENT and 'pip install "sol[onnx]"' in err


def test_interrupts_and_defects(capsys, folder, monkeypatch):
    def interrupted(*a: object, **k: object) -> None:
        raise KeyboardInterrupt

    def broken(*a: object, **k: object) -> None:
        raise RuntimeError("a defect")

    from sol.commands import run

    monkeypatch.setattr(run, "open_model", interrupted)
    assert call(capsys, "run", folder / "net.onnx")[0] == INTERRUPTED
    monkeypatch.setattr(run, "open_model", broken)
    code, _, err = call(capsys, "run", folder / "net.onnx")
    assert code == FAILED and "a defect" in err and "please report" in err


def test_verify(capsys, folder, tmp_path):
    code, out, _ = call(capsys, "verify", folder / "net.onnx", "--json", tmp_path / "v.json")
    assert code == OK and out.startswith("passed") and "sol vs float64" in out
    found = json.loads((tmp_path / "v.json").read_text())
    assert found["passed"] and found["outputs"][0]["sol_against_float64"] < 1e-5
    code, out, _ = call(capsys, "verify", folder / "net.onnx", "--no-peer")
    assert code == OK and "onnxruntime" not in out


def test_verify_fails_where_the_code_is_wrong(capsys, folder, monkeypatch):
    from tests.runtime.wrong_weights import plant

    plant(monkeypatch, lambda array: array.size == 40 * 40 * 9)
    code, out, _ = call(capsys, "verify", folder / "net.onnx")
    assert code == FAILED and "FAILED" in out and "second" in out, out


def test_inspect(capsys, folder, tmp_path):
    code, out, _ = call(capsys, "inspect", folder / "net.onnx", "--json", tmp_path / "i.json", "--html", tmp_path / "i.html")
    assert code == OK and "2 Conv" in out and "memory: arena" in out and "GFLOP/s" in out and "written to" in out
    found = json.loads((tmp_path / "i.json").read_text())
    assert found["operators"]["Conv"] == 2 and found["parts"][0]["launches"] and found["profile"]["seconds"] > 0
    assert (tmp_path / "i.html").read_text().startswith("<!DOCTYPE html>")
    code, out, _ = call(capsys, "inspect", folder / "net.onnx", "--no-profile")
    assert code == OK and "µs" not in out
    code, out, _ = call(capsys, "inspect", folder / "net.onnx", "--no-profile", "--alternatives", "--json", tmp_path / "a.json")
    regions = json.loads((tmp_path / "a.json").read_text())["regions"]
    assert code == OK and out.count("      * ") == sum(any(w["taken"] for w in r["alternatives"]) for r in regions) > 0


def test_bench(capsys, folder, tmp_path):
    line = ["bench", folder / "net.onnx", "--rounds", "1", "--seconds", "0.02", "--against", "torch", "--threads", "1"]
    code, out, _ = call(capsys, *line, "--json", tmp_path / "b.json")
    assert code == OK and out.split("\n")[0].split()[:3] == ["engine", "median", "ms"] and "torch cannot run ONNX" in out
    found = json.loads((tmp_path / "b.json").read_text())
    assert found["engines"]["sol"]["median_ms"] > 0 and found["machine"]["cpus"] >= 1 and found["threads"] == 1


def test_bench_against_onnxruntime(capsys, folder, tmp_path):
    pytest.importorskip("onnxruntime")
    line = ["bench", folder / "open.onnx", "--rounds", "1", "--seconds", "0.02", "--against", "ort", "--shape", "image=2,3,9,9"]
    code, _, _ = call(capsys, *line, "--json", tmp_path / "b.json")
    assert code == OK and json.loads((tmp_path / "b.json").read_text())["engines"]["onnxruntime"]["difference"] < 1e-5


def test_compile_and_verify(capsys, folder, tmp_path):
    line = ["compile", folder / "net.onnx", "-o", tmp_path, "--lib-name", "Tiny", "--func-name", "classify", "--verify"]
    code, out, err = call(capsys, *line)
    assert code == OK, err
    assert "scores: " in out and "passed" in out
    assert (tmp_path / "libTiny.so").exists() and "classify_init" in (tmp_path / "Tiny.h").read_text()


def test_compile_with_fixed_sizes(capsys, folder, tmp_path):
    code, _, err = call(capsys, "compile", folder / "open.onnx", "-o", tmp_path, "--target", "source", "--shape", "image=4,3,9,9")
    assert code == OK, err
    assert "float[4][3]" in (tmp_path / "network.h").read_text() or "4, 3, 9, 9" in (tmp_path / "network.h").read_text()


def test_cache(capsys, tmp_path):
    with sol.config.override(cache_dir=tmp_path / "cache"):
        assert call(capsys, "cache", "path")[1].strip() == str(tmp_path / "cache")
        assert call(capsys, "cache", "size")[1] == "0\n"
        sol.cache.put("0" * 64 + ".o", b"x" * 100)
        assert "1 entries (1 o)" in call(capsys, "cache")[1]
        assert "removed 1 entries" in call(capsys, "cache", "clear")[1]
        assert "0 entries" in call(capsys, "cache", "list")[1]


def test_tune(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(tile_pace, "pace", lambda target: None)
    with sol.config.override(cache_dir=tmp_path / "cache", calibration=True):
        code, out, _ = call(capsys, "tune")
        assert code == OK and "nothing was measured here" in out and not re.search("measured here +spread", out)
        code, out, _ = call(capsys, "tune", "--calibrate", "--seconds", 0, "--threads", 2, "--json", tmp_path / "t.json")
        facts = json.loads((tmp_path / "t.json").read_text())
        assert code == OK and re.search("measured here +spread", out) and "kernels are chosen by what was measured here" in out
        assert facts["used"] == "calibration" and facts["calibration"]["figures"]["core"]["clock"] > 1e8
        assert facts["figures"] != facts["calibration"]["figures"] and facts["calibration"]["figures"]["memory"]["threads"] == 2
        assert call(capsys, "tune")[1] == out
        with sol.config.override(calibration=False):
            assert "the knob calibration is off" in call(capsys, "tune")[1]
        assert "1 entries (1 machine)" in call(capsys, "cache", "list", "--kind", "machine")[1]
        assert "removed 1 entries" in call(capsys, "cache", "clear", "--kind", "machine")[1]
        assert "nothing was measured here" in call(capsys, "tune")[1] and call(capsys, "cache", "size")[1] != "0\n"


def test_tune_tells_the_pace_of_matrix_tiles(capsys, tmp_path, monkeypatch):
    native = replace(with_matrix_tiles(resolve("avx2")), host="this one")
    monkeypatch.setattr("sol.commands.tune.resolve", lambda isa: native)
    kept: list[float | None] = [None, 33.0, 33.0]
    monkeypatch.setattr(tile_pace, "kept", lambda target: kept.pop(0))
    with sol.config.override(cache_dir=tmp_path / "cache", calibration=True):
        out = call(capsys, "tune")[1]
        assert "17.5 where nothing disturbs it, to be measured when" in out and "nothing was measured here" in out
        out = call(capsys, "tune")[1]
        assert "17.5 where nothing disturbs it, 33 measured here" in out and "those of matrix tiles by what was measured" in out
        with sol.config.override(calibration=False):
            assert "by the table: the knob calibration is off" in call(capsys, "tune")[1]


def test_devices(capsys, tmp_path):
    code, out, _ = call(capsys, "devices", "--json", tmp_path / "d.json")
    facts = json.loads((tmp_path / "d.json").read_text())
    assert code == OK and facts["native"] in facts["isas"] and f"{facts['native']:8}" in out and "native" in out


def test_exported_programs(capsys, folder, tmp_path):
    import torch

    torch.manual_seed(0)
    model, x = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()).eval(), torch.rand(2, 8)
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "m.pt2")
    np.save(tmp_path / "x.npy", x.numpy())
    code, _, err = call(capsys, "run", tmp_path / "m.pt2", "-i", tmp_path / "x.npy", "-o", tmp_path / "y.npy")
    assert code == OK, err
    assert np.allclose(np.load(tmp_path / "y.npy"), model(x).detach().numpy(), atol=1e-6)
    code, out, _ = call(capsys, "verify", tmp_path / "m.pt2")
    assert code == OK and "sol vs torch" in out
    code, out, _ = call(capsys, "inspect", tmp_path / "m.pt2", "--no-profile")
    assert code == OK and "aten.linear.default" in out
    (tmp_path / "bad.pt2").write_bytes(b"junk")
    assert call(capsys, "run", tmp_path / "bad.pt2")[0] == BAD_MODEL


def test_verify_of_what_runs_in_torch_compares_nothing(capsys, tmp_path):
    import torch

    model, x = torch.nn.Linear(8, 4).double().eval(), torch.rand(2, 8).double()
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "double.pt2")
    code, out, err = call(capsys, "verify", tmp_path / "double.pt2", "--json", tmp_path / "v.json")
    assert code == NOT_COMPARED and out.startswith("nothing compared") and "runs in torch" in out, err
    found = json.loads((tmp_path / "v.json").read_text())
    assert not found["compared"] and not found["passed"]


def test_inspect_of_a_loop(capsys, tmp_path):
    np.save(tmp_path / "n.npy", np.int64(3))
    path = models.loop(tmp_path / "loop.onnx")
    code, out, err = call(capsys, "inspect", path, "-i", f"rounds={tmp_path / 'n.npy'}", "--html", tmp_path / "loop.html")
    assert code == OK and "1 Loop" in out and "tanh" in out, err
    assert 'data-vertex="walk"' in (tmp_path / "loop.html").read_text()


def test_sizes_that_data_decides(capsys, tmp_path):
    path = models.positives(tmp_path / "places.onnx")
    assert "y: int64[2, " in call(capsys, "run", path)[1]
    assert call(capsys, "verify", path)[0] == OK
    code, out, _ = call(capsys, "inspect", path, "--html", tmp_path / "places.html")
    assert code == OK and "nonzero" in out


def test_completion_of_commands(monkeypatch, capsys):
    monkeypatch.setenv("_SOL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "sol co")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit):
        cli.run([])
    assert capsys.readouterr().out.split() == ["plain,compile", "plain,completion"]
