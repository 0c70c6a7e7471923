"""Weights that calls pack themselves: which ones, where they lie meanwhile, and that calls read parameters as they are."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import sol
from sol.codegen.kernels import families
from sol.codegen.packing_in_calls import LARGE_WEIGHT
from sol.codegen.plan import NULL, BufferRef, Launch, Plan
from sol.codegen.targets import cache_bytes, resolve, runnable
from sol.compiler import compile_graph
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from sol.runtime.executable import Executable
from tests.codegen.test_conv_errors import decision_of
from tests.instruction_sets import row

Arrays = dict[str, np.ndarray]
WIDE = 64


def images(channels: int = WIDE) -> TensorType:
    return TensorType(DType.F32, (2, channels, 9, 7))


def layers(widths: tuple[int, ...], kernel: int = 3) -> Graph:
    """Convolutions one behind the other: ``w0`` from widths[0] to widths[1] channels, and so on."""
    b = GraphBuilder()
    value = b.input("x", images(widths[0]))
    for i, (c, k) in enumerate(zip(widths, widths[1:])):
        w = b.parameter(f"w{i}", TensorType(DType.F32, (k, c, kernel, kernel)))
        pads = ((kernel // 2,) * 2,) * 2
        value = b.add("conv", [value, w], stride=(1, 1), padding=pads, dilation=(1, 1), groups=1)
    return b.build([value])


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def weights_of(widths: tuple[int, ...], kernel: int = 3) -> Arrays:
    return {f"w{i}": numbers(k, c, kernel, kernel) / 20 for i, (c, k) in enumerate(zip(widths, widths[1:]))}


def check(executable: Executable, given: Arrays, x: np.ndarray) -> None:
    want = torch.from_numpy(x).double()
    for w in given.values():
        want = F.conv2d(want, torch.from_numpy(w).double(), padding=w.shape[-1] // 2)
    np.testing.assert_allclose(executable([x])[0], want.numpy(), rtol=1e-4, atol=1e-4 * float(want.abs().max()))


def executable_of(graph: Graph, isa: str = "native", threads: int = 2, **target: Any) -> Executable:
    """target: what else the target says than that weights change from call to call."""
    asked = replace(resolve(isa), **(target or {"repacks": True}))
    return Executable(compile_graph(graph, isa=asked, threads=threads), threads=threads)


def packing_of(plan: Plan) -> list[Launch]:
    """Launches that pack: one for each kind of panel of a weight."""
    names = {k.name for k in plan.packers}
    return [x for x in plan.launches if x.kernel in names]


def written(launch: Launch) -> list[BufferRef]:
    return [r for r in launch.buffers if r.writes]


def packers_of(plan: Plan) -> list[str]:
    return [x.kernel for x in packing_of(plan)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("isa", runnable())
def test_a_call_reads_parameters_as_they_are(isa: str, kernel: int, threads: int) -> None:
    widths = (WIDE, 256, WIDE)
    given, x = weights_of(widths, kernel), numbers(2, WIDE, 9, 7)
    executable = executable_of(layers(widths, kernel), isa, threads)
    executable.pack(given)
    assert packers_of(executable.plan) and executable.packed is not None and executable.packed.size == 0
    for _ in range(3):
        check(executable, given, x)
        for w in given.values():
            w *= -0.9


@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("isa", runnable())
def test_what_no_cache_holds_is_written_past_them(isa: str, kernel: int) -> None:
    target, widths = resolve(isa), (WIDE, 256, WIDE)
    memory = replace(target.machine.memory, l3=replace(target.machine.memory.l3, bytes=LARGE_WEIGHT // 2))
    streamed = executable_of(layers(widths, kernel), isa, repacks=True, machine=replace(target.machine, memory=memory))
    usual = executable_of(layers(widths, kernel), isa)
    for executable, last in ((streamed, 1), (usual, 0)):
        given = weights_of(widths, kernel)
        executable.pack(given)
        launches = [x for x in packing_of(executable.plan) if x.kernel.startswith(("pack_winograd", "pack_panels"))]
        assert launches and all(x.args[-1] == last for x in launches)
        check(executable, given, numbers(2, WIDE, 9, 7))


def test_packed_weights_share_memory() -> None:
    """That of the arena, with each other and with activations that do not live at the same time."""
    plan = compile_graph(layers((WIDE,) * 7), isa=replace(resolve("native"), repacks=True)).plan
    kept = compile_graph(layers((WIDE,) * 7)).plan
    packed = [b for b in plan.buffers if b.name.startswith("@w")]
    assert len(packed) == 6 and all(b.kind == "arena" and b.last > b.first for b in packed)
    assert plan.arena - kept.arena < sum(b.size for b in packed) // 2


@pytest.mark.parametrize("isa,kernel,way,variant", [row("avx512", 1, "inner_product", ""), row("avx512", 3, "winograd", "f4p")])
@pytest.mark.parametrize("threads", [1, 2])
def test_what_packing_needs_meanwhile_lies_in_the_arena(
    isa: str, kernel: int, way: str, variant: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Factors of channels, which the fast inner product takes: packing of each layer's weights finds them once for both packed forms."""
    found = next(c for c in families.candidates("conv") if c.name == way)
    asked = replace(found, match=lambda lowering: [replace(decision_of(lowering, f"{way}/{variant}"), pays=True)])
    monkeypatch.setattr(families, "candidates", lambda anchor, every=families.candidates: (asked,) if anchor == "conv" else every(anchor))
    widths = (WIDE, 256, WIDE)
    executable = executable_of(layers(widths, kernel), isa, threads)
    given, x, plan = weights_of(widths, kernel), numbers(2, WIDE, 9, 7), executable.plan
    assert [packers_of(plan).count(name) for name in ("pack_scales", "pack_signs", "pack_inner_product")] == [2, 2, 2] and not plan.weights
    buffers = {b.name: b for b in plan.buffers}
    temporaries = {r.buffer for x in packing_of(plan) for r in x.buffers if r.buffer.startswith("@w") and " " in r.buffer} & buffers.keys()
    assert len(temporaries) >= 2 * 5
    for name in temporaries:
        users = [i for i, x in enumerate(plan.launches) if any(r.buffer == name for r in x.buffers)]
        assert buffers[name].kind == "arena" and buffers[name].first <= users[0] and users[-1] <= buffers[name].last
        assert all(plan.launches[i].kernel.startswith("pack_") for i in users)
    executable.pack(given)
    for _ in range(3):
        check(executable, given, x)
        for w in given.values():
            w *= -0.9


