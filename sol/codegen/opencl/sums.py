"""Ops that go through elements for each element of their result: reductions, windows, plain convolutions and products, running sums.

A `Sum` says what is gone through and how it is put together. A work item does so in loops, or the items of a group share the rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sol.codegen.emit import CValue
from sol.codegen.opencl.element import ElementWriter
from sol.codegen.opencl.places import Index, Shape, inner, over, plus, times
from sol.ir.graph import Node
from sol.ir.types import DType


@dataclass(frozen=True)
class Sum:
    """How an element is put together of others.

    sizes: of the loops. term: the writer and the loops' variables → the condition under which there is a term ("" always), and a function
    that writes it where that holds. start: what the sum is of no terms. combine: two partial results → one. finish: of the whole sum.
    dtype: of partial results.
    """

    sizes: Shape
    term: Callable[[Index], tuple[str, Callable[[], CValue]]]
    start: float | int | bool
    combine: Callable[[CValue, CValue], CValue]
    finish: Callable[[CValue], CValue]
    dtype: DType


def _same(x: CValue) -> CValue:
    return x


def _added(a: CValue, b: CValue) -> CValue:
    return a + b


def _of_reduction(w: ElementWriter, node: Node, index: Index) -> Sum:
    x, e = node.inputs[0], w.emitter
    shape, dtype = w.shape(x), node.type.dtype
    dims = tuple(node.attrs["dims"]) if shape else ()
    kept = iter(index)
    places = [None if k in dims else next(kept) for k in range(len(shape))] if not node.attrs["keepdims"] else [
        None if k in dims else i for k, i in enumerate(index)
    ]  # fmt: skip

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        through = iter(loops)
        place = tuple(next(through) if i is None else i for i in places)
        return "", lambda: e.cast(w.at(x, place), dtype)

    sizes = tuple(shape[k] for k in dims)
    count = float(math.prod(sizes))
    start, combine = _COMBINED[node.op](w, dtype)
    return Sum(sizes, term, start, combine, (lambda s: s / count) if node.op == "mean" else _same, dtype)


def lowest(dtype: DType) -> float | int | bool:
    """What every number of a type is at least."""
    return -math.inf if dtype.is_float else False if dtype is DType.BOOL else _limits(dtype)[0]


def _highest(dtype: DType) -> float | int | bool:
    return math.inf if dtype.is_float else True if dtype is DType.BOOL else _limits(dtype)[1]


def _limits(dtype: DType) -> tuple[int, int]:
    return (0, 2**dtype.bits - 1) if dtype.is_unsigned else (-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1)


_COMBINED: dict[str, Callable[[ElementWriter, DType], tuple[float | int | bool, Callable[[CValue, CValue], CValue]]]] = {
    "sum": lambda w, t: (0, _added),
    "mean": lambda w, t: (0, _added),
    "prod": lambda w, t: (1, lambda a, b: a * b),
    "max": lambda w, t: (lowest(t), w.emitter.maximum),
    "min": lambda w, t: (_highest(t), w.emitter.minimum),
    "any": lambda w, t: (False, w.emitter.logical_or),
    "all": lambda w, t: (True, w.emitter.logical_and),
}
"""Reduction → what it starts with and how two parts become one."""


def _inside(places: list[str], sizes: Shape, always: list[bool]) -> str:
    """The condition that places lie in a map. always: where that is known."""
    return " & ".join(f"({p} >= 0) & ({p} < {n})" for p, n, known in zip(places, sizes, always) if not known)


def _windows(w: ElementWriter, node: Node, index: Index) -> tuple[Shape, Callable[[Index], tuple[str, Index]]]:
    """Sizes of a window, and the place of a tap of it with the condition that it lies in the map."""
    x, kernel = node.inputs[0], tuple(node.attrs["kernel"])
    spatial, shape = len(kernel), w.shape(x)
    sizes, out = shape[-spatial:], w.shape(node.name)[-spatial:]
    dilations = node.attrs.get("dilation", (1,) * spatial)
    options = list(zip(sizes, out, kernel, node.attrs["stride"], node.attrs["padding"], dilations))

    def place(loops: Index) -> tuple[str, Index]:
        steps = zip(index[-spatial:], loops, options)
        places = [w.bound(plus(plus(times(i, s), times(t, d)), str(-lo))) for i, t, (_, _, _, s, (lo, _), d) in steps]
        known = [lo == 0 and (o - 1) * s + (k - 1) * d < n for n, o, k, s, (lo, _), d in options]
        return _inside(places, sizes, known), (*index[:-spatial], *places)

    return kernel, place


def _of_max_pool(w: ElementWriter, node: Node, index: Index) -> Sum:
    sizes, place = _windows(w, node, index)

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        condition, at = place(loops)
        return condition, lambda: w.at(node.inputs[0], at)

    return Sum(sizes, term, lowest(node.type.dtype), w.emitter.maximum, _same, node.type.dtype)


def _of_avg_pool(w: ElementWriter, node: Node, index: Index) -> Sum:
    sizes, place = _windows(w, node, index)
    x, a, spatial = node.inputs[0], node.attrs, len(sizes)

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        condition, at = place(loops)
        return condition, lambda: w.at(x, at)

    def finish(total: CValue) -> CValue:
        if a["divisor"] is not None:
            return total / float(a["divisor"])
        counts = []
        for i, k, s, (lo, hi), n in zip(index[-spatial:], sizes, a["stride"], a["padding"], w.shape(x)[-spatial:]):
            first = w.bound(plus(times(i, s), str(-lo)))
            last = f"min({inner(first)} + {k}, {n + hi})"
            counts.append(f"({last} - {inner(first)})" if a["count_include_pad"] else f"(min({last}, {n}) - max({first}, 0))")
        return total / w.emitter.cast(w.emitter.let(" * ".join(counts), DType.I32), node.type.dtype)

    return Sum(sizes, term, 0, _added, finish, node.type.dtype)


def _of_adaptive(w: ElementWriter, node: Node, index: Index) -> Sum:
    x, out = node.inputs[0], tuple(node.attrs["output_size"])
    spatial, shape = len(out), w.shape(node.inputs[0])
    sizes = shape[-spatial:]
    starts = [w.bound(over(times(i, n), o)) for i, n, o in zip(index[-spatial:], sizes, out)]
    ends = [w.bound(over(plus(times(i, n), str(n + o - 1)), o)) for i, n, o in zip(index[-spatial:], sizes, out)]
    longest = tuple(max(-(-((i + 1) * n) // o) - i * n // o for i in range(o)) for n, o in zip(sizes, out))

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        places = [w.bound(plus(s, t)) for s, t in zip(starts, loops)]
        return " & ".join(f"({p} < {e})" for p, e in zip(places, ends)), lambda: w.at(x, (*index[:-spatial], *places))

    if node.op == "adaptive_max_pool":
        return Sum(longest, term, lowest(node.type.dtype), w.emitter.maximum, _same, node.type.dtype)
    count = " * ".join(f"({inner(e)} - {inner(s)})" for s, e in zip(starts, ends))
    return Sum(longest, term, 0, _added, lambda t: t / w.emitter.cast(w.emitter.let(count, DType.I32), t.dtype), node.type.dtype)


def _of_resample(w: ElementWriter, node: Node, index: Index) -> Sum:
    x, rows, row_weights, columns, column_weights = node.inputs

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        above, left = (loops[0], index[2]), (loops[1], index[3])
        row, column = w.at(rows, above).text, w.at(columns, left).text
        weight = w.at(row_weights, above) * w.at(column_weights, left)
        return f"({row} >= 0) & ({column} >= 0)", lambda: w.at(x, (*index[:2], row, column)) * weight

    return Sum((w.shape(rows)[0], w.shape(columns)[0]), term, 0, _added, _same, node.type.dtype)


def with_bias(w: ElementWriter, node: Node, channel: str) -> Callable[[CValue], CValue]:
    """What adds the bias of a layer, if it has one."""
    return (lambda s: s + w.at(node.inputs[2], (channel,))) if len(node.inputs) > 2 else _same


def _of_conv(w: ElementWriter, node: Node, index: Index) -> Sum:
    x, weight = node.inputs[:2]
    _, channels, *kernel = w.shape(weight)
    per_group = w.shape(weight)[0] // node.attrs["groups"]
    group = w.bound(over(index[1], per_group)) if node.attrs["groups"] > 1 else "0"

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        condition, places = conv_place(w, node, index[2:], loops[1:])
        channel = w.bound(plus(times(group, channels), loops[0]))
        return condition, lambda: w.at(x, (index[0], channel, *places)) * w.at(weight, (index[1], *loops))

    return Sum((channels, *kernel), term, 0, _added, with_bias(w, node, index[1]), node.type.dtype)


def conv_place(w: ElementWriter, node: Node, pixel: Index, taps: Index) -> tuple[str, Index]:
    """Where a tap of a convolution reads for a pixel of its result, and the condition that this lies in the map."""
    sizes, kernel, out = w.shape(node.inputs[0])[2:], w.shape(node.inputs[1])[2:], w.shape(node.name)[2:]
    options = list(zip(node.attrs["stride"], node.attrs["padding"], node.attrs["dilation"]))
    places = [w.bound(plus(plus(times(i, s), times(t, d)), str(-lo))) for i, t, (s, (lo, _), d) in zip(pixel, taps, options)]
    known = [lo <= 0 and (o - 1) * s + (k - 1) * d - lo < n for n, k, o, (s, (lo, _), d) in zip(sizes, kernel, out, options)]
    return _inside(places, sizes, known), tuple(places)


def _of_conv_transpose(w: ElementWriter, node: Node, index: Index) -> Sum:
    x, weight = node.inputs[:2]
    total, kernels, *kernel = w.shape(weight)
    channels = total // node.attrs["groups"]
    group, own = w.bound(over(index[1], kernels)), w.bound(f"{inner(index[1])} % {kernels}")
    options = list(zip(w.shape(x)[2:], node.attrs["stride"], node.attrs["padding"], node.attrs["dilation"]))

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        channel = w.bound(plus(times(group, channels), loops[0]))
        places, conditions = [], []
        for i, t, (n, s, (lo, _), d) in zip(index[2:], loops[1:], options):
            far = w.bound(f"{plus(i, str(lo))} - {inner(times(t, d))}")
            conditions.append(f"({far} >= 0) & ({far} < {n * s})" + (f" & ({inner(far)} % {s} == 0)" if s > 1 else ""))
            places.append(w.bound(f"{inner(far)} / {s}"))
        return " & ".join(conditions), lambda: w.at(x, (index[0], channel, *places)) * w.at(weight, (channel, own, *loops[1:]))

    return Sum((channels, *kernel), term, 0, _added, with_bias(w, node, index[1]), node.type.dtype)


def _of_linear(w: ElementWriter, node: Node, index: Index) -> Sum:
    x, weight = node.inputs[:2]

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        return "", lambda: w.at(x, (*index[:-1], loops[0])) * w.at(weight, (index[-1], loops[0]))

    return Sum(w.shape(x)[-1:], term, 0, _added, with_bias(w, node, index[-1]), node.type.dtype)


def _of_matmul(w: ElementWriter, node: Node, index: Index) -> Sum:
    a, b = node.inputs

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        return "", lambda: w.at(a, of_batch(w, a, index, index[-2], loops[0])) * w.at(b, of_batch(w, b, index, loops[0], index[-1]))

    return Sum(w.shape(a)[-1:], term, 0, _added, _same, node.type.dtype)


def of_batch(w: ElementWriter, operand: str, index: Index, row: str, column: str) -> Index:
    """The index of an operand of a product whose batch is broadcast to that of the result's index."""
    batch, own = index[:-2], w.shape(operand)[:-2]
    return (*("0" if n == 1 else i for i, n in zip(batch[len(batch) - len(own) :], own)), row, column)


