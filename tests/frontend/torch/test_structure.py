"""Structures, mutations, tied parameters, symbolic sizes, torch calls and errors of the import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

import sol
from sol.errors import ExportError, SolError
from sol.frontend.torch import import_module
from sol.frontend.torch.aten import CONVERTERS
from sol.runtime.torch.calls import take_function
from tests.frontend.torch.support import check, run_imported, same
from tests.frontend.torch.test_ops import Fn, b, f, i, p


@dataclass
class Result:
    """A model output as transformers has them."""

    value: torch.Tensor
    extra: Any = None


torch.export.register_dataclass(Result, serialized_type_name="sol_test_Result")


class Everything(nn.Module):
    def forward(self, pair: Any, table: Any, *, scale: float = 2.0, flag: bool = True, nothing: Any = None) -> Any:
        x, y = pair
        z = (x + y) * scale if flag else x
        return {"z": z, "r": Result(table["a"] * 2, None), "t": (x, None, 3, "text"), "l": [x.shape[0], z[0]]}


def test_structures() -> None:
    args = ((f(2, 3), f(2, 3)), {"a": f(4), "b": f(5)})
    check(Everything(), args, {"scale": 3.0, "flag": True, "nothing": None})


def test_examples_that_are_one_tensor_are_inputs_of_their_own() -> None:
    weight = nn.Parameter(f(2, 3))

    class Difference(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = weight

        def forward(self, x: Any, y: Any, z: Any) -> Any:
            return x - 2 * y + self.weight * z

    x = f(2, 3)
    imported = import_module(Difference(), (x, x, weight.detach()))
    assert len(imported.graph.inputs) == 3
    with torch.no_grad():
        fast = sol.optimize(Difference().eval(), [x, x, weight])
        other = f(2, 3), f(2, 3), f(2, 3)
        torch.testing.assert_close(fast(*other), Difference()(*other))


def test_keyword_order_and_constants() -> None:
    class Two(nn.Module):
        def forward(self, x: Any, *, p: Any, q: Any, n: int) -> Any:
            return x * n + p - q

    imported = import_module(Two(), (f(2),), {"p": f(2), "q": f(2) * 2, "n": 3})
    take = take_function(imported)
    tensors, _ = take((f(2),), {"n": 3, "q": f(2) * 2, "p": f(2)})
    assert [t.tolist() for t in tensors] == [f(2).tolist(), f(2).tolist(), (f(2) * 2).tolist()]
    assert take((f(2),), {"n": 4, "q": f(2), "p": f(2)}) is None
    assert take((f(2), f(2)), {"n": 3, "q": f(2), "p": f(2)}) is None
    assert take((f(3),), {"n": 3, "q": f(2), "p": f(2)}) is None


def test_unread_results_are_not_computed() -> None:
    class Last(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.r = nn.LSTM(4, 5, 2, bidirectional=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.r(x)[0][-1]

    assert sum(n.op == "concat" for n in check(Last(), (f(6, 3, 4),)).graph) == 2


def test_unused_input() -> None:
    imported = check(Fn(lambda x, y: x * 2), (f(2), f(3)))
    assert [leaf.kind for leaf in imported.inputs] == ["tensor", "unused"]


def test_input_and_constant_as_output() -> None:
    check(Fn(lambda x: (x, x.clone(), x, torch.tensor([1.0, 2.0]), x.detach())), (f(2),))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.b.weight = self.a.weight
        self.c = self.a
        self.table = torch.arange(2000.0)
        self.register_buffer("count", torch.zeros(4))
        self.register_buffer("hidden", torch.ones(4), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.c(self.b(self.a(x))) + self.count + self.hidden + self.table[:4]


def test_tied_parameters_are_one_node() -> None:
    imported = check(Net(), (f(2, 4),))
    assert sorted({*imported.graph.parameter_targets} - {*imported.parameters}) == ["a.bias", "a.weight", "b.bias", "count", "hidden"]
    assert list(imported.parameters) and all(k.startswith("const:") for k in imported.parameters)


def test_parameters_are_not_copied() -> None:
    net = Net()
    imported = import_module(net, (f(2, 4),))
    assert next(iter(imported.parameters.values())).data_ptr() == net.table.data_ptr()


def inplace_relu(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    z = y.relu_()
    return y + z


def view_then_write(x: torch.Tensor) -> Any:
    y = x * 2
    v = y[:, 0]
    v.mul_(3)
    return y, v


def write_then_view(x: torch.Tensor) -> Any:
    y = x + 1
    v = y.view(-1)
    y.add_(1)
    return v, y


def flat_write(x: torch.Tensor) -> torch.Tensor:
    return (x + 1).flatten(1).relu_().clamp_(0, 1)


def write_input(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


def write_input_view(x: torch.Tensor) -> torch.Tensor:
    x[0].zero_()
    return x * 2


def write_same_contiguous(x: torch.Tensor) -> Any:
    y = x * 1
    y.contiguous().add_(1)
    y.t().contiguous().add_(5)
    y.to(torch.float32).mul_(2)
    y.double().mul_(9)
    y.detach().sub_(1)
    return y


def assign(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros_like(x)
    y[:, 1:] = x[:, 1:]
    y[0] = 7
    y[..., -1] += 1
    return y


def write_chunk(x: torch.Tensor) -> Any:
    y = x * 2
    a, c = y.chunk(2, 1)
    a.add_(1)
    return y, c


def copies(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty(3, 4)
    y.copy_(x[0])
    y.fill_(2).add_(x)
    y.masked_fill_(x > 0, 0)
    return y.sub_(x, alpha=2).div_(3).ge_(0.1)


def swin_mask(x: torch.Tensor) -> Any:
    m = x.new_zeros(6, 8)
    count = 0
    for h in ((0, 2), (2, 4), (4, 6)):
        for w in ((0, 3), (3, 8)):
            m[h[0] : h[1], w[0] : w[1]] = count
            count += 1
    return m.view(2, 3, 8).permute(0, 2, 1) + x[0, 0]


def write_through_chain(x: torch.Tensor) -> Any:
    y = x * 1
    before = y[1]
    y.t()[1:3].view(2, 3).unsqueeze(0).select(2, -1).add_(10)
    rows = y.reshape(-1)
    y.permute(1, 0)[0].mul_(2)
    rows.sub_(1)
    return y, before, rows


def write_relu_of_view(x: torch.Tensor) -> Any:
    y = x * 1
    v = y.view(-1).relu_()
    w = v.add_(1)
    y.mul_(2)
    return w, v, y


def write_narrow_and_steps(x: torch.Tensor) -> Any:
    y = x * 1
    y.narrow(1, 1, 2).zero_()
    y[:, ::2] = 5
    return y


def write_input_chain(x: torch.Tensor) -> Any:
    x.t()[1].fill_(4)
    return x + 1


INPLACE = {
    g.__name__: g
    for g in (
        inplace_relu,
        view_then_write,
        write_then_view,
        flat_write,
        write_input,
        write_input_view,
        write_same_contiguous,
        assign,
        write_chunk,
        copies,
        swin_mask,
        write_through_chain,
        write_relu_of_view,
        write_narrow_and_steps,
        write_input_chain,
    )
}


@pytest.mark.parametrize("name", INPLACE)
def test_inplace(name: str) -> None:
    check(Fn(INPLACE[name]), (f(3, 4),))


@pytest.mark.parametrize(
    "layer", [nn.ReLU, nn.ReLU6, nn.Hardtanh, nn.Hardswish, nn.Hardsigmoid, nn.SiLU, nn.Mish, nn.ELU, nn.SELU, nn.CELU, nn.LeakyReLU]
)
def test_inplace_layers(layer: Any) -> None:
    check(nn.Sequential(nn.Linear(4, 6), layer(inplace=True), nn.Dropout(0.5, inplace=True)), (f(3, 4),))


def test_buffer_mutation() -> None:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.count += 1
            return x * self.count

    imported = check(Counter(), (f(3),))
    assert [(m.kind, m.target) for m in imported.mutations] == [("buffer", "count")]


def test_no_grad_block_is_part_of_the_graph() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            y = x * 2
        with torch.enable_grad():
            return torch.relu(y) + 1

    check(Fn(function), (f(3),))


BATCH, LENGTH = Dim("batch", min=2, max=64), Dim("length", min=2, max=512)

DYNAMIC: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "linear": (lambda: nn.Sequential(nn.Linear(4, 5), nn.ReLU()), {0: BATCH}, (f(3, 4), f(7, 4))),
    "conv": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 4, 3, 2, 1),
            nn.BatchNorm2d(4),
            nn.ReLU(True),
            nn.MaxPool2d(3, 2, 1),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(4, 2),
        ),
        {0: BATCH},
        (f(3, 3, 16, 16), f(7, 3, 16, 16)),
    ),
    "conv spatial": (
        lambda: nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.Conv2d(4, 4, 3, padding=1), nn.MaxPool2d(3, 2, 1), nn.AdaptiveAvgPool2d(1)),
        {2: Dim("h", min=8, max=64), 3: Dim("w", min=8, max=64)},
        (f(1, 3, 16, 17), f(1, 3, 33, 20)),
    ),
    "encoder": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), {0: BATCH, 1: LENGTH}, (f(3, 5, 8), f(2, 9, 8))),
    "sizes": (
        lambda: Fn(
            lambda x: (
                x.shape[0] * 2 + 1,
                x.reshape(-1),
                x.mean() * x.shape[0],
                torch.arange(x.shape[0]),
                x[1:],
                x[:-1],
                x[-1],
                x.new_zeros(x.shape[0], 3),
                x.view(x.shape[0] * 4),
                torch.cat([x, x]),
                x.size(1),
                x + x.shape[0],
            )
        ),
        {0: Dim("several", min=3, max=64)},
        (f(4, 4), f(9, 4)),
    ),
    "embedding": (
        lambda: Fn(lambda x: F.embedding(x, torch.ones(9, 4)) + torch.arange(x.shape[1])[:, None]),
        {1: LENGTH},
        (i(2, 5), i(2, 8)),
    ),
    "lstm": (lambda: nn.LSTM(4, 5, batch_first=True), {0: BATCH}, (f(3, 6, 4), f(2, 6, 4))),
    "causal mask": (
        lambda: Fn(lambda x: (x @ x.mT).masked_fill(torch.ones(x.shape[1], x.shape[1]).tril() == 0, -1e9).softmax(-1)),
        {1: LENGTH},
        (f(2, 5, 4), f(2, 7, 4)),
    ),
    "halves": (lambda: Fn(lambda x: (*x.chunk(2, 1), x.unflatten(1, (-1, 2)))), {1: 2 * Dim("half", min=2, max=64)}, (f(2, 8), f(2, 12))),
}


@pytest.mark.parametrize("name", DYNAMIC)
def test_dynamic_shapes(name: str) -> None:
    make, shapes, (first, second) = DYNAMIC[name]
    module = make()
    wrapped = (shapes,) if not isinstance(module, Fn) else ((shapes,),)
    imported = check(module, (first,), dynamic_shapes=wrapped, also=((second,),), tolerance=1e-4)
    assert imported.symbols and not imported.unbacked


CALLS: dict[str, tuple[Any, tuple[Any, ...], int, str]] = {
    "no converter": (lambda x: torch.special.i1(x) + 1, (f(4),), 1, "no converter"),
    "several results": (lambda x: (torch.linalg.qr(x)[1] * 2, torch.linalg.svd(x)[1]), (f(3, 4),), 2, "no converter"),
    "list of operands": (lambda x: sum(torch._foreach_norm([x, x * 2])), (f(2, 3),), 1, "no converter"),
    "option": (lambda x: F.adaptive_max_pool2d(x, 3, return_indices=True), (f(1, 2, 4, 4),), 1, "indices"),
    "data dependent": (lambda x: x.nonzero().float().sum(0) * 2, (f(5),), 3, "data"),
    "mask": (lambda x: x[x > 0].sum() + 1, (f(6),), 2, "data"),
    "item of a whole number": (lambda x: x * x.argmax().item(), (f(6),), 1, ""),
    "item": (lambda x: x * x.max().item() + (x > x.min().item() + 1), (f(6),), 0, ""),
    "item output": (lambda x: (x + 1, x.sum().item()), (f(6),), 0, ""),
}


@pytest.mark.parametrize("name", CALLS)
def test_torch_calls(name: str) -> None:
    function, args, calls, reason = CALLS[name]
    imported = check(Fn(function), args, calls=calls)
    assert not calls or any(reason in n.attrs["reason"] for n in imported.graph if n.op == "torch_call")


def test_random_op_runs_in_torch() -> None:
    imported = import_module(Fn(lambda x: F.dropout(x, 0.5, True) + torch.rand(3)), (f(3),))
    assert sorted(c.name for c in imported.torch_calls.values()) == ["aten.rand.default", "sol_draws.dropout_mask.default"]


def test_cond_runs_in_torch() -> None:
    check(Fn(lambda x: torch.cond(x.sum() > 0, lambda y: y * 2, lambda y: y - 1, (x,)) + 1), (f(3),), calls=1)


def test_origins_name_module_and_line() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(4, 4)])

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(self.layers[0](x))

    graph = import_module(Outer(), (f(2, 4),)).graph
    origins = {n.op: n.origin for n in graph}
    assert origins["linear"].path == "layers.0"
    assert origins["relu"].source.startswith("test_structure.py:")


def test_modes_are_restored() -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.BatchNorm1d(4))
    net.train()
    net[2].eval()
    import_module(net, (f(2, 4),))
    assert [m.training for m in net.modules()] == [True, True, True, False]
    with pytest.raises(ExportError):
        import_module(net, (f(2, 5),))
    assert [m.training for m in net.modules()] == [True, True, True, False]


def test_control_flow_is_an_export_error() -> None:
    with pytest.raises(ExportError, match=r'(?s)cannot capture Fn.*remedy.*fallback="eager"'):
        import_module(Fn(lambda x: x + 1 if x.sum() > 0 else x), (f(3),))


def test_complex_numbers_pass_between_torch_calls() -> None:
    imported = import_module(Fn(lambda x: torch.fft.fft(x * 2).abs() + 1), (f(3),))
    assert list(imported.torch_calls) == ["fft_fft", "abs_1"]
    reasons = {n.attrs["key"]: n.attrs["reason"] for n in imported.graph if n.op == "torch_call"}
    assert "complex64" in reasons["abs_1"] and [n.op for n in imported.graph if n.op in ("mul", "add")] == ["mul", "add"]


def test_a_wrong_converter_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONVERTERS, "aten.relu.default", lambda ctx, x: ctx.reshape(x, (6,)))
    with pytest.raises(SolError, match=r"aten\.relu\.default was converted to f32\[6\], torch has f32\[2,3\]"):
        import_module(Fn(torch.relu), (f(2, 3),))


def test_bfloat16_and_half() -> None:
    for dtype in (torch.bfloat16, torch.float16):
        net, x = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.LayerNorm(4)).to(dtype), f(2, 4).to(dtype)
        assert not import_module(net, (x,), torch_at_hand=False).torch_calls
        assert len(import_module(net, (x,)).torch_calls) == (0 if dtype is torch.bfloat16 else 3)


def test_hf_style_helpers_are_reachable() -> None:
    imported = import_module(Fn(lambda x, m: F.scaled_dot_product_attention(x, x, x, m)), (p(1, 2, 3, 4), b(3, 3)))
    got, _ = run_imported(imported, nn.Identity(), (p(1, 2, 3, 4), torch.ones(3, 3, dtype=torch.bool)), {})
    same(got, F.scaled_dot_product_attention(*(p(1, 2, 3, 4),) * 3), 1e-5)


ATTRIBUTES = {
    "sparse": lambda: torch.eye(4).to_sparse(),
    "compressed rows": lambda: torch.eye(4).to_sparse_csr(),
    "without memory": lambda: torch.empty(4, device="meta"),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "NaN, one element for all": lambda: torch.full((1,), torch.nan).expand(5),
    "8 bits": lambda: torch.ones(3).to(torch.float8_e4m3fn),
    "with a gradient": lambda: torch.ones(3, requires_grad=True) * 2,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ATTRIBUTES)
def test_tensors_that_are_plain_attributes(name: str) -> None:
    """A tensor of any kind that the model only holds is no obstacle, and stays as it is."""
    model = nn.Linear(4, 4)
    model.held = held = ATTRIBUTES[name]()
    version, args = held._version, (torch.randn(2, 4),)
    imported = import_module(model, args, {})
    same(run_imported(imported, model, args, {})[0], model(*args).detach(), 1e-5)
    assert not imported.torch_calls and model.held is held and held._version == version


def test_an_operation_of_the_user_without_operands_is_no_constant() -> None:
    count = [0]

    @torch.library.custom_op("sol_test::next_number", mutates_args=())
    def next_number(size: int) -> torch.Tensor:
        count[0] += 1
        return torch.full((size,), float(count[0]))

    next_number.register_fake(lambda size: torch.empty(size))
    imported = check(Fn(lambda x: x * 0 + next_number(4) * 0), (f(4),), calls=1)
    assert any("no converter" in n.attrs["reason"] for n in imported.graph if n.op == "torch_call")
