"""IR as text, printed and parsed: what a dump shows, a bug report pastes and a pass test compares.

    graph(%x: f32[s0,16]) where s0 in [2, 1024] {
      %w = parameter{target="fc.weight"}: f32[8,16]
      %y: f32[s0,8] = linear(%x, %w)  // fc (model.py:12)
      return %y
    }

An op with several results prints ``%y: …, %y#1: … = lstm_scan(…)``; attributes follow the operands in braces; the body
of a region follows its attributes. Small arrays are printed whole, large ones by digest; ``parse_graph`` looks them up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sol.errors import SolError
from sol.ir.builder import graph_of
from sol.ir.dim import Dim, Symbol, dim_max, dim_text, floor_div, symbols
from sol.ir.graph import NO_ORIGIN, Array, Graph, Node, Origin
from sol.ir.ops import complete_attrs, spec_of
from sol.ir.types import PLAIN, DType, Layout, TensorType

INLINE = 16
"""Arrays of at most this many elements are printed whole."""


# Printing


def graph_text(graph: Graph) -> str:
    """The graph as text; ``parse_graph`` gives an equal graph back."""
    return "\n".join(_graph_lines(graph, _where(graph)))


def arrays_of(graph: Graph) -> dict[str, np.ndarray]:
    """Arrays that the text names by digest only, bodies of regions included: what ``parse_graph`` needs to know."""
    found: dict[str, np.ndarray] = {}
    for node in graph.nodes:
        for value in node.attrs.values():
            if isinstance(value, Array) and value.value.size > INLINE:
                found[value.digest] = value.value
            elif isinstance(value, Graph):
                found.update(arrays_of(value))
    return found


def symbols_of(graph: Graph) -> dict[str, Symbol]:
    """All symbols in types and attributes, bodies of regions included, by name."""
    found: dict[str, Symbol] = {}

    def visit(value: Any) -> None:
        if isinstance(value, Dim):
            found.update((s.name, s) for s in symbols(value))
        elif isinstance(value, TensorType):
            visit(value.shape)
        elif isinstance(value, tuple):
            for v in value:
                visit(v)
        elif isinstance(value, Graph):
            found.update(symbols_of(value))

    for node in graph.nodes:
        visit(node.types)
        visit(tuple(node.attrs.values()))
    return dict(sorted(found.items()))


def _where(graph: Graph) -> str:
    ranges = [f"{s.name} in [{s.lower}, {s.upper}]" for s in symbols_of(graph).values()]
    return f" where {', '.join(ranges)}" if ranges else ""


def _graph_lines(graph: Graph, where: str) -> Iterator[str]:
    header = ", ".join(f"%{name}: {graph.type_of(name)}" for name in graph.inputs)
    yield f"graph({header}){where} {{"
    leading = tuple(n.name for n in graph.nodes[: len(graph.inputs)]) == graph.inputs
    leading = leading and not any(n.attrs for n in graph.nodes[: len(graph.inputs)])
    for node in graph.nodes:
        if not (leading and node.op == "input"):
            yield from ("  " + line for line in _node_lines(node))
    yield f"  return {', '.join('%' + o for o in graph.outputs)}".rstrip()
    yield "}"


def _node_lines(node: Node) -> list[str]:
    attrs = {k: v for k, v in node.attrs.items() if not isinstance(v, Graph)}
    braces = "{" + ", ".join(f"{k}={_value_text(v)}" for k, v in attrs.items()) + "}" if attrs else ""
    if node.op in ("parameter", "constant"):
        lines = [f"%{node.name} = {node.op}{braces}: {node.type}"]
    else:
        results = ", ".join(f"%{o}: {t}" for o, t in zip(node.outputs, node.types))
        lines = [f"{results} = {node.op}({', '.join('%' + i for i in node.inputs)}){braces}"]
    for key, body in node.attrs.items():
        if isinstance(body, Graph):
            first, *rest = _graph_lines(body, "")
            lines[-1] += f" {key} {first}"
            lines += rest
    if node.origin != NO_ORIGIN:
        lines[-1] += "  // " + str(node.origin).replace("\n", " ")
    return lines


def _value_text(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(_value_text(v) for v in value) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Dim):
        return dim_text(value)
    if isinstance(value, Layout):
        return f"layout({value.block})"
    if isinstance(value, Array):
        return _array_text(value)
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if value is None or isinstance(value, (bool, int, DType, TensorType)):
        return str(value)
    raise SolError(f"an attribute of type {type(value).__name__} has no text")


def _array_text(array: Array) -> str:
    value = array.value
    type_ = TensorType(DType.from_numpy(value.dtype), value.shape)
    if value.size > INLINE:
        return f"array({type_}, #{array.digest})"
    return f"array({type_}, [{', '.join(str(v) for v in value.ravel())}])"


# Parsing

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<comment>//[^\n]*)
  | (?P<value>%[A-Za-z0-9_.]+(?:\#\d+)?)
  | (?P<digest>\#[0-9a-f]+)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<number>\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<mark>[()\[\]{}=:,<>?+*/-])
  )""",
    re.VERBOSE,
)
_WORDS = {"True": True, "False": False, "None": None, "inf": float("inf"), "nan": float("nan")}
_DTYPES = {d.value: d for d in DType}
_ENDS = (",", "]", ")", "}")
"""What follows an attribute that is a number alone."""


