"""Products in 16 bits: what is rounded, what moves and is read narrow, and what stays as it is."""

from __future__ import annotations

import pytest

from sol.ir.graph import Graph
from sol.ir.text import parse_graph
from sol.ir.types import DType
from sol.ir.verify import verify
from sol.passes.narrow_products import narrow_products
from tests.passes.support import CONV3, ops

WEIGHT = '  %w = parameter{target="w"}: f32[16,16,3,3]'


def narrowed(
    body: str, result: str = "%y", inputs: str = "%x: f32[2,16,5,5]", dtype: DType = DType.BF16, matrix_tiles: bool = False
) -> Graph:
    graph = parse_graph(f"graph({inputs}) {{\n{WEIGHT}\n{body}\n  return {result}\n}}")
    found = narrow_products(graph, dtype, matrix_tiles)
    verify(found)
    assert [found.type_of(o) for o in found.outputs] == [graph.type_of(o) for o in graph.outputs]
    return found


@pytest.mark.parametrize("dtype", [DType.BF16, DType.F16])
def test_a_product(dtype: DType) -> None:
    found = narrowed(f"  %y: f32[2,16,5,5] = conv(%x, %w){CONV3}", dtype=dtype)
    assert sorted(n.op for n in found.nodes) == ["cast", "cast", "cast", "conv", "input", "parameter"]
    (conv,) = (n for n in found.nodes if n.op == "conv")
    assert conv.type.dtype is dtype and all(found.type_of(v).dtype is dtype for v in conv.inputs)


IMAGE = """  %f = parameter{{target="f"}}: f32[8,{c},3,3]
  %a: f32[2,{n},5,5] = {made}
  %y: f32[2,8,5,5] = conv(%a, %f){options}"""


@pytest.mark.parametrize("made", ["neg(%x)", "mul(%x, %x)", "permute(%x){order=(0, 1, 3, 2)}"])
@pytest.mark.parametrize("tiles,dtype", [(True, DType.BF16), (True, DType.F16), (False, DType.BF16)])
def test_images_of_few_channels_are_rounded_for_matrix_tiles(tiles: bool, dtype: DType, made: str) -> None:
    text = IMAGE.format(c=3, n=3, made=made, options=CONV3)
    found = narrowed(text, inputs="%x: f32[2,3,5,5]", dtype=dtype, matrix_tiles=tiles)
    (conv,) = (n for n in found.nodes if n.op == "conv")
    assert conv.type.dtype is (DType.BF16 if tiles and dtype is DType.BF16 else DType.F32)


def test_few_channels_of_other_maps_and_of_groups_stay_wide() -> None:
    """What a product computed lies in blocks; filters of one channel each have no kernel for windows."""
    made = narrowed("""  %f = parameter{target="f"}: f32[3,16,1,1]
  %g = parameter{target="g"}: f32[8,3,3,3]
  %a: f32[2,3,5,5] = conv(%x, %f)""" + CONV3.replace("((1, 1), (1, 1))", "((0, 0), (0, 0))") + f"""
  %y: f32[2,8,5,5] = conv(%a, %g){CONV3}""", matrix_tiles=True)  # fmt: skip
    assert [n.type.dtype for n in made.nodes if n.op == "conv"] == [DType.BF16, DType.F32]
    text = IMAGE.format(c=1, n=8, made="neg(%x)", options=CONV3.replace("groups=1", "groups=8"))
    grouped = narrowed(text, inputs="%x: f32[2,8,5,5]", matrix_tiles=True)
    assert [n.type.dtype for n in grouped.nodes if n.op == "conv"] == [DType.F32]


def test_norms_are_folded_before_weights_are_rounded() -> None:
    statistics = "\n".join(f'  %{n} = parameter{{target="{n}"}}: f32[16]' for n in ("g", "h", "m", "v"))
    found = narrowed(f"""{statistics}
  %a: f32[2,16,5,5] = conv(%x, %w){CONV3}
  %y: f32[2,16,5,5] = batch_norm(%a, %g, %h, %m, %v){{eps=1e-05}}""")
    (conv,) = (n for n in found.nodes if n.op == "conv")
    assert "batch_norm" not in ops(found) and found.producer(found.producer(conv.inputs[1]).inputs[0]).op == "mul"


def test_everyone_reads_what_a_product_reads() -> None:
    """The residual is the rounded map: a widening of it, not the map before it was rounded."""
    found = narrowed(f"""  %r: f32[2,16,5,5] = relu(%x)
  %a: f32[2,16,5,5] = conv(%r, %w){CONV3}
  %y: f32[2,16,5,5] = add(%a, %r)""")
    (add,) = (n for n in found.nodes if n.op == "add")
    narrow = [found.producer(found.producer(v).inputs[0]) for v in add.inputs]
    assert [n.op for n in narrow] == ["conv", "cast"] and all(n.type.dtype is DType.BF16 for n in narrow)


@pytest.mark.parametrize("move", ["permute(%a){order=(0, 1, 3, 2)}", "pad(%a){pads=((0, 0), (0, 0), (0, 0), (0, 0)), value=0}"])
def test_moves_stay_narrow(move: str) -> None:
    found = narrowed(f"  %a: f32[2,16,5,5] = conv(%x, %w){CONV3}\n  %p: f32[2,16,5,5] = {move}\n  %y: f32[2,16,5,5] = exp(%p)")
    assert all(n.type.dtype is DType.BF16 for n in found.nodes if n.op in ("permute", "pad"))


