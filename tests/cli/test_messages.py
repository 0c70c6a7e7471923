"""What the program says when something is wrong: the culprit and a remedy that can be typed, once, without a traceback."""

from __future__ import annotations

import ast
import errno
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import sol
from sol import cli
from sol.commands.failures import BAD_MODEL, ENVIRONMENT, INTERRUPTED, OK, USAGE, as_typed
from sol.commands.files import unwritable, write_file, write_text
from sol.commands.models import Port, as_port
from sol.errors import InputError, OutputError, SolError
from tests.cli.models import positives
from tests.cli.test_commands import call

ROOT = Path(sol.__file__).parent


def program(*arguments: object, code: str = "", **options: object) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    line = [sys.executable, "-m", "sol.cli", *map(str, arguments)] if not code else [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, **options)


@pytest.fixture(scope="module")
def two_sizes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """x [batch, P2O.DYNAMICDIMENSION.1], mask of the same sizes → x * mask."""
    path = tmp_path_factory.mktemp("model") / "mul.onnx"
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", "P2O.DYNAMICDIMENSION.1"]) for n in ("x", "mask", "y")]
    graph = helper.make_graph([helper.make_node("Mul", ["x", "mask"], ["y"])], "mul", ends[:2], ends[2:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    return path


# -- models and inputs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["empty", "text", "cut", "garbled", "other"])
def test_a_damaged_program_is_one_message(capfd, tmp_path, kind):
    import torch

    path = tmp_path / "m.pt2"
    torch.export.save(torch.export.export(torch.nn.Linear(8, 4).eval(), (torch.rand(2, 8),)), path)
    whole = bytearray(path.read_bytes())
    garbled = bytes(b ^ 0x55 if i % 97 == 0 else b for i, b in enumerate(whole))
    path.write_bytes({"empty": b"", "text": b"hello", "cut": bytes(whole[: len(whole) // 2]), "garbled": garbled}.get(kind, b""))
    if kind == "other":
        np.savez(path.with_suffix(".npz"), a=np.zeros(3))
        path.with_suffix(".npz").rename(path)
    for line in (["run", path], ["verify", path], ["compile", path, "-o", tmp_path / "out"]):
        code, _, err = call(capfd, *line)
        assert (code, err.count("error:"), "Traceback" in err) == (BAD_MODEL, 1, False), err
        assert "m.pt2" in err and len(err.splitlines()) <= 2


@pytest.mark.parametrize("command", ["run", "verify", "inspect", "compile"])
@pytest.mark.parametrize("shape", ["image=1,3,8,8", "image=1,3,9", "image=1,3,9,9,1", "image=1,3,9,-9", "nobody=1", "image=1,4,9,9"])
def test_shapes_that_contradict_the_model(capsys, folder, tmp_path, command, shape):
    out = ["-o", tmp_path / "out"] if command == "compile" else []
    code, _, err = call(capsys, command, folder / "open.onnx", "--shape", shape, *out)
    assert code == USAGE and "error:" in err and not (tmp_path / "out").exists()


def test_shape_and_input_that_contradict_each_other(capsys, folder, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((2, 3, 9, 9), np.float32))
    code, _, err = call(capsys, "run", folder / "open.onnx", "--shape", "image=1,3,9,9", "-i", tmp_path / "x.npy")
    assert code == USAGE and "[2, 3, 9, 9], --shape says [1, 3, 9, 9]" in err
    code, _, err = call(capsys, "run", folder / "net.onnx", "-i", tmp_path / "x.npy")
    assert code == USAGE and "the model takes [1, 3, 9, 9]" in err
    with pytest.raises(sol.SolError, match="model takes"):
        sol.load(str(folder / "open.onnx"), shapes={"image": (1, 3, 9, 9)})(np.zeros((2, 3, 9, 9), np.float32))


def test_a_remedy_can_be_pasted(capsys, two_sizes):
    code, _, err = call(capsys, "run", two_sizes)
    option = re.search(r"(--shape .*)", err)
    assert code == USAGE and "P2O.DYNAMICDIMENSION.1" in err and option is not None
    code, out, err = call(capsys, "run", two_sizes, *shlex.split(option[1]))
    assert code == OK and "mask: float32[1, 64]" in out, err  # a size of the same name is the same


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["x=4,s"], ["x: f32[4, s]", "mask: f32[4, s]", "dims[0]: s, size of dimension 1 of x"]),
        (["x=batch,7"], ["x: f32[batch, 7]", "dims[0]: batch, size of dimension 0 of x"]),
        ([], ["x: f32[batch, P2O.DYNAMICDIMENSION.1]", "dims[1]: P2O.DYNAMICDIMENSION.1, size of dimension 1"]),
        (["x=2,5", "mask=2,5"], ["x: f32[2, 5]"]),
    ],
)
def test_some_sizes_fixed_and_others_open(capsys, two_sizes, tmp_path, given, words):
    line = ["compile", two_sizes, "-o", tmp_path, "--verify", *(a for g in given for a in ("--shape", g))]
    code, out, err = call(capsys, *line)
    assert code == OK and "from float64, passed" in out, err
    header = (tmp_path / "network.h").read_text()
    assert all(w in header for w in words), header[:900]
    assert "Made by sol 0" in header


def test_two_values_of_one_size(capsys, two_sizes):
    code, _, err = call(capsys, "run", two_sizes, "--shape", "x=2,5", "--shape", "mask=2,6")
    assert code == USAGE and "5 in the shape of x and 6 in that of mask" in err


def test_unnamed_sizes_can_be_named_and_made_equal(tmp_path):
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [None]) for n in "xyz"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "y"], ["z"])], "add", ends[:2], ends[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    made = sol.deploy(model, path=tmp_path, shapes={"x": ("n",), "y": ("n",)})
    header = (made.path / "network.h").read_text()
    assert "x: f32[n]" in header and "y: f32[n]" in header and "dims[1]" not in header
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["z"])], "relu", ends[:1], ends[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    made = sol.deploy(model, path=tmp_path / "as_it_is")
    assert "x: f32[dims[0]]" in (made.path / "network.h").read_text()


def test_constants_are_proposed_for_inputs_only(capsys, tmp_path):
    ends = [helper.make_tensor_value_info(n, t, s) for n, t, s in (("x", 1, ["seq"]), ("n", 7, [1]), ("y", 1, None))]
    steps = (("Shape", "x", "s"), ("Add", "sn", "k"), ("TopK", "xk", "yi"))
    nodes = [helper.make_node(op, list(given), list(made)) for op, given, made in steps]
    graph = helper.make_graph(nodes, "g", ends[:2], ends[2:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(tmp_path / "m.onnx"))
    code, _, err = call(capsys, "compile", tmp_path / "m.onnx", "-o", tmp_path / "out")
    assert code != OK and "s_seq" not in err
    assert "--const n=FILE.npy" in err or "const" not in err, err


# -- files that are written --------------------------------------------------------------------------------------------


def full(stream) -> None:
    stream.write(b"half a page")
    stream.flush()
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_what_was_there(tmp_path):
    path = tmp_path / "page.html"
    for before in (None, "old"):
        if before:
            path.write_text(before)
        with pytest.raises(OutputError, match=f"cannot write {re.escape(str(path))}: No space left"):
            write_file(path, full)
        assert [p.read_text() for p in tmp_path.iterdir()] == ([before] if before else [])
    write_text(path, "whole")
    assert path.read_text() == "whole" and path.stat().st_mode & 0o777 == 0o666 & ~_umask()
    (tmp_path / "link").symlink_to(path)
    write_text(tmp_path / "link", "through")
    assert path.read_text() == "through" and (tmp_path / "link").is_symlink()
    write_text(Path("/dev/null"), "gone")
    assert not Path("/dev/null").is_file()
    with pytest.raises(OutputError, match="/dev/full"):
        write_text(Path("/dev/full"), "x" * 10000)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("option", [("run", "-o", "y.npz"), ("verify", "--json", "v.json"), ("inspect", "--html", "r.html")])
def test_outputs_are_checked_before_the_work(capsys, folder, tmp_path, option):
    command, flag, name = option
    code, _, err = call(capsys, command, folder / "net.onnx", flag, tmp_path / "new" / "dir" / name)
    assert code == USAGE and f"mkdir -p {tmp_path / 'new' / 'dir'}" in err and not (tmp_path / "new").exists()
    code, _, err = call(capsys, command, folder / "net.onnx", flag, tmp_path)
    assert code == USAGE and "is a directory" in err
    code, _, err = call(capsys, command, folder / "net.onnx", flag, folder / "net.onnx" / name)
    assert code == USAGE and "is no folder" in err


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="needs a folder that even root cannot write (/proc)")
def test_a_folder_that_cannot_be_written(capsys, folder):
    code, out, err = call(capsys, "run", folder / "net.onnx", "-o", "/proc/y.npz")
    assert code == ENVIRONMENT and "cannot write /proc/y.npz" in err and ".sol-" not in err
    code, out, err = call(capsys, "compile", folder / "net.onnx", "-o", "/proc/out")
    assert code == ENVIRONMENT and "/proc/out" in err and ".sol-" not in err
    assert unwritable(Path("/nowhere/x")) and not unwritable(Path("/dev/null"))


def test_a_dump_that_cannot_be_written(capsys, folder, tmp_path):
    (tmp_path / "file").write_text("")
    with sol.config.override(dump=str(tmp_path / "file" / "dump")):
        code, _, err = call(capsys, "run", folder / "net.onnx")
    assert code == ENVIRONMENT and f"cannot write to the folder {tmp_path / 'file' / 'dump'}: Not a directory" in err and "SOL_DUMP" in err


def test_outputs_of_any_name(tmp_path):
    from sol.commands.run import write

    results = {"file": np.arange(3), "a/b:0": np.zeros((2, 2)), "list": [np.ones(1), np.zeros(2)], "none": None}
    write(tmp_path / "y.npz", results)
    found = np.load(tmp_path / "y.npz")
    assert sorted(found.files) == ["a/b:0", "file", "list.0", "list.1"] and found["file"].tolist() == [0, 1, 2]
    with pytest.raises(SolError, match="4 arrays"):
        write(tmp_path / "y.npy", results)


# -- streams, variables, compilers, interrupts -------------------------------------------------------------------------


def test_streams(folder):
    line = f"{sys.executable} -m sol.cli"
    model = folder / "net.onnx"
    for text, wanted in (
        (f"{line} inspect {model} >/dev/full", ENVIRONMENT), (f"{line} run {model} >&-", OK), (f"{line} run {model} 2>&-", OK),
        (f"{line} run nothing.onnx 2>&-", USAGE), (f"set -o pipefail; {line} inspect {model} | true", OK),
    ):  # fmt: skip
        done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=300)
        assert done.returncode == wanted and "Traceback" not in done.stderr and "Exception" not in done.stderr, (text, done)
        assert wanted != ENVIRONMENT or "standard output: No space left" in done.stderr


