"""The text files of a deployment, rendered: C sources, header, example, Python binding, build files, manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sol.build.build import FLAGS
from sol.config import config
from sol.deploy.interface import ABI_VERSION, Argument, Interface, Symbol
from sol.deploy.network import Copied, Split
from sol.deploy.render import render
from sol.deploy.variants import Variant, largest_buffer_count, variant_context
from sol.deploy.weights import Chunk, Place
from sol.errors import SolError
from sol.ir.dim import evaluate
from sol.runtime.weights import STAGGER

BASE_FLAGS = tuple(f for f in FLAGS if not f.startswith("-O"))


@dataclass(frozen=True)
class Package:
    """All that is known when the texts are written.

    network: its title. places: per variant, where each of its packed constants is; constants: the same for outputs that are constants.
    threads: 0 for as many as there are CPUs, 1 for a library without thread team. weights_file: name, or empty if embedded.
    """

    version: str
    network: str
    split: Split
    interface: Interface
    variants: tuple[Variant, ...]
    places: tuple[tuple[Place, ...], ...]
    constants: Mapping[str, Place]
    chunks: tuple[Chunk, ...]
    threads: int
    weights_file: str
    check: bool

    @property
    def threaded(self) -> bool:
        return self.threads != 1

    @property
    def title(self) -> str:
        """What the texts call the network, without what C would misunderstand."""
        return re.sub(r"[^ -~]|[\\\"]|\*/|/\*", " ", self.network)

    @property
    def embedded(self) -> tuple[Chunk, ...]:
        """The pieces that go into the library."""
        return () if self.weights_file else self.chunks


def common(package: Package) -> dict[str, Any]:
    """What every template may ask for."""
    i = package.interface
    return {
        "title": package.title, "title_text": package.title, "name": i.library, "func": i.function, "upper": i.function.upper(),
        "guard": f"{i.library.upper()}_H", "version": package.version, "abi": ABI_VERSION, "inputs": i.inputs, "outputs": i.outputs,
        "symbols": i.symbols, "decided": i.decided, "signature": i.signature, "signature_inner": i.signature_inner,
        "arguments": i.arguments, "threads": package.threads, "threaded": package.threaded, "weights_file": package.weights_file,
        "isas": ", ".join(v.isa for v in package.variants), "library": f"lib{i.library}.so",
    }  # fmt: skip


def library_text(package: Package) -> str:
    """C: the functions of the header."""
    variants = []
    for variant, places in zip(package.variants, package.places):
        constants = [package.constants[c.value] for c in package.split.copies if c.kind == "constant"]
        variants.append({**variant_context(variant), **_weights_context([*places, *constants])})
    return render(
        "library.c.j2",
        **{**common(package), "threads": 0 if package.threads == 1 else package.threads},
        variants=variants,
        order=_order(package),
        results=len(package.split.graph.outputs),
        result_of=package.split.result_of,
        copies=_copies(package),
        buffers=largest_buffer_count(package.variants),
        chunks=package.chunks,
        check=int(package.check),
        flush_denormals=int(config["flush_denormals"]),
        check_indices=int(config["check_indices"]),
    )


def _weights_context(places: Sequence[Place]) -> dict[str, Any]:
    """Constants with their places in the memory that moves fill, the moves as numbers, and the bytes of that memory."""
    rows, moves, end = [], [], 0
    for number, place in enumerate(places):
        rows.append({"chunk": place.chunk, "offset": place.offset, "at": end if place.moves else -1})
        for move in place.moves:
            (run, _, _), *loops = move.loops
            moves.append((number, move.to, move.source, run, *(n for loop in loops for n in loop)))
        if place.moves:
            end += -(-place.bytes // 64) * 64 + STAGGER
    return {"weights": rows, "moves": moves, "moved": end}


def _order(package: Package) -> list[int]:
    """For each symbol of the plans its place in ``dims``."""
    plans = {(v.plan.symbols, tuple(n for n, _ in v.plan.defined)) for v in package.variants}
    names = [s.name for s in package.interface.symbols]
    if len(plans) != 1:
        raise SolError("the instruction sets do not agree about the sizes of the network")
    wanted, decided = plans.pop()
    if decided != package.interface.decided or set(wanted) != set(names):
        raise SolError(f"the network has sizes {wanted} and {decided}, its interface {names} and {package.interface.decided}")
    return [names.index(s) for s in wanted]


@dataclass(frozen=True)
class _Copy:
    output: int
    source: str


def _copies(package: Package) -> list[_Copy]:
    found, constants = [], 0
    for copy in package.split.copies:
        if copy.kind == "constant":
            source = f"variant->pointers[variant->weight_count - {_constant_count(package.split.copies) - constants}]"
            constants += 1
        elif copy.kind == "input":
            source = f"job->inputs[{copy.index}]"
        else:
            source = f"job->outputs[{copy.index}]"
        found.append(_Copy(copy.output, source))
    return found


def _constant_count(copies: Sequence[Copied]) -> int:
    return sum(c.kind == "constant" for c in copies)


def header_text(package: Package) -> str:
    """The header, C and C++."""
    return render("header.h.j2", **common(package))


def example_text(package: Package) -> str:
    """A C program that uses the header."""
    sizes = [{"name": s.name, "example": _example_size(s)} for s in package.interface.symbols]
    return render("example.c.j2", **{**common(package), "symbols": sizes})


def map_text(package: Package) -> str:
    """The linker's version script: only what the header declares is seen."""
    names = package.interface.exported(weights_file=bool(package.weights_file))
    return "{\n  global:\n" + "".join(f"    {n};\n" for n in names) + "  local: *;\n};\n"


