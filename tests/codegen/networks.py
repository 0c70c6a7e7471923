"""Small networks as text that together use every kernel template."""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.machines import ZEN3, ZEN4, Machine
from sol.codegen.plan import Plan
from sol.codegen.schedule import make_plan
from sol.codegen.targets import by_name, with_byte_dots, with_matrix_tiles, with_narrow_dots
from sol.ir.graph import Graph
from sol.ir.text import parse_graph
from sol.passes.pipeline import run_passes


def conv(x: str, w: str, *, pad: int = 0, stride: int = 1, groups: int = 1, rank: int = 2, op: str = "conv", more: str = "") -> str:
    """Text of a convolution."""
    square = f"({', '.join([f'({pad}, {pad})'] * rank)}{',' if rank == 1 else ''})"
    numbers = {n: f"({', '.join([str(v)] * rank)}{',' if rank == 1 else ''})" for n, v in (("dilation", 1), ("stride", stride))}
    return f"{op}(%{x}, %{w}){{dilation={numbers['dilation']}, groups={groups}{more}, padding={square}, stride={numbers['stride']}}}"


def weight(*shape: int, name: str = "w") -> str:
    return f'%{name} = parameter{{target="{name}"}}: f32[{",".join(map(str, shape))}]'


def convolution(c: int, k: int, size: int, kernel: int, groups: int = 1, **options: int) -> str:
    out = size if options.get("pad") or kernel == 1 else size - kernel + 1
    return f"""graph(%x: f32[1,{c},{size},{size}]) {{
  {weight(k, c // groups, kernel, kernel)}
  %y: f32[1,{k},{out},{out}] = {conv("x", "w", groups=groups, pad=options.get("pad", 0))}
  %z: f32[1,{k},{out},{out}] = relu(%y)
  return %z
}}"""


def one(input: str, output: str, body: str, lines: str = "") -> str:
    """A network of one op."""
    return f"graph({input}) {{\n  {lines}\n  %y: {output} = {body}\n  return %y\n}}"


def counted(input: str, output: str, body: str) -> str:
    """A network of one op whose data decides how large the result is."""
    return one(input, output, body).replace(") {", ") where u in [0, 1000] {", 1)


def weight_gradient(stride: int, pad: int, groups: int, size: int = 3) -> str:
    """Text of a square convolution's gradient for its weights, of %x and %g."""
    kernel, stride_of, pads = ((n, n) for n in (size, stride, (pad, pad)))
    options = f"dilation=(1, 1), groups={groups}, kernel={kernel}, padding={pads}, stride={stride_of}"
    return f"conv_weight_grad(%x, %g){{{options}}}"


WINDOW = "ceil_mode=False, dilation=(1, 1), kernel=(3, 3), padding=((1, 1), (1, 1)), stride=(2, 2)"
AVERAGE = "ceil_mode=False, count_include_pad=True, padding=((0, 0), (0, 0))"
POOLED = f"""graph(%x: f32[1,512,13,13]) {{
  {weight(256, 512, 1, 1)}
  %b = parameter{{target="b"}}: f32[256]
  %y: f32[1,256,13,13] = conv(%x, %w, %b){{dilation=(1, 1), groups=1, padding=((0, 0), (0, 0)), stride=(1, 1)}}
  %r: f32[1,256,13,13] = relu(%y)
  %p: f32[1,256,1,1] = avg_pool(%r){{{AVERAGE}, divisor=None, kernel=(13, 13), stride=(13, 13)}}
  return %p
}}"""

def selected(x: int, a: int, b: int) -> str:
    """Every second channel of two convolutions' results, x of them, is convolved once more."""
    return f"""graph(%x: f32[1,{x},14,14]) {{
  {weight(a, x, 1, 1)}
  {weight(b, a, 1, 1, name="v")}
  {weight(b, x, 1, 1, name="u")}
  %a: f32[1,{a},14,14] = {conv("x", "w")}
  %b: f32[1,{b},14,14] = {conv("a", "v")}
  %c: f32[1,{x},14,14] = channel_select(%a, %b){{index=({", ".join(str(i) for i in range(1, 2 * x + 1, 2))})}}
  %d: f32[1,{b},14,14] = {conv("c", "u")}
  return %a, %b, %d
}}"""


