"""What a kernel with reductions does: how it walks its axes, which passes over the reduced ones it takes, what it keeps between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sol.codegen.kernels.dfp_accumulate import Accumulator
from sol.codegen.kernels.dfp_space import Axis, Pointer, locate, make_axes, merge, order_by, result_strides
from sol.codegen.kernels.dfp_terms import APART, ARGS, Term, Terms, cost_of, fit_lanes, needed
from sol.codegen.lowering import Lowering
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.types import DType, TensorType


@dataclass(frozen=True)
class Stage:
    """One pass over the reduced axes.

    reduces: reductions that it computes. stores: full outputs written in it. keeps: terms put into row buffers for later passes.
    loads: terms taken from row buffers. terms: full terms computed in it, in order.
    """

    reduces: tuple[Term, ...]
    stores: tuple[tuple[Pointer, Term], ...]
    keeps: tuple[Term, ...]
    loads: tuple[Term, ...]
    terms: tuple[Term, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.reduces or self.stores)


@dataclass(frozen=True)
class RowsPlan:
    """One kernel to be.

    mode: "row" (vectors along the innermost reduced axis, folded to a number at the end of a pass), "column" (vectors along an outer
    axis, reduced lane by lane) or "scalar" (one element at a time, for dtypes and strides that vectors do not serve).
    shape: of the whole space. axes: of the walk, numbered by ``outer``, ``inner`` (those that are reduced) and, of columns, ``lane``, which
    has exactly one vector if ``whole_lanes``. widest: vectors of columns that are reduced at once.
    results: where terms are written; those without the reduced axes again as ``reduced``. leaves: tensors that terms are read from.
    wanted: all terms in order. buffers: those that are kept in row buffers. channels: of a blocked shape whose last lanes are padding.
    slots, slot_bytes: reductions, and room for one of a part. shares: whether threads may share a row.
    """

    stem: str
    title: str
    mode: str
    shape: tuple[DimLike, ...]
    axes: tuple[Axis, ...]
    outer: tuple[int, ...]
    inner: tuple[int, ...]
    lane: int
    whole_lanes: bool
    widest: int
    reads: tuple[Pointer, ...]
    results: tuple[tuple[Pointer, Term], ...]
    reduced: tuple[tuple[Pointer, Term], ...]
    leaves: tuple[tuple[Term, Pointer], ...]
    wanted: tuple[Term, ...]
    stages: tuple[Stage, ...]
    buffers: tuple[Term, ...]
    channels: DimLike | None
    slots: int
    slot_bytes: int

    @property
    def writes(self) -> tuple[Pointer, ...]:
        return tuple(p for p, _ in self.results)

    @property
    def pointers(self) -> tuple[Pointer, ...]:
        return (*self.reads, *self.writes)

    @property
    def shares(self) -> bool:
        return self.slots > 0

    @property
    def cost(self) -> int:
        """Work per element, as ``cost_of``."""
        return max(1, cost_of(self.wanted))

    @property
    def flops(self) -> int:
        """Steps per element."""
        return sum(t.kind in ("map", "reduce") for t in self.wanted)

    @property
    def bytes(self) -> DimLike:
        """Of all tensors."""
        return sum((p.view.dtype.itemsize * product(p.view.shape) for p in self.pointers), start=0)


def plan_rows(lowering: Lowering, type: TensorType, reduced: tuple[int, ...], stem: str) -> RowsPlan:
    """The kernel for a region that reduces these dimensions of a value of this type.

    Raises UnsupportedError for reductions over channels that do not fill blocks, and for row-major results of such values.
    """
    made = _Planner(lowering, type, reduced)
    return RowsPlan(
        stem=stem,
        title=" ".join(n.op for n in lowering.body.nodes if n.op not in ("input", "constant")),
        mode=made.mode,
        shape=made.shape,
        axes=tuple(made.axes),
        outer=tuple(made.outer),
        inner=tuple(made.inner),
        lane=made.lane,
        whole_lanes=made.whole_lanes,
        widest=made.widest,
        reads=tuple(made.reads),
        results=tuple(made.results),
        reduced=tuple(r for r in made.results if not made.is_full_output(*r)),
        leaves=tuple(made.pointer_of.items()),
        wanted=tuple(made.wanted),
        stages=tuple(s.done for s in made.stages),
        buffers=tuple(dict.fromkeys(t for s in made.stages for t in s.keeps)),
        channels=type.shape[1] if made.partial else None,
        slots=len(made.reductions),
        slot_bytes=made.slot_bytes,
    )


@dataclass
class _Pass:
    """A ``Stage`` in the making."""

    reduces: list[Term]
    stores: list[tuple[Pointer, Term]]
    keeps: list[Term] = field(default_factory=list)
    loads: list[Term] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)

    @property
    def done(self) -> Stage:
        return Stage(tuple(self.reduces), tuple(self.stores), tuple(self.keeps), tuple(self.loads), tuple(self.terms))


class _Planner:
    """Finds the parts of a plan one after the other."""

    def __init__(self, lowering: Lowering, type: TensorType, reduced: tuple[int, ...]) -> None:
        self.lowering, self.type, self.reduced, self.body = lowering, type, reduced, lowering.body
        self.block = type.layout.block
        channels = (type.shape[1] + self.block - 1) // self.block if self.block else 0
        self.shape = (type.shape[0], channels, *type.shape[2:], self.block) if self.block else type.shape
        self.partial = bool(self.block) and not (isinstance(type.shape[1], int) and type.shape[1] % self.block == 0)
        self.storage_reduced = _storage_axes(reduced, type.rank, self.block)
        if self.partial and len(self.shape) - 1 in self.storage_reduced:
            raise UnsupportedError(
                f"a reduction over {type.shape[1]} blocked channels",
                origin=str(lowering.region.origin),
                remedy="use the plain layout when the channels do not fill whole blocks",
            )
        self._locate(one_pass=True)
        self._plan_axes()
        if self.mode != "column":
            self._locate(one_pass=False)  # rows are short enough to stay in the cache for a second pass
            self._plan_axes()
        self._plan_stages()

    def _locate(self, one_pass: bool) -> None:
        lowering, type = self.lowering, self.type
        pointers: dict[tuple[str, bool], Pointer] = {}

        def pointer(value: str, squeezed: bool) -> Pointer:
            key = (value, squeezed)
            if key not in pointers:
                missing = self.reduced if squeezed else ()
                pointers[key] = locate(lowering, f"in{len(pointers)}", value, type, self.shape, self.block, missing)
            return pointers[key]

        def is_full(value: str) -> bool:
            strides = pointer(value, False).strides
            return any(strides[i] != 0 and self.shape[i] != 1 for i in self.storage_reduced)

        self.terms = Terms(self.body, self.reduced, is_full, one_pass=one_pass)
        self.pointer_of = {t: pointer(t.value, t.squeezed) for t in self.terms.all if t.kind == "leaf"}
        used = {p.name for p in self.pointer_of.values()}
        self.reads = [p for p in pointers.values() if p.name in used]
        self.writes: list[Pointer] = []
        for i, value in enumerate(self.body.outputs):
            view, mine = lowering.view(value), self.body.type_of(value)
            missing = self.reduced if mine.rank < type.rank else ()
            strides = result_strides(view, type, self.shape, self.block, missing)
            self.writes.append(Pointer(f"out{i}", value, view, strides, True))

    def _plan_axes(self) -> None:
        pointers = [*self.reads, *self.writes]
        names = [p.name for p in (*self.reads, *self.writes)]
        axes = make_axes(self.shape, self.storage_reduced, pointers, self.partial)
        if not self.block:
            axes = order_by(axes, names)
        empty = Axis(1, False, {n: 0 for n in names})
        outer = merge([a for a in axes if not a.reduced])
        inner = merge([a for a in axes if a.reduced]) or [Axis(1, True, empty.strides)]
        vector = self._takes_vectors(inner)
        if vector and inner[-1].is_unit and any(inner[-1].stride(p.name) == 1 for p in self.reads):
            self.mode = "row"
        elif vector and (lane := self._lane_axis(outer)) is not None:
            self.mode = "column"
            outer = [*outer[:lane], *outer[lane + 1 :], outer[lane]]
        elif vector and not self.block and self._collects(inner[-1]):
            self.mode = "row"
        else:
            self.mode = "scalar"
        if self.partial and self.mode != "column" and any(not p.view.layout.block for p in self.writes):
            raise UnsupportedError(
                f"a row-major result of a {self.type} reduction",
                origin=str(self.lowering.region.origin),
                remedy="use the plain layout when the channels do not fill whole blocks",
            )
        self.axes = [*outer, *inner]
        self.outer = list(range(len(outer)))
        self.inner = list(range(len(outer), len(outer) + len(inner)))
        self.lane = self.outer.pop() if self.mode == "column" else -1
        size = self.axes[self.lane].size
        self.whole_lanes = self.mode == "column" and isinstance(size, int) and size == self.lowering.target.lanes
        self.widest = 1 if self.mode != "column" or self.whole_lanes else 4  # vectors of columns that are reduced at once

    def _takes_vectors(self, inner: Sequence[Axis]) -> bool:
        """Whether everything is computed in lanes; of indices there are only results, along one axis that int32 counts."""
        outputs = [self.terms.of(o) for o in self.body.outputs]
        terms = needed(outputs)
        indices = [t for t in terms if t.op in ARGS]
        used = {operand for t in terms for operand in t.operands}
        countable = len(inner) == 1 and (not isinstance(inner[0].size, int) or inner[0].size < 2**31)
        if indices and not (countable and all(t in outputs and t not in used and t.operands[0].dtype is DType.F32 for t in indices)):
            return False
        return fit_lanes([t for t in terms if t not in indices])

    def _collects(self, axis: Axis) -> bool:
        """Whether vectors lie along an axis but for operands of floats whose numbers lie apart and are collected."""
        apart = [p for p in self.reads if not axis.is_unit_of(p.name)]
        return bool(apart) and all(p.view.dtype in APART for p in apart) and all(axis.is_unit_of(p.name) for p in self.writes)

    def _lane_axis(self, outer: Sequence[Axis]) -> int | None:
        """An outer axis along which every result is contiguous and every operand contiguous or constant."""
        for i in reversed(range(len(outer))):
            if outer[i].is_unit and all(outer[i].stride(p.name) == 1 for p in self.writes):
                return i
        return None

    def _plan_stages(self) -> None:
        self.results = [(p, self.terms.of(p.value)) for p in self.writes]
        full = [r for r in self.results if self.is_full_output(*r)]
        self.wanted = needed(t for _, t in self.results)
        self.reductions = [t for t in self.wanted if t.kind == "reduce"]
        last = max([t.stage for t in self.wanted], default=0)
        self.stages = [
            _Pass([t for t in self.reductions if t.stage == s + 1], [(p, t) for p, t in full if t.stage == s]) for s in range(last + 1)
        ]
        computed: dict[Term, int] = {}
        for s, stage in enumerate(self.stages):
            roots = [t.operands[0] for t in stage.reduces] + [t for _, t in stage.stores]

            def ends(term: Term) -> bool:
                return not term.full or (term in computed and self._is_worth_keeping(term))

            for term in needed(roots, ends):
                if term in computed and term.full and self._is_worth_keeping(term):
                    stage.loads.append(term)
                    if term not in self.stages[computed[term]].keeps:
                        self.stages[computed[term]].keeps.append(term)
                elif term.full:
                    stage.terms.append(term)
            for term in stage.terms:
                computed.setdefault(term, s)
        rooms = [Accumulator(t, self.mode, 0).part_bytes(self.lowering.target.lanes) for t in self.reductions]
        self.slot_bytes = (max(rooms, default=0) + 63) // 64 * 64

    def is_full_output(self, pointer: Pointer, term: Term) -> bool:
        """Does a result have the reduced axes?"""
        mine = self.body.type_of(pointer.value)
        return mine.rank == self.type.rank and mine.shape == self.type.shape and term.op not in ARGS

    def _is_worth_keeping(self, term: Term) -> bool:
        """Computing it again costs more than storing and loading it."""
        behind = needed([term], lambda t: not t.full)
        return term.kind == "map" and (cost_of(behind) >= 6 or sum(t.kind == "leaf" for t in behind) >= 3)


def _storage_axes(dims: Sequence[int], rank: int, block: int) -> tuple[int, ...]:
    return tuple(dims) + ((rank,) if block and 1 in dims else ())
