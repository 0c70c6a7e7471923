"""Models as users give them → what is deployed: torch modules and exported programs, ONNX files, compiled modules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sol.errors import InputError, TypeInferenceError, UnsupportedError
from sol.frontend.imported import Imported, OutputLeaf
from sol.frontend.torch.program_file import is_program_file, load_program
from sol.ir.rewrite import with_outputs
from sol.ir.types import DType, TensorType

if TYPE_CHECKING:
    import torch

    from sol.frontend.onnx.context import NeedsValue
    from sol.frontend.onnx.loader import LoadedModel


Shapes = Mapping[str, Sequence["int | str"]]


def network_of(
    model: Any, inputs: Any, dynamic_shapes: Any = None, constants: Mapping[str, Any] | None = None, *, shapes: Shapes | None = None,
    smallest: int = 1,
) -> Imported:  # fmt: skip
    """Any model that can be deployed as a graph whose parameters are arrays and whose inputs and outputs have names.

    model: nn.Module, SolModule, ExportedProgram or the path of a ``.pt2`` file; ModelProto, its bytes or the path of an ``.onnx`` file;
        or an Imported. inputs: example inputs; may be None where the model says its own shapes.
    constants: for ONNX, contents of graph inputs that are to be fixed. shapes: for ONNX, shapes of inputs in which numbers fix sizes and
    names leave them open. smallest: what an open size can be at least.
    Raises InputError, ExportError or UnsupportedError.
    """
    if isinstance(model, Imported):
        return model
    if isinstance(model, (str, Path)):
        path = Path(model)
        if not path.is_file():
            raise InputError(f"there is no file {path}")
        if not is_program_file(path):
            return _from_onnx(path, path.stem, inputs, dynamic_shapes, constants, shapes, smallest)
        model = load_program(path)
        return _from_program(model, path.stem, smallest)
    if isinstance(model, bytes) or type(model).__name__ == "ModelProto":
        return _from_onnx(model, "network", inputs, dynamic_shapes, constants, shapes, smallest)
    if type(model).__name__ == "ExportedProgram":
        return _from_program(model, "network", smallest)
    if hasattr(model, "state_dict"):
        return _from_module(model, inputs, dynamic_shapes, smallest)
    raise InputError(
        f"a {type(model).__name__} cannot be deployed",
        remedy="give an nn.Module, a torch.export program, an ONNX model, or the path of a .pt2 or .onnx file",
    )


# -- torch -------------------------------------------------------------------------------------------------------------


def _from_module(model: Any, inputs: Any, dynamic_shapes: Any, smallest: int) -> Imported:
    from sol.frontend.torch.export import import_module
    from sol.runtime.torch.inputs import as_call, check_inputs, check_model
    from sol.runtime.torch.module import SolModule
    from sol.runtime.torch.ways import Options

    if inputs is None:
        raise InputError("an nn.Module needs example inputs", remedy="give sol.deploy(model, [tensor, ...])")
    options = Options()
    if isinstance(model, SolModule):
        dynamic_shapes = model._options.dynamic_shapes if dynamic_shapes is None else dynamic_shapes
        options, model = model._options, model._model
    args, kwargs = as_call(inputs)
    check_inputs(args, kwargs)
    check_model(model)
    whole = import_module(model, args, kwargs, dynamic_shapes, smallest=smallest, torch_at_hand=False)
    imported = options.applied(whole, matrix_tiles=False)  # for any processor

    def tensor(target: str) -> torch.Tensor:
        owner, _, name = target.rpartition(".")
        return getattr(model.get_submodule(owner) if owner else model, name)

    named = _dim_names(dynamic_shapes, args, kwargs)
    return replace(_deployable(imported, tensor, type(model).__name__), sizes=named)


def _dim_names(dynamic_shapes: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[tuple[int, int], str]:
    """Input and dimension → the name of its torch.export.Dim, where all arguments are tensors."""
    from torch import Tensor

    arguments = [*args, *kwargs.values()]
    if isinstance(dynamic_shapes, Mapping):
        dynamic_shapes = [dynamic_shapes.get(name) for name in kwargs] if kwargs else list(dynamic_shapes.values())
    if not isinstance(dynamic_shapes, (list, tuple)) or not all(isinstance(a, Tensor) for a in arguments):
        return {}
    found = {}
    for index, spec in enumerate(dynamic_shapes):
        pairs = spec.items() if isinstance(spec, Mapping) else enumerate(spec) if isinstance(spec, (list, tuple)) else ()
        found.update({(index, d): size.__name__ for d, size in pairs if isinstance(getattr(size, "__name__", None), str)})
    return found


def _from_program(program: Any, title: str, smallest: int) -> Imported:
    from sol.frontend.torch.export import import_exported

    imported = import_exported(program, smallest=smallest, torch_at_hand=False)
    return _deployable(imported, lambda target: program.state_dict[target], title)


def _deployable(imported: Imported, tensor: Callable[[str], torch.Tensor], title: str) -> Imported:
    """An import of torch with every result that is computed, and every input that is a result, as an output of the graph.

    tensor: target → the module's tensor.
    """
    from sol.runtime.torch.tensors import numpy_of

    for mutation in imported.mutations:
        raise UnsupportedError(
            f"the model changes its {mutation.kind} {mutation.target} in place, which a library does not do",
            remedy="make the new state an output and the old one an input",
        )
    graph = imported.graph
    wanted: list[str] = []
    leaves: list[OutputLeaf] = []
    for leaf in imported.outputs:
        if leaf.kind in ("tensor", "item", "input"):
            leaves.append(OutputLeaf("item" if leaf.kind == "item" else "tensor", len(wanted)))
            wanted.append((graph.inputs if leaf.kind == "input" else graph.outputs)[leaf.index])
        else:
            leaves.append(leaf)

    def parameter(target: str) -> np.ndarray:
        found = imported.parameters.get(target)
        return numpy_of(tensor(target) if found is None else found)

    return replace(
        imported, graph=with_outputs(graph, wanted), outputs=tuple(leaves), title=title, input_names=graph.inputs,
        output_names=tuple(f"output{i}" for i in range(len(wanted))), parameters=_Arrays(graph.parameter_targets, parameter),
    )  # fmt: skip


class _Arrays(Mapping[str, np.ndarray]):
    """Parameters as arrays, which are made when they are asked for and not kept."""

    def __init__(self, targets: Sequence[str], array: Callable[[str], np.ndarray]) -> None:
        self._targets, self._array = dict.fromkeys(targets), array

    def __getitem__(self, target: str) -> np.ndarray:
        if target not in self._targets:
            raise KeyError(target)
        return self._array(target)

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)


# -- ONNX --------------------------------------------------------------------------------------------------------------


def _from_onnx(
    model: Any, title: str, inputs: Any, dynamic_shapes: Any, constants: Mapping[str, Any] | None, shapes: Shapes | None, smallest: int
) -> Imported:
    """An ONNX model; sizes that it names stay open unless example inputs or shapes fix them."""
    from sol.frontend.onnx import import_model, load_model
    from sol.frontend.onnx.context import NeedsValue
    from sol.frontend.onnx.sizes import size_names, with_sizes

    if dynamic_shapes is not None:
        raise InputError("dynamic_shapes is for torch modules", remedy="an ONNX model names its open sizes itself (dim_param)")
    contents = {name: np.asarray(value) for name, value in (constants or {}).items()}
    loaded = with_sizes(with_sizes(load_model(model), shapes or {}), {name: array.shape for name, array in contents.items()})
    names = [i.name for i in loaded.inputs]
    signatures = {} if inputs is None else _signatures(inputs, [n for n in names if n not in contents])
    try:
        imported = import_model(loaded, signatures, contents, smallest=smallest)
    except NeedsValue as needed:
        raise _must_be_known(needed, loaded) from None
    except TypeInferenceError as error:
        raise TypeInferenceError(error.message, origin=error.origin, remedy=error.remedy or _fixing(error.message, loaded)) from error

    def parameter(target: str) -> np.ndarray:
        array = imported.parameters[target]
        held = DType.from_numpy(array.dtype).numpy
        return array if array.dtype == held else array.astype(held)

    places = {name: i for i, name in enumerate(imported.input_names)}
    sizes = {(places[name], d): text for (name, d), text in size_names(loaded).items() if name in places}
    return replace(imported, title=title, parameters=_Arrays(imported.graph.parameter_targets, parameter), sizes=sizes)


def _must_be_known(needed: NeedsValue, loaded: LoadedModel) -> UnsupportedError:
    """The error for a content or size that a library cannot leave open."""
    from sol.frontend.onnx.sizes import open_sizes

    remedies = [f"give its content with constants={{{name!r}: array}}" for name in needed.inputs[:1]]
    texts = [f"the content of {name}" for name in needed.inputs]
    known = open_sizes(loaded)
    for symbol in needed.symbols:
        if symbol in known:
            texts.append(f"the size {known[symbol].label}")
            remedies.append(_fixing(symbol, loaded))
        else:
            texts.append("a size that the model computes")
            remedies.append("give example inputs, which fix all sizes")
    return UnsupportedError(
        f"{needed.what} depends on {' and '.join(dict.fromkeys(texts))}, which a library must know when it is made", origin=needed.origin,
        remedy=" and ".join(dict.fromkeys(remedies)),
    )  # fmt: skip


def _fixing(text: str, loaded: LoadedModel) -> str:
    """How to fix the open size that a text speaks of last, where it says what does not fit; empty if it speaks of none."""
    from sol.frontend.onnx.sizes import open_sizes

    known = open_sizes(loaded)
    found = [known[word] for word in re.findall(r"\w+", text) if word in known]
    return f"fix the size with shapes={{{found[-1].input!r}: {found[-1].example}}}, for example" if found else ""


def _signatures(inputs: Any, names: list[str]) -> dict[str, Any]:
    """Types of the example inputs: one array, a list in the model's order, or a dict by name."""
    given = dict(inputs) if isinstance(inputs, Mapping) else dict(zip(names, inputs if isinstance(inputs, (list, tuple)) else [inputs]))
    return {name: _signature(value) for name, value in given.items()}


def _signature(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_signature(v) for v in value)
    if hasattr(value, "detach"):  # a tensor of torch, which has types that numpy lacks
        from sol.frontend.torch.aten import dtype_of

        return TensorType(dtype_of(value.dtype), tuple(value.shape))
    array = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    return TensorType(DType.from_numpy(array.dtype), array.shape)
