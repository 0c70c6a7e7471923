"""Products with weights become linear layers, whose kernels pack the weight and add the bias; single rows and columns get other forms."""

from __future__ import annotations

from sol.ir.dim import DimLike, product
from sol.ir.graph import Graph, Node
from sol.ir.ops import spec_of
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.canonicalize_ops import is_constant
from sol.passes.remove_identities import identity_to_operand, permute_of_permute, reshape_of_reshape

MOST_MIXED = 15
"""Channels of maps that are mixed as rows of a product: with more, rows of a linear layer fill vectors."""


@rule("matmul")
def constant_operand_to_linear(g: Editor, node: Node) -> str | None:
    """matmul(x, w) -> linear(x, transpose(w)) for a matrix w that is known when weights are packed"""
    x, w = node.inputs
    if g.type_of(w).rank != 2 or not node.type.dtype.is_float or not is_constant(g, w) or is_constant(g, x):
        return None
    turned = g.producer(w, op="permute")
    weight = turned.inputs[0] if turned is not None else g.add("permute", [w], order=(1, 0), origin=node.origin)
    return g.add("linear", [x, weight], origin=node.origin)


@rule("matmul")
def outer_product_to_mul(g: Editor, node: Node) -> str | None:
    """matmul(a, b) -> mul(a, b) for one column and one row"""
    a, b = node.inputs
    if min(g.type_of(a).rank, g.type_of(b).rank) < 2 or g.type_of(a).shape[-1] != 1 or node.type.dtype is DType.BOOL:
        return None
    return g.add("mul", [a, b], origin=node.origin)


@rule("matmul")
def column_by_transposed_to_row(g: Editor, node: Node) -> str | None:
    """matmul(transpose(x), c) -> transpose(matmul(transpose(c), x)) for a column c: x is then read along its rows"""
    a, column = node.inputs
    rank, turn = g.type_of(a).rank, g.producer(a, op="permute")
    if turn is None or rank < 2 or g.type_of(column).rank != rank or g.type_of(column).shape[-1] != 1 or g.type_of(a).shape[-2] == 1:
        return None
    order = (*range(rank - 2), rank - 1, rank - 2)
    if tuple(turn.attrs["order"]) != order:
        return None
    row = g.add("permute", [column], order=order, origin=node.origin)
    return g.add("permute", [g.add("matmul", [row, turn.inputs[0]], origin=node.origin)], order=order, origin=node.origin)


@rule("add")
def sum_to_bias(g: Editor, node: Node) -> str | None:
    """linear(x, w) + b -> linear(x, w, b) for a vector b that is known when weights are packed"""
    for left, bias in (node.inputs, node.inputs[::-1]):
        linear = g.producer(left, op="linear")
        if linear is None or len(linear.inputs) > 2 or g.sole_user(left) is not node or not is_constant(g, bias):
            continue
        type_, features = g.type_of(bias), linear.type.shape[-1]
        if g.type_of(left) != node.type or not type_.rank or type_.shape[-1] != features or type_.size != features:
            continue
        if type_.rank > 1:
            bias = g.add("reshape", [bias], shape=(features,), origin=node.origin)
        return g.add("linear", [*linear.inputs, bias], origin=linear.origin)
    return None


@rule("reshape")
def product_of_merged_rows(g: Editor, node: Node) -> str | None:
    """reshape(linear(reshape(x, [N T, K]), w), [N, T, F]) -> linear(x, w) for x of [N, T, K]: what follows then joins the linear layer

    A product with a matrix that changes from call to call likewise, but not of a view x: a reshape copies its rows one behind the other.
    """
    product = g.producer(node.inputs[0])
    merge = g.producer(product.inputs[0], op="reshape") if product.op in ("linear", "matmul") else None
    if merge is None or g.sole_user(product.name) is not node:
        return None
    x = g.type_of(merge.inputs[0])
    if not x.rank or x.shape[-1] != merge.type.shape[-1] or node.type.shape != (*x.shape[:-1], product.type.shape[-1]):
        return None
    if product.op == "matmul":
        merges = x.rank > product.type.rank == g.type_of(product.inputs[1]).rank == 2
        if not merges or spec_of(g.producer(merge.inputs[0]).op).kind == "view":
            return None
    return g.add(product.op, [merge.inputs[0], *product.inputs[1:]], origin=product.origin)


