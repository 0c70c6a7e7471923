"""``sol.fuse_optimizer``: SGD, Adam and AdamW of torch whose step is one launch over all parameters of a group.

Parameter groups, states, hooks and ``state_dict`` stay torch's: only the arithmetic is ours. What the kernels do not serve (other element
types, tensors with gaps, gradients that are sparse or lie in another order, a gradient scaler, ``capturable`` and ``differentiable``) is
computed by torch's own function, parameter by parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import is_
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.optim.adam import adam
from torch.optim.sgd import sgd

from sol.codegen.optimizer_step import COLUMNS, ROW, Rule, step_kernel
from sol.codegen.targets import resolve
from sol.config import config
from sol.errors import ConfigError, UnsupportedError
from sol.runtime.packers import Launches, addresses

SHORT = 1 << 14
"""Elements up to which one thread changes all parameters: others would take longer to come."""
_TYPES = (Tensor, torch.nn.Parameter)
_NOTHING: Mapping[str, Any] = {}
Optimizer = TypeVar("Optimizer", bound=torch.optim.Optimizer)


def fuse_optimizer(optimizer: Optimizer) -> Optimizer:
    """``sol.fuse_optimizer``."""
    kinds: dict[type, type] = {torch.optim.SGD: FusedSGD, torch.optim.Adam: FusedAdam, torch.optim.AdamW: FusedAdamW}
    if isinstance(optimizer, tuple(kinds.values())):
        return optimizer
    if type(optimizer) not in kinds:
        raise UnsupportedError(
            f"a fused step of {type(optimizer).__name__} is not built",
            remedy="give torch.optim.SGD, Adam or AdamW; all other optimizers work with compiled training as they are",
        )
    if "step" in vars(optimizer):
        raise ConfigError(
            "the optimizer's step was replaced, as learning-rate schedulers do", remedy="call sol.fuse_optimizer before they are made"
        )
    optimizer.__class__ = kinds[type(optimizer)]
    optimizer._patch_step_function()  # hooks and the profiler, as torch does for a class of its own
    return optimizer


class _Key(NamedTuple):
    """What a launch was made for."""

    rule: Rule
    threads: int
    isa: str


class _Plan:
    """A launch for parameters whose gradients may be others at every step, and numbers too.

    tensors: for each parameter the columns of the table from its gradient's on, None for what the rule has not; the last is the count of
    steps. fresh: whether it has no state yet. held: all values of the parameters' states, which must be the same at the next step.
    """

    def __init__(
        self, key: _Key, parameters: Sequence[Tensor], gradients: Sequence[Tensor], states: Sequence[Sequence[Tensor | None]],
        fresh: Sequence[bool], held: Sequence[Any],
    ) -> None:  # fmt: skip
        self.key, self.parameters, self.held = key, list(parameters), list(held)
        self.changed = [t for row in zip(parameters, *states) for t in row if t is not None]
        self.places = self._places_of(self.changed)
        self.strides = [p.stride() for p in parameters]
        elements = np.array([p.numel() for p in parameters], np.int64)
        self.total = int(elements.sum())
        columns = [[t.data_ptr() if t is not None else 0 for t in column] for column in (parameters, gradients, *states)]
        self.rows = np.array([*columns, elements, np.cumsum(elements) - elements, list(fresh)], np.int64).T.copy()
        assert self.rows.shape[1] == len(COLUMNS)
        self.table = np.zeros((len(self.rows), ROW))
        (address,) = addresses([step_kernel(key.rule)], resolve(key.isa)).values()
        numbers = (address, 0, 2, 2, self.rows.ctypes.data, self.table.ctypes.data, len(self.rows), self.total)
        self.launches = Launches(numbers, 0, key.threads if self.total > SHORT else 1, [], 0)
        self.numbers: tuple[float, ...] = ()

    @staticmethod
    def _places_of(tensors: Sequence[Tensor]) -> list[int]:
        return [t.data_ptr() for t in tensors]

    def holds(
        self, key: _Key, state: Mapping[Tensor, Mapping[str, Any]], parameters: Sequence[Tensor], gradients: Sequence[Tensor]
    ) -> bool:  # fmt: skip
        """Whether it serves another step: all tensors but the gradients are the same and lie where they lay."""
        if key != self.key or len(parameters) != len(self.parameters) or not all(map(is_, parameters, self.parameters)):
            return False
        held = [value for p in parameters for value in state.get(p, _NOTHING).values()]
        if len(held) != len(self.held) or not all(map(is_, held, self.held)) or self._places_of(self.changed) != self.places:
            return False
        strides = [g.stride() for g in gradients]
        return strides == self.strides == [p.stride() for p in parameters] and all(map(_is_plain, gradients))

    def run(self, gradients: Sequence[Tensor], numbers: tuple[float, ...]) -> None:
        """One step; numbers: as ``NUMBERS`` says."""
        self.rows[:, COLUMNS.index("gradient")] = [g.data_ptr() for g in gradients]
        if numbers != self.numbers:
            self.numbers = numbers
            self.table[:, : len(numbers)] = numbers
        self.launches.run()
        torch.autograd.graph.increment_version(self.changed)


def _is_served(parameter: Tensor, gradient: Tensor, states: Iterable[Tensor | None]) -> bool:
    """Whether the kernels take a parameter: float32 on the CPU without gaps, all elements in the same order in memory."""
    if not _is_plain(parameter) or not _is_plain(gradient):
        return False
    strides = parameter.stride()
    if not (parameter.is_contiguous() or _is_dense(parameter)) or gradient.stride() != strides:
        return False
    return all(s is None or (_is_plain(s) and s.stride() == strides) for s in states)


def _is_dense(tensor: Tensor) -> bool:
    """Whether the elements fill a piece of memory, each in a place of its own, in whatever order of dimensions."""
    expected = 1
    for stride, size in sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.shape) if size != 1):
        if stride != expected:
            return False
        expected *= size
    return True


def _is_plain(tensor: Tensor) -> bool:
    if type(tensor) not in _TYPES or tensor.dtype is not torch.float32 or not tensor.is_cpu:
        return False
    return tensor.layout is torch.strided and not tensor.is_neg()


def _is_torchs(optimizer: torch.optim.Optimizer, group: dict[str, Any]) -> bool:
    """Whether a group is torch's as a whole."""
    scaled = getattr(optimizer, "grad_scale", None) is not None or getattr(optimizer, "found_inf", None) is not None
    return scaled or bool(group.get("capturable")) or bool(group["differentiable"])