def test_small_and_padded_weights_are_kept() -> None:
    small = compile_graph(layers((16, 16)), isa=replace(resolve("native"), repacks=True)).plan
    assert not packers_of(small) and len(small.weights) == 1 and 16 * 16 * 9 * 4 < LARGE_WEIGHT
    padded = compile_graph(layers((WIDE, 99)), isa=replace(resolve("native"), repacks=True)).plan
    assert not packers_of(padded) and padded.weights
    assert not packers_of(compile_graph(layers((WIDE, WIDE))).plan)


def test_a_weight_of_two_kernels_is_packed_once() -> None:
    b = GraphBuilder()
    value = b.input("x", images())
    w = b.parameter("w0", TensorType(DType.F32, (WIDE, WIDE, 3, 3)))
    for _ in range(2):
        value = b.add("conv", [value, w], stride=(1, 1), padding=((1, 1), (1, 1)), dilation=(1, 1), groups=1)
    executable = executable_of(b.build([value]))
    given = weights_of((WIDE, WIDE))
    executable.pack(given)
    places = [ref for launch in packing_of(executable.plan) for ref in written(launch)]
    assert {ref.buffer for ref in places} == {"@w0"} and len(set(places)) == len(places)
    check(executable, {"w0": given["w0"], "again": given["w0"]}, numbers(2, WIDE, 9, 7))


def test_parameters_that_are_replaced_or_lie_otherwise() -> None:
    widths = (WIDE, WIDE)
    x, executable = numbers(2, WIDE, 9, 7), executable_of(layers(widths))
    given = weights_of(widths)
    executable.pack(given)
    check(executable, given, x)
    given = {"w0": given["w0"] * 2}
    executable.pack(given)
    check(executable, given, x)
    turned = {"w0": np.asfortranarray(given["w0"])}  # a copy is given, which packing makes anew
    executable.pack(turned)
    contexts = list(executable._contexts)
    for factor in (1, 3):
        turned["w0"] *= factor
        executable.pack(turned, {"w0"})
        check(executable, {"w0": np.ascontiguousarray(turned["w0"])}, x)
    assert all(c in executable._contexts for c in contexts)