NARROW = f"""graph(%x: f32[1,3,20,20], %r: f32[1,40,20,20]) {{
  %v = parameter{{target="v"}}: f32[24,3,3,3]
  {weight(40, 24, 3, 3)}
  %b = parameter{{target="b"}}: f32[40]
  %l = parameter{{target="l"}}: f32[10,40]
  %u: f32[1,24,20,20] = {conv("x", "v", pad=1)}
  %a: f32[1,24,20,20] = relu(%u)
  %y: f32[1,40,20,20] = conv(%a, %w, %b){{dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}}
  %s: f32[1,40,20,20] = add(%y, %r)
  %z: f32[1,40,20,20] = relu(%s)
  %m: f32[1,40] = mean(%z){{dims=(2, 3), keepdims=False}}
  %q: f32[1,10] = linear(%m, %l)
  return %q
}}""".replace("f32", "bf16")
"""A small network of bfloat16: a plain input, a residual, a head."""

BYTE_IMAGES = """graph(%x: u8[1,3,20,20]) {
  %w = parameter{target="w"}: i8[40,3,3,3]
  %d = parameter{target="d"}: i8[40,1,3,3]
  %s = parameter{target="s"}: f32[40,1,1]
  %o = parameter{target="o"}: i32[40,1,1]
  %z = constant{dtype=u8, value=array(u8[], [3])}: u8[]
  %a: i32[1,40,20,20] = int_conv(%x, %w, %z){dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}
  %b: i32[1,40,20,20] = sub(%a, %o)
  %c: f32[1,40,20,20] = cast(%b){dtype=f32}
  %e: f32[1,40,20,20] = mul(%c, %s)
  %f: f32[1,40,20,20] = round(%e)
  %g: f32[1,40,20,20] = clamp(%f){high=255.0, low=0.0}
  %h: u8[1,40,20,20] = cast(%g){dtype=u8}
  %p: u8[1,40,10,10] = max_pool(%h){WINDOW}
  %y: i32[1,40,10,10] = int_conv(%p, %d, %z){dilation=(1, 1), groups=40, padding=((1, 1), (1, 1)), stride=(1, 1)}
  return %y
}
""".replace("WINDOW", WINDOW)
"""Images of bytes that lie in blocks of channels, where a target has dot products of bytes."""
BYTE_FILTERS = """graph(%x: u8[1,64,14,14]) {
  %w = parameter{target="w"}: i8[48,64,3,3]
  %z = constant{dtype=u8, value=array(u8[], [3])}: u8[]
  %o = parameter{target="o"}: i32[48,1,1]
  %a: i32[1,48,14,14] = int_conv(%x, %w, %z){dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}
  %b: i32[1,48,14,14] = sub(%a, %o)
  %c: f32[1,48,14,14] = cast(%b){dtype=f32}
  %y: f32[1,48,14,14] = relu(%c)
  return %y
}"""
"""A convolution of bytes that Winograd's tiles of words are worth while for."""
NARROW_GRADIENT = one("%x: f32[2,32,14,14], %g: f32[2,48,14,14]", "f32[48,32,3,3]", weight_gradient(1, 1, 1)).replace("f32", "bf16")
"""The gradient of a convolution of bfloat16 for its weights."""
PAIRED_GRADIENT = one("%x: f32[2,32,14,14], %g: f32[2,48,7,7]", "f32[48,32,3,3]", weight_gradient(2, 1, 1)).replace("f32", "bf16")
"""The same with strides, which products in pairs multiply as it is."""
PAIRED_PRODUCT = """graph(%g: bf16[300,96], %x: bf16[300,130]) {
  %t: bf16[96,300] = permute(%g){order=(1, 0)}
  %y: bf16[96,130] = matmul(%t, %x)
  return %y
}"""
"""The gradient of a linear layer of bfloat16 for its weights."""


