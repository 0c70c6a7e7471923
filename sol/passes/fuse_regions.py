"""Groups nodes into regions, each of which becomes one kernel (or a few launches of one family).

"dnn" regions have a heavy anchor (convolution, matrix product, pooling…) and a pointwise epilogue. "dfp" regions are chains of pointwise
ops and reductions over the same rows, whose intermediates stay in registers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sol.ir.data_sizes import BOUNDS, definers
from sol.ir.dim import product
from sol.ir.graph import Graph, Node
from sol.ir.lanes import FLOAT_LANES, fits_lanes
from sol.ir.ops.control import CONTROL
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import in_order
from sol.ir.types import PLAIN, DType
from sol.passes.assign_layout import CHANNELS
from sol.passes.beside_epilogues import Beside, has_whole_groups
from sol.passes.choices import Choose, first, nodes_text
from sol.passes.fuse_conv_chains import ANCHOR as CHAIN
from sol.passes.fuse_conv_chains import conv_chain
from sol.passes.fused_types import INTEGERS, computes_types, floats_of, has_few_channels, is_widening, stores_type
from sol.passes.global_pooling import is_pointwise_conv, is_pooled
from sol.passes.regions import fresh, make_body, make_region
from sol.passes.sizes import GraphSizes
from sol.passes.views import is_view, strides_of, value_strides

PRODUCTS = ("conv", "conv_transpose", "linear", "matmul", "grouped_matmul", "weight_only_linear")
TAILED = (*INTEGERS, *PRODUCTS, "max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool", "resample")
SELECTING = ("sort", "topk", "order_statistic", "mode", "running_extremum", "searchsorted", "nonzero", "unique", "nms", "custom")
SAMPLING = ("grid_sample", "roi_align", "deform_columns", "argmax_pool", "max_pool_taps", "det", "solve_triangular", "bags")
SCANS = ("lstm_scan", "gru_scan", "rnn_scan", "lstm_scan_grad", "gru_scan_grad", "rnn_scan_grad", "recurrence")
GRADIENTS = (
    "conv_weight_grad", "grouped_matmul_grad", "max_pool_taps_grad", "max_pool_grad", "avg_pool_grad", "adaptive_avg_pool_grad",
    "sdpa_grad", "sdpa_dropped_grad",
)  # fmt: skip
ANCHORS = (*TAILED, *SELECTING, *SAMPLING, *SCANS, *GRADIENTS, "sdpa", "sdpa_dropped")
ROWWISE = ("sum", "mean", "max", "min", "prod", "any", "all", "var", "argmax", "argmin")
NORMALISING = ("softmax", "log_softmax", "layer_norm", "rms_norm")
LONGEST_EPILOGUE = 32
LARGEST_PROLOGUE_WINDOW = 9  # pixels averaged while a convolution's input is made


def fuse_regions(graph: Graph, sizes: GraphSizes, choose: Choose = first, narrow_products: bool = False) -> Graph:
    """The graph with every computing node inside a region; views, concat, constants and torch calls stay outside.

    sizes: from which on convolutions become a chain. choose: who decides whether they do, and whether a convolution makes its input itself.
    narrow_products: whether the target multiplies bfloat16 faster than float32, if a convolution reads its input as it lies.
    """
    fusion = _Fusion(graph, sizes, choose, narrow_products)
    fusion.grow_epilogues()
    fusion.grow_prologues()
    fusion.grow_rows()
    return fusion.rebuilt()


def fuse_apart(graph: Graph, sizes: GraphSizes) -> Graph:
    """The graph in smaller regions: each heavy node in one of its own, and between them runs of what is computed row by row."""
    fusion = _Fusion(graph, sizes, first, False)
    for node in graph.nodes:
        if node.op in ANCHORS and fusion.computes(node):
            fusion.adopt(_Group(kind_of(node), node.op, [node]))
    fusion.grow_rows()
    return fusion.rebuilt()


def kind_of(anchor: Node) -> str:
    """The kind of an anchor's region."""
    return "dfp" if "pool" in anchor.op or anchor.op in SELECTING else "dnn"


@dataclass
class _Group:
    kind: str
    anchor: str
    nodes: list[Node] = field(default_factory=list)
    shape: tuple = ()
    axes: tuple | None = None
    counted: int = 0
    last: int = -1

    def latest(self, order: Mapping[str, int]) -> int:
        """The place of the last of its nodes, which only become more."""
        if self.counted != len(self.nodes):
            self.counted, self.last = len(self.nodes), max(order[n.name] for n in self.nodes)
        return self.last


