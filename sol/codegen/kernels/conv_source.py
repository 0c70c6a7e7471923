"""Where the input of a convolution comes from: memory, a pointwise chain or a pooling made on the way, or selected channels of tensors.

A source that is made never reaches memory: the products make it strip by strip, or while they pack their input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.element import vector_load
from sol.codegen.emit import c_float
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.conv_shape import Conv, is_blocked, is_pointwise, spatial_strides
from sol.codegen.kernels.conv_tails import is_heavy, needs_mask
from sol.codegen.kernels.dfp_channels import picked_channels
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.lanes import FLOAT_LANES
from sol.ir.ops.pointwise import POINTWISE

FEWEST_TENSORS = 4
"""Tensors that every kernel of selected channels takes; missing ones repeat the first, so that few kernels serve all numbers."""


@dataclass(frozen=True)
class Prologue:
    """What makes the convolution's input.

    source: the body input that is read. chain: the pointwise ops after it. window, step: size and stride (y, x) of the mean that follows,
    (1, 1) if none does. count: what the sum over a window is divided by.
    """

    source: str
    chain: Epilogue
    window: tuple[int, int] = (1, 1)
    step: tuple[int, int] = (1, 1)
    count: int = 1

    @property
    def pools(self) -> bool:
        return self.window != (1, 1) or self.step != (1, 1) or self.count != 1

    @property
    def stem(self) -> str:
        pool = f"avg{self.window[0]}x{self.window[1]}s{self.step[1]}" if self.pools else ""
        return "_".join(filter(None, (self.chain.stem, pool)))

    @property
    def formula(self) -> str:
        """What it computes, for a comment."""
        names = self.chain.stem.replace("_", ", ")
        value = f"({names})(in[n, c, …])" if names else "in[n, c, …]"
        if not self.pools:
            return value.replace("…", "y * stride_y, x * stride_x")
        return f"mean of {value} over {self.window[0]} x {self.window[1]} elements from y * step_y, x * step_x on"

    def value(self, row: str) -> tuple[list[str], str]:
        """C statements for one pixel at address ``i``, and the text of its value. row: C text of what leads to the next row of a window."""
        lines: list[str] = []
        terms, dtype = [], self.chain.body.type_of(self.source).dtype
        for y in range(self.window[0]):
            for x in range(self.window[1]):
                address = f"i{f' + {y} * {row}' if y else ''}{f' + {x} * LANES' if x else ''}"
                lines.append(f"const vf i{y}_{x} = {vector_load(dtype, address)};")
                steps, result = self.chain.trace(f"i{y}_{x}", lambda p: p.name, f"t{y}_{x}_")
                lines += steps
                terms.append(result)
        value = " + ".join(terms)
        return lines, f"({value}) / {c_float(self.count)}" if self.count != 1 else value

    def loads(self, block: str) -> list[str]:
        """C statements that load what all pixels of image ``n`` and a channel block share."""
        operands = [(p, f"c->{p.name} + n * c->{p.name}_n + {block} * c->{p.name}_cb") for p in self.chain.operands]
        return [f"const vf {p.name} = {p.load(address)};" for p, address in operands]


@dataclass(frozen=True)
class Source:
    """The input of a convolution.

    kind: "memory" (blocked, with the zero border that it reads), "plain" (row-major), "made" (by ``prologue``, without a border: products
    of convolutions that pad put zeros around what they make), "selected" (1x1: input
    channel i is channel ``table[i][1]`` of tensor ``table[i][0]``) or "rows" (a row-major matrix as a map of one column, whose strides are
    those of a blocked tensor). views: the tensors that are read.
    """

    kind: str
    views: tuple[View, ...]
    prologue: Prologue | None = None
    table: tuple[tuple[int, int], ...] = ()

    @property
    def view(self) -> View:
        return self.views[0]

    @property
    def is_light(self) -> bool:
        """Is what makes it a few steps for each pixel, which may be taken while the input is packed?"""
        return self.prologue is None or not is_heavy(self.prologue.chain)

    @property
    def inputs(self) -> int:
        """Elements that are read to make one of the input; 0 where it lies in memory."""
        return self.prologue.window[0] * self.prologue.window[1] if self.prologue else 0

    @property
    def step(self) -> tuple[int, int]:
        """Rows and columns of the tensor between neighbouring elements of the input."""
        return self.prologue.step if self.prologue else (1, 1)

    @property
    def stem(self) -> str:
        return f"{self.prologue.stem}_then_" if self.prologue else ""

    @property
    def order(self) -> tuple[int, ...]:
        """Input channels such that neighbours in memory come one after the other; empty if they do already."""
        return tuple(sorted(range(len(self.table)), key=lambda i: self.table[i]))

    @property
    def tensors(self) -> int:
        """Tensors that the kernel takes."""
        return max(FEWEST_TENSORS, 1 << (len(self.views) - 1).bit_length()) if self.table else 1

    @property
    def reads(self) -> dict[str, View]:
        """Pointers of the kernel."""
        if self.table:
            views = self.views + self.views[:1] * (self.tensors - len(self.views))
            return {f"in{i}": view for i, view in enumerate(views)}
        made = self.prologue.chain.operands if self.prologue else ()
        return {"in": self.view, **{p.name: p.view for p in made}}

    def prologue_params(self) -> dict[str, DimLike]:
        """Strides of what makes the input along image and channel block."""
        found: dict[str, DimLike] = {}
        for p in self.prologue.chain.operands if self.prologue else ():
            found |= {f"{p.name}_n": p.strides[0], f"{p.name}_cb": p.strides[1]}
        return found

    def params(self, conv: Conv, names: str = "n cb row r s start") -> dict[str, DimLike]:
        """Those of ``names``, each behind ``in_``: strides of the tensor that is read along image, channel block, row of the result, filter
        row (of a prologue: row of its window) and filter column; what leads from its first element to the first one read."""
        n, cb, row, column, _ = spatial_strides(self.view.strides)
        found: dict[str, DimLike] = {
            "n": n, "cb": cb, "row": row * conv.stride[0] * self.step[0],
            "r": row * (1 if self.prologue else conv.dilation[0]), "s": column * conv.dilation[1],
            "start": -(row * conv.padding[0] + column * conv.padding[1]),
        }  # fmt: skip
        return {**{f"in_{name}": found[name] for name in names.split()}, **self.prologue_params()}

    def tensor_params(self, by_row: bool) -> dict[str, DimLike]:
        """Strides of selected tensors along image, channel vector and row; one row stride for all unless ``by_row``."""
        params: dict[str, DimLike] = {}
        for name, view in self.reads.items():
            n, cb, row = spatial_strides(view.strides)[:3]
            params |= {f"{name}_n": n, f"{name}_cb": cb, **({f"{name}_row": row} if by_row else {})}
        return params if by_row else {**params, "in_row": spatial_strides(self.view.strides)[2]}

    def context(self) -> dict[str, Any]:
        """Template context: kind, number of tensors, what makes a pixel."""
        context: dict[str, Any] = {"source": self.kind, "sources": self.tensors, "selects": bool(self.table)}
        context |= {"made": "", "made_operands": ()}
        if self.prologue:
            operands = [{"name": p.name, "c": p.dtype.c} for p in self.prologue.chain.operands]
            context |= {"made": self.prologue.stem.replace("_", " "), "made_operands": operands, "formula": self.prologue.formula}
        return context


def read_source(lowering: Lowering, conv: Conv) -> Source | None:
    """Where a convolution's input comes from; None if no product reads it there."""
    data, lanes = conv.node.inputs[0], lowering.target.lanes
    if data in lowering.body.inputs:
        return _stored(lowering, conv)
    if conv.groups != 1:
        return None
    select = lowering.body.producer(data)
    if select.op == "channel_select":
        if any(v not in lowering.body.inputs for v in select.inputs) or conv.stride != (1, 1) or not is_pointwise(conv):
            return None
        found = Source("selected", tuple(map(lowering.view, select.inputs)), table=tuple(picked_channels(lowering, select)))
    else:
        prologue = read_prologue(lowering)
        if prologue is None or prologue.pools and not is_pointwise(conv):
            return None
        found = Source("made", (lowering.view(prologue.source),), prologue)
    return found if all(is_blocked(v, lanes) for v in found.views) else None