@rule("matmul")
def merged_batch_to_dims(g: Editor, node: Node) -> str | None:
    """matmul(reshape(a, [N H, …]), reshape(b, [N H, …])) -> reshape(matmul(a, b)) for views a or b that the reshape would copy

    torch multiplies matrices of more than three dimensions so. Operands and result are then read and stored in any order of dimensions.
    """
    a, b = (g.type_of(value) for value in node.inputs)
    lead = _merged_dims(g, node.inputs[0]) or _merged_dims(g, node.inputs[1])
    if lead is None or (a.rank, b.rank) != (3, 3) or a.shape[0] != b.shape[0]:
        return None
    product = g.add("matmul", [_with_dims(g, value, lead, node) for value in node.inputs], origin=node.origin)
    return g.add("reshape", [product], shape=node.type.shape, origin=node.origin)


def _merged_dims(g: Editor, value: str) -> tuple[DimLike, ...] | None:
    """The dimensions that a reshape of a view merges into the first one, without those of one element."""
    source = _before_merging(g, value)
    if source is None or (g.producer(source, op="permute") or g.producer(source, op="slice") or g.producer(source, op="expand")) is None:
        return None
    lead = tuple(n for n in g.type_of(source).shape[:-2] if n != 1)
    return lead if len(lead) > 1 else None


def _before_merging(g: Editor, value: str) -> str | None:
    """What a reshape, turned or not, has merged dimensions of, if it leaves the last two as they are."""
    turn = g.producer(value, op="permute")
    if turn is not None:
        value = turn.inputs[0] if tuple(turn.attrs["order"]) == (0, 2, 1) else value
    merge = g.producer(value, op="reshape")
    source = None if merge is None else merge.inputs[0]
    if source is None or g.type_of(source).rank < 4 or g.type_of(source).shape[-2:] != g.type_of(value).shape[-2:]:
        return None
    return source


def _with_dims(g: Editor, value: str, lead: tuple[DimLike, ...], node: Node) -> str:
    """A batch of matrices with several dimensions instead of the first."""
    turn = g.producer(value, op="permute")
    if turn is not None and tuple(turn.attrs["order"]) == (0, 2, 1):
        straight, n = _with_dims(g, turn.inputs[0], lead, node), len(lead)
        return g.add("permute", [straight], order=(*range(n), n + 1, n), origin=turn.origin)
    source = _before_merging(g, value)
    shape = (*lead, *g.type_of(value).shape[-2:])
    if source is not None and tuple(n for n in g.type_of(source).shape[:-2] if n != 1) == lead:
        value = source
    return value if g.type_of(value).shape == shape else g.add("reshape", [value], shape=shape, origin=node.origin)


@rule("weight_only_linear")
def computed_codes_to_linear(g: Editor, node: Node) -> str | None:
    """weight_only_linear(x, codes, scales, zeros) -> linear(x, (numbers - zeros) * scales) for codes that change from call to call"""
    x, codes, scales, *zeros = node.inputs
    if all(is_constant(g, v) for v in node.inputs[1:]):
        return None
    dtype, features, depth, at = node.type.dtype, node.type.shape[-1], g.type_of(x).shape[-1], node.origin
    group, groups = node.attrs["group"], g.type_of(scales).shape[1]

    def by_channel(value: str) -> str:
        value = g.add("cast", [value], dtype=dtype, origin=at)
        value = g.add("reshape", [value], shape=(features, groups, 1), origin=at)
        value = g.add("expand", [value], shape=(features, groups, group), origin=at)
        value = g.add("reshape", [value], shape=(features, groups * group), origin=at)
        return g.add("slice", [value], dim=1, start=0, stop=depth, step=1, origin=at)

    w = g.add("cast", [codes if g.type_of(codes).dtype is DType.I8 else _halves(g, codes, depth, node)], dtype=dtype, origin=at)
    if g.type_of(codes).dtype is DType.U8:
        w = g.add("sub", [w, g.constant(8.0, dtype)], origin=at)
    if zeros:
        w = g.add("sub", [w, by_channel(zeros[0])], origin=at)
    return g.add("linear", [x, g.add("mul", [w, by_channel(scales)], origin=at)], origin=at)


