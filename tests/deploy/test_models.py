"""What can be deployed, by which frontend: torch modules, exported programs, ONNX; dynamic sizes; what is refused and how."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import sol
from sol.deploy import api
from sol.errors import CompilerNotFoundError, ConfigError, InputError, TypeInferenceError, UnsupportedError
from tests.deploy.support import call, close, manifest, program
from tests.runtime.models import Counter, Lambda, mlp


def binding(path: Path, name: str) -> ModuleType:
    """The Python module of a deployment."""
    spec = importlib.util.spec_from_file_location(f"deployed_{name}_{path.name}", path / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def dynamic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An MLP with a batch of any size, its weights in a file."""
    path = tmp_path_factory.mktemp("dynamic")
    batch = torch.export.Dim("batch", max=1 << 20)
    sol.deploy(mlp(), [torch.rand(3, 4)], lib_name="Mlp", path=path, dynamic_shapes=({0: batch},), weights="file", func_name="mlp")
    return path


def test_the_python_binding_needs_numpy_only(dynamic: Path) -> None:
    code = (
        "import sys, numpy as np; sys.path.insert(0, '.'); from Mlp import mlp, threads\n"
        "y = mlp(np.ones((5, 4), np.float32)); assert y.shape == (5, 3) and threads(2) == 2\n"
        "assert not {'torch', 'sol'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=dynamic, check=True, env={"PATH": os.environ["PATH"]})


def test_dynamic_sizes(dynamic: Path) -> None:
    """Larger and smaller than before, in one context; one is a size like any other."""
    run, model = binding(dynamic, "Mlp").mlp, mlp()
    for size in (5, 2, 64, 1, 700):
        x = torch.rand(size, 4)
        close([run(x.numpy())], [model(x).detach().numpy()])
    with pytest.raises(ValueError, match=r"takes \(5, 4\)"):
        run(np.zeros((5, 3), np.float32))
    with pytest.raises(TypeError, match="float64 is given"):
        run(np.zeros((5, 4)))
    with pytest.raises(TypeError, match="takes 1 arrays"):
        run()


def test_dynamic_sizes_in_c(dynamic: Path) -> None:
    deployed = api.Deployed(dynamic, dynamic / "libMlp.so", ("Mlp.json",))
    x = torch.rand(9, 4)
    wanted = [mlp()(x).detach().numpy()]
    close(call(program(deployed), [x.numpy()], wanted, dims=[9], threads=4), wanted)


def run_c(folder: Path, body: str, *, library: str = "Mlp") -> str:
    """What a C program with this main function prints."""
    text = f'#include "{library}.h"\n#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{{\n{body}\nreturn 0;\n}}\n'
    (folder / "main.c").write_text(text)
    files = [str(folder / "main.c"), str(folder / f"lib{library}.so"), "-o", str(folder / "main")]
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", f"-I{folder}", *files, f"-Wl,-rpath,{folder}"], check=True)
    return subprocess.run([str(folder / "main")], capture_output=True, text=True, check=True, env={}, cwd=folder).stdout


def test_errors_are_told_and_leave_pointers_alone(dynamic: Path) -> None:
    told = run_c(dynamic, """
    float x[64] = {0}, *y = NULL;
    int64_t dims[] = {3}, none[] = {0}, vast[] = {1 << 20};
    mlp_init(7); puts(mlp_last_error());
    mlp_init(0); puts(mlp_last_error() ? "wrong" : "ready");
    mlp(NULL, x, &y, none); printf("%s %s\\n", mlp_last_error(), y ? "set" : "untouched");
    mlp(NULL, NULL, &y, dims); puts(mlp_last_error());
    mlp(NULL, x, NULL, dims); puts(mlp_last_error());
    mlp(NULL, x, &y, NULL); puts(mlp_last_error());
    void *c = mlp_create();
    printf("%d\\n", mlp_reserve(c, vast));
    int64_t shape[2] = {0, 0};
    int rank = mlp_output_shape(0, shape, dims);
    printf("%d %d %d", rank, (int)shape[0], (int)shape[1]);
    rank = mlp_output_shape(0, shape, NULL);
    printf(" %d %d\\n", rank, (int)shape[0]);
    printf("%d %s %s\\n", mlp_input_shape(3, shape, dims), mlp_input_name(0), mlp_input_name(1) ? "?" : "none");
    mlp(c, x, &y, dims); puts(mlp_last_error() || !y ? "wrong" : "right");
    mlp_destroy(c); mlp_destroy(NULL);
    """).splitlines()  # fmt: skip
    assert told[:2] == ["there is no device 7: the library runs on the CPU, device 0", "ready"]
    assert told[2].startswith("dims[0], size of dimension 0 of ") and "is 0; it takes" in told[2] and told[2].endswith("untouched")
    assert told[3:6] == ["input 0 is NULL", "output 0 is NULL: it takes the address of a pointer", "dims is NULL; it takes 1 size(s)"]
    assert told[6:] == ["0", "2 3 3 2 -1", f"-1 {manifest_name(dynamic)} none", "right"]


def manifest_name(folder: Path) -> str:
    """The name of the only input."""
    return manifest(api.Deployed(folder, folder, ("Mlp.json",)))["inputs"][0]["name"]


def test_memory_that_is_not_there(dynamic: Path) -> None:
    """A context that cannot get what it needs says so."""
    body = """
    int64_t vast[] = {1 << 20};
    mlp_threads(1);
    void *c = mlp_create();
    struct rlimit limit = {16 << 20, 16 << 20};
    setrlimit(RLIMIT_AS, &limit);
    int code = mlp_reserve(c, vast);
    printf("%d %s\\n", code, mlp_last_error());
    """
    text = f'#include "Mlp.h"\n#include <stdio.h>\n#include <sys/resource.h>\nint main(void)\n{{\n{body}\nreturn 0;\n}}\n'
    (dynamic / "starved.c").write_text(text)
    files = [str(dynamic / "starved.c"), str(dynamic / "libMlp.so"), "-o", str(dynamic / "starved")]
    subprocess.run(["gcc", f"-I{dynamic}", *files, f"-Wl,-rpath,{dynamic}"], check=True)
    told = subprocess.run([str(dynamic / "starved")], capture_output=True, text=True, check=True, env={}).stdout
    assert told.startswith("-1 cannot allocate ")


@pytest.mark.parametrize("damage,said", [("gone", "cannot open the weights"), ("short", "bytes, not"), ("changed", "are not those that")])
def test_weights_that_are_not_the_right_ones(dynamic: Path, tmp_path: Path, damage: str, said: str) -> None:
    for name in ("libMlp.so", "Mlp.h"):
        (tmp_path / name).write_bytes((dynamic / name).read_bytes())
    data = bytearray((dynamic / "Mlp.bin").read_bytes())
    if damage == "changed":
        data[len(data) // 2] ^= 1
    if damage != "gone":
        (tmp_path / "Mlp.bin").write_bytes(data[:-8] if damage == "short" else data)
    told = run_c(tmp_path, f"""
    float x[12] = {{0}}, *y = NULL;
    int64_t dims[] = {{3}};
    mlp_init(0); puts(mlp_last_error());
    mlp(NULL, x, &y, dims); puts(mlp_last_error());
    puts(mlp_create() ? "wrong" : mlp_last_error());
    mlp_weights("{dynamic}/Mlp.bin"); mlp_init(0); puts(mlp_last_error() ? "wrong" : "right");
    """).splitlines()  # fmt: skip
    assert all(said in line for line in told[:3]) and told[3] == "right"


def test_exported_programs(tmp_path: Path) -> None:
    model, x = mlp(), torch.rand(2, 4)
    program = torch.export.export(model, (x,))
    torch.export.save(program, tmp_path / "mlp.pt2")
    for i, given in enumerate((program, tmp_path / "mlp.pt2")):
        sol.deploy(given, lib_name="Mlp", path=tmp_path / str(i), threads=1, target=sol.deployment.shared_lib, device=None)
        close([binding(tmp_path / str(i), "Mlp").predict(x.numpy())], [model(x).detach().numpy()])


def test_a_compiled_module_as_a_python_package(tmp_path: Path) -> None:
    fast = sol.optimize(mlp(), [torch.rand(2, 4)])
    made = sol.deploy(fast, [torch.rand(2, 4)], target="python", lib_name="mlp_package", path=tmp_path)
    assert made.library == tmp_path / "mlp_package" / "libmlp_package.so"
    code = "import numpy as np, mlp_package; print(mlp_package.predict(np.zeros((2, 4), np.float32)).shape)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(2, 3)"


def test_onnx(tmp_path: Path) -> None:
    """A model with a named size; without torch."""
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    weight = np.arange(12, dtype=np.float32).reshape(4, 3) / 10
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Relu", ["m"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 3])],
        [numpy_helper.from_array(weight, "w")],
    )  # fmt: skip
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    code = f"import sys, sol; sol.deploy({str(path)!r}, lib_name='Rows', path={str(tmp_path)!r}); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(sol.__file__).parent.parent)
    x = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    close([binding(tmp_path, "Rows").predict(x)], [np.maximum(x @ weight, 0)])
    close([binding(tmp_path, "Rows").predict(x[:1])], [np.maximum(x[:1] @ weight, 0)])
    sol.deploy(path, [x], lib_name="Fixed", path=tmp_path, threads=1)
    assert "const int64_t* dims" not in (tmp_path / "Fixed.h").read_text()


def onnx_model(nodes: list, inputs: list, outputs: list, initializers: Any = ()) -> Any:
    """A ModelProto."""
    from onnx import helper

    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def test_a_size_that_cannot_be_one(tmp_path: Path) -> None:
    """Where a size must be known to be larger than one, the library takes those from two on."""
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", ["n", 3]), ("y", [2, 3])))
    node = helper.make_node("Slice", ["x", "from", "to"], ["y"])
    ends = [numpy_helper.from_array(np.array(v, np.int64), n) for n, v in (("from", [0, 0]), ("to", [2, 3]))]
    sol.deploy(onnx_model([node], [x], [y], ends), lib_name="Two", path=tmp_path, threads=1)
    assert "from 2 to" in (tmp_path / "Two.h").read_text()
    array = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(binding(tmp_path, "Two").predict(array), array[:2])


def test_an_open_size_that_the_model_decides(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", ["n", "c"]), ("y", ["n", 9])))
    model = onnx_model([helper.make_node("Add", ["x", "w"], ["y"])], [x], [y], [numpy_helper.from_array(np.ones(9, np.float32), "w")])
    with pytest.raises(TypeInferenceError, match=r"remedy: fix the size with shapes=\{'x': \('n', 64\)\}, for example"):
        sol.deploy(model, path=tmp_path)


NAMES = ("w0", "@w0", "p_team", "team", "call", "arena", "in", "out", "w", "a", "int", "int64_t", "sol_job", "dims", "memcpy", "c0/round",
         "NAN", "SIZE_MAX", "stdin")  # fmt: skip
SIZES = ("a", "N", "batch size", "batch_size", "2")


def test_names_of_onnx_are_free(tmp_path: Path) -> None:
    """Names of ends, weights and sizes that are words of C, names in the generated C, or no identifiers and alike as such."""
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    weights = {n: rng.standard_normal((40, 40)).astype(np.float32) for n in ("weight", "team weight")}
    places = [*weights]
    ends = [(n, f"w{i + 1}", SIZES[i % 5], places[i % 2]) for i, n in enumerate(NAMES)]
    nodes = [node for x, y, _, w in ends for node in (helper.make_node("MatMul", [x, w], [f"m {y}"], name="for"),
                                                      helper.make_node("Relu", [f"m {y}"], [y], name="sol_run"))]  # fmt: skip
    inputs = [helper.make_tensor_value_info(x, TensorProto.FLOAT, [size, 40]) for x, _, size, _ in ends]
    outputs = [helper.make_tensor_value_info(y, TensorProto.FLOAT, [size, 40]) for _, y, size, _ in ends]
    model = onnx_model(nodes, inputs, outputs, [numpy_helper.from_array(w, n) for n, w in weights.items()])
    arrays = [rng.standard_normal((1 + i % 5, 40)).astype(np.float32) for i in range(len(ends))]
    wanted = [np.maximum(x @ weights[w], 0) for x, (_, _, _, w) in zip(arrays, ends)]
    close(sol.load(model, threads=1)(*arrays), wanted)
    made = sol.deploy(model, lib_name="Names", func_name="call", path=tmp_path, threads=1)
    close(binding(tmp_path, "Names").call(*arrays), wanted)
    close(call(program(made), arrays, wanted, threads=1, dims=[1, 2, 3, 4, 5]), wanted)


def test_a_size_that_the_data_decides(tmp_path: Path) -> None:
    """The memory has room for the largest, the binding gives the part that is used."""
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(n, k, s) for n, k, s in (("x", TensorProto.FLOAT, ["n", 3]), ("y", TensorProto.INT64, [2, "m"])))
    sol.deploy(onnx_model([helper.make_node("NonZero", ["x"], ["y"])], [x], [y]), lib_name="Found", path=tmp_path)
    run = binding(tmp_path, "Found").predict
    for values in ([[1, 0, 3], [0, 0, 2]], [[0, 0, 0], [0, 0, 0]], [[1, 1, 1], [1, 1, 1], [0, 0, 1]]):
        array = np.array(values, np.float32)
        np.testing.assert_array_equal(run(array), np.array(np.nonzero(array)))


def test_random_numbers_start_anew_with_a_seed(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3]) for n in "xy")
    sol.deploy(onnx_model([helper.make_node("RandomUniformLike", ["x"], ["y"])], [x], [y]), lib_name="Dice", path=tmp_path, threads=1)
    module = binding(tmp_path, "Dice")
    zeros = np.zeros((2, 3), np.float32)
    assert module._library.predict_seed(5) == 1
    first, second = module.predict(zeros), module.predict(zeros)
    module._library.predict_seed(5)
    np.testing.assert_array_equal(module.predict(zeros), first)
    assert (first != second).any()


