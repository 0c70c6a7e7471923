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
from sol.codegen.kernels.conv_epilogues import is_heavy, needs_mask
from sol.codegen.kernels.conv_shape import Conv, is_blocked, is_pointwise, spatial_strides, static_size
from sol.codegen.kernels.dfp_channels import picked_channels
from sol.codegen.lowering import Lowering, TargetLike
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

    def value(self) -> tuple[list[str], str]:
        """C statements for one pixel at address ``i``, and the text of its value."""
        lines: list[str] = []
        terms, dtype = [], self.chain.body.type_of(self.source).dtype
        for y in range(self.window[0]):
            for x in range(self.window[1]):
                address = f"i{f' + {y} * c->in_r' if y else ''}{f' + {x} * LANES' if x else ''}"
                lines.append(f"const vf i{y}_{x} = {vector_load(dtype, address)};")
                steps, result = self.chain.trace(f"i{y}_{x}", lambda p: p.name, f"t{y}_{x}_", stored=False)
                lines += steps
                terms.append(result)
        value = " + ".join(terms)
        return lines, f"({value}) / {c_float(self.count)}" if self.count != 1 else value

    def loads(self, masked: bool) -> list[str]:
        """C statements that load what all pixels of image ``n`` and a channel block share. masked: also which lanes hold a channel."""
        operands = [(p, f"c->{p.name} + n * c->{p.name}_n + block * c->{p.name}_cb") for p in self.chain.operands]
        live = ["const vi live = vi_first(c->C - block * LANES);"] if masked else []
        return [*(f"const vf {p.name} = {p.load(address)};" for p, address in operands), *live]


@dataclass(frozen=True)
class Source:
    """The input of a convolution.

    kind: "memory" (blocked, with the zero border that it reads), "plain" (row-major), "prologue" (made by one, without a border: products
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

    def ragged(self, conv: Conv) -> bool:
        """Do other elements lie behind a row's last channels, where a blocked tensor has zeros?"""
        return self.kind == "rows" and conv.c % self.view.layout.block != 0

    def masked(self, conv: Conv) -> bool:
        """May what makes it give lanes without a channel that are infinite or NaN?"""
        return self.prologue is not None and needs_mask(self.prologue.chain, conv.c, self.view.layout.block)

    def prologue_params(self, conv: Conv) -> dict[str, DimLike]:
        """Strides of what makes the input along image and channel block; the channels, if lanes without one are zeros."""
        found: dict[str, DimLike] = {"C": conv.c} if self.masked(conv) or self.ragged(conv) else {}
        for p in self.prologue.chain.operands if self.prologue else ():
            found |= {f"{p.name}_n": p.strides[0], f"{p.name}_cb": p.strides[1]}
        return found

    def params(self, conv: Conv, names: str = "n cb row r s start", prefix: str = "in") -> dict[str, DimLike]:
        """Those of ``names``, each behind ``prefix``: strides of the tensor that is read along image, channel block, row of the result,
        filter row (of a prologue: row of its window) and filter column; what leads from its first element to the first one read."""
        n, cb, row, column, _ = spatial_strides(self.view.strides)
        found: dict[str, DimLike] = {
            "n": n, "cb": cb, "row": row * conv.stride[0] * self.step[0],
            "r": row * (1 if self.prologue else conv.dilation[0]), "s": column * conv.dilation[1],
            "start": -(row * conv.padding[0] + column * conv.padding[1]),
        }  # fmt: skip
        return {**{f"{prefix}_{name}": found[name] for name in names.split()}, **self.prologue_params(conv)}

    def tensor_params(self, by_row: bool) -> dict[str, DimLike]:
        """Strides of selected tensors along image, channel vector and row; one row stride for all unless ``by_row``."""
        params: dict[str, DimLike] = {}
        for name, view in self.reads.items():
            n, cb, row = spatial_strides(view.strides)[:3]
            params |= {f"{name}_n": n, f"{name}_cb": cb, **({f"{name}_row": row} if by_row else {})}
        return params if by_row else {**params, "in_row": spatial_strides(self.view.strides)[2]}

    def context(self, conv: Conv) -> dict[str, Any]:
        """Template context: kind, number of tensors, what makes a pixel."""
        masked = self.masked(conv)
        context: dict[str, Any] = {"source": self.kind, "sources": self.tensors, "selects": bool(self.table), "prologue_masked": masked,
                                   "ragged": self.ragged(conv)}
        if not self.prologue:
            return context | {"prologue": "", "prologue_operands": (), "prologue_loads": ()}
        (lines, value), loads = self.prologue.value(), self.prologue.loads(masked)
        return context | {
            "prologue": self.prologue.stem.replace("_", " "), "prologue_operands": [p.name for p in self.prologue.chain.operands],
            "prologue_lines": lines, "prologue_value": value, "prologue_loads": loads, "formula": self.prologue.formula,
        }  # fmt: skip


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
        found = Source("prologue", (lowering.view(prologue.source),), prologue)
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
    shape, inputs = lowering.type_of(top).shape, pointwise_inputs(lowering, top) or ()
    found = [v for v in inputs if lowering.type_of(v).shape == shape and not lowering.is_constant(v)]
    return found[0] if len(found) == 1 else None