def _of_running(w: ElementWriter, node: Node, index: Index) -> Sum:
    x, dim, dtype = node.inputs[0], node.attrs["dim"], node.type.dtype
    if not index:
        return Sum((), lambda loops: ("", lambda: w.at(x, ())), 0 if node.op == "cumsum" else 1, lambda a, b: b, _same, dtype)

    def term(loops: Index) -> tuple[str, Callable[[], CValue]]:
        return f"{loops[0]} <= {index[dim]}", lambda: w.at(x, (*index[:dim], loops[0], *index[dim + 1 :]))

    start, combine = (0, _added) if node.op == "cumsum" else (1, lambda a, b: a * b)
    return Sum((w.shape(x)[dim],), term, start, combine, _same, dtype)


SUMS: dict[str, Callable[[ElementWriter, Node, Index], Sum]] = {
    **dict.fromkeys(_COMBINED, _of_reduction), "max_pool": _of_max_pool, "avg_pool": _of_avg_pool, "adaptive_avg_pool": _of_adaptive,
    "adaptive_max_pool": _of_adaptive, "conv": _of_conv, "conv_transpose": _of_conv_transpose, "linear": _of_linear, "matmul": _of_matmul,
    "cumsum": _of_running, "cumprod": _of_running, "resample": _of_resample,
}  # fmt: skip
"""Op → how an element of its result is put together."""


