"""nn.Module → torch.export (non-strict) → Graph."""

from __future__ import annotations

import importlib
import logging
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch._prims_common import clone_preserve_strides
from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.utils._pytree import tree_map

from sol.collector import collector_paused
from sol.errors import ExportError, SolError
from sol.frontend.imported import Imported
from sol.frontend.torch.aliases import writes
from sol.frontend.torch.attention_shapes import EqualLengths
from sol.frontend.torch.autocast import regions_left
from sol.frontend.torch.capture import ROOT, Call, Outcome, Settling, Traced, take_call
from sol.frontend.torch.exported import ProgramImport, Terms
from sol.frontend.torch.functionalised import check_writes, returned_placeholders
from sol.frontend.torch.gradient_mode import asks_gradient_mode
from sol.frontend.torch.importer import NeedsFunctional
from sol.frontend.torch.inplace_views import make_views
from sol.frontend.torch.layouts import depends_on_layout, gives_inputs
from sol.frontend.torch.memo import fills_memo
from sol.frontend.torch.noted import noting_unmoved
from sol.frontend.torch.reads import Reads
from sol.frontend.torch.recurrent_shapes import recurrent_lengths_open
from sol.frontend.torch.shapes import leaf_shapes

_LOUD = ("torch._subclasses.fake_tensor", "torch.fx.experimental.symbolic_shapes", "torch.export", "torch.export._trace")
_mutex = threading.RLock()  # torch.export works on global state and puts fake tensors into the module


def import_module(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, dynamic_shapes: Any = None,
    *, smallest: int = 2, torch_at_hand: bool = True,
) -> Imported:  # fmt: skip
    """Capture a call of a module in eval mode with torch.export and convert it; module, arguments and Python's state stay as they were.

    dynamic_shapes: as torch.export takes them. smallest, torch_at_hand: as for `Terms`.
    Raises ExportError where torch.export cannot capture the module.
    """
    call = take_call(args, dict(kwargs or {}))
    return import_call(module, call, leaf_shapes(module, call, dynamic_shapes), smallest=smallest, torch_at_hand=torch_at_hand)


def import_call(
    module: torch.nn.Module, call: Call, shapes: Mapping[int, Mapping[int, Any]] | None = None,
    *, smallest: int = 2, torch_at_hand: bool = True, reads: Reads | None = None,
) -> Imported:  # fmt: skip
    """The same for a call that was taken apart. shapes: for leaves that are tensors: dimension → what torch.export takes for it.

    reads: where it is noted which attributes the model reads.
    """
    traced, program = _traced(module, call, call.traced_shapes(shapes or {}), reads)
    by_layout = traced.asks_strides or depends_on_layout(program, traced.leaves_unmoved)
    if by_layout and (laid_out := call.laid_out()) is not None:
        call = laid_out
        traced, program = _traced(module, call, call.traced_shapes(shapes or {}), reads)
    names = {f"{ROOT}.{name}": first for name, first in tensor_names(module).items()}
    with collector_paused():
        terms = Terms(
            names, smallest=smallest, torch_at_hand=torch_at_hand, by_layout=by_layout,
            differs_with_gradients=traced.differs_with_gradients, asks_gradient_mode=asks_gradient_mode(module),
        )  # fmt: skip
        return replace(_import(program, terms, call, traced.outcome), fills_memo=traced.fills_memo)


def _traced(module: torch.nn.Module, call: Call, shapes: Any, reads: Reads | None) -> tuple[Traced, ExportedProgram]:
    """A traced call. If the trace changed Python's state it is done again: the change must not repeat itself, unless it is a memo."""
    title = type(module).__name__
    with _eval_mode(module), _mutex:
        first = Traced(module, call, reads)
        try:
            with first.leaving_no_trace():
                program = export_module(first, call.examples(), None, shapes, title=title)
            return first, program
        except Settling as found:
            if found.added and fills_memo(module, call):
                first.restore()
                first.note_memo()
                return first, program
            again = Traced(module, call, reads)
        try:
            with again.leaving_no_trace():
                return again, export_module(again, call.examples(), None, shapes, title=title)
        except ExportError:
            first.restore()
            raise


