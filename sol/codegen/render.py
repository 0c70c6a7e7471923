"""Templates to C text: Jinja with ``//%`` line statements, so that an editor still sees C, and no undefined names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jinja2

TEMPLATES = Path(__file__).parent / "templates"
INCLUDE = Path(__file__).parent / "include"


@lru_cache(maxsize=1)
def environment() -> jinja2.Environment:
    """The one Jinja environment."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        line_statement_prefix="//%",
        line_comment_prefix="//#",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


@cache
def _template(name: str) -> jinja2.Template:
    return environment().get_template(name)


def render(template: str, **context: Any) -> str:
    """One template with its holes filled."""
    return _template(template).render(context)


def render_kernel(template: str, *, name: str, buffers: Sequence[tuple[str, str]], params: Sequence[str], **context: Any) -> str:
    """A kernel's translation unit.

    The template is the whole file. It writes its entry point with ``{{ entry }}``, which opens the function and names buf[i] and arg[i]:
    ``void name(const sol_team *team, void *const *buf, const int64_t *arg) { const float *in = buf[0]; const int64_t H = arg[0]; …``
    and closes it with ``}``. ``buffers`` and ``params`` are their names, for a struct that holds them all.
    """
    lines = [f"void {name}(const sol_team *team, void *const *buf, const int64_t *arg)", "{"]
    lines += [f"    {ctype} *{b} = buf[{i}];" for i, (b, ctype) in enumerate(buffers)]
    lines += [f"    const int64_t {p} = arg[{i}];" for i, p in enumerate(params)]
    lines += ["    (void)team; (void)buf; (void)arg;"]
    return _template(template).render(
        {**context, "name": name, "entry": "\n".join(lines), "buffers": list(buffers), "params": list(params)}
    )
