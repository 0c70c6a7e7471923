"""A training step that was traced once is not traced again, by no process; whatever decides about its graphs makes it another step."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import sol
from sol.build import build
from sol.build.cache import store
from sol.build.plans import stamp_of
from sol.build.toolchain import Compiler
from sol.codegen.targets import Target
from sol.errors import SolError, UnsupportedError
from sol.frontend.torch.imported_text import import_text, operation, parse_import
from sol.runtime.torch import step_key, training
from sol.runtime.torch.kept_steps import read_step
from tests.training.steps import check_gradients, check_loss, graphs_of, loss_of, step


def cnn(eps: float = 1e-5, stride: int = 1) -> nn.Module:
    layers = (nn.Conv2d(3, 20, 3, stride, 1, bias=False), nn.BatchNorm2d(20, eps), nn.ReLU(), nn.Conv2d(20, 20, 3, padding=1, bias=False))
    layers += (nn.BatchNorm2d(20), nn.ReLU())
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.3), nn.Linear(20, 4))


class Language(nn.Module):
    """A transformer layer on words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 24, 0.0, batch_first=True)

    def forward(self, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = self.layer(self.words(words))
        return found.argmax(-1), F.log_softmax(found @ self.words.weight.t(), -1)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scan, self.out = nn.LSTM(5, 9, batch_first=True), nn.Linear(9, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.scan(x)[0][:, -1])


class Averages(nn.Module):
    """Keeps an average that needs no gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, bias=False)
        self.register_buffer("average", torch.zeros(6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv(x)
        with torch.no_grad():
            self.average.lerp_(y.mean((0, 2, 3)), 0.1)
        return torch.tanh(y - self.average[None, :, None, None])


class Rows(nn.Module):
    """Asks for rows that lie one behind the other, which they do not at first."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(6, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(torch.sigmoid(x).transpose(1, 2).contiguous()).contiguous()


IMAGES = (torch.linspace(-9, 9, 3 * 3 * 9 * 9).view(3, 3, 9, 9).sin(),)
WORDS = (torch.arange(14).view(2, 7) % 11,)
SEQUENCES = (torch.linspace(-3, 3, 2 * 6 * 5).view(2, 6, 5).cos(),)
MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[torch.Tensor, ...]]] = {
    "cnn": (cnn, IMAGES),
    "language": (Language, WORDS),
    "recurrent": (Recurrent, SEQUENCES),
    "averages": (Averages, IMAGES),
    "rows": (Rows, SEQUENCES),
    "narrow": (lambda: nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 1)), SEQUENCES),
}


KEY_OF = training._key_of


COMPILE = build._compile
OBJECTS: dict[str, bytes] = {}


def compiled_once(unit: build.Unit, key: str, compiler: Compiler, target: Target, work: Path, timeout: int) -> Path:
    """The object file of a unit, which the compiler makes once for all tests of this file: their caches are empty, and few units differ."""
    if key not in OBJECTS:
        OBJECTS[key] = COMPILE(unit, key, compiler, target, work, timeout).read_bytes()
    path = work / f"{key}.o"
    path.write_bytes(OBJECTS[key])
    return path


