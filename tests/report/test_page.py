"""The page is whole: it fetches nothing, shows every node, and its links lead somewhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from sol.report.charts import memory_svg
from sol.report.data import memory_text
from sol.report.highlight import highlight
from sol.report.roofs import roofline_svg
from sol.report.timeline import timeline_svg
from tests.report.networks import LIMITS, report

VOID = {"meta", "link", "input", "br"}


class Page(HTMLParser):
    """Elements, ids, links and scripts of a page; fails where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)

    def all(self, tag: str, kind: str = "") -> list[dict[str, str | None]]:
        return [a for t, a in self.found if t == tag and kind in (a.get("class") or "").split() + [""]]


@pytest.fixture(scope="module")
def page() -> tuple[Page, str]:
    text = report().page()
    return Page(text), text


def test_nothing_is_fetched(page):
    parsed, text = page
    assert not parsed.all("img") and not parsed.all("iframe") and all("src" not in a for _, a in parsed.found)
    assert [a["href"] for a in parsed.all("link")] == ["data:,"]
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)", text)
    assert "default-src 'none'" in text


def test_every_node_edge_and_kernel_is_there(page):
    parsed, text = page
    part = report().parts[0]
    assert [a["data-vertex"] for a in parsed.all("g", "node")] == [v.name for v in part.vertices]
    assert len(parsed.all("path", "edge")) == len(part.edges)
    assert {v.kind for v in part.vertices} == {"input", "region", "concat", "output"}
    for name in part.sources:
        assert f"{name}.c</b>" in text
    assert len(parsed.all("rect", "buffer")) == len(part.buffers) > 0


def test_links_lead_somewhere(page):
    parsed, _ = page
    ids = [a["id"] for _, a in parsed.found if a.get("id")]
    assert len(ids) == len(set(ids))
    links = [a["href"] for a in parsed.all("a")]
    assert links and all(href and href[0] == "#" and href[1:] in ids for href in links)
    kernels = {launch.kernel for launch in report().parts[0].launches}
    assert all(f"#c-{k}" in links for k in kernels)
    assert any(a.get("data-node", "").startswith("v0-") for a in parsed.all("a"))


def test_data_for_the_panel_and_escapes(page):
    parsed, text = page
    data = json.loads(parsed.scripts[0])
    origins = [v["origin"] for v in data[0]]
    assert 'block.<script>"conv2"' in origins and "<script>&#34;conv2" not in text and "net &lt;1&gt;" in text
    launches = [launch for v in data[0] for launch in v["launches"]]
    assert len(launches) == len(report().parts[0].launches) and all(launch["us"] > 0 for launch in launches)
    assert len(parsed.scripts) == 2
    assert any(launch["waits"] > 0 and launch["lower"] < launch["upper"] for launch in launches)


def test_without_times():
    text = report(timed=False).page()
    Page(text)
    assert "GFLOP/s</th>" not in text and 'class="roof"' not in text and 'class="timeline"' not in text


def test_times_spread_load_and_balance(page):
    parsed, text = page
    profile = report().profile
    assert "a whole call; quartiles 1.500–2.500, smallest 1.000" in text
    assert "the machine was busy" in text and "repeat the measurement" in text
    assert "<th>waits</th>" in text and "75 %</td>" in text  # the second thread does half: 25 % of the time both wait, on average
    assert profile.waiting == pytest.approx(profile.seconds / 4, rel=0.01)
    text = str(profile)
    assert "a call takes 2.000 ms (quartiles 1.5–2.5, smallest 1.000); 2 threads, which wait for each other 25 % of the time" in text
    assert "warning: the machine was busy" in text


def test_everything_that_is_drawn_has_a_name(page):
    """On hover and for screen readers: what a disc, bar, buffer, edge or node is."""
    parsed, _ = page
    drawn = [a for tag in ("circle", "g", "rect", "path") for a in parsed.all(tag)]
    kinds = {"node", "edge", "buffer", "span", "roof", "alive"}
    shown = [a for a in drawn if kinds & set((a.get("class") or "").split())] + parsed.all("circle")
    assert len(shown) > 20 and all(a.get("data-tip") and a.get("aria-label") == a["data-tip"] for a in shown)


def test_colours_follow_the_scheme(page):
    """No colour is fixed outside of the two lists of variables, but for the hues of stripes and discs."""
    _, text = page
    style = text[text.index("<style>") : text.index("</style>")]
    assert "prefers-color-scheme: dark" in style
    rules = style[style.index("* { box-sizing") :]
    assert re.findall(r"#[0-9a-f]{3,8}\b", rules) == ["#0004"]
    light, dark = (set(re.findall(r"(--\w+):", part)) for part in style[: style.index("* { box-sizing")].split("@media"))
    assert dark <= light and light - dark == set()


def test_time_line():
    found = report()
    svg = timeline_svg(found.parts[0], found.profile.tracks[0], {})
    assert svg.count('class="span') == 2 * len(found.parts[0].launches) and "thread 1" in svg and "µs" in svg
    assert timeline_svg(found.parts[0], (), {}) == ""


def test_charts():
    found = report()
    part, profile = found.parts[0], found.profile
    assert memory_svg(part).count("<rect") == len(part.buffers)
    svg = roofline_svg(profile.by_kernel(), LIMITS, profile.seconds, lambda name: "c-" + name)
    assert svg.count("<circle") == len([r for r in profile.by_kernel() if r.flops and r.bytes])
    assert svg.count('class="roof') == 4 and "L1 400 GB/s" in svg and "L3" not in svg  # what is as fast as memory has no line
    assert roofline_svg([], LIMITS, 0.0, str) == ""
    assert "above the least possible" in memory_text(part)


def test_text_and_json():
    found = report()
    assert "operators: 2 Conv" in str(found) and "memory: arena" in str(found)
    assert json.loads(json.dumps(found.as_dict()))["parts"][0]["edges"]


def test_highlight():
    text = '#include "a.h"\n/* x < y */ static const float *p = 0x1f; // "no"\nint n = sizeof "a\\"b" + 1.5e-3f;\n'
    html = highlight(text)
    assert '<span class="c">/* x &lt; y */</span>' in html and '<span class="p">#include &quot;a.h&quot;</span>' in html
    assert '<span class="k">static</span>' in html and '<span class="t">float</span>' in html and '<span class="n">0x1f</span>' in html
    import html as std

    assert std.unescape(re.sub(r"</?span[^>]*>", "", html)) == text