def test_unknown_variables_are_warned_of_once(folder):
    env = {**os.environ, "SOL_ISSA": "avx2", "SOL_QWERTZ": "1", "SOL_PROGRESS": "off"}
    done = program("run", folder / "net.onnx", env=env)
    assert done.returncode == OK
    assert done.stderr.splitlines() == [
        "sol does not know the environment variable SOL_ISSA: is SOL_ISA meant?",
        "sol does not know the environment variable SOL_QWERTZ",
    ]


def test_what_was_compiled_runs_without_a_compiler(folder, tmp_path):
    import torch

    torch.export.save(torch.export.export(torch.nn.Linear(8, 4).eval(), (torch.rand(2, 8),)), tmp_path / "m.pt2")
    env = {k: v for k, v in os.environ.items() if k not in ("CC", "SOL_COMPILER")} | {"SOL_CACHE_DIR": str(tmp_path / "cache")}
    without = {**env, "PATH": str(tmp_path)}
    for model in (folder / "net.onnx", tmp_path / "m.pt2"):
        first = program("run", model, env=env)
        again = program("run", model, env=without)
        assert first.returncode == again.returncode == OK and first.stdout == again.stdout, again.stderr
    positives(tmp_path / "new.onnx")
    done = program("run", tmp_path / "new.onnx", env=without)
    assert done.returncode == ENVIRONMENT and "no C compiler on PATH" in done.stderr and "fallback" not in done.stderr
    done = program("run", folder / "net.onnx", env={**without, "CC": "no-such-compiler"})
    assert done.returncode == ENVIRONMENT and "no-such-compiler" in done.stderr  # who names one must have it