def of_matrix_tiles() -> tuple[str, ...]:
    """What matrix tiles multiply of float32: a linear layer, a 1x1 convolution, one's gradient for its weights, and attention."""
    body = "  %y: f32[256,40] = linear(%x, %w)\n  %z: f32[256,40] = add(%y, %r)\n  return %z"
    linear = f"graph(%x: f32[256,300], %r: f32[256,40]) {{\n  {weight(40, 300)}\n{body}\n}}"
    options = "dilation=(1, 1), groups=1, kernel=(1, 1), padding=((0, 0), (0, 0)), stride=(1, 1)"
    gradient = one("%x: f32[8,160,14,14], %g: f32[8,144,14,14]", "f32[144,160,1,1]", f"conv_weight_grad(%x, %g){{{options}}}")
    rows = "f32[2,300,60]"
    attention = f"graph(%q: {rows}, %k: {rows}, %v: {rows}, %m: bool[300,300]) {{\n"
    attention += f"  %y: {rows} = sdpa(%q, %k, %v, %m){{causal=False, scale=0.125}}\n  return %y\n}}"
    return linear, convolution(256, 144, 28, 1), gradient, attention


def user_function() -> str:
    """An op whose kernel is a function of C, one of whose operands has gaps."""
    source = (
        "void added(const float *x, const float *z, float *y, const sol_custom *call)\\n{\\n"
        "    const int64_t n = call->shapes[2][0] * call->shapes[2][1];\\n"
        "    for (int64_t i = call->thread; i < n; i += call->threads) y[i] = x[i] + z[i];\\n}\\n"
    )
    attrs = f'function="added", options=("O3",), source="{source}", title="layer", types=(f32[24,9],)'
    return f"""graph(%x: f32[9,24], %z: f32[24,9]) {{
  %t: f32[24,9] = permute(%x){{order=(1, 0)}}
  %y: f32[24,9] = custom(%t, %z){{{attrs}}}
  return %y
}}
"""


