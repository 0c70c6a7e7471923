"""The kernels on 64-bit ARM: cross-compiled with gcc and run by qemu, with a few cases of each kernel family."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sol.build.build import build_library
from sol.codegen.targets import architecture, by_name
from sol.compiler import compile_graph
from sol.errors import CompilerError, ConfigError
from sol.ir.bodies import type_at
from sol.ir.interpret import evaluate_constants, evaluate_outputs
from sol.ir.storage import as_stored
from tests.codegen.foreign_cases import PARAMS, repeat  # noqa: F401  (a fixture)
from tests.codegen.reference_packers import apply_pack
from tests.codegen.test_conv_winograd import force  # noqa: F401
from tests.codegen.whole_networks import NETWORKS
from tests.toolchains import AARCH64, CLANG_AARCH64, Tools, run_program

FOLDER = Path(__file__).parent

emulated = pytest.mark.skipif(bool(AARCH64.missing), reason=AARCH64.missing)


@emulated
@pytest.mark.parametrize("function,arguments", PARAMS)
@pytest.mark.budget(5)
def test_kernel(repeat: Callable, function: Callable, arguments: dict[str, Any]) -> None:  # noqa: F811
    repeat(AARCH64, "neon", function, arguments)


@emulated
@pytest.mark.parametrize("function,arguments", PARAMS[::7])
def test_generic_kernel(repeat: Callable, function: Callable, arguments: dict[str, Any]) -> None:  # noqa: F811
    """Plain C on that machine."""
    repeat(AARCH64, "generic", function, arguments)


@emulated
@pytest.mark.parametrize("tools", [AARCH64, CLANG_AARCH64], ids=["gcc", "clang"])
def test_primitives_are_those_of_plain_c(tools: Tools) -> None:
    """Bit by bit, for special values and every tail length."""
    if tools.missing:
        pytest.skip(tools.missing)
    table = (FOLDER / "simd_table.c").read_text()
    sources = {"main": (FOLDER / "simd_main.c").read_text()}
    for name in ("neon", "generic"):
        sources[name] = f'#define PREFIX {name}_\n#undef SOL_SIMD_HEADER\n#define SOL_SIMD_HEADER "sol_simd_{name}.h"\n{table}'
    assert run_program(sources, by_name("neon"), b"", tools).decode() == "same\n"


@emulated
@pytest.mark.parametrize("isa", ["neon", "generic"])
@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str, isa: str) -> None:
    """The files of a whole network, linked into a static program: sol_run with its team of threads and its floating-point mode."""
    graph, inputs, parameters = NETWORKS[name]()
    compiled = compile_graph(graph, title=name, isa=by_name(isa))
    plan = compiled.plan
    values = evaluate_constants(compiled.graph, [w.value for w in plan.weights], parameters)
    weights = [as_stored(apply_pack(w.pack, values[w.value]), type_at(compiled.graph, w.value).dtype) for w in plan.weights]
    outputs = [np.zeros(port.shape, port.dtype.numpy) for port in plan.outputs]
    sources = {s.name: s.text for s in compiled.sources} | {"main": (FOLDER / "network_main.c").read_text()}
    wanted = evaluate_outputs(graph, inputs, parameters)
    for threads in (1, 3):
        head = [len(inputs), len(outputs), len(weights), plan.arena, plan.shared_scratch, plan.scratch, threads]
        head += [a.nbytes for a in (*inputs, *outputs, *weights)]
        data = np.array(head, np.int64).tobytes() + b"".join(a.tobytes() for a in (*inputs, *weights))
        written = run_program(sources, compiled.target, data, AARCH64)
        at = 0
        for like, want in zip(outputs, wanted):
            got = np.frombuffer(written, like.dtype, like.size, at).reshape(like.shape)
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
            at += like.nbytes
        assert at == len(written)


@pytest.mark.skipif(architecture() == "aarch64", reason="NEON is this machine's own")
def test_a_foreign_network_is_written_but_not_built() -> None:
    compiled = compile_graph(NETWORKS["recurrent"]()[0], isa=by_name("neon"))
    assert compiled.plan.target == "neon"
    with pytest.raises(CompilerError, match="compiles for .* but target neon is aarch64"):
        build_library(compiled)
    with pytest.raises(ConfigError, match="cannot run on this machine"):
        compile_graph(NETWORKS["recurrent"]()[0], isa="neon")
