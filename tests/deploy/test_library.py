"""Deployed libraries called from C programs: results, contexts, exported names, needed libraries, instruction sets."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import sol
from sol.codegen.targets import runnable
from sol.deploy.api import Deployed, deploy
from tests.deploy.support import X86, call, close, expected, manifest, of_graph, program, small
from tests.toolchains import AARCH64


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    """The recurrent network (several inputs and outputs) as a shared library with threads."""
    return deploy(small("recurrent")[0], lib_name="Recurrent", path=tmp_path_factory.mktemp("shared"), version=sol.__version__)


def lines(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_c_program_gets_the_right_numbers(shared: Deployed) -> None:
    """In several threads with contexts of their own and with the default one, into given memory and the library's, at once and later."""
    _, inputs = small("recurrent")
    wanted = expected("recurrent")
    close(call(program(shared), inputs, wanted, threads=8), wanted)


def test_only_the_interface_is_exported(shared: Deployed) -> None:
    header = (shared.path / "Recurrent.h").read_text()
    names = [line.split()[-1].partition("@")[0] for line in lines("nm", "-D", "--defined-only", str(shared.library))]
    assert "predict" in names and all(n == "predict" or n.startswith("predict_") for n in names)
    assert all(f"{n}(" in header for n in names)


def test_a_shared_library_needs_little(shared: Deployed) -> None:
    needed = [line.split("[")[1].rstrip("]") for line in lines("readelf", "-d", str(shared.library)) if "NEEDED" in line]
    assert {n.partition(".so")[0] for n in needed} <= {"libc", "libm", "ld-linux-x86-64", "ld-linux-aarch64"}


def test_the_manifest_has_the_hash_of_every_file(shared: Deployed) -> None:
    about = manifest(shared)
    for place, digest in about["files"].items():
        assert hashlib.sha256((shared.path / place).read_bytes()).hexdigest() == digest
    assert about["abi_version"] == 1 and about["sol"] == sol.__version__
    assert [p["shape"] for p in about["inputs"]] == [[7, 3, 10], [3, 21], [3, 21]]


def test_the_header_is_c99_and_cpp(shared: Deployed, tmp_path: Path) -> None:
    for compiler, standard, suffix in (("gcc", "c99", "c"), ("g++", "c++11", "cpp")):
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not on PATH")
        source = tmp_path / f"use.{suffix}"
        include = '#include "Recurrent.h"\n'
        source.write_text(f"{include}{include}int main(void) {{ return predict_abi_version() - PREDICT_ABI_VERSION; }}\n")
        made = tmp_path / f"use_{suffix}"
        flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-std={standard}", f"-I{shared.path}"]
        subprocess.run([compiler, *flags, str(source), str(shared.library), f"-Wl,-rpath,{shared.path}", "-o", str(made)], check=True)
        assert subprocess.run([str(made)], env={}).returncode == 0


def test_the_example_runs(shared: Deployed) -> None:
    made = shared.path / "example"
    flags = ["-Wall", "-Wextra", "-Werror", "-std=c99", f"-I{shared.path}"]
    files = [str(shared.path / "Recurrent_example.c"), str(shared.library)]
    subprocess.run(["gcc", *flags, *files, "-Wl,-rpath,$ORIGIN", "-o", str(made)], check=True)
    text = subprocess.run([str(made)], env={}, capture_output=True, text=True, check=True).stdout
    assert "output0, 441 elements:" in text and "output1, 15 elements:" in text


def test_one_float_input_and_output_have_the_plain_signature(tmp_path: Path) -> None:
    """And a static library without threads starts none, and hides all but its interface."""
    made = deploy(small("attention")[0], target="static_lib", lib_name="Attention", path=tmp_path, threads=1)
    header = (tmp_path / "Attention.h").read_text()
    assert "void predict(void* ctx, const float* input, float** output);" in header
    assert "void predict_init(const int deviceId);" in header and "int predict_seed(const int seed);" in header
    names = [line.split() for line in lines("nm", str(made.library)) if line.strip()]
    assert all(n[-1] == "predict" or n[-1].startswith("predict_") for n in names if n[-2:-1] in (["T"], ["R"], ["D"], ["B"]))
    assert not any(n[-1].startswith("GOMP") for n in names)
    _, inputs = small("attention")
    wanted = expected("attention")
    close(call(program(made, link=[str(made.library), "-lm"]), inputs, wanted), wanted)


