"""Regions with reductions: for every outer index a few passes over the reduced axes, with registers or a row buffer between them.

Three ways to walk. "row": vectors along the innermost reduced axis, folded to a number at the end of a pass. "column": vectors along an
outer axis, reduced lane by lane. "scalar": one element at a time, for dtypes and strides that vectors do not serve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from sol.codegen.emit import CValue, Emitter, c_float
from sol.codegen.kernels.dfp_accumulate import accumulate, accumulated_dtype, declare_accumulator, folded
from sol.codegen.kernels.dfp_pointwise import stem_of
from sol.codegen.kernels.dfp_space import LANE_TYPES, Axis, Pointer, Space, locate, make_axes, merge, order_by, result_strides
from sol.codegen.kernels.dfp_terms import Term, Terms, cost_of, load_text, needed, store_text, trace
from sol.codegen.lowering import Lowering
from sol.errors import UnsupportedError
from sol.ir.dim import product
from sol.ir.graph import Graph, Node
from sol.ir.ops import spec_of
from sol.ir.types import DType, TensorType

CHUNK = 256  # steps after which a column's partial sum is added to its total
MAX_TEAM = 64  # threads that may share one reduction; larger teams share none


def lower_rows(lowering: Lowering) -> None:
    """One launch for the whole region."""
    body = lowering.body
    first = next(n for n in body.nodes if spec_of(n.op).kind == "reduce")
    type = _full_type(body, first)
    reduced = _reduced_dims(first, type)
    for node in body.nodes:
        if spec_of(node.op).kind == "reduce" and set(_reduced_dims(node, body.type_of(node.inputs[0]))) != set(reduced):
            raise UnsupportedError(
                f"{node.op} reduces other dimensions than {first.op}",
                origin=str(node.origin),
                remedy="report this: a pass formed a wrong region",
            )
    _Rows(lowering, type, reduced).lower()


def _full_type(body: Graph, first: Node) -> TensorType:
    """Logical type of the space: the largest shape that is reduced, in the layout of the values that have it."""
    shape = body.type_of(first.inputs[0]).shape
    alike = [body.type_of(v) for n in body.nodes for v in n.outputs if body.type_of(v).shape == shape]
    return next((t for t in alike if t.layout.block), body.type_of(first.inputs[0]))


def _reduced_dims(node: Node, x: TensorType) -> tuple[int, ...]:
    attrs = node.attrs
    if not x.rank:
        return ()
    if node.op in ("layer_norm", "rms_norm"):
        return tuple(range(x.rank - attrs["dims"], x.rank))
    return tuple(sorted(attrs["dims"])) if "dims" in attrs else (attrs["dim"],)


@dataclass
class _Stage:
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


class _Rows:
    """Plans and writes one kernel."""

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
        wanted = [self.terms.of(o) for o in self.body.outputs]
        vector = all(t.dtype in LANE_TYPES for t in needed(wanted))
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

    def _lane_axis(self, outer: Sequence[Axis]) -> int | None:
        """An outer axis along which every result is contiguous and every operand contiguous or constant."""
        for i in reversed(range(len(outer))):
            if outer[i].is_unit and all(outer[i].stride(p.name) == 1 for p in self.writes):
                return i
        return None

    def _plan_stages(self) -> None:
        outputs = [(p, self.terms.of(p.value)) for p in self.writes]
        full = [(p, t) for p, t in outputs if self._is_full_output(p)]
        self.reduced_outputs = [(p, t) for p, t in outputs if not self._is_full_output(p)]
        wanted = needed(t for _, t in outputs)
        reduces = [t for t in wanted if t.kind == "reduce"]
        last = max([t.stage for t in wanted], default=0)
        self.stages = [_Stage([t for t in reduces if t.stage == s + 1], [(p, t) for p, t in full if t.stage == s]) for s in range(last + 1)]
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
        self.buffers = {t: i for i, t in enumerate(dict.fromkeys(t for st in self.stages for t in st.keeps))}

    def _is_full_output(self, pointer: Pointer) -> bool:
        mine = self.body.type_of(pointer.value)
        return mine.rank == self.type.rank and (mine.shape == self.type.shape)

    def _is_worth_keeping(self, term: Term) -> bool:
        """Computing it again costs more than storing and loading it."""
        behind = needed([term], lambda t: not t.full)
        return term.kind == "map" and (cost_of(behind) >= 6 or sum(t.kind == "leaf" for t in behind) >= 3)

    # -- text --------------------------------------------------------------------------------------------------------

    def lower(self) -> None:
        space = self.space
        column = self.mode == "column"
        slots = sum(len(s.reduces) for s in self.stages)
        self.shares = slots > 0 and not any(t.op in ("argmax", "argmin") for s in self.stages for t in s.reduces)
        if column:
            variants = [(1, "")] if self.whole_lanes else [(4, ""), (1, "left")]
        else:
            variants = [(1, "")]
        width = variants[0][0]
        bodies = [_indent(_Writer(self, u, left).body()) for u, left in variants]
        reduced_count = space.product(self.inner)
        context = {
            "title": " ".join(n.op for n in self.body.nodes if n.op not in ("input", "constant")),
            "mode": self.mode,
            "passes": sum(not s.is_empty for s in self.stages),
            "cost": self.cost * (4 if self.mode == "scalar" else 1),
            "rows": space.product(self.outer),
            "lane_size": space.size(self.lane) if column else "1",
            "width": width,
            "whole_lanes": self.whole_lanes,
            "reduced_count": reduced_count,
            "split_size": space.size(self.inner[0]),
            "split_step": "LANES" if self.mode == "row" and len(self.inner) == 1 else "1",
            "shares": self.shares,
            "max_team": MAX_TEAM,
            "outer": [(i, space.size(i)) for i in self.outer],
            "bodies": bodies,
        }
        per_element = (4 * self.lowering.target.lanes * width) if column else 4 if self.mode == "row" else 8
        room = product(self.space.axes[i].size for i in self.inner) * per_element + 128
        if self.partial:
            space.params["channels"] = self.type.shape[1]
        self.lowering.emit(
            "dfp_rows.c.j2",
            stem_of(self.body),
            reads={p.name: p.view for p in self.reads},
            writes={p.name: p.view for p in self.writes},
            params=space.params,
            scratch=(room + 63) // 64 * 64 * len(self.buffers) if self.buffers else 0,
            common=2 * slots * MAX_TEAM * 64 * width if self.shares else 0,
            flops=product(self.shape) * self.flops,
            bytes=sum((p.view.dtype.itemsize * product(p.view.shape) for p in (*self.reads, *self.writes)), 0),
            **context,
        )


def _storage_axes(dims: Sequence[int], rank: int, block: int) -> tuple[int, ...]:
    return tuple(dims) + ((rank,) if block and 1 in dims else ())


def _indent(lines: Sequence[str]) -> list[str]:
    """Lines indented by their braces."""
    out, depth = [], 0
    for line in lines:
        depth -= line.startswith("}")
        out.append("    " * depth + line)
        depth += line.endswith("{")
    return out


class _Writer:
    """The C statements for one outer index (or one group of ``unroll`` vectors of them)."""

    def __init__(self, plan: _Rows, unroll: int, left: str) -> None:
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
            return "int32_t" if term.dtype is DType.BOOL else "float"
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
        return f"{live} & ({text})" if term.dtype is DType.BOOL else f"vf_select({live}, {text}, vf_zero())"

    # one pass

    def _stage(self, stage: _Stage) -> None:
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

    def _long_sums(self, stage: _Stage) -> list[int]:
        """Slots of the sums down a column: each chunk is summed alone, so that rounding errors do not pile up over long columns."""
        return [self.slot + k for k, term in enumerate(stage.reduces) if self.column and term.op == "sum"]

    def _unroll(self, stage: _Stage) -> int:
        if self.mode != "row" or not stage.reduces:
            return 1
        cost = cost_of(stage.terms)
        return 4 if cost <= 6 else 2

    def _element(self, stage: _Stage, copy: int, u: int, left: str) -> None:
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
        text = f"vi_set(-({value.text} != 0))" if term.dtype is DType.BOOL else f"vf_set({value.text})"
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
        if term.dtype is DType.BOOL:
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

    def _finish(self, stage: _Stage, copies: int) -> None:
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
        slots = sum(len(s.reduces) for s in self.plan.stages)
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
