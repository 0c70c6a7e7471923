"""Direct convolution in NCHWc: a register tile of channel vectors x pixels takes the whole reduction."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from sol.codegen.epilogue import Epilogue, EpilogueOperand, make_epilogue
from sol.codegen.kernels.blocked import FINITE
from sol.codegen.kernels.conv_tiling import Panel, Tiling, choose_tiling, named_tiling, panels_of, tiling_names
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import SolError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import DType

SHORT = 64
"""Multiply-adds per output up to which a panel's weights are too few to be fetched ahead."""
STRETCH = 256
"""Multiply-adds per output that are added up one after the other: rounding errors grow with the length of such a sum."""
UNROLL = 2
"""Input channels per step; more make gcc hoist broadcasts and spill."""

_CALLS = frozenset(
    "exp expm1 log log1p tanh erf sin cos tan pow fmod remainder atan2 sigmoid silu gelu mish softplus elu".split()
)
"""Ops that are many instructions long."""


@dataclass(frozen=True)
class Conv:
    """A convolution over two spatial dimensions; one with a single dimension has height 1.

    n, c, k: batch, input and output channels. h, w, oh, ow: input and output size. kernel, stride, dilation: (y, x).
    padding: zeros before the first row and column; ``after``: zeros read behind the last ones.
    """

    node: Node
    n: DimLike
    c: int
    k: int
    h: DimLike
    w: DimLike
    oh: DimLike
    ow: DimLike
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int]
    after: tuple[int, int]
    groups: int

    @property
    def flops(self) -> DimLike:
        return 2 * self.k * self.reduction * (self.n * self.oh * self.ow)

    @property
    def reduction(self) -> int:
        """Multiply-adds per output."""
        return self.c // self.groups * self.kernel[0] * self.kernel[1]

    @property
    def weight_bytes(self) -> int:
        return 4 * self.k * self.reduction


def read_conv(lowering: Lowering, node: Node | None = None) -> Conv | None:
    """A convolution (the region's anchor) as a Conv; None if it has three spatial dimensions, symbolic channels or run-time weights."""
    node = node or lowering.anchor
    x, w = lowering.type_of(node.inputs[0]), lowering.type_of(node.inputs[1])
    if x.rank not in (3, 4) or not all(isinstance(s, int) for s in (x.shape[1], *w.shape)):
        return None
    if x.dtype is not DType.F32 or not all(lowering.is_constant(i) for i in node.inputs[1:]):
        return None
    one = (1,) * (4 - x.rank)
    nowhere = ((0, 0),) * (4 - x.rank)
    attrs, out = node.attrs, node.type
    padding = (*nowhere, *attrs["padding"])
    n, c, *size = x.shape
    image, result = (*one, *size), (*one, *out.shape[2:])
    k, kernel = static_size(w.shape[0]), tuple(static_size(s) for s in (*one, *w.shape[2:]))
    return Conv(
        node, n, static_size(c), k, image[0], image[1], result[0], result[1],
        kernel=(kernel[0], kernel[1]), stride=(*one, *attrs["stride"]), dilation=(*one, *attrs["dilation"]),
        padding=tuple(p[0] for p in padding), after=tuple(p[1] for p in padding), groups=attrs["groups"],
    )  # fmt: skip


def static_size(size: DimLike) -> int:
    """A size that is known to be fixed."""
    if not isinstance(size, int):
        raise SolError(f"size {size} must be fixed here")
    return size


def spatial_strides(strides: tuple[DimLike, ...]) -> tuple[DimLike, ...]:
    """Blocked storage strides with a height of stride 0 inserted where there is only a width: (n, cb, y, x, lane)."""
    return strides if len(strides) == 5 else (*strides[:2], 0, *strides[2:])


def is_pointwise_tail(lowering: Lowering, result: str, block: int) -> bool:
    """Is everything from the anchor to ``result`` pointwise, and the result blocked and of the anchor's shape?"""
    body, anchor = lowering.body, lowering.anchor
    if body.type_of(result).shape != anchor.type.shape or body.type_of(result).layout.block != block:
        return False
    seen, stack = set(), [result]
    while stack:
        node = body.producer(stack.pop())
        if node.name in seen or node.name == anchor.name or node.op in ("input", "constant"):
            continue
        if node.op not in POINTWISE:
            return False
        seen.add(node.name)
        stack.extend(node.inputs)
    return True


