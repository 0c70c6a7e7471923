"""Python functions that take a call apart and put its result together, written for one import.

A call of a small module takes some microseconds, so what is known of the structure, types and sizes is spelled out as Python source and
compiled, instead of being interpreted at every call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from sol.errors import UnsupportedError
from sol.frontend.imported import Imported, InputLeaf, OutputLeaf, ViewStep
from sol.frontend.torch.strides import is_channels_last
from sol.frontend.torch.trees import is_same_value, slots_of
from sol.frontend.trees import Again, Fixed, Given, Group, Leaf, Tree
from sol.ir.dim import Dim, symbols
from sol.ir.types import TensorType
from sol.runtime.source import Source, is_spelled, python_of
from sol.runtime.torch.tensors import TORCH

Take = Callable[[tuple[Any, ...], Mapping[str, Any]], "tuple[tuple[torch.Tensor, ...], dict[str, int] | None] | None"]
Give = Callable[..., Any]


# -- arguments ---------------------------------------------------------------------------------------------------------


def take_function(imported: Imported, device: str = "cpu") -> Take:
    """A function of ``(args, kwargs)`` that gives the graph's inputs and the values of its symbols (None if it has none); None if the call
    is not one that the import holds for. device: the type of the device on which tensors lie."""
    return _Taking(imported, device).function


_NAMES = {
    "TENSOR": torch.Tensor, "PARAMETER": torch.nn.Parameter, "ARRAY": np.ndarray, "AS_TENSOR": lambda array: as_tensor(array),
    "STRIDED": torch.strided, "FLOAT": torch.float64, "INT": torch.int64, "SCALAR": torch.scalar_tensor,
    "IS_LAST": is_channels_last, "IS_SAME": is_same_value,
}  # fmt: skip


class _Taking:
    """Writes the function that takes calls of one import apart."""

    def __init__(self, imported: Imported, device: str) -> None:
        self.imported = imported
        self._elsewhere = "not {}.is_cpu" if device == "cpu" else f"{{}}.device.type != {device!r}"
        self.source = Source("def take(args, kwargs):")
        self.variables: dict[int, str] = {}  # group → variable
        self.leaves: dict[int, str] = {}
        self.tensors: dict[int, str] = {}  # graph input → variable
        source = self.source
        source.names.update(_NAMES)
        self._add("try:", 1)
        args, kwargs = imported.takes.parts
        assert isinstance(args, Group) and isinstance(kwargs, Group)
        self._add(f"if len(args) != {len(args.parts)} or len(kwargs) != {len(kwargs.parts)}: return None")
        for i, part in enumerate(args.parts):
            self._take(part, f"args[{i}]")
        for name, part in zip(kwargs.keys, kwargs.parts):
            self._take(part, f"kwargs[{name!r}]")
        env = self._sizes()
        self._add(f"return ({''.join(f'{self.tensors[i]}, ' for i in range(len(self.tensors)))}), {env}")
        self._add("except (KeyError, AttributeError, TypeError, ValueError, IndexError): return None", 1)
        self.function = source.function()

    def _add(self, line: str, depth: int = 2) -> None:
        self.source.add(line, depth)

    def _unless(self, condition: str, depth: int = 2) -> None:
        self._add(f"if {condition}: return None", depth)

    def _take(self, tree: Tree, expression: str) -> None:
        if isinstance(tree, Leaf):
            self._leaf(tree.index, expression)
        elif isinstance(tree, Fixed):
            self._constant(tree.value, expression)
        elif isinstance(tree, Again):
            self._unless(f"{expression} is not {self.variables[tree.number]}")
        else:
            assert isinstance(tree, Group)
            v = self.variables[tree.number] = self.source.variable()
            self._add(f"{v} = {expression}")
            self._unless(f"type({v}) is not {self.source.object(tree.kind)}")
            for part, inner in zip(tree.parts, self._opened(tree, v)):
                self._take(part, inner)

    def _opened(self, group: Group, v: str) -> list[str]:
        """Expressions for the parts of a container, once its own form is checked."""
        count = len(group.parts)
        if group.how == "sequence":
            self._unless(f"len({v}) != {count}")
            return [f"{v}[{i}]" for i in range(count)]
        if group.how == "mapping":
            keys = [self.source.literal(k) for k in group.keys]
            self._unless(f"len({v}) != {count}" + (f" or tuple({v}) != ({', '.join(keys)})" if count > 1 else ""))
            if group.kind is defaultdict:
                self._unless(f"{v}.default_factory is not {self.source.literal(group.extra)}")
            return [f"{v}[{k}]" for k in keys]
        if group.how == "registered":
            flat, context = self.source.variable(), self.source.variable()
            self._add(f"{flat}, {context} = {self.source.object(pytree.SUPPORTED_NODES[group.kind].flatten_fn)}({v})")
            self._add(f"{flat} = list({flat})")
            self._unless(f"len({flat}) != {count} or {context} != {self.source.object(group.keys)}")
            return [f"{flat}[{i}]" for i in range(count)]
        slots = slots_of(group.kind) if group.how == "object" else ()
        if group.how == "object" and not slots:
            inside = self.source.variable()
            self._add(f"{inside} = {v}.__dict__")
            self._unless(f"len({inside}) != {count}")
            return [f"{inside}[{k!r}]" for k in group.keys]
        return [f"{v}.{k}" for k in group.keys]

    def _constant(self, value: Any, expression: str) -> None:
        if value is None or value is True or value is False:
            self._unless(f"{expression} is not {value}")
        elif is_spelled(value):
            v = self.source.variable()
            self._add(f"{v} = {expression}")
            self._unless(f"type({v}) is not {type(value).__name__} or {v} != {value!r}")
        else:
            self._unless(f"not IS_SAME({expression}, {self.source.object(value)})")

    def _leaf(self, index: int, expression: str) -> None:
        leaf = self.imported.inputs[index]
        if leaf.kind == "constant":
            self._constant(leaf.value, expression)
            return
        v = self.leaves[index] = self.source.variable()
        self._add(f"{v} = {expression}")
        if leaf.kind == "parameter":
            return
        if leaf.kind in ("int", "float"):
            self._unless(f"type({v}) is not {leaf.kind}")
            tensor = self.tensors[leaf.index] = self.source.variable()
            self._add(f"{tensor} = SCALAR({v}, dtype={leaf.kind.upper()})")
        else:
            self._tensor(leaf, v)

    def _tensor(self, leaf: InputLeaf, v: str) -> None:
        self.tensors[leaf.index] = v
        graph = self.imported.graph
        type = graph.type_of(graph.inputs[leaf.index])
        self._add(f"if type({v}) is not TENSOR and type({v}) is not PARAMETER:")
        self._unless(f"type({v}) is not ARRAY", 3)
        self._add(f"{v} = AS_TENSOR({v})", 3)
        sizes = f"{v}.shape != {self.source.object(torch.Size(type.shape))}" if type.is_static else f"{v}.dim() != {type.rank}"  # type: ignore[arg-type]
        wrong = f"{sizes} or {v}.dtype is not {self.source.object(TORCH[type.dtype])}"
        self._unless(f"{wrong} or {self._elsewhere.format(v)} or {v}.layout is not STRIDED")
        layout = self.imported.layouts[leaf.index] if self.imported.layouts else None
        if layout is not None:
            self._unless(f"not {v}.is_contiguous()" if layout == "contiguous" else f"{v}.stride() != {layout!r}")
        formats = self.imported.formats
        if formats and formats[leaf.index] is not None:
            self._unless(f"not IS_LAST({v})" if formats[leaf.index] else f"not {v}.is_contiguous() and IS_LAST({v})")

    def _sizes(self) -> str:
        """Checks of symbolic sizes; the expression of their values."""
        imported, graph = self.imported, self.imported.graph
        if not imported.symbols and not imported.conditions:
            return "None"
        own = {i: graph.type_of(graph.inputs[i]) for i in self.tensors}
        known = {s.name: s for t in own.values() for d in t.shape for s in symbols(d)}
        for name, read in imported.symbols.items():
            if read.dim is None:
                self._add(f"{name} = {self.leaves[read.input]}")
                self._unless(f"not {read.lower} <= {name} <= {read.upper}")
            else:
                value = f"{self.tensors[read.input]}.shape[{read.dim}]"
                value = f"{value} - {read.offset}" if read.offset else value
                self._add(f"{name} = " + (f"({value}) // {read.scale}" if read.scale != 1 else value))
            if name in known and read.dim is not None:
                self._unless(f"not {known[name].lower} <= {name} <= {known[name].upper}")
        for index, type in own.items():
            if not type.is_static:
                self._symbolic_shape(self.tensors[index], type)
        for condition in imported.conditions:
            self._condition(condition)
        return "{" + ", ".join(f"{n!r}: {n}" for n in imported.symbols) + "}" if imported.symbols else "None"

    def _symbolic_shape(self, v: str, type: TensorType) -> None:
        sizes = "".join(f"{python_of(d)}, " for d in type.shape)
        self._unless(f"{v}.shape != ({sizes})")

    def _condition(self, condition: str) -> None:
        from torch.fx.experimental.symbolic_shapes import SYMPY_INTERP

        self.source.names.update(SYMPY_INTERP, math=__import__("math"), inf=float("inf"))
        for index, v in self.leaves.items():
            condition = condition.replace(f"leaf[{index}]", v)
        self._unless(f"not ({condition})")


def as_tensor(array: np.ndarray) -> torch.Tensor:
    """A tensor on the memory of an array, or on a copy where torch cannot share it."""
    if not array.flags.writeable or any(s < 0 for s in array.strides):
        array = array.copy()
    return torch.from_numpy(array)


# -- results -----------------------------------------------------------------------------------------------------------


def give_function(imported: Imported) -> Give | None:
    """A function ``(results, env, tensors, held, args, kwargs)`` that gives the model's own result.

    results: graph outputs. env: values of symbols. tensors: the caller's graph inputs. held: name → the module's own tensor.
    None if the result is the first graph output itself.
    """
    only = imported.outputs == (OutputLeaf("tensor", 0),) and isinstance(imported.gives, Leaf)
    if only and not (imported.changes or imported.exchanges or imported.mutations):
        return None
    return _Giving(imported).function


class _Giving:
    """Writes the function that puts results of one import together."""

    def __init__(self, imported: Imported) -> None:
        self.imported = imported
        self.source = Source("def give(results, env, tensors, held, args, kwargs):")
        self.source.names.update(NEW=object.__new__, SET=object.__setattr__, MAKE_TUPLE=tuple.__new__, DEFAULTS=defaultdict)
        self.made: dict[int, str] = {}
        self.leaves: dict[OutputLeaf, str] = {}
        self.paths = dict(_paths(imported.takes))
        for number, _ in imported.changes:
            self._given(number)
        result = self._make(imported.gives)
        self._change()
        self.source.add(f"return {result}")
        self.function = self.source.function()

    def _make(self, tree: Tree) -> str:
        """An expression for what a tree stands for, once the lines before it have run."""
        if isinstance(tree, Leaf):
            return self._leaf(self.imported.outputs[tree.index])
        if isinstance(tree, Fixed):
            return self.source.literal(tree.value)
        if isinstance(tree, Given):
            return self._given(tree.number)
        if isinstance(tree, Again):
            return self.made[tree.number]
        if tree.how == "object":
            return self._object(tree)
        parts = [self._make(p) for p in tree.parts]
        v = self.made[tree.number] = self.source.assign(self._container(tree, parts))
        return v

    def _container(self, group: Group, parts: Sequence[str]) -> str:
        listed = "".join(f"{p}, " for p in parts)
        if group.kind is tuple:
            return f"({listed})"
        if group.kind is list:
            return f"[{listed}]"
        kind = self.source.object(group.kind)
        if group.kind is torch.Size:
            return f"{kind}(({listed}))"
        if group.how == "sequence":
            return f"MAKE_TUPLE({kind}, ({listed}))"
        if group.how == "registered":
            unflatten = self.source.object(pytree.SUPPORTED_NODES[group.kind].unflatten_fn)
            return f"{unflatten}([{listed}], {self.source.object(group.keys)})"
        if group.how == "fields":
            return f"{kind}({', '.join(f'{k}={p}' for k, p in zip(group.keys, parts))})"
        items = "{" + ", ".join(f"{self.source.literal(k)}: {p}" for k, p in zip(group.keys, parts)) + "}"
        if group.kind is dict:
            return items
        return f"DEFAULTS({self.source.literal(group.extra)}, {items})" if group.kind is defaultdict else f"{kind}({items})"

    def _object(self, group: Group) -> str:
        v = self.made[group.number] = self.source.assign(f"NEW({self.source.object(group.kind)})")
        for name, part in zip(group.keys, group.parts):
            self.source.add(f"SET({v}, {name!r}, {self._make(part)})")
        return v

    def _leaf(self, leaf: OutputLeaf) -> str:
        if leaf.kind == "constant":
            return self.source.literal(leaf.value)
        found = self.leaves.get(leaf)
        if found is None:
            found = self.leaves[leaf] = self.source.assign(self._tensor(leaf))
        return found

    def _tensor(self, leaf: OutputLeaf) -> str:
        if leaf.kind == "size":
            return self.source.object(_sized(leaf.value)) + "(env)"
        if leaf.kind == "item":
            return f"results[{leaf.index}].item()"
        if leaf.views:
            base = self._leaf(OutputLeaf(leaf.kind, leaf.index, leaf.value, leaf.views[:-1]))
            return f"{self.source.object(_step(leaf.views[-1]))}({base}, env)"
        return {"tensor": f"results[{leaf.index}]", "input": f"tensors[{leaf.index}]", "held": f"held[{leaf.value!r}]"}[leaf.kind]

    def _given(self, number: int) -> str:
        """The caller's own container."""
        v = self.made.get(-1 - number)
        if v is None:
            if number not in self.paths:
                raise UnsupportedError("the model returns or changes a container that lies in one of a registered class")
            v = self.made[-1 - number] = self.source.assign(self.paths[number])
        return v

    def _change(self) -> None:
        """Give containers of the caller their new content; all of it is made before the first is changed."""
        made = [(self._given(number), group, [self._make(p) for p in group.parts]) for number, group in self.imported.changes]
        for v, group, parts in made:
            if group.kind is list:
                self.source.add(f"{v}[:] = [{''.join(f'{p}, ' for p in parts)}]")
            elif group.how == "mapping":
                self.source.add(f"{v}.clear()")
                self.source.add(f"{v}.update({{{', '.join(f'{self.source.literal(k)}: {p}' for k, p in zip(group.keys, parts))}}})")
            else:
                if not slots_of(group.kind):
                    self.source.add(f"{v}.__dict__.clear()")
                for k, p in zip(group.keys, parts):
                    self.source.add(f"SET({v}, {k!r}, {p})")
        for target, leaf in self.imported.exchanges:
            self.source.add(f"held[{target!r}] = {self._leaf(leaf)}")


