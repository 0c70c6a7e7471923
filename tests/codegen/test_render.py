"""Templates: every one parses, nothing undefined is rendered, names come out as given."""

from __future__ import annotations

import jinja2
import pytest

from sol.codegen.render import TEMPLATES, environment, render, render_kernel


@pytest.mark.parametrize("name", sorted(p.name for p in TEMPLATES.glob("*.j2")))
def test_template_parses_and_says_what_it_is(name):
    environment().get_template(name)
    lines = (TEMPLATES / name).read_text().splitlines()
    assert any(line.startswith(("/*", "{#", "//#")) for line in lines), f"{name} has no comment"


def test_undefined_names_are_errors():
    with pytest.raises(jinja2.UndefinedError):
        render("network.c.j2", title="x")


def test_kernel_entry_names_buffers_and_arguments():
    text = render_kernel("zero_border.c.j2", name="zero", buffers=[("x", "float")],
                         params=["maps", "map_stride", "H", "W", "row", "lanes", "top", "bottom", "left", "right"],
                         c="float", filled=False)  # fmt: skip
    assert "void zero(const sol_team *team, void *const *buf, const int64_t *arg)" in text
    assert "float *x = buf[0];" in text and "const int64_t right = arg[9];" in text
