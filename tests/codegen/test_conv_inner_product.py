"""Convolution by Winograd's inner product against the float64 interpreter, wherever this machine has vectors of 16 lanes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sol.codegen import targets
from sol.codegen.kernels import conv_inner_product, families, inner_product
from sol.codegen.kernels.conv_inner_product import max_error
from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.machines import ZEN4, ZEN5
from sol.codegen.packing import make_pack
from sol.codegen.targets import by_name
from sol.ir.dim import Dim
from sol.ir.interpret import evaluate
from sol.runtime.packers import packed as packed_weight
from tests.codegen import conv_cases
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import check, conv_graph, random
from tests.codegen.reference_packers import padded_scales
from tests.codegen.test_conv_direct import add_relu, divide, plane, scale_silu
from tests.codegen.test_conv_pooled import POOLS, pooled
from tests.codegen.test_conv_prologue import case, nothing, relu, scale_shift_relu
from tests.codegen.test_conv_prologue import pooled as pooled_head
from tests.harness import as_region, run_region


@pytest.fixture(autouse=True, params=[1, 2], ids=["one vector", "two vectors"])
def forced(request, monkeypatch):
    """Only this way, also where it does not pay; there is none other to fall back to. With so many output vectors in a register tile."""
    machine = ZEN4 if request.param == 1 else ZEN5
    monkeypatch.setattr(targets, "TARGETS", dict(targets.TARGETS, avx512=replace(targets.TARGETS["avx512"], machine=machine)))
    assert by_name("avx512").pair_vectors == request.param
    always = tuple(map(conv_cases.forced, conv_inner_product.CANDIDATES))
    monkeypatch.setattr(families, "candidates", lambda _: always)


def borders(padding) -> dict[str, tuple]:
    y, x = (padding, padding) if isinstance(padding, int) else padding
    return {"x": ((y, y), (x, x))}


def relative_error(graph, inputs, arrays, *, threads: int = 1, padding=0) -> float:
    """In units of the largest output."""
    region = as_region(graph, "dnn", "conv", block=16)
    (got,) = run_region(region, inputs, arrays, isa="avx512", threads=threads, borders=borders(padding))
    double = {n: v.astype(np.float64) for n, v in inputs.items()}
    want = evaluate(graph, double, arrays, precision=np.float64)[graph.outputs[0]]
    return float(np.abs(got - want).max() / np.abs(want).max())


SIZES = [((1, 1), 2), ((7, 7), 3), ((14, 14), 5), ((13, 5), 1), ((2, 37), 2)]
KERNELS = [((1, 1), 1, 0, 1), ((3, 3), 1, 1, 1), ((1, 7), 1, (0, 3), 1), ((3, 3), 2, 1, 1), ((1, 1), 2, 0, 1), ((3, 3), 1, 2, 2)]


@pytest.mark.parametrize("groups,size,threads,kernel,stride,padding,dilation", thinned(SIZES, KERNELS, on=[1, 3]))
def test_shapes(size, threads, kernel, stride, padding, dilation, groups):
    options = dict(stride=stride, padding=padding, dilation=dilation, groups=groups)
    graph, inputs, arrays, _ = conv_graph((1, 32 * groups, *size), 48 * groups, kernel, **options)
    check(graph, inputs, arrays, isa="avx512", threads=threads, borders=borders(padding))


@pytest.mark.parametrize("kernel,c,k,epilogue", thinned([(8, 8), (24, 40), (17, 33), (31, 16), (122, 5)], [None, divide], on=[1, 3]))
def test_part_of_a_vector_of_channels(c, k, kernel, epilogue):
    graph, inputs, arrays, _ = conv_graph((2, c, 9, 7), k, (kernel, kernel), padding=kernel // 2, epilogue=epilogue)
    check(graph, inputs, arrays, isa="avx512", threads=2, borders=borders(kernel // 2))


@pytest.mark.parametrize("batch,threads", [(2, 1), (3, 2), (2, 5), (3, 5)])
@pytest.mark.parametrize("groups,kernel", [(1, 1), (1, 3), (4, 3)])
@pytest.mark.parametrize("symbolic", [False, True])
def test_batches(batch, threads, groups, kernel, symbolic):
    dims = (Dim.symbol("n"), 64, 7, 7) if symbolic else None
    graph, inputs, arrays, _ = conv_graph((batch, 64, 7, 7), 64, (kernel, kernel), padding=kernel // 2, groups=groups, dims=dims)
    symbols = {"n": batch} if symbolic else None
    check(graph, inputs, arrays, isa="avx512", threads=threads, borders=borders(kernel // 2), symbols=symbols)


@pytest.mark.parametrize("bias,epilogue,groups,kernel", thinned([add_relu, scale_silu, plane], [(1, 1), (2, 3)], on=[True, False]))
def test_epilogues(epilogue, groups, kernel, bias):
    more = {"padding": kernel // 2, "groups": groups, "bias": bias, "epilogue": epilogue}
    graph, inputs, arrays, conv = conv_graph((2, 64, 9, 11), 64, (kernel, kernel), **more)
    around = borders(kernel // 2) | ({"r": ((1, 1), (2, 0))} if epilogue is add_relu else {})
    check(graph, inputs, arrays, isa="avx512", threads=2 + bias, borders=around, plain=("p",) if epilogue is plane else ())


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_pools(name, threads):
    graph, inputs, arrays, _ = conv_graph((2, 32, 7, 7), 96, (3, 3), padding=1, epilogue=pooled(name))
    check(graph, inputs, arrays, isa="avx512", threads=threads, borders=borders(1))


@pytest.mark.parametrize("c,k", [(33, 40), (24, 17), (47, 31)])
@pytest.mark.parametrize("epilogue", [add_relu, scale_silu, pooled("mean"), divide])
def test_epilogues_of_channels_that_fill_no_whole_vectors(c, k, epilogue):
    graph, inputs, arrays, _ = conv_graph((1, c, 7, 9), k, (1, 1), epilogue=epilogue)
    check(graph, inputs, arrays, isa="avx512", threads=2)


def test_a_residual_sum_before_a_pool():
    def epilogue(b, y, inputs):
        return b.add("mean", [add_relu(b, y, inputs)], dims=(2, 3), keepdims=False)

    graph, inputs, arrays, _ = conv_graph((1, 64, 9, 11), 64, (1, 1), epilogue=epilogue)
    check(graph, inputs, arrays, isa="avx512", threads=3, borders={"r": ((1, 1), (1, 0))})


OBLONG = dict(kernel=(3, 2), stride=(2, 1), divisor=7)
HEADS = [scale_shift_relu, relu, pooled_head(scale_shift_relu), pooled_head(relu, **OBLONG), pooled_head(nothing)]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("size,stride,threads", [((14, 14), 1, 2), ((7, 7), 1, 5), ((9, 20), 2, 3), ((30, 6), 1, 1)])
def test_an_input_that_is_made_on_the_way(head, size, stride, threads):
    graph, inputs, arrays = case((2, 48, *size), 64, head, stride=stride)
    check(graph, inputs, arrays, isa="avx512", threads=threads)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_an_input_that_is_made_for_any_batch(threads):
    graph, inputs, arrays = case((3, 32, 7, 7), 32, scale_shift_relu, dims=(Dim.symbol("n"), 32, 7, 7))
    check(graph, inputs, arrays, isa="avx512", threads=threads, symbols={"n": 3})


def inverse(b, x, inputs, arrays):
    """Infinite in lanes that hold no channel."""
    inputs["x"] = np.abs(inputs["x"]) + 1
    return b.add("div", [b.constant(np.float32(1)), x])


@pytest.mark.parametrize("c,head", [(40, scale_shift_relu), (24, inverse), (17, inverse)])
def test_an_input_of_part_of_a_vector_that_is_made_on_the_way(c, head):
    graph, inputs, arrays = case((2, c, 7, 9), 64, head)
    check(graph, inputs, arrays, isa="avx512", threads=3)


def test_an_input_with_a_wider_border_than_needed():
    """Rows of a packed band do not lie one behind the other then."""
    graph, inputs, arrays, conv = conv_graph((1, 32, 9, 20), 32, (3, 3), padding=1, groups=2)
    check(graph, inputs, arrays, isa="avx512", threads=2, borders={"x": ((2, 1), (1, 3)), conv: ((1, 1), (1, 0))})


@pytest.mark.parametrize("factor", [1e-30, 1e20])
@pytest.mark.parametrize("groups,kernel", [(1, 1), (2, 3)])
def test_magnitudes(factor, groups, kernel):
    graph, inputs, arrays, _ = conv_graph((1, 64, 7, 9), 64, (kernel, kernel), padding=kernel // 2, groups=groups, bias=False)
    inputs["x"] *= np.float32(factor)
    assert relative_error(graph, inputs, arrays, padding=kernel // 2) < max_error(64 // groups * kernel**2)
    inputs["x"] /= np.float32(factor)
    arrays["w"] *= np.float32(factor)
    assert relative_error(graph, inputs, arrays, padding=kernel // 2) < max_error(64 // groups * kernel**2)


@pytest.mark.parametrize("groups,kernel", [(1, 1), (1, 3), (2, 3)])
def test_zeros_beside_what_is_huge(groups, kernel):
    """Pixels and output channels of zeros, and some a million times as large as the others, cost no digits of those."""
    graph, inputs, arrays, _ = conv_graph((1, 64, 14, 14), 64, (kernel, kernel), padding=kernel // 2, groups=groups, bias=False)
    inputs["x"][:, :, 3:5] = 0
    inputs["x"][:, :, 9, 9] *= 1e6
    arrays["w"][5] = 0
    arrays["w"][6] *= 1e6
    assert relative_error(graph, inputs, arrays, padding=kernel // 2) < max_error(64 // groups * kernel**2)
    inputs["x"][...] = 0
    (got,) = run_region(as_region(graph, "dnn", "conv", block=16), inputs, arrays, isa="avx512", threads=1, borders=borders(kernel // 2))
    assert not got.any()


def test_each_pixel_of_a_dense_convolution_keeps_its_digits():
    """Pixels are scaled one by one, so are output channels."""
    graph, inputs, arrays, _ = conv_graph((1, 128, 6, 6), 64, (1, 1), bias=False)
    pixels, channels = (10.0 ** np.arange(-18, 18).reshape(6, 6)).astype(np.float32), (10.0 ** np.linspace(-15, 15, 64)).astype(np.float32)
    inputs["x"] *= pixels
    arrays["w"] *= channels[:, None, None, None]
    (got,) = run_region(as_region(graph, "dnn", "conv", block=16), inputs, arrays, isa="avx512", threads=1)
    want = np.einsum("kc,ncyx->nkyx", arrays["w"][:, :, 0, 0].astype(np.float64), inputs["x"])
    scale = np.abs(want / pixels / channels[:, None, None]).max()
    assert np.abs((got - want) / pixels / channels[:, None, None]).max() < scale * max_error(128)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("groups,kernel", [(1, 1), (1, 3), (2, 3)])
def test_what_is_not_finite_reaches_the_outputs_that_read_it_and_no_others(value, groups, kernel):
    graph, inputs, arrays, _ = conv_graph((1, 64, 7, 9), 64, (kernel, kernel), padding=kernel // 2, groups=groups)
    inputs["x"][0, 3, 4, 4] = value
    region = as_region(graph, "dnn", "conv", block=16)
    (got,) = run_region(region, inputs, arrays, isa="avx512", threads=2, borders=borders(kernel // 2))
    double = {n: v.astype(np.float64) for n, v in inputs.items()}
    want = evaluate(graph, double, arrays, precision=np.float64)[graph.outputs[0]]
    np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
    infinite = np.isinf(got)
    np.testing.assert_array_equal(got[infinite], want[infinite])
    np.testing.assert_allclose(got[np.isfinite(got)], want[np.isfinite(want)], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("c,k,size,kernel,groups", [
    (16, 16, 7, 1, 1), (256, 64, 14, 1, 1), (4096, 32, 5, 1, 1), (128, 32, 9, 3, 1), (64, 64, 14, 3, 4), (256, 64, 7, 3, 2),
])  # fmt: skip
@pytest.mark.parametrize("relu", [False, True])
def test_error_stays_below_its_bound(c, k, size, kernel, groups, relu):
    graph, inputs, arrays, _ = conv_graph((1, c, size, size), k, (kernel, kernel), padding=kernel // 2, groups=groups, bias=False)
    if relu:
        inputs["x"] = np.maximum(inputs["x"], 0)
    assert relative_error(graph, inputs, arrays, padding=kernel // 2) < max_error(c // groups * kernel**2)


@pytest.mark.parametrize("groups", [1, 2])
def test_results_do_not_depend_on_the_team(groups):
    graph, inputs, arrays, _ = conv_graph((1, 64, 14, 14), 96, (3, 3), padding=1, groups=groups, epilogue=add_relu)
    region = as_region(graph, "dnn", "conv", block=16)
    results = [run_region(region, inputs, arrays, isa="avx512", threads=t, borders=borders(1))[0] for t in (1, 2, 3, 5, 5, 2)]
    assert all((r == results[0]).all() for r in results)


@pytest.fixture
def in_chunks(monkeypatch):
    """Reductions of more than three steps go chunk by chunk; how many there were of each convolution."""
    target, found, chunks_of = by_name("avx512"), [], conv_inner_product.chunks_of
    machine = replace(target.machine, inner_product=replace(target.machine.inner_product, longest=3))
    monkeypatch.setattr(targets, "TARGETS", dict(targets.TARGETS, avx512=replace(target, machine=machine)))
    monkeypatch.setattr(conv_inner_product, "chunks_of", lambda *given: found.append(chunks_of(*given)) or found[-1])
    yield found
    assert found and min(found) > 1


CHUNKED = [
    (64, 64, (9, 11), 1), (96, 40, (7, 7), 1), (96, 16, (1, 23), 1), (96, 17, (5, 13), 1), (160, 96, (14, 14), 1), (48, 80, (6, 10), 3),
]  # fmt: skip


@pytest.mark.parametrize("batch,threads", [(1, 1), (2, 2), (3, 5)])
@pytest.mark.parametrize("c,k,size,kernel", CHUNKED)
def test_reductions_in_chunks(batch, threads, c, k, size, kernel, in_chunks):
    epilogue = (None, add_relu, divide)[(batch + c // 16) % 3]
    graph, inputs, arrays, _ = conv_graph((batch, c, *size), k, (kernel, kernel), padding=kernel // 2, epilogue=epilogue)
    around = borders(kernel // 2) | ({"r": ((1, 1), (2, 0))} if epilogue is add_relu else {})
    check(graph, inputs, arrays, isa="avx512", threads=threads, borders=around)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_chunks_of_any_batch(threads, in_chunks):
    graph, inputs, arrays, _ = conv_graph((3, 96, 7, 7), 40, (1, 1), dims=(Dim.symbol("n"), 96, 7, 7))
    check(graph, inputs, arrays, isa="avx512", threads=threads, symbols={"n": 3})


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("threads", [2, 5])
def test_pools_behind_chunks(name, threads, in_chunks):
    graph, inputs, arrays, _ = conv_graph((2, 64, 7, 7), 96, (1, 1), epilogue=pooled(name))
    check(graph, inputs, arrays, isa="avx512", threads=threads)


def test_chunks_do_not_depend_on_the_team_and_err_little(in_chunks):
    graph, inputs, arrays, _ = conv_graph((1, 4096, 9, 7), 48, (1, 1), bias=False)
    region = as_region(graph, "dnn", "conv", block=16)
    results = [run_region(region, inputs, arrays, isa="avx512", threads=t)[0] for t in (1, 2, 3, 5, 5, 2)]
    assert all((r == results[0]).all() for r in results)
    assert relative_error(graph, inputs, arrays) < max_error(4096) / 4


@pytest.mark.parametrize("value", [np.inf, np.nan, 1e25, 1e-25, 0])
def test_a_chunk_of_other_magnitude(value, in_chunks):
    graph, inputs, arrays, _ = conv_graph((1, 96, 7, 9), 48, (1, 1), bias=False)
    inputs["x"][:, 48:, 1:3] *= np.float32(value)
    region = as_region(graph, "dnn", "conv", block=16)
    (got,) = run_region(region, inputs, arrays, isa="avx512", threads=2)
    with np.errstate(invalid="ignore"):
        want = evaluate(graph, {n: v.astype(np.float64) for n, v in inputs.items()}, arrays, precision=np.float64)[graph.outputs[0]]
    finite = np.isfinite(want)
    assert not np.isfinite(got[~finite]).any()
    for row in range(7):
        exact = np.where(finite, want, 0)[:, :, row]
        np.testing.assert_allclose(np.where(finite, got, 0)[:, :, row], exact, atol=2e-6 * np.abs(exact).max(), rtol=0)


@pytest.mark.parametrize("by_block", [False, True])
@pytest.mark.parametrize("shape", [(16, 16, 1, 1), (32, 48, 3, 3), (48, 32, 7)])
def test_packed_weights(shape, by_block):
    w = random(shape, 3) * np.float32(37)
    packed = packed_weight(make_pack("inner_product_groups", groups=1) if by_block else make_pack("inner_product_panels"), w)
    scales = padded_scales(w)
    assert (np.log2(scales) % 1 == 0).all() and scales.max() == 1
    w = w / scales.reshape(-1, *[1] * (w.ndim - 2))
    taps = int(np.prod(shape[2:]))
    steps = shape[1] // 16 * taps
    assert packed.shape == (shape[0] // 16, (16 * steps + inner_product.BEHIND) * 16)
    for panel, rows in zip(packed, w.reshape(-1, 16, shape[1] // 16, 16, taps)):
        body = panel[: -3 * 16].reshape(steps, 16, 16)
        beside, factor, least = panel[-3 * 16 :].reshape(3, 16)
        want = rows.transpose(1, 3, 2, 0).reshape(body.shape)
        assert (np.abs(body) * factor == np.abs(want)).all()  # powers of two
        size = np.sqrt((body.astype(np.float64) ** 2).mean((0, 1)))
        assert ((size >= 1) & (size < 2)).all()
        share = ((np.abs(body).mean((0, 1)) * factor).max() / (size * factor).max()) ** 2
        np.testing.assert_allclose(least, inner_product.SPARSE / share, rtol=1e-5)
        at = np.arange(steps) // (taps if by_block else 1) % 2
        assert (np.sign(body) == np.sign(want) * inner_product.signs()[at][:, :, None]).all()
        products = body[:, : inner_product.PAIRS] * body[:, 8 : 8 + inner_product.PAIRS]
        np.testing.assert_allclose(beside, products.sum((0, 1)), rtol=1e-4, atol=1e-4)


def test_weights_of_zeros_are_packed_as_such():
    packed = packed_weight(make_pack("inner_product_panels"), np.zeros((16, 16, 1, 1), np.float32))
    assert not packed.any()


def _conv(channels: int, size: int, groups: int, stride: int = 1, kernel: int = 3) -> Conv:
    out = -(-size // stride)
    half = (kernel // 2,) * 2
    return Conv(None, 1, channels, channels, size, size, out, out, (kernel, kernel), (stride, stride), (1, 1), half, half, groups)


@pytest.mark.parametrize("channels,size,groups,stride,kernel,pays", [
    (512, 14, 32, 1, 3, True), (1024, 7, 32, 1, 3, True), (2048, 7, 32, 1, 3, True), (512, 28, 32, 2, 3, False), (512, 14, 32, 1, 1, False),
])  # fmt: skip
def test_groups_are_paired_where_it_pays(channels, size, groups, stride, kernel, pays):
    target = replace(by_name("avx512"), machine=ZEN4)
    choice = conv_inner_product.choose(_conv(channels, size, groups, stride, kernel), target, 1e-3, False)
    assert choice is not None
    assert (conv_inner_product.relative_cost(choice, target) < target.machine.inner_product.gain) == pays


def test_groups_that_are_no_whole_vectors_are_left_to_others():
    target = by_name("avx512")
    assert conv_inner_product.choose(_conv(256, 14, 32), target, 1e-3, False) is None
    assert conv_inner_product.choose(_conv(512, 14, 32), by_name("avx2"), 1e-3, False) is None
    assert conv_inner_product.choose(_conv(40, 14, 1), by_name("avx2"), 1e-3, False) is None
