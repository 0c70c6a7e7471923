"""Random programs of torch: five to fifteen operations from a table, over sizes that straddle the vector width, inputs in any layout.

A program is found by running it: an operation that torch refuses, or whose result is too large or not finite, is dropped. What is not
continuous (comparisons, whole parts, chosen places) is applied only to values that every order of rounding gives exactly.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F

Tensor = torch.Tensor
Function = Callable[..., Any]
SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 17, 33)
MOST = 20_000
"""Elements that a value may have."""
LARGEST = 1e4
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Step:
    """One operation. operands: numbers of earlier values. weights: further operands that the program holds."""

    name: str
    function: Function
    operands: tuple[int, ...]
    weights: tuple[Tensor, ...] = ()


@dataclass
class Value:
    """A value while a program is made. exact: whether rounding cannot change it."""

    tensor: Tensor
    exact: bool


@dataclass
class RandomProgram:
    """A function of ``inputs``; ``steps`` tell what it does."""

    seed: int
    inputs: list[Tensor] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    results: tuple[int, ...] = ()

    def __call__(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        values = list(inputs)
        for step in self.steps:
            values.append(step.function(*(values[i] for i in step.operands), *step.weights))
        return tuple(values[i] for i in self.results)

    def precise(self) -> tuple[Tensor, ...]:
        """The results in float64."""
        values = [_double(t) for t in self.inputs]
        for step in self.steps:
            values.append(_double(step.function(*(values[i] for i in step.operands), *map(_double, step.weights))))
        return tuple(values[i] for i in self.results)

    def __str__(self) -> str:
        inputs = ", ".join(f"%{i}: {str(t.dtype)[6:]}{list(t.shape)} by {t.stride()}" for i, t in enumerate(self.inputs))
        at = len(self.inputs)
        lines = [f"  %{at + k} = {s.name}({', '.join(f'%{i}' for i in s.operands)})" for k, s in enumerate(self.steps)]
        return "\n".join([f"program {self.seed} of {inputs}", *lines, f"  return {', '.join(f'%{i}' for i in self.results)}"])

    @property
    def coarsest(self) -> float:
        """Unit in the last place of the coarsest type among its values."""
        with torch.no_grad():
            values: list[Any] = list(self.inputs)
            for s in self.steps:
                values.append(s.function(*(values[i] for i in s.operands), *s.weights))
        return max([torch.finfo(v.dtype).eps for v in values if v.is_floating_point()], default=0.0)


def _double(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def random_program(seed: int) -> RandomProgram:
    """The program of a seed."""
    choose = random.Random(seed)
    torch.manual_seed(seed)
    program = RandomProgram(seed)
    program.inputs = [_input(choose) for _ in range(choose.choice((1, 1, 2, 3)))]
    values = [Value(t, True) for t in program.inputs]
    wanted, tries = choose.randint(5, 15), 0
    while len(program.steps) < wanted and tries < 200:
        tries += 1
        make, exact, needs_exact = choose.choice(TABLE)
        at = choose.randrange(max(0, len(values) - 4), len(values)) if choose.random() < 0.8 else choose.randrange(len(values))
        if needs_exact and not values[at].exact:
            continue
        step = _tried(make, choose, values, at)
        if step is None:
            continue
        result = step.function(*(values[i].tensor for i in step.operands), *step.weights)
        is_exact = exact and all(values[i].exact for i in step.operands)
        values.append(Value(result, is_exact or not result.is_floating_point()))
        program.steps.append(step)
    used = {i for s in program.steps for i in s.operands}
    first = len(program.inputs)
    program.results = tuple(i for i in range(first, len(values)) if i not in used or choose.random() < 0.15)
    return program


def _tried(make: Function, choose: random.Random, values: Sequence[Value], at: int) -> Step | None:
    """A step on this value if there is one that torch runs, with a result of bounded size and magnitude."""
    try:
        step = make(choose, values, at)
        if step is None:
            return None
        if any(not values[i].exact for i in step.operands) and step.name.startswith("!"):
            return None
        result = step.function(*(values[i].tensor for i in step.operands), *step.weights)
        step.function(*(_double(values[i].tensor) for i in step.operands), *map(_double, step.weights))  # what it is measured against
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
        return None
    if not isinstance(result, Tensor) or result.numel() > MOST or result.is_complex():
        return None
    if result.is_floating_point() and (not bool(result.isfinite().all()) or (result.numel() and float(result.abs().max()) > LARGEST)):
        return None
    return step


def _input(choose: random.Random) -> Tensor:
    shape = [choose.choice(SIZES[1:] if choose.random() < 0.9 else SIZES) for _ in range(choose.choice((0, 1, 2, 2, 3, 3, 4)))]
    while math.prod(shape) > MOST // 2:
        shape[choose.randrange(len(shape))] = choose.choice(SIZES[1:6])
    order = list(range(len(shape)))
    way = choose.choice(("plain", "plain", "permuted", "strided", "expanded"))
    if way == "permuted":
        choose.shuffle(order)
    stored = [shape[d] * (2 if way == "strided" and k == len(order) - 1 else 1) for k, d in enumerate(order)]
    kind = choose.choice(("float",) * 6 + ("int", "bool"))
    if kind == "float":
        x = torch.randint(-16, 17, stored) / 4
    else:
        x = torch.randint(-5, 6, stored) if kind == "int" else torch.rand(stored) > 0.5
    x = x[..., ::2] if way == "strided" and shape else x
    x = x.permute([order.index(d) for d in range(len(order))])
    if way == "expanded" and len(shape) > 1 and shape[0]:
        x = x[:1].expand(shape)
    return x


# -- the table -----------------------------------------------------------------------------------------------------------

TABLE: list[tuple[Function, bool, bool]] = []
"""(makes a step from choices, values and the number of one; whether it keeps exact values exact; whether it needs one)."""


def _entry(exact: bool = False, needs_exact: bool = False, weight: int = 1) -> Function:
    def enter(make: Function) -> Function:
        TABLE.extend([(make, exact, needs_exact)] * weight)
        return make

    return enter


def _unary(names: dict[str, Function], exact: bool = False, needs_exact: bool = False, weight: int = 1) -> None:
    @_entry(exact, needs_exact, weight)
    def make(choose: random.Random, values: Sequence[Value], at: int) -> Step:
        name = choose.choice(list(names))
        return Step(name, names[name], (at,))


_unary({"neg": torch.neg, "abs": torch.abs, "relu": torch.relu, "clamp": lambda x: x.clamp(-2, 3), "sub1": lambda x: x - 1,
        "double it": lambda x: x * 2, "rsub": lambda x: 1 - x, "clone": torch.clone, "positive part": lambda x: x.clamp_min(0)},
       exact=True, weight=3)  # fmt: skip
_unary({"tanh": torch.tanh, "sigmoid": torch.sigmoid, "gelu": F.gelu, "silu": F.silu, "sin": torch.sin,
"exp": lambda x: x.clamp(-5, 4).exp(),
        "log": lambda x: (x.abs() + 1).log(), "sqrt": lambda x: x.abs().sqrt(), "rsqrt": lambda x: (x * x + 1).rsqrt(),
        "square": torch.square, "softplus": F.softplus, "hardswish": F.hardswish, "elu": F.elu, "mish": F.mish, "erf": torch.erf,
        "atan": torch.atan, "expm1": lambda x: x.clamp(-3, 3).expm1(), "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
        "pow": lambda x: (x.abs() + 1) ** 0.7, "reciprocal": lambda x: 1 / (x.abs() + 1), "leaky": F.leaky_relu},
       weight=4)  # fmt: skip
_unary({"floor": torch.floor, "round": torch.round, "sign": torch.sign, "trunc": torch.trunc, "frac": torch.frac, "isnan": torch.isnan,
        "positive": lambda x: x > 0, "equal": lambda x: x == 1, "to int": lambda x: x.to(torch.int64), "to int32": lambda x: x.int(),
        "to uint8": lambda x: x.clamp(0, 200).to(torch.uint8), "to bool": lambda x: x.bool(), "remainder": lambda x: x % 3,
        "logical not": torch.logical_not, "floor_divide": lambda x: x // 2, "to int8": lambda x: x.to(torch.int8)},
       exact=True, needs_exact=True, weight=5)  # fmt: skip


def _to(dtype: torch.dtype) -> Function:
    return lambda x: x.double() if x.dtype is torch.float64 and dtype is not torch.float64 else x.to(dtype)


_unary({"to float": lambda x: x.float() if x.element_size() != 8 or not x.is_floating_point() else x}, exact=True)
_unary({"to half": _to(torch.float16), "to bfloat16": _to(torch.bfloat16), "to double": _to(torch.float64)})


@_entry(weight=4)
def binary(choose: random.Random, values: Sequence[Value], at: int) -> Step:
    """Arithmetic of two values that broadcast."""
    names: dict[str, Function] = {
        "add": torch.add, "sub": torch.sub, "mul": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum,
        "div": lambda a, b: a / (b.abs() + 1), "atan2": lambda a, b: torch.atan2(a, b.abs() + 1), "lerp": lambda a, b: a + 0.25 * (b - a),
        "hypot": lambda a, b: (a * a + b * b + 1).sqrt(), "gate": lambda a, b: a * torch.sigmoid(b),
    }  # fmt: skip
    name = choose.choice(list(names))
    return Step(name, names[name], (at, _fitting(choose, values, at)))


@_entry(exact=True, weight=2)
def exact_binary(choose: random.Random, values: Sequence[Value], at: int) -> Step:
    names: dict[str, Function] = {"add": torch.add, "sub": torch.sub, "maximum": torch.maximum, "minimum": torch.minimum}
    name = choose.choice(list(names))
    return Step(name, names[name], (at, _fitting(choose, values, at)))


@_entry(exact=True, needs_exact=True, weight=4)
def comparison(choose: random.Random, values: Sequence[Value], at: int) -> Step:
    """Two exact values compared, or one of them chosen."""
    names: dict[str, Function] = {
        "lt": torch.lt, "ge": torch.ge, "eq": torch.eq, "ne": torch.ne, "where": lambda a, b: torch.where(a > b, a, b - 1),
        "logical_and": torch.logical_and, "xor": torch.logical_xor, "masked_fill": lambda a, b: a.masked_fill(b > 0, 3),
        "fmod": lambda a, b: torch.fmod(a, b.abs() + 1), "floor_divide": lambda a, b: torch.div(a, b.abs() + 1, rounding_mode="floor"),
    }  # fmt: skip
    name = choose.choice(list(names))
    return Step("!" + name, names[name], (at, _fitting(choose, values, at)))


@_entry(weight=2)
def masked(choose: random.Random, values: Sequence[Value], at: int) -> Step | None:
    """Elements of two values chosen by a mask from outside."""
    shape = values[at].tensor.shape
    mask = torch.rand([n if choose.random() < 0.7 else 1 for n in shape]) > 0.4
    way = choose.choice(("where", "masked_fill", "mul"))
    other = _fitting(choose, values, at)
    if way == "where":
        return Step("where", lambda a, b, m: torch.where(m, a, b), (at, other), (mask,))
    return Step(way, (lambda a, m: a.masked_fill(m, -1)) if way == "masked_fill" else (lambda a, m: a * m), (at,), (mask,))


def _fitting(choose: random.Random, values: Sequence[Value], at: int) -> int:
    """The number of a value that broadcasts with this one."""
    shape = values[at].tensor.shape
    found = [i for i, v in enumerate(values) if _broadcast(shape, v.tensor.shape)]
    return choose.choice(found)


def _broadcast(a: Sequence[int], b: Sequence[int]) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b)))


def _dim(choose: random.Random, x: Tensor) -> int:
    return choose.randrange(-x.dim(), x.dim())


@_entry(weight=4)
def reduction(choose: random.Random, values: Sequence[Value], at: int) -> Step | None:
    x = values[at].tensor
    if not x.is_floating_point():
        return None
    dims = choose.sample(range(x.dim()), choose.randint(1, x.dim()))
    keep = choose.random() < 0.5
    names: dict[str, Function] = {
        "sum": lambda x: x.sum(dims, keep), "mean": lambda x: x.mean(dims, keep),
        "var": lambda x: x.var(dims, correction=0, keepdim=keep),
        "norm": lambda x: torch.linalg.vector_norm(x, dim=dims, keepdim=keep), "logsumexp": lambda x: x.logsumexp(dims, keep),
        "prod": lambda x: x.tanh().prod(dims[0], keep), "std": lambda x: (x.var(dims, correction=0, keepdim=keep) + 1).sqrt(),
        "cumsum": lambda x: x.cumsum(dims[0]), "softmax": lambda x: x.softmax(dims[0]), "log_softmax": lambda x: x.log_softmax(dims[0]),
        "normalize": lambda x: F.normalize(x + 3, dim=dims[0]), "centred": lambda x: x - x.mean(dims, keepdim=True),
        "sum of all": lambda x: x.sum(), "cumprod": lambda x: x.tanh().cumprod(dims[0]), "mean of all": lambda x: x.mean(),
    }  # fmt: skip
    name = choose.choice(list(names))
    return Step(f"{name} {dims} {keep}", names[name], (at,))


@_entry(exact=True, needs_exact=True, weight=5)
def exact_reduction(choose: random.Random, values: Sequence[Value], at: int) -> Step:
    x = values[at].tensor
    dim, keep = _dim(choose, x), choose.random() < 0.5
    names: dict[str, Function] = {
        "sum": lambda x: x.sum(dim, keep), "amax": lambda x: x.amax(dim, keep), "amin": lambda x: x.amin(dim, keep),
        "argmax": lambda x: x.argmax(dim, keep), "argmin": lambda x: x.argmin(dim, keep), "max": lambda x: x.max(dim, keep).values,
        "any": lambda x: (x > 0).any(dim, keep), "all": lambda x: (x > -3).all(dim, keep), "cumsum": lambda x: x.cumsum(dim),
        "count": lambda x: (x > 0).sum(dim, keep), "sort": lambda x: x.sort(dim, stable=True).values,
        "cummax": lambda x: x.cummax(dim).values,
        "argsort": lambda x: x.argsort(dim, stable=True), "topk": lambda x: x.topk(min(2, x.shape[dim]), dim).values,
    }  # fmt: skip
    name = choose.choice(list(names))
    return Step(f"!{name} {dim} {keep}", names[name], (at,))


@_entry(exact=True, weight=9)
def view(choose: random.Random, values: Sequence[Value], at: int) -> Step:
    """The same elements in another order, or some of them."""
    x = values[at].tensor
    order = choose.sample(range(x.dim()), x.dim())
    d, e = _dim(choose, x), _dim(choose, x)
    n = x.shape[d]
    start, end, step = choose.randint(-n - 1, n), choose.randint(-n, n + 2), choose.choice((1, 1, 2, 3))
    pads = [choose.choice((-1, 0, 1, 2)) for _ in range(2 * choose.randint(1, x.dim()))]
    shift, last = choose.randint(-5, 5), tuple(x.shape)
    names: dict[str, Function] = {
        f"permute {order}": lambda x: x.permute(order), f"transpose {d} {e}": lambda x: x.transpose(d, e), "flatten": torch.flatten,
        f"slice {d} {start}:{end}:{step}": lambda x: torch.ops.aten.slice(x, d, start, end, step), f"flip {d}": lambda x: x.flip(d),
        f"roll {shift} {d}": lambda x: x.roll(shift, d), f"roll of all {shift}": lambda x: x.roll(shift),
        f"pad {pads}": lambda x: F.pad(x, pads),
        f"pad {pads} with 2": lambda x: F.pad(x, pads, value=2), f"unsqueeze {d}": lambda x: x.unsqueeze(d), "squeeze": torch.squeeze,
        f"select {d}": lambda x: x.select(d, n // 2), f"expand {last}": lambda x: x.unsqueeze(0).expand(3, *last),
        f"reshape {d}": lambda x: x.movedim(d, 0).reshape(n, -1), f"halves {d}": lambda x: x.unflatten(d, (2, -1)),
        f"chunk {d}": lambda x: x.chunk(2, d)[-1], f"narrow {d}": lambda x: x.narrow(d, n // 3, n // 2),
        f"unfold {d}": lambda x: x.unfold(d, 3, 2),
        f"diagonal {d} {e}": lambda x: x.diagonal(shift, d, e), f"tril {shift}": lambda x: x.tril(shift),
        f"triu {shift}": lambda x: x.triu(shift),
        f"repeat {d}": lambda x: x.repeat_interleave(2, d), "repeat": lambda x: x.repeat(2, *[1] * (len(last) - 1)),
        "rot90": lambda x: x.rot90(1, (d, e)),
        f"movedim {d} {e}": lambda x: x.movedim(d, e), "contiguous": lambda x: x.contiguous(), "t": lambda x: x.mT,
        f"pad reflect {d}": lambda x: F.pad(x.reshape(1, -1, last[-1]), (2, 1), "reflect"), "one": lambda x: x[..., None],
        f"pad circular {d}": lambda x: F.pad(x.reshape(1, -1, last[-1]), (1, 2), "circular"),
        f"pad replicate {d}": lambda x: F.pad(x[None], (2, 0), "replicate"),
    }  # fmt: skip
    name = choose.choice(list(names))
    return Step(name, names[name], (at,))


@_entry(exact=True, weight=3)
def joined(choose: random.Random, values: Sequence[Value], at: int) -> Step:
    """Values side by side."""
    x = values[at].tensor
    dim = _dim(choose, x)
    fits = [i for i, v in enumerate(values) if v.tensor.shape == x.shape]
    others = [choose.choice(fits) for _ in range(choose.randint(1, 2))]
    names: dict[str, Function] = {
        f"cat {dim}": lambda *v: torch.cat(v, dim), f"stack {dim}": lambda *v: torch.stack(v, dim), f"halves {dim}": lambda *v: torch.cat(
            [v[0].split(2, dim)[0], *(w.split(2, dim)[-1] for w in v[1:])], dim), "hstack": lambda *v: torch.hstack(v),
    }  # fmt: skip
    name = choose.choice(list(names))
    return Step(name, names[name], (at, *others))


@_entry(exact=True, weight=4)
def indexed(choose: random.Random, values: Sequence[Value], at: int) -> Step | None:
    """Elements at listed places, read or written."""
    x = values[at].tensor
    dim = _dim(choose, x)
    n, m = x.shape[dim], choose.choice((1, 2, 7, 16, 17))
    if not n:
        return None
    index = torch.randint(0, n, (m,))
    sizes = [choose.randint(1, s) for s in x.shape]
    if min(x.shape):
        sizes[dim] = m
    places = torch.randint(0, n, sizes)
    unique = torch.stack([torch.randperm(n) for _ in range(max(1, x.numel() // n))]).reshape(-1)[: x.numel()]
    unique = unique.reshape([*(s for d, s in enumerate(x.shape) if d != dim % x.dim()), n]).movedim(-1, dim) if x.numel() else None
    names: dict[str, tuple[Function, Tensor | None]] = {
        f"index_select {dim}": (lambda x, i: x.index_select(dim, i), index), "index": (lambda x, i: x.movedim(dim, 0)[i - n], index),
        f"gather {dim}": (lambda x, i: x.gather(dim, i), places), f"scatter {dim}": (lambda x, i: x.scatter(dim, i, x.flip(dim)), unique),
        f"scatter_add {dim}": (lambda x, i: x.scatter_add(dim, i, x[tuple(slice(s) for s in i.shape)]), places.clamp(max=n - 1)),
        f"index_add {dim}": (lambda x, i: x.index_add(dim, i, x.index_select(dim, i)), index), "take": (lambda x, i: x.take(i), index),
        f"scatter value {dim}": (lambda x, i: x.scatter(dim, i, 2), places),
        f"index_fill {dim}": (lambda x, i: x.index_fill(dim, i, -1), index),
        f"index_copy {dim}": (lambda x, i: x.index_copy(dim, i, x.flip(dim)), torch.randperm(n)),
        "two": (lambda x, i: x[i % len(x), ..., i % x.shape[-1]], index),
        f"take_along {dim}": (lambda x, i: x.take_along_dim(i, dim), unique),
        "mask": (lambda x, i: x.index_put((i % len(x),), x[0]), index),
    }  # fmt: skip
    name = choose.choice(list(names))
    function, chosen = names[name]
    return None if chosen is None else Step(name, function, (at,), (chosen,))


@_entry(exact=True, weight=2)
def written(choose: random.Random, values: Sequence[Value], at: int) -> Step:
    """Changes of a copy in place, through views."""
    x = values[at].tensor
    d = _dim(choose, x)

    def part(x: Tensor) -> Tensor:
        y = x.clone()
        y.narrow(d, 0, x.shape[d] // 2).mul_(2)
        return y

    def transposed(x: Tensor) -> Tensor:
        y = x + 1
        y.transpose(0, d)[1:].fill_(3)
        return y - 1

    def every_second(x: Tensor) -> Tensor:
        y = x * 1
        y[..., ::2] = y[..., :1]
        return y

    names: dict[str, Function] = {f"part {d}": part, f"transposed {d}": transposed, "every second": every_second}
    name = choose.choice(list(names))
    return Step(name, names[name], (at,))


@_entry(weight=4)
def product(choose: random.Random, values: Sequence[Value], at: int) -> Step | None:
    """Products with weights, or of two values."""
    x = values[at].tensor
    if not x.is_floating_point() or not x.dim():
        return None
    k, n = x.shape[-1], choose.choice(SIZES[1:])
    w, b = (torch.randn(n, k) / (k + 1) ** 0.5).to(x.dtype), torch.randn(n).to(x.dtype)
    names: dict[str, tuple[Function, tuple[Tensor, ...]]] = {
        "linear": (F.linear, (w, b)), "linear without bias": (F.linear, (w,)), "matmul": (lambda x, w: x @ w.mT, (w,)),
        "with itself": (lambda x: x @ x.mT / max(1, x.shape[-1]), ()), "of weights": (lambda x, w: w @ x.mT, (w,)),
        "vector": (lambda x, w: x @ w[0], (w,)), "relu of linear": (lambda x, w, b: F.linear(x, w, b).relu(), (w, b)),
        "attention": (lambda x: F.scaled_dot_product_attention(x, x, x), ()),
        "gelu of linear": (lambda x, w, b: F.gelu(F.linear(x, w, b)), (w, b)),
        "outer": (lambda x: x[..., :, None] * x[..., None, :], ()), "einsum": (lambda x, w: torch.einsum("...k,nk->n...", x, w), (w,)),
    }  # fmt: skip
    name = choose.choice(list(names))
    function, weights = names[name]
    return Step(f"{name} {n}", function, (at,), weights)


@_entry(weight=5)
def image(choose: random.Random, values: Sequence[Value], at: int) -> Step | None:
    """Convolutions, poolings, norms and resizing of what becomes an image or a sequence."""
    x = values[at].tensor
    if not x.is_floating_point() or x.dim() not in (3, 4) or not x.numel():
        return None
    spatial, c = x.dim() - 2, x.shape[1]
    k, stride, pad = choose.choice((1, 2, 3, 3, 5)), choose.choice((1, 1, 2)), choose.choice((0, 1, 2))
    out = choose.choice((1, 3, 8, 16, 17))
    conv, up = (F.conv1d, F.conv_transpose1d) if spatial == 1 else (F.conv2d, F.conv_transpose2d)
    most, mean = (F.max_pool1d, F.avg_pool1d) if spatial == 1 else (F.max_pool2d, F.avg_pool2d)
    fit = F.adaptive_avg_pool1d if spatial == 1 else F.adaptive_avg_pool2d
    w = (torch.randn(out, c, *[k] * spatial) / (c * k**spatial) ** 0.5).to(x.dtype)
    b, g = torch.randn(out).to(x.dtype), torch.rand(c).to(x.dtype) + 0.5
    size = choose.choice((1, 2, 3, 7))
    names: dict[str, tuple[Function, tuple[Tensor, ...]]] = {
        "conv": (lambda x, w, b: conv(x, w, b, stride, pad), (w, b)),
        "conv relu": (lambda x, w: conv(x, w, None, stride, pad).relu(), (w,)),
        "depthwise": (lambda x, w: conv(x, w, None, stride, pad, 1, c), (torch.randn(c, 1, *[k] * spatial).to(x.dtype) / k,)),
        "transposed": (lambda x, w: up(x, w, None, stride, min(pad, k - 1)), (w.transpose(0, 1).contiguous(),)),
        "dilated": (lambda x, w: conv(x, w, None, stride, pad, 2), (w,)),
        "max_pool": (lambda x: most(x, k, stride, min(pad, k // 2)), ()),
        "avg_pool": (lambda x: mean(x, k, stride, min(pad, k // 2), False, choose_bool), ()), "adaptive": (lambda x: fit(x, size), ()),
        "batch_norm": (lambda x, g: F.batch_norm(x, g - 1, g, g, g), (g,)), "group_norm": (lambda x, g: F.group_norm(x, 1, g, g), (g,)),
        "nearest": (lambda x: F.interpolate(x, scale_factor=2), ()), "linear": (lambda x: F.interpolate(
            x, scale_factor=1.5, mode="linear" if spatial == 1 else "bilinear"), ()),
    }  # fmt: skip
    choose_bool = choose.random() < 0.5
    name = choose.choice(list(names))
    function, weights = names[name]
    return Step(f"{name} out {out} k {k} stride {stride} pad {pad}", function, (at,), weights)


@_entry(weight=2)
def norm(choose: random.Random, values: Sequence[Value], at: int) -> Step | None:
    """Norms over the last dimensions; a little is added so that rows of equal elements have a variance."""
    x = values[at].tensor
    if not x.is_floating_point() or not x.dim():
        return None
    n = x.shape[-1]
    ramp, g = torch.linspace(-1, 1, n).to(x.dtype), torch.rand(n).to(x.dtype) + 0.5
    names: dict[str, Function] = {
        "layer_norm": lambda x, r, g: F.layer_norm(x + r, (n,), g, r), "plain layer_norm": lambda x, r, g: F.layer_norm(x + r, (n,)),
        "rms_norm": lambda x, r, g: F.rms_norm(x + r, (n,), g), "normalize": lambda x, r, g: F.normalize(x + r + 2, dim=-1),
        "softmax": lambda x, r, g: (x * g + r).softmax(-1), "glu": lambda x, r, g: F.glu(x * g, -1),
    }  # fmt: skip
    name = choose.choice(list(names))
    return Step(name, names[name], (at,), (ramp, g))
