"""Dequantised bytes are moved, pooled and joined as bytes, and what was just dequantised isn't quantised again; other values stay."""

from __future__ import annotations

import numpy as np
import pytest

from sol.ir.builder import GraphBuilder
from sol.ir.interpret import evaluate
from sol.ir.types import DType, TensorType
from sol.passes.fold_quantization import fold_quantization
from tests.passes.support import ops, run
from tests.passes.test_find_integer_products import bytes_of, number, quantized

WINDOW = "{ceil_mode=False, dilation=(1, 1), kernel=(2, 2), padding=((0, 0), (0, 0)), stride=(2, 2)}"
SAME = {
    "reshape": ("1,2,4,4", "f32[2,16] = reshape(%xf){shape=(2, 16)}"),
    "permute": ("1,2,4,4", "f32[1,4,2,4] = permute(%xf){order=(0, 2, 1, 3)}"),
    "expand": ("1,2,4,4", "f32[3,2,4,4] = expand(%xf){shape=(3, 2, 4, 4)}"),
    "slice": ("1,2,4,4", "f32[1,1,4,4] = slice(%xf){dim=1, start=1, step=1, stop=2}"),
    "flip": ("1,2,4,4", "f32[1,2,4,4] = flip(%xf){dims=(2,)}"),
    "pad": ("1,2,4,4", "f32[1,2,4,6] = pad(%xf){pads=((0, 0), (0, 0), (0, 0), (1, 1)), value=0}"),
    "max_pool": ("1,2,4,4", f"f32[1,2,2,2] = max_pool(%xf){WINDOW}"),
}


def network(shape: str, body: str, scale: float = 0.25, zero: float = 3.0) -> str:
    return f"""graph(%x: u8[{shape}]) {{
  {number("s", scale)}
  {number("z", zero)}
  {bytes_of("x", "u8", shape)}
  %y: {body}
  return %y
}}"""


@pytest.mark.parametrize("op", SAME)
def test_moves_are_those_of_bytes(op: str) -> None:
    after = run(fold_quantization, network(*SAME[op]))
    assert ops(after) == [op, "cast", "sub", "mul"]
    assert str(after.type_of(after.nodes[[n.op for n in after.nodes].index(op)].name)).startswith("u8")


@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_repeated_images_are_of_bytes(weight: float) -> None:
    def body(b: GraphBuilder, image: str) -> str:
        tables = []
        for size in (4, 8):
            tables += [b.constant(np.arange(size)[None] // 2, DType.I32), b.constant(np.full((1, size), weight), DType.F32)]
        return b.add("resample", [image, *tables])

    b = GraphBuilder()
    x = b.add("cast", [b.input("x", TensorType(DType.U8, (1, 3, 2, 4)))], dtype=DType.F32)
    moved = b.add("mul", [b.add("sub", [x, b.constant(3.0, DType.F32)]), b.constant(0.25, DType.F32)])
    graph = b.build([body(b, moved)])
    after = fold_quantization(graph)
    assert ops(after) == (["take", "take", "cast", "sub", "mul"] if weight == 1 else ["cast", "sub", "mul", "resample"])
    inputs = {"x": np.arange(24, dtype=np.uint8).reshape(1, 3, 2, 4)}
    np.testing.assert_array_equal(*(evaluate(g, inputs, {})[g.outputs[0]] for g in (graph, after)))


def test_quantised_again_is_the_same_bytes() -> None:
    again = quantized("xf", "u8", "2,3")
    text = network("2,3", "").replace("  %y: \n  return %y", f"{again}\n  return %y")
    assert ops(run(fold_quantization, text)) == []
    other = text.replace("%q0: f32[2,3] = div(%xf, %s)", f"{number('o', 0.5)}\n  %q0: f32[2,3] = div(%xf, %o)")
    assert "div" in ops(run(fold_quantization, other))


def test_moves_between_dequantising_and_quantising_vanish_with_them() -> None:
    body = "f32[3,2] = permute(%xf){order=(1, 0)}"
    text = network("2,3", body).replace("%y:", "%p:").replace("return %y", quantized("p", "u8", "3,2") + "\n  return %y")
    assert ops(run(fold_quantization, text)) == ["permute"]


def joined(scale: float) -> str:
    return f"""graph(%x: u8[2,3], %v: u8[2,4]) {{
  {number("s", 0.25)}
  {number("z", 3.0)}
  {bytes_of("x", "u8", "2,3")}
  {number("t", scale)}
  {bytes_of("v", "u8", "2,4", scale="t")}
  %p: f32[2,7] = concat(%xf, %vf){{dim=1}}
  {quantized("p", "u8", "2,7")}
  return %y
}}"""


def test_concatenation() -> None:
    assert ops(run(fold_quantization, joined(0.25))) == ["concat"]
    mixed = ops(run(fold_quantization, joined(0.5)))
    assert mixed[-1] == "concat" and mixed.count("round") == 1, "what is no byte yet becomes one before it is moved"


@pytest.mark.parametrize(
    "body",
    [
        "f32[2,4] = pad(%xf){pads=((0, 0), (0, 1)), value=1.0}",
        "f32[2,3] = relu(%xf)",
    ],
)
def test_what_is_no_move_of_bytes_stays(body: str) -> None:
    text = network("2,3", body)
    assert ops(run(fold_quantization, text))[:3] == ["cast", "sub", "mul"]


def test_a_negative_scale_turns_extremes_around() -> None:
    after = run(fold_quantization, network(*SAME["max_pool"], scale=-0.25))
    assert ops(after) == ["cast", "sub", "mul", "max_pool"]


def test_what_bytes_cannot_be_is_no_zero_point() -> None:
    """Pixels less their mean are padded as floats, and quantised again they are other bytes."""
    for zero in (127.5, 300.0):
        assert ops(run(fold_quantization, network(*SAME["pad"], zero=zero)))[-1] == "pad"
        again = network("2,3", "", zero=zero).replace("  %y: \n  return %y", f"{quantized('xf', 'u8', '2,3')}\n  return %y")
        assert "round" in ops(run(fold_quantization, again))


def multiplied(reciprocal: float, high: int) -> str:
    shape = "2,4,4,4"
    chain = quantized("xf", "u8", shape).replace("div(%xf, %s)", "mul(%xf, %r)").replace("high=255", f"high={high}")
    return f"""graph(%x: u8[{shape}]) {{
  {number("s", 0.1)}
  {number("z", 3.0)}
  {number("r", reciprocal)}
  {bytes_of("x", "u8", shape)}
{chain}
  return %y
}}"""


def test_multiplied_with_the_reciprocal_is_the_same_bytes() -> None:
    assert ops(run(fold_quantization, multiplied(10.0000001, 255))) == []
    for other in (multiplied(10.1, 255), multiplied(10.0, 127)):
        assert ops(run(fold_quantization, other)) == ["cast", "sub", "mul", "mul", "round", "add", "clamp", "cast"]


def pooled(scale: float, pool: str = f"max_pool(%x){WINDOW}") -> str:
    return f"""graph(%x: f32[1,2,4,4]) {{
  {number("s", scale)}
  {number("z", 3.0)}
  %p: f32[1,2,2,2] = {pool}
{quantized("p", "u8", "1,2,2,2")}
  return %y
}}"""


def test_pooled_values_are_quantised_before() -> None:
    after = run(fold_quantization, pooled(0.25))
    assert ops(after) == ["div", "round", "add", "clamp", "cast", "max_pool"]
    assert ops(run(fold_quantization, pooled(-0.25)))[0] == "max_pool", "what is larger becomes less"
