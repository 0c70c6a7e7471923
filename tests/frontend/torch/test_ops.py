"""Every converter by table: a function of tensors, imported and evaluated in float64, against torch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.frontend.torch.support import check


class Fn(nn.Module):
    """A function as module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def f(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape) + len(shape)))


def p(*shape: int) -> torch.Tensor:
    return f(*shape).abs() + 0.5


def i(*shape: int, high: int = 5, low: int = 0) -> torch.Tensor:
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(3))


def b(*shape: int) -> torch.Tensor:
    return f(*shape) > 0


SPECIAL = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.5, -2.5, 0.5, 30.0, -30.0])

_TORCH = "abs neg exp expm1 sigmoid tanh erf sin cos floor ceil round trunc sign square relu isnan isinf isfinite logical_not tan exp2"
_NN = "silu hardswish hardsigmoid mish leaky_relu elu selu celu softplus gelu relu6 hardtanh logsigmoid hardshrink softshrink softsign"
UNARY = {
    **{n: getattr(torch, n) for n in (*_TORCH.split(), "nan_to_num", "fix")},
    **{n: getattr(F, n) for n in (*_NN.split(), "tanhshrink")},
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    x = torch.cat([SPECIAL, f(23)])
    double = name == "gelu"  # gelu(inf) is NaN in torch's float32 alone
    check(Fn(UNARY[name]), (x.double() if double else x,), tolerance=1e-4, torch_at_hand=not double)


POSITIVE = ("log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal")


@pytest.mark.parametrize("name", POSITIVE)
def test_unary_positive(name: str) -> None:
    check(Fn(getattr(torch, name)), (p(17),))
    check(Fn(getattr(torch, name)), (i(7, low=1),))


BINARY: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "add": (lambda x, y: x + y, (f(2, 3), f(3))),
    "add alpha": (lambda x, y: torch.add(x, y, alpha=2), (f(2, 3), f(3))),
    "add scalar": (lambda x: x + 1.5, (i(4),)),
    "add int float": (lambda x, y: x + y, (i(4), f(4))),
    "add bool": (lambda x, y: x + y, (b(4), b(4))),
    "add f32 f64 scalar tensor": (lambda x, y: x + y, (f(4), torch.tensor(2.0, dtype=torch.float64))),
    "add f32 f64": (lambda x, y: x + y, (f(4), f(4).double())),
    "add i32 i64": (lambda x, y: x + y, (i(4).int(), i(4))),
    "rsub": (lambda x: 1 - x, (f(4),)),
    "sub alpha": (lambda x, y: torch.sub(x, y, alpha=0.5), (f(4), f(4))),
    "mul bool": (lambda x, y: x * y, (b(4), f(4))),
    "div": (lambda x, y: x / y, (f(4), p(4))),
    "div int": (lambda x, y: x / y, (i(4), i(4, low=1))),
    "div floor": (lambda x, y: torch.div(x, y, rounding_mode="floor"), (f(9), p(9))),
    "div trunc": (lambda x, y: torch.div(x, y, rounding_mode="trunc"), (f(9), p(9))),
    "div trunc int": (lambda x, y: torch.div(x, y, rounding_mode="trunc"), (i(9, low=-9), i(9, low=1))),
    "floor_divide": (lambda x, y: x // y, (i(9, low=-9), i(9, low=1))),
    "remainder": (lambda x: x % 3, (i(9, low=-9),)),
    "remainder float": (lambda x, y: x % y, (f(9), -p(9))),
    "fmod": (lambda x, y: torch.fmod(x, y), (f(9), p(9))),
    "atan2": (torch.atan2, (f(9), f(9))),
    "maximum": (torch.maximum, (SPECIAL, SPECIAL.flip(0))),
    "minimum": (torch.minimum, (SPECIAL, SPECIAL.flip(0))),
    "pow": (lambda x, y: x**y, (p(9), f(9))),
    "pow scalars": (lambda x: (x**2, x**3, x**0.5, x**-0.5, x**-1, x**-2, x**1, x**1.7, x**0), (p(9),)),
    "pow int": (lambda x: x**4, (i(9),)),
    "pow base": (lambda x: 2**x, (f(9),)),
    "compare": (lambda x, y: (x < y, x <= y, x > y, x >= y, x == y, x != y), (i(9), i(9).flip(0))),
    "compare scalar": (lambda x: (x < 0, x >= 0.5, x == 0), (f(9),)),
    "compare int float": (lambda x: x > 1.5, (i(9),)),
    "logic": (lambda x, y: (x & y, x | y, x ^ y, ~x), (b(9), b(9).flip(0))),
    "logic of numbers": (lambda x, y: (torch.logical_and(x, y), torch.logical_or(x, y), torch.logical_xor(x, y)), (i(9), f(9))),
    "bits": (lambda x, y: (x & y, x | y, x ^ y, ~x, x & 3), (i(9), i(9).flip(0))),
    "where": (torch.where, (b(3, 4), f(4), f(3, 1))),
    "where scalar": (lambda c, x: (torch.where(c, x, 0.0), torch.where(c, 1.0, x)), (b(4), f(4))),
    "masked_fill": (lambda x, m: x.masked_fill(m, -float("inf")), (f(3, 4), b(3, 4))),
    "clamp": (lambda x: (x.clamp(-1, 1), x.clamp(min=0), x.clamp(max=0.5), x.clamp_min(0.1), x.clamp_max(0.2)), (SPECIAL,)),
    "clamp int": (lambda x: x.clamp(1, 3), (i(9),)),
    "clamp tensor": (lambda x, lo, hi: x.clamp(lo, hi), (f(9), -p(9), p(9))),
    "addcmul": (lambda x, y, z: torch.addcmul(x, y, z, value=0.5), (f(4), f(4), f(4))),
    "addcdiv": (lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), (f(4), f(4), p(4))),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), (f(4), f(4))),
    "casts": (lambda x: (x.int(), x.double(), x.bool(), x.to(torch.float32), x.long(), x.to(torch.uint8)), (p(9) * 3,)),
    "type_as": (lambda x, y: x.type_as(y), (f(4), i(4))),
    "glu": (lambda x: F.glu(x, 1), (f(2, 6, 3),)),
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), (f(9),)),
    "softplus": (lambda x: F.softplus(x, 2.0, 5.0), (f(9) * 5,)),
    "threshold": (lambda x: F.threshold(x, 0.1, 20.0), (f(9),)),
    "celu": (lambda x: F.celu(x, 1.7), (f(9),)),
    "elu": (lambda x: F.elu(x, 0.7), (f(9),)),
    "dropout": (lambda x: F.dropout(x, 0.5, False), (f(4),)),
    "python scalars": (lambda x: x * True + 2 - 1.0, (f(4),)),
}

