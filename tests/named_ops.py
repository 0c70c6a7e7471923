"""Which ops a set of Python files names as ops: strings that reach an op's place in a call, a node, or a graph's text.

A name somewhere in a file proves nothing ("sum" is also an attribute of numpy). So the places where nodes are made are looked for in the
syntax tree (`GraphBuilder.add(op, …)`, `Node(name, op, …)`), and what the argument can be is followed back: through parameters to the calls
of the function, through loops over tables, conditional expressions, assignments, and pytest's parameters. Names of a module are taken as
they are once it is imported, so that a table may be computed.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

Place = tuple["Module", ast.expr]
"""An expression and the module in which it stands."""

NODE_MAKERS = {"typed_node": 0, "Node": 1}
"""Function that makes a node → which argument is the op. Methods called ``add`` take it first."""
PURE = {
    "sorted", "tuple", "list", "set", "dict", "zip", "reversed", "keys", "values", "items", "get", "fromkeys", "lower", "upper", "split",
}  # fmt: skip
"""Calls that may be made to find out what an expression is."""
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
NODE_IN_TEXT = re.compile(r"%[\w#, %]+(?::[^=\n]*)? = (\w+)\(")


class Module:
    """One file: its tree, what contains what, and its names at run time."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        self.tree = ast.parse(path.read_text())
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.nodes = list(ast.walk(self.tree))
        self.functions = {n.name: n for n in self.nodes if isinstance(n, ast.FunctionDef)}
        self.calls = [n for n in self.nodes if isinstance(n, ast.Call)]
        self.origins = {a.asname or a.name: (n.module or "", a.name) for n in self.nodes if isinstance(n, ast.ImportFrom) for a in n.names}

    @cached_property
    def names(self) -> dict[str, Any]:
        return vars(importlib.import_module(self.name))

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What contains a node, from inside."""
        while node in self.parents:
            node = self.parents[node]
            yield node


class NamedOps:
    """Ops that files name. files: path → dotted name; all in which values may come from, also those whose calls are not counted."""

    def __init__(self, files: dict[Path, str], ops: Iterable[str]) -> None:
        self.modules = {path: Module(path, name) for path, name in files.items()}
        self.ops = frozenset(ops)
        self._under_way: set[tuple[int, str]] = set()

    def made(self, paths: Iterable[Path]) -> set[str]:
        """Ops named by literals and tables of these files."""
        wanted = set(paths)
        return {op for op, path in self.found if path in wanted}

    @cached_property
    def found(self) -> set[tuple[str, Path]]:
        """(op, file of the literal or table that names it)."""
        places = [(m, a) for m in self.modules.values() for a in _op_arguments(m)]
        found = {(s, path) for m, a in places for s, path in self.strings(m, a)}
        found |= {(op, m.path) for m in self.modules.values() for op in self._in_text(m)}
        return {(op, path) for op, path in found if op in self.ops}

    def _in_text(self, module: Module) -> Iterator[str]:
        """Ops of graphs that are written as text; ``{op}`` in such a text is what the expression can be."""
        for node in module.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from NODE_IN_TEXT.findall(node.value)
            elif isinstance(node, ast.JoinedStr):
                text = "".join(v.value if isinstance(v, ast.Constant) else "_" for v in node.values)
                yield from NODE_IN_TEXT.findall(text)
                for before, hole, after in zip(node.values, node.values[1:], node.values[2:]):
                    if isinstance(hole, ast.FormattedValue) and _text(before).endswith("= ") and _text(after).startswith("("):
                        yield from (s for s, _ in self.strings(module, hole.value))

    def strings(self, module: Module, node: ast.expr) -> set[tuple[str, Path]]:
        """The strings that an expression can be, each with the file that says so."""
        return {(v, m.path) for m, v in self.values(module, node) if isinstance(v, str)}

    def values(self, module: Module, node: ast.expr) -> Iterator[tuple[Module, Any]]:
        """What an expression can be, as far as it can be followed: values, or expressions of tuples and dicts."""
        key = (id(node), "")
        if key in self._under_way:
            return
        self._under_way.add(key)
        try:
            yield from self._values(module, node)
        finally:
            self._under_way.discard(key)

    def _values(self, module: Module, node: ast.expr) -> Iterator[tuple[Module, Any]]:
        known, value = self._evaluated(module, node)
        if known:
            yield module, value
        elif isinstance(node, ast.IfExp):
            yield from itertools.chain(self.values(module, node.body), self.values(module, node.orelse))
        elif isinstance(node, ast.BoolOp):
            yield from itertools.chain.from_iterable(self.values(module, v) for v in node.values)
        elif isinstance(node, ast.JoinedStr):
            yield from self._joined(module, node)
        elif isinstance(node, ast.Subscript):
            yield from self._chosen(module, node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            yield from self._chosen(module, node.func.value)
            for default in node.args[1:]:
                yield from self.values(module, default)
        elif isinstance(node, ast.Name):
            yield from self._bound(module, node)
        elif isinstance(node, (ast.Tuple, ast.List, ast.Dict, ast.Set)):
            yield module, node

    def _evaluated(self, module: Module, node: ast.expr) -> tuple[bool, Any]:
        """Whether an expression has only names of its module, and its value."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                if _binding(module, part, part.id) is not None or not (part.id in module.names or hasattr(builtins, part.id)):
                    return False, None
            if isinstance(part, ast.Call) and getattr(part.func, "attr", getattr(part.func, "id", "")) not in PURE:
                return False, None
            if isinstance(part, (ast.NamedExpr, ast.Await, ast.Yield)):
                return False, None
        try:
            return True, eval(compile(ast.Expression(node), str(module.path), "eval"), module.names)
        except (NameError, AttributeError, LookupError, TypeError, ValueError):
            return False, None

    def _joined(self, module: Module, node: ast.JoinedStr) -> Iterator[tuple[Module, str]]:
        parts = [[_text(v)] if isinstance(v, ast.Constant) else [s for s, _ in self.strings(module, v.value)]
                 for v in node.values if isinstance(v, (ast.Constant, ast.FormattedValue))]  # fmt: skip
        for combination in itertools.product(*parts):
            yield module, "".join(combination)

    def _chosen(self, module: Module, table: ast.expr) -> Iterator[tuple[Module, Any]]:
        """One of a table's values."""
        for m, value in self.values(module, table):
            if isinstance(value, ast.Dict):
                for v in value.values:
                    yield from self.values(m, v)
            elif isinstance(value, (ast.Tuple, ast.List)):
                for v in value.elts:
                    yield from self.values(m, v)
            elif isinstance(value, dict):
                yield from ((m, v) for v in value.values())
            elif isinstance(value, (list, tuple)):
                yield from ((m, v) for v in value)

    # -- names -------------------------------------------------------------------------------------------------------

    def _bound(self, module: Module, name: ast.Name) -> Iterator[tuple[Module, Any]]:
        """What a name that no module defines can be."""
        binding = _binding(module, name, name.id)
        if isinstance(binding, (ast.For, ast.comprehension)):
            for m, element in self._elements(module, binding.iter):
                yield from self._picked(m, element, binding.target, name.id)
        elif isinstance(binding, ast.FunctionDef):
            for target, value in _assignments(binding, name.id):
                yield from self._picked(module, value, target, name.id)
            if name.id in _parameters(binding):
                yield from self._given(module, binding, name.id)

    def _picked(self, module: Module, value: Any, target: ast.expr, name: str) -> Iterator[tuple[Module, Any]]:
        """What a name of ``target`` gets where ``value``, an expression or a value, is assigned to it."""
        if isinstance(target, ast.Name):
            if isinstance(value, ast.expr):
                yield from self.values(module, value)
            else:
                yield module, value
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            return
        place = next(i for i, t in enumerate(target.elts) if name in _targets(t))
        wholes = self.values(module, value) if isinstance(value, ast.expr) else [(module, value)]
        for m, whole in wholes:
            parts = whole.elts if isinstance(whole, (ast.Tuple, ast.List)) else whole if isinstance(whole, (tuple, list)) else ()
            if place < len(parts):
                yield from self._picked(m, parts[place], target.elts[place], name)

    def _elements(self, module: Module, node: ast.expr) -> Iterator[tuple[Module, Any]]:
        """What a loop over an expression goes through."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            columns = [list(self._elements(module, a)) for a in node.args]
            yield from ((module, tuple(v for _, v in row)) for row in zip(*columns))
            return
        for m, value in self.values(module, node):
            if isinstance(value, (ast.Tuple, ast.List, ast.Set)):
                for e in value.elts:
                    yield from self._elements(m, e.value) if isinstance(e, ast.Starred) else [(m, e)]
            elif isinstance(value, ast.Dict):
                yield from ((m, k) for k in value.keys if k is not None)
            elif isinstance(value, Iterable) and not isinstance(value, str):
                yield from ((m, v) for v in value)

    def _given(self, module: Module, function: ast.FunctionDef, name: str) -> Iterator[tuple[Module, Any]]:
        """What calls, or pytest, give to a parameter."""
        key = (id(function), name)
        if key in self._under_way:
            return
        self._under_way.add(key)
        try:
            yield from ((module, v) for v in _parametrized(module, function, name))
            place = _parameters(function).index(name)
            for m in self.modules.values():
                for call in m.calls:
                    if self._calls(m, call, module, function):
                        argument = _argument(call, place - _is_method(module, function), name)
                        if argument is not None:
                            yield from self.values(m, argument)
        finally:
            self._under_way.discard(key)

    def _calls(self, module: Module, call: ast.Call, home: Module, function: ast.FunctionDef) -> bool:
        """Whether a call is one of that function. Methods are known by their name, or by an object that is called, inside their module."""
        if _is_method(home, function):
            called = function.name == "__call__" and isinstance(call.func, ast.Name) and call.func.id not in module.functions
            return module is home and (called or isinstance(call.func, ast.Attribute) and call.func.attr == function.name)
        if isinstance(call.func, ast.Attribute):
            origin = module.origins.get(getattr(call.func.value, "id", ""))
            return origin is not None and ".".join(origin) == home.name and call.func.attr == function.name
        if not isinstance(call.func, ast.Name):
            return False
        if module is home:
            return call.func.id == function.name
        return module.origins.get(call.func.id) == (home.name, function.name)


def _op_arguments(module: Module) -> Iterator[ast.expr]:
    """The expressions that say which op a node gets."""
    for call in module.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add" and len(call.args) + len(call.keywords) > 1 and call.args:
            yield call.args[0]
        place = NODE_MAKERS.get(getattr(call.func, "id", ""), len(call.args))
        if place < len(call.args):
            yield call.args[place]


def _binding(module: Module, at: ast.AST, name: str) -> ast.AST | None:
    """What gives a name its value where it is read: a loop, or the function that assigns it or takes it. None at module level."""
    inner = at
    for outer in module.around(at):
        if isinstance(outer, (ast.For, ast.comprehension)) and inner is not outer.iter and name in _targets(outer.target):
            return outer
        if isinstance(outer, COMPREHENSIONS):
            for generator in outer.generators:
                if inner is not generator and name in _targets(generator.target):
                    return generator
        if isinstance(outer, (ast.FunctionDef, ast.Lambda)) and name in _parameters(outer):
            return outer
        if isinstance(outer, ast.FunctionDef) and inner in outer.body and any(_assignments(outer, name)):
            return outer
        inner = outer
    return None


def _assignments(function: ast.FunctionDef, name: str) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Targets in which a function assigns to a name, each with what it assigns."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            yield from ((target, node.value) for target in node.targets if name in _targets(target))


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _targets(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _parameters(function: ast.FunctionDef | ast.Lambda) -> list[str]:
    arguments = function.args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _is_method(module: Module, function: ast.FunctionDef) -> bool:
    return isinstance(module.parents.get(function), ast.ClassDef)


def _argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    """The argument of a call for a parameter; None where it is left out or comes from an unpacked list."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if 0 <= place < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args[: place + 1]):
        return call.args[place]
    return None


def _parametrized(module: Module, function: ast.FunctionDef, name: str) -> Iterator[Any]:
    """Values that pytest passes to a test."""
    for mark in getattr(module.names.get(function.name), "pytestmark", ()):
        if mark.name != "parametrize":
            continue
        given: str | Sequence[str] = mark.args[0]
        names = [n.strip() for n in given.split(",")] if isinstance(given, str) else list(given)
        if name in names:
            for row in mark.args[1]:
                row = getattr(row, "values", row) if not isinstance(row, dict) else row
                yield row[names.index(name)] if len(names) > 1 or type(row) is tuple and hasattr(row, "_fields") else row
