"""Python functions written as source: what is the same at every call is spelled out once instead of being interpreted each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sol.ir.dim import Dim, FloorDiv, Maximum, Symbol

_SPELLED = (type(None), bool, int, str, bytes)  # literals that source can spell and compare


class Source:
    """Lines of a function and the objects that they name."""

    def __init__(self, head: str) -> None:
        self.lines, self.names, self._count = [head], dict[str, Any](), 0

    def add(self, line: str, depth: int = 1) -> None:
        """A line, so many levels deep."""
        self.lines.append("    " * depth + line)

    def object(self, value: Any) -> str:
        """A name for an object."""
        name = f"K{len(self.names)}"
        self.names[name] = value
        return name

    def literal(self, value: Any) -> str:
        """A value as an expression."""
        return repr(value) if is_spelled(value) else self.object(value)

    def variable(self) -> str:
        """A name that no other variable has."""
        self._count += 1
        return f"v{self._count}"

    def assign(self, expression: str) -> str:
        """A new variable with this value."""
        v = self.variable()
        self.add(f"{v} = {expression}")
        return v

    def function(self) -> Callable[..., Any]:
        """The function, compiled. Its namespace does not refer back to it, so that what it names is released with it."""
        name = self.lines[0].partition(" ")[2].partition("(")[0]
        exec(compile("\n".join(self.lines) + "\n", f"<sol {name}>", "exec"), self.names)
        return self.names.pop(name)


def is_spelled(value: Any) -> bool:
    """Whether ``repr`` of a value is source that means it."""
    return type(value) in _SPELLED


def python_of(dim: Any) -> str:
    """A size as an expression over the names of its symbols."""
    if not isinstance(dim, Dim):
        return str(dim)
    terms = []
    for monomial, coefficient in dim.terms:
        factors = list(map(_atom, monomial))
        terms.append("*".join(factors if coefficient == 1 and factors else [str(coefficient), *factors]))
    return "(" + " + ".join(terms) + ")"


def _atom(atom: Any) -> str:
    if isinstance(atom, Symbol):
        return atom.name
    if isinstance(atom, FloorDiv):
        return f"({python_of(atom.numerator)} // {python_of(atom.denominator)})"
    assert isinstance(atom, Maximum)
    return f"max({python_of(atom.a)}, {python_of(atom.b)})"
