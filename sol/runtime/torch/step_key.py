"""What the forward and the backward graph of a captured piece follow from, as text: two pieces with the same text have the same graphs.

Dynamo's graph says which operations of PyTorch run on which inputs, with all numbers written into it. Beside it count the types of the
inputs, the settings of torch that its tracer reads, the knobs of sol, and the code of both. A piece that holds anything else (tensors and
functions of its own, operations of users, higher-order operations, modes of torch that see each operation) has no such text.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import math
import operator
import platform
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch.fx.immutable_collections import immutable_dict, immutable_list

from sol.build.cache import key_of
from sol.build.plans import stamp_of
from sol.config import config
from sol.errors import SolError
from sol.frontend.torch.imported_text import operation_name

KIND = "step"
STAGES = ("frontend", "ir", "passes", "codegen", "runtime", "config.py")
"""Files and folders of the package whose code decides what a kept step holds."""
_DECIDING = ("recompute", "ac_graph_id", "custom", "partitioner_tag")
"""What annotations of nodes tell the partitioner."""


class NoTextError(SolError):
    """A piece of which no text tells all that decides."""


def step_key(module: fx.GraphModule, parameters: Collection[int], inputs: Sequence[Any], options: Mapping[str, Any]) -> str:
    """The key in the cache of a piece for such inputs. parameters: those of them that are the same at each call. options: isa and threads.

    Raises NoTextError for a piece of which no text tells all that decides.
    """
    given = repr({name: options.get(name) for name in ("isa", "threads")})
    parts = [*_versions(), repr(config), given, *_settings(), *_graph_lines(module), repr(sorted(parameters)), *_input_lines(inputs)]
    return key_of(KIND, *parts)


def _versions() -> Iterator[str]:
    yield f"{sys.version} {platform.machine()} {torch.__version__} {torch.version.git_version} {torch.backends.cpu.get_cpu_capability()}"
    yield stamp_of(STAGES)


def _settings() -> Iterator[str]:
    """The state of torch that a trace reads."""
    modes = torch._C._len_torch_dispatch_stack() + torch._C._len_torch_function_stack()
    if modes or torch._C._functorch.peek_interpreter_stack() is not None:
        raise NoTextError("a mode of torch sees each operation")
    if torch._C._autograd._top_saved_tensors_default_hooks(True) is not None:
        raise NoTextError("hooks see what is saved for the backward pass")
    yield repr((torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.is_autocast_cache_enabled()))
    yield repr((torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.get_default_dtype(), str(torch.get_default_device())))
    yield repr((torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()))
    yield repr(torch.utils.deterministic.fill_uninitialized_memory)  # type: ignore[attr-defined]
    cuda = torch.backends.cuda
    yield repr((cuda.flash_sdp_enabled(), cuda.mem_efficient_sdp_enabled(), cuda.math_sdp_enabled(), cuda.cudnn_sdp_enabled()))
    yield repr((torch.backends.mkldnn.enabled, torch.get_float32_matmul_precision()))
    settings = get_settings()
    yield _text({name: settings[name] for name in sorted(settings)})


def get_settings() -> dict[str, Any]:
    """The knobs of AOTAutograd and its partitioner."""
    import torch._functorch.config as functorch  # what takes long to import is imported where it is needed

    settings: dict[str, Any] = functorch.get_config_copy()  # type: ignore[attr-defined]
    return settings


# The graph that Dynamo captured


def _graph_lines(module: fx.GraphModule) -> Iterator[str]:
    if any(True for _ in module.parameters()) or any(True for _ in module.buffers()):
        raise NoTextError("the piece holds tensors of its own")
    for node in module.graph.nodes:
        if any(node.meta.get(name) is not None for name in _DECIDING):
            raise NoTextError(f"{node.name} is annotated for the partitioner")
        yield f"{node.name} {node.op} {_target(node)} {_text(node.args)} {_text(dict(node.kwargs))}"
        stack = node.meta.get("nn_module_stack") or {}
        yield repr([str(path) for path, _ in stack.values()])
        yield node.meta.get("stack_trace") or ""


def _target(node: fx.Node) -> str:
    """A name that stands for one function."""
    if node.op in ("placeholder", "output"):
        return str(node.target)
    if node.op == "call_method" and isinstance(node.target, str):
        if inspect.getattr_static(torch.Tensor, node.target, None) is None:
            raise NoTextError(f"tensors have no method {node.target}")
        return _function_name(getattr(torch.Tensor, node.target))
    if node.op == "call_function":
        return _function_name(node.target)
    raise NoTextError(f"{node.name} is a {node.op}")


def _function_name(function: Any) -> str:
    if isinstance(function, torch._ops.OpOverload):
        try:
            return operation_name(function)
        except SolError as error:
            raise NoTextError(error.message) from None
    name = _names().get(id(function))
    if name is None:
        raise NoTextError(f"{function} is no function of PyTorch's or Python's own")
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    if code is not None and not code.co_filename.startswith(_folder()):
        raise NoTextError(f"{name} is defined in {code.co_filename}")
    return name


@functools.cache
def _folder() -> str:
    return str(torch.__file__).removesuffix("__init__.py")


@functools.cache
def _names() -> dict[int, str]:
    """Functions that captured graphs call, by identity. They live as long as their modules."""
    libraries: list[Any] = [torch, torch.nn.functional, torch._C._nn, torch.Tensor, torch.special, torch.linalg, torch.fft]
    own = ("_set_grad_enabled", "_log_api_usage_once")
    found: dict[int, str] = {id(getattr(torch._C, name)): f"torch._C.{name}" for name in own}
    for place in (builtins, math, operator, *reversed(libraries)):
        for name in dir(place):
            function = inspect.getattr_static(place, name, None)
            for one in (function, getattr(place, name, None)):
                if callable(one) and not inspect.isclass(one):
                    found[id(one)] = f"{place.__name__}.{name}"
    return found


def _text(value: Any) -> str:
    """An argument as text from which it could be made again."""
    if isinstance(value, fx.Node):
        return f"%{value.name}"
    if type(value) in (tuple, list, immutable_list):
        return f"{type(value).__name__}({', '.join(map(_text, value))})"
    if type(value) in (dict, immutable_dict):
        return f"dict({', '.join(f'{_text(k)}: {_text(v)}' for k, v in value.items())})"
    if isinstance(value, slice):
        return f"slice({_text(value.start)}, {_text(value.stop)}, {_text(value.step)})"
    if isinstance(value, torch.Size):
        return f"size{tuple(value)}"
    plain = (bool, int, float, complex, str, type(None), type(Ellipsis), torch.dtype, torch.device, torch.layout, torch.memory_format)
    if type(value) in plain:
        return f"{type(value).__name__} {value!r}"
    raise NoTextError(f"an argument is a {type(value).__name__}")


# The inputs


def _input_lines(inputs: Sequence[Any]) -> Iterator[str]:
    storages: set[int] = set()
    for x in inputs:
        if type(x) not in (torch.Tensor, torch.nn.Parameter) or x.layout is not torch.strided or not x.is_cpu:
            raise NoTextError(f"an input is a {type(x).__name__}")
        if x.is_conj() or x.is_neg() or x.is_quantized or x.is_inference():
            raise NoTextError("an input is no plain tensor")
        place = x.untyped_storage().data_ptr()
        if place in storages:
            raise NoTextError("two inputs share memory")
        if place:
            storages.add(place)
        yield repr((type(x).__name__, x.dtype, tuple(x.shape), x.stride(), x.storage_offset(), x.requires_grad, x.is_leaf, x._is_view()))
