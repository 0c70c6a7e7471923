"""How a reduction accumulates, in scalar and vector C: chunks into parts, parts into the value, in an order that sizes alone decide.

A sum of floats is accurate because few elements are added one after the other: a chunk of them goes into a running sum, and chunks are
added up together with what rounding loses. Parts are what threads share out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sol.codegen.emit import CValue, Emitter, c_float, c_integer, wrapping
from sol.codegen.kernels.dfp_terms import ARGS, Term
from sol.ir.types import DType

CHUNK = 8  # elements that a running sum takes one after the other
SHORT = 16  # the same where that is all: a fold of the running sums is then cheaper than adding up chunks


@dataclass(frozen=True)
class Accumulator:
    """One reduction of a kernel.

    mode: as of the kernel (dfp_rows_plan.py). number: its place among the kernel's reductions. Variables: ``a<number>_<copy>`` runs over a
    chunk, or over a part where chunks mean nothing; ``p<number>_<group>`` is the result of a part, ``v<number>_<group>`` that of all parts.
    A group is one vector of columns, or everything where vectors are folded to one number. Where an index is looked for ``…_at`` is
    beside each: within the part while it runs (int32 lanes), from the start of the reduced axis afterwards (int64).
    short: C condition under which everything is one chunk, whose sum ``s<number>`` is folded as it is; "" where that is never so. The same
    for all reductions of a pass.
    """

    term: Term
    mode: str
    number: int
    short: str = ""

    @property
    def vector(self) -> bool:
        return self.mode != "scalar"

    @property
    def column(self) -> bool:
        return self.mode == "column"

    @property
    def dtype(self) -> DType:
        """dtype of what is compared or added."""
        return DType.BOOL if self.op in ("any", "all") else self.term.operands[0].dtype

    @property
    def op(self) -> str:
        """The reduction, with max and min of bools as any and all."""
        op = self.term.op
        return {"max": "any", "min": "all"}.get(op, op) if self.term.operands[0].dtype is DType.BOOL else op

    @property
    def finds_place(self) -> bool:
        return self.op in ARGS

    @property
    def is_chunked(self) -> bool:
        """Whether running sums are emptied after each chunk."""
        return self.is_spread or self.op == "sum" and (self.vector or self.dtype is DType.F64)

    @property
    def is_spread(self) -> bool:
        """Whether a mean and the squared distances from it are found, in columns."""
        return self.op == "spread"

    def first(self, copy: int) -> str:
        """The mean of a part's first vectors, from which distances are counted."""
        return f"f{self.number}_{copy}"

    def running(self, copy: int) -> str:
        return f"a{self.number}_{copy}"

    def part(self, group: int) -> str:
        return f"p{self.number}_{group}"

    def value(self, group: int) -> str:
        return f"v{self.number}_{group}"

    # types

    @property
    def _running_type(self) -> str:
        if self.vector:
            return "vi" if self.op in ("any", "all") else "vf"
        if self.dtype.is_float and self.op in ("sum", "prod"):
            return "double"
        return Emitter(vector=False).ctype(self.dtype)

    @property
    def part_type(self) -> str:
        """C type of the result of a part."""
        if self.is_spread:
            return "vspread"
        if self.is_chunked:
            return "vw" if self.column else "double" if self.vector else "sol_twin"
        if not self.vector or self.column:
            return self._running_type
        return "int" if self.op in ("any", "all") else "float"

    def part_bytes(self, lanes: int) -> int:
        """Room for a part's result and, where it is looked for, its place."""
        if self.is_spread:
            return 8 + 16 * lanes
        return (8 * lanes if self.column else 16) + (8 * (lanes if self.column else 1) if self.finds_place else 0)

    def _identity(self) -> str:
        op = "max" if self.op == "argmax" else "min" if self.op == "argmin" else self.op
        number = {"sum": 0.0, "prod": 1.0, "max": float("-inf"), "min": float("inf"), "any": 0.0, "all": 1.0}[op]
        dtype = self.dtype
        return c_float(number) if dtype.is_float else str(int(number > 0)) if dtype is DType.BOOL else c_integer(number, dtype)

    def _neutral(self, vector: bool) -> str:
        if not vector:
            return self._identity()
        return f"vi_set({-1 if self.op == 'all' else 0})" if self.op in ("any", "all") else f"vf_set({self._identity()})"

    # the value, before the first part and after the last

    def declare(self, group: int) -> list[str]:
        """The value over no part at all."""
        name, start = self.value(group), "{0}" if self.is_chunked and self.part_type != "double" else self._neutral(self.column)
        lines = [f"{self.part_type} {name} = {start};"]
        if self.may_be_short:
            lines += [f"const int short{self.number} = {self.short};", f"float s{self.number} = 0;"]
        if self.finds_place:
            lines.append(f"int64_t {name}_at[LANES]; vi_places({name}_at, vi_set(0), -1);" if self.column else f"int64_t {name}_at = -1;")
        return lines

    def combine(self, group: int) -> list[str]:
        """A part's result into the value; parts come in order."""
        name, other = self.value(group), self.part(group)
        if self.finds_place:
            sign = "max" if self.op == "argmax" else "min"
            if self.column:
                return [f"vf_meet_arg{sign}(&{name}, {name}_at, {other}, {other}_at);"]
            return [f"if ({other}_at >= 0 && ({self._is_better(name, other)})) {{", f"{name} = {other};", f"{name}_at = {other}_at;", "}"]
        if self.part_type in ("vw", "vspread"):
            return [f"{name} = {self.part_type}_sum({name}, {other});"]
        if self.part_type == "sol_twin":
            return [f"{name} = sol_twin_sum({name}, {other});"]
        return self._merge(name, other, self.column)

    def final(self, group: int) -> tuple[str, str]:
        """C type and text of the value as later steps compute with it."""
        name = self.value(group)
        if self.finds_place:
            return "int64_t", f"{name}_at"
        if self.part_type in ("vw", "vspread"):
            return "vf", f"{self.part_type}_value({name})"
        if self.column:
            return self._running_type, name
        if self.op in ("any", "all"):
            return "int", f"{name} != 0"
        ctype = Emitter(vector=False).ctype(self.term.dtype)
        if self.may_be_short:
            return ctype, f"short{self.number} ? s{self.number} : ({ctype}){name}"
        return ctype, f"({ctype}){'sol_twin_value(' + name + ')' if self.part_type == 'sol_twin' else name}"

    # one part

    def begin(self, copies: int) -> list[str]:
        """Statements before the elements of a part."""
        if self.is_spread:
            return [f"vw d{self.number}_{u} = {{0}}, q{self.number}_{u} = {{0}}; vf {self.first(u)} = vf_zero();" for u in range(copies)]
        if self.is_chunked:
            kind = "vw" if self.vector else "sol_twin"
            return [f"{kind} {self._wide(u)} = {{0}};" for u in range(copies if self.column else 1)]
        lines = [f"{self._running_type} {self.running(u)} = {self._neutral(self.vector)};" for u in range(copies)]
        if self.finds_place:
            kind, start = ("vi", "vi_set(0)" if self.column else "vi_lanes()") if self.vector else ("int64_t", "-1")
            lines += [f"{kind} {self.running(u)}_at = {start};" for u in range(copies)]
        return lines

    @property
    def may_be_short(self) -> bool:
        return self.is_chunked and self.mode == "row" and bool(self.short)

    def _wide(self, u: int) -> str:
        """What chunks of a part are added up in."""
        return self.part(u) if self.column or not self.vector else f"w{self.number}"

    def begin_chunk(self, copies: int) -> list[str]:
        if self.is_spread:
            return [f"vf {self.running(u)} = vf_zero(), b{self.number}_{u} = vf_zero();" for u in range(copies)]
        return [f"{self._running_type} {self.running(u)} = {self._neutral(self.vector)};" for u in range(copies)] if self.is_chunked else []

    def end_chunk(self, copies: int) -> list[str]:
        if not self.is_chunked:
            return []
        if self.is_spread:
            sums = [(f"d{self.number}_{u}", self.running(u)) for u in range(copies)]
            sums += [(f"q{self.number}_{u}", f"b{self.number}_{u}") for u in range(copies)]
            return [f"{wide} = vw_add({wide}, {sum});" for wide, sum in sums]
        if not self.vector:
            return [f"{self._wide(0)} = sol_twin_add({self._wide(0)}, {self.running(0)});"]
        if self.column:
            return [f"{self._wide(u)} = vw_add({self._wide(u)}, {self.running(u)});" for u in range(copies)]
        tree = _tree([self.running(u) for u in range(copies)])
        long = f"{self._wide(0)} = vw_add({self._wide(0)}, {tree});"
        return [f"if (short{self.number}) s{self.number} = vf_sum({tree});", f"else {long}"] if self.short else [long]

    def step(self, copy: int, x: CValue, live: str, place: str) -> list[str]:
        """Take x. live: mask of lanes that exist, if not all. place: of x, counted as while a part runs."""
        text, name = x.text, self.running(copy)
        if self.is_spread:
            away = f"away{self.number}"
            return [f"const vf {away} = {text} - {self.first(copy)};", f"{name} += {away};", f"b{self.number}_{copy} += {away} * {away};"]
        if self.op in ("any", "all") and x.dtype is not DType.BOOL:
            text = f"({text} != 0)"
        if live:
            absent = {"any": f"({live} & {text})", "all": f"(~({live}) | {text})"}
            text = absent.get(self.op) or f"vf_select({live}, {text}, {self._neutral(True)})"
        if not self.finds_place:
            return self._merge(name, text, self.vector)
        if not self.vector:
            return [f"if ({self._is_better(name, text)}) {{", f"{name} = {text};", f"{name}_at = {place};", "}"]
        beaten = "<=" if self.op == "argmax" else ">="
        return [
            "{",
            f"const vi better = ~({text} {beaten} {name}) & ({name} == {name});",
            f"{name} = vf_select(better, {text}, {name});",
            f"{name}_at = (better & ({place})) | (~better & {name}_at);",
            "}",
        ]

    def end(self, copies: int, start: str, count: str) -> list[str]:
        """Statements after the elements of a part: its result in ``part``. start: place of its first element; count: of them."""
        if self.is_spread:
            n = self.number
            found = [f"vspread_of((double)({count}), {self.first(u)}, d{n}_{u}, q{n}_{u})" for u in range(copies)]
            return [f"const vspread {self.part(u)} = {text};" for u, text in enumerate(found)]
        if self.is_chunked:
            unless = f"short{self.number} ? 0 : " if self.short else ""
            return [f"const double {self.part(0)} = {unless}vw_total({self._wide(0)});"] if self.mode == "row" else []
        groups = [[u] for u in range(copies)] if self.column else [list(range(copies))]
        lines: list[str] = []
        for group, members in enumerate(groups):
            lines += self._joined(group, [self.running(u) for u in members], start)
        return lines

    def _joined(self, group: int, names: Sequence[str], start: str) -> list[str]:
        """Copies of a running accumulator as one result."""
        first, part = names[0], self.part(group)
        if self.finds_place:
            return self._joined_places(part, names, start)
        lines = [line for other in names[1:] for line in self._merge(first, other, self.vector)]
        text = first
        if self.mode == "row":
            text = f"vi_fold_{self.op}({first}) != 0" if self.op in ("any", "all") else f"vf_fold_{self.op}({first})"
        return [*lines, f"const {self.part_type} {part} = {text};"]

    def _joined_places(self, part: str, names: Sequence[str], start: str) -> list[str]:
        first = names[0]
        if not self.vector:
            return [f"const {self.part_type} {part} = {first};", f"const int64_t {part}_at = {first}_at;"]
        if self.column:
            return [f"const vf {part} = {first};", f"int64_t {part}_at[LANES]; vi_places({part}_at, {first}_at, {start});"]
        sign = "max" if self.op == "argmax" else "min"
        lines = [f"vf_join_arg{sign}(&{first}, &{first}_at, {other}, {other}_at);" for other in names[1:]]
        place = f"{start} + vf_fold_arg{sign}({first}, {first}_at, &{part})"
        return [*lines, f"float {part};", f"const int64_t {part}_at = {place};"]

    # two values of a kind

    def _is_better(self, name: str, text: str) -> str:
        """C condition: ``text``, which comes later, takes the place of ``name``."""
        sign = ">" if self.op == "argmax" else "<"
        nan = f" || ({text} != {text} && {name} == {name})" if self.dtype.is_float else ""
        return f"{name}_at < 0 || {text} {sign} {name}{nan}"

    def _merge(self, name: str, text: str, vector: bool) -> list[str]:
        if self.op in ("sum", "prod"):
            sign = "+" if self.op == "sum" else "*"
            if self.dtype.is_int:
                return [f"{name} = {wrapping(self.dtype, name, sign, text)};"]
            return [f"{name} {sign}= {text};"]
        if self.op in ("any", "all"):
            return [f"{name} {'|' if self.op == 'any' else '&'}= {text};"]
        if vector:
            return [f"{name} = vf_{self.op}({name}, {text});"]
        sign = ">" if self.op == "max" else "<"
        nan = f" || {text} != {text}" if self.dtype.is_float else ""
        return [f"{name} = {text} {sign} {name}{nan} ? {text} : {name};"]


def _tree(names: Sequence[str]) -> str:
    """Sum of neighbours, then of these sums."""
    while len(names) > 1:
        names = [f"({a} + {b})" for a, b in zip(names[::2], names[1::2])] + list(names[len(names) // 2 * 2 :])
    return names[0]