NETWORKS: dict[str, str] = {
    "direct": convolution(32, 48, 14, 1),
    "winograd": convolution(64, 64, 28, 3, pad=1),
    "strided": f"""graph(%x: f32[1,64,15,15]) {{
  {weight(64, 64, 3, 3)}
  %y: f32[1,64,8,8] = {conv("x", "w", pad=1, stride=2)}
  return %y
}}""",
    "stem": convolution(3, 32, 16, 3, pad=1),
    "squares": f"""graph(%x: f32[1,3,32,32]) {{
  {weight(32, 3, 7, 7)}
  %y: f32[1,32,16,16] = {conv("x", "w", pad=3, stride=2)}
  return %y
}}""",
    "depthwise": convolution(32, 32, 14, 3, groups=32, pad=1),
    "channel_norm": f"""graph(%x: f32[1,64,14,14]) {{
  {weight(64, 1, 3, 3)}
  {weight(64, name="g")}
  {weight(64, name="h")}
  %a: f32[1,64,14,14] = {conv("x", "w", groups=64, pad=1)}
  %e: f32[1,14,14,64] = permute(%a){{order=(0, 2, 3, 1)}}
  %n: f32[1,14,14,64] = layer_norm(%e, %g, %h){{dims=1, eps=1e-06}}
  %y: f32[1,64,14,14] = permute(%n){{order=(0, 3, 1, 2)}}
  return %y
}}""",
    "chain": f"""graph(%x: f32[1,16,56,56]) {{
  {weight(96, 16, 1, 1)}
  {weight(96, 1, 3, 3, name="d")}
  {weight(24, 96, 1, 1, name="v")}
  %a: f32[1,96,56,56] = {conv("x", "w")}
  %b: f32[1,96,56,56] = relu(%a)
  %c: f32[1,96,56,56] = {conv("b", "d", groups=96, pad=1)}
  %e: f32[1,96,56,56] = relu(%c)
  %y: f32[1,24,56,56] = {conv("e", "v")}
  return %y
}}""",
    "grouped": convolution(32, 32, 14, 3, groups=8, pad=1),
    "pooled": POOLED,
    "prologue": f"""graph(%x: f32[1,32,14,14]) {{
  {weight(64, 32, 1, 1)}
  {weight(64, 64, 1, 1, name="v")}
  {weight(32, 64, 1, 1, name="u")}
  {weight(64, 1, 1, name="s")}
  %a: f32[1,64,14,14] = {conv("x", "w")}
  %b: f32[1,64,14,14] = mul(%a, %s)
  %c: f32[1,64,14,14] = relu(%b)
  %d: f32[1,64,14,14] = {conv("c", "v")}
  %e: f32[1,32,14,14] = {conv("a", "u")}
  return %d, %e
}}""",
    "selected": selected(32, 40, 48),
    "plain": f"""graph(%x: f32[2,6,20]) {{
  {weight(8, 6, 3)}
  %y: f32[2,8,20] = {conv("x", "w", pad=1, rank=1)}
  return %y
}}""",
    "transpose": f"""graph(%x: f32[1,6,9,9]) {{
  {weight(6, 4, 3, 3)}
  %y: f32[1,8,18,18] = {conv("x", "w", groups=2, pad=1, stride=2, op="conv_transpose", more=", output_padding=(1, 1)")}
  return %y
}}""",
    "selection": f"""graph(%x: f32[1,32,7,7]) {{
  {weight(32, 32, 1, 1)}
  %a: f32[1,32,7,7] = {conv("x", "w")}
  %y: f32[1,17,7,7] = slice(%a){{dim=1, start=3, step=1, stop=20}}
  return %y, %a
}}""",
    "windows": f"""graph(%x: f32[1,32,14,14]) {{
  {weight(32, 32, 1, 1)}
  %a: f32[1,32,14,14] = {conv("x", "w")}
  %y: f32[1,32,7,7] = max_pool(%a){{{WINDOW}}}
  %m: f32[1,32,3,3] = adaptive_max_pool(%a){{output_size=(3, 3)}}
  return %y, %m
}}""",
    "global_pool": f"""graph(%x: f32[1,32,14,14]) {{
  {weight(32, 32, 1, 1)}
  %a: f32[1,32,14,14] = {conv("x", "w")}
  %y: f32[1,32,1,1] = avg_pool(%a){{{AVERAGE}, divisor=7, kernel=(14, 14), stride=(1, 1)}}
  return %y, %a
}}""",
    "plain_pool": one("%x: f32[1,5,14,14]", "f32[1,5,7,7]", f"max_pool(%x){{{WINDOW}}}"),
    "pool_of_integers": one("%x: i32[1,5,14,14]", "i32[1,5,7,7]", f"max_pool(%x){{{WINDOW}}}"),
    "plain_shuffle": one("%x: f32[1,6,7,7]", "f32[1,6,7,7]", "channel_select(%x){index=(0, 3, 1, 4, 2, 5)}"),
    "cumsum": one("%x: f32[4,9]", "f32[4,9]", "cumsum(%x){dim=1}"),
    "iota": one("%x: f32[n,9]", "i64[n]", "iota(){dtype=i64, size=n, start=0, step=1}").replace(") {", ") where n in [2, 64] {", 1),
    "pad": one("%x: f32[2,3,9]", "f32[2,3,12]", "pad(%x){pads=((0, 0), (0, 0), (1, 2)), value=0}"),
    "pointwise": one("%x: f32[4,9], %z: f32[4,9]", "f32[4,9]", "add(%x, %z)"),
    "turned": one("%x: f32[40,9], %z: f32[9,40]", "f32[9,40]", "add(%t, %z)", "%t: f32[9,40] = permute(%x){order=(1, 0)}"),
    "rows": one("%x: f32[4,9]", "f32[4,9]", "softmax(%x){dim=1}"),
    "pick": one("%x: f32[2,3,9]", "f32[2,4,11]", "pick(%x){dims=(1, 2), index=((1, 0, 1, 2), (1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 7))}"),
    "take": one("%x: f32[30,8], %i: i64[2,5]", "f32[2,5,8]", "take(%x, %i){dim=0}"),
    "scatter": one("%x: f32[4,9], %i: i64[2,9], %u: f32[2,9]", "f32[4,9]", 'scatter(%x, %i, %u){dim=0, reduction="add"}'),
    "scatter_rows": one("%x: f32[4,9], %i: i64[2,1], %u: f32[2,9]", "f32[4,9]", 'scatter(%x, %j, %u){dim=0, reduction="add"}',
                        "%j: i64[2,9] = expand(%i){shape=(2, 9)}"),
    "topk": one("%x: f32[4,9]", "f32[4,3], %y#1: i64[4,3]", "topk(%x){dim=1, k=3, largest=True}").replace("%y\n", "%y, %y#1\n"),
    "sorted": one("%x: f32[4,99]", "f32[4,99], %y#1: i64[4,99]", "sort(%x){descending=False, dim=1}").replace("%y\n", "%y, %y#1\n"),
    "median": one("%x: f32[4,9]", "f32[4], %y#1: i64[4]", 'order_statistic(%x){dim=1, k=1, rank="median"}').replace("%y\n", "%y, %y#1\n"),
    "running maxima": one("%x: f32[4,9]", "f32[4,9], %y#1: i64[4,9]", "running_extremum(%x){dim=1, largest=True}").replace(
        "%y\n", "%y, %y#1\n"
    ),
    "mode": one("%x: f32[4,9]", "f32[4], %y#1: i64[4]", "mode(%x){dim=1}").replace("%y\n", "%y, %y#1\n"),
    "search": one("%x: f32[9], %v: f32[4,5]", "i64[4,5]", "searchsorted(%x, %v){right=False}"),
    "nonzero": counted("%x: f32[4,9]", "i64[u,2], %y#1: i64[]", "nonzero(%x){symbol=u}"),
    "unique": counted("%x: f32[9,2]", "i64[u], %y#1: i64[9], %y#2: i64[u], %y#3: i64[]", "unique(%x){sorted=True, symbol=u}"),
    "nms": counted(
        "%x: f32[1,20,4], %s: f32[1,3,20], %m: i64[1], %t: f32[1], %l: f32[1]",
        "i64[u,3], %y#1: i64[]",
        "nms(%x, %s, %m, %t, %l){center=False, limit=None, symbol=u}",
    ),
    "random": one("%x: f64[9]", "f64[9]", "add(%x, %r)", "%r: f64[9] = random(){seed=None, size=9, stream=1}"),
    "seeded": one("%x: f64[9]", "f64[9]", "add(%x, %r)", "%r: f64[9] = random(){seed=3, size=9, stream=0}"),
    "dot": one("%x: f32[4,64]", "f32[4,3]", "linear(%x, %w)", weight(3, 64)),
    "gemm": one("%x: f32[20,64]", "f32[20,96]", "linear(%x, %w)", weight(96, 64)),
    "batched": one("%x: f32[n,7,64], %z: f32[n,64,30]", "f32[n,7,30]", "matmul(%x, %z)").replace(") {", ") where n in [2, 64] {", 1),
    "linear weight gradient": one("%x: f32[64,300], %z: f32[64,480]", "f32[300,480]", "matmul(%t, %z)",
                                  "%t: f32[300,64] = permute(%x){order=(1, 0)}"),
    "few rows": one("%x: f32[9,300], %z: f32[300,5001]", "f32[9,5001]", "matmul(%x, %z)"),
    "integers": one("%x: i32[4,8], %z: i32[8,3]", "i32[4,3]", "matmul(%x, %z)"),
    "bytes": one("%x: u8[20,64]", "i32[20,40]", "int_linear(%x, %w)", '%w = parameter{target="w"}: i8[40,64]'),
    "weights of 8 bits": one("%x: f32[2,64]", "f32[2,40]", "weight_only_linear(%x, %w, %s, %z){group=32}",
                             '%w = parameter{target="w"}: i8[40,64]\n  %s = parameter{target="s"}: bf16[40,2]\n  '
                             '%z = parameter{target="z"}: i8[40,2]'),
    "weights of 4 bits": one("%x: f32[n,64]", "f32[n,40]", "weight_only_linear(%x, %w, %s){group=32}",
                             '%w = parameter{target="w"}: u8[40,32]\n  %s = parameter{target="s"}: f32[40,2]',
                             ).replace(") {", ") where n in [2, 64] {", 1),
    "weights of 4 bits, bfloat16": one("%x: bf16[n,64]", "bf16[n,40]", "weight_only_linear(%x, %w, %s, %z){group=32}",
                                       '%w = parameter{target="w"}: u8[40,32]\n  %s = parameter{target="s"}: bf16[40,2]\n  '
                                       '%z = parameter{target="z"}: i8[40,2]').replace(") {", ") where n in [2, 64] {", 1),
    "byte_images": one(
        "%x: u8[1,8,14,14], %z: u8[]",
        "i32[1,20,14,14]",
        "int_conv(%x, %w, %z){dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}",
        '%w = parameter{target="w"}: i8[20,8,3,3]',
    ),
    "images of many channels": one(
        "%x: u8[1,72,14,14], %z: u8[]",
        "i32[1,40,14,14]",
        "int_conv(%x, %w, %z){dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}",
        '%w = parameter{target="w"}: i8[40,72,3,3]',
    ),
    "table": """graph(%x: u8[64,100]) {
  %a: f32[64,100] = cast(%x){dtype=f32}
  %b: f32[64,100] = sigmoid(%a)
  %c: f32[64,100] = mul(%b, %a)
  %d: f32[64,100] = round(%c)
  %e: f32[64,100] = clamp(%d){high=255.0, low=0.0}
  %y: u8[64,100] = cast(%e){dtype=u8}
  return %y
}""",
    "byte_pool": one("%x: u8[1,5,14,14]", "u8[1,5,7,7]", f"max_pool(%x){{{WINDOW}}}"),
    "attention": one("%q: f32[2,4,10,16]", "f32[2,4,10,16]", "sdpa(%q, %q, %q){causal=True, scale=0.25}"),
    "attention gradients": one(
        "%g: f32[2,4,10,16], %q: f32[2,4,10,16]",
        "f32[2,4,10,16], %y#1: f32[2,4,10,16], %y#2: f32[2,4,10,16]",
        "sdpa_grad(%g, %q, %q, %q){causal=True, scale=0.25}",
    ),
    "attention with dropout": one(
        "%q: f32[2,4,10,16], %m: bool[2,4,10,10]", "f32[2,4,10,16]", "sdpa_dropped(%q, %q, %q, %m){causal=False, scale=0.25, share=0.5}"
    ),
    "gradients of dropout": one(
        "%g: f32[2,4,10,16], %q: f32[2,4,10,16], %m: bool[2,4,10,10]",
        "f32[2,4,10,16], %y#1: f32[2,4,10,16], %y#2: f32[2,4,10,16]",
        "sdpa_dropped_grad(%g, %q, %q, %q, %m){causal=True, scale=0.25, share=0.5}",
    ),
    "decoding": one("%q: f32[2,4,1,16], %k: f32[2,4,30,16]", "f32[2,4,1,16]", "sdpa(%q, %k, %k){causal=False, scale=0.25}"),
    "grid": one(
        "%x: f32[1,2,5,7], %g: f32[1,3,4,2]",
        "f32[1,2,3,4]",
        'grid_sample(%x, %g){align_corners=False, mode="linear", padding="reflection"}',
    ),
    "grid_double": one(
        "%x: f64[1,2,5,7], %g: f64[1,3,4,2]",
        "f64[1,2,3,4]",
        'grid_sample(%x, %g){align_corners=False, mode="linear", padding="reflection"}',
    ),
    "regions": one(
        "%x: f32[2,3,9,8], %r: f32[4,4], %b: i64[4]",
        "f32[4,3,2,2]",
        'roi_align(%x, %r, %b){half_pixel=True, mode="avg", output_size=(2, 2), sampling_ratio=0, scale=1.0}',
    ),
    "displaced": one(
        "%x: f32[1,4,6,6], %o: f32[1,18,6,6]",
        "f32[1,4,9,6,6]",
        "deform_columns(%x, %o){dilation=(1, 1), kernel=(3, 3), offset_groups=1, padding=(1, 1), stride=(1, 1)}",
    ),
    "places": one("%x: f32[1,5,14,14]", "i64[1,5,7,7]", f"argmax_pool(%x){{{WINDOW.replace('dilation', 'column_major=False, dilation')}}}"),
    "taps of a pooling": one("%x: f32[1,5,14,14]", "u8[1,5,7,7]", f"max_pool_taps(%x){{{WINDOW}}}"),
    "gradient of a pooling": one(
        "%x: f32[1,5,14,14], %g: f32[1,5,7,7]", "f32[1,5,14,14]", f"max_pool_grad(%x, %g){{{WINDOW}}}"
    ),
    "gradient of a pooling by taps": one(
        "%t: u8[1,5,7,7], %g: f32[1,5,7,7]",
        "f32[1,5,14,14]",
        f"max_pool_taps_grad(%t, %g){{{WINDOW.replace('stride', 'size=(14, 14), stride')}}}",
    ),
    "bags of rows": one(
        "%x: f32[9,24], %i: i64[7], %n: i64[3], %w: f32[7]",
        "f32[3,24]",
        'bags(%x, %i, %n, %w){checked="", closed=False, mode="sum", without=None}',
    ),
    "C of the user": user_function(),
    "groups of rows": one("%x: f32[9,24], %w: f32[3,24,40], %n: i32[3]", "f32[9,40]", "grouped_matmul(%x, %w, %n){transposed=False}"),
    "gradient of groups of rows": one("%x: f32[9,24], %g: f32[9,40], %n: i32[3]", "f32[3,24,40]", "grouped_matmul_grad(%x, %g, %n)"),
    "gradient of weights": one("%x: f32[2,32,9,9], %g: f32[2,64,5,5]", "f32[64,32,3,3]", weight_gradient(2, 1, 1)),
    "gradient of many pixels' weights": one("%x: f32[2,64,28,28], %g: f32[2,64,28,28]", "f32[64,64,3,3]", weight_gradient(1, 1, 1)),
    "gradient of depthwise weights": one("%x: f32[2,24,9,9], %g: f32[2,24,9,9]", "f32[24,1,3,3]", weight_gradient(1, 1, 24)),
    "gradient of few channels' weights": one("%x: f32[2,3,9,9], %g: f32[2,20,5,5]", "f32[20,3,3,3]", weight_gradient(2, 1, 1)),
    "gradient of odd groups' weights": one("%x: f32[2,6,9,9], %g: f32[2,4,9,9]", "f32[4,3,3,3]", weight_gradient(1, 1, 2)),
    "resampling": f"""graph(%x: f32[1,16,4,9], %r: i32[2,8], %v: f32[2,8], %c: i32[1,20], %u: f32[1,20], %b: i32[1,17], %d: f32[1,17]) {{
  {weight(32, 16, 1, 1)}
  {weight(16, 32, 3, 3, name="t")}
  %h: f32[1,32,4,9] = {conv("x", "w")}
  %i: f32[1,32,8,20] = resample(%h, %r, %v, %c, %u)
  %j: f32[1,32,8,20] = relu(%i)
  %k: f32[1,16,8,20] = {conv("j", "t", pad=1)}
  %y: f32[1,16,8,17] = resample(%k, %r, %v, %b, %d)
  return %y
}}""",
    "determinants": one("%x: f32[3,4,4]", "f32[3]", "det(%x)"),
    "triangular systems": one("%a: f32[3,9,9], %b: f32[3,9,70]", "f32[3,9,70]", "solve_triangular(%a, %b){unit=True, upper=False}"),
    "recurrence": one(
        "%x: f32[6,2,48], %w: f32[48,16], %b: f32[48], %h: f32[2,16], %n: i64[2]",
        "f32[6,2,16], %y#1: f32[2,16]",
        'recurrence(%x, %w, %b, %h, %n){activations=(("sigmoid", 0.0, 0.0), ("tanh", 0.0, 0.0)), cell="gru", clip=None, coupled=False, '
        "reset_after=False, reverse=False}",
    ),
    "recurrent": one(
        "%x: f32[6,2,64], %h: f32[2,16]",
        "f32[6,2,16], %y#1: f32[2,16], %y#2: f32[2,16]",
        "lstm_scan(%x, %w, %h, %h){keeps=False, reverse=False}",
        weight(64, 16),
    ),
    "recurrent gradients": one(
        "%x: f32[6,2,64], %c: f32[6,2,16], %h: f32[2,16], %d: f32[6,2,16]",
        "f32[6,2,64], %y#1: f32[2,16], %y#2: f32[2,16]",
        "lstm_scan_grad(%x, %w, %c, %h, %d, %h, %h){reverse=False}",
        weight(64, 16),
    ),
    "volume": """graph(%x: f32[1,3,4,9,9]) {
  %w = parameter{target="w"}: f32[16,3,3,3,3]
  %y: f32[1,16,4,9,9] = conv(%x, %w){dilation=(1, 1, 1), groups=1, padding=((1, 1), (1, 1), (1, 1)), stride=(1, 1, 1)}
  return %y
}""",
}