def is_flat(conv: Conv, strides: list[tuple[DimLike, ...]]) -> bool:
    """1x1 with stride 1 on rows that lie one behind the other, provably, in every tensor of these blocked strides."""
    if conv.kernel != (1, 1) or conv.stride != (1, 1) or conv.padding != (0, 0) or conv.oh == 1:
        return False
    return all(row == conv.ow * column for _, _, row, column, _ in map(spatial_strides, strides))


def check_border(lowering: Lowering, conv: Conv, view: View) -> None:
    """SolError if the input lacks the zeros that the kernel reads around it."""
    border = view.border or ((0, 0),) * (len(view.shape) - 3)
    border = ((0, 0),) * (2 - len(border)) + tuple(border)
    for axis, size, out in ((0, conv.h, conv.oh), (1, conv.w, conv.ow)):
        reach = (
            (out - 1) * conv.stride[axis]
            + (conv.kernel[axis] - 1) * conv.dilation[axis]
            + 1
            - size
            - conv.padding[axis]
        )
        behind = reach if isinstance(reach, int) else conv.after[axis]
        if border[axis][0] < conv.padding[axis] or border[axis][1] < behind:
            raise SolError(
                f"region {lowering.region.name} reads {conv.padding[axis]} and {behind} elements around axis {axis} "
                f"of its input, which has a border of {border[axis]}", origin=str(lowering.region.origin)
            )  # fmt: skip


def is_heavy(epilogue: Epilogue) -> bool:
    """Is the tail too long to be written once per accumulator?"""
    nodes = epilogue._nodes()
    return len(nodes) > 6 or any(n.op in _CALLS for n in nodes)


def needs_mask(epilogue: Epilogue, channels: int, lanes: int) -> bool:
    """May the tail make lanes without a channel infinite or NaN?"""
    return channels % lanes != 0 and any(n.op not in FINITE for n in epilogue._nodes())


def operand_step(operand: EpilogueOperand) -> int:
    """Elements from one pixel's vector to the next one's."""
    step = spatial_strides(operand.strides)[3]
    if not isinstance(step, int):
        raise SolError(f"operand %{operand.value} has a column stride known only at run time")
    return step


Finish = Callable[[int, str, str, str], list[str]]
"""(vector o, C text of y, C text of x, C text of the value) -> statements that use the result."""


def tail_lines(epilogue: Epilogue, ocb: int, th: int, tw: int, finish: Finish, masked: bool) -> list[str]:
    """C statements that take accumulators ``a<o>_<y>_<x>`` through the tail."""
    if finish is not store:
        return _traced_tail(epilogue, ocb, th, tw, finish, masked)
    key = _tail_key(epilogue, ocb, th, tw, masked)
    lines = _STORED_TAILS.get(key)
    if lines is None:
        if len(_STORED_TAILS) >= MOST_TAILS:
            _STORED_TAILS.clear()  # another thread may compile: it holds what it has found
        lines = _STORED_TAILS[key] = _traced_tail(epilogue, ocb, th, tw, finish, masked)
    return lines


def _tail_key(epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool) -> Hashable:
    return epilogue.signature, tuple(operand_step(e) for e in epilogue.operands if e.kind == "tile"), ocb, th, tw, masked


MOST_TAILS = 256
_STORED_TAILS: dict[Hashable, list[str]] = {}  # layers with equal tails are many, and tracing one takes a millisecond


def _traced_tail(epilogue: Epilogue, ocb: int, th: int, tw: int, finish: Finish, masked: bool) -> list[str]:
    lines = _hoisted_loads(epilogue, ocb)

    def one(o: int, y: str, x: str, accumulator: str, prefix: str) -> list[str]:
        return _vector_tail(epilogue, (o, y, x), accumulator, prefix, finish, masked)

    for o in range(ocb):
        if not is_heavy(epilogue):
            for y in range(th):
                for x in range(tw):
                    lines += one(o, str(y), str(x), f"a{o}_{y}_{x}", f"t{o}_{y}_{x}_")
            continue
        values = ", ".join(f"a{o}_{y}_{x}" for y in range(th) for x in range(tw))
        row, column = (f"(i / {tw})", f"(i % {tw})") if th > 1 else ("0", "i")
        lines += ["{", f"    const vf a[{th * tw}] = {{{values}}};", f"    for (int64_t i = 0; i < {th * tw}; i++) {{"]
        lines += [f"        {line}" for line in one(o, row, column, "a[i]", "t")]
        lines += ["    }", "}"]
    return lines