def _stored(lowering: Lowering, conv: Conv) -> Source | None:
    """An input that lies in memory, blocked or row-major. Groups are whole vectors if it is blocked, and the only one if not."""
    view, lanes = lowering.view(conv.node.inputs[0]), lowering.target.lanes
    if not view.layout.block:
        return Source("plain", (view,)) if conv.groups == 1 else None
    whole = conv.groups == 1 or (conv.c // conv.groups % lanes == 0 and conv.k // conv.groups % lanes == 0)
    return Source("memory", (view,)) if whole and is_blocked(view, lanes) else None


def read_prologue(lowering: Lowering) -> Prologue | None:
    """What stands between a body input and the anchor's data operand; None if nothing does, or something unknown."""
    body, top = lowering.body, lowering.anchor.inputs[0]
    if top in body.inputs:
        return None
    pool = body.producer(top)
    top = pool.inputs[0] if pool.op == "avg_pool" else top
    source = _origin(lowering, top)
    if source is None:
        return None
    chain = make_epilogue(lowering, source, top, channel_axis=1, block=lowering.target.lanes, dtypes=FLOAT_LANES)
    renamed = tuple(replace(o, name=f"p{i}") for i, o in enumerate(chain.operands))
    if any(o.kind == "tile" for o in renamed):
        return None
    prologue = Prologue(source, replace(chain, operands=renamed))
    if pool.op != "avg_pool":
        return prologue
    attrs = pool.attrs
    if attrs["ceil_mode"] or any(p != (0, 0) for p in attrs["padding"]):
        return None
    one = (1,) * (2 - len(attrs["kernel"]))
    window, step = (*one, *attrs["kernel"]), (*one, *attrs["stride"])
    return replace(prologue, window=window, step=step, count=attrs["divisor"] or window[0] * window[1])


def _origin(lowering: Lowering, top: str) -> str | None:
    """The one body input as large as ``top`` from which it is computed by pointwise ops alone."""
    body, shape = lowering.body, lowering.type_of(top).shape
    found, seen, stack = set(), set(), [top]
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if value not in body.inputs:
            node = body.producer(value)
            if node.op not in POINTWISE and node.op != "constant":
                return None
            stack.extend(node.inputs)
        elif lowering.type_of(value).shape == shape and not lowering.is_constant(value):
            found.add(value)
    return found.pop() if len(found) == 1 else None


@dataclass(frozen=True)
class Lines:
    """The runs of pixels in which a map is made. by_rows: a line is a tile of several rows, each a run; else it is one run.

    tiles, pixels: of a line; count: lines of an image; stride: elements from one to the next.
    """

    by_rows: bool
    tiles: DimLike
    pixels: DimLike
    count: DimLike
    stride: DimLike


def lines_of(conv: Conv, source: Source, tile: tuple[int, int], flat: bool) -> Lines:
    """Lines of a map that is made in tiles; flat: the map is one long row."""
    assert source.prologue is not None
    (th, tw), (row, column) = tile, spatial_strides(source.view.strides)[2:4]
    stride = row * conv.stride[0] * source.step[0]
    columns = (conv.ow + tw - 1) // tw
    if flat:
        pixels = conv.oh * conv.ow
        return Lines(False, (pixels + tw - 1) // tw, pixels, 1, 0)
    dense = not source.prologue.pools and conv.stride == (1, 1) and row == conv.ow * column
    if dense and isinstance(conv.ow, int) and conv.ow % tw == 0:
        return Lines(False, (conv.oh + th - 1) // th * columns, conv.oh * conv.ow, 1, 0)
    if th > 1:
        return Lines(True, 1, tw, (conv.oh + th - 1) // th, th * stride)
    return Lines(False, columns, conv.ow, conv.oh, stride)


def strip_context(conv: Conv, prologue: Prologue, lanes: int) -> dict[str, Any]:
    """Template context of a prologue whose results lie in strips: statements before the pixels of a line, and for one pixel."""
    masked = needs_mask(prologue.chain, conv.c, lanes)
    lines, value = prologue.value("c->src_r")
    kept = f"vf_select(live, {value}, vf_zero())" if masked else value
    operands = [p.name for p in prologue.chain.operands]
    return {
        "hoisted": prologue.loads("b"), "chain": [*lines, f"vf_store(o, {kept});"], "chain_masked": masked, "window": prologue.pools,
        "step_x": conv.stride[1] * prologue.step[1], "run_values": "".join(f", {v}" for v in [*operands, *(["live"] if masked else [])]),
        "unroll": 1 if prologue.pools or is_heavy(prologue.chain) else STEP,
    }  # fmt: skip


def patch_context(conv: Conv, prologue: Prologue, lanes: int) -> dict[str, Any]:
    """Template context of a prologue that makes what one tile reads: statements before its pixels, and for one pixel from ``i``."""
    lines, value = prologue.value("0")
    kept = f"vf_select(live, {value}, vf_zero())" if needs_mask(prologue.chain, conv.c, lanes) else value
    return {"hoisted": prologue.loads("block"), "chain": lines, "made_value": kept, "chain_masked": kept != value}


STEP = 4
"""Pixels per step of a short chain."""


def vectors_table(table: Sequence[tuple[int, int]], tensors: int, lanes: int) -> list[int]:
    """For every vector that holds selected channels, in the order of memory: which one it is, and the bits of their lanes.

    No channel may come twice.
    """
    found: dict[int, int] = {}
    for tensor, channel in sorted(table):
        vector = tensors * (channel // lanes) + tensor
        found[vector] = found.get(vector, 0) | 1 << channel % lanes
    return [number for pair in found.items() for number in pair]