class _Tokens:
    """The tokens of a text in order, with one behind the last. kinds, texts: of each. where: where each begins in the text."""

    def __init__(self, text: str) -> None:
        self._text = text = text.rstrip()
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.where: list[int] = []
        end = 0
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup
            if match.start() != end or kind is None:
                break
            self.kinds.append(kind)
            self.texts.append(match[kind])
            self.where.append(match.start(kind))
            end = match.end()
        if end < len(text):
            rest = text[end:].lstrip()
            raise SolError(f"IR text, line {self._line(len(text) - len(rest))}: cannot read {rest[:20]!r}")
        self.kinds.append("end")
        self.texts.append("")
        self.where.append(len(text))

    def line(self, number: int) -> int:
        """The line of the text that a token lies in."""
        return self._line(self.where[number])

    def _line(self, position: int) -> int:
        return self._text.count("\n", 0, position) + 1


def parse_graph(text: str, arrays: Mapping[str, np.ndarray] | None = None) -> Graph:
    """The graph that ``graph_text`` printed.

    arrays: by digest, those that the text does not print (see ``arrays_of``). Types are taken from the text; run
    ``verify`` to check them. Raises SolError with the line number for malformed text.
    """
    parser = _Parser(text, arrays or {})
    graph = parser.graph()
    parser.expect("end")
    return graph


