"""Operators of the domain ai.onnx.ml on numbers: feature selection and scaling, label tables, tree ensembles."""

from __future__ import annotations

from typing import Any

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.ramp import ramp
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.types import DType

DOMAIN = "ai.onnx.ml"
SMALLEST = 1e-30
"""What Normalizer divides by at least."""


@converter("ArrayFeatureExtractor", domain=DOMAIN)
def array_feature_extractor(ctx: Context, node: OnnxNode) -> str:
    """Chosen elements of the last dimension; a vector gives one row."""
    x, index = node.inputs
    y = ctx.add("take", x, ctx.reshape(index, (ctx.type(index).size,)), dim=ctx.rank(x) - 1)
    return ctx.reshape(y, (1, ctx.type(index).size)) if ctx.rank(x) == 1 else y


@converter("Binarizer", domain=DOMAIN)
def binarizer(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    dtype = ctx.type(x).dtype
    return ctx.cast(ctx.add("gt", x, ctx.operand(float(node.attr("threshold", 0.0)), dtype)), dtype)


@converter("Scaler", domain=DOMAIN)
def scaler(ctx: Context, node: OnnxNode) -> str:
    """``(x - offset) * scale`` in float32."""
    x = ctx.cast(node.inputs[0], DType.F32)
    offset, scale = (ctx.constant(node.attr(n, (d,)), DType.F32) for n, d in (("offset", 0.0), ("scale", 1.0)))
    return ctx.add("mul", ctx.add("sub", x, offset), scale)


@converter("Normalizer", domain=DOMAIN)
def normalizer(ctx: Context, node: OnnxNode) -> str:
    """Rows divided by their largest element, sum or length."""
    x, norm = ctx.cast(node.inputs[0], DType.F32), node.attr("norm", "MAX")
    op = {"MAX": "max", "L1": "sum", "L2": "sum"}[norm]
    size = ctx.add(op, ctx.add("square" if norm == "L2" else "abs", x), dims=(ctx.rank(x) - 1,), keepdims=True)
    size = ctx.add("sqrt", size) if norm == "L2" else size
    return ctx.add("div", x, ctx.add("maximum", size, ctx.operand(SMALLEST, DType.F32)))


# labels


def _listed(node: OnnxNode, what: str) -> np.ndarray | None:
    """The keys or values of a LabelEncoder, whichever attribute holds them."""
    for kind, dtype in (("tensor", None), ("floats", np.float32), ("int64s", np.int64), ("strings", object)):
        if f"{what}_{kind}" in node.attrs:
            return np.asarray(node.attrs[f"{what}_{kind}"], dtype).reshape(-1)
    return None


def _default(node: OnnxNode, values: np.ndarray) -> Any:
    if "default_tensor" in node.attrs:
        return np.asarray(node.attrs["default_tensor"]).reshape(-1)[0]
    if values.dtype.kind in "OUS":
        return node.attr("default_string", "_Unused")
    return node.attr("default_float", -0.0) if values.dtype.kind == "f" else node.attr("default_int64", -1)


@converter("LabelEncoder", domain=DOMAIN, since=2)
def label_encoder(ctx: Context, node: OnnxNode) -> Any:
    """A table look-up; strings are looked up at import."""
    x, keys, values = node.inputs[0], _listed(node, "keys"), _listed(node, "values")
    if keys is None or values is None:
        ctx.fail("no keys or values")
    default = np.asarray(_default(node, values)).item()
    if isinstance(x, np.ndarray):
        table = dict(zip(keys.tolist(), values.tolist()))
        found = np.array([table.get(v, default) for v in x.ravel().tolist()], values.dtype).reshape(x.shape)
        return found if found.dtype.kind in "OUS" else ctx.literal(found)
    if keys.dtype.kind in "OUS" or values.dtype.kind in "OUS":
        ctx.fail("numbers to strings", "map them outside of the model")
    rank = ctx.rank(x)
    wide = ctx.reshape(x, (*ctx.size(x), 1))
    entries = ctx.constant(keys, ctx.type(x).dtype)
    hit = ctx.add("eq", wide, entries)
    if keys.dtype.kind == "f" and np.isnan(keys).any():
        hit = ctx.add("logical_or", hit, ctx.add("logical_and", ctx.add("isnan", wide), ctx.constant(np.isnan(keys), DType.BOOL)))
    first = ctx.add("argmax", ctx.cast(hit, DType.I32), dim=rank, keepdims=False)
    looked = ctx.add("take", ctx.literal(values), first, dim=0)
    some = ctx.add("any", hit, dims=(rank,), keepdims=False)
    return ctx.add("where", some, looked, ctx.operand(default, ctx.type(looked).dtype))


# trees

COMPARISONS = {0: "le", 1: "lt", 2: "ge", 3: "gt", 4: "eq", 5: "ne"}
MEMBER = 6
AGGREGATES = {0: "sum", 1: "sum", 2: "min", 3: "max"}


class _Trees:
    """The nodes of an ensemble as tables: inner nodes first, then leaves, which lead to themselves."""

    def __init__(self, ctx: Context, node: OnnxNode, dtype: DType) -> None:
        self.ctx, self.dtype, a = ctx, dtype, node.attrs
        self.modes = np.asarray(a["nodes_modes"]).reshape(-1)
        count = len(self.modes)
        self.weights = np.asarray(a["leaf_weights"]).reshape(-1).astype(dtype.numpy)
        leaves = len(self.weights)
        own = np.arange(count, count + leaves)
        self.next = [
            np.concatenate([np.asarray(a[f"nodes_{side}nodeids"]) + count * (np.asarray(a[f"nodes_{side}leafs"]) != 0), own])
            for side in ("true", "false")
        ]
        self.features = np.concatenate([a["nodes_featureids"], np.zeros(leaves)]).astype(np.int64)
        self.splits = np.concatenate([np.asarray(a["nodes_splits"]).reshape(-1), np.zeros(leaves)]).astype(dtype.numpy)
        self.modes = np.concatenate([self.modes, np.full(leaves, self.modes[0] if count else 0)]).astype(np.int64)
        self.missing = np.concatenate([a.get("nodes_missing_value_tracks_true") or np.zeros(count), np.zeros(leaves)]) != 0
        self.targets = np.concatenate([np.zeros(count), a["leaf_targetids"]]).astype(np.int64)
        self.weights = np.concatenate([np.zeros(count, self.weights.dtype), self.weights])
        self.roots, self.count = np.asarray(a["tree_roots"], np.int64), count
        self.members = _member_table(self.modes, count, np.asarray(a.get("membership_values", ())).reshape(-1), dtype)

    def depth(self) -> int:
        """Steps until every tree has come to a leaf."""
        steps, reached = 0, set(self.roots.tolist())
        while reached := {i for i in reached if i < self.count}:
            reached = {int(n[i]) for n in self.next for i in reached}
            steps += 1
            if steps > self.count:
                self.ctx.fail("its nodes form a cycle", "export the model again")
        return steps

    def look_up(self, table: np.ndarray, at: str) -> str:
        return self.ctx.add("take", self.ctx.literal(table), at, dim=0)

    def leaves_of(self, x: str) -> str:
        """The leaf that each row of ``x[N, F]`` reaches in each tree: i64[N, T]."""
        shape = (self.ctx.size(x)[0], len(self.roots))
        at = self.ctx.expand(self.ctx.constant(self.roots[None], DType.I64), shape)
        for _ in range(self.depth()):
            value = self.ctx.add("gather", x, self.look_up(self.features, at), dim=1)
            at = self.ctx.add("where", self.holds(value, at), self.look_up(self.next[0], at), self.look_up(self.next[1], at))
        return at

    def holds(self, value: str, at: str) -> str:
        """Whether the comparison of each row's node holds."""
        ctx, split = self.ctx, self.look_up(self.splits, at)
        result = ""
        for mode in np.unique(self.modes).tolist():
            here = self._is_member(value, at) if mode == MEMBER else ctx.add(COMPARISONS[mode], value, split)
            chosen = ctx.add("eq", self.look_up(self.modes, at), ctx.operand(mode, DType.I64)) if result else ""
            result = ctx.add("where", chosen, here, result) if result else here
        if self.missing.any():
            result = ctx.add("logical_or", result, ctx.add("logical_and", ctx.add("isnan", value), self.look_up(self.missing, at)))
        return result

    def _is_member(self, value: str, at: str) -> str:
        ctx = self.ctx
        same = ctx.add("eq", ctx.reshape(value, (*ctx.size(value), 1)), self.look_up(self.members, at))
        return ctx.add("any", same, dims=(2,), keepdims=False)


def _member_table(modes: np.ndarray, count: int, values: np.ndarray, dtype: DType) -> np.ndarray:
    """For every node the members of its set, filled up with NaN. values: the sets in the order of their nodes, each ended by a NaN."""
    sets = np.split(values, np.flatnonzero(np.isnan(values)) + 1)
    owners = np.flatnonzero(modes[:count] == MEMBER)
    table = np.full((len(modes), max((len(s) for s in sets), default=1) or 1), np.nan, dtype.numpy)
    for owner, members in zip(owners, sets):
        table[owner, : len(members)] = members
    return table


@converter("TreeEnsemble", domain=DOMAIN)
def tree_ensemble(ctx: Context, node: OnnxNode) -> str:
    """All trees step by step from the roots down; then the leaves' weights combined per target."""
    x = node.inputs[0]
    dtype = ctx.type(x).dtype
    trees = _Trees(ctx, node, dtype)
    targets, aggregate = int(node.attr("n_targets", 1)), int(node.attr("aggregate_function", 1))
    leaves = trees.leaves_of(x)
    shape = (*ctx.size(leaves), 1)
    mine = ctx.add("eq", ctx.reshape(trees.look_up(trees.targets, leaves), shape), ramp(ctx, targets, 3, 2))
    neutral = {2: float("inf"), 3: float("-inf")}.get(aggregate, 0.0)
    weights = ctx.add("where", mine, ctx.reshape(trees.look_up(trees.weights, leaves), shape), ctx.operand(neutral, dtype))
    y = ctx.add(AGGREGATES[aggregate], weights, dims=(1,), keepdims=False)
    if neutral:
        y = ctx.add("where", ctx.add("any", mine, dims=(1,), keepdims=False), y, ctx.operand(0.0, dtype))
    if aggregate == 0:
        y = ctx.add("mul", y, ctx.operand(1.0 / len(trees.roots), dtype))
    return _transformed(ctx, y, int(node.attr("post_transform", 0)))


def _transformed(ctx: Context, y: str, transform: int) -> str:
    """Scores as they are, as probabilities (softmax; also with zeros left alone), or through the logistic function."""
    if transform == 0:
        return y
    if transform == 1:
        return ctx.add("softmax", y, dim=1)
    if transform == 2:
        return ctx.add("sigmoid", y)
    if transform != 3:
        ctx.fail("the probit transform", "use the logistic one")
    dtype = ctx.type(y).dtype
    zero = ctx.add("eq", y, ctx.operand(0.0, dtype))
    shifted = ctx.add("softmax", ctx.add("where", zero, ctx.operand(float("-inf"), dtype), y), dim=1)
    return ctx.add("where", zero, ctx.operand(0.0, dtype), shifted)
