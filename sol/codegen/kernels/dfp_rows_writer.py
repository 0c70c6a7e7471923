"""The C statements of a kernel with reductions for one outer index: passes over the reduced axes with registers or row buffers between."""

from __future__ import annotations

from functools import partial

from sol.codegen.emit import CValue, Emitter, c_float
from sol.codegen.kernels.dfp_accumulate import accumulate, accumulated_dtype, declare_accumulator, folded
from sol.codegen.kernels.dfp_rows_plan import RowsPlan, Stage
from sol.codegen.kernels.dfp_terms import Term, cost_of, load_text, needed, store_text, trace
from sol.ir.types import DType

CHUNK = 256  # steps after which a column's partial sum is added to its total
MAX_TEAM = 64  # threads that may share one reduction; larger teams share none


class RowsWriter:
    """The C statements for one outer index (or one group of ``unroll`` vectors of them)."""

    def __init__(self, plan: RowsPlan, unroll: int, left: str) -> None:
        self.plan, self.space, self.mode, self.width, self.left = plan, plan.space, plan.mode, unroll, left
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
        if plan.partial:
            lane = " + lane" if self.column else ""
            self.lines.append(f"const int64_t exist = channels - ({space.offset('channel', plan.outer)}{lane});")
        room = space.product(plan.inner)
        for term, i in plan.buffers.items():
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
            return "float" if term.dtype is DType.F32 else "int32_t"
        return Emitter(vector=False).ctype(term.dtype)

    # reduced values

    def _reduced_terms(self, stage: int) -> None:
        """Everything that does not vary along the reduced axes and is known before this pass."""
        outputs = [self.plan.terms.of(p.value) for p in self.plan.writes]
        for u in range(self.width):
            emitter, known = self.small[u], self.known[u]
            terms = [t for t in needed(outputs) if not t.full and t.stage == stage and t.kind != "reduce"]
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
        name = self.plan.pointer_of[term].name
        lane = self.space.stride(name, self.plan.lane) if self.column else "0"
        address = f"p_{name} + {u} * LANES" if u and lane == "1" else f"p_{name}"
        return emitter.let(load_text(term.dtype, address, vector=self.column, stride=lane, left=self.left), term.dtype)

    def _store_reduced(self) -> None:
        plan = self.plan
        if not plan.reduced_outputs:
            return
        self.lines.append("if (!shared || team->id == 0) {")
        for pointer, term in plan.reduced_outputs:
            for u in range(self.width):
                left = self.left
                text = self.known[u][term].text
                if self.column and plan.partial:
                    if pointer.view.layout.block:
                        text = self._masked(term, text, "vi_first(exist)")
                    else:
                        left = "(int)(exist < LANES ? exist : LANES)"
                address = f"p_{pointer.name} + {u} * LANES" if u else f"p_{pointer.name}"
                self.lines.append(store_text(term.dtype, address, text, vector=self.column, left=left))
        self.lines.append("}")

    def _masked(self, term: Term, text: str, live: str) -> str:
        return f"vf_select({live}, {text}, vf_zero())" if term.dtype is DType.F32 else f"{live} & ({text})"

    # one pass

    def _stage(self, stage: Stage) -> None:
        plan = self.plan
        unroll = self._unroll(stage)
        copies = self.width if self.column else unroll
        for k, term in enumerate(stage.reduces):
            for u in range(copies):
                name = "total" if self.slot + k in self._long_sums(stage) else "a"
                self.lines.append(declare_accumulator(term, f"{name}{self.slot + k}_{u}", self.vector))
        outer, inner = plan.inner[:-1], plan.inner[-1]
        first, last = "split_begin", "split_end"
        for i in outer:
            self.lines.append(f"for (int64_t i{i} = {first}; i{i} < {last}; i{i}++) {{")
            first, last = "0", self.space.size(plan.inner[plan.inner.index(i) + 1])
        if self.column or not self.vector:
            sums = self._long_sums(stage)
            if sums:
                self.lines += [
                    f"for (int64_t from = {first}; from < {last}; from += {CHUNK}) {{",
                    f"const int64_t to = from + {CHUNK} < {last} ? from + {CHUNK} : {last};",
                ]
                self.lines += [f"vf a{k}_{u} = vf_zero();" for k in sums for u in range(copies)]
                first, last = "from", "to"
            self.lines.append(f"for (int64_t i{inner} = {first}; i{inner} < {last}; i{inner}++) {{")
            for u in range(copies):
                self._element(stage, u, u, self.left)
            self.lines.append("}")
            if sums:
                self.lines += [f"total{k}_{u} += a{k}_{u};" for k in sums for u in range(copies)] + ["}"]
        else:
            self.lines += ["{", f"int64_t i{inner} = {first};"]
            if unroll > 1:
                self.lines.append(f"for (; i{inner} + {unroll} * LANES <= {last}; i{inner} += {unroll} * LANES) {{")
                for u in range(unroll):
                    self._element(stage, u, u, "")
                self.lines.append("}")
            self.lines.append(f"for (; i{inner} + LANES <= {last}; i{inner} += LANES) {{")
            self._element(stage, 0, 0, "")
            self.lines += ["}", f"if (i{inner} < {last}) {{", f"const int left = (int)({last} - i{inner});"]
            self._element(stage, 0, 0, "left")
            self.lines += ["}", "}"]
        self.lines += ["}"] * len(outer)
        self._finish(stage, copies)
        self.slot += len(stage.reduces)

    def _long_sums(self, stage: Stage) -> list[int]:
        """Slots of the sums down a column: each chunk is summed alone, so that rounding errors do not pile up over long columns."""
        return [self.slot + k for k, term in enumerate(stage.reduces) if self.column and term.op == "sum"]

    def _unroll(self, stage: Stage) -> int:
        if self.mode != "row" or not stage.reduces:
            return 1
        cost = cost_of(stage.terms)
        return 4 if cost <= 6 else 2

    def _element(self, stage: Stage, copy: int, u: int, left: str) -> None:
        """Statements for one vector (or element): full terms, stores, accumulation. copy: which accumulator and offset."""
        plan = self.plan
        emitter = Emitter(vector=self.vector, prefix=f"t{copy}_")
        reduced = self.known[u if self.column else 0]
        known: dict[Term, CValue] = {}
        for term, value in reduced.items():
            same = CValue(emitter, value.text, value.dtype, value.literal)
            known[term] = self._broadcast(emitter, term, value) if self.mode == "row" else same
        for term in stage.loads:
            known[term] = emitter.let(self._keep(term, copy, load=True), term.dtype)
        trace(emitter, stage.terms, known, lambda t: self._full_leaf(emitter, t, copy, left))
        lines = ["{", *emitter.lines]
        for term in stage.keeps:
            lines.append(self._keep(term, copy, value=known[term].text))
        for pointer, term in stage.stores:
            text = known[term].text
            if self.column and plan.partial:
                text = self._masked(term, text, "vi_first(exist)")
            lines.append(store_text(term.dtype, self._address(pointer.name, copy), text, vector=self.vector, left=left))
        for k, term in enumerate(stage.reduces):
            x = known[term.operands[0]]
            live = f"vi_first({left})" if left and not self.column else ""
            lines += accumulate(term, f"a{self.slot + k}_{copy}", x, self.vector, live, self._flat())
        self.lines += [*lines, "}"]

    def _broadcast(self, emitter: Emitter, term: Term, value: CValue) -> CValue:
        if term.kind == "literal":
            return emitter.constant(term.literal, term.dtype)
        if term.dtype is DType.F32:
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
        name = f"keep{self.plan.buffers[term]}"
        if not self.vector:
            return f"{name}[{at}]" if load else f"{name}[{at}] = {value};"
        if term.dtype is not DType.F32:
            return f"*(const vi_unaligned *)({name} + {at})" if load else f"*(vi_unaligned *)({name} + {at}) = {value};"
        return f"vf_load({name} + {at})" if load else f"vf_store({name} + {at}, {value});"

    def _address(self, name: str, copy: int) -> str:
        offset = self.space.offset(name, self.plan.inner)
        text = f"p_{name}" if offset == "0" else f"p_{name} + {offset}"
        lane = self.plan.lane if self.column else self.plan.inner[-1]
        return f"{text} + {copy} * LANES" if copy and self.space.stride(name, lane) == "1" else text

    def _full_leaf(self, emitter: Emitter, term: Term, copy: int, left: str) -> CValue:
        name = self.plan.pointer_of[term].name
        lane = self.space.stride(name, self.plan.lane if self.column else self.plan.inner[-1])
        text = load_text(term.dtype, self._address(name, copy), vector=self.vector, stride=lane, left=left)
        return emitter.let(text, term.dtype)

    def _finish(self, stage: Stage, copies: int) -> None:
        """Accumulators to reduced values, over the team if it shares the row."""
        groups = [[u] for u in range(copies)] if self.column else [list(range(copies))]
        pending = []
        for k, term in enumerate(stage.reduces):
            for u, members in enumerate(groups):
                name = "total" if self.slot + k in self._long_sums(stage) else "a"
                accumulator = f"{name}{self.slot + k}_{members[0]}"
                for other in members[1:]:
                    value = CValue(self.small[0], f"a{self.slot + k}_{other}", accumulated_dtype(term))
                    self.lines += accumulate(term, accumulator, value, self.vector, "", "0")
                name = f"v{self.slot + k}_{u}"
                ctype, text = folded(term, accumulator, self.mode)
                self.lines.append(f"{ctype} {name} = {text};")
                pending.append((term, u, name, ctype))
        if pending and not any(t.op in ("argmax", "argmin") for t, *_ in pending):
            self._share(pending)
        for term, u, name, _ in pending:
            emitter = self.small[u]
            text = f"({emitter.ctype(term.dtype)}){name}" if self.mode == "scalar" else name
            self.known[u][term] = CValue(emitter, text, term.dtype)

    def _share(self, pending: list[tuple[Term, int, str, str]]) -> None:
        """Partial results of all threads through the common memory, combined in one order by every thread."""
        slots = self.plan.slots
        line = 64 * (4 if self.column and not self.plan.whole_lanes else 1)
        self.lines.append("if (shared) {")
        places = []
        for term, u, name, ctype in pending:
            k = int(name[1:].partition("_")[0])
            base = f"team->common + ((turn % 2) * {slots} + {k}) * {MAX_TEAM * line}"
            places.append((term, name, ctype, base, f"+ {u} * LANES * 4" if u else ""))
        for _, name, _, base, shift in places:
            self.lines.append(f"memcpy({base} + team->id * {line} {shift}, &{name}, sizeof {name});")
        self.lines.append("sol_barrier(team);")
        for term, name, ctype, base, shift in places:
            self.lines += [
                f"memcpy(&{name}, {base} {shift}, sizeof {name});",
                "for (int thread = 1; thread < team->size; thread++) {",
                f"{ctype} other;",
                f"memcpy(&other, {base} + thread * {line} {shift}, sizeof other);",
            ]
            self.lines += accumulate(term, name, CValue(self.small[0], "other", accumulated_dtype(term)), self.column, "", "0")
            self.lines.append("}")
        self.lines.append("}")