INNER_PRODUCT_OF_TWO = convolution(128, 304, 10, 1)
"""A network for a machine on which a broadcast must serve two output vectors for the fast inner product to gain; one vector is left."""
INNER_PRODUCT: dict[str, str] = {
    "inner_product": convolution(32, 96, 14, 1),
    "selected": selected(128, 96, 160),
    "prologue": NETWORKS["prologue"],
    "chain": NETWORKS["chain"],
    "groups": convolution(64, 64, 14, 3, groups=2, pad=1),
    "rows": one("%x: f32[50,256]", "f32[50,96]", "linear(%x, %w)", weight(96, 256)),
    "weights that change": one("%x: f32[200,256], %w: f32[96,256]", "f32[200,96]", "linear(%x, %w)"),
    "gradient of 1x1 weights": one("%x: f32[2,64,28,28], %g: f32[2,128,28,28]", "f32[128,64,1,1]", weight_gradient(1, 0, 1, 1)),
}
"""Networks for a target with independent_adders."""


LINEAR_GRADIENT = """graph(%x: f32[512,256], %g: f32[512,300]) {
  %t: f32[300,512] = permute(%g){order=(1, 0)}
  %w: f32[300,256] = matmul(%t, %x)
  return %w
}"""
"""The gradient of a linear layer for its weights, for a machine whose table says that it is computed in chunks."""


