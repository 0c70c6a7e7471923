"""The C interface of a deployed network: names, types and sizes of its arguments, as the templates print them."""

from __future__ import annotations

import ctypes
import json
import keyword
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from sol.deploy.network import SizeArgument, size_arguments
from sol.errors import InputError, UnsupportedError
from sol.frontend.imported import Imported
from sol.ir.data_sizes import definitions, upper
from sol.ir.dim import Dim, DimLike, dim_text, product
from sol.ir.types import TensorType

ABI_VERSION = 1
_C_TYPES = {
    "f64": "double", "f32": "float", "f16": "uint16_t", "bf16": "uint16_t", "i64": "int64_t", "i32": "int32_t", "i16": "int16_t",
    "i8": "int8_t", "u64": "uint64_t", "u32": "uint32_t", "u16": "uint16_t", "u8": "uint8_t", "bool": "uint8_t",
}  # fmt: skip
"""Types that C and C++ share; 16-bit floats are given as their bits."""
NUMPY_TYPES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "uint16", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
    "u64": "uint64", "u32": "uint32", "u16": "uint16", "u8": "uint8", "bool": "bool",
}  # fmt: skip
_WORDS = frozenset(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast constexpr continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast restrict return short "
    "signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union "
    "unsigned using virtual void volatile wchar_t while xor xor_eq ctx dims job linux unix NULL I stdin stdout stderr errno EOF "
    "main memcpy int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t".split()
)

_BINDING_IMPORTS = ("ctypes", "numpy", "os")
_C_LIBRARY = ("libc.so.6", "libm.so.6")
"""Not what else this process has loaded: a deployed library is linked with these alone."""


def _is_in_c_library(name: str) -> bool:
    for library in _C_LIBRARY:
        with suppress(OSError):  # another system's C library has another name
            if hasattr(ctypes.CDLL(library), name):
                return True
    return False


@dataclass(frozen=True)
class Size:
    """A size of an argument as a C expression; fixed: it is a number."""

    text: str
    fixed: bool


@dataclass(frozen=True)
class Argument:
    """An input or output as C sees it.

    argument: its name in C. c: element type. bytes: of all elements, a C expression. type: element type by our name.
    sizes: with the largest that data can decide; true_sizes: with what it decided, C expressions. shown: these as people read them.
    """

    name: str
    argument: str
    c: str
    type: str
    numpy: str
    sizes: tuple[Size, ...]
    true_sizes: tuple[str, ...]
    bytes: str
    shown: tuple[str, ...]

    @property
    def comment(self) -> str:
        """For a C comment: name, element type and sizes."""
        text = f"{self.name}: {self.type}[{', '.join(self.shown)}]"
        return comment_text(text)

    @property
    def quoted(self) -> str:
        """The name as a C string."""
        return json.dumps(self.name).replace("?", "\\?")


@dataclass(frozen=True)
class Symbol:
    """An entry of ``dims``: its name in expressions, its range, what it is, and how it follows from an input's size.

    label: what people call it: the name that the model gives it, else its place in ``dims``.
    """

    name: str
    label: str
    lower: int
    upper: int
    meaning: str
    source: SizeArgument


@dataclass(frozen=True)
class Interface:
    """All of it. function: the C function; the others begin with its name."""

    library: str
    function: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    symbols: tuple[Symbol, ...]
    decided: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """Parameters of the function."""
        if not self.symbols and len(self.inputs) == len(self.outputs) == 1:
            (i,), (o,) = self.inputs, self.outputs
            return f"void* ctx, const {i.c}* {i.argument}, {o.c}** {o.argument}"
        return f"void* ctx, {self.signature_inner}"

    @property
    def signature_inner(self) -> str:
        """The same without the context."""
        parts = [f"const {p.c}* {p.argument}" for p in self.inputs] + [f"{p.c}** {p.argument}" for p in self.outputs]
        return ", ".join([*parts, *(["const int64_t* dims"] if self.symbols else [])])

    @property
    def arguments(self) -> str:
        """What is handed on to a function with ``signature_inner``."""
        names = [p.argument for p in (*self.inputs, *self.outputs)]
        return ", ".join([*names, *(["dims"] if self.symbols else [])])

    def exported(self, *, weights_file: bool) -> tuple[str, ...]:
        """The symbols that a library shows."""
        names = ["init", "seed", "run_async", "sync", "create", "destroy", "last_error", "threads", "abi_version", "isa", "check"]
        names += [f"{side}_{what}" for side in ("input", "output") for what in ("count", "name", "type", "shape")]
        names += ["reserve"] * bool(self.symbols) + ["result_shape"] * bool(self.decided) + ["weights"] * weights_file
        return (self.function, *(f"{self.function}_{n}" for n in names))