@pytest.fixture(autouse=True)
def kept(compiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps have keys, as outside tests."""
    monkeypatch.setattr(training, "_key_of", KEY_OF)
    monkeypatch.setattr(build, "_compile", compiled_once)


@pytest.fixture
def traces(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Steps that are traced from here on, each of which is kept in a cache of the test's own."""
    traced: list[str] = []
    compiled = training.differentiated

    def differentiated(*args: Any) -> Any:
        traced.append("a step")
        return compiled(*args)

    monkeypatch.setattr(training, "differentiated", differentiated)
    monkeypatch.setattr(training, "SLOW", 0.0)
    return traced


def another(model: nn.Module, inputs: tuple[Any, ...], around: Callable[[], Any] = nullcontext) -> Any:
    """What a process that starts with this model comes to: a step is checked against eager's."""
    torch._dynamo.reset()
    eager = copy.deepcopy(model)
    fast = sol.optimize(copy.deepcopy(model), list(inputs))
    for submodule, original in zip(fast._model.modules(), model.modules()):
        submodule.training = original.training
    for seed in range(2):
        with around():
            check_loss(step(fast, inputs, seed), step(eager, inputs, seed))
    check_gradients(fast, eager)
    for ours, theirs in zip(fast.buffers(), eager.buffers()):
        torch.testing.assert_close(ours, theirs)
    return fast


@pytest.mark.parametrize("name", MODELS)
def test_a_step_is_traced_once(name: str, traces: list[str]) -> None:
    make, inputs = MODELS[name]
    torch.manual_seed(1)
    model = make()
    another(model, inputs)
    assert len(traces) == 1
    fast = another(model, inputs)
    assert len(traces) == 1
    assert [g.what for g in graphs_of(fast)] == ["forward", "backward"]
    assert all(g.program is not None for g in graphs_of(fast))
    torch.manual_seed(2)
    another(make(), inputs)  # other parameters
    assert len(traces) == 1


def autocast() -> Any:
    return torch.autocast("cpu", dtype=torch.bfloat16)


def test_a_step_under_autocast_is_another_one(traces: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.training.steps.LOSS", 0.05)
    monkeypatch.setattr("tests.training.steps.GRADIENT", 0.2)
    model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 32))
    for around, count in ((nullcontext, 1), (autocast, 2), (nullcontext, 2), (autocast, 2)):
        another(model, SEQUENCES, around)
        assert len(traces) == count


class Sine(nn.Module):
    def __init__(self, other: bool = False) -> None:
        super().__init__()
        self.other = other

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cos(x) if self.other else torch.sin(x)


def frozen(model: nn.Module) -> None:
    model[0].requires_grad_(False)


def partly_in_eval_mode(model: nn.Module) -> None:
    model[1].eval()


def hooked(model: nn.Module) -> None:
    model[0].register_forward_hook(lambda module, args, result: result * 2)


def of_doubles(model: nn.Module) -> None:
    model.double()


def without_bias(model: nn.Module) -> None:
    model[9].bias = None


def with_momentum(model: nn.Module) -> None:
    model[1].momentum = 0.25


def with_other_dropout(model: nn.Module) -> None:
    model[8].p = 0.4


def with_tied_weights(model: nn.Module) -> None:
    model[4].weight = model[1].weight


def with_other_code(model: nn.Module) -> None:
    model[2] = Sine(other=True)


CHANGES = (
    frozen, partly_in_eval_mode, hooked, of_doubles, without_bias, with_momentum, with_other_dropout, with_tied_weights, with_other_code,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: c.__name__)
def test_another_model_is_another_step(change: Callable[[nn.Module], None], traces: list[str]) -> None:
    model = cnn()
    model[2] = Sine()
    another(model, IMAGES)
    other = copy.deepcopy(model)
    change(other)
    inputs = (IMAGES[0].double(),) if change is of_doubles else IMAGES
    another(other, inputs)
    assert len(traces) == 2
    another(model, IMAGES)
    assert len(traces) == 2


@pytest.mark.parametrize("model", [cnn(eps=1e-3), cnn(stride=2)])
def test_another_hyperparameter_is_another_step(model: nn.Module, traces: list[str]) -> None:
    another(cnn(), IMAGES)
    another(model, IMAGES)
    assert len(traces) == 2


INPUTS = {
    "more": lambda x: torch.cat([x, x]),
    "larger": lambda x: F.pad(x, (1, 1)),
    "channels_last": lambda x: x.contiguous(memory_format=torch.channels_last),
    "with a gradient": lambda x: x.clone().requires_grad_(),
    "a view": lambda x: F.pad(x, (0, 2))[..., :9],
}


