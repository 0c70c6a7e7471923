"""How the calls of one model run: compiled whole, in pieces where torch.export cannot capture the model, or in torch.

Each step down is logged once, in one line. With ``fallback="error"`` there is none: what cannot be compiled whole is an error.
"""

from __future__ import annotations

import functools
import logging
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch.nn.parameter import is_lazy

from sol.build.templates import keep_templates
from sol.codegen.targets import resolve
from sol.config import config
from sol.errors import (
    CacheError,
    CompilerNotFoundError,
    ConfigError,
    ExportError,
    InputError,
    SolError,
    TypeInferenceError,
    UnsupportedError,
    VerifyError,
)
from sol.frontend.imported import Imported
from sol.frontend.quantize_weights import WeightFormat, quantize_weights
from sol.frontend.torch.capture import Call, take_call
from sol.frontend.torch.export import import_call
from sol.frontend.torch.reads import Reads
from sol.frontend.torch.rehearsal import rehearse
from sol.frontend.torch.shapes import leaf_shapes, without_small
from sol.ir.types import DType
from sol.passes.narrow_products import narrow_products
from sol.runtime.ahead import in_background_once
from sol.runtime.packers import compile_usual
from sol.runtime.specializations import Specializations
from sol.runtime.team import team
from sol.runtime.torch.attributes import Attributes
from sol.runtime.torch.calls import take_function
from sol.runtime.torch.change_words import watching_library
from sol.runtime.torch.history import History
from sol.runtime.torch.inputs import check_inputs, check_model, is_plain, like_torchs, told
from sol.runtime.torch.partition import Partition
from sol.runtime.torch.program import Counter, Held, Program, Taken
from sol.runtime.torch.segments import split_segments
from sol.runtime.torch.training import MOST_COMPILED

log = logging.getLogger("sol.runtime")
NARROW = {torch.bfloat16: DType.BF16, torch.float16: DType.F16}
"""Dtypes in which products can be computed instead of float32."""
DEFECT = "this is a defect of sol, please report it"
STATES_LEFT = 1
"""Of so many earlier states of plain attributes the programs are kept: switches go to and fro."""
MOST_CHANGES = 8
"""So often plain attributes of a model may change between calls until it is compiled in pieces, which look at those that they read."""


@dataclass(frozen=True)
class Options:
    """How a module is compiled. dynamic_shapes as torch.export takes them; threads: None follows torch.

    time_budget: seconds for measuring kernels; None: as ``config["autotune"]`` says.
    weights, group, dtype: as for ``sol.optimize``; a model with quantized weights is compiled whole or not at all.
    """

    isa: str | None = None
    dynamic_shapes: Any = None
    threads: int | None = None
    fallback: str | None = None
    time_budget: float | None = None
    weights: str | None = None
    group: int = 64
    dtype: torch.dtype | None = None

    def __post_init__(self) -> None:
        _ = self.weight_format  # the format's own check
        if self.dtype not in (None, torch.float32, *NARROW):
            raise ConfigError(f"dtype={self.dtype!r} is not built", remedy="use torch.bfloat16, torch.float16 or None")

    @property
    def weight_format(self) -> WeightFormat | None:
        return None if self.weights is None else WeightFormat(self.weights, self.group)

    @property
    def falls_back(self) -> bool:
        return self.weights is None and (self.fallback or config["fallback"]) == "eager"

    @property
    def narrow(self) -> DType | None:
        """The dtype in which products are computed, where it is not that of the model."""
        return None if self.dtype is None else NARROW.get(self.dtype)

    @property
    def changes_results(self) -> str:
        """What makes results differ from the model's, in words; nothing if they do not."""
        return "quantized weights" if self.weights is not None else f"products of {self.narrow}" if self.narrow is not None else ""

    def applied(self, imported: Imported, matrix_tiles: bool | None = None) -> Imported:
        """The import with its weights in the format and its products in the dtype that are asked for, if any.

        matrix_tiles: whether it is for processors with these; None: for the instruction set that the options name.
        """
        graph, format = imported.graph, self.weight_format
        if format is not None:
            graph = quantize_weights(graph, format)
        if self.narrow is not None:
            tiles = resolve(self.isa or config["isa"]).matrix_tiles if matrix_tiles is None else matrix_tiles
            graph = narrow_products(graph, self.narrow, tiles)
        return imported if graph is imported.graph else replace(imported, graph=graph)