class _Fusion:
    def __init__(self, graph: Graph, sizes: GraphSizes, choose: Choose, narrow_products: bool) -> None:
        self.graph, self.sizes, self.choose, self.narrow_products = graph, sizes, choose, narrow_products
        self.constants = graph.constant_values
        self.order = {n.name: i for i, n in enumerate(graph.nodes)}
        self.group_of: dict[str, _Group] = {}
        self.strides = value_strides(graph)
        self.definers = definers(graph.nodes)
        self.groups: list[_Group] = []
        self.beside = Beside(self)

    def computes(self, node: Node) -> bool:
        """Whether a node needs a kernel."""
        if node.op in ("input", "parameter", "constant", "torch_call", "concat", *CONTROL):
            return False
        if node.name in self.constants:
            return node.op == "copy" and self.graph.is_output(node.name)  # what a body gives must be written where its reader looks
        return not is_view(self.graph, node)

    # -- dnn: anchor and epilogue --------------------------------------------------------------------------------------------

    def grow_epilogues(self) -> None:
        for node in reversed(self.graph.nodes):
            if node.op in ANCHORS and self.computes(node) and node.name not in self.group_of:
                group = _Group(kind_of(node), node.op, [node])
                if node.op in TAILED and (node.op in INTEGERS or node.type.dtype in floats_of(node)):
                    group.nodes += self.epilogue_of(node)
                    group.nodes += self.global_pool_after(group, alone=True)
                    group.nodes += self.widening_before(node)
                group.nodes = [*self.pooling_beside(node), *group.nodes]
                self.add_chain(group)
                group.nodes += self.global_pool_after(group, alone=False)
                group.nodes += self.beside.sums_after(group.anchor, group.nodes)
                self.adopt(group)

    def pooling_beside(self, taps: Node) -> list[Node]:
        """The maxima of the windows whose taps a node tells: one kernel finds both, if nothing is computed of the maxima while they are
        stored."""
        if taps.op != "max_pool_taps":
            return []
        alike = [u for u in self.graph.users(taps.inputs[0]) if u.op == "max_pool" and u.attrs == taps.attrs]
        return [u for u in alike[:1] if u.name not in self.group_of and u.type.layout == taps.type.layout and not self.epilogue_of(u)]

    def add_chain(self, group: _Group) -> None:
        """Convolutions before a 1x1 convolution that its kernel computes row by row."""
        last = group.nodes[-1]
        if last.type != group.nodes[0].type:
            return
        chain = conv_chain(self.graph, group.nodes[0], self.constants, self.sizes, self.choose)
        if chain and not any(n.name in self.group_of for n in chain):
            group.anchor, group.nodes = CHAIN, [*chain, *group.nodes]

    def adopt(self, group: _Group) -> None:
        self.groups.append(group)
        for node in group.nodes:
            self.group_of[node.name] = group

    def epilogue_of(self, anchor: Node) -> list[Node]:
        """The longest run of pointwise nodes after the anchor from which one value of the anchor's type leaves, as kernels store it."""
        epilogue, inside, best = list[Node](), {anchor.name}, 0
        while len(epilogue) < LONGEST_EPILOGUE:
            node = self.next_epilogue_node(anchor, inside)
            if node is None:
                break
            added = [*self.sides(node, anchor, inside), node]
            epilogue += added
            inside.update(n.name for n in added)
            if self.leaving(inside) == {node.name} and stores_type(self.graph, node, anchor) and not self.is_better_read_narrow(node):
                best = len(epilogue)
        return epilogue[:best]

    def next_epilogue_node(self, anchor: Node, inside: set[str]) -> Node | None:
        users = {u.name: u for v in inside for u in self.graph.users(v) if u.name not in inside}
        for node in sorted(users.values(), key=lambda n: self.order[n.name]):
            if self.fits_epilogue(node, anchor, inside):
                return node
        return None

    def leaving(self, inside: set[str]) -> set[str]:
        return {v for v in inside if self.graph.is_output(v) or any(u.name not in inside for u in self.graph.users(v))}

    def fits_epilogue(self, node: Node, anchor: Node, inside: set[str]) -> bool:
        if node.op not in POINTWISE or node.name in self.group_of or node.name in self.constants:
            return False
        if node.type.shape != anchor.type.shape or not computes_types(self.graph, node, anchor):
            return False
        outside = [i for i in node.inputs if i not in inside]
        return all(self.is_read(v, anchor, inside) or self.beside.mask(v, node, anchor, inside) for v in outside)

    def is_read(self, value: str, anchor: Node, inside: set[str]) -> bool:
        """Whether an epilogue can read a value that is known before."""
        return self.fits_operand(value, anchor) and not self.depends(value, inside)

    def is_better_read_narrow(self, node: Node) -> bool:
        """Whether a result widens a narrow float for readers that do so in registers when memory holds the narrow one."""
        if not is_widening(self.graph, node) or self.graph.is_output(node.name):
            return False
        return all(u.op in POINTWISE or u.op in NORMALISING for u in self.graph.users(node.name))

    def sides(self, node: Node, anchor: Node, inside: set[str]) -> list[Node]:
        """What only this node of an epilogue reads and what is computed from bytes by steps that dequantise, or widens a narrow float: in
        order, none twice.
        """
        found: list[Node] = []
        for value in node.inputs:
            if value in inside:
                continue
            if anchor.op in INTEGERS:
                found += self.dequantizing(value, anchor, inside) or []
            elif mask := self.beside.mask(value, node, anchor, inside):
                found += [n for n in mask if n not in found]
            elif self.widens_operand(value, anchor, inside) and value not in (n.name for n in found):
                found.append(self.graph.producer(value))
        return found

    def widens_operand(self, value: str, anchor: Node, inside: set[str]) -> bool:
        """Whether a value of one reader is a narrow float that an epilogue can widen itself."""
        node = self.graph.producer(value)
        if not is_widening(self.graph, node) or node.name in self.group_of or node.name in self.constants:
            return False
        if len(self.graph.users(value)) != 1 or self.graph.is_output(value) or node.type.shape != anchor.type.shape:
            return False
        return self.is_read(node.inputs[0], anchor, inside)

    def dequantizing(self, value: str, anchor: Node, inside: set[str]) -> list[Node] | None:
        """The steps from bytes to a value that has one reader; None if it is made in another way."""
        node = self.graph.producer(value)
        if node.op not in ("cast", "sub", "mul") or node.name in self.group_of or node.name in self.constants:
            return None
        if len(self.graph.users(value)) != 1 or self.graph.is_output(value) or node.type.shape != anchor.type.shape:
            return None
        first, *rest = node.inputs
        if not all(self.is_read(v, anchor, inside) for v in rest):
            return None
        if node.op == "cast":
            bytes_ = self.graph.type_of(first).dtype in (DType.U8, DType.I8)
            return [node] if bytes_ and self.is_read(first, anchor, inside) else None
        before = self.dequantizing(first, anchor, inside)
        return None if before is None else [*before, node]

    def widening_before(self, conv: Node) -> list[Node]:
        """What widens the input of a convolution of few channels per group, whose kernel does it itself, if it alone reads the wide one."""
        cast = self.graph.producer(conv.inputs[0])
        alone = [u.name for u in self.graph.users(cast.name)] == [conv.name] and not self.graph.is_output(cast.name)
        if not alone or not is_widening(self.graph, cast) or cast.name in self.constants or not has_few_channels(self.graph, conv):
            return []
        return [cast] if self.graph.type_of(cast.inputs[0]).layout == cast.type.layout else []

    def fits_operand(self, value: str, anchor: Node) -> bool:
        """Whether an epilogue can read a value: floats, broadcast or as large as the result, stride 0 or 1 along the lanes."""
        type = self.graph.type_of(value)
        if type.rank == 0 and self.graph.producer(value).op == "constant":
            return True
        if type.dtype not in ((DType.F32, DType.I32, DType.I8, DType.U8) if anchor.op in INTEGERS else floats_of(anchor)):
            return False
        if type.rank > anchor.type.rank:
            return False
        logical = (1,) * (anchor.type.rank - type.rank) + type.shape
        if anchor.type.layout.block:
            if type.layout == anchor.type.layout:
                return True
            per_channel = all(s == 1 for i, s in enumerate(logical) if i != 1)
            return (value in self.constants and per_channel) or logical[1] == 1
        if type.layout.block:
            return False
        strides = self.strides.get(value)
        return not strides or logical[-1] == 1 or strides[-1] in (0, 1)

    def depends(self, value: str, inside: set[str]) -> bool:
        """Whether a value is computed from a value inside (through nodes or whole groups)."""
        lowest = min(self.order[v] for v in inside)
        stack, seen = [self.graph.producer(value)], set()
        while stack:
            node = stack.pop()
            if node.name in inside:
                return True
            if node.name in seen:
                continue
            seen.add(node.name)
            group = self.group_of.get(node.name)
            if (group.latest(self.order) if group else self.order[node.name]) < lowest:
                continue
            members = group.nodes if group else [node]
            seen.update(m.name for m in members)
            stack.extend(self.graph.producer(i) for m in members for i in (*m.inputs, *self.definers.get(m.name, ())))
        return False

    def global_pool_after(self, group: _Group, alone: bool) -> list[Node]:
        """The reduction over the whole map of a blocked dense convolution. alone: nothing else reads the
        map; else its kernel stores it, too.
        """
        last, anchor = group.nodes[-1], group.nodes[0]
        block = last.type.layout.block
        if group.anchor != "conv" or not block or not has_whole_groups(self.graph, anchor, block):
            return []
        pools = [u for u in self.graph.users(last.name) if u.name not in self.group_of and is_pooled(u, last.type, block)]
        if len(pools) != 1 or alone != (self.leaving({last.name, pools[0].name}) == {pools[0].name}):
            return []
        pool = pools[0]
        if not (self.graph.type_of(anchor.inputs[0]).layout.block or self.is_read_pixelwise(anchor)):
            return []
        return [pool] if self.choose_pooling([*group.nodes, pool]) == "fused" else []

    def choose_pooling(self, nodes: list[Node]) -> str:
        return self.choose(f"pool {nodes_text(self.graph, nodes)}", ("fused", "apart"), [n.name for n in nodes])

    def is_read_pixelwise(self, conv: Node) -> bool:
        """Whether a convolution can read its row-major input without a copy."""
        strides = strides_of(self.graph, self.strides, conv.inputs[0])
        return is_pointwise_conv(conv, self.graph.type_of(conv.inputs[1])) and strides[3] == 1

    # -- dnn: what makes the anchor's input ------------------------------------------------------------------------------

    def grow_prologues(self) -> None:
        """After the epilogues, so that a chain between two anchors goes to the first, which has it in registers."""
        for group in self.groups:
            if group.anchor == "conv" and self.takes_prologue(group):
                self.add_prologue(group)

    def takes_prologue(self, group: _Group) -> bool:
        """Whether the kernel makes its input itself: 1x1 without padding, so that every pixel is made once, blocked to blocked."""
        conv = group.nodes[0]
        last = next(n for n in reversed(group.nodes) if n.type.shape == conv.type.shape)
        data, weight = (self.graph.type_of(v) for v in conv.inputs[:2])
        pointwise = conv.attrs["groups"] == 1 and all(s == 1 for s in weight.shape[2:]) and all(p == (0, 0) for p in conv.attrs["padding"])
        blocked = data.layout.block and last.type.layout == data.layout and last.type.dtype in FLOAT_LANES and data.rank == 4
        return bool(pointwise and blocked and self.constants.issuperset(conv.inputs[1:]))

    def add_prologue(self, group: _Group) -> None:
        conv, pool = group.nodes[0], self.graph.producer(group.nodes[0].inputs[0])
        pools = self.fits_prologue_pool(pool, conv)
        prologue = self.selection_before(conv)
        if not prologue and not (self.narrow_products and pool.type.dtype is DType.BF16):
            prologue = [pool, *self.prologue_of(pool)] if pools else self.prologue_of(conv)
        if not prologue:
            return
        if self.choose is not first:
            nodes = [*reversed(prologue), conv]
            if self.choose(f"prologue {nodes_text(self.graph, nodes)}", ("fused", "apart"), [n.name for n in nodes]) == "apart":
                return
        if pools:
            self.groups = [g for g in self.groups if g is not self.group_of[pool.name]]
        group.nodes += prologue
        for node in prologue:
            self.group_of[node.name] = group

    def selection_before(self, conv: Node) -> list[Node]:
        """The selection of channels that makes the input of a convolution with stride 1, if nothing else reads it."""
        select = self.graph.producer(conv.inputs[0])
        if select.op != "channel_select" or conv.attrs["stride"] != (1, 1) or self.graph.is_output(select.name):
            return []
        alone = [u.name for u in self.graph.users(select.name)] == [conv.name]
        blocked = all(self.graph.type_of(v).layout == select.type.layout for v in select.inputs)
        return [select] if alone and blocked and self.constants.isdisjoint(select.inputs) else []

    def fits_prologue_pool(self, pool: Node, conv: Node) -> bool:
        """Whether the input is a mean over small windows inside the map that only this convolution reads."""
        if pool.op != "avg_pool" or pool.attrs["ceil_mode"] or any(p != (0, 0) for p in pool.attrs["padding"]):
            return False
        users = [u.name for u in self.graph.users(pool.name)]
        alone = self.group_of[pool.name].nodes == [pool] and not self.graph.is_output(pool.name) and users == [conv.name]
        blocked = self.graph.type_of(pool.inputs[0]).layout == pool.type.layout
        return alone and blocked and product(pool.attrs["kernel"]) <= LARGEST_PROLOGUE_WINDOW

    def prologue_of(self, user: Node) -> list[Node]:
        """The longest pointwise DAG that only ``user`` reads and that is computed from one value of its size."""
        data = self.graph.type_of(user.inputs[0])
        inside: dict[str, Node] = {}
        best = 0
        while len(inside) < LONGEST_EPILOGUE:
            wanted = {i for n in inside.values() for i in n.inputs if i not in inside} if inside else {user.inputs[0]}
            large = [v for v in wanted if self.graph.type_of(v) == data and v not in self.constants]
            if len(large) == 1:
                best = len(inside)
            nodes = sorted((self.graph.producer(v) for v in large), key=lambda n: -self.order[n.name])
            node = next((n for n in nodes if self.fits_prologue(n, user, inside)), None)
            if node is None:
                break
            inside[node.name] = node
        return list(inside.values())[:best]

    def fits_prologue(self, node: Node, user: Node, inside: dict[str, Node]) -> bool:
        if node.op not in POINTWISE or node.name in self.group_of or self.graph.is_output(node.name):
            return False
        if not fits_lanes(node.op, node.type.dtype, [self.graph.type_of(v).dtype for v in node.inputs]):
            return False
        if any(u.name not in inside and u.name != user.name for u in self.graph.users(node.name)):
            return False
        return all(self.graph.type_of(v) == node.type or self.fits_prologue_operand(v, node) for v in node.inputs)

    def fits_prologue_operand(self, value: str, node: Node) -> bool:
        """Whether a value is the same for all pixels of a map."""
        per_channel = all(s == 1 for s in self.graph.type_of(value).shape[-2:])
        return per_channel and self.fits_operand(value, node)

    # -- dfp: pointwise and rows -----------------------------------------------------------------------------------------

    def grow_rows(self) -> None:
        for node in self.graph.nodes:
            if node.name in self.group_of or not self.computes(node):
                continue
            near = self.neighbours(node)
            joined = next((g for g in near if self.joins(node, g)), None)
            if joined is None:
                self.adopt(self.fresh_group(node))
                continue
            joined.nodes.append(node)
            joined.axes = joined.axes or self.axes_of(node)
            self.group_of[node.name] = joined
            for group in near:
                if group is not joined and self.meet(joined, group):
                    self.merge(joined, group)

    def meet(self, one: _Group, other: _Group) -> bool:
        """Whether two groups that make operands of one node are one loop over the same elements: what both read is read once."""
        nodes = [*one.nodes, *other.nodes]
        axes = {one.axes, other.axes} - {None}
        alike = one.shape == other.shape and len(axes) <= 1 and len(nodes) <= LONGEST_EPILOGUE
        if not alike or {n.type.layout for n in one.nodes} != {n.type.layout for n in other.nodes}:
            return False
        inside = {n.name for n in nodes}
        return not any(self.depends(v, inside) for n in nodes for v in n.inputs if self.graph.producer(v).name not in inside)

    def merge(self, into: _Group, group: _Group) -> None:
        into.axes = into.axes or group.axes
        into.nodes = sorted([*into.nodes, *group.nodes], key=lambda n: self.order[n.name])
        self.groups = [g for g in self.groups if g is not group]
        for node in group.nodes:
            self.group_of[node.name] = into

    def neighbours(self, node: Node) -> list[_Group]:
        """Open groups that produce an operand, the latest first."""
        found: dict[int, _Group] = {}
        for value in node.inputs:
            group = self.group_of.get(self.graph.producer(value).name)
            if group is not None and not group.anchor and group.shape:
                found[id(group)] = group
        return sorted(found.values(), key=lambda g: -self.order[g.nodes[-1].name])

    def fresh_group(self, node: Node) -> _Group:
        group = _Group("dfp", "", [node])
        if node.op in POINTWISE:
            group.shape = node.type.shape
        elif self.axes_of(node) is not None:
            group.shape, group.axes = self.graph.type_of(node.inputs[0]).shape, self.axes_of(node)
        return group

    def axes_of(self, node: Node) -> tuple | None:
        """The axes over which a node reduces or normalises its rows."""
        rank = self.graph.type_of(node.inputs[0]).rank if node.inputs else 0
        if node.op in ("layer_norm", "rms_norm"):
            return tuple(range(rank - node.attrs["dims"], rank))
        if node.op in ROWWISE or node.op in NORMALISING:
            return tuple(node.attrs["dims"]) if "dims" in node.attrs else (node.attrs["dim"],)
        return None

    def joins(self, node: Node, group: _Group) -> bool:
        axes = self.axes_of(node)
        inside = {n.name for n in group.nodes}
        if node.type.layout not in {v.type.layout for v in group.nodes} and not self.reduces_blocks(node, group):
            return False
        fits = node.op in POINTWISE and self.pointwise_joins(node, group, inside)
        if axes is not None:
            fits = self.graph.type_of(node.inputs[0]).shape == group.shape and group.axes in (None, axes) and node.inputs[0] in inside
        return fits and not any(self.depends(v, inside) for v in node.inputs if v not in inside)

    def reduces_blocks(self, node: Node, group: _Group) -> bool:
        """Whether a node and a group compute with blocked maps and with what a reduction over their channels leaves, which is row-major."""
        if CHANNELS not in (group.axes, self.axes_of(node)):
            return False
        types = (self.graph.type_of(v) for n in group.nodes for v in (*n.inputs, n.name))
        block = next((t.layout for t in types if t.shape == group.shape and t.layout.block), PLAIN)
        return block != PLAIN and node.type.layout == (block if node.type.shape == group.shape else PLAIN)

    def pointwise_joins(self, node: Node, group: _Group, inside: set[str]) -> bool:
        reduced = None
        if group.axes is not None:
            reduced = tuple(1 if i in group.axes else s for i, s in enumerate(group.shape))
        if node.type.shape not in (group.shape, reduced):
            return False
        own = [self.graph.type_of(v).shape for v in node.inputs if v in inside]
        return all(shape == group.shape or shape == reduced for shape in own)

    # -- result ----------------------------------------------------------------------------------------------------------

    def rebuilt(self) -> Graph:
        taken = {n.name for n in self.graph.nodes}
        placed = {self.order[n.name]: n for n in self.graph.nodes if n.name not in self.group_of}
        renamed: dict[str, str] = {}
        for group in sorted(self.groups, key=lambda g: min(self.order[n.name] for n in g.nodes)):
            region = self.region_of(group, taken)
            taken.add(region.name)
            placed[max(self.order[n.name] for n in group.nodes)] = region  # where all that it reads is there
            renamed.update(zip(self.outputs_of(group), region.outputs))
        nodes = [replace(n, inputs=tuple(renamed.get(i, i) for i in n.inputs)) for _, n in sorted(placed.items())]
        return in_order(nodes, self.graph.inputs, [renamed.get(o, o) for o in self.graph.outputs])

    def outputs_of(self, group: _Group) -> list[str]:
        inside = {n.name for n in group.nodes}
        return [
            v for n in group.nodes for v in n.outputs
            if self.graph.is_output(v) or any(u.name not in inside for u in self.graph.users(v)) or n.op in BOUNDS and v == n.outputs[-1]
        ]  # fmt: skip

    def region_of(self, group: _Group, taken: set[str]) -> Node:
        nodes = sorted(group.nodes, key=lambda n: self.order[n.name])
        anchor = next((n for n in nodes if n.op == group.anchor), nodes[0])
        body, operands = make_body(self.graph, nodes, self.outputs_of(group))
        return make_region(fresh("_".join(n.op for n in nodes[:4]), taken), group.kind, group.anchor, body, operands, anchor)
