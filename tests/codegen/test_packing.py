"""Kernels that pack weights, compared bit by bit with numpy: every packer, instruction set and team, sizes around vectors and panels."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sol.codegen import packers
from sol.codegen.packing import PACKERS, Recipe, Turned, make_pack, packed_shape, packer, packing_of
from sol.codegen.plan import Pack
from sol.codegen.program import kernel_source
from sol.codegen.targets import by_name, resolve, runnable
from sol.errors import SolError
from sol.ir.graph import Attrs
from sol.ir.ops.move import turned_filters
from sol.ir.storage import as_stored
from sol.ir.types import DType
from sol.runtime.packers import Batch, packed
from tests.codegen.reference_packers import REFERENCES, apply_pack

Case = tuple[Pack, tuple[int, ...], str]
LANES = (4, 8, 16)


def case(kind: str, shape: tuple[int, ...], dtype: str = "f4", **attrs: Any) -> Case:
    return make_pack(kind, **attrs), shape, dtype


def moves() -> Iterator[Case]:
    """Packers that every element passes unchanged, of all sizes of elements that they are used with."""
    for dtype in ("i1", "i2", "f4", "f8"):
        yield case("plain", (3, 5, 7), dtype)
        yield from (case("channels", (1, n, 1, 1), dtype, block=16) for n in (1, 15, 16, 17, 33))
        yield from (case("gemm_rows", shape, dtype) for shape in [(1, 1), (33, 7), (65, 130)])
        for shape, rank in [((2, 17, 3, 5), 4), ((17, 1, 1), 4), ((1, 33, 7), 3)]:
            yield from (case("blocked", shape, dtype, block=block, rank=rank) for block in (4, 16))
        for shape in [(1, 1), (7, 33), (33, 8), (2, 3, 17, 15), (520, 41), (41, 520)]:
            for t in (False, True):
                yield from (case("gemm_panels", shape, dtype, width=n * lanes, lanes=lanes, transposed=t) for n, lanes in [(1, 16), (3, 8)])
        for shape, groups in [((8, 6, 3, 3), 2), ((34, 18, 2, 2), 1), ((6, 66, 3), 2), ((1, 1, 1, 1), 1)]:
            yield from (case("conv_plain", shape, dtype, groups=groups, width=16, transposed=t) for t in (False, True))
    for shape in [(1, 1), (33, 7), (16, 32), (17, 65), (64, 130), (48, 31)]:
        yield from (case("matrix_parts", shape, transposed=t, slice=2) for t in (False, True))
    yield case("matrix_parts", (40, 133, 1, 1), transposed=True, slice=4)
    for units in (1, 7, 16, 33):
        for lanes in LANES:
            yield case("recurrent_panels", (3 * units, units), gates=3, lanes=lanes, step=4)
            yield case("recurrent_bias", (4 * units,), gates=4, lanes=lanes)


def filters() -> Iterator[Case]:
    """Weights of convolutions."""
    shapes = [(1, 1, 3, 3), (17, 7, 3, 3), (33, 15, 1, 1), (70, 37, 1, 7), (64, 64, 3, 3), (130, 33, 5), (12, 16, 2, 2, 2), (16, 160, 3, 3)]
    for lanes in LANES:
        for vectors in (1, 3, 5):
            for shape in shapes:
                yield case("conv_panels", shape, lanes=lanes, vectors=vectors, groups=1)
                yield case("conv_stem", shape, lanes=lanes, vectors=vectors)
            yield from (case("conv_panels", (k, 9, 2, 3), lanes=lanes, vectors=vectors, groups=g) for k, g in [(12, 2), (70, 5)])
        yield case("conv_selected", (33, 17, 1, 1), lanes=lanes, vectors=2, order=tuple(reversed(range(17))))
        for k in (1, 7, 16, 17, 33):
            yield from (case("conv_depthwise", (k, 1, *kernel), block=lanes) for kernel in [(3, 3), (5,)])
            yield from (case("conv_grouped", (k, g, *kernel), block=lanes) for g, kernel in [(3, (3, 3)), (4, (1, 1))])
    yield case("conv_panels", (33, 9, 3, 3), "i2", lanes=16, vectors=1, groups=1)
    for columns, depth, width in ((1, 32, 16), (33, 64, 32), (70, 96, 48), (64, 2, 32), (50, 37, 48), (97, 601, 48), (3, 1, 16)):
        yield case("gemm_pairs", (columns, depth), "i2", width=width, lanes=16)
    for shape, groups in (((1, 1, 1, 1), 1), ((33, 9, 3, 3), 1), ((70, 35, 1, 1), 1), ((64, 32, 2, 3), 2), ((40, 17, 1, 5), 1)):
        for vectors, block in ((1, 16), (2, 16), (1, 32), (2, 32)):
            yield case("conv_pairs", shape, "i2", lanes=16, vectors=vectors, groups=groups, block=block)
    for shape in ((1, 1, 2, 2), (64, 3, 7, 7), (40, 3, 3, 3), (17, 5, 9), (33, 4, 1, 6)):
        yield from (case("conv_windows", shape, "i2", lanes=16, vectors=vectors, block=32) for vectors in (1, 2))


def of_bytes() -> Iterator[Case]:
    for shape in [(1, 1), (7, 33), (33, 8), (2, 30, 41), (64, 50), (50, 64)]:
        for t in (False, True):
            widths = [(16, 16), (24, 8), (4, 4)]
            yield from (case("int_panels", shape, "i1", width=width, lanes=lanes, transposed=t) for width, lanes in widths)
    layers = [((17, 7, 3, 3), 1, False), ((16, 8, 1, 1), 1, False), ((12, 5, 3), 2, False), ((9, 1, 3, 5), 9, True), ((6, 1, 7), 6, True)]
    for shape, groups, neighbours in layers:
        yield from (case("int_taps", shape, "i1", groups=groups, rows=rows, neighbours=neighbours) for rows in (1, 4, 6))
    for shape in ((1, 1, 1, 1), (17, 7, 3, 3), (40, 64, 1, 1), (33, 70, 1, 1), (64, 35, 2, 3)):
        for lanes, vectors in ((16, 2), (16, 1), (8, 3), (4, 1)):
            yield case("conv_quads", shape, "i1", lanes=lanes, vectors=vectors, block=lanes, rounded=4)
        yield case("conv_quads", shape, "i1", lanes=16, vectors=2, block=64, rounded=64)
    for shape, pixel in (((1, 1, 1, 2), 4), ((40, 3, 7, 7), 4), ((33, 17, 3, 3), 32), ((17, 7, 2, 5), 8)):
        for vectors in (1, 2):
            yield case("conv_rows", shape, "i1", lanes=16, vectors=vectors, pixel=pixel, step=64)
    for shape in ((1, 1, 3, 3), (17, 7, 3, 3), (33, 70, 3, 1), (40, 6, 2, 3)):
        for lanes, vectors, my, mx in ((8, 2, 4, 2), (16, 3, 2, 3), (4, 1, 3, 1)):
            yield case("winograd_words", shape, "i1", lanes=lanes, vectors=vectors, my=my, mx=1 if shape[3] == 1 else mx + (mx == 1))
    for shape in ((1, 1, 1, 1), (9, 1, 3, 5), (33, 1, 3, 3), (16, 1, 2, 4)):
        for lanes, neighbours in ((16, True), (16, False), (4, True)):
            yield case("depthwise_bytes", shape, "i1", lanes=lanes, neighbours=neighbours)
    tiles = [((17, 7, 3, 3), 1, 2), ((40, 64, 1, 1), 1, 16), ((33, 70, 1, 1), 1, 9), ((12, 24, 1, 1), 2, 6), ((12, 5, 3), 2, 1)]
    for shape, groups, quads in tiles:
        yield case("int_tiles", shape, "i1", groups=groups, rows=16, quads=quads)


def transforms() -> Iterator[Case]:
    """Packers that compute."""
    for shape in [(1, 1, 1, 1), (16, 16, 1, 1), (32, 48, 3, 3), (48, 32, 7), (17, 33, 3, 3), (40, 20, 3, 1)]:
        yield case("inner_product_panels", shape)
        yield from (case("inner_product_scales", shape, taps=taps) for taps in (1, 3))
    for shape, chunks in (((32, 48, 3, 3), 3), ((17, 96, 1, 1), 2), ((40, 64), 4)):
        yield case("inner_product_panels", shape, chunks=chunks)
        yield case("inner_product_scales", shape, taps=int(np.prod(shape[2:])), chunks=chunks)
    order = tuple(reversed(range(33)))
    yield case("inner_product_scales", (17, 33, 1, 1), order=order)
    yield case("inner_product_selected", (17, 33, 1, 1), order=order)
    for groups in (1, 2, 4):
        yield case("inner_product_groups", (64, 32, 3, 3), groups=groups)
        yield case("inner_product_scales", (64, 32, 3, 3), groups=groups)
    for my, mx in [(4, 2), (6, 6), (1, 4)]:
        for shape in [(50, 11, 3, 3), (1, 1, 3, 3), (33, 17, 3, 3), (48, 16, 3, 3), (5, 21, 5, 3 if mx == 6 else 5)]:
            if my + shape[2] <= 11:
                tiles = [(8, 2), (16, 1), (4, 3), (16, 3)]
                yield from (case("winograd_panels", shape, lanes=lanes, vectors=v, my=my, mx=mx) for lanes, v in tiles)
        yield from (case("winograd_inner_product", shape, my=my, mx=mx) for shape in [(50, 16, 3, 3), (16, 48, 3, 3)])
    yield case("winograd_panels", (20, 6, 5), lanes=4, vectors=2, my=1, mx=3)


CASES = [*moves(), *filters(), *of_bytes(), *transforms()]
ULP = ("winograd_panels", "winograd_inner_product")
"""What is rounded from sums in float64, whose order may change the last bit."""


@functools.cache
def array_of(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    draw = np.random.default_rng(1)
    return draw.integers(-120, 120, shape).astype(dtype) if dtype[0] == "i" else draw.standard_normal(shape).astype(dtype)


@functools.cache
def expected(index: int) -> np.ndarray:
    pack, shape, dtype = CASES[index]
    return apply_pack(pack, array_of(shape, dtype))


def same(got: np.ndarray, want: np.ndarray, kind: str) -> None:
    assert got.dtype == want.dtype and got.size == want.size
    got, want = got.reshape(-1), want.reshape(-1)
    if kind in ULP:
        np.testing.assert_array_max_ulp(got, want, 1)
    else:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("isa", runnable())
def test_packed_as_numpy_does(isa: str, threads: int) -> None:
    target = resolve(isa)
    target = replace(target, machine=replace(target.machine, calls=replace(target.machine.calls, packed=0)))  # all in a team
    for index, (pack, shape, dtype) in enumerate(CASES):
        try:
            same(packed(pack, array_of(shape, dtype), target, threads), expected(index), pack.kind)
        except AssertionError as error:
            raise AssertionError(f"{pack} of {dtype}{shape}: {error}") from error


def test_what_fills_its_memory_needs_no_zeros() -> None:
    seen = set()
    for index, (pack, shape, dtype) in enumerate(CASES):
        packing = packing_of(pack, shape, np.dtype(dtype))
        if packing.fills:
            got, batch = np.full(packing.shape, 77, dtype), Batch(threads=2)
            batch.add(pack, array_of(shape, dtype), got.ctypes.data)
            batch.run()
            same(got, expected(index), pack.kind)
            seen.add(pack.kind)
    assert seen >= {"plain", "channels", "conv_panels", "conv_stem", "gemm_panels", "winograd_panels", "conv_depthwise"}
    assert seen >= {"inner_product_panels", "winograd_inner_product"}
    padded = (("inner_product_panels", (16, 17, 3, 3)), ("winograd_inner_product", (17, 16, 3, 3)))
    assert not any(packing_of(make_pack(kind, **({"my": 4, "mx": 4} if kind.startswith("w") else {})), shape, np.dtype(np.float32)).fills
                   for kind, shape in padded)  # fmt: skip


TURNED = {
    "conv_panels", "conv_pairs", "conv_windows", "conv_stem", "conv_selected", "conv_depthwise", "conv_grouped", "winograd_panels",
    "winograd_inner_product", "inner_product_panels", "inner_product_scales", "inner_product_selected", "inner_product_groups",
}  # fmt: skip
"""Packers that read turned filters from where the filters lie; others get them turned."""


@pytest.mark.parametrize("step", [-1, -2])
@pytest.mark.parametrize("isa", runnable())
def test_turned_filters_are_packed_as_copies_of_them_are(isa: str, step: int) -> None:
    seen = set()
    for pack, shape, dtype in [*filters(), *transforms()]:
        groups = shape[0] if pack.kind == "conv_depthwise" else dict(pack.attrs).get("groups", 1)
        kernel = tuple(n if step == -1 else 2 * n for n in shape[2:])
        turned = Turned(groups, tuple((k - 1, step, n) for k, n in zip(kernel, shape[2:])), kernel)
        if not packing_of(pack, shape, np.dtype(dtype), turned).turns:
            continue
        seen.add(pack.kind)
        fills = packing_of(pack, shape, np.dtype(dtype), turned).fills
        given = array_of((shape[1] * groups, shape[0] // groups, *kernel), dtype)
        want = packed(pack, turned_filters(Attrs({"groups": groups, "taps": turned.taps}), given), resolve(isa), 1)
        got, batch = np.full_like(want, 77 if fills else 0), Batch(resolve(isa), 2)
        batch.add(pack, given, got.ctypes.data, None, shape, turned)
        batch.run()
        same(got, want, pack.kind)
    assert seen == TURNED


@pytest.mark.parametrize("turned", [None, Turned(1, ((2, -1, 3),) * 2, (3, 3))])
@pytest.mark.parametrize("isa", runnable())
def test_constants_are_rounded_on_the_way(isa: str, turned: Turned | None) -> None:
    """Of float32 to bfloat16, before they are packed."""
    pack, shape = make_pack("conv_pairs", lanes=16, vectors=2, groups=1, block=16), (33, 19, 3, 3)
    given = array_of(shape if turned is None else (19, 33, 3, 3), "f4")
    got, want = (np.zeros(packing_of(pack, shape, np.dtype("u2")).shape, np.uint16) for _ in range(2))
    for array, out, rounded in ((given, got, True), (as_stored(given, DType.BF16), want, False)):
        batch = Batch(resolve(isa), 2)
        batch.add(pack, array, out.ctypes.data, None, shape, turned, rounded)
        batch.run()
    same(got, want, pack.kind)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("kind, shape", [("gemm_pairs", shape) for shape in ((33, 70), (200, 64), (1, 6), (70, 333))])
def test_a_rounded_matrix_is_read_along_and_across(isa: str, kind: str, shape: tuple[int, int]) -> None:
    """Its memory may be that of its transpose. NaN stays NaN, and denormal numbers stay what they are."""
    pack, given = make_pack(kind, lanes=16, width=32), array_of(shape, "f4")
    given.reshape(-1)[:4] = np.nan, 1e-39, np.inf, 3.4e38
    got, along, want = (np.zeros(packing_of(pack, shape, np.dtype("u2")).shape, np.uint16) for _ in range(3))
    batch = Batch(resolve(isa), 2)
    batch.add(pack, np.ascontiguousarray(given.T), got.ctypes.data, None, shape, None, True, True)
    batch.add(pack, given, along.ctypes.data, None, shape, None, True)
    batch.add(pack, as_stored(given, DType.BF16), want.ctypes.data)
    batch.run()
    same(got, want, pack.kind)
    same(along, want, pack.kind)


def test_constants_one_after_the_other_share_memory_for_what_is_rounded() -> None:
    """As much of it is held as the largest of them takes; each is whole nevertheless, whichever thread packs it."""
    pack = make_pack("conv_pairs", lanes=16, vectors=2, groups=1, block=16)
    shapes = [(64, 48, 3, 3), (32, 100, 1, 1), (64, 47, 3, 3), (64, 48, 3, 3)]
    given, batch = [array_of(shape, "f4") + i for i, shape in enumerate(shapes)], Batch(resolve("native"), 3)
    found = [np.zeros(packing_of(pack, shape, np.dtype("u2")).shape, np.uint16) for shape in shapes]
    for array, out in zip(given, found):
        batch.add(pack, array, out.ctypes.data, None, array.shape, None, True)
    launches = batch.launches()
    assert launches.held == 2 * given[0].size
    for _ in range(20):
        launches.run()
        for array, out in zip(given, found):
            same(out, packed(pack, as_stored(array, DType.BF16)), pack.kind)
            out[...] = 0


def test_narrow_groups_are_turned_before() -> None:
    assert not packing_of(make_pack("conv_grouped", block=16), (16, 4, 3, 3), np.dtype("f4"), Turned(4, ((2, -1, 3),) * 2, (3, 3))).turns


def test_all_packers_are_compared() -> None:
    assert {pack.kind for pack, _, _ in CASES} == set(PACKERS) == set(REFERENCES)


@pytest.mark.parametrize("stream", [False, True])
def test_weights_are_packed_again_in_place_with_factors_on_the_way(stream: bool) -> None:
    """Launches leave what they do not write, so that padding stays zero; constants that share temporaries are packed together."""
    draw = np.random.default_rng(2)
    cases = [(i, pack, shape) for i, (pack, shape, dtype) in enumerate(CASES) if dtype == "f4"]
    memory: dict[int, np.ndarray] = {}
    for _ in range(2):
        batch, found = Batch(threads=2, stream=stream), []
        for i, pack, shape in cases:
            array = draw.standard_normal(shape).astype(np.float32)
            scales = packing_of(pack, shape, array.dtype).scales
            factor = draw.uniform(0.5, 2, shape[0]).astype(np.float32) if scales else None
            out = memory.setdefault(i, aligned(packed_shape(pack, shape)))
            batch.add(pack, array, out.ctypes.data, factor)
            scaled = array if factor is None else array * factor.reshape(-1, *[1] * (array.ndim - 1))
            found.append((pack, out, scaled))
        batch.run()
        for pack, out, scaled in found:
            same(out, apply_pack(pack, scaled), pack.kind)


@pytest.mark.parametrize("turned", [None, Turned(1, ((2, -1, 3), (2, -1, 3)), (3, 3))])
def test_factors_of_channels_are_found_once_for_both_forms(turned: Turned | None) -> None:
    """Weights and inputs of the fast inner product are scaled by the same ones, whichever way the constant is read."""
    w, batch = array_of((32, 48, 3, 3), "f4"), Batch(threads=1)
    shape = w.shape if turned is None else (48, 32, 3, 3)
    for pack in (make_pack("inner_product_scales", taps=1), make_pack("winograd_inner_product", my=2, mx=2)):
        batch.add(pack, w, aligned(packed_shape(pack, shape)).ctypes.data, shape=shape, turned=turned)
    assert sorted(launch.kernel for launch, _ in batch._launches) == ["pack_inner_product", "pack_scales", "pack_signs", "pack_winograd"]


def aligned(shape: tuple[int, ...]) -> np.ndarray:
    """Zeros that start with a cache line."""
    raw = np.zeros(int(np.prod(shape)) * 4 + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + int(np.prod(shape)) * 4].view(np.float32).reshape(shape)


@pytest.mark.parametrize("kind", ["inner_product_panels", "inner_product_scales",
    "winograd_inner_product"])
@pytest.mark.parametrize("broken", [0, np.nan, np.inf, 1e-30, 3e38])
def test_weights_that_are_no_ordinary_numbers(kind: str, broken: float) -> None:
    attrs = {"my": 4, "mx": 4} if kind == "winograd_inner_product" else {}
    w = np.random.default_rng(3).standard_normal((32, 32, 3, 3)).astype(np.float32)
    w[3], w[:, 5], w[7, 9] = broken, broken, broken
    pack = make_pack(kind, **attrs)
    with np.errstate(all="ignore"):
        same(packed(pack, w), apply_pack(pack, w), "winograd_inner_product" if kind == "winograd_inner_product" else kind)


def test_nothing_is_packed_of_nothing() -> None:
    assert packed(make_pack("conv_panels", lanes=8, vectors=1, groups=1), np.zeros((0, 3, 3, 3), np.float32)).size == 0


def test_equal_packs_are_equal() -> None:
    assert make_pack("channels", block=8) == make_pack("channels", block=8) != make_pack("channels", block=16)


def test_unknown_and_double_names_and_other_types() -> None:
    with pytest.raises(SolError, match="unknown packer nothing"):
        make_pack("nothing")
    with pytest.raises(SolError, match="plain is registered twice"):
        packer("plain", lambda shape: shape)(lambda recipe: None)
    with pytest.raises(SolError, match="inner_product_panels takes float32, not float64"):
        packing_of(make_pack("inner_product_panels"), (16, 16, 1, 1), np.dtype(np.float64))
    with pytest.raises(SolError, match="calls pack_copy with 0 buffers"):
        Recipe("odd", (3,), 4).launch(packers.COPY, (), ())


@pytest.mark.parametrize("kernel", packers.KERNELS, ids=lambda k: k.name)
def test_a_kernel_is_one_text_for_every_target_and_network(kernel: Any) -> None:
    text = kernel_source(kernel).text
    assert text == kernel_source(kernel).text and f"void {kernel.name}(" in text


def test_a_target_of_another_machine_is_packed_for_here() -> None:
    pack, array = make_pack("conv_panels", lanes=4, vectors=2, groups=1), array_of((17, 7, 3, 3), "f4")
    foreign = "neon" if "neon" not in runnable() else "avx512"
    same(packed(pack, array, by_name(foreign)), apply_pack(pack, array), pack.kind)
