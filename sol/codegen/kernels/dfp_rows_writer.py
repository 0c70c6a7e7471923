"""The C statements of a kernel with reductions for one outer index: passes over the reduced axes with registers or row buffers between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from sol.codegen.emit import CValue, Emitter, c_float
from sol.codegen.kernels.dfp_accumulate import CHUNK, SHORT, Accumulator
from sol.codegen.kernels.dfp_rows_plan import RowsPlan, Stage
from sol.codegen.kernels.dfp_space import Space
from sol.codegen.kernels.dfp_terms import ARGS, Term, cost_of, load_text, store_text, trace
from sol.ir.lanes import FLOAT_LANES
from sol.ir.types import DType

MAX_PARTS = 64  # in which a row is reduced; also how many threads may share one


NONE: Mapping[str, Accumulator] = MappingProxyType({})


class RowsWriter:
    """The C statements for one outer index (or one group of ``unroll`` vectors of them).

    soon: bytes ahead of which rows are asked for where they are first read.
    """

    def __init__(self, plan: RowsPlan, space: Space, unroll: int, left: str, soon: int) -> None:
        self.soon = soon if plan.mode == "row" else 0
        self.first_read: dict[str, Stage] = {}
        self.plan, self.space, self.mode, self.width, self.left = plan, space, plan.mode, unroll, left
        self.pointer_of, self.buffers = dict(plan.leaves), {t: i for i, t in enumerate(plan.buffers)}
        self.column, self.vector = plan.mode == "column", plan.mode != "scalar"
        self.lines: list[str] = []
        # One emitter of reduced values per vector of the group (one in the other modes).
        self.small = [Emitter(vector=self.column, prefix=f"r{u}_") for u in range(unroll)]
        self.known: list[dict[Term, CValue]] = [{} for _ in range(unroll)]
        self.slot = 0

    def body(self) -> list[str]:
        plan, space = self.plan, self.space
        for p in (*plan.reads, *plan.writes):
            lane = f" + lane * {space.stride(p.name, plan.lane)}" if self.column and space.stride(p.name, plan.lane) != "0" else ""
            const = "" if p.writes else "const "
            self.lines.append(f"{const}{p.view.dtype.c} *p_{p.name} = {p.name} + {space.offset(p.name, plan.outer)}{lane};")
        if plan.channels is not None:
            lane = " + lane" if self.column else ""
            self.lines.append(f"const int64_t exist = channels - ({space.offset('channel', plan.outer)}{lane});")
        room = space.product(plan.inner)
        for term, i in self.buffers.items():
            ctype, scale = self._buffer_type(term), f" * LANES * {self.width}" if self.column else ""
            bytes_each = 8 if self.mode == "scalar" else 4
            self.lines.append(f"{ctype} *keep{i} = ({ctype} *)(team->scratch + {i} * ((({room}){scale} * {bytes_each} + 191) / 64 * 64));")
        for s, stage in enumerate(plan.stages):
            self._reduced_terms(s)
            if not stage.is_empty:
                self.lines.append(f"/* pass {s} */")
                self._stage(stage)
        self._store_reduced()
        if plan.shares:
            self.lines.append("turn++;")
        return self.lines

    def _buffer_type(self, term: Term) -> str:
        if self.vector:
            return "float" if term.dtype in FLOAT_LANES else "int32_t"
        return Emitter(vector=False).ctype(term.dtype)

    # reduced values

    def _reduced_terms(self, stage: int) -> None:
        """Everything that does not vary along the reduced axes and is known before this pass."""
        for u in range(self.width):
            emitter, known = self.small[u], self.known[u]
            terms = [t for t in self.plan.wanted if not t.full and t.stage == stage and t.kind != "reduce"]
            mark = len(emitter.lines)
            trace(emitter, terms, known, partial(self._reduced_leaf, u))
            self.lines += emitter.lines[mark:]

    def _reduced_leaf(self, u: int, term: Term) -> CValue:
        emitter = self.small[u]
        if term.kind == "count":
            count = f"({'double' if term.dtype is DType.F64 else 'float'})({self.space.product(self.plan.inner)})"
            if term.literal:
                kind = "fmax" if term.dtype is DType.F64 else "fmaxf"
                count = f"{kind}({count} - {c_float(term.literal)}, 0)"
            return emitter.let(f"vf_set({count})" if self.column else count, term.dtype)
        name = self.pointer_of[term].name
        lane = self.space.stride(name, self.plan.lane) if self.column else "0"
        address = f"p_{name} + {u} * LANES" if u and lane == "1" else f"p_{name}"
        return emitter.let(load_text(term.dtype, address, vector=self.column, stride=lane, left=self.left), term.dtype)

    def _store_reduced(self) -> None:
        plan = self.plan
        if not plan.reduced:
            return
        self.lines.append("if (!shared || team->id == 0) {")
        for pointer, term in plan.reduced:
            for u in range(self.width):
                left = self.left
                text = self.known[u][term].text
                if self.column and plan.channels is not None:
                    if pointer.view.layout.block:
                        text = self._masked(term, text, "vi_first(exist)")
                    else:
                        left = "(int)(exist < LANES ? exist : LANES)"
                address = f"p_{pointer.name} + {u} * LANES" if u else f"p_{pointer.name}"
                if self.column and term.op in ARGS:
                    self.lines.append(f"memcpy({address}, {text}, (size_t)({left or 'LANES'}) * sizeof(int64_t));")
                    continue
                self.lines.append(store_text(term.dtype, address, text, vector=self.column, left=left))
        self.lines.append("}")

    def _masked(self, term: Term, text: str, live: str) -> str:
        return f"vf_select({live}, {text}, vf_zero())" if term.dtype in FLOAT_LANES else f"{live} & ({text})"

    # one pass

    def _stage(self, stage: Stage) -> None:
        """Part after part; what the parts give meets in the value, at once or when all threads are done with theirs."""
        unroll = self._unroll(stage)
        short = f"parts == 1 && reduced <= {SHORT * unroll} * LANES" if self._walks_vectors() else ""
        accumulators = [Accumulator(t, self.mode, self.slot + k, short) for k, t in enumerate(stage.reduces)]
        copies, groups = self.width if self.column else unroll, self.width if self.column else 1
        self.lines += [line for a in accumulators for g in range(groups) for line in a.declare(g)]
        step = " / LANES * LANES" if self._walks_vectors() else ""
        size = self.space.size(self.plan.inner[0])
        self.lines += [
            "for (int64_t part = part_begin; part < part_end; part++) {",
            f"const int64_t from = part ? {size} * part / parts{step} : 0;",
            f"const int64_t to = part + 1 < parts ? {size} * (part + 1) / parts{step} : {size};",
        ]
        self.lines += [line for a in accumulators for line in a.begin(copies)]
        self._firsts(stage, [a for a in accumulators if a.is_spread], copies)
        self._walk(stage, accumulators, unroll, copies)
        count = " * ".join(["(to - from)", *(self.space.size(i) for i in self.plan.inner[1:])])
        self.lines += [line for a in accumulators for line in a.end(copies, "from", count)]
        self._meet(accumulators, groups)
        self.lines.append("}")
        self._meet_shared(accumulators, groups)
        for accumulator in accumulators:
            for g in range(groups):
                ctype, text = accumulator.final(g)
                name = f"y{accumulator.number}_{g}"
                if not (accumulator.finds_place and self.column):
                    self.lines.append(f"const {ctype} {name} = {text};")
                    text = name
                self.known[g][accumulator.term] = CValue(self.small[g], text, accumulator.term.dtype)
        self.slot += len(accumulators)

    def _firsts(self, stage: Stage, accumulators: list[Accumulator], copies: int) -> None:
        """Means of the operands of some accumulators over the first elements of a part."""
        if not accumulators:
            return
        outer, inner = self.plan.inner[:-1], self.plan.inner[-1]
        begin, end = ("0", self.space.size(inner)) if outer else ("from", "to")
        self.lines += ["{", *(f"const int64_t i{i} = {'0' if k else 'from'};" for k, i in enumerate(outer))]
        self.lines += [
            f"const int64_t stop = {end} - {begin} < {CHUNK} ? {end} : {begin} + {CHUNK};",
            f"for (int64_t i{inner} = {begin}; i{inner} < stop; i{inner}++) {{",
        ]
        for u in range(copies):
            self._element(replace(stage, stores=(), keeps=()), [], u, u, self.left, {a.first(u): a for a in accumulators})
        self.lines.append("}")
        firsts = [a.first(u) for a in accumulators for u in range(copies)]
        self.lines += [*(f"{f} *= vf_set(1.0f / (float)(stop - {begin} > 0 ? stop - {begin} : 1));" for f in firsts), "}"]

    def _walks_vectors(self) -> bool:
        """Whether parts consist of whole vectors along the only reduced axis."""
        return self.mode == "row" and len(self.plan.inner) == 1

    def _walk(self, stage: Stage, accumulators: list[Accumulator], unroll: int, copies: int) -> None:
        """The loops over the elements of one part."""
        outer, inner = self.plan.inner[:-1], self.plan.inner[-1]
        first, last = "from", "to"
        for i in outer:
            self.lines.append(f"for (int64_t i{i} = {first}; i{i} < {last}; i{i}++) {{")
            first, last = "0", self.space.size(self.plan.inner[self.plan.inner.index(i) + 1])
        chunked = any(a.is_chunked for a in accumulators)
        vectors = self.mode == "row"
        self.lines += ["{", f"int64_t i{inner} = {first};"]
        if chunked:
            chunk = f"{CHUNK * unroll} * LANES" if vectors else str(CHUNK)
            more = "".join(f"!short{a.number} && " for a in accumulators if a.may_be_short) + f"i{inner} + {chunk} < {last}"
            self.lines += [f"while (i{inner} < {last}) {{", f"const int64_t stop = {more} ? i{inner} + {chunk} : {last};"]
            self.lines += [line for a in accumulators for line in a.begin_chunk(copies)]
            last = "stop"
        if vectors:
            self._vectors(stage, accumulators, unroll, last)
        else:
            self.lines.append(f"for (; i{inner} < {last}; i{inner}++) {{")
            for u in range(copies):
                self._element(stage, accumulators, u, u, self.left)
            self.lines.append("}")
        if chunked:
            self.lines += [line for a in accumulators for line in a.end_chunk(copies)] + ["}"]
        self.lines += ["}"] * (1 + len(outer))

    def _vectors(self, stage: Stage, accumulators: list[Accumulator], unroll: int, last: str) -> None:
        """Several vectors at once, single ones, and the rest of one."""
        i = f"i{self.plan.inner[-1]}"
        if unroll > 1:
            self.lines.append(f"for (; {i} + {unroll} * LANES <= {last}; {i} += {unroll} * LANES) {{")
            for u in range(unroll):
                self._element(stage, accumulators, u, u, "")
            self.lines.append("}")
        self.lines.append(f"for (; {i} + LANES <= {last}; {i} += LANES) {{")
        self._element(stage, accumulators, 0, 0, "")
        self.lines += ["}", f"if ({i} < {last}) {{", f"const int left = (int)({last} - {i});"]
        self._element(stage, accumulators, 0, 0, "left")
        self.lines += [f"{i} = {last};", "}"]

    def _unroll(self, stage: Stage) -> int:
        if self.mode != "row" or not stage.reduces:
            return 1
        cost = cost_of(stage.terms)
        return 4 if cost <= 6 else 2

    def _element(
        self, stage: Stage, accumulators: list[Accumulator], copy: int, u: int, left: str, firsts: Mapping[str, Accumulator] = NONE
    ) -> None:  # fmt: skip
        """Statements for one vector (or element): full terms, stores, accumulation. copy: which accumulator and offset.

        firsts: variables to which the operands of accumulators are added.
        """
        plan = self.plan
        emitter = Emitter(vector=self.vector, prefix=f"t{copy}_")
        reduced = self.known[u if self.column else 0]
        known: dict[Term, CValue] = {}
        for term, value in reduced.items():
            same = CValue(emitter, value.text, value.dtype, value.literal)
            known[term] = self._broadcast(emitter, term, value) if self.mode == "row" else same
        for term in stage.loads:
            known[term] = emitter.let(self._keep(term, copy, load=True), term.dtype)
        trace(emitter, stage.terms, known, lambda t: self._full_leaf(emitter, t, copy, left, stage))
        lines = ["{", *emitter.lines]
        for term in stage.keeps:
            lines.append(self._keep(term, copy, value=known[term].text))
        for pointer, term in stage.stores:
            text = known[term].text
            if self.column and plan.channels is not None:
                text = self._masked(term, text, "vi_first(exist)")
            lines.append(store_text(term.dtype, self._address(pointer.name, copy), text, vector=self.vector, left=left))
        for accumulator in accumulators:
            live = f"vi_first({left})" if left and not self.column else ""
            lines += accumulator.step(copy, known[accumulator.term.operands[0]], live, self._place(copy))
        lines += [f"{name} += {known[a.term.operands[0]].text};" for name, a in firsts.items()]
        self.lines += [*lines, "}"]

    def _place(self, copy: int) -> str:
        """Where an element is, as an accumulator counts: its number, or in vectors how far it is from the start of the part."""
        if not self.vector:
            return self._flat()
        i = self.plan.inner[-1]
        if self.column:
            return f"vi_set((int32_t)(i{i} - from))"
        return f"vi_lanes() + (int32_t)(i{i} - from{f' + {copy} * LANES' if copy else ''})"

    def _broadcast(self, emitter: Emitter, term: Term, value: CValue) -> CValue:
        if term.kind == "literal":
            return emitter.constant(term.literal, term.dtype)
        if term.dtype in FLOAT_LANES:
            return CValue(emitter, f"vf_set({value.text})", term.dtype)
        text = f"vi_set(-({value.text} != 0))" if term.dtype is DType.BOOL else f"vi_set({value.text})"
        return CValue(emitter, text, term.dtype)

    def _flat(self) -> str:
        """Number of the element within the reduced axes."""
        text = ""
        for i in self.plan.inner:
            text = f"({text}) * {self.space.size(i)} + i{i}" if text else f"i{i}"
        return text

    def _keep(self, term: Term, copy: int, *, load: bool = False, value: str = "") -> str:
        at = self._flat()
        if self.column:
            at = f"(({at}) * {self.width} + {copy}) * LANES"
        elif copy:
            at += f" + {copy} * LANES"
        name = f"keep{self.buffers[term]}"
        if not self.vector:
            return f"{name}[{at}]" if load else f"{name}[{at}] = {value};"
        if term.dtype not in FLOAT_LANES:
            return f"*(const vi_unaligned *)({name} + {at})" if load else f"*(vi_unaligned *)({name} + {at}) = {value};"
        return f"vf_load({name} + {at})" if load else f"vf_store({name} + {at}, {value});"

    def _address(self, name: str, copy: int) -> str:
        offset = self.space.offset(name, self.plan.inner)
        text = f"p_{name}" if offset == "0" else f"p_{name} + {offset}"
        lane = self.plan.lane if self.column else self.plan.inner[-1]
        stride = self.space.stride(name, lane)
        if not copy or stride == "0":
            return text
        return f"{text} + {copy} * LANES" if stride == "1" else f"{text} + {copy} * LANES * {stride}"

    def _full_leaf(self, emitter: Emitter, term: Term, copy: int, left: str, stage: Stage) -> CValue:
        name = self.pointer_of[term].name
        lane = self.space.stride(name, self.plan.lane if self.column else self.plan.inner[-1])
        if self.soon and lane == "1" and not left and self.first_read.setdefault(name, stage) is stage:
            ahead = self.soon // self.pointer_of[term].view.dtype.itemsize
            emitter.lines.append(f"__builtin_prefetch({self._address(name, copy)} + {ahead});")
        text = load_text(term.dtype, self._address(name, copy), vector=self.vector, stride=lane, left=left)
        return emitter.let(text, term.dtype)

    # results of parts

    def _meet(self, accumulators: list[Accumulator], groups: int) -> None:
        """A part's results: into the values, or where all threads will find them."""
        met = [(a, g) for a in accumulators for g in range(groups)]
        if not met:
            return
        combined = [line for a, g in met for line in a.combine(g)]
        if not self.plan.shares:
            self.lines += combined
            return
        self.lines.append("if (shared) {")
        for a, g in met:
            self.lines += [f"memcpy({to}, &{name}, sizeof {name});" for name, to in self._slots(a, g)]
        self.lines += ["} else {", *combined, "}"]

    def _meet_shared(self, accumulators: list[Accumulator], groups: int) -> None:
        """Where threads share the row: the results of all parts into the values, by every thread in the same order."""
        if not accumulators or not self.plan.shares:
            return
        self.lines += ["if (shared) {", "sol_barrier(team);", "for (int64_t part = 0; part < parts; part++) {"]
        for a in accumulators:
            for g in range(groups):
                self.lines.append(f"{a.part_type} {a.part(g)};")
                if a.finds_place:
                    self.lines.append(f"int64_t {a.part(g)}_at{'[LANES]' if self.column else ''};")
                self.lines += [f"memcpy(&{name}, {place}, sizeof {name});" for name, place in self._slots(a, g)]
                self.lines += a.combine(g)
        self.lines += ["}", "}"]

    def _slots(self, accumulator: Accumulator, group: int) -> list[tuple[str, str]]:
        """Variables of a part's result, and where in the shared memory they lie."""
        line, slots = self.plan.slot_bytes, self.plan.slots * self.plan.widest
        number = accumulator.number * self.plan.widest + group
        place = f"team->shared_scratch + (((turn % 2) * {slots} + {number}) * {MAX_PARTS} + part) * {line}"
        name = accumulator.part(group)
        found = [(name, place)]
        if accumulator.finds_place:
            found.append((f"{name}_at", f"{place} + {line // 2}"))
        return found