def test_packers_are_told_of_no_factors() -> None:
    plan = compile_graph(layers((WIDE, WIDE)), isa=replace(resolve("native"), repacks=True)).plan
    assert packing_of(plan)
    for launch in packing_of(plan):
        assert NULL in {r.buffer for r in launch.buffers} and [r.buffer for r in written(launch)] == ["@w0"]


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("columns", [768, 771])
def test_padded_panels_are_packed_in_calls(isa: str, columns: int) -> None:
    """Columns beyond the last are zero in memory that held something else."""
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.F32, (70, 64)))
    w = b.parameter("w", TensorType(DType.F32, (columns, 64)))
    executable = executable_of(b.build([b.add("linear", [x, w])]), isa)
    assert packers_of(executable.plan) and not executable.plan.weights
    data, weight = numbers(70, 64), numbers(columns, 64)
    executable.pack({"w": weight})
    for _ in range(2):
        np.testing.assert_allclose(executable([data])[0], data.astype(np.float64) @ weight.T, rtol=1e-4, atol=1e-3)


def looked_up(transposed: bool = False) -> Graph:
    """Rows of a table ``w``, [3000, 33], or of the transpose of one."""
    b = GraphBuilder()
    rows = b.input("rows", TensorType(DType.I64, (5,)))
    table = b.parameter("w", TensorType(DType.F32, (33, 3000) if transposed else (3000, 33)))
    return b.build([b.add("take", [b.add("permute", [table], order=(1, 0)) if transposed else table, rows], dim=0)])


@pytest.mark.parametrize("target", ["repacks", "keeps_parameters"])
def test_what_kernels_want_as_it_is_is_not_packed(target: str) -> None:
    executable = executable_of(looked_up(), **{target: True})
    assert not executable.plan.weights and not packers_of(executable.plan) and executable.plan.arena < 33 * 4 * 3000
    weight, at = numbers(3000, 33), np.array([2, 0, 2999, 7, 7])
    executable.pack({"w": weight})
    for factor in (1, 2):
        weight *= factor  # in place: calls read it as it is
        np.testing.assert_array_equal(executable([at])[0], weight[at])


def test_tables_are_copied_where_parameters_do_not_stay() -> None:
    """Nobody says that they do, they are turned first, or they lie in a file whose pages are given back."""
    assert compile_graph(looked_up()).plan.weights
    assert executable_of(looked_up(transposed=True), keeps_parameters=True).plan.weights
    executable = executable_of(looked_up(), keeps_parameters=True)
    weight, at = numbers(3000, 33), np.array([2, 0, 2999, 7, 7])
    with tempfile.TemporaryFile() as file:
        file.write(weight.tobytes())
        file.flush()
        mapped = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.float32).reshape(weight.shape)
        executable.pack({"w": mapped})
        file.seek(0)
        file.write(np.zeros_like(weight).tobytes())
        file.flush()
        np.testing.assert_array_equal(executable([at])[0], weight[at])


def table_of_rows() -> tuple[torch.nn.Module, torch.Tensor]:
    return torch.nn.Embedding(3000, 33), torch.tensor([5, 2999])


def large_layer() -> tuple[torch.nn.Module, torch.Tensor]:
    return torch.nn.Linear(cache_bytes(2) // 256, 70, bias=False), torch.randn(2, cache_bytes(2) // 256)


@pytest.mark.parametrize("made", [table_of_rows, large_layer])
def test_a_module_reads_weights_where_they_lie(made: Callable[[], tuple[torch.nn.Module, torch.Tensor]], cache_folder: Path) -> None:
    """Changes in place and other parameters take effect, and what a parameter held before is not freed while it is read."""
    model, x = made()
    with torch.no_grad():
        fast = sol.optimize(model.eval(), [x])
        torch.testing.assert_close(fast(x), model(x))
        (executable,) = executables_of(fast)
        stays = made is table_of_rows or resolve("native").machine.products.weight_rows >= 2
        assert executable.packed is not None and (executable.packed.size == 0) is stays
        shape = model.weight.shape
        for change in (lambda: model.weight.mul_(2), lambda: setattr(model, "weight", torch.nn.Parameter(torch.randn(shape)))):
            change()
            torch.testing.assert_close(fast(x), model(x), atol=1e-4, rtol=1e-4)
        before = model(x)
        model.weight.data = torch.randn(shape)
        torch.testing.assert_close(fast(x), before, atol=1e-4, rtol=1e-4)
        fast.refresh()
        torch.testing.assert_close(fast(x), model(x), atol=1e-4, rtol=1e-4)


def executables_of(module: Any) -> list[Executable]:
    """What runs the calls of a module of one program."""
    return [e for program in module._programs.entries for e in program.runner.executables]