def plan_in_chunks() -> Plan:
    """The plan of LINEAR_GRADIENT for AVX2."""
    return make_plan(fused_graph(LINEAR_GRADIENT, "avx2"), replace(by_name("avx2"), machine=ZEN3))


def plan_of(
    text: str, isa: str = "avx512", independent_adders: bool = False, matrix_tiles: bool = False, narrow_dots: bool = False,
    byte_dots: bool = False, machine: Machine = ZEN4,
) -> Plan:  # fmt: skip
    """The plan of a network for a target, whatever this machine is."""
    target = replace(by_name(isa), machine=machine) if independent_adders or narrow_dots else by_name(isa)
    target = with_narrow_dots(target) if narrow_dots else target
    target = with_byte_dots(target) if byte_dots else target
    graph = fused_graph(text, isa, matrix_tiles, byte_dots, narrow_dots)
    return make_plan(graph, with_matrix_tiles(target) if matrix_tiles else target)


def fused_graph(text: str, isa: str = "avx512", matrix_tiles: bool = False, byte_dots: bool = False, narrow_dots: bool = False) -> Graph:
    target = with_byte_dots(by_name(isa)) if byte_dots else by_name(isa)
    target = replace(with_narrow_dots(target), machine=ZEN4) if narrow_dots else target
    return list(run_passes(parse_graph(text), with_matrix_tiles(target) if matrix_tiles else target))[-1][1]
