"""C files of a deployment → libraries: objects from the cache, weights by the assembler, one link that hides all but the interface."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sol.build.build import FLAGS, LINK_FLAGS, build_objects, units_of
from sol.build.toolchain import half_flags
from sol.codegen.render import INCLUDE as KERNEL_INCLUDE
from sol.codegen.targets import by_name
from sol.deploy.render import INCLUDE
from sol.deploy.texts import Package, header_text, library_text, map_text, weight_texts
from sol.deploy.toolchain import Tools, run

NO_THREADS = "-DSOL_NO_THREADS"


def objects(package: Package, tools: Tools, weights: Path, work: Path) -> list[Path]:
    """The object files of a library, in ``work``. weights: the file with the packed constants."""
    made = [_library_object(package, tools, work)]
    for variant in package.variants:
        made += build_objects(units_of(variant.sources, variant.prefix), variant.target, tools.compiler, work)
    return list(dict.fromkeys(made)) + _weight_objects(package, tools, weights, work)


def _library_object(package: Package, tools: Tools, work: Path) -> Path:
    """The functions of the header, for any machine of the device: they look at the CPU first."""
    name = package.interface.library
    (work / f"{name}.h").write_text(header_text(package))
    (work / f"{name}.c").write_text(library_text(package))
    flags = [*FLAGS, *half_flags(tools.compiler), *by_name("generic").flags, *(() if package.threaded else (NO_THREADS,))]
    places = ["-I", str(KERNEL_INCLUDE), "-I", str(INCLUDE), "-I", "."]
    run([*tools.compiler.command, *flags, *places, "-c", f"{name}.c", "-o", f"{name}.o"], work, f"compiling {name}.c")
    return work / f"{name}.o"


def _weight_objects(package: Package, tools: Tools, weights: Path, work: Path) -> list[Path]:
    made = []
    for i, text in enumerate(weight_texts(package)):
        (work / f"weights_{i}.S").write_text(text)
        define = f'-DSOL_WEIGHTS="{weights}"'
        run([*tools.compiler.command, define, "-c", f"weights_{i}.S", "-o", f"weights_{i}.o"], work, "embedding the weights")
        made.append(work / f"weights_{i}.o")
    return made


def link_shared(package: Package, tools: Tools, parts: Sequence[Path], work: Path) -> Path:
    """libNAME.so in ``work``."""
    name = f"lib{package.interface.library}.so"
    (work / "exports.map").write_text(map_text(package))
    _list(parts, work)
    options = ["-Wl,--version-script,exports.map", f"-Wl,-soname,{name}", "@objects.txt", "-lm", "-pthread", "-ldl"]
    run([*tools.compiler.command, *LINK_FLAGS, *options, "-o", name], work, "linking")
    return work / name


def link_static(package: Package, tools: Tools, parts: Sequence[Path], work: Path) -> Path:
    """libNAME.a in ``work``: one object in which all but the interface is local."""
    name = f"lib{package.interface.library}.a"
    whole = f"{package.interface.library}_whole.o"
    _list(parts, work)
    run([*tools.compiler.command, "-r", "-nostdlib", "@objects.txt", "-o", whole], work, "linking")
    run([tools.objcopy, "--localize-hidden", whole], work, "hiding names (objcopy)")
    run([tools.ar, "rcs", name, whole], work, "making the archive (ar)")
    return work / name


def _list(parts: Sequence[Path], work: Path) -> None:
    (work / "objects.txt").write_text("".join(f"{p.name}\n" for p in parts))
