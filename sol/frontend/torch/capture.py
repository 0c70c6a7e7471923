"""A call of a model in the form that torch.export takes: tensors in, tensors out, everything else written down beside it.

torch.export traces `Traced`, which puts the caller's arguments together from the traced tensors, calls the model, and takes apart what
it returns, what it did to containers of the caller, and which buffers it exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from sol.errors import ExportError
from sol.frontend.torch.noted import noting_seeds, noting_strides, noting_unmoved
from sol.frontend.torch.outer_reads import OuterReads, noting_outer_reads
from sol.frontend.torch.reads import Reads, noting_reads
from sol.frontend.torch.state import PythonState, noting_prints
from sol.frontend.torch.strides import is_channels_last
from sol.frontend.torch.transformer_layers import transformers_as_untraced
from sol.frontend.torch.trees import Maker, NoTree, Taker, children_of, is_argument, is_result, is_same_value
from sol.frontend.trees import Group, Leaf, Tree, groups

ROOT = "model"
LEFT_OUT = "which a graph of tensors would leave out"
"""Of what a call does besides computing, in the reasons why a model is not captured as a graph alone."""
"""Name of the model inside of `Traced`."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call taken apart: the tree of ``(args, kwargs)``, its leaves, and which of them are traced as they come (``varying``);
    the other ones are literals. as_laid_out: whether a trace takes tensors with the strides that they have."""

    tree: Group
    leaves: tuple[Any, ...]
    varying: frozenset[int]
    as_laid_out: bool = False

    @staticmethod
    def of_arguments(leaves: Sequence[Any], traced: Sequence[bool]) -> Call:
        """A call with these positional arguments."""
        args = Group(tuple, "sequence", (), tuple([Leaf(i) for i in range(len(leaves))]), 1)
        tree = Group(tuple, "sequence", (), (args, Group(dict, "mapping", (), (), 2)), 0)
        return Call(tree, tuple(leaves), frozenset(i for i, t in enumerate(traced) if t))

    def opening(self, numbers: frozenset[int]) -> Call:
        """The same call, these numbers traced too."""
        return replace(self, varying=self.varying | numbers)

    @property
    def traced(self) -> list[int]:
        """Leaves that a trace takes as inputs, in order."""
        return sorted(self.varying)

    def examples(self) -> tuple[Any, ...]:
        """What a trace takes for them: tensors in the plain order or channels_last, if not as they are laid out; ints; and floats as 0-d
        float64 tensors."""
        return tuple([_example(self.leaves[i], self.as_laid_out) for i in self.traced])

    def laid_out(self) -> Call | None:
        """The same call, its tensors traced as they are laid out; None if its examples are that already."""
        new = replace(self, as_laid_out=True)
        return None if all(a is b for a, b in zip(self.examples(), new.examples()) if isinstance(a, torch.Tensor) and a.dim()) else new

    def traced_shapes(self, shapes: Mapping[int, Any]) -> Any:
        """``dynamic_shapes`` of `Traced`, given those of leaves."""
        if not shapes and not any(isinstance(self.leaves[i], int) for i in self.traced):
            return None
        return (tuple([torch.export.Dim.DYNAMIC if isinstance(self.leaves[i], int) else shapes.get(i) for i in self.traced]),)


def take_call(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    """Take the arguments of a call apart. Raises ExportError where that is not possible."""
    taker = Taker(is_argument)
    try:
        tree = taker((tuple(args), dict(kwargs)))
    except NoTree as error:
        raise ExportError(f"arguments cannot be taken apart: {error}") from None
    assert isinstance(tree, Group)
    leaves = tuple(torch.from_numpy(leaf) if isinstance(leaf, np.ndarray) else leaf for leaf in taker.leaves)
    tensors = {i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)}
    return Call(tree, leaves, frozenset(tensors))


def _example(leaf: Any, as_laid_out: bool) -> Any:
    if isinstance(leaf, float):
        return torch.tensor(leaf, dtype=torch.float64)
    plain = isinstance(leaf, torch.Tensor) and type(leaf) in (torch.Tensor, torch.nn.Parameter) and leaf.layout is torch.strided
    return leaf.contiguous() if plain and not as_laid_out and not is_channels_last(leaf) else leaf


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a traced call came to, as trees over the leaves that the trace returns.

    changes: (number of the caller's container, its new content) for those that the model changed.
    exchanged: (target of a buffer, leaf) for those that mean another tensor afterwards.
    """

    result: Tree
    changes: tuple[tuple[int, Group], ...]
    exchanged: tuple[tuple[str, int], ...]