class _Parser:
    """Recursive descent over the tokens; one method per part of the syntax."""

    def __init__(self, text: str, arrays: Mapping[str, np.ndarray]) -> None:
        self._tokens = _Tokens(text)
        self._kinds, self._texts = self._tokens.kinds, self._tokens.texts
        self._at = 0
        self._arrays = arrays
        self._ranges = dict(self._declared_ranges())

    @property
    def _next(self) -> str:
        """The text of the next token."""
        return self._texts[self._at]

    @property
    def _line(self) -> int:
        return self._tokens.line(self._at)

    def fail(self, wanted: str) -> SolError:
        return SolError(f"IR text, line {self._line}: expected {wanted}, found {self._next or 'the end'!r}")

    def take(self, what: str) -> str | None:
        """The text of the next token, consumed, if its kind or text is ``what``."""
        at = self._at
        text, kind = self._texts[at], self._kinds[at]
        if kind != what and (text != what or kind == "string"):
            return None
        self._at = at + 1
        return text

    def expect(self, what: str) -> str:
        found = self.take(what)
        if found is None:
            raise self.fail(what)
        return found

    def _declared_ranges(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """``s0 in [2, 1024]`` anywhere: known before the types that use them are read."""
        kinds, texts = self._kinds, self._texts
        for i, text in enumerate(texts):
            if text == "in" and i and kinds[i - 1] == "word" and texts[i + 1 : i + 2] == ["["] and texts[i + 3 : i + 4] == [","]:
                yield texts[i - 1], (int(texts[i + 2]), int(texts[i + 4]))

    def graph(self) -> Graph:
        self.expect("graph")
        self.expect("(")
        header: dict[str, TensorType] = {}
        while not self.take(")"):
            name = self.expect("value")[1:]
            self.expect(":")
            header[name] = self.type()
            self.take(",")
        if self.take("where"):
            while self._next != "{":
                self._at += 1
        self.expect("{")
        nodes: list[Node] = []
        while self.take("return") is None:
            nodes.append(self.node())
        outputs = self.values()
        self.expect("}")
        in_body = {n.name for n in nodes if n.op == "input"}
        leading = [Node(name, "input", (), (t,)) for name, t in header.items() if name not in in_body]
        return graph_of((*leading, *nodes), tuple(header), outputs)

    def values(self) -> tuple[str, ...]:
        found: list[str] = []
        while value := self.take("value"):
            found.append(value[1:])
            if not self.take(","):
                break
        return tuple(found)

    def node(self) -> Node:
        name = self._next[1:]
        types: list[TensorType] = []
        while True:
            value = self.expect("value")[1:]
            if value != (f"{name}#{len(types)}" if types else name):
                raise SolError(f"IR text, line {self._line}: result %{value} does not belong to %{name}")
            if self.take(":"):
                types.append(self.type())
            if not self.take(","):
                break
        self.expect("=")
        op = self.expect("word")
        inputs: tuple[str, ...] = ()
        if op not in ("parameter", "constant"):
            self.expect("(")
            inputs = self.values()
            self.expect(")")
        attrs = self.attrs()
        if self.take(":"):
            types.append(self.type())
        while self._kinds[self._at] == "word" and self._texts[self._at + 1] == "graph":
            key = self.expect("word")
            attrs[key] = self.graph()
        comment = self.take("comment")
        return Node(name, op, inputs, tuple(types), complete_attrs(spec_of(op), attrs), _origin(comment))

    def attrs(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.take("{"):
            while not self.take("}"):
                key = self.expect("word")
                self.expect("=")
                found[key] = self.value()
                self.take(",")
        return found

    def type(self) -> TensorType:
        word = self.expect("word")
        if word not in _DTYPES:
            raise SolError(f"IR text, line {self._line}: {word} is no dtype")
        self.expect("[")
        shape: list[Any] = []
        while not self.take("]"):
            shape.append(self.value())
            self.take(",")
        return TensorType(_DTYPES[word], tuple(shape), self.layout())

    def layout(self) -> Layout:
        """``{c16}`` behind a type; anything else in braces is not ours."""
        texts = self._texts[self._at : self._at + 3]
        if len(texts) == 3 and texts[0] == "{" and texts[2] == "}" and re.fullmatch(r"c\d+", texts[1]):
            self._at += 3
            return Layout(int(texts[1][1:]))
        return PLAIN

    def value(self) -> Any:
        """An attribute: a literal, a tuple, or a size ``a``, ``(a)>(b)?(a):(b)``."""
        at = self._at
        text = self._texts[at]
        if self._kinds[at] == "number" and text.isdigit() and self._texts[at + 1] in _ENDS:  # most are, and need no more
            self._at = at + 1
            return int(text)
        a = self.sum()
        if not self.take(">"):
            return a
        b = self.sum()
        self.expect("?")
        self.value()
        self.expect(":")
        self.value()
        return dim_max(a, b)

    def sum(self) -> Any:
        total = self.product()
        while self._next in ("+", "-"):
            total = total + self.product() if self.take("+") else (self.take("-"), total - self.product())[1]
        return total

    def product(self) -> Any:
        if self.take("-"):
            return -self.product()
        total = self.primary()
        while self._next in ("*", "/"):
            total = total * self.primary() if self.take("*") else (self.take("/"), floor_div(total, self.primary()))[1]
        return total

    def primary(self) -> Any:
        if text := self.take("string"):
            return json.loads(text)
        if text := self.take("number"):
            return int(text) if text.isdigit() else float(text)
        if self.take("("):
            return self.tuple()
        word = self._next
        if word in _DTYPES and self._texts[self._at + 1] == "[":
            return self.type()
        self.expect("word")
        if word in _DTYPES:
            return _DTYPES[word]
        if word in _WORDS:
            return _WORDS[word]
        if word in ("array", "layout") and self.take("("):
            return self.array() if word == "array" else self.blocked()
        if word not in self._ranges:
            raise SolError(f"IR text, line {self._line}: the range of {word} is not declared")
        return Dim.symbol(word, *self._ranges[word])

    def tuple(self) -> Any:
        """Behind ``(``: a tuple, or one value in parentheses."""
        found: list[Any] = []
        comma = False
        while not self.take(")"):
            found.append(self.value())
            if self.take(","):
                comma = True
            elif self._next != ")":
                raise self.fail("',' or ')'")
        return found[0] if len(found) == 1 and not comma else tuple(found)

    def blocked(self) -> Layout:
        block = int(self.expect("number"))
        self.expect(")")
        return Layout(block)

    def array(self) -> Array:
        type_ = self.type()
        self.expect(",")
        if digest := self.take("digest"):
            if digest[1:] not in self._arrays:
                raise SolError(f"the array {digest} is not in the text", remedy="pass arrays_of(graph) to parse_graph")
            found = Array(self._arrays[digest[1:]])
        else:
            self.expect("[")
            elements: list[Any] = []
            while not self.take("]"):
                elements.append(self.value())
                self.take(",")
            found = Array(np.array(elements, type_.dtype.numpy).reshape(type_.shape))
        self.expect(")")
        return found


def _origin(comment: str | None) -> Origin:
    """``// path (source)``."""
    if comment is None:
        return NO_ORIGIN
    text = comment[2:].removeprefix(" ")
    path, mark, source = text.partition(" (")
    return Origin(path, source[:-1]) if mark and source.endswith(")") else Origin(text)
