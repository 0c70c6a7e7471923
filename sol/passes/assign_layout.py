"""Chooses the blocked layout NCHWc for images from the first convolution to the head, and puts reorders where it begins and ends."""

from __future__ import annotations

from sol.config import config
from sol.errors import UnsupportedError
from sol.ir.dim import Dim
from sol.ir.graph import Graph, Node
from sol.ir.lanes import FLOAT_LANES
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor
from sol.ir.types import PLAIN, DType, Layout, TensorType
from sol.passes.global_pooling import is_pointwise_conv, pools_whole_map

POOLS = (
    "max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool", "max_pool_taps_grad", "max_pool_grad", "avg_pool_grad",
    "adaptive_avg_pool_grad",
)  # fmt: skip
REDUCTIONS = ("sum", "mean", "var", "max", "min", "prod")
REDUCED = ((2, 3), (0, 2, 3))
"""Dimensions whose reduction leaves channels as they lie in blocks: maps, and maps of all images (statistics, their gradients)."""
CHANNELS = (1,)
"""A reduction over channels reads whole blocks; its result has one channel and is row-major."""
LANES = (*FLOAT_LANES, DType.BOOL)
"""Types of blocked values: numbers, and the masks between them."""
INTEGERS = (DType.U8, DType.I8, DType.I32)
"""Of blocked images of bytes, and of sums of their products."""
STAY_FINITE = frozenset(
    "cast neg abs relu floor ceil round sign clamp add sub mul maximum minimum where eq ne lt le gt ge leaky_relu hardswish hardsigmoid "
    "sigmoid tanh silu".split()
)
"""Ops that give finite results for finite numbers of ordinary size, also in lanes that hold no channel."""


def assign_layout(graph: Graph, lanes: int, blocks_bytes: bool = False) -> Graph:
    """Give every rank-4 value of floats that feeds or follows a convolution the layout with ``lanes`` channels per block.

    blocks_bytes: also images of bytes.
    """
    return _Assignment(graph, lanes, blocks_bytes).run()


def is_blockable(conv: Node, data: TensorType, weight: TensorType, lanes: int) -> bool:
    """Whether a blocked kernel exists for a convolution (others run on the plain layout)."""
    if data.rank != 4 or data.dtype not in FLOAT_LANES or not isinstance(data.shape[1], int):
        return False
    if all(s == 1 for s in data.shape[2:]) and any(p != (0, 0) for p in conv.attrs["padding"]):
        return False  # a map of one pixel has no borders: its bytes are the same in both layouts
    groups, channels, out = conv.attrs["groups"], data.shape[1], weight.shape[0]
    width_in, width_out = channels // groups, out // groups
    if groups == 1 or (width_in % lanes == 0 and width_out % lanes == 0):
        return True
    if data.dtype is not DType.F32:
        return False  # kernels of narrow groups read float32
    if groups == channels == out:
        return True
    return width_in == width_out and width_in > 1 and lanes % width_in == 0


def is_depthwise(conv: Node, data: TensorType, weight: TensorType) -> bool:
    """Whether every channel is convolved with one filter."""
    return conv.attrs["groups"] == data.shape[1] == weight.shape[0]


