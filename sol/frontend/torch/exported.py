"""One exported program on its way to a graph: what its inputs and results mean to the caller, around the importer of its nodes."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument, TensorArgument
from torch.fx import Node
from torch.utils import _pytree as pytree

from sol.errors import UnsupportedError
from sol.frontend.imported import Imported, InputLeaf, Mutation, OutputLeaf, SymbolSource, ViewStep
from sol.frontend.torch.aliases import Write, mutates, op_name, source_of_view, written
from sol.frontend.torch.aten import dtype_of
from sol.frontend.torch.capture import ROOT, Call, Outcome
from sol.frontend.torch.functionalised import Returned
from sol.frontend.torch.importer import Importer
from sol.frontend.torch.layouts import layout_of
from sol.frontend.torch.numbers import Item
from sol.frontend.torch.policy import Policy
from sol.frontend.torch.strides import is_channels_last, storage_order
from sol.frontend.torch.symbols import SizeError, Sizes
from sol.frontend.torch.trees import Taker
from sol.frontend.trees import Fixed, Group, Leaf, Tree
from sol.ir.dim import Dim, symbols
from sol.ir.graph import Graph, Origin
from sol.ir.types import DType, TensorType

_INLINE_CONSTANT = 1024  # elements; larger tensors stay the module's own


@dataclasses.dataclass(frozen=True)
class Terms:
    """On which terms a program is converted.

    names: qualified name in the program → the name under which the caller knows that tensor (tied ones have several).
    parameters: user inputs (by flat index) that become ``parameter`` nodes of the given target instead of graph inputs.
    smallest: what an open size can be at least.
    arguments: names of the arguments that guards of torch mention; those of `Traced` if none are given.
    torch_at_hand: whether torch is there at the call: it then makes views of results, and takes over what it does faster.
    by_layout: whether the program is right only for inputs that are laid out as its examples.
    differs_with_gradients, asks_gradient_mode: as of `Imported`.
    returned: results for the user, by number, of which is known that they are placeholders or views of them.
    """

    names: Mapping[str, str]
    parameters: Mapping[int, str] = dataclasses.field(default_factory=dict)
    smallest: int = 2
    torch_at_hand: bool = True
    arguments: tuple[str, ...] = ()
    by_layout: bool = False
    differs_with_gradients: bool = False
    asks_gradient_mode: bool = False
    returned: Mapping[int, Returned] = dataclasses.field(default_factory=dict)


class ProgramImport:
    """An exported program being converted. call, outcome: what a trace of `Traced` wrote down; else the program's own structures hold."""

    def __init__(self, program: ExportedProgram, terms: Terms, call: Call | None = None, outcome: Outcome | None = None) -> None:
        self.program, self.terms, self.call, self.outcome = program, terms, call, outcome
        self.sizes = Sizes(program.range_constraints, terms.smallest)
        self.importer = Importer(self.sizes, Policy.of(program.graph) if terms.torch_at_hand else None)
        self.importer.attribute_tensor = self._constant  # type: ignore[method-assign]
        self.constants: dict[str, torch.Tensor] = {}
        self.leaves: list[InputLeaf] = []
        self.bound: dict[Node, tuple[str, int | str]] = {}  # placeholder → (kind, target): whose tensor it is
        self.numbers: dict[str, SymbolSource] = {}  # symbol → the number of the arguments that it is
        self.examples: list[torch.Tensor] = []  # of the caller's graph inputs, as traced
        self.held: list[str] = []
        self.outputs: list[str] = []

    def convert(self, plan: Mapping[Node, Write]) -> Imported:
        """The import. plan: what in-place nodes change."""
        self._bind_inputs(plan)
        before = {n: self.importer.env.get(n) for n in self.bound}
        results = self.importer.run(self.program.graph_module, plan)
        leaves, mutations = self._results(results)
        for node, old in before.items():
            new = self.importer.env.get(node)
            if node in self.importer.written and new is not None and new != old:
                mutations.append(self._mutation(node, new))
        takes, gives, changes, exchanged = self._structure()
        graph = self.importer.finish(self.outputs)
        targets = [n.attrs["target"] for n in graph if n.op == "parameter"]
        keys = {n.attrs["key"] for n in graph if n.op == "torch_call"}
        kept = {*targets, *self.held, *(leaf.value for leaf in leaves if leaf.kind == "held")}
        return Imported(
            graph=graph,
            torch_calls={k: c for k, c in self.importer.torch_calls.items() if k in keys},
            takes=takes,
            gives=gives,
            inputs=self._input_leaves(),
            outputs=tuple(leaves),
            changes=changes,
            parameters={k: t for k, t in self.constants.items() if k in kept},
            zeros=tuple(self.importer.context.zeros),
            held=tuple(self.held),
            mutations=tuple(mutations),
            exchanges=tuple([(target, leaves[i]) for target, i in exchanged]),
            symbols=self._symbol_sources(graph),
            unbacked=frozenset(self.sizes.unbacked),
            conditions=self._conditions(),
            formats=self._formats(leaves),
            layouts=tuple([layout_of(e) for e in self.examples]) if self.terms.by_layout else (),
            differs_with_gradients=self.terms.differs_with_gradients,
            asks_gradient_mode=self.terms.asks_gradient_mode,
        )

    # inputs

    def _bind_inputs(self, plan: Mapping[Node, Write]) -> None:
        """Bind all placeholders: first those of the caller, then tensors that the module holds and the program changes."""
        placeholders = {n.name: n for n in self.program.graph.nodes if n.op == "placeholder"}
        changed = written(plan) | self._written_by_signature(placeholders)
        specs = [(s, placeholders.get(getattr(s.arg, "name", ""))) for s in self.program.graph_signature.input_specs]
        for spec, node in specs:
            if spec.kind is InputKind.USER_INPUT:
                self._bind_user_input(spec.arg, node)
        for spec, node in specs:
            if spec.kind is not InputKind.USER_INPUT:
                self._bind_held(spec, node)
        for node, (kind, target) in self.bound.items():
            if kind == "buffer" and node in changed:
                self._hold(node, str(target))

    def _written_by_signature(self, placeholders: Mapping[str, Node]) -> set[Node | None]:
        """Placeholders that a functionalised program changes."""
        signature = self.program.graph_signature
        inputs = {s.target: placeholders.get(getattr(s.arg, "name", "")) for s in signature.input_specs if s.target is not None}
        changed = {s.target for s in signature.output_specs if s.kind is not OutputKind.USER_OUTPUT}
        if self.outcome is not None:
            changed |= {f"{ROOT}.{target}" for target, _ in self.outcome.exchanged}
        return {inputs.get(t) or placeholders.get(t or "") for t in changed}

    def _bind_held(self, spec: Any, node: Node | None) -> None:
        kind = spec.kind
        if kind is InputKind.TOKEN:
            self.importer.env[node] = None  # type: ignore[index]
            return
        if kind not in (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR) or node is None:
            raise UnsupportedError(f"the model holds an object of torch script class ({spec.arg.name})")
        if kind is InputKind.CONSTANT_TENSOR:
            tensor = self.program.constants[spec.target]
            target = f"const:{spec.target}"
            self.constants[target] = tensor
            self.importer.lazy[node] = lambda: self._constant(spec.target, tensor)
        else:
            target = self._name(spec.target)
            self._lazy_parameter(node, target)
            tensor = self.program.state_dict.get(spec.target, self.program.constants.get(spec.target))
            if isinstance(tensor, torch.Tensor):
                self.importer.context.contents[target] = tensor
        self.bound[node] = ("buffer", target)

    def _name(self, target: str) -> str:
        return self.terms.names.get(target, target)

    def _hold(self, node: Node, target: str) -> None:
        """A tensor of the module that the program changes comes in like one of the caller."""
        self.importer.env[node] = self.importer.builder.input(node.name, self._type(node.meta["val"], target))
        self.held.append(target)

    def _lazy_parameter(self, node: Node, target: str) -> None:
        self.importer.lazy[node] = lambda: self.importer.builder.parameter(target, self._type(node.meta["val"], target))

    def _bind_user_input(self, argument: Any, node: Node | None) -> None:
        flat = len(self.leaves)
        if isinstance(argument, ConstantArgument):
            self.leaves.append(InputLeaf("constant", value=argument.value))
            if node is not None:
                self.importer.env[node] = argument.value
            return
        if isinstance(argument, SymIntArgument) and node is not None and self.call is not None:
            self._bind_number(node)
            return
        if not isinstance(argument, TensorArgument) or node is None:
            raise UnsupportedError(f"input {argument.name} is a symbolic number", remedy="pass numbers as constants or as 0-d tensors")
        if flat in self.terms.parameters:
            target = self.terms.parameters[flat]
            self._lazy_parameter(node, target)
            self.bound[node] = ("buffer", target)
            self.leaves.append(InputLeaf("parameter", value=target))
            return
        index = len(self.examples)
        self.examples.append(node.meta["val"])
        self.importer.env[node] = self.importer.builder.input(node.name, self._type(node.meta["val"], f"input {node.name}"))
        self.bound[node] = ("input", index)
        is_float = self.call is not None and isinstance(self.call.leaves[self.call.traced[flat]], float)
        self.leaves.append(InputLeaf("float" if is_float else "tensor" if node.users else "unused", index))

    def _bind_number(self, node: Node) -> None:
        """An int among the arguments that is a symbol of the graph."""
        assert self.call is not None
        leaf = self.call.traced[len(self.leaves)]
        value = node.meta["val"]
        if isinstance(value, int):  # torch found that it must be this one
            self.leaves.append(InputLeaf("constant", value=value))
            self.importer.env[node] = value
            return
        dim = self.sizes.number(value)
        linear = _linear(dim)
        if linear is None or linear[1:] != (1, 0):
            raise UnsupportedError(f"a number of the arguments became the size {dim}")
        self.importer.env[node] = dim
        (symbol,) = symbols(dim)
        self.numbers[symbol.name] = SymbolSource(leaf, None, lower=symbol.lower, upper=symbol.upper)
        self.importer.context.numbers[symbol.name] = self.importer.builder.input(node.name, TensorType(DType.I64, ()))
        self.leaves.append(InputLeaf("int", len(self.examples), symbol.name))
        self.examples.append(torch.tensor(0))

    def _type(self, meta: torch.Tensor, what: str) -> TensorType:
        try:
            return TensorType(dtype_of(meta.dtype), self.sizes.shape(meta.shape))
        except UnsupportedError as error:
            raise UnsupportedError(f"{what}: {error.message}", remedy=error.remedy) from None
        except SizeError as error:
            raise UnsupportedError(f"{what} has size {error}", remedy="compile with fixed shapes") from None

    def _constant(self, target: str, tensor: torch.Tensor) -> str:
        """Small literals go into the graph, large tensors stay torch's under ``const:...``. Raises UnsupportedError for sparse ones."""
        if tensor.layout is not torch.strided:
            raise UnsupportedError(f"the constant {target} has the layout {tensor.layout}", remedy="make it dense with to_dense()")
        dtype = dtype_of(tensor.dtype)
        is_plain = tensor.dtype != torch.bfloat16 and not dtype.is_opaque and tensor.device.type == "cpu"
        if tensor.numel() <= _INLINE_CONSTANT and is_plain:
            return self.importer.builder.constant(tensor.detach().numpy(), dtype)
        name = f"const:{target}"
        self.constants[name] = tensor
        return self.importer.builder.parameter(name, TensorType(dtype, tuple(tensor.shape)))

    def _symbol_sources(self, graph: Graph) -> dict[str, SymbolSource]:
        """Where each symbol is read: a number of the arguments, or a dimension that is ``scale * symbol + offset``, the plainest one."""
        found = dict(self.numbers)
        every: set[str] = set()
        for node in graph if self.sizes.symbolic else ():
            for t in node.types:
                every.update(s.name for d in t.shape if isinstance(d, Dim) for s in symbols(d))
        for index, name in enumerate(graph.inputs):
            for position, dim in enumerate(graph.type_of(name).shape):
                linear = _linear(dim)
                if linear is not None and (linear[0] not in found or found[linear[0]].scale > linear[1]):
                    found[linear[0]] = SymbolSource(index, position, linear[1], linear[2])
        missing = every - set(found) - self.sizes.unbacked
        if missing:
            raise UnsupportedError(f"sizes {sorted(missing)} cannot be read from the inputs", remedy="compile with fixed shapes")
        return found

    def _conditions(self) -> tuple[str, ...]:
        """What torch assumed about sizes while tracing, over leaves of the arguments."""
        found = []
        if self.call is None:
            return ()
        places = {f"L[{name!r}]": f"leaf[{leaf}]" for name, leaf in zip(self.terms.arguments, self.call.traced)}
        if not places:
            places = {f"L['traced'][{i}]": f"leaf[{leaf}]" for i, leaf in enumerate(self.call.traced)}
        for guard in getattr(self.program, "_guards_code", None) or ():
            for theirs, ours in places.items():
                guard = guard.replace(theirs, ours)
            if "L[" in guard:
                raise UnsupportedError(f"torch assumed of the inputs: {guard}", remedy="compile with fixed shapes")
            found.append(guard)
        return tuple(dict.fromkeys(found))

    # structure

    def _structure(self) -> tuple[Group, Tree, tuple[tuple[int, Group], ...], tuple[tuple[str, int], ...]]:
        """Trees of arguments and result, changes of the caller's containers, and exchanged buffers."""
        if self.call is not None and self.outcome is not None:
            return self.call.tree, self.outcome.result, self.outcome.changes, self.outcome.exchanged
        spec = self.program.call_spec
        takes = _tree_of(spec.in_spec) if self.call is None else self.call.tree
        assert isinstance(takes, Group)
        return takes, _tree_of(spec.out_spec), (), ()

    def _input_leaves(self) -> tuple[InputLeaf, ...]:
        """One for each leaf of the arguments; those that were not traced are constants."""
        if self.call is None:
            return tuple(self.leaves)
        traced = dict(zip(self.call.traced, self.leaves))
        return tuple([traced.get(i) or InputLeaf("constant", value=v) for i, v in enumerate(self.call.leaves)])

    # outputs

    def _output(self, value: str) -> int:
        """Make a value a result of the graph; its index."""
        self.outputs.append(value)
        return len(self.outputs) - 1

    def _mutation(self, node: Node, new: str) -> Mutation:
        """The new content of a caller's tensor. Raises UnsupportedError where it has another shape than the tensor."""
        shape, old = self.importer.builder.type_of(new).shape, self.importer.context.meta_type(node.meta["val"]).shape
        if shape != old:
            raise UnsupportedError(
                f"a tensor {list(old)} from outside the model gets the shape {list(shape)} in place", remedy="make a view of it instead"
            )
        return Mutation(self._output(new), *self.bound[node])

    def _results(self, results: Any) -> tuple[list[OutputLeaf], list[Mutation]]:
        placeholders = {n.name: n for n in self.program.graph.nodes if n.op == "placeholder"}
        mutations: list[Mutation] = []
        user: list[Any] = []
        for spec, result in zip(self.program.graph_signature.output_specs, results):
            if spec.kind is OutputKind.USER_OUTPUT:
                user.append(result)
            elif spec.kind is OutputKind.USER_INPUT_MUTATION:
                mutations.append(self._mutation(placeholders[spec.target], self.importer.argument(result)))
            elif spec.kind in (OutputKind.BUFFER_MUTATION, getattr(OutputKind, "PARAMETER_MUTATION", None)):
                mutations.append(Mutation(self._output(self.importer.argument(result)), "buffer", self._name(spec.target)))
            elif spec.kind is not OutputKind.TOKEN:
                raise UnsupportedError(f"exported output of kind {spec.kind}")
        origins = {r: self._origin_of(r) for r in user if isinstance(r, Node)}
        sharing = _shared(origins)
        seen: dict[Node, tuple[int, tuple[ViewStep, ...]]] = {}
        return [self._given_back(i, placeholders) or self._leaf(r, origins, sharing, seen) for i, r in enumerate(user)], mutations

    def _given_back(self, number: int, placeholders: Mapping[str, Node]) -> OutputLeaf | None:
        """A result for the user that is a tensor of the caller or of the module, or a view of it."""
        name, steps = self.terms.returned.get(number, ("", ()))
        kind, target = self.bound.get(placeholders[name], ("", "")) if name in placeholders and self.terms.torch_at_hand else ("", "")
        return _outside(kind, target, steps) if kind else None

    def _leaf(
        self, result: Any, origins: Mapping[Node, tuple[Node, tuple[ViewStep, ...]]], sharing: set[Node],
        seen: dict[Node, tuple[int, tuple[ViewStep, ...]]],
    ) -> OutputLeaf:  # fmt: skip
        if not isinstance(result, Node):
            value = self.importer.argument(result)
            return OutputLeaf("size", value=value) if isinstance(value, Dim) else OutputLeaf("constant", value=value)
        base, steps = origins[result] if self.terms.torch_at_hand else (result, ())
        kind, target = self.bound.get(base, ("", ""))
        if kind == "input" or (kind == "buffer" and self.terms.torch_at_hand):
            return _outside(kind, target, steps)
        if base not in sharing and not _as_large(result, base):
            base, steps = result, ()
        value = self.importer.value(base)
        if isinstance(value, Item):
            return OutputLeaf("item", self._output(value.value))
        if not isinstance(value, str):
            return OutputLeaf("size", value=value) if isinstance(value, Dim) else OutputLeaf("constant", value=value)
        if base not in seen:
            seen[base] = self._computed(base, value)
        index, own = seen[base]
        return OutputLeaf("tensor", index, views=own + steps)

    def _computed(self, node: Node, value: str) -> tuple[int, tuple[ViewStep, ...]]:
        """A computed result with memory of its own; how torch's strides are had from it, which is stored row by row."""
        builder = self.importer.builder
        source = builder.node(value).op
        if builder.type_of(value).dtype.is_opaque or (source == "torch_call" and value not in self.outputs):
            return self._output(value), ()  # torch gave it its strides
        order = storage_order(node.meta["val"]) if self.terms.torch_at_hand else None
        if order is not None:
            value = builder.add("permute", [value], name=node.name, origin=Origin(), order=order)
        if value in self.outputs or source in ("input", "parameter"):
            value = builder.add("copy", [value], name=node.name, origin=Origin())
        back = () if order is None else (ViewStep(torch.Tensor.permute, (tuple(order.index(d) for d in range(len(order))),)),)
        return self._output(value), back

    def _origin_of(self, result: Node) -> tuple[Node, tuple[ViewStep, ...]]:
        """The node that owns the memory of a result, and the views that lead from there to it."""
        steps: list[ViewStep] = []
        node = result
        while True:
            while node.op == "call_function" and mutates(node.target):
                node = node.args[0]  # type: ignore[assignment]
            found = None if node in self.bound else self._step(node)
            if found is None:
                return node, tuple(reversed(steps))
            node, step = found
            steps.append(step)

    def _step(self, node: Node) -> tuple[Node, ViewStep] | None:
        """The node that this one is a view of, and how."""
        if node.target is operator.getitem:
            source = node.args[0]
            if not isinstance(source, Node) or isinstance(source.meta.get("val"), torch.Tensor) or self._step(source) is None:
                return None  # several views of which data decide have no tensor that they all begin with
            return source, ViewStep(operator.getitem, (node.args[1],))
        source = source_of_view(node)
        if source is None:
            return None
        try:
            args = tuple([self._literal(a) for a in node.args[1:]])
            kwargs = tuple((k, self._literal(v)) for k, v in node.kwargs.items())
        except _NoLiteral:
            return None
        return source, ViewStep(node.target, args, kwargs)  # type: ignore[arg-type]

    def _literal(self, argument: Any) -> Any:
        """An argument of a view as a literal or a size."""
        if isinstance(argument, Node):
            value = self.importer.value(argument)
            if isinstance(value, (int, Dim)) and not self.sizes.is_unbacked(value):
                return value
            raise _NoLiteral
        if isinstance(argument, (list, tuple)):
            return tuple([self._literal(a) for a in argument])
        return argument

    def _formats(self, leaves: Sequence[OutputLeaf]) -> tuple[bool | None, ...]:
        """For which inputs the memory format decides that of results."""
        if not any(leaf.kind == "tensor" and self.importer.builder.type_of(self.outputs[leaf.index]).rank > 2 for leaf in leaves):
            return ()
        found = tuple(is_channels_last(e) if e.dim() in (4, 5) else None for e in self.examples)
        return found if any(f is not None for f in found) else ()


