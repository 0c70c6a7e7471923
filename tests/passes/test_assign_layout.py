"""Images are blocked from the first convolution to the head; what has no blocked kernel stays plain."""

from __future__ import annotations

import pytest

from sol.ir.graph import Graph
from sol.passes.assign_layout import assign_layout
from tests.passes.support import CONV1, CONV3, ops, run

LANES = 16


def laid_out(text: str, **env: int) -> Graph:
    return run(lambda g: assign_layout(g, LANES), text, **env)


def blocked(graph: Graph) -> set[str]:
    return {n.op for n in graph.nodes if n.types and n.type.layout.block}


def after_conv(body: str, channels: int = 32, result: str = "y", inputs: str = "") -> str:
    return f"""graph(%x: f32[2,16,6,6]{inputs}) {{
  %w = parameter{{target="w"}}: f32[{channels},16,3,3]
  %a: f32[2,{channels},6,6] = conv(%x, %w){CONV3}
  {body}
  return %{result}
}}"""


def test_chain_has_two_reorders():
    body = """%r: f32[2,32,6,6] = relu(%a)
  %m: f32[2,32,1,1] = mean(%r){dims=(2, 3), keepdims=True}
  %y: f32[2,32] = reshape(%m){shape=(2, 32)}"""
    after = laid_out(after_conv(body))
    assert ops(after) == ["reorder", "conv", "relu", "mean", "reorder", "reshape"]
    assert blocked(after) == {"reorder", "conv", "relu", "mean"}


def test_image_of_few_channels_is_read_plain():
    text = f"""graph(%x: f32[2,3,6,6]) {{
  %w = parameter{{target="w"}}: f32[32,3,3,3]
  %y: f32[2,32,6,6] = conv(%x, %w){CONV3}
  return %y
}}"""
    assert ops(laid_out(text)) == ["conv", "reorder"]


def test_without_convolution_nothing_changes():
    text = "graph(%x: f32[2,16,6,6]) {\n  %y: f32[2,16,6,6] = relu(%x)\n  return %y\n}"
    assert ops(laid_out(text)) == ["relu"]


@pytest.mark.parametrize("shape", ["32,1,1", "1,32,1,1", "6,6", "1,1,6,6", "32,6,6", "6", "2,32,6,6"])
def test_constant_operands_stay_plain(shape):
    body = f'%p = parameter{{target="p"}}: f32[{shape}]\n  %y: f32[2,32,6,6] = add(%a, %p)'
    after = laid_out(after_conv(body))
    assert ops(after) == ["reorder", "conv", "add", "reorder"]
    assert not after.type_of("p").layout.block


@pytest.mark.parametrize("shape,reorders", [("2,1,6,6", 2), ("2,32,1,1", 3), ("32,1,1", 3), ("2,32,6,6", 3)])
def test_computed_operands(shape, reorders):
    after = laid_out(after_conv("%y: f32[2,32,6,6] = add(%a, %q)", inputs=f", %q: f32[{shape}]"))
    assert ops(after).count("reorder") == reorders and "add" in blocked(after)


@pytest.mark.parametrize(
    "size,cut,op",
    [
        (16, "start=16, step=1, stop=32", "slice"),
        (17, "start=3, step=1, stop=20", "channel_select"),
        (16, "start=0, step=2, stop=32", "channel_select"),
    ],
)
def test_slices_of_channels(size, cut, op):
    after = laid_out(after_conv(f"%y: f32[2,{size},6,6] = slice(%a){{dim=1, {cut}}}"))
    assert ops(after) == ["reorder", "conv", op, "reorder"]


def test_aligned_concat_stays_and_another_is_a_selection():
    after = laid_out(after_conv("%y: f32[2,64,6,6] = concat(%a, %a){dim=1}"))
    assert ops(after) == ["reorder", "conv", "concat", "reorder"]
    after = laid_out(after_conv("%y: f32[2,40,6,6] = concat(%a, %a){dim=1}", channels=20))
    assert ops(after) == ["reorder", "conv", "channel_select", "reorder"]


def test_concat_with_a_constant_is_plain():
    body = '%p = parameter{target="p"}: f32[2,2,6,6]\n  %y: f32[2,34,6,6] = concat(%a, %p){dim=1}'
    assert blocked(laid_out(after_conv(body))) == {"reorder", "conv"}


def test_one_channel_value_is_broadcast_plain():
    body = "%m: f32[2,1,6,6] = max(%a){dims=(1,), keepdims=True}\n  %y: f32[2,32,6,6] = mul(%a, %m)"
    after = laid_out(after_conv(body))
    assert blocked(after) == {"reorder", "conv", "mul"}


