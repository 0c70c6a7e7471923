"""C text of control flow in network.c: what opens and closes a block of launches."""

from __future__ import annotations

from collections.abc import Callable

from sol.codegen.plan import BufferRef, Control, Plan, State
from sol.ir.dim import dim_text

Pointer = Callable[[BufferRef], str]


def pointer_texts(plan: Plan) -> dict[str, str]:
    """Buffers that C variables of loops point to, by name."""
    found = {}
    for buffer in plan.buffers:
        if buffer.kind == "pointer":
            variable = buffer.name[1:].replace(".", "_")
            found[buffer.name] = f"(char *)&{variable}" if variable.endswith(("_round", "_flag")) else variable
    return found


def opening(control: Control, block: int, pointer: Pointer) -> list[str]:
    """Lines before a block: the condition, or the variables of a loop and its head."""
    if control.op == "if":
        return [f"if (*(const uint8_t *)({pointer(control.condition)})) {{"] if block == 0 else ["} else {"]
    c = control.name
    assert control.limit is not None
    limit = f"*(const int64_t *)({pointer(control.limit)})" if control.trips is None else dim_text(control.trips)
    lines = [
        f"int64_t {c}_round = 0;",
        f"uint8_t {c}_flag = *(const uint8_t *)({pointer(control.condition)});",
        f"const int64_t {c}_limit = {limit};",
    ]
    for k, state in enumerate(control.states):
        lines.append(f"char *{c}_state{k} = {pointer(state.start)}, *{c}_next{k} = {pointer(state.spare)};")
    lines.append(f"for (; {c}_round < {c}_limit && {c}_flag; {c}_round++) {{")
    for walk in (*control.scanned, *control.stacked):
        name = walk.name[1:].replace(".", "_")
        lines += [f"    char *const {name} = {pointer(walk.start)} + {c}_round * ({dim_text(walk.step)});", f"    (void){name};"]
    return lines


def closing(control: Control, pointer: Pointer, place: int | None) -> list[str]:
    """Lines behind the last block. place: where the size that the rounds define goes in ``dims``, None if it is not told."""
    if control.op == "if":
        return ["}", "sol_barrier(team);"]
    c = control.name
    lines = ["    sol_barrier(team);"]
    if control.going is not None:  # all have read it before one writes it again
        lines += [f"    {c}_flag = *(const uint8_t *)({pointer(control.going)});", "    sol_barrier(team);"]
    for k, state in enumerate(control.states):
        lines += _turn(c, k, state, pointer)
    lines.append("}")
    for k, state in enumerate(control.states):
        lines.append(f"sol_copy(team, {pointer(state.result)}, {c}_state{k}, {dim_text(state.size)});")
    if control.count is not None:
        lines.append(f"if (team->id == 0) *(int64_t *)({pointer(control.count)}) = {c}_round;")
    lines.append("sol_barrier(team);")
    if control.symbol:
        lines += [f"const int64_t {control.symbol} = {c}_round;", f"(void){control.symbol};"]
        if place is not None:
            lines.append(f"if (team->id == 0) ((int64_t *)call->dims)[{place}] = {control.symbol};")
    return lines


def _turn(c: str, k: int, state: State, pointer: Pointer) -> list[str]:
    """What was written is read in the next round, and written is the memory that is neither."""
    spare, result = pointer(state.spare), pointer(state.result)
    return [f"    {c}_state{k} = {c}_next{k};", f"    {c}_next{k} = {c}_state{k} == {spare} ? {result} : {spare};"]
