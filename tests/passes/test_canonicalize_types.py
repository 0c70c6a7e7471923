"""Types without kernels of their own: what the pass makes of them compiles, and gives what torch gives."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import sol
from sol.ir.text import parse_graph
from sol.ir.types import DType
from sol.ir.verify import verify
from sol.passes.canonicalize_types import canonicalize_types
from tests.against_torch.support import Table, check_all, differs


def _conv(dtype, **options):
    return lambda x: F.conv1d((x + 1).to(dtype), torch.ones(1, 3, 3, dtype=dtype) / 8, **options).float()


def _attention(dtype, *mask, **options):
    return lambda x: F.scaled_dot_product_attention(*[(x + i).to(dtype) for i in range(3)], *mask, **options).float()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_small_values_between_those_of_float32(dtype):
    """Small ones are compiled, also where torch would take large ones over."""
    mask = torch.rand(3, 3) > 0.5
    mask[1] = False
    cases = {
        "conv": _conv(dtype),
        "strided conv": _conv(dtype, stride=2, padding=1),
        "relu of a conv": lambda x: F.conv1d((x + 1).to(dtype), torch.ones(1, 3, 3, dtype=dtype) / 8).relu().float() * 2,
        "transposed": lambda x: F.conv_transpose1d((x + 1).to(dtype), torch.ones(3, 2, 3, dtype=dtype) / 8, stride=2).float(),
        "attention": _attention(dtype),
        "causal": _attention(dtype, is_causal=True),
        "masked": _attention(dtype, mask),
        "max pooling": lambda x: F.max_pool1d((x + 1).to(dtype), 2).float(),
        "average pooling": lambda x: F.avg_pool2d((x + 1).to(dtype)[:, None], 2, padding=1).float(),
        "adaptive pooling": lambda x: F.adaptive_avg_pool1d((x + 1).to(dtype), 3).float() + F.adaptive_max_pool1d((x + 1).to(dtype), 3),
        "added mask": _attention(dtype, torch.randn(3, 3).to(dtype)),
    }
    check_all(cases, torch.randn(2, 3, 7), threads=(1,), rounded_to=dtype)


class Recurrent(nn.Module):
    """A recurrent layer of another type between values of float32."""

    def __init__(self, layer: nn.Module, dtype: torch.dtype) -> None:
        super().__init__()
        self.layer = layer.to(dtype)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y, states = self.layer((x + 1).to(self.layer.weight_ih_l0.dtype))
        return tuple(t.float() * 2 for t in (y, *(states if isinstance(states, tuple) else (states,))))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_small_recurrent_layers_of_16_bits(dtype):
    layers = {"LSTM": nn.LSTM(7, 4), "both directions": nn.GRU(7, 4, 2, bidirectional=True), "RNN": nn.RNN(7, 4, nonlinearity="relu")}
    check_all({name: Recurrent(layer, dtype) for name, layer in layers.items()}, torch.randn(3, 2, 7), threads=(1,))


WITHOUT_KERNELS = {
    "conv of i64": (lambda x: F.conv1d((3 * x).long(), torch.ones(2, 3, 3, dtype=torch.long)), 1),
    "conv of i32": (lambda x: F.conv2d((3 * x).int()[:, None], torch.ones(2, 1, 2, 3, dtype=torch.int32)), 1),
    "doubles in a GRU": (Recurrent(nn.GRU(7, 4), torch.float64), 1),
}


@pytest.mark.parametrize("name", WITHOUT_KERNELS)
def test_what_has_no_kernel_runs_in_torch_and_the_rest_does_not(name):
    function, calls = WITHOUT_KERNELS[name]
    model = Table([lambda x: x.relu() @ x.mT, function]).eval()
    x = torch.randn(2, 3, 7)
    with torch.no_grad():
        fast = sol.optimize(model, [x])
        assert not differs(fast(x), model(x))
    (program,) = fast._programs
    assert len(program.runner.torch_nodes) == calls and all("no kernels" in n.attrs["reason"] for n in program.runner.torch_nodes)


@pytest.mark.parametrize("kind,mask", [("bf16", "bf16"), ("bf16", "f32"), ("bf16", "bool"), ("f16", "f16"), ("f16", "bool")])
def test_attention_of_16_bits(kind: str, mask: str) -> None:
    """Kernels read bfloat16, and masks of float32 or bools; float16 is computed in float32."""
    graph = parse_graph(f"""graph(%q: {kind}[2,9,64], %k: {kind}[2,12,64], %v: {kind}[2,12,5], %m: {mask}[9,12]) {{
  %y: {kind}[2,9,5] = sdpa(%q, %k, %v, %m){{causal=False, scale=0.125}}
  return %y
}}""")
    found = canonicalize_types(graph, 16)
    verify(found)
    (attention,) = (n for n in found.nodes if n.op == "sdpa")
    *operands, masked = (found.type_of(v).dtype for v in attention.inputs)
    assert set(operands) == {DType.BF16 if kind == "bf16" else DType.F32}
    assert masked is (DType.BOOL if mask == "bool" else DType.F32)


CASES = [(1, 1, True, "bf16"), (3, 2, True, "bf16"), (3, 1, True, "f32"), (1, 1, False, "f32")]


@pytest.mark.parametrize(("taps", "stride", "pairs", "kind"), CASES)
def test_gradients_for_weights_that_products_in_pairs_read(taps: int, stride: int, pairs: bool, kind: str) -> None:
    """Those of one tap or with strides: Winograd's algorithm serves the others, in float32."""
    size, pad = 12 // stride, taps // 2
    pads = f"(({pad}, {pad}), ({pad}, {pad}))"
    options = f"dilation=(1, 1), groups=1, kernel=({taps}, {taps}), padding={pads}, stride=({stride}, {stride})"
    graph = parse_graph(f"""graph(%x: bf16[2,32,12,12], %g: bf16[2,48,{size},{size}]) {{
  %y: bf16[48,32,{taps},{taps}] = conv_weight_grad(%x, %g){{{options}}}
  return %y
}}""")
    found = canonicalize_types(graph, 16, pairs=pairs)
    verify(found)
    (gradient,) = (n for n in found.nodes if n.op == "conv_weight_grad")
    assert {found.type_of(v).dtype for v in gradient.inputs} == {DType.BF16 if kind == "bf16" else DType.F32}
    assert gradient.type.dtype is DType.F32 and found.type_of(found.outputs[0]).dtype is DType.BF16


@pytest.mark.parametrize(("rows", "pairs", "kind"), [(48, True, "bf16"), (48, False, "f32"), (9, True, "f32")])
def test_products_of_two_matrices_that_products_in_pairs_read(rows: int, pairs: bool, kind: str) -> None:
    graph = parse_graph(f"""graph(%a: bf16[{rows},64], %b: bf16[64,32]) {{
  %y: bf16[{rows},32] = matmul(%a, %b)
  return %y
}}""")
    found = canonicalize_types(graph, 16, pairs=pairs)
    verify(found)
    (product,) = (n for n in found.nodes if n.op == "matmul")
    assert {found.type_of(v).dtype for v in product.inputs} == {DType.BF16 if kind == "bf16" else DType.F32}
    assert found.type_of(found.outputs[0]).dtype is DType.BF16