@X86
def test_one_library_for_all_x86_processors(tmp_path: Path) -> None:
    made = deploy(small("recurrent")[0], isa="multi", lib_name="Multi", path=tmp_path, threads=2)
    assert manifest(made)["isa"] == ["avx512", "avx2", "generic"]
    _, inputs = small("recurrent")
    wanted = expected("recurrent")
    caller = program(made)
    close(call(caller, inputs, wanted), wanted)
    if shutil.which("qemu-x86_64") is None:
        pytest.skip("qemu-x86_64 is not on PATH (Debian package qemu-user)")
    for cpu, isa in (("qemu64", "generic"), ("Haswell", "avx2")):
        emulator = ["qemu-x86_64", "-cpu", cpu]
        close(call(caller, inputs, wanted, emulator=emulator), wanted)
        assert isa_of(made, emulator) == isa


def isa_of(deployed: Deployed, emulator: list[str]) -> str:
    """The instruction set that a library says it uses."""
    name = manifest(deployed)["name"]
    source, made = deployed.path / "isa.c", deployed.path / "isa"
    body = "int main(void) { puts(predict_isa() ? predict_isa() : predict_last_error()); }"
    source.write_text(f'#include "{name}.h"\n#include <stdio.h>\n{body}\n')
    subprocess.run(["gcc", f"-I{deployed.path}", str(source), str(deployed.library), "-Wl,-rpath,$ORIGIN", "-o", str(made)], check=True)
    return subprocess.run([*emulator, str(made)], capture_output=True, text=True, check=True, env={}).stdout.strip()


@X86
@pytest.mark.skipif("avx2" not in runnable(), reason="this CPU has no AVX2")
def test_a_processor_that_lacks_something_is_told(tmp_path: Path) -> None:
    if shutil.which("qemu-x86_64") is None:
        pytest.skip("qemu-x86_64 is not on PATH (Debian package qemu-user)")
    made = deploy(small("recurrent")[0], isa="avx2", lib_name="Only", path=tmp_path, threads=1)
    assert "this CPU lacks avx2" in isa_of(made, ["qemu-x86_64", "-cpu", "qemu64"])


@pytest.mark.skipif(bool(AARCH64.missing), reason=AARCH64.missing)
@pytest.mark.parametrize("name,threads", [("convolutional", None), ("recurrent", 1)])
def test_aarch64(name: str, threads: int | None, tmp_path: Path) -> None:
    made = deploy(small(name)[0], target="static_lib", device="aarch64", lib_name="Arm", path=tmp_path, threads=threads)
    _, inputs = small(name)
    wanted = expected(name)
    caller = program(made, tools=AARCH64, flags=["-static"])
    close(call(caller, inputs, wanted, emulator=["qemu-aarch64"]), wanted)


def test_outputs_that_no_kernel_writes(tmp_path: Path) -> None:
    """A constant, an input and the same value twice; integers and booleans."""
    from sol.ir.builder import GraphBuilder
    from sol.ir.types import DType, TensorType

    b = GraphBuilder()
    x, k = b.input("x", TensorType(DType.F32, (2, 3))), b.input("int", TensorType(DType.I64, (4,)))
    p = b.parameter("p", TensorType(DType.F32, (3,)))
    y = b.add("add", [x, p])
    positive = b.add("gt", [y, b.constant(0.0, DType.F32)])
    graph = b.build([y, p, k, y, positive])
    values = np.array([1.0, -2.0, 3.0], np.float32)
    network = of_graph(graph, {"p": values}, "ends", ("x", "int"), "abcde")
    made = deploy(network, lib_name="Ends", path=tmp_path, threads=1)
    header = (tmp_path / "Ends.h").read_text()
    assert "const float* x, const int64_t* int_2, float** a, float** b, int64_t** c, float** d, uint8_t** e" in header
    inputs = [np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(4) - 2]
    sums = inputs[0] + values
    wanted = [sums, values, inputs[1], sums, sums > 0]
    close(call(program(made), inputs, wanted), wanted)