VIEW: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "reshape": (
        lambda x: (x.view(6, -1), x.reshape(-1), x.flatten(1), x.unflatten(2, (2, 2)), x.squeeze(), x.squeeze(1), x.unsqueeze(-1)),
        (f(2, 3, 4),),
    ),
    "squeeze": (lambda x: (x.squeeze(), x.squeeze(0), x.squeeze((0, 2)), x.squeeze(1)), (f(1, 3, 1),)),
    "permute": (
        lambda x: (x.permute(2, 0, 1), x.transpose(0, -1), x.mT, x.movedim(0, 2), x.swapaxes(0, 1), x.permute(-1, 0, 1)),
        (f(2, 3, 4),),
    ),
    "t": (lambda x: (x.t(), x.T), (f(2, 3),)),
    "expand": (lambda x, y: (x.expand(4, 2, 3), x.expand(-1, 3), x.expand_as(y), x.broadcast_to(5, 2, 3)), (f(2, 1), f(2, 3))),
    "slice": (lambda x: (x[1:], x[:, :-1], x[..., ::2], x[:, 1:6:3], x[-2:], x[:, 100:], x[0], x[:, -1], x[..., None]), (f(4, 7),)),
    "split": (
        lambda x: (*x.split(3, 1), *x.chunk(3, 1), *x.split([2, 5], 1), *x.unbind(0), *x.tensor_split(2, 1), x.narrow(1, 2, 3)),
        (f(4, 7),),
    ),
    "diagonal": (lambda x: (x.diagonal(0, -2, -1), x.diagonal(1, 0, 1), x.diagonal(-1, 1, 2)), (f(3, 4, 5),)),
    "unfold": (lambda x: x.unfold(1, 3, 2), (f(2, 9),)),
    "cat": (lambda x, y: (torch.cat([x, y], 1), torch.cat([x, torch.zeros(0), y]), torch.cat([x, x.int()])), (f(2, 3), f(2, 3))),
    "stacked numbers": (lambda x, y: (torch.hstack([x, y, x]), torch.vstack([x, y]), torch.dstack([x, y]), torch.hstack([x])), (f(), f())),
    "stack": (lambda x, y: (torch.stack([x, y]), torch.stack([x, y], -1), torch.hstack([x, y]), torch.vstack([x, y])), (f(2, 3), f(2, 3))),
    "pad": (lambda x: (F.pad(x, (1, 2)), F.pad(x, (0, 1, 2, 0), value=3.0), F.pad(x, (-1, 1))), (f(2, 3, 4),)),
    "pad modes": (
        lambda x: (
            F.pad(x, (1, 2, 2, 1), mode="reflect"),
            F.pad(x, (1, 2, 0, 1), mode="replicate"),
            F.pad(x, (1, 2, 2, 1), mode="circular"),
        ),
        (f(1, 2, 4, 5),),
    ),
    "flip": (lambda x: (x.flip(0), x.flip(-1, 0), x.roll(1), x.roll((1, -1), (0, 1)), x.roll(9, 1)), (f(3, 4),)),
    "repeat": (lambda x: (x.repeat(2, 1, 3), x.tile(2), x.repeat_interleave(3, 1), x.repeat_interleave(2)), (f(2, 3),)),
    "embedding": (lambda w, x: F.embedding(x, w), (f(7, 3), i(2, 4))),
    "index": (lambda x, a: (x[a], x[:, a], x[a[0]], x.index_select(1, a[0])), (f(6, 5), i(2, 3))),
    "index several": (lambda x, a: (x[a, a], x[:, a, a], x[a, :, a], x[a[:, None], a]), (f(6, 5, 5), i(4, low=-4))),
    "index that is computed": (lambda x: (x[:, ((torch.arange(50) + 0.5) * 0.48).long()], ((torch.arange(50) + 0.5) * 0.48).long()),
                               (f(6, 24),)),
    "gather": (lambda x, a: (x.gather(1, a), torch.take_along_dim(x, a, 1), x.take(a)), (f(3, 6), i(3, 2))),
    "pixel": (lambda x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 3), F.channel_shuffle(x, 4)), (f(1, 8, 6, 6),)),
    "nearest": (
        lambda x: (F.interpolate(x, scale_factor=2), F.interpolate(x, size=(9, 10)), F.interpolate(x, scale_factor=1.5)),
        (f(1, 2, 4, 5),),
    ),
    "linear": (
        lambda x: (
            F.interpolate(x, scale_factor=2, mode="bilinear"),
            F.interpolate(x, size=(9, 3), mode="bilinear", align_corners=True),
            F.interpolate(x[0], scale_factor=1.5, mode="linear"),
            F.interpolate(x[None], size=(3, 7, 2), mode="trilinear"),
        ),
        (f(1, 2, 4, 5),),
    ),
    "nearest 1d": (lambda x: F.interpolate(x, scale_factor=3), (f(1, 2, 4),)),
    "triangles": (lambda x: (x.triu(), x.tril(-1), x.triu(1)), (f(2, 4, 5),)),
    "places in triangles": (lambda x: (x[tuple(torch.triu_indices(4, 5, 1))], x[torch.tril_indices(4, 4)[1]]), (f(4, 5),)),
    "windows": (
        lambda x: (
            x * torch.hann_window(7),
            x * torch.hann_window(7, periodic=False),
            x * torch.hamming_window(7, True, 0.4, 0.6),
            x * torch.blackman_window(7),
            x * torch.bartlett_window(7, False),
            x * torch.kaiser_window(7, True, beta=5.0),
            x[:4] * torch.fft.rfftfreq(7),
            x * torch.hann_window(7, dtype=torch.float64),
        ),
        (f(7),),
    ),
    "quantiles": (
        lambda x: (
            x.quantile(0.3, dim=1),
            x.quantile(torch.tensor([0.1, 0.5]), dim=0, keepdim=True),
            x.nanquantile(0.7),
            *[x.quantile(0.4, dim=1, interpolation=way) for way in ("lower", "higher", "nearest", "midpoint")],
        ),
        (f(3, 7),),
    ),
    "view in place between others": (lambda x: (x.sum(0).unsqueeze_(0).add_(1), (x * 2).t_().relu(), x + 1), (f(3, 4),)),
    "patches put together": (
        lambda x: (F.fold(x, (5, 6), 2, stride=1), F.fold(x, (8, 10), 2, stride=2), F.fold(x[0], (5, 6), 2)),
        (f(2, 12, 20),),
    ),
    "scatter views": (lambda x, y: (torch.select_scatter(x, y, 1, -1), torch.slice_scatter(x, x[:, :2], 1, 2, 4)), (f(3, 5), f(3))),
    "ranges": (
        lambda x: (
            torch.arange(5),
            torch.arange(1, 9, 2),
            torch.arange(0, 1, 0.25),
            torch.linspace(0, 1, 5),
            torch.arange(3.0),
            torch.eye(3),
            x + 0,
        ),
        (f(1),),
    ),
    "fills": (
        lambda x: (
            torch.zeros(2, 3),
            torch.ones(2),
            torch.full((2,), 7),
            torch.zeros_like(x),
            torch.ones_like(x),
            torch.full_like(x, 2.5),
            x.new_zeros(3),
            x.new_ones(2),
            x.new_full((2,), 1.5),
            torch.scalar_tensor(3.0),
        ),
        (f(2, 2),),
    ),
    "copies": (lambda x: (x.clone(), x.contiguous(), x.detach(), x.t().contiguous()), (f(2, 3),)),
}

