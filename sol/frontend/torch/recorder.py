"""Records the functions of PyTorch that Python code calls on tensors, as a graph such as Dynamo captures, in a fraction of the time.

The code runs once on fake tensors. Parameters and buffers stay in their places: where a function of PyTorch is given one, a fake tensor
stands in for it. What a record cannot hold raises `NotRecordableError`: numbers that depend on data, gradients with rules of their own
(``torch.autograd.Function``), hooks of tensors, regions under autocast or with hooks for what is saved, transforms of ``torch.func``.
"""

from __future__ import annotations

import linecache
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FrameType, FunctionType
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.autograd.graph import saved_tensors_hooks
from torch.overrides import TorchFunctionMode

from sol.errors import SolError
from sol.frontend.torch.lazy_modules import lazy_module
from sol.frontend.torch.noted import watched_function

_OPERATORS: Mapping[str, Callable[..., Any]] = {"__getitem__": operator.getitem, "__setitem__": operator.setitem}
_RENAMED: Mapping[Callable[..., Any], str] = {
    f: name for name, f in vars(torch.Tensor).items() if isinstance(f, FunctionType) and getattr(torch.Tensor, f.__name__, None) is not f
}
"""Methods of tensors whose functions bear another name: that of ``__pow__`` is called ``pow``, which a graph's text would not find."""
_TURNED = ("T", "mT", "H", "mH", "real", "imag")
"""Properties of tensors that are views of them."""
_PLAIN_PROPERTIES = frozenset(
    "shape dtype device layout ndim requires_grad is_leaf names itemsize nbytes is_cpu is_cuda is_mps is_xpu is_meta is_sparse "
    "is_sparse_csr is_quantized is_mkldnn is_nested".split()
)
"""Properties that do not depend on numbers."""
_QUERIES = frozenset(
    "size dim stride numel nelement ndimension storage_offset is_contiguous is_floating_point is_complex is_conj is_neg is_signed "
    "is_inference element_size get_device is_same_size is_tensor is_storage result_type can_cast promote_types finfo iinfo "
    "__len__ __hash__ is_grad_enabled get_default_dtype _assert".split()
)
"""Functions that tell what does not depend on numbers."""
_NUMBERS = frozenset("item tolist __bool__ __int__ __float__ __index__ __complex__".split())
"""Functions that tell numbers, which are known of constants alone."""
_REFUSED = frozenset(
    "backward grad register_hook register_post_accumulate_grad_hook retain_grad requires_grad_ detach_ set_ resize_ resize_as_ "
    "share_memory_ __deepcopy__ __reduce_ex__ __reduce__ as_subclass apply_ map_ map2_ numpy __array__ __dlpack__ data_ptr "
    "untyped_storage storage".split()
)
"""Functions whose effect is not on numbers, or that tell of memory."""
_CONSTANTS = (bool, int, float, complex, str, type(None), type(Ellipsis), torch.dtype, torch.device, torch.layout, torch.memory_format)
_SET_GRADIENTS = torch._C._set_grad_enabled
_CALL = torch.nn.Module._call_impl.__code__


class NotRecordableError(SolError):
    """Code that no record of calls stands for."""


