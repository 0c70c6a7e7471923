"""Compiled templates are kept beside the templates, or in the cache where that cannot be; damaged and foreign ones are made anew."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import jinja2
import pytest

from sol.build.cache import store
from sol.build.templates import StoredTemplates
from sol.codegen.render import TEMPLATES

NAME = "zero_border.c.j2"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one template, where Python keeps what it compiles in ``__pycache__``."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    return Path(shutil.copy(TEMPLATES / NAME, tmp_path)).parent


def _render(folder: Path, **setup: bool) -> str:
    loader, kept = jinja2.FileSystemLoader(folder), StoredTemplates(folder)
    environment = jinja2.Environment(loader=loader, line_statement_prefix="//%", bytecode_cache=kept, autoescape=False, **setup)
    return environment.get_template(NAME).render(entry="void f(void) {")


def _beside(folder: Path) -> list[Path]:
    return list((folder / "__pycache__").glob("*"))


def _in_store() -> list[Path]:
    return [Path(e.path) for e in store().list() if e.kind == "template"]


def _flip_last(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-40] ^= 0xFF
    path.write_bytes(bytes(data))


def _never(*args: object) -> None:
    raise AssertionError("a template is compiled")


@pytest.mark.usefixtures("cache_folder")
def test_kept_beside_the_template_and_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _render(folder)
    assert len(_beside(folder)) == 1 and not _in_store()
    monkeypatch.setattr(jinja2.Environment, "compile", _never)
    assert _render(folder) == first


@pytest.mark.usefixtures("cache_folder")
@pytest.mark.parametrize("why", ["no bytecode is written", "the folder is read-only"])
def test_kept_in_the_store_otherwise(folder: Path, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if why == "no bytecode is written":
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
    else:
        (folder / "__pycache__").write_text("in the way, for root too")
    first = _render(folder)
    assert len(_in_store()) == 1
    monkeypatch.setattr(jinja2.Environment, "compile", _never)
    assert _render(folder) == first


@pytest.mark.usefixtures("cache_folder")
@pytest.mark.parametrize("beside", [True, False])
def test_damaged_entry_is_made_anew(folder: Path, beside: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", not beside)
    first = _render(folder)
    [entry] = _beside(folder) if beside else _in_store()
    whole = entry.read_bytes()
    _flip_last(entry)
    assert _render(folder) == first
    assert entry.read_bytes() == whole


@pytest.mark.usefixtures("cache_folder")
def test_files_that_others_can_write_are_not_read(folder: Path) -> None:
    first = _render(folder)
    [entry] = _beside(folder)
    other = _render(folder, lstrip_blocks=True)  # another set-up, in the same file
    os.chmod(entry, 0o666)
    assert _render(folder, lstrip_blocks=True) == other
    assert entry.stat().st_mode & 0o022 == 0, "it was made anew"
    assert _render(folder) == first


@pytest.mark.usefixtures("cache_folder")
def test_a_changed_template_is_compiled_again(folder: Path) -> None:
    _render(folder)
    (folder / NAME).write_text("{{ entry }} changed")
    assert _render(folder) == "void f(void) { changed"
    assert len(_beside(folder)) == 1