def pointwise_inputs(lowering: Lowering, top: str, anchor: str = "") -> set[str] | None:
    """The body inputs, and the anchor, from which a value is computed by pointwise ops alone; None if by others."""
    body = lowering.body
    found, seen, stack = set(), set(), [top]
    while stack:
        value = stack.pop()
        node = body.producer(value)
        if value in body.inputs or node.name == anchor:
            found.add(value)
        elif value not in seen and node.op in POINTWISE:
            stack.extend(node.inputs)
        elif value not in seen and node.op != "constant":
            return None
        seen.add(value)
    return found


def line_params(conv: Conv, source: Source, tile: tuple[int, int], flat: bool) -> dict[str, DimLike]:
    """The lines in which a map is made, runs of pixels in memory: tiles of each, lines of an image, elements from one to the next, pixels.

    A line without ``line_pixels`` is a tile of several rows, each of which is a run. flat: the map is one long row.
    """
    assert source.prologue is not None
    (th, tw), (row, column) = tile, spatial_strides(source.view.strides)[2:4]
    stride, columns = row * conv.stride[0] * source.step[0], (conv.ow + tw - 1) // tw
    dense = not source.prologue.pools and conv.stride == (1, 1) and row == conv.ow * column
    if flat:
        pixels = conv.oh * conv.ow
        return {"line_tiles": (pixels + tw - 1) // tw, "lines": 1, "src_line": 0, "line_pixels": pixels}
    if dense and isinstance(conv.ow, int) and conv.ow % tw == 0:
        return {"line_tiles": (conv.oh + th - 1) // th * columns, "lines": 1, "src_line": 0, "line_pixels": conv.oh * conv.ow}
    if th > 1:
        return {"line_tiles": 1, "lines": (conv.oh + th - 1) // th, "src_line": th * stride}
    return {"line_tiles": columns, "lines": conv.oh, "src_line": stride, "line_pixels": conv.ow}


def band_params(conv: Conv, target: TargetLike, width: int) -> dict[str, int]:
    """What a thread computes from one copy of a row-major input, rows x tile columns of the output; the copy's lines and their elements.

    As many whole rows as have room for their copy in the first cache, or as many tiles of ``width`` pixels of one row; at least one.
    """
    room, lines, window = target.l1 // (conv.dtype.itemsize * conv.c), static_size(conv.reach(0, 1)), static_size(conv.reach(1, 1))
    columns = max(1, ((room // lines - window) // conv.stride[1] + 1) // width)
    if isinstance(conv.ow, int):
        columns = min(columns, -(-conv.ow // width))
    line = -(-(static_size(conv.reach(1, columns * width)) + target.lanes - 1) // LINE_UNIT) * LINE_UNIT
    rows = max(1, (room // line - lines) // conv.stride[0] + 1)
    if isinstance(conv.oh, int):
        rows = max(1, min(rows, conv.oh))
    return {"LINES": static_size(conv.reach(0, rows)), "LINE": line, "band_rows": rows, "band_columns": columns}


STEP = 4
"""Pixels per step of a short chain."""
LINE_UNIT = 16
"""Elements of a cache line, of which the lines of a copy are multiples."""


def vectors_table(table: Sequence[tuple[int, int]], tensors: int, lanes: int) -> list[int]:
    """For every vector that holds selected channels, in the order of memory: which one it is, and the bits of their lanes.

    No channel may come twice.
    """
    found: dict[int, int] = {}
    for tensor, channel in sorted(table):
        vector = tensors * (channel // lanes) + tensor
        found[vector] = found.get(vector, 0) | 1 << channel % lanes
    return [number for pair in found.items() for number in pair]
