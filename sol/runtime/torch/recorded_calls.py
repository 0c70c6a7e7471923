"""Whole calls of a model that needs gradients, recorded where no more than functions of PyTorch on its tensors happen in them.

A record takes a tenth of the time that Dynamo takes for the same graph, and no time at later calls but that of looking whether it still
holds: for the same kinds of arguments, the same parameters, buffers, plain attributes, hooks, modes and global variables. What a record
cannot hold, Dynamo captures.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import torch
from torch.nn.modules import module as torch_module

from sol.collector import collector_paused
from sol.config import config
from sol.errors import ExportError, SolError
from sol.frontend.torch.capture import Call, Traced, take_call
from sol.frontend.torch.outer_reads import OuterReads, is_settled
from sol.frontend.torch.reads import OWN, Reads
from sol.frontend.torch.recorder import NotRecordableError, Recorder
from sol.frontend.torch.state import is_library
from sol.frontend.torch.trees import Maker
from sol.frontend.trees import Again, Fixed, Group, Leaf, Tree
from sol.runtime.torch.attributes import Attributes
from sol.runtime.torch.change_detection import Structure
from sol.runtime.torch.inputs import is_plain, overlapping, told
from sol.runtime.torch.pieces import Piece

log = logging.getLogger("sol.runtime")
MOST_CHANGES = 8
"""So often a model may change between calls until Dynamo captures it, whose checks name what changed."""
_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device, torch.memory_format)
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_needs_gradient, _shape, _training = attrgetter("requires_grad"), attrgetter("shape"), attrgetter("training")
PieceMaker = Callable[[torch.fx.GraphModule, Sequence[Any]], Piece]


class RecordedCalls:
    """The records of one model.

    new_piece: compiles a graph for inputs like these. forget: is told pieces that no call will run any more.
    """

    def __init__(self, model: torch.nn.Module, new_piece: PieceMaker, forget: Callable[[Sequence[Piece]], None]) -> None:
        self._model, self._new_piece, self._forget_pieces = model, new_piece, forget
        self._calls: dict[Any, _Recorded | None] = {}  # by kind; None for what Dynamo captures
        self._is_hopeless = False  # no call could be recorded
        self._state: _State | None = None
        self._changes = 0
        self._lock = threading.RLock()

    def find(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Callable[[], Any] | None:
        """What runs a call; None if Dynamo has to capture it."""
        if self._is_hopeless or not torch.is_grad_enabled() or torch_module._has_any_global_hook():
            return None
        try:
            call = take_call(args, kwargs)
            kind: tuple[Any, ...] = _kind_of(call), _modes()
        except (ExportError, NotRecordableError):  # arguments of which nothing is known
            return None
        with self._lock:
            if any(self._hooks() if self._state is None else self._state.hooks):
                return None
            if self._state is not None and not self._state.is_same():
                self._forget()
            kind = *kind, _modes_of(self._model) if self._state is None else self._state.modes()
            if kind not in self._calls:
                self._calls[kind] = self._record(call)
            recorded = self._calls[kind]
        if recorded is None or recorded.piece.gradients.failure is not None or not _are_apart(call, recorded):
            return None
        return functools.partial(recorded, call)

    def _hooks(self) -> list[Any]:
        return [hooks for m in self._model.modules() for name in _HOOKS if (hooks := vars(m).get(name)) is not None]

    def _forget(self) -> None:
        """The model is not as it was."""
        self._forget_pieces([c.piece for c in self._calls.values() if c is not None])
        self._calls, self._state = {}, None
        self._changes += 1
        if self._changes == MOST_CHANGES:
            self._is_hopeless = True
            log.info("%s keeps changing between calls: Dynamo captures it", type(self._model).__name__)

    def _record(self, call: Call) -> _Recorded | None:
        """A record of such a call; None if there can be none."""
        if self._is_hopeless or len(self._calls) >= config["recompile_limit"]:
            return None
        try:
            with collector_paused():
                recorded, reads, outer = _recorded(self._model, call, self._state, self._new_piece)
                self._state = _State(self._model, reads, outer, self._hooks())
        except Exception as error:  # the model's own, too: it will raise it again
            log.debug("%s is captured by Dynamo: %s", type(self._model).__name__, told(error))
            self._is_hopeless = self._state is None and isinstance(error, SolError)  # not for arguments that the model does not take
            return None
        return recorded


class _Recorded:
    """A call as a piece of the whole model. result: its tree over the piece's results. held: what the piece takes after the arguments."""

    def __init__(self, piece: Piece, held: Sequence[torch.Tensor], result: Tree) -> None:
        self.piece, self.held, self._result = piece, held, result
        self.ids = set(map(id, held))

    def __call__(self, call: Call) -> Any:
        found = self.piece(*(call.leaves[i] for i in call.traced), *self.held)
        return found[0] if type(self._result) is Leaf else Maker(found)(self._result)


class _State:
    """What records of a model rely on, whatever its modes are."""

    def __init__(self, model: torch.nn.Module, reads: Reads, outer: OuterReads, hooks: Sequence[Any]) -> None:
        """hooks: those of all modules, in containers of which a record holds that they are empty."""
        self.reads, self.outer, self.hooks = reads, outer, hooks
        self._modules = list(model.modules())
        self._held = [*model.parameters(), *model.buffers()]
        self._structure = Structure(model, Attributes(model, reads.names, self._held))
        self._shapes = list(map(_shape, self._held))

    def modes(self) -> tuple[bool, ...]:
        """Which modules are in training mode, and which tensors need gradients."""
        return (*map(_training, self._modules), *map(_needs_gradient, self._held))

    def is_same(self) -> bool:
        """Whether all is as it was."""
        return list(map(_shape, self._held)) == self._shapes and not self._structure.changed() and self.outer.are_same()


