"""What a memory-bound region computes, as a list of terms: normalisations and softmax expanded into reductions and pointwise steps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sol.codegen.element import FAMILIES, from_memory, to_memory, vector_load, vector_store
from sol.codegen.emit import CValue, Emitter
from sol.codegen.kernels.dfp_space import LANE_TYPES
from sol.errors import UnsupportedError
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.lanes import FLOAT_LANES, LANE_DTYPES, LOADED_DTYPES, fits_lanes
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import DType

REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin")
ARGS = ("argmax", "argmin")
COMPOSITES = ("mean", "var", "softmax", "log_softmax", "layer_norm", "rms_norm")
EXPENSIVE = frozenset(
    "exp expm1 log log1p tanh erf sin cos tan pow atan2 fmod remainder floor_divide trunc_divide sigmoid silu gelu mish elu softplus "
    "atan asin acos sinh cosh asinh acosh atanh erfc exp2 log2 log10 sinc logaddexp logaddexp2 xlogy xlog1py gelu_slope".split()
)
COUNT = "count"
NARROW = (DType.U8, DType.I8, DType.U16, DType.I16, DType.I32)
"""Integers that a lane of 32 bits holds."""


@dataclass(frozen=True, eq=False)
class Term:
    """One step. Terms are compared by identity and numbered in order of computation.

    kind: "leaf" (a tensor; ``value`` is its body value), "literal", "count" (number of reduced elements less ``literal``, as a float,
    not below zero), "map" (pointwise ``op``) or "reduce".
    full: varies along the reduced axes. stage: passes over the reduced axes that must be over before it can be computed.
    squeezed: belongs to a value whose reduced dimensions are missing.
    """

    number: int
    kind: str
    dtype: DType
    full: bool
    stage: int = 0
    op: str = ""
    attrs: Mapping[str, Any] = field(default_factory=dict)
    operands: tuple[Term, ...] = ()
    value: str = ""
    literal: Any = None
    squeezed: bool = False


class Terms:
    """Terms of a region's body.

    is_full: body input → whether it varies along the reduced axes. axes: the reduced logical dimensions, () for none.
    leaves: computed values that are read from memory here because an earlier step has stored them.
    one_pass: whether there is a reduction "spread": the sum of squared distances from the mean, found together with it.
    """

    def __init__(
        self, body: Graph, axes: Sequence[int], is_full: Callable[[str], bool], leaves: Container[str] = (), one_pass: bool = False
    ) -> None:  # fmt: skip
        self.one_pass = one_pass
        self.body, self.axes, self.is_full = body, tuple(axes), is_full
        self.all: list[Term] = []
        self._leaves: dict[tuple[str, bool], Term] = {}
        self._of: dict[str, Term] = {}
        for node in body.nodes:
            if node.op not in ("input", "constant") and node.name not in leaves:
                self._of[node.name] = self._expand(node)

    def of(self, value: str) -> Term:
        """The term of a computed value, or the leaf of an input."""
        return self._of[value] if value in self._of else self._operand(value, False)

    def _new(self, **fields: Any) -> Term:
        term = Term(len(self.all), **fields)
        self.all.append(term)
        return term

    def _operand(self, value: str, squeezed: bool) -> Term:
        if value in self._of:
            return self._of[value]
        key = (value, squeezed)
        if key not in self._leaves:
            node, type = self.body.producer(value), self.body.type_of(value)
            if node.op == "constant":
                array = node.attrs["value"].value
                if array.size != 1:
                    raise UnsupportedError(f"constant %{value} {type} inside a region", remedy="make it an operand of the region")
                self._leaves[key] = self._new(kind="literal", dtype=type.dtype, full=False, literal=array.reshape(-1)[0].item())
            else:
                full = not squeezed and self.is_full(value)
                self._leaves[key] = self._new(kind="leaf", dtype=type.dtype, full=full, value=value, squeezed=squeezed)
        return self._leaves[key]

    def map(self, op: str, *operands: Term, **attrs: Any) -> Term:
        """A pointwise step."""
        row = POINTWISE[op]
        dtype = DType.BOOL if row.result == "bool" else attrs["dtype"] if row.result == "cast" else operands[-1].dtype
        return self._new(
            kind="map",
            dtype=dtype,
            full=any(o.full for o in operands),
            stage=max(o.stage for o in operands),
            op=op,
            attrs=attrs,
            operands=operands,
            squeezed=any(o.squeezed for o in operands),
        )

    def reduce(self, op: str, x: Term, squeezed: bool = False) -> Term:
        """A reduction over the reduced axes; the result is known one pass later."""
        dtype = {"any": DType.BOOL, "all": DType.BOOL, "argmax": DType.I64, "argmin": DType.I64}.get(op, x.dtype)
        return self._new(kind="reduce", dtype=dtype, full=False, stage=x.stage + 1, op=op, operands=(x,), squeezed=squeezed)

    def literal(self, value: float, dtype: DType) -> Term:
        return self._new(kind="literal", dtype=dtype, full=False, literal=value)

    def _count(self, dtype: DType, less: float = 0) -> Term:
        return self._new(kind=COUNT, dtype=dtype, full=False, literal=less)

    def _expand(self, node: Node) -> Term:
        if node.op in POINTWISE:
            squeezed = any(self._of[i].squeezed for i in node.inputs if i in self._of)
            return self.map(node.op, *(self._operand(i, squeezed) for i in node.inputs), **node.attrs)
        missing = not node.attrs.get("keepdims", True) and self.axes != tuple(range(len(self.axes)))
        if node.op in REDUCTIONS:
            return self.reduce(node.op, self._operand(node.inputs[0], False), missing)
        if node.op not in COMPOSITES:
            raise UnsupportedError(
                f"{node.op} in a memory-bound region", origin=str(node.origin), remedy="report this: a pass formed a wrong region"
            )
        x, *affine = [self._operand(i, False) for i in node.inputs]
        return getattr(self, f"_{node.op}")(node.attrs, x, affine, missing)

    def _mean(self, attrs: Attrs, x: Term, affine: Sequence[Term], squeezed: bool = False) -> Term:
        return self.map("div", self.reduce("sum", x, squeezed), self._count(x.dtype))

    def _var(self, attrs: Attrs, x: Term, affine: Sequence[Term], squeezed: bool = False) -> Term:
        """Where that is not one reduction two passes: the mean first, then the squared distances from it."""
        if self.one_pass and x.dtype is DType.F32 and x.full:
            total = self.reduce("spread", x, squeezed)
        else:
            total = self.reduce("sum", self.map("square", self.map("sub", x, self._mean(attrs, x, ()))), squeezed)
        return self.map("div", total, self._count(x.dtype, attrs["correction"]))

    def _softmax(self, attrs: Attrs, x: Term, affine: Sequence[Term], squeezed: bool = False) -> Term:
        e = self.map("exp", self.map("sub", x, self.reduce("max", x)))
        return self.map("mul", e, self.map("reciprocal", self.reduce("sum", e)))

    def _log_softmax(self, attrs: Attrs, x: Term, affine: Sequence[Term], squeezed: bool = False) -> Term:
        shifted = self.map("sub", x, self.reduce("max", x))
        return self.map("sub", shifted, self.map("log", self.reduce("sum", self.map("exp", shifted))))

    def _layer_norm(self, attrs: Attrs, x: Term, affine: Sequence[Term], squeezed: bool = False) -> Term:
        centred = self.map("sub", x, self._mean(attrs, x, ()))
        mean_square = self._mean(attrs, self.map("square", centred), ())
        y = self.map("mul", centred, self.map("rsqrt", self.map("add", mean_square, self.literal(attrs["eps"], x.dtype))))
        return self._affine(y, affine)

    def _rms_norm(self, attrs: Attrs, x: Term, affine: Sequence[Term], squeezed: bool = False) -> Term:
        mean_square = self._mean(attrs, self.map("square", x), ())
        y = self.map("mul", x, self.map("rsqrt", self.map("add", mean_square, self.literal(attrs["eps"], x.dtype))))
        return self._affine(y, affine)

    def _affine(self, y: Term, affine: Sequence[Term]) -> Term:
        if affine:
            y = self.map("mul", y, affine[0])
        return self.map("add", y, affine[1]) if len(affine) > 1 else y


def fit_lanes(terms: Iterable[Term]) -> bool:
    """Whether vectors of 32-bit lanes serve: integers only where they are loaded, stored and computed element by element."""
    for t in terms:
        if t.kind == "map":
            if not fits_lanes(t.op, t.dtype, [o.dtype for o in t.operands]):
                return False
        elif t.dtype not in (LOADED_DTYPES if t.kind == "leaf" else LANE_DTYPES if t.kind == "literal" else LANE_TYPES):
            return False
        elif t.kind == "reduce" and t.operands[0].dtype not in LANE_TYPES:
            return False
    return True


def lanes_pay(terms: Sequence[Term]) -> bool:
    """Whether they also pay: of narrow integers the compiler's own vectors hold more elements, but it neither knows elementary functions
    nor rounds floats to integers in vectors."""
    hard = any(t.op in EXPENSIVE or t.op == "round" for t in terms)
    return fit_lanes(terms) and (hard or not any(t.kind == "leaf" and t.dtype in NARROW for t in terms))


def needed(roots: Iterable[Term], stop: Callable[[Term], bool] = lambda t: False) -> list[Term]:
    """The roots and everything they are computed from, in order; nothing behind a term where ``stop`` holds."""
    found: dict[int, Term] = {}
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term.number in found:
            continue
        found[term.number] = term
        if not stop(term):
            stack.extend(term.operands)
    return [found[n] for n in sorted(found)]


def cost_of(terms: Iterable[Term]) -> int:
    """Rough work per element: 1 for a simple step, 8 for an elementary function."""
    return sum((8 if t.op in EXPENSIVE else 1) for t in terms if t.kind in ("map", "reduce"))


def trace(emitter: Emitter, terms: Iterable[Term], known: dict[Term, CValue], leaf: Callable[[Term], CValue]) -> None:
    """Write the statements of ``terms`` (in order) and add their values to ``known``; leaves and reduced operands come from ``leaf``."""
    for term in terms:
        if term in known:
            continue
        if term.kind == "map":
            operands = [replace(known[o], emitter=emitter) for o in term.operands]  # values from before the loop as well
            known[term] = emitter.apply(term.op, term.attrs, operands)
        elif term.kind == "literal":
            known[term] = emitter.constant(term.literal, term.dtype)
        else:
            known[term] = leaf(term)


APART = FLOAT_LANES
"""What is collected into vectors where it lies apart (include/sol_apart.h)."""


def load_text(dtype: DType, address: str, *, vector: bool, stride: str = "1", left: str = "") -> str:
    """C text of a load. address: pointer expression. left: number of lanes that exist, if not all.

    stride: elements between lanes, 0 for one value in all lanes; where it is neither 0 nor 1, of ``APART`` only.
    """
    if not vector:
        return f"(*({address}) != 0)" if dtype is DType.BOOL else from_memory(dtype, f"*({address})")
    if stride in ("0", "1"):
        return vector_load(dtype, address, stride=int(stride), count=left)
    return f"{FAMILIES[dtype]}_load_apart({address}, {stride}, {left or 'LANES'})"


def store_text(dtype: DType, address: str, value: str, *, vector: bool, left: str = "") -> str:
    """C statement of a store, as load_text."""
    if not vector:
        return f"*({address}) = {to_memory(dtype, value)};"
    return vector_store(dtype, address, value, count=left)