@pytest.mark.parametrize("change", INPUTS)
def test_other_inputs_are_another_step(change: str, traces: list[str]) -> None:
    model = cnn()
    another(model, IMAGES)
    x = INPUTS[change](IMAGES[0])
    another(model, (x,))
    assert len(traces) == 2


def other_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "9.9.9")


def other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_key, "stamp_of", lambda names: stamp_of(names) + "edited")


def other_default(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.use_deterministic_algorithms(True)


def other_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch._functorch.config as functorch

    monkeypatch.setattr(step_key, "get_settings", lambda: {**functorch.get_config_copy(), "max_dist_from_bw": 7})


@pytest.mark.parametrize("change", [other_torch, other_code, other_default, other_setting], ids=lambda c: c.__name__)
def test_other_surroundings_make_another_step(change: Callable[..., None], traces: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    model = cnn()
    another(model, IMAGES)
    try:
        change(monkeypatch)
        another(model, IMAGES)
    finally:
        torch.use_deterministic_algorithms(False)
    assert len(traces) == 2


def test_another_budget_is_another_step(traces: list[str]) -> None:
    model = cnn()
    for budget, count in ((1.0, 1), (0.5, 2), (0.0, 3), (0.5, 3)):
        with sol.config.override(training_memory_budget=budget):
            another(model, IMAGES)
        assert len(traces) == count


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return 2 * gradient


class UsesTwice(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return Twice.apply(super().forward(x))


class Constant(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * torch.tensor([1.0, 2.0, 3.0])


class Viewed(nn.Linear):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = super().forward(x)
        return found, found.view(-1)


@pytest.mark.parametrize("kind", [UsesTwice, Viewed], ids=lambda k: k.__name__)
def test_what_has_no_text_is_traced_each_time(kind: type[nn.Linear], traces: list[str]) -> None:
    """Functions of users, and results that share memory."""
    model = kind(5, 3)
    another(model, SEQUENCES)
    another(model, SEQUENCES)
    assert len(traces) == 2


def test_hooks_on_saved_tensors_are_seen_by_each_trace(traces: list[str]) -> None:
    model = cnn()
    for _ in range(2):
        another(model, IMAGES, lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x))
    assert len(traces) == 2


def test_constants_belong_to_the_step(traces: list[str]) -> None:
    for _ in range(2):
        another(Constant(5, 3), SEQUENCES)


def steps_on_disk() -> list[str]:
    return [entry.key for entry in store().list() if entry.kind == step_key.KIND]


def test_gradients_of_a_kept_step_have_none(traces: list[str]) -> None:
    model = MODELS["narrow"][0]()
    another(model, SEQUENCES)
    fast = another(model, SEQUENCES)
    x = SEQUENCES[0].clone().requires_grad_()
    fast(x).sum().backward()
    traced = len(traces)
    again = another(model, (x,))
    assert len(traces) == traced
    (gradient,) = torch.autograd.grad(again(x).pow(2).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="double backward"):
        gradient.sum().backward()


def test_a_kept_step_retains_its_graph(traces: list[str]) -> None:
    model = cnn().train()
    del model[8]  # the same result at each call
    another(model, IMAGES)
    fast = another(model, IMAGES)
    assert len(traces) == 1
    eager = copy.deepcopy(fast._model)
    for each in (fast, eager):
        each.zero_grad()
    for each in (fast, eager):
        found = each(*IMAGES)
        found.sum().backward(retain_graph=True)
        loss_of(found.flip(0).t()).backward()  # a gradient with other strides
    check_gradients(fast, eager)


def test_a_kept_step_has_its_graphs_in_torch(traces: list[str]) -> None:
    model = cnn()
    traced, kept = (graphs_of(another(model, IMAGES)) for _ in range(2))
    assert len(traces) == 1
    for one, other in zip(traced, kept):
        assert [(n.name, str(n.target)) for n in other.module.graph.nodes] == [(n.name, str(n.target)) for n in one.module.graph.nodes]
    assert len(traces) == 2


def test_a_kept_backward_graph_that_cannot_be_compiled_runs_in_torch(traces: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    model = cnn()
    another(model, IMAGES)
    compiled = training.between_graphs

    def fails_behind(imported: Any, examples: Any, kept: Any, places: Any) -> Any:
        if not kept:
            raise UnsupportedError("no backward pass")
        return compiled(imported, examples, kept, places)

    monkeypatch.setattr(training, "between_graphs", fails_behind)
    with sol.config.override(fallback="eager"):
        fast = another(model, IMAGES)
    assert isinstance(graphs_of(fast)[1].failure, UnsupportedError)
    assert len(traces) == 2  # for the backward graph in torch


def damaged(record: dict[str, Any]) -> dict[str, str]:
    """Texts that are no step, by what is wrong with them."""
    forward = json.loads(record["forward"]["imported"])
    texts = {"no JSON": "{", "no object": "[]", "nothing": "{}", "a number": "7"}

    def having(name: str, **changes: Any) -> None:
        texts[name] = json.dumps({**record, "forward": {**record["forward"], **changes}})

    for name in ("shapes", "multiplied", "parameters", "kept"):
        having(f"other {name}", **{name: [10**6]})
        having(f"strings as {name}", **{name: ["x"]})
    having("another graph", imported=json.dumps({**forward, "graph": "graph() {\n  return\n}"}))
    having("no graph", imported=json.dumps({**forward, "graph": "import os"}))
    for name in ("os.system.default", "aten.__class__.__name__", "sol.x.y", "aten.nothing.default"):
        having(f"calls {name}", imported=json.dumps({**forward, "outputs": ["tuple", ["operation", name]]}))
    tangents = [{"result": 5, "shape": [1], "strides": [1]}]
    for name, value in {"inputs": 10**6, "results": -1, "changed": [99999], "tangents": tangents}.items():
        texts[f"other {name}"] = json.dumps({**record, "wrapping": {**record["wrapping"], name: value}})
    texts["memory in words"] = json.dumps({**record, "memory": "much"})
    return texts


def test_another_process_expects_the_memory_of_a_step(traces: list[str]) -> None:
    first = another(cnn(), IMAGES)
    (key,) = steps_on_disk()
    told: list[int] = []
    assert read_step(key, told.append) is not None
    assert told == [max(e.lent_bytes for g in graphs_of(first) if (e := g.alone) is not None)]


def test_damaged_steps_are_traced_anew(traces: list[str], caplog: pytest.LogCaptureFixture) -> None:
    model = cnn()
    another(model, IMAGES)
    (key,) = steps_on_disk()
    found = store().read(key)
    assert found is not None and read_step(key) is not None
    for name, text in damaged(json.loads(found)).items():
        store().put(key, text.encode())
        assert read_step(key) is None, name
        assert not steps_on_disk(), name
    store().put(key, found[:-9])
    caplog.clear()
    another(model, IMAGES)
    assert len(traces) == 2
    assert "it is traced anew" in caplog.text
    store().put(key, found)
    path = store().get(key)
    assert path is not None
    path.write_bytes(path.read_bytes().replace(b"conv", b"conw", 1))  # its checksum is wrong
    another(model, IMAGES)
    assert len(traces) == 3
    another(model, IMAGES)
    assert len(traces) == 3


def test_operations_of_others_have_no_name() -> None:
    assert operation("aten.relu.default") is torch.ops.aten.relu.default
    for name in ("aten.relu", "os.system.default", "aten.relu.nothing", "aten.__init__.default", "profiler._record_function_enter.default"):
        with pytest.raises(SolError):
            operation(name)


def test_short_traces_are_not_kept(traces: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "SLOW", 1e6)
    another(cnn(), IMAGES)
    assert not steps_on_disk()


def test_text_of_imports(traces: list[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "sol.cache"):
        fast = another(Language(), WORDS)
    for graph in graphs_of(fast):
        assert parse_import(import_text(graph.imported)) == graph.imported
