"""Code for sizes that come again: what it computes, when it is made, and what it shares with the plan for any sizes."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from torch import nn

import sol
from sol.config import config
from sol.errors import CompilerError, OutOfMemoryError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, symbols
from sol.ir.fixed_sizes import with_fixed_sizes
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from sol.ir.verify import verify
from sol.runtime import sized
from sol.runtime.executable import Executable
from sol.runtime.sized import SizedExecutable
from tests.frontend.onnx.models import model as onnx_model
from tests.frontend.onnx.models import node, weights

BATCH = torch.export.Dim("batch", min=2, max=4096)
DONE = 120.0
"""Seconds within which code is compiled."""


@pytest.fixture(autouse=True)
def specialized() -> Iterator[None]:
    with config.override(specialize_sizes=3), torch.no_grad():
        yield
    assert sized.wait(DONE)


class Network(nn.Module):
    """A convolution over images of open sizes, and linear layers over an open number of them."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 32, 3, padding=1), nn.Sequential(nn.Linear(32, 40), nn.ReLU(), nn.Linear(40, 5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.conv(x).relu().mean((2, 3)))


def network(seed: int = 0) -> tuple[nn.Module, Any]:
    torch.manual_seed(seed)
    model = Network().eval()
    height = torch.export.Dim("height", min=4, max=64)
    return model, sol.optimize(model, torch.rand(3, 3, 9, 8), dynamic_shapes=({0: BATCH, 2: height},))


def executable(fast: Any) -> SizedExecutable:
    (found,) = fast._programs[0].runner.executables
    assert isinstance(found, SizedExecutable)
    return found


def close(got: torch.Tensor, want: torch.Tensor) -> None:
    torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)


