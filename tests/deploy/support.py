"""Deploys small networks, compiles C programs against the result and runs them without an environment."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sol.codegen.targets import architecture
from sol.deploy.api import Deployed
from sol.frontend.imported import Imported, InputLeaf, OutputLeaf, positional
from sol.frontend.trees import Group, Leaf
from sol.ir.graph import Graph
from tests.codegen.whole_networks import NETWORKS
from tests.toolchains import GCC, Tools

CALLER = Path(__file__).parent / "caller.c"
WARNINGS = ("-Wall", "-Wextra", "-Werror")
X86 = pytest.mark.skipif(architecture() != "x86_64", reason="x86-64 programs do not run here")


def of_graph(graph: Graph, parameters: Mapping[str, np.ndarray], title: str, inputs: Sequence[str], outputs: Sequence[str]) -> Imported:
    """A graph as a model that takes its inputs in order and gives a tuple of its outputs, under these names."""
    taken, given = range(len(inputs)), range(len(outputs))
    return Imported(
        graph=graph, parameters=parameters, title=title, input_names=tuple(inputs), output_names=tuple(outputs),
        takes=positional(tuple(map(Leaf, taken))), inputs=tuple(InputLeaf("tensor", i) for i in taken),
        gives=Group(tuple, "sequence", (), tuple(map(Leaf, given)), 0), outputs=tuple(OutputLeaf("tensor", i) for i in given),
    )  # fmt: skip


def small(name: str) -> tuple[Imported, list[np.ndarray]]:
    """A network of tests/codegen/whole_networks.py and its inputs."""
    graph, inputs, parameters = NETWORKS[name]()
    return of_graph(graph, parameters, name, graph.inputs, [f"output{i}" for i in range(len(graph.outputs))]), inputs


def expected(name: str) -> list[np.ndarray]:
    """What the interpreter says in float64."""
    from sol.ir.interpret import evaluate_outputs

    graph, inputs, parameters = NETWORKS[name]()
    return evaluate_outputs(graph, inputs, parameters)


def close(actual: Sequence[np.ndarray], wanted: Sequence[np.ndarray]) -> None:
    for got, want in zip(actual, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(want).max(initial=0))))


def manifest(deployed: Deployed) -> dict[str, Any]:
    """The JSON file of a deployment."""
    found = next(p for p in deployed.files if p.endswith(".json"))
    return json.loads((deployed.path / found).read_text())


def program(deployed: Deployed, *, tools: Tools = GCC, flags: Sequence[str] = (), link: Sequence[str] | None = None) -> Path:
    """The caller compiled against the header and the library."""
    about = manifest(deployed)
    name, function = about["name"], about["function"]
    symbolic = ", dims" if about["dims"] else ""
    pointers = [f"({p['c_type']} *)in[{i}]" for i, p in enumerate(about["inputs"])]
    pointers += [f"({p['c_type']} **)&out[{i}]" for i, p in enumerate(about["outputs"])]
    call = ", ".join(pointers) + symbolic
    defines = {
        "NETWORK_H": f'"{name}.h"', "INPUTS": len(about["inputs"]), "OUTPUTS": len(about["outputs"]), "CREATE()": f"{function}_create()",
        "ERROR()": f"{function}_last_error()", "DESTROY(c)": f"{function}_destroy(c)", "INIT(d)": f"{function}_init(d)",
        "CHECK()": f"{function}_check()", "SYNC(c)": f"{function}_sync(c)", "CALL(ctx, out)": f"{function}(ctx, {call})",
        "ASYNC(ctx, out)": f"{function}_run_async(ctx, {call})",
    }  # fmt: skip
    for side in ("input", "output"):
        defines[f"{side.upper()}_SHAPE(i, s)"] = f"{function}_{side}_shape(i, s{symbolic})"
        defines[f"{side.upper()}_TYPE(i)"] = f"{function}_{side}_type(i)"
    options = [f"-D{k}={v}" for k, v in defines.items()]
    if link is None:
        link = [str(deployed.library), *(("-lm",) if deployed.library.suffix == ".a" else ("-Wl,-rpath,$ORIGIN",))]
    made = deployed.path / "caller"
    line = [*tools.compiler, "-std=gnu11", "-O1", *WARNINGS, *flags, *options, f"-I{deployed.path}", str(CALLER), *link]
    line += ["-pthread", "-o", str(made)]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]
    return made


def call(
    path: Path, inputs: Sequence[np.ndarray], like: Sequence[np.ndarray], *, threads: int = 2, dims: Sequence[int] = (),
    emulator: Sequence[str] = (), env: dict[str, str] | None = None,
) -> list[np.ndarray]:  # fmt: skip
    """What the program gives for these inputs, in arrays of the sizes of ``like`` (float32 where that is floating point)."""
    data = b"".join(np.ascontiguousarray(a).tobytes() for a in inputs)
    line = [*emulator, str(path), str(threads), *map(str, dims)]
    done = subprocess.run(line, input=data, capture_output=True, env=env or {}, timeout=600)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr.decode(errors='replace')[:3000]}"
    results, at = [], 0
    for want in like:
        dtype = np.dtype(np.float32) if want.dtype.kind == "f" else want.dtype
        results.append(np.frombuffer(done.stdout, dtype, want.size, at).reshape(want.shape))
        at += want.size * dtype.itemsize
    assert at == len(done.stdout)
    return results
