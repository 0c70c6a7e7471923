"""Distances, bilinear products, windows as columns, places of maxima, fake quantization and their kin: compiled, on every instruction set,
over sizes around the vector width, with NaN and infinities, against torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

import sol
from examples.networks import torchvision_models
from sol.codegen.targets import runnable
from tests.against_torch.support import check_all, differs

SIZES = (1, 7, 8, 15, 16, 17, 33)
Cases = dict[str, Callable[..., Any]]


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def with_specials(x: torch.Tensor) -> torch.Tensor:
    """The first elements replaced by NaN and infinities."""
    flat = x.flatten().clone()
    flat[:4] = torch.tensor([math.nan, math.inf, -math.inf, -0.0])[: flat.numel()]
    return flat.reshape(x.shape)


@pytest.mark.parametrize("isa", runnable())
def test_distances(isa: str) -> None:
    cases: Cases = {
        f"p={p}, {n} rows": lambda a, b, p=p, n=n: torch.cdist(a[..., :7], b[:, :n, :7], p)
        for p in (0, 0.5, 1, 2, 3, math.inf) for n in SIZES
    }  # fmt: skip
    cases |= {f"of {n}": lambda a, b, n=n: torch.cdist(a[..., :n], b[..., :n]) for n in SIZES}
    always = "use_mm_for_euclid_dist"
    cases |= {f"always by products, {n} rows": lambda a, b, n=n: torch.cdist(a, b[:, :n], compute_mode=always) for n in SIZES}
    cases["to itself"] = lambda a, b: torch.cdist(b, b)
    cases["far away"] = lambda a, b: torch.cdist(b * 10 + 1000, a)
    cases["broadcast"] = lambda a, b: torch.cdist(a[:, None], b[None])
    cases["never by products"] = lambda a, b: torch.cdist(b, b, compute_mode="donot_use_mm_for_euclid_dist")
    check_all(cases, with_specials(numbers(2, 5, 33)), numbers(2, 33, 33), isa=isa)


@pytest.mark.parametrize("isa", runnable())
def test_bilinear(isa: str) -> None:
    cases: Cases = {f"{n} to {m}": _Bilinear(n, 8, m) for n in SIZES for m in (1, 17)}
    cases["no bias"] = _Bilinear(7, 33, 3, bias=False)
    cases["vectors"] = lambda a, b: F.bilinear(a[0, 0, :3], b[0, 0, :4], torch.ones(2, 3, 4))
    check_all(cases, numbers(2, 3, 33), numbers(2, 3, 33), isa=isa)


class _Bilinear(torch.nn.Module):
    def __init__(self, left: int, right: int, out: int, bias: bool = True) -> None:
        super().__init__()
        self.layer = torch.nn.Bilinear(left, right, out, bias)

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return self.layer(a[..., : self.layer.in1_features], b[..., : self.layer.in2_features])


WINDOWS = {
    "same": (3, 1, 1, 1), "strided": (3, 2, 0, 1), "apart": ((3, 4), (3, 4), 0, 1), "spread": (2, 1, 0, 2), "single": (1, 1, 0, 1),
    "of all kinds": ((2, 3), (2, 1), (1, 0), (1, 2)),
}  # fmt: skip


@pytest.mark.parametrize("isa", runnable())
def test_windows_as_columns(isa: str) -> None:
    cases: Cases = {}
    for name, (kernel, stride, padding, dilation) in WINDOWS.items():
        options = {"kernel_size": kernel, "stride": stride, "padding": padding, "dilation": dilation}
        for width in (12, 33):
            cases[f"{name}, {width}"] = lambda x, o=options, w=width: F.unfold(x[..., :w], **o)
            cases[f"{name}, {width}, one image"] = lambda x, o=options, w=width: F.unfold(x[0, ..., :w], **o)
            cases[f"{name}, {width} and back"] = lambda x, o=options, w=width: F.fold(F.unfold(x[..., :w], **o), (9, w), **o)
    check_all(cases, with_specials(numbers(2, 3, 9, 33)), isa=isa)


@pytest.mark.parametrize("isa", runnable())
def test_places_of_maxima(isa: str) -> None:
    def pool(x: torch.Tensor, spatial: int, *options: Any, **more: Any) -> Any:
        return getattr(F, f"max_pool{spatial}d")(x, *options, return_indices=True, **more)

    cases: Cases = {f"width {n}": lambda x, n=n: pool(x[0, ..., :n], 1, 1 + (n > 1), 1) for n in SIZES}
    cases |= {
        "2": lambda x: pool(x, 2, 2),
        "3 by 2": lambda x: pool(x.round(), 2, (3, 2), (2, 1), 1, ceil_mode=True),
        "spread": lambda x: pool(x.round(), 2, 3, 1, 1, 2),
        "NaN": lambda x: pool(torch.where(x > 1, math.nan, x.round()), 2, 3, 2, 1),
        "all infinite": lambda x: pool(x * 0 - math.inf, 2, 3, 2, 1),
        "volume": lambda x: pool(x, 3, (1, 3, 2), 2, (0, 1, 1), ceil_mode=True),
        "adaptive": lambda x: F.adaptive_max_pool2d(x, (3, 11), return_indices=True),
        "and back": lambda x: F.max_unpool2d(*pool(x[0], 2, 2), 2, output_size=(9, 33)),
    }
    check_all(cases, numbers(2, 3, 9, 33), isa=isa)


@pytest.mark.parametrize("isa", runnable())
def test_fake_quantization(isa: str) -> None:
    scales, zeros = torch.tensor([0.1, 0.03, 2.0]), torch.tensor([0, 3, 200], dtype=torch.int32)
    cases: Cases = {f"{n}": lambda x, n=n: torch.fake_quantize_per_tensor_affine(x[0, 0, :n], 0.1, 3, -8, 7) for n in SIZES}
    cases |= {
        "bytes": lambda x: torch.fake_quantize_per_tensor_affine(x * 1e4, 0.7, 128, 0, 255),
        "huge": lambda x: torch.fake_quantize_per_tensor_affine(x * 1e30, 0.7, 0, -128, 127),
        "computed scale": lambda x: torch.fake_quantize_per_tensor_affine(x, x[1, 1, 1].abs(), zeros[1], -8, 7),
        "by channels": lambda x: torch.fake_quantize_per_channel_affine(x, scales, zeros, 0, 0, 255),
        "by channels, huge": lambda x: torch.fake_quantize_per_channel_affine(x.permute(1, 2, 0) * 1e30, scales, zeros, 2, 0, 200),
    }
    check_all(cases, with_specials(numbers(3, 5, 33)), isa=isa)


@pytest.mark.parametrize("isa", runnable())
def test_affine_grids(isa: str) -> None:
    cases: Cases = {}
    for corners in (True, False):
        for n in SIZES[1:]:
            cases[f"{n}, {corners}"] = lambda t, n=n, c=corners: F.affine_grid(t[:, :2, :3], [3, 1, 5, n], align_corners=c)
        cases[f"volume, {corners}"] = lambda t, c=corners: F.affine_grid(t, [3, 2, 4, 5, 2], align_corners=c)
    cases = {name: lambda t, i, case=case: case(t) for name, case in cases.items()}
    for corners in (True, False):
        cases[f"sampled, {corners}"] = lambda t, i, c=corners: F.grid_sample(
            i, F.affine_grid(t[:, :2, :3], [3, 2, 7, 17], align_corners=c), align_corners=c
        )
    check_all(cases, numbers(3, 3, 4), numbers(3, 2, 9, 8), isa=isa)


@pytest.mark.parametrize("isa", runnable())
def test_running_products(isa: str) -> None:
    cases: Cases = {f"along {d} of {n}": lambda x, d=d, n=n: x[:, :n, :n].cumprod(d) for d in range(3) for n in SIZES}
    cases["integers"] = lambda x: (x * 3).nan_to_num(0, 1, 1).long().cumprod(1)
    cases["in double"] = lambda x: x.cumprod(0, dtype=torch.float64)
    check_all(cases, with_specials(numbers(3, 33, 33)), isa=isa)


@pytest.mark.parametrize("isa", runnable())
def test_running_logarithms(isa: str) -> None:
    cases: Cases = {f"along {d} of {n}": lambda x, d=d, n=n: x[:, :n, :n].logcumsumexp(d) for d in range(3) for n in (1, 7, 17, 33)}
    cases |= {
        "far apart": lambda x: (x * 300).logcumsumexp(-1),
        "in double": lambda x: x.double().logcumsumexp(0),
        "of halves": lambda x: x.half().logcumsumexp(1),
        "of a number": lambda x: x[0, 0, 5].logcumsumexp(0),
        "infinities": lambda x: torch.where(x > 1, math.inf, torch.where(x < -1, -math.inf, x)).logcumsumexp(2),
    }
    check_all(cases, with_specials(numbers(3, 33, 33)), isa=isa)


GROUPS = ((3, 3, 10, 40, 41, 60, 66, 66), (0, 0, 0, 0, 0, 0, 0, 70), (70,) * 8)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("ends", GROUPS, ids=("uneven", "last", "first"))
def test_products_of_groups(isa: str, ends: tuple[int, ...]) -> None:
    torchvision_models()  # transformers, whose operation is tried, looks for torchvision
    pytest.importorskip("transformers.integrations.moe")
    grouped = torch.ops.transformers.grouped_mm_fallback
    sizes = ((1, 1, 1), (4, 7, 8), (5, 8, 15), (6, 16, 16), (3, 17, 33), (8, 33, 48), (2, 1000, 100))
    cases: Cases = {f"{s}, {turned}": _Experts(*s, turned) for s in sizes for turned in (False, True)}
    cases |= {
        "computed matrices": lambda x, n: grouped(x[:, :33], x[:66, :16].reshape(2, 33, 16), n[-2:]),
        "computed and turned": lambda x, n: grouped(x[:, :16], x[:66, :16].reshape(2, 33, 16).mT, n[-2:]),
        "rows that lie apart": lambda x, n: grouped(x[:64, :70].mT, x[:64, :32].reshape(1, 64, 32), n[-1:]),
        "with a tail": lambda x, n: torch.relu(grouped(x[:, :33], x[:66, :16].reshape(2, 33, 16), n[-2:]) + x[:, :16] * x[:, :1]) * 2,
    }
    for number in (torch.int32, torch.int64):
        check_all(cases, numbers(70, 1000), torch.tensor(ends, dtype=number), isa=isa)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("ends", GROUPS, ids=("uneven", "last", "first"))
def test_gradients_of_products_of_groups(isa: str, ends: tuple[int, ...]) -> None:
    torchvision_models()
    pytest.importorskip("transformers.integrations.moe")
    gradients = torch.ops.transformers.grouped_mm_fallback_backward
    cases: Cases = {
        f"{groups} of {depth} to {columns}, {turned}": lambda x, n, g=groups, d=depth, c=columns, t=turned: gradients(
            x[:, :d], x[:g, : c * d].reshape(g, c, d).mT if t else x[:g, : c * d].reshape(g, d, c), n[-g:], x[:, 40 : 40 + c]
        )
        for groups, depth, columns in ((1, 1, 1), (4, 7, 8), (5, 8, 15), (3, 17, 33), (8, 33, 30)) for turned in (False, True)
    }  # fmt: skip
    for number in (torch.int32, torch.int64):
        check_all(cases, numbers(70, 1000), torch.tensor(ends, dtype=number), isa=isa)


class _Experts(torch.nn.Module):
    """Rows of x in groups, each times a matrix of its own."""

    def __init__(self, groups: int, depth: int, columns: int, turned: bool) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(numbers(groups, columns, depth) if turned else numbers(groups, depth, columns))
        self.turned = turned

    def forward(self, x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        weight = self.weight.mT if self.turned else self.weight
        groups, depth, _ = weight.shape
        return torch.ops.transformers.grouped_mm_fallback(x[:, :depth], weight, ends[-groups:])


@pytest.mark.parametrize("isa", runnable())
def test_projected_memory(isa: str) -> None:
    options: tuple[dict[str, Any], ...] = (
        {}, {"bidirectional": True}, {"num_layers": 2, "bidirectional": True}, {"num_layers": 2, "batch_first": True, "bias": False},
    )  # fmt: skip
    cases: Cases = {
        f"{sizes}, {given}, {more}": _Memory(*sizes, given, **more)
        for sizes in ((2, 1), (8, 3), (17, 7), (33, 16)) for given in (False, True) for more in options
    }  # fmt: skip
    check_all(cases, numbers(7, 3, 5), numbers(4, 7, 33), numbers(4, 7, 34), isa=isa)


class _Memory(torch.nn.Module):
    """An LSTM whose output is a projection, with an initial state or without."""

    def __init__(self, hidden: int, size: int, given: bool, **options: Any) -> None:
        super().__init__()
        self.lstm, self.given = torch.nn.LSTM(5, hidden, proj_size=size, **options), given

    def forward(self, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> Any:
        if not self.given:
            return self.lstm(x)
        layers, batch = self.lstm.num_layers * (1 + self.lstm.bidirectional), x.shape[0 if self.lstm.batch_first else 1]
        return self.lstm(x, (h[:layers, :batch, : self.lstm.proj_size], c[:layers, :batch, : self.lstm.hidden_size]))


@pytest.mark.parametrize("isa", runnable())
def test_running_extrema(isa: str) -> None:
    cases: Cases = {}
    for name in ("cummax", "cummin"):
        run = getattr(torch, name)
        cases |= {f"{name} along {d} of {n}": lambda x, d=d, n=n, run=run: run(x[:, :n, :n], d) for d in range(3) for n in SIZES}
        for kind in (torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool):
            cases[f"{name} of {kind}"] = lambda x, run=run, k=kind: run((x * 3).nan_to_num(1, 5, 0).abs().to(k), 1)
        cases[f"{name} of few values"] = lambda x, run=run: run(torch.where(x > 1.5, math.nan, x.round()), -1)
        cases[f"{name}, places alone"] = lambda x, run=run: run(x, 0).indices
        cases[f"{name} of a number"] = lambda x, run=run: run(x[0, 0, 5], 0)
    check_all(cases, with_specials(numbers(3, 33, 33)), isa=isa)


@pytest.mark.parametrize("isa", runnable())
def test_bags_of_rows(isa: str) -> None:
    cases: Cases = {}
    for mode in ("sum", "mean", "max"):
        cases |= {f"{mode} of {n}": lambda x, i, o, n=n, m=mode: F.embedding_bag(i, x[:, :n], o, mode=m) for n in SIZES}
        cases |= {
            f"{mode}, equal bags": lambda x, i, o, m=mode: F.embedding_bag(i[:18].view(3, 6), x, mode=m),
            f"{mode}, with an end": lambda x, i, o, m=mode: F.embedding_bag(i, x, o, mode=m, include_last_offset=True),
            f"{mode}, without one row": lambda x, i, o, m=mode: F.embedding_bag(i, x, o, mode=m, padding_idx=3),
            f"{mode}, without the last row": lambda x, i, o, m=mode: F.embedding_bag(i, x, o, mode=m, padding_idx=-1),
            f"{mode} of columns": lambda x, i, o, m=mode: F.embedding_bag(i.int(), x.mT[:19], o.int(), mode=m),
        }
    cases["weighted"] = lambda x, i, o: F.embedding_bag(i, x, o, mode="sum", per_sample_weights=x[: i.numel() // 2, :2].reshape(-1))
    rows = torch.randint(0, 19, (20,), generator=torch.Generator().manual_seed(0))
    check_all(cases, numbers(19, 33), rows, torch.tensor([0, 4, 4, 5, 17, 20]), isa=isa)


EDGES = torch.tensor([0.0, -0.0, math.inf, -math.inf, math.nan, -1, -2, -50, 1, 2, 1.0000001, 0.99999994, 0.5, -0.5, 1e-30, -1e-30,
                      3e38, -3e38, 1.4616321, 1e10, 8, 3, 100, -1.5])  # fmt: skip


@pytest.mark.parametrize("isa", runnable())
def test_special_functions(isa: str) -> None:
    cases: Cases = {}
    for name in ("lgamma", "digamma", "erfinv", "i0"):
        function = getattr(torch, name)
        cases |= {f"{name} of {n}": lambda x, u, n=n, f=function: f(u[:n]) for n in SIZES}
        cases |= {
            f"{name} at edges": lambda x, u, f=function: f(x),
            f"{name} of positive numbers": lambda x, u, f=function: f((u + 1.2) * 4),
            f"{name} around 1": lambda x, u, f=function: f(u * 0.1 + 1),
            f"{name} around 2": lambda x, u, f=function: f(u * 0.1 + 2),
            f"{name} of negative numbers": lambda x, u, f=function: f(u * 2 - 2),
            f"{name} of doubles": lambda x, u, f=function: f(x.double()),
            f"{name} of integers": lambda x, u, f=function: f(torch.arange(-3, 9) + u[:1].long().abs()),
            f"{name} of halves": lambda x, u, f=function: f(u[:40].half()),
        }
    cases["large arguments of i0"] = lambda x, u: torch.i0(u * 91)
    cases["tails of erfinv"] = lambda x, u: torch.erfinv(u.sign() * (1 - u * u * 1e-5))
    u = torch.rand(999, generator=torch.Generator().manual_seed(1)) * 2 - 1
    check_all(cases, EDGES, u, isa=isa)


@pytest.mark.parametrize("isa", runnable())
def test_common_divisors(isa: str) -> None:
    cases: Cases = {}
    for kind in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
        cases |= {f"gcd of {kind}, {n}": lambda a, b, k=kind, n=n: torch.gcd(a[:, :n].to(k), b[:n].to(k)) for n in SIZES}
        cases[f"lcm of {kind}"] = lambda a, b, k=kind: torch.lcm(a.to(k), b.to(k))
    cases["of two types"] = lambda a, b: torch.gcd(a.int(), b)
    cases["large"] = lambda a, b: torch.gcd(a * 2**50, b * 2**40 * 3)
    generator = torch.Generator().manual_seed(0)
    a, b = torch.randint(-100, 100, (7, 33), generator=generator), torch.randint(-100, 100, (33,), generator=generator)
    a[0, :3], b[:2] = 0, 0
    check_all(cases, a, b, isa=isa)


@pytest.mark.parametrize("isa", runnable())
def test_tables(isa: str) -> None:
    """What numbers alone decide is a constant."""
    cases: Cases = {
        "windows": lambda x: (x[:9] * torch.hann_window(9), torch.kaiser_window(7, dtype=torch.float64), torch.blackman_window(5)),
        "triangles": lambda x: (torch.triu_indices(3, 4), torch.tril_indices(3, 4, 1), x[torch.tril_indices(4, 4)[0]]),
        "others": lambda x: (torch.fft.fftfreq(5), torch.hann_window(9, dtype=torch.bfloat16), torch.logspace(0, 1, 5)),
    }
    check_all(cases, numbers(33), isa=isa)


def test_grids_and_losses() -> None:
    classes = torch.randint(0, 9, (6,), generator=torch.Generator().manual_seed(0))
    cases: Cases = {
        "rows by columns": lambda x, y, t: torch.meshgrid(x[0], y[:, 1], indexing="ij"),
        "columns by rows": lambda x, y, t: [a * 2 for a in torch.meshgrid(x[0], y[1], indexing="xy")],
        "broadcast": lambda x, y, t: torch.broadcast_tensors(x[:, :1], y[None]),
        "distances": lambda x, y, t: (F.mse_loss(x, y), F.l1_loss(x, y), F.huber_loss(x, y), F.smooth_l1_loss(x, y, reduction="sum")),
        "each distance": lambda x, y, t: (F.mse_loss(x, y, reduction="none"), F.l1_loss(x, y, reduction="none")),
        "classes": lambda x, y, t: (F.cross_entropy(x, t), F.cross_entropy(x, t, reduction="none", label_smoothing=0.1)),
        "weighted classes": lambda x, y, t: F.cross_entropy(x, t, weight=y[0].abs(), ignore_index=2),
        "shares": lambda x, y, t: F.cross_entropy(x, y.softmax(1)),
        "bins": lambda x, y, t: (x.histc(5, -2, 2), torch.bucketize(x, y[0].sort().values), torch.diag_embed(x, 1), x.rot90(-1)),
    }
    check_all(cases, numbers(6, 9), numbers(6, 9) * 0.5 + 1, classes)


def test_regions_under_autocast() -> None:
    torch.manual_seed(0)
    layer, norm = torch.nn.Linear(16, 16), torch.nn.LayerNorm(16)

    def under(body: Callable[[torch.Tensor], Any], kind: torch.dtype = torch.bfloat16, enabled: bool = True) -> Callable[..., Any]:
        def run(x: torch.Tensor) -> Any:
            with torch.autocast("cpu", kind, enabled=enabled):
                return body(x)

        return run

    cases: Cases = {
        "linear": under(layer), "half": under(layer, torch.float16), "off": under(layer, enabled=False),
        "norm between": under(lambda x: layer(norm(layer(x)).relu())), "softmax": under(lambda x: layer(x).softmax(-1)),
        "joined": under(lambda x: (torch.cat([layer(x), x]), layer(x) * x)), "products": under(lambda x: x @ x.mT),
        "several": under(lambda x: (layer(x).cumsum(1), layer(x).exp(), F.mse_loss(layer(x), x), layer(x).argmax(-1))),
    }  # fmt: skip
    x = numbers(2, 6, 16)
    with torch.no_grad():
        for name, case in cases.items():
            model = _Holding(case, layer, norm).eval()
            assert not differs(sol.optimize(model, [x])(x), model(x)), name


class _Holding(torch.nn.Module):
    """A function, and the layers that it calls."""

    def __init__(self, function: Callable[..., Any], *layers: torch.nn.Module) -> None:
        super().__init__()
        self.function, self.layers = function, torch.nn.ModuleList(layers)

    def forward(self, x: torch.Tensor) -> Any:
        return self.function(x)
