"""Stages are told to who listens, and shown where the knob says so."""

from __future__ import annotations

import sys

import pytest

from sol.build import progress as module
from sol.build.progress import progress, showing_stages
from sol.config import config
from sol.stages import listening, stage


def test_listening_ends_with_the_block():
    heard: list[str] = []
    stage("before")
    with listening(heard.append):
        stage("one")
        with listening(lambda what: heard.append(what.upper())):
            stage("two")
        stage("three")
    stage("after")
    assert heard == ["one", "TWO", "three"]


@pytest.mark.parametrize(
    ("knob", "terminal", "shown"), [("auto", False, False), ("off", True, False), ("on", False, True), ("on", True, True)]
)
@pytest.mark.parametrize("rich", [True, False])
def test_stages_are_shown(monkeypatch, capsys, knob, terminal, shown, rich):
    monkeypatch.setattr(module, "_terminal", lambda: terminal)
    if not rich:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    with config.override(progress=knob), showing_stages():
        stage("reading")
        with progress("compiling", 2) as bar:
            bar.advance()
            bar.advance()
        stage("linking")
    err = capsys.readouterr().err
    assert (err != "") is shown
    if shown and not (rich and terminal):
        assert "reading" in err and "compiling" in err and "linking" in err
