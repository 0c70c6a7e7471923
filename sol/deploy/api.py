"""sol.deploy: a model → the files of a library, made in a folder of its own and moved to their places when all is done."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sol.build.templates import keep_templates
from sol.codegen.packing import make_pack
from sol.codegen.plan import Weight
from sol.codegen.render import INCLUDE as KERNEL_INCLUDE
from sol.codegen.targets import Target, architecture
from sol.config import checked_threads
from sol.deploy import texts
from sol.deploy.build import link_shared, link_static, objects
from sol.deploy.interface import Interface, interface_of
from sol.deploy.models import Shapes, network_of
from sol.deploy.names import Deployment, Device, Weights, chosen
from sol.deploy.network import Split, check_deployable, split_outputs
from sol.deploy.render import INCLUDE
from sol.deploy.texts import Package
from sol.deploy.toolchain import FolderFull, Tools, tools_for
from sol.deploy.variants import Variant, make_variant, targets_for
from sol.deploy.weights import WeightFile, write_weights
from sol.errors import ConfigError, OutputError, SolError, TypeInferenceError, UnsupportedError
from sol.frontend.imported import Imported
from sol.ir.dim import UndecidedError

EMBEDDED_LIMIT = 1 << 30
"""Bytes of weights up to which "auto" puts them into the library: code reaches 2 GiB."""


@dataclass(frozen=True)
class Deployed:
    """What was written. path: the folder. library: the library in it (for sources: the Makefile). files: all, relative to the folder."""

    path: Path
    library: Path
    files: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.library} and {len(self.files) - 1} more files"


@dataclass(frozen=True)
class Request:
    """What is asked for, checked."""

    target: Deployment
    device: Device
    lib_name: str
    func_name: str
    isa: str | None
    threads: int
    weights: Weights
    check: bool


def deploy(
    model: Any,
    inputs: Any = None,
    *,
    target: str = "shared_lib",
    device: str | None = None,
    lib_name: str = "network",
    func_name: str = "predict",
    path: Any = ".",
    isa: str | None = None,
    threads: int | None = None,
    weights: str = "auto",
    check_weights: bool = True,
    dynamic_shapes: Any = None,
    constants: Mapping[str, Any] | None = None,
    shapes: Shapes | None = None,
    version: str = "",
) -> Deployed:
    """``sol.deploy``; version: what the files say of who made them."""
    request = _request(target, device, lib_name, func_name, isa, threads, weights, check_weights)
    targets = targets_for(request.device, request.isa)
    tools = tools_for(request.device) if request.target is not Deployment.source else None
    keep_templates()
    network, split, interface, variants = _compiled(model, inputs, dynamic_shapes, constants, shapes, request, targets)
    del model, inputs
    folder = Path(path)
    with _naming(folder), _work_folder(folder) as work:
        binary = work / f"{lib_name}.bin"
        with WeightFile(binary) as file:
            parameter = network.parameters.__getitem__
            places = tuple(write_weights(file, v.compiled.graph, v.plan.weights, parameter, movable=v is not variants[0]) for v in variants)
            constant = tuple(dict.fromkeys(c.value for c in split.copies if c.kind == "constant"))
            plain = tuple(Weight(v, v, make_pack("plain")) for v in constant)
            found = dict(zip(constant, write_weights(file, network.graph, plain, parameter)))
        where = binary.name if _in_file(request, file) else ""
        package = Package(
            version, network.title, split, interface, variants, places, found, tuple(file.chunks), request.threads, where, request.check
        )  # fmt: skip
        return _Writer(package, request, tools, folder, work, binary).write()


@contextmanager
def _work_folder(folder: Path) -> Iterator[Path]:
    """A hidden folder inside of ``folder``, which is made if need be; removed in the end."""
    folder.mkdir(parents=True, exist_ok=True)
    prefix = f".sol-{os.getpid()}-{threading.get_ident()}-"
    try:
        yield Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
    finally:  # by name, because an interrupt may come before the folder is known
        for work in folder.glob(f"{prefix}*"):
            shutil.rmtree(work, ignore_errors=True)


@contextmanager
def _naming(folder: Path) -> Iterator[None]:
    """Failures to write name the folder that the user gave."""
    try:
        yield
    except (OSError, FolderFull) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise OutputError(f"cannot write to the folder {folder}: {reason}", remedy="name another folder, or make room") from error


def _compiled(
    model: Any, inputs: Any, dynamic_shapes: Any, constants: Mapping[str, Any] | None, shapes: Shapes | None, request: Request,
    targets: tuple[Target, ...],
) -> tuple[Imported, Split, Interface, tuple[Variant, ...]]:
    """The code for open sizes from 1 on; from 2 on where something cannot be decided otherwise."""
    for smallest in (1, 2):
        try:
            network = network_of(model, inputs, dynamic_shapes, constants, shapes=shapes, smallest=smallest)
            check_deployable(network.graph)
            interface = interface_of(network, request.lib_name, request.func_name)
            split = split_outputs(network.graph)
            threads = request.threads or None
            variants = tuple(make_variant(split.graph, t, network.title, request.func_name, threads) for t in targets)
            return network, split, interface, variants
        except SolError as error:
            if smallest == 2 or type(error) not in (SolError, TypeInferenceError, UndecidedError, UnsupportedError):
                raise
    raise AssertionError


def _request(
    target: str, device: str | None, lib_name: str, func_name: str, isa: str | None, threads: int | None, weights: str, check: bool
) -> Request:
    checked_threads(threads, "for as many as there are CPUs; 1 makes a library without threads")
    here = {d.machine: d.value for d in Device}.get(architecture(), architecture())
    return Request(
        chosen(Deployment, target, "target"), chosen(Device, device or here, "device"), lib_name, func_name, isa, threads or 0,
        chosen(Weights, weights, "weights"), bool(check),
    )  # fmt: skip


def _in_file(request: Request, file: WeightFile) -> bool:
    if request.weights is Weights.embedded and file.bytes > 2 * EMBEDDED_LIMIT - (64 << 20):
        raise ConfigError(f"{file.bytes} bytes of weights are too many to embed", remedy='use weights="file"')
    large = request.weights is Weights.auto and file.bytes > EMBEDDED_LIMIT
    return bool(file.chunks) and (large or request.weights is Weights.file)


class _Writer:
    """Puts the files of one deployment into the work folder and then into place."""

    def __init__(self, package: Package, request: Request, tools: Tools | None, folder: Path, work: Path, binary: Path) -> None:
        self.package, self.request, self.tools, self.folder, self.work, self.binary = package, request, tools, folder, work, binary
        self.name = package.interface.library
        self.texts = 0
        self.made: dict[str, Path] = {}  # place in the folder → file in the work folder

    def write(self) -> Deployed:
        """All files; the library is the first."""
        kind = self.request.target
        if kind is Deployment.source:
            main = self._sources()
        elif kind is Deployment.static_lib:
            main = self._library(link_static)
        else:
            main = self._library(link_shared)
        if kind is Deployment.python:
            main = self._as_python_package(main)
        digests = {place: _sha256(file) for place, file in self.made.items()}
        compiler = str(self.tools.compiler) if self.tools else ""
        text = texts.manifest(self.package, target=kind.value, device=self.request.device.value, compiler=compiler, files=digests)
        self._text(f"{self.name}.json", text)
        for place, file in self.made.items():
            (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
            file.replace(self.folder / place)
        return Deployed(self.folder, self.folder / main, tuple(self.made))

    def _text(self, place: str, text: str) -> None:
        self.texts += 1
        file = self.work / f"text_{self.texts}"
        file.write_text(text)
        self.made[place] = file

    def _library(self, link: Any) -> str:
        assert self.tools is not None
        parts = objects(self.package, self.tools, self.binary.absolute(), self.work)
        built = link(self.package, self.tools, parts, self.work)
        self.made[built.name] = built
        self._common(shared=link is link_shared, static=link is link_static)
        if self.package.weights_file:
            self.made[self.package.weights_file] = self.binary
        return built.name

    def _common(self, *, shared: bool = True, static: bool = False) -> None:
        """What goes with any library. shared, static: which of them there are, or will be."""
        self._text(f"{self.name}.h", texts.header_text(self.package))
        self._text(f"{self.name}_example.c", texts.example_text(self.package))
        if shared:
            self._text(f"{self.name}.py", texts.binding_text(self.package))
        self._text(f"{self.name}.pc", texts.package_config_text(self.package, static=not shared))
        for place, text in texts.cmake_texts(self.package, shared=shared, static=static).items():
            self._text(place, text)

    def _as_python_package(self, library: str) -> str:
        """The files moved into a package of the library's name."""
        name = self.name
        moved = {library: f"{name}/{library}", f"{name}.py": f"{name}/__init__.py", f"{name}.bin": f"{name}/{name}.bin"}
        self.made = {moved[p]: f for p, f in self.made.items() if p in moved}
        self._text("pyproject.toml", texts.project_text(self.package))
        return f"{name}/{library}"

    def _sources(self) -> str:
        package, name = self.package, self.name
        for place, text in texts.build_texts(package).items():
            self._text(place, text)
        self._common(static=True)
        self._text(f"src/{name}.c", texts.library_text(package))
        self._text(f"src/{name}.map", texts.map_text(package))
        for variant in package.variants:
            for source in variant.sources:
                self._text(f"src/{variant.isa}/{source.name}.c", source.text)
        for header in self._headers(package.variants):
            self._text(f"src/include/{header.name}", header.read_text())
        for i, text in enumerate(texts.weight_texts(package)):
            self._text(f"src/weights_{i}.S", text)
        if package.chunks:
            self.made[package.weights_file or f"src/{name}.bin"] = self.binary
        return "Makefile"

    def _headers(self, variants: tuple[Variant, ...]) -> list[Path]:
        """The headers that the sources may include; of the instruction sets only those that are used."""
        used = {v.target.header for v in variants}
        other = {p for p in KERNEL_INCLUDE.glob("sol_simd_*.h") if not any(p.name.startswith(u.removesuffix(".h")) for u in used)}
        return sorted([*(p for p in KERNEL_INCLUDE.glob("*.h") if p not in other), *INCLUDE.glob("*.h")])


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with open(file, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()

