"""ATen matrix products: linear, matmul and its relatives, einsum of two operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.dim import DimLike, product
from sol.ir.types import DType


@converter("linear.default")
def linear(ctx: Context, x: str, w: str, b: str | None = None) -> str:
    if ctx.rank(w) == 1:
        y = matmul(ctx, x, w)
        return y if b is None else ctx.add("add", y, b)
    bias = () if b is None else (b,)
    if ctx.rank(x) >= 2:
        return ctx.add("linear", x, w, *bias)
    return ctx.reshape(ctx.add("linear", ctx.reshape(x, (1, *ctx.size(x))), w, *bias), ctx.shape)


@converter("matmul.default", "mm.default", "bmm.default", "mv.default", "dot.default", "inner.default")
def matmul(ctx: Context, a: str, b: str) -> str:
    """Vectors become one-row or one-column matrices."""
    if str(ctx.node.target).startswith("aten.inner") and ctx.rank(b) > 1:
        raise Fallback("inner product of matrices")
    ra, rb = ctx.rank(a), ctx.rank(b)
    if ra == 1:
        a = ctx.reshape(a, (1, *ctx.size(a)))
    if rb == 1:
        b = ctx.reshape(b, (*ctx.size(b), 1))
    transposed = _transposed(ctx, b)
    if transposed is not None and (ctx.rank(a) == 2 or rb == 2):
        y = ctx.add("linear", a, transposed)
    else:
        y = ctx.add("matmul", a, b)
    return ctx.reshape(y, ctx.shape) if ra == 1 or rb == 1 else y


def _transposed(ctx: Context, b: str) -> str | None:
    """The matrix whose transpose ``b`` is (a linear layer in core ATen), if it is a parameter."""
    node = ctx.builder.node(b)
    if node.op != "permute" or node.attrs["order"] != (1, 0):
        return None
    return node.inputs[0] if ctx.builder.node(node.inputs[0]).op == "parameter" else None


@converter("addmm.default")
def addmm(ctx: Context, bias: str, a: str, b: str, beta: Any = 1, alpha: Any = 1) -> str:
    """``beta * bias + alpha * a @ b``; with a weight matrix and a bias vector it is a linear layer."""
    if beta == 1 and alpha == 1 and ctx.rank(bias) == 1 and ctx.size(bias)[0] == ctx.size(b)[1] and _is_weight(ctx, b):
        transposed = _transposed(ctx, b)
        w = ctx.permute(b, (1, 0)) if transposed is None else transposed
        return ctx.add("linear", a, w, bias)
    return _scaled(ctx, bias, ctx.add("matmul", a, b), beta, alpha)


def _is_weight(ctx: Context, b: str) -> bool:
    node = ctx.builder.node(b)
    return node.op == "parameter" or (node.op == "permute" and ctx.builder.node(node.inputs[0]).op == "parameter")


@converter("baddbmm.default")
def baddbmm(ctx: Context, bias: str, a: str, b: str, beta: Any = 1, alpha: Any = 1) -> str:
    return _scaled(ctx, bias, ctx.add("matmul", a, b), beta, alpha)


@converter("addbmm.default")
def addbmm(ctx: Context, bias: str, a: str, b: str, beta: Any = 1, alpha: Any = 1) -> str:
    return _scaled(ctx, bias, ctx.add("sum", ctx.add("matmul", a, b), dims=(0,), keepdims=False), beta, alpha)


@converter("addmv.default")
def addmv(ctx: Context, bias: str, a: str, v: str, beta: Any = 1, alpha: Any = 1) -> str:
    y = ctx.add("matmul", a, ctx.reshape(v, (*ctx.size(v), 1)))
    return _scaled(ctx, bias, ctx.reshape(y, ctx.shape), beta, alpha)


@converter("linalg_solve_triangular.default")
def solve_triangular(ctx: Context, a: str, b: str, upper: bool, left: bool = True, unitriangular: bool = False) -> str:
    """``x a = b`` is ``a' x' = b'``."""
    if not left:
        a, b, upper = _turned(ctx, a), _turned(ctx, b), not upper
    a, b = (ctx.expand(x, (*ctx.shape[:-2], *ctx.size(x)[-2:])) for x in (a, b))
    x = ctx.add("solve_triangular", a, b, upper=bool(upper), unit=bool(unitriangular))
    return x if left else _turned(ctx, x)


def _turned(ctx: Context, x: str) -> str:
    rank = ctx.rank(x)
    return ctx.permute(x, (*range(rank - 2), rank - 1, rank - 2))