def test_a_damaged_cache_is_one_warning(folder, tmp_path):
    env = {**os.environ, "SOL_CACHE_DIR": str(tmp_path / "cache"), "SOL_PROGRESS": "off"}
    first = program("run", folder / "net.onnx", env=env)
    entries = [p for p in (tmp_path / "cache").rglob("*.*") if p.is_file()]
    assert len(entries) > 5
    for path in entries:
        os.truncate(path, path.stat().st_size - 5)
    again = program("run", folder / "net.onnx", env=env)
    assert again.returncode == OK and again.stdout == first.stdout
    assert len(again.stderr.splitlines()) == 1 and "is damaged" in again.stderr, again.stderr


INTERRUPTED_AT = """
import builtins, os, signal, sys
import sol.cli
real, wanted = builtins.__import__, sys.argv.pop(1)
def trap(name, *rest, **more):
    inside_c = "importlib" in sys._getframe(1).f_code.co_filename
    if name == wanted.removeprefix("C:") and inside_c == wanted.startswith("C:"):
        builtins.__import__ = real
        exec("os.kill(os.getpid(), signal.SIGINT)")  # as where a dataclass is made
    return real(name, *rest, **more)
builtins.__import__ = trap
sol.cli.main(sys.argv[1:])
"""


@pytest.mark.parametrize("module", ["numpy", "onnx", "jinja2", "sol.runtime.numpy.session", "cffi", "C:datetime", "C:sys", "C:enum"])
def test_an_interrupt_during_imports(folder, tmp_path, module):
    (tmp_path / "interrupted.py").write_text(INTERRUPTED_AT)
    line = [sys.executable, "-m", "interrupted", module, "run", str(folder / "net.onnx")]
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT.parent}"}
    done = subprocess.run(line, capture_output=True, text=True, timeout=300, env=env)
    assert (done.returncode, done.stderr.strip()) == (INTERRUPTED, "interrupted")


