"""Compiled templates are taken from the cache, and a damaged one is made anew."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from sol.build.cache import store
from sol.build.templates import StoredTemplates
from sol.codegen.render import TEMPLATES


def _render() -> str:
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(loader=loader, line_statement_prefix="//%", bytecode_cache=StoredTemplates(), autoescape=False)
    return environment.get_template("zero_border.c.j2").render(entry="void f(void) {")


def _entries() -> list[Path]:
    return [Path(e.path) for e in store().list() if e.key.endswith(".template")]


@pytest.mark.usefixtures("cache_folder")
def test_kept_and_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    first = _render()
    assert len(_entries()) == 1
    monkeypatch.setattr(jinja2.Environment, "compile", None)
    assert _render() == first


@pytest.mark.usefixtures("cache_folder")
def test_damaged_entry_is_made_anew() -> None:
    first = _render()
    [entry] = _entries()
    data = bytearray(entry.read_bytes())
    data[10] ^= 0xFF
    entry.write_bytes(bytes(data))
    assert _render() == first
    assert len(_entries()) == 1