def test_padding_around_one_pixel_is_not_blocked():
    text = f"""graph(%x: f32[2,16,1,1]) {{
  %w = parameter{{target="w"}}: f32[16,16,1,1]
  %v = parameter{{target="v"}}: f32[16,16,1,1]
  %a: f32[2,16,1,1] = conv(%x, %w){CONV1}
  %y: f32[2,16,3,3] = conv(%a, %v){CONV1.replace("((0, 0), (0, 0))", "((1, 1), (1, 1))")}
  return %y
}}"""
    after = laid_out(text)
    assert not after.producer(after.outputs[0]).type.layout.block and blocked(after) == {"reorder", "conv"}


def test_symbolic_batch_and_map():
    text = f"""graph(%x: f32[n,16,h,h]) where n in [2, 9], h in [3, 99] {{
  %w = parameter{{target="w"}}: f32[32,16,3,3]
  %a: f32[n,32,h,h] = conv(%x, %w){CONV3}
  %y: f32[n,32,h,h] = relu(%a)
  return %y
}}"""
    assert blocked(laid_out(text, n=2, h=5)) == {"reorder", "conv", "relu"}


@pytest.mark.parametrize(("channels", "groups", "reorders"), [(16, 1, 2), (3, 1, 1), (24, 2, 0), (24, 24, 2)])
def test_the_gradient_for_weights_is_plain_and_reads_blocks(channels: int, groups: int, reorders: int) -> None:
    text = f"""graph(%x: f32[2,{channels},6,6], %g: f32[2,24,6,6]) {{
  %y: f32[24,{channels // groups},3,3] = conv_weight_grad(%x, %g){CONV3[:-1]}, groups={groups}, kernel=(3, 3)}}
  return %y
}}"""
    after = laid_out(text)
    assert ops(after) == ["reorder"] * reorders + ["conv_weight_grad"]
    assert not after.type_of("y").layout.block


def of_bytes(text: str) -> Graph:
    """The graph for a target whose images of bytes lie in blocks."""
    return run(lambda graph: assign_layout(graph, LANES, True), text)


BYTES = """graph(%x: u8[1,20,9,9]{more}) {{
  %w = parameter{{target="w"}}: i8[40,20,3,3]
  %f = constant{{dtype=u8, value=array(u8[], [{fill}])}}: u8[]
  %s = parameter{{target="s"}}: f32[40,1,1]
  %a: i32[1,40,9,9] = int_conv(%x, %w, %f){{dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}}
  %b: f32[1,40,9,9] = cast(%a){{dtype=f32}}
  %c: f32[1,40,9,9] = add(%b, %s)
  {rest}
  return %y
}}"""
SECOND = "%y: i32[1,40,9,9] = int_conv(%x, %w, %g){dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}"


@pytest.mark.parametrize("rest,reorders", [
    ("%y: f32[1,40,9,9] = relu(%c)", 2),
    ("%y: f32[1,40,1,1] = mean(%c){dims=(2, 3), keepdims=True}", 2),
    ("%y: f32[1,40,9,9] = div(%c, %c)", 2),  # lanes without a channel would not stay finite: computed row-major
    ("%y: f32[9,40,9] = reshape(%c){shape=(9, 40, 9)}", 2),
])  # fmt: skip
def test_images_of_bytes_stay_in_blocks(rest: str, reorders: int) -> None:
    text = BYTES.format(more="", fill=3, rest=rest)
    after = of_bytes(text)
    assert "int_conv" in {n.op for n in after.nodes if n.type.layout.block}
    assert ops(after).count("reorder") == reorders
    assert not blocked(run(lambda graph: assign_layout(graph, LANES), text)), "only where a target has dot products of bytes"


def test_another_padding_of_the_same_bytes_is_row_major() -> None:
    other = '%g = constant{dtype=u8, value=array(u8[], [9])}: u8[]\n  %d: f32[1,40,9,9] = relu(%c)\n  '
    after = of_bytes(BYTES.format(more="", fill=3, rest=other + SECOND).replace("return %y", "return %y, %d"))
    assert [bool(n.type.layout.block) for n in after.nodes if n.op == "int_conv"] == [True, False]


def test_padding_that_a_call_gives_is_row_major() -> None:
    text = BYTES.format(more=", %f: u8[]", fill=3, rest="%y: f32[1,40,9,9] = relu(%c)")
    text = "\n".join(line for line in text.splitlines() if "%f = constant" not in line)
    assert not blocked(of_bytes(text))