def _modes_of(model: torch.nn.Module) -> tuple[bool, ...]:
    return (*map(_training, model.modules()), *map(_needs_gradient, (*model.parameters(), *model.buffers())))


def _recorded(
    model: torch.nn.Module, call: Call, state: _State | None, new_piece: PieceMaker
) -> tuple[_Recorded, Reads, OuterReads]:
    """A record, and all that was read for it and for those before. Raises NotRecordableError, and what the model raises."""
    held = [*model.parameters(), *model.buffers()]
    inputs = [call.leaves[i] for i in call.traced]
    if not all(is_plain(t) and not t.is_inference() for t in (*held, *inputs)) or not all(t.is_leaf for t in held):
        raise NotRecordableError("a tensor is no plain one")
    if overlapping([*held, *inputs]):
        raise NotRecordableError("two tensors share memory")
    _check_attributes(model)
    reads, outer = (Reads(), OuterReads()) if state is None else (state.reads, state.outer)
    traced = Traced(model, call, reads, outer)
    recorder = Recorder(held, {id(m): path for path, m in model.named_modules()})
    try:
        with traced.leaving_no_trace():
            recorder.record(traced, inputs)
    except Exception:
        traced.restore()
        raise
    outcome = traced.outcome
    if traced.differs_with_gradients:
        raise NotRecordableError("the model gives other numbers where no gradient is needed")
    if outcome.changes or outcome.exchanged or not _is_plain_tree(outcome.result):
        raise NotRecordableError("a call changes what it is given, or gives what is not known")
    _note_classes(model, reads, outer)
    for node, tensor in zip([n for n in recorder.module.graph.nodes if n.op == "placeholder"][len(inputs) :], recorder.inputs):
        if not isinstance(tensor, torch.nn.Parameter):
            node.meta["tensor_dict"] = {"_dynamo_static_input_type": "guarded"}  # as Dynamo tells of buffers
    piece = new_piece(recorder.module, [*inputs, *recorder.inputs])
    return _Recorded(piece, recorder.inputs, outcome.result), reads, outer


def _check_attributes(model: torch.nn.Module) -> None:
    """Look whether changes of all that modules hold can be seen: a generator of random numbers would be used up by a trace, for example.

    Raises NotRecordableError.
    """
    for path, module in model.named_modules():
        own = not is_library(type(module).__module__)
        for name, value in vars(module).items():
            if name not in OWN and (own or not name.startswith("_")) and not is_settled(value, objects=True):
                raise NotRecordableError(f"{path}.{name} of the model is a {type(value).__name__}")
    for kind in {base for module in model.modules() for base in type(module).__mro__ if not is_library(base.__module__)}:
        for name, value in vars(kind).items():
            if not name.startswith("_") and not is_settled(value):
                raise NotRecordableError(f"{name} of {kind.__name__} is a {type(value).__name__}")


def _note_classes(model: torch.nn.Module, reads: Reads, outer: OuterReads) -> None:
    """Attributes and methods that were read of classes are variables, too."""
    for path, module in model.named_modules():
        for name in ("forward", *reads.names.get(path, ())):
            if name not in vars(module) and not is_library(type(module).__module__):
                outer.note_class(type(module), name)


def _are_apart(call: Call, recorded: _Recorded) -> bool:
    """Whether no two tensors of a call are one, or lie in one memory, and none is the model's."""
    given = [call.leaves[i] for i in call.traced]
    return not any(id(t) in recorded.ids for t in given) and (len(given) < 2 or not overlapping(given))


def _is_plain_tree(tree: Tree) -> bool:
    """Whether a result holds no more than tensors, constants and containers of Python."""
    if isinstance(tree, Group):
        return all(map(_is_plain_tree, tree.parts))
    return isinstance(tree, Leaf) or isinstance(tree, Fixed) and isinstance(tree.value, _CONSTANTS)


def _kind_of(call: Call) -> Any:
    """What records of a call depend on, of its arguments; the same arguments but for numbers of tensors give the same."""

    def kind(tree: Tree) -> Any:
        if isinstance(tree, Leaf):
            value = call.leaves[tree.index]
            if not isinstance(value, torch.Tensor):
                return type(value), repr(value)
            if not is_plain(value):
                raise NotRecordableError("a tensor is no plain one")
            flags = value.requires_grad, value.is_leaf, value.is_inference(), value.is_conj(), value.is_neg()
            return value.dtype, value.shape, value.stride(), flags
        if isinstance(tree, Fixed):
            if type(tree.value) not in _CONSTANTS:
                raise NotRecordableError("an argument is of no known kind")
            return type(tree.value), tree.value
        if isinstance(tree, Group) and tree.how in ("sequence", "mapping") and tree.extra is None:
            return tree.kind, tree.keys, tuple(map(kind, tree.parts))
        if isinstance(tree, Again):
            return tree.number
        raise NotRecordableError("an argument is of no known kind")

    return kind(call.tree)


def _modes() -> tuple[Any, ...]:
    """Modes of torch that a record holds for."""
    return (
        torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.get_default_dtype(),
        torch.are_deterministic_algorithms_enabled(), torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack(),
    )  # fmt: skip