class _Fused(torch.optim.Optimizer):
    """What the fused optimizers share: the loop over groups, and which parameters are whose."""

    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # type: ignore[override]
        """As torch's."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.set_grad_enabled(self.defaults["differentiable"]):
            plans: dict[int, _Plan] = self.__dict__.setdefault("_plans", {})
            for number, group in enumerate(self.param_groups):
                self._group(group, plans, number)
        return loss

    step._torchdynamo_disable = True  # type: ignore[attr-defined]  # under torch.compile it runs as it is

    def _group(self, group: dict[str, Any], plans: dict[int, _Plan], number: int) -> None:
        if _is_torchs(self, group):
            rows = self._rows(group)
            self._by_torch(group, rows)
            return
        parameters = [p for p in group["params"] if p.grad is not None]
        gradients = [p.grad for p in parameters]
        rule, numbers = self._rule(group)
        key = _Key(rule, torch.get_num_threads(), config["isa"])
        plan = plans.get(number)
        if plan is None or not plan.holds(key, self.state, parameters, gradients):
            plans.pop(number, None)
            rows = self._rows(group)
            served = [row for row in rows if self._is_ours(row)]
            if len(served) < len(rows):
                self._by_torch(group, [row for row in rows if not self._is_ours(row)])
            if not served:
                return
            plan = self._plan(key, served)
            if len(served) == len(rows) and not plan.rows[:, COLUMNS.index("fresh")].any():
                plans[number] = plan
            gradients = [row[1] for row in served]
        plan.run(gradients, numbers)

    def _rule(self, group: Mapping[str, Any]) -> tuple[Rule, tuple[float, ...]]:
        """The kernel for a group, and its numbers."""
        raise NotImplementedError

    def _rows(self, group: dict[str, Any]) -> list[tuple[Any, ...]]:
        """For each parameter that has a gradient: it, the gradient and its states, made if they are not there."""
        raise NotImplementedError

    def _is_ours(self, row: tuple[Any, ...]) -> bool:
        """Whether the kernels serve a row."""
        parameter, gradient, *states = row
        return _is_served(parameter, gradient, states)

    def _plan(self, key: _Key, rows: Sequence[tuple[Any, ...]]) -> _Plan:
        """The launch for these rows."""
        raise NotImplementedError

    def _by_torch(self, group: Mapping[str, Any], rows: Sequence[tuple[Any, ...]]) -> None:
        """The step of these rows by torch's function."""
        raise NotImplementedError

    def _held(self, parameters: Sequence[Tensor]) -> list[Any]:
        return [value for p in parameters for value in self.state.get(p, _NOTHING).values()]