REDUCE: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "sum": (lambda x: (x.sum(), x.sum(1), x.sum((0, -1), keepdim=True), x.sum(())), (f(2, 3, 4),)),
    "sum int": (lambda x, y: (x.sum(), y.sum(0), x.int().sum(1)), (i(2, 3), b(4))),
    "mean": (lambda x: (x.mean(), x.mean((1, 2)), x.mean(-1, keepdim=True)), (f(2, 3, 4),)),
    "prod": (lambda x: (x.prod(), x.prod(1)), (f(2, 3),)),
    "extrema": (
        lambda x: (x.amax(1), x.amin((0, 1)), x.max(), x.min(), x.max(1).values, x.min(0, keepdim=True)[0], x.argmax(1), x.argmin()),
        (f(3, 4),),
    ),
    "max with indices": (lambda x: x.max(1), (f(3, 4),)),
    "var": (
        lambda x: (
            x.var(),
            x.var(1),
            x.var(1, unbiased=False),
            x.std(1, keepdim=True),
            x.var((0, 1), correction=0),
            *torch.var_mean(x, 1),
            *torch.std_mean(x, 0),
        ),
        (f(3, 4),),
    ),
    "quantifiers": (lambda x: (x.any(), x.all(1), x.any(0, keepdim=True), (x > 0).all()), (i(3, 4, high=2),)),
    "softmax": (lambda x: (x.softmax(1), x.log_softmax(-1), F.softmax(x, 0, dtype=torch.float64)), (f(3, 4),)),
    "softmax 0d": (lambda x: x.softmax(0), (f(),)),
    "norms": (
        lambda x: (
            x.norm(),
            x.norm(dim=1),
            torch.linalg.vector_norm(x, 1, 1),
            torch.linalg.vector_norm(x, float("inf"), 0),
            torch.linalg.vector_norm(x, 3, 1),
            F.normalize(x, dim=1),
        ),
        (f(3, 4),),
    ),
    "cumsum": (lambda x, y: (x.cumsum(1), y.cumsum(0)), (f(3, 4), b(5))),
    "logsumexp": (lambda x: x.logsumexp(1), (f(3, 4),)),
    "diff": (lambda x, y: (x.diff(), x.diff(dim=0), x.diff(n=2), y.diff()), (f(3, 4), b(5))),
    "count_nonzero": (lambda x: x.count_nonzero(), (i(9),)),
    "aminmax": (lambda x: torch.aminmax(x), (f(9),)),
}

