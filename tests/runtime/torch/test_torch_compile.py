"""torch.compile(model, backend="sol"): results, what is compiled, what runs in torch, by name and without importing sol."""

from __future__ import annotations

import importlib.metadata
import math
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch._dynamo.backends import registry
from torch.nn import functional as F
from torch.nn.attention.flex_attention import flex_attention

import sol
from sol.errors import UnsupportedError
from sol.runtime.torch import dynamo, pieces
from sol.runtime.torch.program import Program
from tests.runtime.models import close


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Program]]:
    """What was compiled, in order; the backend is known by name even where the package is not installed."""
    found: list[Program] = []

    class Recorded(Program):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            found.append(self)

    monkeypatch.setattr(pieces, "Program", Recorded)
    if "sol" not in registry.list_backends(exclude_tags=()):
        registry.register_backend(dynamo.sol_backend, name="sol")
    torch._dynamo.reset()
    yield found
    torch._dynamo.reset()


class Residual(nn.Module):
    """Two convolutions with batch norm and a shortcut."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.bn2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.down = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        y += self.down(x)
        return self.relu(y)


def resnet() -> nn.Module:
    """Stem, pooling, two residual blocks, classifier."""
    stem = (nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
    return nn.Sequential(*stem, Residual(16, 16, 1), Residual(16, 32, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))


class Inverted(nn.Module):
    """Expand, depthwise, project, shortcut."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        wide = 4 * channels
        self.conv = nn.Sequential(
            nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(inplace=True),
            nn.Conv2d(wide, wide, 3, 1, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(inplace=True),
            nn.Conv2d(wide, channels, 1, bias=False), nn.BatchNorm2d(channels),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.conv(x)


def mobilenet() -> nn.Module:
    """Two inverted residuals and dropout before the classifier."""
    head = (nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU6())
    tail = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(16, 10))
    return nn.Sequential(*head, Inverted(16), Inverted(16), *tail)


class Bert(nn.Module):
    """Embeddings, self-attention with mask, feed-forward, layer norms; a dict comes out."""

    def __init__(self, dim: int = 32, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.token, self.position = nn.Embedding(50, dim), nn.Embedding(16, dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.up, self.down = nn.Linear(dim, 64), nn.Linear(64, dim)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor | None = None) -> dict[str, torch.Tensor]:
        batch, length = ids.shape
        x = self.token(ids) + self.position(torch.arange(length))
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        allowed = None if mask is None else mask[:, None, None, :].bool()
        a = F.scaled_dot_product_attention(q, k, v, allowed).transpose(1, 2).reshape(batch, length, -1)
        x = self.norm1(x + self.out(a))
        x = self.norm2(x + self.down(F.gelu(self.up(x))))
        return {"last": x, "pooled": torch.tanh(x[:, 0])}


def statistics(model: nn.Module) -> nn.Module:
    """Running statistics that matter; eval mode."""
    torch.manual_seed(0)
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.running_mean.uniform_(-0.2, 0.2)  # type: ignore[union-attr]
            m.running_var.uniform_(0.5, 1.5)  # type: ignore[union-attr]
    return model.eval()


IDS = torch.randint(0, 50, (2, 9))


@pytest.mark.parametrize(
    ("make", "inputs"),
    ((resnet, (torch.rand(1, 3, 64, 64),)), (mobilenet, (torch.rand(2, 3, 32, 32),)), (Bert, (IDS,)), (Bert, (IDS, torch.ones(2, 9)))),
)
def test_network(make: Any, inputs: tuple[torch.Tensor, ...], programs: list[Program]) -> None:
    model = statistics(make())
    fast = torch.compile(model, backend="sol", fullgraph=True)
    with torch.no_grad():
        for _ in range(2):
            close(fast(*inputs), model(*inputs))
    (program,) = programs
    assert not program.runner.torch_nodes and len(program.runner.executables) == 1


def whole(programs: list[Program]) -> bool:
    """Whether all of it is compiled."""
    return bool(programs) and all(p.runner.executables and not p.runner.torch_nodes for p in programs)


MASKS: dict[str, dict[str, Any]] = {
    "no mask": {},
    "padding, one sequence of nothing else": {"src_key_padding_mask": torch.tensor([[False] * 4 + [True], [True] * 5])},
    "later words": {"mask": torch.ones(5, 5).triu(1).bool(), "is_causal": True},
    "both": {
        "mask": torch.ones(5, 5).triu(2).bool(), "is_causal": False, "src_key_padding_mask": torch.tensor([[False] * 3 + [True] * 2] * 2),
    },
}  # fmt: skip


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("options", ({}, {"norm_first": True, "activation": "gelu"}), ids=("norm last", "norm first"))
def test_layers_of_an_encoder_are_compiled(options: dict[str, Any], mask: str, programs: list[Program]) -> None:
    """Without gradients Dynamo captures each of them as one operation. A word that attends to nothing is NaN there."""
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 24, batch_first=True, **options), 2, enable_nested_tensor=False).eval()
    x = torch.rand(2, 5, 16)
    with torch.no_grad():
        close(torch.compile(model, backend="sol")(x, **MASKS[mask]), model(x, **MASKS[mask]))
    assert whole(programs)


