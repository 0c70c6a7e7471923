"""A real browser shows the page and has nothing to complain about."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.report.networks import report

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "chromium-headless-shell")
BROWSER = next((path for name in BROWSERS if (path := shutil.which(name))), None)


def opened(page: Path, work: Path) -> tuple[str, list[str]]:
    """The document as it is after the scripts ran, and what the console says."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0", f"--user-data-dir={work / 'profile'}",
             "--virtual-time-budget=10000", "--dump-dom", page.as_uri()]  # fmt: skip
    done = subprocess.run([str(BROWSER), *flags], capture_output=True, text=True, timeout=120)
    return done.stdout, re.findall(r"CONSOLE.*", done.stderr)


@pytest.mark.conformance
@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed (apt-get install chromium)")
@pytest.mark.parametrize("timed", [True, False])
def test_a_browser_shows_the_graph(tmp_path, timed):
    found = report(timed=timed)
    page = tmp_path / "report.html"
    page.write_text(found.page(), encoding="utf-8")
    document, console = opened(page, tmp_path)
    assert console == []
    assert f'data-ready="{len(found.parts[0].vertices)}"' in document  # the script ran to its end
    assert document.count('class="node region"') == sum(v.kind == "region" for v in found.parts[0].vertices)


@pytest.mark.conformance
@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed (apt-get install chromium)")
def test_choosing_a_node_shows_its_kernels(tmp_path):
    found = report()
    text = found.page()
    first = next(i for i, v in enumerate(found.parts[0].vertices) if "conv" in v.ops)
    click = f"<script>document.getElementById('v0-{first}').dispatchEvent(new MouseEvent('click'));</script>"
    page = tmp_path / "report.html"
    page.write_text(text.replace("</body>", click + "</body>"), encoding="utf-8")
    document, console = opened(page, tmp_path)
    panel = re.search(r'<aside id="panel".*?</aside>', document, re.DOTALL)
    assert console == [] and panel is not None
    assert 'href="#c-' in panel[0] and "of its limit" in panel[0] and "where in the model" in panel[0]


@pytest.mark.conformance
@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed (apt-get install chromium)")
def test_an_error_would_be_seen(tmp_path):
    page = tmp_path / "bad.html"
    page.write_text("<!DOCTYPE html><script>throw new Error('seen')</script>")
    assert "seen" in opened(page, tmp_path)[1][0]
