"""Forward and backward on compiled code: AOTAutograd makes two functional graphs of a piece, each becomes a program when it first runs.

What the forward graph hands to the backward graph is chosen by torch's min-cut partitioner, within ``config["training_memory_budget"]``.
Operations without a converter run in torch between the compiled parts, as they do in inference.
"""

from __future__ import annotations

import inspect
import logging
import operator
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from operator import is_
from typing import Any, Protocol

import torch
from torch import fx
from torch._guards import TracingContext, tracing
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode

from sol.codegen.targets import resolve
from sol.collector import collector_paused
from sol.config import config
from sol.errors import ConfigError, UnsupportedError
from sol.frontend.imported import Imported
from sol.frontend.torch.blocks import as_image
from sol.frontend.torch.functional import between_graphs, placed_inputs, results_of
from sol.runtime.executable import Executable
from sol.runtime.memory import give_back_free_memory
from sol.runtime.specializations import Specializations
from sol.runtime.torch.checkpoints import graphs_of
from sol.runtime.torch.differentiation import Compiler, differentiated
from sol.runtime.torch.inputs import told
from sol.runtime.torch.kept_steps import KeptGraph, KeptStep, keep_step, read_step
from sol.runtime.torch.program import Program, Taken
from sol.runtime.torch.result_pool import ResultPool, are_alone
from sol.runtime.torch.step_function import Wrapping, plain_wrapping, step_function
from sol.runtime.torch.step_graphs import GraphSource, StoredGraph, TracedGraph
from sol.runtime.torch.step_key import NoTextError, step_key
from sol.runtime.torch.tensors import own_results
from sol.runtime.torch.training_policy import reason_for_torch

log = logging.getLogger("sol")
PATIENCE = 16
"""Calls without a backward pass after which a piece is taken to be used for inference."""
MOST_COMPILED = 2
"""How many times ``config["recompile_limit"]`` one piece is compiled in all. Further kinds of calls run in torch, as they do where torch
counts its recompilations: a piece whose inputs never repeat would be compiled at every call."""
SLOW = 0.5
"""Seconds of a trace from which its graphs are kept for other processes."""
_IN_PLACE = (operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.setitem)
_RECURRENT = (torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu)
Observer = Callable[["TrainingGraph", Program, Taken, Sequence[Any]], None]
"""Told of each run on compiled code: the graph, its program, the call, its results."""


class Habit:
    """Whether a piece should keep what a backward pass needs: yes once one came, no after many calls without.

    always: where a second forward pass would not give what the first gave. saves: what is expected of the first call. whole: the habit
    of the model that the piece belongs to. pool: memory of the model's results.
    """

    def __init__(self, *, always: bool = False, saves: bool = False, whole: Habit | None = None) -> None:
        self.always, self.saves, self.whole, self._unanswered = always, always or saves, whole, 0
        self.pool: ResultPool = ResultPool() if whole is None else whole.pool

    def forward(self) -> None:
        """A call kept what a backward pass needs."""
        self._unanswered += 1
        if self._unanswered > PATIENCE and not self.always:
            self.saves = False

    def backward(self) -> None:
        """A backward pass came."""
        self.saves, self._unanswered = True, 0
        if self.whole is not None:
            self.whole.backward()