def _outside(kind: str, target: int | str, steps: tuple[ViewStep, ...]) -> OutputLeaf:
    """A view of a tensor of the caller or of the module."""
    return OutputLeaf("input", int(target), views=steps) if kind == "input" else OutputLeaf("held", value=target, views=steps)


class _NoLiteral(Exception):
    """An argument that is known only at run time."""


def _shared(origins: Mapping[Node, tuple[Node, tuple[ViewStep, ...]]]) -> set[Node]:
    """Nodes whose memory is that of a result and of another one that is a view of it."""
    users: dict[Node, set[Node]] = {}
    for result, (base, _) in origins.items():
        users.setdefault(base, set()).add(result)
    return {base for base, results in users.items() if len(results) > 1 or base in results}


def _as_large(view: Node, base: Node) -> bool:
    """Whether a view has all elements of its base."""
    a, b = view.meta.get("val"), base.meta.get("val")
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor) or a.dtype != b.dtype:
        return False
    return op_name(view.target) not in ("expand", "as_strided") and bool(a.numel() == b.numel())


def _tree_of(spec: pytree.TreeSpec) -> Tree:
    """The tree of a structure that torch's pytree describes."""
    places = [Leaf(i) for i in range(spec.num_leaves)]
    taker = Taker(lambda value: isinstance(value, Leaf))
    return _renumbered(taker(pytree.tree_unflatten(places, spec)), taker.leaves)


def _renumbered(tree: Tree, leaves: Sequence[Leaf]) -> Tree:
    if isinstance(tree, Leaf):
        return leaves[tree.index]
    if isinstance(tree, Group):
        return dataclasses.replace(tree, parts=tuple([_renumbered(p, leaves) for p in tree.parts]))
    return tree if not isinstance(tree, Fixed) else Fixed(tree.value)


def _linear(dim: Any) -> tuple[str, int, int] | None:
    """(symbol, scale, offset) of a dimension ``scale * symbol + offset``."""
    if not isinstance(dim, Dim):
        return None
    offset, found = 0, None
    for monomial, coefficient in dim.terms:
        if not monomial:
            offset = coefficient
        elif found is None and len(monomial) == 1 and type(monomial[0]).__name__ == "Symbol" and coefficient > 0:
            found = (monomial[0].name, coefficient)  # type: ignore[union-attr]
        else:
            return None
    return None if found is None else (*found, offset)