PRODUCT: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "matmul ranks": (lambda v, m, t: (v @ v, m @ v, v @ m, m @ m, t @ m, m @ t, t @ t, t @ v, v @ t), (f(4), f(4, 4), f(2, 4, 4))),
    "mm bmm": (
        lambda m, t: (m.mm(m), t.bmm(t), torch.addmm(m, m, m, beta=0.5, alpha=2), torch.baddbmm(t, t, t, beta=0), torch.addmm(m[0], m, m)),
        (f(4, 4), f(2, 4, 4)),
    ),
    "triangular systems": (
        lambda a, b: (
            torch.linalg.solve_triangular(a, b, upper=False, unitriangular=True),
            torch.linalg.solve_triangular(a + 3 * torch.eye(4), b, upper=True),
            torch.linalg.solve_triangular(a + 3 * torch.eye(4), b.mT[:, None], upper=False, left=False),
            torch.linalg.solve_triangular(a, b[0], upper=True, unitriangular=True),
        ),
        (f(2, 4, 4), f(2, 4, 5)),
    ),
    "outer": (lambda a, c: (torch.outer(a, c), torch.mv(c[:, None] * a, a), torch.dot(a, a)), (f(3), f(4))),
    "linear functional": (lambda x, w, c: (F.linear(x, w, c), F.linear(x[0], w), F.linear(x[0, 0], w, c)), (f(2, 3, 4), f(5, 4), f(5))),
    "einsum": (
        lambda x, y: (
            torch.einsum("bij,bjk->bik", x, y),
            torch.einsum("bij,bjk->ikb", x, y),
            torch.einsum("bij->bji", x),
            torch.einsum("bij,bjk", x, y),
            torch.einsum("...ij,...jk->...ik", x, y),
            torch.einsum("bij->i", x),
            torch.einsum("bij,bkj->bik", x, y.mT),
            torch.einsum("bij,cjk->bcik", x, y),
        ),
        (f(2, 3, 4), f(2, 4, 5)),
    ),
    "sdpa": (
        lambda q, k, v: (F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, scale=0.3)),
        (f(2, 3, 5, 4), f(2, 3, 7, 4), f(2, 3, 7, 6)),
    ),
    "sdpa causal": (lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), (f(2, 3, 5, 4),)),
    "sdpa mask": (
        lambda q, m: (F.scaled_dot_product_attention(q, q, q, m), F.scaled_dot_product_attention(q, q, q, m.float())),
        (f(2, 3, 5, 4), b(5, 5) | torch.eye(5, dtype=torch.bool)),
    ),
    "sdpa gqa": (lambda q, k: F.scaled_dot_product_attention(q, k, k, enable_gqa=True), (f(2, 4, 5, 4), f(2, 2, 5, 4))),
}