def weight_texts(package: Package) -> list[str]:
    """Assembler sources that embed the pieces, which stay below what a section may have."""
    function = package.interface.function
    return [
        render("weights.S.j2", title=package.title, symbol=f"{function}_weights_{i}", start=c.start, bytes=c.bytes)
        for i, c in enumerate(package.embedded)
    ]


def binding_text(package: Package) -> str:
    """The Python module."""
    i = package.interface
    examples = {s.name: _example_size(s) for s in i.symbols}
    call = ", ".join(f"np.zeros({_example_shape(p, examples)}, {p.numpy!r})" for p in i.inputs)
    return render(
        "binding.py.j2", **common(package),
        example_call=call.replace('"""', ""),
        inputs_literal=_literal([(p.name, p.numpy, _shape(p)) for p in i.inputs]),
        outputs_literal=_literal([(p.name, p.numpy, _shape(p)) for p in i.outputs]),
        symbols_literal=_literal([(s.label, s.source.input, s.source.dim, s.source.scale, s.source.offset) for s in i.symbols]),
    )  # fmt: skip


def _literal(rows: Sequence[tuple[Any, ...]]) -> str:
    return "[" + "".join(f"\n    {row!r}," for row in rows) + ("\n]" if rows else "]")


def _shape(port: Argument) -> tuple[int | str, ...]:
    return tuple(int(s.text) if s.fixed else shown for s, shown in zip(port.sizes, port.shown))


def _example_size(symbol: Symbol) -> int:
    return min(max(symbol.lower, 4), symbol.upper)


def _example_shape(port: Argument, examples: Mapping[str, int]) -> tuple[int | str, ...]:
    """A shape that calls may have; what is more than a symbol stays an expression."""
    return tuple(int(s.text) if s.fixed else examples.get(s.text, s.text) for s in port.sizes)


def package_config_text(package: Package, *, static: bool) -> str:
    """For pkg-config."""
    return render("package.pc.j2", **common(package), static=static)


def cmake_texts(package: Package, *, shared: bool, static: bool) -> dict[str, str]:
    """What lets CMake find the libraries of a deployment; shared, static: which there are."""
    name = package.interface.library
    targets = [*([f"{name}::{name}"] if shared else []), *([f"{name}::{name}_static"] if static else [])]
    config = render("config.cmake.j2", **common(package), shared=shared, static=static, targets=targets)
    version = (
        f'set(PACKAGE_VERSION "{ABI_VERSION}")\n'
        'if(PACKAGE_FIND_VERSION_MAJOR STREQUAL PACKAGE_VERSION OR NOT PACKAGE_FIND_VERSION)\n'
        "  set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n"
        "if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)\n  set(PACKAGE_VERSION_EXACT TRUE)\nendif()\n"
    )
    return {f"{name}Config.cmake": config, f"{name}ConfigVersion.cmake": version}


def build_texts(package: Package) -> dict[str, str]:
    """Makefile and CMakeLists.txt of the source deployment."""
    variants = [
        {"isa": v.isa, "files": [s.name for s in v.sources], "flags": " ".join(v.target.flags), "header": v.target.header}
        for v in package.variants
    ]
    flags = " ".join((*BASE_FLAGS, *(("-DSOL_NO_THREADS",) if not package.threaded else ())))
    context = {**common(package), "variants": variants, "pieces": len(package.embedded), "flags": flags, "cmake_flags": flags}
    return {"Makefile": render("Makefile.j2", **context), "CMakeLists.txt": render("CMakeLists.txt.j2", **context)}


def project_text(package: Package) -> str:
    """pyproject.toml, so that pip can install the Python package."""
    name = package.interface.library
    return (
        f'[build-system]\nrequires = ["setuptools>=68"]\nbuild-backend = "setuptools.build_meta"\n\n'
        f'[project]\nname = "{name}"\nversion = "{ABI_VERSION}"\ndependencies = ["numpy"]\n\n'
        f'[tool.setuptools]\npackages = ["{name}"]\npackage-data = {{ {name} = ["*.so", "*.bin"] }}\n'
    )


def manifest(package: Package, *, target: str, device: str, compiler: str, files: Mapping[str, str]) -> str:
    """JSON: what was deployed, for whom, and the SHA-256 of every file."""
    i = package.interface
    arena = {v.isa: int(evaluate(v.plan.arena, {})) for v in package.variants if not v.plan.symbols}
    return json.dumps(
        {
            "name": i.library, "function": i.function, "title": package.title, "abi_version": ABI_VERSION, "sol": package.version,
            "target": target, "device": device, "isa": [v.isa for v in package.variants], "compiler": compiler,
            "requires": {v.isa: [f.name for f in v.features] for v in package.variants},
            "threads": "off" if not package.threaded else package.threads or "CPUs",
            "inputs": [_described(p) for p in i.inputs], "outputs": [_described(p) for p in i.outputs],
            "dims": [{"name": s.label, "minimum": s.lower, "maximum": s.upper, "meaning": s.meaning} for s in i.symbols],
            "decided": list(i.decided),
            "weights": {
                "where": package.weights_file or "embedded", "bytes": sum(c.bytes for c in package.chunks),
                "pieces": [{"start": c.start, "bytes": c.bytes, "hash": f"{c.hash:016x}"} for c in package.chunks],
                "checked": ("at start" if package.check else "by its size at start") if package.weights_file else f"by {i.function}_check",
            },
            "arena_bytes": arena,
            "files": dict(files),
        },
        indent=2,
    ) + "\n"  # fmt: skip


def _described(port: Argument) -> dict[str, Any]:
    return {"name": port.name, "argument": port.argument, "dtype": port.type, "c_type": port.c, "shape": list(_shape(port))}