@dataclass
class _Notes:
    """What a trace leaves behind; not attributes of the traced module, which torch.export sets back."""

    outcome: Outcome | None = None
    complaint: str = ""
    added: bool = False
    printed: bool = False
    asked_strides: bool = False
    unmoved: list[torch.Tensor] = field(default_factory=list)
    shared: bool = False
    seeded: bool = False
    padded: bool = False
    memo: bool = False


class Traced(torch.nn.Module):
    """A model as a function of the traced leaves of a call. After a trace ``outcome`` says what its results mean."""

    def __init__(self, model: torch.nn.Module, call: Call, reads: Reads | None = None, outer: OuterReads | None = None) -> None:
        """reads, outer: where it is noted what the model reads; outer: beside its own attributes, for records that later calls use."""
        super().__init__()
        for path, part in model.named_modules():
            if isinstance(part, torch.jit.ScriptModule):
                raise ExportError(f"{path or 'the model'} is TorchScript, which holds its tensors out of Python's sight")
        self.add_module(ROOT, model)
        self.training = False
        self.call = call
        self._reads, self._outer = reads if reads is not None else Reads(), outer
        self._notes = _Notes()
        self._state = PythonState(model)

    @property
    def outcome(self) -> Outcome:
        """What the results of the trace mean."""
        assert self._notes.outcome is not None, "nothing was traced"
        return self._notes.outcome

    def forward(self, *traced: Any) -> tuple[Any, ...]:
        """The leaves of all that came out."""
        leaves = list(self.call.leaves)
        for index, value in zip(self.call.traced, traced):
            leaves[index] = value.item() if isinstance(leaves[index], float) else value
        maker, tree, model = Maker(leaves), self.call.tree, self._modules[ROOT]
        args, kwargs = maker(tree)
        buffers = _buffers(model)
        with (
            noting_prints(self._note_print), noting_strides(self._note_strides), noting_unmoved(self._notes.unmoved.append),
            transformers_as_untraced(self._note_padding), noting_reads(model, self._reads),  # type: ignore[arg-type]
            noting_outer_reads(self._outer) if self._outer is not None else nullcontext(),
        ):  # fmt: skip
            result = model(*args, **kwargs)  # type: ignore[misc]
        self._notes.complaint = self._notes.complaint or self._state.changed()
        self._notes.added = self._state.only_added  # torch.export will have put other containers there
        taker = Taker(is_result, {id(c): n for n, c in maker.made.items() if _is_callers(tree, n)}, self._state.known)
        exchanged = tuple(_exchanged(model, buffers, taker))
        changes = tuple(_changes(tree, maker, taker))
        self._notes.outcome = Outcome(taker(result), changes, exchanged)
        self._notes.shared = _are_shared(self._notes.unmoved, traced, taker.leaves)
        return tuple(taker.leaves)

    @property
    def asks_strides(self) -> bool:
        """Whether the model's Python code read how a tensor is laid out."""
        return self._notes.asked_strides or self._notes.shared

    @property
    def leaves_unmoved(self) -> bool:
        """Whether a tensor was asked to be contiguous that was already: with other strides it would be a copy."""
        return bool(self._notes.unmoved)

    @property
    def differs_with_gradients(self) -> bool:
        """Whether torch computes something else where a gradient is needed."""
        return self._notes.padded

    @property
    def fills_memo(self) -> bool:
        """Whether the model keeps values that later calls find."""
        return self._notes.memo

    def note_memo(self) -> None:
        """What changed is a memo, which the trace holds the computation of."""
        self._notes.memo = True

    def _note_padding(self) -> None:
        self._notes.padded = True

    def _note_print(self) -> None:
        self._notes.printed = True

    def _note_strides(self) -> None:
        self._notes.asked_strides = True

    def _note_seed(self) -> None:
        self._notes.seeded = True

    @contextmanager
    def leaving_no_trace(self) -> Iterator[None]:
        """Around a trace: Python's state is left as it was. ExportError if the model changes what no graph of tensors holds; or else
        `Settling`, and the change stays, if that may be only the first call's affair."""
        done = False
        try:
            with noting_seeds(self._note_seed):
                yield
            done = True
        finally:
            if not done or not self._notes.complaint or not self._state.is_plain or self._notes.printed or self._notes.seeded:
                self._state.restore()
        if self._notes.seeded:
            raise ExportError(f"a call seeds torch's random numbers, {LEFT_OUT}")
        if self._notes.complaint:
            raise Settling(f"a call changes {self._notes.complaint}, {LEFT_OUT}", self._notes.added and not self._notes.printed)
        if self._notes.printed:
            raise ExportError(f"a call prints, {LEFT_OUT}")

    def restore(self) -> None:
        """Leave Python's state as it was before the trace."""
        self._state.restore()