def test_padding_stands_before_its_convolution() -> None:
    options = CONV3.replace("((1, 1), (1, 1))", "((0, 0), (0, 0))")
    found = narrowed(f"""  %p: f32[2,16,7,7] = pad(%x){{pads=((0, 0), (0, 0), (1, 1), (1, 1)), value=0}}
  %y: f32[2,16,5,5] = conv(%p, %w){options}""")
    (conv,) = (n for n in found.nodes if n.op == "conv")
    assert found.producer(conv.inputs[0]).op == "pad"


def test_joined_maps_are_narrow() -> None:
    found = narrowed(f"""  %a: f32[2,16,5,5] = conv(%x, %w){CONV3}
  %s: f32[2,16,5,5] = exp(%x)
  %y: f32[2,32,5,5] = concat(%a, %s){{dim=1}}""")
    (concat,) = (n for n in found.nodes if n.op == "concat")
    assert concat.type.dtype is DType.BF16


def test_pooling_of_a_product() -> None:
    options = "{kernel=(2, 2), stride=(2, 2), padding=((0, 0), (0, 0)), dilation=(1, 1), ceil_mode=False}"
    found = narrowed(f"""  %a: f32[2,16,5,5] = conv(%x, %w){CONV3}
  %r: f32[2,16,5,5] = relu(%a)
  %p: f32[2,16,2,2] = max_pool(%r){options}
  %y: f32[2,16,2,2] = exp(%p)""")
    (exp,) = (n for n in found.nodes if n.op == "exp")
    assert found.type_of(found.producer(exp.inputs[0]).inputs[0]).dtype is DType.BF16


def test_what_no_product_reads_stays_wide() -> None:
    """Values that decide a phase or a position are not rounded, nor are weights that are looked up, nor products of two values."""
    found = narrowed("""  %s: f32[2,16,5,5] = sin(%x)
  %m: f32[2,16,5,5] = matmul(%s, %x)
  %y: f32[2,16,5,5] = softmax(%m){dim=3}""")
    assert "cast" not in ops(found)


def test_a_depthwise_convolution_reads_what_a_product_gave_narrow() -> None:
    options = CONV3.replace("groups=1", "groups=16")
    body = f"""  %d = parameter{{target="d"}}: f32[16,1,3,3]
  %a: f32[2,16,5,5] = conv(%x, %w){CONV3}
  %r: f32[2,16,5,5] = relu(%a)
  %y: f32[2,16,5,5] = conv(%r, %d){options}"""
    for dtype, reads in ((DType.BF16, DType.BF16), (DType.F16, DType.F32)):  # of float16 there is no such kernel
        found = narrowed(body, dtype=dtype)
        conv = found.producer(found.outputs[0])
        assert conv.op == "conv" and conv.type.dtype is DType.F32
        read = found.producer(conv.inputs[0])
        assert found.type_of(read.inputs[0]).dtype is reads and (read.op == "cast") == (reads is dtype)


def test_convolutions_of_few_channels_stay_wide() -> None:
    """Depthwise ones multiply in float32, and images are read faster in float32: what no product gave is not rounded for them."""
    options = CONV3.replace("groups=1", "groups=16")
    found = narrowed(f'  %d = parameter{{target="d"}}: f32[16,3,3,3]\n  %y: f32[2,16,5,5] = conv(%x, %d){CONV3}', inputs="%x: f32[2,3,5,5]")
    assert "cast" not in ops(found)
    found = narrowed(f'  %d = parameter{{target="d"}}: f32[16,1,3,3]\n  %y: f32[2,16,5,5] = conv(%x, %d){options}')
    assert "cast" not in ops(found)


HEADS = "%q: f32[2,9,{e}], %k: f32[2,12,{e}], %v: f32[2,12,5], %m: f32[9,12]"


@pytest.mark.parametrize("tiles,dtype", [(True, DType.BF16), (True, DType.F16), (False, DType.BF16)])
@pytest.mark.parametrize("features,mask", [(64, ""), (128, ", %m"), (129, "")])
def test_attention_is_rounded_for_matrix_tiles(tiles: bool, dtype: DType, features: int, mask: str) -> None:
    """Up to as many features as their kernel takes; masks stay, which may be larger than 16 bits tell apart."""
    text = f"  %y: f32[2,9,5] = sdpa(%q, %k, %v{mask}){{causal=False, scale=0.125}}"
    found = narrowed(text, inputs=HEADS.format(e=features), dtype=dtype, matrix_tiles=tiles)
    (attention,) = (n for n in found.nodes if n.op == "sdpa")
    rounded = tiles and dtype is DType.BF16 and features <= 128
    assert attention.type.dtype is (DType.BF16 if rounded else DType.F32)
    assert [found.type_of(v).dtype for v in attention.inputs[3:]] == [DType.F32] * bool(mask)


@pytest.mark.parametrize("dtype", [DType.BF16, DType.F16])
@pytest.mark.parametrize("shared", [True, False])
def test_attention_of_products_reads_what_they_give(dtype: DType, shared: bool) -> None:
    """On every processor where all three operands are rounded results of products; float16 has no kernel."""
    text = f"""  %f = parameter{{target="f"}}: f32[64,64]
  %a: f32[2,9,64] = linear(%x, %f)
  %b: f32[2,9,64] = {"mul(%a, %a)" if shared else "linear(%x, %f)"}
  %y: f32[2,9,64] = sdpa(%a, %b, %a){{causal=True, scale=0.125}}"""
    found = narrowed(text, inputs="%x: f32[2,9,64]", dtype=dtype)
    (attention,) = (n for n in found.nodes if n.op == "sdpa")
    assert attention.type.dtype is (DType.BF16 if dtype is DType.BF16 and not shared else DType.F32)