class _Assignment:
    """One walk over the graph. Every value exists in at most two forms, plain and blocked; reorders are made on demand."""

    def __init__(self, graph: Graph, lanes: int, blocks_bytes: bool) -> None:
        self.graph, self.lanes = graph, lanes
        self.blocks_bytes, self.held = blocks_bytes, (*LANES, *INTEGERS) if blocks_bytes else LANES
        self.fills: dict[str, int] = {}  # image of bytes → what convolutions read around it
        self.of_bytes: set[str] = set()  # blocked values that were computed from products of bytes alone
        self.blocked = Layout(lanes)
        self.editor = Editor(graph)
        self.constants = graph.constant_values
        self.forms: dict[tuple[str, Layout], str] = {}
        self.copies: dict[str, str] = {}  # value → its copy with a border

    def run(self) -> Graph:
        for node in self.graph.nodes:
            if node.op in ("input", "parameter", "constant") or node.name in self.constants:
                continue
            self.visit(self.editor.producer(node.name) or node)
        self.keep_outputs()
        self.editor.set_outputs([self.plain(o) for o in self.editor.outputs])
        return self.editor.finish()

    def visit(self, node: Node) -> None:
        if node.op == "to_blocks":
            return  # an output: when all layouts are known
        if node.op == "conv_weight_grad":
            self.block_operands(node)
        elif self.goes_blocked(node):
            handler = getattr(self, f"block_{node.op}", self.block_all)
            handler(node)
        else:
            self.editor.update(node, inputs=tuple(self.plain(i) for i in node.inputs))

    # -- which ---------------------------------------------------------------------------------------------------------

    def goes_blocked(self, node: Node) -> bool:
        type = node.type
        if node.op == "from_blocks":
            return True
        if node.op in REDUCTIONS:
            return self.reduction_goes_blocked(node)
        if node.op == "max_pool_taps":
            return self.is_blocked(node.inputs[0])
        if type.rank != 4 or type.dtype not in self.held or len(node.types) > 1 or not isinstance(type.shape[1], int):
            return False
        data = [self.editor.type_of(i) for i in node.inputs]
        if node.op == "int_conv":
            return self.blocks_bytes and self.is_byte_blockable(node, data[0], data[1])
        if node.op == "conv":
            weight_known = all(i in self.constants for i in node.inputs[1:])
            return weight_known and is_blockable(node, data[0], data[1], self.lanes)
        if node.op == "space_to_depth":
            return True
        if not any(self.is_blocked(i) for i in node.inputs):
            return False
        if node.op in POINTWISE:
            return self.pointwise_goes_blocked(node, data)
        if type.dtype is DType.BOOL:
            return False
        if type.dtype in INTEGERS:
            return node.op == "max_pool" or node.op == "concat" and self.joins_whole_blocks(node)
        if node.op == "resample":  # a result that nothing here reads is written row by row
            return not self.graph.is_output(node.name) or bool(self.graph.users(node.name))
        if node.op in POOLS:
            return True
        if node.op == "interleave":
            return all(i in self.constants or self.is_blocked(i) for i in node.inputs)
        if any(i in self.constants for i in node.inputs):
            return False  # there is no kernel that reads a constant in blocks among other operands
        if node.op == "stack_slices":
            return data[0].shape[1] % self.lanes == 0  # type: ignore[operator]
        return node.op == "channel_select" or node.op in ("concat", "slice") and node.attrs["dim"] == 1

    def pointwise_goes_blocked(self, node: Node, data: list[TensorType]) -> bool:
        if any(t.dtype not in self.held for t in data):
            return False
        if node.type.shape[1] % self.lanes and not POINTWISE[node.op].zero_safe:
            images = [i for i in node.inputs if self.is_blocked(i)]
            if node.op not in STAY_FINITE or not self.of_bytes.issuperset(images):
                return False
        return any(self.is_blocked(i) and self.editor.type_of(i).shape == node.type.shape for i in node.inputs)

    def reduction_goes_blocked(self, node: Node) -> bool:
        """Over maps as before a classifier, which keeps its dimensions; over images as well, whatever it keeps."""
        data = self.editor.type_of(node.inputs[0])
        if not data.layout.block or data.rank != 4 or data.dtype not in FLOAT_LANES:
            return False
        dims = tuple(sorted(node.attrs["dims"]))
        if dims == CHANNELS:
            return node.attrs["keepdims"] and isinstance(data.shape[1], int) and data.shape[1] % self.lanes == 0
        return dims in REDUCED and (node.attrs["keepdims"] or dims != REDUCED[0])

    def is_byte_blockable(self, conv: Node, data: TensorType, weight: TensorType) -> bool:
        """Whether a blocked kernel convolves these bytes: densely or depthwise, padded with one known byte on which all readers agree."""
        if not isinstance(data.shape[1], int) or not weight.is_static or conv.inputs[1] not in self.constants:
            return False
        if all(s == 1 for s in data.shape[2:]) or conv.attrs["groups"] != 1 and not is_depthwise(conv, data, weight):
            return False
        if all(p == (0, 0) for p in conv.attrs["padding"]):
            return True
        fill = self.graph.producer(conv.inputs[2])
        if fill.op != "constant":
            return False
        byte = int(fill.attrs["value"].value)
        return self.fills.setdefault(conv.inputs[0], byte) == byte

    def joins_whole_blocks(self, concat: Node) -> bool:
        """Whether all operands but the last one are whole blocks of channels, and none is a constant."""
        sizes = [self.editor.type_of(i).shape[1] for i in concat.inputs]
        whole = all(isinstance(s, int) and s % self.lanes == 0 for s in sizes[:-1])
        return concat.attrs["dim"] == 1 and whole and self.constants.isdisjoint(concat.inputs) and all(map(self.is_blocked, concat.inputs))

    def is_blocked(self, value: str) -> bool:
        return self.editor.type_of(value).layout.block != 0

    # -- how -----------------------------------------------------------------------------------------------------------

    def block_all(self, node: Node) -> None:
        pointwise = node.op in POINTWISE
        operands = tuple(self.block(i, node.type) if pointwise else self.form(i, self.blocked) for i in node.inputs)
        if (node.op in STAY_FINITE or not pointwise) and self.of_bytes.issuperset(i for i in node.inputs if self.is_blocked(i)):
            self.of_bytes.add(node.name)
        self.editor.update(node, inputs=operands, types=(node.type.with_layout(self.blocked),))

    def block_reduction(self, node: Node) -> None:
        """Blocks need all dimensions: what is not kept is dropped behind the reduction."""
        if tuple(node.attrs["dims"]) == CHANNELS:
            return
        if node.attrs["keepdims"]:
            return self.block_all(node)
        value = self.editor.add(node.op, node.inputs, origin=node.origin, **node.attrs.having(keepdims=True))
        self.editor.replace(node.name, self.reshape(value, node.type.shape))

    block_sum = block_mean = block_var = block_max = block_min = block_prod = block_reduction

    def block_from_blocks(self, node: Node) -> None:
        if self.editor.type_of(node.inputs[0]).shape[4] != self.lanes:
            raise UnsupportedError(
                f"blocks of {self.editor.type_of(node.inputs[0])} on a machine with {self.lanes} lanes",
                origin=str(node.origin),
                remedy="run forward and backward with the same instruction set",
            )
        attrs = node.attrs.having(layout=self.blocked)
        self.editor.update(node, attrs=attrs, types=(node.type.with_layout(self.blocked),))

    def keep_outputs(self) -> None:
        """Results that another program reads leave in blocks if they are blocked; maps of one pixel have the same bytes either way."""
        for value in dict.fromkeys(self.editor.outputs):
            node = self.editor.producer(value)
            if node.op != "to_blocks":
                continue
            (data,) = node.inputs
            type = self.editor.type_of(data)
            if type.layout.block and any(s != 1 for s in type.shape[2:]):
                self.editor.replace(value, self.editor.add("to_blocks", [data], origin=node.origin, layout=self.blocked))
            else:
                self.editor.replace(value, data)
            self.editor.erase(node)

    def bordered(self, data: str, conv: Node) -> str:
        """A convolution's blocked input, copied where it came into the program without the zeros that the convolution reads around it."""
        node = self.editor.producer(data)
        while node.op == "slice":
            node = self.editor.producer(node.inputs[0])
        enough = node.op != "from_blocks" or all(
            have >= need for b, p in zip(node.attrs["border"], conv.attrs["padding"]) for have, need in zip(b, p)
        )
        if enough:
            return data
        if data not in self.copies:
            self.copies[data] = self.editor.add("copy", [data], origin=node.origin)
        return self.copies[data]

    def block_conv(self, node: Node) -> None:
        data = node.inputs[0]
        few = self.editor.type_of(data).shape[1] < self.lanes and node.attrs["groups"] == 1 and not self.saves_products(node)
        if self.is_blocked(data) or not (few or self.is_read_once(node)):
            data = self.bordered(self.form(data, self.blocked), node)
        self.editor.update(node, inputs=(data, *node.inputs[1:]), types=(node.type.with_layout(self.blocked),))

    def block_int_conv(self, node: Node) -> None:
        data = self.form(node.inputs[0], self.blocked)
        self.of_bytes |= {node.name, data}
        self.editor.update(node, inputs=(data, *node.inputs[1:]), types=(node.type.with_layout(self.blocked),))

    def block_operands(self, node: Node) -> None:
        """Of a convolution's gradient for its weights, which is row-major; an input of few channels may lie as it is."""
        data, grad = node.inputs
        if not is_blockable(node, self.editor.type_of(data), node.type, self.lanes):
            self.editor.update(node, inputs=(self.plain(data), self.plain(grad)))
            return
        few = node.attrs["groups"] == 1 and self.editor.type_of(data).shape[1] < self.lanes
        if self.is_blocked(data) or not few or node.attrs["dilation"][1] > 1:
            data = self.form(data, self.blocked)
        self.editor.update(node, inputs=(data, self.form(grad, self.blocked)))

    def block_space_to_depth(self, node: Node) -> None:
        attrs = node.attrs.having(layout=self.blocked)
        self.editor.update(node, inputs=(self.plain(node.inputs[0]),), attrs=attrs, types=(node.type.with_layout(self.blocked),))

    def saves_products(self, conv: Node) -> bool:
        """Whether a convolution of few channels is one for Winograd's algorithm, which reads blocks: those at least half full pay."""
        channels, kernel = self.editor.type_of(conv.inputs[0]).shape[1], self.editor.type_of(conv.inputs[1]).shape[2:]
        dense = all(s == 1 for s in (*conv.attrs["stride"], *conv.attrs["dilation"]))
        return dense and all(k > 1 for k in kernel) and 2 * channels >= self.lanes and config["conv_max_error"] > 0

    def is_read_once(self, conv: Node) -> bool:
        """Whether a plain input is as good as a blocked one: no other node wants it blocked, and each pixel is read once."""
        data, weight = conv.inputs[0], self.editor.type_of(conv.inputs[1])
        original = self.graph.producer(conv.name)
        alone = self.editor.sole_user(data) is not None
        return alone and is_pointwise_conv(conv, weight) and pools_whole_map(self.graph, original, self.lanes)

    def block_concat(self, node: Node) -> None:
        sizes = [self.editor.type_of(i).shape[1] for i in node.inputs]
        if all(isinstance(s, int) and s % self.lanes == 0 for s in sizes[:-1]):
            return self.block_all(node)
        channels = node.type.shape[1]
        assert isinstance(channels, int)  # goes_blocked asks for it
        self.substitute(node, self.editor.add("channel_select", node.inputs, index=tuple(range(channels)), origin=node.origin))

    def block_slice(self, node: Node) -> None:
        start, stop, step = (node.attrs[k] for k in ("start", "stop", "step"))
        channels = self.editor.type_of(node.inputs[0]).shape[1]
        aligned = step == 1 and start % self.lanes == 0 and (stop % self.lanes == 0 or stop == channels)
        if aligned:
            return self.block_all(node)
        index = tuple(range(start, stop, step))
        self.substitute(node, self.editor.add("channel_select", node.inputs, index=index, origin=node.origin))

    def block_resample(self, node: Node) -> None:
        data = self.form(node.inputs[0], self.blocked)
        self.editor.update(node, inputs=(data, *node.inputs[1:]), types=(node.type.with_layout(self.blocked),))

    def block_interleave(self, node: Node) -> None:
        operands = tuple(i if i in self.constants else self.form(i, self.blocked) for i in node.inputs)
        self.editor.update(node, inputs=operands, types=(node.type.with_layout(self.blocked),))

    def substitute(self, node: Node, value: str) -> None:
        self.block_all(self.editor.producer(value))
        self.forms[(node.name, self.blocked)] = value
        self.editor.replace(node.name, value)

    # -- forms of a value ------------------------------------------------------------------------------------------------

    def plain(self, value: str) -> str:
        return value if value in self.constants or not self.is_blocked(value) else self.form(value, PLAIN)

    def block(self, value: str, result: TensorType) -> str:
        """A pointwise operand for a blocked result: constants (packed as needed) and one-channel values stay plain."""
        type = self.editor.type_of(value)
        logical = (1,) * (4 - type.rank) + type.shape
        if value in self.constants:
            return value
        if logical[1] == 1 and result.shape[1] != 1:
            return self.plain(value)
        if type.rank != 4:
            value = self.reshape(value, logical)
        return self.form(value, self.blocked)

    def reshape(self, value: str, shape: tuple[int | Dim, ...]) -> str:
        return self.editor.add("reshape", [self.plain(value)], shape=shape)

    def form(self, value: str, layout: Layout) -> str:
        if self.editor.type_of(value).layout == layout:
            return value
        if (value, layout) not in self.forms:
            producer = self.editor.producer(value)
            new = self.editor.add("reorder", [value], layout=layout, origin=producer.origin)
            self.forms[(value, layout)] = new
            self.forms[(new, self.editor.type_of(value).layout)] = value
        return self.forms[(value, layout)]
