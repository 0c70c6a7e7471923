"""``sol devices build``: compile the extension of PyTorch and a driver, once for each version of PyTorch."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sol.build.build import usable_jobs
from sol.build.folders import make_private, untrusted
from sol.build.progress import progress
from sol.device.drivers import key_of, library_in, publish, run
from sol.errors import CacheError, CompilerNotFoundError

HERE = Path(__file__).parent
LOADED_FIRST = ("driver", "hooks", "memory", "profiler", "start")
"""Sources of the extension whose library is loaded by ``import torch``; the others register operations, which takes 20 ms."""
ALONE = ("autocast",)
"""Sources of the second library that are compiled beside its others: they need the headers of all functions of PyTorch, which take as long
to read as all the others take."""


def build_device(driver: str = "sim") -> tuple[Path, Path]:
    """Paths of the extension's library and of the driver's, built unless they are there, and noted for ``import torch``.

    driver: the name of one in sol/device/drivers, or the path of a C file. "sim" and "host" are built as well.

    Raises CompilerNotFoundError without g++ or a C compiler, CompilerError with the compiler's message, ConfigError for an unknown driver,
    CacheError where another user could change the folder.
    """
    import torch

    import sol_autoload

    folder, note = Path(sol_autoload.folder()), Path(sol_autoload.note_of(torch.__version__))
    make_private(folder)
    reason = untrusted(folder.resolve())
    if reason:
        raise CacheError(f"libraries cannot be loaded from {folder}: {reason}", remedy="name another folder with SOL_CACHE_DIR")
    with (folder / "lock").open("w") as lock:  # two processes do not build the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        first, operations = _extension(folder)
        names = dict.fromkeys((driver, "sim", "host"))
        libraries = {Path(name).stem: library_in(folder, name) for name in names}
    made = note.with_name(f"{note.name}.{os.getpid()}")
    made.write_text("\n".join([str(first), str(operations), *(f"{name} {path}" for name, path in libraries.items())]) + "\n")
    made.chmod(0o600)
    made.replace(note)
    return operations, libraries[Path(driver).stem]


def _extension(folder: Path) -> tuple[Path, Path]:
    """The library that is loaded with PyTorch, and that with the operations, which needs it."""
    import torch
    from torch.utils.cpp_extension import include_paths

    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        raise CompilerNotFoundError("no C++ compiler on PATH (looked for g++ and c++)", remedy="apt-get install g++, dnf install gcc-c++")
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    includes = [str(HERE / "include"), *include_paths(), *(f"{path}/kineto" for path in include_paths())]
    flags = ["-std=c++17", "-O2", "-fPIC", f"-D_GLIBCXX_USE_CXX11_ABI={abi}", *(word for path in includes for word in ("-isystem", path))]
    sources = sorted((HERE / "extension").glob("*.cpp"))
    headers = [*(HERE / "extension").glob("*.h"), *(HERE / "include").glob("*.h")]
    banner = run([compiler, "--version"], "g++")
    key = key_of([torch.__version__, banner, *flags], [*sources, *headers])
    first, operations = folder / f"start-{key}.so", folder / f"operations-{key}.so"
    if first.exists() and operations.exists():
        return first, operations
    units = _units(sources)
    with tempfile.TemporaryDirectory(dir=folder) as work, progress("Building the extension of PyTorch", len(units) + 2) as shown:

        def compile_one(name: str) -> None:
            text = Path(work) / f"{name}.cpp"
            text.write_text("".join(f'#include "{source}"\n' for source in units[name]))
            run([compiler, *flags, "-c", str(text), "-o", str(text.with_suffix(".o"))], "the extension of PyTorch")
            shown.advance()

        with ThreadPoolExecutor(usable_jobs()) as pool:
            list(pool.map(compile_one, units))
        libraries = [f"-L{Path(torch.__file__).parent / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl", "-pthread"]
        for library, others in ((first, []), (operations, [str(first), "-Wl,-rpath,$ORIGIN"])):
            made = Path(work) / library.name
            parts = [str(Path(work) / f"{name}.o") for name in units if (name == "first") == (library is first)]
            line = [compiler, "-shared", f"-Wl,-soname,{library.name}", *parts, "-o", str(made), *others, *libraries]
            run(line, "the extension of PyTorch")
            publish(made, library)
            shown.advance()
    return first, operations


def _units(sources: Sequence[Path]) -> dict[str, list[Path]]:
    """Sources that are compiled together, by the name of the unit: PyTorch's headers take longer than all that we write, and are read once.

    "first" is the library of LOADED_FIRST, all others are the second one. The unit that takes longest comes first.
    """
    apart = {name: [source for source in sources if source.stem == name] for name in ALONE}
    others = [source for source in sources if source.stem not in (*LOADED_FIRST, *ALONE)]
    return {"operations": others, **apart, "first": [source for source in sources if source.stem in LOADED_FIRST]}