def only_specialized(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of the plan for any sizes fails from now on."""
    plain = Executable.__call__

    def call(self: Executable, *args: Any) -> Any:
        assert not isinstance(self, SizedExecutable), "the plan for any sizes was called"
        return plain(self, *args)

    monkeypatch.setattr(Executable, "__call__", call)


def test_sizes_that_come_twice_have_code_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    model, fast = network()
    for before, shape in enumerate(((3, 3, 9, 8), (7, 3, 21, 8))):
        x = torch.rand(shape)
        close(fast(x), model(x))
        assert sized.wait(DONE) and len(executable(fast)._fixed) == before
        close(fast(x), model(x))
        assert sized.wait(DONE)
    assert len(executable(fast)._fixed) == 2 and all(not e.plan.symbols for e in executable(fast)._fixed.values())
    only_specialized(monkeypatch)
    for shape in ((3, 3, 9, 8), (7, 3, 21, 8)):
        x = torch.rand(shape)
        close(fast(x), model(x))
    with pytest.raises(AssertionError, match="any sizes"):
        fast(torch.rand(2, 3, 21, 8))
    assert len(fast._programs) == 1


def test_profiles_are_of_what_calls_run() -> None:
    _, fast = network()
    x = torch.rand(3, 3, 9, 8)
    assert executable(fast).for_sizes(executable_sizes(fast, x)) is executable(fast)
    made_for(fast, 3)
    (own,) = executable(fast)._fixed.values()
    assert own is not None and executable(fast).for_sizes(executable_sizes(fast, x)) is own
    rows = sol.profile(fast, [x], runs=2).rows
    assert {r.kernel for r in rows} == {k.name for k in own.plan.kernels}


def executable_sizes(fast: Any, x: torch.Tensor) -> dict[str, int]:
    taken = fast._programs[0].take((x,), {})
    return dict(taken[1])


@pytest.mark.parametrize("limit", [0, 1])
def test_no_more_sizes_than_the_user_wants(limit: int) -> None:
    with config.override(specialize_sizes=limit):
        model, fast = network()
        for n in (2, 2, 3, 3, 4, 4, 4):
            x = torch.rand(n, 3, 9, 8)
            close(fast(x), model(x))
        assert sized.wait(DONE)
        assert len(executable(fast)._fixed) == limit


def test_many_sizes_are_not_remembered_for_ever() -> None:
    _, fast = network()
    for n in reversed(range(2, 2 + 3 * sized.KEPT * 3)):
        fast(torch.rand(n, 3, 4, 8))
    assert len(executable(fast)._seen) <= sized.KEPT * 3 + 1 and not executable(fast)._fixed


def test_sizes_that_grow_from_call_to_call_get_no_code_of_their_own() -> None:
    """As those of a cache of keys and values, text after text; from then on sizes count that come twice in a row."""
    model, fast = network()
    for _ in range(3):
        for n in range(2, 2 + sized.GROWTHS + 4):
            x = torch.rand(n, 3, 9, 8)
            close(fast(x), model(x))
    assert sized.wait(DONE) and not executable(fast)._fixed
    for n in (40, 40, 30, 30, 40, 40, 30, 50):
        fast(torch.rand(n, 3, 9, 8))
    assert sized.wait(DONE) and [sizes[0] for sizes in executable(fast)._fixed] == [40]


LEAVES = """
import torch
from sol.runtime import sized

class Job:
    def run(self, sizes):
        print("begun", flush=True)
        while True:
            torch.ones(10).sum()

job = Job()
sized._worker.put(__import__("weakref").WeakMethod(job.run), (1,))
__import__("time").sleep({seconds})
"""


@pytest.mark.parametrize("seconds", [0, 0.3])
def test_a_process_ends_while_code_is_being_made(seconds: float) -> None:
    """A thread that is in an operation of torch's while the interpreter goes would abort the process."""
    done = subprocess.run([sys.executable, "-c", LEAVES.format(seconds=seconds)], capture_output=True, text=True, timeout=DONE)
    assert done.returncode == 0 and not done.stderr, done


def made_for(fast: Any, *batches: int) -> None:
    for n in batches:
        for _ in range(sized.AGAIN):
            fast(torch.rand(n, 3, 9, 8))
    assert sized.wait(DONE)


def test_weights_that_are_packed_alike_lie_in_memory_once() -> None:
    _, fast = network()
    made_for(fast, 3, 5, 6)
    one, two, three = executable(fast)._fixed.values()
    assert one is not None and two is not None and three is not None and one.packed is not None and two.packed is not None
    assert two.packed.size <= one.packed.size and three.packed is not None and three.packed.size == 0
    assert set(three.packed.addresses) <= {a for e in (executable(fast), one, two) for a in e.packed.addresses}  # type: ignore[union-attr]


def change_in_place(model: nn.Module) -> None:
    for parameter in model.parameters():
        parameter.mul_(1.5)


def replace(model: nn.Module) -> None:
    model.head[0].weight = nn.Parameter(torch.rand(40, 32))  # type: ignore[index]


def freeze_and_load(model: nn.Module) -> None:
    model.load_state_dict({k: v + 0.25 for k, v in model.state_dict().items()})


@pytest.mark.parametrize("change", [change_in_place, replace, freeze_and_load])
def test_changed_weights(change: Callable[[nn.Module], None], monkeypatch: pytest.MonkeyPatch) -> None:
    model, fast = network()
    made_for(fast, 3, 5)
    only_specialized(monkeypatch)
    for _ in range(3):
        change(model)
        for n in (5, 3, 5):
            x = torch.rand(n, 3, 9, 8)
            close(fast(x), model(x))


def test_calls_under_way_keep_their_weights() -> None:
    """Threads call with sizes of their own, some of which are compiled meanwhile, while a parameter is exchanged and put back."""
    model, fast = network()
    made_for(fast, 3)
    own = model.head[2].weight  # type: ignore[index]
    states = own, nn.Parameter(own * -2)
    inputs = [torch.rand(n, 3, 9, 8) for n in (3, 5, 6)]
    wanted = []
    for state in states:
        model.head[2].weight = state  # type: ignore[index]
        wanted.append([model(x) for x in inputs])
    wrong: list[torch.Tensor] = []
    stop = threading.Event()

    def call(i: int) -> int:
        count = 0
        with torch.no_grad(), config.override(specialize_sizes=3):
            while not stop.is_set():
                got, count = fast(inputs[i]), count + 1
                if not any(torch.allclose(got, w[i], rtol=1e-4, atol=1e-4) for w in wanted):
                    wrong.append(got)
        return count

    with ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(call, i) for i in range(3)]
        for i in range(60):
            model.head[2].weight = states[i % 2]  # type: ignore[index]
            time.sleep(0.01)
        assert sized.wait(DONE)
        for i in range(20):
            model.head[2].weight = states[i % 2]  # type: ignore[index]
            time.sleep(0.01)
        stop.set()
        assert all(future.result() for future in futures)
    assert not wrong and len(executable(fast)._fixed) == 3


