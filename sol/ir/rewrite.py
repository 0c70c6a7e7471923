"""The only way to change a Graph: an Editor adds nodes, redirects uses, and gives a sorted graph without dead nodes.

Changes of a whole graph that need none (other outputs, only what is needed) are functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

from sol.errors import SolError
from sol.ir.builder import GraphBuilder, graph_of
from sol.ir.data_sizes import definers
from sol.ir.graph import NO_ORIGIN, SOURCES, Graph, Node, Origin
from sol.ir.types import TensorType


def with_outputs(graph: Graph, outputs: Iterable[str]) -> Graph:
    """The same nodes with other outputs, which are values of the graph."""
    return graph_of(graph.nodes, graph.inputs, tuple(outputs))


def in_order(nodes: Iterable[Node], inputs: Sequence[str], outputs: Sequence[str]) -> Graph:
    """The graph of those nodes, given in any order, that an output needs; a cycle is an error that names its nodes."""
    return Editor(Graph(tuple(nodes), tuple(inputs), tuple(outputs))).finish()


def pruned(graph: Graph) -> Graph:
    """The graph without nodes that no output needs (inputs stay), sources first."""
    needed = {o.partition("#")[0] for o in graph.outputs}
    definer = definers(graph.nodes)
    for node in reversed(graph.nodes):
        if node.name in needed:
            needed.update(i.partition("#")[0] for i in (*node.inputs, *definer.get(node.name, ())))
    kept = [n for n in graph.nodes if n.name in needed or n.op == "input"]
    ordered = [*(n for n in kept if n.op in SOURCES), *(n for n in kept if n.op not in SOURCES)]
    return graph_of(ordered, graph.inputs, graph.outputs)


class Editor:
    """A mutable view of one graph. Values are strings as in the graph."""

    def __init__(self, graph: Graph) -> None:
        self._builder = GraphBuilder()
        self._nodes: dict[str, Node] = self._builder._nodes
        self._nodes.update({n.name: n for n in graph.nodes})
        for n in graph.nodes:
            if n.op == "parameter":
                self._builder._parameters[n.attrs["target"]] = n.name
            elif n.op == "constant":
                self._builder._constants[f"{n.attrs['dtype']}{n.attrs['value'].digest}"] = n.name
        self._inputs = list(graph.inputs)
        self._outputs = list(graph.outputs)
        self._definers: dict[str, tuple[str, ...]] = {}
        self._users: dict[str, dict[str, None]] = {}
        for n in graph.nodes:
            self._link(n)

    def _link(self, node: Node) -> None:
        for value in node.inputs:
            self._users.setdefault(value, {})[node.name] = None

    def nodes(self) -> list[Node]:
        """A snapshot of the current nodes; new ones come last."""
        return list(self._nodes.values())

    @overload
    def producer(self, value: str) -> Node: ...

    @overload
    def producer(self, value: str, op: str | None) -> Node | None: ...

    def producer(self, value: str, op: str | None = None) -> Node | None:
        """The node that computes ``value`` if its op is ``op`` (or any)."""
        node = self._nodes[value.partition("#")[0]]
        return node if op is None or node.op == op else None

    def exists(self, node: Node) -> bool:
        return self._nodes.get(node.name) is node

    def users(self, value: str) -> list[Node]:
        return [self._nodes[n] for n in self._users.get(value, ())]

    def is_output(self, value: str) -> bool:
        return value in self._outputs

    def sole_user(self, value: str) -> Node | None:
        """The one node that reads ``value``, if it is read once and is not a graph output."""
        users = self.users(value)
        if len(users) != 1 or self.is_output(value) or users[0].inputs.count(value) != 1:
            return None
        return users[0]

    def type_of(self, value: str) -> TensorType:
        return self._builder.type_of(value)

    def constant(self, value: Any, dtype: Any = None) -> str:
        return self._builder.constant(value, dtype)

    def add(self, op: str, inputs: Sequence[str], *, name: str = "", origin: Origin = NO_ORIGIN, **attrs: Any) -> Any:
        """A new node; returns its value or values."""
        result = self._builder.add(op, inputs, name=name, origin=origin, **attrs)
        self._link(self._nodes[(result if isinstance(result, str) else result[0]).partition("#")[0]])
        return result

    def insert(self, node: Node) -> str:
        """Add a ready-made node (its name must be new); returns its first value."""
        if node.name in self._nodes:
            raise SolError(f"node {node.name} exists already")
        self._nodes[node.name] = node
        self._link(node)
        return node.name

    def fresh_name(self, hint: str) -> str:
        return self._builder.fresh_name(hint)

    def replace(self, old: str, new: str) -> None:
        """Redirect every use of value ``old`` (graph outputs too) to ``new``."""
        if old == new:
            return
        for user in self.users(old):
            if user.name == new.partition("#")[0]:
                continue
            self.update(user, inputs=tuple(new if i == old else i for i in user.inputs))
        self._outputs = [new if o == old else o for o in self._outputs]

    def update(
        self,
        node: Node,
        *,
        inputs: tuple[str, ...] | None = None,
        types: tuple[TensorType, ...] | None = None,
        attrs: Any = None,
    ) -> Node:
        """Change a node in place, keeping its name; types are taken as given (not inferred again)."""
        changed = Node(
            node.name,
            node.op,
            node.inputs if inputs is None else inputs,
            types or node.types,
            node.attrs if attrs is None else attrs,
            node.origin,
        )
        for value in set(node.inputs) - set(changed.inputs):
            self._users[value].pop(node.name, None)
        self._nodes[node.name] = changed
        self._link(changed)
        return changed

    def set_outputs(self, outputs: Iterable[str]) -> None:
        self._outputs = list(outputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(self._outputs)

    def erase(self, node: Node) -> None:
        """Remove a node that nothing reads."""
        if node.op == "input" or any(self._users.get(o) or self.is_output(o) for o in node.outputs):
            raise SolError(f"%{node.name} cannot be erased: it is an input, an output or still read")
        self._forget(node)

    def erase_dead(self, node: Node) -> list[Node]:
        """Remove a node if nothing reads it, and then what only it read; sources stay. Returns the removed nodes."""
        removed: list[Node] = []
        pending = [node.name]
        while pending:
            found = self._nodes.get(pending.pop())
            if (
                found is None
                or found.op in SOURCES
                or any(self._users.get(o) or self.is_output(o) for o in found.outputs)
            ):
                continue
            self._forget(found)
            removed.append(found)
            pending.extend(i.partition("#")[0] for i in found.inputs)
        return removed

    def _forget(self, node: Node) -> None:
        for value in set(node.inputs):
            self._users[value].pop(node.name, None)
        del self._nodes[node.name]
        for known in (self._builder._constants, self._builder._parameters):
            for key in [k for k, name in known.items() if name == node.name] if node.op in SOURCES else ():
                del known[key]

    def finish(self) -> Graph:
        """The changed graph: dead nodes dropped, inputs kept, sorted, and otherwise in the order the nodes had."""
        self._definers = definers(self._nodes.values())
        live = self._live()
        order: list[Node] = []
        placed: set[str] = set()
        for root in self._nodes:
            if root in live and root not in placed:
                self._place(root, order, placed)
        graph = Graph(tuple(order), tuple(self._inputs), tuple(self._outputs))
        vars(graph)["is_finished"] = True
        return graph

    def _live(self) -> set[str]:
        """Names of the inputs and of all nodes that an output needs."""
        live: set[str] = set(self._inputs)
        pending = [o.partition("#")[0] for o in self._outputs]
        while pending:
            name = pending.pop()
            if name not in live:
                live.add(name)
                pending.extend(i.partition("#")[0] for i in self._needs(name))
        return live

    def _needs(self, name: str) -> tuple[str, ...]:
        """What must come before a node: what defines the sizes that it mentions, and its operands."""
        return (*self._definers.get(name, ()), *self._nodes[name].inputs)

    def _place(self, root: str, order: list[Node], placed: set[str]) -> None:
        """Append ``root`` behind everything it needs (depth first); a cycle is an error that names its nodes."""
        path: dict[str, Iterator[str]] = {root: iter(self._needs(root))}
        while path:
            name = next(reversed(path))
            for value in path[name]:
                producer = value.partition("#")[0]
                if producer in path:
                    names = list(path)
                    cycle = " <- ".join(f"%{n}" for n in [*names[names.index(producer) :], producer])
                    raise SolError(f"the graph has a cycle: {cycle}", origin=str(self._nodes[producer].origin))
                if producer not in placed:
                    path[producer] = iter(self._needs(producer))
                    break
            else:
                del path[name]
                placed.add(name)
                order.append(self._nodes[name])


Rule = Callable[[Editor, Node], "str | tuple[str, ...] | None"]


def rule(*ops: str) -> Callable[[Rule], Rule]:
    """Mark a function as a rewrite rule for nodes of the given ops; its docstring states the equation."""

    def mark(function: Rule) -> Rule:
        function.ops = ops  # type: ignore[attr-defined]
        return function

    return mark


def apply_rules(graph: Graph, rules: Sequence[Rule], limit: int = 100_000) -> Graph:
    """Apply rules to every node until none matches.

    A rule returns the value (or values) that replace the node's outputs, or None. Types of the replacement must match.
    """
    by_op: dict[str, list[Rule]] = {}
    for r in rules:
        for name in r.ops:  # type: ignore[attr-defined]
            by_op.setdefault(name, []).append(r)
    editor = Editor(graph)
    pending = [n.name for n in graph.nodes]
    done = 0
    while pending:
        again: dict[str, None] = {}
        for name in pending:
            node = editor._nodes.get(name)
            if node is None or node.op not in by_op:
                continue
            for r in by_op[node.op]:
                before = len(editor._nodes)
                result = r(editor, node)
                if result is None:
                    continue
                done += 1
                if done > limit:
                    raise SolError(f"rewriting does not end; the last rule was {r.__name__}")
                values = (result,) if isinstance(result, str) else result
                if len(values) != len(node.outputs):
                    raise SolError(
                        f"rule {r.__name__} gave {len(values)} values for the {len(node.outputs)} of %{node.name}",
                        origin=str(node.origin),
                    )
                for old, new in zip(node.outputs, values):
                    if editor.type_of(old) != editor.type_of(new):
                        raise SolError(
                            f"rule {r.__name__} changed %{old}: {editor.type_of(old)} to {editor.type_of(new)}",
                            origin=str(node.origin),
                        )
                    editor.replace(old, new)
                    again.update((u.name, None) for u in editor.users(new))
                again.update((n, None) for n in list(editor._nodes)[before:])
                for gone in editor.erase_dead(node):  # what it read may have a sole user now
                    again.update((u.name, None) for value in gone.inputs for u in editor.users(value))
                break
        pending = list(again)
    return editor.finish() if done or not graph.is_finished else graph