def export_module(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, dynamic_shapes: Any = None, title: str = ""
) -> ExportedProgram:
    """torch.export of a module, its failure as ExportError."""
    try:
        with (
            _mutex, _inference_mode_of(module), torch.no_grad(), warnings.catch_warnings(), _quiet(), recurrent_lengths_open(),
            EqualLengths() if dynamic_shapes else nullcontext(), regions_left(),
        ):  # fmt: skip
            warnings.simplefilter("ignore")
            args, kwargs = _apart(module, (tuple(args), dict(kwargs or {})))
            return torch.export.export(module, args, kwargs, dynamic_shapes=dynamic_shapes, strict=False)
    except SolError:
        raise
    except Exception as error:
        lines = [line for line in str(error).strip().splitlines() if line.strip()][:6]
        raise ExportError(
            f"torch.export cannot capture {title or type(module).__name__}: {type(error).__name__}: " + "\n    ".join(lines),
            remedy='use fallback="eager", the default, which compiles such a model in pieces',
        ) from error


def _apart(module: torch.nn.Module, examples: Any) -> Any:
    """Examples none of which is another one or a tensor of the module: torch.export takes such two for one input."""
    seen = {id(t) for t in (*module.parameters(), *module.buffers())}

    def own(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        if id(leaf) in seen:
            return clone_preserve_strides(leaf)
        seen.add(id(leaf))
        return leaf

    return tree_map(own, examples)


def _inference_mode_of(module: torch.nn.Module) -> AbstractContextManager[Any]:
    """Inference mode if the module was made in it: only there may torch copy its tensors."""
    inference = any(t.is_inference() for t in (*module.parameters(), *module.buffers()))
    return torch.inference_mode() if inference else nullcontext()


@contextmanager
def _quiet() -> Iterator[None]:
    """torch neither logs nor prints the failure inside that the caller gets as an exception."""
    loggers = [logging.getLogger(name) for name in _LOUD]
    disabled = [logger.disabled for logger in loggers]
    printing = importlib.import_module("torch.export._trace")
    for logger in loggers:
        logger.disabled = True
    vars(printing)["print"] = lambda *_, **__: None
    try:
        yield
    finally:
        for logger, before in zip(loggers, disabled):
            logger.disabled = before
        vars(printing).pop("print", None)


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
    *, smallest: int = 2, torch_at_hand: bool = True,
) -> Imported:  # fmt: skip
    """Convert an exported program.

    names: qualified name → the name under which a tied tensor is known; by default tied tensors of the program's state dict are found.
    parameter_inputs, smallest, torch_at_hand: as for `Terms`.
    """
    if names is None:
        first: dict[int, str] = {}
        names = {n: first.setdefault(id(t), n) for n, t in program.state_dict.items()}
    with collector_paused():
        return _import(program, Terms(names, parameter_inputs or {}, smallest, torch_at_hand))


def _import(program: ExportedProgram, terms: Terms, call: Call | None = None, outcome: Outcome | None = None) -> Imported:
    """Convert with in-place ops as new values, or functionalised by torch where that is not possible."""
    make_views(program)
    plan = writes(program.graph)
    try:
        if plan is not None:
            return ProgramImport(program, terms, call, outcome).convert(plan)
    except NeedsFunctional:
        pass
    check_writes(program)
    terms = replace(terms, returned=returned_placeholders(program))
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            functional = program.run_decompositions({})
    except Exception as error:
        raise ExportError(f"torch cannot functionalise the model: {str(error).splitlines()[0]}", remedy='use fallback="eager"') from error
    return ProgramImport(functional, terms, call, outcome).convert({})


def import_piece(module: GraphModule, call: Call, dynamic_shapes: Sequence[Any], parameters: Mapping[int, str]) -> Imported:
    """Convert a torch-level graph module, as Dynamo makes them.

    call: its arguments, in the order of its placeholders where they are traced. dynamic_shapes: one for each argument.
    parameters: arguments that are parameters, and what they are called.
    """
    shapes = [dynamic_shapes[i] for i in call.traced]
    unmoved: list[torch.Tensor] = []
    with noting_unmoved(unmoved.append):
        program = export_module(module, call.examples(), None, tuple(shapes) if any(shapes) else None)
    by_layout = depends_on_layout(program, bool(unmoved)) or (bool(unmoved) and gives_inputs(program))
    if by_layout and (laid_out := call.laid_out()) is not None:
        program = export_module(module, laid_out.examples(), None, tuple(shapes) if any(shapes) else None)
    places = {i: k for k, i in enumerate(call.traced)}
    names = tuple([str(n.target) for n in module.graph.nodes if n.op == "placeholder"])
    terms = Terms(tensor_names(module), {places[i]: name for i, name in parameters.items()}, arguments=names, by_layout=by_layout)
    with collector_paused():
        return _import(program, terms, call)