def test_an_unsupported_operation_is_named_before_any_c_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "make_variant", None)
    with pytest.raises(UnsupportedError, match=r"would run in torch(.|\n)*svd") as caught:
        sol.deploy(Lambda(lambda x: torch.linalg.svdvals(x) + 1), [torch.rand(3, 3)], path=tmp_path)
    assert caught.value.origin and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options,kind,said",
    [
        ({"target": "lib"}, ConfigError, "target='lib' is not valid"),
        ({"device": "gpu"}, ConfigError, "device='gpu' is not valid"),
        ({"weights": "both"}, ConfigError, "weights='both' is not valid"),
        ({"threads": 0}, ConfigError, "threads=0 is not valid"),
        ({"isa": "neon", "device": "x86"}, ConfigError, "x86 has no neon"),
        ({"isa": "sse"}, ConfigError, "no target is called"),
        ({"lib_name": "a-b"}, InputError, "is no name in C"),
        ({"func_name": "double"}, InputError, "is no name in C"),
        ({"func_name": "printf"}, InputError, "the C library has something of that name"),
        ({"func_name": "lambda"}, InputError, "is no name in Python"),
        ({"lib_name": "numpy"}, InputError, "a module that the Python binding imports"),
    ],
)
def test_wrong_options(options: dict, kind: type[Exception], said: str, tmp_path: Path) -> None:
    with pytest.raises(kind, match=said):
        sol.deploy(mlp(), [torch.rand(2, 4)], path=tmp_path, **options)
    assert list(tmp_path.iterdir()) == []


def test_models_that_cannot_be_deployed(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="changes its buffer count in place"):
        sol.deploy(Counter(), [torch.rand(3)], path=tmp_path)
    with pytest.raises(InputError, match="needs example inputs"):
        sol.deploy(mlp(), path=tmp_path)
    with pytest.raises(InputError, match="a int cannot be deployed"):
        sol.deploy(3, path=tmp_path)
    with pytest.raises(InputError, match="there is no file"):
        sol.deploy("nowhere.onnx", path=tmp_path)


def test_no_cross_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sol.codegen.targets import architecture

    if architecture() != "x86_64":
        pytest.skip("aarch64 is this machine's own")
    monkeypatch.setattr("shutil.which", lambda name, *rest, **more: None if "aarch64" in name or "clang" in name else f"/usr/bin/{name}")
    with pytest.raises(CompilerNotFoundError, match="no C compiler for aarch64"):
        sol.deploy(nn.Linear(2, 2), [torch.rand(1, 2)], path=tmp_path, device=sol.device.aarch64)
