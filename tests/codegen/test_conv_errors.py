"""The promise of fast convolutions, measured: image by image, errors are at most five times those of torch, however channels differ."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from sol.codegen.kernels import lower_alternative
from sol.codegen.targets import resolve
from sol.config import config
from tests import harness
from tests.codegen.conv_cases import ISAS, conv_graph
from tests.harness import as_region, run_region

Data = Callable[[np.random.Generator, np.ndarray, np.ndarray], None]
TIMES = 5.0
"""The promise, in errors of torch."""
ULPS = 0.5
"""Units in the last place of the sum of magnitudes that count as torch's error at least: that of a single product is nearly zero."""


def scales(rng: np.random.Generator, count: int, powers: float) -> np.ndarray:
    return (10.0 ** rng.uniform(-powers, powers, count)).astype(np.float32)


def channels(powers: float, compensated: bool) -> Data:
    """Input channels of different size; compensated: weights make up for it."""

    def change(rng: np.random.Generator, x: np.ndarray, w: np.ndarray) -> None:
        s = scales(rng, x.shape[1], powers)
        x *= s[:, None, None]
        if compensated:
            w /= s[:, None, None]

    return change


def one_channel(factor: float) -> Data:
    def change(rng: np.random.Generator, x: np.ndarray, w: np.ndarray) -> None:
        x[:, 3] *= factor
        w[:, 3] /= factor

    return change


def images(rng: np.random.Generator, x: np.ndarray, w: np.ndarray) -> None:
    x[0] *= 1e4


def positive(rng: np.random.Generator, x: np.ndarray, w: np.ndarray) -> None:
    np.maximum(x, 0, out=x)


def outputs(rng: np.random.Generator, x: np.ndarray, w: np.ndarray) -> None:
    w *= scales(rng, len(w), 2)[:, None, None, None]


def sparse(share: float) -> Data:
    def change(rng: np.random.Generator, x: np.ndarray, w: np.ndarray) -> None:
        x *= rng.random(x.shape) < share

    return change


def magnitudes(inputs: float, weights: float) -> Data:
    def change(rng: np.random.Generator, x: np.ndarray, w: np.ndarray) -> None:
        x *= np.float32(inputs)
        w *= np.float32(weights)

    return change


DATA: dict[str, Data] = {
    "normal": lambda rng, x, w: None,
    "positive": positive,
    "images": images,
    "channels 2": channels(2, False),
    "channels 3": channels(3, False),
    "compensated 2": channels(2, True),
    "compensated 3": channels(3, True),
    "one 100": one_channel(100),
    "one 1000": one_channel(1000),
    "outputs": outputs,
    "sparse 10": sparse(0.1),
    "sparse 1": sparse(0.01),
    "large": magnitudes(1e30, 1e-30),
    "small": magnitudes(1e-30, 1e30),
}


WAYS = [
    ("strassen/levels1", (128, 14), 128, 1, ISAS),
    ("winograd/f2", (32, 14), 32, 3, ISAS),
    ("winograd/f3", (32, 14), 32, 3, ISAS),
    ("winograd/f6", (32, 26), 32, 3, ISAS),
    ("winograd/f7", (32, 14), 32, 3, ISAS),
    ("winograd/f4", (32, 12), 32, 5, ISAS),
    ("direct", (512, 7), 32, 3, ISAS),
    ("paired", (128, 14), 64, 1, ["avx512"]),
    ("winograd/f3p", (32, 14), 32, 3, ["avx512"]),
]
"""Ways, (input channels, size), outputs, taps along an axis, instruction sets."""
UNEVEN = {"sparse 10": 10.0, "sparse 1": 25.0}
"""What Winograd's inner product keeps instead where most inputs are zero: what pairs subtract is then larger than what is left."""
UNFUSED = {"sparse 1": 8.0}
"""What the portable target keeps instead: it rounds products before it adds them, which torch does not."""


def ratio(x: np.ndarray, w: np.ndarray, got: np.ndarray) -> float:
    """The largest quotient of errors of an image."""
    padding = w.shape[2] // 2
    given, weights = torch.from_numpy(x), torch.from_numpy(w)
    exact = torch.conv2d(given.double(), weights.double(), None, 1, padding).numpy()
    error = np.abs(torch.conv2d(given, weights, None, 1, padding).numpy() - exact).max((1, 2, 3))
    magnitude = torch.conv2d(given.double().abs(), weights.double().abs(), None, 1, padding).numpy().max((1, 2, 3))
    return float((np.abs(got - exact).max((1, 2, 3)) / np.maximum(error, ULPS * 2.0**-23 * magnitude)).max())


@pytest.fixture
def taken(monkeypatch):
    """Compute a convolution the named way."""

    def run(way: str, isa: str, change: Data, size: tuple[int, int], outputs: int, taps: int, threads: int = 2):
        graph, inputs, arrays, _ = conv_graph((2, size[0], size[1], size[1]), outputs, (taps, taps), padding=taps // 2, bias=False)
        rng = np.random.default_rng(1)
        inputs["x"] = rng.standard_normal(inputs["x"].shape).astype(np.float32)
        arrays["w"] = (rng.standard_normal(arrays["w"].shape) / np.sqrt(np.prod(arrays["w"].shape[1:]))).astype(np.float32)
        change(rng, inputs["x"], arrays["w"])
        monkeypatch.setattr(harness, "lower_region", lambda lowering: lower_alternative(lowering, way))
        region = as_region(graph, "dnn", "conv", block=resolve(isa).lanes)
        with config.override(conv_max_error=1.0):
            (got,) = run_region(region, inputs, arrays, isa=isa, threads=threads, borders={"x": ((taps // 2,) * 2,) * 2})
        return inputs["x"], arrays["w"], got

    return run


CASES = [(way, isa, size, k, taps) for way, size, k, taps, isas in WAYS for isa in isas if isa in ISAS]


@pytest.mark.parametrize("way,isa,size,k,taps", CASES)
def test_errors_are_at_most_five_times_those_of_torch(way, isa, size, k, taps, taken):
    found = {name: ratio(*taken(way, isa, change, size, k, taps)) for name, change in DATA.items()}
    weaker = UNEVEN if way == "paired" or way.endswith("p") else UNFUSED if isa == "generic" else {}
    assert {n: r for n, r in found.items() if not r <= weaker.get(n, TIMES)} == {}


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("way,isa,size,k,taps", [c for c in CASES if c[0] in ("strassen/levels1", "winograd/f6", "winograd/f3p", "paired")])
def test_what_is_not_finite_does_not_reach_another_image(value, way, isa, size, k, taps, taken):
    def change(rng: np.random.Generator, x: np.ndarray, w: np.ndarray) -> None:
        x[0, 5, 3, 2] = value

    x, w, got = taken(way, isa, change, size, k, taps)
    assert not np.isfinite(got[0, :, 3, 2]).any() and np.isfinite(got[1]).all() and np.isfinite(got[0, :, -1]).all()
    assert ratio(x[1:], w, got[1:]) <= TIMES