def interface_of(network: Imported, library: str, function: str) -> Interface:
    """The interface of a network; InputError for names that C does not take, UnsupportedError for element types."""
    _check_names(library, function)
    graph = network.graph
    single = len(graph.inputs) == len(graph.outputs) == 1
    taken = set(_WORDS) | {function, library}
    names = [*(("input",) if single else network.input_names), *(("output",) if single else network.output_names)]
    arguments = _identifiers(names, taken)
    types = [graph.type_of(v) for v in (*graph.inputs, *graph.outputs)]
    shown = (*network.input_names, *network.output_names)
    bounds = {name: d.bound for name, d in definitions(graph).items()}
    sources = size_arguments(graph)
    labels = [network.sizes.get((s.input, s.dim), "") if (s.scale, s.offset) == (1, 0) else "" for s in sources]
    symbols = tuple(_symbol(s, network.input_names, label or f"dims[{i}]") for i, (s, label) in enumerate(zip(sources, labels)))
    called = {s.name: s.label for s in symbols}
    ports = [_argument(n, a, t, bounds, called) for n, a, t in zip(shown, arguments, types, strict=True)]
    count = len(graph.inputs)
    return Interface(library, function, tuple(ports[:count]), tuple(ports[count:]), symbols, tuple(bounds))


def _check_names(library: str, function: str) -> None:
    for what, name in (("lib_name", library), ("func_name", function)):
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in _WORDS:
            raise InputError(f"{what}={name!r} is no name in C", remedy="use letters, digits and underscores, a letter first")
        if keyword.iskeyword(name):
            raise InputError(f"{what}={name!r} is no name in Python, which the binding needs", remedy="use another name")
    if library in _BINDING_IMPORTS:
        raise InputError(f"lib_name={library!r} is a module that the Python binding imports", remedy="use another name")
    if _is_in_c_library(function):
        raise InputError(f"func_name={function!r} is taken: the C library has something of that name", remedy="use another name")


def _identifiers(names: Iterable[str], taken: set[str]) -> list[str]:
    """Names as C identifiers, each one different; in small letters if they have capitals alone, as macros of headers have."""
    out = []
    for name in names:
        stem = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or "value"
        stem = stem.lower() if re.fullmatch(r"[A-Z][A-Z0-9_]+", stem) else stem
        stem = f"v_{stem}" if not stem[0].isalpha() or stem.lower().startswith("sol_") else stem
        found, count = stem, 1
        while found in taken:
            count += 1
            found = f"{stem}_{count}"
        taken.add(found)
        out.append(found)
    return out


def comment_text(text: str) -> str:
    """A text that may stand in a comment of C, on one line."""
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ")


def _argument(name: str, argument: str, type: TensorType, bounds: dict[str, DimLike], called: Mapping[str, str]) -> Argument:
    kind = str(type.dtype)
    if kind not in _C_TYPES:
        raise UnsupportedError(f"{name} has element type {kind}, which C has not", remedy="cast it inside of the network")
    largest = [upper(d, bounds) for d in type.shape]
    sizes = tuple(Size(dim_text(d), not isinstance(d, Dim)) for d in largest)
    size = upper(product(type.shape) * type.dtype.itemsize, bounds)
    true = tuple(dim_text(d) for d in type.shape)
    shown = tuple(re.sub(r"[A-Za-z_]\w*", lambda m: called.get(m[0], m[0]), text) for text in true)
    return Argument(name, argument, _C_TYPES[kind], kind, NUMPY_TYPES[kind], sizes, true, dim_text(size), shown)


def _symbol(source: SizeArgument, inputs: tuple[str, ...], label: str) -> Symbol:
    meaning = f"size of dimension {source.dim} of {inputs[source.input]}"
    if source.offset:
        meaning = f"{meaning} minus {source.offset}" if source.offset > 0 else f"{meaning} plus {-source.offset}"
    if source.scale != 1:
        meaning = f"({meaning}) / {source.scale}"
    meaning = meaning.replace("*/", "* /").replace('"', "'").replace("%", " ").replace("\\", "/").replace("\n", " ")
    label = comment_text(label).replace('"', "'").replace("\\", "/")
    return Symbol(source.symbol.name, label, source.symbol.lower, source.symbol.upper, meaning, source)