def test_what_does_not_compile_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, fast = network()
    found = executable(fast)
    calls: list[int] = []

    def compile(graph: Any) -> Any:
        calls.append(1)
        raise CompilerError("the compiler is gone", remedy="bring it back")

    monkeypatch.setattr(found, "_compile", compile)
    for _ in range(5):
        x = torch.rand(4, 3, 9, 8)
        close(fast(x), model(x))
        assert sized.wait(DONE)
    assert calls == [1] and found._fixed == {tuple(found._fixed)[0]: None}


def test_without_memory_for_weights_the_plan_for_any_sizes_runs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    model, fast = network()
    made_for(fast, 3)

    def pack(self: Executable, *args: Any) -> None:
        raise OutOfMemoryError("no memory for weights", remedy="free some")

    monkeypatch.setattr(Executable, "pack_beside", pack)
    change_in_place(model)
    for _ in range(3):
        x = torch.rand(3, 3, 9, 8)
        close(fast(x), model(x))
    assert caplog.text.count("run the plan for any sizes") == 1


def test_a_model_that_is_gone_is_not_compiled_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(SizedExecutable, "_make", lambda self, sizes: made.append(sizes))
    _, fast = network()
    found = weakref.ref(executable(fast))
    held = threading.Event()

    class Slow:
        def wait(self, sizes: Any) -> None:
            held.wait(DONE)

    slow = Slow()
    sized._worker.put(weakref.WeakMethod(slow.wait), ())
    for _ in range(sized.AGAIN):
        fast(torch.rand(4, 3, 9, 8))
    del fast
    gc.collect()
    assert found() is None
    held.set()
    assert sized.wait(DONE) and not made


def test_a_copy_of_a_model_shares_the_code_and_has_weights_of_its_own() -> None:
    _, fast = network()
    made_for(fast, 3)
    other = executable(fast).share()
    assert isinstance(other, SizedExecutable) and other.library is executable(fast).library and not other._fixed


def test_sizes_that_data_decides_stay_open() -> None:
    class Found(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[x[:, 0] > 0.5] * 2

    model, x = Found().eval(), torch.rand(40, 7)
    fast = sol.optimize(model, x, dynamic_shapes=({0: BATCH},))
    for n in (40, 40, 40, 31, 31, 31):
        x = torch.rand(n, 7)
        close(fast(x), model(x))
        assert sized.wait(DONE)


def test_onnx_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    w = weights(8, 16)
    nodes = [node("MatMul", ["x", "w"], ["h"]), node("Relu", ["h"], ["y"])]
    path = tmp_path / "open.onnx"
    onnx.save(onnx_model(nodes, {"x": ["n", 8]}, ["y"], {"w": w}), path)
    session = sol.load(path)
    x = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    for _ in range(3):
        np.testing.assert_allclose(session(x), np.maximum(x @ w, 0), rtol=1e-5, atol=1e-5)
        assert sized.wait(DONE)
    only_specialized(monkeypatch)
    np.testing.assert_allclose(session(x), np.maximum(x @ w, 0), rtol=1e-5, atol=1e-5)


def test_symbols_become_numbers_everywhere() -> None:
    """In types and attributes; others stay."""
    s, t = Dim.symbol("s"), Dim.symbol("t")
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.F32, (s, t, 6)))
    y = b.add("reshape", [x], shape=(s * t, 6))
    graph = b.build([b.add("neg", [y])])
    found = with_fixed_sizes(graph, {"s": 3})
    verify(found)
    assert {name.name for n in found.nodes for type in n.types for d in type.shape for name in symbols(d)} == {"t"}
    array = np.random.default_rng(0).standard_normal((3, 5, 6)).astype(np.float32)
    (got,) = evaluate_outputs(found, [array], symbols={"t": 5})
    (want,) = evaluate_outputs(graph, [array], symbols={"s": 3, "t": 5})
    np.testing.assert_array_equal(got, want)

