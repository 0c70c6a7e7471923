"""What a kernel with reductions does: how it walks its axes, which passes over the reduced ones it takes, what it keeps between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sol.codegen.kernels.dfp_accumulate import Accumulator
from sol.codegen.kernels.dfp_space import Axis, Pointer, Space, locate, make_axes, merge, order_by, result_strides
from sol.codegen.kernels.dfp_terms import ARGS, Term, Terms, cost_of, fit_lanes, needed
from sol.codegen.lowering import Lowering
from sol.errors import UnsupportedError
from sol.ir.types import DType, TensorType


@dataclass
class Stage:
    """One pass over the reduced axes.

    reduces: reductions that it computes. stores: full outputs written in it. keeps: terms put into row buffers for later passes.
    loads: terms taken from row buffers. terms: full terms computed in it, in order.
    """

    reduces: list[Term]
    stores: list[tuple[Pointer, Term]]
    keeps: list[Term] = field(default_factory=list)
    loads: list[Term] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.reduces or self.stores)


class RowsPlan:
    """One kernel to be.

    mode: "row" (vectors along the innermost reduced axis, folded to a number at the end of a pass), "column" (vectors along an outer
    axis, reduced lane by lane) or "scalar" (one element at a time, for dtypes and strides that vectors do not serve).
    """

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
        self._locate()
        self._plan_axes()
        self._plan_stages()

    # -- plan --------------------------------------------------------------------------------------------------------

    def _locate(self) -> None:
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

        self.terms = Terms(self.body, self.reduced, is_full)
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
        else:
            self.mode = "scalar"
        if self.partial and self.mode != "column" and any(not p.view.layout.block for p in self.writes):
            raise UnsupportedError(
                f"a row-major result of a {self.type} reduction",
                origin=str(self.lowering.region.origin),
                remedy="use the plain layout when the channels do not fill whole blocks",
            )
        self.space = Space([*outer, *inner])
        self.outer = list(range(len(outer)))
        self.inner = list(range(len(outer), len(outer) + len(inner)))
        self.lane = self.outer.pop() if self.mode == "column" else -1
        size = self.space.axes[self.lane].size
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

    def _lane_axis(self, outer: Sequence[Axis]) -> int | None:
        """An outer axis along which every result is contiguous and every operand contiguous or constant."""
        for i in reversed(range(len(outer))):
            if outer[i].is_unit and all(outer[i].stride(p.name) == 1 for p in self.writes):
                return i
        return None

    def _plan_stages(self) -> None:
        outputs = [(p, self.terms.of(p.value)) for p in self.writes]
        full = [(p, t) for p, t in outputs if self._is_full_output(p, t)]
        self.reduced_outputs = [(p, t) for p, t in outputs if not self._is_full_output(p, t)]
        wanted = needed(t for _, t in outputs)
        reduces = [t for t in wanted if t.kind == "reduce"]
        last = max([t.stage for t in wanted], default=0)
        self.stages = [Stage([t for t in reduces if t.stage == s + 1], [(p, t) for p, t in full if t.stage == s]) for s in range(last + 1)]
        self.cost = max(1, cost_of(wanted))
        self.flops = sum(t.kind in ("map", "reduce") for t in wanted)
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
        all_reduces = [t for stage in self.stages for t in stage.reduces]
        self.slots = len(all_reduces)
        self.shares = self.slots > 0
        rooms = [Accumulator(t, self.mode, 0).part_bytes(self.lowering.target.lanes) for t in all_reduces]
        self.slot_bytes = (max(rooms, default=0) + 63) // 64 * 64
        self.buffers = {t: i for i, t in enumerate(dict.fromkeys(t for st in self.stages for t in st.keeps))}

    def _is_full_output(self, pointer: Pointer, term: Term) -> bool:
        mine = self.body.type_of(pointer.value)
        return mine.rank == self.type.rank and mine.shape == self.type.shape and term.op not in ARGS

    def _is_worth_keeping(self, term: Term) -> bool:
        """Computing it again costs more than storing and loading it."""
        behind = needed([term], lambda t: not t.full)
        return term.kind == "map" and (cost_of(behind) >= 6 or sum(t.kind == "leaf" for t in behind) >= 3)


def _storage_axes(dims: Sequence[int], rank: int, block: int) -> tuple[int, ...]:
    return tuple(dims) + ((rank,) if block and 1 in dims else ())