def _hoisted_loads(epilogue: Epilogue, ocb: int) -> list[str]:
    """Operands that all pixels of a vector share."""
    hoisted = [e for e in epilogue.operands if e.kind != "tile"]
    return [f"const vf {e.name}_{o} = {e.load(f'{e.name} + {o} * c->{e.name}_cb')};" for o in range(ocb) for e in hoisted]


def _vector_tail(
    epilogue: Epilogue, place: tuple[int, str, str], accumulator: str, prefix: str, finish: Finish, masked: bool
) -> list[str]:
    """Statements that take the accumulator of ``place`` (vector, C text of y, C text of x) through the tail."""
    o, y, x = place

    def load(e: EpilogueOperand) -> str:
        if e.kind != "tile":
            return f"{e.name}_{o}"
        return e.load(f"{e.name} + {o} * c->{e.name}_cb + {y} * c->{e.name}_row + {x} * {operand_step(e)}")

    steps, result = epilogue.trace(accumulator, load, prefix)
    return [*steps, *finish(o, y, x, f"keep({result}, valid - {o} * LANES)" if masked else result)]


@dataclass(frozen=True)
class TailSteps:
    """The tail of a tile by pixel. before: statements ahead of all. pixels: (y, x, statements of all vectors)."""

    before: tuple[str, ...]
    pixels: tuple[tuple[int, int, tuple[str, ...]], ...]


def tail_steps(epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool) -> TailSteps | None:
    """What ``tail_lines`` gives for ``store``, by pixel; None for a tail that is written only once."""
    if is_heavy(epilogue):
        return None
    key = _tail_key(epilogue, ocb, th, tw, masked)
    found = _TAIL_STEPS.get(key)
    if found is None:
        if len(_TAIL_STEPS) >= MOST_TAILS:
            _TAIL_STEPS.clear()
        found = _TAIL_STEPS[key] = _traced_steps(epilogue, ocb, th, tw, masked)
    return found


_TAIL_STEPS: dict[Hashable, TailSteps] = {}


def _traced_steps(epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool) -> TailSteps:
    def pixel(y: int, x: int) -> tuple[str, ...]:
        places = [(o, f"{o}_{y}_{x}") for o in range(ocb)]
        return tuple(
            line for o, at in places for line in _vector_tail(epilogue, (o, str(y), str(x)), f"a{at}", f"t{at}_", store, masked)
        )

    pixels = tuple((y, x, pixel(y, x)) for y in range(th) for x in range(tw))
    return TailSteps(tuple(_hoisted_loads(epilogue, ocb)), pixels)


def store(o: int, y: str, x: str, value: str) -> list[str]:
    """Write a finished vector to the blocked output."""
    return [f"vf_store(out + {o} * c->out_cb + {y} * c->out_row + {x} * LANES, {value});"]


def tile_variants(
    epilogue: Epilogue, panels: Sequence[Panel], tiling: Tiling, masked: bool, *, finish: Finish = store, by_pixel: bool = False
) -> list[dict[str, Any]]:
    """Template context of the functions of all tiles: ``steps`` if the tail goes by pixel and is short enough for that, else ``tail``."""
    found: list[dict[str, Any]] = []
    for p in panels:
        for th, tw in tiling.tiles:
            steps = tail_steps(epilogue, p.width, th, tw, masked) if by_pixel else None
            tail = [] if steps else tail_lines(epilogue, p.width, th, tw, finish, masked)
            found.append({"panel": p.name, "ocb": p.width, "half": p.half, "th": th, "tw": tw, "tail": tail, "steps": steps})
    return found


def stem_of(conv: Conv, tiling: Tiling, epilogue: Epilogue, head: str = "conv") -> str:
    """The kernel's name: ``conv_s2_2x14_add_relu``."""
    shapes = "_".join((f"{th}x" if th > 1 else "") + str(tw) for th, tw in tiling.tiles)
    return f"{head}_s{conv.stride[1]}_{tiling.ocb}x{shapes}" + (f"_{epilogue.stem}" if epilogue.stem else "")