def test_an_encoder_of_open_sizes(programs: list[Program]) -> None:
    model = nn.TransformerEncoderLayer(16, 2, 24, batch_first=True).eval()
    fast = torch.compile(model, backend="sol")
    with torch.no_grad():
        for shape in ((2, 5, 16), (3, 7, 16), (4, 2, 16), (5, 9, 16)):
            x = torch.rand(shape)
            close(fast(x), model(x))
    assert len(programs) == 2 and whole(programs)


@pytest.mark.parametrize("make", (nn.LSTM, nn.GRU))
def test_recurrent_layers_are_compiled(make: Any, programs: list[Program]) -> None:
    model, x = make(8, 5, 2, batch_first=True, bidirectional=True).eval(), torch.rand(2, 4, 8)
    with torch.no_grad():
        close(torch.compile(model, backend="sol")(x), model(x))
    assert whole(programs)


def test_a_graph_without_inputs() -> None:
    function = lambda: torch.arange(5) * 2  # noqa: E731
    assert torch.compile(function, backend="sol")().tolist() == [0, 2, 4, 6, 8]

    def anchors(x: torch.Tensor) -> torch.Tensor:
        steps = torch.arange(3) * 0.5
        torch._dynamo.graph_break()
        return x + steps

    close(torch.compile(anchors, backend="sol")(torch.ones(3)), anchors(torch.ones(3)))


@pytest.mark.parametrize("dynamic", (True, None, False))
def test_shapes(dynamic: bool | None, programs: list[Program]) -> None:
    model = Bert().eval()
    fast = torch.compile(model, backend="sol", dynamic=dynamic)
    with torch.no_grad():
        for shape in ((2, 5), (3, 6), (4, 7), (5, 9), (6, 11)):
            ids = torch.randint(0, 50, shape)
            close(fast(ids), model(ids))
    assert len(programs) == {True: 1, None: 2, False: 5}[dynamic]