def _sized(dim: Dim) -> Callable[[Mapping[str, int]], int]:
    """A size as a function of the values of symbols."""
    names = sorted({s.name for s in symbols(dim)})
    source = Source("def size(env):")
    for name in names:
        source.add(f"{name} = env[{name!r}]")
    source.add(f"return {python_of(dim)}")
    return source.function()


def _step(step: ViewStep) -> Callable[[torch.Tensor, Any], Any]:
    """A view as a function of its base and the values of symbols."""
    if _mentions_size(step.args) or _mentions_size([v for _, v in step.kwargs]):
        return step
    target, args, kwargs = step.target, step.args, dict(step.kwargs)
    return lambda tensor, env: target(tensor, *args, **kwargs)


def _mentions_size(value: Any) -> bool:
    return any(map(_mentions_size, value)) if isinstance(value, (list, tuple)) else isinstance(value, Dim)


def _paths(takes: Group) -> list[tuple[int, str]]:
    """How each of the caller's containers is reached from ``args`` and ``kwargs``, by number."""
    found: list[tuple[int, str]] = []

    def visit(tree: Tree, path: str) -> None:
        if isinstance(tree, Group):
            found.append((tree.number, path))
            for key, part in zip(_places(tree), tree.parts) if tree.how != "registered" else ():
                visit(part, path + key)

    args, kwargs = takes.parts
    assert isinstance(args, Group) and isinstance(kwargs, Group)
    for i, part in enumerate(args.parts):
        visit(part, f"args[{i}]")
    for name, part in zip(kwargs.keys, kwargs.parts):
        visit(part, f"kwargs[{name!r}]")
    return found


def _places(group: Group) -> list[str]:
    if group.how in ("object", "fields"):
        return [f".{k}" for k in group.keys]
    return [f"[{k!r}]" for k in group.keys] if group.how == "mapping" else [f"[{i}]" for i in range(len(group.parts))]