@pytest.mark.parametrize("seconds", [0.4, 1.0])
def test_an_interrupt_at_any_time(folder, tmp_path, seconds):
    env = {**os.environ, "SOL_CACHE_DIR": str(tmp_path / "cache"), "SOL_PROGRESS": "off"}
    line = [sys.executable, "-m", "sol_program", "compile", str(folder / "net.onnx"), "-o", str(tmp_path / "out")]
    process = subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT.parent)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (INTERRUPTED, OK) and "Traceback" not in err and "ignored" not in err, err
    assert not list((tmp_path / "out").glob(".sol-*")) and not list((tmp_path / "cache").rglob("work-*"))


# -- words -------------------------------------------------------------------------------------------------------------


def remedies() -> Iterator[tuple[str, str]]:
    """Every remedy in the package, with a word for what is filled in, and where it stands."""
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text())
        named = {t.id: n.value for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
        for node in ast.walk(tree):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                if keyword.arg == "remedy":
                    value = keyword.value
                    value = named.get(value.id, value) if isinstance(value, ast.Name) else value
                    yield f"{path.name}:{node.lineno}", _text(value)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(v) if isinstance(v, ast.Constant) else "it" for v in node.values)
    return _text(node.left) + _text(node.right) if isinstance(node, ast.BinOp) else "it"