class Settling(ExportError):
    """A trace changed Python's state: perhaps it fills what later calls find filled. added: whether all that was there still is."""

    def __init__(self, message: str, added: bool) -> None:
        super().__init__(message)
        self.added = added


def _are_shared(unmoved: Sequence[torch.Tensor], traced: Sequence[Any], leaves: Sequence[Any]) -> bool:
    """Whether results have the memory of tensors that would be copies with other strides, and of an input or another result."""
    given, shown = [memory_of(t) for t in traced], [memory_of(t) for t in leaves]
    return any(m is not None and (m in given and m in shown or shown.count(m) > 1) for m in map(memory_of, unmoved))


def memory_of(tensor: Any) -> int | None:
    """A number for the memory that a tensor lies in; None for what has no such."""
    with torch._C.DisableTorchFunction():  # what records functions of torch is none of the model's
        return tensor.untyped_storage()._cdata if isinstance(tensor, torch.Tensor) and tensor.layout is torch.strided else None


def _is_callers(tree: Group, number: int) -> bool:
    """Whether a container is one that the caller holds: ``(args, kwargs)`` themselves are made for the call."""
    return number not in (tree.number, *(p.number for p in tree.parts if isinstance(p, Group)))


def _buffers(model: Any) -> dict[str, torch.Tensor | None]:
    return {f"{path}.{name}".lstrip("."): t for path, m in model.named_modules() for name, t in m._buffers.items()}


def _exchanged(model: Any, before: Mapping[str, Any], taker: Taker) -> Iterator[tuple[str, int]]:
    """Buffers that the model set to another tensor; they are set back."""
    for target, old in before.items():
        path, _, name = target.rpartition(".")
        owner = model.get_submodule(path)
        new = owner._buffers.get(name)
        if new is not old:
            if new is None or old is None:
                raise ExportError(f"the buffer {target} is None before or after the call")
            leaf = taker(new)
            assert isinstance(leaf, Leaf)
            owner._buffers[name] = old
            yield target, leaf.index


def _changes(tree: Group, maker: Maker, taker: Taker) -> Iterator[tuple[int, Group]]:
    """Containers of the caller whose content is another one than they were made with."""
    for group in groups(tree):
        if not _is_callers(tree, group.number):
            continue
        container = maker.made[group.number]
        keys, parts = children_of(container, group.how)
        before = maker.parts[group.number]
        if keys == group.keys and len(parts) == len(before) and all(map(is_same_value, parts, before)):
            continue
        if group.how not in ("sequence", "mapping", "object") or issubclass(group.kind, tuple):
            raise ExportError(f"the model changes a {group.kind.__name__} that it is given")
        yield group.number, taker.take_container(container, group.how)