class Way(Protocol):
    """How calls of one kind run. take: a call's arguments → what ``Program.run`` wants, or None for a call of another kind."""

    def take(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Taken | None: ...


class InTorch:
    """Calls of one kind run in torch. reason: why, in words, or for each of the operations that were imported."""

    def __init__(self, imported: Imported, reason: BaseException | None = None) -> None:
        self.take, self.reason = take_function(imported), reason
        self.calls = [n for n in imported.graph if n.op == "torch_call"] if reason is None else []


@dataclass(frozen=True)
class _Left:
    """What calls ran in while plain attributes were as they are not now. without_memo: before the model kept values for later calls."""

    attributes: Attributes
    programs: tuple[Program, ...]
    partition: Partition | None
    without_memo: bool = False

    def programs_again(self) -> list[Program]:
        """The programs that are right now that attributes are as they were; those that rely on a memo rely on that of then."""
        found = [p for p in self.programs if self.without_memo or not p.imported.fills_memo]
        for program in found:
            program.expect_memo(filled=False)
        return found


class Ways:
    """All ways of one model. settled: holds the model still while torch.export captures it, which puts fake tensors into it for a while."""

    def __init__(self, model: torch.nn.Module, options: Options, held: Held, counter: Counter,
                 settled: Callable[[], AbstractContextManager[Any]]) -> None:  # fmt: skip
        self.model, self.options, self.title = model, options, type(model).__name__
        self._held, self._counter, self._settled = held, counter, settled
        self.programs = Specializations[Program](self.title)
        self.in_torch = Specializations[InTorch](self.title, limited=False)
        self.partition: Partition | None = None  # once torch.export could not capture the model
        self.failure: BaseException | None = None  # why everything runs in torch
        self.reads = Reads()  # attributes that the programs depend on
        self._changes = self._made = 0  # changes of plain attributes, and programs
        self._left: list[_Left] = []
        if isinstance(model, torch.jit.ScriptModule):
            self.failure = UnsupportedError("a TorchScript module runs in torch")
            log.warning("%s: %s", self.title, self.failure)
        self._history = History(any(isinstance(m, torch.nn.RNNBase) for m in model.modules()))
        self._said: set[str] = set()
        self._foreseen: weakref.WeakKeyDictionary[Program, tuple[int, list[str]]] = weakref.WeakKeyDictionary()

    # -- find ----------------------------------------------------------------------------------------------------------

    def find(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Program, Taken] | None:
        """The program that takes a call, and the call taken apart; it is tried first from now on."""
        return self.programs.find(lambda program: program.take(args, kwargs))

    def foreseen(self, program: Program) -> list[str]:
        """Buffers that a program exchanges by tensors that all programs take as well."""
        version = self.programs.version
        found = self._foreseen.get(program)
        if found is None or found[0] != version:
            exchanges = program.exchanges or []
            fit = all(p.serves(target, type) for p in self.programs.entries for target, type in exchanges)
            found = self._foreseen[program] = version, [target for target, _ in exchanges] if fit else []
        return found[1]

    def ran_in_torch(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Whether calls of this kind were found to run in torch; the kind is tried first from now on."""
        return bool(self.in_torch.entries) and self.in_torch.find(lambda way: way.take(args, kwargs)) is not None

    def are_known(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Whether a call that no program takes is known to run in pieces or in torch."""
        return self.partition is not None or self.failure is not None or self.ran_in_torch(args, kwargs)

    def reasons(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        """Why a call runs in torch: (operation, reason, place in the model), of the model as a whole or of each operation."""
        way = next((way for way in self.in_torch if way.take(args, kwargs) is not None), None)
        if way is not None and way.calls:
            return [(n.attrs["key"], n.attrs["reason"], str(n.origin).strip()) for n in way.calls]
        found = self.failure or (way and way.reason)
        return [(self.title, str(found or "inputs of this kind run in torch"), "")]

    @property
    def depend_on_attributes(self) -> bool:
        """Whether there are programs, or were, that a change of a plain attribute that a trace read ends."""
        return bool(self.reads.names) and bool(self.programs.entries or self._left)

    def attribute_changed(self, name: str, before: Attributes) -> None:
        """Programs do not hold any more, because a plain attribute that a trace read is another one. Those that were made when all was as
        it is now hold again."""
        now = before.again()
        left = _Left(before, self.programs.entries, self.partition)
        again = next((state for state in self._left if now.were(state.attributes)), None)
        self._left = [left, *(state for state in self._left if state is not again)][:STATES_LEFT]
        self.programs.replace(again.programs_again() if again else ())
        self.partition = again.partition if again else None
        if again:
            return
        self._changes += 1
        if self._changes >= MOST_CHANGES and self.options.falls_back:
            self._left = []
            self._step_down(ExportError(f"{name} and other attributes of the model keep changing between calls"))

    def memo_is_filled(self, program: Program, before: Attributes) -> None:
        """A program's model keeps values for later calls from now on. Other programs were made as if theirs were the first call."""
        program.expect_memo(filled=True)
        self._left = [_Left(before, (program,), self.partition, without_memo=True)]
        self.programs.replace([program])

    # -- make ----------------------------------------------------------------------------------------------------------

    def make(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        """A program for a call that none takes; None if such calls run in pieces or in torch."""
        if self.are_known(args, kwargs):
            return None
        if not self.options.falls_back:
            check_inputs(args, kwargs)
            check_model(self.model)
        elif not self._is_for_compiled_code() or self._is_compiled_in_vain():
            return None
        keep_templates()
        packers = self._usual_packers()
        in_background_once(f"module {self.options.isa or config['isa']} {len(packers)}", team, watching_library, *packers)
        try:
            imported = self._import(args, kwargs)
        except (ConfigError, InputError, VerifyError):
            raise
        except Exception as error:
            self._step_down(error)
            return None
        return self._program(self.options.applied(imported), args, kwargs)

    def _is_compiled_in_vain(self) -> bool:
        """Whether so many kinds of calls came that others run in torch."""
        most = MOST_COMPILED * config["recompile_limit"]
        if self._made == most:
            self._say(f"compiled for {most} kinds of calls ({MOST_COMPILED} x sol.config.recompile_limit): other kinds run in torch")
        return self._made >= most

    def _usual_packers(self) -> list[Callable[[], None]]:
        """What compiles them, if the model has weights that they pack."""
        packed = any(not is_lazy(p) and p.dtype is torch.float32 and p.dim() > 1 for p in self.model.parameters())
        return [functools.partial(compile_usual, self.options.isa)] if packed else []

    def _is_for_compiled_code(self) -> bool:
        """Whether all tensors of the model lie where compiled code can read them."""
        for name, tensor in (*self.model.named_parameters(), *self.model.named_buffers()):
            if not (tensor.is_cpu and tensor.layout is torch.strided):
                self.failure = InputError(f"{name} of the model is a {tensor.layout} tensor on the {tensor.device} device")
                log.warning("%s runs in torch: %s", self.title, told(self.failure))
                return False
        return True

    def _step_down(self, error: Exception) -> None:
        """The model cannot be imported: from now on it runs in pieces."""
        if not self.options.falls_back:
            raise error
        cause = told(error) if isinstance(error, SolError) else f"{told(error)} ({DEFECT})"
        log.warning("%s is compiled in pieces, at its first call: %s", self.title, cause)
        self.partition = Partition(self.model, self.options.isa, self.options.threads, error)

    def _program(self, imported: Imported, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
        o = self.options
        if o.falls_back and imported.torch_calls and not any(s.graph is not None for s in split_segments(imported.graph)):
            self.in_torch.add(InTorch(imported))
            return None
        try:
            program = self._new_program(imported)
        except (ConfigError, VerifyError):
            raise
        except Exception as error:
            if not o.falls_back:
                raise
            log.error("%s runs in torch: %s (%s)", self.title, told(error), DEFECT if _is_defect(error) else getattr(error, "remedy", ""))
            self.in_torch.add(InTorch(imported, error))
            return None
        self.programs.add(program)
        self._made += 1
        return program

    def _new_program(self, imported: Imported) -> Program:
        o = self.options
        return Program(imported, self._held, title=self.title, isa=o.isa, threads=o.threads, counter=self._counter)

    # -- import --------------------------------------------------------------------------------------------------------

    def _import(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Imported:
        """The model for this call, its sizes open where the caller says so or where they keep changing.

        Raises InputError, also of torch's type, for what the model does not take in torch.
        """
        call = take_call(args, kwargs)
        error: Exception | None = None
        for candidate, shapes in self._candidates(call):
            try:
                with self._settled():
                    imported = import_call(self.model, candidate, shapes, reads=self.reads)
                if take_function(imported)(args, kwargs) is not None:
                    if shapes or candidate is not call:
                        self._history.succeed(call)
                    return imported
                error = ExportError("what was captured is not for the call that it was captured for")
            except (ConfigError, VerifyError):
                raise
            except Exception as found:  # sizes that torch.export must fix; the last candidate leaves nothing open
                error = error or found
                if _depends_on_data(found):
                    break
        assert error is not None
        if isinstance(error, (ExportError, TypeInferenceError)) and not is_limit(error):
            self._try_in_torch(args, kwargs)
        raise error

    def _candidates(self, call: Call) -> Iterator[tuple[Call, dict[int, dict[int, Any]]]]:
        """Ways to capture a call, the most general one first."""
        opened = self._history.enter(call)
        if self.options.dynamic_shapes is not None:
            shapes, small = without_small(call, leaf_shapes(self.model, call, self.options.dynamic_shapes))
            if small:
                self._say(f"{', '.join(small)}: this size is fixed in what is compiled, other ones are compiled for when they come")
            yield call, shapes
            if not self.programs and not self.options.falls_back:
                return
            self._say("the sizes of dynamic_shapes cannot stay open as given: as many as possible are")
            yield call, {leaf: dict.fromkeys(dims, torch.export.Dim.AUTO) for leaf, dims in shapes.items()}
        elif opened:
            yield call.opening(opened.numbers), {leaf: dict.fromkeys(dims, torch.export.Dim.AUTO) for leaf, dims in opened.dims.items()}
            self._history.close(call)
        yield call, {}

    def _say(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            log.warning("%s: %s", self.title, message)

    def _try_in_torch(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """InputError, which is of torch's type too, if the model itself does not take the call."""
        if all(is_plain(t) for t in self.model.parameters()):
            try:
                rehearse(self.model, args, kwargs)
            except Exception as error:
                raise like_torchs(error, self.title, args, kwargs) from error


_LIMITS = ("torch._dynamo", "torch.fx.experimental", "torch._subclasses", "torch._export", "torch.export")


def is_limit(error: BaseException) -> bool:
    """Whether an error of a capture tells of what capturing cannot do, and not of what the model does not take."""
    cause = error.__cause__
    return cause is None or type(cause).__module__.startswith(_LIMITS)


def _depends_on_data(error: BaseException) -> bool:
    """Whether a capture failed by what data decide, which no choice of open sizes mends."""
    return type(error.__cause__).__name__ in ("GuardOnDataDependentSymNode", "DataDependentOutputException")


def _is_defect(error: BaseException) -> bool:
    """Whether an error while compiling is one of sol and not of its surroundings."""
    return not isinstance(error, (CompilerNotFoundError, CacheError))
