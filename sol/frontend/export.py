"""nn.Module → torch.export (non-strict) → Graph."""

from __future__ import annotations

import gc
import logging
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, TensorArgument
from torch.fx import GraphModule, Node

from sol.errors import ExportError, SolError, UnsupportedError
from sol.frontend.aliases import Write, mutates, writes
from sol.frontend.aten import dtype_of
from sol.frontend.imported import Imported, InputLeaf, Mutation, OutputLeaf, SymbolSource
from sol.frontend.importer import Importer, Item, NeedsFunctional
from sol.frontend.symbols import SizeError, Sizes
from sol.ir.dim import Dim, symbols
from sol.ir.graph import Graph, Origin
from sol.ir.types import TensorType

_mutex = threading.RLock()  # torch.export works on global state and puts fake tensors into the module
_INLINE_CONSTANT = 1024  # elements; larger tensors stay the module's own


def import_module(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, dynamic_shapes: Any = None,
    *, smallest: int = 2,
) -> Imported:  # fmt: skip
    """Capture a module in eval mode with torch.export and convert it; its training flags are left as they were.

    smallest: as for `import_exported`.
    Raises ExportError where torch.export cannot capture the module.
    """
    with _eval_mode(module):
        program = export_module(module, args, kwargs, dynamic_shapes)
    return import_exported(program, names=tensor_names(module), smallest=smallest)


def export_module(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, dynamic_shapes: Any = None
) -> ExportedProgram:
    """torch.export of a module, its failure as ExportError."""
    try:
        with _mutex, _inference_mode_of(module), torch.no_grad(), warnings.catch_warnings(), _quiet():
            warnings.simplefilter("ignore")
            return torch.export.export(module, tuple(args), dict(kwargs or {}), dynamic_shapes=dynamic_shapes, strict=False)
    except SolError:
        raise
    except Exception as error:
        lines = [line for line in str(error).strip().splitlines() if line.strip()][:6]
        raise ExportError(
            f"torch.export cannot capture {type(module).__name__}: {type(error).__name__}: " + "\n    ".join(lines),
            remedy='use torch.compile(model, backend="sol"), which splits the model at such places, or fallback="eager"',
        ) from error


def _inference_mode_of(module: torch.nn.Module) -> AbstractContextManager[Any]:
    """Inference mode if the module was made in it: only there may torch copy its tensors."""
    inference = any(t.is_inference() for t in (*module.parameters(), *module.buffers()))
    return torch.inference_mode() if inference else nullcontext()


@contextmanager
def _quiet() -> Iterator[None]:
    """torch does not log the failure inside that the caller gets as an exception."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    disabled, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = disabled


@contextmanager
def _eval_mode(module: torch.nn.Module) -> Iterator[None]:
    """Eval mode inside, the mode of every submodule restored outside."""
    modes = [(m, m.training) for m in module.modules() if m.training]
    for m, _ in modes:
        m.training = False
    try:
        yield
    finally:
        for m, mode in modes:
            m.training = mode


def tensor_names(module: torch.nn.Module) -> dict[str, str]:
    """Every name of a parameter or buffer → the first name of that tensor (tied ones have several)."""
    first: dict[int, str] = {}
    names: dict[str, str] = {}
    for named in (module.named_parameters(remove_duplicate=False), module.named_buffers(remove_duplicate=False)):
        for name, tensor in named:
            names[name] = first.setdefault(id(tensor), name)
    return names


def import_exported(
    program: ExportedProgram, names: Mapping[str, str] | None = None, parameter_inputs: Mapping[int, str] | None = None,
    *, smallest: int = 2,
) -> Imported:  # fmt: skip
    """Convert an exported program.

    names: qualified name → the name under which a tied tensor is known; by default tied tensors of the program's state dict are found.
    parameter_inputs: user inputs (by flat index) that become ``parameter`` nodes of the given target instead of graph inputs.
    smallest: what an open size can be at least.
    """
    if names is None:
        first: dict[int, str] = {}
        names = {n: first.setdefault(id(t), n) for n, t in program.state_dict.items()}
    with collector_paused():
        return _import(program, names, parameter_inputs or {}, smallest)


@contextmanager
def collector_paused() -> Iterator[None]:
    """No garbage collection inside: compiling makes few cycles, and a full collection walks all objects of torch (0.3 s)."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _import(program: ExportedProgram, names: Mapping[str, str], parameter_inputs: Mapping[int, str], smallest: int) -> Imported:
    """Convert with in-place ops as new values, or functionalised by torch where that is not possible."""
    plan = writes(program.graph)
    try:
        if plan is not None:
            return _Program(program, names, parameter_inputs, smallest).convert(plan)
    except NeedsFunctional:
        pass
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            functional = program.run_decompositions({})
    except Exception as error:
        raise ExportError(f"torch cannot functionalise the model: {str(error).splitlines()[0]}", remedy='use fallback="eager"') from error
    return _Program(functional, names, parameter_inputs, smallest).convert({})


