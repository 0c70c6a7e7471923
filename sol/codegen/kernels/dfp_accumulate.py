"""How a reduction accumulates: its start, one step, and the number or vector that comes out, in scalar and vector C."""

from __future__ import annotations

from sol.codegen.emit import CValue, Emitter, c_float, c_integer
from sol.codegen.kernels.dfp_terms import Term
from sol.ir.types import DType


def _op(term: Term) -> str:
    """The reduction, with max and min of bools as any and all."""
    return {"max": "any", "min": "all"}.get(term.op, term.op) if term.operands[0].dtype is DType.BOOL else term.op


def accumulated_dtype(term: Term) -> DType:
    """dtype of the accumulator."""
    return DType.BOOL if _op(term) in ("any", "all") else term.operands[0].dtype


def _scalar_type(term: Term) -> str:
    """C type of a scalar accumulator: sums and products of floats are kept in double."""
    dtype = accumulated_dtype(term)
    if dtype.is_float and term.op in ("sum", "prod"):
        return "double"
    return Emitter(vector=False).ctype(dtype)


def declare_accumulator(term: Term, name: str, vector: bool) -> str:
    """C declaration that starts with the identity of the reduction."""
    op = _op(term)
    if vector:
        if op in ("any", "all"):
            return f"vi {name} = vi_set({-1 if op == 'all' else 0});"
        return f"vf {name} = vf_set({_identity(term)});"
    if op in ("argmax", "argmin"):
        return f"{Emitter(vector=False).ctype(accumulated_dtype(term))} {name} = 0; int64_t {name}_at = -1;"
    return f"{_scalar_type(term)} {name} = {_identity(term)};"


def _identity(term: Term) -> str:
    op, dtype = _op(term), accumulated_dtype(term)
    number = {"sum": 0.0, "prod": 1.0, "max": float("-inf"), "min": float("inf"), "any": 0.0, "all": 1.0}[op]
    return c_float(number) if dtype.is_float else str(int(number)) if dtype is DType.BOOL else c_integer(number, dtype)


def accumulate(term: Term, name: str, x: CValue, vector: bool, live: str, flat: str) -> list[str]:
    """Statements that take x into an accumulator. live: mask of lanes that exist, if not all."""
    op, text = _op(term), x.text
    if op in ("any", "all") and x.dtype is not DType.BOOL:
        text = f"({text} != 0)"
    if live:
        absent = {"any": f"({live} & {text})", "all": f"(~({live}) | {text})"}
        text = absent.get(op) or f"vf_select({live}, {text}, vf_set({_identity(term)}))"
    if op in ("sum", "prod"):
        return [f"{name} {'+' if op == 'sum' else '*'}= {text};"]
    if op in ("any", "all"):
        return [f"{name} {'|' if op == 'any' else '&'}= {text};"]
    if vector:
        return [f"{name} = vf_{op}({name}, {text});"]
    sign = ">" if op.endswith("max") else "<"
    if op in ("argmax", "argmin"):
        nan = f" || ({text} != {text} && {name} == {name})" if x.dtype.is_float else ""
        better = f"{name}_at < 0 || {text} {sign} {name}{nan}"
        return [f"if ({better}) {{", f"{name} = {text};", f"{name}_at = {flat};", "}"]
    nan = f" || {text} != {text}" if x.dtype.is_float else ""
    return [f"{name} = {text} {sign} {name}{nan} ? {text} : {name};"]


def folded(term: Term, name: str, mode: str) -> tuple[str, str]:
    """C type and text of an accumulator's final value."""
    op = _op(term)
    if op in ("argmax", "argmin"):
        return "int64_t", f"{name}_at"
    if mode == "scalar":
        return _scalar_type(term), name
    if mode == "column":
        return ("vi" if op in ("any", "all") else "vf"), name
    if op in ("any", "all"):
        return "int", f"vi_fold_{op}({name}) != 0"
    return "float", f"vf_fold_{op}({name})"