TABLE = {
    f"{family}: {n}": case
    for family, cases in (("binary", BINARY), ("view", VIEW), ("reduce", REDUCE), ("product", PRODUCT))
    for n, case in cases.items()
}


@pytest.mark.parametrize("name", TABLE)
def test_function(name: str) -> None:
    function, args = TABLE[name]
    plain = any(isinstance(a, torch.Tensor) and a.dtype == torch.float64 and a.dim() for a in args)  # which torch would compute itself
    check(Fn(function), args, tolerance=1e-4, torch_at_hand=not plain)


def randomised(module: nn.Module) -> nn.Module:
    """Statistics and affine parameters that are not neutral."""
    generator = torch.Generator().manual_seed(1)
    for name, t in (*module.named_parameters(), *module.named_buffers()):
        if t.is_floating_point():
            t.data = torch.rand(t.shape, generator=generator) * 0.8 + (0.2 if "var" in name else -0.4)
    return module


MODULES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "conv1d": (lambda: nn.Conv1d(4, 6, 3, stride=2, padding=1), (f(2, 4, 9),)),
    "conv2d": (lambda: nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2, bias=False), (f(2, 4, 9, 8),)),
    "conv2d same": (lambda: nn.Conv2d(4, 6, 4, padding="same"), (f(2, 4, 9, 8),)),
    "conv2d valid": (lambda: nn.Conv2d(4, 6, 4, padding="valid"), (f(2, 4, 9, 8),)),
    "conv2d reflect": (lambda: nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect"), (f(2, 4, 9, 8),)),
    "conv2d unbatched": (lambda: nn.Conv2d(4, 6, 3), (f(4, 9, 8),)),
    "conv3d": (lambda: nn.Conv3d(2, 3, 2), (f(1, 2, 4, 4, 4),)),
    "conv_transpose1d": (lambda: nn.ConvTranspose1d(4, 6, 3, stride=2, output_padding=1), (f(2, 4, 5),)),
    "conv_transpose2d": (lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2, dilation=2), (f(2, 4, 5, 6),)),
    "batch_norm": (lambda: nn.BatchNorm2d(4), (f(2, 4, 3, 3),)),
    "batch_norm untracked": (lambda: nn.BatchNorm2d(4, track_running_stats=False), (f(2, 4, 3, 3),)),
    "batch_norm plain": (lambda: nn.BatchNorm1d(4, affine=False), (f(2, 4),)),
    "layer_norm": (lambda: nn.LayerNorm((3, 4)), (f(2, 3, 4),)),
    "layer_norm no bias": (lambda: nn.LayerNorm(4, bias=False), (f(2, 3, 4),)),
    "layer_norm plain": (lambda: nn.LayerNorm(4, elementwise_affine=False), (f(2, 3, 4),)),
    "rms_norm": (lambda: nn.RMSNorm(4), (f(2, 3, 4),)),
    "group_norm": (lambda: nn.GroupNorm(2, 4), (f(2, 4, 5),)),
    "instance_norm": (lambda: nn.InstanceNorm2d(4, affine=True), (f(2, 4, 5, 3),)),
    "instance_norm tracked": (lambda: nn.InstanceNorm1d(4, track_running_stats=True), (f(2, 4, 5),)),
    "local_response_norm": (lambda: nn.LocalResponseNorm(2), (f(2, 4, 5, 5),)),
    "max_pool1d": (lambda: nn.MaxPool1d(3, 2, 1), (f(2, 4, 9),)),
    "max_pool2d": (lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), (f(2, 4, 9, 8),)),
    "max_pool2d dilated": (lambda: nn.MaxPool2d(2, dilation=2), (f(4, 9, 8),)),
    "max_pool3d": (lambda: nn.MaxPool3d(2), (f(1, 2, 4, 4, 4),)),
    "avg_pool1d": (lambda: nn.AvgPool1d(3, 2, 1), (f(2, 4, 9),)),
    "avg_pool2d": (lambda: nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), (f(2, 4, 9, 8),)),
    "avg_pool2d divisor": (lambda: nn.AvgPool2d(2, divisor_override=3), (f(2, 4, 9, 8),)),
    "adaptive_avg_pool2d": (lambda: nn.AdaptiveAvgPool2d((3, None)), (f(2, 4, 7, 8),)),
    "adaptive_avg_pool1d": (lambda: nn.AdaptiveAvgPool1d(1), (f(2, 4, 7),)),
    "adaptive_max_pool2d": (lambda: nn.AdaptiveMaxPool2d(3), (f(2, 4, 7, 8),)),
    "linear": (lambda: nn.Linear(4, 5), (f(2, 3, 4),)),
    "linear vector": (lambda: nn.Linear(4, 5), (f(4),)),
    "prelu per channel": (lambda: nn.PReLU(4), (f(2, 4, 3),)),
    "prelu": (lambda: nn.PReLU(), (f(2, 4, 3),)),
    "embedding": (lambda: nn.Embedding(7, 3, padding_idx=0), (i(2, 4),)),
    "lstm": (lambda: nn.LSTM(4, 5, 2, batch_first=True), (f(3, 6, 4),)),
    "lstm bidirectional": (lambda: nn.LSTM(4, 5, 2, bidirectional=True, dropout=0.5), (f(6, 3, 4),)),
    "lstm states": (lambda: nn.LSTM(4, 5, bias=False), (f(6, 3, 4), (f(1, 3, 5), f(1, 3, 5) * 0.5))),
    "lstm unbatched": (lambda: nn.LSTM(4, 5, bidirectional=True), (f(6, 4),)),
    "gru": (lambda: nn.GRU(4, 5, 2, batch_first=True, bidirectional=True), (f(3, 6, 4),)),
    "gru no bias": (lambda: nn.GRU(4, 5, bias=False), (f(6, 3, 4), f(1, 3, 5))),
    "rnn tanh": (lambda: nn.RNN(4, 5, 2), (f(6, 3, 4),)),
    "rnn relu": (lambda: nn.RNN(4, 5, nonlinearity="relu", bidirectional=True), (f(6, 3, 4),)),
    "lstm cell": (lambda: nn.LSTMCell(4, 5), (f(3, 4),)),
    "rnn cell": (lambda: nn.RNNCell(4, 5, nonlinearity="relu"), (f(3, 4), f(3, 5))),
    "gru cell": (lambda: nn.GRUCell(4, 5), (f(3, 4),)),
    "encoder layer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (f(2, 5, 8),)),
    "encoder layer norm first": (lambda: nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, activation="gelu"), (f(5, 2, 8),)),
    "transformer": (lambda: nn.Transformer(8, 2, 1, 1, 16, batch_first=True), (f(2, 5, 8), f(2, 4, 8))),
    "upsample": (lambda: nn.Upsample(scale_factor=2), (f(1, 2, 3, 3),)),
    "flatten": (lambda: nn.Flatten(), (f(2, 3, 4),)),
    "pixel_shuffle": (lambda: nn.PixelShuffle(2), (f(2, 8, 3, 3),)),
    "dropouts": (lambda: nn.Sequential(nn.Dropout(), nn.Dropout2d(inplace=True), nn.AlphaDropout()), (f(2, 8, 3, 3),)),
    "cosine": (lambda: nn.CosineSimilarity(), (f(2, 8), f(2, 8))),
}


