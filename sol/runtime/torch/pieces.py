"""Pieces of a model that Dynamo captures: each is compiled for the tensors of its calls, or runs in torch.

Dynamo hands over a graph per break-free piece of the model, its parameters lifted to inputs, sizes as SymInt inputs. The piece is
exported with the first call's tensors: parameters stay parameters, sizes are read from the tensors that have them, and other numbers
are literals of the first variant, which are left open in the second.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import is_
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_arg

from sol.config import config
from sol.errors import ConfigError, ExportError, UnsupportedError
from sol.frontend.imported import Imported
from sol.frontend.torch.autocast import enclose, enter_while_tracing
from sol.frontend.torch.capture import Call
from sol.frontend.torch.export import import_piece
from sol.frontend.torch.lazy_modules import lazy_module
from sol.runtime.specializations import Specializations
from sol.runtime.torch.autograd import differentiable
from sol.runtime.torch.checkpoints import for_torch, without_gradients
from sol.runtime.torch.inputs import is_plain, told
from sol.runtime.torch.program import Program, Taken
from sol.runtime.torch.training import MOST_COMPILED, Fixed, Gradients, Habit, is_repeatable

log = logging.getLogger("sol")


@dataclass(frozen=True, slots=True)
class _Placeholder:
    """One input of a captured piece.

    role: "parameter", "tensor", "size" (dimension ``dim`` of input ``source``), "number", or "float" (a Python float, which Dynamo passes
    as 0-d tensor).
    dynamic: dimensions with symbolic size.
    """

    name: str
    role: str
    source: int = -1
    dim: int = -1
    dynamic: tuple[int, ...] = ()


def placeholders_of(module: fx.GraphModule, example_inputs: Sequence[Any]) -> list[_Placeholder]:
    """Roles of all inputs; read now because Dynamo clears its notes after the backend returns."""
    nodes = [n for n in module.graph.nodes if n.op == "placeholder"]
    values = [n.meta.get("example_value", e) for n, e in zip(nodes, example_inputs)]
    sizes: dict[Any, tuple[int, int]] = {}
    for i, value in enumerate(values):
        if isinstance(value, torch.Tensor):
            for d, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt):
                    sizes.setdefault(size.node.expr, (i, d))
    return [_placeholder(n, v, e, sizes) for n, v, e in zip(nodes, values, example_inputs)]


def _placeholder(node: fx.Node, value: Any, example: Any, sizes: Mapping[Any, tuple[int, int]]) -> _Placeholder:
    if isinstance(value, torch.SymInt):
        found = sizes.get(value.node.expr)
        return _Placeholder(node.name, "number") if found is None else _Placeholder(node.name, "size", *found)
    if not isinstance(value, torch.Tensor):
        return _Placeholder(node.name, "number")
    if isinstance(example, torch.nn.Parameter) or node.meta.get("tensor_dict", {}).get("_dynamo_static_input_type"):
        return _Placeholder(node.name, "parameter")
    if value.dim() == 0 and getattr(node.meta.get("grapharg"), "pass_arg_as_tensor", False):  # arrays of numpy come so, too
        return _Placeholder(node.name, "float")
    dynamic = tuple(d for d, size in enumerate(value.shape) if isinstance(size, torch.SymInt))
    return _Placeholder(node.name, "tensor", dynamic=dynamic)


class _Variant:
    """One compilation of a piece."""

    def __init__(self, program: Program, held: dict[str, torch.Tensor], parameters: Sequence[torch.Tensor]) -> None:
        self.program, self._held, self._parameters = program, held, list(parameters)

    def takes(self, args: tuple[Any, ...], parameters: Sequence[torch.Tensor]) -> Taken | None:
        """The call taken apart if this variant is for it; it reads its parameters from there."""
        taken = self.program.take(args, {})
        if taken is None or all(map(is_, parameters, self._parameters)):
            return taken
        self._held.update(zip(self._held, parameters))
        if not self.program.rebind():
            return None
        self._parameters = list(parameters)
        return taken


class Piece:
    """A captured piece: runs a compiled variant that fits the call, or torch.

    Where gradients are needed, the same compiled code runs until the first backward pass, which computes the piece again; from then on
    calls keep what a backward pass needs (`training`).
    options: isa and threads. habit: whether a backward pass is expected of its calls. notify: who is told why the piece runs in torch.
    """

    def __init__(self, module: fx.GraphModule, example_inputs: Sequence[Any], options: Mapping[str, Any], *, habit: Habit | None = None,
                 notify: Callable[[str], None] = lambda reason: None) -> None:  # fmt: skip
        self.module, self.placeholders, self.options = module, placeholders_of(module, example_inputs), options
        self.in_torch = for_torch(module)
        self._notify = notify
        self.variants = Specializations[_Variant]("a piece of the model")
        self._compiled = 0  # variants that were made so far
        self.last: tuple[Program, Mapping[str, int]] | None = None  # what ran at the last call, and its sizes
        self.failure: Exception | None = None
        self._said: set[str] = set()
        self._numbers = [i for i, p in enumerate(self.placeholders) if p.role in ("number", "float")]
        self._parameters = [i for i, p in enumerate(self.placeholders) if p.role == "parameter"]
        self._floats = {i for i, p in enumerate(self.placeholders) if p.role == "float"}
        self._kept = [i for i, p in enumerate(self.placeholders) if p.role != "size"]
        self._keys: set[tuple[Any, ...]] = set()
        self._tensors = [i for i, p in enumerate(self.placeholders) if p.role in ("tensor", "parameter")]
        own = Habit(always=not is_repeatable(module), saves=habit is not None and habit.saves, whole=habit)
        self.gradients = Gradients(self, options, own)
        if not torch.is_grad_enabled() and _turns_gradients_on(module):
            self.failure = UnsupportedError("the model turns gradients on inside")

    def __call__(self, *inputs: Any) -> Any:
        if self.failure is not None:
            return self.in_torch(*inputs)
        with_gradient = torch.is_grad_enabled() and any(isinstance(x, torch.Tensor) and x.requires_grad for x in inputs)
        if with_gradient and self.gradients.habit.saves:
            return self.gradients(inputs)
        parameters = [inputs[i] for i in self._parameters]
        args = tuple([_number(inputs[i]) if i in self._floats else inputs[i] for i in self._kept])
        found = self.variants.find_or_make(lambda v: v.takes(args, parameters), lambda: self._new_variant(inputs, args, parameters))
        if found is None:
            return self.in_torch(*inputs)
        program, taken = found[0].program, found[1]
        self.last = program, taken[1] or {}
        program.refresh_if_stale()
        if with_gradient:
            return differentiable(self._again(inputs), None, program, taken, args, {})
        return program.run(taken, args, {})

    def _again(self, inputs: Sequence[Any]) -> Callable[..., Any]:
        """The piece in torch as a function of the arguments that programs take."""

        def again(*args: Any) -> Any:
            every = list(inputs)
            for i, arg in zip(self._kept, args):
                every[i] = inputs[i] if i in self._floats else arg
            return self.gradients.again(every)

        return again

    # what `training.Trainable` asks for

    def kind(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Sizes and strides of tensors and the numbers of a call."""
        every = [i for i, p in enumerate(self.placeholders) if p.role != "parameter"]
        return tuple([(x.shape, x.stride()) if self.placeholders[i].role == "tensor" else _number(x) for i in every for x in (inputs[i],)])

    def tensors(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        """The tensors among the inputs, parameters too."""
        return [inputs[i] for i in self._tensors]

    def fixed(self, inputs: Sequence[Any]) -> Fixed:
        """The piece as a function of its tensors, with the sizes and numbers of a call."""
        literals = {p.name for p in self.placeholders if p.role in ("number", "float")}
        piece = specialised(self.module, self.placeholders, inputs, literals, lazy=True)
        return Fixed(piece, [k for k, i in enumerate(self._tensors) if self.placeholders[i].role == "parameter"])

    def _say(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            log.info("%s", message)

    def _new_variant(self, inputs: Sequence[Any], args: tuple[Any, ...], parameters: Sequence[torch.Tensor]) -> _Variant | None:
        """A variant for a call that none takes; None if such calls run in torch."""
        if self.failure is not None:  # another thread was faster
            return None
        if self._compiled >= MOST_COMPILED * config["recompile_limit"]:
            self._say(f"a piece was compiled for {self._compiled} input types: further ones run in torch")
            return None
        if not all(is_plain(x) for x in inputs if isinstance(x, torch.Tensor)):
            return None
        own = chain(self.module.named_parameters(remove_duplicate=False), self.module.named_buffers(remove_duplicate=False))
        held = {**{self.placeholders[i].name: inputs[i] for i in self._parameters}, **dict(own)}  # parameters of the call come first
        self._keys.add(tuple([_number(inputs[i]) for i in self._numbers]))
        opened = len(self._keys) > 1
        try:
            for dynamic, numbers in ((not self.variants or opened, opened), (False, opened), (False, False)):
                program = Program(self._import(inputs, dynamic, numbers), held, title="graph of torch.compile", **self.options)
                if program.take(args, {}) is not None:
                    self._compiled += 1
                    return _Variant(program, held, parameters)
            self.failure = UnsupportedError("what was compiled is not for the call that it was compiled for")
        except Exception as error:  # a defect of sol too: in torch the piece runs
            if isinstance(error, ConfigError) or (not isinstance(error, (ExportError, UnsupportedError)) and config["fallback"] != "eager"):
                raise
            self.failure = error
        log.warning("a piece of the model runs in torch: %s", told(self.failure))
        self._notify(str(self.failure))
        return None

    def _import(self, inputs: Sequence[Any], dynamic: bool, open_numbers: bool) -> Imported:
        """The piece as a graph. dynamic: leave sizes open. open_numbers: leave numbers open, too."""
        places = [self.placeholders[i] for i in self._kept]
        values = [_number(inputs[i]) if i in self._floats else inputs[i] for i in self._kept]
        traced = [p.role not in ("number", "float") or (open_numbers and isinstance(v, (int, float))) for p, v in zip(places, values)]
        shapes: list[Any] = [{d: torch.export.Dim.AUTO for d in p.dynamic} or None if dynamic else None for p in places]
        shapes = [torch.export.Dim.DYNAMIC if p.role == "number" else s for p, s in zip(places, shapes)]
        call = Call.of_arguments([v.detach() if isinstance(v, torch.Tensor) else v for v in values], traced)
        parameters = {k: p.name for k, p in enumerate(places) if p.role == "parameter"}
        literals = {p.name for p, t in zip(places, traced) if not t}
        piece = specialised(without_gradients(self.module), self.placeholders, inputs, literals)
        return import_piece(enclose(piece), call, shapes, parameters)


def _turns_gradients_on(module: fx.GraphModule) -> bool:
    """Whether results of a piece that runs without gradients may have some."""
    turns = [n for n in module.graph.nodes if getattr(n.target, "__name__", n.target) in ("_set_grad_enabled", "requires_grad_")]
    return any(n.target == "requires_grad_" or n.args[0] for n in turns)


def specialised(
    module: fx.GraphModule, placeholders: Sequence[_Placeholder], inputs: Sequence[Any], literals: set[str], lazy: bool = False
) -> fx.GraphModule:
    """The piece with sizes read from the tensors that have them, and numbers named in ``literals`` written into it.

    lazy: get code when it first runs, which torch.export does not take."""
    graph = fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    nodes = [n for n in graph.nodes if n.op == "placeholder"]
    for node, placeholder, value in zip(nodes, placeholders, inputs):
        if placeholder.role == "size":
            with graph.inserting_after(nodes[-1]):
                size = graph.call_method("size", (nodes[placeholder.source], placeholder.dim))
            node.replace_all_uses_with(size)
        elif placeholder.name in literals and placeholder.role == "float":
            _replace_float(graph, node, nodes[-1], value)
        elif placeholder.name in literals:
            _replace_by_literal(node, value)
    for node, placeholder in zip(nodes, placeholders):
        if placeholder.role == "size" or placeholder.name in literals:
            graph.erase_node(node)
    enter_while_tracing(graph)
    return lazy_module(module, graph) if lazy else fx.GraphModule(module, graph)


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, torch.Tensor) else value


def _replace_float(graph: fx.Graph, node: fx.Node, last: fx.Node, value: torch.Tensor) -> None:
    """Write a float that comes as 0-d tensor into a piece, which takes its number with ``item()``."""
    for user in list(node.users):
        if user.op == "call_method" and user.target == "item":
            _replace_by_literal(user, value.item())
            graph.erase_node(user)
    if node.users:
        with graph.inserting_after(last):
            node.replace_all_uses_with(graph.call_function(torch.tensor, (value.item(),), {"dtype": value.dtype}))


def _replace_by_literal(node: fx.Node, value: Any) -> None:
    for user in list(node.users):
        user.args = map_arg(user.args, lambda n: value if n is node else n)
        user.kwargs = map_arg(user.kwargs, lambda n: value if n is node else n)