def _halves(g: Editor, codes: str, depth: DimLike, node: Node) -> str:
    """Bytes [out, in / 2] as the numbers [out, in] from 0 to 15 in their halves, the low one first."""
    features, count = g.type_of(codes).shape
    low = g.add("bitwise_and", [codes, g.constant(15, DType.U8)], origin=node.origin)
    high = g.add("floor_divide", [codes, g.constant(16, DType.U8)], origin=node.origin)
    parts = [g.add("reshape", [v], shape=(features, count, 1), origin=node.origin) for v in (low, high)]
    both = g.add("reshape", [g.add("concat", parts, dim=2, origin=node.origin)], shape=(features, 2 * count), origin=node.origin)
    return g.add("slice", [both], dim=1, start=0, stop=depth, step=1, origin=node.origin)


@rule("permute")
def maps_to_product(g: Editor, node: Node) -> str | None:
    """channels to the front(linear(channels to the end(x), w, b)) -> w matmul x + b for a few channels, which are rows of w's product then

    Attention whose heads are mixed has such layers. Rows of a linear layer would be a few numbers long.
    """
    linear = g.producer(node.inputs[0], op="linear")
    turn = g.producer(linear.inputs[0], op="permute") if linear is not None else None
    if linear is None or turn is None or g.sole_user(node.inputs[0]) is not node or not all(is_constant(g, i) for i in linear.inputs[1:]):
        return None
    x, (channels, inner) = turn.inputs[0], g.type_of(linear.inputs[1]).shape
    rank, place = node.type.rank, tuple(turn.attrs["order"])[-1]
    order = (*(d for d in range(rank) if d != place), place)
    back = tuple(order.index(d) for d in range(rank))
    if place == rank - 1 or tuple(turn.attrs["order"]) != order or tuple(node.attrs["order"]) != back:
        return None
    if not (isinstance(channels, int) and isinstance(inner, int)) or max(channels, inner) > MOST_MIXED:
        return None
    at, shape = linear.origin, g.type_of(x).shape
    lead, pixels = shape[:place], product(shape[place + 1 :])
    maps = g.add("reshape", [x], shape=(*lead, inner, pixels), origin=at)
    mixed = g.add("matmul", [linear.inputs[1], maps], origin=at)
    if len(linear.inputs) > 2:
        mixed = g.add("add", [mixed, g.add("reshape", [linear.inputs[2]], shape=(channels, 1), origin=at)], origin=at)
    return g.add("reshape", [mixed], shape=node.type.shape, origin=at)


@rule("matmul")
def quotient_behind_product(g: Editor, node: Node) -> str | None:
    """matmul(a / n, b) -> matmul(a, b) / n for one n for each row of a, or column of b, where the product is smaller than what is divided

    Attention across channels divides queries and keys by their lengths so. Numbers of 16 bits could leave their range before the division.
    """
    if node.type.dtype not in (DType.F32, DType.F64):
        return None
    for place, value in enumerate(node.inputs):
        turn = g.producer(value, op="permute") if place else None
        divided = g.producer(turn.inputs[0] if turn is not None else value, op="div")
        if divided is None or g.sole_user(value) is not node or g.sole_user(divided.name) is None:
            continue
        x, n = (g.type_of(i) for i in divided.inputs)
        rank, sizes = node.type.rank, (node.type.size, x.size)
        swapped = (*range(rank - 2), rank - 1, rank - 2)
        if x.rank != rank or x.shape != divided.type.shape or n.rank != rank or n.shape[:-1] != x.shape[:-1] or n.shape[-1] != 1:
            continue
        if not all(isinstance(s, int) for s in sizes) or sizes[0] >= sizes[1]:
            continue
        if place and (turn is None or tuple(turn.attrs["order"]) != swapped):
            continue
        source, count = divided.inputs
        if turn is not None:
            source, count = (g.add("permute", [v], order=swapped, origin=turn.origin) for v in (source, count))
        operands = (source, node.inputs[1]) if place == 0 else (node.inputs[0], source)
        return g.add("div", [g.add("matmul", operands, origin=node.origin), count], origin=divided.origin)
    return None


RULES = (
    maps_to_product, quotient_behind_product, computed_codes_to_linear, constant_operand_to_linear, outer_product_to_mul,
    column_by_transposed_to_row, sum_to_bias, product_of_merged_rows, merged_batch_to_dims, reshape_of_reshape, permute_of_permute,
    identity_to_operand,
)  # fmt: skip


def canonicalize_products(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, RULES)