class FusedSGD(_Fused, torch.optim.SGD):
    """torch.optim.SGD with one launch for all parameters of a group."""

    def _rule(self, group: Mapping[str, Any]) -> tuple[Rule, tuple[float, ...]]:
        numbers = (float(group["lr"]), float(group["momentum"]), float(group["dampening"]), float(group["weight_decay"]))
        momentum, nesterov = numbers[1] != 0, bool(group["nesterov"])
        return Rule("sgd", "l2" if numbers[3] else "", momentum, nesterov, maximize=bool(group["maximize"])), numbers

    def _rows(self, group: dict[str, Any]) -> list[tuple[Any, ...]]:
        parameters: list[Tensor] = []
        gradients: list[Tensor] = []
        buffers: list[Tensor | None] = []
        self._init_group(group, parameters, gradients, buffers)
        return list(zip(parameters, gradients, buffers or [None] * len(parameters)))

    def _plan(self, key: _Key, rows: Sequence[tuple[Any, ...]]) -> _Plan:
        fresh = [key.rule.momentum and buffer is None for _, _, buffer in rows]
        parameters = [row[0] for row in rows]
        for (parameter, _, _), is_fresh in zip(rows, fresh):
            if is_fresh:
                self.state[parameter]["momentum_buffer"] = torch.empty_like(parameter, requires_grad=False)
        nothing = [None] * len(rows)
        buffers = [self.state[p]["momentum_buffer"] for p in parameters] if key.rule.momentum else nothing
        states = [buffers, nothing, nothing, nothing]
        return _Plan(key, parameters, [row[1] for row in rows], states, fresh, self._held(parameters))

    def _by_torch(self, group: Mapping[str, Any], rows: Sequence[tuple[Any, ...]]) -> None:
        if not rows:
            return
        parameters, gradients, buffers = map(list, zip(*rows))
        sgd(
            parameters, gradients, buffers, weight_decay=group["weight_decay"], momentum=group["momentum"], lr=group["lr"],
            dampening=group["dampening"], nesterov=group["nesterov"], maximize=group["maximize"],
            has_sparse_grad=any(g.is_sparse for g in gradients), foreach=group["foreach"], fused=group["fused"],
            grad_scale=getattr(self, "grad_scale", None), found_inf=getattr(self, "found_inf", None),
        )  # fmt: skip
        for parameter, buffer in zip(parameters, buffers):
            if group["momentum"] != 0:
                self.state[parameter]["momentum_buffer"] = buffer


class FusedAdam(_Fused, torch.optim.Adam):
    """torch.optim.Adam with one launch for all parameters of a group."""

    def _rule(self, group: Mapping[str, Any]) -> tuple[Rule, tuple[float, ...]]:
        beta1, beta2 = group["betas"]
        numbers = (float(group["lr"]), float(beta1), float(beta2), float(group["eps"]), float(group["weight_decay"]))
        decay = ("decoupled" if group["decoupled_weight_decay"] else "l2") if numbers[4] else ""
        return Rule("adam", decay, amsgrad=bool(group["amsgrad"]), maximize=bool(group["maximize"])), numbers

    def _rows(self, group: dict[str, Any]) -> list[tuple[Any, ...]]:
        lists: list[list[Any]] = [[] for _ in range(6)]
        self._init_group(group, *lists)
        lists[4] = lists[4] or [None] * len(lists[0])
        return list(zip(*lists))

    def _is_ours(self, row: tuple[Any, ...]) -> bool:
        return super()._is_ours(row[:-1]) and _is_plain(row[-1])

    def _plan(self, key: _Key, rows: Sequence[tuple[Any, ...]]) -> _Plan:
        parameters, gradients, *states = map(list, zip(*rows))
        return _Plan(key, parameters, gradients, states, [False] * len(rows), self._held(parameters))

    def _by_torch(self, group: Mapping[str, Any], rows: Sequence[tuple[Any, ...]]) -> None:
        if not rows:
            return
        parameters, gradients, first, second, largest, steps = map(list, zip(*rows))
        adam(
            parameters, gradients, first, second, largest if group["amsgrad"] else [], steps, amsgrad=group["amsgrad"],
            has_complex=any(map(torch.is_complex, parameters)), beta1=group["betas"][0], beta2=group["betas"][1], lr=group["lr"],
            weight_decay=group["weight_decay"], eps=group["eps"], maximize=group["maximize"], foreach=group["foreach"],
            capturable=group["capturable"], differentiable=group["differentiable"], fused=group["fused"],
            grad_scale=getattr(self, "grad_scale", None), found_inf=getattr(self, "found_inf", None),
            decoupled_weight_decay=group["decoupled_weight_decay"],
        )  # fmt: skip


class FusedAdamW(FusedAdam, torch.optim.AdamW):
    """torch.optim.AdamW with one launch for all parameters of a group."""
