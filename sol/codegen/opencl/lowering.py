"""From a graph to a `GridPlan`: a kernel for every value that lies in memory, in the order of the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sol.codegen.memory import Interval, assign_offsets
from sol.codegen.opencl.element import ElementWriter, shape_of
from sol.codegen.opencl.emit import type_of
from sol.codegen.opencl.places import Index, flat, row_major, unflat
from sol.codegen.opencl.plan import GridLaunch, GridPlan, HostStep, Items
from sol.codegen.opencl.products import LANES, SIDE, is_tiled, product_of, staged
from sol.codegen.opencl.storing import SCANS, Storing, is_constant, is_source
from sol.codegen.opencl.sums import ANCHORS, SUMS, accumulate, declared
from sol.codegen.plan import Buffer, BufferRef, Kernel, Pack, Port, Weight
from sol.errors import UnsupportedError
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.ops import spec_of
from sol.ir.storage import stored_dtype
from sol.passes.spell_out import spell_out

BLOCK = 64
"""Work items of a group where they do not work together, or share one sum."""
SHARES = 4
"""Terms for each work item from which on a group shares a sum."""
LONGEST = 4
"""Ops after which a kernel is called."""
LARGEST = 2**31
"""Elements that an index of a kernel can tell apart."""


def make_grid_plan(graph: Graph) -> tuple[Graph, GridPlan]:
    """The graph whose values buffers are called after, and the plan. graph: without regions and layouts.

    Raises UnsupportedError for open sizes and for values of 2^31 elements.
    """
    graph = spell_out(graph)
    return graph, _Lowering(graph).plan()


class _Lowering:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        for node in graph.nodes:
            for type in node.types:
                if not type.is_static:
                    what = "sizes that stay open on a device of OpenCL"
                    raise UnsupportedError(what, origin=str(node.origin), remedy="compile for fixed shapes")
                if math.prod(shape_of(type)) >= LARGEST:
                    what = f"a value of {type} on a device of OpenCL"
                    raise UnsupportedError(what, origin=str(node.origin), remedy="use smaller inputs")
        self.storing = Storing(graph)
        self.kernels: dict[tuple[object, ...], Kernel] = {}
        self.steps: list[GridLaunch | HostStep] = []
        self.writers: dict[str, int] = {}  # value → the step that writes it first
        self.last: dict[str, int] = {}  # value → the last step that reads or writes it

    def plan(self) -> GridPlan:
        for node in self.storing.nodes:
            if node.name in self.storing.on_host:
                reads = [i for i in node.inputs if not is_constant(self.graph, i)]
                self._note(HostStep(node.name, node.op, node.origin), reads, node.outputs)
            elif node.op in SCANS:
                self._scan(node)
            elif node.op == "concat":
                self._concat(node)
            elif node.name in self.storing.stored:
                self._value(node)
        return self._placed()

    # -- kernels -------------------------------------------------------------------------------------------------------

    def _writer(self) -> ElementWriter:
        return ElementWriter(self.graph, frozenset(self.storing.stored), ANCHORS)

    def _value(self, node: Node) -> None:
        anchor = self.storing.anchor.get(node.name)
        found = self.graph.producer(anchor) if anchor else None
        if found is not None and is_tiled(self.graph, found):
            self._product(node, found)
        elif found is not None and found.op in SUMS and self._is_shared(found):
            self._shared(node, found)
        else:
            self._elements(node, node.name)

    def _is_shared(self, anchor: Node) -> bool:
        w = self._writer()
        index = tuple(f"i{k}" for k in range(anchor.type.rank))
        return anchor.op not in ("cumsum", "cumprod") and math.prod(SUMS[anchor.op](w, anchor, index).sizes) >= SHARES * BLOCK

    def _ops(self, node: Node) -> tuple[str, ...]:
        """Ops of the kernel that computes a value, the last one last."""
        found: dict[str, str] = {}

        def visit(inside: Node) -> None:
            for operand in inside.inputs:
                producer = self.graph.producer(operand)
                if operand not in self.storing.stored and not is_source(self.graph, operand) and producer.name not in found:
                    visit(producer)
            if spec_of(inside.op).kind != "view" or inside is node:
                found[inside.name] = inside.op

        visit(node)
        return tuple(found.values())

    def _elements(self, node: Node, value: str, out: Callable[[Index], str] | None = None, start: int = 0) -> None:
        """A work item for each element of a value. out: index → where in the result's memory the element goes, counted from ``start``."""
        w = self._writer()
        shape = w.shape(value)
        count = math.prod(shape)
        index = tuple(map(w.bound, unflat("g", shape)))
        found = w.at(value, index, force=value == node.name)
        place = "g" if out is None else out(index)
        w.add(f"out[{place}] = {found.text};")
        context = {"count": count, "lines": tuple(w.lines)}
        self._launch(node, w, "opencl_element.cl.j2", context, _in_groups(count), (BLOCK, 1, 1), start=start)

    def _shared(self, node: Node, anchor: Node) -> None:
        """A group for each element, whose work items share the terms of a long sum."""
        w = self._writer()
        shape = w.shape(node.name)
        index = tuple(map(w.bound, unflat("g", shape)))
        sum = SUMS[anchor.op](w, anchor, index)
        total = declared(w, sum)
        with w.block() as body:
            accumulate(w, sum, total, tuple(map(w.bound, unflat("r", sum.sizes))))
        w.nested(f"for (int r = item; r < {math.prod(sum.sizes)}; r += {BLOCK}) {{", body)
        lines = tuple(w.lines)
        with w.block() as joined:
            both = sum.combine(w.emitter.load("left", sum.dtype), w.emitter.load("right", sum.dtype))
            w.add(f"part[item] = {both.text};")
        with w.block() as finished:
            w.replaced[anchor.name] = sum.finish(w.emitter.load(total, sum.dtype))
            w.add(f"out[g] = {w.at(node.name, index, force=node is not anchor).text};")
        context = {
            "items": BLOCK, "type": w.emitter.ctype(sum.dtype), "lines": lines, "total": total, "joined": tuple(joined),
            "finished": tuple(finished),
        }  # fmt: skip
        self._launch(node, w, "opencl_group.cl.j2", context, (math.prod(shape) * BLOCK, 1, 1), (BLOCK, 1, 1))

    def _product(self, node: Node, anchor: Node) -> None:
        """Tiles of a product, with what follows it."""
        w = self._writer()
        product = product_of(w, anchor)
        batch, rows, columns, taps, depth = product.sizes
        tile, strip = SIDE * LANES, 4 * SIDE
        left = staged(w, lambda: product.a("z", "m", "t", "k"), f"m < {rows}", f"left[s * {tile} + item]")
        right = staged(w, lambda: product.b("z", "t", "k", "n"), f"n < {columns}", f"right[s * {tile} + item]")
        with w.block() as stored:
            index = product.place("z", "m", "n")
            w.replaced[anchor.name] = product.finish(w.emitter.load("total", anchor.type.dtype), index)
            found = w.at(node.name, index, force=node is not anchor)
            w.add(f"out[{flat(index, w.shape(node.name))}] = {found.text};")
        context = {
            "side": SIDE, "lanes": LANES, "tile": tile, "depth": strip, "type": type_of(anchor.type.dtype), "T": taps, "K": depth,
            "M": rows, "N": columns, "left": left, "right": right, "stored": tuple(stored),
        }  # fmt: skip
        items = (-(-columns // tile) * SIDE, -(-rows // tile) * SIDE, batch)
        self._launch(node, w, "opencl_product.cl.j2", context, items, (SIDE, SIDE, 1), 2 * math.prod(product.sizes))

    def _concat(self, node: Node) -> None:
        dim, start, shape = node.attrs["dim"], 0, shape_of(node.type)
        for operand in node.inputs:
            size = shape_of(self.graph.type_of(operand))
            if math.prod(size):
                self._elements(node, operand, lambda index: flat(index, shape), start * row_major(shape)[dim])
            start += size[dim]

    def _launch(
        self, node: Node, w: ElementWriter, template: str, context: dict[str, object], items: Items, group: Items, flops: int = 0,
        start: int = 0,
    ) -> None:  # fmt: skip
        types = [(name, f"const {type_of(self.graph.type_of(value).dtype)}") for value, name in w.buffers.items()]
        buffers = (*types, ("out", type_of(node.type.dtype)))
        ops = self._ops(node)
        kernel = self._kernel("_".join(ops[:LONGEST]), template, context, buffers)
        refs = (*(BufferRef(value, 0) for value in w.buffers), BufferRef(node.name, start * node.type.dtype.itemsize, writes=True))
        moved = sum(self._bytes(v) for v in (*w.buffers, node.name))
        self._note(GridLaunch(kernel.name, refs, items, group, node.name, node.origin, ops, flops, moved), w.buffers, (node.name,))

    def _kernel(self, stem: str, template: str, context: dict[str, object], buffers: Sequence[tuple[str, str]]) -> Kernel:
        context = {**context, "comment": stem}
        key = (template, Attrs(context), tuple(buffers))
        if key not in self.kernels:
            self.kernels[key] = Kernel(f"{stem}_{len(self.kernels)}", template, Attrs(context), tuple(buffers), ())
        return self.kernels[key]

    # -- recurrent layers ----------------------------------------------------------------------------------------------

    def _scan(self, node: Node) -> None:
        """A launch for each step; the same kernel with other offsets."""
        given, weight, *others = node.inputs
        is_lstm, bias = node.op == "lstm_scan", others[:1] if node.op == "gru_scan" else []
        hidden, *before = others[len(bias) :]
        steps, batch, width = shape_of(self.graph.type_of(given))
        units = shape_of(self.graph.type_of(weight))[1]
        dtype = node.type.dtype
        type, size = type_of(dtype), dtype.itemsize
        names = ["given", "weight", *(["bias"] if bias else []), "hidden", *(["before", "after"] if is_lstm else []), "out"]
        buffers = [(n, type if n in ("out", "after") else f"const {type}") for n in names]
        count = batch * units
        context = {"cell": node.op, "H": units, "gates": width // units, "type": type, "count": count,
                   "relu": node.attrs.get("nonlinearity") == "relu"}  # fmt: skip
        kernel = self._kernel(node.op, "opencl_scan.cl.j2", context, buffers)
        y, h, *c = node.outputs
        order = list(range(steps))[:: -1 if node.attrs["reverse"] else 1]
        for number, t in enumerate(order):
            last = BufferRef(y, order[number - 1] * count * size) if number else BufferRef(hidden, 0)
            refs = [BufferRef(given, t * batch * width * size), BufferRef(weight, 0), *(BufferRef(b, 0) for b in bias), last]
            if is_lstm:
                refs += [BufferRef(c[0] if number else before[0], 0), BufferRef(c[0], 0, writes=True)]
            refs.append(BufferRef(y, t * count * size, writes=True))
            step = GridLaunch(
                kernel.name, tuple(refs), _in_groups(count), (BLOCK, 1, 1), node.name, node.origin, (node.op,), 2 * count * width,
                self._bytes(weight),
            )  # fmt: skip
            self._note(step, (given, weight, *others), node.outputs)
        copy = self._kernel(
            "last", "opencl_element.cl.j2", {"count": count, "lines": ("out[g] = b0[g];",)}, (("b0", f"const {type}"), ("out", type))
        )
        refs = [BufferRef(y, order[-1] * count * size), BufferRef(h, 0, writes=True)]
        end = GridLaunch(copy.name, tuple(refs), _in_groups(count), (BLOCK, 1, 1), node.name, node.origin, (node.op,), 0, 2 * count * size)
        self._note(end, (y,), (h,))

    # -- buffers -------------------------------------------------------------------------------------------------------

    def _note(self, step: GridLaunch | HostStep, reads: Sequence[str] | dict[str, str], writes: Sequence[str]) -> None:
        number = len(self.steps)
        self.steps.append(step)
        for value in (*reads, *writes):
            self.last[value] = number
        for value in writes:
            self.writers.setdefault(value, number)

    def _placed(self) -> GridPlan:
        graph, used = self.graph, self.last
        given = [v for v in dict.fromkeys((*used, *graph.outputs)) if v not in self.writers]
        buffers = [Buffer(v, "input" if graph.producer(v).op == "input" else "weight", self._bytes(v)) for v in given]
        inner = [v for v in self.writers if not graph.is_output(v)]
        intervals = [Interval(self.writers[v], self.last[v], self._bytes(v)) for v in inner]
        offsets, arena = assign_offsets(intervals)
        buffers += [Buffer(v, "arena", i.size, i.first, i.last, o) for v, i, o in zip(inner, intervals, offsets)]
        buffers += [Buffer(v, "output", self._bytes(v)) for v in self.writers if graph.is_output(v)]
        weights = tuple(Weight(b.name, b.name, Pack("rows")) for b in buffers if b.kind == "weight")
        inputs = tuple(self._port(v) for v in graph.inputs)
        outputs = tuple(self._port(v) for v in graph.outputs)
        return GridPlan(tuple(self.kernels.values()), tuple(self.steps), tuple(buffers), weights, inputs, outputs, arena)

    def _bytes(self, value: str) -> int:
        type = self.graph.type_of(value)
        return math.prod(shape_of(type)) * stored_dtype(type.dtype).itemsize

    def _port(self, value: str) -> Port:
        type = self.graph.type_of(value)
        return Port(value, type.dtype, type.shape, value)


def _in_groups(count: int) -> Items:
    return (-(-count // BLOCK) * BLOCK, 1, 1)
