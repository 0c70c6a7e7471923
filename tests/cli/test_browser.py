"""What ``sol inspect --html`` writes of a real model, in a real browser."""

from __future__ import annotations

import pytest

from sol import cli
from tests.report.test_browser import BROWSER, opened


@pytest.mark.conformance
@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed (apt-get install chromium)")
def test_inspect_in_a_browser(folder, tmp_path):
    page = tmp_path / "report.html"
    assert cli.run(["inspect", str(folder / "net.onnx"), "--html", str(page)]) == 0
    document, console = opened(page, tmp_path)
    assert console == []
    assert "<h1>net.onnx</h1>" in document and 'data-ready="' in document
    assert document.count('class="node region"') >= 4 and document.count('class="buffer') >= 3
