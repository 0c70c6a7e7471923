"""Bad input and broken surroundings: each says what is wrong and what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import sol
from sol.errors import CacheError, CompilerError, CompilerNotFoundError, ConfigError, ExportError, InputError, UnsupportedError
from tests.runtime.models import Lambda, close, mlp


@pytest.fixture
def empty_cache(cache_folder: Path) -> Iterator[Path]:
    """A cache of its own, so that everything is compiled here."""
    yield cache_folder


def message(error: pytest.ExceptionInfo[sol.SolError]) -> str:
    text = str(error.value)
    assert error.value.remedy and "remedy: " in text
    return text


@pytest.mark.parametrize("compiled", (True, False))
def test_wrong_shape(compiled: bool) -> None:
    call = sol.optimize(mlp(), torch.rand(2, 4)) if compiled else lambda x: sol.optimize(mlp(), x)
    with pytest.raises(InputError) as error:
        call(torch.rand(2, 5))
    assert "Sequential does not take inputs float32[2, 5]: mat1 and mat2 shapes cannot be multiplied (2x5 and 4x8)" in message(error)


@pytest.mark.parametrize("compiled", (True, False))
@pytest.mark.parametrize("dtype", (torch.int64, torch.float64))
def test_wrong_dtype(compiled: bool, dtype: torch.dtype) -> None:
    call = sol.optimize(mlp(), torch.rand(2, 4)) if compiled else lambda x: sol.optimize(mlp(), x)
    with pytest.raises(InputError) as error:
        call(torch.ones(2, 4, dtype=dtype))
    assert f"does not take inputs {str(dtype)[6:]}[2, 4]: mat1 and mat2 must have the same dtype" in message(error)


def test_wrong_input_is_an_error_with_fallback_too() -> None:
    fast = sol.optimize(mlp(), torch.rand(2, 4), fallback="eager")
    with pytest.raises(InputError):
        fast(torch.rand(2, 5))
    assert fast._ways.failure is None


def test_wrong_arguments() -> None:
    fast = sol.optimize(mlp(), torch.rand(2, 4))
    for arguments in ((), (torch.rand(2, 4), torch.rand(2, 4)), ("text",)):
        with pytest.raises(InputError, match="Sequential does not take inputs"):
            fast(*arguments)
    with pytest.raises(InputError) as error:
        sol.optimize(mlp(), 3)
    assert "example inputs are a int" in message(error)


@pytest.mark.parametrize("name", ("output padding", "no steps", "rank"))
def test_what_torch_refuses_only_when_it_runs(name: str) -> None:
    """Meta tensors take it, so it is captured."""
    model, x = {
        "output padding": (nn.ConvTranspose1d(1, 1, 3, stride=2, output_padding=2), torch.rand(1, 1, 5)),
        "no steps": (nn.LSTM(4, 5), torch.rand(0, 2, 4)),
        "rank": (Lambda(lambda x: x.sum().index_add(0, torch.tensor([0, 0]), x)), torch.rand(2)),
    }[name]
    with pytest.raises(RuntimeError):
        model(x)
    with pytest.raises(RuntimeError):
        sol.optimize(model, x)(x)


def test_type_that_is_not_known() -> None:
    model, x = Lambda(lambda x: x.view(torch.uint8) * 2), torch.arange(3, dtype=torch.uint8).view(torch.bits8)
    with pytest.raises(UnsupportedError) as error:
        sol.optimize(model, x)
    assert "bits8 are not supported" in message(error) and 'fallback="eager"' in str(error.value)
    assert sol.optimize(model, x, fallback="eager")(x).tolist() == [0, 2, 4]


def test_data_dependent_control_flow() -> None:
    with pytest.raises(ExportError) as error:
        sol.optimize(Lambda(lambda x: x + 1 if x.sum() > 0 else x), torch.ones(3))
    assert "torch.export cannot capture Lambda" in message(error) and 'fallback="eager"' in str(error.value)


def test_no_compiler(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(empty_cache))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(CompilerNotFoundError) as error:
        sol.optimize(mlp(), torch.rand(2, 4))
    assert "compiler" in message(error) and "install" in str(error.value)
    model, x = mlp(), torch.rand(2, 4)
    with torch.no_grad():
        close(sol.optimize(model, x, fallback="eager")(x), model(x))
        with sol.config.override(fallback="eager"):
            close(sol.optimize(model, x)(x), model(x))


def script(folder: Path, text: str) -> str:
    """An executable file."""
    path = folder / "broken-cc"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_compiler_that_fails(empty_cache: Path, tmp_path: Path) -> None:
    asked = 'case "$*" in *--version*|*-v*|*-dump*) exec gcc "$@";; esac'
    broken = script(tmp_path, f'{asked}\necho "fatal: no space for thoughts" >&2; exit 1')
    with sol.config.override(compiler=broken):
        with pytest.raises(CompilerError) as error:
            sol.optimize(mlp(), torch.rand(2, 4))
        assert "no space for thoughts" in message(error)
        assert sol.optimize(mlp(), torch.rand(2, 4), fallback="eager")(torch.rand(2, 4)).shape == (2, 3)


def test_read_only_cache_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")  # refuses entries also to root, whom permissions do not stop
    model, x = mlp(), torch.rand(2, 4)
    with sol.config.override(cache_dir=file / "cache"), torch.no_grad():
        close(sol.optimize(model, x)(x), model(x))
    assert f"cannot use the cache folder {file / 'cache'}" in caplog.text and "kept in a temporary folder" in caplog.text
    assert "SOL_CACHE_DIR" in caplog.text


def test_damaged_cache_entry(empty_cache: Path) -> None:
    model, x = mlp(), torch.rand(2, 4)
    with torch.no_grad():
        sol.optimize(model, x)
        libraries = [p for p in empty_cache.rglob("*") if p.is_file() and p.suffix in (".so", ".o")]
        assert libraries
        for path in libraries:
            os.chmod(path, 0o644)
            path.unlink()
            path.write_bytes(b"damaged")
        from sol.build import library

        library._loaded.clear()
        close(sol.optimize(model, x)(x), model(x))


def test_disk_full(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr(os, "link", full)
    model, x = mlp(), torch.rand(2, 4)
    with torch.no_grad():
        with pytest.raises(CacheError) as error:
            sol.optimize(model, x)
        assert "No space left on device" in message(error) and "make room" in str(error.value)
        close(sol.optimize(model, x, fallback="eager")(x), model(x))


@pytest.mark.parametrize("compiled", (True, False))
def test_meta_device(compiled: bool) -> None:
    call = sol.optimize(mlp(), torch.rand(2, 4)) if compiled else lambda x: sol.optimize(mlp(), x)
    with pytest.raises(InputError) as error:
        call(torch.rand(2, 4, device="meta"))
    assert "meta device" in message(error)


def test_model_on_meta_device() -> None:
    with torch.device("meta"):
        model = nn.Linear(4, 3).eval()
    with pytest.raises(InputError) as error:
        sol.optimize(model, torch.rand(2, 4))
    assert "meta device" in message(error)


def test_sparse_input() -> None:
    fast = sol.optimize(mlp(), torch.rand(2, 4))
    with pytest.raises(InputError) as error:
        fast(torch.rand(2, 4).to_sparse())
    assert "sparse_coo" in message(error) and "to_dense" in str(error.value)


@pytest.mark.parametrize("value", (float("nan"), float("inf"), -float("inf")))
def test_nan_and_inf_propagate(value: float) -> None:
    model, x = mlp(), torch.rand(2, 4)
    x[0, 1] = value
    with torch.no_grad():
        close(sol.optimize(model, x)(x), model(x))


@pytest.mark.parametrize(
    ("options", "text"),
    (
        ({"dtype": torch.int8}, "dtype=torch.int8 is not built"),
        ({"isa": "sse2"}, "isa = 'sse2' is not valid"),
        ({"fallback": "maybe"}, "fallback = 'maybe' is not valid"),
        ({"threads": 0}, "threads=0 is not valid"),
    ),
)
def test_bad_options(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as error:
        sol.optimize(mlp(), torch.rand(2, 4), **options)
    assert text in message(error)
