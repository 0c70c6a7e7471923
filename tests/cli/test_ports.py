"""Shapes, files and made-up inputs."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from sol.commands.console import bytes_text, parse_seconds, settings, table, write_json
from sol.commands.ports import describe_array, make_up, parse_arrays, parse_shapes
from sol.config import config
from sol.errors import ConfigError, InputError


def test_shapes():
    assert parse_shapes(["a=1,3", "b:0=2x2", "c=7", "d="]) == {"a": (1, 3), "b:0": (2, 2), "c": (7,), "d": ()}
    assert parse_shapes(["ids=4, length", "m=P2O.DIM.0,?,max"]) == {"ids": (4, "length"), "m": ("P2O.DIM.0", "?", "max")}
    for text in ("1,2", "a=1,", "a=-1", "a=1,$b", "=1", f"a={10**30}"):
        with pytest.raises(InputError, match="is no shape"):
            parse_shapes([text])
    with pytest.raises(InputError, match="two shapes"):
        parse_shapes(["a=1", "a=2"])


def test_files(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3))
    np.savez(tmp_path / "xs.npz", a=np.zeros(2), b=np.ones(2))
    found = parse_arrays([f"b={tmp_path}/x.npy", f"{tmp_path}/x.npy"], ["a", "b"], "--input")
    assert found["a"].tolist() == found["b"].tolist() == [0, 1, 2]
    assert set(parse_arrays([f"{tmp_path}/xs.npz"], ["a", "b"], "--input")) == {"a", "b"}
    for given, words in ((["z=" + f"{tmp_path}/x.npy"], "no input 'z'"), ([f"a={tmp_path}/xs.npz"], "several arrays"),
                         ([f"{tmp_path}/x.npy"] * 3, "only 2 inputs"), ([f"{tmp_path}/no.npz"], "no file"),
                         ([f"a={tmp_path}/x.npy"] * 2, "given twice"), ([f"a={tmp_path}"], "cannot be read")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            parse_arrays(given, ["a", "b"], "--input")


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8", "bool", "complex64", ml_dtypes.bfloat16])
def test_made_up_inputs(dtype):
    dtype = np.dtype(dtype)
    array = make_up("x", dtype, ("batch", 3, 4), 0)
    assert array.dtype == dtype and array.shape == (1, 3, 4)
    assert np.array_equal(array, make_up("x", dtype, ("batch", 3, 4), 0))


def test_open_sizes_and_sequences_are_asked_for():
    with pytest.raises(InputError, match="open size width") as error:
        make_up("x", np.dtype("float32"), (1, 3, "width"), 0)
    assert "--shape x=1,3,64" in str(error.value)
    with pytest.raises(InputError, match="cannot be made up"):
        make_up("x", None, None, 0)


def test_descriptions():
    assert describe_array(np.array([1.0, 3.0])) == "float64[2]  min 1  mean 2  max 3"
    assert describe_array(np.zeros((0, 2), np.int32)) == "int32[0, 2]" and describe_array([1, 2]) == "list of 2"
    assert [bytes_text(s) for s in (3, 1536, 5 << 20, 7 << 30)] == ["3 B", "1.5 KiB", "5.0 MiB", "7.0 GiB"]
    assert table(["a", "bb"], [["xyz", "1"]]) == "a    bb\nxyz   1"


def test_durations_and_settings():
    assert [parse_seconds(t) for t in ("60s", "2m", "90", "1.5 s")] == [60, 120, 90, 1.5]
    with pytest.raises(ConfigError):
        parse_seconds("soon")
    with settings(time_budget="60s"):
        assert config["autotune"] == "full" and config["autotune_seconds"] == 60
    with settings(time_budget="5"):
        assert config["autotune"] == "quick"
    with settings(time_budget="0"):
        assert config["autotune"] == "off"


def test_json_has_no_nan(tmp_path):
    write_json(tmp_path / "x.json", {"a": float("nan"), "b": [float("inf"), 1.5]})
    assert "NaN" not in (tmp_path / "x.json").read_text() and '"inf"' in (tmp_path / "x.json").read_text()