@pytest.mark.parametrize("name", MODULES)
def test_module(name: str) -> None:
    make, args = MODULES[name]
    check(randomised(make()), args, tolerance=1e-4)


def test_multihead_attention() -> None:
    module = randomised(nn.MultiheadAttention(8, 2, batch_first=True))
    check(module, (f(2, 5, 8),) * 3, {"need_weights": True}, tolerance=1e-4)
    check(module, (f(2, 5, 8),) * 3, {"need_weights": False, "attn_mask": b(5, 5) & ~torch.eye(5, dtype=torch.bool)}, tolerance=1e-4)


GRADIENTS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "one dimension": ((2, 4, 9), (6, 4, 3), {"stride": 2, "padding": 1}),
    "rows that nothing reads": ((2, 4, 9, 8), (6, 2, 3, 3), {"stride": 3, "padding": (1, 0), "dilation": (1, 2), "groups": 2}),
    "depthwise": ((2, 4, 7, 8), (4, 1, 3, 3), {"padding": 1, "groups": 4}),
    "two results for each channel": ((2, 5, 7, 8), (10, 1, 3, 2), {"padding": (1, 0), "stride": 2, "groups": 5}),
    "six results for two channels": ((2, 8, 7, 8), (24, 2, 3, 3), {"dilation": 2, "groups": 4}),
    "groups of 24 channels": ((2, 48, 5, 6), (48, 24, 3, 3), {"padding": 1, "groups": 2, "stride": 2}),
    "seven channels of a group": ((2, 14, 5, 6), (16, 7, 3, 2), {"padding": 1, "groups": 2}),
    "fewer results than channels": ((2, 12, 5, 6), (10, 6, 3, 2), {"padding": 1, "groups": 2}),
    "six results for each of two channels": ((2, 6, 6, 5), (36, 2, 3, 3), {"groups": 3}),
    "two results for each row": ((2, 5, 9), (10, 1, 4), {"padding": 2, "groups": 5}),
    "three dimensions": ((1, 2, 4, 5, 4), (3, 2, 2, 3, 1), {"stride": (1, 2, 1)}),
    "stride along the depth": ((2, 3, 6, 9, 4), (5, 3, 3, 2, 3), {"stride": 2, "padding": 1}),
    "fewer taps than the stride": ((2, 3, 8, 5, 4), (5, 3, 3, 2, 1), {"stride": (4, 1, 2)}),
    "taps apart along the depth": ((2, 3, 9, 5, 6), (5, 3, 4, 3, 3), {"stride": (3, 1, 1), "padding": (3, 2, 0), "dilation": (2, 2, 1)}),
    "taps that read every second result": ((2, 3, 8, 5, 6), (5, 3, 3, 3, 3), {"stride": (2, 1, 1), "padding": 2, "dilation": (2, 1, 1)}),
    "depths that no stride divides": ((1, 2, 7, 5, 4), (3, 2, 2, 3, 1), {"stride": 2}),
    "volumes in groups": ((1, 4, 4, 5, 4), (6, 2, 2, 3, 1), {"groups": 2}),
    "transposed volumes": ((1, 4, 3, 5, 4), (4, 3, 2, 3, 1), {"stride": (2, 1, 1), "output_padding": (1, 0, 0), "groups": 2}),
    "transposed": ((2, 4, 5, 6), (4, 3, 3, 3), {"stride": 2, "padding": 1, "output_padding": (1, 0), "groups": 2, "dilation": (1, 2)}),
    "transposed over one dimension": ((2, 4, 5), (4, 3, 4), {"stride": 3, "output_padding": 2}),
}