def _scaled(ctx: Context, bias: str, y: str, beta: Any, alpha: Any) -> str:
    """``beta * bias + alpha * y``; beta 0 ignores the bias, NaN included."""
    if alpha != 1:
        y = ctx.add("mul", y, ctx.operand(alpha, ctx.dtype))
    if beta == 0:
        return y
    if beta != 1:
        bias = ctx.add("mul", bias, ctx.operand(beta, ctx.dtype))
    return ctx.add("add", y, bias)


@converter("outer.default", "ger.default")
def outer(ctx: Context, a: str, b: str) -> str:
    return ctx.add("mul", ctx.reshape(ctx.cast(a, ctx.dtype), (*ctx.size(a), 1)), ctx.cast(b, ctx.dtype))


@converter("einsum.default")
def einsum(ctx: Context, equation: str, operands: Sequence[str], path: Any = None) -> str:
    """One or two operands as permute, sum and one batched matrix product."""
    inputs, output = parse_equation(equation, [ctx.rank(o) for o in operands])
    terms = [(value, list(letters)) for value, letters in zip(operands, inputs)]
    if len(terms) > 2 or any(len(set(letters)) != len(letters) for _, letters in terms):
        raise Fallback(f"einsum {equation} is not a product of two tensors")
    terms = [_sum_unshared(ctx, value, letters, [o for j, (_, o) in enumerate(terms) if j != i], output)
             for i, (value, letters) in enumerate(terms)]  # fmt: skip
    if len(terms) == 1:
        value, letters = terms[0]
        return ctx.permute(value, [letters.index(c) for c in output])
    return _pair_product(ctx, terms[0], terms[1], output)


def parse_equation(equation: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """Letters of each operand and of the result, an ellipsis spelled out in capitals that the equation leaves free."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        raise Fallback(f"einsum {equation} with {len(ranks)} operands")
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in equation]
    most = max([r - len(t.replace("...", "")) for t, r in zip(inputs, ranks) if "..." in t], default=0)
    dots = "".join(free[:most])
    spelled = []
    for term, rank in zip(inputs, ranks):
        count = rank - len(term.replace("...", ""))
        spelled.append(term.replace("...", dots[most - count :] if count else ""))
    if arrow:
        return spelled, right.replace("...", dots)
    letters = "".join(spelled)
    return spelled, dots + "".join(sorted(c for c in set(letters) if letters.count(c) == 1 and c not in dots))


def _sum_unshared(ctx: Context, value: str, letters: list[str], others: list[list[str]], output: str) -> tuple[str, list[str]]:
    """Sum away the letters that occur in this operand alone."""
    alone = [i for i, c in enumerate(letters) if c not in output and not any(c in o for o in others)]
    if not alone:
        return value, letters
    return ctx.add("sum", value, dims=tuple(alone), keepdims=False), [c for i, c in enumerate(letters) if i not in alone]


def _pair_product(ctx: Context, left: tuple[str, list[str]], right: tuple[str, list[str]], output: str) -> str:
    """Letters fall into batch (both, kept), contracted (both, dropped), rows (left only) and columns (right only)."""
    (a, la), (b, lb) = left, right
    sizes: dict[str, DimLike] = {}
    for value, letters in (left, right):
        for c, size in zip(letters, ctx.size(value)):
            if c in sizes and sizes[c] != size:
                raise Fallback("einsum that broadcasts a dimension of size 1")
            sizes[c] = size
    batch = [c for c in la if c in lb and c in output]
    shared = [c for c in la if c in lb and c not in output]
    rows, columns = [c for c in la if c not in lb], [c for c in lb if c not in la]
    shape = tuple(sizes[c] for c in batch)
    dims = [product(sizes[c] for c in group) for group in (rows, shared, columns)]
    a = ctx.permute(a, [la.index(c) for c in (*batch, *rows, *shared)])
    b = ctx.permute(b, [lb.index(c) for c in (*batch, *shared, *columns)])
    dtype = ctx.type(a).dtype
    if dtype is DType.BOOL:
        raise Fallback("einsum of bools")
    y = ctx.add("matmul", ctx.reshape(a, (*shape, dims[0], dims[1])), ctx.reshape(b, (*shape, dims[1], dims[2])))
    order = [*batch, *rows, *columns]
    y = ctx.reshape(y, tuple(sizes[c] for c in order))
    return ctx.permute(y, [order.index(c) for c in output])