def test_no_remedy_of_the_program_speaks_python():
    found = list(remedies())
    assert len(found) > 150
    for place, remedy in found:
        told = as_typed(SolError("x", remedy=remedy))
        assert not re.search(r"sol\.[a-z]|\b\w+=[\"'{\[(]|fallback", told), f"{place}: {told}"


@pytest.mark.parametrize(
    ("remedy", "told"),
    [
        ("name one with $CC or sol.config['compiler']", "name one with $CC or SOL_COMPILER"),
        ('use weights="file"', "use --weights file"),
        ("give its content with constants={'a b': array}", "give its content with --const 'a b=FILE.npy'"),
        ("fix it with shapes={'x': (1, 'n', 64)}, for example", "fix it with --shape x=1,n,64, for example"),
        ('this; or run in torch with sol.optimize(..., fallback="eager")', "this"),
        ("clear the cache with sol.cache.clear()", "clear the cache with sol cache clear"),
        ("SOL_CACHE_DIR or sol.config['cache_dir']", "SOL_CACHE_DIR"),
        ('use fallback="eager"', ""),
    ],
)
def test_python_advice_in_the_words_of_the_program(remedy, told):
    text = as_typed(SolError("m", remedy=remedy))
    assert text == ("m" + (f"\n  remedy: {told}" if told else ""))


@pytest.mark.parametrize(
    "line",
    [
        ["verify", "M", "--tolerance", "nan"], ["verify", "M", "--tolerance", "-1"], ["bench", "M", "--seconds", "nan"],
        ["bench", "M", "--seconds", "0"], ["bench", "M", "--rounds", "0"], ["bench", "M", "--timeout", "-1"], ["run", "M", "--seed", "-1"],
        ["run", "M", "--threads", "0"], ["run", "M", "--threads", "99999999999"], ["run", "M", "--time-budget", "1e9"],
        ["run", "M", "-i", "FOLDER"], ["run", "FOLDER"], ["run", "M", "-i", "image="], ["compile", "M", "-o", "M"],
        ["compile", "M", "--lib-name", "a-b", "-o", "FOLDER/o"], ["cache", "foo"], ["completion", "tcsh"], ["run", "M", "--isa", "nothing"],
    ],
)  # fmt: skip
def test_wrong_arguments_are_usage_errors(capsys, folder, line):
    words = {"M": str(folder / "net.onnx"), "FOLDER": str(folder), "FOLDER/o": str(folder / "o")}
    code, _, err = call(capsys, *(words.get(a, a) for a in line))
    assert code == USAGE and "rror:" in err and "Traceback" not in err
    assert "lib_name" not in err


@pytest.mark.parametrize(("option", "name"), [("--lib-name", "a b"), ("--lib-name", ""), ("--func-name", "x'y"), ("--func-name", "printf")])
def test_names_that_are_refused(capsys, folder, tmp_path, option, name):
    code, _, err = call(capsys, "compile", folder / "net.onnx", "-o", tmp_path / "o", option, name)
    assert code == USAGE and f"error: {option} " in err and "_name" not in err and err.count("'") % 2 == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([np.nan]), np.array([1.5]), np.array([2**63], np.uint64)])
def test_contents_that_change_their_value_are_refused(array):
    with pytest.raises(InputError, match=f"input n is {array.dtype}, the model takes int64"):
        as_port(array, Port("n", np.dtype(np.int64), None))
    if array.dtype.kind == "c":
        with pytest.raises(InputError, match="the model takes float32"):
            as_port(array, Port("n", np.dtype(np.float32), None))


def test_it_is_the_program_that_is_run():
    assert cli.sol.name == "sol" and "sol_program:main" in (ROOT.parent / "pyproject.toml").read_text()
