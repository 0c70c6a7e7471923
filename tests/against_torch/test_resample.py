"""Interpolation at torch's very places: by factor and by size, small and large images, both memory formats, fixed and open sizes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.export import Dim

import sol
from tests.against_torch.support import check_all, differs

LINEAR = {3: "linear", 4: "bilinear", 5: "trilinear"}
FACTORS = (0.5, 0.7, 1.0, 1.3, 2.0, 2.5, 3.7)


def resized(mode: str, **options: Any) -> Any:
    return lambda x: F.interpolate(x, mode=mode, **options)


def options(rank: int, mode: str) -> dict[str, dict[str, Any]]:
    """Every way to ask for a size, by name."""
    found: dict[str, dict[str, Any]] = {}
    corners = (None,) if "nearest" in mode else (False, True)
    for align in corners:
        own = {} if align is None else {"align_corners": align}
        for factor in (*FACTORS, (2.0, 1.3, 0.9)[: rank - 2]):
            found |= {f"{mode} {factor} {recompute} {align}": {"scale_factor": factor, "recompute_scale_factor": recompute, **own}
                      for recompute in (None, True)}  # fmt: skip
        found |= {f"{mode} to {size} {align}": {"size": size, **own} for size in (1, 2, 5, 7)}
    return found


@pytest.mark.parametrize("shape", [(1, 2, 5), (1, 2, 5, 6), (2, 1, 3, 3), (1, 2, 2, 3, 4)])
def test_every_way_to_ask(shape):
    cases = {}
    for mode in ("nearest", LINEAR[len(shape)]):
        for name, given in options(len(shape), mode).items():
            if given.get("recompute_scale_factor") and not isinstance(given["scale_factor"], float):
                continue
            cases[name] = resized(mode, **given)
    check_all(cases, torch.randn(shape), threads=(1,))


@pytest.mark.parametrize("format", [torch.contiguous_format, torch.channels_last])
def test_large_images_that_keep_or_double_a_size(format):
    """Where torch's kernels for small images and for channels last differ from the general one."""
    x = torch.randn(1, 4, 70, 66).contiguous(memory_format=format)
    check_all({str(f): resized("nearest", scale_factor=f) for f in (1.001, 2.001, (1.01, 2.01), (2.3, 1.001))}, x, threads=(1,))


def test_volumes_in_channels_last():
    x = torch.randn(1, 5, 4, 5, 6)
    cases = {str(f): resized("nearest", scale_factor=f) for f in (1.05, 2.05, 1.7)}
    check_all(cases, x.contiguous(memory_format=torch.channels_last_3d), threads=(1,))
    check_all(cases, x, threads=(1,))


MIDDLES = {"line": (1, 1), "image": (1, 1, 2), "image in channels last": (1, 4, 2), "large image": (1, 1, 130), "volume": (1, 1, 1, 2)}
"""Kind of images → their dimensions but the columns."""


@pytest.mark.parametrize("kind", MIDDLES)
def test_pixels_whose_middle_is_nearest(kind):
    """Also where a middle lies between two pixels: torch has several kernels, which round differently."""
    asked = [(2, 41), (2, 61), (8, 3), (16, 2.3)]  # columns of the image, and of the result or a factor
    shape, inputs, cases = MIDDLES[kind], [], {}
    for columns, given in asked:
        others = shape[2:] if isinstance(given, int) else (1.0,) * (len(shape) - 2)
        resize = resized("nearest-exact", **{"size" if isinstance(given, int) else "scale_factor": (*others, given)})
        for dtype in (torch.float32, torch.float64):
            x = torch.randn(*shape, columns, dtype=dtype)
            place = len(inputs)
            cases[f"{columns} to {given}, {dtype}"] = lambda *xs, place=place, resize=resize: resize(xs[place])
            inputs.append(x.contiguous(memory_format=torch.channels_last) if "last" in kind else x)
    check_all(cases, *inputs, threads=(1,))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.uint8])
def test_element_types(dtype):
    x = torch.randint(0, 255, (1, 2, 9, 100)).to(dtype)
    cases = {f"nearest {f}": resized("nearest", scale_factor=f) for f in (1.001, 2.3, 0.7)}
    if dtype != torch.float64:  # whose error torch cannot be compared by
        cases["bilinear"] = resized("bilinear", size=(8, 8))
    check_all(cases, x, threads=(1,), in_torch=int(dtype == torch.uint8))


OPEN = {
    "nearest, twice": resized("nearest", scale_factor=2.0), "nearest to": resized("nearest", size=(13, 17)),
    "nearest middle, twice": resized("nearest-exact", scale_factor=2.0), "nearest middle to": resized("nearest-exact", size=(13, 17)),
    "bilinear to": resized("bilinear", size=(13, 17)), "corners": resized("bilinear", scale_factor=2.0, align_corners=True),
    "bilinear, twice": resized("bilinear", scale_factor=2.0),
}  # fmt: skip


def test_open_sizes_are_compiled_once():
    class Model(torch.nn.Module):
        def forward(self, x):
            return {name: f(x) for name, f in OPEN.items()}

    first = torch.randn(1, 2, 8, 9)
    with torch.no_grad():
        fast = sol.optimize(Model().eval(), [first], dynamic_shapes=({2: Dim("h"), 3: Dim("w")},))
        for size in ((8, 9), (3, 3), (5, 100), (13, 17)):
            x = torch.randn(1, 2, *size)
            for name, f in OPEN.items():
                assert not differs(fast(x)[name], f(x), f(x.double())), (name, size)
    assert "upsample" not in str(sol.explain(fast, [first]))


@pytest.mark.parametrize("shape", [(1, 2, 5, 6), (2, 3, 9, 17), (1, 1, 33, 16), (1, 2, 1, 1)])
def test_cubic_interpolation_and_antialiasing(shape):
    cases, (height, width) = {}, shape[2:]
    for mode, antialias in (("bicubic", False), ("bicubic", True), ("bilinear", True)):
        for align in (False, True):
            own = {"align_corners": align, "antialias": antialias}
            cases |= {f"{mode} {own} by {f}": resized(mode, scale_factor=f, **own) for f in ((0.75, 0.8), 1.0, (2.5, 1.3))
                      if min(shape[2:]) > 1 or f == 1.0}  # fmt: skip
            sizes = ((2 * height // 3 + 1, 2 * width - 1), (height + 3, 2 * width // 3 + 1), (height, width + 1), (2 * height, 3 * width))
            cases |= {f"{mode} {own} to {size}": resized(mode, size=size, **own) for size in sizes}
    check_all(cases, torch.randn(shape), threads=(1,))


def test_a_filter_of_many_taps_is_left_to_torch():
    class Smaller(torch.nn.Module):
        def forward(self, x):
            return F.interpolate(x * 2, (5, 5), mode="bicubic", antialias=True) + 1

    x = torch.randn(1, 1, 100, 100)
    assert not differs(sol.optimize(Smaller(), [x])(x), Smaller()(x))
    assert "80 taps" in sol.explain(Smaller(), [x]).torch[0].reason