def accumulate(w: ElementWriter, sum: Sum, total: str, loops: Index) -> None:
    """Writes ``total = combine(total, term)``."""
    condition, write = sum.term(loops)
    with w.block() as lines:
        found = sum.combine(w.emitter.load(total, sum.dtype), write())
        w.add(f"{total} = {found.text};")
    if condition:
        w.nested(f"if ({condition}) {{", lines)
    else:
        w.add(*lines)


def declared(w: ElementWriter, sum: Sum) -> str:
    """Writes the variable of a sum of no terms; its name."""
    total = w.name("s")
    w.add(f"{w.emitter.ctype(sum.dtype)} {total} = {w.emitter.literal_text(sum.start, sum.dtype)};")
    return total


def in_loops(w: ElementWriter, node: Node, index: Index) -> CValue:
    """An element that one work item puts together in nested loops."""
    sum = SUMS[node.op](w, node, index)
    total = declared(w, sum)
    loops = tuple("0" if n == 1 else w.name("r") for n in sum.sizes)
    _nest(w, sum, total, loops, 0)
    return sum.finish(w.emitter.load(total, sum.dtype))


def _nest(w: ElementWriter, sum: Sum, total: str, loops: Index, depth: int) -> None:
    if depth == len(loops):
        accumulate(w, sum, total, loops)
    elif loops[depth] == "0":
        _nest(w, sum, total, loops, depth + 1)
    else:
        with w.block() as lines:
            _nest(w, sum, total, loops, depth + 1)
        w.nested(f"for (int {loops[depth]} = 0; {loops[depth]} < {sum.sizes[depth]}; ++{loops[depth]}) {{", lines)