def import_graph_module(
    module: GraphModule, example_inputs: Sequence[Any], dynamic_shapes: Any = None, parameter_inputs: Mapping[int, str] | None = None
) -> Imported:
    """Convert a torch-level graph module (as Dynamo makes them) on tensors; ``parameter_inputs`` as for `import_exported`."""
    program = export_module(module, tuple(example_inputs), None, dynamic_shapes)
    return import_exported(program, names=tensor_names(module), parameter_inputs=parameter_inputs)


class _Program:
    """One exported program being converted: signature and structure around the importer."""

    def __init__(self, program: ExportedProgram, names: Mapping[str, str], parameter_inputs: Mapping[int, str], smallest: int) -> None:
        self.program, self.names, self.parameter_inputs = program, names, parameter_inputs
        self.sizes = Sizes(program.range_constraints, smallest)
        self.importer = Importer(self.sizes)
        self.importer.attribute_tensor = self._constant  # type: ignore[method-assign]
        self.constants: dict[str, torch.Tensor] = {}
        self.leaves: list[InputLeaf] = []
        self.bound: dict[Node, tuple[str, int | str]] = {}  # placeholder → (kind, target) of a mutation
        self.inputs = 0

    def convert(self, plan: Mapping[Node, Write]) -> Imported:
        placeholders = {n.name: n for n in self.program.graph.nodes if n.op == "placeholder"}
        for spec in self.program.graph_signature.input_specs:
            self._bind(spec, placeholders.get(getattr(spec.arg, "name", "")))
        before = {n: self.importer.env.get(n) for n in self.bound}
        results = self.importer.run(self.program.graph_module, plan)
        outputs: list[str] = []
        leaves, mutations = self._results(results, placeholders, outputs)
        for node, old in before.items():
            new = self.importer.env.get(node)
            if node in self.importer.written and new is not None and new != old:
                mutations.append(Mutation(len(outputs), *self.bound[node]))
                outputs.append(new)
        graph = self.importer.finish(outputs)
        targets = [n.attrs["target"] for n in graph if n.op == "parameter"]
        keys = {n.attrs["key"] for n in graph if n.op == "torch_call"}
        spec = self.program.call_spec
        return Imported(
            graph=graph,
            torch_calls={k: c for k, c in self.importer.torch_calls.items() if k in keys},
            in_spec=spec.in_spec,
            out_spec=spec.out_spec,
            inputs=tuple(self.leaves),
            outputs=tuple(leaves),
            constants={k: t for k, t in self.constants.items() if k in targets},
            parameter_targets=tuple(t for t in targets if t not in self.constants),
            mutations=tuple(mutations),
            symbols=self._symbol_sources(graph),
            unbacked=frozenset(self.sizes.unbacked),
        )

    # inputs

    def _bind(self, spec: Any, node: Node | None) -> None:
        argument, kind = spec.arg, spec.kind
        if kind is InputKind.USER_INPUT:
            self._bind_user_input(argument, node)
        elif node is None:
            raise UnsupportedError(f"exported program without placeholder for {argument}")
        elif kind in (InputKind.PARAMETER, InputKind.BUFFER):
            target = self.names.get(spec.target, spec.target)
            self._lazy_parameter(node, target)
            self.bound[node] = ("buffer", target)
        elif kind is InputKind.CONSTANT_TENSOR:
            tensor = self.program.constants[spec.target]
            self.importer.lazy[node] = lambda: self._constant(spec.target, tensor)
        elif kind is InputKind.TOKEN:
            self.importer.env[node] = None
        else:
            raise UnsupportedError(f"the model holds an object of torch script class ({argument.name})", remedy='use fallback="eager"')

    def _lazy_parameter(self, node: Node, target: str) -> None:
        self.importer.lazy[node] = lambda: self.importer.builder.parameter(target, self._type(node.meta["val"], target))

    def _bind_user_input(self, argument: Any, node: Node | None) -> None:
        flat = len(self.leaves)
        if isinstance(argument, ConstantArgument):
            self.leaves.append(InputLeaf("constant", value=argument.value))
            if node is not None:
                self.importer.env[node] = argument.value
            return
        if not isinstance(argument, TensorArgument) or node is None:
            raise UnsupportedError(f"input {argument.name} is a symbolic number", remedy="pass numbers as constants or as 0-d tensors")
        if flat in self.parameter_inputs:
            self._lazy_parameter(node, self.parameter_inputs[flat])
            self.bound[node] = ("buffer", self.parameter_inputs[flat])
            self.leaves.append(InputLeaf("parameter", value=self.parameter_inputs[flat]))
            return
        self.importer.env[node] = self.importer.builder.input(node.name, self._type(node.meta["val"], f"input {node.name}"))
        self.bound[node] = ("input", self.inputs)
        self.leaves.append(InputLeaf("tensor" if node.users else "unused", self.inputs))
        self.inputs += 1

    def _type(self, meta: torch.Tensor, what: str) -> TensorType:
        try:
            return TensorType(dtype_of(meta.dtype), self.sizes.shape(meta.shape))
        except UnsupportedError as error:
            raise UnsupportedError(f"{what}: {error.message}", remedy=error.remedy) from None
        except SizeError as error:
            raise UnsupportedError(f"{what} has size {error}", remedy="compile with fixed shapes") from None

    def _constant(self, target: str, tensor: torch.Tensor) -> str:
        """Small literals go into the graph, large tensors stay torch's under ``const:...``."""
        dtype = dtype_of(tensor.dtype)
        if tensor.numel() <= _INLINE_CONSTANT and tensor.dtype != torch.bfloat16 and tensor.device.type == "cpu":
            return self.importer.builder.constant(tensor.detach().numpy(), dtype)
        name = f"const:{target}"
        self.constants[name] = tensor
        return self.importer.builder.parameter(name, TensorType(dtype, tuple(tensor.shape)))

    def _symbol_sources(self, graph: Graph) -> dict[str, SymbolSource]:
        """Where each symbol is read: a dimension that is ``scale * symbol + offset``, the plainest one."""
        found: dict[str, SymbolSource] = {}
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

    # outputs

    def _results(self, results: Any, placeholders: Mapping[str, Node], outputs: list[str]) -> tuple[list[OutputLeaf], list[Mutation]]:
        leaves: list[OutputLeaf] = []
        mutations: list[Mutation] = []
        seen: dict[Node, int] = {}
        for spec, result in zip(self.program.graph_signature.output_specs, results):
            if spec.kind is OutputKind.USER_OUTPUT:
                leaves.append(self._leaf(result, seen, outputs))
            elif spec.kind is OutputKind.USER_INPUT_MUTATION:
                mutations.append(Mutation(len(outputs), *self.bound[placeholders[spec.target]]))
                outputs.append(self.importer.argument(result))
            elif spec.kind in (OutputKind.BUFFER_MUTATION, getattr(OutputKind, "PARAMETER_MUTATION", None)):
                mutations.append(Mutation(len(outputs), "buffer", self.names.get(spec.target, spec.target)))
                outputs.append(self.importer.argument(result))
            elif spec.kind is not OutputKind.TOKEN:
                raise UnsupportedError(f"exported output of kind {spec.kind}")
        return leaves, mutations

    def _leaf(self, result: Any, seen: dict[Node, int], outputs: list[str]) -> OutputLeaf:
        kind, target = self._memory_of(result)
        if kind == "input":
            return OutputLeaf("input", int(target))
        value = self.importer.argument(result)
        if isinstance(value, Item):
            outputs.append(value.value)
            return OutputLeaf("item", len(outputs) - 1)
        if not isinstance(value, str) or not isinstance(result, Node):
            return OutputLeaf("size", value=value) if isinstance(value, Dim) else OutputLeaf("constant", value=value)
        if result not in seen:
            seen[result] = len(outputs)
            outputs.append(self._own(result, value, outputs))
        return OutputLeaf("tensor", seen[result])

    def _memory_of(self, result: Any) -> tuple[str, int | str]:
        """Which input or buffer a result is itself, as the caller's own tensor, perhaps changed in place."""
        while isinstance(result, Node) and result.op == "call_function" and mutates(result.target):
            result = result.args[0]
        return self.bound.get(result, ("", "")) if isinstance(result, Node) else ("", "")

    def _own(self, result: Node, value: str, outputs: list[str]) -> str:
        """A result that is not the caller's own tensor gets memory of its own."""
        source = self.importer.builder.node(value).op in ("input", "parameter")
        if value in outputs or (source and result.op != "placeholder"):
            return self.importer.builder.add("copy", [value], name=result.name, origin=Origin())
        return value


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
