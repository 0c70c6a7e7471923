"""Which sizes and numbers of a call may differ at other calls: what the caller says, leaf by leaf."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import torch

from sol.errors import InputError
from sol.frontend.torch.capture import Call
from sol.frontend.trees import Group, Leaf, Tree


def leaf_shapes(module: torch.nn.Module, call: Call, dynamic_shapes: Any) -> dict[int, dict[int, Any]]:
    """``dynamic_shapes``, given as torch.export takes them, for each leaf: dimension → what torch.export takes for it.

    Raises InputError where they do not fit the arguments.
    """
    if dynamic_shapes is None:
        return {}
    args, kwargs = call.tree.parts
    assert isinstance(args, Group) and isinstance(kwargs, Group)
    if hasattr(dynamic_shapes, "dynamic_shapes"):  # torch.export.ShapesCollection and AdditionalInputs
        raise InputError(f"dynamic_shapes is a {type(dynamic_shapes).__name__}", remedy="give its .dynamic_shapes(model, args, kwargs)")
    named = _by_name(module, args, dict(zip(kwargs.keys, kwargs.parts)))
    found: dict[int, dict[int, Any]] = {}
    if isinstance(dynamic_shapes, Mapping):
        pairs = [(tree, dynamic_shapes.get(name), name) for name, tree in named.items()]
        unknown = [name for name in dynamic_shapes if name not in named]
    else:
        pairs = [(tree, spec, name) for (name, tree), spec in zip(named.items(), dynamic_shapes)]
        unknown = [len(named)] if len(dynamic_shapes) > len(named) else []
    if unknown:
        raise _misfit(unknown[0], f"the arguments are {', '.join(named)}")
    for tree, spec, name in pairs:
        _enter(tree, spec, name, found, call)
    return found


def _by_name(module: torch.nn.Module, args: Group, kwargs: Mapping[str, Tree]) -> dict[str, Tree]:
    """Arguments by the names of the parameters of forward; those of ``*args`` stay together."""
    names: dict[str, Tree] = {}
    rest = list(args.parts)
    function = getattr(module, "plain_function", module.forward)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            if rest:
                names[parameter.name] = Group(tuple, "sequence", (), tuple(rest), -1)
            rest = []
        elif rest and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names[parameter.name] = rest.pop(0)
        elif parameter.name in kwargs:
            names[parameter.name] = kwargs[parameter.name]
    return {**names, **kwargs}


def _enter(tree: Tree, spec: Any, path: str, found: dict[int, dict[int, Any]], call: Call) -> None:
    """Write down what a specification says about the leaves of a tree."""
    if spec is None:
        return
    if isinstance(tree, Leaf):
        leaf = call.leaves[tree.index]
        if isinstance(leaf, torch.Tensor):
            found[tree.index] = _dims(spec, leaf, path)
        return
    if not isinstance(tree, Group):
        raise _misfit(path, "there is no tensor")
    if isinstance(spec, Mapping) and tree.how != "sequence":
        keys = tree.keys if isinstance(tree.keys, (tuple, list)) else range(len(tree.parts))
        pairs = [(part, spec.get(key), key) for key, part in zip(keys, tree.parts)]
    elif isinstance(spec, (list, tuple)) and len(spec) == len(tree.parts):
        pairs = [(part, s, i) for i, (part, s) in enumerate(zip(tree.parts, spec))]
    else:
        raise _misfit(path, f"there is a {tree.kind.__name__} of {len(tree.parts)}")
    for part, s, key in pairs:
        _enter(part, s, f"{path}[{key!r}]", found, call)


def _dims(spec: Any, tensor: torch.Tensor, path: str) -> dict[int, Any]:
    items = dict(spec) if isinstance(spec, Mapping) else dict(enumerate(spec)) if isinstance(spec, (list, tuple)) else None
    if items is None or any(not -tensor.dim() <= d < tensor.dim() for d in items):
        raise _misfit(path, f"there is a tensor of shape {list(tensor.shape)}")
    fixed = (None, torch.export.Dim.STATIC)
    return {d % tensor.dim(): dim for d, dim in items.items() if not (dim in fixed or isinstance(dim, int))}


def without_small(call: Call, shapes: Mapping[int, Mapping[int, Any]]) -> tuple[dict[int, dict[int, Any]], list[str]]:
    """The same without dimensions that have size 0 or 1 in the example, which torch always takes as fixed, and what was left out."""
    small = {(leaf, d) for leaf, dims in shapes.items() for d in dims if call.leaves[leaf].shape[d] < 2}
    roots = {id(_root(shapes[leaf][d])) for leaf, d in small}
    kept: dict[int, dict[int, Any]] = {}
    names = []
    for leaf, dims in shapes.items():
        for d, dim in dims.items():
            if (leaf, d) in small or (id(_root(dim)) in roots and hasattr(dim, "__name__")):
                names.append(f"{getattr(dim, '__name__', f'dimension {d}')} = {call.leaves[leaf].shape[d]}")
            else:
                kept.setdefault(leaf, {})[d] = dim
    return kept, list(dict.fromkeys(names))


def _root(dim: Any) -> Any:
    """The dimension that a derived one is computed from."""
    return getattr(dim, "root", dim)


def _misfit(path: Any, what: str) -> InputError:
    return InputError(f"dynamic_shapes does not fit at {path}: {what}", remedy="give one entry per argument, as torch.export takes them")