def operand_context(epilogue: Epilogue) -> list[dict[str, Any]]:
    return [{"name": e.name, "step": operand_step(e)} for e in epilogue.operands]


def operand_params(epilogue: Epilogue) -> dict[str, DimLike]:
    """Strides of the tail's operands along image, channel vector and row."""
    params: dict[str, DimLike] = {}
    for e in epilogue.operands:
        n, cb, row = spatial_strides(e.strides)[:3]
        params |= {f"{e.name}_n": n, f"{e.name}_cb": cb, f"{e.name}_row": row}
    return params


def input_params(conv: Conv, view: View, lanes: int) -> dict[str, DimLike]:
    """Sizes and strides of the input side; ``in_start`` leads from the first element to the first one read."""
    n, cb, row, column, _ = spatial_strides(view.strides)
    channels = conv.c // conv.groups
    blocks = -(-channels // lanes)
    last = channels - (blocks - 1) * lanes
    return {
        "in_blocks": blocks, "in_last": last + last % UNROLL, "R": conv.kernel[0], "S": conv.kernel[1],
        "in_n": n, "in_cb": cb, "in_row": row * conv.stride[0],
        "in_r": row * conv.dilation[0], "in_s": column * conv.dilation[1],
        "in_start": -(row * conv.padding[0] + column * conv.padding[1]),
    }  # fmt: skip


def weights(lowering: Lowering, conv: Conv, ocb: int) -> dict[str, View]:
    """Packed weights and bias as the kernel's pointers."""
    lanes = lowering.target.lanes
    reads = {"w": lowering.weight(conv.node.inputs[1], "conv_panels", lanes=lanes, vectors=ocb, groups=conv.groups)}
    if len(conv.node.inputs) == 3:
        reads["bias"] = lowering.weight(conv.node.inputs[2], "channels", block=lanes)
    return reads


def is_long(conv: Conv) -> bool:
    """Is the reduction so long that it is added up in stretches?"""
    return conv.reduction > 2 * STRETCH


def traffic(conv: Conv, views: list[View]) -> DimLike:
    """Bytes that must move: activations and weights, each once."""
    return conv.weight_bytes + 4 * sum((product(v.shape) for v in views), start=0)


def serves_blocked_input(lowering: Lowering) -> bool:
    """A float32 convolution from a blocked input, whose groups, if any, are whole vectors."""
    conv, lanes = read_conv(lowering), lowering.target.lanes
    if conv is None or lowering.type_of(conv.node.inputs[0]).layout.block != lanes:
        return False
    if conv.node.inputs[0] not in lowering.body.inputs:
        return False  # made on the way: sol/codegen/kernels/conv_prologue.py
    if spatial_strides(lowering.view(conv.node.inputs[0]).strides)[3:] != (lanes, 1):
        return False
    return conv.groups == 1 or (conv.c // conv.groups % lanes == 0 and conv.k // conv.groups % lanes == 0)


def _serves(lowering: Lowering) -> bool:
    lanes = lowering.target.lanes
    if not serves_blocked_input(lowering) or not is_pointwise_tail(lowering, lowering.output, lanes):
        return False
    return spatial_strides(lowering.view(lowering.output).strides)[3:] == (lanes, 1)


SHARES = ("vectors", "tiles")
"""What the threads share out, where that is not left to ``shares_tiles``."""
REMOTE = 2
"""What a byte costs that another core wrote, in bytes of weights from the shared cache or memory."""


def shares_tiles(conv: Conv, tiling: Tiling, target: TargetLike, flat: bool) -> int:
    """1 if the team shares out the tiles of the map, 0 if the output channels, -1 if that depends on sizes that are not known.

    Tiles: every thread reads all weights. Channels: every thread reads the whole input, of which others wrote a part.
    """
    if not all(isinstance(size, int) for size in (conv.n, conv.oh, conv.ow)):
        return -1
    height, width = (1, conv.oh * conv.ow) if flat else (conv.oh, conv.ow)
    th, tw = tiling.tiles[0]
    tiles = static_size(conv.n * -(-height // th) * -(-width // tw))
    in_bytes = tiles * conv.c * th * tw * conv.stride[0] * conv.stride[1] * 4
    uneven = -tiles % target.team * 16 > tiles
    return int(REMOTE * in_bytes >= conv.weight_bytes and not uneven)


def wanted_share(lowering: Lowering, conv: Conv, tiling: Tiling, flat: bool) -> int:
    """``shares_tiles``, or what the variant names; those who read the result are told."""
    named = lowering.variant in SHARES
    by_tiles = SHARES.index(lowering.variant) if named else shares_tiles(conv, tiling, lowering.target, flat)
    lowering.set_share(by_tiles != 0)
    return by_tiles


def wanted_tiling(lowering: Lowering, conv: Conv, vectors: int, flat: bool) -> Tiling:
    """The tiling that the variant names, else the model's."""
    if "x" in lowering.variant and isinstance(conv.oh, int) and isinstance(conv.ow, int):
        return named_tiling(lowering.variant, conv.oh, conv.ow, flat)
    return choose_tiling(lowering.target, vectors, conv.oh, conv.ow, flat=flat, reduction=conv.reduction)


def tiling_variants(lowering: Lowering) -> list[str]:
    """Names of the tilings worth a measurement; those of a map that is one row where the kernel may take it as such."""
    conv = read_conv(lowering)
    assert conv is not None
    views = [lowering.view(v) for v in (*lowering.body.inputs, lowering.output) if not lowering.is_constant(v)]
    flat = is_flat(conv, [v.strides for v in views if v.layout.block and len(v.shape) > 3 and v.shape[-2] != 1])
    return tiling_names(lowering.target, -(-(conv.k // conv.groups) // lowering.target.lanes), conv.oh, conv.ow, flat=flat)


def _variants(lowering: Lowering) -> list[str]:
    names = tiling_variants(lowering)
    return [*names[:2], *SHARES, *names[2:]]


def _lower(lowering: Lowering) -> None:
    conv = read_conv(lowering)
    assert conv is not None
    target, lanes = lowering.target, lowering.target.lanes
    source, out = lowering.view(conv.node.inputs[0]), lowering.view(lowering.output)
    check_border(lowering, conv, source)
    epilogue = make_epilogue(lowering, conv.node.name, channel_axis=1, block=lanes)
    flat = is_flat(conv, [source.strides, out.strides, *(e.strides for e in epilogue.operands if e.kind == "tile")])
    vectors = -(-(conv.k // conv.groups) // lanes)
    tiling = wanted_tiling(lowering, conv, vectors, flat)
    by_tiles = wanted_share(lowering, conv, tiling, flat)
    masked = needs_mask(epilogue, conv.k, lanes)
    panels = panels_of(target, conv.k // conv.groups, tiling.ocb)
    pointwise = conv.kernel == (1, 1)
    variants = tile_variants(epilogue, panels, tiling, masked, by_pixel=pointwise)
    out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
    params = {
        "N": conv.n, "OH": 1 if flat else conv.oh, "OW": conv.oh * conv.ow if flat else conv.ow,
        "groups": conv.groups, "group_vectors": vectors, "stride_y": conv.stride[0], "by_tiles": by_tiles,
        **input_params(conv, source, lanes),
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row, **operand_params(epilogue),
        **({"K": conv.k} if masked else {}),
    }  # fmt: skip
    reads = {"in": source, **weights(lowering, conv, tiling.ocb), **{e.name: e.view for e in epilogue.operands}}
    lowering.emit(
        "conv_direct.c.j2", stem_of(conv, tiling, epilogue, "conv1x1" if pointwise else "conv"),
        reads=reads, writes={"out": out}, params=params,
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        ocb=tiling.ocb, panels=panels, tiles=tiling.tiles,
        along_y=tiling.along_y, sx=conv.stride[1], pitch="LANES", sink="out", has_bias="bias" in reads,
        pointwise=pointwise, fetches=conv.reduction > SHORT, relieved=is_long(conv), stretch=STRETCH,
        operands=operand_context(epilogue), tail=epilogue.stem, masked=masked,
        variants=variants, l2=target.l2, remote=REMOTE,
    )  # fmt: skip


CANDIDATES: tuple[Candidate, ...] = (Candidate("direct", _serves, _lower, variants=_variants),)