class Recorder:
    """Records a function of tensors, once.

    held: tensors that it may use besides its arguments. paths: of modules, by identity. ``inputs``: of what is held, what the graph takes
    after the arguments, in order. ``module``: the graph; its nodes keep example values, and which layer and line they are of.
    """

    def __init__(self, held: Iterable[torch.Tensor], paths: Mapping[int, str]) -> None:
        self._held, self._paths = {id(t): t for t in held}, paths
        self._fakes: dict[int, torch.Tensor] = {}  # of what is held, by identity
        self._nodes: dict[int, fx.Node] = {}  # by identity of fake tensors
        self._alive: list[Any] = []  # so that no identity is given twice
        self._graph = fx.Graph()
        self._last: fx.Node | None = None  # placeholder
        self._mode = _Fakes(self)
        self._failure: Exception | None = None
        self.is_inside = True  # of a function that is recorded, or of what is done for the record
        self._state: tuple[Any, ...] = ()
        self._top: FrameType | None = None
        self.inputs: list[torch.Tensor] = []
        self.module: fx.GraphModule

    def record(self, function: Callable[..., Sequence[Any]], arguments: Sequence[torch.Tensor]) -> None:
        """Record a call. function: gives the tensors that are its results.

        Raises NotRecordableError, and what the function raises.
        """
        fakes = [self._place(f"argument{i}", tensor) for i, tensor in enumerate(arguments)]
        self._top, self.is_inside = sys._getframe(), False
        try:
            with self._mode, _Functions(self), saved_tensors_hooks(_same, _same):  # the caller's hooks see no fake tensors
                self._state = _state()
                results = function(*fakes)
                self._check_state()
        except Exception as error:
            raise self._failure or error from None
        finally:
            self._top, self.is_inside = None, True
        if self._failure is not None:  # which the code has caught
            raise self._failure
        nodes = [self._node(r) for r in results]
        if len(set(map(id, results))) < len(nodes) or any(n.op == "placeholder" for n in nodes):
            raise NotRecordableError("a result is an input, a parameter or another result")
        self._graph.output(tuple(nodes))
        for node in reversed(self._graph.nodes):
            if node.target is operator.getitem and "part" in node.meta and not node.users:
                self._graph.erase_node(node)
        self.module = lazy_module(torch.nn.Module(), self._graph)

    def call(self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A function of PyTorch was called."""
        self.is_inside = True
        try:
            return self._called(function, args, kwargs)
        except Exception as error:  # which the code may catch
            self.note(error)
            raise
        finally:
            self.is_inside = False

    def note(self, failure: Exception) -> None:
        """Something was done that no record holds: the code goes on, and ``record`` raises this at its end."""
        self._failure = self._failure or failure

    def _called(self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        self._check_state()
        name = getattr(function, "__name__", "")
        values, given = zip(*map(self._taken, args)) if args else ((), ())
        named = {k: self._taken(v) for k, v in kwargs.items()}
        keywords = {k: v for k, (v, _) in named.items()}
        if name == "__get__":
            return self._property(function, values, given)
        if name in _REFUSED or name == "__set__":
            raise NotRecordableError(f"the model calls {name}")
        result = _LIKE.get(function, function)(*values, **keywords)
        if function is _SET_GRADIENTS:
            self._state = _state()
        elif not _has_tensors(result) and name != "__setitem__":
            if name in _QUERIES or name in _NUMBERS:
                return result
            raise NotRecordableError(f"{name} gives a {type(result).__name__}")
        self._add(function, given, {k: n for k, (_, n) in named.items()}, result)
        return result

    def _property(self, function: Any, values: Sequence[Any], given: Sequence[Any]) -> Any:
        name = getattr(getattr(function, "__self__", None), "__name__", "")
        if name in _PLAIN_PROPERTIES:
            return function(*values)
        if name not in _TURNED:
            raise NotRecordableError(f"the model reads {name} of a tensor")
        result = function(*values)
        self._add(getattr, (given[0], name), {}, result)
        return result

    def _check_state(self) -> None:
        if _state() != self._state:
            raise NotRecordableError("the model sets a mode of torch that no record holds")

    # the graph

    def _add(self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        function = watched_function(function)
        name = _RENAMED.get(function, getattr(function, "__name__", ""))
        if name in _OPERATORS:
            node = self._graph.call_function(_OPERATORS[name], tuple(args), dict(kwargs))
        elif getattr(torch.Tensor, name, None) == function:  # methods of C are made anew each time that they are asked for
            node = self._graph.call_method(name, tuple(args), dict(kwargs))
        else:
            node = self._graph.call_function(function, tuple(args), dict(kwargs))
        self._place_in_code(node)
        self._know(result, node)

    def _know(self, value: Any, node: fx.Node) -> None:
        """A node's value, or a part of it."""
        node.meta["example_value"] = value
        if isinstance(value, torch.Tensor):
            if not isinstance(value, FakeTensor):
                raise NotRecordableError(f"a function of PyTorch gives a {type(value).__name__}")
            self._nodes[id(value)] = node
            self._alive.append(value)
        elif isinstance(value, (tuple, list)):
            for i, part in enumerate(value):
                if part is not None:
                    item = self._graph.call_function(operator.getitem, (node, i))
                    item.meta.update({k: v for k, v in node.meta.items() if k != "example_value"}, part=True)
                    self._know(part, item)

    def _place(self, name: str, tensor: torch.Tensor) -> torch.Tensor:
        """A placeholder for a tensor, behind those that there are; the fake tensor that stands in for it."""
        first = next(iter(self._graph.nodes), None) if self._last is None else self._last.next
        with self._graph.inserting_before(first):
            node = self._graph.placeholder(name)
        self._last = node
        fake = self._like(tensor)
        self._know(fake, node)
        return fake

    def _like(self, tensor: torch.Tensor) -> torch.Tensor:
        """A fake tensor of the same kind; for most in a quarter of the time that torch's own way takes."""
        if tensor._is_view() or not tensor.is_leaf or tensor.layout is not torch.strided or tensor.is_conj() or tensor.is_neg():
            return self._mode.from_tensor(tensor, static_shapes=True)
        with self._mode:
            return torch.empty_strided(
                tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device, requires_grad=tensor.requires_grad
            )

    def _node(self, fake: Any) -> fx.Node:
        node = self._nodes.get(id(fake))
        if node is None:
            raise NotRecordableError("a tensor comes from elsewhere than PyTorch's functions")
        return node

    def _taken(self, value: Any) -> tuple[Any, Any]:
        """An argument as functions on fake tensors take it, and as nodes of the graph do."""
        if isinstance(value, torch.Tensor):
            fake = value if isinstance(value, FakeTensor) else self._stand_in(value)
            return fake, self._node(fake)
        kind = type(value)
        if kind in _CONSTANTS:
            return value, value
        if kind in (tuple, list, torch.Size) or isinstance(value, tuple) and type(value).__module__ == "torch.return_types":
            values, nodes = zip(*map(self._taken, value)) if value else ((), ())
            return (list(values), list(nodes)) if kind is list else (values, nodes)
        if kind is dict and all(type(k) is str for k in value):
            parts = {k: self._taken(v) for k, v in value.items()}
            return {k: v for k, (v, _) in parts.items()}, {k: n for k, (_, n) in parts.items()}
        if kind is slice:
            ends, nodes = zip(*map(self._taken, (value.start, value.stop, value.step)))
            return slice(*ends), slice(*nodes)
        raise NotRecordableError(f"a function of PyTorch is given a {kind.__name__}")

    def _stand_in(self, tensor: torch.Tensor) -> torch.Tensor:
        """The fake tensor for one that is held."""
        fake = self._fakes.get(id(tensor))
        if fake is None:
            if id(tensor) not in self._held:
                raise NotRecordableError("the model uses a tensor that is neither its parameter nor its buffer")
            fake = self._fakes[id(tensor)] = self._place(f"held{len(self.inputs)}", tensor)
            self.inputs.append(tensor)
        return fake

    def _place_in_code(self, node: fx.Node) -> None:
        """Note the innermost layer, and the innermost line in torch and outside of it."""
        frame: FrameType | None = sys._getframe(1)
        inner = outer = found = ""
        while frame is not None and frame.f_code.co_filename == __file__:
            frame = frame.f_back
        while frame is not None and frame is not self._top:
            code = frame.f_code
            if code is _CALL and not found:
                module = frame.f_locals.get("self")
                path = self._paths.get(id(module))
                if path is not None:
                    found = path
                    node.meta["nn_module_stack"] = {f"L__self___{path}": (path, type(module))}
            own = "/torch/" in code.co_filename
            if own and not inner and code is not _CALL:
                inner = _line(frame)
            if not own and not outer:
                outer = _line(frame)
            if found and outer:
                break
            frame = frame.f_back
        node.meta["stack_trace"] = outer + inner


class _Functions(TorchFunctionMode):
    """Hands a recorder all functions that are called. A function that sees Python's own calls does not see what happens in there."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        watching = sys.getprofile()
        sys.setprofile(None)
        try:
            return self._recorder.call(func, args, kwargs or {})
        finally:
            sys.setprofile(watching)


class _Fakes(FakeTensorMode):
    """Fake tensors of a recorder, on which nothing should be computed but by functions that it is handed.

    What else is computed is noted; to raise here would end the process where C++ calls from what must not fail.
    """

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not self._recorder.is_inside:
            self._recorder.note(NotRecordableError(f"{func} is called out of sight"))
        return super().__torch_dispatch__(func, types, args, kwargs)


def _normalised(x: torch.Tensor, mean: Any, variance: Any, weight: Any = None, bias: Any = None, *_: Any, **__: Any) -> torch.Tensor:
    """A tensor like the result of batch normalisation, of which torch takes apart the whole formula to learn that."""
    learned = next((p for p in (weight, bias) if p is not None and p.requires_grad), None)
    return x.clone() if learned is None else x + learned.sum()


_LIKE: Mapping[Any, Callable[..., Any]] = {torch.nn.functional.batch_norm: _normalised}
"""Functions whose results' kinds are told by others, faster."""


def _same(value: Any) -> Any:
    return value


def _has_tensors(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_has_tensors, value))
    return isinstance(value, torch.Tensor)


def _state() -> tuple[Any, ...]:
    """Modes of torch that change what functions do, and that a graph does not show."""
    return (
        torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"),
        torch._C._functorch.peek_interpreter_stack() is None, torch._C._autograd._top_saved_tensors_default_hooks(True),
        torch.get_default_dtype(),
    )  # fmt: skip


def _line(frame: FrameType) -> str:
    code, number = frame.f_code, frame.f_lineno
    text = linecache.getline(code.co_filename, number).strip()
    return f'  File "{code.co_filename}", line {number}, in {code.co_name}\n    {text}\n'