class TrainingGraph:
    """The forward or the backward graph: compiled when it first runs; in torch where that fails."""

    _boxed_call = True  # takes a list of arguments, which it may empty

    def __init__(
        self, source: GraphSource, static: Collection[int], options: Mapping[str, Any], began: Callable[[], None], what: str,
        kept: Collection[int] = (), forward: TrainingGraph | None = None, done: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        """static: ids of tensors whose content stays between calls, which are packed. began: called before each run. kept: numbers of
        results that only the backward graph reads. forward: the graph whose results this one is given. done: called once it is compiled."""
        self._source, self._static, self._options, self._began, self.what = source, static, options, began, what
        self._done = done
        self.imported: Imported | None = None  # the graph apart from the other one, once it is compiled
        self.kept, self._forward = kept, forward
        self._pool: ResultPool = options["arrays"].lender
        self._lent: tuple[int, ...] = ()  # inputs that lie in memory which a call may overwrite
        self.observers: list[Observer] = []
        self.program: Program | None = None
        self.failure: Exception | None = None
        self._places: list[int] = []
        self._bound: list[torch.Tensor] = []
        self._held: dict[str, torch.Tensor] = {}

    @property
    def module(self) -> fx.GraphModule:
        """The graph in torch."""
        return self._source.module

    def __call__(self, arguments: list[Any]) -> Any:
        inputs = tuple(arguments)
        arguments.clear()
        self._began()
        is_first = self.program is None and self.failure is None
        if is_first:
            with collector_paused():
                self._compile(inputs)
        program = self.program
        keeps = bool(self.observers) or torch._C._autograd._get_current_graph_task_keep_graph()  # observers are told the inputs
        if self._lent and not keeps and are_alone(inputs, self._lent):
            self._pool.offer([inputs[i] for i in self._lent])
        taken = program.take(inputs, {}) if program is not None and self._is_bound(program, inputs) else None
        if program is None or taken is None:
            return self.module(*self._images(inputs))
        program.refresh_if_stale()
        result = program.run(taken, inputs, {})
        if is_first:
            give_back_free_memory()
        for observer in self.observers:
            observer(self, program, taken, result)
        return result if self._forward is not None else own_results(result, len(result) - len(self.kept))

    def _images(self, inputs: Sequence[Any]) -> list[Any]:
        """The inputs as torch wants them: those that a compiled forward graph left in blocks as images."""
        given = zip(inputs, self._source.shapes)
        return [as_image(x, s) if s is not None and x is not None and x.dim() == len(s) + 1 else x for x, s in given]

    def _is_bound(self, program: Program, inputs: Sequence[Any]) -> bool:
        """Whether the program's parameters are those of this call, or could be replaced by them."""
        parameters = [inputs[i] for i in self._places]
        if not all(map(is_, parameters, self._bound)):
            self._held.update(zip(self._held, parameters))
            if not program.rebind():
                return False
            self._bound = parameters
        return True

    def _compile(self, inputs: Sequence[Any]) -> None:
        taken = self._source.multiplied
        self._places = [i for i, x in enumerate(inputs) if id(x) in self._static and not (i in taken and x.requires_grad)]
        self._bound = [inputs[i] for i in self._places]
        names = {i: f"p{i}" for i in self._places}
        self._held = dict(zip(names.values(), self._bound))
        try:
            self.imported = self._source.imported(names, inputs)
            imported = between_graphs(self.imported, inputs, self.kept, self._places_of(inputs))
            options = {**self._options, "isa": replace(resolve(self._options.get("isa") or config["isa"]), repacks=True)}
            self.program = Program(imported, self._held, title=f"{self.what} graph of torch.compile", **options)
            self._share_memory(imported)
            self._done()
        except Exception as error:
            if isinstance(error, (ConfigError, MemoryError)) or config["fallback"] != "eager":
                raise
            self.failure = error
            log.warning("the %s pass of a piece of the model runs in torch: %s", self.what, told(error))
        give_back_free_memory()  # what compiling has freed: results lie in blocks of their own

    def record(self) -> KeptGraph | None:
        """What another process needs in order to do without a trace; None if the graph was not compiled."""
        if self.imported is None or self.program is None:
            return None
        return KeptGraph(self.imported, self._source.shapes, self._source.multiplied, tuple(self._places), tuple(self.kept))

    @property
    def whole(self) -> Executable | None:
        """The executable of the graph, if nothing of it runs in torch."""
        return self.program.runner.whole if self.program is not None else None

    @property
    def alone(self) -> Executable | None:
        """The executable of the graph, if there is one and nothing that runs in torch reads its results."""
        return self.program.runner.alone if self.program is not None else None

    @property
    def lent_bytes(self) -> int:
        """Bytes that a call is lent."""
        return self.alone.lent_bytes if self.alone is not None else 0

    def _places_of(self, inputs: Sequence[Any]) -> dict[int, int]:
        """Where inputs lie in memory of the forward pass that is free once they are read."""
        executable = self._forward.alone if self._forward is not None else None
        if executable is None:
            return {}
        ports = executable.plan.outputs
        return self._pool.places(inputs, [p.place for i, p in enumerate(ports) if p.place is not None and i not in executable.elsewhere])

    def _share_memory(self, imported: Imported) -> None:
        """Let the backward pass work in the memory of the forward pass, in which results lie that it alone reads."""
        executable = self.alone if self._forward is None else self.whole
        if self.program is None or executable is None:
            return
        if self._forward is None:
            alone = {imported.graph.outputs[i] for i in results_of(imported, self.kept)}
            executable.elsewhere = {i for i, value in enumerate(self.program.runner.results) if value not in alone}
        elif (forward := self._forward.alone) is not None and (lent := placed_inputs(imported)):
            self._lent, forward.room = lent, executable.lent_bytes


@dataclass(frozen=True)
class Fixed:
    """A captured piece with all sizes and numbers of a call written into it; ``parameters`` of its inputs are the same at each call."""

    module: fx.GraphModule
    parameters: Collection[int]


class Trainable(Protocol):
    """A captured piece. in_torch: the same for calls that torch runs. kind: what its calls may differ in, of these inputs. tensors: those
    of them that `fixed` takes."""

    module: fx.GraphModule
    in_torch: fx.GraphModule

    def kind(self, inputs: Sequence[Any]) -> tuple[Any, ...]: ...

    def tensors(self, inputs: Sequence[Any]) -> list[torch.Tensor]: ...

    def fixed(self, inputs: Sequence[Any]) -> Fixed: ...


class Differentiated:
    """A piece for tensors of one kind, forward and backward; inputs: those of its first call.

    Raises UnsupportedError for what trains in torch, and what AOTAutograd raises where it cannot trace the piece. A piece that an earlier
    process has traced is not traced (``step_key`` says when two pieces are the same).
    """

    def __init__(self, piece: Fixed, inputs: Sequence[torch.Tensor], options: Mapping[str, Any], habit: Habit) -> None:
        self.graphs: list[TrainingGraph] = []
        self._options, self._habit = options, habit
        self._wrapping: Wrapping | None = None
        self._key = _key_of(piece, inputs, options)
        kept = read_step(self._key, options["arrays"].lender.expect) if self._key else None
        if kept is not None:
            self._parameters = {i: inputs[i] for i in piece.parameters}
            self._function = self._of_kept(kept, Retrace(piece.module, inputs))
            return
        began = time.perf_counter()
        module = _with_operations(piece.module)
        own = (*module.parameters(), *module.buffers())  # which AOTAutograd puts before the inputs
        self._parameters = {**dict(enumerate(own)), **{len(own) + i: inputs[i] for i in piece.parameters}}
        mode = FakeTensorMode()
        examples = [mode.from_tensor(x, static_shapes=True) if isinstance(x, torch.Tensor) else x for x in inputs]
        try:
            with tracing(TracingContext(mode)):
                self._function = differentiated(module, examples, self._forward, self._backward)
        except (DataDependentOutputException, DynamicOutputShapeException) as error:
            raise UnsupportedError(f"{error.func} gives sizes or numbers that are known when data is") from error
        if time.perf_counter() - began < SLOW:
            self._key = ""

    def __call__(self, inputs: Sequence[Any]) -> Any:
        return self._function(*inputs)

    def _of_kept(self, kept: KeptStep, trace: Retrace) -> Callable[..., Any]:
        sources = [StoredGraph(kept.forward, lambda: trace("forward")), StoredGraph(kept.backward, lambda: trace("backward"))]
        changed = kept.wrapping.changed
        forward = self._add(sources[0], changed, self._habit.forward, "forward", kept.forward.kept)
        backward = self._add(sources[1], changed, self._habit.backward, "backward", forward=forward)
        return step_function(kept.wrapping, forward, _outside_dynamo(backward))

    def _forward(self, module: fx.GraphModule, _: Any) -> TrainingGraph:
        metadata = TracingContext.get().fw_metadata
        kept: Collection[int] = ()
        if metadata is not None and metadata.num_symints_saved_for_bw is not None:  # else no backward pass will come
            (output,) = [n for n in module.graph.nodes if n.op == "output"]
            kept = range(len(output.args[0]))[metadata.tensors_saved_for_backwards_slice]
        return self._add(TracedGraph(module), _changed(metadata), self._habit.forward, "forward", kept)

    def _backward(self, module: fx.GraphModule, _: Any) -> Any:
        metadata = TracingContext.get().fw_metadata
        if metadata is not None and self._key:
            self._wrapping = plain_wrapping(metadata, module)
        graph = self._add(
            TracedGraph(module), _changed(metadata), self._habit.backward, "backward", forward=self.graphs[0], done=self._keep
        )
        if metadata is not None:
            metadata.bw_donated_idxs = []  # not None, which torch takes for some where the first backward pass let go of its graph
        return _outside_dynamo(graph)

    def _add(
        self, source: GraphSource, changed: Collection[int], began: Callable[[], None], what: str, kept: Collection[int] = (),
        forward: TrainingGraph | None = None, done: Callable[[], None] = lambda: None,
    ) -> TrainingGraph:  # fmt: skip
        static = {id(t) for i, t in self._parameters.items() if i not in changed}
        self.graphs.append(TrainingGraph(source, static, self._options, began, what, kept, forward, done))
        return self.graphs[-1]

    def _keep(self) -> None:
        """Both graphs are compiled: spare other processes the trace."""
        forward, backward = (graph.record() for graph in self.graphs)
        if self._key and self._wrapping is not None and forward is not None and backward is not None:
            memory = max(graph.lent_bytes for graph in self.graphs)
            keep_step(self._key, KeptStep(self._wrapping, forward, backward, memory))


def _key_of(piece: Fixed, inputs: Sequence[Any], options: Mapping[str, Any]) -> str:
    """The piece's key in the cache; "" where no text tells all that decides."""
    try:
        return step_key(piece.module, piece.parameters, inputs, options)
    except NoTextError as error:
        log.debug("a piece of the model is traced in each process: %s", error)
        return ""


def _with_operations(module: fx.GraphModule) -> fx.GraphModule:
    from sol.frontend.torch import attention_dropout, recurrent_ops  # define operations, which inference does not need

    return attention_dropout.with_masks(recurrent_ops.with_scans(module))


def _changed(metadata: Any) -> Collection[int]:
    """Inputs that a graph gives new contents."""
    return set(metadata.mutated_inp_runtime_indices) if metadata is not None else set()


def _outside_dynamo(graph: TrainingGraph) -> Any:
    run = torch.compiler.disable(graph)
    run._boxed_call = True
    return run


class Retrace:
    """Traces a piece after all whose graphs were kept, where a call needs them in torch: "forward" or "backward"."""

    def __init__(self, module: fx.GraphModule, inputs: Sequence[torch.Tensor]) -> None:
        self._module = module
        self._types = [(x.shape, x.stride(), x.dtype, x.requires_grad, x.is_leaf) for x in inputs]
        self._autocast = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
        self._budget = config["training_memory_budget"]
        self._graphs: dict[str, fx.GraphModule] = {}

    def __call__(self, what: str) -> fx.GraphModule:
        if not self._graphs:
            mode, enabled, dtype = FakeTensorMode(), *self._autocast
            with mode:
                examples = [_example(*t) for t in self._types]
            with torch.enable_grad(), torch.autocast("cpu", dtype, enabled), tracing(TracingContext(mode)), collector_paused():
                with config.override(training_memory_budget=self._budget), _both_graphs_at_once():
                    differentiated(_with_operations(self._module), examples, self._taker("forward"), self._taker("backward"))
        return self._graphs[what]

    def _taker(self, what: str) -> Compiler:
        def take(module: fx.GraphModule, _: Any) -> Any:
            self._graphs[what] = module
            return module

        return take


def _both_graphs_at_once() -> AbstractContextManager[Any]:
    """While it lasts, AOTAutograd gives the backward graph with the forward graph, and not at the first backward pass."""
    from torch._functorch import config as settings

    return settings.patch(force_non_lazy_backward_lowering=True)


def _example(shape: torch.Size, strides: tuple[int, ...], dtype: torch.dtype, requires_grad: bool, is_leaf: bool) -> torch.Tensor:
    tensor = torch.empty_strided(shape, strides, dtype=dtype, requires_grad=requires_grad)
    return tensor if is_leaf else tensor.clone()


class Gradients:
    """How the calls of a piece that need gradients run: as ``config["training"]`` says.

    habit: tells whether calls keep what a backward pass needs. reason: why "auto" leaves them to torch.
    """

    def __init__(self, piece: Trainable, options: Mapping[str, Any], habit: Habit) -> None:
        self.piece, self.habit = piece, habit
        self.variants = Specializations[tuple[Any, Differentiated]]("a piece in training")
        self.failure: Exception | None = None  # why the piece trains in torch
        self.reason = reason_for_torch(piece.module)
        self._compiled, self._has_warned = 0, False
        self._options = {**options, "arrays": habit.pool.arrays}

    def __call__(self, inputs: Sequence[Any]) -> Any:
        """The piece's result, connected to the graph of autograd."""
        if self.is_torchs or self.failure is not None:
            return self.piece.in_torch(*inputs)
        kind = self.piece.kind(inputs)
        found = self.variants.find_or_make(lambda v: v if v[0] == kind else None, lambda: self._make(kind, inputs))
        if found is None:
            return self.piece.in_torch(*inputs)
        self.habit.pool.step(self)
        result = found[0][1](self.piece.tensors(inputs))
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(tensor, torch.Tensor) and tensor.requires_grad and not tensor.is_leaf:
                tensor.register_hook(self._notice)
                break
        return result

    def _notice(self, gradient: torch.Tensor) -> None:
        """Say what to do where the gradient of a gradient will be asked for, before torch says that there is none."""
        if torch.is_grad_enabled() and not self._has_warned:
            self._has_warned = True
            log.warning(
                'a backward pass with create_graph=True: compiled training has no gradients of gradients. sol.config["training"] = "torch" '
                "has them"
            )

    @property
    def is_torchs(self) -> bool:
        """Whether the piece trains in torch as ``config["training"]`` says."""
        return config["training"] == "torch" or (config["training"] == "auto" and bool(self.reason))

    def again(self, inputs: Sequence[Any]) -> Any:
        """The same, for a backward pass that came for a call that kept nothing."""
        self.habit.backward()
        return self(inputs)

    def _make(self, kind: Any, inputs: Sequence[Any]) -> tuple[Any, Differentiated] | None:
        if self.failure is not None or self._compiled >= MOST_COMPILED * config["recompile_limit"]:
            return None
        self._compiled += 1
        give_back_free_memory()  # what eager steps have freed
        try:
            with collector_paused():  # torch traces the piece and its gradients, and partitions them
                return kind, Differentiated(self.piece.fixed(inputs), self.piece.tensors(inputs), self._options, self.habit)
        except Exception as error:  # a defect of sol too: in torch the piece trains
            is_ours = isinstance(error, UnsupportedError)
            if isinstance(error, (ConfigError, MemoryError)) or (not is_ours and config["fallback"] != "eager"):
                raise
            self.failure = error
            log.warning("a piece of the model trains in torch: %s", told(error))
            return None


def is_repeatable(module: fx.GraphModule) -> bool:
    """Whether a captured piece has no layer in training mode that draws numbers or keeps statistics, and changes nothing in place."""
    return not any(is_in_training(n) or _writes(n) for graph in graphs_of(module) for n in graph.nodes)


def is_in_training(node: fx.Node) -> bool:
    """Whether a node is a layer in training mode."""
    if node.op != "call_function":
        return False
    try:
        bound = inspect.signature(node.target).bind(*node.args, **node.kwargs)  # type: ignore[arg-type]
        bound.apply_defaults()
        given: Mapping[str, Any] = bound.arguments
    except (TypeError, ValueError):  # a builtin function
        given = node.kwargs
    if node.target in _RECURRENT:
        from sol.frontend.torch.recurrent_ops import draws_dropout

        return draws_dropout(node)
    return (given.get("training") is True and given.get("p") != 0) or bool(given.get("dropout_p"))


def _writes(node: fx.Node) -> bool:
    """Whether a node changes an input in place."""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    first = node.args[0] if node.args else None
    in_place = (name.endswith("_") and not name.endswith("__")) or (node.target in _IN_PLACE)
    return in_place and node.op in ("call_function", "call_method") and isinstance(first, fx.Node) and first.op == "placeholder"
