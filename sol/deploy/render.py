"""Templates of a deployed library to text, with the settings of the kernels' templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from sol.codegen.render import environment

TEMPLATES = Path(__file__).parent / "templates"
INCLUDE = Path(__file__).parent / "include"


@cache
def _environment() -> jinja2.Environment:
    return environment().overlay(loader=jinja2.FileSystemLoader(TEMPLATES), bytecode_cache=None)


def render(template: str, **context: Any) -> str:
    """One template with its holes filled."""
    return _environment().get_template(template).render(context)