# -- others with a loop ------------------------------------------------------------------------------------------------


def extreme_place(w: ElementWriter, node: Node, index: Index) -> CValue:
    """argmax and argmin: the first one, or the first NaN."""
    x, dim = node.inputs[0], node.attrs["dim"]
    shape, dtype = w.shape(x), w.graph.type_of(x).dtype
    if not shape:
        return w.emitter.constant(0, DType.I64)
    kept = index if not node.attrs["keepdims"] else (*index[:dim], *index[dim + 1 :])
    best, place, loop = w.name("s"), w.name("p"), w.name("r")
    first = w.at(x, (*kept[:dim], "0", *kept[dim:]))
    w.add(f"{w.emitter.ctype(dtype)} {best} = {first.text};", f"long {place} = 0;")
    symbol = ">" if node.op == "argmax" else "<"
    with w.block() as lines:
        v = w.at(x, (*kept[:dim], loop, *kept[dim:])).text
        nan = f" || ({v} != {v} && {best} == {best})" if dtype.is_float else ""
        w.nested(f"if ({v} {symbol} {best}{nan}) {{", [f"{best} = {v};", f"{place} = {loop};"])
    w.nested(f"for (int {loop} = 1; {loop} < {shape[dim]}; ++{loop}) {{", lines)
    return w.emitter.load(place, DType.I64)


def padded(w: ElementWriter, node: Node, index: Index) -> CValue:
    """pad: an element of the operand, or the value around it."""
    x, pads = node.inputs[0], node.attrs["pads"]
    places = [w.bound(plus(i, str(-lo))) for i, (lo, _) in zip(index, pads)]
    known = [lo <= 0 and hi <= 0 for lo, hi in pads]
    condition, result = _inside(places, w.shape(x), known), w.name("s")
    w.add(f"{w.emitter.ctype(node.type.dtype)} {result} = {w.emitter.literal_text(node.attrs['value'], node.type.dtype)};")
    with w.block() as lines:
        w.add(f"{result} = {w.at(x, tuple(places)).text};")
    w.nested(f"if ({condition or '1'}) {{", lines)
    return w.emitter.load(result, node.type.dtype)


ANCHORS: dict[str, Callable[[ElementWriter, Node, Index], CValue]] = {
    **dict.fromkeys(SUMS, in_loops), "argmax": extreme_place, "argmin": extreme_place, "pad": padded,
}  # fmt: skip
"""Op → what writes an element of its result, in a work item's own loops."""
