"""Each rule on a graph where it holds, and on one where it must not."""

from __future__ import annotations

import pytest

from sol.passes.canonicalize_ops import canonicalize_ops
from tests.passes.support import ops, run

POOL = "ceil_mode=False, count_include_pad=True, divisor=None"
TRANSITION = (
    '%w = parameter{{target="w"}}: f32[5,3,1,1]\n  %b = parameter{{target="b"}}: f32[5]\n'
    "  %c: f32[2,5,7,6] = conv(%x, %w, %b){{dilation=(1, 1), groups=1, padding=((0, 0), (0, 0)), stride={0}}}\n"
    "  %y: f32[2,5,3,3] = avg_pool(%c){{{1}, kernel=(2, 2), padding=((0, 0), (0, 0)), stride=({2}, {2})}}"
)
CASES = {
    "adaptive_to_mean": ("f32[1,4,6,6]", "%y: f32[1,4,1,1] = adaptive_avg_pool(%x){output_size=(1, 1)}", ["mean"]),
    "adaptive_to_max": ("f32[1,4,6,6]", "%y: f32[1,4,1,1] = adaptive_max_pool(%x){output_size=(1, 1)}", ["max"]),
    "adaptive_to_pool": ("f32[1,4,6,6]", "%y: f32[1,4,3,2] = adaptive_avg_pool(%x){output_size=(3, 2)}", ["avg_pool"]),
    "adaptive_to_max_pool": ("f32[1,4,6,6]", "%y: f32[1,4,3,2] = adaptive_max_pool(%x){output_size=(3, 2)}", ["max_pool"]),
    "adaptive_identity": ("f32[1,4,6,6]", "%y: f32[1,4,6,6] = adaptive_avg_pool(%x){output_size=(6, 6)}", []),
    "adaptive_uneven": ("f32[1,4,6,7]", "%y: f32[1,4,3,2] = adaptive_avg_pool(%x){output_size=(3, 2)}", ["adaptive_avg_pool"]),
    "whole_map": (
        "f32[1,4,6,7]",
        f"%y: f32[1,4,1,1] = avg_pool(%x){{{POOL}, kernel=(6, 7), padding=((0, 0), (0, 0)), stride=(6, 7)}}",
        ["mean"],
    ),
    "one_pixel": (
        "f32[1,4,6,7]",
        f"%y: f32[1,4,6,7] = avg_pool(%x){{{POOL}, kernel=(1, 1), padding=((0, 0), (0, 0)), stride=(1, 1)}}",
        [],
    ),
    "padded_map": (
        "f32[1,4,6,7]",
        f"%y: f32[1,4,3,1] = avg_pool(%x){{{POOL}, kernel=(6, 7), padding=((1, 1), (0, 0)), stride=(1, 1)}}",
        ["avg_pool"],
    ),
    "mean_keeps_dims": ("f32[1,4,6,7]", "%y: f32[1,4] = mean(%x){dims=(2, 3), keepdims=False}", ["mean", "reshape"]),
    "clamp_to_relu": ("f32[2,3]", "%y: f32[2,3] = clamp(%x){high=None, low=0.0}", ["relu"]),
    "clamp": ("f32[2,3]", "%y: f32[2,3] = clamp(%x){high=6.0, low=0.0}", ["clamp"]),
    "silu": ("f32[2,3]", "%s: f32[2,3] = sigmoid(%x)\n  %y: f32[2,3] = mul(%s, %x)", ["silu"]),
    "gate_of_another": (
        "f32[2,3]",
        "%n: f32[2,3] = neg(%x)\n  %s: f32[2,3] = sigmoid(%n)\n  %y: f32[2,3] = mul(%s, %x)",
        ["neg", "sigmoid", "mul"],
    ),
    "expand": (
        "f32[2,1]",
        "%e: f32[2,3] = expand(%x){shape=(2, 3)}\n  %z: f32[2,3] = neg(%e)\n  %y: f32[2,3] = add(%z, %e)",
        ["expand", "neg", "add"],
    ),
    "conv_of_pad": (
        "f32[1,2,5,5]",
        '%w = parameter{target="w"}: f32[3,2,3,3]\n  %p: f32[1,2,7,8] = pad(%x){pads=((0, 0), (0, 0), (1, 1), (0, 3)), value=0}\n'
        "  %y: f32[1,3,5,6] = conv(%p, %w){dilation=(1, 1), groups=1, padding=((0, 0), (0, 0)), stride=(1, 1)}",
        ["conv"],
    ),
    "conv_of_ones": (
        "f32[1,2,5,5]",
        '%w = parameter{target="w"}: f32[3,2,3,3]\n  %p: f32[1,2,7,8] = pad(%x){pads=((0, 0), (0, 0), (1, 1), (0, 3)), value=1}\n'
        "  %y: f32[1,3,5,6] = conv(%p, %w){dilation=(1, 1), groups=1, padding=((0, 0), (0, 0)), stride=(1, 1)}",
        ["pad", "conv"],
    ),
    "pool_of_pointwise_conv": ("f32[2,3,7,6]", TRANSITION.format("(1, 1)", POOL, 2), ["avg_pool", "conv"]),
    "pool_of_strided_conv": ("f32[2,3,14,12]", TRANSITION.format("(2, 2)", POOL, 2), ["conv", "avg_pool"]),
    "pool_that_keeps_the_size": ("f32[2,3,7,6]", TRANSITION.format("(1, 1)", POOL, 1).replace("3,3]", "6,5]"), ["conv", "avg_pool"]),
    "pool_with_divisor": ("f32[2,3,7,6]", TRANSITION.format("(1, 1)", POOL.replace("None", "3"), 2), ["conv", "avg_pool"]),
    "group_norm": (
        "f32[2,6,4]",
        '%w = parameter{target="w"}: f32[6]\n  %b = parameter{target="b"}: f32[6]\n'
        "  %y: f32[2,6,4] = group_norm(%x, %w, %b){eps=1e-05, groups=3}",
        ["reshape", "layer_norm", "reshape", "mul", "add"],
    ),
    "computed_weight": (
        "f32[4,4]",
        '%b = parameter{target="b"}: f32[4]\n  %n: f32[4,4] = neg(%x)\n  %y: f32[4,4] = linear(%x, %n, %b)',
        ["neg", "permute", "matmul", "add"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rule(name):
    type, body, expected = CASES[name]
    assert ops(run(canonicalize_ops, f"graph(%x: {type}) {{\n  {body}\n  return %y\n}}")) == expected


@pytest.mark.parametrize("exponent,expected", [(2, ["square"]), (3, ["square", "mul"]), (-1, ["reciprocal"]), (4, ["pow"])])
def test_powers(exponent, expected):
    text = f"""graph(%x: f32[8]) {{
  %c = constant{{dtype=f32, value=array(f32[], [{float(exponent)}])}}: f32[]
  %y: f32[8] = pow(%x, %c)
  return %y
}}"""
    assert ops(run(canonicalize_ops, text)) == expected


def test_relu_behind_max_pool_only_if_nothing_else_reads_it():
    pool = "ceil_mode=False, dilation=(1, 1), kernel=(2, 2), padding=((1, 1), (1, 1)), stride=(2, 2)"
    text = f"graph(%x: f32[1,2,4,4]) {{\n  %r: f32[1,2,4,4] = relu(%x)\n  %y: f32[1,2,3,3] = max_pool(%r){{{pool}}}\n  return %y%s\n}}"
    assert ops(run(canonicalize_ops, text.replace("%s", ""))) == ["max_pool", "relu"]
    assert ops(run(canonicalize_ops, text.replace("%s", ", %r"))) == ["relu", "max_pool"]


@pytest.mark.parametrize("padding,dilation", [(((1, 1), (1, 1)), (1, 1)), (((2, 2), (0, 4)), (2, 2))])
def test_conv_over_one_pixel_uses_one_tap(padding, dilation):
    text = f"""graph(%x: f32[2,3,1,1]) {{
  %w = parameter{{target="w"}}: f32[4,3,3,3]
  %y: f32[2,4,1,1] = conv(%x, %w){{dilation={dilation}, groups=1, padding={padding}, stride=(1, 1)}}
  return %y
}}"""
    after = run(canonicalize_ops, text)
    assert after.producer(after.outputs[0]).attrs["padding"] == ((0, 0), (0, 0))


def test_one_element_constants_become_scalars():
    text = """graph(%x: f32[2,3]) {
  %c = constant{dtype=f32, value=array(f32[1,1], [2.0])}: f32[1,1]
  %y: f32[2,3] = mul(%x, %c)
  return %y
}"""
    after = run(canonicalize_ops, text)
    assert after.type_of(after.producer(after.outputs[0]).inputs[1]).rank == 0


SUM = """graph(%x: f32[40,6], %i: i64[3,6], %u: f32[3,6]) {{
  %k = constant{{dtype=f32, value=array(f32[], [{value}])}}: f32[]
  %z: f32[40,6] = expand(%k){{shape=(40, 6)}}
  %s: f32[40,6] = scatter(%z, %i, %u){{dim=0, reduction="{reduction}"}}
  %e: f32[40,6] = exp(%x)
  %y: f32[40,6] = add({order})
  return {outputs}
}}"""


@pytest.mark.parametrize(
    ("changes", "merged"),
    [({}, True), ({"order": "%s, %e"}, True), ({"outputs": "%y, %s"}, False), ({"value": "1.0"}, False), ({"reduction": "none"}, False)],
)
def test_a_sum_with_what_is_scattered_over_zeros(changes: dict[str, str], merged: bool) -> None:
    given = {"value": "0.0", "reduction": "add", "order": "%e, %s", "outputs": "%y", **changes}
    assert ("add" not in ops(run(canonicalize_ops, SUM.format(**given)))) == merged
