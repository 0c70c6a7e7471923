"""The torch.compile backend ``sol``: graphs that Dynamo captures become compiled modules when they are first called.

Dynamo hands over a graph per break-free piece of the model, its parameters lifted to inputs, sizes as SymInt inputs. The piece is
exported with the first call's tensors: parameters stay parameters, sizes are read from the tensors that have them, and other numbers
are literals of the variant that is compiled for them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_arg

from sol.config import checked_threads, config
from sol.errors import ConfigError, ExportError, SolError, UnsupportedError
from sol.frontend.export import import_graph_module
from sol.frontend.imported import Imported
from sol.runtime.inputs import only_plain_tensors
from sol.runtime.program import Program

log = logging.getLogger("sol")
_VARIANTS = 8


def sol_backend(module: fx.GraphModule, example_inputs: Sequence[Any], **options: Any) -> Callable[..., Any]:
    """Backend of ``torch.compile(model, backend="sol", options={...})``; compiles at the first call.

    options: isa and threads, as for ``sol.optimize``.
    """
    given = {**(options.pop("options", None) or {}), **options}
    unknown = set(given) - {"isa", "threads"}
    if unknown:
        raise ConfigError(f"unknown options {sorted(unknown)}", remedy="the options are isa and threads")
    checked_threads(given.get("threads"), "to follow torch")
    return _Piece(module, _placeholders(module, example_inputs), given)


@dataclass(frozen=True, slots=True)
class _Placeholder:
    """One input of a captured piece.

    role "parameter", "tensor", "size" (dimension ``dim`` of input ``source``), "number" (specialised), or "float" (a Python float that
    Dynamo passes as 0-d tensor; specialised).
    dynamic: dimensions with symbolic size.
    """

    name: str
    role: str
    source: int = -1
    dim: int = -1
    dynamic: tuple[int, ...] = ()


def _placeholders(module: fx.GraphModule, example_inputs: Sequence[Any]) -> list[_Placeholder]:
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
    if getattr(node.meta.get("grapharg"), "pass_arg_as_tensor", False):
        return _Placeholder(node.name, "float")
    dynamic = tuple(d for d, size in enumerate(value.shape) if isinstance(size, torch.SymInt))
    return _Placeholder(node.name, "tensor", dynamic=dynamic)


@dataclass(frozen=True, slots=True)
class _Variant:
    """One compilation of a piece. tensors: current parameters by target, which the program reads."""

    program: Program
    tensors: dict[str, torch.Tensor]


class _Piece:
    """A captured piece: runs a compiled variant that fits the call, or torch."""

    def __init__(self, module: fx.GraphModule, placeholders: Sequence[_Placeholder], options: Mapping[str, Any]) -> None:
        self.module, self.placeholders, self.options = module, placeholders, options
        self._variants: dict[tuple[Any, ...], list[_Variant]] = {}
        self._said: set[str] = set()
        self._numbers = [i for i, p in enumerate(placeholders) if p.role in ("number", "float")]
        self._tensors = [i for i, p in enumerate(placeholders) if p.role == "tensor"]
        self._parameters = [(i, p.name) for i, p in enumerate(placeholders) if p.role == "parameter"]
        self._lock = threading.RLock()
        self._eager = False

    def __call__(self, *inputs: Any) -> Any:
        if self._eager:
            return self.module(*inputs)
        if torch.is_grad_enabled() and any(isinstance(x, torch.Tensor) and x.requires_grad for x in inputs):
            self._say("gradients are needed: this piece runs in torch (call it under torch.no_grad() to run compiled)")
            return self.module(*inputs)
        key = tuple(_number(inputs[i]) for i in self._numbers)
        tensors = [inputs[i] for i in self._tensors]
        variants = self._variants.setdefault(key, [])
        variant = next((v for v in variants if self._fits(v, inputs, tensors)), None)
        if variant is None:
            with self._lock:
                variant = self._new_variant(inputs, tensors, variants)
            if variant is None:
                return self.module(*inputs)
        variant.program.refresh_if_stale()
        return variant.program.run(tensors)

    def _fits(self, variant: _Variant, inputs: Sequence[Any], tensors: Sequence[torch.Tensor]) -> bool:
        """Whether a variant takes these inputs; it reads its parameters from them."""
        if not variant.program.accepts(tensors):
            return False
        for i, name in self._parameters:
            variant.tensors[name] = inputs[i]
        return variant.program.rebind()

    def _say(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            log.info("%s", message)

    def _new_variant(self, inputs: Sequence[Any], tensors: Sequence[torch.Tensor], variants: list[_Variant]) -> _Variant | None:
        if len(variants) >= _VARIANTS:
            self._say(f"{_VARIANTS} shapes of a piece are compiled: further ones run in torch")
            return None
        if not only_plain_tensors(tuple(tensors), {}):
            return None
        held = {name: inputs[i] for i, name in self._parameters}
        try:
            program = self._program(self._import(inputs, dynamic=not variants), held)
            if program is not None and not program.accepts(tensors):
                program = self._program(self._import(inputs, dynamic=False), held)
        except SolError as error:
            if not isinstance(error, (ExportError, UnsupportedError)) and config["fallback"] != "eager":
                raise
            log.warning("a piece of the model runs in torch: %s", error)
            self._eager = True
            return None
        if program is None or not program.accepts(tensors):
            self._eager = True
            return None
        variants.append(_Variant(program, held))
        return variants[-1]

    def _program(self, imported: Imported, held: Mapping[str, torch.Tensor]) -> Program | None:
        if any(n.op == "torch_call" and n.attrs["reason"] == "batch norm with the statistics of the batch" for n in imported.graph):
            self._say("batch norm in training mode: this piece runs in torch")
            return None
        return Program(imported, held.__getitem__, title="graph of torch.compile", **self.options)

    def _import(self, inputs: Sequence[Any], dynamic: bool) -> Imported:
        kept = [i for i, p in enumerate(self.placeholders) if p.role in ("tensor", "parameter")]
        shapes = tuple({d: torch.export.Dim.AUTO for d in self.placeholders[i].dynamic} or None for i in kept) if dynamic else None
        if shapes is not None and not any(shapes):
            shapes = None
        names = {k: self.placeholders[i].name for k, i in enumerate(kept) if self.placeholders[i].role == "parameter"}
        piece = specialised(self.module, self.placeholders, inputs)
        with torch.no_grad():
            return import_graph_module(piece, [inputs[i].detach() for i in kept], shapes, names)


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, torch.Tensor) else value


def specialised(module: fx.GraphModule, placeholders: Sequence[_Placeholder], inputs: Sequence[Any]) -> fx.GraphModule:
    """The piece with tensors as its only inputs: sizes are read from them, other numbers are literals."""
    graph = fx.Graph()
    copies: dict[fx.Node, fx.Node] = {}
    graph.output(graph.graph_copy(module.graph, copies))
    nodes = [n for n in graph.nodes if n.op == "placeholder"]
    last = nodes[-1]
    for node, placeholder, value in zip(nodes, placeholders, inputs):
        if placeholder.role == "size":
            with graph.inserting_after(last):
                size = graph.call_method("size", (nodes[placeholder.source], placeholder.dim))
            node.replace_all_uses_with(size)
        elif placeholder.role == "number":
            _replace_by_literal(node, value)
        elif placeholder.role == "float":
            for user in list(node.users):
                if user.op == "call_method" and user.target == "item":
                    _replace_by_literal(user, value.item())
                    graph.erase_node(user)
            if node.users:
                with graph.inserting_after(last):
                    node.replace_all_uses_with(graph.call_function(torch.tensor, (value.item(),), {"dtype": value.dtype}))
    for node, placeholder in zip(nodes, placeholders):
        if placeholder.role not in ("tensor", "parameter"):
            graph.erase_node(node)
    return fx.GraphModule(module, graph)


def _replace_by_literal(node: fx.Node, value: Any) -> None:
    for user in list(node.users):
        user.args = map_arg(user.args, lambda n: value if n is node else n)
        user.kwargs = map_arg(user.kwargs, lambda n: value if n is node else n)