NUMBERS: dict[str, Any] = {
    "root": lambda n: 1.0 + math.sqrt(n), "rounded": lambda n: math.floor(n / 2) + 1, "third": lambda n: n / 3,
    "half": lambda n: n // 2 + 1, "power": lambda n: float(n) ** 0.5, "comparison": lambda n: math.sqrt(n) > 2,
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_python_computes_from_open_sizes(name: str) -> None:
    """They reach compiled code in the type that the trace gives them, not in torch's default one."""
    number = NUMBERS[name]

    def scaled(x: torch.Tensor) -> torch.Tensor:
        return (x * number(x.shape[1]) + 2.0 / math.sqrt(len(x))).relu()

    fast = torch.compile(scaled, backend="sol", dynamic=True)
    with torch.no_grad():
        for n in (3, 5, 9):
            x = torch.rand(n, n + 1)
            close(fast(x), scaled(x))


def test_flex_attention_of_open_sizes() -> None:
    def attend(x: torch.Tensor) -> torch.Tensor:
        return flex_attention(x, x, x, score_mod=lambda score, batch, head, row, column: score + (row - column) * 0.1)  # type: ignore[no-any-return]

    x = torch.randn(1, 2, 16, 16)
    place = torch.arange(16)
    scores = x @ x.transpose(-1, -2) / 4 + (place[:, None] - place) * 0.1
    with torch.no_grad():
        close(torch.compile(attend, backend="sol", dynamic=True)(x), scores.softmax(-1) @ x)


def test_a_custom_operation_that_gives_another_type_than_it_says() -> None:
    @torch.library.custom_op("sol_tests::says_double", mutates_args=())
    def says_double(x: torch.Tensor) -> torch.Tensor:
        return x.float() * 2

    @says_double.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x, dtype=torch.float64)

    fast = sol.optimize(Doubling(says_double), torch.rand(3), fallback="error")
    with pytest.raises(UnsupportedError, match="says_double.default gives torch.float32 where it was traced to give torch.float64"):
        fast(torch.rand(3))


class Doubling(nn.Module):
    def __init__(self, double: Any) -> None:
        super().__init__()
        self.double = double

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.double(x) + 1).relu().float().exp()  # type: ignore[no-any-return]