@pytest.mark.parametrize("mask", [(a, b, c) for a in (True, False) for b in (True, False) for c in (True, False) if a or b or c])
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_of_convolutions(name: str, mask: tuple[bool, ...]) -> None:
    x, w, options = GRADIENTS[name]
    spatial = len(x) - 2
    transposed = "output_padding" in options
    given = {"stride": 1, "padding": 0, "dilation": 1, "output_padding": 0, "groups": 1} | options
    stride, padding, dilation, more = ([v] * spatial if isinstance(v, int) else list(v)
                                       for v in (given[k] for k in ("stride", "padding", "dilation", "output_padding")))  # fmt: skip
    forward = (stride, padding, dilation, transposed, more, given["groups"])
    grad = torch.convolution(f(*x), f(*w), None, *forward).cos()

    def gradients(*operands: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = torch.ops.aten.convolution_backward(*operands, [grad.shape[1]], *forward, mask)
        return tuple(t for t, wanted in zip(found, mask) if wanted)

    check(
        Fn(gradients), (grad, f(*x), f(*w)), torch_at_hand=False,
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["reflection", "replication"])
@pytest.mark.parametrize("shape,padding", [
    ((2, 3, 7), (2, 1)), ((3, 7), (0, 6)), ((2, 3, 5, 6), (2, 3, 4, 0)), ((3, 4, 2), (1, 1, 3, 3)), ((1, 2, 3, 4, 5), (4, 2, 0, 1, 2, 2)),
])  # fmt: skip
def test_gradients_of_padding(mode: str, shape: tuple[int, ...], padding: tuple[int, ...]) -> None:
    """Sides that lie apart, that meet, and that both reach the same elements."""
    kind = f"{mode}_pad{len(padding) // 2}d"
    forward, backward = getattr(torch.ops.aten, kind), getattr(torch.ops.aten, f"{kind}_backward")
    x = f(*shape)
    grad = forward(x, padding).cos()
    check(Fn(lambda g, v: backward(g, v, padding)), (grad, x), torch_at_hand=False)
