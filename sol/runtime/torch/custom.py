"""``sol.nn.Custom``: a layer whose forward and backward pass are C of the user, compiled in wherever the model is compiled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from sol.errors import CompilerError, ConfigError, InputError
from sol.frontend.torch.aten import dtype_of
from sol.frontend.torch.custom_code import Code, Meta, custom, know, runners
from sol.ir.builder import GraphBuilder
from sol.ir.types import TensorType
from sol.runtime.torch.runner import Runner

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)".*$', re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
KEPT = 64


class Custom(torch.nn.Module):
    """A layer of C. It runs in eager PyTorch, in compiled models, in training if it has a backward function, and in deployed libraries.

    source: C text, or the path of a file that ends in .c. forward: the name of its function
        ``void forward(const float *input, ..., float *output, ..., const sol_custom *call)``
        with a pointer for each input, parameter and output, in this order. All arrays are contiguous. Every thread of the team calls it:
        ``call->thread`` of ``call->threads`` says which share of the work is meant, ``call->shapes[i][d]`` are sizes (int64_t) of the
        inputs, parameters and outputs, in this order. Other functions of the source must be static.
    backward: the name of the function of gradients, if there is one. It gets the gradient of each output, then inputs, parameters and
        outputs of the forward pass, and writes a gradient for each floating-point input and parameter.
    shapes: inputs and parameters → tensors of the shapes and types of the outputs, such as ``lambda x: torch.empty_like(x)``, which is the
        default; they may be meta or fake tensors.
    parameters: tensors that are handed on behind the inputs, as parameters of the layer.
    constants: hyperparameters by name: numbers or text that ``#define`` gives the source.
    include: folders where ``#include "..."`` looks, or texts of headers by name; they become part of the source.
    flags: of the compiler: ``-Dname=value``, ``-O...`` and ``-f...``.
    dtypes: of the inputs, by default float32.

    Raises InputError for a source without the function, missing headers, and calls with other dtypes or shapes than were declared;
    CompilerError, which names the line of the source, when it is first compiled; ConfigError for flags that are not taken.
    """

    def __init__(
        self,
        source: str | Path,
        forward: str = "forward",
        backward: str | None = None,
        *,
        shapes: Meta | None = None,
        parameters: Mapping[str, Tensor] | None = None,
        constants: Mapping[str, float | str] | None = None,
        include: Mapping[str, str] | Sequence[str | Path] = (),
        flags: Sequence[str] = (),
        dtypes: Sequence[torch.dtype] | None = None,
    ) -> None:
        super().__init__()
        is_file = isinstance(source, Path) or ("\n" not in source and source.endswith(".c"))
        text = Path(source).read_text() if is_file else str(source)
        self.title = Path(source).stem if is_file else forward
        options, defines = _options(flags)
        defines |= {name: value if isinstance(value, str) else repr(value) for name, value in (constants or {}).items()}
        whole = _with_defines(_with_headers(text, include, self.title), defines, self.title)
        names = [forward, *([backward] if backward else [])]
        self._codes = [Code(self.title, whole, name, tuple(n for n in names if n != name), options) for name in names]
        for code in self._codes:
            if not re.search(rf"\b{re.escape(code.function)}\s*\(", whole):
                raise InputError(f"the source of {self.title} has no function {code.function}")
        self._shapes = shapes or _like_the_first
        self._dtypes = tuple(dtypes) if dtypes is not None else None
        for name, tensor in (parameters or {}).items():
            self.register_parameter(name, tensor if isinstance(tensor, torch.nn.Parameter) else torch.nn.Parameter(tensor))
        self._register()

    def _register(self) -> None:
        """Tell torch's operation what this layer's keys stand for."""
        self._key = know(*self._codes, meta=self._shapes)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._register()

    def forward(self, *inputs: Tensor) -> Any:
        """The layer's output; a tuple if there are several."""
        wanted = self._dtypes or (torch.float32,) * len(inputs)
        if len(wanted) != len(inputs):
            raise InputError(f"{self.title} takes {len(wanted)} inputs, got {len(inputs)}")
        for i, (x, dtype) in enumerate(zip(inputs, wanted)):
            if x.dtype is not dtype:
                remedy = f"cast it, or declare its type with dtypes=[..., {x.dtype}, ...]"
                raise InputError(f"input {i} of {self.title} is {x.dtype}, its C takes {dtype}", remedy=remedy)
        results = custom([*inputs, *self._parameters.values()], self._key, 0)
        return results[0] if len(results) == 1 else tuple(results)

    def extra_repr(self) -> str:
        return ", ".join(code.function for code in self._codes)


def _like_the_first(x: Tensor, *others: Tensor) -> Tensor:
    return torch.empty_like(x)


def _options(flags: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Flags as options of single functions and definitions."""
    options, defines = [], {}
    for flag in flags:
        if flag.startswith("-D") and _NAME.fullmatch(flag[2:].partition("=")[0]):
            name, _, value = flag[2:].partition("=")
            defines[name] = value or "1"
        elif re.fullmatch(r"-[Of][\w=.-]*", flag):
            options.append(flag[1:])
        else:
            raise ConfigError(f"the flag {flag!r} is not taken", remedy="-D, -O and -f are: what a function alone can be compiled with")
    return tuple(options), defines


def _with_defines(text: str, defines: Mapping[str, str], title: str) -> str:
    """The text behind its definitions, with its own numbers of lines."""
    for name in defines:
        if not _NAME.fullmatch(name):
            raise InputError(f"the constant {name!r} of {title} is no name in C")
    return "".join(f"#define {name} {value}\n" for name, value in defines.items()) + f'#line 1 "{title}.c"\n{text}'


def _with_headers(text: str, include: Mapping[str, str] | Sequence[str | Path], title: str, inside: tuple[str, ...] = ()) -> str:
    """The text with its own headers in the place of the lines that include them."""

    def found(match: re.Match[str]) -> str:
        name = match[1]
        if name in inside:
            return ""
        if isinstance(include, Mapping):
            header = include.get(name)
        else:
            path = next((Path(folder) / name for folder in include if (Path(folder) / name).is_file()), None)
            header = path.read_text() if path else None
        if header is None:
            raise InputError(f'the header "{name}" of {title} is not there', remedy="name its folder, or its text, with include=")
        line = text.count("\n", 0, match.start()) + 2
        where = inside[-1] if inside else f"{title}.c"
        return f'#line 1 "{name}"\n{_with_headers(header, include, title, (*inside, name))}\n#line {line} "{where}"'

    return _INCLUDE.sub(found, text)


@lru_cache(maxsize=KEPT)
def _compiled(code: Code, inputs: tuple[TensorType, ...], results: tuple[TensorType, ...]) -> Runner:
    """The code alone, as a network."""
    builder = GraphBuilder()
    values = [builder.input(f"x{i}", type) for i, type in enumerate(inputs)]
    made = builder.add("custom", values, types=results, **code.attrs)
    try:
        runner = Runner(builder.build([made] if isinstance(made, str) else list(made)), {}, title=code.title)
    except CompilerError as error:
        raise CompilerError(error.message, remedy=f"mend the source of {code.title}, whose lines the compiler names") from error
    runner.pack({})
    return runner


def _run(code: Code, inputs: Sequence[Tensor], results: Sequence[Tensor]) -> list[Tensor]:
    """In eager PyTorch: a compiled network of this one op."""
    types = [tuple(TensorType(dtype_of(x.dtype), tuple(x.shape)) for x in some) for some in (inputs, results)]
    return _compiled(code, *types)([x.detach() for x in inputs])


runners.append(_run)