def test_graph_break(programs: list[Program]) -> None:
    class Broken(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = torch.relu(self.first(x))
            print(end="")
            torch._dynamo.graph_break()
            return self.second(y)

    model, x = Broken().eval(), torch.rand(2, 4)
    with torch.no_grad():
        close(torch.compile(model, backend="sol")(x), model(x))
    assert len(programs) == 2


def test_control_flow_that_depends_on_data(programs: list[Program]) -> None:
    class Branching(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = torch.tanh(self.a(x))
            while y.sum() > 1:
                y = y / 2
            return self.b(y) if x.mean() > 0.5 else self.a(y)

    model = Branching().eval()
    fast = torch.compile(model, backend="sol")
    with torch.no_grad():
        for scale in (0.1, 1.0, 5.0, -3.0):
            x = torch.full((2, 4), scale)
            close(fast(x), model(x))
    assert len(programs) >= 2


def test_changed_parameters() -> None:
    model, x = statistics(resnet()), torch.rand(1, 3, 32, 32)
    fast = torch.compile(model, backend="sol")
    with torch.no_grad():
        fast(x)
        model[0].weight.mul_(0.5)
        close(fast(x), model(x))
        model[-1].weight = nn.Parameter(torch.rand(10, 32))
        close(fast(x), model(x))
        model.load_state_dict({k: v * 1.1 if v.is_floating_point() else v for k, v in model.state_dict().items()})
        close(fast(x), model(x))


def test_training_in_between() -> None:
    model, x = statistics(resnet()), torch.rand(2, 3, 32, 32)
    fast = torch.compile(model, backend="sol")
    with torch.no_grad():
        before = fast(x)
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    fast(x).sum().backward()
    optimizer.step()
    model(x)  # changes running statistics, which torch does not count
    model.eval()
    with torch.no_grad():
        close(fast(x), model(x))
        assert not torch.allclose(fast(x), before)
        model.train()
        model(x)
        model.eval()
        close(fast(x), model(x))


def test_gradients(programs: list[Program]) -> None:
    model, x = statistics(resnet()), torch.rand(1, 3, 32, 32)
    torch.compile(model, backend="sol")(x).sum().backward()
    theirs = torch.autograd.grad(model(x).sum(), model[0].weight)[0]
    close(model[0].weight.grad, theirs)
    assert len(programs) == 1
    torch._dynamo.reset()
    torch.compile(model.train(), backend="sol")(torch.rand(2, 3, 32, 32)).sum().backward()
    assert len(programs) == 1  # statistics of a batch cannot be taken twice: all of it runs in torch


class Narrow(nn.Module):
    """A region of bfloat16 that Python leaves and enters again."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 6), nn.Linear(6, 5)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        with torch.autocast("cpu", torch.bfloat16):
            y = self.a(x)
            torch._dynamo.graph_break()
            with torch.autocast("cpu", enabled=False):
                z = self.b(y.float())
            return y, z, self.b(y)


@pytest.mark.parametrize("gradients", (False, True))
def test_autocast_inside(gradients: bool, programs: list[Program]) -> None:
    model, x = Narrow().requires_grad_(gradients), torch.rand(3, 4)
    ours, theirs = torch.compile(model, backend="sol")(x), model(x)
    assert programs and [y.dtype for y in ours] == [torch.bfloat16, torch.float32, torch.bfloat16] == [y.dtype for y in theirs]
    for a, b in zip(ours, theirs):
        torch.testing.assert_close(a, b, rtol=2**-7, atol=2**-7)
    if gradients:
        ours[2].sum().backward()
        found, model.a.weight.grad = model.a.weight.grad, None
        theirs[2].sum().backward()
        torch.testing.assert_close(found, model.a.weight.grad, rtol=2**-6, atol=2**-6)


def test_inference_mode(programs: list[Program]) -> None:
    model, x = statistics(resnet()), torch.rand(1, 3, 32, 32)
    fast = torch.compile(model, backend="sol")
    with torch.inference_mode():
        close(fast(x), model(x))
    assert len(programs) == 1


def test_options(programs: list[Program]) -> None:
    model, x = nn.Linear(4, 3).eval(), torch.rand(2, 4)
    with torch.no_grad():
        close(torch.compile(model, backend="sol", options={"isa": "generic", "threads": 1})(x), model(x))
    (executable,) = programs[0].runner.executables
    assert executable.plan.target == "generic" and executable.threads == 1
    torch._dynamo.reset()
    with pytest.raises(Exception, match="unknown options"), torch.no_grad():
        torch.compile(model, backend="sol", options={"speed": 11})(x)


def test_unsupported_dtype_runs_in_torch(caplog: pytest.LogCaptureFixture) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return x.view(torch.uint8) + 1

    x = torch.arange(3, dtype=torch.uint8).view(torch.bits8)
    close(torch.compile(function, backend="sol")(x), function(x))
    assert "runs in torch" in caplog.text


@pytest.mark.skipif(
    not any(e.name == "sol" for e in importlib.metadata.entry_points(group="torch_dynamo_backends")), reason="the package is not installed"
)
@pytest.mark.budget(8)
def test_by_name_without_import() -> None:
    code = """
import torch
f = torch.compile(torch.nn.Linear(2, 2).eval(), backend="sol")
with torch.no_grad():
    print(f(torch.ones(1, 2)).shape)
"""
    assert "[1, 2]" in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("training", ["auto", "compiled"])
def test_arrays_of_numpy(training: str, programs: list[Program]) -> None:
    """They come as tensors, which are no numbers."""
    layer = nn.Linear(8, 8)

    def scaled(x: torch.Tensor, by: np.ndarray, number: np.float32) -> torch.Tensor:
        return layer(x) * torch.from_numpy(by) * torch.as_tensor(number)

    fast = torch.compile(scaled, backend="sol")
    with sol.config.override(training=training):
        for k in range(3):
            x, by = torch.randn(4, 8), np.arange(8, dtype=np.float32) + k
            close(fast(x, by, np.float32(k)), scaled(x, by, np.float32(k)))
            with torch.no_grad():
                close(fast(x, by, np.float32(k)), scaled(x, by, np.float32(k)))
    assert programs
